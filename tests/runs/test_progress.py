"""What a long run shows: a bar on a terminal, plain lines elsewhere, nothing when not wanted."""

from __future__ import annotations

import io
import re
import sys
import warnings

import pytest
from inside import Progress

import linkwork as lw


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr("time.perf_counter", found.perf_counter)
    return found


def go(clock, shown, seconds):
    """A run of 10 simulated seconds and 1000 steps, two iterations each, that takes so long."""
    with Progress("crank", 0.0, 10.0, shown) as bar:
        for k in range(101):
            bar.update(0.1 * k, 10 * k, 2)
            clock.now += seconds / 100


def test_plain_lines_when_not_a_terminal(clock, capsys):
    go(clock, True, 20.0)
    lines = capsys.readouterr().err.splitlines()
    pattern = (
        r"crank: t = [\d.]+ of 10 \(\d+ %\), 50 steps/s, 2.0 iterations per step, about \d+ s left"
    )
    assert 3 <= len(lines) <= 8 and all(re.fullmatch(pattern, line) for line in lines)


def test_a_bar_on_a_terminal(clock, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "140")
    go(clock, True, 20.0)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    assert "crank" in text and "50 steps/s, 2.0 iterations per step" in text and "of 10" in text
    assert re.search(r"\d+ s left", text)


@pytest.mark.parametrize(("shown", "seconds"), [(True, 0.5), (False, 50.0)])
def test_short_runs_and_those_not_to_be_shown_are_silent(clock, capsys, shown, seconds):
    go(clock, shown, seconds)
    assert capsys.readouterr().err == ""


def test_a_method_without_iterations_says_none(clock, capsys):
    with Progress("crank", 0.0, 1.0, True) as bar:
        for k in range(11):
            bar.update(0.1 * k, k)
            clock.now += 1.0
    assert "iterations" not in capsys.readouterr().err


def test_a_run_reports_its_iterations(capsys):
    """The line of a real run has the number that its diagnostics have."""
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    bob = m.add("bob", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    run = lw.transient(m, t=400, h=1e-3, every=1000, progress="always")
    told = [float(x) for x in re.findall(r"([\d.]+) iterations", capsys.readouterr().err)]
    mean = float(run.diagnostics.iterations[1:].mean())
    assert told and all(abs(x - mean) < 1 for x in told)


def test_warnings_come_once_and_name_the_item():
    """Two runs of a door on two hinges in a loop: Python's own filter shows the sentence once."""
    m = lw.Model("door", gravity=(0, 0, -9.81))
    door = m.add("door", lw.Body(1, (1, 1, 1), position=(0.5, 0, 0)))
    for name, z in (("lower", 0.0), ("upper", 1.0)):
        m.add(name, lw.Revolute(lw.GROUND, door, at=(0, 0, z), axis=(0, 0, 1)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default", lw.LinkworkWarning)
        for _ in range(2):
            lw.transient(m, t=0.01, h=0.001, progress=False)
    assert len(told) == 1 and "'upper'" in str(told[0].message)
