"""Fours: compiled code against its model in numpy, and against linear algebra."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from inside import compiled

from linkwork.elements.joints.lock_tangent import (
    add3,
    add_turns,
    crossed,
    put3,
    rotation_rows,
    skew_rows,
    times,
    turned,
)  # fmt: skip
from linkwork.extend import STRIDE
from linkwork.kernels.registers.eights import store8
from linkwork.kernels.registers.fours import larger4, load4, pair8, row4, store4, unit4, zeros4

NUMBERS = st.floats(-1e3, 1e3, width=64)
MANY = settings(max_examples=50, deadline=None, derandomize=True)


@compiled
def fours(a, s, out):
    v, w = load4(a, 0), row4(a, 1)
    store4(out, 0, v)
    store4(out, 4, w)
    store4(out, 8, v + w)
    store4(out, 12, v * s - w)
    store4(out, 16, -v)
    store4(out, 20, unit4(0) + unit4(2) * s)
    store4(out, 24, zeros4())
    store8(out, 28, pair8(row4(a, 0), w))
    store4(out, 36, larger4(v, w * s))
    return 0


@compiled
def products(R, a, s, out):
    """a~ R, R'R, a' R and a~, the rows of each, in blocks of rows of eight."""
    X = rotation_rows(R, 0)
    none = zeros4(), zeros4(), zeros4()
    x = times(a, X)
    put3(out, 0, skew_rows(a), crossed(a, X))
    put3(out, 3 * STRIDE, none, turned((R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), X))
    put3(out, 6 * STRIDE, (x, x, x), none)
    add_turns(out, 9 * STRIDE, X)
    add3(out, 12 * STRIDE, skew_rows(a), X)
    return 0


@MANY
@given(arrays(float, 8, elements=NUMBERS), NUMBERS)
def test_fours(a, s):
    found, expected = np.zeros(40), np.zeros(40)
    fours(a, s, found)
    fours.py_func(a, s, expected)
    size = np.abs(a[:4] * s) + np.abs(expected[4:8])
    exact = np.r_[0:12, 16:36]
    assert np.array_equal(found[exact], expected[exact])
    assert np.all(np.abs(found - expected)[12:16] <= 2.3e-16 * size)
    assert np.array_equal(found[:12], [*a[:4], *a[1:4], 0, *(a[:4] + [*a[1:4], 0])])


@MANY
@given(arrays(float, 9, elements=NUMBERS), arrays(float, 3, elements=NUMBERS))
def test_rows_of_blocks(R, a):
    """Against numpy; numbers that are not of the block stay as they were."""
    padded, given_ = np.append(R, 5.0), np.arange(15.0 * STRIDE) % 17
    given_.reshape(15, STRIDE)[:9, 6] = 0.0
    out = given_.copy()
    products(padded, tuple(a), 0.0, out)
    M = R.reshape(3, 3)
    skew = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    rows, before = out.reshape(15, STRIDE), given_.reshape(15, STRIDE)
    expected = before.copy()
    expected[:9, :7] = 0.0
    expected[:3, :3], expected[:3, 3:6] = skew, skew @ M
    expected[3:6, 3:6] = M.T @ M
    expected[6:9, :3] = a @ M
    expected[9:12, 3:6] += M
    expected[12:, :3] += skew
    expected[12:, 3:6] += M
    size = 1e-15 * (1 + np.abs(R).max() * (np.abs(R).max() + np.abs(a).max()) * 3)
    assert np.all(np.abs(rows - expected) <= size)
    assert np.array_equal(rows[:, 6:], expected[:, 6:])
