"""What drives of a deck read: data of nodes and joints, functions of the model; further drives."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_text import deck_text, value_of

import linkwork as lw
from linkwork.extend import rotations

DATA = [
    ("X[2]", lambda x, R, v, w: x[1]), ("x[2]", lambda x, R, v, w: (R.T @ x)[1]),
    ("XP[3]", lambda x, R, v, w: v[2]), ("xP[3]", lambda x, R, v, w: (R.T @ v)[2]),
    ("Omega[1]", lambda x, R, v, w: w[0]), ("omega[1]", lambda x, R, v, w: (R.T @ w)[0]),
    ("Phi[2]", lambda x, R, v, w: rotations.logarithm(rotations.from_matrix(R))[1]),
    ("PE[0]", lambda x, R, v, w: rotations.from_matrix(R)[0]),
    ("PE[3]", lambda x, R, v, w: rotations.from_matrix(R)[3]),
]  # fmt: skip


def two_nodes(tmp_path, drive, more=""):
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        """structural: 1, dynamic, .3, -.2, .5, euler123, .4, -.3, .8, .1, .2, .3, .5, -.6, .7;
           structural: 2, dynamic, 1., .2, -.3, euler321, .1, .5, -.2, .4, 0., -.1, .2, .1, -.3;
           structural: 3, dummy, 1, offset, .1, .2, .3, euler123, .3, 0., 0.;""",
        f"""body: 1, 1, 2., .1, .2, .3, eye; body: 2, 2, 1., null, eye; {more}
            force: 1, absolute, 1, 1., 0., 0., {drive};""",
    ))  # fmt: skip
    return lw.read_deck(path)


@pytest.mark.parametrize(("name", "expected"), DATA, ids=[name for name, _ in DATA])
def test_data_of_nodes(tmp_path, name, expected):
    deck = two_nodes(tmp_path, f'node, 1, structural, string, "{name}", linear, 1., 2.')
    x, R, v, w = deck.nodes[1].reference
    assert value_of(deck, name) == pytest.approx(1 + 2 * expected(x, R, v, w), abs=1e-12)


@pytest.mark.parametrize(("kind", "given"), [
    ("E", (".4, -.3, .8", "euler123")), ("E313", (".4, .6, .8", "euler313")),
    ("E321", (".4, -.3, .8", "euler321")),
])  # fmt: skip
def test_angles_of_nodes(tmp_path, kind, given):
    """What the orientation was made of."""
    for i in (1, 2, 3):
        path = tmp_path / "deck.mbd"
        path.write_text(deck_text(
            f"structural: 1, dynamic, null, {given[1]}, {given[0]}, null, null;",
            f'body: 1, 1, 2., null, eye; force: 1, absolute, 1, 1., 0., 0., '
            f'string, "model::node::structural(1, \\"{kind}[{i}]\\")";',
        ))  # fmt: skip
        angle = float(given[0].split(",")[i - 1])
        assert value_of(lw.read_deck(path), kind) == pytest.approx(angle, abs=1e-12)


def norms(x):
    return float(np.linalg.norm(x)), float(x @ x), *map(float, x)


def test_functions_of_the_model(tmp_path):
    deck = two_nodes(tmp_path, "const, 1.")
    (x, R, v, w), (X, S, V, W) = (deck.nodes[n].reference for n in (1, 2))
    expected = {}
    for word, one, two in (
        ("position distance", x, X - x), ("velocity vrel", v, V - v), ("angvel angvrel", w, W - w),
    ):
        for name, value, labels in zip(word.split(), (one, two), ("1", "1, 2")):
            names = (name, f"{name}2", *(f"{n}{name}" for n in "xyz"))
            expected |= {f"model::{n}({labels})": y for n, y in zip(names, norms(value))}
    turns = {"angle(1)": R, "anglerel(1, 2)": R.T @ S}
    for call, Q in turns.items():
        phi = rotations.logarithm(rotations.from_matrix(Q))
        expected[f"model::{call}"] = np.linalg.norm(phi)
        expected |= {f"model::{n}{call}": y for n, y in zip("xyz", phi)}
    unit = (X - x) / np.linalg.norm(X - x)
    expected |= {f"model::{n}unitvec(1, 2)": y for n, y in zip("xyz", unit)}
    for text, y in expected.items():
        deck = two_nodes(tmp_path, f'string, "2*{text} + Time"')
        assert value_of(deck, text) == pytest.approx(2 * y, abs=1e-12), text


def test_data_of_joints(tmp_path):
    """Relative motion in the axes of the first node."""
    joint = """joint: 5, deformable displacement joint, 1, position, .1, 0., 0., 2, position, null,
        linear elastic isotropic, 0.;
        joint: 6, deformable hinge, 1, 2, linear elastic isotropic, 0.;
        joint: 7, rod, 1, 2, 1., linear elastic, 0.;"""
    deck = two_nodes(tmp_path, "const, 1.", joint)
    (x, R, v, w), (X, S, V, W) = (deck.nodes[n].reference for n in (1, 2))
    arm = R @ (0.1, 0, 0)
    d = X - x - arm
    dv = V - v - np.cross(w, arm)
    phi = rotations.logarithm(rotations.from_matrix(R.T @ S))
    e = (X - x) / np.linalg.norm(X - x)
    expected = {
        (5, "dy"): (R.T @ d)[1], (5, "vz"): (R.T @ (dv - np.cross(w, d)))[2], (6, "rx"): phi[0],
        (6, "wy"): (R.T @ (W - w))[1], (7, "L"): np.linalg.norm(X - x), (7, "LPrime"): e @ (V - v),
    }  # fmt: skip
    for (label, name), y in expected.items():
        deck = two_nodes(tmp_path, f'element, {label}, joint, string, "{name}", direct', joint)
        assert value_of(deck, name) == pytest.approx(y, abs=1e-12), name


def test_momentum_dummy_node_and_index(tmp_path):
    deck = two_nodes(tmp_path, 'element, 1, automatic structural, string, "beta[2]", direct')
    x, R, v, w = deck.nodes[1].reference
    p = 2 * (v + np.cross(w, R @ (0.1, 0.2, 0.3)))
    assert value_of(deck, "") == pytest.approx(p[1], abs=1e-12)
    deck = two_nodes(tmp_path, 'node, 3, structural, string, "X[1]", direct')
    assert value_of(deck, "") == pytest.approx((x + R @ (0.1, 0.2, 0.3))[0], abs=1e-12)
    deck = two_nodes(tmp_path, "node, 1, structural, index, 3, direct")
    assert value_of(deck, "") == pytest.approx(x[2], abs=1e-12)


def test_steps_and_marks(tmp_path):
    """step5 is smooth at its ends; closest next marks the first step on or after each time."""
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        "structural: 1, dynamic, null, eye, null, null;",
        """body: 1, 1, 2., null, eye;
           force: 1, absolute, 1, 1., 0., 0., step5, .2, 1., .6, 3.;
           force: 2, absolute, 1, 1., 0., 0., closest next, .1, .8, .25;
           force: 3, absolute, 1, 1., 0., 0., string, "step(Time - .5) + par(Time - .5)";""",
    ))  # fmt: skip
    deck = lw.read_deck(path)
    t = np.arange(101) * 0.01
    rise, marks, jump = (deck.forces[n].terms[0][1] for n in (1, 2, 3))
    xi = np.clip((t - 0.2) / 0.4, 0, 1)
    np.testing.assert_allclose(rise.values(t), 1 + 2 * xi**3 * (10 - 15 * xi + 6 * xi**2))
    np.testing.assert_allclose(rise.jet(np.array([0.2, 0.6]))[:, 1:], 0, atol=1e-12)
    np.testing.assert_array_equal(np.flatnonzero(marks.values(t)), [10, 35, 60])
    np.testing.assert_allclose(jump.values(np.array([0.4, 0.5, 1.5])), [0, 0.5, 2])
