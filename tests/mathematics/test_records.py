"""Named tuples of arrays by one address: stored, handed on, stored again in another process."""

from __future__ import annotations

import copy
import pickle
import timeit
from typing import NamedTuple

import numpy as np
import pytest
from inside import compiled as decorated
from uncompiled import printed_numbers

from linkwork.math import compiled
from linkwork.math.memory.records import Floats, Floats2, Ints, by_address, record_at, refer, stored


@stored
class Inner(NamedTuple):
    scale: float
    order: Ints


@stored
class Outer(NamedTuple):
    a: Floats2
    count: int
    inner: Inner
    b: Floats


@by_address
@compiled.lean
def filled(outer, factor):
    """b = factor × scale × the rows of a in order; returns how many."""
    o = record_at(Outer, outer)
    for i in range(o.inner.order.shape[0]):
        o.b[i] = factor * o.inner.scale * o.a[o.inner.order[i], 1]
    return o.count


@decorated
def filled_by_tuple(outer, factor):
    return filled_by_reference(refer(outer), factor)


@by_address
@compiled.lean
def filled_twice(outer, factor):
    o = record_at(Outer, outer)
    return filled(o, factor) + filled(o, factor)


@compiled.inlined
def filled_by_reference(o, factor):
    inner = o.inner
    for i in range(inner.order.shape[0]):
        o.b[i] = factor * inner.scale * o.a[inner.order[i], 1]
    return o.count


@by_address
@compiled.lean
def empty(system, data, step, time):
    pass


class Loose(NamedTuple):
    a: np.ndarray
    count: int
    inner: Inner
    b: np.ndarray


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


def test_compiled_functions_call_entries_with_references():
    fields = outer()
    assert filled_twice(fields, 2.0) == 14
    assert fields.b.tolist() == EXPECTED


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
    if compiled.JIT:
        assert len(filled.overloads) == 1


@pytest.mark.skipif(not compiled.JIT, reason="arrays are taken as they are")
@pytest.mark.parametrize("b", [np.zeros(3, np.float32), np.zeros((3, 1)), np.zeros(6)[::2]])
def test_an_array_of_another_kind_is_refused(b):
    with pytest.raises(TypeError, match="field 'b' of Outer is to be .*, but it has"):
        filled(outer()._replace(b=b), 2.0)
    with pytest.raises(Exception, match="b of Outer is"):
        filled_by_tuple(outer()._replace(b=b), 2.0)


@pytest.mark.skipif(not compiled.JIT or compiled.PLAIN, reason="of compiled calls")
def test_a_call_with_addresses_takes_less_than_a_microsecond():
    """As a ratio, as the machine may be busy: Python needs much more to hand on a tuple."""
    fields, loose = outer(), Loose(*outer())
    by_address, by_tuple = (
        min(timeit.repeat(lambda x=x: empty(x, x, x, 0.5), number=10_000, repeat=5)) / 10_000
        for x in (fields, loose)
    )
    assert by_address < 1e-6 or by_address < 0.5 * by_tuple
