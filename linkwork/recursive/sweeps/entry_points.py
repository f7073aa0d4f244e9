"""The table of the large functions of a tree: those that it needs, compiled when it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwork.kernels.compiled import CompiledEntry
from linkwork.kernels.kernel import NullFunction, kernel_table
from linkwork.recursive.loops.loop_jacobian import direct, semi_analytic
from linkwork.recursive.sweeps import slots
from linkwork.recursive.sweeps.articulated import accelerate, inward, inward_general
from linkwork.recursive.sweeps.bending import enter_link, leave_link
from linkwork.recursive.sweeps.general_joint import place_general
from linkwork.recursive.sweeps.outward import outward
from linkwork.recursive.sweeps.responses import respond
from linkwork.recursive.sweeps.sensing import sense
from linkwork.recursive.sweeps.swing import leave_whole_turns


def fused_entry(function: Callable, signature: Any) -> CompiledEntry:
    return CompiledEntry(function, signature, fastmath={"contract"}, _nrt=False)


def no_turns(swings, q, v, a, other):
    pass


PLACE = fused_entry(place_general, slots.ONE_JOINT)
ELIMINATE = fused_entry(inward_general, slots.ONE_JOINT)
ENTER = CompiledEntry(enter_link, slots.ONE_JOINT, _nrt=False)
LEAVE = CompiledEntry(leave_link, slots.ONE_JOINT, _nrt=False)
OUT, IN = fused_entry(outward, slots.ALL_JOINTS), fused_entry(inward, slots.ALL_JOINTS)
BACK = fused_entry(accelerate, slots.MOTION_OF)
ANSWER = fused_entry(respond, slots.RESPONSES)
PATHS = fused_entry(semi_analytic, slots.JACOBIAN)
DERIVATIVES = fused_entry(direct, slots.JACOBIAN)
LOOK = fused_entry(sense, slots.SENSORS)
UNWIND, NO_UNWIND = fused_entry(leave_whole_turns, slots.TURNS), fused_entry(no_turns, slots.TURNS)
NONE = NullFunction()


def sweeps_for(
    joints: bool, links: bool, loops: bool, differentiates: bool, senses: bool, swings: bool
) -> Any:
    """For trees with joints that are no hinges, with flexible links, with cut joints, with direct
    differentiation of these, with loads that follow reactions and accelerations, and with swings.
    """
    return kernel_table([
        PLACE if joints else NONE, ELIMINATE if joints else NONE,
        ENTER if links else NONE, LEAVE if links else NONE, OUT, IN, BACK,
        ANSWER if loops else NONE, PATHS if loops else NONE,
        DERIVATIVES if differentiates else NONE, LOOK if senses else NONE,
        UNWIND if swings else NO_UNWIND,
    ])  # fmt: skip
