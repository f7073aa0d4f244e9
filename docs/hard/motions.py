"""The hard motions of docs/hard-motions.md, by kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import linkwork as lw
from docs.hard import measures
from docs.hard import mechanisms as models
from docs.hard.contacts import contacts
from docs.hard.fields import fields
from docs.hard.others import others
from docs.hard.runs import Motion
from docs.hard.soft import soft

WOBBLE = (3.0, 3.0, 100.0)  # rad/s, of the disc


def rods() -> list[Motion]:
    def at(turn: float, t: float, h: float = 1e-3, every: int = 10, text: str = "") -> Motion:
        rate = turn / h
        name = text or f"rod on a pin, {turn:g} rad per step"
        error = measures.constant_speed("pin", rate)
        return Motion(name, lambda: models.rod(rate), t, h, error, 1e-3, every)

    return [
        at(0.1, 5), at(0.3, 5), at(1.0, 5),
        at(1.0, 100, every=1000, text="the same for 1e5 steps"),
        at(0.0628318530718, 20, 1e-4, 1000, "rod at 100 rev/s, 2,000 turns, h = 1e-4 s"),
    ]  # fmt: skip


def spinning() -> list[Motion]:
    def top(spin: float, t: float, h: float = 1e-3, bound: float = 5e-3) -> Motion:
        where = cache(measures.top_centre(spin))
        error = measures.place("top", where, 1.0)
        name = f"heavy top at {spin:g} rad/s" + (f", h = {h:g} s" if h != 1e-3 else "")
        return Motion(name, lambda: models.top(spin), t, h, error, bound)

    def rotor() -> lw.Model:
        return models.rotor(300.0)

    def flight(t: float) -> tuple[float, float, float]:
        return 10 * t, 0.0, 0.0

    tumbling = models.free_body
    return [
        top(150.0, 1), top(150.0, 1, 1e-4, 5e-6), top(1e5, 0.01),
        top(1e5, 0.02, 1e-5, 5e-5),
        Motion("disc at 300 rad/s on a bushing", rotor, 1, 1e-3,
               measures.place("disc", cache(measures.fine(rotor, "disc", 2e-5)), 0.1), 1e-3),
        Motion("tumbling free body, angular momentum", lambda: tumbling(0, (1, 30, 1)), 10, 1e-3,
               measures.angular_momentum((0.1, 0.2, 0.3)), 1e-3),
        Motion("disc that wobbles at 100 rad/s, orientation", lambda: models.free_disc(WOBBLE), 10,
               1e-3, measures.orientation_of_disc(0.1, 0.2, WOBBLE), 1e-2),
        Motion("spinning projectile, 10 m/s and 300 rad/s", lambda: tumbling(10, (300, 1, 1)), 1,
               1e-3, measures.place("body", flight, 10.0), 1e-6),
        Motion("rod on an oblique pin, 0.1 rad per step", lambda: models.oblique_rod(100.0), 5,
               1e-3, measures.constant_speed("pin", 100.0), 1e-3, 10),
    ]  # fmt: skip


def fast_linkages() -> list[Motion]:
    def crossed() -> lw.Model:
        return models.crossed_pendulum(300.0)

    def crank(rate: float, t: float) -> Motion:
        where = cache(measures.crank_pin(rate, 0.3))
        return Motion(
            f"slider-crank at {rate:g} rad/s", lambda: models.slider_crank(rate), t,
            1e-3, measures.place("crank", where, 0.05 * rate * t), 5e-3,
        )  # fmt: skip

    return [
        Motion("two rods with crossed hinges at 300 rad/s", crossed, 0.1, 1e-3,
               measures.place("b", cache(measures.fine(crossed, "b", 1e-6)), 45.0), 2e-3),
        crank(100.0, 0.1), crank(300.0, 0.1),
    ]  # fmt: skip


def chains() -> list[Motion]:
    def whip(links: int, t: float, h: float, every: int) -> Motion:
        name = f"whip of {links} links, {t:g} s, h = {h:g} s"
        return Motion(name, lambda: models.whip(links), t, h, measures.energy, 0.01, every)

    def hanging(_: lw.Model) -> Any:
        return lw.static(models.anchor_chain(0.0), progress=False).state

    return [
        whip(20, 3, 1e-3, 10), whip(30, 3, 1e-3, 10), whip(100, 5, 1e-3, 20),
        Motion("chain of 30 links on bushings, h = 1e-3 s", lambda: models.bushing_chain(30), 3,
               1e-3, measures.energy, 0.01, 10),
        Motion("anchor chain pulled with 5 N, h = 0.01 s", lambda: models.anchor_chain(5.0), 15,
               0.01, measures.energy, 0.01, begin=hanging),
    ]  # fmt: skip


def masses_and_springs() -> list[Motion]:
    def light() -> lw.Model:
        return models.cart_pole(1e-6)

    def far(t: float) -> tuple[float, float, float]:
        return 2 + 0.1 * math.cos(10 * t), 0.0, 0.0

    def released(t: float) -> tuple[float, float, float]:
        w, c = 2200 * math.sqrt(1 - 0.01**2), 22.0
        y = math.exp(-c * t) * (math.cos(w * t) + c / w * math.sin(w * t))
        return 1 + 0.01 * y, 0.0, 0.0

    return [
        Motion("cart-pole, cart of 1e-6 kg", light, 10, 1e-3, measures.energy, 0.01),
        Motion("the same with tolerance=1e-6", light, 10, 1e-3, measures.energy, 0.01,
               options={"tolerance": 1e-6}),
        Motion("double pendulum, 1e-4 kg above 1e4 kg",
               lambda: models.pendulum_of_two_masses(1e-4, 1e4), 5, 1e-3, measures.energy, 0.01),
        Motion("double pendulum, 1e4 kg above 1e-4 kg",
               lambda: models.pendulum_of_two_masses(1e4, 1e-4), 5, 1e-3, measures.energy, 0.01),
        Motion("springs of 1e10 and 100 N/m in a row", models.stiff_and_soft, 5, 1e-3,
               measures.place("far", far, 0.1), 0.01),
        Motion("damped spring, three steps in a period",
               lambda: models.damped_spring(2200.0, 0.01), 0.05, 1e-3,
               measures.place("mass", released, 0.01), 0.01),
        Motion("damped spring, thirty steps in a period",
               lambda: models.damped_spring(2200.0, 0.01), 0.05, 1e-4,
               measures.place("mass", released, 0.01), 0.05),
    ]  # fmt: skip


def singular_positions() -> list[Motion]:
    def flat(count: int, t: float) -> Motion:
        error = measures.constant_speed(f"pivot {count}", 3.0)
        name = f"row of {count} parallelogram{'s' if count > 1 else ''} through flat positions"
        return Motion(name, lambda: models.parallelograms(count, 3.0), t, 1e-3, error, 1e-3, 10)

    def folding(slack: float, h: float) -> Motion:
        error = measures.place("rocker", measures.rocker_centre(slack), 0.34)
        name = f"crank and rocker, {1000 * slack:g} mm from folding, h = {h:g} s"
        return Motion(name, lambda: models.crank_and_rocker(slack), 2.8, h, error, 1e-3)

    equal = measures.place("crank", cache(measures.crank_pin(10.0, 0.1)), 1.0)
    return [
        flat(1, 5), flat(10, 5),
        Motion("slider-crank with equal arms, folded twice in a turn",
               lambda: models.slider_crank(10.0, 0.1), 2, 1e-3, equal, 5e-3),
        folding(1e-3, 0.01), folding(1e-4, 0.02),
        Motion("motor that cannot turn further", models.impossible_motor, 2, 1e-3,
               lambda run: 2.0, 0.0),
    ]  # fmt: skip


def parts_of_other_kinds() -> list[Motion]:
    def cornered(t: float) -> tuple[float, float, float]:
        return 3 * (t - 0.5), 0.0, 0.0

    slam = models.slamming_cylinder
    end = cache(measures.fine(slam, "block", 1e-5, lw.DIRK54()))
    return [
        Motion("pendulum on a bushing of 1e9 N/m", lambda: models.bushing_pendulum(1e9), 2, 1e-3,
               measures.place("rod", cache(measures.pendulum_centre), 0.5), 1e-2),
        Motion("beam, unstretched at 300 rad/s, h = 2.5e-4 s", lambda: models.spinning_beam(300.0),
               0.1, 2.5e-4, measures.energy, 0.05),
        Motion("cart with a controller sampled every 10 ms", models.sampled_cart, 0.4, 1e-3,
               measures.place("cart", measures.sampled_cart_place, 1.0), 1e-3),
        Motion("hydraulic cylinder that slams into its end", slam, 0.028, 1e-4,
               measures.place("block", end, 0.05), 1e-2),
        Motion("mass that bounces on a stop, in touch for 3 ms", models.bouncing_mass, 0.45, 1e-3,
               measures.place("mass", measures.bounces, 0.1), 2e-2),
        Motion("motor whose speed jumps", models.cart_with_a_corner, 1, 1e-3,
               measures.place("cart", cornered, 1.5), 1e-6),
    ]  # fmt: skip


def long_runs() -> list[Motion]:
    return [
        Motion("pendulum, 10 s, h = 0.01 s, rho = 1", models.pendulum, 10, 0.01,
               measures.place("rod", cache(measures.pendulum_centre), 0.5), 0.02,
               parameters={"rho": 1.0}),
        Motion("pendulum, 1e6 steps of 1e-3 s", models.pendulum, 1000, 1e-3, measures.energy,
               0.01, 1000),
        Motion("rod on a pin, 1e6 turns, 1 rad per step", lambda: models.rod(1000.0),
               6283.185307179586, 1e-3, measures.constant_speed("pin", 1000.0), 1e-3, 100000,
               without=["stabilized", "BDF2", "MS2", "EnergyMomentum", "RK4"]),
    ]  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """Motions of one kind: a table of the page, what its numbers are, and advice."""

    title: str
    motions: Callable[[], list[Motion]]
    what: str
    advice: str


KINDS = (
    Kind(
        "A rod that turns at constant speed", rods,
        "A steel rod of 1 m on a pin, no gravity. The number is the error of the kinetic energy "
        "or ten times that of the turns made, whichever is larger.",
        "the default keeps the speed at any turn per step that it accepts without a warning "
        "(1.05 rad), and `Recursive()` is exact. BDF2 and MS2 damp the motion even at 0.06 rad per "
        "step: take much smaller steps with them.",
    ),
    Kind(
        "Spinning bodies", spinning,
        "Errors of the place at the end, over its distance from the support or from the start; of "
        "the angular momentum for the tumbling body, of the orientation in radians for the disc, "
        "of the speed and the turns for the rod. The top's place comes from Euler's equations, the "
        "disc's orientation from two rotations at constant speed.",
        "any method will do at 0.15 rad per step, as the top at 150 rad/s shows. A spin that the "
        "step cannot see is refused, by most methods with the step that would suffice; at 1 rad "
        "per step, where the axis of the top moves by some millimetres, what is off by a few per "
        "cent of that is told of.",
    ),
    Kind(
        "Fast linkages", fast_linkages,
        "Errors of the place of the second rod and of the crank at the end, over the path that it "
        "made. The crank's place comes from the energy in one angle.",
        "at 0.1 rad per step all are right within some per cent; beyond it, halve the step until "
        "the place stays, or take `Recursive()`.",
    ),
    Kind(
        "Whips and chains", chains,
        "Errors of the energy. These motions are chaotic: trajectories diverge after some seconds.",
        "take the default and look at `run.energy.balance`; `EnergyMomentum()` where the energy is "
        "what you want to know.",
    ),
    Kind(
        "Light beside heavy, stiff beside soft", masses_and_springs,
        "Errors of the energy; of the place of the far or released mass, over its amplitude, for "
        "the springs.",
        "parts that are too light to be resolved cost energy when they are thrown about: take "
        "`tolerance=`, or give the part the mass that it has. Stiff springs do no harm while "
        "nothing excites them; a vibration that carries the motion wants thirty steps in a period.",
    ),
    Kind(
        "Singular positions and impossible motion", singular_positions,
        "Errors of the crank's speed and angle, as for the rod; for the equal arms of its place, "
        "over its path; of the rocker's place over its length. "
        "In a flat position the mechanism could go on in two ways; right is the one it came on.",
        "a passage through a singular position is possible because velocities carry the mechanism "
        "over it; where one starts in it, give rates. What is warned of in the rows of "
        "parallelograms are forces in single steps beside the flat position, which are hardly "
        "determined there; the motion is right. A linkage that comes near to a flat position and "
        "may go on in two ways beyond it is told of where a step ends on the other one; "
        "`lw.kinematics` takes smaller steps there. A motor that cannot turn is refused and named.",
    ),
    Kind(
        "Bushings, beams, fluids, controllers and stops", parts_of_other_kinds,
        "Errors of the place at the end, over its path; of the energy for the beam. The pendulum "
        "is compared with one on a pin, the cart with its closed form between samples, the "
        "cylinder with DIRK54 in steps of 1e-5 s, the mass with its parabolas and half waves.",
        "stops divide the steps in which something arrives; waves "
        "along beams want steps of a tenth of their period, or static(spin=) for the start. A "
        "motion law with a corner keeps its positions, but its forces are not meaningful.",
    ),
    Kind(
        "Contact and stops", contacts,
        "Errors of the place at the end for the ball and the hinge, against parabolas and half "
        "waves; for the box and the chain the largest rise of kinetic and potential energy, which "
        "contact can only lower, over what was lost.",
        "take the default, which divides the steps in which something hits; for many hard bodies "
        "`lw.Contact(hard=True)` with `lw.Moreau()` is faster.",
    ),
    Kind(
        "Limits, ropes, gains, brakes, snapping and burning", others,
        "Errors of the place at the end over its path, or its distance from the start where that "
        "grows without bound; of the energy for the rope. The hinge is compared with RK4 in steps "
        "of 1e-6 s, the others with closed forms or the equation of one coordinate.",
        "limits of joints are stops with damping, and divide the steps in which they are reached. "
        "With ropes leave out method=, which takes "
        "`GeneralizedAlpha(rho=0)`: the jerk then costs 12 % of the energy at 1 ms, which is told, "
        "and 6 % at 0.5 ms.",
    ),
    Kind(
        "Beams, links, thin plates, ropes, wheels and tyres", soft,
        "Errors of the place at the end, over its path; of the speed with which the ball leaves a "
        "plate, of the angular momentum for the beam, of the deflection over twice that at rest "
        "for the flexible link (the first mode with Southwell's stiffening), of "
        "the largest deflection for the tyre, whose real motion is unknown where its rim would hit "
        "the road. For the wheel it is the pull of its plane over the weight, which a real plane "
        "does not have.",
        "`lw.Beam` in place of a flexible link that turns fast; the step that is named where "
        "shapes went through each other; `lw.Contact` or `lw.Tyre` where a wheel may lift off. "
        "Friction that stops a block within nanometres needs steps that see it.",
    ),
    Kind(
        "Circuits and motors whose voltages jump", fields,
        "Largest errors of the voltage over the run, in parts of the source's, for the capacitors; "
        "errors at the end for the switch and the motor, against closed forms between the jumps.",
        "leave out method=, or take DIRK54 where more digits are wanted. Steps end where drives "
        "jump, and those behind begin with pieces that resolve what dies away at once. Explicit "
        "methods want steps below the shortest time constant.",
    ),
    Kind(
        "Long runs", long_runs,
        "Errors of the place after 10 s, of the energy, and of the speed and turns. A dash: not "
        "run, since the row of 1e5 steps above tells it.",
        "`EnergyMomentum()` for the energy, `Recursive()` for the place.",
    ),
)
