"""Bodies.  Several masses may sit at one node; together they are its body."""

from __future__ import annotations

import numpy as np

from linkwork.io.mbdyn.deck.deck import Mass, StructuralNode
from linkwork.io.mbdyn.drives.callers import made, read_law
from linkwork.io.mbdyn.drives.templates import Terms, component, matrix_terms, read_terms
from linkwork.io.mbdyn.problem.inverse import body_role
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    EYE,
    ZERO,
    matrix,
    relative_orientation,
    relative_position,
    relative_vector,
)
from linkwork.model.drives import Constant, Drive


def body(args: Arguments) -> None:
    """body: label, node, mass, centre of mass, inertia [, orientation];  or condense, n, …"""
    deck = args.deck
    deck.count("rigid bodies")
    label = deck.new_label(args, "body")
    node = deck.node(args)
    if args.keyword("variable mass"):
        variable_mass(args, node, label)
        return
    count = args.count("the number of masses") if args.keyword("condense") else 1
    if args.keyword("allow negative mass"):
        args.unsupported("negative masses are not supported", args.i - 1)
    masses = [one_mass(args, node, label) for _ in range(count)]
    node.masses += masses
    output_flag(args)
    ergonomy = body_role(args)
    for part in masses:
        part.ergonomy = ergonomy
    args.end()


def one_mass(args: Arguments, node: StructuralNode, label: int) -> Mass:
    i = args.i
    m = args.real("a mass")
    if m < 0:
        args.fail(f"a mass must not be negative, found {m:g}", i)
    if node.points_only:
        return Mass(m, ZERO, np.zeros((3, 3)), label)
    args.keyword("position")
    centre = relative_position(args, node.reference)
    args.keyword("inertia")
    J, axes = matrix(args, 3, "an inertia matrix"), EYE
    if args.keyword("orientation", "inertial") and not args.keyword("node"):
        axes = relative_orientation(args, node.reference)
    return Mass(m, centre, axes @ J @ axes.T, label)


def output_flag(args: Arguments, kind: str = "") -> bool:
    """[, output, yes | no]"""
    if args.keyword("output"):
        return args.flag("whether it is written")
    return kind not in args.deck.analysis.silent


def variable_mass(args: Arguments, node: StructuralNode, label: int) -> None:
    """variable mass, mass, centre, inertia that changes with the mass, and with the shape"""
    i = args.i
    if node.points_only:
        args.unsupported("a variable mass on a node that cannot turn is not supported", i)
    mass = read_law(args)
    centre = read_terms(args, lambda a: relative_vector(a, node.reference))
    inertias = [matrix_terms(args), matrix_terms(args)]
    output_flag(args)
    args.end()

    def make() -> None:
        from linkwork.elements.bodies.variable_mass import VariableMass

        def sums(terms: Terms, n: int) -> list[Drive]:
            return [component(terms, k) or Constant(0.0) for k in range(n)]

        c = [d if x == 0 else d + (-x) for d, x in zip(sums(centre, 3), node.centre.tolist())]
        J = [sums([(M.ravel(), law) for M, law in terms], 9) for terms in inertias]
        item = VariableMass(node.body, made(args, mass, i), c, J[0], J[1])
        node.variable.append(args.deck.model.add(f"body {label}", item))

    args.deck.build_later(args, make)
