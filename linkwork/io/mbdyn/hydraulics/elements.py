"""The cards of hydraulic elements, and their columns of the file .hyd.

    pipe         speed, mass flow, Reynolds number
    minor loss   speed, mass flow
    orifice      speed in the pipe, mass flow, Reynolds number, whether turbulent
    accumulator  position, speed, acceleration, gas pressure, mass flow from it, density
    dynamic pipe pressures, their rates, flows, their rates, densities (first, reference, last),
                 their slopes by the pressure, Reynolds number, whether turbulent
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.hydraulics.circuit import HydraulicNode, known_node
from linkwork.io.mbdyn.hydraulics.fluids import element_fluid
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import relative_position, relative_vector

# C_d of an orifice over the ratio of its area to that of the pipe: a line through two records
DISCHARGE, DISCHARGE_SLOPE = 0.586852, 0.208171
ACCUMULATOR_LOSS = 1.0  # of the inlet, from a record
SPOOL_WORDS = "the mass of its spool follows from a length that its card does not have"


def later(
    args: Arguments, label: int, nodes: list[HydraulicNode], fluid: Any,
    make: Callable[[list[Any]], Any], columns: Callable[[Any, str], np.ndarray] | None = None,
) -> None:  # fmt: skip
    """The element once all nodes are known."""
    name = f"hydraulic element {label}"

    def build() -> None:
        args.deck.model.add(name, make([node.port(fluid) for node in nodes]))

    args.deck.build_later(args, build)
    if columns is not None:
        args.deck.circuit.columns[label] = lambda run: columns(run, name)


def nodes_of(args: Arguments, count: int) -> list[HydraulicNode]:
    return [known_node(args) for _ in range(count)]


def penalties(args: Arguments) -> dict[str, float]:
    words = ("stop_stiffness", "stop_damping", "stop_mass")
    return {word: args.real("a penalty of the stops") for word in words}


# --------------------------------------------------------------------------------------- flows


def minor_loss(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.restrictions import MinorLoss

    nodes = nodes_of(args, 2)
    k, back, area = (args.positive(x) for x in ("k12", "k21", "an area"))
    fluid = element_fluid(args)
    later(args, label, nodes, fluid, lambda p: MinorLoss(p[0], p[1], k, back, area),
          partial(speed_and_flow, area=area))  # fmt: skip


def speed_and_flow(run: Any, name: str, area: float) -> np.ndarray:
    return np.column_stack([run[name].flow.values / area, run[name].mass_flow.values])


def three_way_minor_loss(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.restrictions import ThreeWayLoss

    nodes = nodes_of(args, 3)
    words = [args.positive(x) for x in ("k12", "k31", "an area", "an area")]
    fluid = element_fluid(args)
    later(args, label, nodes, fluid, lambda p: ThreeWayLoss(*p, *words))


def orifice(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.restrictions import Orifice

    nodes = nodes_of(args, 2)
    diameter, opening = args.positive("the diameter of a pipe"), args.positive("an area")
    area = np.pi / 4 * diameter**2
    if args.keyword("area"):
        area = args.positive("the area of a pipe")
    critical = args.positive("a Reynolds number") if args.keyword("reynolds") else 10.0
    fluid = element_fluid(args)
    discharge = DISCHARGE + DISCHARGE_SLOPE * opening / area

    def columns(run: Any, name: str) -> np.ndarray:
        q = run[name].mass_flow.values
        reynolds = np.abs(q) * diameter / (area * fluid.viscosity) if fluid.viscosity else 0 * q
        speed = run[name].flow.values / area
        return np.column_stack([speed, q, reynolds, (reynolds > critical).astype(float)])

    def make(p: list[Any]) -> Any:
        return Orifice(p[0], p[1], opening, discharge, critical_reynolds=critical)

    later(args, label, nodes, fluid, make, columns)


def pipe_words(args: Arguments) -> tuple[dict[str, Any], Any]:
    words: dict[str, Any] = {"diameter": args.positive("the diameter of a pipe")}
    if args.keyword("area"):
        words["area"] = args.positive("the area of a pipe")
    words["length"] = args.positive("the length of a pipe")
    args.keyword("turbulent")
    if args.keyword("initial value"):
        words["flow"] = args.real("a mass flow")
    return words, element_fluid(args)


def pipe(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.pipe import Pipe

    nodes = nodes_of(args, 2)
    words, fluid = pipe_words(args)
    area = words.get("area", np.pi / 4 * words["diameter"] ** 2)

    def columns(run: Any, name: str) -> np.ndarray:
        return np.column_stack([speed_and_flow(run, name, area), run[name].reynolds.values])

    later(args, label, nodes, fluid, lambda p: Pipe(p[0], p[1], **words), columns)


def dynamic_pipe(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.dynamic_pipe import DynamicPipe
    from linkwork.elements.hydraulics.fluids import over_time

    nodes = nodes_of(args, 2)
    words, fluid = pipe_words(args)

    def columns(run: Any, name: str) -> np.ndarray:
        p = [run[node.name].pressure.values for node in nodes]
        rates = [run[node.name].pressure_rate.values for node in nodes]
        flows, changes = run[name].cell_flow.values, run[name].cell_flow_rate.values
        (r1, s1, _), (r2, s2, _) = (over_time(fluid.reals()[None, :], x) for x in p)
        reynolds = run[name].reynolds.values
        return np.column_stack([
            *p, *rates, flows, changes, r1, np.full_like(r1, fluid.rho), r2, s1, s2, reynolds,
            reynolds > 2000,
        ])  # fmt: skip

    later(args, label, nodes, fluid,
          lambda p: DynamicPipe(p[0], p[1], elements=1, **words), columns)  # fmt: skip


# ------------------------------------------------------------------------------- stores, valves


def accumulator(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.accumulator import Accumulator

    nodes = nodes_of(args, 1)
    words: dict[str, Any] = {"stroke": args.positive("the stroke of an accumulator")}
    if args.keyword("start"):
        words["position"] = args.real("the start of an accumulator")
    words["area"] = args.positive("the area of an accumulator")
    words["inlet"] = args.positive("the area of a pipe")
    words["mass"] = args.positive("the mass of a piston")
    words["loss"] = ACCUMULATOR_LOSS
    i = args.i
    if args.one_of(("gas", "weight", "spring"), "what loads the accumulator") != "gas":
        args.unsupported("accumulators with gas are supported, others are not documented", i)
    words["precharge"] = args.positive("the pressure of a gas")
    highest = args.positive("the highest pressure of a gas")
    words["exponent"] = args.positive("the exponent of a gas")
    part = (words["precharge"] / highest) ** (1 / words["exponent"])
    words["upper"] = words["stroke"] * (1 - part)
    words |= penalties(args)
    fluid = element_fluid(args)

    def columns(run: Any, name: str) -> np.ndarray:
        view = run[name]
        density = fluid.density_at(run[nodes[0].name].pressure.values)
        second = np.gradient(view.position_rate.values, run.time) if len(run) > 1 else [0.0]
        return np.column_stack([
            view.position.values, view.position_rate.values, second, view.gas_pressure.values,
            -view.mass_flow.values, density,
        ])  # fmt: skip

    later(args, label, nodes, fluid, lambda p: Accumulator(p[0], **words), columns)


def control_valve(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.valves import Valve

    nodes = nodes_of(args, 4)
    area = args.positive("the area of a valve")
    leakage = args.real("a loss factor") if args.keyword("loss") else 0.0
    state, fluid = read_drive(args), element_fluid(args)
    later(args, label, nodes, fluid,
          lambda p: Valve(p[0], p[1], p[2], p[3], area, state(), leakage))  # fmt: skip


def poppet(kind: str, ends: int) -> Callable[[Arguments, int], None]:
    def card(args: Arguments, label: int) -> None:
        from linkwork.elements.hydraulics import poppets

        nodes = nodes_of(args, ends)
        area, mass = args.positive("an area"), args.positive("a mass")
        largest = args.positive("the largest area of a valve")
        stiffness, preload = args.real("a stiffness"), args.real("a preload")
        width = args.positive("the width of a valve")
        words = {"area": area, "mass": mass, "width": width, "max_opening": largest / width,
                 "stiffness": stiffness, "preload": preload, **penalties(args)}  # fmt: skip
        fluid = element_fluid(args)
        later(args, label, nodes, fluid, lambda p: getattr(poppets, kind)(*p, **words))

    return card


def actuator(args: Arguments, label: int) -> None:
    """actuator, nodes, node, offset, node, offset [, direction, …], areas, length, fluids"""
    from linkwork.elements.hydraulics.cylinder import Cylinder

    nodes, i = nodes_of(args, 2), args.i
    ends = []
    for _ in range(2):
        node = args.deck.node(args)
        ends.append((node, relative_position(args, node.reference)))
    axis = np.array([0.0, 0.0, 1.0])
    if args.keyword("direction"):
        axis = relative_vector(args, ends[0][0].reference)
    words = {"area_1": args.positive("an area"), "area_2": args.positive("an area"),
             "stroke": args.positive("the length of an actuator")}  # fmt: skip
    fluid = element_fluid(args)
    if not args.keyword("same"):
        second = element_fluid(args)
        if second != fluid:
            args.unsupported("two fluids in one actuator are not supported", i)

    def make(p: list[Any]) -> Any:
        frames = [node.frame(offset) for node, offset in ends]
        way = frames[1].world()[0] - frames[0].world()[0]
        along = ends[0][0].reference.R @ axis
        if np.linalg.norm(np.cross(way, along)) > 1e-6 * np.linalg.norm(way) or way @ along <= 0:
            args.unsupported("the points of an actuator must lie along its direction", i)
        return Cylinder(
            frames[0], frames[1], p[0], p[1], closed=0.0, stop_stiffness=0.0, stop_damping=0.0,
            **words,
        )  # fmt: skip

    later(args, label, nodes, fluid, make)


def undocumented(reason: str) -> Callable[[Arguments, int], None]:
    def card(args: Arguments, label: int) -> None:
        args.unsupported(f"the element is not supported: {reason}", 0)

    return card


HYDRAULIC: dict[str, Callable[[Arguments, int], None]] = {
    "accumulator": accumulator,
    "actuator": actuator,
    "control valve": control_valve,
    "dynamic control valve": undocumented(SPOOL_WORDS),
    "dynamic pipe": dynamic_pipe,
    "flow valve": poppet("FlowValve", 3),
    "minor loss": minor_loss,
    "orifice": orifice,
    "pipe": pipe,
    "pressure flow control valve": undocumented(SPOOL_WORDS),
    "pressure valve": poppet("PressureValve", 2),
    "tank": undocumented("its card is not documented; use a clamp"),
    "three way minor loss": three_way_minor_loss,
}


def hydraulic(args: Arguments) -> None:
    """hydraulic: label, type, …;"""
    args.deck.count("hydraulic elements")
    label = args.deck.new_label(args, "hydraulic element")
    kind, card = args.entry(HYDRAULIC, "hydraulic element")
    args.card = f"hydraulic element {label} ({kind})"
    card(args, label)
    if not output_flag(args, "hydraulic element"):
        args.deck.circuit.columns.pop(label, None)
    args.end()
