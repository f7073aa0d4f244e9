"""Examples in docstrings give what stands below them."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "linkwork").rglob("*.py")) if ">>> " in path.read_text("utf-8")
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    found = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")))
    assert found.attempted and not found.failed
