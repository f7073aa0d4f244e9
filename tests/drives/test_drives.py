"""Drives against analytic formulas and differences; their algebra, files and messages."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle

import numpy as np
import pytest
from drive_differences import central
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import Drive, drive_from_dict

import linkwork as lw
from linkwork import (
    DriveError,
    ModelError,
    constant,
    expression,
    function,
    polynomial,
    ramp,
    sine,
    table,
)
from linkwork.extend import as_drive

T = np.linspace(0.13, 2.9, 17)
POINTS = ([0, 0.5, 1.1, 2, 3], [1.0, 0.2, -0.7, 0.4, 0.9])
NAME = "drive of motor 'crank'"


def smooth_drives() -> dict[str, Drive]:
    """Drives that have all derivatives over T (and a bit around)."""
    return {
        "constant": constant(3),
        "ramp": ramp(2, start=-5),
        "sine": sine(0.7, 0.4, phase=0.3),
        "polynomial": polynomial([1, -2, 0.5, 0.25, -0.1]),
        "expression": expression("exp(-t/3)*sin(2*pi*0.3*t) + t^2/(1+t^2)"),
        "sum": sine(1, 0.2) + polynomial([0, 1]) - 4,
        "product": sine(1, 0.2) * polynomial([0, 1, 1]) * 2,
        "negative": -sine(1, 0.3),
        "from the left": 3 - 2 * sine(1, 0.3),
        "delayed": (sine(1, 0.3) * ramp(1, start=-9)).delayed(0.25),
        "function": function(math.sin, d1=math.cos, d2=lambda t: -math.sin(t)),
    }


STORABLE = {
    **{k: d for k, d in smooth_drives().items() if k != "function"},
    "table": table(*POINTS),
    "linear table": table(*POINTS, kind="linear", outside="hold"),
    "third": constant(1 / 3) * sine(0.1, 1 / 7),
}


# ------------------------------------------------------------------------------ values, derivatives


@pytest.mark.parametrize("name", smooth_drives())
def test_derivatives_are_those_of_the_value(name):
    drive = smooth_drives()[name]
    jet = drive.jet(T)
    assert jet.shape == (T.size, 3)
    np.testing.assert_allclose(jet[:, 0], drive.values(T), rtol=1e-15)
    # h = 0.02 and frequencies below 3 rad/s: truncation below 1e-12, rounding about 1e-14
    np.testing.assert_allclose(jet[:, 1], central(drive.values, T, 0.02), atol=2e-12)
    first = central(lambda t: drive.jet(t)[:, 1], T, 0.02)
    np.testing.assert_allclose(jet[:, 2], first, atol=1e-11)


def test_analytic_formulas():
    w = 2 * np.pi * 3
    expected = np.column_stack(
        (2 * np.sin(w * T + 1), 2 * w * np.cos(w * T + 1), -2 * w * w * np.sin(w * T + 1))
    )
    np.testing.assert_allclose(sine(2, 3, 1).jet(T), expected, rtol=1e-13, atol=1e-12)
    expected = np.column_stack((1 + 2 * T + 3 * T**2, 2 + 6 * T, np.full(T.size, 6.0)))
    np.testing.assert_allclose(polynomial([1, 2, 3]).jet(T), expected, rtol=1e-15)
    assert constant(4).jet([0, 1]).tolist() == [[4, 0, 0], [4, 0, 0]]
    assert ramp(2, start=1).jet([0, 1, 1.5]).tolist() == [[0, 0, 0], [0, 2, 0], [1, 2, 0]]


def test_call_takes_numbers_and_arrays():
    drive = sine(1, 0.25)
    assert type(drive(1)) is float and drive(1) == pytest.approx(1)
    assert drive(np.ones((2, 3))).shape == (2, 3)
    assert drive.jet(1.0).shape == (1, 3) and drive.jet([]).shape == (0, 3)


# ------------------------------------------------------------------------------------------- tables


def test_cubic_table_reproduces_a_cubic():
    t = np.array([0, 0.3, 1, 1.7, 2.4, 3])
    cubic = polynomial([1, -2, 0.5, 0.25])
    np.testing.assert_allclose(table(t, cubic.values(t)).jet(T), cubic.jet(T), atol=1e-12)


def test_table_passes_through_its_points():
    for kind in ("cubic", "linear"):
        np.testing.assert_array_equal(table(*POINTS, kind=kind).values(POINTS[0]), POINTS[1])


def test_linear_table_has_slopes_from_the_right():
    jet = table([0, 1, 3], [0, 2, 3], kind="linear").jet([0, 0.5, 1, 2, 3])
    assert jet.tolist() == [[0, 2, 0], [1, 2, 0], [2, 0.5, 0], [2.5, 0.5, 0], [3, 0.5, 0]]


def test_a_spline_through_a_jump_is_warned_of():
    """The not-a-knot spline through (0, 1), (2, 1), (2 + e, -1), (3, -1) is one cubic: the slope of
    the jump carries it far beyond the points."""
    points = [0, 2, 2 + 1e-6, 3], [1, 1, -1, -1]
    with pytest.warns(lw.LinkworkWarning, match="between t = 0 and 2.*kind='linear'") as told:
        table = lw.table(*points)
    assert told[0].filename == __file__
    assert abs(table(1.0)) > 1e5
    assert lw.table(*points, kind="linear")(1.0) == 1.0
    lw.table(np.linspace(0, 6, 13), np.sin(np.linspace(0, 6, 13)))  # smooth points: no warning


def test_outside_a_table():
    drive = as_drive(table(*POINTS), what=NAME)
    for t in (-0.1, 3.1):
        with pytest.raises(DriveError, match=r"motor 'crank'.*between 0 and 3.*outside='hold'"):
            drive.jet([1, t])
    assert drive(3 * (1 + 1e-15)) == POINTS[1][-1]  # an end missed by rounding
    held = table(*POINTS, outside="hold").jet([-1, 3, 7])
    assert held.tolist() == [[1.0, 0, 0], [0.9, 0, 0], [0.9, 0, 0]]


# --------------------------------------------------------------------------------- as_drive, errors


def test_as_drive():
    assert as_drive(2) == as_drive(np.float32(2)) == as_drive(np.array(2)) == constant(2)
    drive = sine(1, 2)
    assert as_drive(drive) is drive
    named = as_drive(drive, what=NAME)
    assert named == drive and named.what == NAME and drive.what == ""
    for wrong in ("sin(t)", None, [1, 2], np.ones(1), {}):
        with pytest.raises(DriveError, match=r"motor 'crank'.*expected a drive, a number"):
            as_drive(wrong, what=NAME)
    with pytest.raises(DriveError, match=r"motor 'crank'.*nan"):
        as_drive(math.nan, what=NAME)


@pytest.mark.parametrize("bad", [math.nan, math.inf, None, "1", [1], 1j])
def test_wrong_parameters_are_explained(bad):
    for build in (constant, ramp, lambda v: ramp(1, v), lambda v: sine(v, 1), lambda v: sine(1, v),
                  lambda v: sine(1, 1, v), sine(1, 1).delayed):  # fmt: skip
        with pytest.raises(DriveError, match="drive: expected a finite number for"):
            build(bad)
    for build in (lambda v: polynomial([1, v]), lambda v: table([0, 1, 2, v], range(4)),
                  lambda v: table(range(4), [0, 1, 2, v])):  # fmt: skip
        with pytest.raises(DriveError, match="drive: expected a list of at least"):
            build(bad)


@pytest.mark.parametrize(
    ("arguments", "options", "found"),
    [
        (([0, 1, 1, 2], range(4)), {}, r"increasing times, found t\[1\] = 1 and t\[2\] = 1"),
        ((range(4), range(5)), {}, "4 times and 5 values"),
        ((range(3), range(3)), {}, "at least 4.*found 3.*kind='linear'"),
        (([0], [1]), {"kind": "linear"}, "at least 2.*found 1"),
        ((range(4), range(4)), {"kind": "quintic"}, "'quintic'"),
        ((range(4), range(4)), {"outside": "wrap"}, "'wrap'"),
        ((3, 4), {}, "list"),
    ],
)
def test_wrong_tables_are_explained(arguments, options, found):
    with pytest.raises(DriveError, match=f"table drive: expected.*{found}"):
        table(*arguments, **options)


def test_other_wrong_arguments():
    for build in (lambda: polynomial([]), lambda: polynomial(3), lambda: expression(3),
                  lambda: function(3), lambda: function(math.sin, d1=3),
                  lambda: sine(1, 1).jet([[0.0]]), lambda: sine(1, 1).jet([math.nan])):  # fmt: skip
        with pytest.raises(DriveError, match="expected"):
            build()
    with pytest.raises(DriveError, match="joined with numbers and other drives alone, found '1'"):
        sine(1, 1) + "1"


def test_drives_are_immutable_values():
    drive = sine(1, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        drive.amplitude = 3  # type: ignore[misc]
    assert hash(drive) == hash(sine(1, 2)) and drive != sine(1, 3)


# ------------------------------------------------------------------------------------------ algebra


@settings(max_examples=50, deadline=None)
@given(*[st.floats(-3, 3)] * 3)
def test_algebra(a, b, dt):
    p, q = sine(a, 0.3), polynomial([b, 1, a])
    P, Q = p.jet(T), q.jet(T)
    np.testing.assert_allclose((p + q).jet(T), P + Q, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose((p - q).jet(T), P - Q, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose((-p).jet(T), -P)
    np.testing.assert_allclose((b * p).jet(T), b * P)
    np.testing.assert_allclose((np.float64(b) * p).jet(T), b * P)
    np.testing.assert_allclose((p * q).jet(T), (q * p).jet(T), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose((a - p).jet(T), [a, 0, 0] - P, rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(q.delayed(dt).jet(T), q.jet(T - dt))
    np.testing.assert_allclose((p * p)(T), P[:, 0] ** 2)


def test_long_sums():
    total = sum((constant(1) for _ in range(3000)), start=constant(0))
    assert total(0) == 3000


# -------------------------------------------------------------------------------------- round trips


@pytest.mark.parametrize("name", STORABLE)
def test_round_trip(name):
    drive = STORABLE[name]
    for again in (drive_from_dict(json.loads(json.dumps(drive.to_dict()))),
                  pickle.loads(pickle.dumps(drive))):  # fmt: skip
        assert again == drive
        np.testing.assert_array_equal(again.jet(T), drive.jet(T))


def test_functions_cannot_be_stored():
    for drive in (as_drive(math.sin, what=NAME), as_drive(2 * as_drive(math.sin), what=NAME)):
        with pytest.raises(
            ModelError, match=r"motor 'crank'.*cannot be stored in a file; .*model="
        ):
            drive.to_dict()


@pytest.mark.parametrize(
    "stored",
    [{}, None, {"drive": "function", "f": 1}, {"drive": "sine"}, {"drive": ["sine"]},
     {"drive": "constant", "v": 1, "w": 2}, {"drive": "constant", "v": None},
     {"drive": "sum", "terms": [1]}, {"drive": "drive"}],
)  # fmt: skip
def test_damaged_dicts_are_explained(stored):
    with pytest.raises(ModelError, match="expected"):
        drive_from_dict(stored)


@pytest.mark.parametrize("kind", ["cubic", "natural", "linear"])
@pytest.mark.parametrize("t, y", [
    ([0, 1, 2, 3], [0, 1e308, -1e308, 1e308]), ([0, 1e-308, 2e-308, 1], [0, 1e9, 2, 3]),
])  # fmt: skip
def test_tables_whose_slopes_are_no_numbers(kind, t, y):
    with pytest.raises(DriveError, match="slopes are too large"):
        table(t, y, kind=kind)(0.5)


@pytest.mark.parametrize("given", ["soon", None, {}, [1, "two"]])
def test_what_is_no_time_is_refused_in_one_sentence(given):
    with pytest.raises(lw.DriveError, match="expected a time in seconds or an array of times"):
        lw.sine(1, 2)(given)


@pytest.mark.parametrize("exponent", [400, 5000])  # the second has no repr
@pytest.mark.parametrize("make", [
    lw.constant, lw.ramp, lambda x: lw.ramp(1, x), lambda x: lw.sine(1, x),
    lambda x: lw.polynomial([0, x]), lambda x: lw.table([0, 1], [0, x], kind="linear"),
    lambda x: lw.ramp(1) + x, lambda x: x * lw.ramp(1), lambda x: lw.ramp(1) / x,
    lambda x: lw.ramp(1) ** x, lambda x: x ** lw.ramp(1), lambda x: lw.ramp(1).delayed(x),
    lambda x: lw.formula("a*t", a=x), lambda x: lw.function(lambda t: x)(0.0),
    lambda x: lw.saturate(lw.ramp(1), 0, x), lambda x: lw.dead_zone(x, 1),
])  # fmt: skip
def test_numbers_that_no_float_holds(make, exponent):
    with pytest.raises(lw.DriveError, match="found|joined") as told:
        make(10**exponent)
    assert len(str(told.value)) < 300
