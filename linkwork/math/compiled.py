"""How functions are compiled: numba, with a cache on disk wherever one can be written.

A function that Python calls is `@compiled`; one that only compiled functions call is `@inlined`,
which halves the time to compile it.  Kernels of element families have one signature (`KERNEL`), so
that the stepping loop calls them through a table of functions: a model compiles only the families
it uses, and a new family never recompiles the loop.

Code of `@inlined` functions is optimised and translated only in those that Python calls.  Code on
disk is found again by version, processor and version of numba, and loaded without what numba
imports in order to compile.
"""

from __future__ import annotations

import functools
import gc
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
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.runtime import rtsys
from numba.core.typed_passes import NopythonRewrites
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template

warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

FLOATS = types.Array(float64, 1, "C")
FLOATS2 = types.Array(float64, 2, "C")
INTS = types.Array(int64, 1, "C")
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
    cache: Any = getattr(dispatcher, "_cache", None)
    file: Any = getattr(cache, "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, sources())
        file._load_index = functools.partial(_read_index, file._load_index)
        if not dispatcher.targetoptions.get("_nrt", True):
            cache.load_overload = functools.partial(_load, cache)
    return dispatcher


def _load(cache: Any, signature: Any, context: Any) -> Any:
    """Lean code from disk, without all that numba would import first in order to compile.

    Such code calls nothing that those imports bring (tests/test_startup.py looks at it).
    """
    rtsys.initialize(context)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)


def _read_index(load: Any) -> Any:
    """Numba's list of code on disk; none where it names a class that an older version had."""
    try:
        return load()
    except (AttributeError, ImportError):
        return {}


class LeanLibrary(JITCodeLibrary):
    """Code in which no references are counted: nothing to prune before it is optimised.

    Level 2: level 3 takes a tenth longer and gives steps that are no faster.
    """

    def _optimize_final_module(self) -> None:
        found = self._codegen._module_pass_manager(opt=2)
        if isinstance(found, tuple):
            passes, builder = found
            passes.run(self._final_module, builder)
        else:  # numba until 0.62
            found.run(self._final_module)


class PartLibrary(JITCodeLibrary):
    """Code that is only ever part of other code, and is optimised and translated there alone."""

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing to tell: there is no code yet."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class LeanCompiler(Compiler):
    """Numba's compiler without its search for expressions of whole arrays, which make new ones."""

    library: Any = LeanLibrary

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        [passes] = super().define_pipelines()
        lean = PassManager(passes.pipeline_name)
        lean.passes = [each for each in passes.passes if each[0] is not NopythonRewrites]
        lean.finalize()
        return [lean]

    def _compile_core(self) -> Any:
        """With rarer searches for garbage, of which compiling makes little and much of the rest."""
        often = gc.get_threshold()
        gc.set_threshold(max(often[0], 50_000), *often[1:])
        try:
            return super()._compile_core()
        finally:
            gc.set_threshold(*often)


class PartCompiler(LeanCompiler):
    """The same for functions that only compiled functions call."""

    library = PartLibrary


def compiled(function: Any = None, *, signature: Any = None, **options: Any) -> Any:
    """Decorator: numba's nopython mode with the cache on disk (`@compiled`)."""
    if function is None:
        return functools.partial(compiled, signature=signature, **options)
    njit: Any = numba.njit
    options = {"error_model": "numpy", "no_cfunc_wrapper": signature is None, **options}
    if not options.get("_nrt", True):
        options["pipeline_class"] = LeanCompiler
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
    if not options["_nrt"]:
        options["pipeline_class"] = PartCompiler
    return njit(no_cfunc_wrapper=True, **options)(function)


def spliced(function: Any) -> Any:
    """Decorator for what must be part of its caller: no call is left.

    Handing on all arrays of a system costs as much as a good part of a small model's step.
    """
    return inlined(function, forceinline=True)


def generates(function: Any) -> Any:
    """Decorator (`@generates(f)`) of what gives the types and the code of a plain function f.

    What it decorates is written as for numba's `intrinsic`, but compiled functions call f itself,
    which is its form in Python, with no function in between that would have to be compiled, too.
    """

    def register(definition: Any) -> Any:
        template = make_intrinsic_template(function, definition, function.__name__)
        infer(template)
        infer_global(function, types.Function(template))
        return definition

    return register


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


def address(dispatcher: Any, arguments: Any) -> int:
    """Where a compiled function begins for callers by address, with arguments of these types."""
    dispatcher.compile(arguments)
    made = dispatcher.overloads[tuple(arguments)]
    return made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name)


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
        return address(self.compiled, self.types.args)

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


class Far:
    """A `@far` function for arguments of given types, called through its address.

    As behind a `Door`, but its types are those of the data at hand.
    """

    def __init__(self, function: Any, returned: Any, *arguments: Any) -> None:
        self.function = function
        self.types = returned(*(numba.typeof(argument) for argument in arguments))

    def __wrapper_address__(self) -> int:
        return address(self.function, self.types.args)


class KernelTable(np.ndarray):
    """Addresses of compiled functions by slot; unpickled, they are found anew."""

    kernels: tuple[Any, ...]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return kernel_table, (self.kernels,)

    def __deepcopy__(self, memo: Any) -> KernelTable:
        return self


def kernel_table(kernels: Iterable[Any]) -> Any:
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


def call_address(context, builder, signature, table, slot, args):
    """Code for a call of the function whose address is in a slot of a table."""
    array = context.make_array(INTS)(context, builder, table)
    address = builder.load(builder.gep(array.data, [slot]))
    kinds = [context.get_value_type(kind) for kind in signature.args]
    function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
    return builder.call(builder.inttoptr(address, function.as_pointer()), args)


@generates(call_kernel)
def _call_kernel(
    typing, table, slot, ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power
):  # fmt: skip
    def generate(context, builder, signature, args):
        call_address(context, builder, KERNEL, args[0], args[1], args[2:])
        return context.get_dummy_value()

    return types.void(INTS, types.int64, *KERNEL.args), generate


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
            "linkwork compiles its kernels, once for this version; this takes some twenty seconds",
            file=sys.stderr, flush=True,
        )  # fmt: skip
