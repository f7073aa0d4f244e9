"""Tests run with one BLAS thread: the matrices are small and the cores are shared."""

import os
import signal
import threading

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import matplotlib  # noqa: E402

matplotlib.use("Agg")


def pytest_sessionstart() -> None:
    """Tests press Ctrl-C; a shell that starts its jobs in the background lets them ignore it."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
