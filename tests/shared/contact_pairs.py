"""Pairs of shapes in penetrated states, for tests of contact."""

from dataclasses import replace

import numpy as np

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

BOX = {"kind": "box", "size": (1.0, 0.8, 0.6)}
SPHERE = {"kind": "sphere", "radius": 0.4}
CAPSULE = {"kind": "capsule", "radius": 0.2, "length": 1.0}
CYLINDER = {"kind": "cylinder", "radius": 0.4, "length": 0.7}
PLANE = {"kind": "plane", "normal": (0.1, -0.2, 1.0)}
OCTAHEDRON = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
FACES = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
HULL = {"kind": "mesh", "vertices": OCTAHEDRON.tolist(), "convex": True}
MESH = {"kind": "mesh", "vertices": OCTAHEDRON.tolist(), "faces": FACES}
HILLS = {"kind": "heights", "size": (4.0, 4.0),
         "heights": [[0.1, 0.0, 0.2, 0.1], [0.0, 0.3, 0.1, 0.0], [0.2, 0.1, 0.0, 0.3],
                     [0.0, 0.1, 0.2, 0.0]]}  # fmt: skip

# shapes of a and b, where b is, how it is turned (rotation vector)
PAIRS = {
    "plane and sphere": (PLANE, SPHERE, (0, 0, 0.35), (0.3, 0, 0)),
    "plane and capsule": (PLANE, CAPSULE, (0, 0, 0.15), (1.5, 0.2, 0)),
    "plane and box": (PLANE, BOX, (0, 0, 0.2), (0.1, -0.2, 0.4)),
    "plane and cylinder upright": (PLANE, CYLINDER, (0, 0, 0.3), (0.02, 0.05, 0.4)),
    "plane and cylinder on its side": (PLANE, CYLINDER, (0, 0, 0.35), (1.6, 0.1, 0.0)),
    "plane and hull": (PLANE, HULL, (0, 0, 0.45), (0.6, 0.5, 0)),
    "spheres": (SPHERE, SPHERE, (0.3, 0.4, 0.5), (0.1, 0.2, 0.3)),
    "capsule and sphere": (CAPSULE, SPHERE, (0.3, 0.3, 0.2), (0, 0, 0)),
    "end of a capsule and sphere": (CAPSULE, SPHERE, (0.2, 0.2, 0.9), (0, 0, 0)),
    "crossing capsules": (CAPSULE, CAPSULE, (0.35, 0.1, 0.1), (1.2, 0.3, 0)),
    "parallel capsules": (CAPSULE, CAPSULE, (0.35, 0.05, 0.3), (0.0005, 0.0, 0)),
    "face of a box and sphere": (BOX, SPHERE, (0.1, 0.1, 0.6), (0, 0, 0)),
    "edge of a box and sphere": (BOX, SPHERE, (0.7, 0.1, 0.5), (0, 0, 0)),
    "corner of a box and sphere": (BOX, SPHERE, (0.65, 0.55, 0.45), (0, 0, 0)),
    "sphere inside a box": (BOX, SPHERE, (0.1, 0.05, 0.2), (0, 0, 0)),
    "edge of a box and capsule": (BOX, CAPSULE, (0.6, 0.1, 0.4), (0.2, 0.8, 1.0)),
    "corner of a box and capsule": (CAPSULE, BOX, (0.55, 0.35, 0.3), (0.6, 0.7, 0.2)),
    "boxes, face on face": (BOX, BOX, (0.3, 0.25, 0.55), (0.03, 0.02, 0.4)),
    "boxes, corner in a face": (BOX, BOX, (0.1, 0.05, 0.85), (0.6, 0.7, 0.2)),
    "boxes, face of the second": (BOX, BOX, (0.85, 0.05, 0.2), (0.6, 0.3, 0.1)),
    "boxes, edge on edge": (BOX, BOX, (0.75, 0.0, 0.6), (0.0, 0.8, 1.2)),
    "side of a cylinder and sphere": (CYLINDER, SPHERE, (0.5, 0.4, 0.1), (0, 0, 0)),
    "end of a cylinder and sphere": (CYLINDER, SPHERE, (0.1, 0.1, 0.7), (0, 0, 0)),
    "rim of a cylinder and sphere": (CYLINDER, SPHERE, (0.45, 0.35, 0.55), (0, 0, 0)),
    "face of a hull and sphere": (HULL, SPHERE, (0.5, 0.5, 0.5), (0, 0, 0)),
    "sphere inside a hull": (HULL, SPHERE, (0.2, 0.1, 0.3), (0, 0, 0)),
    "edge of a mesh and sphere": (MESH, SPHERE, (0.7, 0.7, 0.02), (0, 0, 0)),
    "corner of a mesh and sphere": (MESH, SPHERE, (0.02, 0.01, 1.3), (0, 0, 0)),
    "capsule and cylinder": (CYLINDER, CAPSULE, (0.5, 0.1, 0.1), (0.9, 0.3, 0)),
    "box and cylinder upright": (BOX, CYLINDER, (0.1, 0.05, 0.63), (0.02, 0.05, 0.4)),
    "crossing cylinders": (CYLINDER, CYLINDER, (0.7, 0.05, 0.1), (0.4, 1.1, 0.3)),
    "sides of cylinders": (CYLINDER, CYLINDER, (0.7, 0.05, 0.1), (0.6, 0.1, 0.0)),
    "side of a cylinder and hull": (CYLINDER, HULL, (0.95, 0.02, 0.1), (0.1, 0.7, 0.2)),
    "box and hull": (BOX, HULL, (0.1, 0.05, 1.2), (0.1, 0.05, 0.3)),
    "corner of a box in a mesh": (MESH, BOX, (0.55, 0.5, 0.6), (0.4, 0.5, 0.2)),
    "heights and sphere": (HILLS, SPHERE, (0.3, -0.2, 0.45), (0, 0, 0)),
    "heights and capsule": (HILLS, CAPSULE, (0.3, -0.2, 0.3), (1.5, 0.3, 0)),
}


def touching(pair, friction=0.3, flip=False, seed=0, **words):
    """System and state of two bodies that touch, in motion, with a path behind them."""
    rng = np.random.default_rng(seed)
    shape_a, shape_b, place, turn = PAIRS[pair]
    q0, r0 = rotations.exponential(rng.normal(size=3)), rng.normal(size=3)
    R0 = rotations.matrix(q0)
    m = lw.Model("pair")
    a = m.add("a", lw.Body(1, (1, 1, 1), position=r0, orientation=q0, shape=shape_a))
    b = m.add("b", lw.Body(
        1, (1, 1, 1), position=r0 + R0 @ np.array(place, float), shape=shape_b,
        orientation=rotations.multiply(q0, rotations.exponential(np.array(turn, float))),
    ))  # fmt: skip
    law = lw.laws.HuntCrossley(50.0, damping=0.2)
    ends = (b, a) if flip else (a, b)
    m.add("touch", lw.Contact(*ends, law=law, friction=friction, **words))
    data = compile_model(m).data()
    state = data.system.described_state()
    state = data.remember(state)
    step = 2e-3 * rng.normal(size=12)
    return data, state.moved(step).with_velocities(0.1 * rng.normal(size=(2, 6)))


def on_the_ground(pair, friction, seed=1, **words):
    """As touching, with the first shape fixed to the ground."""
    rng = np.random.default_rng(seed)
    plane, shape, place, turn = PAIRS[pair]
    m = lw.Model("pair")
    b = m.add("b", lw.Body(1, (1, 1, 1), position=place, shape=shape,
                           orientation=rotations.exponential(np.array(turn, float))))  # fmt: skip
    law = lw.laws.HuntCrossley(50.0, damping=0.2)
    m.add("touch", lw.Contact(b, lw.GROUND, law=law, friction=friction, ground=plane, **words))
    data = compile_model(m).data()
    state = data.remember(data.system.described_state())
    step = 2e-3 * rng.normal(size=6)
    return data, state.moved(step).with_velocities(0.1 * rng.normal(size=(1, 6)))


def still(state):
    return replace(state, motion=np.concatenate([state.motion[:, :7], 0 * state.motion[:, 7:]], 1))
