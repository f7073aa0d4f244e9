"""A study on disk, so that it can be resumed: one line of JSON per finished variant.

The first line says what the study is.  A line that was cut off when the process was killed is
ignored and its variant run again; so are variants that failed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from linkwork.errors import ResultFileError
from linkwork.study.variant import Outcome

FORMAT = "linkwork study 1"


class Store:
    """The file of one study; without a path nothing is kept."""

    def __init__(self, path: Any, parameters: list[dict[str, Any]]) -> None:
        self.path = None if path is None else Path(path)
        self.header = {"format": FORMAT, "variants": parameters}
        self.done: dict[int, Outcome] = {}
        if self.path is None:
            return
        if self.path.exists() and self.path.stat().st_size:
            self._read()
        else:
            try:
                self.path.write_text(json.dumps(self.header) + "\n", encoding="utf-8")
            except OSError as error:
                raise ResultFileError(f"cannot write '{self.path}': {error.strerror}") from error

    def _read(self) -> None:
        assert self.path is not None
        lines = self.path.read_text(encoding="utf-8").splitlines()
        try:
            header = json.loads(lines[0])
            known = header["format"] == FORMAT
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise ResultFileError(f"'{self.path}' is not the file of a study; give another path")
        if header["variants"] != json.loads(json.dumps(self.header["variants"])):
            raise ResultFileError(
                f"'{self.path}' holds a study of other parameters; give another path, or delete it "
                "to start anew"
            )
        complete = []
        for line in lines[1:]:
            try:
                stored = json.loads(line)
            except ValueError:
                continue
            complete.append(line)
            if not stored["failure"]:
                self.done[stored["number"]] = Outcome(stored["number"], stored["measured"])
        self.path.write_text("\n".join([lines[0], *complete]) + "\n", encoding="utf-8")

    def keep(self, outcome: Outcome) -> None:
        """Note an outcome at once, in the file too."""
        self.done[outcome.number] = outcome
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(vars(outcome)) + "\n")
