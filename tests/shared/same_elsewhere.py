"""The same mechanism elsewhere and in other units, run so that only round-off remains."""

import numpy as np
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.extend import rotations

TIGHT = lw.GeneralizedAlpha(0.8, tolerance=1e-12)
SAME = 1e-9  # of lengths of size one


def run(model, t=0.5, h=2e-3, every=25, method=TIGHT, **options):
    return lw.transient(model, t, h, method, every=every, progress=False, **options)


def turned(q):
    """World axes from body axes, over time."""
    return rotations.matrix(np.asarray(q))


def same_turn(q, p, atol=SAME):
    """Quaternions of the same rotations (their sign does not matter)."""
    np.testing.assert_allclose(turned(q), turned(p), atol=atol)


class World:
    """Where and in which units the mechanism is described: x → length (Q x + shift)."""

    def __init__(self, turn=None, shift=(0, 0, 0), length=1.0, mass=1.0):
        self.Q = np.eye(3) if turn is None else turn.as_matrix()
        self.shift, self.L, self.M = np.asarray(shift, float), length, mass

    def point(self, x):
        return self.L * (self.Q @ x + self.shift)

    def direction(self, x):
        return self.Q @ np.asarray(x, float)

    def axes(self, z, angle=0.0):
        """Axes with this z axis, turned with the world."""
        R = Rotation.align_vectors([z], [(0, 0, 1)])[0].as_matrix()
        return self.Q @ R @ Rotation.from_euler("z", angle).as_matrix()

    @property
    def force(self):
        return self.M * self.L

    @property
    def moment(self):
        return self.M * self.L**2
