"""Signals at any instruction of a run: rows and restart numbers are of the same time."""

import signal
import sys
import warnings

import numpy as np
import pytest
from small_mechanisms import double_pendulum
from test_killed_runs import assert_same, killed_run, killing

import linkwork as lw
from linkwork.integrators.second_order import stepping

__all__ = ["killing"]  # a fixture
pytestmark = pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
WORDS = dict(t=0.3, h=1e-3, progress=False)
SIGNALS = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.fixture(autouse=True)
def usual_handlers():
    """A run leaves signals alone that the process ignores, as it does hangups under nohup."""
    usual = dict.fromkeys(SIGNALS, signal.SIG_DFL) | {"SIGINT": signal.default_int_handler}
    before = {name: signal.signal(getattr(signal, name), usual[name]) for name in SIGNALS}
    yield
    for name, handler in before.items():
        signal.signal(getattr(signal, name), handler)


@pytest.fixture
def pressing(monkeypatch):
    """Signals arrive where compiled steps return, before Python has noted their time."""

    def press(name, call, times=1):
        advance, calls = stepping.advance, [0]

        def advance_then_press(*arguments):
            done = advance(*arguments)
            calls[0] += 1
            if calls[0] == call:
                for _ in range(times):
                    signal.raise_signal(getattr(signal, name))
            return done

        monkeypatch.setattr(stepping, "advance", advance_then_press)

    return press


def stopped(pressing, monkeypatch, name, call, times=1, **words):
    """What the file of a run holds that was stopped so, and all of it after going on."""
    lw.transient(double_pendulum(), t=2e-3, h=1e-3, progress=False)  # compiled
    pressing(name, call, times)
    with pytest.raises(lw.Interrupted, match="go on with lw.resume") as caught:
        lw.transient(double_pendulum(), file="run.nc", **WORDS, **words)
    monkeypatch.undo()
    return caught.value


@pytest.mark.parametrize("name", SIGNALS)
def test_signals_that_are_ignored_stay_ignored(tmp_path, monkeypatch, pressing, name):
    """Under nohup a run goes on when its terminal is closed."""
    lw.transient(double_pendulum(), t=2e-3, h=1e-3, progress=False)  # compiled
    signal.signal(getattr(signal, name), signal.SIG_IGN)
    pressing(name, 1, 2)
    run = lw.transient(double_pendulum(), file=tmp_path / "run.nc", **WORDS)
    assert run.time[-1] == WORDS["t"]


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("words", [dict(), dict(every=7), dict(tolerance=1e-7)], ids=str)
def test_a_signal_waits_until_the_steps_under_way_are_noted(
    tmp_path, monkeypatch, pressing, name, words
):
    whole = lw.transient(double_pendulum(), **WORDS, **words)
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        error = stopped(pressing, patch, name, 3, **words)
    path = tmp_path / "run.nc"
    stored = lw.load(path)
    assert f"at t = {stored.time[-1]:.6g} of" in str(error) and stored.time[-1] > 2.9e-3
    assert_same(lw.resume(path, t=0.3, file=path, progress=False), whole)


@pytest.mark.parametrize(("call", "times"), [(1, 1), (3, 2)], ids=["first step", "pressed twice"])
def test_a_step_that_is_cut_in_two_is_left_out(tmp_path, monkeypatch, pressing, call, times):
    """Nobody waits for compilation, or for a second Ctrl-C; the last flush is what is kept."""
    whole = lw.transient(double_pendulum(), **WORDS)
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        stopped(pressing, patch, "SIGINT", call, times)
    path = tmp_path / "run.nc"
    assert lw.load(path).time[-1] == 0  # flushes are a second apart
    assert_same(lw.resume(path, t=0.3, file=path, progress=False), whole)


@pytest.mark.parametrize("words", [dict(), dict(file="run.nc", flush=None)], ids=str)
def test_rows_without_flushes_are_kept_and_go_on_by_their_motion(
    tmp_path, monkeypatch, pressing, words
):
    whole = lw.transient(double_pendulum(), **WORDS)
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        lw.transient(double_pendulum(), t=2e-3, h=1e-3, progress=False)
        pressing("SIGINT", 3, 2)
        with pytest.raises(lw.Interrupted) as caught:
            lw.transient(double_pendulum(), **WORDS, **words)
        patch.undo()
        patch.chdir(tmp_path)
        stored = lw.load(caught.value.path)
        n = len(stored)
        assert 1 < n < len(whole) and np.array_equal(stored.motion, whole.motion[:n])
        rest = lw.resume(caught.value.path, t=0.3, progress=False)
    # the first acceleration is found anew: a difference of the order of the step's error
    np.testing.assert_allclose(rest.motion[-1], whole.motion[-1], rtol=0, atol=1e-4)


def test_the_signal_that_came_beside_another_error_is_not_lost(tmp_path, monkeypatch):
    def force(t, motion):
        if t > 0.1:
            signal.raise_signal(signal.SIGINT)
            raise ValueError("no force")
        return np.zeros(6)

    monkeypatch.chdir(tmp_path)
    m = lw.Model("pushed")
    m.add("push", lw.UserForce([m.add("body", lw.Body(1, (1, 1, 1)))], force))
    with pytest.raises(KeyboardInterrupt):
        lw.transient(m, **WORDS)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_going_on_is_killed_before_its_first_flush(tmp_path, killing):
    """The row at which the first part stood is not one of every so many, and is kept all the same.
    """
    path, words = tmp_path / "run.nc", dict(t=0.2, h=1e-3, every=7)
    m = double_pendulum()
    whole = lw.transient(m, progress=False, **words)
    killed_run(killing, 3, m, path, **words)
    until = lw.load(path).time[-1]
    assert not np.isin(until, whole.time)
    for _ in range(2):
        patch = killing(1)
        with pytest.raises(BaseException, match="^$"):
            lw.resume(path, t=0.2, file=path, progress=False, flush=0.0)
        patch.undo()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert lw.load(path).time[-1] == until
    assert_same(lw.resume(path, t=0.2, file=path, progress=False), whole)


def test_ctrl_c_before_the_first_step_is_one_sentence(monkeypatch):
    """Where the model is assembled, code may be compiled for many seconds."""

    def pressed(t):
        raise KeyboardInterrupt

    m = double_pendulum()
    m.add("push", lw.Force(m["a"], (0, 0, 1), drive=lw.function(pressed)))
    monkeypatch.setattr("sys.excepthook", sys.__excepthook__)
    with pytest.raises(lw.Interrupted, match="'double' was interrupted before its first step"):
        lw.transient(m, **WORDS)
    assert sys.excepthook is not sys.__excepthook__  # prints the sentence alone


def test_a_method_without_its_parentheses_is_no_method():
    with pytest.raises(lw.ModelError, match="must be an integrator such as lw.Generalized"):
        lw.transient(double_pendulum(), method=lw.RK4, **WORDS)
