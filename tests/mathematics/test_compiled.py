"""Compilation: without numba's compiler, without a cache folder, and what is said about it."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numba
import numpy as np
import pytest

import linkwork as lw
from linkwork.extend import add, cross
from linkwork.kernels import compiled as module

PENDULUM = """
import json, warnings
import linkwork as lw
m = lw.Model("pendulum", gravity=(0, 0, -9.81))
rod = m.add("rod", lw.Body(mass=2, inertia=(0.1, 0.2, 0.2), position=(1, 0, 0)))
m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
m.add("spring", lw.Spring(lw.GROUND, rod, (2, 0, 1), (1, 0, 0), stiffness=10, damping=0.1))
run = lw.transient(m, t=0.02, h=1e-3, progress=False)
print(json.dumps(run.motion[-1].tolist()))
"""


def result(**environment):
    done = subprocess.run(
        [sys.executable, "-c", PENDULUM], check=True, capture_output=True, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    return np.array(json.loads(done.stdout)), done.stderr


def test_without_the_compiler_the_numbers_are_the_same():
    compiled, _ = result()
    plain, _ = result(NUMBA_DISABLE_JIT="1")
    np.testing.assert_allclose(plain, compiled, rtol=0, atol=1e-13)


def test_a_first_run_says_once_that_it_compiles(capsys):
    module.announce.cache_clear()
    for _ in range(2):
        module.announce(print, "the steps of a method", 5)
    said = capsys.readouterr().err
    assert said == (
        "linkwork compiles the steps of a method, once for this version; this takes about 5 s\n"
    )


def test_import_is_lazy_and_complete():
    for name in lw.__all__:
        assert getattr(lw, name) is not None
    code = "import sys, linkwork; print(sorted(m for m in sys.modules if m in " \
           "('numba', 'scipy', 'xarray', 'matplotlib', 'numpy')))"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="no attribute 'Pendulum'"):
        lw.Pendulum  # noqa: B018


def test_a_system_finds_its_kernels_in_another_process(tmp_path):
    """Addresses of compiled code hold in one process alone."""
    m = lw.Model()
    bar = m.add("bar", lw.Body(2, (1, 2, 2.5), position=(0.5, 0, 0)))
    m.add("hinge", lw.Revolute(lw.GROUND, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    data = lw.compile_model(m).data()
    state = replace(data.system.described_state(), gamma=np.arange(1.0, 6.0))
    (tmp_path / "system").write_bytes(pickle.dumps((data, state)))
    code = (
        "import pickle, sys; data, state = pickle.load(open(sys.argv[1], 'rb')); "
        "print(*data.evaluate(state).f.ravel().tolist())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "system")], capture_output=True, text=True
    )
    assert there.returncode == 0, there.stderr
    assert [float(x) for x in there.stdout.split()] == data.evaluate(state).f.ravel().tolist()


def test_a_version_of_numba_that_is_not_known_is_used_plainly(monkeypatch):
    monkeypatch.delenv("LINKWORK_PLAIN_NUMBA", raising=False)
    assert not module.plain_wanted()
    monkeypatch.setattr("numba.__version__", "0.99.1")
    with pytest.warns(RuntimeWarning, match="does not know the compiler of numba 0.99.1"):
        assert module.plain_wanted()
    monkeypatch.setenv("LINKWORK_PLAIN_NUMBA", "1")
    assert module.plain_wanted()


VECTORS = """
import numpy as np
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import PLAIN, compiled
from linkwork.kernels.registers.eights import load8, store8, sum8, zeros8

@compiled
def twice(x):
    a = borrow(x)
    store8(a, 0, load8(a, 0) * 2.0)
    return sum8(load8(a, 0))

x = zeros8(8)
x[:] = np.arange(8.0)
assert PLAIN and twice(x) == 56.0 and x[7] == 14.0
"""

SPRUNG = """
import linkwork as lw
m = lw.Model("pendulum", gravity=(0, 0, -9.81))
rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
m.add("spring", lw.Spring(lw.Frame(lw.GROUND, (1, 0, 1)), rod, stiffness=40, length=0.5))
for method in (lw.GeneralizedAlpha(), lw.Recursive()):
    run = lw.transient(m, t=1, h=1e-3, method=method, progress=False)
    print(run["rod"].position.values[-1].tolist())
"""


def plainly(code, plain="1"):
    """What a script prints in a process of its own."""
    env = {**os.environ, "LINKWORK_PLAIN_NUMBA": plain}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_vectors_of_eight_with_public_functions_of_numba_alone():
    plainly(VECTORS)


@pytest.mark.slow
def test_runs_with_public_functions_of_numba_alone_have_the_same_digits():
    assert plainly(SPRUNG) == plainly(SPRUNG, plain="0")


CALLED = """
import numpy as np
from linkwork.kernels.compiled import compiled, inlined
from linkwork.kernels.rotations import qexp, rotation_matrix
from linkwork.kernels.vectors import cross, mv

@inlined
def turned(x, v):
    return mv(rotation_matrix(qexp(x)), v)

@compiled
def entry(x, v):
    return turned(x, v)

assert cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) == (0.0, 0.0, 1.0)
x, v = (0.0, 0.0, np.pi / 2), (2.0, 0.0, 1.0)
for function in (turned, entry):
    assert np.allclose(function(x, v), (0.0, 2.0, 1.0), rtol=0, atol=1e-15)
assert np.allclose(turned(v=v, x=x), entry(x, v), rtol=0, atol=1e-15)
"""


@pytest.mark.parametrize("plain", ["0", "1"])
def test_parts_of_compiled_code_can_be_called_from_python(plain):
    """They have no entry for such calls, which ended the process; Python runs them as written."""
    plainly(CALLED, plain)


@pytest.mark.skipif(module.PLAIN or not module.JIT, reason="plain numba")
def test_functions_of_users_may_call_parts():
    @numba.njit
    def double_cross(a, b):
        return cross(add(a, b), b)

    a, b = (1.0, 2.0, 3.0), (-2.0, 0.5, 1.0)
    assert double_cross(a, b) == pytest.approx(cross.py_func(a, b))
