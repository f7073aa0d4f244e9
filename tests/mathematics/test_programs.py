"""Drives that read the motion, as compiled programs: equal to the jets in Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inside import Chain, Constant, Function, Piecewise

import linkwork as lw
from linkwork import compile_model
from linkwork.elements.signals import signals
from linkwork.kernels.memory.pointers import PythonCallback
from linkwork.model.drives.chebyshev import Chebyshev
from linkwork.model.drives.pieces import Periodic, Quotient
from linkwork.model.drives.simple import Polynomial
from linkwork.model.drives.sums import Delayed, Product, Sum
from linkwork.model.drives.table import Table
from linkwork.model.signals.programs import translate
from linkwork.model.signals.signal import Signal

MODEL = lw.Model()
BODY = MODEL.add("body", lw.Body(1, (1, 1, 1)))
X = [lw.reads(BODY, "position", axis) for axis in "xyz"] + [lw.reads(BODY, "velocity", "x")]
PLACES = [0, 1, 2, 6]  # of these readings in the gradient of a body
SPLINE = Table((-3, -1, 0.5, 2, 3.5), (1, -2, 0.3, 4, 4.5), "cubic", "hold")
LINES = Table((-1, 0, 2), (0.5, 1, -3), "linear", "extend")
BOUNDED = Table((-2, 0, 2), (0.5, 1, -3), "natural", "error")


def loaded(drive):
    """The model with one force that has this drive, compiled."""
    MODEL.add("load", lw.Force(BODY, (1, 0, 0), drive=drive))
    try:
        return compile_model(MODEL).data()
    finally:
        MODEL.remove("load")


class Compiled:
    """A drive in a compiled model, without Python behind it."""

    def __init__(self, drive):
        self.asked = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(signals, "drive_callback", self.blind)
            self.data = loaded(drive)
        self.place = self.data.system.places[0].start

    def blind(self, item, signal):
        def enter(t, x, out):
            self.asked.append(t)
            out[:] = np.nan

        return PythonCallback(enter, len(signal.readings) + 1, len(signal.readings) + 1)

    def __call__(self, t, x):
        """Value and slopes by the four readings; None where Python would be asked."""
        state = self.data.system.described_state(t)
        state.motion[0, [0, 1, 2, 7]] = x
        self.asked.clear()
        self.data.evaluate(state)
        reals = self.data.tables.reals[self.place :]
        return None if self.asked else (reals[0], reals[1:][PLACES].copy())


def in_python(drive, t, x):
    signal = Signal(drive)
    places = [next(i for i, known in enumerate(X) if known is r) for r in signal.readings]
    y, slopes = signal.value_and_slopes(t, np.array(x)[places])
    found = np.zeros(4)
    found[places] = slopes
    return y, found


def equal(drive, t, x, tolerance=1e-11):
    y, slopes = in_python(drive, t, x)
    found = Compiled(drive)(t, x)
    assert found is not None, "Python was asked"
    assert abs(found[0] - y) <= tolerance * max(1.0, abs(y))
    scale = max(1.0, np.abs(slopes).max())
    np.testing.assert_allclose(found[1] / scale, slopes / scale, rtol=0, atol=tolerance)


FORMULAS = (
    "sin(x) + cos(y)*tan(z/3) - sinh(v)/cosh(x)", "asin(x/4) + acos(y/4) + atan(z) + tanh(v)",
    "exp(-x^2) + log(2 + y^2) + log10(3 + z) + sqrt(4 + v)",
    "x^3 - 2*y^-2 + (4 + z)^2.5 + x^1 + y^0",
    "(3 + x)^y + 2^z", "atan2(x, y)*atan2(z, -v)", "abs(x) + abs(-y) + sign(z) + floor(3*x)*y",
    "ceil(2*y)*x + mod(x, 0.3)*y + (y % -1.7)", "step(x)*z + ramp(y) + ramp(-y)",
    "min(x, y, z) + 2*max(x, y, z, v) - max(x, 0.1)",
    "where(x > y, z, v*z) + (x if y >= z else 2*y)",
    "(x < y)*z + (x <= y)*v + (x == y) + (x != y)*y + (x > 0 and y > 0)*z + (x > 0 or y > 0)*v",
    "(not x > 0)*y + (-1 < x < 1)*z", "x*t + sin(t*y)", "where(x > 100, log(x - 100), 3*x)",
)  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_every_function_of_formulas(text):
    rng = np.random.default_rng(len(text))
    names = {n: r for n, r in zip("xyzv", X) if n in text.replace("exp", "").replace("max", "m")}
    drive = lw.formula(text, **names)
    for _ in range(12):
        equal(drive, rng.uniform(0, 2), rng.uniform(-2, 2, 4))


def test_functions_of_readings():
    """Tables, polynomials, series, periods and pieces with a reading as their argument."""
    rng = np.random.default_rng(3)
    inner = 0.8 * X[0] + X[1] * X[2]
    outer = [
        SPLINE, LINES, Polynomial((1, -2, 0.5, 0.25)), Polynomial((2.0,)),
        Chebyshev(-3, 4, (1, 2, 3, -1)), Chebyshev(-3, 4, (1.5,)), Periodic(SPLINE, -1.0, 0.7),
        lw.sine(2, 0.3, 0.4), lw.ramp(3, 0.2), Quotient(SPLINE, Constant(2) + LINES * LINES),
        Delayed(lw.sine(1, 1), 0.4), lw.expression("t*sin(t)"),
        Piecewise((-0.5, 0.5), (lw.sine(1, 1), LINES, SPLINE)), Chain(SPLINE, lw.sine(3, 0.2)),
        Piecewise((-0.5, -0.5, 0.5), (Constant(1), SPLINE, LINES, Constant(3) * LINES)),
    ]  # fmt: skip
    for f in outer:
        for _ in range(6):
            equal(Chain(f, inner) + X[3], rng.uniform(0, 2), rng.uniform(-2, 2, 4))


def test_a_function_that_reads_itself():
    """f(x, v) with f a drive that reads v, taken at the value of a reading x: f_x and f_v."""
    compiled = Compiled(Chain(lw.formula("t^2*v + sin(v)", v=X[3]), 3 * X[0]))
    y, slopes = compiled(0.7, [0.4, 0, 0, -1.1])
    assert y == pytest.approx(1.2**2 * -1.1 + np.sin(-1.1), rel=1e-14)
    expected = [3 * 2 * 1.2 * -1.1, 0, 0, 1.2**2 + np.cos(-1.1)]
    np.testing.assert_allclose(slopes, expected, rtol=1e-14)


def test_at_the_breaks():
    """Where two values of a maximum are equal, and at breaks, slopes are those from the right."""
    for text in ("abs(x)", "ramp(x)", "ramp(-x)", "max(x, y)", "min(x, 2*y, -y)", "max(x, 0, y)"):
        names = {n: r for n, r in zip("xy", X) if n in text.replace("max", "")}
        equal(lw.formula(text, **names), 0.3, np.zeros(4))
    pieces = Piecewise((0.0, 1.0), (lw.ramp(1), Polynomial((0, 2)), Polynomial((5, 1))))
    for drive in (pieces, LINES, SPLINE, BOUNDED, lw.ramp(2)):
        for x in (-1.0, 0.0, 1.0, 2.0):
            equal(Chain(drive, X[0]), 0.0, [x, 0, 0, 0])


# ----------------------------------------------------------------------------- random trees

NUMBER = st.floats(-3, 3).map(lambda x: round(x, 2))
OF_TIME = st.one_of(
    st.builds(lw.sine, NUMBER, NUMBER), st.builds(lw.ramp, NUMBER, NUMBER),
    st.builds(lambda a, b: Polynomial((a, b)), NUMBER, NUMBER), st.just(SPLINE), st.just(LINES),
    st.builds(Constant, NUMBER), st.just(lw.expression("exp(-t)*cos(3*t)")), st.just(BOUNDED),
    st.just(Function(lambda t: t * t)),
)  # fmt: skip
OUTER = st.sampled_from([
    SPLINE, LINES, BOUNDED, lw.sine(1, 0.4), lw.ramp(2, 0.1), Polynomial((1, 0.5, -0.2)),
    Chebyshev(-4, 4, (0.2, 1, -0.3)), Periodic(LINES, 0.0, 1.3),
    Piecewise((0.2,), (lw.sine(1, 0.2), LINES)),
])  # fmt: skip
UNARY = st.sampled_from(
    ["sin(a)", "cos(a)", "tanh(a)", "exp(a/3)", "sqrt(a)", "log(a)", "atan(a)", "abs(a)", "ramp(a)",
     "step(a)*a", "1/a", "a^2", "a^3", "a^0.5", "asin(a/9)", "floor(a)", "-a", "t*a"]
)  # fmt: skip
BINARY = st.sampled_from(
    ["a + b", "a - b", "a*b", "a/b", "min(a, b)", "max(a, b)", "atan2(a, b)",
     "(a if a*b < 1 else b)", "where(a > b, a, 2*b)", "mod(a, 2 + b^2)", "(a > 0 and b > 0)*b"]
)  # fmt: skip


def grown(tree):
    return st.one_of(
        st.builds(lambda a, b: a + b, tree, tree),
        st.builds(Product, tree, tree),
        st.builds(Quotient, tree, tree),
        st.builds(Chain, OUTER, tree),
        st.builds(lambda f, a: lw.formula(f, a=a), UNARY, tree),
        st.builds(lambda f, a, b: lw.formula(f, a=a, b=b), BINARY, tree, tree),
        st.builds(lambda a, b, x: Piecewise((x,), (a, b)), tree, tree, NUMBER),
        st.builds(lambda a, b, c: Sum((a, b, c)), tree, tree, OF_TIME),
    )


LEAVES = st.one_of(st.sampled_from(X), st.sampled_from(X), OF_TIME)
TREES = st.recursive(LEAVES, grown, max_leaves=9)


@pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
@settings(max_examples=150, deadline=None)
@given(TREES, st.integers(0, 10**6))
def test_random_trees(tree, number):
    """The program says what Python says; where Python refuses, the program leaves it to Python."""
    drive = tree * X[0]
    rng = np.random.default_rng(number)
    t, x = rng.uniform(0.1, 1.9), rng.uniform(-2, 2, 4)
    assert translate(Signal(drive)) is not None
    found = Compiled(drive)(t, x)
    try:
        y, slopes = in_python(drive, t, x)
    except lw.DriveError as error:
        assert found is None or "derivative" in str(error)  # by time: programs need none
        return
    if found is None:  # an infinite number on the way, which Python may get over
        return
    assume(abs(y) < 1e6 and np.abs(slopes).max() < 1e6)
    assert abs(found[0] - y) <= 1e-9 * max(1.0, abs(y))
    np.testing.assert_allclose(found[1], slopes, rtol=1e-8, atol=1e-8 * max(1.0, abs(y)))


def test_what_programs_cannot_do_is_left_to_python():
    """A Python function of a reading: its slope is by differences, its value its own."""
    drive = Chain(Function(lambda x: x**3, lambda x: 3 * x**2, lambda x: 6 * x), X[0])
    assert translate(Signal(drive)) is None
    data = loaded(drive)
    state = data.system.described_state()
    state.motion[0, 0] = 1.5
    found = data.evaluate(state)
    assert found.f[0, 0] == pytest.approx(-(1.5**3), rel=1e-15)
    assert found.stiffness.toarray()[0, 0] == pytest.approx(-3 * 1.5**2, rel=1e-9)


def test_slopes_that_python_would_mix_are_refused():
    """Values would be right, slopes not: f(u) with readings in f, beside a Python function."""
    python = Chain(Function(lambda x: x**3, lambda x: 3 * x**2, lambda x: 6 * x), X[0])
    mixed = python + Chain(X[0] * Polynomial((0.0, 1.0)), X[1])
    assert translate(Signal(mixed)) is None
    with pytest.raises(lw.DriveError, match="write the function as lw.formula"):
        loaded(mixed)


def test_a_drive_of_time_is_asked_only_where_it_is_used():
    """A table that ends at 2 s, used only before 1 s, does not stop a run to 4 s."""
    m = lw.Model()
    body = m.add("body", lw.Body(1, (1, 1, 1), velocity=(1, 0, 0)))
    drive = Piecewise((1.0,), (BOUNDED * lw.reads(body, "velocity", "x"), Constant(0.0)))
    m.add("load", lw.Force(body, (0, 1, 0), drive=drive))
    lw.transient(m, 4, 0.1, progress=False)
    m["load"].drive = BOUNDED * lw.reads(body, "velocity", "x")
    with pytest.raises(lw.ModelError, match="has no value.*expected a time between -2 and 2"):
        lw.transient(m, 4, 0.1, progress=False)
