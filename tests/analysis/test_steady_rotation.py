"""Steady rotation found by statics, and small motions about it, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw


def rotating(speed: float, gravity: float = 0.0) -> tuple[lw.Model, lw.Body]:
    """A hub that a motor turns about z."""
    m = lw.Model("rotating", gravity=(0, 0, -gravity))
    hub = m.add("hub", lw.Body(1, (1, 1, 1)))
    angle = lw.ramp(speed)
    m.add("drive", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=angle))
    return m, hub


def arm(speed: float, k: float = 400.0, damping: float = 0.0) -> lw.Model:
    """A mass of 2 kg that slides along a rotating arm on a spring of free length 0.5."""
    m, hub = rotating(speed)
    mass = m.add("mass", lw.Body(2, (0.01, 0.01, 0.01), position=(0.5, 0, 0)))
    m.add("slide", lw.Prismatic(hub, mass, at=(0.5, 0, 0), axis=(1, 0, 0)))
    m.add("spring", lw.Spring(
        hub, mass, at_a=(0, 0, 0), stiffness=k, damping=damping, length=0.5
    ))  # fmt: skip
    return m


@pytest.mark.parametrize("spin", ["drive", (0, 0, 5.0), ((0, 0, 5.0), (0, 0, 3.0))])
def test_a_mass_on_a_rotating_arm(spin):
    # m x Ω² = k (x − l₀);  ω² = k/m − Ω²
    m = arm(5.0)
    eq = lw.static(m, spin=spin, progress=False)
    x = 400 * 0.5 / (400 - 2 * 25)
    np.testing.assert_allclose(eq["mass"].position, [x, 0, 0], atol=1e-12)
    np.testing.assert_allclose(eq["mass"].velocity, [0, 5 * x, 0], atol=1e-12)
    assert eq.stable and "everything turns with (0, 0, 5) rad/s" in repr(eq)
    modes = lw.eigen(m, at=eq)
    np.testing.assert_allclose(modes.eigenvalues, [1j * np.sqrt(400 / 2 - 25)], rtol=1e-9)
    # the joint holds the mass on its circle, along y nothing
    run = lw.transient(m, t=0.1, h=0.01, start=eq.state, progress=False)
    np.testing.assert_allclose(
        np.linalg.norm(run["mass"].position, axis=1), x, rtol=1e-9
    )


def test_a_spring_that_is_too_soft_holds_nothing():
    # m x Ω² = k (|x| − l₀) has no solution where k < m Ω²
    with pytest.raises(lw.SingularError, match="nothing holds body 'mass'"):
        lw.static(arm(20.0), spin="drive", max_iterations=15, progress=False)


def test_gyroscopic_forces_hold_a_mass_that_centrifugal_forces_would_throw_out():
    """An isotropic spring in the plane: in turning axes λ = i(−Ω ± ω₀), whatever Ω."""
    m, hub = rotating(30.0)
    mass = m.add("mass", lw.Body(2, (0.01, 0.01, 0.01)))
    m.add("plane", lw.Lock(hub, mass, at=(0, 0, 0), rows="z rx ry rz"))
    m.add("spring", lw.Bushing(hub, mass, at=(0, 0, 0), stiffness=(200, 200, 0, 0, 0, 0)))
    eq = lw.static(m, spin="drive", progress=False)
    assert eq.stable
    # in the plane the coefficients are constant in world axes too, where the mode is ω₀ twice
    modes = lw.eigen(m, at=eq)
    expected = [10.0, 10.0] if modes.axes == "world axes" else [20.0, 40.0]
    np.testing.assert_allclose(np.sort(modes.eigenvalues.imag), expected, rtol=1e-6)


def blade(speed: float, offset: float, axis, gravity: float = 0.0) -> lw.Model:
    """A uniform thin bar from a hinge at `offset` to the radius 1."""
    m, hub = rotating(speed, gravity)
    length = 1 - offset
    J = length**2 / 12
    bar = m.add("bar", lw.Body(1, (0, J, J), position=(offset + length / 2, 0, 0)))
    m.add("hinge", lw.Revolute(hub, bar, at=(offset, 0, 0), axis=axis))
    return m


@pytest.mark.parametrize("offset", [0.0, 0.1, 0.3])
def test_a_rigid_blade_flaps_and_lags_on_its_hinge(offset):
    # A. R. S. Bramwell, Helicopter Dynamics: flap (ω/Ω)² = 1 + 3e/2(1 − e), lag 3e/2(1 − e)
    speed, lag = 30.0, 1.5 * offset / (1 - offset)
    m = blade(speed, offset, (0, 1, 0))
    flap = lw.eigen(m, at=lw.static(m, spin="drive", progress=False))
    np.testing.assert_allclose(flap.eigenvalues, [1j * speed * np.sqrt(1 + lag)], rtol=1e-9)
    if offset:
        m = blade(speed, offset, (0, 0, 1))
        found = lw.eigen(m, at=lw.static(m, spin="drive", progress=False))
        np.testing.assert_allclose(found.eigenvalues, [1j * speed * np.sqrt(lag)], rtol=1e-9)


def test_a_blade_droops_to_where_weight_and_centrifugal_force_balance():
    m = blade(8.0, 0.1, (0, 1, 0), gravity=9.81)
    eq = lw.static(m, spin="drive", progress=False)
    beta = float(eq["hinge"].angle)  # about +y: down
    # moments about the hinge of m g and of the centrifugal load Ω² (e + s cos β) over the bar
    length = 0.9
    weight = 9.81 * length / 2 * np.cos(beta)
    s, w = np.polynomial.legendre.leggauss(8)
    s, w = (s + 1) * length / 2, w / 2
    thrown = np.sum(w * 64 * (0.1 + s * np.cos(beta)) * s * np.sin(beta))
    assert thrown == pytest.approx(weight, rel=1e-9) and beta > 0.1


@pytest.mark.parametrize("speed", [2.0, 4.0])
def test_a_rotating_pendulum_hangs_or_swings_out(speed):
    # cos θ = g/(L Ω²) where that is below 1; ω = Ω sin θ there, √(g/L − Ω²) where it hangs
    theta = np.arccos(min(1.0, 9.81 / speed**2))
    start = 0.8 if theta else 0.1
    m, hub = rotating(speed, gravity=9.81)
    bob = m.add("bob", lw.Body(1, (0, 0, 0), position=(np.sin(start), 0, -np.cos(start))))
    m.add("pin", lw.Revolute(hub, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    eq = lw.static(m, spin="drive", progress=False)
    x, _, z = np.asarray(eq["bob"].position)
    assert np.arctan2(x, -z) == pytest.approx(theta, abs=1e-9) and eq.stable
    omega = speed * np.sin(theta) if theta else np.sqrt(9.81 - speed**2)
    np.testing.assert_allclose(lw.eigen(m, at=eq).eigenvalues, [1j * omega], rtol=1e-8)


def rotating_chain(speed: float, n: int, EA: float = 1e7) -> lw.Model:
    """A cantilever of n pieces, EI = 1, mass 1 per length, that turns about its clamp."""
    m, before = rotating(speed)
    h = 1 / n
    for i in range(n):
        x, s = (i + 0.5) * h, h if i else h / 2
        b = m.add(f"b{i}", lw.Body(h, (1e-6 * h, h**3 / 12, h**3 / 12), position=(x, 0, 0)))
        k = (EA / s, EA / s, EA / s, 1 / s, 1 / s, 1 / s)
        m.add(f"j{i}", lw.Bushing(before, b, at=(i * h, 0, 0), stiffness=k))
        before = b
    return m


@pytest.mark.parametrize("eta, flap", [(2.0, 4.13732), (6.0, 7.36037)])
def test_a_rotating_cantilever_is_stiffened(eta, flap):
    """First flap and lag against Wright, Smith, Thresher and Wang (1982), lag² = flap² − η².

    A chain of n pieces comes to the beam with h²: two chains are extrapolated, which leaves 2e-4.
    """
    found = []
    for n in (8, 16):
        m = rotating_chain(eta, n)
        modes = lw.eigen(m, at=lw.static(m, spin="drive", progress=False), n=2)
        found.append(np.sort(modes.eigenvalues.imag))
    lag, high = (4 * found[1] - found[0]) / 3
    assert high == pytest.approx(flap, rel=2e-4)
    assert lag == pytest.approx(np.sqrt(flap**2 - eta**2), rel=2e-3)
    errors = [abs(modes[1] - flap) for modes in found]
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1


@pytest.mark.filterwarnings("ignore:.*of tension along its axis")
def test_a_flexible_link_keeps_the_shape_in_which_statics_finds_it():
    m, hub = rotating(20.0, gravity=9.81)
    section = lw.Section.rectangle(0.02, 0.01, E=7e10, density=2700)
    link = m.add("link", lw.FlexibleLink(
        (0.1, 0, 0), (1.1, 0, 0), section, modes=4, boundary="clamped-free"
    ))  # fmt: skip
    m.add("clamp", lw.Fixed(hub, link.root, at=(0.1, 0, 0)))
    eq = lw.static(m, spin="drive", progress=False)
    run = lw.transient(m, t=0.05, h=2e-4, start=eq.state, progress=False)
    amplitudes = run["link"].amplitudes.values
    np.testing.assert_allclose(amplitudes, amplitudes[[0]].repeat(len(run), 0), atol=1e-7)
    assert np.abs(amplitudes).max() > 1e-3
    # deformations are small and linear in this element: no stiffening, the frequency stays
    beta = 1.87510407**2 * np.sqrt(7e10 * 0.02 * 0.01**3 / 12 / (2700 * 0.02 * 0.01))
    assert lw.eigen(m, at=eq, n=1).eigenvalues[0].imag == pytest.approx(beta, rel=2e-2)


def rotor(speed: float, offset: float = 0.0) -> lw.Model:
    """Rotor and stator of docs/references.md, section 2; gravity along the axis."""
    m = lw.Model("rotor", gravity=(0, 0, -1e-2))
    stator = m.add("stator", lw.Body(200, (50, 50, 10)))
    disk = m.add("disk", lw.Body(1300, (500, 500, 1000), position=(offset, 0, 0.75)))
    m.add("bearing", lw.Revolute(stator, disk, at=(0, 0, 0), axis=(0, 0, 1), rate=speed))
    m.add("mount", lw.Bushing(
        lw.GROUND, stator, at=(0, 0, 0), stiffness=(1000, 1000, 1000, 1e4, 1e4, 1e5),
        damping=(1, 1, 1, 10, 10, 100),
    ))  # fmt: skip
    return m


def test_a_rotor_turns_in_a_bearing_that_has_sunk():
    m = rotor(2.0)
    eq = lw.static(m, spin="bearing", progress=False)
    np.testing.assert_allclose(eq["stator"].position, [0, 0, -1500 * 1e-2 / 1000], atol=1e-9)
    np.testing.assert_allclose(eq["disk"].angular_velocity, [0, 0, 2], atol=1e-12)
    np.testing.assert_allclose(eq["stator"].angular_velocity, 0, atol=1e-12)
    assert lw.eigen(m, at=eq).axes == "world axes"


def test_what_does_not_turn_steadily_is_refused():
    with pytest.raises(lw.ModelError, match="gravity .* is not along the axis"):
        m = blade(30.0, 0.1, (0, 1, 0))
        m.gravity = (0, -9.81, 0)
        lw.static(m, spin="drive", progress=False)
    with pytest.raises(lw.ModelError, match="not balanced"):
        lw.static(rotor(2.0, offset=0.1), spin="bearing", progress=False)
    with pytest.raises(lw.ModelError, match="does not turn"):
        lw.static(arm(0.0), spin="drive", progress=False)
    with pytest.raises(lw.ModelError, match="'drive', row .* does not let everything turn"):
        lw.static(arm(5.0), spin=(5.0, 0, 0), progress=False)
    with pytest.raises(lw.ModelError, match="angular velocity"):
        lw.static(arm(5.0), spin="spring", progress=False)
    m = arm(5.0)
    m.add("rope", lw.Spring(lw.GROUND, m["mass"], at_a=(3, 0, 0), stiffness=10, length=1))
    with pytest.raises(lw.ModelError, match="no steady rotation"):
        lw.static(m, spin="drive", progress=False)
