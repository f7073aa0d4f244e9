"""Heat beside mechanisms: temperatures, capacitances, resistances, sources (`lw.thermal`)."""

from linkwork.elements.thermal.bodies import Ambient, Capacitance, Temperature
from linkwork.elements.thermal.flows import HeatSource, Radiation, Resistance

__all__ = ["Ambient", "Capacitance", "HeatSource", "Radiation", "Resistance", "Temperature"]
