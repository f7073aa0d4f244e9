"""Helicoidal and piezoelectric beam elements: exact tangents, arcs, and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from derivative_checks import check_damping, check_stiffness_and_jacobian, random_rotation
from sample_elements import outputs

import linkwork as lw
from linkwork import compile_model
from linkwork.elements.beams.kernels.strains import blocks
from linkwork.extend import rotations


def in_random_motion(model, seed, turn=0.5):
    rng, data = np.random.default_rng(seed), compile_model(model).data()
    state, n = data.system.described_state(time=0.4), data.system.bodies
    motion = state.motion.copy()
    motion[:, :3] += 0.1 * rng.normal(size=(n, 3))
    turned = rotations.exponential(turn * rng.normal(size=(n, 3)))
    motion[:, 3:7] = rotations.multiply(motion[:, 3:7], turned)
    motion[:, 7:] = rng.normal(size=(n, 6))
    values = state.values + rng.normal(size=state.values.shape)
    acceleration = rng.normal(size=(n, 6))
    return data, replace(state, motion=motion, acceleration=acceleration, values=values)


def ends(model, rng, count):
    found = []
    for i in range(count):
        body = lw.Body(
            1, (1, 1, 1), position=np.array([i, 0, 0]) + 0.1 * rng.normal(size=3),
            orientation=random_rotation(rng),
        )  # fmt: skip
        model.add(f"b{i}", body)
        found.append(lw.Frame(body, 0.1 * rng.normal(size=3)))
    return found


def helicoidal(seed):
    rng, m = np.random.default_rng(seed), lw.Model("screw")
    X, Y = rng.normal(size=(2, 6, 6))
    section = lw.Section(stiffness=X @ X.T + np.eye(6), mass=1.0, damping=Y @ Y.T)
    a, b = ends(m, rng, 2)
    up = rng.normal(size=(2, 3))
    m.add("item", lw.BeamElement(a, b, section, up=up, helicoidal=True))
    return in_random_motion(m, seed)


def piezoelectric(seed):
    """Two or three nodes; two electrodes are nodes, one has a given voltage."""
    rng, m = np.random.default_rng(seed), lw.Model("piezo")
    X = rng.normal(size=(6, 6))
    section = lw.Section(
        stiffness=X @ X.T + np.eye(6), mass=1.0, damping=0.1, piezo=rng.normal(size=(6, 3)),
        capacitance=rng.normal(size=(3, 3)), charge=rng.normal(size=(3, 6)),
    )  # fmt: skip
    V = [m.add(f"V{i}", lw.Quantity(damping=1.0, stiffness=2.0)) for i in range(2)]
    voltages = [V[0], lw.sine(1.0, 1.0, 0.0), V[1]]
    frames = ends(m, rng, 2 + seed % 2)
    m.add("item", lw.BeamElement(
        *frames, section=section, up=rng.normal(size=3), electrodes=voltages
    ))  # fmt: skip
    return in_random_motion(m, seed)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("make", [helicoidal, piezoelectric])
def test_tangents_are_exact(make, seed):
    check_stiffness_and_jacobian(*make(seed))
    check_damping(*make(seed))


def cantilever(count, order=2, torque=0.0, **words):
    """BeamElements on bodies along x, clamped, with a couple about −y."""
    m = lw.Model("arc")
    section = lw.Section(stiffness=[1e5, 1e5, 1e5, 1.0, 2.0, 2.0], mass=1.0)
    bodies = [
        m.add(f"b{i}", lw.Body(1e-3, (1e-3,) * 3, position=(i / count, 0, 0)))
        for i in range(count + 1)
    ]
    for i in range(0, count, order - 1):
        m.add(f"e{i}", lw.BeamElement(*bodies[i : i + order], section=section, **words))
    m.add("clamp", lw.Fixed(lw.GROUND, bodies[0], at=(0, 0, 0)))
    m.add("couple", lw.Torque(bodies[-1], (0, -torque, 0)))
    return m


def test_one_helicoidal_element_is_an_arc():
    """κ = M/EI: three radians of a circle in two elements, without error of the mesh."""
    found = lw.static(cantilever(2, torque=6.0, helicoidal=True), progress=False)
    expected = np.array([np.sin(3.0), 0, 1 - np.cos(3.0)]) / 3.0
    np.testing.assert_allclose(found["b2"].position.values, expected, atol=1e-10)


def test_rates_of_a_helicoidal_element_are_those_of_its_strains():
    """Damping times central differences of strains along a motion is the stress of velocities."""
    data, state = helicoidal(5)
    h, (e,) = 1e-6, data.system.elements
    behind, ahead = (
        outputs(data, state.moved(t * state.rates), e.owner)["_strain"] for t in (-h, h)
    )
    still = state.with_velocities(0 * state.velocities)
    moving, resting = (outputs(data, x, e.owner)["_stress"] for x in (state, still))
    D = blocks(e.entry.reals[None, -36:])[0]
    np.testing.assert_allclose(moving - resting, D @ (ahead - behind) / (2 * h), atol=1e-6)
    assert np.abs(moving - resting).max() > 0.1


# ------------------------------------------------------------------------------------- electrodes


def bimorph(electrode, elements=4, **words):
    """A strip with one pair of electrodes that bends it about y: e = 0.1 N m/V, C = 0.5 F/m."""
    section = lw.Section(
        stiffness=[1e4, 1e4, 1e4, 1.0, 2.0, 3.0], mass=1.0, piezo=[0, 0, 0, 0, 0.1, 0],
        capacitance=[0.5],
    )  # fmt: skip
    m = lw.Model("bimorph")
    V = electrode if not isinstance(electrode, lw.Quantity) else m.add("V", electrode)
    beam = m.add("beam", lw.Beam((0, 0, 0), (1, 0, 0), section, elements=elements, electrodes=[V]))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    return m


def test_a_given_voltage_bends_the_strip():
    found = lw.static(bimorph(5.0), progress=False)
    np.testing.assert_allclose(found["beam"].curvature.values[..., 1], -0.25, rtol=1e-9)
    assert np.abs(found["beam"].section_moment.values).max() < 1e-9


def test_open_electrodes_are_stiffer_than_closed_ones():
    """Without current C L V = e ∫κ ds: one more stiffness e²/(C L) against the tip's rotation."""
    def first(m):
        m.add("inertia", lw.Body(1e-3, (50.0,) * 3, position=(1, 0, 0)))
        m.add("weld", lw.Fixed(m["beam"].tip, m["inertia"], at=(1, 0, 0)))
        omega = 2 * np.pi * np.sort(lw.eigen(m).frequency)
        return omega[omega > 1e-3][1]  # torsion is the first

    closed, opened = first(bimorph(0.0)), first(bimorph(lw.Quantity(order=1)))
    # both bend in an arc; the mass of the strip, 1/150 of the inertia, changes that by its square
    assert opened**2 / closed**2 == pytest.approx(1 + 0.1**2 / 0.5 / 2.0, rel=1e-4)


def test_a_charged_strip_spends_its_energy_in_a_resistor():
    """½ C L V² at the start goes into motion and strain, and R takes all of it: V²/R."""
    m = bimorph(lw.Quantity(5.0, order=1, stiffness=0.5, scale=5.0))
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    V, view = run["V"].value.values, run["beam"]
    k = np.concatenate([view.strain.values, view.curvature.values], axis=-1)
    strained = 0.5 * np.sum(k**2 * [1e4, 1e4, 1e4, 1.0, 2.0, 3.0], axis=(1, 2)) / 8
    power = 0.5 * V**2
    spent = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.time))])
    kinetic = run.energy["kinetic"].values
    total = kinetic + strained + 0.5 * 0.5 * V**2 + spent
    assert kinetic.max() > 1e-3 and spent[-1] > 1.0
    # forces of finite volumes differ from the gradient of the energy by the error of the mesh
    np.testing.assert_allclose(total, 6.25, rtol=1e-3)


@pytest.mark.parametrize(("words", "sentence"), [
    (dict(electrodes=[1.0, 2.0]), "1 electrode,"),
    (dict(electrodes=["no"]), "electrodes of"),
])  # fmt: skip
def test_electrodes_that_do_not_fit(words, sentence):
    section = lw.Section(stiffness=[1.0] * 6, mass=1.0, piezo=[0, 0, 0, 0, 1, 0])
    with pytest.raises(lw.LinkworkError, match=sentence):
        lw.Beam((0, 0, 0), (1, 0, 0), section, **words)


def test_sections_without_electrodes_say_so():
    with pytest.raises(lw.ModelError, match="no electrodes"):
        lw.Beam((0, 0, 0), (1, 0, 0), lw.Section(stiffness=[1.0] * 6, mass=1.0), electrodes=[1.0])
    with pytest.raises(lw.ModelError, match="six rows"):
        lw.Section(stiffness=[1.0] * 6, mass=1.0, piezo=[1, 2])
    with pytest.raises(lw.ModelError, match="three nodes"):
        bodies = [lw.Body(1, (1, 1, 1), position=(i, 0, 0)) for i in range(3)]
        lw.BeamElement(*bodies, section=lw.Section(stiffness=[1.0] * 6, mass=1.0), helicoidal=True)
