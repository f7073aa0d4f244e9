"""Random trees and loops with the energy-momentum method: both schemes give one motion, the
energy balance closes, and all joints hold."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recursive_models import loops, polygon
from scipy.spatial.transform import Rotation

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
FEW = settings(
    max_examples=12, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
JOINTS = (
    lw.Revolute, lw.Prismatic, lw.Cylindrical, lw.Spherical, lw.Planar, lw.Universal, lw.Fixed,
    lw.PointOnLine, lw.PointOnPlane, lw.Homokinetic, lw.Oldham,
)  # fmt: skip
NUMBERS = st.integers(0, 2**32 - 1)


def add_body(m, rng, place, mass=1.0):
    """Inertia of any body: axes are not principal, and no moment exceeds the sum of the others."""
    x = rng.normal(size=(3, 3))
    x = 0.1 * x @ x.T + 0.05 * np.eye(3)
    J = np.trace(x) * np.eye(3) - x
    return m.add(f"body {len(m.items)}", lw.Body(
        mass, J, position=place, orientation=Rotation.random(random_state=rng),
        angular_velocity=rng.normal(size=3), velocity=rng.normal(size=3)))  # fmt: skip


def add_forces(m, rng, bodies):
    """A spring, one that takes energy out, and a torque that brings some in."""
    a, b = bodies[0], bodies[-1]
    m.add("spring", lw.Spring(
        lw.GROUND, b, at_a=3 * rng.normal(size=3), stiffness=20, length=0.5))  # fmt: skip
    if a is not b:
        m.add("damper", lw.Spring(a, b, stiffness=5, length=0.3, damping=2))
    m.add("torque", lw.Torque(b, rng.normal(size=3), drive=lw.sine(1, 3)))


@st.composite
def trees(draw):
    """Up to five bodies, each on the ground, on an earlier one or on nothing; joints either way."""
    rng = np.random.default_rng(draw(NUMBERS))
    m = lw.Model("tree", gravity=3 * rng.normal(size=3))
    bodies = []
    for _ in range(draw(st.integers(1, 5))):
        parent = draw(st.sampled_from([lw.GROUND, None, *bodies]))
        body = add_body(m, rng, 2 * rng.normal(size=3), rng.uniform(0.5, 3))
        bodies.append(body)
        if parent is not None:
            pair = (parent, body) if draw(st.booleans()) else (body, parent)
            kind = draw(st.sampled_from(JOINTS))
            at, axis = rng.normal(size=3), rng.normal(size=3)
            m.add(f"joint {len(m.items)}", kind(*pair, at=at, axis=axis))
    if draw(st.booleans()):
        add_forces(m, rng, bodies)
    return m


@st.composite
def thin_loops(draw):
    """Loops of thin bars, some with a spring that takes energy out."""
    m = draw(loops(radius=0.02))
    if draw(st.booleans()):
        bars = [x for x in m.items.values() if isinstance(x, lw.Body)]
        m.add("spring", lw.Spring(bars[0], bars[2], stiffness=30, length=1, damping=1))
    return m


def check(model, steps=20, h=1e-2):
    runs = [
        lw.transient(model, steps * h, h, lw.EnergyMomentum(reduced=r), progress=False)
        for r in (True, False)
    ]
    a, b = runs
    size = 1 + np.abs(b.motion).max(axis=(0, 1))
    assert np.abs((a.motion - b.motion) / size).max() < 1e-9
    for run in runs:
        e = run.energy
        scale = 1 + max(float(np.abs(x).max()) for x in (e.kinetic, e.potential, e.supplied))
        assert np.abs(e.balance.values).max() < 1e-11 * scale
        assert run.violation.position.values.max(initial=0) < 1e-12 * (1 + size[:3].max())


@FEW
@given(trees())
def test_trees(model):
    check(model)


@FEW
@given(thin_loops())
def test_loops(model):
    check(model)


@pytest.mark.parametrize("tilt", [0.0, 0.004, 0.1])
def test_rows_left_out_are_chosen_well(tilt):
    """A ball and three hinges: one row too many, along the plane's normal.  The core leaves out the
    third row of a hinge, its z axis, which is that normal; here that row is the world's z axis, and
    without it the loop in an upright plane would be held by a pivot as small as the tilt."""
    from inside import beginning

    from linkwork.nullspace.constraints.rows import choose_rows, constraint_rows

    R = Rotation.from_euler("y", 90 - np.degrees(tilt), degrees=True).as_matrix()
    kinds = [lw.Spherical, lw.Revolute, lw.Revolute, lw.Revolute]
    model = polygon(kinds, [0.02, 0.27, 0.48, 0.77], R, (4, 5, -6), radius=0.02)
    full, data, state, _ = beginning(model, None, lw.EnergyMomentum())
    G = constraint_rows(full.system, state).Cq.csr.toarray()
    without = [np.delete(G, i, axis=0) for i in range(len(G))]
    best = max(np.linalg.svd(x, compute_uv=False)[-1] for x in without)
    kept = G[choose_rows(full, data, state).keep]
    assert len(kept) == len(G) - 1
    assert np.linalg.svd(kept, compute_uv=False)[-1] > 0.2 * best
    check(model)
