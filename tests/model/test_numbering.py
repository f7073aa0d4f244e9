"""Numbering of unknowns: only the map (system/layout.py) knows how many a body has.

Where systems, steps, results and analyses compute with the six unknowns of a body they use its name
SIX.  Elsewhere six has other meanings, and the files where it has one are listed with it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from linkwork.elements.layout import SIX
from linkwork.model.nodes import RIGID

PACKAGE = Path(__file__).parents[2] / "linkwork"
NUMBERING = ("system", "integrators", "nullspace", "analysis", "results")
OTHER_MEANINGS = {
    "three forces and three torques, or six strains and stresses": (
        "elements/aero/craft", "elements/aero/surfaces", "elements/beams", "elements/laws",
        "elements/deformable/joint_kernel.py", "elements/forces/user_force.py",
    ),
    "derivatives by the six motions of each of two bodies": (
        "elements/contact/tangent.py", "elements/deformable/bushing.py",
        "elements/deformable/slide.py", "elements/joints/rolling.py",
        "elements/joints/velocity_lock.py", "elements/thermal/rubbing.py", "elements/tyres/tyre.py",
    ),
    "spatial vectors of dynamics in joint coordinates": ("recursive/",),
    "nodes of a beam's own mesh, before its modes are found": (
        "elements/flexible/beam.py", "elements/flexible/modal.py",
    ),
    "a number in a formula": (
        "elements/flexible/shapes.py", "elements/cables/hanging.py", "model/drives/table.py",
        "view/solids",
    ),
    "rows of MBDyn's files": (
        "io/mbdyn/aero/output.py", "io/mbdyn/output/eigen.py", "io/mbdyn/output/netcdf.py",
    ),
}  # fmt: skip
KNOWN = tuple(place for places in OTHER_MEANINGS.values() for place in places)
OPERATIONS = (ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)


def is_six(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == SIX


def sixes(source: str) -> list[int]:
    """Lines with a product, a quotient, a remainder or a divmod of the number 6."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATIONS):
            if is_six(node.left) or (is_six(node.right) and not isinstance(node.op, ast.Pow)):
                found.add(node.lineno)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("divmod"):
            found |= {node.lineno for argument in node.args if is_six(argument)}
    return sorted(found)


MODULES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}


def test_six_is_the_number_of_unknowns_of_a_rigid_node():
    assert RIGID.unknowns == SIX == len(RIGID.components)


@pytest.mark.parametrize("layer", NUMBERING)
def test_unknowns_are_numbered_by_the_map_alone(layer):
    found = {
        name: lines
        for name, path in MODULES.items()
        if name.startswith(f"{layer}/") and (lines := sixes(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_elsewhere_six_has_a_known_meaning():
    with_six = [
        name
        for name, path in MODULES.items()
        if not name.startswith(NUMBERING) and sixes(path.read_text(encoding="utf-8"))
    ]
    assert [name for name in with_six if not name.startswith(KNOWN)] == []
    assert [known for known in KNOWN if not any(n.startswith(known) for n in with_six)] == []


def test_arithmetic_with_six_is_noticed():
    assert sixes("a = 6 * b\nc = b // 6\nd = b % 6\ne, f = divmod(b, 6)\ng = x[6:]") == [1, 2, 3, 4]
    assert sixes("a = x**6\nb = 6.0 * c\nd = 16 * e") == []
