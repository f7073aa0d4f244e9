"""Decks in examples/mbdyn: each equals its model built in Python, and a closed form."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.io.mbdyn.files import Tables
from linkwork.io.mbdyn.running import run_deck
from linkwork.math import rotations

DECKS = Path(__file__).parent.parent / "examples" / "mbdyn"
G = 9.81
PI = np.pi


def ran(name):
    deck = lw.read_deck(DECKS / f"{name}.mbd", environment={})
    run = run_deck(deck, progress=False)
    return deck, run, Tables(deck, run)


def same(run, model, method=None, names=None, atol=1e-9):
    """The same motion as that of a model built in Python, with the same method."""
    h, t = float(run.info["h"]), float(run.time[-1])
    method = method or default(run)
    start = lw.assemble(model, time=float(run.time[0]))
    other = lw.transient(model, t, h, method, start=start, progress=False)
    for name in names or model.items:
        if isinstance(model[name], lw.Body):
            for word in ("position", "velocity", "angular_velocity"):
                found = getattr(run[name], word).values
                np.testing.assert_allclose(found, getattr(other[name], word).values, atol=atol)
            p, q = run[name].orientation.values, other[name].orientation.values
            np.testing.assert_allclose(np.abs(np.sum(p * q, axis=1)), 1, atol=atol)
    return other


def default(run):
    from linkwork.integrators.catalogue import method_from_text

    return method_from_text(run.info["method"])


# ------------------------------------------------------------------------------------ decks


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


def drive_formulas(t):
    """What the drives of drives.mbd are, by node."""
    spline = CubicSpline([0, 0.5, 1, 2], [0, 1, 0, 1], bc_type="natural")
    up = np.clip(t - 0.25, 0, 0.5)
    sweep = 1 + 3 * np.sin((1 + 2 * t) * (t - 0.5))
    s = np.mod(t, 0.8)
    return {
        1: 1 + 2 * t, 2: 1 + 2 * t + 3 * t**2, 3: 1 + 2 * t + 3 * t**2 + 4 * t**3, 4: t,
        5: 1 + 2 * np.clip(t - 0.5, 0, 1), 6: 3 + 2 * up - np.maximum(t - 1, 0),
        7: np.where(t < 0.5, 1, 1 + 3 * np.sin(2 * PI * (t - 0.5))),  # one and a half waves
        8: 1 + 3 * np.sin(PI * np.clip(t - 0.5, 0, 0.5)),
        9: np.where((t > 0.5) & (t < 1.5), 1 + 3 * (1 - np.cos(2 * PI * (t - 0.5))), 1),
        10: 1 + 3 * (1 - np.cos(PI * np.clip(t - 0.5, 0, 1))),
        11: 1 + 2 * (1 - np.exp(-np.maximum(t - 0.5, 0) / 0.3)),
        12: 4 + 2 * np.tanh(3 * (t - 1)),
        13: 1 + 1 + np.cos(PI * t) + 0.5 * np.sin(PI * t) + 0.25 * np.cos(2 * PI * t)
        - 0.5 * np.sin(2 * PI * t),
        14: np.where(t < 0.5, 1, sweep), 15: np.interp(t, [0, 1, 3], [1, 2, 0]),
        16: t * np.where(t < 0.2, 1, 1 + 0.5 * np.sin(2 * PI * (t - 0.2))), 17: 3 + t,
        18: np.sin(t) ** 2, 19: 3 * np.sin(2 * PI * t) * (t < 1.5) + 4,
        20: spline(t) + 1 + 2 * t, 21: 4 * s * (0.8 - s), 22: t**2 + np.cos(t),
    }  # fmt: skip


def test_drives():
    """Every drive caller is the function of time that MBDyn's manual says."""
    _, run, tables = ran("drives")
    t = run.time
    jumps = {5: [0.5, 1.5], 6: [0.25, 0.75, 1], 7: [0.5], 8: [], 11: [0.5], 14: [0.5], 15: [1],
             16: [0.2], 19: [1.5], 21: [0.8, 1.6]}  # fmt: skip
    for node, exact in drive_formulas(t).items():
        away = np.ones(len(t), bool)
        for at in jumps.get(node, []):  # at a jump a step may see either side
            away &= np.abs(t - at) > 1e-9
        found = tables.node(node)[:, 0]
        np.testing.assert_allclose(found[away], exact[away], atol=1e-10, err_msg=str(node))


def test_drives_in_python():
    deck = lw.read_deck(DECKS / "drives.mbd")
    drives = {
        1: lw.polynomial([1, 2]), 4: lw.ramp(1), 12: lw.expression("4 + 2*tanh(3*(t - 1))"),
        15: lw.table([0, 1, 3], [1, 2, 0], kind="linear"), 17: 3 + lw.polynomial([0, 1]),
        22: lw.expression("t^2 + cos(t)"),
    }
    t = np.linspace(0, 2, 41)
    for node, drive in drives.items():
        law = deck.model[f"joint {node}"].drive["x"]
        np.testing.assert_allclose(law.jet(t), drive.jet(t), atol=1e-12)


def test_loads():
    """x = F t³/6m, ½ a t², ω = M t/J; opposite on the other body; gravity −(1 + 2 t)."""
    deck, run, tables = ran("loads")
    m = lw.Model(gravity=(0, 0, -1))
    places = {5: (1, 0, 0), 6: (-1, 0, 0)}
    for n in range(1, 9):
        J, at = (1, 2, 3) if n == 3 else (1, 1, 1), places.get(n, (0, 0, 0))
        turned = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)] if n == 4 else None
        m.add(f"node {n}", lw.Body(4 if n == 6 else 2, J, position=at, orientation=turned))
        m.add(f"weight {n}", lw.Force(m[f"node {n}"], (0, 0, 4 if n == 6 else 2), lw.ramp(-2)))
    m.add("f1", lw.Force(m["node 1"], (1, 0, 0), lw.ramp(4)))
    m.add("f2", lw.Force(m["node 4"], (6, 0, 0), follower=True))
    m.add("f3", lw.Torque(m["node 3"], (0, 0, 1.5)))
    m.add("f4", lw.ForcePair(m["node 5"], m["node 6"], (-8, 0, 0)))
    m.add("f5", lw.ForcePair(m["node 7"], m["node 8"], torque=(0, 0.5, 0)))
    m.add("f6", lw.Force(m["node 2"], (0, 3, 0), follower=True))
    same(run, m)
    t = run.time
    fall = -(t**2) / 2 - t**3 / 3
    expected = {
        1: (t**3 / 3, 0 * t), 4: (0 * t, 1.5 * t**2), 5: (1 - 2 * t**2, 0 * t),
        6: (-1 + t**2, 0 * t), 2: (0 * t, 0.75 * t**2), 3: (0 * t, 0 * t),
    }  # fmt: skip
    for n, (x, y) in expected.items():
        exact = np.stack([x, y, fall], axis=1)
        np.testing.assert_allclose(tables.node(n)[:, :3], exact, atol=2e-6, err_msg=str(n))
    np.testing.assert_allclose(tables.node(3)[:, 11], 0.5 * t, atol=1e-9)
    np.testing.assert_allclose(tables.node(7)[:, 10], 0.5 * t, atol=1e-9)
    np.testing.assert_allclose(tables.node(8)[:, 10], -0.5 * t, atol=1e-9)
    F, _, points = tables.force(deck.forces[2])
    np.testing.assert_allclose(F, np.tile([0, 6, 0], (len(t), 1)), atol=1e-12)
    np.testing.assert_allclose(points[0], tables.node(4)[:, :3], atol=1e-12)


def test_static_load():
    """The rod of EA = 500 N lengthens by (m g + F)/EA, F = 20 t."""
    _, run, tables = ran("static_load")
    load = 10 + 20 * run.time
    np.testing.assert_allclose(tables.node(2)[:, 2], -1 - load / 500, rtol=1e-9)
    m = lw.Model(gravity=(0, 0, -10))
    body = m.add("mass", lw.Body(1, (1, 1, 1), position=(0, 0, -1)))
    m.add("rod", lw.Spring(lw.GROUND, body, stiffness=500, length=1))
    m.add("hold", lw.Align(lw.GROUND, body))
    m.add("push", lw.Force(body, (0, 0, -1), lw.ramp(20)))
    found = lw.static(m, time=1.0, progress=False)
    assert found["mass"].position.values[2] == pytest.approx(tables.node(2)[-1, 2], abs=1e-12)


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


def test_imposed_motion():
    """Every node is where its laws put it."""
    _, run, tables = ran("imposed_motion")
    t = run.time
    one = 0 * t
    theta = np.stack([0.5 * np.sin(3 * t), 0.4 * t, 0.3 * t**2], axis=1)
    np.testing.assert_allclose(tables.node(2)[:, 3:6], theta, atol=1e-9)
    found = tables.motion(3).R
    exact = rotations.matrix(rotations.exponential(np.outer(4 * t, [1, 2, 2])))
    np.testing.assert_allclose(found, exact, atol=1e-9)
    at = {
        3: (t, one, t), 4: (1 + one, 2 + 2 * t, 3 + 2 * t),
        5: (0.5 * (1 - np.cos(PI * t)), one, one),
        6: (one, one, 1 + t + 1.5 * (1 - np.cos(2 * t))), 8: (3 + t + t**2, one, one),
    }  # fmt: skip
    for n, x in at.items():
        np.testing.assert_allclose(tables.node(n)[:, :3], np.stack(x, axis=1), atol=1e-9)
    np.testing.assert_allclose(tables.node(7)[:, 2], 0.25, atol=1e-12)
    angle = t + 1.5 * t**2
    np.testing.assert_allclose(tables.node(6)[:, 5], angle, atol=1e-9)


def test_imposed_motion_in_python():
    deck = lw.read_deck(DECKS / "imposed_motion.mbd")
    m = lw.Model()
    body = m.add("node 4", lw.Body(1, (1, 1, 1), position=(1, 2, 3)))
    m.add("lift", lw.Lock(lw.GROUND, body, at=(1, 2, 3), drive={"y": lw.ramp(2), "z": lw.ramp(2)}))
    run = run_deck(deck, progress=False)
    same(run, m)


def test_every_deck_is_tested():
    """Some test reads it by its name, or has it."""
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_mbdyn_*.py")]
    read = {name for text in texts for name in re.findall(r'(?:ran|changed)\("(\w+)"', text)}
    read |= {name for text in texts for name in re.findall(r"^def test_(\w+)", text, re.MULTILINE)}
    assert {path.stem for path in DECKS.glob("*.mbd")} <= read


def test_more_joints():
    """Six pendulums swing alike; plates slide by ½ g sin α t²; a gimbal keeps the spin."""
    _, run, tables = ran("more_joints")
    L, M, J, angle, slope = 1.0, 2.0, 0.5, 0.8, PI / 6
    t = run.time
    k = np.sin(angle / 2)
    sn = ellipj(ellipk(k**2) - np.sqrt(M * G * L / (J + M * L**2)) * t, k**2)[0]
    theta = 2 * np.arcsin(k * sn)
    for n in (1, 2, 3, 4, 5, 6, 13):
        x = tables.node(n)[:, :3]
        exact = L * np.stack([np.sin(theta), 0 * t, -np.cos(theta)], axis=1)
        np.testing.assert_allclose(x, exact, atol=1e-5, err_msg=str(n))
    s = 0.5 * G * np.sin(slope) * t**2
    down = np.stack([s * np.cos(slope), 0 * t, -s * np.sin(slope)], axis=1)
    for n in (7, 8):
        np.testing.assert_allclose(tables.node(n)[:, :3], down, atol=1e-5)
    sn = ellipj(ellipk(k**2) - np.sqrt(G / L) * t, k**2)[0]  # without rotation: a point mass
    point = 2 * np.arcsin(k * sn)
    np.testing.assert_allclose(tables.node(9)[:, 0], L * np.sin(point), atol=1e-5)
    for n in (10, 11):  # both shafts turn at 3 rad/s about their own axes
        w = np.einsum("tji,tj->ti", tables.motion(n).R, tables.motion(n).w)
        np.testing.assert_allclose(w, np.tile([0, 0, 3], (len(t), 1)), atol=1e-9)
    np.testing.assert_allclose(tables.node(12)[:, 0], t + t**3, atol=1e-9)


def test_more_joints_in_python():
    _, run, _ = ran("more_joints")
    m = lw.Model(gravity=(0, 0, -G))
    R = rotations.matrix([np.cos(0.4), 0, -np.sin(0.4), 0])
    kinds = {
        1: lambda b: lw.Universal(lw.GROUND, b, at=(0, 0, 0), axis_a=(1, 0, 0), axis_b=(0, 1, 0)),
        5: lambda b: lw.Revolute(lw.GROUND, b, at=(0, 0, 0), axis=(0, 1, 0)),
    }
    for n, joint in kinds.items():
        x = R @ (0, 0, -1)
        body = m.add(f"node {n}", lw.Body(2, (0.5, 0.5, 0.5), position=x, orientation=R))
        m.add(f"joint {n}", joint(body))
    same(run, m)


def test_loads_over_time():
    """The forces in the .frc file are the functions of the cards."""
    deck, run, tables = ran("loads_over_time")
    t = run.time
    x = t - 1  # of the series between 0 and 2
    wave = 1 + 4 + (2 * np.cos(2 * PI * (t - 0.5)) + 3 * np.sin(2 * PI * (t - 0.5))) - 0.5
    step = np.round(t / 0.01).astype(int)
    sine, cosine = 2 * np.sin(3 * t + 0.5), 2 * np.cos(3 * t + 0.5)
    grows = 0.5 * 2 ** (3 * t)
    held, rise = np.maximum(20 * ((step - 1) // 20), 0) * 0.01, np.clip(t - 0.5, 0, 1)
    exact = {
        1: 1 + 2 * (step >= 50), 2: 1 + 2 * ((step >= 50) & (step <= 150)), 3: 0 * t, 4: 1 + 0 * t,
        5: 0.01 + 0 * t, 7: step % 20 == 0, 8: np.where(step == 0, -1, held),
        9: 1 - 0.9 ** (step + 1), 10: 2 + 0 * t, 11: grows, 12: 2 * np.log10(4 * (1 + t)),
        13: t**2, 14: sine, 15: cosine, 16: 1 + 4 * np.clip(t - 0.5, 0, 0.5), 17: 4 * t - 1,
        18: 1 + 0.5 * x + 0.25 * (2 * x**2 - 1), 19: t**2 - sine, 20: t**2 * cosine,
        21: t**2 / grows, 22: np.where((step >= 50) & (step <= 150), wave, 4),
        23: np.where(step < 50, 1, 1 + 3 * (1 - np.cos(2 * PI * np.minimum(t - 0.5, 1.5)))),
        24: np.where(step < 50, 1, 1 + 3 * np.sin(4 * PI * np.minimum(t - 0.5, 0.625))),
        25: 1 + 2 * rise**3 * (10 - 15 * rise + 6 * rise**2), 26: np.isin(step, [10, 35, 60, 85]),
        27: 1 + 2 * rise**4 * (35 - 84 * rise + 70 * rise**2 - 20 * rise**3),
        28: 1 + 2 * rise**5 * (126 - 420 * rise + 540 * rise**2 - 315 * rise**3 + 70 * rise**4),
    }  # fmt: skip
    for label, values in exact.items():
        F = tables.force(deck.forces[label])[0]
        np.testing.assert_allclose(F[:, 0], values, atol=1e-11, err_msg=str(label))
    noise = tables.force(deck.forces[6])[0][:, 0]
    inside = (step >= 50) & (step <= 150)
    assert np.all(noise[~inside] == 3) and np.all((noise[inside] >= 2) & (noise[inside] < 4))
    assert np.unique(noise[inside]).size == 11  # ten steps each
    # impulse and momentum: m Δv = ∫ F dt, to the error of the implicit method's first order
    total = sum(tables.force(record)[0][:, 0] for record in deck.forces.values())
    impulse = np.concatenate([[0], np.cumsum((total[1:] + total[:-1]) / 2)]) * 0.01
    np.testing.assert_allclose(tables.node(1)[:, 6], impulse, atol=0.01 * np.abs(impulse).max())


def test_decks_cover_every_card_there_is():
    """Joints, forces, drives, scalar functions and laws: each stands in some deck."""
    from linkwork.io.mbdyn.drive_cards import DRIVES
    from linkwork.io.mbdyn.elements import JOINTS
    from linkwork.io.mbdyn.forces import COUPLES, FORCES
    from linkwork.io.mbdyn.laws import LAWS
    from linkwork.io.mbdyn.scalar_functions import FUNCTIONS
    from linkwork.io.mbdyn.text import Source, squeeze

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


def test_measured_load():
    """m v is the area under the force: of trapezoids in x and z, of steps in y."""
    deck, run, tables = ran("measured_load")
    t = run.time
    F = tables.force(deck.forces[1])[0]
    inside = (t > 0.5 - 1e-9) & (t < 1.5 + 1e-9)
    times = [0.5, 1.0, 1.5]
    np.testing.assert_allclose(F[:, 0], np.where(inside, np.interp(t, times, [1, 2, 4]), 0))
    np.testing.assert_allclose(
        F[:, 2], np.where(inside, np.interp(t, times, [0, 3, 0]), 0), atol=1e-12
    )
    steps = np.where(t < 0.5 - 1e-9, 2, np.where(t < 1.25 - 1e-9, -1, 0))
    np.testing.assert_allclose(tables.force(deck.forces[2])[0][:, 1], steps)
    v = tables.node(1)[-1, 6:9]
    area = np.array([0.75 + 1.5, 2 * 0.5 - 0.75, 1.5])
    np.testing.assert_allclose(2 * v, area, atol=3e-3)  # a jump is seen to half a step
    m = lw.Model()
    body = m.add("node 1", lw.Body(2, (0, 0, 0)))
    m.add("hold", lw.Align(lw.GROUND, body))
    drive = lw.function(lambda s: float(np.interp(s, times, [0, 3, 0], 0, 0)))
    m.add("z", lw.Force(body, (0, 0, 1), drive))
    other = lw.transient(m, 2, 1e-3, default(run), progress=False)
    z = other["node 1"].position.values[:, 2]
    np.testing.assert_allclose(tables.node(1)[:, 2], z, atol=1e-9)


def test_rotating_frame():
    """Seen from the fixed world, an ellipse: X = a cos ω t, Y = (Ω a/ω) sin ω t."""
    deck, run, tables = ran("rotating_frame")
    a, spin, w, t = 0.1, 2.0, 10.0, run.time
    X, Y = a * np.cos(w * t), spin * a / w * np.sin(w * t)
    c, s = np.cos(spin * t), np.sin(spin * t)
    exact = np.stack([c * X + s * Y, c * Y - s * X], axis=1)
    np.testing.assert_allclose(tables.node(1)[:, :2], exact, atol=1e-5)
    m = lw.Model()
    body = m.add("node 1", lw.Body(1.5, (0.2, 0.2, 0.2), position=(a, 0, 0)))
    m.add("springs", lw.Bushing(lw.Frame(lw.GROUND), lw.Frame(body), stiffness=[150] * 3 + [0] * 3))
    m.add("hold", lw.Align(lw.GROUND, body))
    m.add("spin", lw.MovingFrame(body, angular_velocity=(0, 0, spin)))
    same(run, m)
    # the table shifts the two frequencies in its plane by its own speed
    modes = lw.eigen(deck.model, at=lw.static(deck.model, progress=False).state)
    np.testing.assert_allclose(modes.eigenvalues.imag, [w - spin, w, w + spin], rtol=1e-9)
    # at rest on the table a stretched spring carries the centrifugal force: k (x − x₀) = m Ω² x
    n = lw.Model()
    bead = n.add("bead", lw.Body(1.5, (0.2, 0.2, 0.2), position=(1, 0, 0)))
    n.add("spring", lw.Spring(lw.GROUND, bead, stiffness=150, length=1))
    n.add("hold", lw.Lock(lw.GROUND, bead, at=(1, 0, 0), rows="y z rx ry rz"))
    n.add("spin", lw.MovingFrame(bead, angular_velocity=(0, 0, spin)))
    x = lw.static(n, progress=False)["bead"].position.values[0]
    assert x == pytest.approx(150 / (150 - 1.5 * spin**2), rel=1e-10)


def test_a_free_body_in_a_moving_frame():
    """The same motion seen from a frame that turns about a fixed axis and accelerates."""
    n = np.array([0.2, 0.3, 0.9]) / np.linalg.norm([0.2, 0.3, 0.9])
    w0, a0 = 0.7 * n, np.array([0.1, -0.2, 0.3])
    x, v, o = np.array([1, 0, 0.3]), np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 2])
    J = np.diag([1, 2, 2.5])
    fixed, moving = lw.Model(), lw.Model()
    fixed.add("b", lw.Body(2, J, position=x, velocity=v, angular_velocity=o))
    body = moving.add("b", lw.Body(
        2, J, position=x, velocity=v - np.cross(w0, x), angular_velocity=o - w0))
    t = np.linspace(0, 1, 501)
    turn = rotations.matrix(rotations.exponential(np.outer(t, w0)))
    # constant in the world, the acceleration of the origin turns backwards in the frame
    across, along = a0 - n * (n @ a0), n * (n @ a0)
    laws = [lw.expression(f"{along[k]} + ({across[k]})*cos(0.7*t)"
                          f" - ({np.cross(n, across)[k]})*sin(0.7*t)") for k in range(3)]
    moving.add("frame", lw.MovingFrame(body, laws, w0))
    runs = [lw.transient(m, 1, 2e-3, progress=False) for m in (fixed, moving)]
    p, q = (run["b"].position.values for run in runs)
    back = np.einsum("tij,tj->ti", turn, q) + 0.5 * t[:, None] ** 2 * a0
    np.testing.assert_allclose(back, p, atol=1e-6)
    R, S = (rotations.matrix(run["b"].orientation.values) for run in runs)
    np.testing.assert_allclose(turn @ S, R, atol=3e-6)
