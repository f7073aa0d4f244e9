"""MuJoCo's side of the comparison of trees; runs in the virtual environment of the peers.

    python -m benchmarks.programs.mujoco '{"case": "chain", "n": 10, "steps": 100}'

Its own Runge-Kutta method of order four, many steps in one call; constraints, contacts, limits,
actuators and sensors are switched off, there is no geometry and no damping.  An evaluation is
`mj_forward`.  It builds the joint-space mass matrix and factorises it along the tree.
"""

from __future__ import annotations

from typing import Any

import mujoco as mj
import numpy as np

from benchmarks.cases import BUILDERS, GROUND, Case
from benchmarks.joint_coordinates import H, measure, reply

UNUSED = ("ACTUATION", "AUTORESET", "CLAMPCTRL", "CONSTRAINT", "CONTACT", "DAMPER", "EQUALITY",
          "FRICTIONLOSS", "ISLAND", "LIMIT", "SENSOR", "SPRING", "WARMSTART")  # fmt: skip


def build(case: Case, jacobian: str) -> tuple[Any, np.ndarray]:
    """The model, and the numbers that MuJoCo gives the bodies."""
    spec = mj.MjSpec()
    option = spec.option
    option.timestep, option.gravity = H, case.gravity
    option.integrator = mj.mjtIntegrator.mjINT_RK4
    option.jacobian = getattr(mj.mjtJacobian, f"mjJAC_{jacobian.upper()}")
    for name in UNUSED:
        option.disableflags |= int(getattr(mj.mjtDisableBit, f"mjDSBL_{name}"))
    bodies = {GROUND: (spec.worldbody, np.zeros(3))}
    for hinge in case.hinges:
        parent, origin = bodies[hinge.a]
        at, part = np.array(hinge.at, float), case.parts[hinge.b]
        body = parent.add_body(
            name=f"body{hinge.b}", pos=at - origin, mass=1.0, inertia=part.inertia,
            ipos=np.array(part.position) - at, explicitinertial=True,
        )  # fmt: skip
        body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=hinge.axis)
        bodies[hinge.b] = (body, at)
    model = spec.compile()
    return model, np.array([model.body(f"body{k}").id for k in range(len(case.parts))])


def run(
    case: str, n: int, steps: int, seconds: float = 1.0, jacobian: str = "sparse"
) -> dict[str, Any]:
    model, numbers = build(BUILDERS[case](n), jacobian)
    data = mj.MjData(model)

    def advance(times: int) -> None:
        mj.mj_step(model, data, times)

    def evaluate(times: int) -> None:
        for _ in range(times):
            mj.mj_forward(model, data)

    def positions() -> np.ndarray:
        mj.mj_kinematics(model, data)
        return data.xipos[numbers]

    return measure(advance, evaluate, positions, steps, seconds)


if __name__ == "__main__":
    reply(run)
