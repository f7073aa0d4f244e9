"""Deformable joints: every form's tangent at large rotations, equilibrium, energy, closed forms."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sample_elements import outputs

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

FORMS = list(product(("attached", "invariant"), (True, False)))
KINDS = [lw.DeformableHinge, lw.DeformableDisplacement, lw.DeformableJoint]
STEP = 1e-5


def turn(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def law_of(rng, n):
    if n == 6:
        return lw.laws.Parallel((
            lw.laws.LinearViscoelastic(rng.normal(size=(n, n)), rng.normal(size=(n, n))),
            lw.laws.IsotropicHardening(2.0, 1.0),
        ))  # fmt: skip
    k1, k3 = rng.normal(size=(2, n))
    return lw.laws.CubicElastic(k1, 0, k3, viscosity=rng.normal(size=(n, n)))


def joined(kind, form, conservative, seed, angle=None, law=None):
    """Two bodies with the joint, in a random motion; angle: the relative rotation."""
    rng = np.random.default_rng(seed)
    m = lw.Model()
    a, b = (
        m.add(n, lw.Body(1, (1, 1, 1), position=rng.normal(size=3), orientation=turn(rng)))
        for n in "ab"
    )
    law = law or law_of(rng, kind.components[1])
    m.add("j", kind(a, b, rng.normal(size=3), law, form=form, conservative=conservative))
    data = compile_model(m).data()
    state = data.system.described_state()
    motion = state.motion.copy()
    motion[:, :3] += 0.3 * rng.normal(size=(2, 3))
    e = rng.normal(size=3)
    psi = (angle or 0.8) * e / np.linalg.norm(e)
    # frames of a and b coincide as described: turn b by ψ in world axes
    motion[1, 3:7] = rotations.multiply(rotations.exponential(psi), motion[1, 3:7])
    motion[:, 7:] = rng.normal(size=(2, 6))
    return data, replace(state, motion=motion)


def forces(data, state):
    return data.evaluate(state, tangent=False).f.ravel()


@pytest.mark.parametrize("angle", [1e-9, 0.4, 1.3, 2.5])
@pytest.mark.parametrize("form,conservative", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_tangent(kind, form, conservative, angle):
    data, state = joined(kind, form, conservative, 3, angle)
    v = state.velocities.ravel()
    K, D = np.empty((12, 12)), np.empty((12, 12))
    for j, e in enumerate(STEP * np.eye(12)):
        K[:, j] = forces(data, state.moved(e)) - forces(data, state.moved(-e))
        D[:, j] = forces(data, state.with_velocities(v + e))
        D[:, j] -= forces(data, state.with_velocities(v - e))
    found = data.evaluate(state, cK=1.0).stiffness.toarray()
    scale = np.abs(found).max()
    np.testing.assert_allclose(found, K / (2 * STEP), atol=1e-7 * scale)
    found = data.evaluate(state, cK=0.0, cD=1.0).stiffness.toarray()
    np.testing.assert_allclose(found, D / (2 * STEP), atol=1e-7 * scale)


@pytest.mark.parametrize("form,conservative", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_equilibrium_and_rigid_motion(kind, form, conservative):
    data, state = joined(kind, form, conservative, 5)
    f = data.evaluate(state).f
    R = rotations.matrix(state.orientations)
    moments = np.einsum("bij,bj->bi", R, f[:, 3:]) + np.cross(state.positions, f[:, :3])
    np.testing.assert_allclose(f[:, :3].sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(moments.sum(axis=0), 0, atol=1e-12)
    rng = np.random.default_rng(1)
    V, W = rng.normal(size=(2, 3))
    v = state.velocities.copy()
    v[:, :3] += V + np.cross(W, state.positions)
    v[:, 3:] += np.einsum("bji,j->bi", R, W)
    np.testing.assert_allclose(data.evaluate(state.with_velocities(v)).f, f, atol=1e-11)


@pytest.mark.parametrize("form,conservative", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_outputs_are_the_residual(kind, form, conservative):
    data, state = joined(kind, form, conservative, 7)
    out = outputs(data, state)
    frame_a, frame_b = data.system.model["j"].frames
    S = rotations.matrix(rotations.multiply(state.orientations[0], frame_a.orientation))
    Rb = rotations.matrix(state.orientations[1])
    F, T = S @ out["force"], S @ out["torque"]
    f = data.evaluate(state).f[1]
    np.testing.assert_allclose(f[:3], -F, atol=1e-12)
    np.testing.assert_allclose(f[3:], -Rb.T @ (np.cross(Rb @ frame_b.position, F) + T), atol=1e-12)


@pytest.mark.parametrize("conservative", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_invariant_form_does_not_know_which_body_is_first(kind, conservative):
    """Forces on both bodies are the same when the bodies change places."""
    n = kind.components[1]
    rng = np.random.default_rng(9)
    X = rng.normal(size=(n, n))
    law = lw.laws.LinearViscoelastic(X @ X.T, X.T @ X)
    places, spins = rng.normal(size=(2, 3)), [turn(rng), turn(rng)]
    found = []
    for order in ((0, 1), (1, 0)):
        m = lw.Model()
        bodies = [
            m.add(n, lw.Body(1, (1, 1, 1), position=p)) for n, p in zip("ab", places, strict=True)
        ]
        ends = [bodies[i] for i in order]
        m.add("j", kind(*ends, (0, 0, 0), law, form="invariant", conservative=conservative))
        data = compile_model(m).data()
        state = data.system.described_state()
        motion = state.motion.copy()
        motion[:, 3:7] = spins
        motion[:, 7:] = np.arange(12).reshape(2, 6) / 10
        found.append(data.evaluate(replace(state, motion=motion)).f)
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)
    assert np.abs(found[0]).max() > 0.1


@pytest.mark.parametrize("kind", [lw.DeformableHinge, lw.DeformableDisplacement])
def test_isotropic_law_is_the_same_in_all_forms(kind):
    law = lw.laws.LinearElastic(3.0)
    found = [joined(kind, *form, 2, 1.2, law) for form in FORMS]
    # the middle frame turns a force with its law, so that only the hinge has no arm to differ in
    first = forces(*found[0])
    for data, state in found[1:]:
        np.testing.assert_allclose(forces(data, state)[[0, 1, 2]], first[[0, 1, 2]], atol=1e-12)
    if kind is lw.DeformableHinge:
        for data, state in found[1:]:
            np.testing.assert_allclose(forces(data, state), first, atol=1e-12)


@pytest.mark.parametrize("form,conservative", FORMS)
def test_work_round_a_closed_path(form, conservative):
    """Only gradients give none: K = diag(1, 2, 5), rotations of 0.3 rad round a closed path."""
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    law = lw.laws.LinearElastic((1, 2, 5))
    m.add("j", lw.DeformableHinge(lw.GROUND, b, law=law, form=form, conservative=conservative))
    data = compile_model(m).data()
    state = data.system.described_state()
    n = 400
    s = 2 * np.pi * np.arange(n) / n
    parts = 1 + np.cos(s), np.sin(s) + 0.4 * np.cos(2 * s), 0.5 + np.cos(s + 0.7)
    path = 0.3 * np.stack(parts, axis=1)
    q = rotations.exponential(path)
    work = 0.0
    for k in range(n):
        step = rotations.logarithm(rotations.multiply(rotations.conjugate(q[k - 1]), q[k]))
        # mid-point of the step, whose work is then right to third order of the step
        middle = rotations.multiply(q[k - 1], rotations.exponential(0.5 * step))
        motion = state.motion.copy()
        motion[0, 3:7] = middle
        work += data.evaluate(replace(state, motion=motion), tangent=False).f[0, 3:] @ step
    if conservative:
        assert abs(work) < 1e-6  # of the mid-point rule: halving the step divides it by four
    else:
        assert abs(work) > 1e-5


def test_attached_hinge_with_an_intermediate_law_is_the_invariant_one():
    """Law `invariant angular` of MBDyn with ξ = 1/2: moments and tangents."""
    rng = np.random.default_rng(8)
    X, Y = rng.normal(size=(2, 3, 3))
    law = lw.laws.LinearViscoelastic(X @ X.T, Y @ Y.T, prestress=rng.normal(size=3))
    found = []
    for form, used in (("invariant", law), ("attached", lw.laws.InvariantAngular(0.5, law))):
        data, state = joined(lw.DeformableHinge, form, False, 6, 1.1, used)
        e = data.evaluate(state, cK=0.7, cD=0.3)
        found.append((e.f, e.stiffness.toarray()))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11 * np.abs(one).max())


def between(item):
    """Residual, matrix and power of item(a, b), whose bodies have moved and are moving."""
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(i, 0, 0))) for i, n in enumerate("ab"))
    m.add("j", item(a, b))
    data = compile_model(m).data()
    state = data.system.described_state().moved(0.5 * np.sin(np.arange(12)))
    e = data.evaluate(state.with_velocities(np.cos(np.arange(12))), cK=0.7, cD=0.3)
    return e.f, e.stiffness.toarray(), e.power


def test_linear_law_with_gradients_is_the_bushing():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(2, 6, 6))
    K, D = X @ X.T, Y @ Y.T
    place, law = dict(at=(0.3, 0.2, 0), axis=(1, 2, 3)), lw.laws.LinearViscoelastic(K, D)
    bushing = between(lambda a, b: lw.Bushing(a, b, stiffness=K, damping=D, **place))
    joint = between(lambda a, b: lw.DeformableJoint(a, b, law=law, **place))
    for one, other in zip(bushing, joint, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12 * max(1, np.abs(one).max()))


def test_rod_is_a_spring_of_stiffness_over_length():
    law = lw.laws.LinearViscoelastic(30.0, 4.0, prestress=2.0)
    spring = between(lambda a, b: lw.Spring(a, b, stiffness=15, damping=2, preload=2, length=2))
    rod = between(lambda a, b: lw.Rod(a, b, law=law, length=2))
    for one, other in zip(spring, rod, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)


def test_deformable_axis_is_the_torsion_spring():
    """Also after two turns, which both count."""
    runs = []
    for item in (
        lambda j: lw.TorsionSpring(j, stiffness=2, damping=0.1, angle=0.5),
        lambda j: lw.DeformableAxial(j, law=lw.laws.LinearViscoelastic(2.0, 0.1, prestrain=0.5)),
    ):
        m = lw.Model()
        wheel = m.add("wheel", lw.Body(1, (1, 1, 0.3)))
        pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=40))
        m.add("spring", item(pin))
        runs.append(lw.transient(m, t=2, h=5e-3, progress=False))
    first, second = runs
    assert float(first["pin"].angle.max()) > 4 * np.pi
    np.testing.assert_allclose(second["pin"].angle, first["pin"].angle, atol=1e-10)
    np.testing.assert_allclose(second["spring"].torque, first["spring"].torque, atol=1e-10)


def test_torsional_oscillator():
    """ω² = k/J about each axis of an anisotropic hinge."""
    m = lw.Model()
    b = m.add("b", lw.Body(1, (2, 3, 4)))
    m.add("place", lw.Spherical(lw.GROUND, b, at=(0, 0, 0)))
    law = lw.laws.LinearElastic((8, 27, 64))
    m.add("j", lw.DeformableHinge(lw.GROUND, b, law=law, form="invariant"))
    modes = lw.eigen(m, n=3)
    np.testing.assert_allclose(2 * np.pi * np.sort(modes.frequency), [2, 3, 4], rtol=1e-9)


def test_viscous_body_decays_and_reaches_its_terminal_speed():
    c, mass, g = 3.0, 2.0, 9.81
    for gravity, expected in (
        ((0, 0, 0), lambda t: 5 * np.exp(-c * t / mass)),
        ((g, 0, 0), lambda t: mass * g / c + (5 - mass * g / c) * np.exp(-c * t / mass)),
    ):
        m = lw.Model(gravity=gravity)
        q = rotations.exponential(np.array([0.3, 0.5, -0.2]))
        b = m.add("b", lw.Body(mass, (1, 1, 1), orientation=q, velocity=(5, 0, 0)))
        m.add("drag", lw.ViscousBody(b, lw.laws.LinearViscous(c)))
        run = lw.transient(m, t=2, h=1e-3, progress=False)
        v = run["b"].velocity.values[:, 0]
        np.testing.assert_allclose(v, expected(run.time), atol=2e-6)  # h² of the method
        balance = run.energy.balance.values
        # the trapezoidal rule of the power: h²/12 times the change of its rate, 2 c² v²/m
        assert np.abs(balance).max() < 1e-6 / 12 * 2 * c**2 * 7**2 / mass


def test_energy_with_a_moving_pre_strain():
    """What the pre-strain supplies is what the oscillator has and the damper took."""
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(0, 0, 1)))
    law = lw.laws.LinearViscoelastic(
        50.0, 0.5, prestrain=lw.sine(0.1, 0.8), prestress=lw.sine(1, 0.3), stiffness_scale=1.2
    )
    m.add("rod", lw.Rod(lw.GROUND, b, law=law))
    worst = []
    for h in (2e-3, 1e-3):
        run = lw.transient(m, t=3, h=h, progress=False)
        assert abs(float(run.energy.supplied[-1])) > 0.1
        worst.append(np.abs(run.energy.balance.values).max())
    assert worst[1] < 2e-5
    assert worst[0] / worst[1] == pytest.approx(4, rel=0.2)


def test_forced_oscillator_in_closed_form():
    """m ẍ + c ẋ + k x = k x₀ sin(Ω t): pre-strain moves the free end of the spring."""
    k, c, frequency, amplitude = 40.0, 1.0, 0.7, 0.1
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(0, 0, 1)))
    m.add("guide", lw.Prismatic(lw.GROUND, b, at=(0, 0, 1), axis=(0, 0, 1)))
    law = lw.laws.LinearViscoelastic(k, c, prestrain=lw.sine(amplitude, frequency))
    m.add("rod", lw.Rod(lw.GROUND, b, law=law))
    run = lw.transient(m, t=30, h=1e-3, progress=False)
    w = 2 * np.pi * frequency
    H = k * amplitude / (k - w * w + 1j * w * c)
    late = run.time > 25  # e^(−c t/2) is 4e-6 by then
    expected = np.imag(H * np.exp(1j * w * run.time))
    x = run["guide"].displacement.values
    np.testing.assert_allclose(x[late], expected[late], atol=2e-6)  # h² of the method


@pytest.mark.parametrize("make,words", [
    (lambda a: lw.Rod(lw.GROUND, a, at_a=(1, 0, 0), law=3.0), "needs a law"),
    (lambda a: lw.Rod(lw.GROUND, a, law=lw.laws.LinearElastic(1.0)), "coincide"),
    (lambda a: lw.DeformableHinge(lw.GROUND, a, law=lw.laws.LogElastic(1.0)), "3 are needed"),
    (lambda a: lw.DeformableJoint(lw.GROUND, a, (0, 0, 0), lw.laws.LinearElastic(1.0), form="x"),
     "'attached' or 'invariant'"),
    (lambda a: lw.DeformableAxial(lw.Fixed(lw.GROUND, a, at=(0, 0, 0)),
                                  law=lw.laws.LinearElastic(1.0)), "no free rotation"),
    (lambda a: lw.ViscousBody(lw.GROUND, lw.laws.LinearViscous(1.0)), "GROUND"),
])  # fmt: skip
def test_errors(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make(lw.Body(1, (1, 1, 1)))


def test_energy_momentum_refuses_laws_it_cannot_conserve():
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(0, 0, 1)))
    m.add("rod", lw.Rod(lw.GROUND, b, law=lw.laws.LinearElastic(1.0)))
    with pytest.raises(lw.ModelError, match="rod"):
        lw.transient(m, t=1, h=1e-2, method=lw.EnergyMomentum(), progress=False)
