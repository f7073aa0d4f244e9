"""Implicit methods for first-order equations, used on positions and velocities alike (stages.py).

The integrators of MBDyn: one- and two-step, the k-step family ms, hope, the single-step filters ss,
the composite methods Bathe, msstc, mssth, and the L-stable Runge-Kutta methods DIRK.  `rho`, the
asymptotic spectral radius, may be a number or a drive; a drive is asked at the end of each step.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, ClassVar

from linkwork.errors import ModelError
from linkwork.integrators.first_order import multistep
from linkwork.integrators.first_order import tableaux
from linkwork.integrators.convergence import TESTS
from linkwork.integrators.first_order.formulas import Formula, stage_formula
from linkwork.integrators.first_order.stages import FILTER, STAGES, STEPS
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive, drive_from_dict
from linkwork.model.given import DriveLike
from linkwork.model.written import Written


@dataclass(frozen=True)
class Past:
    """What a method may know of the steps before.

    equal : how many steps in a row had the size of the next one
    ratio : size of the next step over that of the last, None in the first step
    phase : steps since the last change of size or formula (for methods that alternate)
    """

    equal: int = 0
    ratio: float | None = None
    phase: int = 0


@dataclass(frozen=True, kw_only=True, repr=False)
class StagedMethod(Written):
    """A method of the compiled stages: a subclass gives `order`, `kind`, `past` and `formula`.

    stabilized     : the stages satisfy the constraints' accelerations and the end of a step their
                     positions and velocities; without it positions alone (index 3)
    tolerance      : of the test
    max_iterations : of Newton's method in a stage
    test           : "correction" (its error relative to h² × acceleration), or the residual's
                     "norm", "minmax", "relnorm" or "sepnorm"
    """

    stabilized: bool = False
    tolerance: float = 1e-8
    max_iterations: int = 20
    test: str = "correction"

    kind: ClassVar[int] = STAGES
    past: ClassVar[int] = 1

    def __post_init__(self) -> None:
        what = type(self).__name__
        checks.flag(self.stabilized, f"stabilized of {what}")
        checks.number(self.tolerance, f"tolerance of {what}", positive=True)
        checks.count(self.max_iterations, f"max_iterations of {what}")
        if self.test not in TESTS:
            raise ModelError(
                f"test of {what} must be one of {', '.join(TESTS)}, but {checks.show(self.test)} "
                "was given"
            )

    @property
    def order(self) -> int:
        return 2

    @property
    def varying(self) -> bool:
        """Whether the formula depends on time."""
        return False

    def formula(self, time: float, past: Past) -> Formula:
        """The formula of the step that ends at `time`."""
        raise NotImplementedError

    def next_phase(self, past: Past) -> int:
        """The phase after a step."""
        return 0


@dataclass(frozen=True, repr=False)
class Tunable(StagedMethod):
    """A method with an asymptotic spectral radius."""

    rho: DriveLike = 0.6

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"rho of {type(self).__name__}"
        if isinstance(self.rho, dict):
            object.__setattr__(self, "rho", drive_from_dict(self.rho).named(what))
        elif callable(self.rho):
            object.__setattr__(self, "rho", as_drive(self.rho, what))
        else:
            object.__setattr__(self, "rho", self._checked(checks.number(self.rho, what)))

    def _checked(self, rho: float) -> float:
        if not 0 <= rho <= 1:
            raise ModelError(
                f"rho of {type(self).__name__} must be between 0 and 1, found {rho:g}; it is the "
                "part of the fastest oscillations that is left after a step"
            )
        return rho

    @property
    def varying(self) -> bool:
        return isinstance(self.rho, Drive)

    def radius(self, time: float) -> float:
        """rho at a time."""
        rho: Any = self.rho
        return self._checked(float(rho(time))) if isinstance(rho, Drive) else rho


# ----------------------------------------------------------------------------- one and two steps


@dataclass(frozen=True, repr=False)
class ImplicitEuler(StagedMethod):
    """y_k = y_{k−1} + h ẏ_k: first order, damps everything it does not resolve."""

    kind: ClassVar[int] = STEPS

    @property
    def order(self) -> int:
        return 1

    def formula(self, time: float, past: Past) -> Formula:
        return _backward_euler(self.past)


@dataclass(frozen=True, repr=False)
class CrankNicolson(StagedMethod):
    """y_k = y_{k−1} + h/2 (ẏ_k + ẏ_{k−1}): the trapezoidal rule, damps nothing.

    With constraints on positions alone its multipliers oscillate and grow, so it is stabilized
    unless told otherwise.
    """

    stabilized: bool = field(default=True, kw_only=True)
    kind: ClassVar[int] = STEPS

    def formula(self, time: float, past: Past) -> Formula:
        return _crank_nicolson(self.past)


@dataclass(frozen=True, repr=False)
class BDF(StagedMethod):
    """Backward differences of order one or two; the first step of order two is Crank-Nicolson's."""

    order: int = 2
    kind: ClassVar[int] = STEPS
    past: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order not in (1, 2) or isinstance(self.order, bool):
            raise ModelError(f"order of BDF must be 1 or 2, found {checks.show(self.order)}")

    def formula(self, time: float, past: Past) -> Formula:
        if self.order == 1:
            return _backward_euler(self.past)
        return _several(2, 0.0, self.past, past)


_backward_euler = functools.cache(multistep.backward_euler)
_crank_nicolson = functools.cache(multistep.crank_nicolson)
_ms2 = functools.lru_cache(maxsize=512)(multistep.ms2)
_ms_k = functools.lru_cache(maxsize=512)(multistep.ms_k)
_ss_k = functools.lru_cache(maxsize=512)(multistep.ss_k)
_hope_second = functools.lru_cache(maxsize=512)(multistep.hope_second)


def _several(k: int, rho: float, slots: int, past: Past) -> Formula:
    """The formula of as many steps, up to k, as there are equal ones behind.

    The first step is Crank-Nicolson's; after a change of size the two-step formula, which allows
    for it, and then three and four steps again.
    """
    if past.ratio is None:
        return _crank_nicolson(slots)
    usable = min(k, past.equal + 1)
    return _ms_k(usable, rho, slots) if usable > 2 else _ms2(rho, past.ratio, slots)


# ------------------------------------------------------------------------------ k-step methods


@dataclass(frozen=True, repr=False)
class MS2(Tunable):
    """Two-step method of second order; rho = 0 is BDF2."""

    kind: ClassVar[int] = STEPS
    past: ClassVar[int] = 2

    def formula(self, time: float, past: Past) -> Formula:
        return _several(self.past, self.radius(time), self.past, past)


@dataclass(frozen=True, repr=False)
class MS3(MS2):
    """Three-step method of second order: dissipation flatter at low frequencies than MS2."""

    past: ClassVar[int] = 3


@dataclass(frozen=True, repr=False)
class MS4(MS2):
    """Four-step method of second order: dissipation flatter at low frequencies than MS3."""

    past: ClassVar[int] = 4


@dataclass(frozen=True, repr=False)
class Hope(Tunable):
    """Pairs of steps: Crank-Nicolson's, then one over both; rho holds over the pair.

    rho = 0 is TR-BDF2 with equal halves.  A change of the step's size begins a new pair.
    Stabilized unless told otherwise.
    """

    stabilized: bool = field(default=True, kw_only=True)
    kind: ClassVar[int] = STEPS
    past: ClassVar[int] = 2

    def formula(self, time: float, past: Past) -> Formula:
        if past.phase == 0 or past.ratio != 1.0:
            return _crank_nicolson(self.past)
        return _hope_second(self.radius(time))

    def next_phase(self, past: Past) -> int:
        return 0 if past.phase == 1 and past.ratio == 1.0 else 1


# ------------------------------------------------------------------------- single-step filters


@dataclass(frozen=True, repr=False)
class SS2(Tunable):
    """MS2's spectrum in a single step that starts by itself."""

    kind: ClassVar[int] = FILTER
    past: ClassVar[int] = 3

    def formula(self, time: float, past: Past) -> Formula:
        return _ss_k(self.past - 1, self.radius(time))


@dataclass(frozen=True, repr=False)
class SS3(SS2):
    """MS3's spectrum in a single step that starts by itself."""

    past: ClassVar[int] = 4


@dataclass(frozen=True, repr=False)
class SS4(SS2):
    """MS4's spectrum in a single step that starts by itself."""

    past: ClassVar[int] = 5


# --------------------------------------------------------------------------- composite methods


@functools.lru_cache(maxsize=512)
def _conserving(n: int, rho: float) -> Formula:
    return stage_formula(tableaux.bathe(rho) if n == 2 else tableaux.msstc(n, rho), 2)


@functools.lru_cache(maxsize=512)
def _high(n: int, rho: float) -> Formula:
    return stage_formula(tableaux.mssth(n, rho), n)


@dataclass(frozen=True, repr=False)
class Bathe(Tunable):
    """Two sub-steps: the trapezoidal rule, then a formula over the whole step.

    Stabilized unless told otherwise, as its successors with more sub-steps.
    """

    stabilized: bool = field(default=True, kw_only=True)
    substeps: ClassVar[int] = 2

    def formula(self, time: float, past: Past) -> Formula:
        return _conserving(self.substeps, self.radius(time))


@dataclass(frozen=True, repr=False)
class MSSTC3(Bathe):
    """Three sub-steps, second order, dissipation as flat as they allow."""

    substeps: ClassVar[int] = 3


@dataclass(frozen=True, repr=False)
class MSSTC4(Bathe):
    """Four sub-steps, second order, dissipation as flat as they allow."""

    substeps: ClassVar[int] = 4


@dataclass(frozen=True, repr=False)
class MSSTC5(Bathe):
    """Five sub-steps, second order, dissipation as flat as they allow."""

    substeps: ClassVar[int] = 5


@dataclass(frozen=True, repr=False)
class MSSTH3(Tunable):
    """Third order with three implicit stages and any rho.  Stabilized unless told otherwise."""

    stabilized: bool = field(default=True, kw_only=True)
    substeps: ClassVar[int] = 3

    @property
    def order(self) -> int:
        return self.substeps

    def formula(self, time: float, past: Past) -> Formula:
        return _high(self.substeps, self.radius(time))


@dataclass(frozen=True, repr=False)
class MSSTH4(MSSTH3):
    """Fourth order with four implicit stages and any rho.  Stabilized unless told otherwise."""

    substeps: ClassVar[int] = 4


@dataclass(frozen=True, repr=False)
class MSSTH5(MSSTH3):
    """Fifth order with five implicit stages and any rho.  Stabilized unless told otherwise."""

    substeps: ClassVar[int] = 5


# ------------------------------------------------------------------------ Runge-Kutta methods


@dataclass(frozen=True, repr=False)
class DIRK33(StagedMethod):
    """Three implicit stages, third order, L-stable.  Stabilized unless told otherwise."""

    stabilized: bool = field(default=True, kw_only=True)

    @property
    def order(self) -> int:
        return 3

    def formula(self, time: float, past: Past) -> Formula:
        return _dirk33()


@dataclass(frozen=True, repr=False)
class DIRK43(DIRK33):
    """Four implicit stages, third order with small errors, L-stable."""

    def formula(self, time: float, past: Past) -> Formula:
        return _dirk43()


@dataclass(frozen=True, repr=False)
class DIRK54(DIRK33):
    """Five implicit stages, fourth order, L-stable.  Stabilized unless told otherwise."""

    @property
    def order(self) -> int:
        return 4

    def formula(self, time: float, past: Past) -> Formula:
        return _dirk54()


_dirk33 = functools.cache(lambda: stage_formula(tableaux.dirk33(), 3))
_dirk43 = functools.cache(lambda: stage_formula(tableaux.dirk43(), 3))
_dirk54 = functools.cache(lambda: stage_formula(tableaux.dirk54(), 4))
