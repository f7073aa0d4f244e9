"""What Python calls: the functions of `closing` and `runge_kutta` as compiled entries."""

from __future__ import annotations

from linkwork.math.compiled import lean
from linkwork.recursive.closing import forward, jacobian, see, settle
from linkwork.recursive.inverse import newton_euler
from linkwork.recursive.nodes import add_forces
from linkwork.recursive.runge_kutta import powers, store


@lean
def look_at_loops(sweeps, kernels, tables, work, tree, s, loops, time, q, v, how, count):
    """Rows of the cut joints at (q, v), and `count` times their Jacobian."""
    work.gamma[:] = 0.0
    see(sweeps, kernels, tables, work, tree, s, loops, time, q, v, True)
    for _ in range(count):
        jacobian(sweeps, tree, s, loops, work, how)


@lean
def many_forwards(
    sweeps, kernels, tables, work, tree, s, loops, time, q, v, tau, stiff, out, count
):  # fmt: skip
    """Joint accelerations, computed `count` times."""
    for _ in range(count):
        forward(sweeps, kernels, tables, work, tree, s, loops, time, q, v, tau, stiff, out)


@lean
def balance(sweeps, kernels, tables, work, tree, s, loops, run, time, out, row):
    """Accelerations at the run's q and v with everything stored as row `row`, if there is one.

    Returns the power that is dissipated and the one that is supplied.
    """
    forward(
        sweeps, kernels, tables, work, tree, s, loops, time, run.q, run.v, run.tau, run.stiff, run.a
    )
    if loops.J.shape[0] > 0:
        settle(
            sweeps, kernels, tables, work, tree, s, loops,
            time, run.q, run.v, run.tau, run.stiff, run.d,
        )  # fmt: skip
    if row >= 0:
        store(tree, s, loops, work, run, out, row)
    return powers(tree, s, loops, work, run.v)


@lean
def inverse(sweeps, kernels, tables, work, tree, s, loops, time, q, v, a, tau):
    """Forces along the joints' velocities for accelerations a, cut joints open."""
    work.gamma[:] = 0.0
    see(sweeps, kernels, tables, work, tree, s, loops, time, q, v, False)
    if tables.directory.shape[0] > 0:
        add_forces(tree, s, work.nodes, work.f)
    newton_euler(tree, s, a, tree.gravity, tau)
