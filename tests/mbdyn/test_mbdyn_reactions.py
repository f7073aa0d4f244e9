"""Signs, axes and further columns of joints in .jnt and NetCDF files, as MBDyn writes them."""

from __future__ import annotations

import h5netcdf
import numpy as np
import pytest
from inside import Tables

import linkwork as lw

GROUND = "structural: 0, static, null, eye, null, null;"
HANGING = GROUND + "structural: 1, dynamic, 0., 0., -1., eye, null, null;"
MASS = "joint: 90, clamp, 0, node, node; body: 1, 1, 3., null, eye; gravity: 0., 0., -1., 10.;"
HOLD = ("joint: 2, total pin joint, 1, position constraint, 1, 1, 0, null, orientation constraint, "
        "1, 1, 1, null;")  # fmt: skip


def table(deck, label):
    """The columns behind the label in .jnt, at the end of the run."""
    tables = Tables(deck, lw.run_deck(deck, progress=False))
    return np.hstack(tables.joint(deck.joints[label]))[-1]


@pytest.mark.parametrize("joint, sign", [
    ("spherical hinge, 0, position, null, 1, position, 0., 0., 1.", 1),
    ("revolute hinge, 0, position, null, 1, position, 0., 0., 1.", 1),
    ("universal hinge, 0, position, null, 1, position, 0., 0., 1.", 1),
    ("axial rotation, 0, position, null, 1, position, 0., 0., 1., 0.", 1),
    ("cardano pin, 1, position, 0., 0., 1., position, null", 1),
    ("spherical pin, 1, position, 0., 0., 1., position, null", -1),
    ("revolute pin, 1, position, 0., 0., 1., position, null", -1),
    ("clamp, 1, node, node", -1),
    ("total joint, 0, 1, position constraint, 1, 1, 1, 0., 0., -1., const, 1.", -1),
    ("total pin joint, 1, position constraint, 1, 1, 1, 0., 0., -1., const, 1.", -1),
    ("in line, 0, null, 3, 1., 0., 0., 2, 0., 1., 0., 1, offset, 0., 0., 1.", -1),
    ("in plane, 0, null, 0., 0., 1., 1, offset, 0., 0., 1.", -1),
    ("drive displacement, 0, null, 1, null, 0., 0., -1., const, 1.", -1),
    ("drive displacement pin, 1, null, null, 0., 0., -1., const, 1.", -1),
    ("imposed displacement, 0, null, 1, null, 0., 0., 1., const, -1.", -1),
    ("imposed displacement pin, 1, null, null, 0., 0., 1., const, -1.", -1),
])  # fmt: skip
def test_signs_of_forces(read, joint, sign):
    """A mass of 3 kg hangs on the joint: hinges between two nodes write what pulls it up, clamps
    and pins the pull at the ground, the others the pull at the first node."""
    deck = read(nodes=HANGING, elements=MASS + f"joint: 1, {joint};", time=".02")
    np.testing.assert_allclose(table(deck, 1)[6:9], [0, 0, sign * 30], atol=1e-8)


@pytest.mark.parametrize("joint, sign", [
    ("prismatic, 0, 1", 1), ("revolute rotation, 0, hinge, 3, 0., 1., 0., 1, 1., 0., 0., "
     "1, hinge, 3, 0., 1., 0., 1, 1., 0., 0.", 1),
    ("drive hinge, 0, 1, null", -1), ("imposed orientation, 0, eye, 1, eye, null", -1),
    ("total joint, 0, 1, orientation constraint, 1, 1, 1, null", -1),
])  # fmt: skip
def test_signs_of_moments(read, joint, sign):
    """A couple of 2 N m on the body: the joint holds it with −2 N m."""
    elements = MASS + f"""joint: 1, {joint}; joint: 2, drive displacement pin, 1, null, null,
      0., 0., -1., const, 1.; couple: 1, absolute, 1, 2., 0., 0., 1.;"""
    deck = read(nodes=HANGING, elements=elements, time=".02")
    np.testing.assert_allclose(table(deck, 1)[9:12], [sign * -2, 0, 0], atol=1e-8)


def test_an_imposed_motion_against_a_spring(read):
    """What holds a spring and a damper at z(t): total joints give −(k z + c ż + m z̈) along z, the
    spring the force of its law, then place, rotation and rates (12 + 12 columns)."""
    nodes = GROUND + "structural: 1, dynamic, null, eye, null, null;"
    elements = """joint: 90, clamp, 0, node, node; body: 1, 1, 1., null, eye;
      joint: 1, total joint, 0, 1, position constraint, 1, 1, 1, 0., 0., 1., parabolic, 0., 1., 3.,
        orientation constraint, 1, 1, 1, null;
      joint: 2, deformable displacement joint, 0, null, 1, null, linear viscoelastic isotropic,
        1e4, 1e2;"""
    deck = read(nodes=nodes, elements=elements, time=".5")
    z, v, a = 0.5 + 3 * 0.25, 1 + 6 * 0.5, 6
    total, spring = table(deck, 1), table(deck, 2)
    assert total.shape == (24,) and spring.shape == (18,)
    assert total[8] == pytest.approx(-(1e4 * z + 1e2 * v + a), rel=1e-6)
    np.testing.assert_allclose(total[12:], [0, 0, z, 0, 0, 0, 0, 0, v, 0, 0, 0], atol=1e-6)
    assert spring[8] == pytest.approx(1e4 * z + 1e2 * v, rel=1e-6)
    np.testing.assert_allclose(spring[12:], [0, 0, z, 0, 0, v], atol=1e-6)


def test_axes_of_the_local_columns(read):
    """Revolute joints write in the axes of the second node, universal ones their only moment first,
    in plane the only force first, driven displacements in the axes of the first node."""
    c, s = np.cos(0.5), np.sin(0.5)
    nodes = """structural: 0, static, null, euler123, .5, 0., 0., null, null;
      structural: 1, dynamic, 0., 0., -1., eye, null, null;"""
    hinge = f"3, 0., 1., 0., 1, {c:.17g}, 0., {s:.17g}"
    held = read(nodes=HANGING, elements=MASS + f"""joint: 1, revolute hinge,
        0, position, null, hinge, 3, 0., 1., 0., 1, 1., 0., 0.,
        1, position, 0., 0., 1., hinge, {hinge};""", time=".02")  # fmt: skip
    R = np.array([[c, s, 0], [0, 0, 1], [s, -c, 0]])  # columns: the axes at the second node
    np.testing.assert_allclose(table(held, 1)[:3], R.T @ [0, 0, 30], atol=1e-8)
    plane = read(nodes=HANGING, elements=MASS + HOLD + """joint: 1, in plane, 0, null, 0., 0., 1.,
      1, offset, 0., 0., 1.;""", time=".02")  # fmt: skip
    np.testing.assert_allclose(table(plane, 1)[:3], [-30, 0, 0], atol=1e-8)
    cross = read(nodes=HANGING, elements=MASS + """joint: 1, universal hinge,
        0, position, null, 1, position, 0., 0., 1.; joint: 2, total pin joint, 1,
        orientation constraint, 0, 1, 1, null; couple: 1, absolute, 1, 2., 0., 0., 1.;""",
        time=".02")  # fmt: skip
    np.testing.assert_allclose(table(cross, 1)[3:6], [-2, 0, 0], atol=1e-8)
    led = read(nodes=nodes, time=".02", elements=MASS + """joint: 1, drive displacement, 0, null,
        1, null, single, reference, global, 0., 0., -1., const, 1.;""")
    turned = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    np.testing.assert_allclose(table(led, 1)[:3], turned.T @ [0, 0, -30], atol=1e-8)
    np.testing.assert_allclose(table(led, 1)[12:], [0, 0, -1], atol=1e-9)


@pytest.mark.parametrize("orientation, name, angle", [
    ("euler123", "E", np.degrees(0.7)), ("orientation vector", "Phi", 0.7),
    ("orientation matrix", "R", None),
])  # fmt: skip
def test_angles_of_joints_are_described_like_those_of_nodes(
    read, tmp_path, orientation, name, angle
):
    """`default orientation` holds for hinges; the imposed velocity stands before the real one."""
    nodes = GROUND + "structural: 1, dynamic, null, eye, null, 0., 0., .7;"
    deck = read(nodes=nodes, control=f"default orientation: {orientation};", elements="""
      joint: 90, clamp, 0, node, node; body: 1, 1, 1., null, eye;
      joint: 1, axial rotation, 0, position, null, 1, position, null, const, .7;""")
    run = lw.run_deck(deck, progress=False)
    row = np.hstack(Tables(deck, run).joint(deck.joints[1]))[-1]
    R = np.array([[np.cos(0.7), -np.sin(0.7), 0], [np.sin(0.7), np.cos(0.7), 0], [0, 0, 1]])
    expected = R if angle is None else np.array([0, 0, angle])
    np.testing.assert_allclose(row[12:], [*expected.ravel(), 0.7, 0, 0, 0.7], atol=1e-9)
    lw.write_mbdyn(deck, run, tmp_path / "x")
    with h5netcdf.File(tmp_path / "x.nc") as file:
        np.testing.assert_allclose(file[f"elem.joint.1.{name}"][-1], expected, atol=1e-9)
        np.testing.assert_allclose(file["elem.joint.1.Omega"][-1], [0, 0, 0.7], atol=1e-9)


def test_further_columns_of_ball_joints_and_drive_hinges(read):
    """Angles of spherical and universal joints in degrees; a drive hinge's rotation as angles and
    as a vector in radians."""
    nodes = GROUND + "structural: 1, dynamic, 0., 0., -1., euler123, 0., .3, 0., null, null;"
    for joint, columns in (
        ("spherical hinge, 0, null, 1, reference, global, null", [0, np.degrees(0.3), 0]),
        ("spherical pin, 1, reference, global, null, null", [0, np.degrees(0.3), 0]),
        ("universal hinge, 0, null, 1, reference, global, null", [0, -np.degrees(0.3), 0]),
        ("universal pin, 1, reference, global, null, null", [0, np.degrees(0.3), 0]),
        ("drive hinge, 0, 1, 0., 1., 0., const, .3", [0, np.degrees(0.3), 0, 0, 0.3, 0]),
    ):
        text = f"joint: 90, clamp, 0, node, node; body: 1, 1, 1., null, eye; joint: 1, {joint};"
        row = table(read(nodes=nodes, elements=text, time=".01"), 1)
        np.testing.assert_allclose(row[12:], columns, atol=1e-9, err_msg=joint)
