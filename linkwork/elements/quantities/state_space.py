"""States of a linear system.

    E ẋ = A x + B u        x states, u inputs; outputs C x + D u are sums of readings
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import BY_RATE, BY_VALUE, RATE, TANGENT, VALUE
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.math.kernel import Kernel
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, Sum, as_drive
from linkwork.model.given import VectorLike
from linkwork.model.nodes import Node, vector
from linkwork.model.readings import reads
from linkwork.model.registry import Entry, Family, Item

STATES, INPUTS, INPUT = range(3)  # numbers of states and inputs, then inputs, B, E, A by rows


def state_space_kernel(ints, reals, motion, loads):
    values, tangent = motion.values, motion.coef[TANGENT] != 0.0
    for k in range(ints.shape[0]):
        n, m, first, block = int(reals[k, STATES]), int(reals[k, INPUTS]), ints[k, 0], ints[k, 1]
        b = INPUT + m
        e, width = b + n * m, 8 * ((n + 7) // 8)
        a = e + n * n
        for i in range(n):
            r = 0.0
            for j in range(m):
                r -= reals[k, b + m * i + j] * reals[k, INPUT + j]
            for j in range(n):
                p, q = n * i + j, first + j
                r += reals[k, e + p] * values[RATE, q] - reals[k, a + p] * values[VALUE, q]
            loads.balance[first + i] += r
            if tangent:
                for j in range(n):
                    p, q = n * i + j, first + j
                    slope = reals[k, e + p] * values[BY_RATE, q]
                    slope -= reals[k, a + p] * values[BY_VALUE, q]
                    loads.vals[block + width * i + j] += slope


STATE_SPACE_KERNEL = Kernel(state_space_kernel)


@functools.cache
def state_space_family(n: int, m: int) -> Family:
    """Systems of n states and m inputs; all share one kernel."""
    size = INPUT + m + n * m + 2 * n * n
    return Family(f"state space of {n} by {m}", STATE_SPACE_KERNEL, bodies=1, reals=size)


@dataclass(eq=False)
class StateSpace(Item):
    """A linear system E ẋ = A x + B u with n states x.

    A is n×n, B n×m, E n×n and regular (without it, one); inputs are m numbers, functions of time or
    drives with readings (lw.reads); start has the n states at the start.  Outputs: state,
    state_rate.  lw.reads(system, "state", k) reads state k, from 0, and `output(c, d)` is the drive
    c·x + d·u for whatever follows the system.

    Example
    -------
    A low-pass filter of the position of a body, whose output pushes the body back:

    >>> import linkwork as lw
    >>> cart = lw.Body(2, (1, 1, 1), position=(0.1, 0, 0))
    >>> slow = lw.StateSpace([[-5.0]], [[5.0]], [lw.reads(cart, "position", "x")])
    >>> push = lw.Force(cart, (1, 0, 0), drive=-40 * lw.reads(slow, "state"))
    """

    A: Any
    B: Any
    inputs: Any
    E: Any = None
    start: float | VectorLike = 0.0

    def __post_init__(self) -> None:
        what = self.label
        self.inputs = [
            as_drive(u, f"input {k + 1} of {what}", follows=True)
            for k, u in enumerate(self.inputs if isinstance(self.inputs, (list, tuple))
                                  else [self.inputs])
        ]  # fmt: skip
        self.A = checks.array(self.A)
        n = 0 if self.A is None or self.A.ndim != 2 else len(self.A)
        self.A = self._matrix("A", n, n)
        self.B = self._matrix("B", n, len(self.inputs))
        if self.E is not None:
            self.E = self._matrix("E", n, n)
            if np.linalg.matrix_rank(self.E) < n:
                raise ModelError(
                    f"E of {what} is singular, so that some of its equations have no rates; "
                    "eliminate the states that these determine"
                )
        start = checks.array(self.start)
        if start is None or start.shape not in ((), (n,)) or not np.isfinite(start).all():
            raise ModelError(
                f"start of {what} must be {n} finite numbers, but {checks.show(self.start)} was "
                "given"
            )
        self.node = Node(vector("state", n, 1), start)

    def _matrix(self, word: str, rows: int, columns: int) -> np.ndarray:
        found = checks.array(getattr(self, word))
        shape = None if found is None else found.shape
        if found is None or shape != (rows, columns) or not rows or not np.isfinite(found).all():
            raise ModelError(
                f"{word} of {self.label} must be a matrix of {rows or 'n'}×{columns or 'n'} finite "
                f"numbers, but {checks.show(getattr(self, word))} was given"
            )
        return found

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def output(self, c: Any, d: Any = ()) -> Drive:
        """The drive Σ c_k x_k + Σ d_j u_j."""
        terms: list[Drive] = []
        for k, weight in enumerate(c):
            if weight:
                state = reads(self, "state", k)
                terms.append(state if weight == 1 else float(weight) * state)
        terms += [u if w == 1 else float(w) * u for w, u in zip(d, self.inputs) if w]
        if not terms:
            return Constant(0.0)
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def entries(self) -> list[Entry]:
        n, m = self.B.shape
        E = np.eye(n) if self.E is None else self.E
        head = np.concatenate([[n, m], np.zeros(m)])
        reals = np.concatenate([head, self.B.ravel(), E.ravel(), self.A.ravel()])
        laws = [factor_law(INPUT + j, u) for j, u in enumerate(self.inputs)]
        return [Entry(state_space_family(n, m), (self.node,), reals, laws=laws)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> StateSpace:
        from linkwork.model.drives import sine

        inputs, n = [sine(1.5, 0.3, 0.7), 0.4, -0.2], int(rng.integers(4, 11))
        E = np.eye(n) + 0.1 * rng.normal(size=(n, n))
        return cls(rng.normal(size=(n, n)), rng.normal(size=(n, 3)), inputs, E, rng.normal(size=n))
