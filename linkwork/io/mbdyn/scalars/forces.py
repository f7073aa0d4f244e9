"""Abstract forces: a drive on a single degree of freedom, or on two with opposite signs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.deck.deck import Deck, ForceRecord
from linkwork.io.mbdyn.drives.callers import made, read_drive, read_law
from linkwork.io.mbdyn.drives.driven import switched
from linkwork.io.mbdyn.hydraulics.circuit import is_hydraulic, read_hydraulic
from linkwork.io.mbdyn.scalars.dofs import read_dof
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Drive

AXES = np.eye(3)


def abstract_force(internal: bool) -> Callable[[Arguments, int], None]:
    """force: label, abstract [internal], degree of freedom [, another], drive;"""

    def card(args: Arguments, label: int) -> None:
        if not internal and is_hydraulic(args):
            node, drive = read_hydraulic(args), read_drive(args)
            node.loads.append((f"force {label}", drive))
            output = output_flag(args, "force")
            args.end()
            args.deck.build_later(
                args, lambda: record(args.deck, label, False, [node], drive(), output)
            )
            return
        ends = [read_dof(args) for _ in range(2 if internal else 1)]
        i, law = args.i, read_law(args)
        output = output_flag(args, "force")
        args.end()

        def load() -> Drive:
            return switched(args.deck, label, made(args, law, i))

        for end, sign in zip(ends, (1.0, -1.0)):
            if end.scalar and end.scalar.kind == "parameter":
                args.fail("a parameter node keeps its value; no force can act on it", 0)
            if end.scalar:
                end.scalar.loads.append(partial(signed, load, sign))

        def make() -> None:
            from linkwork.elements.forces.force import Force

            drive = load()
            for k, (end, sign) in enumerate(zip(ends, (1.0, -1.0))):
                if end.scalar:
                    continue
                name = f"force {label}" if k == 0 else f"force {label} ({k + 1})"
                args.deck.model.add(name, Force(end.frame, sign * AXES[end.axis], drive=drive))
            record(args.deck, label, internal, [end.node for end in ends], drive, output)

        args.deck.build_later(args, make)

    return card


def record(
    deck: Deck, label: int, internal: bool, nodes: list[Any], drive: Drive, output: bool
) -> None:
    """What .frc has of it: the label of every node and the drive."""
    deck.forces[label] = ForceRecord(
        label, "force", "abstract internal" if internal else "abstract",
        tuple(node.label for node in nodes), [(AXES[0], drive)], output,
    )  # fmt: skip


def signed(load: Callable[[], Drive], sign: float) -> Drive:
    return load() if sign > 0 else -load()
