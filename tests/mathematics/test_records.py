"""Named tuples of arrays by one address: stored, handed on, stored again in another process."""

from __future__ import annotations

import gc
import pickle
import timeit
from typing import NamedTuple

import numpy as np
import pytest
from inside import compiled as decorated
from uncompiled import printed_numbers

from linkwork.math import compiled
from linkwork.math.memory.records import Floats, Floats2, Ints, Record, record_at, refer


class Inner(NamedTuple):
    scale: float
    order: Ints


class Outer(NamedTuple):
    a: Floats2
    count: int
    inner: Inner
    b: Floats


@decorated
def filled(outer, factor):
    """b = factor × scale × the rows of a in order; returns how many."""
    o = record_at(Outer, outer)
    for i in range(o.inner.order.shape[0]):
        o.b[i] = factor * o.inner.scale * o.a[o.inner.order[i], 1]
    return o.count


@decorated
def filled_by_tuple(outer, factor):
    return filled_by_reference(refer(outer), factor)


@compiled.inlined
def filled_by_reference(o, factor):
    inner = o.inner
    for i in range(inner.order.shape[0]):
        o.b[i] = factor * inner.scale * o.a[inner.order[i], 1]
    return o.count


@compiled.lean
def empty(system, data, step, time):
    pass


def outer():
    a = np.arange(12.0).reshape(4, 3)
    return Outer(a, 7, Inner(0.5, np.array([3, 0, 2])), np.zeros(3))


EXPECTED = [10.0, 1.0, 7.0]  # 2 × 0.5 × a[[3, 0, 2], 1]


@pytest.mark.parametrize("function", [filled, filled_by_tuple])
def test_fields_are_those_of_the_tuple(function):
    fields = outer()
    record = Record(fields)
    assert function(record.address if function is filled else fields, 2.0) == 7
    assert fields.b.tolist() == EXPECTED


def test_without_the_compiler_the_tuple_is_handed_on():
    code = (
        "from test_records import Record, filled, outer; fields = outer(); "
        "n = filled(Record(fields).address, 2.0); print(n, *fields.b)"
    )
    assert printed_numbers(code).tolist() == [7.0, *EXPECTED]


def test_a_record_keeps_its_arrays():
    record = Record(outer())
    address = record.address
    gc.collect()
    room = [np.full((4, 3), np.nan) for _ in range(100)]  # where arrays were that nobody keeps
    assert filled(address, 2.0) == 7 and len(room) == 100
    assert record.fields.b.tolist() == EXPECTED


def test_a_record_is_stored_anew_where_it_is_loaded():
    record = Record(outer())
    assert filled(record.address, 1.0) == 7
    loaded = pickle.loads(pickle.dumps(record))
    assert filled(loaded.address, 2.0) == 7
    assert loaded.fields.b.tolist() == EXPECTED
    assert record.fields.b.tolist() == [0.5 * x for x in EXPECTED]


def test_write_protected_arrays_are_read_by_the_same_code():
    fields = outer()
    fields.a.flags.writeable = False
    record = Record(fields)
    assert filled(record.address, 2.0) == 7
    assert fields.b.tolist() == EXPECTED
    if compiled.JIT:
        assert len(filled.overloads) == 1


@pytest.mark.skipif(not compiled.JIT, reason="arrays are taken as they are")
@pytest.mark.parametrize("b", [np.zeros(3, np.float32), np.zeros((3, 1)), np.zeros(6)[::2]])
def test_an_array_of_another_kind_is_refused(b):
    with pytest.raises(TypeError, match="field 'b' of Outer is to be .*, but it has"):
        Record(outer()._replace(b=b))
    with pytest.raises(Exception, match="b of Outer is"):
        filled_by_tuple(outer()._replace(b=b), 2.0)


@pytest.mark.skipif(not compiled.JIT or compiled.PLAIN, reason="of compiled calls")
def test_a_call_with_addresses_takes_less_than_a_microsecond():
    """As a ratio, as the machine may be busy: Python needs much more to hand on a tuple."""
    record = Record(outer())
    address = record.address
    empty(address, address, address, 0.5)
    empty(record.fields, record.fields, record.fields, 0.5)
    by_address, by_tuple = (
        min(timeit.repeat(lambda x=x: empty(x, x, x, 0.5), number=10_000, repeat=5)) / 10_000
        for x in (address, record.fields)
    )
    assert by_address < 1e-6 or by_address < 0.25 * by_tuple
