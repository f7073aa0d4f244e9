"""The text of a deck: comments blanked, statements cut at semicolons, arguments at commas.

    description : argument , argument , … ;

Semicolons and commas inside strings, parentheses and square brackets do not cut.  Comments (`#` to
the end of the line, `/* … */`) become blanks of the same length, so that places in the text stay
what they are in the file.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from linkwork.errors import MbdynError

STRING = r'"(?:\\.|[^"\\])*"'
IGNORED = re.compile(rf"{STRING}|#[^\n]*|/\*.*?\*/", re.S)
CUTS = re.compile(rf"{STRING}|[()\[\];,:\"]", re.S)
NESTED = re.compile(r'["(\[]')
NOT_NEWLINE = re.compile(r"[^\n]")
DEEPEST = 200  # levels of parentheses


class Statement(NamedTuple):
    """One card as it stands in the file."""

    name: str
    arguments: list[str]
    start: int  # of the description in the text
    begin: int  # of the arguments
    colon: bool


class Source:
    """A file of a deck, or a text that stands for one."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = IGNORED.sub(blank, text)

    @classmethod
    def read(cls, path: Path, shown: str) -> Source:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise MbdynError(f"cannot be read: {error.strerror or error}", shown) from None
        except ValueError as error:  # a name that no file can have
            raise MbdynError(f"cannot be read: {error}", repr(shown)) from None
        try:
            return cls(data.decode("utf-8"), shown)
        except UnicodeDecodeError:
            return cls(data.decode("latin-1"), shown)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1."""
        if not hasattr(self, "lines"):
            self.lines = [0, *(m.end() for m in re.finditer("\n", self.text))]
        line = bisect.bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1

    def error(self, sentence: str, offset: int, card: str = "") -> MbdynError:
        return MbdynError(sentence, self.file, *self.place(offset), card)

    def statements(self) -> Iterator[Statement]:
        text, end = self.text, 0
        while True:
            start = end
            stop = text.find(";", start)
            if stop >= 0 and NESTED.search(text, start, stop) is None:
                colon = text.find(":", start, stop)
                commas: list[int] | None = None
            else:
                stop, colon, commas = self.cuts(start)
            if stop < 0:
                rest = text[start:]
                if rest.strip():
                    at = start + len(rest) - len(rest.lstrip())
                    raise self.error("expected ';' at the end of the statement that begins here",
                                     at)  # fmt: skip
                return
            end = stop + 1
            head = text[start:colon] if colon >= 0 else text[start:stop]
            begin = start + len(head) - len(head.lstrip())
            name = "".join(head.split()).lower()
            if colon < 0:
                yield Statement(name, [], begin, stop, False)
            elif commas is None:
                yield Statement(name, text[colon + 1 : stop].split(","), begin, colon + 1, True)
            else:
                ends = [colon, *commas, stop]
                parts = [text[a + 1 : b] for a, b in zip(ends, ends[1:])]
                yield Statement(name, parts, begin, colon + 1, True)

    def cuts(self, start: int) -> tuple[int, int, list[int]]:
        """End of the statement (−1: there is none), its colon (−1), its commas."""
        depth, colon, opened = 0, -1, start
        commas: list[int] = []
        for m in CUTS.finditer(self.text, start):
            c = m.group()
            if c in "([":
                depth += 1
                opened = m.start()
                if depth > DEEPEST:
                    raise self.error("parentheses are nested too deeply here", opened)
            elif c in ")]":
                depth -= 1
                if depth < 0:
                    raise self.error(f"'{c}' closes nothing", m.start())
            elif c == '"':
                raise self.error("the string that begins here has no end", m.start())
            elif depth:
                continue
            elif c == ";":
                return m.start(), colon, commas
            elif c == ",":
                if colon >= 0:
                    commas.append(m.start())
            elif c == ":" and colon < 0:
                colon = m.start()
        if depth:
            raise self.error("the parenthesis that opens here is not closed", opened)
        return -1, colon, commas


def blank(m: re.Match) -> str:
    """A string as it is, a comment as blanks."""
    found = m.group()
    return found if found[0] == '"' else NOT_NEWLINE.sub(" ", found)


def squeeze(text: str) -> str:
    """A keyword as it is compared: without blanks, in lower case."""
    return "".join(text.split()).lower()
