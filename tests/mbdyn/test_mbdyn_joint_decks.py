"""Decks of joints: pendulums in every hinge, friction, screws, imposed speeds, following nodes."""

from __future__ import annotations

import numpy as np
import pytest
from inside import JOINTS, Source, squeeze
from mbdyn_decks import DECKS, PI, G, ran, same
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.extend import rotations


def test_every_joint_keyword_stands_in_a_deck():
    words = set()
    for path in (*DECKS.glob("*.mbd"), *DECKS.glob("*.set")):
        for statement in Source(path.read_text(), path.name).statements():
            if statement.name == "joint":
                words.add(squeeze(statement.arguments[1]))
    deformable = {"deformablehinge", "deformabledisplacementjoint"}
    missing = {name for name in JOINTS if squeeze(name) not in words}
    assert not {name for name in missing if squeeze(name) not in deformable}, missing
    assert len(JOINTS) >= 45


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
    np.testing.assert_allclose(tables.node(12)[:, 6], 1 + 3 * t**2, atol=1e-9)
    np.testing.assert_allclose(tables.node(12)[:, 0], t + t**3, atol=1e-6)  # of the order of h²


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


def test_beam_slider():
    """½ a t² along a stiff wire; the force across it is the weight m b, the place that of x."""
    deck, run, tables = ran("beam_slider")
    mass, along, across = 0.1, 6.0, 8.0
    x = tables.node(9)[:, :3]
    np.testing.assert_allclose(x[:, 0] - 0.5, along * run.time**2 / 2, atol=1e-6)
    np.testing.assert_allclose(x[:, 1:], 0, atol=1e-6)
    _, _, force, _, place = tables.joint(deck.joints[3])
    # the wire starts without its load and vibrates about what it carries
    np.testing.assert_allclose(force[20:, 2], mass * across, atol=4e-3)
    np.testing.assert_allclose(force[20:, :2], 0, atol=1e-6)
    np.testing.assert_allclose(place[:, 0], np.where(x[:, 0] < 1, 1, 2))
    np.testing.assert_allclose(place[:, 1], 2 * (x[:, 0] % 1) - 1, atol=1e-5)


# ------------------------------------------------------------------------------------ friction

MASS, J, R, MU, SPIN = 2.0, 0.02, 0.05, 0.2, 8.0
AXES = rotations.from_matrix(np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]))  # z along y


def wheel(m, n, joint, **words):
    body = m.add(f"node {n}", lw.Body(MASS, (J, J, J), position=(0, n - 1, 0),
                                      angular_velocity=(0, SPIN, 0)))
    frames = lw.Frame(lw.GROUND, (0, n - 1, 0), AXES), lw.Frame(body, (0, 0, 0), AXES)
    hinge = m.add(f"hinge {n}", joint(*frames))
    if words:
        m.add(f"bearing {n}", lw.Friction(hinge, motion="turn", **words))
    return body, frames


def test_friction():
    """Wheels: J ω̇ = −μ N r; blocks: g (sin − μ cos); they stop and stay."""
    deck, run, tables = ran("friction")
    t = run.time
    speed = {n: tables.node(n)[:, 10] for n in (1, 2, 3, 4, 5, 6, 10)}
    # the weight loads the bearing: the wheels stop after J ω/(μ m g r)
    rate = MU * MASS * G * R / J
    coasting = np.maximum(SPIN - rate * t, 0)
    for n, stiffness, sine in ((1, 2e4, 1.0), (2, 1e5, 1 / np.sqrt(1 + MU**2))):
        rate = sine * MU * MASS * G * R / J  # the second has the shape of a plane hinge
        recoil = MU * np.sqrt(MASS * G / (stiffness * J))  # of the bristles, as it stops
        np.testing.assert_allclose(speed[n], np.maximum(SPIN - rate * t, 0), atol=recoil)
        turned = np.unwrap(np.radians(np.hstack(tables.joint(deck.joints[n]))[:, 14]))
        assert turned[-1] == pytest.approx(SPIN**2 / (2 * rate), rel=2e-3)
        late = t > SPIN / rate + 0.3
        assert np.ptp(turned[late]) < 1e-5  # at rest
    # ten newtons of preload, more than the axial load there is, or the only load
    for n in (3, 4):
        np.testing.assert_allclose(speed[n], SPIN - MU * 10 * R / J * t, atol=2e-3)
    np.testing.assert_allclose(tables.node(4)[:, 2], -G * t**2 / 2, atol=1e-5)
    # driven against the friction: the drive gives what the bearing takes
    np.testing.assert_allclose(speed[5], SPIN, atol=1e-9)
    jnt = np.hstack(tables.joint(deck.joints[5]))
    np.testing.assert_allclose(jnt[:, 15], SPIN, atol=1e-12)  # as imposed, then as it is
    np.testing.assert_allclose(jnt[:, 18], SPIN, atol=1e-9)
    np.testing.assert_allclose(jnt[5:, 19], -MU * MASS * G * R, rtol=1e-6)
    np.testing.assert_allclose(jnt[5:, 20], -MU, rtol=1e-6)  # moment over r N
    np.testing.assert_allclose(jnt[5:, 5], 0, atol=1e-8)
    # a brake with μ = 0.4 − 0.3 v below 1 m/s: v − 4/3 grows like exp(0.3 N ρ²/J t)
    rho, N = 2 * R, 2.0
    v = 4 / 3 + (rho * SPIN - 4 / 3) * np.exp(0.3 * N * rho**2 / J * t)
    np.testing.assert_allclose(rho * speed[6], v, atol=1e-4)
    pads = np.hstack(tables.joint(deck.joints[60]))
    np.testing.assert_allclose(pads[5:, 18], 0.3 * rho * speed[6][5:] - 0.4, atol=1e-6)
    np.testing.assert_allclose(pads[:, 19], N)
    np.testing.assert_allclose(pads[:, 5], rho * N * pads[:, 18], atol=1e-12)
    # a block slides, one holds, one stops
    a = G * (np.sin(PI / 6) - MU * np.cos(PI / 6))
    down = np.linalg.norm(tables.node(7)[:, :3], axis=1)
    np.testing.assert_allclose(down, t + a * t**2 / 2, atol=2e-3)
    rail = np.hstack(tables.joint(deck.joints[7]))
    np.testing.assert_allclose(rail[20:, 12], -MU * MASS * G * np.cos(PI / 6), rtol=1e-5)
    assert np.abs(tables.node(8)[:, 0]).max() < 1e-4
    held = np.hstack(tables.joint(deck.joints[8]))
    assert held[-1, 12] == pytest.approx(-MASS * G / 2, rel=1e-6)
    assert held[-1, 13] == pytest.approx(-np.tan(PI / 6), rel=1e-6)
    x = tables.node(9)[:, 0]
    assert x[-1] == pytest.approx(1.5**2 / (2 * MU * G), rel=2e-3)
    assert np.ptp(x[t > 1.5 / (MU * G) + 0.1]) < 1e-6
    # Coulomb's and viscous friction: J ω̇ = −N r (μ + σ r ω)
    k = 0.5 * MASS * G * R**2 / J
    w = (SPIN + MU / (0.5 * R)) * np.exp(-k * t) - MU / (0.5 * R)
    recoil = MU * np.sqrt(MASS * G / (2e4 * J))
    np.testing.assert_allclose(speed[10], np.maximum(w, 0), atol=recoil)
    # a ball: the bearing's torque against its turn about y, none about its load
    turn = tables.node(11)[:, 9:12]
    np.testing.assert_allclose(turn[:, 1], coasting, atol=MU * np.sqrt(MASS * G / (2e4 * J)))
    np.testing.assert_allclose(turn[:, 2], 2.0, atol=1e-4)
    *_, force, moment, more = tables.joint(deck.joints[11])
    np.testing.assert_allclose(force[5:], np.tile([0, 0, MASS * G], (len(t) - 5, 1)), atol=1e-6)
    sliding = slice(5, int(0.9 * SPIN / rate / 1e-3))
    np.testing.assert_allclose(moment[sliding, 1], -MU * MASS * G * R, rtol=1e-4)
    np.testing.assert_allclose(more[sliding, 3:6], moment[sliding], atol=1e-12)
    np.testing.assert_allclose(more[sliding, 6], MU, rtol=1e-4)


def test_friction_in_python():
    deck, run, _ = ran("friction")
    m = lw.Model(gravity=(0, 0, -G))
    lugre = dict(stiffness=2e4, damping=20.0, kappa=0.7)
    stiff = dict(stiffness=1e5, damping=20.0)
    wheel(m, 1, lw.Revolute, model=lw.LuGre(MU, **lugre), radius=R, least=1e-10)
    wheel(m, 2, lw.Revolute, model=lw.Coulomb(MU, **stiff), radius=R, journal=True)
    wheel(m, 3, lw.Revolute, model=lw.LuGre(MU, **lugre), radius=R, least=10, load="axial")
    wheel(m, 4, lw.Parallel, model=lw.Coulomb(MU, **stiff), radius=R, least=10)
    _, frames = wheel(m, 6, lw.Revolute)
    falling = [[0, 1, 2], [0.4, 0.1, 0.1]]
    m.add("brake", lw.Brake(*frames, model=lw.Coulomb(curve=falling, **stiff), radius=2 * R,
                            load=2.0, least=1e-10))
    level = m.add("node 9", lw.Body(MASS, (J, J, J), position=(0, 2, 0), velocity=(1.5, 0, 0)))
    along = rotations.from_matrix(np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    rail = m.add("rail", lw.PointOnLine(lw.Frame(lw.GROUND, (0, 2, 0), along),
                                        lw.Frame(level, (0, 0, 0), along)))
    m.add("rubbing", lw.Friction(rail, lw.Coulomb(MU, **stiff), motion="slide"))
    body = m.add("node 11", lw.Body(MASS, (J, J, J), position=(0, 7, 0),
                                    angular_velocity=(0, SPIN, 2.0)))
    ball = m.add("ball", lw.Spherical(lw.GROUND, body, at=(0, 7, 0)))
    m.add("socket", lw.Friction(ball, lw.LuGre(MU, **lugre), radius=R, least=1e-10, spin=0.0))
    other = same(run, m)
    for ours, theirs, word in (("friction of joint 1", "bearing 1", "torque"),
                               ("friction of joint 11", "socket", "torque"),
                               ("friction of joint 60", "brake", "torque"),
                               ("friction of joint 9", "rubbing", "force")):
        a, b = (getattr(r[name], word).values for r, name in ((run, ours), (other, theirs)))
        np.testing.assert_allclose(a, b, atol=1e-6)
    assert deck.without_effect == ["initial theta of revolute joints"]


# -------------------------------------------------------------------------------------- screws


def thread(pitch, mu, half=PI / 6, radius=0.05):
    """tan a, and the torque on the nut over F r when it goes down."""
    tan = pitch / (2 * PI * radius)
    bearing = mu * np.sqrt(1 + (np.cos(np.arctan(tan)) * np.tan(half)) ** 2)
    return tan, (tan - bearing) / (1 + bearing * tan)


def test_screws():
    """z̈ = −m g r T/(J/(r tan a) + m r T), T the torque over the axial force and r."""
    deck, run, tables = ran("screws")
    t, mass, inertia, r = run.time, 100.0, 1.0, 0.05

    def fall(pitch, mu):
        tan, T = thread(pitch, mu)
        return -mass * G * r * T / (inertia / (r * tan) + mass * r * T)

    z = {n: tables.node(n)[:, 2] - 1 for n in (1, 2, 3, 4)}
    np.testing.assert_allclose(z[1], fall(0.109, 0.0) * t**2 / 2, atol=1e-5)
    for n, pitch, w in ((3, 0.13, 2.0), (4, 0.109, 4.0)):
        v = -pitch / (2 * PI) * w
        exact = v * t + fall(pitch, 0.3) * t**2 / 2
        first = 1e-3 * (fall(pitch, 0.3) - fall(pitch, 0.0))  # a step with no load behind it
        np.testing.assert_allclose(z[n], exact, atol=first)
    assert abs(fall(0.1074, 0.3)) < 1e-3 < abs(fall(0.109, 0.3))  # the limit of the pitch
    assert np.abs(z[2]).max() < 2e-4 and np.abs(tables.node(2)[-1, 8]) < 1e-5
    # turn and travel keep to the pitch over turns
    for n, pitch in ((1, 0.109), (3, 0.13)):
        jnt = np.hstack(tables.joint(deck.joints[n]))
        np.testing.assert_allclose(jnt[:, 13] - 1, pitch * jnt[:, 12] / 360, atol=1e-9)
        base = (n - 1.0, 0, 0)
        np.testing.assert_allclose(jnt[:, 17:20], tables.node(n)[:, :3] - base, atol=1e-9)
    free = np.hstack(tables.joint(deck.joints[1]))
    np.testing.assert_allclose(free[5:, 5], -0.109 / (2 * PI) * free[5:, 2], rtol=1e-9)
    np.testing.assert_allclose(free[5:, 2], mass * (G + fall(0.109, 0.0)), rtol=1e-6)
    rubbed = np.hstack(tables.joint(deck.joints[3]))
    np.testing.assert_allclose(rubbed[5:, 21], 0.3, rtol=1e-6)  # the coefficient
    tan, T = thread(0.13, 0.3)
    np.testing.assert_allclose(rubbed[5:, 5], -rubbed[5:, 2] * r * T, rtol=1e-6)
    lead = np.cos(np.arctan(tan))
    np.testing.assert_allclose(rubbed[:, 20], r * lead * tables.node(3)[:, 11], atol=1e-12)


def test_screws_in_python():
    _, run, _ = ran("screws")
    m = lw.Model(gravity=(0, 0, -G))
    for n, pitch, model in ((1, 0.109, None), (2, 0.1, lw.LuGre), (3, 0.13, lw.LuGre)):
        nut = m.add(f"node {n}", lw.Body(100, (1, 1, 1), position=(n - 1, 0, 1)))
        nut.angular_velocity = (0, 0, -2.0 * (n == 3))
        nut.velocity = (0, 0, -2.0 * pitch / (2 * PI) * (n == 3))
        screw = m.add(f"screw {n}", lw.Screw(lw.GROUND, nut, (n - 1, 0, 1), (0, 0, 1), pitch))
        if model:
            f = np.cos(np.arctan(pitch / (2 * PI * 0.05)))
            rubs = model(0.3, stiffness=2e4 * f, damping=2 * f, kappa=0.71)
            m.add(f"friction {n}", lw.Friction(screw, rubs, radius=0.05, thread=PI / 6))
    same(run, m, atol=1e-7)


# ---------------------------------------------------------------------------- imposed speeds


def test_imposed_speeds():
    """Euler's equations with one spin kept; angles that are integrals; a circle from a sensor."""
    deck, run, tables = ran("imposed_speeds")
    t = run.time
    w = np.einsum("tji,tj->ti", tables.motion(1).R, tables.motion(1).w)
    exact = np.stack([0.5 * np.cos(2 * t), 0.5 * np.sin(2 * t), np.full_like(t, 2)], axis=1)
    # y = ½ (R₀ + R₁) (J x − x × D(x × Jx)), D = diag(0, 1/8, 1/6), turns the body by ω − h² d, d of
    # the Taylor series of x and R about the middle of a step, with L = Jω:
    # J d = (ω × (ω × L) + ω̇ × L)/8 + J ω̈/24 + J (ω × ω̇)/12 − ω × D(ω × L).  It adds h² d × L to
    # Euler's equations, J⁻¹ of it being h² (a sin 2t, −b cos 2t) across the spin, and parts with 6t
    # below h²/70: in resonance with them, hence the error
    a, b, s, c = 293 / 192, 569 / 384, np.sin(2 * t), np.cos(2 * t)
    error = [(a + b) / 2 * t * s, -(a + b) / 2 * t * c - (b - a) / 4 * s, 0 * t]
    # the formula's own error goes with L̈, which is below 0.5 N m/s
    np.testing.assert_allclose(w, exact + 1e-6 * np.transpose(error), rtol=0, atol=5e-8)
    jnt = np.hstack(tables.joint(deck.joints[1]))
    # what the node does to the joint: (J₁ − J₂) ω₁ ω₂ about the third axis
    np.testing.assert_allclose(jnt[5:, 3], -(2 - 1) * (exact[:, 0] * exact[:, 1])[5:], atol=1e-5)
    np.testing.assert_allclose(jnt[:, 12:15], tables.motion(1).R[:, :, 2], atol=1e-12)
    np.testing.assert_allclose(jnt[:, 15], 2)
    # φ̈ = 10 sin π t: φ̇ = 10/π (1 − cos π t)
    rate = 10 / PI * (1 - np.cos(PI * t))
    np.testing.assert_allclose(tables.node(2)[:, 11], rate, atol=1e-9)
    angle = 10 / PI * (t - np.sin(PI * t) / PI)
    turned = np.hstack(tables.joint(deck.joints[20]))[:, 14]
    np.testing.assert_allclose(np.exp(1j * np.radians(turned)), np.exp(1j * angle), atol=1e-5)
    push = np.hstack(tables.joint(deck.joints[2]))
    # the moment stands in the columns of the force, as MBDyn writes it
    np.testing.assert_allclose(push[5:, 0], -3 * 10 * np.sin(PI * t[5:]), atol=1e-3)
    np.testing.assert_allclose(push[:, 3:6], 0)
    np.testing.assert_allclose(push[:, 12], 10 * np.sin(PI * t), atol=1e-12)
    # along (0, 3, 4)/5 of the world; across it the node goes on
    x = np.stack([t, 0.6 * t**2, 0.8 * t**2], axis=1)
    np.testing.assert_allclose(tables.node(3)[:, :3], x, atol=1e-9)
    pull = np.hstack(tables.joint(deck.joints[3]))
    np.testing.assert_allclose(pull[5:, 6:9], np.tile([0, -1.2, -1.6], (len(t) - 5, 1)), atol=1e-9)
    # a sphere keeps the spin that is free
    spin = np.array([0.3, -0.2, 0.7])
    turned = rotations.matrix(rotations.exponential(np.outer(t, spin)))
    np.testing.assert_allclose(tables.motion(4).R, turned, atol=1e-7)
    # 5 and 6 keep their relative spin
    np.testing.assert_allclose(tables.node(6)[:, 11] - tables.node(5)[:, 11], 1, atol=1e-9)
    # the craft: a circle of radius V/Ω at its sensor
    V, W = 3.0, 1.5
    P = V / W * np.stack([np.sin(W * t), 1 - np.cos(W * t), 0 * t], axis=1)
    Rz = rotations.matrix(rotations.exponential(np.outer(W * t, [0, 0, 1])))
    np.testing.assert_allclose(tables.node(7)[:, :3], P - Rz @ (0.2, 0.1, 0), atol=2e-6)
    felt = np.hstack(tables.joint(deck.joints[7]))
    a = np.tile([0, V * W, 0], (len(t) - 10, 1))
    np.testing.assert_allclose(felt[10:, 12:15], a, atol=1e-4)
    np.testing.assert_allclose(felt[:, 15:18], np.tile([0, 0, W], (len(t), 1)), atol=1e-9)
    # the sensor on node 1 shows ω̇ × b + ω × (ω × b) of its free motion
    b = np.array([0.1, 0, 0])
    w1 = np.stack([-np.sin(2 * t), np.cos(2 * t), 0 * t], axis=1)
    a = np.cross(w1, b) + np.cross(exact, np.cross(exact, b))
    shown = np.hstack(tables.joint(deck.joints[70]))
    np.testing.assert_allclose(shown[10:, 12:15], a[10:], atol=1e-4)


def test_imposed_speeds_in_python():
    _, run, _ = ran("imposed_speeds")
    m = lw.Model()
    for n, w in ((1, (0.5, 0, 2)), (2, (0, 0, 0))):
        m.add(f"node {n}", lw.Body(1, (1, 2, 3), angular_velocity=w))
    m.add("spin", lw.VelocityLock(lw.GROUND, m["node 1"], rows="rz", drive={"rz": 2}, axes="b"))
    m.add("pin", lw.Revolute(lw.GROUND, m["node 2"], at=(0, 0, 0), axis=(0, 0, 1)))
    angle = lw.expression(f"10/{PI!r}*(t - sin({PI!r}*t)/{PI!r})")
    m.add("turn", lw.Lock(lw.GROUND, m["node 2"], axis=(0, 0, 1), rows="rz", drive={"rz": angle}))
    sphere = m.add("node 4", lw.Body(1, (2, 2, 2), angular_velocity=(0.3, -0.2, 0.7)))
    m.add("two", lw.VelocityLock(lw.GROUND, sphere, rows="rx ry", drive={"rx": 0.3, "ry": -0.2}))
    same(run, m, atol=1e-5, names=["node 2"])  # here the angle is driven, there its rate
    same(run, m, names=["node 1", "node 4"])


def test_following():
    """Rigid motion of the points is that of the node; its weight is spread evenly over them."""
    deck, run, tables = ran("following")
    t, W, M = run.time, 1.5, 3.0
    node = tables.node(5)
    np.testing.assert_allclose(node[:, :3], 0, atol=1e-10)
    np.testing.assert_allclose(np.radians(node[:, 5]), W * t, atol=1e-9)
    spread = np.hstack(tables.joint(deck.joints[5]))
    weight = np.tile([0, 0, -M * G], (len(t) - 2, 1))
    np.testing.assert_allclose(spread[2:, 6:9], weight, atol=1e-6)  # round-off over h²
    np.testing.assert_allclose(spread[2:, 9:12], 0, atol=1e-6)
    for n in (1, 2, 3, 4):
        up = np.hstack(tables.joint(deck.joints[n]))[2:, 8]
        np.testing.assert_allclose(up, -(1 + M / 4) * G, rtol=1e-6)  # on the ground
    x = np.stack([0.5 * np.cos(W * t), 0.5 * np.sin(W * t), 2.2 + 0 * t], axis=1)
    np.testing.assert_allclose(tables.node(7)[:, :3], x, atol=1e-9)
    held = np.hstack(tables.joint(deck.joints[7]))
    force = np.tile([-2 * 0.5 * W**2, 0, 2 * G], (len(t) - 50, 1))
    np.testing.assert_allclose(held[50:, :3], force, atol=1e-5)  # the start has calmed down
    theta = rotations.exponential(np.outer(t, [0.2, 0.4, 0]))
    np.testing.assert_allclose(tables.motion(8).R, rotations.matrix(theta), atol=1e-9)


def test_following_in_python():
    _, run, _ = ran("following")
    m = lw.Model(gravity=(0, 0, -G))
    points = []
    for n, (c, s) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1)), 1):
        p = m.add(f"node {n}", lw.Body(1, (0, 0, 0), position=(c, s, 0),
                                       velocity=(-1.5 * s, 1.5 * c, 0)))
        m.add(f"align {n}", lw.Align(lw.GROUND, p))
        laws = {"x": lw.expression(f"{c}*cos(1.5*t) - {s}*sin(1.5*t)"),
                "y": lw.expression(f"{s}*cos(1.5*t) + {c}*sin(1.5*t)")}
        m.add(f"move {n}", lw.Lock(lw.Frame(lw.GROUND), lw.Frame(p), rows="x y z", drive=laws))
        points.append(p)
    hub = m.add("node 5", lw.Body(3, (0.1, 0.1, 0.1), angular_velocity=(0, 0, 1.5)))
    m.add("mean", lw.RigidBodyDisplacement(hub, points))
    arm = m.add("node 8", lw.Body(1, (0.1, 0.1, 0.1), position=(0, 0, 3)))
    m.add("ball", lw.Spherical(lw.GROUND, arm, at=(0, 0, 3)))
    m.add("aim", lw.DriveHinge(lw.GROUND, arm, vector=(lw.ramp(0.2), lw.ramp(0.4), 0)))
    same(run, m)
