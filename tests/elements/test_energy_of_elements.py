"""The account of energy of every element: for random motions of the registry's samples

    power taken from bodies and nodes = d(stored + kinetic)/dt + dissipated − supplied

The left side comes from residuals alone: of a body times its velocity, of a node times its
conjugate (the current in volts, the voltage in amperes, ∫ dp/ρ of a mass flow, …); energies are
differentiated along the motion.  Constraints take γᵀC_q v, which is not theirs to store.
"""

from dataclasses import replace

import numpy as np
import pytest
from derivative_checks import sample_system
from inside import ITEMS, Result
from scipy.integrate import quad

import linkwork as lw

STEP = 1e-4  # of differences of fourth order, s
CLOSE = 2e-7  # of the powers' sum: truncation of these differences; regularisations of 1 ns
STIFF = lw.hydraulics.Fluid(1.0, 1e3, 0.15)  # (Δp/β)² is 1e-6, and a twelfth of it left out
SEEDS = range(1, 5)


def items_of(room=None):
    """The items of linkwork, or of one room of linkwork.elements."""
    places = {name: item.__module__.split(".") for name, item in ITEMS.items()}
    return sorted(
        name for name, place in places.items()
        if place[:2] == ["linkwork", "elements"] and room in (None, place[2]) and name != "Body"
    )


def motion_of(name, seed):
    """A random motion of a sample, of one with joints a motion that they allow."""
    if name == "DynamicPipe":  # its finite volumes leave out terms of the order (Δp/β)²
        data, state = sample_system(name, seed, prepare=stiffen)
    else:
        data, state = sample_system(name, seed)
    return data, on_constraints(data, state) if data.rows else state


def stiffen(items):
    for item in items:
        if hasattr(item, "fluid"):
            item.fluid = STIFF


def on_constraints(data, state):
    """At the places of the model, with C_q v = −C_t and C_q v̇ = Q_c."""
    described, motion = data.system.described_state(state.time).motion, state.motion.copy()
    motion[:, :7] = described[:, :7]
    state = replace(state, motion=motion)
    e = data.evaluate(state, rates=True)
    Cq, v = e.Cq.toarray(), state.rates
    state = state.with_rates(v - np.linalg.lstsq(Cq, Cq @ v + e.Ct, rcond=None)[0])
    Qc, size = data.evaluate(state, rates=True).Qc, state.acceleration.size
    a = np.concatenate([state.acceleration.ravel(), state.values[2]])
    a -= np.linalg.lstsq(Cq, Cq @ a - Qc, rcond=None)[0]
    values = state.values.copy()
    values[2] = a[size:]
    return replace(state, acceleration=a[:size].reshape(-1, 6), values=values)


def specific_energy(fluid, p):
    """∫ dp/ρ by quadrature, from where its density law has it zero (with air p₀/ρ₀ at p₀)."""
    p0 = fluid.reference_pressure if fluid.air or fluid.law == "super" else 0.0
    first = p0 / fluid.rho if fluid.air else 0.0
    kinks = [x for x in (fluid.reference_pressure, 1e-3 * fluid.reference_pressure)
             if min(p, p0) < x < max(p, p0)]  # fmt: skip
    rest = quad(lambda x: 1 / fluid.density_at(x)[0], p0, p, points=kinks or None, epsabs=1e-13)
    return first + rest[0]


def conjugates(item, node, x, rate):
    """What the residuals of a node's equations are multiplied with, to be powers."""
    if node.kind.name in ("voltage", "current"):
        return x
    if node.kind.order == 2 and not isinstance(item, lw.Quantity):
        return rate
    if node.kind.name == "pressure":
        return [specific_energy(item.fluid, x[0])]
    if node.kind.name == "inner pressure":
        return [specific_energy(item.p1.fluid, p) for p in x]
    if node.kind.name == "mass flow" and not hasattr(item, "fluid"):  # else p = P: no power
        return x / item.p1.fluid.rho
    return np.zeros_like(x)  # heat, and numbers without a unit, are outside the account


def power_taken(data, state):
    """From bodies and nodes, and the sum of the parts without their signs."""
    e, layout = data.evaluate(state, rates=True), data.system.layout
    other = np.zeros(layout.values)
    for item in data.system.model.items.values():
        for node in item.vector_nodes():
            k = [id(x) for x in layout.nodes].index(id(node))
            place = slice(layout.first[k], layout.first[k + 1])
            other[place] = conjugates(item, node, *state.values[:2, place])
            if node.kind.name == "cell flow":
                other[place] = of_cells(item, data, state, state.values[0, place])
    parts = np.concatenate([(e.f * state.velocities).ravel(), e.balance * other])
    held = state.gamma @ (e.Cq @ state.rates)
    return parts.sum() - held, np.abs(parts).sum() + abs(held)


def of_cells(pipe, data, state, q):
    """q/(ρ A) of the halves of cells, ρ at the mean pressure of their ends."""
    layout, ends = data.system.layout, [pipe.p1.node, pipe.inner, pipe.p2.node]
    at = [[id(x) for x in layout.nodes].index(id(node)) for node in ends]
    p = np.concatenate([state.values[0, layout.first[k] : layout.first[k + 1]] for k in at])
    mean = 0.5 * (p[:-1] + p[1:])
    return q / np.repeat(pipe.p1.fluid.density_at(mean), 2) / (np.pi / 4 * pipe.diameter**2)


def total(data, state):
    return Result.of_state(data.system, state).energy.total.values.item()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", items_of())
def test_energy_of_elements_is_accounted_for(name, seed):
    data, state = motion_of(name, seed)
    taken, size = power_taken(data, state)
    parts = [(8, STEP), (-8, -STEP), (-1, 2 * STEP), (1, -2 * STEP)]
    change = sum(c * total(data, state.later(d, state.acceleration)) for c, d in parts)
    dissipated, supplied = data.evaluate(state).power
    found = change / (12 * STEP) + dissipated - supplied
    assert abs(found - taken) < CLOSE * max(size, 1.0)


@pytest.mark.parametrize("name", ["Accumulator", "FlowValve", "PressureValve", "SpoolValve"])
def test_moving_parts_have_kinetic_energy(name):
    data, state = sample_system(name, 1)
    found, (*_, part) = Result.of_state(data.system, state), data.system.model.items.values()
    k = [id(node) for node in data.system.layout.nodes].index(id(part.node))
    rate = state.values[1, data.system.layout.first[k]]
    kinetic = found[part.name].kinetic_energy.item()
    assert kinetic == pytest.approx(0.5 * part.mass * rate**2, rel=1e-14)
    assert found.energy.kinetic.item() > kinetic  # with that of the bodies


@pytest.mark.parametrize("kind", [lw.hydraulics.Pipe, lw.hydraulics.DynamicPipe])
def test_the_fluid_in_a_pipe_has_kinetic_energy(kind):
    """½ m v² of a uniform flow, and nothing else moves."""
    m, oil = lw.Model(), lw.hydraulics.Fluid(850.0, 1.4e9, 0.03)
    ends = [m.add(name, lw.hydraulics.Tank(oil)) for name in "pq"]
    words = {"inertia": True} if kind is lw.hydraulics.Pipe else {}
    m.add("pipe", kind(*ends, diameter=0.02, length=3.0, flow=0.5, **words))
    area = np.pi / 4 * 0.02**2
    kinetic = 0.5 * (850.0 * area * 3.0) * (0.5 / (850.0 * area)) ** 2
    energy = lw.transient(m, t=1e-6, h=1e-6, progress=False).energy
    assert energy.kinetic[0].item() == pytest.approx(kinetic, rel=1e-12)
    assert energy.potential[0].item() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", items_of("thermal"))
def test_heat_goes_where_heat_flows(name, seed):
    """In an account of its own: Σ q of all temperatures = d(heat)/dt − sources."""
    data, state = motion_of(name, seed)
    now = Result.of_state(data.system, state)
    two = [state.later(d, state.acceleration) for d in (-STEP, STEP)]
    later = Result(
        data.system, [x.time for x in two], np.stack([x.motion for x in two]),
        values=np.stack([x.values for x in two]),
    )  # fmt: skip
    balance, layout, sources, stored = data.evaluate(state).balance, data.system.layout, 0.0, 0.0
    for item in data.system.model.items.values():
        if isinstance(item, (lw.thermal.HeatSource, lw.thermal.Ambient)):
            sources += now[item.name].heat_flow.item()
        if "heat" in now[item.name].names:
            stored += later[item.name].heat[-1].item() / (2 * STEP)
    nodes = [node.kind.name == "temperature" for node in layout.nodes]
    taken = balance[layout.first[:-1][nodes]].sum()
    assert abs(taken - stored + sources) < CLOSE * max(np.abs(balance).sum(), 1.0)
