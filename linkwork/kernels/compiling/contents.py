"""Digests of functions: what their compiled code follows from, and nothing else.

A digest covers the byte code of a function and of all functions that it reaches by global names and
closures, the values of the constants among these, and how each is compiled.  Docstrings, comments,
line numbers and the places of files do not count.  What types and operations of the package mean to
numba is not reached by names: the modules that say it (`BACKEND`) count as a whole.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Iterable
from typing import Any, get_type_hints

import llvmlite
import numba
import numpy as np
from numba import types as numba_types

# modules with types, operations and passes that numba finds without a name in the code
BACKEND = tuple(
    f"linkwork.kernels.{name}"
    for name in (
        "compiled", "compiling.lean_numba", "kernel", "memory.borrowed", "memory.pointers",
        "memory.records", "registers.eights", "registers.fours", "registers.lanes",
    )
)  # fmt: skip
# packages whose version stands for their code
VERSIONED = frozenset({"numba", "llvmlite", "numpy", "scipy", *sys.stdlib_module_names})
HAS_DOCSTRING = 0x4000000  # inspect.CO_HAS_DOCSTRING, from Python 3.13 on


class Unknown(TypeError):
    """A value whose meaning for compiled code is not known here; such code is not kept."""


def digest(function: types.FunctionType, options: dict[str, Any]) -> str:
    """Of a compiled function with its options, and of everything that its code may be made of."""
    own = f"{versions()} {function.__module__} {function.__qualname__} {described(options, set())}"
    reached = sorted({own_digest(each)[0] for each in reachable(function)})
    return hashlib.sha256("\n".join((own, backend(), *reached)).encode()).hexdigest()


@functools.cache
def versions() -> str:
    """What makes code of the same functions differ from one machine or environment to another."""
    config: Any = numba.config
    how = config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, config.ENABLE_AVX
    python = sys.implementation.cache_tag
    return f"{python} {numba.__version__} {llvmlite.__version__} {np.__version__} {how}"


@functools.cache
def backend() -> str:
    """A digest of the modules of `BACKEND`, from their byte code."""
    return hashlib.sha256("".join(map(module_digest, BACKEND)).encode()).hexdigest()


def module_digest(name: str) -> str:
    spec = importlib.util.find_spec(name)
    loader: Any = spec and spec.loader
    return code_digest(loader.get_code(name))


def reachable(start: types.FunctionType) -> list[types.FunctionType]:
    """The function and all that it reaches, each once."""
    seen: dict[types.FunctionType, None] = {}
    waiting = [start]
    while waiting:
        function = waiting.pop()
        if function not in seen:
            seen[function] = None
            waiting.extend(own_digest(function)[1])
    return list(seen)


@functools.cache
def own_digest(function: types.FunctionType) -> tuple[str, tuple[types.FunctionType, ...]]:
    """A digest of one function with its constants, and the functions that it names."""
    called: set[types.FunctionType] = set()
    names = names_in(function.__code__)
    values = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        values[name] = cell.cell_contents
    parts = [f"{function.__module__} {function.__qualname__}", code_digest(function.__code__)]
    parts.append(described((function.__defaults__, function.__kwdefaults__), called))
    for name in sorted(values):
        value = values[name]
        if isinstance(value, types.ModuleType):
            parts.extend(described_members(value, names, called))
        else:
            parts.append(f"{name}={described(value, called)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest(), tuple(called)


def described_members(module: types.ModuleType, names: Iterable[str], called: set) -> list[str]:
    """The module, and what the names in a function mean in it."""
    parts = [module.__name__]
    if versioned(module.__name__):
        return parts
    for name in sorted(set(names) & vars(module).keys()):
        parts.append(f"{module.__name__}.{name}={described(vars(module)[name], called)}")
    return parts


def described(value: Any, called: set) -> str:
    """A constant in words that are the same in every process; functions in it go to `called`."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(described(each, called) for each in value)
        return f"{type(value).__qualname__}({inner})"
    if isinstance(value, dict):
        pairs = (f"{described(k, called)}: {described(v, called)}" for k, v in value.items())
        return f"{{{', '.join(sorted(pairs))}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(described(each, called) for each in value))}}}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, numba_types.Type):
        return described_type(value)
    if isinstance(value, (type, types.BuiltinFunctionType, np.ufunc, np.dtype, types.ModuleType)):
        return described_name(value)
    if isinstance(value, types.FunctionType):
        if not versioned(value.__module__):
            called.add(value)
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, functools.partial):
        return described((value.func, value.args, value.keywords), called)
    return described_compiled(value, called)


def described_name(value: Any) -> str:
    fields = described_fields(value) if hasattr(value, "_fields") else ""
    where, name = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
    return f"{where}.{name or value!r}{fields}"


def described_fields(group: Any) -> Any:
    """The fields of a named tuple, and what they are declared to be (memory.records)."""
    if not hasattr(group, "_fields"):
        return str(group)
    hints = get_type_hints(group, include_extras=True)
    return [(name, described_fields(hints.get(name))) for name in group._fields]


def described_compiled(value: Any, called: set) -> str:
    """What compiles a function (a dispatcher, an entry) by that function and its options."""
    function = getattr(value, "py_func", None) or getattr(value, "function", None)
    if not isinstance(function, types.FunctionType):
        kind = type(value)
        if versioned(kind.__module__):
            return f"{kind.__module__}.{kind.__qualname__} {getattr(value, '__name__', '')}"
        raise Unknown(f"{value!r} in compiled code has no known meaning")
    options = getattr(value, "targetoptions", None) or getattr(value, "options", {})
    return f"{described(function, called)} {described(options, called)}"


def described_type(kind: Any) -> str:
    """A type of numba; tuples with the names of their fields, which its own name leaves out."""
    fields = getattr(kind, "types", ())
    if isinstance(kind, numba_types.BaseTuple):
        own = getattr(kind, "instance_class", tuple)
        inner = dict.fromkeys(fields)  # large tables have many fields of few types
        return f"{described_name(own)}[{kind}]({' '.join(map(described_type, inner))})"
    behind = getattr(kind, "kind", None)  # a reference or a view of a tuple
    if isinstance(behind, numba_types.Type):
        return f"{type(kind).__qualname__}({described_type(behind)})"
    return str(kind)


def versioned(module: str | None) -> bool:
    return (module or "builtins").partition(".")[0] in VERSIONED


def names_in(code: types.CodeType) -> frozenset[str]:
    """Names in a piece of code and in the functions within it."""
    inner = [names_in(each) for each in code.co_consts if isinstance(each, types.CodeType)]
    return frozenset(code.co_names).union(*inner)


def code_digest(code: types.CodeType) -> str:
    """Of byte code alone: without docstrings, lines and files."""
    doc = docstring_place(code)
    constants = [
        code_digest(each) if isinstance(each, types.CodeType) else described(each, set())
        for number, each in enumerate(code.co_consts)
        if number != doc
    ]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    flags = code.co_flags & ~HAS_DOCSTRING
    shape = code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, flags
    table = getattr(code, "co_exceptiontable", b"")
    text = repr((code.co_name, code.co_code, names, shape, table, constants))
    return hashlib.sha256(text.encode()).hexdigest()


def docstring_place(code: types.CodeType) -> int | None:
    """Which constant is the docstring of a function, a class or a module."""
    if code.co_flags & inspect.CO_NEWLOCALS:  # a function
        if sys.version_info >= (3, 13):
            return 0 if code.co_flags & HAS_DOCSTRING else None
        return None if code.co_name.startswith("<") else 0  # the docstring, or else None
    before = None
    for step in dis.get_instructions(code) if "__doc__" in code.co_names else ():
        if step.opname == "STORE_NAME" and step.argval == "__doc__":
            return before.arg if before is not None and before.opname == "LOAD_CONST" else None
        before = step
    return None
