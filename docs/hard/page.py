"""Writes docs/hard-motions.md, hard motions by all methods: python -m docs.hard.page [name ...]

With names it only prints the motions that have one of them in their own; the title of a section
as the name runs that section and writes it anew, and leaves the others as they are. Ends with an
error where a cell is silently wrong (runs.py); tests/integrators/test_hard_motions.py does the
same for a few motions that are short.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from docs.hard.motions import KINDS, Kind
from docs.hard.runs import METHODS, Cell, Motion, judge

PAGE = Path(__file__).parent.parent / "hard-motions.md"
HEAD = """\
# Hard motions by all methods

{count} motions that are hard on a time-stepping method, each by seven methods with the same step.
A cell says what became of the run, and its error:

- **right**: within the bound of its row, and there was no warning;
- coarse: beyond the bound, without a warning, but a plain error of the step's size: half the step
  leaves less than 0.6 of it. Halve the step, or take another method;
- *warned*: the run ended, and linkwork warned of this very run (`lw.LinkworkWarning`);
- *refused*: one of linkwork's errors, before the first step or where the motion could not go on.

No cell is silently wrong, that is, off without a warning and no better with half the step: the
command below fails if there is one. The number is the error relative to the motion, so 1e-2 is one
per cent, and each table says of what. Errors of positions are taken at the end of the run, against
a formula or an independent solution; errors of the energy are the largest ones over the run, in
parts of the energy that was exchanged. The methods are `GeneralizedAlpha()` (default),
`GeneralizedAlpha(stabilized=True)`, `BDF2()`, `MS2()`, `EnergyMomentum()`, `Recursive()` and
`RK4()`, with their default parameters. Steps are large on purpose: 1e-3 s unless the row says else.
"""
TAIL = """\
## How it is made

`python -m docs.hard.page` runs all of it and writes this page; the runs took {seconds:.0f} s of
processor time here. `python -m docs.hard.page whip` prints the rows with "whip" in their name.
`tests/integrators/test_hard_motions.py` checks a few short ones. The mechanisms are in
`docs/hard/mechanisms.py`, the independent solutions in `docs/hard/measures.py`, the motions and
their bounds in `docs/hard/motions.py`.
"""
END = "How it is made"
MARKS = {"right": "**right**", "warned": "*warned*", "refused": "*refused*", "coarse": "coarse"}


def figure(error: float) -> str:
    """An error in one digit; what is far below any bound is zero."""
    if not math.isfinite(error):
        return "" if error != error else " ∞"
    mantissa, _, exponent = f"{error:.0e}".partition("e")
    return " 0" if error == 0 else f" {mantissa}e{int(exponent)}"


def row(motion: Motion) -> dict[str, Cell]:
    """The cells of one motion, by method."""
    cells = {}
    for method in METHODS:
        cell = cells[method] = judge(motion, method)
        print(f"{motion.name:50s} {method:15s} {cell.kind + figure(cell.error):15s} "
              f"{cell.seconds:6.2f} s  {cell.said[:250]}", flush=True)  # fmt: skip
    return cells


def table(kind: Kind, rows: dict[str, dict[str, Cell]], bounds: dict[str, float]) -> str:
    """The section of one kind of motion."""
    lines = [f"## {kind.title}", "", kind.what, "", "| motion | bound | "
             + " | ".join(METHODS) + " |", "|---" * (len(METHODS) + 2) + "|"]  # fmt: skip
    for name, cells in rows.items():
        texts = [MARKS.get(c.kind, c.kind) + figure(c.error) for c in cells.values()]
        bound = figure(bounds[name]).strip() or "none"
        lines.append(f"| {name} | {bound} | " + " | ".join(texts) + " |")
    said = [(name, method, cell) for name, cells in rows.items()
            for method, cell in cells.items() if cell.kind in ("warned", "refused")]  # fmt: skip
    lines += ["", f"What to do: {kind.advice}", ""]
    if said:
        lines += ["What linkwork said, one example of each row:", ""]
        for name in dict.fromkeys(name for name, _, _ in said):
            method, cell = next((m, c) for n, m, c in said if n == name)
            lines.append(f"- {name}, {method}: \u201c{' '.join(cell.said.split())}\u201d")
        lines.append("")
    return "\n".join(lines)


def written_sections() -> dict[str, str]:
    """The sections of the page as it is, by their titles."""
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:] if PAGE.exists() else []
    return {part.split("\n", 1)[0]: "## " + part for part in parts}


def main(*names: str) -> int:
    spent, silent, count = 0.0, [], 0
    titles = [kind.title for kind in KINDS if kind.title in names]
    sections = written_sections() if titles else {}
    for kind in KINDS:
        wanted = not names or kind.title in names
        motions = [m for m in kind.motions() if wanted or any(n in m.name for n in names)]
        rows = {motion.name: row(motion) for motion in motions}
        count += len(rows)
        spent += sum(cell.seconds for cells in rows.values() for cell in cells.values())
        if wanted:
            sections[kind.title] = table(kind, rows, {m.name: m.bound for m in motions})
        silent += [f"{name} by {method}" for name, cells in rows.items()
                   for method, cell in cells.items() if cell.kind == "SILENT"]  # fmt: skip
    if titles or not names:
        last = sections.get(END, "") if titles else TAIL.format(seconds=spent)
        body = [sections[kind.title].rstrip("\n") + "\n" for kind in KINDS]
        number = sum(len(kind.motions()) for kind in KINDS)
        text = "\n".join([HEAD.format(count=number), *body, last])
        PAGE.write_text(text, encoding="utf-8")
    print(f"{count} motions, {spent:.0f} s; silently wrong: {', '.join(silent) or 'none'}")
    return len(silent)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
