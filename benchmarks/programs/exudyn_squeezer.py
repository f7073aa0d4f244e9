"""Andrews' squeezer in Exudyn: seven planar bodies, ten planar hinges, a spring and a torque."""

from __future__ import annotations

import time
from math import cos, sin
from typing import Any

import numpy as np

from benchmarks.squeezer import END, error, fewest_steps

# as in examples/andrews_squeezer.py, which this environment cannot import
ANGLES = (-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
          0.487364979543842550, -0.222668390165885885, 1.23054744454982119)  # fmt: skip
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
O, A, B, C = np.array([(0, 0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)])
RR, D, E, ZT, ZF, U, TORQUE = 0.007, 0.028, 0.02, 0.04, 0.02, 0.04, 0.033
STIFFNESS, LENGTH = 4530, 0.07785


def turned(angle: float, x: float, y: float) -> np.ndarray:
    return np.array([cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y])


class Plane:
    """Planar bodies by world points: markers and hinges where they are described."""

    def __init__(self, mbs: Any, items: Any) -> None:
        self.mbs, self.items = mbs, items
        self.ground = mbs.AddObject(items.ObjectGround())
        self.bodies: list[tuple[int, int, np.ndarray, float]] = []

    def body(self, k: int, angle: float, pin: np.ndarray, x: float, y: float) -> None:
        """Body k turned by an angle, its centre of mass at (x, y) from a pin in its own axes."""
        centre = pin + turned(angle, x, y)
        node = self.mbs.AddNode(self.items.NodeRigidBody2D(
            referenceCoordinates=[*centre, angle], initialVelocities=[0.0, 0.0, 0.0]))  # fmt: skip
        body = self.mbs.AddObject(self.items.ObjectRigidBody2D(
            mass=MASS[k], inertia=INERTIA[k], nodeNumber=node))  # fmt: skip
        self.bodies.append((body, node, centre, angle))

    def marker(self, k: int, point: np.ndarray) -> Any:
        """On body k (−1: the ground) at a world point."""
        if k < 0:
            return self.mbs.AddMarker(self.items.MarkerBodyPosition(
                bodyNumber=self.ground, localPosition=[*point, 0.0]))  # fmt: skip
        body, _, centre, angle = self.bodies[k]
        return self.mbs.AddMarker(self.items.MarkerBodyPosition(
            bodyNumber=body, localPosition=[*turned(-angle, *(point - centre)), 0.0]))  # fmt: skip

    def hinge(self, a: int, b: int, point: np.ndarray) -> None:
        markers = [self.marker(a, point), self.marker(b, point)]
        self.mbs.AddObject(self.items.ObjectJointRevolute2D(markerNumbers=markers))


def build(exu: Any, items: Any) -> tuple[Any, Plane]:
    mbs = exu.SystemContainer().AddSystem()
    plane = Plane(mbs, items)
    beta, Theta, gamma, Phi, delta, Omega, epsilon = ANGLES
    F = turned(beta, RR, 0)
    e = F - turned(beta + Theta, D, 0)
    G, H = A + turned(delta, ZT, 0), A + turned(epsilon, 0, -U)
    for k, place in enumerate((
        (beta, O, 0.00092, 0), (beta + Theta, F, -0.0115, 0), (gamma, B, 0.01043, -0.01874),
        (Phi + delta, G, 0, 0.01421 - E), (delta, A, 0.02308, 0.00916),
        (Omega + epsilon, H, ZF - 0.01421, 0), (epsilon, A, 0.01228, -0.00449),
    )):  # fmt: skip
        plane.body(k, *place)
    for a, b, point in (
        (-1, 0, O), (0, 1, F), (-1, 2, B), (4, 3, G), (-1, 4, A), (6, 5, H), (-1, 6, A),
        (1, 2, e), (1, 3, e), (1, 5, e),
    ):  # fmt: skip
        plane.hinge(a, b, point)
    ends = [plane.marker(-1, C), plane.marker(2, B + turned(gamma, 0.02, -0.018))]
    mbs.AddObject(items.ObjectConnectorSpringDamper(
        markerNumbers=ends, referenceLength=LENGTH, stiffness=STIFFNESS, damping=0.0))  # fmt: skip
    crank = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=plane.bodies[0][0]))
    mbs.AddLoad(items.LoadTorqueVector(markerNumber=crank, loadVector=[0, 0, TORQUE]))
    mbs.Assemble()
    return mbs, plane


def run(
    exu: Any, items: Any, settings: Any, method: str, rho: float, solver: str, modified: bool,
    tolerance: float, steps: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """One run timed; without steps their number is searched."""

    def end(n: int) -> dict[str, Any] | None:
        mbs, plane = build(exu, items)
        options = settings(n, solver, tolerance, modified, 0.5, END)
        options.timeIntegration.generalizedAlpha.spectralRadius = rho
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            done = mbs.SolveDynamic(options, solverType=getattr(exu.DynamicSolverType, method))
        except Exception:  # Exudyn raises nearly anything when Newton's method fails
            return None
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        return {"cpu": 1e3 * cpu, "wall": 1e3 * wall, **state(exu, mbs, plane)} if done else None

    def error_of(n: int) -> float:
        found = end(n)
        return found["error"] if found else np.inf

    steps = fewest_steps(error_of) if steps is None else steps
    found = end(steps) if steps is not None else None
    return {"steps": steps, **found} if found else {"steps": None}


def state(exu: Any, mbs: Any, plane: Plane) -> dict[str, Any]:
    """Error of the crank end, violation of its pin, and energy error over the work supplied."""
    kind = exu.OutputVariableType

    def point(k: int, x: float, y: float) -> np.ndarray:
        return mbs.GetObjectOutputBody(plane.bodies[k][0], kind.Position, [x, y, 0.0])[:2]

    F = point(0, RR - 0.00092, 0)
    kinetic = 0.0
    for (_, node, _, _), m, J in zip(plane.bodies, MASS, INERTIA):
        v = mbs.GetNodeOutput(node, kind.Velocity)
        omega = mbs.GetNodeOutput(node, kind.AngularVelocity)[2]
        kinetic += 0.5 * m * float(v @ v) + 0.5 * J * omega**2
    free = point(2, 0.02 - 0.01043, -0.018 + 0.01874)
    stretch = float(np.hypot(*(free - C))) - LENGTH
    begin = float(np.hypot(*(B + turned(ANGLES[2], 0.02, -0.018) - C))) - LENGTH
    beta = mbs.GetNodeOutput(plane.bodies[0][1], kind.Rotation)
    turn = float(np.ravel(beta)[-1]) - ANGLES[0]
    potential = 0.5 * STIFFNESS * (stretch**2 - begin**2)
    return {
        "error": error(F), "violation": float(np.abs(point(1, 0.0115, 0) - F).max()),
        "energy": abs(kinetic + potential - TORQUE * turn) / kinetic,
    }  # fmt: skip
