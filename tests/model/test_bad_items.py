"""Mistakes in bodies, frames, joints and loads: each gets one clear sentence.

The registry is walked where all joints must refuse the same.
"""

from dataclasses import fields

import numpy as np
import pytest
from inside import ITEMS
from mistakes import PIN, A, B, body, refuse, sample

import linkwork as lw

THERMAL = {"Radiation", "Resistance"}  # between temperatures, not bodies
JOINTS = sorted(n for n in ITEMS if {"a", "b"} <= {f.name for f in fields(ITEMS[n])})
JOINTS = [n for n in JOINTS if n not in THERMAL]


@pytest.mark.parametrize("name", JOINTS)
def test_nothing_joins_a_body_with_itself(name):
    assert len(JOINTS) > 15
    item, (a, _), _ = sample(name)
    words = item.parameters()
    for same in (dict(a=a, b=a), dict(a=lw.GROUND, b=lw.GROUND)):
        assert "with itself" in refuse(lambda same=same: type(item)(**{**words, **same}))
    places = [w for w in words if w in ("at", "axis", "at_a", "at_b", "axis_a", "axis_b")]
    words = {k: v for k, v in words.items() if k not in places}
    ends = dict(a=lw.Frame(a), b=lw.Frame(a, (0, 0, 1), (0.5, 0.5, 0.5, 0.5)))
    assert "with itself" in refuse(lambda: type(item)(**{**words, **ends}))


@pytest.mark.parametrize("name", JOINTS)
def test_a_zero_axis_points_nowhere(name):
    item, _, _ = sample(name)
    for word in ("axis", "axis_a", "axis_b"):
        if item.parameters().get(word) is None:
            continue
        refuse(
            lambda word=word: type(item)(**{**item.parameters(), word: (0, 0, 0)}),
            rf"{word} of an? {name} must not be zero; give a direction",
        )
        big = type(item)(**{**item.parameters(), word: 1e49 * np.asarray(item.parameters()[word])})
        one, other = (x.frames[0].orientation for x in (big, item))
        np.testing.assert_allclose(one, other, atol=1e-15)


MISTAKES = [
    # frames
    (lambda: lw.Frame(lw.Frame(A)), "needs a body or GROUND.*give its body, a Body"),
    (lambda: lw.Frame(PIN), "needs a body or GROUND, but a Revolute was given"),
    (lambda: lw.Frame("rod"), "needs a body or GROUND, but 'rod' was given"),
    (lambda: lw.Frame(A, (0, 0, np.inf)), "position of a frame on a Body must be finite"),
    (lambda: lw.Frame(A, orientation=np.zeros(4)), "all four numbers are zero"),
    (lambda: lw.Frame(A, orientation=np.eye(4)), "must be a quaternion"),
    (lambda: lw.Frame(A, orientation=2 * np.eye(3)), "rotation matrix"),
    (lambda: lw.Frame(A, orientation=np.diag([1, 1, -1])), "determinant"),
    # where a joint is
    (lambda: lw.Revolute(A, B), r"needs at=\(x, y, z\)"),
    (lambda: lw.Revolute(A, B, axis=(0, 0, 1)), r"needs at=\(x, y, z\)"),
    (lambda: lw.Revolute(A, B, at=(0, 0, 0), axis=(1, 0, 0), orientation=np.eye(3)), "not both"),
    (lambda: lw.Revolute(lw.Frame(A), B, at=(0, 0, 0)), "frame says where the joint is"),
    (lambda: lw.Revolute(lw.Frame(A), lw.Frame(B), axis=(1, 0, 0)), "not both"),
    (lambda: lw.Revolute(A, PIN, at=(0, 0, 0)), "needs a body, a Frame or GROUND, but a Revolute"),
    (lambda: lw.Revolute((0, 0, 0), A, B), "needs a body, a Frame or GROUND"),
    # rows and drives
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x x"), "each once, but 'x x'"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x q"), "must be some of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows=""), "must be some of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows=6), "must be some of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x", drive={"y": 1}), "'y', which is not one of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x", drive={"x": None}), "expected a drive"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x", drive=lw.ramp(1)), "must be a dict from rows"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), drive_a={"angle": 1}), "drive_a .*'angle'"),
    (lambda: lw.Motor(A, B, at=(0, 0, 0)), "needs angle="),
    (lambda: lw.Actuator(A, B, at=(0, 0, 0)), "needs displacement="),
    (lambda: lw.Motor(A, B, (0, 0, 0), (0, 0, 1), "sin(t)"), r"angle of a Motor.*expression\("),
    # starts
    (lambda: lw.Prismatic(A, B, at=(0, 0, 0), angle=1), "no angle to start with: it is held"),
    (lambda: lw.Fixed(A, B, at=(0, 0, 0), rate=1), "no rate to start with"),
    (lambda: lw.Prismatic(A, B, at=(0, 0, 0), rate=1, speed=1), "rate or speed, not both"),
    (lambda: lw.Revolute(A, B, at=(0, 0, 0), angle=lw.ramp(1)), "angle of a Revolute must be"),
    # lengths and loads
    (lambda: lw.Distance(A, B, length=0), "must be positive, but 0 was given; use Spherical"),
    (lambda: lw.Distance(A, body()), "coincide.*use Spherical"),
    (lambda: lw.Spring(A, B, 100), "at_a of a Spring must be 3 numbers, but 100"),
    (lambda: lw.Force(lw.GROUND, (1, 0, 0)), "acts on GROUND, which cannot move"),
    (lambda: lw.Force((1, 0, 0), A), "needs a body, a Frame or GROUND"),
    (lambda: lw.Torque(lw.Frame(lw.GROUND), (1, 0, 0)), "acts on GROUND"),
    (lambda: lw.Force(A, (1, 0, 0), follower="no"), "follower of a Force must be True or False"),
    (lambda: lw.UserForce(A, lambda t, m: 0, stiff=2), "stiff of a UserForce must be True or"),
    # bodies
    (lambda: body(mass=-1), "mass of a Body must be at least 0, but -1 was given"),
    (lambda: body(mass="2"), "mass of a Body must be a number"),
    (lambda: body(mass=True), "mass of a Body must be a number"),
    (lambda: body(mass=[1.0]), "mass of a Body must be a number"),
    (lambda: body(mass=10**400), r"mass of a Body must be at most 1e\+50 in size, but 1000"),
    (lambda: body(inertia=1), "3 numbers or a 3×3 matrix"),
    (lambda: body(inertia=(1, 1)), "3 numbers or a 3×3 matrix"),
    (lambda: body(inertia=[[1, 0, 0], [0, 1, 0.1], [0, 0, 1]]), "symmetric"),
    (lambda: body(inertia=(1, 1, -0.1)), "negative principal moment, but has -0.1"),
    (lambda: body(inertia=(1, 1, 2.1)), "triangle inequality.* 1, 1, 2.1"),
    (lambda: body(inertia=(1e308, 1e308, 1e300)), r"inertia of a Body must be at most 1e\+50"),
    (lambda: body(position="abc"), "position of a Body must be 3 numbers"),
    (lambda: body(position=("1", "2", "3")), "position of a Body must be 3 numbers"),
    (lambda: body(velocity=3), "velocity of a Body must be 3 numbers"),
    (lambda: body(orientation=(0, 0, 0, 0)), "all four numbers are zero"),
    (lambda: body(shape={"kind": "sphere", "radius": np.nan}), "shape of a Body must have finite"),
    (lambda: lw.Body.box((1, 2), mass=1), "size of Body.box must be 3 numbers"),
    (lambda: lw.Body.box(1, mass=1), "size of Body.box must be 3 numbers"),
    (lambda: lw.Body.box((1, 0, 1), mass=1), "edge of Body.box must be positive"),
    (lambda: lw.Body.box((1, 1, 1)), "either density or mass"),
    (lambda: lw.Body.box((1, 1, 1), mass=1, density=1), "either density or mass"),
    (lambda: lw.Body.cylinder(0.1, -1, mass=1), "length of Body.cylinder must be positive"),
    (lambda: lw.Body.sphere(0.1, density=0), "density of Body.sphere must be positive"),
    (lambda: lw.Body.link((0, 0, 0), (0, 0, 0), 0.1, mass=1), "two different points"),
    (lambda: lw.Body.link((0, 0, 0), (1, 0, 0), 0.1, mass=1, position=(0, 0, 0)), "leave out pos"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), MISTAKES)
def test_mistakes_are_explained(make, words):
    refuse(make, words)


def test_inertia_may_miss_the_triangle_by_rounding():
    J = body(inertia=(1, 1, 2 * (1 + 4e-10))).inertia
    assert J[2, 2] == 2 * (1 + 4e-10)  # as it was given
    refuse(lambda: body(inertia=(1, 1, 2 * (1 + 4e-9))), "triangle inequality")
    # a flat plate in turned axes misses it by rounding only
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    for scale in (1e-12, 1.0, 1e12):
        body(inertia=scale * R @ np.diag([1.0, 2.0, 3.0]) @ R.T)
    assert not body(inertia=(0, 0, 0)).inertia.any()


def test_quaternions_are_normalised_with_a_warning():
    with pytest.warns(lw.LinkworkWarning, match="orientation of a Body .* length 2; it was norm"):
        q = body(orientation=(2, 0, 0, 0)).orientation
    np.testing.assert_array_equal(q, [1, 0, 0, 0])
    with pytest.warns(lw.LinkworkWarning, match="a frame on a Body"):
        q = lw.Frame(A, orientation=(1e-200, 0, 0, 1e-200)).orientation
    np.testing.assert_allclose(q, np.sqrt([0.5, 0, 0, 0.5]), rtol=1e-15)
    with pytest.warns(lw.LinkworkWarning, match="orientation of a Fixed"):
        lw.Fixed(A, B, at=(0, 0, 0), orientation=[0, 3, 0, 0])
    body(orientation=(1 + 1e-10, 0, 0, 0))  # rounding needs no warning


def test_scipy_rotations():
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_euler("z", 90, degrees=True)
    np.testing.assert_allclose(body(orientation=turn).orientation, np.sqrt([0.5, 0, 0, 0.5]))
    many = Rotation.from_euler("z", [[10], [20]], degrees=True)
    refuse(lambda: body(orientation=many), "one scipy Rotation")


@pytest.mark.parametrize(("make", "words"), [
    (lambda: lw.Body.box(1, 2, 3, mass=1), r"too many .*; write Body.box\(size, density=, "),
    (lambda: lw.Body.box(size=(1, 1, 1), mass=1, colour="red"), "Body has no parameter 'colour'"),
    (lambda: lw.Body.sphere(mass=1), "Body.sphere: missing .*'radius'"),
    (lambda: lw.Beam.along([(0, 0, 0), (1, 0, 0)]), "Beam.along: missing .*'section'"),
    (lambda: lw.Section.circle(0.01, e=2e11, density=1), "Section.circle: missing .*'E'"),
    (lambda: lw.Section.circle(0.01, E=2e11, density=1, colour="red"), "Section has no .*'colour'"),
])  # fmt: skip
def test_calls_that_do_not_fit_are_explained(make, words):
    refuse(make, words, lw.ParameterError)
