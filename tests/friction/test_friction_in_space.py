"""Friction in balls, planes, bushes and universal joints, against closed forms and ODEs."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

G = 9.81
MODELS = [
    lambda mu, **words: lw.Coulomb(mu, stiffness=1e5, damping=20.0, **words),
    lambda mu, **words: lw.LuGre(mu, stiffness=1e5, damping=20.0, kappa=0.9, **words),
]
both_models = pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre"])


# ------------------------------------------------------------------------------------------ planes


def block(model, slope=0.0, velocity=(0, 0, 0), spin=0.0, heading=0.4, joint=lw.Planar, t=0.5,
          h=1e-3, inertia=(0.3, 0.3, 0.2), **words):
    """A block of 2 kg on a plane that falls towards `heading`, seen in axes of its own."""
    n = np.array([np.sin(slope) * np.cos(heading), np.sin(slope) * np.sin(heading), np.cos(slope)])
    down = np.array([np.cos(slope) * np.cos(heading), np.cos(slope) * np.sin(heading),
                     -np.sin(slope)])
    m = lw.Model(gravity=(0, 0, -G))
    b = m.add("block", lw.Body(2, inertia, velocity=velocity, angular_velocity=(0, 0, spin)))
    plane = m.add("plane", joint(lw.GROUND, b, at=(0, 0, 0), axis=n))
    m.add("friction", lw.Friction(plane, model, **words))
    return m, lw.transient(m, t=t, h=h, progress=False), down, n


@both_models
@pytest.mark.parametrize("joint", [lw.Planar, lw.PointOnPlane, lw.Oldham])
def test_block_on_a_slope_holds_below_the_friction_angle(model, joint):
    """It gives way by tan(angle)/stiffness down the slope, and stays there."""
    mu = 0.4
    slope = 0.45 * np.arctan(mu)
    _, run, down, n = block(model(mu), slope, joint=joint)
    x = run["block"].position.values
    np.testing.assert_allclose(x[-1], np.tan(slope) / 1e5 * down, atol=1e-10)
    assert np.ptp(x[250:], axis=0).max() < 1e-9
    assert np.abs(x @ n).max() < 1e-10
    weight = 2 * G * np.sin(slope)
    assert np.linalg.norm(run["friction"].force.values[-1]) == pytest.approx(weight, rel=1e-5)


@both_models
@pytest.mark.parametrize("joint", [lw.Planar, lw.PointOnPlane, lw.Oldham])
def test_block_slides_down_a_slope_across_the_axes(model, joint):
    """a = g (sin − μ cos) down the slope, from the first steps on."""
    mu, slope = 0.3, 0.5
    _, run, down, _ = block(model(mu), slope, joint=joint)
    a = G * (np.sin(slope) - mu * np.cos(slope))
    found = run["block"].acceleration.values
    np.testing.assert_allclose(found[60:], np.tile(a * down, (len(found) - 60, 1)), atol=1e-5)
    np.testing.assert_allclose(run["friction"].load[60:], 2 * G * np.cos(slope), rtol=1e-9)
    np.testing.assert_allclose(run["friction"].coefficient[60:], mu, rtol=1e-9)
    assert np.abs(run.energy.balance).max() < 2e-3 * float(run.energy.dissipated[-1])


@both_models
@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5, -1.9])
def test_block_launched_obliquely_goes_straight_and_stops(model, heading):
    """v²/(2 μ g) straight on, in v/(μ g); then it stays."""
    mu, v = 0.3, 1.5
    u = np.array([np.cos(heading), np.sin(heading), 0])
    _, run, _, _ = block(model(mu), velocity=v * u, t=0.8)
    x = run["block"].position.values
    np.testing.assert_allclose(x[-1], v * v / (2 * mu * G) * u, rtol=2e-3, atol=1e-12)
    assert np.abs(np.cross(x, u)).max() < 1e-12
    assert np.ptp(x[600:], axis=0).max() < 1e-7
    speed = np.linalg.norm(run["block"].velocity.values, axis=1)
    assert run.time[np.argmax(speed < 1e-3)] == pytest.approx(v / (mu * G), abs=3e-3)
    taken = float(run.energy.dissipated[-1])
    assert taken == pytest.approx(2 * v * v / 2, rel=1e-5)


@both_models
def test_disc_that_spins_on_the_spot(model):
    """I ω̇ = −μ m g r."""
    mu, w, r = 0.3, 8.0, 0.15
    _, run, _, _ = block(model(mu), spin=w, t=1.5, radius=r)
    expected = np.maximum(w - mu * 2 * G * r / 0.2 * run.time, 0)
    np.testing.assert_allclose(run["block"].angular_velocity[:, 2], expected, atol=1e-2)
    assert np.abs(run["block"].position).max() < 1e-12
    assert run["friction"].torque.values[100, 2] == pytest.approx(-mu * 2 * G * r, rel=1e-6)


def limit_surface(mu, r, mass, J, v, w, times):
    """m v̇ = −μ m g v/s, J ω̇ = −μ m g r² ω/s, s² = |v|² + (r ω)²: the ellipsoid's flow."""

    def rates(t, y):
        s = np.sqrt(y[0] ** 2 + y[1] ** 2 + (r * y[2]) ** 2)
        return [-mu * G * y[0] / s, -mu * G * y[1] / s, -mu * mass * G * r * r * y[2] / (J * s)]

    return solve_ivp(rates, (0, times[-1]), [*v, w], t_eval=times, rtol=1e-11, atol=1e-12).y.T


@pytest.mark.parametrize("h", [2e-3, 1e-3])
@both_models
def test_spin_and_slide_share_one_limit(model, h):
    """Against the flow of the limit surface; the error goes with the step."""
    mu, r, v, w = 0.25, 0.2, (1.0, -0.6), 9.0
    _, run, _, _ = block(model(mu), velocity=(*v, 0), spin=w, radius=r, h=h, t=0.5)
    y = limit_surface(mu, r, 2.0, 0.2, v, w, run.time)
    np.testing.assert_allclose(run["block"].velocity[:, :2], y[:, :2], atol=1.5 * h)
    np.testing.assert_allclose(run["block"].angular_velocity[:, 2], y[:, 2], atol=15 * h)
    # a spinning block slides further than one that does not spin
    assert np.linalg.norm(y[-1, :2]) > np.hypot(*v) - mu * G * 0.5


@pytest.mark.parametrize(("v", "w"), [(0.5, 8.0), (1.5, 1.0)])
def test_spin_and_slide_end_together(v, w):
    """dω/ω = λ dv/v, λ = m r²/J: r ω = C v^λ to the end, which both have at the same time."""
    mu, r, mass, J = 0.25, 0.2, 2.0, 0.2
    _, run, _, _ = block(MODELS[0](mu), velocity=(v, 0, 0), spin=w, radius=r, t=2.5)
    speed, rate = run["block"].velocity.values[:, 0], run["block"].angular_velocity.values[:, 2]
    part = mass * r * r / J
    sliding = (speed > 0.02) & (rate > 0.02)
    law = rate[sliding] / w / (speed[sliding] / v) ** part
    np.testing.assert_allclose(law, 1.0, atol=2e-2)
    # the end: ∫ s dv/(μ g v), s = |(v, r ω)|
    x = np.linspace(0, 1, 200001)[1:] ** 8
    s = np.hypot(v * x, r * w * x**part)
    end = np.trapezoid(s / (mu * G * x), x)
    late = run.time > end + 0.05
    assert late.any() and np.abs(speed[late]).max() < 1e-2 and np.abs(r * rate[late]).max() < 1e-2
    before = run.time < end - 0.05
    assert rate[before].min() > 0.05
    assert np.ptp(run["block"].position.values[late], axis=0).max() < 1e-5


def test_results_do_not_know_the_axes():
    """The same motion on a plane that is turned in space."""
    rng = np.random.default_rng(7)
    runs = []
    for k in range(3):
        q = np.array([1.0, 0, 0, 0]) if k == 0 else rng.normal(size=4)
        R = lw.Body(1, (1, 1, 1), orientation=q / np.linalg.norm(q))
        Q = rotation(R.orientation)
        m = lw.Model(gravity=Q @ (0, 2.0, -G))
        b = m.add("b", lw.Body(2, (0.3, 0.2, 0.4), orientation=R.orientation,
                               velocity=Q @ (0.8, 0.3, 0), angular_velocity=(0, 0, 3.0)))
        plane = m.add("plane", lw.Planar(lw.GROUND, b, at=(0, 0, 0), orientation=R.orientation))
        m.add("f", lw.Friction(plane, MODELS[1](0.3), radius=0.1))
        runs.append(lw.transient(m, t=0.6, h=1e-3, progress=False)["b"].position.values @ Q)
    for other in runs[1:]:
        np.testing.assert_allclose(other, runs[0], atol=1e-9)


def rotation(q):
    from linkwork.kernels.rotations import matrix

    return matrix(q)


def test_slide_across_any_axis_of_a_lock():
    """Locks with their free directions along x and y are the same joints, called otherwise."""
    X, Y, Z = np.eye(3)
    columns = {"z rx ry": (X, Y, Z), "x ry rz": (Z, X, Y), "y rx rz": (Y, Z, X)}
    found = []
    for rows, axes in columns.items():
        m = lw.Model(gravity=(0, 0, -G))
        b = m.add("b", lw.Body(2, (0.3, 0.3, 0.3), velocity=(0.8, 0.5, 0),
                               angular_velocity=(0, 0, 4.0)))
        plane = m.add("plane", lw.Lock(lw.GROUND, b, at=(0, 0, 0), rows=rows,
                                       orientation=np.column_stack(axes)))
        m.add("f", lw.Friction(plane, MODELS[0](0.3), radius=0.1))
        run = lw.transient(m, t=0.2, h=1e-3, progress=False)
        world = np.column_stack(axes)
        found.append([run["b"].position.values, run["f"].force.values @ world.T,
                      run["f"].torque.values @ world.T])
    for other in found[1:]:
        for x, y in zip(other, found[0]):
            np.testing.assert_allclose(x, y, atol=1e-9)
    assert found[0][1][50, 0] < -1


# ------------------------------------------------------------------------------------------- balls


def ball(model, w, load, inertia=(0.02, 0.02, 0.02), t=1.0, h=1e-3, r=0.05, **words):
    """A body on a ball joint at its centre of mass, pressed by its weight."""
    m = lw.Model(gravity=load)
    b = m.add("b", lw.Body(1, inertia, angular_velocity=w))
    joint = m.add("ball", lw.Spherical(lw.GROUND, b, at=(0, 0, 0)))
    m.add("f", lw.Friction(joint, model, radius=r, **words))
    return m, lw.transient(m, t=t, h=h, progress=False)


@both_models
@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0.6, -0.4, 0.7)])
def test_ball_stops_along_a_straight_line(model, axis):
    """I ω̇ = −μ N r about the axis of ω, until it stops, and stays."""
    mu, r, J, N, w0 = 0.3, 0.05, 0.02, 5.0, 3.0
    u = np.array(axis) / np.linalg.norm(axis)
    stiff = type(model(mu))(mu, stiffness=1e6, damping=1000.0)
    _, run = ball(stiff, w0 * u, (0, 3.0, -4.0))
    a = mu * N * r / J
    w = run["b"].angular_velocity.values
    expected = np.maximum(w0 - a * run.time, 0)
    np.testing.assert_allclose(w, expected[:, None] * u, atol=5e-3)
    assert np.abs(np.cross(w, u)).max() < 1e-6
    late = run.time > w0 / a + 0.05
    assert np.abs(w[late]).max() < 1e-6
    np.testing.assert_allclose(run["f"].load[1:], N, rtol=1e-9)
    np.testing.assert_allclose(run["f"].torque.values[100], -mu * N * r * u, rtol=1e-5, atol=1e-9)
    assert float(run.energy.dissipated[-1]) == pytest.approx(J * w0**2 / 2, rel=2e-3)


def test_ball_that_touches_at_a_point_spins_freely_about_its_load():
    """spin=0: about the load no torque, across it μ N r."""
    mu, r, J, N = 0.3, 0.05, 0.02, 5.0
    _, run = ball(MODELS[0](mu), (2.0, 0, 3.0), (0, 0, -N), t=0.3, spin=0.0)
    w = np.einsum("tij,tj->ti", rotation(run["b"].orientation.values), run["b"].angular_velocity)
    np.testing.assert_allclose(w[:, 2], 3.0, atol=1e-5)  # the method's error, h² ω³
    np.testing.assert_allclose(w[:, 0], 2.0 - mu * N * r / J * run.time, atol=5e-3)
    _, run = ball(MODELS[0](mu), (0, 0, 3.0), (0, 0, -N), t=0.3, spin=0.25)
    w = run["b"].angular_velocity.values
    np.testing.assert_allclose(w[:, 2], 3.0 - 0.25 * mu * N * r / J * run.time, atol=2e-3)


def pendulum(angle, mu, r=0.1, L=0.4, t=1.5, heading=0.8):
    """A bob on a ball joint, let go at an angle from the vertical."""
    out = np.array([np.cos(heading), np.sin(heading), 0])
    p = L * (np.sin(angle) * out - np.cos(angle) * np.array([0, 0, 1]))
    m = lw.Model(gravity=(0, 0, -G))
    b = m.add("b", lw.Body(1.5, (0.01, 0.01, 0.01), position=p))
    joint = m.add("ball", lw.Spherical(lw.GROUND, b, at=(0, 0, 0)))
    m.add("f", lw.Friction(joint, lw.Coulomb(mu, stiffness=1e5, damping=200.0), radius=r))
    return lw.transient(m, t=t, h=1e-3, progress=False), out


def test_ball_pendulum_holds_within_the_cone_of_friction():
    """m g L sin φ ≤ μ m g r."""
    mu, r, L = 0.5, 0.1, 0.4
    limit = np.arcsin(mu * r / L)
    run, _ = pendulum(0.5 * limit, mu)
    p = run["b"].position.values
    assert np.linalg.norm(p - p[0], axis=1).max() < 1e-4
    assert np.ptp(p[-300:], axis=0).max() < 1e-10
    torque = np.linalg.norm(run["f"].torque.values[-1])
    assert torque == pytest.approx(1.5 * G * np.hypot(*p[-1, :2]), rel=1e-6)
    run, out = pendulum(2.0 * limit, mu)
    p = run["b"].position.values
    assert np.linalg.norm(p[-1] - p[0]) > 0.02  # slips towards the lowest point, in its plane
    assert np.abs(p @ np.cross(out, (0, 0, 1))).max() < 1e-9
    assert np.linalg.norm(run["b"].velocity.values[-1]) < 1e-6
    tilt = np.arccos(-p[-1, 2] / L)
    assert tilt < limit and np.ptp(p[-200:], axis=0).max() < 1e-9


def test_ball_of_a_body_that_precesses():
    """Euler's equations with −μ N r ω/|ω| in the body."""
    mu, r, N = 0.2, 0.05, 5.0
    I = np.array([0.01, 0.02, 0.03])
    w0 = np.array([3.0, 0.5, 6.0])
    _, run = ball(MODELS[0](mu), w0, (0, 0, -N), tuple(I), t=0.6, h=5e-4)

    def rates(t, w):
        return (np.cross(I * w, w) - mu * N * r * w / np.linalg.norm(w)) / I

    y = solve_ivp(rates, (0, 0.6), w0, t_eval=run.time, rtol=1e-10, atol=1e-12).y.T
    np.testing.assert_allclose(run["b"].angular_velocity, y, atol=2e-2)
    assert np.abs(run.energy.balance).max() < 2e-3 * float(run.energy.dissipated[-1])


# ------------------------------------------------------------------------- rods, shafts, universals


@both_models
def test_rod_that_turns_and_slides_in_one_bush(model):
    """Friction is against the velocity of the surface, along a helix."""
    mu, r, mass, J = 0.3, 0.1, 2.0, 0.02  # J = m r²: the direction stays
    m = lw.Model(gravity=(0, 0, -G))
    b = m.add("rod", lw.Body(mass, (0.1, 0.1, J)))
    bush = m.add("bush", lw.Cylindrical(lw.GROUND, b, at=(0, 0, 0), axis=(1, 0, 0), rate=6.0,
                                        speed=0.8))
    m.add("f", lw.Friction(bush, model(mu), radius=r, motion="both"))
    # the axis is x: the inertia about it is the first
    b.inertia = (J, 0.1, 0.1)
    run = lw.transient(m, t=0.6, h=1e-3, progress=False)
    s = np.hypot(0.8, r * 6.0)
    left = np.maximum(1 - mu * G / s * run.time, 0)
    np.testing.assert_allclose(run["bush"].speed, 0.8 * left, atol=3e-3)
    np.testing.assert_allclose(run["bush"].rate, 6.0 * left, atol=3e-2)
    assert run["f"].force.values[50, 2] == pytest.approx(-mu * mass * G * 0.8, rel=1e-5)
    assert run["f"].torque.values[50, 2] == pytest.approx(-mu * mass * G * 0.6 * r, rel=1e-5)


def shaft(with_cross, mu=0.2, r=0.05):
    """A heavy body swinging on a universal joint, or on a light cross between two pins."""
    m = lw.Model(gravity=(0.5, 1.0, -G))
    b = m.add("b", lw.Body(2, (0.03, 0.02, 0.01), position=(0.2, 0.1, -0.4)))
    model = lw.Coulomb(mu, stiffness=1e5, damping=20.0)
    if with_cross:
        cross = m.add("cross", lw.Body(1e-6, (1e-9, 1e-9, 1e-9)))
        pins = [m.add("first", lw.Revolute(lw.GROUND, cross, at=(0, 0, 0), axis=(1, 0, 0))),
                m.add("second", lw.Revolute(cross, b, at=(0, 0, 0), axis=(0, 1, 0)))]
        for k, pin in enumerate(pins):
            m.add(f"f{k}", lw.Friction(pin, model, radius=r))
    else:
        joint = m.add("joint", lw.Universal(lw.GROUND, b, at=(0, 0, 0), axis_a=(1, 0, 0),
                                            axis_b=(0, 1, 0)))
        m.add("f", lw.Friction(joint, model, radius=r))
    return lw.transient(m, t=1.5, h=1e-3, progress=False)


def test_universal_joint_is_two_pins():
    one, two = shaft(False), shaft(True)
    np.testing.assert_allclose(one["b"].position, two["b"].position, atol=2e-5)
    torques = one["f"].torque.values
    assert torques.shape[1] == 2 and list(one["f"].torque.ab.values) == ["a", "b"]
    for k in range(2):
        other = two[f"f{k}"].torque.values
        same = np.abs(torques[:, k] - other) < 1e-3 * np.abs(other).max()
        assert same.mean() > 0.97  # but for the steps in which one of them turns round
    lost = one.energy.total.values[0] - one.energy.total.values[-1]
    assert float(one.energy.dissipated[-1]) == pytest.approx(lost, rel=2e-3)
    assert lost > 0.3


def test_universal_joint_that_transmits_a_torque():
    """Bent by φ, a shaft at constant speed turns its arms: load |M|/arm, and the energy balance."""
    arm, mu, r, torque = 0.05, 0.1, 0.01, 20.0
    m = lw.Model()
    first = m.add("first", lw.Body(1, (0.1, 0.1, 0.1)))
    second = m.add("second", lw.Body(1, (0.1, 0.1, 0.1)))
    m.add("motor", lw.Motor(lw.GROUND, first, at=(0, 0, 0), axis=(1, 0, 0), angle=lw.ramp(10.0)))
    bent = np.array([np.cos(0.3), np.sin(0.3), 0])
    joint = m.add("cross", lw.Universal(first, second, at=(0, 0, 0), axis_a=(0, 0, 1),
                                        axis_b=np.cross((0, 0, 1), bent)))
    m.add("bearing", lw.Parallel(lw.GROUND, second, axis=bent))
    m.add("brake", lw.Torque(second, -torque * bent))
    m.add("f", lw.Friction(joint, lw.Coulomb(mu, damping=20.0), radius=r, arm=arm))
    run = lw.transient(m, t=1.0, h=1e-3, progress=False)
    transmitted = np.linalg.norm(run["cross"].torque.values, axis=1)
    np.testing.assert_allclose(run["f"].load[5:], transmitted[5:] / arm, rtol=1e-6)
    assert run["f"].load.values[5:].min() > 0.8 * torque / arm
    assert np.abs(run.energy.balance).max() < 1e-2 * float(run.energy.dissipated[-1])


def test_a_motor_works_against_the_friction_of_its_pin():
    m = lw.Model(gravity=(0, 0, -G))
    wheel = m.add("wheel", lw.Body(2, (1, 1, 1)))
    pin = m.add("pin", lw.Motor(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 1, 0), angle=lw.ramp(3.0)))
    m.add("f", lw.Friction(pin, lw.Coulomb(0.2), radius=0.1))
    table = m.add("table", lw.Body(3, (1, 1, 1)))
    lift = m.add("lift", lw.Actuator(lw.GROUND, table, at=(1, 0, 0), axis=(1, 0, 0),
                                     displacement=lw.ramp(0.5)))
    m.add("g", lw.Friction(lift, lw.Coulomb(0.4)))
    run = lw.transient(m, t=0.2, h=1e-3, progress=False)
    assert run["pin"].torque.values[-1] == pytest.approx(0.2 * 2 * G * 0.1, rel=1e-6)
    assert run["lift"].force.values[-1] == pytest.approx(0.4 * 3 * G, rel=1e-6)
    assert run["g"].load.values[-1] == pytest.approx(3 * G, rel=1e-6)


def test_a_plunging_joint_rubs_in_both_its_motions():
    """Rzeppa: the slide of its point, and its turns as a ball."""
    m = lw.Model(gravity=(0, 0, -G))
    b = m.add("b", lw.Body(2, (0.05, 0.05, 0.05), velocity=(0.5, 0, 0),
                           angular_velocity=(0, 4.0, 0)))
    joint = m.add("joint", lw.Rzeppa(lw.GROUND, b, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("slides", lw.Friction(joint, lw.Coulomb(0.1)))
    m.add("turns", lw.Friction(joint, lw.Coulomb(0.2), radius=0.05, motion="turn"))
    run = lw.transient(m, t=0.3, h=1e-3, progress=False)
    t = run.time
    np.testing.assert_allclose(run["b"].velocity[:, 0], 0.5 - 0.1 * G * t, atol=2e-3)
    np.testing.assert_allclose(run["b"].angular_velocity[:, 1], 4 - 0.2 * 2 * G * 0.05 / 0.05 * t,
                               atol=5e-3)


# -------------------------------------------------------------------------------- runs and refusals


def test_it_goes_on_from_a_file(tmp_path):
    """Place, turn and bristles are part of the state at the end of a run: the same digits."""
    words = dict(velocity=(0.3, 0.2, 0), spin=2.0, radius=0.1)
    m, whole, _, _ = block(lw.LuGre(0.4, stiffness=1e4, damping=10.0), t=0.2, **words)
    half = lw.transient(m, t=0.1, h=1e-3, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.2, progress=False)
    np.testing.assert_array_equal(rest["block"].position[-1], whole["block"].position[-1])
    loaded = lw.load(tmp_path / "half.nc")
    np.testing.assert_array_equal(loaded["friction"].force, half["friction"].force)
    assert loaded.system.model["friction"].radius == 0.1


@both_models
def test_force_in_results_is_what_slows_the_block(model):
    """m v̇ = F and I ω̇ = M at every step, sliding, stopping and at rest."""
    _, run, _, _ = block(model(0.3), velocity=(0.4, 0.3, 0), spin=3.0, radius=0.1, t=0.5)
    force, torque = run["friction"].force.values, run["friction"].torque.values
    a, alpha = run["block"].acceleration.values, run["block"].angular_acceleration.values
    np.testing.assert_allclose(force[1:], 2 * a[1:], atol=1e-5 * np.abs(force).max())
    np.testing.assert_allclose(torque[1:], 0.2 * alpha[1:], atol=1e-5 * np.abs(torque).max())


def test_other_formulations_say_what_they_cannot():
    m, _, _, _ = block(lw.Coulomb(0.3), t=0.01)
    with pytest.raises(lw.ModelError, match="loaded by the reactions of a joint"):
        lw.transient(m, t=0.1, h=1e-3, method=lw.Recursive(), progress=False)
