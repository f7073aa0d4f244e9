"""Types for users: editors and type checkers know what items, analyses and results are."""

from __future__ import annotations

import importlib.util
import inspect
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
from linkwork.analysis.linear.state_space.linearize import StateSpace
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

steel = lw.Section.circle(0.01, E=2.1e11, density=7800, damping=1e-4)
wing = m.add("wing", lw.Beam((0, 0, 0), (0, 6, 0), lambda s: steel, up=np.ones(3), at=[0.5]))
m.add("arc", lw.Beam.along([(0, 0, 0), (1, 0, 0), (1, 1, 0)], steel))
m.add("lift", lw.LineLoad(wing, force=(0, 0, 1), drive=lw.ramp(0.5)))
assert_type(wing.velocity, np.ndarray | None)
bump = lw.OneMinusCosine((0, 0, 9), 25)
air = lw.Air(density="standard", velocity=(lw.sine(1, 2), 0, 0), gusts=bump)
foil = lw.Airfoil.naca0012()
m.add("strip", lw.LiftingSurface(wing, chord=lambda s: 1 - s, airfoil=foil, air=air))
soft = lw.laws.LinearViscoelastic([1, 1, 2], proportional=0.1, prestress=(0, 0, lw.sine(1, 2)))
m.add("touch", lw.Contact(rod, lw.GROUND, law=lw.laws.HuntCrossley(1e6), friction=lw.Coulomb(0.3)))
angle = lw.reads(pin, "angle")
hold = lw.PID(0.5 - angle, 40, 10, every=0.01, limits=(-5, 5))
m.add("motor", lw.JointTorque(pin, lw.saturate(hold, -4, 4)))
block = m.add("block", lw.StateSpace([[-5.0]], [[5.0]], [angle]))
road = lw.Road.function(lambda x, y: 0.05 * np.sin(x), x=(0, 20), y=(-2, 2))
tyre = lw.TyreData.brush(radius=0.3, stiffness=2e5, load=4e3, slip_stiffness=6e4, friction=0.9)
m.add("wheel", lw.Tyre(lw.Body(1, (1, 1, 1)), rod, tyre, road))
lw.static(m, spin="pin")
lw.campbell(lambda speed: m, np.linspace(0, 9, 3), spin=lambda speed: (0, 0, speed))
lw.flutter(lambda speed: m, [10, 20])
lw.buckling(m, loads=["lift"])
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
    'lw.Beam((0, 0, 0), (1, 0, 0), "steel")': "SectionAlong|Section",
    "lw.LineLoad(rod)": "Beam",
    'lw.Air(velocity="west")': "velocity|Sequence",
    'lw.LiftingSurface(wing, chord="long")': "chord|Callable",
    'lw.laws.LinearElastic("soft")': "float",
    "lw.Contact(rod, lw.GROUND, law=1e6)": "ConstitutiveLaw",
    'lw.PID("error", 1)': "Drive",
    'lw.saturate("x", 0, 1)': "Drive",
    "lw.Tyre(rod, rod, road=tyre)": "Road",
    'lw.TyreData.brush(radius="r", stiffness=1, load=1, slip_stiffness=1, friction=1)': "float",
    "lw.flutter(lambda speed: m, 10)": "Sequence",
    "lw.static(m, spin=3)": "spin|Sequence",
}


def checked(folder: Path, text: str) -> tuple[int, str]:
    """What mypy says to a script of a user's, with its cache of the package."""
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", path], cwd=PACKAGE.parent, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_script_is_understood_and_its_mistakes_are_found(tmp_path: Path) -> None:
    lines = [f"x{i} = {line}" for i, line in enumerate(WRONG)]
    begin = len(SCRIPT.splitlines()) + 1
    _, told = checked(tmp_path, SCRIPT + "\n".join(lines) + "\n")
    own = [line for line in told.splitlines() if "script.py:" in line]
    found: dict[int, str] = {}
    for line in own:
        number = int(line.partition("script.py:")[2].split(":")[0])
        found[number] = found.get(number, "") + line
    assert not [found[n] for n in found if n < begin]  # the script itself is fine
    for i, (line, part) in enumerate(WRONG.items()):
        assert begin + i in found, f"mypy does not object to {line}"
        assert any(p in found[begin + i] for p in part.split("|")), found[begin + i]


def test_the_package_says_that_it_has_types() -> None:
    assert (PACKAGE / "py.typed").exists()


def test_the_stub_is_up_to_date() -> None:
    path = PACKAGE.parent / "docs" / "site" / "public_names.py"
    spec = importlib.util.spec_from_file_location("public_names", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    assert stub == module.stub(), "run python -m docs.site.public_names"


UNBOUND = {"resume.options"}  # those of lw.transient


@pytest.mark.parametrize("name", [n for n in lw.__all__ if callable(getattr(lw, n))])
def test_no_public_signature_is_untyped(name: str) -> None:
    """Every parameter says what it takes, and functions say what they return."""
    public = getattr(lw, name)
    if isinstance(public, type) and issubclass(public, BaseException | tuple):
        return
    signature = inspect.signature(public)
    types = {k: str(p.annotation) for k, p in signature.parameters.items()}
    assert "<class 'inspect._empty'>" not in types.values()
    untold = {f"{name}.{k}" for k, kind in types.items() if kind in ("Any", "Any | None")}
    assert untold - UNBOUND - {f"{name}.client"} == set()  # a client is Dask's
    if not isinstance(public, type):
        assert signature.return_annotation not in ("Any", inspect.Signature.empty)


@pytest.mark.parametrize("name", lw.laws.__all__)
def test_every_parameter_of_a_law_says_what_it_takes(name: str) -> None:
    law = getattr(lw.laws, name)
    types = {k: p.annotation for k, p in inspect.signature(law).parameters.items()}
    assert "Any" not in types.values()


ROOMS = {name: getattr(lw, name) for name in ("electric", "hydraulics", "thermal")}


@pytest.mark.parametrize("room", ROOMS)
def test_every_parameter_of_a_circuit_says_what_it_takes(room: str) -> None:
    """Nothing that is joined to a circuit takes plain Any."""
    untold = [
        f"{name}.{word}"
        for name in ROOMS[room].__all__
        for word, p in inspect.signature(getattr(ROOMS[room], name)).parameters.items()
        if p.annotation in ("Any", inspect.Parameter.empty)
    ]
    assert not untold


@pytest.mark.parametrize("name", ["DCMotor", "JointForce", "JointTorque"])
def test_what_acts_on_joints_says_what_it_takes(name: str) -> None:
    types = {k: p.annotation for k, p in inspect.signature(getattr(lw, name)).parameters.items()}
    assert types["joint"] == "Joint" and "Any" not in types.values()
