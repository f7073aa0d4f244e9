"""The code in the README and in the contributor's page runs, and gives the numbers it should."""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.model import registry

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str = "python") -> list[str]:
    """The code blocks of a page in one language, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def execute(code: str, name: str = "page_of_code") -> dict:
    """Run a block as a module in the current folder."""
    path = Path(f"{name}.py").resolve()
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return vars(module)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Files go to a folder of their own, and figures to nowhere."""
    monkeypatch.chdir(tmp_path)
    import matplotlib

    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_pendulum_is_ten_lines():
    lines = [line for line in blocks("README.md")[0].splitlines() if line.strip()]
    assert len(lines) <= 10


def test_pendulum(tmp_path):
    """From the horizontal at rest: sin(θ/2) = k sn(K + ω t), k = sin 45°, θ from the vertical."""
    names = execute(blocks("README.md")[0])
    run = names["run"]
    length, radius = 1.0, 0.01
    inertia = length**2 / 3 + radius**2 / 4  # of a round rod about its end, per mass
    omega = np.sqrt(9.81 * length / 2 / inertia)
    sn = ellipj(ellipk(0.5) + omega * run.time, 0.5)[0]
    theta = 2 * np.arcsin(np.sqrt(0.5) * sn)
    expected = length / 2 * np.stack([np.sin(theta), 0 * theta, -np.cos(theta)], axis=1)
    # second order, h = 1e-3, five seconds: about (ω h)² ω t
    np.testing.assert_allclose(run["rod"].position.values, expected, atol=2e-4)
    assert lw.load(tmp_path / "pendulum.nc").time[-1] == 5


def test_closed_loop(capsys):
    """The rocker's extreme positions are where crank and coupler lie in one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = execute(blocks("README.md")[1])["run"]
    told = [str(w.message) for w in caught if issubclass(w.category, lw.LinkworkWarning)]
    assert len(told) == 1 and "repeat" in told[0]
    crank, coupler, rocker, base = 0.1, np.hypot(0.4, 0.2), 0.3, 0.4
    reach = np.array([coupler - crank, coupler + crank])
    angle = np.arccos((base**2 + rocker**2 - reach**2) / (2 * base * rocker))
    # steps of 1 ms miss the extreme by at most half of its curvature times (1/2 ms)²
    assert np.ptp(run["D"].angle.values) == pytest.approx(np.ptp(angle), abs=1e-5)
    assert float(abs(run.energy.balance).max()) < 1e-3
    assert "the rocker swings through" in capsys.readouterr().out


def test_commands_of_the_readme():
    from inside import app
    from typer.testing import CliRunner

    lines = [line.split() for block in blocks("README.md", "") for line in block.splitlines()]
    commands = [words[1:] for words in lines if words[:1] == ["linkwork"]]
    assert len(commands) == 6
    for words in commands:
        words = [str(ROOT / w) if w.startswith("examples/") else w for w in words]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output


def test_links_of_all_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/howto").glob("*.md")]
    assert len(pages) >= 15
    docs = ROOT / "docs"
    examples = {path.stem for path in (ROOT / "examples").glob("*.py")} | {"index"}
    for page in pages:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            place = (page.parent / link).resolve()
            if place.parent == docs / "gallery":  # the build writes a page for every example
                assert place.stem in examples, f"{page.name} links to {link}"
            # pages of the reference are written by the build, which checks them
            elif not link.startswith("http") and place.parent != docs / "api":
                assert place.exists(), f"{page.name} links to {link}"


def test_joints_of_the_contributors_page():
    """Both joints of CONTRIBUTING.md work, and satisfy the test of all derivatives."""
    from derivative_checks import (
        check_damping,
        check_rates,
        check_stiffness_and_jacobian,
        sample_system,
    )

    before = dict(registry.ITEMS)
    try:
        row, family = (
            execute(code, f"joint_{i}") for i, code in enumerate(blocks("CONTRIBUTING.md")[:2])
        )
        for names, name in ((row, "Slot"), (family, "Bar")):
            assert registry.ITEMS[name] is names[name]
            for check in (check_stiffness_and_jacobian, check_damping, check_rates):
                check(*sample_system(name, 1))
        m = lw.Model("ball on a rod", gravity=(0, 0, -9.81))
        ball = m.add("ball", lw.Body(1, (1, 1, 1), position=(2, 0, 0)))
        m.add("rod", family["Bar"](lw.GROUND, ball))
        run = lw.transient(m, t=1, h=1e-3, progress=False)
        np.testing.assert_allclose(np.linalg.norm(run["ball"].position, axis=1), 2, atol=1e-9)
        # energy: at depth z the speed is √(2 g z), and the rod pulls with m g z/L + m v²/L
        depth = -run["ball"].position[-1, 2].item()
        pull = np.linalg.norm(run["rod"].force[-1])
        assert pull == pytest.approx(9.81 * depth / 2 + 2 * 9.81 * depth / 2, rel=1e-4)
    finally:
        registry.ITEMS.clear()  # other tests walk the registry
        registry.ITEMS.update(before)


def test_integrator_of_the_contributors_page():
    names = execute(blocks("CONTRIBUTING.md")[2])
    m = lw.Model("ball", gravity=(0, 0, -9.81))
    m.add("ball", lw.Body(1, (1, 1, 1)))
    errors = []
    for h in (0.02, 0.01):
        run = lw.transient(m, t=1, h=h, method=names["BackwardEuler"](), progress=False)
        errors.append(abs(run["ball"].position[-1, 2].item() + 9.81 / 2))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.1)  # of order one


def test_tank_of_the_contributors_page():
    """Torricelli: √h = √h₀ − (a/A) √(g/2) t until it is empty; with an inflow h = (Q/a)²/2g."""
    before = dict(registry.ITEMS)
    try:
        tank = execute(blocks("CONTRIBUTING.md")[3], "tank")["OpenTank"]
        m = lw.Model("tank")
        m.add("tank", tank(area=0.5, outlet=0.01, level=1.0))
        run = lw.transient(m, t=10, h=0.02, progress=False)
        root = 1 - 0.01 / 0.5 * np.sqrt(9.81 / 2) * run.time
        np.testing.assert_allclose(run["tank"].level, root**2, rtol=0, atol=1e-9)
        fed = lw.Model("tank")
        fed.add("tank", tank(area=0.5, outlet=0.01, level=0.3, inflow=0.02))
        rest = lw.static(fed)
        assert float(rest["tank"].level) == pytest.approx(2.0**2 / (2 * 9.81), rel=1e-9)
        assert lw.eigen(fed, at=rest).eigenvalues == pytest.approx([-0.0981], rel=1e-6)
    finally:
        registry.ITEMS.clear()
        registry.ITEMS.update(before)


def test_results_of_the_contributors_tank_go_into_files_and_come_back(tmp_path):
    """Values with units, bit for bit; a run that goes on from the file has the same digits."""
    before = dict(registry.ITEMS)
    try:
        tank = execute(blocks("CONTRIBUTING.md")[3], "tank")["OpenTank"]
        m = lw.Model("tank")
        m.add("tank", tank(area=0.5, outlet=0.01, level=1.0, inflow=lw.sine(0.01, 2.0)))
        whole = lw.transient(m, t=2, h=0.05, progress=False)
        lw.transient(m, t=1, h=0.05, progress=False).save(tmp_path / "half.nc")
        back = lw.load(tmp_path / "half.nc")
        assert back["tank"].level.attrs["units"] == "m"
        with xr.open_dataset(tmp_path / "half.nc") as file:
            assert file.number.values.tolist() == ["level 'tank'"]
            assert file.unit.values.tolist() == ["m"]
        assert back["tank"].level_rate.attrs["units"] == "m/s"
        np.testing.assert_array_equal(back["tank"].level, whole["tank"].level[:21])
        rest = lw.resume(tmp_path / "half.nc", t=2, progress=False)
        np.testing.assert_array_equal(rest["tank"].level[-1], whole["tank"].level[-1])
        assert "nodes      1 (level 'tank')" in repr(back)
        assert "values of nodes: 1" in repr(lw.assemble(m))
    finally:
        registry.ITEMS.clear()
        registry.ITEMS.update(before)


def test_classes_named_as_one_of_linkwork_are_not_mistaken_for_it(tmp_path):
    """A file says that an item's class is the user's; another class of that name is not taken."""
    before = dict(registry.ITEMS)
    try:
        code = blocks("CONTRIBUTING.md")[3].replace("class OpenTank", "class Tank")
        m = lw.Model("tank")
        m.add("tank", execute(code, "tank")["Tank"](area=0.5, outlet=0.01, level=1.0))
        lw.transient(m, t=1, h=0.1, progress=False).save(tmp_path / "tank.nc")
        registry.ITEMS.clear()
        registry.ITEMS.update(before | {"Tank": lw.hydraulics.Tank})
        with pytest.raises(lw.ModelError, match="a class Tank that linkwork does not have"):
            lw.load(tmp_path / "tank.nc")
    finally:
        registry.ITEMS.clear()
        registry.ITEMS.update(before)
