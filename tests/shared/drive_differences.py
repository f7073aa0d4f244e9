"""Central differences that the derivatives of drives are compared with."""

from __future__ import annotations


def central(f, t, h):
    """Eighth order central difference; truncation (w h)^8/630, rounding 1e-16/h."""
    w = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w[k - 1] * (f(t + k * h) - f(t - k * h)) for k in (1, 2, 3, 4)) / h
