"""Moreau's time stepping for hard contacts and impacts, and its parameters."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.integrators.contract import Run
from linkwork.model import checks
from linkwork.model.written import Written
from linkwork.system.state import State
from linkwork.system.data import Data


@dataclass(frozen=True, repr=False)
class Moreau(Written):
    """Time stepping with impulses (Moreau and Jean), for contacts with hard=True.

    Positions go half a step with the velocities before and half with those after, which impulses
    change so that contacts do not approach (restitution by Newton or Poisson), joints hold and
    friction stays within Coulomb's cone.  Order one; impacts need no events, and any number of them
    may fall into a step.  Forces are explicit: a stiff spring needs a step below 2/ω.

    tolerance : change of velocities over g h at which the Gauss-Seidel iteration ends
    sweeps    : most of them in a step

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("bounce", gravity=(0, 0, -9.81))
    >>> ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 1)))
    >>> touch = m.add("touch", lw.Contact(ball, lw.GROUND, hard=True, restitution=0.8))
    >>> run = lw.transient(m, t=1, h=1e-3, method=lw.Moreau(), progress=False)
    """

    tolerance: float = 1e-6
    sweeps: int = 1000

    order = 1

    def __post_init__(self) -> None:
        checks.number(self.tolerance, "tolerance of Moreau", positive=True)
        checks.count(self.sweeps, "sweeps of Moreau")

    def run(self, full: Data, data: Data, state: State, h: float) -> Run:
        from linkwork.integrators.nonsmooth.run import MoreauRun  # compiles

        return MoreauRun(self, full, data, state, h)
