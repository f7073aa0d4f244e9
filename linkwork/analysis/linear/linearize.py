"""lw.linearize: named A, B, C, D about an equilibrium or a steady motion.

From the linearised equations M ÿ + D ẏ + K y + Cᵀ δγ = F u, C y = −C_u u (analysis.linear.pencil):

y = N z + Y u with C N = 0, C Y = −C_u, Nᵀ M Y = 0, so that ü drops out; u̇ is
absorbed in ζ = ż + G u, G = M_r⁻¹ NᵀDY, M_r = NᵀMN (likewise D_r, K_r):

    ż = ζ − G u
    ζ̇ = M_r⁻¹ (−K_r z − D_r ζ + (NᵀF − NᵀKY + D_r G) u)
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from linkwork.analysis.coordinates import joint_coordinates, twist_angle
from linkwork.analysis.linear.first_order import massless, mixed_space
from linkwork.analysis.linear.pencil import Pencil, body_blocks, linearised, places, world_axes
from linkwork.elements.distance import LENGTH, Distance
from linkwork.elements.force import FACTOR, Load
from linkwork.elements.joints import ROW_NAMES, Joint
from linkwork.elements.layout import COEFS
from linkwork.elements.lock import LEVEL, MOVING
from linkwork.elements.user_force import raise_if_failed
from linkwork.errors import ModelError
from linkwork.math import rotations
from linkwork.model.drives import Drive, polynomial
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.model import Model
from linkwork.system.accelerations import accelerations
from linkwork.system.evaluate import evaluate
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

STEADY = 1e-6  # what counts as constant, and as no acceleration, relative
ANGLES = (0.4, 1.1)  # how far a motion is carried to see whether it is steady (rad)
XYZ = "xyz"



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


def linearize(
    model: Model, at: Any = None, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> StateSpace:
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
    outs = [make_output(pencil, name) for name in _names(outputs, "outputs")]
    result = state_space(pencil, ins, [o for several in outs for o in several])
    raise_if_failed(model)
    return result


def _names(names: Any, what: str) -> list[str]:
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str):
            raise ModelError(f"{what} of linearize must be names (texts), but {name!r} was given")
    return names


@dataclass(frozen=True)
class Input:
    """One input: forces F (6 bodies) and constraint changes C_u it makes."""

    name: str
    F: np.ndarray
    Cu: np.ndarray


@dataclass(frozen=True)
class Output:
    """One output: Jp η + Jv η̇."""

    name: str
    Jp: np.ndarray
    Jv: np.ndarray


def state_space(p: Pencil, inputs: list[Input], outputs: list[Output]) -> StateSpace:
    """A, B, C, D in independent coordinates."""
    N, chosen = independent_coordinates(p)
    n, f = N.shape
    F = np.array([i.F for i in inputs]).reshape(len(inputs), n).T
    Cu = np.array([i.Cu for i in inputs]).reshape(len(inputs), p.C.shape[0]).T
    Jp = np.array([o.Jp for o in outputs]).reshape(len(outputs), n)
    Jv = np.array([o.Jv for o in outputs]).reshape(len(outputs), n)
    if massless(p, N):
        matrices, places = mixed_space(p, N, F, Cu, Jp, Jv)
        names = [coordinate_name(p.system, i) for i in chosen]
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
        Y -= N @ solve(N.T @ (p.M @ Y))
    G = solve(N.T @ (p.D @ Y))
    refuse_improper(p, inputs, outputs, Y, Jv)
    A = np.block([[np.zeros((f, f)), np.eye(f)], [-solve(Kr), -solve(Dr)]])
    B = np.vstack([-G, solve(N.T @ F - N.T @ (p.K @ Y) + Dr @ G)])
    C = np.hstack([Jp @ N, Jv @ N])
    D = Jp @ Y - Jv @ N @ G
    names = [coordinate_name(p.system, i) for i in chosen]
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
    b, j = divmod(int(i), 6)
    return f"{system.names[b]}.{('position', 'orientation')[j // 3]}.{XYZ[j % 3]}"


def refuse_improper(
    p: Pencil, inputs: list[Input], outputs: list[Output], Y: np.ndarray, Jv: np.ndarray
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


# ------------------------------------------------------------------------------------- inputs


def make_input(p: Pencil, name: str) -> Input:
    """The input of that name, the same at all times of the motion."""
    first, rest = split(p.system.model, name)
    item = p.system.model[first]
    found = input_change(p, item, first, rest, p.state)
    F, Cu = response(p, p.state, *found, np.eye(3)[None])
    for carried in p.later:
        moved = accelerations(p.system, carried.state)
        again = input_change(p, item, first, rest, moved)
        Fm, _ = response(p, moved, *again, carried.turn)
        size = np.abs(F).max(initial=0.0)
        if np.abs(Fm - F).max(initial=0.0) > STEADY * max(size, 1e-300):
            raise ModelError(
                f"input '{name}' does not keep its direction while the mechanism moves, so the "
                f"linearised equations ({p.describe()}) have no constant coefficients; use a force "
                "that follows the motion"
            )
    return Input(name, F, Cu)


def split(model: Model, name: str) -> tuple[str, list[str]]:
    first, *rest = name.split(".")
    model[first]  # raises where there is none, with a suggestion
    return first, rest


def input_change(
    p: Pencil, item: Any, first: str, rest: list[str], state: State
) -> tuple[slice, np.ndarray]:
    """Where the numbers of an input's element are, and how they change with a unit of it."""
    system = p.system
    mine = [place for place, owner in places(system, type(item)) if owner is item]
    system.set_time(state.time)
    if isinstance(item, Load):
        if item.drive is not None and leaves_that_follow(item.drive):
            raise ModelError(
                f"{item.label} follows the motion, so it cannot be an input; add a Force beside it "
                "for what comes from outside"
            )
        return load_change(system, item, rest, mine[0])
    if isinstance(item, Distance) and isinstance(item.length, Drive) and not rest:
        change = np.zeros(mine[0].stop - mine[0].start)
        change[LENGTH] = 1.0
        return mine[0], change
    drives = item.laws().get("t", {}) if isinstance(item, Joint) else {}
    row = rest[0] if rest else next(iter(drives), None)
    if not drives or len(rest) > 1 or (len(drives) > 1 and not rest) or row not in drives:
        raise ModelError(no_input(p.system.model, item, rest, drives))
    return mine[0], drive_change(item, str(row), state.time, system.tables.reals[mine[0]])


def no_input(model: Model, item: Any, rest: list[str], drives: dict[str, Drive]) -> str:
    """The sentence that says why there is no such input."""
    words = ".".join([str(item.name), *rest])
    if drives:
        listed = ", ".join(f"'{item.name}.{row}'" for row in drives)
        return f"{item.label} has no input '{words}'; its inputs are {listed}"
    usable = [n for n, i in model.items.items() if isinstance(i, Load) or _driven(i)]
    near = difflib.get_close_matches(str(item.name), usable, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    listed = ", ".join(f"'{n}'" for n in usable) or "none: add a Force, Torque or Motor"
    return (
        f"'{words}' cannot be an input: {item.label} is neither a force nor driven{hint} "
        f"(inputs of this model: {listed})"
    )


def _driven(item: Any) -> bool:
    if isinstance(item, Distance):
        return isinstance(item.length, Drive)
    return isinstance(item, Joint) and bool(item.laws().get("t"))


def load_change(
    system: System, item: Load, rest: list[str], place: slice
) -> tuple[slice, np.ndarray]:
    """Change of a force's numbers: its factor, or a component of vector · factor."""
    now = system.tables.reals[place]
    change = np.zeros_like(now)
    if not rest:
        change[FACTOR] = 1.0
        return place, change
    if len(rest) > 1 or rest[0] not in XYZ:
        raise ModelError(
            f"{item.label} has no input '{item.name}.{'.'.join(rest)}'; its inputs are "
            f"'{item.name}' (the factor of its vector) and '{item.name}.x', '.y', '.z'"
        )
    column = item.column + XYZ.index(rest[0])
    change[FACTOR] = 1.0 - now[FACTOR]
    change[item.column : item.column + 3] = item.vector * (now[FACTOR] - 1.0)
    change[column] += 1.0
    return place, change


def drive_change(item: Joint, row: str, time: float, now: np.ndarray) -> np.ndarray:
    """∂(numbers of the lock element)/∂(value of the drive of a row): r_t, ρ_t and nothing else."""
    at = np.array([time])
    laws = {
        which: {r: polynomial([d.values(at)[0], float(which == "t" and r == row)])
                for r, d in those.items()}
        for which, those in item.laws().items()
    }  # fmt: skip
    rest = item.lock_entry(item.active, {}).reals
    change = np.zeros_like(now)
    change[:LEVEL] = item.poses(rest, laws, np.zeros(1)).reshape(3, LEVEL)[1]
    return change


def response(
    p: Pencil, state: State, place: slice, change: np.ndarray, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Forces (frames) and constraint changes of a change of an element's numbers.

    The residual is linear in the change of a force or law: the difference of two evaluations is
    exact (up to the product of the factor and vector of a force, which load_change undoes).
    """
    system = p.system
    before = system.evaluate(state, tangent=False)
    system.load(state)
    w = system.work
    w.coef[:COEFS] = (0.0, 0.0, False, False, 0.0, True)
    reals = system.tables.reals[place].copy()
    system.tables.reals[place] += change
    evaluate(system.kernels, system.tables, w, state.time, 0.0)
    system.tables.reals[place] = reals
    force = before.f - w.f[: system.bodies]
    _, T = world_axes(state)
    E = np.broadcast_to(turn, (system.bodies, 3, 3))
    F = body_blocks(E, E).T @ (T @ force.ravel())
    return F, w.C[: system.rows] - before.C


# ------------------------------------------------------------------------------------ outputs


def make_output(p: Pencil, name: str) -> list[Output]:
    """The outputs of that name (three for a vector), the same at all times of the motion."""
    first, rest = p.system.split(name)
    item = p.system.described(first)
    kinds = output_kinds(item, first, p.system)
    if not rest or rest[0] not in kinds:
        near = difflib.get_close_matches(rest[0] if rest else "", kinds, n=1)
        hint = f"; did you mean '{first}.{near[0]}'?" if near else ""
        listed = ", ".join(kinds) or "none"
        raise ModelError(f"{item.label} has no output '{name}'{hint} (it has {listed})")
    quantity, *component = rest
    rows = (jacobians_of_body if first in p.system.names else jacobians_of_joint)(
        p, first, quantity, p.state, np.eye(3)[None]
    )
    vector = len(rows[0]) == 3
    if len(component) > 1 or (component and (not vector or component[0] not in XYZ)):
        inside = "x, y and z" if vector else "none"
        raise ModelError(f"output '{name}': the components of '{first}.{quantity}' are {inside}")
    refuse_turning(p, name, first, quantity, rows)
    names = [f"{first}.{quantity}.{c}" for c in XYZ] if vector else [name]
    wanted = [XYZ.index(component[0])] if component else range(len(names))
    return [Output(names[i], rows[0][i], rows[1][i]) for i in wanted]


def output_kinds(item: Any, name: str, system: System) -> list[str]:
    """Quantities that can be outputs of an item."""
    if name in system.names:
        return [
            "position", "velocity", "orientation", "angular_velocity", "angular_velocity_world",
        ]  # fmt: skip
    if isinstance(item, Joint):
        return ["angle", "rate", "displacement", "speed", "position", "velocity"]
    return []


def refuse_turning(
    p: Pencil, name: str, first: str, quantity: str, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    """An error where an output is not the same function of the small motions at all times."""
    for carried in p.later:
        moved = (jacobians_of_body if first in p.system.names else jacobians_of_joint)(
            p, first, quantity, carried.state, carried.turn
        )
        for then, now in zip(moved, rows):
            if np.abs(then - now).max(initial=0.0) > STEADY * np.abs(now).max(initial=1e-300):
                hint = (
                    f"; take '{first}.angular_velocity_world'"
                    if quantity == "angular_velocity" else ""
                )  # fmt: skip
                raise ModelError(
                    f"output '{name}' depends on time while the mechanism moves, so it is not a "
                    f"constant combination of small motions in {p.describe()}{hint}"
                )


def jacobians_of_body(
    p: Pencil, name: str, quantity: str, state: State, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jp and Jv (3 × 6 bodies) of a body's motion; vectors in the frames' axes."""
    b = p.system.names.index(name)
    Omega = rotations.tilde(p.frames[b])
    Jp, Jv = np.zeros((2, 3, 6 * p.system.bodies))
    move, rotate = slice(6 * b, 6 * b + 3), slice(6 * b + 3, 6 * b + 6)
    if quantity == "position":
        Jp[:, move] = np.eye(3)
    elif quantity == "orientation":
        Jp[:, rotate] = np.eye(3)
    elif quantity == "velocity":
        Jp[:, move], Jv[:, move] = Omega, np.eye(3)
    else:  # δω = Rᵀφ̇ in body axes, φ̇ − ω × φ in world axes
        R = rotations.matrix(state.orientations[b])
        E = np.broadcast_to(turn, (p.system.bodies, 3, 3))[b]
        if quantity == "angular_velocity":
            Jp[:, rotate], Jv[:, rotate] = R.T @ E @ Omega, R.T @ E
        else:
            w = E.T @ R @ state.velocities[b, 3:]
            Jp[:, rotate], Jv[:, rotate] = Omega - rotations.tilde(w), np.eye(3)
    return Jp, Jv


def jacobians_of_joint(
    p: Pencil, name: str, quantity: str, state: State, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jp and Jv of a joint's relative motion: C_q of rows that hold it where it is."""
    J = joint_rows(p, name, state)
    E = np.broadcast_to(turn, (p.system.bodies, 3, 3))
    J = J @ body_blocks(E, E)
    rows = {"angle": [3], "rate": [3], "displacement": [2], "speed": [2]}.get(quantity, [0, 1, 2])
    J = J[rows]
    if quantity in ("rate", "speed", "velocity"):
        return np.zeros_like(J), J
    return J, np.zeros_like(J)


def joint_rows(p: Pencil, name: str, state: State) -> np.ndarray:
    """∂(x, y, z, angle about z)/∂(displacements and rotations in world axes), (4, 6 bodies).

    With ρ_t the twist of ρ, ρ ρ_t* = (s, v) has v_z = 0 and δangle = 2 δv_z/s.
    """
    joint = p.system.model[name]
    at = np.array([state.time])
    laws = {
        which: {row: polynomial([d.values(at)[0]]) for row, d in those.items()}
        for which, those in joint.laws().items()
    }
    still = joint.lock_entry((0, 1, 2, 5), {**laws, "t": {}})
    reals = still.reals.copy()
    if reals[MOVING]:
        reals[: 3 * LEVEL] = still.laws[0].values(at)[0]
    number = [p.system.names.index(f.body.name) if f.body.name in p.system.names else -1
              for f in joint.frames]  # fmt: skip
    x, q = joint_coordinates(reals, state, number)
    held = {row: polynomial([float(v)]) for row, v in zip(ROW_NAMES[:3], x)}
    held["rz"] = polynomial([twist_angle(q)])
    entry = joint.lock_entry((0, 1, 2, 5), {**laws, "t": held})
    system = compile_model(p.system.model, [(name, entry)])
    e = system.evaluate(replace(state, gamma=None, acceleration=None))
    _, T = world_axes(state)
    J = (sp.csr_array(e.Cq)[-4:] @ T.T).toarray()
    J[3] *= 2 / np.hypot(q[0], q[3])
    return J
