"""Driven mechanisms with closed forms: positions, velocities, accelerations and drive torques."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def turned(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rod(m, name, p, q, mass):
    """A thin rod in the x-y plane, its x axis from p to q."""
    d = q - p
    J = mass * (d @ d) / 12
    return m.add(name, lw.Body(
        mass, (0, J, J), position=(p + q) / 2, orientation=turned(np.arctan2(d[1], d[0]))
    ))  # fmt: skip


# ------------------------------------------------------------------------------- slider-crank


class SliderCrank:
    """Crank r, rod l, masses m1, m2, m3; the closed form of its motion, angle θ of the crank."""

    def __init__(self, r=0.2, l=0.5, start=0.3, masses=(1.0, 2.0, 3.0)):
        self.r, self.l, self.start, self.masses = r, l, start, masses

    def model(self, angle):
        m = lw.Model("slider-crank", gravity=(0, -G, 0))
        knee = np.array([*self.knee(self.start), 0.0])
        foot = np.array([self.slider(self.start), 0.0, 0.0])
        crank = rod(m, "crank", np.zeros(3), knee, self.masses[0])
        link = rod(m, "rod", knee, foot, self.masses[1])
        slider = m.add("slider", lw.Body(self.masses[2], (1, 1, 1), position=foot))
        m.add("motor", lw.Motor(lw.GROUND, crank, (0, 0, 0), (0, 0, 1), angle=angle))
        m.add("A", lw.Revolute(crank, link, at=knee, axis=(0, 0, 1)))
        m.add("B", lw.Spherical(link, slider, at=foot))
        m.add("rail", lw.Prismatic(lw.GROUND, slider, at=foot, axis=(1, 0, 0)))
        return m

    def knee(self, th):
        return self.r * np.cos(th), self.r * np.sin(th)

    def slider(self, th):
        return self.r * np.cos(th) + np.sqrt(self.l**2 - (self.r * np.sin(th)) ** 2)

    def derivatives(self, th):
        """x, dx/dθ, d²x/dθ² of the slider."""
        r, s, c = self.r, np.sin(th), np.cos(th)
        root = np.sqrt(self.l**2 - (r * s) ** 2)
        first = -r * s - r * r * s * c / root
        second = -r * c - r * r * (c * c - s * s) / root - (r * r * s * c) ** 2 / root**3
        return self.slider(th), first, second

    def inertia(self, th):
        """T = ½ M(θ) θ̇², analytic in θ so that complex steps differentiate it."""
        m1, m2, m3 = self.masses
        r, l, s, c = self.r, self.l, np.sin(th), np.cos(th)
        root = np.sqrt(l**2 - (r * s) ** 2)
        slide = -r * s - r * r * s * c / root
        swing = -r * c / root  # dβ/dθ of the rod, sin β = −r sin θ / l
        x, y = (-r * s + slide) / 2, r * c / 2  # velocity of the rod's middle over θ̇
        rod_part = m2 * (x * x + y * y) + m2 * l * l / 12 * swing**2
        return m1 * r * r / 3 + rod_part + m3 * slide**2

    def potential(self, th):
        m1, m2, _ = self.masses
        return G * (m1 + m2) * self.r * np.sin(th) / 2

    def torque(self, th, rate, acceleration):
        """Lagrange: M θ̈ + ½ M' θ̇² + V'."""
        step = 1e-30j
        M1 = self.inertia(th + step).imag / step.imag
        V1 = self.potential(th + step).imag / step.imag
        return self.inertia(th) * acceleration + M1 * rate**2 / 2 + V1


@pytest.mark.parametrize("law", ["ramp", "sine"])
def test_slider_crank_against_its_closed_form(law):
    crank = SliderCrank()
    angle = lw.ramp(4 * np.pi) if law == "ramp" else lw.sine(2.0, 1.5)
    with pytest.warns(lw.LinkworkWarning, match="repeat"):  # a planar loop in space
        kin = lw.kinematics(crank.model(angle), t=1.3, h=0.01, progress=False)
    t = kin.time
    assert len(t) == 131
    assert t[-1] == 1.3
    if law == "ramp":
        th, rate, acc = crank.start + 4 * np.pi * t, 4 * np.pi, 0.0
    else:
        w = 2 * np.pi * 1.5
        th, rate = crank.start + 2 * np.sin(w * t), 2 * w * np.cos(w * t)
        acc = -2 * w * w * np.sin(w * t)
    x, x1, x2 = crank.derivatives(th)
    slider = kin["slider"]
    assert np.allclose(slider.position[:, 0], x, atol=1e-12)
    assert np.allclose(slider.velocity[:, 0], x1 * rate, atol=1e-10)
    assert np.allclose(slider.acceleration[:, 0], x2 * rate**2 + x1 * acc, atol=1e-8)
    assert np.allclose(slider.position[:, 1:], 0, atol=1e-12)
    assert np.allclose(kin["crank"].angular_velocity[:, 2], rate, atol=1e-10)
    assert np.allclose(kin["motor"].torque, crank.torque(th, rate, acc), atol=1e-8)
    assert np.allclose(kin["motor"].angle, th - crank.start, atol=1e-12)  # counted over turns
    assert float(kin.violation.position.max()) < 1e-11
    assert float(kin.violation.velocity.max()) < 1e-9


def test_work_supplied_is_the_change_of_energy():
    crank = SliderCrank()
    worst = []
    for h in (4e-3, 2e-3):
        with pytest.warns(lw.LinkworkWarning):
            kin = lw.kinematics(crank.model(lw.sine(2.0, 1.5)), t=0.4, h=h, progress=False)
        th, rate = crank.start + 2 * np.sin(3 * np.pi * 0.4), 6 * np.pi * np.cos(3 * np.pi * 0.4)
        total = crank.inertia(th) * rate**2 / 2 + crank.potential(th)
        assert float(kin.energy.total[-1]) == pytest.approx(total, rel=1e-10)
        worst.append(np.abs(kin.energy.balance.values).max())
    assert 3.5 < worst[0] / worst[1] < 4.5  # the trapezoidal rule is of second order


def test_slider_crank_that_locks():
    """A crank longer than its rod locks where r sin θ = l; named, with what was found before."""
    crank = SliderCrank(r=0.5, l=0.3)
    lock = (np.arcsin(0.3 / 0.5) - crank.start) / 2.0
    with pytest.warns(lw.LinkworkWarning), pytest.raises(lw.ConvergenceError) as caught:
        lw.kinematics(crank.model(lw.ramp(2.0)), t=1, h=0.01, progress=False)
    error = caught.value
    assert error.time == pytest.approx(lock, abs=2e-4)
    assert "kinematics of 'slider-crank' did not converge at t = 0.1" in str(error)
    assert "joint '" in str(error)
    assert "row " in str(error)
    found = error.result
    assert lock - 0.01 < found.time[-1] < lock
    x = crank.slider(crank.start + 2 * found.time)
    assert np.allclose(found["slider"].position[:, 0], x, atol=1e-11)


# ---------------------------------------------------------------------------------- four-bars


def test_planar_four_bar_against_freudenstein():
    """Freudenstein's equation: R1 cos φ − R2 cos θ + R3 = cos(θ − φ)."""
    a, b, c, d, start = 0.2, 0.5, 0.4, 0.45, 0.8  # crank, coupler, rocker, ground
    R1, R2, R3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)

    def rocker(th):
        A = np.cos(th) - R1 - R2 * np.cos(th) + R3
        B, C = -2 * np.sin(th), R1 - (R2 + 1) * np.cos(th) + R3
        return 2 * np.arctan2(-B - np.sqrt(B * B - 4 * A * C), 2 * A)

    def rocker_rate(th):
        phi = rocker(th)
        top = R2 * np.sin(th) + np.sin(th - phi)
        return top / (R1 * np.sin(phi) + np.sin(th - phi))

    P = a * np.array([np.cos(start), np.sin(start), 0])
    O2 = np.array([d, 0, 0])
    Q = O2 + c * np.array([np.cos(rocker(start)), np.sin(rocker(start)), 0])
    assert np.linalg.norm(Q - P) == pytest.approx(b)  # the formulas above belong together
    m = lw.Model("four-bar", gravity=(0, -G, 0))
    crank, coupler = rod(m, "crank", np.zeros(3), P, 1), rod(m, "coupler", P, Q, 2)
    swing = rod(m, "rocker", O2, Q, 1.5)
    m.add("motor", lw.Motor(lw.GROUND, crank, (0, 0, 0), (0, 0, 1), angle=lw.ramp(5.0)))
    m.add("P", lw.Revolute(crank, coupler, at=P, axis=(0, 0, 1)))
    m.add("Q", lw.Revolute(coupler, swing, at=Q, axis=(0, 0, 1)))
    m.add("O", lw.Revolute(lw.GROUND, swing, at=O2, axis=(0, 0, 1)))
    with pytest.warns(lw.LinkworkWarning, match="3 of its"):
        kin = lw.kinematics(m, t=3, h=0.02, every=3, progress=False)
    assert len(kin) == 51
    th = start + 5 * kin.time
    assert np.allclose(np.unwrap(rocker(th)) - rocker(start), kin["O"].angle, atol=1e-10)
    assert np.allclose(5 * rocker_rate(th), kin["O"].rate, atol=1e-9)
    assert float(kin.violation.position.max()) < 1e-10
    for joint in ("P", "Q", "O"):  # redundant directions carry nothing in the least norm
        assert np.allclose(kin[joint].torque, 0, atol=1e-9)
        assert np.allclose(kin[joint].force_world[:, 2], 0, atol=1e-9)
    # the sum of all forces is the change of momentum
    total = kin["motor"].force_world.values + kin["O"].force_world.values
    bodies = (("crank", 1), ("coupler", 2), ("rocker", 1.5))
    change = sum(mass * kin[name].acceleration.values for name, mass in bodies)
    assert np.allclose(total, change + 4.5 * np.array([0, G, 0]), atol=1e-8)


@pytest.mark.parametrize("bend", [0.4, 1.0])
def test_hooke_joint_of_four_revolutes(bend):
    """A spherical four-bar, three of its rows redundant; the arms stay perpendicular:

    (0, −sin θ, cos θ) · (−sin β cos φ, cos β cos φ, sin φ) = 0, so tan φ = cos β tan θ and
    φ̇/θ̇ = cos β / (1 − sin²β sin²θ).
    """
    m = lw.Model("Hooke", gravity=(0, 0, -G))
    out_axis = np.array([np.cos(bend), np.sin(bend), 0])
    arm1, arm2 = np.array([0, 0, 1.0]), np.array([-np.sin(bend), np.cos(bend), 0])
    shaft = m.add("shaft", lw.Body(1, (1, 1, 1), position=(-1, 0, 0)))
    cross = m.add("cross", lw.Body(0.2, (0.1, 0.1, 0.1)))
    driven = m.add("driven", lw.Body(1, (1, 1, 1), position=out_axis))
    m.add("motor", lw.Motor(lw.GROUND, shaft, (-1, 0, 0), (1, 0, 0), angle=lw.ramp(3.0)))
    m.add("fork1", lw.Revolute(shaft, cross, at=(0, 0, 0), axis=arm1))
    m.add("fork2", lw.Revolute(cross, driven, at=(0, 0, 0), axis=arm2))
    m.add("bearing", lw.Revolute(lw.GROUND, driven, at=out_axis, axis=out_axis))
    with pytest.warns(lw.LinkworkWarning, match="repeat"):
        kin = lw.kinematics(m, t=5, h=0.02, progress=False)
    th = 3 * kin.time
    expected = np.unwrap(np.arctan2(np.cos(bend) * np.sin(th), np.cos(th)))
    ratio = np.cos(bend) / (1 - (np.sin(bend) * np.sin(th)) ** 2)
    angle, rate = kin["bearing"].angle.values, kin["bearing"].rate.values
    assert np.allclose(angle, expected, atol=1e-10)
    assert np.allclose(rate, 3 * ratio, atol=1e-9)
    assert angle[-1] == pytest.approx(15, abs=1.0)
    assert float(kin.violation.position.max()) < 1e-10


# ------------------------------------------------------------------------------- driven markers


def test_markers_that_move_on_their_bodies():
    """The main marker slides along x and turns about z, the body is held out on its x axis."""
    m = lw.Model("turntable", gravity=(0, 0, -G))
    load = m.add("load", lw.Body(2, (1, 2, 3)))
    m.add("hold", lw.Lock(
        lw.GROUND, load, at=(0, 0, 0), drive={"x": lw.polynomial([0.5, 0.2])},
        drive_a={"x": lw.sine(0.3, 0.5), "rz": lw.polynomial([0.0, 2.0, 0.5])},
    ))  # fmt: skip
    kin = lw.kinematics(m, t=2, h=0.01, progress=False)
    t = kin.time
    w = np.pi
    angle, rate, acc = 2 * t + 0.5 * t**2, 2 + t, 1.0
    out, speed = 0.5 + 0.2 * t, 0.2
    c, s = np.cos(angle), np.sin(angle)
    er, et = np.stack([c, s, 0 * t], axis=1), np.stack([-s, c, 0 * t], axis=1)

    def on(direction, size):
        return direction * np.broadcast_to(size, t.shape)[:, None]

    x = np.array([1.0, 0, 0])
    position = on(x, 0.3 * np.sin(w * t)) + on(er, out)
    velocity = on(x, 0.3 * w * np.cos(w * t)) + on(er, speed) + on(et, out * rate)
    acceleration = (
        on(x, -0.3 * w * w * np.sin(w * t))
        - on(er, out * rate**2) + on(et, 2 * speed * rate + out * acc)
    )  # fmt: skip
    assert np.allclose(kin["load"].position, position, atol=1e-12)
    assert np.allclose(kin["load"].velocity, velocity, atol=1e-11)
    assert np.allclose(kin["load"].acceleration, acceleration, atol=1e-10)
    assert np.allclose(kin["load"].angular_velocity[:, 2], rate, atol=1e-11)
    force = 2 * (acceleration + np.array([0, 0, G]))
    assert np.allclose(kin["hold"].force_world, force, atol=1e-9)
    assert np.allclose(kin["hold"].torque_world[:, 2], 3 * acc, atol=1e-9)  # J ω̇ about z


def test_forces_and_dampers_enter_the_drive_force():
    """An actuator against a spring, a damper, a load and gravity; work of each in closed form."""
    k, c, P, v = 100.0, 5.0, 7.0, 0.25
    m = lw.Model("press", gravity=(0, 0, -G))
    ram = m.add("ram", lw.Body(3, (1, 1, 1)))
    m.add("act", lw.Actuator(lw.GROUND, ram, (0, 0, 0), (0, 0, 1), displacement=lw.ramp(v)))
    m.add("spring", lw.Spring(
        lw.GROUND, ram, at_a=(0, 0, -1), at_b=(0, 0, 0), stiffness=k, damping=c, length=1.0
    ))  # fmt: skip
    m.add("load", lw.Force(ram, (0, 0, -P)))
    kin = lw.kinematics(m, t=2, h=0.05, progress=False)
    z = v * kin.time
    assert np.allclose(kin["act"].force_world[:, 2], 3 * G + P + k * z + c * v, atol=1e-9)
    assert np.allclose(kin.energy.dissipated, c * v * v * kin.time, atol=1e-12)
    supplied = (3 * G + c * v) * z + k * z**2 / 2  # of the drive, less the work done on the load
    assert np.allclose(kin.energy.supplied, supplied, atol=1e-10)


# ---------------------------------------------------------------------------- starting, refusing


def test_goes_on_from_a_result():
    m = SliderCrank().model(lw.ramp(4 * np.pi))
    with pytest.warns(lw.LinkworkWarning, match="repeat"):
        whole = lw.kinematics(m, t=1, h=0.01, progress=False)
        first = lw.kinematics(m, t=0.6, h=0.01, progress=False)
        second = lw.kinematics(m, t=1, h=0.01, start=first, progress=False)
    assert second.time[0] == 0.6
    assert np.allclose(second["rod"].position[-1], whole["rod"].position[-1], atol=1e-12)
    assert float(second["motor"].angle[-1]) == pytest.approx(4 * np.pi, abs=1e-10)  # turns go on
    assert float(second["A"].angle[-1]) == pytest.approx(float(whole["A"].angle[-1]), abs=1e-10)
    assert abs(float(second["A"].angle[-1])) > 2 * np.pi


def test_undriven_motion_is_named():
    m = lw.Model("loose")
    arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    hand = m.add("hand", lw.Body(1, (1, 1, 1), position=(2, 0, 0)))
    m.add("shoulder", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, 0, 1), angle=lw.ramp(1)))
    m.add("elbow", lw.Cylindrical(arm, hand, at=(1.5, 0, 0), axis=(0, 0, 1)))
    with pytest.raises(lw.ModelError, match=r"2 degrees of freedom .*joint 'elbow' \(z rz\)"):
        lw.kinematics(m, t=1, h=0.1)
    m.add("stone", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.ModelError, match=r"8 degrees of freedom.*body 'stone'"):
        lw.kinematics(m, t=1, h=0.1)


def test_arguments_are_checked():
    m = lw.Model("arm")
    arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, 0, 1), angle=lw.ramp(1)))
    for t, h, words in ((-1, 0.1, {}), (1, 0, {}), (1, 0.1, {"every": 0}), (1, 0.1, {"start": 3})):
        with pytest.raises(lw.ModelError):
            lw.kinematics(m, t, h, **words)
    kin = lw.kinematics(m, t=0.25, h=0.1, progress=False)
    assert np.allclose(kin.time, (0, 0.1, 0.2, 0.25))
