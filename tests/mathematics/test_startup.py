"""What a process does before its first step, where the code has been compiled before."""

import json
import subprocess
import sys

import numba
import pytest

FIRST_STEP = """
import json, sys
import linkwork as lw
from numba.core import event

compiled = []

class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
m = lw.Model(gravity=(0, 0, -9.81))
link = m.add("link", lw.Body(1, (0.01, 0.1, 0.1), position=(0.5, 0, 0)))
m.add("pin", lw.Revolute(lw.GROUND, link, at=(0, 0, 0), axis=(0, 1, 0)))
lw.transient(m, t=1e-3, h=1e-3, progress=False)
found = {"modules": sorted(sys.modules), "compiled": compiled}

import ctypes
process, unknown, libraries = ctypes.CDLL(None), set(), {}
known = ("llvm.", "numba_", "NRT_", "Py", "_Py")
for name, module in list(sys.modules.items()):
    for function in vars(module).values() if name.startswith("linkwork") else ():
        function = vars(function).get("compiled", function) if hasattr(function, "__dict__") else 0
        for made in getattr(function, "overloads", {}).values():
            libraries[id(made)] = function.__name__
            for called in made.library._get_module_for_linking().functions:
                if called.is_declaration and not called.name.startswith(known):
                    if not hasattr(process, called.name):
                        unknown.add(called.name)
print(json.dumps(found | {"unknown": sorted(unknown), "libraries": sorted(libraries.values())}))
"""
NOT_NEEDED = (
    "scipy.sparse", "scipy.linalg", "networkx", "xarray", "matplotlib", "netCDF4",
    "numba.np.arraymath", "numba.typed.typeddict",  # what numba needs to compile
    "linkwork.integrators.first_order.methods", "linkwork.integrators.explicit.ode",
    "linkwork.nullspace",
    "linkwork.recursive", "linkwork.io", "linkwork.view", "linkwork.elements.friction.friction",
    "linkwork.elements.laws", "linkwork.elements.deformable.bushing", "linkwork.analysis.statics",
)  # fmt: skip


@pytest.fixture(scope="module")
def first_step():
    """A process that finds its code on disk: the second of two."""
    if numba.config.DISABLE_JIT:
        pytest.skip("needs numba's compiler")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", FIRST_STEP], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_nothing_is_compiled_again(first_step):
    assert first_step["compiled"] == []


def test_nothing_is_imported_that_a_pendulum_does_not_need(first_step):
    assert [name for name in NOT_NEEDED if name in first_step["modules"]] == []


def test_few_libraries_are_loaded(first_step):
    """Every one costs some milliseconds; the elimination is one, that of hinges alone."""
    assert 5 <= len(first_step["libraries"]) <= 10, first_step["libraries"]
    assert first_step["libraries"].count("eliminate_hinges") == 1
    assert "eliminate" not in first_step["libraries"]


def test_lean_code_calls_only_what_is_there_without_numbas_compiler(first_step):
    assert first_step["unknown"] == []
