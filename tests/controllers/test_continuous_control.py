"""Controllers whose states are unknowns: transfer functions, state spaces, PID."""

import control
import numpy as np
import pytest

import linkwork as lw


def cart(x=0.0):
    m = lw.Model("cart")
    body = m.add("body", lw.Body(2, (1, 1, 1)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0),
                                      displacement=x))  # fmt: skip
    return m, rail


def ran(m, t=1.0, h=1e-3, method=None):
    return lw.transient(m, t=t, h=h, method=method or lw.GeneralizedAlpha(), progress=False)


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [([1], [0.1, 1]), ([0.5, 1], [0.05, 1]), ([3, 0.2, 1], [2e-3, 0.05, 1, 4]), ([2], [1, 0])],
)
def test_step_answers_of_transfer_functions(numerator, denominator):
    """Beside python-control's step response, at second order."""
    errors = []
    for h in (2e-3, 1e-3):
        m, _ = cart()
        m.add("block", lw.TransferFunction(numerator, denominator, 1.0))
        run = ran(m, h=h)
        expected = control.step_response(control.tf(numerator, denominator), T=run.time).outputs
        errors.append(abs(run["block"].output.values - expected).max())
    assert errors[1] < 1e-9 or errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] < 2e-4 * max(1, abs(expected).max())


METHODS = [lw.GeneralizedAlpha(), lw.BDF2(), lw.RK4(), lw.ODE(), lw.MS2(), lw.DIRK33()]


def pid_loop(gains, filter, end):
    """The closed loop of a cart of 2 kg, e = 1 − x, as one linear system; x(end)."""
    kp, ki, kd = gains
    A = np.array([
        [0, 1, 0, 0], [-(kp + kd / filter) / 2, 0, 1 / 2, -kd / filter / 2],
        [-ki, 0, 0, 0], [-1 / filter, 0, 0, -1 / filter],
    ])  # fmt: skip
    b = np.array([0, (kp + kd / filter) / 2, ki, 1 / filter])
    values, X = np.linalg.eig(A)
    rest = -np.linalg.solve(A, b)
    return (rest + (X * np.linalg.solve(X, -rest)) @ np.exp(values * end)).real[0]


@pytest.mark.parametrize("method", METHODS, ids=lambda x: type(x).__name__)
def test_pid_loops_have_the_order_of_the_method(method):
    gains, T = (60.0, 40.0, 12.0), 0.05
    exact = pid_loop(gains, T, 1.0)
    errors = []
    for h in (4e-3, 2e-3):
        m, rail = cart()
        pid = m.add("pid", lw.ContinuousPID(1 - lw.reads(rail, "displacement"), *gains, filter=T))
        m.add("push", lw.JointForce(rail, lw.reads(pid, "output")))
        errors.append(abs(float(ran(m, h=h, method=method)["rail"].displacement[-1]) - exact))
    order = method.order if hasattr(method, "order") else 2
    assert errors[1] < 1e-7 or errors[0] / errors[1] > 0.8 * 2**order
    assert errors[1] < 1e-3


def test_integral_does_not_wind_up():
    """A step that the limits cannot follow: without tracking the overshoot is many times larger."""
    over = []
    for tracking in (None, 1e6):
        m, rail = cart()
        e = 1 - lw.reads(rail, "displacement")
        pid = lw.ContinuousPID(e, 20, 30, 12, limits=(-1, 1), tracking=tracking)
        m.add("pid", pid)
        m.add("push", lw.JointForce(rail, lw.reads(pid, "output")))
        run = ran(m, t=12, h=5e-3)
        assert abs(run["push"].force).max() <= 1 + 1e-12
        over.append(float(run["rail"].displacement.max()) - 1)
    assert over[0] < 0.25 * over[1]


def test_systems_of_linearize_and_python_control():
    """A linear observer beside its plant: both move alike; and there and back again."""
    m = lw.Model("mass")
    body = m.add("body", lw.Body(2, (1, 1, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("spring", lw.Bushing(lw.GROUND, body, at=(0, 0, 0), stiffness=(50, 0, 0, 0, 0, 0),
                               damping=(4, 0, 0, 0, 0, 0)))  # fmt: skip
    drive = lw.sine(3, 1.5)
    m.add("push", lw.Force(body, (1, 0, 0), drive=lw.constant(0)))
    found = lw.linearize(m, inputs=["push"], outputs=["body.position.x"])
    m["push"].drive = drive
    m.add("twin", lw.StateSpace.of(found, [drive]))
    m.add("other", lw.StateSpace.of(found.to_control(), [drive]))
    m.add("third", lw.StateSpace.of(control.tf([1], [2, 4, 50]), [drive]))
    run = ran(m, t=2)
    x = run["body"].position[:, 0]
    for name in ("twin", "other", "third"):
        assert np.allclose(run[name].output, x, atol=2e-7)


def test_feedback_through_states():
    """1/(s + 1) in a loop with gain 4 is 1/(s + 5)."""
    m, _ = cart()
    lag = m.add("lag", lw.TransferFunction([1], [1, 1]))
    lag.input = 1 - 4 * lw.reads(lag, "output")
    run = ran(m)
    assert np.allclose(run["lag"].output, (1 - np.exp(-5 * run.time)) / 5, atol=1e-6)


def test_algebraic_loops_are_refused():
    lead = lw.TransferFunction([1, 2], [1, 1], 1.0)
    other = lw.TransferFunction([2, 1], [1, 3], lw.reads(lead, "output"))
    with pytest.raises(lw.ModelError, match="algebraic loop"):
        lead.input = 1 - lw.reads(other, "output")
    pid = lw.ContinuousPID(1.0, 1)
    lw.reads(pid, "output")
    with pytest.raises(lw.ModelError, match="algebraic loop"):
        pid.error = lw.reads(other, "output")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lw.TransferFunction([1, 0, 0], [1, 1]), "2 over 1"),
        (lambda: lw.TransferFunction([1], [5]), "degree 1"),
        (lambda: lw.TransferFunction("ab", [1, 1]), "numerator.*list of finite numbers"),
        (lambda: lw.TransferFunction([1], [0, 0]), "denominator.*zero"),
        (lambda: lw.TransferFunction([1], [1, float("nan")]), "denominator.*finite"),
        (lambda: lw.TransferFunction([1], [1, 1], start=[1, 2]), "start"),
        (lambda: lw.ContinuousPID(1.0, "high"), "kp"),
        (lambda: lw.ContinuousPID(1.0, 1, filter=0), "filter"),
        (lambda: lw.ContinuousPID(1.0, 1, limits=3), "limits.*low, high"),
        (lambda: lw.ContinuousPID(1.0, 1, limits=(2, 1)), "low below high"),
        (lambda: lw.StateSpace.of(3.0, [1.0]), "matrices A, B, C and D"),
        (lambda: lw.StateSpace.of(control.tf([1], [1, 0.5], 0.1), [1.0]), "continuous"),
        (lambda: lw.StateSpace([[-1.0]], [[1.0]], [0.0], D=[[1.0]]), "D without C"),
        (lambda: lw.reads(lw.StateSpace([[-1.0]], [[1.0]], [0.0]), "output"), "no outputs"),
    ],
)  # fmt: skip
def test_mistakes_are_said(make, message):
    with pytest.raises(lw.LinkworkError, match=message):
        make()
