"""The Jacobian of the cut joints in both ways: against each other, against central differences,
and against the planar formulas of the article.

L. Zhang, X. Rui, J. Zhang, G. Wang, J. Gu, X. Zhang: A framework for establishing constraint
Jacobian matrices of planar rigid-flexible-multibody systems, 2023: equations (35) and (37), a pin
T of the tree moves a point P behind it by r̃_TP = (−y, x), with minus on the base's path.
"""

import numpy as np
import pytest
from example_scripts import load_example
from recursive_models import four_bar, hexapod, polygon, slider_crank
from scipy.spatial.transform import Rotation

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
WAYS = ("semi-analytic", "direct")


class Loops:
    """Constraints of a model's cut joints as functions of its joint coordinates."""

    def __init__(self, model, cuts=()):
        self.model, self.space = model, lw.joint_space(model, cuts=cuts)
        self.q, self.v = self.space.q, self.space.v
        self.rows = [name.rsplit(".", 1) for name in self.space.row_names]
        self.names = self.space.velocity_names

    def moved(self, q, d):
        """q moved by joint velocities d over a unit of time, quaternions on their sphere."""
        out, i = np.array(q), 0
        for name, rate in zip(self.names, np.arange(len(d)), strict=True):
            if self.space.names[i].endswith(".w"):
                turn = Rotation.from_quat(q[i : i + 4], scalar_first=True)
                turn = turn * Rotation.from_rotvec(d[rate : rate + 3])
                out[i : i + 4] = turn.as_quat(scalar_first=True)
                i += 1
            if self.space.names[i] == name and not self._in_ball(i):
                out[i] += d[rate]
            i += 1
        return out

    def _in_ball(self, i):
        return any(n.endswith(".w") for n in self.space.names[max(0, i - 3) : i])

    def violation(self, q):
        return self.space.violation(q)

    def jacobian(self, q, how):
        return self.space.jacobian(q, how)

    def differences(self, q, step=1e-6):
        columns = [
            (self.violation(self.moved(q, step * e)) - self.violation(self.moved(q, -step * e)))
            / (2 * step)
            for e in np.eye(len(self.v))
        ]
        return np.stack(columns, axis=1)

    def place(self, q):
        """Positions and rotation matrices of the bodies by name."""
        state = self.space.state(q)
        turn = Rotation.from_quat(state.motion[:, 3:7], scalar_first=True).as_matrix()
        return {n: (state.motion[i, :3], turn[i]) for i, n in enumerate(state.bodies)}


def ring(seed):
    """Seven bodies in space: every kind of coordinate on the paths of a loop."""
    rng = np.random.default_rng(seed)
    kinds = [lw.Revolute, lw.Prismatic, lw.Universal, lw.Cylindrical, lw.Homokinetic, lw.Spherical]
    rng.shuffle(kinds)
    m = lw.Model("ring")
    before: object = lw.GROUND
    for k, kind in enumerate(kinds):
        at = rng.normal(size=3)
        body = m.add(f"b{k}", lw.Body(1, (1, 1, 1), position=at + 0.3 * rng.normal(size=3)))
        m.add(f"j{k}", kind(before, body, at=at, axis=rng.normal(size=3)))
        before = body
    m.add("last", lw.Planar(before, lw.GROUND, at=rng.normal(size=3), axis=rng.normal(size=3)))
    m.add("rod", lw.Distance(m["b1"], m["b4"], at_a=(0, 0, 1), at_b=(2, 1, 0)))
    return m


MODELS = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "n-four-bar": lambda: load_example("n_four_bar").build(3),
    "six-body linkage": lambda: load_example("six_body_linkage").build(),
    "double wishbone": lambda: load_example("double_wishbone").build(),
    "andrews": lambda: load_example("andrews_squeezer").build(),
    "hexapod": hexapod,
    "no ground": lambda: polygon([lw.Revolute] * 5, [0, 0.2, 0.4, 0.6, 0.8], on_ground=False),
    **{f"ring {k}": (lambda k=k: ring(k)) for k in range(4)},
}


@pytest.mark.parametrize("name", MODELS)
def test_both_ways_and_differences(name):
    """At the assembled position and at random violated ones."""
    loops = Loops(MODELS[name]())
    rng = np.random.default_rng(1)
    for size in (0.0, 0.1, 0.4):
        q = loops.moved(loops.q, size * rng.normal(size=len(loops.v)))
        semi, direct = (loops.jacobian(q, how) for how in WAYS)
        assert semi.shape == (len(loops.rows), len(loops.v)) and semi.shape[0] > 0
        large = np.abs(semi).max()
        assert np.abs(semi - direct).max() < 1e-12 * large
        assert np.abs(semi - loops.differences(q)).max() < 2e-8 * (1 + large)


def test_coordinates_off_the_paths_do_not_matter():
    """Andrews' squeezer: each loop's rows have the columns of its own paths alone."""
    loops = Loops(load_example("andrews_squeezer").build())
    J = loops.jacobian(loops.q, "semi-analytic")
    names = [n.split(".")[0] for n in loops.names]
    topology = loops.space.topology
    assert topology.cut == ["E3", "E4", "E6"]
    for r, (owner, _) in enumerate(loops.rows):
        bodies = topology.loop(owner)
        joints = {s.edge.name for s in topology.steps if topology.names[s.body] in bodies}
        off = [k for k, n in enumerate(names) if n not in joints]
        assert off and np.all(J[r, off] == 0)


# ------------------------------------------------------------------------------- planar formulas


def planar(last):
    """Pins O, P on one side, pin D and slide S on the other, a cut joint between the tips."""
    z = (0, 0, 1)
    m = lw.Model("planar")
    spots = {"one": (0.4, 0.3), "two": (1.1, 0.9), "three": (2.4, 0.3), "four": (2.0, 1.1)}
    for name, (x, y) in spots.items():
        m.add(name, lw.Body(1, (1, 1, 1), position=(x, y, 0)))
    m.add("O", lw.Revolute(lw.GROUND, m["one"], at=(0, 0, 0), axis=z))
    m.add("P", lw.Revolute(m["one"], m["two"], at=(0.8, 0.7, 0), axis=z))
    m.add("D", lw.Revolute(lw.GROUND, m["three"], at=(2.5, 0, 0), axis=z))
    m.add("S", lw.Prismatic(m["three"], m["four"], at=(2.2, 0.8, 0), axis=(-0.6, 0.8, 0)))
    m.add("cut", last(m["two"], m["four"], at=(1.6, 1.2, 0), axis=z))
    return m


def crossed(r):
    """r̃ of the article: (−y, x)."""
    return np.array([-r[1], r[0]])


def article(loops, q):
    """∂(r_M − r_B)/∂q and ∂(θ_M − θ_B)/∂q: (35) on the base's path, (37) on the moving point's."""
    places = loops.place(q)
    items = loops.model.items
    home = {n: b.position for n, b in items.items() if isinstance(b, lw.Body)}

    def carried(body, world):
        r, R = places[body]
        return r + R @ (np.array(world) - home[body])

    B, M = carried("two", (1.6, 1.2, 0)), carried("four", (1.6, 1.2, 0))
    out = {
        "O.rz": (-crossed(B), -1.0),
        "P.rz": (-crossed(B - carried("one", (0.8, 0.7, 0))), -1.0),
        "D.rz": (crossed(M - np.array([2.5, 0, 0])), 1.0),
        "S.z": ((places["three"][1] @ np.array([-0.6, 0.8, 0]))[:2], 0.0),
    }
    columns = [out[n] for n in loops.names]
    moves = np.stack([c[0] for c in columns], axis=1)
    turns = np.array([c[1] for c in columns])
    return moves, turns, M[:2] - B[:2], places["two"][1][:2, :2]


def seen_from_base(moves, turns_of_base, gap, R):
    """The rows are in the axes of the base: ∂(Rᵀd) = Rᵀ(∂d − (∂θ_B) d̃)."""
    return R.T @ (moves - np.outer(crossed(gap), turns_of_base))


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("size", [0.0, 0.2])
@pytest.mark.parametrize("kind", ["pin", "prismatic", "fixed"])
def test_planar_formulas(kind, how, size):
    joint = {"pin": lw.Revolute, "fixed": lw.Fixed, "prismatic": lw.Oldham}[kind]
    if kind == "prismatic":  # along the x axis of the base
        def joint(a, b, at, axis):
            return lw.Lock(a, b, at=at, axis=axis, rows="y z rx ry rz")
    loops = Loops(planar(joint), cuts=["cut"])
    q = loops.moved(loops.q, size * np.random.default_rng(3).normal(size=len(loops.v)))
    rows = {name: k for k, (_, name) in enumerate(loops.rows)}
    expected = {"pin": {"x", "y"}, "prismatic": {"y", "rz"}, "fixed": {"x", "y", "rz"}}
    assert set(rows) == expected[kind]
    J = loops.jacobian(q, how)
    moves, turns, gap, R = article(loops, q)
    base = np.where([n in ("O.rz", "P.rz") for n in loops.names], 1.0, 0)
    expected = seen_from_base(moves, base, gap, R)
    for k, axis in enumerate("xy"):
        if axis in rows:
            assert np.abs(J[rows[axis]] - expected[k]).max() < 1e-12
    if "rz" in rows:  # the row is the sine of half the relative angle
        places = loops.place(q)
        relative = places["two"][1].T @ places["four"][1]
        half = 0.5 * np.arctan2(relative[1, 0], relative[0, 0])
        assert np.abs(J[rows["rz"]] - 0.5 * np.cos(half) * turns).max() < 1e-12


def test_mass_matrix_and_both_dynamics():
    """M v̇ + bias = τ: inverse dynamics undo forward dynamics of trees; M gives the energy."""
    from recursive_models import chain_with

    m = chain_with(lw.Universal, True)
    space = lw.joint_space(m)
    rng = np.random.default_rng(2)
    forces = rng.normal(size=len(space.v))
    a = space.forward(space.q, space.v, forces=forces)
    assert np.abs(space.inverse(space.q, space.v, a) - forces).max() < 1e-10
    M = space.mass_matrix(space.q)
    assert np.abs(M - M.T).max() < 1e-12 and np.linalg.eigvalsh(M).min() > 0
    bias = space.inverse(space.q, space.v, np.zeros(len(a)))
    assert np.abs(M @ a + bias - forces).max() < 1e-9
    run = lw.transient(m, 1e-3, 1e-3, lw.Recursive(), progress=False)
    kinetic = float(run.energy.kinetic[0])
    assert 0.5 * space.v @ M @ space.v == pytest.approx(kinetic, rel=1e-12)
