"""Cards of accumulators, actuators and valves, and their columns of the file .hyd.

    accumulator            position, speed, acceleration, gas pressure, mass flow from it, density
    actuator               pressures, length, its rate, mass flows into both chambers, force
    control valve          opening, mass flows 1 → 2, 3 → 4, 1 → 3, 2 → 4
    dynamic control valve, pressure flow control valve
                           spool, its speed, force, mass flows 1 → 2, 3 → 4, 1 → 3, 2 → 4
    pressure, flow valve   position, speed, mass flow 1 → 2

MBDyn's manual has the columns of dynamic pipes alone; those of accumulators are of a record, the
others are these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.hydraulics.fluids import element_fluid
from linkwork.io.mbdyn.hydraulics.making import assumed, later, nodes_of, outputs, penalties
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import relative_position, relative_vector

# of the inlet: the jet that enters loses all of its speed, a sharp edge half of it (accumulator.py)
LOSS_IN, LOSS_OUT = 1.0, 0.5
SPOOL_LENGTH = 5.0  # diameters: one for each port, of which the tank's are two
FLOWS = ("mass_flow_1_2", "mass_flow_3_4", "mass_flow_1_3", "mass_flow_2_4")


def accumulator(args: Arguments, label: int) -> None:
    """accumulator, node, stroke [, start, x], area, inlet, mass [, loss in, k] [, loss out, k]
    {, gas, p₀, p_max, γ | , weight, W | , spring, k, f₀}, penalties, fluid"""
    from linkwork.elements.hydraulics.accumulator import Accumulator

    nodes = nodes_of(args, 1)
    words: dict[str, Any] = {"stroke": args.positive("the stroke of an accumulator")}
    if args.keyword("start"):
        words["position"] = args.real("the start of an accumulator")
    words["area"] = args.positive("the area of an accumulator")
    words["inlet"] = args.positive("the area of a pipe")
    words["mass"] = args.positive("the mass of a piston")
    words["loss"], words["loss_back"] = LOSS_IN, LOSS_OUT
    while word := args.keyword("loss in", "loss out"):
        words["loss" if word == "loss in" else "loss_back"] = args.real("a loss")
    loaded_by(args, words)
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


def loaded_by(args: Arguments, words: dict[str, Any]) -> None:
    """What loads an accumulator: a gas, a weight (N), a spring, or several of them."""
    i, found = args.i, []
    while word := args.keyword("gas", "weight", "spring"):
        if word in found:
            args.fail(f"'{word}' is given twice", i)
        found.append(word)
        if word == "gas":
            words["precharge"] = args.positive("the pressure of a gas")
            highest = args.positive("the highest pressure of a gas")
            words["exponent"] = args.positive("the exponent of a gas")
            part = (words["precharge"] / highest) ** (1 / words["exponent"])
            words["upper"] = words["stroke"] * (1 - part)
        elif word == "weight":
            words["preload"] = words.get("preload", 0.0) + args.real("a weight")
            assumed(args, "its weight is taken as a force in N, which the manual does not say")
        else:
            words["stiffness"] = args.real("the stiffness of a spring")
            words["preload"] = words.get("preload", 0.0) + args.real("the force of a spring")
    if not found:
        args.one_of(("gas", "weight", "spring"), "what loads the accumulator")


def control_valve(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.valves.control_valves import Valve

    nodes = nodes_of(args, 4)
    area = args.positive("the area of a valve")
    leakage = args.real("a loss factor") if args.keyword("loss") else 0.0
    state, fluid = read_drive(args), element_fluid(args)
    later(args, label, nodes, fluid,
          lambda p: Valve(p[0], p[1], p[2], p[3], area, state(), leakage),
          outputs("opening", *FLOWS))  # fmt: skip


def spool_valve(ends: int) -> Callable[[Arguments, int], None]:
    """Nodes, force, initial and largest displacement, duct width [, loss, part], diameter and
    density of the spool, penalties, fluid; nodes 5 and 6 push on its ends."""

    def card(args: Arguments, label: int) -> None:
        from linkwork.elements.hydraulics.valves.control_valves import SpoolValve
        from linkwork.elements.hydraulics.valves.passages import JET_FORCE

        nodes, force = nodes_of(args, ends), read_drive(args)
        words: dict[str, Any] = {
            "position": args.real("the displacement of a spool"),
            "stroke": args.positive("the largest displacement of a spool"),
            "width": args.positive("the width of a duct"),
            "leakage": args.real("a loss factor") if args.keyword("loss") else 0.0,
        }
        diameter = args.positive("the diameter of a spool")
        face = np.pi / 4 * diameter**2
        length = SPOOL_LENGTH * diameter
        words["mass"] = args.positive("the density of a spool") * face * length
        words |= penalties(args)
        words["flow_force"] = JET_FORCE
        fluid = element_fluid(args)
        assumed(args, f"the length of its spool is not in the card; {SPOOL_LENGTH:g} diameters are "
                f"taken, so that its mass is {words['mass']:.3g} kg")  # fmt: skip

        def make(p: list[Any]) -> Any:
            pilots = {"p5": p[4], "p6": p[5], "pilot_area": face} if ends == 6 else {}
            return SpoolValve(p[0], p[1], p[2], p[3], force=force(), **words, **pilots)

        later(args, label, nodes, fluid, make, outputs("spool", "spool_rate", "force", *FLOWS))

    return card


def poppet(kind: str, ends: int) -> Callable[[Arguments, int], None]:
    def card(args: Arguments, label: int) -> None:
        from linkwork.elements.hydraulics.valves import poppets

        nodes = nodes_of(args, ends)
        area, mass = args.positive("an area"), args.positive("a mass")
        largest = args.positive("the largest area of a valve")
        stiffness, preload = args.real("a stiffness"), args.real("a preload")
        width = args.positive("the width of a valve")
        words = {"area": area, "mass": mass, "width": width, "max_opening": largest / width,
                 "stiffness": stiffness, "preload": preload, **penalties(args)}  # fmt: skip
        fluid = element_fluid(args)
        later(args, label, nodes, fluid, lambda p: getattr(poppets, kind)(*p, **words),
              outputs("position", "position_rate", "mass_flow"))  # fmt: skip

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
    words: dict[str, Any] = {
        "area_1": args.positive("an area"), "area_2": args.positive("an area"),
        "stroke": args.positive("the length of an actuator"),
    }  # fmt: skip
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

    def columns(run: Any, name: str) -> np.ndarray:
        view, ends = run[name], [run[node.name].pressure.values for node in nodes]
        return np.column_stack([
            *ends, view.stroke.values, view.rate.values, view.mass_flow_1.values,
            view.mass_flow_2.values, view.force.values,
        ])  # fmt: skip

    later(args, label, nodes, fluid, make, columns)
