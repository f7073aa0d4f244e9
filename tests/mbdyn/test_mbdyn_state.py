"""Decks in which loads follow the motion, and nodes and masses of further kinds."""

from __future__ import annotations

import numpy as np
from mbdyn_decks import ran, same
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwork as lw
from linkwork.extend import rotations

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
    # clamp 51 and distance 62: what the nodes exert on them, −m ẍ of the mass on node 6
    reactions = np.loadtxt(paths[".gen"]).reshape(len(run), 2, 2)
    np.testing.assert_array_equal(reactions[0, :, 0], [51, 62])
    pulled = -2.0 * 0.5 * PI**2 * np.cos(PI * run.time)
    np.testing.assert_allclose(reactions[2:, :, 1], pulled[2:, None] * np.ones(2), atol=2e-3)
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
    from inside import COUPLES, DRIVES, FORCES, FUNCTIONS, Source, squeeze
    from mbdyn_decks import DECKS

    from linkwork.io.mbdyn.cards.nodes import KINDS, NODES
    from linkwork.io.mbdyn.drives.readings import FUNCTIONS as MODEL
    from linkwork.io.mbdyn.scalars.genels import GENELS

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
