"""A law of one component of the travel along an axis: a spring, damper or stop of any kind.

Frame S on body a, frame P on body b, e = R_S z; with l = r_P − r_a, w = R ω,

    s = e·(r_P − r_S),   ṡ = e·U,   U = v_b + w_b × s_P − v_a − w_a × l
    N = σ(s, ṡ),   residual:  body b  N e, R_bᵀ(s_P × N e);   body a  −N e, −R_aᵀ(l × N e)

the exact gradient of what the law stores.  The tangent goes along each of the twelve increments:
δe = φ_a × e, δs = e·(δl − φ_a × l), δṡ = e·(δU − φ_a × U).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.corners import NOTES, corner_of, note
from linkwork.elements.deformable.bushing import add_column, moved_by
from linkwork.elements.deformable.joint_kernel import room
from linkwork.elements.forces.joint_checks import refuse_moving_markers, refuse_other_items
from linkwork.elements.joints.joints import Joint, markers
from linkwork.elements.laws import LinearViscoelastic
from linkwork.elements.laws.base import (
    ENERGY, KD, KE, RATE, STORED, STRAIN, STRESS, SUPPLIED, WANTED, WORK, ConstitutiveLaw,
    law_at, law_numbers, padded,
    respond,
)  # fmt: skip
from linkwork.elements.layout import (
    AA, AB, BA, BB, CD, CK, OMEGA, OUT, POS, QUAT, ROT, TANGENT, VEL, A, B, int_width, write,
)  # fmt: skip
from linkwork.elements.signals.probes import Probe, along_axis, measured_load
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import begin
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qmul, rotation_matrix
from linkwork.kernels.vectors import (
    accumulate, add, at, at4, at9, column, cross, dot, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, OrientationLike, VectorLike
from linkwork.model.outputs import POWER, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item, Memory

QA, UA, UB, LAW = record(qa=4, ua=3, ub=3, law=0)
LAW_CODES = int_width(2, 0)  # integers of the law
ZERO = (0.0, 0.0, 0.0)


@inlined
def slide(nodes, a, b, qA, uA, uB):
    """e, s_P, l, s, ṡ and U."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    e = column(rotation_matrix(qmul(at4(nodes, a, QUAT), qA)), 2)
    sb = mv(Rb, uB)
    l = sub(add(at(nodes, b, POS), sb), at(nodes, a, POS))
    wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
    U = sub(add(at(nodes, b, VEL), cross(wb, sb)), add(at(nodes, a, VEL), cross(wa, l)))
    return e, sb, l, dot(e, sub(l, mv(Ra, uA))), dot(e, U), U


@inlined
def slide_force(f, nodes, a, b, e, sb, l, N):
    """N e into the residual of b at P, and −N e into that of a."""
    F = scale(N, e)
    accumulate(f, b, 0, F)
    accumulate(f, b, 3, tv(at9(nodes, b, ROT), cross(sb, F)))
    accumulate(f, a, 0, scale(-1.0, F))
    accumulate(f, a, 3, scale(-1.0, tv(at9(nodes, a, ROT), cross(l, F))))


@inlined
def slide_tangent(vals, ints, i, nodes, a, b, e, sb, l, U, N, k, c, cK, cD):
    """cK K + cD D of N with ∂N/∂s = k and ∂N/∂ṡ = c."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
    nb, F = cross(wb, sb), scale(N, e)
    moment_a, moment_b = cross(l, F), cross(sb, F)
    for j in range(12):
        pa, pb, dl = moved_by(j, Ra, Rb, sb)
        ds = dot(e, sub(dl, cross(pa, l)))
        dU = sub(cross(pb, nb), add(cross(cross(pa, wa), l), cross(wa, dl)))
        dN = (cK * k + cD * c) * ds + cK * c * dot(e, sub(dU, cross(pa, U)))
        dF = add(scale(dN, e), scale(cK, cross(pa, F)))
        da = add(cross(l, dF), scale(cK, sub(cross(dl, F), cross(pa, moment_a))))
        db = add(cross(sb, dF), scale(cK, sub(cross(cross(pb, sb), F), cross(pb, moment_b))))
        base_a, base_b = ints[i, AA], ints[i, BA]
        if j >= 6:
            base_a, base_b = ints[i, AB], ints[i, BB]
        add_column(vals, base_a, j % 6, scale(-1.0, dF), scale(-1.0, tv(Ra, da)))
        add_column(vals, base_b, j % 6, dF, tv(Rb, db))


def slide_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    y, memory = np.zeros(WORK), motion.memory
    noted = memory.shape[1] > 0
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        e, sb, l, s, rate, U = slide(
            nodes, a, b, at4(reals, i, QA), at(reals, i, UA), at(reals, i, UB)
        )
        y[STRAIN], y[RATE], y[WANTED] = s, rate, coef[OUT]
        respond(time, law_at(reals, i, LAW), begin(y), law_at(ints, i, LAW_CODES))
        if noted:
            note(memory, i, time, y)
        N, k, c = y[STRESS], y[KE], y[KD]
        slide_force(f, nodes, a, b, e, sb, l, N)
        power[0] += (N - y[STORED]) * rate
        power[1] += y[SUPPLIED]
        if coef[OUT] != 0.0:
            write(loads.out, i, (s, rate, -N, -N * rate, y[ENERGY]))
        if coef[TANGENT] != 0.0:
            slide_tangent(
                vals, ints, i, nodes, a, b, e, sb, l, U, N, k, c, coef[CK], coef[CD]
            )


# --------------------------------------------------------------------------- results, in numpy


def travel(
    frames: tuple[np.ndarray, ...], r: Any, q: Any, v: Any = None, omega: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """s and ṡ (T,) of the frames (q_A, u_A, u_B), each (T, …)."""
    qA, uA, uB = frames
    R = [rotations.matrix(x) for x in q]
    e = (R[0] @ rotations.matrix(qA))[:, :, 2]
    sa, sb = (np.einsum("tij,tj->ti", R[i], u) for i, u in ((0, uA), (1, uB)))
    l = r[1] + sb - r[0]
    s = np.sum(e * (l - sa), axis=1)
    if v is None:
        return s, np.zeros_like(s)
    w = [np.einsum("tij,tj->ti", R[i], omega[i]) for i in range(2)]
    return s, np.sum(e * (v[1] + np.cross(w[1], sb) - v[0] - np.cross(w[0], l)), axis=1)


def frames_in(reals: np.ndarray) -> tuple[np.ndarray, ...]:
    return reals[:, QA : QA + 4], reals[:, UA : UA + 3], reals[:, UB : UB + 3]


def slide_strain(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    return travel(frames_in(reals), r, q)[0]


SLIDE_KERNEL = Kernel(slide_kernel, allocates=True)


@functools.cache
def slide_family(places: int, notes: int = 0) -> Family:
    """Deformable slides whose laws have at most so many numbers; all share one kernel."""
    name = f"deformable slide of {places}" + (" with a corner" if notes else "")
    return Family(
        name, SLIDE_KERNEL, bodies=2, reals=LAW + places, integers=places,
        memory=Memory(notes=notes),
        outputs=(
            Output("displacement", "m"), Output("speed", "m/s"),
            Output("force", "N", words="force on the second body along the axis"), POWER,
            STORED_ENERGY,
        ),
    )  # fmt: skip


def check_slide(joint: Any, what: str) -> None:
    """Refuse a joint that does not slide along the z axis of markers fixed to its bodies."""
    refuse_other_items(joint, what, "a Prismatic")
    if 2 in joint.active:
        raise ModelError(
            f"{what} cannot act on {joint.label}, which does not slide along its z axis; use a "
            "joint such as a Prismatic or a Cylindrical"
        )
    refuse_moving_markers(joint, what)


def slide_entry(frames: tuple[Frame, Frame], law: Any, what: str) -> Entry:
    """The element of a law on the travel between two frames."""
    fa, fb = frames
    numbers, integers, laws = law_numbers(law, 1, what, LAW)
    corner = corner_of(law, numbers, integers, LAW, frames, slide_strain)
    notes, places = 0 if corner is None else NOTES, room(numbers, integers)
    integers = padded(integers, places)
    reals = np.zeros(LAW + places)
    reals[QA : QA + 4], reals[UA : UA + 3] = fa.orientation, fa.position
    reals[UB : UB + 3] = fb.position
    reals[LAW : LAW + len(numbers)] = numbers
    family = slide_family(places, notes)
    return Entry(
        family, (fa.body, fb.body), reals, laws=laws, corner=corner, integers=integers,
        memory=np.zeros(notes),
    )  # fmt: skip


@dataclass(eq=False)
class DeformableSlide(Item):
    """A force along an axis from a law of one component of the travel along it.

    a, b        : the two bodies, or lw.GROUND, or frames on them (lw.Frame); or a is a joint that
                  slides along its axis, and b is left out
    law         : of one component: force (N) from displacement (m) and speed (m/s); needed
    at          : (x, y, z), a point of the axis in the reference configuration (m, world axes)
    axis        : direction of the axis (world axes); default (0, 0, 1)
    orientation : quaternion (w, x, y, z) of axes in the world whose z is the axis, instead of axis

    Outputs: displacement, speed, force (on b, along the axis).

    Example
    -------
    >>> import linkwork as lw
    >>> cart = lw.Body(1, (1, 1, 1))
    >>> rail = lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0))
    >>> buffer = lw.DeformableSlide(rail, law=lw.laws.CubicElastic(10, 0, 200, viscosity=1))
    """

    a: FrameLike | Joint
    b: FrameLike | None = None
    law: ConstitutiveLaw | None = None
    at: VectorLike | None = None
    axis: VectorLike | None = None
    orientation: OrientationLike | None = None
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.a, Joint) and self.b is None:
            check_slide(self.a, self.label)
            self.frames = self.a.frames
        else:
            self.frames = markers(
                self.a, self.b, self.at, self.axis, self.orientation, self.label, True
            )
        law_numbers(self.law, 1, self.label, LAW)

    def needs(self) -> tuple[Item, ...]:
        return (self.a,) if isinstance(self.a, Joint) and self.b is None else ()

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity in ("displacement", "speed") and self.needs():
            return self.needs()[0].reading(quantity, axis)
        offered = ("force", *(("displacement", "speed") if self.needs() else ()))
        return measured_load(self, quantity, axis, offered, along=False)

    def probe(self, quantity: str, which: int) -> Probe:
        return along_axis(self.frames)

    def entries(self) -> list[Entry]:
        return [slide_entry(self.frames, self.law, self.label)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> DeformableSlide:
        law = LinearViscoelastic(rng.uniform(1, 5), rng.uniform(1, 2), prestrain=rng.normal())
        return cls(a, b, law, rng.normal(size=3), rng.normal(size=3))
