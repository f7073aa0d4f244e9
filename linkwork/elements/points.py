"""Two points on two bodies: what Distance, Spring and Rod share.

    d = r_b + s_b − r_a − s_a,   s = R u,   ḋ = v_b + w_b × s_b − v_a − w_a × s_a,   w = R ω

A force −F on b and F on a, at their points, puts F, R_bᵀ(s_b × F) and −F, −R_aᵀ(s_a × F) into the
residual.  With δF = E δd + G δḋ and n = w × s (velocities v, ω held while positions move)

    δF = E (δr_b − δr_a) − X_b φ_b + X_a φ_a,   X = E s̃ + G ñ,   φ = R θ
    δ(R_bᵀ(s_b × F)) = R_bᵀ s̃_b (δF + F̃ φ_b)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    AA, AB, BA, BB, OMEGA, POS, ROT, VEL, add33,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, madd, mm, mscale, mv, scale, skew, sub, tm, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.frame import Frame, as_frame

# the points on their bodies, and the axes at a
UA, UB, QA, LINE_REALS = record(ua=3, ub=3, qa=4, line_reals=0)


@inlined
def line(reals, k, nodes, a, b):
    """Arms s_a, s_b, their speeds w × s, d, ḋ, the length, the unit vector (0 at zero length)."""
    return line_behind(reals, k, 0, nodes, a, b)


@inlined
def line_behind(reals, k, first, nodes, a, b):
    """The same of an element whose points stand behind `first` other numbers."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    ua, ub = at(reals, k, first + UA), at(reals, k, first + UB)
    sa, sb = mv(Ra, ua), mv(Rb, ub)
    na, nb = mv(Ra, cross(at(nodes, a, OMEGA), ua)), mv(Rb, cross(at(nodes, b, OMEGA), ub))
    d = sub(add(at(nodes, b, POS), sb), add(at(nodes, a, POS), sa))
    ddot = sub(add(at(nodes, b, VEL), nb), add(at(nodes, a, VEL), na))
    length = math.sqrt(dot(d, d))
    e = (0.0, 0.0, 0.0)
    if length > 0.0:
        e = scale(1.0 / length, d)
    return sa, sb, na, nb, d, ddot, length, e


@inlined
def line_force(f, a, b, Ra, Rb, sa, sb, F):
    """F into the residual of b and −F into that of a, at their points."""
    accumulate(f, b, 0, F)
    accumulate(f, b, 3, tv(Rb, cross(sb, F)))
    accumulate(f, a, 0, scale(-1.0, F))
    accumulate(f, a, 3, scale(-1.0, tv(Ra, cross(sa, F))))


@inlined
def line_tangent(vals, ints, k, Ra, Rb, sa, sb, na, nb, E, G, F, cK, cD):
    """cK K + cD D of the force F with ∂F/∂d = E, ∂F/∂ḋ = G."""
    aa, ab, ba, bb = ints[k, AA], ints[k, AB], ints[k, BA], ints[k, BB]
    tangent_of_line(vals, aa, ab, ba, bb, Ra, Rb, sa, sb, na, nb, E, G, F, cK, cD)


@inlined
def tangent_of_line(vals, aa, ab, ba, bb, Ra, Rb, sa, sb, na, nb, E, G, F, cK, cD):
    """The same in blocks that begin at these places."""
    Z = madd(mscale(cK, E), mscale(cD, G))
    Ta, Tb = tm(Ra, skew(sa)), tm(Rb, skew(sb))  # Rᵀ s̃
    Ya = mm(madd(mm(Z, skew(sa)), mscale(cK, mm(G, skew(na)))), Ra)
    Yb = mm(madd(mm(Z, skew(sb)), mscale(cK, mm(G, skew(nb)))), Rb)
    Fx = mscale(cK, skew(F))
    p = bb
    add33(vals, p, 0, 0, 1.0, Z)
    add33(vals, p, 0, 3, -1.0, Yb)
    add33(vals, p, 3, 0, 1.0, mm(Tb, Z))
    add33(vals, p, 3, 3, 1.0, mm(Tb, madd(mm(Fx, Rb), mscale(-1.0, Yb))))
    p = ba
    add33(vals, p, 0, 0, -1.0, Z)
    add33(vals, p, 0, 3, 1.0, Ya)
    add33(vals, p, 3, 0, -1.0, mm(Tb, Z))
    add33(vals, p, 3, 3, 1.0, mm(Tb, Ya))
    p = ab
    add33(vals, p, 0, 0, -1.0, Z)
    add33(vals, p, 0, 3, 1.0, Yb)
    add33(vals, p, 3, 0, -1.0, mm(Ta, Z))
    add33(vals, p, 3, 3, 1.0, mm(Ta, Yb))
    p = aa
    add33(vals, p, 0, 0, 1.0, Z)
    add33(vals, p, 0, 3, -1.0, Ya)
    add33(vals, p, 3, 0, 1.0, mm(Ta, Z))
    add33(vals, p, 3, 3, -1.0, mm(Ta, madd(mm(Fx, Ra), Ya)))


# ---------------------------------------------------------------- the user's words, and results


def end_frame(end: Any, at_: Any, what: str, word: str) -> Frame:
    """The point of a frame, or of a body at a world point (its origin without one)."""
    if isinstance(end, Frame):
        if at_ is not None:
            raise ModelError(f"{what}: the frame says where the point is; leave out {word}")
        return end
    body = as_frame(end, what).body
    if at_ is None:
        return Frame(body)
    point = checks.vector(at_, f"{word} of {what}")
    return Frame(body, rotations.matrix(body.orientation).T @ (point - body.position))


def end_frames(item: Any) -> tuple[tuple[Frame, Frame], float]:
    """The two ends of an item with a, b, at_a, at_b, and their distance as described."""
    fa = end_frame(item.a, item.at_a, item.label, "at_a")
    fb = end_frame(item.b, item.at_b, item.label, "at_b")
    if fa.body is fb.body:
        raise ModelError(
            f"{item.label} joins {fa.body!r} with itself; give two different bodies (or GROUND)"
        )
    pa, pb = fa.world()[0], fb.world()[0]
    length = float(np.linalg.norm(pb - pa))
    if length <= 1e-12 * float(np.linalg.norm(pa) + np.linalg.norm(pb)):
        length = 0.0  # the same point, but for rounding
    return (fa, fb), length


def line_reals(frames: tuple[Frame, Frame], size: int) -> np.ndarray:
    """The reals of a two-point element, its own numbers behind the points still zero."""
    fa, fb = frames
    reals = np.zeros(size)
    reals[UA : UA + 3], reals[UB : UB + 3], reals[QA : QA + 4] = (
        fa.position, fb.position, fa.orientation,
    )  # fmt: skip
    return reals


def line_over_time(reals: np.ndarray, r: Any, q: Any) -> tuple[np.ndarray, ...]:
    """Arms s_a, s_b (T, 3), length (T,) and unit vector (T, 3), in numpy."""
    sa = np.einsum("tij,tj->ti", rotations.matrix(q[0]), reals[:, UA : UA + 3])
    sb = np.einsum("tij,tj->ti", rotations.matrix(q[1]), reals[:, UB : UB + 3])
    d = r[1] + sb - r[0] - sa
    length = np.linalg.norm(d, axis=1)
    return sa, sb, length, d / np.where(length > 0, length, 1.0)[:, None]
