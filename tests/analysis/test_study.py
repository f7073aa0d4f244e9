"""Studies: grids, samples, failures, killed workers, resuming, a Dask cluster, optimisation.

The functions stand at the top of the module so that every kind of worker can be given them.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork import LinkworkError, ModelError, ResultFileError


def oscillator(stiffness: float, mass: float) -> lw.Model:
    m = lw.Model("oscillator", gravity=(0, 0, -9.81))
    cart = m.add("cart", lw.Body(mass, (1, 1, 1), position=(0, 0, -1)))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.Spring(lw.GROUND, cart, stiffness=stiffness, length=1))
    return m


def measure(model: lw.Model) -> dict:
    rest = lw.static(model)
    return {
        "sag": -1 - rest["cart"].position[2].item(),
        "frequency": lw.eigen(model, at=rest.state).frequency[0],
        "place": rest["cart"].position,
    }


def root(x: float) -> float:
    if x < 0:
        raise ValueError("x must not be negative")
    return x**0.5


def deadly(x: float) -> float:
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * x


def counted(x: float, folder: str) -> float:
    """Leaves a trace of every call; fails while a file is there."""
    (Path(folder) / f"call-{x:g}-{len(list(Path(folder).iterdir()))}").touch()
    if x == 2 and (Path(folder) / "fail").exists():
        raise RuntimeError("not yet")
    return 10 * x


def test_sweep_of_models_on_all_cores():
    """Sag m g/k and frequency √(k/m)/2π over the grid."""
    k, mass = np.array([100.0, 400.0]), np.array([1.0, 2.0, 4.0])
    found = lw.sweep(oscillator, {"stiffness": k, "mass": mass}, measure, workers=2, progress=False)
    assert dict(found.sizes) == {"stiffness": 2, "mass": 3, "xyz": 3}
    np.testing.assert_allclose(found.sag, 9.81 * mass / k[:, None], rtol=1e-7)
    np.testing.assert_allclose(found.frequency, np.sqrt(k[:, None] / mass) / (2 * np.pi), rtol=1e-7)
    np.testing.assert_allclose(found.place.sel(xyz="z"), -1 - found.sag)
    assert (found.failure == "").all()
    assert float(found.sag.sel(stiffness=400, mass=2)) == pytest.approx(9.81 / 200)


def test_a_variant_that_raises_is_recorded():
    found = lw.sweep(root, {"x": [4, -1, 9]}, workers=1)
    np.testing.assert_array_equal(found.value, [2, np.nan, 3])
    assert found.failure.values.tolist() == ["", "ValueError: x must not be negative", ""]
    nothing = lw.sweep(root, {"x": [-1, -2]}, workers=1)
    assert list(nothing.data_vars) == ["failure"]


def test_a_killed_worker_loses_only_its_variant():
    found = lw.sweep(deadly, {"x": [1, 2, 3, 4, 5, 6]}, workers=2, progress=False)
    np.testing.assert_array_equal(found.value, [2, 4, np.nan, 8, 10, 12])
    killed = "its worker was killed while it ran"
    assert found.failure.values.tolist() == ["", "", killed, "", "", ""]


def leaving(x: float) -> float:
    if x == 2:
        raise SystemExit(3)
    return 2 * x


@pytest.mark.parametrize("workers", [1, 2])
def test_a_variant_that_ends_the_program_is_recorded(workers):
    found = lw.sweep(leaving, {"x": [1, 2, 3]}, workers=workers, progress=False)
    np.testing.assert_array_equal(found.value, [2, np.nan, 6])
    assert found.failure.values.tolist() == ["", "SystemExit: 3", ""]


def hanging(x: float, folder: str) -> float:
    (Path(folder) / f"{x:g}").write_text(str(os.getpid()))
    if x in (2, 4):
        time.sleep(1000)
    return 2 * x


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_variant_that_hangs_loses_its_process_and_no_other(workers, tmp_path):
    grid = {"x": [1.0, 2, 3, 4, 5, 6], "folder": [str(tmp_path)]}
    began = time.monotonic()
    found = lw.sweep(hanging, grid, workers=workers, progress=False, time_limit=1.0)
    assert time.monotonic() - began < 60
    np.testing.assert_array_equal(found.value.values.ravel(), [2, np.nan, 6, np.nan, 10, 12])
    late = "TimeoutError: it ran longer than time_limit=1 s"
    assert found.failure.values.ravel().tolist() == ["", late, "", late, "", ""]
    for x in (2, 4):
        wait_until_gone(int((tmp_path / f"{x}").read_text()))


def wait_until_gone(process: int) -> None:
    """Until a process has ended; one that nobody waits for (a zombie) has."""
    end = time.monotonic() + 30
    state = Path(f"/proc/{process}/stat")
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end, f"process {process} lives on"
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are looked up in /proc")
def test_workers_end_with_a_killed_parent(tmp_path):
    code = f"""
        import time, pathlib, os, linkwork as lw
        def build(x):
            (pathlib.Path({str(tmp_path)!r}) / str(x)).write_text(str(os.getpid()) + " ")
            time.sleep(1000)
        lw.sweep(build, {{"x": [1, 2]}}, workers=2, progress=False)
    """
    study = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    notes = [tmp_path / "1", tmp_path / "2"]
    end = time.monotonic() + 60
    while not all(note.exists() and note.read_text().endswith(" ") for note in notes):
        assert study.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    study.kill()
    study.wait()
    for note in notes:
        wait_until_gone(int(note.read_text()))


def test_results_so_far_are_kept_when_a_study_is_interrupted(tmp_path):
    """As by Ctrl-C: what was finished is in the file, and its processes are gone."""
    store, folder = tmp_path / "study.jsonl", tmp_path / "calls"
    folder.mkdir()
    grid = {"x": [1.0, 3, 5, 2, 4], "folder": [str(folder)]}
    with pytest.raises(KeyboardInterrupt), alarm(folder / "4"):
        lw.sweep(hanging, grid, workers=2, progress=False, store=store)
    kept = [json.loads(line)["number"] for line in store.read_text().splitlines()[1:]]
    assert sorted(kept) == [0, 1, 2]
    for x in (2, 4):
        wait_until_gone(int((folder / f"{x}").read_text()))


@contextlib.contextmanager
def alarm(sign: Path):
    """Interrupt this process a moment after a file is there."""

    def interrupt() -> None:
        while not sign.exists():
            time.sleep(0.02)
        time.sleep(0.5)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    yield


def test_a_study_is_resumed(tmp_path):
    """Finished variants are not run again, failed ones are, also after a line was cut off."""
    calls, store = tmp_path / "calls", tmp_path / "study.jsonl"
    calls.mkdir()
    (calls / "fail").touch()
    grid = {"x": [1.0, 2.0, 3.0], "folder": [str(calls)]}
    first = lw.sweep(counted, grid, workers=1, store=store)
    assert np.isnan(first.value.values.ravel()).tolist() == [False, True, False]
    (calls / "fail").unlink()
    with store.open("a") as file:
        file.write('{"number": 1, "measu')
    before = len(list(calls.iterdir()))
    again = lw.sweep(counted, grid, workers=1, store=store)
    np.testing.assert_array_equal(again.value.values.ravel(), [10, 20, 30])
    assert len(list(calls.iterdir())) == before + 1  # only the one that had failed
    third = lw.sweep(counted, grid, workers=1, store=store)
    assert third.identical(again) and len(list(calls.iterdir())) == before + 1
    with pytest.raises(ResultFileError, match="holds a study of other parameters"):
        lw.sweep(counted, {"x": [7.0], "folder": [str(calls)]}, workers=1, store=store)


@pytest.mark.parametrize("other", [b"no study", b"\xff\x00", b"5\n", b'{"format": 3}', b"\n\n"])
def test_a_file_that_is_no_study_is_left_as_it_is(tmp_path, other):
    (tmp_path / "other").write_bytes(other)
    with pytest.raises(ResultFileError, match="is not the file of a study"):
        lw.sweep(root, {"x": [1]}, workers=1, store=tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == other


@pytest.mark.parametrize("name", ["", "no folder/study", "x" * 300])
def test_where_no_study_can_be_kept(tmp_path, name):
    with pytest.raises(ResultFileError, match="cannot write"):
        lw.sweep(root, {"x": [1]}, workers=1, store=tmp_path / name)


@pytest.mark.parametrize("damage", ['{"number": 1, "measu', "7\n", "\n", "[]\nx\n", "\udcff\n"])
def test_damaged_lines_of_a_study_are_passed_over(tmp_path, damage):
    store = tmp_path / "study.jsonl"
    first = lw.sweep(root, {"x": [4.0, 9.0]}, workers=1, store=store)
    whole = store.read_bytes()
    with store.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(damage)
    assert lw.sweep(root, {"x": [4.0, 9.0]}, workers=1, store=store).identical(first)
    assert store.read_bytes() == whole and len(list(tmp_path.iterdir())) == 1


def test_samples_follow_their_distributions():
    """2000 draws: the mean of a normal within 5 σ/√n, the variance of a uniform (b − a)²/12."""
    from scipy import stats

    found = lw.sample(
        lambda a, b: {"sum": a + b}, {"a": stats.norm(10, 2), "b": (0, 6)}, n=2000, workers=1,
        progress=False,
    )  # fmt: skip
    assert float(found.a.mean()) == pytest.approx(10, abs=5 * 2 / np.sqrt(2000))
    assert float(found.b.var()) == pytest.approx(3, rel=0.15)
    np.testing.assert_allclose(found["sum"], found.a + found.b)
    again = lw.sample(lambda a: a, {"a": stats.norm(10, 2)}, n=3, workers=1)
    assert not np.allclose(lw.sample(lambda a: a, {"a": (0, 1)}, n=3, seed=1, workers=1).a, again.a)


def test_on_a_dask_cluster():
    """Two workers in processes of their own."""
    distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as own,
        distributed.Client(own) as client,
    ):
        found = lw.sweep(
            oscillator, {"stiffness": [100.0, 400.0], "mass": [1.0]}, measure, client=client,
            progress=False,
        )  # fmt: skip
        failed = lw.sweep(root, {"x": [4, -1]}, client=client, progress=False)
        killed = lw.sweep(deadly, {"x": [2, 3, 4]}, client=client, progress=False)
    np.testing.assert_allclose(found.sag.values.ravel(), [0.0981, 0.0981 / 4], rtol=1e-7)
    assert failed.failure.values.tolist() == ["", "ValueError: x must not be negative"]
    assert "was killed" in killed.failure.values[1]  # the only one that must not be there


def test_progress_is_plain_lines_when_not_a_terminal(capsys):
    lw.sweep(root, {"x": [1, -1, 4]}, workers=1, progress="always")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("study: 1 of 3 variants") and "1 failed" in lines[-1]
    lw.sweep(root, {"x": [1, 4]}, workers=1, progress=False)
    assert capsys.readouterr().err == ""


def optimized(objective, bounds=None, **more):
    return lw.optimize(root, objective, {"x": 0.5}, bounds or {"x": (0, 1)}, **more)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: lw.sweep(root, {}), "needs a grid such as"),
        (lambda: lw.sweep(root, {"x": []}), "of texts, not empty, but \\[\\] was given"),
        (lambda: lw.sweep(root, [1, 2]), r"a grid such as .*, but \[1, 2\] was given"),
        (lambda: lw.sweep(root, {"x": [[1], [1, 2]]}), "values of 'x' in the grid must be"),
        (lambda: lw.sweep(root, {"x": np.eye(3)}), "values of 'x' in the grid must be"),
        (lambda: lw.sweep(root, {"x": [1, "two"]}), "values of 'x' in the grid must be"),
        (lambda: lw.sweep(root, {"x": {1, 2}}), "values of 'x' in the grid must be"),
        (lambda: lw.sweep(root, {k: range(100) for k in "abcdef"}), "has 1e[+]12 variants, more"),
        (lambda: lw.sweep(root, {"x": range(10**12)}), "has 1e[+]12 variants, more"),
        (lambda: lw.sample(root, {"x": (0, 1)}, n=10**12), "has 1e[+]12 variants, more"),
        (lambda: lw.sample(root, [(0, 1)], n=2), r"but \[\(0, 1\)\] was given"),
        (lambda: lw.sweep(3, {"x": [1]}), "build must be a function, but 3 was given"),
        (lambda: lw.sweep(root, {"x": [1]}, measure="sag"), "measure must be a function"),
        (lambda: lw.sweep(root, {"x": [1]}, time_limit=0), "time_limit must be positive"),
        (lambda: lw.sweep(root, {"x": [1]}, client=3, time_limit=1), "not those of a cluster"),
        (lambda: lw.sweep(root, {"x": [1]}, workers=0), "workers must be a whole"),
        (lambda: lw.sample(root, {"x": (3, 1)}, n=2), "the distribution of 'x' must be"),
        (lambda: lw.sample(root, {}, n=2), "sample needs distributions"),
        (lambda: lw.optimize(root, float, {"x": 1}, {"y": (0, 1)}), "must name the same"),
        (lambda: lw.optimize(root, float, {"x": 3}, {"x": (0, 1)}), "must start within its bounds"),
        (lambda: lw.sweep(lambda x: {"x": 1.0}, {"x": [1]}, workers=1), "'x' is a parameter"),
        (lambda: optimized(float, method="Nelder-Maed"), "'Nelder-Mead' or .*-Maed' was"),
        (lambda: optimized(float, method="BFGS"), "'trust-constr', but 'BFGS' was given"),
        (lambda: optimized(lambda x: np.nan), "must return a number, but nan was"),
        (lambda: optimized(lambda x: None), "must return a number, but None was"),
        (lambda: optimized(lambda x: np.inf), "objective is inf at x0"),
        (lambda: optimized("x"), "objective must be a function"),
        (lambda: optimized(float, bounds=[(0, 1)]), "bounds must be a dict from"),
        (lambda: optimized(float, bounds={"x": 1}), "of 'x' must be 2 numbers, but 1"),
        (lambda: optimized(float, metod="Powell"), "no parameter 'metod'; did you mean 'method'"),
    ],
)
def test_sentences(call, expected):
    with pytest.raises(ModelError, match=expected):
        call()


def test_what_a_variant_returns_must_be_numbers():
    found = lw.sweep(lambda x: "text" if x == 2 else x, {"x": [1, 2]}, workers=1)
    assert "must return a number" in found.failure.values[1] and found.value.values[0] == 1
    odd = lw.sweep(lambda x: {"y": np.zeros(x)}, {"x": [2, 3]}, workers=1)
    assert "has shape (3,) where the first variant has (2,)" in odd.failure.values[1]


@pytest.mark.parametrize("returned", [None, "text", {}, {"y": ["a"]}, {"y": None}, [1j]])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_study_that_measures_nothing_ends_at_once(returned, workers, tmp_path):
    def measure(model):
        Path(tmp_path / f"{model}").touch()
        return returned

    with pytest.raises(ModelError, match=r"^a variant must return .* for x=\d+$"):
        lw.sweep(lambda x: x, {"x": range(100)}, measure, workers=workers, progress=False)
    assert len(list(tmp_path.iterdir())) <= 2 * workers


def test_a_spring_is_sized():
    """The stiffness with which a cart of 2 kg sags by 5 mm is m g/0.005."""
    best = lw.optimize(
        lambda stiffness: oscillator(stiffness, 2.0),
        lambda model: (-1 - lw.static(model)["cart"].position[2].item() - 0.005) ** 2 * 1e6,
        {"stiffness": 1000.0}, {"stiffness": (500.0, 20000.0)},
    )  # fmt: skip
    assert best.converged and best.x["stiffness"] == pytest.approx(2 * 9.81 / 0.005, rel=1e-3)
    assert best.model["spring"].stiffness == best.x["stiffness"]
    assert len(best.history) == best.evaluations < 100


def test_two_parameters_and_variants_that_fail():
    """Rosenbrock's valley from its far side; a corner of the square cannot be built."""

    def build(x, y):
        if x < -1.4:
            raise LinkworkError("no such mechanism")
        return (1 - x) ** 2 + 5 * (y - x * x) ** 2

    best = lw.optimize(build, float, {"x": -1.2, "y": 1.0}, {"x": (-2, 2), "y": (-1, 3)},
                       tolerance=1e-9)  # fmt: skip
    assert best.x["x"] == pytest.approx(1, abs=1e-3) and best.x["y"] == pytest.approx(1, abs=2e-3)
    with pytest.raises(LinkworkError, match="no such mechanism"):
        lw.optimize(build, float, {"x": -1.9, "y": 0}, {"x": (-2, 2), "y": (-1, 3)})


def test_a_search_that_ends_among_failures_has_not_converged():
    """Brent's method ends where all variants fail; the one at x0 is no minimum of anything."""
    def build(k):
        if k > 1.5:
            raise lw.ModelError("too stiff")
        return k

    best = lw.optimize(build, lambda k: -k, {"k": 1.0}, {"k": (0.0, 100.0)})
    assert not best.converged and "the search ended where" in best.message
    assert best.x == {"k": 1.0} and "variants failed" in best.message
