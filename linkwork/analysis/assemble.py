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

from linkwork.analysis.coordinates import joint_coordinates, twist_angle
from linkwork.analysis.scales import column_scale, is_angle, row_scale
from linkwork.elements.joints import ROW_NAMES, Joint
from linkwork.elements.user_force import forget_failures
from linkwork.errors import AssemblyError, LinkworkWarning, ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive, polynomial
from linkwork.model.model import Model
from linkwork.model.registry import Entry
from linkwork.system.redundancy import ConstraintRows, Redundancy, independent_rows
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

TOLERANCE = 1e-12  # of the constraints, lengths over L and quaternion parts
LEAST = 1e-12  # ε of the steps, below which redundant rows are singular
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

    "Nearest" is the least Σ w (|δr|²/L² + |θ|²) over the bodies: displacements over the extent L
    of the mechanism, rotations in radians.

    weights : w, a body's resistance to being moved (default 1)
    fixed   : bodies that stay where they are described

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
    state, history = find_positions(with_places, scale, given)
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
    forget_failures(model)  # forces do not matter here, and positions were not yet possible ones
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
        numbers = tuple(ROW_NAMES.index(r) for r in rows)
        out.append((name, joint.lock_entry(tuple(sorted(numbers)), {"t": dict(rows)})))
    return out


def current(full: System, state: State, name: str) -> dict[str, float]:
    """Displacement z and angle rz of a joint in a state."""
    element = next(e for e in full.elements if e.owner == name and e.entry.rows)
    full.set_time(state.time)
    x, q = joint_coordinates(np.asarray(element.entry.reals), state, element.ends)
    return {"z": float(x[2]), "rz": twist_angle(q)}


# ------------------------------------------------------------------------- scaling and weights


class Scale:
    """Makes lengths and angles comparable: columns by L and weights, rows by 1/L."""

    def __init__(self, system: System, weights: Mapping[str, float], fixed: list[str]) -> None:
        self.length = system.length
        weight = np.ones(system.bodies)
        for name, value in weights.items():
            weight[_body(system, name)] = checks.number(value, f"weight of '{name}'", positive=True)
        self.all_columns = column_scale(system) / np.repeat(np.sqrt(weight), 6)
        self.free = np.ones(6 * system.bodies, bool)
        for name in fixed:
            b = _body(system, name)
            self.free[6 * b : 6 * b + 6] = False
        self.column = self.all_columns * self.free
        self.weight = self.free / self.all_columns**2

    def distance(self, state: State, given: State) -> float:
        """How far a position is from another, squared: Σ w (|δr|²/L² + |θ|²) over the bodies."""
        return float(self.weight @ state.difference(given).ravel() ** 2)

    def rows(self, system: System) -> np.ndarray:
        """1/L for rows that measure a length."""
        return row_scale(system.kept_rows, self.length)


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


# ----------------------------------------------------------------------------------- positions


def find_positions(system: System, scale: Scale, given: State) -> tuple[State, list[float]]:
    """Positions from the given ones, or from beside them where no direction leads anywhere.

    Two markers half a turn apart are such a place: every turn takes them nearer alike.
    """
    try:
        return solve_positions(system, scale, given)
    except AssemblyError as error:
        nudge = 0.1 * np.sin(1.0 + np.arange(6 * system.bodies))
        try:
            return solve_positions(system, scale, given.moved(scale.column * nudge))
        except AssemblyError:
            raise error from None


def solve_positions(system: System, scale: Scale, state: State) -> tuple[State, list[float]]:
    """Gauss-Newton steps of least size until all rows vanish, or as nearly as they can.

    ε grows where a step does not help (Levenberg and Marquardt), near singular positions.
    """
    if not system.rows:
        return state, []
    row = scale.rows(system)
    history: list[float] = []
    e = system.evaluate(state)
    c = row * e.C
    epsilon = LEAST
    for _ in range(200):
        history.append(float(np.abs(c).max()))
        if history[-1] < TOLERANCE:
            return state, history
        J = sp.diags(row) @ e.Cq @ sp.diags(scale.column)
        while epsilon < 1e6:
            step = _least_step(J, c, epsilon)
            turn = np.abs((scale.column * step).reshape(-1, 6)[:, 3:]).max()
            step *= min(1.0, 0.7 / turn) if turn > 0 else 1.0  # no body turns too far at once
            trial = state.moved(scale.column * step)
            et = system.evaluate(trial)
            ct = row * et.C
            predicted = c @ c - np.sum((c + J @ step) ** 2)
            if c @ c - ct @ ct > 0.1 * max(predicted, 1e-12 * (c @ c)):
                break
            epsilon = max(30 * epsilon, 1e-8)
        else:
            break  # as near as the joints let it come
        state, e, c, epsilon = trial, et, ct, max(epsilon / 100, LEAST)
    if np.abs(c).max() < 1e-9:  # round-off of large coordinates
        return state, history
    violations = _violations(system, e.C)
    raise AssemblyError(
        f"model '{system.model.name}' cannot be assembled: these joints cannot be satisfied "
        f"together, {_listed(violations)}; check their points, axes and lengths, or start nearer "
        "to a possible position (millimetres if lengths are in metres)",
        violations=violations,
    )


def close_joints(full: System, state: State) -> State:
    """The state with its bodies moved, none easier than others, until all rows vanish."""
    return solve_positions(full, Scale(full, {}, []), state)[0]


def _least_step(J: Any, c: np.ndarray, epsilon: float) -> np.ndarray:
    """−Jᵀ (J Jᵀ + ε I)⁻¹ c."""
    A = (J @ J.T + epsilon * sp.identity(J.shape[0])).tocsc()
    return -(J.T @ splu(A, permc_spec="MMD_AT_PLUS_A").solve(c))


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
    """Among all assembled positions the one nearest to the given one.

    Newton's method finds it from nearby; from further away steps towards the given position, each
    closed again, come near first.  Without success the start is good enough.
    """
    if not system.rows or np.abs(start.difference(given)).max(initial=0.0) < 1e-9:
        return start
    for _ in range(4):
        found = _newton_nearest(system, scale, given, start)
        if found is not None:
            return found
        nearer = _pulled(system, scale, given, start)
        if nearer is start:
            break
        start = nearer
    return start


def _newton_nearest(system: System, scale: Scale, given: State, start: State) -> State | None:
    """Newton's method on the Lagrangian; None where it does not find a nearer position."""
    reduced = _independent(system, scale, start)
    state, multipliers = start, np.zeros(len(system.all_rows))
    K: Any = None
    for _ in range(40):  # quadratic but for the curvature of large rotations
        y = _pull(reduced, scale, given, state, multipliers, K)
        n = 6 * system.bodies
        if y is None or np.abs(y[:n].reshape(-1, 6)[:, 3:]).max() > 0.5:
            return None
        state = state.moved(y[:n])
        multipliers = multipliers + reduced.all_gamma(y[n:])
        if np.abs(y[:n]).max() < 1e-13 * system.length:
            break
        K = _constraint_stiffness(reduced, state, multipliers)
    closed = np.abs(scale.rows(system) * system.evaluate(state).C).max() < 1e-10
    near = scale.distance(state, given) <= scale.distance(start, given) * (1 + 1e-12)
    return state if closed and near else None


def _pulled(system: System, scale: Scale, given: State, state: State) -> State:
    """A nearer assembled position by at most ten steps that get nearer."""
    none = np.zeros(len(system.all_rows))
    for _ in range(10):
        y = _pull(_independent(system, scale, state), scale, given, state, none, None)
        if y is None:
            return state
        step = y[: 6 * system.bodies]
        turn = np.abs(step.reshape(-1, 6)[:, 3:]).max()
        step *= min(1.0, 0.5 / turn) if turn > 0 else 1.0
        for _ in range(5):
            try:
                trial = solve_positions(system, scale, state.moved(step))[0]
            except AssemblyError:
                trial = state
            if scale.distance(trial, given) < scale.distance(state, given):
                break
            step /= 4
        else:
            return state
        state = trial
    return state


def _independent(system: System, scale: Scale, state: State) -> System:
    """The system with independent rows, seen from the bodies that may move."""
    rows = constraint_rows(system, state)
    if not scale.free.all():
        rows = replace(rows, Cq=sp.csr_array(rows.Cq @ sp.diags_array(scale.free.astype(float))))
    keep = independent_rows(rows).keep
    return system if keep.all() else system.with_rows(keep)


def _pull(
    system: System, scale: Scale, given: State, state: State, multipliers: np.ndarray, K: Any
) -> np.ndarray | None:
    """Increments of positions and multipliers: one step of Newton's method (K = K_c or none)."""
    n, free, W = 6 * system.bodies, scale.free, scale.weight
    mobile = sp.diags(free.astype(float))
    e = system.evaluate(replace(state, gamma=multipliers))
    Cq = e.Cq @ mobile
    A = sp.diags(np.where(free, W, 1.0))
    if K is not None:
        A = A + mobile @ K @ mobile
    pull = W * state.difference(given).ravel() + Cq.T @ multipliers[system.kept]
    try:
        lu = splu(sp.bmat([[A, Cq.T], [Cq, None]]).tocsc())
    except RuntimeError:  # singular
        return None
    y = -lu.solve(np.concatenate([pull, e.C]))
    y[:n] *= free
    return y if np.all(np.isfinite(y)) else None


def _constraint_stiffness(system: System, state: State, gamma: np.ndarray) -> sp.csr_matrix:
    """K_c alone: the tangent with multipliers minus the tangent without, both of the rows only."""
    still = state.with_velocities(np.zeros(6 * system.bodies))
    with_it = system.evaluate(replace(still, gamma=gamma)).stiffness
    return with_it - system.evaluate(replace(still, gamma=None)).stiffness


# ---------------------------------------------------------------------------------- velocities


def solve_velocities(system: System, scale: Scale, state: State) -> State:
    """The least change of the given velocities that satisfies C_q v + C_t = 0.

    A fixed body keeps the velocity it was given; without one it moves as the joints say.
    """
    if not system.rows:
        return state
    e = system.evaluate(state, rates=True)
    row = scale.rows(system)
    words = [(b.velocity, b.angular_velocity) for b in map(system.model.__getitem__, system.names)]
    given = np.repeat([[word is not None for word in pair] for pair in words], 3)
    free = scale.free | ~given
    if not given.any():
        given[:] = True
    weight = np.where(given, 1.0, UNGIVEN)
    column = scale.all_columns * free
    J = sp.diags(row) @ e.Cq @ sp.diags(column)
    A = sp.bmat([[sp.diags(weight), J.T], [J, -1e-13 * sp.identity(system.rows)]])
    lu = splu(A.tocsc())
    n = 6 * system.bodies
    v = state.velocities.ravel().copy()
    anchor, multipliers = v.copy(), np.zeros(system.rows)
    for _ in range(4):
        # pull given velocities back to what was given; the others stay where they have come to
        pull = np.where(given & free, (anchor - v) / scale.all_columns, 0.0)
        y = lu.solve(np.concatenate([pull - J.T @ multipliers, -row * (e.Ct + e.Cq @ v)]))
        v += column * y[:n]
        multipliers += y[n:]
    error = row * (e.Ct + e.Cq @ v)
    size = 1.0 + np.abs(row * e.Ct).max() + np.abs(v / scale.all_columns).max()
    if np.abs(error).max() > 1e-8 * size:
        violations = _violations(system, error / row, rates=True)
        raise AssemblyError(
            f"model '{system.model.name}' has no velocities that satisfy all joints and drives: "
            f"these contradict each other, {_listed(violations, '/s')}; check the rates and drives "
            "that act on the same loop",
            violations=violations,
        )
    return state.with_velocities(v)
