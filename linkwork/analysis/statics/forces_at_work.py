"""Forces at work on each body: the sizes of all that acts, before they cancel.

    F = |f − Σ f_e| + Σ |f_e|,    f_e the forces of element e at zero multipliers

A load on a slide that a spring holds leaves no resultant, and no reaction either; what round-off
leaves of the two compares with F.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Flags2, Floats2, stored
from linkwork.system.data import Data
from linkwork.system.evaluate import Equations, ask, evaluate
from linkwork.system.state import State


@stored
class Sizes(NamedTuple):
    """Forces at work, and what they are summed from."""

    on_bodies: Flags2  # (families, ends) which ends of each family's elements are bodies
    sizes: Floats2  # (bodies + 1, 6)
    rest: Floats2  # likewise: what elements do not account for


@c_function(Equations, Sizes, float, returns=None)
def add_sizes(equations, forces, time):
    """Elements one by one: their forces to `sizes`, and off what is in `rest`."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    on_bodies, sizes, rest = forces.on_bodies, forces.sizes, forces.rest
    d, trial = tables.directory, work.trial
    trial[:] = 0.0
    for m in range(d.shape[0]):
        wi, wr, wm = d[m, 3], d[m, 5], d[m, 7]
        for k in range(d[m, 1]):
            first = d[m, 2] + k * wi
            ask(kernels, d[m, 0], tables, work, trial, work.trial_balance, work.out, time, 1,
                first, wi, d[m, 4] + k * wr, wr, d[m, 6] + k * wm, wm)  # fmt: skip
            for j in range(on_bodies.shape[1]):
                if on_bodies[m, j]:
                    b = tables.ints[first + j]
                    for p in range(6):
                        sizes[b, p] += abs(trial[b, p])
                        rest[b, p] -= trial[b, p]
                        trial[b, p] = 0.0


def forces_at_work(data: Data, state: State) -> np.ndarray:
    """F, (bodies, 6)."""
    work, n = data.work, data.system.bodies
    data.load(state)
    work.gamma[:] = 0.0
    work.coef[:] = 0.0
    evaluate(data.equations, state.time, 0.0)
    rest, sizes = work.f.copy(), np.zeros_like(work.f)
    add_sizes(data.equations, Sizes(data.system.body_ends, sizes, rest), state.time)
    return (sizes + np.abs(rest))[:n]
