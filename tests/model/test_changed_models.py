"""Values of every kind are taken and kept apart; changes of items are checked and take effect."""

import numpy as np
import pytest
from inside import ITEMS
from mistakes import A, one_body, pendulum, refuse, run, sample

import linkwork as lw
from linkwork import compile_model

# ------------------------------------------------------------------------------- junk in every word


NAN, INF = float("nan"), float("inf")


# ----------------------------------------------------------------- values of every kind, kept apart


def kinds(numbers):
    yield from (list(numbers), tuple(numbers), np.array(numbers), np.array(numbers, np.float32))
    yield [np.float64(x) for x in numbers]
    import xarray

    yield xarray.DataArray(list(numbers))


def test_numbers_of_all_kinds_are_taken():
    for position in kinds([1, 2, 3]):
        b = lw.Body(np.int64(2), position, position=position, velocity=position)
        assert b.mass == 2.0 and type(b.mass) is float
        np.testing.assert_array_equal(b.position, [1.0, 2, 3])
        np.testing.assert_array_equal(b.inertia, np.diag([1.0, 2, 3]))
        frame = lw.Frame(b, position)
        joint = lw.Lock(lw.GROUND, b, at=position, axis=position, rows=("x", "rz"))
        np.testing.assert_allclose(joint.frames[0].position, frame.position)
        lw.Spring(A, b, at_b=position, stiffness=np.float32(3), length=np.array(2))
    from fractions import Fraction

    assert lw.Body(Fraction(1, 2), (1, 1, 1)).mass == 0.5


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_what_the_user_goes_on_using_does_not_change_the_model(name):
    """Lists and arrays that were given may be changed afterwards."""
    item, bodies, others = sample(name)
    words = item.parameters()
    mine = {
        k: np.array(v) if isinstance(v, np.ndarray) else list(v) if isinstance(v, list) else v
        for k, v in words.items()
    }
    made = type(item)(**mine)
    for other in others:
        if getattr(other, "inflow", None) is item:  # a rotor keeps its blades
            other.inflow = made
    m = lw.Model()
    for i, x in enumerate([*bodies, *others, made]):
        m.add(f"item{i}", x)
    before = compile_model(m)
    for value in mine.values():
        if isinstance(value, np.ndarray):
            value[...] = 77
        elif isinstance(value, list):
            value.clear()
    after = compile_model(m)
    np.testing.assert_array_equal(before.tables.bodies, after.tables.bodies)
    if name not in ("UserForce", "GearTeeth"):  # whose numbers are addresses
        np.testing.assert_array_equal(before.tables.reals, after.tables.reals)
    for value in made.parameters().values():
        if isinstance(value, np.ndarray):
            assert not np.any(value == 77)


def test_changes_of_a_body_are_checked():
    m = pendulum()
    rod = m["rod"]
    for word, value, message in [
        ("mass", -1, "mass of Body 'rod' must be at least 0, but -1 was given"),
        ("mass", NAN, "mass of Body 'rod' must be a finite number"),
        ("inertia", (1, 1, 3), "inertia of Body 'rod' violates the triangle"),
        ("position", (1, 2), "position of Body 'rod' must be 3 numbers"),
        ("mas", 3, "Body 'rod' has no parameter 'mas'; did you mean 'mass'"),
        ("colour", 3, "Body 'rod' has no parameter 'colour'; it has mass"),
    ]:
        assert message in refuse(lambda word=word, value=value: setattr(rod, word, value))
    assert rod.mass == 1.0 and rod.inertia[2, 2] == 1.0
    rod.mass = 4
    assert run(m, t=0.1)["pin"].force_world[0] is not None
    assert rod.mass == 4.0 and compile_model(m).tables.bodies[0, 0] == 4.0
    rod.position = [2, 0, 0]
    np.testing.assert_array_equal(rod.position, [2.0, 0, 0])


def test_changes_in_place_are_seen_at_the_latest_when_compiled():
    m = pendulum()
    m["rod"].position[1] = NAN
    refuse(lambda: run(m), "Body 'rod' has numbers that are not finite")
    m = pendulum()
    m.gravity[0] = NAN
    refuse(lambda: run(m), "gravity of model 'pendulum'")
    m = pendulum()
    m["pin"].frames[0].position[0] = NAN
    refuse(lambda: run(m), "Revolute 'pin' has numbers that are not finite")


def test_changes_of_a_joint_take_effect():
    """An axis that is changed is not ignored, and a start that is changed moves no marker."""
    m = pendulum()
    pin, rod = m["pin"], m["rod"]
    pin.axis = (1, 0, 0)
    run(m)  # turns about the rod: stays where it is
    np.testing.assert_allclose(run(m)["rod"].position[-1], (1, 0, 0), atol=1e-12)
    pin.axis = (0, 1, 0)
    rod.position = rod.position + (0, 0, 0.1)
    marker = pin.frames[1].position.copy()
    pin.rate = 2.0
    np.testing.assert_array_equal(pin.frames[1].position, marker)
    refuse(lambda: setattr(pin, "rate", "fast"), "rate of Revolute 'pin' must be a number")
    refuse(lambda: setattr(pin, "b", lw.GROUND), "Revolute 'pin' joins GROUND with itself")
    assert pin.rate == 2.0 and pin.b is rod


def test_changes_of_forces_take_effect():
    m = one_body(lambda rod: lw.UserForce(rod, lambda t, motion: np.zeros(6)))
    m.gravity = (0, 0, 0)
    run(m, t=0.1)
    m["thing"].function = lambda t, motion: np.array([2.0, 0, 0, 0, 0, 0])
    assert float(run(m, t=0.1)["rod"].velocity[-1, 0]) == pytest.approx(0.2)
    refuse(lambda: setattr(m["thing"], "function", 3), "UserForce 'thing' needs function")
    m = one_body(lambda rod: lw.Spring(lw.GROUND, rod, stiffness=1))
    m["thing"].stiffness = 100
    assert compile_model(m).elements[0].entry.reals.max() == 100
    refuse(lambda: setattr(m["thing"], "damping", -1), "damping of Spring 'thing' must be at least")


# --------------------------------------------------------------------------- going on from a run


def test_a_run_of_a_changed_model_begins_with_its_own_accelerations():
    """A body that falls, then hangs on a spring and weighs less: a = (f − k x)/m from the start."""
    for method in (None, lw.RK4(), lw.EnergyMomentum(), lw.BDF2()):
        m = lw.Model("falls", gravity=(0, 0, -10.0))
        ball = m.add("ball", lw.Body(2, (1, 1, 1)))
        m.add("push", lw.Force(ball, (1, 0, 0), drive=4.0))
        first = lw.transient(m, t=0.1, h=1e-3, method=method, progress=False)
        assert first["ball"].acceleration[-1].values == pytest.approx([2, 0, -10], abs=1e-6)
        ball.mass = 1.0
        m.gravity = (0, 0, -1.0)
        for start in (first, first.state()):
            second = lw.transient(m, t=0.2, h=1e-3, method=method, start=start, progress=False)
            assert second["ball"].acceleration[0].values == pytest.approx([4, 0, -1], abs=1e-6)
            v = first["ball"].velocity[-1].values
            found = second["ball"].velocity[-1].values
            assert found == pytest.approx(v + 0.1 * np.array([4, 0, -1]), abs=1e-6)


def test_the_pin_of_a_changed_pendulum_carries_the_new_weight():
    """Held by a motor at rest: the pin's force is the weight, at once."""
    m = lw.Model("held", gravity=(0, 0, -10.0))
    rod = m.add("rod", lw.Body(2, (1, 1, 1), position=(0, 0, -1)))
    m.add("pin", lw.Motor(lw.GROUND, rod, (0, 0, 0), (0, 1, 0), angle=0.0))
    first = lw.transient(m, t=0.1, h=1e-3, progress=False)
    rod.mass = 6
    second = lw.transient(m, t=0.2, h=1e-3, start=first, progress=False)
    np.testing.assert_allclose(np.abs(second["pin"].force_world[:, 2]), 60, rtol=1e-9)
    again = lw.transient(m, t=0.3, h=1e-3, start=second, progress=False)
    whole = lw.transient(m, t=0.3, h=1e-3, start=first, progress=False)
    assert np.array_equal(again.motion[-1], whole.motion[-1])  # unchanged: the same digits


def test_a_changed_function_counts_as_a_change():
    m = lw.Model("pushed")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    m.add("push", lw.UserForce([body], lambda t, motion: np.array([1.0, 0, 0, 0, 0, 0])))
    first = lw.transient(m, t=0.1, h=1e-3, progress=False)
    m["push"].function = lambda t, motion: np.array([3.0, 0, 0, 0, 0, 0])
    second = lw.transient(m, t=0.2, h=1e-3, start=first, progress=False)
    assert float(second["body"].acceleration[0, 0]) == pytest.approx(3)


def test_velocities_against_a_joint_are_told():
    """A rod on a pin cannot move along itself; of (3, 0, −4) m/s across it the 3 are lost."""
    m = lw.Model("pendulum")
    rod = m.add("rod", lw.Body(1, (1, 1, 1), position=(1, 0, 0), velocity=(3, 0, -4)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    for call in (lambda: lw.assemble(m), lambda: run(m)):
        with pytest.warns(lw.VelocityWarning, match="velocity of Body 'rod' was given as .3, 0, -4"
                          ". m/s, but row . of joint 'pin' .* 3 m/s of it are taken away"):
            call()
    rod.velocity = (0, 0, -4)
    run(m)  # a warning here is an error
    rod.velocity, rod.angular_velocity = None, (0, 4, 2)
    with pytest.warns(lw.VelocityWarning, match="angular_velocity of Body 'rod'.* 2 rad/s of it"):
        lw.assemble(m)
    rod.angular_velocity = (0, 4, 1e-7)  # round-off
    lw.assemble(m)
