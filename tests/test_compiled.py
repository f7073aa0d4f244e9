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
from linkwork.math import compiled as module

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


def test_without_a_cache_folder_it_compiles_with_a_warning(monkeypatch):
    njit = numba.njit

    def nowhere_to_cache(*arguments, cache=False, **options):
        if not cache:
            return njit(*arguments, **options)

        def refuse(function):  # what numba does where no folder can be written
            raise RuntimeError(f"cannot cache function '{function.__name__}': no locator available")

        return refuse

    monkeypatch.setattr(numba, "njit", nowhere_to_cache)
    module._warn_uncached.cache_clear()

    def double(x):
        return 2 * x

    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        assert module.compiled(double)(21) == 42


def test_a_first_run_says_once_that_it_compiles(capsys, monkeypatch):
    monkeypatch.setattr(module, "is_cached", lambda dispatcher: False)
    module.announce.cache_clear()
    for _ in range(2):
        module.announce(print)
    assert capsys.readouterr().err.count("compiles") == 1


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
    system = lw.compile_model(m)
    state = replace(system.described_state(), gamma=np.arange(1.0, 6.0))
    (tmp_path / "system").write_bytes(pickle.dumps((system, state)))
    code = (
        "import pickle, sys; system, state = pickle.load(open(sys.argv[1], 'rb')); "
        "print(*system.evaluate(state).f.ravel().tolist())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "system")], capture_output=True, text=True
    )
    assert there.returncode == 0, there.stderr
    assert [float(x) for x in there.stdout.split()] == system.evaluate(state).f.ravel().tolist()
