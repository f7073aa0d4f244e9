"""The usual slips of writing a deck: each message says where, what was found and what to do."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork import MbdynError

DECK = """begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: 1.; time step: 1.e-2; end: initial value;
begin: control data;
  structural nodes: 2;
  rigid bodies: 2;
  joints: 2;
  gravity;
end: control data;
set: real L = 1.;
set: integer Rod_1 = 1;
begin: nodes;
  structural: Rod_1, dynamic, L/2., 0., 0., eye, null, null;
  structural: 2, dynamic, L, 0., L/2., euler, 0., -pi/2., 0., null, null;
end: nodes;
begin: elements;
  body: 1, Rod_1, 1., null, diag, 0., L/12., L/12.;
  body: 2, 2, 1., null, diag, 0., L/12., L/12.;
  joint: 1, revolute pin, Rod_1, -L/2., 0., 0., hinge, 1, 1., 0., 0., 3, 0., 1., 0.,
    null, hinge, 1, 1., 0., 0., 3, 0., 1., 0.;
  joint: 2, revolute hinge,
    Rod_1, L/2., 0., 0., hinge, 1, 1., 0., 0., 3, 0., 1., 0.,
    2, -L/2., 0., 0., hinge, 1, 1., 0., 0., 3, 0., 1., 0.;
  gravity: 0., 0., -1., const, 9.81;
end: elements;
"""


def test_the_deck_itself_is_right(tmp_path):
    (tmp_path / "deck.mbd").write_text(DECK)
    assert len(lw.read_mbdyn(tmp_path / "deck.mbd").items) == 4


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("-L/2., 0., 0., hinge, 1, 1.,", "-L/2. 0., 0., hinge, 1, 1.,", "18:40",
         ["joint 1 (revolute pin): a position", "found '0.'", "comma missing before it?"]),
        ("revolute pin, Rod_1, -L", "revolute pin, Rod_1 -L", "18:27",
         ["must be an integer, found 0.5 from 'Rod_1 -L/2.'", "comma missing?"]),
        ("revolute pin, Rod_1", "revolute pin Rod_1", "18:13",
         ["comma missing after 'revolute pin'?", "near it: revolute pin"]),
        ("L = 1.;", "L = 1.", "10:4", ["set: expected", "is a ';' missing before 'set:'?"]),
        ("L/12., L/12.;\\n  body", "L/12., L/12.\\n  body", "17:7",
         ["body 1: an inertia matrix", "is a ';' missing before 'body:'?"]),
        ("9.81;", "9.81", "24:4", ["gravity", "is a ';' missing before 'end:'?"]),
        ("3, 0., 1., 0.;\\n  gravity", "3, 0., 1., 0., output, yes\\n  gravity", "23:10",
         ["joint 2", "is a ';' missing before 'gravity:'?"]),
        ("joints: 2", "joints: 3", "6:11", ["announces 3 joints, but 2 follow; write joints: 2;"]),
        ("  joints: 2;\\n", "", "4:21", ["control data: no card announces the joints", "(2)",
         "add joints: 2;"]),
        ("  gravity;\\n", "", "4:21", ["no card announces the gravity", "add gravity;"]),
        ("revolute hinge,\\n    Rod_1", "revolute hinge,\\n    7", "21:5",
         ["joint 2 (revolute hinge): there is no structural node 7; there are 1, 2"]),
        ("revolute hinge,\\n    Rod_1", "revolute hinge,\\n    Rod1", "21:5",
         ["expected the label of a node, found 'Rod1', which is no keyword here and no variable",
          "is 'Rod_1' meant?"]),
        ("revolute hinge", "revolut hinge", "20:13", ["'revolut hinge'", "near it: revolute"]),
        ("0., 0., eye", "0., 0., absolute eye", "12:45",
         ["structural node 1", "found the words 'absolute eye', which are no keyword here"]),
        ("joint: 2", "jiont: 2", "20:3", ["the card 'jiont'", "near it: joint"]),
        ("rigid bodies", "rigid bodys", "5:3", ["the card 'rigid bodys'", "near it: rigid bodies"]),
        ("begin: elements", "begin: element", "15:8", ["the block 'element'", "near it: elements"]),
        ("end: nodes;", "end: elements;", "14:6", ["'nodes' is open", "write end: nodes;"]),
        ("end: nodes;\\n", "", "14:8", ["'nodes' is still open; write end: nodes; before"]),
        ("time step: 1.e-2", "time step 1.e-2", "2:57", ["is ':' missing after 'time step'?"]),
        ("begin: nodes", "begin nodes", "11:1", ["is ':' missing after 'begin'?"]),
        ("const, 9.81", "const, 9,81", "23:34", ["found '81'; write 9.81 with a point"]),
        ("const, 9.81", "konst, 9.81", "23:25", ["the drive 'konst'", "near it: const"]),
        ("null, diag, 0., L/12., L/12.;\\n  joint", "null;\\n  joint", "17:23",
         ["body 2: expected an inertia matrix, found the end of the card"]),
    ],
)  # fmt: skip
def test_slips(tmp_path, old, new, place, words):
    old, new = old.replace("\\n", "\n"), new.replace("\\n", "\n")
    assert old in DECK
    path = tmp_path / "deck.mbd"
    path.write_text(DECK.replace(old, new, 1))
    with pytest.raises(MbdynError) as caught:
        lw.read_deck(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{place}: "), message
    for word in words:
        assert word in message, message


def test_elements_before_nodes(tmp_path):
    i, j = DECK.index("begin: nodes"), DECK.index("begin: elements")
    path = tmp_path / "deck.mbd"
    path.write_text(DECK[:i] + DECK[j:] + DECK[i:j])
    with pytest.raises(MbdynError, match="the block 'nodes' must come before the elements"):
        lw.read_deck(path)


def test_no_control_data(tmp_path):
    i, j = DECK.index("begin: control"), DECK.index("set: real L")
    path = tmp_path / "deck.mbd"
    path.write_text(DECK[:i] + DECK[j:])
    with pytest.raises(MbdynError, match="no block 'control data' announces the gravity"):
        lw.read_deck(path)


@pytest.mark.parametrize("given", [lw.Model("arm"), "arm.mbd", None])
def test_what_is_no_deck_is_refused_in_one_sentence(given):
    for call in (lw.run_deck, lambda x: lw.write_mbdyn(x, None, "arm")):
        with pytest.raises(lw.ModelError, match=r"needs the deck that lw.read_deck\(path\) gives"):
            call(given)
