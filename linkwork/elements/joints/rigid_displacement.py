"""A body that moves as the weighted mean of points of other bodies (the RBE3 of finite elements).

With the points x_j = r_j + s_j seen from the reference frame S on the body, y_j = R_Sᵀ(x_j − r_S),
and their places o_j there as described, the least squares Σ w_j |y_j − o_j|² over the motion of S
ask for

    C_t = Σ w_j (o_j − y_j) = 0,   C_r = Σ w_j y_j × o_j = 0

(MBDyn's manual, 9.1, "rigid body displacement", there in world axes).  Both are linear in the y_j:
C = Σ_j A_j y_j + const, A_j = −w_j [I; õ_j].  So each point has the forces of a lock joint's rows
x y z with the constant multipliers g_j = A_jᵀ γ, and Jacobian, K_c and Q_c are sums of those
(elements.joints.lock): with F = R_S g_j, l_j = x_j − r_a,

    point's body  F, R_jᵀ(s_j × F);   the body  −F, −R_aᵀ(l_j × F)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.layout import (
    CK, KC, OMEGA, POS, QUAT, RATES, ROT, STRIDE, TANGENT, VEL, add33,
)  # fmt: skip
from linkwork.elements.points import end_frame
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qmul, rotation_matrix
from linkwork.kernels.vectors import (
    accumulate, add, at, at4, at9, cross, mm, mv, scale, skew, sub, tm, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.frame import Frame, place
from linkwork.model.given import FrameLike, Given, VectorLike, given
from linkwork.model.registry import Entry, Family, Item

# reals: the frame on the body, then per point its place on its body, o_j and w_j
UA, QA, POINTS = record(ua=3, qa=4, points=0)
POINT = 7  # numbers of a point


@inlined
def row_of_point(i, o, w):
    """Row i of A_j."""
    e = (1.0 if i % 3 == 0 else 0.0, 1.0 if i % 3 == 1 else 0.0, 1.0 if i % 3 == 2 else 0.0)
    if i < 3:
        return scale(-w, e)
    return scale(-w, cross(e, o))  # row i of õ is e × o


@inlined
def add_row(vals, base, j, force, moment):
    """Add to the six numbers of row j of a block."""
    p = base + j * STRIDE
    for i in range(3):
        vals[p + i] += force[i]
        vals[p + 3 + i] += moment[i]


@inlined
def point_stiffness(vals, aa, ab, ba, bb, cK, Ra, Rb, sb, l, F):
    """K_c of F on the point's body b and −F on a, F fixed in a (elements.joints.lock)."""
    f = skew(F)
    X, Fl, sF = mm(f, Ra), mm(f, skew(l)), mm(skew(sb), f)
    add33(vals, aa, 0, 3, cK, X)
    add33(vals, aa, 3, 0, -cK, tm(Ra, f))
    add33(vals, aa, 3, 3, cK, tm(Ra, mm(Fl, Ra)))
    add33(vals, ab, 3, 0, cK, tm(Ra, f))
    add33(vals, ab, 3, 3, -cK, tm(Ra, mm(mm(f, skew(sb)), Rb)))
    add33(vals, ba, 0, 3, -cK, X)
    add33(vals, ba, 3, 3, -cK, tm(Rb, mm(sF, Ra)))
    add33(vals, bb, 3, 3, cK, tm(Rb, mm(sF, Rb)))


def mean_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Qc, vals = loads.f, loads.C, loads.Qc, loads.vals
    n = (reals.shape[1] - POINTS) // POINT + 1  # bodies
    EQ, M, CA, ROWS = n + n * n, n + n * n + 1, n + n * n + 2, 2 * n + n * n + 3
    for k in range(ints.shape[0]):
        a, eq, m = ints[k, 0], ints[k, EQ], ints[k, M]
        if m == 0:
            continue
        Ra, wa = at9(nodes, a, ROT), at(nodes, a, OMEGA)
        Q = rotation_matrix(at4(reals, k, QA))
        S = rotation_matrix(qmul(at4(nodes, a, QUAT), at4(reals, k, QA)))
        gt = gr = (0.0, 0.0, 0.0)
        for r in range(m):
            i = ints[k, ROWS + r]
            C[eq + r] = 0.0
            if coef[RATES] != 0.0:
                Qc[eq + r] = 0.0
            e = (1.0 if i % 3 == 0 else 0.0, 1.0 if i % 3 == 1 else 0.0, 1.0 if i % 3 == 2 else 0.0)
            if i < 3:
                gt = add(gt, scale(gamma[eq + r], e))
            else:
                gr = add(gr, scale(gamma[eq + r], e))
            if coef[TANGENT] != 0.0:
                for j in range(n):
                    p = ints[k, CA + j] + r * STRIDE
                    for c in range(STRIDE):
                        vals[p + c] = 0.0
        sa = mv(Ra, at(reals, k, UA))
        for j in range(1, n):
            b, c = ints[k, j], POINTS + POINT * (j - 1)
            u, o, w = at(reals, k, c), at(reals, k, c + 3), reals[k, c + 6]
            Rb, wb = at9(nodes, b, ROT), at(nodes, b, OMEGA)
            sb = mv(Rb, u)
            l = sub(add(at(nodes, b, POS), sb), at(nodes, a, POS))
            y = tv(S, sub(l, sa))
            F = mv(S, scale(w, sub(cross(o, gr), gt)))
            accumulate(f, b, 0, F)
            accumulate(f, b, 3, tv(Rb, cross(sb, F)))
            accumulate(f, a, 0, scale(-1.0, F))
            accumulate(f, a, 3, scale(-1.0, tv(Ra, cross(l, F))))
            second = y
            if coef[RATES] != 0.0:
                # z = R_aᵀ(x_j − r_a), z̈ at zero accelerations; y = Qᵀ(z − u_a)
                z = tv(Ra, l)
                v = sub(at(nodes, b, VEL), at(nodes, a, VEL))
                p1 = tv(Ra, add(v, mv(Rb, cross(wb, u))))
                z1 = sub(p1, cross(wa, z))
                z2 = tv(Ra, mv(Rb, cross(wb, cross(wb, u))))
                second = tv(Q, sub(sub(z2, cross(wa, p1)), cross(wa, z1)))
            miss = sub(y, o)
            for r in range(m):
                i = ints[k, ROWS + r]
                row = row_of_point(i, o, w)
                C[eq + r] += row[0] * miss[0] + row[1] * miss[1] + row[2] * miss[2]
                if coef[RATES] != 0.0:
                    Qc[eq + r] -= row[0] * second[0] + row[1] * second[1] + row[2] * second[2]
                if coef[TANGENT] != 0.0:
                    e = mv(S, row)
                    add_row(vals, ints[k, CA + j], r, e, tv(Rb, cross(sb, e)))
                    add_row(vals, ints[k, CA], r, scale(-1.0, e), scale(-1.0, tv(Ra, cross(l, e))))
            if coef[TANGENT] != 0.0 and coef[KC] != 0.0:
                aa, ab = ints[k, n], ints[k, n + j]
                ba, bb = ints[k, n + n * j], ints[k, n + n * j + j]
                point_stiffness(vals, aa, ab, ba, bb, coef[CK], Ra, Rb, sb, l, F)


MEAN_KERNEL = Kernel(mean_kernel)


@functools.cache
def mean_family(points: int) -> Family:
    """The family of bodies that follow so many points; all share one kernel."""
    return Family(
        f"mean of {points}", MEAN_KERNEL, bodies=points + 1, rows=6, angles=(3, 4, 5),
        reals=POINTS + POINT * points,
    )


@dataclass(eq=False)
class RigidBodyDisplacement(Item):
    """A body that moves as the weighted mean of points of other bodies does.

    body      : the body that follows
    points    : bodies or frames (their origins), of different bodies
    weights   : numbers whose sum is positive (single ones may be negative); default all one
    at_points : world points on these bodies in the reference configuration (m), instead of origins

    The body follows the points in the sense of least squares, translation and rotation, and its
    loads are spread over them.

    Example
    -------
    >>> import linkwork as lw
    >>> hub = lw.Body(1, (1, 1, 1))
    >>> rim = [lw.Body(1, (1, 1, 1), position=p) for p in ((1, 0, 0), (-1, 1, 0), (-1, -1, 0))]
    >>> mean = lw.RigidBodyDisplacement(hub, rim)
    """

    places: ClassVar[frozenset[str]] = frozenset({"body", "points", "at_points", "frames"})
    body: FrameLike
    points: Sequence[FrameLike]
    weights: Given[np.ndarray, VectorLike | None] = given(None)
    at_points: Sequence[VectorLike] | np.ndarray | None = None
    frames: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        lists = (list, tuple, np.ndarray)
        if not isinstance(self.points, lists) or not len(self.points):
            raise ModelError(
                f"points of {what} must be at least one point, bodies or Frames in a list, but "
                f"{checks.show(self.points)} was given"
            )
        places = self.at_points if self.at_points is not None else [None] * len(self.points)
        if not isinstance(places, lists) or len(places) != len(self.points):
            raise ModelError(
                f"at_points of {what} must be {len(self.points)} world points, one for each, but "
                f"{checks.show(self.at_points)} was given"
            )
        ends = [end_frame(p, x, what, "at_points") for p, x in zip(self.points, places)]
        frame = end_frame(self.body, None, what, "body")
        # where the points are on the body as described: kept as frames, in files too
        targets = [place(frame.body, f.world()[0], np.array([1.0, 0, 0, 0])) for f in ends]
        self.frames = (frame, *ends, *targets)
        bodies = [f.body for f in self.frames[: len(ends) + 1]]
        if len({id(b) for b in bodies}) < len(bodies):
            raise ModelError(f"{what} needs points of different bodies, none of them its own")
        w = np.ones(len(ends)) if self.weights is None else self.weights
        self.weights = checks.vector(w, f"weights of {what}", len(ends))
        if self.weights.sum() <= 0:
            raise ModelError(
                f"weights of {what} must have a positive sum, but it is {self.weights.sum():g}"
            )
        o = self.offsets() - np.average(self.offsets(), axis=0, weights=self.weights)
        size = np.abs(o).max()
        if not size < 1e100:
            raise ModelError(
                f"the points of {what} are {size:g} m from their mean, too far to compute with"
            )
        inertia = np.einsum("j,jik->ik", self.weights, _squares(o))
        if np.linalg.eigvalsh(inertia)[0] < 1e-12 * max(1e-300, np.abs(inertia).max()):
            raise ModelError(
                f"the points of {what} lie on a line or in one place, so they have no rotation to "
                "follow; give at least three that do not"
            )

    def offsets(self) -> np.ndarray:
        """The points seen from the frame on the body, as described, (n, 3)."""
        frame, n = self.frames[0], len(self.points)
        Q = rotations.matrix(frame.orientation)
        return np.array([Q.T @ (f.position - frame.position) for f in self.frames[n + 1 :]])

    def entries(self) -> list[Entry]:
        n = len(self.weights)
        reals = np.zeros(POINTS + POINT * n)
        reals[UA : UA + 3], reals[QA : QA + 4] = self.frames[0].position, self.frames[0].orientation
        for j, (f, o, w) in enumerate(zip(self.frames[1 : n + 1], self.offsets(), self.weights)):
            c = POINTS + POINT * j
            reals[c : c + 3], reals[c + 3 : c + 6], reals[c + 6] = f.position, o, w
        names = ("x", "y", "z", "rx", "ry", "rz")
        bodies = tuple(f.body for f in self.frames[: n + 1])
        return [Entry(mean_family(n), bodies, reals, tuple(range(6)), row_names=names)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.bodies.body import Body

        more = [Body(1, (1, 1, 1), position=rng.normal(size=3)) for _ in range(2)]
        places = rng.normal(size=(3, 3))
        frame = Frame(a, rng.normal(size=3), _turn(rng))
        return [*more, cls(frame, [b, *more], rng.uniform(0.5, 2, 3), places)]


def _squares(o: np.ndarray) -> np.ndarray:
    return np.sum(o * o, axis=1)[:, None, None] * np.eye(3) - np.einsum("ji,jk->jik", o, o)


def _turn(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)
