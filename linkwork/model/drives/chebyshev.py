"""A series of Chebyshev's polynomials between two bounds.

    y = Σ c_k T_k(ξ),   ξ = (2 t − a − b)/(b − a)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev as series

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive


@dataclass(frozen=True)
class Chebyshev(Drive):
    """y = Σ c[k] T_k(ξ), ξ running from −1 at `lower` to 1 at `upper`; outside it goes on."""

    lower: float
    upper: float
    c: tuple[float, ...]

    def __post_init__(self) -> None:
        self._set_numbers("lower", "upper")
        self._set_list("c", 1)
        if self.upper <= self.lower:
            raise DriveError(
                f"{self.label}: expected lower < upper, found {self.lower:g} and {self.upper:g}"
            )

    def _jet(self, t: np.ndarray) -> np.ndarray:
        slope = 2 / (self.upper - self.lower)
        xi = slope * (t - (self.lower + self.upper) / 2)
        c = np.array(self.c)
        return np.column_stack(
            [slope**m * series.chebval(xi, series.chebder(c, m)) for m in range(3)]
        )
