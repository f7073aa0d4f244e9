"""Numbers with their slopes by the four inputs of a tyre: slip ratio, slip angle, camber, load.

A dual is the tuple (x, ∂x/∂κ, ∂x/∂α, ∂x/∂γ, ∂x/∂F_z): formulas written with them have exact
tangents (forward differentiation).
"""

from __future__ import annotations

import math

from linkwork.kernels.compiled import inlined


@inlined
def plus(x, y):
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4])


@inlined
def minus(x, y):
    return (x[0] - y[0], x[1] - y[1], x[2] - y[2], x[3] - y[3], x[4] - y[4])


@inlined
def times(x, y):
    a, b = x[0], y[0]
    return (
        a * b, a * y[1] + b * x[1], a * y[2] + b * x[2], a * y[3] + b * x[3], a * y[4] + b * x[4]
    )  # fmt: skip


@inlined
def by(c, x):
    """c x with a plain number c."""
    return (c * x[0], c * x[1], c * x[2], c * x[3], c * x[4])


@inlined
def line(c0, c1, x):
    """c₀ + c₁ x."""
    return (c0 + c1 * x[0], c1 * x[1], c1 * x[2], c1 * x[3], c1 * x[4])


@inlined
def curve(c0, c1, c2, x):
    """c₀ + c₁ x + c₂ x²."""
    slope = c1 + 2.0 * c2 * x[0]
    value = c0 + (c1 + c2 * x[0]) * x[0]
    return (value, slope * x[1], slope * x[2], slope * x[3], slope * x[4])


@inlined
def of(value, slope, x):
    """f(x) with f and f' at x."""
    return (value, slope * x[1], slope * x[2], slope * x[3], slope * x[4])


@inlined
def over(x, y):
    q = x[0] / y[0]
    return (
        q, (x[1] - q * y[1]) / y[0], (x[2] - q * y[2]) / y[0], (x[3] - q * y[3]) / y[0],
        (x[4] - q * y[4]) / y[0],
    )  # fmt: skip


@inlined
def arctan(x):
    return of(math.atan(x[0]), 1.0 / (1.0 + x[0] * x[0]), x)


@inlined
def sine(x):
    return of(math.sin(x[0]), math.cos(x[0]), x)


@inlined
def cosine(x):
    return of(math.cos(x[0]), -math.sin(x[0]), x)


@inlined
def exponential(x):
    e = math.exp(x[0])
    return of(e, e, x)


@inlined
def size(x):
    """|x|."""
    return x if x[0] >= 0.0 else by(-1.0, x)


@inlined
def at_most(x, limit):
    return x if x[0] < limit else (limit, 0.0, 0.0, 0.0, 0.0)
