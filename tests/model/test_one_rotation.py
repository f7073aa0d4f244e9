"""Rotations one at a time round as those of arrays do: models have the same bits either way."""

import numpy as np
import pytest

from linkwork.extend import checks, rotations
from linkwork.model import one_rotation


def quaternions():
    rng = np.random.default_rng(7)
    q = rng.normal(size=(2000, 4))
    q[::5, 1:3] = 0.0  # about an axis
    q[::7, 0] = -0.0  # half turns
    q[::11] = (1.0, 0.0, -0.0, 0.0)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def same(a, b):
    assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_products_matrices_and_quaternions_have_the_same_bits():
    q = quaternions()
    product, R = rotations.multiply(q, q[::-1]), rotations.matrix(q)
    for k, each in enumerate(q):
        same(one_rotation.multiply(each, q[-1 - k]), product[k])
        same(one_rotation.matrix(each), R[k])
        same(one_rotation.from_matrix(R[k].tolist()), rotations.from_matrix(R[k]))
        same(one_rotation.unit(each), each / np.linalg.norm(each))


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e45])
def test_axes_of_joints_have_the_same_bits_as_with_products_of_arrays(size):
    for axis in size * np.random.default_rng(1).normal(size=(300, 3)):
        z = checks.direction(axis, "z")
        x = np.eye(3)[int(abs(z[0]) > 0.99)]
        x = x - (x @ z) * z
        x /= np.linalg.norm(x)
        expected = rotations.from_matrix(np.column_stack([x, np.cross(z, x), z]))
        same(checks.axes(axis, None, "a joint"), expected)
