"""Which constraint rows are independent: the rows that an analysis solves with."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.system.data import Data
from linkwork.system.redundancy import (
    ConstraintRows,
    Redundancy,
    as_vertices,
    independent_rows,
    shared_rows,
)  # fmt: skip
from linkwork.system.redundancy.rows import GROUND
from linkwork.system.state import State
from linkwork.system.system import System


def choose_rows(full: Data, state: State, *, warn: bool = True) -> tuple[Redundancy, Data]:
    """Independent ones of a system's rows at an assembled state, and the system with them alone.

    warn : of rows that repeat others; of friction that these load is warned of in any case
    """
    system = full.system
    rows = constraint_rows(full, state)
    redundancy = judged = independent_rows(rows)
    if system.model.planar is not None and redundancy.messages:
        rows = constraint_rows(full.restricted(counting(system) & full.keep), state)
        judged = independent_rows(rows)
        redundancy = replace(redundancy, messages=judged.messages)
    if warn:
        for message in redundancy.messages:
            warn_once(system, message)
        if len(full.tables.sensors) and not redundancy.keep.all():
            warn_of_readings(full, state, redundancy.keep)
    warn_of_loads(system, rows, judged)
    if redundancy.keep.all():
        return redundancy, full
    keep = np.zeros(len(system.all_rows), bool)
    keep[full.kept] = redundancy.keep
    return redundancy, full.restricted(keep)


def counting(system: System) -> np.ndarray:
    """Which rows count in a planar model: all others hold bodies in the plane twice."""
    from linkwork.system.compilation import planar  # with elements that other models do without

    return planar.counting(system)


def warn_once(system: System, message: str) -> None:
    """A warning about a model, once in an analysis."""
    if message not in system.model.warnings_issued:
        system.model.warnings_issued.add(message)
        warnings.warn(message, LinkworkWarning, stacklevel=users_line())


def warn_of_loads(system: System, rows: ConstraintRows, redundancy: Redundancy) -> None:
    """Friction whose load is a reaction that joints share, which is not unique."""
    if not rows.pressing.any() or not redundancy.components:
        return
    owners = {rows.joint_names[j] for j in rows.owner[shared_rows(rows, redundancy)]}
    rubbing = [
        e for e in system.elements
        if e.entry.family.answers < 0 and owners & {item.name for item, _, _ in e.entry.reads}
    ]  # fmt: skip
    if rubbing:
        names = ", ".join(dict.fromkeys(system.model[e.owner].label for e in rubbing))
        joints = ", ".join(f"'{name}'" for name in sorted(owners))
        warn_once(
            system,
            f"{names}: friction is not unique, because it is loaded by reactions of {joints} that "
            "joints share; those that rub are taken to carry all that they can; use joints that "
            "repeat nothing, or lw.Model(planar=...)",
        )


def warn_of_readings(full: Data, state: State, keep: np.ndarray) -> None:
    """Readings of reactions that are not unique, c·y ≠ 0 for a self-stress y: C_qᵀ y = 0."""
    system = full.system
    counts = np.ones(len(keep), bool) if system.model.planar is None else counting(system)
    e = full.evaluate(replace(state, gamma=None, acceleration=None))
    c = np.zeros((len(full.tables.sensors), len(keep) + 1))
    for row, (_, slopes, *multipliers) in zip(c, full.tables.sensors, strict=True):
        for j, m in enumerate(multipliers):
            row[min(int(m), len(keep))] += full.tables.reals[slopes + j]
    Cq = e.Cq.toarray() * system.layout.scale(system.length)
    known, left = np.flatnonzero(keep & counts), np.flatnonzero(~keep & counts)
    y = np.linalg.lstsq(Cq[known].T, Cq[left].T, rcond=None)[0]
    share = np.abs(c[:, left] - c[:, known] @ y).max(axis=1, initial=0.0)
    rows = np.flatnonzero(share > 1e-6 * np.abs(c).max(axis=1))
    names = dict.fromkeys(system.layout.describe(int(full.tables.sensors[i, 0])) for i in rows)
    message = (
        f"{', '.join(names)}: not unique, because joints of model "
        f"'{system.model.name}' repeat what "
        "others impose; a reading shows what the rows that are kept carry, outputs of runs the "
        "least that would do; use joints that repeat nothing, or lw.Model(planar=...)"
    )
    if names:
        warn_once(system, message)


def kept_in_plane(full: Data) -> np.ndarray:
    """Rows of a planar model that stay while others can go."""
    system = full.system
    if system.model.planar is None:
        return np.zeros(full.rows, bool)
    return counting(system)[full.kept]


def constraint_rows(
    full: Data, state: State, free: np.ndarray | None = None
) -> ConstraintRows:
    """The Jacobian of the rows in the equations with whose rows they are.

    free : which motion unknowns may change (default all)
    """
    system = full.system
    e = full.evaluate(replace(state, gamma=None, acceleration=None))
    Cq = e.jacobian
    if free is not None and not free.all():
        Cq = Cq._replace(data=Cq.data * free[Cq.indices])
    Cq, vertices = as_vertices(system.layout, Cq, system.length)
    rows, pressing = full.kept_rows, system.pressing
    if system.model.planar is not None:  # what holds the plane twice carries nothing
        pressing = pressing & counting(system)
    joints = list(dict.fromkeys(row.owner for row in rows))
    number = {name: i for i, name in enumerate(joints)}
    bodies: list[list[int]] = [[] for _ in joints]
    links = {link.item.name for link in system.flexible}
    for element in system.elements:
        if element.entry.rows and element.owner in number:
            mine = bodies[number[element.owner]]
            mine += [v for group in element.ends for v in vertices[group]]
            if max(element.ends) >= system.bodies and element.owner not in links:
                mine.append(GROUND)  # what holds a value is no function of relative motion
    return ConstraintRows(
        Cq=Cq,
        owner=np.array([number[row.owner] for row in rows], int),
        row_name=[row.name for row in rows],
        joint_names=joints,
        joint_bodies=[tuple(dict.fromkeys(b)) for b in bodies],
        L=system.length,
        driven=np.array([row.driven for row in rows], bool),
        spared=np.array([row.owner in links for row in rows], bool) | kept_in_plane(full),
        pressing=pressing[full.kept],
    )
