"""Results from raw arrays whose truth is known: motions in closed form, files, models as data."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkwork as lw
import linkwork.elements.catalogue
from linkwork.math import rotations
from linkwork.model.registry import ITEMS
from linkwork.results import file as result_file
from linkwork.results.file import check_writable, save
from linkwork.results.model_file import model_from_dict, model_to_dict
from linkwork.results.result import Result
from linkwork.results.stored import lock_turn_change, reaction
from linkwork.results.views import at_state
from linkwork.system.accelerations import accelerations
from linkwork.system.state import State
from linkwork.system.system import compile_model

OMEGA, LENGTH, MASS, G = 3.0, 0.7, 2.0, 9.81
NAMES = sorted(n for n in ITEMS if n != "Body")


# ------------------------------------------------------------------------------- known motions


def about(axis, angle):
    """Quaternions of turns about a coordinate axis."""
    q = np.zeros((len(angle), 4))
    q[:, 0], q[:, 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return q


def swing(angle, rate):
    """A rod hanging from the origin along −z, turned about y: motion (T, 1, 13)."""
    motion = np.zeros((len(angle), 1, 13))
    motion[:, 0, 0], motion[:, 0, 2] = -LENGTH * np.sin(angle), -LENGTH * np.cos(angle)
    motion[:, 0, 3:7] = about(1, angle)
    motion[:, 0, 7] = -LENGTH * np.cos(angle) * rate
    motion[:, 0, 9] = LENGTH * np.sin(angle) * rate
    motion[:, 0, 11] = rate
    return motion


def rotor(gravity=(0, 0, -G)):
    """A rod turned at constant rate about y by a motor: everything about it is known."""
    m = lw.Model("rotor", gravity=gravity)
    rod = m.add("rod", lw.Body(MASS, (0.3, 0.4, 0.2), position=(0, 0, -LENGTH)))
    m.add("motor", lw.Motor(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=lw.ramp(OMEGA)))
    return m


def rotor_run(model=None):
    system, times = compile_model(model or rotor()), np.linspace(0, 5, 51)
    angle = OMEGA * times
    motion = swing(angle, np.full(len(times), OMEGA))
    states = [accelerations(system, State(t, system.names, x)) for t, x in zip(times, motion)]
    height = motion[:, 0, 2] - motion[0, 0, 2]
    return Result(
        system, times, motion,
        np.array([s.acceleration for s in states]), np.array([s.gamma for s in states]),
        np.stack([np.zeros(len(times)), MASS * G * height], axis=1),
        {"iterations": np.arange(len(times)), "h": np.full(120, 0.1)},
        {"method": "exact", "h": 0.1, "seconds": 0.5, "notes": ["made up"]},
        {"history": np.arange(12.0).reshape(2, 6), "count": np.int64(7), "none": np.zeros((0, 3)),
         "flags": np.array([True, False]), "z": np.array([1 + 2j, np.nan])},
    )  # fmt: skip


# --------------------------------------------------------------------------- bodies and energy


def test_body_motion():
    run = rotor_run()
    rod, t = run["rod"], run.time
    assert rod.position.dims == ("time", "xyz")
    assert rod.position.name == "rod.position"
    assert rod.position.attrs["units"] == "m"
    assert rod.orientation.dims == ("time", "wxyz")
    np.testing.assert_array_equal(rod.position, run.motion[:, 0, :3])
    np.testing.assert_array_equal(rod.angular_velocity.sel(xyz="y"), OMEGA)
    np.testing.assert_allclose(
        rod.acceleration, -(OMEGA**2) * run.motion[:, 0, :3], atol=1e-12 * OMEGA**2
    )
    assert np.abs(rod.angular_acceleration).max() < 1e-12
    np.testing.assert_allclose(rod.point((0, 0, LENGTH)), np.zeros((len(t), 3)), atol=1e-15)
    tip = rod.point((0, 0, -LENGTH))
    np.testing.assert_allclose(tip, 2 * rod.position, atol=1e-15)
    rod.position.values[:] = 0  # a copy: the run keeps its numbers
    assert rod.position.values.any()


def test_energy_and_momentum():
    run = rotor_run()
    kinetic = 0.5 * MASS * (LENGTH * OMEGA) ** 2 + 0.5 * 0.4 * OMEGA**2
    np.testing.assert_allclose(run.energy.kinetic, kinetic, rtol=1e-14)
    np.testing.assert_allclose(
        run.energy.potential, -MASS * G * LENGTH * np.cos(OMEGA * run.time), rtol=0, atol=1e-13
    )
    np.testing.assert_array_equal(run.energy.total, run.energy.kinetic + run.energy.potential)
    assert np.abs(run.energy.balance).max() < 1e-13
    assert run.energy.balance[0] == 0
    np.testing.assert_allclose(run.momentum, MASS * run["rod"].velocity, rtol=1e-15)
    spin = run.angular_momentum
    np.testing.assert_allclose(spin.sel(xyz="y"), (0.4 + MASS * LENGTH**2) * OMEGA, rtol=1e-14)
    assert np.abs(spin.sel(xyz=["x", "z"])).max() < 1e-14


def test_energy_of_springs():
    m = lw.Model()
    bob = m.add("bob", lw.Body(1, (1, 1, 1), position=(0, 0, -2)))
    m.add("spring", lw.Spring(lw.GROUND, bob, stiffness=8, damping=3, length=1.5))
    t = np.linspace(0, 2, 5)
    motion = np.zeros((5, 1, 13))
    motion[:, 0, 2], motion[:, 0, 3], motion[:, 0, 9] = -2 - t, 1, -1
    run = Result(compile_model(m), t, motion)
    np.testing.assert_allclose(run.energy.potential, 4 * (0.5 + t) ** 2, rtol=1e-14)
    np.testing.assert_allclose(run["spring"].length, 2 + t)
    np.testing.assert_allclose(run["spring"].force, 8 * (0.5 + t) + 3)
    assert run["spring"].rate.attrs["units"] == "m/s"
    assert "dissipated" not in run.energy  # the method did not say


# ------------------------------------------------------------------------------------- joints


def test_reaction_of_a_motor():
    """Newton and Euler for the rod: F = m (a − g), τ = −r × m g, power τ·ω."""
    run = rotor_run()
    motor, r = run["motor"], run.motion[:, 0, :3]
    weight = MASS * np.array([0, 0, -G])
    force = -MASS * OMEGA**2 * r - weight
    torque = -np.cross(r, weight)
    np.testing.assert_allclose(motor.force_world, force, atol=1e-11)
    np.testing.assert_allclose(motor.torque_world, torque, atol=1e-11)
    # the marker on the ground: z along world y, x along world x, so y along world −z
    np.testing.assert_allclose(motor.force, force[:, [0, 2, 1]] * [1, -1, 1], atol=1e-11)
    np.testing.assert_allclose(motor.torque, torque[:, [0, 2, 1]] * [1, -1, 1], atol=1e-11)
    np.testing.assert_allclose(motor.power, torque[:, 1] * OMEGA, atol=1e-10)
    np.testing.assert_allclose(motor.rate, OMEGA, rtol=1e-14)
    np.testing.assert_allclose(motor.angle, OMEGA * run.time, atol=1e-14 * 15)


def sample_run(name, seed, n=1, h=0.0):
    """A random item between two random bodies along a screw motion of both; random multipliers."""
    rng = np.random.default_rng(seed)
    m = lw.Model("sample")
    bodies = [
        m.add(f"b{i}", lw.Body(
            1 + i, (1, 1, 1), position=rng.normal(size=3),
            orientation=rotations.exponential(rng.normal(size=3)),
        )) for i in range(2)
    ]  # fmt: skip
    items = ITEMS[name].sample(rng, *bodies)
    for i, item in enumerate(items if isinstance(items, list) else [items]):
        m.add(f"item{i}", item)
    system = compile_model(m)
    numbers = 6 * system.bodies
    start = system.described_state(time=0.4).moved(0.3 * rng.normal(size=numbers))
    start = start.with_velocities(rng.normal(size=numbers))
    times = 0.4 + h * (np.arange(n) - n // 2)
    moved = [start.moved((t - 0.4) * start.velocities) for t in times]
    gamma = rng.normal(size=(n, len(system.all_rows)))
    run = Result(system, times, [s.motion for s in moved], np.zeros((n, system.bodies, 6)), gamma)
    return system, run


@pytest.mark.parametrize("name", NAMES)
def test_reactions_equal_the_forces_in_the_equations(name):
    """Reaction on body b, about its mass centre in body axes, is −C_qᵀγ of the equations."""
    system, run = sample_run(name, 3)
    joints = [j for j in run.joints if j.startswith("item") and "force" in run[j].names]
    if not joints:  # forces, and flexible links, which are bodies
        return
    if system.memory or not all(e.entry.rows for e in system.elements):
        return  # a spring acts beside the joint
    if any(e.entry.family.reaction is None for e in system.elements):
        return  # it acts on more than a second body
    state = run.state(0).with_velocities(np.zeros(12))
    f = system.evaluate(state, tangent=False).f[1]
    wrench = reaction(run, [e for e in system.elements if e.owner == joints[0]])
    view = run[joints[0]]
    force, torque = view.force_world.values[0], view.torque_world.values[0]
    np.testing.assert_allclose(wrench.R[0] @ wrench.force[0], force, atol=1e-14)
    R = rotations.matrix(state.motion[1, 3:7])
    moment = R.T @ (torque + np.cross(wrench.point[0] - state.motion[1, :3], force))
    np.testing.assert_allclose(np.concatenate([force, moment]), -f, atol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_relative_rates_are_derivatives(seed):
    """Rates of the lock joint's coordinates, marker laws included, against differences."""
    h = 2e-3
    _, run = sample_run("Lock", seed, 7, h)
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    joint = run["item0"]
    for value, rate in (("position", "velocity"), ("displacement", "speed"), ("angle", "rate")):
        slope = weights @ getattr(joint, value).values
        np.testing.assert_allclose(getattr(joint, rate).values[3], slope, atol=2e-10, rtol=2e-10)


@pytest.mark.parametrize("every", [0.01, 0.37, 2.9])
def test_angle_over_many_turns_with_sparse_samples(every):
    """φ = φ₀ + ω t + α t²/2: the trapezoidal rule is exact, so no turn is lost however sparse."""
    m = lw.Model()
    rod = m.add("rod", lw.Body(MASS, (1, 1, 1), position=(0, 0, -LENGTH)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=8.0))
    t = np.arange(0, 12, every)
    angle, rate = 8.0 - 20 * t + 2.5 * t**2, -20 + 5 * t
    run = Result(compile_model(m), t, swing(angle, rate))
    np.testing.assert_allclose(run["pin"].angle, angle, atol=1e-12)
    np.testing.assert_allclose(run["pin"].rate, rate, atol=1e-12)
    again = Result(run.system, t, run.motion, info={"angles": {"pin": 8.0 + 20 * np.pi}})
    np.testing.assert_allclose(again["pin"].angle, angle + 20 * np.pi, atol=1e-11)
    assert again.angles()["pin"] == again["pin"].angle.values[-1]


def revolving(rate, *, h=5e-4, every=200, t=1.0, growth=0.0, swing=0.0, frequency=0.0):
    """A rotor with ω = rate e^{growth t} + swing sin 2πft, made by a torque, and its angle."""
    J, p = 0.3, 2 * np.pi * frequency
    m = lw.Model("rotor")
    body = m.add("rotor", lw.Body(1, (J, J, J)))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), rate=rate))
    torque = f"{J * growth * rate} * exp({growth} * t) + {J * swing * p} * cos({p} * t)"
    m.add("torque", lw.Torque(body, (0, 0, 1), drive=lw.expression(torque)))
    run = lw.transient(m, t=t, h=h, every=every, progress=False)
    time = run.time
    angle = rate * time if not growth else rate * np.expm1(growth * time) / growth
    if swing:
        angle = angle + swing * (1 - np.cos(p * time)) / p
    return run, angle


@pytest.mark.parametrize("words", [{}, {"growth": 1.0}, {"growth": 3.0}, {"growth": -4.0},
                                   {"swing": 250, "frequency": 2.3}], ids=str)  # fmt: skip
def test_turns_of_a_rotor_at_50_revolutions_per_second_stored_every_tenth(words):
    """Five turns and more between stored times, also where the speed changes by its own size."""
    run, angle = revolving(100 * np.pi, **words)
    assert len(run.time) == 11
    assert np.abs(run["pin"].angle - angle).max() < 0.1


def test_trapezoidal_rule_alone_would_lose_turns():
    run, angle = revolving(100 * np.pi, growth=3.0)
    rate = run["pin"].rate.values
    assert np.abs(np.cumsum(0.1 * (rate[1:] + rate[:-1]) / 2) - angle[1:]).max() > np.pi


def test_turns_that_stored_times_do_not_tell_are_said():
    run, _ = revolving(100 * np.pi, swing=2500, frequency=7.3)
    with pytest.warns(lw.LinkworkWarning, match=r"turns of joint 'pin' after t = 0.* not certain"):
        run["pin"].angle  # noqa: B018
    longer = lw.transient(run.system.model, t=1.1, h=5e-4, start=run, progress=False)
    with pytest.warns(lw.LinkworkWarning, match="turns of joint 'pin' before this run are not"):
        longer["pin"].angle  # noqa: B018
    often, angle = revolving(100 * np.pi, swing=2500, frequency=7.3, every=10)
    assert np.abs(often["pin"].angle - angle).max() < 0.1


@pytest.mark.parametrize("seed", range(3))
def test_change_of_the_rate_is_its_derivative(seed):
    """Marker laws included, against differences."""
    h = 2e-3
    _, run = sample_run("Lock", seed, 7, h)
    element = next(e for e in run.system.elements if e.owner == "item0")
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    slope = weights @ run["item0"].rate.values
    assert lock_turn_change(run, element)[3] == pytest.approx(slope, rel=1e-7, abs=1e-7)


def test_angle_starts_within_half_a_turn():
    m = lw.Model()
    rod = m.add("rod", lw.Body(MASS, (1, 1, 1), position=(0, 0, -LENGTH)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    angle = np.array([3.0, 3.1, 3.2, 3.3])
    run = Result(compile_model(m), [0, 1, 2, 3], swing(angle, np.full(4, 0.1)))
    np.testing.assert_allclose(run["pin"].angle, angle, atol=1e-14)
    run = Result(run.system, [0, 1, 2, 3], swing(angle + 2 * np.pi, np.full(4, 0.1)))
    np.testing.assert_allclose(run["pin"].angle, angle, atol=1e-14)


def test_slide():
    m = lw.Model()
    block = m.add("block", lw.Body(1, (1, 1, 1)))
    m.add("slide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0)))
    t = np.linspace(0, 1, 4)
    motion = np.zeros((4, 1, 13))
    motion[:, 0, 0], motion[:, 0, 3], motion[:, 0, 7] = t**2, 1, 2 * t
    run = Result(compile_model(m), t, motion)
    np.testing.assert_allclose(run["slide"].displacement, t**2, atol=1e-15)
    np.testing.assert_allclose(run["slide"].speed, 2 * t, atol=1e-15)
    assert "power" not in run["slide"].names


@pytest.mark.parametrize("every", [0.05, 1.3])
@pytest.mark.parametrize("end", [None, 40.0])
def test_torsion_spring_counts_turns_of_sparse_samples(every, end):
    m = lw.Model()
    rod = m.add("rod", lw.Body(MASS, (1, 1, 1), position=(0, 0, -LENGTH)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("coil", ITEMS["TorsionSpring"](pin, stiffness=3, damping=0.5, angle=0.2))
    t = np.arange(0, 4, every)
    angle = OMEGA * t
    restart = {}
    if end is not None:  # a run that began some turns earlier
        angle = angle + 12 * np.pi
        restart = {"memory": np.array([angle[-1]])}
    run = Result(compile_model(m), t, swing(angle, np.full(len(t), OMEGA)), restart=restart)
    np.testing.assert_allclose(run["coil"].angle, angle, atol=1e-12)
    np.testing.assert_allclose(run["coil"].torque, -3 * (angle - 0.2) - 0.5 * OMEGA, atol=1e-11)
    gravity_free = run.energy.potential
    np.testing.assert_allclose(gravity_free, 1.5 * (angle - 0.2) ** 2, rtol=1e-12)
    np.testing.assert_allclose(run.state(1).memory, angle[1:2], atol=1e-12)


def test_violation_of_all_rows():
    """Against the evaluation of single states, driven and left-out rows included."""
    system, run = sample_run("Motor", 5, 4, 0.1)
    few = Result(
        system.with_rows(np.arange(6) < 3), run.time, run.motion, run.acceleration, run.gamma
    )
    for result in (run, few):
        v = result.violation
        assert v.position.dims == ("time", "joint")
        for i in range(4):
            state = result.state(i)
            e = system.evaluate(state, rates=True)
            rate = e.Cq @ state.velocities.ravel() + e.Ct
            np.testing.assert_allclose(v.position.sel(joint="item0")[i], abs(e.C).max(), rtol=1e-13)
            np.testing.assert_allclose(
                v.velocity.sel(joint="item0")[i], abs(rate).max(), rtol=1e-12
            )
    exact = rotor_run()
    assert exact.violation.position.max() < 1e-14
    assert exact.violation.velocity.max() < 1e-14


def test_violation_without_joints():
    m = lw.Model()
    m.add("ball", lw.Body(1, (1, 1, 1)))
    system = compile_model(m)
    run = Result(system, [0.0, 1.0], np.stack([system.described_state().motion] * 2))
    assert run.violation.position.shape == (2, 0)
    assert run.joints == ()
    assert "joint" not in run.to_xarray().coords


def test_single_state():
    run = rotor_run()
    view = at_state(run.system, run.state(3), "motor")
    assert view.force.shape == (3,)
    np.testing.assert_array_equal(view.force, run["motor"].force[3])
    assert view.angle.shape == ()
    assert float(view.force.time) == run.time[3]
    assert at_state(run.system, run.state(3), "rod").position.dims == ("xyz",)


# -------------------------------------------------------------------------- names and the whole


def test_names_that_do_not_exist():
    run = rotor_run()
    with pytest.raises(lw.ModelError, match="did you mean 'motor'"):
        run["moter"]
    with pytest.raises(AttributeError, match=r"did you mean 'force'\? \(it has force, torque"):
        _ = run["motor"].forse
    assert not hasattr(run["rod"], "force")
    assert {"force", "power"} <= set(dir(run["motor"]))
    assert "angular_velocity" in repr(run["rod"])


def test_states():
    run = rotor_run()
    last = run.state()
    assert last.time == 5.0
    assert set(last.restart) == set(run.restart)
    assert run.state(-1).time == run.state(50).time == 5.0
    assert run.state(0.26).time == pytest.approx(0.3)
    assert run.state(2).time == pytest.approx(0.2)
    assert run.state(2).restart == {}
    np.testing.assert_array_equal(run.state(7).gamma, run.gamma[7])
    np.testing.assert_array_equal(run.state(7)["rod"].position, run["rod"].position[7])
    for wrong in (51, -52, 5.5, -0.1, float("nan")):
        with pytest.raises(lw.ModelError):
            run.state(wrong)


def test_whole():
    run = rotor_run()
    assert len(run) == 51
    text = repr(run)
    for words in ("'rotor'", "exact", "h = 0.1", "0 … 5 s", "51 stored", "made up"):
        assert words in text
    assert "violation" not in text
    assert run.violation.position.size
    assert "violation" in repr(run)
    flat = run.to_xarray()
    assert flat.position.dims == ("time", "body", "xyz")
    assert flat.force.sel(joint="motor").dims == ("time", "xyz")
    np.testing.assert_array_equal(flat.force.sel(joint="motor"), run["motor"].force)
    np.testing.assert_array_equal(flat.total, run.energy.total)
    assert run.diagnostics.iterations.dims == ("time",)
    assert run.diagnostics.h.shape == (120,)
    assert set(run["motor"].to_xarray().data_vars) == set(run["motor"].names)


def test_wrong_shapes_are_refused():
    run = rotor_run()
    with pytest.raises(lw.ModelError, match="motion"):
        Result(run.system, run.time, run.motion[:, :, :12])


def test_import_stays_cheap():
    """xarray, pandas, matplotlib, h5netcdf come in only when used."""
    code = (
        "import sys, linkwork.results.result, linkwork.results.file, linkwork.results.plots;"
        "print([m for m in ('xarray', 'pandas', 'matplotlib', 'h5netcdf') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


# -------------------------------------------------------------------------------------- files


def assert_same(a, b):
    """Two results with equal bits everywhere."""
    for name in ("time", "motion", "acceleration", "gamma", "work"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name
    for name in ("arrays", "restart"):
        mine, other = getattr(a, name), getattr(b, name)
        assert list(mine) == list(other)
        for key in mine:
            assert mine[key].dtype == other[key].dtype, key
            assert mine[key].shape == other[key].shape, key
            assert mine[key].tobytes() == other[key].tobytes(), key
    assert a.info == b.info
    a.system.set_time(0.0)
    b.system.set_time(0.0)
    for x, y in zip(a.system.tables, b.system.tables):
        assert x.tobytes() == y.tobytes()


def test_file_round_trip(tmp_path):
    run = rotor_run()
    run.motion[0, 0, 0], run.gamma[1, 2] = np.nan, -0.0
    run.save(tmp_path / "run.nc")
    again = lw.load(tmp_path / "run.nc")
    assert_same(run, again)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
    again.save(tmp_path / "copy.nc")
    assert_same(run, lw.load(tmp_path / "copy.nc"))


def test_file_opens_with_xarray_alone(tmp_path):
    import xarray as xr

    run = rotor_run()
    run.save(tmp_path / "run.nc")
    with xr.open_dataset(tmp_path / "run.nc") as data:
        assert data.position.dims == ("time", "body", "xyz")
        assert data.position.attrs["units"] == "m"
        np.testing.assert_array_equal(data.position.sel(body="rod"), run["rod"].position)
        np.testing.assert_array_equal(data.force.sel(joint="motor"), run["motor"].force)
        assert [str(x) for x in data.row.values[:2]] == ["motor.x", "motor.y"]
        assert data.attrs["method"] == "exact"
    with xr.open_dataset(tmp_path / "run.nc", group="diagnostics") as data:
        np.testing.assert_array_equal(data.iterations, np.arange(51))


def test_file_of_one_body_and_no_joint(tmp_path):
    m = lw.Model()
    m.add("ball", lw.Body(1, (1, 1, 1)))
    system = compile_model(m)
    run = Result(system, [0.0], system.described_state().motion[None])
    run.save(tmp_path / "run.nc")
    again = lw.load(tmp_path / "run.nc")
    assert again.gamma.shape == (1, 0)
    assert again.work is None
    assert np.isnan(again.acceleration).all()


def test_a_changed_model_is_stored_as_it_was(tmp_path):
    model = rotor()
    run = rotor_run(model=model)
    model["rod"].mass = 99.0
    run.save(tmp_path / "run.nc")
    assert lw.load(tmp_path / "run.nc").system.model["rod"].mass == MASS


def test_model_with_a_python_function(tmp_path):
    def law(t):
        return OMEGA * t

    def build():
        m = lw.Model("rotor", gravity=(0, 0, -G))
        rod = m.add("rod", lw.Body(MASS, (0.3, 0.4, 0.2), position=(0, 0, -LENGTH)))
        angle = lw.function(law, d1=lambda t: OMEGA, d2=lambda t: 0.0)
        m.add("motor", lw.Motor(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=angle))
        return m

    run = rotor_run(model=build())
    path = tmp_path / "run.nc"
    run.save(path)
    with pytest.raises(lw.ResultFileError, match=r"function 'law'.*model=.*open_dataset"):
        lw.load(path)
    assert_same(run, lw.load(path, model=build()))
    other = lw.Model()
    other.add("rotor", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.ResultFileError, match="only in the file"):
        lw.load(path, model=other)


def test_foreign_and_missing_files(tmp_path):
    import xarray as xr

    text = tmp_path / "text.nc"
    text.write_text("hello")
    empty = tmp_path / "empty.nc"
    empty.touch()
    foreign = tmp_path / "foreign.nc"
    xr.Dataset({"a": ("x", np.arange(3.0))}).to_netcdf(foreign, engine="h5netcdf")
    for path in (text, empty, foreign, tmp_path / "missing.nc", tmp_path):
        with pytest.raises(lw.ResultFileError) as caught:
            lw.load(path)
        assert str(path) in str(caught.value)
    with pytest.raises(OSError):
        lw.load(text)


def test_other_versions(tmp_path, monkeypatch):
    monkeypatch.setattr(result_file, "FORMAT", 2)
    rotor_run().save(tmp_path / "run.nc")
    monkeypatch.undo()
    with pytest.raises(lw.ResultFileError, match="format 2"):
        lw.load(tmp_path / "run.nc")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "run.nc"
    rotor_run().save(path)
    return path.read_bytes(), path.with_name("damaged.nc")


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_files_are_refused(stored, data):
    whole, path = stored
    if data.draw(st.booleans()):
        damaged = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        place = data.draw(st.integers(0, len(whole) - 1))
        byte = whole[place] ^ data.draw(st.integers(1, 255))
        damaged = whole[:place] + bytes([byte]) + whole[place + 1 :]
    path.write_bytes(damaged)
    with pytest.raises(lw.ResultFileError):
        lw.load(path)


def test_every_byte_of_the_last_line_matters(stored):
    whole, path = stored
    for place in range(len(whole) - 90, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(lw.ResultFileError):
            lw.load(path)


@pytest.mark.parametrize("path", [3, None, b"run.nc", "a\0b"])
def test_what_is_no_path_is_refused(path):
    for action in (lw.load, check_writable, rotor_run().save):
        with pytest.raises(lw.ResultFileError, match="needs a path"):
            action(path)


def test_paths_that_cannot_be_written(tmp_path):
    run = rotor_run()
    (tmp_path / "file").touch()
    for path in (tmp_path / "no" / "run.nc", tmp_path / "file" / "run.nc", tmp_path):
        for write in (check_writable, run.save):
            with pytest.raises(lw.ResultFileError) as caught:
                write(path)
            assert str(path) in str(caught.value)
    assert check_writable(tmp_path / "new.nc") == (tmp_path / "new.nc").resolve()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("where", ["_write", "os.replace", "os.fsync"])
def test_an_interrupted_save_keeps_the_old_file(tmp_path, monkeypatch, where, error):
    path = tmp_path / "run.nc"
    run = rotor_run()
    run.save(path)
    before = path.read_bytes()

    def fail(*arguments):
        raise error

    target, name = (result_file, where) if "." not in where else (result_file.os, where[3:])
    monkeypatch.setattr(target, name, fail)
    expected = KeyboardInterrupt if error is KeyboardInterrupt else lw.ResultFileError
    with pytest.raises(expected) as caught:
        run.save(path)
    monkeypatch.undo()
    if expected is lw.ResultFileError:
        assert "No space left" in str(caught.value) and str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_a_full_disk(tmp_path):
    """The operating system refuses to let the file grow: one sentence, and the old file stays."""
    code = f"""
import resource, numpy as np, linkwork as lw
from linkwork.results.result import Result
from linkwork.system.system import compile_model
m = lw.Model()
m.add("ball", lw.Body(1, (1, 1, 1)))
s = compile_model(m)
path = {str(tmp_path / "run.nc")!r}
small = Result(s, [0.0], s.described_state().motion[None])
small.save(path)
before = open(path, "rb").read()
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
large = Result(s, np.arange(5000.0), np.repeat(s.described_state().motion[None], 5000, 0))
try:
    large.save(path)
except lw.ResultFileError as error:
    print("refused:", error)
assert open(path, "rb").read() == before
small.save(path)
lw.load(path)
print("fine")
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert "refused: cannot write" in out.stdout and "fine" in out.stdout
    assert out.stderr == ""
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_links_stay_links(tmp_path):
    (tmp_path / "real.nc").touch()
    (tmp_path / "link.nc").symlink_to(tmp_path / "real.nc")
    save(rotor_run(), tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink()
    assert len(lw.load(tmp_path / "real.nc")) == 51


# ------------------------------------------------------------------------------ models as data


@pytest.mark.parametrize("name", NAMES)
def test_every_item_comes_back_to_the_bit(name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        m = lw.Model("sample", gravity=rng.normal(size=3))
        bodies = [
            lw.Body(1, (1, 1, 1), position=rng.normal(size=3), orientation=x / np.linalg.norm(x))
            for x in rng.normal(size=(2, 4))
        ]
        items = ITEMS[name].sample(rng, *bodies)
        items = items if isinstance(items, list) else [items]
        for i, item in enumerate([*items, *bodies]):  # bodies last: order must not matter
            m.add(f"item{i}", item)
        try:
            text = json.dumps(model_to_dict(m))
        except lw.ModelError as error:
            assert "Python function" in str(error), name
            continue
        again = model_from_dict(json.loads(text))
        assert list(again) == list(m) and again.name == m.name
        assert json.dumps(model_to_dict(again)) == text
        for item, other in zip(m.items.values(), again.items.values()):
            assert type(item) is type(other)
        one, two = compile_model(m), compile_model(again)
        for x, y in zip(one.tables, two.tables):
            assert x.dtype == y.dtype and x.tobytes() == y.tobytes()
        times = np.linspace(0, 1, 5)
        assert one.schedule(times).tobytes() == two.schedule(times).tobytes()


def test_model_words_of_all_kinds():
    from scipy.spatial.transform import Rotation

    m = lw.Model("kinds", gravity=(0, 0, -1 / 3))
    a = m.add("a", lw.Body.link((0, 0, 0), (1, 2, 3), 0.1, density=7800))
    b = m.add("b", lw.Body(np.float32(1.1), np.eye(3), orientation=Rotation.random(random_state=1)))
    m.add("fixed", lw.Fixed(a, b, at=[0, 0, 1], orientation=Rotation.random(random_state=2)))
    m.add("hinge", lw.Revolute(lw.Frame(a, (0.1, 0, 0), (0.5, 0.5, 0.5, 0.5)), b, rate=1e-300))
    m.add("lock", lw.Lock(lw.GROUND, b, at=np.zeros(3), rows=["x", "rz"],
                          drive={"x": 2 * lw.sine(1, 0.1) + lw.table([0, 1], [0, 1], kind="linear"),
                                 "rz": 0.1}))  # fmt: skip
    a.position = a.position + 0.1  # moved since its joints were made
    again = model_from_dict(json.loads(json.dumps(model_to_dict(m))))
    for x, y in zip(compile_model(m).tables, compile_model(again).tables):
        assert x.tobytes() == y.tobytes()
    assert again["a"].shape == a.shape
    assert again["hinge"].rate == 1e-300
    assert again["lock"].rows == ["x", "rz"]
    assert again["hinge"].a.body is again["a"]


def test_models_that_cannot_be_stored():
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), shape=object()))
    with pytest.raises(lw.ModelError, match="shape of Body 'a' is a object"):
        model_to_dict(m)
    a.shape = len
    with pytest.raises(lw.ModelError, match="Python function"):
        model_to_dict(m)
    a.shape = None
    m.add("pin", lw.Revolute(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0)))
    with pytest.raises(lw.ModelError, match="not in model"):
        model_to_dict(m)


def test_stored_models_that_do_not_fit():
    data = model_to_dict(rotor())
    for wrong, words in (
        ({**data, "format": 9}, "format"),
        ({**data, "items": [{**data["items"][0], "class": "Gearbox"}]}, "Gearbox"),
        ({**data, "items": data["items"][1:]}, "'rod', which is not in it"),
        ({**data, "items": [{**data["items"][0], "words": {"weight": 1}}]}, "does not fit"),
    ):
        with pytest.raises(lw.ModelError, match=words):
            model_from_dict(wrong)


# -------------------------------------------------------------------------------------- plots


def test_plots():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    run = rotor_run()
    ax = run.plot("rod.position")
    assert [line.get_label() for line in ax.lines] == [f"rod.position.{c}" for c in "xyz"]
    assert ax.get_xlabel() == "time (s)" and ax.get_ylabel() == "position (m)"
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), run.motion[:, 0, 2])
    axes = run.plot("rod.position.x", "rod.velocity", "motor.angle", "energy", "violation.position")
    assert len(axes) == 5
    assert len(axes[3].lines) == 6
    one = run.plot("motor.force.z", "energy.total", ax=plt.figure().gca())
    assert len(one.lines) == 2
    for wrong, words in (
        ("rood.position", "did you mean 'rod'"),
        ("rod.postion", "did you mean 'position'"),
        ("rod.position.q", "x, y, z"),
        ("motor.angle.x", "no component"),
        ("energy.totl", "did you mean 'total'"),
        ("rod", "'rod.position'"),
    ):
        with pytest.raises(lw.ModelError, match=words):
            run.plot(wrong)
    with pytest.raises(lw.ModelError):
        run.plot()
    plt.close("all")


def test_results_of_moved_states_are_independent():
    run = rotor_run()
    state = replace(run.state(0), time=1.0)
    state.motion[:] = 0
    assert run.motion[0].any()
