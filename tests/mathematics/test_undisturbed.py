"""Signals that come while something must become whole: they wait, and none is lost."""

import signal

import pytest

from linkwork.kernels.compiling.undisturbed import checkpoint, undisturbed


@pytest.fixture(autouse=True)
def usual_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_for_the_end():
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        signal.raise_signal(signal.SIGINT)
        done.append("whole")
    assert done == ["whole"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_inside_another_waits_for_the_outermost_end():
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        with undisturbed():
            signal.raise_signal(signal.SIGINT)
        done.append("whole")
    assert done == ["whole"]


def test_a_checkpoint_ends_what_is_undisturbed():
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        checkpoint()
        done.append("before")
        signal.raise_signal(signal.SIGINT)
        checkpoint()
        done.append("after")
    assert done == ["before"]
    checkpoint()  # handled once
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_beside_an_error_is_not_lost():
    with pytest.raises(KeyboardInterrupt) as caught, undisturbed():
        signal.raise_signal(signal.SIGINT)
        raise OSError("no room")
    assert isinstance(caught.value.__context__, OSError)


def test_signals_that_are_ignored_stay_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with undisturbed():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
