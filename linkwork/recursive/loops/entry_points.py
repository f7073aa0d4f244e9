"""What Python calls: the functions of `closing` as compiled entries."""

from __future__ import annotations

from linkwork.math.compiled import lean
from linkwork.system.evaluate import Work
from linkwork.recursive.tree.layout import Tree
from linkwork.system.evaluate import Tables
from linkwork.recursive.tree.layout import Sweep
from linkwork.recursive.loops.closing import Loops
from linkwork.math.memory.records import by_address, record_at
from linkwork.recursive.loops.closing import (
    drive_joints, evaluate_constraints, forward, jacobian,
)  # fmt: skip
from linkwork.recursive.inverse import forces_needed
from linkwork.recursive.sweeps.nodes import add_forces, fill_nodes, fill_values


@by_address
@lean
def evaluate_loops(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, how, count):
    """Rows of the cut joints at (q, v), and `count` times their Jacobian."""
    tables, work = record_at(Tables, tables), record_at(Work, work)
    tree, s = record_at(Tree, tree), record_at(Sweep, s)
    loops = record_at(Loops, loops)
    work.gamma[:] = 0.0
    evaluate_constraints(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, True)
    for _ in range(count):
        jacobian(sweeps, tree, s, loops, work, how)


@by_address
@lean
def many_forwards(
    sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, tau, stiff, out, count
):  # fmt: skip
    """Joint accelerations, computed `count` times."""
    tables, work = record_at(Tables, tables), record_at(Work, work)
    tree, s = record_at(Tree, tree), record_at(Sweep, s)
    loops = record_at(Loops, loops)
    for _ in range(count):
        forward(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, tau, stiff, out)


@by_address
@lean
def inverse(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, a, tau):
    """Forces along the joints' velocities for accelerations a, cut joints open."""
    tables, work = record_at(Tables, tables), record_at(Work, work)
    tree, s = record_at(Tree, tree), record_at(Sweep, s)
    loops = record_at(Loops, loops)
    work.gamma[:] = 0.0
    evaluate_constraints(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, False)
    if tables.directory.shape[0] > 0:
        add_forces(tree, s, work.nodes, work.f)
        drive_joints(tables, s)
    forces_needed(tree, s, a, tree.gravity, tau)
    for i in range(tau.shape[0]):
        tau[i] -= s.drives[i]


@by_address
@lean
def place_bodies(tree, s, nodes, values, q, v, a):
    """Positions and velocities of all bodies, and amplitudes, after `outward`."""
    tree, s = record_at(Tree, tree), record_at(Sweep, s)
    fill_nodes(tree, s, nodes)
    fill_values(tree, values, q, v, a)
