"""After a singular position, where bodies went to the sparse part, they come back to the nodes."""

import numpy as np
import pytest
from inside import SHORTEST, ImplicitRun, Peeling, StagedRun, assemble_model, step_rows
from small_mechanisms import double_pendulum

import linkwork as lw

H = 1e-3
METHODS = [lw.GeneralizedAlpha(0.8), lw.BDF(2)]


def begin(assembled, method, state=None):
    kind = StagedRun if isinstance(method, lw.BDF) else ImplicitRun
    return kind(assembled.data, method, state or assembled.state, H, None)


def march(run, first, last):
    times = H * np.arange(first + 1, last + 1)
    out = step_rows(run.data.system, 0, len(getattr(run, "own", ())))
    run.advance(times, run.data.schedule(times), np.full(len(times), -1), out)


def crowd(run, monkeypatch):
    """As in a position where no body can be taken off."""
    with monkeypatch.context() as patch:
        patch.setattr(Peeling, "take", lambda self, b, vals, pivots: False)
        run._new_pivots(run.time)
    assert len(run.lu.nodes) == 0


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_bodies_come_back_to_the_nodes(method, monkeypatch):
    assembled = assemble_model(double_pendulum())
    plain, run = begin(assembled, method), begin(assembled, method)
    march(plain, 0, 60)
    march(run, 0, 10)
    crowd(run, monkeypatch)
    march(run, 10, 9 + SHORTEST)
    assert len(run.lu.nodes) == 0
    march(run, 9 + SHORTEST, 10 + SHORTEST)
    assert len(run.lu.nodes) == 2 and len(run.lu.core) == 0
    march(run, 10 + SHORTEST, 60)
    assert np.allclose(run.state().positions, plain.state().positions, rtol=0, atol=1e-12)


def test_trials_do_not_depend_on_how_a_run_is_cut(monkeypatch):
    """At the same steps, whether a run goes on, is cut, or is taken up from its state."""
    assembled, ends = assemble_model(double_pendulum()), []
    for cuts in ([60], [12, 25, 26, 27, 60], [13, -1, 60]):
        run, done = begin(assembled, METHODS[0]), 0
        march(run, 0, 10)
        crowd(run, monkeypatch)
        done = 10
        for cut in cuts:
            if cut < 0:
                run = begin(assembled, METHODS[0], run.state())
            else:
                march(run, done, cut)
                done = cut
        ends.append(run.state())
    for end in ends[1:]:
        assert np.array_equal(end.positions, ends[0].positions)
        assert np.array_equal(end.velocities, ends[0].velocities)


def test_trials_become_rare_where_they_fail(monkeypatch):
    assembled = assemble_model(double_pendulum())
    run, tried = begin(assembled, METHODS[0]), []
    monkeypatch.setattr(Peeling, "take", lambda self, b, vals, pivots: False)
    run._new_pivots(run.time)
    factorise = ImplicitRun._factorise
    monkeypatch.setattr(ImplicitRun, "_factorise",
                        lambda self: (tried.append(self.time), factorise(self))[1])  # fmt: skip
    march(run, 0, 150)
    assert np.allclose(tried, H * np.array([16, 16 + 32, 16 + 32 + 64]))
