"""Frames and blades of the literature: snap-through, lateral buckling, spin-up, long runs."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.extend import rotations


def lees_frame(n=6):
    """S. L. Lee, F. S. Manuel, E. C. Rossow (1968): hinged at both ends, load at a fifth."""
    m = lw.Model("lee")
    section = lw.Section(stiffness=[4.32e7, 1.662e7, 1.662e7, 1e9, 1.44e7, 1e9], mass=1.0)
    column = m.add("column", lw.Beam((0, 0, 0), (0, 0, 120), section, elements=n, up=(1, 0, 0)))
    beam = m.add("beam", lw.Beam((0, 0, 120), (120, 0, 120), section, elements=n, up=(0, 0, 1)))
    m.add("corner", lw.Fixed(column.tip, beam.root, at=(0, 0, 120)))
    m.add("foot", lw.Revolute(lw.GROUND, column.root, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("end", lw.Revolute(lw.GROUND, beam.tip, at=(120, 0, 120), axis=(0, 1, 0)))
    m.add("P", lw.Force(beam.at(0.2), (0, 0, -1e4)))
    return m


def test_lees_frame_snaps_through():
    """Limit loads 18,552 and −9,404 (J. C. Simo, L. Vu-Quoc, Computer Methods in Applied Mechanics
    and Engineering 58 (1986): 20 elements of first order, GA = 1.662e7)."""
    path = lw.equilibrium_path(lees_frame(), until=2.0, steps=150, progress=False)
    limits = [p.factor for p in path.limit_points]
    assert path.reached and path.factor[-1] == pytest.approx(2.0)
    # their mesh is too stiff by some thousandths
    assert limits[0] == pytest.approx(1.8552, rel=2e-3)
    assert min(limits) == pytest.approx(-0.9404, rel=4e-3)
    down = 120 - path["beam.at(0.2)"].position.values[:, 2]
    assert down.max() > 90 and np.any(np.diff(down) < 0)  # it snaps back, too


def test_princeton_beam():
    """Aluminium strip, 13.345 and 8.896 N at 45° (experiments of E. H. Dowell and J. J. Traybar,
    1975); the rod's equations solved to all digits given, stiff and flexible direction in mm."""
    section = lw.Section.rectangle(0.012377, 0.0032024, E=71.7e9, nu=0.31, density=2700)
    for load, expected in ((13.345, (15.342, 156.587)), (8.896, (8.889, 109.041))):
        m = lw.Model("princeton")
        beam = m.add("beam", lw.Beam((0, 0, 0), (0.508, 0, 0), section, elements=8))
        m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
        m.add("P", lw.Force(beam.tip, np.array([0, 1.0, -1.0]) * load / np.sqrt(2)))
        found = lw.static(m, progress=False)
        assert found.iterations < 20
        tip = 1e3 * found["beam.tip"].position.values[1:] * (1, -1)
        np.testing.assert_allclose(tip, expected, atol=2e-3)


def right_angle(P, n=8):
    """240 mm legs, 30 × 0.6 mm, E = 71240, ν = 0.31; the load in the plane of the frame."""
    section = lw.Section.rectangle(0.6, 30.0, E=71240.0, nu=0.31, density=1e-6)
    m, L = lw.Model("frame"), 240.0
    leg = m.add("leg", lw.Beam((0, 0, 0), (L, 0, 0), section, elements=n, up=(0, 0, 1)))
    arm = m.add("arm", lw.Beam((L, 0, 0), (L, 0, -L), section, elements=n, up=(1, 0, 0)))
    m.add("corner", lw.Fixed(leg.tip, arm.root, at=(L, 0, 0)))
    m.add("clamp", lw.Fixed(lw.GROUND, leg.root, at=(0, 0, 0)))
    m.add("P", lw.Force(arm.tip, (P, 0, 0)))
    return m


def critical_load(sign, weak, strong, GJ, L=240.0):
    """Of the frame that does not bend in its plane before it buckles.

    The tip's dead load F is the force in all sections, and (r_tip − r) × F their moment, so that a
    small turn φ and displacement u out of the plane follow K φ′ = (u_tip − u) × F − φ × m₀,
    u′ = φ × t; critical is where u reaches u_tip.
    """

    def gap(P):
        F, tip = np.array([sign * P, 0, 0]), np.array([L, 0, -L])

        def along(start, t, K, y0):
            def slopes(s, y):
                phi, u = y[:3], y[3:]
                m0 = np.cross(tip - start - s * t, F)
                moment = np.cross((0, 1.0, 0) - u, F) - np.cross(phi, m0)
                return [*(moment / K), *np.cross(phi, t)]

            return solve_ivp(slopes, (0, L), y0, rtol=1e-9, atol=1e-12).y[:, -1]

        y = along(np.zeros(3), np.array([1.0, 0, 0]), (GJ, strong, weak), np.zeros(6))
        y = along(np.array([L, 0, 0]), np.array([0, 0, -1.0]), (weak, strong, GJ), y)
        return y[4] - 1.0

    return brentq(gap, 0.3, 1.4, xtol=1e-6)


@pytest.mark.parametrize(("sign", "published"), [(1.0, 1.088), (-1.0, 0.680)])
def test_lateral_buckling_of_a_right_angle_frame(sign, published):
    """Against the rod's equations; J. H. Argyris and others, Computer Methods in Applied Mechanics
    and Engineering 20 (1979), have three digits of a mesh of theirs."""
    m = right_angle(sign)
    found = lw.buckling(m, n=1, progress=False)
    GJ, strong, weak = np.diag(m["leg"].section.matrix)[3:]
    assert found.exact[0]
    # bending in the plane before counts as weak/strong = 4e-4, shear less
    assert found.factor[0] == pytest.approx(critical_load(sign, weak, strong, GJ), rel=1e-3)
    assert found.factor[0] == pytest.approx(published, rel=5e-3)


def flexible_elbow(**words):
    """J. C. Simo, L. Vu-Quoc, Computer Methods in Applied Mechanics and Engineering 66 (1988):
    two legs of 10, pushed out of their plane at the elbow, a triangle of 50 over 2 s."""
    section = lw.Section(stiffness=[1e6, 1e6, 1e6, 1e3, 1e3, 1e3], mass=1.0, inertia=(20, 10, 10))
    m = lw.Model("elbow")
    leg = m.add("leg", lw.Beam((0, 0, 0), (0, 10, 0), section, elements=5, **words))
    arm = m.add("arm", lw.Beam((0, 10, 0), (10, 10, 0), section, elements=5, **words))
    m.add("corner", lw.Fixed(leg.tip, arm.root, at=(0, 10, 0)))
    m.add("clamp", lw.Fixed(lw.GROUND, leg.root, at=(0, 0, 0)))
    push = lw.table([0, 1, 2], [0, 50, 0], kind="linear", outside="hold")
    m.add("push", lw.Force(leg.tip, (0, 0, 1.0), drive=push))
    return m


def elbow_of_pieces(n):
    """The same of n rigid pieces a leg between bushings with their stiffness."""
    m, l, before, turned = lw.Model("pieces"), 10.0 / n, lw.GROUND, None
    K = np.array([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]) / l
    inertia = (20 * l, 10 * l + l**3 / 12, 10 * l + l**3 / 12)
    corner = m.add("corner", lw.Body(1e-3, (1e-2, 1e-2, 1e-2), position=(0, 10, 0)))
    for leg, (origin, x) in enumerate((((0, 0, 0), (0, 1.0, 0)), ((0, 10, 0), (1.0, 0, 0)))):
        axes = Rotation.from_matrix(np.column_stack([x, np.cross((0, 0, 1.0), x), (0, 0, 1.0)]))
        for i in range(n):
            at = np.array(origin) + i * l * np.array(x)
            if leg and not i:
                m.add("end", lw.Bushing(
                    before, corner, at=at, orientation=turned, stiffness=2 * K
                ))  # fmt: skip
                before = corner
            piece = m.add(f"b{leg}{i}", lw.Body(
                l, inertia, position=at + l / 2 * np.array(x), orientation=axes
            ))  # fmt: skip
            m.add(f"k{leg}{i}", lw.Bushing(
                before, piece, at=at, orientation=axes, stiffness=K if i else 2 * K
            ))  # fmt: skip
            before, turned = piece, axes
    push = lw.table([0, 1, 2], [0, 50, 0], kind="linear", outside="hold")
    m.add("push", lw.Force(corner, (0, 0, 1.0), drive=push))
    return m, before, l


def test_a_flexible_elbow_vibrates_as_far_as_its_legs_are_long():
    """Both kinds of inertia agree, and chains of rigid pieces converge to them with second order;
    the account of energy is closed."""
    ends = []
    for inertia in ("lumped", "consistent"):
        run = lw.transient(flexible_elbow(inertia=inertia), t=18.0, h=0.02, progress=False)
        ends.append(run["arm.tip"].position.values)
        energy = run.energy
        assert np.abs(energy["balance"]).max() < 1e-2 * float(energy["total"].max())
    assert np.abs(ends[0] - ends[1]).max() < 0.05
    apart = []
    for n in (6, 12):
        m, last, l = elbow_of_pieces(n)
        run = lw.transient(m, t=18.0, h=0.02, progress=False)[last.name]
        tip = run.position.values + l / 2 * rotations.matrix(run.orientation.values)[..., 0]
        apart.append(np.abs(tip - ends[1]).max())
    assert apart[1] < 0.15 and 3 < apart[0] / apart[1] < 5.5 and np.ptp(ends[1][:, 2]) > 17


def blade(speed, elements=10):
    m = lw.Model("blade")
    hub = m.add("hub", lw.Body(1, (1, 1, 1)))
    m.add("drive", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(speed)))
    section = lw.Section(stiffness=[1e6, 1e6, 1e6, 1.0, 1.0, 1.0], mass=1.0)
    beam = lw.Beam((0, 0, 0), (1, 0, 0), section, elements=elements, inertia="consistent")
    m.add("beam", beam)
    m.add("clamp", lw.Fixed(hub, beam.root, at=(0, 0, 0)))
    return m


def flap_frequencies(eta, n=14):
    """By Rayleigh and Ritz with x² times Legendre's polynomials: ∫ w″² + η² (1 − x²)/2 w′² over
    ∫ w² dx; all digits of Wright's table."""
    from numpy.polynomial import Legendre, Polynomial
    from scipy.linalg import eigh

    x, weight = np.polynomial.legendre.leggauss(60)
    x, weight = (x + 1) / 2, weight / 2
    basis = [Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial) * Polynomial([0, 0, 1])
             for k in range(n)]  # fmt: skip
    w, w1, w2 = (np.array([p.deriv(d)(x) if d else p(x) for p in basis]) for d in (0, 1, 2))
    K = (w2 * weight) @ w2.T + (w1 * weight * eta**2 * (1 - x**2) / 2) @ w1.T
    return np.sqrt(eigh(K, (w * weight) @ w.T, eigvals_only=True)[:2])


def test_rotating_frequencies_with_consistent_inertia():
    """A. D. Wright and others, Journal of Applied Mechanics 49 (1982): flap, lag² = flap² − η²."""
    speeds = np.array([0.0, 2.0, 6.0, 12.0])
    flap = np.array([flap_frequencies(eta) for eta in speeds])
    np.testing.assert_allclose(flap[2], (7.36037, 26.80908), atol=1e-5)  # published
    with warnings.catch_warnings():  # of high modes of the mesh that may grow
        warnings.filterwarnings("ignore", ".*among the highest of the mesh", lw.LinkworkWarning)
        found = 2 * np.pi * lw.campbell(blade, speeds, n=4, progress=False).frequency
    lag = np.sqrt(flap**2 - speeds[:, None] ** 2)
    expected = np.sort(np.hstack([flap, lag]), axis=1)
    found = np.sort(found, axis=1)
    np.testing.assert_allclose(found[:, 1], expected[:, 1], rtol=3e-5)  # first flap
    # lag is the root of a difference, and feels the extension η²/3EA six times; second modes shear
    np.testing.assert_allclose(found, expected, rtol=4e-4)


def spin_up(speed=6.0, ramp=15.0):
    """T. R. Kane, R. R. Ryan, A. K. Banerjee (1987), data of Wu and Haug: the angle is the integral
    of Ω (t/T − sin(2πt/T)/2π), then the speed is constant."""
    m = lw.Model("spin-up")
    hub = m.add("hub", lw.Body(1, (1, 1, 1)))

    w = 2 * np.pi / ramp

    def angle(t):
        s = min(t, ramp)
        return speed / ramp * (s * s / 2 + (np.cos(w * s) - 1) / w**2) + speed * max(t - ramp, 0.0)

    def rate(t):
        return speed / ramp * (t - np.sin(w * t) / w) if t < ramp else speed

    def acceleration(t):
        return speed / ramp * (1 - np.cos(w * t)) if t < ramp else 0.0

    law = lw.function(angle, d1=rate, d2=acceleration)
    m.add("drive", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=law))
    section = lw.Section(stiffness=[2.8e7, 1e7, 1e7, 1e4, 1.4e4, 1.4e4], mass=1.2)
    beam = m.add("beam", lw.Beam((0, 0, 0), (10, 0, 0), section, elements=6))
    m.add("clamp", lw.Fixed(hub, beam.root, at=(0, 0, 0)))
    return m


def test_spin_up_stiffens_the_beam():
    """The tip lags while it is sped up, comes back, and is 5.14317e-4 m further out at last."""
    run = lw.transient(spin_up(), t=20.0, h=0.02, progress=False)
    x, q = run["beam.tip"].position.values, run["hub"].orientation.values
    turn = 2 * np.arctan2(q[:, 3], q[:, 0])
    along = x[:, 0] * np.cos(turn) + x[:, 1] * np.sin(turn)
    lag = -x[:, 0] * np.sin(turn) + x[:, 1] * np.cos(turn)
    last = run.time > 16
    assert lag.min() == pytest.approx(-0.57, abs=0.02)  # published diagrams: a little below −0.5
    assert np.abs(lag[last]).max() < 1e-2
    assert (along[last] - 10).mean() == pytest.approx(5.14317e-4, rel=1e-2)


def flying(elements):
    """A free beam, spinning, that is pushed at one end."""
    section = lw.Section(stiffness=[1e3, 1e3, 1e3, 50, 50, 50], mass=1.0, inertia=(0.1, 0.05, 0.05))
    m = lw.Model("flying")
    beam = m.add("beam", lw.Beam(
        (0, 0, 0), (4, 0, 0), section, elements=elements, angular_velocity=(0.3, 0.5, 1.0)
    ))  # fmt: skip
    push = lw.table([0, 0.5, 1], [0, 1, 0], kind="linear", outside="hold")
    m.add("push", lw.Force(beam.tip, (0, 4.0, 3.0), drive=push))
    return m


@pytest.mark.slow
def test_energy_over_many_steps():
    """1e5 steps of a free, bent, spinning beam: no drift of the energy but for the method's."""
    run = lw.transient(flying(6), t=200.0, h=2e-3, every=50, progress=False)
    total = run.energy["total"].values[20:]
    assert np.abs(total - total[0]).max() < 1e-3 * total[0]
    p = run.momentum.values[20:]
    assert np.abs(p - p[0]).max() < 1e-6 * np.abs(p[0]).max()


def test_a_mesh_that_flutters_is_told():
    """Three elements with lumped masses: two of its modes meet, and grow by e in a second."""
    with warnings.catch_warnings(record=True) as told:  # its waves are not resolved, either
        warnings.simplefilter("always")
        lw.transient(flying(3), t=9.0, h=4e-3, progress=False)
    assert any("J into the motion" in str(each.message) for each in told)
