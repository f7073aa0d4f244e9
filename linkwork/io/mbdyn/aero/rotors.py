"""rotor and induced velocity: the inflow of a rotor.

MBDyn finds the inflow from the thrust of its last iteration, linkwork in the same equations as the
motion; `max iterations`, `tolerance` and `eta` therefore have no effect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.aero.rotors.inflow import VARIANTS
from linkwork.io.mbdyn.aero.records import RotorRecord
from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import EYE, relative_orientation
from linkwork.model.drives import Constant

MODELS = {
    "no": "none", "uniform": "uniform", "glauert": "glauert", "mangler": "mangler",
    "dynamic inflow": "dynamic",
}  # fmt: skip
OTHERS = ("uniform sectional",)


def induced_velocity(args: Arguments) -> None:
    """induced velocity: label, rotor, …;"""
    label = begin(args)
    if not args.keyword("rotor"):
        args.unsupported(f"expected rotor, the only induced velocity here, found {args.shown()}")
    read_rotor(args, label)


def rotor(args: Arguments) -> None:
    """rotor: label, craft, [orientation, R,] hub, induced velocity, model, …;"""
    read_rotor(args, begin(args))


def begin(args: Arguments) -> int:
    args.deck.count("induced velocity elements")
    return args.deck.new_label(args, "induced velocity element")


def read_rotor(args: Arguments, label: int) -> None:
    deck = args.deck
    craft = deck.node(args, "the label of the craft's node")
    axes = relative_orientation(args, craft.reference) if args.keyword("orientation") else EYE
    hub = deck.node(args, "the label of the rotor's node")
    if not args.keyword("induced velocity"):
        args.fail(f"expected induced velocity, found {args.shown()}")
    if args.keyword(*OTHERS):
        args.unsupported("this model of the induced velocity is not supported", args.i - 1)
    word = args.one_of(MODELS, "a model of the induced velocity")
    words: dict[str, Any] = {"model": MODELS[word]}
    if word == "glauert" and args.keyword("type"):
        words["variant"] = args.one_of((*VARIANTS, "coleman"), "a variant of Glauert's inflow")
        if words["variant"] == "coleman":
            words["variant"] = "coleman leishman"
    if word == "no":
        words |= {"speed": 1.0, "radius": 1.0}
    else:
        words["speed"] = args.positive("the reference speed of the rotor")
        words["radius"] = args.positive("the radius of the rotor")
        if word == "dynamic inflow":
            words["start"] = (0.0, 0.0, 0.0)
        options(args, words)
    record = RotorRecord(label, f"rotor {label}", True, craft.label, hub.label, axes)
    record.output = output_flag(args)
    args.end()
    deck.aero.rotors[label] = record

    def make() -> Any:
        import linkwork

        R = craft.reference[1]
        made = linkwork.Rotor(
            hub.frame(), craft.frame(), orientation=R @ axes,
            **{k: v() if callable(v) else v for k, v in words.items()},
        )  # fmt: skip
        return deck.model.add(record.item, made)

    record.make = make
    deck.build_later(args, lambda: record.rotor())


OPTIONS = ("ground", "initial value", "delay", "memory factor", "max iterations", "tolerance",
           "eta", "correction")  # fmt: skip


def options(args: Arguments, words: dict[str, Any]) -> None:
    """What may follow speed and radius, in any order."""
    while word := args.keyword(*OPTIONS):
        i = args.i
        if word == "ground":
            words["ground"] = ground(args)
        elif word == "initial value":
            start = args.reals(3, "an initial value of the inflow")
            if words["model"] != "dynamic":
                args.deck.ignore("initial value of the induced velocity")
            elif start[1] or start[2]:
                args.unsupported(
                    "initial values of the cosine and sine inflow other than zero are not "
                    "supported: they are measured from the wind, which the start does not know", i
                )
            else:
                words["start"] = tuple(start)
        elif word in ("delay", "memory factor"):
            make = read_drive(args)

            def check(make: Any = make, i: int = i) -> None:
                drive = make()
                if not isinstance(drive, Constant) or drive.v != 0:
                    args.deck.note(
                        "the filter of the induced velocity (delay), which depends on MBDyn's "
                        "step, is left out: the steady inflow is the same"
                    )

            args.deck.build_later(args, check)
        elif word == "correction":
            words["hover_correction"] = args.positive("the correction of hover")
            words["forward_correction"] = args.positive("the correction of forward flight")
        else:
            args.deck.ignore(f"{word} of the induced velocity")
            args.real(word)


def ground(args: Arguments) -> Any:
    """The ground's node, which must stand still: its plane through it across its axis 3."""
    i = args.i
    node = args.deck.node(args, "the label of the ground's node")
    if not node.kind.startswith("static"):
        args.unsupported("the ground of a rotor must be a static node here", i)
    x, R, _, _ = node.reference
    args.deck.note(
        "the ground effect is Cheeseman and Bennett's, 1 − (R/4h)²; MBDyn has another formula"
    )
    return (np.array(x), R[:, 2])
