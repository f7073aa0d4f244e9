"""Forces at work on each body: the sizes of all that acts, before they cancel.

    F = |f − Σ f_e| + Σ |f_e|,    f_e the forces of element e at zero multipliers

A load on a slide that a spring holds leaves no resultant, and no reaction either; what round-off
leaves of the two compares with F.
"""

from __future__ import annotations

import numpy as np

from linkwork.kernels.compiled import lean
from linkwork.kernels.memory.records import by_address, record_at
from linkwork.system.data import Data
from linkwork.system.evaluate import Tables, Work, ask, evaluate
from linkwork.system.state import State


@by_address
@lean
def add_sizes(kernels, tables, work, time, on_bodies, sizes, rest):
    """Elements one by one: their forces to `sizes`, and off what is in `rest`.

    on_bodies : which ends of each family's elements are bodies
    """
    tables, work = record_at(Tables, tables), record_at(Work, work)
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
    evaluate(data.kernels, data.tables, work, state.time, 0.0)
    rest, sizes = work.f.copy(), np.zeros_like(work.f)
    add_sizes(
        data.kernels, data.tables, work, state.time, data.system.body_ends, sizes, rest
    )
    return (sizes + np.abs(rest))[:n]
