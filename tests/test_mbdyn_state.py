"""Decks in which loads follow the motion, and nodes, masses and frames of further kinds."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_text import deck_text
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from test_mbdyn_decks import ran, same

import linkwork as lw
from linkwork.math import rotations

PI = np.pi


def damped(t, K=50.0, C=4.0, M=2.0, x0=0.1):
    w0, s = np.sqrt(K / M), C / (2 * M)
    w = np.sqrt(w0**2 - s**2)
    return x0 * np.exp(-s * t) * (np.cos(w * t) + s / w * np.sin(w * t))


def test_servo():
    """Six ways to write m ẍ = −k x − c ẋ, one of them about an axis: all swing alike."""
    deck, run, tables = ran("servo")
    exact = damped(run.time)
    for label in (1, 2, 3, 4, 6):
        np.testing.assert_allclose(tables.node(label)[:, 0], exact, atol=2e-6, err_msg=str(label))
    np.testing.assert_allclose(np.radians(tables.node(5)[:, 5]), exact, atol=2e-6)
    m = lw.Model()
    body = m.add("node 1", lw.Body(2, (0, 0, 0), position=(0.1, 0, 0)))
    m.add("hold", lw.Align(lw.GROUND, body))
    for word, k in (("position", -50.0), ("velocity", -4.0)):
        m.add(word, lw.Force(body, (1, 0, 0), drive=k * lw.reads(body, word, "x")))
    same(run, m)
    # the springs' forces in the .frc file: m ẍ
    F = tables.force(deck.forces[3])[0][:, 0]
    np.testing.assert_allclose(F, -50 * exact - 4 * tables.node(2)[:, 6], atol=2e-4)
    F, M, _ = tables.force(deck.forces[6])
    np.testing.assert_allclose(M[:, 2], -50 * exact, atol=2e-4)


def test_abstract_nodes():
    deck, run, tables = ran("abstract_nodes")
    t = run.time
    x = {n: tables.scalar(deck.scalars["abstract", n]) for n in range(1, 9)}
    # 1: about 10/50, from 0.1
    np.testing.assert_allclose(x[1][:, 0], 0.2 + damped(t, C=3.0, x0=-0.1), atol=3e-6)
    # 2, 3: their mean rests, their difference swings at √(2 k/m)
    np.testing.assert_allclose(x[2][:, 0] + x[3][:, 0], 0.2, atol=1e-12)
    gap = 0.2 * np.cos(np.sqrt(50) * t)
    np.testing.assert_allclose(x[2][:, 0] - x[3][:, 0], gap, atol=2e-5)
    # 4: a function; the body follows it and the parameter 2.5, and falls along x
    np.testing.assert_allclose(x[4], np.stack([2 * np.sin(PI * t), 2 * PI * np.cos(PI * t)], 1),
                               atol=1e-12)  # fmt: skip
    way = (1.25 * t**2 + 2 / PI * t - 2 / PI**2 * np.sin(PI * t)) / 2 + 9.81 * t**2 / 2
    np.testing.assert_allclose(tables.node(10)[:, 0], way, atol=1e-5)
    # 5, 6: imposed
    wave = 0.5 * (1 - np.cos(PI * t))
    np.testing.assert_allclose(x[5][:, 0], wave, atol=1e-12)
    np.testing.assert_allclose(x[6][:, 0], wave + 0.5, atol=1e-12)
    np.testing.assert_allclose(x[6][:, 1], 0.5 * PI * np.sin(PI * t), atol=2e-6)  # h² π³/12
    # 7, 8: (m + t/2) ẍ = −k x, and m ÿ = k x
    reference = solve_ivp(
        lambda s, y: [y[1], -50 * y[0] / (2 + 0.5 * s), y[3], 25 * y[0]], (0, 2),
        [0.1, 0.3, 0, 0], t_eval=t, rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    np.testing.assert_allclose(x[7][:, 0], reference.y[0], atol=2e-5)
    np.testing.assert_allclose(x[8][:, 0], reference.y[2], atol=2e-5)


def test_abstract_nodes_are_written(tmp_path):
    deck, run, tables = ran("abstract_nodes")
    paths = {p.suffix: p for p in lw.write_mbdyn(deck, run, tmp_path / "deck")}
    rows = np.loadtxt(paths[".abs"]).reshape(len(run), 8, 3)
    np.testing.assert_array_equal(rows[0, :, 0], range(1, 9))
    np.testing.assert_allclose(rows[:, 0, 1:], tables.scalar(deck.scalars["abstract", 1]),
                               rtol=1e-11)  # fmt: skip
    np.testing.assert_allclose(np.loadtxt(paths[".prm"]), [[9, 2.5]] * len(run))
    forces = paths[".frc"].read_text().splitlines()[:5]
    assert [line.split()[:2] for line in forces] == [
        ["1", "1"], ["2", "2"], ["4", "4"], ["10", "10"], ["8", "8"],
    ]  # fmt: skip
    assert [len(line.split()) for line in forces] == [3, 5, 3, 8, 3]
    import h5netcdf

    with h5netcdf.File(paths[".nc"]) as file:
        np.testing.assert_allclose(file["node.abstract.4.X"][:], 2 * np.sin(PI * run.time),
                                   atol=1e-12)  # fmt: skip


def test_rocket():
    """v = V ln(m₀/m) − g t less the shift of the centre of mass; ω by the inertia that is kept."""
    _, run, tables = ran("rocket")
    t, q, V, g = run.time, 5.0, 800.0, 9.81
    m, shell = 40 - q * t, 10.0
    # (M + m) v̇ + m c̈ = thrust − weight, c = −1 + t/10: c̈ = 0
    v = V * np.log(50 / (shell + m)) - g * t
    node = tables.node(1)
    np.testing.assert_allclose(node[:, 8], v, rtol=1e-6, atol=1e-4)
    # (0.5 + 2 − 0.2 t + 1 + t/2) ω̇ + ω/2 = 0
    J = lambda s: 3.5 + 0.3 * s  # noqa: E731
    w = 2 * (J(0) / J(t)) ** (0.5 / 0.3)
    np.testing.assert_allclose(node[:, 11], w, rtol=1e-6)
    b = lw.Model(gravity=(0, 0, -g))
    ship = b.add("node 1", lw.Body(shell, (2, 2, 0.5), angular_velocity=(0, 0, 2)))
    line = lw.polynomial
    b.add("fuel", lw.VariableMass(ship, line([40, -q]), (0, 0, line([-1, 0.1])),
                                  (line([4, -0.5]), line([4, -0.5]), line([2, -0.2])),
                                  (0, 0, line([1, 0.5]))))  # fmt: skip
    b.add("thrust", lw.Force(ship, (0, 0, q * V), follower=True))
    same(run, b)
    # momentum and its rate in the .ine file: that of the shell, and of fuel that moves in it
    beta, gamma, rate, turning = tables.momentum(1)
    np.testing.assert_allclose(beta[:, 2], shell * v + m * (v + 0.1), rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(rate[1:-1, 2], np.gradient(beta[:, 2], t)[1:-1], rtol=1e-4)
    np.testing.assert_allclose(gamma[:, 2], J(t) * w, rtol=1e-6)
    np.testing.assert_allclose(turning[1:-1, 2], np.gradient(gamma[:, 2], t)[1:-1], rtol=1e-3)


def test_orbit():
    """Kepler's equation E − e sin E = n t."""
    _, run, tables = ran("orbit")
    mu, a, e = 3.986004418e14, 8e6, 0.15
    n = np.sqrt(mu / a**3)
    E = np.array([brentq(lambda E, t=t: E - e * np.sin(E) - n * t, -1, 8) for t in run.time])
    x = a * np.stack([np.cos(E) - e, np.sqrt(1 - e**2) * np.sin(E)], axis=1)
    np.testing.assert_allclose(tables.node(1)[:, :2], x, atol=1.0)  # m, of 8000 km
    np.testing.assert_allclose(run.energy.total, -mu * 100 / (2 * a), rtol=1e-9)
    m = lw.Model()
    speed = np.sqrt(mu / a * (1 + e) / (1 - e))
    body = m.add("node 1", lw.Body(100, (10, 20, 25), position=(a * (1 - e), 0, 0),
                                   velocity=(0, speed, 0)))  # fmt: skip
    m.add("earth", lw.CentralGravity(body, mu))
    same(run, m, atol=1e-3)


def test_turning_frame():
    """x = R₀ᵀ(X − X₀) of the free fall X, seen from an origin that accelerates."""
    _, run, tables = ran("turning_frame")
    t, W, g = run.time, 1.5, 9.81
    X = np.stack([1 - t**2, 0 * t, -g * t**2 / 2], axis=1)  # less the way of the origin, 2 t²/2
    R = rotations.matrix(rotations.exponential(np.outer(t, (0, W, 0))))
    exact = np.einsum("tji,tj->ti", R, X)
    node = tables.node(1)
    np.testing.assert_allclose(node[:, :3], exact, atol=1e-5)
    np.testing.assert_allclose(np.radians(node[:, 4]), -W * t, atol=1e-6)  # does not turn


@pytest.mark.parametrize(
    "kinematics",
    ["const, angular velocity, 0., 1.5, 0.",
     "drive, angular velocity, 0., 1., 0., const, 1.5",
     "drive, angular velocity, 0., 3., 0., const, .5, angular acceleration, null",
     "drive, orientation, 0., 1.5, 0., time, angular velocity, 0., 1.5, 0., unit"],
)  # fmt: skip
def test_forms_of_rigid_body_kinematics(tmp_path, kinematics):
    """Gravity across the axis turns in the frame, however its rotation is given."""
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        "structural: 1, dynamic, 1., 0., 0., eye, 0., 0., 1.5, 0., -1.5, 0.;",
        "body: 1, 1, 2., null, diag, 1., 2., 1.5; gravity: 0., 0., -1., const, 9.81;",
        control=f"rigid body kinematics: {kinematics};", time="1.", step="1.e-3",
    ))  # fmt: skip
    deck = lw.read_deck(path)
    run = lw.run_deck(deck, progress=False)
    t = run.time
    X = np.stack([1 + 0 * t, 0 * t, -9.81 * t**2 / 2], axis=1)
    R = rotations.matrix(rotations.exponential(np.outer(t, (0, 1.5, 0))))
    exact = np.einsum("tji,tj->ti", R, X)
    np.testing.assert_allclose(run["node 1"].position.values, exact, atol=3e-5)


def test_gravity_in_a_frame_that_is_turned_once(tmp_path):
    """A constant orientation R₀ turns gravity, too: R₀ᵀg."""
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        "structural: 1, dynamic, null, eye, null, null;",
        "body: 1, 1, 2., null, eye; gravity: 0., 0., -1., const, 9.81;",
        control="rigid body kinematics: const, orientation, euler123, pi/2., 0., 0.;",
    ))  # fmt: skip
    np.testing.assert_allclose(lw.read_deck(path).model.gravity, (0, -9.81, 0), atol=1e-14)


def test_observers():
    """Dummy nodes: at an offset, seen from another node, and put on a third."""
    _, run, tables = ran("observers")
    t = run.time

    def spin(w):
        return rotations.matrix(rotations.exponential(np.outer(t, (0, 0, w))))

    def turn(R, v):
        return np.einsum("tij,j->ti", R, np.asarray(v, float))

    x = np.stack([1 + 0 * t, 0.5 * t, 0 * t], axis=1)
    node = tables.node(11)
    np.testing.assert_allclose(node[:, :3], x + turn(spin(2), (0, 2, 0)), atol=1e-5)
    v = turn(spin(2), np.cross((0, 0, 2), (0, 2, 0))) + (0, 0.5, 0)
    np.testing.assert_allclose(node[:, 6:9], v, atol=1e-5)
    # seen from node 2, which turns with 1 rad/s, in axes turned by 90° and one up
    Q = rotations.matrix(rotations.exponential(np.array([0, 0, PI / 2])))
    F = spin(1) @ Q
    node = tables.node(12)
    seen = np.einsum("tji,tj->ti", F, x - (0, 0, 1))
    np.testing.assert_allclose(node[:, :3], seen, atol=1e-5)
    rate = np.einsum("tji,tj->ti", F, (0, 0.5, 0) - np.cross((0, 0, 1), x))
    np.testing.assert_allclose(node[:, 6:9], rate, atol=1e-5)
    np.testing.assert_allclose(node[:, 9:12], [[0, 0, 1]] * len(t), atol=1e-6)
    # the same motion in the axes of node 2 put on node 3, which is turned by 90°
    node = tables.node(13)
    relative = np.einsum("tji,tj->ti", spin(1), x)
    np.testing.assert_allclose(node[:, :3], (relative + (1, 0, 0)) @ Q.T + (0, 0, 5), atol=1e-5)
    # nodes that cannot turn have zeros for their angles
    for label, place in ((4, (2, 0, 1)), (5, (3, 0, 0))):
        np.testing.assert_allclose(tables.node(label)[-1, :3], place, atol=1e-9)
        assert not np.any(tables.node(label)[:, [3, 4, 5, 9, 10, 11]])
    assert len(tables.run["node 3"].position) == len(t)


# ------------------------------------------------------------------------------ single readings

DATA = [
    ("X[2]", lambda x, R, v, w: x[1]), ("x[2]", lambda x, R, v, w: (R.T @ x)[1]),
    ("XP[3]", lambda x, R, v, w: v[2]), ("xP[3]", lambda x, R, v, w: (R.T @ v)[2]),
    ("Omega[1]", lambda x, R, v, w: w[0]), ("omega[1]", lambda x, R, v, w: (R.T @ w)[0]),
    ("Phi[2]", lambda x, R, v, w: rotations.logarithm(rotations.from_matrix(R))[1]),
    ("PE[0]", lambda x, R, v, w: rotations.from_matrix(R)[0]),
    ("PE[3]", lambda x, R, v, w: rotations.from_matrix(R)[3]),
]  # fmt: skip


def value_of(deck, text):
    """A drive of a deck, as the model is described."""
    from linkwork.results.result import Result
    from linkwork.results.stored import signal_values

    system = lw.compile_model(deck.model)
    state = system.described_state()
    run = Result(system, [0.0], state.motion[None], np.zeros((1, system.bodies, 6)),
                 np.zeros((1, len(system.all_rows))), info={"method": "none"})  # fmt: skip
    return float(signal_values(run, deck.forces[1].terms[0][1])[0])


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


def test_internal_loads():
    """Two bodies on a line: −F, and (0, 0, −F t) by axes turned onto it; opposite turns."""
    deck, run, tables = ran("internal_loads")
    t, F, T = run.time, 3.0, 0.5
    push = -F * t**2 / 2 - F * t**3 / 6  # ∬ of −F − F t
    for label, mass, sign, place, J in ((1, 2, 1, 0, 0.3), (2, 4, -1, 2, 0.6)):
        node = tables.node(label)
        np.testing.assert_allclose(node[:, 2], place + sign * push / mass, atol=2e-5)
        np.testing.assert_allclose(node[:, 11], sign * T / J * t, atol=1e-9)
    late = np.maximum(t - 1, 0)
    np.testing.assert_allclose(tables.node(3)[:, 1], -F * late**2 / 2, atol=7e-3)  # a jump at t = 1
    np.testing.assert_allclose(tables.node(4)[:, 1] - 3, F * late**2 / 4, atol=4e-3)
    np.testing.assert_allclose(tables.node(3)[:, 0], 5 + F * t**2 / 2, atol=1e-9)
    F3, M3, _ = tables.force(deck.forces[3])
    np.testing.assert_allclose(F3[:, 2], -F * t, atol=1e-9)
    np.testing.assert_allclose(M3, 0, atol=1e-12)
    m = lw.Model()
    a = m.add("node 1", lw.Body(2, [0.3] * 3))
    b = m.add("node 2", lw.Body(4, [0.6] * 3, position=(0, 0, 2)))
    m.add("line", lw.ForcePair(a, b, (0, 0, -1), drive=F + lw.ramp(F), follower=True, apart=True))
    m.add("twist", lw.ForcePair(a, b, torque=(0, 0, T), follower=True, apart=True))
    same(run, m)


def test_decks_use_every_drive_function_node_genel_and_force():
    """Each keyword of these tables stands in some deck of examples/mbdyn."""
    from test_mbdyn_decks import DECKS

    from linkwork.io.mbdyn.drive_cards import DRIVES
    from linkwork.io.mbdyn.forces import COUPLES, FORCES
    from linkwork.io.mbdyn.genels import GENELS
    from linkwork.io.mbdyn.nodes import KINDS, NODES
    from linkwork.io.mbdyn.readings import FUNCTIONS as MODEL
    from linkwork.io.mbdyn.scalar_functions import FUNCTIONS
    from linkwork.io.mbdyn.text import Source, squeeze

    words, names, text = set(), set(), ""
    for path in (*DECKS.glob("*.mbd"), *DECKS.glob("*.set")):
        text += path.read_text()
        for statement in Source(path.read_text(), path.name).statements():
            names.add(statement.name)
            words |= {squeeze(word) for word in statement.arguments}
    tables = {"drive": DRIVES, "scalar function": FUNCTIONS, "genel": GENELS, "force": FORCES,
              "couple": COUPLES, "node": set(KINDS) - {"modal"}}  # fmt: skip
    for kind, table in tables.items():
        missing = sorted(name for name in table if squeeze(name) not in words)
        assert not missing, f"no deck has the {kind} {', '.join(missing)}"
    assert {squeeze(name) for name in NODES} <= names
    assert any(f"model::{name}(" in text for name in MODEL)
