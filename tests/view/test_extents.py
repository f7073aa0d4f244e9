"""Floors lie under what is drawn, pictures hold it, and cams are drawn where they touch."""

from __future__ import annotations

import numpy as np
import pytest
from inside import draw, shot
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.view.solids.extents import lowest, reach
from linkwork.view.solids.shapes import Part

UP = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("part, points", [
    (Part("box", (0.4, 0.2, 0.6)), np.array(np.meshgrid(*[[-0.2, 0.2], [-0.1, 0.1], [-0.3, 0.3]]))),
    (Part("mesh", vertices=np.eye(3), faces=np.array([[0, 1, 2]])), np.eye(3)),
])  # fmt: skip
def test_the_reach_of_a_part_is_that_of_its_corners(part, points):
    points = points.reshape(3, -1).T if len(points.shape) > 2 else points
    ways = Rotation.random(20, random_state=1).apply(UP)
    np.testing.assert_allclose(reach(part, ways), (ways @ points.T).max(axis=1), rtol=1e-12)


def test_the_reach_of_a_tilted_cylinder():
    """r sin a + l/2 cos a along a direction at the angle a to its axis, plus its place."""
    a = np.linspace(0, np.pi / 2, 7)
    turn = np.array([np.cos(0.3), np.sin(0.3), 0, 0])  # about x by 0.6
    part = Part("cylinder", (0.3, 0.8), np.array([0.0, 0, 2.0]), turn)
    ways = np.column_stack([0 * a, -np.sin(0.6 + a), np.cos(0.6 + a)])
    expected = 0.3 * np.sin(a) + 0.4 * np.cos(a) + 2 * np.cos(0.6 + a)
    np.testing.assert_allclose(reach(part, ways), expected, rtol=1e-12)


def test_the_floor_touches_what_stands_on_it():
    """A long vehicle on wheels of 0.3 m: the floor is where the wheels are lowest."""
    m = lw.Model("vehicle", gravity=(0, 0, -9.81))
    box = m.add("chassis", lw.Body.box((4, 1.2, 0.3), mass=1000, position=(0, 0, 0.25)))
    for k, x in enumerate((-1.5, 1.5)):
        wheel = m.add(f"wheel {k}", lw.Body.cylinder(
            0.3, 0.2, mass=10, position=(x, 0.7, 0.25), orientation=(0.5**0.5, -(0.5**0.5), 0, 0),
        ))  # fmt: skip
        m.add(f"axle {k}", lw.Revolute(box, wheel, at=(x, 0.7, 0.25), axis=(0, 1, 0)))
    for name in ("chassis", "wheel 0", "wheel 1"):
        m[name].velocity = (2.0, 0.0, 0.0)
    m.add("track", lw.Planar(lw.GROUND, box, at=(0, 0, 0.25), axis=(0, 0, 1)))
    run = lw.transient(m, t=0.5, h=0.01, progress=False)
    drawing = draw(run)
    np.testing.assert_allclose(lowest(drawing, UP, np.arange(len(run))), -0.05, atol=1e-9)
    assert shot(drawing).floor == pytest.approx([0, 0, -0.05], abs=1e-9)


def in_picture(look, points: np.ndarray) -> np.ndarray:
    """Shares of half the picture's height, across and up; a picture of 16 : 9."""
    back = (look.position - look.target) / look.distance
    right = np.cross(look.up, back)
    right /= np.linalg.norm(right)
    d = points - look.position
    scale = 1 / np.tan(look.fov / 2) / -(d @ back)
    return np.column_stack([d @ right * scale / (16 / 9), d @ np.cross(back, right) * scale])


def test_a_turning_blade_stays_in_the_picture():
    """The tip of a blade of 10 m on a small hub, over a whole turn."""
    m = lw.Model("rotor")
    m.air = lw.Air(density=1.2)
    hub = m.add("hub", lw.Body(100, (20, 20, 20), angular_velocity=(3, 0, 0)))
    m.add("shaft", lw.Revolute(lw.GROUND, hub, at=(0, 0, 0), axis=(1, 0, 0), rate=3))
    m.add("blade", lw.LiftingSurface(
        hub, [(0, 1.0), (1, 1.0)], lw.Airfoil.naca0012(), (0, 1, 0), (0, 10, 0), forward=(0, 0, 1),
        up=(1, 0, 0), points=4,
    ))  # fmt: skip
    run = lw.transient(m, t=2.2, h=0.02, progress=False)
    turns = Rotation.from_quat(np.roll(run.motion[:, 0, 3:7], -1, axis=1))
    for side in ("home", "front", "side", "top"):
        seen = in_picture(shot(draw(run), side), turns.apply([0, 10, 0]))
        assert np.abs(seen).max() < 1


@pytest.mark.parametrize("radius", [None, 0.01])
def test_a_cam_and_its_follower_touch_where_they_are_drawn(radius):
    """An eccentric disc, r = 30 mm about (10, 0) mm, and a flat face or a roller above it."""
    t = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    disc = np.column_stack([0.01 + 0.03 * np.cos(t), 0.03 * np.sin(t)])
    m = lw.Model("cam", gravity=(0, -9.81, 0))
    cam = m.add("cam", lw.Body(1, (1e-3,) * 3))
    m.add("shaft", lw.Motor(lw.GROUND, cam, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(10)))
    height = 0.03 if radius is None else np.sqrt(0.04**2 - 0.01**2)
    tappet = m.add("tappet", lw.Body(0.2, (1e-4,) * 3, position=(0, height, 0)))
    m.add("guide", lw.Prismatic(lw.GROUND, tappet, at=(0, height, 0), axis=(0, 1, 0)))
    face = lw.Frame(tappet, (0, 0, 0), (np.sqrt(0.5), np.sqrt(0.5), 0, 0))
    law = lw.laws.HuntCrossley(1e9, damping=200)
    m.add("touch", lw.CamFollower(
        cam, face if radius is None else tappet, disc, radius=radius, law=law
    ))  # fmt: skip
    run = lw.transient(m, t=1e-3, h=1e-4, progress=False)
    drawing = draw(run)
    drawn = {s.name: s for s in drawing.symbols}
    (plate,), (follower,) = drawn["cam of touch"].parts, drawn["touch"].parts
    ways = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    np.testing.assert_allclose(reach(plate, ways), [0.04, 0.02, 0.03, 0.03], rtol=1e-3)
    corners = plate.vertices[plate.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volume = np.einsum("fi,fi->", corners[:, 0], normals) / 6  # the divergence theorem
    depth = np.ptp(plate.vertices[:, 2])
    assert volume == pytest.approx(np.pi * 0.03**2 * depth, rel=2e-3)
    if radius is None:
        assert reach(follower, UP[None])[0] == 0  # the face
    else:
        assert reach(follower, ways) == pytest.approx(radius)
        np.testing.assert_allclose(np.linalg.norm([0.01, height]), 0.03 + radius, rtol=1e-9)


def test_the_lids_of_a_cam_with_hollows():
    """r = 30 + 12 cos 3t mm: its area is half the integral of r², and no triangle lies outside."""
    from linkwork.view.cams import inner_triangles

    t = np.linspace(0, 2 * np.pi, 600, endpoint=False)
    r = 0.03 + 0.012 * np.cos(3 * t)
    outline = np.column_stack([r * np.cos(t), r * np.sin(t)])
    a, b, c = np.moveaxis(outline[inner_triangles(outline)], 1, 0)
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    areas = (ux * vy - uy * vx) / 2
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(np.pi * (0.03**2 + 0.012**2 / 2), rel=1e-3)
