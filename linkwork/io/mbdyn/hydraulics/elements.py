"""The cards of hydraulic elements: hydraulic: label, type, …"""

from __future__ import annotations

from collections.abc import Callable

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.hydraulics.flows import (
    dynamic_pipe,
    minor_loss,
    orifice,
    pipe,
    three_way_minor_loss,
)  # fmt: skip
from linkwork.io.mbdyn.hydraulics.stores_and_valves import (
    accumulator,
    actuator,
    control_valve,
    poppet,
    spool_valve,
)  # fmt: skip
from linkwork.io.mbdyn.syntax.arguments import Arguments


def undocumented(reason: str) -> Callable[[Arguments, int], None]:
    def card(args: Arguments, label: int) -> None:
        args.unsupported(f"the element is not supported: {reason}", 0)

    return card


HYDRAULIC: dict[str, Callable[[Arguments, int], None]] = {
    "accumulator": accumulator,
    "actuator": actuator,
    "control valve": control_valve,
    "dynamic control valve": spool_valve(4),
    "dynamic pipe": dynamic_pipe,
    "flow valve": poppet("FlowValve", 3),
    "minor loss": minor_loss,
    "orifice": orifice,
    "pipe": pipe,
    "pressure flow control valve": spool_valve(6),
    "pressure valve": poppet("PressureValve", 2),
    "tank": undocumented(
        "MBDyn's manual does not say what its numbers are; use a clamp for a constant pressure, or "
        "lw.hydraulics.Tank"
    ),
    "three way minor loss": three_way_minor_loss,
}


def hydraulic(args: Arguments) -> None:
    """hydraulic: label, type, …;"""
    args.deck.count("hydraulic elements")
    label = args.deck.new_label(args, "hydraulic element")
    kind, card = args.entry(HYDRAULIC, "hydraulic element")
    args.card = f"hydraulic element {label} ({kind})"
    card(args, label)
    if not output_flag(args, "hydraulic element"):
        args.deck.circuit.columns.pop(label, None)
    args.end()
