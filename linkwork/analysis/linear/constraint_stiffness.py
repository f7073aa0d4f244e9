"""The tangent stiffness of constraints K_c and its two parts, after Peng et al. (2024).

K_c = ∂(C_qᵀγ)/∂q at fixed γ, the paper's (10), is a sum (50): the *main* part (44), (45) comes from
forces and torques that turn with the main marker and act at points that move; the *projection* part
(48), (49) from the change of the matrix P(ρ) = (s I + ṽ)/2 that makes torques of the multipliers of
rotation rows.  With F₂ the main marker (on body a), F₁ the driven one (on b) less its motion law,

    δΓ = ±Rᵀ R_F2 G(ρ, γ_m) R_F1ᵀ (R_b θ_b − R_a θ_a),   + for b, − for a                     (47)
    G(ρ, γ_m) = −(γ_m vᵀ + γ̃_m (s I + ṽ))/4                                              (C.11)

Rows and columns are those of the bodies, (δr in world axes, θ in body axes) each.  The whole K_c is
what the elements give to every tangent; the main part is the rest of it.  Constraints that are not
rows of the lock joint (a distance, perpendicular axes) have no projection part.

C. Peng, A. Tasora, D. Fusai, D. Mangoni: A unified analytical expression of the tangent stiffness
matrix of holonomic constraints, CMAME 419 (2024) 116667.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.analysis.assembly.assemble import StateLike
from linkwork.analysis.linear.equations.pencil import start
from linkwork.elements.joints.lock import LOCK, QA, QB, QT
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model.calls import explained
from linkwork.model.model import Model
from linkwork.system.data import Data
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.state import State


@dataclass(frozen=True)
class ConstraintStiffness:
    """K_c of a model or of one of its joints, (6 bodies)² matrices in the order of `bodies`."""

    main: np.ndarray
    projection: np.ndarray
    bodies: tuple[str, ...]
    state: State

    @property
    def total(self) -> np.ndarray:
        return self.main + self.projection


@explained
def constraint_stiffness(
    model: Model, at: StateLike | None = None, joint: str | None = None
) -> ConstraintStiffness:
    """K_c with its main and projection parts, at the multipliers of the motion there.

    at    : a State, lw.static(model) or a run (its last state); None is the assembled model
    joint : the name of one joint, whose reactions alone are then differentiated

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body(mass=15, inertia=(0, 0, 0), position=(0, 0, -4)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> K = lw.constraint_stiffness(m)
    >>> round(float(K.main[4, 4]), 3)                            # m g L
    588.6
    """
    data, state = start(model, at)
    state = accelerations(data, state)
    if joint is not None:
        model[joint]  # raises where there is none, with a suggestion
        mine = np.array([row.owner == joint for row in data.system.all_rows], bool)
        if not mine.any():
            raise ModelError(f"{model[joint].label} has no constraints, hence no K_c; name a joint")
        assert state.gamma is not None
        state = replace(state, gamma=np.where(mine, state.gamma, 0.0))
    main, projection = stiffness_parts(data, state)
    return ConstraintStiffness(main, projection, tuple(data.system.names), state)


def stiffness_parts(data: Data, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Main and projection part of K_c at a state with multipliers, which may be a violated one."""
    system = data.system
    assert state.gamma is not None
    gamma = np.where(data.keep, state.gamma, 0.0)
    state = replace(state, gamma=gamma)
    whole, without = (
        data.evaluate(state, cK=1.0, constraint_stiffness=kept).stiffness.toarray()
        for kept in (True, False)
    )
    blocks = np.zeros((system.bodies + 1, 6, system.bodies + 1, 6))  # the last: the ground
    for element, place in zip(system.elements, system.places, strict=True):
        if element.entry.family is not LOCK:
            continue
        gamma_m = np.zeros(3)
        for row, number in zip(element.entry.rows, element.rows, strict=True):
            if row > 2:
                gamma_m[row - 3] = gamma[number]
        add_projection(blocks, data.tables.reals[place], element.ends, state, gamma_m)
    n, projection = system.layout.rigid, np.zeros_like(whole)
    projection[:n, :n] = blocks[:-1, :, :-1].reshape(n, n)
    return whole - without - projection, projection


def add_projection(
    K: np.ndarray, reals: np.ndarray, ends: Any, state: State, gamma_m: np.ndarray
) -> None:
    """The blocks (49) of one lock joint; ends are its bodies a, b, −1 for the ground."""
    unit = np.array([1.0, 0, 0, 0])
    mul, conj = rotations.multiply, rotations.conjugate
    qa, qb = (state.orientations[end] if end >= 0 else unit for end in ends)
    main = mul(qa, reals[QA : QA + 4])
    driven = mul(mul(qb, reals[QB : QB + 4]), conj(reals[QT : QT + 4]))  # the shadow frame F₁◇
    rho = mul(conj(main), driven)
    twice_P = rho[0] * np.eye(3) + rotations.tilde(rho[1:])
    G = -(np.outer(gamma_m, rho[1:]) + rotations.tilde(gamma_m) @ twice_P) / 4
    H = rotations.matrix(main) @ G @ rotations.matrix(driven).T
    for i, qi, one in zip(ends, (qa, qb), (-1.0, 1.0), strict=True):
        for j, qj, other in zip(ends, (qa, qb), (-1.0, 1.0), strict=True):
            block = rotations.matrix(qi).T @ H @ rotations.matrix(qj)
            K[i, 3:, j, 3:] += one * other * block
