"""`linkwork.extend`: all its names are documented, and what users write needs no other module."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw
from linkwork import extend

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *sorted((ROOT / "docs/howto").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def is_constant(thing: object) -> bool:
    return isinstance(thing, (int, float, tuple))


def imported_modules(code: str) -> set[str]:
    """The submodules of linkwork that a piece of code imports, also inside functions."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"linkwork.{alias.name}" for alias in node.names}
            modules |= names if node.module == "linkwork" else {node.module or ""}
    return {name for name in modules if name.startswith("linkwork.")}


@pytest.mark.parametrize("name", extend.__all__)
def test_names_are_documented(name):
    thing = getattr(extend, name)
    if is_constant(thing):
        assert re.search(rf"^ .*\b{name}\b", extend.__doc__, re.M), f"{name} is not in the tables"
    else:
        own = thing if inspect.ismodule(thing) or inspect.isclass(thing) else None
        text = own.__doc__ if own else inspect.getdoc(thing)
        assert text and not text.startswith(f"{getattr(thing, '__name__', '')}("), name


def test_names_are_there_once():
    assert len(set(extend.__all__)) == len(extend.__all__)
    imported = {name for name in vars(extend) if not name.startswith("__")}
    assert imported == set(extend.__all__)
    assert lw.extend is extend


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_users_imports_extend_alone(page):
    for code in BLOCK.findall(page.read_text(encoding="utf-8")):
        assert imported_modules(code) <= {"linkwork.extend"}, f"{page.name}: {code}"


def test_imports_of_other_modules_are_noticed():
    code = "import linkwork.kernels\ndef f():\n    from linkwork import extend, model\n"
    assert imported_modules(code) == {"linkwork.kernels", "linkwork.extend", "linkwork.model"}


def test_import_of_linkwork_leaves_extend_out():
    code = "import sys, linkwork; print('linkwork.extend' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
