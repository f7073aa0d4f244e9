"""The table of cards in howto/mbdyn.md, from those of the reader: python -m docs.site.mbdyn_tables

`tests/mbdyn/test_mbdyn_docs.py` fails where the page does not have what the code has.
"""

from __future__ import annotations

from pathlib import Path

from linkwork.io.mbdyn.cards.elements import ELEMENTS, JOINTS
from linkwork.io.mbdyn.cards.forces import COUPLES, FORCES
from linkwork.io.mbdyn.cards.nodes import KINDS, NODES
from linkwork.io.mbdyn.deck.reader import ANYWHERE
from linkwork.io.mbdyn.drives.callers import DRIVES
from linkwork.io.mbdyn.drives.files import FILES
from linkwork.io.mbdyn.drives.scalar_functions import FUNCTIONS
from linkwork.io.mbdyn.laws.laws import LAWS
from linkwork.io.mbdyn.problem.blocks import (
    CONTROL_DATA,
    COUNTED_ELEMENTS,
    COUNTED_NODES,
    INITIAL_VALUE,
    INVERSE_DYNAMICS,
    without_effect,
)
from linkwork.io.mbdyn.problem.eigen import OPTIONS
from linkwork.io.mbdyn.problem.inverse import KINDS as KINDS_OF_INVERSE
from linkwork.io.mbdyn.problem.methods import METHODS
from linkwork.io.mbdyn.scalars.circuits import ELECTRIC, THERMAL
from linkwork.io.mbdyn.scalars.genels import GENELS
from linkwork.io.mbdyn.syntax.evaluation import FUNCTIONS as MATH

PAGE = Path(__file__).parent.parent / "howto" / "mbdyn.md"
BEGIN, END = "<!-- cards: begin -->\n", "<!-- cards: end -->\n"


def listed(names: object) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names, key=str.lower))  # type: ignore[call-overload]


def cards() -> str:
    """The table as Markdown."""
    problem = {**INVERSE_DYNAMICS, **INITIAL_VALUE, **CONTROL_DATA}
    counted = (*COUNTED_NODES, *COUNTED_ELEMENTS)
    used = [name for name, card in problem.items()
            if card is not without_effect and name not in counted]  # fmt: skip
    ignored = [name for name, card in problem.items() if card is without_effect]
    refused = ("module load", "hydraulic fluid", "c81 data")
    rows = {
        "anywhere": [name for name in ANYWHERE if name not in refused],
        "blocks of problems, `control data` (and counts of everything)": used,
        "read, without effect": ignored,
        "methods": METHODS,
        "options of `eigenanalysis`": OPTIONS,
        "problem types of `inverse dynamics`": KINDS_OF_INVERSE,
        "nodes": [name for name in NODES if name != "output"],
        "structural nodes": [kind for kind in KINDS if kind != "modal"],
        "elements": ELEMENTS,
        "joints": JOINTS,
        "forces": FORCES,
        "couples": COUPLES,
        "genels": GENELS,
        "electric elements": ELECTRIC,
        "thermal elements": THERMAL,
        "drive callers": DRIVES,
        "file drivers": FILES,
        "scalar functions": FUNCTIONS,
        "constitutive laws": LAWS,
        "functions of expressions": MATH,
    }
    lines = ["| kind | cards |", "|---|---|"]
    return "\n".join([*lines, *(f"| {kind} | {listed(names)} |" for kind, names in rows.items())])


def page() -> str:
    """The page with the table as it must be."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{cards()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
