"""Sections of docs/speed.md that can also be measured alone: `python -m benchmarks --only trees`.

A further comparison is one more line in SECTIONS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.beams import compare_beams
from benchmarks.corrections import compare_corrections
from benchmarks.grids import compare_grids, grid_section
from benchmarks.pages.beam_page import beam_section
from benchmarks.pages.loop_page import correction_section, rod_section
from benchmarks.pages.size_page import size_section
from benchmarks.pages.tree_page import tree_section
from benchmarks.rods import compare_rods
from benchmarks.sizes import sizes
from benchmarks.startup import start_up, start_up_section
from benchmarks.trees import compare_trees

NEXT = "## Output"  # the heading that follows all of them


@dataclass(frozen=True)
class Section:
    """A comparison: its heading, how it is measured, and how it is told.

    measure(runs, quick) prints as it goes and gives what it found; tell(docs, found) draws pictures
    into docs/images and gives the Markdown from the heading on, or raises SystemExit.
    """

    heading: str
    measure: Callable[[int, bool], Any]
    tell: Callable[[Path, Any], str]


SECTIONS = {
    "trees": Section("## Trees in joint coordinates", compare_trees, tree_section),
    "corrections": Section("## Keeping loops closed", compare_corrections, correction_section),
    "rods": Section("## The Jacobian of a long loop", compare_rods, rod_section),
    "beams": Section("## Beams of large deformation", compare_beams, beam_section),
    "grids": Section("## Grids of bodies", compare_grids, grid_section),
    "startup": Section("## Before the first step", start_up, start_up_section),
    "sizes": Section("## Large models", sizes, size_section),
}


def replace(page: str, section: Section, text: str) -> str:
    """The page with the section's text instead of the old one, or before NEXT if it had none."""
    begin = page.find(f"{section.heading}\n")
    if begin < 0:
        begin = end = page.index(f"{NEXT}\n")
    else:
        end = page.index("\n## ", begin) + 1
    return f"{page[:begin]}{text}\n{page[end:]}"


def kept(docs: Path) -> str:
    """The text of all sections as the page has them now."""
    page = (docs / "speed.md").read_text(encoding="utf-8")
    begin = min(page.index(f"{section.heading}\n") for section in SECTIONS.values())
    return page[begin : page.index(f"{NEXT}\n")].rstrip("\n") + "\n"


def renew(docs: Path, name: str, runs: int) -> None:
    """Measure one section and put it into the page."""
    section, path = SECTIONS[name], docs / "speed.md"
    text = section.tell(docs, section.measure(runs, False))
    page = replace(path.read_text(encoding="utf-8"), section, text)
    path.write_text(page, encoding="utf-8")
