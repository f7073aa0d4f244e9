"""What the elimination calls by address: models without it compile nothing for it, others once.

    leave_first(e, vals, rhs, task)           vector nodes that leave first (`condensation`)
    leave_together(e, vals, rhs, k, task)     a substructure (`substructure_numbers`)
    factor_core(e, vals)  solve_core(e)       the sparse LU of the core (`core`)
    eliminate(e, vals, rhs, task)             everything, for all but loops over steps (`sweeps`)

The addresses are in `Elimination.code`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.math.compiled import FLOATS, JIT, Far, generates
from linkwork.math.kernel import call_address, kernel_table
from linkwork.system.elimination import condensation, substructure_numbers
from linkwork.system.elimination.tables import Elimination
from linkwork.system.sparse_lu import numeric as sparse

FACTOR_CORE, SOLVE_CORE, ELIMINATE, CONDENSE, SUBSTRUCTURE, SLOTS = range(6)
CODE, LU, CORE_RHS, CONDENSED, TOGETHER, X, OUT = (
    Elimination._fields.index(name)
    for name in ("code", "lu", "core_rhs", "condensed", "substructures", "x", "out")
)


def addresses(e: Elimination, eliminate: Any) -> np.ndarray:
    """`Elimination.code`; that of the core only where there is one."""
    if not JIT:
        return e.code
    numbers = np.zeros(1)
    core: list[Any] = [NullFunction(), NullFunction()]
    if e.core.size:
        factor = Far(sparse.refactor, types.float64, e.lu, numbers)
        core = [factor, Far(sparse.solve, types.none, e.lu, numbers)]
    whole = Far(eliminate, types.float64, e, numbers, numbers, 0)
    first: Any = NullFunction()
    if e.groups.size:
        first = Far(condensation.condense, types.float64, e.condensed, numbers, numbers, 0)
    together: Any = NullFunction()
    if e.substructures.after.size:
        together = Far(
            substructure_numbers.leave, types.float64, e.substructures, numbers, numbers, e.x,
            e.out, 0, 0,
        )  # fmt: skip
    return kernel_table([*core, whole, first, together])


class NullFunction:
    """In place of code that is not called."""

    def __wrapper_address__(self) -> int:
        return 0


def factor_core(e, vals):
    return sparse.refactor(e.lu, vals)


def solve_core(e):
    sparse.solve(e.lu, e.core_rhs)


def leave_first(e, vals, rhs, task):
    return condensation.condense(e.condensed, vals, rhs, task)


def leave_together(e, vals, rhs, number, task):
    return substructure_numbers.leave(e.substructures, vals, rhs, e.x, e.out, number, task)


def call_code(context, builder, signature, slot, e, args):
    """Code for a call of what is in a slot of `e.code`."""
    place = ir.Constant(ir.IntType(64), slot)
    return call_address(
        context, builder, signature, builder.extract_value(e, CODE), place, args
    )  # fmt: skip


@generates(leave_first)
def _leave_first(typing, e, vals, rhs, task):
    def generate(context, builder, signature, args):
        parts = [builder.extract_value(args[0], CONDENSED), *args[1:]]
        return call_code(context, builder, called, CONDENSE, args[0], parts)

    called = types.float64(e.types[CONDENSED], FLOATS, FLOATS, types.int64)
    return types.float64(e, FLOATS, FLOATS, types.int64), generate


@generates(leave_together)
def _leave_together(typing, e, vals, rhs, number, task):
    def generate(context, builder, signature, args):
        e_, vals_, rhs_, number_, task_ = args
        together, x, out = (builder.extract_value(e_, i) for i in (TOGETHER, X, OUT))
        parts = [together, vals_, rhs_, x, out, number_, task_]
        return call_code(context, builder, called, SUBSTRUCTURE, e_, parts)

    called = types.float64(
        e.types[TOGETHER], FLOATS, FLOATS, FLOATS, FLOATS, types.int64, types.int64
    )
    return types.float64(e, FLOATS, FLOATS, types.int64, types.int64), generate


@generates(factor_core)
def _factor_core(typing, e, vals):
    def generate(context, builder, signature, args):
        lu = builder.extract_value(args[0], LU)
        return call_code(context, builder, called, FACTOR_CORE, args[0], [lu, args[1]])

    called = types.float64(e.types[LU], FLOATS)
    return types.float64(e, FLOATS), generate


@generates(solve_core)
def _solve_core(typing, e):
    def generate(context, builder, signature, args):
        parts = [builder.extract_value(args[0], i) for i in (LU, CORE_RHS)]
        call_code(context, builder, called, SOLVE_CORE, args[0], parts)
        return context.get_dummy_value()

    called = types.none(e.types[LU], FLOATS)
    return types.none(e), generate
