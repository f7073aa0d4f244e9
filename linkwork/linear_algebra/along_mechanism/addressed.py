"""What the elimination calls by address: models without it compile nothing for it, others once.

    leave_apart(e, kind, vals, rhs, i, j, task)   what leaves between the nodes: `condensation`,
                                                  `carried`, `between`
    factor_core(e, vals)  solve_core(e)           the sparse LU of the core (`core`)
    eliminate(e, vals, rhs, task)                 everything (`sweeps`)

The addresses are in `Elimination.code`; compiled, e is a reference to the elimination.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.kernels.compiled import FLOATS, INTS, JIT, Far, generates
from linkwork.kernels.kernel import NullFunction, call_address, kernel_table
from linkwork.kernels.memory.records import load_field, record_type
from linkwork.linear_algebra.along_mechanism.between import leave_between
from linkwork.linear_algebra.along_mechanism.carried import leave_carried
from linkwork.linear_algebra.along_mechanism.condensation import condense
from linkwork.linear_algebra.along_mechanism.tables import (
    CARRIED, CONDENSED, BRIDGES, Between, Carried, Condensed, Elimination,
)  # fmt: skip
from linkwork.linear_algebra.core import LU
from linkwork.linear_algebra.core import numeric as sparse

FACTOR_CORE, SOLVE_CORE, ELIMINATE, APART = range(4)  # the kinds of what leaves apart follow
SLOTS = APART + 3
ELIMINATION, CORE = record_type(Elimination), record_type(LU)
PART = types.float64(ELIMINATION, FLOATS, FLOATS, types.int64)
KINDS = {  # field of an elimination, its type, and its code
    CONDENSED: ("condensed", Condensed, condense),
    CARRIED: ("carried", Carried, leave_carried),
    BRIDGES: ("between", Between, leave_between),
}


def signature_of(group: Any) -> Any:
    return types.float64(record_type(group), *[FLOATS] * 4, *[types.int64] * 3)


def addresses(e: Elimination, eliminate: Any) -> np.ndarray:
    """`Elimination.code`; that of the core, and of what leaves apart, only where there are such."""
    if not JIT:
        return e.code
    codes: list[Any] = [NullFunction() for _ in range(SLOTS)]
    codes[ELIMINATE] = Far(eliminate, PART)
    if e.core.size:
        codes[FACTOR_CORE] = Far(sparse.refactor, types.float64(CORE, FLOATS))
        codes[SOLVE_CORE] = Far(sparse.solve, types.none(CORE, FLOATS))
    for kind in set(e.breaks[:, 1].tolist()):
        _, group, leave = KINDS[kind]
        codes[APART + kind] = Far(leave, signature_of(group))
    return kernel_table(codes)




def factor_core(e, vals):
    return sparse.refactor(e.lu, vals)


def solve_core(e):
    sparse.solve(e.lu, e.core_rhs)


def leave_apart(e, kind, vals, rhs, begin, end, task):
    field, _, leave = KINDS[kind]
    return leave(getattr(e, field), vals, rhs, e.x, e.out, begin, end, task)


def call_code(context, builder, signature, slot, r, args):
    """Code for a call of what is in a slot of `Elimination.code`, known by a reference."""
    code = load_field(context, builder, ELIMINATION, r, "code")
    place = ir.Constant(ir.IntType(64), slot)
    return call_address(context, builder, signature, INTS, code, place, args)


def fields(context, builder, r, *names):
    return [load_field(context, builder, ELIMINATION, r, name) for name in names]


@generates(leave_apart)
def _leave_apart(typing, r, kind, vals, rhs, begin, end, task):
    if not isinstance(kind, types.IntegerLiteral):
        return None
    field, group, _ = KINDS[kind.literal_value]

    def generate(context, builder, signature, args):
        e, _, vals_, rhs_, *rest = args
        own, x, out = fields(context, builder, e, field, "x", "out")
        parts = [own, vals_, rhs_, x, out, *rest]
        slot = APART + kind.literal_value
        return call_code(context, builder, signature_of(group), slot, e, parts)

    return types.float64(ELIMINATION, kind, FLOATS, FLOATS, *[types.int64] * 3), generate


@generates(factor_core)
def _factor_core(typing, r, vals):
    def generate(context, builder, signature, args):
        parts = [*fields(context, builder, args[0], "lu"), args[1]]
        return call_code(context, builder, types.float64(CORE, FLOATS), FACTOR_CORE, args[0], parts)

    return types.float64(ELIMINATION, FLOATS), generate


@generates(solve_core)
def _solve_core(typing, r):
    def generate(context, builder, signature, args):
        parts = fields(context, builder, args[0], "lu", "core_rhs")
        call_code(context, builder, types.none(CORE, FLOATS), SOLVE_CORE, args[0], parts)
        return context.get_dummy_value()

    return types.none(ELIMINATION), generate
