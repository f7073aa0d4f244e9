"""Where the items of a model stand in the file that it was read from, for errors about them.

    model 'crank' cannot be assembled: … 'joint 3' by 2 mm … (joint 3: crank.mbd:41)

A model that is made in Python has no such places, and its errors stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from linkwork.errors import LinkworkError, MbdynError

QUOTED = re.compile(r"'([^']*)'")
NUMBERED = re.compile(r"((?:[a-z]+ )+)(\d+)\b")  # "of joint 3", as decks call their items
MOST = 4  # places in one sentence


def name_places(error: LinkworkError, model: Any) -> None:
    """Add to a sentence where the items that it names stand."""
    places: dict[str, str] = getattr(model, "places", {})
    if not places or getattr(error, "placed", False) or isinstance(error, MbdynError):
        return
    found = {name: places[name] for name in named(str(error)) if name in places}
    if found:
        listed = [f"{name}: {place}" for name, place in list(found.items())[:MOST]]
        more = ", …" if len(found) > MOST else ""
        error.args = (f"{error} ({', '.join(listed)}{more})", *error.args[1:])
        error.placed = True


def named(sentence: str) -> Iterator[str]:
    """What may be names of items in a sentence, in its order."""
    found = [(m.start(1), m[1]) for m in QUOTED.finditer(sentence)]
    for m in NUMBERED.finditer(sentence):
        words = m[1].split()
        found += [(m.start(2), " ".join([*words[i:], m[2]])) for i in range(len(words))]
    return (name for _, name in sorted(found, key=lambda each: each[0]))
