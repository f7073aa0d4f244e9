"""lw.eigen about steady motions, against closed forms; each test names its reference."""


import numpy as np
import pytest

import linkwork as lw

G = 9.81
TIGHT = 1e-9  # closed forms: only round-off of small dense problems is left
STATIC = 1e-7  # where statics ends at a relative force of 1e-10


def rotor_and_stator(spin, swapped=False, drive=None, inertia=(500, 500, 1000)):
    """references.md 2."""
    model = lw.Model("rotor and stator")
    stator = model.add("stator", lw.Body(200, (50, 50, 10)))
    rotor = model.add("rotor", lw.Body(1300, inertia, position=(0, 0, 0.75),
                                       angular_velocity=(0, 0, spin)))  # fmt: skip
    ends = (rotor, stator) if swapped else (stator, rotor)
    if drive is None:
        model.add("bearing", lw.Revolute(*ends, at=(0, 0, 0), axis=(0, 0, 1)))
    else:
        model.add("motor", lw.Motor(*ends, at=(0, 0, 0), axis=(0, 0, 1), angle=drive))
    model.add("mount", lw.Bushing(
        lw.GROUND, stator, at=(0, 0, 0), stiffness=[1e3, 1e3, 1e3, 1e4, 1e4, 1e5],
        damping=[1, 1, 1, 10, 10, 100],
    ))  # fmt: skip
    return model


ROTOR = {  # references.md 2; the rotor's spin itself is free
    0.0: [0, -0.00031926 + 0.79907783j, -0.00031926 + 0.79907783j, -0.00033333 + 0.81649651j,
          -0.00806233 + 4.01554495j, -0.00806233 + 4.01554495j, -5 + 99.87492178j],
    1.0: [0, -0.00031871 + 0.79755506j, -0.00031982 + 0.80037855j, -0.00033333 + 0.81649651j,
          -0.00654268 + 3.31861819j, -0.00958199 + 4.86019624j, -5 + 99.87492178j],
}  # fmt: skip


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("spin", ROTOR)
def test_rotor_and_stator(spin, swapped):
    """references.md 2, whichever body carries the joint's main marker."""
    modes = lw.eigen(rotor_and_stator(spin, swapped))
    assert np.allclose(modes.eigenvalues, ROTOR[spin], rtol=0, atol=6e-9)  # the digits printed
    assert modes.stable and modes.axes == "world axes"


def test_rotor_spun_by_a_motor():
    """The same with the spin driven: no free spin, and 1010 kg m² in (J s² + 100 s + 1e5 = 0)."""
    modes = lw.eigen(rotor_and_stator(1.0, drive=lw.ramp(1.0)))
    torsion = np.roots([1010.0, 100.0, 1e5])[0]
    expected = sorted([*ROTOR[1.0][1:6], torsion], key=abs)
    assert np.allclose(modes.eigenvalues, expected, rtol=0, atol=6e-9)


def test_modes_of_the_end_of_a_run():
    """A run that goes on spinning steadily is a state as good as any."""
    model = rotor_and_stator(1.0)
    run = lw.transient(model, t=0.5, h=0.01, progress=False)
    for at in (run, run.state()):
        modes = lw.eigen(model, at=at)
        assert np.allclose(modes.eigenvalues, ROTOR[1.0], rtol=0, atol=1e-7)


def test_row_of_rotors_sparse_and_dense():
    """Gyroscopic, damped, with free spins: both methods find the same."""
    model = lw.Model("rotors")
    before = None
    for i in range(12):
        at = np.array([2.0 * i, 0, 0])
        stator = model.add(f"stator{i}", lw.Body(2 + 0.1 * i, (1, 1, 1), position=at))
        rotor = model.add(f"rotor{i}", lw.Body(1, (1, 1, 1.5), position=(2.0 * i, 0, 0.5),
                                               angular_velocity=(0, 0, 1 + 0.1 * i)))  # fmt: skip
        model.add(f"axle{i}", lw.Revolute(stator, rotor, at=at, axis=(0, 0, 1)))
        model.add(f"mount{i}", lw.Bushing(lw.GROUND, stator, at=at, damping=0.1 * np.ones(6),
                                          stiffness=[50, 60, 70, 80, 90, 100]))  # fmt: skip
        if before is not None:
            model.add(f"link{i}", lw.Spring(before, stator, stiffness=20))
        before = stator
    dense = lw.eigen(model)
    assert np.sum(dense.eigenvalues == 0) == 12 and len(dense) == 84
    sparse = lw.eigen(model, n=24, sparse=True)
    assert np.allclose(sparse.eigenvalues, dense.eigenvalues[:24], atol=1e-9)
    assert np.sum(sparse.eigenvalues == 0) == 12


def top(spin):
    """references.md 2, sleeping top."""
    model = lw.Model("top", gravity=(0, 0, -G))
    body = model.add("top", lw.Body(0.01, (0.0003, 0.0003, 0.0004), position=(0, 0, 0.04),
                                    angular_velocity=(0, 0, spin)))  # fmt: skip
    model.add("tip", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
    return model


def test_sleeping_top():
    """references.md 2: stable from 5.56772844 rad/s on."""
    assert not lw.eigen(top(5.56772844 * (1 - 1e-8))).stable
    assert lw.eigen(top(5.56772844 * (1 + 1e-8))).stable
    # λ = i (Ia w ± √(Ia² w² − 4 m g h It))/(2 It), and the free spin
    w, Ia, It, mgh = 8.0, 0.0004, 0.000316, 0.01 * G * 0.04
    root = np.sqrt((Ia * w) ** 2 - 4 * mgh * It)
    expected = [0, 1j * (Ia * w - root) / (2 * It), 1j * (Ia * w + root) / (2 * It)]
    assert np.allclose(lw.eigen(top(w)).eigenvalues, expected, rtol=TIGHT, atol=1e-10)


def test_free_symmetric_body():
    """Drifting and spinning: six motions that nothing holds, and nutation at Jz ω/J."""
    model = lw.Model("free")
    model.add("body", lw.Body(2, (1, 1, 1.5), velocity=(1, 2, 3), angular_velocity=(0, 0, 2)))
    modes = lw.eigen(model)
    assert np.allclose(modes.eigenvalues, [0, 0, 0, 0, 0, 0, 3j], atol=1e-12)
    assert modes.stable


@pytest.mark.parametrize(("inertia", "stable"), [((1, 2, 2.5), True), ((1.5, 2.5, 2), False)])
def test_free_asymmetric_body(inertia, stable):
    """Euler: λ² = −ω² (I₃ − I₁)(I₃ − I₂)/(I₁ I₂) in axes turning with the body."""
    model = lw.Model("free")
    model.add("body", lw.Body(2, inertia, angular_velocity=(0, 0, 2)))
    modes = lw.eigen(model)
    a, b, c = inertia
    root = np.sqrt(complex(-4 * (c - a) * (c - b) / (a * b)))
    assert np.abs(modes.eigenvalues - root).min() < 1e-9
    assert modes.stable == stable
    assert modes.axes == "axes turning about (0, 0, 1) at 2 rad/s"


def test_conical_pendulum():
    """Ω² = g/(L cos θ); small motions in θ about it have ω = Ω √(1 + 3 cos² θ)."""
    L, angle = 1.3, 0.7
    spin = np.sqrt(G / (L * np.cos(angle)))
    place = L * np.array([np.sin(angle), 0, -np.cos(angle)])
    model = lw.Model("conical", gravity=(0, 0, -G))
    velocity = np.cross((0, 0, spin), place)
    bob = model.add("bob", lw.Body(1, (1, 1, 1), position=place, velocity=velocity))
    model.add("string", lw.Distance(lw.GROUND, bob))
    modes = lw.eigen(model)
    assert f"at {spin:.6g} rad/s" in modes.axes
    expected = 1j * spin * np.sqrt(1 + 3 * np.cos(angle) ** 2)
    moves = np.abs(modes["bob"][:, :3]).max(axis=1) > 1e-9  # the bob's rotation is free
    assert np.abs(modes.eigenvalues[moves] - expected).min() < 1e-9
    assert modes.stable


@pytest.mark.parametrize("precession", [-2.0, 2.0, 7.0])
def test_steady_precession_of_a_top(precession):
    """Routh: with p_φ, p_ψ constant θ has the potential (p_φ − p_ψ cos θ)²/(2 I sin²θ) + mgh cos θ.

    Steady where Ia s Ω = mgh + I Ω² cos θ, s the spin about the axis; I is about the tip.
    """
    m, h, I, Ia, angle = 0.5, 0.3, 0.06 + 0.5 * 0.3**2, 0.02, 0.6
    spin = (m * G * h + I * precession**2 * np.cos(angle)) / (Ia * precession)
    axis = np.array([np.sin(angle), 0, np.cos(angle)])
    turn = np.array([0, 0, precession])
    w = turn - (turn @ axis) * axis + spin * axis
    R = np.column_stack([np.cross((0, 1, 0), axis), (0, 1, 0), axis])
    model = lw.Model("top", gravity=(0, 0, -G))
    motion = {"velocity": np.cross(w, h * axis), "angular_velocity": R.T @ w}
    inertia = (0.06, 0.06, Ia)
    body = model.add("top", lw.Body(m, inertia, position=h * axis, orientation=R, **motion))
    model.add("tip", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
    c, s = np.cos(angle), np.sin(angle)
    psi = Ia * spin
    u = I * precession * s  # (p_φ − p_ψ cos θ)/sin θ, as p_φ = I Ω sin²θ + p_ψ cos θ
    slope = psi - u * c / s  # its derivative; the second is u/sin²θ − slope cot θ
    second = (slope**2 + u * (u / s**2 - slope * c / s)) / I - m * G * h * c
    modes = lw.eigen(model)
    assert np.allclose(modes.eigenvalues, [0, 0, 1j * np.sqrt(second / I)], rtol=1e-8)
    assert modes.stable


def test_mass_in_a_rotating_slot():
    """Radial spring on an arm at Ω: r = k l/(k − mΩ²), λ = i√(k/m − Ω²)."""
    m, k, l, spin = 2.0, 50.0, 0.6, 3.0
    r = k * l / (k - m * spin**2)
    model = lw.Model("slot")
    arm = model.add("arm", lw.Body(1, (1, 1, 1)))
    mass = model.add("mass", lw.Body(m, (1, 1, 1), position=(r, 0, 0)))
    model.add("motor", lw.Motor(lw.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1),
                                angle=lw.ramp(spin)))  # fmt: skip
    model.add("slot", lw.Prismatic(arm, mass, at=(0, 0, 0), axis=(1, 0, 0), speed=0))
    model.add("spring", lw.Spring(arm, mass, stiffness=k, length=l))
    modes = lw.eigen(model)
    assert np.allclose(modes.eigenvalues, [1j * np.sqrt(k / m - spin**2)], rtol=TIGHT)
    assert np.allclose(modes["mass"], [[1, 0, 0, 0, 0, 0]], atol=1e-9)


def test_no_constant_coefficients():
    """An unsymmetric rotor on a mount that is softer one way: periodic coefficients."""
    model = rotor_and_stator(1.0, inertia=(500, 700, 1000))
    model.add("prop", lw.Spring(lw.GROUND, model["stator"], at_a=(3, 0, 0), stiffness=500))
    with pytest.raises(lw.ModelError, match=r"no constant coefficients.*body '(rotor|stator)'"):
        lw.eigen(model)
