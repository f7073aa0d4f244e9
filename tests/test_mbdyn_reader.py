"""The reader of MBDyn input files: its language, frames, joints, errors and speed."""

from __future__ import annotations

import random
import re
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.errors import MbdynError, UnsupportedCard
from linkwork.io.mbdyn.evaluation import Symbols
from linkwork.io.mbdyn.formula import Translator
from linkwork.io.mbdyn.language import ExpressionError, parse
from linkwork.io.mbdyn.reader import unsupported_cards
from linkwork.io.mbdyn.running import run_deck
from linkwork.math import rotations

HEAD = """
begin: data; problem: initial value; end: data;
begin: initial value;
  initial time: 0.; final time: {time}; time step: {step}; method: ms, .6;
end: initial value;
begin: control data; {counts} end: control data;
{before}
begin: nodes; {nodes} end: nodes;
begin: elements; {elements} end: elements;
"""


def deck_text(nodes="", elements="", before="", time="1.", step="1.e-2", control=""):
    """A whole deck around some nodes and elements, with the counts that they need."""
    kinds = {"structural": "structural nodes", "body": "rigid bodies", "joint": "joints",
             "gravity": "gravity"}  # fmt: skip
    both = nodes + elements
    counts = [f"{word}: {len(re.findall(rf'(?<![a-z]){key} *:', both))};"
              for key, word in kinds.items()]  # fmt: skip
    forces = len(re.findall(r"(?:force|couple) *:", elements))
    counts.append(f"forces: {forces}; {control}")
    return HEAD.format(
        nodes=nodes, elements=elements, before=before, time=time, step=step, counts=" ".join(counts)
    )


@pytest.fixture
def read(tmp_path):
    def reading(text=None, **parts):
        path = tmp_path / "deck.mbd"
        path.write_text(deck_text(**parts) if text is None else text)
        return lw.read_deck(path, environment={})

    return reading


NODE = "structural: 1, dynamic, null, eye, null, null;"
BODY = "body: 1, 1, 2., null, eye;"


# --------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2.5", 3.5), ("1/3", 0), ("-7/2", -3), ("7 % 4", 3), ("1./4", 0.25), ("2^3^2", 512),
        ("-2^2", 4), ("2^-1.", 0.5), ("-2.^2", 4.0), ("3*-2", -6), ("1 < 2 && 2 < 1", False),
        ("1 < 2 || 2 < 1", True), ("TRUE ~| TRUE", False), ("!1 == 2", True), ("!0", True),
        ("(real a = 2.; integer b = 3; a*b)", 6.0), ("sin(pi/6)", 0.5), ("default::sqrt(4)", 2.0),
        ('"ab" + 3', "ab3"), ('sprintf("%04d", 9)', "0009"), ('"a\\"b"', 'a"b'), ("1e3", 1000.0),
        ("integer(2.7)", 2), ("real(2)", 2.0), ("bool(3)", True), ("floor(-1.5)", -2),
        ("round(2.5)", 3), ("in_el(1, 1, 2)", True), ("in_ll(1, 1, 2)", False),
        ("copysign(2, -1)", -2.0), ("sramp(5, 2)", 2.0), ("step(1)", 1.0), ("max(1, 2)", 2.0),
        ("deg2rad*180", np.pi), ("lb2kg", 0.45359237), ("+ + 3", 3), ("2*(3 + 4)*5", 70),
        ("10 - 3 - 2", 5), ("atan2(1, 1)", np.pi / 4), ("2 == 2.", True),
    ],
)  # fmt: skip
def test_values_of_expressions(text, value):
    found = Symbols().evaluate(parse(text))
    assert type(found) is type(value)
    assert found == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1/0", "division by zero"), ("1 +", "expected a number, a name"), ("(1", "expected '\\)'"),
        ("nothing", "no variable 'nothing'"), ("nothing(1)", "no function 'nothing'"),
        ("sin(1, 2)", "takes 1 values, found 2"), ("sqrt(-1)", "has no value"),
        ('"a"*2', "needs numbers"), ("2000000000*2", "grows too large"), ("10^-3", "of integers"),
        ("9999999999", "too large"), ("x = 3", "not declared"), ("pi = 3.", "constant"),
        ("integer i = 2.5", "write integer\\(2.5\\)"), ("const real z", "needs a value"),
        ("1 $ 2", "found '\\$'"), ("real 3", "expected an operator or the end"),
        ("Time", "before the model moves"), ("exp(1000)", "has no value"), ("stop(1, 2)", "stops"),
        ("((((" * 40 + "1" + "))))" * 40, "nested too deeply"), ("1e400*0", "not finite"),
    ],
)  # fmt: skip
def test_wrong_expressions_are_explained(text, words):
    with pytest.raises(ExpressionError, match=words):
        Symbols().evaluate(parse(text))


def test_variables():
    s = Symbols()
    for text in ("integer N", "N = 4", "ifndef integer N = 7", "const real x = -1.e-3",
                 "ifndef real y = 2", 'string name = "rod" + N'):  # fmt: skip
        s.evaluate(parse(text))
    assert s.value("N") == 4 and s.value("x") == -1e-3 and s.value("y") == 2.0
    assert s.value("name") == "rod4"
    with pytest.raises(ExpressionError, match="declared as integer already"):
        s.evaluate(parse("real N = 2"))


def test_environment():
    s = Symbols()
    s.take_environment({"MBDYNVARS": "real DT = 1e-3; integer K = 2;", "MBDYN_real_mass": "2*3.",
                        "MBDYN_string_who": "me", "MBDYN_other": "x"})  # fmt: skip
    assert s.value("DT") == 1e-3 and s.value("K") == 2
    assert s.value("mass") == 6.0 and s.value("who") == "me"


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("e^(-Time)*cos(2.*pi*Time)", lambda t: np.exp(-t) * np.cos(2 * np.pi * t)),
        ("(Time > .5)*3 + 1/2", lambda t: 3.0 * (t > 0.5)),
        ("floor(4*Time)/3", lambda t: np.trunc(np.floor(4 * t) / 3)),
        ("real s = sin(Time); s*s + (!s > .5)", lambda t: np.sin(t) ** 2 + (np.sin(t) <= 0.5)),
        ("round(Time*3) % 2", lambda t: np.mod(np.floor(3 * t + 0.5), 2)),
        ("-Time^2", lambda t: t**2), ("sramp(Time, .4)", lambda t: np.clip(t, 0, 0.4)),
        ("in_le(.25, Time, .5)", lambda t: ((t > 0.25) & (t <= 0.5)).astype(float)),
        ("asinh(Time) + acosh(1 + Time) + atanh(Time/2)",
         lambda t: np.arcsinh(t) + np.arccosh(1 + t) + np.arctanh(t / 2)),
        ("copysign(2, Time - .5)*ctan(1 + Time)",
         lambda t: np.copysign(2, t - 0.5) / np.tan(1 + t)),
        ("(Time > .2) ~| (Time > .6)", lambda t: ((t > 0.2) ^ (t > 0.6)).astype(float)),
        ("step(Time - .5)*max(Time, .7)", lambda t: (t > 0.5) * np.maximum(t, 0.7)),
    ],
)  # fmt: skip
def test_formulas_of_time(text, function):
    t = np.linspace(0.013, 0.99, 57)
    part = Translator(Symbols()).part(parse(text))
    np.testing.assert_allclose(lw.expression(part.text)(t), function(t), atol=1e-14)


# ---------------------------------------------------------------------- statements and blocks


def test_keywords_ignore_blanks_and_case_and_comments(read):
    deck = read("""/* a comment; with: begin */ BEGIN: Data; Problem : initialvalue; end: data; # x
        begin: InitialValue; INITIAL TIME: 1.; finaltime: 2.; timestep : .1; end: initial value;
        begin: control  data; structuralnodes: 1; end: controldata;
        begin: nodes; Structural : 1 , DYNAMIC , 1., # the "position"
           2.,/* y */3., eye, null, null ; end: nodes;
        begin: elements; end: elements;""")
    assert deck.analysis.initial_time == 1 and deck.analysis.step == 0.1
    np.testing.assert_array_equal(deck.model["node 1"].position, [1, 2, 3])


def test_include_setenv_and_remark(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.set").write_text(NODE)
    text = deck_text(nodes='setenv: "WHERE=sub"; include: "$WHERE/one.set"; remark: "one", 1 + 1;',
                     elements=BODY)  # fmt: skip
    path = tmp_path / "deck.mbd"
    path.write_text(text.replace("structural nodes: 0", "structural nodes: 1"))
    deck = lw.read_deck(path, environment={})
    assert list(deck.nodes) == [1]
    assert any("one, 2" in note for note in deck.notes)


def test_a_file_that_includes_itself_is_refused(tmp_path):
    path = tmp_path / "deck.mbd"
    path.write_text('include: "deck.mbd";')
    with pytest.raises(MbdynError, match="does one include itself"):
        lw.read_deck(path)


def test_cards_without_effect_are_listed(read):
    deck = read(nodes=NODE, elements=BODY, control="print: dof stats; skip initial joint assembly;")
    assert deck.without_effect == ["print", "skip initial joint assembly"]


def test_counts_are_checked(tmp_path):
    text = deck_text(nodes=NODE, elements=BODY)
    for wrong in (text.replace("rigid bodies: 1", "rigid bodies: 2"),
                  text.replace("rigid bodies: 1;", "")):  # fmt: skip
        path = tmp_path / "deck.mbd"
        path.write_text(wrong)
        with pytest.raises(MbdynError, match="rigid bodies, but 1 follow"):
            lw.read_deck(path)


# -------------------------------------------------------------------------------------- frames


@pytest.mark.parametrize(
    ("text", "R"),
    [
        ("eye", np.eye(3)), ("1, 0., 2., 0., 2, -1., 5., 0.", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("3, 0., 0., 1., 1, 0., 1., 0.", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("2, 0., 0., 1., 1, 1., 0., 0.", [[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
        ("matr, 0., -1., 0., 1., 0., 0., 0., 0., 1.", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("euler123, 0., 0., pi/2", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ("euler, degrees, 90., 0., 0.", [[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
        ("euler313, degrees, 90., 90., 0.", [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ("euler321, degrees, 90., 90., 0.", [[0, -1, 0], [0, 0, 1], [-1, 0, 0]]),
        ("vector, 0., 0., pi/2", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    ],
)  # fmt: skip
def test_orientations(read, text, R):
    deck = read(nodes=f"structural: 1, dynamic, null, {text}, null, null;")
    np.testing.assert_allclose(deck.nodes[1].reference.R, R, atol=1e-15)


def test_guess_is_perpendicular(read):
    R = read(nodes="structural: 1, dynamic, null, 1, 3., 0., 4., 2, guess, null, null;")
    R = R.nodes[1].reference.R
    np.testing.assert_allclose(R[:, 0], [0.6, 0, 0.8])
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1)


def test_frames_are_recursive_and_carry_velocities(read):
    """Against the composition of two moving frames by hand."""
    deck = read(
        before="""
          reference: 1, 1., 2., 0., euler123, 0., 0., pi/2, 3., 0., 0., 0., 0., 2.;
          reference: 2, reference, 1, 1., 0., 0., reference, 1, euler123, pi/2, 0., 0.,
             reference, 1, 0., 0., 1., reference, 1, 5., 0., 0.;""",
        nodes="structural: 1, dynamic, at reference, 2;"
              "structural: 2, dynamic, reference, 2, 0., 0., 1., reference, 2, eye,"
              "  reference, 2, null, reference, 2, null;",
    )  # fmt: skip
    x, R, v, w = deck.nodes[1].reference
    np.testing.assert_allclose(x, [1, 3, 0], atol=1e-15)
    # (0, 0, 2) × (0, 1, 0) + (3, 0, 0) + (0, 0, 1)
    np.testing.assert_allclose(v, [1, 0, 1], atol=1e-15)
    np.testing.assert_allclose(w, [0, 5, 2], atol=1e-14)
    other = deck.nodes[2].reference
    np.testing.assert_allclose(other.x, x + R[:, 2], atol=1e-15)
    np.testing.assert_allclose(other.v, v + np.cross(w, R[:, 2]), atol=1e-14)


def test_denavit_hartenberg(read):
    """The same as four moves along and about z, then x."""
    deck = read(before="reference: 7, Denavit Hartenberg, .3, .4, .5, .6;",
                nodes="structural: 1, dynamic, at reference, 7;")  # fmt: skip

    def turn(axis, angle):
        return rotations.matrix(rotations.exponential(angle * np.eye(3)[axis]))

    x, R, _, _ = deck.nodes[1].reference
    np.testing.assert_allclose(x, [0.5 * np.cos(0.4), 0.5 * np.sin(0.4), 0.3], atol=1e-15)
    np.testing.assert_allclose(R, turn(2, 0.4) @ turn(0, 0.6), atol=1e-15)


def test_velocity_of_a_body_is_that_of_its_centre(read):
    deck = read(
        nodes="structural: 1, dynamic, null, euler123, 0., 0., pi/2, 1., 0., 0., 0., 0., 3.;",
        elements="body: 1, 1, 2., 1., 0., 0., eye;",
    )
    body = deck.model["node 1"]
    np.testing.assert_allclose(body.position, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(body.velocity, [-2, 0, 0], atol=1e-15)  # 1 + 3 × (1 along y)
    np.testing.assert_allclose(body.angular_velocity, [0, 0, 3], atol=1e-15)


# -------------------------------------------------------------------------------------- joints

ENDS = "1, position, .3, 0., .1, {a} 2, position, -.5, .1, 0., {b}"
AXES = "orientation, euler123, .3, .2, .1, "
TURNED = "orientation, reference, other orientation, eye"
ROWS = {  # the rows of a total joint that hold the same: positions, then rotations
    "revolute hinge": ("111", "110"), "spherical hinge": ("111", "000"),
    "plane displacement": ("001", "110"), "revolute rotation": ("000", "110"),
    "prismatic": ("000", "111"),
}  # fmt: skip
TWO = """structural: 1, dynamic, null, euler123, .1, .2, .3, null, 1., 2., .5;
  structural: 2, dynamic, 1., .2, .3, euler123, .2, -.1, .4, .1, 0., 0., .3, .2, 2.;"""
BODIES = """body: 1, 1, 2., .1, .2, .3, diag, 1., 2., 2.5; body: 2, 2, 1., null, diag, .5, .6, .7;
  gravity: 0., 0., -1., 9.81; joint: 9, spherical pin, 1, position, null, position, null;"""


def total(first, second, held, turned):
    words = {"1": "active", "0": "inactive"}
    axes = first.replace("orientation", "position orientation", 1)
    axes += first.replace("orientation", "rotation orientation", 1)
    other = second.replace("orientation", "rotation orientation", 1) if second else ""
    return (
        f"joint: 1, total joint, 1, position, .3, 0., .1, {axes} 2, position, -.5, .1, 0., {other} "
        f"position constraint, {', '.join(words[c] for c in held)}, null, "
        f"orientation constraint, {', '.join(words[c] for c in turned)}, null;"
    )


@pytest.mark.parametrize("kind", ROWS)
def test_a_total_joint_with_the_right_rows_gives_the_same_numbers(read, kind):
    held, turned = ROWS[kind]
    plain = ENDS.format(a=AXES, b=TURNED)
    if kind == "prismatic":
        plain = f"1, {AXES} 2, {TURNED}"
    one = read(nodes=TWO, elements=BODIES + f"joint: 1, {kind}, {plain};")
    two = read(nodes=TWO, elements=BODIES + total(AXES, TURNED + ",", held, turned))
    runs = [run_deck(d, progress=False) for d in (one, two)]
    for name in ("node 1", "node 2"):
        for word in ("position", "velocity", "orientation"):
            a, b = (getattr(run[name], word).values for run in runs)
            np.testing.assert_allclose(a, b, atol=1e-10)
    for word in ("force_world", "torque_world"):
        a, b = (getattr(run["joint 1"], word).values for run in runs)
        np.testing.assert_allclose(a, b, atol=1e-7)


def test_in_line_and_in_plane_are_total_joints_too(read):
    for kind, plain, held in (
        ("in line", f"1, position, .3, 0., .1, {AXES} 2, offset, -.5, .1, 0.", "110"),
        ("in plane", "1, position, .3, 0., .1, 0., 0., 2., 2, offset, -.5, .1, 0.", "001"),
    ):
        axes = AXES if kind == "in line" else "orientation, eye, "
        one = read(nodes=TWO, elements=BODIES + f"joint: 1, {kind}, {plain};")
        two = read(nodes=TWO, elements=BODIES + total(axes, "", held, "000"))
        a, b = (run_deck(d, progress=False)["node 2"].position.values for d in (one, two))
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_separate_axes_for_positions_and_rotations(read):
    """A total joint with two different orientations is two locks that hold in their own axes."""
    deck = read(nodes=TWO, elements=BODIES + """joint: 1, total joint,
        1, position orientation, euler123, .5, 0., 0., rotation orientation, euler123, 0., .5, 0.,
        2, rotation orientation, reference, other orientation, eye,
        position constraint, active, inactive, inactive, null,
        orientation constraint, inactive, inactive, active, null;""")  # fmt: skip
    assert deck.joints[1].items == ["joint 1", "joint 1 (2)"]
    run = run_deck(deck, progress=False)
    a, b = (run[f"node {n}"] for n in (1, 2))
    Ra, Rb = (rotations.matrix(x.orientation.values) for x in (a, b))

    def turn(axis, angle):
        return rotations.matrix(rotations.exponential(angle * np.eye(3)[axis]))

    centre = np.array([0.1, 0.2, 0.3])
    x = b.position.values - (a.position.values - Ra @ centre)
    held = np.einsum("tji,tj->ti", Ra @ turn(0, 0.5), x)[:, 0]
    np.testing.assert_allclose(held, 0, atol=1e-10)
    described = [deck.nodes[n].reference.R for n in (1, 2)]
    second = described[1].T @ described[0] @ turn(1, 0.5)
    relative = np.swapaxes(Ra @ turn(1, 0.5), 1, 2) @ Rb @ second
    third = relative[:, 1, 0] - relative[:, 0, 1]
    np.testing.assert_allclose(third, 0, atol=1e-10)


@pytest.mark.parametrize("follower", [False, True])
def test_total_internal_force_balances(read, follower):
    """Force and moment on the first node, the opposite on the second."""
    kind = """force: 1, follower internal, 1, position, null, 2, position, null,
      1., 2., 3., const, 2.;"""
    if follower:
        kind = """force: 1, total internal, 1, force orientation, euler123, .1, .2, .3, 2, force,
          single, 1., 2., 3., const, 2., moment, single, 0., 1., 0., const, 4.;"""
    nodes = """structural: 1, dynamic, null, eye, null, null;
      structural: 2, dynamic, 1., 2., 3., eye, null, null;"""
    bodies = "body: 1, 1, 1., null, eye; body: 2, 2, 3., null, eye;"
    deck = read(nodes=nodes, elements=bodies + kind)
    run = run_deck(deck, progress=False)
    momentum = run.momentum.values
    np.testing.assert_allclose(momentum, 0, atol=1e-12)
    a = run["node 1"].acceleration.values[0]
    R = rotations.matrix(rotations.exponential([0, 0, 0]))
    if follower:
        for k, angle in enumerate((0.1, 0.2, 0.3)):
            R = R @ rotations.matrix(rotations.exponential(angle * np.eye(3)[k]))
    np.testing.assert_allclose(a, R @ (2, 4, 6), atol=1e-10)


def test_forces_of_pairs_at_the_same_point(read):
    """Our `same point` for the second node keeps the moment of momentum too."""
    text = "force: 1, absolute internal, 1, position, 0., 1., 0., 2, {same} 1., 0., 0., const, 2.;"
    nodes = """structural: 1, dynamic, null, eye, null, null;
      structural: 2, dynamic, 1., 2., 3., eye, null, null;"""
    bodies = "body: 1, 1, 1., null, eye; body: 2, 2, 3., null, eye;"
    for same, kept in (("same point,", True), ("position, null,", False)):
        deck = read(nodes=nodes, elements=bodies + text.format(same=same))
        turn = run_deck(deck, progress=False).angular_momentum.values
        # the method itself loses some h² of it; the couple left over is 2 N × 1 m for 1 s
        assert np.abs(turn).max() < 1e-3 if kept else np.abs(turn).max() > 1


def test_linear_laws(read):
    deck = read(before="""
      constitutive law: 1, 3, linear viscoelastic generic, diag, 1., 2., 3., proportional, .1;
      constitutive law: 2, 3, linear viscous generic, sym, 1., 2., 3., 4., 5., 6.;
      constitutive law: 3, 1, linear viscoelastic isotropic, 5., 6., prestress, 2., prestrain, .1;
      constitutive law: 4, 6, array, 2, linear elastic, 2., linear viscous isotropic, 3.;
      constitutive law: 5, 1, reference, 3;""", nodes=NODE)  # fmt: skip
    laws = deck.laws
    np.testing.assert_allclose(laws[1, 3].viscosity, np.diag([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(laws[2, 3].viscosity, [[1, 2, 3], [2, 4, 5], [3, 5, 6]])
    assert laws[3, 1].prestress[0] == pytest.approx(2 - 5 * 0.1) and laws[5, 1] is laws[3, 1]
    np.testing.assert_allclose(laws[4, 6].stiffness, 2 * np.eye(6))
    np.testing.assert_allclose(laws[4, 6].viscosity, 3 * np.eye(6))


def test_signs_of_reactions(read):
    """On the second node: a mass that hangs below the first is pulled up by m g."""
    from linkwork.io.mbdyn.files import Tables

    deck = read(
        nodes="structural: 1, static, null, eye, null, null;"
              "structural: 2, dynamic, 0., 0., -1., eye, null, null;",
        elements="body: 2, 2, 3., null, eye; gravity: 0., 0., -1., 10.; joint: 1, clamp, 1, node,"
                 "node; joint: 2, spherical hinge, 1, 2, position, 0., 0., 1.;",
    )  # fmt: skip
    tables = Tables(deck, run_deck(deck, progress=False))
    for label in (1, 2):
        F = tables.joint(deck.joints[label])[2]
        np.testing.assert_allclose(F, np.tile([0, 0, 30], (len(F), 1)), atol=1e-9)


# --------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (dict(nodes=NODE + NODE), r":8:\d+: structural node 1: there is a structural node 1"),
        (dict(elements="body: 1, 5, 1., null, eye;"), "there is no structural node 5"),
        (dict(nodes=NODE, elements="body: 1, 1, -1., null, eye;"), "mass must not be negative"),
        (dict(nodes=NODE, elements="body: 1, 1, 1., null, diag, 1., 1., 5.;"), "triangle"),
        (dict(nodes=NODE, elements="joint: 1, clamb, 1, node, node;"),
         r"'clamb' is not supported \(near it: clamp"),
        (dict(nodes=NODE, elements="joint: 1, clamp, 1, node, node, node;"), "expected the end"),
        (dict(nodes=NODE, elements="joint: 1, angular velocity, 1, 1., 0., 0., const, 1.;"),
         "'angular velocity' is not supported: it holds a velocity alone.*axial rotation"),
        (dict(nodes=NODE, elements="joint: 1, clamp;"), "expected the label of a node, found the"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, position, null, 1., 0., 0., dof;"),
         "drive 'dof' follows a degree of freedom.*lw.UserForce"),
        (dict(nodes=NODE, elements="force: 1, absolute, 1, 1., 0., 0., sine, 0.;"),
         "expected a parameter of sine, found the end"),
        (dict(nodes="structural: 1, dynamic, null, null, null, null;"), "null is no orientation"),
        (dict(nodes="structural: 1, dynamic, null, 1, 1., 0., 0., 2, 2., 0., 0., null, null;"),
         "not parallel"),
        (dict(nodes="structural: 1, dynamic, null, matr, 1., 1., 0., 0., 1., 0., 0., 0., 1.,"
                    " null, null;"), "the matrix is no rotation"),
        (dict(nodes="structural: 1, dynamic, reference, 5, null, eye, null, null;"),
         "no reference frame 5"),
        (dict(nodes="abstract: 1;"), "abstract nodes are not supported"),
        (dict(nodes=NODE, elements="beam3: 1, 1, null, 1, null, 1, null;"),
         "'beam3' of the block 'elements' is not supported"),
        (dict(nodes=NODE, elements="joint: 1, revolute pin, 1, position, null, position, null,"
                                   " friction, 1.;"), "friction in joints is not supported"),
        (dict(control="rigid body kinematics: const, angular velocity, 0., 0., 1.;", nodes=NODE,
              elements="gravity: 1., 0., 0., const, 1.;"), "gravity would turn"),
        (dict(control="rigid body kinematics: drive, orientation, 0., 0., 1., time;", nodes=NODE),
         "orientation of the frame"),
        (dict(before='module load: "libmodule-x";'), "modules of MBDyn cannot be loaded"),
        (dict(nodes=NODE, before="set: real x = 1/0;"), "division by zero"),
        (dict(nodes=NODE + "structural: 2, dynamic displacement, null, null;",
              elements="couple: 1, absolute, 2, 0., 0., 1., const, 1.;"), "cannot turn"),
        (dict(before="drive caller: 1, string, \"sin(\";"), "string drive: expected a number"),
        (dict(nodes=NODE, before="set: [dof, x, 1, structural, 1, algebraic];",
              elements="force: 1, absolute, 1, 1., 0., 0., string, \"x\";"),
         "follows a degree of freedom"),
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
        nodes=NODE + "structural: 2, modal, null, eye, null, null; hydraulic: 3;",
        elements=BODY + "joint: 1, modal, 2; joint: 2, clamp, 2, node, node; genel: 1, clamp;"
                        "force: 3, external structural, socket; joint: 4, beam slider, 1, 1;",
    ))  # fmt: skip
    found = unsupported_cards(path)
    assert [error.card for error in found] == [
        "structural node 2", "hydraulic node", "joint 1", "genel", "force 3", "joint 4",
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
      scalar function, "f";""",
)  # fmt: skip


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


def test_the_valid_deck_is_valid(tmp_path):
    assert attempt(tmp_path, VALID.encode()) is not None


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
@given(st.lists(st.sampled_from(re.findall(r"\w+|[^\w\s]", VALID)), max_size=60))
def test_random_words_raise_only_the_readers_error(tmp_path, words):
    attempt(tmp_path, " ".join(words).encode())


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_mutations_of_a_valid_deck_raise_only_the_readers_error(tmp_path, seed, count):
    rng = random.Random(seed)
    words = re.findall(r"\w+|\s+|[^\w\s]", VALID)
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
