"""States of unsteady sections at the start of a run: those of the motion at that moment going on.

    u = atan(−(Vy + ωz d)/Vx),   z₁ = u₂/(b₁b₂ κ²),   z₄ = α_p,   z₆ = α̇,   the others zero

(section), and with stall c_p = a₀ (u₂ − α₀) + n, f_d = f(u₂ + n/a₀) (indicial), so that a run does
not begin as if the wind had been switched on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.aero.airfoils.tables import GRID, REALS, SEPARATION, SLOPE, ZERO
from linkwork.elements.aero.surfaces.layout import STALL, THEODORSEN
from linkwork.elements.beams.family import shape_functions
from linkwork.kernels import rotations


class StartMotion(NamedTuple):
    """Velocity against the air in section axes and rate about the span, at every point."""

    vx: np.ndarray
    vy: np.ndarray
    wz: np.ndarray


def start_motion(frames: list[Any], at: Any, strip: Any, control: float, air: Any) -> StartMotion:
    """The motion in which the bodies are described, through the air at t = 0."""
    n, rows = len(frames), []
    places, axes, speeds, spins = [], [], [], []
    for frame in frames:
        R = rotations.matrix(frame.body.orientation)
        w, v = (getattr(frame.body, x, None) for x in ("angular_velocity", "velocity"))
        spin = np.zeros(3) if w is None else R @ np.asarray(w, float)
        arm = R @ frame.position
        places.append(frame.body.position + arm)
        axes.append(rotations.multiply(frame.body.orientation, frame.orientation))
        speeds.append((np.zeros(3) if v is None else np.asarray(v, float)) + np.cross(spin, arm))
        spins.append(spin)
    base = axes[max(n - 2, 0)]
    back = rotations.conjugate(base)
    turns = [rotations.logarithm(rotations.multiply(q, back)) for q in axes]
    for j, xi in enumerate(at.xi):
        N = np.ones(1) if n == 1 else shape_functions(n, xi)[0]
        theta = sum(a * b for a, b in zip(N, turns))
        S = rotations.matrix(rotations.multiply(rotations.exponential(np.asarray(theta)), base))
        spin = sum(a * b for a, b in zip(N, spins))
        along = at.span[j] * S[:, 2]
        p = sum(a * b for a, b in zip(N, places)) + along
        v = sum(a * b for a, b in zip(N, speeds)) + np.cross(spin, along)
        angle = strip.twist[j] + control * strip.share[j]
        e1 = np.cos(angle) * S[:, 0] + np.sin(angle) * S[:, 1]
        e2 = np.cos(angle) * S[:, 1] - np.sin(angle) * S[:, 0]
        rows.append((p, v, e1, e2, float(S[:, 2] @ spin)))
    from linkwork.elements.aero.surfaces.survey import wind_at  # it imports the kernel

    wind = wind_at(air, np.array([row[0] for row in rows]), np.zeros(len(rows)))
    w = np.array([row[1] for row in rows]) - wind
    vx, vy = (np.sum(w * np.array([row[k] for row in rows]), axis=1) for k in (2, 3))
    return StartMotion(vx, vy, np.array([row[4] for row in rows]))


def steady_states(moving: StartMotion, strip: Any, unsteady: Any, foils: Any) -> np.ndarray:
    """The states of each point, one point after the other."""
    _, _, b1, b2 = unsteady.wagner
    d1, d2 = strip.centre, strip.velocity
    speed = np.hypot(moving.vx, moving.vy)
    flows = speed > 1e-6
    u1, u2 = (
        np.where(flows, np.arctan2(-(moving.vy + moving.wz * d), moving.vx), 0.0) for d in (d1, d2)
    )
    kappa = np.where(flows, 2 * speed / (strip.chord * strip.rate), 1.0)
    states = np.zeros((len(u1), unsteady.states))
    states[:, 0] = u2 / (b1 * b2 * kappa**2)
    if unsteady.states == THEODORSEN:
        states[:, 3] = (d2 * u1 - d1 * u2) / (d2 - d1)
        states[:, 5] = speed * (u1 - u2) / (d2 - d1)
    elif unsteady.states == STALL:
        lag = np.where(flows, strip.chord / (2 * np.maximum(speed, 1e-6)), 0.0)
        states[:, 2:] = stalled(u2, 0.5 * lag * moving.wz, foils)
    return states.ravel()


def stalled(angle: np.ndarray, rate: np.ndarray, foils: Any) -> np.ndarray:
    """Lift that pressure has reached, and attached part, in motion that goes on (indicial)."""

    def of(point: int, place: int) -> float:
        tables = foils.first[point], foils.second[point]
        found = [float(foils.numbers[foils.codes[t + REALS] + place]) for t in tables]
        return found[0] + foils.mix[point] * (found[1] - found[0])

    def attached(table: int, x: float) -> float:
        n, m, p = foils.codes[table + SEPARATION : table + SEPARATION + GRID]
        alpha, f = foils.numbers[p + m : p + m + n], foils.numbers[p + m + n : p + m + 2 * n]
        return float(np.interp(x, alpha, f))

    rows = []
    for j in range(len(angle)):
        slope, zero = of(j, SLOPE), of(j, ZERO)
        x = angle[j] + rate[j]
        parts = [attached(int(t[j]), x) for t in (foils.first, foils.second)]
        rows.append((slope * (x - zero), parts[0] + foils.mix[j] * (parts[1] - parts[0])))
    return np.array(rows)
