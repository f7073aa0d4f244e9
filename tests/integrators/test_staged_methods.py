"""Staged methods measured as they step: errors, spectral radius, order, restart, rho.

Every method of the catalogue's STAGED is walked; a new one is tested without being named here.
"""

import numpy as np
import pytest
from inside import STAGED, assemble_model, method_from_text, method_run, step_rows
from staged_problems import (
    EVERY,
    STEPS_FOR,
    double_pendulum,
    end_of,
    exact,
    heavy_top,
    oscillator,
    reference,
)

import linkwork as lw
from linkwork.extend import STEPS
from linkwork.integrators.first_order.methods import Tunable
from linkwork.integrators.first_order.stages import FILTER, RATE, SPEED, XDOT, X


def advance(run, times):
    out = step_rows(run.data.system, 0)
    run.advance(times, run.data.schedule(times), np.full(len(times), -1), out)


# --------------------------------------------------------------------------------- published errors

# |x(10) − exact| of ẍ + 4x = 0, x = ẋ = 1, rho = 0.6, with h = 0.1 and 0.05: the case of section
# 5.1 of Zhang, Zhang, Xing and Masarati (2020); numbers of an independent script.  The k-step
# methods are started with exact values.
ERRORS = {
    lw.Bathe: (1.519e-2, 3.871e-3), lw.MSSTC3: (5.788e-3, 1.453e-3),
    lw.MSSTC4: (3.124e-3, 7.829e-4), lw.MSSTC5: (1.963e-3, 4.916e-4),
    lw.MSSTH3: (1.310e-3, 1.741e-4), lw.MSSTH4: (1.710e-4, 9.665e-6),
    lw.MSSTH5: (1.542e-6, 5.102e-8), lw.MS2: (5.203e-2, 1.371e-2),
    lw.MS3: (4.704e-2, 1.231e-2), lw.MS4: (4.567e-2, 1.198e-2),
}  # fmt: skip


def oscillator_run(method, h, start=0.0):
    assembled = assemble_model(oscillator(4.0, *exact(start)))
    return method_run(method, assembled.full, assembled.data, assembled.state, h)


@pytest.mark.parametrize("cls", ERRORS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("step", [0, 1])
def test_published_errors(cls, step):
    h, method = (0.1, 0.05)[step], cls(0.6, tolerance=1e-12)
    past = method.past if method.kind == STEPS else 1
    run = oscillator_run(method, h, start=(past - 1) * h)
    states = [oscillator_run(method, h, start=(past - 2 - j) * h).state() for j in range(past - 1)]
    if states:
        run.remember(states)
    advance(run, h * np.arange(1, round(10 / h) - past + 2))
    error = run.state()["b"].position[0] - exact(10.0)[0]
    assert abs(error) == pytest.approx(ERRORS[cls][step], rel=6e-4)  # four digits are printed


# ---------------------------------------------------------------------------------- spectral radius


def amplification(method, frequency):
    """Matrix of one step (a pair for hope) for a body on a spring, from its steps themselves."""
    assembled = assemble_model(oscillator(frequency**2, 0.0, 0.0))
    run = method_run(method, assembled.full, assembled.data, assembled.state, 1.0)
    advance(run, np.arange(1.0, 11.0))  # beyond the start
    M, base = run.stages.memory, run.stepper.base
    entries = [(SPEED, 0), (RATE, 0)]
    if method.kind == STEPS:
        entries += [(row, j) for j in range(1, method.past) for row in (X, SPEED, RATE)]
    if method.kind == FILTER:
        entries += [(row, j) for j in range(1, method.past) for row in (XDOT, RATE)]
    scale = {X: 1.0, XDOT: frequency, SPEED: frequency, RATE: frequency**2}
    columns = []
    for column in range(1 + len(entries)):
        snapshot = run.snapshot()
        M[:], base[0, :3] = 0.0, 0.0
        if column == 0:
            base[0, 0] = 1.0
        else:
            row, slot = entries[column - 1]
            M[row, slot, 0, 0] = scale[row]
            if row == SPEED:
                M[XDOT, slot, 0, 0] = scale[row]
        run.stepper.history[:, 0, :6] = 0.0
        advance(run, run.time + np.arange(1.0, 3.0 if type(method) is lw.Hope else 2.0))
        columns.append([base[0, 0], *(M[row, j, 0, 0] / scale[row] for row, j in entries)])
        run.recover(snapshot)
    return np.array(columns).T


@EVERY
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9])
def test_spectral_radius_at_infinity(cls, rho):
    """A k-step method has a k-fold root −rho there, so its eigenvalues are right to ε^(1/k)."""
    tunable = issubclass(cls, Tunable)
    if not tunable and rho:
        return
    method = cls(rho, tolerance=1e-14) if tunable else cls(tolerance=1e-14)
    expected = 1.0 if cls is lw.CrankNicolson else rho
    fold = method.past if method.kind == STEPS else method.past - 1 if method.kind == FILTER else 1
    found = np.abs(np.linalg.eigvals(amplification(method, 1e5))).max()
    assert found == pytest.approx(expected, abs=(0.002, 0.002, 0.02, 0.08, 0.12)[fold])


@EVERY
def test_no_growth_at_any_frequency(cls):
    for frequency in (0.01, 0.3, 1.0, 3.0, 10.0, 300.0):
        radius = np.abs(np.linalg.eigvals(amplification(cls(tolerance=1e-14), frequency))).max()
        assert radius < 1 + 1e-6, frequency


# -------------------------------------------------------------------------------------------- order


def observed_orders(make, method, steps):
    truth, errors = reference(make), np.zeros((2, 3))
    for row, h in zip(errors, steps, strict=True):
        found = end_of(make(), method, h)
        row[:] = [np.abs(a - b).max() for a, b in zip(found, truth, strict=True)]
    return np.log2(errors[0] / errors[1]), errors


@EVERY
@pytest.mark.parametrize("make", [heavy_top, double_pendulum])
def test_order_with_rotations_and_constraints(cls, make):
    """Positions, velocities and reactions, all with the declared order."""
    method = cls(tolerance=1e-11)
    steps = (4e-2, 2e-2) if method.order == 5 and make is heavy_top else STEPS_FOR[method.order]
    orders, errors = observed_orders(make, method, steps)
    assert np.all(orders[:2] > method.order - 0.25), (orders, errors)
    assert np.all(orders[:2] < method.order + 0.6), (orders, errors)
    assert orders[2] > method.order - 0.45, (orders, errors)  # of two errors, their signs differ


@pytest.mark.parametrize("cls", [c for c in STAGED if not c().stabilized], ids=lambda c: c.__name__)
def test_order_when_stabilized(cls):
    method = cls(stabilized=True, tolerance=1e-11)
    orders, errors = observed_orders(double_pendulum, method, STEPS_FOR[method.order])
    assert np.all(orders > method.order - 0.25), (orders, errors)


@pytest.mark.parametrize("cls", [c for c in STAGED if c().stabilized], ids=lambda c: c.__name__)
def test_why_they_are_stabilized(cls):
    """With positions alone (index 3) stage order two leaves order two, in forces one or none."""
    method = cls(stabilized=False, tolerance=1e-11)
    orders, errors = observed_orders(double_pendulum, method, (1e-2, 5e-3))
    assert np.all(orders[:2] > 1.6) and np.all(orders[:2] < 2.6), (orders, errors)
    assert orders[2] < 1.5, (orders, errors)


@EVERY
def test_constraints_hold(cls):
    run = lw.transient(double_pendulum(), t=0.5, h=5e-3, method=cls(), progress=False)
    assert float(run.violation.position.max()) < 1e-8
    if cls().stabilized:
        assert float(run.violation.position.max()) < 2e-12
        assert float(run.violation.velocity.max()) < 1e-11


@EVERY
def test_motion_laws_at_the_stages(cls):
    """A crank driven unevenly: positions are those of kinematics, velocities follow."""
    m = lw.Model("driven", gravity=(0, 0, -9.81))
    crank = m.add("crank", lw.Body(1, (0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    law = lw.polynomial([0, 1.0, 2.0, -1.5])
    m.add("motor", lw.Motor(lw.GROUND, crank, at=(0, 0, 0), axis=(0, 1, 0), angle=law))
    method = cls(tolerance=1e-12)
    run = lw.transient(m, t=0.5, h=5e-3, method=method, progress=False)
    truth = lw.kinematics(m, t=0.5, h=5e-3, progress=False)
    gap = np.abs(run["crank"].position.values - truth["crank"].position.values).max()
    assert gap < 1e-8
    speed = np.abs(run["crank"].velocity.values[-1] - truth["crank"].velocity.values[-1]).max()
    assert speed < (2e-2 if method.order == 1 else 2e-4)


# ---------------------------------------------------------------------------------- restart and rho


@EVERY
def test_restart_with_the_same_digits(cls, tmp_path):
    whole = lw.transient(double_pendulum(), t=0.4, h=1e-2, method=cls(), progress=False)
    part = lw.transient(double_pendulum(), t=0.15, h=1e-2, method=cls(), progress=False)
    part.save(tmp_path / "part.nc")
    rest = lw.resume(tmp_path / "part.nc", t=0.4, progress=False)
    assert np.array_equal(rest["body"].position.values[-1], whole["body"].position.values[-1])
    assert np.array_equal(rest["pin"].force.values[-1], whole["pin"].force.values[-1])


TUNABLE = [c for c in STAGED if issubclass(c, Tunable)]


@pytest.mark.parametrize("cls", TUNABLE, ids=lambda c: c.__name__)
def test_rho_as_a_drive(cls):
    """A constant drive gives the digits of the number; a changing one keeps the order."""
    number = end_of(double_pendulum(), cls(0.5), 1e-2, t=0.2)
    drive = end_of(double_pendulum(), cls(lw.constant(0.5)), 1e-2, t=0.2)
    assert all(np.array_equal(a, b) for a, b in zip(number, drive, strict=True))
    changing = cls(lw.ramp(1.0, start=0) * 1.6 + 0.1, tolerance=1e-11)
    order = changing.order
    orders, errors = observed_orders(double_pendulum, changing, STEPS_FOR[order])
    assert np.all(orders[:2] > order - 0.35), (orders, errors)
    again = method_from_text(repr(changing))
    assert again == changing and again.radius(0.25) == changing.radius(0.25)


def test_rho_leaves_its_range():
    with pytest.raises(lw.ModelError, match="between 0 and 1"):
        lw.MS2(1.2)
    with pytest.raises(lw.ModelError, match="between 0 and 1"):
        lw.transient(oscillator(4.0), t=2, h=0.1, method=lw.MS2(lw.ramp(1.0)), progress=False)


def test_bad_words():
    with pytest.raises(lw.ModelError, match="test of MS2 must be one of"):
        lw.MS2(test="maximum")
    with pytest.raises(lw.ModelError, match="order of BDF must be 1 or 2"):
        lw.BDF(3)
    assert lw.BDF(1).order == 1


def test_bdf_of_order_one_is_implicit_euler():
    ends = [end_of(double_pendulum(), m, 1e-2, t=0.2) for m in (lw.BDF(1), lw.ImplicitEuler())]
    assert all(np.array_equal(a, b) for a, b in zip(*ends, strict=True))
