"""Cards of `problem: inverse dynamics`: its type, and what joints do in it.

    problem type: fully actuated collocated | fully actuated non collocated
                | underdetermined underactuated collocated | underdetermined fully actuated
                [, weights, unit, ergonomy, …];
    joint: …, inverse dynamics, torque, yes | no, prescribed motion, yes | no, …;

Joints whose motion is driven prescribe it, the others hold.  A joint with `torque` that prescribes
nothing does not hold either: its rows are those along which actuators push (lw.inverse).

Where freedom is left, positions stay nearest to the last ones, and velocities and accelerations to
the rates of what is found, in the metric with the two weights of each

    w₁ Σ (|δx|² + |θ|²) + w₂ Σ δqᵀ M δq

x and θ of all nodes, and M of bodies with `ergonomy`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.layout import SIX
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.kernels import rotations

if TYPE_CHECKING:
    from linkwork.system.state import State

COLLOCATED, OTHERS = "fully actuated collocated", "fully actuated non collocated"
UNDER, FULL = "underdetermined underactuated collocated", "underdetermined fully actuated"
KINDS = {  # how lw.inverse calls them
    COLLOCATED: "fully actuated, collocated", OTHERS: "fully actuated, non-collocated",
    UNDER: "underactuated, collocated", FULL: "overactuated",
}  # fmt: skip


@dataclass
class InverseProblem:
    """The type of the problem, and the weights of positions, velocities and accelerations."""

    kind: str = COLLOCATED
    weights: tuple[tuple[float, float], ...] = 3 * ((1.0, 0.0),)


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
        pairs = [weight_pair(args, what) for what in ("positions", "velocities")]
        if kind == FULL:
            pairs.append(weight_pair(args, "accelerations"))
        problem.weights = (*pairs, *problem.weights[len(pairs) :])
    args.deck.analysis.inverse = problem


def weight_pair(args: Arguments, what: str) -> tuple[float, float]:
    """Of the unit metric, and of that of bodies with ergonomy."""
    found = []
    for word in ("first", "second"):
        i = args.i
        value = args.real(f"the {word} weight of {what}")
        if value < 0:
            args.fail(f"the {word} weight of {what} must not be negative, found {value:g}", i)
        found.append(value)
    return found[0], found[1]


class Metric:
    """The matrix over the six increments of every body, at a state and for one of the three."""

    def __init__(self, deck: Any, weights: tuple[tuple[float, float], ...]) -> None:
        self.weights = list(weights)
        self.nodes = [node for node in deck.nodes.values() if node.body is not None]
        weighed = any(part.ergonomy for node in self.nodes for part in node.masses)
        for k, (unit, masses) in enumerate(weights):
            if unit == 0 and (masses == 0 or not weighed):
                self.weights[k] = (1.0, 0.0)
                deck.note(
                    "inverse dynamics: weights of 0 leave the choice to elements with ergonomy, of "
                    "which there are none; positions, velocities and accelerations stay nearest by "
                    "the unit metric"
                )

    def __call__(self, state: State, level: int) -> np.ndarray:
        W, (unit, masses) = np.zeros((SIX * len(state.bodies),) * 2), self.weights[level]
        R = rotations.matrix(state.orientations)
        for node in self.nodes:
            b = state.bodies.index(node.body.name)
            block = unit * at_offset(R[b], -node.centre, 1.0, np.eye(3))
            for part in node.masses:
                if part.ergonomy:
                    arm = part.centre - node.centre
                    block += masses * at_offset(R[b], arm, part.mass, part.inertia)
            place = slice(SIX * b, SIX * b + SIX)
            W[place, place] = block
        return W


def at_offset(R: np.ndarray, arm: np.ndarray, m: float, J: np.ndarray) -> np.ndarray:
    """m |δx|² + θᵀ J θ of a point of a body as a matrix over the body's own δr and θ."""
    to = np.hstack([np.eye(3), -R @ rotations.tilde(arm)])
    W = m * to.T @ to
    W[3:, 3:] += J
    return W


def inverse_role(args: Arguments) -> Role | None:
    """[inverse dynamics, torque, flag, prescribed motion, flag, …], where a joint has them."""
    if not args.keyword("inverse dynamics"):
        return None
    flags = {"torque": False, "prescribed motion": False}
    for word in flags:
        if args.keyword(word):
            flags[word] = args.flag(f"whether the joint has {word}")
    i = args.i
    if own_forces(args):
        args.unsupported("ergonomy of joints is not supported, that of bodies is; remove it", i)
    return Role(*flags.values())


def own_forces(args: Arguments) -> bool:
    """[right hand side, flag] [, ergonomy, flag] of an element; whether it has ergonomy."""
    i = args.i
    if args.keyword("right hand side") and not args.flag("whether its forces count"):
        args.unsupported("an element whose forces do not count (right hand side, no) is not "
                         "supported; remove the element", i)  # fmt: skip
    return bool(args.keyword("ergonomy") and args.flag("whether it weighs the posture"))


def body_role(args: Arguments) -> bool:
    """[inverse dynamics, …] of a body, whose inertia always counts: whether it has ergonomy."""
    return bool(args.keyword("inverse dynamics")) and own_forces(args)
