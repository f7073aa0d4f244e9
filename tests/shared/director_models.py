"""Mechanisms for the tests of energy-momentum steps: two bodies, coils, a redundant four-bar."""

import numpy as np
from scipy.spatial.transform import Rotation

import linkwork as lw


def two_bodies():
    m = lw.Model("two bodies", gravity=(0, 0, -9.81))
    a = m.add("a", lw.Body(2, (0.1, 0.2, 0.15), position=(0.5, 0, 0)))
    J = np.array([[0.1, 0.02, 0], [0.02, 0.12, 0.01], [0, 0.01, 0.09]])
    b = m.add("b", lw.Body(1, J, position=(1.4, 0.1, 0)))
    return m, a, b


def torsion():
    m, a, b = two_bodies()
    pin = m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    sleeve = m.add("sleeve", lw.Cylindrical(a, b, at=(1, 0, 0), axis=(1, 0.3, 0.2)))
    m.add("coil", lw.TorsionSpring(pin, stiffness=20, angle=0.3))
    m.add("damped coil", lw.TorsionSpring(sleeve, stiffness=5, damping=0.1))
    return m


def four_bar(axis=(0, 1, 0)):
    """Four hinges in space: of the last one's five rows three are redundant."""
    R = Rotation.align_vectors([axis], [(0, 1, 0)])[0].as_matrix()
    A, B, C, D = np.array([(0, 0, 0), (0, 0, 1), (2, 0, 1.6), (1.8, 0, 0)]) @ R.T
    m, y = lw.Model("four-bar", gravity=R @ (0, 0, -9.81)), axis
    crank = m.add("crank", lw.Body.link(A, B, radius=0.05, mass=1))
    coupler = m.add("coupler", lw.Body.link(B, C, radius=0.05, mass=2))
    rocker = m.add("rocker", lw.Body.link(D, C, radius=0.05, mass=1.5))
    m.add("A", lw.Revolute(lw.GROUND, crank, at=A, axis=y, rate=4))
    m.add("B", lw.Revolute(crank, coupler, at=B, axis=y))
    m.add("C", lw.Revolute(coupler, rocker, at=C, axis=y))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=D, axis=y))
    return m
