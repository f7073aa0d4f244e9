"""Iteration matrices of one step of a kinematic pair, written out from the rows of the document.

P. Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), [B], sections 4.5 and 5.1 to 5.3,
in numpy and with nothing of linkwork's equations: what is read off a model are masses, inertias,
joint frames and gravity, and from a run the poses at both ends of its first step.

    constrained  [2/h M + h/2 Σ λ A   h G(q̄)ᵀ]        reduced  P(q̄)ᵀ (2/h M + h/2 Σ λ A) P(q₁)
                 [G(q₁)               0       ]

All rows are quadratic, so that differences over any length give G, and its differences A, exactly
but for round-off; λ are those with which the residual of the step vanishes.
"""

from __future__ import annotations

import numpy as np
from dense_null_space import matrix, tilde

import linkwork as lw


class DensePair:
    """A free body with a cylinder or a plane for the second one, or a top on its tip."""

    def __init__(self, model, motion, h):
        """motion: (2, bodies, 13) at both ends of the step; only the first has velocities."""
        bodies = [x for x in model.items.values() if isinstance(x, lw.Body)]
        (joint,) = (x for x in model.items.values() if hasattr(x, "frames"))
        self.kind, (self.a, self.b) = type(joint).__name__, joint.frames
        blocks, force = [], []
        for body in bodies:
            E = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
            assert np.abs(E - np.diag(np.diag(E))).max() < 1e-12 * np.abs(E).max()
            blocks += [body.mass, *np.diag(E)]
            force += [*(body.mass * np.asarray(model.gravity, float)), *np.zeros(9)]
        M, n = np.kron(np.diag(blocks), np.eye(3)), 12 * len(bodies)
        directors = [[matrix(x[3:7]) for x in end] for end in motion]
        ends = [
            np.concatenate([np.r_[x[:3], D.T.ravel()] for x, D in zip(end, Ds)])
            for end, Ds in zip(motion, directors)
        ]
        spins = zip(motion[0], directors[0])
        v = np.concatenate([np.r_[x[7:10], (D @ tilde(x[10:])).T.ravel()] for x, D in spins])
        (q0, q1), mean = ends, 0.5 * (ends[0] + ends[1])
        residual = M @ (2 / h * (q1 - q0) - 2 * v) - h * np.array(force)
        G = self.jacobian(mean)
        multipliers = np.linalg.lstsq(h * G.T, -residual, rcond=None)[0]
        self.balance = np.abs(h * G.T @ multipliers + residual).max() / np.abs(residual).max()
        constant = self.jacobian(np.zeros(n))
        A = np.array([(self.jacobian(e) - constant).T @ multipliers for e in np.eye(n)])
        K = 2 / h * M + h / 2 * A
        zero = np.zeros(2 * (len(G),))
        self.constrained = np.block([[K, h * G.T], [self.jacobian(q1), zero]])
        self.reduced = self.null_space(mean).T @ K @ self.null_space(q1)

    def rows(self, q):
        """Φ of (24), then (80), (100) or (139)."""
        parts, out = q.reshape(-1, 4, 3), []
        for d in parts[:, 1:]:
            out += [0.5 * (x @ x - 1) for x in d]
            out += [d[0] @ d[1], d[0] @ d[2], d[1] @ d[2]]
        arm = parts[-1, 0] + self.b.position @ parts[-1, 1:]
        if self.kind == "Spherical":
            return np.array([*out, *arm])
        apart, (m1, m2, n) = arm - parts[0, 0] - self.a.position @ parts[0, 1:], parts[0, 1:]
        out += [m1 @ apart, m2 @ apart] if self.kind == "Cylindrical" else [n @ apart]
        return np.array([*out, n @ parts[1, 1], n @ parts[1, 2]])

    def jacobian(self, q):
        return 0.5 * np.array([self.rows(q + e) - self.rows(q - e) for e in np.eye(len(q))]).T

    def null_space(self, q):
        """(163), (113) or (149), times the internal part (55)."""
        parts = q.reshape(-1, 4, 3)
        arm = tilde(self.b.position @ parts[-1, 1:])
        if self.kind == "Spherical":
            twists = [np.vstack([arm, np.eye(3)])]
        else:
            m1, m2, n = parts[0, 1:]
            slides = [np.cross(m2, n), np.cross(n, m1)]
            if self.kind == "Cylindrical":
                slides = [np.cross(m1, m2)]
            free, second = np.zeros((2, 6, 7 + len(slides)))
            free[:, :6] = np.eye(6)
            second[:3, :3] = second[3:, 3:6] = np.eye(3)
            second[:3, 3:6] = tilde(parts[0, 0] - parts[1, 0])
            second[:3, 6:-1], second[:3, -1], second[3:, -1] = np.transpose(slides), arm @ n, n
            twists = [free, second]
        turned = [[t[:3], *(-tilde(d) @ t[3:] for d in x[1:])] for t, x in zip(twists, parts)]
        return np.vstack([np.vstack(x) for x in turned])
