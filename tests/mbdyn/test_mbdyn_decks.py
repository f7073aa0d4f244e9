"""Mechanisms in examples/mbdyn: each deck equals its model built in Python, and a closed form.

The decks of drives, loads, joints, laws and moving frames are tested in files of their own.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from mbdyn_decks import DECKS, PI, G, ran, same
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.extend import rotations


def test_compound_pendulum():
    """Swings as sin(θ/2) = k sn(K(k²) − ω t, k²), k = sin(θ₀/2), ω² = m g b/J = 3 g/(2 L)."""
    deck, run, tables = ran("compound_pendulum")
    L, M, theta0 = 1.2, 3.0, PI / 3
    m = lw.Model(gravity=(0, 0, -G))
    R = lw.read_deck(DECKS / "compound_pendulum.mbd").nodes[1].reference.R
    rod = m.add("node 1", lw.Body(
        M, (M * L**2 / 12, M * L**2 / 12, 1e-4), position=R @ (0, 0, -L / 2), orientation=R))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    other = same(run, m)
    k = np.sin(theta0 / 2)
    sn = ellipj(ellipk(k**2) - np.sqrt(1.5 * G / L) * run.time, k**2)[0]
    theta = 2 * np.arcsin(k * sn)
    # the deck's step resolves the period to h² ω²/12 of a radian a second
    np.testing.assert_allclose(-tables.node(1)[:, 4], theta, atol=2e-5)
    np.testing.assert_allclose(tables.node(1)[:, :3], 0, atol=1e-12)  # the node is at the pin
    jnt = np.hstack(tables.joint(deck.joints[1]))
    np.testing.assert_allclose(jnt[:, 6:9], -other["pin"].force_world.values, atol=1e-6)
    # the pin carries the weight and the centripetal force where the rod passes the vertical
    low = int(np.argmin(np.abs(theta)))
    force = M * G * (1 + 1.5 * (1 - np.cos(theta0)))
    assert jnt[low, 8] == pytest.approx(-force, rel=1e-4)  # what the rod does to the pin


def test_conical_pendulum():
    """Goes round at ω = √(g/(L cos α)) in its plane; the string pulls with m g/cos α."""
    deck, run, tables = ran("conical_pendulum")
    L, cone, mass = 2.0, np.radians(25), 0.5
    R, H, w = L * np.sin(cone), L * np.cos(cone), np.sqrt(G / (L * np.cos(cone)))
    m = lw.Model(gravity=(0, 0, -G))
    ball = m.add("node 2", lw.Body(
        mass, (0, 0, 0), position=(R, 0, -H), velocity=(0, R * w, 0)))
    m.add("string", lw.Distance(lw.GROUND, ball))
    m.add("hold", lw.Align(lw.GROUND, ball))
    same(run, m)
    x = tables.node(2)[:, :3]
    t = run.time
    exact = np.stack([R * np.cos(w * t), R * np.sin(w * t), np.full_like(t, -H)], axis=1)
    np.testing.assert_allclose(x, exact, atol=1e-5)
    jnt = np.hstack(tables.joint(deck.joints[2]))
    np.testing.assert_allclose(jnt[1:, 1 - 1], mass * G / np.cos(cone), rtol=1e-5)
    np.testing.assert_allclose(jnt[:, -1], L, rtol=1e-12)
    assert np.all(tables.node(2)[:, 3:6] == 0)


def test_slider_crank():
    """x = r cos φ + √(l² − r² sin² φ), φ = ω t."""
    deck, run, tables = ran("slider_crank")
    r, l, w = 0.1, 0.3, 20.0
    m = lw.Model()
    crank = m.add("node 1", lw.Body(1, (1e-4, 1e-3, 1e-3), position=(r / 2, 0, 0),
                                    velocity=(0, 0, -w * r / 2), angular_velocity=(0, w, 0)))
    rod = m.add("node 2", lw.Body(2, (1e-4, 1.5e-2, 1.5e-2), position=(r + l / 2, 0, 0)))
    slider = m.add("node 3", lw.Body(3, (1e-3, 1e-3, 1e-3), position=(r + l, 0, 0)))
    y = (0, 1, 0)
    m.add("motor", lw.Motor(lw.GROUND, crank, at=(0, 0, 0), axis=y, angle=lw.ramp(w)))
    m.add("pin", lw.Revolute(crank, rod, at=(r, 0, 0), axis=y))
    m.add("ball", lw.Spherical(rod, slider, at=(r + l, 0, 0)))
    m.add("plane", lw.PointOnPlane(lw.GROUND, slider, at=(r + l, 0, 0)))
    m.add("hold", lw.Align(lw.GROUND, slider))
    same(run, m)
    phi = w * run.time
    x = r * np.cos(phi) + np.sqrt(l**2 - (r * np.sin(phi)) ** 2)
    np.testing.assert_allclose(tables.node(3)[:, 0], x, atol=1e-12)
    hinge = np.hstack(tables.joint(deck.joints[2]))
    turned = np.radians(hinge[:, 14])  # column 16 of the file: the angle about axis 3
    np.testing.assert_allclose(np.exp(1j * turned), np.exp(1j * phi), atol=1e-12)


def test_hooke_joint():
    """tan(out) cos β = tan(in): the arms Rx(φ) e₃ and Q Rx(ψ) e₂ stay perpendicular."""
    _, run, tables = ran("hooke_joint")
    beta, w = PI / 6, 2 * PI
    Q = lw.read_deck(DECKS / "hooke_joint.mbd").references[2].R
    m = lw.Model()
    a = m.add("node 1", lw.Body(1, (0.1, 0.2, 0.2), angular_velocity=(w, 0, 0)))
    b = m.add("node 2", lw.Body(1, (0.1, 0.2, 0.2), orientation=Q,
                                angular_velocity=(w / np.cos(beta), 0, 0)))
    m.add("in", lw.Motor(lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 0), angle=lw.ramp(w)))
    m.add("out", lw.Revolute(lw.GROUND, b, at=(0, 0, 0), axis=Q[:, 0]))
    m.add("cross", lw.Orthogonal(a, b, axis_a=(0, 0, 1), axis_b=(0, 1, 0)))
    same(run, m)
    R = Q.T @ tables.motion(2).R
    out = np.unwrap(np.arctan2(R[:, 2, 1], R[:, 1, 1]))
    phi = w * run.time
    error = np.cos(beta) * np.cos(phi) * np.sin(out) - np.sin(phi) * np.cos(out)
    np.testing.assert_allclose(error, 0, atol=1e-10)
    assert np.abs(out - phi).max() > 0.05
    assert out[-1] == pytest.approx(4 * PI, abs=1e-9)


def test_damped_oscillator():
    """x = e^(−δ t) (a cos ω t + δ a/ω sin ω t), ω² = k/m − δ², δ = c/2m."""
    deck, run, tables = ran("damped_oscillator")
    mass, k, c = 2.0, 200.0, 3.0
    m = lw.Model()
    for name, at, row, other in (("node 2", (1.1, 0, 0), "x", "y z"),
                                 ("node 3", (0, 0, 1), "z", "x y")):
        body = m.add(name, lw.Body(mass, (1, 1, 1), position=at))
        m.add(f"spring of {name}", lw.Spring(
            lw.GROUND, body, stiffness=k, damping=c, length=1, preload=5 * (row == "z")))
        m.add(f"guide of {name}", lw.Lock(
            lw.GROUND, body, at=at, rows=f"{other} rx ry rz"))
    same(run, m)
    delta = c / (2 * mass)
    w = np.sqrt(k / mass - delta**2)

    def swing(a, t):
        return np.exp(-delta * t) * a * (np.cos(w * t) + delta / w * np.sin(w * t))

    np.testing.assert_allclose(tables.node(2)[:, 0] - 1, swing(0.1, run.time), atol=2e-6)
    rest = 5 / k  # the prestress of 5 N shortens the second rod
    np.testing.assert_allclose(tables.node(3)[:, 2], 1 - rest + swing(rest, run.time), atol=1e-6)
    jnt = np.hstack(tables.joint(deck.joints[2]))
    x, v = tables.node(2)[:, 0], tables.node(2)[:, 6]
    np.testing.assert_allclose(jnt[:, 0], k * (x - 1) + c * v, atol=1e-9)  # the tension
    np.testing.assert_allclose(jnt[:, 12], x, atol=1e-12)  # column 14: the length


def test_mounted_mass():
    """Independent oscillations √(k_i/m) along x, y, z and √(κ/J) about z."""
    deck, run, tables = ran("mounted_mass")
    mass, J = 4.0, 0.5
    q = np.array([np.cos(PI / 18), 0, 0, np.sin(PI / 18)])
    m = lw.Model()
    body = m.add("node 2", lw.Body(mass, (J, J, J), position=(0.01, 0.02, 0.03), orientation=q))
    ends = lw.Frame(lw.GROUND), lw.Frame(body)
    m.add("mount", lw.Bushing(*ends, stiffness=[100, 400, 900, 0, 0, 0]))
    m.add("hinge", lw.Bushing(*ends, stiffness=[0, 0, 0, 50, 50, 50]))
    same(run, m)
    w = np.sqrt(np.array([100, 400, 900]) / mass)
    exact = np.array([0.01, 0.02, 0.03]) * np.cos(np.outer(run.time, w))
    # the phase error of a step, A ω³ h² t/12, is 3.4e-7 m in z
    np.testing.assert_allclose(tables.node(2)[:, :3], exact, atol=4e-7)
    turn = 20 * np.cos(np.sqrt(50 / J) * run.time)
    np.testing.assert_allclose(tables.node(2)[:, 5], turn, atol=2e-4)
    jnt = np.hstack(tables.joint(deck.joints[2]))
    np.testing.assert_allclose(jnt[:, :3], tables.node(2)[:, :3] * (100, 400, 900), atol=1e-9)


def test_heavy_top():
    """Steady precession: the tilt stays and the axis goes round at 1 rad/s."""
    _, run, tables = ran("heavy_top")
    tilt, mass, d, A, C = PI / 3, 15.0, 1.0, 15.25, 0.45
    n = (mass * G * d + A * np.cos(tilt)) / C
    R = rotations.matrix([np.cos(tilt / 2), 0, np.sin(tilt / 2), 0])
    m = lw.Model(gravity=(0, 0, -G))
    w = np.array([0, 0, 1.0]) + R[:, 2] * (n - np.cos(tilt))
    x = R[:, 2] * d
    top = m.add("node 1", lw.Body(mass, (0.25, 0.25, C), position=x, orientation=R,
                                  velocity=np.cross((0, 0, 1), x), angular_velocity=R.T @ w))
    m.add("point", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
    same(run, m, atol=1e-7)  # 350 rad/s of spin amplify the round-off of the start
    t = run.time
    exact = np.stack([np.sin(tilt) * np.cos(t), np.sin(tilt) * np.sin(t),
                      np.full_like(t, np.cos(tilt))], axis=1)
    np.testing.assert_allclose(tables.node(1)[:, :3], exact, atol=2e-3)
    np.testing.assert_allclose(tables.node(2)[:, :3], 0, atol=1e-9)  # the dummy at the point


def test_condensed_body():
    """One body of 8 kg that spins about z; its node goes round the centre of mass."""
    deck, run, tables = ran("condensed_body")
    body = deck.model["node 10"]
    assert body.mass == 8
    np.testing.assert_allclose(deck.nodes[10].centre, 0, atol=1e-15)
    # 0.4 + 2·1² + 2·1² and the turned inertias: i_x of the second mass is its y in the node
    J = np.diag([0.4 + 0.1 + 2 + 0.1 + 2, 0.4 + 0.2 + 0.2, 0.2 + 0.2 + 2 + 0.2 + 2])
    np.testing.assert_allclose(body.inertia, J, atol=1e-14)
    m = lw.Model()
    m.add("node 10", lw.Body(8, J, position=(1, 0, 0), angular_velocity=(0, 0, 3)))
    same(run, m)
    phi = 3 * (run.time - 1)
    np.testing.assert_allclose(tables.node(11)[:, 0], 1 - np.sin(phi), atol=1e-4)
    np.testing.assert_allclose(tables.node(11)[:, 1], np.cos(phi), atol=1e-4)
    beta, gamma, _, _ = tables.momentum(10)
    np.testing.assert_allclose(beta, 0, atol=1e-12)
    np.testing.assert_allclose(gamma[:, 2], 3 * J[2, 2], rtol=1e-12)


def test_every_deck_is_tested():
    """Some test reads it by its name, or has it."""
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_mbdyn_*.py")]
    read = {name for text in texts for name in re.findall(r'(?:ran|changed)\("(\w+)"', text)}
    read |= {name for text in texts for name in re.findall(r"^def test_(\w+)", text, re.MULTILINE)}
    assert {path.stem for path in DECKS.glob("*.mbd")} <= read


def test_decks_cover_every_card_there_is():
    """Joints, forces, drives, scalar functions and laws: each stands in some deck."""
    from inside import COUPLES, DRIVES, FORCES, FUNCTIONS, JOINTS, LAWS, Source, squeeze

    words = set()
    for path in (*DECKS.glob("*.mbd"), *DECKS.glob("*.set")):
        for statement in Source(path.read_text(), path.name).statements():
            words |= {squeeze(word) for word in statement.arguments}
    same_card = {"universal rotation", "cardano rotation", "axial wrap", "absolute displacement",
                 "absolute internal displacement"}  # fmt: skip
    missing = {
        name for table in (JOINTS, FORCES, COUPLES, DRIVES, FUNCTIONS, LAWS) for name in table
        if squeeze(name) not in words
    } - same_card  # fmt: skip
    assert not missing, missing
