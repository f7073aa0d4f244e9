"""The types of what users give, and of what items make of it.

An item takes three numbers as a tuple, a list or an array, and keeps an array.  A field of an item
that is declared as `Vector` says both to editors and type checkers: it accepts a `VectorLike`, and
reading it gives an array.  When the program runs it is a field like any other: the item's
`__post_init__` checks what was given and puts the value in its place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    from linkwork.model.drives.base import Drive
    from linkwork.model.drives.rotations.rotation import RotationLaw
    from linkwork.model.frame import Frame, Ground

Got = TypeVar("Got", covariant=True)
Set = TypeVar("Set", contravariant=True)


class Given(Protocol[Got, Set]):
    """A field that accepts one type and gives another, in the eyes of type checkers."""

    def __get__(self, item: Any, kind: Any, /) -> Got: ...

    def __set__(self, item: Any, value: Set, /) -> None: ...


def given(default: Any) -> Any:
    """The default value of a field that is declared as one of the types below."""
    return default


class Turned(Protocol):
    """What scipy's Rotation has."""

    def as_quat(self) -> np.ndarray: ...


class Placed(Protocol):
    """What frames can be fixed to: an item with a place and axes, such as a body."""

    @property
    def name(self) -> str | None: ...

    @property
    def position(self) -> np.ndarray: ...

    @property
    def orientation(self) -> np.ndarray: ...


VectorLike: TypeAlias = Sequence[float] | np.ndarray
DirectionLike: TypeAlias = Sequence[float] | np.ndarray | str  # "x", "-z"
MatrixLike: TypeAlias = Sequence[Sequence[float]] | np.ndarray
InertiaLike: TypeAlias = Sequence[float] | Sequence[Sequence[float]] | np.ndarray
OrientationLike: TypeAlias = Sequence[float] | Sequence[Sequence[float]] | np.ndarray | Turned
RowsLike: TypeAlias = str | Sequence[str]
FrameLike: TypeAlias = "Placed | Frame | Ground"
DriveLike: TypeAlias = "Drive | float | Callable[[float], float]"
FunctionsLike: TypeAlias = "DriveLike | Sequence[DriveLike | None] | None"
PreLike: TypeAlias = "DriveLike | Sequence[DriveLike] | np.ndarray | None"
CoefficientLike: TypeAlias = float | Sequence[float] | Sequence[Sequence[float]] | np.ndarray
AlongLike: TypeAlias = (
    float | Sequence[float] | Sequence[Sequence[float]] | np.ndarray | Callable[[float], float]
)
ShapeLike: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]
PathLike: TypeAlias = "str | os.PathLike[str]"
RowLaws: TypeAlias = "Mapping[str, Drive | RotationLaw | float | Callable[[float], float]]"

Number: TypeAlias = Given[float, float | None]
Vector: TypeAlias = Given[np.ndarray, VectorLike]
VectorOrNone: TypeAlias = Given[np.ndarray | None, VectorLike | None]
Matrix: TypeAlias = Given[np.ndarray, InertiaLike]
MatrixOrNone: TypeAlias = Given[Any, InertiaLike | None]
Lengths: TypeAlias = Given[tuple[float, float], float | VectorLike | None]
Pair: TypeAlias = Given[tuple[float, float], VectorLike]
Places: TypeAlias = Given[tuple[float, ...], VectorLike]
Orientation: TypeAlias = Given[np.ndarray, OrientationLike | None]
Function: TypeAlias = "Given[Drive, DriveLike | None]"
SixOrNone: TypeAlias = "Given[tuple[Any, ...] | None, Sequence[DriveLike] | np.ndarray | None]"
FunctionOrNone: TypeAlias = "Given[Drive | None, DriveLike | None]"
Components: TypeAlias = "Given[Sequence[Drive], Sequence[DriveLike] | np.ndarray | None]"
ComponentsOrNone: TypeAlias = (
    "Given[Sequence[Drive] | None, Sequence[DriveLike] | np.ndarray | None]"
)
Inputs: TypeAlias = "Given[list[Drive], DriveLike | Sequence[DriveLike] | np.ndarray]"
Functions: TypeAlias = "Given[dict[str, Drive], RowLaws | None]"
