"""Abstract nodes that clamps and distances hold: what moves, and what they exert."""

from __future__ import annotations

import numpy as np
import pytest
from inside import Tables
from mbdyn_text import deck_text
from scipy.integrate import solve_ivp

import linkwork as lw

NODES = """abstract: 1, differential, value, .5; abstract: 2, differential, value, .5;
    abstract: 3, differential;"""
COMMON = """genel: 1, mass, 1, abstract, algebraic, const, 2.;
    genel: 2, mass, 2, abstract, algebraic, const, 3.;
    genel: 3, spring support, 1, abstract, algebraic, linear viscoelastic, 40., 1.;
    genel: 4, spring support, 2, abstract, algebraic, linear elastic, 10.;
    genel: 5, distance, 1, abstract, algebraic, 2, abstract, algebraic,
      sine, 0., 3., .1, forever, 0.;
    force: 1, abstract, 1, abstract, const, 4.;
    genel: 6, spring, 1, abstract, algebraic, 3, abstract, algebraic,
      cubic elastic generic, 5., 0., 2.;
    genel: 7, clamp, 3, abstract, algebraic, const, .2;"""


def ran(tmp_path, elements, genels):
    path = tmp_path / "ties.mbd"
    control = f"abstract nodes: 3; genels: {genels}; forces: 1;"
    path.write_text(deck_text(nodes=NODES, elements=elements, control=control, step="2.e-3"))
    deck = lw.read_deck(path)
    run = lw.run_deck(deck, progress=False)
    tables = Tables(deck, run)
    return deck, run, [tables.scalar(deck.scalars["abstract", n]) for n in (1, 2, 3)]


def gap(t):
    """d, ḋ, d̈."""
    return 0.1 * np.sin(3 * t), 0.3 * np.cos(3 * t), -0.9 * np.sin(3 * t)


def cubic(e):
    return 5 * e + 2 * e**3


def test_a_distance_of_two_masses(tmp_path):
    """x₂ = x₁ − d: (2 + 3) ẍ₁ = 4 − 40 x₁ − ẋ₁ − 10 (x₁ − d) − σ(x₁ − 0.2) + 3 d̈."""
    deck, run, (one, two, three) = ran(tmp_path, COMMON, 7)
    t = run.time
    assert run.system.data().unknowns == 1

    def force(s, x, v):
        return 4 - 40 * x - v - cubic(x - 0.2) - 10 * (x - gap(s)[0]) + 3 * gap(s)[2]

    y = solve_ivp(lambda s, y: [y[1], force(s, *y) / 5], (0, t[-1]), [0.5, 0.0], t_eval=t,
                  rtol=1e-10, atol=1e-12).y  # fmt: skip
    np.testing.assert_allclose(one[:, 0], y[0], rtol=0, atol=1e-5)
    np.testing.assert_allclose(two, one - np.stack(gap(t)[:2], 1), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(three, [[0.2, 0.0]] * len(t))
    on_distance = 4 - 40 * y[0] - y[1] - cubic(y[0] - 0.2) - 2 * force(t, *y) / 5
    np.testing.assert_allclose(deck.genels[5](run)[:, 0], on_distance, rtol=0, atol=2e-4)
    np.testing.assert_allclose(deck.genels[7](run)[:, 0], cubic(y[0] - 0.2), rtol=0, atol=5e-5)


def test_a_distance_from_a_clamp(tmp_path):
    """With node 1 clamped, too, all are functions: what each exerts in closed form."""
    clamp = "genel: 8, clamp, 1, abstract, algebraic, cosine, 0., 2., .3, forever, 0.;"
    deck, run, (one, _, _) = ran(tmp_path, COMMON + clamp, 8)
    t = run.time
    x = 0.3 * (1 - np.cos(2 * t))
    v, a = 0.6 * np.sin(2 * t), 1.2 * np.cos(2 * t)
    np.testing.assert_allclose(one, np.stack([x, v], 1), rtol=0, atol=1e-12)
    second = -10 * (x - gap(t)[0]) - 3 * (a - gap(t)[2])  # what node 2 exerts on the distance
    np.testing.assert_allclose(deck.genels[5](run)[:, 0], -second, rtol=0, atol=1e-10)
    first = 4 - 40 * x - v - cubic(x - 0.2) - 2 * a
    np.testing.assert_allclose(deck.genels[8](run)[:, 0], first + second, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("elements", "words"), [
    ("genel: 8, clamp, 1, abstract, algebraic, const, 1.; "
     "genel: 9, clamp, 2, abstract, algebraic, const, 1.;", "is held already, by distances"),
    ("genel: 8, distance, 2, abstract, algebraic, 1, abstract, algebraic, const, 1.;",
     "with itself"),
    ("genel: 8, distance, 2, abstract, algebraic, 2, abstract, algebraic, const, 1.;",
     "between abstract 2 and itself"),
])  # fmt: skip
def test_what_contradicts_itself_is_refused(elements, words, tmp_path):
    with pytest.raises(lw.MbdynError, match=words):
        ran(tmp_path, COMMON + elements, 7 + elements.count("genel"))
