"""What compiled steps in joint coordinates work on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from linkwork.integrators.contract import StepRows
from linkwork.kernels.compiled import spliced
from linkwork.kernels.memory.c_functions import CFunction, c_function
from linkwork.kernels.memory.records import Floats, Floats2, Floats3, Ints, stored
from linkwork.recursive.loops.closing import Mechanism
from linkwork.system.evaluate import Equations


@stored
class Motion(NamedTuple):
    """Joint coordinates and velocities, and room for the stages of a step."""

    q: Floats
    v: Floats
    a: Floats
    qs: Floats
    vs: Floats
    q0: Floats
    v0: Floats
    a0: Floats
    d: Floats
    tau: Floats
    stiff: Floats
    stages: Floats2  # (8, velocities)
    rates: Floats2  # (8, coordinates)
    work: Floats  # dissipated, supplied; their powers
    counted: Floats  # iterations until the last step but one, and until the last
    total: Floats  # work of a step
    wrench: Floats3  # (stored, bodies of the tree, 6)
    gamma: Floats2  # (stored, rows of cut joints)


@stored
class TreeRun(NamedTuple):
    """A mechanism and its motion."""

    mechanism: Mechanism
    motion: Motion


@stored
class TreeSteps(NamedTuple):
    """Steps for a compiled loop, as `integrators.contract.Steps`."""

    times: Floats
    schedule: Floats2  # motion laws of the elements, a row for each stage of a step
    own: Floats2  # the same of the tree's joints
    saved: Ints
    range: Ints
    h: float


def for_trees_and_loops(run: Any, *, steps: Any = TreeSteps, out: Any = StepRows) -> Callable:
    """Decorator of f(equations, run, steps, out, cut): the entries for trees, with cut = None, for
    which nothing of loops is compiled, and for mechanisms with cut joints."""

    def entries(function: Any) -> tuple[CFunction, CFunction]:
        part = spliced(function)

        def tree(equations, run, steps, out):
            return part(equations, run, steps, out, None)

        def loops(equations, run, steps, out):
            return part(equations, run, steps, out, run.mechanism.loops.gamma.shape[0])

        made = []
        for each in (tree, loops):
            each.__qualname__ = f"{function.__qualname__}_of_{each.__name__}"
            each.__module__ = function.__module__
            made.append(c_function(Equations, run, steps, out)(each))
        return made[0], made[1]

    return entries
