"""Docstrings tell every parameter of every public item, and its default where that is a number or a
word; units are left to the reader's eye."""

from __future__ import annotations

import inspect
import re

import pytest
from inside import ITEMS

import linkwork as lw
from linkwork.extend import Item

PLACES = (lw, lw.hydraulics, lw.electric, lw.thermal)
NAMES = {
    getattr(place, name): f"{place.__name__}.{name}" for place in PLACES for name in dir(place)
    if inspect.isclass(getattr(place, name)) and issubclass(getattr(place, name), Item)
}  # fmt: skip
PUBLIC = sorted((c for c in ITEMS.values() if c in NAMES), key=lambda c: NAMES[c])


def told(text: str, doc: str) -> bool:
    """Whether a name or a number stands there as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w|\.\d)", doc) is not None


def words_of(default: object) -> str | None:
    """A default as a docstring writes it; none where "without it" says enough."""
    if default is None or default is inspect.Parameter.empty or isinstance(default, bool):
        return None
    if isinstance(default, tuple):
        return "(" + ", ".join(f"{x:g}" for x in default) + ")" if any(default) else None
    if isinstance(default, (int, float)):
        return f"{default:g}" if default else None
    return str(default)


@pytest.mark.parametrize("item", PUBLIC, ids=NAMES.get)
def test_docstrings_tell_every_parameter_and_its_default(item: type[Item]) -> None:
    doc = inspect.getdoc(item) or ""
    parameters = inspect.signature(item).parameters.values()
    silent = [p.name for p in parameters if not told(p.name, doc)]
    assert not silent, f"the docstring of {item.__name__} says nothing of {', '.join(silent)}"
    defaults = {p.name: words_of(p.default) for p in parameters}
    silent = [name for name, text in defaults.items() if text and not told(text, doc)]
    assert not silent, f"the docstring of {item.__name__} tells no default of {', '.join(silent)}"


def test_there_are_items_to_look_at() -> None:
    assert len(PUBLIC) > 90 and lw.Revolute in PUBLIC and lw.hydraulics.Cylinder in PUBLIC
