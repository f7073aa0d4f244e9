"""lw.compare and lw.topology: tables, orders, refusals and pictures."""

import warnings

import numpy as np
import pytest
from recursive_models import chain_with, four_bar, hexapod

import linkwork as lw
from linkwork.analysis.comparison.compare import PairOrder
from linkwork.analysis.comparison.differences import angle_between, apart

GA, EM, REC = "GeneralizedAlpha", "EnergyMomentum", "Recursive"


def pendulum():
    """Exact by elliptic functions: IFToMM A01, see test_order."""
    m = lw.Model("A01", gravity=(0, -9.81, 0))
    ball = m.add("ball", lw.Body(1, (0, 0, 0), position=(-1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, ball, at=(0, 0, 0), axis=(0, 0, 1)))
    return m


def test_differences_are_errors_of_the_lower_order():
    """Against RK4's solution the difference of generalized-alpha is its true error."""
    found = lw.compare(pendulum(), t=1, h=2e-3)
    assert list(found.runs) == [GA, EM, REC] and found.reference == REC
    exact = np.array([0.98629175113188, -0.16501085312554, 0.0])
    for name in (GA, EM):
        error = np.linalg.norm(found.runs[name]["ball"].position.values[-1] - exact)
        told = float(found.table.position.sel(run=name))
        assert 0.99 * error < told < 20 * error
    row = found.table.sel(run=REC)
    assert float(row.position) == float(row.angle) == float(row.force) == 0
    assert float(found.table.energy.sel(run=EM)) < 1e-8
    assert np.all(found.table.cpu.values > 0) and np.all(found.table.cpu.values < 0.1)
    assert np.all(found.table.violation.values < 1e-8)
    text = str(found)
    assert "largest differences from Recursive" in text and text.count("\n") == 4


def test_observed_orders():
    found = lw.compare(pendulum(), t=0.5, h=5e-3, check_order=True)
    assert set(found.orders) == {(GA, EM), (GA, REC), (EM, REC)}
    for pair in found.orders.values():
        assert pair.expected == 2 and pair.observed == pytest.approx(2, abs=0.1) and pair.agree
    assert found.agree
    assert "order 2.0" in str(found) and "DO NOT" not in str(found)


@pytest.mark.filterwarnings("ignore::linkwork.errors.VelocityWarning")
def test_methods_of_order_four():
    found = lw.compare(
        chain_with(lw.Universal, True), t=0.2, h=4e-3, methods=[lw.RK4(), lw.Recursive()],
        check_order=True,
    )  # fmt: skip
    (pair,) = found.orders.values()
    assert pair.expected == 4 and pair.observed > 3.65 and found.agree


def test_a_wrong_result_does_not_agree():
    """A difference that does not vanish with the step is no error of the methods."""
    assert not PairOrder(1e-3, 0.9e-3, 2).agree
    assert not PairOrder(1e-3, 5e-4, 2).agree  # first order
    assert PairOrder(1e-3, 2.6e-4, 2).agree
    assert PairOrder(1e-12, 1e-12, 2).agree  # round-off


def test_a_method_that_refuses_is_listed_with_its_reason():
    found = lw.compare(four_bar(lw.PointOnLine, motor=lw.ramp(3)), t=0.1, h=2e-3)
    assert list(found.runs) == [GA, REC]
    assert "follows a function of time" in found.refused[EM]
    assert f"{EM} did not run: Motor 'A'" in str(found)
    assert np.isnan(float(found.table.position.sel(run=EM)))


def test_redundancy_is_told_once():
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = lw.compare(four_bar(), t=0.05, h=1e-3)
    said = [w for w in heard if issubclass(w.category, lw.LinkworkWarning)]
    assert len(said) == 1 and "reactions in these directions are not unique" in str(said[0].message)
    assert float(found.table.force.sel(run=GA)) < 1, "reactions of least norm, in all of them"


def test_reference_and_names():
    methods = [lw.GeneralizedAlpha(0.5), lw.GeneralizedAlpha(0.9)]
    found = lw.compare(pendulum(), t=0.1, h=1e-2, methods=methods, reference=methods[1])
    assert list(found.runs) == ["GeneralizedAlpha(rho=0.5)", "GeneralizedAlpha(rho=0.9)"]
    assert found.reference == "GeneralizedAlpha(rho=0.9)"
    with pytest.raises(lw.ModelError, match="check_order=True"):
        found.agree  # noqa: B018


def test_times_in_common():
    """A method that steps on its own is compared where both have stored."""
    methods = [lw.Recursive(), lw.ODE("DOP853", rtol=1e-10, atol=1e-12)]
    found = lw.compare(four_bar(lw.PointOnLine), t=0.1, h=2e-3, methods=methods, every=5)
    assert float(found.table.position.max()) < 1e-8


@pytest.mark.parametrize(
    "words, said",
    [
        ({"methods": [lw.RK4()]}, "at least two integrators"),
        ({"methods": lw.RK4()}, "at least two integrators"),
        ({"reference": lw.RK4()}, "reference of compare must be one of the methods"),
        ({"h": 0}, "h, the step"),
        ({"every": 0}, "every"),
    ],
)
def test_nonsense(words, said):
    with pytest.raises(lw.ModelError, match=said):
        lw.compare(pendulum(), **{"t": 0.1, "h": 0.01, **words})


def test_nothing_runs():
    with pytest.raises(lw.ModelError, match="no method could run"):
        lw.compare(pendulum(), 0.1, 0.01, methods=["one", "two"])


def test_angles_between_orientations():
    q = np.array([1.0, 0, 0, 0])
    for angle in (1e-12, 1e-3, 1.0, 3.0):
        p = np.array([np.cos(angle / 2), 0, np.sin(angle / 2), 0])
        assert angle_between(q, p) == pytest.approx(angle, rel=1e-9)
        assert angle_between(q, -p) == pytest.approx(angle, rel=1e-9)


def test_plot():
    import matplotlib.pyplot as plt

    found = lw.compare(four_bar(lw.PointOnLine), t=0.1, h=2e-3)
    axes = found.plot()
    assert len(axes) >= 3 and all(ax.get_yscale() == "log" for ax in axes)
    assert [line.get_label() for line in axes[0].lines] == [GA, EM]
    curve = axes[0].lines[0].get_ydata()
    assert curve.max() == pytest.approx(float(found.table.position.sel(run=GA)))
    _, ax = plt.subplots()
    assert found.plot(ax) is ax
    plt.close("all")


# ----------------------------------------------------------------------------------------- topology


def test_topology_in_words():
    found = lw.topology(four_bar())
    assert found.primary == ["A", "B", "D"] and found.cut == ["C"]
    assert set(found.loop("C")) == {"crank", "coupler", "rocker", "ground"}
    assert str(found).splitlines()[0] == "ground" and "cut: C, between" in str(found)
    other = lw.topology(four_bar(), cuts=["B"])
    assert other.cut == ["B"] and "C" in other.primary


def chain(n):
    m = lw.Model("chain")
    before: object = lw.GROUND
    for k in range(n):
        link = m.add(f"link {k}", lw.Body(1, (1, 1, 1), position=(k, 0, 0)))
        m.add(f"hinge {k}", lw.Revolute(before, link, at=(k - 0.5, 0, 0), axis=(0, 0, 1)))
        before = link
    return m


@pytest.mark.parametrize("build", [four_bar, hexapod, lambda: chain(3), lambda: chain(40)])
def test_picture_shows_every_body_and_joint_once(build):
    """All names, no two bodies in one place, cut joints in red, on a picture of a page's width."""
    import matplotlib.pyplot as plt

    model = build()
    found = lw.topology(model)
    ax = found.plot()
    words = [t for t in ax.texts if t.get_text()]
    shown = sorted(t.get_text() for t in words)
    assert shown == sorted([*found.names, *found.primary, *found.cut, "ground"])
    bodies = [t for t in words if t.get_text() in {*found.names, "ground"}]
    places = np.array([t.get_position() for t in bodies])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 9 * np.eye(len(places))
    assert apart.min() > 0.3  # inches
    red = [t.get_text() for t in words if t.get_color() == "#c1272d"]
    assert sorted(red) == sorted(found.cut)
    assert ax.figure.get_size_inches()[0] < 14
    _, given = plt.subplots()
    assert found.plot(given) is given
    plt.close("all")


def test_errors_that_cancel_are_no_disagreement():
    """Differences far below what each method errs by need no order; those beside it do."""
    slow = {"coarse": 1e-7, "fine": 6e-8, "expected": 2}  # order 0.7
    assert PairOrder(**slow, own=1e-5).agree
    assert not PairOrder(**slow, own=1e-7).agree
    assert PairOrder(coarse=1e-7, fine=2.5e-8, expected=2, own=1e-8).agree


def low_pass(w=3.0):
    """ẋ = −x + sin wt, x(0) = 1: x = (sin wt − w cos wt)/(1 + w²) + (1 + w/(1 + w²)) exp(−t)."""
    m = lw.Model("low pass")
    m.add("filter", lw.StateSpace([[-1.0]], [[1.0]], [lw.sine(1.0, w / (2 * np.pi))], start=1.0))
    return m


def test_values_of_nodes_are_compared():
    """Also in a model without bodies, where positions and orientations say nothing."""
    methods = [lw.GeneralizedAlpha(), lw.RK4()]
    found = lw.compare(low_pass(), t=2, h=0.02, methods=methods, check_order=True)
    (pair,) = found.orders.values()
    assert pair.expected == 2 and pair.observed == pytest.approx(2, abs=0.1) and found.agree
    w, t = 3.0, found.runs[GA].time
    exact = (np.sin(w * t) - w * np.cos(w * t)) / (1 + w * w) + (1 + w / (1 + w * w)) * np.exp(-t)
    error = np.abs(found.runs[GA]["filter"].state.values.ravel() - exact).max() / exact.max()
    assert float(found.table.value.sel(run=GA)) == pytest.approx(error, rel=1e-2)
    assert float(found.table.position.sel(run=GA)) == 0.0
    assert "value (1)" in str(found)
    assert "value" not in lw.compare(pendulum(), t=0.1, h=0.01).table
    assert found.plot().get_ylabel() == "values of nodes"


def test_runs_whose_values_differ_do_not_agree():
    one, other = (lw.transient(low_pass(w), t=1, h=0.02, progress=False) for w in (3.0, 3.1))
    assert apart(one, one) == 0.0 and apart(one, other) > 1e-3
