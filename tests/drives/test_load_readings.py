"""Readings of loads: the force of a spring, a bushing, a cable … as parts of drives."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from derivative_checks import (
    STEP,
    check_damping,
    check_stiffness_and_jacobian,
    close,
    random_rotation,
    residuals,
    sample_system,
)

import linkwork as lw
from linkwork import DriveError, LinkworkError, ModelError, compile_model

METHODS = {
    "implicit": lw.GeneralizedAlpha(), "BDF": lw.BDF2(), "explicit": lw.RK4(),
    "joint coordinates": lw.Recursive(), "energy-momentum": lw.EnergyMomentum(),
}  # fmt: skip


# ------------------------------------------------------------------- every load, its own output


def push(t, motion):
    return np.array([*(-30 * motion.position[0] - motion.velocity[0]), 0.1 * t, 0.2, 0.3])


def two_arms(load):
    """A double pendulum in space with a load of a kind, and readings with what they must show."""
    m = lw.Model("arms", gravity=(0, 0, -9.81))
    one = m.add("one", lw.Body(1, (0.1, 0.1, 0.05), position=(0.3, 0, 0)))
    two = m.add("two", lw.Body(2, (0.1, 0.12, 0.15), position=(0.6, 0.1, -0.2)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, one, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("ball", lw.Spherical(one, two, at=(0.6, 0, 0)))
    ends = {"at_a": (1, 0, 0.5), "stiffness": 40, "damping": 2}
    law3 = lw.laws.LinearViscoelastic((3, 4, 5), (0.2, 0.1, 0.1))
    wave = lw.sine(3, 1.5)
    frame = lw.Frame(two, (0.1, 0.2, 0))
    made = {
        "spring": lambda: lw.Spring(lw.GROUND, two, **ends),
        "torsion spring": lambda: lw.TorsionSpring(pin, 5, damping=0.3, angle=0.2),
        "force": lambda: lw.Force(frame, (1, 2, -1), drive=wave),
        "follower": lambda: lw.Force(frame, (1, 2, -1), drive=wave, follower=True),
        "torque": lambda: lw.Torque(two, (1, 2, -1), drive=wave, follower=True),
        "pair": lambda: lw.ForcePair(
            lw.Frame(one, (0, 0.1, 0)), frame, (1, 2, 3), (0.1, 0.2, -0.1), wave, follower=True
        ),
        "dead pair": lambda: lw.ForcePair(
            lw.Frame(one, (0, 0.1, 0)), frame, (1, 2, 3), (0.1, 0.2, -0.1), wave, apart=True
        ),
        "joint torque": lambda: lw.JointTorque(pin, 2 * wave - 0.3 * lw.reads(pin, "rate")),
        "bushing": lambda: lw.Bushing(
            lw.GROUND, two, at=(0.6, 0.1, -0.2), stiffness=(9, 8, 7, 3, 4, 5), damping=[0.1] * 6
        ),
        "hinge": lambda: lw.DeformableHinge(one, two, law=law3, axis=(0, 1, 1)),
        "displacement": lambda: lw.DeformableDisplacement(lw.GROUND, two, (0.6, 0, -0.2), law3),
        "axial": lambda: lw.DeformableAxial(pin, law=lw.laws.CubicElastic(5, 0, 1, viscosity=0.2)),
        "stop": lambda: lw.Stop(pin, upper=0.05, stiffness=200, damping=0.1),
        "rod": lambda: lw.Rod(
            lw.GROUND, two, at_a=(1, 0, 0.5), law=lw.laws.LinearViscoelastic(40.0, 3.0)
        ),
        "viscous": lambda: lw.ViscousBody(
            frame, lw.laws.LinearViscous((2, 3, 4, 0.1, 0.2, 0.1))
        ),
        "function": lambda: lw.UserForce(frame, push, stiff=True),
        "cable": lambda: lw.Cable(
            lw.GROUND, two, at_a=(1, 0, 0.5), stiffness=200, mass=0.1, segments=3, damping=2,
            length=0.7,
        ),
    }  # fmt: skip
    item = m.add("item", made[load]())
    one_number, vector = (None,), ("x", "z")
    words = {
        "spring": {"force": one_number, "power": one_number, "rate": one_number},
        "torsion spring": {"torque": one_number, "power": one_number},
        "force": {"force": vector, "power": one_number},
        "follower": {"force": vector, "power": one_number},
        "torque": {"torque": vector, "power": one_number},
        "pair": {"force": vector, "torque": vector, "power": one_number},
        "dead pair": {"force": vector, "torque": vector, "power": one_number},
        "joint torque": {"torque": one_number, "rate": one_number, "power": one_number},
        "bushing": {"force": vector, "torque": vector},
        "hinge": {"torque": vector}, "displacement": {"force": vector},
        "axial": {"torque": one_number, "angle": one_number}, "stop": {"torque": one_number},
        "rod": {"force": one_number, "length": one_number},
        "viscous": {"force": vector, "torque": vector},
        "function": {"force": vector, "torque": "y"},
        "cable": {"tension": (0, 1, 2)},
    }[load]  # fmt: skip
    asked = [(word, axis) for word, axes in words.items() for axis in axes]
    return m, one, item, asked


LOADS = ["spring", "torsion spring", "force", "follower", "torque", "pair", "dead pair",
         "joint torque", "bushing", "hinge", "displacement", "axial", "stop", "rod", "viscous",
         "function", "cable"]  # fmt: skip
# potentials without a discrete gradient, and points
NOT_CONSERVING = {"hinge", "displacement", "axial", "stop", "rod", "cable"}


def shown(run, word, axis):
    found = getattr(run["item"], word)
    if axis is None:
        return found.values
    return found.values[:, axis if isinstance(axis, int) else "xyz".index(axis)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("load", LOADS)
def test_a_load_that_follows_another_has_what_results_say_of_it(load, method):
    if load == "cable" and method != "implicit":
        pytest.skip("points, which other methods refuse or damp less")
    m, one, item, asked = two_arms(load)
    for i, (word, axis) in enumerate(asked):
        words = (word,) if axis is None else (word, axis)
        m.add(f"copy{i}", lw.Force(one, (0, 0.01, 0), drive=lw.reads(item, *words)))
    if method == "energy-momentum" and load in NOT_CONSERVING:
        with pytest.raises(ModelError, match="discrete gradient"):
            lw.transient(m, t=0.05, h=1e-3, method=METHODS[method], progress=False)
        return
    run = lw.transient(m, t=0.1, h=1e-3, method=METHODS[method], progress=False)
    for i, (word, axis) in enumerate(asked):
        expected = shown(run, word, axis)
        found = run[f"copy{i}"].force.values[:, 1] / 0.01
        assert np.abs(expected).max() > 1e-3, word
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()), word


def test_a_reading_counts_the_turns_before_the_start():
    """A joint that starts at 5 rad: the element that a sensor asks has the angle of its load."""
    m = lw.Model("wound up")
    rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 0, 1), angle=5.0))
    spring = m.add("spring", lw.DeformableAxial(pin, law=lw.laws.LinearElastic(3.0)))
    other = m.add("other", lw.Body(1, (1, 1, 1)))
    m.add("push", lw.Force(other, (1, 0, 0), drive=lw.reads(spring, "torque")))
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    assert run["push"].force.values[0, 0] == pytest.approx(-15.0, rel=1e-9)


@pytest.mark.parametrize("load", LOADS)
def test_tangents_of_what_follows_a_load_are_exact(load):
    """∂f/∂q and ∂f/∂v by central differences, in a random violated position."""
    rng = np.random.default_rng(3)
    m, one, item, asked = two_arms(load)
    for i, (word, axis) in enumerate(asked):
        words = (word,) if axis is None else (word, axis)
        m.add(f"copy{i}", lw.Torque(one, rng.normal(size=3), drive=lw.reads(item, *words)))
    data = compile_model(m).data()
    state = data.system.described_state(time=0.3)
    motion = state.motion.copy()
    motion[:, :3] += 0.05 * rng.normal(size=(2, 3))
    motion[:, 3:7] += 0.1 * np.array([random_rotation(rng) for _ in range(2)])
    motion[:, 3:7] /= np.linalg.norm(motion[:, 3:7], axis=1)[:, None]
    motion[:, 7:] = rng.normal(size=(2, 6))
    state = replace(
        state, motion=motion, acceleration=rng.normal(size=(2, 6)),
        gamma=rng.normal(size=len(data.system.all_rows)), values=state.values + 0.01,
    )  # fmt: skip
    n = data.system.motions
    K, D = np.empty((n, n)), np.empty((n, n))
    for j, d in enumerate(STEP * np.eye(n)):
        K[:, j] = residuals(data, state.moved(d))[0] - residuals(data, state.moved(-d))[0]
        up, down = state.with_rates(state.rates + d), state.with_rates(state.rates - d)
        D[:, j] = residuals(data, up)[0] - residuals(data, down)[0]
    close(data.evaluate(state, cK=1.0).stiffness.toarray(), K / (2 * STEP), "K")
    close(data.evaluate(state, cK=0.0, cD=1.0).stiffness.toarray(), D / (2 * STEP), "D")


def test_sensors_of_every_kind_of_element_have_exact_slopes():
    kinds = set()
    for seed in range(40):
        check_stiffness_and_jacobian(*sample_system("LoadSensor", seed))
        check_damping(*sample_system("LoadSensor", seed))
        data, _ = sample_system("LoadSensor", seed)
        items = data.system.model.items.values()
        kinds |= {type(x.load).__name__ for x in items if hasattr(x, "load")}
    assert len(kinds) >= 9


# ---------------------------------------------------------------------------------- closed forms


def oscillator(kind, gain):
    """A mass on a spring of 100 N/m, and a force on it of −gain times the spring's."""
    m = lw.Model("oscillator")
    mass = m.add("mass", lw.Body(2, (1, 1, 1), position=(1, 0, 0)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, mass, at=(1, 0, 0), axis=(1, 0, 0)))
    if kind == "Spring":
        item = lw.Spring(lw.GROUND, mass, at_a=(0, 0, 0), stiffness=100, damping=1)
    elif kind == "Rod":
        item = lw.Rod(lw.GROUND, mass, at_a=(0, 0, 0), law=lw.laws.LinearViscoelastic(100.0, 1.0))
    else:
        item = lw.Bushing(
            lw.GROUND, mass, at=(1, 0, 0), stiffness=[100] * 6, damping=[1] * 6
        )
    spring = m.add("spring", item)
    sign, words = (1, ("force", "x")) if kind == "Bushing" else (-1, ("force",))
    m.add("act", lw.JointForce(rail, sign * gain * lw.reads(spring, *words)))
    return m


@pytest.mark.parametrize("kind", ["Spring", "Rod", "Bushing"])
def test_fed_back_force_of_a_spring_stiffens_it(kind):
    """m ẍ = −(1 + g)(k x + c ẋ)."""
    values = lw.eigen(oscillator(kind, 0.5)).eigenvalues
    expected = np.roots([2, 1.5, 150])[0]  # and its conjugate
    assert np.abs(values - expected).min() < 1e-6 * abs(expected)


@pytest.mark.parametrize("kind", ["Spring", "Rod", "Bushing"])
@pytest.mark.parametrize("h, method", [(1e-3, lw.GeneralizedAlpha()), (2e-3, lw.RK4()),
                                       (2e-3, lw.Recursive())])  # fmt: skip
def test_motion_under_a_fed_back_force_is_that_of_the_closed_form(kind, h, method):
    m = oscillator(kind, 0.5)
    m["rail"].speed = 1.0
    run = lw.transient(m, t=1, h=h, method=method, progress=False)
    s, w = 1.5 / 4, np.sqrt(150 / 2 - (1.5 / 4) ** 2)
    expected = np.exp(-s * run.time) * np.sin(w * run.time) / w
    assert np.abs(run["rail"].displacement - expected).max() < 2e-5


def test_statics_find_the_rest_under_a_force_that_follows_a_bushing():
    """Weight W on a bushing whose force f is held down by −g f:  k z = W/(1 + g)."""
    m = lw.Model("rest", gravity=(0, 0, -10))
    body = m.add("body", lw.Body(3, (1, 1, 1)))
    pad = m.add("pad", lw.Bushing(lw.GROUND, body, at=(0, 0, 0), stiffness=[1000] * 6))
    m.add("act", lw.Force(body, (0, 0, 1), drive=0.25 * lw.reads(pad, "force", "z")))
    rest = lw.static(m, progress=False)
    z = np.atleast_2d(rest["body"].position.values)[-1, 2]
    assert z == pytest.approx(-30 / 1000 / 1.25, rel=1e-8)


def test_a_cable_is_kept_at_its_tension_by_a_winch_that_reads_it():
    """A load of 20 N on a rope that a carriage on a rail holds: at rest tension and force agree."""
    m = lw.Model("hoist", gravity=(0, 0, -10))
    carriage = m.add("carriage", lw.Body(1, (1, 1, 1), position=(0, 0, 2)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, carriage, at=(0, 0, 2), axis=(0, 0, 1)))
    load = m.add("load", lw.Body(2, (1, 1, 1), position=(0, 0, 0)))
    rope = m.add("rope", lw.Cable(carriage, load, stiffness=1e4, mass=1e-3, segments=2, damping=50))
    tension = lw.reads(rope, "tension")
    drive = 10 + tension - 200 * lw.reads(rail, "displacement") - 60 * lw.reads(rail, "speed")
    m.add("winch", lw.JointForce(rail, drive))
    run = lw.transient(m, t=4, h=1e-3, progress=False)
    assert run["rope"].tension.values[-1, 0] == pytest.approx(20, rel=2e-3)
    assert abs(run["rail"].displacement.values[-1]) < 1e-3


# ------------------------------------------------------------------- what changes, what is stored


def test_a_reading_follows_the_drive_that_its_load_is_given_later():
    m = lw.Model("later")
    wheel = m.add("wheel", lw.Body(1, (1, 1, 1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    motor = m.add("motor", lw.JointTorque(pin, 1.0))
    m.add("copy", lw.Force(wheel, (1, 0, 0), drive=lw.reads(motor, "torque")))
    early = lw.transient(m, t=0.01, h=1e-3, progress=False)
    m["motor"].drive = lw.sine(3, 2) + 5
    late = lw.transient(m, t=0.01, h=1e-3, progress=False)
    assert np.allclose(early["copy"].force[:, 0], 1.0)  # and stays so
    assert np.allclose(late["copy"].force[:, 0], late["motor"].torque)


@pytest.mark.parametrize("load", ["spring", "joint torque", "bushing", "cable", "axial"])
def test_runs_with_readings_of_loads_are_stored_and_pickled(load, tmp_path):
    m, one, item, asked = two_arms(load)
    word, axis = asked[0]
    words = (word,) if axis is None else (word, axis)
    m.add("copy", lw.Force(one, (0, 0.01, 0), drive=lw.reads(item, *words)))
    run = lw.transient(m, t=0.02, h=1e-3, progress=False)
    run.save(tmp_path / "run.nc")
    again = [lw.load(tmp_path / "run.nc"), pickle.loads(pickle.dumps(run))]
    for other in again:
        assert np.array_equal(other["copy"].force, run["copy"].force)
    longer = lw.transient(m, t=0.04, h=1e-3, progress=False)
    resumed = lw.resume(tmp_path / "run.nc", t=0.04, progress=False)
    assert np.array_equal(resumed["two"].position[-1], longer["two"].position[-1])


@pytest.mark.parametrize("load", ["spring", "joint torque", "bushing", "cable", "axial"])
@pytest.mark.parametrize("method", ["implicit", "joint coordinates"])
def test_samples_of_loads_are_those_of_the_results(load, method):
    """A controller and a sample and hold, every ten steps."""
    if load == "cable" and method != "implicit":
        pytest.skip("points")
    m, one, item, asked = two_arms(load)
    word, axis = asked[0]
    force = lw.reads(item, *((word,) if axis is None else (word, axis)))

    def control(t, x, memory):
        memory[0] = x[0]
        return 0.5 * x[0]

    called = lw.Controller(control, [force], every=0.01, memory=[0.0])
    m.add("called", lw.Force(one, (0, 0.01, 0), drive=called[0]))
    m.add("held", lw.Force(one, (0, 0.01, 0), drive=lw.sample_hold(force, 0.01)))
    run = lw.transient(m, t=0.05, h=1e-3, method=METHODS[method], progress=False)
    expected = shown(run, word, axis)
    for name, factor in (("called", 0.005), ("held", 0.01)):
        found = run[name].force.values[:, 1]
        for k in (5, 13, 29, 41):  # held since the last multiple of ten
            assert found[k] == pytest.approx(factor * expected[k - k % 10], rel=1e-9), (name, k)


# ----------------------------------------------------------------------------- what is refused


def test_a_load_that_would_read_itself_is_an_algebraic_loop():
    m, one, motor, _ = two_arms("joint torque")
    with pytest.raises(DriveError, match=r"torque of JointTorque 'item' reads.*algebraic loop"):
        motor.drive = 0.5 * lw.reads(motor, "torque")
    with pytest.raises(DriveError, match="algebraic loop"):
        motor.drive = lw.sample_hold(lw.reads(motor, "torque"), 0.01)
    push = m.add("push", lw.Force(one, (1, 0, 0), drive=2 * lw.reads(motor, "torque")))
    with pytest.raises(DriveError, match=r"Force 'push'.*JointTorque 'item'.*algebraic loop"):
        motor.drive = lw.reads(push, "force")
    lag = m.add("lag", lw.TransferFunction([1], [0.1, 1], lw.reads(motor, "torque")))
    motor.drive = 1 - 0.5 * lw.reads(lag, "output")  # a state stands between
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    assert np.allclose(run["item"].torque, 1 - 0.5 * run["lag"].output)


def refused(what, *words):
    with pytest.raises(LinkworkError) as error:
        lw.reads(what, *words)
    text = str(error.value)
    assert "\n" not in text and what.label in text
    return text


def test_what_a_load_does_not_have_is_refused_in_a_sentence():
    m, one, spring, _ = two_arms("spring")
    assert "force, length, rate, power" in refused(spring, "torque")
    assert "no axis" in refused(spring, "force", "x")
    _, _, cable, _ = two_arms("cable")
    assert "from 0 to 2" in refused(cable, "tension", 3)
    assert "from 0 to 2" in refused(cable, "tension", "x")
    _, _, bushing, _ = two_arms("bushing")
    assert "force, torque" in refused(bushing, "power")
    _, _, function, _ = two_arms("function")
    assert "force, torque" in refused(function, "force_2")
    friction = lw.Friction(m["pin"], 0.3, radius=0.1)
    assert "torque" in refused(friction, "force")
    assert "read" in refused(lw.Friction(m["ball"], 0.3, radius=0.1, spin=0.5), "torque", "x")
    loose = lw.Spring(lw.GROUND, one, at_a=(0, 0, 1), stiffness=1)
    m.add("act", lw.Force(one, (1, 0, 0), drive=lw.reads(loose, "force")))
    with pytest.raises(ModelError, match=r"Force 'act' reads a Spring, which is not in model"):
        lw.transient(m, t=0.01, h=1e-3, progress=False)
    rubber = lw.Bushing(lw.GROUND, one, at=(0, 0, 0), stiffness=[1] * 6)
    m["act"].drive = lw.reads(rubber, "force", "x")
    with pytest.raises(ModelError, match=r"Force 'act' reads a Bushing, which is not in model"):
        lw.transient(m, t=0.01, h=1e-3, progress=False)
