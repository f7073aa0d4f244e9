"""Flutter and divergence against published and closed-form speeds; trim."""

import math

import numpy as np
import pytest

import linkwork as lw


def typical_section(speed, wagner=1, damping=0.0):
    """Hodges and Pierce 5.5: a = −1/5, e = −1/10, μ = 20, r² = 6/25, σ = 2/5; b = ω_θ = 1."""
    a, e, mu, r2, sigma = -0.2, -0.1, 20.0, 6 / 25, 0.4
    mass, x = mu * math.pi, e - a
    m = lw.Model("typical section")
    m.air = lw.Air(density=1.0, velocity=(speed, 0, 0), speed_of_sound=1e6)
    inertia = mass * (r2 - x * x)
    foil = m.add("foil", lw.Body(mass, (inertia,) * 3, position=(x, 0, 0)))
    axes = np.array([[-1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    pivot = lw.Frame(foil, (-x, 0, 0))
    m.add("guide", lw.Lock(lw.GROUND, pivot, rows="x y rx rz"))
    m.add("springs", lw.Bushing(lw.GROUND, pivot,
                                stiffness=[1, 1, mass * sigma**2, 1, mass * r2, 1],
                                damping=[0, 0, damping, 0, 0, 0]))  # fmt: skip
    m.add("wing", lw.LiftingSurface(
        lw.Frame(foil, (-x, 0, 0), axes), 2.0, lw.Airfoil.flat_plate(), span=1.0, points=1,
        aerodynamic_centre=0.5 + a, model="theodorsen", wagner=wagner,
    ))  # fmt: skip
    return m


@pytest.mark.parametrize("wagner, speed", [(1, 2.1704), (2, 2.1536)])
def test_typical_section_flutters_at_the_known_speed(wagner, speed):
    found = lw.flutter(lambda u: typical_section(u, wagner), [0.5, 1.5, 2.0, 2.4], n=2,
                       progress=False)  # fmt: skip
    assert found.flutter_speed == pytest.approx(speed, abs=6e-5)
    assert found.stable.tolist() == [True, True, True, False]
    # K_θ = q_D S e 2π, of the section alone
    assert found.divergence_speed is None
    closed = math.sqrt(2 * 20 * math.pi * 6 / 25 / (2.0 * 0.3 * 2 * math.pi))
    later = lw.flutter(lambda u: typical_section(u, wagner), [2.5, 2.7, 3.0], n=2, progress=False)
    assert later.divergence_speed == pytest.approx(closed, rel=1e-7)


@pytest.mark.parametrize("speeds", [2, 4, 20])
def test_flutter_does_not_depend_on_the_speeds_given(speeds):
    found = lw.flutter(typical_section, np.linspace(0.5, 6.5, speeds), n=2, progress=False)
    assert found.flutter_speed == pytest.approx(2.1704, abs=6e-5)
    assert found.divergence_speed == pytest.approx(math.sqrt(8.0), rel=1e-7)


@pytest.mark.parametrize("refine", [True, False])
def test_oscillations_without_damping_are_no_flutter(refine):
    """Masses on springs beside the section, whose growth is round-off of either sign."""
    def with_masses(speed):
        m = typical_section(speed)
        for i, omega in enumerate((0.7, 1.3, 2.1, 3.3)):
            mass = m.add(f"mass{i}", lw.Body(1, (1, 1, 1), position=(9, i, 0.3 * i)))
            m.add(f"way{i}", lw.Prismatic(lw.GROUND, mass, at=(9, i, 0), axis=(1, 2, 3)))
            m.add(f"spring{i}", lw.Bushing(lw.GROUND, mass, at=(9, i, 0.3 * i),
                                              stiffness=[omega**2] * 6))
        return m

    found = lw.flutter(with_masses, [1.5, 2.1, 2.25], n=4, refine=refine, progress=False)
    assert found.flutter_speed == pytest.approx(2.1704, abs=6e-5 if refine else 0.02)
    assert found.flutter_frequency == pytest.approx(0.6443, abs=1e-3 if refine else 0.02)


def test_flutter_is_found_between_two_stable_speeds():
    """A damper lets the section flutter between two speeds alone."""
    def damped(speed):
        return typical_section(speed, damping=10.0)

    def growth(speed):
        m = damped(speed)
        values = lw.eigen(m, at=lw.static(m, progress=False)).eigenvalues
        return values[(values.imag > 0.2) & (np.abs(values) < 2)].real.max()

    found = lw.flutter(damped, [0.5, 7.5], n=2, progress=False)
    assert growth(0.5) < 0 and growth(7.5) < 0 and found.flutter_speed is not None
    assert abs(growth(found.flutter_speed)) < 1e-7
    assert growth(found.flutter_speed - 0.01) < 0 < growth(found.flutter_speed + 0.01)


def test_divergence_of_a_swept_back_spring_never_comes():
    """With the centre of pressure behind the axis the wind stiffens it."""
    def vane(speed):
        m = lw.Model("vane")
        m.air = lw.Air(density=1.2, velocity=(speed, 0, 0))
        plate = m.add("plate", lw.Body(1, (0.1, 0.1, 0.1), position=(0.1, 0, 0)))
        pin = m.add("pin", lw.Revolute(lw.GROUND, plate, at=(0, 0, 0), axis=(0, 1, 0)))
        m.add("spring", lw.TorsionSpring(pin, stiffness=20))
        m.add("foil", lw.LiftingSurface(
            plate, 0.4, lw.Airfoil.flat_plate(), (0, -0.5, 0), (0, 0.5, 0), aerodynamic_centre=-0.1
        ))  # fmt: skip
        return m

    found = lw.flutter(vane, [5, 20], n=1, progress=False)
    assert found.divergence_speed is None and found.flutter_speed is None
    ratio = (found.frequency[1, 0] / found.frequency[0, 0]) ** 2
    q = 0.5 * 1.2 * np.array([25.0, 400.0])
    k = 20 + q * 0.4 * 0.1 * 2 * math.pi
    damped = np.abs(found.eigenvalues[:, 0]) ** 2  # k/I of a damped oscillator is |λ|²
    assert damped[1] / damped[0] == pytest.approx(k[1] / k[0], rel=1e-9) and ratio > 1


@pytest.mark.slow
def test_goland_wing_flutters_near_its_known_speed():
    """Flutter at 137.25 m/s with 70.69 rad/s (M. Goland, L. Y. Luke, J. Appl. Mech. 15, 1948; strip
    theory with exact modes): 6 three-node beams, the states' approximation of C(k)."""
    def goland(speed):
        L, mass, EI, GJ, inertia, c, x = 6.096, 35.72, 9.77e6, 0.987e6, 8.64, 1.8288, 0.18288
        m = lw.Model("Goland wing")
        m.air = lw.Air(density=1.225, velocity=(speed, 0, 0), speed_of_sound=1e6)
        own = inertia - mass * x * x
        section = lw.Section(stiffness=(1e9, 1e9, 1e9, GJ, EI, 100 * EI), mass=mass,
                             inertia=(own, 1e-3 * own, own), mass_offset=(-x, 0))  # fmt: skip
        spar = m.add("spar", lw.Beam((0, 0, 0), (0, L, 0), section, elements=6))
        m.add("root", lw.Fixed(lw.GROUND, spar.root, at=(0, 0, 0)))
        m.add("wing", lw.LiftingSurface(
            spar, c, lw.Airfoil.flat_plate(), aerodynamic_centre=0.08 * c, model="theodorsen",
            points=1,
        ))  # fmt: skip
        return m

    found = lw.flutter(goland, [120, 145], n=2, refine=False, progress=False)
    assert found.flutter_speed == pytest.approx(137.25, rel=0.01)
    assert found.flutter_frequency == pytest.approx(70.69, rel=0.03)


def wing(controls):
    m = lw.Model("wing")
    m.air = lw.Air(velocity=(30, 0, 0))
    plate = m.add("plate", lw.Body(2, (1, 1, 1)))
    m.add("hold", lw.Fixed(lw.GROUND, plate, at=(0, 0, 0)))
    twist = [(0, float(controls[0])), (1, float(controls[-1]))]
    m.add("foil", lw.LiftingSurface(plate, chord=0.5, airfoil=lw.Airfoil.naca0012(),
                                    start=(0, -1, 0), end=(0, 1, 0), twist=twist))  # fmt: skip
    return m


def test_trim_reaches_force_and_moment():
    wanted = {"foil.force_total.z": 250.0, "foil.torque_total.x": 12.0}
    found = lw.trim(wing, wanted, [0.03, 0.03], progress=False)
    assert found.loads["foil.force_total.z"] == pytest.approx(250.0, abs=3e-4)
    assert found.loads["foil.torque_total.x"] == pytest.approx(12.0, abs=3e-4)
    assert found.controls[1] > found.controls[0]


@pytest.mark.parametrize("call, words", [
    (lambda: lw.trim(wing, {"foil.force_total.z": 1.0}, [0.1, 0.2]), "as many loads"),
    (lambda: lw.trim(wing, {"foil.force_total.w": 1.0}, [0.1], progress=False), "item.output"),
    (lambda: lw.trim(wing, {"foil.force_total.y": 1.0}, [0.1], progress=False), "independently"),
    (lambda: lw.trim(wing, {"foil.force_total.z": 1.0}, "up"), "list of numbers"),
    (lambda: lw.flutter(wing, [3, 2]), "must rise"),
    (lambda: lw.flutter(wing, "fast"), "finite numbers"),
    (lambda: lw.flutter(lambda v: v, [1, 2], progress=False), "must return a linkwork Model"),
])  # fmt: skip
def test_bad_requests_are_refused(call, words):
    with pytest.raises(lw.LinkworkError, match=words):
        call()
