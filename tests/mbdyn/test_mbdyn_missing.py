"""Decks with something missing or misspelt: one sentence with the place, and what to do."""

import re

import pytest

import linkwork as lw

HEAD = "begin: data; problem: initial value; end: data;\n"
PROBLEM = """begin: initial value; initial time: 0.; final time: .01; time step: 1.e-3;
    tolerance: 1.e-6; max iterations: 20; end: initial value;
"""
CONTROL = """begin: control data; structural nodes: 2; rigid bodies: 1; joints: 2; gravity;
    parameter nodes: 1; end: control data;
"""
NODES = """begin: nodes;
    structural: 1, static, null, eye, null, null;
    structural: 2, dynamic, 1., 0., 0., eye, null, null;
    parameter: 9, element;
end: nodes;
"""
ELEMENTS = """begin: elements;
    body: 2, 2, 1., null, diag, 1., 1., 1.;
    joint: 1, clamp, 1, node, node;
    joint: 2, spherical hinge, 1, position, null, 2, position, -1., 0., 0.;
    gravity: uniform, 0., 0., -1., const, 9.81;
    bind: 2, automatic structural, 9, string, "beta[1]";
end: elements;
"""
WHOLE = HEAD + PROBLEM + CONTROL + NODES + ELEMENTS


@pytest.fixture
def told(tmp_path):
    """What linkwork says about a text."""

    def told(text):
        path = tmp_path / "deck.mbd"
        path.write_text(text)
        with pytest.raises(lw.LinkworkError) as error:
            lw.run_deck(lw.read_deck(path), progress=False)
        sentence = str(error.value)
        assert "\n" not in sentence and ";;" not in sentence
        return sentence.replace(str(path), "deck.mbd")

    return told


def test_the_whole_deck_runs(tmp_path):
    (tmp_path / "deck.mbd").write_text(WHOLE)
    assert len(lw.run_deck(lw.read_deck(tmp_path / "deck.mbd"), progress=False)) == 11


@pytest.mark.parametrize(("block", "sentence"), [
    (PROBLEM, "the problem block is missing, .* begin: initial value; .* end: initial value;"),
    (ELEMENTS, "the block 'elements' is missing: write begin: elements; … end: elements;"),
    (CONTROL, "no block 'control data' announces"),
    (NODES, "there is no structural node 2; the block 'nodes' must come before the elements"),
])  # fmt: skip
def test_missing_blocks_are_named(told, block, sentence):
    assert re.search(sentence, told(WHOLE.replace(block, "")))


def test_a_deck_without_problem_block_runs_where_times_are_given(tmp_path):
    (tmp_path / "deck.mbd").write_text(WHOLE.replace(PROBLEM, ""))
    deck = lw.read_deck(tmp_path / "deck.mbd")
    assert len(lw.run_deck(deck, progress=False, t=0.01, h=1e-3)) == 11


def test_a_problem_that_no_data_announce(told):
    text = WHOLE.replace(HEAD, "").replace("initial value", "inverse dynamics")
    assert "write begin: data; problem: inverse dynamics; end: data; before" in told(text)


@pytest.mark.parametrize(("right", "wrong", "sentence"), [
    # lost commas
    ("1, static, null, eye", "1, static, null eye", "found the words 'null eye'.*"
     "is a comma missing after 'null'?"),
    ("diag, 1., 1., 1.", "diag 1., 1., 1.", "is a comma missing"),
    ("position, -1., 0.", "position -1., 0.", "is a comma missing after 'position'?"),
    ("eye, null, null;", "eye, null null;", "is a comma missing after 'null'?"),
    # empty fields
    ("joint: 1, clamp, 1", "joint: 1, , 1", "deck.mbd:.*: joint 1: expected a joint, found an "
     "empty field; write one of .*clamp"),
    ("begin: nodes;", "begin: ;", "begin: expected a block, found an empty field; write one of"),
    # texts for numbers
    ("1., null, diag", '"m", null, diag', "body 2: a mass: expected a number, found the text"),
    ("joint: 1, clamp", 'joint: "x", clamp', "the label of a joint: expected a number, found"),
    ("joint: 1, clamp", "joint: 1e30, clamp", "the label of a joint must be a whole number below"),
    # labels
    ("joint: 2, sph", "joint: 1, sph", "there is a joint 1 already; give it another label"),
    ("bind: 2,", "bind: 7,", "bind 7: there is no structural node 7; there are 1, 2"),
    ("bind: 2, automatic structural", "bind: 7, joint", "there is no joint 7; there are 1, 2"),
    # blocks
    ("end: nodes;\n", "end: nodes\n", "end: expected end: nodes, found end: nodes begin: elements; "
     "is a ';' missing before 'begin:'?"),
    ("begin: nodes;\n", "", "the card 'structural' outside all blocks is not supported"),
    ("begin: data; ", "end: data; ", "no block is open that 'data' could end; leave the card out"),
    (PROBLEM, HEAD, "there was a block 'data' before; put its cards into that one"),
    # declarations
    (NODES, "set: const rael X = 1.;\n" + NODES, "found 'rael', which is none of const, ifndef, "),
    (NODES, "set: cnst real X = 1.;\n" + NODES, "found 'cnst', which is none of const, ifndef, "),
])  # fmt: skip
def test_slips_are_named(told, right, wrong, sentence):
    text = WHOLE.replace(right, wrong, 1)
    assert text != WHOLE
    found = told(text)
    assert re.match(r"deck\.mbd:\d+:\d+: ", found) and re.search(sentence, found), found


def test_a_node_very_far_away_beside_nodes_of_scalars(told):
    """A clamped node without mass, and a value that is integrated: no error of numpy's."""
    text = WHOLE.replace("2, dynamic, 1., 0.", "2, dynamic, 1., 1e30")
    text = text.replace("parameter nodes: 1;", "parameter nodes: 1; abstract nodes: 1; genels: 2;")
    text = text.replace("end: nodes;", "abstract: 5, differential, value, .1;\nend: nodes;")
    text = text.replace("end: elements;", """
        genel: 5, spring support, 5, abstract, algebraic, linear viscous, 2.;
        genel: 6, spring support, 5, abstract, algebraic, linear elastic, 1.;
        end: elements;""")
    assert told(text)
