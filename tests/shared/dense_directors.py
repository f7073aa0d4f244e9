"""The constrained scheme written out: Newton's dense matrix for all directors and multipliers.

P. Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), [B], equation (10), in numpy and
with nothing of linkwork's stepping: what is read off a model are masses, inertias, joint frames and
the start.  All rows are Φ = c + b·q + ½ q·A q, so that

    [2/h M + h/2 Σ λ A   h G(q̄)ᵀ]
    [G(q₁)               0       ],      G(q) = b + A q

Rotational rows of hinges are those of linkwork, their axis on a with two axes of the frame on b, or
those of [B] (119), with the first two directors of b: principal axes, smaller Euler moments first.
"""

from __future__ import annotations

import numpy as np
from dense_null_space import I3, matrix, tilde
from scipy.linalg import block_diag
from scipy.sparse import csr_array

import linkwork as lw

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


class DenseDirectors:
    """A model of bodies, hinges and welds under gravity, without one row of its last joint."""

    def __init__(self, model, motion, h, left_out, principal=False):
        """motion: (bodies, 13) position, quaternion, velocity, angular velocity in body axes;
        left_out: 0 to 4, among x, y, z and the two rotational rows."""
        bodies = [x for x in model.items.values() if isinstance(x, lw.Body)]
        self.number = {id(b): i for i, b in enumerate(bodies)}
        self.h, self.n, self.rows = h, 12 * len(bodies), []
        q, v, force = np.zeros((3, len(bodies), 4, 3))
        M, self.axes = np.zeros((len(bodies), 4, 4)), []
        for i, (body, now) in enumerate(zip(bodies, motion)):
            E = 0.5 * np.trace(body.inertia) * I3 - body.inertia
            Q = np.linalg.eigh(E)[1] if principal else I3
            D, M[i, 0, 0], M[i, 1:, 1:] = matrix(now[3:7]), body.mass, Q.T @ E @ Q
            q[i], v[i] = [now[:3], *(D @ Q).T], [now[7:10], *(D @ tilde(now[10:]) @ Q).T]
            force[i, 0] = body.mass * np.asarray(model.gravity)
            self.axes.append(Q)
        self.q, self.v, self.force = q.ravel(), v.ravel(), force.ravel()
        self.M = np.kron(block_diag(*M), I3)
        for i in range(len(bodies)):
            for a, b in PAIRS:
                self.product(self.vector(i, I3[a]), self.vector(i, I3[b]), 0.5 if a == b else 1)
        for joint in (x for x in model.items.values() if isinstance(x, lw.Revolute | lw.Fixed)):
            self.join(joint, principal)
        del self.rows[left_out - 5]
        self.c, b, A = (np.array(part) for part in zip(*self.rows))
        self.b, self.A = b, csr_array(A.reshape(-1, self.n))
        self.A_transposed = csr_array(A.reshape(len(A), -1).T)
        self.multipliers = np.zeros(len(A))

    def vector(self, i, u, place=False):
        """Constant and matrix of a vector of body i, given in its directors, or of a point."""
        B = np.zeros((3, self.n // 3, 3))
        if i is None:
            return u, B.reshape(3, -1)
        B[:, 4 * i] = place * I3
        for k in range(3):
            B[:, 4 * i + 1 + k] = u[k] * I3
        return np.zeros(3), B.reshape(3, -1)

    def add(self, b, A):
        """A row that holds at the start."""
        self.rows.append((-(b @ self.q + 0.5 * self.q @ A @ self.q), b, A))

    def product(self, first, second, factor=1.0):
        (c, B), (d, C) = first, second
        self.add(factor * (c @ C + d @ B), factor * (B.T @ C + C.T @ B))

    def join(self, joint, principal):
        fa, fb = joint.frames
        a, b = (self.number.get(id(f.body)) for f in (fa, fb))
        Qa, Qb = (I3 if i is None else self.axes[i] for i in (a, b))
        _, Pa = self.vector(a, Qa.T @ fa.position, place=True)
        _, Pb = self.vector(b, Qb.T @ fb.position, place=True)
        for row in Pb - Pa:
            self.add(row, np.zeros((self.n, self.n)))
        Sa, Sb = Qa.T @ matrix(fa.orientation), Qb.T @ matrix(fb.orientation)
        if isinstance(joint, lw.Fixed):
            for k in range(3):
                self.product(self.vector(a, Sa[:, k]), self.vector(b, Sb[:, (k + 1) % 3]))
        else:
            for axis in (I3 if principal else Sb.T)[:2]:
                self.product(self.vector(a, Sa[:, 2]), self.vector(b, axis))

    def jacobian(self, q):
        return self.b + (self.A @ q).reshape(self.b.shape)

    def step(self):
        """One step; the matrix of its last correction is kept to be looked at."""
        h, n, end = self.h, self.n, self.q + self.h * self.v
        G0, zero = self.jacobian(self.q), np.zeros(2 * (len(self.b),))
        for _ in range(20):
            G1 = self.jacobian(end)
            mean = 0.5 * (G0 + G1)
            momentum = self.M @ (2 / h * (end - self.q) - 2 * self.v) - h * self.force
            rows = self.c + 0.5 * (self.b + G1) @ end
            residual = np.concatenate([momentum + h * mean.T @ self.multipliers, rows])
            stiffness = (self.A_transposed @ self.multipliers).reshape(n, n)
            self.matrix = np.block([[2 / h * self.M + h / 2 * stiffness, h * mean.T], [G1, zero]])
            change = np.linalg.solve(self.matrix, -residual)
            end, self.multipliers = end + change[:n], self.multipliers + change[n:]
            if np.abs(change[:n]).max() < 1e-10:
                break
        else:
            raise AssertionError("Newton's method does not converge")
        self.q, self.v = end, 2 / h * (end - self.q) - self.v
