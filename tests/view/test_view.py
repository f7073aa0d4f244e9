"""What is drawn: figures have the inertia they stand for, meshes are closed, arrows are the forces,
frames are stored times, and what cannot be drawn is said in a sentence."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
import trimesh
from inside import ItemOutputs, Part, draw, merged, parts_of, shot

import linkwork as lw
from linkwork import LinkworkWarning, ModelError
from linkwork.view.camera import up_axis
from linkwork.view.lines import cylinder_lines
from linkwork.view.loads import applied
from linkwork.view.modal import mode_motion
from linkwork.view.pages.offline import playing_speed
from linkwork.view.scene import nearest
from linkwork.view.solids.figures import equal_inertia, figure
from linkwork.view.solids.shapes import rod
from linkwork.view.solids.symbols import joint_parts

EXAMPLES = Path(__file__).parents[2] / "examples"


def solid(parts: list[Part]) -> trimesh.Trimesh:
    return trimesh.Trimesh(*merged(parts), process=True)


def pendulum() -> lw.Model:
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod_ = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod_, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


# ------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    ("part", "volume", "slack"),
    [
        (Part("box", (1.0, 2.0, 3.0)), 6.0, 1e-12),
        (Part("cylinder", (0.5, 2.0)), np.pi / 2, 0.01),  # 28 corners for a circle
        (Part("sphere", (1.0,)), 4 / 3 * np.pi, 0.03),
        (rod(np.zeros(3), np.array([1.0, 2, 2]), 0.1), 0.03 * np.pi, 0.01),
    ],
)
def test_meshes_are_closed_and_have_their_volume(part, volume, slack):
    mesh = solid([part])
    assert mesh.is_watertight and mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(volume, rel=slack)  # negative if turned inside out


@pytest.mark.parametrize(
    "inertia", [(0.3, 0.5, 0.7), (0.5, 0.5, 0.2), (0.2, 0.5, 0.5), (0.5, 0.5, 0.9)]
)
def test_figure_has_the_inertia_of_its_body(inertia):
    """The mesh, filled homogeneously and integrated by trimesh, has the body's inertia."""
    from scipy.spatial.transform import Rotation

    R = Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix()
    J = R @ np.diag(inertia) @ R.T
    mesh = solid([equal_inertia(lw.Body(mass=3, inertia=J), size=10.0, thin=1e-9)])
    mesh.density = 3 / mesh.volume
    np.testing.assert_allclose(mesh.moment_inertia, J, atol=0.015 * max(inertia))


def test_figures_reach_their_joints():
    body = lw.Body(1, (0.1, 0.1, 0.1))
    points = [np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, -1.0, 0.5])]
    parts, beside = figure(body, points, size=2.0)
    assert beside is not None
    vertices, _ = merged(parts)
    for p in points:
        assert np.linalg.norm(vertices - p, axis=1).min() < 0.06


def test_shapes_of_the_user():
    parts = parts_of(
        [{"kind": "box", "size": (1, 1, 1), "position": (0, 0, 2), "color": (1, 2, 3)},
         {"kind": "link", "start": (0, 0, 0), "end": (0, 0, 4), "radius": 0.1, "opacity": 0.5}],
        "Body 'x'",
    )  # fmt: skip
    assert parts[0].colour == (1, 2, 3) and parts[0].position[2] == 2
    assert parts[1].numbers == (0.1, 4.0) and parts[1].opacity == 0.5


def test_mesh_file(tmp_path):
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "part.stl")
    (part,) = parts_of({"kind": "mesh", "file": tmp_path / "part.stl", "scale": 0.1}, "Body 'x'")
    np.testing.assert_allclose(np.ptp(part.vertices, axis=0), (0.1, 0.2, 0.3))
    assert parts_of(str(tmp_path / "part.stl"), "Body 'x'")[0].kind == "mesh"


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("nowhere.stl", "Body 'rod' is the mesh file 'nowhere.stl', which does not exist"),
        ("broken.stl", "'broken.stl' cannot be read|holds no triangles"),
        ({"kind": "spher", "radius": 1}, "unknown kind 'spher'; did you mean 'sphere'"),
        ({"kind": "box"}, "is a box and needs 'size'"),
        ({"kind": "sphere", "radius": -1}, "radius of shape of Body 'rod' must be positive"),
        (42, "must be a dict such as"),
    ],
)
def test_a_shape_that_cannot_be_drawn_loses_nothing(shape, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("broken.stl").write_text("solid nonsense\nfacet")
    m = pendulum()
    m["rod"].shape = shape
    run = lw.transient(m, t=0.1, h=0.01, progress=False)
    with pytest.warns(LinkworkWarning, match=expected) as caught:
        drawing = draw(run)
    assert len(caught) == 1 and "drawn from its inertia" in str(caught[0].message)
    assert drawing.solids[0].parts


def test_every_joint_has_a_symbol():
    """Walks the registry: a new joint is drawn without anybody adding it here."""
    from inside import ITEMS, Joint

    rng = np.random.default_rng(1)
    kinds = [kind for kind in ITEMS.values() if issubclass(kind, Joint)]
    assert len(kinds) >= 16
    for kind in kinds:
        a, b = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(1, 0, 0))
        parts = joint_parts(kind.sample(rng, a, b), 0.1, (0.0, 0.2))
        assert parts and all(np.isfinite(merged([p])[0]).all() for p in parts)


def test_every_item_can_be_drawn():
    """Walks the registry too: joints, springs, bushings, forces, each on two bodies."""
    from inside import ITEMS

    from linkwork.extend import REFERENCE, Node
    from linkwork.view.described import described

    rng = np.random.default_rng(2)
    groups = [lw.Model(f"everything {k}") for k in range(3)]  # 64 families in a model
    for number, (name, kind) in enumerate(sorted(ITEMS.items())):
        if kind.__module__.startswith("linkwork") and name != "Body":
            m = lw.Model(name)
            ends = []
            # beside a MovingFrame all mass needs one
            together = groups[number % 3] if name != "MovingFrame" else lw.Model("alone")
            for k, model in ((0, m), (1, together)):
                a, b = (lw.Body(1, (1, 2, 2), position=(x, 3 * k * number, 0)) for x in (0, 1))
                ends.append([model.add(f"{x} {number}", e) for x, e in (("a", a), ("b", b))])
            for model, (a, b) in ((m, ends[0]), (together, ends[1])):
                made = kind.sample(rng, a, b)
                for k, item in enumerate(made if isinstance(made, list) else [made]):
                    model.add(f"{name} {k}", item)
            drawing = draw(described(m))
            if all(isinstance(end, Node) for item in m.items.values() for e in item.entries()
                   for end in e.bodies if end is not REFERENCE):  # fmt: skip
                continue  # a circuit has no place in space; see Result.draw_circuit
            drawn = len(drawing.symbols) + len(drawing.lines) + len(drawing.arrows)
            assert drawn > 0, f"nothing is drawn of {name}"
    for together in groups:
        assert "<html" in together.animate().text


# ------------------------------------------------------------------------------ forces, frames


def test_arrows_of_loads_are_the_loads():
    """Weight as a user's force, a follower force and a torque, at their points."""
    m = lw.Model("loads")
    body = m.add("body", lw.Body(2, (1, 2, 3), angular_velocity=(0, 0, 1)))
    at = lw.Frame(body, (1, 0, 0))
    m.add("dead", lw.Force(at, (0, 0, -5)))
    m.add("following", lw.Force(at, (0, 3, 0), drive=lw.ramp(1.0), follower=True))
    m.add("twist", lw.Torque(body, (0, 0, 7)))
    m.add("user", lw.UserForce(at, lambda t, motion: np.array([0, 0, 4.0, 1.0, 0, 0])))
    run = lw.transient(m, t=0.5, h=0.05, progress=False)
    tip, every = run["body"].point((1, 0, 0)).values, np.arange(len(run))
    for name, force in (("dead", (0, 0, -5)), ("user", (0, 0, 4))):
        point, F, _ = applied(run, m[name], every)[0]
        np.testing.assert_allclose(point, tip, atol=1e-12)
        np.testing.assert_allclose(F, np.tile(force, (len(run), 1)), atol=1e-9)
    _, F, torque = applied(run, m["following"], every)[0]
    np.testing.assert_allclose(np.linalg.norm(F, axis=1), 3 * run.time, atol=1e-9)
    np.testing.assert_allclose(torque, 0, atol=1e-9)  # about the marker, where it acts
    _, _, torque = applied(run, m["twist"], every)[0]
    np.testing.assert_allclose(torque, np.tile((0, 0, 7), (len(run), 1)))
    np.testing.assert_allclose(applied(run, m["user"], every)[0][2][:, 0], 1.0, atol=1e-9)


def test_arrows_of_a_load_cost_what_a_replay_costs():
    m = lw.Model("loads")
    body = m.add("body", lw.Body(2, (1, 2, 3), angular_velocity=(0, 0, 1)))
    push = m.add("push", lw.Force(lw.Frame(body, (1, 0, 0)), (0, 0, -5)))
    run = lw.transient(m, t=1.0, h=0.001, progress=False)
    every = np.arange(len(run))

    def seconds(function):
        best = np.inf
        for _ in range(5):
            start = perf_counter()
            function()
            best = min(best, perf_counter() - start)
        return best

    replay = seconds(lambda: ItemOutputs(run, "push")["force"])
    assert seconds(lambda: applied(run, push, every)) < 20 * replay  # 2; one by one 400


@pytest.mark.parametrize("law", ["sample_hold", "PID", "Controller", "continuous"])
def test_arrows_of_controlled_torques_are_those_of_the_run(law):
    """At samples, between them, and whatever frames are drawn: I φ'' = τ at every step's end."""
    m = lw.Model("turntable")
    table = m.add("table", lw.Body(1, (1, 1, 2)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, table, at=(0, 0, 0), axis="z", angle=0.3))
    angle, rate = lw.reads(pin, "angle"), lw.reads(pin, "rate")
    drive = {
        "sample_hold": lw.sample_hold(-40 * angle - 8 * rate, every=0.01),
        "PID": lw.PID(-1 * angle, 40, 20, 8, every=0.01, rate=-1 * rate),
        "Controller": lw.Controller(
            lambda t, x: -40 * x[0] - 8 * x[1], [angle, rate], outputs=["torque"], every=0.01
        )["torque"],
        "continuous": -40 * angle - 8 * rate,
    }[law]
    m.add("motor", lw.Torque(table, (0, 0, 1), drive=drive))
    run = lw.transient(m, t=0.1, h=2e-3, progress=False)
    expected = 2 * run["table"].angular_acceleration.values[:, 2]
    for frames in (np.arange(len(run)), np.array([5]), np.array([7]), np.array([0, 12, 30, 50])):
        (arrow,) = [a for a in draw(run, frames).arrows if a.name == "motor"]
        np.testing.assert_allclose(arrow.vector[:, 2], expected[frames], rtol=1e-6)
        np.testing.assert_allclose(run["motor"].torque[frames, 2], expected[frames], rtol=1e-6)
    (line,) = run.plot("motor.torque.z").lines  # a value has acted since the stored time before
    assert line.get_drawstyle() == ("default" if law == "continuous" else "steps-pre")


def test_arrows_of_reactions_balance_a_hanging_body():
    m = lw.Model("hanging", gravity=(0, 0, -10))
    bob = m.add("bob", lw.Body(2, (1, 1, 1), position=(0, 0, -1)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    arrows = draw(lw.static(m).result).arrows
    force = next(a for a in arrows if a.kind == "force")
    np.testing.assert_allclose(force.vector[0], (0, 0, 20), atol=1e-9)
    np.testing.assert_allclose(force.point[0], 0, atol=1e-12)


def test_frames_are_the_nearest_stored_times():
    time = np.array([0.0, 0.1, 0.4, 1.0])
    assert nearest(time, np.array([-1, 0.04, 0.06, 0.2, 0.3, 0.71, 5.0])).tolist() == [
        0, 0, 1, 1, 2, 3, 3]  # fmt: skip
    assert nearest(time[:1], np.array([0.0, 3.0])).tolist() == [0, 0]


def test_springs_are_drawn_from_end_to_end():
    m = lw.Model("spring", gravity=(0, 0, -9.81))
    bob = m.add("bob", lw.Body(1, (0.1, 0.1, 0.1), position=(0.3, 0.2, -1)))
    m.add("spring", lw.Spring(lw.GROUND, bob, stiffness=100))
    run = lw.transient(m, t=0.3, h=0.01, progress=False)
    (line,) = draw(run).lines
    np.testing.assert_allclose(line.length, run["spring"].length.values, rtol=1e-12)
    from linkwork.extend import rotations

    z = rotations.matrix(line.orientation)[:, :, 2]
    np.testing.assert_allclose(line.start + line.length[:, None] * z, line.end, atol=1e-12)


def test_a_hydraulic_cylinder_is_a_barrel_and_a_rod():
    oil = lw.hydraulics.Fluid(density=850, viscosity=0.03)
    ports = [lw.hydraulics.Supply(oil, 1e5), lw.hydraulics.Supply(oil, 1e5)]
    load = lw.Body(1, (1, 1, 1), position=(1.5, 0, 0))
    item = lw.hydraulics.Cylinder(lw.GROUND, load, *ports, bore=0.1, rod=0.06, closed=1, stroke=0.8)
    item.name = "ram"
    foot = np.zeros((3, 3))
    end = np.array([[1.0, 0, 0], [0, 1.5, 0], [0, 0, 1.8]])
    barrel, rod_ = cylinder_lines(item, foot, end)
    np.testing.assert_allclose(barrel.length, 1.0)
    np.testing.assert_allclose(np.cross(barrel.end, end), 0.0, atol=1e-15)  # in one line
    np.testing.assert_allclose(rod_.end, end)
    assert rod_.radius == pytest.approx(0.03) and 0.05 < barrel.radius < 0.06


def test_camera_holds_the_mechanism():
    look = shot(draw(lw.transient(pendulum(), t=1, h=0.01, progress=False)))
    np.testing.assert_array_equal(look.up, (0, 0, 1))
    assert up_axis(np.array([0, -9.81, 0])).tolist() == [0, 1, 0]
    back = (look.position - look.target) / look.distance
    for point in np.array([(0, 0, 0), (1, 0, 0), (0, 0, -1)], float):
        d = point - look.position
        depth = -d @ back
        side = np.linalg.norm(d + depth * back)
        assert depth > 0 and side / depth < 1.3 * np.tan(look.fov / 2)


def test_modes_move_as_their_shape_says():
    """A pendulum's mode turns it about y and moves its end up and down, within the limits."""
    m = pendulum()
    modes = lw.eigen(m, at=lw.static(m).state)
    motion, title = mode_motion(modes, 0)
    assert f"{modes.frequency[0]:.4g} Hz" in title
    swing = motion["rod"].position.values
    assert 0.02 < np.ptp(swing, axis=0).max() < 0.4
    np.testing.assert_allclose(swing[0], swing[-1], atol=1e-12)
    assert np.ptp(motion["pin"].angle.values) > 0.1
    with pytest.raises(ModelError, match="there are modes 0 to 0"):
        modes.animate(3)


@pytest.mark.parametrize(
    ("duration", "speed"), [(10, 1), (0.03, 1), (3600, 500), (0.0, 1), (60, 1)]
)
def test_playing_is_at_true_speed_or_takes_about_ten_seconds(duration, speed):
    assert playing_speed(duration) == pytest.approx(speed)


@pytest.mark.parametrize("load", [lw.JointTorque, lw.JointForce])
def test_loads_on_joints_are_drawn(load):
    """One newton (metre) on the body, and its opposite on the ground has no arrow."""
    m = lw.Model("joint")
    body = m.add("body", lw.Body(1, (0.1, 0.1, 0.1)))
    kind = lw.Revolute if load is lw.JointTorque else lw.Prismatic
    joint = m.add("joint", kind(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("load", load(joint, 1.0))
    drawing = draw(lw.transient(m, t=0.1, h=0.01, progress=False))
    (arrow,) = [x for x in drawing.arrows if x.name.startswith("load")]
    assert arrow.kind == ("torque" if load is lw.JointTorque else "force")
    np.testing.assert_allclose(arrow.vector, np.tile([0, 0, 1.0], (len(arrow.vector), 1)))
