"""The tangent that staged methods write for the inertia of bodies, against central differences."""

import numpy as np
import pytest
from inside import assemble_model, evaluate, method_run

import linkwork as lw
from linkwork.elements.layout import COEFS
from linkwork.extend import STRIDE, rotations
from linkwork.integrators.first_order import stages as sg
from linkwork.integrators.second_order import stepper as sp

WHOLE, THIN, DISC = (0.3, 0.4, 0.5), (0.5, 0.5, 0.01), (0.25, 0.3, 0.5)


def spinning(inertia):
    """A body on a pin that turns by some 0.6 radians in a step of 0.1."""
    m, w = lw.Model("spinning"), np.array([1.5, -2.0, 5.0])
    arm = np.array([0.1, 0.2, 0.3])
    body = lw.Body(2, inertia, position=arm, angular_velocity=w, velocity=np.cross(w, arm))
    m.add("body", body)
    m.add("pin", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
    return m


def residual(run, x, matrix=False):
    """Of the body at x in the next stage without forces; or the block of its rotation."""
    data, s = run.data, run.stepper
    s.p[0, 3:6] = x
    sg.place(s, run.fast, data.tables, data.work, True)
    data.work.gamma[:] = 0.0
    data.work.coef[:COEFS] = (0, 0, 1, 0, 0, 0, 1)
    evaluate(data.equations, 0.0, 1 / s.settings[sp.MASS])
    if not matrix:
        return data.work.f[0, 3:].copy()
    rows = data.work.vals[data.tables.blocks[0] :][: 6 * STRIDE].reshape(6, STRIDE)
    return rows[3:, 3:6] * s.settings[sp.MASS] * s.settings[sp.CA]


@pytest.mark.parametrize("inertia", [WHOLE, THIN, DISC], ids=["whole", "thin", "disc"])
@pytest.mark.parametrize("method", [lw.MS2(), lw.SS3(), lw.DIRK33()], ids=str)
def test_inertia_tangent_is_the_derivative(method, inertia):
    assembled = assemble_model(spinning(inertia))
    run = method_run(method, assembled.full, assembled.data, assembled.state, 0.1)
    run._guess()
    x = run.stepper.p[0, 3:6] + np.array([0.05, -0.03, 0.02])
    found = residual(run, x, matrix=True)
    expected = np.empty((3, 3))
    turned, e = rotations.exponential(x), 1e-6
    for k, theta in enumerate(e * np.eye(3)):
        ends = [rotations.logarithm(rotations.multiply(turned, rotations.exponential(t)))
                for t in (theta, -theta)]  # fmt: skip
        expected[:, k] = (residual(run, ends[0]) - residual(run, ends[1])) / (2 * e)
    assert np.abs(found - expected).max() < 2e-8 * np.abs(expected).max()
