"""A study on disk, so that it can be resumed: one line of JSON per finished variant.

The first line says what the study is.  A line that was cut off when the process was killed or the
disk was full is ignored and its variant run again; so are variants that failed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from linkwork.errors import ResultFileError
from linkwork.results.files.file import beside, cannot_write, check_writable
from linkwork.study.variant import Outcome

FORMAT = "linkwork study 1"


class Store:
    """The file of one study; without a path nothing is kept."""

    def __init__(self, path: Any, parameters: list[dict[str, Any]]) -> None:
        self.path = None if path is None else check_writable(path)
        self.header = json.dumps({"format": FORMAT, "variants": parameters})
        self.done: dict[int, Outcome] = {}
        if self.path is None:
            return
        try:
            if os.path.exists(self.path) and os.path.getsize(self.path):
                self._read(self.path)
            else:
                self.path.write_text(self.header + "\n", encoding="utf-8")
        except OSError as error:
            raise cannot_write(self.path, error) from error

    def _read(self, path: Path) -> None:
        first, *lines = path.read_bytes().split(b"\n")
        if record(first).get("format") != FORMAT:
            raise ResultFileError(f"'{path}' is not the file of a study; give another path")
        if first != self.header.encode():
            raise ResultFileError(
                f"'{path}' holds a study of other parameters; give another path, or delete it "
                "to start anew"
            )
        complete = [line for line in lines if record(line).keys() == Outcome.__annotations__.keys()]
        for line in complete:
            outcome = Outcome(**record(line))
            if not outcome.failure:
                self.done[outcome.number] = outcome
        if len(complete) + 1 != len(lines) or lines[-1]:  # the file in its place stays whole
            beside(path).write_bytes(b"\n".join([first, *complete, b""]))
            os.replace(beside(path), path)

    def keep(self, outcome: Outcome) -> None:
        """Note an outcome at once, in the file too."""
        self.done[outcome.number] = outcome
        if self.path is not None:
            try:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(vars(outcome)) + "\n")
            except OSError as error:
                raise cannot_write(self.path, error) from error


def record(line: bytes) -> dict[str, Any]:
    """What a line says; nothing where it was cut off or is not ours."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
