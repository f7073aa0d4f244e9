"""Cards on single degrees of freedom: genels and the bulk spring.

A degree of freedom is the value of an abstract node, or a coordinate (1 to 3) of a structural one,
a direction e at a frame of a body:

    spring support −σ(x, ẋ) e,   spring between two, mass m ẍ,   clamp x = x₀(t)

What acts on abstract nodes is kept with them (nodes.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwork.errors import MbdynError
from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.deck.deck import ground_frame
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.hydraulics.circuit import (
    flow_of_clamp,
    is_hydraulic,
    read_hydraulic,
)
from linkwork.io.mbdyn.laws.laws import read_law as read_constitutive
from linkwork.io.mbdyn.laws.reading import LawRead
from linkwork.io.mbdyn.scalars.building import add_spring
from linkwork.io.mbdyn.scalars.dofs import Dof, read_dof
from linkwork.io.mbdyn.scalars.nodes import Spring
from linkwork.io.mbdyn.scalars.results import on_clamp, on_distance
from linkwork.io.mbdyn.scalars.state_space import (
    scalar_filter,
    state_space_mimo,
    state_space_siso,
    swash_plate,
)
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Constant, Drive, Integral

AXES = np.eye(3)


# ---------------------------------------------------------------------------------------- genels


def genel_mass(args: Arguments, label: int) -> None:
    """mass, degree of freedom, drive"""
    i, end = args.i, read_dof(args)
    drive = read_drive(args)
    if not end.scalar or end.scalar.kind == "parameter":
        args.unsupported("a mass genel is supported on abstract nodes alone; use a body", i)
    assert end.scalar is not None
    end.scalar.masses.append(drive)


def clamp(args: Arguments, label: int) -> None:
    """clamp, degree of freedom, from node | drive"""
    if is_hydraulic(args):
        node = read_hydraulic(args)
        value = node.value
        node.clamp = (lambda: Constant(value)) if args.keyword("from node") else read_drive(args)
        args.deck.genels[label] = partial(flow_of_clamp, node=node)
        return
    i, end = args.i, read_dof(args)
    if args.keyword("from node"):
        begin = initial(end)
        drive: Callable[[], Drive] = lambda: Constant(begin)  # noqa: E731
    else:
        drive = read_drive(args)
    if end.scalar and end.scalar.kind == "parameter":
        args.fail("a parameter node keeps its value; it cannot be clamped", i)
    law = imposed(args, end, drive)
    if end.scalar:
        if end.scalar.clamp is not None:
            args.fail(f"{end.scalar.name} is clamped already", i)
        end.scalar.clamp = law
        args.deck.genels[label] = partial(on_clamp, node=end.scalar)
        return
    args.deck.genels[label] = partial(reaction, item=f"genel {label}", row=end.axis)

    def make() -> None:
        from linkwork.elements.joints.joints import Lock

        row = "xyz"[end.axis]
        args.deck.model.add(
            f"genel {label}", Lock(ground_frame(), end.frame, rows=row, drive={row: law()})
        )

    args.deck.build_later(args, make)


def initial(end: Dof, rate: bool | None = None) -> float:
    """The number that a degree of freedom begins with."""
    rate = end.derivative if rate is None else rate
    if end.scalar:
        return (end.scalar.derivative or 0.0) if rate else end.scalar.value
    return float((end.node.reference.v if rate else end.node.reference.x)[end.axis])


def imposed(args: Arguments, end: Dof, drive: Callable[[], Drive]) -> Callable[[], Drive]:
    """The law of the value itself, where that of its derivative is given."""
    if not end.derivative:
        return drive
    return lambda: Integral(drive(), args.deck.analysis.initial_time, initial(end, rate=False))


def distance(args: Arguments, label: int) -> None:
    """distance, one abstract node, another, drive:  x₁ − x₂ = d(t)"""
    i, ends = args.i, [read_dof(args), read_dof(args)]
    drive = read_drive(args)
    for end in ends:
        if not end.scalar or end.scalar.kind == "parameter" or end.derivative:
            args.unsupported("a distance genel is supported on values of abstract nodes alone", i)
    first, second = (end.scalar for end in ends)
    assert first is not None and second is not None
    if first is second:
        args.fail(f"the distance is between {first.name} and itself", i)
    first.links.append((second, drive))
    second.links.append((first, lambda: -drive()))
    args.deck.genels[label] = partial(on_distance, first=first, second=second)


def spring_support(args: Arguments, label: int) -> None:
    """spring support, degree of freedom, 1D constitutive law"""
    i, end = args.i, read_dof(args)
    law = read_constitutive(args, 1)
    if end.derivative or (end.scalar and end.scalar.kind == "parameter"):
        args.unsupported("a spring support acts on the value of a node that can move", i)
    if end.scalar:
        found = linear_law(law)
        if found is not None:
            end.scalar.stiffness += found[0]
            end.scalar.damping += found[1]
        else:
            between(args, Spring(f"genel {label}", law, None, end.scalar))
        return

    def make() -> None:
        from linkwork.elements.deformable.joints import DeformableDisplacement
        from linkwork.elements.laws import Axial

        across = Axial(tuple(AXES[end.axis]), law.make())
        item = DeformableDisplacement(ground_frame(), end.frame, law=across)
        args.deck.model.add(f"genel {label}", item)

    args.deck.build_later(args, make)


def between(args: Arguments, spring: Spring) -> None:
    """A law of two abstract nodes, or of one."""
    for node in (spring.first, spring.second):
        if node is not None:
            node.springs.append(spring)
    args.deck.build_later(args, lambda: add_spring(args.deck, spring))


def linear_law(read: LawRead) -> tuple[float, float] | None:
    """Stiffness and viscosity of a linear law without pre-stress and pre-strain, else None."""
    from linkwork.elements.laws import LinearElastic, LinearViscoelastic, LinearViscous

    try:
        law = read.make()
    except MbdynError:  # it follows nodes that are not made yet; what is wrong is told later
        return None
    if not isinstance(law, (LinearElastic, LinearViscoelastic, LinearViscous)):
        return None
    words = law.parameters()
    if words["prestress"] is not None or words["prestrain"] is not None:
        return None
    if any(words.get(f"{x}_scale", 1.0) != 1.0 for x in ("stiffness", "viscosity")):
        return None
    k = float(np.ravel(words.get("stiffness", 0.0))[0])
    c = float(np.ravel(words.get("viscosity") or 0.0)[0])
    return k, c + k * float(words.get("proportional") or 0.0)


def spring(args: Arguments, label: int) -> None:
    """spring, one degree of freedom, another, 1D constitutive law"""
    i, ends = args.i, [read_dof(args), read_dof(args)]
    law = read_constitutive(args, 1)
    for end in ends:
        if end.scalar and end.scalar.kind == "parameter":
            args.unsupported("a spring genel acts on nodes that can move", i)
    first, second = (end.scalar for end in ends)
    if first is None or second is None or any(end.derivative for end in ends):
        across(args, label, law, ends, i)
        return
    if first is second:
        args.fail(f"the spring is between {first.name} and itself", i)
    between(args, Spring(f"genel {label}", law, first, second))


def across(args: Arguments, label: int, law: LawRead, ends: list[Dof], i: int) -> None:
    """A spring between two degrees of freedom of any kind: forces −k d and k d, d = x₁ − x₂."""
    found = linear_law(law)
    if found is None or found[1] != 0:
        args.unsupported("a spring genel on these degrees of freedom has a linear elastic law", i)
    k = found[0]
    follow(args, f"genel {label}", ends[0], lambda: -k * (ends[0].read() - ends[1].read()))
    follow(args, f"genel {label} (2)", ends[1], lambda: k * (ends[0].read() - ends[1].read()))


def cross_spring_support(args: Arguments, label: int) -> None:
    """cross spring support, row, column, linear law:  −k x_column − c ẋ_column on the row"""
    i, (row, column) = args.i, (read_dof(args), read_dof(args))
    found = linear_law(read_constitutive(args, 1))
    if found is None:
        args.unsupported("a cross spring support has a linear law here", i)
    k, c = found

    def push() -> Drive:
        if c == 0:
            return -k * column.read()
        rate = column._replace(derivative=True).read()
        return -c * rate if k == 0 else -k * column.read() - c * rate

    follow(args, f"genel {label}", row, push)


def follow(args: Arguments, name: str, end: Dof, drive: Callable[[], Drive]) -> None:
    """A force on a degree of freedom that follows the motion."""
    if end.scalar:
        end.scalar.moves = True
        end.scalar.loads.append(drive)
        return

    def make() -> None:
        from linkwork.elements.forces.force import Force

        args.deck.model.add(name, Force(end.frame, AXES[end.axis], drive=drive()))

    args.deck.build_later(args, make)


GENELS: dict[str, Callable[[Arguments, int], None]] = {
    "clamp": clamp, "cross spring support": cross_spring_support, "distance": distance,
    "mass": genel_mass, "scalar filter": scalar_filter, "spring": spring,
    "spring support": spring_support, "state space MIMO": state_space_mimo,
    "state space SISO": state_space_siso, "swash plate": swash_plate,
}  # fmt: skip


def genel(args: Arguments) -> None:
    """genel: label, type, …;"""
    args.deck.count("genels")
    label = args.deck.new_label(args, "genel")
    kind, card = args.entry(GENELS, "genel")
    args.card = f"genel {label} ({kind})"
    card(args, label)
    if not output_flag(args, "genel"):
        args.deck.genels.pop(label, None)
    args.end()


def bulk(args: Arguments) -> None:
    """bulk: label, stiffness spring, degree of freedom, drive;  a force −k(t) x"""
    args.deck.count("bulk elements")
    label = args.deck.new_label(args, "bulk element")
    args.one_of(("stiffness spring",), "a bulk element")
    end, drive = read_dof(args), read_drive(args)
    output_flag(args)
    args.end()
    follow(args, f"bulk {label}", end, lambda: -(drive() * end.read()))


def reaction(run: Any, item: str, row: int) -> np.ndarray:
    """What the (first) node exerts on a clamp or distance, at stored times (T, 1)."""
    return -np.asarray(run[item].force)[:, row : row + 1]
