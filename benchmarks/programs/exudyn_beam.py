"""The falling cantilever of beams.py in Exudyn: geometrically exact beams on two nodes in space."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.beam_case import GRAVITY, INERTIA, LENGTH, MASS, STIFFNESS


def build(exu: Any, items: Any, n: int, node: str) -> tuple[Any, list[Any]]:
    """n elements on n + 1 nodes, the first clamped."""
    mbs = exu.SystemContainer().AddSystem()
    section = exu.BeamSection()
    section.massPerLength = MASS
    section.inertia = np.diag(INERTIA)
    section.stiffnessMatrix = np.diag(STIFFNESS)
    turn, kind = {
        "euler parameters": ([1.0, 0, 0, 0], items.NodeRigidBodyEP),
        "rotation vector": ([0.0, 0, 0], items.NodeRigidBodyRotVecLG),
        "angles": ([0.0, 0, 0], items.NodeRigidBodyRxyz),
    }[node]
    nodes = [
        mbs.AddNode(kind(referenceCoordinates=[x, 0.0, 0.0, *turn]))
        for x in np.linspace(0, LENGTH, n + 1)
    ]
    for a, b in zip(nodes, nodes[1:]):
        beam = mbs.AddObject(items.ObjectBeamGeometricallyExact(
            nodeNumbers=[a, b], length=LENGTH / n, sectionData=section))  # fmt: skip
        mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=beam))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=list(GRAVITY)))
    ground = mbs.AddObject(items.ObjectGround())
    here = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=ground))
    root = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[0]))
    mbs.AddObject(items.ObjectJointGeneric(markerNumbers=[here, root]))
    return mbs, nodes


def run(
    exu: Any, items: Any, settings: Any, n: int, steps: int, end: float, solver: str,
    tolerance: float = 1e-8, modified: bool = True, node: str = "euler parameters",
    contractivity: float = 0.5, watched: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """watched: at how many times the positions of all nodes are kept, which takes time."""
    mbs, nodes = build(exu, items, n, node)
    position = exu.OutputVariableType.Position
    sensors = [
        mbs.AddSensor(items.SensorNode(
            nodeNumber=k, storeInternal=True, outputVariableType=position, writeToFile=False))
        for k in nodes if watched
    ]  # fmt: skip
    mbs.Assemble()
    options = settings(steps, solver, tolerance, modified, contractivity, end)
    if watched:
        options.solution.sensors.active = True
        options.solution.sensors.writePeriod = end / watched
    stepper = exu.MainSolverImplicitSecondOrder()
    stepper.InitializeSolver(mbs, options)
    cpu, wall = time.process_time(), time.perf_counter()
    done = stepper.SolveSteps(mbs, options)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    counts = stepper.it
    stepper.FinalizeSolver(mbs, options)
    if not done:
        raise SystemExit("Exudyn did not reach the end")
    path = [mbs.GetSensorStoredData(k) for k in sensors]
    return {
        "cpu": 1e6 * cpu / steps, "wall": 1e6 * wall / steps,
        "iterations": counts.newtonStepsCount / steps,
        "jacobians": counts.newtonJacobiCount / steps, "end": counts.currentTime,
        "path": np.array(path).transpose(1, 0, 2)[-watched:, :, 1:].tolist() if watched else [],
    }  # fmt: skip
