"""Fuzzing the reader of MBDyn decks: python -m tests.fuzz_mbdyn SECONDS [SEED]

Texts of the decks in examples/mbdyn are changed at random: words and cards are dropped, doubled,
swapped, put in from other decks or from the reader's own keywords, numbers become extreme, bytes
are damaged.  Reading, listing what is not supported, and the first steps of what can be read, with
their files, must end well or with an error of linkwork.  What does not is printed with the text,
and the search goes on.
"""

from __future__ import annotations

import contextlib
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

from inside import unsupported_cards

import linkwork as lw
from linkwork import LinkworkError
from linkwork.io.mbdyn.deck.reader import ANYWHERE, TABLES

DECKS = sorted((Path(__file__).parent.parent / "examples" / "mbdyn").glob("*.mbd"))
TOKEN = re.compile(r'"[^"]*"|[\w.]+(?:[eE][+-]\d+)?|\s+|.', re.S)
NUMBERS = ("0", "0.", "-1", "1", "1e308", "-1e308", "1e-308", "1e400", "2147483648", "99999999999",
           "1/0", "0./0.", "-2^2", "2^2^2^2^2^2", "sqrt(-1.)", "log(0.)", "1e9", ".1", "3", "NaN",
           "inf")  # fmt: skip
WORDS = ("null", "eye", "reference", "node", "global", "other", "active", "inactive", "const",
         "position", "orientation", "output", "yes", "no", "all", "name", "guess", "matr", "diag",
         "euler123", "degrees", "array", "mult", "list", "string", "drive", "element", "dof",
         "zero", "single", "component", "help", "forever", "value", "derivative", '"${X}/a"',
         "begin", "end", "data", "nodes", "elements", "{", "}", "(", ")", ";", ":", ",", '"', "#",
         "/*", "*/", "\\", "[", "]", "=", "set", "include", "\x00", "é", "\n")  # fmt: skip
PATIENCE = 30  # seconds of the processor for one text, after which it hangs


class Hangs(BaseException):
    """A text took too long."""


def alarm(*_: object) -> None:
    raise Hangs


def keywords() -> list[str]:
    """Every word that a table of the reader has."""
    from linkwork.io.mbdyn.cards import elements, forces
    from linkwork.io.mbdyn.drives import callers as drive_cards
    from linkwork.io.mbdyn.drives import scalar_functions
    from linkwork.io.mbdyn.laws import laws
    from linkwork.io.mbdyn.problem import eigen as eigen_cards
    from linkwork.io.mbdyn.problem import methods

    tables = (ANYWHERE, *TABLES.values(), elements.JOINTS, forces.FORCES, forces.COUPLES,
              drive_cards.DRIVES, laws.LAWS, methods.METHODS, eigen_cards.OPTIONS,
              scalar_functions.FUNCTIONS)  # fmt: skip
    return sorted({name for table in tables for name in table})


class Mutator:
    """Changes texts at random, from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.texts = [path.read_text(encoding="utf-8") for path in DECKS]
        self.cards = [card for text in self.texts for card in text.split(";")]
        self.keywords = keywords()

    def text(self) -> str:
        """One of the decks, changed one to four times."""
        r = self.random
        text = r.choice(self.texts)
        for _ in range(r.choice((1, 1, 1, 2, 2, 4))):
            text = r.choice(self.CHANGES)(self, text)
        return text

    def words(self, text: str) -> str:
        r, tokens = self.random, TOKEN.findall(text)
        places = [k for k, token in enumerate(tokens) if not token.isspace()]
        if not places:
            return text
        k, other = r.choice(places), r.choice(places)
        change = r.randrange(7)
        if change == 0:
            del tokens[k]
        elif change == 1:
            tokens.insert(k, tokens[other])
        elif change == 2:
            tokens[k], tokens[other] = tokens[other], tokens[k]
        elif change == 3:
            tokens[k] = r.choice(NUMBERS)
        elif change == 4:
            tokens[k] = r.choice(WORDS)
        elif change == 5:
            tokens[k] = r.choice(self.keywords)
        else:
            tokens[k:k] = [r.choice(self.keywords), ", ", r.choice(NUMBERS), ", "]
        return "".join(tokens)

    def numbers(self, text: str) -> str:
        """Another value for one number."""
        found = list(re.finditer(r"(?<![\w.])[\d.]+(?:[eE][+-]?\d+)?", text))
        if not found:
            return text
        m = self.random.choice(found)
        return text[: m.start()] + self.random.choice(NUMBERS) + text[m.end() :]

    def whole_cards(self, text: str) -> str:
        r, cards = self.random, text.split(";")
        k, other = r.randrange(len(cards)), r.randrange(len(cards))
        change = r.randrange(4)
        if change == 0:
            del cards[k]
        elif change == 1:
            cards.insert(k, r.choice(self.cards))
        elif change == 2:
            cards[k], cards[other] = cards[other], cards[k]
        else:
            cards[k] = r.choice(self.cards)
        return ";".join(cards)

    def bytes_(self, text: str) -> str:
        r, k = self.random, self.random.randrange(max(1, len(text)))
        change = r.randrange(3)
        if change == 0:
            return text[:k]
        if change == 1:
            odd = chr(r.choice((0, 9, 34, 44, 58, 59, 92, 127, 160, 233, 8364)))
            return text[:k] + odd + text[k:]
        return text[:k] + text[k + r.randrange(1, 40) :]

    CHANGES: tuple[Callable[[Mutator, str], str], ...] = (
        words, words, words, numbers, numbers, whole_cards, whole_cards, bytes_
    )  # fmt: skip


def try_text(text: str, folder: Path, steps: bool) -> str:
    """Read, list, and perhaps run a text: what became of it."""
    path = folder / "deck.mbd"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with contextlib.suppress(LinkworkError):
        unsupported_cards(path, environment={})
    try:
        deck = lw.read_deck(path, environment={})
    except LinkworkError:
        return "refused"
    if not steps:
        return "read"
    a = deck.analysis
    try:
        h = a.step if a.step is not None else 1e-3
        run = lw.run_deck(deck, progress=False, t=a.initial_time + 2 * h, h=h)
        lw.write_mbdyn(deck, run, folder / "out")
    except LinkworkError:
        return "read, but not run"
    return "run"


def fuzz(seconds: float, seed: int = 0, every: int = 8, most: int | None = None) -> dict[str, int]:
    """Try texts for so long (or so many): how many ended how; "crashed" is no error of linkwork's.

    every : of so many texts one is run as well; 0 runs none
    """
    mutator, found = Mutator(seed), dict[str, int]()
    before = signal.signal(signal.SIGPROF, alarm)
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for path in DECKS[0].parent.iterdir():  # files that decks include
                if path.suffix != ".mbd":
                    (Path(folder) / path.name).write_bytes(path.read_bytes())
            for text in mutator.texts if every else ():  # compiles what runs need
                try_text(text, Path(folder), True)
            end = time.monotonic() + seconds
            while time.monotonic() < end and (most is None or sum(found.values()) < most):
                text = mutator.text()
                signal.setitimer(signal.ITIMER_PROF, PATIENCE)
                try:
                    runs = every > 0 and sum(found.values()) % every == 0
                    what = try_text(text, Path(folder), runs)
                except (Exception, Hangs):
                    signal.setitimer(signal.ITIMER_PROF, 0)
                    print(text, file=sys.stderr)
                    traceback.print_exc()
                    what = "crashed"
                signal.setitimer(signal.ITIMER_PROF, 0)
                found[what] = found.get(what, 0) + 1
    finally:
        signal.signal(signal.SIGPROF, before)
    return found


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    found = fuzz(seconds, int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()))
    print(found)
    if "crashed" in found:
        raise SystemExit(f"the reader crashed on {found['crashed']} texts, shown above")
