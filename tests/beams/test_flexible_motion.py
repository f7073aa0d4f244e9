"""Flexible links in motion: conservation, independent formulations, rigid limits, linearisation."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

SOFT = lw.Section(EA=2e4, EIy=4.0, EIz=6.0, GJ=3.0, mass=1.5, Jx=2e-3, Jy=1e-3, Jz=1e-3)
EULER = lw.Section(EA=1e7, EIy=4.0, EIz=4.0, GJ=1.0, mass=1.5, Jx=1e-3, Jy=0.0, Jz=0.0)
STIFF = lw.Section(EA=1e7, EIy=400.0, EIz=400.0, GJ=1.0, mass=1.5, Jx=1e-3, Jy=0.0, Jz=0.0)


# ------------------------------------------------------------------------------- conservation


def flying(**words):
    """A free link with a weight fixed beside its tip, tumbling."""
    m = lw.Model("flying")
    rod = m.add("rod", lw.FlexibleLink(
        (0.3, 0, 0), (1.1, 0.4, 0.2), SOFT, velocity=(0.2, -0.1, 0.3),
        angular_velocity=(1.0, 2.0, -1.5), **words,
    ))  # fmt: skip
    weight = m.add("weight", lw.Body(0.7, (0.01, 0.02, 0.025), position=(1.2, 0.3, 0.4)))
    m.add("weld", lw.Fixed(rod.tip, weight, at=(1.1, 0.4, 0.2)))
    return m


def test_a_free_link_keeps_momentum_and_energy():
    """Fourth order: halving the step divides the error of the energy by 2⁴ or more."""
    drift = []
    for h in (4e-4, 2e-4):
        run = lw.transient(flying(boundary="clamped-free", modes=3), t=0.4, h=h, method=lw.RK4(),
                           progress=False)
        amplitudes = run["rod"].amplitudes.values
        assert np.abs(amplitudes).max() > 1e-3  # it does deform
        energy = run.energy.total.values
        drift.append(np.abs(energy - energy[0]).max() / energy[0])
        for total in (run.momentum.values, run.angular_momentum.values):
            size = np.abs(total[0]).max()
            np.testing.assert_allclose(total, np.tile(total[0], (len(total), 1)), atol=1e-7 * size)
    assert drift[1] < 1e-6
    assert drift[0] / drift[1] > 12


def test_without_dissipation_the_energy_stays():
    """Trapezoidal rule (ρ = 1): second order in the step, no drift."""
    error = []
    for h in (2e-3, 1e-3):
        run = lw.transient(flying(boundary="clamped-free", modes=3), t=0.5, h=h,
                           method=lw.GeneralizedAlpha(rho=1.0), progress=False)
        energy = run.energy.total.values
        error.append(np.abs(energy - energy[0]).max() / energy[0])
    assert error[1] < 1e-3
    assert error[0] / error[1] > 3


def test_damping_dissipates_what_is_lost():
    run = lw.transient(flying(boundary="clamped-free", modes=2, damping=0.02), t=0.5, h=2e-4,
                       method=lw.RK4(), progress=False)
    lost = run.energy.total.values[0] - run.energy.total.values
    assert lost[-1] > 1e-4
    np.testing.assert_allclose(run.energy.dissipated.values, lost, atol=1e-4 * lost[-1])


# -------------------------------------------------------------------- independent formulations

ROOTS = np.array([1.8751040687119612, 4.694091132974174])


def cantilever_pendulum(length, EI, mu, g, end, angle):
    """A planar pendulum whose frame is clamped at the pin, with two analytic cantilever modes.

    y = (θ, q₁, q₂): θ from the downward vertical.  Virtual work over Gauss points, solved by scipy.
    """
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2 * length, w / 2 * length
    k = ROOTS[:, None] / length
    ratio = ((np.cosh(ROOTS) + np.cos(ROOTS)) / (np.sinh(ROOTS) + np.sin(ROOTS)))[:, None]

    def shape(x):
        return np.cosh(k * x) - np.cos(k * x) - ratio * (np.sinh(k * x) - np.sin(k * x))

    phi, K = shape(x), EI * (ROOTS / length) ** 4 * length  # ∫φ² = L

    def rates(t, y):
        th, q, thd, qd = y[0], y[1:3], y[3], y[4:6]
        e, n = np.array([np.sin(th), -np.cos(th)]), np.array([np.cos(th), np.sin(th)])
        v, vd = q @ phi, qd @ phi  # deflection along n
        J = np.empty((len(x), 2, 3))
        J[:, :, 0] = x[:, None] * n - v[:, None] * e
        J[:, :, 1:] = n[None, :, None] * phi.T[:, None, :]
        bias = thd**2 * (-x[:, None] * e - v[:, None] * n) - 2 * thd * vd[:, None] * e
        M = np.einsum("p,pai,paj->ij", mu * w, J, J)
        f = np.einsum("p,pai,pa->i", mu * w, J, np.array([0.0, -g]) - bias)
        f[1:] -= K * q
        return np.concatenate([y[3:], np.linalg.solve(M, f)])

    start = np.array([angle, 0, 0, 0, 0, 0])
    y = solve_ivp(rates, (0, end), start, rtol=1e-10, atol=1e-12).y[:, -1]
    tip = float(y[1:3] @ shape(np.array([length]))[:, 0])
    return np.array([
        length * np.sin(y[0]) + tip * np.cos(y[0]), -length * np.cos(y[0]) + tip * np.sin(y[0]),
    ])  # fmt: skip


def pendulum(section, angle, *, length=1.2, **words):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    end = (length * np.sin(angle), 0, -length * np.cos(angle))
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), end, section, normal=(0, 1, 0), **words))
    m.add("pin", lw.Revolute(lw.GROUND, rod.root, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


@pytest.mark.filterwarnings("ignore:.*is bent by")  # the same theory in both
def test_pendulum_against_analytic_modes_integrated_by_scipy():
    m = pendulum(EULER, 1.0, boundary="clamped-free", modes=2)
    run = lw.transient(m, t=1.0, h=2e-4, method=lw.RK4(), progress=False)
    found = run["rod.tip"].position.values[-1, [0, 2]]
    expected = cantilever_pendulum(1.2, EULER.EIy, EULER.mass, 9.81, 1.0, 1.0)
    rigid = rigid_pendulum(1.0, 1.0)
    assert np.abs(expected - rigid).max() > 0.01  # the rod is soft enough to matter
    # the frequencies of 20 elements differ by 1e-5 from the analytic ones
    np.testing.assert_allclose(found, expected, atol=2e-4 * np.abs(expected - rigid).max())


def rigid_pendulum(end, angle, length=1.2):
    def rates(t, y):
        return [y[1], -1.5 * 9.81 / length * np.sin(y[0])]

    th = solve_ivp(rates, (0, end), [angle, 0], rtol=1e-11, atol=1e-12).y[0, -1]
    return length * np.array([np.sin(th), -np.cos(th)])


def test_the_shape_set_does_not_matter():
    """Shapes clamped or pinned in their frame: other frames, the same motion, where it is small.

    The largest sagitta (at s = 0.5) of a swinging rod; what frames disagree about is of the order
    Ω²/ω², less than one per cent here.
    """
    found = []
    for words in ({"boundary": "clamped-free", "modes": 4}, {"modes": 2},
                  {"boundary": "pinned-pinned", "modes": 3}):  # fmt: skip
        m = pendulum(STIFF, 1.0, at=(0.5,), **words)
        run = lw.transient(m, t=0.3, h=2e-4, progress=False)
        ends = run["rod.root"].position.values + run["rod.tip"].position.values
        found.append(np.abs(run["rod.at(0.5)"].position.values - ends / 2).max())
    np.testing.assert_allclose(found, found[0], rtol=0.01)


def test_against_a_chain_of_rigid_pieces():
    """24 rigid pieces on hinges with springs EI/h: sagitta and tip over three periods."""
    n, length, angle = 24, 1.2, 1.0
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    e = np.array([np.sin(angle), 0, -np.cos(angle)])
    piece, h = STIFF.mass * length / n, length / n
    last = lw.GROUND
    for k in range(n):
        turned = lw.Body.link(k * h * e, (k + 1) * h * e, 1e-4, mass=piece)
        body = m.add(f"p{k}", turned)
        hinge = m.add(f"h{k}", lw.Revolute(last, body, at=k * h * e, axis=(0, 1, 0)))
        if k:
            m.add(f"s{k}", lw.TorsionSpring(hinge, STIFF.EIy / h))
        last = body
    chain = lw.transient(m, t=0.1, h=1e-4, progress=False)
    expected = chain[f"p{n - 1}"].point((0, 0, h / 2)).values
    middle = chain[f"p{n // 2}"].point((0, 0, -h / 2)).values - expected / 2
    m = pendulum(STIFF, angle, boundary="pinned-pinned", modes=3, at=(0.5,))
    run = lw.transient(m, t=0.1, h=1e-4, progress=False)
    found = run["rod.tip"].position.values
    sag = run["rod.at(0.5)"].position.values - found / 2
    size = np.abs(middle).max()
    assert size > 1e-4
    np.testing.assert_allclose(sag, middle, atol=0.02 * size)  # 24 pieces: one per cent
    np.testing.assert_allclose(found, expected, atol=0.03 * size)


# --------------------------------------------------------------------------------- mechanisms


def four_bar(section=None, boundary="pinned-pinned", modes=1):
    """Crank 0.2, coupler 1, rocker 0.6 between pins 0.9 apart, crank upright at first."""
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    A, B, D = np.array([0, 0, 0.2]), np.array([0.0, 0, 0]), np.array([0.9, 0, 0])
    d = np.linalg.norm(D - A)
    c = (1 + d**2 - 0.36) / (2 * d)
    along = (D - A) / d
    C = A + c * along + np.sqrt(1 - c**2) * np.array([-along[2], 0, along[0]])
    crank = m.add("crank", lw.Body.link(B, A, 0.02, mass=2.0))
    rocker = m.add("rocker", lw.Body.link(D, C, 0.02, mass=1.0))
    if section is None:
        coupler = m.add("coupler", lw.Body.link(A, C, 1e-3, mass=EULER.mass))
        ends = coupler, coupler
    else:
        coupler = m.add("coupler", lw.FlexibleLink(
            A, C, section, boundary=boundary, modes=modes, normal=(0, 1, 0)
        ))  # fmt: skip
        ends = coupler.root, coupler.tip
    y = (0, 1, 0)
    m.add("drive", lw.Revolute(lw.GROUND, crank, at=B, axis=y, rate=6.0))
    m.add("A", lw.Revolute(crank, ends[0], at=A, axis=y))
    m.add("C", lw.Spherical(ends[1], rocker, at=C))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=D, axis=y))
    return m


def stiffer(factor):
    s = EULER
    return lw.Section(s.EA * factor, s.EIy * factor, s.EIz * factor, s.GJ * factor, s.mass,
                      s.Jx, s.Jy, s.Jz)  # fmt: skip


@pytest.mark.filterwarnings("ignore:joint")
@pytest.mark.filterwarnings("ignore:.*is bent by")  # the same theory in both
def test_four_bar_with_a_flexible_coupler_in_two_methods():
    """Generalised alpha tends to Runge and Kutta's solution with the square of the step, in both
    forms of the step, whose errors differ, and where a run changes from one to the other."""
    m = four_bar(EULER)
    exact = lw.transient(m, t=0.4, h=2e-4, method=lw.RK4(), progress=False)
    at = exact["coupler.tip"].position.values[-1]
    assert np.abs(exact["coupler"].amplitudes).max() > 1e-3
    error = {}
    for form in (False, True, None):
        for h in (2e-3, 1e-3):
            method = lw.GeneralizedAlpha(stabilized=form)
            run = lw.transient(m, t=0.4, h=h, method=method, progress=False)
            error[form, h] = np.abs(run["coupler.tip"].position.values[-1] - at).max()
            assert run.violation.position.values.max() < 1e-9
        if form is not None:  # the crank is elsewhere when the other step makes it change
            assert 3.4 < error[form, 2e-3] / error[form, 1e-3] < 4.6
        assert error[form, 1e-3] < 1e-3
    assert error[True, 2e-3] < error[None, 2e-3] < error[False, 2e-3]


@pytest.mark.filterwarnings("ignore:joint")
def test_stiff_links_tend_to_rigid_ones():
    rigid = lw.transient(four_bar(), t=0.3, h=1e-3, progress=False)
    expected = rigid["rocker"].position.values[-1]
    error = []
    for factor in (1e2, 1e4):
        run = lw.transient(four_bar(stiffer(factor), "craig-bampton"), t=0.3, h=1e-3,
                           progress=False)
        error.append(np.abs(run["rocker"].position.values[-1] - expected).max())
    assert error[1] < 1e-5
    assert error[0] > 20 * error[1]


# ------------------------------------------------------------------------------ linearisation


def test_eigen_of_a_cantilever_of_a_pinned_and_of_a_free_beam():
    """λL = 1.8751 clamped; 3.9266 pinned at one end; 4.7300, 7.8532 free (all in one plane)."""
    unit = np.sqrt(EULER.EIy / EULER.mass) / (2 * np.pi)

    def beam():
        m = lw.Model("beam")
        rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), EULER, modes=6, normal=(0, 1, 0)))
        return m, rod

    m, rod = beam()
    m.add("wall", lw.Fixed(lw.GROUND, rod.root, at=(0, 0, 0)))
    found = lw.eigen(m, n=2).frequency
    np.testing.assert_allclose(found, unit * np.array([1.875104, 4.694091]) ** 2, rtol=1e-4)
    m, rod = beam()
    m.add("pin", lw.Revolute(lw.GROUND, rod.root, at=(0, 0, 0), axis=(0, 1, 0)))
    found = lw.eigen(m, n=3).frequency
    assert found[0] == pytest.approx(0, abs=1e-4)
    np.testing.assert_allclose(found[1:], unit * np.array([3.926602, 7.068583]) ** 2, rtol=1e-3)
    m, rod = beam()
    m.add("plane", lw.Planar(lw.GROUND, rod.root, at=(0, 0, 0), axis=(0, 1, 0)))
    found = lw.eigen(m, n=5).frequency
    assert np.abs(found[:3]).max() < 1e-4
    np.testing.assert_allclose(found[3:], unit * np.array([4.730041, 7.853205]) ** 2, rtol=1e-3)


@pytest.mark.parametrize("axis", ["y", "z"])
def test_a_spinning_link_softens_in_its_plane(axis):
    """ω² = ω₀² − Ω² in the plane of rotation and ω₀² across it: no centrifugal stiffening here,
    which would add 1.193 Ω² (Southwell)."""
    spin, normal = 3.0, {"y": (0, 1, 0), "z": (0, 0, 1)}[axis]
    m = lw.Model("rotor")
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), EULER, modes=1, normal=normal,
                                       boundary="clamped-free"))
    m.add("motor", lw.Motor(lw.GROUND, rod.root, (0, 0, 0), (0, 0, 1), angle=lw.ramp(spin)))
    natural = 2 * np.pi * rod.modal.frequency[0]
    expected = np.sqrt(natural**2 - spin**2) if axis == "z" else natural
    part = 100 * 1.193 * spin**2 / expected**2
    with pytest.warns(lw.LinkworkWarning, match=rf"in bending by \+{part:.0f} %"):
        found = 2 * np.pi * lw.eigen(m, n=1).frequency[0]
    assert found == pytest.approx(expected, rel=1e-6)


def test_linearize_takes_frames_of_links():
    m = lw.Model("cantilever")
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), EULER, modes=1, damping=0.05))
    m.add("wall", lw.Fixed(lw.GROUND, rod.root, at=(0, 0, 0)))
    m.add("push", lw.Force(rod.tip, (0, 0, 1.0), drive=lw.constant(0.0)))
    ss = lw.linearize(m, inputs=["push"], outputs=["rod.tip.position.z"])
    gain = (ss.D - ss.C @ np.linalg.solve(ss.A, ss.B)).item()
    assert gain == pytest.approx(1 / (3 * EULER.EIy), rel=1e-6)
