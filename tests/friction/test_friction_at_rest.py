"""Friction in statics, modes and state spaces: what holds, what slides, and how stiff it is."""

import numpy as np
import pytest

import linkwork as lw

G, SIGMA = 9.81, 1e5
MODELS = pytest.mark.parametrize("model", [lw.Coulomb, lw.LuGre])


def incline(angle, model, spring=0.0):
    """A block of 2 kg on a rail that goes down along x by an angle (gravity is turned)."""
    m = lw.Model("incline", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    block = m.add("block", lw.Body(2, (1, 1, 1)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("friction", lw.Friction(rail, model))
    if spring:
        m.add("spring", lw.Spring(lw.GROUND, block, at_a=(-1, 0, 0), stiffness=spring, length=1))
    return m


@MODELS
@pytest.mark.parametrize("part", [0.0, 0.3, 0.45, 0.9])
def test_block_below_the_friction_angle_is_held(model, part):
    mu = 0.4
    angle = part * np.arctan(mu)
    m = incline(angle, model(mu))
    eq = lw.static(m)
    assert eq.stable
    assert "friction" in eq.report
    assert float(eq["friction"].load) == pytest.approx(2 * G * np.cos(angle), rel=1e-9)
    assert float(eq["friction"].force) == pytest.approx(-2 * G * np.sin(angle), rel=1e-9, abs=1e-9)
    if part < 0.5 or model is lw.Coulomb:  # bristles are elastic, LuGre's up to half their limit
        x = np.tan(angle) / SIGMA
        assert float(eq["block"].position[0]) == pytest.approx(x, rel=1e-9, abs=1e-15)
    # and a run from there stays there, with the bristles bent
    run = lw.transient(m, t=0.02, h=1e-3, start=eq.state, progress=False)
    assert np.abs(run["block"].position - run["block"].position[0]).max() < 1e-12
    np.testing.assert_allclose(run["friction"].force, -2 * G * np.sin(angle), rtol=1e-6, atol=1e-9)


@MODELS
def test_block_above_the_friction_angle_is_not(model):
    with pytest.raises(lw.SingularError, match=r"nothing holds body 'block' along x, where 4\.6 N"):
        lw.static(incline(0.6, model(0.4)))


@MODELS
def test_block_slides_until_a_spring_and_friction_hold_it(model):
    """k x = m g (sin θ − μ cos θ); starting there again changes nothing."""
    mu, k, angle = 0.4, 50.0, 0.6
    m = incline(angle, model(mu), k)
    eq = lw.static(m)
    x = 2 * G * (np.sin(angle) - mu * np.cos(angle)) / k
    found, tolerance = float(eq["block"].position[0]), 1e-9 if model is lw.Coulomb else 1e-4
    assert found == pytest.approx(x, rel=tolerance)
    again = lw.static(m, at=eq)
    assert float(again["block"].position[0]) == pytest.approx(found, abs=1e-9)


@MODELS
@pytest.mark.parametrize("degrees", [60, -60, 80])
def test_pendulum_in_a_rough_pin_stops_short_of_the_bottom(model, degrees):
    """m g l sin φ = μ r m g where it slid to; it came from that side."""
    mu, r, l, a = 0.5, 0.2, 1.0, np.radians(degrees)
    m = lw.Model("rough pin", gravity=(0, 0, -G))
    bob = m.add("bob", lw.Body(2, (1, 1, 1), position=(l * np.sin(a), 0, -l * np.cos(a))))
    pin = m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("friction", lw.Friction(pin, model(mu), radius=r))
    eq = lw.static(m)
    place = eq["bob"].position.values
    tolerance = 1e-9 if model is lw.Coulomb else 1e-4  # LuGre's bristles come near their limit
    assert place[0] == pytest.approx(np.sign(degrees) * mu * r / l, rel=tolerance)
    assert abs(float(eq["friction"].torque)) == pytest.approx(mu * r * 2 * G, rel=tolerance)
    assert float(eq["friction"].load) == pytest.approx(2 * G, rel=1e-9)
    assert place[2] < 0
    assert eq.stable


def ladder(degrees, mu, length=4.0):
    a, m = np.radians(degrees), lw.Model("ladder", gravity=(0, 0, -G))
    place = length / 2 * np.array([np.cos(a), 0, np.sin(a)])
    body = m.add("ladder", lw.Body(10, (10 * length**2 / 12,) * 3, position=place))
    for name, at, axis in (("floor", (2 * place[0], 0, 0), (0, 0, 1)),
                           ("wall", (0, 0, 2 * place[2]), (1, 0, 0))):  # fmt: skip
        joint = m.add(name, lw.PointOnPlane(lw.GROUND, body, at=at, axis=axis))
        m.add(f"{name}'s friction", lw.Friction(joint, lw.Coulomb(mu)))
    return m, place


@pytest.mark.parametrize("degrees", [75, 60, 50])
def test_ladder_leans_on_a_rough_wall(degrees):
    """It may hold while tan a ≥ (1 − μ²)/(2 μ), 36.9° here; forces balance within their limits."""
    mu = 0.5
    m, place = ladder(degrees, mu)
    eq = lw.static(m)
    assert np.abs(eq["ladder"].position.values - place).max() < 1e-4
    floor, wall = (eq[f"{name}'s friction"] for name in ("floor", "wall"))
    N, W, F, T = float(floor.load), float(wall.load), floor.force.values, wall.force.values
    assert abs(np.linalg.norm(F) - W) < 1e-6
    assert abs(N + np.linalg.norm(T) - 10 * G) < 1e-6
    assert max(float(floor.coefficient), float(wall.coefficient)) <= mu + 1e-9
    a = np.radians(degrees)  # moments about the foot
    moment = 4 * np.sin(a) * W + 4 * np.cos(a) * np.linalg.norm(T) - 10 * G * 2 * np.cos(a)
    assert abs(moment) < 1e-2  # the foot has moved by micrometres


@MODELS
@pytest.mark.parametrize("angle", [0.0, 0.15, 0.33])
def test_bristles_that_hold_are_springs_in_modes(model, angle):
    """ω² = N σ₀/m and 2 δ = N σ₁/m; the same numbers in a state space."""
    damping = 30.0
    m = incline(angle, model(0.4, damping=damping))
    eq = lw.static(m)
    g = G * np.cos(angle)
    found = lw.eigen(m, at=eq).eigenvalues[0]
    exact = -g * damping / 2 + 1j * np.sqrt(g * SIGMA - (g * damping / 2) ** 2)
    assert found == pytest.approx(exact, rel=1e-6)
    A = lw.linearize(m, at=eq.state, inputs=[], outputs=["block.position"]).A
    assert np.abs(np.linalg.eigvals(A).imag).max() == pytest.approx(exact.imag, rel=1e-6)


@MODELS
def test_steady_sliding_has_the_slope_of_the_friction_curve(model):
    """A rotor kept turning by a torque: J s = −N r² g'(v), and it speeds up where g falls."""
    mu, static, speed, r, J, w, load = 0.1, 0.3, 2.0, 0.05, 0.2, 30.0, 2 * G
    more = (static - mu) * np.exp(-((r * w / speed) ** 2))
    m = lw.Model("rotor", gravity=(0, 0, -G))
    rotor = m.add("rotor", lw.Body(2, (J, J, J)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rotor, at=(0, 0, 0), axis=(0, 0, 1), rate=w))
    m.add("friction", lw.Friction(pin, model(mu, static, speed), radius=r))
    m.add("torque", lw.Torque(rotor, (0, 0, (mu + more) * load * r)))
    s = load * r * r * 2 * r * w / speed**2 * more / J
    for at in (None, lw.transient(m, t=1e-2, h=1e-3, progress=False)):
        found = np.array(lw.eigen(m, at=at).eigenvalues)
        assert np.abs(found).max() == pytest.approx(s, rel=1e-4)
        assert found.real.max() == pytest.approx(s, rel=1e-4)
