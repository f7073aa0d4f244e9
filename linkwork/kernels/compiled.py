"""How functions are compiled: numba, with a cache on disk wherever one can be written.

A function that Python calls is `@compiled`; one that only compiled functions call is `@inlined`,
which halves the time to compile it.  Kernels of element families are called through a table
(kernels.kernel).

What numba does with them is in `lean_numba`, which knows its compiler, or in `plain_numba`, which
does with public functions alone (LINKWORK_PLAIN_NUMBA=1, or a version of numba that is not known).
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from typing import Any

import numba
from numba import float64, int64, types

warnings.filterwarnings("ignore", category=numba.NumbaExperimentalFeatureWarning)

FLOATS = types.Array(float64, 1, "C")
FLOATS2 = types.Array(float64, 2, "C")
INTS = types.Array(int64, 1, "C")
INTS2 = types.Array(int64, 2, "C")

JIT = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]

OLDEST, NEWEST = (0, 61), (0, 69)  # versions of numba whose compiler lean_numba knows


def plain_wanted() -> bool:
    """Whether numba is used without its private parts; a warning where its version is unknown."""
    if os.environ.get("LINKWORK_PLAIN_NUMBA", "") not in ("", "0"):
        return True
    version = tuple(int(part) for part in numba.__version__.split(".")[:2])
    if OLDEST <= version <= NEWEST:
        return False
    warnings.warn(
        f"linkwork does not know the compiler of numba {numba.__version__}, and uses its public "
        f"functions alone: steps are slower, and code is compiled in every process; install numba "
        f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}",
        RuntimeWarning,
        stacklevel=2,
    )
    return True


PLAIN = plain_wanted()
backend: Any
if PLAIN:
    from linkwork.kernels.compiling import plain_numba as backend
else:
    from linkwork.kernels.compiling import lean_numba as backend
# What a function does not say itself, numba takes from the caller for which it is compiled first: a
# cross product would be fused, or not, by what the process did before.  So each says all of it.
OWN = {"error_model": "numpy", "fastmath": False, "forceinline": False}
address, generates, is_cached = backend.address, backend.generates, backend.is_cached
attributes, array_at = backend.attributes, backend.array_at


def compiled(function: Any = None, *, signature: Any = None, **options: Any) -> Any:
    """Decorator: numba's nopython mode with the cache on disk (`@compiled`)."""
    if function is None:
        return functools.partial(compiled, signature=signature, **options)
    options = {**OWN, "no_cfunc_wrapper": signature is None, **options}
    made = backend.entry(function, options)
    if signature is not None and JIT:
        made.compile(signature)
    return made


def inlined(function: Any = None, **options: Any) -> Any:
    """Decorator for what only compiled functions call: no cache, no entry for calls from Python.

    It must not allocate (unless `_nrt=True` is given): references to arrays are not counted.
    """
    if function is None:
        return functools.partial(inlined, **options)
    return backend.part(function, {**OWN, **options})


def spliced(function: Any) -> Any:
    """Decorator for what must be part of its caller: no call is left.

    Handing on all arrays of a system costs as much as a good part of a small model's step.
    """
    return inlined(function, forceinline=True)


# For loops that allocate nothing: no reference to an array is counted, which costs more than the
# step of a small model.
lean = compiled(_nrt=False)
# Where products and sums may also be one operation: not in cross products and products of
# quaternions, in which differences of equal products must vanish exactly.
fused = compiled(fastmath={"contract"}, _nrt=False)
fused_inlined = inlined(fastmath={"contract"})
fused_spliced = inlined(fastmath={"contract"}, forceinline=True)
# Callable by address, too (`Far`): for what is large and seldom used.
far = compiled(fastmath={"contract"}, _nrt=False, no_cfunc_wrapper=False)


PROCESS_OWN = ("_address", "compiled", "dispatcher")  # of an entry, in one process alone


class CompiledEntry(types.WrapperAddressProtocol):
    """A function of known types, compiled on first use and called through its address.

    Numba takes objects of this kind as first-class functions; with NUMBA_DISABLE_JIT=1 they are
    called as they are.  Callers do not contain its code, so large functions behind such entries are
    compiled once, and not at all where a model has no use for them.
    """

    def __init__(self, function: Any, signature: Any, **options: Any) -> None:
        self.function, self.types, self.options = function, signature, options
        self._numba_type_ = types.FunctionType(signature)
        functools.update_wrapper(self, function)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function, not compiled yet."""
        return compiled(self.function, **{"no_cfunc_wrapper": False, **self.options})

    @functools.cached_property
    def compiled(self) -> Any:
        if JIT:
            self.dispatcher.compile(self.types)
        return self.dispatcher

    @functools.cached_property
    def _address(self) -> int:
        return address(self.compiled, self.types)

    def __wrapper_address__(self) -> int:
        return self._address

    def __getstate__(self) -> dict[str, Any]:
        """Without its address, which holds in this process alone."""
        return {k: v for k, v in self.__dict__.items() if k not in PROCESS_OWN}

    def signature(self) -> Any:
        return self.types

    def __call__(self, *arguments: Any) -> None:
        self.compiled(*arguments)


class Far:
    """A `@far` function for arguments of given types, called through its address.

    Like a `CompiledEntry`, but callers that are compiled themselves may contain it.
    """

    def __init__(self, function: Any, signature: Any) -> None:
        self.function, self.signature = function, signature

    def __wrapper_address__(self) -> int:
        return address(self.function, self.signature)


@functools.cache
def announce(entry: Any, what: str, seconds: int) -> None:
    """Say once that code will be compiled, when none lies on disk, and how long that may take."""
    if JIT and not is_cached(getattr(entry, "dispatcher", entry)):
        often = "in every process" if PLAIN else "once for this version"
        print(
            f"linkwork compiles {what}, {often}; this takes about "
            f"{2 * seconds if PLAIN else seconds} s",
            file=sys.stderr, flush=True,
        )  # fmt: skip
