"""Result files: the same bits come back, damage is noticed, a failed save leaves the old file."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from known_motions import LENGTH, MASS, OMEGA, G, rotor, rotor_run

import linkwork as lw
from linkwork import Result, compile_model
from linkwork.results.files import file as result_file
from linkwork.results.files.file import check_writable, save
from linkwork.results.files.fitting import fitting_system


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
    one, other = a.system.data(), b.system.data()
    one.set_time(0.0)
    other.set_time(0.0)
    for x, y in zip(one.tables, other.tables):
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


@pytest.mark.filterwarnings("ignore::linkwork.errors.FunctionWarning")
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


def test_other_versions(tmp_path):
    """The number is in the last line, before the checksum of what comes before that line."""
    rotor_run().save(tmp_path / "run.nc")
    data = (tmp_path / "run.nc").read_bytes()
    last = data[-90:].replace(b"00001 sha256", b"00002 sha256")
    (tmp_path / "run.nc").write_bytes(data[:-90] + last)
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["pipe", "link.nc"])
def test_what_is_no_regular_file_is_not_replaced(tmp_path, name):
    """As /dev/null is not, which only root can make elsewhere: a named pipe, and a link to it."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.nc").symlink_to(tmp_path / "pipe")
    run, path = rotor_run(), tmp_path / name
    for write in (
        run.save, run.to_csv, run.to_parquet,
        lambda path: lw.transient(rotor(), t=0.1, h=0.01, progress=False, file=path),
        lambda path: lw.sweep(float, {"x": [1]}, workers=1, store=path),
    ):  # fmt: skip
        with pytest.raises(lw.ResultFileError, match="it is a device or a pipe"):
            write(path)
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(lw.ResultFileError, match="it is a device or a pipe"):
        check_writable(os.devnull)


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


def test_files_of_flexible_links_of_the_former_layout_are_refused():
    """They had a body "link.modes" for the amplitudes; the sentence says what to do."""
    m = lw.Model("cantilever")
    steel = lw.Section.circle(0.01, E=2.1e11, density=7800)
    link = m.add("arm", lw.FlexibleLink((0, 0, 0), (1, 0, 0), steel))
    m.add("clamp", lw.Fixed(lw.GROUND, link.root, at=(0, 0, 0)))
    system = compile_model(m)
    rows = [[row.owner, row.name] for row in system.all_rows]
    parts = {"model": None, "note": "", "bodies": [*system.names, "arm.modes"], "rows": rows}
    with pytest.raises(lw.ResultFileError, match=r"older version.*'arm.modes'.*run the"):
        fitting_system("run.nc", parts, m)
    with pytest.raises(lw.ResultFileError, match=r"was not made with model 'cantilever'"):
        fitting_system("run.nc", parts | {"bodies": [*system.names, "wing.modes"]}, m)
