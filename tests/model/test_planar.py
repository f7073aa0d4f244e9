"""Planar models: no redundant rows but those of the plane, the motion and reactions of the model in
space, and refusals of what leads out of the plane."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from inside import assemble_model, model_from_dict, model_to_dict

import linkwork as lw

AXES = {"xz": (0, 1, 0), "xy": (0, 0, 1), "yz": (1, 0, 0)}
TURN = {"xz": np.eye(3), "xy": np.eye(3)[[0, 2, 1]], "yz": np.eye(3)[[1, 0, 2]]}


def four_bar(plane, planar=True, parallel=0):
    """Crank, coupler and rocker; `parallel` further cranks beside the first (a parallelogram)."""
    P, n = TURN[plane], AXES[plane]
    m = lw.Model("four-bar", gravity=P @ (0, 0, -9.81), planar=plane if planar else None)
    A, B, C, D = (P @ p for p in ((0, 0, 0), (0.1, 0, 0.3), (1.1, 0, 0.3), (1.0, 0, 0)))
    words = {"radius": 0.01, "density": 7800}
    crank = m.add("crank", lw.Body.link(A, B, **words))
    coupler = m.add("coupler", lw.Body.link(B, C, **words))
    rocker = m.add("rocker", lw.Body.link(D, C, **words))
    m.add("A", lw.Revolute(lw.GROUND, crank, at=A, axis=n))
    m.add("B", lw.Revolute(crank, coupler, at=B, axis=n))
    m.add("C", lw.Revolute(coupler, rocker, at=C, axis=n))
    m.add("D", lw.Revolute(rocker, lw.GROUND, at=D, axis=n))
    if parallel:
        E, F = (P @ p for p in ((0.5, 0, 0), (0.6, 0, 0.3)))
        middle = m.add("middle", lw.Body.link(E, F, **words))
        m.add("E", lw.Revolute(lw.GROUND, middle, at=E, axis=n))
        m.add("F", lw.Revolute(middle, coupler, at=F, axis=n))
    return m


def silent(m, **words):
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        return lw.transient(m, t=0.2, h=1e-3, progress=False, **words)


@pytest.mark.parametrize("plane", AXES)
def test_a_four_bar_moves_as_in_space_without_a_warning(plane):
    run = silent(four_bar(plane))
    with pytest.warns(lw.LinkworkWarning, match="3 of its 5 rows"):
        space = lw.transient(four_bar(plane, planar=False), t=0.2, h=1e-3, progress=False)
    np.testing.assert_allclose(run.motion, space.motion, rtol=0, atol=1e-10)
    n = np.array(AXES[plane])
    for joint in "ABCD":  # reactions in the plane are those of Newton's laws alone
        force, other = run[joint].force_world.values, space[joint].force_world.values
        np.testing.assert_allclose(force, other, rtol=0, atol=1e-6)
        np.testing.assert_allclose(force @ n, 0, atol=1e-6)
        np.testing.assert_allclose(run[joint].torque, 0, atol=1e-6)
    moved = sum(run[b].acceleration.values * run.system.model[b].mass
                for b in ("crank", "coupler", "rocker"))  # fmt: skip
    weight = sum(run.system.model[b].mass for b in ("crank", "coupler", "rocker"))
    held = run["A"].force_world.values - run["D"].force_world.values  # on the crank; on the ground
    np.testing.assert_allclose(held, moved - weight * run.system.model.gravity, atol=1e-6)


def test_rows_and_freedoms_are_those_of_the_plane():
    m = four_bar("xz")
    text = m.summary()
    assert "degrees of freedom 1 = 3 × 3 − rank 8 of 8 rows in the plane xz" in text
    assert "redundant" not in text
    closing = [line.split()[-2:] for line in text.splitlines() if line.startswith("  D ")]
    assert closing == [["x", "y"]]
    found = assemble_model(m, warn=False)
    assert found.redundancy.rank == 17 and found.redundancy.messages == []
    report = repr(silent(four_bar("xz")))
    assert "redundant" not in report and "for reactions that joints share" in report


def test_what_is_redundant_in_the_plane_is_still_told():
    """A parallelogram with a third crank: one row too many, in the plane too."""
    with pytest.warns(lw.LinkworkWarning, match="rows? repeats?|repeat"):
        lw.transient(four_bar("xz", parallel=1), t=0.05, h=1e-3, progress=False)
    text = four_bar("xz", parallel=1).summary()
    assert "degrees of freedom 1 = 3 × 4 − rank 11 of 12 rows" in text


def test_joint_coordinates_agree():
    a, b = silent(four_bar("xz")), silent(four_bar("xz"), method=lw.Recursive())
    np.testing.assert_allclose(a.motion[-1], b.motion[-1], rtol=0, atol=2e-5)


def test_a_free_body_stays_in_the_plane():
    """About its middle axis it would tumble in space, and with this tensor at once."""
    m = lw.Model("puck", planar="xy")
    inertia = np.diag([1.0, 3.0, 2.0])
    inertia[0, 2] = inertia[2, 0] = 0.3
    m.add("puck", lw.Body(1.0, inertia, velocity=(1, 2, 0), angular_velocity=(0, 0, 5)))
    run = silent(m)
    np.testing.assert_allclose(run["puck"].position[-1], [0.2, 0.4, 0], atol=1e-12)
    np.testing.assert_allclose(run["puck"].angular_velocity[-1], [0, 0, 5], atol=1e-12)
    assert "degrees of freedom 3 = 3 × 1 − rank 0 of 0 rows" in m.summary()


def test_slides_balls_and_distances_in_a_plane():
    """A slider-crank closed by a ball joint and a slide, beside one of pins; and a rod."""
    def model(ball, planar):
        m = lw.Model("slider", gravity=(0, 0, -9.81), planar=planar)
        crank = m.add("crank", lw.Body.link((0, 0, 0), (0.1, 0, 0.2), radius=0.01, density=7800))
        rod = m.add("rod", lw.Body.link((0.1, 0, 0.2), (0.8, 0, 0), radius=0.01, density=7800))
        block = m.add("block", lw.Body(1.0, (0.1, 0.1, 0.1), position=(0.8, 0, 0)))
        m.add("O", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=(0, 1, 0)))
        m.add("A", lw.Revolute(crank, rod, at=(0.1, 0, 0.2), axis=(0, 1, 0)))
        joint = lw.Spherical if ball else lw.Revolute
        words = {} if ball else {"axis": (0, 1, 0)}
        m.add("B", joint(rod, block, at=(0.8, 0, 0), **words))
        m.add("slide", lw.Prismatic(lw.GROUND, block, at=(0.8, 0, 0), axis=(1, 0, 0)))
        m.add("stay", lw.Distance(block, m.add("bob", lw.Body(
            0.5, (0.1, 0.1, 0.1), position=(0.8, 0, -0.4)))))
        return m

    pins, balls = silent(model(False, "xz")), silent(model(True, "xz"))
    np.testing.assert_allclose(pins.motion, balls.motion, rtol=0, atol=1e-9)
    assert "degrees of freedom 4 = 3 × 4" not in model(True, "xz").summary()  # the bob turns: 3
    assert "degrees of freedom 3 = 3 × 4 − rank 9 of 9 rows" in model(True, "xz").summary()


def test_a_flexible_link_bends_in_the_plane():
    def model(planar):
        m = lw.Model("link", gravity=(0, 0, -9.81), planar=planar)
        steel = lw.Section.rectangle(0.02, 0.004, E=7e10, density=2700)
        crank = m.add("crank", lw.Body.link((0, 0, 0), (0, 0, 0.3), radius=0.01, density=7800))
        link = m.add("link", lw.FlexibleLink((0, 0, 0.3), (1, 0, 0.4), steel, normal=(0, 1, 0)))
        rocker = m.add("rocker", lw.Body.link((1, 0, 0), (1, 0, 0.4), radius=0.01, density=7800))
        for name, a, b, at in (("A", lw.GROUND, crank, (0, 0, 0)), ("B", crank, link.root,
                               (0, 0, 0.3)), ("C", link.tip, rocker, (1, 0, 0.4)),
                               ("D", rocker, lw.GROUND, (1, 0, 0))):  # fmt: skip
            m.add(name, lw.Revolute(a, b, at=at, axis=(0, 1, 0)))
        m.add("push", lw.Torque(crank, (0, 1, 0)))
        return m

    run = silent(model("xz"))
    with pytest.warns(lw.LinkworkWarning, match="3 of its 5 rows"):
        space = lw.transient(model(None), t=0.2, h=1e-3, progress=False)
    np.testing.assert_allclose(run.motion, space.motion, rtol=0, atol=1e-8)


def test_the_plane_is_stored():
    m = four_bar("xy")
    again = model_from_dict(model_to_dict(m))
    assert again.planar == "xy"
    np.testing.assert_array_equal(silent(again).motion, silent(m).motion)


REFUSED = [
    (lambda m, b: m.add("u", lw.Universal(lw.GROUND, b, at=(0, 0, 0), axis_a=(1, 0, 0),
                                          axis_b=(0, 1, 0))), "Universal 'u' does not belong"),
    (lambda m, b: m.add("s", lw.Screw(lw.GROUND, b, at=(0, 0, 0), axis=(0, 0, 1), pitch=0.1)),
     "Screw 's' does not belong"),
    (lambda m, b: m.add("r", lw.Revolute(lw.GROUND, b, at=(0, 0, 0), axis=(1, 0, 0))),
     "Revolute 'r' can only move out of the plane"),
    (lambda m, b: m.add("r", lw.Revolute(lw.GROUND, b, at=(0, 0, 0), axis=(1, 0, 1))),
     "axes of Revolute 'r' are askew to the plane"),
    (lambda m, b: m.add("l", lw.Lock(lw.GROUND, b, at=(0, 0, 0), drive={"z": lw.ramp(1)})),
     "Lock 'l' is driven out of the plane"),
    (lambda m, b: m.add("f", lw.Force(b, (0, 0, 1))), "vector of Force 'f' leads out"),
    (lambda m, b: m.add("t", lw.Torque(b, (1, 0, 0))), "vector of Torque 't' leads out"),
    (lambda m, b: setattr(m, "gravity", (0, 0, -1)), "gravity .* leads out of the plane"),
    (lambda m, b: setattr(b, "velocity", (0, 0, 1)), "velocity of Body 'b' leads out"),
    (lambda m, b: setattr(b, "angular_velocity", (0, 1, 0)), "angular velocity of Body 'b'"),
    (lambda m, b: m.add("k", lw.FlexibleLink((0, 0, 0), (1, 0, 0), lw.Section.circle(
        0.01, E=2e11, density=7800))), "FlexibleLink 'k' bends out of the plane"),
    (lambda m, b: setattr(m, "planar", "zz"), "planar of model .* must be 'xy', 'xz' or 'yz'"),
]  # fmt: skip


@pytest.mark.parametrize("change, message", REFUSED, ids=[text for _, text in REFUSED])
def test_what_leads_out_of_the_plane_is_refused(change, message):
    m = lw.Model("plane", planar="xy")
    b = m.add("b", lw.Body(1.0, (1, 2, 3)))
    with pytest.raises(lw.ModelError, match=message):
        change(m, b)
        lw.assemble(m)
