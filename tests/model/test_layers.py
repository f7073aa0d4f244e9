"""Layers: every module imports only from its own layer and from those above it.

Imports inside functions and for type checking count as well.  A line with the comment `# layer:`
and a reason is excused.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "linkwork"
LAYERS = (
    ("kernels",),
    ("model",),
    ("elements",),
    ("linear_algebra",),
    ("system",),
    ("integrators", "nullspace", "recursive"),
    ("results",),
    ("analysis",),
    ("io",),
    ("view",),
    ("study",),
    ("cli", "demo", "extend", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
BELOW_ALL = ("errors", "")  # errors.py and the package's own names may be used everywhere
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))


def part_of(module: str) -> str:
    """The layer's name of 'linkwork.elements.joints.lock': 'elements'."""
    return module.partition(".")[2].partition(".")[0]


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> list[tuple[int, str]]:
    """Line and name of every module of the package that a file imports."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            names = [module]
            if module == "linkwork":  # from linkwork import errors
                names = [f"{module}.{a.name}" if is_module(a.name) else module for a in node.names]
        if names and "# layer:" not in lines[node.lineno - 1]:
            found += [(node.lineno, n) for n in names if n.split(".")[0] == "linkwork"]
    return found


def is_module(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()


def wrong_imports(path: Path) -> list[str]:
    mine = part_of(module_name(path))
    if mine in BELOW_ALL:
        allowed = {"errors", ""}
    else:
        allowed = {name for name in LEVEL if LEVEL[name] <= LEVEL[mine]} | {*BELOW_ALL}
    return [
        f"{path.relative_to(PACKAGE.parent)}:{line} imports {name}"
        for line, name in imported(path)
        if part_of(name) not in allowed
    ]


def test_every_module_belongs_to_a_layer():
    parts = {part_of(module_name(path)) for path in MODULES}
    assert parts <= {*LEVEL, *BELOW_ALL}
    assert {"kernels", "model", "elements", "system", "integrators", "results", "analysis"} <= parts


@pytest.mark.parametrize("path", MODULES, ids=[module_name(path) for path in MODULES])
def test_imports_come_from_above(path):
    assert wrong_imports(path) == []


def test_a_wrong_import_is_noticed(tmp_path, monkeypatch):
    """An import from below is found, inside a function too, and can be excused."""
    folder = tmp_path / "linkwork" / "kernels"
    folder.mkdir(parents=True)
    (tmp_path / "linkwork" / "analysis").mkdir()
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path / "linkwork")
    path = folder / "bad.py"
    path.write_text(
        "from linkwork.errors import ModelError\n"
        "def f():\n    from linkwork.analysis.statics.static import static\n"
        "    from ..analysis import static\n"
        "    import linkwork.system.state  # layer: excused here\n"
        "    from linkwork import analysis\n"
    )
    wrong = wrong_imports(path)
    assert [text.split(":")[1].split()[0] for text in wrong] == ["3", "4", "6"]
