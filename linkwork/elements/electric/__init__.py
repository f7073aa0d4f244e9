"""Electric circuits beside mechanisms (`lw.electric`)."""

from linkwork.elements.electric.nodes import Node
from linkwork.elements.electric.passive import Capacitor, Diode, Resistor, Switch
from linkwork.elements.electric.sources import CurrentSource, Inductor, VoltageSource

__all__ = [
    "Capacitor",
    "CurrentSource",
    "Diode",
    "Inductor",
    "Node",
    "Resistor",
    "Switch",
    "VoltageSource",
]
