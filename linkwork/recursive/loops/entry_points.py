"""Single evaluations in joint coordinates, for Python: at the q and v of a run's motion."""

from __future__ import annotations

from linkwork.kernels.memory.c_functions import c_function
from linkwork.recursive.inverse import forces_needed
from linkwork.recursive.loops.closing import (
    drive_joints, evaluate_constraints, forward, jacobian,
)  # fmt: skip
from linkwork.recursive.stepping.runs import TreeRun, for_trees_and_loops
from linkwork.recursive.sweeps import slots
from linkwork.recursive.sweeps.nodes import add_forces, fill_nodes, fill_values
from linkwork.system.evaluate import Equations, Rows


@c_function(Equations, TreeRun, float, int, int, returns=None)
def evaluate_loops(equations, run, time, how, count):
    """Rows of the cut joints, and `count` times their Jacobian."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    sweeps, tree, s, loops = (
        run.mechanism.sweeps, run.mechanism.tree, run.mechanism.sweep, run.mechanism.loops
    )  # fmt: skip
    work.gamma[:] = 0.0
    evaluate_constraints(
        sweeps, kernels, tables, work, tree, s, loops, None, time, run.motion.q, run.motion.v, True
    )
    for _ in range(count if loops.gamma.shape[0] > 0 else 0):
        jacobian(sweeps, tree, s, loops, work, how)


@for_trees_and_loops(TreeRun, steps=float, out=int)
def many_forwards(equations, run, time, count, cut):
    """Joint accelerations, computed `count` times."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    sweeps, tree, s, loops = (
        run.mechanism.sweeps, run.mechanism.tree, run.mechanism.sweep, run.mechanism.loops
    )  # fmt: skip
    m = run.motion
    for _ in range(count):
        forward(
            sweeps, kernels, tables, work, tree, s, loops, cut, time, m.q, m.v, m.tau, m.stiff, m.a
        )
    return 0


@c_function(Equations, TreeRun, float, returns=None)
def inverse(equations, run, time):
    """Forces tau along the joints' velocities for accelerations a, cut joints open."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    sweeps, tree, s, loops = (
        run.mechanism.sweeps, run.mechanism.tree, run.mechanism.sweep, run.mechanism.loops
    )  # fmt: skip
    m = run.motion
    work.gamma[:] = 0.0
    evaluate_constraints(
        sweeps, kernels, tables, work, tree, s, loops, None, time, m.q, m.v, False
    )
    if tables.directory.shape[0] > 0:
        add_forces(tree, s, work.nodes, work.f)
        drive_joints(tables, s)
    forces_needed(tree, s, m.a, tree.gravity, m.tau)
    for i in range(m.tau.shape[0]):
        m.tau[i] -= s.drives[i]


@c_function(TreeRun, returns=None)
def place_tree(run):
    """`outward` for Python."""
    mechanism, m = run.mechanism, run.motion
    slots.outward(mechanism.sweeps, mechanism.sweeps, mechanism.tree, mechanism.sweep, m.q, m.v)


@c_function(Equations, TreeRun, Rows, returns=None)
def place_bodies(equations, run, values):
    """Positions and velocities of all bodies, and amplitudes, after `outward`."""
    tree, m = run.mechanism.tree, run.motion
    fill_nodes(tree, run.mechanism.sweep, equations.work.nodes)
    fill_values(tree, values.numbers, m.q, m.v, m.a)


@c_function(TreeRun, returns=None, fastmath={"contract"})
def newton_euler(run):
    """`forces_needed` for Python."""
    tree, m = run.mechanism.tree, run.motion
    forces_needed(tree, run.mechanism.sweep, m.a, tree.gravity, m.tau)
