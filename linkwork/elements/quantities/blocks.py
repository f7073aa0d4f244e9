"""Continuous blocks of controllers: their states are unknowns of first order.

    transfer function   y = (b_n sⁿ + … + b_0)/(a_n sⁿ + … + a_0) u = (D + Σ c_k sᵏ/(sⁿ + …)) u,
                        states x_k = ω⁻ᵏ dᵏw/dtᵏ with ω = |a_0/a_n|^(1/n), which keeps them alike
    PID                 u = k_p e + I + k_d (e − x)/T,   T ẋ = e − x,   İ = k_i e + (y − u)/T_t,
                        y = u within limits

The last term of İ takes the integral back where u is beyond a limit (back-calculation: Åström and
Hägglund, Advanced PID Control, 2006, ch. 3.5), T_t = k_p/k_i unless given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.quantities.state_space import LinearBlock, linear_entry
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.control.blocks import limits_of
from linkwork.model.drives import Drive, as_drive, formula
from linkwork.model.given import DriveLike, Function, FunctionOrNone, VectorLike, given
from linkwork.model.nodes import Node, vector
from linkwork.model.registry import Entry
from linkwork.model.signals.value_readings import value_reading


@dataclass(eq=False)
class TransferFunction(LinearBlock):
    """A transfer function numerator(s)/denominator(s) of an input.

    Coefficients come with the highest power of s first, as in Matlab and python-control: [1],
    [0.1, 1] is 1/(0.1 s + 1).  It must be proper: the numerator of no higher degree than the
    denominator, which is at least of degree one.  input is a number, a function of time or a drive
    with readings; start the output's history as n states (zero).  lw.reads(block, "output") is its
    output.  `lw.StateSpace.of` takes transfer functions of python-control.

    Outputs: output, state, state_rate.

    Example
    -------
    >>> import linkwork as lw
    >>> cart = lw.Body(2, (1, 1, 1), position=(0.1, 0, 0))
    >>> lead = lw.TransferFunction([0.5, 1], [0.05, 1], lw.reads(cart, "position", "x"))
    >>> push = lw.Force(cart, (1, 0, 0), drive=-40 * lw.reads(lead, "output"))
    """

    numerator: VectorLike
    denominator: VectorLike
    input: Function = given(0.0)
    start: float | VectorLike = 0.0

    def __post_init__(self) -> None:
        what = self.label
        b, a = (self._coefficients(word) for word in ("numerator", "denominator"))
        n = len(a) - 1
        if n < 1 or len(b) > n + 1:
            raise ModelError(
                f"{what} must be proper, with a denominator of at least degree 1 and a numerator "
                f"of no higher degree, but {len(b) - 1} over {n} was given"
            )
        self.input = as_drive(self.input, f"input of {what}", follows=True)
        self.inputs, self.E = [self.input], None
        b = np.concatenate([np.zeros(n + 1 - len(b)), b]) / a[0]
        a = a / a[0]
        size = abs(a[-1]) ** (1 / n) or 1.0
        self.A, self.B = np.zeros((n, n)), np.zeros((n, 1))
        self.A[np.arange(n - 1), np.arange(1, n)] = size
        powers = size ** np.arange(n)
        self.A[-1] = -a[:0:-1] * powers / powers[-1]
        self.B[-1] = 1.0 / powers[-1]
        self.C = ((b - b[0] * a)[:0:-1] * powers)[None]
        self.D = np.array([[b[0]]])
        start = checks.array(self.start)
        if start is None or start.shape not in ((), (n,)) or not np.isfinite(start).all():
            raise ModelError(
                f"start of {what} must be {n} finite numbers, but {checks.show(self.start)} was "
                "given"
            )
        self.node = Node(vector("state", n, 1), start)

    def _coefficients(self, word: str) -> np.ndarray:
        found = checks.array(getattr(self, word))
        if found is None or found.ndim > 1 or not found.size or not np.isfinite(found).all():
            raise ModelError(
                f"{word} of {self.label} must be a list of finite numbers, the highest power of s "
                f"first, but {checks.show(getattr(self, word))} was given"
            )
        found = np.trim_zeros(np.atleast_1d(found), "f")
        if not len(found) and word == "denominator":
            raise ModelError(f"denominator of {self.label} is zero; give its coefficients")
        return found if len(found) else np.zeros(1)

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return cls(rng.uniform(1, 2, 3), rng.uniform(1, 2, 4), 0.7, rng.normal(size=3))


@dataclass(eq=False)
class ContinuousPID(LinearBlock):
    """A PID controller whose integral and derivative are states: u = k_p e + k_i ∫e dt + k_d ė.

    error  : e, for example ``0.5 - lw.reads(pin, "angle")``
    kp, ki, kd : gains, numbers or functions of time; ki and kd default 0
    filter : time constant (s) of the derivative, k_d s/(1 + filter s); rate= (a reading of ė) takes
             the place of the filtered one
    limits : (low, high) of the output; tracking (s) is how fast the integral follows beyond them
    start  : integral and filtered error at the start

    lw.reads(controller, "output") is u.  It has the order of the method; `lw.PID` is a drive
    without unknowns of its own, continuous or sampled.  Outputs: output, state, state_rate.

    Example
    -------
    >>> import linkwork as lw
    >>> cart = lw.Body(2, (1, 1, 1))
    >>> hold = lw.ContinuousPID(0.5 - lw.reads(cart, "position", "x"), 40, 10, 6, filter=0.01)
    >>> push = lw.Force(cart, (1, 0, 0), drive=lw.reads(hold, "output"))
    """

    error: DriveLike
    kp: float
    ki: float = 0.0
    kd: float = 0.0
    filter: float = 0.01
    rate: FunctionOrNone = given(None)
    limits: tuple[float, float] | None = None
    tracking: float | None = None
    start: float | VectorLike = 0.0

    def __post_init__(self) -> None:
        what = self.label
        self.error = as_drive(self.error, f"error of {what}", follows=True)
        for word in ("kp", "ki", "kd"):
            setattr(self, word, checks.number(getattr(self, word), f"{word} of {what}"))
        self.filter = checks.number(self.filter, f"filter of {what}", positive=True)
        if self.rate is not None:
            self.rate = as_drive(self.rate, f"rate of {what}", follows=True)
        if self.limits is not None:
            if not isinstance(self.limits, (list, tuple)) or len(self.limits) != 2:
                raise ModelError(
                    f"limits of {what} must be (low, high), but {checks.show(self.limits)} was "
                    "given"
                )
            self.limits = limits_of(self.limits[0], self.limits[1], f"limits of {what}")
        if self.tracking is not None:
            self.tracking = checks.number(self.tracking, f"tracking of {what}", positive=True)
        start = checks.array(self.start)
        if start is None or start.shape not in ((), (2,)) or not np.isfinite(start).all():
            raise ModelError(
                f"start of {what} must be two finite numbers, but {checks.show(self.start)} was "
                "given"
            )
        if "node" not in self.__dict__:
            self.node = Node(vector("state", 2, 1))
        self.node.value = np.broadcast_to(start, (2,)).astype(float)

    @property
    def unlimited(self) -> Drive:
        """u."""
        c = as_drive(self.error, f"error of {self.label}", follows=True)
        I, x = (value_reading(self, "state", k) for k in (0, 1))
        if self.rate is not None:
            return formula("p*c + I + d*r", p=self.kp, c=c, I=I, d=self.kd, r=self.rate)
        gain = self.kd / self.filter
        return formula("p*c + I + d*(c - x)", p=self.kp, c=c, I=I, d=gain, x=x)

    @property
    def limited(self) -> Drive:
        """y."""
        if self.limits is None:
            return self.unlimited
        low, high = self.limits
        return formula("min(max(u, a), b)", u=self.unlimited, a=low, b=high)

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity != "output":
            return value_reading(self, quantity, axis)
        self.__dict__["read_through"] = True
        return self.limited

    def entries(self) -> list[Entry]:
        error = as_drive(self.error, f"error of {self.label}", follows=True)
        integral: Drive = self.ki * error
        if self.limits is not None and self.ki:
            time = self.tracking or (abs(self.kp / self.ki) if self.kp else 1 / abs(self.ki))
            low, high = self.limits
            integral = formula(
                "i + (min(max(u, a), b) - u)/T", i=integral, u=self.unlimited, a=low, b=high, T=time
            )
        A, B = np.diag([0.0, -1 / self.filter]), np.array([[1.0, 0, 0], [0, 1 / self.filter, 0]])
        inputs, gain = [integral, error, self.limited], self.kd / self.filter
        C, D = np.zeros((1, 2)), np.array([[0.0, 0.0, 1.0]])
        if self.limits is None and self.rate is not None:  # linear in states and inputs
            inputs[2], C, D = self.rate, np.array([[1.0, 0.0]]), np.array([[0.0, self.kp, self.kd]])
        elif self.limits is None:
            inputs, B = inputs[:2], B[:, :2]
            C, D = np.array([[1.0, -gain]]), np.array([[0.0, self.kp + gain]])
        return [linear_entry(self.node, inputs, A, B, None, C, D)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        kp, ki, kd = rng.uniform(1, 2, 3)
        return cls(0.7, kp, ki, kd, filter=rng.uniform(1, 2), start=rng.normal(size=2))
