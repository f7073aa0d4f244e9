"""JointSpace: the equations of motion in joint coordinates as functions to call.

    M(q) v̇ + bias(q, v, t) + c_qᵀ γ = τ,      c(q, t) = 0
"""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.errors import ModelError, SingularError
from linkwork.model import checks
from linkwork.recursive.loops import closing as cl
from linkwork.recursive.loops.entry_points import (
    inverse,
    evaluate_loops,
    many_forwards,
    place_bodies,
)
from linkwork.recursive.inverse import newton_euler
from linkwork.recursive.sweeps.entry_points import place_tree
from linkwork.recursive.tree.parts import Parts, Settings
from linkwork.recursive.tree.topology import Topology
from linkwork.system.state import State
from linkwork.system.data import Data

WAYS = {"semi-analytic": cl.SEMI_ANALYTIC, "direct": cl.DIRECT}


class JointSpace:
    """A model in joint coordinates q and velocities v.

    q, v           : at the assembled start;   names, velocity_names : what they are
    topology       : tree and cut joints

    Unit quaternions of balls and free bodies are four of the q and three of the v (angular velocity
    in the moving axes).  Motion laws take their values at the time t that is given.
    """

    def __init__(self, full: Data, state: State, cuts: Sequence[str] = ()) -> None:
        full.system.refuse_nodes("lw.joint_space")
        self.parts = Parts(full, state, cuts, Settings(correction=cl.DIRECT))
        self.start = state
        self.q, self.v = self.parts.read(state)
        self._room = self.parts.motion()

    @property
    def topology(self) -> Topology:
        return self.parts.topology

    @property
    def names(self) -> tuple[str, ...]:
        return self.parts.coordinates.names

    @property
    def velocity_names(self) -> tuple[str, ...]:
        return self.parts.coordinates.velocity_names

    @property
    def row_names(self) -> tuple[str, ...]:
        """Of the rows of the cut joints, in the order of `jacobian`."""
        return tuple(f"{r.owner}.{r.name}" for r in self.parts.outer.kept_rows)

    def __repr__(self) -> str:
        model = self.parts.full.system.model.name
        return f"JointSpace('{model}', {len(self.v)} velocities, {len(self.row_names)} loop rows)"

    def _vector(self, values: Any, length: int, what: str) -> np.ndarray:
        if values is None:
            return np.zeros(length)
        out = np.ascontiguousarray(checks.vector(values, what, length=length))
        return out

    def _place(self, q: Any, v: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
        q = self._vector(q, len(self.q), "q, the joint coordinates,")
        v = self._vector(v, len(self.v), "v, the joint velocities,")
        for i, _ in self.parts.coordinates.balls:
            if abs(np.linalg.norm(q[i : i + 4]) - 1) > 1e-6:
                raise ModelError(
                    f"{self.names[i]} and the three coordinates behind it must be a unit "
                    f"quaternion, but {q[i : i + 4]} was given"
                )
        self.parts.set_time(checks.number(t, "t, the time,"))
        return q, v

    def forward(self, q: Any, v: Any = None, t: float = 0.0, forces: Any = None) -> np.ndarray:
        """Joint accelerations v̇, loops closed; `forces` act along the velocities."""
        q, v = self._place(q, v, t)
        p = self.parts
        o, out = p.outer, np.zeros(len(v))
        tau = self._vector(forces, len(v), "forces")
        many_forwards(
            p.sweeps, o.kernels, o.tables, o.work, p.tree, p.sweep, p.loops, p.cut,
            t, q, v, tau, self._room.stiff,
            out, 1,
        )  # fmt: skip
        if not np.all(np.isfinite(out)):
            raise SingularError(
                f"model '{p.full.system.model.name}' has no finite accelerations at "
                "this q: something "
                "without mass can move, or an amplitude of a flexible link turns a section by more "
                "than half a turn"
            )
        return out

    def inverse(self, q: Any, v: Any, a: Any, t: float = 0.0) -> np.ndarray:
        """Forces along the velocities that give the accelerations a, cut joints open."""
        q, v = self._place(q, v, t)
        a = self._vector(a, len(v), "a, the joint accelerations,")
        p, tau = self.parts, np.zeros(len(v))
        o = p.outer
        inverse(
            p.sweeps, o.kernels, o.tables, o.work, p.tree, p.sweep, p.loops, p.cut, t, q, v, a, tau
        )
        return tau

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M(q), by the forces that unit accelerations need at rest and without weight."""
        q, v = self._place(q, None, 0.0)
        p, n = self.parts, len(v)
        M, none = np.zeros((n, n)), np.zeros(3)
        p.sweep.laws[:, 7:] = 0.0
        for row, unit in enumerate(np.eye(n)):
            place_tree(p.sweeps, p.tree, p.sweep, q, v)
            newton_euler(p.tree, p.sweep, unit, none, M[row])
        bias = np.zeros(n)  # of flexible links: K q
        place_tree(p.sweeps, p.tree, p.sweep, q, v)
        newton_euler(p.tree, p.sweep, np.zeros(n), none, bias)
        M -= bias
        return 0.5 * (M + M.T)

    def jacobian(self, q: Any, how: str = "semi-analytic", t: float = 0.0) -> np.ndarray:
        """c_q of the cut joints' independent rows, "semi-analytic" or "direct"ly differentiated."""
        if how not in WAYS:
            raise ModelError(
                f"how must be 'semi-analytic' or 'direct', but "
                f"{checks.show(how)} was given"
            )
        self._look(q, t, WAYS[how], 1)
        return self.parts.loops.blocks.dense(self.parts.loops.J)

    def violation(self, q: Any, t: float = 0.0) -> np.ndarray:
        """c(q, t) of the cut joints' independent rows."""
        self._look(q, t, cl.SEMI_ANALYTIC, 0)
        return self.parts.outer.work.C[: self.parts.outer.rows].copy()

    def _look(self, q: Any, t: float, how: int, count: int) -> None:
        q, v = self._place(q, None, t)
        p = self.parts
        o = p.outer
        evaluate_loops(
            p.sweeps, o.kernels, o.tables, o.work, p.tree, p.sweep, p.loops, p.cut,
            t, q, v, how, count,
        )  # fmt: skip

    def state(self, q: Any, v: Any = None, t: float = 0.0) -> State:
        """Positions and velocities of all bodies, to go on from with any analysis."""
        q, v = self._place(q, v, t)
        p = self.parts
        place_tree(p.sweeps, p.tree, p.sweep, q, v)
        nodes, values = p.outer.work.nodes, np.zeros((3, p.full.system.layout.values))
        place_bodies(p.tree, p.sweep, nodes, values, q, v, np.zeros_like(v))
        system = p.full.system
        return State(t, system.names, nodes[: system.bodies, :13].copy(), values=values)

    # -------------------------------------------------------------------------------------- timing
    def time_forward(self, repeats: int) -> float:
        """CPU seconds of one evaluation of `forward` in a compiled loop, at the start."""
        p, m = self.parts, self._room
        o = p.outer
        p.set_time(self.start.time)

        def run(count: int) -> None:
            many_forwards(
                p.sweeps, o.kernels, o.tables, o.work, p.tree, p.sweep, p.loops, p.cut,
                self.start.time, self.q,
                self.v, m.tau, m.stiff, m.a, count,
            )  # fmt: skip

        return timed(run, repeats)

    def time_jacobian(self, how: str, repeats: int) -> float:
        """CPU seconds of one Jacobian of the cut joints in a compiled loop, at the start."""
        return timed(
            lambda count: self._look(self.q, self.start.time, WAYS[how], count), repeats
        )


def timed(run: Any, repeats: int) -> float:
    run(1)
    begin = clock.process_time()
    run(repeats)
    return (clock.process_time() - begin) / repeats
