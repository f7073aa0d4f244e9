"""Exudyn's side of the comparison; runs in the virtual environment that has Exudyn.

    python -m benchmarks.programs.exudyn '{"case": "chain", "n": 10, "steps": 1000, ...}'

prints one line of JSON: CPU and wall time per step of the time loop alone, and where it ended.
Exudyn runs with its module without range checks (AVX2), one thread and no output; the arguments of
`run` are the settings among which comparison.py searches the fastest for each mechanism.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]  # must be set before the import
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402

from benchmarks.cases import BUILDERS, GROUND, Case, Hinge, axes_along  # noqa: E402
from benchmarks.programs import exudyn_beam, exudyn_squeezer  # noqa: E402

RHO = 0.8  # spectral radius at infinity, as in linkwork
H = 1e-3


def add_bodies(mbs: Any, case: Case, node: str) -> tuple[list[Any], list[Any]]:
    nodes, bodies = [], []
    for part in case.parts:
        if case.planar:
            place, speed = part.position[:2], (*part.velocity[:2], part.angular_velocity[2])
            n = mbs.AddNode(items.NodeRigidBody2D(
                referenceCoordinates=[*place, 0.0], initialVelocities=list(speed)))  # fmt: skip
            body = items.ObjectRigidBody2D(mass=1.0, inertia=part.inertia[2], nodeNumber=n)
        else:
            turn, kind = {
                "euler parameters": ([1.0, 0, 0, 0], items.NodeRigidBodyEP),
                "rotation vector": ([0.0, 0, 0], items.NodeRigidBodyRotVecLG),
                "angles": ([0.0, 0, 0], items.NodeRigidBodyRxyz),
            }[node]
            n = mbs.AddNode(kind(referenceCoordinates=[*part.position, *turn]))
            body = items.ObjectRigidBody(
                mass=1.0, inertia=[*part.inertia, 0.0, 0.0, 0.0], nodeNumber=n
            )
        nodes.append(n)
        bodies.append(mbs.AddObject(body))
        mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=bodies[-1]))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=list(case.gravity)))
    return nodes, bodies


def add_hinge(mbs: Any, case: Case, hinge: Hinge, bodies: list[Any], ground: Any) -> None:
    markers = []
    for number in (hinge.a, hinge.b):
        body = ground if number == GROUND else bodies[number]
        origin = (0, 0, 0) if number == GROUND else case.parts[number].position
        place = [float(p - o) for p, o in zip(hinge.at, origin)]
        if case.planar:
            marker = items.MarkerBodyPosition(bodyNumber=body, localPosition=place)
        else:
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = axes_along(hinge.axis), place
            marker = items.MarkerBodyRigid(bodyNumber=body, localHT=frame)
        markers.append(mbs.AddMarker(marker))
    kind = items.ObjectJointRevolute2D if case.planar else items.ObjectJointRevoluteZ
    mbs.AddObject(kind(markerNumbers=markers))


def build(case: Case, node: str) -> tuple[Any, list[Any]]:
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    nodes, bodies = add_bodies(mbs, case, node)
    for hinge in case.hinges:
        add_hinge(mbs, case, hinge, bodies, ground)
    mbs.Assemble()
    return mbs, nodes


def settings(
    steps: int, solver: str, tolerance: float, modified: bool, contractivity: float,
    end: float | None = None,
) -> Any:  # fmt: skip
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps = steps
    s.timeIntegration.endTime = steps * H if end is None else end
    s.timeIntegration.generalizedAlpha.spectralRadius = RHO
    s.timeIntegration.newton.useModifiedNewton = modified
    s.timeIntegration.newton.relativeTolerance = tolerance
    s.timeIntegration.newton.modifiedNewtonContractivity = contractivity
    s.timeIntegration.stepInformation = s.timeIntegration.verboseMode = 0
    s.solution.file.write = s.solution.sensors.active = False
    s.solution.solverInformationFileName = ""
    s.show.computationTime = False
    s.parallel.numberOfThreads = 1
    s.linearSolver.solverType = getattr(exu.LinearSolverType, solver)
    s.linearSolver.reuseAnalyzedPattern = True
    return s


def run(
    case: str, n: int, steps: int, solver: str, tolerance: float = 1e-8, modified: bool = True,
    node: str = "euler parameters", contractivity: float = 0.5,
) -> dict[str, Any]:  # fmt: skip
    mbs, nodes = build(BUILDERS[case](n), node)
    options = settings(steps, solver, tolerance, modified, contractivity)
    stepper = exu.MainSolverImplicitSecondOrder()
    stepper.InitializeSolver(mbs, options)
    cpu, wall = time.process_time(), time.perf_counter()
    done = stepper.SolveSteps(mbs, options)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    counts = stepper.it
    stepper.FinalizeSolver(mbs, options)
    if not done:
        raise SystemExit("Exudyn did not reach the end")
    position = exu.OutputVariableType.Position
    return {
        "cpu": 1e6 * cpu / steps, "wall": 1e6 * wall / steps,
        "iterations": counts.newtonStepsCount / steps,
        "jacobians": counts.newtonJacobiCount / steps, "end": counts.currentTime,
        "positions": [list(mbs.GetNodeOutput(k, position)) for k in nodes],
        "version": exu.__version__,
    }  # fmt: skip


if __name__ == "__main__":
    exu.config.printToConsole = False
    question = json.loads(sys.argv[1])
    apart = {"squeezer": exudyn_squeezer, "beam": exudyn_beam}
    if question["case"] in apart:
        other = apart[question.pop("case")]
        print(json.dumps(other.run(exu, items, settings, **question)))
    else:
        print(json.dumps(run(**question)))
