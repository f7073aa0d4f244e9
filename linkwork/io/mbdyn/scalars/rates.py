"""Derivatives by time of drives that follow positions and values."""

from __future__ import annotations

from dataclasses import replace

from linkwork.model.drives import Derivative, Drive, Product, Sum
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.frame import GROUND
from linkwork.model.signals.readings import Reading
from linkwork.model.signals.value_readings import ValueReading


def rate_of(drive: Drive) -> Drive | None:
    """The derivative of sums and products of positions, values and functions of time; None of
    others."""
    if not leaves_that_follow(drive):
        return Derivative(drive)
    if isinstance(drive, Reading):
        plain = drive.quantity == "position" and drive.axes.body is GROUND
        return replace(drive, quantity="velocity") if plain else None
    if isinstance(drive, ValueReading):
        known = drive.quantity == "value" and drive.node.kind.order > 0
        return replace(drive, quantity="rate") if known else None
    if isinstance(drive, Sum):
        rates = [rate_of(term) for term in drive.terms]
        return None if None in rates else Sum(tuple(rate for rate in rates if rate is not None))
    if isinstance(drive, Product):
        a, b = rate_of(drive.a), rate_of(drive.b)
        return None if a is None or b is None else Sum((a * drive.b, drive.a * b))
    return None
