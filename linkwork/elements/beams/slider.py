"""A point of a body that slides along a beam (technical manual of MBDyn, 9.1.1).

The place σ on the beam counts elements from its start and is an unknown of its own, a scalar node
without mass.  With the axis p(σ) = Σ N_i(ξ) p_i of the element that σ is in, ξ = 2 (σ − e) − 1,
seen from the body a, and its tangent t = dp/dσ,

    C₁₋₃ = R_aᵀ (p − r_a) − f_a,     classic also   C₄₋₅ = e₂·R_aᵀ t/L,  e₃·R_aᵀ t/L = 0

e₁ of the body's axes lies along the beam then, and the body may turn about it.  L is the length of
the element at rest.  Both are made of y = R_aᵀ(Σ W_i p_i − w r_a) with the weights W = N, w = 1 and
W = dN/dσ, w = 0.  A vector γ of multipliers in the axes of a is the force F = R_a γ, and

    a   −w F,  −y × γ        node i   W_i F,  W_i f_i × R_iᵀF        σ   t_W·F,  t_W = Σ W_i′ p_i

The last is the equation of σ: what holds the body is perpendicular to the beam.  K_c:

    δF = −R_a γ~ θ_a,   δy = R_aᵀ (Σ W_i (δx_i − R_i f̃_i θ_i) + t_W δσ − w δr_a) + ỹ θ_a

    Q_c = −ÿ at zero accelerations:  with d = Σ W_i p_i − w r_a,  u = R_aᵀ ḋ,  ω = ω_a,
    ÿ = R_aᵀ (Σ W_i ω_i × (ω_i × a_i) + 2 σ̇ Σ W_i′ ṗ_i + σ̇² Σ W_i″ p_i) − 2 ω × u + ω × (ω × y)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.beams.beam import Beam
from linkwork.elements.beams.element import BeamElement
from linkwork.elements.beams.family import shape_functions
from linkwork.elements.beams.kernels.slider_tangent import (
    ARM_A, OFFSETS, SECOND, THIRD, add_sliding, hold_place,
)  # fmt: skip
from linkwork.elements.layout import (
    KC, OMEGA, OUT, POS, RATES, ROT, STRIDE, TANGENT, VALUE, VEL, put6, put_value, write,
)  # fmt: skip
from linkwork.elements.layout import RATE as VALUE_RATE
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, column, cross, dot, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.frame import Frame, as_frame
from linkwork.model.given import FrameLike
from linkwork.model.nodes import Node, scalar
from linkwork.model.outputs import REACTION
from linkwork.model.registry import Entry, Family, Item

KINDS = ("spherical", "classic")
PLACE = scalar("place", order=2)
ZERO = (0.0, 0.0, 0.0)


def slider_kernel(ints, reals, motion, loads):
    """Ends: the body, the nodes of the beam, the place."""
    nodes, values, gamma, coef = motion.nodes, motion.values, motion.gamma, motion.coef
    f, balance, C, Qc, vals = loads.f, loads.balance, loads.C, loads.Qc, loads.vals
    n = 1
    width = ints.shape[1] - 1  # before the order
    while n * n + 2 * n + 13 < width:  # three or five rows
        n += 1
    rows = (width - (n + n * n + 3 + n)) // 2
    EQ, CB, SLOTS = n + n * n, n + n * n + 2, n + n * n + 3 + n + rows
    W, W1, W2 = np.zeros(3), np.zeros(3), np.zeros(3)
    for k in range(ints.shape[0]):
        a, s, order = ints[k, 0], ints[k, n - 1], ints[k, width]
        Ra, wa, ra = at9(nodes, a, ROT), at(nodes, a, OMEGA), at(nodes, a, POS)
        sigma, speed = values[VALUE, s], values[VALUE_RATE, s]
        eq, kept = ints[k, EQ], ints[k, EQ + 1]
        elements = (n - 3) // (order - 1)
        e = min(max(int(np.floor(sigma)), 0), elements - 1)
        first = 1 + e * (order - 1)  # of the ends
        tangent = coef[TANGENT] != 0.0
        if tangent:
            for j in range(rows):
                row = min(ints[k, SLOTS + j] - eq, kept)
                for i in range(n - 1):
                    put6(vals, ints[k, CB + i], row, ZERO, ZERO)
        for part in range(2 if rows > 3 else 1):
            w = hold_place(part, order, sigma - e, reals[k, OFFSETS + 3 * (n - 2) + e], W, W1, W2)
            g = (gamma[ints[k, SLOTS]], gamma[ints[k, SLOTS + 1]], gamma[ints[k, SLOTS + 2]])
            if part == 1:
                g = scale(gamma[ints[k, SLOTS + 3]], at(reals, k, SECOND))
                g = add(g, scale(gamma[ints[k, SLOTS + 4]], at(reals, k, THIRD)))
            F = mv(Ra, g)
            d, d1 = scale(-w, ra), scale(-w, at(nodes, a, VEL))
            t, d2 = ZERO, ZERO
            for i in range(order):
                b = ints[k, first + i]
                R, wi = at9(nodes, b, ROT), at(nodes, b, OMEGA)
                local = at(reals, k, OFFSETS + 3 * (first + i - 1))
                arm, spin = mv(R, local), mv(R, wi)
                p = add(at(nodes, b, POS), arm)
                v = add(at(nodes, b, VEL), cross(spin, arm))
                d, t = add(d, scale(W[i], p)), add(t, scale(W1[i], p))
                d1 = add(d1, add(scale(W[i], v), scale(speed * W1[i], p)))
                d2 = add(d2, scale(W[i], cross(spin, cross(spin, arm))))
                d2 = add(d2, add(scale(2.0 * speed * W1[i], v), scale(speed**2 * W2[i], p)))
                accumulate(f, b, 0, scale(W[i], F))
                accumulate(f, b, 3, scale(W[i], cross(local, tv(R, F))))
            y, u = tv(Ra, d), tv(Ra, d1)
            if coef[OUT] != 0.0:
                if part == 0:
                    place = add(d, scale(w, ra))
                    write(loads.out, k, scale(-1.0, g) + ZERO + Ra + place)
                else:
                    torque = cross(g, y)
                    for j in range(3):
                        loads.out[k, 3 + j] = torque[j]
            accumulate(f, a, 0, scale(-w, F))
            accumulate(f, a, 3, cross(g, y))
            balance[s] += dot(t, F)
            second = add(tv(Ra, d2), sub(cross(wa, cross(wa, y)), scale(2.0, cross(wa, u))))
            for j in range(3 if part == 0 else 2):
                slot = ints[k, SLOTS + 3 * part + j]
                q = at(reals, k, SECOND + 3 * j)
                C[slot] = y[j] - reals[k, ARM_A + j] if part == 0 else dot(q, y)
                if coef[RATES] != 0.0:
                    Qc[slot] = -second[j] if part == 0 else -dot(q, second)
                if not tangent:
                    continue
                E, row = column(Ra, j) if part == 0 else mv(Ra, q), min(slot - eq, kept)
                put6(vals, ints[k, CB], row, scale(-w, E), cross(tv(Ra, E), y))
                for i in range(order):
                    R = at9(nodes, ints[k, first + i], ROT)
                    local = at(reals, k, OFFSETS + 3 * (first + i - 1))
                    turn = scale(W[i], cross(local, tv(R, E)))
                    put6(vals, ints[k, CB + first + i], row, scale(W[i], E), turn)
                put_value(vals, ints[k, CB + n - 1], row, STRIDE, 0, dot(t, E))
            if tangent and coef[KC] != 0.0:
                add_sliding(
                    vals, ints, nodes, values, reals, coef, k, n, first, order, w, W, W1, W2, Ra,
                    g, F, y, t,
                )  # fmt: skip


SLIDER_KERNEL = Kernel(slider_kernel, allocates=True)


@functools.cache
def slider_family(nodes: int, rows: int) -> Family:
    """Along a beam of so many nodes; all share one kernel."""
    return Family(
        f"slider with {rows} rows along {nodes} nodes", SLIDER_KERNEL, bodies=nodes + 2, rows=rows,
        reals=OFFSETS + 4 * nodes, integers=1, angles=(3, 4) if rows > 3 else (),
        outputs=REACTION,
    )  # fmt: skip


@dataclass(eq=False)
class BeamSlider(Item):
    """A point of a body that slides along a beam without friction.

    a     : the body that slides, or a Frame on it
    beam  : lw.Beam, an lw.BeamElement, a list of elements that follow each other, or of Frames: at
            the ends and the middle of each element, on bodies that elements join
    kind  : "spherical" holds the point on the beam's axis; "classic" also holds the x axis of a
            along the beam, so that the body turns about the beam alone
    place : where on the beam it starts, counted in elements from the start of the beam: 1.5 is the
            middle of the second one; the nearest place in the reference configuration if not given

    Outputs: place, place_rate (in elements); force (N) and torque (N m) on the beam at that place,
    in the axes of the body, and force_world, torque_world.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("bead", gravity=(0, 0, -9.81))
    >>> steel = lw.Section.circle(0.01, E=2.1e11, density=7800)
    >>> wire = m.add("wire", lw.Beam((0, 0, 0), (2, 0, -0.5), steel, elements=4))
    >>> clamp = m.add("clamp", lw.Fixed(lw.GROUND, wire.root, at=(0, 0, 0)))
    >>> bead = m.add("bead", lw.Body(0.1, (1e-5, 1e-5, 1e-5), position=(0.4, 0, -0.1)))
    >>> slides = m.add("slides", lw.BeamSlider(bead, wire))
    """

    a: FrameLike
    beam: Beam | BeamElement | Sequence[BeamElement] | Sequence[Frame]
    kind: str = "spherical"
    place: float | None = None
    frames: tuple[Frame, ...] = field(init=False, repr=False)

    places: ClassVar[frozenset[str]] = Item.places | {"beam"}

    def __post_init__(self) -> None:
        what = self.label
        checks.choice(self.kind, f"kind of {what}", KINDS)
        self.frames = (as_frame(self.a, what),)
        parts = list(self.beam) if isinstance(self.beam, (list, tuple)) else [self.beam]
        known = len(parts) == 1 and isinstance(parts[0], Beam)
        known = known or (bool(parts) and all(isinstance(x, BeamElement) for x in parts))
        framed = len(parts) > 2 and len(parts) % 2 == 1 and all(isinstance(x, Frame) for x in parts)
        if not known and not framed:
            raise ModelError(
                f"beam of {what} must be an lw.Beam, or BeamElements that follow each other, or "
                f"Frames (three, five, seven …), but {checks.show(self.beam)} was given"
            )
        self.track(), self.start()
        self.__dict__.setdefault("node", Node(PLACE, 0.0, rate=None))

    def needs(self) -> tuple[Item, ...]:
        parts = tuple(self.beam) if isinstance(self.beam, (list, tuple)) else (self.beam,)
        return tuple(part for part in parts if isinstance(part, Item))

    def track(self) -> tuple[int, list[Frame]]:
        """Nodes of an element, and the frames of all nodes."""
        if isinstance(self.beam, Beam):
            return self.beam.order, [Frame(body) for body in self.beam.bodies()]
        parts: tuple[Any, ...] = self.needs()
        found: list[Frame] = []
        if not parts:
            given: Any = self.beam
            return 3, list(given)
        for element in parts:
            frames = list(element.frames)
            if len(frames) != len(parts[0].frames):
                raise ModelError(
                    f"the elements of {self.label} must have as many nodes each, but some have two "
                    "and some three"
                )
            if found:
                if found[-1].body is not frames[0].body or not np.allclose(
                    found[-1].position, frames[0].position, rtol=0, atol=1e-9
                ):
                    raise ModelError(
                        f"the elements of {self.label} must follow each other: {element.label} "
                        "does not begin where the one before it ends"
                    )
                frames = frames[1:]
            found += frames
        return len(parts[0].frames), found

    @property
    def count(self) -> int:
        """Elements of its beam."""
        order, frames = self.track()
        return (len(frames) - 1) // (order - 1)

    def axis(self, sigma: float) -> tuple[np.ndarray, np.ndarray]:
        """Place and tangent of the axis in the reference configuration."""
        order, frames = self.track()
        elements = (len(frames) - 1) // (order - 1)
        e = min(max(int(np.floor(sigma)), 0), elements - 1)
        p = np.array([f.world()[0] for f in frames[e * (order - 1) : e * (order - 1) + order]])
        N, N1 = shape_functions(order, 2 * (sigma - e) - 1)
        return N @ p, 2 * N1 @ p

    def start(self) -> float:
        """The place at the start."""
        elements = self.count
        if self.place is not None:
            place = checks.number(self.place, f"place of {self.label}")
            if not 0 <= place <= elements:
                raise ModelError(
                    f"place of {self.label} must lie between 0 and {elements}, the number of "
                    f"elements of its beam, but {place:g} was given"
                )
            self.__dict__["place"] = place
            return place
        point = self.frames[0].world()[0]
        trials = np.linspace(0, elements, 8 * elements + 1)
        near = [float(np.sum((self.axis(s)[0] - point) ** 2)) for s in trials]
        sigma = float(trials[int(np.argmin(near))])
        for _ in range(20):
            p, t = self.axis(sigma)
            sigma = min(max(sigma + float((point - p) @ t / (t @ t)), 0.0), float(elements))
        return sigma

    def vector_nodes(self) -> list[Node]:
        node: Node = self.__dict__["node"]
        node.value = np.array([self.start()])
        return [node]

    def entries(self) -> list[Entry]:
        order, frames = self.track()
        frame = self.frames[0]
        reals = np.zeros(OFFSETS + 4 * len(frames))
        axes = rotations.matrix(frame.orientation)
        reals[ARM_A : ARM_A + 3], reals[SECOND : SECOND + 3] = frame.position, axes[:, 1]
        reals[THIRD : THIRD + 3] = axes[:, 2]
        for i, each in enumerate(frames):
            reals[OFFSETS + 3 * i : OFFSETS + 3 * i + 3] = each.position
        lengths = OFFSETS + 3 * len(frames)
        elements = (len(frames) - 1) // (order - 1)
        for e in range(elements):
            reals[lengths + e] = float(np.linalg.norm(self.axis(e + 0.5)[1]))
        rows = 3 if self.kind == "spherical" else 5
        bodies = (frame.body, *(f.body for f in frames), self.vector_nodes()[0])
        names = ("x", "y", "z", "across y", "across z")[:rows]
        family = slider_family(len(frames), rows)
        return [Entry(
            family, bodies, reals, rows=tuple(range(rows)), row_names=names, integers=(order,)
        )]  # fmt: skip

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.bodies.body import Body
        from linkwork.elements.flexible.section import Section

        section = Section(stiffness=np.ones(6), mass=1.0, inertia=(1, 1, 1))
        p = [b.position + 2.0 * i * np.array([1.0, 0, 0]) for i in range(1, 5)]
        more = [Body(1, (1, 1, 1), x + 0.2 * rng.normal(size=3)) for x in p]
        ends = [Frame(body, 0.2 * rng.normal(size=3)) for body in (b, *more)]
        parts = [BeamElement(*ends[i : i + 3], section=section) for i in (0, 2)]  # type: ignore[misc, arg-type]
        slide = cls(Frame(a, rng.normal(size=3)), parts, KINDS[int(rng.integers(2))], 1.3)
        return [*more, *parts, slide]

