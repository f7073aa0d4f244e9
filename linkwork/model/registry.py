"""The registry of items and of element families.

An *item* is what the user adds to a model (Revolute, Spring …).  When the model is compiled an
item gives *entries*; an entry is one row in the table of an element *family* (lock, spring …),
which owns one compiled kernel.  Subclassing Item registers the item; tests, files and readers find
it here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.math.compiled import Kernel

ITEMS: dict[str, type[Item]] = {}


@dataclass(frozen=True)
class Family:
    """An element family: its kernel and the shape of its table.

    bodies : how many bodies an element joins;   rows : most constraint rows it can have
    reals  : real numbers per element;           memory : whether it keeps history (see `accept`)

    The functions for results work in numpy over T times: reals (T, n) and, as lists over the
    bodies, r (T, 3), q (T, 4), v (T, 3) in world axes and omega (T, 3) in body axes.
    """

    name: str
    kernel: Kernel
    bodies: int
    reals: int
    rows: int = 0
    memory: bool = False
    reaction: Callable | None = None  # numpy: wrench on the second body, for results
    potential: Callable | None = None  # numpy: (reals, r, q) -> energy, where there is one
    outputs: Callable | None = None  # numpy: (reals, r, q, v, omega) -> named results


@dataclass
class Law:
    """Numbers of an entry that depend on time: columns from `column`, by a function of times."""

    column: int
    values: Callable[[np.ndarray], np.ndarray]  # (T,) -> (T, length)
    length: int


@dataclass
class Entry:
    """One element: a row of its family's table."""

    family: Family
    bodies: tuple[Any, ...]  # body items or GROUND
    reals: np.ndarray
    rows: tuple[int, ...] = ()  # active constraint rows
    driven: tuple[int, ...] = ()  # those of them that a motion law drives
    laws: list[Law] = field(default_factory=list)
    row_names: tuple[str, ...] = ()
    keep: Any = None  # what must live as long as the element does (callbacks)


class Item:
    """Anything that can be added to a model under a name.

    A subclass is a dataclass(eq=False) whose fields are the user's words.  It gives
    `entries()`, and `sample(rng, a, b)`: a random instance between two bodies for the test that
    checks the derivatives of every registered item.
    """

    name: str | None = None
    abstract: ClassVar[bool] = False

    def __init_subclass__(cls, abstract: bool = False, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.abstract = abstract
        if not abstract:
            ITEMS[cls.__name__] = cls

    @property
    def label(self) -> str:
        """How messages call the item: revolute 'pin'."""
        kind = type(self).__name__
        return f"{kind} '{self.name}'" if self.name else f"a {kind}"

    def entries(self) -> list[Entry]:
        raise ModelError(f"{self.label} cannot be compiled: it gives no elements")

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Item:
        raise NotImplementedError(f"{cls.__name__}.sample is needed for the derivative test")

    def words(self) -> dict[str, Any]:
        """The fields that describe the item, for files and for copying it."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}  # type: ignore[arg-type]
