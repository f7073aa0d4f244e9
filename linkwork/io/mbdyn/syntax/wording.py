"""What linkwork says about an item, in the words of the deck that it was made from.

A card becomes items of linkwork, which have names of their own: a total joint is a Lock with drives
'x' … 'rz'.  Messages that come from there are about the card, so that

    drive 'rx' of a Lock           becomes   the drive of orientation 1
    a Distance joins Body 'node 1' with itself          it joins node 1 with itself
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from linkwork.errors import LinkworkError, MbdynError
from linkwork.model.model import Model
from linkwork.model.places import name_places
from linkwork.model.registry import ITEMS

NAME = r"[A-Z][A-Za-z0-9]*"
OTHERS = {"LuGre": "modlugre", "Coulomb": "discrete coulomb", "GROUND": "the ground",
          "Spherical": "a spherical hinge"}  # fmt: skip
DRIVES = {"table": "piecewise linear", "chebyshev": "chebychev"}
ROW = re.compile(rf"drive '(r?)([xyz])' of (?:an? )?({NAME})(?: '([^']*)')?")
OF_ITEM = re.compile(rf"\b([a-z_]+|the two points) of an? ({NAME})")
OF_LAW = re.compile(rf" of law {NAME}")
CALLED = re.compile(rf"({NAME}) '([^']*)'")
ITEM = re.compile(rf"\ban? ({NAME})")
ALONE = re.compile(rf"\b(?:{'|'.join(OTHERS)})\b")
DRIVE = re.compile(rf"\b({'|'.join(DRIVES)}) drive\b")


def row(m: re.Match) -> str:
    what = ("position", "orientation")
    if m[3] == "VelocityLock":
        what = ("velocity", "angular velocity")
    whose = f" of {m[4]}" if m[4] else ""
    return f"the drive of {what[bool(m[1])]} {'xyz'.index(m[2]) + 1}{whose}"


def in_deck_words(sentence: str) -> str:
    """A sentence about items as one about the card that they come from."""
    sentence = ROW.sub(row, sentence)
    sentence = OF_LAW.sub(" of the law", sentence)
    sentence = OF_ITEM.sub(lambda m: m[1] if m[2] in ITEMS else m[0], sentence)
    sentence = CALLED.sub(lambda m: m[2] if m[1] in ITEMS else m[0], sentence)
    sentence = ITEM.sub(lambda m: "it" if m[1] in ITEMS else m[0], sentence)
    sentence = sentence.replace("two different bodies (or GROUND)", "two different nodes")
    sentence = sentence.replace(", or give a Python function", "")
    sentence = ALONE.sub(lambda m: OTHERS[m[0]], sentence)
    return DRIVE.sub(lambda m: DRIVES[m[1]], sentence)


@contextmanager
def words_of_decks(model: Model) -> Iterator[None]:
    """What a run of a deck fails with is said in the deck's words, with the lines of its cards."""
    try:
        yield
    except MbdynError:
        raise
    except LinkworkError as error:
        name_places(error, model)
        error.args = (in_deck_words(str(error)), *error.args[1:])
        raise
