"""Derivatives of a system at a state, on the manifold, against central differences.

Of the residual along body-axis increments against K, D, C_q; along time against C_t; and the
second time derivative of C along a motion against Q_c.
"""

from dataclasses import replace

import numpy as np
from inside import ITEMS

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

STEP = 1e-5  # central differences: truncation 1e-10, round-off 1e-11 of the values


def sample_system(name, seed, prepare=None):
    """Two free bodies in a random place and motion, joined by a random item, or one beside them.

    prepare : what is done to the items before they come into the model
    """
    rng = np.random.default_rng(seed)
    m = lw.Model("sample")
    bodies = []
    for i in range(2):
        G = rng.normal(size=(3, 3))
        bodies.append(
            m.add(f"b{i}", lw.Body(
                mass=rng.uniform(1, 2), inertia=np.trace(G @ G.T) * np.eye(3) - G @ G.T,
                position=rng.normal(size=3), orientation=random_rotation(rng),
            ))  # fmt: skip
        )
    item = ITEMS[name].sample(rng, *bodies)
    if prepare is not None:
        prepare(item)
    if isinstance(item, list):  # an item that needs others (TorsionSpring its joint)
        for i, part in enumerate(item):
            m.add(f"item{i}", part)
    else:
        m.add("item", item)
    data = compile_model(m).data()
    state, n = data.system.described_state(time=0.4), data.system.bodies
    motion = state.motion.copy()
    motion[:, :3] += 0.3 * rng.normal(size=(n, 3))
    motion[:, 3:7] = rotations.multiply(
        motion[:, 3:7], rotations.exponential(0.6 * rng.normal(size=(n, 3)))
    )
    motion[:, 7:] = rng.normal(size=(n, 6))
    gamma = rng.normal(size=len(data.system.all_rows))
    acceleration = rng.normal(size=(n, 6))
    values = state.values + rng.normal(size=state.values.shape)
    return data, replace(
        state, motion=motion, acceleration=acceleration, gamma=gamma, values=values
    )


def random_rotation(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def close(found, expected, what):
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    error = np.abs(found - expected).max(initial=0.0) / scale
    assert error < 1e-7, f"{what}: relative error {error:.1e}"


def residuals(data, state):
    e = data.evaluate(state, tangent=False, rates=True)
    return e.residual, e.C


def check_stiffness_and_jacobian(data, state):
    n = data.system.motions
    K, J = np.empty((n, n)), np.empty((data.rows, n))
    for j in range(n):
        dx = np.zeros(n)
        dx[j] = STEP
        fp, Cp = residuals(data, state.moved(dx))
        fm, Cm = residuals(data, state.moved(-dx))
        K[:, j], J[:, j] = (fp - fm) / (2 * STEP), (Cp - Cm) / (2 * STEP)
    e = data.evaluate(state, cK=1.0)
    close(e.stiffness.toarray(), K, "stiffness")
    held = data.system.on_velocities  # there C_q is the derivative of the row by velocities
    if held.any():
        assert np.all(J[held] == 0) and np.all(e.C[held] == 0)
        J[held] = velocity_rows(data, state)[held]
    close(e.Cq.toarray(), J, "C_q")
    transposed = e.matrix.toarray()[:n, n:]
    assert np.array_equal(transposed, e.Cq.toarray().T)


def rows_of_velocity(data, state):
    """φ = A v + C_t: with as much D as K the rows are not divided by anything."""
    return data.evaluate(state, cK=1.0, cD=1.0, tangent=False, rates=True).C


def velocity_rows(data, state):
    """∂φ/∂v by differences."""
    v = state.rates
    columns = [
        rows_of_velocity(data, state.with_rates(v + d))
        - rows_of_velocity(data, state.with_rates(v - d))
        for d in STEP * np.eye(len(v))
    ]
    return np.array(columns).T / (2 * STEP)


def check_damping(data, state):
    n = data.system.motions
    D = np.empty((n, n))
    for j in range(n):
        dv = np.zeros(n)
        dv[j] = STEP
        v = state.rates
        fp, _ = residuals(data, state.with_rates(v + dv))
        fm, _ = residuals(data, state.with_rates(v - dv))
        D[:, j] = (fp - fm) / (2 * STEP)
    e = data.evaluate(state, cK=0.0, cD=1.0)
    close(e.stiffness.toarray(), D, "damping")


def check_mass(data, state):
    """M as the derivative of the residual by accelerations: also where it depends on positions."""
    n = data.system.motions
    M, rigid = np.empty((n, n)), data.system.layout.rigid

    def accelerated(da):
        values = state.values.copy()
        values[2] += da[rigid:]
        bodies = state.acceleration + da[:rigid].reshape(-1, 6)
        return replace(state, acceleration=bodies, values=values)

    for j in range(n):
        da = np.zeros(n)
        da[j] = 0.5
        fp, _ = residuals(data, accelerated(da))
        fm, _ = residuals(data, accelerated(-da))
        M[:, j] = fp - fm  # linear: no step is too long
    e = data.evaluate(state, cK=0.0, cM=1.0)
    close(e.stiffness.toarray(), M, "mass")


def check_rates(data, state):
    """C_t by differences in time; Q_c from C along r(t), R(t) with zero accelerations."""
    if not data.rows:
        return
    h, held = 1e-3, data.system.on_velocities
    check_velocity_rates(data, state, held)

    def C_along(t, moving):
        moved = state.moved(t * state.rates * moving)  # exp(tω): constant body-axis velocity
        return residuals(data, replace(moved, time=state.time + t))[1]

    e = data.evaluate(state, rates=True)
    fifth = [C_along(k * h, 0.0) for k in (-2, -1, 1, 2)]
    Ct = (fifth[0] - 8 * fifth[1] + 8 * fifth[2] - fifth[3]) / (12 * h)
    close(e.Ct[~held], Ct[~held], "C_t")
    h = 4e-3
    c = [C_along(k * h, 1.0) for k in range(-3, 4)]
    first = (-c[0] + 9 * c[1] - 45 * c[2] + 45 * c[4] - 9 * c[5] + c[6]) / (60 * h)
    close((e.Cq @ state.rates + e.Ct - first)[~held], 0.0, "dC/dt")
    second = (
        2 * c[0] - 27 * c[1] + 270 * c[2] - 490 * c[3] + 270 * c[4] - 27 * c[5] + 2 * c[6]
    ) / (180 * h * h)
    close(-e.Qc[~held], second[~held], "Q_c")


def check_velocity_rates(data, state, held, h=1e-3):
    """φ itself, and its time derivative at zero accelerations against Q_c."""
    e = data.evaluate(state, rates=True)
    close((e.Cq @ state.rates + e.Ct - rows_of_velocity(data, state))[held], 0.0, "φ")
    moved = [
        replace(state.moved(k * h * state.rates), time=state.time + k * h)
        for k in (-2, -1, 1, 2)
    ]
    c = [rows_of_velocity(data, s) for s in moved]
    close(-e.Qc[held], ((c[0] - 8 * c[1] + 8 * c[2] - c[3]) / (12 * h))[held], "Q_c")
