"""The registry of items and of element families.

An *item* is what the user adds to a model (Revolute, Spring …).  When the model is compiled an
item gives *entries*; an entry is one row in the table of an element *family* (lock, spring …),
which owns one compiled kernel.  Subclassing Item registers the item; tests, files and readers find
it here.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.addresses import address_of
from linkwork.model import checks
from linkwork.model.calls import explained_maker, hint, refuse_call
from linkwork.model.drives import Drive
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.nodes import Node
from linkwork.model.outputs import Output, Role
from linkwork.model.signals.load_readings import loads_read

ITEMS: dict[str, type[Item]] = {}


@dataclass(frozen=True)
class Memory:
    """Numbers that an element remembers, in this order.

    notes : say when a corner of its force was passed (elements.corners): how many, written in every
            evaluation; the others when a step is accepted
    turns : angles counted over turns: the outputs of the family that they are
    path  : of a path, such as the deflection of bristles or held signals: how many
    """

    notes: int = 0
    turns: tuple[str, ...] = ()
    path: int = 0

    @property
    def size(self) -> int:
        return self.notes + len(self.turns) + self.path

    @property
    def moves(self) -> bool:
        """Whether it depends on accepted steps."""
        return self.size > self.notes

    @property
    def touches(self) -> bool:
        """Whether a path begins at a corner: of contacts."""
        return self.notes > 0 and self.path > 0


@dataclass(frozen=True)
class Family:
    """An element family: its kernel and the shape of its table.

    bodies : how many bodies and nodes an element joins;   rows : most constraint rows it can have
    reals  : real numbers per element
    integers : integers per element, after those of its ends, rows and reads (elements.layout)
    memory : what an element remembers
    reads  : of how many multipliers of other elements it is told the places, behind its other ints
    """

    name: str
    kernel: Kernel
    bodies: int
    reals: int
    rows: int = 0
    integers: int = 0
    memory: Memory = Memory()
    reads: int = 0
    answers: int = -1  # of a node that follows three multipliers: where among its reals it leaves
    # its slopes by them (linear_algebra.low_rank)
    numbers: int = 0  # of a sensor of friction: where among its reals those of the element begin
    angles: tuple[int, ...] = ()  # rows that measure rotations, not lengths
    velocity: tuple[int, ...] = ()  # rows that are conditions on velocities, A v + C_t = 0
    shares: bool = False  # elements with the same numbers read those of the first of them
    whole: bool = False  # may write the blocks between its bodies instead of adding to them
    signal: bool = False  # computes a number of another element (elements.signals.signals)
    inertial: bool = False  # its forces depend on accelerations
    loads: tuple[int, ...] = ()  # of a load: the reals that all its forces are proportional to
    slender: bool = False  # far stiffer along its axis than across it
    # numpy: reals (T, n) -> its `Mass` on each of its ends, those of bodies as rigid ones
    masses: Callable | None = None
    outputs: tuple[Output, ...] = ()  # what the kernel writes, in this order (model.outputs)

    def __hash__(self) -> int:
        return hash(self.name)  # one of all fields takes longer than what it is looked up for

    @property
    def stores_energy(self) -> bool:
        """Whether it has a potential energy."""
        return any(x.role is Role.STORED for x in self.outputs)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickled by its name in its module, so that a restored run has the families of this
        process, which are told apart by identity; one that a function has made, by its values."""
        for module in [m for name, m in sys.modules.items() if name.startswith("linkwork.")]:
            for name, value in vars(module).items():
                if value is self:
                    return named_family, (module.__name__, name)
                if type(value) is dict and name.isupper():
                    for key, one in value.items():
                        if one is self:
                            return named_family, (module.__name__, name, key)
        return super().__reduce_ex__(protocol)


def named_family(module: str, name: str, *key: Any) -> Family:
    """The family that a module of linkwork has under a name, or in a dict of that name."""
    found = getattr(importlib.import_module(module), name)
    return found[key[0]] if key else found


@dataclass
class Law:
    """Numbers of an entry that depend on time: columns from `column`, by a function of times.

    signal : a drive that reads the motion (signals.readings); then it is one number, and the times
             alone do not say it
    """

    column: int
    values: Callable[[np.ndarray], np.ndarray]  # (T,) -> (T, length)
    length: int
    signal: Drive | None = None


class Mass(NamedTuple):
    """A mass on an end of an element over T times, in the axes of the end."""

    mass: np.ndarray  # (T,)
    centre: np.ndarray  # (T, 3) from the origin of the end
    inertia: np.ndarray  # (T, 3, 3) about that centre
    mass_rate: Any = 0.0
    centre_rate: Any = 0.0
    shape_rate: Any = 0.0  # of the inertia, because masses move


def point_masses(mass: np.ndarray, centre: np.ndarray | None = None) -> Mass:
    """Masses (T,) of points, at the origin of their end or at a centre (T, 3)."""
    T = len(mass)
    return Mass(mass, np.zeros((T, 3)) if centre is None else centre, np.zeros((T, 3, 3)))


@dataclass
class Entry:
    """One element: a row of its family's table."""

    family: Family
    bodies: tuple[Any, ...]  # what it acts on: bodies, vector nodes, GROUND, REFERENCE
    reals: np.ndarray
    rows: tuple[int, ...] = ()  # active constraint rows
    driven: tuple[int, ...] = ()  # those of them that a motion law drives
    laws: list[Law] = field(default_factory=list)
    row_names: tuple[str, ...] = ()
    reads: tuple[tuple[Any, int, int], ...] = ()  # item, which of its entries, row
    # numbers of the family's integer columns; a callback, a routine, a kernel or an array stands
    # for its address, which is good in one process alone
    integers: tuple[Any, ...] = ()
    memory: np.ndarray = field(default_factory=lambda: np.zeros(0))  # at the start
    keep: Any = None  # what must live as long as the element does (callbacks)
    acts_on: Any = None  # of a signal: the entry and its law, and how many bodies that one loads
    corner: Any = None  # where its force begins (elements.corners.Corner), of families with notes
    # the entry for other masses than the bodies' own, of both as they move in the model
    with_masses: Callable[[list[float]], Entry] | None = None

    @property
    def integer_row(self) -> np.ndarray:
        """Its integers, with the addresses of this process."""
        return np.array([address_of(x) for x in self.integers], np.int64)

    @property
    def numbers(self) -> tuple[np.ndarray, ...]:
        """Its row, after its integers where its family has some: for functions for results."""
        return self.numbers_with(self.row)

    @property
    def row(self) -> np.ndarray:
        """Its reals, and behind them its memory."""
        return np.concatenate([np.asarray(self.reals, float), self.memory])

    def numbers_with(self, row: np.ndarray) -> tuple[np.ndarray, ...]:
        """The same with another row, or those of several times."""
        return (self.integer_row, row) if self.family.integers else (row,)

    def masses(self, times: Any = None) -> list[Mass]:
        """Its masses on its ends at some times; without these at the start, without a time axis."""
        if self.family.masses is None:
            return []
        start = times is None
        reals = np.tile(np.asarray(self.reals, float), (1 if start else len(times), 1))
        for law in self.laws if not start else ():
            reals[:, law.column : law.column + law.length] = law.values(times)
        found = self.family.masses(*self.numbers_with(reals))
        return [Mass(*(x[0] for x in mass[:3])) for mass in found] if start else found

    @property
    def loaded(self) -> bool:
        """Whether it reads multipliers of other elements."""
        return any(row >= 0 for _, _, row in self.reads)


class ValidatingMeta(type):
    """Marks items whose constructor has ended; from then on they check what is assigned."""

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        for name, value in (*zip(parameter_names(cls), arguments), *keywords.items()):
            large = checks.too_large(value)
            if large is not None:
                raise checks.beyond_range(f"{name} of {article(cls.__name__)}", large)
        try:
            item = super().__call__(*arguments, **keywords)
        except TypeError as error:
            refuse_call(cls.__name__, cls.__signature__, arguments, keywords)
            raise error
        item.copy_parameters()
        item.__dict__["made"] = True
        return item

    @property
    def __signature__(cls) -> inspect.Signature:
        """What help and editors show: the parameters of the constructor."""
        made = inspect.signature(cls.__init__)  # type: ignore[misc]
        return made.replace(parameters=list(made.parameters.values())[1:])


def article(kind: str) -> str:
    """How messages call an item without a name: a Revolute."""
    return f"{'an' if kind[0] in 'AEIO' else 'a'} {kind}"


PLAIN = frozenset({type(None), bool, int, float, str, np.ndarray})  # of parameters: no drives


@cache
def parameter_names(kind: Any) -> tuple[str, ...]:
    """The names of the fields with which items of a class are made."""
    return tuple(f.name for f in fields(kind) if f.init)


class Item(metaclass=ValidatingMeta):
    """Anything that can be added to a model under a name.

    A subclass is a dataclass(eq=False) whose fields are its parameters.  It gives
    `entries()`, and `sample(rng, a, b)`: a random instance between two bodies for the test that
    checks the derivatives of every registered item.

    `__post_init__` checks the parameters; it runs again whenever one of them is assigned, so that a
    wrong value is refused there too, and it must therefore accept what it has made itself.
    """

    name: str | None = None
    failure: Any = None  # of a function that it calls while the model moves
    abstract: ClassVar[bool] = False
    surrounds: ClassVar[bool] = False  # is the air of its model (Model.air)
    needs_air: ClassVar[bool] = False
    has_range: ClassVar[bool] = False  # is meant for motions that a run is looked through for
    slackens: ClassVar[bool] = False  # becomes taut and slack faster than steps resolve
    view: ClassVar[str] = "element"  # how its results are seen (results/outputs/views/choice.py)
    surroundings: ClassVar[dict[str, Any]] = {}  # of items that need air, once they are in a model
    places: ClassVar[frozenset[str]] = frozenset(  # parameters that say where markers are
        {"a", "b", "at", "axis", "orientation", "at_a", "at_b", "axis_a", "axis_b", "frames"}
    )

    def __init_subclass__(cls, abstract: bool = False, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.abstract = abstract
        for name, value in list(vars(cls).items()):
            if isinstance(value, classmethod) and name != "sample":
                setattr(cls, name, classmethod(explained_maker(value.__func__)))
        if not abstract:
            ITEMS[cls.__name__] = cls

    def __setattr__(self, name: str, value: Any) -> None:
        if "made" not in self.__dict__:
            object.__setattr__(self, name, value)
            return
        known = self.parameters()
        if name not in known:
            if name not in self.__dict__ and not hasattr(type(self), name):
                raise ModelError(
                    f"{self.label} has no parameter '{name}'; {hint(name, list(known), {})}"
                )
            object.__setattr__(self, name, value)
            return
        large = checks.too_large(value)
        if large is not None:
            raise checks.beyond_range(f"{name} of {self.label}", large)
        before = self.__dict__.copy()
        del self.__dict__["made"]
        try:
            object.__setattr__(self, name, value)
            self.__post_init__()
            if name not in self.places and "frames" in before:
                self.frames = before["frames"]  # stays where it is on bodies that have moved since
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        self.copy_parameters()
        self.__dict__["made"] = True

    def copy_parameters(self) -> None:
        """Copy lists and arrays, which the user may go on using for something else."""
        for name, value in self.parameters().items():
            if isinstance(value, (list, np.ndarray)):
                self.__dict__[name] = value.copy()

    def __post_init__(self) -> None:
        """Check the parameters."""

    @property
    def by_impulses(self) -> bool:
        """Whether it acts by impulses alone, which few methods know."""
        return False

    @property
    def label(self) -> str:
        """How messages call the item: revolute 'pin'."""
        kind = type(self).__name__
        return f"{kind} '{self.name}'" if self.name else article(kind)

    def needs(self) -> tuple[Item, ...]:
        """Items other than bodies that must be in the model with this one."""
        return ()

    @classmethod
    def refuse_beside(cls, items: list[Item]) -> None:
        """Refuse the items of a model beside which those of this kind would be wrong."""

    def companions(self) -> dict[str, Item]:
        """Items that a shorthand among its parameters stands for, by what is added to its name;
        asked for once, when it comes into a model."""
        return {}

    def read_leaves(self) -> list[Any]:
        """The readings in its drives."""
        return [leaf for drive in self.own_drives() for leaf in leaves_that_follow(drive)]

    def own_drives(self) -> list[Drive]:
        """The drives among its parameters."""
        drives: list[Drive] = []
        for name in parameter_names(type(self)):
            x = getattr(self, name)
            if type(x) in PLAIN:
                continue
            if isinstance(x, Drive):
                drives.append(x)
            elif isinstance(x, (dict, list, tuple)):
                parts = x.values() if isinstance(x, dict) else x
                if not PLAIN.issuperset(map(type, parts)):
                    drives += [part for part in parts if isinstance(part, Drive)]
        return drives

    def read_items(self) -> list[Any]:
        """The items that its drives read."""
        drives = self.own_drives()
        if not drives and type(self).read_leaves is Item.read_leaves:
            return []
        found = [getattr(leaf, "of", getattr(leaf, "item", None)) for leaf in self.read_leaves()]
        found += [load for drive in drives for load in loads_read(drive)]
        return [item for item in found if item is not None]

    def bodies(self) -> list[Any]:
        """The bodies that it brings into a compiled model, in order, each with its name."""
        return []

    def vector_nodes(self) -> list[Node]:
        """The vector nodes that it brings, the same ones whenever it is asked."""
        return []

    def rates_needed(self) -> list[Node]:
        """Nodes, of others too, whose rates are in its equations (`Node.storing`)."""
        return []

    def reading(self, quantity: str, axis: Any) -> Drive:
        """What `lw.reads(item, quantity, axis)` gives; axis: three numbers, or None."""
        raise ModelError(
            f"{self.label} cannot be read; read a body, a Frame, a joint such as a Revolute or a "
            "load such as a Spring, or fix what it acts on to a light body and read the force of "
            "that Fixed joint"
        )

    def load_formula(self, quantity: str, axis: Any) -> Drive:
        """The formula of readings and drives that a reading of a load stands for."""
        raise NotImplementedError(f"{type(self).__name__}.load_formula of {quantity}")

    def accelerometer(self, frame: Any, quantity: str, axis: Any, axes: Any) -> Item:
        """The sensor of an acceleration of a frame on it."""
        raise ModelError(f"accelerations of {self.label} cannot be read; read those of a Body")

    def take_name(self, name: str) -> None:
        """Called when added to a model: messages of its drives name it from now on."""
        self.name = name
        for parameter, value in self.parameters().items():
            if isinstance(value, Drive):
                self.__dict__[parameter] = value.named(f"{parameter} of {self.label}")
            elif isinstance(value, dict):
                self.__dict__[parameter] = {
                    k: v.named(f"{parameter} {k!r} of {self.label}") if isinstance(v, Drive) else v
                    for k, v in value.items()
                }

    def entries(self) -> list[Entry]:
        raise ModelError(f"{self.label} cannot be compiled: it gives no elements")

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Item:
        raise NotImplementedError(f"{cls.__name__}.sample is needed for the derivative test")

    def parameters(self) -> dict[str, Any]:
        """The fields that describe the item, for files and for copying it."""
        return {name: getattr(self, name) for name in parameter_names(type(self))}
