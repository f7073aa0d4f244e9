"""The page about MBDyn input files has the tables of the code."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_cards_is_that_of_the_code(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import mbdyn_tables

    found = mbdyn_tables.PAGE.read_text(encoding="utf-8")
    assert found == mbdyn_tables.page(), "run python docs/mbdyn_tables.py"
    assert "`revolute hinge`" in found and "`fourier series`" in found
