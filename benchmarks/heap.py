"""A heap of balls in a box: linkwork's impulses beside MuJoCo; python -m benchmarks.heap [n]

n³ balls of 0.1 m fall from a loose grid into a box; one second with steps of 2 ms.  CPU time of the
steps, and how deep balls lie in each other at the end (the accuracy that the time was paid for).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import linkwork as lw

RADIUS, PITCH, STEP, END = 0.05, 0.11, 2e-3, 1.0


def places(n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    grid = np.array([(i, j, k) for i in range(n) for j in range(n) for k in range(n)], float)
    grid *= PITCH
    grid[:, :2] += 0.005 * rng.random((len(grid), 2))
    grid[:, 2] += 0.06
    return grid


def walls(n: int) -> list[tuple[tuple, tuple]]:
    """Normals and points of the floor and four walls."""
    w = PITCH * n - 0.04
    return [((0, 0, 1), (0, 0, 0)), ((1, 0, 0), (-0.06, 0, 0)), ((-1, 0, 0), (w, 0, 0)),
            ((0, 1, 0), (0, -0.06, 0)), ((0, -1, 0), (0, w, 0))]  # fmt: skip


def with_linkwork(n: int) -> tuple[float, np.ndarray]:
    m = lw.Model("heap", gravity=(0, 0, -9.81))
    balls = [m.add(f"ball{i}", lw.Body.sphere(RADIUS, density=1000, position=p))
             for i, p in enumerate(places(n))]  # fmt: skip
    ground = [{"kind": "plane", "normal": a, "position": p} for a, p in walls(n)]
    m.add("walls", lw.Contact(balls, lw.GROUND, hard=True, friction=0.5, ground=ground))
    m.add("balls", lw.Contact(balls, hard=True, friction=0.5))
    method = lw.Moreau(tolerance=1e-3, sweeps=50)
    run = lw.transient(m, t=END, h=STEP, method=method, every=50, progress=False)
    return float(run.info["cpu_seconds"]), run.motion[-1, :, :3]


def with_mujoco(n: int, solver: str = "Newton") -> tuple[float, np.ndarray]:
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver.upper()}")
    spec.option.timestep, spec.option.gravity = STEP, [0, 0, -9.81]
    spec.memory = 2**29
    for a, p in walls(n):
        turn = np.zeros(4)
        mujoco.mju_quatZ2Vec(turn, np.array(a, float))
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=p, quat=turn,
                                friction=[0.5, 0.005, 0.0001])  # fmt: skip
    for p in places(n):
        body = spec.worldbody.add_body(pos=p)
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0], density=1000,
                      friction=[0.5, 0.005, 0.0001], condim=3)  # fmt: skip
    model = spec.compile()
    data = mujoco.MjData(model)
    began = time.process_time()
    for _ in range(round(END / STEP)):
        mujoco.mj_step(model, data)
    return time.process_time() - began, data.xpos[1:].copy()


def depth(place: np.ndarray) -> tuple[float, int]:
    """Largest depth of two balls over the diameter, and how many pairs touch."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(place).query_pairs(2 * RADIUS, output_type="ndarray")
    apart = np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1)
    return float((1 - apart / (2 * RADIUS)).max(initial=0.0)), len(pairs)


def main(n: int) -> None:
    with_linkwork(2)  # compiles
    runs: dict[str, Callable[[int], tuple[float, np.ndarray]]] = {
        "linkwork": with_linkwork, "MuJoCo, CG": lambda n: with_mujoco(n, "CG"),
        "MuJoCo, Newton": with_mujoco,
    }  # fmt: skip
    for name, run in runs.items():
        seconds, place = run(n)
        worst, pairs = depth(place)
        print(f"{name:14s} {n**3} balls: {1e3 * seconds * STEP / END:.2f} ms a step, {pairs} "
              f"pairs, deepest {100 * worst:.2f} % of the diameter")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
