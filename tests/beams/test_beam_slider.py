"""Sliders on beams: free fall along a line and a circle, statics, and MBDyn's card."""

import numpy as np
import pytest
from inside import Tables
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork import run_deck

SLOPE = np.arctan2(3, 4)


def incline(kind, stiffness=1e7, order=3):
    """A bead of 0.1 kg on a stiff wire of 5 m that falls 3 m, one metre behind its start."""
    m = lw.Model("bead", gravity=(0, 0, -9.81))
    section = lw.Section(stiffness=[stiffness] * 6, mass=1.0, inertia=(0.01, 0.01, 0.01))
    wire = m.add("wire", lw.Beam((0, 0, 0), (4, 0, -3), section, elements=4, order=order))
    for name, end, at in (("a", wire.root, (0, 0, 0)), ("b", wire.tip, (4, 0, -3))):
        m.add(name, lw.Fixed(lw.GROUND, end, at=at))
    bead = m.add("bead", lw.Body(0.1, (1e-3,) * 3, position=(0.8, 0, -0.6)))
    along = lw.Frame(bead, (0, 0, 0), Rotation.from_euler("y", SLOPE))
    m.add("slider", lw.BeamSlider(along, wire, kind))
    return m


@pytest.mark.parametrize(("kind", "order"), [("spherical", 3), ("classic", 3), ("classic", 2)])
def test_a_bead_falls_along_a_stiff_wire(kind, order):
    run = lw.transient(incline(kind, order=order), t=0.8, h=4e-3, progress=False)
    fallen = np.linalg.norm(run["bead"].position.values - (0.8, 0, -0.6), axis=1)
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * 0.6 * run.time**2, atol=1e-5)
    # the wire bends by g/1e7; places count elements of 1.25 m
    np.testing.assert_allclose(run["slider"].place.values, 0.8 + fallen / 1.25, atol=1e-5)
    across = np.array([np.sin(SLOPE), 0, np.cos(SLOPE)]) * 0.1 * 9.81 * np.cos(SLOPE)
    force = run["slider"].force_world.values
    # the wire starts without its load and vibrates about what it carries
    np.testing.assert_allclose(force[len(force) // 2 :].mean(axis=0), -across, atol=5e-3)
    assert np.abs(run.energy["balance"]).max() < 1e-3 * 9.81 * 0.1


@pytest.mark.parametrize("kind", ["spherical", "classic"])
def test_a_bead_that_slides_leaves_a_beam_at_rest(kind):
    """At 1.5 m/s along a straight clamped beam, which it does not move; elements of 0.5 m."""
    m = lw.Model("bead")
    steel = lw.Section.circle(0.01, E=2.1e11, density=7800)
    wire = m.add("wire", lw.Beam((0, 0, 0), (2, 0, 0), steel, elements=4))
    m.add("clamp", lw.Fixed(lw.GROUND, wire.root, at=(0, 0, 0)))
    bead = m.add("bead", lw.Body(0.1, (1e-5,) * 3, position=(0.4, 0, 0), velocity=(1.5, 0, 0)))
    m.add("slides", lw.BeamSlider(bead, wire, kind))
    run = lw.transient(m, t=0.2, h=1e-3, progress=False)
    assert np.abs(run.motion[0, :-1, 7:]).max() < 1e-12
    assert np.abs(run["clamp"].force.values).max() < 1e-6
    np.testing.assert_allclose(run["slides"].place_rate.values, 3.0, rtol=1e-9)


def test_the_classic_slider_carries_moments_across_the_wire():
    """A torque about y on the bead, which cannot turn about it, comes back from the wire."""
    m = incline("classic")
    m.add("torque", lw.Torque(m["bead"], (0, 0.5, 0)))
    run = lw.transient(m, t=0.1, h=1e-3, progress=False)
    torque = run["slider"].torque_world.values[50:].mean(axis=0)  # the wire vibrates
    np.testing.assert_allclose(torque, [0, 0.5, 0], atol=5e-3)
    axes = Rotation.from_quat(run["bead"].orientation.values[:, [1, 2, 3, 0]])
    assert np.abs(axes.as_rotvec()).max() < 1e-5


def test_a_bead_rests_at_the_bottom_of_a_hanging_arc():
    """On a stiff half circle the lowest point, in the middle of an element."""
    a = np.linspace(np.pi, 2 * np.pi, 17)
    section = lw.Section(stiffness=[1e8] * 6, mass=1e-3)
    m = lw.Model("arc", gravity=(0, 0, -9.81))
    points = np.column_stack([np.cos(a), 0 * a, np.sin(a)])
    wire = m.add("wire", lw.Beam.along(points, section, elements=7))
    m.add("clamp", lw.Fixed(lw.GROUND, wire.root, at=points[0]))
    m.add("clamp b", lw.Fixed(lw.GROUND, wire.tip, at=points[-1]))
    bead = m.add("bead", lw.Body(2.0, (1e-3,) * 3, position=(0.3, 0, -0.95)))
    m.add("hinge", lw.Lock(lw.GROUND, bead, rows="rx ry rz"))
    m.add("slider", lw.BeamSlider(bead, wire))
    found = lw.static(m, progress=False)
    assert found["slider"].place.values == pytest.approx(3.5, abs=1e-6)
    np.testing.assert_allclose(found["bead"].position.values, [0, 0, -1], atol=1e-5)
    np.testing.assert_allclose(found["slider"].force_world.values, [0, 0, -2 * 9.81], atol=1e-5)


DECK = """
begin: data; problem: initial value; end: data;
begin: initial value;
  initial time: 0.; final time: .5; time step: 2.5e-3; method: ms, .6;
  tolerance: 1e-8; max iterations: 20;
end: initial value;
begin: control data; structural nodes: 6; beams: 2; joints: 3; rigid bodies: 6; gravity;
end: control data;
begin: nodes; {nodes}
  structural: 9, dynamic, .5, 0., .1, eye, null, null; end: nodes;
begin: elements; {bodies} body: 9, 9, .1, null, diag, 1e-3, 1e-3, 1e-3;
  {beams}
  joint: 1, clamp, 1, node, node;
  joint: 2, clamp, 5, node, node;
  joint: 3, beam slider, 9, 0., 0., -.1, hinge, eye, type, {kind}, 2,
    1, null, null, null,
    2, same, null, null, initial beam, 1, initial node, 2, smearing, .1;
  gravity: uniform, .6, 0., -.8, const, 10.;
end: elements;
"""


def test_the_card(tmp_path):
    """Gravity is turned in place of the wire: 6 m/s² along it and 8 m/s² across."""
    nodes = " ".join(
        f"structural: {i + 1}, dynamic, {0.5 * i}, 0., 0., eye, null, null;" for i in range(5)
    )
    bodies = " ".join(f"body: {i + 1}, {i + 1}, .1, null, eye;" for i in range(5))
    law = "linear elastic generic, diag, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7"
    beams = " ".join(
        f"beam3: {k + 1}, {2 * k + 1}, null, {2 * k + 2}, null, {2 * k + 3}, null, eye, {law}, "
        "same, same;" for k in range(2)
    )  # fmt: skip
    path = tmp_path / "deck.mbd"
    path.write_text(DECK.format(nodes=nodes, bodies=bodies, beams=beams, kind="classic"))
    deck = lw.read_deck(path, environment={})
    run = run_deck(deck, progress=False)
    tables = Tables(deck, run)
    travelled = tables.node(9)[:, 0] - 0.5
    np.testing.assert_allclose(travelled, 3.0 * run.time**2, atol=1e-5)
    f, m, F, _, extra = tables.joint(deck.joints[3])
    np.testing.assert_allclose(F[20:, 2], 0.8, atol=2e-3)  # what holds the node: 0.1 kg · 8 m/s²
    np.testing.assert_allclose(f[20:], F[20:], atol=1e-3)
    # the weight acts 0.1 m above the line, the acceleration along it has no force there
    np.testing.assert_allclose(m[20:], 0, atol=2e-3)
    place = 0.5 + travelled
    np.testing.assert_allclose(extra[:, 0], np.where(place < 1.0, 1, 2))
    np.testing.assert_allclose(extra[-1, 1], 2 * (place[-1] - 1.0) - 1, atol=1e-4)


def test_a_bead_that_leaves_the_wire_is_told():
    with pytest.raises(lw.ConvergenceError, match=r"ran off the end of its beam at t = 1\.1"):
        lw.transient(incline("spherical"), t=1.4, h=4e-3, progress=False)


@pytest.mark.parametrize(("make", "words"), [
    (lambda b, w: lw.BeamSlider(b, w, "round"), "'spherical' or 'classic'"),
    (lambda b, w: lw.BeamSlider(b, b), "beam of"),
    (lambda b, w: lw.BeamSlider(b, w, place=9.0), "between 0 and 2"),
])  # fmt: skip
def test_sentences(make, words):
    section = lw.Section(stiffness=[1.0] * 6, mass=1.0)
    wire = lw.Beam((0, 0, 0), (1, 0, 0), section, elements=2)
    with pytest.raises(lw.ModelError, match=words):
        make(lw.Body(1, (1, 1, 1)), wire)
