"""What the elimination calls by address: models without it compile nothing for it, others once.

    leave_first(e, vals, rhs, task)           vector nodes that leave first (`condensation`)
    leave_together(e, vals, rhs, k, task)     a substructure (`substructure.numbers`)
    leave_bridges(e, vals, rhs, i, j, task)   bodies between two others (`between`)
    factor_core(e, vals)  solve_core(e)       the sparse LU of the core (`core`)
    eliminate(e, vals, rhs, task)             everything (`sweeps`)

The addresses are in `Elimination.code`; compiled, e is a reference to the elimination.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.math.compiled import FLOATS, JIT, Far, generates
from linkwork.math.kernel import call_address, kernel_table
from linkwork.math.memory.referred import Reference, load_field
from linkwork.system.elimination import between, condensation
from linkwork.system.elimination.substructure import numbers as substructure_numbers
from linkwork.system.elimination.tables import Elimination
from linkwork.system.sparse_lu import numeric as sparse

FACTOR_CORE, SOLVE_CORE, ELIMINATE, CONDENSE, SUBSTRUCTURE, BETWEEN, SLOTS = range(7)
CODE, LU, CORE_RHS, CONDENSED, TOGETHER, BRIDGES, X, OUT = (
    Elimination._fields.index(name)
    for name in ("code", "lu", "core_rhs", "condensed", "substructures", "between", "x", "out")
)


def address_of(e: Elimination, eliminate: Any) -> np.ndarray:
    """`Elimination.code` of a single node on trial."""
    if not JIT:
        return e.code
    codes: list[Any] = [NullFunction() for _ in range(SLOTS)]
    codes[ELIMINATE] = whole(e, eliminate)
    return kernel_table(codes)


def whole(e: Elimination, eliminate: Any) -> Far:
    numbers = np.zeros(1)
    return Far(eliminate, types.float64, Reference(e), numbers, numbers, 0)


def addresses(e: Elimination, eliminate: Any) -> np.ndarray:
    """`Elimination.code`; that of the core only where there is one."""
    if not JIT:
        return e.code
    numbers = np.zeros(1)
    core: list[Any] = [NullFunction(), NullFunction()]
    if e.core.size:
        factor = Far(sparse.refactor, types.float64, e.lu, numbers)
        core = [factor, Far(sparse.solve, types.none, e.lu, numbers)]
    first: Any = NullFunction()
    if e.groups.size:
        first = Far(condensation.condense, types.float64, e.condensed, numbers, numbers, 0)
    together: Any = NullFunction()
    if e.substructures.after.size:
        together = Far(
            substructure_numbers.leave, types.float64, e.substructures, numbers, numbers, e.x,
            e.out, 0, 0,
        )  # fmt: skip
    bridges: Any = NullFunction()
    if e.between.ints.size:
        bridges = Far(
            between.leave_between, types.float64, e.between, numbers, numbers, e.x, e.out, 0, 0, 0
        )
    return kernel_table([*core, whole(e, eliminate), first, together, bridges])


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


def leave_bridges(e, vals, rhs, begin, end, task):
    return between.leave_between(e.between, vals, rhs, e.x, e.out, begin, end, task)


def call_code(context, builder, signature, slot, kind, r, args):
    """Code for a call of what is in a slot of `Elimination.code`, known by a reference."""
    code = load_field(context, builder, r, kind.kind, CODE)
    return call_address(context, builder, signature, code, ir.Constant(ir.IntType(64), slot), args)


@generates(leave_first)
def _leave_first(typing, r, vals, rhs, task):
    def generate(context, builder, signature, args):
        parts = [load_field(context, builder, args[0], r.kind, CONDENSED), *args[1:]]
        return call_code(context, builder, called, CONDENSE, r, args[0], parts)

    called = types.float64(r.kind.types[CONDENSED], FLOATS, FLOATS, types.int64)
    return types.float64(r, FLOATS, FLOATS, types.int64), generate


@generates(leave_together)
def _leave_together(typing, r, vals, rhs, number, task):
    def generate(context, builder, signature, args):
        e, vals_, rhs_, number_, task_ = args
        together, x, out = (load_field(context, builder, e, r.kind, i) for i in (TOGETHER, X, OUT))
        parts = [together, vals_, rhs_, x, out, number_, task_]
        return call_code(context, builder, called, SUBSTRUCTURE, r, e, parts)

    called = types.float64(
        r.kind.types[TOGETHER], FLOATS, FLOATS, FLOATS, FLOATS, types.int64, types.int64
    )
    return types.float64(r, FLOATS, FLOATS, types.int64, types.int64), generate


@generates(leave_bridges)
def _leave_bridges(typing, r, vals, rhs, begin, end, task):
    def generate(context, builder, signature, args):
        e, vals_, rhs_, *rest = args
        bridges, x, out = (load_field(context, builder, e, r.kind, i) for i in (BRIDGES, X, OUT))
        parts = [bridges, vals_, rhs_, x, out, *rest]
        return call_code(context, builder, called, BETWEEN, r, e, parts)

    whole = [types.int64] * 3
    called = types.float64(r.kind.types[BRIDGES], FLOATS, FLOATS, FLOATS, FLOATS, *whole)
    return types.float64(r, FLOATS, FLOATS, *whole), generate


@generates(factor_core)
def _factor_core(typing, r, vals):
    def generate(context, builder, signature, args):
        lu = load_field(context, builder, args[0], r.kind, LU)
        return call_code(context, builder, called, FACTOR_CORE, r, args[0], [lu, args[1]])

    called = types.float64(r.kind.types[LU], FLOATS)
    return types.float64(r, FLOATS), generate


@generates(solve_core)
def _solve_core(typing, r):
    def generate(context, builder, signature, args):
        parts = [load_field(context, builder, args[0], r.kind, i) for i in (LU, CORE_RHS)]
        call_code(context, builder, called, SOLVE_CORE, r, args[0], parts)
        return context.get_dummy_value()

    called = types.none(r.kind.types[LU], FLOATS)
    return types.none(r), generate
