"""What Python calls: the functions of `closing` as compiled entries."""

from __future__ import annotations

from linkwork.math.compiled import lean
from linkwork.recursive.loops.closing import forward, jacobian, evaluate_constraints
from linkwork.recursive.inverse import newton_euler
from linkwork.recursive.sweeps.nodes import add_forces, fill_nodes, fill_values


@lean
def evaluate_loops(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, how, count):
    """Rows of the cut joints at (q, v), and `count` times their Jacobian."""
    work.gamma[:] = 0.0
    evaluate_constraints(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, True)
    for _ in range(count):
        jacobian(sweeps, tree, s, loops, work, how)


@lean
def many_forwards(
    sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, tau, stiff, out, count
):  # fmt: skip
    """Joint accelerations, computed `count` times."""
    for _ in range(count):
        forward(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, tau, stiff, out)


@lean
def inverse(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, a, tau):
    """Forces along the joints' velocities for accelerations a, cut joints open."""
    work.gamma[:] = 0.0
    evaluate_constraints(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, False)
    if tables.directory.shape[0] > 0:
        add_forces(tree, s, work.nodes, work.f)
    newton_euler(tree, s, a, tree.gravity, tau)


@lean
def place_bodies(tree, s, nodes, values, q, v, a):
    """Positions and velocities of all bodies, and amplitudes, after `outward`."""
    fill_nodes(tree, s, nodes)
    fill_values(tree, values, q, v, a)
