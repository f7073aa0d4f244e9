"""Rolling without slip: a wheel or a ball on a plane.

A plane is fixed to body a: its normal k (unit, away from the surface), two directions t₁, t₂ in it
and a point p.  On body b there are a centre c and, for a wheel, an axis n (unit).  The contact

    P = c + ρ d,    d = −u/|u|,  u = k − (k·n) n   (a wheel: the lowest point of the rim)
                    d = −k                         (a ball)

is the point of b next to the plane.  With the velocity U of b at P seen from a,

    U = v_b + w_b × s − v_a − w_a × l,     s = P − r_b,  l = P − r_a

there are one row on positions and two on velocities (nonholonomic):

    C = k·(P − p) = 0         Ċ = k·U, since the rim's lowest point moves along the rim
    φ₁ = t₁·U = 0,  φ₂ = t₂·U = 0

All three have the Jacobian of a force e (k, t₁ or t₂) at P:

    C_q:  b  e, R_bᵀ(s × e);   a  −e, −R_aᵀ(l × e)
    reaction C_qᵀγ with F = Σ γ e; its change K_c along each of the twelve increments, with
    δe = φ_a × e,  δs = φ_b × (c − r_b) + ρ δd,   φ the rotations of the bodies in world axes
    Q_c = −ė·U − e·(w_b × ṡ − w_a × l̇)

In a step the rows on velocities are divided by cv, as those of `velocity_lock`.  The force at P may
press and pull: a wheel does not leave the plane.  (J. I. Neimark, N. A. Fufaev: Dynamics of
nonholonomic systems, 1972.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.deformable.bushing import add_column, moved_by
from linkwork.elements.layout import (
    AA, AB, BA, BB, CD, CK, EQ, KC, OMEGA, OUT, POS, ROT, ROWS, TANGENT, VEL, A, B, M, multipliers,
    put_row, write,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, mv, scale, sub, transpose, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.frame import GROUND, Frame, as_frame, place
from linkwork.model.given import DirectionLike, FrameLike, VectorLike
from linkwork.model.outputs import REACTION, Output
from linkwork.model.registry import Entry, Family, Item

# reals: of the plane t₁, t₂, k and p on body a; centre and axis on body b, radius, 1 for a ball
T1, T2, NORMAL, POINT, CENTRE, AXIS, RADIUS, BALL, REALS = record(
    t1=3, t2=3, normal=3, point=3, centre=3, axis=3, radius=1, ball=1, reals=0
)
ROW_NAMES = ("slip x", "slip y", "normal")
FLAT = 1e-9  # sine of the angle between a wheel and the plane: it lies on its side
OFF = 0.1  # of the radius: how far from the plane a wheel may be described
ZERO = (0.0, 0.0, 0.0)
SLOTS = ROWS + 3  # in ints: the multiplier of each of the three rows


@inlined
def towards(k, n, ball):
    """d, and the length of u."""
    if ball:
        return scale(-1.0, k), 1.0
    u = sub(k, scale(dot(k, n), n))
    size = max(math.sqrt(dot(u, u)), FLAT)
    return scale(-1.0 / size, u), size


@inlined
def turned_towards(k, n, d, size, pa, pb, ball):
    """δd where a and b turn by small pa and pb (world axes), or ḋ for their angular velocities."""
    dk = cross(pa, k)
    if ball:
        return scale(-1.0, dk)
    dn = cross(pb, n)
    du = sub(sub(dk, scale(dot(dk, n) + dot(k, dn), n)), scale(dot(k, n), dn))
    return scale(-1.0 / size, sub(du, scale(dot(d, du), d)))


@inlined
def rolling_stiffness(vals, ints, i, Ra, Rb, arm, rho, k, n, d, size, ball, s, l, F, cK):
    """K_c: F turns with a, and the contact point moves, column by column."""
    moment_a, moment_b = cross(l, F), cross(s, F)
    for j in range(12):
        pa, pb, shift = moved_by(j, Ra, Rb, ZERO)
        ds = add(cross(pb, arm), scale(rho, turned_towards(k, n, d, size, pa, pb, ball)))
        dl, dF = add(shift, ds), cross(pa, F)
        da = sub(add(cross(l, dF), cross(dl, F)), cross(pa, moment_a))
        db = sub(add(cross(s, dF), cross(ds, F)), cross(pb, moment_b))
        base_a, base_b = ints[i, AA], ints[i, BA]
        if j >= 6:
            base_a, base_b = ints[i, AB], ints[i, BB]
        add_column(vals, base_a, j % 6, scale(-cK, dF), scale(-cK, tv(Ra, da)))
        add_column(vals, base_b, j % 6, scale(cK, dF), scale(cK, tv(Rb, db)))


def rolling_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Qc, vals = loads.f, loads.C, loads.Qc, loads.vals
    factor = 0.0
    if coef[CD] != 0.0:
        factor = coef[CK] / coef[CD]
    for i in range(ints.shape[0]):
        a, b, eq, m = ints[i, A], ints[i, B], ints[i, EQ], ints[i, M]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        ball, rho = reals[i, BALL] != 0.0, reals[i, RADIUS]
        k, n = mv(Ra, at(reals, i, NORMAL)), mv(Rb, at(reals, i, AXIS))
        d, size = towards(k, n, ball)
        arm = mv(Rb, at(reals, i, CENTRE))
        s = add(arm, scale(rho, d))
        l = sub(add(at(nodes, b, POS), s), at(nodes, a, POS))
        wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
        v = sub(at(nodes, b, VEL), at(nodes, a, VEL))
        U = sub(add(v, cross(wb, s)), cross(wa, l))
        s1 = add(cross(wb, arm), scale(rho, turned_towards(k, n, d, size, wa, wb, ball)))
        U1 = sub(cross(wb, s1), cross(wa, add(v, s1)))
        F = ZERO
        for j in range(m):
            row = ints[i, ROWS + j]
            e = mv(Ra, at(reals, i, 3 * row))
            if row == 2:
                C[eq + j] = dot(e, l) - dot(at(reals, i, NORMAL), at(reals, i, POINT))
            else:
                C[eq + j] = factor * dot(e, U)
            Qc[eq + j] = -dot(cross(wa, e), U) - dot(e, U1)
            F = add(F, scale(gamma[eq + j], e))
            if coef[TANGENT] != 0.0:
                moment_a = scale(-1.0, tv(Ra, cross(l, e)))
                put_row(vals, ints, i, j, scale(-1.0, e), moment_a, e, tv(Rb, cross(s, e)))
        if coef[OUT] != 0.0:
            g = multipliers(ints, i, gamma, SLOTS)
            R = transpose(mv(Ra, at(reals, i, T1)) + mv(Ra, at(reals, i, T2)) + k)
            point = add(at(nodes, b, POS), s)
            write(loads.out, i, scale(-1.0, g) + ZERO + R + point + point)
        accumulate(f, b, 0, F)
        accumulate(f, b, 3, tv(Rb, cross(s, F)))
        accumulate(f, a, 0, scale(-1.0, F))
        accumulate(f, a, 3, scale(-1.0, tv(Ra, cross(l, F))))
        if coef[TANGENT] != 0.0 and coef[KC] != 0.0:
            rolling_stiffness(
                vals, ints, i, Ra, Rb, arm, rho, k, n, d, size, ball, s, l, F, coef[CK]
            )


ROLLING = Family(
    "rolling", Kernel(rolling_kernel), bodies=2, rows=3, reals=REALS, velocity=(0, 1),
    outputs=(*REACTION, Output("contact_point", "m", "xyz")),
)  # fmt: skip


@dataclass(eq=False)
class Rolling(Item):
    """A wheel or a ball that rolls on a plane without slipping and without leaving it.

    wheel  : the body that rolls, or a frame on it (lw.Frame): its centre is that of the wheel
    ground : what it rolls on: lw.GROUND (default) or a body; the plane is fixed to it
    radius : of the wheel or ball (m)
    axis   : of the wheel, a direction in world axes in the reference configuration; None: a ball
    normal : of the plane, towards the wheel (world axes, in the reference configuration); default
             (0, 0, 1)
    at     : a point of the plane (x, y, z) (m, world axes, in the reference configuration); None:
             the plane touches the wheel as it is described

    The lowest point of the rim (or of the ball) stays on the plane, one condition on positions, and
    has no velocity along it, two conditions on velocities.  The force may press and pull:
    `run["roll"].force[:, 2]` is negative while the plane would have to pull, which a run
    tells.

    Outputs: force, torque (zero), in the axes of the plane: x along the way the wheel rolls in the
    reference configuration, z along the normal; contact_point (m, world axes).

    In the example a hoop rolls down a slope of 30 degrees: its centre has half of the acceleration
    of sliding.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(9.81 * 0.5, 0, -9.81 * 0.75**0.5))
    >>> hoop = m.add("hoop", lw.Body(2, (0.09, 0.18, 0.09), position=(0, 0, 0.3)))
    >>> roll = m.add("roll", lw.Rolling(hoop, lw.GROUND, radius=0.3, axis=(0, 1, 0)))
    >>> run = lw.transient(m, t=1, h=1e-3, progress=False)
    >>> round(float(run["hoop"].position[-1, 0]) / (0.5 * 9.81 * 0.5), 6)
    0.5
    """

    wheel: FrameLike
    ground: FrameLike | None = None
    radius: float = 0.0
    axis: DirectionLike | None = None
    normal: VectorLike = (0.0, 0.0, 1.0)
    at: VectorLike | None = None
    frames: tuple[Frame, Frame] = field(init=False, repr=False)
    has_range: ClassVar[bool] = True

    def __post_init__(self) -> None:
        what = self.label
        wheel = as_frame(self.wheel, f"wheel of {what}")
        ground = as_frame(GROUND if self.ground is None else self.ground, f"ground of {what}")
        if wheel.body is ground.body:
            raise ModelError(
                f"{what} joins {wheel.body!r} with itself; give the wheel first, and then what it "
                "rolls on"
            )
        self.radius = checks.number(self.radius, f"radius of {what}", positive=True)
        k = checks.direction(self.normal, f"normal of {what}")
        across, d = np.eye(3)[np.argmin(np.abs(k))], -k
        if self.axis is not None:
            across = checks.direction(self.axis, f"axis of {what}")
            d = (k @ across) * across - k
            if np.linalg.norm(d) < 1e-6:
                raise ModelError(
                    f"axis of {what} is along the normal of its plane: the wheel would lie on its "
                    "side; give the direction of its axle, such as (0, 1, 0)"
                )
            d /= np.linalg.norm(d)
        centre, _ = wheel.world()
        point = centre + self.radius * d
        if self.at is not None:
            above = float(k @ (point - checks.vector(self.at, f"at of {what}")))
            if abs(above) > OFF * self.radius:
                raise ModelError(
                    f"the wheel of {what} is not on its plane: its lowest point lies "
                    f"{abs(above):g} m {'above' if above > 0 else 'below'} it; place it there, or "
                    "leave out at= for the plane that touches it"
                )
            point = point - k * above
        along, _ = checks.unit(np.cross(across, k))
        axes = rotations.from_matrix(np.column_stack([along, np.cross(k, along), k]))
        axle = checks.axes(self.axis, None, what)
        self.frames = place(ground.body, point, axes), place(wheel.body, centre, axle)

    def entries(self) -> list[Entry]:
        plane, wheel = self.frames
        reals = np.zeros(REALS)
        reals[T1:POINT] = rotations.matrix(plane.orientation).T.ravel()
        reals[POINT:CENTRE] = plane.position
        reals[CENTRE:AXIS] = wheel.position
        if self.axis is not None:
            reals[AXIS:RADIUS] = rotations.matrix(wheel.orientation)[:, 2]
        reals[RADIUS], reals[BALL] = self.radius, self.axis is None
        ends = (plane.body, wheel.body)
        return [Entry(ROLLING, ends, reals, rows=(0, 1, 2), row_names=ROW_NAMES)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Rolling:
        axis = rng.normal(size=3) if rng.integers(3) else None
        return cls(b, a, radius=rng.uniform(0.5, 1), axis=axis, normal=rng.normal(size=3))
