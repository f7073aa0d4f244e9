"""Cards of pipes and losses, and their columns of the file .hyd.

    pipe         speed, mass flow, Reynolds number
    minor loss   speed, mass flow; of a three way minor loss those of both ways, 1 → 2 and 3 → 1
    orifice      speed in the pipe, mass flow, Reynolds number, whether turbulent
    dynamic pipe pressures, their rates, flows, their rates, densities (first, reference, last),
                 their slopes by the pressure, Reynolds number, whether turbulent
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from linkwork.io.mbdyn.hydraulics.fluids import element_fluid
from linkwork.io.mbdyn.hydraulics.making import assumed, later, nodes_of
from linkwork.io.mbdyn.syntax.arguments import Arguments

# C_d of an orifice over the ratio of its area to that of the pipe.  The manuals have no formula:
# this is the line through what MBDyn does at the ratios 0.064 and 0.127.  Far from these it is
# C_c/√(1 − C_c² ratio²) with C_c = 0.611 (Merritt: Hydraulic Control Systems, 1967, section 3.2).
DISCHARGE, DISCHARGE_SLOPE = 0.586852, 0.208171
MEASURED = 0.03, 0.2


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

    def columns(run: Any, name: str) -> np.ndarray:
        p = [run[node.name].pressure.values for node in nodes]
        found = []
        for one, two, k, area in ((0, 1, words[0], words[2]), (2, 0, words[1], words[3])):
            drop = np.maximum(p[one] - p[two], 0.0)
            speed = np.sqrt(2 * drop / (k * fluid.density_at(0.5 * (p[one] + p[two]))))
            found += [speed, speed * area * fluid.density_at(0.5 * (p[one] + p[two]))]
        return np.column_stack(found)

    later(args, label, nodes, fluid, lambda p: ThreeWayLoss(*p, *words), columns)


def orifice(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.restrictions import SHARP, Orifice

    nodes = nodes_of(args, 2)
    diameter, opening = args.positive("the diameter of a pipe"), args.positive("an area")
    area = np.pi / 4 * diameter**2
    if args.keyword("area"):
        area = args.positive("the area of a pipe")
    critical = args.positive("a Reynolds number") if args.keyword("reynolds") else 10.0
    fluid = element_fluid(args)
    discharge = DISCHARGE + DISCHARGE_SLOPE * opening / area
    if not MEASURED[0] <= opening / area <= MEASURED[1]:
        discharge = SHARP / np.sqrt(1 - min(SHARP * opening / area, 0.99) ** 2)
        assumed(
            args,
            f"its opening is {opening / area:.3g} of its pipe's area, for which MBDyn's discharge "
            f"coefficient is not known; {discharge:.3f} (Merritt 1967) is taken",
        )

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
    from linkwork.elements.hydraulics.pipes.pipe import Pipe

    nodes = nodes_of(args, 2)
    words, fluid = pipe_words(args)
    area = words.get("area", np.pi / 4 * words["diameter"] ** 2)

    def columns(run: Any, name: str) -> np.ndarray:
        return np.column_stack([speed_and_flow(run, name, area), run[name].reynolds.values])

    later(args, label, nodes, fluid, lambda p: Pipe(p[0], p[1], **words), columns)


def dynamic_pipe(args: Arguments, label: int) -> None:
    from linkwork.elements.hydraulics.fluids import over_time
    from linkwork.elements.hydraulics.pipes.dynamic_pipe import DynamicPipe

    nodes = nodes_of(args, 2)
    words, fluid = pipe_words(args)

    def columns(run: Any, name: str) -> np.ndarray:
        p = [run[node.name].pressure.values for node in nodes]
        rates = [run[node.name].pressure_rate.values for node in nodes]
        flows, changes = run[name].cell_flow.values, run[name].cell_flow_rate.values
        numbers = np.array([fluid.kind]), fluid.reals()[None, :]
        (r1, s1, _), (r2, s2, _) = (over_time(*numbers, x) for x in p)
        reynolds = run[name].reynolds.values
        return np.column_stack([
            *p, *rates, flows, changes, r1, np.full_like(r1, fluid.rho), r2, s1, s2, reynolds,
            reynolds > 2000,
        ])  # fmt: skip

    later(args, label, nodes, fluid,
          lambda p: DynamicPipe(p[0], p[1], elements=1, **words), columns)  # fmt: skip
