"""The math language of MBDyn's input files: values, variables, formulas of time."""

from __future__ import annotations

import numpy as np
import pytest
from inside import parse

import linkwork as lw
from linkwork.io.mbdyn.syntax.evaluation import Symbols
from linkwork.io.mbdyn.syntax.formula import Translator
from linkwork.io.mbdyn.syntax.language import ExpressionError

# --------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2.5", 3.5), ("1/3", 0), ("-7/2", -3), ("7 % 4", 3), ("1./4", 0.25), ("2^3^2", 512.0),
        ("-2^2", 4.0), ("9^2/10^2", 0.81), ("10^-3", 0.001), ("7^1/2", 3.5), ("2^3 % 5", 3.0),
        ("2^-1.", 0.5), ("-2.^2", 4.0), ("3*-2", -6), ("1 < 2 && 2 < 1", False),
        ("1 < 2 || 2 < 1", True), ("TRUE ~| TRUE", False), ("!1 == 2", False), ("!0", True),
        ("!(1 == 2)", True), ("1 || 1 && 0", False), ("0 && 1 || 1", True), ("1 ~| 1 || 1", True),
        ("2 + !0", 3), ("!0^2", 1.0), ("-7 % 4", -3), ("abs(-3)/2", 1.5), ("sign(-3)/2", -0.5),
        ("ceil(2.5)/2", 1), ("TRUE/2", 0), ("min(7, 8)/2", 3.5),
        ("(real a = 2.; integer b = 3; a*b)", 6.0), ("sin(pi/6)", 0.5), ("default::sqrt(4)", 2.0),
        ('"ab" + 3', "ab3"), ('sprintf("%04d", 9)', "0009"), ('"a\\"b"', 'a"b'), ("1e3", 1000.0),
        ("integer(2.7)", 2), ("real(2)", 2.0), ("bool(3)", True), ("floor(-1.5)", -2),
        ("round(2.5)", 3), ("in_el(1, 1, 2)", True), ("in_ll(1, 1, 2)", False),
        ("copysign(2, -1)", -2.0), ("sramp(5, 2)", 2.0), ("step(1)", 1.0), ("max(1, 2)", 2.0),
        ("deg2rad*180", np.pi), ("lb2kg", 0.45359237), ("+ + 3", 3), ("2*(3 + 4)*5", 70),
        ("10 - 3 - 2", 5), ("atan2(1, 1)", np.pi / 4), ("2 == 2.", True),
    ],
)  # fmt: skip
def test_values_of_expressions(text, value):
    found = Symbols().evaluate(parse(text))
    assert type(found) is type(value)
    assert found == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1/0", "division by zero"), ("1 +", "expected a number, a name"), ("(1", "expected '\\)'"),
        ("nothing", "'nothing' is no variable"), ("nothing(1)", "no function 'nothing'"),
        ("sin(1, 2)", "takes 1 values, found 2"), ("sqrt(-1)", "has no value"),
        ('"a"*2', "needs numbers"), ("2000000000*2", "grows too large"), ("0^-1", "has no value"),
        ("integer(9999999999)", "too large"), ("x = 3", "not declared"), ("pi = 3.", "constant"),
        ("integer i = 2.5", "write integer\\(2.5\\)"), ("const real z", "needs a value"),
        ("1 $ 2", "found '\\$'"), ("real 3", "expected an operator or the end"),
        ("Time", "before the model moves"), ("exp(1000)", "has no value"), ("stop(1, 2)", "stops"),
        ("((((" * 40 + "1" + "))))" * 40, "nested too deeply"), ("1e400*0", "not finite"),
    ],
)  # fmt: skip
def test_wrong_expressions_are_explained(text, words):
    with pytest.raises(ExpressionError, match=words):
        Symbols().evaluate(parse(text))


def test_variables():
    s = Symbols()
    for text in ("integer N", "N = 4", "ifndef integer N = 7", "const real x = -1.e-3",
                 "ifndef real y = 2", 'string name = "rod" + N'):  # fmt: skip
        s.evaluate(parse(text))
    assert s.value("N") == 4 and s.value("x") == -1e-3 and s.value("y") == 2.0
    assert s.value("name") == "rod4"
    with pytest.raises(ExpressionError, match="declared as integer already"):
        s.evaluate(parse("real N = 2"))


def test_environment():
    s = Symbols()
    s.take_environment({"MBDYNVARS": "real DT = 1e-3; integer K = 2;", "MBDYN_real_mass": "2*3.",
                        "MBDYN_string_who": "me", "MBDYN_other": "x"})  # fmt: skip
    assert s.value("DT") == 1e-3 and s.value("K") == 2
    assert s.value("mass") == 6.0 and s.value("who") == "me"


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("e^(-Time)*cos(2.*pi*Time)", lambda t: np.exp(-t) * np.cos(2 * np.pi * t)),
        ("(Time > .5)*3 + 1/2", lambda t: 3.0 * (t > 0.5)),
        ("floor(4*Time)/3", lambda t: np.trunc(np.floor(4 * t) / 3)),
        ("real s = sin(Time); s*s + !(s > .5)", lambda t: np.sin(t) ** 2 + (np.sin(t) <= 0.5)),
        ("Time > .2 || Time > .5 && Time > .7", lambda t: (t > 0.7).astype(float)),
        ("round(Time*3) % 2", lambda t: np.mod(np.floor(3 * t + 0.5), 2)),
        ("floor(3*Time)^2/4", lambda t: np.floor(3 * t) ** 2 / 4),
        ("3^2/2*Time", lambda t: 4.5 * t),
        ("-Time^2", lambda t: t**2), ("sramp(Time, .4)", lambda t: np.clip(t, 0, 0.4)),
        ("in_le(.25, Time, .5)", lambda t: ((t > 0.25) & (t <= 0.5)).astype(float)),
        ("asinh(Time) + acosh(1 + Time) + atanh(Time/2)",
         lambda t: np.arcsinh(t) + np.arccosh(1 + t) + np.arctanh(t / 2)),
        ("copysign(2, Time - .5)*ctan(1 + Time)",
         lambda t: np.copysign(2, t - 0.5) / np.tan(1 + t)),
        ("(Time > .2) ~| (Time > .6)", lambda t: ((t > 0.2) ^ (t > 0.6)).astype(float)),
        ("step(Time - .5)*max(Time, .7)", lambda t: (t > 0.5) * np.maximum(t, 0.7)),
    ],
)  # fmt: skip
def test_formulas_of_time(text, function):
    t = np.linspace(0.013, 0.99, 57)
    part = Translator(Symbols()).part(parse(text))
    np.testing.assert_allclose(lw.expression(part.text)(t), function(t), atol=1e-14)
