"""Compiled code on disk is used as long as the sources that it is made of are the same."""

import importlib
import pkgutil
import types

import pytest

import linkwork
from linkwork.math.compiling import sources


def functions_of(module):
    """The Python functions behind what a module compiles, and what they are compiled from."""
    for thing in vars(module).values():
        function = getattr(thing, "py_func", None) or getattr(thing, "function", None)
        if isinstance(function, types.FunctionType) and function.__module__ == module.__name__:
            yield function


def modules_used(function):
    """Modules of the package that define functions which a function calls by a global name."""
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        used = getattr(used, "py_func", None) or getattr(used, "function", None) or used
        home = getattr(used, "__name__" if isinstance(used, types.ModuleType) else "__module__", "")
        if isinstance(home, str) and home.startswith("linkwork."):
            yield home


def test_every_function_that_compiled_code_calls_is_among_its_sources():
    looked = 0
    for found in pkgutil.walk_packages(linkwork.__path__, "linkwork."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for function in functions_of(module):
            files = sources.needed(sources.source_file(function.__module__))
            for home in modules_used(function):
                assert sources.source_file(home) in files, (function.__qualname__, home)
                looked += 1
    assert looked > 500


def test_an_element_does_not_recompile_the_steps():
    steps = sources.needed(sources.source_file("linkwork.integrators.second_order.stepping"))
    assert sources.source_file("linkwork.system.elimination.nodes.node") in steps
    assert sources.source_file("linkwork.elements.joints.lock") not in steps


@pytest.mark.parametrize("changed, differs", [("called.py", True), ("other.py", False)])
def test_a_change_counts_where_it_is_used(tmp_path, monkeypatch, changed, differs):
    package = tmp_path / "linkwork"
    package.mkdir()
    (package / "kernel.py").write_text("from linkwork.called import (\n    f,  # a part\n)\n")
    (package / "called.py").write_text("def f(): pass\n")
    (package / "other.py").write_text("def g(): pass\n")
    monkeypatch.setattr(sources, "PACKAGE", package)

    def stamp():
        for cached in (sources.sources, sources.source_file, sources.contents, sources.imports):
            cached.cache_clear()
        return sources.sources("linkwork.kernel")

    before = stamp()
    (package / changed).write_text("def f(): return 1\n")
    assert (stamp() != before) is differs
    monkeypatch.undo()
    stamp()
