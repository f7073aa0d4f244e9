"""The compiler looks up the types that numba finds; numba is as before for all others."""

import operator
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba import types
from numba.core.registry import cpu_target

from linkwork.extend import add, cross
from linkwork.kernels import compiled

if compiled.PLAIN or not compiled.JIT:
    pytest.skip("plain numba", allow_module_level=True)

from linkwork.kernels.compiling.code_cache import cache_folder
from linkwork.kernels.compiling.lean_numba import KnownTypes

NUMBERS = (types.float64, types.int64, types.boolean, types.uint8, types.literal(3))
ARRAYS = (types.Array(types.float64, 1, "C"), types.Array(types.int64, 2, "C"))
OPERATORS = (operator.add, operator.mul, operator.truediv, operator.lt, operator.pow, operator.eq)


@pytest.fixture
def known():
    """A typing context that looks types up, and that of numba."""
    context = cpu_target.typing_context
    context.refresh()
    state = SimpleNamespace(typingctx=context, targetctx=SimpleNamespace())
    with KnownTypes.shared(state):
        yield state.typingctx, context


def of(context, function, arguments):
    signature = context.resolve_function_type(function, arguments, {})
    return signature, signature.args


@pytest.mark.parametrize("function", OPERATORS)
@pytest.mark.parametrize("a", NUMBERS)
def test_types_are_those_that_numba_finds(known, function, a):
    looking, searching = known
    for b in NUMBERS:
        first = of(looking, function, (a, b))
        assert first == of(searching, function, (a, b))
        assert first == of(looking, function, (a, b))


@pytest.mark.parametrize("array", ARRAYS)
def test_entries_of_arrays(known, array):
    index = (types.int64, types.UniTuple(types.int64, 2))[array.ndim - 1]
    for _ in range(2):
        signature, _ = of(known[0], operator.getitem, (array, index))
        assert signature == of(known[1], operator.getitem, (array, index))[0]
        assert signature.return_type == array.dtype


def test_code_of_overloads_is_not_remembered(known):
    """`max` of two numbers is compiled as its caller is: fused or not."""
    of(known[0], max, (types.float64, types.float64))
    assert KnownTypes.known == {}


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    """A folder for code in which there is none: what is called is compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    cache_folder.cache_clear()
    yield
    cache_folder.cache_clear()


def test_numba_is_itself_while_linkwork_compiles(empty_cache):
    """Other threads may ask for types meanwhile, of functions that are none of linkwork's."""
    search, during = types.BaseFunction.get_call_type, []

    def typed_here(x):
        return x

    @compiled.generates(typed_here)
    def _typed_here(typing, x):
        during.append((types.BaseFunction.get_call_type, type(cpu_target.typing_context)))
        return x(x), lambda context, builder, signature, args: args[0]

    @compiled.lean
    def entry(x):
        return typed_here(x) + 1.0

    assert entry(2.0) == 3.0
    assert during and set(during) == {(search, type(cpu_target.typing_context))}
    assert not isinstance(cpu_target.typing_context, KnownTypes)


def test_types_are_kept_until_the_outermost_function_is_compiled(empty_cache):
    kept = []

    def typed_within(x):
        return x

    @compiled.generates(typed_within)
    def _typed_within(typing, x):
        kept.append(KnownTypes.known)
        return x(x), lambda context, builder, signature, args: args[0]

    @compiled.lean
    def entry(x):
        return typed_within(x[0] * x[1])

    assert entry(np.array([2.0, 3.0])) == 6.0
    assert kept and kept[0] and KnownTypes.known is None


def test_functions_of_users_may_call_parts():
    @numba.njit
    def double_cross(a, b):
        return cross(add(a, b), b)

    a, b = (1.0, 2.0, 3.0), (-2.0, 0.5, 1.0)
    assert double_cross(a, b) == pytest.approx(cross.py_func(a, b))
