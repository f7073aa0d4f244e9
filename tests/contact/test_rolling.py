"""Rolling without slip: discs, balls, a wheel with an eccentric mass, and linearised rolling."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import linkwork as lw

G, R, MASS = 9.81, 0.3, 2.0
CRITICAL = np.sqrt(G * R / 3)  # of a thin disc
Y = (0, 1, 0)


def disc(speed, lean_rate=0.0):
    """A thin disc that rolls upright along x."""
    m = lw.Model("disc", gravity=(0, 0, -G))
    body = m.add("disc", lw.Body(
        MASS, MASS * R**2 * np.array([0.25, 0.5, 0.25]), position=(0, 0, R),
        velocity=(speed, -R * lean_rate, 0),
        angular_velocity=(lean_rate, speed / R, 0)))  # fmt: skip
    m.add("roll", lw.Rolling(body, lw.GROUND, radius=R, axis=Y))
    return m


@pytest.mark.parametrize("ratio", [0.0, 0.4, 0.999, 1.001, 3.0])
def test_an_upright_disc_is_stable_above_its_critical_speed(ratio):
    """λ² = 4g/(5r) (1 − v²/v_c²), v_c² = g r/3 (Neimark and Fufaev 1972)."""
    modes = lw.eigen(disc(ratio * CRITICAL))
    lean = modes.eigenvalues[np.abs(modes.eigenvalues) > 1e-9]
    expected = np.emath.sqrt(4 * G / (5 * R) * (1 - ratio**2))
    np.testing.assert_allclose(np.abs(lean - expected).min(), 0, atol=1e-10)
    assert modes.stable is (ratio > 1)
    assert len(lean) == (1 if ratio > 1 else 2)


def by_hand(speed, lean_rate, time):
    """A rolling disc with the contact force eliminated: arm s to the contact, v = −ω × s,

    (J + m (s² I − s sᵀ)) ω̇ = −ω × Jω − m s × (ω × ṡ) − m s × g
    """
    J = MASS * R**2 * np.diag([0.25, 0.5, 0.25])
    down, up = np.array([0, 0, -G]), np.array([0.0, 0.0, 1.0])

    def arm(n, rate):
        u = up - n[2] * n
        size = np.linalg.norm(u)
        u1 = -rate[2] * n - n[2] * rate
        e = u / size
        return -R * e, -R * (u1 - e * (e @ u1)) / size

    def rates(_, y):
        A, w = y[3:12].reshape(3, 3), y[12:]
        n = A[:, 1]
        s, s1 = arm(n, np.cross(w, n))
        I = A @ J @ A.T
        whole = I + MASS * (s @ s * np.eye(3) - np.outer(s, s))
        right = -np.cross(w, I @ w) - MASS * np.cross(s, np.cross(w, s1) + down)
        turning = np.cross(w, A, axisa=0, axisb=0, axisc=0)
        return np.concatenate([-np.cross(w, s), turning.ravel(), np.linalg.solve(whole, right)])

    start = np.concatenate([[0, 0, R], np.eye(3).ravel(), [lean_rate, speed / R, 0]])
    return solve_ivp(rates, (0, time), start, rtol=1e-11, atol=1e-12).y[:3, -1]


@pytest.mark.parametrize(
    "method, tolerance", [(lw.RK4(), 1e-9), (lw.GeneralizedAlpha(), 2e-5), (lw.MS2(), 2e-5)],
    ids=lambda x: type(x).__name__,
)
def test_a_disc_that_leans_and_turns(method, tolerance):
    run = lw.transient(disc(1.5, 1.2), t=1, h=1e-3, method=method, progress=False)
    place = run["disc"].position[-1].values
    np.testing.assert_allclose(place, by_hand(1.5, 1.2, 1.0), rtol=0, atol=tolerance)
    assert run.violation.position.max() < 1e-12
    assert abs(place[1]) > 0.05  # it has turned aside


def test_the_order_of_the_default_method_is_two_and_energy_is_kept():
    exact = by_hand(1.5, 1.2, 0.5)
    errors = []
    for h in (1e-3, 5e-4):
        run = lw.transient(disc(1.5, 1.2), t=0.5, h=h, progress=False)
        errors.append(np.abs(run["disc"].position[-1].values - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.25)
    assert np.ptp(run.energy.total.values) < 1e-5 * float(run.energy.kinetic[0])


def test_a_ball_on_a_turntable_goes_round_with_two_sevenths_of_its_rate():
    """A solid ball on a plane that turns with Ω moves in a circle at 2Ω/7 (Milne 1948)."""
    m = lw.Model("turntable", gravity=(0, 0, -G))
    plate = m.add("plate", lw.Body.cylinder(1, 0.1, density=1000, position=(0, 0, -0.05)))
    m.add("motor", lw.Motor(lw.GROUND, plate, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(7.0)))
    ball = m.add("ball", lw.Body(
        1, 0.4 * 0.05**2 * np.ones(3), position=(0.4, 0, 0.05), velocity=(0, 0.9, 0),
        angular_velocity=((7 * 0.4 - 0.9) / 0.05, 0, 0)))  # fmt: skip
    m.add("roll", lw.Rolling(ball, plate, radius=0.05))
    run = lw.transient(m, t=np.pi, h=1e-3, method=lw.RK4(), progress=False)
    # v = (2/7) Ω × (r − centre): the centre is 0.9/2 beside the start
    x, y = run["ball"].position.values[:, :2].T
    angle = 2.0 * np.asarray(run.time)
    np.testing.assert_allclose(x, -0.05 + 0.45 * np.cos(angle), atol=1e-8)
    np.testing.assert_allclose(y, 0.45 * np.sin(angle), atol=1e-8)
    np.testing.assert_allclose(run["roll"].force[:, 2], G, rtol=1e-9)
    np.testing.assert_allclose(run["roll"].contact_point[:, 2], 0, atol=1e-12)


def eccentric(angle):
    """A wheel whose centre of mass is 0.1 m from its centre; where it starts."""
    m = lw.Model("eccentric wheel", gravity=(0, 0, -G))
    off = 0.1 * np.array([np.sin(angle), 0, -np.cos(angle)])
    body = m.add("wheel", lw.Body(MASS, (0.05, 0.08, 0.05), position=off + [0, 0, R]))
    m.add("roll", lw.Rolling(lw.Frame(body, -off), lw.GROUND, radius=R, axis=Y))
    m.add("track", lw.Lock(lw.GROUND, body, at=(0, 0, 0), rows="rx rz"))
    return m


def test_a_wheel_with_an_eccentric_mass_comes_to_rest_and_rocks():
    """Rolled without slipping until the mass is lowest; ω² = m g e/(J + m (r − e)²)."""
    rest = lw.static(eccentric(0.7))
    assert rest.stable
    np.testing.assert_allclose(
        rest.state.positions[0], [0.7 * R, 0, R - 0.1], atol=1e-9
    )  # it has rolled on by its angle times r
    modes = lw.eigen(eccentric(0.7), at=rest)
    expected = np.sqrt(MASS * G * 0.1 / (0.08 + MASS * (R - 0.1) ** 2))
    np.testing.assert_allclose(modes.eigenvalues[-1], 1j * expected, rtol=1e-9)


def test_a_cart_on_wheels_rolls_to_its_place_of_rest_over_many_turns():
    """F = k x at rest, and each wheel has turned by x/r: 10.6 rad."""
    m = lw.Model("cart", gravity=(0, 0, -G))
    cart = m.add("cart", lw.Body(5, (1, 1, 1), position=(0, 0, R)))
    for name, x in (("front", 0.5), ("rear", -0.5)):
        wheel = m.add(name, lw.Body(1, (0.02, 0.04, 0.02), position=(x, 0, R)))
        m.add(f"hub {name}", lw.Revolute(cart, wheel, at=(x, 0, R), axis=Y))
        roll = lw.Rolling(wheel, lw.GROUND, radius=R, axis=Y)
        m.add(f"roll {name}", roll)
        if name == "front":
            m.add("upright", lw.Lock(lw.GROUND, cart, at=(0, 0, R), rows="rx"))
    anchor = lw.Frame(lw.GROUND, (-1, 0, R))
    m.add("spring", lw.Spring(anchor, cart, stiffness=100, length=1.0))
    m.add("pull", lw.Force(cart, (320, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)  # both wheels hold the yaw
        rest = lw.static(m)
    np.testing.assert_allclose(rest.state.positions[0], [3.2, 0, R], atol=1e-8)
    turn = rest.state.orientations[1]  # wheels turn by 3.2/0.3 rad, about y
    assert abs(turn @ [np.cos(1.6 / R), 0, np.sin(1.6 / R), 0]) == pytest.approx(1, abs=1e-9)


def test_linearised_rolling_follows_the_run():
    """A small torque tilts a disc that rolls fast: the run, and the state space model."""
    m, small = disc(3 * CRITICAL), 1e-5
    push = lw.Torque(m["disc"], (1, 0, 0), drive=lw.constant(0))
    m.add("push", push)
    ss = lw.linearize(m, inputs=["push"], outputs=["disc.position.y", "disc.velocity.y"])
    rates, modes = np.linalg.eigvals(ss.A), lw.eigen(m).eigenvalues
    for value in modes[np.abs(modes) > 1e-6]:
        assert np.abs(rates - value).min() < 1e-6 * abs(value)
    assert len(ss.states) == 5 + 3  # positions that the plane leaves free, then rates
    push.drive = lw.constant(small)
    run = lw.transient(m, t=0.6, h=1e-3, method=lw.RK4(), progress=False)
    n = len(ss.A)
    whole = np.block([[ss.A, ss.B], [np.zeros((1, n + 1))]])
    for k in (200, 600):
        x = expm(whole * float(run.time[k]))[:n, n] * small
        moved = [run["disc"].position[k, 1], run["disc"].velocity[k, 1]]
        np.testing.assert_allclose(moved, ss.C @ x, rtol=1e-5)


def test_statics_refuses_driven_speeds():
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 1)))
    m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("drive", lw.VelocityLock(lw.GROUND, wheel, rows="rz", drive={"rz": 2.0}))
    with pytest.raises(lw.ModelError, match="drives a speed of 2 in its row rz"):
        lw.static(m)


def test_slipping_states_are_not_linearised():
    m = disc(1.0)
    state = lw.assemble(m)
    slipping = state.with_velocities(state.velocities * [[1, 1, 1, 0, 0, 0]])
    with pytest.raises(lw.ModelError, match="do not satisfy joint 'roll', row slip x"):
        lw.eigen(m, at=slipping)


@pytest.mark.parametrize("change, words", [
    (dict(radius=-1), "radius of a Rolling"),
    (dict(radius=0), "radius of a Rolling"),
    (dict(axis=(0, 0, 2)), "lie on its side"),
    (dict(normal=(0, 0, 0)), "normal of a Rolling"),
    (dict(ground="floor"), "ground of a Rolling"),
    (dict(at=(0, 0, -0.6)), "is not on its plane: its lowest point lies 0.3 m above it"),
    (dict(at=(0, 0, 0)), "lies 0.3 m below it"),
])  # fmt: skip
def test_bad_input(change, words):
    body = lw.Body(1, (1, 1, 1))
    with pytest.raises(lw.ModelError, match=words):
        lw.Rolling(body, **{"ground": lw.GROUND, "radius": 0.3, "axis": Y, **change})
    with pytest.raises(lw.ModelError, match="with itself"):
        lw.Rolling(body, body, radius=0.3)


@pytest.mark.parametrize("method", [lw.Recursive(), lw.EnergyMomentum()], ids=["tree", "energy"])
def test_who_refuses(method):
    with pytest.raises(lw.ModelError, match="Rolling 'roll'"):
        lw.transient(disc(1.0), t=0.1, h=1e-2, method=method, progress=False)
