"""What the compiled steps work on, made from a system and a state."""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import NODE, QUAT, ROT, STRIDE
from linkwork.kernels import rotations
from linkwork.kernels.registers.eights import zeros8
from linkwork.nullspace import assembly as asm
from linkwork.nullspace.assembly import Motion, Scheme
from linkwork.nullspace.constraints import tree as tr
from linkwork.nullspace.constraints.rows import Rows, left_out_rows, make_rows
from linkwork.nullspace.constraints.tree import Tree, coordinates, make_tree
from linkwork.nullspace.forces import Forces, make_forces
from linkwork.nullspace.prediction import HIGHEST, LEARNED
from linkwork.system.data import Data
from linkwork.system.evaluate import set_rotations

GROWTH = 1e8  # largest multiplier in the elimination before pivots are chosen anew


class Parts:
    """The rows, forces and tree of a system, and its motion."""

    def __init__(self, data: Data, motion: np.ndarray, h: float, method) -> None:
        system = data.system
        self.data = data
        self.rows: Rows = make_rows(data)
        self.left: Rows = left_out_rows(data)
        self.forces: Forces = make_forces(data)
        self.tree: Tree = make_tree(system)
        self.motion = make_motion(data, self.tree, motion)
        self.scheme = Scheme(self.forces, self.rows, self.left, self.tree, self.motion)
        s = self.motion.settings
        s[asm.STEP], s[asm.TOLERANCE], s[asm.MAX_ITERATIONS] = h, method.tolerance, (
            method.max_iterations
        )  # fmt: skip
        s[asm.LENGTH], s[asm.MASS], s[asm.GROWTH] = system.length, system.mass, GROWTH


def euler_table(data: Data) -> np.ndarray:
    """Mass and Euler tensor E = ½ tr(J) I − J in body axes, (bodies, 10)."""
    table = data.tables.bodies.copy()
    J = table[:, 1:].reshape(-1, 3, 3)
    half = 0.5 * np.trace(J, axis1=1, axis2=2)
    table[:, 1:] = (half[:, None, None] * np.eye(3) - J).reshape(-1, 9)
    return table


def make_motion(data: Data, tree: Tree, motion: np.ndarray) -> Motion:
    n, rows = data.system.bodies, data.rows
    base = np.zeros((n + 1, NODE))
    base[:n, :7] = motion[:, :7]
    base[n, QUAT] = 1.0
    set_rotations(base)
    coordinate = coordinates(tree, motion)
    tr.place_tree(tree, tr.Poses(coordinate, base))
    velocity = np.zeros((n + 1, 12))
    velocity[:n, :3] = motion[:, 7:10]
    R = base[:n, ROT : ROT + 9].reshape(-1, 3, 3)
    velocity[:n, 3:] = (R @ rotations.tilde(motion[:, 10:13])).reshape(-1, 9)
    return Motion(
        base=base,
        end=base.copy(),
        mean=np.zeros((n + 1, 12)),
        velocity=velocity,
        coordinate=coordinate,
        trial=coordinate.copy(),
        past=zeros8(HIGHEST * n * STRIDE).reshape(HIGHEST, n, STRIDE),
        rate=zeros8((n + 1) * STRIDE).reshape(n + 1, STRIDE),
        learned=np.zeros(LEARNED),
        delta=np.zeros((n + 1, 6)),
        residual=np.zeros((n + 1, 12)),
        wrench=np.zeros((n + 1, 6)),
        euler=euler_table(data),
        mu=np.zeros((5, rows + 1)),
        C=np.zeros(rows + 1),
        rhs=np.zeros(data.unknowns),
        work=np.zeros(2),
        taken=np.zeros(2),
        settings=np.zeros(asm.SETTINGS),
        report=np.zeros(4),
    )
