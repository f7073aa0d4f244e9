"""Model: names and items.  Cheap, mutable, no numerics."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.copies import Copies
from linkwork.model.given import PathLike, VectorLike
from linkwork.model.registry import Item

T = TypeVar("T", bound=Item)
PLANES = {"xy": 2, "xz": 1, "yz": 0}  # and the axis across each


def is_name(name: str) -> bool:
    """Whether a text can name an item: results are asked for as "rod.position"."""
    return bool(name) and name == name.strip() and name.isprintable() and not set(name) & set("./")


class Model:
    """A mechanism: bodies, joints, forces under names, and gravity (a vector, m/s²).

    planar : "xy", "xz" or "yz" for a mechanism that moves in that plane alone.  Bodies are held in
             it, joints that close loops hold the rows that act in it, and what leads out of it is
             refused; so there are no redundant rows but those that the plane itself has

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body(mass=1, inertia=(0, 0, 0), position=(0, 0, -1)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    """

    def __init__(
        self, name: str = "model", gravity: VectorLike = (0.0, 0.0, 0.0), *,
        planar: str | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(name, str) or not name.isprintable():
            raise ModelError(
                f"the name of a model must be a text of one line, but {checks.show(name)} was "
                'given; write for example lw.Model("pendulum", gravity=(0, 0, -9.81))'
            )
        self.name = name
        self.gravity = gravity
        self.planar = planar
        self.items: dict[str, Item] = {}
        self.surroundings: dict[str, Any] = {"air": None, "items": self.items}
        self.copies: Copies | None = None  # of a private copy: of what, and of its items
        self.warnings_issued: set[str] = set()  # by the analysis of a private copy, each once
        self.places: dict[str, str] = {}  # of items that were read: file and line of their cards

    @property
    def gravity(self) -> np.ndarray:
        """The vector of gravity (m/s²)."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: VectorLike) -> None:
        self._gravity = checks.vector(value, f"gravity of model '{self.name}'")

    @property
    def air(self) -> Any:
        """The air that lifting surfaces move through, an lw.Air; None without."""
        return self.surroundings["air"]

    @air.setter
    def air(self, value: Any) -> None:
        if value is not None and not getattr(value, "surrounds", False):
            raise ModelError(
                f"air of model '{self.name}' must be an lw.Air, but {checks.show(value)} was "
                "given; write for example m.air = lw.Air(density=1.225, velocity=(30, 0, 0))"
            )
        if self.air is not None:
            self.remove(self.air.name)
        if value is not None:
            self.add("air", value)

    @property
    def planar(self) -> str | None:
        """The plane that the model moves in, "xy", "xz" or "yz"; None in space."""
        return self._planar

    @planar.setter
    def planar(self, value: str | None) -> None:
        if value is not None and (not isinstance(value, str) or value not in PLANES):
            raise ModelError(
                f"planar of model '{self.name}' must be 'xy', 'xz' or 'yz', or None in space, but "
                f"{checks.show(value)} was given"
            )
        self._planar = value

    @property
    def normal(self) -> np.ndarray:
        """The direction across the plane of a planar model."""
        return np.eye(3)[PLANES[str(self.planar)]]

    def add(self, name: str, item: T) -> T:
        """Add an item under a name and return it."""
        if not isinstance(name, str) or not is_name(name):
            raise ModelError(
                "the name of an item must be a text of one line without '.' or '/' and without "
                f"blanks at its ends, but {checks.show(name)} was given"
            )
        if name == "ground":
            raise ModelError("the name 'ground' is taken by the ground; choose another")
        if name in self.items:
            raise ModelError(
                f"model '{self.name}' has an item named '{name}' already "
                f"({self.items[name].label}); choose another name"
            )
        if not isinstance(item, Item):
            raise ModelError(
                f"'{name}' must be a body, joint or force, but {checks.show(item)} was given; "
                'write for example model.add("rod", lw.Body(...))'
            )
        if item.name is not None:
            raise ModelError(
                f"the item added as '{name}' is in a model already, as '{item.name}'; "
                "make a new one for every name"
            )
        item.take_name(name)
        self.items[name] = item
        if item.surrounds and self.air is None:  # the first is that of all, others of some
            self.surroundings["air"] = item
        if item.needs_air:
            item.__dict__["surroundings"] = self.surroundings
        for word, companion in item.companions().items():
            self.add(f"{name}_{word}", companion)
        return item

    def remove(self, name: str) -> Item:
        """Take an item out again."""
        item = self[name]
        del self.items[name]
        item.name = None
        if item is self.air:
            self.surroundings["air"] = None
        return item

    def own(self, x: Any) -> Any:
        """The item, body or node of this private copy for one of the original; else x itself."""
        return x if self.copies is None else self.copies.known.get(id(x), x)

    def is_copy_of(self, other: Model) -> bool:
        """Whether it is a private copy of another model, or that model itself."""
        return self.own(other) is self

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"copies": None}  # of objects that are not pickled with it

    def show(
        self, *, port: int | None = None, browser: bool = True, block: bool | None = None
    ) -> Any:
        """Open a page with the model as it is described, before any joint is closed."""
        from linkwork.view.described import described  # layer: the viewer, when asked for

        return described(self).show(port=port, browser=browser, block=block)

    def animate(self, path: PathLike | None = None) -> Any:
        """Write an .html file with the model as it is described, to turn and look at."""
        from linkwork.view.described import described  # layer: the viewer, when asked for

        return described(self).animate(path)

    def picture(self, path: PathLike | None = None, **options: Any) -> Any:
        """A picture of the model as it is described, as `Result.picture`."""
        from linkwork.view.described import described  # layer: the viewer, when asked for

        return described(self).picture(path, **options)

    def __getitem__(self, name: str) -> Any:
        if name in self:
            return self.items[name]
        near = difflib.get_close_matches(name if isinstance(name, str) else "", self.items, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise ModelError(f"model '{self.name}' has no item named {checks.show(name)}{hint}")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.items

    def __iter__(self) -> Iterator[str]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def summary(self) -> str:
        """Bodies, joints, degrees of freedom, redundant rows and the joint graph in words."""
        from linkwork.analysis.overview.overview import summary  # layer: needs the rank

        return summary(self)

    def draw_graph(self, ax: Any = None) -> Any:
        """Draw the joint graph: bodies and the ground as nodes, joints as lines; returns axes."""
        from linkwork.analysis.overview.overview import draw_graph  # layer: beside the summary

        return draw_graph(self, ax)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from linkwork.analysis.overview.overview import summary_html  # layer: beside the summary

        return summary_html(self)

    def __repr__(self) -> str:
        kinds: dict[str, int] = {}
        for item in self.items.values():
            kinds[type(item).__name__] = kinds.get(type(item).__name__, 0) + 1
        content = ", ".join(f"{n} {kind}" for kind, n in kinds.items()) or "empty"
        return f"Model '{self.name}': {content}"


def private_copy(model: object) -> Model:
    """The copy that an analysis works on, so that the user's model stays as it is; a private copy
    itself, so that all parts of an analysis share one."""
    if not isinstance(model, Model):
        raise ModelError(f"expected a linkwork Model, but {type(model).__name__} was given")
    if model.copies is not None:
        return model
    copies = Copies()
    copy: Model = copies.of_model(model)
    copy.copies, copy.warnings_issued = copies, set()
    return copy
