"""Runs of Recursive: restart, events, storing, files, what is refused, and flat positions."""

import numpy as np
import pytest
from recursive_models import QUIET, add_body, chain_with, four_bar, run_with, slider_crank

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")


def with_spring():
    """A tree with everything that remembers: a torsion spring over turns, a ball, a motion law."""
    m = chain_with(lw.Revolute, False)
    m.add("spring", lw.TorsionSpring(m["joint"], stiffness=3, damping=0.1))
    rng = np.random.default_rng(1)
    tip = add_body(m, rng, (2, 0, 0), "tip")
    m.add("motor", lw.Motor(m["finger"], tip, at=(1.8, 0, 0), axis=(0, 1, 1), angle=lw.sine(1, 2)))
    return m


BUILD = {"tree": with_spring, "loop": slider_crank, "redundant loop": four_bar}
METHODS = [
    lw.Recursive(), lw.Recursive(correction="direct", metric="plain"),
    lw.Recursive(correction="baumgarte"), lw.Recursive(correction=None),
]  # fmt: skip


def same_digits(a, b):
    return all(
        np.array_equal(np.asarray(getattr(a, part)), np.asarray(getattr(b, part)))
        for part in ("motion", "acceleration", "gamma", "work")
    )


class Rows:
    """The last rows of a result."""

    def __init__(self, run, count):
        for part in ("motion", "acceleration", "gamma", "work"):
            setattr(self, part, np.asarray(getattr(run, part))[-count:])


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.correction}, {m.metric}")
@pytest.mark.parametrize("name", BUILD)
def test_restart_with_the_same_digits(name, method, tmp_path):
    whole = run_with(method, BUILD[name](), t=0.2, h=2e-3)
    model = BUILD[name]()
    first = run_with(method, model, t=0.1, h=2e-3)
    second = run_with(method, model, t=0.2, h=2e-3, start=first)
    assert same_digits(Rows(second, 50), Rows(whole, 50))
    first.save(tmp_path / "first.nc")
    third = lw.resume(tmp_path / "first.nc", t=0.2, **QUIET)
    assert same_digits(Rows(third, 50), Rows(whole, 50))


@pytest.mark.parametrize("name", BUILD)
def test_saving_and_loading(name, tmp_path):
    run = run_with(lw.Recursive(), BUILD[name](), t=0.1, h=2e-3)
    run.save(tmp_path / "run.nc")
    back = lw.load(tmp_path / "run.nc")
    assert same_digits(run, back) and back.info["method"] == repr(lw.Recursive())
    streamed = run_with(
        lw.Recursive(), BUILD[name](), t=0.1, h=2e-3, file=tmp_path / "streamed.nc"
    )
    assert same_digits(run, streamed)


@pytest.mark.parametrize("name", BUILD)
def test_every(name):
    """Stored steps are those of the run that stores all; the end is stored too."""
    whole = run_with(lw.Recursive(), BUILD[name](), t=0.1, h=2e-3)
    some = run_with(lw.Recursive(), BUILD[name](), t=0.1, h=2e-3, every=7)
    assert np.array_equal(some.time, whole.time[[*range(0, 50, 7), 50]])
    for part in ("motion", "acceleration", "gamma"):
        kept = np.asarray(getattr(whole, part))[[*range(0, 50, 7), 50]]
        assert np.abs(np.asarray(getattr(some, part)) - kept).max() < 1e-9 * np.abs(kept).max()


def test_last_step_is_shorter():
    run = run_with(lw.Recursive(), slider_crank(), t=0.0251, h=2e-3)
    fine = run_with(lw.Recursive(), slider_crank(), t=0.0251, h=1e-4)
    assert run.time[-1] == 0.0251
    assert np.abs(run.motion[-1] - fine.motion[-1]).max() < 1e-6


def test_event_is_found_at_its_root():
    """The crank of a slider-crank reaches a quarter turn; a finer run knows when."""
    stop = [lambda t, now: now["main"].angle - 1.0]
    run = run_with(lw.Recursive(), slider_crank(), t=1, h=5e-3, stop=stop)
    assert run["main"].angle.values[-1] == pytest.approx(1.0, abs=1e-9)
    assert run.time[-1] < 1 and run.info["ended_by"]
    limit = lw.JointLimit("main", angle=(-1.0, 1.0))
    again = run_with(lw.Recursive(), slider_crank(), t=1, h=5e-3, stop=limit)
    assert again.time[-1] == pytest.approx(run.time[-1], abs=1e-9)
    fine = run_with(lw.Recursive(), slider_crank(), t=1, h=5e-4, stop=stop)
    assert fine.time[-1] == pytest.approx(run.time[-1], abs=1e-6)
    assert float(run.violation.position.max()) < 1e-9


def test_going_on_from_another_method():
    """A run of the core hands over its state, and the other way round."""
    first = run_with(lw.GeneralizedAlpha(), slider_crank(), t=0.1, h=1e-3)
    run = run_with(lw.Recursive(), slider_crank(), t=0.2, h=1e-3, start=first)
    whole = run_with(lw.Recursive(), slider_crank(), t=0.2, h=1e-3)
    assert np.abs(run.motion[-1] - whole.motion[-1]).max() < 1e-3
    back = run_with(lw.GeneralizedAlpha(), slider_crank(), t=0.3, h=1e-3, start=run)
    assert float(back.violation.position.max()) < 1e-8


# ---------------------------------------------------------------------------------- what is refused


def test_cut_that_tears_the_tree():
    m = chain_with(lw.Revolute, False)
    with pytest.raises(lw.ModelError, match=r"cutting 'joint' leaves 'hand' without a joint"):
        run_with(lw.Recursive(cuts=["joint"]), m)
    with pytest.raises(lw.ModelError, match=r"cutting 'A', 'B' leaves"):
        lw.topology(four_bar(), cuts=["A", "B"])


def test_unknown_cut():
    with pytest.raises(lw.ModelError, match=r"cuts names 'E', which is not a joint .*'A', 'B'"):
        run_with(lw.Recursive(cuts=["E"]), four_bar())
    with pytest.raises(lw.ModelError, match="not a joint"):
        lw.topology(four_bar(), cuts=["crank"])
    with pytest.raises(lw.ModelError, match="list of joint names"):
        lw.topology(four_bar(), cuts="A")
    with pytest.raises(lw.ModelError, match="'A' is not a cut joint; cut are"):
        lw.topology(four_bar()).loop("A")


@pytest.mark.parametrize(
    "words, said",
    [
        ({"integrator": "euler"}, "integrator of Recursive must be one of 'rk4'"),
        ({"correction": "often"}, "correction of Recursive must be one of 'semi-analytic'"),
        ({"correction": True}, "correction of Recursive must be one of"),
        ({"metric": "euclid"}, "metric of Recursive must be one of 'mass', 'plain'"),
        ({"cuts": "pin"}, "cuts of Recursive must be a list of joint names"),
        ({"cuts": [1]}, "cuts of Recursive must be a list of joint names"),
        ({"tolerance": 0}, "tolerance of Recursive"),
        ({"tolerance": float("nan")}, "tolerance of Recursive"),
        ({"baumgarte": (1, 2, 3)}, "baumgarte"),
        ({"baumgarte": (-1, 2)}, "baumgarte"),
        ({"max_iterations": 0}, "max_iterations of Recursive"),
        ({"rtol": -1}, "rtol of Recursive"),
        ({"atol": "small"}, "atol of Recursive"),
        ({"rho": 2}, "rho of Recursive must be at most 1"),
    ],
    ids=lambda x: str(x)[:30],
)
def test_nonsense_arguments(words, said):
    with pytest.raises(lw.ModelError, match=said):
        lw.Recursive(**words)


def test_body_without_mass():
    m = lw.Model("light")
    a = m.add("a", lw.Body(1, (1, 1, 1)))
    b = m.add("b", lw.Body(0, (0, 0, 0), position=(1, 0, 0)))
    m.add("base", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("tip", lw.Revolute(a, b, at=(1, 0, 0), axis=(0, 0, 1)))
    with pytest.raises(lw.LinkworkError, match="mass"):
        run_with(lw.Recursive(), m)


def test_error_control_is_not_for_fixed_steps():
    with pytest.raises(lw.ModelError, match="no error estimate"):
        run_with(lw.Recursive(), slider_crank(), tolerance=1e-6)


def test_too_large_a_step_is_told():
    """An explicit method on a stiff spring: an error with the results so far, not numbers."""
    m = lw.Model("stiff")
    a = m.add("a", lw.Body(1, (1, 1, 1), position=(1, 0, 0), velocity=(1, 0, 0)))
    m.add("slide", lw.Prismatic(lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("spring", lw.Spring(lw.GROUND, a, at_a=(0, 0, 0), stiffness=1e8, length=1))
    with pytest.raises(lw.ConvergenceError, match="too large") as told:
        run_with(lw.Recursive(), m, t=10, h=1e-2)
    assert told.value.result.time[-1] > 0


# ----------------------------------------------------------------------------------- flat positions


def parallelogram(rate=4.0):
    """Equal links: every half turn all of them lie in one line, and the loop could fold there."""
    A, B, C, D, z = (0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 1)
    m = lw.Model("parallelogram")
    for name, p, q in (("left", A, B), ("top", B, C), ("right", D, C)):
        m.add(name, lw.Body.link(p, q, radius=0.02, mass=1))
    m.add("A", lw.Revolute(lw.GROUND, m["left"], at=A, axis=z, rate=rate))
    m.add("B", lw.Revolute(m["left"], m["top"], at=B, axis=z))
    m.add("D", lw.Revolute(lw.GROUND, m["right"], at=D, axis=z))
    m.add("C", lw.Revolute(m["top"], m["right"], at=C, axis=z))
    return m


@pytest.mark.parametrize("h", [1e-2, 1e-3])
@pytest.mark.parametrize(
    "method",
    [lw.GeneralizedAlpha(), lw.EnergyMomentum(), lw.Recursive(), lw.Recursive(correction="direct"),
     lw.Recursive(correction="baumgarte")],
    ids=["GeneralizedAlpha", "EnergyMomentum", "Recursive", "direct", "baumgarte"],
)  # fmt: skip
def test_flat_position(method, h):
    """Without gravity it turns at a constant rate, through three flat positions in 2.4 s."""
    run = run_with(method, parallelogram(), t=2.4, h=h)
    left, right = (run[name].angle.values for name in ("A", "D"))
    assert np.abs(right - left).max() < 1e-6, "it stays a parallelogram"
    late = 1e-5 if isinstance(method, lw.Recursive) else 20 * h**2  # ω³ h² t/12 of the mid-point
    assert np.abs(left - 4 * run.time).max() < late
    energy = run.energy.total.values
    damped = isinstance(method, lw.GeneralizedAlpha)  # dissipates at rho = 0.8
    assert np.abs(energy / energy[0] - 1).max() < (1e-5 if damped else 1e-6)
    assert float(run.violation.position.max()) < 1e-8


@pytest.mark.filterwarnings("ignore:.*singular position")
@pytest.mark.parametrize("h", [5e-4, 1e-3, 1.37e-3, 2e-3, 3e-3])
def test_flat_position_without_correction(h):
    """Rows that a small violation would turn into nonsense are left out, and it does not fold."""
    run = run_with(lw.Recursive(correction=None), parallelogram(), t=2.4, h=h)
    left, right = (run[name].angle.values for name in ("A", "D"))
    assert np.abs(left - 4 * run.time).max() < 1e-6 and np.abs(right - left).max() < 1e-5
    assert float(run.violation.position.max()) < 1e-6
