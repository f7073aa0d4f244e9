"""Friction in joints and stops: incline, bearing, screw, and bounces in closed form."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwork as lw
from linkwork import compile_model

G = 9.81
MODELS = [
    lambda mu, **words: lw.Coulomb(mu, stiffness=1e5, damping=20.0, **words),
    lambda mu, **words: lw.LuGre(mu, stiffness=1e5, damping=20.0, kappa=0.9, **words),
]


def incline(angle, model, t=0.5, h=1e-3, speed=None, mass=2.0):
    """A block on a rail down a slope."""
    down = np.array([np.cos(angle), 0, -np.sin(angle)])
    m = lw.Model(gravity=(0, 0, -G))
    block = m.add("block", lw.Body(mass, (1, 1, 1)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=down, speed=speed))
    m.add("friction", lw.Friction(rail, model))
    return m, lw.transient(m, t=t, h=h, progress=False)


@pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre"])
def test_block_holds_below_the_friction_angle(model):
    """It gives way by tan(angle)/stiffness, and stays there.

    Near the limit the weight, which comes at once, stretches the bristles over it first (a load
    that is applied suddenly stretches a spring twice as far), and then it stays."""
    mu = 0.4
    for part, most in ((0.45, 2 * mu / 1e5), (0.9, 1e-4)):
        _, run = incline(part * np.arctan(mu), model(mu))
        s = run["rail"].displacement.values
        assert np.abs(s).max() < most
        assert abs(float(run["rail"].speed[-1])) < 1e-9
        assert np.ptp(s[len(s) // 2 :]) < 1e-9
        if part < 0.5:
            assert s[-1] == pytest.approx(np.tan(part * np.arctan(mu)) / 1e5, rel=1e-3)


@pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre"])
def test_block_slides_above_the_friction_angle(model):
    """a = g (sin θ − μ cos θ), from the first steps on."""
    mu, angle = 0.3, 0.5
    _, run = incline(angle, model(mu), speed=1.0)
    a = G * (np.sin(angle) - mu * np.cos(angle))
    t = run.time
    np.testing.assert_allclose(run["rail"].speed, 1 + a * t, atol=1e-9)
    found = run["block"].acceleration.values @ run_axis(angle)
    np.testing.assert_allclose(found, a, rtol=1e-6)
    # what the block lost went into friction: μ m g cos θ times the way
    work = mu * 2.0 * G * np.cos(angle) * float(run["rail"].displacement[-1])
    assert float(run.energy.dissipated[-1]) == pytest.approx(work, rel=1e-8)
    assert np.abs(run.energy.balance).max() < 1e-8 * work


def run_axis(angle):
    return np.array([np.cos(angle), 0, -np.sin(angle)])


@pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre"])
def test_block_stops_and_stays(model):
    """From speed v on a level rail: way v²/(2 μ g), time v/(μ g)."""
    mu, v = 0.3, 1.5
    _, run = incline(0.0, model(mu), t=1.0, speed=v)
    s = run["rail"].displacement.values
    way = v * v / (2 * mu * G)
    assert s[-1] == pytest.approx(way, rel=2e-3)
    assert np.ptp(s[int(0.7 / 1e-3) :]) < 1e-7
    stop = run.time[np.argmax(run["rail"].speed.values < 1e-3)]
    assert stop == pytest.approx(v / (mu * G), abs=3e-3)


def test_static_friction_is_overcome_before_it_slides():
    """Force ramped: it breaks away at μ_s N, and slides with μ N."""
    mu, static, mass = 0.2, 0.5, 2.0
    m = lw.Model(gravity=(0, 0, -G))
    block = m.add("block", lw.Body(mass, (1, 1, 1)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0)))
    model = lw.Coulomb(mu, static, stribeck=0.01, stiffness=1e5, damping=50.0)
    m.add("friction", lw.Friction(rail, model))
    m.add("pull", lw.Force(block, (1, 0, 0), drive=lw.ramp(10.0)))
    run = lw.transient(m, t=1.5, h=5e-4, progress=False)
    v = run["rail"].speed.values
    away = run.time[np.argmax(v > 1e-3)]
    assert 10 * away == pytest.approx(static * mass * G, rel=0.02)
    late = run.time > away + 0.2
    a = (10 * run.time - mu * mass * G) / mass
    found = run["block"].acceleration.values[:, 0]
    np.testing.assert_allclose(found[late], a[late], rtol=1e-4)


def pendulum(mu, radius, L=0.7, mass=1.3, J=0.05, start=1.2):
    m = lw.Model(gravity=(0, 0, -G))
    p = np.array([L * np.sin(start), 0, -L * np.cos(start)])
    rod = m.add("rod", lw.Body(mass, (J, J, J), position=p))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, -1, 0)))
    m.add("bearing", lw.Friction(pin, lw.Coulomb(mu, stiffness=1e6, damping=50.0), radius=radius))
    return m


def test_pendulum_with_bearing_friction():
    """Against (J + m L²) φ̈ = −m g L sin φ − r μ |F| sgn φ̇ with |F| from the same equations."""
    mu, radius, L, mass, J, start = 0.3, 0.04, 0.7, 1.3, 0.05, 1.2
    run = lw.transient(pendulum(mu, radius), t=0.75, h=2.5e-4, progress=False)

    def load(phi, w, a):
        along = mass * G * np.cos(phi) + mass * L * w * w  # centripetal
        across = mass * G * np.sin(phi) + mass * L * a
        return np.hypot(along, across)

    def rates(t, y):
        phi, w = y
        a = -mass * G * L * np.sin(phi) / (J + mass * L * L)
        for _ in range(60):  # the load depends on the acceleration: a contraction
            moment = -radius * mu * load(phi, w, a) * np.sign(w if w else -1)
            a = (-mass * G * L * np.sin(phi) + moment) / (J + mass * L * L)
        return [w, a]

    # the first swing, before it turns back
    solved = solve_ivp(rates, (0, 0.75), [start, 0.0], rtol=1e-10, atol=1e-12, t_eval=run.time)
    phi = start + run["pin"].angle.values
    inside = solved.y[1] < -1e-6
    assert inside.sum() > 2500
    np.testing.assert_allclose(phi[inside], solved.y[0][inside], atol=2e-4)
    # energy: what is lost is what friction took
    assert np.abs(run.energy.balance).max() < 1e-4
    lost = run.energy.total.values[0] - run.energy.total.values[-1]
    assert float(run.energy.dissipated[-1]) == pytest.approx(lost, rel=1e-3)


def test_pendulum_comes_to_rest_away_from_the_lowest_point():
    """Within the angle where weight cannot overcome the bearing: sin φ ≤ r μ/L."""
    mu, radius = 0.5, 0.2
    run = lw.transient(pendulum(mu, radius), t=6, h=1e-3, progress=False)
    phi = 1.2 + run["pin"].angle.values
    assert abs(run["pin"].rate.values[-1]) < 1e-6
    assert np.ptp(phi[-500:]) < 1e-6
    assert abs(np.sin(phi[-1])) <= radius * mu / 0.7 * 1.01


def test_friction_of_a_thread():
    """Raising a load at constant speed: M = F r (tan a + μ')/(1 − μ' tan a), μ' = μ/cos γ_n."""
    pitch, radius, mu, thread, mass = 0.02, 0.015, 0.15, 0.26, 8.0
    tan = pitch / (2 * np.pi * radius)
    a = np.arctan(tan)
    for direction in (1, -1):
        m = lw.Model(gravity=(0, 0, -G))
        shaft = m.add("shaft", lw.Body(1, (1, 1, 1)))
        nut = m.add("nut", lw.Body(mass, (1, 1, 1)))
        m.add("key", lw.Lock(lw.GROUND, nut, axis=(0, 0, 1), rows="rz"))
        angle = lw.ramp(-direction * 5.0)
        m.add("motor", lw.Motor(lw.GROUND, shaft, (0, 0, 0), (0, 0, 1), angle=angle))
        screw = m.add("screw", lw.Screw(shaft, nut, (0, 0, 0), (0, 0, 1), pitch=pitch))
        model = lw.Coulomb(mu, stiffness=1e5, damping=20.0)
        m.add("friction", lw.Friction(screw, model, radius=radius, thread=thread))
        run = lw.transient(m, t=0.4, h=1e-3, progress=False)
        bearing = mu * np.sqrt(1 + (np.cos(a) * np.tan(thread)) ** 2) * direction
        expected = mass * G * radius * (tan + bearing) / (1 - bearing * tan)
        # the motor holds the shaft against the thread: its torque on the shaft
        found = -float(run["motor"].torque[-1])
        assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("every", [1, 25])
@pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre"])
def test_a_brake_acts_against_the_turn_where_few_steps_are_stored(model, every):
    """The wheel turns by 5 rad between stored times; the torque is μ N r throughout."""
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 1), angular_velocity=(0, 0, 200.0)))
    m.add("axle", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    words = dict(axis=(0, 0, 1), model=model(0.4), radius=0.1, load=50.0)
    m.add("pads", lw.Brake(lw.GROUND, wheel, **words))
    run = lw.transient(m, t=0.5, h=1e-3, every=every, progress=False)
    np.testing.assert_allclose(run["pads"].torque, -0.4 * 50.0 * 0.1, rtol=1e-12)
    np.testing.assert_allclose(run["pads"].power, run["pads"].torque * run["axle"].rate, rtol=1e-12)


def test_friction_goes_on_from_a_file(tmp_path):
    """Bristles are part of the state at the end of a run: the same digits as in one run."""
    m, whole = incline(0.3, lw.LuGre(0.4, stiffness=1e4, damping=10.0), t=0.2)
    half = lw.transient(m, t=0.1, h=1e-3, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.2, progress=False)
    np.testing.assert_array_equal(rest["rail"].displacement[-1], whole["rail"].displacement[-1])


# ----------------------------------------------------------------------------------------- stops


def cart(stop_words, v=1.0, mass=2.0, t=0.5, h=2e-5):
    m = lw.Model()
    b = m.add("cart", lw.Body(mass, (1, 1, 1)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, b, at=(0, 0, 0), axis=(1, 0, 0), speed=v))
    m.add("stop", lw.Stop(rail, **stop_words))
    return lw.transient(m, t=t, h=h, progress=False)


def test_elastic_bounce():
    """A linear stop: in contact for π √(m/k), v √(m/k) deep, back at the same speed."""
    k, mass, v = 2e4, 2.0, 1.0
    run = cart(dict(upper=0.1, stiffness=k, exponent=1))
    s = run["rail"].displacement.values
    inside = s > 0.1
    assert inside.sum() * 2e-5 == pytest.approx(np.pi * np.sqrt(mass / k), abs=5e-5)
    assert s.max() == pytest.approx(0.1 + v * np.sqrt(mass / k), rel=1e-5)
    assert float(run["rail"].speed[-1]) == pytest.approx(-v, rel=1e-4)
    assert np.abs(run.energy.balance).max() < 1e-4


def test_hertzian_bounce():
    """k p^1.5: deepest where k p^2.5/2.5 = m v²/2."""
    k, mass, v = 1e6, 2.0, 1.0
    run = cart(dict(upper=0.1, stiffness=k), v=v)
    deepest = (2.5 * mass * v * v / (2 * k)) ** 0.4
    assert run["rail"].displacement.values.max() == pytest.approx(0.1 + deepest, rel=1e-5)
    assert float(run["rail"].speed[-1]) == pytest.approx(-v, rel=1e-4)


def test_damped_bounce_has_the_restitution_of_hunt_and_crossley():
    """d v dv/(1 + d v) = −(k/m) p^n dp: speeds in and out satisfy
    v_i − log(1 + d v_i)/d = −v_o − log(1 − d v_o)/d."""
    d, v = 0.4, 1.0
    run = cart(dict(upper=0.1, stiffness=1e6, damping=d), v=v)

    def way(u):
        return u / d - np.log1p(d * u) / d**2

    out = brentq(lambda u: way(-u) - way(v), 1e-6, 1 / d - 1e-9)
    assert float(run["rail"].speed[-1]) == pytest.approx(-out, rel=1e-4)
    taken = (v * v - out * out) * 2.0 / 2
    assert float(run.energy.dissipated[-1]) == pytest.approx(taken, rel=1e-3)


def test_door_between_two_stops():
    """Both limits of an angle, counted over turns."""
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 0.2)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=10))
    m.add("stop", lw.Stop(pin, lower=-1.0, upper=8.0, stiffness=1e4))
    run = lw.transient(m, t=3, h=1e-4, progress=False)
    angle = run["pin"].angle.values
    deep = (2.5 * 0.2 * 100 / 2e4) ** 0.4
    assert angle.max() == pytest.approx(8 + deep, rel=1e-4)
    assert angle.min() == pytest.approx(-1 - deep, rel=1e-3)
    assert np.abs(run["pin"].rate.values).max() <= 10 * (1 + 1e-3)


PIN = lw.Revolute(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), axis=(0, 0, 1))
BOTH = lw.Cylindrical(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), axis=(0, 0, 1))


@pytest.mark.parametrize("make,words", [
    (lambda: lw.Friction(PIN, lw.Coulomb(0.1)), "needs radius"),
    (lambda: lw.Friction(PIN, "rubber", radius=1), "needs a model"),
    (lambda: lw.Friction("pin", lw.Coulomb(0.1)), "needs a joint"),
    (lambda: lw.Friction(BOTH, lw.Coulomb(0.1), radius=1), "both turns and slides"),
    (lambda: lw.Coulomb(0.3, static=0.2), "at least 0.3"),
    (lambda: lw.Coulomb(0.3, static=0.4), "needs stribeck"),
    (lambda: lw.LuGre(0.3, kappa=1.0), "below 1"),
    (lambda: lw.Stop(PIN, stiffness=1.0), "lower= or upper="),
    (lambda: lw.Stop(PIN, upper=1.0), "needs stiffness"),
    (lambda: lw.Stop(PIN, 1.0, 0.0, stiffness=1.0), "must be below upper"),
    (lambda: lw.Stop(PIN, 0.0, 1.0, stiffness=1.0, motion="slide"), "does not slide"),
])  # fmt: skip
def test_errors(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()


@pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre"])
@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.ImplicitEuler()])
def test_a_pin_with_play_rubs_on_the_friction_circle(model, method):
    """M = r N sin ρ, tan ρ = μ: of N = 9.81 N with r = 0.1 m and μ = 0.5 it is 0.4387 N m."""
    mu, r, J = 0.5, 0.1, 2.0
    m = lw.Model(gravity=(0, 0, -G))
    wheel = m.add("wheel", lw.Body(1, (J, J, J)))
    axle = lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 1, 0), rate=3.0)
    pin = m.add("pin", axle)
    m.add("bearing", lw.Friction(pin, model(mu), radius=r, journal=True))
    run = lw.transient(m, t=0.5, h=1e-2, method=method, progress=False)
    torque = r * G * np.sin(np.arctan(mu))
    assert torque == pytest.approx(0.4387, abs=1e-4)
    assert float(run["bearing"].torque[-1]) == pytest.approx(-torque, rel=1e-9)
    assert float(run["bearing"].coefficient[-1]) == pytest.approx(mu, rel=1e-9)
    assert float(run["pin"].rate[-1]) == pytest.approx(3.0 - 0.5 * torque / J, rel=1e-6)


def test_a_brake_with_play_rubs_alike_in_joint_coordinates():
    """What it takes from a flywheel, J ω̇ = −r N μ/√(1 + μ²), until it stops and stays."""
    mu, r, J, N, rate = 0.8, 0.1, 2.0, 100.0, 1.0
    slows = r * N * np.sin(np.arctan(mu)) / J
    for method in (lw.GeneralizedAlpha(), lw.Recursive()):
        m = lw.Model()
        wheel = m.add("wheel", lw.Body(1, (J, J, J)))
        m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=rate))
        pads = lw.Brake(lw.GROUND, wheel, axis=(0, 0, 1), model=lw.Coulomb(mu, damping=200.0),
                        radius=r, load=N, journal=True)  # fmt: skip
        m.add("brake", pads)
        run = lw.transient(m, t=0.5, h=1e-3, method=method, progress=False)
        coasting = np.maximum(rate - slows * run.time, 0)
        recoil = mu * np.sqrt(N / (1e5 * J))  # of the bristles, as it stops
        np.testing.assert_allclose(run["pin"].rate, coasting, atol=recoil)
        assert abs(float(run["pin"].rate[-1])) < 1e-3 * rate


def test_redundant_load_is_said():
    m = lw.Model(gravity=(0, 0, -G))
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    first = m.add("first", lw.Revolute(lw.GROUND, b, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("second", lw.Revolute(lw.GROUND, b, at=(0, 1, 0), axis=(0, 1, 0)))
    m.add("f", lw.Friction(m["second"], lw.Coulomb(0.1), radius=0.1))
    m.add("g", lw.Friction(first, lw.Coulomb(0.1), radius=0.1))
    with (
        pytest.warns(lw.LinkworkWarning, match="friction is not unique"),
        pytest.warns(lw.LinkworkWarning, match="rows repeat what"),
    ):
        lw.assemble(m)


def check_tangents(data, state):
    """K and D of the forces by central differences."""

    def forces(s):
        return data.evaluate(s, tangent=False).f.ravel()

    h, v = 1e-5, state.velocities.ravel()
    K = np.array([(forces(state.moved(e)) - forces(state.moved(-e))) for e in h * np.eye(12)]).T
    D = np.array([
        forces(state.with_velocities(v + e)) - forces(state.with_velocities(v - e))
        for e in h * np.eye(12)
    ]).T  # fmt: skip
    found = data.evaluate(state, cK=1.0).stiffness.toarray()
    np.testing.assert_allclose(found, K / (2 * h), atol=1e-7 * np.abs(found).max())
    found = data.evaluate(state, cK=0.0, cD=1.0).stiffness.toarray()
    np.testing.assert_allclose(found, D / (2 * h), atol=1e-7)


@pytest.mark.parametrize("deflection", [-1.2, -0.4, 0.3, 0.9, 1.4])
@pytest.mark.parametrize("kind", [lw.Coulomb, lw.LuGre])
@pytest.mark.parametrize(
    "joint, own",
    [(lw.Revolute, {}), (lw.Revolute, dict(journal=True)), (lw.Prismatic, {}), (lw.Screw, {})],
)
def test_tangent_with_a_path_behind(joint, own, kind, deflection):
    """K and D of stuck and slipping bristles at fixed load, by differences."""
    rng = np.random.default_rng(8)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for n in "ab")
    words = dict(pitch=0.7) if joint is lw.Screw else {}
    made = m.add("j", joint(a, b, at=rng.normal(size=3), axis=rng.normal(size=3), **words))
    model = kind(0.3, 0.5, 2.0, stiffness=0.4, damping=0.1, viscous=0.05)
    m.add("f", lw.Friction(made, model, radius=0.4, preload=0.5, thread=0.2, **own))
    data = compile_model(m).data()
    state = data.system.described_state().moved(0.4 * rng.normal(size=12))
    state = replace(state, gamma=rng.normal(size=len(data.system.all_rows)))
    state = state.with_velocities(rng.normal(size=12))
    memory = data.remember(state).memory.copy()
    memory[-1] = deflection
    memory[-2] -= 0.2  # the path since the last step
    state = replace(state, memory=memory)

    check_tangents(data, state)


# ------------------------------------------------------------- analyses other than implicit methods


def crank(mu=0.2, radius=0.1):
    """A crank with an eccentric mass that a motor turns against the friction of its bearing."""
    m = lw.Model(gravity=(0, 0, -G))
    wheel = m.add("wheel", lw.Body(2, (1, 1, 1), position=(0.3, 0, 0)))
    angle = lw.ramp(3.0)
    pin = m.add("pin", lw.Motor(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 1, 0), angle=angle))
    m.add("f", lw.Friction(pin, lw.Coulomb(mu), radius=radius))
    return m


def crank_torque(time, mu=0.2, radius=0.1):
    """About y: against the weight at the turning arm, and μ r |F|; F = m (r̈ − g)."""
    phi = 3.0 * time
    r = 0.3 * np.stack([np.cos(phi), 0 * phi, -np.sin(phi)], axis=1)  # about y, x goes to −z
    force = 2 * (-9.0 * r + np.array([0, 0, G]))
    return -np.cross(r, np.array([0, 0, -2 * G]))[:, 1] + mu * radius * np.linalg.norm(
        force, axis=1
    )


def test_kinematics_and_inverse_dynamics_know_what_friction_takes():
    kin = lw.kinematics(crank(), t=2, h=1e-2)
    expected = crank_torque(kin.time)
    np.testing.assert_allclose(kin["pin"].torque, expected, atol=1e-8)
    inv = lw.inverse(crank(), t=2, h=1e-2)
    np.testing.assert_allclose(inv.values[:, 0], expected, atol=1e-8)
    run = lw.transient(crank(), t=2, h=1e-3, progress=False)
    np.testing.assert_allclose(run["pin"].torque[60:], crank_torque(run.time)[60:], atol=1e-3)


def test_accelerations_at_the_start_know_the_friction():
    _, run = incline(0.5, lw.Coulomb(0.3, damping=20.0), t=0.01, speed=1.0)
    a = G * (np.sin(0.5) - 0.3 * np.cos(0.5))
    assert run["block"].acceleration.values[0] @ run_axis(0.5) == pytest.approx(a, rel=1e-9)


@pytest.mark.parametrize("method", [lw.RK4(), lw.ODE()])
def test_explicit_methods_refuse_friction(method):
    m, _ = incline(0.5, lw.Coulomb(0.3), t=0.01)
    with pytest.raises(lw.ModelError, match="loaded by the reactions of a joint"):
        lw.transient(m, t=0.1, h=1e-3, method=method, progress=False)
