"""The cause that a failed run tells is that of the model, in the same words by all methods."""

import numpy as np
import pytest

import linkwork as lw

METHODS = [
    lw.GeneralizedAlpha(), lw.GeneralizedAlpha(stabilized=False), lw.HHT(), lw.BDF(), lw.MS2(),
    lw.Recursive(), lw.Recursive("implicit"), lw.RK4(),
]  # fmt: skip


def short_winch():
    """An arm of 1 m on a rope from 2 m above its pin, which is wound up to below 1 m at 1.236 s."""
    m = lw.Model("crane", gravity=(0, -9.81, 0))
    arm = m.add("arm", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1)))
    rope = lw.polynomial([np.sqrt(5), -1.0])
    m.add("winch", lw.Distance(lw.GROUND, arm, at_a=(0, 2, 0), at_b=(1, 0, 0), length=rope))
    return m


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_an_impossible_motion_is_blamed_on_what_prescribes_it(method):
    with pytest.raises(lw.ConvergenceError) as caught:
        lw.transient(short_winch(), 2, 0.01, method, progress=False)
    text = str(caught.value)
    assert abs(caught.value.time - (np.sqrt(5) - 1)) < 0.02
    assert "cannot follow the prescribed motion of motor 'winch' beyond this position" in text
    assert "'pin'" not in text


def driven_away():
    """A force that grows with the way it has pushed."""
    m = lw.Model("wrong sign")
    body = m.add("cart", lw.Body(1, (1, 1, 1), velocity=(1, 0, 0)))
    m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0)))
    force = 1e6 * lw.reads(body, "position", axis=(1, 0, 0))
    m.add("spring", lw.Force(body, (1, 0, 0), drive=force))
    return m


def test_a_body_that_is_driven_away_is_named_where_a_step_fails():
    with pytest.raises(lw.ConvergenceError, match="body 'cart' has gone off by .* drives it"):
        lw.transient(driven_away(), 1, 0.01, progress=False)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("method", [lw.RK4(), lw.Recursive()], ids=repr)
def test_a_body_that_is_driven_away_is_told_where_no_step_fails(method):
    said = "grew beyond all numbers: the step of 0.01 s is too large|body 'cart' has gone off by"
    with pytest.warns(lw.LinkworkWarning, match=said):
        lw.transient(driven_away(), 1, 0.01, method, progress=False)


@pytest.mark.parametrize("method", [*METHODS, lw.EnergyMomentum()], ids=repr)
def test_a_body_without_inertia_is_named_by_all_methods(method):
    m = lw.Model("massless", gravity=(0, 0, -9.81))
    light = m.add("light", lw.Body(0, (0, 0, 0), position=(1, 0, 0)))
    rod = m.add("rod", lw.Body.link((1, 0, 0), (2, 0, 0), radius=0.01, density=7800))
    m.add("first", lw.Spherical(lw.GROUND, light, at=(0, 0, 0)))
    m.add("second", lw.Spherical(light, rod, at=(1, 0, 0)))
    with pytest.raises(lw.SingularError, match="body 'light' .* has no inertia and no joint that"):
        lw.transient(m, 0.1, 0.01, method, progress=False)


@pytest.mark.filterwarnings("ignore:body 'link 3' turns by")
@pytest.mark.parametrize("reduced", [True, False])
def test_energy_momentum_steps_without_joints_recover(reduced):
    """Links on bushings alone, whose steps fail and are taken in pieces: energy stays."""
    m = lw.Model("links", gravity=(0, 0, -9.81))
    parent = lw.GROUND
    for i in range(4):
        place = (0.1 * i, 0, 0)
        rod = lw.Body.link(place, (0.1 * i + 0.1, 0, 0), radius=0.005, mass=0.1)
        link = m.add(f"link {i}", rod)
        stiffness = (1e5, 1e5, 1e5, 0.1, 0.1, 0.1)
        m.add(f"bushing {i}", lw.Bushing(parent, link, at=place, stiffness=stiffness))
        parent = link
    method = lw.EnergyMomentum(reduced=reduced, max_iterations=5)
    run = lw.transient(m, 1, 0.01, method, progress=False)
    energy = run.energy.total.values
    assert run.info["steps_in_pieces"] > 0 and np.abs(energy - energy[0]).max() < 1e-9
