"""Staged methods measured as they step: errors, spectral radius, order, restart, options.

Every method of the catalogue's STAGED is walked; a new one is tested without being named here.
"""

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.motion.transient import method_run
from linkwork.integrators.catalogue import STAGED, method_from_text
from linkwork.integrators.implicit import make_output
from linkwork.integrators.staged import Tunable
from linkwork.integrators.stages import FILTER, RATE, SPEED, STEPS, XDOT, X
from linkwork.math import rotations

EVERY = pytest.mark.parametrize("cls", STAGED, ids=lambda c: c.__name__)


# ------------------------------------------------------------------------------------ problems


def oscillator(stiffness, position=1.0, velocity=1.0):
    m = lw.Model("oscillator")
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(position, 0, 0), velocity=(velocity, 0, 0)))
    k = (stiffness,) * 3 + (1.0,) * 3
    m.add("spring", lw.Bushing(lw.Frame(lw.GROUND), lw.Frame(b), stiffness=k))
    return m


def heavy_top():
    m = lw.Model("top", gravity=(0, 0, -9.81))
    q, w = rotations.exponential(np.array([0.6, 0.3, 0.1])), np.array([0.4, -0.3, 6.0])
    R = rotations.matrix(q)
    arm = np.array([0, 0, 0.4])
    top = lw.Body(2, (0.8, 0.9, 0.5), position=R @ arm, orientation=q, angular_velocity=w,
                  velocity=R @ np.cross(w, arm))  # fmt: skip
    m.add("body", top)
    m.add("pin", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
    return m


def double_pendulum():
    m = lw.Model("double pendulum", gravity=(0, 0, -9.81))
    w1, w2 = np.array([1.0, 0.5, -0.3]), np.array([-0.7, 0.8, 1.2])
    hinge, arm = np.array([1.0, 0, 0]), np.array([0, 0.4, 0.1])
    upper = m.add("upper", lw.Body(1, (0.1, 0.12, 0.15), position=hinge / 2, angular_velocity=w1,
                                   velocity=np.cross(w1, hinge / 2)))  # fmt: skip
    body = m.add("body", lw.Body(0.8, (0.07, 0.05, 0.09), position=hinge + arm, angular_velocity=w2,
                                 velocity=np.cross(w1, hinge) + np.cross(w2, arm)))  # fmt: skip
    m.add("top", lw.Spherical(lw.GROUND, upper, at=(0, 0, 0)))
    m.add("pin", lw.Spherical(upper, body, at=hinge))
    return m


def end_of(model, method, h, t=0.5, **options):
    """Position and orientation, velocities, and the force in the pin at the end."""
    run = lw.transient(model, t=t, h=h, method=method, every=10**6, progress=False, **options)
    body = run["body"]
    parts = (body.position, body.orientation), (body.velocity, body.angular_velocity)
    found = [np.concatenate([p.values[-1] for p in pair]) for pair in parts]
    return [*found, run["pin"].force_world.values[-1]]


def advance(run, times):
    out = make_output(run.system, 0)
    run.advance(times, run.system.schedule(times), np.full(len(times), -1), out)


# ---------------------------------------------------------------------------- published errors

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


def exact(t):
    return np.cos(2 * t) + 0.5 * np.sin(2 * t), -2 * np.sin(2 * t) + np.cos(2 * t)


def oscillator_run(method, h, start=0.0):
    assembled = assemble_model(oscillator(4.0, *exact(start)))
    return method_run(method, assembled.full, assembled.system, assembled.state, h)


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


# ----------------------------------------------------------------------------- spectral radius


def amplification(method, frequency):
    """Matrix of one step (a pair for hope) for a body on a spring, from its steps themselves."""
    assembled = assemble_model(oscillator(frequency**2, 0.0, 0.0))
    run = method_run(method, assembled.full, assembled.system, assembled.state, 1.0)
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


# --------------------------------------------------------------------------------------- order

STEPS_FOR = {1: (4e-3, 2e-3), 2: (1e-2, 5e-3), 3: (1e-2, 5e-3), 4: (2e-2, 1e-2), 5: (1e-2, 5e-3)}


@pytest.fixture(scope="module")
def references():
    """The ends of both mechanisms by SciPy's DOP853 on the augmented equations."""
    fine = lw.ODE("DOP853", rtol=1e-13, atol=1e-13)
    return {make: end_of(make(), fine, 0.125) for make in (heavy_top, double_pendulum)}


def observed_orders(make, method, steps, references):
    truth, errors = references[make], np.zeros((2, 3))
    for row, h in zip(errors, steps, strict=True):
        found = end_of(make(), method, h)
        row[:] = [np.abs(a - b).max() for a, b in zip(found, truth, strict=True)]
    return np.log2(errors[0] / errors[1]), errors


@EVERY
@pytest.mark.parametrize("make", [heavy_top, double_pendulum])
def test_order_with_rotations_and_constraints(cls, make, references):
    """Positions, velocities and reactions, all with the declared order."""
    method = cls(tolerance=1e-11)
    steps = (4e-2, 2e-2) if method.order == 5 and make is heavy_top else STEPS_FOR[method.order]
    orders, errors = observed_orders(make, method, steps, references)
    assert np.all(orders[:2] > method.order - 0.25), (orders, errors)
    assert np.all(orders[:2] < method.order + 0.6), (orders, errors)
    assert orders[2] > method.order - 0.45, (orders, errors)  # of two errors, their signs differ


@pytest.mark.parametrize("cls", [c for c in STAGED if not c().stabilized], ids=lambda c: c.__name__)
def test_order_when_stabilized(cls, references):
    method = cls(stabilized=True, tolerance=1e-11)
    orders, errors = observed_orders(double_pendulum, method, STEPS_FOR[method.order], references)
    assert np.all(orders > method.order - 0.25), (orders, errors)


@pytest.mark.parametrize("cls", [c for c in STAGED if c().stabilized], ids=lambda c: c.__name__)
def test_why_they_are_stabilized(cls, references):
    """With positions alone (index 3) stage order two leaves order two, in forces one or none."""
    method = cls(stabilized=False, tolerance=1e-11)
    orders, errors = observed_orders(double_pendulum, method, (1e-2, 5e-3), references)
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


# --------------------------------------------------------------------------- restart and rho


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
def test_rho_as_a_drive(cls, tmp_path, references):
    """A constant drive gives the digits of the number; a changing one keeps the order."""
    number = end_of(double_pendulum(), cls(0.5), 1e-2, t=0.2)
    drive = end_of(double_pendulum(), cls(lw.constant(0.5)), 1e-2, t=0.2)
    assert all(np.array_equal(a, b) for a, b in zip(number, drive, strict=True))
    changing = cls(lw.ramp(1.0, start=0) * 1.6 + 0.1, tolerance=1e-11)
    order = changing.order
    orders, errors = observed_orders(double_pendulum, changing, STEPS_FOR[order], references)
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


# ------------------------------------------------------------- other ways to take the same steps


@EVERY
def test_error_control(cls, references):
    """Smaller tolerances give smaller errors, whatever the steps are."""
    errors = []
    for tolerance in (1e-5, 1e-7):
        found = end_of(double_pendulum(), cls(tolerance=1e-10), 1e-3, tolerance=tolerance)
        errors.append(np.abs(found[0] - references[double_pendulum][0]).max())
    assert errors[1] < 0.3 * errors[0] < 0.1, errors


@EVERY
def test_energy_balance_closes_with_the_order(cls):
    """What dampers take out is integrated with the method's own weights."""
    m = double_pendulum()
    m.add("damper", lw.Bushing(lw.GROUND, m["upper"], at=(0.5, 0, 0), stiffness=(0,) * 6,
                               damping=(0.5, 0.5, 0.5, 0.1, 0.1, 0.1)))  # fmt: skip
    method, gaps = cls(tolerance=1e-11), []
    for h in STEPS_FOR[method.order]:
        run = lw.transient(m, t=0.5, h=h, method=method, progress=False)
        assert float(run.energy.dissipated[-1]) > 0.1
        gaps.append(float(np.abs(run.energy.balance).max()))
    assert gaps[1] < (1.0 if method.order == 1 else 0.05)
    assert np.log2(gaps[0] / gaps[1]) > method.order - 0.4, gaps


def test_residual_tests_agree_with_the_correction_test():
    for stabilized in (False, True):
        usual = end_of(double_pendulum(), lw.MS2(stabilized=stabilized, tolerance=1e-11), 5e-3)
        for test, tolerance in (("norm", 1e-9), ("minmax", 1e-9), ("relnorm", 1e-8),
                                ("sepnorm", 1e-8)):  # fmt: skip
            method = lw.MS2(test=test, tolerance=tolerance, stabilized=stabilized)
            gap = np.abs(end_of(double_pendulum(), method, 5e-3)[0] - usual[0]).max()
            assert gap < 1e-6, (test, stabilized)
            loose = lw.MS2(test=test, tolerance=1.0, stabilized=stabilized)
            wide = np.abs(end_of(double_pendulum(), loose, 5e-3)[0] - usual[0]).max()
            assert wide > 2 * gap, (test, stabilized)


@pytest.mark.parametrize("test", ["relnorm", "sepnorm"])
def test_relative_norms_do_not_depend_on_units_of_mass(test):
    """All forces a million times larger: the same iterations, the same motion."""

    def heavy(factor):
        m = double_pendulum()
        for name in ("upper", "body"):
            m[name].mass *= factor
            m[name].inertia = m[name].inertia * factor
        return lw.transient(m, t=0.3, h=1e-2, method=lw.MS2(test=test, tolerance=1e-5),
                            progress=False)  # fmt: skip

    light, large = heavy(1.0), heavy(1e6)
    assert np.array_equal(light.diagnostics["iterations"], large.diagnostics["iterations"])
    assert np.abs(light["body"].position - large["body"].position).max() < 1e-9
    assert float(light.diagnostics["iterations"].max()) >= 1


def test_steps_tell_their_corrections_and_residuals():
    """The largest |r_i| is below √(r·r), which is below √n times that; none without a test."""
    runs = [lw.transient(double_pendulum(), t=0.1, h=1e-2, progress=False,
                         method=lw.MS2(test=test, tolerance=1e-3))
            for test in ("norm", "minmax", "correction")]  # fmt: skip
    most = [float(run.diagnostics["residual"].max()) for run in runs[:2]]
    assert max(most) <= 1e-3 and min(most) > 0
    assert "residual" not in runs[2].diagnostics
    assert 0 < float(runs[2].diagnostics["correction"][1:].min()) < 1e-2
    same = lw.MS2(test="minmax", tolerance=1e-30)  # cannot be reached, but round-off is accepted
    tight = lw.transient(double_pendulum(), t=0.1, h=1e-2, method=same, progress=False)
    assert 0 < float(tight.diagnostics["residual"].max()) < 1e-8
    assert tight.info["repairs"] == 0


def test_sepnorm_ignores_a_set_in_which_nothing_happens():
    """A point mass on a spring has no torques beyond round-off; relative to them all is lost."""
    m = oscillator(4.0)
    method = lw.MS2(test="sepnorm", tolerance=1e-8)
    run = lw.transient(m, t=1, h=1e-2, method=method, progress=False)
    assert float(run["b"].position[-1, 0]) == pytest.approx(exact(1.0)[0], abs=2e-3)


def test_factor_strategy():
    """Easy steps grow to the bound; a hard stretch makes them shrink."""
    m = lw.Model("free fall", gravity=(0, 0, -9.81))
    m.add("body", lw.Body(1, (1, 1, 1)))
    easy = lw.FactorStrategy(growth=2, steps_before_growth=2, largest=0.08)
    run = lw.transient(m, t=1, h=0.01, method=lw.MS2(), strategy=easy, progress=False)
    step = run.diagnostics["step"].values[1:]
    assert step[:6] == pytest.approx([0.01, 0.01, 0.02, 0.02, 0.04, 0.04])
    assert step.max() == pytest.approx(0.08) and run.time[-1] == 1.0
    assert float(run["body"].position[-1, 2]) == pytest.approx(-4.905, abs=1e-9)
    hard = lw.FactorStrategy(
        reduction=0.5, max_iterations=3, min_iterations=1, steps_before_growth=1000
    )
    run = lw.transient(
        double_pendulum(), t=0.5, h=0.05, method=lw.MS2(tolerance=1e-12), strategy=hard,
        progress=False,
    )  # fmt: skip
    assert run.diagnostics["step"].values[1:].min() <= 0.025


def test_change_strategy():
    law = lw.table([0, 0.25, 0.5], [0.002, 0.02, 0.02], kind="linear")
    run = lw.transient(
        double_pendulum(), t=0.5, h=0.01, method=lw.MS4(), strategy=lw.ChangeStrategy(law),
        progress=False,
    )  # fmt: skip
    begin, step = run.time[:-3], run.diagnostics["step"].values[1:-2]
    assert step == pytest.approx(law(np.asarray(begin)), rel=1e-9)
    assert run.time[-1] == 0.5


def test_strategies_are_checked():
    with pytest.raises(lw.ModelError, match="give one of them"):
        lw.transient(
            oscillator(4.0), t=1, h=0.1, tolerance=1e-3, strategy=lw.FactorStrategy()
        )
    with pytest.raises(lw.ModelError, match="strategy must be"):
        lw.transient(oscillator(4.0), t=1, h=0.1, strategy=0.5)
    with pytest.raises(lw.ModelError, match="reduction < 1"):
        lw.FactorStrategy(reduction=1.5)
    with pytest.raises(lw.ModelError, match="must be positive"):
        negative = lw.ChangeStrategy(lw.constant(-0.1))
        lw.transient(oscillator(4.0), t=1, h=0.1, strategy=negative, progress=False)


@pytest.mark.parametrize("ratio", [0.5, 2.0])
@EVERY
def test_changes_of_the_step_keep_the_order(cls, ratio, references):
    """The step changes at every tenth of a second, by a drive."""
    method = cls(tolerance=1e-11)
    errors = []
    for h in STEPS_FOR[method.order]:
        law = lw.function(lambda t, h=h: h * (ratio if int(10 * t + 1e-6) % 2 else 1.0))
        found = end_of(double_pendulum(), method, h, strategy=lw.ChangeStrategy(law))
        errors.append(np.abs(found[0] - references[double_pendulum][0]).max())
    assert np.log2(errors[0] / errors[1]) > method.order - 0.4, errors


def test_events_with_staged_methods():
    """A swing ends where its joint's limit is, as with the default method."""
    m = lw.Model("swing", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    limit = lw.JointLimit("pin", angle=(-1.0, 1.0))
    ends = [
        lw.transient(m, t=2, h=5e-3, method=method, stop=limit, progress=False).time[-1]
        for method in (lw.GeneralizedAlpha(), lw.MS3(), lw.SS4(), lw.MSSTH4())
    ]
    assert ends == pytest.approx([ends[-1]] * 4, abs=5e-5)


def test_redundant_joints():
    """A door on three hinges swings as one on a single hinge does."""

    def door(hinges):
        m = lw.Model("door", gravity=(0, 0, -9.81))
        leaf = m.add("leaf", lw.Body.box((1, 2, 0.05), density=700, position=(0.5, 0, 0)))
        for k in range(hinges):
            m.add(f"hinge{k}", lw.Revolute(lw.GROUND, leaf, at=(0, k - 1, 0), axis=(0, 1, 0)))
        return m

    for method in (lw.MS3(), lw.SS2(), lw.MSSTH3()):
        single = lw.transient(door(1), t=0.5, h=5e-3, method=method, progress=False)
        with pytest.warns(lw.LinkworkWarning, match="repeat"):
            triple = lw.transient(door(3), t=0.5, h=5e-3, method=method, progress=False)
        gap = np.abs(single["leaf"].position.values - triple["leaf"].position.values).max()
        assert gap < 1e-7


def test_diagnostics_of_a_run():
    run = lw.transient(double_pendulum(), t=0.1, h=1e-2, method=lw.MSSTC3(), progress=False)
    assert run.info["method"].startswith("MSSTC3(")
    assert float(run.diagnostics["iterations"][1:].min()) >= 1
