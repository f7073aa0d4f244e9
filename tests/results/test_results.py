"""Results from raw arrays whose truth is known: bodies, energy, states, names and plots."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from known_motions import LENGTH, MASS, OMEGA, G, rotor_run

import linkwork as lw
from linkwork import Result, compile_model

# -------------------------------------------------------------------------------- bodies and energy


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


# ------------------------------------------------------------------------------ names and the whole


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
    assert set(last.restart) == {*run.restart, "of"}  # and of which motion they are
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
        "import sys, linkwork.results.result, linkwork.results.files.file, linkwork.results.plots;"
        "print([m for m in ('xarray', 'pandas', 'matplotlib', 'h5netcdf') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


# -------------------------------------------------------------------------------------------- plots


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


def test_items_of_a_run_know_its_times():
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    run = lw.transient(m, t=0.1, h=1e-2, progress=False)
    np.testing.assert_array_equal(run["pin"].time, np.arange(11) * 1e-2)
    assert "time" not in run["pin"].names
