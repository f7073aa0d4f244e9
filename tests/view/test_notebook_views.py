"""What notebooks and tables show: HTML of models and results, wide tables, files, copies."""

from __future__ import annotations

import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import linkwork as lw


def pendulum(push=None) -> lw.Model:
    m = lw.Model("pendulum <1>", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.02, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("push", lw.Force(rod, (1, 0, 0), drive=push or lw.ramp(0.0, 1.0)))
    return m


@pytest.fixture(scope="module")
def run():
    return lw.transient(pendulum(), t=0.2, h=0.01, progress=False)


class Cells(HTMLParser):
    """Checks that tags are closed in order, and collects what tables say."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_model_shows_bodies_joints_and_freedoms():
    text = pendulum()._repr_html_()
    rows = Cells(text).rows
    mass = 7800 * np.pi * 0.02**2
    assert next(r for r in rows if r[0] == "rod")[1] == f"{mass:.6g}"
    assert ["pin", "Revolute", "ground – rod", "x y z rx ry"] in rows
    assert "degrees of freedom 1 = 6 × 1 − rank 5" in text
    assert "pendulum &lt;1&gt;" in text and "<1>" not in text


def test_an_empty_model_shows_its_name():
    assert "nothing yet" in lw.Model("nothing yet")._repr_html_()


def test_result_shows_what_its_text_says(run):
    rows = dict(Cells(run._repr_html_()).rows)
    assert rows["time"] == "0 … 0.2 s, 21 stored" and rows["joints"] == "1 (pin)"
    for word, text in rows.items():
        assert re.search(rf"^  {word} +{re.escape(text)}$", repr(run), re.M)


def test_equilibrium_shows_reactions():
    m = pendulum(push=lw.ramp(0.0, 0.0))
    rows = Cells(lw.static(m)._repr_html_()).rows
    weight = 9.81 * 7800 * np.pi * 0.02**2
    numbers = [float(x) for x in next(r for r in rows if r[0] == "pin")[1:]]
    assert np.linalg.norm(numbers[:3]) == pytest.approx(weight, rel=1e-4)


def test_modes_and_state_space_show_their_numbers():
    m = pendulum(push=lw.ramp(0.0, 0.0))
    rest = lw.static(m)
    rows = Cells(lw.eigen(m, at=rest.state)._repr_html_()).rows
    slow = np.sqrt(1.5 * 9.81 / 1.0) / (2 * np.pi)  # √(3 g / 2 l) of a thin rod
    assert float(rows[1][2]) == pytest.approx(slow, rel=1e-3)
    space = lw.linearize(m, at=rest.state, inputs=["push"], outputs=["pin.angle"])
    rows = Cells(space._repr_html_()).rows
    assert rows[0] == ["", *space.states, "push"]
    shown = np.array([[float(x) for x in row[1:]] for row in rows[1:]])
    matrices = np.vstack([np.hstack([space.A, space.B]), np.hstack([space.C, space.D])])
    assert shown == pytest.approx(matrices, rel=1e-4, abs=1e-9)


def test_inverse_dynamics_prints_its_torques():
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    arm = m.add("arm", lw.Body(2, (0, 0, 0), position=(1, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, -1, 0), angle=lw.ramp(0)))
    inv = lw.inverse(m, t=1, h=0.5)
    assert repr(inv).splitlines()[0] == (
        "Inverse dynamics of 'arm': fully actuated, collocated, 0 … 1 s, 3 stored"
    )
    assert re.search(r"^  motor +N m( +19\.62){5}$", repr(inv), re.M)
    assert Cells(inv._repr_html_()).rows[1] == ["motor", "N m", *["19.62"] * 5]


def test_wide_table_has_plain_columns(run):
    table = run.to_pandas("rod.position", "pin.angle", "energy.total")
    assert list(table.columns) == [
        "rod.position.x", "rod.position.y", "rod.position.z", "pin.angle", "energy.total",
    ]  # fmt: skip
    assert np.array_equal(table.index.to_numpy(), run.time) and table.index.name == "time"
    assert np.array_equal(table["rod.position.z"], run["rod"].position[:, 2])
    assert table.attrs["units"]["energy.total"] == "J"
    every = run.to_pandas()
    assert {"rod.orientation.w", "pin.force.x", "energy.kinetic"} <= set(every.columns)
    with pytest.raises(lw.ModelError, match="did you mean 'position'"):
        run.to_pandas("rod.positoin")


def test_csv_comes_back_to_the_bit(run, tmp_path):
    run.to_csv(tmp_path / "run.csv", "rod.position", "pin.force")
    back = pd.read_csv(tmp_path / "run.csv", index_col="time")
    assert np.array_equal(back.to_numpy(), run.to_pandas("rod.position", "pin.force").to_numpy())
    run.to_csv(tmp_path / "units.csv", "rod.position.x", units=True)
    assert (tmp_path / "units.csv").read_text().startswith("time (s),rod.position.x (m)\n")
    with pytest.raises(lw.ResultFileError, match="no folder"):
        run.to_csv(tmp_path / "nowhere" / "run.csv")


def test_parquet_comes_back_to_the_bit(run, tmp_path):
    pytest.importorskip("pyarrow")
    run.to_parquet(tmp_path / "run.parquet")
    assert pd.read_parquet(tmp_path / "run.parquet").equals(run.to_pandas())


def test_parquet_without_its_package_is_one_sentence(run, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(lw.LinkworkError, match=r"pip install 'linkwork\[parquet\]'"):
        run.to_parquet(tmp_path / "run.parquet")


def test_a_run_that_stays_in_its_file_is_pickled(run, tmp_path, monkeypatch):
    run.save(tmp_path / "run.nc")
    monkeypatch.setenv("LINKWORK_MEMORY", "1e-6")  # MB: in a file from its first step on
    stored = lw.load(tmp_path / "run.nc")
    assert not isinstance(stored.motion, np.ndarray)
    again = pickle.loads(pickle.dumps(stored))
    assert np.array_equal(again.motion, run.motion) and np.array_equal(again.gamma, run.gamma)


def test_runs_are_pickled_with_views_and_functions():
    """Also a run whose outputs were asked for, and whose model has lambdas."""
    factor = 2.0
    m = pendulum(push=lambda t: factor * t)
    run = lw.transient(m, t=0.1, h=0.01, progress=False)
    run["rod"].position, run["pin"].force, run.energy
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again["pin"].force, run["pin"].force)
    assert np.array_equal(again.energy.total, run.energy.total)
    longer = lw.transient(again.system.model, t=0.1, h=0.01, progress=False)
    assert np.array_equal(longer.motion, run.motion)


def test_pickled_runs_have_all_outputs():
    """Families of elements are told apart by identity: those of a restored run are the same."""
    m = lw.Model("many", gravity=(0, 0, -9.81))
    a, b = (m.add(n, lw.Body.link((x, 0, 0), (x + 1, 0, 0), radius=0.02, density=7800))
            for n, x in (("a", 0), ("b", 1)))  # fmt: skip
    ball = m.add("ball", lw.Body.sphere(radius=0.1, mass=1, position=(3, 0, 0.2)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis="y", limits=(-1, 2)))
    m.add("cross", lw.Universal(a, b, at=(1, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 0, 1)))
    m.add("rope", lw.Distance(b, ball, at_a=(2, 0, 0), at_b=(3, 0, 0.2)))
    m.add("friction", lw.Friction(pin, 0.1, radius=0.02))
    m.add("mass", lw.VariableMass(b, mass=lw.ramp(0.1)))
    m.add("cable", lw.Cable(lw.GROUND, ball, at_a=(3, 0, 3), at_b=(3, 0, 0.3), stiffness=1e4,
                            mass=0.1))  # fmt: skip
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    again = pickle.loads(pickle.dumps(run))
    for name in m.items:
        assert again[name].names == run[name].names
        for output in run[name].names:
            found, expected = (np.asarray(getattr(r[name], output)) for r in (again, run))
            assert np.array_equal(found, expected, equal_nan=True), f"{name}.{output}"
    assert np.array_equal(again.energy.total, run.energy.total)


def test_a_file_without_its_model_is_told_at_once(tmp_path):
    m = pendulum(push=lambda t: 2.0 * t)
    run = lw.transient(m, t=0.02, h=0.01, progress=False)
    with pytest.warns(lw.FunctionWarning, match="cannot be viewed or resumed alone") as told:
        run.save(tmp_path / "run.nc")
    assert told[0].filename == __file__
    with pytest.warns(lw.FunctionWarning, match=r"drive of Force 'push'") as told:
        lw.transient(m, t=0.02, h=0.01, progress=False, file=tmp_path / "other.nc")
    assert told[0].filename == __file__ and len(told) == 1


def test_wrong_parameters_name_the_class_that_was_written():
    body = lw.Body(1, (1, 1, 1))
    with pytest.raises(lw.ParameterError, match=r"^Revolute has no parameter 'wrong'; it has a, b"):
        lw.Revolute(lw.GROUND, body, at=(0, 0, 0), wrong=1)
    with pytest.raises(TypeError, match="Body has no parameter 'positon'; did you mean 'position'"):
        lw.Body(1, (1, 1, 1), positon=(0, 0, 0))
    with pytest.raises(TypeError, match="Revolute: missing a required argument: 'b'"):
        lw.Revolute(lw.GROUND)


@pytest.mark.parametrize("joint", [lw.Spherical, lw.PointOnLine, lw.PointOnPlane])
@pytest.mark.parametrize("word", ["angle", "rate"])
def test_joints_that_bend_have_no_angle_to_start_with(joint, word):
    with pytest.raises(lw.ModelError, match=f"has no {word} to start with: it turns about more"):
        joint(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), **{word: 1.0})


def test_joints_document_every_parameter_that_they_take():
    for name in ("Lock", "Fixed", "Revolute", "Prismatic", "Cylindrical", "Planar", "Motor",
                 "Actuator", "Screw", "Gear", "Distance", "Universal", "Orthogonal",
                 "VelocityLock", "DriveHinge", "RigidBodyDisplacement"):  # fmt: skip
        cls = getattr(lw, name)
        told = {w.strip() for line in cls.__doc__.splitlines() if " : " in line
                for w in line.split(" : ")[0].split(",")}  # fmt: skip
        held = {"angle", "displacement", "rate", "speed"}  # of rows that a joint holds
        taken = set(cls.__signature__.parameters)
        assert taken - told <= held, (name, taken - told)
        if name == "Cylindrical":
            assert taken == told


def test_the_summary_says_which_event_ended_a_run():
    def hangs(time, now):
        return now["rod"].velocity[2]

    run = lw.transient(pendulum(), t=5, h=0.01, stop=hangs, progress=False)
    assert "stored, ended by " in str(run) and run.info["ended_by"] in str(run)
