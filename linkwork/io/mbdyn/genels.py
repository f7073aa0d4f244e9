"""Cards on single degrees of freedom: abstract forces, genels and the bulk spring.

A degree of freedom is the value of an abstract node, or a coordinate (1 to 3) of a structural one;
either is a direction e at a frame of a body:

    force f e,   spring support −σ(x, ẋ) e,   spring between two, mass m ẍ,   clamp x = x₀(t)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.errors import MbdynError
from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.bodies import output_flag
from linkwork.io.mbdyn.deck import Deck, ForceRecord, ground_frame
from linkwork.io.mbdyn.dofs import Dof, read_dof
from linkwork.io.mbdyn.drive_cards import made, read_drive, read_law
from linkwork.io.mbdyn.geometry import ZERO
from linkwork.io.mbdyn.law_reading import LawRead
from linkwork.io.mbdyn.laws import read_law as read_constitutive
from linkwork.io.mbdyn.scalar_nodes import ScalarNode
from linkwork.model.drives import Drive

AXES = np.eye(3)


# --------------------------------------------------------------------------------- abstract force


def abstract_force(internal: bool) -> Callable[[Arguments, int], None]:
    """force: label, abstract [internal], degree of freedom [, another], drive;"""

    def card(args: Arguments, label: int) -> None:
        ends = [read_dof(args) for _ in range(2 if internal else 1)]
        i, law = args.i, read_law(args)
        output = output_flag(args, "force")
        args.end()
        for end in ends:
            if end.scalar and end.scalar.kind == "parameter":
                args.fail("a parameter node keeps its value; no force can act on it", 0)
        for end, sign in zip(ends, (1.0, -1.0)):
            if end.scalar:
                end.scalar.loads.append(
                    lambda s=sign: signed(made(args, law, i), s)
                )
                end.scalar.moves |= internal

        def make() -> None:
            from linkwork.elements.force import Force

            drive = made(args, law, i)
            for k, (end, sign) in enumerate(zip(ends, (1.0, -1.0))):
                if end.scalar and end.scalar.given is not None:
                    continue
                name = f"force {label}" if k == 0 else f"force {label} ({k + 1})"
                args.deck.model.add(name, Force(end.frame, sign * AXES[end.axis], drive=drive))
            args.deck.forces[label] = ForceRecord(
                label, "force", "abstract internal" if internal else "abstract",
                tuple(end.node.label for end in ends), (ZERO,) * len(ends),
                [(AXES[0], drive)], [], False, output,
            )  # fmt: skip

        args.deck.build_later(args, make)

    return card


def signed(drive: Drive, sign: float) -> Drive:
    return drive if sign > 0 else -drive


# ---------------------------------------------------------------------------------------- genels


def genel_mass(args: Arguments, label: int) -> None:
    """mass, degree of freedom, drive"""
    i, end = args.i, read_dof(args)
    drive = read_drive(args)
    if not end.scalar or end.scalar.kind != "abstract":
        args.unsupported("a mass genel is supported on abstract nodes alone; use a body", i)
    assert end.scalar is not None
    end.scalar.masses.append(drive)


def clamp(args: Arguments, label: int) -> None:
    """clamp, degree of freedom, drive"""
    i, end = args.i, read_dof(args)
    drive = read_drive(args)
    if not end.scalar or end.scalar.kind != "abstract" or end.derivative:
        args.unsupported(
            "a clamp genel is supported on the value of abstract nodes alone; use an imposed "
            "displacement pin", i,
        )  # fmt: skip
    assert end.scalar is not None
    if end.scalar.clamp is not None:
        args.fail(f"{end.scalar.name} is clamped already", i)
    end.scalar.clamp = drive


def distance(args: Arguments, label: int) -> None:
    """distance, one abstract node, another, drive:  x₁ − x₂ = d(t)"""
    i, ends = args.i, [read_dof(args), read_dof(args)]
    drive = read_drive(args)
    for end in ends:
        if not end.scalar or end.scalar.kind != "abstract" or end.derivative:
            args.unsupported("a distance genel is supported on values of abstract nodes alone", i)
        assert end.scalar is not None
        end.scalar.moves = True

    def make() -> None:
        from linkwork.elements.joints import Lock

        both = [end.frame for end in ends]
        lock = Lock(both[1], both[0], rows="x", drive={"x": drive()})
        args.deck.model.add(f"genel {label}", lock)

    args.deck.build_later(args, make)


def spring_support(args: Arguments, label: int) -> None:
    """spring support, degree of freedom, 1D constitutive law"""
    i, end = args.i, read_dof(args)
    law = read_constitutive(args, 1)
    if end.derivative or (end.scalar and end.scalar.kind != "abstract"):
        args.unsupported("a spring support acts on the value of a node that can move", i)
    if end.scalar:
        stiffness = plain_stiffness(law)
        end.scalar.stiffness += stiffness or 0.0
        end.scalar.moves |= stiffness is None

    def make() -> None:
        from linkwork.elements.deformable import DeformableDisplacement
        from linkwork.elements.laws import Axial

        if end.scalar and end.scalar.given is not None:
            return
        across = Axial(tuple(AXES[end.axis]), law.make())
        item = DeformableDisplacement(ground_frame(), end.frame, law=across)
        args.deck.model.add(f"genel {label}", item)

    args.deck.build_later(args, make)


def plain_stiffness(read: LawRead) -> float | None:
    """The number of a linear elastic law without pre-stress and pre-strain, else None."""
    from linkwork.elements.laws import LinearElastic, LinearViscoelastic

    law = read.make()
    if not isinstance(law, (LinearElastic, LinearViscoelastic)):
        return None
    words = law.words()
    if words["prestress"] is not None or words["prestrain"] is not None:
        return None
    if np.any(np.ravel(words.get("viscosity") or 0.0) != 0) or words.get("proportional"):
        return None
    if any(words.get(f"{x}_scale", 1.0) != 1.0 for x in ("stiffness", "viscosity")):
        return None
    return float(np.ravel(words["stiffness"])[0])


def spring(args: Arguments, label: int) -> None:
    """spring, one abstract node, another, 1D constitutive law"""
    i, ends = args.i, [read_dof(args), read_dof(args)]
    law = read_constitutive(args, 1)
    for end in ends:
        if not end.scalar or end.scalar.kind != "abstract" or end.derivative:
            args.unsupported("a spring genel is supported on values of abstract nodes alone", i)
        assert end.scalar is not None
        end.scalar.moves = True

    def make() -> None:
        from linkwork.elements.deformable import DeformableDisplacement
        from linkwork.elements.laws import Axial

        both = [end.frame for end in ends]
        along = Axial(tuple(AXES[0]), law.make())
        item = DeformableDisplacement(both[0], both[1], law=along)
        args.deck.model.add(f"genel {label}", item)

    args.deck.build_later(args, make)


def cross_spring_support(args: Arguments, label: int) -> None:
    """cross spring support, row, column, linear elastic law:  a force −k x_column on the row"""
    i, (row, column) = args.i, (read_dof(args), read_dof(args))
    law = read_constitutive(args, 1)
    stiffness = plain_stiffness(law)
    if stiffness is None:
        args.unsupported("a cross spring support has a linear elastic law here", i)
    if row.scalar:
        row.scalar.moves = True
    follow(args, f"genel {label}", row, lambda: (-float(stiffness or 0.0)) * column.read())


def follow(args: Arguments, name: str, end: Dof, drive: Callable[[], Drive]) -> None:
    """A force on a degree of freedom that follows the motion."""

    def make() -> None:
        from linkwork.elements.force import Force

        args.deck.model.add(name, Force(end.frame, AXES[end.axis], drive=drive()))

    args.deck.build_later(args, make)


GENELS: dict[str, Callable[[Arguments, int], None]] = {
    "clamp": clamp, "cross spring support": cross_spring_support, "distance": distance,
    "mass": genel_mass, "spring": spring, "spring support": spring_support,
}  # fmt: skip


def genel(args: Arguments) -> None:
    """genel: label, type, …;"""
    args.deck.count("genels")
    label = args.deck.new_label(args, "genel")
    kind, card = args.entry(GENELS, "genel")
    args.card = f"genel {label} ({kind})"
    card(args, label)
    output_flag(args)
    args.end()


def bulk(args: Arguments) -> None:
    """bulk: label, stiffness spring, degree of freedom, drive;  a force −k(t) x"""
    args.deck.count("bulk elements")
    label = args.deck.new_label(args, "bulk element")
    args.one_of(("stiffness spring",), "a bulk element")
    end, drive = read_dof(args), read_drive(args)
    output_flag(args)
    args.end()
    if end.scalar:
        end.scalar.moves = True
    follow(args, f"bulk {label}", end, lambda: -(drive() * end.read()))


def scalar_values(deck: Deck, run: Any, node: ScalarNode, rows: np.ndarray) -> np.ndarray:
    """Value and derivative of a scalar node at stored times, (T, 2)."""
    from linkwork.results.stored import signal_values

    if node.bound is not None:
        try:
            value = signal_values(run, node.bound(), rows)
        except MbdynError:  # a datum that cannot be read: nothing hangs on it, or there were no run
            value = np.full(len(rows), np.nan)
        return np.column_stack([value, np.full(len(rows), np.nan)])
    if node.given is None:
        b = run.system.names.index(node.name)
        return np.asarray(run.motion)[rows][:, b][:, [0, 7]]
    from linkwork.model.drives.base import leaves_that_follow

    value = signal_values(run, node.given, rows)
    if leaves_that_follow(node.given):
        return np.column_stack([value, np.full(len(rows), np.nan)])
    return np.column_stack([value, node.given.jet(run.time[rows])[:, 1]])
