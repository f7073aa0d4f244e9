"""Kernels of element families: one signature, called by address through a table.

    kernel(ints, reals, motion, loads)

A kernel sees the motion of all nodes and adds to the loads on them, for all elements of its family:
row k of `ints` says where element k finds its nodes and blocks, row k of `reals` has its numbers
(elements.layout).  All kernels have this signature, so that the compiled evaluation calls them
through a table of addresses: a model compiles only the families it uses, and a new family never
recompiles the stepping loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.kernels.compiled import FLOATS2, INTS2, JIT, CompiledEntry, generates
from linkwork.kernels.memory.addresses import ADDRESSED
from linkwork.kernels.memory.records import WORD, Floats, Floats2, Stored, record_type


class Motion(NamedTuple):
    """What a kernel sees.

    nodes  : (bodies + 1, NODE) positions, orientations and velocities; the ground is the last row
    vdot   : (bodies + 1, 8) accelerations, six in use;   x : the same of the step's displacement
    values : (6, values + 1) of scalar and vector nodes: value, rate, second derivative, and how
             much each of these changes with the unknown of the step, over the size of equations
    gamma  : multipliers of the constraint rows;   time : s
    coef   : what is wanted, and with which coefficients (elements.layout)
    memory : (elements, …) what the elements of the family remember, which a kernel writes when a
             step is accepted
    """

    nodes: Floats2
    vdot: Floats2
    x: Floats2
    values: Floats2
    gamma: Floats
    time: float
    coef: Floats
    memory: Floats2


class Loads(NamedTuple):
    """What a kernel adds to, or writes.

    f       : (bodies + 1, 6) residual of the equations of motion of bodies
    balance : (values + 1,) residual of the equations of scalar and vector nodes
    C, Ct, Qc : residual of the constraint rows, its rate, and Q_c of C_q v̇ = Q_c
    vals    : the values of the matrix;   power : [dissipated, supplied] power
    out     : (elements, numbers) the outputs of each element, where coef[OUT] is set
    """

    f: Floats2
    balance: Floats
    C: Floats
    Ct: Floats
    Qc: Floats
    vals: Floats
    power: Floats
    out: Floats2


MOTION, LOADS = record_type(Motion), record_type(Loads)
KERNEL = types.void(INTS2, FLOATS2, MOTION, LOADS)


class Kernel(CompiledEntry):
    """An element family's kernel; one that allocates arrays has to say so."""

    def __init__(self, function: Any, allocates: bool = False) -> None:
        super().__init__(function, KERNEL, _nrt=allocates)

    @property
    def address(self) -> int:
        """For numbers of elements that ask other elements' kernels (kernels.addresses)."""
        return self.__wrapper_address__() if JIT else id(self)


class KernelTable(Stored, np.ndarray):
    """Addresses of compiled functions by slot; unpickled, they are found anew."""

    kernels: tuple[Any, ...]

    @property
    def words(self) -> Any:
        return self

    def __array_finalize__(self, other: Any) -> None:
        self.kernels = getattr(other, "kernels", ())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return kernel_table, (self.kernels,)

    def __deepcopy__(self, memo: Any) -> KernelTable:
        return self


def kernel_table(kernels: Iterable[Any]) -> Any:
    """The kernels of a system by slot, for `call_kernel` (without compilation, themselves)."""
    kernels = tuple(kernels)
    if not JIT:
        return kernels
    addresses = np.array([kernel.__wrapper_address__() for kernel in kernels], np.int64)
    table = addresses.view(KernelTable)
    table.kernels = kernels
    return table


def call_kernel(table, slot, ints, reals, motion, loads):
    table[slot](ints, reals, motion, loads)


def call_address(context, builder, signature, kind, table, slot, args):
    """Code for a call of the function whose address is in a slot of a table (array or address)."""
    if isinstance(kind, types.Integer):
        first = builder.inttoptr(table, WORD.as_pointer())
    else:
        first = context.make_array(kind)(context, builder, table).data
    address = builder.load(builder.gep(first, [slot]))
    kinds = [context.get_value_type(kind) for kind in signature.args]
    function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
    return builder.call(builder.inttoptr(address, function.as_pointer()), args)


def call_kernel_at(address, ints, reals, motion, loads):
    """The kernel whose address is a number of an element."""
    ADDRESSED[int(address)].function(ints, reals, motion, loads)


@generates(call_kernel_at)
def _call_kernel_at(typing, address, ints, reals, motion, loads):
    def generate(context, builder, signature, args):
        kinds = [context.get_value_type(kind) for kind in KERNEL.args]
        function = ir.FunctionType(context.get_value_type(KERNEL.return_type), kinds)
        builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, *KERNEL.args), generate


@generates(call_kernel)
def _call_kernel(typing, table, slot, ints, reals, motion, loads):
    def generate(context, builder, signature, args):
        call_address(context, builder, KERNEL, table, args[0], args[1], args[2:])
        return context.get_dummy_value()

    return types.void(table, types.int64, *KERNEL.args), generate
