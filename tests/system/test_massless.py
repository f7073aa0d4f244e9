"""Bodies without mass that forces alone move: equations of first order and of order zero."""

import numpy as np
import pytest
from inside import Axial, LinearElastic, LinearViscoelastic
from scipy.integrate import solve_ivp

import linkwork as lw

ALONG = (1.0, 0.0, 0.0)
# with their order
METHODS = [
    (lw.GeneralizedAlpha(), 2), (lw.GeneralizedAlpha(rho=0.0), 2), (lw.HHT(), 2),
    (lw.Newmark(), 2), (lw.BDF2(), 2), (lw.BDF(), 2), (lw.ImplicitEuler(), 1),
    (lw.CrankNicolson(), 2), (lw.MS2(rho=0.6), 2), (lw.MS3(), 2), (lw.MS4(), 2), (lw.Hope(), 2),
    (lw.SS2(), 2), (lw.SS3(), 2), (lw.SS4(), 2), (lw.Bathe(), 2), (lw.MSSTC3(), 2),
    (lw.MSSTC5(), 2), (lw.MSSTH3(), 3), (lw.MSSTH4(), 4), (lw.DIRK33(), 3), (lw.DIRK43(), 3),
    (lw.DIRK54(), 4), (lw.GeneralizedAlpha(stabilized=True), 2),
]  # fmt: skip


def rail(model, name, x=0.0, mass=0.0):
    """A body that can only move along x."""
    body = model.add(name, lw.Body(mass, (mass, mass, mass), position=(x, 0, 0)))
    model.add(f"rail of {name}", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=ALONG))
    return body


def tie(model, name, a, b, k, c=0.0):
    law = LinearViscoelastic(k, c) if c else LinearElastic(k)
    model.add(name, lw.DeformableDisplacement(lw.Frame(a), lw.Frame(b), law=Axial(ALONG, law)))


def decay(k=2.0, c=1.0, x=1.0, load=None):
    """c ẋ + k x = f"""
    m = lw.Model()
    body = rail(m, "x", x)
    tie(m, "law", lw.GROUND, body, k, c)
    if load is not None:
        m.add("load", lw.Force(body, ALONG, drive=load))
    return m


def values(run, name="x"):
    return run[name].position.values[:, 0]


@pytest.mark.parametrize(
    ("method", "order"), METHODS, ids=[type(method).__name__ for method, _ in METHODS]
)
def test_a_decay_has_the_order_of_the_method(method, order):
    errors = []
    for h in (0.04, 0.02):
        run = lw.transient(decay(), t=1, h=h, method=method, progress=False)
        exact = np.exp(-2 * run.time)
        errors.append(np.abs(values(run) - exact).max())
        rate = run["x"].velocity.values[:, 0]
        assert rate[0] == pytest.approx(-2, abs=1e-12)  # by the equation, not by the user
        assert np.abs(rate + 2 * values(run)).max() < 1e-9  # c ẋ + k x = 0 at every step
    assert np.log2(errors[0] / errors[1]) > order - 0.2


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.MS2(rho=0.6), lw.DIRK43()])
def test_a_load_that_changes_with_time(method):
    # ẋ + 2 x = sin 3t, x(0) = 0
    m = decay(x=0.0, load=lw.sine(1.0, 3.0 / (2 * np.pi)))
    run = lw.transient(m, t=2, h=2e-3, method=method, progress=False)
    t = run.time
    exact = (2 * np.sin(3 * t) - 3 * np.cos(3 * t) + 3 * np.exp(-2 * t)) / 13
    assert np.abs(values(run) - exact).max() < 2e-6
    first = np.asarray(run["x"].acceleration)[0, 0]
    assert first == pytest.approx(3.0, rel=1e-8)  # of f' = 3, with ẋ = 0


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.MS2(rho=0.6), lw.BDF2(), lw.DIRK43()])
def test_what_dies_within_a_step_does_not_overshoot(method):
    run = lw.transient(decay(k=1e4), t=0.6, h=0.01, method=method, progress=False)
    assert np.abs(values(run)).max() <= 1.0
    assert abs(values(run)[-1]) < 1e-4


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.MS2(rho=0.6), lw.DIRK43()])
def test_a_motion_of_order_zero_follows_its_load(method):
    m = lw.Model()
    body = rail(m, "x", 5.0)  # where it was described does not matter
    tie(m, "law", lw.GROUND, body, 2.0)
    m.add("load", lw.Force(body, ALONG, drive=lw.sine(1.0, 1.0, 0.3)))
    run = lw.transient(m, t=1, h=0.01, method=method, progress=False)
    exact = lw.sine(1.0, 1.0, 0.3).jet(run.time) / 2
    assert np.abs(values(run) - exact[:, 0]).max() < 1e-15
    assert np.abs(run["x"].velocity.values[:, 0] - exact[:, 1]).max() < 1e-3 * np.pi
    assert run["x"].velocity.values[0, 0] == pytest.approx(exact[0, 1], rel=1e-7)


def maxwell(x=0.1, k=4.0, c=3.0, mass=2.0):
    """A mass on a spring and a damper in series."""
    m = lw.Model()
    heavy, light = rail(m, "heavy", x, mass), rail(m, "light")
    tie(m, "spring", light, heavy, k)
    tie(m, "damper", lw.GROUND, light, 0.0, c)
    return m


def test_spring_and_damper_in_series():
    k, c, mass = 4.0, 3.0, 2.0

    def rates(t, s):
        return [s[1], -k * (s[0] - s[2]) / mass, k * (s[0] - s[2]) / c]

    exact = solve_ivp(rates, (0, 2), [0.1, 0, 0], rtol=1e-11, atol=1e-13).y[:, -1]
    run = lw.transient(maxwell(), t=2, h=1e-3, progress=False)
    assert values(run, "heavy")[-1] == pytest.approx(exact[0], abs=1e-8)
    assert values(run, "light")[-1] == pytest.approx(exact[2], abs=1e-8)


def test_eigenvalues_and_state_space_in_series():
    k, c, mass = 4.0, 3.0, 2.0
    modes = lw.eigen(maxwell(x=0.0))
    pair = np.roots([mass, mass * k / c, k])  # and λ = 0: the damper stays where it is
    assert modes.eigenvalues == pytest.approx([0.0, pair[0]], abs=1e-12)
    m = maxwell(x=0.0)
    m.add("push", lw.Force(m["heavy"], ALONG, drive=lw.constant(0)))
    ss = lw.linearize(m, inputs=["push"], outputs=["heavy.position.x", "light.velocity.x"])
    assert ss.A.shape == (3, 3)
    s = 0.7j
    found = ss.C @ np.linalg.solve(s * np.eye(3) - ss.A, ss.B) + ss.D
    light = k / (k + c * s)
    heavy = 1 / (mass * s**2 + k * (1 - light))
    assert found[:, 0] == pytest.approx([heavy, s * light * heavy], rel=1e-12)


def test_two_of_first_order_that_a_joint_ties():
    m = lw.Model()
    a, b = rail(m, "a", 0.3), rail(m, "b", 0.0)
    tie(m, "on a", lw.GROUND, a, 2.0, 1.0)
    tie(m, "on b", lw.GROUND, b, 1.0, 0.5)
    m.add("apart", lw.Lock(
        lw.Frame(b), lw.Frame(a), rows="x", drive={"x": lw.constant(0.3)}
    ))
    run = lw.transient(m, t=1, h=2e-3, progress=False)
    # 1.5 ẋ_b + 3 x_b + 2 · 0.3 = 0
    exact = -0.2 + 0.2 * np.exp(-2 * run.time)
    assert np.abs(values(run, "b") - exact).max() < 1e-6
    assert np.abs(values(run, "a") - exact - 0.3).max() < 1e-6
    # the joint carries what a lacks: ẋ_a + 2 x_a = force on a
    force = -np.asarray(run["apart"].force)[:, 0]
    balance = run["a"].velocity.values[:, 0] + 2 * values(run, "a")
    assert np.abs(np.abs(force) - np.abs(balance)).max() < 1e-8


def test_statics_holds_it():
    m = decay(load=lw.constant(3.0))
    assert lw.static(m)["x"].position[0] == pytest.approx(1.5, abs=1e-12)


def quantity(m):
    m.add("q", lw.Quantity(1.0, damping=2.0, load=0.5))


def shared_rates(m):
    """Two values of first order of which one follows the other without a rate of its own."""
    m.add("s", lw.StateSpace([[-1.0, 0], [2, -1]], [[1.0], [3]], [2.0], np.diag([1.0, 0])))


def reading(m):
    """A force of nothing that reads a reaction."""
    load = 0.0 * lw.reads(m["rail of heavy"], "force", axis="x")
    m.add("read", lw.Force(m["heavy"], (0, 1, 0), drive=load))


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.MS2(rho=0.6), lw.DIRK43()])
@pytest.mark.parametrize("other", [quantity, shared_rates, reading])
def test_bodies_without_mass_beside_vector_nodes(other, method):
    """A spring and a damper, and two springs in series, move as without the other equations."""
    for c, k in ((3.0, 0.0), (0.0, 8.0)):
        runs = []
        for also in (False, True):
            m = lw.Model()
            heavy, light = rail(m, "heavy", 0.1, 2.0), rail(m, "light")
            tie(m, "spring", light, heavy, 4.0)
            tie(m, "to the ground", lw.GROUND, light, k, c)
            if also:
                other(m)
            runs.append(lw.transient(m, t=0.5, h=1e-3, method=method, progress=False))
        for name in ("heavy", "light"):
            np.testing.assert_allclose(values(runs[1], name), values(runs[0], name), atol=1e-9)
    # 4 and 8 N/m in series on 2 kg; the light body moves by a third
    w = np.sqrt(4 * 8 / 12 / 2.0)
    np.testing.assert_allclose(values(runs[1], "heavy"), 0.1 * np.cos(w * runs[1].time), atol=1e-6)
    third = values(runs[1], "heavy") / 3
    np.testing.assert_allclose(values(runs[1], "light")[1:], third[1:], atol=1e-10)
    assert runs[1]["light"].velocity.values[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_a_static_node_that_springs_hold_beside_a_flexible_link():
    """Springs of 100 N/m hold it against 5 N from the start."""
    m = lw.Model()
    node = m.add("node", lw.Body(0, (0, 0, 0)))
    m.add("spring", lw.Bushing(lw.GROUND, node, at=(0, 0, 0), stiffness=(100,) * 3 + (10,) * 3))
    m.add("push", lw.Force(node, ALONG, drive=5.0))
    section = lw.Section.circle(0.02, E=2e11, density=7800)
    link = m.add("link", lw.FlexibleLink((4, 0, 0), (5, 0, 0), section))
    m.add("pin", lw.Revolute(lw.GROUND, link.root, axis=(0, 1, 0)))
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    np.testing.assert_allclose(values(run, "node"), 0.05, rtol=1e-10)


def test_without_forces_it_is_still_refused():
    m = lw.Model()
    rail(m, "x")
    with pytest.raises(lw.SingularError, match="body 'x'"):
        lw.transient(m, t=1, h=0.01, progress=False)
    with pytest.raises(lw.SingularError, match="body 'x'"):
        lw.transient(decay(), t=1, h=0.01, method=lw.RK4(), progress=False)
    with pytest.raises(lw.SingularError, match="body 'x' .* has no inertia"):
        lw.transient(decay(), t=1, h=0.01, method=lw.Recursive(), progress=False)
