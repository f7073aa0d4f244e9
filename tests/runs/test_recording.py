"""Runs whose steps go to a file while they go on: the same numbers, little memory, nothing lost."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import small_mechanisms
from inside import FileArray
from small_mechanisms import chain, door

import linkwork as lw


@pytest.fixture
def small_blocks(monkeypatch):
    """So that a short run has many of them."""
    monkeypatch.setenv("LINKWORK_MEMORY", "0.6")  # MB: blocks of 20 kB


def assert_same(one, other):
    for name in ("time", "motion", "acceleration", "gamma", "work"):
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        assert a.shape == b.shape and a.tobytes() == b.tobytes(), name
    for part in ("arrays", "restart"):
        a, b = getattr(one, part), getattr(other, part)
        assert a.keys() == b.keys()
        assert all(a[k].tobytes() == b[k].tobytes() and a[k].dtype == b[k].dtype for k in a), part


@pytest.mark.filterwarnings("ignore:joint")
@pytest.mark.parametrize("build", [chain, door])
@pytest.mark.parametrize("options", [{}, {"every": 7}, {"tolerance": 1e-6}])
def test_the_file_has_the_digits_that_memory_has(tmp_path, small_blocks, build, options):
    path = tmp_path / "run.nc"
    kept = lw.transient(build(), t=0.4003, h=1e-3, progress=False, **options)
    run = lw.transient(build(), t=0.4003, h=1e-3, progress=False, file=path, **options)
    assert isinstance(run.motion, FileArray) and not isinstance(kept.motion, FileArray)
    assert_same(run, kept)
    assert_same(lw.load(path), kept)
    body, joint = run.system.names[-1], run.joints[0]
    for item in (body, joint):
        for name in kept[item].names:
            np.testing.assert_array_equal(getattr(run[item], name), getattr(kept[item], name))
    for name in ("energy", "violation", "diagnostics"):
        for k, v in getattr(kept, name).items():
            np.testing.assert_array_equal(getattr(run, name)[k], v)
    np.testing.assert_array_equal(run.momentum, kept.momentum)
    np.testing.assert_array_equal(run.angular_momentum, kept.angular_momentum)
    assert repr(run).splitlines()[1:5] == repr(kept).splitlines()[1:5]
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_other_programs_read_it(tmp_path, small_blocks):
    import xarray as xr

    path = tmp_path / "run.nc"
    run = lw.transient(chain(), t=0.1, h=1e-3, progress=False, file=path)
    with xr.open_dataset(path) as data:
        assert list(data.body.values) == ["link0", "link1", "link2"]
        np.testing.assert_array_equal(data.position.sel(body="link1"), run["link1"].position)
        np.testing.assert_array_equal(data.time, run.time)


def test_going_on_from_the_file_gives_the_digits_of_one_run(tmp_path, small_blocks):
    whole = lw.transient(chain(), t=0.4, h=1e-3, progress=False)
    lw.transient(chain(), t=0.2, h=1e-3, progress=False, file=tmp_path / "one.nc")
    rest = lw.resume(tmp_path / "one.nc", t=0.4, progress=False, file=tmp_path / "two.nc")
    assert np.array_equal(rest.motion[-1], whole.motion[-1])
    assert np.array_equal(rest.gamma[-1], whole.gamma[-1])


def test_many_steps_leave_memory_by_themselves_and_the_file_goes_with_the_result(
    tmp_path, small_blocks, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kept = lw.transient(chain(), t=0.05, h=1e-3, progress=False)
    run = lw.transient(chain(), t=2.0, h=1e-3, progress=False)
    controlled = lw.transient(chain(), t=2.0, h=0.05, tolerance=1e-9, progress=False)
    assert not isinstance(kept.motion, FileArray)
    assert isinstance(run.motion, FileArray) and isinstance(controlled.motion, FileArray)
    assert list(tmp_path.iterdir()) == []  # temporary files have no names
    run.save(tmp_path / "run.nc")
    assert_same(lw.load(tmp_path / "run.nc"), run)
    del run, controlled
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


@pytest.mark.skipif(not Path("/proc").exists(), reason="open files are looked up in /proc")
@pytest.mark.parametrize("when", ["while it runs", "with its result"])
def test_a_killed_run_leaves_nothing_in_the_temporary_folder(tmp_path, when):
    code = f"""
        import tempfile, time, linkwork as lw
        m = lw.Model("ball", gravity=(0, 0, -9.81))
        m.add("ball", lw.Body.sphere(0.1, mass=1))
        def push(t):
            if t > 0.45 and {when == "while it runs"}:
                print(tempfile.gettempdir(), flush=True)
                time.sleep(1000)
            return 1.0
        m.add("push", lw.Force(m["ball"], (1, 0, 0), drive=push))
        run = lw.transient(m, t=1, h=1e-3, progress=False)
        assert type(run.motion).__name__ == "FileArray" and run["ball"].position[-1, 0] > 0.4
        print(tempfile.gettempdir(), flush=True)
        time.sleep(1000)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "LINKWORK_MEMORY": "0.05"},
    )  # fmt: skip
    try:
        assert process.stdout.readline().strip() == str(tmp_path)
        held = [os.readlink(link) for link in Path(f"/proc/{process.pid}/fd").iterdir()]
        assert any(name.startswith(f"{tmp_path}/") for name in held)  # and it is in use
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_recognised(tmp_path, small_blocks):
    path = tmp_path / "run.nc"
    lw.transient(chain(), t=0.1, h=1e-3, progress=False, file=path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(lw.ResultFileError, match="checksum is wrong"):
        lw.load(path)


@pytest.mark.filterwarnings("ignore::linkwork.errors.FunctionWarning")
def test_a_run_that_fails_keeps_its_steps(tmp_path, small_blocks):
    m = chain()
    path = tmp_path / "run.nc"

    def force(t, motion):
        return np.zeros(6) if t < 0.2 else 1 / 0

    m.add("push", lw.UserForce([m["link0"]], force))
    with pytest.raises(lw.ModelError, match="ZeroDivisionError") as caught:
        lw.transient(m, t=0.4, h=1e-3, progress=False, file=path)
    result = caught.value.result
    assert 0.19 < result.time[-1] <= 0.2
    assert np.array_equal(lw.load(path, model=m).motion[-1], result.motion[-1])


def run_code(code, **options):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


HEAD = f"""
import os, sys
sys.path.insert(0, {os.path.dirname(small_mechanisms.__file__)!r})
os.environ["LINKWORK_MEMORY"] = "6"
import linkwork as lw
from small_mechanisms import chain
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of the operating system")
def test_a_full_disk_loses_nothing(tmp_path):
    """All steps until the file may not grow are in it, and the run goes on from there."""
    out = run_code(HEAD + """
import resource, numpy as np
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, resource.RLIM_INFINITY))
try:
    lw.transient(chain(), t=50.0, h=1e-3, progress=False, file="run.nc")
except lw.ResultFileError as error:
    print(error)
    end = error.result.time[-1]
    assert 0.1 < end < 50, end
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
stored = lw.load("run.nc")
assert stored.time[-1] == end and len(stored) == round(end / 1e-3) + 1
rest = lw.resume("run.nc", t=end + 0.1, progress=False)
whole = lw.transient(chain(), t=end + 0.1, h=1e-3, progress=False)
assert np.array_equal(rest.motion[-1], whole.motion[-1])
""", cwd=tmp_path)  # fmt: skip
    assert "stopped at t = " in out and "lw.resume('run.nc', t=50)" in out
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_an_interrupted_run_is_in_its_file(tmp_path):
    out = run_code(HEAD + """
import os, signal, threading
lw.transient(chain(), t=0.01, h=1e-3, progress=False, file="run.nc")
threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    lw.transient(chain(), t=1e4, h=1e-3, progress=False, file="run.nc")
except KeyboardInterrupt as error:
    print(error)
    assert error.result.time[-1] == lw.load("run.nc").time[-1] > 0
""", cwd=tmp_path)  # fmt: skip
    assert "go on with lw.resume('run.nc', t=10000)" in out
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_steps(tmp_path):
    """8 MB and 64 MB of steps need the same memory, give or take two blocks of 0.2 MB."""
    out = run_code(HEAD + """
import gc, tracemalloc
m = chain(20)
lw.transient(m, t=0.01, h=1e-3, progress=False, file="run.nc")
tracemalloc.start()
for t in (2.0, 16.0):
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    run = lw.transient(m, t=t, h=1e-3, progress=False, file="run.nc")
    float(run["link3"].position[-1, 0]), run.energy.total[-1]
    print(tracemalloc.get_traced_memory()[1] - before, run.motion.nbytes)
    del run
    gc.collect()
""", cwd=tmp_path)  # fmt: skip
    (short, _), (long, stored) = ([int(x) for x in line.split()] for line in out.splitlines())
    assert stored > 30e6
    per_step = 8 * 14000 * 40  # time, energies, one body's motion: what is asked for, not stored
    assert long < short + per_step + 16 * 2**20, (short, long)


def test_a_run_that_cannot_fit_on_the_disk_is_refused(tmp_path):
    with pytest.raises(lw.ModelError, match="would store .* GB, more than the .* GB free"):
        lw.transient(chain(), t=1e9, h=1e-3, file=tmp_path / "run.nc")
    with pytest.raises(lw.ResultFileError, match="there is no folder"):
        lw.transient(chain(), t=1, h=1e-3, file=tmp_path / "nowhere" / "run.nc")
    assert not list(tmp_path.iterdir())
