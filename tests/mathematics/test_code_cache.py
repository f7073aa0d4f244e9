"""Compiled code on disk: used while what it is made of is the same; damaged files do no harm."""

import importlib
import os
import pkgutil
import re
import resource
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numba
import pytest

import linkwork
from linkwork.kernels.compiling import code_cache, contents

PACKAGE = Path(linkwork.__file__).parent
needs_compiler = pytest.mark.skipif(
    numba.config.DISABLE_JIT or os.environ.get("LINKWORK_PLAIN_NUMBA", "") not in ("", "0"),
    reason="needs the compiler that keeps code on disk",
)

# A kernel of a module that imports others: constants, functions, a closure, a named tuple.
KERNEL = '''"""{doc}"""
from typing import NamedTuple
import used
from used import OFFSET, called{comment}

class Point(NamedTuple):
    x: float
    y: float

def factory(factor):
    def scaled(v):
        """{doc}"""
        return factor * v
    return scaled

scaled = factory({factor})

def entry(v):
    """{doc}"""
    p = Point(v, OFFSET)  # {comment}
    return scaled(called(p.x)) + used.GAIN * p.y
'''
USED = '''
OFFSET, GAIN = {offset}, {gain}

def called(v):
    return v + {added}

def not_called(v):
    return v + {other}
'''
SAME = {
    "doc": "a", "comment": "", "factor": 2.0, "offset": 1.0, "gain": 3.0, "added": 0.5, "other": 1,
}  # fmt: skip


def digest_of(folder, monkeypatch, **changes):
    """The digest of `entry`, with the two modules written to a folder of their own."""
    words = SAME | changes
    folder.mkdir()
    (folder / "kernel.py").write_text(KERNEL.format_map(words))
    (folder / "used.py").write_text(USED.format_map(words))
    with monkeypatch.context() as patch:
        patch.syspath_prepend(folder)
        for name in ("kernel", "used"):
            patch.delitem(sys.modules, name, raising=False)
        module = importlib.import_module("kernel")
        found = contents.digest(module.entry, {"fastmath": False})
        for name in ("kernel", "used"):
            del sys.modules[name]
    return found


@pytest.mark.parametrize("changes, differs", [
    ({}, False),
    ({"doc": "another\n\nwith more lines"}, False),
    ({"comment": "# and a comment"}, False),
    ({"other": 2}, False),
    ({"factor": 2.5}, True),
    ({"offset": 1.5}, True),
    ({"gain": 3.5}, True),
    ({"added": 0.75}, True),
    ({"added": "GAIN"}, True),
])  # fmt: skip
def test_a_digest_covers_what_a_function_uses_and_nothing_else(
    tmp_path, monkeypatch, changes, differs
):
    before = digest_of(tmp_path / "before", monkeypatch)
    assert (digest_of(tmp_path / "after", monkeypatch, **changes) != before) is differs


def test_options_are_part_of_a_digest():
    def function(x):
        return x

    assert contents.digest(function, {"fastmath": False}) != contents.digest(
        function, {"fastmath": {"contract"}}
    )


def modules():
    for found in pkgutil.walk_packages(linkwork.__path__, "linkwork."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def test_every_compiled_function_has_a_digest():
    count = 0
    for module in modules():
        for thing in list(vars(module).values()):
            function = getattr(thing, "py_func", None) or getattr(thing, "function", None)
            if isinstance(function, types.FunctionType) and function.__module__ == module.__name__:
                assert contents.digest(function, getattr(thing, "targetoptions", {}))
                count += 1
    assert count > 500


def test_modules_that_numba_finds_without_a_name_are_the_backend():
    """They register types, attributes, casts or operations: nothing in the code refers to them."""
    registers = re.compile(
        r"^@?(register_model|lower_builtin|lower_getattr\w*|lower_cast|infer_getattr)\b"
        r"|^@?infer_global\(operator|^    infer_global\(operation\)|^@intrinsic", re.M
    )  # fmt: skip
    for file in PACKAGE.rglob("*.py"):
        name = ".".join(("linkwork", *file.relative_to(PACKAGE).with_suffix("").parts))
        if registers.search(file.read_text()) and not name.endswith("plain_numba"):
            assert name in contents.BACKEND, f"{name} belongs into BACKEND"


WATCHED = """
import sys
from numba.core import event

class Listener(event.Listener):
    def on_start(self, event):
        print("compiles", event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
"""
SPRING = WATCHED + """
from linkwork.elements.forces.spring import SPRING
print(SPRING.kernel.address > 0)
"""
SMALL = WATCHED + """
import numpy as np
from linkwork.kernels.compiled import lean

@lean
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s

print("total", total(np.arange(5.0)))
"""


def run(code, cache, path=PACKAGE.parent, **options):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stderr
    return done


@needs_compiler
def test_another_tree_with_other_comments_compiles_nothing_anew(tmp_path):
    first = run(SPRING, tmp_path / "cache").stdout
    assert "compiles" in first
    shutil.copytree(PACKAGE, tmp_path / "tree" / "linkwork", ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("elements/layout.py", "kernels/kernel.py", "kernels/vectors.py"):
        file = tmp_path / "tree" / "linkwork" / name
        text = file.read_text()
        text = text.replace('"""', '"""Other words.\n\n', 1)
        file.write_text(text.replace("\ndef ", "\n# a comment\n\ndef "))
    second = run(SPRING, tmp_path / "cache", tmp_path / "tree").stdout
    assert second == "True\n"


@needs_compiler
def test_processes_that_fill_one_entry_at_a_time_do_no_harm(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", SMALL]
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [each.communicate()[0].splitlines()[-1] for each in both] == ["total 10.0"] * 3
    assert run(SMALL, tmp_path).stdout == "total 10.0\n"


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder with the code of one small function, and its file."""
    cache = tmp_path_factory.mktemp("cache")
    run(SMALL, cache)
    [file] = cache.rglob("*.code")
    return cache, file, file.read_bytes()


@needs_compiler
def test_damaged_code_is_not_used(filled):
    _, file, whole = filled
    cut = [whole[:n] for n in (0, 1, 31, 32, 33, len(whole) // 2, len(whole) - 1)]
    flipped = [
        whole[:n] + bytes([whole[n] ^ 255]) + whole[n + 1 :] for n in range(0, len(whole), 997)
    ]
    code_cache.warn_damaged.cache_clear()
    with pytest.warns(RuntimeWarning, match="damaged, and is compiled anew") as warned:
        for damaged in [*cut, *flipped, whole + b"more", b"\0" * len(whole)]:
            file.write_bytes(damaged)
            assert code_cache.read(file) is None
    assert len(warned) == 1
    file.write_bytes(whole)
    assert code_cache.read(file) is not None


@needs_compiler
@pytest.mark.parametrize("damage", [slice(0, 0), slice(0, 1000), slice(100, None)])
def test_damaged_code_is_compiled_anew_and_kept(filled, damage):
    cache, file, whole = filled
    file.write_bytes(whole[damage])
    done = run(SMALL, cache)
    assert "compiles total" in done.stdout and done.stdout.endswith("total 10.0\n")
    assert done.stderr.count("was damaged, and is compiled") == 1
    assert run(SMALL, cache).stdout == "total 10.0\n"


@needs_compiler
def test_a_full_disk_is_no_error(tmp_path):
    """A limit of the size of files ends writing as a full disk does."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = run(SMALL, tmp_path, preexec_fn=limit)
    assert done.stdout.endswith("total 10.0\n") and done.stderr == ""
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


@needs_compiler
def test_without_a_folder_it_compiles_with_a_warning(tmp_path):
    (tmp_path / "file").write_text("")
    done = run(SMALL, tmp_path / "file" / "cache")
    assert done.stdout.endswith("total 10.0\n")
    assert done.stderr.count("set NUMBA_CACHE_DIR to a writable folder") == 1


def test_versions_that_were_used_last_are_kept(tmp_path):
    for age in range(code_cache.KEPT_VERSIONS + 3):
        file = tmp_path / f"{age}-kinds.code"
        code_cache.write(file, b"code")
        os.utime(file, (1e9 + age, 1e9 + age))
    (tmp_path / "left.part").write_bytes(b"")
    os.utime(tmp_path / "left.part", (0, 0))
    code_cache.write(tmp_path / "new-kinds.code", b"code")
    kept = {file.name.partition("-")[0] for file in tmp_path.iterdir()}
    newest = {str(age) for age in range(4, code_cache.KEPT_VERSIONS + 3)}
    assert kept == {"new"} | newest
