"""Genels with states of their own, which give abstract nodes their values.

    scalar filter        y = B(s)/A(s) u, as one of the canonical state spaces
    state space          E ẋ = A x + B u,   y = C x + D u
    swash plate          α ẏ + y = strokes of three actuators for collective and cyclic pitch

The states are those of a StateSpace.  An output stands in the equation of its node, which is
y − C x − D u = 0 unless something else acts there.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.scalars.building import total
from linkwork.io.mbdyn.scalars.dofs import Dof, read_dof
from linkwork.io.mbdyn.scalars.nodes import Made, ScalarNode
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Constant, Drive, formula


def combined(weights: Any, drives: list[Drive]) -> list[Drive]:
    """Those terms weight × drive that are not zero."""
    return [d if w == 1 else float(w) * d for w, d in zip(weights, drives) if w != 0]


# ----------------------------------------------------------------------------------------- ends


def read_input(args: Arguments) -> Made:
    """[node dof,] degree of freedom | drive, drive caller"""
    if args.keyword("drive"):
        return read_drive(args)
    args.keyword("node dof")
    return read_dof(args).read


def read_output(args: Arguments) -> ScalarNode:
    """An abstract node whose value is given."""
    i = args.i
    end: Dof = read_dof(args)
    if not end.scalar or end.scalar.kind == "parameter" or end.derivative:
        args.unsupported("an output is the value of an abstract node", i)
    assert end.scalar is not None
    return end.scalar


def give(node: ScalarNode, value: Made, delay: float = 0.0) -> None:
    """Adds value − y − delay · ẏ to the equation of a node."""
    node.stiffness += 1.0
    node.damping += delay
    node.loads.append(value)


# ---------------------------------------------------------------------------------- state space


class States:
    """E ẋ = A x + B u, made when a state is asked for."""

    def __init__(
        self, args: Arguments, label: int, A: np.ndarray, B: np.ndarray, E: np.ndarray | None,
        inputs: list[Made], start: list[float],
    ) -> None:  # fmt: skip
        self.args, self.name, self.inputs = args, f"genel {label}", inputs
        self.A, self.B, self.E, self.start = A, B, E, start
        self._item: Any = None
        if len(A):
            args.deck.build_later(args, self.connect)

    @property
    def item(self) -> Any:
        from linkwork.elements.quantities.state_space import StateSpace

        if self._item is None:
            none = [Constant(0.0)] * len(self.inputs)
            item = StateSpace(self.A, self.B, none, self.E, np.array(self.start))
            self._item = self.args.deck.model.add(self.name, item)
        return self._item

    def connect(self) -> None:
        """Give it its inputs, once all that may be read is there."""
        self.item.inputs = [make() for make in self.inputs]

    def output(self, weights: np.ndarray) -> list[Drive]:
        return [self.item.output(weights)] if np.any(weights != 0) else []


def put(
    args: Arguments, label: int, outputs: list[ScalarNode], inputs: list[Made], A: np.ndarray,
    B: np.ndarray, C: np.ndarray, D: np.ndarray, E: np.ndarray | None = None,
    start: list[float] | None = None,
) -> None:  # fmt: skip
    """The states, and outputs y = C x + D u."""
    states = States(args, label, A, B, E, inputs, start or [0.0] * len(A))
    if len(A):
        args.deck.genels[label] = partial(state_values, name=f"genel {label}", n=len(A))
    for k, node in enumerate(outputs):

        def value(k: int = k) -> Drive:
            u = [make() if D[k, j] != 0 else Constant(0.0) for j, make in enumerate(inputs)]
            return total(states.output(C[k]) + combined(D[k], u))

        give(node, value)


def state_values(run: Any, name: str, n: int) -> np.ndarray:
    """The states and then their derivatives, at stored times (T, 2n)."""
    found = run[name]
    return np.hstack([part.values.reshape(-1, n) for part in (found.state, found.state_rate)])


def read_matrix(args: Arguments, name: str, rows: int, columns: int) -> np.ndarray:
    """matrix A, rows × columns numbers, row by row"""
    args.one_of((f"matrix {name}",), f"the matrix {name}")
    what = f"a coefficient of matrix {name}"
    return np.array(args.reals(rows * columns, what)).reshape(rows, columns)


def rest(
    args: Arguments, label: int, outputs: list[ScalarNode], inputs: list[Made]
) -> None:
    """order [, matrix E], matrix A, B, C [, matrix D] [, gain, g] [, balance, yes] [, value, x₀]"""
    i, n = args.i, args.count("the number of states", least=1)
    if n > 500:
        args.fail(f"a state space has at most 500 states here, found {n}", i)
    E = read_matrix(args, "E", n, n) if args.key() == "matrixe" else None
    A, B = read_matrix(args, "A", n, n), read_matrix(args, "B", n, len(inputs))
    C, D = read_matrix(args, "C", len(outputs), n), np.zeros((len(outputs), len(inputs)))
    if args.key() == "matrixd":
        D = read_matrix(args, "D", *D.shape)
    start = [0.0] * n
    while word := args.keyword("gain", "balance", "value"):
        if word == "gain":
            gain = args.real("a gain")
            C, D = gain * C, gain * D
        elif word == "balance":
            args.flag("whether matrices are balanced")
            args.deck.ignore("balance of state spaces")
        else:
            start = args.reals(n, "the initial value of a state")
            if args.keyword("derivative"):
                args.reals(n, "the initial derivative of a state")
                args.deck.ignore("derivative of state spaces")
    put(args, label, outputs, inputs, A, B, C, D, E, start)


def state_space_siso(args: Arguments, label: int) -> None:
    """state space SISO, output, input, order, matrices"""
    rest(args, label, [read_output(args)], [read_input(args)])


def state_space_mimo(args: Arguments, label: int) -> None:
    """state space MIMO, number, outputs, number, inputs, order, matrices"""
    outputs = [read_output(args) for _ in range(args.count("the number of outputs"))]
    inputs = [read_input(args) for _ in range(args.count("the number of inputs"))]
    rest(args, label, outputs, inputs)


# --------------------------------------------------------------------------------------- filter


def scalar_filter(args: Arguments, label: int) -> None:
    """scalar filter, output, input [, canonical form, …], n, a₁ … aₙ, m, b₀ … b_m [, gain, g]

    y = (b₀ s^m + … + b_m)/(sⁿ + a₁ s^(n−1) + … + aₙ) u,  m ≤ n
    """
    output, inputs = read_output(args), [read_input(args)]
    form = "controllable"
    if args.keyword("canonical form"):
        form = args.one_of(("controllable", "observable"), "a canonical form")
    i = args.i
    n = args.count("the order of the output", least=0)
    if n > 500:
        args.fail(f"a filter has at most the order 500 here, found {n}", i)
    a = np.array(args.reals(n, "a coefficient of the output"))
    i = args.i
    m = args.count("the order of the input", least=0)
    if m > n:
        args.fail(
            f"a filter must be proper: the order of its input, {m}, is at most that of its output, "
            f"{n}", i,
        )  # fmt: skip
    b = np.zeros(n + 1)
    b[n - m :] = args.reals(m + 1, "a coefficient of the input")
    while word := args.keyword("gain", "balance"):
        if word == "gain":
            b *= args.real("a gain")
        else:
            args.flag("whether matrices are balanced")
            args.deck.ignore("balance of state spaces")
    A = np.eye(n, k=-1)
    if n:
        A[0] = -a
    B, C = np.eye(n, 1), (b[1:] - b[0] * a)[None]
    if form == "observable":
        A, B, C = A.T, C.T, B.T
    put(args, label, [output], inputs, A, B, C, np.array([[b[0]]]))


# ---------------------------------------------------------------------------------- swash plate


def swash_plate(args: Arguments, label: int) -> None:
    """swash plate, three inputs [each: limits, least, most], three actuators [, α, κ, c]

    c (collective − κ fore/aft) and c (collective + κ (fore/aft ∓ √3 lateral)/2), 120 deg apart;
    α ẏ + y is the stroke of an actuator.  The inputs are their nodes' forces.
    """
    pitch = []
    for _ in range(3):
        node = labelled(args)
        node.stiffness += 1.0  # a force on the node is its value
        limits = args.reals(2, "a limit") if args.keyword("limits") else None
        if limits and limits[0] > limits[1]:
            args.fail("the limits must rise", args.i - 1)
        pitch.append((node, limits))
    actuators = [labelled(args) for _ in range(3)]
    delay, cyclic, collective = 0.0, 1.0, 1.0
    if args.more() and args.key() != "output":
        delay, cyclic, collective = args.reals(3, "a coefficient of the swash plate")
    if delay < 0:
        args.fail(f"the dynamic coefficient must not be negative, found {delay:g}", args.i - 3)
    half, side = 0.5 * cyclic, 0.5 * math.sqrt(3) * cyclic
    shares = ((1.0, -cyclic, 0.0), (1.0, half, -side), (1.0, half, side))

    for node, share in zip(actuators, shares):

        def stroke(share: tuple[float, ...] = share) -> Drive:
            values = [limited(node.read("x"), limits) for node, limits in pitch]
            return total(combined(collective * np.array(share), values))

        give(node, stroke, delay)


def limited(x: Drive, limits: list[float] | None) -> Drive:
    return x if limits is None else formula("min(max(x, a), b)", x=x, a=limits[0], b=limits[1])


def labelled(args: Arguments) -> ScalarNode:
    """An abstract node, by its label alone."""
    i = args.i
    label = args.label("the label of an abstract node")
    node = args.deck.scalars.get(("abstract", label))
    if node is None:
        args.fail(f"there is no abstract node {label}; define it in the block 'nodes'", i)
    return node
