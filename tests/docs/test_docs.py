"""The code of the tutorial and the how-to pages runs, block after block, as a reader would."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import matplotlib
import pytest
from inside import ITEMS

import linkwork as lw
from linkwork.extend import ConstitutiveLaw

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "index.md", DOCS / "tutorial.md", *sorted((DOCS / "howto").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def scripts() -> dict[str, list[str]]:
    """The code of every page: its blocks one after another, or each by itself where each imports
    what it needs."""
    found = {}
    for page in PAGES:
        blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
        if len(blocks) > 1 and all("import linkwork as lw" in block for block in blocks):
            found |= {f"{page.stem}-{k}": [block] for k, block in enumerate(blocks, 1)}
        elif blocks:
            found[page.stem] = blocks
    return found


@pytest.mark.parametrize("blocks", scripts().values(), ids=scripts())
def test_code_of_a_page(blocks, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "page"}
    before = dict(ITEMS), dict(ConstitutiveLaw.kinds)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.LinkworkWarning)
            for block in blocks:
                exec(compile(block, "page", "exec", dont_inherit=True), names)
    finally:  # other tests walk the registries
        for registry, entries in zip((ITEMS, ConstitutiveLaw.kinds), before):
            registry.clear()
            registry.update(entries)
    plt.close("all")


def test_each_of_the_ten_mechanisms_is_short():
    """Whole scripts of less than forty lines."""
    page = (DOCS / "howto" / "ten-mechanisms.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^## ", page, re.M)) == len(BLOCK.findall(page)) == 10
    assert all(len(block.splitlines()) < 40 for block in BLOCK.findall(page))


def test_how_to_pages_are_all_there():
    """The tasks that the documentation promises."""
    assert {page.stem for page in (DOCS / "howto").glob("*.md")} >= {
        "closed-loops", "redundant-joints", "statics-and-modes", "long-runs", "fast-trees",
        "choosing-a-method", "reading-errors",
    }  # fmt: skip


def test_every_public_name_is_in_the_reference(tmp_path):
    from docs.site.api_pages import write_api

    write_api(tmp_path / "api")
    text = "\n".join(p.read_text(encoding="utf-8") for p in (tmp_path / "api").glob("*.md"))
    assert [name for name in lw.__all__ if f"## lw.{name}\n" not in text] == []
    assert "lw.Revolute(a, b, at=None, axis=None" in text  # the words, not *arguments
    assert "*arguments" not in text
