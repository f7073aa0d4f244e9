"""Expressions of time against complex steps; nothing but arithmetic is ever executed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from drive_differences import central
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import drive_from_dict

from linkwork import DriveError, ModelError, expression
from linkwork.model.drives.formulas.jets import FUNCTIONS

T = np.linspace(0.13, 2.9, 17)

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
