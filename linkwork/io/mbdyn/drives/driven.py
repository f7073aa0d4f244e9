"""Driven elements: loads that count only while a drive is not zero.

    driven: label, drive, force: label, …;          driven: label, drive, existing: force, label;

Forces and couples are multiplied by g(t) = 1 where the drive is not zero and 0 elsewhere, and the
stresses of rods, deformable joints and viscous bodies likewise.  A constraint that comes and goes
would change the equations themselves, so other joints are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.drives.callers import TIME, read_law
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.text import Statement, squeeze
from linkwork.model.drives import Constant, Drive, formula

KINDS = {"force": "force", "couple": "force", "joint": "joint"}  # of cards, and of their labels
SPRINGS = {
    "rod", "rod with offset", "viscous body", "deformable axial joint", "deformable hinge",
    "deformable joint", "deformable displacement joint", "deformable displacement hinge",
    "invariant deformable hinge", "invariant deformable joint",
    "invariant deformable displacement joint",
}  # fmt: skip


def driven(cards: dict[str, Callable[[Arguments], None]]) -> Callable[[Arguments], None]:
    """driven: label, drive [, initial state, …] [, hint, "…"], the element;"""

    def card(args: Arguments) -> None:
        label = args.label("the label of the driven element")
        args.card = f"driven {label}"
        law = read_law(args)
        if args.keyword("initial state"):
            if not args.keyword("from drive", "active", "inactive"):
                args.flag("whether the element is active at first")
            args.deck.ignore("initial state of driven elements")
        if args.key() == "hint":
            args.unsupported("hints are not supported: elements are set up where the deck has them")
        head, colon, rest = (args.words[args.i] if args.more() else "").partition(":")
        if not colon:
            args.fail("expected the card of the driven element, such as 'force: 3, …' or "
                      f"'existing: force, 3', found {args.shown()}")  # fmt: skip
        existing = squeeze(head) == "existing"
        word = squeeze(rest if existing else head)
        if word not in KINDS:
            args.unsupported("a driven element is a force, a couple or a spring-like joint here, "
                             f"found {(rest if existing else head).strip()!r}")  # fmt: skip
        args.deck.gates[KINDS[word], label] = law
        args.deck.last.append((args, lambda: check(args, word, label)))
        if existing:
            args.i += 1
            same_label(args, label)
            output_flag(args)
            args.end()
        else:
            inner = inner_card(args, head, rest)
            same_label(inner, label)
            inner.i = 0  # its own card reads the label too
            cards[word](inner)

    return card


def inner_card(args: Arguments, head: str, rest: str) -> Arguments:
    """The arguments of the card within the card, which keep their places in the file."""
    start = args.statement.begin + sum(len(word) + 1 for word in args.words[: args.i])
    words = [rest, *args.words[args.i + 1 :]]
    begin = start + len(head) + 1
    start += len(head) - len(head.lstrip())
    return Arguments(args.deck, args.source, Statement(squeeze(head), words, start, begin, True))


def same_label(args: Arguments, label: int) -> None:
    """The element has the label of the driven card."""
    i = args.i
    found = args.label("the label of the driven element")
    if found != label:
        args.fail(f"the element must have the label of its driven card, {label}, found {found}", i)


def check(args: Arguments, word: str, label: int) -> None:
    deck, kind = args.deck, KINDS[word]
    if label not in deck.labels.get(kind, ()):
        args.fail(f"there is no {word} {label} that could be driven", 0)
    if word == "joint" and label in deck.joints and deck.joints[label].kind not in SPRINGS:
        args.unsupported(
            f"the joint {label} ({deck.joints[label].kind}) cannot be switched on and off: "
            "constraints that come and go are other equations; forces, couples, rods, deformable "
            "joints and viscous bodies can", 0,
        )  # fmt: skip


def gate(deck: Deck, kind: str, label: int) -> Drive | None:
    """1 while the element counts and 0 while it does not; None where it always does."""
    law = deck.gates.get((kind, label))
    if law is None:
        return None
    drive = law(TIME)
    if isinstance(drive, Constant):
        return Constant(float(drive.v != 0))
    return formula("d != 0", d=drive)


def switched(deck: Deck, label: int, drive: Drive) -> Drive:
    """The drive of a force or couple while it counts."""
    g = gate(deck, "force", label)
    return drive if g is None else drive * g


def switched_law(deck: Deck, label: int, law: Any) -> Any:
    """The law of a spring-like joint while it counts."""
    from linkwork import laws

    g = gate(deck, "joint", label)
    return law if g is None else laws.TimeVariant(law, g)
