"""The search for r = 0 on C = 0: Newton's method, full steps, load steps, then relaxation.

Newton steps δ are taken with |θ| ≤ 0.7, then back to C = 0, and halved until |r| falls.  This finds
the equilibrium nearest in its sense, stable or not.  Where it fails or is slow:

1. full steps, which may make |r| larger for a while (full_steps.py); what they find must be stable
   where forces are conservative, or else the others are tried first;
2. load steps: the unbalanced force r₀ of the start is held by a dead load and let go in steps,
   r(λ) = r − (1 − λ) r₀, so that a load on an unloaded structure grows from nothing;
3. relaxation: [[K + μM̂, C_qᵀ], [C_q, 0]] with M̂ the regularised mass matrix, steps of implicit
   Euler on damped motion; μ falls while the forces do the work expected of them and rises where
   they do not, so that it goes downhill and ends in a stable equilibrium.

Friction has the load that the search is told, and sensors show the reactions that it is told;
equilibrium and reactions are found by turns until they agree (initial_conditions.agreement).
"""

from __future__ import annotations

import sys
import time as clock
from dataclasses import replace

import numpy as np

from linkwork.analysis.statics.balance import LOOSE, ROUND_OFF, TURN, Balance, Lost, Point
from linkwork.analysis.statics.full_steps import full_steps
from linkwork.analysis.statics.stability import Stability, stability
from linkwork.elements.joints.joints import ROW_NAMES
from linkwork.errors import ConvergenceError, LinkworkError, ModelError, SingularError
from linkwork.linear_algebra import SingularMatrix
from linkwork.system.data import Data
from linkwork.system.initial_conditions.agreement import agreement
from linkwork.system.state import State

NEWTON, FULL = "newton", "newton in full steps"
SLOW = 4  # steps that hardly reduce the unbalanced force before others are tried


class ProgressLog:
    """A line now and then about a search that takes longer than a second."""

    def __init__(self, title: str, shown: bool) -> None:
        self.title, self.shown, self.next = title, shown, clock.perf_counter() + 1.0

    def say(self, method: str, iteration: int, residual: float) -> None:
        self.tell(f"{method}, iteration {iteration}, largest unbalanced force {residual:.2g} N")

    def tell(self, words: str) -> None:
        if self.shown and clock.perf_counter() > self.next:
            self.next = clock.perf_counter() + 2.0
            print(f"{self.title}: {words}", file=sys.stderr, flush=True)


class Search(Balance):
    """One search with a fixed choice of independent rows; see the equations above."""

    def __init__(
        self, full: Data, data: Data, tolerance: float, max_iterations: int,
        constraint_stiffness: bool, line_search: bool, talk: ProgressLog,
    ) -> None:  # fmt: skip
        super().__init__(data, tolerance, constraint_stiffness)
        self.full, self.talk = full, talk
        self.max_iterations, self.line_search = max_iterations, line_search
        self.iterations = 0
        self.method = NEWTON
        self.judged: tuple[Point, Stability] | None = None

    def find(self, state: State, loads: int) -> Point:
        """An equilibrium, in which friction and sensors have the reactions that belong to it."""
        state = self.friction.begin(state)
        self.measure_nodes(state)
        start = self.begin(state)
        if not (self.friction.loaded or self.senses_reactions):
            return self.find_from(start, loads)
        found = [start]
        first = self.loads_of_holding(start)

        def under(scaled: np.ndarray) -> np.ndarray:
            self.loads = self.data.all_gamma(self.row * scaled)
            found[0] = self.find_from(self.begin(start.state), loads)
            return found[0].gamma / self.row

        if agreement(under, first / self.row, self.tolerance) is None:
            raise ConvergenceError(self.disagreement(), time=state.time, state=found[0].state)
        return found[0]

    def disagreement(self) -> str:
        """One sentence: reactions and what depends on them do not come to agree."""
        name = self.data.system.model.name
        if self.senses_reactions:
            return (
                f"statics of '{name}' did not converge: reactions and the loads that follow them "
                "do not come to agree; start nearer to the equilibrium (at=), or give a smaller "
                "gain to the drives that read reactions"
            )
        return (
            f"statics of '{name}' did not converge: friction and the reactions that load it do "
            "not come to agree; start nearer to the equilibrium (at=), or look for a coefficient "
            "of friction or a radius that is too large"
        )

    def loads_of_holding(self, start: Point) -> np.ndarray:
        """Multipliers where all surfaces hold: what is known before some of them slide."""
        self.loads = self.data.all_gamma(start.gamma)
        try:
            with self.friction.unlimited():
                return self.newton(self.begin(start.state)).gamma
        except Lost:
            return start.gamma

    def begin(self, state: State) -> Point:
        """The point of the constraints that a search begins from."""
        start = self.settle(state, far=True)
        if start is None:
            self.refuse_start(state)
        assert start is not None
        return start

    def find_from(self, start: Point, loads: int) -> Point:
        """Newton's method, then full steps, load steps and relaxation."""
        if not self.line_search:
            return self.plain_newton(start)
        slow = False
        try:
            if loads > 1:
                return self.load_steps(start, loads)
            if self.slender and self.bends_far(start):
                raise Lost(start)
            return self.newton(start, SLOW if self.constraint_stiffness else self.max_iterations)
        except Lost as lost:
            if not self.constraint_stiffness:
                raise self.failure(lost, fallback=False) from None
            slow = lost.slow
        unstable = None
        try:
            point, found = self.far(start)
            if found.stable or found.direction is None:
                return point
            unstable = point
        except Lost:
            pass
        if loads == 1:
            try:
                if slow:
                    self.method = NEWTON
                    return self.newton(start)
            except Lost:
                pass
            try:
                return self.load_steps(start, 4)
            except Lost:
                pass
        try:
            return self.stable_rest(start)
        except Lost as lost:
            if unstable is not None:
                self.method = FULL
                return unstable
            raise self.failure(lost) from None

    def bends_far(self, start: Point) -> bool:
        """Whether the first step turns slender parts so far that its straight lines mislead."""
        step = self.direction(start)
        return step is not None and self.turn(step) > TURN

    def far(self, start: Point) -> tuple[Point, Stability]:
        """Newton's method in full steps: an equilibrium that may be far away; its stability."""
        self.method = FULL
        self.talk.say(self.method, self.iterations, start.largest / self.L)
        try:
            point, taken = full_steps(self, start, self.max_iterations)
        except Lost as lost:
            self.iterations += lost.iterations
            raise
        self.iterations += taken
        self.judged = point, stability(self, point)
        return self.judged

    def stability(self, point: Point) -> Stability:
        """Of an equilibrium; that of the last one is known."""
        if self.judged is None or self.judged[0] is not point:
            self.judged = point, stability(self, point)
        return self.judged[1]

    def newton(self, point: Point, patience: int | None = None) -> Point:
        """Damped Newton steps until the residual is small and no step makes it smaller still.

        patience : so many steps may be slow, one after the other
        """
        try:
            return self.newton_steps(point, patience)
        finally:
            self.slender.clear()

    def newton_steps(self, point: Point, patience: int | None) -> Point:
        slow = 0
        for _ in range(self.max_iterations):
            self.talk.say(self.method, self.iterations, point.largest / self.L)
            done = self.enough(point)
            if done and point.largest <= ROUND_OFF * point.scale:
                return point
            step = self.direction(point)
            if step is None:
                if done:
                    return point
                raise Lost(point, loose=True)
            self.iterations += 1
            trial = self.search(point, step, 1 if done else 9)
            if done and (trial is None or trial.size > 0.5 * point.size):
                return point
            if trial is None:
                raise Lost(point)
            slow = slow + 1 if trial.size > 0.95 * point.size else 0
            point = trial
            if patience is not None and slow >= patience:
                raise Lost(point, slow=True)
        if self.enough(point):
            return point
        raise Lost(point)

    def search(self, point: Point, step: np.ndarray, halvings: int) -> Point | None:
        """The point at the longest of the steps 1, ½, ¼ … that reduces the unbalanced force."""
        factor = min(1.0, TURN / max(self.turn(step), 1e-300))
        for _ in range(halvings):
            trial = self.settle(
                point.state.moved(factor * self.column * step), since=point.state
            )
            if trial is not None and self.slender:  # their unbalanced forces rise before they fall
                self.slender.predict(point.state, factor * self.column * step)
                return trial
            if trial is not None and trial.size < (1 - 1e-4 * factor) * point.size:
                return trial
            factor /= 2
        return None

    def turn(self, step: np.ndarray) -> float:
        return float(np.abs(step[self.data.system.layout.is_angle]).max(initial=0.0))

    def load_steps(self, start: Point, loads: int) -> Point:
        """The unbalanced force of the start is let go in steps, halved where Newton fails."""
        self.method = "newton with load steps"
        held, done, width = start.force.copy(), 0.0, 1.0 / loads
        point = start
        try:
            while done < 1.0:
                share = min(1.0, done + width)
                self.hold = (1.0 - share) * held
                eased = self.settle(point.state)
                try:
                    if eased is None:
                        raise Lost(point)
                    point = self.newton(eased)
                except Lost:
                    width /= 2
                    if width < 1.0 / (16 * loads):
                        raise
                    continue
                done = share if share < 1 - 1e-12 else 1.0
        finally:
            self.hold = np.zeros(self.n)
        return point

    def stable_rest(self, start: Point) -> Point:
        """Relaxation, started again with a push wherever it comes to rest without stability."""
        self.method = "relaxation"
        point = self.relax(start)
        for _ in range(5):
            found = self.stability(point)
            if found.stable or found.direction is None:
                break
            push = 0.05 * found.direction / np.abs(found.direction).max()
            pushed = self.settle(point.state.moved(self.column * push), since=point.state)
            if pushed is None:
                break
            point = self.relax(pushed)
        return point

    def relax(self, point: Point) -> Point:
        """Implicit Euler steps of damped motion, ever longer: downhill to a stable equilibrium."""
        mu, began = 10.0 * point.largest / max(point.scale, 1e-300), point
        for _ in range(5 * self.max_iterations):
            self.talk.say(self.method, self.iterations, point.largest / self.L)
            if self.enough(point):
                return self.newton(point)
            self.iterations += 1
            step = self.direction(point, mu)
            if step is None or self.turn(step) > TURN or step @ point.force >= 0:
                mu *= 4.0
                continue
            trial = self.settle(point.state.moved(self.column * step), since=point.state)
            gain = 0.0 if trial is None else self.work_ratio(point, trial, step, mu)
            if trial is None or gain < 0.1:
                mu *= 4.0
                continue
            point = trial
            mu *= 0.15 if gain > 0.7 else 0.5
            away = point.state.positions - began.state.positions
            if np.abs(away).max(initial=0.0) > 1e3 * self.L:
                raise Lost(point, loose=True)
        raise Lost(point)

    def work_ratio(self, point: Point, trial: Point, step: np.ndarray, mu: float) -> float:
        """Work of the unbalanced forces along the step over the work expected of them."""
        moved = trial.state.way_from(point.state) / self.column
        done = 0.5 * float((point.force + trial.force) @ moved)
        s = step[: self.rigid].reshape(-1, 6)
        inertia = float(np.einsum("bi,bij,bj->", s, self.mass[0], s))
        inertia += float(step[self.rigid :] @ step[self.rigid :])
        expected = 0.5 * float(point.force @ step) - 0.5 * mu * point.scale * inertia
        return done / expected if expected < 0 else 0.0

    def plain_newton(self, point: Point) -> Point:
        """Newton's method as in the textbook: full steps in positions and multipliers."""
        self.method = "newton without line search"
        state, gamma, data = point.state, point.gamma, self.data
        if self.rotation is not None:
            raise ModelError("statics with spin= searches along lines; leave out line_search=False")
        if self.slip:
            raise ModelError("statics of wheels searches along lines; leave out line_search=False")
        for _ in range(self.max_iterations):
            e = data.evaluate(
                replace(state, gamma=data.all_gamma(gamma)),
                constraint_stiffness=self.constraint_stiffness,
            )
            vals = self.weight * e.matrix.data
            vals[self.body] /= point.scale
            r = np.concatenate([self.side * e.residual / point.scale, self.row * e.C])
            if np.abs(r).max() < self.tolerance:
                settled = self.settle(state)
                if settled is not None and self.enough(settled):
                    return settled
            self.iterations += 1
            try:
                self.tangent.factorise(vals)
            except SingularMatrix:
                raise self.failure(Lost(point, loose=True), fallback=False) from None
            y = self.tangent.solve(-r)
            if not np.abs(y).max() < LOOSE:
                raise self.failure(Lost(point, loose=True), fallback=False)
            state = state.moved(self.column * y[: self.n])
            gamma = gamma + point.scale * self.row * y[self.n :]
        raise self.failure(Lost(point), fallback=False)

    # -------------------------------------------------------------------------------- failures
    def refuse_start(self, state: State) -> None:
        system = self.data.system
        e = self.data.evaluate(state)
        if not np.all(np.isfinite(e.residual)):
            where = system.layout.describe(int(np.argmin(np.isfinite(e.residual))))
            raise ConvergenceError(
                f"statics of '{system.model.name}' cannot start: a force on {where}, is not a "
                "finite number", state=state,
            )  # fmt: skip
        raise SingularError(
            f"statics of '{system.model.name}' cannot start: in the given position the "
            "independent rows of its joints are too close to dependent; start from another one"
        )

    def failure(self, lost: Lost, fallback: bool = True) -> LinkworkError:
        """One sentence: what is unbalanced and where, and what to do."""
        system = self.data.system
        point, name = lost.point, system.model.name
        worst = int(np.argmax(np.abs(point.force)))
        if worst >= self.rigid:
            return self.node_failure(worst, fallback)
        b, i = system.layout.place(worst)
        unit, over = ("N", self.L) if i < 3 else ("N m", 1.0)
        amount = f"{abs(point.force[worst]) / over:.2g} {unit}"
        body, axis = system.names[b], ROW_NAMES[i]
        if lost.loose or self.direction(point) is None:
            if not self.constraint_stiffness:
                return SingularError(
                    f"statics of '{name}' without constraint stiffness is singular: no element has "
                    f"a stiffness that could balance {amount} on body '{body}' ({axis}); leave out "
                    "constraint_stiffness=False"
                )
            motion = f"along {axis}" if i < 3 else f"about {axis[1]}"
            return SingularError(
                f"statics of '{name}' has no answer: nothing holds body '{body}' {motion}, where "
                f"{amount} is unbalanced; add a joint, a spring or a balancing force"
                + ("" if fallback else ", or leave out line_search=False")
            )
        tried = ", also with full steps, load steps and relaxation" if fallback else ""
        return ConvergenceError(
            f"statics of '{name}' did not converge after {self.iterations} iterations{tried}; "
            f"largest residual {amount} in body '{body}', {axis}; start nearer to the equilibrium "
            "(at=), or raise loads or max_iterations",
            time=point.state.time, state=point.state,
        )  # fmt: skip

    def node_failure(self, unknown: int, fallback: bool) -> LinkworkError:
        """The same for the equations of a vector node."""
        system = self.data.system
        tried = ", also with full steps, load steps and relaxation" if fallback else ""
        return ConvergenceError(
            f"statics of '{system.model.name}' did not converge after {self.iterations} "
            f"iterations{tried}: the equations of {system.layout.describe(unknown)} have no "
            "solution with constant values near the start; give other start values, or look for a "
            "node that nothing holds"
        )
