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

from linkwork.kernels.compiled import FLOATS, INTS, JIT, Far, generates
from linkwork.kernels.kernel import NullFunction, call_address, kernel_table
from linkwork.kernels.memory.records import load_field, record_type
from linkwork.linear_algebra.along_mechanism import between, condensation
from linkwork.linear_algebra.along_mechanism.between import Between
from linkwork.linear_algebra.along_mechanism.condensation import Condensed
from linkwork.linear_algebra.along_mechanism.substructure import numbers as substructure_numbers
from linkwork.linear_algebra.along_mechanism.substructure.substructures import Substructures
from linkwork.linear_algebra.along_mechanism.tables import Elimination
from linkwork.linear_algebra.core import LU
from linkwork.linear_algebra.core import numeric as sparse

FACTOR_CORE, SOLVE_CORE, ELIMINATE, CONDENSE, SUBSTRUCTURE, BETWEEN, SLOTS = range(7)
ELIMINATION, CORE = record_type(Elimination), record_type(LU)
PART = types.float64(ELIMINATION, FLOATS, FLOATS, types.int64)
CONDENSED = types.float64(record_type(Condensed), FLOATS, FLOATS, types.int64)
_SOLUTION, _PLACES = (FLOATS, FLOATS, FLOATS, FLOATS), [types.int64] * 3
TOGETHER = types.float64(record_type(Substructures), *_SOLUTION, *_PLACES[:2])
BRIDGES = types.float64(record_type(Between), *_SOLUTION, *_PLACES)


def address_of(e: Elimination, eliminate: Any) -> np.ndarray:
    """`Elimination.code` of a single node on trial."""
    if not JIT:
        return e.code
    codes: list[Any] = [NullFunction() for _ in range(SLOTS)]
    codes[ELIMINATE] = Far(eliminate, PART)
    return kernel_table(codes)


def addresses(e: Elimination, eliminate: Any) -> np.ndarray:
    """`Elimination.code`; that of the core only where there is one."""
    if not JIT:
        return e.code
    none = NullFunction()
    return kernel_table([
        Far(sparse.refactor, types.float64(CORE, FLOATS)) if e.core.size else none,
        Far(sparse.solve, types.none(CORE, FLOATS)) if e.core.size else none,
        Far(eliminate, PART),
        Far(condensation.condense, CONDENSED) if e.groups.size else none,
        Far(substructure_numbers.leave, TOGETHER) if e.substructures.after.size else none,
        Far(between.leave_between, BRIDGES) if e.between.ints.size else none,
    ])  # fmt: skip


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


def call_code(context, builder, signature, slot, r, args):
    """Code for a call of what is in a slot of `Elimination.code`, known by a reference."""
    code = load_field(context, builder, ELIMINATION, r, "code")
    place = ir.Constant(ir.IntType(64), slot)
    return call_address(context, builder, signature, INTS, code, place, args)


def fields(context, builder, r, *names):
    return [load_field(context, builder, ELIMINATION, r, name) for name in names]


@generates(leave_first)
def _leave_first(typing, r, vals, rhs, task):
    def generate(context, builder, signature, args):
        parts = [*fields(context, builder, args[0], "condensed"), *args[1:]]
        return call_code(context, builder, CONDENSED, CONDENSE, args[0], parts)

    return PART, generate


@generates(leave_together)
def _leave_together(typing, r, vals, rhs, number, task):
    def generate(context, builder, signature, args):
        e, vals_, rhs_, number_, task_ = args
        together, x, out = fields(context, builder, e, "substructures", "x", "out")
        parts = [together, vals_, rhs_, x, out, number_, task_]
        return call_code(context, builder, TOGETHER, SUBSTRUCTURE, e, parts)

    return types.float64(ELIMINATION, FLOATS, FLOATS, *_PLACES[:2]), generate


@generates(leave_bridges)
def _leave_bridges(typing, r, vals, rhs, begin, end, task):
    def generate(context, builder, signature, args):
        e, vals_, rhs_, *rest = args
        bridges, x, out = fields(context, builder, e, "between", "x", "out")
        parts = [bridges, vals_, rhs_, x, out, *rest]
        return call_code(context, builder, BRIDGES, BETWEEN, e, parts)

    return types.float64(ELIMINATION, FLOATS, FLOATS, *_PLACES), generate


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
