"""States of a linear system.

    E ẋ = A x + B u        x states, u inputs; outputs y = C x + D u are sums of readings

Outputs are functions of states and inputs, not unknowns, so that there are no algebraic loops to
solve: an input that goes straight through (D) cannot be changed once the output has been read.
"""

from __future__ import annotations

from collections.abc import Sequence
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import BY_RATE, BY_VALUE, OUT, RATE, TANGENT, VALUE, int_width
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import DriveError, ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, Sum, as_drive
from linkwork.model.given import (
    DriveLike, MatrixLike, MatrixOrNone, VectorLike, given,
)  # fmt: skip
from linkwork.model.nodes import Node, vector
from linkwork.model.outputs import Output
from linkwork.model.signals.readings import reads
from linkwork.model.signals.value_readings import value_reading
from linkwork.model.registry import Entry, Family, Item

# reals: inputs, B, E, A by rows, C, D
SIZES = record(int_width(1, 0), states=1, inputs=1)  # integers
STATES, INPUTS = SIZES


def state_space_kernel(ints, reals, motion, loads):
    values, tangent = motion.values, motion.coef[TANGENT] != 0.0
    for k in range(ints.shape[0]):
        n, m, first, block = ints[k, STATES], ints[k, INPUTS], ints[k, 0], ints[k, 1]
        b = m
        e, width = b + n * m, 8 * ((n + 7) // 8)
        a = e + n * n
        for i in range(n):
            r = 0.0
            for j in range(m):
                r -= reals[k, b + m * i + j] * reals[k, j]
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
        if motion.coef[OUT] != 0.0:
            p = loads.out.shape[1]
            c = a + n * n
            d = c + p * n
            for i in range(p):
                y = 0.0
                for j in range(n):
                    y += reals[k, c + n * i + j] * values[VALUE, first + j]
                for j in range(m):
                    y += reals[k, d + m * i + j] * reals[k, j]
                loads.out[k, i] = y


STATE_SPACE_KERNEL = Kernel(state_space_kernel)


@functools.cache
def state_space_family(n: int, m: int, p: int = 0) -> Family:
    """Systems of n states, m inputs and p outputs; all share one kernel."""
    size = m + n * m + 2 * n * n + p * (n + m)
    name = f"state space of {n} by {m}" + f" with {p} outputs" * (p > 0)
    names = ["output"] if p == 1 else [f"output_{k}" for k in range(p)]
    return Family(name, STATE_SPACE_KERNEL, bodies=1, reals=size, integers=SIZES.width,
                  outputs=tuple(Output(x, "1") for x in names))  # fmt: skip


def linear_entry(
    node: Node, inputs: list[Drive], A: np.ndarray, B: np.ndarray, E: Any, C: Any, D: Any
) -> Entry:
    """The element of a linear system."""
    n, m = B.shape
    p = 0 if C is None else len(C)
    parts = [
        np.zeros(m), B, np.eye(n) if E is None else E, A,
        np.zeros(0) if C is None else C, np.zeros(p * m) if D is None else D,
    ]  # fmt: skip
    reals = np.concatenate([part.ravel() for part in parts])
    laws = [factor_law(j, u) for j, u in enumerate(inputs)]
    return Entry(state_space_family(n, m, p), (node,), reals, laws=laws, integers=(n, m))


class LinearBlock(Item, abstract=True):
    """What systems with states share: inputs, matrices, outputs."""

    A: Any
    B: Any
    C: Any
    D: Any
    E: Any
    inputs: Any
    node: Node

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("input", "inputs", "error") and self.__dict__.get("read_through"):
            raise ModelError(
                f"{name} of {self.label} goes straight to its output, which has been read already, "
                "so that a new one could close an algebraic loop; give the block its input when it "
                "is made, or make it strictly proper (D = 0)"
            )
        super().__setattr__(name, value)

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def reading(self, quantity: str, axis: Any) -> Drive:
        """Its "state", "state_rate" or "output", number `axis` from 0."""
        if quantity != "output":
            return value_reading(self, quantity, axis)
        if self.C is None:
            raise DriveError(
                f"a reading of {self.label}: it has no outputs; give C, or read its state"
            )
        count = len(self.C)
        if axis is None and count == 1:
            axis = 0
        if not isinstance(axis, (int, np.integer)) or not 0 <= axis < count:
            raise DriveError(
                f"a reading of {self.label}: expected which of its {count} outputs is meant, a "
                f"number from 0 to {count - 1}, found {axis!r}"
            )
        return self.output(self.C[axis], () if self.D is None else self.D[axis])

    def output(self, c: Any, d: Any = ()) -> Drive:
        """The drive Σ c_k x_k + Σ d_j u_j."""
        terms: list[Drive] = []
        for k, weight in enumerate(c):
            if weight:
                state = reads(self, "state", k)
                terms.append(state if weight == 1 else float(weight) * state)
        if any(d):
            self.__dict__["read_through"] = True
        terms += [u if w == 1 else float(w) * u for w, u in zip(d, self.inputs) if w]
        if not terms:
            return Constant(0.0)
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def entries(self) -> list[Entry]:
        return [linear_entry(self.node, self.inputs, self.A, self.B, self.E, self.C, self.D)]


@dataclass(eq=False)
class StateSpace(LinearBlock):
    """A linear system E ẋ = A x + B u with n states x.

    A is n×n, B n×m, E n×n (without it, one); inputs are m numbers, functions of time or drives
    with readings (lw.reads); start has the n states at the start.  Where E is singular, equations
    without rates must determine the states that have none (index one); these then start at what
    the equations say, whatever start says.  With C (p×n) and D (p×m, without it zero) it has
    outputs y = C x + D u: lw.reads(system, "output", k), from 0.  lw.reads(system, "state", k)
    reads state k, and `output(c, d)` is the drive c·x + d·u.  `StateSpace.of` takes what
    lw.linearize returns, or a system of python-control.

    Outputs: state, state_rate; with C output.

    Example
    -------
    A low-pass filter of the position of a body, whose output pushes the body back:

    >>> import linkwork as lw
    >>> cart = lw.Body(2, (1, 1, 1), position=(0.1, 0, 0))
    >>> slow = lw.StateSpace([[-5.0]], [[5.0]], [lw.reads(cart, "position", "x")])
    >>> push = lw.Force(cart, (1, 0, 0), drive=-40 * lw.reads(slow, "state"))
    """

    A: MatrixLike
    B: MatrixLike
    inputs: DriveLike | Sequence[DriveLike]
    E: MatrixOrNone = given(None)
    start: float | VectorLike = 0.0
    C: MatrixOrNone = given(None)
    D: MatrixOrNone = given(None)

    @classmethod
    def of(
        cls, system: Any, inputs: DriveLike | Sequence[DriveLike], start: float | VectorLike = 0.0
    ) -> StateSpace:
        """The matrices of another system: of lw.linearize, or of python-control (continuous).

        Example: ``lw.StateSpace.of(control.tf([1], [0.1, 1]), [lw.reads(pin, "angle")])``
        """
        if not hasattr(system, "A") and hasattr(system, "num"):
            import control

            system = control.ss(system)
        if getattr(system, "dt", 0) not in (0, None):
            raise ModelError(
                f"StateSpace.of expects a continuous system, but one with the sample time "
                f"{system.dt} was given; use lw.Controller with every="
            )
        given = [checks.array(getattr(system, word, None)) for word in "ABCD"]
        found = [x for x in given if x is not None and x.ndim == 2]
        if len(found) < len(given):
            raise ModelError(
                "StateSpace.of expects a system with matrices A, B, C and D, as lw.linearize and "
                f"python-control give, but {checks.show(system)} was given"
            )
        A, B, C, D = found
        if A is None or not len(A):
            raise ModelError("StateSpace.of expects a system with states, but this one has none")
        return cls(A, B, inputs, start=start, C=C, D=D)

    def __post_init__(self) -> None:
        what = self.label
        parts = self.inputs if isinstance(self.inputs, (list, tuple)) else [self.inputs]
        self.inputs = [
            as_drive(u, f"input {k + 1} of {what}", follows=True) for k, u in enumerate(parts)
        ]
        given = checks.array(self.A)
        n = 0 if given is None or given.ndim != 2 else len(given)
        self.A = self._matrix("A", n, n)
        self.B = self._matrix("B", n, len(self.inputs))
        if self.E is not None:
            self.E = self._matrix("E", n, n)
            self._refuse_higher_index()
        start = checks.array(self.start)
        if start is None or start.shape not in ((), (n,)) or not np.isfinite(start).all():
            raise ModelError(
                f"start of {what} must be {n} finite numbers, but {checks.show(self.start)} was "
                "given"
            )
        self._check_outputs(n, len(parts))
        self.node = Node(vector("state", n, 1), start)

    def _check_outputs(self, n: int, m: int) -> None:
        if self.C is None:
            if self.D is not None:
                raise ModelError(f"{self.label} has D without C; give C, the outputs by states")
            return
        self.C = checks.array(self.C)
        p = 0 if self.C is None or self.C.ndim != 2 else len(self.C)
        self.C = self._matrix("C", p, n)
        if self.D is not None:
            self.D = self._matrix("D", p, m)

    def _matrix(self, word: str, rows: int, columns: int) -> np.ndarray:
        found = checks.array(getattr(self, word))
        shape = None if found is None else found.shape
        if found is None or shape != (rows, columns) or not rows or not np.isfinite(found).all():
            raise ModelError(
                f"{word} of {self.label} must be a matrix of {rows or 'n'}×{columns or 'n'} finite "
                f"numbers, but {checks.show(getattr(self, word))} was given"
            )
        return found

    def _refuse_higher_index(self) -> None:
        """A singular E leaves equations Uᵀ (A x + B u) = 0 without rates, with Uᵀ E = 0; they must
        determine the states along V, E V = 0: UᵀAV regular (index one; Brenan, Campbell, Petzold,
        Numerical Solution of Initial-Value Problems in DAEs, SIAM 1996, 2.4)."""
        left, sizes, right = np.linalg.svd(self.E)
        free = sizes <= 1e-12 * sizes.max()
        if not free.any():
            return
        algebraic = left[:, free].T @ self.A @ right[free].T
        least = 1e-10 * max(float(np.abs(self.A).max()), 1e-300)
        if np.linalg.matrix_rank(algebraic, tol=least) < free.sum():
            raise ModelError(
                f"E of {self.label} is singular, and its equations without rates do not determine "
                "the states without rates, which would be derivatives of inputs or not determined "
                "at all (index over one); eliminate them, or give them rates (a fast filter)"
            )

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> StateSpace:
        from linkwork.model.drives import sine

        inputs: list[DriveLike] = [sine(1.5, 0.3, 0.7), 0.4, -0.2]
        n = int(rng.integers(4, 11))
        E = np.eye(n) + 0.1 * rng.normal(size=(n, n))
        return cls(rng.normal(size=(n, n)), rng.normal(size=(n, 3)), inputs, E, rng.normal(size=n))
