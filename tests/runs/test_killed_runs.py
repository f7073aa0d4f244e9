"""Runs that are killed: what they flushed is opened, and goes on with the digits of one run."""

import os
import random
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
import small_mechanisms
from inside import Journal, Pieces
from small_mechanisms import chain, door, double_pendulum, spatial_four_bar

import linkwork as lw
from linkwork.results.files import journal

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")


def assert_same(one, other):
    """All that two runs stored, to the bit."""
    for name in ("time", "motion", "acceleration", "gamma", "work"):
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        assert a.shape == b.shape and a.tobytes() == b.tobytes(), name
    assert one.arrays.keys() == other.arrays.keys()
    assert all(a.tobytes() == other.arrays[k].tobytes() for k, a in one.arrays.items())
    assert one.info["steps"] == other.info["steps"]


class Killed(BaseException):
    """Ends a run as kill -9 does: nothing is written after it."""


@pytest.fixture
def killing(monkeypatch):
    """Runs end right after, or in the middle of, one of their flushes."""

    def kill(flushes, torn=False):
        written = Journal.restart
        left = [flushes]

        def restart(self, words, arrays):
            left[0] -= 1
            if left[0] > 0 or not torn:
                written(self, words, arrays)
            if left[0] == 0:
                raise Killed

        monkeypatch.setattr(Journal, "restart", restart)
        return monkeypatch

    return kill


def killed_run(killing, flushes, m, path, torn=False, **words):
    """A run that is killed; then nothing is patched any more."""
    patch = killing(flushes, torn)
    with pytest.raises(Killed):
        lw.transient(m, progress=False, file=path, flush=0.0, **words)
    patch.undo()


METHODS = [
    lw.GeneralizedAlpha(), lw.HHT(stabilized=True), lw.BDF2(), lw.MS3(), lw.DIRK43(),
    lw.EnergyMomentum(), lw.Recursive(), lw.RK4(), lw.ODE("RK45"), lw.ODE("Radau"), lw.ODE("BDF"),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=lambda method: repr(method)[:20])
def test_every_method_goes_on_with_the_digits_of_one_run(tmp_path, killing, method):
    path, words = tmp_path / "run.nc", dict(t=0.2, h=1e-3, method=method, every=3)
    m = double_pendulum()
    whole = lw.transient(m, progress=False, **words)
    killed_run(killing, 3, m, path, **words)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc.part"]
    with pytest.warns(lw.UnfinishedWarning, match="goes until t = .* of 0.2; lw.resume"):
        stored = lw.load(path)
    assert 0 < stored.time[-1] < 0.2
    rest = lw.resume(path, t=0.2, progress=False)
    common = np.isin(whole.time, rest.time)
    assert rest.time[0] == stored.time[-1] and common.sum() > 5
    assert np.array_equal(rest.motion[np.isin(rest.time, whole.time)], whole.motion[common])
    both = lw.resume(path, t=0.2, progress=False, file=path)
    assert_same(both, whole)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
    assert_same(lw.load(path), whole)


@pytest.mark.parametrize(
    "words",
    [dict(tolerance=1e-7), dict(tolerance=1e-7, every=4),
     dict(strategy=lw.FactorStrategy(growth=1.1, min_iterations=1, max_iterations=3), every=3),
     dict(strategy=lw.ChangeStrategy(lw.table([0, 1], [1e-3, 3e-3], kind="linear")))],
    ids=["tolerance", "every", "factor", "change"],
)  # fmt: skip
def test_controlled_steps_go_on_as_they_were(tmp_path, killing, words):
    path, m = tmp_path / "run.nc", double_pendulum()
    whole = lw.transient(m, t=0.3, h=1e-3, progress=False, **words)
    killed_run(killing, 20, m, path, t=0.3, h=1e-3, **words)
    assert_same(lw.resume(path, t=0.3, progress=False, file=path), whole)


def test_events_and_memory_and_redundant_rows_go_on(tmp_path, killing):
    path = tmp_path / "run.nc"
    m = door()
    m.add("spring", lw.TorsionSpring(m["low"], stiffness=30.0, damping=0.3))

    def stop(t, now):
        return t - 0.1505

    words = dict(t=0.4, h=1e-3, every=4, stop=stop)
    whole = lw.transient(m, progress=False, **words)
    killed_run(killing, 30, m, path, **words)
    with pytest.warns(lw.LinkworkWarning, match="was to end at stop event 'stop'.*give stop="):
        lw.resume(path, t=0.4, progress=False)
    both = lw.resume(path, t=0.4, progress=False, file=path, stop=stop)
    assert_same(both, whole)
    assert both.info["ended_by"] == whole.info["ended_by"] != ""
    loop = spatial_four_bar()
    whole = lw.transient(loop, t=0.2, h=1e-3, progress=False)
    killed_run(killing, 3, loop, tmp_path / "loop.nc", t=0.2, h=1e-3)
    assert_same(lw.resume(tmp_path / "loop.nc", 0.2, progress=False, file=tmp_path / "loop.nc"),
                whole)  # fmt: skip


# ------------------------------------------------------------------------------- what is damaged


def test_cut_or_changed_anywhere_it_falls_back_to_the_last_whole_piece(tmp_path, killing):
    path = tmp_path / "run.nc"
    m = chain()
    whole = lw.transient(m, t=0.1, h=1e-3, progress=False, tolerance=1e-6)
    killed_run(killing, 12, m, path, t=0.1, h=1e-3, tolerance=1e-6)
    part = tmp_path / "run.nc.part"
    data = part.read_bytes()
    places = [i for i in range(len(data)) if data.startswith(journal.MARK, i)]
    begun = places[3]  # head, rows and restart are there
    rng = np.random.default_rng(1)
    ends = []
    for k in range(30):
        place = int(rng.integers(begun, places[-1] + 2000))
        damaged = bytearray(data)
        if k % 2:
            del damaged[place:]
        else:
            damaged[place] ^= int(rng.integers(1, 256))
        part.write_bytes(damaged)
        stored = lw.load(path)
        ends.append(stored.time[-1])
        n = len(stored) - bool(stored.info["between"])
        assert np.array_equal(stored.motion[:n], whole.motion[:n])
        if k % 10 == 0:
            rest = lw.resume(path, t=0.1, progress=False)
            assert np.array_equal(rest.motion[-1], whole.motion[-1])
    assert len(set(ends)) > 5
    part.write_bytes(data[: places[2] + 100])  # before the start was whole
    with pytest.raises(lw.ResultFileError, match="does not hold the start of a run"):
        lw.load(path)


def test_a_torn_last_piece_is_left_out_and_said(tmp_path, killing):
    path = tmp_path / "run.nc"
    whole = lw.transient(chain(), t=0.2, h=1e-3, progress=False)
    killed_run(killing, 4, chain(), path, torn=True, t=0.2, h=1e-3)
    with pytest.warns(lw.UnfinishedWarning, match="last whole piece; .* damaged and left out"):
        lw.load(path)
    assert_same(lw.resume(path, t=0.2, progress=False, file=path), whole)


def test_a_journal_has_its_name_from_its_start_on(tmp_path, monkeypatch):
    """Killed while the start is written: no file is there that cannot be opened."""
    path, close = tmp_path / "run.nc", Journal.close
    for name in ("head", "rows", "restart"):

        def killed(*arguments):
            raise Killed

        monkeypatch.setattr(Journal, name, killed)
        monkeypatch.setattr(Journal, "close", lambda self, remove: close(self, remove=False))
        with pytest.raises(Killed):
            lw.transient(chain(), t=0.1, h=1e-3, progress=False, file=path)
        monkeypatch.undo()
        assert [p.name for p in tmp_path.iterdir()] == [".run.nc.part"]
        with pytest.raises(lw.ResultFileError, match="No such file"):
            lw.load(path)
    run = lw.transient(chain(), t=0.1, h=1e-3, progress=False, file=path)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
    assert_same(lw.load(path), run)


def test_restart_numbers_do_not_outgrow_the_steps(tmp_path, killing, monkeypatch):
    """Few stored steps, many flushes: the last two restarts are kept, and one of them is whole."""
    monkeypatch.setenv("LINKWORK_MEMORY", "1e-6")
    path = tmp_path / "run.nc"
    words = dict(t=0.2, h=1e-3, every=100, tolerance=1e-8)
    whole = lw.transient(chain(), progress=False, **words)
    killed_run(killing, 60, chain(), path, **words)
    part = tmp_path / "run.nc.part"
    pieces = Pieces(part)
    assert pieces.restart["info"]["steps"] == 59
    data = part.read_bytes()
    assert data.count(journal.MARK) < 10
    torn = bytearray(data)  # killed while the latest was overwritten
    with open(part, "rb") as file:
        found = [p for p in pieces._scan(file) if p.kind == journal.RESTART]
    torn[max(found, key=lambda p: p.sequence).first + 5] ^= 255
    part.write_bytes(torn)
    assert Pieces(part).restart["info"]["steps"] == 58
    assert_same(lw.resume(path, t=0.2, progress=False, file=path), whole)


# -------------------------------------------------------------------------- old files, other runs


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path, killing):
    path = tmp_path / "run.nc"
    old = lw.transient(chain(), t=0.05, h=1e-3, progress=False, file=path)
    before = path.read_bytes()
    killed_run(killing, 3, door(), path, t=0.2, h=1e-3)
    assert path.read_bytes() == before
    with pytest.warns(lw.UnfinishedWarning, match="older, finished .* 'run.nc.part' is moved"):
        assert lw.load(path).system.model.name == "door"
    os.rename(tmp_path / "run.nc.part", tmp_path / "killed.part")
    assert_same(lw.load(path), old)
    with pytest.warns(lw.UnfinishedWarning, match="not finished"):
        assert lw.load(tmp_path / "killed.part").system.model.name == "door"


def test_a_new_run_keeps_what_a_killed_one_has_left(tmp_path, killing):
    path = tmp_path / "run.nc"
    killed_run(killing, 3, chain(), path, t=0.2, h=1e-3)
    until = lw.load(path).time[-1]
    with pytest.warns(lw.UnfinishedWarning, match="was not finished: .* kept in 'run.nc.1.part'"):
        new = lw.transient(door(), t=0.1, h=1e-3, progress=False, file=path)
    assert_same(lw.load(path), new)
    assert lw.load(tmp_path / "run.nc.1.part").time[-1] == until
    whole = lw.transient(chain(), t=0.2, h=1e-3, progress=False)
    rest = lw.resume(tmp_path / "run.nc.1.part", t=0.2, progress=False)
    assert np.array_equal(rest.motion[-1], whole.motion[-1])


def test_two_runs_do_not_write_the_same_file(tmp_path):
    path = tmp_path / "run.nc"
    m = chain()

    def force(t, motion):
        if t > 0.05:
            lw.transient(chain(), t=0.01, h=1e-3, progress=False, file=path)
        return np.zeros(6)

    m.add("push", lw.UserForce([m["link0"]], force))
    with pytest.raises(lw.ModelError, match="another run is writing it"):
        lw.transient(m, t=0.1, h=1e-3, progress=False, file=path)
    assert lw.load(path, model=m).time[-1] == pytest.approx(0.05)


def test_a_foreign_file_in_the_journals_place_is_not_touched(tmp_path):
    (tmp_path / "run.nc.part").write_text("my own notes")
    with pytest.raises(lw.ResultFileError, match="'run.nc.part' is in the way"):
        lw.transient(chain(), t=0.01, h=1e-3, progress=False, file=tmp_path / "run.nc")
    assert (tmp_path / "run.nc.part").read_text() == "my own notes"


def test_a_journal_that_was_joined_is_not_newer(tmp_path, monkeypatch):
    """Killed after the file was put in its place, before its journal was removed."""
    path = tmp_path / "run.nc"
    monkeypatch.setattr(Journal, "close", lambda self, remove: os.close(self.file))
    run = lw.transient(chain(), t=0.1, h=1e-3, progress=False, file=path)
    monkeypatch.undo()
    assert (tmp_path / "run.nc.part").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(lw.load(path), run)
        lw.transient(chain(), t=0.1, h=1e-3, progress=False, file=path)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_killed_while_joining_it_is_joined_later(tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    whole = lw.transient(chain(), t=0.1, h=1e-3, progress=False)

    def killed(*arguments, **words):
        raise Killed

    monkeypatch.setattr("linkwork.results.files.recording.Recording.finish", killed)
    with pytest.raises(Killed):
        lw.transient(chain(), t=0.1, h=1e-3, progress=False, file=path)
    monkeypatch.undo()
    assert_same(lw.resume(path, t=0.1, progress=False), whole)
    assert_same(lw.resume(path, t=0.1, progress=False, file=path), whole)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.nc"]
    assert_same(lw.resume(path, t=0.1, progress=False, file=tmp_path / "copy.nc"), whole)
    assert_same(lw.load(tmp_path / "copy.nc"), whole)


# --------------------------------------------------------------------------- going on in one file


@pytest.mark.parametrize("every", [1, 7])
def test_a_finished_run_goes_on_in_its_own_file(tmp_path, every):
    path = tmp_path / "a.nc"
    words = dict(h=1e-3, every=every, progress=False)
    whole = lw.transient(door(), t=0.35, **words)
    lw.transient(door(), t=0.14, file=path, **words)
    for t in (0.21, 0.35):
        both = lw.resume(path, t=t, file=path, progress=False)
    assert_same(both, whole)
    assert_same(lw.load(path), whole)
    saved = tmp_path / "saved.nc"
    lw.transient(door(), t=0.14, **words).save(saved)
    assert_same(lw.resume(saved, t=0.35, file=saved, progress=False), whole)


def test_without_flushes_nothing_lies_beside_the_file(tmp_path):
    path = tmp_path / "run.nc"
    seen = []
    m = chain()

    def force(t, motion):
        seen.extend(p.name for p in tmp_path.iterdir() if p.name.startswith("run.nc"))
        return np.zeros(6)

    m.add("push", lw.UserForce([m["link0"]], force))
    run = lw.transient(m, t=0.02, h=1e-3, progress=False, file=path, flush=None)
    assert not seen and len(run) == 21
    with pytest.raises(lw.ModelError, match="flush must be at least 0"):
        lw.transient(m, t=0.02, h=1e-3, progress=False, file=path, flush=-1)


# ------------------------------------------------------------------------------- real processes


SERVER = f"""
import os, signal, sys
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)  # under nohup children would ignore hangups, too
sys.path.insert(0, {os.path.dirname(small_mechanisms.__file__)!r})
import linkwork as lw
from small_mechanisms import chain
m = chain()
lw.transient(m, t=0.01, h=1e-3, progress=False)
print("compiled", flush=True)
while line := sys.stdin.readline():
    folder, t, every = line.split()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        lw.transient(m, float(t), 1e-3, every=int(every), progress=False, file="run.nc", flush=0.05)
        os._exit(0)
    print(child, flush=True)
    sys.stdin.readline()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def wait_until(true, pause=0.02):
    """A busy machine may take long; that it takes two minutes means that it does not happen."""
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(pause)


def has_rows(path):
    """Whether a run that goes on has flushed steps to its file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.UnfinishedWarning)
        try:
            return lw.load(path).time[-1] > 0
        except lw.ResultFileError as error:
            assert "does not hold the start of a run" in str(error)
            return False


class Server:
    """Starts processes that run a model into a file; what they need is compiled once."""

    def __enter__(self):
        self.children = set()
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout.readline() == "compiled\n", self.process.stderr.read()
        return self

    def __exit__(self, *_):
        for child in self.children:  # of a test that failed: it would hold our pipes for its run
            os.kill(child, signal.SIGKILL)
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def begin(self, folder, t, every=1):
        """A process whose file has begun; its number."""
        self.process.stdin.write(f"{folder} {t} {every}\n")
        self.process.stdin.flush()
        child = int(self.process.stdout.readline())
        self.children.add(child)
        files = [folder / name for name in ("run.nc", "run.nc.part")]
        wait_until(lambda: any(file.exists() for file in files), 0.0005)
        return child

    def end(self, child, how):
        """How a process ended."""
        os.kill(child, how)  # its number is not given away before it is waited for
        self.process.stdin.write("end\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        self.children.remove(child)
        return code


def kill_and_resume(folder, kills, seed):
    """Kill real processes at random moments; all of them can be resumed, to the same digits."""
    rng = random.Random(seed)
    t, ends = 40.0, []
    lw.transient(chain(), t=0.01, h=1e-3, progress=False)  # what is compiled is not counted
    began = time.monotonic()
    whole = lw.transient(chain(), t=t, h=1e-3, progress=False)
    longest = 6 * (time.monotonic() - began)  # with its file
    with Server() as server:
        for k in range(kills):
            here = folder / str(k)
            here.mkdir()
            child = server.begin(here, t)
            time.sleep(rng.uniform(0.002, longest))
            server.end(child, signal.SIGKILL)
            path = here / "run.nc"
            ends.append(lw.load(path).time[-1])
            longest *= 0.5 if ends[-1] == t else 1.1  # where it had ended, the next dies earlier
            assert_same(lw.resume(path, t=t, progress=False, file=path), whole)
            assert not (here / "run.nc.part").exists()
    return ends


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_killed_processes_are_resumed(tmp_path):
    assert min(kill_and_resume(tmp_path, 8, 1)) < 40


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_a_hundred_killed_processes_are_resumed(tmp_path):
    ends = kill_and_resume(tmp_path, 100, 2)
    assert sum(end < 40 for end in ends) > 20


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_signals_end_a_run_like_ctrl_c(tmp_path):
    """The file is whole, one sentence says how far it goes, and there is no traceback."""
    with Server() as server:
        for name in ("SIGTERM", "SIGHUP"):
            here = tmp_path / name
            here.mkdir()
            child = server.begin(here, 1e5, 100)
            wait_until(lambda path=here / "run.nc": has_rows(path))
            assert server.end(child, getattr(signal, name)) != 0
            assert [p.name for p in here.iterdir()] == ["run.nc"]
            assert 0 < lw.load(here / "run.nc").time[-1] < 1e5
        said = server.process.communicate(timeout=60)[1].splitlines()
    assert len(said) == 2 and all("was interrupted at t = " in line for line in said), said
    assert "lw.resume('run.nc', t=100000)" in said[0]


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_what_is_read_while_a_run_goes_on(tmp_path):
    path = tmp_path / "run.nc"
    with Server() as server:
        child = server.begin(tmp_path, 1e5, 100)
        wait_until(lambda: has_rows(path))
        with pytest.warns(lw.UnfinishedWarning, match="is still being written: it goes until"):
            assert lw.load(path).time[-1] > 0
        for go_on in (lambda: lw.resume(path, t=1e5, file=path, progress=False),
                      lambda: lw.transient(chain(), t=1, h=1e-3, file=path, progress=False)):
            with pytest.raises(lw.ResultFileError, match="another run is writing it"):
                go_on()
        server.end(child, signal.SIGKILL)
