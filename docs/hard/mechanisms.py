"""The mechanisms of docs/hard-motions.md: small models whose motion is hard on a method.

Each function returns a model; SI units, and what is not said is at rest.
"""

from __future__ import annotations

import math

import numpy as np

import linkwork as lw

G = 9.81
DOWN = (0.0, 0.0, -G)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def rod(rate: float) -> lw.Model:
    """A steel rod of 1 m that turns about a pin at one end, without gravity."""
    m = lw.Model("rod", gravity=(0, 0, 0))
    body = m.add("rod", lw.Body.link((0, 0, 0), X, radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=Z, rate=rate))
    return m


TOP_MASS, TOP_INERTIA = 15.0, (0.234375, 0.46875, 0.234375)


def top(spin: float) -> lw.Model:
    """The heavy top of the literature: axis along y at first, 1 m from its point to its centre."""
    m = lw.Model("top", gravity=DOWN)
    body = m.add("top", lw.Body(TOP_MASS, TOP_INERTIA, position=Y,
                                angular_velocity=(0, spin, -4.61538)))  # fmt: skip
    m.add("point", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
    return m


def rotor(spin: float) -> lw.Model:
    """A disc of 1 kg, 0.1 m above a soft bushing, with a small wobble."""
    m = lw.Model("rotor", gravity=DOWN)
    disc = m.add("disc", lw.Body(1, (0.01, 0.01, 0.02), position=(0, 0, 0.1),
                                 angular_velocity=(0.3, 0.2, spin)))  # fmt: skip
    m.add("bearing", lw.Bushing(lw.GROUND, disc, at=(0, 0, 0), stiffness=(1e4,) * 3 + (10, 10, 0)))
    return m


def crossed_pendulum(rate: float) -> lw.Model:
    """Two rods of 1 m and 1 kg; the hinge between them is at right angles to the first one."""
    m = lw.Model("crossed hinges", gravity=DOWN)
    a = m.add("a", lw.Body.link((0, 0, 0), X, radius=0.02, mass=1))
    b = m.add("b", lw.Body.link(X, (2, 0, 0), radius=0.02, mass=1))
    m.add("first", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=Z, rate=rate))
    m.add("second", lw.Revolute(a, b, at=X, axis=Y, rate=0.3 * rate))
    return m


def slider_crank(rate: float, rod_length: float = 0.3) -> lw.Model:
    """Crank of 0.1 m and connecting rod, 0.5 kg each, and a slider of 0.5 kg; nothing drives it."""
    m = lw.Model("slider-crank", gravity=(0, 0, 0))
    end = (0.1 + rod_length, 0, 0)
    crank = m.add("crank", lw.Body.link((0, 0, 0), (0.1, 0, 0), radius=0.01, mass=0.5))
    link = m.add("link", lw.Body.link((0.1, 0, 0), end, radius=0.01, mass=0.5))
    slider = m.add("slider", lw.Body(0.5, (1e-3, 1e-3, 1e-3), position=end))
    m.add("main", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=Z, rate=rate))
    m.add("pin", lw.Revolute(crank, link, at=(0.1, 0, 0), axis=Z))
    m.add("wrist", lw.Spherical(link, slider, at=end))
    m.add("guide", lw.Prismatic(lw.GROUND, slider, at=end, axis=X))
    return m


def free_body(velocity: float, spin: tuple[float, float, float]) -> lw.Model:
    """A free body with three different moments of inertia, without gravity."""
    m = lw.Model("free body", gravity=(0, 0, 0))
    m.add("body", lw.Body(1, (0.1, 0.2, 0.3), velocity=(velocity, 0, 0), angular_velocity=spin))
    return m


def free_disc(spin: tuple[float, float, float]) -> lw.Model:
    """A free disc with the moments of `measures.orientation_of_disc`, without gravity."""
    m = lw.Model("free disc", gravity=(0, 0, 0))
    m.add("disc", lw.Body(1, (0.1, 0.1, 0.2), angular_velocity=spin))
    return m


def whip(links: int) -> lw.Model:
    """Links of 0.1 m and 0.1 kg, hinges alternately along z and y, released straight along x."""
    m = lw.Model("whip", gravity=(0, -0.8 * G, -0.6 * G))
    parent = lw.GROUND
    for i in range(links):
        link = lw.Body.link((0.1 * i, 0, 0), (0.1 * i + 0.1, 0, 0), radius=0.01, mass=0.1)
        link = m.add(f"link {i}", link)
        axis = Y if i % 2 else Z
        m.add(f"hinge {i}", lw.Revolute(parent, link, at=(0.1 * i, 0, 0), axis=axis))
        parent = link
    return m


def bushing_chain(links: int) -> lw.Model:
    """Links of 0.1 m and 0.1 kg on stiff bushings that bend softly, released straight along x."""
    m = lw.Model("chain on bushings", gravity=DOWN)
    parent = lw.GROUND
    stiffness = (1e5, 1e5, 1e5, 0.1, 0.1, 0.1)
    for i in range(links):
        link = lw.Body.link((0.1 * i, 0, 0), (0.1 * i + 0.1, 0, 0), radius=0.01, mass=0.1)
        link = m.add(f"link {i}", link)
        m.add(f"bushing {i}", lw.Bushing(parent, link, at=(0.1 * i, 0, 0), stiffness=stiffness))
        parent = link
    return m


def anchor_chain(pull: float, links: int = 20) -> lw.Model:
    """The anchor chain of Peng, Tasora, Fusai and Mangoni (2024), section 4.2, pulled along y.

    Thin links of 1 kg/m between (0, 0, 0) and (10, 0, 0), universal joints at both their ends.
    """
    m = lw.Model("anchor chain", gravity=DOWN)
    points = np.column_stack([np.linspace(0, 10, links + 1), np.zeros((links + 1, 2))])
    points[:, 2] = -6 + 1.2 * np.abs(points[:, 0] - 5)
    last = lw.GROUND
    for k, (p, q) in enumerate(zip(points, points[1:], strict=False)):
        length = float(np.linalg.norm(q - p))  # and as many kilograms
        link = m.add(f"link {k}", lw.Body.link(p, q, radius=1e-3, mass=length))
        across = np.cross(q - p, Y)
        m.add(f"joint {k}", lw.Universal(last, link, at=p, axis_a=Y, axis_b=across))
        last = link
    m.add("anchor", lw.Universal(lw.GROUND, last, at=points[-1], axis_a=Y, axis_b=across))
    lowest = lw.Frame(m[f"link {links // 2}"], (0, 0, -length / 2))
    m.add("pull", lw.Force(lowest, (0, pull, 0), drive=lw.expression("t < 5")))
    return m


def cart_pole(cart: float) -> lw.Model:
    """A point of 1 kg on a massless pole of 1 m, level at first, below a cart on a rail."""
    m = lw.Model("cart-pole", gravity=DOWN)
    c = m.add("cart", lw.Body(cart, (1e-6 * cart,) * 3))
    bob = m.add("bob", lw.Body(1, (1e-9, 1e-9, 1e-9), position=X))
    m.add("rail", lw.Prismatic(lw.GROUND, c, at=(0, 0, 0), axis=X))
    m.add("pin", lw.Revolute(c, bob, at=(0, 0, 0), axis=Y))
    return m


def pendulum_of_two_masses(upper: float, lower: float) -> lw.Model:
    """Two rods of 1 m with these masses, released level."""
    m = lw.Model("two masses", gravity=DOWN)
    a = m.add("upper", lw.Body.link((0, 0, 0), X, radius=0.02, mass=upper))
    b = m.add("lower", lw.Body.link(X, (2, 0, 0), radius=0.02, mass=lower))
    m.add("shoulder", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=Y))
    m.add("elbow", lw.Revolute(a, b, at=X, axis=Y))
    return m


def stiff_and_soft() -> lw.Model:
    """Two masses of 1 kg in a row: 1e10 N/m to the first one, 100 N/m and 0.1 m between them."""
    m = lw.Model("stiff and soft", gravity=(0, 0, 0))
    a = m.add("near", lw.Body(1, (1, 1, 1), position=X))
    b = m.add("far", lw.Body(1, (1, 1, 1), position=(2.1, 0, 0)))
    for body, name in ((a, "near"), (b, "far")):
        m.add(f"rail of {name}", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=X))
    m.add("stiff", lw.Spring(lw.GROUND, a, stiffness=1e10, length=1.0))
    m.add("soft", lw.Spring(a, b, stiffness=100.0, length=1.0))
    return m


def damped_spring(frequency: float, ratio: float) -> lw.Model:
    """A mass of 1 kg on a rail, released from a spring that is stretched by 10 mm."""
    m = lw.Model("damped spring", gravity=(0, 0, 0))
    mass = m.add("mass", lw.Body(1, (1, 1, 1), position=(1.01, 0, 0)))
    m.add("rail", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=X))
    damping = 2 * ratio * frequency
    spring = lw.Spring(lw.GROUND, mass, stiffness=frequency**2, damping=damping, length=1.0)
    m.add("spring", spring)
    return m


def parallelograms(count: int, rate: float) -> lw.Model:
    """Parallelogram linkages in a row, upright, cranks turning: flat twice in a turn."""
    m = lw.Model("parallelograms", gravity=(0, 0, 0))

    def upright(k: int) -> lw.Body:
        crank = lw.Body.link((k, 0, 0), (k, 1, 0), radius=0.02, mass=1)
        crank = m.add(f"crank {k}", crank)
        m.add(f"pivot {k}", lw.Revolute(lw.GROUND, crank, at=(k, 0, 0), axis=Z, rate=rate))
        return crank

    left = upright(0)
    for k in range(count):
        right = upright(k + 1)
        rung = m.add(f"rung {k}", lw.Body.link((k, 1, 0), (k + 1, 1, 0), radius=0.02, mass=1))
        m.add(f"left {k}", lw.Revolute(left, rung, at=(k, 1, 0), axis=Z))
        m.add(f"right {k}", lw.Revolute(rung, right, at=(k + 1, 1, 0), axis=Z))
        left = right
    return m


def elbow(start: np.ndarray, end: np.ndarray, first: float, second: float) -> np.ndarray:
    """Where arms of these lengths from two points in the plane xz meet, to the left of the way."""
    way = end - start
    d = float(np.linalg.norm(way))
    along = (first**2 - second**2 + d**2) / (2 * d)
    left = np.array([-way[2], 0.0, way[0]]) / d
    return start + along * way / d + math.sqrt(first**2 - along**2) * left


CRANK, COUPLER, BASE = 0.28, 0.94, 1.0  # m


def crank_and_rocker(slack: float) -> lw.Model:
    """A crank driven once a second, whose linkage would fold flat if its slack (m) were zero."""
    rocker = CRANK + BASE - COUPLER + slack
    A, B, D = np.zeros(3), np.array([0, 0, CRANK]), np.array([BASE, 0, 0])
    C = elbow(B, D, COUPLER, rocker)
    m = lw.Model("crank and rocker", gravity=DOWN, planar="xz")
    crank, coupler, last = (
        m.add(name, lw.Body.link(p, q, radius=0.01, density=7800))
        for name, p, q in (("crank", A, B), ("coupler", B, C), ("rocker", D, C))
    )
    m.add("motor", lw.Motor(lw.GROUND, crank, at=A, axis=Y, angle=lw.ramp(2 * math.pi)))
    m.add("B", lw.Revolute(crank, coupler, at=B, axis=Y))
    m.add("C", lw.Revolute(coupler, last, at=C, axis=Y))
    m.add("D", lw.Revolute(lw.GROUND, last, at=D, axis=Y))
    return m


def pendulum() -> lw.Model:
    """A rod of 1 m and 1 kg, released level."""
    m = lw.Model("pendulum", gravity=DOWN)
    body = m.add("rod", lw.Body.link((0, 0, 0), X, radius=0.02, mass=1))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=Y))
    return m


def impossible_motor() -> lw.Model:
    """A motor that is to turn the crank of a slider-crank past where the short rod reaches."""
    m = lw.Model("impossible motor", gravity=(0, 0, 0))
    crank = m.add("crank", lw.Body.link((0, 0, 0), (0.3, 0, 0), radius=0.01, mass=0.5))
    link = m.add("link", lw.Body.link((0.3, 0, 0), (0.5, 0, 0), radius=0.01, mass=0.5))
    slider = m.add("slider", lw.Body(0.5, (1e-3, 1e-3, 1e-3), position=(0.5, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, crank, at=(0, 0, 0), axis=Z, angle=lw.ramp(2)))
    m.add("pin", lw.Revolute(crank, link, at=(0.3, 0, 0), axis=Z))
    m.add("wrist", lw.Spherical(link, slider, at=(0.5, 0, 0)))
    m.add("guide", lw.Prismatic(lw.GROUND, slider, at=(0.5, 0, 0), axis=X))
    return m


def oblique_rod(rate: float) -> lw.Model:
    """The steel rod on a pin that is not at right angles to it: the pin holds a turning couple."""
    m = lw.Model("oblique rod", gravity=(0, 0, 0))
    body = m.add("rod", lw.Body.link((0, 0, 0), X, radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0.3, 0.2, 1), rate=rate))
    return m


def bushing_pendulum(stiffness: float) -> lw.Model:
    """The pendulum on a bushing of that stiffness (N/m) instead of its pin, free to turn."""
    m = lw.Model("pendulum on a bushing", gravity=DOWN)
    body = m.add("rod", lw.Body.link((0, 0, 0), X, radius=0.02, mass=1))
    m.add("bushing", lw.Bushing(lw.GROUND, body, at=(0, 0, 0),
                                stiffness=(stiffness,) * 3 + (0, 0, 0)))  # fmt: skip
    return m


def spinning_beam(rate: float) -> lw.Model:
    """A steel beam of 1 m, 20 mm square, that starts unstretched on a pin with that rate."""
    section = lw.Section.rectangle(0.02, 0.02, E=2.1e11, nu=0.3, density=7800)
    m = lw.Model("spinning beam", gravity=(0, 0, 0))
    beam = lw.Beam((0, 0, 0), X, section, elements=4, angular_velocity=(0, 0, rate))
    m.add("beam", beam)
    m.add("pin", lw.Revolute(lw.GROUND, beam.root, at=(0, 0, 0), axis=Z))
    return m


GAIN, DAMPING, SAMPLE = 400.0, 20.0, 0.01


def sampled_cart() -> lw.Model:
    """A cart of 1 kg, 1 m off, that a controller in Python pulls back, sampled every 10 ms."""
    m = lw.Model("sampled cart", gravity=DOWN)
    cart = m.add("cart", lw.Body(1, (1, 1, 1), position=X))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=X))
    place, speed = lw.reads(cart, "position", axis=X), lw.reads(cart, "velocity", axis=X)
    pull = lw.Controller(lambda t, y: -GAIN * y[0] - DAMPING * y[1], [place, speed], ["u"],
                         every=SAMPLE)["u"]  # fmt: skip
    m.add("pull", lw.Force(cart, X, drive=pull))
    return m


def slamming_cylinder() -> lw.Model:
    """A hydraulic cylinder whose valve opens at once: 100 kg go against the end of the stroke."""
    fluids = lw.hydraulics
    oil = fluids.Fluid(850, 1.4e9, 0.02)
    m = lw.Model("slamming cylinder", gravity=(0, 0, 0))
    block = m.add("block", lw.Body(100, (1, 1, 1), position=(0.8, 0, 0)))
    m.add("guide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=X))
    supply, tank = m.add("supply", fluids.Supply(oil, 2e7)), m.add("tank", fluids.Tank(oil, 1e6))
    head, rod = m.add("head", fluids.Pressure(oil, 1e6)), m.add("rod", fluids.Pressure(oil, 1e6))
    m.add("inlet", fluids.Orifice(supply, head, area=4e-5))
    m.add("outlet", fluids.Orifice(rod, tank, area=4e-5))
    m.add("cylinder", fluids.Cylinder(
        lw.GROUND, block, head, rod, area_1=2e-3, area_2=1.2e-3, closed=0.5, stroke=0.35,
        dead_volume=1e-4, stop_stiffness=1e8, stop_damping=1.0))  # fmt: skip
    return m


def bouncing_mass() -> lw.Model:
    """A mass of 1 kg that falls 0.1 m on a stop without damping: in touch for 3 ms."""
    m = lw.Model("bouncing mass", gravity=DOWN)
    body = m.add("mass", lw.Body(1, (1, 1, 1), position=(0, 0, 0.1)))
    guide = m.add("guide", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0.1), axis=Z))
    m.add("floor", lw.Stop(guide, lower=-0.1, stiffness=1e6, exponent=1.0))
    return m


def cart_with_a_corner() -> lw.Model:
    """A cart whose motor starts at 3 m/s after half a second of rest, without acceleration."""
    m = lw.Model("cart with a corner", gravity=DOWN)
    cart = m.add("cart", lw.Body(1, (1, 1, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=X))
    law = {"x": lw.ramp(3, start=0.5)}
    m.add("motor", lw.Lock(lw.GROUND, cart, at=(0, 0, 0), rows="x", drive=law))
    return m
