"""Everything of a model in joint coordinates: tree, elements outside the tree, cut joints, room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwork.kernels.memory.records import Floats, Floats2, Floats3, stored
import scipy.linalg

from linkwork.elements.electric.shaft import ROTOR, ROTOR_INERTIA
from linkwork.elements.forces import force_pair as pair
from linkwork.elements.forces.joint_load import JOINT_FORCE, JOINT_TORQUE
from linkwork.elements.forces.torsion_spring import TorsionSpring
from linkwork.elements.joints.lock import LOCK, UA, UB
from linkwork.elements.signals.load_sensors import LoadSensor
from linkwork.elements.signals.measured import Sensor
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.recursive.loops import closing as cl
from linkwork.recursive.loops.blocks import ENDS, IN_A, IN_J, IN_X, find_blocks
from linkwork.recursive.loops.closing import Loops
from linkwork.recursive.loops.entry_points import evaluate_loops
from linkwork.recursive.tree.layout import (
    ABOUT_Z, BASE, BENDING, DOF, HINGE_JOINT, IQ, IV, KIND, NO_TURN, PARENT, ROT, SWING, Tree,
)  # fmt: skip
from linkwork.recursive.loops.loop_jacobian import DERIVATIVE
from linkwork.recursive.sweeps import sensing as se
from linkwork.recursive.sweeps.entry_points import place_tree, sweeps_for
from linkwork.recursive.tree.sensor_table import sensor_table
from linkwork.recursive.tree.tables import make_tree, markers, read_coordinates, world
from linkwork.recursive.tree.topology import Topology, is_part, topology_of
from linkwork.system.sensor_nodes import followed_at_all_times
from linkwork.system.state import State
from linkwork.system.data import Data
from linkwork.system.system import System

SHORT = 1e-6  # of the mechanism's length: arms that are none
RANK = 1e-8  # singular values of the cut joints' rows, against the largest


@stored
class Motion(NamedTuple):
    """Joint coordinates and velocities, and room for the stages of a step."""

    q: Floats
    v: Floats
    a: Floats
    qs: Floats
    vs: Floats
    q0: Floats
    v0: Floats
    a0: Floats
    d: Floats
    tau: Floats
    stiff: Floats
    stages: Floats2  # (8, velocities)
    rates: Floats2  # (8, coordinates)
    work: Floats  # dissipated, supplied; their powers
    counted: Floats  # iterations until the last step but one, and until the last
    total: Floats  # work of a step
    wrench: Floats3  # (stored, bodies of the tree, 6)
    gamma: Floats2  # (stored, rows of cut joints)


@dataclass(frozen=True)
class Settings:
    """How loops are kept closed."""

    correction: int = cl.SEMI_ANALYTIC
    metric: int = cl.MASS
    baumgarte: tuple[float, float] = (0.0, 0.0)
    tolerance: float = 1e-10
    max_iterations: int = 20
    time: float = 1.0  # s: rates of violations over this are compared with the tolerance


PLAIN_SETTINGS = Settings()


def refuse_unknown(system: System) -> None:
    """Elements whose equations are not those of positions, or that read multipliers of joints."""
    for e in system.elements:
        family, item = e.entry.family, system.model[e.owner]
        if isinstance(item, Sensor):
            continue
        why = "holds velocities" if family.velocity else ""
        why = "is loaded by the reactions of a joint" if e.entry.loaded else why
        changes = family.inertial and family is not ROTOR_INERTIA and not is_part(system, e)
        why = "has an inertia that changes" if changes else why
        if why:
            raise ModelError(
                f"lw.Recursive cannot treat {item.label}, which {why}; use lw.GeneralizedAlpha()"
            )


def joint_velocities(topology: Topology, tree: Tree) -> dict[Any, tuple[int, float]]:
    """Which velocity, with which sign, a "torque" about or a "force" along each joint acts on."""
    found: dict[Any, tuple[int, float]] = {}
    for i, step in enumerate(topology.steps):
        motion, edge = step.motion, step.edge
        if edge is None or motion.law is not None or motion.axis != 2 or step.link is not None:
            continue
        first, sign = int(tree.ints[i, IV]), -1.0 if step.turned else 1.0
        if motion.turn == ABOUT_Z:
            found[edge.name, "torque"] = first + len(motion.free), sign
        if motion.turn in (ABOUT_Z, NO_TURN) and motion.free == (2,):
            found[edge.name, "force"] = first, sign
    return found


class Parts:
    """A model's tree, its elements outside the tree (`outer`), and the cut joints' equations."""

    def __init__(
        self, full: Data, state: State, cuts: Sequence[str] = (),
        settings: Settings = PLAIN_SETTINGS, keep: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        system = full.system
        self.full, self.settings = full, settings
        self.sensors = any(isinstance(item, Sensor) for item in system.model.items.values())
        refuse_unknown(system)
        self.topology: Topology = topology_of(system, cuts)
        self.tree, self.sweep, self.coordinates = make_tree(full, self.topology)
        self.place = {step.body: i for i, step in enumerate(self.topology.steps)}
        inside = {i for s in self.topology.steps if s.edge is not None for i in s.edge.elements}
        self.along = joint_velocities(self.topology, self.tree)
        inside |= self._rotors()
        self.outside = [
            i for i, e in enumerate(system.elements)
            if i not in inside and not is_part(system, e)
            and (not isinstance(system.model[e.owner], Sensor)
                 or isinstance(system.model[e.owner], LoadSensor))
        ]  # fmt: skip
        self.driven = [s for s in self.topology.steps if s.motion.law is not None]
        rows = any(system.elements[i].entry.rows for i in self.outside)
        direct = settings.correction == cl.DIRECT
        self.follows_sensors = self.sensors and followed_at_all_times(system)
        self.sweeps = sweeps_for(
            joints=bool((self.tree.ints[:, KIND] != HINGE_JOINT).any()),
            links=bool(system.flexible),
            loops=rows, differentiates=direct, senses=self.follows_sensors,
            swings=len(self._swings()) > 0,
        )  # fmt: skip
        self._choose_rows(state, keep)

    # ------------------------------------------------------------------------------- coordinates
    def own_laws(self, times: np.ndarray) -> np.ndarray:
        """Motion laws of the tree's joints (T, 21 each)."""
        if not self.driven:
            return np.zeros((len(times), 0))
        return np.ascontiguousarray(
            np.hstack([s.motion.laws(np.asarray(times, float), s.turned) for s in self.driven])
        )

    def set_time(self, time: float) -> None:
        self.sweep.laws[:] = self.own_laws(np.array([time])).reshape(-1, 21)
        self.outer.set_time(time)

    def read(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Joint coordinates and velocities of an assembled state."""
        self.sweep.laws[:] = self.own_laws(np.array([state.time])).reshape(-1, 21)
        nq, nv = self.coordinates.nq, self.coordinates.nv
        q = read_coordinates(
            self.topology, state.motion, state.values, self.sweep.laws, nq
        )
        v = np.zeros(nv)
        place_tree(self.sweeps, self.tree, self.sweep, q, v)
        self._read_velocities(state, v)
        return q, v

    def _read_velocities(self, state: State, v: np.ndarray) -> None:
        """Velocities that make the relative twist of every joint, S v = what is left of it."""
        twists, points = self._twists(state)
        ints, at = self.tree.ints, 0
        ground = len(ints)
        parent = ints[:, PARENT]
        u = points - np.vstack([points, np.zeros(3)])[parent]
        known = np.vstack([twists, np.zeros(6)])
        relative = twists - known[parent]
        relative[:, 3:] -= np.cross(known[parent, :3], u)
        for i in range(ground):
            k = int(ints[i, DOF])
            twist = relative[i]
            if ints[i, KIND] == HINGE_JOINT:
                v[at] = self.sweep.sweep[i, [ROT + 2, ROT + 5, ROT + 8]] @ twist[:3]
            elif ints[i, KIND] == BENDING:
                link = self.topology.steps[i].link
                assert link is not None
                v[at : at + k] = link.amplitudes(state.values, 1)
            elif k:
                base = int(ints[i, BASE])
                S = self.sweep.columns[base : base + 8 * k].reshape(k, 8)[:, :6]
                v[at : at + k] = np.linalg.lstsq(S.T, twist - self._law_twist(i), rcond=None)[0]
            at += k

    def _law_twist(self, i: int) -> np.ndarray:
        ints = self.tree.ints[i]
        if self.topology.steps[i].motion.law is None:
            return np.zeros(6)
        k = int(ints[DOF])
        at = int(ints[BASE]) + (16 * k + k * k + k + 7) // 8 * 8
        return self.sweep.columns[at : at + 6].copy()

    def _twists(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Angular velocity and velocity of P (world axes) of all bodies of the tree, and P."""
        n = len(self.topology.steps)
        twists, points = np.zeros((n, 6)), np.zeros((n, 3))
        for i, step in enumerate(self.topology.steps):
            m = state.motion[step.body]
            omega = rotations.matrix(m[3:7]) @ m[10:13]
            _, there = markers(step, step.motion)
            points[i], _ = world(state.motion, step.body, there)
            twists[i, :3] = omega
            twists[i, 3:] = m[7:10] + np.cross(omega, points[i] - m[:3])
        return twists, points

    # ---------------------------------------------------------------------------------- cut joints
    def _choose_rows(self, state: State, keep: np.ndarray | None) -> None:
        """Independent rows of the cut joints in joint space, at an assembled position."""
        full = self.full
        rows = [r for i in self.outside for r in full.system.elements[i].rows]
        chosen = np.ones(len(rows), bool) if keep is None else np.asarray(keep, bool)[rows]
        self.outer = full.system.data(elements=self.outside)
        self._use_rows(rows, chosen)
        if rows and keep is None:
            chosen = self.independent_rows(state)
            if not chosen.all():
                self._use_rows(rows, chosen)
        kept = np.ones(len(full.system.all_rows), bool)
        kept[rows] = chosen
        self.keep = kept
        self.data = full if kept.all() else full.restricted(kept)

    def _use_rows(self, rows: list[int], chosen: np.ndarray) -> None:
        """Equations of the chosen rows of cut joints."""
        keep = np.zeros(len(self.full.system.all_rows), bool)
        keep[rows] = chosen
        self.outer.set_rows(keep)
        self._drive_directly()
        self.loops = self._loops()
        self.cut = 1 if self.loops.gamma.size else None  # None: nothing is compiled for loops

    def _rotors(self) -> set[int]:
        """Put the inertia of rotors into the tree; the numbers of their elements."""
        found = set()
        for i, e in enumerate(self.full.system.elements):
            if e.entry.family is not ROTOR_INERTIA:
                continue
            item = self.full.system.model[e.owner]
            if (item.joint.name, "torque") not in self.along:
                raise ModelError(
                    f"lw.Recursive cannot treat the rotor's inertia of {item.label}, whose joint "
                    f"'{item.joint.name}' is cut or driven; cut another joint (cuts=), or use "
                    "lw.GeneralizedAlpha()"
                )
            velocity, _ = self.along[item.joint.name, "torque"]
            self.tree.rotors[velocity] += e.entry.reals[ROTOR]
            found.add(i)
        return found

    def _drive_directly(self) -> None:
        """Joint loads on joints of the tree act along their velocities, not as wrenches."""
        system = self.full.system
        loads = []
        for e, place in zip(self.outer.part.elements, self.outer.part.places, strict=True):
            kind = {JOINT_TORQUE: "torque", JOINT_FORCE: "force"}.get(e.entry.family)
            key = (system.model[e.owner].joint.name, kind) if kind else None
            if key in self.along and getattr(system.model[e.owner], "axis", None) in (None, "z"):
                velocity, sign = self.along[key]
                loads.append((place.start + pair.FACTOR, velocity, sign))
                first = place.start + pair.FORCE_
                self.outer.tables.reals[first : first + 6] = 0.0
        table = np.array(loads, float).reshape(-1, 3)
        self.sweep = self.sweep._replace(loads=table)

    def independent_rows(self, state: State) -> np.ndarray:
        """Which rows of the cut joints are independent, block by block; lengths over L."""
        q, v = self.read(state)
        self.evaluate(state, q, v)
        L, loops = self.full.system.length, self.loops
        scale = np.array([1.0 if r.is_angle else L for r in self.outer.kept_rows])
        words = [n.rsplit(".", 1)[1] for n in self.coordinates.velocity_names]
        lengths = np.array([L if w in "xyz" else 1.0 for w in words])
        chosen = np.zeros(len(scale), bool)
        for k in range(len(loops.blocks.table) - 1):
            rows, velocities, J = loops.blocks.jacobian(loops.J, k)
            J = J * lengths[velocities] / scale[rows, None]
            _, R, order = scipy.linalg.qr(J.T, mode="economic", pivoting=True)
            size = np.abs(np.diagonal(R))
            rank = int(np.sum(size > RANK * max(size.max(initial=0.0), 1e-300)))
            chosen[rows[order[:rank]]] = True
        return chosen

    def evaluate(self, state: State, q: np.ndarray, v: np.ndarray) -> None:
        """Elements, rows of the cut joints and their Jacobian at given coordinates."""
        self.set_time(state.time)
        o = self.outer
        if state.memory is not None and state.memory.size:
            o.memory = state.memory
        evaluate_loops(
            self.sweeps, o.kernels, o.tables, o.work, self.tree, self.sweep, self.loops, self.cut,
            state.time, q, v, cl.SEMI_ANALYTIC, 1,
        )  # fmt: skip

    def _loops(self) -> Loops:
        o, nv = self.outer, self.coordinates.nv
        ends = self._ends()
        m, n = o.rows, len(self.tree.ints)
        velocity_of = np.full(self.coordinates.nq, -1, np.int64)
        quaternion = np.zeros(self.coordinates.nq, bool)
        for i, _ in self.coordinates.balls:
            quaternion[i : i + 4] = True
        in_balls = np.zeros(nv, bool)
        for _, j in self.coordinates.balls:
            in_balls[j : j + 3] = True
        velocity_of[~quaternion] = np.flatnonzero(~in_balls)
        s, settings = self.settings, np.zeros(cl.SETTINGS)
        settings[cl.CORRECTION], settings[cl.METRIC] = s.correction, s.metric
        settings[cl.ALPHA], settings[cl.BETA] = s.baumgarte
        settings[cl.TOLERANCE], settings[cl.ITERATIONS] = s.tolerance, s.max_iterations
        settings[cl.MEMORY] = cl.SAMPLES if o.system.sample_times else o.part.remembers
        settings[cl.LAWS] = bool(self.driven) or o.part.moving
        settings[cl.TIME] = s.time
        scale = np.ones((2, m))
        scale[1] = np.where([r.is_angle for r in o.kept_rows], 1.0, 1.0 / self._link_length())
        blocks, ends = find_blocks(self.tree.ints, ends, m, nv)
        sizes = blocks.table[-1]
        return Loops(
            ends, np.zeros(sizes[IN_J]), np.zeros(sizes[IN_X]), np.zeros(sizes[IN_A]),
            scale, np.zeros((2, m)), np.zeros(m, np.int64),
            np.zeros(len(blocks.table), np.int64), blocks, np.zeros((2, m)), np.zeros(m),
            np.zeros(DERIVATIVE * (n + 1)), np.zeros((self.full.system.bodies + 1, 6)), settings,
            self.coordinates.balls, self._swings(), velocity_of, np.zeros(cl.REPORT),
            *self._sensors(),
        )  # fmt: skip

    def _link_length(self) -> float:
        """How far joints are from the origins of their bodies, twice: what loops are made of."""
        arms = [
            float(np.linalg.norm(e.entry.reals[first : first + 3]))
            for e in self.full.system.elements if e.entry.family is LOCK
            for first, b in zip((UA, UB), e.ends, strict=True) if b >= 0
        ]  # fmt: skip
        L = self.full.system.length
        some = [arm for arm in arms if arm > SHORT * L]
        return min(L, 2.0 * float(np.median(some))) if some else L

    def _swings(self) -> np.ndarray:
        """Where the coordinates and velocities of swings begin."""
        ints = self.tree.ints
        found = [
            [ints[i, IQ] + len(step.motion.free), ints[i, IV] + len(step.motion.free)]
            for i, step in enumerate(self.topology.steps)
            if step.link is None and step.motion.turn == SWING
        ]  # fmt: skip
        return np.array(found, np.int64).reshape(-1, 2)

    def _sensors(self) -> tuple[np.ndarray, ...]:
        """Sensors that loads follow at all times, and room to find what they show."""
        codes, table = np.zeros((0, se.CODES), np.int64), np.zeros((0, se.COLUMNS))
        if self.follows_sensors:
            codes, table = sensor_table(self.full, self.outer, self.topology)
        n = len(table)
        room = np.zeros((se.H + n, n))
        room[se.H :] = np.eye(n)
        return codes, table, room, np.zeros((len(self.tree.ints), 6))

    def _ends(self) -> np.ndarray:
        """Both ends of every cut joint: rows, place in the tree, block of C_q, root of the loop."""
        o, found = self.outer, []
        pattern, group = o.pattern, o.pattern.moving
        number = 0
        for e in o.part.elements:
            kept = int(sum(o.keep[r] for r in e.rows))
            if not kept:
                continue
            places = [self.place[b] for b in e.ends if b >= 0]
            root = self._common(places) if all(b >= 0 for b in e.ends) else len(self.tree.ints)
            for b, place in zip([b for b in e.ends if b >= 0], places, strict=True):
                found.append([number, kept, place, pattern.block(group, b), root])
            number += kept
            group += 1
        return np.array(found, np.int64).reshape(-1, ENDS)

    def _common(self, places: list[int]) -> int:
        """The body from which the paths to these bodies part (or the ground)."""
        ground = len(self.tree.ints)
        parents = self.tree.ints[:, PARENT]
        while len(set(places)) > 1:  # parents come before their children, the ground is the last
            deepest = max(i for i in places if i != ground)
            places = [int(parents[i]) if i == deepest else i for i in places]
        return places[0]

    # ------------------------------------------------------------------------------------- motion
    def motion(self, stored: int = 0) -> Motion:
        nq, nv = self.coordinates.nq, self.coordinates.nv
        return Motion(
            np.zeros(nq), np.zeros(nv), np.zeros(nv), np.zeros(nq), np.zeros(nv), np.zeros(nq),
            np.zeros(nv), np.zeros(nv), np.zeros(nv), np.zeros(nv), np.zeros(nv),
            np.zeros((8, nv)), np.zeros((8, nq)), np.zeros(4), np.zeros(2), np.zeros(2),
            np.zeros((stored, len(self.tree.ints), 6)), np.zeros((stored, self.outer.rows)),
        )  # fmt: skip

    def stiffness(self) -> np.ndarray:
        """K and D (2, velocities) of amplitudes and of torsion springs about hinges."""
        out = np.zeros((2, self.coordinates.nv))
        hinges = {}
        for i, step in enumerate(self.topology.steps):
            iv = int(self.tree.ints[i, IV])
            if step.is_frame and step.link is not None:
                modal, m = step.link.item.modal, step.link.shapes
                out[:, iv : iv + m] = np.diag(modal.K), np.diag(modal.D)
            elif step.edge is not None and step.motion.turn == ABOUT_Z and not step.motion.free:
                hinges[step.edge.name] = iv
        for item in self.full.system.model.items.values():
            if isinstance(item, TorsionSpring) and item.joint.name in hinges:
                iv = hinges[item.joint.name]
                out[:, iv] += item.stiffness, item.damping
        return out
