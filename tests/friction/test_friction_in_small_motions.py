"""Friction loaded by reactions, in modes and state spaces: against closed forms and runs."""

import numpy as np
import pytest
import scipy.linalg as la

import linkwork as lw

G = 9.81
FAR = 10.0  # length of springs, which carry nothing: their direction does not matter


def brake(mu, damping, shoe=0.0):
    """Two modes that friction couples: a mass (1 kg) held by springs along x and z is pressed with
    100 N on a shoe, which a spring of 60 N/m carries on a belt that goes on along x; or with None,
    on the belt itself, with a contact as stiff."""
    m = lw.Model("brake")
    ball = {"kind": "sphere", "radius": 0.1}
    mass = m.add("mass", lw.Body(1, (1, 1, 1), shape=ball))
    m.add("guide", lw.Lock(lw.GROUND, mass, at=(0, 0, 0), rows="y rx ry rz"))
    springs = {"oblique": ((1, 0, -1), 60, 0), "along": ((1, 0, 0), 90, damping)}
    springs["up"] = ((0, 0, 1), 30, damping)
    for name, (along, k, d) in springs.items():
        at = -FAR * np.array(along) / np.linalg.norm(along)
        m.add(name, lw.Spring(lw.GROUND, mass, at_a=at, stiffness=k, damping=d, length=FAR))
    top = {"kind": "plane"}
    belt = m.add("belt", lw.Body(1, (1, 1, 1), position=(0, 0, 100 / 60 - 0.1), shape=top))
    m.add("drive", lw.Lock(lw.GROUND, belt, at=(0, 0, 0), drive={"x": lw.ramp(5)}))
    m.add("press", lw.Force(mass, (-100 * mu, 0, -100)))
    m.add("push", lw.Force(mass, (0, 0, 1), drive=lw.constant(0)))
    if shoe is None:
        law = lw.laws.LinearViscoelastic(60, 0)
        m.add("face", lw.Contact(belt, mass, law=law, friction=lw.Coulomb(mu)))
        return m
    pad = m.add("pad", lw.Body(shoe, (shoe,) * 3))
    m.add("rail", lw.Prismatic(belt, pad, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("contact", lw.Spring(belt, pad, at_a=(0, 0, -FAR), at_b=(0, 0, 0), stiffness=60,
                               length=FAR + 100 / 60))  # fmt: skip
    face = m.add("face", lw.PointOnPlane(pad, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("friction", lw.Friction(face, lw.Coulomb(mu)))
    return m


def brake_matrices(mu, damping, shoe):
    """ẍ + μ m_s z̈ + d ẋ + 120 x + (60 μ − 30) z = 0, (1 + m_s) z̈ + d ż − 30 x + 120 z = 0."""
    M = np.array([[1, mu * shoe], [0, 1 + shoe]])
    K = np.array([[120, 60 * mu - 30], [-30, 120]])
    return M, damping * np.eye(2), K


def companion(M, D, K):
    nil, one = np.zeros_like(K), np.eye(len(K))
    return np.block([[nil, one], [-la.solve(M, K), -la.solve(M, D)]])


def upper(values):
    """Of each pair the one above, by their real parts."""
    values = np.asarray(values)[np.asarray(values).imag > 0]
    return values[np.argsort(values.real)]


@pytest.mark.parametrize(
    "mu, damping, shoe",
    [(1.2, 0.2, 0), (0.6, 3, 0), (1.2, 0.2, 0.5), (3, 0.2, 0.5), (1.2, 0.2, None), (0.6, 3, None)],
)
def test_a_squealing_brake_has_the_eigenvalues_of_two_coupled_modes(mu, damping, shoe):
    """N. Hoffmann, M. Fischer, R. Allgaier, L. Gaul, Mechanics Research Communications 29 (2002):
    friction makes the stiffness unsymmetric, and without a falling curve the motion grows."""
    exact = la.eigvals(companion(*brake_matrices(mu, damping, shoe or 0)))
    m = brake(mu, damping, shoe)
    modes = lw.eigen(m)
    np.testing.assert_allclose(upper(modes.eigenvalues), upper(exact), rtol=1e-6)
    assert modes.stable == bool(exact.real.max() < 0)
    found = lw.linearize(m).A
    np.testing.assert_allclose(upper(la.eigvals(found)), upper(exact), rtol=1e-6)


def test_a_body_without_mass_beside_it_is_of_first_order():
    """A spring k and a damper d in series hold the mass along x: d ṗ = k (x − p)."""
    mu, damping, k, d = 1.2, 0.2, 40.0, 5.0
    m = brake(mu, damping)
    point = m.add("point", lw.Body(0, (0, 0, 0)))
    m.add("line", lw.Lock(lw.GROUND, point, at=(0, 0, 0), rows="y z rx ry rz"))
    far = dict(at_a=(-FAR, 0, 0), length=FAR)
    m.add("spring", lw.Spring(point, m["mass"], stiffness=k, **far))
    m.add("damper", lw.Spring(lw.GROUND, point, stiffness=0, damping=d, **far))
    M, D, K = brake_matrices(mu, damping, 0)
    K[0, 0] += k
    A = la.block_diag(companion(M, D, K), -k / d)
    A[2, 4], A[4, 0] = k, k / d
    found, exact = lw.eigen(m).eigenvalues, la.eigvals(A)
    np.testing.assert_allclose(upper(found), upper(exact), rtol=1e-6)
    np.testing.assert_allclose(found[found.imag == 0], exact[exact.imag == 0], rtol=1e-6)


def test_a_force_that_presses_makes_friction_as_it_does():
    """From a force along z: M ÿ + D ẏ + K y = (−μ m_s/(1 + m_s), 1)."""
    mu, damping, shoe, s = 0.9, 0.5, 0.5, 0.3 + 7j
    ss = lw.linearize(brake(mu, damping, shoe), inputs=["push"], outputs=["mass.position"])
    found = ss.C @ la.solve(s * np.eye(len(ss.A)) - ss.A, ss.B) + ss.D
    M, D, K = brake_matrices(mu, damping, shoe)
    exact = la.solve(s**2 * M + s * D + K, [0, 1])
    np.testing.assert_allclose(found[[0, 2], 0], exact, rtol=1e-6)


def test_a_motion_law_that_presses_makes_friction_by_its_acceleration():
    """A block of mass m slides on a plate that a drive u lifts: N = m (g + ü), so that with a
    spring k and a damper d along x   m ẍ + d ẋ + k x = −μ m ü."""
    mu, mass, k, d, s = 0.4, 2.0, 50.0, 3.0, 0.2 + 4j
    m = lw.Model("lifted", gravity=(0, 0, -G))
    plate = m.add("plate", lw.Body(1, (1, 1, 1)))
    drive = {"x": lw.ramp(-3), "z": lw.ramp(0)}
    m.add("belt", lw.Lock(lw.GROUND, plate, at=(0, 0, 0), drive=drive))
    block = m.add("block", lw.Body(mass, (1, 1, 1)))
    m.add("guide", lw.Lock(lw.GROUND, block, at=(0, 0, 0), rows="y rx ry rz"))
    face = m.add("face", lw.PointOnPlane(plate, block, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("friction", lw.Friction(face, lw.Coulomb(mu)))
    m.add("hold", lw.Force(block, (mu * mass * G, 0, 0)))
    far = dict(at_a=(-FAR, 0, 0), length=FAR)
    m.add("spring", lw.Spring(lw.GROUND, block, stiffness=k, damping=d, **far))
    ss = lw.linearize(m, inputs=["belt.z"], outputs=["block.position.x"])
    found = ss.C @ la.solve(s * np.eye(len(ss.A)) - ss.A, ss.B) + ss.D
    exact = -mu * mass * s**2 / (mass * s**2 + d * s + k)
    np.testing.assert_allclose(found[0, 0], exact, rtol=1e-6)


def test_a_rough_pin_that_holds_a_pendulum_changes_its_inertia():
    """(J + m l² cos² φ) s² + N σ₁ r² s + m g l cos φ + N σ₀ r² = 0: the pin bears l sin φ/r of its
    load, and the load has m l φ̈ sin φ in it."""
    mass, l, J, r, stiffness, damping = 2.0, 1.0, 1.0, 0.2, 1e3, 3.0
    m = lw.Model("rough pin", gravity=(0, 0, -G))
    a = np.radians(20)
    bob = m.add("bob", lw.Body(mass, (J, J, J), position=(l * np.sin(a), 0, -l * np.cos(a))))
    pin = m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    model = lw.Coulomb(5, stiffness=stiffness, damping=damping)
    m.add("friction", lw.Friction(pin, model, radius=r))
    eq = lw.static(m)
    z = float(eq["bob"].position[2])
    c, N = -z / l, mass * G
    exact = np.roots([J + mass * l**2 * c**2, N * damping * r**2, N * l * c + N * stiffness * r**2])
    np.testing.assert_allclose(lw.eigen(m, at=eq).eigenvalues, upper(exact), rtol=1e-8)


CROSS = dict(axis_a=(1, 0, 0), axis_b=(0, 1, 0))
JOINTS = {
    "rail": (lw.Prismatic, dict(axis=(1, 0, 0.3)), dict()),
    "pin": (lw.Revolute, dict(axis=(0, 1, 0)), dict(radius=0.2)),
    "pin, axial": (lw.Revolute, dict(axis=(0, 1, 0.5)), dict(radius=0.2, load="axial")),
    "ball": (lw.Spherical, dict(), dict(radius=0.2)),
    "ball that spins on a point": (lw.Spherical, dict(), dict(radius=0.2, spin=0.0)),
    "plane": (lw.Planar, dict(axis=(0.2, 0, 1)), dict(radius=0.2)),
    "rod in a bush": (lw.Cylindrical, dict(axis=(1, 0, 0.3)), dict(radius=0.2, motion="both")),
    "screw": (lw.Screw, dict(axis=(0, 0, 1), pitch=0.3), dict(radius=0.1)),
    "universal": (lw.Universal, CROSS, dict(radius=0.2, arm=0.3)),
}


@pytest.mark.parametrize("name", list(JOINTS))
def test_joints_that_stick_move_as_their_linear_equations_do(name):
    """Bristles bent by gravity, and a small push: a run and exp(A t)."""
    joint, words, own = JOINTS[name]
    m = lw.Model(name, gravity=(0.5, 0.7, -G))
    body = m.add("body", lw.Body(1, (0.05, 0.08, 0.1), position=(0.3, 0.1, -0.2)))

    made = m.add("joint", joint(lw.GROUND, body, at=(0, 0, 0), **words))
    m.add("friction", lw.Friction(made, lw.Coulomb(20, stiffness=8, damping=0.2), **own))
    sizes = np.sqrt([30, 30, 30, 2, 2, 2])
    bushing = np.outer(sizes, sizes) * (1 + np.eye(6)) / 2  # all motions change all forces
    m.add("bushing", lw.Bushing(lw.GROUND, body, at=(0.3, 0.1, -0.2), stiffness=bushing))
    eq = lw.static(m)
    ss = lw.linearize(m, at=eq, outputs=["body.velocity", "body.angular_velocity"])
    f, times = len(ss.A) // 2, 0.02 * np.arange(26)
    rates = np.append(np.zeros(f), 1e-4 * (1 + np.arange(f)))
    exact = np.array([ss.C @ la.expm(t * ss.A) @ rates for t in times])
    run = lw.transient(m, t=0.5, h=1e-3, every=20, start=eq.state.with_velocities(exact[0]),
                       progress=False)  # fmt: skip
    found = np.hstack([run["body"].velocity, run["body"].angular_velocity])
    np.testing.assert_allclose(found, exact, atol=1e-3 * np.abs(exact).max())
