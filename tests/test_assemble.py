"""Assembly: how fast it converges, that it is nearest, what it honours, and how it fails."""

import time
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.elements.joints import NamedJoint
from linkwork.math import rotations
from linkwork.model.registry import ITEMS

Z = (0, 0, 1)


@pytest.fixture(autouse=True)
def quiet():
    """Redundancy is explained elsewhere."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*repeats? what", category=lw.LinkworkWarning)
        yield


# ------------------------------------------------------------------------------------ mechanisms


def link(m, name, start, end):
    return m.add(name, lw.Body.link(start, end, 0.02, mass=1.0))


def four_bar():
    """A spatial four-bar R-S-U-R: one degree of freedom, nothing redundant."""
    m = lw.Model("four-bar")
    p = [(0, 0, 0), (0, 0.5, 0.3), (2, 1.5, 0.5), (2, 0, 0.2)]
    a, b, c = (link(m, f"bar{i}", p[i], p[i + 1]) for i in range(3))
    m.add("A", lw.Revolute(lw.GROUND, a, at=p[0], axis=(1, 0.2, 0)))
    m.add("B", lw.Spherical(a, b, at=p[1]))
    m.add("C", lw.Universal(b, c, at=p[2], axis_a=(0, 1, 0.2), axis_b=(0.2, -0.2, 1)))
    m.add("D", lw.Revolute(lw.GROUND, c, at=p[3], axis=(0, 0.3, 1)))
    return m, 1


def slider_crank():
    """Of revolutes and a slide in space: three rows too many."""
    m = lw.Model("slider-crank")
    pin, end = (0.3, 0.4, 0), (1.5, 0, 0)
    crank, rod = link(m, "crank", (0, 0, 0), pin), link(m, "rod", pin, end)
    slider = m.add("slider", lw.Body.box((0.1, 0.1, 0.1), mass=1, position=end))
    m.add("main", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=Z))
    m.add("pin", lw.Revolute(crank, rod, at=pin, axis=Z))
    m.add("wrist", lw.Revolute(rod, slider, at=end, axis=Z))
    m.add("guide", lw.Prismatic(lw.GROUND, slider, at=end, axis=(1, 0, 0)))
    return m, 1


def legs():
    for i in range(6):
        a, b = np.radians([120 * (i // 2) + 10 * (-1) ** i, 120 * (i // 2) + 50 * (-1) ** i])
        yield np.array([np.cos(a), np.sin(a), 0]), np.array([np.cos(b), np.sin(b), 2]) / 2


def stewart():
    """A plate on six rods: no degree of freedom."""
    m = lw.Model("stewart")
    plate = m.add("plate", lw.Body.cylinder(0.5, 0.05, mass=5, position=(0, 0, 1)))
    for i, (p, q) in enumerate(legs()):
        m.add(f"leg{i}", lw.Distance(lw.GROUND, plate, p, q))
    return m, 0


def stewart_of_actuators():
    """The same on six legs of universal joint, actuator and ball: each may spin about itself."""
    m = lw.Model("hexapod")
    plate = m.add("plate", lw.Body.cylinder(0.5, 0.05, mass=5, position=(0, 0, 1)))
    for i, (p, q) in enumerate(legs()):
        middle = (p + q) / 2
        low, high = link(m, f"low{i}", p, middle), link(m, f"high{i}", middle, q)
        m.add(f"U{i}", lw.Universal(lw.GROUND, low, at=p, axis=q - p))
        m.add(f"P{i}", lw.Actuator(low, high, middle, q - p, displacement=0.02 * i))
        m.add(f"S{i}", lw.Spherical(high, plate, at=q))
    return m, 0


def bricard():
    """Six hinges along the edges of a cube; one row of thirty too many, one degree of freedom."""
    m = lw.Model("bricard")
    p = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], float)
    ends = [lw.GROUND, *(link(m, f"bar{i}", p[i], p[(i + 1) % 6]) for i in range(1, 6))]
    for i in range(6):
        axis = np.cross(p[i] - p[i - 1], p[(i + 1) % 6] - p[i])
        m.add(f"hinge{i}", lw.Revolute(ends[i - 1], ends[i], at=p[i], axis=axis))
    return m, 1


MECHANISMS = [four_bar, slider_crank, stewart, stewart_of_actuators, bricard]


def bodies(m):
    return {n: b for n, b in m.items.items() if isinstance(b, lw.Body)}


def displaced(m, size, seed=0):
    """Every body moved and turned at random, markers with them."""
    rng = np.random.default_rng(seed)
    for b in bodies(m).values():
        step = size * rng.normal(size=(2, 3))
        b.position = b.position + step[0]
        b.orientation = rotations.multiply(b.orientation, rotations.exponential(step[1]))
    return m


def errors(assembled):
    """Of all rows, also those left out."""
    return np.abs(assembled.full.evaluate(assembled.state).C).max(initial=0.0)


def metric(full, weights=None):
    """Documented: displacements over L, rotations in rad, times the weight of the body."""
    w = np.array([(weights or {}).get(n, 1.0) for n in full.names])
    return np.repeat(w, 6) * np.tile([1 / full.length**2] * 3 + [1.0] * 3, full.bodies)


# ----------------------------------------------------------------------------------- convergence


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_positions_converge_quadratically(mechanism, seed):
    m, freedom = mechanism()
    found = assemble_model(displaced(m, 0.05, seed))
    e = [x for x in found.history if x > 1e-13]  # below is round-off
    assert e[-1] < 1e-6 and len(found.history) <= 7
    for before, after in zip(e[-3:], e[-2:], strict=False):
        # C = ½ δᵀ C_qq δ with coordinates of size one: errors square, times a few
        assert after < 10 * before**2, found.history
    assert errors(found) < 1e-10 * found.full.length
    assert 6 * found.full.bodies - found.redundancy.rank == freedom


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_is_assembled_stays(mechanism):
    m, _ = mechanism()
    if mechanism is stewart_of_actuators:
        for i in range(6):
            m[f"P{i}"].displacement = 0.0
    found = assemble_model(m)
    given = found.full.described_state()
    np.testing.assert_allclose(found.state.motion, given.motion, atol=1e-14)
    again = displaced(m, 0.02)
    state = lw.assemble(again)
    for name, b in bodies(again).items():
        b.position, b.orientation = state[name].position, state[name].orientation
    # joints keep their markers: what was found is a position of the same mechanism
    np.testing.assert_allclose(lw.assemble(again).motion, state.motion, atol=1e-13)


def test_a_long_chain_is_fast():
    def chain(n):
        m = lw.Model("chain")
        before = lw.GROUND
        for i in range(n):
            b = link(m, f"link{i}", (i, 0, 0), (i + 1, 0, 0))
            axis = (0, 1, 0) if i % 2 else (0, 0, 1)
            m.add(f"hinge{i}", lw.Revolute(before, b, at=(i, 0, 0), axis=axis))
            before = b
        return displaced(m, 1e-2)

    assemble_model(chain(10))  # compiles
    m = chain(1000)
    began = time.process_time()
    found = assemble_model(m)
    assert time.process_time() - began < 3
    assert errors(found) < 1e-10 * found.full.length and len(found.history) < 8


# --------------------------------------------------------------------------------------- nearest


@pytest.mark.parametrize("size", [0.05, 0.2])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mechanism", [four_bar, slider_crank, bricard])
def test_no_direction_leads_nearer(mechanism, seed, size):
    """The way back to the given position is normal to every possible motion."""
    found = assemble_model(displaced(mechanism()[0], size, seed))
    W = metric(found.full)
    way = np.sqrt(W) * found.state.difference(found.full.described_state()).ravel()
    J = found.full.evaluate(found.state).Cq.toarray() / np.sqrt(W)
    motions = scipy.linalg.null_space(J, rcond=1e-9)
    assert motions.shape[1] == 1
    assert np.linalg.norm(motions.T @ way) < 1e-10 * np.linalg.norm(way)


def web():
    """Four bodies in space on eight rods."""
    rng = np.random.default_rng(8)
    m = lw.Model("web")
    b = [m.add(f"bar{i}", lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for i in range(4)]
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    for i, j in [*pairs, *((None, k) for k in (0, 2, 3))]:
        ends = [lw.Frame(lw.GROUND if k is None else b[k], rng.normal(size=3)) for k in (i, j)]
        m.add(f"rod{i}{j}", lw.Distance(*ends))
    return m, 16


UNEQUAL = {"bar0": 50.0, "bar2": 0.1}


@pytest.mark.parametrize(
    ("mechanism", "weights", "fixed"),
    [
        (four_bar, {}, []), (four_bar, UNEQUAL, []), (web, {}, []), (web, UNEQUAL, []),
        (web, {"bar2": 3.0}, ["bar1"]),
    ],
)  # fmt: skip
def test_nearest_against_a_general_optimiser(mechanism, weights, fixed):
    """SLSQP on the same distance and constraints (its own path, gradients by differences)."""
    m = displaced(mechanism()[0], 0.05, seed=4)
    found = assemble_model(m, weights=weights, fixed=fixed)
    full, given = found.full, found.full.described_state()
    W = metric(full, weights)
    free = np.repeat([n not in fixed for n in full.names], 6)

    def moved(x):
        step = np.zeros(6 * full.bodies)
        step[free] = x
        return given.moved(step)

    def violation(x):
        return full.evaluate(moved(x), tangent=False).C.copy()

    best = scipy.optimize.minimize(
        lambda x: W[free] @ x**2, np.zeros(free.sum()), jac=lambda x: 2 * W[free] * x,
        constraints={"type": "eq", "fun": violation}, method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 300},
    )  # fmt: skip
    assert np.abs(violation(best.x)).max() < 1e-7, best.message
    mine = found.state.difference(given).ravel()
    assert np.array_equal(mine[~free], np.zeros((~free).sum()))
    # SLSQP: flat near the optimum, so positions to the root of the accuracy of the distance
    np.testing.assert_allclose(mine[free], best.x, atol=2e-5)
    assert W @ mine**2 <= best.fun * (1 + 1e-6)


def two_balls():
    """Two bodies 2 m apart that a rod of 1 m must hold together."""
    m = lw.Model("balls")
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(x, 0, 0))) for n, x in (("a", 0), ("b", 2)))
    m.add("rod", lw.Distance(a, b, length=1.0))
    return m


def test_weights_share_the_way():
    for w in (1.0, 3.0, 99.0):
        state = lw.assemble(two_balls(), weights={"a": w})
        np.testing.assert_allclose(state["a"].position, (1 / (1 + w), 0, 0), atol=1e-12)
        np.testing.assert_allclose(state["b"].position, (2 - w / (1 + w), 0, 0), atol=1e-12)


@pytest.mark.parametrize("fixed", ["b", ["b"], ("b",), {"b": 1}])
def test_fixed_bodies_stay(fixed):
    state = lw.assemble(two_balls(), fixed=fixed)
    np.testing.assert_array_equal(state["b"].position, (2, 0, 0))
    np.testing.assert_allclose(state["a"].position, (1, 0, 0), atol=1e-12)
    with pytest.raises(lw.AssemblyError, match="'rod' by 1e[+]03 mm"):
        lw.assemble(two_balls(), fixed=["a", "b"])


def test_a_fixed_body_moves_as_its_drive_says():
    m = lw.Model()
    crank = link(m, "crank", (0, 0, 0), (1, 0, 0))
    m.add("motor", lw.Motor(lw.GROUND, crank, (0, 0, 0), Z, angle=lw.ramp(3.0)))
    state = lw.assemble(m, fixed=["crank"])
    np.testing.assert_allclose(state["crank"].velocity, (0, 1.5, 0), atol=1e-12)


# --------------------------------------------------------------------------------- starts of joints


NAMED = sorted(n for n, cls in ITEMS.items() if issubclass(cls, NamedJoint))

def start_cases():
    """Every named joint with every word that it can start with."""
    for name in NAMED:
        rows = ITEMS[name].rows.split()
        turns, slides = "rz" not in rows, "z" not in rows
        if turns:
            for angle in (0.4, -2.0, 3.0, 7.0):
                yield name, {"angle": angle, "rate": 1.3}
        if slides:
            yield name, {"displacement": -0.7, "speed": 0.9}
            if not turns:
                yield name, {"displacement": 0.2, "rate": -0.9}
        if turns and slides:
            yield name, {"angle": 1.0, "displacement": 0.3, "rate": -2.0, "speed": 0.4}


def coordinates(item, state):
    """Where marker b is seen from marker a: its place, and its turn about z (rad)."""

    def marker(frame):
        if frame.body is lw.GROUND:
            return frame.position, frame.orientation
        x = state[frame.body.name]
        q = rotations.multiply(x.orientation, frame.orientation)
        return x.position + rotations.matrix(x.orientation) @ frame.position, q

    (ra, qa), (rb, qb) = (marker(f) for f in item.frames)
    s, _, _, z = rotations.multiply(rotations.conjugate(qa), qb)
    return rotations.matrix(qa).T @ (rb - ra), 2 * np.arctan2(z, s)


@pytest.mark.parametrize(("name", "words"), list(start_cases()))
def test_every_joint_starts_where_it_is_told(name, words):
    rng = np.random.default_rng(1)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for n in "ab")
    m.add("ball", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    item = m.add("joint", ITEMS[name](a, b, at=(0.3, 0.2, 0.1), axis=(1, 2, 2), **words))
    state = lw.assemble(m)
    h = 1e-5
    (x, angle), (x1, angle1), (x0, angle0) = (
        coordinates(item, s)
        for s in (state, state.moved(h * state.velocities), state.moved(-h * state.velocities))
    )
    rate = ((angle1 - angle0 + np.pi) % (2 * np.pi) - np.pi) / (2 * h)
    speed = (x1 - x0)[2] / (2 * h)
    if "angle" in words:
        off = (angle - words["angle"] + np.pi) % (2 * np.pi) - np.pi
        assert abs(off) < 1e-9
        assert rate == pytest.approx(words["rate"], abs=1e-8)
    if "displacement" in words:
        assert x[2] == pytest.approx(words["displacement"], abs=1e-10)
        assert speed == pytest.approx(words.get("speed", words.get("rate")), abs=1e-8)
    held = {"x": x[0], "y": x[1], "z": x[2]}
    assert all(abs(held[r]) < 1e-10 for r in item.rows.split() if r in held)


def test_starts_in_a_loop_and_over_turns():
    """A parallelogram at 2π + 1 rad: all its bars follow."""
    m = lw.Model()
    p = [(0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0)]
    a, b, c = (link(m, f"bar{i}", p[i], p[i + 1]) for i in range(3))
    m.add("A", lw.Revolute(lw.GROUND, a, at=p[0], axis=Z, angle=0.5 + 2 * np.pi, rate=2.0))
    m.add("B", lw.Revolute(a, b, at=p[1], axis=Z))
    m.add("C", lw.Revolute(b, c, at=p[2], axis=Z))
    m.add("D", lw.Revolute(lw.GROUND, c, at=p[3], axis=Z))
    found = assemble_model(m)
    tip = np.array([-np.sin(0.5), np.cos(0.5), 0])
    np.testing.assert_allclose(found.state["bar0"].position, tip / 2, atol=1e-10)
    np.testing.assert_allclose(found.state["bar1"].position, tip + (1, 0, 0), atol=1e-10)
    along = 2 * np.array([-np.cos(0.5), -np.sin(0.5), 0])
    np.testing.assert_allclose(found.state["bar1"].velocity, along, atol=1e-9)
    np.testing.assert_allclose(found.state["bar1"].angular_velocity, 0, atol=1e-9)
    run = lw.transient(m, t=0.1, h=1e-2, progress=False)
    assert float(run["A"].angle[0]) % (2 * np.pi) == pytest.approx(0.5)


@pytest.mark.parametrize("start", [0.0, 0.7, -3.0])
def test_drives_at_the_time_of_the_start(start):
    """Positions and velocities of a driven arm, at whatever time it starts."""
    m = lw.Model()
    arm, hand = link(m, "arm", (0, 0, 0), (1, 0, 0)), link(m, "hand", (1, 0, 0), (2, 0, 0))
    angle, way = lw.sine(0.5, 0.3, 0.2), lw.polynomial([0.1, 0.2, 0.05])
    m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), Z, angle=angle))
    m.add("slide", lw.Actuator(arm, hand, (1, 0, 0), (1, 0, 0), displacement=way))
    state = lw.assemble(m, time=start)
    (a, da, _), (s, ds, _) = angle.jet(start)[0], way.jet(start)[0]
    e, n = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
    assert state.time == start
    np.testing.assert_allclose(state["hand"].position, (1.5 + s) * e, atol=1e-11)
    np.testing.assert_allclose(
        state["hand"].velocity, ds * e + (1.5 + s) * da * n, atol=1e-10
    )


def test_a_rate_is_honoured_at_any_start_time():
    m = lw.Model()
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=1))
    m.add("axle", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=Z, angle=0.3, rate=5.0))
    for start in (0.0, 2.0):
        state = lw.assemble(m, time=start)
        np.testing.assert_allclose(state["wheel"].angular_velocity, (0, 0, 5), atol=1e-12)
        np.testing.assert_allclose(
            state["wheel"].orientation, (np.cos(0.15), 0, 0, np.sin(0.15)), atol=1e-12
        )


# ------------------------------------------------------------------------------------- velocities


def on_a_ball(**words):
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 2, 2), position=(0.3, -0.4, 1.2), **words))
    m.add("ball", lw.Spherical(lw.GROUND, b, at=(0, 0, 0)))
    return lw.assemble(m)["b"], np.array([0.3, -0.4, 1.2])


def test_given_velocities_that_are_possible_are_kept():
    w = np.array([1.0, -2.0, 0.5])
    found, r = on_a_ball(angular_velocity=w)
    np.testing.assert_allclose(found.angular_velocity, w, rtol=1e-12)
    np.testing.assert_allclose(found.velocity, np.cross(w, r), atol=1e-11)
    v = np.cross(w, r)
    found, r = on_a_ball(velocity=v)
    np.testing.assert_allclose(found.velocity, v, atol=1e-11)
    np.testing.assert_allclose(np.cross(found.angular_velocity, r), v, atol=1e-11)
    found, r = on_a_ball(velocity=v, angular_velocity=w)
    np.testing.assert_allclose(found.velocity, v, rtol=1e-12)
    np.testing.assert_allclose(found.angular_velocity, w, rtol=1e-12)


def test_velocities_that_are_impossible_change_least():
    """A ball joint takes the part along the arm; what is left keeps its direction."""
    r = np.array([0.3, -0.4, 1.2])
    found, _ = on_a_ball(velocity=r / np.linalg.norm(r))
    np.testing.assert_allclose(found.velocity, 0, atol=1e-9)
    np.testing.assert_allclose(on_a_ball()[0].velocity, 0, atol=0)


def test_velocities_of_a_chain_follow_from_one():
    m = lw.Model()
    a, b = link(m, "a", (0, 0, 0), (1, 0, 0)), link(m, "b", (1, 0, 0), (2, 0, 0))
    a.angular_velocity = rotations.matrix(a.orientation).T @ (0, 0, 2.0)
    m.add("A", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=Z))
    m.add("B", lw.Revolute(a, b, at=(1, 0, 0), axis=Z, rate=-5.0))
    state = lw.assemble(m)
    spin = rotations.matrix(state["b"].orientation) @ state["b"].angular_velocity
    np.testing.assert_allclose(spin, (0, 0, -3), atol=1e-9)
    np.testing.assert_allclose(state["b"].velocity, (0, 2 - 1.5, 0), atol=1e-9)


def test_rates_that_contradict_each_other():
    m = lw.Model("wheel")
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=1))
    m.add("A", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=Z, rate=1.0))
    m.add("B", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 1), axis=Z, rate=2.0))
    with pytest.raises(lw.AssemblyError, match="'wheel' has no velocities") as caught:
        lw.assemble(m)
    found = caught.value.violations
    # half each; seen through a quaternion, rates are equal to a relative 1e-12 or so
    assert found["A"]["deg"] == pytest.approx(np.degrees(0.5)) and "\n" not in str(caught.value)
    assert found["B"]["deg"] == pytest.approx(np.degrees(0.5))
    assert "'A' by 28.6°/s" in str(caught.value)


# --------------------------------------------------------------------------------------- failures


def stretched(reach, m=None, tag="", shift=0.0):
    """A bar of 1 m between two balls `reach` apart."""
    m = m or lw.Model("bar")
    bar = m.add(f"bar{tag}", lw.Body(1, (1, 1, 1), position=(0.6, 0.1 + shift, 0)))
    for i, x in ((0, 0.0), (1, reach)):
        m.add(
            f"ball{tag}{i}",
            lw.Spherical(lw.Frame(lw.GROUND, (x, shift, 0)), lw.Frame(bar, (i - 0.5, 0, 0))),
        )
    return m


@pytest.mark.parametrize("reach", [1.5, 1.01, 3.0])
def test_a_bar_that_is_too_short_says_by_how_much(reach):
    with pytest.raises(lw.AssemblyError, match="'bar' cannot be assembled") as caught:
        lw.assemble(stretched(reach))
    gap = 1e3 * (reach - 1) / 2  # shared by both ends, in millimetres
    for name in ("ball0", "ball1"):
        assert caught.value.violations[name]["mm"] == pytest.approx(gap, rel=1e-4)
        assert caught.value.violations[name]["deg"] == 0
        assert f"'{name}' by {gap:.3g} mm" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_rods_that_do_not_reach_each_other():
    """0.4 m and 0.5 m between points 1.5 m apart: 0.3 m each."""
    m = lw.Model("rods")
    ball = m.add("ball", lw.Body(1, (1, 1, 1), position=(0.6, 0.2, 0.1)))
    m.add("left", lw.Distance(lw.GROUND, ball, at_a=(0, 0, 0), length=0.4))
    m.add("right", lw.Distance(lw.GROUND, ball, at_a=(1.5, 0, 0), length=0.5))
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(m)
    for name in ("left", "right"):
        assert caught.value.violations[name]["mm"] == pytest.approx(300, rel=1e-3)


def test_failures_are_listed_by_size():
    m = stretched(1.02, tag="small")
    stretched(1.6, m, tag="large", shift=1.0)
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=1, position=(0, 0, 1)))
    for name, angle in (("one", 0.0), ("two", 0.2)):
        m.add(name, lw.Motor(lw.GROUND, wheel, (0, 0, 1), Z, angle=angle))
    m.add("fine", lw.Body(1, (1, 1, 1)))
    m.add("good", lw.Revolute(lw.GROUND, m["fine"], at=(0, 0, 0), axis=Z))
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(m)
    error = caught.value
    order = list(error.violations)
    assert {*order[:2]} == {"balllarge0", "balllarge1"} and {*order[2:4]} == {"one", "two"}
    assert {*order[4:6]} == {"ballsmall0", "ballsmall1"} and order[6:] == ["good"]
    assert error.violations["balllarge0"]["mm"] == pytest.approx(300, rel=1e-3)
    assert error.violations["ballsmall0"]["mm"] == pytest.approx(10, rel=1e-3)
    assert error.violations["one"]["deg"] == pytest.approx(np.degrees(0.1), rel=1e-3)
    text = str(error)
    assert text.index("balllarge") < text.index("'one'") < text.index("ballsmall")
    assert "good" not in text and "5.73°" in text and "300 mm" in text


def test_axes_that_cannot_be_perpendicular_say_by_how_many_degrees():
    """Fixed to the ground with axes at 60 degrees: 30 degrees are missing."""
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    axis = (np.cos(np.pi / 3), np.sin(np.pi / 3), 0)
    m.add("square", lw.Orthogonal(lw.GROUND, b, axis_a=(1, 0, 0), axis_b=axis))
    with pytest.raises(lw.AssemblyError, match=r"'square' by 30°"):
        lw.assemble(m, fixed=["b"])


def test_a_door_whose_hinges_are_not_in_line():
    m = lw.Model("door")
    door = m.add("door", lw.Body.box((1, 0.04, 2), mass=12, position=(0.5, 0, 1)))
    m.add("low", lw.Revolute(lw.GROUND, door, at=(0, 0, 0.2), axis=Z))
    m.add("high", lw.Revolute(lw.GROUND, door, at=(0, 0, 1.8), axis=Z))
    assert errors(assemble_model(m)) < 1e-12
    crooked = lw.Frame(door, (-0.5, 0, 0.8 + 0.001))  # 1 mm too high on the door
    m.add("third", lw.Revolute(lw.Frame(lw.GROUND, (0, 0, 1.8)), crooked))
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(m)
    found = [v["mm"] for v in caught.value.violations.values()]
    np.testing.assert_allclose(sorted(found), [1 / 3, 1 / 3, 2 / 3], rtol=1e-3)  # least squares
    assert next(iter(caught.value.violations)) == "third"


def test_an_error_of_rounding_is_no_failure():
    """Far from the origin coordinates carry fewer digits."""
    m = displaced(four_bar()[0], 0.01)
    far = lw.Model("far")
    shift = np.array([1e4, -2e4, 5e3])
    for name, b in bodies(m).items():
        far.add(name, lw.Body(1, (1, 1, 1), b.position + shift, b.orientation))
    ends = {id(b): far[n] for n, b in bodies(m).items()}
    for name, item in m.items.items():
        if name not in far:
            fa, fb = (
                lw.Frame(ends.get(id(f.body), lw.GROUND), f.position
                         + (shift if f.body is lw.GROUND else 0), f.orientation)
                for f in item.frames
            )  # fmt: skip
            far.add(name, type(item)(fa, fb))
    here, there = assemble_model(m), assemble_model(far)
    assert errors(there) < 1e-10
    # the extent L, hence the metric, is another one there: both are nearest, each in its own
    assert np.abs(there.state.orientations - here.state.orientations).max() < 0.05


def test_markers_half_a_turn_apart_find_each_other():
    """Im(ρ) has its largest value there, so no direction leads downhill: a nudge is needed."""
    for turn in ((0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)):
        m = lw.Model()
        body = m.add("body", lw.Body(1, (0.1, 0.1, 0.1)))
        m.add("weld", lw.Fixed(lw.Frame(lw.GROUND), lw.Frame(body, orientation=turn)))
        q = lw.assemble(m)["body"].orientation
        assert abs(np.dot(q, turn)) == pytest.approx(1, abs=1e-12)
