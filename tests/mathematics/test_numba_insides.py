"""Numba's insides are known to one file, which has a substitute; code is made for any processor."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork
from linkwork.kernels import compiled

PACKAGE = Path(linkwork.__file__).parent
PRIVATE = "kernels/compiling/lean_numba.py"
PUBLIC = {"numba", "numba.types", "numba.extending"}  # what numba documents for others


def imported(tree):
    """Module and name of every import from numba."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((node.module, alias.name) for alias in node.names)


def test_one_file_knows_the_insides_of_numba():
    users = set()
    for file in PACKAGE.rglob("*.py"):
        for module, name in imported(ast.parse(file.read_text())):
            inside = module.partition(".")[0] == "numba" and module not in PUBLIC
            if inside or (module in PUBLIC and name.startswith("_")):
                users.add(file.relative_to(PACKAGE).as_posix())
    assert users == {PRIVATE}


def test_the_substitute_has_all_that_others_use():
    """`compiled` names either of the two files, and takes these functions from it."""
    used = {
        node.attr
        for node in ast.walk(ast.parse((PACKAGE / "kernels/compiled.py").read_text()))
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "backend"
    }
    text = (PACKAGE / "kernels/compiling/plain_numba.py").read_text()
    defined = {getattr(n, "name", "") for n in ast.parse(text).body}
    defined |= {t.id for n in ast.parse(text).body if isinstance(n, ast.Assign) for t in n.targets}
    assert len(used) >= 7 and used <= defined


# arrays, numbers and references as attributes, operators of vectors, borrowed arrays, kernels
FALLBACK = """
import numpy as np, numba
from typing import NamedTuple
from linkwork.kernels import compiled as module
from linkwork.kernels.compiled import compiled
from linkwork.kernels.kernel import Kernel, Loads, Motion, call_kernel, kernel_table
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats, refer, stored
from linkwork.kernels.registers.eights import item8, lane8, load8, put8, spread8, store8

@compiled
def vectors(a, i, out):
    x = borrow(a)
    v = load8(x, 0)
    w = 2.0 * v + v * 3 - (-v) / 2 + lane8(v, i) + item8(v, i)
    store8(borrow(out), 0, put8(w, i, spread8(0.0)))
    x[i] = 7

def kernel(ints, reals, motion, loads):
    for k in range(ints.shape[0]):
        loads.f[ints[k, 0], 1] += reals[k, 0] * motion.time + motion.nodes[0, 0]

@compiled
def ask(table, ints, reals, motion, loads):
    call_kernel(table, 0, ints, reals, refer(motion), refer(loads))

@stored
class Sums(NamedTuple):
    factor: float
    sums: Floats

@c_function(Sums, float, returns=None)
def add(sums, x):
    sums.sums[0] += sums.factor * x

a, out = np.arange(8.0), np.zeros(8)
vectors(a, 3, out)
expected = 5.5 * np.arange(8.0) + 6.0
expected[3] = 0.0
assert np.array_equal(out, expected) and a[3] == 7.0, out

two, one = np.ones((2, 8)), np.zeros(3)
motion = Motion(two, two, two, two, one, 0.5, one, two)
loads = Loads(np.zeros((2, 6)), one, one, one, one, one, one, np.zeros((0, 0)))
ints, reals = np.array([[1], [1]]), np.array([[4.0], [6.0]])
ask(kernel_table([Kernel(kernel)]), ints, reals, motion, loads)
assert loads.f.tolist() == [6 * [0.0], [0.0, 7.0, 0.0, 0.0, 0.0, 0.0]], loads.f
sums = Sums(3.0, np.ones(2))
add(sums, 2.0)
add(sums, 1.0)
assert sums.sums.tolist() == [10.0, 1.0]
print(module.backend.__name__)
"""


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("plain, backend", [("1", "plain_numba"), ("0", "lean_numba")])
def test_public_functions_of_numba_do_the_same(plain, backend):
    printed = run(FALLBACK, LINKWORK_PLAIN_NUMBA=plain)
    assert printed == f"linkwork.kernels.compiling.{backend}\n"


STEP = """
import hashlib
import numpy as np
import linkwork as lw
m = lw.Model("double pendulum", gravity=(0, 0, -9.81))
arm = m.add("arm", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
rod = m.add("rod", lw.Body.link((1, 0, 0), (2, 0, 0), radius=0.01, density=7800))
m.add("shoulder", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0)))
m.add("elbow", lw.Universal(arm, rod, at=(1, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 0, 1)))
run = lw.transient(m, t=5e-3, h=1e-3, progress=False)
print(*run.motion[-1].ravel().tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(not compiled.JIT, reason="needs numba's compiler")
def test_steps_are_compiled_for_an_older_processor(tmp_path):
    """Without registers of eight numbers, whatever this processor has."""
    older = run(
        STEP, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="+sse2", NUMBA_CACHE_DIR=str(tmp_path)
    )
    here = run(STEP)
    np.testing.assert_allclose(
        np.array(older.split(), float), np.array(here.split(), float), rtol=0, atol=1e-12
    )


CODE = """
import numpy as np
from linkwork.kernels.compiled import lean
from linkwork.kernels.registers.eights import item8, lane8, load8, store8

@lean
def spread(a, i):
    v = load8(a, 0)
    store8(a, 0, lane8(v, i) * item8(v, i + 1))

spread(np.arange(8.0), 2)
[code] = spread.inspect_llvm().values()
print(code)
"""


@pytest.mark.skipif(not compiled.JIT, reason="needs numba's compiler")
@pytest.mark.parametrize("triple, processor", [
    ("x86_64-unknown-linux-gnu", "x86-64-v3"), ("aarch64-unknown-linux-gnu", "generic"),
])  # fmt: skip
def test_code_is_translated_for_other_processors(tmp_path, triple, processor):
    """In a process of its own, which ends where LLVM has no instruction for what it is to do."""
    code = tmp_path / "code.ll"
    code.write_text(run(CODE, NUMBA_CACHE_DIR=str(tmp_path)))
    translate = f"""
import re
import llvmlite.binding as llvm
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
target = llvm.Target.from_triple({triple!r})
machine = target.create_target_machine(cpu={processor!r}, reloc="pic")
text = re.sub("^target (triple|datalayout).*$", "", open({str(code)!r}).read(), flags=re.M)
module = llvm.parse_assembly(text)
module.triple = {triple!r}
print(len(machine.emit_object(module)))
"""
    assert int(run(translate)) > 1000
