"""A beam reduced to a few shapes: which they are, and the constants of its equations.

With places ρ = ρ0 + Φ q and small rotations Ψ q of the sections in the axes of the floating frame,
all sums over the mass,

    m = Σ m,  s0 = Σ m ρ0,  P0 = Σ m ρ0 ρ0ᵀ
    N_i = Σ m Φ_i,  W0_i = Σ m ρ0 Φ_iᵀ,  G_ij = Σ m Φ_i Φ_jᵀ
    J̄ = Σ J,  H = Σ J Ψ,  E = Σ Ψᵀ J Ψ                            (rotary inertia of sections)

Shapes are orthogonal in mass and stiffness, and each moves as much mass as the beam has, so that
tr G_ij + E_ij = m δ_ij, K = m diag(ω²), D = 2 m diag(ζ ω), and amplitudes q are lengths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.elements.flexible.beam import MOTIONS, Beam, held_shapes, orthogonal, tip_shapes
from linkwork.errors import ModelError

# the unknowns of an end that each support holds; stretch and twist of pinned ends at the root alone
HELD = {
    "root": {"clamped": (0, 1, 2, 3, 4, 5), "pinned": (0, 1, 2, 3), "free": ()},
    "tip": {"clamped": (0, 1, 2, 3, 4, 5), "pinned": (1, 2), "free": ()},
}


@dataclass(frozen=True, eq=False)
class Modal:
    """The constants of a flexible link's equations, in the axes of its floating frame."""

    mass: float
    s0: np.ndarray  # (3)
    P0: np.ndarray  # (3, 3)
    Jbar: np.ndarray  # (3, 3)
    N: np.ndarray  # (m, 3)
    W0: np.ndarray  # (m, 3, 3)
    G: np.ndarray  # (m, m, 3, 3)
    H: np.ndarray  # (3, m)
    E: np.ndarray  # (m, m)
    K: np.ndarray  # (m, m)
    D: np.ndarray  # (m, m)

    @property
    def frequency(self) -> np.ndarray:
        """Of the shapes by themselves, Hz."""
        return np.sqrt(np.diag(self.K) / self.mass) / (2 * np.pi)


@dataclass(frozen=True, eq=False)
class Shapes:
    """Shapes of a beam (unknowns, m), their ω² and the motion each belongs to, slowest first."""

    beam: Beam
    vectors: np.ndarray
    squares: np.ndarray
    motions: tuple[str, ...]

    def at(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacements Φ_u and rotations Φ_θ, (n, 3, m), at parts s of the length."""
        found = self.beam.functions(np.asarray(s, float) * self.beam.length) @ self.vectors
        return found[:, :3], found[:, 3:]


def held_modes(beam: Beam, supports: tuple[str, str], motions: list[str], what: str) -> Shapes:
    """All modes of the beam with its two ends held so."""
    K, M = beam.matrices
    found = []
    for motion in motions:
        own = beam.motion(motion)
        held = [i for i in HELD["root"][supports[0]] if i in MOTIONS[motion]]
        last = [6 * beam.elements + i for i in HELD["tip"][supports[1]] if i in MOTIONS[motion]]
        if len(held + last) < len(MOTIONS[motion]):
            raise ModelError(
                f"boundary of {what} is {supports[0]} at the root and {supports[1]} at the tip, "
                f"which leaves a rigid motion in the modes of its {motion.split()[0]}; the "
                "floating frame has the rigid motion already, so hold the ends such as "
                'boundary="clamped-free" or "pinned-pinned"'
            )
        fixed = np.flatnonzero(np.isin(own, held + last))
        squares, shapes = held_shapes(K[np.ix_(own, own)], M[np.ix_(own, own)], fixed)
        found += spread(beam, own, squares, shapes, motion)
    return together(beam, found)


def craig_bampton(beam: Beam, modes: int, motions: list[str], what: str) -> Shapes:
    """Static shapes of the tip and `modes` modes with both ends held, made orthogonal."""
    inner = chosen(held_modes(beam, ("clamped", "clamped"), motions, what), modes, what)
    K, M = beam.matrices
    found = []
    for motion in motions:
        own = beam.motion(motion)
        n = len(MOTIONS[motion])
        root, tip = np.arange(n), np.arange(len(own) - n, len(own))
        k, m = K[np.ix_(own, own)], M[np.ix_(own, own)]
        mine = [i for i, name in enumerate(inner.motions) if name == motion]
        shapes = np.hstack([tip_shapes(k, root, tip), inner.vectors[own][:, mine]])
        try:
            squares, shapes = orthogonal(k, m, shapes)
        except np.linalg.LinAlgError:
            raise
        except ValueError:
            raise ModelError(
                f"section of {what} has no inertia against {motion.split()[0]}, so this shape has "
                "no mass; give the section Jx, or leave the shape out with another boundary"
            ) from None
        found += spread(beam, own, squares, shapes, motion)
    return together(beam, found)


Found = list[tuple[float, str, np.ndarray]]


def spread(
    beam: Beam, own: np.ndarray, squares: np.ndarray, shapes: np.ndarray, motion: str
) -> Found:
    """Shapes of one motion over all unknowns of the beam."""
    out: Found = []
    for square, shape in zip(squares, shapes.T, strict=True):
        whole = np.zeros(beam.unknowns)
        whole[own] = shape
        out.append((float(square), motion, whole))
    return out


def together(beam: Beam, found: Found) -> Shapes:
    """Slowest first; each with the mass of the beam, its largest part positive."""
    M = beam.matrices[1]
    found = sorted(found, key=lambda x: x[0])
    vectors = np.array([v for _, _, v in found]).T.reshape(beam.unknowns, len(found))
    mass = beam.section.mass * beam.length
    vectors = vectors * np.sqrt(mass / np.einsum("ai,ab,bi->i", vectors, M, vectors, optimize=True))
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(len(found))])
    return Shapes(beam, vectors, np.array([x for x, _, _ in found]), tuple(n for _, n, _ in found))


def chosen(shapes: Shapes, modes: int, what: str) -> Shapes:
    """The slowest ones."""
    if modes > len(shapes.squares):
        raise ModelError(
            f"{what} with {shapes.beam.elements} elements has {len(shapes.squares)} modes, but "
            f"modes={modes} was given; take fewer modes or more elements"
        )
    return Shapes(
        shapes.beam, shapes.vectors[:, :modes], shapes.squares[:modes], shapes.motions[:modes]
    )


def constants(shapes: Shapes, damping: np.ndarray) -> Modal:
    """The sums over the mass, exact for the shape functions."""
    beam, section = shapes.beam, shapes.beam.section
    x, dx = beam.gauss()
    m = section.mass * dx
    rho = np.zeros((len(x), 3))
    rho[:, 0] = x
    Phi, Psi = shapes.at(x / beam.length)
    J = dx[:, None] * np.array([section.Jx, section.Jy, section.Jz])
    mass = section.mass * beam.length
    omega = np.sqrt(shapes.squares)
    return Modal(
        mass=mass,
        s0=np.einsum("p,pa->a", m, rho),
        P0=np.einsum("p,pa,pb->ab", m, rho, rho),
        Jbar=np.diag(J.sum(axis=0)),
        N=np.einsum("p,pai->ia", m, Phi),
        W0=np.einsum("p,pa,pbi->iab", m, rho, Phi, optimize=True),
        G=np.einsum("p,pai,pbj->ijab", m, Phi, Phi, optimize=True),
        H=np.einsum("pa,pai->ai", J, Psi),
        E=np.einsum("pa,pai,paj->ij", J, Psi, Psi, optimize=True),
        K=mass * np.diag(shapes.squares),
        D=2 * mass * np.diag(damping * omega),
    )
