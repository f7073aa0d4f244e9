"""Eights and borrowed arrays: compiled code against the model of both in numpy."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from inside import compiled
from uncompiled import printed_numbers

from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.registers.eights import (
    LANES,
    any8,
    high8,
    item8,
    join8,
    lane8,
    larger8,
    last8,
    load8,
    put8,
    six8,
    spread8,
    store6,
    store8,
    sum8,
    triples8,
    zeros8,
)  # fmt: skip

NUMBERS = st.floats(-1e6, 1e6, width=64)
EIGHTS = arrays(float, LANES, elements=NUMBERS)
MANY = settings(max_examples=50, deadline=None, derandomize=True)


@compiled
def arithmetic(a, s, n, out):
    """Every operation with a vector on the left and on the right, and with numbers."""
    v, w = load8(a, 0), load8(a, LANES)
    store8(out, 0, v + w)
    store8(out, 8, v - w)
    store8(out, 16, v * w)
    store8(out, 24, v / w)
    store8(out, 32, v * s)
    store8(out, 40, s * v)
    store8(out, 48, s - v)
    store8(out, 56, v + n)
    store8(out, 64, n - v)
    store8(out, 72, -v)
    store8(out, 80, v / s)
    store8(out, 88, s / w)
    store8(out, 96, v - w * s)
    return 0


@compiled
def rearranged(a, i, out):
    v, w = load8(a, 0), load8(a, LANES)
    store8(out, 0, larger8(v, w))
    store8(out, 8, spread8(sum8(v)))
    store8(out, 16, lane8(v, i))
    store8(out, 24, six8((a[0], a[1], a[2]), (a[3], a[4], a[5])))
    return sum8(w)


@compiled
def parts(a, i, out):
    """Single lanes, triples and the last two."""
    v, w = load8(a, 0), load8(a, LANES)
    store8(out, 0, put8(v, i, w))
    store8(out, 8, high8(v))
    store8(out, 16, join8(v, w))
    store8(out, 24, last8(v, a[9], a[10]))
    store6(out, 32, v)
    first, second = triples8(w)
    store8(out, 40, six8(second, first))
    return item8(v, i)


@compiled
def is_something(a):
    return any8(load8(a, 0))


@compiled
def through_borrowed(a, numbers, grid, i, j):
    """Numbers and eights read and written at the same places as in the flat arrays."""
    b, k, g = borrow(a), borrow(numbers), borrow(grid)
    b[i] = b[j] + 0.5
    k[i] = k[j] + k[0]
    store8(b, j, load8(b, i) * 2.0)
    store8(g, j, load8(b, i) + load8(g, i))
    g[i] = b[j] * k[i]
    return g[j] + k[i]


@MANY
@given(arrays(float, 2 * LANES, elements=st.floats(1e-3, 1e3) | st.floats(-1e3, -1e-3)),
       st.floats(1e-2, 1e2), st.integers(-50, 50))  # fmt: skip
def test_arithmetic(a, s, n):
    """Equal but for contraction of a product and a sum into one rounding."""
    found, expected = np.zeros(104), np.zeros(104)
    arithmetic(a, s, n, found)
    arithmetic.py_func(a, s, n, expected)
    assert np.array_equal(found[:96], expected[:96])  # one operation: one rounding
    v, w = a[:LANES], a[LANES:]
    size = np.abs(v) + np.abs(w * s)
    assert np.all(np.abs(found - expected)[96:] <= 2.3e-16 * size)


@MANY
@given(EIGHTS, EIGHTS, st.integers(0, LANES - 1))
def test_rearrangements(v, w, i):
    found, a = np.zeros(32), np.concatenate([v, w])
    total = rearranged(a, i, found)
    assert np.array_equal(found[:8], np.where(v > w, v, w))
    assert np.all(found[16:24] == v[i]) and np.array_equal(found[24:], [*v[:6], 0, 0])
    for sum_, parts in ((total, w), (found[8], v)):
        assert abs(sum_ - np.sum(parts)) <= 8 * 1.2e-16 * np.abs(parts).sum()
    expected = np.zeros(32)
    rearranged.py_func(a, i, expected)
    assert np.array_equal(found[:8], expected[:8]) and np.array_equal(found[16:], expected[16:])


@pytest.mark.parametrize("number", [0.0, -0.0, 5e-324, -1.0, np.inf, np.nan])
@pytest.mark.parametrize("lane", range(LANES))
def test_any(number, lane):
    a = np.zeros(LANES)
    a[lane] = number
    assert is_something(a) == is_something.py_func(a) == (number != 0.0)


@MANY
@given(EIGHTS, EIGHTS, st.integers(0, LANES - 1))
def test_parts(v, w, i):
    """Also that six numbers are stored and the two behind them stay."""
    found, a = np.full(48, 7.0), np.concatenate([v, w])
    assert parts(a, i, found) == v[i]
    changed = v.copy()
    changed[i] = w[i]
    expected = [*changed, 0, 0, 0, *v[3:6], 0, 0, *v[:3], *w[3:6], *v[6:], *v[:6], w[1], w[2]]
    assert np.array_equal(found, [*expected, *v[:6], 7, 7, *w[3:6], *w[:3], 0, 0])
    model = np.full(48, 7.0)
    assert parts.py_func(a, i, model) == v[i] and np.array_equal(model, found)


@MANY
@given(arrays(float, 32, elements=st.floats(-1e3, 1e3)), st.integers(0, 8), st.integers(12, 20),
       arrays(np.int64, 32, elements=st.integers(-1000, 1000)))  # fmt: skip
def test_borrowed(a, i, j, numbers):
    """Also of an array with two axes, which is borrowed as a flat one; nothing else changes."""
    pairs = []
    for function in (through_borrowed, through_borrowed.py_func):
        x, k, g = a.copy(), numbers.copy(), a[::-1].reshape(4, 8).copy()
        pairs.append((function(x, k, g, i, j), x, k, g))
    (value, *found), (same, *expected) = pairs
    assert value == same
    for mine, its in zip(found, expected, strict=True):
        assert np.array_equal(mine, its)


@pytest.mark.parametrize("place", range(9))
def test_eights_anywhere_in_an_array(place):
    """No alignment is assumed: loads and stores begin at any number, also of a part of an array."""
    room = np.arange(40.0)
    for a in (room[:24].copy(), room[3:27]):
        before, out = a.copy(), np.zeros(104)
        arithmetic(a[place:], 2.0, 3, out)
        assert np.array_equal(out[:8], a[place : place + 8] + a[place + 8 : place + 16])
        assert np.array_equal(a, before)
        borrowed, numbers = a.copy(), np.arange(24)
        through_borrowed(borrowed, numbers, np.zeros(24), 0, place + 1)
        changed = np.flatnonzero(borrowed != a)
        assert set(changed) <= {0, *range(place + 1, place + 9)}


@pytest.mark.parametrize("count", [0, 1, 7, 8, 100])
def test_zeros_start_on_a_cache_line(count):
    for _ in range(5):
        a = zeros8(count)
        assert a.shape == (count,) and a.dtype == float and not a.any()
        assert a.ctypes.data % 64 == 0 or count == 0
        assert a.flags.c_contiguous and a.flags.writeable


def test_without_compilation():
    """The model runs where nothing is compiled, with the same numbers."""
    a = np.linspace(-3, 5, 16)
    out = np.zeros(32)
    last = rearranged(a, 3, out)
    code = (
        "import numpy as np; from test_eights import rearranged; out = np.zeros(32);"
        "last = rearranged(np.linspace(-3, 5, 16), 3, out); print(last, *out)"
    )
    assert np.allclose(printed_numbers(code), [last, *out], rtol=1e-15, atol=0)
