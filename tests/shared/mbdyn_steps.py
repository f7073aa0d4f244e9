"""Steps as MBDyn's theory manual has them (chapter 5 and the dynamic structural node), densely in
numpy: the formula `ms` for positions, Gibbs-Rodrigues parameters, momenta and angular momenta in
world axes, constraints on positions alone.  All matrices by differences: slow, and independent of
the package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Places = list[np.ndarray]


@dataclass
class Bodies:
    """Masses, inertias in body axes, motion at the start in world axes, loads and constraints."""

    masses: list[float]
    inertias: Places
    r: Places
    R: Places
    v: Places
    w: Places
    loads: Callable  # (r, R) → forces, torques
    constraints: Callable  # (r, R) → rows


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(g: np.ndarray) -> np.ndarray:
    """Of Gibbs-Rodrigues parameters g = 2 tan(φ/2) n."""
    S = skew(g)
    return np.eye(3) + 4 / (4 + g @ g) * (S + S @ S / 2)


def parameters(R: np.ndarray) -> np.ndarray:
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return 2 * axis / (1 + np.trace(R))


def angular_velocity(g: np.ndarray, rate: np.ndarray) -> np.ndarray:
    return 4 / (4 + g @ g) * (rate + np.cross(g, rate) / 2)


def parameter_rate(g: np.ndarray, w: np.ndarray) -> np.ndarray:
    return w + g * (g @ w) / 4 - np.cross(g, w) / 2


def jacobian(bodies: Bodies, r: Places, R: Places, size: float = 1e-6) -> np.ndarray:
    """Derivatives of the constraints by displacements and turns in world axes."""
    columns = []
    for b in range(len(r)):
        for i in range(6):
            found = []
            for sign in (1, -1):
                d = np.zeros(3)
                d[i % 3] = sign * size
                q, Q = list(r), list(R)
                if i < 3:
                    q[b] = r[b] + d
                else:
                    Q[b] = rotation(d) @ R[b]
                found.append(bodies.constraints(q, Q))
            columns.append((found[0] - found[1]) / (2 * size))
    return np.stack(columns, axis=1)


def start(bodies: Bodies) -> tuple[Places, Places, np.ndarray]:
    """Accelerations, rates of angular momenta and multipliers of the first instant."""
    r, R, v, w = bodies.r, bodies.R, bodies.v, bodies.w
    n, e = len(r), 1e-6
    Cq = jacobian(bodies, r, R)

    def moved(s: float) -> np.ndarray:
        turned = [rotation(s * w[b]) @ R[b] for b in range(n)]
        return jacobian(bodies, [r[b] + s * v[b] for b in range(n)], turned)

    speeds = np.concatenate([np.concatenate(pair) for pair in zip(v, w, strict=True)])
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    forces, torques = bodies.loads(r, R)
    J = [R[b] @ bodies.inertias[b] @ R[b].T for b in range(n)]
    for b in range(n):
        k = 6 * b
        M[k : k + 3, k : k + 3], M[k + 3 : k + 6, k + 3 : k + 6] = (
            bodies.masses[b] * np.eye(3), J[b]
        )  # fmt: skip
        f[k : k + 3], f[k + 3 : k + 6] = forces[b], torques[b] - np.cross(w[b], J[b] @ w[b])
    rows = len(Cq)
    A = np.block([[M, Cq.T], [Cq, np.zeros((rows, rows))]])
    x = np.linalg.solve(A, np.concatenate([f, -(moved(e) - moved(-e)) / (2 * e) @ speeds]))
    rates = [
        J[b] @ x[6 * b + 3 : 6 * b + 6] + np.cross(w[b], J[b] @ w[b]) for b in range(n)
    ]
    return [x[6 * b : 6 * b + 3] for b in range(n)], rates, x[6 * n :]


def formula(rho: float, h: float, first: bool) -> tuple[float, float, float, float, float]:
    """α₁, α₂ of the values one and two steps back, h β₀, h β₁, h β₂ of the rates."""
    if first:
        return 1.0, 0.0, h / 2, h / 2, 0.0
    D = 4 - (1 - rho) ** 2
    beta, delta = (3 * (1 - rho) ** 2 + 4 * (2 * rho - 1)) / D, (1 - rho) ** 2 / (2 * D)
    return (1 - beta, beta, h * (delta + 0.5), h * (beta / 2 + 0.5 - 2 * delta),
            h * (beta / 2 + delta))  # fmt: skip


def step(bodies: Bodies, now: tuple, before: tuple, gamma: np.ndarray, weights: tuple) -> tuple:
    """The motion after one step more, and its multipliers."""
    n, J, (one, two, b0, b1, b2) = len(bodies.r), bodies.inertias, weights
    (r, R, v, w, L, a, F), (pr, pR, pv, pw, pL, pa, pF) = now, before
    past = [parameters(pR[b] @ R[b].T) for b in range(n)]
    h = (b0 + b1 + b2) / (1 + two)  # the formula is exact for constant rates
    known = [two * past[b] + b1 * w[b] + b2 * parameter_rate(past[b], pw[b]) for b in range(n)]

    def rate(x, x1, x2, d1, d2):
        return (x - one * x1 - two * x2 - b1 * d1 - b2 * d2) / b0

    def motion(z):
        r1 = [r[b] + z[6 * b : 6 * b + 3] for b in range(n)]
        g = [z[6 * b + 3 : 6 * b + 6] for b in range(n)]
        R1 = [rotation(g[b]) @ R[b] for b in range(n)]
        v1 = [rate(r1[b], r[b], pr[b], v[b], pv[b]) for b in range(n)]
        w1 = [angular_velocity(g[b], (g[b] - known[b]) / b0) for b in range(n)]
        L1 = [R1[b] @ J[b] @ R1[b].T @ w1[b] for b in range(n)]
        a1 = [rate(v1[b], v[b], pv[b], a[b], pa[b]) for b in range(n)]
        F1 = [rate(L1[b], L[b], pL[b], F[b], pF[b]) for b in range(n)]
        return r1, R1, v1, w1, L1, a1, F1

    def residual(z):
        r1, R1, _, _, _, a1, F1 = motion(z)
        (forces, torques), pull = bodies.loads(r1, R1), jacobian(bodies, r1, R1).T @ z[6 * n :]
        out = []
        for b in range(n):
            out += [bodies.masses[b] * a1[b] - forces[b] + pull[6 * b : 6 * b + 3],
                    F1[b] - torques[b] + pull[6 * b + 3 : 6 * b + 6]]  # fmt: skip
        return np.concatenate([*out, bodies.constraints(r1, R1) / h**2])

    moves = [np.concatenate([h * v[b] + h * h / 2 * a[b], h * w[b]]) for b in range(n)]
    z = np.concatenate([*moves, gamma])
    rest = residual(z)
    sizes = np.where(np.arange(len(z)) < 6 * n, 1e-7, 1e-3)
    A = np.stack([(residual(z + e) - rest) / e.max() for e in np.diag(sizes)], axis=1)
    for _ in range(8):  # one matrix a step
        change = np.linalg.solve(A, -rest)
        z = z + change
        if np.abs(change[: 6 * n]).max() < 1e-13:
            break
        rest = residual(z)
    return motion(z), z[6 * n :]


def position_of_first(bodies: Bodies, h: float, steps: int, rho: float) -> np.ndarray:
    """Where the first body is after so many steps."""
    a, rates, gamma = start(bodies)
    L = [R @ I @ R.T @ w for R, I, w in zip(bodies.R, bodies.inertias, bodies.w, strict=True)]
    now = before = (bodies.r, bodies.R, bodies.v, bodies.w, L, a, rates)
    for k in range(steps):
        after, gamma = step(bodies, now, before, gamma, formula(rho, h, k == 0))
        before, now = now, after
    return now[0][0]
