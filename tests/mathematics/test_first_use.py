"""The first use ever, when everything has to be compiled: how long it takes, and what it says."""

import os
import re
import subprocess
import sys

import numba
import pytest

FIRST_USE = """
import sys, time, warnings
import linkwork as lw

warnings.simplefilter("error")  # compiling has nothing to warn of
m = lw.Model("pendulum", gravity=(0, 0, -9.81))
rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))

def told(what):
    global last
    now = time.process_time()
    print(f"{what} took {now - last:.2f} s", file=sys.stderr, flush=True)
    last = now

last = time.process_time()
lw.transient(m, t=1e-3, h=1e-3, progress=False)
told("transient")
rest = lw.static(m)
lw.eigen(m, at=rest)
told("statics and modes")
lw.transient(m, t=1e-3, h=1e-3, method=lw.Recursive(), progress=False)
told("joint coordinates")
"""
OTHER_METHODS = FIRST_USE[: FIRST_USE.index("lw.transient")] + """
for method in (lw.RK4(), lw.EnergyMomentum(), lw.MS2()):
    lw.transient(m, t=1e-3, h=1e-3, method=method, progress=False)
    told(str(method))
"""
ROOM = 2.0  # CPU seconds of a loaded machine over those of an idle one, for which 30 s are the aim


@pytest.mark.slow
def test_first_use_takes_half_a_minute_and_says_so(tmp_path):
    assert time_and_promises(FIRST_USE, tmp_path) < ROOM * 30.0


@pytest.mark.slow
def test_other_methods_say_how_long_their_first_use_takes(tmp_path):
    assert time_and_promises(OTHER_METHODS, tmp_path) < ROOM * 60.0


def time_and_promises(script, cache):
    """CPU seconds with an empty cache, where what takes long was told before, as it came."""
    if numba.config.DISABLE_JIT or os.environ.get("LINKWORK_PLAIN_NUMBA", "") not in ("", "0"):
        pytest.skip("needs numba's compiler and its cache")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    promised, total = 0.0, 0.0
    for line in done.stderr.splitlines():
        if found := re.search(r"this takes about (\d+) s", line):
            promised += float(found[1])
        elif found := re.search(r" took ([\d.]+) s", line):
            took = float(found[1])
            assert promised > 0.0 or took < 3.0 * ROOM, line
            assert took < ROOM * max(promised, 3.0), (line, promised)
            assert promised < ROOM * max(took, 3.0), (line, promised)
            promised, total = 0.0, total + took
    return total


