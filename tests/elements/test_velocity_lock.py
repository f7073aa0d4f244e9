"""Rows on velocities: the knife edge, driven speeds, and who refuses them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

MASS, J, ARM = 2.0, 0.3, 0.25  # of the sleigh; the edge is ARM behind the centre of mass


def sleigh(v=1.5, w=0.8):
    m = lw.Model()
    velocity = np.array([v, 0, 0]) + np.cross([0, 0, w], [ARM, 0, 0])
    body = m.add("body", lw.Body(
        MASS, (J, J, J), position=(ARM, 0, 0), velocity=velocity, angular_velocity=(0, 0, w),
    ))  # fmt: skip
    m.add("ice", lw.Planar(lw.GROUND, body, at=(ARM, 0, 0), axis=(0, 0, 1)))
    m.add("edge", lw.VelocityLock(lw.GROUND, body, at=(0, 0, 0), rows="y", axes="b"))
    return m


def exact(times, v=1.5, w=0.8):
    """Chaplygin's sleigh: v̇ = a ω², ω̇ = −m a v ω/(J + m a²), v along the edge."""

    def rates(t, y):
        _, _, angle, v, w = y
        return [v * np.cos(angle), v * np.sin(angle), w, ARM * w * w,
                -MASS * ARM * v * w / (J + MASS * ARM**2)]  # fmt: skip

    return solve_ivp(rates, (0, times[-1]), [0, 0, 0, v, w], t_eval=times, rtol=1e-11,
                     atol=1e-12).y  # fmt: skip


def edge_of(run):
    return run["body"].point((-ARM, 0, 0)).values


@pytest.mark.parametrize("method", [
    lw.GeneralizedAlpha(), lw.HHT(), lw.BDF2(),
], ids=lambda m: type(m).__name__)  # fmt: skip
def test_chaplygins_sleigh_is_of_second_order(method):
    errors = []
    for h in (4e-3, 2e-3):
        run = lw.transient(sleigh(), t=2, h=h, method=method, progress=False)
        x, y, *_ = exact(run.time)
        errors.append(np.abs(edge_of(run)[:, :2] - np.stack([x, y], axis=1)).max())
        assert run.violation.velocity.sel(joint="edge").max() < 1e-9
    assert errors[1] < 2e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


def test_sleigh_with_an_explicit_method():
    run = lw.transient(sleigh(), t=2, h=1e-3, method=lw.RK4(), progress=False)
    x, y, *_ = exact(run.time)
    np.testing.assert_allclose(edge_of(run)[:, 0], x, atol=1e-9)
    np.testing.assert_allclose(edge_of(run)[:, 1], y, atol=1e-9)


def test_sleigh_keeps_its_energy_and_the_edge_its_force():
    run = lw.transient(sleigh(), t=2, h=1e-3, progress=False)
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-5
    *_, v, w = exact(run.time)
    w1 = -MASS * ARM * v * w / (J + MASS * ARM**2)
    sideways = MASS * (v * w + ARM * w1)  # centre of mass, across the edge
    np.testing.assert_allclose(run["edge"].force[10:, 1], sideways[10:], atol=2e-4)


def test_driven_speed_is_the_integral():
    """ω = 3 + sin(2π t): the angle is its integral."""
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 0.5)))
    m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    speed = lw.polynomial([3]) + lw.sine(1, 1)
    motor = lw.VelocityLock(lw.GROUND, wheel, axis=(0, 0, 1), rows="rz", drive={"rz": speed})
    m.add("motor", motor)
    run = lw.transient(m, t=2, h=2e-3, progress=False)
    t = run.time
    expected = 3 * t + (1 - np.cos(2 * np.pi * t)) / (2 * np.pi)
    np.testing.assert_allclose(run["pin"].angle, expected, atol=5e-6)
    np.testing.assert_allclose(run["pin"].rate, 3 + np.sin(2 * np.pi * t), atol=1e-9)
    torque = 0.5 * 2 * np.pi * np.cos(2 * np.pi * t)
    np.testing.assert_allclose(run["motor"].torque[20:, 2], torque[20:], atol=2e-4)
    # what the motor supplied is the kinetic energy
    gained = run.energy.kinetic - run.energy.kinetic[0]
    np.testing.assert_allclose(run.energy.supplied, gained, atol=1e-4)


def test_who_refuses():
    m = sleigh()
    for analysis in (
        lambda: lw.inverse(m, t=1, h=0.1), lambda: lw.kinematics(m, t=1, h=0.1),
        lambda: lw.transient(m, t=1, h=0.1, method=lw.MSSTC3()),
    ):  # fmt: skip
        with pytest.raises(lw.ModelError, match="holds velocities and not positions") as refused:
            analysis()
    assert "give stabilized=False" in str(refused.value)  # the default of MSSTC3 is True
    with pytest.raises(lw.ModelError, match="edge"):
        lw.transient(m, t=1, h=0.1, method=lw.EnergyMomentum(), progress=False)
    with pytest.raises(lw.ModelError, match="'a' or 'b'"):
        lw.VelocityLock(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), axes="c")


def test_energy_momentum_refuses_other_rows():
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    m.add("screw", lw.Screw(lw.GROUND, b, (0, 0, 0), (0, 0, 1), pitch=0.1))
    with pytest.raises(lw.ModelError, match="screw"):
        lw.transient(m, t=1, h=0.1, method=lw.EnergyMomentum(), progress=False)


def test_open_joints_beside_a_velocity_lock_are_closed():
    """The ball moves by what is missing, half of it where the other gives way alike."""
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1)))
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(0.8, 0, 0)))
    m.add("rod", lw.Distance(a, b, length=1))
    m.add("edge", lw.VelocityLock(lw.GROUND, a, at=(0, 0, 0), rows="y"))
    state = lw.assemble(m)
    np.testing.assert_allclose(state.positions[:, 0], [-0.1, 0.9], atol=1e-12)
