"""Flexible links under axial load: what their linear theory leaves out of equilibria and modes.

A link that carries N(x) along its axis stores, beside the elastic energy ½ q·K q,

    V = ½ ∫ N (w'·w') dx = ½ q·G q,    N(x) = Σ F_i + ∫ₓ μ (g − a)·e dx      F_i beyond x

with the slopes w' of its axis and the forces F_i on its interface nodes, which are multipliers.  Of
the motions that the mechanism allows, S the flexibility of its amplitudes,

    λ of S G:   what is left out, over the stiffness of this motion;   −1: the buckling load

S is that of the analyses, with what they know of the loads (points of the floating frame that
turn under them), and a little inertia against motions that nothing holds.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from linkwork.analysis.motion.checks.parts.small_deflections import STIFFENS, large_deflection
from linkwork.errors import LinkworkWarning, users_line
from linkwork.kernels import rotations
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.results.result import Result
from linkwork.system.compilation.flexible import FlexibleBody
from linkwork.system.state import State
from linkwork.system.system import System

CELLS = 64  # along a link
SAMPLES = 33  # stored times of a run
WARNED_SHARE = 0.1  # of the stiffness in bending: a twentieth of a frequency
SOFT = 1e-6  # of the square of the slowest link's frequency: that of motions that nothing holds


def warn_of_axial_loads(system: System, state: State) -> None:
    """Say how much stiffer or softer in bending axial loads would make links, where that is much.

    state : with accelerations and multipliers of all rows
    """
    links = [link for link in system.flexible if link.shapes]
    if not links or state.gamma is None or not np.all(np.isfinite(state.gamma)):
        return
    loads = [axial_load(system, state, link) for link in links]
    warn_of_loads(system, state, links, loads, WARNED_SHARE)


def warn_of_mean_loads(result: Result) -> None:
    """The same of the loads over a run, in the mean: those of waves and swings change nothing."""
    system = result.system
    links = [link for link in system.flexible if link.shapes]
    if not links:
        return
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    states = [result.state(int(k)) for k in some]
    if any(state.gamma is None or not np.all(np.isfinite(state.gamma)) for state in states):
        return
    loads = [np.mean([axial_load(system, s, link) for s in states], axis=0) for link in links]
    warn_of_loads(system, states[-1], links, loads, STIFFENS)


def warn_of_loads(
    system: System, state: State, links: list[FlexibleBody], loads: list[np.ndarray],
    threshold: float,
) -> None:  # fmt: skip
    """Warn where the loads N of links change the stiffness of a motion by more than a threshold."""
    parts = [stiffness_of_load(link, N) for link, N in zip(links, loads, strict=True)]
    G = la.block_diag(*parts)
    if not G.any():
        return
    S = flexibility(system, state, links)
    values = la.eigvals(S @ G).real if np.all(np.isfinite(S)) else np.zeros(1)
    worst = float(values[np.argmax(np.abs(values))])
    if abs(worst) <= threshold:
        return
    k = int(np.argmax([np.abs(N).max() for N in loads]))
    most = float(loads[k][np.argmax(np.abs(loads[k]))])
    kind = "tension" if most > 0 else "compression"
    verdict = " and decides whether it buckles" if worst <= -1 else ""
    warnings.warn(
        f"{links[k].item.label} carries {abs(most):.3g} N of {kind} along its axis, which changes "
        f"the stiffness in bending by {100 * worst:+.0f} %{verdict}: the linear theory of flexible "
        "links leaves that out of deflections, stability and frequencies; take lw.Beam, which has "
        "it, or several shorter links",
        LinkworkWarning, stacklevel=users_line(),
    )  # fmt: skip


def warn_of_rest(system: System, state: State, rate: np.ndarray | None) -> None:
    """The same of an equilibrium, which may turn at a rate (rad/s, world); and deflections that are
    not small."""
    for link in system.flexible:
        q = link.amplitudes(state.values)
        if trouble := large_deflection(link.item, np.array([state.time]), q[None]):
            warnings.warn(trouble, LinkworkWarning, stacklevel=users_line())
    if rate is not None:
        a = np.zeros((system.bodies, 6))
        a[:, :3] = np.cross(rate, state.velocities[:, :3])
        state = replace(state, acceleration=a)
    warn_of_axial_loads(system, state)


def axial_load(system: System, state: State, link: FlexibleBody) -> np.ndarray:
    """N in the middles of cells along a link."""
    assert state.gamma is not None
    s = (np.arange(CELLS) + 0.5) / CELLS
    item, N = link.item, np.zeros(CELLS)
    for e in system.elements:
        if e.owner == item.name and e.entry.rows:
            place = system.items[e.ends[1]].s  # of an interface node
            N += np.where(s < place, state.gamma[e.rows[0]], 0.0)
    R = rotations.matrix(state.orientations[link.frame])
    spin = state.velocities[link.frame, 3:]
    a = np.zeros(3) if state.acceleration is None else state.acceleration[link.frame, :3]
    along = float(R[:, 0] @ (system.tables.gravity - a))
    out = float(spin[1] ** 2 + spin[2] ** 2) * item.length
    return N + item.modal.mass * (along * (1 - s) + out * (1 - s**2) / 2)


def stiffness_of_load(link: FlexibleBody, N: np.ndarray) -> np.ndarray:
    """G = ∫ N w'ᵀw' dx of the amplitudes."""
    s = (np.arange(CELLS) + 0.5) / CELLS
    slopes = link.item.shapes.at(s)[1][:, 1:]
    return np.einsum("s,sim,sin->mn", N * link.item.length / CELLS, slopes, slopes)


def flexibility(system: System, state: State, links: list[FlexibleBody]) -> np.ndarray:
    """S: amplitudes of links by unit forces on them, with all joints closed."""
    data = system.data()
    e = data.evaluate(state, cK=1.0)
    slowest = min(2 * np.pi * link.item.modal.frequency.min() for link in links)
    K = sp.csc_array(e.stiffness) + SOFT * slowest**2 * sp.csc_array(data.mass_matrix(state))
    C, n = sp.csc_array(e.Cq), system.motions
    places = np.concatenate([
        system.layout.rigid + np.arange(link.places.start, link.places.stop) for link in links
    ])  # fmt: skip
    right = np.zeros((n + C.shape[0], len(places)))
    right[places, np.arange(len(places))] = 1.0
    try:
        found = SparseFactors(sp.bmat([[K, C.T], [C, None]])).solve(right)
    except SingularMatrix:  # said elsewhere, or by nothing that this is about
        return np.full((len(places), len(places)), np.nan)
    return np.asarray(found[places])
