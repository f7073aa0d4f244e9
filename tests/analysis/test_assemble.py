"""Assembly: how fast it converges, and that what it finds is nearest."""

import time

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from inside import assemble_model
from open_linkages import Z, bodies, displaced, errors, four_bar, link

import linkwork as lw

pytestmark = pytest.mark.usefixtures("quiet")


# --------------------------------------------------------------------------------------- mechanisms


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


def metric(system, weights=None):
    """Documented: displacements over L, rotations in rad, times the weight of the body."""
    w = np.array([(weights or {}).get(n, 1.0) for n in system.names])
    return np.repeat(w, 6) * np.tile([1 / system.length**2] * 3 + [1.0] * 3, system.bodies)


# -------------------------------------------------------------------------------------- convergence


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
    assert errors(found) < 1e-10 * found.full.system.length
    assert 6 * found.full.system.bodies - found.redundancy.rank == freedom


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_is_assembled_stays(mechanism):
    m, _ = mechanism()
    if mechanism is stewart_of_actuators:
        for i in range(6):
            m[f"P{i}"].displacement = 0.0
    found = assemble_model(m)
    given = found.full.system.described_state()
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
    assert errors(found) < 1e-10 * found.full.system.length and len(found.history) < 8


# ------------------------------------------------------------------------------------------ nearest


@pytest.mark.parametrize("size", [0.05, 0.2])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mechanism", [four_bar, slider_crank, bricard])
def test_no_direction_leads_nearer(mechanism, seed, size):
    """The way back to the given position is normal to every possible motion."""
    found = assemble_model(displaced(mechanism()[0], size, seed))
    W = metric(found.full.system)
    way = np.sqrt(W) * found.state.difference(found.full.system.described_state()).ravel()
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
    full, given = found.full, found.full.system.described_state()
    W = metric(full.system, weights)
    free = np.repeat([n not in fixed for n in full.system.names], 6)

    def moved(x):
        step = np.zeros(6 * full.system.bodies)
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
