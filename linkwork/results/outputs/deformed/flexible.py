"""Energy, momentum and deformed shape of flexible links over time.

    p = m v + ω × s + N q̇,   l = s × v + I ω + Σ (m ρ × Φ_j + H_j) q̇_j           axes of F, about F
    T = ½ (v·p + ω·l + q̇·(N v + Σ (m ρ × Φ + H)·ω + (tr G + E) q̇)),   V = ½ qᵀKq − g·(m r + R s)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.kernels import rotations
from linkwork.system.compilation.flexible import FlexibleBody


class LinkSums(NamedTuple):
    """Of one link over T times: energies (T,), momenta (T, 3) in world axes, the second about the
    origin of the world."""

    kinetic: np.ndarray
    strain: np.ndarray
    weight: np.ndarray  # Σ m r, (T, 3): its potential is −g·weight
    momentum: np.ndarray
    angular_momentum: np.ndarray


def link_sums(link: FlexibleBody, motion: np.ndarray, values: np.ndarray) -> LinkSums:
    """From motion (T, bodies, 13) and values (T, 3, n)."""
    c, frame = link.item.modal, motion[:, link.frame]
    r, R, w = frame[:, :3], rotations.matrix(frame[:, 3:7]), frame[:, 10:13]
    v = np.einsum("tji,tj->ti", R, frame[:, 7:10])
    q, rate = link.amplitudes(values), link.amplitudes(values, 1)
    s = c.s0 + q @ c.N
    W = c.W0 + np.einsum("jiab,tj->tiab", c.G, q)
    P = c.P0 + np.einsum("ti,tiab->tab", q, c.W0.swapaxes(1, 2) + W)
    inertia = c.Jbar + np.trace(P, axis1=1, axis2=2)[:, None, None] * np.eye(3) - P
    turn = np.stack([W[..., 1, 2] - W[..., 2, 1], W[..., 2, 0] - W[..., 0, 2],
                     W[..., 0, 1] - W[..., 1, 0]], axis=-1) + c.H.T  # fmt: skip
    mobile = np.einsum("ijaa->ij", c.G) + c.E
    p = c.mass * v + np.cross(w, s) + rate @ c.N
    l = np.cross(s, v) + np.einsum("tab,tb->ta", inertia, w) + np.einsum("ti,tia->ta", rate, turn)
    modal = v @ c.N.T + np.einsum("tia,ta->ti", turn, w) + rate @ mobile
    kinetic = 0.5 * sum(np.einsum("ta,ta->t", x, y) for x, y in ((v, p), (w, l), (rate, modal)))
    momentum = np.einsum("tij,tj->ti", R, p)
    return LinkSums(
        kinetic=kinetic,
        strain=0.5 * np.einsum("ti,ij,tj->t", q, c.K, q, optimize=True),
        weight=c.mass * r + np.einsum("tij,tj->ti", R, s),
        momentum=momentum,
        angular_momentum=np.cross(r, momentum) + np.einsum("tij,tj->ti", R, l),
    )


def deformed(
    link: FlexibleBody, motion: np.ndarray, values: np.ndarray, s: np.ndarray
) -> np.ndarray:
    """World positions (T, n, 3) of the axis of a link at parts s of its length."""
    frame, item = motion[:, link.frame], link.item
    rho = np.einsum("nai,ti->tna", item.shapes.at(s)[0], link.amplitudes(values))
    rho[:, :, 0] += item.length * np.asarray(s)
    R = rotations.matrix(frame[:, 3:7])
    return frame[:, None, :3] + np.einsum("tij,tnj->tni", R, rho)
