"""Tests run with one thread of linear algebra, with and without xdist."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

MAPS = Path("/proc/self/maps")  # the libraries of this process, on Linux
COUNTS = tuple(
    f"{maker}openblas_get_num_threads{ending}" for maker in ("scipy_", "") for ending in ("64_", "")
)


@pytest.mark.skipif(not MAPS.exists(), reason="libraries of a process are listed on Linux alone")
def test_linear_algebra_has_one_thread():
    assert np.linalg.inv(np.eye(2)) == pytest.approx(scipy.linalg.inv(np.eye(2)))
    names = {line.split()[-1] for line in MAPS.read_text().splitlines() if "openblas" in line}
    threads = {
        Path(name).name: getattr(library, count)()
        for name in names for library in [ctypes.CDLL(name)]
        for count in COUNTS if hasattr(library, count)
    }  # fmt: skip
    if not threads:
        pytest.skip("numpy and scipy have another library here")
    assert set(threads.values()) == {1}, threads
