"""Root loci: eigenvalues of a family of models, followed from one value of a parameter to the next.

Between neighbours the modes are matched (an assignment problem) by the distance of their
eigenvalues, |Δλ|/max |λ|, and by how unlike their shapes are, 1 − |xᴴy|²/(xᴴx yᴴy), so that curves
cross instead of exchanging names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analysis.linear.eigen import eigen
from linkwork.analysis.linear.modes import Modes
from linkwork.analysis.linear.plots import plot_locus
from linkwork.analysis.statics.static import static
from linkwork.errors import LinkworkError, ModelError
from linkwork.model.calls import explained
from linkwork.model.model import Model, private_copy


@dataclass(frozen=True)
class RootLocus:
    """values (n,) of the parameter, and eigenvalues (n, modes), NaN where there are fewer."""

    parameter: str
    values: np.ndarray
    eigenvalues: np.ndarray

    @property
    def frequency(self) -> np.ndarray:
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def stable(self) -> np.ndarray:
        """(n,): no eigenvalue has a positive real part."""
        size = np.nanmax(np.abs(self.eigenvalues), axis=1, initial=0.0)
        return ~np.any(self.eigenvalues.real > 1e-7 * size[:, None], axis=1)

    def plot(self, ax: Any = None) -> Any:
        """The loci in the complex plane; returns the axes."""
        return plot_locus(self, ax)


@explained
def root_locus(
    build: Callable[[float], Model], values: Sequence[float] | np.ndarray, *, n: int = 6,
    equilibrium: bool = True, parameter: str | None = None,
) -> RootLocus:  # fmt: skip
    """Eigenvalues of build(value) for every value.

    n           : modes to follow
    equilibrium : linearise about the equilibrium of each, else about where it is described
    parameter   : its name; that of build's argument otherwise

    Example
    -------
    >>> import linkwork as lw
    >>> def build(damping):
    ...     m = lw.Model()
    ...     cart = m.add("cart", lw.Body(1, (1, 1, 1)))
    ...     rail = m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    ...     m.add("spring", lw.Spring(lw.GROUND, cart, at_a=(-1, 0, 0), stiffness=4,
    ...                               damping=damping, length=1))
    ...     return m
    >>> lw.root_locus(build, [0, 1, 2]).eigenvalues[:, 0].real.round(6) + 0
    array([ 0. , -0.5, -1. ])
    """
    numbers = np.atleast_1d(np.asarray(values, float))
    found: list[Modes] = []
    for value in numbers:
        model = build(float(value))
        if not isinstance(model, Model):
            raise ModelError(
                f"build({value:g}) must return a linkwork Model, but returned "
                f"{type(model).__name__}"
            )
        model = private_copy(model)  # of which both analyses warn once
        try:
            at = static(model).state if equilibrium else None
            found.append(eigen(model, at=at, n=n))
        except LinkworkError as error:
            error.add_note(f"at the value {value:g} of the root locus")
            raise
    name = parameter or _argument(build)
    return RootLocus(name, numbers, _followed(found))


def _argument(build: Callable) -> str:
    import inspect

    try:
        return next(iter(inspect.signature(build).parameters))
    except (TypeError, ValueError, StopIteration):
        return "parameter"


def _followed(found: list[Modes]) -> np.ndarray:
    from scipy.optimize import linear_sum_assignment

    width = max(map(len, found), default=0)
    out = np.full((len(found), width), np.nan, complex)
    order = np.arange(width)  # which mode of the last model is in which column
    for k, modes in enumerate(found):
        if k and len(modes) == len(found[k - 1]) == width:
            _, match = linear_sum_assignment(_unlike(found[k - 1], modes))
            order = match[order]
        else:
            order = np.arange(len(modes))
        out[k, : len(modes)] = modes.eigenvalues[order]
    return out


def _unlike(before: Modes, after: Modes) -> np.ndarray:
    """(n, n): how unlike the modes of two neighbours are."""
    size = max(np.abs(before.eigenvalues).max(initial=0.0), 1e-300)
    distance = np.abs(before.eigenvalues[:, None] - after.eigenvalues[None]) / size
    x, y = (m.shapes.reshape(len(m), -1) for m in (before, after))
    product = np.abs(x.conj() @ y.T) ** 2
    norms = np.sum(np.abs(x) ** 2, axis=1)[:, None] * np.sum(np.abs(y) ** 2, axis=1)
    return distance + 1 - product / norms
