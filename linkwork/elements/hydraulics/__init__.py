"""Hydraulic circuits beside mechanisms (`lw.hydraulics`)."""

from linkwork.elements.hydraulics.accumulator import Accumulator
from linkwork.elements.hydraulics.cylinder import Cylinder
from linkwork.elements.hydraulics.pipes.dynamic_pipe import DynamicPipe
from linkwork.elements.hydraulics.fluids import Fluid
from linkwork.elements.hydraulics.motor import RotaryMotor
from linkwork.elements.hydraulics.pipes.pipe import Pipe
from linkwork.elements.hydraulics.valves.poppets import FlowValve, PressureValve
from linkwork.elements.hydraulics.ports import Pressure, Supply, Tank
from linkwork.elements.hydraulics.pump import FlowSource, Pump
from linkwork.elements.hydraulics.restrictions import (
    CheckValve, MinorLoss, Orifice, ReliefValve, ThreeWayLoss,
)  # fmt: skip
from linkwork.elements.hydraulics.valves.control_valves import SpoolValve, Valve

__all__ = [
    "Accumulator",
    "CheckValve",
    "Cylinder",
    "DynamicPipe",
    "FlowSource",
    "FlowValve",
    "Fluid",
    "MinorLoss",
    "Orifice",
    "Pipe",
    "Pressure",
    "PressureValve",
    "Pump",
    "ReliefValve",
    "RotaryMotor",
    "SpoolValve",
    "Supply",
    "Tank",
    "ThreeWayLoss",
    "Valve",
]  # fmt: skip
