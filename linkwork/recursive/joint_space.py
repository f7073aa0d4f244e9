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
    newton_euler,
    place_bodies,
    place_tree,
)
from linkwork.recursive.stepping.runs import TreeRun
from linkwork.recursive.tree.parts import Parts, Settings
from linkwork.recursive.tree.topology import Topology
from linkwork.system.state import State
from linkwork.system.data import Data
from linkwork.system.evaluate import Rows

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

    def _run(self, q: np.ndarray, v: np.ndarray, **arrays: np.ndarray) -> TreeRun:
        run = self.parts.run_at(q, v)
        return run._replace(motion=run.motion._replace(**arrays))

    def forward(self, q: Any, v: Any = None, t: float = 0.0, forces: Any = None) -> np.ndarray:
        """Joint accelerations v̇, loops closed; `forces` act along the velocities."""
        q, v = self._place(q, v, t)
        p, out = self.parts, np.zeros(len(v))
        run = self._run(q, v, tau=self._vector(forces, len(v), "forces"), a=out)
        many_forwards[p.closed](p.outer.equations, run, float(t), 1)
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
        inverse(p.outer.equations, self._run(q, v, a=a, tau=tau), float(t))
        return tau

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M(q), by the forces that unit accelerations need at rest and without weight."""
        q, v = self._place(q, None, 0.0)
        p, n = self.parts, len(v)
        p.sweep.laws[:, 7:] = 0.0
        light = p.mechanism._replace(tree=p.tree._replace(gravity=np.zeros(3)))

        def forces(a: np.ndarray) -> np.ndarray:
            run = self._run(q, v, a=a, tau=np.zeros(n))._replace(mechanism=light)
            place_tree(run)
            newton_euler(run)
            return run.motion.tau

        M = np.array([forces(unit) for unit in np.eye(n)]).reshape(n, n)
        M -= forces(np.zeros(n))  # of flexible links: K q
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
        evaluate_loops(p.outer.equations, self._run(q, v), float(t), how, count)

    def state(self, q: Any, v: Any = None, t: float = 0.0) -> State:
        """Positions and velocities of all bodies, to go on from with any analysis."""
        q, v = self._place(q, v, t)
        p = self.parts
        run = self._run(q, v)
        place_tree(run)
        nodes, values = p.outer.work.nodes, np.zeros((3, p.full.system.layout.values))
        place_bodies(p.outer.equations, run, Rows(values))
        system = p.full.system
        return State(t, system.names, nodes[: system.bodies, :13].copy(), values=values)

    # -------------------------------------------------------------------------------------- timing
    def time_forward(self, repeats: int) -> float:
        """CPU seconds of one evaluation of `forward` in a compiled loop, at the start."""
        p = self.parts
        p.set_time(self.start.time)
        start = p.run_at(self.q, self.v)
        return timed(
            lambda count: many_forwards[p.closed](
                p.outer.equations, start, self.start.time, count
            ),
            repeats,
        )  # fmt: skip

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
