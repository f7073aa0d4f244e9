"""Flexible links: sections, shapes and constants against closed forms, and the equations against
Lagrange's for the same mass points."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

L = 2.0
# EIz/EIy = 2 keeps the bending frequencies of the two planes apart; no rotary inertia: Euler's beam
SECTION = lw.Section(EA=1e9, EIy=100.0, EIz=200.0, GJ=50.0, mass=2.0, Jx=1e-3, Jy=0.0, Jz=0.0)
FINE = 1e-6  # of frequencies: 40 cubic elements are off by (k h)⁴/1440 = 7e-7 where k L = 7.07


def link(**words):
    return lw.FlexibleLink((0, 0, 0), (L, 0, 0), **{"section": SECTION, **words})


# ------------------------------------------------------------------------------- frequencies


def roots(name):
    """λ L of the slowest bending modes (Blevins, Formulas for natural frequency, table 8-1)."""
    return np.array({
        "clamped-free": [1.87510407, 4.69409113, 7.85475744],
        "pinned-pinned": [np.pi, 2 * np.pi, 3 * np.pi],
        "clamped-pinned": [3.92660231, 7.06858275, 10.21017612],
        "clamped-clamped": [4.73004074, 7.85320462, 10.99560784],
    }[name])  # fmt: skip


@pytest.mark.parametrize("name", ["clamped-free", "pinned-pinned", "clamped-pinned"])
def test_bending_frequencies_are_those_of_eulers_beam(name):
    both = np.sqrt([SECTION.EIy / SECTION.mass, SECTION.EIz / SECTION.mass])
    expected = np.sort(np.outer(roots(name) ** 2 / L**2, both).ravel())[:4] / (2 * np.pi)
    found = link(boundary=name, modes=4, elements=40).modal.frequency
    np.testing.assert_allclose(found, expected, rtol=FINE)
    pair = link(boundary=tuple(name.split("-")), modes=4, elements=40).modal.frequency
    np.testing.assert_array_equal(found, pair)


def test_stretch_and_twist_frequencies():
    soft = lw.Section(EA=30.0, EIy=100.0, EIz=200.0, GJ=20.0, mass=2.0, Jx=0.5)
    shapes = link(section=soft, boundary="clamped-free", modes=12, elements=60).shapes
    first = {m: np.sqrt(shapes.squares[shapes.motions.index(m)]) for m in ("stretch", "twist")}
    # linear elements: (k h)²/24 ≈ 3e-5
    assert first["stretch"] == pytest.approx(np.pi / (2 * L) * np.sqrt(30 / 2), rel=5e-5)
    assert first["twist"] == pytest.approx(np.pi / (2 * L) * np.sqrt(20 / 0.5), rel=5e-5)


def test_craig_bampton_contains_the_cantilever_and_the_fixed_beam():
    rich = link(modes=6, normal=(0, 1, 0))
    assert rich.shapes.motions.count("stretch") >= 1
    bending = [i for i, m in enumerate(rich.shapes.motions) if m == "bending z"]
    expected = roots("clamped-free") ** 2 / L**2 * np.sqrt(SECTION.EIy / SECTION.mass)
    found = np.sqrt(rich.shapes.squares[bending])[:3]
    # the static and fixed-end shapes span the cantilever's modes only nearly, from above
    np.testing.assert_allclose(found, expected, rtol=1e-3)
    assert np.all(found >= expected)


def test_shapes_are_orthogonal_and_move_the_mass_of_the_link():
    c = link(modes=3).modal
    mobile = np.einsum("ijaa->ij", c.G) + c.E
    np.testing.assert_allclose(mobile, c.mass * np.eye(len(c.K)), atol=1e-9)
    np.testing.assert_allclose(c.K, np.diag(np.diag(c.K)), atol=0)


# ------------------------------------------------------------------------------------- statics


def test_craig_bampton_gives_the_exact_compliance_of_the_tip():
    it = link(modes=1)
    _, move, turn = it.interfaces["tip"]
    shape = np.vstack([move, turn])
    found = shape @ np.linalg.solve(it.modal.K, shape.T)
    s, expected = SECTION, np.zeros((6, 6))
    np.fill_diagonal(expected, [L / s.EA, L**3 / 3 / s.EIz, L**3 / 3 / s.EIy, L / s.GJ,
                                L / s.EIy, L / s.EIz])  # fmt: skip
    expected[1, 5] = expected[5, 1] = L**2 / 2 / s.EIz
    expected[2, 4] = expected[4, 2] = -(L**2) / 2 / s.EIy
    np.testing.assert_allclose(found, expected, atol=1e-9 * expected.max())


LOADS = [
    ("force", (0, 1, 0), 1, L**3 / 3 / SECTION.EIz),
    ("force", (0, 0, 1), 2, L**3 / 3 / SECTION.EIy),
    ("force", (1, 0, 0), 0, L / SECTION.EA),
    ("torque", (1, 0, 0), 3, L / SECTION.GJ),
    ("torque", (0, 1, 0), 4, L / SECTION.EIy),
    ("torque", (0, 1, 0), 2, -(L**2) / 2 / SECTION.EIy),
]


@pytest.mark.parametrize(("kind", "vector", "component", "expected"), LOADS)
def test_static_deflection_of_a_cantilever(kind, vector, component, expected):
    size = 1e-3  # small: the theory is linear in the deflection
    m = lw.Model("cantilever")
    beam = m.add("beam", link(modes=1))
    m.add("wall", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    make = lw.Force if kind == "force" else lw.Torque
    m.add("load", make(beam.tip, size * np.array(vector)))
    state = lw.static(m).state["beam.tip"]
    moved = np.concatenate([state.position - [L, 0, 0],
                            Rotation.from_quat(np.roll(state.orientation, -1)).as_rotvec()])
    assert moved[component] == pytest.approx(size * expected, rel=1e-6)


def test_own_weight_bends_a_cantilever():
    """w L⁴/(8 EI) at the tip; the modes 1 … 4 carry all but 1e-5 of it (they converge as 1/λ⁵)."""
    m = lw.Model("shelf", gravity=(0, 0, -1e-3))
    beam = m.add("beam", link(boundary="clamped-free", modes=6, normal=(0, 1, 0)))
    m.add("wall", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    eq = lw.static(m)
    expected = -1e-3 * SECTION.mass * L**4 / 8 / SECTION.EIy
    assert eq.state["beam.tip"].position[2] == pytest.approx(expected, rel=1e-5)
    assert eq["wall"].force[2] == pytest.approx(1e-3 * SECTION.mass * L, rel=1e-9)
    assert eq["wall"].torque[1] == pytest.approx(-1e-3 * SECTION.mass * L**2 / 2, rel=1e-6)


@pytest.mark.filterwarnings("ignore:.*of tension along its axis")
def test_equilibrium_far_from_the_described_position():
    """A stiff rod that lies flat finds down, a quarter turn away, stretched by the weight."""
    m = lw.Model("rod and weight", gravity=(0, 0, -9.81))
    steel = lw.Section.rectangle(0.02, 0.01, E=7e10, density=2700)
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), steel))
    weight = m.add("weight", lw.Body.link((1, 0, 0), (1, 0, -0.5), 0.02, mass=5.0))
    m.add("pin", lw.Revolute(lw.GROUND, rod.root, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("elbow", lw.Revolute(rod.tip, weight, at=(1, 0, 0), axis=(0, 1, 0)))
    eq = lw.static(m)
    assert eq.stable
    stretch = (5.0 + steel.mass / 2) * 9.81 / steel.EA
    assert eq.state["rod.tip"].position == pytest.approx([0, 0, -1 - stretch], abs=1e-4 * stretch)


def test_interface_between_the_ends():
    """A force at the middle: F (L/2)³ (1/3 + 1/2) /EI at the tip, from a frame at s = 0.5."""
    m = lw.Model("middle")
    beam = m.add("beam", link(boundary="clamped-free", modes=8, normal=(0, 1, 0)))
    m.add("wall", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    m.add("load", lw.Force(beam.at(0.5), (0, 0, 1e-3)))
    eq, a = lw.static(m), L / 2
    tip = eq.state["beam.tip"].position[2]
    assert tip == pytest.approx(1e-3 * a**3 * (1 / 3 + 1 / 2) / SECTION.EIy, rel=1e-3)
    assert eq.state["beam.at(0.5)"].position[2] == pytest.approx(
        1e-3 * a**3 / 3 / SECTION.EIy, rel=5e-3
    )


# ------------------------------------------------------------------ the equations themselves


def lagrange(it, R0, gravity):
    """Kinetic and potential energy of a link by a direct sum over its mass points, as functions of
    y = (r, rotation vector about R0, q) and its rate."""
    x, dx = it.shapes.beam.gauss()
    s = it.section
    Phi, Psi = it.shapes.at(x / it.length)
    rho0 = np.zeros((len(x), 3))
    rho0[:, 0] = x
    J = np.array([s.Jx, s.Jy, s.Jz])

    def placed(y):
        R = R0 @ Rotation.from_rotvec(y[3:6]).as_matrix()
        return R, y[:3] + (rho0 + Phi @ y[6:]) @ R.T

    def T(y, yd):
        h = 1e-5
        (Rp, pp), (Rm, pm) = placed(y + h * yd), placed(y - h * yd)
        R, _ = placed(y)
        v, Rd = (pp - pm) / (2 * h), (Rp - Rm) / (2 * h)
        S = R.T @ Rd
        w = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2
        turn = w + Psi @ yd[6:]
        return 0.5 * np.sum(dx * (s.mass * np.sum(v * v, axis=1) + np.sum(J * turn**2, axis=1)))

    def V(y):
        _, p = placed(y)
        return 0.5 * y[6:] @ it.modal.K @ y[6:] - np.sum(s.mass * dx * (p @ gravity))

    return T, V


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equations_are_lagranges(seed):
    """M(y) ÿ + bias = d/dt ∂T/∂ẏ − ∂T/∂y + ∂V/∂y + D q̇ with T, V summed over the mass points.

    Coordinates are the rotation vector about the current orientation, so that at y = 0 generalised
    forces are forces in world axes, moments in the link's axes, and modal forces.
    """
    rng = np.random.default_rng(seed)
    section = lw.Section(*rng.uniform(1, 2, 4), mass=rng.uniform(1, 2))
    m = lw.Model("one", gravity=rng.normal(size=3))
    it = m.add("it", lw.FlexibleLink(rng.normal(size=3), rng.normal(size=3), section, elements=2,
                                     modes=1, damping=0.1))
    data = compile_model(m).data()
    n = len(it.modal.K)
    state = data.system.described_state()
    q, qd, qdd, v, w, a, wd = (rng.normal(size=k) for k in (n, n, n, 3, 3, 3, 3))
    q *= 0.5
    motion, acceleration = state.motion.copy(), np.zeros((data.system.bodies, 6))
    F = data.system.flexible[0].frame
    motion[F, 7:], acceleration[F] = np.concatenate([v, w]), np.concatenate([a, wd])
    values = np.stack([q, qd, qdd])
    state = type(state)(0.0, state.bodies, motion, acceleration, values=values)
    e = data.evaluate(state, tangent=False)
    found = np.concatenate([e.f[F], e.balance])

    T, V = lagrange(it, rotations.matrix(it.orientation), m.gravity)
    size = 6 + n
    y0 = np.concatenate([motion[F, :3], np.zeros(3), q])
    yd = np.concatenate([v, w, qd])
    # ω = T(x) ẋ with T ≈ I − x~/2 near 0: ω̇ = ẍ − ẋ × ẋ/2 = ẍ
    ydd = np.concatenate([a, wd, qdd])
    h = 1e-3

    def dT_dyd(t):
        y, rate = y0 + t * yd + 0.5 * t * t * ydd, yd + t * ydd
        E = np.eye(size)
        return np.array([T(y, rate + e) - T(y, rate - e) for e in E]) / 2  # quadratic: exact

    def gradient(function):
        out = []
        for e in np.eye(size):
            c = [function(y0 + k * h * e) for k in (-2, -1, 1, 2)]
            out.append((c[0] - 8 * c[1] + 8 * c[2] - c[3]) / (12 * h))
        return np.array(out)

    c = [dT_dyd(k * h) for k in (-2, -1, 1, 2)]
    inertia = (c[0] - 8 * c[1] + 8 * c[2] - c[3]) / (12 * h)
    expected = inertia - gradient(lambda y: T(y, yd)) + gradient(V)
    expected[6:] += it.modal.D @ qd
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, atol=2e-6 * scale)  # differences within differences
