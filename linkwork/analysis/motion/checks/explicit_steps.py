"""The limit of stability of explicit steps, looked for where a run has gone wrong.

Runge and Kutta's classic method multiplies a motion e^(λt) by

    R(z) = 1 + z + z²/2 + z³/6 + z⁴/24,   z = λ h

in every step.  Where |R| > 1 though the motion itself does not grow, a stiff spring or a strong
damper has made the step unstable: the motion is lost within some steps, whatever its accuracy.  λ
are the eigenvalues of the equations linearised at the start of the run,

    M η̈ + D η̇ + K η + Cᵀ δγ = 0,  C η = 0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.results.result import Result

LARGEST = 600  # unknowns of motion; more are not looked at
INDEPENDENT = 1e-9  # of the largest singular value of C: rows that are
GROWS = 1e-6  # real part of λ over |λ|: a motion that grows by itself
UNSTABLE = 1 + 1e-6


def is_explicit(method: Any) -> bool:
    """Whether a method takes equal steps by Runge and Kutta's classic formula."""
    name = type(method).__name__
    return name == "RK4" or (name == "Recursive" and method.integrator == "rk4")


def factor(z: np.ndarray) -> np.ndarray:
    """|R(z)|."""
    return np.abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))))


def stable_step(value: complex, h: float) -> float:
    """The largest step below h, to two digits, with which a motion e^(λt) does not grow."""
    below, above = 0.0, h
    while above - below > 1e-3 * above:
        middle = (below + above) / 2
        if factor(np.array([value * middle]))[0] > UNSTABLE:
            above = middle
        else:
            below = middle
    unit = 10.0 ** (np.floor(np.log10(below)) - 1)
    return float(np.floor(below / unit) * unit)


def beyond_stability(result: Result, method: object, h: float) -> str:
    """One sentence on the motion that makes explicit steps unstable; empty where there is none,
    or where it is not known."""
    system = result.system
    if not is_explicit(method) or not 0 < system.layout.motions <= LARGEST:
        return ""
    try:
        values, shapes = fast_motions(result)
    except (LinkworkError, np.linalg.LinAlgError, ValueError):
        return ""
    z = values * h
    growth = np.where(values.real > GROWS * np.abs(values), 0.0, factor(z))
    if not growth.size or not growth.max() > UNSTABLE:
        return ""
    worst = int(np.argmax(growth))
    where = system.layout.describe(int(np.argmax(np.abs(shapes[:, worst]))))
    return (
        f"the step of {h:g} s is too large for {method!r}; take h = "
        f"{stable_step(complex(values[worst]), h):g} s or less, or lw.GeneralizedAlpha(): explicit "
        f"steps are unstable here, because a motion of {where} is as fast as |λ| = "
        f"{abs(values[worst]):.3g} 1/s"
    )


def fast_motions(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues at the start of a run, and shapes as columns, lengths over that of the model."""
    from linkwork.analysis.linear.equations.world_axes import world_matrices  # slow to import
    from linkwork.analysis.scales import column_scale

    system = result.system
    M, D, K, C = (A.toarray() for A in world_matrices(system.data(), result.state(0)))
    scale = column_scale(system)
    N = np.eye(len(scale))
    if len(C):
        _, s, V = np.linalg.svd(C * scale)
        N = V[int((s > INDEPENDENT * s[0]).sum()) :].T
    N = scale[:, None] * N
    M, D, K = (N.T @ A @ N for A in (M, D, K))
    n = len(M)
    stiffness, damping = np.linalg.solve(M, K), np.linalg.solve(M, D)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-stiffness, -damping]])
    values, z = np.linalg.eig(A)
    return values, (N / scale[:, None]) @ z[:n]
