"""What results say about joints: reactions, angles over turns, slides, violation."""

import numpy as np
import pytest
from inside import ITEMS
from known_motions import LENGTH, MASS, OMEGA, G, rotor_run, swing

import linkwork as lw
from linkwork import Result, compile_model
from linkwork.extend import rotations
from linkwork.results.outputs.replayed import element_outputs, has_reaction, reaction

NAMES = sorted(n for n in ITEMS if n != "Body")


def test_reaction_of_a_motor():
    """Newton and Euler for the rod: F = m (a − g), τ = −r × m g, power τ·ω."""
    run = rotor_run()
    motor, r = run["motor"], run.motion[:, 0, :3]
    weight = MASS * np.array([0, 0, -G])
    force = -MASS * OMEGA**2 * r - weight
    torque = -np.cross(r, weight)
    np.testing.assert_allclose(motor.force_world, force, atol=1e-11)
    np.testing.assert_allclose(motor.torque_world, torque, atol=1e-11)
    # the marker on the ground: z along world y, x along world x, so y along world −z
    np.testing.assert_allclose(motor.force, force[:, [0, 2, 1]] * [1, -1, 1], atol=1e-11)
    own = torque[:, [0, 2, 1]] * [1, -1, 1]
    np.testing.assert_allclose(motor.reaction_torque, own, atol=1e-11)
    np.testing.assert_allclose(motor.torque, torque[:, 1], atol=1e-11)
    np.testing.assert_allclose(motor.power, torque[:, 1] * OMEGA, atol=1e-10)
    np.testing.assert_allclose(motor.rate, OMEGA, rtol=1e-14)
    np.testing.assert_allclose(motor.angle, OMEGA * run.time, atol=1e-14 * 15)


def sample_run(name, seed, n=1, h=0.0):
    """A random item between two random bodies along a screw motion of both; random multipliers."""
    rng = np.random.default_rng(seed)
    m = lw.Model("sample")
    bodies = [
        m.add(f"b{i}", lw.Body(
            1 + i, (1, 1, 1), position=rng.normal(size=3),
            orientation=rotations.exponential(rng.normal(size=3)),
        )) for i in range(2)
    ]  # fmt: skip
    items = ITEMS[name].sample(rng, *bodies)
    for i, item in enumerate(items if isinstance(items, list) else [items]):
        m.add(f"item{i}", item)
    system = compile_model(m)
    numbers = 6 * system.bodies
    start = system.described_state(time=0.4).moved(0.3 * rng.normal(size=numbers))
    start = start.with_velocities(rng.normal(size=numbers))
    times = 0.4 + h * (np.arange(n) - n // 2)
    moved = [start.moved((t - 0.4) * start.velocities) for t in times]
    gamma = rng.normal(size=(n, len(system.all_rows)))
    run = Result(system, times, [s.motion for s in moved], np.zeros((n, system.bodies, 6)), gamma)
    return system.data(), run


@pytest.mark.parametrize("name", NAMES)
def test_reactions_equal_the_forces_in_the_equations(name):
    """Reaction on body b, about its mass centre in body axes, is −C_qᵀγ of the equations."""
    data, run = sample_run(name, 3)
    joints = [j for j in run.joints if j.startswith("item") and "force" in run[j].names]
    if not joints:  # forces, and flexible links, which are bodies
        return
    if data.part.remembers or not all(e.entry.rows for e in data.system.elements):
        return  # a spring acts beside the joint
    if not has_reaction(data.system.elements):
        return  # it acts on more than a second body
    state = run.state(0).with_velocities(np.zeros(12))
    f = data.evaluate(state, tangent=False).f[1]
    wrench = reaction(run, [e for e in data.system.elements if e.owner == joints[0]])
    view = run[joints[0]]
    force, torque = view.force_world.values[0], view.torque_world.values[0]
    np.testing.assert_allclose(wrench.R[0] @ wrench.force[0], force, atol=1e-14)
    R = rotations.matrix(state.motion[1, 3:7])
    moment = R.T @ (torque + np.cross(wrench.point[0] - state.motion[1, :3], force))
    np.testing.assert_allclose(np.concatenate([force, moment]), -f, atol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_relative_rates_are_derivatives(seed):
    """Rates of the lock joint's coordinates, marker laws included, against differences."""
    h = 2e-3
    _, run = sample_run("Lock", seed, 7, h)
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    joint = run["item0"]
    for value, rate in (("position", "velocity"), ("displacement", "speed"), ("angle", "rate")):
        slope = weights @ getattr(joint, value).values
        np.testing.assert_allclose(getattr(joint, rate).values[3], slope, atol=2e-10, rtol=2e-10)


@pytest.mark.parametrize("every", [0.01, 0.37, 2.9])
def test_angle_over_many_turns_with_sparse_samples(every):
    """φ = φ₀ + ω t + α t²/2: the trapezoidal rule is exact, so no turn is lost however sparse."""
    m = lw.Model()
    rod = m.add("rod", lw.Body(MASS, (1, 1, 1), position=(0, 0, -LENGTH)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=8.0))
    t = np.arange(0, 12, every)
    angle, rate = 8.0 - 20 * t + 2.5 * t**2, -20 + 5 * t
    run = Result(compile_model(m), t, swing(angle, rate))
    np.testing.assert_allclose(run["pin"].angle, angle, atol=1e-12)
    np.testing.assert_allclose(run["pin"].rate, rate, atol=1e-12)
    again = Result(run.system, t, run.motion, info={"angles": {"pin": 8.0 + 20 * np.pi}})
    np.testing.assert_allclose(again["pin"].angle, angle + 20 * np.pi, atol=1e-11)
    assert again.angles()["pin"] == again["pin"].angle.values[-1]


def revolving(rate, *, h=1e-4, every=1000, t=1.0, growth=0.0, swing=0.0, frequency=0.0):
    """A rotor with ω = rate e^{growth t} + swing sin 2πft, made by a torque, and its angle."""
    J, p = 0.3, 2 * np.pi * frequency
    m = lw.Model("rotor")
    body = m.add("rotor", lw.Body(1, (J, J, J)))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), rate=rate))
    torque = f"{J * growth * rate} * exp({growth} * t) + {J * swing * p} * cos({p} * t)"
    m.add("torque", lw.Torque(body, (0, 0, 1), drive=lw.expression(torque)))
    run = lw.transient(m, t=t, h=h, every=every, progress=False)
    time = run.time
    angle = rate * time if not growth else rate * np.expm1(growth * time) / growth
    if swing:
        angle = angle + swing * (1 - np.cos(p * time)) / p
    return run, angle


@pytest.mark.parametrize("words", [{}, {"growth": 1.0}, {"growth": 3.0}, {"growth": -4.0},
                                   {"swing": 250, "frequency": 2.3}], ids=str)  # fmt: skip
def test_turns_of_a_rotor_at_50_revolutions_per_second_stored_every_tenth(words):
    """Five turns and more between stored times, also where the speed changes by its own size."""
    run, angle = revolving(100 * np.pi, **words)
    assert len(run.time) == 11
    assert np.abs(run["pin"].angle - angle).max() < 0.1


def test_trapezoidal_rule_alone_would_lose_turns():
    run, angle = revolving(100 * np.pi, growth=3.0)
    rate = run["pin"].rate.values
    assert np.abs(np.cumsum(0.1 * (rate[1:] + rate[:-1]) / 2) - angle[1:]).max() > np.pi


def test_turns_that_stored_times_do_not_tell_are_said():
    run, _ = revolving(100 * np.pi, swing=2500, frequency=7.3)
    with pytest.warns(lw.LinkworkWarning, match=r"turns of joint 'pin' after t = 0.* not certain"):
        run["pin"].angle  # noqa: B018
    longer = lw.transient(run.system.model, t=1.1, h=1e-4, start=run, progress=False)
    with pytest.warns(lw.LinkworkWarning, match="turns of joint 'pin' before this run are not"):
        longer["pin"].angle  # noqa: B018
    often, angle = revolving(100 * np.pi, swing=2500, frequency=7.3, every=50)
    assert np.abs(often["pin"].angle - angle).max() < 0.1


@pytest.mark.parametrize("seed", range(3))
def test_change_of_the_rate_is_its_derivative(seed):
    """Marker laws included, against differences."""
    h = 2e-3
    _, run = sample_run("Lock", seed, 7, h)
    element = next(e for e in run.system.elements if e.owner == "item0")
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    slope = weights @ run["item0"].rate.values
    (found,) = element_outputs(run, [element])
    assert found["_rate_change"][3] == pytest.approx(slope, rel=1e-7, abs=1e-7)


def test_angle_starts_within_half_a_turn():
    m = lw.Model()
    rod = m.add("rod", lw.Body(MASS, (1, 1, 1), position=(0, 0, -LENGTH)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    angle = np.array([3.0, 3.1, 3.2, 3.3])
    run = Result(compile_model(m), [0, 1, 2, 3], swing(angle, np.full(4, 0.1)))
    np.testing.assert_allclose(run["pin"].angle, angle, atol=1e-14)
    run = Result(run.system, [0, 1, 2, 3], swing(angle + 2 * np.pi, np.full(4, 0.1)))
    np.testing.assert_allclose(run["pin"].angle, angle, atol=1e-14)


def test_slide():
    m = lw.Model()
    block = m.add("block", lw.Body(1, (1, 1, 1)))
    m.add("slide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0)))
    t = np.linspace(0, 1, 4)
    motion = np.zeros((4, 1, 13))
    motion[:, 0, 0], motion[:, 0, 3], motion[:, 0, 7] = t**2, 1, 2 * t
    run = Result(compile_model(m), t, motion)
    np.testing.assert_allclose(run["slide"].displacement, t**2, atol=1e-15)
    np.testing.assert_allclose(run["slide"].speed, 2 * t, atol=1e-15)
    assert "power" not in run["slide"].names


@pytest.mark.parametrize("every", [0.05, 1.3])
@pytest.mark.parametrize("end", [None, 40.0])
def test_torsion_spring_counts_turns_of_sparse_samples(every, end):
    m = lw.Model()
    rod = m.add("rod", lw.Body(MASS, (1, 1, 1), position=(0, 0, -LENGTH)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("coil", ITEMS["TorsionSpring"](pin, stiffness=3, damping=0.5, angle=0.2))
    t = np.arange(0, 4, every)
    angle = OMEGA * t
    restart = {}
    if end is not None:  # a run that began some turns earlier
        angle = angle + 12 * np.pi
        restart = {"memory": np.array([angle[-1]])}
    run = Result(compile_model(m), t, swing(angle, np.full(len(t), OMEGA)), restart=restart)
    np.testing.assert_allclose(run["coil"].angle, angle, atol=1e-12)
    np.testing.assert_allclose(run["coil"].torque, -3 * (angle - 0.2) - 0.5 * OMEGA, atol=1e-11)
    gravity_free = run.energy.potential
    np.testing.assert_allclose(gravity_free, 1.5 * (angle - 0.2) ** 2, rtol=1e-12)
    np.testing.assert_allclose(run.state(1).memory, angle[1:2], atol=1e-12)


def test_violation_of_all_rows():
    """Against the evaluation of single states, driven rows included."""
    data, run = sample_run("Motor", 5, 4, 0.1)
    v = run.violation
    assert v.position.dims == ("time", "joint")
    for i in range(4):
        state = run.state(i)
        e = data.evaluate(state, rates=True)
        rate = e.Cq @ state.velocities.ravel() + e.Ct
        np.testing.assert_allclose(v.position.sel(joint="item0")[i], abs(e.C).max(), rtol=1e-13)
        np.testing.assert_allclose(
            v.velocity.sel(joint="item0")[i], abs(rate).max(), rtol=1e-12
        )
    exact = rotor_run()
    assert exact.violation.position.max() < 1e-14
    assert exact.violation.velocity.max() < 1e-14


def test_violation_without_joints():
    m = lw.Model()
    m.add("ball", lw.Body(1, (1, 1, 1)))
    system = compile_model(m)
    run = Result(system, [0.0, 1.0], np.stack([system.described_state().motion] * 2))
    assert run.violation.position.shape == (2, 0)
    assert run.joints == ()
    assert "joint" not in run.to_xarray().coords


def test_single_state():
    run = rotor_run()
    one = Result.of_state(run.system, run.state(3))
    view = one["motor"]
    assert view.force.shape == (3,)
    np.testing.assert_array_equal(view.force, run["motor"].force[3])
    assert view.angle.shape == ()
    assert float(view.force.time) == run.time[3]
    assert one["rod"].position.dims == ("xyz",)
