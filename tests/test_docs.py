"""The code of the tutorial and the how-to pages runs, block after block, as a reader would."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import matplotlib
import pytest

import linkwork as lw

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / "index.md", DOCS / "tutorial.md", *sorted((DOCS / "howto").glob("*.md"))]
PAGES = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_code_of_a_page(page, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict = {"__name__": f"page_{page.stem}"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        for block in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S):
            exec(compile(block, str(page), "exec"), names)
    plt.close("all")


def test_how_to_pages_are_all_there():
    """The tasks that the documentation promises."""
    assert {page.stem for page in (DOCS / "howto").glob("*.md")} >= {
        "closed-loops", "redundant-joints", "statics-and-modes", "long-runs", "fast-trees",
        "choosing-a-method", "reading-errors",
    }  # fmt: skip


def test_every_public_name_is_in_the_reference(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    from api_pages import write_api

    write_api(tmp_path / "api")
    text = "\n".join(p.read_text(encoding="utf-8") for p in (tmp_path / "api").glob("*.md"))
    assert [name for name in lw.__all__ if f"## lw.{name}\n" not in text] == []
    assert "lw.Revolute(a, b, at=None, axis=None" in text  # the words, not *arguments
    assert "*arguments" not in text
