"""Named tuples of arrays by one address: stored, handed on, stored again in another process."""

from __future__ import annotations

import copy
import pickle
import timeit
from typing import NamedTuple

import numba
import numpy as np
import pytest
from inside import compiled as decorated
from uncompiled import printed_numbers

from linkwork.kernels import compiled
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats, Floats2, Ints, refer, stored
from linkwork.linear_algebra.along_mechanism import solve


@stored
class Inner(NamedTuple):
    scale: float
    order: Ints


@stored
class Other(NamedTuple):
    scale: float
    order: Ints


@stored
class Outer(NamedTuple):
    a: Floats2
    count: int
    inner: Inner
    b: Floats


@c_function(Outer, float)
def filled(outer, factor):
    """b = factor × scale × the rows of a in order; returns how many."""
    for i in range(outer.inner.order.shape[0]):
        outer.b[i] = factor * outer.inner.scale * outer.a[outer.inner.order[i], 1]
    return outer.count


@decorated
def filled_by_tuple(outer, factor):
    return filled_by_reference(refer(outer), factor)


@compiled.inlined
def filled_by_reference(o, factor):
    inner = o.inner
    for i in range(inner.order.shape[0]):
        o.b[i] = factor * inner.scale * o.a[inner.order[i], 1]
    return o.count


@c_function(Outer, Outer, Outer, Inner)
def empty(equations, run, steps, out):
    return 0


def outer():
    a = np.arange(12.0).reshape(4, 3)
    return Outer(a, 7, Inner(0.5, np.array([3, 0, 2])), np.zeros(3))


EXPECTED = [10.0, 1.0, 7.0]  # 2 × 0.5 × a[[3, 0, 2], 1]


@pytest.mark.parametrize("function", [filled, filled_by_tuple])
def test_fields_are_those_of_the_tuple(function):
    fields = outer()
    assert function(fields, 2.0) == 7
    assert fields.b.tolist() == EXPECTED


def test_without_the_compiler_the_tuple_is_handed_on():
    code = (
        "from test_records import filled, outer; fields = outer(); "
        "n = filled(fields, 2.0); print(n, *fields.b)"
    )
    assert printed_numbers(code).tolist() == [7.0, *EXPECTED]


@pytest.mark.parametrize("copied", [
    lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, lambda x: x._replace(b=np.zeros(3)),
])  # fmt: skip
def test_a_copy_is_stored_anew(copied):
    fields = outer()
    assert filled(fields, 1.0) == 7
    other = copied(fields)
    assert filled(other, 2.0) == 7
    assert isinstance(other, Outer) and isinstance(other.inner, Inner)
    assert other.b.tolist() == EXPECTED
    assert fields.b.tolist() == [0.5 * x for x in EXPECTED]


def test_write_protected_arrays_are_read_by_the_same_code():
    fields = outer()
    fields.a.flags.writeable = False
    assert filled(fields, 2.0) == 7
    assert fields.b.tolist() == EXPECTED

@pytest.mark.skipif(not compiled.JIT, reason="arrays are taken as they are")
@pytest.mark.parametrize("b", [np.zeros(3, np.float32), np.zeros((3, 1)), np.zeros(6)[::2]])
def test_an_array_of_another_kind_is_refused(b):
    with pytest.raises(TypeError, match="field 'b' of Outer is to be .*, but it has"):
        filled(outer()._replace(b=b), 2.0)
    with pytest.raises(Exception, match="b of Outer is"):
        filled_by_tuple(outer()._replace(b=b), 2.0)


@pytest.mark.skipif(not compiled.JIT, reason="tuples are taken as they are")
def test_records_of_another_kind_are_refused():
    """By calls from Python, and when a tuple has another one within."""
    whole = outer()
    for arguments in ((whole.inner, 2.0), (whole,), (None, 2.0), (whole, "2"), (whole, 2.0, 1)):
        with pytest.raises(TypeError, match=r"filled takes \(Outer, float\), but was called"):
            filled(*arguments)
    with pytest.raises(TypeError, match="field 'inner' of Outer is to be a Inner, but it is a"):
        filled(whole._replace(inner=Other(0.5, whole.inner.order)), 2.0)


@pytest.mark.skipif(not compiled.JIT, reason="types are checked by the compiler")
def test_compiled_functions_refuse_references_to_records_of_another_kind():
    """When they are compiled: fields of the other one would be read where others lie."""

    @c_function(Outer, Other)
    def puts_it_into_another(whole, other):
        return filled_by_reference(refer(Outer(whole.a, 7, other, whole.b)), 1.0)

    @c_function(Outer, Other)
    def hands_it_on(whole, other):
        solve(other, whole.b, whole.b)
        return 0

    arguments = outer(), Other(0.5, np.zeros(3, np.int64))
    with pytest.raises(numba.TypingError, match="inner of Outer is .*Other.*, not .*Inner"):
        puts_it_into_another(*arguments)
    with pytest.raises(numba.core.errors.NumbaError, match="Other"):
        hands_it_on(*arguments)


@pytest.mark.skipif(not compiled.JIT, reason="of compiled calls")
def test_a_call_with_four_records_takes_less_than_a_microsecond():
    """As a ratio, as the machine may be busy: Python needs more to hand on four arrays in a list
    of ctypes' pointers."""
    fields = outer()
    arguments = fields, fields, fields, fields.inner
    arrays = [np.zeros(3) for _ in arguments]
    ours, pointers = (
        min(timeit.repeat(call, number=10_000, repeat=7)) / 10_000
        for call in (lambda: empty(*arguments), lambda: [x.ctypes.data for x in arrays])
    )
    assert ours < 1e-6 or ours < pointers
