"""The command line: exit codes, one-sentence errors, files written, what summaries say."""

from __future__ import annotations

import contextlib
import math
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from inside import app
from typer.testing import CliRunner

import linkwork as lw

PENDULUM = """
    import linkwork as lw
    model = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = model.add("rod", lw.Body(mass=15, inertia=(1, 1, 1), position=(3, 0, -4)))
    model.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
"""
# the same rod held by two hinges in one line: five rows too many
TWO_HINGES = PENDULUM + """
    model.add("second", lw.Revolute(lw.GROUND, rod, at=(0, 1, 0), axis=(0, 1, 0)))
"""
# a slider on a string that is wound up: at t = 0.453 it is as short as it can be
LOCKING = """
    import linkwork as lw
    model = lw.Model("wound string")
    bead = model.add("bead", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    model.add("rail", lw.Prismatic(lw.GROUND, bead, at=(1, 0, 0), axis=(1, 0, 0)))
    model.add("string", lw.Distance(lw.GROUND, bead, at_a=(0, 1, 0),
                                    length=lw.expression("sqrt(2) * (1 - t) + t * 0.5")))
"""
# leaves a file when the run is under way
SIGNALLING = """
    from pathlib import Path
    def push(t):
        if t > 5 and not Path("started").exists():
            Path("started").touch()
        return 0.0
    model.add("push", lw.Force(rod, (1, 0, 0), drive=push))
"""
PENDULUM_HZ = math.sqrt(15 * 9.81 * 5 / (1 + 15 * 25)) / (2 * math.pi)  # √(m g l / (J + m l²))
PATIENCE = 120  # seconds: kernels may have to be compiled first, on a busy machine

runner = CliRunner()


def write(folder: Path, text: str, name: str = "model.py") -> str:
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return str(path)


@pytest.fixture
def pendulum(tmp_path, monkeypatch):
    """The path of a model file, in a folder of its own that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return write(tmp_path, PENDULUM)


def sentence(result, code: int) -> str:
    """The one sentence of a command that failed."""
    assert result.exit_code == code, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1 and "Traceback" not in result.output, result.output
    assert result.stdout == ""
    return lines[0]


# ------------------------------------------------------------------------------------------ run


def test_run_says_what_happened_and_writes_it(pendulum):
    result = runner.invoke(app, ["run", pendulum, "-t", "0.5", "-s", "0.005", "-o", "swing"])
    assert result.exit_code == 0, result.output
    said = dict(re.findall(r"^(\w+)\s+(.*)$", result.stdout, re.M))
    assert said["model"].startswith("'pendulum', 1 degree of freedom (6 × 1 body − rank 5 of 5")
    assert "GeneralizedAlpha(rho=0.8), step 0.005 s" in said["method"]
    assert said["time"] == "0 to 0.5 s, 101 of 101 states stored"
    assert re.match(r"100 steps in .* s, [\d,]+ steps/s", said["speed"])
    assert "largest imbalance" in said["energy"]
    assert re.match(r"at most \S+ \(m, or rad/2\), in joint 'pin' at t = ", said["violation"])
    assert "iterations per step on average" in said["Newton"]
    assert said["written"] == "swing.nc"
    run = lw.load("swing.nc")
    assert run.time[-1] == 0.5 and np.hypot(*run["rod"].position[-1, [0, 2]]) == pytest.approx(5)


def test_run_takes_time_and_step_from_the_file(pendulum, tmp_path):
    path = write(tmp_path, PENDULUM + "\n    time, step = 0.2, 0.01\n", "timed.py")
    result = runner.invoke(app, ["run", path, "--every", "4"])
    assert result.exit_code == 0
    assert "0 to 0.2 s, 6 of 21 states stored" in result.stdout
    assert "nothing; -o NAME keeps the results" in result.stdout
    result = runner.invoke(app, ["run", path, "-t", "0.1"])
    assert "0 to 0.1 s" in result.stdout


def test_a_module_called_time_is_not_an_end_time(pendulum, tmp_path):
    path = write(tmp_path, "    import time\n" + PENDULUM, "clock.py")
    assert "give the time, for example -t 10" in sentence(runner.invoke(app, ["run", path]), 2)


@pytest.mark.parametrize("method", ["hht", "newmark", "bdf2", "rk4", "ode"])
def test_run_with_every_method(pendulum, method):
    result = runner.invoke(app, ["run", pendulum, "-t", "0.1", "-s", "0.01", "--method", method])
    assert result.exit_code == 0, result.output
    assert f"{method.upper()}(" in result.stdout.upper()


def test_run_with_rho_and_tolerance(pendulum):
    options = ["-t", "0.5", "-s", "0.001", "--rho", "0.6", "--tolerance", "1e-5"]
    result = runner.invoke(app, ["run", pendulum, *options])
    assert result.exit_code == 0, result.output
    assert "GeneralizedAlpha(rho=0.6), step 0.001 s at first, controlled to 1e-05" in result.stdout
    steps = int(re.search(r"(\d+) steps in", result.stdout)[1])
    assert steps < 200  # the step grows from where it starts


def test_run_plots(pendulum, tmp_path):
    options = ["-t", "0.1", "-s", "0.01", "--plot", "rod.position", "--plot", "energy.balance"]
    result = runner.invoke(app, ["run", pendulum, *options])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "model.png").read_bytes().startswith(b"\x89PNG")
    assert "plot       model.png" in result.stdout


def test_run_explains_redundant_rows_once(pendulum, tmp_path):
    path = write(tmp_path, TWO_HINGES, "twice.py")
    result = runner.invoke(app, ["run", path, "-t", "0.1", "-s", "0.01"])
    assert result.exit_code == 0, result.output
    counted = "6 × 1 body − rank 5 of 10 constraint rows, 5 of them redundant"
    assert f"1 degree of freedom ({counted})" in result.stdout
    assert result.output.count("repeat what 'pin' already imposes") == 1


def test_model_file_may_import_its_neighbours(pendulum, tmp_path):
    write(tmp_path, "    length = 5.0\n", "neighbour_of_model.py")
    text = PENDULUM.replace("(3, 0, -4)", "(0, 0, -length)")
    path = write(tmp_path, "    from neighbour_of_model import length\n" + text, "importing.py")
    assert runner.invoke(app, ["info", path]).exit_code == 0


# --------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    x = 1\n", "defines no `model`"),
        ("    model = 7\n", "must be a linkwork Model, but is of type int"),
        ("    x = 1\n    model = 1 / 0\n", "line 2, ZeroDivisionError: division by zero"),
        ("    model = (\n", "is not Python"),
        ("    raise SystemExit\n", "line 1, SystemExit"),
        ("    import linkwork as lw\n    lw.Body(mass=-1, inertia=(1, 1, 1))\n",
         "line 2,: mass of a Body must be at least 0"),
        ("    import linkwork as lw\n    model = lw.Model('empty')\n", "'empty' has no body"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["run", "info"])
def test_what_is_wrong_with_a_model_is_one_sentence(pendulum, tmp_path, text, expected, command):
    path = write(tmp_path, text, "wrong.py")
    options = ["-t", "1", "-s", "0.1"] if command == "run" else []
    assert expected in sentence(runner.invoke(app, [command, path, *options]), 1)


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["run", "missing.py", "-t", "1", "-s", "1"], 1, "there is no model file 'missing.py'"),
        (["run", ".", "-t", "1", "-s", "1"], 1, "is not a .py file"),
        (["run", "rotor.mbd"], 1, "there is no model file 'rotor.mbd'"),
        (["view", "missing.py"], 1, "there is no model file 'missing.py'"),
        (["view", "missing.nc"], 1, "missing.nc"),
        (["view", "model.py", "-o", "nowhere/page"], 1, "there is no folder"),
        (["run", "model.py"], 2, "give the time, for example -t 10"),
        (["run", "model.py", "-t", "1"], 2, "give the step, for example -s 0.001"),
        (["run", "model.py", "-t", "1", "-s", "0.1", "--method", "euler"], 2, "no method 'euler'"),
        (["run", "model.py", "--method", "hht", "--rho", "1"], 2, "--rho belongs to"),
        (["run", "model.py", "-t", "1", "-s", "0.1", "--rho", "7"], 1, "between 0 and 1, found 7"),
        (["run", "model.py", "-t", "-1", "-s", "0.1"], 1, "later than the start time"),
        (["run", "model.py", "-t", "1", "-s", "0"], 1, "must be positive"),
        (["run", "model.py", "-t", "1", "-s", "0.1", "--every", "0"], 1, "at least 1"),
        (["eigen", "model.py", "--at", "described"], 1, ""),
    ],
)  # fmt: skip
def test_errors_are_one_sentence(pendulum, arguments, code, expected):
    assert expected in sentence(runner.invoke(app, arguments), code)


def test_usage_errors_exit_with_2(pendulum):
    for arguments in (["fly"], ["run"], ["run", pendulum, "-t", "soon"], ["run", "--nonsense"]):
        assert runner.invoke(app, arguments).exit_code == 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-o", "nowhere/swing"], "there is no folder"),
        (["-o", "folder.nc"], "it is a folder"),
        (["--plot", "rod.positoin"], "did you mean 'position'?"),
        (["--plot", "bar.position"], "no item 'bar'"),
    ],
)
def test_wrong_names_are_found_before_the_run(pendulum, tmp_path, options, expected):
    (tmp_path / "folder.nc").mkdir()
    began = time.perf_counter()
    result = runner.invoke(app, ["run", pendulum, "-t", "1e6", "-s", "1e-4", *options])
    assert expected in sentence(result, 1)
    assert time.perf_counter() - began < 10  # the run would take hours


def test_a_run_that_fails_keeps_what_it_has(pendulum, tmp_path):
    path = write(tmp_path, LOCKING, "locking.py")
    arguments = ["run", path, "-t", "1", "-s", "0.001", "-o", "until"]
    said = sentence(runner.invoke(app, arguments), 1)
    assert "did not converge at t = 0." in said and "are in 'until.nc'" in said
    assert "attribute" not in said
    end = lw.load("until.nc").time[-1]
    locks = (math.sqrt(2) - 1) / (math.sqrt(2) - 0.5)  # where the string is 1 m long
    assert 0.9 * locks < end <= locks


def test_debug_shows_the_traceback(pendulum, tmp_path):
    path = write(tmp_path, "    model = 1 / 0\n", "wrong.py")
    result = runner.invoke(app, ["info", path, "--debug"])
    assert result.exit_code == 1
    assert "Traceback" in result.stderr and "ZeroDivisionError" in result.stderr


@contextlib.contextmanager
def process_of(folder, *arguments):
    """A command in a process of its own, which does not outlive the test."""
    process = subprocess.Popen(
        [sys.executable, "-m", "linkwork", *arguments], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=mind_signals,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def mind_signals():
    """Shells and nohup let processes in the background ignore them, and so would ours."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def wait_for(path):
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_interrupting_saves_and_says_where(pendulum, tmp_path):
    """Ctrl-C in the middle of a run: exit code 130, and a file to go on from."""
    path = write(tmp_path, PENDULUM + SIGNALLING, "signalling.py")
    with process_of(tmp_path, "run", path, "-t", "1e6", "-s", "1e-3", "--every", "1000") as process:
        wait_for(tmp_path / "started")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert "was interrupted at t = " in said and "'pendulum-interrupted.nc'" in said
    assert "Traceback" not in said
    assert (tmp_path / "pendulum-interrupted.nc").exists()


def test_a_killed_run_goes_on_from_its_file(pendulum, tmp_path):
    """kill -9, then `linkwork run swing.nc`: the digits of one run."""
    with process_of(tmp_path, "run", pendulum, "-t", "60", "-s", "1e-3", "-o", "swing",
                    "--flush", "0.01"):  # fmt: skip
        wait_for(tmp_path / "swing.nc.part")
        time.sleep(0.2)
    result = runner.invoke(app, ["run", "swing.nc"])
    assert result.exit_code == 0, result.output
    assert "'swing.nc' was not finished: it goes until t = " in result.stderr or not result.stderr
    assert "0 to 60 s, 60001 of 60001 states stored" in result.stdout
    whole = runner.invoke(app, ["run", pendulum, "-t", "60", "-s", "1e-3", "-o", "whole"])
    assert whole.exit_code == 0
    assert np.array_equal(lw.load("swing.nc").motion, lw.load("whole.nc").motion)
    assert "at its end, t = 60" in sentence(runner.invoke(app, ["run", "swing.nc"]), 2)
    assert "without --step" in sentence(runner.invoke(app, ["run", "swing.nc", "-s", "1"]), 2)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signals_end_a_command_like_ctrl_c(pendulum, tmp_path, name):
    path = write(tmp_path, PENDULUM + SIGNALLING, "signalling.py")
    with process_of(tmp_path, "run", path, "-t", "1e6", "-s", "1e-3", "--every", "1000",
                    "-o", "swing") as process:  # fmt: skip
        wait_for(tmp_path / "started")
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and "Traceback" not in said
    assert "was interrupted at t = " in said and "are in 'swing.nc'" in said
    assert sorted(p.suffix for p in tmp_path.glob("swing*")) == [".nc"]


def test_ctrl_c_while_compiling_is_one_sentence(pendulum, tmp_path, monkeypatch):
    """With an empty cache, what follows the reading of a model is compiling."""
    begun = "    from pathlib import Path\n    Path('begun').touch()\n"
    path = write(tmp_path, PENDULUM + begun, "compiled.py")
    for delay in (0.0, 1.0, 2.5):
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / f"cache{delay}"))
        with process_of(
            tmp_path, "run", path, "-t", "1e5", "-s", "0.01", "-o", "x"
        ) as process:
            wait_for(tmp_path / "begun")
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, said
        assert "Traceback" not in said and "Exception ignored" not in said
        assert "interrupted" in said and not list(tmp_path.glob("x.nc.part"))
        (tmp_path / "begun").unlink()


IMPORTING = """
import os, signal, sys
class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, CtrlC())
from linkwork.cli import main
main()
"""


@pytest.mark.parametrize("name", ["typer", "linkwork.cli.tables", "linkwork.analysis", "numba"])
def test_ctrl_c_while_modules_are_imported_is_one_sentence(pendulum, tmp_path, name):
    words = [sys.executable, "-c", IMPORTING.format(name=name), "run", pendulum, "-t", "1"]
    ended = subprocess.run(words, cwd=tmp_path, text=True, capture_output=True, timeout=PATIENCE,
                           preexec_fn=mind_signals)  # fmt: skip
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "interrupted; nothing was saved\n"


# ------------------------------------------------------------------------------- other commands


def test_static_reports_reactions(pendulum, tmp_path):
    result = runner.invoke(app, ["static", pendulum, "-o", "rest"])
    assert result.exit_code == 0, result.output
    assert "equilibrium of 'pendulum' at t = 0: stable" in result.stdout
    assert re.search(r"pin\s+0\s+-147\.15\s+0\s+0\s+0\s+0", result.stdout)  # 15 kg × 9.81
    assert "written to rest.nc" in result.stdout
    rest = lw.load("rest.nc")
    assert rest["rod"].position[0].values == pytest.approx([0, 0, -5], abs=1e-9)


def test_eigen_lists_frequencies(pendulum):
    result = runner.invoke(app, ["eigen", pendulum, "-n", "3"])
    assert result.exit_code == 0, result.output
    row = re.search(r"^\s*1\s+([\d.]+)\s+([\d.]+)\s", result.stdout, re.M)
    assert float(row[1]) == pytest.approx(PENDULUM_HZ, rel=1e-4)
    assert float(row[2]) == 0
    assert "stable" in result.stdout


def test_eigen_at_the_described_position(pendulum, tmp_path):
    path = write(tmp_path, PENDULUM.replace("(3, 0, -4)", "(0, 0, -5)"), "hanging.py")
    result = runner.invoke(app, ["eigen", path, "--at", "described"])
    assert result.exit_code == 0, result.output
    assert f"{PENDULUM_HZ:.5g}" in result.stdout


def test_info_counts_with_the_true_rank(pendulum, tmp_path):
    path = write(tmp_path, TWO_HINGES, "twice.py")
    result = runner.invoke(app, ["info", path])
    assert result.exit_code == 0, result.output
    assert "rank 5 of 10 constraint rows, 5 of them redundant" in result.stdout
    assert re.search(r"rod\s+15\s+3, 0, -4", result.stdout)
    assert re.search(r"second\s+Revolute\s+ground, rod\s+x y z rx ry", result.stdout)
    assert "mass 15 kg, centre of mass at (3, 0, -4) m" in result.stdout
    assert "redundant: joint 'second'" in result.stdout
    assert f"linkwork {lw.__version__}, Python" in result.stdout


def test_tables_are_never_cut(pendulum, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    path = write(tmp_path, PENDULUM.replace('"pin"', '"the pin of the pendulum"'), "long.py")
    for command in ("static", "eigen", "info"):
        result = runner.invoke(app, [command, path])
        assert result.exit_code == 0 and "…" not in result.stdout
        assert max(len(line) for line in result.stdout.splitlines()) > 40


def test_versions():
    assert runner.invoke(app, ["--version"]).stdout == f"linkwork {lw.__version__}\n"
    assert "numba" in runner.invoke(app, ["info"]).stdout


def test_demo_leaves_a_picture_and_a_result(pendulum, tmp_path):
    result = runner.invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    folder = tmp_path / "demo-output"
    assert (folder / "quarter-car.png").read_bytes().startswith(b"\x89PNG")
    run = lw.load(folder / "quarter-car.nc")
    weight = 9.81 * (320 + 5 + 3 + 36)  # all that stands on the tyre
    assert float(run["tyre"].force[0, 2]) == pytest.approx(weight, rel=1e-6)
    assert "2 freedoms are left" in result.stdout and "Hz" in result.stdout


def test_help_needs_nothing_heavy():
    code = (
        "import sys, linkwork.cli\n"
        "print({'numpy', 'numba', 'scipy', 'xarray', 'matplotlib'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_a_model_file_may_name_its_method(tmp_path):
    text = PENDULUM + "\n    time, step, method = 0.2, 0.01, lw.EnergyMomentum()\n"
    path = write(tmp_path, text, "own.py")
    for words, said in (
        ([], "EnergyMomentum("),
        (["--method", "rk4"], "RK4("),
        (["--rho", "0.5"], "GeneralizedAlpha(rho=0.5)"),
    ):
        result = runner.invoke(app, ["run", path, *words])
        assert result.exit_code == 0, result.output
        assert said in result.stdout
