"""Programs in a process of their own, where nothing is compiled."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parents[1]


def printed_numbers(code):
    """What a program prints with numba's compiler switched off; it may import test files."""
    path = os.pathsep.join(map(str, [*TESTS.glob("*/"), TESTS.parent]))
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    run = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    return np.array(run.stdout.split(), float)
