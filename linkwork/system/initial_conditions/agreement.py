"""x = G(x): friction and the reactions that load it, found by turns until they agree.

Plain turns x ← G(x) gain a factor |G'| each, and none where friction changes its load by more than
itself.  Anderson's mixing takes x from the last turns so that a linear G would leave nothing:

    f_k = G(x_k) − x_k,   min_c |f_k − ΔF c|,   x_{k+1} = G(x_k) − (ΔX + ΔF) c

with ΔX, ΔF the last changes of x and f; a few joints that rub are a few directions, so a few turns
are enough.  (D. G. Anderson: Iterative procedures for nonlinear integral equations, J. ACM 12,
1965; H. F. Walker, P. Ni, SIAM J. Numerical Analysis 49, 2011.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

TURNS = 80
KEPT = 8  # changes that are looked back on
AGREE = 1e-13


def agreement(
    G: Callable[[np.ndarray], np.ndarray | None], x: np.ndarray, tolerance: float = AGREE
) -> np.ndarray | None:
    """x with x = G(x) from a first guess; None where none is found, or where G gives None."""
    xs: list[np.ndarray] = []
    fs: list[np.ndarray] = []
    for _ in range(TURNS):
        g = G(x)
        if g is None or not np.all(np.isfinite(g)):
            return None
        f = g - x
        if np.abs(f).max(initial=0.0) <= tolerance * np.abs(g).max(initial=0.0):
            return g
        xs, fs = [*xs[-KEPT:], x], [*fs[-KEPT:], f]
        x = g
        if len(xs) > 1:
            dX, dF = np.diff(xs, axis=0).T, np.diff(fs, axis=0).T
            x = g - (dX + dF) @ np.linalg.lstsq(dF, f, rcond=1e-10)[0]
    return None
