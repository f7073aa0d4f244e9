"""What Python calls: the functions of `closing` and `runge_kutta` as compiled entries."""

from __future__ import annotations

from linkwork.math.compiled import lean
from linkwork.recursive.closing import forward, jacobian, see
from linkwork.recursive.inverse import newton_euler
from linkwork.recursive.nodes import add_forces
from linkwork.recursive.runge_kutta import powers, store


@lean
def look_at_loops(kernels, tables, work, tree, s, loops, time, q, v, how, count):
    """Rows of the cut joints at (q, v), and `count` times their Jacobian."""
    work.gamma[:] = 0.0
    see(kernels, tables, work, tree, s, loops, time, q, v, True)
    for _ in range(count):
        jacobian(tree, s, loops, work, how)


@lean
def many_forwards(kernels, tables, work, tree, s, loops, time, q, v, tau, stiff, out, count):
    """Joint accelerations, computed `count` times."""
    for _ in range(count):
        forward(kernels, tables, work, tree, s, loops, time, q, v, tau, stiff, out, False)


@lean
def balance(kernels, tables, work, tree, s, loops, run, time, out, row):
    """Accelerations at the run's q and v with everything stored as row `row`, if there is one.

    Returns the power that is dissipated and the one that is supplied.
    """
    forward(
        kernels, tables, work, tree, s, loops, time, run.q, run.v, run.tau, run.stiff, run.a, False
    )
    if loops.J.shape[0] > 0:
        forward(
            kernels, tables, work, tree, s, loops, time, run.q, run.v, run.tau, run.stiff, run.d,
            True,
        )  # fmt: skip
    if row >= 0:
        store(tree, s, loops, work, run, out, row)
    return powers(tree, s, loops, work, run.v)


@lean
def inverse(kernels, tables, work, tree, s, loops, time, q, v, a, tau):
    """Forces along the joints' velocities for accelerations a, cut joints open."""
    work.gamma[:] = 0.0
    see(kernels, tables, work, tree, s, loops, time, q, v, False)
    if tables.directory.shape[0] > 0:
        add_forces(tree, s, work.nodes, work.f)
    newton_euler(tree, s, a, tree.gravity, tau)
