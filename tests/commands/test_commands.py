"""The commands around a run: a first model, going on, inverse dynamics, what a result file holds,
what a shell completes, and what is written after Ctrl-C."""

from __future__ import annotations

import csv
import math
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from inside import METHODS, app
from test_cli import PATIENCE, PENDULUM, SIGNALLING, process_of, runner, sentence, wait_for, write

import linkwork as lw
from linkwork.cli.commands import OFFERED
from linkwork.study.counting import Counting

ARM = """
    import linkwork as lw
    model = lw.Model("arm", gravity=(0, 0, -9.81))
    arm = model.add("arm", lw.Body(2, (0, 0, 0), position=(1, 0, 0)))
    model.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, -1, 0), angle=lw.ramp(2.0)))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_every_method_has_a_word():
    assert sorted(OFFERED.values()) == sorted(METHODS)


def test_recursive_runs_and_has_no_rho(folder):
    path = write(folder, PENDULUM)
    words = ["run", path, "-t", "0.5", "-s", "0.005", "--method", "recursive"]
    result = runner.invoke(app, [*words, "-o", "swing"])
    assert result.exit_code == 0, result.output
    assert "Recursive(" in result.stdout
    energy = lw.load("swing.nc").energy.total
    assert float(abs(energy - energy[0]).max()) < 1e-6 * 15 * 9.81 * 5
    assert "--rho belongs to" in sentence(runner.invoke(app, [*words, "--rho", "0.5"]), 2)


def test_resume_goes_on_with_the_same_digits(folder):
    path = write(folder, PENDULUM)
    for t, name in (("0.3", "half"), ("0.6", "whole")):
        words = ["run", path, "-t", t, "-s", "0.01", "-o", name]
        assert runner.invoke(app, words).exit_code == 0
    assert "is at its end" in sentence(runner.invoke(app, ["resume", "half.nc"]), 2)
    result = runner.invoke(app, ["resume", "half.nc", "-t", "0.6"])
    assert result.exit_code == 0, result.output
    assert np.array_equal(lw.load("half.nc").motion, lw.load("whole.nc").motion)


def test_resume_takes_the_functions_of_a_model_file(folder):
    text = PENDULUM + "\n    model.add('push', lw.Force(rod, (1, 0, 0), drive=lambda t: 2.0))\n"
    path = write(folder, text)
    result = runner.invoke(app, ["run", path, "-t", "0.1", "-s", "0.01", "-o", "pushed"])
    assert result.exit_code == 0, result.output
    assert result.stderr.count("will not hold its model") == 1
    assert "model=" in sentence(runner.invoke(app, ["resume", "pushed.nc", "-t", "0.2"]), 1)
    result = runner.invoke(app, ["resume", "pushed.nc", "-t", "0.2", "--model", path])
    assert result.exit_code == 0, result.output
    assert "0 to 0.2 s" in result.stdout


def test_inverse_gives_the_torque_that_holds_the_weight(folder):
    path = write(folder, ARM)
    result = runner.invoke(app, ["inverse", path, "-t", "0.5", "-s", "0.01", "-o", "torque"])
    assert result.exit_code == 0, result.output
    row = re.search(r"motor\s+N m\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", result.stdout)
    weight = 2 * 9.81  # torque m g l cos φ with φ = 2 t
    ends = weight * math.cos(1.0)
    assert [float(x) for x in row.groups()[:4]] == pytest.approx(
        [weight, ends, ends, weight], rel=1e-4
    )
    with open("torque.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 51
    for one in rows:
        assert float(one["motor"]) == pytest.approx(weight * math.cos(2 * float(one["time"])))
    assert "give the time" in sentence(runner.invoke(app, ["inverse", path]), 2)
    options = ["-t", "1", "-s", "0.1", "--actuator", "nothing"]
    assert "nothing" in sentence(runner.invoke(app, ["inverse", path, *options]), 1)


def test_info_of_a_result_says_how_it_was_run_and_what_moved(folder):
    path = write(folder, PENDULUM)
    runner.invoke(app, ["run", path, "-t", "0.1", "-s", "0.01", "-o", "swing"])
    result = runner.invoke(app, ["info", "swing.nc"])
    assert result.exit_code == 0, result.output
    assert "GeneralizedAlpha" in result.stdout and "11 stored" in result.stdout
    assert "1 degree of freedom" in result.stdout
    assert re.search(r"pin\s+Revolute\s+ground, rod", result.stdout)


def test_new_writes_a_model_that_runs(folder):
    result = runner.invoke(app, ["new"])
    assert result.exit_code == 0 and "linkwork run pendulum.py" in result.stdout
    result = runner.invoke(app, ["run", "pendulum.py", "-t", "0.5", "-o", "first"])
    assert result.exit_code == 0, result.output
    run = lw.load("first.nc")
    assert np.hypot(*run["rod"].position[-1, [0, 2]]) == pytest.approx(0.5)
    assert float(run.energy.dissipated[-1]) > 0
    assert "already" in sentence(runner.invoke(app, ["new"]), 2)
    assert "letters, digits" in sentence(runner.invoke(app, ["new", "a b"]), 2)


def test_mbdyn_files_are_written_after_ctrl_c(folder):
    """-o of a deck is obeyed with the steps until the signal."""
    deck = """
        begin: data; problem: initial value; end: data;
        begin: initial value;
            initial time: 0.; final time: 1e5; time step: 1e-3;
            tolerance: 1e-6; max iterations: 10;
        end: initial value;
        begin: control data; structural nodes: 1; rigid bodies: 1; gravity; end: control data;
        begin: nodes;
            structural: 1, dynamic, null, eye, null, null;
        end: nodes;
        begin: elements;
            body: 1, 1, 1., null, eye;
            gravity: uniform, 0., 0., -1., 9.81;
        end: elements;
    """
    path = write(folder, deck, "falling.mbd")
    with process_of(folder, "run", path, "-o", "fall") as process:
        deadline = 100
        line = ""
        while "steps/s" not in line and deadline:  # it tells how far it is, so it runs
            line = process.stderr.readline()
            deadline -= 1
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    motion = np.loadtxt(folder / "fall.mov")
    assert len(motion) > 10 and np.all(np.diff(motion[:, 3]) < 0)  # it falls


def test_ctrl_c_says_which_command_goes_on(folder):
    path = write(folder, PENDULUM + SIGNALLING, "signalling.py")
    words = ["run", path, "-t", "1e6", "-s", "1e-3", "--every", "1000", "-o", "swing"]
    with process_of(folder, *words) as process:
        wait_for(folder / "started")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "go on with: linkwork resume swing.nc -t 1e+06" in said


def test_the_shell_completes_commands_methods_and_files(folder):
    (folder / "crane.py").write_text("")
    (folder / "crane.txt").write_text("")

    def completed(words: str) -> str:
        variables = {"_LINKWORK_COMPLETE": "complete_bash", "COMP_WORDS": words,
                     "COMP_CWORD": str(len(words.split(" ")) - 1)}  # fmt: skip
        code = "from linkwork.cli import main; main()"
        script = folder / "linkwork"
        script.write_text(code)
        found = subprocess.run(
            [sys.executable, str(script)], env={**os.environ, **variables}, capture_output=True,
            text=True,
        )  # fmt: skip
        return found.stdout

    assert "resume" in completed("linkwork re").split()
    assert "recursive" in completed("linkwork run crane.py --method rec").split()
    assert completed("linkwork run cr").split() == ["crane.py"]


def test_time_left_is_estimated_without_the_first_wave(monkeypatch, capsys):
    """Two workers compile for 25 s each, then every variant takes one second of two workers."""
    now = 0.0
    monkeypatch.setattr("time.perf_counter", lambda: now)
    estimates = []
    with Counting(50, 0, "always", wave=2) as bar:
        for k in range(50):
            now = 25.0 if k < 2 else 25.0 + 0.5 * (k - 1)
            bar.next_line = 0.0
            bar.one_more(False)
            said = capsys.readouterr().err
            left = re.search(r"about (\d+) s left", said)
            assert (left is None) == (k < 2 or k == 49), said
            if left:
                estimates.append(float(left[1]) - 0.5 * (49 - k))
    assert max(map(abs, estimates)) <= 0.5  # rounded to seconds


def test_view_writes_pages_films_and_pictures(folder):
    path = write(folder, PENDULUM)
    runner.invoke(app, ["run", path, "-t", "0.6", "-s", "0.1", "-o", "swing"])
    for name, magic in (("swing.gif", b"GIF8"), ("swing.png", b"\x89PNG"), ("page", b"<!")):
        result = runner.invoke(app, ["view", "swing.nc", "-o", name])
        assert result.exit_code == 0, result.output
        written = result.stdout.split()[-1]
        assert (folder / written).read_bytes().lower().startswith(magic.lower())
