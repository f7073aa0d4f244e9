"""Loops closed by cut joints: every correction and metric, redundant loops, loops in space."""

import numpy as np
import pytest
from example_scripts import load_example
from hypothesis import HealthCheck, given, settings
from recursive_models import (
    QUIET,
    assert_same_motion,
    four_bar,
    hexapod,
    loops,
    polygon,
    run_with,
    slider_crank,
)  # fmt: skip

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
FEW = settings(
    max_examples=8, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip

LOOPS = {
    "four-bar": four_bar,
    "four-bar, not redundant": lambda: four_bar(lw.PointOnLine),
    "slider-crank": slider_crank,
    "n-four-bar": lambda: load_example("n_four_bar").build(3),
    "six-body linkage": lambda: load_example("six_body_linkage").build(),
    "double wishbone": lambda: load_example("double_wishbone").build(3000),
    "hexapod": hexapod,
    "five-bar, no ground": lambda: polygon(
        [lw.Revolute] * 5, [0.02, 0.21, 0.4, 0.6, 0.79], on_ground=False
    ),
}
SPAN = {"six-body linkage": (0.012, 1e-4)}  # 30 rad/s; later the core's RK4 is not exact enough
CORRECTIONS = [
    lw.Recursive(correction=how, metric=metric, tolerance=1e-12)
    for how in ("semi-analytic", "direct") for metric in ("mass", "plain")
]  # fmt: skip
BY_WORDS = [f"{m.correction}, {m.metric}" for m in CORRECTIONS]


@pytest.fixture(scope="module")
def core():
    """Runs of the core's RK4, each made once."""
    made = {}

    def run(name):
        if name not in made:
            made[name] = run_with(lw.RK4(), LOOPS[name](), *SPAN.get(name, (0.2, 1e-3)))
        return made[name]

    return run


@pytest.mark.parametrize("method", CORRECTIONS, ids=BY_WORDS)
@pytest.mark.parametrize("name", LOOPS)
def test_corrected_loops(name, method, core):
    """Same motion and reactions as the core; every row holds, also those left out."""
    run = run_with(method, LOOPS[name](), *SPAN.get(name, (0.2, 1e-3)))
    assert_same_motion(run, core(name), 2e-8, forces=1e-5)
    assert float(run.violation.position.max()) < 1e-11
    assert float(run.violation.velocity.max()) < 1e-10


@pytest.mark.parametrize("name", LOOPS)
def test_baumgarte(name, core):
    """The violation stays, but small; the motion is that of the corrected loops."""
    run = run_with(lw.Recursive(correction="baumgarte"), LOOPS[name](),
                   *SPAN.get(name, (0.2, 1e-3)))  # fmt: skip
    assert_same_motion(run, core(name), 1e-6, forces=1e-4)
    assert 0 < float(run.violation.position.max()) < 1e-6


@pytest.mark.parametrize(
    "name, h",
    [("four-bar, not redundant", 4e-3), ("slider-crank", 4e-3), ("double wishbone", 1e-2)],
)
def test_without_correction_the_violation_grows(name, h):
    """As in the article of Zhang and others, figures 12 and 20; with it, it stays at tolerance."""
    options = {"t": 1000 * h, "h": h, "every": 10}
    free = run_with(lw.Recursive(correction=None), LOOPS[name](), **options)
    gap = free.violation.position.values.max(axis=1)
    early, late = gap[:20].max(), gap[-20:].max()
    assert late > 1e-7 and late > 4 * early, (early, late)
    held = run_with(lw.Recursive(), LOOPS[name](), **options)
    assert float(held.violation.position.max()) < 1e-10 * held.system.length
    damped = run_with(lw.Recursive(correction="baumgarte"), LOOPS[name](), **options)
    assert float(damped.violation.position.max()) < 0.2 * late


def test_what_the_corrections_have_done_is_told():
    run = run_with(lw.Recursive(), slider_crank(), t=0.5, h=5e-3)
    assert run.diagnostics["iterations"].values[1:].min() >= 1
    none = run_with(lw.Recursive(correction=None), slider_crank(), t=0.5, h=5e-3)
    assert none.diagnostics["iterations"].values.max() == 0


def test_energy_of_loops_has_order_four():
    errors = []
    for h in (8e-3, 4e-3, 2e-3):
        energy = run_with(lw.Recursive(), four_bar(), t=1.0, h=h).energy.total.values
        errors.append(np.abs(energy - energy[0]).max())
    assert np.log2(errors[1] / errors[2]) > 3.6, errors


@pytest.mark.parametrize("cuts", [["A"], ["B"], ["C"], ["D"]])
def test_any_joint_of_a_loop_may_be_cut(cuts):
    """Motion and reactions do not depend on it, though three rows are redundant."""
    free = run_with(lw.Recursive(tolerance=1e-12), four_bar())
    assert lw.topology(four_bar(), cuts=cuts).cut == cuts
    chosen = run_with(lw.Recursive(cuts=cuts, tolerance=1e-12), four_bar())
    assert_same_motion(chosen, free, 1e-9, forces=1e-6)


@pytest.mark.parametrize("cuts", [(), ("A",)], ids=["in the tree", "cut"])
def test_motor_in_a_loop_against_kinematics(cuts):
    """A driven four-bar has no freedom: positions, accelerations and reactions without steps."""
    m = four_bar(motor=lw.polynomial([0, 1, 5]))
    exact = lw.kinematics(m, t=0.5, h=5e-3, **QUIET)
    run = run_with(lw.Recursive(cuts=cuts, tolerance=1e-12), m, t=0.5, h=5e-3)
    assert_same_motion(run, exact, 1e-10, forces=1e-8)


def test_published_six_body_linkage():
    """Wittenburg's relations between the hinge angles, see the example."""
    run = run_with(lw.Recursive(), load_example("six_body_linkage").build(), t=0.2, h=5e-4)
    angle = [run[f"hinge {k}"].angle.values for k in range(1, 6)]
    s1, s2 = np.sin(angle[0]), np.sin(angle[1])
    for tie in (s2 * (1 - s1) - s1, angle[2] - angle[0], angle[4] - angle[0], angle[3] - angle[1]):
        assert np.abs(tie).max() < 1e-8


def test_andrews_squeezer():
    """IVP test set: crank angle of the seven-body mechanism at t = 0.03 s."""
    example = load_example("andrews_squeezer")
    run = run_with(lw.Recursive(), example.build(), t=0.03, h=2e-5, every=100)
    crank = float(run["O"].angle[-1])
    assert crank == pytest.approx(15.81077119629904 + 0.0617138900142764496, abs=2e-6)


@FEW
@given(loops())
def test_random_loops(model):
    run = run_with(lw.Recursive(tolerance=1e-12), model, t=0.05, h=5e-4)
    assert_same_motion(run, run_with(lw.RK4(), model, t=0.05, h=5e-4), 1e-8, forces=1e-5)
    assert float(run.violation.position.max()) < 1e-10
