"""Cards of thermal and electric elements: they act on scalar nodes as genels do.

    thermal      capacitance C Ṫ,  resistance (T₁ − T₂)/R,  source a heat flow into its node
    motor        L di/dt + R i + G ω = V₂ − V₁,   ω = e·(ω₂ − ω₁),  couple G i e on node 2 (− on 1);
                 i is taken from node 2 and given to node 1, so that energy is conserved
    displacement, accelerometer      a distance or an acceleration as load of an abstract node;
                 the accelerometer with ω, τ, ξ and κ: κ τ s/((1 + τ s)(1 + 2 ξ s/ω + s²/ω²))
    discrete control   u_k = Σ B_i u_{k−i} + Σ A_j y_{k−j} every so many steps, added to the loads

(MBDyn's input manual, chapter on electric elements.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.drives.files import file_of
from linkwork.io.mbdyn.drives.readings import made_frame
from linkwork.io.mbdyn.laws.reading import LawRead
from linkwork.io.mbdyn.scalars.dofs import Dof, read_dof
from linkwork.io.mbdyn.scalars.genels import between
from linkwork.io.mbdyn.scalars.nodes import ScalarNode, Spring
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import ZERO, relative_position, unit_vector
from linkwork.model.drives import Drive, formula
from linkwork.model.signals.readings import reads

AXES = np.eye(3)
PAST = 64  # of matrices of a discrete control


def known_node(args: Arguments, *kinds: str) -> ScalarNode:
    """The scalar node whose label comes next, of the first kind that has one."""
    i = args.i
    label = args.label(f"the label of {'an' if kinds[0][0] in 'ae' else 'a'} {kinds[0]} node")
    for kind in kinds:
        if (kind, label) in args.deck.scalars:
            return args.deck.scalars[kind, label]
    args.fail(f"there is no {' or '.join(kinds)} node {label}; define it in the block 'nodes'", i)


# -------------------------------------------------------------------------------------- thermal


def capacitance(args: Arguments, label: int) -> None:
    """capacitance, node, C"""
    node = known_node(args, "thermal")
    node.damping += args.positive("a heat capacitance")


def resistance(args: Arguments, label: int) -> None:
    """resistance, node, node, R"""
    from linkwork.elements.laws import LinearElastic

    i, first, second = args.i, known_node(args, "thermal"), known_node(args, "thermal")
    R = args.positive("a heat resistance")
    if first is second:
        args.fail(f"the resistance is between {first.name} and itself", i)
    law = LawRead(lambda: LinearElastic(1 / R), False)
    between(args, Spring(f"thermal element {label}", law, first, second))


def source(args: Arguments, label: int) -> None:
    """source, node, drive"""
    node = known_node(args, "thermal")
    node.loads.append(read_drive(args))


THERMAL = {"capacitance": capacitance, "resistance": resistance, "source": source}


# ------------------------------------------------------------------------------------- electric


def load(node: ScalarNode, drive: Callable[[], Drive]) -> None:
    """Add a drive that may follow the node itself to its equation."""
    node.moves = True
    node.loads.append(drive)


def accelerometer(args: Arguments, label: int) -> None:
    """accelerometer, translational | rotational, structural node, abstract node, direction
    [, position, offset];  or structural node, abstract node, direction, ω, τ, ξ, κ"""
    kind = args.keyword("translational", "rotational")
    node = args.deck.node(args)
    out = known_node(args, "abstract", "electric")
    e, place = unit_vector(args, node.reference), ZERO
    if args.keyword("position"):
        place = relative_position(args, node.reference)
    quantity = "angular acceleration" if kind == "rotational" else "acceleration"

    def measured() -> Drive:
        frame = made_frame(node, place)
        return reads(frame, quantity, e, axes=made_frame(node))

    if kind:
        load(out, measured)
        return
    w, tau, xi, kappa = (args.real(x) for x in ("omega", "tau", "csi", "kappa"))
    if not (w > 0 and tau > 0):
        args.fail("omega and tau of an accelerometer must be positive", args.i - 4)
    name = f"electric element {label}"
    made: list[Any] = []

    def make() -> None:
        from linkwork.elements.quantities.state_space import StateSpace

        poles = np.polymul([tau, 1.0], [1 / w**2, 2 * xi / w, 1.0])
        a = poles / poles[0]
        A = np.zeros((3, 3))
        A[0, 1] = A[1, 2] = 1.0
        A[2] = -a[:0:-1]
        made.append(args.deck.model.add(name, StateSpace(A, [[0.0], [0.0], [1.0]], [measured()])))

    args.deck.build_later(args, make)
    gain = kappa * tau / (tau / w**2)
    load(out, lambda: made[0].output([0.0, gain, 0.0]))


def displacement(args: Arguments, label: int) -> None:
    """displacement, structural node, offset, structural node, offset, abstract node"""
    ends = []
    for _ in range(2):
        node = args.deck.node(args)
        ends.append((node, relative_position(args, node.reference)))
    out = known_node(args, "abstract", "electric")

    def distance() -> Drive:
        first, second = (made_frame(node, offset) for node, offset in ends)
        x, y, z = (reads(second, "position", e, relative_to=first) for e in AXES)
        return formula("sqrt(x*x + y*y + z*z)", x=x, y=y, z=z)

    load(out, distance)


def motor(args: Arguments, label: int) -> None:
    """motor, structural node 1, 2, direction in 1, abstract node 1, 2, G, L, R
    [, initial current, i]"""
    nodes = [args.deck.node(args), args.deck.node(args)]
    e = unit_vector(args, nodes[0].reference)
    ends = [known_node(args, "abstract", "electric") for _ in range(2)]
    G, L, R = args.real("dG"), args.real("dL"), args.real("dR")
    if L < 0 or R < 0 or (L == 0 and R == 0):
        args.fail("dL and dR of a motor must not be negative, nor both zero", args.i - 2)
    begin = args.real("a current") if args.keyword("initial current") else 0.0
    name, made = f"electric element {label}", []

    def make() -> None:
        from linkwork.elements.forces.force_pair import ForcePair
        from linkwork.elements.quantities.quantity import Quantity

        first, second = (made_frame(node) for node in nodes)
        w = reads(second, "angular velocity", e, relative_to=first, axes=first)
        V = [end.read("x") for end in ends]
        current = args.deck.model.add(name, Quantity(
            begin, damping=L, stiffness=R, load=V[1] - V[0] - G * w
        ))  # fmt: skip
        made.append(current)
        i = reads(current, "value")
        args.deck.model.add(f"{name} (couple)", ForcePair(
            first, second, torque=-G * e, follower=True, drive=i
        ))  # fmt: skip

    args.deck.build_later(args, make)
    for end, sign in zip(ends, (1.0, -1.0)):
        load(end, lambda sign=sign: sign * reads(made[0], "value"))  # type: ignore[misc]


def discrete_control(args: Arguments, label: int) -> None:
    """discrete control, outputs, inputs, order [, fir, order], steps, control, "file",
    outputs, [node dof,] degree of freedom | drive, drive [, scale, drive], …, inputs, …"""
    outputs, inputs = args.count("the number of outputs"), args.count("the number of inputs")
    p = q = args.count("the order of a controller")
    if args.keyword("fir"):
        p, q = 0, args.count("the order of a controller")
    every = args.count("the number of steps between two samples")
    if args.keyword("identification", "adaptive control"):
        args.unsupported("a discrete control is supported with given matrices alone: control, "
                         "\"file\"", args.i - 1)  # fmt: skip
    args.one_of(("control",), "a discrete control")
    i, path = args.i, file_of(args, args.string("the file of the matrices"))
    try:
        numbers = np.array(path.read_text().split(), float)
    except (OSError, ValueError) as error:
        args.fail(f"the matrices of a discrete control cannot be read from '{path}': {error}", i)
    needed = q * inputs * outputs + p * inputs * inputs
    if max(p, q) > PAST or len(numbers) < needed:
        args.fail(f"the file '{path}' must have {needed} numbers, but has {len(numbers)}", i)
    A = numbers[: q * inputs * outputs].reshape(q, inputs, outputs)
    B = numbers[q * inputs * outputs : needed].reshape(p, inputs, inputs)
    args.one_of(("outputs",), "a discrete control")
    measured = [read_output(args) for _ in range(outputs)]
    args.one_of(("inputs",), "a discrete control")
    ends = [read_dof(args) for _ in range(inputs)]
    made: list[Any] = []

    def controller() -> Any:
        from linkwork.model.control.controller import Controller

        if not made:
            h = args.deck.analysis.step
            if not h:
                args.fail("a discrete control needs a time step", 0)
            signals = [make() for make in measured] + [end.read() for end in ends]
            start = args.deck.analysis.initial_time
            made.append(Controller(
                filter_of(A, B), signals, outputs=inputs, every=every * h, start=start,
                memory=np.zeros(q * outputs + p * inputs).tolist() or [0.0],
                name=f"electric element {label}",
            ))  # fmt: skip
        return made[0]

    for k, end in enumerate(ends):
        if not isinstance(end, Dof) or end.scalar is None or end.scalar.kind == "parameter":
            args.unsupported("a discrete control acts on abstract nodes alone", 0)
        load(end.scalar, lambda k=k: controller()[k])  # type: ignore[misc]


def read_output(args: Arguments) -> Callable[[], Drive]:
    """[node dof,] degree of freedom | drive, drive [, scale, drive]"""
    if args.keyword("drive"):
        value = read_drive(args)
    else:
        args.keyword("node dof")
        value = read_dof(args).read
    if not args.keyword("scale"):
        return value
    scale = read_drive(args)
    return lambda: scale() * value()


def filter_of(A: np.ndarray, B: np.ndarray) -> Callable[..., Any]:
    """The function of a Controller: x are outputs y and inputs u, its memory those of the past."""
    q, p, outputs = len(A), len(B), A.shape[2] if len(A) else 0

    def control(t: float, x: np.ndarray, memory: np.ndarray) -> np.ndarray:
        y, u = memory[: q * outputs], memory[q * outputs :]
        if q:
            y[outputs:] = y[:-outputs].copy()
            y[:outputs] = x[:outputs]
        if p:
            n = B.shape[1]
            u[n:] = u[:-n].copy()
            u[:n] = x[outputs:]
        found = sum(A[j] @ y[j * outputs : (j + 1) * outputs] for j in range(q))
        for k in range(p):
            n = B.shape[1]
            found = found + B[k] @ u[k * n : (k + 1) * n]
        return np.asarray(found, float)

    return control


ELECTRIC = {
    "accelerometer": accelerometer, "discrete control": discrete_control,
    "displacement": displacement, "motor": motor,
}  # fmt: skip


def circuit_element(
    word: str, cards: Mapping[str, Callable[[Arguments, int], None]]
) -> Callable[[Arguments], None]:
    """thermal: | electric: label, type, …;"""

    def card(args: Arguments) -> None:
        args.deck.count(f"{word} elements")
        label = args.deck.new_label(args, f"{word} element")
        kind, make = args.entry(dict(cards), f"{word} element")
        args.card = f"{word} element {label} ({kind})"
        make(args, label)
        output_flag(args, f"{word} element")
        args.end()

    return card
