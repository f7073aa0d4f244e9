"""EnergyMomentum: the method as the user names it."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.integrators.contract import Run
from linkwork.model import checks
from linkwork.model.written import Written
from linkwork.system.data import Data
from linkwork.system.state import State


@dataclass(frozen=True, repr=False)
class EnergyMomentum(Written):
    """Energy-momentum stepping in directors (Betsch and Leyendecker 2006), of second order.

    Energy of conservative models and the momenta of free ones stay to round-off at any step, with
    springs, torsion springs and bushings too.  Dampers and other forces act at the mid-point, and
    the energy balance closes with the work they do.  Joints that follow functions of time are
    refused.

    reduced          : solve for joint coordinates (fast), or for directors and multipliers
    condition_number : that of every step's iteration matrix into run.diagnostics (slow)
    tolerance        : largest correction left over, in lengths over the mechanism's and radians

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, 0)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> run = lw.transient(m, t=10, h=0.05, method=lw.EnergyMomentum(), progress=False)
    >>> bool(abs(run.energy.total - run.energy.total[0]).max() < 1e-10)
    True
    """

    reduced: bool = True
    condition_number: bool = False
    tolerance: float = 1e-17
    max_iterations: int = 20

    order = 2

    def __post_init__(self) -> None:
        checks.flag(self.reduced, "reduced of EnergyMomentum")
        checks.flag(self.condition_number, "condition_number of EnergyMomentum")
        checks.number(self.tolerance, "tolerance of EnergyMomentum", positive=True)
        checks.count(self.max_iterations, "max_iterations of EnergyMomentum")

    def run(self, full: Data, data: Data, state: State, h: float) -> Run:
        from linkwork.nullspace.constrained_run import ConstrainedRun
        from linkwork.nullspace.run import ReducedRun
        from linkwork.system.sensor_nodes import sensor_nodes

        full.system.refuse_nodes("lw.EnergyMomentum", sensor_nodes(full.system))
        return (ReducedRun if self.reduced else ConstrainedRun)(self, full, data, state, h)
