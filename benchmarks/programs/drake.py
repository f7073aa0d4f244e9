"""Drake's side of the comparison of trees; runs in the virtual environment of the peers.

    python -m benchmarks.programs.drake '{"case": "chain", "n": 10, "steps": 100}'

A MultibodyPlant in continuous time, without geometry: forward dynamics is its articulated-body
algorithm, by way of the time derivatives of its state.  Drake has no Runge-Kutta method of order
four in Python, so the steps are ours (joint_coordinates.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, SpatialInertia, UnitInertia

from benchmarks.cases import BUILDERS, GROUND, Case, Vector
from benchmarks.joint_coordinates import RungeKutta, measure, reply


def build(case: Case) -> tuple[Any, list[Any]]:
    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array(case.gravity, float))
    bodies = [
        plant.AddRigidBody(f"body{k}", SpatialInertia(1.0, np.zeros(3), UnitInertia(*p.inertia)))
        for k, p in enumerate(case.parts)
    ]

    def marker(number: int, at: Vector, name: str) -> Any:
        """A frame on a body at a world point of the described position."""
        ground = number == GROUND
        body = plant.world_body() if ground else bodies[number]
        origin = np.zeros(3) if ground else np.array(case.parts[number].position)
        place = RigidTransform(np.array(at, float) - origin)
        return plant.AddFrame(FixedOffsetFrame(name, body.body_frame(), place))

    for k, hinge in enumerate(case.hinges):
        a, b = marker(hinge.a, hinge.at, f"a{k}"), marker(hinge.b, hinge.at, f"b{k}")
        plant.AddJoint(RevoluteJoint(f"hinge{k}", a, b, np.array(hinge.axis), 0.0))
    plant.Finalize()
    return plant, bodies


def run(case: str, n: int, steps: int, seconds: float = 1.0) -> dict[str, Any]:
    plant, bodies = build(BUILDERS[case](n))
    context = plant.CreateDefaultContext()
    count = plant.num_velocities()
    place, derivatives = plant.SetPositionsAndVelocities, plant.EvalTimeDerivatives

    def accelerations(x: np.ndarray) -> np.ndarray:
        place(context, x.reshape(-1))
        return derivatives(context).get_generalized_velocity().CopyToVector()

    march = RungeKutta(accelerations, count)

    def evaluate(times: int) -> None:
        x = march.x.reshape(-1)
        for _ in range(times):
            place(context, x)  # else the derivatives are known already
            derivatives(context)

    def positions() -> np.ndarray:
        place(context, march.x.reshape(-1))
        return np.array([body.EvalPoseInWorld(context).translation() for body in bodies])

    return measure(march.advance, evaluate, positions, steps, seconds)


if __name__ == "__main__":
    reply(run)
