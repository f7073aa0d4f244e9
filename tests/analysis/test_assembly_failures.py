"""Assembly that cannot succeed: which joints are open, by how much."""

import numpy as np
import pytest
from inside import assemble_model
from open_linkages import Z, bodies, displaced, errors, four_bar

import linkwork as lw

pytestmark = pytest.mark.usefixtures("quiet")


def stretched(reach, m=None, tag="", shift=0.0):
    """A bar of 1 m between two balls `reach` apart."""
    m = m or lw.Model("bar")
    bar = m.add(f"bar{tag}", lw.Body(1, (1, 1, 1), position=(0.6, 0.1 + shift, 0)))
    for i, x in ((0, 0.0), (1, reach)):
        m.add(
            f"ball{tag}{i}",
            lw.Spherical(lw.Frame(lw.GROUND, (x, shift, 0)), lw.Frame(bar, (i - 0.5, 0, 0))),
        )
    return m


@pytest.mark.parametrize("reach", [1.5, 1.01, 3.0])
def test_a_bar_that_is_too_short_says_by_how_much(reach):
    with pytest.raises(lw.AssemblyError, match="'bar' cannot be assembled") as caught:
        lw.assemble(stretched(reach))
    gap = 1e3 * (reach - 1) / 2  # shared by both ends, in millimetres
    for name in ("ball0", "ball1"):
        assert caught.value.violations[name]["mm"] == pytest.approx(gap, rel=1e-4)
        assert caught.value.violations[name]["deg"] == 0
        assert f"'{name}' by {gap:.3g} mm" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_rods_that_do_not_reach_each_other():
    """0.4 m and 0.5 m between points 1.5 m apart: 0.3 m each."""
    m = lw.Model("rods")
    ball = m.add("ball", lw.Body(1, (1, 1, 1), position=(0.6, 0.2, 0.1)))
    m.add("left", lw.Distance(lw.GROUND, ball, at_a=(0, 0, 0), length=0.4))
    m.add("right", lw.Distance(lw.GROUND, ball, at_a=(1.5, 0, 0), length=0.5))
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(m)
    for name in ("left", "right"):
        assert caught.value.violations[name]["mm"] == pytest.approx(300, rel=1e-3)


def test_failures_are_listed_by_size():
    m = stretched(1.02, tag="small")
    stretched(1.6, m, tag="large", shift=1.0)
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=1, position=(0, 0, 1)))
    for name, angle in (("one", 0.0), ("two", 0.2)):
        m.add(name, lw.Motor(lw.GROUND, wheel, (0, 0, 1), Z, angle=angle))
    m.add("fine", lw.Body(1, (1, 1, 1)))
    m.add("good", lw.Revolute(lw.GROUND, m["fine"], at=(0, 0, 0), axis=Z))
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(m)
    error = caught.value
    order = list(error.violations)
    assert {*order[:2]} == {"balllarge0", "balllarge1"} and {*order[2:4]} == {"one", "two"}
    assert {*order[4:6]} == {"ballsmall0", "ballsmall1"} and order[6:] == ["good"]
    assert error.violations["balllarge0"]["mm"] == pytest.approx(300, rel=1e-3)
    assert error.violations["ballsmall0"]["mm"] == pytest.approx(10, rel=1e-3)
    assert error.violations["one"]["deg"] == pytest.approx(np.degrees(0.1), rel=1e-3)
    text = str(error)
    assert text.index("balllarge") < text.index("'one'") < text.index("ballsmall")
    assert "good" not in text and "5.73°" in text and "300 mm" in text


def test_axes_that_cannot_be_perpendicular_say_by_how_many_degrees():
    """Fixed to the ground with axes at 60 degrees: 30 degrees are missing."""
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    axis = (np.cos(np.pi / 3), np.sin(np.pi / 3), 0)
    m.add("square", lw.Orthogonal(lw.GROUND, b, axis_a=(1, 0, 0), axis_b=axis))
    with pytest.raises(lw.AssemblyError, match=r"'square' by 30°"):
        lw.assemble(m, fixed=["b"])


def test_a_door_whose_hinges_are_not_in_line():
    m = lw.Model("door")
    door = m.add("door", lw.Body.box((1, 0.04, 2), mass=12, position=(0.5, 0, 1)))
    m.add("low", lw.Revolute(lw.GROUND, door, at=(0, 0, 0.2), axis=Z))
    m.add("high", lw.Revolute(lw.GROUND, door, at=(0, 0, 1.8), axis=Z))
    assert errors(assemble_model(m)) < 1e-12
    crooked = lw.Frame(door, (-0.5, 0, 0.8 + 0.001))  # 1 mm too high on the door
    m.add("third", lw.Revolute(lw.Frame(lw.GROUND, (0, 0, 1.8)), crooked))
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(m)
    found = [v["mm"] for v in caught.value.violations.values()]
    np.testing.assert_allclose(sorted(found), [1 / 3, 1 / 3, 2 / 3], rtol=1e-3)  # least squares
    assert next(iter(caught.value.violations)) == "third"


def test_an_error_of_rounding_is_no_failure():
    """Far from the origin coordinates carry fewer digits."""
    m = displaced(four_bar()[0], 0.01)
    far = lw.Model("far")
    shift = np.array([1e4, -2e4, 5e3])
    for name, b in bodies(m).items():
        far.add(name, lw.Body(1, (1, 1, 1), b.position + shift, b.orientation))
    ends = {id(b): far[n] for n, b in bodies(m).items()}
    for name, item in m.items.items():
        if name not in far:
            fa, fb = (
                lw.Frame(ends.get(id(f.body), lw.GROUND), f.position
                         + (shift if f.body is lw.GROUND else 0), f.orientation)
                for f in item.frames
            )  # fmt: skip
            far.add(name, type(item)(fa, fb))
    here, there = assemble_model(m), assemble_model(far)
    assert errors(there) < 1e-10
    # the extent L, hence the metric, is another one there: both are nearest, each in its own
    assert np.abs(there.state.orientations - here.state.orientations).max() < 0.05


def test_markers_half_a_turn_apart_find_each_other():
    """Im(ρ) has its largest value there, so no direction leads downhill: a nudge is needed."""
    for turn in ((0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)):
        m = lw.Model()
        body = m.add("body", lw.Body(1, (0.1, 0.1, 0.1)))
        m.add("weld", lw.Fixed(lw.Frame(lw.GROUND), lw.Frame(body, orientation=turn)))
        q = lw.assemble(m)["body"].orientation
        assert abs(np.dot(q, turn)) == pytest.approx(1, abs=1e-12)
