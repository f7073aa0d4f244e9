"""lw.eigen against closed forms and docs/references.md; each test names its reference."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwork as lw

G = 9.81
TIGHT = 1e-9  # closed forms: only round-off of small dense problems is left
STATIC = 1e-7  # where statics ends at a relative force of 1e-10


def still(model):
    return lw.static(model, progress=False)


def pendulum(angle):
    """Peng et al. 2024, section 4.1: 15 kg at 4 m below a revolute joint, off the vertical."""
    model = lw.Model("pendulum", gravity=(0, 0, -G))
    place = 4 * np.array([np.sin(angle), 0, -np.cos(angle)])
    rod = model.add("rod", lw.Body(mass=15, inertia=(0, 0, 0), position=place))
    model.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    return model


# ----------------------------------------------------------------------------- about equilibria


def test_pendulum_hanging():
    """references.md 1: 0 ± 1.566i, √(g/L)."""
    model = pendulum(np.radians(30))
    modes = lw.eigen(model, at=still(model))
    assert np.allclose(modes.eigenvalues, [1j * np.sqrt(G / 4)], rtol=TIGHT)
    assert np.allclose(modes.frequency, np.sqrt(G / 4) / (2 * np.pi), rtol=TIGHT)
    assert modes.stable and np.allclose(modes.damping, 0, atol=1e-12)
    # it swings: displacement 4 m for each radian about −y
    assert np.allclose(modes["rod"][0], [1, 0, 0, 0, -0.25, 0], atol=1e-7)
    assert modes.shape(0).shape == (1, 6)
    assert "1.56605i" in repr(modes) and "rod" in repr(modes)


def test_pendulum_upright():
    """references.md 1: ±1.566, unstable."""
    modes = lw.eigen(pendulum(np.pi))
    assert np.allclose(modes.eigenvalues, [np.sqrt(G / 4), -np.sqrt(G / 4)], rtol=TIGHT)
    assert not modes.stable
    assert np.allclose(modes.frequency, 0) and np.allclose(modes.damping, [-1, 1])


def test_pendulum_without_constraint_stiffness():
    """references.md 1: zeros, with a warning."""
    with pytest.warns(lw.LinkworkWarning, match="stiffness of constraints"):
        modes = lw.eigen(pendulum(0), constraint_stiffness=False)
    assert np.allclose(modes.eigenvalues, [0])


@pytest.mark.parametrize("c", [0.0, 4.0, 60.0])
def test_spring_mass_damper(c):
    """Roots of m s² + c s + k: undamped, underdamped (a pair counts once), overdamped (two)."""
    m, k = 2.0, 50.0
    model = lw.Model("oscillator")
    mass = model.add("mass", lw.Body(m, (1, 1, 1), position=(0, 0, 1)))
    model.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add("spring", lw.Spring(lw.GROUND, mass, stiffness=k, damping=c))
    modes = lw.eigen(model)
    roots = np.roots([m, c, k])
    expected = sorted((r for r in roots if r.imag >= 0), key=abs)
    assert np.allclose(modes.eigenvalues, expected, rtol=TIGHT)
    assert len(modes) == (2 if c > 20 else 1)
    ratio = c / (2 * np.sqrt(k * m))
    assert np.allclose(modes.damping, min(ratio, 1.0), atol=TIGHT)
    assert np.allclose(modes.frequency, np.abs(roots.imag[: len(modes)]) / (2 * np.pi), rtol=TIGHT)


def test_double_pendulum():
    """Equal point masses and lengths: ω² = (2 ± √2) g/l, second bob √2 times the first."""
    l = 0.7
    model = lw.Model("double", gravity=(0, 0, -G))
    a = model.add("a", lw.Body(1.3, (0, 0, 0), position=(0, 0, -l)))
    b = model.add("b", lw.Body(1.3, (0, 0, 0), position=(0, 0, -2 * l)))
    model.add("upper", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add("lower", lw.Revolute(a, b, at=(0, 0, -l), axis=(0, 1, 0)))
    modes = lw.eigen(model)
    expected = np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * G / l)
    assert np.allclose(modes.eigenvalues, 1j * expected, rtol=TIGHT)
    # x_b/x_a = 1 ± √2 from the equations of small motions
    ratio = modes["b"][:, 0] / modes["a"][:, 0]
    assert np.allclose(ratio, 1 + np.array([1, -1]) * np.sqrt(2), rtol=1e-8)
    assert len(lw.eigen(model, n=1)) == 1 and len(lw.eigen(model, n=9)) == 2


def test_five_bar():
    """references.md 2: natural frequencies 3.284544, 7.126232 rad/s."""
    A, B, C, D, E = np.array([[0, 0], [1, 0], [-1, -1], [0.5, -2], [2, -1]], float)
    model = lw.Model("five-bar", gravity=(0, -G, 0))
    bars, before, here = {}, lw.GROUND, A
    for name, p, q, m in (("AC", A, C, 1), ("CD", C, D, 1.5), ("DE", D, E, 1.5), ("EB", E, B, 1)):
        J = m * np.sum((q - p) ** 2) / 12
        bar = model.add(name, lw.Body(m, (J, J, J), position=(*(p + q) / 2, 0)))
        model.add(f"pin{name}", lw.Revolute(before, bar, at=(*here, 0), axis=(0, 0, 1)))
        bars[name], before, here = bar, bar, q
    model.add("pinB", lw.PointOnLine(before, lw.GROUND, at=(*B, 0), axis=(0, 0, 1)))
    for name, bar, point, length in (("BC", "AC", C, 2.2360680), ("BD", "CD", D, 2.0615528)):
        model.add(name, lw.Spring(lw.GROUND, bars[bar], at_a=(*B, 0), at_b=(*point, 0),
                                  stiffness=100, length=length))  # fmt: skip
    modes = lw.eigen(model, at=still(model))
    assert np.allclose(modes.eigenvalues, [3.284544j, 7.126232j], atol=1e-6)


def test_parallelogram_with_redundant_joints():
    """Four revolutes (three rows repeat): ω² = (m + M) g L/(2/3 m L² + M L²), uniform cranks."""
    m, M, L = 1.0, 3.0, 0.5
    model = lw.Model("swing", gravity=(0, 0, -G))
    J = m * L**2 / 12
    seat = model.add("seat", lw.Body(M, (1, 1, 1), position=(0.5, 0, -L)))
    for name, x in (("left", 0.0), ("right", 1.0)):
        crank = model.add(name, lw.Body(m, (J, J, J), position=(x, 0, -L / 2)))
        model.add(f"top {name}", lw.Revolute(lw.GROUND, crank, at=(x, 0, 0), axis=(0, 1, 0)))
        model.add(f"low {name}", lw.Revolute(crank, seat, at=(x, 0, -L), axis=(0, 1, 0)))
    with pytest.warns(lw.LinkworkWarning, match="repeat"):
        modes = lw.eigen(model)
    expected = np.sqrt((m + M) * G * L / (2 / 3 * m * L**2 + M * L**2))
    assert np.allclose(modes.eigenvalues, [1j * expected], rtol=TIGHT)


def catenary(n):
    """n thin links from (0, 0, 0) to (10, 0, 0), total length 2√61, at their equilibrium.

    Link i carries H and V_i = (i − (n − 1)/2) m g at its middle, so its slope is V_i/H; the span
    gives H.  Joints hold torsion but for the last, where thin links leave nothing to hold.
    """
    l = 2 * np.sqrt(61) / n
    m = 0.8 * l
    V = (np.arange(n) - (n - 1) / 2) * m * G
    H = brentq(lambda H: np.sum(l / np.hypot(1, V / H)) - 10, 1e-3 * m * n, 1e5 * m * n, xtol=1e-13)
    slope = np.arctan2(V, H)
    links = l * np.column_stack([np.cos(slope), 0 * slope, np.sin(slope)])
    points = np.vstack([np.zeros(3), np.cumsum(links, axis=0)])
    model = lw.Model("chain", gravity=(0, 0, -G))
    before = lw.GROUND
    for i, d in enumerate(links / l):
        R = np.column_stack([np.cross((0, 1, 0), d), (0, 1, 0), d])
        J = m * l**2 / 12
        centre = (points[i] + points[i + 1]) / 2
        link = model.add(f"link{i}", lw.Body(m, (J, J, 0), position=centre, orientation=R))
        model.add(f"joint{i}", lw.Homokinetic(before, link, at=points[i], axis=d))
        before = link
    model.add("end", lw.Spherical(before, lw.GROUND, at=points[-1]))
    return model, points


CHAIN = {  # references.md 1, Hz
    20: [0.24355, 0.32253, 0.44276, 0.57885],
    40: [0.24340, 0.32213, 0.44142, 0.57582],
    80: [0.24337, 0.32203, 0.44108, 0.57505],
}


@pytest.mark.parametrize("n", CHAIN)
def test_chain(n):
    """references.md 1: first frequencies of the hanging chain, dense and sparse."""
    model, points = catenary(n)
    if n == 40:
        assert np.isclose(points[:, 2].min(), -5.41542, atol=5e-6)
    dense, sparse = (lw.eigen(model, n=6, sparse=sparse) for sparse in (False, True))
    assert np.allclose(dense.frequency[:4], CHAIN[n], atol=6e-6)  # five digits are printed
    assert np.allclose(sparse.eigenvalues, dense.eigenvalues, atol=1e-9)
    assert np.allclose(sparse.shapes, dense.shapes, atol=1e-6)


def test_long_chain_of_masses():
    """Free-free row of N masses: ω_j = 2√(k/m) sin(jπ/2N), shapes cos(jπ(i + ½)/N); sparse."""
    N, k, m = 150, 300.0, 2.0
    model = lw.Model("row")
    before = None
    for i in range(N):
        mass = model.add(f"m{i}", lw.Body(m, (1, 1, 1), position=(i, 0, 0)))
        model.add(f"g{i}", lw.Prismatic(lw.GROUND, mass, at=(i, 0, 0), axis=(1, 0, 0)))
        if before is not None:
            model.add(f"s{i}", lw.Spring(before, mass, stiffness=k))
        before = mass
    omega = 2 * np.sqrt(k / m) * np.sin(np.arange(N) * np.pi / (2 * N))
    modes = lw.eigen(model, n=5)
    assert np.allclose(modes.eigenvalues, 1j * omega[:5], atol=1e-8)
    assert modes.eigenvalues[0] == 0 and modes.stable
    along = modes.shapes[:, :, 0]
    for j in range(5):
        shape = np.cos(j * np.pi * (np.arange(N) + 0.5) / N)
        assert np.allclose(along[j] * shape[0], shape * along[j][0], atol=1e-6)
    again = lw.eigen(model, n=5)
    assert np.array_equal(again.eigenvalues, modes.eigenvalues)
    near = lw.eigen(model, n=3, sparse=True, shift=1j * omega[70])
    assert np.allclose(near.eigenvalues, 1j * omega[69:72], rtol=1e-8)


# --------------------------------------------------------------------------------- what is refused


def test_not_an_equilibrium():
    with pytest.raises(lw.ModelError, match=r"not an equilibrium: body 'rod' .*lw\.static"):
        lw.eigen(pendulum(0.5))


def test_swinging_is_not_steady():
    model = pendulum(0)
    model["rod"].velocity = np.array([1.0, 0, 0])
    with pytest.raises(lw.ModelError, match="body 'rod'"):
        lw.eigen(model)


def test_rotors_at_different_speeds_turn_in_their_own_axes():
    """Two eccentric rotors in fixed bearings: each just turns, nothing holds them."""
    model = lw.Model("two")
    for i, spin in enumerate((2.0, 3.0)):
        x = 5.0 * i
        rotor = model.add(f"rotor{i}", lw.Body(1, (1, 1, 1), position=(x + 0.3, 0, 0)))
        model.add(f"pin{i}", lw.Revolute(lw.GROUND, rotor, at=(x, 0, 0), axis=(0, 0, 1), rate=spin))
    modes = lw.eigen(model)
    assert np.allclose(modes.eigenvalues, [0, 0], atol=1e-7) and len(modes) == 2


def test_frozen_drive():
    """A drive that moves is frozen where the state is at rest: a pendulum under a moving point."""
    model = lw.Model("crane", gravity=(0, 0, -G))
    cart = model.add("cart", lw.Body(1, (1, 1, 1)))
    load = model.add("load", lw.Body(1, (0, 0, 0), position=(0, 0, -2)))
    model.add("rail", lw.Actuator(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0),
                                  displacement=lw.sine(0.5, 1.0, 0.3)))  # fmt: skip
    model.add("pin", lw.Revolute(cart, load, at=(0, 0, 0), axis=(0, 1, 0)))
    modes = lw.eigen(model, at=still(model))
    assert np.allclose(modes.eigenvalues, [1j * np.sqrt(G / 2)], rtol=STATIC)


def test_state_of_another_model():
    state = lw.assemble(pendulum(0))
    with pytest.raises(lw.ModelError, match="give a state of this model"):
        lw.eigen(catenary(3)[0], at=state)
    with pytest.raises(lw.ModelError, match="must be a State"):
        lw.eigen(pendulum(0), at=3)
    with pytest.raises(lw.ModelError, match="does not satisfy joint 'pin'"):
        lw.eigen(pendulum(0), at=state.moved(np.array([0.1, 0, 0, 0, 0, 0])))
    stretched = replace(state, motion=state.motion * np.where(np.arange(13) == 3, 2, 1))
    with pytest.raises(lw.ModelError, match="no unit quaternions"):
        lw.eigen(pendulum(0), at=stretched)
    with pytest.raises(lw.ModelError, match="positive number of modes"):
        lw.eigen(pendulum(0), n=0)


def test_nothing_left_to_move():
    model = lw.Model("held")
    body = model.add("body", lw.Body(1, (1, 1, 1)))
    model.add("weld", lw.Fixed(lw.GROUND, body, at=(0, 0, 0)))
    modes = lw.eigen(model)
    assert len(modes) == 0 and modes.stable and "0 modes" in repr(modes)


@pytest.mark.parametrize("mass, stiffness", [(1.0, 1e50), (1e40, 1e42)])
def test_coefficients_whose_products_are_no_numbers(mass, stiffness):
    model = lw.Model()
    ball = model.add("ball", lw.Body(mass, (1, 1, 1), position=(1, 0, 0)))
    model.add("spring", lw.Bushing(lw.GROUND, ball, (1e30, 0, 0), stiffness=[stiffness] * 6))
    with pytest.raises(lw.ModelError, match="'ball' have coefficients of 1e.*smaller masses"):
        lw.eigen(model)
