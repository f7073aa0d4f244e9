"""pinocchio's side of the comparison of trees; runs in the virtual environment of the peers.

    python -m benchmarks.programs.pinocchio '{"case": "chain", "n": 10, "steps": 100}'

Forward dynamics is its articulated-body algorithm (`aba`), called from Python; the steps are those
of joint_coordinates.py.  `axes` turns every joint's frame so that the hinge axis is a coordinate
axis, for which pinocchio has joints of their own, or leaves it as described; `convention` is that
of its algorithm.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.cases import BUILDERS, GROUND, Case, Hinge, axes_along
from benchmarks.joint_coordinates import RungeKutta, measure, reply

JOINTS = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}


def joint_axes(axis: Any, axes: str) -> tuple[np.ndarray, Any]:
    """The joint frame's orientation in the described position, and the joint."""
    if axes == "as described":
        return np.eye(3), pin.JointModelRevoluteUnaligned(np.array(axis, float))
    first, second, third = axes_along(axis).T
    columns = {
        "x": (third, first, second), "y": (second, third, first), "z": (first, second, third),
    }  # fmt: skip
    return np.column_stack(columns[axes]), JOINTS[axes]()


def depth_first(hinges: list[Hinge]) -> list[Hinge]:
    """Every branch to its end before the next one, the order that pinocchio's own readers make."""
    below: dict[int, list[Hinge]] = {}
    for hinge in hinges:
        below.setdefault(hinge.a, []).append(hinge)
    order, waiting = [], below[GROUND][::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += below.get(order[-1].b, [])[::-1]
    return order


def build(case: Case, axes: str) -> Any:
    model = pin.Model()
    model.gravity.linear = np.array(case.gravity, float)
    frames = {GROUND: (0, np.eye(3), np.zeros(3))}
    for k, hinge in enumerate(depth_first(case.hinges)):
        parent, R, origin = frames[hinge.a]
        turned, joint = joint_axes(hinge.axis, axes)
        at = np.array(hinge.at, float)
        number = model.addJoint(parent, joint, pin.SE3(R.T @ turned, R.T @ (at - origin)), f"{k}")
        part = case.parts[hinge.b]
        centre = turned.T @ (np.array(part.position) - at)
        inertia = pin.Inertia(1.0, centre, turned.T @ np.diag(part.inertia) @ turned)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        frames[hinge.b] = (number, turned, at)
    return model


def memory_suffices(nv: int) -> None:
    """Its Data holds four arrays of nv³ numbers, which forward dynamics does not use."""
    needed = 4 * 8 * nv**3
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > 0.8 * free:
        raise SystemExit(f"needs {needed / 1e9:,.0f} GB of memory")


def run(
    case: str, n: int, steps: int, seconds: float = 1.0, axes: str = "z", convention: str = "WORLD"
) -> dict[str, Any]:
    description = BUILDERS[case](n)
    memory_suffices(len(description.hinges))
    model = build(description, axes)
    data, torques = pin.Data(model), np.zeros(model.nv)
    aba, kind = pin.aba, getattr(pin.Convention, convention)

    def accelerations(x: np.ndarray) -> np.ndarray:
        return aba(model, data, x[0], x[1], torques, kind)

    march = RungeKutta(accelerations, model.nv)

    def evaluate(times: int) -> None:
        q, v = march.x
        for _ in range(times):
            aba(model, data, q, v, torques, kind)

    def positions() -> np.ndarray:
        pin.forwardKinematics(model, data, march.x[0])
        places = np.empty((len(description.parts), 3))
        for number, hinge in enumerate(depth_first(description.hinges), start=1):
            places[hinge.b] = data.oMi[number].act(model.inertias[number].lever)
        return places

    return measure(march.advance, evaluate, positions, steps, seconds)


if __name__ == "__main__":
    reply(run)
