"""What a deck says of aerodynamics: airfoil tables, the air, surfaces and rotors by label."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class SurfaceRecord:
    """An aerodynamic element: its item in the model, its nodes, and what of it is written.

    carrier : the label of the node or of the beam that carries it
    """

    label: int
    item: str
    carrier: int
    nodes: tuple[int, ...]
    layout: str  # "std", "node" or "generic"
    output: bool
    pieces: np.ndarray = field(default_factory=lambda: np.zeros(0, int))  # the node of each point


@dataclass
class RotorRecord:
    """A rotor: its item in the model, and whether it is written."""

    label: int
    item: str
    output: bool
    craft: int
    hub: int
    axes: np.ndarray
    make: Any = None
    made: Any = None

    def rotor(self) -> Any:
        """The item, made when a surface first asks for it."""
        if self.made is None:
            self.made = self.make()
        return self.made


@dataclass
class CraftRecord:
    """A generic aerodynamic force: its node, and the point and axes on it."""

    label: int
    node: Any
    offset: np.ndarray
    axes: np.ndarray
    alpha_first: bool


@dataclass
class InstrumentsRecord:
    """Aircraft instruments: their node, and the axes of the aircraft on it."""

    label: int
    node: Any
    axes: np.ndarray


@dataclass
class AeroDeck:
    """Airfoils, surfaces, rotors and instruments by label; the card of the air."""

    foils: dict[int, Any] = field(default_factory=dict)
    surfaces: dict[int, SurfaceRecord] = field(default_factory=dict)
    rotors: dict[int, RotorRecord] = field(default_factory=dict)
    gusts: list[tuple[Any, Any]] = field(default_factory=list)  # card, and how each is made
    craft: dict[int, CraftRecord] = field(default_factory=dict)
    instruments: dict[int, InstrumentsRecord] = field(default_factory=dict)
    velocity: Any = None  # makes the velocity of the air, three drives of time
    air: Any = None
    air_output: bool = False
