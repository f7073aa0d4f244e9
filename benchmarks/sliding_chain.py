"""A chain of 100 links that lies and slides on a plane, beside the same chain in the air.

    python -m benchmarks.sliding_chain

Links of 0.1 kg and 0.1 m with hinges that alternate between two axes, 1 m/s along or across the
chain at the start, coefficient of friction 0.3, the law of contact without parameters; half a
second with steps of 1 ms, in which the chain settles, slides, and stops after v²/(2 μ g) = 169.9
mm.  CPU time of a step, the best of several runs, and how far the chain stops from there.

    python -m benchmarks.sliding_chain falls

Chains that fall flat from 0.2 m (0.3 s), that turn by 1 rad/s about the middle and land link by
link (1.3 s), and that roll (0.5 s): steps with impacts are taken in pieces.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import linkwork as lw

LINKS, LENGTH, RADIUS, SPEED, MU, G = 100, 0.1, 0.01, 1.0, 0.3, 9.81
TURN = (0.5**0.5, 0, 0.5**0.5, 0)  # the axis of capsules and cylinders along the chain
SHAPES = {
    "capsules": {"kind": "capsule", "radius": RADIUS, "length": LENGTH - 2 * RADIUS,
                 "orientation": TURN},
    "cylinders": {"kind": "cylinder", "radius": RADIUS, "length": LENGTH, "orientation": TURN},
    "boxes": {"kind": "box", "size": (LENGTH, 2 * RADIUS, 2 * RADIUS)},
}  # fmt: skip


def chain(shape: dict, height: float, across: bool, turns: float = 0.0) -> lw.Model:
    m = lw.Model("chain", gravity=(0, 0, -G))
    middle = LINKS * LENGTH / 2
    links: list[lw.Body] = []
    for i in range(LINKS):
        place = ((i + 0.5) * LENGTH, 0, height)
        down = -turns * (place[0] - middle)
        body = lw.Body(
            0.1, (1e-5, 1e-4, 1e-4), position=place, angular_velocity=(0, turns, 0), shape=shape,
            velocity=(0, SPEED, down) if across else (SPEED, 0, down),
        )  # fmt: skip
        links.append(m.add(f"link{i}", body))
        if i:
            axis = (0, 1, 0) if i % 2 else (0, 0, 1)
            m.add(f"hinge{i}", lw.Revolute(links[-2], body, at=(i * LENGTH, 0, height), axis=axis))
    m.add("floor", lw.Contact(links, lw.GROUND, friction=MU))
    return m


def measured(
    shape: dict, height: float, across: bool, times: int, turns: float = 0.0, end: float = 0.5
) -> tuple[float, np.ndarray]:
    """CPU seconds of a step, and by how much the links have moved."""
    best = np.inf
    for _ in range(times):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = chain(shape, height, across, turns)
            run = lw.transient(model, t=end, h=1e-3, progress=False)
        best = min(best, float(run.info["cpu_seconds"]) / (end / 1e-3))
    return best, run.motion[-1, :, :3] - run.motion[0, :, :3]


def main() -> None:
    wanted = SPEED**2 / (2 * MU * G)
    for name, shape in SHAPES.items():
        for across in (False, True):
            if across and name != "boxes":
                continue  # they would roll
            air, _ = measured(shape, 50.0, across, 3)
            ground, moved = measured(shape, RADIUS, across, 3)
            off = np.abs(moved[:, 1 if across else 0] - wanted).max()
            print(f"{name:9s} {'across' if across else 'along '}: {1e6 * air:.0f} µs in the air, "
                  f"{1e6 * ground:.0f} on the plane, {ground / air:.2f} times; "
                  f"stops {1e6 * off:.0f} µm off")  # fmt: skip


def falls() -> None:
    for name, shape in SHAPES.items():
        air, _ = measured(shape, 50.0, True, 3)
        flat, _ = measured(shape, RADIUS + 0.2, True, 2, end=0.3)
        lands, _ = measured(shape, RADIUS + 5.1, True, 1, turns=1.0, end=1.3)
        rolls = f", rolling {measured(shape, RADIUS, True, 1)[0] / air:.0f}" * (name != "boxes")
        print(f"{name:9s}: {1e6 * air:.0f} µs in the air; falling flat {flat / air:.1f} times, "
              f"landing link by link {lands / air:.0f}{rolls}")  # fmt: skip


if __name__ == "__main__":
    falls() if sys.argv[1:] == ["falls"] else main()
