"""Decks seen from a frame that moves: rigid body kinematics against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_decks import ran, same
from mbdyn_text import deck_text

import linkwork as lw
from linkwork.extend import rotations


def test_rotating_frame():
    """Seen from the fixed world, an ellipse: X = a cos ω t, Y = (Ω a/ω) sin ω t."""
    deck, run, tables = ran("rotating_frame")
    a, spin, w, t = 0.1, 2.0, 10.0, run.time
    X, Y = a * np.cos(w * t), spin * a / w * np.sin(w * t)
    c, s = np.cos(spin * t), np.sin(spin * t)
    exact = np.stack([c * X + s * Y, c * Y - s * X], axis=1)
    np.testing.assert_allclose(tables.node(1)[:, :2], exact, atol=1e-5)
    m = lw.Model()
    body = m.add("node 1", lw.Body(1.5, (0.2, 0.2, 0.2), position=(a, 0, 0)))
    m.add("springs", lw.Bushing(lw.Frame(lw.GROUND), lw.Frame(body), stiffness=[150] * 3 + [0] * 3))
    m.add("hold", lw.Align(lw.GROUND, body))
    m.add("spin", lw.MovingFrame(body, angular_velocity=(0, 0, spin)))
    same(run, m)
    # the table shifts the two frequencies in its plane by its own speed
    modes = lw.eigen(deck.model, at=lw.static(deck.model, progress=False).state)
    np.testing.assert_allclose(modes.eigenvalues.imag, [w - spin, w, w + spin], rtol=1e-9)
    # at rest on the table a stretched spring carries the centrifugal force: k (x − x₀) = m Ω² x
    n = lw.Model()
    bead = n.add("bead", lw.Body(1.5, (0.2, 0.2, 0.2), position=(1, 0, 0)))
    n.add("spring", lw.Spring(lw.GROUND, bead, stiffness=150, length=1))
    n.add("hold", lw.Lock(lw.GROUND, bead, at=(1, 0, 0), rows="y z rx ry rz"))
    n.add("spin", lw.MovingFrame(bead, angular_velocity=(0, 0, spin)))
    x = lw.static(n, progress=False)["bead"].position.values[0]
    assert x == pytest.approx(150 / (150 - 1.5 * spin**2), rel=1e-10)


def test_turning_frame():
    """x = R₀ᵀ(X − X₀) of the free fall X, seen from an origin that accelerates."""
    _, run, tables = ran("turning_frame")
    t, W, g = run.time, 1.5, 9.81
    X = np.stack([1 - t**2, 0 * t, -g * t**2 / 2], axis=1)  # less the way of the origin, 2 t²/2
    R = rotations.matrix(rotations.exponential(np.outer(t, (0, W, 0))))
    exact = np.einsum("tji,tj->ti", R, X)
    node = tables.node(1)
    np.testing.assert_allclose(node[:, :3], exact, atol=1e-5)
    np.testing.assert_allclose(np.radians(node[:, 4]), -W * t, atol=1e-6)  # does not turn


@pytest.mark.parametrize(
    "kinematics",
    ["const, angular velocity, 0., 1.5, 0.",
     "drive, angular velocity, 0., 1., 0., const, 1.5",
     "drive, angular velocity, 0., 3., 0., const, .5, angular acceleration, null",
     "drive, orientation, 0., 1.5, 0., time, angular velocity, 0., 1.5, 0., unit"],
)  # fmt: skip
def test_forms_of_rigid_body_kinematics(tmp_path, kinematics):
    """Gravity across the axis turns in the frame, however its rotation is given."""
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        "structural: 1, dynamic, 1., 0., 0., eye, 0., 0., 1.5, 0., -1.5, 0.;",
        "body: 1, 1, 2., null, diag, 1., 2., 1.5; gravity: 0., 0., -1., const, 9.81;",
        control=f"rigid body kinematics: {kinematics};", time="1.", step="1.e-3",
    ))  # fmt: skip
    deck = lw.read_deck(path)
    run = lw.run_deck(deck, progress=False)
    t = run.time
    X = np.stack([1 + 0 * t, 0 * t, -9.81 * t**2 / 2], axis=1)
    R = rotations.matrix(rotations.exponential(np.outer(t, (0, 1.5, 0))))
    exact = np.einsum("tji,tj->ti", R, X)
    np.testing.assert_allclose(run["node 1"].position.values, exact, atol=3e-5)


def test_gravity_in_a_frame_that_is_turned_once(tmp_path):
    """A constant orientation R₀ turns gravity, too: R₀ᵀg."""
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        "structural: 1, dynamic, null, eye, null, null;",
        "body: 1, 1, 2., null, eye; gravity: 0., 0., -1., const, 9.81;",
        control="rigid body kinematics: const, orientation, euler123, pi/2., 0., 0.;",
    ))  # fmt: skip
    np.testing.assert_allclose(lw.read_deck(path).model.gravity, (0, -9.81, 0), atol=1e-14)


def test_a_free_body_in_a_moving_frame():
    """The same motion seen from a frame that turns about a fixed axis and accelerates."""
    n = np.array([0.2, 0.3, 0.9]) / np.linalg.norm([0.2, 0.3, 0.9])
    w0, a0 = 0.7 * n, np.array([0.1, -0.2, 0.3])
    x, v, o = np.array([1, 0, 0.3]), np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 2])
    J = np.diag([1, 2, 2.5])
    fixed, moving = lw.Model(), lw.Model()
    fixed.add("b", lw.Body(2, J, position=x, velocity=v, angular_velocity=o))
    body = moving.add("b", lw.Body(
        2, J, position=x, velocity=v - np.cross(w0, x), angular_velocity=o - w0))
    t = np.linspace(0, 1, 501)
    turn = rotations.matrix(rotations.exponential(np.outer(t, w0)))
    # constant in the world, the acceleration of the origin turns backwards in the frame
    across, along = a0 - n * (n @ a0), n * (n @ a0)
    laws = [lw.expression(f"{along[k]} + ({across[k]})*cos(0.7*t)"
                          f" - ({np.cross(n, across)[k]})*sin(0.7*t)") for k in range(3)]
    moving.add("frame", lw.MovingFrame(body, laws, w0))
    runs = [lw.transient(m, 1, 2e-3, progress=False) for m in (fixed, moving)]
    p, q = (run["b"].position.values for run in runs)
    back = np.einsum("tij,tj->ti", turn, q) + 0.5 * t[:, None] ** 2 * a0
    np.testing.assert_allclose(back, p, atol=1e-6)
    R, S = (rotations.matrix(run["b"].orientation.values) for run in runs)
    np.testing.assert_allclose(turn @ S, R, atol=3e-6)


def test_a_strapdown_sensor_with_gravity_in_a_moving_frame_is_refused(tmp_path):
    """Gravity that turns in the frame is a force on bodies, which the sensor cannot leave out."""
    path = tmp_path / "deck.mbd"

    def deck(gravity):
        path.write_text(deck_text(
            "structural: 1, dynamic, 1., 0., 0., eye, null, null;",
            f"body: 1, 1, 2., null, eye; joint: 8, strapdown sensor, 1; {gravity}",
            control="rigid body kinematics: const, angular velocity, 0., 0., 3.;",
        ))  # fmt: skip
        return lw.read_deck(path)

    run = lw.run_deck(deck(""), progress=False)
    assert run["joint 8"].angular_velocity.values[0, 2] == pytest.approx(3)
    with pytest.raises(lw.LinkworkError, match="strapdown sensor with gravity in a moving frame"):
        deck("gravity: 0., 0., -1., const, 9.81;")


@pytest.mark.parametrize(("elements", "control"), [
    ("", "rigid body kinematics: const, angular velocity, 0., 0., 3.;"),
    ("gravity: central, mass, 4., G, 1.;", ""),
])  # fmt: skip
def test_fields_act_on_variable_masses(tmp_path, elements, control):
    """A variable mass that stays as it is moves as a body does."""
    found = []
    for body in ("2., 0.1, 0., 0.2, eye", "variable mass, const, 2., single, 0.1, 0., 0.2, const, "
                 "1., single, eye, const, 1., null"):  # fmt: skip
        path = tmp_path / "deck.mbd"
        path.write_text(deck_text(
            "structural: 1, dynamic, 1., 0., 0., eye, 0., 1., 0.5, 0.5, 0., 1.;",
            f"body: 1, 1, {body}; {elements}", step="2.e-3", control=control,
        ))  # fmt: skip
        run = lw.run_deck(lw.read_deck(path), progress=False)
        found.append(run["node 1"])
    node = found[0].point((-0.1, 0, -0.2))  # the body's origin is its centre of mass
    np.testing.assert_allclose(node, found[1].position, atol=2e-5)
