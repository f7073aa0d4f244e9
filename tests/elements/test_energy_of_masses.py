"""Energy and momentum of masses beside those of bodies, over whole runs.

The total energy is constant to the order of the method, the momentum of a free system to round-off.
"""

import numpy as np
import pytest

import linkwork as lw

DOWN = (0.0, 0.0, -9.81)
NONE = (0.0, 0.0, 0.0)
FLEXIBLE = lw.Section.rectangle(0.02, 0.01, E=1e9, density=2000)
STIFFER = lw.Section.rectangle(0.02, 0.01, E=4e10, density=2000)


def tumbling(gravity):
    """A body with a mass of 3 kg that stays as it is, away from its centre."""
    m = lw.Model("tumbling", gravity=gravity)
    body = m.add("body", lw.Body(2, (1, 1.2, 0.9), angular_velocity=(1, 2, 3), velocity=(1, 0, 0)))
    m.add("mass", lw.VariableMass(body, 3.0, (0.3, -0.2, 0.1), (0.1, 0.2, 0.3)))
    return m


def bolas(gravity):
    """Two bodies turn about each other at the ends of a taut rope."""
    m = lw.Model("bolas", gravity=gravity)
    ends = [
        m.add(name, lw.Body(mass, (0.1, 0.1, 0.1), position=(x, 0, 0), velocity=(0, v, 0.1)))
        for name, mass, x, v in (("a", 1.0, 0.0, -4.0), ("b", 2.0, 1.0, 2.0))
    ]
    m.add("rope", lw.Cable(*ends, stiffness=500.0, mass=0.6, segments=4, length=0.9, hang=NONE))
    return m


def swinging(gravity):
    """A load swings on a rope that is stretched by its weight."""
    m = lw.Model("swing", gravity=gravity)
    load = m.add("load", lw.Body(5.0, (0.1, 0.1, 0.1), position=(0, 0, -1.0), velocity=(1, 0, 0)))
    m.add("rope", lw.Cable(lw.GROUND, load, at_a=(0, 0, 0), stiffness=500.0, mass=0.6, segments=4,
                           length=0.9, hang=NONE))  # fmt: skip
    return m


def link(gravity, free=False):
    m = lw.Model("link", gravity=gravity)
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), STIFFER, modes=2,
                                       angular_velocity=(1, 2, 3) if free else NONE))  # fmt: skip
    if not free:
        m.add("pin", lw.Spherical(lw.GROUND, rod.root, at=(0, 0, 0)))
    return m


def beam(inertia, gravity, free=False):
    m = lw.Model("beam", gravity=gravity)
    strip = m.add("strip", lw.Beam((0, 0, 0), (1, 0, 0), FLEXIBLE, elements=3, inertia=inertia,
                                   angular_velocity=(1, 2, 3) if free else NONE))  # fmt: skip
    if not free:
        m.add("clamp", lw.Fixed(lw.GROUND, strip.root, at=(0, 0, 0)))
    return m


def errors(model, method, steps, t=0.5):
    """Of the total energy with these steps."""
    runs = [lw.transient(model, t, h, method, progress=False) for h in steps]
    return [float(np.ptp(run.energy.total.values)) for run in runs]


@pytest.mark.parametrize(("make", "h"), [(tumbling, 4e-3), (swinging, 2e-3), (bolas, 2e-3)])
@pytest.mark.parametrize(("method", "order"), [(lw.RK4(), 4), (lw.GeneralizedAlpha(1.0), 2)],
                         ids=["RK4", "GeneralizedAlpha"])  # fmt: skip
def test_total_energy_is_constant_to_the_order_of_the_method(make, h, method, order):
    coarse, fine = errors(make(DOWN), method, (h, h / 2))
    assert fine < 1.3 * coarse / 2**order


def test_energy_of_a_flexible_pendulum_is_constant():
    coarse, fine = errors(link(DOWN), lw.GeneralizedAlpha(1.0), (5e-4, 2.5e-4))
    assert fine < 1.3 * coarse / 4


@pytest.mark.parametrize(("inertia", "h"), [("lumped", 1e-3), ("consistent", 2.5e-4)])
def test_energy_of_a_beam_that_vibrates(inertia, h):
    """What finite volumes do beyond it, an error of the mesh, counts as supplied."""
    runs = [
        lw.transient(beam(inertia, DOWN), 0.25, step, lw.GeneralizedAlpha(1.0), progress=False)
        for step in (h, h / 2)
    ]
    coarse, fine = (float(np.abs(run.energy.balance.values).max()) for run in runs)
    assert fine < 1.3 * coarse / 4 and fine < 1e-6 * float(runs[1].energy.kinetic.max())


def test_the_energy_of_a_beam_mesh_converges():
    """The total energy of a beam with consistent inertia, in finer meshes."""
    found = []
    for elements in (2, 4):
        m = lw.Model("beam", gravity=DOWN)
        strip = m.add("strip", lw.Beam((0, 0, 0), (1, 0, 0), FLEXIBLE, elements=elements,
                                       inertia="consistent"))  # fmt: skip
        m.add("clamp", lw.Fixed(lw.GROUND, strip.root, at=(0, 0, 0)))
        found += errors(m, lw.GeneralizedAlpha(0.8), (5e-4,), t=0.25)
    assert found[1] < found[0] / 4


@pytest.mark.parametrize("method", [lw.RK4(), lw.GeneralizedAlpha(1.0)],
                         ids=lambda x: type(x).__name__)  # fmt: skip
def test_a_free_rope_keeps_its_momentum_to_round_off(method):
    run = lw.transient(bolas(NONE), 0.5, 1e-3, method, progress=False)
    p, L = run.momentum.values, run.angular_momentum.values
    assert np.abs(p - p[0]).max() < 1e-12
    assert np.abs(L - L[0]).max() < (1e-8 if isinstance(method, lw.RK4) else 1e-3) * L[0, 2]
    half = 0.6 * 0.9 / 8  # the points between the ends start at rest
    expected = 2 * (2 + half) - 4 * (1 + half), 0.1 * (3 + 2 * half)
    np.testing.assert_allclose(p[0], (0, *expected), atol=1e-12)


@pytest.mark.parametrize("make", [
    lambda: tumbling(NONE), lambda: link(NONE, True), lambda: beam("lumped", NONE, True),
    lambda: beam("consistent", NONE, True),
], ids=["variable mass", "link", "lumped beam", "consistent beam"])  # fmt: skip
def test_momenta_of_free_systems_are_constant_to_the_order_of_the_method(make):
    steps = 2e-3, 1e-3
    runs = [lw.transient(make(), 0.25, h, lw.GeneralizedAlpha(1.0), progress=False) for h in steps]
    for name in ("momentum", "angular_momentum"):
        coarse, fine = (float(np.ptp(getattr(run, name).values, axis=0).max()) for run in runs)
        assert fine < 1.5 * coarse / 4 + 1e-12, name


@pytest.mark.parametrize("boundary", ["clamped-free", "pinned-pinned", "craig-bampton"])
@pytest.mark.parametrize("velocity", [(0, 0, 0), (1, 0, 0)])
@pytest.mark.parametrize("spin", [(0, 0, 0), (0, 1, 0)])
def test_a_flexible_link_alone_starts_in_any_motion(boundary, velocity, spin):
    """Neither accelerations of bodies nor forces are there to compare corrections with."""
    m = lw.Model("link")
    m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0.2), FLEXIBLE, boundary=boundary, modes=3,
                                 velocity=velocity, angular_velocity=spin))  # fmt: skip
    run = lw.transient(m, 0.02, 1e-3, progress=False)
    assert float(np.ptp(run.energy.total.values)) < 1e-6


def test_a_damper_takes_the_energy_of_a_string_that_becomes_slack():
    """Shortened so fast that it does not pull, while it is still stretched."""
    m = lw.Model("string")
    body = m.add("body", lw.Body(1, (1, 1, 1), position=(1, 0, 0), velocity=(-1, 0, 0)))
    m.add("string", lw.Cable(lw.GROUND, body, at_a=(0, 0, 0), length=0.99, stiffness=100.0,
                             mass=1e-9, damping=50.0, segments=1, hang=NONE))  # fmt: skip
    run = lw.transient(m, 0.02, 1e-5, lw.RK4(), progress=False)
    stored = 0.5 * 100 * 0.01**2 / 0.99
    assert float(run["string"].stored_energy[0]) == pytest.approx(stored, rel=1e-6)
    assert float(run.energy.dissipated[-1]) == pytest.approx(stored, rel=1e-2)
    assert np.abs(run.energy.balance.values).max() < 1e-2 * stored


def test_items_with_mass_have_their_own_energies_and_momenta():
    """Together with those of bodies they are those of the run."""
    m = bolas(DOWN)
    m.add("fuel", lw.VariableMass(m["a"], 1.5, (0.1, 0, 0)))
    run = lw.transient(m, 0.1, 1e-3, progress=False)
    body = sum(mass * run[name].velocity.values for name, mass in (("a", 1.0), ("b", 2.0)))
    parts = body + run["rope"].momentum.values + run["fuel"].momentum.values
    np.testing.assert_allclose(run.momentum, parts, atol=1e-12)
    assert run["fuel"].kinetic_energy.attrs["units"] == "J"
    height = run["a"].point((0.1, 0, 0)).values[:, 2]
    np.testing.assert_allclose(run["fuel"].stored_energy, 1.5 * 9.81 * height, atol=1e-12)
