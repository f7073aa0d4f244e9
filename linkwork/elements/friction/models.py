"""Models of dry friction: what bears at most, and the bristles before it slides.

    g(v) = μ + (μ_s − μ) exp(−(v/v_s)²),   or a table of values over the speed |v|
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.given import MatrixLike

COULOMB, LUGRE = 0, 1


@dataclass(frozen=True)
class FrictionModel:
    """What friction models share: coefficients of sliding and static friction, Stribeck's speed.

    mu while sliding, static (not below mu; the same if not given) before it, with the transition
    at the speed stribeck (m/s) where they differ; or `curve` instead of all three: two rows, speeds
    from 0 on and coefficients there, with lines between them and the last one beyond; a third
    row gives slopes, and cubics between the points.  stiffness σ₀ (1/m) of the bristles per load,
    viscous σ₂ (s/m), damping σ₁ (s/m); without it joints have none, and contacts 1 ms times σ₀.
    """

    mu: float | None = None
    static: float | None = None
    stribeck: float | None = None
    stiffness: float = 1e5
    damping: float | None = None
    viscous: float = 0.0
    curve: MatrixLike | None = None
    number: ClassVar[int] = COULOMB
    kinds: ClassVar[dict[str, type[FrictionModel]]] = {}

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        FrictionModel.kinds[cls.__name__] = cls

    def __post_init__(self) -> None:
        what = type(self).__name__
        if self.curve is not None:
            self.take_curve(what)
        mu = checks.number(self.mu, f"mu of {what}", positive=True)
        static = mu if self.static is None else self.static
        static = checks.number(static, f"static of {what}", minimum=mu)
        if static > mu and self.stribeck is None:
            raise ModelError(
                f"{what} needs stribeck=, the speed of the transition, since static friction "
                f"{static:g} is above that of sliding {mu:g}"
            )
        speed = 0.0 if self.stribeck is None else self.stribeck
        if self.curve is None:
            object.__setattr__(self, "static", static)
        checks.number(speed, f"stribeck of {what}", minimum=0)
        checks.number(self.stiffness, f"stiffness of {what}", positive=True)
        checks.number(self.damping or 0.0, f"damping of {what}", minimum=0)
        checks.number(self.viscous, f"viscous of {what}", minimum=0)

    def take_curve(self, what: str) -> None:
        """Check the table; mu is its last value, which the rest of the friction knows it by."""
        rows = checks.array(self.curve)
        if rows is None or rows.ndim != 2 or rows.shape[0] not in (2, 3) or rows.shape[1] < 2:
            raise ModelError(
                f"curve of {what} must be two rows, speeds and coefficients (and a third, slopes), "
                f"but {checks.show(self.curve)} was given"
            )
        if not np.isfinite(rows).all() or rows[0, 0] != 0 or rows[1].min() <= 0 or (
            np.diff(rows[0]).min() < (0 if len(rows) == 3 else 1e-300)
        ):
            raise ModelError(
                f"curve of {what} must have increasing speeds that begin with 0 and positive "
                "coefficients"
            )
        if (self.static, self.stribeck) != (None, None) or self.mu not in (None, rows[1, -1]):
            raise ModelError(f"{what} has mu, static and stribeck in its curve; give one of both")
        object.__setattr__(self, "curve", tuple(tuple(row) for row in rows.tolist()))
        object.__setattr__(self, "mu", float(rows[1, -1]))

    def table(self) -> np.ndarray:
        """(n, 3): speed, coefficient and slope of the curve; none without one."""
        if self.curve is None:
            return np.zeros((0, 3))
        rows = np.array(self.curve)
        if len(rows) == 3:
            return rows.T
        v, g = rows
        slope = np.diff(g) / np.diff(v)
        return np.array([
            (v[j], g[j], s) for k, s in enumerate(slope) for j in (k, k + 1)
        ])  # fmt: skip

    def parameters(self) -> dict[str, Any]:
        """The fields that describe the model, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def numbers(self) -> list[float]:
        """From MU to KAPPA."""
        return [
            float(x) for x in (
                self.mu or 0.0, self.static or self.mu or 0.0, self.stribeck or 0.0,
                self.stiffness, self.damping or 0.0, self.viscous, getattr(self, "kappa", 0.0),
            )
        ]  # fmt: skip


@dataclass(frozen=True)
class Coulomb(FrictionModel):
    """Coulomb's friction: holds like a stiff spring up to static friction, then slides.

    The surfaces give way by mu/stiffness before they slide (3e-6 m for 0.3 and 1e5/m); damping
    calms the spring.
    """


@dataclass(frozen=True)
class LuGre(FrictionModel):
    """The modified LuGre model: bristles, elastic below the fraction kappa of their limit."""

    kappa: float = 0.5
    number: ClassVar[int] = LUGRE

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= checks.number(self.kappa, "kappa of LuGre") < 1:
            raise ModelError(f"kappa of LuGre must be from 0 to below 1, found {self.kappa:g}")
