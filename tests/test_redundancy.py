"""Independent rows, reactions of least norm: mechanisms whose mobility is known by other means.

Jacobians are built here from geometry alone (world increments δr, φ of each body): a lock row
with direction e is e·(δr_b + φ_b×(p − r_b) − δr_a − φ_a×(p − r_a)), or e·(φ_b − φ_a).
"""

import sys
import time
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from linkwork.system.redundancy import (
    ConstraintRows,
    MinimumNorm,
    consistent,
    degrees_of_freedom,
    independent_rows,
)

GROUND = -1
ROWS = {
    "fixed": "x y z rx ry rz",
    "revolute": "x y z rx ry",
    "spherical": "x y z",
    "cylindrical": "x y rx ry",
    "motor": "x y z rx ry rz",
}


def frame(axis):
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


class Mechanism:
    """Bodies with centres, joints in the order given."""

    def __init__(self, L=1.0):
        self.L, self.centre = L, []
        self.names, self.bodies, self.owner, self.words, self.driven = [], [], [], [], []
        self.blocks = []  # per row: {body: 6 numbers}

    def body(self, *position):
        self.centre.append(np.asarray(position, float))
        return len(self.centre) - 1

    def joint(self, name, a, b, at, axis=(0, 0, 1), kind="revolute", rows=None):
        E = frame(axis)
        for word in (rows or ROWS[kind]).split():
            e = E["xyz".index(word[-1])]
            row = {}
            for body, sign in ((a, -1.0), (b, 1.0)):
                if body != GROUND:
                    arm = np.cross(at - self.centre[body], e)
                    row[body] = sign * (
                        np.r_[0, 0, 0, e] if word[0] == "r" else np.concatenate([e, arm])
                    )
            self.row(len(self.names), word, row, driven=kind == "motor" and word == "rz")
        self.names.append(name)
        self.bodies.append((a, b))

    def row(self, owner, word, row, driven=False):
        self.owner.append(owner)
        self.words.append(word)
        self.blocks.append(row)
        self.driven.append(driven)

    def rows(self, noise=0.0, seed=0):
        i, j, v = [], [], []
        for r, row in enumerate(self.blocks):
            for body, six in row.items():
                i += [r] * 6
                j += range(6 * body, 6 * body + 6)
                v += list(six)
        v = np.array(v) + noise * np.random.default_rng(seed).standard_normal(len(v))
        Cq = sp.csr_array((v, (i, j)), shape=(len(self.blocks), 6 * len(self.centre)))
        return ConstraintRows(
            Cq, np.array(self.owner), self.words, self.names, self.bodies, self.L, self.driven
        )


def dense(rows):
    """Columns over L, rows of length one."""
    A = rows.Cq.csr.toarray()
    A.reshape(len(A), -1, 6)[:, :, 3:] /= rows.L
    norm = np.linalg.norm(A, axis=1, keepdims=True)
    return A / np.where(norm > 0, norm, 1)


def checked(rows):
    """The analysis, with everything that must hold for any mechanism."""
    found = independent_rows(rows)
    A = dense(rows)
    rank = np.linalg.matrix_rank(A, tol=1e-8)
    assert found.rank == found.keep.sum() == rank
    assert degrees_of_freedom(rows.nb, found) == A.shape[1] - rank
    if rank:
        # The price of the preferences is bounded: the kept rows span as well as all of them do.
        all_rows = np.linalg.svd(A, compute_uv=False)[rank - 1]
        kept = np.linalg.svd(A[found.keep], compute_uv=False)[-1]
        assert kept > 1e-3 * all_rows
        assert found.smallest_kept >= kept * (1 - 1e-9)  # pivots bound singular values from above
    dropped = [c.dropped for c in found.components]
    assert all(d.size for d in dropped)
    assert sorted(np.concatenate([*dropped, []])) == np.flatnonzero(~found.keep).tolist()
    for c in found.components:
        assert sorted([*c.kept, *c.dropped]) == c.rows.tolist()
    return found


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


def four_bar(m=None, base=GROUND, tag="", shift=(0, 0, 0), turn=None, kinds=("revolute",) * 4):
    """Four parallel revolutes, in no special plane."""
    m = m or Mechanism()
    R = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0] if turn is None else turn
    P = np.array([[0, 0, 0], [0.3, 1, 0], [1.5, 1.2, 0], [1.2, 0, 0]]) @ R.T + shift
    links = [m.body(*(P[i] + P[i + 1]) / 2) for i in range(3)]
    ends = [base, *links, base]
    for i, name in enumerate("ABCD"):
        m.joint(tag + name, ends[i], ends[i + 1], P[i], R[:, 2], kinds[i])
    return m


def loop(points, axes):
    """A closed chain of revolutes; the link from the last point to the first is ground."""
    m = Mechanism()
    links = [m.body(*(p + q) / 2) for p, q in pairwise(points)]
    ends = [GROUND, *links, GROUND]
    for i, (p, n) in enumerate(zip(points, axes)):
        m.joint(f"J{i + 1}", ends[i], ends[i + 1], p, n)
    return m


def perpendicular_axes(points):
    """At each vertex of a polygon, the common perpendicular of its two sides."""
    before, after = np.roll(points, 1, axis=0) - points, np.roll(points, -1, axis=0) - points
    return np.cross(before, after)


def ladder(N):
    """N windows of revolutes about z: N + 1 uprights on the ground, N rungs."""
    m = Mechanism()
    uprights = [m.body(i, 0.5, 0) for i in range(N + 1)]
    for i, u in enumerate(uprights):
        m.joint(f"foot{i}", GROUND, u, np.array([i, 0, 0]))
    for i in range(N):
        rung = m.body(i + 0.5, 1, 0)
        m.joint(f"left{i}", uprights[i], rung, np.array([i, 1, 0]))
        m.joint(f"right{i}", rung, uprights[i + 1], np.array([i + 1, 1, 0]))
    return m


def polygon(n):
    """n revolutes about z on a circle, one link being ground."""
    angle = 2 * np.pi * np.arange(n) / n
    return loop(np.c_[np.cos(angle), np.sin(angle), 0 * angle], np.tile([0, 0, 1.0], (n, 1)))


# --------------------------------------------------------------------------- known mechanisms


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


# --------------------------------------------------------------------------- motors


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


# --------------------------------------------------------------------------- robustness


@pytest.mark.parametrize("make", [four_bar, lambda: ladder(10), lambda: polygon(40)])
@pytest.mark.parametrize("L", [0.01, 1.0, 50.0])
def test_error_of_assembly_and_length_do_not_change_the_rank(make, L):
    m = make()
    m.L = L
    exact = independent_rows(m.rows())
    noisy = independent_rows(m.rows(noise=1e-11))
    assert noisy.rank == exact.rank == len(exact.keep) - exact.dropped.size
    assert exact.dropped.size % 3 == 0  # three for each planar loop
    pivots = [(c.largest_dropped, c.smallest_kept) for c in noisy.components]
    assert all(low < 1e-8 and high > 1e-5 for low, high in pivots)


def test_minimum_norm_survives_a_state_off_the_manifold():
    m = four_bar()
    rows = m.rows()
    found = independent_rows(rows)
    minimum_norm = MinimumNorm(rows, found)
    y = np.random.default_rng(0).standard_normal(20) * found.keep
    near = minimum_norm(m.rows(noise=1e-6).Cq.csr, y)
    np.testing.assert_allclose(near, minimum_norm(rows.Cq.csr, y), atol=1e-3)


def test_minimum_norm_accepts_another_sparsity_pattern():
    m = four_bar()
    rows = m.rows()
    found = independent_rows(rows)
    minimum_norm = MinimumNorm(rows, found)
    y = np.random.default_rng(0).standard_normal(20) * found.keep
    lean = rows.Cq.csr.copy()
    lean.eliminate_zeros()
    assert lean.nnz < rows.Cq.csr.nnz
    for other in (lean, rows.Cq.csr.tocsc()):
        same = minimum_norm(rows.Cq.csr, y)
        np.testing.assert_allclose(minimum_norm(other, y), same, atol=1e-13)


def test_singular_position_is_seen_and_reactions_stay_finite():
    def flat(noise=0.0):  # a parallelogram folded onto its base: one more dependency
        y = noise
        points = np.array([[0, 0, 0], [1, y, 0], [3, y, 0], [2, 0, 0]], float)
        return loop(points, np.tile([0, 0, 1.0], (4, 1))).rows()

    assert checked(flat()).rank == 16
    regular, singular = flat(0.5), flat()
    found = independent_rows(regular)
    assert found.rank == 17
    y = np.random.default_rng(0).standard_normal(20) * found.keep
    result = MinimumNorm(regular, found)(singular.Cq.csr, y)
    assert np.isfinite(result).all()
    np.testing.assert_allclose(singular.Cq.csr.T @ result, singular.Cq.csr.T @ y, atol=1e-12)


def random_mechanism(rng):
    """Any graph: loops, parallel joints, joints of three bodies, idle rows, parallel axes."""
    m = Mechanism(L=rng.choice([0.1, 1.0, 3.0]))
    n = int(rng.integers(1, 9))
    for _ in range(n):
        m.body(*rng.standard_normal(3))
    planar = rng.random() < 0.5
    for j in range(int(rng.integers(1, 14))):
        a, b = rng.choice(np.arange(-1, n), 2, replace=False)
        axis = np.array([0, 0, 1.0]) if planar else rng.standard_normal(3)
        kind = rng.choice(["revolute", "revolute", "spherical", "cylindrical", "fixed", "motor"])
        if n > 2 and rng.random() < 0.25:
            three = rng.choice(n, 3, replace=False)
            for word in ("u", "v")[: int(rng.integers(1, 3))]:
                m.row(j, word, three_body_row(m, three, rng, planar))
            m.names.append(f"gear{j}")
            m.bodies.append(tuple(int(i) for i in three))
        else:
            m.joint(f"j{j}", int(a), int(b), rng.standard_normal(3), axis, kind)
            if rng.random() < 0.1:
                m.row(j, "idle", {})
    return m


def three_body_row(m, bodies, rng, planar):
    """Wrenches about the origin that add up to zero."""
    wrench = rng.standard_normal((2, 6))
    if planar:
        wrench *= [0, 0, 0, 0, 0, 1]
    wrench = [*wrench, -wrench.sum(axis=0)]
    return {
        int(b): np.r_[w[:3], w[3:] - np.cross(m.centre[b], w[:3])] for b, w in zip(bodies, wrench)
    }


@pytest.mark.parametrize("seed", range(300))
def test_any_mechanism(seed):
    m = random_mechanism(np.random.default_rng(seed))
    rows = m.rows()
    found = checked(rows)
    # Reactions in rows that do not repeat any other are unique, so nothing may change them.
    y = np.random.default_rng(seed).standard_normal(len(found.keep)) * found.keep
    result = MinimumNorm(rows, found)(rows.Cq.csr, y)
    w = np.where(rows.rotation, 1 / rows.L, 1.0)
    A = rows.Cq.csr.toarray()
    A.reshape(len(A), -1, 6)[:, :, 3:] /= rows.L
    expected = np.linalg.pinv((A / w[:, None]).T, rcond=1e-9) @ (A.T @ y) / w
    tolerance = 1e-10 * np.abs(y).max() / max(found.smallest_kept, 1e-4)
    np.testing.assert_allclose(result, expected, atol=tolerance)
    # Conflicts, counted from ranks alone.
    A = dense(rows)
    ranks = [np.linalg.matrix_rank(a, tol=1e-8) for a in (A, A[~rows.driven])]
    assert found.conflicts.size == rows.driven.sum() - (ranks[0] - ranks[1])
    assert bool(found.messages) == bool(found.components)


def test_idle_row_and_empty_models():
    m = Mechanism()
    m.body(0, 0, 0)
    m.joint("pin", GROUND, 0, np.zeros(3))
    m.row(0, "rz", {})
    found = checked(m.rows())
    assert found.messages == ["joint 'pin': nothing moves its row rz, which is left out"]
    empty = ConstraintRows(sp.csr_array((0, 6)), np.empty(0, int), [], [], [])
    assert independent_rows(empty).rank == 0
    assert degrees_of_freedom(1, independent_rows(empty)) == 6
    assert consistent(empty, independent_rows(empty), np.empty(0))


# --------------------------------------------------------------------------- watching, refusing


def test_left_out_rows_are_watched():
    m = four_bar()
    m.L = 2.0
    rows = m.rows()
    found = independent_rows(rows)
    C = np.zeros(20)
    C[found.keep] = 1.0  # not this function's business
    assert consistent(rows, found, C)
    assert consistent(rows, found, C).messages == []
    i = next(i for i in found.dropped if rows.row_name[i][0] == "r")
    C[i] = -0.7e-6  # 1.4e-6 with L
    bad = consistent(rows, found, C, tolerance=1e-6)
    assert not bad
    assert bad.rows.tolist() == [i]
    np.testing.assert_allclose(bad.error, [1.4e-6])
    assert bad.messages[0].startswith(f"joint 'D', row {rows.row_name[i]}: left out as redundant")
    C[i] = np.nan
    assert not consistent(rows, found, C)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"joint_bodies": [(0, -1), (0, 1), (1, 2), (1, -1)]}, "joint 'D': its rows depend on"),
        ({"joint_bodies": [(0, 3), (0, 1), (1, 2), (2, -1)]}, "joint 'A': bodies are numbered"),
        ({"L": 0.0}, "length L must be positive"),
        ({"row_name": ["x"]}, "row_name has 1 entries"),
        ({"owner": np.full(20, 4)}, "owner must lie in 0..3"),
        ({"Cq": sp.csr_array((20, 17))}, "Cq has 17 columns"),
        ({"Cq": sp.csr_array(np.full((20, 18), np.nan))}, "joint 'A': its Jacobian is not finite"),
    ],
)
def test_errors_say_what_is_wrong(change, words):
    good = four_bar().rows()
    fields = ("Cq", "owner", "row_name", "joint_names", "joint_bodies", "L", "driven")
    with pytest.raises(ValueError, match=words):
        ConstraintRows(**({name: getattr(good, name) for name in fields} | change))


# --------------------------------------------------------------------------- speed


def chain(n, rng):
    """A tree of n revolutes, built without a Python loop: the rows of one joint are (5, 12)."""
    parent = np.maximum(np.arange(n) - rng.integers(1, 4, n), -1)
    block = rng.standard_normal((n, 5, 12))
    i, j, k = np.nonzero(np.ones((n, 5, 12)) * np.where(parent < 0, 0, 1)[:, None, None])
    child = k >= 6
    column = np.where(child, 6 * i, 6 * parent[i]) + k % 6
    rows = (5 * i + j, column)
    i0, j0, k0 = np.nonzero(np.ones((n, 5, 6)) * np.where(parent < 0, 1, 0)[:, None, None])
    Cq = sp.csr_array(
        (
            np.r_[block[i, j, k], block[i0, j0, k0]],
            (np.r_[rows[0], 5 * i0 + j0], np.r_[rows[1], 6 * i0 + k0]),
        ),
        shape=(5 * n, 6 * n),
    )
    bodies = list(zip(parent.tolist(), range(n)))
    names = [f"j{i}" for i in range(n)]
    return ConstraintRows(Cq, np.repeat(np.arange(n), 5), ["x"] * (5 * n), names, bodies)


def best_of_three(work):
    seconds = []
    for _ in range(3):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def test_tree_of_ten_thousand_joints_is_fast_and_needs_no_networkx(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)  # importing it would raise
    rows = chain(10_000, np.random.default_rng(0))
    found, seconds = best_of_three(lambda: independent_rows(rows))
    assert found.rank == 50_000 and not found.components
    assert seconds < 1  # 0.1 s measured; the rest is for busy machines
    small = chain(40, np.random.default_rng(1))
    checked(small)


def test_loop_of_600_rows_is_fast():
    rows = polygon(120).rows()
    found, seconds = best_of_three(lambda: independent_rows(rows))
    assert found.dropped.size == 3
    assert rows.Cq.shape[0] == 600
    assert found.messages[0].startswith("joint 'J120': 3 of its 5 rows repeat what 'J1', 'J2', ")
    assert "'J4' and 115 more already impose" in found.messages[0]
    assert seconds < 1  # 0.06 s measured on a free core, 0.25 s on a busy one


def test_large_loops_are_certified_without_dense_factorisation():
    """A ring of links on balls has full rank; σ_min as numpy finds it."""
    angle = 2 * np.pi * np.arange(150) / 150
    points = np.c_[np.cos(angle), np.sin(angle), 0.3 * np.sin(2 * angle)]
    m = Mechanism()
    links = [m.body(*(p + q) / 2) for p, q in pairwise(points)]
    ends = [GROUND, *links, GROUND]
    for i, p in enumerate(points):
        m.joint(f"J{i}", ends[i], ends[i + 1], p, kind="spherical")
    rows = m.rows()
    found = independent_rows(rows)
    assert found.keep.all() and rows.Cq.shape[0] == 450
    sigma = np.linalg.svd(dense(rows), compute_uv=False)[-1]
    # twenty inverse iterations come from above; singular values lie close to each other here
    assert sigma <= found.smallest_kept < 1.1 * sigma
