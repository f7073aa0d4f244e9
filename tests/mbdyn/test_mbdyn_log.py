"""NAME.log: what is read from it is what the deck says, in numbers of the world."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from inside import JOINTS
from mbdyn_text import deck_text
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.io.mbdyn.output.log_file import JOINTS as LOGGED
from linkwork.io.mbdyn.output.log_file import write_log

NODES = """
  structural: 1, dynamic, 1., 2., 3., euler123, .1, .2, .3, null, null;
  structural: 2, dynamic, -1., .5, 2., euler321, -.4, .2, .7, orientation description, euler321,
    null, null;
  structural: 3, dynamic displacement, 4., 5., 6., null;
  structural: 4, dummy, 1, offset, .5, 0., 0., eye;
  structural: 5, dummy, 1, relative frame, 2;
  structural: 6, static, null, vector, .3, -.2, .9, orientation description, orientation vector,
    null, null;
  structural: 7, static, null, matr, 0., -1., 0., 1., 0., 0., 0., 0., 1.,
    orientation description, orientation matrix, null, null;
"""
P, Q = np.array([0.4, -0.3, 1.5]), np.array([1.4, 0.7, 2.5])
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, 0.6], [0.0, -0.6, 0.8]])
AT_P, AT_Q = ("position, reference, global, " + ", ".join(map(str, x)) for x in (P, Q))
TURNED = "orientation, reference, global, 1, 1., 0., 0., 3, 0., .6, .8"
END = f"{AT_P}, {TURNED}"
BOTH = f"1, {END}, 2, {END}"


def parse(path: Path) -> tuple[list[tuple[str, list[str]]], dict[str, str]]:
    """Keywords with their words, as the manual says, and the variables behind them."""
    lines = path.read_text().split("\n")
    end = lines.index("Symbol table:")
    entries = []
    for text in lines[:end]:
        keyword, _, rest = text.partition(":")
        entries.append((keyword, rest.split()))
    variables = dict(text.strip().split(" = ") for text in lines[end + 1 :] if text)
    return entries, variables


def fields(words: list[str], layout: str) -> list:
    """Labels (n), vectors (v), matrices by rows (m) and flags (b) of a line."""
    out, i = [], 0
    for kind in layout:
        count = {"n": 1, "b": 1, "v": 3, "m": 9}[kind]
        part = words[i : i + count]
        assert len(part) == count
        numbers = np.array([float(x) for x in part])
        out.append(int(part[0]) if kind in "nb" else numbers.reshape(-1, 3).squeeze())
        i += count
    assert i == len(words)
    return out


def orientation(words: list[str]) -> np.ndarray:
    kind, numbers = words[0], [float(x) for x in words[1:]]
    if kind == "mat":
        return np.array(numbers).reshape(3, 3)
    if kind == "phi":
        return Rotation.from_rotvec(numbers).as_matrix()
    order = {"1": "X", "2": "Y", "3": "Z"}
    turns = Rotation.from_euler("".join(order[c] for c in kind[5:]), numbers, degrees=True)
    return turns.as_matrix()


def places(entries) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    found = {}
    for keyword, words in entries:
        if keyword.endswith("structural node"):
            x = np.array([float(w) for w in words[1:4]])
            found[int(words[0])] = x, orientation(words[4:]) if len(words) > 4 else np.eye(3)
    return found


@pytest.fixture
def logged(tmp_path):
    """The entries of the log of a deck with these elements."""

    def make(elements, before="", control=""):
        path = tmp_path / "deck.mbd"
        path.write_text(deck_text(nodes=NODES, elements=elements, before=before, control=control))
        deck = lw.read_deck(path, environment={})
        return parse(write_log(deck, tmp_path / "out"))

    return make


def test_nodes_as_described(logged):
    entries, _ = logged("")
    known = places(entries)
    R1 = Rotation.from_euler("XYZ", [0.1, 0.2, 0.3]).as_matrix()
    R2 = Rotation.from_euler("ZYX", [-0.4, 0.2, 0.7]).as_matrix()
    x1, x2 = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 2.0])
    expected = {
        1: (x1, R1), 2: (x2, R2), 3: ([4, 5, 6], np.eye(3)), 4: (x1 + R1 @ [0.5, 0, 0], R1),
        5: (R2.T @ (x1 - x2), R2.T @ R1),
        6: (np.zeros(3), Rotation.from_rotvec([0.3, -0.2, 0.9]).as_matrix()),
        7: (np.zeros(3), [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    }  # fmt: skip
    assert sorted(known) == sorted(expected)
    for label, (x, R) in expected.items():
        np.testing.assert_allclose(known[label][0], x, atol=1e-14)
        np.testing.assert_allclose(known[label][1], R, atol=1e-13)
    words = {int(w[0]): (keyword, w[4:5]) for keyword, w in entries if keyword.endswith("node")}
    assert [words[k][1] for k in (1, 2, 3, 6, 7)] == [
        ["euler123"], ["euler321"], [], ["phi"], ["mat"]]  # fmt: skip
    assert words[5][0] == "relative frame structural node"
    assert words[4][0] == "structural node"


def test_node_that_cannot_turn_has_an_empty_word(logged, tmp_path):
    """blendyn splits at blanks and looks at the seventh word."""
    logged("")
    line = next(x for x in (tmp_path / "out.log").read_text().splitlines() if " 3 4 5 6" in x)
    assert line.split(" ") == ["structural", "node:", "3", "4", "5", "6", ""]


FRAMES = ["axial rotation", "revolute hinge", "plane hinge", "universal hinge", "cardano hinge",
          "revolute rotation", "spherical hinge", "deformable displacement joint",
          "deformable hinge", "deformable joint", "deformable displacement hinge",
          "invariant deformable hinge", "invariant deformable displacement joint",
          "invariant deformable joint", "brake"]  # fmt: skip
BEHIND = {
    "axial rotation": ", const, 1.", "brake": ', friction, .1, discrete coulomb, "mu", const, .3, '
    "simple, const, 5.", "joint": ", linear elastic isotropic, 10.",
    "hinge": ", linear elastic isotropic, 10.",
}  # fmt: skip
KEYWORDS = {"plane hinge": "revolutehinge", "universal hinge": "cardanohinge",
            "deformable displacement hinge": "deformabledisplacementjoint"}  # fmt: skip


@pytest.mark.parametrize("kind", FRAMES)
def test_joints_with_a_frame_on_both_nodes(logged, kind):
    behind = BEHIND.get(kind, "")
    if "deformable" in kind:
        behind = BEHIND[kind.split()[-1]]
    entries, _ = logged(f"joint: 8, {kind}, {BOTH}{behind};")
    (words,) = [w for k, w in entries if k == KEYWORDS.get(kind, kind.replace(" ", ""))]
    label, *ends = fields(words, "nnvmnvm")
    assert (label, ends[0], ends[3]) == (8, 1, 2)
    for node, f, R in (ends[:3], ends[3:]):
        x, turned = places(entries)[node]
        np.testing.assert_allclose(x + turned @ f, P, atol=1e-13)
        np.testing.assert_allclose(turned @ R, AXES, atol=1e-13)


@pytest.mark.parametrize(
    ("kind", "keyword"),
    [("prismatic", "prismatic"), ("universal rotation", "universalrotation"),
     ("cardano rotation", "universalrotation"), ("gimbal rotation", "gimbalrotation")],
)  # fmt: skip
def test_joints_that_hold_rotations_have_no_point(logged, kind, keyword):
    entries, _ = logged(f"joint: 8, {kind}, 1, {TURNED}, 2, {TURNED};")
    (words,) = [w for k, w in entries if k == keyword]
    _, *ends = fields(words, "nnvmnvm")
    for node, f, R in (ends[:3], ends[3:]):
        np.testing.assert_array_equal(f, 0)
        np.testing.assert_allclose(places(entries)[node][1] @ R, AXES, atol=1e-13)


@pytest.mark.parametrize(
    ("kind", "keyword"),
    [("revolute pin", "revolutepin"), ("plane pin", "revolutepin"),
     ("universal pin", "cardanopin"), ("cardano pin", "cardanopin")],
)  # fmt: skip
def test_pins_with_axes_are_told_twice_in_those_of_the_node(logged, kind, keyword):
    pin = ", ".join(map(str, Q))
    entries, _ = logged(f"joint: 8, {kind}, 2, {END}, position, {pin}, "
                        "orientation, 3, 0., 0., 1., 1, 0., 1., 0.;")  # fmt: skip
    (words,) = [w for k, w in entries if k == keyword]
    label, i, f, R, j, g, S = fields(words, "nnvmnvm")
    assert (label, i, j) == (8, 2, 2)
    x, turned = places(entries)[2]
    np.testing.assert_allclose(x + turned @ f, P, atol=1e-13)
    np.testing.assert_allclose(turned @ R, AXES, atol=1e-13)
    np.testing.assert_allclose(x + turned @ g, Q, atol=1e-13)
    np.testing.assert_allclose(turned @ S, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-13)


def test_clamps_and_spherical_pins_repeat_the_node(logged):
    entries, _ = logged(f"joint: 8, clamp, 1, node, node; joint: 9, spherical pin, 2, {AT_P}, "
                        f"position, {', '.join(map(str, P))};")  # fmt: skip
    found = dict(entries)
    for node, f, R in np.array(fields(found["clamp"], "nnvmnvm")[1:], object).reshape(2, 3):
        assert node == 1
        np.testing.assert_array_equal(f, 0)
        np.testing.assert_array_equal(R, np.eye(3))
    x, turned = places(entries)[2]
    for node, f, R in np.array(fields(found["sphericalpin"], "nnvmnvm")[1:], object).reshape(2, 3):
        assert node == 2
        np.testing.assert_allclose(x + turned @ f, P, atol=1e-13)
        np.testing.assert_array_equal(R, np.eye(3))


@pytest.mark.parametrize(
    ("kind", "keyword", "card"),
    [("rod", "rod", f"1, {AT_P}, 2, {AT_Q}, from nodes, linear elastic, 1."),
     ("rod with offset", "rod", f"1, {AT_P}, 2, {AT_Q}, from nodes, linear elastic, 1."),
     ("distance", "distance", f"1, {AT_P}, 2, {AT_Q}, from nodes"),
     ("distance with offset", "distance", f"1, {AT_P}, 2, {AT_Q}, from nodes"),
     ("drive displacement", "drivedisplacement", f"1, {AT_P}, 2, {AT_Q}, 1., 0., 0., const, 2.")],
)  # fmt: skip
def test_joints_between_two_points(logged, kind, keyword, card):
    entries, _ = logged(f"joint: 8, {kind}, {card};")
    (words,) = [w for k, w in entries if k == keyword]
    label, i, f, j, g = fields(words, "nnvnv")
    assert (label, i, j) == (8, 1, 2)
    for node, arm, point in ((i, f, P), (j, g, Q)):
        x, turned = places(entries)[node]
        np.testing.assert_allclose(x + turned @ arm, point, atol=1e-13)


def test_driven_point_and_its_place(logged):
    entries, _ = logged(f"joint: 8, drive displacement pin, 2, {AT_P}, {', '.join(map(str, Q))}, "
                        "1., 0., 0., const, 0.;")  # fmt: skip
    _, node, f, place = fields(dict(entries)["drivedisplacementpin"], "nnvv")
    x, turned = places(entries)[node]
    np.testing.assert_allclose(x + turned @ f, P, atol=1e-13)
    np.testing.assert_array_equal(place, Q)


def test_lines_and_planes_are_told_by_axis_3(logged):
    entries, _ = logged(
        f"joint: 8, in line, 1, {END}, 2, offset, .1, .2, .3;"
        f"joint: 9, in plane, 1, {AT_P}, reference, global, 0., .6, .8, 2, offset, .1, .2, .3;")
    x, turned = places(entries)[1]
    for keyword, name in (("inline", 8), ("inplane", 9)):
        label, i, f, R, j, g, S = fields(dict(entries)[keyword], "nnvmnvm")
        assert (label, i, j) == (name, 1, 2)
        np.testing.assert_allclose(x + turned @ f, P, atol=1e-13)
        np.testing.assert_allclose((turned @ R)[:, 2], [0, 0.6, 0.8], atol=1e-13)
        np.testing.assert_allclose(g, [0.1, 0.2, 0.3])
        np.testing.assert_array_equal(S, np.eye(3))


@pytest.mark.parametrize("kind", ["angular velocity", "angular acceleration", "linear velocity",
                                  "linear acceleration"])  # fmt: skip
def test_imposed_rates_have_a_direction(logged, kind):
    entries, _ = logged(f"joint: 8, {kind}, 1, 0., .6, .8, const, 1.;")
    label, node, n = fields(dict(entries)[kind.replace(" ", "")], "nnv")
    assert (label, node) == (8, 1)
    np.testing.assert_allclose(n, [0, 0.6, 0.8], atol=1e-15)


ROWS = """position constraint, active, velocity, inactive, null,
  orientation constraint, inactive, active, angular velocity, null"""


def test_total_joints_have_two_pairs_of_axes_and_twelve_flags(logged):
    axes = (f"position {TURNED}, rotation orientation, reference, global, 1, 0., 1., 0., "
            "3, 0., 0., 1.")  # fmt: skip
    other = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    end = f"{AT_P}, {axes}"
    pin = f"position, {', '.join(map(str, P))}, {axes}".replace("reference, global, ", "")
    entries, _ = logged(f"joint: 8, total joint, 1, {end}, 2, {end}, {ROWS};"
                        f"joint: 9, total pin joint, 2, {end}, {pin}, {ROWS};")  # fmt: skip
    known, found = places(entries), dict(entries)
    _, i, f, R, S, j, g, Q2, T, *flags = fields(found["totaljoint"], "nnvmmnvmm" + "b" * 12)
    assert (i, j) == (1, 2)
    for node, arm, position, rotation in ((i, f, R, S), (j, g, Q2, T)):
        x, turned = known[node]
        np.testing.assert_allclose(x + turned @ arm, P, atol=1e-13)
        np.testing.assert_allclose(turned @ position, AXES, atol=1e-13)
        np.testing.assert_allclose(turned @ rotation, other, atol=1e-13)
    assert flags == [1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1]
    _, j, g, Q2, T, X, R, S, *flags = fields(found["totalpinjoint"], "nnvmmvmm" + "b" * 12)
    x, turned = known[j]
    np.testing.assert_allclose(x + turned @ g, P, atol=1e-13)
    np.testing.assert_allclose(X, P)
    for one, ground, expected in ((Q2, R, AXES), (T, S, other)):
        np.testing.assert_allclose(turned @ one, expected, atol=1e-13)
        np.testing.assert_allclose(ground, expected, atol=1e-13)
    assert flags == [1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1]


def test_bodies_have_their_inertia_about_the_node(logged):
    entries, _ = logged(
        "body: 5, 1, 2., .1, .2, .3, diag, 1., 2., 2.5; body: 6, 1, condense, 2, "
        "1., .5, 0., 0., diag, .1, .2, .3, 3., -.1, 0., 0., diag, .1, .1, .1;"
        "body: 7, 3, 4.;")  # fmt: skip

    def about(m, c):
        c = np.array(c)
        return m * (c @ c * np.eye(3) - np.outer(c, c))

    two = about(1, [0.5, 0, 0]) + about(3, [-0.1, 0, 0]) + np.diag([0.2, 0.3, 0.4])
    expected = {
        5: (1, 2.0, [0.1, 0.2, 0.3], np.diag([1, 2, 2.5]) + about(2, [0.1, 0.2, 0.3])),
        6: (1, 4.0, [0.05, 0, 0], two), 7: (3, 4.0, np.zeros(3), np.zeros((3, 3))),
    }  # fmt: skip
    bodies = [w for k, w in entries if k == "body"]
    assert sorted(int(w[0]) for w in bodies) == [5, 6, 7]
    for words in bodies:
        node, m, c, J = expected[int(words[0])]
        assert (int(words[1]), float(words[2])) == (node, m)
        found_c, found_J = fields(words[3:], "vm")
        np.testing.assert_allclose(found_c, c, atol=1e-15)
        np.testing.assert_allclose(found_J, J, atol=1e-14)


def test_forces_and_couples(logged):
    pair = "1, position, .1, .2, .3, 2, position, 0., 0., .5, 1., 0., 0., const, 1."
    alone = "1, position, .1, .2, .3, 1., 0., 0., const, 1."
    entries, _ = logged(
        f"force: 1, absolute, {alone}; force: 2, follower, {alone};"
        f"force: 3, absolute internal, {pair}; force: 4, follower internal, {pair};"
        f"couple: 5, absolute, {alone}; couple: 6, follower internal, {pair};"
        "force: 7, total, 1, force, 1., 0., 0., const, 1.;")  # fmt: skip
    one, two = ["1", "0.1", "0.2", "0.3"], ["2", "0", "0", "0.5"]
    assert [(k, w) for k, w in entries if k.startswith("structural ") and "node" not in k] == [
        ("structural absolute force", ["1", *one]), ("structural follower force", ["2", *one]),
        ("structural internal absolute force", ["3", *one, *two]),
        ("structural internal follower force", ["4", *one, *two]),
        ("structural absolute couple", ["5", *one]),
        ("structural internal follower couple", ["6", *one, *two]),
    ]  # fmt: skip


def test_output_frequency_and_variables(logged):
    before = 'set: real L = 2.5; set: const integer N = 7; set: string word = "a b";'
    entries, variables = logged("", before, control="output frequency: 4;")
    assert entries[0] == ("output frequency", ["4"])
    assert variables["real L"] == "2.5" and variables["const integer N"] == "7"
    assert variables["string word"] == '"a b"' and variables["const bool TRUE"] == "1"
    assert float(variables["const real pi"]) == pytest.approx(np.pi, rel=1e-14)
    entries, _ = logged("", control="output meter: const, 1.;")
    assert entries[0] == ("output frequency", ["custom"])


def test_kinds_without_a_line(logged):
    """What no public description of the file has is left out, not made up."""
    assert set(JOINTS) - set(LOGGED) == {
        "beam slider", "deformable axial joint", "distance with offset", "drive hinge",
        "imposed displacement", "imposed displacement pin", "imposed orientation",
        "offset displacement joint", "plane displacement", "plane displacement pin",
        "rigid body displacement joint", "rod with offset", "screw", "strapdown sensor",
        "viscous body",
    }  # fmt: skip
    entries, _ = logged("joint: 8, drive hinge, 1, 2, 0., 0., 1., const, 0.;")
    assert not any("hinge" in keyword for keyword, _ in entries)
