"""Line loads on beams, and how beams are drawn."""

import numpy as np
import pytest
from inside import draw
from mistakes import refuse

import linkwork as lw
from linkwork.extend import rotations

SECTION = lw.Section(stiffness=[1e6, 1e6, 1e6, 20, 20, 30], mass=1.0)


def clamped(**words):
    m = lw.Model("line")
    beam = m.add("beam", lw.Beam((0, 0, 0), (2, 0, 0), SECTION, **words))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    return m, beam


@pytest.mark.parametrize("order", [2, 3])
def test_section_forces_of_a_line_load_are_exact(order):
    """q along a part of the span: shear q (b − x), moment q (b − x)²/2 at every section."""
    m, beam = clamped(elements=5, order=order)
    q, a, b = 1e-3, 0.33 * 2, 0.81 * 2
    m.add("load", lw.LineLoad(beam, force=(0, 0, -q), start=0.33, end=0.81))
    found = lw.static(m)["beam"]
    x = 2 * found.section_force.s.values
    shear = q * np.clip(b - x, 0, b - a)
    moment = q / 2 * (np.clip(b - x, 0, None) ** 2 - np.clip(a - x, 0, None) ** 2)
    # the deflection, 1e-4 of the length, turns the load against the sections
    np.testing.assert_allclose(-found.section_force.values[:, 2], shear, atol=1e-3 * q)
    np.testing.assert_allclose(found.section_moment.values[:, 1], moment, atol=1e-3 * q)


def test_deflection_under_a_uniform_load():
    """q L⁴/(8 EI) and shear q L²/(2 GA), to the fourth order of the element."""
    m, beam = clamped(elements=8)
    m.add("load", lw.LineLoad(beam, force=(0, 0, -1e-3)))
    exact = 1e-3 * (2**4 / (8 * 20) + 2**2 / 2e6)
    assert -lw.static(m)["beam.tip"].position.values[2] == pytest.approx(exact, rel=2e-5)


def test_moments_followers_and_drives():
    """A moment per length twists: κ_x = t (L − x)/GJ; a follower stays across a turned beam."""
    m, beam = clamped(elements=4)
    m.add("twist", lw.LineLoad(beam, moment=(0.5, 0, 0), drive=lw.ramp(0.5)))
    found = lw.static(m, time=1.0)["beam"].curvature.values[:, 0]
    s = lw.static(m, time=1.0)["beam"].curvature.s.values
    factor = float(lw.ramp(0.5).values(np.array([1.0]))[0])
    np.testing.assert_allclose(found, factor * 0.5 * (2 - 2 * s) / 20, rtol=1e-6, atol=1e-9)
    m, beam = clamped(elements=8)
    m.add("press", lw.LineLoad(beam, force=(0, 0, -8.0), follower=True))
    force = lw.static(m)["beam"].section_force
    end = force.sel(s=1.0, method="nearest").values
    assert abs(end[0]) < 0.05 * abs(end[2])  # across the section also where it has turned


def test_outputs_are_those_of_all_pieces():
    """q (b − a), m (b − a), and in a rigid turn about the start q ω (b² − a²)/2 + m ω (b − a)."""
    m = lw.Model("line")
    beam = m.add("beam", lw.Beam((0, 0, 0), (2, 0, 0), SECTION, angular_velocity=(0, -0.1, 0)))
    q, moment, a, b = 3.0, 0.7, 0.25 * 2, 0.8 * 2
    m.add("load", lw.LineLoad(beam, (0, 0, q), (0, -moment, 0), 0.25, 0.8))
    load = lw.transient(m, t=1e-3, h=1e-3, progress=False)["load"]
    np.testing.assert_allclose(load.force[0], (0, 0, q * (b - a)), atol=1e-12)
    np.testing.assert_allclose(load.torque[0], (0, -moment * (b - a), 0), atol=1e-12)
    power = 0.1 * (q * (b**2 - a**2) / 2 + moment * (b - a))
    assert float(load.power[0]) == pytest.approx(power, rel=1e-12)


def test_mistakes_get_one_sentence():
    beam = lw.Beam((0, 0, 0), (1, 0, 0), SECTION)
    for make, words in (
        (lambda: lw.LineLoad(3, (0, 0, 1)), "needs an lw.Beam"),
        (lambda: lw.LineLoad(beam, (0, 0, 1), start=0.7, end=0.2), "start < end"),
        (lambda: lw.LineLoad(beam, force=3), "force"),
    ):
        refuse(make, words)
    m = lw.Model()
    m.add("load", lw.LineLoad(beam, (0, 0, 1)))
    m.add("body", lw.Body(1, (1, 1, 1)))
    refuse(lambda: lw.compile_model(m), "not in model")


def test_beams_are_drawn_where_they_are():
    m, beam = clamped(elements=3)
    steel = lw.Section.rectangle(0.05, 0.02, E=2.1e11, density=7800)
    m.add("plank", lw.Beam((0, 1, 0), (2, 1, 0), steel, elements=3))
    m.add("held", lw.Fixed(lw.GROUND, m["plank"].root, at=(0, 1, 0)))
    m.add("load", lw.Force(beam.tip, (0, 0, -1)))
    found = lw.static(m)
    drawing = draw(found.result)
    lines = [line for line in drawing.lines if line.name == "beam"]
    assert len(lines) == 18
    np.testing.assert_allclose(lines[-1].end[0], found["beam.tip"].position.values, atol=1e-12)
    planks = [line for line in drawing.lines if line.name == "plank"]
    assert planks[0].sides == (0.05, 0.02)  # along y, which is the first cross axis of the piece
    axes = rotations.matrix(planks[4].orientation[0])
    np.testing.assert_allclose(axes, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-12)


def test_colours_follow_the_moment():
    """Blue at the free end, where there is none, red at the clamp."""
    m, beam = clamped(elements=3)
    m.add("load", lw.Force(beam.tip, (0, 0, -1)))
    lines = draw(lw.static(m).result, colours="moment").lines
    first, last = lines[0].shades[0], lines[-1].shades[0]
    assert first[0] > first[2] and last[2] > last[0]
    with pytest.raises(lw.ModelError, match="colours must be one of"):
        draw(lw.static(m).result, colours="heat")


def test_deflected_shapes_are_plotted():
    m, beam = clamped(elements=3)
    m.add("load", lw.Force(beam.tip, (0, 0, -1)))
    found = lw.static(m)
    ax = found["beam"].plot_shape(plane="xz")
    at_rest, bent = ax.get_lines()
    tip = found["beam.tip"].position.values
    np.testing.assert_allclose(bent.get_xydata()[-1], tip[[0, 2]], atol=1e-12)
    np.testing.assert_allclose(at_rest.get_xydata()[-1], beam.curve.position(1.0)[[0, 2]])
    with pytest.raises(lw.ModelError, match="two of x, y, z"):
        found["beam"].plot_shape(plane="ab")
