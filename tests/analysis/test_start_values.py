"""Start values of joints: trees carry bodies along, loops move their joints the least."""

import numpy as np
import pytest
import scipy.optimize
from inside import ITEMS, assemble_model
from open_linkages import Z, link
from scipy.spatial.transform import Rotation

import linkwork as lw

pytestmark = pytest.mark.usefixtures("quiet")
Y = (0, 1, 0)
POINT, AXIS = np.array([0.3, 0.2, 0.1]), np.array([1.0, 2.0, 2.0]) / 3


def turned(body, angle, shift, point=POINT, axis=AXIS):
    """Position and rotation matrix after a turn about an axis through a point, and a shift."""
    R = Rotation.from_rotvec(angle * np.asarray(axis, float)).as_matrix()
    place = point + R @ (body.position - point) + shift * np.asarray(axis)
    w, x, y, z = body.orientation
    return place, R @ Rotation.from_quat([x, y, z, w]).as_matrix()


def matrix(q):
    return Rotation.from_quat([*q[1:], q[0]]).as_matrix()


# -------------------------------------------------------------------------------------------- trees

LEADING = {
    "Revolute": {"angle": 1.2, "rate": -0.7},
    "Prismatic": {"displacement": 0.4, "rate": 1.5},
    "Cylindrical": {"angle": -2.9, "displacement": 0.4, "rate": 2.0, "speed": -0.6},
    "Planar": {"angle": 2.5, "rate": 0.8},
}
FOLLOWING = ("Revolute", "Prismatic", "Cylindrical", "Spherical", "Universal", "Planar", "Fixed")


def tree(first, words, second, reversed_=False, **more):
    """Ground, hinge, a body, the leading joint, a body, another joint, a body; and a free body."""
    rng = np.random.default_rng(3)
    m = lw.Model("tree")
    names = ("base", "near", "far", "free")
    bodies = [
        m.add(n, lw.Body(1, (1, 2, 2), rng.normal(size=3), Rotation.random(random_state=k)))
        for k, n in enumerate(names)
    ]
    base, near, far, free = bodies
    free.velocity = (1.0, 2.0, 3.0)
    m.add("pin", lw.Revolute(lw.GROUND, base, at=(0, 0, 0), axis=(1, 1, 0), **more))
    ends = (near, base) if reversed_ else (base, near)
    m.add("led", ITEMS[first](*ends, at=POINT, axis=AXIS, **words))
    m.add("other", ITEMS[second](near, far, at=(1, 0, 0.5), axis=(0.6, 0, 0.8)))
    return m, bodies


@pytest.mark.parametrize("reversed_", [False, True])
@pytest.mark.parametrize("second", FOLLOWING)
@pytest.mark.parametrize("first", LEADING)
def test_bodies_beyond_a_joint_are_carried_along(first, second, reversed_):
    """Positions are those of a rigid motion about the joint's axis, velocities its derivative."""
    words = LEADING[first]
    m, (base, near, far, free) = tree(first, words, second, reversed_)
    found = assemble_model(m)
    state, sign = found.state, -1 if reversed_ else 1
    angle, shift = sign * words.get("angle", 0.0), sign * words.get("displacement", 0.0)
    spin = sign * (words.get("rate", 0.0) if "angle" in words else 0.0) * AXIS
    speed = sign * words.get("speed", 0.0 if "angle" in words else words.get("rate")) * AXIS
    for body in (base, free):
        np.testing.assert_array_equal(state[body.name].position, body.position)
        np.testing.assert_array_equal(state[body.name].orientation, body.orientation)
    np.testing.assert_array_equal(state["free"].velocity, (1, 2, 3))
    np.testing.assert_allclose(state["base"].angular_velocity, 0, atol=1e-12)
    for body in (near, far):
        place, R = turned(body, angle, shift)
        now = state[body.name]
        np.testing.assert_allclose(now.position, place, atol=1e-12)
        np.testing.assert_allclose(matrix(now.orientation), R, atol=1e-12)
        np.testing.assert_allclose(R @ now.angular_velocity, spin, atol=1e-11)
        expected = np.cross(spin, place - POINT) + speed
        np.testing.assert_allclose(now.velocity, expected, atol=1e-11)
    assert found.moved == {}


def test_a_start_value_leaves_the_other_joints_of_a_tree_as_they_are():
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1.0, (0.1,) * 3, position=(0.5, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=Y, angle=0.5))
    tip = m.add("tip", lw.Body(1.0, (0.1,) * 3, position=(1.5, 0, 0)))
    m.add("elbow", lw.Revolute(rod, tip, at=(1, 0, 0), axis=Y))
    run = lw.transient(m, t=1e-3, h=1e-3, progress=False)
    assert float(run["pin"].angle[0]) == pytest.approx(0.5)
    assert float(run["elbow"].angle[0]) == pytest.approx(0.0, abs=1e-9)


def test_a_cart_stays_where_it_is_and_at_rest():
    m = lw.Model("cart-pole")
    cart = m.add("cart", lw.Body(5, (1, 1, 1)))
    pole = m.add("pole", lw.Body(1, (0.1, 0.1, 0.1), position=(0, 0, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("pin", lw.Revolute(cart, pole, at=(0, 0, 0), axis=Y, angle=0.5, rate=2.0))
    state = lw.assemble(m)
    along = np.array([np.sin(0.5), 0, np.cos(0.5)])
    np.testing.assert_array_equal(state["cart"].position, 0)
    np.testing.assert_allclose(state["cart"].velocity, 0, atol=1e-12)
    np.testing.assert_allclose(state["pole"].position, along, atol=1e-14)
    velocity = 2.0 * np.cross(Y, along)
    np.testing.assert_allclose(state["pole"].velocity, velocity, atol=1e-12)


def test_angles_of_a_chain_add_up():
    """A planar arm of four links: each link's direction is the sum of the angles before it."""
    m, last = lw.Model("arm"), lw.GROUND
    angles, rates = [0.4, None, -1.9, 2.8], [1.0, None, 0.5, -2]
    for i, (angle, rate) in enumerate(zip(angles, rates)):
        body = link(m, f"link{i}", (i, 0, 0), (i + 1, 0, 0))
        m.add(f"pin{i}", lw.Revolute(last, body, at=(i, 0, 0), axis=Z, angle=angle, rate=rate))
        last = body
    state = lw.assemble(m)
    point, velocity, heading, spin = np.zeros(3), np.zeros(3), 0.0, 0.0
    for i, (angle, rate) in enumerate(zip(angles, rates)):
        heading, spin = heading + (angle or 0.0), spin + (rate or 0.0)
        half = 0.5 * np.array([np.cos(heading), np.sin(heading), 0])
        np.testing.assert_allclose(state[f"link{i}"].position, point + half, atol=1e-13)
        across = np.cross((0, 0, spin), half)
        np.testing.assert_allclose(state[f"link{i}"].velocity, velocity + across, atol=1e-10)
        point, velocity = point + 2 * half, velocity + 2 * across


def test_the_heaviest_body_of_a_free_assembly_stays():
    for heavy in ("a", "b"):
        m = lw.Model()
        a, b = (m.add(n, lw.Body(9 if n == heavy else 1, (1, 1, 1), position=(x, 0, 0)))
                for n, x in (("a", 0), ("b", 2)))  # fmt: skip
        m.add("pin", lw.Revolute(a, b, at=(1, 0, 0), axis=Z, angle=np.pi / 2))
        state = lw.assemble(m)
        still, light = (a, "b") if heavy == "a" else (b, "a")
        np.testing.assert_array_equal(state[heavy].position, still.position)
        np.testing.assert_allclose(state[light].position, (1, 1, 0), atol=1e-14)


def test_fixed_bodies_stay_and_others_are_carried_along():
    m = lw.Model()
    a, b = link(m, "a", (0, 0, 0), (1, 0, 0)), link(m, "b", (1, 0, 0), (2, 0, 0))
    m.add("slide", lw.Planar(lw.GROUND, a, at=(0, 0, 0), axis=Z))
    m.add("pin", lw.Revolute(a, b, at=(1, 0, 0), axis=Z, angle=np.pi / 2))
    state = lw.assemble(m, fixed="b")
    np.testing.assert_array_equal(state["b"].position, b.position)
    np.testing.assert_allclose(state["a"].position, (1, 0.5, 0), atol=1e-13)


def test_a_beam_turns_with_the_hinge_at_its_root():
    m = lw.Model()
    section = lw.Section.circle(0.02, E=2e11, density=7800)
    beam = m.add("beam", lw.Beam((0, 0, 0), (1, 0, 0), section, elements=4))
    m.add("pin", lw.Revolute(lw.GROUND, beam.root, axis=Y, angle=0.5, rate=2.0))
    state = lw.assemble(m)
    along = np.array([np.cos(0.5), 0, -np.sin(0.5)])
    assert len(state.bodies) == 9
    for name in state.bodies:
        body = state[name]
        s = body.position @ along
        np.testing.assert_allclose(body.position, s * along, atol=1e-12)
        np.testing.assert_allclose(body.velocity, 2 * s * np.cross(Y, along), atol=1e-9)


def pendulum(far=False, **words):
    m = lw.Model()
    rod = m.add("rod", lw.Body(1, (0.1,) * 3, position=(0.5, 0, 0), **words))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=Y))
    if far:
        m.add("far", lw.Body(1, (1, 1, 1), position=(100, 0, 0)))
    return m


def test_an_unrelated_body_changes_no_velocity():
    """Described velocities contradict the hinge: both give way as without the other body."""
    words = {"velocity": (0, 0, 1.0), "angular_velocity": (0, -3.5, 0)}
    alone, beside = (assemble_model(pendulum(far, **words)).state["rod"] for far in (0, 1))
    # min ((v − 1)/L)² + (2 v − 3.5)², L the radius of gyration, longer than the way to the hinge
    L2 = 0.3
    assert alone.velocity[2] == pytest.approx((1 / L2 + 7) / (1 / L2 + 4))
    np.testing.assert_allclose(alone.velocity, beside.velocity, rtol=1e-14)
    np.testing.assert_allclose(alone.angular_velocity, beside.angular_velocity, rtol=1e-14)


def test_a_rotor_spins_on_a_hub_that_stands():
    """A described spin belongs to its body: one without a velocity moves as little as it can."""
    m = lw.Model()
    hub = m.add("hub", lw.Body(1, (1, 1, 1)))
    disc = m.add("disc", lw.Body(1, (1, 1, 1), position=(0, 0, 1), angular_velocity=(0, 0, 30)))
    m.add("foot", lw.Revolute(lw.GROUND, hub, at=(0, 0, 0), axis=Z))
    m.add("shaft", lw.Revolute(hub, disc, at=(0, 0, 1), axis=Z))
    state = lw.assemble(m)
    np.testing.assert_allclose(state["disc"].angular_velocity, (0, 0, 30), atol=1e-12)
    np.testing.assert_allclose(state["hub"].angular_velocity, 0, atol=1e-12)


def test_a_rate_keeps_the_other_rates_that_were_described():
    """A rotor on an arm whose hinge has a rate keeps its own spin relative to the arm or, where it
    was described, its own velocity."""
    for described in (None, (0, 0, 7.0)):
        m = lw.Model()
        arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(0.5, 0, 0)))
        rotor = m.add("rotor", lw.Body(1, (1, 1, 1), (1, 0, 0), angular_velocity=described))
        m.add("pin", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=Z, rate=2.0))
        m.add("shaft", lw.Revolute(arm, rotor, at=(1, 0, 0), axis=Z))
        state = lw.assemble(m)
        spin = 2.0 if described is None else 7.0
        np.testing.assert_allclose(state["rotor"].angular_velocity, (0, 0, spin), atol=1e-11)
        np.testing.assert_allclose(state["rotor"].velocity, (0, 2, 0), atol=1e-11)


def test_a_drive_carries_along_what_lies_beyond():
    """A motor that begins at another angle than the described one."""
    m = lw.Model()
    a, b = link(m, "a", (0, 0, 0), (1, 0, 0)), link(m, "b", (1, 0, 0), (2, 0, 0))
    m.add("motor", lw.Motor(lw.GROUND, a, (0, 0, 0), Z, angle=lw.polynomial([2.2, 0.5])))
    m.add("elbow", lw.Revolute(a, b, at=(1, 0, 0), axis=Z))
    state = lw.assemble(m)
    along = np.array([np.cos(2.2), np.sin(2.2), 0])
    np.testing.assert_allclose(state["b"].position, 1.5 * along, atol=1e-13)
    np.testing.assert_allclose(state["a"].velocity, 0.25 * np.cross(Z, along), atol=1e-11)


# -------------------------------------------------------------------------------------------- loops


def polygon(points, axes, words):
    """A chain of links through points from ground to ground; joint i at point i."""
    m = lw.Model("loop")
    links = [link(m, f"bar{i}", p, q) for i, (p, q) in enumerate(zip(points, points[1:]))]
    ends = [lw.GROUND, *links, lw.GROUND]
    for i, (point, kind) in enumerate(zip(points, axes)):
        cls, axis = kind
        m.add(f"joint{i}", cls(ends[i], ends[i + 1], at=point, axis=axis, **words.get(i, {})))
    return m


def least_change(points, given):
    """SLSQP over the angles of a planar loop of hinges: Σ Δφ² is least and the loop closed."""
    p = np.asarray(points, float)[:, :2]
    bars = np.diff(p, axis=0)
    n = len(bars)

    def closure(turns):  # of n + 1 joints: bar i has turned by the sum of those before it
        heading = np.cumsum(turns)
        c, s = np.cos(heading[:n]), np.sin(heading[:n])
        end = np.stack([c * bars[:, 0] - s * bars[:, 1], s * bars[:, 0] + c * bars[:, 1]]).sum(1)
        return np.array([*(end - bars.sum(axis=0)), heading[n]])

    constraints = [{"type": "eq", "fun": closure}]
    constraints += [{"type": "eq", "fun": lambda x, i=i, a=a: x[i] - a} for i, a in given.items()]
    best = scipy.optimize.minimize(
        lambda x: x @ x, np.zeros(n + 1), jac=lambda x: 2 * x, constraints=constraints,
        method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert np.abs(closure(best.x)).max() < 1e-9, best.message
    return best.x


FIVE = [(0, 0, 0), (-0.3, 1.0, 0), (0.8, 1.9, 0), (2.1, 1.2, 0), (1.8, 0, 0)]
SIX = [(0, 0, 0), (-0.3, 1.0, 0), (0.4, 2.0, 0), (1.4, 2.2, 0), (2.3, 1.2, 0), (1.8, 0, 0)]


@pytest.mark.parametrize(
    ("points", "given"),
    [
        (FIVE, {0: 0.3}), (FIVE, {2: -0.4}), (FIVE, {0: 0.8}), (SIX, {0: 0.5}),
        (SIX, {1: 0.3, 4: 0.2}),
    ],
)  # fmt: skip
def test_joints_of_a_loop_turn_as_little_as_they_can(points, given):
    words = {i: {"angle": a} for i, a in given.items()}
    m = polygon(points, [(lw.Revolute, Z)] * len(points), words)
    found = assemble_model(m)
    expected = least_change(points, given)
    run = lw.Result(found.full.system, [0.0], found.state.motion[None])
    angles = np.array([float(run[f"joint{i}"].angle[0]) for i in range(len(points))])
    # SLSQP: angles to the root of the accuracy of the sum
    np.testing.assert_allclose((angles + np.pi) % (2 * np.pi) - np.pi, expected, atol=2e-6)
    assert np.sum(angles**2) <= np.sum(expected**2) * (1 + 1e-9)
    for i in given:
        assert angles[i] == pytest.approx(given[i], abs=1e-11)
    for i in set(range(len(points))) - set(given):
        assert found.moved[f"joint{i}"]["deg"] == pytest.approx(abs(np.degrees(angles[i])))
    assert not any(f"joint{i}" in found.moved for i in given)


def test_turns_and_slides_of_a_loop_share_the_change():
    """Five members with a slide on the ground: displacements count over the distance to the next
    joint, here the one two members away, as the nearest is at the slide itself."""
    p = [(0, 0, 0), (-0.3, 1.0, 0), (1.0, 1.6, 0), (2.2, 0, 0)]
    m = lw.Model("slider")
    a, b, c = (link(m, f"bar{i}", p[i], p[i + 1]) for i in range(3))
    block = m.add("block", lw.Body(1, (1, 1, 1), position=p[3]))
    for i, (first, second) in enumerate([(lw.GROUND, a), (a, b), (b, c), (c, block)]):
        words = {"angle": 0.4} if i == 0 else {}
        m.add(f"joint{i}", lw.Revolute(first, second, at=p[i], axis=Z, **words))
    m.add("slide", lw.Prismatic(lw.GROUND, block, at=p[3], axis=(1, 0, 0)))
    found = assemble_model(m)
    L = np.linalg.norm(np.subtract(p[3], p[2]))
    bars = np.diff(np.array(p)[:, :2], axis=0)

    def closure(x):  # four turns and the displacement
        heading = np.cumsum(x[:4])
        c, s = np.cos(heading[:3]), np.sin(heading[:3])
        end = np.stack([c * bars[:, 0] - s * bars[:, 1], s * bars[:, 0] + c * bars[:, 1]]).sum(1)
        return np.array([*(end - bars.sum(axis=0) - (x[4], 0)), heading[3], x[0] - 0.4])

    weight = np.array([1, 1, 1, 1, 1 / L**2])
    best = scipy.optimize.minimize(
        lambda x: weight @ x**2, np.zeros(5), constraints={"type": "eq", "fun": closure},
        method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert np.abs(closure(best.x)).max() < 1e-9
    assert found.state["block"].position[0] - p[3][0] == pytest.approx(best.x[4], abs=2e-6)
    assert found.moved["slide"]["mm"] == pytest.approx(1e3 * abs(best.x[4]), abs=2e-3)
    assert found.moved["joint2"]["deg"] == pytest.approx(abs(np.degrees(best.x[2])), abs=1e-4)


def test_a_loop_in_space_with_balls_moves_least():
    """Ground, hinge, ball, ball, ball, hinge: SLSQP over rotation vectors of the bodies."""
    p = np.array([(0, 0, 0), (0.1, 0.9, 0.2), (1.0, 1.6, 0.7), (2.0, 1.1, 0.4), (2.1, 0, 0)])
    axes = [(1, 0, 0.1), Z, Z, Z, (0.9, 0.2, 0)]
    kinds = [lw.Revolute, lw.Spherical, lw.Spherical, lw.Spherical, lw.Revolute]
    m = polygon(p, list(zip(kinds, axes)), {0: {"angle": 0.7}})
    found = assemble_model(m)
    first, last = (np.array(axes[k], float) / np.linalg.norm(axes[k]) for k in (0, 4))
    bars = np.diff(p, axis=0)

    def rotations_of(x):
        R = [Rotation.from_rotvec(0.7 * first), Rotation.from_rotvec(x[:3])]
        return [*R, Rotation.from_rotvec(x[3:6]), Rotation.from_rotvec(x[6] * last)]

    def closure(x):
        return sum(R.apply(bar) for R, bar in zip(rotations_of(x), bars)) - bars.sum(axis=0)

    def change(x):
        R = rotations_of(x)
        balls = sum((a.inv() * b).magnitude() ** 2 for a, b in zip(R, R[1:]))
        return balls + x[6] ** 2

    best = scipy.optimize.minimize(
        change, np.full(7, 0.1), constraints={"type": "eq", "fun": closure}, method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert np.abs(closure(best.x)).max() < 1e-9, best.message
    q = [Rotation.from_matrix(matrix(found.state[f"bar{i}"].orientation)
                              @ matrix(m[f"bar{i}"].orientation).T) for i in range(4)]  # fmt: skip
    mine = np.concatenate([q[1].as_rotvec(), q[2].as_rotvec(), [q[3].as_rotvec() @ last]])
    np.testing.assert_allclose(mine, best.x, atol=2e-5)
    assert change(mine) <= best.fun * (1 + 1e-9)


@pytest.mark.parametrize("angle", [-2.0, -0.6, 0.9, 2.5, 3.1, 4.0])
def test_a_crank_keeps_the_branch_of_its_mechanism(angle):
    """A crank-rocker turned over any angle: the open configuration stays the open one."""
    ground, crank, coupler, rocker = 2.0, 0.5, 1.8, 1.2

    def pins(theta):
        a = crank * np.array([np.cos(theta), np.sin(theta)])
        to = np.array([ground, 0]) - a
        d = np.linalg.norm(to)
        along = (coupler**2 - rocker**2 + d**2) / (2 * d)
        up = np.sqrt(coupler**2 - along**2)
        return a, a + (along * to + up * np.array([-to[1], to[0]])) / d

    points = [np.zeros(2), *pins(1.0), np.array([ground, 0])]
    m = polygon([(*p, 0) for p in points], [(lw.Revolute, Z)] * 4, {0: {"angle": angle}})
    state = lw.assemble(m)
    a, b = pins(1.0 + angle)
    np.testing.assert_allclose(state["bar1"].position[:2], (a + b) / 2, atol=1e-10)


def test_what_start_values_move_in_a_loop_is_in_the_overview():
    m = polygon(FIVE, [(lw.Revolute, Z)] * 5, {0: {"angle": 0.3}})
    angle = assemble_model(m).moved["joint1"]["deg"]
    assert "start values and drives move '" in str(m) and f"'joint1' by {angle:.3g}°" in str(m)
    assert "start values and drives" not in str(polygon(FIVE, [(lw.Revolute, Z)] * 5, {}))


def test_parts_that_do_not_fit_are_put_together_before_start_values():
    """A link described 2 cm off its hinge: the least motion of the body first, then the angle."""
    m = lw.Model()
    body = m.add("body", lw.Body(1, (1, 1, 1), position=(0.5, 0.02, 0)))
    m.add("pin", lw.Revolute(lw.Frame(lw.GROUND), lw.Frame(body, (-0.5, 0, 0)), angle=1.1))
    state = lw.assemble(m)
    along = np.array([np.cos(1.1), np.sin(1.1), 0])
    np.testing.assert_allclose(state["body"].position, 0.5 * along, atol=1e-12)
