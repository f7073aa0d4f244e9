"""Constitutive laws: stress from strain and strain rate, in 1, 3 or 6 components.

    σ = σ₀(t) + g(ε − ε₀(t), ε̇, t),   K = ∂σ/∂ε,   D = ∂σ/∂ε̇

σ₀ is the pre-stress and ε₀ the pre-strain.  A law may store energy W, whose gradient is the part
σ_s of g; the rest of g dissipates.  With U = σ₀·ε + W(ε − ε₀, t),

    σ·ε̇ = dU/dt + (σ − σ₀ − σ_s)·ε̇ − (σ̇₀·ε − σ_s·ε̇₀ + ∂W/∂t)        dissipated and supplied power

Where σ₀ or ε₀ follows the motion (lw.reads) its rate has accelerations in it.  Such a law counts no
energy as stored: all of its power −σ·ε̇ is supplied.

A law is a small dataclass with the user's words, and one routine (memory.pointers) that all its
elements share; joints call it by the address that stands in their numbers, so a new law never
recompiles a joint, and only laws that a model uses are compiled.

Reals of a law, p:    [σ₀ σ̇₀ ε₀ ε̇₀, six each][its own]
Integers of it, q:    [address][components n][how many reals and integers it has]
                      [whether σ₀ or ε₀ follows the motion][its own]
Work y of a call:     [ε, ε̇, σ, σ_s: six each][K, D: 6×6 each][W][∂W/∂t][whether W is wanted]
                      [which corners are passed, 0 for none][how fast it goes further, or 0]
A law made of laws calls them with the work LEVEL numbers further on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.math.compiled import compiled, inlined
from linkwork.math.memory.addresses import address_of
from linkwork.math.memory.pointers import Routine, begin, call_at, shift
from linkwork.math.record import record
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, as_drive
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.drives.jumps import jumps
from linkwork.model.given import PreLike
from linkwork.model.signals.load_readings import resolved
from linkwork.model.registry import Law

# reals of a law
PRESTRESS, PRESTRAIN, OWN = record(prestress=12, prestrain=12, own=0)
# integers of a law
LAW_INTEGERS = record(routine=1, components=1, reals=1, integers=1, follows=1, own_integers=0)
ROUTINE, COMPONENTS, REALS, INTEGERS, FOLLOWS, OWN_INTEGERS = LAW_INTEGERS
STAYS, MOVES, JUMPS = range(3)  # FOLLOWS; JUMPS: energy would jump with a drive, so none is stored
# work of a call
LAW_WORK = record(
    strain=6, rate=6, stress=6, stored=6, ke=36, kd=36, energy=1, supplied=1, wanted=1, beyond=1,
    further=1,
)  # fmt: skip
(STRAIN, RATE, STRESS, STORED, KE, KD, ENERGY, SUPPLIED, WANTED, BEYOND, FURTHER) = LAW_WORK
LEVEL = LAW_WORK.width
LEVELS, STACK = 4, 640  # work of laws in laws, then the stack of formulas
WORK = LEVEL * LEVELS + STACK


@inlined
def respond(t, p, y, q):
    """The law with the reals p and integers q for the strain and rate in y, pre-stress and
    pre-strain included."""
    n = q[COMPONENTS]
    for i in range(n):
        y[STRAIN + i] -= p[PRESTRAIN + i]
        y[STRESS + i] = 0.0
        y[STORED + i] = 0.0
        for j in range(n):
            y[KE + 6 * i + j] = 0.0
            y[KD + 6 * i + j] = 0.0
    y[ENERGY] = 0.0
    y[SUPPLIED] = 0.0
    y[BEYOND] = 0.0
    y[FURTHER] = 0.0
    call_at(q[ROUTINE], t, p, y, q)
    for i in range(n):
        y[STRAIN + i] += p[PRESTRAIN + i]
        y[SUPPLIED] += p[PRESTRESS + 6 + i] * y[STRAIN + i] - y[STORED + i] * p[PRESTRAIN + 6 + i]
        y[ENERGY] += p[PRESTRESS + i] * y[STRAIN + i]
        y[STRESS + i] += p[PRESTRESS + i]
        y[STORED + i] += p[PRESTRESS + i]
    if q[FOLLOWS] == JUMPS:
        y[ENERGY] = 0.0
        y[SUPPLIED] = 0.0
        for i in range(n):
            y[STORED + i] = 0.0
    elif q[FOLLOWS] == MOVES:
        y[ENERGY] = 0.0
        y[SUPPLIED] = 0.0
        for i in range(n):
            y[STORED + i] = y[STRESS + i]
            y[SUPPLIED] -= y[STRESS + i] * y[RATE + i]


@inlined
def law_at(numbers, i, column):
    """The place of a law's numbers in row i of a table, from a column on."""
    return shift(begin(numbers), i * numbers.shape[1] + column)


@inlined
def pass_corner(y, side, outward):
    """A law is beyond its corner above (side 1) or below (2), and goes further with a speed."""
    y[BEYOND] = side
    y[FURTHER] = max(outward, 0.0)


@compiled
def responses(integers, numbers, strains, rates, wanted, found):
    """Work of calls at many strains and rates (T, n), reals (T, …), integers (T or 1, …); found
    (T, LEVEL)."""
    work = np.zeros(WORK)
    n = strains.shape[1]
    for k in range(strains.shape[0]):
        for i in range(n):
            work[STRAIN + i] = strains[k, i]
            work[RATE + i] = rates[k, i]
        work[WANTED] = wanted
        q = law_at(integers, k if integers.shape[0] > 1 else 0, 0)
        respond(0.0, law_at(numbers, k, 0), begin(work), q)
        for i in range(LEVEL):
            found[k, i] = work[i]


def over_times(
    integers: np.ndarray, numbers: np.ndarray, strains: np.ndarray,
    rates: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """The work (T, LEVEL) of a law at T strains (T, n); its reals (T, …) are those at each, its
    integers the same at all, or (T, …)."""
    strains = np.ascontiguousarray(strains, dtype=float)
    rates = np.zeros_like(strains) if rates is None else np.ascontiguousarray(rates, dtype=float)
    found = np.zeros((len(strains), LEVEL))
    responses(
        np.ascontiguousarray(np.atleast_2d(integers)), np.ascontiguousarray(numbers), strains,
        rates, 1.0, found,
    )  # fmt: skip
    return found


# ----------------------------------------------------------------------------- the user's words

class Code(int):
    """An integer among the numbers of a law: a count, a code of an operation."""


# a number, a drive and which derivative of it, an integer, or the routine of a law within
Own = list[float | tuple[Drive, int] | Code | Routine]


@dataclass(frozen=True, eq=False)
class ConstitutiveLaw:
    """What all laws share: pre-stress and pre-strain, one number or function of time each, or as
    many as there are components.  They may follow the motion (lw.reads).

    A subclass gives `routine` and `own(n, what)`, its numbers for n components.
    """

    prestress: PreLike = field(default=None, kw_only=True)
    prestrain: PreLike = field(default=None, kw_only=True)
    kinds: ClassVar[dict[str, type[ConstitutiveLaw]]] = {}
    routine: ClassVar[Routine]
    sizes: ClassVar[tuple[int, ...]] = (1, 3, 6)
    leading: ClassVar[int | None] = None  # numbers of `own` before those of laws within; None: all

    def __init_subclass__(cls, abstract: bool = False, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if not abstract:
            ConstitutiveLaw.kinds[cls.__name__] = cls

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, (list, np.ndarray)) and checks.array(value) is not None:
                array = checks.array(value)
                assert array is not None
                array.setflags(write=False)
                object.__setattr__(self, f.name, array)

    @property
    def label(self) -> str:
        return f"law {type(self).__name__}"

    def own(self, n: int, what: str) -> Own:
        raise NotImplementedError

    def corners(self) -> list[tuple[float, float]]:
        """Strains of one component beyond which a far stiffer part acts, each with 1 where that is
        above it or −1 below; its routine calls `pass_corner` there."""
        return []

    def numbers(self, n: int, what: str) -> Own:
        """All numbers of the law for n components, which `what` needs."""
        if n not in self.sizes:
            raise ModelError(
                f"{self.label} of {what} has {' or '.join(map(str, self.sizes))} components, but "
                f"{n} are needed; choose another law"
            )
        for word, value in self.parameters().items():
            large = checks.too_large(value)
            if large is not None:
                raise checks.beyond_range(f"{word} of {self.label} of {what}", large)
        own = self.own(n, f"{self.label} of {what}")
        pre = [
            part for word in ("prestress", "prestrain")
            for part in self._jets(word, n, f"{word} of {self.label} of {what}")
        ]  # fmt: skip
        follows = MOVES if any(
            isinstance(x, tuple) and leaves_that_follow(x[0]) for x in pre
        ) else STAYS  # fmt: skip
        if self.switches([*pre, *own[: self.leading]]):
            follows = JUMPS
        integers = sum(map(is_integer, own))
        sizes = OWN + len(own) - integers, OWN_INTEGERS + integers
        return [self.routine, *map(Code, (n, *sizes, follows)), *pre, *own]

    def switches(self, numbers: Own) -> bool:
        """Whether a drive whose rate supplies energy jumps, so that its rate does not tell it."""
        return any(jumps(x[0]) for x in numbers if isinstance(x, tuple) and x[1] == 1)

    def _jets(self, word: str, n: int, what: str) -> Own:
        """Values and rates of a pre-stress or pre-strain, six each."""
        given = getattr(self, word)
        parts = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
        if given is None:
            parts = [0.0] * n
        if len(parts) != n:
            raise ModelError(
                f"{what} must be {n} numbers or functions of time, but {checks.show(given)} was "
                "given"
            )
        pad: Own = [0.0] * (6 - n)
        drives = [as_drive(part, what=what, follows=True) for part in parts]
        rates: Own = [0.0 if leaves_that_follow(d) else (d, 1) for d in drives]
        return [*((d, 0) for d in drives), *pad, *rates, *pad]

    def parameters(self) -> dict[str, Any]:
        """The fields that describe the law, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        """Random laws of n components for the test that checks the derivatives of every law."""
        raise NotImplementedError(f"{cls.__name__}.samples is needed for the derivative test")


def is_integer(number: Any) -> bool:
    """Whether a number of a law is one of its integers."""
    return isinstance(number, (Code, Routine))


def law_numbers(
    law: Any, n: int, what: str, column: int
) -> tuple[np.ndarray, tuple[Any, ...], list[Law]]:
    """A law's reals at t = 0, its integers and what changes the reals in time, for an entry that
    holds these from `column` on."""
    if not isinstance(law, ConstitutiveLaw):
        raise ModelError(
            f"{what} needs a law such as lw.laws.LinearElastic(100.0), but {checks.show(law)} was "
            "given"
        )
    listed = law.numbers(n, what)
    parts: list[Any] = [x for x in listed if not is_integer(x)]
    numbers, laws = np.zeros(len(parts)), []
    for i, part in enumerate(parts):
        if not isinstance(part, tuple):
            numbers[i] = part
        elif isinstance(part[0], Constant):
            numbers[i] = part[0].v if part[1] == 0 else 0.0
        else:
            drive = resolved(part[0])
            signal = drive if leaves_that_follow(drive) else None
            laws.append(Law(column + i, _column(drive, part[1]), 1, signal=signal))
    integers = tuple(int(x) if isinstance(x, Code) else x for x in listed if is_integer(x))
    return numbers, integers, laws


def addresses(integers: tuple[Any, ...]) -> np.ndarray:
    """The integers of a law as kernels read them."""
    return np.array([address_of(x) for x in integers], np.int64)


def padded(integers: tuple[Any, ...], places: int | None = None) -> tuple[Any, ...]:
    """A law's integers with zeros after them; without `places` a power of two, for few families."""
    size = max(8, 1 << (len(integers) - 1).bit_length()) if places is None else places
    return (*integers, *[0] * (size - len(integers)))


def _column(drive: Drive, level: int) -> Any:
    if level == 0:
        return lambda t: drive.values(t)[:, None]
    return lambda t: drive.jet(t)[:, level : level + 1]


def matrix(value: Any, n: int, what: str) -> np.ndarray:
    """An n×n matrix from one number (isotropic), n numbers (diagonal) or the matrix."""
    X = checks.array(value)
    if X is not None and X.ndim == 0:
        X = float(X) * np.eye(n)
    elif X is not None and X.shape == (n,):
        X = np.diag(X)
    if X is None or X.shape != (n, n) or not np.all(np.isfinite(X)):
        raise ModelError(
            f"{what} must be one number, {n} numbers or a {n}×{n} matrix, all finite, but "
            f"{checks.show(value)} was given"
        )
    return X


def vector(value: Any, n: int, what: str) -> np.ndarray:
    """n numbers from one (for all components) or n."""
    X = checks.array(value)
    if X is not None and X.ndim == 0:
        X = np.full(n, float(X))
    if X is None or X.shape != (n,) or not np.all(np.isfinite(X)):
        raise ModelError(
            f"{what} must be one number or {n} numbers, all finite, but {checks.show(value)} was "
            "given"
        )
    return X
