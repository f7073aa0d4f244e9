"""Independent rows off the manifold, in singular positions, of random mechanisms; refusals."""

import numpy as np
import pytest
import scipy.sparse as sp
from inside import ConstraintRows, MinimumNorm, consistent, degrees_of_freedom, independent_rows
from rows_from_geometry import GROUND, Mechanism, checked, dense, four_bar, ladder, loop, polygon
from scipy.integrate import solve_ivp

import linkwork as lw

# --------------------------------------------------------------------------------------- robustness


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


@pytest.mark.parametrize("rows", [(4, 9), (7, 9), (12, 9)])
def test_shares_of_rows_that_depend_on_each_other_are_the_least(rows):
    """Sums of rows as another one: by singular values, of independent and of dependent rows."""
    from linkwork.system.redundancy.full_rank import RowSpace

    rng = np.random.default_rng(2)
    A = rng.standard_normal((min(rows[0], 5), rows[1]))
    A = rng.standard_normal((rows[0], len(A))) @ A
    x = rng.standard_normal(rows[0]) @ A
    found = RowSpace(sp.csr_array(A)).coefficients(x)
    np.testing.assert_allclose(found, np.linalg.pinv(A.T, rcond=1e-9) @ x, atol=1e-8)


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


# ------------------------------------------------------------------------------- watching, refusing


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


@pytest.mark.parametrize("long", [1.0, 1e6, 1e9, 1e12])
def test_bodies_of_very_different_lengths_keep_their_rows(long):
    """A spatial four-bar of 1 m has three rows too many, a hinge with an arm of `long` has none,
    whatever length stands for both: as many as in a model of lengths of one size."""
    from inside import beginning

    m, z = lw.Model("mixed"), (0, 0, 1)
    A, B, C, D = (0, 0, 0), (0, 1, 0), (2, 2, 0), (2, 0, 0)
    for name, p, q in (("a", A, B), ("b", B, C), ("c", D, C)):
        m.add(name, lw.Body.link(p, q, radius=0.02, mass=1))
    m.add("long", lw.Body(1, (long**2 / 12,) * 3, position=(0, -long, 0)))
    for name, a, b, at in (
        ("A", lw.GROUND, "a", A), ("B", "a", "b", B), ("C", "b", "c", C), ("D", lw.GROUND, "c", D),
        ("E", lw.GROUND, "long", A),
    ):  # fmt: skip
        first = a if a is lw.GROUND else m[a]
        m.add(name, lw.Revolute(first, m[b], at=at, axis=z))
    with pytest.warns(lw.LinkworkWarning) as heard:
        full, data, *_ = beginning(m, None, lw.GeneralizedAlpha())
    rows = zip(full.system.all_rows, data.keep, strict=True)
    left = [row.owner for row, kept in rows if not kept]
    assert len(left) == 3 and "E" not in left
    assert not any("nothing moves" in str(w.message) for w in heard)


def beside_a_far_body(far):
    """A pendulum of 1 m that carries the end of a rod whose centre is far away."""
    m = lw.Model("far", gravity=(0, 0, -9.81))
    small = m.add("small", lw.Body(1, (0.1,) * 3, position=(1, 0, 0)))
    m.add("near", lw.Revolute(lw.GROUND, small, at=(0, 0, 0), axis=(0, 1, 0)))
    rod = m.add("rod", lw.Body(1, (far**2 / 12,) * 3, position=(2 + far, 0, 0)))
    m.add("pin", lw.Revolute(small, rod, at=(2, 0, 0), axis=(0, 1, 0)))
    return m


@pytest.mark.parametrize("far", [1e8, 1e10, 1e12])
@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.EnergyMomentum()], ids=repr)
def test_lengths_far_apart(far, method):
    """The rod stays level: at its end it weighs g/13 and has the masses 1/13 upwards, 1 along."""
    run = lw.transient(beside_a_far_body(far), t=0.1, h=0.01, method=method, progress=False)

    def rates(t, y):
        a, w = y
        inertia = 1.1 + 4 * (np.cos(a) ** 2 / 13 + np.sin(a) ** 2)
        slope = 4 * np.sin(2 * a) * (1 - 1 / 13)
        return w, (9.81 * (1 + 2 / 13) * np.cos(a) - 0.5 * slope * w**2) / inertia

    angle = solve_ivp(rates, (0, 0.1), (0.0, 0.0), rtol=1e-10, atol=1e-12).y[0, -1]
    assert run["small"].position.values[-1] == pytest.approx(
        (np.cos(angle), 0, -np.sin(angle)), abs=1e-5
    )


def test_round_off_of_far_positions_is_named():
    """Positions of 1e14 m are known to 1e-2 m, beside which a hinge of 1 m cannot be closed."""
    with pytest.raises(lw.ConvergenceError, match="round-off of positions of 1e\\+14 m"):
        lw.transient(beside_a_far_body(1e14), t=0.1, h=0.01, progress=False)


def test_inertias_too_far_apart_for_joint_coordinates():
    """ε |I| of the rod is not small beside the inertia of the pendulum that carries it."""
    for far in (1e3, 1e5):
        lw.transient(beside_a_far_body(far), t=0.1, h=0.01, method=lw.Recursive(), progress=False)
    with pytest.warns(lw.LinkworkWarning, match="inertia of body 'rod' .* 'small', which carries"):
        lw.transient(beside_a_far_body(1e6), t=0.1, h=0.01, method=lw.Recursive(), progress=False)
    with pytest.raises(lw.SingularError, match="inertia of body 'rod' .* lw.GeneralizedAlpha"):
        lw.transient(beside_a_far_body(1e8), t=0.1, h=0.01, method=lw.Recursive(), progress=False)
