"""lw.linearize: named A, B, C, D about an equilibrium or a steady motion.

From the linearised equations M ÿ + D ẏ + K y + Cᵀ δγ = F u, C y = −C_u u (linear.equations.pencil):

y = N z + Y u with C N = 0, C Y = −C_u, Nᵀ (M Y − Φ gᵀC_u) = 0, so that ü drops out (Φ gᵀC_u is
that of friction: equations.reactions); u̇ is absorbed in ζ = ż + G u, G = M_r⁻¹ NᵀDY, M_r = NᵀMN
(likewise D_r, K_r):

    ż = ζ − G u
    ζ̇ = M_r⁻¹ (−K_r z − D_r ζ + (NᵀF − NᵀKY + D_r G) u)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg as la

from linkwork.analysis.assembly.assemble import StateLike
from linkwork.analysis.linear.equations.first_order import massless, mixed_space
from linkwork.analysis.linear.equations.nonholonomic import nonholonomic_space
from linkwork.analysis.linear.equations.pencil import Pencil, linearised
from linkwork.analysis.linear.state_space.inputs import Input, make_input
from linkwork.analysis.linear.state_space.outputs import OutputRow, output_rows
from linkwork.analysis.motion.ending import interruptible
from linkwork.elements.failures import raise_if_failed
from linkwork.errors import ModelError
from linkwork.model import html
from linkwork.model.model import Model
from linkwork.system.state import State
from linkwork.system.system import System

SHOWN = 16  # states and inputs up to which a notebook shows the matrices


def number(x: float, size: float) -> str:
    """A number of a matrix; round-off beside its largest is zero."""
    return "0" if abs(x) < 1e-12 * size else f"{x:.5g}"


@dataclass(frozen=True)
class StateSpace:
    """ẋ = A x + B u, y = C x + D u: small motions about a steady state, with names.

    states  : independent displacements and rotations of bodies ("rod.orientation.y", a small
              rotation about world y), then their rates ("d/dt rod.orientation.y")
    axes    : which axes vectors are in, in words;   state : what it was linearised about
    Inputs and outputs are changes from that state.  Where a drive acts through a damper the rates
    are ż + G u (see the module).
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    axes: str = "world axes"
    state: State | None = field(default=None, repr=False)

    def to_control(self) -> Any:
        """The same as a python-control StateSpace; '.' in names becomes '_'."""
        try:
            import control
        except ImportError:
            raise ModelError(
                "to_control needs the package python-control; install it with 'pip install control'"
            ) from None

        def plain(names: list[str]) -> list[str]:
            return [name.replace(".", "_") for name in names]

        return control.ss(
            self.A, self.B, self.C, self.D, states=plain(self.states), inputs=plain(self.inputs),
            outputs=plain(self.outputs),
        )  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"StateSpace: {len(self.states)} states, {self.axes}\n"
            f"  inputs   {', '.join(self.inputs) or 'none'}\n"
            f"  outputs  {', '.join(self.outputs) or 'none'}\n"
            f"  states   {', '.join(self.states)}"
        )

    def _repr_html_(self) -> str:
        """A and B, C and D with the names of rows and columns; large ones in words."""
        title = html.title(f"StateSpace: {len(self.states)} states, {self.axes}")
        if len(self.states) + len(self.inputs) > SHOWN:
            lists = (("inputs", self.inputs), ("outputs", self.outputs), ("states", self.states))
            return title + html.pairs((word, ", ".join(names) or "none") for word, names in lists)
        size = max(float(np.abs(M).max(initial=0.0)) for M in (self.A, self.B, self.C, self.D))
        rows = [
            [f"d/dt {name}", *(number(x, size) for x in values)]
            for name, values in zip(self.states, np.hstack([self.A, self.B]))
        ] + [
            [name, *(number(x, size) for x in values)]
            for name, values in zip(self.outputs, np.hstack([self.C, self.D]))
        ]  # fmt: skip
        return title + html.table(["", *self.states, *self.inputs], rows)


@interruptible
def linearize(
    model: Model, at: StateLike | None = None, inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
) -> StateSpace:  # fmt: skip
    """Linear state space model about an equilibrium or a steady motion, as named matrices.

    at      : a State, lw.static(model) or a run (its last state); None is the assembled model
    inputs  : "push": a Force or Torque, u added to the factor of its vector (F = (y + u) vector);
              "push.x": u added to a component of the force (N, N m);
              "motor": u added to the drive (rad, m) of a Motor, Actuator or Distance, or of a
              Lock with one drive; "lock.rz" where it has several
    outputs : "rod.position", "rod.velocity", "rod.orientation" (a small rotation vector),
              "rod.angular_velocity" (body axes, as in results) or "rod.angular_velocity_world";
              "pin.angle", "pin.rate", "pin.displacement", "pin.speed" of joints, "pin.position",
              "pin.velocity"; a component as "rod.position.x".  Vectors are in world axes, or in
              the turning axes that `axes` tells about.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> mass = m.add("mass", lw.Body(2, (1, 1, 1), position=(0, 0, -1)))
    >>> guide = m.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> spring = m.add("spring", lw.Spring(lw.GROUND, mass, stiffness=50, damping=4))
    >>> push = m.add("push", lw.Force(mass, (0, 0, 1), drive=lw.constant(0)))
    >>> ss = lw.linearize(m, inputs=["push"], outputs=["mass.position.z"])
    >>> (ss.A.round(9) + 0).tolist(), (ss.B.round(9) + 0).tolist()
    ([[0.0, 1.0], [-25.0, -2.0]], [[0.0], [0.5]])
    """
    pencil = linearised(model, at)
    ins = [make_input(pencil, name) for name in _names(inputs, "inputs")]
    outs = [output_rows(pencil, name) for name in _names(outputs, "outputs")]
    result = state_space(pencil, ins, [o for several in outs for o in several])
    raise_if_failed(pencil.data.system)
    return result


def _names(names: Any, what: str) -> list[str]:
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str):
            raise ModelError(f"{what} of linearize must be names (texts), but {name!r} was given")
    return names


def state_space(p: Pencil, inputs: list[Input], outputs: list[OutputRow]) -> StateSpace:
    """A, B, C, D in independent coordinates."""
    N, chosen = independent_coordinates(p)
    n, f = N.shape
    F = np.array([i.F for i in inputs]).reshape(len(inputs), n).T
    Cu = np.array([i.Cu for i in inputs]).reshape(len(inputs), p.C.shape[0]).T
    Jp = np.array([o.Jp for o in outputs]).reshape(len(outputs), n)
    Jv = np.array([o.Jv for o in outputs]).reshape(len(outputs), n)
    names = [coordinate_name(p.data.system, i) for i in chosen]
    if not p.holonomic:
        matrices, rated = nonholonomic_space(p, N, F, Cu, Jp, Jv)
        return StateSpace(
            *matrices, names + [f"d/dt {names[j]}" for j in rated], [i.name for i in inputs],
            [o.name for o in outputs], p.describe(), p.state,
        )  # fmt: skip
    if massless(p, N):
        matrices, places = mixed_space(p, N, F, Cu, Jp, Jv)
        states = [f"d/dt {names[j]}" if rate else names[j] for j, rate in places]
        return StateSpace(
            *matrices, states, [i.name for i in inputs], [o.name for o in outputs], p.describe(),
            p.state,
        )  # fmt: skip
    Mr, Dr, Kr = (N.T @ (A @ N) for A in (p.M, p.D, p.K))
    mass = la.cho_factor(Mr) if f else None

    def solve(x: np.ndarray) -> np.ndarray:
        return la.cho_solve(mass, x) if f else x

    Y = np.zeros((n, len(inputs)))
    if Cu.size:
        Y = p.scale[:, None] * la.lstsq(p.C.toarray() * p.scale, -Cu)[0]
        Y -= N @ solve(N.T @ (p.M @ Y - p.reactions.driven(Cu)))
    G = solve(N.T @ (p.D @ Y))
    refuse_improper(p, inputs, outputs, Y, Jv)
    A = np.block([[np.zeros((f, f)), np.eye(f)], [-solve(Kr), -solve(Dr)]])
    B = np.vstack([-G, solve(N.T @ F - N.T @ (p.K @ Y) + Dr @ G)])
    C = np.hstack([Jp @ N, Jv @ N])
    D = Jp @ Y - Jv @ N @ G
    return StateSpace(
        A, B, C, D, names + [f"d/dt {name}" for name in names], [i.name for i in inputs],
        [o.name for o in outputs], p.describe(), p.state,
    )  # fmt: skip


def independent_coordinates(p: Pencil) -> tuple[np.ndarray, np.ndarray]:
    """N whose columns are unit motions of chosen displacements and rotations, and which."""
    N = p.null_space
    n, f = N.shape
    if f == 0:
        return N, np.zeros(0, int)
    prefer = 1 + 1e-6 * np.linspace(1, 0, n)  # the earlier of equals
    _, _, order = la.qr((N * (prefer / p.scale)[:, None]).T, pivoting=True)
    chosen = np.sort(order[:f])
    N = la.solve(N[chosen].T, N.T).T
    N[np.abs(N) < 1e-14 * np.abs(N).max()] = 0.0
    return N, chosen


def coordinate_name(system: System, i: int) -> str:
    if i >= system.layout.rigid:
        return system.layout.describe(int(i))
    b, j = system.layout.place(int(i))
    return f"{system.names[b]}.{('position', 'orientation')[j // 3]}.{'xyz'[j % 3]}"


def refuse_improper(
    p: Pencil, inputs: list[Input], outputs: list[OutputRow], Y: np.ndarray, Jv: np.ndarray
) -> None:
    """An error where an output is the rate of a drive that is an input."""
    if not (inputs and outputs):
        return
    moves = np.abs(Y / p.scale[:, None]).max(axis=0)
    bad = np.abs(Jv @ Y) > 1e-9 * np.outer(np.abs(Jv) @ p.scale, moves)
    for o, i in np.argwhere(bad):
        raise ModelError(
            f"output '{outputs[o].name}' contains the rate of input '{inputs[i].name}', which a "
            f"state space model in the drive's value cannot give; take the position output and "
            "differentiate it, or leave out one of the two"
        )
