"""K_c in its main and projection parts (Peng et al. 2024), and what leaving it out of a run costs.

The parts are compared with central differences of the joint's wrenches, written here in numpy from
the paper's (36): the main part with the matrix P(ρ) held where it is, the projection part with P(ρ)
alone following the motion.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from drive_differences import central
from example_scripts import load_example
from inside import stiffness_parts
from sample_elements import moving, two_bodies

import linkwork as lw
from linkwork import compile_model
from linkwork.elements.joints.lock import QA, QB, QT, UA, UB
from linkwork.extend import rotations

mul, conj, matrix, tilde = (
    rotations.multiply, rotations.conjugate, rotations.matrix, rotations.tilde,
)  # fmt: skip


def lock_between_free_bodies(seed: int):
    """All six rows with laws, both bodies free, in a random violated state with random γ."""
    m, (a, b), rng = two_bodies(seed)

    def law():
        return lw.polynomial(rng.uniform(-0.5, 0.5, 4))

    drive = {"x": law(), "rotation": lw.rotation_vector(law(), law(), law())}
    m.add("lock", lw.Lock(a, b, at=rng.normal(size=3), axis=rng.normal(size=3), drive=drive))
    data = compile_model(m).data()
    return data, moving(data, rng)


def frames(data, state):
    """ρ_S, the driven marker less its law, places u_a and u_b on the bodies."""
    data.set_time(state.time)
    reals = data.tables.reals[data.system.places[0]]
    qa, qb = state.orientations
    driven = mul(mul(qb, reals[QB : QB + 4]), conj(reals[QT : QT + 4]))
    return mul(qa, reals[QA : QA + 4]), driven, reals[UA : UA + 3], reals[UB : UB + 3]


def projection_matrix(data, state):
    """P(ρ) of (C.1)."""
    main, driven, _, _ = frames(data, state)
    rho = mul(conj(main), driven)
    return (rho[0] * np.eye(3) + tilde(rho[1:])) / 2


def wrenches(data, state, P):
    """C_qᵀγ of (35), (36) with this P, bodies a and b."""
    main, _, _, ub = frames(data, state)
    S, (Ra, Rb), (ra, rb) = matrix(main), matrix(state.orientations), state.positions
    gamma = state.gamma
    F, G = S @ gamma[:3], S @ P @ gamma[3:]
    arm = rb + Rb @ ub - ra
    return np.concatenate([-F, -Ra.T @ (np.cross(arm, F) + G), F,
                           Rb.T @ (np.cross(Rb @ ub, F) + G)])  # fmt: skip


def differences(function, state):
    """∂f/∂q on the manifold, one column for each of twelve increments."""
    columns = []
    for j in range(12):
        step = np.zeros((2, 6))
        step.flat[j] = 1.0
        columns.append(central(lambda x, step=step: function(state.moved(x * step)), 0.0, 5e-3))
    return np.column_stack(columns)


@pytest.mark.parametrize("seed", range(6))
def test_parts_are_the_derivatives_with_and_of_the_projection(seed: int) -> None:
    data, state = lock_between_free_bodies(seed)
    main, projection = stiffness_parts(data, state)
    P = projection_matrix(data, state)
    given = data.evaluate(state).Cq.T @ state.gamma
    np.testing.assert_allclose(wrenches(data, state, P), given, rtol=0, atol=1e-12)
    held = differences(lambda s: wrenches(data, s, P), state)
    np.testing.assert_allclose(main, held, rtol=0, atol=1e-9)
    here = state
    turned = differences(lambda s: wrenches(data, here, projection_matrix(data, s)), state)
    np.testing.assert_allclose(projection, turned, rtol=0, atol=1e-9)
    whole = differences(lambda s: wrenches(data, s, projection_matrix(data, s)), state)
    np.testing.assert_allclose(main + projection, whole, rtol=0, atol=1e-9)


def test_blocks_that_the_paper_prints_as_zero() -> None:
    """(44) and (48), where bodies 1 and 2 are b and a here."""
    main, projection = (
        K.reshape(2, 2, 3, 2, 2, 3) for K in stiffness_parts(*lock_between_free_bodies(1))
    )
    assert not np.abs(projection[:, 0]).max() and not np.abs(projection[:, :, :, :, 0]).max()
    assert not np.abs(main[:, 0, :, :, 0]).max()  # forces do not depend on places
    assert not np.abs(main[:, 0, :, 1, 1]).max()  # nor on the driven body's turn (12, 32)
    assert not np.abs(main[1, 1, :, :, 0]).max()  # its torque not on places (21, 23)
    assert min(np.abs(main[0, 1, :, 1, 0]).max(), np.abs(projection[0, 1, :, 1, 1]).max()) > 0.1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_closed_fixed_joint_has_the_simple_form(seed: int) -> None:
    """After (49): F₁ and F₂ coincide, P = I/2 and G = −γ̃_m/4, so K_P = ∓ R_iᵀ (R_S γ_m)~ R_j/4."""
    m, (a, b), rng = two_bodies(seed)
    m.add("lock", lw.Lock(a, b, at=rng.normal(size=3), axis=rng.normal(size=3)))
    data = compile_model(m).data()
    state = replace(data.system.described_state(), gamma=rng.normal(size=6))
    projection = stiffness_parts(data, state)[1].reshape(2, 6, 2, 6)[:, 3:, :, 3:]
    S, R = matrix(frames(data, state)[0]), matrix(state.orientations)
    H = -tilde(S @ state.gamma[3:]) / 4
    for i, one in ((0, -1), (1, 1)):
        for j, other in ((0, -1), (1, 1)):
            exact = one * other * R[i].T @ H @ R[j]
            np.testing.assert_allclose(projection[i, :, j], exact, rtol=0, atol=1e-14)


def test_the_pendulum_hangs_on_the_main_part() -> None:
    """m g L against rotation about its pin; nothing of it is projection."""
    model = load_example("pendulum").build(30)
    rest = lw.static(model, progress=False)
    K = lw.constraint_stiffness(model, at=rest)
    about = np.array([*np.cross((0, 1, 0), (0, 0, -4.0)), 0, 1, 0])  # motion of a turn about y
    R = matrix(rest.state.orientations[0])
    about[3:] = R.T @ about[3:]
    assert about @ K.main @ about == pytest.approx(15 * 9.81 * 4, rel=1e-9)
    assert np.abs(K.projection).max() < 1e-6 and K.bodies == ("bob",)
    assert np.array_equal(K.total, K.main + K.projection)


def test_joints_add_up_and_all_constraints_count() -> None:
    """Universal joints: their perpendicular rows are in the main part."""
    model = load_example("anchor_chain").build(6)
    rest = lw.static(model, progress=False)
    whole = lw.constraint_stiffness(model, at=rest)
    names = [name for name in model.items if name.startswith(("joint", "end"))]
    parts = [lw.constraint_stiffness(model, at=rest, joint=name).total for name in names]
    np.testing.assert_allclose(sum(parts), whole.total, rtol=0, atol=1e-10)
    with pytest.raises(lw.ModelError, match="no constraints"):
        lw.constraint_stiffness(model, at=rest, joint="link 1")
    with pytest.raises(lw.ModelError, match="joint 7"):
        lw.constraint_stiffness(model, at=rest, joint="joint 7")


# ------------------------------------------------------------------------- the switch of transient


@pytest.mark.parametrize("kind", [lw.GeneralizedAlpha, lw.BDF2, lw.MS2])
def test_runs_without_it_take_more_iterations_to_the_same_motion(kind) -> None:
    """A pendulum of 4 m from 90° with 80 steps a swing; with 1e-11 of h² × acceleration (some
    1e-13 m) left in every step, velocities differ by 1e-13/h a step at most.  Constraints on
    positions alone: the equations of the step do not contain Newton's matrix then."""
    form = {} if kind is lw.MS2 else {"stabilized": False}
    method = kind(tolerance=1e-11, **form)
    model = load_example("pendulum").build(90)
    runs = [lw.transient(model, t=5, h=0.06, method=method, progress=False,
                         constraint_stiffness=kept) for kept in (True, False)]  # fmt: skip
    count = [float(run.diagnostics.iterations[1:].mean()) for run in runs]
    assert count[1] > count[0]
    np.testing.assert_allclose(runs[1].motion, runs[0].motion, rtol=0, atol=1e-8)
    assert [run.info["constraint_stiffness"] for run in runs] == [True, False]


@pytest.mark.parametrize("kind", [lw.GeneralizedAlpha, lw.BDF2])
def test_velocities_in_the_constraints_feel_it_two_orders_below_the_error(kind) -> None:
    """Their corrections p, of the order h³, lie in the span of S⁻¹C_qᵀ, and K_c is h² of S.  The
    error of the energy, which the pendulum keeps, falls with h², the difference with h⁴."""
    model = load_example("pendulum").build(90)
    off, error = [], []
    for h in (0.04, 0.02, 0.01):
        method = kind(tolerance=1e-13, stabilized=True)
        runs = [lw.transient(model, t=2, h=h, method=method, progress=False,
                             constraint_stiffness=kept) for kept in (True, False)]  # fmt: skip
        off.append(np.abs(runs[1].motion - runs[0].motion).max())
        energy = runs[1].energy.total.values / (15 * 9.81 * 4)
        error.append(np.abs(energy - energy[0]).max())
    for coarse, fine in pairwise(error):
        assert 3.4 < coarse / fine < 4.6
    for coarse, fine in pairwise(off):
        assert 12 < coarse / fine < 20
    assert off[-1] < 1e-3 * error[-1]


def test_corrections_shrink_by_the_factor_that_is_left_out() -> None:
    """Without K_c Newton's method converges linearly, with the factor K_c over the rest of the
    matrix, λ/(m ca) with λ = m g cos(angle)/L, ca = (1 − α_m)/((1 − α_f) β h²)."""
    h, rho = 0.2, 0.8
    model = load_example("pendulum").build(5)
    run = lw.transient(model, t=4, h=h, method=lw.GeneralizedAlpha(rho), progress=False,
                       constraint_stiffness=False)  # fmt: skip
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    beta = (1 + alpha_f - alpha_m) ** 2 / 4
    factor = 9.81 / 4 * beta * h * h * (1 - alpha_f) / (1 - alpha_m)
    expected = math.log(1e-8) / math.log(factor)  # from a first correction of h² × acceleration
    assert expected - 2 < float(run.diagnostics.iterations[2:].mean()) < expected + 2


@pytest.mark.parametrize("method", [lw.RK4(), lw.Recursive(), lw.EnergyMomentum()],
                         ids=lambda m: type(m).__name__)  # fmt: skip
def test_methods_without_the_switch_say_so(method) -> None:
    model = load_example("pendulum").build(90)
    with pytest.raises(lw.ModelError, match=f"method is {type(method).__name__}"):
        lw.transient(model, 1, 0.01, method, progress=False, constraint_stiffness=False)


def test_a_resumed_run_goes_on_without_it(tmp_path) -> None:
    model = load_example("pendulum").build(90)
    words = {"h": 0.05, "progress": False, "constraint_stiffness": False}
    lw.transient(model, t=1, **words).save(tmp_path / "run.nc")
    rest = lw.resume(tmp_path / "run.nc", t=2, progress=False)
    whole = lw.transient(model, t=2, **words)
    assert rest.info["constraint_stiffness"] is False
    assert np.array_equal(rest.motion[-1], whole.motion[-1])
