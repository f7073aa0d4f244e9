"""Tests run with one BLAS thread: the matrices are small and the cores are shared."""

import os

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import matplotlib  # noqa: E402

matplotlib.use("Agg")
