"""What was probably meant, where a card cannot be read: the usual slips of writing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

STRINGS = re.compile(r'"(?:\\.|[^"\\])*"', re.S)
CARD = re.compile(r"([A-Za-z][A-Za-z0-9]*(?: +[A-Za-z][A-Za-z0-9]*)*)\s*:(?!:)")
BEFORE_NUMBER = re.compile(r"([A-Za-z]+(?: [A-Za-z]+)*) [+-]?\.?\d[\w.+-]*")
LIKE = 0.6  # of difflib: 'spline' is like 'cubic spline' (0.67), 'shell4eas' no 'hbeam' (0.43)
FEW = 12  # names that an error lists
DIGITS = re.compile(r"\s*[+-]?\d+\s*")


def lost_semicolon(word: str) -> str:
    """An argument with a colon has swallowed the beginning of the next card."""
    found = CARD.search(STRINGS.sub("", word).replace("::", "  "))
    return f"; is a ';' missing before '{found.group(1)}:'?" if found else ""


def lost_comma(word: str, names: Iterable[str]) -> str:
    """A keyword (or a variable) with more behind it, or words with a number behind them."""
    key = " ".join(word.split())
    for name in sorted(names, key=len, reverse=True):
        if key.lower().startswith(name.lower() + " "):
            return f"; is a comma missing after '{key[: len(name)]}'?"
    found = BEFORE_NUMBER.fullmatch(key)
    return f"; is a comma missing after '{found[1]}'?" if found else ""


def decimal_comma(before: str, word: str) -> str:
    """9,81 are two numbers."""
    both = DIGITS.fullmatch(before) and DIGITS.fullmatch(word)
    return f"; write {before.strip()}.{word.strip()} with a point" if both else ""


def near(word: str, names: Iterable[str], n: int = 1) -> list[str]:
    return difflib.get_close_matches(word, list(names), n=n, cutoff=0.7)


def choices(word: str, names: Mapping[str, str]) -> str:
    """What there is in place of a word: what is spelt nearly so, else all where these are few.

    names : by how they are looked up
    """
    close = difflib.get_close_matches(word, names, n=4, cutoff=LIKE)
    if close:
        return f"near it: {', '.join(dict.fromkeys(names[x] for x in close))}"
    if len(names) <= FEW:
        return f"supported: {', '.join(sorted(set(names.values())))}"
    return "the page howto/mbdyn lists what is"


def there_are(labels: Iterable[int], label: int) -> str:
    """Which labels there are, the nearest to one that is not among them."""
    known = sorted(labels)
    near = sorted(sorted(known, key=lambda n: abs(n - label))[:6])
    if len(near) < 2:
        return f"there is only {near[0]}" if near else "the deck has none"
    return f"there are {', '.join(map(str, near))}{', …' * (len(near) < len(known))}"
