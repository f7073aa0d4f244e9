"""Independent rows, reactions of least norm: mechanisms whose mobility is known by other means."""

import numpy as np
import pytest
from inside import MinimumNorm, degrees_of_freedom
from rows_from_geometry import GROUND, Mechanism, checked, four_bar, ladder, loop


def check_minimum_norm(rows, found, seed=1):
    """Against the pseudo-inverse of the whole matrix, which knows no components."""
    y = np.random.default_rng(seed).standard_normal(len(found.keep)) * found.keep
    all_rows = MinimumNorm(rows, found)(rows.Cq.csr, y)
    A = rows.Cq.csr.toarray()
    A.reshape(len(A), -1, 6)[:, :, 3:] /= rows.L  # scales equations, not the solution
    w = np.where([word[0] == "r" for word in rows.row_name], 1 / rows.L, 1.0)
    expected = np.linalg.pinv((A / w[:, None]).T, rcond=1e-9) @ (A.T @ y) / w
    scale = np.abs(y).max() * max(1, rows.L)
    np.testing.assert_allclose(all_rows, expected, atol=1e-9 * scale)
    np.testing.assert_allclose(rows.Cq.csr.T @ all_rows, rows.Cq.csr.T @ y, atol=1e-10 * scale)
    return all_rows


def perpendicular_axes(points):
    """At each vertex of a polygon, the common perpendicular of its two sides."""
    before, after = np.roll(points, 1, axis=0) - points, np.roll(points, -1, axis=0) - points
    return np.cross(before, after)


# --------------------------------------------------------------------------------- known mechanisms


def test_four_bar_of_parallel_revolutes():
    rows = four_bar().rows()
    found = checked(rows)
    assert rows.Cq.shape == (20, 18)
    assert found.rank == 17
    assert degrees_of_freedom(3, found) == 1
    assert found.messages == [
        "joint 'D': 3 of its 5 rows repeat what 'A', 'B', 'C' already impose; "
        "reactions in these directions are not unique"
    ]
    assert set(rows.owner[found.dropped]) == {3}
    assert found.components[0].largest_dropped < 1e-14
    check_minimum_norm(rows, found)


def test_one_spherical_and_one_cylindrical_joint_make_the_four_bar_regular():
    kinds = ("revolute", "spherical", "cylindrical", "revolute")
    found = checked(four_bar(kinds=kinds).rows())
    assert found.keep.all() and not found.components and not found.messages


def test_joint_with_one_body_is_tied_to_ground():
    m = four_bar()
    m.bodies[0], m.bodies[3] = (0,), (2,)
    assert checked(m.rows()).rank == 17


def test_door_on_three_hinges():
    m = Mechanism()
    door = m.body(0.4, 0, 1)
    for i in range(3):
        m.joint(f"hinge{i}", GROUND, door, np.array([0, 0, 0.9 * i]))
    rows = m.rows()
    found = checked(rows)
    assert (found.rank, found.dropped.size, len(found.components)) == (5, 10, 1)
    assert found.keep[:5].all()  # the first hinge does it all
    assert found.messages == [
        f"joint '{name}': all its rows repeat what 'hinge0' already imposes; "
        "reactions in these directions are not unique"
        for name in ("hinge1", "hinge2")
    ]
    # Weight at the middle of three equal hinges: by symmetry each carries a third of z.
    y = np.zeros(15)
    y[2] = 30.0
    np.testing.assert_allclose(check_and_apply(rows, found, y)[[2, 7, 12]], 10.0, atol=1e-12)
    check_minimum_norm(rows, found)


def check_and_apply(rows, found, y):
    result = MinimumNorm(rows, found)(rows.Cq.csr, y)
    forces = rows.Cq.csr.T @ y
    np.testing.assert_allclose(rows.Cq.csr.T @ result, forces, atol=1e-12 * np.abs(y).max())
    return result


def test_ladder_of_ten_windows():
    rows = ladder(10).rows()
    found = checked(rows)
    assert rows.Cq.shape == (155, 126)
    assert found.dropped.size == 30  # three for each window
    assert degrees_of_freedom(21, found) == 1
    assert len(found.components) == 1  # the ground ties all windows together
    assert [s.split(":")[0] for s in found.messages] == [f"joint 'right{i}'" for i in range(10)]
    assert "3 of its 5 rows repeat what 'foot3', 'foot4', 'left3' already" in found.messages[3]
    check_minimum_norm(rows, found)


def test_bennett():
    # A skew isogram: opposite sides equal, axes perpendicular to the sides.
    points = np.array([[1, 0, 0.3], [0.4, 0.8, -0.3], [-1, 0, 0.3], [-0.4, -0.8, -0.3]])
    rows = loop(points, perpendicular_axes(points)).rows()
    found = checked(rows)
    assert (rows.Cq.shape, found.rank) == ((20, 18), 17)
    check_minimum_norm(rows, found)


def test_bricard():
    # Six edges of a cube, neighbouring axes at right angles.
    points = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    rows = loop(points, perpendicular_axes(points)).rows()
    found = checked(rows)
    assert (rows.Cq.shape, found.rank) == ((30, 30), 29)
    assert set(rows.owner[found.dropped]) == {5}
    check_minimum_norm(rows, found)


def test_two_four_bars_that_share_only_the_ground():
    m = four_bar(tag="first ")
    rows = four_bar(m, tag="second ", shift=(5, 0, 0), turn=np.eye(3)).rows()
    found = checked(rows)
    assert [c.rows.tolist() for c in found.components] == [list(range(20)), list(range(20, 40))]
    assert "'second A', 'second B', 'second C'" in found.messages[1]
    assert "first" not in found.messages[1]
    check_minimum_norm(rows, found)


@pytest.mark.parametrize("shared", ["body", "ground"])
def test_four_bar_at_the_end_of_a_chain(shared):
    m, last = Mechanism(), GROUND
    for i in range(6):
        body = m.body(i + 0.5, 0, 0)
        m.joint(f"chain{i}", last, body, np.array([i, 0, 0]), axis=(0, 1, 0.2 * i))
        last = body
    four_bar(m, base=last if shared == "body" else GROUND, shift=(6, 0, 0))
    rows = m.rows()
    found = checked(rows)
    assert [c.rows.tolist() for c in found.components] == [list(range(30, 50))]
    assert found.keep[:30].all()
    y = check_minimum_norm(rows, found)
    given = np.random.default_rng(1).standard_normal(50) * found.keep
    assert (y[:30] == given[:30]).all()  # untouched


def test_body_with_two_fixed_joints():
    m = Mechanism(L=0.2)
    b = m.body(0, 0, 0)
    m.joint("left", GROUND, b, np.array([-1.0, 0, 0]), kind="fixed")
    m.joint("right", GROUND, b, np.array([1.0, 0, 0]), kind="fixed")
    rows = m.rows()
    found = checked(rows)
    assert found.dropped.tolist() == list(range(6, 12))
    assert degrees_of_freedom(1, found) == 0
    check_minimum_norm(rows, found)


# ------------------------------------------------------------------------------------------- motors


def test_motor_on_a_mechanism_with_one_freedom():
    rows = four_bar(kinds=("motor", *["revolute"] * 3)).rows()
    found = checked(rows)
    assert degrees_of_freedom(3, found) == 0
    assert found.keep[rows.driven].all() and not found.conflicts.size
    assert not any("motor" in s for s in found.messages)


def test_second_motor_conflicts_and_passive_rows_give_way():
    rows = four_bar(kinds=("motor", "revolute", "revolute", "motor")).rows()
    found = checked(rows)
    assert found.rank == 18
    assert found.keep[rows.driven].all()  # what the user drives is kept
    assert rows.owner[found.conflicts].tolist() == [3]
    assert found.messages[0] == (
        "motor 'D' drives a direction that 'A', 'B', 'C' already fix; "
        "it can only follow what they allow"
    )
    assert found.messages[1].startswith("joint 'D': 4 of its 6 rows repeat what 'A', 'B', 'C' ")


def test_motor_on_a_fixed_body_and_two_motors_on_one_hinge():
    m = Mechanism()
    b = m.body(0.5, 0, 0)
    m.joint("weld", GROUND, b, np.zeros(3), kind="fixed")
    m.joint("m", GROUND, b, np.zeros(3), kind="motor", rows="rz")
    found = checked(m.rows())
    assert found.conflicts.tolist() == [6]
    assert found.keep[6] and not found.keep[5]
    assert found.messages[0].startswith("motor 'm' drives a direction that 'weld' already fixes")

    m = Mechanism()
    b = m.body(0.5, 0, 0)
    m.joint("one", GROUND, b, np.zeros(3), kind="motor")
    m.joint("two", GROUND, b, np.zeros(3), kind="motor", rows="rz")
    found = checked(m.rows())
    assert found.conflicts.tolist() == found.dropped.tolist() == [6]
    assert found.messages == [
        "motor 'two' drives a direction that 'one' already fixes; it is left out"
    ]
