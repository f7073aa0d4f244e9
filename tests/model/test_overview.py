"""The overview of a model counts with the true rank and names what there is."""

from __future__ import annotations

from dataclasses import replace

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.overview.masses import masses_of
from linkwork.analysis.overview.overview import graph_lines, joint_graph


def four_bar(closing=lw.Revolute) -> lw.Model:
    A, B, C, D = np.array([[0, 0, 0], [0, 0, 0.1], [0.4, 0, 0.3], [0.4, 0, 0]])
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    crank = m.add("crank", lw.Body.link(A, B, radius=0.01, mass=1))
    coupler = m.add("coupler", lw.Body.link(B, C, radius=0.01, mass=2))
    rocker = m.add("rocker", lw.Body.link(D, C, radius=0.01, mass=3))
    for name, a, b, at in (("A", lw.GROUND, crank, A), ("B", crank, coupler, B),
                           ("C", coupler, rocker, C)):  # fmt: skip
        m.add(name, lw.Revolute(a, b, at=at, axis=(0, 1, 0)))
    m.add("D", closing(lw.GROUND, rocker, at=D, axis=(0, 1, 0)))
    return m


def test_freedoms_are_counted_with_the_true_rank():
    """Four hinges in space: 20 rows of rank 17 leave the one motion of a planar four-bar."""
    text = four_bar().summary()
    assert "degrees of freedom 1 = 6 × 3 − rank 17 of 20 rows" in text
    assert "redundant rows 3" in text and "left out as redundant" in text
    assert "together 6 kg" in text
    text = four_bar(lw.PointOnLine).summary()
    assert "degrees of freedom 1 = 6 × 3 − rank 17 of 17 rows" in text
    assert "redundant" not in text


def test_print_is_the_summary_and_repr_one_line():
    m = four_bar()
    assert str(m) == m.summary()
    assert repr(m) == "Model 'four-bar': 3 Body, 4 Revolute"
    for word in ("crank", "coupler", "rocker", "ground – crank", "gravity (0, 0, -9.81) m/s²"):
        assert word in str(m)


def test_joint_graph_names_every_joint_once():
    lines = graph_lines(joint_graph(four_bar()))
    assert lines == [
        "ground",
        "├─ A: Revolute → crank",
        "│  └─ B: Revolute → coupler",
        "└─ D: Revolute → rocker",
        "   └─ C: Revolute → coupler (closes a loop)",
    ]


def test_free_bodies_and_forces():
    m = lw.Model("loose")
    a, b = (m.add(x, lw.Body(1, (1, 1, 1), position=(k, 0, 0))) for k, x in enumerate("ab"))
    m.add("spring", lw.Spring(a, b, stiffness=1))
    m.add("ball", lw.Spherical(a, b, at=(0.5, 0, 0)))
    assert graph_lines(joint_graph(m)) == ["a (free)", "└─ ball: Spherical → b"]
    assert "spring          Spring     a – b" in str(m)
    assert "degrees of freedom 9 = 6 × 2 − rank 3 of 3 rows" in str(m)


def test_models_that_cannot_be_assembled_or_are_empty_are_shown_all_the_same():
    m = four_bar()
    m.add("impossible", lw.Distance(lw.GROUND, m["rocker"], at_a=(9, 9, 9), length=0.01))
    assert "cannot be assembled" in str(m) and "impossible" in str(m)
    assert "no bodies yet" in str(lw.Model("empty"))


def test_graph_as_a_picture():
    ax = four_bar().draw_graph()
    texts = {t.get_text() for t in ax.texts}
    assert {"ground", "crank", "coupler", "rocker", "A (Revolute)", "D (Revolute)"} <= texts
    plt.close("all")


def test_long_models_are_cut():
    m, last = lw.Model("chain"), lw.GROUND
    for k in range(60):
        link = m.add(f"link {k}", lw.Body(1, (1, 1, 1), position=(k, 0, 0)))
        m.add(f"pin {k}", lw.Revolute(last, link, at=(k, 0, 0), axis=(0, 1, 0)))
        last = link
    text = str(m)
    assert "degrees of freedom 60" in text and "… and 31 more" in text
    assert len(text.splitlines()) < 110


STEEL = lw.Section.circle(0.05, E=2.1e11, density=7800)


def crane(inertia="lumped") -> lw.Model:
    m = lw.Model("crane", gravity=(0, 0, -9.81))
    mast = m.add("mast", lw.Beam((0, 0, 0), (0, 0, 10), STEEL, elements=4, inertia=inertia))
    m.add("foot", lw.Fixed(lw.GROUND, mast.root, at=(0, 0, 0)))
    load = m.add("load", lw.Body.box((1, 1, 1), mass=500, position=(6, 0, 5)))
    m.add("rope", lw.Cable(mast.tip, load, at_b=(6, 0, 5.5), stiffness=1e6, mass=2.0, length=9))
    m.add("fuel", lw.VariableMass(load, lw.polynomial([3.0, -1.0]), centre=(0, 0, 0.5)))
    return m


@pytest.mark.parametrize("inertia", ["lumped", "consistent"])
def test_beams_cables_and_variable_masses_are_in_mass_and_centre(inertia):
    """A beam ρ A l in its middle, ρ A l³/12 across it; the rope 2 kg/m along its catenary."""
    m = crane(inertia)
    assembled = assemble_model(m)
    found = masses_of(assembled.full.system.model, assembled)
    assert list(found) == ["mast", "load", "rope", "fuel"]
    mast, rope = found["mast"], found["rope"]
    mass = 7800 * np.pi * 0.05**2 * 10
    assert mast.mass == pytest.approx(mass)
    np.testing.assert_allclose(mast.centre, (0, 0, 5), atol=1e-9)
    np.testing.assert_allclose(mast.moments[1:], mass * 100 / 12, rtol=0.07)
    points = np.array([(0, 0, 10), *(node.value for node in m["rope"].vector_nodes()), (6, 0, 5.5)])
    weight = np.array([0.5, *np.ones(15), 0.5]) * 18 / 16
    assert rope.mass == pytest.approx(18)
    np.testing.assert_allclose(rope.centre, weight @ points / 18, atol=1e-9)
    assert (found["fuel"].mass, *found["fuel"].centre) == (3, 6, 0, 5.5)
    assert f"together {500 + mass + 18 + 3:.6g} kg" in str(m)
    assert f"{mass:.6g}" in m._repr_html_()


def test_freedoms_of_cables_and_sliders_are_counted():
    """Nodes of the mast and the load have six each, points of the rope three."""
    assert "degrees of freedom 99 = 6 × 10 + 45 values − rank 6 of 6 rows" in str(crane())
    m = lw.Model("bead")
    wire = m.add("wire", lw.Beam((0, 0, 0), (2, 0, 0), STEEL, elements=1))
    m.add("ends", lw.Fixed(lw.GROUND, wire.root, at=(0, 0, 0)))
    m.add("bead", lw.Body(0.1, (1, 1, 1), position=(0.4, 0, 0)))
    m.add("slides", lw.BeamSlider(m["bead"], wire))
    assert "degrees of freedom 16 = 6 × 4 + 1 values − rank 9 of 9 rows" in str(m)


def test_no_line_is_wider_than_a_page():
    m = crane()
    ball = lw.Body.sphere(0.1, mass=1)
    bodies = [m.add(f"ball {k}", replace(ball, position=(k, 5, 0))) for k in range(20)]
    m.add("balls", lw.Contact(bodies, hard=True))
    m.add("net", lw.Contact(bodies, lw.GROUND))
    assert max(map(len, str(m).splitlines())) <= 100
    assert "ground – ball 0 – ball 1 – … 18 more" in str(m)
