"""All pairs of convex shapes hold each other, wherever one comes down on the other.

Where two shapes meet is found independently, as a linear program over points that span them: the
largest height z at which Σ λ_i a_i = Σ μ_j b_j + z e₃ with λ, μ ≥ 0 that add up to one.
"""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

G = 9.81
SINKS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5)  # of the smaller half width
CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
TURN = np.linspace(0, 2 * np.pi, 96, endpoint=False)
RING = np.column_stack([np.cos(TURN), np.sin(TURN), 0 * TURN])
K = np.arange(400) + 0.5
BALL = np.column_stack([
    np.sqrt(1 - (1 - K / 200) ** 2) * np.cos(10.166 * K),
    np.sqrt(1 - (1 - K / 200) ** 2) * np.sin(10.166 * K), 1 - K / 200,
])  # fmt: skip


def log(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def shape_of(kind, rng):
    """A shape and points that span it, thin or thick."""
    r, half = log(rng, 0.03, 0.5), np.array([0, 0, log(rng, 0.05, 1)])
    if kind == "sphere":
        return {"kind": kind, "radius": r}, r * BALL
    if kind == "capsule":
        points = np.vstack([r * BALL + half, r * BALL - half])
        return {"kind": kind, "radius": r, "length": 2 * half[2]}, points
    if kind == "cylinder":
        points = np.vstack([r * RING + half, r * RING - half])
        return {"kind": kind, "radius": r, "length": 2 * half[2]}, points
    half = np.array([log(rng, 0.05, 1) for _ in range(3)])
    if kind == "box":
        return {"kind": kind, "size": 2 * half}, half * CUBE
    points = BALL[rng.choice(len(BALL), 12, replace=False)] * half
    hull = ConvexHull(points)
    points = points[hull.vertices]
    if kind == "hull":
        return {"kind": "mesh", "vertices": points.tolist(), "convex": True}, points
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    a, b, c = (points[faces[:, k]] for k in range(3))
    inwards = np.einsum("ni,ni->n", np.cross(b - a, c - a), a - points.mean(axis=0)) < 0
    faces[inwards] = faces[inwards][:, ::-1]
    return {"kind": "mesh", "vertices": points.tolist(), "faces": faces.tolist()}, points


def half_width(points):
    return min(float(np.ptp(points @ e[:3])) for e in ConvexHull(points).equations) / 2


def meeting(A, B):
    """How high B may go before it leaves A, and the normal there."""
    n, m = len(A), len(B)
    rows = np.zeros((5, n + m + 1))
    rows[:3, :n], rows[:3, n:-1], rows[2, -1] = A.T, -B.T, -1
    rows[3, :n], rows[4, n:-1] = 1, 1
    bounds = [(0, None)] * (n + m) + [(None, None)]
    found = linprog(np.eye(n + m + 1)[-1] * -1, A_eq=rows, b_eq=[0, 0, 0, 1, 1], bounds=bounds)
    normal = found.eqlin.marginals[:3]
    return found.x[-1], abs(normal[2]) / np.linalg.norm(normal)


def lift(kinds, seed):
    """Force up on the second shape, sunk into the first; None where they meet on a slope."""
    rng = np.random.default_rng(seed)
    (shape_a, A), (shape_b, B) = (shape_of(kind, rng) for kind in kinds)
    qa, qb = (rotations.exponential(2 * rng.normal(size=3)) for _ in kinds)
    A, B = A @ rotations.matrix(qa).T, B @ rotations.matrix(qb).T
    beside = (rng.dirichlet(np.ones(len(A))) @ A - rng.dirichlet(np.ones(len(B))) @ B) * [1, 1, 0]
    height, up = meeting(A, B + beside)
    if up < 0.8:
        return None
    m, size = lw.Model("pair"), min(half_width(A), half_width(B))
    a = m.add("a", lw.Body(1, (1, 1, 1), orientation=qa, shape=shape_a))
    b = m.add("b", lw.Body(1, (1, 1, 1), orientation=qb, position=beside, shape=shape_b))
    m.add("touch", lw.Contact(a, b, law=lw.laws.LinearViscoelastic(1.0, 0.0)))
    data = compile_model(m).data()
    state = data.system.described_state()
    forces = []
    for sink in (-0.2, *SINKS):
        state.motion[1, 2] = height - sink * size
        forces.append(-float(data.evaluate(state, tangent=False).f[1, 2]) / size)
    return forces


KINDS = ("sphere", "capsule", "cylinder", "box", "hull", "mesh")


@pytest.mark.parametrize("kinds", list(itertools.combinations_with_replacement(KINDS, 2)))
def test_shapes_that_come_down_on_each_other_are_held(kinds):
    found = [x for seed in range(12) if (x := lift(kinds, seed)) is not None]
    assert len(found) >= 4
    for before, *forces in found:
        assert before == 0
        assert max(forces) > 0.02


LIES, ACROSS = (np.sqrt(0.5), 0, np.sqrt(0.5), 0), (np.sqrt(0.5), np.sqrt(0.5), 0, 0)


def dropped(shape, orientation, ground, height, **words):
    m = lw.Model("laid", gravity=(0, 0, -G))
    body = m.add("body", lw.Body(1.0, (0.01, 0.01, 0.01), position=(0, 0, height),
                                 orientation=orientation, shape=shape))  # fmt: skip
    m.add("touch", lw.Contact(body, lw.GROUND, ground=ground, **words))
    return m


@pytest.mark.parametrize("words", [{}, {"hard": True}])
def test_crossed_cylinders_hold_each_other(words):
    rod = {"kind": "cylinder", "radius": 0.1, "length": 1.0}
    m = dropped(rod, LIES, {**rod, "orientation": ACROSS}, 0.2, **words)
    method = {"method": lw.Moreau()} if words else {}
    run = lw.transient(m, t=0.3, h=1e-3, progress=False, **method)
    assert np.abs(run["body"].position.values - [0, 0, 0.2]).max() < 1e-4
    assert float(run["touch"].normal_force[-1]) == pytest.approx(G, rel=1e-2)


def test_a_box_stands_with_its_corner_on_a_capsule():
    way = np.ones(3) / np.sqrt(3)  # its diagonal is vertical
    axis = np.cross(way, [0, 0, 1.0])
    turn = rotations.exponential(axis / np.linalg.norm(axis) * np.arccos(way[2]))
    beam = {"kind": "capsule", "radius": 0.1, "length": 1.0, "orientation": LIES}
    height = 0.1 + 0.1 * np.sqrt(3)
    m = dropped({"kind": "box", "size": (0.2, 0.2, 0.2)}, turn, beam, height, friction=0.5)
    run = lw.transient(m, t=0.05, h=1e-3, progress=False)
    assert float(run["body"].position[-1, 2]) == pytest.approx(height, abs=2e-4)


@pytest.mark.parametrize("kind", ["capsule", "cylinder"])
def test_a_rod_rests_across_a_narrower_box(kind):
    """On both edges that it crosses, so that it does not rock."""
    rod = {"kind": kind, "radius": 0.05, "length": 1.0}
    table = {"kind": "box", "size": (0.4, 0.6, 0.2), "position": (0, 0, -0.1)}
    m = dropped(rod, LIES, table, 0.05)
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    assert np.abs(run["body"].position.values - [0, 0, 0.05]).max() < 1e-4
    assert np.abs(run["body"].angular_velocity.values).max() < 1e-3


def test_a_thin_rod_leans_on_the_edge_of_a_long_table():
    """A uniform rod that rolls on two edges falls off neither; its balls could pass between those
    of the edges, 64 on a metre."""
    rod = {"kind": "cylinder", "radius": 0.005, "length": 1.0}
    table = {"kind": "box", "size": (1.5, 1.5, 0.05), "position": (0.5, 0.003, -0.025)}
    m = dropped(rod, LIES, table, 0.005)  # reaches 0.25 m beyond the edge at x = −0.25
    run = lw.transient(m, t=0.1, h=1e-3, progress=False)
    assert np.abs(run["body"].position.values - [0, 0, 0.005]).max() < 1e-4


def test_fine_meshes_have_no_points_between_their_corners():
    import trimesh

    ball = trimesh.creation.icosphere(3, radius=0.2)
    shape = {"kind": "mesh", "vertices": ball.vertices, "faces": ball.faces}
    can = {"kind": "cylinder", "radius": 0.3, "length": 0.2, "position": (0, 0, -0.1)}
    contact = dropped(shape, None, can, 0.2)["touch"]
    assert len(contact.entries()) == len(ball.vertices) + 48


def test_pairs_of_too_many_points_are_refused():
    rod = {"kind": "cylinder", "radius": 1e-4, "length": 1.0}
    blade = {"kind": "cylinder", "radius": 1.0, "length": 0.1}
    with pytest.raises(lw.ModelError, match="would meet in .* points along their edges"):
        compile_model(dropped(rod, LIES, blade, 1.0))


def rebound(plate_mass=1.0, own=1.0, added=0.0):
    """Speed of a ball after it fell on a plate that is fixed, over that before."""
    m = lw.Model("plate", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body(own, (0.01,) * 3, position=(0, 0, 0.7),
                                 shape={"kind": "sphere", "radius": 0.1}))  # fmt: skip
    if added:
        m.add("load", lw.VariableMass(ball, added))
    plate = m.add("plate", lw.Body.box((1, 1, 0.1), mass=plate_mass, position=(0, 0, -0.05)))
    bracket = m.add("bracket", lw.Body(0.1, (0.01,) * 3, position=(0, 0, -0.2)))
    m.add("weld", lw.Fixed(plate, bracket, at=(0, 0, -0.1)))
    m.add("wall", lw.Fixed(bracket, lw.GROUND, at=(0, 0, -0.2)))
    m.add("touch", lw.Contact(ball, plate, restitution=0.5))
    run = lw.transient(m, t=0.6, h=1e-3, progress=False)
    return float(run["ball"].velocity.values[:, 2].max()) / np.sqrt(2 * G * 0.6)


@pytest.mark.parametrize("plate_mass", [0.01, 1.0, 1e4])
def test_restitution_does_not_depend_on_the_mass_of_a_fixed_body(plate_mass):
    assert rebound(plate_mass) == pytest.approx(0.5, rel=5e-3)


def test_restitution_counts_the_mass_that_was_added_to_a_body():
    assert rebound(own=0.01, added=1.0) == pytest.approx(0.5, rel=5e-3)


def test_a_pad_on_a_flexible_link_is_as_heavy_as_the_link():
    """Its default law is that on a body of the mass of the link."""
    bar = lw.Section.rectangle(0.02, 0.02, E=2.1e11, density=7800)
    laws = []
    for flexible in (True, False):
        m = lw.Model("pad")
        rod = m.add("rod", lw.FlexibleLink((0, 0, 1), (1, 0, 1), bar, modes=1) if flexible else
                    lw.Body(7800 * 0.02**2, (1, 1, 1), position=(1, 0, 1)))  # fmt: skip
        pad = m.add("pad", lw.Body(0, (0, 0, 0), position=(1, 0, 1),
                                   shape={"kind": "sphere", "radius": 0.1}))  # fmt: skip
        m.add("glue", lw.Fixed(rod.tip if flexible else rod, pad, at=(1, 0, 1)))
        m.add("touch", lw.Contact(pad, lw.GROUND))
        elements = compile_model(m).elements
        laws.append(next(e.entry.reals for e in elements if e.owner == "touch"))
    np.testing.assert_allclose(*laws, rtol=1e-12)


def test_a_contact_without_a_law_on_a_mass_that_changes_is_refused():
    m = dropped({"kind": "sphere", "radius": 0.1}, None, {"kind": "plane"}, 0.1)
    m.add("fuel", lw.VariableMass(m["body"], lw.polynomial([1.0, -0.1])))
    with pytest.raises(lw.ModelError, match=r"'touch' has no law, and mass on .* give law="):
        compile_model(m)


def test_size_of_a_thin_plate_does_not_depend_on_how_its_mesh_is_turned():
    from linkwork.elements.contact.geometry.shapes import solids_of

    plate = CUBE * [0.5, 0.5, 0.005]
    turned = plate @ rotations.matrix(rotations.exponential(np.array([0.5, 0.4, 0.3]))).T
    sizes = [solids_of(None, {"kind": "mesh", "vertices": x, "convex": True}, "")[0].size
             for x in (plate, turned)]  # fmt: skip
    np.testing.assert_allclose(sizes, 0.005, rtol=1e-12)
