"""Assembly: positions, then velocities, that satisfy the joints and are nearest to the given ones.

Positions, in two parts.  Gauss-Newton steps of least size bring the constraints to zero,

    δ = −Jᵀ (J Jᵀ + ε I)⁻¹ c,          J, c scaled: lengths over L, angles in radians,

which also works when rows are redundant; then Newton's method on the Lagrangian, with the exact
constraint stiffness K_c, finds the nearest such position,

    [W + K_c(λ)  C_qᵀ] [δ ]     [W d + C_qᵀ λ]
    [C_q         0   ] [Δλ] = − [C           ],      d: increments from the given position.

Velocities: the least change of the given ones with C_q v + C_t = 0; what was not given is free.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from linkwork.elements.joints import Joint
from linkwork.elements.lock import lock_coordinates
from linkwork.errors import AssemblyError, LinkworkWarning, ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive, polynomial
from linkwork.model.model import Model
from linkwork.model.registry import Entry
from linkwork.system.redundancy import ConstraintRows, Redundancy, independent_rows
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

TOLERANCE = 1e-11  # of the constraints, lengths over L and quaternion parts
UNGIVEN = 1e-9  # weight of a velocity the user did not give


@dataclass(frozen=True)
class Assembled:
    """An assembled model: all rows (`full`), independent rows (`system`), and the state.

    history: the largest constraint error before each Newton step of the positions.
    """

    full: System
    system: System
    state: State
    redundancy: Redundancy
    history: list[float]


def assemble(
    model: Model, *, time: float = 0.0, weights: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (),
) -> State:  # fmt: skip
    """Positions and velocities that satisfy all joints, nearest to what was given.

    weights : a body's resistance to being moved (default 1);  fixed : bodies that must not move.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> rod = m.add("rod", lw.Body(1, (1, 1, 1), position=(0.9, 0, 0)))
    >>> hinge = m.add("hinge", lw.Distance(lw.GROUND, rod, length=1.0))
    >>> bool(abs(lw.assemble(m)["rod"].position[0] - 1) < 1e-12)
    True
    """
    return assemble_model(model, time=time, weights=weights, fixed=fixed).state


def assemble_model(
    model: Model, *, time: float = 0.0, weights: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (), warn: bool = True,
) -> Assembled:  # fmt: skip
    """Assemble, and choose independent rows; warns once about redundant ones."""
    full = compile_model(model)
    time = checks.number(time, "time of assemble")
    scale = Scale(full, *_resistances(weights, fixed))
    given = full.described_state(time)
    places, rates = start_rows(model)
    with_places = compile_model(model, start_entries(model, places)) if places else full
    state, history = solve_positions(with_places, scale, given)
    state = nearest_position(with_places, scale, given, state)
    if rates:
        now = {name: current(full, state, name) for name in rates}
        laws = {
            name: {row: polynomial([now[name][row] - time * v, v]) for row, v in wanted.items()}
            for name, wanted in rates.items()
        }
        state = solve_velocities(compile_model(model, start_entries(model, laws)), scale, state)
    else:
        state = solve_velocities(full, scale, state)
    redundancy, system = choose_rows(full, state, warn=warn)
    return Assembled(full, system, state, redundancy, history)


def choose_rows(full: System, state: State, *, warn: bool = True) -> tuple[Redundancy, System]:
    """Independent rows at an assembled state, and the system that steps with them."""
    redundancy = independent_rows(constraint_rows(full, state))
    if warn:
        for message in redundancy.messages:
            warnings.warn(message, LinkworkWarning, stacklevel=2)
    system = full if redundancy.keep.all() else full.with_rows(redundancy.keep)
    return redundancy, system


def constraint_rows(full: System, state: State) -> ConstraintRows:
    """The Jacobian of all rows with whose rows they are."""
    e = full.evaluate(replace(state, gamma=None, acceleration=None))
    joints = list(dict.fromkeys(row.owner for row in full.all_rows))
    number = {name: i for i, name in enumerate(joints)}
    bodies: list[list[int]] = [[] for _ in joints]
    for element in full.elements:
        if element.entry.rows:
            bodies[number[element.owner]] += element.ends
    return ConstraintRows(
        Cq=sp.csr_array(e.Cq),
        owner=np.array([number[row.owner] for row in full.all_rows], int),
        row_name=[row.name for row in full.all_rows],
        joint_names=joints,
        joint_bodies=[tuple(dict.fromkeys(b)) for b in bodies],
        L=full.length,
        driven=np.array([row.driven for row in full.all_rows], bool),
    )


# ------------------------------------------------------------------------- where joints start


def start_rows(model: Model) -> tuple[dict[str, dict[str, Drive]], dict[str, dict[str, float]]]:
    """Free rows of joints whose coordinate or rate the user gave: constant laws, and rates."""
    places: dict[str, dict[str, Drive]] = {}
    rates: dict[str, dict[str, float]] = {}
    for name, item in model.items.items():
        if isinstance(item, Joint):
            at, rate = item.start()
            if at:
                places[name] = {row: polynomial([value]) for row, value in at.items()}
            if rate:
                rates[name] = rate
    return places, rates


def start_entries(
    model: Model, laws: Mapping[str, Mapping[str, Drive]]
) -> list[tuple[str, Entry]]:
    """Lock entries that hold free rows of joints on their laws."""
    out = []
    for name, rows in laws.items():
        joint = model[name]
        numbers = tuple(("x", "y", "z", "rx", "ry", "rz").index(r) for r in rows)
        out.append((name, joint.lock_entry(tuple(sorted(numbers)), {"t": dict(rows)})))
    return out


def current(full: System, state: State, name: str) -> dict[str, float]:
    """Displacement z and angle rz of a joint in a state."""
    element = next(e for e in full.elements if e.owner == name and e.entry.rows)
    full.set_time(state.time)
    ground = np.array([0.0, 0, 0, 1, 0, 0, 0])
    a, b = (state.motion[i, :7] if i >= 0 else ground for i in element.ends)
    reals = np.asarray(element.entry.reals)[None]
    x, q = lock_coordinates(reals, a[None, :3], a[None, 3:], b[None, :3], b[None, 3:])
    return {"z": float(x[0, 2]), "rz": 2 * float(np.arctan2(q[0, 3], q[0, 0]))}


# ------------------------------------------------------------------------- scaling and weights


class Scale:
    """Makes lengths and angles comparable: columns by L and weights, rows by 1/L."""

    def __init__(self, system: System, weights: Mapping[str, float], fixed: list[str]) -> None:
        self.length = system.length
        weight = np.ones(system.bodies)
        for name, value in weights.items():
            weight[_body(system, name)] = checks.number(value, f"weight of '{name}'", positive=True)
        self.column = np.tile([system.length] * 3 + [1.0] * 3, system.bodies)
        self.column /= np.repeat(np.sqrt(weight), 6)
        for name in fixed:
            b = _body(system, name)
            self.column[6 * b : 6 * b + 6] = 0.0

    def rows(self, system: System) -> np.ndarray:
        """1/L for rows that measure a length."""
        return np.array([1.0 if is_angle(r.name) else 1 / self.length for r in system.kept_rows])


def _resistances(weights: Any, fixed: Any) -> tuple[dict[str, float], list[str]]:
    """What the user said about moving bodies, as a dict and a list."""
    if weights is not None and not isinstance(weights, Mapping):
        raise ModelError(
            'weights of assemble must be a dict such as {"rod": 10.0}, but '
            f"{checks.show(weights)} was given"
        )
    names = [fixed] if isinstance(fixed, str) else fixed
    if not isinstance(names, Iterable):
        raise ModelError(
            'fixed of assemble must be a list of names such as ["rod"], but '
            f"{checks.show(fixed)} was given"
        )
    return dict(weights or {}), list(names)


def _body(system: System, name: str) -> int:
    if name not in system.names:
        raise ModelError(
            f"assemble was given {checks.show(name)}, but the model has no body of that name"
        )
    return system.names.index(name)


def is_angle(row: str) -> bool:
    """Whether a constraint row measures a rotation."""
    return row.startswith("r") or row == "perpendicular"


# ----------------------------------------------------------------------------------- positions


def solve_positions(system: System, scale: Scale, state: State) -> tuple[State, list[float]]:
    """Gauss-Newton steps of least size until all rows vanish."""
    if not system.rows:
        return state, []
    row = scale.rows(system)
    history: list[float] = []
    e = system.evaluate(state)
    c = row * e.C
    for _ in range(100):
        history.append(float(np.abs(c).max()))
        if history[-1] < TOLERANCE:
            return state, history
        J = sp.diags(row) @ e.Cq @ sp.diags(scale.column)
        step = -scale.column * (J.T @ _normal_solve(J, c))
        size = np.abs(step.reshape(-1, 6)[:, 3:]).max(initial=0.0)
        step *= min(1.0, 0.7 / size) if size > 0 else 1.0  # no body turns too far at once
        factor = 1.0
        while True:
            trial = state.moved(factor * step)
            et = system.evaluate(trial)
            ct = row * et.C
            if np.linalg.norm(ct) < (1 - 0.1 * factor) * np.linalg.norm(c) or factor < 1e-3:
                break
            factor /= 2
        if np.linalg.norm(ct) >= np.linalg.norm(c):
            break
        state, e, c = trial, et, ct
    if np.abs(c).max() < 1e-9:  # round-off of large coordinates
        return state, history
    violations = _violations(system, e.C)
    raise AssemblyError(
        f"model '{system.model.name}' cannot be assembled: these joints cannot be satisfied "
        f"together, {_listed(violations)}; check their points, axes and lengths, or start nearer "
        "to a possible position (millimetres if lengths are in metres)",
        violations=violations,
    )


def _normal_solve(J: Any, c: np.ndarray) -> np.ndarray:
    A = (J @ J.T + 1e-12 * sp.identity(J.shape[0])).tocsc()
    return splu(A, permc_spec="MMD_AT_PLUS_A").solve(c)


def _violations(
    system: System, C: np.ndarray, *, rates: bool = False
) -> dict[str, dict[str, float]]:
    """Per joint the largest error in millimetres and degrees (per second), largest first."""
    worst: dict[str, dict[str, float]] = {}
    for row, value in zip(system.kept_rows, np.abs(C), strict=True):
        entry = worst.setdefault(row.owner, {"mm": 0.0, "deg": 0.0})
        if is_angle(row.name):
            angle = np.degrees(angle_error(row.name, value, rates))
            entry["deg"] = max(entry["deg"], float(angle))
        else:
            entry["mm"] = max(entry["mm"], 1e3 * float(value))
    order = sorted(
        worst, key=lambda n: worst[n]["mm"] / 1e3 / system.length + np.radians(worst[n]["deg"])
    )
    return {name: worst[name] for name in reversed(order)}


def angle_error(row: str, value: float, rates: bool = False) -> float:
    """The angle (rad) behind a row: half of it is in a quaternion part, a cosine is off square."""
    if row == "perpendicular":
        return value if rates else float(np.arcsin(min(value, 1.0)))
    return 2 * value if rates else 2 * float(np.arcsin(min(value, 1.0)))


def _listed(violations: Mapping[str, Mapping[str, float]], per: str = "") -> str:
    """The violated joints in words, eight at most."""
    listed = []
    for name, v in violations.items():
        parts = [f"{v['mm']:.3g} mm{per}"] if v["mm"] > 1e-6 else []
        parts += [f"{v['deg']:.3g}°{per}"] if v["deg"] > 1e-6 else []
        if parts:
            listed.append(f"'{name}' by {' and '.join(parts)}")
    more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
    return ", ".join(listed[:8]) + more


def nearest_position(system: System, scale: Scale, given: State, start: State) -> State:
    """Among all assembled positions the one nearest to the given one, if Newton finds it."""
    if not system.rows or np.abs(start.difference(given)).max(initial=0.0) < 1e-9:
        return start
    redundancy = independent_rows(constraint_rows(system, start))
    if not redundancy.keep.all():
        system = system.with_rows(redundancy.keep)
    n = 6 * system.bodies
    free = scale.column > 0
    W = np.where(free, 1 / np.where(free, scale.column, 1.0) ** 2, 0.0)
    mobile = sp.diags(free.astype(float))
    state, multipliers = start, np.zeros(len(system.all_rows))
    for iteration in range(12):
        e = system.evaluate(replace(state, gamma=multipliers))
        d = state.difference(given).ravel()
        Cq = e.Cq @ mobile
        K = mobile @ _constraint_stiffness(system, state, multipliers) @ mobile
        if iteration == 0:
            K = sp.csr_matrix((n, n))
        held = sp.diags(np.where(free, W, 1.0))
        A = sp.bmat([[held + K, Cq.T], [Cq, None]]).tocsc()
        g = W * d
        rhs = -np.concatenate([g + Cq.T @ multipliers[system.kept], e.C])
        try:
            y = splu(A).solve(rhs)
        except RuntimeError:
            return start
        step = y[:n] * free
        if not np.all(np.isfinite(y)) or np.abs(step.reshape(-1, 6)[:, 3:]).max() > 0.5:
            return start
        state = state.moved(step)
        multipliers = multipliers + system.all_gamma(y[n:])
        if np.abs(step).max() < 1e-13 * system.length:
            break
    row = scale.rows(system)
    closed = np.abs(row * system.evaluate(state).C).max() < 1e-10

    def distance(s: State) -> float:
        return float(W @ s.difference(given).ravel() ** 2)

    if not closed or distance(state) > distance(start):
        return start
    return state


def _constraint_stiffness(system: System, state: State, gamma: np.ndarray) -> sp.csr_matrix:
    """K_c alone: the tangent with multipliers minus the tangent without, both of the rows only."""
    still = state.with_velocities(np.zeros(6 * system.bodies))
    with_it = system.evaluate(replace(still, gamma=gamma)).stiffness
    return with_it - system.evaluate(replace(still, gamma=None)).stiffness


# ---------------------------------------------------------------------------------- velocities


def solve_velocities(system: System, scale: Scale, state: State) -> State:
    """The least change of the given velocities that satisfies C_q v + C_t = 0."""
    if not system.rows:
        return state
    e = system.evaluate(state, rates=True)
    row = scale.rows(system)
    given = []
    for name in system.names:
        body = system.model[name]
        given += [body.velocity is not None] * 3 + [body.angular_velocity is not None] * 3
    given_ = np.array(given, float)
    if not given_.any():
        given_[:] = 1.0
    weight = np.where(given_ > 0, 1.0, UNGIVEN)
    free = scale.column > 0
    J = sp.diags(row) @ e.Cq @ sp.diags(scale.column)
    A = sp.bmat([[sp.diags(np.where(free, weight, 1.0)), J.T],
                 [J, -1e-13 * sp.identity(system.rows)]]).tocsc()  # fmt: skip
    lu = splu(A)
    n = 6 * system.bodies
    v = state.velocities.ravel().copy()
    anchor = v.copy()
    column = np.where(free, scale.column, 1.0)
    for _ in range(4):
        # pull given velocities back to what was given; the others stay where they have come to
        pull = np.where(given_ > 0, weight * (anchor - v) / column, 0.0) * free
        y = lu.solve(np.concatenate([pull, -row * (e.Ct + e.Cq @ v)]))
        v += scale.column * y[:n]
    error = row * (e.Ct + e.Cq @ v)
    size = 1.0 + np.abs(row * e.Ct).max(initial=0.0) + np.abs(v / column).max(initial=0.0)
    if np.abs(error).max() > 1e-8 * size:
        violations = _violations(system, error / row, rates=True)
        raise AssemblyError(
            f"model '{system.model.name}' has no velocities that satisfy all joints and drives: "
            f"these contradict each other, {_listed(violations, '/s')}; check the rates and drives "
            "that act on the same loop",
            violations=violations,
        )
    return state.with_velocities(v)
