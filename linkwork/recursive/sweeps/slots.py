"""The large functions of a tree, called by address: each is compiled once, and only where a tree
needs it.
"""

from __future__ import annotations

from numba import int64, types

from linkwork.kernels.compiled import FLOATS, FLOATS2, INTS, INTS2
from linkwork.kernels.kernel import in_slot
from linkwork.kernels.memory.records import record_type
from linkwork.recursive.loops.blocks import Blocks
from linkwork.recursive.tree.layout import Sweep, Tree

# slots: joints that are no hinges, ends of flexible links; sweeps; loops; sensors; swings
(PLACE, ELIMINATE, ENTER, LEAVE, OUTWARD, INWARD, ACCELERATE, RESPOND, SEMI_ANALYTIC, DIRECT,
 SENSE, LEAVE_TURNS) = range(12)  # fmt: skip
TREE, SWEEP, BLOCKS = record_type(Tree), record_type(Sweep), record_type(Blocks)
ONE_JOINT = types.void(TREE, SWEEP, int64, FLOATS, FLOATS)
ALL_JOINTS = types.void(INTS, TREE, SWEEP, FLOATS, FLOATS)  # the first of them: the table
MOTION_OF = types.void(TREE, SWEEP, FLOATS)
RESPONSES = types.void(TREE, SWEEP, FLOATS, BLOCKS)
JACOBIAN = types.void(TREE, SWEEP, FLOATS2, FLOATS, INTS2, FLOATS, BLOCKS, FLOATS)
SENSORS = int64(
    TREE, SWEEP, FLOATS2, FLOATS2, FLOATS, FLOATS2, FLOATS, INTS2, FLOATS2, FLOATS2, FLOATS2,
    FLOATS, int64,
)
TURNS = types.void(INTS2, FLOATS, FLOATS, FLOATS, FLOATS)

place = in_slot(PLACE, ONE_JOINT)
eliminate = in_slot(ELIMINATE, ONE_JOINT)
enter = in_slot(ENTER, ONE_JOINT)
leave = in_slot(LEAVE, ONE_JOINT)
outward = in_slot(OUTWARD, ALL_JOINTS)
inward = in_slot(INWARD, ALL_JOINTS)
accelerate = in_slot(ACCELERATE, MOTION_OF)
respond = in_slot(RESPOND, RESPONSES)
semi_analytic = in_slot(SEMI_ANALYTIC, JACOBIAN)
direct = in_slot(DIRECT, JACOBIAN)
sense = in_slot(SENSE, SENSORS)
leave_turns = in_slot(LEAVE_TURNS, TURNS)
