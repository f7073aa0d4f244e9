"""Every script in examples/ runs, and every assertion it contains is reached.

The scripts are found by looking into the folder.  While main() runs, the lines of the script are
traced, so an assertion that a branch skips is noticed.
"""

from __future__ import annotations

import ast
import functools
import operator
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from example_scripts import EXAMPLES, FOLDER, load_example

import linkwork as lw


def assertions(path: Path) -> dict[int, str]:
    """Line → text of all assertions of a script."""
    source = path.read_text(encoding="utf-8")
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]
    return {node.lineno: ast.unparse(node) for node in found}


class Lines:
    """Notes which lines of one file run."""

    def __init__(self, path: Path) -> None:
        self.path, self.seen = str(path), set[int]()

    def __enter__(self) -> Lines:
        self.before = sys.gettrace()
        sys.settrace(self.call)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self.before)

    def call(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self.line if frame.f_code.co_filename == self.path else None

    def line(self, frame: FrameType, event: str, arg: Any) -> Any:
        self.seen.add(frame.f_lineno)
        return self.line


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 14


@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES])
def test_example(
    name: str, capsys: pytest.CaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = FOLDER / f"{name}.py"
    example = load_example(name)
    assert isinstance(example.model, lw.Model), "linkwork run needs a module-level `model`"
    assert example.time > example.step > 0, "and `time` and `step` where nothing else is said"
    described = str(example.model)
    assert all(item in described for item in example.model.items), "print(model) names every item"
    with Lines(path) as lines:
        numbers = example.main()
    assert isinstance(numbers, dict) and numbers
    assert np.all(np.isfinite(list(numbers.values())))
    expected = assertions(path)
    skipped = [text for line, text in expected.items() if line not in lines.seen]
    assert expected and not skipped
    assert capsys.readouterr().out.strip(), "an example tells what it found"
    assert not list(tmp_path.iterdir()), "files are written only when called as a script"


@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES])
def test_example_reads_well(name: str) -> None:
    """A docstring that says what it shows and against what, and a script one can take in."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    assert len(docstring.splitlines()) >= 4
    assert len(source.splitlines()) <= 130
    assert f"examples/output/{name}.png" in source


def test_every_example_has_its_place_in_the_gallery():
    from docs.site.gallery_subjects import SUBJECTS, by_subject

    names = [path.stem for path in EXAMPLES]
    assert sorted(functools.reduce(operator.iadd, by_subject(names).values(), [])) == sorted(names)
    with pytest.raises(ValueError, match=r"perpetuum_mobile are in no subject"):
        by_subject([*names, "perpetuum_mobile"])
    first = next(iter(SUBJECTS.values())).split()[0]
    with pytest.raises(ValueError, match=f"{first} stand in docs/site/gallery_subj.*, but not"):
        by_subject([name for name in names if name != first])
