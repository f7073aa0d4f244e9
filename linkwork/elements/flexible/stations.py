"""Frames along a link or a beam: root, tip, and places s from 0 to 1 between them.

A frame that was made once stays the same object, so that joints keep what they were given.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks


class Stations(tuple):
    """The places along a link that have a frame; called with s from 0 to 1 it gives that frame."""

    link: Any = None

    def __call__(self, s: float) -> Any:
        return self.link.node(s)


class FramesAlong:
    """The part of a link or beam that has frames; `at` are their places between root and tip."""

    at: Any
    frame_kind: ClassVar[Any]  # called with (link, suffix, s)

    def take_stations(self: Any) -> None:
        """Frames at the places given, those made before staying the same objects."""
        nodes = self.__dict__.setdefault("nodes", {})
        for s, suffix in ((0.0, "root"), (1.0, "tip")):
            nodes.setdefault(s, self.frame_kind(self, suffix, s))
        listed = isinstance(self.at, (tuple, list)) or (  # an array of nothing is a mistake
            isinstance(self.at, np.ndarray) and self.at.size > 0
        )
        given = checks.array(self.at) if listed else None
        if given is None or given.ndim != 1 or not np.all((given >= 0) & (given <= 1)):
            raise ModelError(
                f"at of {self.label} must be places from 0 to 1 along it, such as (0.5,), but "
                f"{checks.show(self.at)} was given"
            )
        self.set_stations([s for s in dict.fromkeys(given.tolist()) if 0 < s < 1])
        for s in self.at:
            self.node(s)

    def set_stations(self, places: list[float]) -> None:
        stations = Stations(places)
        stations.link = self
        self.__dict__["at"] = stations

    def node(self: Any, s: float) -> Any:
        """The frame at a place, which is made if there is none yet."""
        place = checks.number(s, f"the place of a frame on {self.label}")
        if not 0 <= place <= 1:
            raise ModelError(
                f"the place of a frame on {self.label} must lie between 0 (root) and 1 (tip), but "
                f"{place:g} was given"
            )
        nodes = self.__dict__["nodes"]
        if 0 < place < 1 and place not in self.at:
            before = list(self.at)
            self.set_stations([*before, place])
            try:
                self.check_stations()
            except ModelError:
                self.set_stations(before)
                raise
        if place not in nodes:
            self.check_stations()
            nodes[place] = self.frame_kind(self, f"at({place!r})", place)
        return nodes[place]

    def check_stations(self) -> None:
        """Refuse places that cannot have frames."""

    @property
    def root(self) -> Any:
        """The frame at its start."""
        return self.__dict__["nodes"][0.0]

    @property
    def tip(self) -> Any:
        """The frame at its end."""
        return self.__dict__["nodes"][1.0]

    @property
    def frame_hint(self: Any) -> str:
        """What to give where a body is wanted."""
        name = self.name or type(self).__name__.removeprefix("Flexible").lower()
        return f"give one of its frames: {name}.root, {name}.tip or {name}.at(s)"
