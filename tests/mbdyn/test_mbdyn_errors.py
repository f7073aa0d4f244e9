"""What the reader of MBDyn input files refuses, on purpose and at random, and how fast it is."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from inside import unsupported_cards
from mbdyn_text import BODIES, BODY, HEAD, NODE, TWO, deck_text

import linkwork as lw
from linkwork import MbdynError, UnsupportedCard

# --------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (dict(nodes=NODE + NODE), r":8:\d+: structural node 1: there is a structural node 1"),
        (dict(elements="body: 1, 5, 1., null, eye;"), "there is no structural node 5"),
        (dict(nodes=NODE, elements="body: 1, 1, -1., null, eye;"), "mass must not be negative"),
        (dict(nodes=NODE, elements="body: 1, 1, 1., null, diag, 1., 1., -5.;"),
         "negative principal moment"),
        (dict(nodes=NODE, elements="joint: 1, clamb, 1, node, node;"),
         r"'clamb' is not supported \(near it: clamp"),
        (dict(nodes=NODE, elements="joint: 1, clamp, 1, node, node, node;"), "expected the end"),
        (dict(nodes=NODE, elements="joint: 1, kinematic, 1, const, 1.;"),
         "'kinematic' is not supported: it takes its motion from compiled code.*total pin joint"),
        (dict(nodes=NODE, elements="joint: 1, clamp;"), "expected the label of a node, found the"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, position, null, 1., 0., 0., dof;"),
         "expected the label of a node, found the end"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, 1., 0., 0., bistopp, 1.;"),
         r"the drive 'bistopp' is not supported \(near it: bistop"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, 1., 0., 0., "
                                   "node, 1, structural, string, \"Y[1]\", direct;"),
         r"has no datum 'Y\[1\]'; known are X\[1\], x\[1\]"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, 1., 0., 0., "
                                   "node, 1, structural, string, \"XPP[1]\", direct;"),
         "is an acceleration, which loads cannot follow"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, 1., 0., 0., "
                                   "dof, 1, structural, 4, algebraic, direct;"),
         "degree of freedom 4 of a structural node is not supported"),
        (dict(nodes=NODE, elements="joint: 1, drive displacement pin, 1, null, null, 1., 0., 0., "
                                   "node, 1, structural, string, \"X[1]\", direct;"),
         "reads the motion"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, 1., 0., 0., "
                                   "string, \"model::xposition_prev(7)\";"),
         "there is no structural node 7"),
        (dict(nodes=NODE, elements=BODY + "joint: 1, revolute pin, 1, position, null, position, "
              "null; force: 1, absolute, 1, 1., 0., 0., element, 1, joint, string, \"Fx\", "
              "direct;"),
         "'Fx' of joint 1 .* cannot be read here"),
        (dict(nodes=NODE, before="drive caller: 1, node, 1, structural, string, \"X[1]\", direct;"
              "drive caller: 2, drive, sample and hold, reference, 1, unit, reference, 1;",
              elements=BODY + "force: 1, absolute, 1, 1., 0., 0., reference, 2;"),
         "taken at other values than the time"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, 1., 0., 0., sine, 0.;"),
         "expected a parameter of sine, found the end"),
        (dict(nodes="structural: 1, dynamic, null, null, null, null;"), "null is no orientation"),
        (dict(nodes="structural: 1, dynamic, null, 1, 1., 0., 0., 2, 2., 0., 0., null, null;"),
         "not parallel"),
        (dict(nodes="structural: 1, dynamic, null, matr, 1., 1., 0., 0., 1., 0., 0., 0., 1.,"
                    " null, null;"), "the matrix is no rotation"),
        (dict(nodes="structural: 1, dynamic, reference, 5, null, eye, null, null;"),
         "no reference frame 5"),
        (dict(nodes="abstract: 1;", control="abstract nodes: 1;"), "abstract node 1 has no mass"),
        (dict(nodes="electric: 1;"), "no card announces the electric nodes that follow"),
        (dict(nodes="magnetic: 1;"), "'magnetic' of the block 'nodes' is not supported"),
        (dict(nodes="parameter: 1, sample and hold, 1, abstract, algebraic, 1.;"),
         "a parameter node that follows 'sample and hold' is not supported"),
        (dict(nodes="parameter: 1, value, 2.;", control="parameter nodes: 1;",
              elements="force: 1, abstract, 1, parameter, const, 1.;"), "keeps its value"),
        (dict(nodes=NODE, elements="shell4eas: 1, 1, 1, 1, 1;"),
         "shells and membranes are not supported; beams are"),
        (dict(nodes=NODE, elements="joint: 1, revolute pin, 1, position, null, position, null,"
                                   " friction, 1.;"), "expected a friction model, found the end"),
        (dict(control="rigid body kinematics: drive, angular velocity, component, const, 1., time, "
                      "null;", nodes=NODE, elements="gravity: 1., 0., 0., const, 1.;"),
         "needs the orientation of the frame"),
        (dict(control="rigid body kinematics: const, angular velocity, 0., 0., 1.;", nodes=NODE,
              elements="gravity: central, mass, 1., G, 1.;"), "central field.*moving frame"),
        (dict(before='module load: "libmodule-x";'), "modules of MBDyn cannot be loaded"),
        (dict(before='module load: "libmodule-wheel2";'), "what its wheels compute; add a lw.Tyre"),
        (dict(nodes=NODE, before="set: real x = 1/0;"), "division by zero"),
        (dict(nodes=NODE + "structural: 2, dynamic displacement, null, null;",
              elements="couple: 1, absolute, 2, 0., 0., 1., const, 1.;"), "cannot turn"),
        (dict(before="drive caller: 1, string, \"sin(\";"), "string drive: expected a number"),
        (dict(nodes=NODE, before="set: [dof, x, 7, structural, 1, algebraic];",
              elements="force: 1, absolute, 1, 1., 0., 0., string, \"x\";"),
         "string drive: there is no structural node 7"),
        (dict(nodes=NODE, before="set: [dof, x, 1, structural, 1, algebraic];",
              elements="force: 1, absolute, 1, 1., 0., 0., const, x;"),
         "'x' follows a dof while the model moves"),
        (dict(before="scalar function: \"f\", spline, 0., 1.;"),
         r"scalar function 'spline' is not supported \(near it: .*cubic spline"),
        (dict(before="constitutive law: 1, 1, hookean, 2.;"), "law 'hookean' is not supported"),
    ],
)  # fmt: skip
def test_errors_say_where_and_what(read, parts, words):
    with pytest.raises(MbdynError, match=words) as caught:
        read(**parts)
    assert caught.value.line > 0 and "deck.mbd" in str(caught.value)


def test_place_of_an_error(tmp_path):
    path = tmp_path / "deck.mbd"
    path.write_text("begin: data;\n  problem:\n     initial value;\nend: data;\nset: real x\n= y;")
    with pytest.raises(MbdynError) as caught:
        lw.read_deck(path)
    assert (caught.value.line, caught.value.column) == (5, 6)
    assert str(caught.value).startswith(f"{path}:5:6: set: ")


def test_unsupported_cards_are_listed_all_at_once(tmp_path):
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        nodes=NODE + "structural: 2, modal, null, eye, null, null; magnetic: 3;",
        elements=BODY + "joint: 1, modal, 2; joint: 2, clamp, 2, node, node; genel: 1, rotor trim;"
                        "force: 3, external structural, socket; joint: 4, point contact, 1, 1;",
    ))  # fmt: skip
    found = unsupported_cards(path)
    assert [error.card for error in found] == [
        "structural node 2", "magnetic", "joint 1", "genel 1", "force 3", "joint 4",
    ]  # fmt: skip
    assert all(isinstance(error, UnsupportedCard) and error.line for error in found)


# --------------------------------------------------------------------------------- random files

VALID = deck_text(
    before="""set: const real L = 2.; set: (integer A = 1; integer B = 2; 0);
      reference: 1, null, euler123, 0., pi/3, 0., null, 0., 0., L;
      drive caller: 1, sine, 0., 2*pi, 1., forever, 0.; scalar function: "f", multilinear, 0., 1.,
      2., 3.; constitutive law: 1, 1, linear elastic, 100.*L;""",
    nodes=TWO,
    elements=BODIES + """joint: 1, revolute hinge, A, position, null, B, position, null;
      joint: 2, rod, 1, position, 0., 1., 0., 2, position, reference, global, null, from nodes,
      reference, 1; force: 1, follower, 1, position, null, 0., 0., 1., reference, 1;
      couple: 2, absolute internal, 1, 2, component, string, "sin(Time)", inactive, const, 1.;
      joint: 3, total pin joint, 2, position constraint, 1, 0, active, single, 1., 0., 0.,
      scalar function, "f"; joint: 4, revolute hinge, 1, null, 2, null, friction, .1, preload, 2.,
      modlugre, 1.e4, 2., 0., .7, "f", simple, reaction force components, axial; joint: 5, brake, 1,
      null, 2, null, friction, .1, discrete coulomb, "f", sigma2, .1, simple plane hinge, .1, time;
      joint: 6, screw, 1, null, eye, 2, offset, null, pitch, .1, friction, modlugre, 1., 1., 1., .5,
      "f", screw joint, radius, 1., half thread angle, .1; joint: 7, angular velocity, 1, 1., 0.,
      0., const, 1.; joint: 8, strapdown sensor, 2, position, null, acceleration, null, angular
      velocity, 1., 0., 0., time; joint: 10, total joint, 1, 2, orientation constraint, rotation,
      inactive, angular velocity, single, 1., 1., 1., time; joint: 11, imposed orientation, 1, eye,
      2, eye, null; joint: 12, gimbal rotation, 1, 2, orientation description, euler313;
      joint: 13, linear acceleration, 1, 1., 0., 0., const, 1.;""",
)  # fmt: skip


LAWS = deck_text(
    before="""scalar function: "f", multilinear, 0., 1., 2., 3.; set: const real K = 10.;
      drive caller: 1, sine, 0., 2*pi, 1., forever, 0.;
      template drive caller: 1, 3, single, 1., 0., 0., reference, 1;
      constitutive law: 1, 1, array, 2, linear elastic, K, prestress, 1., linear viscous, 2.*K;
      constitutive law: 1, 3, bistop, initial status, active, null, reference, 1,
        linear viscoelastic generic, diag, 1., 2., 3., proportional, .1, prestrain, reference, 1;
      constitutive law: 2, 3, scalar function elastic orthotropic, "f", null, "g", pow, 2.;
      constitutive law: 3, 3, nlsf viscoelastic, eye, scale, K, "f", null, "f",
        null, null, "f", null;
      constitutive law: 4, 3, invariant angular, .5, double linear elastic, 1., .1, -.1, 2.;
      constitutive law: 5, 3, axial wrapper, 0., 0., 1., turbulent viscoelastic, 1., 2., .1, .2;
      constitutive law: 6, 6, drive caller wrapper, reference, 1,
        linear elastic generic axial torsion coupling, diag, 1., 2., 3., 4., 5., 6., 7.;
      constitutive law: 7, 6, nlp viscous, null, null, null, null, null, null, "f";
      constitutive law: 8, 1, shock absorber, prestrain, const, .1, 1., 2., .3, 1.4,
        epsilon max, .5,
        epsilon min, -.5, penalty, 1., 2., metering, linear, 1., .1, negative, const, 1., orifice,
        string, "1 + Var^2", 1., 2., 3., friction, .1, .2;
      constitutive law: 9, 1, linear time variant viscoelastic generic, 1., time, 2., const, 1.;
      constitutive law: 10, 1, symbolic viscoelastic, epsilon, "e", epsilon prime, "r", expression,
        "2*sin(e) + r^3", prestress, 1., prestrain, string, "Time^2";""",
    nodes=TWO,
    elements=BODIES + """joint: 1, rod, 1, 2, 1., reference, 10; joint: 2, rod with offset, 1, null,
      2, 1., 0., 0., from nodes, inverse square elastic, 1., model::current("L");
      joint: 3, deformable hinge, 1, orientation, eye, 2, orientation, euler123, 1., 0., 0.,
      reference, 4, orientation description, orientation matrix;
      joint: 4, invariant deformable displacement joint, 1, position, null, 2, position, null,
      reference, 1; joint: 5, deformable joint, 1, position, null, 2, position, null, reference, 6;
      joint: 6, deformable axial joint, 1, 2, reference, 1; joint: 7, viscous body, 1, reference, 7;
      joint: 8, invariant deformable joint, 1, null, 2, null, linear viscous isotropic, 3.;""",
)  # fmt: skip
DECKS = {"mechanism": VALID, "laws": LAWS}


def attempt(tmp_path, data):
    """A model, or the reader's own error and no other."""
    path = tmp_path / "fuzz.mbd"
    path.write_bytes(data)
    deck = None
    try:
        deck = lw.read_deck(path, environment={})
    except MbdynError as error:
        assert str(error)
    try:
        unsupported_cards(path, environment={})
    except MbdynError:
        assert deck is None
    return deck


@pytest.mark.parametrize("deck", DECKS)
def test_the_valid_deck_is_valid(tmp_path, deck):
    assert attempt(tmp_path, DECKS[deck].encode()) is not None


QUIET = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@QUIET
@given(st.binary(max_size=400))
@example(b'begin: "\\')
@example(b"set: \xff\xfe = ;")
@example(b"begin: data; end: data;" + b"(" * 500)
def test_random_bytes_raise_only_the_readers_error(tmp_path, data):
    attempt(tmp_path, data)


@QUIET
@given(st.lists(st.sampled_from(re.findall(r"\w+|[^\w\s]", VALID + LAWS)), max_size=60))
def test_random_words_raise_only_the_readers_error(tmp_path, words):
    attempt(tmp_path, " ".join(words).encode())


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(sorted(DECKS)), st.integers(0, 2**32), st.integers(1, 4))
def test_mutations_of_a_valid_deck_raise_only_the_readers_error(tmp_path, deck, seed, count):
    rng = random.Random(seed)
    words = re.findall(r"\w+|\s+|[^\w\s]", DECKS[deck])
    for _ in range(count):
        k, kind = rng.randrange(len(words)), rng.randrange(6)
        if kind == 0:
            words[k] = ""
        elif kind == 1:
            words[k] = rng.choice(words)
        elif kind == 2:
            words.insert(k, rng.choice(words))
        elif kind == 3:
            words[k] = rng.choice(["0", "-1", "1e308", "1e-320", "null", "eye", ",", ";", '"', "("])
        elif kind == 4:
            end = min(len(words), k + rng.randrange(12))
            words[k:end] = []
        else:
            other = rng.randrange(len(words))
            words[k], words[other] = words[other], words[k]
    attempt(tmp_path, "".join(words).encode())


# ---------------------------------------------------------------------------------------- speed


def test_a_hundred_thousand_lines_take_under_five_seconds(tmp_path):
    n = 6251
    nodes, elements = [], []
    for k in range(n):
        nodes.append(f"structural: {k}, dynamic,\n  {k}., 0., -.5*L,\n  eye,\n  null,\n  null;")
        elements.append(f"body: {k}, {k},\n  M, # mass\n  null,\n  diag, 1., 1., J;")
        if k:
            elements.append(
                f"joint: {k}, revolute hinge,\n  {k - 1}, position, .5, 0., 0.,\n"
                "    orientation, 1, 1., 0., 0., 2, 0., 0., 1.,\n"
                f"  {k}, position, -.5, 0., 0.,\n"
                "    orientation, 1, 1., 0., 0., 2, 0., 0., 1.;\n\n"
            )
    text = HEAD.format(
        time="1.", step=".1", before="set: real L = 1.; set: real M = 2.; set: real J = .5;",
        counts=f"structural nodes: {n}; rigid bodies: {n}; joints: {n - 1};",
        nodes="\n".join(nodes), elements="\n".join(elements),
    )  # fmt: skip
    assert text.count("\n") > 100_000
    path = tmp_path / "long.mbd"
    path.write_text(text)
    began = time.process_time()
    deck = lw.read_deck(path, environment={})
    spent = time.process_time() - began
    assert len(deck.model) == 2 * n - 1
    assert spent < 5, f"{spent:.2f} s"


@pytest.mark.parametrize(("word", "hint"), [
    ("hexahedron8", "the page howto/mbdyn lists what is"), ("bodi", "near it: body"),
    ("aerodynamic bodie", "near it: aerodynamic body"),
])  # fmt: skip
def test_unknown_cards_name_what_is_spelt_alike_alone(tmp_path, word, hint):
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(elements=f"{word}: 1, 1, 2;"))
    with pytest.raises(MbdynError) as error:
        lw.read_deck(path, environment={})
    sentence = str(error.value)
    assert hint in sentence and len(sentence) < len(str(path)) + 200
