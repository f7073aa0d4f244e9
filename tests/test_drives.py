"""Drives against analytic formulas, complex steps and differences; their algebra and messages."""

from __future__ import annotations

import ast
import dataclasses
import json
import math
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork import errors
from linkwork.errors import DriveError, LinkworkError, LinkworkWarning, ModelError
from linkwork.model import drives
from linkwork.model.drives import (
    Drive,
    as_drive,
    constant,
    drive_from_dict,
    expression,
    function,
    polynomial,
    ramp,
    sine,
    table,
)
from linkwork.model.drives.jets import FUNCTIONS

T = np.linspace(0.13, 2.9, 17)
POINTS = ([0, 0.5, 1.1, 2, 3], [1.0, 0.2, -0.7, 0.4, 0.9])
NAME = "drive of motor 'crank'"


def central(f, t, h):
    """Eighth order central difference; truncation (w h)^8/630, rounding 1e-16/h."""
    w = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w[k - 1] * (f(t + k * h) - f(t - k * h)) for k in (1, 2, 3, 4)) / h


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


# --------------------------------------------------------------------------- values, derivatives


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


# ---------------------------------------------------------------------------------------- tables


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


def test_outside_a_table():
    drive = as_drive(table(*POINTS), what=NAME)
    for t in (-0.1, 3.1):
        with pytest.raises(DriveError, match=r"motor 'crank'.*between 0 and 3.*outside='hold'"):
            drive.jet([1, t])
    assert drive(3 * (1 + 1e-15)) == POINTS[1][-1]  # an end missed by rounding
    held = table(*POINTS, outside="hold").jet([-1, 3, 7])
    assert held.tolist() == [[1.0, 0, 0], [0.9, 0, 0], [0.9, 0, 0]]


# ----------------------------------------------------------------------------------- expressions

COMPLEX = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "exp": np.exp,
    "log": np.log, "log10": np.log10, "sqrt": np.sqrt, "pi": np.pi, "e": np.e,
}  # fmt: skip


def check_against_complex_step(text: str, t: np.ndarray) -> None:
    """y' from Im f(t + ih)/h (exact to rounding), y'' from differences of that."""

    def value(z):
        return eval(text.replace("^", "**"), {"__builtins__": {}}, {**COMPLEX, "t": z})

    def first(t):
        return np.imag(value(t + 1e-30j)) / 1e-30 + 0 * t

    jet = expression(text).jet(t)
    size = 1 + abs(jet).max(axis=0)
    assert (abs(jet[:, 0] - value(t)) <= 1e-13 * size[0]).all()
    assert (abs(jet[:, 1] - first(t)) <= 1e-12 * size.max()).all()
    # rounding 1e-16/h and truncation, generous for products of steep functions
    assert (abs(jet[:, 2] - central(first, t, 2e-3)) <= 1e-8 * size.max()).all()


@pytest.mark.parametrize("name", [n for n in COMPLEX if n in FUNCTIONS])
def test_each_function_of_an_expression(name):
    check_against_complex_step(f"{name}(0.2 + t^2/20)", T)


@pytest.mark.parametrize(
    "text",
    ["t**3", "t^-2", "2^t", "t^t", "t^1.5", "(1+t)/(2+sin(t))", "-t^2", "+t - -t", "1/t/t",
     "pi*t + e", "3", "2^3^0.5*t", "exp(-(t-1)^2)*cos(3*t)", "1e-3*t*t*t", "sin(cos(exp(-t)))"],
)  # fmt: skip
def test_operators_of_an_expression(text):
    check_against_complex_step(text, T)


smooth_text = st.recursive(
    st.sampled_from(["t", "2", "0.5", "pi"]),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from("+-*"), part).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(st.sampled_from(["sin", "cos", "tanh", "atan"]), part).map(
            lambda p: f"{p[0]}({p[1]})" if p[0] != "atan" else f"sin(sin({p[1]}))"
        ),
        part.map(lambda p: f"1/(2 + sin({p}))"),
        part.map(lambda p: f"sin({p})^2"),
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(smooth_text)
def test_random_smooth_expressions(text):
    jet = expression(text).jet(np.linspace(0.2, 1, 5))
    if abs(jet).max() < 1e3:  # steeper ones are beyond the differences, not beyond the drive
        check_against_complex_step(text, np.linspace(0.2, 1, 5))


@pytest.mark.parametrize(
    ("text", "t", "jet"),
    [
        ("abs(t)", 0, (0, 1, 0)),
        ("abs(t-1)", 0.5, (0.5, -1, 0)),
        ("ramp(t-1)", 1, (0, 1, 0)),
        ("ramp(t-1)", 0.5, (0, 0, 0)),
        ("min(t, 2-t)", 1, (1, -1, 0)),
        ("max(t, 2-t, 0)", 1, (1, 1, 0)),
        ("max(t^2, 0)", 0, (0, 0, 2)),
        ("step(t-1)*t", 1, (1, 1, 0)),
        ("step(t-1)*t", 0.9, (0, 0, 0)),
        ("where(t < 1, t, 3*t^2)", 2, (12, 12, 6)),
        ("t if t < 1 else 3*t^2", 0.5, (0.5, 1, 0)),
        ("where(t > 0, t*log(t), 0)", 0, (0, 0, 0)),
        ("where(t > 0 and not t > 2, 1, 0)", 1, (1, 0, 0)),
        ("(t > 1 or t == 0) * 2", 0, (2, 0, 0)),
        ("where(0 < t <= 1, t, 0)", 1, (1, 1, 0)),
        ("where(0 < t <= 1, t, 0)", 1.5, (0, 0, 0)),
        ("sign(t) + floor(t) + ceil(t)", 1.5, (4, 0, 0)),
        ("t % 0.5", 1.25, (0.25, 1, 0)),
        ("mod(t^2, 1)", 1.5, (0.25, 3, 2)),
        ("t^0 + t^1 + t^2", 0, (1, 1, 2)),
        ("0*t + 2", 0, (2, 0, 0)),
        ("\n 1 +\n t", 2, (3, 1, 0)),
    ],
)
def test_corners_and_conditions(text, t, jet):
    np.testing.assert_allclose(expression(text).jet([t])[0], jet, rtol=1e-15)


def test_atan2_goes_round():
    t = np.linspace(0, 3, 7)
    jet = expression("atan2(sin(2*t), cos(2*t))").jet(t)
    np.testing.assert_allclose(np.exp(1j * jet[:, 0]), np.exp(2j * t), rtol=1e-14)
    np.testing.assert_allclose(jet[:, 1:], np.tile([2, 0], (7, 1)), atol=1e-13)


def test_values_need_no_derivatives():
    root = expression("sqrt(t)")
    assert root(0) == 0
    with pytest.raises(DriveError, match=r"'sqrt\(t\)'.*finite first derivative at t = 0"):
        root.jet([0])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sin(q)", "the name 'q'"), ("foo(t)", "the function 'foo'"), ("sin t", "mistake"),
        ("", "nothing"), ("t.real", "'t.real'"), ("__import__('os')", "__import__"),
        ("sin()", "0 arguments"), ("sin(t, t)", "2 arguments"), ("1/0", "constant part"),
        ("1e999", "too large"), ("True", "'True'"), ("1j*t", "'1j'"), ("'t'", '"\'t\'"'),
        ("t # comment", "'#'"), ("sin(x=t)", "x=t"), ("[t]", r"'\[t\]'"), ("sin", "'sin'"),
        ("(" * 300 + "t" + ")" * 300, "mistake|nested"), ("-" * 9000 + "t", "nested"),
        ("t+" * 6000 + "t", "limit"), ("9" * 400, "too large"), ("0 < t in t", "in t"),
        ("(t:=3)", ":="), ("lambda: t", "lambda"), ("t\0", "."), ("f(t)(t)", "f"),
    ],
)  # fmt: skip
def test_wrong_expressions_are_explained(text, found):
    with pytest.raises(DriveError, match=found) as error:
        expression(text)
    assert "\n" not in str(error.value) and "write the drive as a formula in t" in str(error.value)


def test_an_expression_is_never_executed():
    with pytest.raises(DriveError):
        expression("().__class__.__base__.__subclasses__()")


tokens = st.lists(
    st.sampled_from(
        ["t", "pi", "1", "2.5", "1e400", "+", "-", "*", "/", "^", "**", "(", ")", ",", "sin(",
         "max(", "where(", "<", "and", "not ", "if", "else", "[", ":=", "lambda", "x", "0", "%",
         "mod(", "atan2(", "log(", "'", "\\", "@", "~", "1j", "in", "is", ".", "_"]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(max_size=30), tokens, st.text("t()+-*/^1.0sin,<> ", max_size=25)))
def test_random_text_gives_a_drive_or_a_model_error(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            drive = expression(text)
            jet = drive.jet(np.array([-1.0, 0.0, 0.5]))
        except ModelError as error:
            assert "\n" not in str(error)
        else:
            assert jet.shape == (3, 3) and np.isfinite(jet).all()
            assert drive_from_dict(drive.to_dict()) == drive


# ------------------------------------------------------------------------------ Python functions


@pytest.mark.parametrize("hertz", [0.01, 0.3, 1, 8, 10, 64, 100, 512, 1000, 1e4])
@pytest.mark.parametrize("t", [0.0, 0.37, 12.3, 1000.1])
def test_numerical_derivatives(hertz, t):
    w = 2 * math.pi * hertz
    drive = as_drive(lambda t: math.sin(w * t + 0.4))
    with pytest.warns(LinkworkWarning):
        _, y1, y2 = drive.jet([t])[0]
    # relative to the amplitudes w and w^2; w t is itself rounded, to 1e-16 w t
    assert abs(y1 - w * math.cos(w * t + 0.4)) < (1e-8 + 1e-15 * w * t) * w
    assert abs(y2 + w * w * math.sin(w * t + 0.4)) < (1e-6 + 1e-15 * w * t) * w * w


@pytest.mark.parametrize(
    ("f", "t", "jet"),
    [
        (lambda t: 0.0 if t < 0 else t + t * t, 0.0, (0, 1, 2)),
        (lambda t: math.exp(-t) / (t >= 0), 0.0, (1, -1, 1)),  # raises before 0
        (lambda t: math.exp(t) / (t <= 1), 1.0, (math.e,) * 3),  # raises after 1
        (lambda t: 5.0, 3.0, (5, 0, 0)),
        (lambda t: 0.0, 0.0, (0, 0, 0)),
        (lambda t: 1e12 * t, 0.5, (5e11, 1e12, 0)),
        (lambda t: t * t, 1e9, (1e18, 2e9, 2)),
    ],
)
def test_numerical_derivatives_at_corners_and_extremes(f, t, jet):
    with pytest.warns(LinkworkWarning):
        found = as_drive(f).jet([t])[0]
    np.testing.assert_allclose(found[0], jet[0], rtol=1e-15)
    np.testing.assert_allclose(found[1], jet[1], rtol=1e-8, atol=1e-8)
    # y'' of a large value drowns in its rounding: 1e-16 |y|/h^2, h = 1/64
    np.testing.assert_allclose(found[2], jet[2], rtol=1e-6, atol=1e-6 + 1e-11 * abs(jet[0]))


def test_warning_comes_once_and_only_for_derivatives():
    drive = as_drive(lambda t: t**2, what=NAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drive.values([3]) == [9] and drive(3) == 9 and (2 * drive + 1)(3) == 19
        function(math.sin, math.cos, lambda t: -math.sin(t)).jet([0])
    with pytest.warns(LinkworkWarning, match=r"motor 'crank'.*numerically.*d1=") as caught:
        drive.jet([0])
        drive.jet([1])
        as_drive(drive, what=NAME).jet([2])
    assert len(caught) == 1
    with pytest.warns(LinkworkWarning, match="no second derivative"):
        half = function(lambda t: t**3, d1=lambda t: 3 * t**2).jet([2])
    np.testing.assert_allclose(half, [[8, 12, 12]], rtol=1e-8)


def test_uncertain_derivatives_are_reported():
    rough = np.random.default_rng(1)
    drive = as_drive(lambda t: rough.random(), what=NAME)
    with pytest.warns(LinkworkWarning) as caught:
        drive.jet([0, 1, 2])
    assert len(caught) == 2
    assert "motor 'crank'" in str(caught[1].message) and "accurately" in str(caught[1].message)


def test_derivatives_as_attributes():
    def law(t):
        return t**2

    law.d1 = lambda t: 2 * t
    law.d2 = lambda t: 2
    assert as_drive(law).jet([3]).tolist() == [[9, 6, 2]]


def test_functions_get_one_float_at_a_time():
    seen = []
    as_drive(lambda t: seen.append(type(t)) or 0.0).values(T)
    assert seen == [float] * T.size


@pytest.mark.parametrize(
    ("f", "found"),
    [
        (lambda t: math.nan, "nan"),
        (lambda t: np.array([t]), r"shape \(1,\)"),
        (lambda t: None, "None"),
        (lambda t: "1", "'1'"),
        (lambda t: 1j, "1j"),
        (lambda t: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda: 1.0, "TypeError"),
        (lambda t: np.float64(np.inf), "inf"),
    ],
)
def test_wrong_functions_are_explained(f, found):
    drive = as_drive(f, what=NAME)
    for part in (drive, 2 * drive, (drive + 1).delayed(1)):
        with pytest.raises(DriveError, match=rf"motor 'crank'.*expected one.*{found}.*; correct"):
            part.values([1])


# -------------------------------------------------------------------------------- as_drive, errors


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
    with pytest.raises(TypeError):
        sine(1, 1) + "1"


def test_drives_are_immutable_values():
    drive = sine(1, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        drive.amplitude = 3  # type: ignore[misc]
    assert hash(drive) == hash(sine(1, 2)) and drive != sine(1, 3)


# --------------------------------------------------------------------------------------- algebra


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


# --------------------------------------------------------------------------------- round trips


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


# ---------------------------------------------------------------------------------------- errors


def test_error_classes():
    for name, builtin in (("ModelError", ValueError), ("DriveError", ModelError),
                          ("ResultFileError", OSError), ("Interrupted", KeyboardInterrupt),
                          ("AssemblyError", Exception), ("ConvergenceError", Exception),
                          ("SingularError", Exception)):  # fmt: skip
        error = getattr(errors, name)("a sentence")
        assert isinstance(error, LinkworkError) and isinstance(error, builtin)
        assert str(error) == "a sentence"
        assert str(pickle.loads(pickle.dumps(error))) == "a sentence"


def test_error_attributes_survive_pickling():
    error = errors.ConvergenceError("did not converge", time=0.3, state="s")
    again = pickle.loads(pickle.dumps(error))
    assert (again.time, again.result, again.state) == (0.3, None, "s")
    assert errors.AssemblyError("open", violations={"pin.x": 1.0}).violations == {"pin.x": 1.0}
    stop = errors.Interrupted("stopped", result=1, path="run.nc")
    assert (stop.result, stop.path) == (1, "run.nc")
    assert errors.Interrupted("stopped").result is None


def test_modules_import_nothing_heavy():
    files = [Path(errors.__file__), *Path(drives.__file__).parent.glob("*.py")]
    assert len(files) > 5
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        top = {a.name for n in tree.body if isinstance(n, ast.Import) for a in n.names}
        top |= {n.module for n in tree.body if isinstance(n, ast.ImportFrom)}
        known = set(sys.stdlib_module_names) | {"numpy", "linkwork"}
        assert {name.split(".")[0] for name in top} <= known


# ------------------------------------------------------------------ drives made of drives


def composed_drives() -> dict[str, Drive]:
    """Drives of drives that are smooth over T."""
    wave, line = sine(0.5, 0.3, 0.4), polynomial([0.3, 0.8, 0.1])
    theta = (sine(0.5, 0.3), sine(0.4, 0.2, 1), sine(0.7, 0.1, 0.2))
    return {
        "chain": drives.Chain(wave, line),
        "quotient": drives.Quotient(wave, line),
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


def test_integral_over_jumps():
    """∫ of a step and of a comb, exactly the areas."""
    step = drives.Piecewise((1.0, 2.5), (constant(0), constant(2), constant(-1)))
    t = np.array([-1.0, 0.5, 1.25, 2.5, 4.0])
    np.testing.assert_allclose(drives.Integral(step)(t), [0, 0, 0.5, 3, 1.5], atol=1e-13)
    comb = drives.Periodic(drives.Piecewise((0.5,), (constant(1), constant(0))), 0.0, 1.0)
    assert drives.Integral(comb, -1.0, 3.0)(4.25) == pytest.approx(3 + 2 + 0.25, abs=1e-12)


def test_turns_make_the_rotation_vector():
    from linkwork.math import rotations

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
