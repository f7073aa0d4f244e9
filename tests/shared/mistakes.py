"""Small models and items to make mistakes with, and what must be said about a mistake."""

import numpy as np
import pytest
from inside import ITEMS

import linkwork as lw

GRAVITY = (0, 0, -9.81)


def run(model, t=0.5, h=1e-2, **options):
    return lw.transient(model, t, h, progress=False, **options)


def one_sentence(error):
    """What is said about a mistake."""
    text = str(error)
    assert text and "\n" not in text and len(text) < 500, text
    return text


def refuse(make, words=None, kind=lw.ModelError):
    """make() raises `kind` with one sentence that has these words in it."""
    with pytest.raises(kind, match=words) as caught:
        make()
    return one_sentence(caught.value)


def body(**words):
    return lw.Body(**{"mass": 1, "inertia": (1, 1, 1), **words})


def pendulum(**words):
    m = lw.Model("pendulum", gravity=GRAVITY)
    rod = m.add("rod", body(position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), **words))
    return m


def one_body(item=None, **words):
    """A model of one body 'rod' and item(rod) named 'thing'."""
    m = lw.Model("one", gravity=GRAVITY)
    rod = m.add("rod", body(position=(1, 0, 0), **words))
    if item is not None:
        m.add("thing", item(rod))
    return m


def sample(name, seed=0):
    """An item of each class, the two bodies it is between, and what else it needs."""
    rng = np.random.default_rng(seed)
    a, b = (body(position=rng.normal(size=3)) for _ in range(2))
    if name == "Body":
        words = dict(velocity=(1, 2, 3), angular_velocity=(0, 0, 1), orientation=(1, 0, 0, 0))
        return body(**words), (a, b), []
    found = ITEMS[name].sample(rng, a, b)
    *others, item = found if isinstance(found, list) else [found]
    return item, (a, b), others


A, B = body(), body(position=(1, 0, 0))
PIN = lw.Revolute(A, B, at=(0, 0, 0), axis=(0, 0, 1))
