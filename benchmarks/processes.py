"""Everything is measured in a process of its own, with one thread unless that is the question."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
VENV = ROOT / ".venv-peers"
PEERS = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PROGRAMS = {  # by the module that speaks for them, all in the virtual environment of the peers
    "programs.exudyn": "Exudyn", "programs.pinocchio": "pinocchio", "programs.mujoco": "MuJoCo",
    "programs.drake": "Drake",
}  # fmt: skip
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
           "LINKWORK_THREADS")  # fmt: skip


def environment(threads: int = 1, **more: str) -> dict[str, str]:
    return {**os.environ, **{name: str(threads) for name in THREADS}, **more}


def attempt(
    module: str, question: dict[str, Any], threads: int = 1, limit: float | None = None, **more: str
) -> dict[str, Any] | str:
    """The answer of a module that prints JSON, or in words why another program has none.

    limit: seconds of wall time.
    """
    other = module in PROGRAMS
    try:
        done = subprocess.run(
            [PEERS if other else sys.executable, "-W", "ignore", "-m", f"benchmarks.{module}",
             json.dumps(question)],
            capture_output=True, text=True, cwd=ROOT, env=environment(threads, **more),
            timeout=limit,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no answer in {limit:.0f} s"
    if done.returncode == 0:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    if not other:
        raise SystemExit(f"linkwork failed on {question}:\n{done.stderr}")
    return (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]


def ask(
    module: str, question: dict[str, Any], threads: int = 1, **more: str
) -> dict[str, Any] | None:
    """The answer; None where another program did not get through."""
    found = attempt(module, question, threads, None, **more)
    return None if isinstance(found, str) else found


def answer(module: str, question: dict[str, Any], threads: int = 1, **more: str) -> dict[str, Any]:
    """The same where there must be one."""
    found = ask(module, question, threads, **more)
    if found is None:
        raise SystemExit(f"{PROGRAMS[module]} failed on {question}, which it had solved before")
    return found


def in_turns(
    questions: dict[str, tuple[str, dict[str, Any]]], runs: int
) -> dict[str, list[dict[str, Any]]]:
    """All questions `runs` times, one after the other: what disturbs one disturbs all."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in questions}
    for _ in range(runs):
        for name, (module, question) in questions.items():
            found[name].append(answer(module, question))
    return found


def medians(answers: list[dict[str, Any]], *keys: str) -> dict[str, float]:
    return {key: statistics.median(a[key] for a in answers) for key in keys}


def install(package: str, module: str) -> str | None:
    """Puts a program into the peers' virtual environment; a sentence if that was not possible."""
    try:
        if not PEERS.exists():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True, capture_output=True)
        if subprocess.run([PEERS, "-c", f"import {module}"], capture_output=True).returncode:
            pip = [str(PEERS), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, package], check=True, capture_output=True, text=True)
    except (subprocess.CalledProcessError, OSError) as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1:]
        return f"{package} could not be installed into {VENV.name}: {' '.join(map(str, reason))}"
    return None


def version(package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([PEERS, "-c", code], capture_output=True, text=True).stdout.strip()
