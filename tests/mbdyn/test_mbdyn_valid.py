"""Decks that MBDyn reads and this reader once refused, and their kin; words of its messages."""

from __future__ import annotations

import numpy as np
import pytest
from inside import app, parse
from mbdyn_text import BODIES, BODY, NODE, TWO, deck_text
from typer.testing import CliRunner

import linkwork as lw
from linkwork import LinkworkError, MbdynError
from linkwork.io.mbdyn.drives.plain import TIME
from linkwork.io.mbdyn.syntax.language import text_of

X1 = 'node, 1, structural, string, "X[1]", direct'
SPIN = "structural: 1, dynamic, null, eye, null, 0., 0., 3.;"  # turns at 3 rad/s on its pin
PIN = "joint: 2, revolute pin, 1, position, null, position, null;"


def read(tmp_path, nodes=NODE, elements=BODY, **words):
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(nodes, elements, **words))
    return lw.read_deck(path, environment={})


def law_of(tmp_path, law):
    """The law of a rod between two nodes."""
    deck = read(tmp_path, TWO, BODIES + f"joint: 1, rod, 1, 2, 1., {law};")
    return deck, deck.model["joint 1"]


# ------------------------------------------------------------------------------------- language


def test_a_power_of_integers_is_a_real_in_cards_and_in_strings(tmp_path):
    deck = read(tmp_path, elements="""body: 10^2, 1, 9^2/10^2, null, diag, 1., 1., 1.;
        drive caller: 1, string, "3^2/2 + (floor(Time)^2)/4 + 7/2";
        set: [node, v, 10^0, structural, string="XP[1]"]; drive caller: 2, string, "v";""")
    assert deck.model["node 1"].mass == pytest.approx(0.81, rel=1e-15)
    np.testing.assert_allclose(deck.drives[1](TIME).values([0.5, 3.5]), [7.5, 4.5 + 9 / 4 + 3])
    assert deck.drives[2](TIME) is not None  # a label may be a power


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_backslash_breaks_the_lines_of_a_string(tmp_path, newline):
    broken = newline.join(('"2.*Time \\', '   + 1."'))
    assert text_of(broken) == "2.*Time    + 1."
    assert parse(broken) == ("value", "2.*Time    + 1.")
    deck = read(tmp_path, elements=BODY + f"drive caller: 1, string, {broken};")
    assert deck.drives[1](TIME)(3.0) == 7.0


def test_functions_of_the_model_have_values_while_the_file_is_read(tmp_path):
    nodes = """structural: 1, dynamic, 1., 2., 3., eye, .5, 0., 0., 0., .3, 0.;
      structural: 2, dynamic, 1., 5., 7., euler123, 0., 0., .4, .5, 1., 2., .2, .3, 0.;"""
    names = ["distance(1, 2)", "distancep(1, 2)", "yunitvec(1, 2)", "vrel2(1, 2)", "zvrel(1, 2)",
             "zanglerel(1, 2)", "angvrel(1, 2)", "angvel(1)", "zangle(2)"]  # fmt: skip
    expected = [5.0, (3 * 1 + 4 * 2) / 5, 0.6, 5.0, 2.0, 0.4, 0.2, 0.3, 0.4]
    set_ = " ".join(f"set: real v{k} = model::{name};" for k, name in enumerate(names))
    deck = read(tmp_path, nodes, set_ + "body: 1, 1, 1., null, eye; body: 2, 2, 1., null, eye;")
    found = [deck.symbols.value(f"v{k}") for k in range(len(names))]
    np.testing.assert_allclose(found, expected, atol=1e-15)
    with pytest.raises(MbdynError, match=r"model::distancep takes 2 labels, found 1"):
        read(tmp_path, elements=BODY + "set: real a = model::distancep(1);")
    with pytest.raises(MbdynError, match=r"model::drive\(\) does not take 0 values"):
        read(tmp_path, elements=BODY + "set: real a = model::drive();")


def test_the_rate_of_a_distance_is_a_load_too(tmp_path):
    """m ẍ = −c ḋ towards a fixed point, d = x: v = v₀ exp(−c t/m)."""
    deck = read(tmp_path, """structural: 0, static, null, eye, null, null;
        structural: 1, dynamic, 1., 0., 0., eye, .5, 0., 0., null;""", BODY + """
        joint: 1, clamp, 0, node, node;
        force: 1, absolute, 1, position, null, -1., 0., 0., string, "3.*model::distancep(0, 1)";""",
        step="1.e-3")  # fmt: skip
    run = lw.run_deck(deck, progress=False)
    speed = run["node 1"].velocity.values[:, 0]
    np.testing.assert_allclose(speed, 0.5 * np.exp(-1.5 * run.time), atol=2e-7)


# ------------------------------------------------------------------------------- what is read later


def test_abstract_nodes_read_joints_that_are_made_after_them(tmp_path):
    """x = f/k with f = 4 rz of a wheel that turns at 3 rad/s, k = 2: x = 6 t."""
    deck = read(tmp_path, SPIN + "abstract: 7, differential;", BODY + PIN + """
        genel: 1, spring support, 7, abstract, algebraic, linear elastic, 2.;
        force: 1, abstract, 7, abstract, element, 2, joint, string, "rz", linear, 0., 4.;""",
        control="abstract nodes: 1; genels: 1;", time=".2")  # fmt: skip
    run = lw.run_deck(deck, progress=False)
    (path,) = (p for p in lw.write_mbdyn(deck, run, tmp_path / "out") if p.suffix == ".abs")
    np.testing.assert_allclose(np.loadtxt(path)[:, 1], 6 * run.time, atol=1e-5)


@pytest.mark.parametrize("where", ["before", "inside"])
def test_a_law_reads_its_own_joint(tmp_path, where):
    """M = −k (θ − θ/2): the frequency is that of half the stiffness."""
    pre = 'prestrain, component, null, null, element, 3, joint, string, "rz", linear, 0., .5'
    law = f"linear elastic generic, diag, 0., 0., 8., {pre}"
    deck = half_as_stiff(tmp_path, law, where)
    run = lw.run_deck(deck, progress=False)
    rate = run["node 1"].angular_velocity.values[:, 2]
    np.testing.assert_allclose(rate, 0.1 * np.cos(2.0 * run.time), atol=2e-6)


def half_as_stiff(tmp_path, law, where):
    nodes = """structural: 9, static, null, eye, null, null;
      structural: 1, dynamic, null, eye, null, 0., 0., .1;"""
    given = "reference, 5" if where == "before" else law
    return read(tmp_path, nodes, f"""body: 1, 1, 1., null, eye; {PIN}
        joint: 9, clamp, 9, node, node; joint: 3, deformable hinge, 9, 1, {given};""",
        before=f"constitutive law: 5, 3, {law};" if where == "before" else "",
        step="1.e-3")  # fmt: skip


@pytest.mark.parametrize("word", ["string", "name"])
def test_bind_and_drives_take_a_name(tmp_path, word):
    """The torque 2 rz brakes a wheel (J = 1): θ'' = −2 θ."""
    for drive in (f'element, 2, joint, {word}, "rz", linear, 0., -2.',
                  "dof, 5, parameter, linear, 0., -2."):  # fmt: skip
        deck = read(tmp_path, SPIN + "parameter: 5, element;", f"""body: 1, 1, 1., null, eye; {PIN}
            bind: 2, joint, 5, {word}, "rz", output, no;
            couple: 1, follower, 1, 0., 0., 1., {drive};""",
            control="parameter nodes: 1;", step="1.e-3")  # fmt: skip
        run = lw.run_deck(deck, progress=False)
        rate = run["node 1"].angular_velocity.values[:, 2]
        np.testing.assert_allclose(rate, 3 * np.cos(np.sqrt(2) * run.time), atol=2e-5)


# ------------------------------------------------------------------------------------- drives


def test_a_bistop_is_a_drive_of_time(tmp_path):
    deck = read(tmp_path, elements=BODY + """
        drive caller: 1, bistop, string, "Time > .195", string, "Time > .495";
        drive caller: 2, bistop, initial status, active, null, string, "Time > .395";
        drive caller: 3, bistop, initial status, inactive, unit, null;""")
    t = np.arange(101) / 100
    first, second, third = (deck.drives[k](TIME).values(t) for k in (1, 2, 3))
    np.testing.assert_array_equal(first, (t > 0.195) & (t < 0.495) | (t > 0.505) * (first > 0))
    np.testing.assert_array_equal(second, t < 0.395)
    np.testing.assert_array_equal(third, np.ones(101))


def test_a_bistop_that_follows_the_motion(tmp_path):
    """6 N lift 2 kg thrown up at 2 m/s against 5 m/s² until they fall: then v = −5 (t − 1)."""
    deck = read(tmp_path, "structural: 1, dynamic, null, eye, 0., 0., 2., null;", BODY + r"""
        gravity: 0., 0., -1., 5.; force: 1, absolute, 1, position, null, 0., 0., 1.,
          mult, const, 6., bistop, initial status, active, null,
          string, "model::node::structural(1, \"XP[3]\") < 0";""", time="1.5", step="1.e-3")
    run = lw.run_deck(deck, progress=False)
    t, v = run.time, run["node 1"].velocity.values[:, 2]
    np.testing.assert_allclose(v[t <= 1], 2 - 2 * t[t <= 1], atol=1e-9)
    np.testing.assert_allclose(v[t > 1.01], -5 * (t[t > 1.01] - 1), atol=3 * 3e-3)


@pytest.mark.parametrize("end", [
    "", "output, yes", "output, value, yes", "output, derivative, no", "output trace, no",
    "output, value, yes, derivative, yes",
])  # fmt: skip
def test_drive_callers_end_with_what_is_written(tmp_path, end):
    end = f", {end}" if end else ""
    deck = read(tmp_path, elements=BODY + f"""drive caller: 1, name, "a", linear, 0., 2.{end};
        template drive caller: 2, name, "b", 3, single, 1., 2., 3., time{end};""")
    assert deck.drives[1](TIME)(3.0) == 6.0
    (vector, law), = deck.template_drives[2, 3]
    assert vector.tolist() == [1, 2, 3] and law(TIME)(3.0) == 3.0
    expected = [f"output of {k}drive callers" for k in ("", "template ")]
    assert [w for w in deck.without_effect if w in expected] == (expected if "yes" in end else [])


@pytest.mark.parametrize("word", ["null", "zero"])
def test_template_drives_of_nothing(tmp_path, word):
    deck = read(tmp_path, TWO, BODIES + f"""
        template drive caller: 1, 3, {word}; template drive caller: 2, "3x3", {word};
        template drive caller: 3, 3, array, 2, {word}, single, 1., 0., 0., const, 4.;
        joint: 1, total joint, 1, 2, position constraint, 1, 1, 1, {word};
        joint: 2, deformable displacement joint, 1, null, 2, null, linear elastic, 1.,
          prestrain, {word};
        joint: 3, rod, 1, 2, 1., linear elastic, 2., prestrain, {word};""")
    assert deck.template_drives[1, 3] == deck.template_drives[2, 9] == []
    assert len(deck.template_drives[3, 3]) == 1
    assert not deck.model["joint 1"].drive


@pytest.mark.parametrize("drive", ["single, const, .5", "single, .5", "const, .5", "component, .5",
                                   "array, 2, .25, single, .25", "single, .25, const, 2."])
def test_of_one_number_single_is_the_drive(tmp_path, drive):
    """A rod of length 1 between two points 1.2 apart, with the prestrain 1/2: F = k (0.2 − 0.5)."""
    nodes = """structural: 1, dynamic, null, eye, null, null;
      structural: 2, dynamic, 1.2, 0., 0., eye, null, null;"""
    deck = read(tmp_path, nodes, f"""body: 1, 1, 1., null, eye; body: 2, 2, 1., null, eye;
        joint: 1, rod, 1, 2, 1., cubic elastic generic, 2., 0., 0., prestrain, {drive};""")
    data = lw.compile_model(deck.model).data()
    pushed = data.evaluate(data.system.described_state()).f
    assert abs(pushed).max() == pytest.approx(2 * 0.3, rel=1e-12)


# ---------------------------------------------------------------------------------------- laws


@pytest.mark.parametrize("law", ["linear elastic", "linear elastic generic", "log elastic"])
def test_help_is_no_part_of_a_law(tmp_path, law):
    deck, rod = law_of(tmp_path, f"{law}, help, 3.")
    _, same = law_of(tmp_path, f"{law}, 3.")
    assert type(rod) is type(same) and "help of constitutive laws" in deck.without_effect
    assert getattr(rod, "stiffness", 3.0) == getattr(same, "stiffness", 3.0)


def test_functions_of_functions_may_define_them(tmp_path):
    deck = read(tmp_path, before="""scalar function: "f", sub, "g", linear, 0., 1., 1., 3.,
        "h", multilinear, 0., 0., 2., 4., end; scalar function: "p", mul, "g", "h";""")
    x = np.array([0.5, 1.5])
    np.testing.assert_allclose(deck.functions["f"].values(x), 1 + 2 * x - 2 * x, rtol=1e-15)
    np.testing.assert_allclose(deck.functions["p"].values(x), (1 + 2 * x) * 2 * x, rtol=1e-15)


def test_the_viscosity_may_be_scaled_by_the_same_drive(tmp_path):
    law = "linear time variant viscoelastic generic, 2., linear, 1., 3., 5., "
    found = [law_of(tmp_path, law + last)[1].law for last in ("same", "linear, 1., 3.")]
    assert found[0].viscosity_scale(2.0) == found[1].viscosity_scale(2.0) == 7.0


# ----------------------------------------------------------------------------- blocks and files


def test_the_method_of_crank_and_nicolson_with_an_h(tmp_path):
    text = deck_text(NODE, BODY).replace("method: ms, .6;", "method: crank nicholson;")
    (tmp_path / "deck.mbd").write_text(text)
    deck = lw.read_deck(tmp_path / "deck.mbd")
    assert type(deck.analysis.method()) is lw.CrankNicolson


@pytest.mark.parametrize("rest", ["what ever (\"", "joint: 1;", "/* open", "begin: nodes; 1;"])
def test_nothing_is_read_after_the_elements(tmp_path, rest):
    (tmp_path / "deck.mbd").write_text(deck_text(NODE, BODY) + rest)
    (tmp_path / "whole.mbd").write_text('include: "deck.mbd"; nonsense')
    for name in ("deck.mbd", "whole.mbd"):
        assert "node 1" in lw.read_mbdyn(tmp_path / name).items


def test_variables_of_the_environment_in_paths(tmp_path):
    (tmp_path / "part.elm").write_text(BODY)
    (tmp_path / "deck.mbd").write_text(
        deck_text(NODE, 'include: "${PARTS}/part.elm";', control="rigid bodies: 1;")
    )
    found = lw.read_deck(tmp_path / "deck.mbd", environment={})
    assert any("PARTS is not set" in note for note in found.notes)
    found = lw.read_deck(tmp_path / "deck.mbd", environment={"PARTS": str(tmp_path)})
    assert not found.notes
    (tmp_path / "part.elm").rename(tmp_path / "other.elm")
    words = r'cannot be found: the environment variable PARTS is not set; .* setenv: "PARTS=…";'
    with pytest.raises(MbdynError, match=words):
        lw.read_deck(tmp_path / "deck.mbd", environment={})
    with pytest.raises(MbdynError, match="there is no file '/nowhere/part.elm' to include"):
        lw.read_deck(tmp_path / "deck.mbd", environment={"PARTS": "/nowhere"})


def test_a_deck_that_goes_on_forever_is_run_as_long_as_asked(tmp_path):
    deck = read(tmp_path, "structural: 1, dynamic, null, eye, 1., 0., 0., null;", time="forever")
    assert deck.analysis.final_time is None
    run = lw.run_deck(deck, t=0.5, progress=False)
    assert run["node 1"].position.values[-1, 0] == pytest.approx(0.5, abs=1e-12)
    with pytest.raises(MbdynError, match=r"goes on forever .*; write final time: 10.; .*-t 10 on"):
        lw.run_deck(deck, progress=False)


@pytest.mark.parametrize(("method", "steps"), [("ms, .6", 6), ("ms3, .6", 7), ("DIRK33", 5)])
def test_a_run_is_aborted_after_a_regular_step(tmp_path, method, steps):
    """After so many steps and those with which a multistep method begins."""
    text = deck_text(NODE, BODY).replace("method: ms, .6;", f"method: {method};")
    text = text.replace("final time: 1.;", "final time: forever; abort after: regular step, 5;")
    (tmp_path / "deck.mbd").write_text(text)
    run = lw.run_deck(lw.read_deck(tmp_path / "deck.mbd"), progress=False)
    assert len(run.time) == steps + 1 and run.time[-1] == pytest.approx(steps * 0.01)


def test_options_of_eigenanalysis_and_checks(tmp_path):
    text = deck_text(NODE, BODY, control="jacobian check: one, one, output, none;").replace(
        "method:", "eigenanalysis: .5, use arpack, 3, 8, 0., max iterations, 400, use external; "
        "method:")  # fmt: skip
    (tmp_path / "deck.mbd").write_text(text)
    deck = lw.read_deck(tmp_path / "deck.mbd")
    assert deck.analysis.eigen.modes == 3 and "jacobian check" in deck.without_effect


@pytest.mark.parametrize(("card", "said"), [
    ("final time: 1.;", ("block gives no final time; write final time: 10.;", "-t 10 on the")),
    ("time step: 1.e-2;", ("block gives no time step; write time step: 1e-3;", "-s 1e-3 on the")),
])  # fmt: skip
def test_what_a_deck_does_not_say_is_said_in_its_words(tmp_path, card, said):
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(NODE, BODY).replace(card, ""))
    result = CliRunner().invoke(app, ["run", str(path)])
    words = " ".join(result.stderr.split())
    assert result.exit_code == 1 and all(part in words for part in said)
    assert "`" not in words and "Python" not in words


# ------------------------------------------------------------------------------------- messages


@pytest.mark.parametrize(("elements", "said"), [
    (f"joint: 1, total joint, 1, 2, orientation constraint, 1, 1, 1, component, {X1}, null, null;",
     "the drive of orientation 1: expected a function of time alone"),
    (f"joint: 1, angular velocity, 1, 0., 1., 0., {X1};", "the drive of angular velocity 1: exp"),
    (f"joint: 1, distance, 1, 2, {X1};", r"length: expected .* \(position of node 1\)"),
    ("joint: 1, distance, 1, 1, from nodes;", "it joins node 1 with itself; give two different no"),
    ("joint: 1, rod, 1, 2, 1., symbolic elastic, epsilon, \"e\", expression, \"f\";",
     "expressions of the law: expected numbers"),
    ("body: 8, 1, 2., null, diag, 1., 1., -5.;", "inertia must not have a negative principal"),
    ("joint: 1, brake, 1, null, 2, null, friction, 1., modlugre, 1., 1., 1., 2., \"f\", const, 1., "
     "simple, 1.;", "kappa of modlugre must be"),
    ("couple: 1, absolute, 1, 1., 0., 0., piecewise linear, 2, 0., 1., 0., 2.;",
     "piecewise linear: expected increasing times"),
    ("couple: 1, absolute, 1, 1., 0., 0., ginac, \"x +\";", "expression 'x \\+'"),
])  # fmt: skip
def test_messages_have_the_words_of_decks(tmp_path, elements, said):
    with pytest.raises(MbdynError, match=said) as found:
        read(tmp_path, TWO, BODIES + elements)
    for word in ("Lock", "Body", "Distance", "GROUND", "LuGre", "Symbolic", "Python"):
        assert word not in str(found.value)


@pytest.mark.parametrize(("elements", "said"), [
    ('joint: 3, total pin joint, 1, position constraint, 1, 1, 1, 0., 1., 0., string, '
     '"1/(Time - .5)"',
     "the drive of position 2 of joint 3"),
    ('force: 3, absolute, 1, position, null, 1., 0., 0., string, "1/(Time - .5)"',
     "drive of force 3"),
])  # fmt: skip
def test_runs_fail_in_the_words_of_decks(tmp_path, elements, said):
    deck = read(tmp_path, elements=f"{BODY} {elements};")
    with pytest.raises(LinkworkError, match=said) as found:
        lw.run_deck(deck, progress=False)
    result = CliRunner().invoke(app, ["run", str(tmp_path / "deck.mbd")])
    for sentence in (str(found.value), " ".join(result.stderr.split())):
        assert said in sentence and "Lock" not in sentence and "Force" not in sentence


@pytest.mark.parametrize(("elements", "said"), [
    ("body: 1, 1, heavy, null, eye;",
     "expected a mass or one of variable mass, condense.*, found 'heavy', which is no keyword here "
     "and no variable that was set before"),
    ("body: 1, 1, 2., nul, eye;", "or one of .*null.*, found 'nul', which is .*; is 'null' meant?"),
    ("body: 1, 1, 2., null, eye, orientatoin, eye;",
     "the end of the card or one of .*orientation.*, found 'orientatoin'"),
    ("body: 1, 1, 2. + heavy, null, eye;", "a mass: 'heavy' is no variable that was set before"),
    ("body: 1, 1, very heavy, null, eye;", "found the words 'very heavy', which are no keyword"),
    (BODY + "drive caller: 1, sin, 2.;", r"the drive 'sin' is not supported \(near it: .*sine"),
    (BODY + "drive caller: 1, step11, 2.;", r"the drive 'step11' is not supported \(near it: step"),
])  # fmt: skip
def test_an_unknown_word_is_answered_with_those_that_are_known(tmp_path, elements, said):
    with pytest.raises(MbdynError, match=said) as found:
        read(tmp_path, elements=elements)
    assert "declare variables" not in str(found.value)


def test_the_orientation_description_of_a_node_may_come_last(tmp_path):
    card = "structural: 1, dynamic, null, eye, null, null, {};"
    for rest in ("orientation description, euler321, output, yes",
                 "accelerations, yes, orientation description, euler321"):  # fmt: skip
        deck = read(tmp_path, card.format(rest))
        assert deck.nodes[1].orientation == "euler321"
