"""Named tuples of arrays that are handed on by one address.

    @stored
    class Stepper(NamedTuple):             fields say which arrays they are, for compiled code
        base: Floats2
        kept: Ints

    @c_function(Stepper)                   (memory.c_functions)
    def advance(stepper):                  Python hands on the address of a tuple; compiled code
        stepper.base                       has a reference, whose fields it reads
    refer(step)                            the same of a tuple that compiled code has made

A tuple of fifty arrays takes some hundred words a call, more than the step of a small model, and
Python needs microseconds to hand it on; a reference is one word.  Code that takes references is
also compiled faster, and only once, whichever arrays are write-protected.  A row of words is
stored, once per tuple: of each array where it begins and its extents, a number itself, of a tuple
within where its own words are.  Without compilation references are the tuples themselves.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Annotated, Any, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import models, register_model

from linkwork.kernels.compiled import (
    FLOATS,
    FLOATS2,
    INTS,
    INTS2,
    JIT,
    array_at,
    attributes,
    generates,
)

Floats = Annotated[np.ndarray, FLOATS]
Floats2 = Annotated[np.ndarray, FLOATS2]
Floats3 = Annotated[np.ndarray, types.Array(types.float64, 3, "C")]
Floats4 = Annotated[np.ndarray, types.Array(types.float64, 4, "C")]
Ints = Annotated[np.ndarray, INTS]
Ints2 = Annotated[np.ndarray, INTS2]
Ints3 = Annotated[np.ndarray, types.Array(types.int64, 3, "C")]
Flags = Annotated[np.ndarray, types.Array(types.boolean, 1, "C")]
Flags2 = Annotated[np.ndarray, types.Array(types.boolean, 2, "C")]
Shorts = Annotated[np.ndarray, types.Array(types.uint32, 1, "C")]
WORD = ir.IntType(64)
FLOAT = types.float64
NUMBERS = {float: FLOAT, int: types.int64, bool: types.int64}


class RecordType(types.Type):
    """Numba's type of a reference to a named tuple."""

    def __init__(self, group: type) -> None:
        self.group, self.fields = group, fields_of(group)
        add_names(self.fields)
        fields = ", ".join(f"{name}: {kind}" for name, kind in self.fields.items())
        super().__init__(name=f"{group.__module__}.{group.__qualname__}({fields})")

    def field(self, name: str) -> Any:
        """The type of a field; None where there is none of that name."""
        return self.fields.get(name)

    def first(self, name: str) -> int:
        """The number of a field's first word."""
        before = list(self.fields)[: list(self.fields).index(name)]
        return sum(words(self.fields[each]) for each in before)


@functools.cache
def record_type(group: Any) -> RecordType:
    return RecordType(group)


@functools.cache
def fields_of(group: Any) -> dict[str, Any]:
    """Numba's types of the fields of a named tuple, by what stands behind their names."""
    hints = get_type_hints(group, include_extras=True)
    return {name: declared(hint) for name, hint in hints.items()}


def declared(hint: Any) -> Any:
    """Numba's type by an annotation: an array, a number, a named tuple or a table of records."""
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        return record_type(hint)
    kind = NUMBERS.get(hint) or hint.__metadata__[0]
    return types.Array(from_dtype(kind), 1, "C") if isinstance(kind, np.dtype) else kind


def words(kind: Any) -> int:
    """Words of a field: an address and the extents of an array, or one."""
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


@functools.cache
def declarations(group: Any) -> list[tuple[str, Any, int]]:
    """Fields of a named tuple, as Python checks them: the numbers in an array and its dimensions
    (a record or a number: itself, −1)."""
    return [
        (name, numbers_in(kind), kind.ndim) if isinstance(kind, types.Array) else (name, kind, -1)
        for name, kind in fields_of(group).items()
    ]


def numbers_in(array: Any) -> np.dtype:
    """Numpy's type of the numbers in an array of numba's."""
    kind = array.dtype
    return kind.dtype if isinstance(kind, types.Record) else np.dtype(str(kind))


def row_of(fields: Any) -> Any:
    """The words of a tuple, which must outlive their use."""
    row: list[int] = []
    for value, (name, kind, dimensions) in zip(fields, declarations(fields.__class__), strict=True):
        if dimensions >= 0:
            if not (
                value.dtype == kind and value.ndim == dimensions and value.flags.c_contiguous
            ):
                layout = "in order" if value.flags.c_contiguous else "with gaps or in another order"
                raise TypeError(
                    f"field '{name}' of {type(fields).__name__} is to be {dimensions}-dimensional, "
                    f"of {kind}, in order, but it has {value.ndim} dimensions of {value.dtype}, "
                    f"{layout}; declare the field as what it is, or copy the array"
                )
            row += [value.__array_interface__["data"][0], *value.shape]
        elif not isinstance(kind, RecordType):
            row.append(int(np.float64(value).view(np.int64)) if kind is FLOAT else int(value))
        elif isinstance(value, Stored) and type(value) is kind.group:
            row.append(value.address)
        else:
            raise TypeError(
                f"field '{name}' of {type(fields).__name__} is to be a {kind.group.__name__}, but "
                f"it is a {type(value).__name__}"
            )
    return (ctypes.c_int64 * len(row))(*row)


class Address(ctypes.c_int64):
    """Where a record begins; records of each kind have a kind of addresses of their own, so that
    entries take no others (`memory.entries`)."""


@functools.cache
def address_type(group: Any) -> type[Address]:
    return type(group.__name__, (Address,), {})


class Stored:
    """What has an address, as long as it lives, and loaded elsewhere another one."""

    @functools.cached_property
    def words(self) -> Any:
        return row_of(self)

    @functools.cached_property
    def address(self) -> int:
        return ctypes.addressof(self.words)

    @functools.cached_property
    def place(self) -> Address:
        """The address, which entries for records of this kind take."""
        group: Any = type(self)
        return address_type(group)(self.address)

    def __reduce__(self) -> Any:
        return type(self), tuple(self)  # type: ignore[arg-type]


def stored(group: Any) -> Any:
    """Decorator of named tuples that compiled loops take by address."""
    own = {name: getattr(group, name) for name in ("__doc__", "__module__", "__qualname__")}
    made = type(group.__name__, (group, Stored), own)
    if JIT:
        record_type(made)  # attributes must be known before anything is compiled
    return made


def refer(value):
    return value


def rows_at(numbers, first, count, width):
    """(count, width) of a row of numbers from a place on, without a check."""
    return numbers[first : first + count * width].reshape(count, width)


# ------------------------------------------------------------------------------- compiled


@register_model(RecordType)
class RecordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


def load_field(context, builder, record, value, name):
    """Code for a field of a reference."""
    kind, first = record.field(name), record.first(name)
    place = [builder.gep(value, [ir.Constant(WORD, first + k)]) for k in range(words(kind))]
    if not isinstance(kind, types.Array):
        return builder.load(builder.bitcast(place[0], context.get_value_type(kind).as_pointer()))
    address, *shape = (builder.load(each) for each in place)
    data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
    return array_at(context, builder, kind, data, shape)


add_names = attributes(RecordType, RecordType.field, load_field)


def located(context, builder, kind, given, value):
    """Code for a reference to a tuple, whose words are kept in the calling function."""
    total = sum(map(words, kind.fields.values()))
    with builder.goto_entry_block():
        room = builder.alloca(WORD, ir.Constant(WORD, total))
    for k, (name, field) in enumerate(kind.fields.items()):
        part = builder.extract_value(value, k)
        if isinstance(field, types.Array):
            array = context.make_array(given[k])(context, builder, part)
            shape = [builder.extract_value(array.shape, i) for i in range(field.ndim)]
            row = [builder.ptrtoint(array.data, WORD), *shape]
        elif isinstance(field, RecordType):
            if isinstance(given[k], types.BaseTuple):
                part = located(context, builder, field, given[k], part)
            row = [builder.ptrtoint(part, WORD)]
        else:
            part = context.cast(builder, part, given[k], field)
            row = [part if field == types.int64 else builder.bitcast(part, WORD)]
        for i, word in enumerate(row):
            builder.store(word, builder.gep(room, [ir.Constant(WORD, kind.first(name) + i)]))
    return room


def check_fields(kind, given):
    """Whether a tuple has what the fields of its record are declared to be, also within."""
    for (name, field), value in zip(kind.fields.items(), given.types):
        if isinstance(value, types.BaseTuple) and isinstance(field, RecordType):
            check_fields(field, value)
            value = record_type(value.instance_class)
        if isinstance(field, types.Array):
            fits = isinstance(value, types.Array) and value.key[:3] == field.key[:3]
        else:
            fits = value is field or not isinstance(field, RecordType)
        if not fits:
            raise numba.TypingError(f"{name} of {kind.group.__name__} is {value}, not {field}")


@generates(refer)
def _refer(typing, value):
    if isinstance(value, RecordType):
        return value(value), lambda context, builder, signature, args: args[0]
    kind = record_type(value.instance_class)
    check_fields(kind, value)

    def generate(context, builder, signature, args):
        return located(context, builder, kind, value, args[0])

    return kind(value), generate


@generates(rows_at)
def _rows_at(typing, numbers, first, count, width):
    kind = types.Array(numbers.dtype, 2, "C")

    def generate(context, builder, signature, args):
        data = context.make_array(numbers)(context, builder, args[0]).data
        return array_at(context, builder, kind, builder.gep(data, [args[1]]), args[2:])

    return kind(numbers, types.int64, types.int64, types.int64), generate
