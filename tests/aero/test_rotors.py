"""Rotors: inflow of momentum theory and its variants, power, dynamic inflow, ground effect."""

import math

import numpy as np
import pytest
from inside import compiled
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.elements.aero.rotors import inflow

RADIUS, SPEED = 5.0, 30.0
TIP = RADIUS * SPEED
AREA = math.pi * RADIUS**2
RHO = 1.225


@compiled
def rows(kind, variant, z, radius, kh, kf, ground, out):
    inflow.inflow_rows(kind, variant, True, z, radius, kh, kf, ground, 1e-12, out)


def solved(CT, mu, kind=inflow.UNIFORM, variant=0, v3=0.0, kh=1.0, kf=1.0, height=None):
    """Inflow numbers q over the tip speed; its equations are q − q(T, v) = 0."""
    z, out = np.zeros(inflow.INPUTS, complex), np.zeros(inflow.ROWS, complex)
    z[inflow.T] = CT * RHO * AREA * TIP**2
    z[inflow.V1], z[inflow.V3] = mu * TIP, v3 * TIP
    z[inflow.OMEGA], z[inflow.RHO] = SPEED, RHO
    z[inflow.HEIGHT] = 1e9 if height is None else height
    rows(kind, variant, z, RADIUS, kh, kf, 0.0 if height is None else 1.0, out)
    return -out.real / TIP


def test_mean_inflow_of_momentum_theory():
    for mu, value in ((0.0, 0.063246), (0.1, 0.037458), (0.2, 0.019902), (0.3, 0.013320)):
        assert solved(0.008, mu)[0] == pytest.approx(value, abs=6e-7)
    climb = solved(0.008, 0.0, v3=-0.05)[0]  # λ² + 0.05 λ = CT/2
    assert climb == pytest.approx(-0.025 + math.sqrt(0.025**2 + 0.004), rel=1e-12)


@pytest.mark.parametrize("variant, kx", list(zip(inflow.VARIANTS, (
    1.1203, 0.9054, 1.1108, 1.1911, 1.4073, 1.8551, 0.9902, 1.1806,
))))  # fmt: skip
def test_variants_of_glauerts_inflow(variant, kx):
    q = solved(0.008, 0.2, inflow.GLAUERT, inflow.VARIANTS.index(variant))
    assert q[1] / q[0] == pytest.approx(kx, abs=6e-5)
    side = -0.4 if variant.startswith("drees") else 0.0  # k_y = −2 μ
    assert q[2] / q[0] == pytest.approx(side, abs=1e-12)


def test_corrections_and_ground_effect():
    plain = solved(0.008, 0.0)[0]
    assert solved(0.008, 0.0, kh=1.1)[0] == pytest.approx(1.1**2 * plain, rel=1e-9)
    assert solved(0.008, 0.0, height=RADIUS)[0] == pytest.approx((1 - 1 / 16) * plain, rel=1e-12)
    assert solved(0.008, 0.0, height=0.1 * RADIUS)[0] == pytest.approx(0.0, abs=1e-15)


def test_mean_of_mangler_and_squires_field_is_the_mean_inflow():
    from linkwork.elements.aero.rotors.field import mangler

    plain = getattr(mangler, "py_func", mangler)
    x, w = np.polynomial.legendre.leggauss(40)
    eta, psi = (1 + x) / 2, np.linspace(0, 2 * math.pi, 64, endpoint=False)
    for root in (0.0, 0.4, 1.0):  # √Q: axial flow, oblique, in the disc
        # dA = r dr dψ = η dη dψ
        total = sum(
            wi / 2 * e * np.mean([
                plain(1.0, 0.8, 0.6, root, math.sqrt(1 - e * e) * math.cos(p),
                      math.sqrt(1 - e * e) * math.sin(p))[0] for p in psi
            ]) for e, wi in zip(eta, w)
        )  # fmt: skip
        assert 2 * total == pytest.approx(1.0, rel=1e-9)


def hovering(model="uniform", pitch=0.15, blades=2, wind=(0, 0, 0), **words):
    """A rotor of rigid blades with linear lift, from 0.5 m to the radius."""
    m = lw.Model("rotor")
    m.air = lw.Air(density=RHO, velocity=wind)
    hub = m.add("hub", lw.Body(50, (5, 5, 10)))
    m.add("mast", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(SPEED)))
    rotor = m.add("rotor", lw.Rotor(hub, radius=RADIUS, speed=SPEED, model=model, **words))
    for k in range(blades):
        a = 2 * math.pi * k / blades
        e, t = np.array([math.cos(a), math.sin(a), 0]), np.array([-math.sin(a), math.cos(a), 0])
        m.add(f"blade{k}", lw.LiftingSurface(
            hub, 0.3, lw.Airfoil.flat_plate(slope=5.7, drag=0.01), 0.5 * e, RADIUS * e,
            forward=t, twist=pitch, points=20, inflow=rotor, velocity_point=0.0,
        ))  # fmt: skip
    return m


def blade_loads(pitch, u, blades=2):
    """T and Q of blade element theory at an inflow u, without small angles."""
    x, w = np.polynomial.legendre.leggauss(20)
    r, w = 0.5 + (RADIUS - 0.5) * (1 + x) / 2, w * (RADIUS - 0.5) / 2
    U2, phi = (SPEED * r) ** 2 + u * u, np.arctan2(u, SPEED * r)
    q = 0.5 * RHO * U2 * 0.3
    cl = 5.7 * (pitch - phi)
    T = blades * np.sum(w * q * (cl * np.cos(phi) - 0.01 * np.sin(phi)))
    Q = blades * np.sum(w * q * r * (cl * np.sin(phi) + 0.01 * np.cos(phi)))
    return T, Q


def blade_elements(pitch, blades=2):
    """T, Q and u of blade element and momentum theory."""
    u = 4.0
    for _ in range(200):
        T, Q = blade_loads(pitch, u, blades)
        u = 0.5 * u + 0.5 * math.sqrt(T / (2 * RHO * AREA))
    return T, Q, u


def test_hover_is_that_of_blade_element_and_momentum_theory():
    run = lw.transient(hovering(), 0.02, 1e-3, progress=False)["rotor"]
    T, Q, u = blade_elements(0.15)
    np.testing.assert_allclose(run.thrust[1:], T, rtol=1e-9)
    np.testing.assert_allclose(run.power[1:], Q * SPEED, rtol=1e-9)
    np.testing.assert_allclose(run.inflow_mean[1:], u, rtol=1e-9)
    induced = T * u  # ideal power; the rest drags, and lift is not uniform
    assert induced < float(run.power[-1]) < 2 * induced


def test_time_constants_of_dynamic_inflow_in_hover():
    """Ω τ = 4.295 of the mean and 1.789 of the cyclic inflow at C_T = 0.008."""
    def right(q):
        z, out = np.zeros(inflow.INPUTS, complex), np.zeros(inflow.ROWS, complex)
        z[inflow.T], z[inflow.OMEGA], z[inflow.RHO] = 0.008 * RHO * AREA * TIP**2, SPEED, RHO
        z[inflow.STEADY] = math.sqrt(0.004) * TIP
        z[inflow.Q0 : inflow.Q0 + 3] = q
        rows(inflow.DYNAMIC, 0, z, RADIUS, 1.0, 1.0, 0.0, out)
        return out.real[:3]

    A = np.column_stack([right(e) - right(np.zeros(3)) for e in np.eye(3)])
    mass = RHO * AREA * RADIUS * np.array([inflow.M0, inflow.M1, inflow.M1])
    np.testing.assert_allclose(A - np.diag(np.diag(A)), 0, atol=1e-9)
    np.testing.assert_allclose(SPEED * mass / np.diag(A), [4.295, 1.789, 1.789], atol=6e-4)


def test_dynamic_inflow_settles_on_momentum_theory():
    T, _, u = blade_elements(0.15)
    run = lw.transient(hovering("dynamic"), 3.0, 2e-3, progress=False)["rotor"]
    np.testing.assert_allclose(run.thrust[-1], T, rtol=1e-6)
    np.testing.assert_allclose(run.inflow.values[-1, 0], u, rtol=1e-6)
    np.testing.assert_allclose(run.inflow.values[-1, 1:3], 0.0, atol=1e-9)


def cyclic(phase, wind=0.0, direction=0.0):
    """Means over a turn of thrust, torque and inflow with pitch cos(ψ − phase), in axes that are
    turned by the direction of the wind."""
    turn = 2 * math.pi / SPEED
    m = hovering("dynamic", blades=4,
                 wind=(wind * math.cos(direction), wind * math.sin(direction), 0))  # fmt: skip
    for k in range(4):
        control = f"0.03*cos({SPEED}*t + {k * math.pi / 2 - phase})"
        m[f"blade{k}"].control = lw.expression(control)
    run = lw.transient(m, 6 * turn, turn / 24, progress=False)["rotor"]
    c, s = math.cos(direction), math.sin(direction)
    turned = np.array([[c, s], [-s, c]])
    T, M, q = (x.values[-24:].mean(axis=0) for x in (run.thrust, run.torque, run.inflow))
    return T, turned @ M[:2], turned @ q[1:3]


def test_cyclic_inflow_in_hover_is_that_of_momentum_theory():
    """Elements of the disc with dT = 2 ρ u² dA about u₀: M = ρ A R u₀ q, along x as along y."""
    for phase in (0.0, math.pi / 2):
        T, M, q = cyclic(phase)
        u = math.sqrt(T / (2 * RHO * AREA))
        moment = RHO * AREA * RADIUS * u * np.array([q[1], -q[0]])  # lift rises with y: M_x
        np.testing.assert_allclose(M, moment, atol=0.01 * np.abs(M).max())
        assert np.hypot(*q) > 1.0


def test_dynamic_inflow_turns_with_wind_and_pitch():
    expected = cyclic(0.4, 20.0)
    for direction in (math.pi / 2, 1.0):
        found = cyclic(direction + 0.4, 20.0, direction)
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=1e-4)


def test_dynamic_inflow_builds_up_from_still_air():
    """ρ A R 128/(75 π) u̇ + 2 ρ A √(T/2ρA) u = T(u) in hover, by an independent solver."""
    def rate(_, u):
        T = blade_loads(0.15, u[0])[0]
        pull = 2 * RHO * AREA * math.sqrt(T / (2 * RHO * AREA)) * u[0]
        return [(T - pull) / (RHO * AREA * RADIUS * 128 / (75 * math.pi))]

    m = hovering("dynamic", start=(0, 0, 0))
    run = lw.transient(m, 0.2, 5e-4, progress=False)["rotor"]
    exact = solve_ivp(rate, (0, 0.2), [0.0], t_eval=run.time, rtol=1e-10, atol=1e-12)
    u = run.inflow.values[:, 0]
    assert u[0] == 0.0 and u[-1] > 3.0
    np.testing.assert_allclose(u, exact.y[0], atol=2e-5)
    np.testing.assert_array_equal(run.inflow_mean.values, u)
    momentum = np.sqrt(run.thrust.values[1:] / (2 * RHO * AREA))
    np.testing.assert_allclose(run.inflow_momentum.values[1:], momentum, rtol=1e-9)


def test_forward_flight_of_a_rigid_rotor():
    """Glauert's inflow grows towards the rear of the disc, and the wind's side lifts more."""
    m = hovering("glauert", wind=(30, 0, 0), blades=4)
    run = lw.transient(m, 0.02, 1e-3, progress=False)
    rotor = run["rotor"]
    mu = float(rotor.advance_ratio[-1])
    assert mu == pytest.approx(30 / TIP, rel=1e-9)
    u, load = float(rotor.inflow_mean[-1]), float(rotor.rotor_load[-1, 0])
    assert load == pytest.approx(2 * RHO * AREA * u * math.hypot(30, u), rel=1e-9)
    assert load == pytest.approx(float(rotor.thrust[-1]), rel=1e-9)
    kx = 4 / 3 * (1 - 1.8 * mu**2) * math.tan(math.atan2(30, u) / 2)
    rear, front = rotor.inflow_at([1.0, 1.0], [0.0, math.pi])
    assert rear - front == pytest.approx(2 * u * kx, rel=1e-9)
    assert float(rotor.torque[-1, 0]) > 0  # blades at y > 0 advance into the wind, and lift more


def test_profile_drag_in_forward_flight_has_the_part_along_the_span():
    """C_H = 3/8 σ c_d μ with constant c_d, of which 1/8 acts along the blades."""
    speed, wind, cd = 40.0, 20.0, 0.01
    m = lw.Model("drag of a rotor")
    m.air = lw.Air(density=RHO, velocity=(wind, 0, 0))
    hub = m.add("hub", lw.Body(20, (2, 2, 4)))
    m.add("mast", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(speed)))
    rotor = m.add("rotor", lw.Rotor(hub, radius=RADIUS, speed=speed, model="none"))
    m.add("blade", lw.LiftingSurface(
        hub, 0.3, lw.Airfoil.flat_plate(slope=0, drag=cd), (1, 0, 0), (RADIUS, 0, 0),
        forward=(0, 1, 0), inflow=rotor,
    ))  # fmt: skip
    turn = 2 * math.pi / speed
    run = lw.transient(m, turn, turn / 16, progress=False)["rotor"]  # the load has two harmonics
    exact = 3 / 8 * RHO * 0.3 * cd * wind * speed * (RADIUS**2 - 1)
    assert np.mean(run.force.values[1:, 0]) == pytest.approx(exact, rel=1e-6)


def test_a_rotor_without_blades_is_refused():
    m = lw.Model("bare")
    m.air = lw.Air()
    hub = m.add("hub", lw.Body(1, (1, 1, 1)))
    m.add("rotor", lw.Rotor(hub, radius=5, speed=30))
    with pytest.raises(lw.ModelError, match="Rotor 'rotor' has no blades.*inflow=rotor"):
        lw.transient(m, 0.1, 0.1, progress=False)


def test_the_vortex_ring_state_is_named():
    """Air that rises at twice the induced velocity: refused with what to do, which works."""
    with pytest.raises(lw.LinkworkError, match=r'vortex ring state\); take model="dynamic"'):
        lw.transient(hovering(wind=(0, 0, 17)), 0.02, 1e-3, progress=False)
    lw.transient(hovering("dynamic", wind=(0, 0, 17)), 0.02, 1e-3, progress=False)
    lw.transient(hovering("mangler", wind=(0, 0, 10)), 0.02, 1e-3, progress=False)  # along the axis


def test_there_is_no_inflow_below_the_threshold():
    m = hovering()
    m["mast"].angle = lw.ramp(0.1)
    run = lw.transient(m, 0.01, 1e-3, progress=False)
    assert not np.any(run["rotor"].inflow_mean.values[1:])


@pytest.mark.parametrize("words, message", [
    ({"radius": -1, "speed": 3}, "positive"),
    ({"radius": 1}, "needs a speed"),
    ({"radius": 1, "speed": 0}, "must not be zero"),
    ({"radius": 1, "speed": 3, "model": "magic"}, "must be 'none'"),
    ({"radius": 1, "speed": 3, "variant": "glauer"}, "variant"),
    ({"radius": 1, "speed": 3, "start": (1, 0, 0)}, "leave start out"),
    ({"radius": 1, "speed": 3, "model": "dynamic", "start": 3}, "start of a Rotor"),
    ({"radius": 1, "speed": 3, "ground": 3}, r"\(point, normal\)"),
])  # fmt: skip
def test_bad_rotors_are_refused(words, message):
    with pytest.raises(lw.ModelError, match=message):
        lw.Rotor(lw.Body(1, (1, 1, 1)), **words)
    with pytest.raises(lw.ModelError, match="GROUND, which cannot turn"):
        lw.Rotor(lw.GROUND, radius=1, speed=1)


def test_thrust_of_the_rotor_of_caradonna_and_tung():
    """Two untwisted blades NACA 0012 at 8°, tip Mach number 0.439: C_T about 0.0046 was measured
    (F. X. Caradonna, C. Tung, NASA TM 81232, 1981).  Strips with uniform inflow have no wake that
    contracts: with the usual factors, 1.15 of the induced velocity and 0.97 of the radius that
    lifts, they come within a tenth of it."""
    R, c, tip = 1.143, 0.1905, 0.439 * 340.3
    m = lw.Model("Caradonna and Tung")
    m.air = lw.Air(density=RHO, speed_of_sound=340.3)
    hub = m.add("hub", lw.Body(50, (5, 5, 10)))
    speed = tip / R
    m.add("mast", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(speed)))
    rotor = m.add("rotor", lw.Rotor(hub, radius=R, speed=speed, hover_correction=1.15))
    for k, e in enumerate(np.array([(1.0, 0, 0), (-1.0, 0, 0)])):
        m.add(f"blade{k}", lw.LiftingSurface(
            hub, c, lw.Airfoil.naca0012(), c * e, 0.97 * R * e, forward=np.cross((0, 0, 1), e),
            twist=math.radians(8), points=20, inflow=rotor,
        ))  # fmt: skip
    run = lw.transient(m, 2e-3, 1e-3, progress=False)["rotor"]
    assert float(run.thrust_coefficient[-1]) == pytest.approx(0.0046, rel=0.1)


TILT, HINGE, HORN, LENGTH, BLADE = 0.04, 0.25, 0.15, 4.0, 16.0


def hinged():
    """Rigid blades on flap, lag and pitch hinges; pitch links from a swashplate that is tilted."""
    m = lw.Model("hinged rotor")
    m.air = lw.Air(density=RHO)
    spin = dict(angular_velocity=(0, 0, SPEED))
    hub = m.add("hub", lw.Body(50, (5, 5, 10), **spin))
    m.add("mast", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(SPEED)))
    below, axis = np.array([0, 0, -0.4]), np.array([0, -math.sin(TILT), math.cos(TILT)])
    plate = m.add("swashplate", lw.Body(4, (0.2, 0.2, 0.4), below, **spin))
    m.add("bearing", lw.Revolute(lw.GROUND, plate, at=below, axis=axis))
    m.add("scissors", lw.Orthogonal(hub, plate, (1, 0, 0), (0, 1, 0)))
    rotor = m.add("rotor", lw.Rotor(hub, radius=HINGE + LENGTH, speed=SPEED))
    for k, e in enumerate(np.array([(1.0, 0, 0), (-1.0, 0, 0)])):
        ahead, at = np.cross((0, 0, 1), e), HINGE * e
        links = [
            m.add(f"{name}{k}", lw.Body(0.2, (2e-3,) * 3, at, velocity=SPEED * HINGE * ahead,
                                        **spin))
            for name in ("flapping", "lagging")
        ]  # fmt: skip
        middle, inertia = HINGE + LENGTH / 2, BLADE * LENGTH**2 / 12
        axes = np.column_stack([e, ahead, (0, 0, 1)])
        blade = m.add(f"blade{k}", lw.Body(
            BLADE, (0.02, inertia, inertia), middle * e, orientation=axes,
            velocity=SPEED * middle * ahead, **spin,
        ))  # fmt: skip
        m.add(f"flap{k}", lw.Revolute(hub, links[0], at=at, axis=-ahead))
        lag = m.add(f"lag{k}", lw.Revolute(links[0], links[1], at=at, axis=(0, 0, 1)))
        m.add(f"damper{k}", lw.TorsionSpring(lag, stiffness=0, damping=800))
        m.add(f"pitch{k}", lw.Revolute(links[1], blade, at=at, axis=e))
        horn = at + HORN * ahead
        foot = horn + below
        foot[2] = below[2] + math.tan(TILT) * foot[1]  # on the tilted plate
        m.add(f"link{k}", lw.Distance(lw.Frame(plate, foot - below),
                                      lw.Frame(blade, axes.T @ (horn - middle * e)),
                                      length=0.4))  # fmt: skip
        m.add(f"foil{k}", lw.LiftingSurface(
            blade, 0.3, lw.Airfoil.flat_plate(slope=5.7, drag=0.01), 0.8 * e,
            (HINGE + LENGTH) * e, forward=ahead, twist=0.1, points=10, inflow=rotor,
            velocity_point=0.0,
        ))  # fmt: skip
    return m


def test_swashplate_pitches_blades_and_they_cone():
    turn = 2 * math.pi / SPEED
    run = lw.transient(hinged(), 6 * turn, turn / 120, progress=False)
    rotor = run["rotor"]
    psi, lift = rotor.over_azimuth("foil0")
    # 120 steps a turn, one more or less as the blade still lags
    assert abs(len(psi) - 120) <= 1 and lift.shape == (len(psi), 10) and np.all(np.diff(psi) > 0)
    last = run.time > run.time[-1] - turn * (1 - 1e-9)
    along = SPEED * run.time[last]
    first = {}
    for name in ("pitch0", "flap0"):
        angle = run[name].angle.values[last]
        first[name] = 2 * np.mean(angle * np.exp(-1j * along))
    # the foot of the link rises by tilt · √(e² + h²), and the horn h turns by that over h
    assert abs(first["pitch0"]) == pytest.approx(TILT * math.hypot(HINGE, HORN) / HORN, rel=0.03)
    # at resonance flapping follows the pitch by a quarter of a turn, less a little for the offset
    lead = np.angle(first["pitch0"] / first["flap0"])
    assert 1.2 < abs(lead) < math.pi / 2 + 0.05
    # coning: lift about the hinge against centrifugal force, m L²/3 and the offset
    points = run["foil0"]
    force, place = points.numbers("force")[last], points.numbers("place")[last]
    _, w = np.polynomial.legendre.leggauss(10)
    reach = LENGTH + HINGE - 0.8
    arms = np.linalg.norm(place[..., :2], axis=-1) - HINGE
    moment = np.mean(np.sum(force[..., 2] * arms * w * reach / 2, axis=1))
    stiff = SPEED**2 * BLADE * (LENGTH**2 / 3 + HINGE * LENGTH / 2)
    cone = np.mean(run["flap0"].angle.values[last])
    assert abs(cone) == pytest.approx(moment / stiff, rel=0.03)


def test_loads_over_azimuth_need_a_turn_and_a_blade():
    run = lw.transient(hovering(), 0.02, 1e-3, progress=False)
    with pytest.raises(lw.ModelError, match="needs a run of one turn"):
        run["rotor"].over_azimuth("blade0")
    with pytest.raises(lw.ModelError, match="its blades are blade0, blade1"):
        run["rotor"].over_azimuth("hub")
