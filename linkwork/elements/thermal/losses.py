"""What items turn into heat, as drives of readings, for `HeatSource(losses=…)`.

    torsion spring   c φ̇²            spring   c ḋ²            resistor   v²/R
    switch           G(closed) v²    diode    v i             inductor   R i²
    DC motor         R i² + N² c w²
"""

from __future__ import annotations

from typing import Any

from linkwork.elements.electric import passive, sources
from linkwork.elements.electric.dc_motor import DAMPING, DCMotor
from linkwork.elements.electric.nodes import Node
from linkwork.elements.forces.spring import Spring
from linkwork.elements.forces.torsion_spring import TorsionSpring
from linkwork.elements.signals.joint_readings import line_reading
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, as_drive, formula
from linkwork.model.signals.value_readings import value_reading


def loss_of(item: Any, what: str) -> Drive:
    """The power that an item dissipates, in W."""
    for kind, rule in RULES.items():
        if isinstance(item, kind):
            return rule(item)
    known = ", ".join([*(kind.__name__ for kind in RULES), "Friction", "Brake"])
    raise ModelError(
        f"losses of {what} must be items whose losses are known ({known}), but "
        f"{checks.show(item)} was given; give heat_flow= as a drive of readings instead"
    )


def squared(x: Drive, factor: float) -> Drive:
    return formula("k*x*x", k=factor, x=x)


def voltage(item: Any) -> Drive:
    """Between the ends of an electric element."""
    ends = [value_reading(end, "voltage") if isinstance(end, Node) else None
            for end in (item.plus, item.minus)]  # fmt: skip
    if ends[1] is None:
        assert ends[0] is not None
        return ends[0]
    return -ends[1] if ends[0] is None else ends[0] - ends[1]


def of_motor(motor: DCMotor) -> Drive:
    heat = squared(motor.reading("current", None), motor.resistance)
    damping = float(motor.numbers()[DAMPING])
    rate = motor.joint.reading("rate", None)
    return heat + squared(rate, damping) if damping else heat


def of_switch(switch: passive.Switch) -> Drive:
    return formula(
        "(g + min(max(s, 0), 1)*(G - g))*v*v", g=1 / switch.off, G=1 / switch.on,
        s=as_drive(switch.closed, follows=True), v=voltage(switch),
    )  # fmt: skip


def of_diode(diode: passive.Diode) -> Drive:
    Is, VT, bend, leak = (float(x) for x in diode.entries()[0].reals)
    law = "v*(I*(exp(min(v, b)/T) - 1) + I/T*exp(min(v, b)/T)*max(v - b, 0) + G*v)"
    return formula(law, v=voltage(diode), I=Is, T=VT, b=bend, G=leak)


def of_spring(spring: Spring) -> Drive:
    if not spring.damping:
        return Constant(0.0)
    return squared(line_reading(spring, "rate", None), spring.damping)


RULES: dict[type, Any] = {
    DCMotor: of_motor,
    TorsionSpring: lambda item: squared(item.joint.reading("rate", None), item.damping),
    Spring: of_spring,
    passive.Resistor: lambda item: formula(
        "v*v/r", v=voltage(item), r=as_drive(item.resistance, follows=True)
    ),
    passive.Switch: of_switch,
    passive.Diode: of_diode,
    sources.Inductor: lambda item: squared(value_reading(item, "current"), item.resistance),
}
