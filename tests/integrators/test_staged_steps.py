"""Staged methods under error control, tests of residuals, step strategies and events."""

import numpy as np
import pytest
from staged_problems import EVERY, STEPS_FOR, double_pendulum, end_of, exact, oscillator, reference

import linkwork as lw


@EVERY
def test_error_control(cls):
    """Smaller tolerances give smaller errors, whatever the steps are."""
    errors = []
    for tolerance in (1e-5, 1e-7):
        found = end_of(double_pendulum(), cls(tolerance=1e-10), 1e-3, tolerance=tolerance)
        errors.append(np.abs(found[0] - reference(double_pendulum)[0]).max())
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
    """Where one correction is not enough: steps of 20 ms."""
    for stabilized in (False, True):
        usual = end_of(double_pendulum(), lw.MS2(stabilized=stabilized, tolerance=1e-11), 2e-2)
        for test, tolerance in (("norm", 1e-9), ("minmax", 1e-9), ("relnorm", 1e-8),
                                ("sepnorm", 1e-8)):  # fmt: skip
            method = lw.MS2(test=test, tolerance=tolerance, stabilized=stabilized)
            gap = np.abs(end_of(double_pendulum(), method, 2e-2)[0] - usual[0]).max()
            assert gap < 1e-8, (test, stabilized)
            loose = lw.MS2(test=test, tolerance=1.0, stabilized=stabilized)
            wide = np.abs(end_of(double_pendulum(), loose, 2e-2)[0] - usual[0]).max()
            assert wide > 100 * gap, (test, stabilized)


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
        reduction=0.5, max_iterations=2, min_iterations=1, steps_before_growth=1000
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
def test_changes_of_the_step_keep_the_order(cls, ratio):
    """The step changes at every tenth of a second, by a drive."""
    method = cls(tolerance=1e-11)
    errors = []
    for h in STEPS_FOR[method.order]:
        law = lw.function(lambda t, h=h: h * (ratio if int(10 * t + 1e-6) % 2 else 1.0))
        found = end_of(double_pendulum(), method, h, strategy=lw.ChangeStrategy(law))
        errors.append(np.abs(found[0] - reference(double_pendulum)[0]).max())
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
