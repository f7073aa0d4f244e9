"""Drives made of drives: pieces in time, chains, integrals, turns, and drives on steps."""

from __future__ import annotations

import json

import numpy as np
import pytest
from drive_differences import central
from inside import Drive, drive_from_dict

from linkwork import DriveError, constant, expression, polynomial, sine, table
from linkwork.model import drives
from linkwork.model.drives.base import parts_of

T = np.linspace(0.13, 2.9, 17)
POINTS = ([0, 0.5, 1.1, 2, 3], [1.0, 0.2, -0.7, 0.4, 0.9])


def composed_drives() -> dict[str, Drive]:
    """Drives of drives that are smooth over T."""
    wave, line = sine(0.5, 0.3, 0.4), polynomial([0.3, 0.8, 0.1])
    theta = (sine(0.5, 0.3), sine(0.4, 0.2, 1), sine(0.7, 0.1, 0.2))
    return {
        "chain": drives.Chain(wave, line),
        "quotient": drives.Quotient(wave, line),
        "derivative": drives.Derivative(wave),
        "derivative of a formula": drives.Derivative(expression("exp(-t)*t^2")),
        "integral": drives.Integral(wave, 0.3, 2.0),
        "integral of a formula": drives.Integral(expression("exp(-t)*t^2"), 1.0),
        "periodic": drives.Periodic(wave, -0.5, 5.0),
        "piecewise": drives.Piecewise((-1.0, 9.0), (constant(0), wave, constant(1))),
        "chebyshev": drives.Chebyshev(-1, 4, (1.0, 2.0, 0.3, 0.4)),
        "formula": drives.Formula("x^2*sin(t) + x/(1 + t)", wave),
        "natural spline": table(*POINTS, kind="natural", outside="extend"),
        "turn about x": drives.Turn(theta, 0),
        "turn about y": drives.Turn(theta, 1),
        "turn about z": drives.Turn(theta, 2),
        "small turn": drives.Turn(tuple(1e-3 * d for d in theta), 1),
    }


@pytest.mark.parametrize("name", composed_drives())
def test_drives_of_drives(name):
    """Derivatives by differences, and back from the dict they are stored as."""
    drive = composed_drives()[name]
    jet, h = drive.jet(T), 1e-3
    np.testing.assert_allclose(jet[:, 0], drive.values(T), rtol=1e-15)
    knots = 1e-4 if name == "natural spline" else 0.0  # its third derivative jumps
    np.testing.assert_allclose(central(drive.values, T, h), jet[:, 1], atol=1e-11 + knots)
    slope = central(lambda t: drive.jet(t)[:, 1], T, h)
    np.testing.assert_allclose(slope, jet[:, 2], atol=1e-11 + 100 * knots)
    again = drive_from_dict(json.loads(json.dumps(drive.to_dict())))
    assert again == drive and np.array_equal(again.jet(T), jet)
    assert drive.named("law of a test").what == "law of a test"


@pytest.mark.parametrize("name", composed_drives())
def test_messages_of_all_parts_name_the_item(name):
    def all_parts(drive):
        return [drive, *(leaf for part in parts_of(drive) for leaf in all_parts(part))]

    drive = composed_drives()[name]
    parts = all_parts(drives.SampleAndHold(drive, constant(1), 0.1).named("angle of motor"))
    assert len(parts) > 2 and {part.what for part in parts} == {"angle of motor"}
    assert not any(part.what for part in all_parts(drive))  # the drive itself is left as it was


def test_turns_make_the_rotation_vector():
    from linkwork.extend import rotations

    theta = (sine(0.5, 0.3), sine(0.4, 0.2, 1), sine(0.7, 0.1, 0.2))
    q = np.array([1.0, 0, 0, 0])
    for k in range(3):
        angle = drives.Turn(theta, k)(T)[:, None]
        q = rotations.multiply(q, rotations.exponential(angle * np.eye(3)[k]))
    vector = np.stack([d(T) for d in theta], axis=1)
    np.testing.assert_allclose(rotations.logarithm(q), vector, atol=1e-14)


def test_drives_on_steps():
    t = np.array([0.0, 0.05, 0.1, 0.25, 0.3, 0.55])
    meter = drives.Meter(2, start=0.0, end=None, step=0.1)
    np.testing.assert_array_equal(meter(t), [1, 1, 0, 1, 0, 0])
    held = drives.SampleAndHold(polynomial([0, 1]), meter, 0.1)
    np.testing.assert_allclose(held(t), [0, 0, 0, 0.2, 0.2, 0.4])  # behind 0.2 that of 0.2
    first = drives.SampleAndHold(polynomial([0, 1]), constant(0), 0.1, 0.0, 7.0)
    np.testing.assert_array_equal(first(t), 7.0)
    y, u = [], [np.sin(0.1 * k) for k in range(8)]
    for k in range(8):  # the recursion itself
        y.append(0.5 * (y[k - 1] if k else 0) - 0.2 * (y[k - 2] if k > 1 else 0)
                 + 0.3 * u[k] + 0.1 * (u[k - 1] if k else 0))  # fmt: skip
    smooth = drives.DiscreteFilter(expression("sin(t)"), (0.5, -0.2), (0.3, 0.1), 0.1)
    np.testing.assert_allclose(smooth(0.1 * np.arange(8)), y, atol=1e-15)
    noise = drives.Random(2.0, 5.0, 0.0, 50.0, 0.1, seed=3)
    many = noise(0.1 * np.arange(400) + 0.01)
    assert np.array_equal(many, drives.Random(2.0, 5.0, 0.0, 50.0, 0.1, seed=3)(
        0.1 * np.arange(400) + 0.01))  # fmt: skip
    assert 3 <= many.min() < 3.1 and 6.9 < many.max() < 7
    assert abs(many.mean() - 5) < 4 * 2 / np.sqrt(3 * 400)  # four standard errors
    assert noise(60.0) == 5.0 and noise(-1.0) == 5.0
    for drive in (meter, held, smooth, noise):
        assert drive_from_dict(json.loads(json.dumps(drive.to_dict()))) == drive
        assert not drive.jet(t)[:, 1:].any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: drives.Piecewise((1.0,), (constant(0),)), "one part more than breaks"),
        (lambda: drives.Piecewise((2.0, 1.0), (constant(0),) * 3), "increasing breaks"),
        (lambda: drives.Periodic(constant(1), 0.0, 0.0), "positive period"),
        (lambda: drives.Chain(constant(1), 3), "drives as its parts"),
        (lambda: drives.Turn((constant(1),) * 3, 3), "axis 0, 1 or 2"),
        (lambda: drives.Chebyshev(2, 1, (1.0,)), "lower < upper"),
        (lambda: drives.Random(1, 0, 0, None, 0.1, seed=-1), "at least 0 as seed"),
        (lambda: drives.Meter(0, start=0, end=None, step=0.1), "positive steps"),
        (lambda: table([0, 1], [0, 1], kind="natural", outside="no"), "'hold' or 'extend'"),
    ],
)
def test_mistakes_in_drives_of_drives(make, words):
    with pytest.raises(DriveError, match=words):
        make()


X, Y = sine(0.5, 0.3, 0.4), polynomial([1.3, 0.8, 0.1])
OF_NUMBERS = {  # the same function of drives and of numbers
    "quotient": lambda x, y: x / y,
    "quotient of a number": lambda x, y: 2 / y,
    "quotient by a number": lambda x, y: x / 4,
    "quotient of a numpy number": lambda x, y: np.float64(2) / y,
    "power": lambda x, y: y**x,
    "cube": lambda x, y: x**3,
    "negative power": lambda x, y: y**-0.5,
    "power of a number": lambda x, y: 2.0**x,
    "size": lambda x, y: abs(x - 2),
    "numpy number": lambda x, y: np.float64(3) * x - np.float32(1),
    "sine and root": lambda x, y: np.sin(x) * np.sqrt(y),
    "angle": lambda x, y: np.arctan2(x, y),
    "larger": lambda x, y: np.maximum(x, y - 1.7),
}


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_drives_are_reckoned_with_as_numbers(name: str) -> None:
    function = OF_NUMBERS[name]
    found = function(X, Y)
    assert isinstance(found, Drive)
    np.testing.assert_allclose(found(T), function(X(T), Y(T)), rtol=1e-14)
    if name != "larger":  # which has corners
        _, first, second = found.jet(T).T
        np.testing.assert_allclose(first, central(found, T, 0.01), rtol=1e-10, atol=1e-11)
        slope = central(lambda t: found.jet(t)[:, 1], T, 0.01)
        np.testing.assert_allclose(second, slope, rtol=1e-10, atol=1e-11)
    again = drive_from_dict(json.loads(json.dumps(found.to_dict())))
    assert np.array_equal(again(T), found(T))


def test_what_drives_are_not_reckoned_with_is_refused() -> None:
    with pytest.raises(DriveError, match="joined with numbers and other drives alone"):
        X / "2"
    for wrong in (lambda: np.array([1.0, 2.0]) * X, lambda: np.isnan(X)):
        with pytest.raises(TypeError):
            wrong()
