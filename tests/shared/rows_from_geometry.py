"""Mechanisms as rows of constraints, from geometry alone.

World increments δr, φ of each body: a lock row with direction e is
e·(δr_b + φ_b×(p − r_b) − δr_a − φ_a×(p − r_a)), or e·(φ_b − φ_a).
"""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from inside import ConstraintRows, degrees_of_freedom, independent_rows

GROUND = -1
ROWS = {
    "fixed": "x y z rx ry rz",
    "revolute": "x y z rx ry",
    "spherical": "x y z",
    "cylindrical": "x y rx ry",
    "motor": "x y z rx ry rz",
}


def frame(axis):
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


class Mechanism:
    """Bodies with centres, joints in the order given."""

    def __init__(self, L=1.0):
        self.L, self.centre = L, []
        self.names, self.bodies, self.owner, self.words, self.driven = [], [], [], [], []
        self.blocks = []  # per row: {body: 6 numbers}

    def body(self, *position):
        self.centre.append(np.asarray(position, float))
        return len(self.centre) - 1

    def joint(self, name, a, b, at, axis=(0, 0, 1), kind="revolute", rows=None):
        E = frame(axis)
        for word in (rows or ROWS[kind]).split():
            e = E["xyz".index(word[-1])]
            row = {}
            for body, sign in ((a, -1.0), (b, 1.0)):
                if body != GROUND:
                    arm = np.cross(at - self.centre[body], e)
                    row[body] = sign * (
                        np.r_[0, 0, 0, e] if word[0] == "r" else np.concatenate([e, arm])
                    )
            self.row(len(self.names), word, row, driven=kind == "motor" and word == "rz")
        self.names.append(name)
        self.bodies.append((a, b))

    def row(self, owner, word, row, driven=False):
        self.owner.append(owner)
        self.words.append(word)
        self.blocks.append(row)
        self.driven.append(driven)

    def rows(self, noise=0.0, seed=0):
        i, j, v = [], [], []
        for r, row in enumerate(self.blocks):
            for body, six in row.items():
                i += [r] * 6
                j += range(6 * body, 6 * body + 6)
                v += list(six)
        v = np.array(v) + noise * np.random.default_rng(seed).standard_normal(len(v))
        Cq = sp.csr_array((v, (i, j)), shape=(len(self.blocks), 6 * len(self.centre)))
        return ConstraintRows(
            Cq, np.array(self.owner), self.words, self.names, self.bodies, self.L, self.driven
        )


def dense(rows):
    """Columns over L, rows of length one."""
    A = rows.Cq.csr.toarray()
    A.reshape(len(A), -1, 6)[:, :, 3:] /= rows.L
    norm = np.linalg.norm(A, axis=1, keepdims=True)
    return A / np.where(norm > 0, norm, 1)


def checked(rows):
    """The analysis, with everything that must hold for any mechanism."""
    found = independent_rows(rows)
    A = dense(rows)
    rank = np.linalg.matrix_rank(A, tol=1e-8)
    assert found.rank == found.keep.sum() == rank
    assert degrees_of_freedom(rows.nb, found) == A.shape[1] - rank
    if rank:
        # The price of the preferences is bounded: the kept rows span as well as all of them do.
        all_rows = np.linalg.svd(A, compute_uv=False)[rank - 1]
        kept = np.linalg.svd(A[found.keep], compute_uv=False)[-1]
        assert kept > 1e-3 * all_rows
        assert found.smallest_kept >= kept * (1 - 1e-9)  # pivots bound singular values from above
    dropped = [c.dropped for c in found.components]
    assert all(d.size for d in dropped)
    assert sorted(np.concatenate([*dropped, []])) == np.flatnonzero(~found.keep).tolist()
    for c in found.components:
        assert sorted([*c.kept, *c.dropped]) == c.rows.tolist()
    return found


def four_bar(m=None, base=GROUND, tag="", shift=(0, 0, 0), turn=None, kinds=("revolute",) * 4):
    """Four parallel revolutes, in no special plane."""
    m = m or Mechanism()
    R = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0] if turn is None else turn
    P = np.array([[0, 0, 0], [0.3, 1, 0], [1.5, 1.2, 0], [1.2, 0, 0]]) @ R.T + shift
    links = [m.body(*(P[i] + P[i + 1]) / 2) for i in range(3)]
    ends = [base, *links, base]
    for i, name in enumerate("ABCD"):
        m.joint(tag + name, ends[i], ends[i + 1], P[i], R[:, 2], kinds[i])
    return m


def loop(points, axes):
    """A closed chain of revolutes; the link from the last point to the first is ground."""
    m = Mechanism()
    links = [m.body(*(p + q) / 2) for p, q in pairwise(points)]
    ends = [GROUND, *links, GROUND]
    for i, (p, n) in enumerate(zip(points, axes)):
        m.joint(f"J{i + 1}", ends[i], ends[i + 1], p, n)
    return m


def ladder(N):
    """N windows of revolutes about z: N + 1 uprights on the ground, N rungs."""
    m = Mechanism()
    uprights = [m.body(i, 0.5, 0) for i in range(N + 1)]
    for i, u in enumerate(uprights):
        m.joint(f"foot{i}", GROUND, u, np.array([i, 0, 0]))
    for i in range(N):
        rung = m.body(i + 0.5, 1, 0)
        m.joint(f"left{i}", uprights[i], rung, np.array([i, 1, 0]))
        m.joint(f"right{i}", rung, uprights[i + 1], np.array([i + 1, 1, 0]))
    return m


def polygon(n):
    """n revolutes about z on a circle, one link being ground."""
    angle = 2 * np.pi * np.arange(n) / n
    return loop(np.c_[np.cos(angle), np.sin(angle), 0 * angle], np.tile([0, 0, 1.0], (n, 1)))
