"""Runs that go on from a file: to another file, in memory, or in the same file.

In the same file the earlier rows come first.  A row that was stored only because the run was
stopped there, between every so many steps, is left out, so that the file ends up as that of one
uninterrupted run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.results.result import Result

COUNTED = ("steps", "repairs", "seconds", "cpu_seconds")


@dataclass
class Earlier:
    """A result whose file the run goes on with, and how many of its rows are kept."""

    result: Result
    kept: int

    @classmethod
    def of(cls, result: Result) -> Earlier:
        return cls(result, len(result) - bool(result.info.get("between")))

    @property
    def angles(self) -> dict[str, float]:
        """At the start of the first part."""
        return dict(self.result.info.get("angles") or {})

    def added_to(self, info: dict[str, Any]) -> dict[str, Any]:
        """What both parts counted."""
        before = self.result.info
        return {**info, **{k: info[k] + before.get(k, 0) for k in COUNTED}}
