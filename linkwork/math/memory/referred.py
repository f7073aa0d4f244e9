"""Tuples of arrays that are handed on by one address.

    r = refer(tables)      where the tuple lies, as long as the function runs that says so
    r.reals, referred(r)   a field of it, the tuple

To hand on a tuple of fifty arrays takes some hundred words a call, more than the step of a small
model; a reference is one word.  Code that takes references is also compiled faster: otherwise numba
writes every word of every array for every call.  Without compilation a reference is the tuple
itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import models, register_model, typeof_impl

from linkwork.math.compiled import attributes, generates

WORD = ir.IntType(64)


class ReferenceType(types.Type):
    """Numba's type of a reference to a tuple of a type."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        add_names(kind.fields)
        super().__init__(name=f"reference({kind.instance_class.__name__})")

    @property
    def key(self) -> Any:
        return self.kind


@register_model(ReferenceType)
class ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


class Reference(NamedTuple):
    """In Python: what stands for a reference where the types of arguments are asked for."""

    value: Any


@typeof_impl.register(Reference)
def _typeof(reference: Reference, context: Any) -> ReferenceType:
    return ReferenceType(typeof_impl(reference.value, context))


def refer(value):
    return value


def referred(reference):
    return reference


def located(context, builder, value):
    """Code for the address of a tuple, kept in the calling function."""
    with builder.goto_entry_block():
        room = builder.alloca(value.type)
    builder.store(value, room)
    return builder.bitcast(room, WORD.as_pointer())


def pointer(context, builder, reference, kind):
    """Code for the typed address behind a reference to a tuple of this kind."""
    return builder.bitcast(reference, context.get_value_type(kind).as_pointer())


def load_field(context, builder, reference, kind, number):
    """Code that loads a field from a reference to a tuple of this kind."""
    zero, place = (ir.Constant(ir.IntType(32), i) for i in (0, number))
    return builder.load(builder.gep(pointer(context, builder, reference, kind), [zero, place]))


def _typed(reference, name):
    fields = reference.kind.fields
    return reference.kind.types[fields.index(name)] if name in fields else None


def counted(context, builder, kind, value):
    """A value that lies elsewhere as well, where references to arrays are counted."""
    if context.enable_nrt:
        context.nrt.incref(builder, kind, value)
    return value


def _field(context, builder, reference, value, name):
    number = reference.kind.fields.index(name)
    field = load_field(context, builder, value, reference.kind, number)
    return counted(context, builder, reference.kind.types[number], field)


add_names = attributes(ReferenceType, _typed, _field)


@generates(refer)
def _refer(typing, value):
    def generate(context, builder, signature, args):
        return located(context, builder, args[0])

    return ReferenceType(value)(value), generate


@generates(referred)
def _referred(typing, reference):
    def generate(context, builder, signature, args):
        value = builder.load(pointer(context, builder, args[0], reference.kind))
        return counted(context, builder, reference.kind, value)

    return reference.kind(reference), generate
