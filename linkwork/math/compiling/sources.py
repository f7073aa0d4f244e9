"""The source files that the compiled code of a function depends on.

Numba looks only at the file of the function itself: code on disk would outlive a change in what it
calls.  What it calls are global names of its module, so that the files that count are those that
the module imports at its top, those that they import, and so on.  Imports inside functions, or for
type checking alone, bring nothing that compiled code could use.
"""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
IMPORTED = re.compile(
    rb"^(?:from (?P<module>linkwork[\w.]*) import (?:\((?P<many>[^)]*)\)|(?P<names>[^\n]*))"
    rb"|import (?P<whole>linkwork[\w.]*))",
    re.MULTILINE,
)
COMMENT = re.compile(r"#[^\n]*")


@functools.cache
def sources(module: str) -> str:
    """A hash of all files of the package that code of this module may be made of."""
    start = source_file(module)
    files = sorted(PACKAGE.rglob("*.py")) if start is None else sorted(needed(start))
    digest = hashlib.sha256()
    for file in files:
        digest.update(contents(file))
    return digest.hexdigest()


@functools.cache
def source_file(module: str) -> Path | None:
    """Where a module of the package is written; None for others."""
    first, *rest = module.split(".")
    if first != PACKAGE.name:
        return None
    place = PACKAGE.joinpath(*rest)
    found = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in found if file.is_file()), None)


@functools.cache
def contents(file: Path) -> bytes:
    return file.read_bytes()


def needed(start: Path) -> set[Path]:
    """The file itself and all that it imports, directly or through others."""
    seen: set[Path] = set()
    waiting = [start]
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting.extend(imports(file))
    return seen


@functools.cache
def imports(file: Path) -> frozenset[Path]:
    """The files of the package that a file imports at its top: modules, or those of names."""
    found = set()
    for match in IMPORTED.finditer(contents(file)):
        if match["whole"]:
            found.add(source_file(match["whole"].decode()))
            continue
        module = match["module"].decode()
        names = COMMENT.sub("", (match["many"] or match["names"]).decode()).split(",")
        for name in (each.split(" as ")[0].strip() for each in names):
            found.add(source_file(f"{module}.{name}") or source_file(module))
    return frozenset(each for each in found if each is not None)
