"""Results in the layouts of MBDyn's text files.

    .mov   node, position, orientation, velocity, angular velocity [, accelerations]
    .jnt   joint, force and moment in local axes, both in global axes, and what the joint adds
    .frc   force, node, force, point (couples: the couple)          both once more for second nodes
    .ine   node, momentum, moment of momentum about the node, and the rates of both
    .act   beam, force and moment of each section in its axes
    .abs   abstract node, value, derivative            .prm   parameter node, value
    .ele   electric node, value, derivative            .thn   thermal node, value, derivative
    .gen   clamp or distance genel, reaction;  state space or filter, states, their derivatives
    .prs   hydraulic node, pressure            .hyd   hydraulic element (hydraulics/elements.py)
    .aer   aerodynamic elements    .rot   rotors    .air   the air (aero/output.py)
    .out   steps: number, time, step size, iterations, …

One line per entity and stored time, all numbers with `output precision` digits.  Signs and axes of
the reactions of joints are MBDyn's (reactions.py).  Distances and rods give their tension, and
deformable joints their internal force, which is opposite to that on the second node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from linkwork.io.mbdyn.aero.output import aer_lines, air_columns, rot_lines
from linkwork.io.mbdyn.cards.beams import BeamRecord
from linkwork.io.mbdyn.deck.deck import Deck, ForceRecord, JointRecord
from linkwork.io.mbdyn.hydraulics.circuit import pressures
from linkwork.io.mbdyn.output import deformable as deformable_output
from linkwork.io.mbdyn.output.columns import COLUMNS
from linkwork.io.mbdyn.output.decimals import exponential_text
from linkwork.io.mbdyn.output.momenta import changing_momentum
from linkwork.io.mbdyn.output.motion import Motion, angles, node_motion, offset, rotate
from linkwork.io.mbdyn.output.reactions import written
from linkwork.io.mbdyn.scalars.nodes import ScalarNode
from linkwork.io.mbdyn.scalars.results import scalar_values
from linkwork.results.outputs.stored import signal_values
from linkwork.results.result import Result

SCALARS = (
    ("abstract", "abs", 2), ("electric", "ele", 2), ("parameter", "prm", 1), ("thermal", "thn", 2),
)  # fmt: skip


def written_rows(deck: Deck, run: Result) -> np.ndarray:
    """Which stored times are written: every n-th step, or where the output meter is not zero."""
    a = deck.analysis
    if a.meter is not None:
        return np.flatnonzero(a.meter().values(run.time) != 0)
    if a.every == 1:
        return np.arange(len(run))
    return np.flatnonzero(step_numbers(deck, run) % a.every == 0)


def step_numbers(deck: Deck, run: Result) -> np.ndarray:
    """Which step of the run each stored time is the end of."""
    a, h = deck.analysis, float(run.info.get("h") or deck.analysis.step or 0.0)
    if not h or a.change is not None or a.factor is not None:  # all of them are stored
        return np.arange(len(run))
    return np.round((run.time - a.initial_time) / h).astype(int)


def step_sizes(deck: Deck, run: Result) -> np.ndarray:
    """The step that ended at each stored time; none did at the first one of the run."""
    h = float(run.info.get("h") or deck.analysis.step or 0.0)
    known = run.arrays.get("step", np.zeros(0))
    sizes = np.array(known) if len(known) == len(run) else np.full(len(run), h)
    return np.where(step_numbers(deck, run) == 0, 0.0, np.where(sizes > 0, sizes, h))


class Tables:
    """What files are made of: columns of numbers for each node, joint and force."""

    def __init__(self, deck: Deck, run: Result) -> None:
        self.deck, self.run = deck, run
        self.rows = written_rows(deck, run)
        self.numbers, self.sizes = step_numbers(deck, run), step_sizes(deck, run)
        self.time = run.time[self.rows]
        self._motions: dict[int | None, Motion] = {}
        self._momenta: dict[int, tuple[np.ndarray, ...]] = {}
        self._joints: dict[int, tuple[np.ndarray, ...]] = {}
        self._scalars: dict[str, np.ndarray] = {}

    def motion(self, label: int | None) -> Motion:
        if label not in self._motions:
            self._motions[label] = node_motion(self.deck, self.run, label, self.rows)
        return self._motions[label]

    # --------------------------------------------------------------------------------- nodes
    def node(self, label: int) -> np.ndarray:
        node, m = self.deck.nodes[label], self.motion(label)
        turned = angles(m.R, node.orientation or self.deck.analysis.orientation)
        if node.points_only:
            turned = np.zeros((len(self.rows), 3))
        parts = [m.x, turned, m.v, m.w]
        return np.hstack([*parts, m.a, m.p] if node.accelerations else parts)

    def scalar(self, node: ScalarNode) -> np.ndarray:
        """Value and derivative of an abstract or parameter node."""
        if node.name not in self._scalars:
            self._scalars[node.name] = scalar_values(self.run, node)[self.rows]
        return self._scalars[node.name]

    def momentum(self, label: int) -> tuple[np.ndarray, ...]:
        """β, γ about the node, and their rates."""
        if label not in self._momenta:
            self._momenta[label] = self._momentum(label)
        return self._momenta[label]

    def _momentum(self, label: int) -> tuple[np.ndarray, ...]:
        node, m = self.deck.nodes[label], self.motion(label)
        body = node.body
        centre = offset(m, node.centre, np.eye(3))
        b, J = rotate(m.R, node.centre), m.R @ body.inertia @ np.swapaxes(m.R, 1, 2)
        beta, rate = body.mass * centre.v, body.mass * centre.a
        spin = rotate(J, m.w)
        turning = rotate(J, m.p) + np.cross(m.w, spin)
        gamma = spin + np.cross(b, beta)
        moment = turning + np.cross(np.cross(m.w, b), beta) + np.cross(b, rate)
        parts = beta, gamma, rate, moment
        for item in node.variable:
            more = changing_momentum(item, node.centre, self.time, m)
            parts = tuple(x + y for x, y in zip(parts, more))
        return parts

    def beam(self, record: BeamRecord) -> np.ndarray:
        """Force and moment of every section."""
        view = self.run[record.item]
        parts = [view.numbers(name)[self.rows] for name in ("section_force", "section_moment")]
        return np.concatenate(parts, axis=-1).reshape(len(self.rows), -1)

    # -------------------------------------------------------------------------------- joints
    def markers(self, joint: JointRecord) -> tuple[Motion, Motion]:
        first, second = joint.nodes
        ends = (self.motion(first), self.motion(second))
        return (
            offset(ends[0], joint.offsets[0], joint.axes[0]),
            offset(ends[1], joint.offsets[1], joint.axes[1]),
        )

    def reaction(self, joint: JointRecord) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment on the second node about its point, in world axes."""
        if joint.points is not None:
            return self.following(joint)
        force, torque = np.zeros((2, len(self.rows), 3))
        for name in joint.items:
            view = self.run[name]
            if "force_world" in view.names:
                force = force + view.numbers("force_world")[self.rows]
                torque = torque + view.numbers("torque_world")[self.rows]
        if joint.friction:
            view, R = self.run[joint.friction], self.markers(joint)[0].R
            if "force" in view.names:
                force = force + view.numbers("force")[self.rows, None] * R[:, :, 2]
            elif joint.columns.startswith("ball"):
                torque = torque + rotate(R, view.numbers("torque")[self.rows])
            else:
                torque = torque + view.numbers("torque")[self.rows, None] * R[:, :, 2]
        return force, torque

    def following(self, joint: JointRecord) -> tuple[np.ndarray, np.ndarray]:
        """Of a node that follows others: what it does to them, about itself."""
        labels, places, weights = joint.points
        entry = next(e for e in self.run.system.elements if e.owner == joint.items[0])
        gamma = self.run.gamma[self.rows, entry.first_row : entry.first_row + 6]
        m, F, M = self.motion(joint.nodes[1]), *np.zeros((2, len(self.rows), 3))
        for label, o, w in zip(labels, places, weights):
            on = rotate(m.R, -w * (np.cross(o, gamma[:, 3:]) - gamma[:, :3]))
            F, M = F + on, M + np.cross(self.motion(label).x - m.x, on)
        return F, M

    def joint(self, joint: JointRecord) -> tuple[np.ndarray, ...]:
        """f, m in local axes, F, M in global ones, and what the joint adds."""
        if joint.label not in self._joints:
            self._joints[joint.label] = self._joint(joint)
        return self._joints[joint.label]

    def _joint(self, joint: JointRecord) -> tuple[np.ndarray, ...]:
        a, b = self.markers(joint)
        zero = np.zeros((len(self.rows), 3))
        if joint.columns in ("distance", "rod"):
            d = b.x - a.x
            length = np.linalg.norm(d, axis=1)
            u = d / length[:, None]
            if joint.columns == "rod":
                tension = self.run[joint.items[0]].numbers("force")[self.rows]
                rate = np.sum(u * (b.v - a.v), axis=1)
                more = deformable_output.shock_absorber(self, joint, length, rate)
                extra = np.column_stack([length, u, rate, *(values for _, values, *_ in more)])
            else:
                tension = -np.sum(u * self.reaction(joint)[0], axis=1)
                extra = np.column_stack([u, length])
            local = zero.copy()
            local[:, 0] = tension
            return local, zero, tension[:, None] * u, zero, extra
        if joint.columns in deformable_output.COLUMNS:
            return deformable_output.text_columns(self, joint)
        F, M = self.reaction(joint)
        if joint.imposed is not None:  # MBDyn gives what the node does to the joint
            n = a.R[:, :, 0] if joint.columns in ("velocity", "acceleration") else b.R[:, :, 0]
            local = np.stack([np.sum(n * (F + M), axis=1), *zero.T[:2]], axis=1)
            turns = joint.columns.startswith("spin")
            parts = (zero, -local, zero, -M) if turns else (-local, zero, -F, zero)
            return *parts, self.extra(joint, a, b)
        return *written(self, joint, a, b, F, M), self.extra(joint, a, b)

    def extra(self, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
        if joint.columns in COLUMNS:
            return COLUMNS[joint.columns][0](self, joint, a, b)
        return np.zeros((len(self.rows), 0))

    # -------------------------------------------------------------------------------- forces
    def force(self, record: ForceRecord) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Force, moment, and the points where the force acts, in world axes."""
        if record.variant.startswith("abstract"):
            value = signal_values(self.run, record.terms[0][1], self.rows)[:, None]
            return value, value, []
        ends = [self.motion(label) for label in record.nodes]
        values = []
        for terms in (record.terms, record.moments):
            v = sum((signal_values(self.run, d, self.rows)[:, None] * v for v, d in terms),
                    np.zeros((len(self.rows), 3)))  # fmt: skip
            values.append(rotate(ends[0].R, v) if record.follower else v)
        points = [m.x + rotate(m.R, arm) for m, arm in zip(ends, record.arms)]
        return values[0], values[1], points


# ---------------------------------------------------------------------------------- text files


def lines(entries: Iterable[tuple[int, np.ndarray]], precision: int) -> Iterator[bytes]:
    """Lines of all entries at the first time, then at the second, and so on."""
    words, arrays = [], []
    for label, array in entries:
        words.append([f"{label:8d}", *[" "] * array.shape[1]])
        arrays.append(array)
    return rows_of_lines(words, arrays, precision)


def rows_of_lines(
    words: list[list[str]], arrays: list[np.ndarray], precision: int
) -> Iterator[bytes]:
    """For each time a line per array: its first word, then one before each of its numbers."""
    if not arrays:
        return iter(())
    before, text = [], ""
    for first, *others in words:
        text += first
        for word in others:
            before.append((text + word).encode())
            text = ""
        text += "\n"
    return exponential_text(np.hstack(arrays), before, text.encode(), precision)


def force_lines(tables: Tables, precision: int) -> Iterator[bytes]:
    words, arrays = [], []
    for record in tables.deck.forces.values():
        if not record.output:
            continue
        F, M, points = tables.force(record)
        line, parts = [f"{record.label}"], []  # MBDyn pads labels in the other files alone
        for k, label in enumerate(record.nodes):
            sign = 1 if k == 0 else -1
            if record.variant.startswith("abstract"):
                mine = [sign * F]
            elif record.kind == "couple":
                mine = [sign * M]
            else:
                mine = [sign * F, points[k]]
                if record.variant.startswith("total"):
                    mine.append(sign * M)
            line += [f" {label} "] + [" "] * (sum(p.shape[1] for p in mine) - 1)
            parts += mine
        words.append(line)
        arrays.append(np.hstack(parts))
    return rows_of_lines(words, arrays, precision)


def step_lines(tables: Tables) -> Iterable[str]:
    """MBDyn's columns; the residual of its test and the last correction, where the method knows.

    SolConv is 1 where corrections decided that a step has converged.
    """
    run = tables.run
    yield "# linkwork, results in the layout of MBDyn\n"
    yield "# Step Time TStep NIter ResErr SolErr SolConv Out\n"
    known = {word: run.arrays[word] for word in ("iterations", "residual", "correction")
             if len(run.arrays.get(word, ())) == len(run)}  # fmt: skip
    by_correction = int("correction" in known and "residual" not in known)
    rows, none = tables.rows, np.zeros(len(tables.rows))
    columns = [tables.numbers[rows], run.time[rows], tables.sizes[rows]] + [
        np.asarray(known[word], float)[rows] if word in known else none
        for word in ("iterations", "residual", "correction")
    ]
    form = f"Step %d %.9g %g %.0f %.6g %.6g {by_correction} 1\n"
    yield from (form % row for row in zip(*(column.tolist() for column in columns)))


def write_text(tables: Tables, name: str | Path, modes: Iterable[str] = ()) -> list[Path]:
    """name.mov, .jnt, .frc, .ine and .out (with lines of `modes`); returns the paths."""
    deck, digits = tables.deck, tables.deck.analysis.precision
    nodes = [n.label for n in deck.nodes.values() if n.output]
    moving = [n for n in nodes if deck.nodes[n].kind.startswith("dynamic")]
    joints = [j for j in deck.joints.values() if j.written]
    files: dict[str, Iterable[bytes]] = {
        "mov": lines(((n, tables.node(n)) for n in nodes), digits),
        "ine": lines(((n, np.hstack(tables.momentum(n))) for n in moving), digits),
        "jnt": lines(((j.label, np.hstack(tables.joint(j))) for j in joints), digits),
        "frc": force_lines(tables, digits),
        "out": (text.encode() for text in (*step_lines(tables), *modes)),
    }
    wanted = {"mov": nodes, "ine": moving, "jnt": joints, "frc": deck.forces, "out": [1]}
    wanted["act"] = beams = [b for b in deck.beams.values() if b.output]
    files["act"] = lines(((b.label, tables.beam(b)) for b in beams), digits)
    for kind, suffix, columns in SCALARS:
        scalars = [n for (k, _), n in deck.scalars.items() if k == kind and n.output]
        wanted[suffix] = scalars
        files[suffix] = lines(((n.label, tables.scalar(n)[:, :columns]) for n in scalars), digits)
    wanted["gen"] = deck.genels
    found = ((label, columns(tables.run)) for label, columns in deck.genels.items())
    files["gen"] = lines(((label, values[tables.rows]) for label, values in found), digits)
    pressed = [n for n in deck.circuit.nodes.values() if n.output]
    wanted["prs"], wanted["hyd"] = pressed, deck.circuit.columns
    found = ((n.label, pressures(tables.run, n)[tables.rows]) for n in pressed)
    files["prs"] = lines(found, digits)
    found = ((x, make(tables.run)[tables.rows]) for x, make in deck.circuit.columns.items())
    files["hyd"] = lines(found, digits)
    wanted["aer"] = [r for r in deck.aero.surfaces.values() if r.output]
    wanted["rot"] = [r for r in deck.aero.rotors.values() if r.output]
    wanted["air"] = [1] if deck.aero.air_output else []
    files["aer"], files["rot"] = aer_lines(tables, digits), rot_lines(tables, digits)
    files["air"] = lines([(1, air_columns(tables))] if wanted["air"] else [], digits)
    paths = []
    for suffix, text in files.items():
        if wanted[suffix]:
            path = Path(f"{name}.{suffix}")
            with path.open("wb") as file:
                file.writelines(text)
            paths.append(path)
    return paths
