"""Joints of decks: each is its Python model, and a total joint with the right rows."""

from __future__ import annotations

import numpy as np
import pytest
from inside import Tables
from mbdyn_text import BODIES, BODY, NODE, TWO

import linkwork as lw
from linkwork import MbdynError, run_deck
from linkwork.extend import rotations

AT, AXES = "position, .3, 0., .1, ", "euler123, .3, .2, .1"
TO = "position, -.5, .1, 0., "
SAME = "reference, other orientation, eye"
PINNED = ".4, .1, .2"  # where pins hold the point of node 2, in the world
GROUND = f"position, {PINNED}, orientation, {AXES}"


def pin_axes():
    """Axes of node 2 that are those of the pin as described."""
    return f"reference, global, {AXES}"


TWO_ENDS = f"1, {AT} orientation, {AXES}, 2, {TO} orientation, {SAME}"
TURNS = f"1, orientation, {AXES}, 2, orientation, {SAME}"
PIN = f"2, {TO} orientation, {pin_axes()}, {GROUND}"
SLIDE = f"1, {AT} {{}}, 2, offset, -.5, .1, 0."
THETA = "component, const, 0., const, 0., sine, 0., 3., .4, forever, 0."
VECTOR = "component, sine, 0., 2., .3, forever, 0., sine, 0., 3., .2, forever, 0., const, 0."
WAVE = "sine, 0., 3., .1, forever, 0."
RISING = f"component, inactive, inactive, {WAVE}"
# arguments of the joint; positions and rotations that a total joint holds, and their laws
CARDS: dict[str, tuple[str, str, str, str, str]] = {
    "spherical hinge": (TWO_ENDS, "111", "000", "null", "null"),
    "revolute hinge": (TWO_ENDS, "111", "110", "null", "null"),
    "plane hinge": (TWO_ENDS, "111", "110", "null", "null"),
    "plane displacement": (TWO_ENDS, "001", "110", "null", "null"),
    "revolute rotation": (TURNS, "000", "110", "null", "null"),
    "prismatic": (TURNS, "000", "111", "null", "null"),
    "gimbal rotation": (TURNS, "000", "001", "null", "null"),
    "in line": (SLIDE.format(AXES), "110", "000", "null", "null"),
    "in plane": (SLIDE.format("{}"), "001", "000", "null", "null"),
    "axial rotation": (f"{TWO_ENDS}, const, 2.", "111", "11w", "null",
                       "component, const, 0., const, 0., const, 2."),
    "drive hinge": (f"{TURNS}, {VECTOR}", "000", "111", "null", VECTOR),
    "imposed orientation": (f"1, {AXES}, 2, {SAME}, {THETA}", "000", "111", "null", THETA),
    "spherical pin": (PIN, "111", "000", "null", "null"),
    "pin": (PIN, "111", "000", "null", "null"),
    "revolute pin": (PIN, "111", "110", "null", "null"),
    "plane pin": (PIN, "111", "110", "null", "null"),
    "plane displacement pin": (PIN, "001", "110", "null", "null"),
    "drive displacement": (
        f"1, .3, 0., .1, 2, -.5, .1, 0., {VECTOR}", "111", "000", VECTOR, "null"),
    "drive displacement pin": (f"2, -.5, .1, 0., {PINNED}, {VECTOR}", "111", "000", VECTOR, "null"),
    "imposed displacement": (
        f"1, .3, 0., .1, 2, -.5, .1, 0., .2, -.1, 1., {WAVE}", "001", "000", RISING, "null"),
    "imposed displacement pin": (
        f"2, -.5, .1, 0., {PINNED}, .2, -.1, 1., {WAVE}", "001", "000", RISING, "null"),
    "clamp": (f"2, {PINNED}, {AXES}", "111", "111", "null", "null"),
}  # fmt: skip
PLAIN = ("drive displacement", "drive displacement pin")  # in the axes of the node, of the world
WORDS = {"1": "active", "0": "inactive", "w": "angular velocity"}


def total(kind, held, turned, where, law):
    """The same as a total joint."""
    _, pin = CARDS[kind], kind.endswith("pin") or kind == "clamp"
    axes = "eye" if kind in (*PLAIN, "in plane") else AXES
    if kind == "in plane" or kind.startswith("imposed displacement"):
        axes = "3, .2, -.1, 1., 1, 1., 0., 0."
    second = f"2, {TO} rotation orientation, " + (pin_axes() if pin else SAME)
    if kind == "clamp":
        second = "2, position, null"
    first = f"position orientation, {axes}, rotation orientation, {axes}"
    constraints = (
        f"position constraint, {', '.join(WORDS[c] for c in held)}, {where}, "
        f"orientation constraint, {', '.join(WORDS[c] for c in turned)}, {law}"
    )
    if pin:
        return f"total pin joint, {second}, position, {PINNED}, {first}, {constraints}"
    return f"total joint, 1, {AT} {first}, {second}, {constraints}"


def elements(kind, text):
    """Two bodies in a chain, or the second one alone on its pin."""
    if kind.endswith("pin") or kind == "clamp":
        return "body: 2, 2, 1., null, diag, .5, .6, .7; gravity: 0., 0., -1., 9.81;" + text
    return BODIES + text


@pytest.mark.parametrize("kind", CARDS)
def test_a_total_joint_with_the_right_rows_is_the_joint(read, kind):
    """Same motion, same reactions, also in the files."""
    text, held, turned, where, law = CARDS[kind]
    if kind == "in plane":
        text = text.format(".2, -.1, 1.")
    alone = kind.endswith("pin") or kind == "clamp"
    nodes = TWO[TWO.index("structural: 2") :] if alone else TWO
    other = total(kind, held, turned, where, law)
    decks = [read(nodes=nodes, elements=elements(kind, f"joint: 1, {t};"), time=".5")
             for t in (f"{kind}, {text}", other)]  # fmt: skip
    runs = [run_deck(d, progress=False) for d in decks]
    for name in decks[0].nodes:
        for word in ("position", "velocity", "orientation"):
            a, b = (getattr(run[f"node {name}"], word).values for run in runs)
            np.testing.assert_allclose(a, b, atol=1e-8)
    found = [Tables(d, run).reaction(d.joints[1]) for d, run in zip(decks, runs)]
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, atol=1e-5 * max(1.0, np.abs(a).max()))
    assert np.abs(np.hstack(found[0])).max() > 1e-3  # it carries something


# ----------------------------------------------------------------- each card is its Python model


def turn(*angles):
    R = np.eye(3)
    for k, angle in enumerate(angles):
        R = R @ rotations.matrix(rotations.exponential(angle * np.eye(3)[k]))
    return R


def ends(deck, offset_a=(0.3, 0, 0.1), offset_b=(-0.5, 0.1, 0), axes=None):
    """The two markers as a user would write them for the bodies of TWO."""
    A = turn(0.3, 0.2, 0.1) if axes is None else axes
    R = [deck.nodes[n].reference.R for n in (1, 2)]
    a = lw.Frame(deck.model["node 1"], np.array(offset_a) - (0.1, 0.2, 0.3),
                 rotations.from_matrix(A))
    b = lw.Frame(deck.model["node 2"], offset_b, rotations.from_matrix(R[1].T @ R[0] @ A))
    return a, b


PYTHON = {
    "revolute hinge": lambda a, b: [lw.Revolute(a, b)],
    "spherical hinge": lambda a, b: [lw.Spherical(a, b)],
    "prismatic": lambda a, b: [lw.Align(a, b)],
    "plane displacement": lambda a, b: [lw.Planar(a, b)],
    "revolute rotation": lambda a, b: [lw.Parallel(a, b)],
    "in line": lambda a, b: [lw.PointOnLine(a, b)],
    "gimbal rotation": lambda a, b: [lw.Gimbal(a, b)],
    "axial rotation": lambda a, b: [
        lw.Revolute(a, b), lw.VelocityLock(a, b, rows="rz", drive={"rz": lw.constant(2)})
    ],
    "drive hinge": lambda a, b: [
        lw.DriveHinge(a, b, vector=[lw.expression(f"{x}*sin({w}*t)") for x, w in
                                    ((0.3, 2), (0.2, 3), (0, 1))])
    ],
    "cardano hinge": lambda a, b: [lw.Universal(turned(a), b)],
    "universal hinge": lambda a, b: [lw.Universal(turned(a), b)],
    "cardano rotation": lambda a, b: [lw.Orthogonal(turned(a), b)],
    "universal rotation": lambda a, b: [lw.Orthogonal(turned(a), b)],
}  # fmt: skip


def turned(a):
    """x of linkwork's cross is axis 3 of MBDyn's first marker."""
    T = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    R = rotations.matrix(a.orientation) @ T
    return lw.Frame(a.body, a.position, rotations.from_matrix(R))


@pytest.mark.parametrize("kind", PYTHON)
def test_a_card_is_the_model_in_python(read, kind):
    text = CARDS[kind][0] if kind in CARDS else TWO_ENDS if "hinge" in kind else TURNS
    deck = read(nodes=TWO, elements=BODIES + f"joint: 1, {kind}, {text};", time=".3")
    run = run_deck(deck, progress=False)
    m = lw.Model(gravity=(0, 0, -9.81))
    for n in (1, 2):
        b = deck.model[f"node {n}"]
        words = {word: getattr(b, word) for word in ("position", "orientation", "velocity")}
        m.add(f"node {n}", lw.Body(b.mass, b.inertia, angular_velocity=b.angular_velocity, **words))
    m.add("ball", lw.Spherical(lw.GROUND, m["node 1"], at=(0, 0, 0)))
    frames = [lw.Frame(m[f.body.name], f.position, f.orientation) for f in ends(deck)]
    for k, item in enumerate(PYTHON[kind](*frames)):
        m.add(f"j{k}", item)
    from inside import method_from_text

    # as in the deck, whose assembly finds velocities that the joint allows, each node weighs 1
    start = lw.assemble(m, weights={"node 1": 1.0, "node 2": 1.0})
    other = lw.transient(m, 0.3, 1e-2, method_from_text(run.info["method"]),
                         start=start, progress=False)
    for n in (1, 2):
        for word in ("position", "orientation", "velocity"):
            a, b = (getattr(r[f"node {n}"], word).values for r in (run, other))
            np.testing.assert_allclose(a, b, atol=1e-9)
    np.testing.assert_allclose(run["joint 1"].torque_world, other["j0"].torque_world, atol=1e-6)


def test_distances_are_the_models_in_python(read):
    """distance with an offset and a drive, against lw.Distance."""
    text = "joint: 1, distance, 1, position, .3, 0., .1, 2, position, -.5, .1, 0., linear, .6, .1;"
    deck = read(nodes=TWO, elements=BODIES + text, time=".3")
    item = deck.model["joint 1"]
    assert isinstance(item, lw.Distance)
    run = run_deck(deck, progress=False)
    d = Tables(deck, run).joint(deck.joints[1])[-1][:, 3]
    np.testing.assert_allclose(d, 0.6 + 0.1 * run.time, atol=1e-9)


# ------------------------------------------------------------------------- angular velocities


def test_an_angular_velocity_beside_free_rotations_is_a_row_on_velocities(read):
    text = f"""joint: 1, total joint, 1, rotation orientation, {AXES},
      2, rotation orientation, {SAME},
      orientation constraint, angular velocity, inactive, angular velocity,
      component, const, 1., inactive, sine, 0., 2., .5, forever, 0.;"""
    deck = read(nodes=TWO, elements=BODIES + text, time=".5", step="1.e-3")
    assert isinstance(deck.model["joint 1"], lw.VelocityLock)
    run = run_deck(deck, progress=False)
    w = Tables(deck, run).joint(deck.joints[1])[-1][:, 9:12]
    np.testing.assert_allclose(w[:, 0], 1, atol=1e-7)
    np.testing.assert_allclose(w[:, 2], 0.5 * np.sin(2 * run.time), atol=1e-7)


def test_a_held_rotation_beside_an_angular_velocity(read):
    text = f"""joint: 1, total joint, 1, rotation orientation, {AXES},
      2, rotation orientation, {SAME},
      orientation constraint, rotation, inactive, angular velocity,
      component, sine, 0., 2., .2, forever, 0., inactive, const, .5;"""
    deck = read(nodes=TWO, elements=BODIES + text, time=".5", step="1.e-3")
    assert [type(deck.model[name]) for name in deck.joints[1].items] == [lw.Lock, lw.VelocityLock]
    run = run_deck(deck, progress=False)
    extra = Tables(deck, run).joint(deck.joints[1])[-1]
    np.testing.assert_allclose(extra[:, 11], 0.5, atol=1e-7)
    # a law on one of two rotations turns the second marker back: no first component is left
    a, b = (rotations.matrix(run[f"node {n}"].orientation.values) for n in (1, 2))
    R = [deck.nodes[n].reference.R for n in (1, 2)]
    A = turn(0.3, 0.2, 0.1)
    relative = np.swapaxes(a @ A, 1, 2) @ b @ (R[1].T @ R[0] @ A)
    half = np.array([rotations.from_matrix(X) for X in relative])
    law = rotations.exponential(np.outer(0.2 * np.sin(2 * run.time), [-1, 0, 0]))
    left = rotations.multiply(law, half)
    np.testing.assert_allclose(left[:, 1], 0, atol=1e-8)


def test_methods_that_are_stabilised_step_without_it(read):
    text = "joint: 1, angular velocity, 1, 0., 0., 1., const, 2.;"
    deck = read(nodes=NODE, elements=BODY + text)
    deck.analysis.method = lambda: lw.Bathe(rho=0.6)
    run = run_deck(deck, progress=False)
    assert any("without stabilisation" in note for note in deck.notes)
    np.testing.assert_allclose(run["node 1"].angular_velocity[:, 2], 2, atol=1e-9)


# ------------------------------------------------------------------------------------- columns


def test_columns_of_a_gimbal(read):
    """ϑ and φ give the relative rotation back: exp(ϑ e₂) exp(φ e₁) exp(ϑ e₂)."""
    deck = read(nodes=TWO, elements=BODIES + f"joint: 1, gimbal rotation, {TURNS};", time=".5")
    run = run_deck(deck, progress=False)
    extra = Tables(deck, run).joint(deck.joints[1])[-1]
    relative = np.array([turn(*np.radians(x)) for x in extra[:, 2:5]])

    def about(k, x):
        return rotations.matrix(rotations.exponential(np.outer(x, np.eye(3)[k])))

    theta, phi = extra[:, 0], extra[:, 1]
    made = about(1, theta) @ about(0, phi) @ about(1, theta)
    np.testing.assert_allclose(made, relative, atol=1e-7)


def test_columns_in_netcdf(tmp_path):
    import h5netcdf
    from mbdyn_decks import DECKS

    deck = lw.read_deck(DECKS / "friction.mbd", environment={})
    run = lw.run_deck(deck, progress=False, t=0.05)
    lw.write_mbdyn(deck, run, tmp_path / "out")
    jnt = np.array([[float(x) for x in line.split()] for line in
                    (tmp_path / "out.jnt").read_text().splitlines() if line.split()[0] == "60"])
    with h5netcdf.File(tmp_path / "out.nc") as file:
        for name, column in (("60.fc", 19), ("60.Fb", 20)):
            np.testing.assert_allclose(file[f"elem.joint.{name}"][:], jnt[:, column], rtol=1e-5)
        assert {"elem.joint.1.MFR", "elem.joint.1.fc", "elem.joint.7.FF"} <= set(file.variables)


def test_friction_with_few_steps_written(read):
    """Every step is needed for the friction; the files have what was asked for."""
    text = """joint: 1, revolute pin, 1, position, null, position, null,
      friction, .1, preload, 5., modlugre, 1.e4, 10., 0., .7, "f", const, .3, simple;"""
    deck = read(nodes="structural: 1, dynamic, null, eye, null, 0., 0., 3.;",
                elements=BODY + text, control="output frequency: 10;")  # fmt: skip
    run = run_deck(deck, progress=False)
    tables = Tables(deck, run)
    assert len(tables.rows) == 11 and len(run) == 101
    assert tables.joint(deck.joints[1])[-1][3, 7] == pytest.approx(-0.3, rel=1e-6)


@pytest.mark.parametrize("shape, sine", [("simple", 1.0), ("simple plane hinge", 1.25**-0.5)])
def test_shapes_of_friction(read, shape, sine):
    """Manual, 9.1.6: the moment is r f |F|, or r f |F|/√(1 + f²): 0.4905 or 0.4387 N m."""
    text = f"""joint: 1, revolute pin, 1, position, null, position, null,
      friction, .1, discrete coulomb, "f", const, .5, {shape};
      joint: 2, brake, 0, position, null, 1, position, null,
      friction, .1, discrete coulomb, "g", const, .5, {shape}, 9.81;"""
    nodes = "dynamic, null, eye, null, 0., 0., 9.; structural: 0, static, null, eye, null, null;"
    rest = "joint: 3, clamp, 0, node, node; gravity: uniform, 1., 0., 0., 4.905;"  # of 2 kg
    deck = read(nodes=f"structural: 1, {nodes}", elements=BODY + rest + text)
    run = run_deck(deck, progress=False)
    for name in ("friction of joint 1", "friction of joint 2"):
        assert float(run[name].torque[-1]) == pytest.approx(-0.4905 * sine, rel=1e-6)


# -------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(("text", "words"), [
    ("revolute pin, 1, position, null, position, null, friction, 1.;",
     "expected a friction model, found the end"),
    ('revolute pin, 1, position, null, position, null, friction, .1, coulomb, "f", simple;',
     r"friction model 'coulomb' is not supported \(near it: discrete coulomb"),
    ('revolute pin, 1, position, null, position, null, friction, 0., modlugre;',
     "radius of the friction must be positive"),
    ('revolute pin, 1, position, null, position, null, friction, .1, discrete coulomb, "f", '
     "screw joint, radius, 1., half thread angle, 0.;", "does not go with this joint"),
    ('spherical pin, 1, position, null, position, null, friction, .1, discrete coulomb, "f", '
     "simple;", "friction is part of revolute and plane hinges"),
    ('revolute pin, 1, position, null, position, null, friction, .1, discrete coulomb, "g", const, '
     "-.1, simple;", "friction coefficient must be positive"),
    ("beam slider, 1, null, 1;", "expected the label of a beam, found the end"),
    ("beam slider, 1, null, 1, 7, null, null, null;", "there is no beam 7 before this card"),
    ("beam slider, 1, null, type, spline, 1;", "spline slider is not part of MBDyn either"),
    ("point contact, 1, 1, 0., 0., 1., 10.;", "needs contact"),
    ("coincidence, 1, 1;", "is not part of MBDyn either"),
    ("strapdown sensor, 1, acceleration, null;", "needs its angular velocity as well"),
    ("rigid body displacement joint, 1, 2, 1, 1;", "at least three others"),
    ("angular velocity, 1, 0., 0., 0., const, 1.;", "must be finite and not zero"),
])  # fmt: skip
def test_what_is_refused(read, text, words):
    function = 'scalar function: "f", const, .2;'
    with pytest.raises(MbdynError, match=words):
        read(nodes=NODE, before=function, elements=BODY + f"joint: 1, {text}")


@pytest.mark.parametrize(("text", "words"), [
    ('spherical hinge, 1, 2, friction, .1, discrete coulomb, "f", simple;',
     r"near it: discrete coulomb 2D"),
    ('spherical hinge, 1, 2, friction, .1, discrete coulomb 2D, "f", simple;',
     "a shape function, one of simple 2D"),
    ('spherical hinge, 3, 2, friction, .1, discrete coulomb 2D, "f", simple 2D;',
     "needs nodes that turn"),
    ('revolute rotation, 1, 2, friction, .1, discrete coulomb, "f", simple;', "holds no point"),
    ('universal hinge, 1, null, 2, null, friction, .1, discrete coulomb, "f", simple;',
     "not of this joint"),
])  # fmt: skip
def test_friction_that_is_refused(read, text, words):
    nodes = NODE + """ structural: 2, static, null, eye, null, null;
      structural: 3, dynamic displacement, null, null;"""
    with pytest.raises(MbdynError, match=words):
        read(nodes=nodes, before='scalar function: "f", const, .2;',
             elements=BODY + f"body: 3, 3, 1.; joint: 1, {text}")


def test_a_friction_function_that_falls_below_zero_is_held(read):
    text = """joint: 1, revolute pin, 1, position, null, position, null,
      friction, .1, preload, 5., discrete coulomb, "f", multilinear, 0., .4, 1., .2, end, simple;"""
    deck = read(nodes=NODE, elements=BODY + text)
    model = deck.model["friction of joint 1"].model
    assert 0 < model.mu < 0.2 and model.curve[0][-1] < 2
    assert any("not positive above" in note for note in deck.notes)


def test_a_stop_on_a_joint_of_a_deck(read):
    """MBDyn's joints have no limits; linkwork's stops go on joints that were read."""
    deck = read(nodes="structural: 1, dynamic, null, eye, null, 0., 0., 4.;", time="1.",
                step="1.e-4", elements=BODY + "joint: 1, revolute pin, 1, position, null, "
                "position, null;")  # fmt: skip
    deck.model.add("stop", lw.Stop(deck.model["joint 1"], upper=0.5, stiffness=1e5))
    run = run_deck(deck, progress=False)
    deep = (2.5 * 16 / (2 * 1e5)) ** 0.4  # where the spring has taken ½ J ω²
    assert run["joint 1"].angle.values.max() == pytest.approx(0.5 + deep, rel=1e-3)
