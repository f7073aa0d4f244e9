"""Functions that Python and compiled code both call: the same digits whoever compiled them.

Code from disk and code made in this process would be optimised with their callers in different
ways.  `CompiledHere` therefore gives callers a part of their own (kernels/compiling/lean_numba.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from inside import compiled

from linkwork.extend import inlined
from linkwork.kernels.compiled import PLAIN, fused, lean

JOBS = """
import hashlib, json, sys, warnings
import numpy as np
import linkwork as lw

warnings.simplefilter("ignore")
methods = {
    "default": lw.GeneralizedAlpha(), "stabilized": lw.GeneralizedAlpha(stabilized=True),
    "BDF2": lw.BDF2(), "MS2": lw.MS2(), "EnergyMomentum": lw.EnergyMomentum(),
    "Recursive": lw.Recursive(), "RK4": lw.RK4(),
}

def chain():
    m = lw.Model("chain", gravity=(0, -8, -6))
    last = lw.GROUND
    for k in range(4):
        axis = (0, 0, 1) if k % 2 == 0 else (0, 1, 0)
        b = m.add(f"link {k}", lw.Body(0.1, (1e-5, 1e-4, 1e-4), position=(0.1 * k + 0.05, 0, 0)))
        m.add(f"hinge {k}", lw.Revolute(last, b, at=(0.1 * k, 0, 0), axis=axis))
        last = b
    return m

def free_bodies():
    m = lw.Model("free", gravity=(0, 0, -9.81))
    for k in range(2):
        m.add(f"body {k}", lw.Body(1.0, (0.01, 0.02, 0.03), position=(k, 0, 0),
                                   angular_velocity=(3.1, 1.7, 5.3 + k)))
    return m

def digits(name):
    if name == "free Recursive":
        return lw.transient(free_bodies(), 0.2, 1e-3, lw.Recursive(), progress=False).motion
    if name == "static":
        return lw.static(chain(), progress=False).state.motion
    if name == "eigen":
        at = lw.static(chain(), progress=False).state
        return lw.eigen(chain(), at=at).frequency
    return lw.transient(chain(), 0.2, 1e-3, methods[name], progress=False).motion

print(json.dumps({name: hashlib.sha256(np.ascontiguousarray(digits(name)).tobytes()).hexdigest()
                  for name in sys.argv[1:]}))
"""
NAMES = ("static", "eigen", "default", "stabilized", "BDF2", "MS2", "EnergyMomentum", "Recursive",
         "RK4", "free Recursive")  # fmt: skip


@lean
def scaled(a, factor):
    for i in range(a.shape[0]):
        a[i] *= factor


@lean
def twice_scaled(a, factor):
    scaled(a, factor)
    scaled(a, factor)


@compiled
def made(n):
    return np.ones(n)


@compiled
def twice_made(n):
    return made(n) + made(n)


@inlined
def difference(a, b, c, d):
    """Of two products: exactly zero for equal ones, unless one is fused with the difference."""
    return a * b - c * d


@fused
def called_fused(a, b, c, d):
    return difference(a, b, c, d)


@lean
def called_plainly(a, b, c, d):
    return difference(a, b, c, d)


def test_parts_do_not_take_over_how_their_first_caller_is_compiled():
    """Numba hands fastmath on to what it compiles on the way, if that does not say otherwise."""
    numbers = 1.0 / 3.0, 0.1, 1.0 / 3.0, 0.1
    assert called_fused(*numbers) == 0.0
    assert called_plainly(*numbers) == 0.0


@pytest.mark.skipif(PLAIN, reason="of the compiler that linkwork changes")
def test_entries_are_parts_of_compiled_callers():
    a = np.array([1.0, 2.0])
    twice_scaled(a, 3.0)
    np.testing.assert_array_equal(a, [9.0, 18.0])
    assert scaled.overloads == {}  # what Python calls was not needed
    scaled(a, 0.5)
    np.testing.assert_array_equal(a, [4.5, 9.0])
    assert len(scaled.overloads) == 1
    np.testing.assert_array_equal(twice_made(2), [2.0, 2.0])


POWERS = """
import sys
import numpy as np
from linkwork.kernels.compiled import fused, inlined, lean

def squares(a, b):
    return a ** 2 - b ** 2

plain, whole = lean(squares), fused(squares)
for name in sys.argv[1:]:
    print(name, globals()[name](0.1, float(np.float64(0.1))) == 0.0)
"""


@pytest.mark.skipif(PLAIN, reason="of the compiler that linkwork changes")
@pytest.mark.parametrize("order", [("plain", "whole"), ("whole", "plain")])
def test_powers_are_fused_with_sums_in_fused_functions_alone(order, tmp_path):
    """Numba compiles powers once for all; 0.1² − 0.1² is the rounding of 0.1² where it is fused."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", POWERS, *order]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert dict(line.split() for line in done.stdout.splitlines()) == {
        "plain": "True", "whole": "False",
    }  # fmt: skip


def run_jobs(folder, *names: str) -> dict[str, str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", JOBS, *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_digits_do_not_depend_on_which_process_compiled_what(tmp_path):
    """All at once on an empty cache and again from it; one process for each on another cache."""
    first = run_jobs(tmp_path / "one", *NAMES)
    assert run_jobs(tmp_path / "one", *NAMES) == first
    apart = {}
    for name in reversed(NAMES):
        apart.update(run_jobs(tmp_path / "many", name))
    assert apart == first
