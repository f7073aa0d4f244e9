"""Loads that follow reactions and accelerations, in energy-momentum steps."""

import numpy as np
import pytest

import linkwork as lw


def pendulum(inertia=0.1, gain=0.0):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (inertia,) * 3, position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=2.2))
    if gain:
        m.add("load", lw.JointTorque(pin, -gain * lw.reads(pin, "acceleration")))
    return m


def four_bar(kind="all"):
    """Reactions of pins in and outside the tree, of a joint and of a body accelerations."""
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    points = [(0, 0, 0), (0.3, 0, 0.4), (1.2, 0, 0.6), (1.0, 0, 0)]
    parts = [
        m.add(f"part{k}", lw.Body.link(points[k], points[k + 1], radius=0.02, mass=1 + k))
        for k in range(3)
    ]
    crank = m.add("crank", lw.Revolute(lw.GROUND, parts[0], at=points[0], axis=(0, 1, 0)))
    knee = m.add("knee", lw.Revolute(parts[0], parts[1], at=points[1], axis=(0, 1, 0)))
    m.add("ball", lw.Spherical(parts[1], parts[2], at=points[2]))
    foot = m.add("foot", lw.Cylindrical(parts[2], lw.GROUND, at=points[3], axis=(0, 1, 0)))
    m.add("spring", lw.TorsionSpring(foot, stiffness=3, damping=0.5))
    drive = (
        0.04 * lw.reads(foot, "force", "x") - 0.02 * lw.reads(knee, "acceleration")
        + 0.03 * lw.reads(parts[2], "acceleration", "z")
    )  # fmt: skip
    if kind == "sampled":
        drive = lw.sample_hold(drive, 0.02)
    m.add("load", lw.JointTorque(crank, drive))
    return m


def rods():
    """In space: a ball, a massless rod, and a body that turns freely."""
    m = lw.Model("rods", gravity=(0, 0, -9.81))
    a = m.add("a", lw.Body(1, (0.1, 0.2, 0.15), position=(0.5, 0, 0), angular_velocity=(1, 2, 0)))
    ball = m.add("ball", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    b = m.add("b", lw.Body(0.7, (0.05, 0.1, 0.1), position=(1.2, 0.3, 0)))
    rod = m.add("rod", lw.Distance(lw.Frame(a, (0.5, 0, 0)), lw.Frame(b, (-0.1, 0, 0))))
    drive = (
        0.3 * lw.reads(rod, "force") + 0.2 * lw.reads(ball, "force", "y")
        - 0.4 * lw.reads(b, "acceleration", "z")
    )  # fmt: skip
    m.add("load", lw.Force(b, (0, 0, 1), drive=drive))
    return m


@pytest.mark.parametrize("reduced", [True, False])
def test_acceleration_feedback_is_an_inertia_to_second_order(reduced):
    """−c φ̈ about the pin is the inertia c more: the same pendulum with it, by a fine RK4."""
    exact = lw.transient(pendulum(inertia=0.6), t=0.4, h=1e-3, method=lw.RK4(), progress=False)
    method, errors = lw.EnergyMomentum(reduced=reduced), []
    for h in (8e-3, 4e-3):
        run = lw.transient(pendulum(gain=0.5), t=0.4, h=h, method=method, progress=False)
        errors.append(abs(float(run["pin"].angle[-1] - exact["pin"].angle[-1])))
    assert errors[1] < 1e-5 and np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("make, kind", [(four_bar, "all"), (four_bar, "sampled"), (rods, None)])
def test_the_order_is_two_and_the_account_of_energy_closes(make, kind):
    """Against Runge and Kutta's method, which solves for sensors by exact slopes."""
    def model():
        return make() if kind is None else make(kind)

    def end(run):
        return run.motion[-1, :, :3]

    exact = lw.transient(model(), t=0.2, h=5e-4, method=lw.RK4(), progress=False)
    errors = []
    for h in (4e-3, 2e-3):
        run = lw.transient(model(), t=0.2, h=h, method=lw.EnergyMomentum(), progress=False)
        errors.append(np.abs(end(run) - end(exact)).max())
        balance = run.energy.balance.values
        assert np.abs(balance - balance[0]).max() < 1e-10 and run.info["repairs"] == 0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)
    work = run.energy.supplied.values
    assert np.ptp(work) > 1e-3  # the load does work


def test_sensors_show_what_runs_show():
    run = lw.transient(rods(), t=0.2, h=2e-3, method=lw.EnergyMomentum(), progress=False)
    assert np.allclose(run["force y of ball"].force, run["ball"].force[:, 1], atol=1e-9)
    assert np.allclose(
        run["acceleration z of b"].acceleration, run.acceleration[:, 1, 2], atol=1e-9
    )


@pytest.mark.parametrize("damping", [0.5, 2000.0])
def test_dampers_change_what_is_read_within_the_step(damping):
    """Reactions follow velocities by c, so that the step and its readings are tied by h c/m."""
    m = four_bar()
    m["spring"].damping = damping
    run = lw.transient(m, t=0.1, h=1e-2, method=lw.EnergyMomentum(), progress=False)
    fine = lw.transient(m, t=0.1, h=2.5e-4, progress=False)
    assert float(run["crank"].angle[-1]) == pytest.approx(float(fine["crank"].angle[-1]), rel=5e-3)


def test_restarts_go_on_with_the_same_digits(tmp_path):
    method = lw.EnergyMomentum()
    whole = lw.transient(four_bar(), t=0.1, h=2e-3, method=method, progress=False)
    part = lw.transient(four_bar(), t=0.05, h=2e-3, method=method, progress=False)
    part.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.1)
    assert np.array_equal(rest["crank"].angle[-1], whole["crank"].angle[-1])
    assert np.array_equal(rest["load"].torque[-1], whole["load"].torque[-1])


def test_a_loop_without_a_solution_is_told():
    """A torque that cancels the inertia about the pin, 0.1 + 0.25 kg m²."""
    m = pendulum(gain=-0.35)
    with pytest.raises(lw.LinkworkError, match="angular acceleration z of pin"):
        lw.transient(m, t=0.1, h=1e-3, method=lw.EnergyMomentum(), progress=False)
