"""All that linkwork knows of numba's insides: what makes its code lean and quick to compile.

Code of functions that only compiled functions call is optimised and translated in those that Python
calls; lean functions have a shorter way through the compiler and count no references; code on disk
is found again by the sources that it is made of, and loaded without what numba imports in order to
compile.  `plain_numba` has the same functions with what numba promises to keep.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numba
from llvmlite.binding import Linkage
from numba import types
from numba.core.caching import _Cache as Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature
from numba.core.typing.context import Context
from numba.core.typing.templates import (
    AttributeTemplate,
    infer,
    infer_global,
    make_intrinsic_template,
)  # fmt: skip
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model
from numba.np.arrayobj import populate_array

from linkwork.kernels.compiling import code_cache
from linkwork.kernels.compiling.contents import Unknown, described_type, digest
from linkwork.kernels.compiling.undisturbed import checkpoint, undisturbed, without_collection


class WholeLibrary(JITCodeLibrary):
    """Code of a function that Python calls, and once of each part that it is made of."""

    def finalize(self) -> None:
        link_parts(self, self._final_module)
        self._linking_libraries = []
        super().finalize()


def link_parts(library: Any, module: Any) -> None:
    """Put all that the function of a library calls into a module, callers first.

    LLVM leaves out a function that nothing calls which is there already.
    """
    ends: dict[Any, None] = {}

    def visit(caller: Any) -> None:
        for called in caller._linking_libraries:
            if called not in ends:
                if isinstance(called, PartLibrary):
                    visit(called)
                ends[called] = None

    visit(library)
    for called in reversed(ends):
        if hasattr(library, "_reload_init"):  # numba from 0.62 on
            library._reload_init.update(called._reload_init)
        part = isinstance(called, PartLibrary)
        code = called.own_module() if part else called._get_module_for_linking()
        module.link_in(code, preserve=True)


class LeanLibrary(WholeLibrary):
    """Code in which no references are counted: nothing to prune before it is optimised.

    Level 1: levels 2 and 3 take a tenth longer each and give steps that are no faster.
    """

    def _optimize_functions(self, module: Any) -> None:
        """Not yet: all of it is optimised once, with its parts."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        found = self._codegen._module_pass_manager(opt=1)
        if isinstance(found, tuple):
            passes, builder = found
            passes.run(self._final_module, builder)
        else:  # numba until 0.62
            found.run(self._final_module)


class PartLibrary(JITCodeLibrary):
    """Code that is only ever part of other code, and is optimised and translated there alone.

    It holds its own function and names its parts: with their code, each would be copied once for
    every function on the way to it.
    """

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing to tell: there is no code yet."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"  # the same in all modules that it is linked into
        self._finalize_dynamic_globals()
        self._finalized = True

    def own_module(self) -> Any:
        self._ensure_finalized()
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """With its parts, for functions that are not compiled here."""
        if self._shared_module is None:
            self._shared_module = self.own_module().clone()
            link_parts(self, self._shared_module)
        return self._shared_module


# Passes of numba that look for what lean functions do not have: expressions of whole arrays, which
# make new ones, closures, `with`, `literally`, messages of exceptions, overloads to be inlined.
# Each goes through all of a function once more, a sixth of the time to compile together.
NEEDLESS = frozenset({
    "FindLiterallyCalls", "InlineClosureLikes", "InlineInlinables", "InlineOverloads",
    "LiteralPropagationSubPipelinePass", "LiteralUnroll", "MakeFunctionToJitFunction",
    "NoPythonSupportedFeatureValidation", "NopythonRewrites", "RewriteDynamicRaises", "WithLift",
})  # fmt: skip


class Passes(PassManager):
    """Passes through a function, between which a signal may end the compilation."""

    def _runPass(self, *arguments: Any) -> Any:
        checkpoint()
        return super()._runPass(*arguments)


class WholeCompiler(Compiler):
    """Numba's compiler; Ctrl-C waits for the end of a pass, so that no code is left half made."""

    library: Any = WholeLibrary
    needless: frozenset[str] = frozenset()

    # what numba compiles on the way (powers, for one), by how: its own table has one for all, so
    # that powers would be fused with sums, or not, by what the process compiled before
    internal: ClassVar[dict[Any, dict[Any, Any]]] = {}

    def define_pipelines(self) -> Any:
        state = self.state
        how = str(state.flags.fastmath), state.flags.nrt
        state.targetctx.cached_internal_func = self.internal.setdefault(how, {})
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        [passes] = super().define_pipelines()
        kept = Passes(passes.pipeline_name)
        kept.passes = [each for each in passes.passes if each[0].__name__ not in self.needless]
        kept.finalize()
        return [kept]

    def _compile_core(self) -> Any:
        """Tables of functions, which numba calls experimental, are no news to users."""
        with undisturbed(), warnings.catch_warnings():
            warnings.simplefilter("ignore", numba.NumbaExperimentalFeatureWarning)
            return super()._compile_core()


class KnownTypes(Context):
    """Numba's typing context, in which types of results are looked up once for the same operands.

    For every sum and product numba tries all that it knows of that name, from matrices to dates,
    which is a good part of the time to compile.  All else is that of numba's own context; results
    are kept until the outermost function is compiled.
    """

    known: ClassVar[dict[Any, Any] | None] = None

    @classmethod
    @functools.cache
    def of(cls, context: Context) -> KnownTypes:
        """One for each of numba's contexts, with everything that it has."""
        known = cls.__new__(cls)
        known.__dict__ = vars(context)
        return known

    @classmethod
    @contextmanager
    def shared(cls, state: Any) -> Iterator[None]:
        """For the compilation in `state` and those within it; numba's lock keeps threads out."""
        before, typing = cls.known, state.typingctx
        state.typingctx = state.targetctx.typing_context = cls.of(typing)
        cls.known = {} if before is None else before
        try:
            yield
        finally:
            cls.known = before
            state.typingctx = state.targetctx.typing_context = typing

    def _lookup_global(self, value: Any) -> Any:
        function = super()._lookup_global(value)
        return KnownFunction.of(function) if type(function) is types.Function else function


class KnownFunction(types.Function):
    """A function of numba's, whose types are looked up."""

    @classmethod
    def of(cls, function: types.Function) -> KnownFunction:
        known = cls.__new__(cls)
        known.__dict__ = vars(function)
        return known

    _impl_keys: Any

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Results that are code of their own (overloads) depend on who calls: numba finds them."""
        results = KnownTypes.known
        if kws or results is None:
            return super().get_call_type(context, args, kws)
        signature = results.get((self, args))
        if signature is None:
            signature = super().get_call_type(context, args, kws)
            if signature is not None and self._impl_keys[signature.args] is self.typing_key:
                results[self, args] = signature
        return signature


register_model(KnownFunction)(models.OpaqueModel)


class LeanCompiler(WholeCompiler):
    """The same without the passes that are of no use here."""

    library: Any = LeanLibrary
    needless = NEEDLESS

    def _compile_core(self) -> Any:
        """Searches for garbage, of which compiling makes little and much of the rest, wait."""
        with without_collection(), KnownTypes.shared(self.state):
            return super()._compile_core()


class PartCompiler(LeanCompiler):
    """The same for functions that only compiled functions call."""

    library = PartLibrary


class CodeCache(Cache):
    """Code of one function on disk: `load_overload` and `save_overload` by types of arguments."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self.function, self.options = function, options
        self.counts_references = bool(options.get("_nrt", True))
        self.enabled = True

    @property
    def cache_path(self) -> Any:
        return code_cache.folder_of(self.function)

    @functools.cached_property
    def contents(self) -> str | None:
        """None where a constant of the function cannot be told apart from others."""
        try:
            return digest(self.function, self.options)[:32]
        except Unknown:
            return None

    def file(self, signature: Any, context: Any) -> Path | None:
        if not self.enabled or self.cache_path is None or self.contents is None:
            return None
        arguments, returned = normalize_signature(signature)
        kinds = [*map(described_type, arguments), str(returned), *context.codegen().magic_tuple()]
        return code_cache.file_in(self.cache_path, self.contents, kinds)

    def is_filled(self) -> bool:
        """Whether code of the function as it is now lies on disk, for any types."""
        place = self.cache_path
        return bool(place and self.contents and any(place.glob(f"{self.contents}-*.code")))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code from disk; None where there is none, or none that is whole.

        Code that counts no references calls nothing of what numba would import first in order to
        compile (tests/mathematics/test_startup.py).
        """
        if self.counts_references:
            context.refresh()
        else:
            rtsys.initialize(context)
        file = self.file(signature, context)
        with undisturbed():
            parts = file and code_cache.read(file)
            return parts and CompileResult._rebuild(context, *parts)

    def save_overload(self, signature: Any, made: Any) -> None:
        if made.library.has_dynamic_globals or any(not each.can_cache for each in made.lifted):
            return
        file = self.file(signature, made.target_context)
        if file is not None:
            with undisturbed():
                code_cache.write(file, dumps(made._reduce()))

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        self.enabled = False

    def flush(self) -> None:
        """Nothing waits to be written."""


def entry(function: Any, options: dict[str, Any]) -> Any:
    """A function that Python calls, with its code on disk."""
    njit: Any = numba.njit
    own = {**options, "pipeline_class": LeanCompiler}
    if options.get("_nrt", True):
        own["pipeline_class"] = WholeCompiler
    dispatcher: Any = njit(**own)(function)
    if isinstance(dispatcher, CPUDispatcher):  # with NUMBA_DISABLE_JIT=1 the function itself
        entered: Any = dispatcher
        entered.__class__ = CompiledHere
        entered._cache = CodeCache(function, own)
        entered.within = part(function, {"_nrt": True, **options})
    return dispatcher


class CompiledHere(CPUDispatcher):
    """A function that Python calls; compiled functions that call it contain it as a part.

    Code from disk, or made a moment ago, would be optimised with its callers in different ways, and
    products and sums fused in others: digits would depend on which process compiled what.
    """

    within: Any

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.within.get_call_template(args, kws)

    def get_overload(self, signature: Any) -> Any:
        return self.within.get_overload(signature)


class Part(CPUDispatcher):
    """A function that only compiled functions call; for Python it is the function as written.

    Its code has no entry for calls from Python: numba would jump to address zero.
    """

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.py_func(*arguments, **named)


def part(function: Any, options: dict[str, Any]) -> Any:
    """A function that only compiled functions call."""
    njit: Any = numba.njit
    options = {"no_cpython_wrapper": True, "_nrt": False, **options, "no_cfunc_wrapper": True}
    options["pipeline_class"] = WholeCompiler if options["_nrt"] else PartCompiler
    made = njit(**options)(function)
    if type(made) is CPUDispatcher:  # with NUMBA_DISABLE_JIT=1 it is the function itself
        made.__class__ = Part
    return made


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


def attributes(kind: type, typed: Any, load: Any) -> Any:
    """Attributes of all values of a kind of types.

    typed(type, name) is the type of an attribute, None for other names; load(context, builder,
    type, value, name) its code.  Returns a function that takes the names of new types.
    """

    class Fields(AttributeTemplate):
        key = kind

        def generic_resolve(self, value: Any, name: str) -> Any:  # type: ignore[override]
            return typed(value, name)

    infer_getattr(Fields)
    lower_getattr_generic(kind)(load)
    return lambda names: None


def array_at(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
    """Code for an array with rows in order, from the place of its numbers and its extents."""
    size = shape[0].type(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(extent, strides[0]))
    array = context.make_array(kind)(context, builder)
    populate_array(array, data, shape, strides, size, meminfo=None)
    return array._getvalue()


def address(dispatcher: Any, signature: Any) -> int:
    """Where a compiled function begins for callers by address, with arguments of these types."""
    dispatcher.compile(signature.args)
    made = dispatcher.overloads[tuple(signature.args)]
    return made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name)


def is_cached(dispatcher: Any) -> bool:
    """Whether compiled code of this function, as it is now, lies on disk."""
    cache = getattr(dispatcher, "_cache", None)  # what is not compiled has none
    return bool(cache and cache.is_filled())
