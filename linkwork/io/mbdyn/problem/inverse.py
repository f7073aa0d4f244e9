"""Cards of `problem: inverse dynamics`: its type, and what joints do in it.

    problem type: fully actuated collocated | fully actuated non collocated
                | underdetermined underactuated collocated | underdetermined fully actuated
                [, weights, posture, follow, …];
    joint: …, inverse dynamics, torque, yes | no, prescribed motion, yes | no, …;

Joints whose motion is driven prescribe it, the others hold.  A joint with `torque` that prescribes
nothing does not hold either: its rows are those along which actuators push (lw.inverse).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from linkwork.io.mbdyn.syntax.arguments import Arguments

COLLOCATED, OTHERS = "fully actuated collocated", "fully actuated non collocated"
UNDER, FULL = "underdetermined underactuated collocated", "underdetermined fully actuated"
KINDS = {  # how lw.inverse calls them
    COLLOCATED: "fully actuated, collocated", OTHERS: "fully actuated, non-collocated",
    UNDER: "underactuated, collocated", FULL: "overactuated",
}  # fmt: skip


@dataclass
class InverseProblem:
    """The type of the problem, and weights of staying near the last position and the first."""

    kind: str = COLLOCATED
    follow: float = 1.0
    posture: float = 0.0


class Role(NamedTuple):
    """What a joint does in inverse dynamics."""

    torque: bool
    prescribed: bool


def problem_type(args: Arguments) -> None:
    kind = args.one_of(KINDS, "a type of problem")
    problem = InverseProblem(kind)
    if args.keyword("weights"):
        if kind not in (UNDER, FULL):
            args.fail("weights belong to underdetermined problems")
        i = args.i
        pairs = [weight_pair(args, what) for what in ("positions", "velocities")]
        if kind == FULL:
            pairs.append(weight_pair(args, "accelerations"))
        problem.posture, problem.follow = pairs[0]
        if sum(pairs[0]) <= 0:
            args.fail("one of the weights of positions must be positive", i)
        if len(set(pairs)) > 1:
            args.deck.note("inverse dynamics: velocities and accelerations have the weights of "
                           "positions")  # fmt: skip
    args.deck.analysis.inverse = problem


def weight_pair(args: Arguments, what: str) -> tuple[float, float]:
    """Of staying near the described state, and near the last one."""
    found = []
    for word in ("described", "last"):
        i = args.i
        value = args.real(f"the weight of the {word} {what}")
        if value < 0:
            args.fail(f"the weight of the {word} {what} must not be negative, found {value:g}", i)
        found.append(value)
    return found[0], found[1]


def inverse_role(args: Arguments) -> Role | None:
    """[inverse dynamics, torque, flag, prescribed motion, flag, …], where a joint has them."""
    if not args.keyword("inverse dynamics"):
        return None
    flags = {"torque": False, "prescribed motion": False}
    for word in flags:
        if args.keyword(word):
            flags[word] = args.flag(f"whether the joint has {word}")
    own_forces(args)
    return Role(*flags.values())


def own_forces(args: Arguments) -> None:
    """[right hand side, flag] [, ergonomy, flag] of an element."""
    i = args.i
    if args.keyword("right hand side") and not args.flag("whether its forces count"):
        args.unsupported("an element whose forces do not count (right hand side, no) is not "
                         "supported; remove the element", i)  # fmt: skip
    i = args.i
    if args.keyword("ergonomy") and args.flag("whether it weighs the posture"):
        args.unsupported("ergonomy is not supported: lw.inverse weighs the posture with the "
                         "masses; use the weights of the problem type", i)  # fmt: skip


def body_role(args: Arguments) -> None:
    """[inverse dynamics, …] of a body, whose inertia always counts."""
    if args.keyword("inverse dynamics"):
        own_forces(args)
