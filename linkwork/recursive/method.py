"""Recursive: the method as the user names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.errors import ModelError
from linkwork.integrators.contract import Run
from linkwork.model import checks
from linkwork.model.written import Written
from linkwork.system.state import State
from linkwork.system.data import Data

INTEGRATORS = ("rk4", "dormand-prince", "implicit")
CORRECTIONS = ("semi-analytic", "direct", "baumgarte", None)
METRICS = ("mass", "plain")


@dataclass(frozen=True, repr=False)
class Recursive(Written):
    """Articulated-body dynamics in joint coordinates; loops are closed by cut joints.

    integrator : "rk4", "dormand-prince" (error controlled, h is the first step), or "implicit"
                 (for stiff modes of flexible links, and brakes that hold)
    correction : what keeps loops closed after each step: "semi-analytic" or "direct" (Newton's
                 method to `tolerance`, with the Jacobian by sweeping the paths or by direct
                 differentiation), "baumgarte", or None
    cuts       : names of joints to cut; the others are chosen
    metric     : the correction is the least motion in the "mass" metric or the "plain" one
    baumgarte  : (α, β) in 1/s, for correction="baumgarte"
    rtol, atol : of "dormand-prince"
    rho        : spectral radius at infinity, of "implicit"

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, 0)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> run = lw.transient(m, t=1, h=0.001, method=lw.Recursive(), progress=False)
    >>> bool(abs(run.energy.total - run.energy.total[0]).max() < 1e-9)
    True
    """

    integrator: str = "rk4"
    correction: str | None = "semi-analytic"
    cuts: Sequence[str] = ()
    metric: str = "mass"
    tolerance: float = 1e-10
    baumgarte: Sequence[float] = (20.0, 20.0)
    max_iterations: int = 20
    rtol: float = 1e-8
    atol: float = 1e-10
    rho: float = 0.8

    def __post_init__(self) -> None:
        for word, allowed in (
            ("integrator", INTEGRATORS), ("correction", CORRECTIONS), ("metric", METRICS),
        ):  # fmt: skip
            if getattr(self, word) not in allowed:
                raise ModelError(
                    f"{word} of Recursive must be one of {', '.join(map(repr, allowed))}, but "
                    f"{checks.show(getattr(self, word))} was given"
                )
        listed = isinstance(self.cuts, (list, tuple))
        if not listed or not all(isinstance(c, str) for c in self.cuts):
            raise ModelError(
                f"cuts of Recursive must be a list of joint names, but {checks.show(self.cuts)} "
                "was given"
            )
        object.__setattr__(self, "cuts", tuple(self.cuts))
        checks.number(self.tolerance, "tolerance of Recursive", positive=True)
        checks.count(self.max_iterations, "max_iterations of Recursive")
        checks.number(self.rtol, "rtol of Recursive", positive=True)
        checks.number(self.atol, "atol of Recursive", positive=True)
        checks.number(self.rho, "rho of Recursive", minimum=0)
        if self.rho > 1:
            raise ModelError(f"rho of Recursive must be at most 1, but {self.rho:g} was given")
        alpha, beta = checks.vector(self.baumgarte, "baumgarte (α, β) of Recursive", length=2)
        for value in (alpha, beta):
            checks.number(float(value), "baumgarte (α, β) of Recursive", minimum=0)
        object.__setattr__(self, "baumgarte", (float(alpha), float(beta)))

    @property
    def order(self) -> int:
        return {"rk4": 4, "dormand-prince": 5, "implicit": 2}[self.integrator]

    @property
    def drifts(self) -> float:
        """How far loops may open (motion.open_joints): where nothing closes them again, and where a
        row opens that was left out because it repeated others at the start."""
        return 1e-2 if self.correction in (None, "baumgarte") else 1e-4

    def run(self, full: Data, data: Data, state: State, h: float) -> Run:
        system = full.system
        from linkwork.recursive.run import RUNS
        from linkwork.system.sensor_nodes import sensor_nodes

        if self.integrator == "dormand-prince":
            system.refuse_held("Recursive's dormand-prince, whose steps follow its own error,")
        system.refuse_nodes("lw.Recursive", sensor_nodes(system))
        return RUNS[self.integrator](self, full, data, state, h)
