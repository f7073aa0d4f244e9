"""Types for users: editors and type checkers know what items, analyses and results are."""

from __future__ import annotations

import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw

PACKAGE = Path(lw.__file__).parent
SCRIPT = """
from typing import assert_type

import numpy as np
import xarray as xr

import linkwork as lw
from linkwork.analysis.linear.linearize import StateSpace
from linkwork.analysis.linear.modes import Modes

m = lw.Model("pendulum", gravity=(0, 0, -9.81))
rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), rate=1))
tip = lw.Frame(rod, (0, 0, 0.5))
push = m.add("push", lw.Force(tip, (1, 0, 0), drive=lw.sine(1, 2)))
pull = m.add("pull", lw.Spring(lw.GROUND, tip, at_a=np.zeros(3), stiffness=100))
assert_type(rod, lw.Body)
assert_type(pin, lw.Revolute)
assert_type(push, lw.Force)
assert_type(pull, lw.Spring)
assert_type(rod.position, np.ndarray)
assert_type(rod.mass, float)
assert_type(pull.stiffness, float)
rod.position = (0, 0, 1)

run = lw.transient(m, t=1, h=0.01, method=lw.GeneralizedAlpha(rho=0.8))
run = lw.transient(m, t=2, h=0.01, method=lw.Recursive(), start=run, stop=lambda t, now: t - 1)
for method in (lw.BDF2(), lw.MS2(rho=0.6), lw.RK4(), lw.ODE("Radau"), lw.EnergyMomentum()):
    lw.transient(m, t=1, h=0.01, method=method, strategy=lw.FactorStrategy())
assert_type(run, lw.Result)
assert_type(run["rod"].position, xr.DataArray)
assert_type(run.energy, xr.Dataset)
assert_type(run.state(), lw.State)
balanced = lw.static(m)
assert_type(lw.eigen(m, at=balanced), Modes)
assert_type(lw.linearize(m, at=run, inputs=["push"], outputs=["rod.position"]), StateSpace)
assert_type(lw.kinematics(m, t=1, h=0.1), lw.Result)
assert_type(lw.inverse(m, t=1, h=0.1), lw.InverseDynamics)
assert_type(lw.assemble(m), lw.State)
"""
WRONG = {
    'lw.Body(1, (1, 1, 1), position="here")': "position",
    'lw.Revolute(rod, "ground", at=(0, 0, 0))': "FrameLike|Ground",
    "lw.Revolute(lw.GROUND, rod, at=3)": "VectorLike|Sequence",
    'lw.Spring(lw.GROUND, rod, stiffness="soft")': "float",
    "lw.Body.sphere(0.1, density=1, colour=3)": "colour",
    'lw.transient(m, t="long", h=0.1)': "float",
    'lw.transient(m, t=1, h=0.1, method="BDF2")': "LinearMethod",
    "lw.static(m, at=3)": "State",
    "lw.Revoute": "Revoute",
}


def checked(folder: Path, text: str) -> tuple[int, str]:
    """What mypy says to a script of a user's."""
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    (folder / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    words = ("--config-file", "mypy.ini", "--follow-imports=silent", "script.py")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", folder / "cache", *words],
        cwd=folder, capture_output=True, text=True,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_script_is_understood_and_its_mistakes_are_found(tmp_path: Path) -> None:
    lines = [f"x{i} = {line}" for i, line in enumerate(WRONG)]
    begin = len(SCRIPT.splitlines()) + 1
    _, told = checked(tmp_path, SCRIPT + "\n".join(lines) + "\n")
    own = [line for line in told.splitlines() if line.startswith("script.py")]
    found: dict[int, str] = {}
    for line in own:
        number = int(line.split(":")[1])
        found[number] = found.get(number, "") + line
    assert not [found[n] for n in found if n < begin]  # the script itself is fine
    for i, (line, part) in enumerate(WRONG.items()):
        assert begin + i in found, f"mypy does not object to {line}"
        assert any(p in found[begin + i] for p in part.split("|")), found[begin + i]


def test_the_package_says_that_it_has_types() -> None:
    assert (PACKAGE / "py.typed").exists()


def test_the_stub_is_up_to_date() -> None:
    path = PACKAGE.parent / "docs" / "public_names.py"
    spec = importlib.util.spec_from_file_location("public_names", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    assert stub == module.stub(), "run python docs/public_names.py"


@pytest.mark.parametrize("name", [n for n in lw.__all__ if callable(getattr(lw, n))])
def test_no_public_signature_is_untyped(name: str) -> None:
    """Every parameter has a type, and of those without a doubt most say more than Any."""
    public = getattr(lw, name)
    if isinstance(public, type) and issubclass(public, BaseException | tuple):
        return
    signature = inspect.signature(public)
    types = {k: str(p.annotation) for k, p in signature.parameters.items()}
    assert "<class 'inspect._empty'>" not in types.values()
    untold = [k for k, kind in types.items() if kind == "Any"]
    assert not types or len(untold) < len(types), f"all of {untold} are Any"
    if not isinstance(public, type):
        assert signature.return_annotation not in ("Any", inspect.Signature.empty)
