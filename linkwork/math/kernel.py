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
from numba import float64, types
from numba.extending import models, register_model

from linkwork.math.compiled import (
    FLOATS,
    FLOATS2,
    INTS,
    INTS2,
    JIT,
    CompiledEntry,
    array_at,
    attributes,
    generates,
)  # fmt: skip
from linkwork.math.memory.addresses import ADDRESSED


class Motion(NamedTuple):
    """What a kernel sees.

    nodes  : (bodies + 1, NODE) positions, orientations and velocities; the ground is the last row
    vdot   : (bodies + 1, 8) accelerations, six in use;   x : the same of the step's displacement
    values : (6, values + 1) of scalar and vector nodes: value, rate, second derivative, and how
             much each of these changes with the unknown of the step, over the size of equations
    gamma  : multipliers of the constraint rows;   time : s
    coef   : what is wanted, and with which coefficients (elements.layout)
    """

    nodes: np.ndarray
    vdot: np.ndarray
    x: np.ndarray
    values: np.ndarray
    gamma: np.ndarray
    time: float
    coef: np.ndarray


class Loads(NamedTuple):
    """What a kernel adds to, or writes.

    f       : (bodies + 1, 6) residual of the equations of motion of bodies
    balance : (values + 1,) residual of the equations of scalar and vector nodes
    C, Ct, Qc : residual of the constraint rows, its rate, and Q_c of C_q v̇ = Q_c
    vals    : the values of the matrix;   power : [dissipated, supplied] power
    """

    f: np.ndarray
    balance: np.ndarray
    C: np.ndarray
    Ct: np.ndarray
    Qc: np.ndarray
    vals: np.ndarray
    power: np.ndarray


class ViewType(types.Type):
    """Numba's type of a tuple of arrays that kernels see through one address.

    To hand on every array with all that numba knows of it takes a hundred instructions a call; a
    view is a row of words in memory, of each array where it begins and how long it is.
    """

    def __init__(self, kind: Any, fields: tuple[Any, ...]) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(name=f"view({kind.__name__}{fields})")

    def word(self, name: str) -> tuple[int, Any]:
        """The first word of a field and its type."""
        number = self.kind._fields.index(name)
        return sum(words(field) for field in self.fields[:number]), self.fields[number]


def words(field: Any) -> int:
    """Words of a field: an address and the extents of an array, or the number itself."""
    return 1 + field.ndim if isinstance(field, types.Array) else 1


MOTION = ViewType(Motion, (FLOATS2, FLOATS2, FLOATS2, FLOATS2, FLOATS, float64, FLOATS))
LOADS = ViewType(Loads, (FLOATS2, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS))
KERNEL = types.void(INTS2, FLOATS2, MOTION, LOADS)
WORD = ir.IntType(64)


@register_model(ViewType)
class ViewModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


def _typed(view, name):
    return view.word(name)[1] if name in view.kind._fields else None


def _field(context, builder, view, value, name):
    first, field = view.word(name)
    place = [builder.gep(value, [ir.Constant(WORD, first + k)]) for k in range(words(field))]
    if not isinstance(field, types.Array):
        return builder.load(builder.bitcast(place[0], ir.DoubleType().as_pointer()))
    address, *shape = (builder.load(each) for each in place)
    data = builder.inttoptr(address, context.get_data_type(field.dtype).as_pointer())
    return array_at(context, builder, field, data, shape)


_add_names = attributes(ViewType, _typed, _field)
_add_names(Motion._fields + Loads._fields)


def view(fields):
    """What a kernel is given: the tuple itself, or compiled, a view of it."""
    return fields


@generates(view)
def _view(typing, fields):
    made = {Motion: MOTION, Loads: LOADS}[fields.instance_class]

    def generate(context, builder, signature, args):
        total = sum(words(field) for field in made.fields)
        with builder.goto_entry_block():
            room = builder.alloca(WORD, ir.Constant(WORD, total))
        for k, name in enumerate(made.kind._fields):
            first, field = made.word(name)
            value = builder.extract_value(args[0], k)
            place = [builder.gep(room, [ir.Constant(WORD, first + i)]) for i in range(words(field))]
            if not isinstance(field, types.Array):
                builder.store(value, builder.bitcast(place[0], ir.DoubleType().as_pointer()))
                continue
            array = context.make_array(field)(context, builder, value)
            builder.store(builder.ptrtoint(array.data, WORD), place[0])
            for i in range(field.ndim):
                builder.store(builder.extract_value(array.shape, i), place[1 + i])
        return room

    return made(fields), generate


class Kernel(CompiledEntry):
    """An element family's kernel; one that allocates arrays has to say so."""

    def __init__(self, function: Any, allocates: bool = False) -> None:
        super().__init__(function, KERNEL, _nrt=allocates)

    @property
    def address(self) -> int:
        """For numbers of elements that ask other elements' kernels (math.addresses)."""
        return self.__wrapper_address__() if JIT else id(self)


class KernelTable(np.ndarray):
    """Addresses of compiled functions by slot; unpickled, they are found anew."""

    kernels: tuple[Any, ...]

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


def call_address(context, builder, signature, table, slot, args):
    """Code for a call of the function whose address is in a slot of a table."""
    array = context.make_array(INTS)(context, builder, table)
    address = builder.load(builder.gep(array.data, [slot]))
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
        call_address(context, builder, KERNEL, args[0], args[1], args[2:])
        return context.get_dummy_value()

    return types.void(INTS, types.int64, *KERNEL.args), generate
