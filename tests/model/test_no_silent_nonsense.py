"""What must not be passed over: changed arrays, torn joints, angles beyond count."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwork as lw


def pendulum() -> tuple[lw.Model, lw.Body]:
    m = lw.Model(gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    return m, rod


@pytest.mark.parametrize(("change", "sentence"), [
    (lambda rod: rod.inertia.__setitem__((1, 1), -0.1), "negative principal moment"),
    (lambda rod: rod.inertia.__setitem__((0, 1), 0.05), "symmetric"),
    (lambda rod: rod.inertia.__setitem__((2, 2), 1.0), "triangle inequality"),
    (lambda rod: rod.inertia.__setitem__((0, 0), np.nan), "not finite"),
    (lambda rod: rod.orientation.__setitem__(1, 1.0), "unit quaternion"),
])  # fmt: skip
def test_arrays_that_were_changed_in_place_are_checked(change, sentence) -> None:
    m, rod = pendulum()
    change(rod)
    with pytest.raises(lw.ModelError, match=sentence) as told:
        lw.transient(m, t=0.1, h=0.01, progress=False)
    assert "'rod'" in str(told.value)


def test_inertias_in_a_plane_may_be_changed_in_place() -> None:
    m, rod = pendulum()
    rod.any_inertia = True
    rod.inertia[:] = np.diag([0.0, 0.1, 0.0])
    assert lw.compile_model(m).bodies == 1


SCRIPT = """
import os, signal
import linkwork as lw
from linkwork.analysis.{module} import {target}

def pressed(*arguments, **keywords):
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass

import linkwork.analysis.{module} as module
module.{target} = pressed
m = lw.Model(gravity=(0, 0, -9.81))
rod = m.add("rod", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
lw.{analysis}(m)
"""


@pytest.mark.parametrize(("analysis", "module", "target"), [
    ("static", "statics.static", "start_of"),
    ("assemble", "assembly.assemble", "compile_model"),
])  # fmt: skip
def test_ctrl_c_in_an_analysis_says_one_sentence(analysis, module, target) -> None:
    """The signal comes where code would be compiled."""
    text = SCRIPT.format(analysis=analysis, module=module, target=target)
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60,
        cwd=Path(lw.__file__).parent.parent,
    )  # fmt: skip
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert f"lw.{analysis} was interrupted" in done.stderr


def test_a_motor_that_tears_joints_open_is_told() -> None:
    """Without correction the accelerations alone keep loops closed, and here none can."""
    from docs.hard.mechanisms import impossible_motor

    with pytest.raises((lw.ConvergenceError, lw.LinkworkWarning)) as told:
        lw.transient(
            impossible_motor(), t=0.5, h=1e-3, method=lw.Recursive(correction=None), progress=False
        )
    assert "joint '" in str(told.value) or "motor" in str(told.value)


def rotors(turn: float, h: float) -> lw.Model:
    """Two rotors on one axis that turn against each other, by `turn` rad each in a step of h."""
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1)))
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    m.add("bearing", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1), rate=turn / h))
    shaft = m.add("shaft", lw.Revolute(a, b, at=(0, 0, 0), axis=(0, 0, 1), rate=-2 * turn / h))
    m.add("spring", lw.TorsionSpring(shaft, stiffness=1e-3))
    return m


def test_an_angle_that_cannot_be_counted_is_refused() -> None:
    h = 1e-3
    with pytest.raises(lw.ModelError, match=r"'spring' turn by 3\.4 rad against each other"):
        lw.transient(rotors(1.7, h), t=0.1, h=h, progress=False)


def test_an_angle_that_can_be_counted_is_right() -> None:
    """The spring is too weak to matter within 100 steps: the angle is the rate times t."""
    h, turn = 1e-3, 0.9
    run = lw.transient(rotors(turn, h), t=0.1, h=h, progress=False)
    angle = run["spring"].angle.values
    assert angle[-1] == pytest.approx(-2 * turn * 100, rel=1e-3)


def growth(z: float) -> float:
    """|R(iz)| of the classic Runge-Kutta method: 1 + iz − z²/2 − iz³/6 + z⁴/24."""
    return abs(1 + 1j * z - z**2 / 2 - 1j * z**3 / 6 + z**4 / 24)


def test_energy_that_grows_by_a_quarter_is_told() -> None:
    """A mass on a spring, in steps just beyond the limit of stability: E_n = |R|^(2n) E_0."""
    steps, grown = 64, 1.25
    z = brentq(lambda x: growth(x) - grown ** (1 / (2 * steps)), 2.8285, 2.9)
    m = lw.Model()
    mass = m.add("mass", lw.Body(1.0, (1, 1, 1), position=(1, 0, 0)))
    m.add("spring", lw.Spring(lw.GROUND, mass, at_a=(0, 0, 0), stiffness=1.0, length=0))
    with pytest.warns(lw.LinkworkWarning, match="out of nothing"):
        lw.transient(m, t=steps * z, h=z, method=lw.RK4(), progress=False)


def test_fast_turning_that_is_damped_is_told() -> None:
    """Nothing takes energy from a rod that turns about a fixed axis."""
    m = lw.Model("oblique rod", gravity=(0, 0, 0))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    pin = lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0.3, 0.2, 1), rate=1000.0)
    m.add("pin", pin)
    with pytest.warns(lw.LinkworkWarning, match="damps motion that it does not resolve"):
        run = lw.transient(m, t=2, h=1e-3, progress=False)
    total = run.energy["total"].values
    assert 0.01 < 1 - total[-1] / total[0] < 0.1


def test_fast_turning_that_multistep_methods_damp_is_told() -> None:
    """A rod on a pin keeps its energy; MS2 takes some per cent of it at 0.3 rad in a step."""
    m = lw.Model("rod", gravity=(0, 0, 0))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 0, 1), rate=300.0))
    with pytest.warns(lw.LinkworkWarning, match="damps motion that it does not resolve"):
        run = lw.transient(m, t=0.6, h=1e-3, method=lw.MS2(), progress=False)
    total = run.energy["total"].values
    assert 0.01 < 1 - total[-1] / total[0] < 0.1
