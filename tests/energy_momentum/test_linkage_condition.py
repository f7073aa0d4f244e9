"""The condition numbers of the six-body linkage in [B], table V, at t = 0.04 s.

[B] is P. Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.4.
"""

import numpy as np
import pytest
from dense_directors import DenseDirectors
from dense_null_space import Dense, matrix
from example_scripts import load_example
from scipy.linalg import block_diag

import linkwork as lw

# one row of the ring depends on the others, and body 3 turns by 0.52 rad in a step of 0.01 s
pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
TIME, LAST = 0.04, 4  # the last steps to that time, all there are at h = 0.01 s
Z = 2  # the row of the last hinge that is left out
CONSTRAINED = {1e-2: "1.6e+05", 1e-3: "1.5e+08", 1e-4: "1.5e+11"}
REDUCED = {1e-2: 19, 1e-3: 10, 1e-4: 58}


def ring_of_six():
    """Body 0 is a body too, welded to the ground, with twelve coordinates and rows of its own."""
    ring = load_example("six_body_linkage")
    m = lw.Model("ring of six", gravity=(0, 0, -9.81))
    bodies = [m.add(f"body {k}", ring.tetrahedron(k)) for k in range(6)]
    m.add("weld", lw.Fixed(lw.GROUND, bodies[0], at=bodies[0].position))
    for k in range(1, 7):
        a, b, rate = bodies[k - 1], bodies[k % 6], 30 if k == 1 else None
        at, axis = ring.CORNERS[k % 6], ring.HINGES[k % 6]
        m.add(f"hinge {k}", lw.Revolute(a, b, at=at, axis=axis, rate=rate))
    return m


def dense_condition(motion, h, principal):
    dense = DenseDirectors(ring_of_six(), motion, h, left_out=Z, principal=principal)
    for _ in range(LAST):
        dense.step()
    return np.linalg.cond(dense.matrix)


@pytest.mark.parametrize("h", CONSTRAINED)
def test_constrained_scheme(h):
    """To the two digits of [B], with its rows and body 0 among the bodies; the same computation
    with linkwork's rows has the condition number that linkwork has."""
    before, model = TIME - LAST * h, ring_of_six()
    method = lw.EnergyMomentum(reduced=False, condition_number=True)
    way = None
    if before > h / 2:
        way = lw.transient(model, before, h, lw.EnergyMomentum(), every=10**6, progress=False)
    run = lw.transient(model, TIME, h, method, start=way, every=LAST, progress=False)
    start, found = run.motion[0], float(run.diagnostics["condition_number"][-1])
    assert run.info["steps"] == LAST
    assert f"{dense_condition(start, h, principal=True):.1e}" == CONSTRAINED[h]
    assert found == pytest.approx(dense_condition(start, h, principal=False), rel=1e-6)
    assert found == pytest.approx(float(CONSTRAINED[h]), rel=0.06)


@pytest.mark.parametrize("h", REDUCED)
def test_reduced_scheme_with_all_hinge_angles(h):
    """[B] solves for five hinge angles: one equation of motion, weighted with the null vector of
    length one of the closure, above four closure rows.  19 and 10 to the digits of [B], without the
    derivative of the null space; of 58 no more than the order of size: 65.5."""
    ring = load_example("six_body_linkage")
    run = lw.transient(ring.build(), TIME, h, lw.EnergyMomentum(), progress=False)
    dense = Dense(ring.build(), run.motion[0], h)
    places = [(q[:, :3], np.array([matrix(x) for x in q[:, 3:7]])) for q in run.motion[-2:]]
    (r0, D0), (r1, D1) = places
    mean = 0.5 * (r0 + r1), 0.5 * (D0 + D1)
    P, F = dense.open(*mean), dense.open(r1, D1)
    E = 0.5 * np.trace(ring.tetrahedron(0).inertia) * np.eye(3) - ring.tetrahedron(0).inertia
    directors = np.linalg.eigh(E)[1][:, :2]  # of body 0, those with the smaller Euler moments

    def closure(r, D, columns):
        rows = dense.closure_jacobian(r, D) @ columns
        return np.vstack([rows[:Z], directors.T @ rows[3:]])

    null = np.linalg.svd(closure(*mean, P))[2][-1]
    blocks = [block_diag(m, E) for m, E in zip(dense.mass, dense.E)]
    motion = null @ P.T @ (2 / h * np.kron(block_diag(*blocks), np.eye(3))) @ F
    found = np.linalg.cond(np.vstack([motion, closure(r1, D1, F)]))
    if h == 1e-4:
        assert found == pytest.approx(REDUCED[h], rel=0.15)
    else:
        assert round(found) == REDUCED[h]
