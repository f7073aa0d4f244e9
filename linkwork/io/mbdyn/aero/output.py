"""The files .aer, .rot and .air.

    .aer  std: for each point angle of attack (degrees), sweep, Mach number, c_l, c_d, c_m, 0, 0
          node: the label of the node or of the beam, and for each node force and moment about it
          in global axes
          of a generic aerodynamic force: α, β (degrees), force and moment in its axes, then both
          in global axes about its node
    .rot  force and moment in the rotor's axes, mean inflow of momentum theory, speed, angle of the
          disc, μ, λ, χ, ψ₀, whether the inflow has converged, and its iterations; of a dynamic
          inflow its states too: mean, sine and cosine
    .air  density, speed of sound, velocity
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.aero.surfaces import survey as told
from linkwork.io.mbdyn.aero.records import RotorRecord, SurfaceRecord
from linkwork.results.outputs.surfaces import surveyed

if TYPE_CHECKING:
    from linkwork.io.mbdyn.output.numbers.tables import Tables


def point_columns(found: np.ndarray) -> np.ndarray:
    """(T, 8 points) of the layout std."""
    T, n = found.shape[:2]
    columns = np.zeros((T, n, 8))
    columns[..., 0] = np.degrees(found[..., told.ALPHA])
    columns[..., 1] = np.degrees(np.arctan2(-found[..., told.SWEEP], found[..., told.SPEED]))
    for k, name in ((2, told.MACH), (3, told.CL), (4, told.CD), (5, told.CM)):
        columns[..., k] = found[..., name]
    return columns.reshape(T, 8 * n)


def node_loads(tables: Tables, record: SurfaceRecord, found: np.ndarray) -> list[np.ndarray]:
    """Force and moment about each node, (T, 6), in global axes."""
    loads = []
    length = found[..., told.LENGTH, None]
    for piece, label in enumerate(record.nodes):
        mine = record.pieces == piece
        F = (found[..., told.FORCE : told.FORCE + 3] * length)[:, mine]
        M = (found[..., told.TORQUE : told.TORQUE + 3] * length)[:, mine]
        arm = found[:, mine, told.PLACE : told.PLACE + 3] - tables.motion(label).x[:, None]
        moment = np.sum(M + np.cross(arm, F), axis=1)
        loads.append(np.concatenate([np.sum(F, axis=1), moment], axis=1))
    return loads


def generic_columns(tables: Tables, record: SurfaceRecord) -> np.ndarray:
    """(T, 14) of a generic aerodynamic force."""
    names = ("alpha", "beta", "force", "torque", "force_world", "torque_world", "place")
    alpha, beta, force, torque, F, M, place = (tables.output(record.item, x) for x in names)
    arm = place - tables.motion(record.nodes[0]).x
    angles = np.degrees(np.column_stack([alpha, beta]))
    return np.hstack([angles, force, torque, F, M + np.cross(arm, F)])


def aer_lines(tables: Tables) -> list[tuple[list[str], Sequence[np.ndarray]]]:
    """Words and numbers of each surface."""
    lines: list[tuple[list[str], Sequence[np.ndarray]]] = []
    for record in tables.deck.aero.surfaces.values():
        if not record.output:
            continue
        line = [f"{record.label:8d}"]
        if record.layout == "generic":
            columns = generic_columns(tables, record)
            lines.append((line + [" "] * columns.shape[1], [columns]))
            continue
        found = surveyed(tables.run, record.item, tables.rows)
        if record.layout == "std":
            parts = [point_columns(found)]
            line += [" "] * parts[0].shape[1]
        else:
            parts = node_loads(tables, record, found)
            line += [f" {record.carrier:8d} ", *[" "] * (6 * len(parts) - 1)]
        lines.append((line, parts))
    return lines


def rotor_columns(tables: Tables, record: RotorRecord) -> np.ndarray:
    names = ("inflow_momentum", "air_speed", "disc_angle", "advance_ratio", "inflow_ratio",
             "wake_skew", "wind_azimuth")  # fmt: skip
    parts = [tables.output(record.item, name) for name in ("force", "torque")]
    parts += [tables.output(record.item, name)[:, None] for name in names]
    return np.hstack(parts)


def inflow_states(tables: Tables, record: RotorRecord) -> np.ndarray:
    """(T, 3) of a dynamic inflow: mean, sine and cosine, from the direction of the wind in the
    disc; of others (T, 0)."""
    if tables.deck.model[record.item].model != "dynamic":
        return np.zeros((len(tables.rows), 0))
    q = tables.output(record.item, "inflow")
    wind = tables.output(record.item, "wind_azimuth")
    c, s = np.cos(wind), np.sin(wind)
    return np.column_stack([q[:, 0], q[:, 2] * c - q[:, 1] * s, q[:, 1] * c + q[:, 2] * s])


def rot_lines(tables: Tables) -> list[tuple[list[str], Sequence[np.ndarray]]]:
    """Words and numbers of each rotor; the inflow has converged, without iterations."""
    lines: list[tuple[list[str], Sequence[np.ndarray]]] = []
    for record in tables.deck.aero.rotors.values():
        if record.output:
            columns = rotor_columns(tables, record)
            words = [f"{record.label:8d}", *[" "] * columns.shape[1], " 1 0"]
            states = inflow_states(tables, record)
            if states.shape[1]:
                words[-1] += " "
                words += [" ", " ", ""]
            lines.append((words, [columns, states]))
    return lines


def air_columns(tables: Tables) -> np.ndarray:
    """Density, speed of sound and velocity at the origin."""
    air: Any = tables.deck.model.air
    T = len(tables.time)
    rho, sound = air.at_origin()
    v = air.velocities(tables.time)[:, :3]
    return np.column_stack([np.full(T, rho), np.full(T, sound), v])
