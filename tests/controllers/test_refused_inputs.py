"""What controllers and blocks refuse, in one sentence that names what was given."""

import pytest

import linkwork as lw


def pin_and_angle():
    m = lw.Model("pin")
    rod = m.add("rod", lw.Body.link((0, 0, 0), (0, 0, 1), radius=0.02, mass=1))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.2))
    return m, pin, lw.reads(pin, "angle")


@pytest.mark.parametrize("at, values, words", [
    ([0, 2, 1], [0, 1, 2], "increasing places at, found 2 before 1"),
    ([0, 1], [0, 1, 2], "found 2 places and 3 values"),
    ([0, float("nan")], [0, 1], "finite numbers as places at"),
    ("ab", [0, 1], "finite numbers as places at, found 'ab'"),
    ([0], [1], "2 or more, found 1 places"),
])  # fmt: skip
def test_lookup_speaks_of_places(at, values, words):
    _, _, angle = pin_and_angle()
    with pytest.raises(lw.DriveError, match=words) as caught:
        lw.lookup(angle, at, values)
    assert "time" not in str(caught.value)


@pytest.mark.parametrize("gain", [None, "5", [1, 2], 1j])
def test_gains_that_are_no_numbers(gain):
    _, _, angle = pin_and_angle()
    for join in (lambda: gain * angle, lambda: angle * gain, lambda: angle + gain):
        with pytest.raises(lw.DriveError, match="joined with numbers and other drives alone"):
            join()


@pytest.mark.parametrize("returned", ["3", 1j, {}, None, (1, 2)])
def test_controllers_that_return_no_number(returned):
    m, pin, angle = pin_and_angle()
    hold = lw.Controller(lambda t, x: returned, [angle], every=0.01, name="hold")
    m.add("motor", lw.JointTorque(pin, hold[0]))
    with pytest.raises(lw.ModelError, match=r"JointTorque 'motor'.*Controller 'hold' returned"):
        lw.transient(m, t=0.05, h=1e-3, progress=False)
