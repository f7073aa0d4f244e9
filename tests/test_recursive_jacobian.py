"""The Jacobian of the cut joints in both ways: against each other, against central differences,
and against the planar formulas of the article.

L. Zhang, X. Rui, J. Zhang, G. Wang, J. Gu, X. Zhang: A framework for establishing constraint
Jacobian matrices of planar rigid-flexible-multibody systems, 2023: equations (35) and (37), a pin
T of the tree moves a point P behind it by r̃_TP = (−y, x), with minus on the base's path.
"""

import numpy as np
import pytest
from recursive_models import four_bar, hexapod, polygon, slider_crank
from scipy.spatial.transform import Rotation
from test_examples import load_example

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.recursive import closing as cl
from linkwork.recursive.parts import Parts

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
WAYS = {"semi-analytic": cl.SEMI_ANALYTIC, "direct": cl.DIRECT}


class Loops:
    """Constraints of a model's cut joints as functions of its joint coordinates."""

    def __init__(self, model, cuts=()):
        assembled = assemble_model(model, warn=False)
        self.state = assembled.state
        self.parts = Parts(assembled.full, self.state, cuts)
        self.q, self.v = self.parts.read(self.state)

    def moved(self, q, d):
        """q moved by joint velocities d over a unit of time, quaternions on their sphere."""
        out = q.copy()
        cl.move(self.parts.loops, out, d)
        return out

    def see(self, q):
        self.parts.see(self.state, q, np.zeros_like(self.v))

    def violation(self, q):
        self.see(q)
        return self.parts.outer.work.C[: self.parts.outer.rows].copy()

    def jacobian(self, q, how):
        self.see(q)
        p = self.parts
        cl.jacobian(p.tree, p.sweep, p.loops, p.outer.work, WAYS[how])
        return p.loops.J.copy()

    def differences(self, q, step=1e-6):
        columns = [
            (self.violation(self.moved(q, step * e)) - self.violation(self.moved(q, -step * e)))
            / (2 * step)
            for e in np.eye(len(self.v))
        ]
        return np.stack(columns, axis=1)

    def place(self, q):
        """Positions and rotation matrices of the bodies by name."""
        self.see(q)
        nodes, names = self.parts.outer.work.nodes, self.parts.full.names
        turn = Rotation.from_quat(nodes[: len(names), 3:7], scalar_first=True).as_matrix()
        return {n: (nodes[i, :3].copy(), turn[i]) for i, n in enumerate(names)}


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
        assert semi.shape == (loops.parts.outer.rows, len(loops.v)) and semi.shape[0] > 0
        large = np.abs(semi).max()
        assert np.abs(semi - direct).max() < 1e-12 * large
        assert np.abs(semi - loops.differences(q)).max() < 2e-8 * (1 + large)


def test_coordinates_off_the_paths_do_not_matter():
    """Andrews' squeezer: each loop's rows have the columns of its own paths alone."""
    loops = Loops(load_example("andrews_squeezer").build())
    J = loops.jacobian(loops.q, "semi-analytic")
    names = [n.split(".")[0] for n in loops.parts.coordinates.velocity_names]
    topology = loops.parts.topology
    assert topology.cut == ["E3", "E4", "E6"]
    for r, row in enumerate(loops.parts.outer.kept_rows):
        bodies = topology.loop(row.owner)
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
    items = loops.parts.full.model.items
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
    columns = [out[n] for n in loops.parts.coordinates.velocity_names]
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
    rows = {r.name: k for k, r in enumerate(loops.parts.outer.kept_rows)}
    expected = {"pin": {"x", "y"}, "prismatic": {"y", "rz"}, "fixed": {"x", "y", "rz"}}
    assert set(rows) == expected[kind]
    J = loops.jacobian(q, how)
    moves, turns, gap, R = article(loops, q)
    base = np.where([n in ("O.rz", "P.rz") for n in loops.parts.coordinates.velocity_names], 1.0, 0)
    expected = seen_from_base(moves, base, gap, R)
    for k, axis in enumerate("xy"):
        if axis in rows:
            assert np.abs(J[rows[axis]] - expected[k]).max() < 1e-12
    if "rz" in rows:  # the row is the sine of half the relative angle
        places = loops.place(q)
        relative = places["two"][1].T @ places["four"][1]
        half = 0.5 * np.arctan2(relative[1, 0], relative[0, 0])
        assert np.abs(J[rows["rz"]] - 0.5 * np.cos(half) * turns).max() < 1e-12
