"""What the compiler looks up is what numba finds, and numba is as before for everybody else."""

import operator

import numba
import pytest
from numba import types
from numba.core.registry import cpu_target

from linkwork.extend import add, cross
from linkwork.math import compiled

if compiled.PLAIN or not compiled.JIT:
    pytest.skip("plain numba", allow_module_level=True)

from linkwork.math.compiling import known_types as kt

NUMBERS = (types.float64, types.int64, types.boolean, types.uint8, types.literal(3))
ARRAYS = (types.Array(types.float64, 1, "C"), types.Array(types.int64, 2, "C"))
OPERATORS = (operator.add, operator.mul, operator.truediv, operator.lt, operator.pow, operator.eq)


def found_by(way, function, arguments):
    context = cpu_target.typing_context
    context.refresh()
    signature = way(context.resolve_value_type(function), context, arguments, {})
    return signature, signature.args


@pytest.mark.parametrize("function", OPERATORS)
@pytest.mark.parametrize("a", NUMBERS)
def test_types_are_those_that_numba_finds(function, a):
    for b in NUMBERS:
        first = found_by(kt.look_up, function, (a, b))
        assert first == found_by(kt.search, function, (a, b))
        assert first == found_by(kt.look_up, function, (a, b))


@pytest.mark.parametrize("array", ARRAYS)
def test_entries_of_arrays(array):
    index = (types.int64, types.UniTuple(types.int64, 2))[array.ndim - 1]
    for _ in range(2):
        signature, _ = found_by(kt.look_up, operator.getitem, (array, index))
        assert signature == found_by(kt.search, operator.getitem, (array, index))[0]
        assert signature.return_type == array.dtype


def test_code_of_overloads_is_not_remembered():
    """`max` of two numbers is compiled as its caller is: fused or not."""
    function = cpu_target.typing_context.resolve_value_type(max)
    found_by(kt.look_up, max, (types.float64, types.float64))
    assert not kt.found[id(function)][1]


def test_numba_is_itself_outside():
    assert kt.FUNCTION.get_call_type is kt.search
    with pytest.raises(ZeroDivisionError), kt.known_types():
        assert kt.FUNCTION.get_call_type is kt.look_up
        raise ZeroDivisionError
    assert kt.FUNCTION.get_call_type is kt.search


def test_functions_of_users_may_call_parts():
    @numba.njit
    def double_cross(a, b):
        return cross(add(a, b), b)

    a, b = (1.0, 2.0, 3.0), (-2.0, 0.5, 1.0)
    assert double_cross(a, b) == pytest.approx(cross.py_func(a, b))
