"""Hydraulic cards of decks: MBDyn's records, closed forms, and mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_decks import ran

import linkwork as lw

HEAD = """
begin: data; problem: initial value; end: data;
begin: initial value;
    initial time: 0.; final time: {t}; time step: {h}; tolerance: 1e-6; max iterations: 50;
    method: ms, 0.6, 0.6;
end: initial value;
begin: control data;
    structural nodes: {structural}; rigid bodies: {structural}; joints: {structural};
    hydraulic nodes: {nodes}; hydraulic elements: {elements}; genels: {genels}; forces: {forces};
    output precision: 16;
end: control data;
hydraulic fluid: 1, linear compressible, density, 850., sound celerity, 1300., 1e5,
    viscosity, 0.02, temperature, 300.;
hydraulic fluid: 2, incompressible, density, 850., viscosity, 0.02, pressure, 1e5,
    temperature, 300.;
"""

PIPES = """
begin: nodes;
    hydraulic: 1, value, 1e5; hydraulic: 2, value, 1e5; hydraulic: 3, value, 1e5;
end: nodes;
begin: elements;
    genel: 1, clamp, 1, hydraulic, cosine, 0., pi/0.5, 1.e5, half, 1e5;
    genel: 2, clamp, 3, hydraulic, const, 1e5;
    hydraulic: 1, pipe, 1, 2, 5e-3, 2., hydraulic fluid, reference, 2;
    hydraulic: 2, pipe, 2, 3, 8e-3, 1., fluid, reference, 2;
end: elements;
"""

GAS = """
begin: nodes;
    hydraulic: 1, value, 2e6; hydraulic: 2, value, 1e6; hydraulic: 3, value, 1e6;
    hydraulic: 4, value, 1.1e5; hydraulic: 5, value, 1.1e5;
end: nodes;
begin: elements;
    genel: 1, clamp, 1, hydraulic, cosine, 0.1, pi/0.2, 1e6, half, 2e6;
    genel: 2, clamp, 5, hydraulic, const, 1.1e5;
    hydraulic: 1, orifice, 1, 2, 1e-2, 1e-5, hydraulic fluid, reference, 2;
    hydraulic: 2, minor loss, 2, 3, 1.5, 2.5, 2e-5, hydraulic fluid, reference, 2;
    hydraulic: 3, accumulator, 3, 0.2, start, 0.05, 4e-3, 1e-4, 2., gas, 8e5, 1e7, 1.4,
        1e6, 1e4, 0., hydraulic fluid, reference, 2;
    hydraulic: 4, orifice, 3, 4, 1e-2, 5e-6, hydraulic fluid, reference, 2;
    hydraulic: 5, minor loss, 4, 5, 1., 1., 5e-5, hydraulic fluid, reference, 2;
end: elements;
"""


def deck_of(tmp_path, body, **numbers):
    given = dict(t=1.0, h=0.01, structural=0, nodes=3, elements=2, genels=2, forces=0) | numbers
    path = tmp_path / "circuit.mbd"
    path.write_text(HEAD.format(**given) + body)
    return lw.read_deck(path)


def table(path):
    """Label → (times, columns)."""
    found: dict[int, list[list[float]]] = {}
    for line in path.read_text().splitlines():
        label, *numbers = line.split()
        found.setdefault(int(label), []).append([float(x) for x in numbers])
    return {label: np.array(rows) for label, rows in found.items()}


def test_record_of_pipes_in_its_own_files(tmp_path):
    """Deck h1: MBDyn's .prs, .hyd and .gen to nine digits."""
    deck = deck_of(tmp_path, PIPES)
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "h1")
    p, q, s = (table(tmp_path / f"h1.{x}") for x in ("prs", "hyd", "gen"))
    np.testing.assert_allclose(p[2][-1], [114177.158], rtol=1e-8)
    np.testing.assert_allclose(p[1][5], [1.0489434837048464e05], rtol=1e-12)
    np.testing.assert_allclose(p[2][5], [1.0034693974498728e05], rtol=1e-9)
    recorded = [3.2142904427920983e-02, 5.3645578470891300e-04, 6.8303671909332087e00]
    np.testing.assert_allclose(q[1][3], recorded, rtol=1e-9)
    np.testing.assert_allclose(s[1][3], [5.3645578470891300e-04], rtol=1e-9)
    np.testing.assert_allclose(s[2][3], [-5.3645578470891300e-04], rtol=1e-9)


def test_record_of_an_accumulator_in_its_own_files(tmp_path):
    """Deck h2b to its stable digits: stroke, gas pressure, flows."""
    deck = deck_of(tmp_path, GAS, t=2.0, h=1e-3, nodes=5, elements=5)
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "h2b")
    p, q = (table(tmp_path / f"h2b.{x}") for x in ("prs", "hyd"))
    strokes = [0.0558106319, 0.0762018371, 0.102786677, 0.123004492]
    # the start jumps, and the record has the error of its first steps of 1 ms
    np.testing.assert_allclose(q[3][[200, 500, 1000, 2000], 0], strokes, rtol=2e-4)
    np.testing.assert_allclose(q[3][-1, 0], 0.123004492, rtol=1e-5)
    np.testing.assert_allclose(q[3][-1, 3], 3044250.87, rtol=2e-5)
    np.testing.assert_allclose(p[3][-1], [3044266.7], rtol=2e-5)
    at_end = [3.4668898845208931e00, 2.3144556058033158e-01, 1.4734282009213796e03, 1.0]
    np.testing.assert_allclose(q[1][-1], at_end, rtol=1e-4)
    np.testing.assert_allclose(q[5][-1], [4.9773926282351164e00, 2.1153918669999247e-01], rtol=1e-4)


ACTUATOR = """
begin: nodes;
    structural: 1, static, null, eye, null, null;
    structural: 2, dynamic, 0., 0., 0.3, eye, null, null;
    hydraulic: 1, value, 1e6; hydraulic: 2, value, 1e6;
end: nodes;
begin: elements;
    joint: 1, clamp, 1, node, node;
    body: 2, 2, 10., null, diag, 1., 1., 1.;
    joint: 2, total joint, 1, position, null, 2, position, null,
        position constraint, active, active, inactive, null,
        orientation constraint, active, active, active, null;
    body: 1, 1, 1., null, diag, 1., 1., 1.;
    force: 1, abstract, 1, hydraulic, const, -0.085;
    genel: 1, clamp, 2, hydraulic, const, 1e6;
    hydraulic: 1, actuator, 1, 2, 1, null, 2, null, 1e-3, 1e-3, 1., fluid, reference, 2, same;
end: elements;
"""


def test_an_actuator_moves_with_the_flow_that_it_is_given(tmp_path):
    """ρ A l̇ = ṁ with an incompressible fluid; an abstract force takes the flow out."""
    counts = dict(structural=2, nodes=2, elements=1, genels=1, forces=1)
    deck = deck_of(tmp_path, ACTUATOR, t=0.5, h=5e-4, **counts)
    with pytest.raises(lw.LinkworkError, match="nothing determines pressure 'hydraulic 1'"):
        lw.run_deck(deck, progress=False)  # a closed volume without compressibility
    text = ACTUATOR.replace("fluid, reference, 2", "fluid, reference, 1")
    deck = deck_of(tmp_path, text, t=0.5, h=5e-4, **counts)
    run = lw.run_deck(deck, progress=False)
    z = run["node 2"].position.values[:, 2]
    assert abs(z[-1] - 0.3 - 0.5 * 0.085 / (850 * 1e-3)) < 2e-4


@pytest.mark.parametrize("old, new, words", [
    ("hydraulic: 2, pipe, 2, 3,", "hydraulic: 2, pipe, 2, 2,", "with itself"),
    ("pipe, 2, 3, 8e-3,", "pipe, 2, 3, -8e-3,", "positive"),
    ("pipe, 2, 3, 8e-3,", "pipe, 2, 7, 8e-3,", "no hydraulic node 7"),
    ("fluid, reference, 2;\nend", "fluid, reference, 9;\nend", "no hydraulic fluid 9"),
    ("fluid, reference, 2;\nend", "fluid, reference, 1;\nend", "different fluids"),
    ("hydraulic: 2, pipe,", "hydraulic: 2, tank,", "not documented"),
    ("hydraulic: 2, pipe,", "hydraulic: 2, pype,", "pipe"),
])  # fmt: skip
def test_mistakes_in_cards_are_named(tmp_path, old, new, words):
    assert old in PIPES
    with pytest.raises(lw.MbdynError) as caught:
        deck_of(tmp_path, PIPES.replace(old, new))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_laminar_pipes_in_a_row():
    """Hagen and Poiseuille: ṁ = π ρ D⁴ Δp/(128 μ L), the same in both pipes."""
    _, run, _ = ran("hydraulics")
    t = run.time
    pipes = ((5e-3, 2.0), (8e-3, 1.0))  # diameters and lengths
    conductance = [np.pi * 850 * D**4 / (128 * 0.1 * L) for D, L in pipes]
    flow = 4e4 * t / (1 / conductance[0] + 1 / conductance[1])
    found = run["hydraulic 2"].pressure.values
    np.testing.assert_allclose(found, 1e5 + flow / conductance[1], rtol=1e-9)
