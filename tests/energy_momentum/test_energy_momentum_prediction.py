"""Where energy-momentum steps begin, and that one correction ends them only where it is enough."""

import math

import numpy as np
import pytest
from inside import assemble_model

import linkwork as lw
from linkwork.nullspace import stepping as ns
from linkwork.nullspace.constraints.tree import ANGLE, U, place_tree
from linkwork.nullspace.prediction import COUNT, SIGN

EM = lw.EnergyMomentum


def pendulums(n, kind=lw.Revolute):
    m, parent = lw.Model("pendulums", gravity=(0, 0, -9.81)), lw.GROUND
    for i in range(n):
        body = lw.Body(1, (0.01, 0.1, 0.1), position=(i + 0.5, 0, 0))
        m.add(f"rod{i}", body)
        m.add(f"pin{i}", kind(parent, body, at=(i, 0, 0), axis=(0, 1, 0.5 * i)))
        parent = body
    return m


def increments(degree, alternating):
    """Ten increments of a polynomial, with a part that changes sign in every step."""
    rng, k = np.random.default_rng(degree), np.arange(10.0)
    smooth = np.polynomial.Polynomial(rng.uniform(-1, 1, degree + 1))
    return 0.01 * smooth(k / 10) + alternating * (-1.0) ** k


@pytest.mark.parametrize(
    ("degree", "alternating"), [(0, 0), (1, 0), (3, 0), (4, 0), (0, 1e-3), (2, 1e-3), (3, 1e-3)]
)
@pytest.mark.parametrize(("kind", "place"), [(lw.Revolute, ANGLE), (lw.Prismatic, U + 2)])
def test_polynomials_and_what_alternates_are_continued_exactly(degree, alternating, kind, place):
    """Turns count as 2 tan(α/2), displacements as they are."""
    assembled = assemble_model(pendulums(1, kind))
    run = EM().run(assembled.full, assembled.data, assembled.state, 1e-3)
    p = run.parts
    m, steps = p.motion, increments(degree, alternating)
    turn = [2 * math.atan(x / 2) if place == ANGLE else x for x in steps]
    for by in turn[:-1]:
        at = m.coordinate.copy()
        at[0, place] += by
        place_tree(p.tree, at, m.end)
        ns.accept_poses(p.tree, p.forces, *p.data.numbers, m)
    ns.begin_step(p.tree, m)
    assert m.trial[0, place] - m.coordinate[0, place] == pytest.approx(turn[-1], abs=3e-14)


def test_one_correction_is_as_good_as_all():
    """Against corrections until round-off stops them (which a tolerance of 1e-30 asks for): the
    same motion to what round-off makes of 2,000 steps, and energy that wanders by round-off too.
    Corrections beyond the first can take back a part of the rounding of poses, hence the factor; a
    residual that is not round-off would be orders of magnitude away."""
    runs = {
        tolerance: lw.transient(
            pendulums(5), t=0.4, h=2e-4, method=EM(tolerance=tolerance), progress=False
        )
        for tolerance in (1e-17, 1e-30)
    }
    one, all_ = runs[1e-17], runs[1e-30]
    iterations = one.diagnostics["iterations"].values[1:]
    assert np.mean(iterations == 1) > 0.9
    assert all_.diagnostics["iterations"].values[1:].mean() > 2
    assert np.abs(one.motion[..., :7] - all_.motion[..., :7]).max() < 1e-11
    wander = {k: np.std(np.diff(run.energy.total.values)) for k, run in runs.items()}
    assert wander[1e-17] < 2 * wander[1e-30]
    kinetic = float(np.ptp(one.energy.kinetic.values))
    assert np.ptp(one.energy.total.values) < 1e-10 * kinetic


def test_rough_motion_is_corrected_more_than_once():
    """A step as long as the motion is fast: predictions are poor, and nothing is lost by them."""
    run = lw.transient(pendulums(5), t=10, h=0.02, method=EM(), progress=False)
    assert np.all(run.diagnostics["iterations"].values[1:] > 1)
    assert np.ptp(run.energy.total.values) < 1e-11 * float(np.ptp(run.energy.kinetic.values))


@pytest.mark.parametrize("h", [1e-3, 1e-5])
def test_a_torsion_spring_hardly_turned(h):
    """(k/J)^½ against the motion of a wheel on a spring whose turn in a step passes through zero
    and, with the small step, begins below 1e-8."""
    stiffness, inertia, angle = 20.0, 0.5, 0.3
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (inertia, inertia, inertia)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(1, 2, 3), angle=angle))
    m.add("coil", lw.TorsionSpring(pin, stiffness=stiffness))
    run = lw.transient(m, t=400 * h, h=h, method=EM(), progress=False)
    rate = math.sqrt(stiffness / inertia)
    exact = angle * np.cos(rate * run.time)
    assert np.abs(run["pin"].angle.values - exact).max() < 0.1 * (rate * h) ** 2 + 1e-13
    speed = -angle * rate * np.sin(rate * run.time)
    assert np.abs(run["pin"].rate.values - speed).max() < 1e-4 * np.abs(speed).max()


def test_angles_keep_their_digits_over_ten_thousand_turns():
    """2 tan(α/2) = ω h in every step.  A counted angle would have a spacing of 1.5e-11 rad after
    65,536 rad, too coarse for Newton's method to end."""
    m, rate, h = lw.Model("rod", gravity=(0, 0, 0)), 1000.0, 1e-3
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 0, 1), rate=rate))
    with pytest.warns(lw.LinkworkWarning, match="body 'rod' turns by 1 rad in a step"):
        run = lw.transient(m, t=75, h=h, method=EM(), progress=False)
    turn, iterations = 2 * math.atan(rate * h / 2), run.diagnostics.iterations[1:]
    angle = run["pin"].angle.values
    np.testing.assert_allclose(np.diff(angle), turn, atol=1e-9)
    assert angle[-1] == pytest.approx(75_000 * turn, rel=1e-10) and angle[-1] > 65_536
    assert int(iterations.max()) < 10


def test_a_prediction_half_a_turn_away_is_left_to_smaller_steps():
    """Mean directors of two poses half a turn apart lie on a line: nothing can be solved there."""
    assembled = assemble_model(pendulums(1))
    run = EM().run(assembled.full, assembled.data, assembled.state, 1e-3)
    m = run.parts.motion
    m.learned[COUNT] = m.learned[SIGN] = 1.0
    m.past[0, 0, ANGLE] = 1e300  # twice the tangent of half the turn
    before = m.base.copy()
    assert not run._solve_otherwise(1e-3)
    np.testing.assert_array_equal(m.base, before)
