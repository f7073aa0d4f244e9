"""The page about MBDyn input files has the tables of the code."""

from __future__ import annotations


def test_the_table_of_cards_is_that_of_the_code():
    from docs.site import mbdyn_tables

    found = mbdyn_tables.PAGE.read_text(encoding="utf-8")
    assert found == mbdyn_tables.page(), "run python -m docs.site.mbdyn_tables"
    assert "`revolute hinge`" in found and "`fourier series`" in found
