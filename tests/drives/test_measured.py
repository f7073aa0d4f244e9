"""Readings of reactions and accelerations against outputs of runs and against equivalent models."""

import numpy as np
import pytest

import linkwork as lw


def pendulum(angle=2.2, inertia=0.1):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (inertia,) * 3, position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=angle))
    return m, rod, pin


METHODS = [
    lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.DIRK33(), lw.RK4(), lw.ODE(), lw.ODE("BDF"),
    lw.Recursive(), lw.Recursive("implicit"), lw.Recursive("dormand-prince"), lw.EnergyMomentum(),
    lw.EnergyMomentum(reduced=False),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_loads_follow_the_reactions_that_they_cause(method):
    """A torque of several times the reaction: a fixed-point iteration would diverge."""
    m, _, pin = pendulum()
    drive = 2.5 * lw.reads(pin, "force", "x") + 0.7 * lw.reads(pin, "force", "z")
    m.add("load", lw.JointTorque(pin, drive))
    run = lw.transient(m, t=0.2, h=1e-3, method=method, progress=False)
    force = run["pin"].force.values
    expected = 2.5 * force[:, 0] + 0.7 * force[:, 2]
    assert np.allclose(run["load"].torque, expected, rtol=1e-9, atol=1e-9)
    assert np.allclose(run["force x of pin"].force, force[:, 0], atol=1e-8)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.RK4(), lw.Recursive()], ids=repr)
def test_acceleration_feedback_is_an_inertia(method):
    m, _, pin = pendulum(inertia=0.1)
    m.add("load", lw.JointTorque(pin, -0.5 * lw.reads(pin, "acceleration")))
    plain, _, _ = pendulum(inertia=0.6)
    runs = [lw.transient(x, t=0.5, h=1e-3, method=method, progress=False) for x in (m, plain)]
    assert np.allclose(runs[0]["pin"].angle, runs[1]["pin"].angle, atol=1e-11)


def test_frames_and_slides_have_accelerations():
    """F = m a of a cart whose mass is doubled by a force that follows its acceleration."""
    m = lw.Model("cart")
    cart = m.add("cart", lw.Body(2, (1, 1, 1)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("push", lw.Force(cart, (1, 0, 0), drive=lw.sine(8, 1.0)))
    m.add("more", lw.JointForce(rail, -2 * lw.reads(rail, "acceleration")))
    run = lw.transient(m, t=1, h=1e-3, progress=False)
    a = run.acceleration[:, 0, 0]
    assert np.allclose(a, 2 * np.sin(2 * np.pi * run.time), atol=1e-10)


def test_accelerometer_shows_the_acceleration_of_its_place():
    m, rod, pin = pendulum()
    place = lw.Frame(rod, (0, 0, 0.3))
    z = lw.reads(place, "acceleration", "z", axes=rod)
    spin = lw.reads(rod, "angular acceleration", "y")
    m.add("load", lw.JointTorque(pin, 1e-9 * (z + spin)))
    m.add("unit", lw.StrapdownSensor(place))
    run = lw.transient(m, t=0.3, h=1e-3, progress=False)
    names = [n for n in run.named if n.startswith("acceleration")]
    assert np.allclose(run[names[0]].acceleration, run["unit"].acceleration[:, 2], atol=1e-6)
    turned = run["angular acceleration y of rod"].angular_acceleration
    assert np.allclose(turned, run["unit"].angular_acceleration[:, 1], atol=1e-6)


def test_torque_of_a_motor_is_read():
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    arm = m.add("arm", lw.Body(1, (0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    motor = m.add("motor", lw.Motor(lw.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0),
                                    angle=lw.sine(0.5, 1.0)))  # fmt: skip
    m.add("echo", lw.Torque(arm, (0, 0, 1), drive=lw.reads(motor, "torque", "z")))
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    assert np.allclose(run["torque z of motor"].torque, run["motor"].torque, atol=1e-7)
    assert abs(run["motor"].torque).max() > 1


def test_reactions_of_screws_and_universal_joints_are_whole():
    """The thread of a screw carries force and torque along its axis, too."""
    for kind in ("screw", "universal"):
        m = lw.Model(kind, gravity=(0.3, 0.2, -9.81))
        a = m.add("a", lw.Body(1, (0.1, 0.2, 0.15), position=(0.1, 0, 0)))
        m.add("base", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0), rate=1.0))
        b = m.add("b", lw.Body(2, (0.2, 0.1, 0.3), position=(1.0, 0.1, 0.2)))
        if kind == "screw":
            joint = lw.Screw(a, b, at=(0.5, 0, 0), axis=(0, 0, 1), pitch=0.1)
        else:
            joint = lw.Universal(a, b, at=(0.5, 0, 0), axis_a=(1, 0, 0), axis_b=(0, 1, 0))
        j = m.add("j", joint)
        wanted = [(q, x) for q in ("force", "torque") for x in "xyz"]
        if kind == "universal":
            wanted.remove(("torque", "x"))  # the arm x turns freely in a
        for k, (quantity, axis) in enumerate(wanted):
            m.add(f"probe{k}", lw.Torque(b, (0, 0, 0.01), drive=lw.reads(j, quantity, axis)))
        for method in (lw.GeneralizedAlpha(), lw.RK4()):
            run = lw.transient(m, t=0.1, h=1e-3, method=method, progress=False)
            for k, (quantity, axis) in enumerate(wanted):
                x = getattr(run["j"], quantity).values[:, "xyz".index(axis)]
                shown = run[f"probe{k}"].torque.values[:, 2]
                assert np.allclose(shown, 0.01 * x, rtol=1e-6, atol=1e-9)
                assert np.abs(x).max() > 1e-4


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.RK4(), lw.Recursive(), lw.EnergyMomentum()], ids=repr
)
def test_the_force_in_a_rod_is_read(method):
    """A conical pendulum on a massless rod: the pull is m g/cos a; 30 % of it is added to m g."""
    m = lw.Model("conical", gravity=(0, 0, -9.81))
    angle, length = 0.5, 2.0
    place = length * np.array([np.sin(angle), 0, -np.cos(angle)])
    gain = 0.3
    pull = 2 * 9.81 / (np.cos(angle) - gain)  # T cos a = m g + gain T
    speed = np.sqrt(pull * np.sin(angle) / 2 / place[0]) * place[0]
    bob = m.add("bob", lw.Body(2, (0, 0, 0), position=place, velocity=(0, speed, 0)))
    rod = m.add("rod", lw.Distance(lw.GROUND, bob, at_a=(0, 0, 0)))
    m.add("level", lw.Lock(lw.GROUND, bob, rows="rx ry rz"))
    m.add("load", lw.Force(bob, (0, 0, 1), drive=gain * lw.reads(rod, "force")))
    run = lw.transient(m, t=0.5, h=1e-3, method=method, progress=False)
    assert np.allclose(run["force of rod"].force, -pull, rtol=1e-5)
    assert np.allclose(run["bob"].position[:, 2], place[2], atol=1e-5)


def test_sampled_readings_of_reactions():
    """A load cell that a sampled controller reads, and that is held between the samples."""
    m, _, pin = pendulum()
    m.add("load", lw.JointTorque(pin, lw.sample_hold(0.1 * lw.reads(pin, "force", "x"), 0.01)))
    run = lw.transient(m, t=0.2, h=1e-3, progress=False)
    assert np.all(np.isfinite(run["load"].torque))
    held = run["load"].torque.values[11:20]
    sampled = 0.1 * float(run["pin"].force[10, 0])
    assert np.ptp(held) == 0 and held[0] == pytest.approx(sampled, rel=1e-6)


@pytest.mark.parametrize("kind", ["hold", "controller"])
def test_the_first_sample_is_that_of_the_start(kind):
    """A pin carries a weight of 9.81 N at rest, and a sensor shows so from the first step on."""
    m = lw.Model("post", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (1, 1, 1), position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Fixed(lw.GROUND, rod, at=(0, 0, 0)))
    weight = lw.reads(pin, "force", "z")
    held = lw.sample_hold(weight, 0.01)
    if kind == "controller":
        held = lw.Controller(lambda t, x: float(x[0]), [weight], every=0.01)
    m.add("load", lw.Torque(rod, (1, 0, 0), drive=held))
    run = lw.transient(m, t=0.005, h=1e-3, progress=False)
    assert np.allclose(run["load"].torque.values[:, 0], 9.81, rtol=1e-12)


def four_bar(method, sampled=True):
    """Reactions of pins that joint coordinates keep, and of the one that they cut."""
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    points = [(0, 0, 0), (0.3, 0, 0.4), (1.2, 0, 0.6), (1.0, 0, 0)]
    parts = [
        m.add(f"part{k}", lw.Body.link(points[k], points[k + 1], radius=0.02, mass=1))
        for k in range(3)
    ]
    ends = [lw.GROUND, *parts, lw.GROUND]
    kinds = [lw.Revolute, lw.Revolute, lw.Cylindrical, lw.Spherical]
    pins = []
    for k, kind in enumerate(kinds):
        axis = {} if kind is lw.Spherical else {"axis": (0, 1, 0)}
        pins.append(m.add(f"pin{k}", kind(ends[k], ends[k + 1], at=points[k], **axis)))
    inputs = [
        *(lw.reads(pin, "force", axis) for pin in pins for axis in "xy"),
        lw.reads(pins[0], "acceleration"), lw.reads(pins[1], "torque", "x"),
        lw.reads(parts[1], "acceleration", "z"),
    ]  # fmt: skip
    weights = 0.02 + 0.01 * np.arange(len(inputs))
    if sampled:
        drive = lw.Controller(lambda t, x: float(weights @ x), inputs, every=0.01)
    else:
        drive = sum(float(w) * x for w, x in zip(weights, inputs))
    m.add("load", lw.JointTorque(pins[0], drive))
    return lw.transient(m, t=0.1, h=1e-3, method=method, progress=False)


@pytest.mark.parametrize("method", [lw.Recursive(), lw.Recursive("implicit")], ids=repr)
def test_joint_coordinates_know_reactions_at_samples(method):
    """As the augmented equations with the same method of order four, in closed loops too."""
    a, b = four_bar(method), four_bar(lw.RK4(baumgarte=(0, 0)))
    fine = 1e-8 if method.order == 4 else 1e-5
    assert np.allclose(a["pin0"].angle, b["pin0"].angle, atol=fine)
    assert np.allclose(a["load"].torque, b["load"].torque, atol=100 * fine)
    assert np.ptp(b["load"].torque.values) > 0.1
    for pin in ("pin0", "pin1", "pin2", "pin3"):
        shown = a[f"force x of {pin}"].force.values
        assert np.allclose(shown, a[pin].force.values[:, 0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "method",
    [lw.Recursive(), lw.Recursive(cuts=["pin1"]), lw.Recursive(correction="baumgarte"),
     lw.Recursive("implicit"), lw.Recursive("dormand-prince")],
    ids=repr,
)  # fmt: skip
def test_joint_coordinates_solve_for_reactions_that_loads_follow(method):
    """Eleven readings at all times, of joints of the tree and of cut ones; the augmented equations
    solve for them by exact slopes."""
    a, b = four_bar(method, sampled=False), four_bar(lw.RK4(baumgarte=(0, 0)), sampled=False)
    fine = 1e-5 if method.order == 2 else 1e-7 if method.drifts < 1 else 1e-8
    assert np.allclose(a["pin0"].angle, b["pin0"].angle, atol=fine)
    assert np.allclose(a["load"].torque, b["load"].torque, atol=100 * fine)
    assert np.ptp(b["load"].torque.values) > 0.1
    weights = 0.02 + 0.01 * np.arange(11)
    sensors = [item for name, item in a.system.model.items.items() if " of " in name]
    shown = [np.asarray(getattr(a[x.name], x.quantity.replace(" ", "_"))) for x in sensors]
    assert np.allclose(a["load"].torque, weights @ shown, rtol=1e-9, atol=1e-9)


def test_restarts_of_loads_that_follow_reactions_go_on_with_the_same_digits(tmp_path):
    def model():
        m, _, pin = pendulum()
        m.add("load", lw.JointTorque(pin, 2.5 * lw.reads(pin, "force", "x")))
        return m

    method = lw.Recursive()
    whole = lw.transient(model(), t=0.1, h=1e-3, method=method, progress=False)
    lw.transient(model(), t=0.045, h=1e-3, method=method, progress=False).save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.1)
    assert np.array_equal(rest["pin"].angle[-1], whole["pin"].angle[-1])


def test_joint_coordinates_tell_of_loops_without_a_solution():
    """A torque that cancels the inertia about the pin: J + m l² = 0.35 against the acceleration."""
    m, _, pin = pendulum()
    m.add("load", lw.JointTorque(pin, 0.35 * lw.reads(pin, "acceleration")))
    with pytest.raises(lw.SingularError, match="angular acceleration z of pin.*algebraic loop"):
        lw.transient(m, t=0.1, h=1e-3, method=lw.Recursive(), progress=False)


def test_restarts_in_joint_coordinates_go_on_with_the_same_digits(tmp_path):
    def model():
        m, _, pin = pendulum()
        m.add("load", lw.JointTorque(pin, lw.sample_hold(0.1 * lw.reads(pin, "force", "x"), 0.01)))
        return m

    method = lw.Recursive()
    whole = lw.transient(model(), t=0.1, h=1e-3, method=method, progress=False)
    lw.transient(model(), t=0.045, h=1e-3, method=method, progress=False).save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.1)
    assert np.array_equal(rest["pin"].angle[-1], whole["pin"].angle[-1])


def test_what_cannot_be_read_is_said():
    m, rod, pin = pendulum()
    m.add("load", lw.JointTorque(pin, 0.1 * lw.reads(pin, "force", "x")))
    with pytest.raises(lw.ModelError, match="equilibrium_path.*force x of pin"):
        lw.equilibrium_path(m)
    with pytest.raises(lw.DriveError, match="turns about its axis"):
        lw.reads(lw.Fixed(lw.GROUND, rod, at=(0, 0, 0)), "acceleration")
    with pytest.raises(lw.DriveError, match="against the ground"):
        lw.reads(rod, "acceleration", "x", relative_to=lw.Frame(rod))
    other = lw.Model("other")
    body = other.add("body", lw.Body(1, (1, 1, 1)))
    _, _, away = pendulum()
    other.add("push", lw.Force(body, (1, 0, 0), drive=lw.reads(away, "force", "x")))
    with pytest.raises(lw.ModelError, match="push.*reads.*pin.*another model"):
        lw.transient(other, t=0.1, h=0.01, progress=False)


def test_models_with_sensors_come_back_from_files(tmp_path):
    m, _, pin = pendulum()
    m.add("load", lw.JointTorque(pin, 0.1 * lw.reads(pin, "force", "x")))
    run = lw.transient(m, t=0.05, h=1e-3, progress=False)
    run.save(tmp_path / "run.nc")
    back = lw.load(tmp_path / "run.nc")
    again = lw.transient(back.system.model, t=0.05, h=1e-3, progress=False)
    assert np.array_equal(again["pin"].angle, run["pin"].angle)


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.RK4(), lw.Recursive()], ids=repr
)
def test_samples_beside_reactions_that_loads_follow(method):
    """A sampled PD loop on a shaft whose torque cell is fed back at all times, an inertia: between
    samples the torque is constant, so that the motion has a closed form."""
    kp, kd, every, near, far, gain = 4.0, 0.8, 0.02, 0.06, 0.02, 1.5
    m = lw.Model("shaft")
    a = m.add("a", lw.Body(1, (near,) * 3))
    b = m.add("b", lw.Body(1, (far,) * 3, position=(0, 0, 1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1), angle=0.5))
    cell = m.add("cell", lw.Fixed(a, b, at=(0, 0, 0.5)))
    wanted = -kp * lw.reads(pin, "angle") - kd * lw.reads(pin, "rate")
    m.add("motor", lw.JointTorque(pin, lw.sample_hold(wanted, every)))
    m.add("feedback", lw.JointTorque(pin, -gain * lw.reads(cell, "torque", "z")))
    run = lw.transient(m, t=0.3, h=0.01, method=method, progress=False)
    x, y = 0.5, 0.0
    for k in range(15):
        assert run["pin"].angle.values[2 * k] == pytest.approx(x, abs=1e-11)
        a = (-kp * x - kd * y) / (near + (1 + gain) * far)
        x, y = x + every * y + a * every**2 / 2, y + every * a


def redundant_four_bar(planar=None):
    """Four pins in space: along their axes, and about others, reactions are not unique."""
    m = lw.Model("four-bar", gravity=(0, 0, -9.81), planar=planar)
    points = [(0, 0, 0), (0.3, 0, 0.4), (1.2, 0, 0.6), (1.0, 0, 0)]
    parts = [
        m.add(f"part{k}", lw.Body.link(points[k], points[k + 1], radius=0.02, mass=1))
        for k in range(3)
    ]
    ends = [lw.GROUND, *parts, lw.GROUND]
    pins = [
        m.add(f"pin{k}", lw.Revolute(ends[k], ends[k + 1], at=points[k], axis=(0, 1, 0)))
        for k in range(4)
    ]
    for axis in "xz":  # z is the axis of the pin
        reading = lw.reads(pins[0], "force", axis)
        m.add(f"load {axis}", lw.JointTorque(pins[1], 0.01 * reading))
    return m


def test_readings_that_are_not_unique_are_told():
    m = redundant_four_bar()
    with pytest.warns(lw.LinkworkWarning) as told:
        run = lw.transient(m, t=0.02, h=1e-3, progress=False)
    (text,) = [str(w.message) for w in told if "not unique, because" in str(w.message)]
    assert "force z of pin0" in text and "force x of pin0" not in text
    shown = run["force x of pin0"].force
    assert np.allclose(shown, run["pin0"].force[:, 0], rtol=1e-7)


def test_readings_in_planar_models_are_unique(recwarn):
    run = lw.transient(redundant_four_bar("xz"), t=0.02, h=1e-3, progress=False)
    assert not [w for w in recwarn if issubclass(w.category, lw.LinkworkWarning)]
    assert np.allclose(run["force x of pin0"].force, run["pin0"].force[:, 0], rtol=1e-7)
    assert np.allclose(run["force z of pin0"].force, 0, atol=1e-9)
