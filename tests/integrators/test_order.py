"""Observed order of every method against its declared order, on problems with exact solutions."""

import numpy as np
import pytest
from inside import METHODS, STAGED

import linkwork as lw
from linkwork.extend import LinearMethod

# IFToMM benchmark A01: point mass, L = 1 m, g = 9.81, from rest at (-1, 0); exact by elliptic
# functions, t = 1
PENDULUM = np.array([0.98629175113188, -0.16501085312554, 0.0])
# Free rigid body, I = (1, 2, 3), w0 = (.01, 1, .01): exact by elliptic functions, t = 10
TUMBLING = np.array([-0.87457344, 0.48499619, 0.50500122])

IMPLICIT = [
    pytest.param(method, id=repr(method))
    for stabilized in (False, True)
    for method in (
        lw.GeneralizedAlpha(0.0, stabilized=stabilized),
        lw.GeneralizedAlpha(0.5, stabilized=stabilized),
        lw.GeneralizedAlpha(0.9, stabilized=stabilized),
        lw.HHT(0.05, stabilized=stabilized),
        lw.HHT(1 / 3, stabilized=stabilized),
        lw.Newmark(0.6, stabilized=stabilized),
        lw.BDF2(stabilized=stabilized),
    )
]
IMPLICIT += [
    pytest.param(lw.GeneralizedAlpha(1.0, stabilized=True), id="rho=1 stabilized"),
    pytest.param(lw.Newmark(0.5, stabilized=True), id="trapezoidal stabilized"),
    pytest.param(lw.EnergyMomentum(), id="energy-momentum reduced"),
]


def pendulum():
    m = lw.Model("A01", gravity=(0, -9.81, 0))
    ball = m.add("ball", lw.Body(1, (0, 0, 0), position=(-1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, ball, at=(0, 0, 0), axis=(0, 0, 1)))
    return m


def tumbling():
    m = lw.Model("tumbling")
    m.add("body", lw.Body(1, (1, 2, 3), angular_velocity=(0.01, 1, 0.01)))
    return m


def observed(errors):
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def pendulum_error(method, h):
    run = lw.transient(pendulum(), t=1, h=h, method=method, every=10**6, progress=False)
    return np.abs(run["ball"].position.values[-1] - PENDULUM).max()


def test_every_method_is_tested():
    tested = {type(p.values[0]).__name__ for p in IMPLICIT}
    tested |= {"RK4", "ODE", "Recursive", "Moreau"}
    tested |= {cls.__name__ for cls in STAGED}  # test_staged_methods.py walks them
    assert tested == set(METHODS)


@pytest.mark.parametrize("method", IMPLICIT)
def test_order_with_constraints(method):
    errors = [pendulum_error(method, h) for h in (4e-3, 2e-3, 1e-3)]
    assert observed(errors)[-1] == pytest.approx(method.order, abs=0.15), errors


@pytest.mark.parametrize("method", IMPLICIT)
def test_order_of_rotations(method):
    errors = []
    for h in (1.6e-1, 8e-2, 4e-2):
        run = lw.transient(tumbling(), t=10, h=h, method=method, every=10**6, progress=False)
        errors.append(np.abs(run["body"].angular_velocity.values[-1] - TUMBLING).max())
    # a free body's momentum is constant: in that form its rotation is of fourth order
    order = 4 if isinstance(method, LinearMethod) and method.form else method.order
    assert observed(errors)[-1] == pytest.approx(order, abs=0.2), errors


@pytest.mark.parametrize("method", IMPLICIT)
def test_reactions_converge_with_the_order(method):
    """Force in the pin at t = 1, exact: along the rod, m v²/L + m g cos, from energy."""
    x, y, _ = PENDULUM
    exact = np.array([x, y, 0.0]) * (3 * 9.81 * y)  # −(v² − g y) r with v² = −2 g y
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        run = lw.transient(pendulum(), t=1, h=h, method=method, every=10**6, progress=False)
        errors.append(np.abs(run["pin"].force_world.values[-1] - exact).max())
    assert observed(errors)[-1] > method.order - 0.25, errors


@pytest.mark.parametrize("baumgarte", [None, (0, 0), (10, 10)])
def test_rk4(baumgarte):
    errors = [pendulum_error(lw.RK4(baumgarte=baumgarte), h) for h in (2e-2, 1e-2, 5e-3)]
    assert observed(errors)[-1] == pytest.approx(4, abs=0.4), errors
    assert errors[-1] < 1e-6


def test_moreau():
    """Impulses need no order; forces and joints have the first."""
    method = lw.Moreau()
    errors = [pendulum_error(method, h) for h in (4e-3, 2e-3, 1e-3)]
    assert observed(errors)[-1] == pytest.approx(method.order, abs=0.3), errors


@pytest.mark.parametrize("integrator, order", [("rk4", 4), ("implicit", 2)])
def test_recursive(integrator, order):
    method = lw.Recursive(integrator=integrator)
    assert method.order == order
    steps = (4e-2, 2e-2, 1e-2) if order == 4 else (4e-3, 2e-3, 1e-3)
    errors = [pendulum_error(method, h) for h in steps]
    assert observed(errors)[-1] == pytest.approx(order, abs=0.3), errors
    errors = []
    for h in steps:
        run = lw.transient(tumbling(), t=10, h=5 * h, method=method, every=10**6, progress=False)
        errors.append(np.abs(run["body"].angular_velocity.values[-1] - TUMBLING).max())
    assert observed(errors)[0] == pytest.approx(order, abs=0.35), errors


def test_recursive_dormand_prince_follows_its_tolerance():
    errors = []
    for rtol in (1e-5, 1e-7, 1e-9):
        method = lw.Recursive(integrator="dormand-prince", rtol=rtol, atol=rtol / 100)
        errors.append(pendulum_error(method, 0.1))
    assert errors[0] > 10 * errors[1] > 100 * errors[2] and errors[2] < 1e-7, errors


@pytest.mark.parametrize("solver", ["RK45", "DOP853", "Radau", "LSODA"])
def test_scipy(solver):
    method = lw.ODE(solver, rtol=1e-9, atol=1e-11)
    run = lw.transient(pendulum(), t=1, h=0.1, method=method, progress=False)
    assert np.abs(run["ball"].position.values[-1] - PENDULUM).max() < 1e-6
    assert float(run.violation.position.max()) < 1e-7


@pytest.mark.parametrize(
    "method",
    [
        lw.GeneralizedAlpha(), lw.GeneralizedAlpha(stabilized=True), lw.HHT(), lw.BDF2(),
        lw.BDF2(stabilized=True), lw.HHT(stabilized=True), lw.Newmark(0.5, stabilized=True),
    ],
    ids=repr,
)  # fmt: skip
def test_error_control_follows_the_tolerance(method):
    errors = []
    for tolerance in (1e-5, 1e-7, 1e-9):
        run = lw.transient(
            pendulum(), t=1, h=1e-2, method=method, tolerance=tolerance, progress=False
        )
        errors.append(np.abs(run["ball"].position.values[-1] - PENDULUM).max())
        assert run.time[-1] == 1.0
    assert errors[0] > 4 * errors[1] > 16 * errors[2]
    assert errors[2] < 1e-4


def test_error_control_adapts_the_step():
    """A pendulum released near the top: slow at first, fast through the bottom."""
    m = lw.Model("top", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0, 0, 0), position=(np.sin(0.05), 0, np.cos(0.05))))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    run = lw.transient(m, t=2, h=1e-3, tolerance=1e-7, progress=False)
    step = run.diagnostics["step"].values[1:]
    assert step.max() > 4 * step.min()


def test_linear_methods_are_rows_of_numbers():
    """Consistency: constant velocity and constant acceleration are reproduced exactly."""
    from linkwork.extend import ALG, VDOT, VDOTPREV, VPREV, XPREV, V

    h = 0.1
    for cls in METHODS.values():
        if not issubclass(cls, LinearMethod):
            continue
        c = cls().coefficients(h, h)
        H = np.zeros(6)
        H[[V, VPREV]] = 1.0, 1.0 - 2.0 * h
        H[[VDOT, ALG, VDOTPREV]] = 2.0
        H[XPREV] = h * (1.0 - 2.0 * h) + h * h
        x = h * 1.0 + h * h
        assert c.cv * x + c.weights[0] @ H == pytest.approx(1.0 + 2.0 * h)
        assert c.ca * x + c.weights[1] @ H == pytest.approx(2.0)
