"""The reader of MBDyn input files: statements, frames, joints, forces."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_text import BODIES, BODY, NODE, TWO, deck_text

import linkwork as lw
from linkwork import MbdynError, run_deck
from linkwork.extend import rotations

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
        with pytest.raises(MbdynError, match="rigid bodies(, but 1 follow| that follow .1.)"):
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


def test_signs_of_reactions(read):
    """A mass hangs below the first node: what pulls it up, and what pulls at the ground."""
    from inside import Tables

    deck = read(
        nodes="structural: 1, static, null, eye, null, null;"
              "structural: 2, dynamic, 0., 0., -1., eye, null, null;",
        elements="body: 2, 2, 3., null, eye; gravity: 0., 0., -1., 10.; joint: 1, clamp, 1, node,"
                 "node; joint: 2, spherical hinge, 1, 2, position, 0., 0., 1.;",
    )  # fmt: skip
    tables = Tables(deck, run_deck(deck, progress=False))
    for label, weight in ((1, -30), (2, 30)):
        F = tables.joint(deck.joints[label])[2]
        np.testing.assert_allclose(F, np.tile([0, 0, weight], (len(F), 1)), atol=1e-9)
