"""The reduced scheme written out: P(q₀, q₁)ᵀ R(q₁) = 0 with dense P, for n − m unknowns.

P. Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), [B], in numpy and with nothing of
linkwork's stepping: what is read off a model are masses, inertias, joint frames and the start.

    t_c = A t_p + B τ                  along the tree, all vectors at q̄   ([B] (178)-(187))
    D_c1 = E_p exp(θ ñ₀) D_c0          E_p = D_p1 D_p0ᵀ; positions from the joints' points   ((188))
    P = P_int P_ext° N,  G_c P° N = 0  closures G_c of the joints outside the tree   ([B] 5.4.2)

Closures are the document's rows (190), the point and n_a·d_I of all three directors of the other
body; which rows are independent, and which coordinates they determine, is fixed at the start of a
step.  Unknowns are the other coordinates; every residual solves the closures for the dependent ones
first.  Newton's method differences the residual, so no tangent is taken over from anywhere either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from scipy.spatial.transform import Rotation

import linkwork as lw

I3 = np.eye(3)
# free displacements along, and turns about, the axes of the main marker; "ball" and "cross" turn
# by three and by two angles
FREE = {
    "Fixed": ("", ""), "Revolute": ("", "z"), "Prismatic": ("z", ""), "Cylindrical": ("z", "z"),
    "Planar": ("xy", "z"), "Spherical": ("", "ball"), "Universal": ("", "cross"),
}  # fmt: skip
WIDTH = {"": 0, "z": 1, "ball": 3, "cross": 2}
RANK = 1e-8  # of the largest pivot: rows below depend on others


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(theta):
    return Rotation.from_rotvec(theta).as_matrix()


def matrix(q):
    return Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix()


@dataclass
class Pair:
    """A joint: bodies (−1 the ground), its frames in body axes, what it leaves free."""

    a: int
    b: int
    pa: np.ndarray
    pb: np.ndarray
    Sa: np.ndarray
    Sb: np.ndarray
    slides: list[int]
    turns: str

    @property
    def width(self):
        return len(self.slides) + WIDTH[self.turns]


class Dense:
    """A model of bodies and joints under gravity, stepped by the reduced scheme."""

    def __init__(self, model, motion, h):
        """motion: (bodies, 13) position, quaternion, velocity, angular velocity in body axes."""
        bodies = [x for x in model.items.values() if isinstance(x, lw.Body)]
        number = {id(b): i for i, b in enumerate(bodies)}
        self.h, self.n = h, len(bodies)
        self.mass = np.array([b.mass for b in bodies])
        J = np.array([b.inertia for b in bodies])
        self.E = 0.5 * np.trace(J, axis1=1, axis2=2)[:, None, None] * I3 - J
        self.gravity = np.asarray(model.gravity, float)
        self.tree, self.cut, placed = [], [], {-1}
        for joint in (x for x in model.items.values() if type(x).__name__ in FREE):
            fa, fb = joint.frames
            a, b = (number.get(id(f.body), -1) for f in (fa, fb))
            slides, turns = FREE[type(joint).__name__]
            axes = matrix(fa.orientation), matrix(fb.orientation)
            slides = ["xyz".index(s) for s in slides]
            pair = Pair(a, b, fa.position, fb.position, *axes, slides, turns)
            if a in placed and b not in placed:
                self.tree.append(pair)
                placed.add(b)
            else:
                assert a in placed and b in placed and not slides and turns == "z"
                self.cut.append(pair)
        assert len(placed) == self.n + 1
        self.width = sum(p.width for p in self.tree)
        self.r = motion[:, :3].copy()
        self.D = np.array([matrix(q) for q in motion[:, 3:7]])  # columns are the directors
        self.v = motion[:, 7:10].copy()
        self.V = np.array([D @ tilde(w) for D, w in zip(self.D, motion[:, 10:13])])
        self.u = np.zeros(self.width)

    # ------------------------------------------------------------------------------- tree
    @staticmethod
    def of(r, D, i):
        """Place and directors of a body or the ground."""
        return (np.zeros(3), I3) if i < 0 else (r[i], D[i])

    def place(self, u):
        """q₁ = F(u): positions and directors along the tree."""
        r, D, first = np.zeros((self.n, 3)), np.zeros((self.n, 3, 3)), 0
        for p in self.tree:
            x = u[first : first + p.width]
            first += p.width
            r0, D0 = self.of(self.r, self.D, p.a)
            ra, Da = self.of(r, D, p.a)
            S0, Db = D0 @ p.Sa, self.D[p.b]
            moved, by = Da @ D0.T, x[len(p.slides) :]
            if p.turns == "ball":
                D[p.b] = turn(by) @ Db
            elif p.turns == "cross":  # x of the frame on a, y of the frame on b
                second = (Db @ p.Sb)[:, 1]
                D[p.b] = moved @ turn(by[0] * S0[:, 0]) @ turn(by[1] * second) @ Db
            else:
                D[p.b] = moved @ (turn(by[0] * S0[:, 2]) if p.turns else I3) @ Db
            slid = self.r[p.b] + Db @ p.pb - r0 - D0 @ p.pa
            at = ra + Da @ p.pa
            for k, i in enumerate(p.slides):
                at = at + (S0[:, i] @ slid + x[k]) * (Da @ p.Sa)[:, i]
            U, _, W = np.linalg.svd(D[p.b])  # products of many turns stay orthonormal
            D[p.b] = U @ W
            r[p.b] = at - D[p.b] @ p.pb
        return r, D

    def open(self, r, D):
        """P° at mean places and directors, (12 n, width): (φ, d₁, d₂, d₃) body by body."""
        t, first = np.zeros((self.n + 1, 6, self.width)), 0
        for p in self.tree:
            ra, Da = self.of(r, D, p.a)
            m, arm_a, arm_b = Da @ p.Sa, Da @ p.pa, D[p.b] @ p.pb
            d = r[p.b] + arm_b - ra - arm_a
            spin = t[p.a, 3:].copy()
            k = first + len(p.slides)
            if p.turns == "ball":
                spin[:] = 0
                spin[:, k : k + 3] = I3
            elif p.turns == "cross":
                spin[:, k], spin[:, k + 1] = m[:, 0], (D[p.b] @ p.Sb)[:, 1]
            elif p.turns:
                spin[:, k] = m[:, 2]
            move = t[p.a, :3] + tilde(arm_b) @ spin - tilde(arm_a + d) @ t[p.a, 3:]
            for j, i in enumerate(p.slides):  # orthogonal to the held axes, [B] (113), (149)
                move[:, first + j] += np.cross(m[:, (i + 1) % 3], m[:, (i + 2) % 3])
            t[p.b, :3], t[p.b, 3:] = move, spin
            first += p.width
        P = np.zeros((self.n, 4, 3, self.width))
        P[:, 0] = t[:-1, :3]
        for b in range(self.n):
            for i in range(3):
                P[b, 1 + i] = -tilde(D[b, :, i]) @ t[b, 3:]
        return P.reshape(12 * self.n, self.width)

    # ---------------------------------------------------------------------------- closures
    def closure(self, r, D):
        """Φ of the cut hinges: the point, and their axis on a with the directors of b."""
        out = []
        for p in self.cut:
            (ra, Da), (rb, Db) = self.of(r, D, p.a), self.of(r, D, p.b)
            out += [*(rb + Db @ p.pb - ra - Da @ p.pa), *(Db.T @ Da @ p.Sa[:, 2] - p.Sb[:, 2])]
        return np.array(out)

    def closure_jacobian(self, r, D):
        G = np.zeros((6 * len(self.cut), self.n, 4, 3))
        for k, p in enumerate(self.cut):
            (_, Da), (_, Db) = self.of(r, D, p.a), self.of(r, D, p.b)
            n = Da @ p.Sa[:, 2]
            for end, arm, sign in ((p.a, p.pa, -1.0), (p.b, p.pb, 1.0)):
                if end >= 0:
                    G[6 * k : 6 * k + 3, end, 0] = sign * I3
                    for i in range(3):
                        G[6 * k : 6 * k + 3, end, 1 + i] = sign * arm[i] * I3
            for row in range(3):
                if p.b >= 0:
                    G[6 * k + 3 + row, p.b, 1 + row] += n
                if p.a >= 0:
                    for i in range(3):
                        G[6 * k + 3 + row, p.a, 1 + i] += p.Sa[i, 2] * Db[:, row]
        return G.reshape(len(G), 12 * self.n)

    # ------------------------------------------------------------------------------- step
    def step(self):
        """One step; how many unknowns it had is kept to be looked at."""
        A = self.closure_jacobian(self.r, self.D) @ self.open(self.r, self.D)
        self.rows = np.zeros(0, int)
        free, bound = np.arange(self.width), np.zeros(0, int)
        if len(A):
            _, R, order = la.qr(A.T, pivoting=True, mode="economic")
            pivots = np.abs(np.diag(R))
            self.rows = np.sort(order[: np.sum(pivots > RANK * pivots[0])])
            _, _, order = la.qr(A[self.rows], pivoting=True)
            bound, free = order[: len(self.rows)], np.sort(order[len(self.rows) :])
        self.unknowns = len(free)

        def closed(x):
            """All coordinates, those bound by the closures by Newton's method; both ends' q."""
            u = self.u.copy()
            u[free] = x
            for _ in range(20):
                r, D = self.place(u)
                if not len(bound):
                    return u, r, D
                A = self.closure_jacobian(r, D)[self.rows] @ self.open(r, D)[:, bound]
                change = np.linalg.solve(A, self.closure(r, D)[self.rows])
                u[bound] -= change
                if np.abs(change).max() < 1e-15:
                    break
            return (u, *self.place(u))

        def null_space(r, D):
            mean = 0.5 * (self.r + r), 0.5 * (self.D + D)
            P = self.open(*mean)
            if not len(bound):
                return P
            A = self.closure_jacobian(*mean)[self.rows] @ P
            N = np.zeros((self.width, len(free)))
            N[free, np.arange(len(free))] = 1.0
            N[bound] = -np.linalg.solve(A[:, bound], A[:, free])
            return P @ N

        def residual(x):
            """Pᵀ(M (q₁ − q₀ − h v₀) − h²/2 f), the document's residual times h/2."""
            _, r, D = closed(x)
            R = np.zeros((self.n, 4, 3))
            R[:, 0] = self.mass[:, None] * (
                r - self.r - self.h * self.v - 0.5 * self.h**2 * self.gravity
            )
            turned = (D - self.D - self.h * self.V) @ self.E
            R[:, 1:] = np.swapaxes(turned, 1, 2)
            return null_space(r, D).T @ R.ravel()

        x, e = self.u[free].copy(), 1e-6
        columns = [(residual(x + e * d) - residual(x - e * d)) / (2 * e) for d in np.eye(len(x))]
        K, before = la.lu_factor(np.transpose(columns)), np.inf
        for _ in range(60):
            change = la.lu_solve(K, residual(x))
            x = x - change
            size = np.abs(change).max()
            if size < 1e-15 or (size < 1e-12 and size >= 0.5 * before):
                break
            before = size
        assert size < 1e-12
        self.u, r, D = closed(x)
        self.v, self.V = 2 / self.h * (r - self.r) - self.v, 2 / self.h * (D - self.D) - self.V
        self.r, self.D = r, D
