"""Inverse dynamics: the forces of actuators that give a mechanism the motion its drives prescribe.

Passive rows φ(q) = 0, prescribed rows ψ(q, t) = 0 (the driven ones), J = [φ_q; ψ_q]; actuators act
along directions ϑ_q, the turn or travel of joints, or the rows of joints that push instead of
holding.  At every time, in turn,

    position      C = 0;            where J leaves q free, nearest to the last position and to a
                                    posture: least ½ w |q − q₋|²_M + ½ p |q − q₀|²_M
    velocity      J v = −C_t;       else nearest to the rate of the positions found (overactuated),
                                    or to the last velocity and to rest (underactuated)
    acceleration  J v̇ = Q_c;        else nearest to the rate of the velocities (overactuated), or
                                    by the equations of motion (underactuated)
    forces        [φ_q; ϑ_q]ᵀ (λ, c) = f − f_g − M v̇

with |·|_M the norm of the mass matrix (MBDyn's manual, 6.3, equations 6.36 to 6.53) or of another
one, and rates by central differences over the steps:

    problem                         free degrees   actuators
    fully actuated, collocated      0              the driven joints themselves
    fully actuated, non-collocated  0              others, as many as the passive freedom
    underactuated, collocated       some           the driven joints themselves
    overactuated                    some           as many as the passive freedom
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.actuators import Actuators
from linkwork.analysis.contacts_at_start import refuse_hard
from linkwork.analysis.driven.mechanism import Driven
from linkwork.analysis.motion.ending import interruptible
from linkwork.analysis.progress import Progress
from linkwork.analysis.scales import column_scale
from linkwork.elements.joints.joints import Lock
from linkwork.errors import ConvergenceError, LinkworkWarning, ModelError, users_line
from linkwork.integrators.blocked import COMPARE, blocked_motion
from linkwork.kernels import rotations
from linkwork.model import checks, html
from linkwork.model.model import Model
from linkwork.results.result import Result
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.initial_conditions.consistent_start import Start, consistent_start
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

if TYPE_CHECKING:
    import xarray as xr

ITERATIONS = 50
UNDER = "underactuated, collocated"


@dataclass(frozen=True, repr=False)
class InverseDynamics:
    """The motion, the forces it needs, and which problem it was.

    inv["elbow"] is the force (N) or torque (N m) of an actuator on its second body over time;
    inv.forces all of them; inv.run the motion as a Result; inv.problem the kind in words.
    """

    run: Result
    problem: str
    names: tuple[str, ...]
    values: np.ndarray  # (T, actuators)
    units: tuple[str, ...]

    @property
    def time(self) -> np.ndarray:
        return np.asarray(self.run.time)

    def __getitem__(self, name: str) -> xr.DataArray:
        if name not in self.names:
            raise ModelError(
                f"there is no actuator named {checks.show(name)}; there are "
                f"{', '.join(self.names)}"
            )
        k = self.names.index(name)
        words = "torque" if self.units[k] == "N m" else "force"
        return self.run.data_array(name, self.values[:, k], "", self.units[k], f"{name}: {words}")

    def __repr__(self) -> str:
        head, rows = self.summary_rows()
        lines = [self._title()]
        widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
        for row in [head, *rows]:
            cells = [f"{x:{'<' if k < 2 else '>'}{widths[k]}}" for k, x in enumerate(row)]
            lines.append("  " + "  ".join(cells))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html.title(self._title()) + html.table(*self.summary_rows())

    def _title(self) -> str:
        name, t = self.run.info["model"], self.time
        return (
            f"Inverse dynamics of '{name}': {self.problem}, {t[0]:g} … {t[-1]:g} s, "
            f"{len(t)} stored"
        )

    def summary_rows(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Least, greatest and root mean square of every actuator."""
        head = ("actuator", "unit", "at the start", "at the end", "least", "greatest", "rms")
        found = []
        for name, unit, x in zip(self.names, self.units, self.values.T, strict=True):
            numbers = [x[0], x[-1], x.min(), x.max(), np.sqrt(np.mean(x**2))]
            found.append((name, unit, *(f"{y:.5g}" for y in numbers)))
        return head, found

    @property
    def forces(self) -> xr.Dataset:
        """All actuators in one Dataset."""
        import xarray as xr

        return xr.Dataset({name: self[name] for name in self.names})


@interruptible
def inverse(
    model: Model, t: float, h: float, *, actuators: Sequence[str] | None = None,
    pushing: Sequence[str] = (), follow: float = 1.0, posture: float = 0.0, begin: float = 0.0,
    progress: bool | str = True,
) -> InverseDynamics:  # fmt: skip
    """Forces and torques of actuators for the motion that the model's drives prescribe.

    t, h      : end time and step of output; positions and forces have no integration error where
                the drives leave no freedom
    actuators : names of joints whose turn or travel carries the forces; without them the driven
                joints do.  As many are needed as the mechanism has degrees of freedom without
                its drives; more are refused.  A Lock that leads a body should have driven rows
                alone: others carry loads as a guide does, which is warned of, with and without
                actuators.
    pushing   : joints that do not hold their rows but push along them, instead of `actuators`
    begin     : the first time;   progress : show how far it is when it takes over a second
    follow, posture : where the drives leave freedom, weights w and p of staying near the last
                position and near the described one; velocities and accelerations are the rates of
                what is found, with an error of h²

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> arm = m.add("arm", lw.Body(2, (0, 0, 0), position=(1, 0, 0)))
    >>> motor = m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, -1, 0), angle=lw.ramp(0)))
    >>> inv = lw.inverse(m, t=1, h=0.5)
    >>> round(float(inv["motor"][0]), 6), inv.problem
    (19.62, 'fully actuated, collocated')
    """
    follow = checks.number(follow, "follow of inverse", minimum=0)
    posture = checks.number(posture, "posture of inverse", minimum=0)
    if follow + posture == 0:
        raise ModelError(
            "follow and posture of inverse are both 0, so that nothing chooses among the positions "
            "that the drives leave; give one of them, follow=1"
        )
    near = Nearness(follow, posture)
    found = inverse_near(model, t, h, near, actuators, pushing, begin, progress)
    if found.problem == UNDER:
        warnings.warn(
            f"the drives of model '{model.name}' leave it freedom, in which lw.inverse takes the "
            "position nearest to the last one at every time, and accelerations from the equations "
            "of motion there: what is written is not one motion; for the motion itself take "
            "lw.transient, whose driven joints have their forces", LinkworkWarning,
            stacklevel=users_line(),
        )  # fmt: skip
    return found


Metric = Callable[[State, int], np.ndarray]


@dataclass(frozen=True)
class Nearness:
    """What a motion with freedom stays near: weights of the last position and the described one.

    metric : of increments (six per body, world axes and body axes) at a state, for positions (0),
             velocities (1) and accelerations (2); the mass matrix where there is none
    """

    follow: float = 1.0
    posture: float = 0.0
    metric: Metric | None = None


def inverse_near(
    model: Model, t: float, h: float, near: Nearness, actuators: Sequence[str] | None,
    pushing: Sequence[str], begin: float, progress: bool | str,
) -> InverseDynamics:  # fmt: skip
    """What `inverse` does."""
    begin = checks.number(begin, "begin of inverse")
    t = checks.number(t, "t, the end time,")
    h = checks.number(h, "h, the step,", positive=True)
    checks.steps(t, h, begin)
    full = compile_model(model).data()
    full.system.refuse_velocity_rows("lw.inverse")
    refuse_hard(full.system, "lw.inverse")
    full.system.refuse_nodes("lw.inverse")
    loose = loose_rows(full.system, actuators, pushing)
    holding = full.restricted(~loose) if loose.any() else full
    start = consistent_start(full, time=begin, loose=tuple(pushing), warn=False)
    state = start.state
    driven = driven_rows(full.system) & ~loose
    if not driven.any():
        raise ModelError(
            f"model '{model.name}' prescribes no motion; drive a joint, for example with lw.Motor"
        )
    free = full.system.layout.rigid - rank(holding, state)
    acting = Actuators(full, actuators, driven, loose)
    warn_of_guides(full, state, acting, named=actuators is not None)
    refuse_surplus(full, state, acting)
    if acting.loaded:
        acting.share(state)
    kinds = {(False, False): "fully actuated, collocated",
             (False, True): "fully actuated, non-collocated",
             (True, False): UNDER, (True, True): "overactuated"}  # fmt: skip
    problem = kinds[free > 0, actuators is not None or bool(loose.any())]
    march = March(holding, state, near, dynamic=problem.startswith("under"))
    steps = max(1, round((t - begin) / h))
    found = None
    if not (free or loose.any() or acting.loaded):
        found = driven_motion(start, acting, t, (t - begin) / steps, progress)
    if found is None:
        found = marched(march, acting, state, np.linspace(begin, t, steps + 1), progress)
    time, motion, acceleration, values, gamma = found
    info = {"method": f"inverse dynamics, {problem}", "h": (t - begin) / steps}
    run = Result(full.system, time, motion, acceleration, gamma, info=info)
    return InverseDynamics(run, problem, acting.names, values, acting.units)


def refuse_surplus(full: Data, state: State, acting: Actuators) -> None:
    """More actuators than the mechanism has freedoms without its drives: forces are not unique."""
    system = full.system
    passive = full.restricted(acting.passive)
    freedom = system.layout.rigid - rank(passive, state)
    if len(acting.names) > freedom:
        raise ModelError(
            f"inverse has {len(acting.names)} actuators ({', '.join(acting.names)}) for "
            f"{freedom} {'degree' if freedom == 1 else 'degrees'} of freedom of model "
            f"'{system.model.name}' without its drives, so that their forces are not unique; name "
            f"{freedom} of them"
        )


def warn_of_guides(full: Data, state: State, acting: Actuators, named: bool) -> None:
    """A wanted motion by a Lock whose rows are driven in part: the others carry loads as a guide.

    It is one where other joints connect its bodies already, else the Lock is a joint of its own,
    and where its other rows take freedom from the mechanism: rows that nothing loads guide nothing.
    """
    system = full.system
    for name, item in system.model.items.items():
        if type(item) is not Lock:
            continue
        mine = [row for row in system.all_rows if row.owner == name]
        held = [row.name for row in mine if not row.driven]
        led = [row.name for row in mine if row.driven]
        if not (led and held and connected_otherwise(system, name)):
            continue
        own = np.array([row.owner == name for row in system.all_rows], bool)
        guiding = acting.passive | (own & ~driven_rows(system))
        if rank(full.restricted(guiding), state) == rank(full.restricted(guiding & ~own), state):
            continue
        remedy = "leave those rows out, or drive them too where their motion is wanted"
        if not named:
            remedy = (
                "drive those rows too where actuators are to carry them, leave them out, or use a "
                "joint such as lw.Motor where it is a joint of the mechanism"
            )
        warnings.warn(
            f"{item.label} prescribes {', '.join(led)} and also holds {', '.join(held)}, which "
            f"carry loads as a guide would, so that the actuators do not; {remedy}",
            LinkworkWarning, stacklevel=5,
        )  # fmt: skip


def driven_rows(system: System) -> np.ndarray:
    """Which rows a motion law drives."""
    return np.array([row.driven for row in system.all_rows], bool)


def connected_otherwise(system: System, name: str) -> bool:
    """Whether other joints connect the two bodies of a joint."""
    parent = list(range(system.bodies + 1))  # the ground is the last

    def root(b: int) -> int:
        while parent[b] != b:
            b = parent[b]
        return b

    ends = None
    for e in system.elements:
        if e.owner == name:
            ends = e.ends
        elif e.entry.rows:
            first, *rest = (root(b if b >= 0 else system.bodies) for b in e.ends)
            for b in rest:
                parent[root(b)] = root(first)
    assert ends is not None
    a, b = (root(x if x >= 0 else system.bodies) for x in ends[:2])
    return a == b


def driven_motion(
    start: Start, acting: Actuators, t: float, h: float, progress: bool | str
) -> tuple[np.ndarray, ...] | None:
    """As `marched`, where the drives leave no freedom; none if it passes singular positions."""
    try:
        run = Driven(start.full, start.redundancy, start.data, start.state, h, 1)
        result = run.go(t, bool(progress))
    except ConvergenceError:
        return None
    return result.time, result.motion, result.acceleration, *acting.over(result)


def marched(
    march: March, acting: Actuators, state: State, times: np.ndarray, progress: bool | str
) -> tuple[np.ndarray, ...]:
    """Times, motion, accelerations, forces and multipliers, from one time to the next."""
    laws = march.full.schedule(times)
    with Progress(march.full.system.model.name, times[0], times[-1], progress) as bar:
        states = (march.stepped if march.dynamic else march.led)(state, times, laws, bar)
    values, gamma = (np.array(each) for each in zip(*map(acting.forces, states)))
    motion, acceleration = (
        np.array([getattr(each, name) for each in states]) for name in ("motion", "acceleration")
    )
    return times, motion, acceleration, values, gamma


def loose_rows(
    system: System, actuators: Sequence[str] | None, pushing: Sequence[str]
) -> np.ndarray:
    """The rows of joints that push instead of holding."""
    if pushing and actuators is not None:
        raise ModelError("inverse takes actuators= or pushing=, not both")
    owners = {row.owner for row in system.all_rows}
    for name in pushing:
        if name not in owners:
            raise ModelError(f"pushing of inverse must name joints; {checks.show(name)} is none")
    return np.array([row.owner in pushing for row in system.all_rows], bool)


def rank(data: Data, state: State) -> int:
    """How many of the rows are independent, lengths over L."""
    e = data.evaluate(replace(state, gamma=None, acceleration=None))
    scaled = row_scale(data.kept_rows, data.system.length)[:, None] * e.Cq.toarray()
    scaled = scaled * column_scale(data.system)
    return int(np.linalg.matrix_rank(scaled, tol=1e-8)) if scaled.size else 0


@dataclass
class March:
    """Position, velocity and acceleration at one time after the other."""

    full: Data
    rest: State
    near: Nearness
    dynamic: bool

    def __post_init__(self) -> None:
        system = self.full.system
        if system.flexible:
            raise ModelError(
                f"lw.inverse does not know {system.flexible[0].item.label}; replace flexible "
                "links by rigid bodies"
            )
        for e in system.elements:
            if self.dynamic and e.entry.reads:
                raise ModelError(
                    f"lw.inverse cannot treat {system.model[e.owner].label} in a model that is "
                    "not driven in all its freedom: accelerations and the reactions that load it "
                    "depend on each other; drive the rest, or use lw.transient"
                )
            if e.entry.family.inertial:
                raise ModelError(
                    f"lw.inverse does not know {system.model[e.owner].label}; give the body a "
                    "constant mass"
                )
        self.W = regular(self.full.mass_matrix(self.rest).toarray())
        self.unroot = np.linalg.inv(np.linalg.cholesky(self.W))

    def led(self, state: State, times: np.ndarray, laws: np.ndarray, bar: Progress) -> list[State]:
        """Positions, then velocities as their rates, then accelerations as the rates of those."""
        first = replace(state, time=float(times[0]), gamma=None, acceleration=None)
        found, h = [first], times[1] - times[0]
        for k, time in enumerate(times[1:].tolist(), start=1):
            way = difference(found[-1], found[-2]) if k > 1 else h * first.velocities.ravel()
            guess = replace(found[-1].moved(way), time=time)
            found.append(self.full.remember(self.position(found[-1], guess, laws[k])))
            bar.update(time, k)
        memory, velocities = first.memory, rates_of_way(found, h)
        for k, each in enumerate(found):
            e = self.full.evaluate(each, rates=True, laws=laws[k])
            velocities[k] = self.nearest(e.Cq.toarray(), velocities[k], -e.Ct, each, 1)
            moving = replace(each.with_velocities(velocities[k]), memory=memory)
            found[k] = self.full.remember(moving)
            memory = found[k].memory
        slopes = np.gradient(velocities, h, axis=0, edge_order=2 if len(found) > 2 else 1)
        for k, each in enumerate(found):
            e = self.full.evaluate(each, rates=True, laws=laws[k])
            a = self.nearest(e.Cq.toarray(), slopes[k], e.Qc, each, 2)
            found[k] = replace(each, acceleration=a.reshape(-1, 6))
        return found

    def stepped(
        self, state: State, times: np.ndarray, laws: np.ndarray, bar: Progress
    ) -> list[State]:
        """Where accelerations are those of the equations of motion: from one time to the next."""
        found = []
        for k, time in enumerate(times.tolist()):
            state = self.at(state, time, laws[k], first=k == 0)
            found.append(state)
            bar.update(time, k)
        return found

    def at(self, last: State, time: float, laws: np.ndarray, first: bool) -> State:
        v, a = last.velocities.ravel(), last.acceleration
        before = np.zeros(len(v)) if a is None else a.ravel()
        h = time - last.time
        state = replace(last, time=time, gamma=None, acceleration=None)
        if not first:
            state = self.position(last, state.moved(h * v + 0.5 * h * h * before), laws)
        e = self.full.evaluate(state, rates=True, laws=laws)
        J = e.Cq.toarray()
        w, p = self.near.follow, self.near.posture
        v = self.nearest(J, v if first else w / (w + p) * v, -e.Ct, state, 1)
        state = state.with_velocities(v)
        e = self.full.evaluate(state, rates=True, laws=laws)
        a = lstsq_near(J, -np.linalg.solve(self.W, e.f.ravel()), e.Qc, self.unroot)
        return replace(self.full.remember(state), acceleration=a.reshape(-1, 6))

    def position(self, last: State, state: State, laws: np.ndarray) -> State:
        """Newton's method on C = 0, nearest to the last position and the posture."""
        system = self.full.system
        w, p = self.near.follow, self.near.posture
        for _ in range(ITERATIONS):
            e = self.full.evaluate(state, laws=laws)
            J = e.Cq.toarray()
            pull = (w * difference(state, last) + p * difference(state, self.rest)) / (w + p)
            step = self.nearest(J, -pull, -e.C, last, 0)
            state = state.moved(step)
            if np.abs(step / column_scale(system)).max() < 1e-12:
                return state
        cause = "the prescribed motion may be out of reach there"
        if blocked := blocked_motion(self.full):
            cause = f"{blocked}: {COMPARE}"
        raise ConvergenceError(
            f"inverse found no position of '{system.model.name}' at t = {state.time:g}; {cause}"
        )

    def nearest(
        self, J: np.ndarray, x: np.ndarray, right: np.ndarray, at: State, level: int
    ) -> np.ndarray:
        """y with J y = right, nearest to x: positions (level 0), velocities, accelerations."""
        if self.near.metric is None:
            return lstsq_near(J, x, right, self.unroot)
        root = np.linalg.cholesky(regular(self.near.metric(at, level)))
        return lstsq_near(J, x, right, np.linalg.inv(root))


def lstsq_near(
    J: np.ndarray, x: np.ndarray, right: np.ndarray, unroot: np.ndarray
) -> np.ndarray:
    """y with J y = right, nearest to x in the norm of W, W⁻¹ = unrootᵀ unroot; rows of J may be
    dependent."""
    correction, *_ = np.linalg.lstsq(J @ unroot.T, right - J @ x, rcond=1e-11)
    return np.asarray(x + unroot.T @ correction)


def regular(W: np.ndarray) -> np.ndarray:
    """W, also where a body has no inertia."""
    scale = np.trace(W) / len(W)
    if np.linalg.eigvalsh(W)[0] < 1e-12 * scale:
        return W + 1e-9 * scale * np.eye(len(W))
    return W


def rates_of_way(states: list[State], h: float) -> np.ndarray:
    """Velocities (T, 6 n) from positions: half-way between the increments around each time, at
    both ends the line through the nearest two."""
    ways = np.array([difference(b, a) for a, b in zip(states, states[1:])]) / h
    if len(ways) == 1:
        return np.repeat(ways, 2, axis=0)
    ends = 1.5 * ways[[0, -1]] - 0.5 * ways[[1, -2]]
    return np.concatenate([ends[:1], (ways[1:] + ways[:-1]) / 2, ends[1:]])


def difference(state: State, other: State) -> np.ndarray:
    """(δr, θ) from the other position to this one, θ in body axes."""
    turn = rotations.multiply(rotations.conjugate(other.orientations), state.orientations)
    return np.concatenate(
        [state.positions - other.positions, rotations.logarithm(turn)], axis=1
    ).ravel()
