"""Spellings of cards that decks in use have: old orders, optional words, switches, tables."""

from __future__ import annotations

import h5netcdf
import numpy as np
import pytest
from inside import app
from mbdyn_text import BODY, NODE, TWO, deck_text
from typer.testing import CliRunner

import linkwork as lw
from linkwork import MbdynError, SingularError
from linkwork.io.mbdyn.drives import plain

GROUND = "structural: 0, static, null, eye, null, null;"
CLAMP = "joint: 90, clamp, 0, node, node;"


def loads(deck):
    """Force and moment of every force of the deck at t = 0.3, as its record has them."""
    found = {}
    for label, f in deck.forces.items():
        sums = []
        for terms in (f.terms, f.moments):
            sums.append(sum((np.array(v) * d(0.3) for v, d in terms), np.zeros(3)))
        found[label] = (f.nodes, [np.array(a) for a in f.arms], *sums, f.follower)
    return found


# ------------------------------------------------------------------------------ forces, joints


@pytest.mark.parametrize("kind", ["absolute", "follower", "conservative"])
def test_forces_in_the_order_before_1_3_7(read, kind):
    """force: label, kind, node, direction, arm, drive; the direction counts as a unit vector."""
    old = f"""force: 1, {kind}, 1, 0., 3., 4., reference, node, 1., 2., 3., linear, 1., 10.;
      force: 2, {kind}, 2, reference, node, 1., 0., 0., null, 7.;
      couple: 3, {kind}, 1, 0., 1., 0., linear, 0., 10.;"""
    new = f"""force: 1, {kind}, 1, position, 1., 2., 3., 0., .6, .8, linear, 1., 10.;
      force: 2, {kind}, 2, position, null, single, reference, node, 1., 0., 0., 7.;
      couple: 3, {kind}, 1, position, null, 0., 1., 0., linear, 0., 10.;"""
    same_loads(read, old, new)


@pytest.mark.parametrize("kind", ["absolute", "follower"])
def test_internal_forces_in_the_order_before_1_3_7(read, kind):
    old = f"""force: 1, {kind} internal, 1, 0., 0., 1., reference, node, 0., 1., 0.,
        2, reference, node, 0., 2., 0., sine, 0., 3., 5., forever, 0.;"""
    new = f"""force: 1, {kind} internal, 1, position, 0., 1., 0., 2, position, 0., 2., 0.,
        0., 0., 1., sine, 0., 3., 5., forever, 0.;"""
    same_loads(read, old, new)


def same_loads(read, old, new):
    bodies = "body: 1, 1, 2., null, eye; body: 2, 2, 1., null, eye;"
    found = [loads(read(nodes=TWO, elements=bodies + text)) for text in (old, new)]
    assert list(found[0]) == list(found[1])
    for label in found[0]:
        for a, b in zip(found[0][label], found[1][label]):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("value", ["0., 0., 2., 3.", "0., 0., 2., reference, 8", "reference, 9"])
def test_a_direction_and_a_drive_alone_are_no_arm(read, value):
    before = "drive caller: 8, const, 3.; template drive caller: 9, 3, 0., 0., 2., const, 3.;"
    for output in ("", ", output, no"):
        force = f"force: 1, absolute, 1, {value}{output};"
        deck = read(nodes=NODE, elements=BODY + force, before=before)
        _, arms, found, _, _ = loads(deck)[1]
        np.testing.assert_array_equal(arms[0], [0, 0, 0])
        np.testing.assert_array_equal(found, [0, 0, 6])


@pytest.mark.parametrize("place", [
    "1, reference, global, null, 2, reference, global, null",
    "1, null, 2, reference, other position, null",
    "1, 0., 0., 0., hinge, eye, 2, -1., 0., 0., hinge, eye",
    "1, 2, position, -1., 0., 0.", "1, 2, offset, -1., 0., 0.",
    "1, orientation, eye, 2, -1., 0., 0.",
])  # fmt: skip
def test_spherical_hinges_with_and_without_the_word_position(read, place):
    nodes = NODE + "structural: 2, dynamic, 1., 0., 0., eye, null, null;"
    deck = read(nodes=nodes, elements=f"joint: 1, spherical hinge, {place};")
    offsets = deck.joints[1].offsets
    np.testing.assert_allclose(offsets[0], [0, 0, 0])
    np.testing.assert_allclose(offsets[1], [-1, 0, 0])


# --------------------------------------------------------------------------- nodes and masses


def test_moments_of_inertia_of_a_plane_mechanism(read):
    """diag, 0., 0., J belongs to no body, but swings in a plane like one."""
    deck = read(
        nodes="structural: 1, dynamic, 0., -.5, 0., eye, null, null;", time="2.", step="1.e-3",
        elements="""body: 1, 1, 2., null, diag, 0., 0., .3;
          joint: 1, revolute pin, 1, position, 0., .5, 0., position, null;
          couple: 1, absolute, 1, 0., 0., 1., .01; gravity: 0., -1., 0., 9.81;""",
    )  # fmt: skip
    assert any("belong to no body" in note for note in deck.notes)
    swing = lw.run_deck(deck, progress=False)
    angle = swing["node 1"].position.values[:, 0] / 0.5
    w = np.sqrt(2 * 9.81 * 0.5 / (0.3 + 2 * 0.25))
    expected = 0.01 / (2 * 9.81 * 0.5) * (1 - np.cos(w * swing.time))
    np.testing.assert_allclose(angle, expected, atol=2e-8)


def test_static_nodes_between_springs_have_no_acceleration_of_their_own(read):
    """A mass on two springs in series, 300 and 600 N/m, the node between them without a mass: it
    moves with k = 200 N/m, the node by two thirds of it."""
    nodes = GROUND + "structural: 1, static, 1., 0., 0., eye, null, null;" \
        "structural: 2, dynamic, 2., 0., 0., eye, 1., 0., 0., null;"
    springs = """body: 2, 2, 2., null, eye;
      joint: 1, deformable joint, 0, 1., 0., 0., 1, null, linear elastic isotropic, 300.;
      joint: 2, deformable joint, 1, 1., 0., 0., 2, null, linear elastic isotropic, 600.;"""
    deck = read(nodes=nodes, elements=CLAMP + springs, step="5.e-4")
    with pytest.raises(SingularError, match="'node 1'"):  # a method that steps accelerations
        lw.transient(deck.model, t=0.01, h=1e-3, method=lw.RK4(), progress=False)
    run = lw.run_deck(deck, progress=False)
    x = run["node 2"].position.values[:, 0] - 2
    np.testing.assert_allclose(x, np.sin(10 * run.time) / 10, atol=5e-6)
    between = run["node 1"].position.values[:, 0] - 1
    np.testing.assert_allclose(between[1:], 2 / 3 * x[1:], atol=1e-12)


def test_a_static_node_with_a_force_on_a_spring_follows_the_force(read):
    """K u = f(t), whatever the step."""
    nodes = GROUND + "structural: 1, static, null, eye, null, null;"
    elements = CLAMP + """joint: 1, deformable joint, 0, null, 1, null, linear elastic, 50.;
      force: 1, absolute, 1, position, null, 0., 2., 0., sine, 0., 3., 5., forever, 0.;"""
    run = lw.run_deck(read(nodes=nodes, elements=elements, step="1.e-1"), progress=False)
    y = run["node 1"].position.values[:, 1]
    np.testing.assert_allclose(y, 10 * np.sin(3 * run.time) / 50, atol=1e-10)


def test_a_static_node_that_nothing_holds_is_singular(read):
    nodes = GROUND + "structural: 1, static, 1., 0., 0., eye, null, null;"
    deck = read(nodes=nodes, elements=CLAMP + "joint: 1, rod, 0, 1, 1., linear elastic, 100.;")
    with pytest.raises(SingularError, match="'node 1'"):
        lw.run_deck(deck, progress=False)


def test_a_node_without_a_stiffness_in_the_assembly_gives_way(read):
    """Of a crank that turns and a link that rests, the link takes the velocity of the joint."""
    nodes = """structural: 1, dynamic, null, eye, null, 0., 0., 6.;
      structural: 2, dynamic, 1., 0., 0., eye, null, null, assembly, 1., 0., no;"""
    elements = """body: 1, 1, 1., null, eye; body: 2, 2, 1., null, eye;
      joint: 1, revolute pin, 1, null, null; joint: 2, spherical hinge, 1, 1., 0., 0., 2, null;"""
    deck = read(nodes=nodes, elements=elements, time=".01")
    run = lw.run_deck(deck, progress=False)
    assert run["node 1"].angular_velocity.values[0, 2] == pytest.approx(6, rel=1e-8)
    np.testing.assert_allclose(run["node 2"].velocity.values[0], [0, 6, 0], atol=1e-7)


def test_a_parameter_node_has_the_datum_that_bind_gives_it(read, tmp_path):
    """A torque −k φ by a parameter node: the oscillator φ̈ = −k/J φ."""
    control = "parameter nodes: 1;"
    text = deck_text(
        nodes="structural: 1, dynamic, null, eye, null, 0., 0., 2.; parameter: 7, element;",
        control=control, step="1.e-3",
        elements="""body: 1, 1, 1., null, diag, 1., 1., .5;
          joint: 1, revolute pin, 1, null, null;
          bind: 1, joint, 7, string, "rz";
          couple: 1, absolute, 1, 0., 0., 1., dof, 7, parameter, linear, 0., -8.;""",
    )  # fmt: skip
    deck = read(text)
    run = lw.run_deck(deck, progress=False)
    angle = run["joint 1"].angle.values
    np.testing.assert_allclose(angle, 0.5 * np.sin(4 * run.time), atol=1e-5)
    lw.write_mbdyn(deck, run, tmp_path / "bound")
    with h5netcdf.File(tmp_path / "bound.nc") as file:
        np.testing.assert_allclose(file["node.parameter.7.X"][:], angle, atol=1e-12)
    with pytest.raises(MbdynError, match="no bind card"):
        read(text.replace('bind: 1, joint, 7, string, "rz";', ""))
    with pytest.raises(MbdynError, match="no parameter node"):
        read(text.replace("joint, 7,", "joint, 8,"))


# ----------------------------------------------------------------------- drives, the problem


@pytest.mark.parametrize("order, factors", [
    (5, (10, -15, 6)), (7, (35, -84, 70, -20)), (9, (126, -420, 540, -315, 70)),
])  # fmt: skip
def test_smooth_steps_of_higher_order(read, order, factors):
    """y₀ + (y₁ − y₀) Σ c_k ξ^(n + k): as many derivatives vanish at both ends as there can."""
    deck = read(nodes=NODE, elements=BODY, before=f"drive caller: 1, step{order}, .1, 1, .9, 4;")
    drive = deck.drives[1](plain.TIME)
    n = (order + 1) // 2
    for t in (0.0, 0.1, 0.3, 0.55, 0.9, 2.0):
        xi = min(max((t - 0.1) / 0.8, 0.0), 1.0)
        rise = sum(c * xi ** (n + k) for k, c in enumerate(factors))
        assert drive(t) == pytest.approx(1 + 3 * rise, abs=1e-14)
    assert sum(factors) == 1


def test_drive_callers_may_be_written_and_read_at_the_present_time(read):
    before = 'drive caller: 1, name, "load", linear, 1., 2., output, yes, output trace, no;'
    elements = BODY + 'force: 1, absolute, 1, position, null, 1., 0., 0., string, ' \
        '"3*model::drive(1)";'
    deck = read(nodes=NODE, elements=elements, before=before)
    assert deck.without_effect == ["output of drive callers"]
    np.testing.assert_allclose(loads(deck)[1][2], [3 * 1.6, 0, 0])


def test_the_largest_time_step_may_be_a_drive(read):
    text = deck_text(nodes=NODE, elements=BODY, time="1.")
    steps = "time step: 1.e-2; strategy: change, linear, .01, 1.; max time step: linear, .05, .1;"
    run = lw.run_deck(read(text.replace("time step: 1.e-2;", steps)), progress=False)
    t = run.time[1:-3]  # the last two steps share what is left
    np.testing.assert_allclose(np.diff(run.time)[1:-2], np.minimum(0.01 + t, 0.05 + 0.1 * t))
    steady = read(text.replace("time step: 1.e-2;", "time step: 1.e-2; max time step: const, .5;"))
    assert steady.analysis.max_step == 0.5
    with pytest.raises(MbdynError, match="largest time step"):
        read(text.replace("time step: 1.e-2;", "time step: 1.e-2; max time step: linear, .1, 1.;"))


def test_old_and_optional_words_of_the_problem(read):
    control = "output results: netcdf, nc4, sync, text; initial stiffness: 0;"
    text = deck_text(nodes=NODE, elements=BODY, control=control)
    text = text.replace("problem: initial value", "integrator: multistep")
    deck = read(text.replace("begin: initial value", "begin: multistep")
                .replace("end: initial value", "end: multistep"))  # fmt: skip
    assert deck.analysis.text and deck.analysis.step == 0.01
    assert deck.without_effect == ["nc4 of NetCDF files", "sync of NetCDF files"]


def test_velocities_and_accelerations_of_prescribed_motions(read):
    """In inverse dynamics a total joint gives three drives: a motion, its velocity and its
    acceleration; F = m ẍ of the motion x = t² in both spellings."""
    base = deck_text(
        nodes="structural: 1, static, null, eye, null, null;",
        elements="""body: 1, 1, 2., null, eye;
          joint: 1, total pin joint, 1, position, null, position, null,
            position constraint, 1, 1, 1, 1., 0., 0., parabolic, 0., 0., 1., MORE
            orientation constraint, 1, 1, 1, null, REST
            inverse dynamics, torque, yes, prescribed motion, yes;""",
    ).replace("initial value", "inverse dynamics").replace("method: ms, .6;", "")  # fmt: skip
    short = base.replace("MORE", "").replace("REST", "")
    more = "1., 0., 0., linear, 0., 2., 1., 0., 0., const, 2.,"
    for text in (short, base.replace("MORE", more).replace("REST", "null, null,")):
        run = lw.run_deck(read(text), progress=False)
        np.testing.assert_allclose(run["joint 1"].force.values[:, 0], 4.0, atol=1e-9)


# --------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize("text, value", [
    ('"time_" + 1e-3', "time_1.000000e-03"), ('string(22.5) + "::" + 20', "2.250000e+01::20"),
    ('"node_" + 10', "node_10"), ("integer(210000000000/1e9)", 210), ("210000000000", 2.1e11),
    ("(real default::E = 7; E + default::E)", 14.0), ("integer_eval(5.5) + real_eval(2)", 7.0),
    ("bool_eval(5.5)", True), ("4^3^2", 262144.0), ("0.5^-2", 4.0),
])  # fmt: skip
def test_values_of_expressions(read, text, value):
    """As MBDyn's own tests of its parser have them, and moduli of elasticity without a dot."""
    deck = read(nodes=NODE, elements=BODY)
    from inside import parse

    found = deck.symbols.evaluate(parse(text))
    assert found == value and type(found) is type(value)


def test_eval_takes_the_value_of_the_moment(read):
    """A string drive sees the last value of a variable, real_eval the one at its card."""
    deck = read(nodes=NODE, elements=BODY, before="""set: real V = 5.5;
      drive caller: 1, string, "V"; drive caller: 2, string, "real_eval(V)*Var/Var";
      set: V = V + 2; remark: "both", model::drive(1) + model::drive(2, 1.);""")
    assert any("both, 13" in note for note in deck.notes)


def test_inertia_of_a_variable_mass_by_a_template_drive(read):
    """template drive caller: label, "3x3", …: the same as the drive in its place."""
    law = "component, sym, 1., inactive, inactive, 2., inactive, linear, 1., .5"
    nodes = "structural: 1, dynamic, null, eye, null, 0., 0., 1.;"
    body = "body: 1, 1, variable mass, linear, 1., .5, null, {}, null;"
    runs = []
    for text in (law, "reference, 9"):
        deck = read(nodes=nodes, elements=body.format(text),
                    before=f'template drive caller: 9, "3x3", {law};')  # fmt: skip
        runs.append(lw.run_deck(deck, progress=False))
    np.testing.assert_array_equal(*(run.motion for run in runs))
    with pytest.raises(MbdynError, match="no template drive caller 8"):
        read(nodes=nodes, elements=body.format("reference, 8"))


def test_a_template_drive_of_one_number_is_a_drive(read):
    before = "template drive caller: 9, 1, linear, 1., 2.; template drive caller: 9, 3, null;"
    deck = read(nodes=NODE, elements=BODY, before=before)
    (unit, law), = deck.template_drives[9, 1]
    assert unit.tolist() == [1.0] and deck.template_drives[9, 3] == []
    assert law(plain.TIME)(0.5) == 2.0


def test_netcdf_files_have_the_variables_that_scripts_ask_for(read, tmp_path):
    """Labels by kind, what each node and joint is, and vectors over the time."""
    nodes = GROUND + "structural: 4, dynamic, null, eye, null, 0., 0., 1.;"
    elements = CLAMP + "body: 4, 4, 1., null, eye; joint: 1, revolute hinge, 0, null, 4, null;"
    deck = read(nodes=nodes, elements=elements)
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "x")
    with h5netcdf.File(tmp_path / "x.nc") as file:
        steps = len(file["time"][:])
        assert file["run.step"].shape == file["run.timestep"].shape == (steps,)
        assert file["node.struct"][:].tolist() == [0, 4]
        assert file["elem.autostruct"][:].tolist() == [4]
        assert file["elem.joint"][:].tolist() == [90, 1]
        assert file["node.struct.4"].attrs["type"] == "dynamic"
        assert file["elem.joint.1"].attrs["type"] == "revolute hinge"
        for name in ("node.struct.4.X", "node.struct.4.XP", "node.struct.4.Omega",
                     "node.struct.4.E", "node.struct.4.B", "node.struct.4.G", "elem.joint.1.f",
                     "elem.joint.1.m", "elem.joint.1.F", "elem.joint.1.M", "elem.joint.1.E",
                     "elem.joint.1.Omega"):  # fmt: skip
            assert file[name].shape == (steps, 3), name


@pytest.mark.parametrize("name", ["swing", "swing.in", "swing.mbdyn"])
def test_decks_may_have_any_name(tmp_path, name):
    path = tmp_path / name
    path.write_text("# a deck; begin: data;\n" + deck_text(nodes=NODE, elements=BODY, time=".05"))
    found = CliRunner().invoke(app, ["run", str(path), "-o", str(tmp_path / "out")])
    assert found.exit_code == 0, found.output
    assert (tmp_path / "out.mov").exists()
    path.with_name("notes.txt").write_text("# begin: data; is how a deck begins\n")
    found = CliRunner().invoke(app, ["run", str(path.with_name("notes.txt"))])
    assert found.exit_code == 1 and "is not a .py file" in " ".join(found.output.split())


def test_nodes_and_elements_may_have_names(read):
    """[name, "…"] behind the label of every node and element."""
    deck = read(
        nodes='structural: 1, name, "tip", dynamic, null, eye, null, null;',
        elements="""body: 1, name, "mass", 1, 2., null, eye;
          joint: 1, name, "rest", revolute pin, 1, null, null;
          force: 1, name, "load", absolute, 1, position, null, 0., 0., 1., const, 3.;
          couple: 2, name, "turn", follower, 1, position, null, 0., 0., 1., const, 3.;""",
    )  # fmt: skip
    assert deck.model["node 1"].mass == 2 and deck.joints[1].kind == "revolute pin"
    assert list(deck.forces) == [1, 2]


@pytest.mark.parametrize("axes, inertia", [
    ("inertial, node", [1, 2, 2.5]), ("inertial, 1, 0., 1., 0., 2, -1., 0., 0.", [2, 1, 2.5]),
    ("orientation, reference, node, 1, 0., 1., 0., 2, -1., 0., 0.", [2, 1, 2.5]),
])  # fmt: skip
def test_axes_of_an_inertia(read, axes, inertia):
    deck = read(nodes=NODE, elements=f"body: 1, 1, 2., null, diag, 1., 2., 2.5, {axes};")
    np.testing.assert_allclose(deck.model["node 1"].inertia, np.diag(inertia), atol=1e-15)


def test_a_prismatic_joint_may_have_positions(read):
    ends = "0, position, 1., 0., 0., orientation, eye, 1, position, null, orientation, eye"
    deck = read(nodes=GROUND + NODE, elements=f"{CLAMP} {BODY} joint: 1, prismatic, {ends};")
    assert type(deck.model["joint 1"]) is lw.Align


def test_scales_of_convergence_tests(read):
    text = deck_text(nodes=NODE, elements=BODY)
    card = "method: ms, .6; tolerance: 1e-6, test, norm, scale, 1e-6, test, minmax, scale;"
    deck = read(text.replace("method: ms, .6;", card))
    assert deck.analysis.residual == (1e-6, "norm")
    assert "scale of the solution test" in deck.without_effect


@pytest.mark.parametrize("kind", ["absolute", "follower"])
def test_internal_couples_in_the_old_order(read, kind):
    """The direction stands before the second node, whose label is an integer."""
    nodes, bodies = TWO + GROUND, f"body: 1, 1, 2., null, eye; body: 2, 2, 1., null, eye; {CLAMP}"
    old = "1, 0., 1., 0., 2, cosine, 0., 3., .5, half, 0."
    new = "1, 2, 0., 1., 0., cosine, 0., 3., .5, half, 0."
    whole = "1, position, null, 2, position, null, 0., 1., 0., cosine, 0., 3., .5, half, 0."
    decks = [read(nodes=nodes, elements=f"{bodies} couple: 5, {kind} internal, {card};")
             for card in (old, new, whole)]  # fmt: skip
    for deck in decks:
        assert deck.forces[5].nodes == (1, 2)
        couple = loads(deck)[5][3]
        np.testing.assert_allclose(couple, [0, 0.5 * (1 - np.cos(0.9)), 0], atol=1e-15)
