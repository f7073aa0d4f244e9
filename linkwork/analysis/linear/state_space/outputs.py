"""Outputs of linearize: motions of bodies and joints as combinations of small motions,

    δy = J_p η + J_v η̇

by the output's name.  Of a body they are read off; of a joint they are the derivatives of its
relative displacement and angle.  The combination must be the same at all times of a steady motion.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analysis.coordinates import joint_coordinates
from linkwork.analysis.linear.equations.pencil import Pencil
from linkwork.analysis.linear.equations.steady import STEADY
from linkwork.analysis.linear.equations.world_axes import body_blocks
from linkwork.elements.joints.joints import Joint
from linkwork.elements.joints.lock import LEVEL, MOVING, QA, UA, UB
from linkwork.elements.joints.motion_laws import frozen
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.system.state import State
from linkwork.system.system import System

XYZ = "xyz"


@dataclass(frozen=True)
class OutputRow:
    """One output: Jp η + Jv η̇."""

    name: str
    Jp: np.ndarray
    Jv: np.ndarray


def output_rows(p: Pencil, name: str) -> list[OutputRow]:
    """The outputs of that name (three for a vector), the same at all times of the motion."""
    first, rest = p.data.system.split(name)
    item = p.data.system.described(first)
    kinds = output_kinds(item, first, p.data.system)
    if not rest or rest[0] not in kinds:
        near = difflib.get_close_matches(rest[0] if rest else "", kinds, n=1)
        hint = f"; did you mean '{first}.{near[0]}'?" if near else ""
        listed = ", ".join(kinds) or "none"
        raise ModelError(f"{item.label} has no output '{name}'{hint} (it has {listed})")
    quantity, *component = rest
    rows = jacobians(p, first, quantity, p.state, np.eye(3)[None])
    vector = len(rows[0]) == 3
    if len(component) > 1 or (component and (not vector or component[0] not in XYZ)):
        inside = "x, y and z" if vector else "none"
        raise ModelError(f"output '{name}': the components of '{first}.{quantity}' are {inside}")
    refuse_turning(p, name, first, quantity, rows)
    names = [f"{first}.{quantity}.{c}" for c in XYZ] if vector else [name]
    wanted = [XYZ.index(component[0])] if component else range(len(names))
    return [OutputRow(names[i], rows[0][i], rows[1][i]) for i in wanted]


def output_kinds(item: Any, name: str, system: System) -> list[str]:
    """Quantities that can be outputs of an item."""
    if name in system.names:
        return [
            "position", "velocity", "orientation", "angular_velocity", "angular_velocity_world",
        ]  # fmt: skip
    if isinstance(item, Joint):
        return ["angle", "rate", "displacement", "speed", "position", "velocity"]
    names = [node.kind.name.replace(" ", "_") for node in item.vector_nodes() if node.size == 1]
    return [*names, *(f"{name}_rate" for name in names)]


def refuse_turning(
    p: Pencil, name: str, first: str, quantity: str, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    """An error where an output is not the same function of the small motions at all times."""
    for carried in p.later:
        moved = jacobians(p, first, quantity, carried.state, carried.turn)
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


def jacobians(
    p: Pencil, name: str, quantity: str, state: State, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jp and Jv of a body, a joint or a scalar node."""
    if name in p.data.system.names:
        return jacobians_of_body(p, name, quantity, state, turn)
    item = p.data.system.described(name)
    if isinstance(item, Joint):
        return jacobians_of_joint(p, name, quantity, state, turn)
    layout, (Jp, Jv) = p.data.system.layout, np.zeros((2, 1, p.data.system.motions))
    for node in item.vector_nodes():
        place = layout.rigid + layout.first[[id(x) for x in layout.nodes].index(id(node))]
        word = node.kind.name.replace(" ", "_")
        Jp[0, place], Jv[0, place] = quantity == word, quantity == f"{word}_rate"
    return Jp, Jv


def jacobians_of_body(
    p: Pencil, name: str, quantity: str, state: State, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jp and Jv (3 × motions) of a body's motion; vectors in the frames' axes."""
    b = p.data.system.names.index(name)
    Omega = rotations.tilde(p.frames[b])
    Jp, Jv = np.zeros((2, 3, p.data.system.motions))
    own = p.data.system.layout.unknowns(b)
    move, rotate = slice(own.start, own.start + 3), slice(own.start + 3, own.stop)
    if quantity == "position":
        Jp[:, move] = np.eye(3)
    elif quantity == "orientation":
        Jp[:, rotate] = np.eye(3)
    elif quantity == "velocity":
        Jp[:, move], Jv[:, move] = Omega, np.eye(3)
    else:  # δω = Rᵀφ̇ in body axes, φ̇ − ω × φ in world axes
        R = rotations.matrix(state.orientations[b])
        E = np.broadcast_to(turn, (p.data.system.bodies, 3, 3))[b]
        if quantity == "angular_velocity":
            Jp[:, rotate], Jv[:, rotate] = R.T @ E @ Omega, R.T @ E
        else:
            w = E.T @ R @ state.velocities[b, 3:]
            Jp[:, rotate], Jv[:, rotate] = Omega - rotations.tilde(w), np.eye(3)
    return Jp, Jv


def jacobians_of_joint(
    p: Pencil, name: str, quantity: str, state: State, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jp and Jv of a joint's relative motion."""
    J = joint_rows(p, name, state)
    E = np.broadcast_to(turn, (p.data.system.bodies, 3, 3))
    J = J @ body_blocks(E, E, p.data.system.layout.values, 1.0)
    rows = {"angle": [3], "rate": [3], "displacement": [2], "speed": [2]}.get(quantity, [0, 1, 2])
    J = J[rows]
    if quantity in ("rate", "speed", "velocity"):
        return np.zeros_like(J), J
    return J, np.zeros_like(J)


def joint_rows(p: Pencil, name: str, state: State) -> np.ndarray:
    """∂(x, y, z, angle about z)/∂(displacements and rotations in world axes), (4, motions).

    Of x = R_Sᵀ d as in the lock joint; with ρ_t the twist of ρ, ρ ρ_t* = (s, v) has v_z = 0 and

        δx = R_Sᵀ (δr_P − δr_S + d × φ_a),      δangle = (φ_z + (φ_x v_y − φ_y v_x)/s),

    φ = R_Sᵀ (φ_b − φ_a).
    """
    system = p.data.system
    joint = system.model[name]
    laws = {which: frozen(those, state.time) for which, those in joint.laws().items()}
    still = joint.lock_entry((0, 1, 2, 5), {**laws, "t": {}})
    reals = still.reals.copy()
    if reals[MOVING]:
        reals[: 3 * LEVEL] = still.laws[0].values(np.array([state.time]))[0]
    ends = [system.names.index(f.body.name) if f.body.name in system.names else -1
            for f in joint.frames]  # fmt: skip
    _, q = joint_coordinates(reals, state, ends)
    (ra, Ra), (rb, Rb) = (
        (state.positions[b], rotations.matrix(state.orientations[b])) if b >= 0
        else (np.zeros(3), np.eye(3)) for b in ends
    )  # fmt: skip
    sa, sb = Ra @ reals[UA : UA + 3], Rb @ reals[UB : UB + 3]
    d, S = rb + sb - ra - sa, Ra @ rotations.matrix(reals[QA : QA + 4])
    s = np.hypot(q[0], q[3])
    _, x, y, _ = rotations.multiply(q, np.array([q[0], 0.0, 0.0, -q[3]]) / s)
    about = S @ (y / s, -x / s, 1.0)
    J = np.zeros((4, system.motions))
    for b, sign, arm in ((ends[0], -1.0, sa + d), (ends[1], 1.0, sb)):
        if b >= 0:
            first = system.layout.unknowns(b).start
            J[:3, first : first + 3] += sign * S.T
            J[:3, first + 3 : first + 6] -= sign * S.T @ rotations.tilde(arm)
            J[3, first + 3 : first + 6] += sign * about
    return J
