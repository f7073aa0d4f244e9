"""Lifting surfaces: strips on bodies and beams against closed forms and Theodorsen's theory."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork import compile_model

RHO, U = 1.225, 30.0
Q = 0.5 * RHO * U * U


def held(foil=None, *, air=None, **words):
    """A wing of span 2 that is held in the wind along x; its equilibrium."""
    m = lw.Model("tunnel")
    m.air = air or lw.Air(density=RHO, velocity=(U, 0, 0))
    plate = m.add("plate", lw.Body(2, (1, 1, 1)))
    m.add("hold", lw.Fixed(lw.GROUND, plate, at=(0, 0, 0)))
    words = {"chord": 0.5, "start": (0, -1, 0), "end": (0, 1, 0), **words}
    m.add("wing", lw.LiftingSurface(plate, airfoil=foil or lw.Airfoil.flat_plate(), **words))
    return m


def test_lift_and_drag_of_a_section():
    foil = lw.Airfoil.flat_plate(slope=5.7, drag=0.02)
    wing = lw.static(held(foil, twist=0.1), progress=False)["wing"]
    expected = [Q * 0.02, 0, Q * 5.7 * 0.1]
    np.testing.assert_allclose(wing.force_total, expected, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(wing.lift, Q * 0.5 * 0.57, rtol=1e-12)


@pytest.mark.parametrize("model", ["quasi-steady", "wagner", "theodorsen", "dynamic stall"])
def test_friction_along_the_span_is_that_of_no_angle_of_attack(model):
    """−½ ρ c U c_d(0) Vz at the aerodynamic centre, with lift and drag of the velocity across."""
    along, up, ac = 8.0, 3.0, 0.07
    m = lw.Model("sideslip")
    m.air = lw.Air(density=RHO, velocity=(U, along, up))
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    m.add("hold", lw.Fixed(lw.GROUND, body, at=(0, 0, 0)))
    foil = lw.Airfoil.naca0012()
    wing = lw.LiftingSurface(body, 0.5, foil, (0, -1, 0), (0, 1, 0), model=model,
                             aerodynamic_centre=ac)  # fmt: skip
    m.add("wing", wing)
    run = lw.transient(m, 1e-3, 1e-3, progress=False)["wing"]
    q = 0.5 * RHO * 0.5 * np.hypot(U, up)
    alpha = np.arctan2(up, U)
    cl, cd = foil.cl(alpha), foil.cd(alpha)
    force = q * 2 * np.array([cd * U - cl * up, foil.cd(0.0) * along, cl * U + cd * up])
    np.testing.assert_allclose(run.force_total.values[-1], force, rtol=1e-8)
    np.testing.assert_allclose(run.torque_total.values[-1, 2], -ac * force[1], rtol=1e-8)


def test_elliptic_wing_by_strips():
    """L = q 2π α S with S = π b c₀/4 for c(y) = c₀ √(1 − (2y/b)²)."""
    chord = lambda s: 0.8 * math.sqrt(1 - (2 * s - 1) ** 2)  # noqa: E731
    wing = lw.static(held(chord=chord, twist=0.04, points=40), progress=False)["wing"]
    area = math.pi * 2 * 0.8 / 4
    np.testing.assert_allclose(wing.force_total[2], Q * 2 * math.pi * 0.04 * area, rtol=2e-5)


def test_the_two_halves_of_a_wing_lift_alike():
    left, right = (
        lw.static(held(start=(0, 0, 0), end=(0, y, 0), twist=[(0, 0.02), (1, 0.1)]),
                  progress=False)["wing"] for y in (1, -1)
    )  # fmt: skip
    np.testing.assert_allclose(left.lift, right.lift, rtol=1e-14)
    np.testing.assert_allclose(left.place[:, 1], -right.place[:, 1], rtol=1e-14)


def test_no_load_without_relative_velocity():
    air = lw.Air(density=RHO, velocity=(0, 0, 0))
    assert not np.any(lw.static(held(air=air, twist=0.1), progress=False)["wing"].force_total)
    m = held(twist=0.1)
    m.remove("hold")
    m["plate"].velocity = (U, 0, 0)  # drifts with the wind
    run = lw.transient(m, 0.1, 0.01, progress=False)
    np.testing.assert_allclose(run["plate"].velocity[-1], [U, 0, 0], rtol=1e-14)


def test_moment_is_that_of_the_force_at_the_aerodynamic_centre():
    m = held(twist=0.05, aerodynamic_centre=0.1, velocity_point=0.1)
    found = lw.static(m, progress=False)
    lift = Q * 2 * math.pi * 0.05
    # nose up is a positive turn about y; the centre is forward on the twisted chord line
    arm = 0.1 * math.cos(0.05)
    np.testing.assert_allclose(found["hold"].torque[1], -lift * arm, rtol=1e-12)


def test_pitch_and_plunge_rates_change_the_angle_at_the_velocity_point():
    m = held(velocity_point=-0.3)
    m.remove("hold")
    m["plate"].velocity, m["plate"].angular_velocity = (0, 0, -1.5), (0, 2.0, 0)
    state = lw.assemble(m)
    run = lw.Result.of_state(compile_model(m), state)
    expected = math.atan2(1.5 + 2.0 * 0.3, U)
    np.testing.assert_allclose(run["wing"].alpha, expected, rtol=1e-12)


def test_tip_loss_and_control_deflection():
    plain = lw.static(held(twist=0.05), progress=False)["wing"]
    lossy = lw.static(held(twist=0.05, tip_loss=lambda s: 0.0 if s > 0.5 else 1.0, points=10),
                      progress=False)["wing"]  # fmt: skip
    # the force along the chord, L sin α forwards, stays
    half = plain.force_total[2] / 2 * (1 + math.sin(0.05) ** 2)
    np.testing.assert_allclose(lossy.force_total[2], half, rtol=1e-12)
    m = held(control=lw.ramp(0.2), control_shape=[(0, 0), (1, 2)])
    flap = lw.static(m, time=0.5, progress=False)["wing"]
    np.testing.assert_allclose(flap.alpha, 0.1 * 2 * m["wing"].s, rtol=1e-12)


@pytest.mark.parametrize("model", ["wagner", "theodorsen"])
def test_apparent_mass_has_the_lift_slope_of_the_mach_number(model):
    """Between columns of 2π at Mach 0 and 4π at 0.6 a plate at 0.3 is one of 3π."""
    def pitching(foil):
        m = lw.Model("pitching")
        m.air = lw.Air(density=RHO, velocity=(U, 0, 0), speed_of_sound=U / 0.3)
        body = m.add("body", lw.Body(1, (1, 1, 1)))
        angle = lw.expression("0.05*sin(60*t)")
        m.add("motor", lw.Motor(lw.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0), angle=angle))
        m.add("wing", lw.LiftingSurface(body, 0.5, foil, (0, -1, 0), (0, 1, 0), model=model))
        return lw.transient(m, 0.1, 1e-3, progress=False)["wing"]

    ends, none = np.array([-np.pi, np.pi]), ([0.0], [0.0], [[0.0]])
    columns = np.outer(ends, [2 * np.pi, 4 * np.pi])
    found = pitching(lw.Airfoil((ends, [0.0, 0.6], columns), none, none))
    plain = pitching(lw.Airfoil.flat_plate(slope=3 * np.pi))
    assert np.abs(found.mach.values - 0.3).max() < 0.01
    for word in ("cl", "cm"):
        known = plain.numbers(word)
        np.testing.assert_allclose(found.numbers(word), known, atol=0.01 * np.abs(known).max())


def test_a_beam_carries_what_a_body_carries():
    def beam(order):
        m = lw.Model("beam")
        m.air = lw.Air(density=RHO, velocity=(U, 0, 0))
        stiff = lw.Section(stiffness=(1e9,) * 6, mass=1, inertia=(1, 1, 1))
        spar = m.add("spar", lw.Beam((0, -1, 0), (0, 1, 0), stiff, elements=2, order=order))
        m.add("hold", lw.Fixed(lw.GROUND, spar.root, at=(0, -1, 0)))
        m.add("wing", lw.LiftingSurface(
            spar, 0.5, lw.Airfoil.flat_plate(drag=0.01), twist=[(0, 0.02), (1, 0.1)],
            aerodynamic_centre=0.05, points=3,
        ))  # fmt: skip
        return lw.static(m, progress=False)

    body = lw.static(held(lw.Airfoil.flat_plate(drag=0.01), twist=[(0, 0.02), (1, 0.1)],
                          aerodynamic_centre=0.05), progress=False)  # fmt: skip
    for found in (beam(2), beam(3)):
        np.testing.assert_allclose(
            found["wing"].force_total, body["wing"].force_total, rtol=1e-6, atol=1e-4  # it bends
        )
        np.testing.assert_allclose(
            found["wing"].torque_total, body["wing"].torque_total, rtol=1e-5, atol=1e-4
        )
        np.testing.assert_allclose(-found["hold"].force_world, found["wing"].force_total, rtol=1e-7,
                                   atol=1e-6)  # fmt: skip


def test_energy_from_the_air_is_the_work_on_the_structure():
    """A wing that plunges on a spring: kinetic and elastic energy are the integral of the power."""
    m = held(twist=0.05)
    m.remove("hold")
    m.add("guide", lw.Prismatic(lw.GROUND, m["plate"], at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.Bushing(lw.GROUND, m["plate"], at=(0, 0, 0),
                               stiffness=[1, 1, 800, 1, 1, 1]))  # fmt: skip
    run = lw.transient(m, 0.4, 2e-4, progress=False)
    v, z = run["plate"].velocity.values[:, 2], run["plate"].position.values[:, 2]
    stored = 0.5 * 2 * v**2 + 0.5 * 800 * z**2
    work = np.concatenate([[0], np.cumsum(np.diff(run.time) / 2 * (
        run["wing"].power.values[1:] + run["wing"].power.values[:-1]))])  # fmt: skip
    assert stored.max() > 1.0
    np.testing.assert_allclose(work, stored, atol=2e-5 * stored.max())  # trapezoidal rule


# ------------------------------------------------------------------------------- unsteady


def test_step_response_is_wagners_function():
    """R. T. Jones' form of it with the first set of constants."""
    c = 2.0
    air = lw.Air(density=1.0, velocity=(2.0, 0, 0))  # b/U = 0.5 s: τ = 2 t
    m = held(chord=c, air=air, model="theodorsen", control=lambda t: 0.01 * (t > 0), points=1)
    run = lw.transient(m, 10.0, 5e-4, progress=False, every=10)
    tau = 2.0 * run.time
    jones = 1 - 0.165 * np.exp(-0.0455 * tau) - 0.335 * np.exp(-0.3 * tau)
    late = run.time > 0.05
    np.testing.assert_allclose(run["wing"].alpha.values[late, 0] / 0.01, jones[late], atol=2e-3)
    for t, value in ((0.5, 0.5942), (1.0, 0.6655), (2.5, 0.7938), (5, 0.8786), (10, 0.9328)):
        k = int(np.argmin(np.abs(run.time - t)))
        assert run["wing"].alpha.values[k, 0] / 0.01 == pytest.approx(value, abs=1e-3)


def theodorsen(k, wagner):
    """C(k) of the states."""
    a1, a2, b1, b2 = {1: (0.165, 0.335, 0.0455, 0.3), 2: (0.165, 0.335, 0.041, 0.32)}[wagner]
    return 1 - a1 * 1j * k / (b1 + 1j * k) - a2 * 1j * k / (b2 + 1j * k)


def test_constants_give_the_published_lift_deficiency():
    for k, value in ((0.1, 0.82980 - 0.16270j), (0.2, 0.74004 - 0.19031j),
                     (0.5, 0.59003 - 0.16269j), (1.0, 0.52800 - 0.09969j)):  # fmt: skip
        assert theodorsen(k, 1) == pytest.approx(value, abs=6e-6)


@pytest.mark.parametrize("k", [0.1, 0.2, 0.5, 1.0])
def test_plunge_and_pitch_loads_are_theodorsens(k):
    """Lift and moment about the reference axis for harmonic plunge and pitch, per unit span:

    L = πρb²(ḧ + Uα̇ − baα̈) + 2πρUbC(ḣ + Uα + b(½ − a)α̇)                       h down
    M = πρb²(baḧ − Ub(½ − a)α̇ − b²(⅛ + a²)α̈) + 2πρUb²(½ + a)C(ḣ + Uα + b(½ − a)α̇)
    """
    b, a, rho, speed = 1.0, -0.2, 1.0, 1.0
    m = lw.Model("section")
    m.air = lw.Air(density=rho, velocity=(speed, 0, 0), speed_of_sound=1e6)
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    axes = np.array([[-1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    m.add("wing", lw.LiftingSurface(
        lw.Frame(body, orientation=axes), 2 * b, lw.Airfoil.flat_plate(), span=1.0, points=1,
        aerodynamic_centre=(0.5 + a) * b, model="theodorsen", filter_frequency=1e6,
    ))  # fmt: skip
    data = compile_model(m).data()
    state = data.system.described_state()
    omega = k * speed / b
    K = data.evaluate(state, cK=1.0).stiffness.toarray()
    D = data.evaluate(state, cK=0.0, cD=1.0).stiffness.toarray()
    Z = K + 1j * omega * D
    H = Z[:6, :6] - Z[:6, 6:] @ np.linalg.solve(Z[6:, 6:], Z[6:, :6])  # the states eliminated
    s, C = 1j * omega, theodorsen(k, 1)
    for h, alpha, column in ((-1.0, 0.0, 2), (0.0, 1.0, 4)):  # z up is h down; ry is nose up
        w = s * h + speed * alpha + b * (0.5 - a) * s * alpha
        lift = math.pi * rho * b**2 * (s * s * h + speed * s * alpha - b * a * s * s * alpha)
        lift += 2 * math.pi * rho * speed * b * C * w
        moment = math.pi * rho * b**2 * (b * a * s * s * h - speed * b * (0.5 - a) * s * alpha
                                         - b * b * (1 / 8 + a * a) * s * s * alpha)  # fmt: skip
        moment += 2 * math.pi * rho * speed * b * b * (0.5 + a) * C * w
        assert -H[2, column] == pytest.approx(lift, rel=1e-5, abs=1e-5)
        assert -H[4, column] == pytest.approx(moment, rel=1e-5, abs=1e-5)


# -------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("words, message", [
    ({"chord": -0.5}, "chord of a LiftingSurface must be positive"),
    ({"chord": [(0, 1), (1, -0.1)]}, "chord of a LiftingSurface must be positive"),
    ({"end": (0, -1, 0)}, "two different points"),
    ({"forward": (0, 1, 0)}, "lies along its span"),
    ({"up": (1, 0, 0)}, "lies in its plane"),
    ({"tip_loss": 2.0}, "between 0 and 1"),
    ({"model": "stalled"}, "'quasi-steady'.*'theodorsen'"),
    ({"points": 0}, "at least 1"),
    ({"twist": lambda s: 1 / 0}, "twist of a LiftingSurface fails at"),
    ({"inflow": 3}, "must be an lw.Rotor"),
    ({"span": 2.0}, "either span or start and end"),
])  # fmt: skip
def test_bad_surfaces_are_refused(words, message):
    with pytest.raises(lw.ModelError, match=message):
        held(**words)


def test_missing_parts_are_named():
    body = lw.Body(1, (1, 1, 1))
    with pytest.raises(lw.ModelError, match="needs an airfoil"):
        lw.LiftingSurface(body, chord=1)
    m = held()
    m.air = None
    with pytest.raises(lw.ModelError, match="has no air to move through"):
        lw.static(m, progress=False)


def test_angles_beyond_the_table_are_refused_after_the_run():
    foil = lw.Airfoil.polar([-10, 10], [-1, 1], [0.01, 0.01])
    with pytest.raises(lw.LinkworkError, match=r"LiftingSurface 'wing' .* has no data at an angle"):
        lw.static(held(foil, twist=0.3), progress=False)
    held_on = lw.Airfoil.polar([-10, 10], [-1, 1], [0.01, 0.01], outside="hold")
    wing = lw.static(held(held_on, twist=0.3), progress=False)["wing"]
    np.testing.assert_allclose(wing.cl, 1.0)


def test_flow_faster_than_the_table_is_refused():
    """Above the last of several columns, and above the speed of sound where there is one."""
    alpha, mach = np.array([-0.3, 0.3]), np.array([0.0, 0.5, 0.8])
    lift = 6 * alpha[:, None] * (1 + mach)

    def foil(columns, **words):
        part = (alpha, mach[:columns], lift[:, :columns])
        return lw.Airfoil(part, part, part, **words)

    def blown(foil, speed):
        air = lw.Air(velocity=(speed, 0, 0), speed_of_sound=300.0)
        return lw.static(held(foil, air=air, twist=0.1), progress=False)["wing"]

    blown(foil(3), 235.0)
    with pytest.raises(lw.LinkworkError, match=r"Mach number of 0.8333 \(its tables reach to 0.8"):
        blown(foil(3), 250.0)
    np.testing.assert_allclose(blown(foil(3, outside="hold"), 250.0).cl, 0.6 * 1.8, rtol=1e-9)
    blown(foil(1), 290.0)
    with pytest.raises(lw.LinkworkError, match=r"Mach number of 1.1 \(its tables reach to 1\)"):
        blown(foil(1), 330.0)


def test_arrows_of_lift_are_seen_beside_large_reactions():
    """A heavy body: its joint carries a thousand times the lift, whose arrows have their length."""
    from inside import draw

    from linkwork.view.scene import ARROW

    m = held(twist=0.1)
    m["plate"].mass, m.gravity = 1e5, np.array([0, 0, -9.81])
    drawing = draw(lw.static(m, progress=False).result)
    ends = drawing.arrow_ends("forces", "force", 0)
    longest = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max()
    assert longest == pytest.approx(ARROW * drawing.size)


def test_points_beyond_what_is_integrated_well_are_refused():
    body = lw.Body(1, (1, 1, 1))
    words = dict(chord=1, airfoil=lw.Airfoil.flat_plate(), start=(0, 0, 0), end=(0, 1, 0))
    with pytest.raises(lw.ModelError, match="points of a LiftingSurface must be at most 100"):
        lw.LiftingSurface(body, points=10**7, **words)
