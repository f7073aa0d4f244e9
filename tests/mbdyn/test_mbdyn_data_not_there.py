"""Data that cards ask for and that are not there: told with the place, and with what there is.

Whether something uses them or not: a parameter node that nothing reads had written "nan".
"""

import re

import numpy as np
import pytest
from mbdyn_text import deck_text

import linkwork as lw

NODES = """structural: 1, dynamic, null, eye, null, null;
    structural: 2, dynamic, 1., 0., 0., eye, null, 0., 0., 3.;
    abstract: 4, differential, value, .1; electric: 6; thermal: 7, value, 3.;
    hydraulic: 3, value, 1.e5; parameter: 8, value, 3.; parameter: 9, element;
"""
ELEMENTS = """body: 1, 1, 2., null, eye; body: 2, 2, 1., null, eye;
    joint: 1, revolute hinge, 1, null, 2, -1., 0., 0.;
    joint: 2, rod, 1, 2, 1., linear elastic, 1.;
    joint: 5, clamp, 1, node, node;
    genel: 5, spring support, 4, abstract, algebraic, linear viscoelastic, 2., 1.;
    genel: 6, clamp, 6, electric, algebraic, const, 1.;
    genel: 7, clamp, 7, thermal, algebraic, const, 1.;
    genel: 8, clamp, 3, hydraulic, algebraic, linear, 2.e5, 1.e5;
"""
COUNTS = """abstract nodes: 1; parameter nodes: 2; electric nodes: 1; thermal nodes: 1;
    hydraulic nodes: 1; genels: 4;"""
BOUND = 'bind: 1, joint, 9, string, "rz";'


@pytest.fixture
def read(tmp_path):
    def read(elements="", bound=BOUND):
        path = tmp_path / "deck.mbd"
        path.write_text(deck_text(NODES, ELEMENTS + bound + elements, control=COUNTS,
                                  time=".02", step="1.e-2"))  # fmt: skip
        return lw.read_deck(path)

    return read


def refused(read, *args, **given):
    with pytest.raises(lw.MbdynError) as error:
        read(*args, **given)
    assert error.value.line > 0 and "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(("card", "sentence"), [
    ('1, joint, 9, string, "Fx"', "'Fx' of joint 1 (revolute hinge) cannot be read here; this "
     "joint gives rz and wz"),
    ('2, joint, 9, string, "rz"', "this joint gives L and LPrime"),
    ('5, joint, 9, string, "rz"', "gives nothing that drives can read"),
    ('77, joint, 9, string, "rz"', "there is no joint 77; there are 1, 2, 5"),
    ('1, beam, 9, string, "pI.kx"', "there is no beam 1; the deck has none"),
    ('1, rotor, 9, string, "Tz"', "there is no induced velocity element 1; the deck has none"),
    ('1, air properties, 9, string, "vinf"', "the deck has no air properties"),
    ('1, aircraft instruments, 9, string, "turn"', "there is no aircraft instruments 1"),
    ('1, aerodynamic body, 9, string, "Fx"', "there is no aerodynamic body 1; the deck has none"),
    ('1, generic aerodynamic force, 9, string, "alpha"', "there is no generic aerodynamic force 1"),
    ('1, automatic structural, 9, string, "gamma[1]"', "it gives beta[1], beta[2] and beta[3]"),
    ('77, automatic structural, 9, string, "beta[1]"', "there is no structural node 77; there are"),
    ('1, body, 9, string, "x"', "data of the element 'body' cannot be read here, only those of "),
    ('5, genel, 9, string, "x"', "data of the element 'genel' cannot be read here"),
    ('1, jiont, 9, string, "rz"', "expected a kind of element, one of aerodynamic beam"),
    ('1, joint, 8, string, "rz"', "there is no parameter node '8' that waits .* waiting: 9"),
])  # fmt: skip
def test_a_parameter_node_is_bound_to_what_is_there(read, card, sentence):
    assert re.search(sentence.replace("(", r"\(").replace(")", r"\)").replace("[", r"\["),
                     refused(read, bound=f"bind: {card};"))  # fmt: skip


NOT_THERE = [
    ('node, 11, structural, string, "X[1]", direct', "no structural node 11; there are 1, 2"),
    ('node, 1, structural, string, "X[4]", direct', "a structural node has no datum 'X[4]'; known"),
    ('node, 44, abstract, string, "x", direct', "no abstract node 44; there is only 4"),
    ('node, 4, abstract, string, "y", direct', "an abstract node has the data x and xP, found 'y'"),
    ('node, 66, electric, string, "x", direct', "no electric node 66; there is only 6"),
    ('node, 77, thermal, string, "x", direct', "no thermal node 77; there is only 7"),
    ('node, 7, thermal, string, "T", direct', "a thermal node has the data x and xP, found 'T'"),
    ('node, 33, hydraulic, string, "x", direct', "no hydraulic node 33; there is only 3"),
    ('node, 88, parameter, string, "x", direct', "no parameter node 88; there are 8, 9"),
    ('node, 1, structure, string, "X[1]", direct', "expected a kind of node, one of structural"),
    ("dof, 11, structural, 1, algebraic, direct", "no structural node 11; there are 1, 2"),
    ('element, 77, joint, string, "rz", direct', "there is no joint 77; there are 1, 2, 5"),
    ('element, 1, jiont, string, "rz", direct', "expected a kind of element"),
    ('string, "model::xposition(11)"', "there is no structural node 11; there are 1, 2"),
    ('string, "model::node::structural(1, \\"Z[1]\\")"', "a structural node has no datum 'Z[1]'"),
    ('string, "model::element::joint(12, \\"rz\\")"', "there is no joint 12; there are 1, 2, 5"),
    ('string, "model::drive(44)"', "there is no drive caller 44"),
    ('string, "zork"', "'zork' is no variable that was set before"),
]


@pytest.mark.parametrize(("drive", "sentence"), NOT_THERE)
@pytest.mark.parametrize("use", [
    "force: 1, absolute, 1, 1., 0., 0., {};", "drive caller: 3, {};",
    "template drive caller: 3, 3, component, 1., inactive, {};",
], ids=["force", "drive caller", "template"])  # fmt: skip
def test_drives_read_what_is_there_used_or_not(read, drive, sentence, use):
    assert sentence in refused(read, use.format(drive))


@pytest.mark.parametrize(("plugin", "sentence"), [
    ("dof, q, 11, structural, 1, algebraic", "there is no structural node 11; there are 1, 2"),
    ("dof, q, 1, structural, 0, algebraic", "count from 1, found 0"),
    ("dof, q, 1, structure, 1, algebraic", "the kind of node 'structure' is not supported"),
    ("node, q, 1, structural, string=Z[1]", "a structural node has no datum 'Z[1]'"),
    ("element, q, 13, joint, string=rz", "there is no joint 13; there are 1, 2, 5"),
])  # fmt: skip
def test_plugins_read_what_is_there_used_or_not(read, plugin, sentence):
    assert sentence in refused(read, f"set: [{plugin}];")


def test_what_linkwork_alone_cannot_read_is_noted_where_nothing_uses_it(read):
    deck = read('drive caller: 3, element, 1, joint, string, "Fx", direct;')
    assert any("'Fx' of joint 1" in note and "nothing uses it" in note for note in deck.notes)


def test_a_plugin_may_name_a_datum_with_brackets_and_without_quotes(read, tmp_path):
    deck = read('set: [node, v, 2, structural, string=XP[1]]; force: 1, absolute, 2, 1., 0., 0., '
                'string, "2.*v";')  # fmt: skip
    run = lw.run_deck(deck, progress=False)
    lw.write_mbdyn(deck, run, tmp_path / "out")
    force = np.loadtxt(tmp_path / "out.frc")[:, 2]
    velocity = np.loadtxt(tmp_path / "out.mov")[1::2, 7]
    np.testing.assert_allclose(force, 2 * velocity, atol=1e-5)


def test_a_clamped_pressure_that_nothing_joins_is_that_of_its_clamp(read, tmp_path):
    """p = 2e5 + 1e5 t, without flow; also where it is read."""
    deck = read('force: 1, absolute, 2, 1., 0., 0., node, 3, hydraulic, string, "xP", direct;')
    run = lw.run_deck(deck, progress=False)
    lw.write_mbdyn(deck, run, tmp_path / "out")
    np.testing.assert_allclose(np.loadtxt(tmp_path / "out.prs")[:, 1], 2e5 + 1e5 * run.time)
    np.testing.assert_allclose(np.loadtxt(tmp_path / "out.frc")[:, 2], 1e5)
    gen = np.loadtxt(tmp_path / "out.gen", usecols=(0, 1))
    assert (gen[gen[:, 0] == 8, 1] == 0).all()
