"""What breaks first: jumps, impacts, events and samples together, by all kinds of methods.

One mechanism, a pendulum on a hinge, with every subset of a torque that jumps, an elastic stop and
a sampled controller, by every kind of method, in every way of running.
"""

from __future__ import annotations

import functools
import itertools
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from record import numbers

import linkwork as lw

H, END, JUMP = 1e-3, 0.3, 0.1137
PARTS = ("jump", "stop", "samples")
METHODS: dict[str, Callable[[], Any]] = {
    "default": lw.GeneralizedAlpha,
    "stabilized": lambda: lw.GeneralizedAlpha(stabilized=True),
    "BDF2": lw.BDF2,
    "DIRK54": lw.DIRK54,
    "RK4": lw.RK4,
    "EnergyMomentum": lw.EnergyMomentum,
    "Recursive": lw.Recursive,
    "Moreau": lw.Moreau,
}


def pendulum(parts: tuple[str, ...], jump: float = JUMP) -> lw.Model:
    """A rod of 1 m that falls from the level; the stop is met at about 0.15 s."""
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.02, mass=2))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    if "jump" in parts:
        m.add("torque", lw.JointTorque(pin, lw.formula(f"20*(t >= {jump})")))
    if "stop" in parts:
        m.add("stop", lw.Stop(pin, upper=0.17, stiffness=1e4, exponent=1.0))
    if "samples" in parts:
        m.add("servo", lw.JointTorque(pin, lw.PID(
            0.1 - lw.reads(pin, "angle"), 30.0, 1.0, 2.0, every=0.0125)))  # fmt: skip
    return m


def all_of_them() -> Iterator[tuple[str, Callable[[], Any]]]:
    for count in range(1, len(PARTS) + 1):
        for parts in itertools.combinations(PARTS, count):
            for (method, make), way in itertools.product(METHODS.items(), WAYS):
                name = f"composition/{'+'.join(parts)}/{method}/{way}"
                yield name, functools.partial(WAYS[way], parts, make())


def run(parts: tuple[str, ...], method: Any, t: float = END, h: float = H, **more: Any) -> Any:
    return lw.transient(pendulum(parts), t, h, method, progress=False, **more)


def jump_at_the_end(parts: tuple[str, ...], method: Any) -> Any:
    return lw.transient(pendulum(parts, jump=END), END, H, method, progress=False)


def event(parts: tuple[str, ...], method: Any) -> Any:
    """Ends where the rod stands at 0.165 rad, close to the stop; every 7th step is stored."""

    def angle(time: float, now: Any) -> float:
        return float(now["pin"].angle) - 0.165

    return run(parts, method, stop=angle, every=7)


def resumed(parts: tuple[str, ...], method: Any) -> Any:
    """Saved at 0.19 s, which may lie in an impact, and resumed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.nc"
        run(parts, method, 0.19).save(file)
        return dict(numbers(lw.resume(file, END, progress=False)))


def negative_start(parts: tuple[str, ...], method: Any) -> Any:
    model = pendulum(parts, jump=JUMP - 0.15)
    start = replace(lw.assemble(model), time=-0.15)
    return lw.transient(model, END - 0.15, H, method, start=start, progress=False)


WAYS: dict[str, Callable[[tuple[str, ...], Any], Any]] = {
    "plain": run,
    "long steps": lambda parts, method: run(parts, method, h=0.01),
    "off the grid": lambda parts, method: run(parts, method, t=END + 0.37 * H),
    "tolerance": lambda parts, method: run(parts, method, tolerance=1e-5),
    "jump at the end": jump_at_the_end,
    "event": event,
    "resumed": resumed,
    "negative start": negative_start,
}
