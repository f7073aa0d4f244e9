"""The arguments of one card, read one after the other.

An argument is the text between two commas.  It is a keyword where it equals one (blanks and case do
not count), else an expression.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from linkwork.errors import LinkworkError, MbdynError, UnsupportedCard
from linkwork.io.mbdyn.syntax.evaluation import Value, cast
from linkwork.io.mbdyn.syntax.hints import (
    choices,
    decimal_comma,
    lost_comma,
    lost_semicolon,
    near,
)
from linkwork.io.mbdyn.syntax.language import ExpressionError, Unreadable, parse
from linkwork.io.mbdyn.syntax.text import Source, Statement, squeeze
from linkwork.io.mbdyn.syntax.wording import in_deck_words

if TYPE_CHECKING:
    from linkwork.io.mbdyn.deck.deck import Deck

NUMBER = re.compile(r"\s*[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?\s*")
INTEGER = re.compile(r"\s*[+-]?\d{1,9}\s*")
WORDS = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:\s+[A-Za-z0-9]+)*")
known_as = functools.lru_cache(maxsize=4000)(squeeze)


class Arguments:
    """Where a card is being read: its source, its arguments, and which is next."""

    def __init__(self, deck: Deck, source: Source, statement: Statement) -> None:
        self.deck, self.source, self.statement = deck, source, statement
        self.words = statement.arguments
        self.i = 0
        self.asked: list[str] = []  # keywords that the argument `asked_at` could have been
        self.asked_at = -1
        self.card = ""  # how messages call the card, where it has more than its name
        self.kind = ""  # the entry of a table that it is

    # ------------------------------------------------------------------------------- failing
    def offset(self, i: int) -> int:
        """Where argument i begins in the text."""
        at = self.statement.begin + sum(len(word) + 1 for word in self.words[:i])
        if i < len(self.words):
            word = self.words[i]
            return at + len(word) - len(word.lstrip())
        return max(at - 1, self.statement.start)

    def place(self) -> str:
        """File and line of the card."""
        return f"{self.source.file}:{self.source.place(self.statement.start)[0]}"

    def failure(
        self, sentence: str, i: int | None = None, kind: type[MbdynError] = MbdynError
    ) -> MbdynError:
        i = self.i if i is None else i
        place = self.source.place(self.offset(i))
        sentence += self.swallowed(i)
        return kind(sentence, self.source.file, *place, self.card or self.written()[:60])

    def swallowed(self, i: int) -> str:
        """A hint where the argument, or the one before it, contains the next card's beginning."""
        if self.statement.name == "driven":  # a card within a card
            return ""
        for k in (i, i - 1):
            if 0 <= k < len(self.words) and (hint := lost_semicolon(self.words[k])):
                return hint
        return ""

    def translated(self, error: LinkworkError, i: int | None = None) -> MbdynError:
        """What linkwork says about an item of the card."""
        return self.failure(in_deck_words(str(error)), i)

    def fail(self, sentence: str, i: int | None = None) -> NoReturn:
        raise self.failure(sentence, i)

    def unsupported(self, sentence: str, i: int | None = None) -> NoReturn:
        raise self.failure(sentence, i, UnsupportedCard)

    def refuse(self, error: ExpressionError, i: int, what: str = "") -> NoReturn:
        """What is wrong with an expression, or a datum that cannot be read here."""
        kind = UnsupportedCard if isinstance(error, Unreadable) else MbdynError
        raise self.failure(f"{what}{error}", i, kind)

    def written(self) -> str:
        """The name of the card as the file has it."""
        head = self.source.text[self.statement.start : self.statement.begin]
        return " ".join(head.rstrip(" :;").split())

    # ------------------------------------------------------------------------------ keywords
    def more(self, ahead: int = 0) -> bool:
        return self.i + ahead < len(self.words)

    def is_word(self, ahead: int = 0) -> bool:
        """Whether an argument reads like a keyword: words that are not variables."""
        i = self.i + ahead
        word = "" if i >= len(self.words) else self.words[i].strip()
        return bool(WORDS.fullmatch(word)) and word not in self.deck.symbols.variables

    def key(self, ahead: int = 0) -> str:
        """The next argument as a keyword would be compared; "" where there is none."""
        i = self.i + ahead
        return squeeze(self.words[i]) if i < len(self.words) else ""

    def keyword(self, *names: str) -> str:
        """The first of these keywords that comes next, taken; else ""."""
        if self.i < len(self.words):
            found = squeeze(self.words[self.i])
            for name in names:
                if found == known_as(name):
                    self.i += 1
                    return name
        if self.asked_at != self.i:
            self.asked_at, self.asked = self.i, []
        self.asked += names
        return ""

    def possible(self, i: int) -> list[str]:
        """The keywords that argument i could have been, as far as it has been asked."""
        return list(dict.fromkeys(self.asked)) if self.asked_at == i else []

    def one_of(self, names: Iterable[str], what: str) -> str:
        """One of these keywords, which must come next."""
        names = tuple(names)
        found = self.keyword(*names)
        if not found:
            self.fail(f"expected {what}, one of {', '.join(names)}, found {self.shown()}")
        return found

    def entry(self, table: dict[str, Any], what: str) -> tuple[str, Any]:
        """The entry of a table whose name comes next; what is not in it is not supported."""
        found = self.key()
        for name, entry in table.items():
            if found == known_as(name):
                self.i += 1
                return name, entry
        if not self.more() or not self.words[self.i].strip():
            self.fail(f"expected a {what}, found {self.shown()}; write one of "
                      f"{', '.join(sorted(table))}")  # fmt: skip
        names = {known_as(name): name for name in table}
        self.unsupported(
            f"the {what} {self.shown()} is not supported{lost_comma(self.words[self.i], table)} "
            f"({choices(found, names)})"
        )

    def shown(self, i: int | None = None) -> str:
        i = self.i if i is None else i
        if i >= len(self.words):
            return "the end of the card"
        word = " ".join(self.words[i].split())
        return f"'{word[:60]}'" if word else "an empty field"

    def end(self) -> None:
        """Nothing may follow."""
        if self.more():
            before = self.words[self.i - 1] if self.i else ""
            hint = decimal_comma(before, self.words[self.i])
            words = self.possible(self.i) if self.is_word() else []
            other = f" or one of {', '.join(words)}" if words else ""
            hint = hint or self.meant(self.i, self.possible(self.i))
            self.fail(f"expected the end of the card{other}, found {self.shown()}{hint}")

    # --------------------------------------------------------------------------------- values
    def value(self, what: str = "a value") -> Value:
        """The value of the next expression."""
        i = self.i
        if i >= len(self.words):
            self.fail(f"expected {what}, found the end of the card")
        self.i += 1
        try:
            return self.deck.symbols.evaluate(parse(self.words[i]))
        except ExpressionError as error:
            raise self.wrong_expression(what, i, error) from None
        except RecursionError:
            self.fail(f"{what or 'a value'}: the expression is nested too deeply", i)
        except LinkworkError as error:  # of a drive or scalar function that is asked for a value
            said = in_deck_words(str(error))
            self.fail(f"{what}: {said}" if what else said, i)

    def wrong_expression(self, what: str, i: int, error: ExpressionError) -> MbdynError:
        place = self.source.place(self.place_in(i, error.at))
        if error.name is not None and squeeze(self.words[i]) == squeeze(error.name):
            sentence = self.unknown_word(what or "a value", i)
        else:
            sentence = f"{what}: {error}" if what else str(error)
            sentence += f" in {self.shown(i)}"
            if error.name is not None:
                sentence += lost_comma(self.words[i], self.possible(i))
        sentence += self.swallowed(i) or error.hint
        return MbdynError(sentence, self.source.file, *place, self.card or self.written()[:60])

    def unknown_word(self, what: str, i: int) -> str:
        """A word alone, where a value or a keyword can stand: which was it to be?"""
        words, word = self.possible(i), self.words[i].strip()
        names = [*words, *self.deck.symbols.variables]
        like = self.meant(i, names)
        found = f"expected {what}" + (f" or one of {', '.join(words)}" if words else "")
        if not word.isidentifier():  # no variable can be called so
            return f"{found}, found the words {self.shown(i)}, which are no keyword here{like}"
        return (f"{found}, found '{word}', which is no keyword here and no variable that was set "
                f"before{like}")  # fmt: skip

    def meant(self, i: int, names: list[str]) -> str:
        """A hint where argument i is like one of these names, or begins with one."""
        word = " ".join(self.words[i].split())
        if lost := lost_comma(word, names):
            return lost
        close = near(word, names)
        return f"; is '{close[0]}' meant?" if close else ""

    def place_in(self, i: int, at: int) -> int:
        word = self.words[i]
        return self.offset(i) + max(0, at - (len(word) - len(word.lstrip())))

    def real(self, what: str = "a number", default: float | None = None) -> float:
        i = self.i
        if i < len(self.words):
            word = self.words[i]
            if NUMBER.fullmatch(word):
                self.i = i + 1
                x = float(word)
                if x - x != 0:
                    self.fail(f"{what}: the number {word.strip()[:40]} is too large", i)
                return x
            if default is not None and not word.strip():
                self.i = i + 1
                return default
        return float(self.cast(self.value(what), "real", what, i))

    def integer(self, what: str = "a whole number") -> int:
        i = self.i
        if i < len(self.words) and INTEGER.fullmatch(self.words[i]):
            self.i = i + 1
            return int(self.words[i])
        found = self.value(what)
        if isinstance(found, (int, float)) and math.isfinite(found) and abs(found) > 2**32:
            self.fail(f"{what} must be a whole number below 2^32, found {found:g}", i)
        if isinstance(found, float) and math.isfinite(found) and found != int(found):
            self.fail(f"{what} must be an integer, found {found:g} from {self.shown(i)}; is a "
                      "comma missing?", i)  # fmt: skip
        return int(self.cast(found, "integer", what, i))

    def cast(self, value: Value, kind: str, what: str, i: int) -> Value:
        if isinstance(value, str) and kind != "string":
            self.fail(f"{what}: expected a number, found the text {self.shown(i)}; write one "
                      "without quotes", i)  # fmt: skip
        try:
            return cast(value, kind, what)
        except ExpressionError as error:
            self.fail(str(error), i)

    def label(self, what: str = "a label") -> int:
        i = self.i
        found = self.integer(what)
        if found < 0:
            self.fail(f"{what} must not be negative, found {found}", i)
        return found

    def count(self, what: str, least: int = 1) -> int:
        i = self.i
        found = self.integer(what)
        if found < least or found > 1_000_000:
            self.fail(f"{what} must be between {least} and a million, found {found}", i)
        return found

    def positive(self, what: str) -> float:
        i = self.i
        found = self.real(what)
        if found <= 0:
            self.fail(f"{what} must be positive, found {found:g}", i)
        return found

    def flag(self, what: str) -> bool:
        """yes, no, or a value that is zero or not."""
        word = self.keyword("yes", "no", "true", "false")
        if word:
            return word in ("yes", "true")
        i = self.i
        return bool(self.cast(self.value(what), "bool", what, i))

    def string(self, what: str) -> str:
        i = self.i
        found = self.value(what)
        if not isinstance(found, str):
            self.fail(f"expected {what} in double quotes, found {self.shown(i)}", i)
        return found

    def reals(self, n: int, what: str) -> list[float]:
        return [self.real(what, default=0.0) for _ in range(n)]
