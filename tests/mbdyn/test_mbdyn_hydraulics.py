"""Hydraulic cards of decks: MBDyn's records, closed forms, and mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_decks import ran

import linkwork as lw
from linkwork.io.mbdyn.output.files import write_text
from linkwork.io.mbdyn.output.numbers.tables import Tables

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
    """Deck h2b to its stable digits: stroke, gas pressure, flows.

    The orifices' coefficients were found from this record, so their flows are no check of those;
    everything else is.  The record's first step takes the accelerations at the start for zero: it
    lags behind by h v/2 = 1.2e-5 m, which decays (test_hydraulics, test_start_of_the_record).
    """
    deck = deck_of(tmp_path, GAS, t=2.0, h=1e-3, nodes=5, elements=5)
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "h2b")
    p, q = (table(tmp_path / f"h2b.{x}") for x in ("prs", "hyd"))
    strokes = [0.0558106319, 0.0762018371, 0.102786677, 0.123004492]
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
    write_text(Tables(deck, run), tmp_path / "out")
    assert np.loadtxt(tmp_path / "out.frc")[-1] == pytest.approx([1, 1, -0.085])


VALVES = """
begin: nodes;
    hydraulic: 1, value, 1e7; hydraulic: 2, value, 4e6; hydraulic: 3, value, 3e6;
    hydraulic: 4, value, 1e5; hydraulic: 5, value, 8e5; hydraulic: 6, value, 3e5;
end: nodes;
begin: elements;
    genel: 1, clamp, 1, hydraulic, const, 1e7; genel: 2, clamp, 2, hydraulic, const, 4e6;
    genel: 3, clamp, 3, hydraulic, const, 3e6; genel: 4, clamp, 4, hydraulic, const, 1e5;
    genel: 5, clamp, 5, hydraulic, const, 8e5; genel: 6, clamp, 6, hydraulic, const, 3e5;
    hydraulic: 1, control valve, 1, 2, 3, 4, 1e-5, loss, 0.01, const, 0.5, fluid, reference, 2;
    hydraulic: 2, dynamic control valve, 1, 2, 3, 4, const, {force}, 0., 2e-3, 0.01, 8e-3, 7800.,
        1e6, 100., 0., fluid, reference, 2;
    hydraulic: 3, pressure flow control valve, 1, 2, 3, 4, 5, 6, const, 0., 0., 2e-3, 0.01, 8e-3,
        7800., 1e6, 100., 0., fluid, reference, 2;
    hydraulic: 4, pressure valve, 1, 4, 1e-4, 0.05, 1e-5, 1e5, 900., 0.01, 1e6, 300., 0.,
        fluid, reference, 2;
    hydraulic: 5, accumulator, 2, 0.5, start, 0.01, 1e-3, 1e-4, 5., loss in, 1., loss out, 0.5,
        spring, 4e4, 600., weight, 49.05, 1e6, 1e3, 0., fluid, reference, 2;
end: elements;
"""


def test_cards_of_valves_and_spring_accumulators(tmp_path):
    """Flows through edges, jet forces, stops and springs in closed form; columns of .hyd."""
    edge = np.sqrt(2 * 850) * 0.611
    jets = 0.43 * 0.01 * ((1e7 - 4e6) + (3e6 - 1e5))  # N/m: both open edges push back
    spool, mass = 1e-3, 7800 * np.pi / 4 * 8e-3**2 * 40e-3
    text = VALVES.replace("{force}", repr(float(jets * spool)))
    with pytest.warns(lw.LinkworkWarning) as told:
        deck = deck_of(tmp_path, text, t=0.02, h=2e-5, nodes=6, elements=5, genels=6)
    sentences = [str(warning.message) for warning in told]
    assert sum("length of its spool" in s for s in sentences) == 2
    assert sum("weight is taken as a force" in s for s in sentences) == 1
    run = lw.run_deck(deck, progress=False)
    lw.write_mbdyn(deck, run, tmp_path / "valves")
    q = table(tmp_path / "valves.hyd")
    flow = edge * 0.51 * 1e-5 * np.sqrt(6e6)
    np.testing.assert_allclose(q[1][-1, :2], [0.5, flow], rtol=1e-9)
    np.testing.assert_allclose(q[1][-1, 3], edge * 0.01 * 1e-5 * np.sqrt(7e6), rtol=1e-9)
    # a spool without damper swings about its equilibrium: s = s₀ (1 − cos ω t), ω² = jets/m
    w = np.sqrt(jets / mass)
    np.testing.assert_allclose(
        q[2][:, 0], spool * (1 - np.cos(w * run.time)), atol=5e-3 * spool
    )  # steps of 1/160 of a period
    assert q[2].shape[1] == 7 and np.all(q[2][:, 2] == jets * spool)
    middle = np.pi / 4 * 8e-3**2 * 5e5 / jets  # where pilot pressures balance the jets
    np.testing.assert_allclose(
        q[3][:, 0], middle * (1 - np.cos(w * run.time)), atol=5e-3 * middle
    )
    assert q[3].shape[1] == 7
    assert q[4].shape[1] == 3 and q[4][-1, 2] > 0  # 990 N against a preload of 900
    assert q[5].shape[1] == 6
    rest = lw.static(deck.model)
    np.testing.assert_allclose(
        float(rest["hydraulic element 5"].position), (4000 - 600 - 49.05) / 4e4, rtol=1e-6
    )


def test_orifices_unlike_those_that_are_known_are_warned_of(tmp_path):
    text = GAS.replace("1e-2, 5e-6, hyd", "1e-2, 5e-5, hyd")
    with pytest.warns(lw.LinkworkWarning, match="discharge coefficient is not known"):
        deck_of(tmp_path, text, nodes=5, elements=5)


def test_super_fluids_are_read(tmp_path):
    text = PIPES.replace("fluid, reference, 2;\nend", (
        "fluid, super, density, 850., 1.4e9, 5e4, viscosity, 0.02;\nend"
    )).replace("hydraulic fluid, reference, 2", (
        "fluid, super, density, 850., 1.4e9, 5e4, viscosity, 0.02"
    ))  # fmt: skip
    deck = deck_of(tmp_path, text)
    fluid = lw.run_deck(deck, progress=False).system.model["hydraulic 2"].fluid
    np.testing.assert_allclose(
        fluid.density_at([5e4, 3e6]), [0.85 + 425, 0.85 + 850 * (1 + 2.95e6 / 1.4e9)], rtol=1e-9
    )


@pytest.mark.parametrize("drive", [
    'node, 2, hydraulic, string, "x", linear, 0., 1e-4',
    "dof, 2, hydraulic, algebraic, linear, 0., 1e-4",
    'string, "1e-4*model::node::hydraulic(2, \\"x\\")"',
], ids=["node", "dof", "formula"])  # fmt: skip
def test_pressures_are_read_by_drives(tmp_path, drive):
    """A force of 1 cm² times the pressure between two pipes, 114177.158 Pa in the end."""
    node = "structural: 1, dynamic, null, eye, null, null;\nend: nodes;"
    text = PIPES.replace("end: nodes;", node).replace("end: elements;", f"""
        body: 1, 1, 10., null, diag, 1., 1., 1.; joint: 1, clamp, 1, node, node;
        force: 1, absolute, 1, position, null, 1., 0., 0., {drive};
        end: elements;""")
    deck = deck_of(tmp_path, text, structural=1, forces=1)
    run = lw.run_deck(deck, progress=False)
    pushed = run["force 1"].force.values[:, 0]
    np.testing.assert_allclose(pushed[-1], 11.4177158, rtol=1e-8)
    np.testing.assert_allclose(pushed[5], 1e-4 * 1.0034693974498728e05, rtol=1e-9)


@pytest.mark.parametrize("old, new, words", [
    ("hydraulic: 2, pipe, 2, 3,", "hydraulic: 2, pipe, 2, 2,", "with itself"),
    ("pipe, 2, 3, 8e-3,", "pipe, 2, 3, -8e-3,", "positive"),
    ("pipe, 2, 3, 8e-3,", "pipe, 2, 7, 8e-3,", "no hydraulic node 7"),
    ("fluid, reference, 2;\nend", "fluid, reference, 9;\nend", "no hydraulic fluid 9"),
    ("fluid, reference, 2;\nend", "fluid, reference, 1;\nend", "different fluids"),
    ("hydraulic: 2, pipe,", "hydraulic: 2, tank,", "does not say what its numbers are"),
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
