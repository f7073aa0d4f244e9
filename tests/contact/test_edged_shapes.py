"""Cylinders, hulls and meshes with boxes and with each other: rest, sliding, refusals."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def cube(size, **words):
    h = size / 2
    corners = [[x, y, z] for x in (-h, h) for y in (-h, h) for z in (-h, h)]
    faces = [[0, 3, 2], [0, 1, 3], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 7, 6],
             [2, 3, 7], [0, 6, 4], [0, 2, 6], [1, 7, 3], [1, 5, 7]]  # fmt: skip
    return {"kind": "mesh", "vertices": corners, "faces": faces, **words}


TABLES = {
    "box": {"kind": "box", "size": (1, 1, 0.1), "position": (0, 0, -0.05)},
    "hull": cube(1.0, position=(0, 0, -0.5), convex=True),
    "mesh": cube(1.0, position=(0, 0, -0.5)),
    "cylinder": {"kind": "cylinder", "radius": 0.5, "length": 0.2, "position": (0, 0, -0.1)},
}
THINGS = {
    "cylinder": ({"kind": "cylinder", "radius": 0.1, "length": 0.2}, 0.1),
    "hull": (cube(0.2, convex=True), 0.1),
    "mesh": (cube(0.2), 0.1),
    "box": ({"kind": "box", "size": (0.2, 0.2, 0.2)}, 0.1),
}


def on_a_table(thing, table, friction=0.4, tilt=0.0, **words):
    shape, height = THINGS[thing]
    m = lw.Model("table", gravity=(G * np.sin(tilt), 0, -G * np.cos(tilt)))
    body = m.add("thing", lw.Body(2.0, (0.02, 0.02, 0.02), position=(0.03, 0.02, height),
                                  shape=shape))  # fmt: skip
    m.add("touch", lw.Contact(body, lw.GROUND, ground=TABLES[table], friction=friction, **words))
    return m


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("thing", THINGS)
def test_things_stand_on_tables(thing, table):
    law = lw.laws.HuntCrossley(1e7, damping=20)
    found = lw.transient(on_a_table(thing, table, law=law), t=0.3, h=1e-3, progress=False)
    moved = found["thing"].position.values[-1] - found["thing"].position.values[0]
    assert np.abs(moved).max() < 2e-4
    force = found["touch"].force.values[-1]  # on the ground
    np.testing.assert_allclose(force, [0, 0, -2 * G], atol=0.02 * 2 * G)


def test_a_can_slides_on_a_tilted_box_as_coulomb_says():
    law = lw.laws.HuntCrossley(1e7, damping=20)
    m = on_a_table("cylinder", "box", friction=0.2, tilt=0.4, law=law)
    found = lw.transient(m, t=0.3, h=1e-3, progress=False)
    a = G * (np.sin(0.4) - 0.2 * np.cos(0.4))
    assert float(found["thing"].velocity[-1, 0]) == pytest.approx(a * 0.3, rel=0.03)


def test_hard_hulls_rest_on_each_other():
    m = lw.Model("stack", gravity=(0, 0, -G))
    shape = cube(0.2, convex=True)
    bodies = [m.add(f"b{i}", lw.Body(1.0, (0.01, 0.01, 0.01), position=(0.01 * i, 0, 0.1 + 0.2 * i),
                                     shape=shape)) for i in range(3)]  # fmt: skip
    m.add("floor", lw.Contact(bodies[0], lw.GROUND, hard=True, friction=0.5))
    m.add("stack", lw.Contact(bodies, hard=True, friction=0.5))
    found = lw.transient(m, t=0.2, h=1e-2, method=lw.Moreau(tolerance=1e-4), progress=False)
    assert np.abs(found.motion[-1, :, :3] - found.motion[0, :, :3]).max() < 2e-4
    assert float(found["floor"].normal_force[-1]) == pytest.approx(3 * G, rel=1e-2)


def test_pairs_that_are_not_covered_name_their_shapes():
    hills = {"kind": "heights", "heights": np.zeros((4, 4)).tolist(), "size": (2, 2)}
    m = lw.Model("hills")
    box = m.add("box", lw.Body.box((0.2, 0.2, 0.2), density=1000, position=(0, 0, 1)))
    m.add("touch", lw.Contact(box, lw.GROUND, ground=hills))
    with pytest.raises(lw.ModelError, match="no contact of a box with a heights"):
        lw.compile_model(m)
