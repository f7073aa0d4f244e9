"""Mechanisms of any number of bodies, numbered by their branches, for steps in tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwork as lw

LENGTH = 0.1  # m


def links(parents: list[int], joints: tuple[str, ...] = ("Revolute",)) -> lw.Model:
    """Links of 0.1 m and 0.1 kg, each on the end of its parent (−1: on the ground), the joints in
    turn; every second one is turned a little, so that nothing is straight."""
    m = lw.Model("links", gravity=(0, 0, -9.81))
    ends: list[tuple[Any, np.ndarray]] = []
    for i, parent in enumerate(parents):
        body, start = (lw.GROUND, np.array([0, 0.3 * i, 0])) if parent < 0 else ends[parent]
        turn = 0.2 + 0.1 * (i % 3)
        along = LENGTH * np.array([np.cos(turn), 0, -np.sin(turn)])
        link = m.add(f"link{i}", lw.Body(
            0.1, (1e-5, 1e-4, 1e-4), position=start + along / 2,
            orientation=(np.cos(turn / 2), 0, np.sin(turn / 2), 0)))  # fmt: skip
        kind = joints[i % len(joints)]
        axis = (0, 1, 0) if i % 2 else (0, 0.8, 0.6)
        where = {} if kind == "Spherical" else {"axis": axis}
        m.add(f"joint{i}", getattr(lw, kind)(body, link, at=start, **where))
        ends.append((link, start + along))
    return m


def chain(n: int, *joints: str) -> lw.Model:
    return links([i - 1 for i in range(n)], joints or ("Revolute",))


def branches(n: int, length: int = 12) -> lw.Model:
    """A trunk with a branch of so many links on each of its links."""
    parents: list[int] = []
    trunk = -1
    while len(parents) < n:
        parents.append(trunk)
        trunk = len(parents) - 1
        parents += range(trunk, trunk + length)
    return links(parents[:n])


def with_springs(n: int) -> lw.Model:
    """A chain of mixed joints with springs, dampers and bushings between neighbours, and loads."""
    m = chain(n, "Revolute", "Spherical", "Universal", "Revolute")
    for i in range(1, n):
        a, b = m[f"link{i - 1}"], m[f"link{i}"]
        if i % 3 == 0:
            m.add(f"spring{i}", lw.Spring(a, b, stiffness=50, damping=0.2, length=0.08))
        if i % 7 == 0:
            m.add(f"push{i}", lw.Force(b, (0.1, 0.2, 0.3)))
    return m


def with_spring_across(n: int) -> lw.Model:
    """A chain in which a spring joins two distant links: what lies between them is a core."""
    m = chain(n)
    m.add("across", lw.Spring(m["link5"], m["link20"], stiffness=100, damping=0.1, length=1.0))
    return m


def held_at_both_ends(n: int) -> lw.Model:
    """A chain of balls whose last link hangs on the ground, too: a loop through the ground."""
    m = chain(n, "Spherical")
    last = m[f"link{n - 1}"]
    m.add("end", lw.Spherical(lw.GROUND, last, at=np.array(last.position)))
    return m


def driven(n: int) -> lw.Model:
    """A chain whose first link is moved, with a load that changes with time."""
    m = lw.Model("driven", gravity=(0, 0, -9.81))
    before: Any = lw.GROUND
    for i in range(n):
        link = m.add(f"link{i}", lw.Body.link(
            (LENGTH * i, 0, 0), (LENGTH * (i + 1), 0, 0), radius=0.005, density=7800))  # fmt: skip
        at = (LENGTH * i, 0, 0)
        if i == 0:
            angle = lw.sine(0.2, 2.0)
            m.add("motor", lw.Motor(before, link, at=at, axis=(0, 1, 0), angle=angle))
        else:
            m.add(f"joint{i}", lw.Revolute(before, link, at=at, axis=(0, 1, 0)))
        before = link
    m.add("load", lw.Force(before, (0, 0, 1), drive=lw.sine(0.5, 5.0)))
    return m


MODELS = {
    "chain": lambda: chain(60),
    "balls": lambda: chain(40, "Spherical"),
    "branches": lambda: branches(90),
    "two chains": lambda: links([-1 if i in (0, 30) else i - 1 for i in range(60)]),
    "mixed joints, springs, loads": lambda: with_springs(50),
    "spring across": lambda: with_spring_across(40),
    "held at both ends": lambda: held_at_both_ends(40),
    "driven": lambda: driven(40),
}
