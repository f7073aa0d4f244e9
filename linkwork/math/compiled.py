"""How functions are compiled: numba, with a cache on disk wherever one can be written.

A function that Python calls is `@compiled`; one that only compiled functions call is `@inlined`,
which halves the time to compile it.  Kernels of element families have
one signature (`KERNEL`), so that the stepping loop calls them through a table of functions: a
model compiles only the families it uses, and a new family never recompiles the loop.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import float64, int64, types
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic, overload

warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

FLOATS = types.Array(float64, 1, "C")
FLOATS2 = types.Array(float64, 2, "C")
INTS2 = types.Array(int64, 2, "C")

# kernel(ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power)
KERNEL = types.void(
    INTS2, FLOATS2, FLOATS2, FLOATS, float64, FLOATS,
    FLOATS2, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS,
)  # fmt: skip

JIT = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]


@functools.cache
def _warn_uncached() -> None:
    warnings.warn(
        "linkwork found no folder it may write compiled code to, so it compiles anew in every "
        "process; set NUMBA_CACHE_DIR to a writable folder to avoid the wait",
        RuntimeWarning,
        stacklevel=3,
    )


@functools.cache
def sources() -> str:
    """A hash of all files that hold kernels: numba looks only at the file of the function itself.

    Without it, code on disk would outlive a change in a function that it calls.
    """
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in ("math", "elements", "system", "integrators", "nullspace", "recursive"):
        for file in sorted((package / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _stamp(dispatcher: Any) -> Any:
    """Make the cached code of a function depend on all sources."""
    file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, sources())
        file._load_index = functools.partial(_read_index, file._load_index)
    return dispatcher


def _read_index(load: Any) -> Any:
    """Numba's list of code on disk; none where it names a class that an older version had."""
    try:
        return load()
    except (AttributeError, ImportError):
        return {}


def compiled(function: Any = None, *, signature: Any = None, **options: Any) -> Any:
    """Decorator: numba's nopython mode with the cache on disk (`@compiled`)."""
    if function is None:
        return functools.partial(compiled, signature=signature, **options)
    njit: Any = numba.njit
    options = {"error_model": "numpy", "no_cfunc_wrapper": signature is None, **options}
    try:
        made = _stamp(njit(cache=True, **options)(function))
    except RuntimeError:  # numba: "cannot cache function: no locator available"
        _warn_uncached()
        made = njit(**options)(function)
    if signature is not None and JIT:
        made.compile(signature)
    return made


def inlined(function: Any = None, **options: Any) -> Any:
    """Decorator for what only compiled functions call: no cache, no door for Python's calls.

    It must not allocate (unless `_nrt=True` is given): references to arrays are not counted.
    """
    if function is None:
        return functools.partial(inlined, **options)
    njit: Any = numba.njit
    options = {"error_model": "numpy", "no_cpython_wrapper": True, "_nrt": False, **options}
    return njit(no_cfunc_wrapper=True, **options)(function)


def spliced(function: Any) -> Any:
    """Decorator for thin functions that call large ones: their lines are copied into the caller.

    The code of every function that a compiled one calls is optimised once more with the caller, so
    a chain of thin callers would cost the large ones again and again.
    """
    njit: Any = numba.njit
    return njit(inline="always", error_model="numpy", no_cpython_wrapper=True, _nrt=False)(function)


# For loops that allocate nothing: no reference to an array is counted, which costs more than the
# step of a small model.
lean = compiled(_nrt=False)
# Where products and sums may also be one operation: not in cross products and products of
# quaternions, in which differences of equal products must vanish exactly.
fused = compiled(fastmath={"contract"}, _nrt=False)
fused_inlined = inlined(fastmath={"contract"})
# Parts of the innermost loops that LLVM would call instead: to pass all those arrays costs as much
# as the work.
glued = inlined(fastmath={"contract"}, forceinline=True)


class Door(types.WrapperAddressProtocol):
    """A function of known types, compiled on first use and called through its address.

    Numba takes objects of this kind as first-class functions; with NUMBA_DISABLE_JIT=1 they are
    called as they are.  Callers do not contain its code, so large functions behind doors are
    compiled once, and not at all where a model has no use for them.
    """

    def __init__(self, function: Any, signature: Any, **options: Any) -> None:
        self.function, self.types, self.options = function, signature, options
        self._numba_type_ = types.FunctionType(signature)
        functools.update_wrapper(self, function)

    @functools.cached_property
    def compiled(self) -> Any:
        return compiled(self.function, signature=self.types, **self.options)

    @functools.cached_property
    def _address(self) -> int:
        from numba.experimental.function_type import _get_wrapper_address

        return _get_wrapper_address(self.compiled, self.types)

    def __wrapper_address__(self) -> int:
        return self._address

    def __getstate__(self) -> dict[str, Any]:
        """Without its address, which holds in this process alone."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_address", "compiled")}

    def signature(self) -> Any:
        return self.types

    def __call__(self, *arguments: Any) -> None:
        self.compiled(*arguments)


class Kernel(Door):
    """An element family's kernel; one that allocates arrays has to say so."""

    def __init__(self, function: Any, allocates: bool = False) -> None:
        super().__init__(function, KERNEL, _nrt=allocates)


class KernelTable(np.ndarray):
    """Addresses of the kernels of a system, by slot; unpickled, they are found anew."""

    kernels: tuple[Kernel, ...]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return kernel_table, (self.kernels,)

    def __deepcopy__(self, memo: Any) -> KernelTable:
        return self


def kernel_table(kernels: Iterable[Kernel]) -> Any:
    """The kernels of a system by slot, for `call_kernel` (without compilation, themselves)."""
    kernels = tuple(kernels)
    if not JIT:
        return kernels
    addresses = np.array([kernel.__wrapper_address__() for kernel in kernels], np.int64)
    table = addresses.view(KernelTable)
    table.kernels = kernels
    return table


def call_kernel(
    table, slot, ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power
):  # fmt: skip
    table[slot](ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power)


@intrinsic
def _call(
    typing, table, slot, ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power
):  # fmt: skip
    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.load(builder.gep(array.data, [args[1]]))
        kinds = [context.get_value_type(kind) for kind in KERNEL.args]
        kernel = ir.FunctionType(context.get_value_type(KERNEL.return_type), kinds)
        builder.call(builder.inttoptr(address, kernel.as_pointer()), args[2:])
        return context.get_dummy_value()

    return types.void(table, types.int64, *KERNEL.args), generate


@overload(call_kernel)
def _call_kernel(
    table, slot, ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power
):  # fmt: skip
    def call(table, slot, ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power):
        _call(table, slot, ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power)

    return call


def is_cached(dispatcher: Any) -> bool:
    """Whether compiled code of this function, as it is now, lies on disk."""
    if not JIT:
        return True
    try:
        return bool(dispatcher._cache._cache_file._load_index())
    except AttributeError:  # not cached at all
        return False


@functools.cache
def announce(dispatcher: Any) -> None:
    """Say once that code will be compiled, when none lies on disk."""
    if not is_cached(dispatcher):
        print(
            "linkwork compiles its kernels, once for this version; this takes up to half a minute",
            file=sys.stderr, flush=True,
        )  # fmt: skip
