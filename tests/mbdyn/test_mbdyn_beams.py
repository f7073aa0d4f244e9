"""MBDyn's beams: its own results of two decks, and the grammar of beam2 and beam3.

The numbers were written by MBDyn.  Turns are interpolated in another way there, increments of each
step in place of turns from node to node, so that digits are held that do not depend on that.
"""

import numpy as np
import pytest
from inside import Tables, write_text
from mbdyn_decks import ran

import linkwork as lw
from linkwork import run_deck

SECTIONS = {  # (time, beam): force and moment at both sections
    (1.0, 1): (0.6217533957, 0, -4.961191663, 0, 2.849231445, 0, 2.04763146, 0, -4.561491577, 0,
        2.299439072, 0),
    (1.0, 3): (3.949944062, 0, -3.065606287, 0, 1.214289373, 0, 4.292237744, 0, -2.564506803, 0,
        0.8892346418, 0),
    (1.0, 5): (4.648185937, 0, -1.84238093, 0, 0.2803486066, 0, 4.684811298, 0, -1.747152857, 0,
        0.07310677673, 0),
}
NODES = {  # (time, node): position and orientation vector
    (0.25, 6): (0.4825852817, 0, -0.1158679498, 0, 0.420777072, 0),
    (0.25, 11): (0.9184356557, 0, -0.3600654923, 0, 0.5552998545, 0),
    (0.5, 6): (0.4526015566, 0, -0.187929093, 0, 0.6917165646, 0),
    (0.5, 11): (0.7900492389, 0, -0.5556493158, 0, 0.8949827289, 0),
    (0.75, 6): (0.4257746414, 0, -0.2316378248, 0, 0.8611729026, 0),
    (0.75, 11): (0.6880466829, 0, -0.6559573761, 0, 1.092068318, 0),
    (1.0, 6): (0.4034957018, 0, -0.2608517783, 0, 0.9762047192, 0),
    (1.0, 11): (0.6124015537, 0, -0.7137499187, 0, 1.215320121, 0),
}
FREQUENCIES = (5.594870325, 7.910504671, 34.98660787, 49.39901285, 97.58173722, 137.4805598,
        190.1326589, 249.965544, 249.9655445, 267.0521892, 312.0698299, 436.653815, 462.3284089,
        639.7316713)

HEAD = """
begin: data; problem: initial value; end: data;
begin: initial value;
  initial time: 0.; final time: {time}; time step: {step}; method: implicit euler;
end: initial value;
begin: control data; structural nodes: {n}; beams: {beams}; joints: 1; {control}
  default orientation: orientation vector; output precision: 16; end: control data;
begin: nodes; {nodes} end: nodes;
begin: elements; {elements} joint: 1, clamp, 1, node, node; end: elements;
"""


def written(tmp_path, n, beams, elements, kind="static", control="model: static; forces: 1;",
            time="1.", step="0.25", length=1.0, more=""):  # fmt: skip
    """A straight line of n nodes along x."""
    places = np.linspace(0, length, n)
    nodes = " ".join(
        f"structural: {i + 1}, {kind}, {x!r}, 0., 0., eye, null, null;"
        for i, x in enumerate(places.tolist())
    )
    path = tmp_path / "deck.mbd"
    path.write_text(HEAD.format(
        n=n, beams=beams, nodes=nodes + more, elements=elements, control=control, time=time,
        step=step,
    ))  # fmt: skip
    return lw.read_deck(path, environment={})


def three_node_beams(count, stiffness):
    law = f"linear elastic generic, diag, {stiffness}"
    return " ".join(
        f"beam3: {k + 1}, {2 * k + 1}, null, {2 * k + 2}, null, {2 * k + 3}, null, eye, {law}, "
        "same, same;" for k in range(count)
    )  # fmt: skip


LOAD = "force: 1, absolute, {node}, position, null, 0., 0., -1., ramp, 5., 0., 1., 0.;"


def test_elastica_as_mbdyn_has_it(tmp_path):
    beams = three_node_beams(5, "1e6, 1e6, 1e6, 1., 1., 1.")
    deck = written(tmp_path, 11, 5, beams + LOAD.format(node=11))
    run = run_deck(deck, progress=False)
    tables = Tables(deck, run)
    for (time, label), numbers in NODES.items():
        found = tables.node(label)[np.argmin(np.abs(run.time - time))]
        # MBDyn took 20 steps; its interpolation leaves 5e-7 of the length
        np.testing.assert_allclose(found[:6], numbers, atol=2e-6)
    for (time, label), numbers in SECTIONS.items():
        found = tables.beam(deck.beams[label])[np.argmin(np.abs(run.time - time))]
        np.testing.assert_allclose(found, numbers, atol=2e-5)
    paths = write_text(tables, tmp_path / "out")
    act = np.loadtxt(next(p for p in paths if p.suffix == ".act"))
    assert act.shape == (5 * len(run), 13)
    np.testing.assert_allclose(act[-5, 1:], SECTIONS[1.0, 1], atol=2e-5)


def test_frequencies_as_mbdyn_has_them(tmp_path):
    """Bodies as pieces between the evaluation points, with the inertia of such a piece."""
    h, text = 0.05, three_node_beams(10, "1e6, 1e6, 1e6, 1e2, 1e2, 2e2")
    short, long = h * (1 - 3**-0.5), 2 * h * 3**-0.5
    for i in range(21):
        l = long if i % 2 else 2 * short
        offset = 0.0
        if i in (0, 20):
            l, offset = short, short / 2 * (1 if i == 0 else -1)
        J = f"diag, {1e-4 * l!r}, {l**3 / 12 + 1e-6 * l!r}, {l**3 / 12 + 1e-6 * l!r}"
        text += f"body: {i + 1}, {i + 1}, {l!r}, {offset!r}, 0., 0., {J};"
    deck = written(tmp_path, 21, 10, text, "dynamic", "rigid bodies: 21;", "1e-3", "1e-3")
    found = np.sort(lw.eigen(deck.model).frequency)[: len(FREQUENCIES)]
    # written with ten digits; MBDyn computes them from a matrix of finite differences in time
    np.testing.assert_allclose(found, FREQUENCIES, rtol=1e-6)


def test_two_node_beams_have_their_law_as_given(tmp_path):
    """Tip deflection of one element: P L³/(4 EI) + P L/GA, with the moment of its middle."""
    law = "linear elastic generic, diag, 1e6, 1e6, 1e6, 1., 1., 1."
    deck = written(tmp_path, 2, 1, f"beam2: 1, 1, null, 2, null, from nodes, {law};"
                   "force: 1, absolute, 2, position, null, 0., 0., -1., const, 1e-4;")  # fmt: skip
    run = run_deck(deck, progress=False)
    assert Tables(deck, run).node(2)[-1, 2] == pytest.approx(-1e-4 * (0.25 + 1e-6), rel=1e-6)
    assert Tables(deck, run).beam(deck.beams[1]).shape == (len(run), 6)


def test_offsets_axes_and_laws(tmp_path):
    """Nodes beside the axis, sections turned by 90°, a viscous law with pre-strain, no output."""
    law = "linear viscoelastic generic, diag, 1e4, 1e4, 1e4, 1., 2., 3., proportional, 1e-2"
    ends = ", ".join(f"{i}, position, 0., .1, 0., orientation, eye" for i in (1, 2, 3))
    text = (
        f"beam3: 7, {ends}, 1, 1., 0., 0., 3, 0., 1., 0., {law}, prestrain, single, "
        "0., 0., 0., 0., 1., 0., const, .1, same, same, output, no;"
    )
    deck = written(tmp_path, 3, 1, text, control="model: static;", time="4.")  # 400 time constants
    element = deck.model["beam 7"]
    assert element.frames[0].position.tolist() == [0, 0.1, 0]
    run = run_deck(deck, progress=False)
    curvature = run["beam 7"].curvature.values[-1]
    np.testing.assert_allclose(curvature, [[0, 0.1, 0]] * 2, atol=1e-9)
    assert not any(p.suffix == ".act" for p in write_text(Tables(deck, run), tmp_path / "out"))


@pytest.mark.parametrize(("text", "words"), [
    ("beam3: 1, 1, null, 2, null, 9, null, eye, linear elastic, 1., same, same;", "node 9"),
    ("beam3: 1, 1, null, 2, null, 3, null, eye, linear elastic, 1., same, same, "
     "distributed inertia, 1.;", "no inertia on its card; give the mass .* by body cards"),
    ("beam2: 1, 1, null, 1, null, eye, linear elastic, 1.;", "with itself"),
    ("beam2: 1, 1, null, 2, null, eye, linear elastic, 1., piezoelectric actuator, 1, 7, null;",
     "no abstract node '7'"),
    ("hbeam: 1, 1, null, 2, null, eye, linear elastic, 1., piezoelectric actuator, 1;", "belongs"),
    ("beam2: 1, 1, null, 2, null, eye, linear elastic, 1., piezoelectric beam, 1;", "belongs"),
])  # fmt: skip
def test_cards_that_are_refused(tmp_path, text, words):
    with pytest.raises(lw.MbdynError, match=words):
        written(tmp_path, 3, 1, text, control="model: static;")


STIFF = "linear elastic generic, diag, 1e6, 1e6, 1e6, 1., 2., 4."


def test_an_arc_is_exact_in_one_helicoidal_element(tmp_path):
    """κ = M/EI constant: the tip of a quarter and more of a circle, whatever the length."""
    M, law = 5.0, STIFF
    deck = written(
        tmp_path, 3, 2, f"hbeam: 1, 1, null, 2, null, from nodes, {law};"
        f"hbeam2: 2, 2, null, 3, null, eye, {law};"
        f"couple: 1, absolute, 3, position, null, 0., -1., 0., ramp, {M}, 0., 1., 0.;",
    )  # fmt: skip
    run = run_deck(deck, progress=False)
    turn = M / 2.0 * run.time
    tables = Tables(deck, run)
    exact = np.stack([np.sin(turn[1:]), 0 * turn[1:], 1 - np.cos(turn[1:])], 1) / turn[1:, None]
    np.testing.assert_allclose(tables.node(3)[1:, :3], exact, atol=1e-9)
    np.testing.assert_allclose(tables.beam(deck.beams[2])[-1], [0, 0, 0, 0, -M, 0], atol=1e-8)


ELECTRIC = "model: static; abstract nodes: 1; {};"


def actuated(kind, matrices):
    ends = ", ".join(f"{i}, null" for i in (1, 2, 3))
    return f"beam3: 1, {ends}, eye, {STIFF}, same, same, {kind}, 1, 7, {matrices};"


def test_a_voltage_bends_a_piezoelectric_beam(tmp_path):
    """0 = EI κ + e V: an arc, without stress."""
    beams = actuated("piezoelectric actuator", "0., 0., 0., 0., -3., 0., same")
    beams += "genel: 1, clamp, 7, abstract, ramp, .5, 0., 1., 0.;"
    deck = written(tmp_path, 3, 1, beams, control=ELECTRIC.format("genels: 1"),
                   more="abstract: 7, value, 0.;")  # fmt: skip
    run = run_deck(deck, progress=False)
    kappa = 3.0 * 0.5 * run.time / 2.0
    curvature = run["beam 1"].curvature.values
    np.testing.assert_allclose(curvature[..., 1], np.stack([kappa] * 2, 1), atol=1e-9)
    assert np.abs(Tables(deck, run).beam(deck.beams[1])).max() < 1e-8  # of .act: all stresses


def test_open_electrodes_stiffen_a_coupled_beam(tmp_path):
    """C L V = −B θ of an electrode without current, so that J θ̈ + (EI − e B/C) θ/L = 0."""
    matrices = "0., 0., 0., 0., -.3, 0., 0., 0., 0., 0., .2, 0., .5, same"
    beams = actuated("piezoelectric beam", matrices)
    for i, J in ((1, 1e-3), (2, 1e-9), (3, 1.0)):
        beams += f"body: {i}, {i}, 1e-6, null, diag, {J}, {J}, {J};"
    deck = written(tmp_path, 3, 1, beams, "dynamic", "abstract nodes: 1; rigid bodies: 3;",
                   "1.", "1e-2", more="abstract: 7, value, 0.;")  # fmt: skip
    omega = 2 * np.pi * np.sort(lw.eigen(deck.model).frequency)
    expected = np.sqrt([1.0, 2.0 + 0.3 * 0.2 / 0.5, 4.0])  # torsion, both bendings
    np.testing.assert_allclose(omega[omega > 0.1][:3], expected, rtol=1e-5)


def test_open_electrodes_stiffen_a_beam_in_statics(tmp_path):
    """The charge stays: V = −B κ/C, so that (EI − e B/C) κ = M, which e alone would not change."""
    matrices = "0., 0., 0., 0., -.3, 0., 0., 0., 0., 0., .2, 0., .5, same"
    beams = actuated("piezoelectric beam", matrices)
    beams += "couple: 1, absolute, 3, position, null, 0., 1., 0., ramp, .1, 0., 1., 0.;"
    deck = written(tmp_path, 3, 1, beams, control=ELECTRIC.format("forces: 1"),
                   more="abstract: 7, value, 0.;")  # fmt: skip
    run = run_deck(deck, progress=False)
    kappa = 0.1 * run.time / (2.0 + 0.3 * 0.2 / 0.5)
    curvature = run["beam 1"].curvature.values[..., 1]
    np.testing.assert_allclose(curvature, np.stack([kappa] * 2, 1), rtol=1e-4, atol=1e-7)
    volts = Tables(deck, run).scalar(deck.scalars["abstract", 7])[:, 0]
    np.testing.assert_allclose(volts, -0.2 * kappa / 0.5, rtol=1e-4, atol=1e-7)


def test_a_couple_rolls_a_cantilever_up():
    """A constant curvature κ = M/EI: an arc of length 2 m that turns by κ L, at every load.

    The chord of an element that turns by φ is an integral by two points of Gauss, too short by the
    factor 1 − φ⁴/4320.
    """
    _, run, tables = ran("beams")
    turn = np.pi / 2 * run.time[1:]
    for node in (5, 9):
        part = turn * (node - 1) / 8
        radius = 2.0 / turn
        exact = np.stack([radius * np.sin(part), 0 * part, radius * (1 - np.cos(part))], axis=1)
        exact *= (1 - (turn / 4) ** 4 / 4320)[:, None]
        np.testing.assert_allclose(tables.node(node)[1:, :3], exact, atol=2e-8)


def followed(tmp_path, datum):
    """A beam along nodes 1 to 3 that a couple bends; what a load reads of it pulls node 4 against a
    spring of stiffness 1."""
    text = three_node_beams(1, "1e6, 1e6, 1e6, 1., 2., 4.")
    text += "couple: 1, absolute, 3, position, null, 0., -1., 0., ramp, .5, 0., 1., 0.;"
    text += f"force: 2, absolute, 4, position, null, 0., 0., 1., element, 1, beam, {datum}, direct;"
    text += "joint: 8, deformable displacement joint, 1, 1.5, 0., 0., 4, null, "
    text += "linear elastic isotropic, 1.;"
    text += "joint: 9, deformable hinge, 1, 4, linear elastic isotropic, 1.;"
    path = tmp_path / "deck.mbd"
    path.write_text(HEAD.replace("joints: 1", "joints: 3").format(
        n=4, beams=1, elements=text, control="model: static; forces: 2;", time="1.", step="0.25",
        nodes=" ".join(
            f"structural: {i + 1}, static, {x}, 0., 0., eye, null, null;"
            for i, x in enumerate((0.0, 0.5, 1.0, 1.5))
        ),
    ))  # fmt: skip
    return lw.read_deck(path, environment={})


@pytest.mark.parametrize(("datum", "expected"), [
    ('string, "pI.ky"', -0.25), ('string, "pII.My"', -0.5), ("index, 5", -0.25),
    ("index, 38", -0.5),
    ('string, "pI.Xx"', 2 / 3 * np.sin(0.125) / 0.25 + (1 / 6 - 3**-0.5 / 2) * np.sin(0.25) / 0.25),
])  # fmt: skip
def test_loads_that_follow_a_beam(tmp_path, datum, expected):
    """A couple M = 0.5 bends the beam to κ = M/EI = 0.25: an arc, places a parabola through it."""
    deck = followed(tmp_path, datum)
    run = run_deck(deck, progress=False)
    np.testing.assert_allclose(Tables(deck, run).node(4)[-1, :3], (1.5, 0, expected), atol=1e-5)


@pytest.mark.parametrize(("datum", "words"), [
    ('string, "ky"', "pI. or pII."), ('string, "pI.Phix"', "beams give ex"),
    ("index, 60", "by their names"),
])  # fmt: skip
def test_data_of_beams_that_cannot_be_read(tmp_path, datum, words):
    with pytest.raises(lw.MbdynError, match=words):
        followed(tmp_path, datum)
