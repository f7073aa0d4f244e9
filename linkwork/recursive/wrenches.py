"""Wrenches that the joints of the tree put on their bodies, I A + p, and the power of motion laws."""

from __future__ import annotations

from linkwork.math.borrowed import borrow
from linkwork.math.compiled import fused, fused_inlined
from linkwork.math.vectors import add
from linkwork.recursive.general_joint import inertia_times, law_place, six_dot
from linkwork.recursive.layout import BASE, BIAS, DOF, INTS, LAW, RECORD, WRENCH, put3, three


@fused_inlined
def wrench(w, x):
    """Moment about P and force on a body from its joint, after `accelerate`."""
    n, f = inertia_times(w, x, three(w, x + BIAS), three(w, x + BIAS + 3))
    return add(n, three(w, x + WRENCH)), add(f, three(w, x + WRENCH + 3))


@fused
def joint_wrenches(tree, s, out):
    """All of them, out (n, 6)."""
    w, o = borrow(s.sweep), borrow(out)
    for i in range(tree.ints.shape[0]):
        n, f = wrench(w, RECORD * i)
        put3(o, 6 * i, n)
        put3(o, 6 * i + 3, f)


@fused
def law_power(tree, s):
    """Power that motion laws of the tree's joints supply."""
    w, c, ints = borrow(s.sweep), borrow(s.columns), borrow(tree.ints)
    total = 0.0
    for i in range(tree.ints.shape[0]):
        m = INTS * i
        if ints[m + LAW] >= 0:
            n, f = wrench(w, RECORD * i)
            total += six_dot(c, law_place(ints[m + BASE], ints[m + DOF]), n, f)
    return total
