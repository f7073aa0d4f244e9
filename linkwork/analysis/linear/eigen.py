"""Eigenvalues and mode shapes of a mechanism about an equilibrium or a steady motion.

The linearised equations (pencil) with η = x e^{λt} are

    (λ² M + λ D + K) x + Cᵀ g = 0,   C x = 0

with the exact constraint stiffness (Peng et al. 2024) in K.  Small systems are solved on the null
space of C (eigen_dense), large ones by Arnoldi's method (eigen_sparse).
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.analysis.assembly.assemble import StateLike
from linkwork.analysis.linear.beam_meshes import warn_of_growing_meshes
from linkwork.analysis.linear.dense import dense_modes
from linkwork.analysis.linear.equations.pencil import linearised
from linkwork.analysis.linear.modes import Modes
from linkwork.analysis.linear.sparse import sparse_modes
from linkwork.analysis.motion.ending import interruptible
from linkwork.errors import LinkworkWarning, ModelError
from linkwork.model import checks
from linkwork.model.model import Model

DENSE = 600  # unknowns (six per body) up to which everything is dense


@interruptible
def eigen(
    model: Model, at: StateLike | None = None, n: int | None = None, *,
    constraint_stiffness: bool = True, sparse: bool | None = None, shift: complex | None = None,
) -> Modes:  # fmt: skip
    """Eigenvalues and mode shapes of small motions about an equilibrium or a steady motion.

    at    : a State, lw.static(model) or a run (its last state); None is the assembled model
    n     : how many modes, lowest |λ| first (None: all, or 10 where sparse); fewer if there are
            fewer
    sparse: True and False choose the method, None takes the dense one up to 100 bodies
    shift : for the sparse method, modes nearest to this λ; None finds the lowest
    constraint_stiffness=False leaves out what joint reactions contribute, only to show it.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body(mass=15, inertia=(0, 0, 0), position=(0, 0, -4)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> lw.eigen(m).eigenvalues.round(6)
    array([0.+1.566046j])
    """
    if n is not None and (not isinstance(n, (int, np.integer)) or n < 1):
        raise ModelError(
            f"n of eigen must be a positive number of modes, but "
            f"{checks.show(n)} was given"
        )
    if not constraint_stiffness:
        warnings.warn(
            "eigen without the stiffness of constraints: what hangs, leans or is preloaded gets "
            "wrong frequencies (a pendulum gets zero)",
            LinkworkWarning,
            stacklevel=3,
        )
    pencil = linearised(model, at, constraint_stiffness=constraint_stiffness)
    if sparse is None:
        sparse = pencil.M.shape[0] > DENSE
    count = 10 if n is None else int(n)
    if sparse and pencil.holonomic and 2 * count + 8 < 2 * pencil.freedoms - 2:
        values, x, stable = sparse_modes(pencil, count, shift)
    else:
        values, x, stable = dense_modes(pencil)
        if sparse and n is None:
            n = count
        if not stable:
            warn_of_growing_meshes(pencil.data.system, values)
    order = ordering(values)[:n]
    x, layout = normalised(x[:, order].T), pencil.data.system.layout
    shapes = x[:, : layout.rigid].reshape(len(order), pencil.data.system.bodies, 6)
    return Modes(
        values[order], shapes, pencil.data.system.names, stable, pencil.describe(), pencil.state,
        pencil.data, x[:, layout.rigid :],
    )  # fmt: skip


def ordering(values: np.ndarray) -> np.ndarray:
    """Lowest |λ| first, of equals (to 9 digits) the least damped."""
    size = np.abs(values)
    digits = np.array([float(f"{s:.9g}") for s in size])
    return np.lexsort((-values.real, digits))


def normalised(x: np.ndarray) -> np.ndarray:
    """Rows with their largest component (the first of nearly equal ones) made 1."""
    size = np.abs(x)
    largest = size.max(axis=1, keepdims=True, initial=0.0)
    pivot = np.argmax(size > (1 - 1e-6) * largest, axis=1)
    x = x.astype(complex) / x[np.arange(len(x)), pivot][:, None]
    x.real[np.abs(x.real) < 1e-14] = 0.0
    x.imag[np.abs(x.imag) < 1e-14] = 0.0
    return x
