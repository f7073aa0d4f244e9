"""Steps in tiles against steps body by body, with one thread and with two."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from large_models import MODELS, branches, chain, links

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.errors import ModelError
from linkwork.integrators.contract import step_rows
from linkwork.integrators.second_order import two_forms
from linkwork.integrators.second_order.run import ImplicitRun
from linkwork.integrators.second_order.stepper import DONE
from linkwork.integrators.second_order.tiled import threads
from linkwork.integrators.second_order.tiled.step import ASSISTS, OTHERWISE, STEPS, advance_tiles
from linkwork.math import threads as allowed
from linkwork.math.atomic import LINE, claim, peek, post, words
from linkwork.math.compiled import compiled
from linkwork.study import workers
from linkwork.system.elimination import analysis
from linkwork.system.elimination.tables import BODY, PARENT
from linkwork.system.tiles import find
from linkwork.system.tiles.tables import ASSISTED, CALL

H = 1e-3
NONE = 10**9
FIELDS = ("motion", "acceleration", "gamma", "work")


@pytest.fixture
def tiles(monkeypatch):
    """Tiles of few bodies for small models; returns a function that sets how they are taken."""
    monkeypatch.setattr(find, "SIZE", 7)
    monkeypatch.setattr(find, "LEAD", 14)
    monkeypatch.setattr(find, "MOST_SEAMS", 0.6)
    monkeypatch.setattr(analysis, "RUN", 4)
    monkeypatch.setattr(threads, "LEAST", 0)
    calls: list[int] = []
    advance = two_forms.advance_tiled

    def counted(*parts):
        status, done = advance(*parts)
        calls.append(status)
        return status, done

    monkeypatch.setattr(two_forms, "advance_tiled", counted)

    def take(kind, number=1):
        monkeypatch.setattr(find, "LARGE", NONE if kind == "bodies" else 10)
        monkeypatch.setattr(analysis, "LARGE", NONE if kind == "bodies" else 10)
        monkeypatch.setattr(find, "FAR_TOO_LARGE", 10 if kind == "ring" else NONE)
        monkeypatch.setenv("LINKWORK_THREADS", str(number))
        calls.clear()
        return calls

    return take


def begin(model, h=H):
    a = assemble_model(model, warn=False)
    return a, ImplicitRun(a.system, lw.GeneralizedAlpha(rho=0.8), a.state, h, None, full=a.full)


def stepped(model, steps=40, pieces=(), every=1, h=H):
    """Every so manieth step of a run, whose calls end at `pieces`."""
    a, run = begin(model, h)
    times = run.time + h * np.arange(1, steps + 1)
    saved = np.where(np.arange(steps) % every == 0, np.arange(steps) // every, -1)
    out = step_rows(a.full, -(-steps // every))
    schedule = run.system.schedule(times)
    for first, end in zip((0, *pieces), (*pieces, steps), strict=True):
        if end > first:
            part = slice(first, end)
            run.advance(times[part], schedule[part], saved[part], out)
    return out, run


def bytes_of(out):
    return [getattr(out, name).tobytes() for name in FIELDS]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["places", "ring"])
def test_tiles_agree_with_steps_body_by_body(name, kind, tiles):
    tiles("bodies")
    expected, _ = stepped(MODELS[name]())
    calls = tiles(kind)
    found, _ = stepped(MODELS[name]())
    assert DONE in calls and calls.count(OTHERWISE) <= 1  # not all steps were left to the others
    # both solve the same equations, to 1e-8 of h² times the largest acceleration
    assert np.abs(found.motion - expected.motion).max() < 1e-9
    size = np.abs(expected.gamma).max()
    assert np.abs(found.gamma - expected.gamma).max() < 1e-5 * size
    np.testing.assert_allclose(found.work, expected.work, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["places", "ring"])
def test_digits_do_not_depend_on_threads(name, kind, tiles):
    tiles(kind, 1)
    one, _ = stepped(MODELS[name]())
    tiles(kind, 2)
    two, _ = stepped(MODELS[name]())
    assert bytes_of(one) == bytes_of(two)


def test_digits_do_not_depend_on_calls_and_storing(tiles):
    tiles("places")
    whole, _ = stepped(branches(90), 36, every=4)
    single, _ = stepped(branches(90), 36, pieces=range(1, 36), every=4)
    pieces, _ = stepped(branches(90), 36, pieces=(5, 6, 21), every=4)
    every, _ = stepped(branches(90), 36)
    assert bytes_of(whole) == bytes_of(single) == bytes_of(pieces)
    for name in FIELDS:
        assert getattr(every, name)[::4].tobytes() == getattr(whole, name).tobytes()


def test_second_thread_takes_part(tiles):
    """With a thread that is there from the beginning, the digits are those of one alone."""
    tiles("places", 1)
    model, steps = chain(600), 30
    found = []
    for assisted in (False, True):
        a, run = begin(model)
        times = H * np.arange(1, steps + 1)
        saved, out = np.arange(steps), step_rows(a.full, steps)
        schedule, tiled = run.system.schedule(times), run._in_tiles()
        words_ = tiled.tiles.shared
        words_[LINE * CALL] = call = 5
        parts = (call, run.system.kernels, tiled.tables, tiled.factors, tiled.work, run.stepper,
                 tiled.tiles, times, schedule, saved, out, 0, steps)  # fmt: skip
        second = threading.Thread(target=advance_tiles, args=(ASSISTS, *parts))
        if assisted:
            second.start()
            time.sleep(0.1)
        status, done = advance_tiles(STEPS, *parts)
        words_[LINE * CALL] += 1
        if assisted:
            second.join(20)
            assert not second.is_alive()
            assert words_[LINE * ASSISTED] > 0
        assert (status, done) == (0, steps)
        found.append(bytes_of(out))
    assert found[0] == found[1]


def test_hanging_chain_at_rest(tiles):
    """Of 2,100 links below each other every joint carries what is below it."""
    tiles("places", 2)
    n, m = 2100, lw.Model("hanging", gravity=(0, 0, -9.81))
    before = lw.GROUND
    for i in range(n):
        link = m.add(f"link{i}", lw.Body(1, (0.1, 0.1, 0.1), position=(0, 0, -i - 0.5)))
        m.add(f"joint{i}", lw.Revolute(before, link, at=(0, 0, -i), axis=(0, 1, 0)))
        before = link
    out, run = stepped(m, 3)
    assert run._in_tiles() is not None
    # row z of every joint, along the chain: rows are x, y, z, rx, ry of the axes of the joint
    force = np.linalg.norm(out.gamma[-1].reshape(n, 5)[:, :3], axis=1)
    np.testing.assert_allclose(force, 9.81 * (n - np.arange(n)), rtol=1e-7)
    assert np.abs(out.motion[-1] - out.motion[0]).max() < 1e-9


def test_energy_of_a_falling_chain(tiles):
    """Without friction kinetic and potential energy stay what they were."""
    tiles("ring", 2)
    out, _ = stepped(chain(60), 200, h=2e-4)
    m, J = 0.1, np.array([1e-5, 1e-4, 1e-4])
    v, w = out.motion[..., 7:10], out.motion[..., 10:13]
    energy = 0.5 * m * (v**2).sum(axis=(1, 2)) + 0.5 * (J * w**2).sum(axis=(1, 2))
    energy += m * 9.81 * out.motion[..., 2].sum(axis=1)
    kinetic = 0.5 * m * (v[-1] ** 2).sum()
    assert np.abs(energy - energy[0]).max() < 1e-4 * kinetic


def test_models_that_are_left_as_they_are(tiles):
    """Small ones, and those with what tiles do not know."""
    tiles("bodies")
    assert begin(chain(30))[1]._in_tiles() is None
    tiles("places")
    m = chain(30)
    assert begin(m)[1]._in_tiles() is not None
    m.add("twist", lw.TorsionSpring(m["joint4"], stiffness=1.0))
    assert begin(m)[1]._in_tiles() is None  # it counts turns
    heap = [(i - 1) // 2 for i in range(200)]  # no branch is numbered by itself
    assert begin(links(heap))[1]._in_tiles() is None


def test_order_of_elimination_follows_branches(tiles):
    tiles("places")
    _, run = begin(branches(90))
    body, parent = run.lu.nodes[:, BODY], run.lu.nodes[:, PARENT]
    place = {b: i for i, b in enumerate(body.tolist())}
    assert sorted(place) == list(range(90))
    assert all(p < 0 or place[b] < place[p] for b, p in zip(body.tolist(), parent.tolist()))
    assert (np.abs(np.diff(body)) != 1).sum() <= 2 * 90 / 12


def test_continued_run_repeats_all_digits(tiles, tmp_path):
    tiles("places", 2)
    whole = lw.transient(branches(90), t=0.04, h=H, progress=False)
    lw.transient(branches(90), t=0.02, h=H, progress=False, file=tmp_path / "a.nc")
    rest = lw.resume(tmp_path / "a.nc", t=0.04, progress=False)
    end = whole["link50"].position.values[-1]
    assert rest["link50"].position.values[-1].tobytes() == end.tobytes()


def test_claims_are_exclusive():
    @compiled(_nrt=False, nogil=True)
    def take(a, n, mine):
        taken = 0
        while peek(a, 8) == 0:
            pass
        for i in range(n):
            if claim(a, 0, i, i + 1):
                taken += 1
                post(a, 16, mine)
        return taken

    a, n, found = words(3), 20000, []
    take(np.array([0] * 8 + [1] + [0] * 15), 0, 0)
    both = [threading.Thread(target=lambda k=k: found.append(take(a, n, k))) for k in (1, 2)]
    for thread in both:
        thread.start()
    post(a, 8, 1)
    for thread in both:
        thread.join(20)
    # who is late finds other numbers: every claim that succeeded moved the word by one
    assert sum(found) == a[0] <= n


def test_number_of_threads(monkeypatch):
    monkeypatch.setenv("LINKWORK_THREADS", "1")
    assert threads.thread_count() == 1
    monkeypatch.setenv("LINKWORK_THREADS", "8")
    assert threads.thread_count() == 2
    monkeypatch.setenv("LINKWORK_THREADS", "many")
    with pytest.raises(ModelError, match="LINKWORK_THREADS must be a number of threads"):
        threads.thread_count()
    monkeypatch.delenv("LINKWORK_THREADS")
    assert threads.thread_count() == min(2, allowed.processors())
    monkeypatch.setattr(allowed, "processors", lambda: 1)
    assert threads.thread_count() == 1


def test_dismissed_threads_are_asked_for_less_often(monkeypatch, tiles):
    tiles("places", 2)
    monkeypatch.setattr(threads, "_alone", {"calls": 0, "next": 1})
    stepped(chain(30), 2)  # compiled
    assert threads._wants_second(100)
    waits = []
    for _ in range(7):
        threads._remember(True)
        waits.append(next(k for k in range(100) if threads._wants_second(100)))
    assert waits == [1, 2, 4, 8, 16, 32, 32]
    threads._remember(False)
    assert threads._wants_second(100)


def test_one_thread_in_workers_of_studies(monkeypatch):
    """A worker may be a thread of the user's process, which steps with two meanwhile and after."""
    monkeypatch.delenv("LINKWORK_THREADS", raising=False)
    monkeypatch.setattr(allowed, "processors", lambda: 4)
    seen, inside, go_on = [], threading.Event(), threading.Event()

    def variant(*_):
        seen.append(threads.thread_count())
        inside.set()
        go_on.wait(20)

    monkeypatch.setattr(workers, "run_variant", variant)
    worker = threading.Thread(target=workers._in_worker, args=((0, {}), None, None))
    worker.start()
    assert inside.wait(20)
    assert seen == [1] and threads.thread_count() == 2
    go_on.set()
    worker.join(20)
    workers._in_worker((0, {}), None, None)
    assert seen == [1, 1] and threads.thread_count() == 2
    assert "LINKWORK_THREADS" not in os.environ
    monkeypatch.setenv("LINKWORK_THREADS", "2")
    workers._in_worker((0, {}), None, None)
    assert seen[-1] == 2  # as the user says


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_run_with_two_threads(tmp_path):
    """While the compiled loop runs; the process ends by itself, with no thread left behind."""
    here = os.path.join(os.path.dirname(__file__), "..", "shared")
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent("""
        import sys
        import linkwork as lw
        from large_models import chain
        lw.transient(chain(2100), t=2e-3, h=1e-3, progress=False)
        print("begins", flush=True)
        try:
            lw.transient(chain(2100), t=10, h=1e-5, progress=False, every=1000)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """))  # fmt: skip
    environment = {**os.environ, "LINKWORK_THREADS": "2", "PYTHONPATH": os.pathsep.join(
        [here, *sys.path])}  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout.readline().strip() == "begins"
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert rest.split() == ["interrupted"]
    assert process.returncode == 0


BUSY = "import time\nend = time.time() + 15\nwhile time.time() < end: pass"


def test_digits_on_a_loaded_machine(tiles):
    """Others want all processors: the second thread comes late, waits, and is dismissed."""
    tiles("places", 1)
    alone, _ = stepped(chain(400), 30)
    tiles("places", 2)
    count = 2 * allowed.processors()
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        for _ in range(3):
            found, _ = stepped(chain(400), 30)
            assert bytes_of(found) == bytes_of(alone)
    finally:
        for process in others:
            process.kill()
            process.wait()


def run_in_child(queue):
    out, _ = stepped(chain(60), 20)
    queue.put(bytes_of(out))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_process_has_its_own_second_thread(tiles):
    tiles("places", 2)
    out, _ = stepped(chain(60), 20)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=run_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == bytes_of(out)
    child.join(30)
    assert child.exitcode == 0
