"""What must not matter: where the mechanism stands, who is named first, and which units are used.

Each test describes the same physics in two ways and compares motions and reactions.  Newton's
method is run to 1e-12, so that what remains is round-off (grown by the motion itself).
"""

import numpy as np
import pytest
from inside import assemble_model
from same_elsewhere import SAME, TIGHT, World, run, same_turn, turned
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.extend import rotations

pytestmark = pytest.mark.usefixtures("quiet")

BODIES = ["bar0", "bar1", "bar2", "link0", "link1", "link2"]
JOINTS = ["A", "B", "C", "D", "E", "F", "rod"]


def pulled(k):
    """A spring of stiffness k to the first frame and a torque against turning, in world axes."""

    def function(t, motion):
        force = k * (motion.position[0] - motion.position[1])
        torque = -0.3 * k * (motion.angular_velocity[1] - motion.angular_velocity[0])
        return np.array([[*(-force), *(-torque)], [*force, *torque]])

    return function


def mechanism(world=None, order=None):
    """A loop of four bars, driven, with a chain that hangs on it, and one of everything else."""
    W = world or World()
    m = lw.Model("all", gravity=W.L * W.direction((0.3, -0.5, -9.81)))
    p = np.array([(0, 0, 0), (0, 0.5, 0.3), (2, 1.5, 0.5), (2, 0, 0.2)])
    chain = np.array([(2, 1.5, 0.5), (2.6, 1.9, 0.1), (2.7, 2.5, 0.2), (3.2, 2.6, 0.4)])
    rng = np.random.default_rng(5)

    def bar(start, end):
        J = np.diag(rng.uniform(0.05, 0.08, 3)) * W.moment
        R = W.Q @ Rotation.random(random_state=rng.integers(1e6)).as_matrix()
        return lw.Body(W.M * rng.uniform(0.5, 2), J, W.point((start + end) / 2), R)

    bars = [bar(p[i], p[i + 1]) for i in range(3)]
    links = [bar(chain[i], chain[i + 1]) for i in range(3)]
    k, d = W.M * 60.0, W.M * 0.8  # per length and per speed
    kt, turning = W.moment, np.repeat([1, W.L**2], 3)
    pin = lw.Revolute(bars[2], links[0], at=W.point(chain[0]), orientation=W.axes((1, 0, 1)),
                      angle=0.2, rate=-1.0)  # fmt: skip
    items = {
        **dict(zip(BODIES, [*bars, *links], strict=True)),
        "A": lw.Motor(lw.GROUND, bars[0], W.point(p[0]), angle=lw.sine(0.4, 0.8),
                      orientation=W.axes((1, 0.2, 0))),
        "B": lw.Spherical(bars[0], bars[1], at=W.point(p[1]), orientation=W.axes((0, 0, 1))),
        "C": lw.Universal(bars[1], bars[2], at=W.point(p[2]), orientation=W.axes((1, 0, 0))),
        "D": lw.Revolute(lw.GROUND, bars[2], at=W.point(p[3]), orientation=W.axes((0, 0.3, 1))),
        "E": pin,
        "F": lw.Cylindrical(links[0], links[1], at=W.point(chain[1]),
                            orientation=W.axes((0, 1, 1)), speed=0.2 * W.L),
        "G": lw.Bushing(links[1], links[2], at=W.point(chain[2]), orientation=W.axes((1, 1, 0)),
                        stiffness=W.M * turning * [900, 800, 700, 30, 20, 40],
                        damping=W.M * turning * [5, 6, 7, 2, 2, 1]),
        "rod": lw.Distance(lw.GROUND, links[2], W.point((4, 2, 1)), W.point(chain[3])),
        "torsion": lw.TorsionSpring(pin, 9 * kt, damping=0.4 * kt, angle=0.5),
        "spring": lw.Spring(lw.GROUND, links[0], W.point((2, 3, 2)), W.point(chain[1]), k, d,
                            preload=W.force * 2),
        "push": lw.Force(lw.Frame(links[1], W.L * np.array([0.1, 0.2, 0])),
                         W.force * W.direction((1, -2, 3)), drive=lw.sine(1.5, 2)),
        "follow": lw.Force(links[0], W.force * np.array([1, 2, 1]), follower=True),
        "twist": lw.Torque(links[1], W.moment * W.direction((0.2, 0.1, -0.3))),
        "slide": lw.Spring(links[0], links[1], W.point(chain[0]), W.point(chain[2]), 2 * k, d),
    }  # fmt: skip
    if W.L == 1:  # whose function would have to know the units
        ends = [lw.Frame(lw.GROUND, W.point(chain[3])), links[2]]
        items["user"] = lw.UserForce(ends, pulled(10 * W.M), stiff=True)
    names = list(items)
    if order is not None:
        names = [names[i] for i in np.random.default_rng(order).permutation(len(names))]
    for name in names:
        m.add(name, items[name])
    return m


@pytest.fixture(scope="module")
def here():
    return run(mechanism())


def compare(here, there, world=None, atol=SAME):
    """All motions and reactions, seen through the world of the second."""
    W = world or World()
    for name in BODIES:
        a, b = here[name], there[name]
        expected = W.L * (a.position.values @ W.Q.T + W.shift)
        scale = W.L * (1 + np.abs(W.shift).max() * 1e-3)  # round-off of large coordinates
        np.testing.assert_allclose(b.position.values, expected, atol=atol * scale)
        np.testing.assert_allclose(
            turned(b.orientation), W.Q @ turned(a.orientation), atol=atol * 10
        )
        speed = 100 * atol * W.L * (1 + np.abs(W.shift).max())
        np.testing.assert_allclose(b.velocity.values, W.L * a.velocity.values @ W.Q.T, atol=speed)
        np.testing.assert_allclose(
            b.angular_velocity.values, a.angular_velocity.values, atol=speed / W.L
        )
    for name in JOINTS:
        a, b = here[name], there[name]
        size = np.abs(a.force.values).max() + np.abs(a.torque.values).max() + 1
        tolerance = 1e-6 * size * (1 + np.abs(W.shift).max())
        for word, unit in (("force", W.force), ("torque", W.moment)):
            if name != "rod":  # whose axes are the ground's
                mine, its = (getattr(x, word).values for x in (a, b))
                np.testing.assert_allclose(its / unit, mine, atol=tolerance, err_msg=name)
            mine, its = (getattr(x, word + "_world").values for x in (a, b))
            np.testing.assert_allclose(its / unit, mine @ W.Q.T, atol=tolerance)
    np.testing.assert_allclose(
        there.energy.kinetic / W.moment, here.energy.kinetic, rtol=1e-6, atol=1e-7
    )


# ----------------------------------------------------------------------- where the mechanism stands


@pytest.mark.parametrize("seed", range(3))
def test_a_mechanism_that_is_moved_as_a_whole_moves_alike(here, seed):
    rng = np.random.default_rng(seed)
    world = World(Rotation.random(random_state=seed), rng.uniform(-5, 5, 3))
    compare(here, run(mechanism(world)), world)


def test_far_from_the_origin_only_digits_are_lost(here):
    world = World(Rotation.random(random_state=9), (3e3, -2e3, 1e3))
    compare(here, run(mechanism(world)), world, atol=1e-8)


@pytest.mark.parametrize("seed", range(2))
def test_assembly_does_not_see_where_the_mechanism_stands(seed):
    """Displaced bodies, put together again: the nearest position moves along."""
    states = []
    world = World(Rotation.random(random_state=seed), (40, -70, 20))
    for W in (World(), world):
        m = mechanism(W)
        rng = np.random.default_rng(seed)
        for name in BODIES:
            step = 0.05 * rng.normal(size=(2, 3))
            b = m[name]
            b.position = b.position + W.Q @ step[0]
            b.orientation = rotations.multiply(b.orientation, rotations.exponential(step[1]))
        states.append(assemble_model(m).state)
    a, b = states
    np.testing.assert_allclose(b.positions, a.positions @ world.Q.T + world.shift, atol=1e-10)
    np.testing.assert_allclose(turned(b.orientations), world.Q @ turned(a.orientations), atol=1e-10)
    np.testing.assert_allclose(b.velocities[:, 3:], a.velocities[:, 3:], atol=1e-9)


def floating():
    m = lw.Model("floating")
    a = m.add("a", lw.Body(1, (1, 1.2, 0.8), angular_velocity=(1, 2, 0.5)))
    b = m.add("b", lw.Body(2, (1, 0.9, 1.5), position=(1, 1, 0)))
    m.add("ball", lw.Universal(a, b, at=(0.6, 0.3, 0.1), axis=(1, 0, 0)))
    m.add("spring", lw.Spring(a, b, (0, 1, 0), (1, 2, 1), 30, 0.5, length=1.4))
    return m


def test_a_steady_speed_changes_nothing():
    m, V = floating(), np.array([3.0, -4.0, 12.0])
    start = lw.assemble(m)
    faster = start.with_velocities(start.velocities + [*V, 0, 0, 0])
    still, moving = run(m, start=start), run(m, start=faster)
    for name in "ab":
        way = V * still.time[:, None]
        np.testing.assert_allclose(
            moving[name].position.values, still[name].position.values + way, atol=SAME
        )
        same_turn(moving[name].orientation, still[name].orientation)
    np.testing.assert_allclose(moving["ball"].force, still["ball"].force, atol=1e-6)


# ---------------------------------------------------------------------------------- who comes first


@pytest.mark.parametrize("order", range(3))
def test_the_order_of_adding_does_not_matter(here, order):
    compare(here, run(mechanism(order=order)))


def spatial_four_bar(order=(0, 1, 2, 3)):
    """Parallel hinges in space: three rows too many."""
    m = lw.Model("four-bar", gravity=(1, -9.81, 2))
    p = [(0, 0, 0), (0, 1, 0), (2, 1.5, 0), (2, 0, 0)]
    bars = [lw.Body.link(p[i], p[i + 1], 0.02, mass=1.0 + i) for i in range(3)]
    ends = [lw.GROUND, *bars, lw.GROUND]
    for i in order:
        if i < 3:
            m.add(f"bar{i}", bars[i])
    for i in order:
        m.add("ABCD"[i], lw.Revolute(ends[i], ends[i + 1], at=p[i], axis=(0, 0, 1)))
    return m


def test_redundant_joints_share_their_load_in_any_order():
    """Rows that step differ with the order; the motion and the least reactions do not."""
    runs = [run(spatial_four_bar(order)) for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0))]
    for other in runs[1:]:
        for i in range(3):
            np.testing.assert_allclose(
                other[f"bar{i}"].position, runs[0][f"bar{i}"].position, atol=SAME
            )
        for name in "ABCD":
            for word in ("force_world", "torque_world"):
                mine, its = (getattr(r[name], word).values for r in (runs[0], other))
                np.testing.assert_allclose(its, mine, atol=1e-5)


def between(make, swap, torsion=False):
    """Two bodies with a joint between them, both ways round."""
    m = lw.Model("two", gravity=(1, 2, -9))
    a = m.add("a", lw.Body(1, (1, 1.5, 1.2), position=(0.5, 0, 0), angular_velocity=(0.5, 1, 0)))
    b = m.add("b", lw.Body(2, (0.8, 0.7, 0.9), position=(1.5, 0.5, 0)))
    m.add("stand", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    m.add("spring", lw.Spring(lw.GROUND, b, (0, 2, 3), (2, 0, 0), stiffness=40, damping=0.4))
    joint = m.add("joint", make(b, a, -1) if swap else make(a, b, 1))
    if torsion:
        m.add("torsion", lw.TorsionSpring(joint, 5, damping=0.2, angle=0.3 * (-1 if swap else 1)))
    return m


AT, AXIS = (1.0, 0.1, 0.2), (1, 2, 2)
PLAIN = {
    name: lambda a, b, sign, name=name: getattr(lw, name)(a, b, at=AT, axis=AXIS)
    for name in ("Fixed", "Revolute", "Prismatic", "Cylindrical", "Spherical", "Planar", "Parallel",
                 "Align", "Oldham", "Homokinetic")
}  # fmt: skip
SYMMETRIC = {
    **PLAIN,
    "Motor": lambda a, b, s: lw.Motor(a, b, AT, AXIS, angle=s * lw.sine(0.5, 1)),
    "Actuator": lambda a, b, s: lw.Actuator(a, b, AT, AXIS, displacement=s * lw.sine(0.5, 1)),
    "Universal": lambda a, b, s: lw.Universal(
        a, b, AT, axis_a=(1, 0, 0) if s > 0 else (0, 1, 0), axis_b=(0, 1, 0) if s > 0 else (1, 0, 0)
    ),
    "Orthogonal": lambda a, b, s: lw.Orthogonal(
        a, b, axis_a=(1, 0, 0) if s > 0 else (0, 1, 0), axis_b=(0, 1, 0) if s > 0 else (1, 0, 0)
    ),
    "Distance": lambda a, b, s: lw.Distance(
        a, b, at_a=AT if s > 0 else (2, 0, 1), at_b=(2, 0, 1) if s > 0 else AT
    ),
    "Revolute with rate": lambda a, b, s: lw.Revolute(
        a, b, at=AT, axis=AXIS, angle=0.3 * s, rate=2.0 * s
    ),
    "Cylindrical with speed": lambda a, b, s: lw.Cylindrical(
        a, b, at=AT, axis=AXIS, angle=0.1 * s, displacement=0.2 * s, rate=s * 1.0, speed=s * 0.5
    ),
    "Spring": lambda a, b, s: lw.Spring(
        a, b, AT if s > 0 else (2, 0, 1), (2, 0, 1) if s > 0 else AT, stiffness=20, damping=1
    ),
    # alike in all directions: then it does not matter whose axes its springs are in
    "Bushing": lambda a, b, s: lw.Bushing(a, b, at=AT, stiffness=[300.0] * 3 + [80.0] * 3),
}  # fmt: skip


@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_joint_may_be_named_from_either_side(name):
    """b seen from a, or a seen from b: the same motion, and the force with its sign turned."""
    one, other = (run(between(SYMMETRIC[name], swap)) for swap in (False, True))
    for body in "ab":
        np.testing.assert_allclose(
            other[body].position.values, one[body].position.values, atol=SAME
        )
        same_turn(one[body].orientation, other[body].orientation, atol=10 * SAME)
    if name in ("Spring", "Bushing", "Orthogonal"):
        return
    np.testing.assert_allclose(
        other["joint"].force_world.values, -one["joint"].force_world.values, atol=1e-5
    )


def test_a_torsion_spring_follows_its_joint_round():
    one, other = (
        run(between(SYMMETRIC["Revolute with rate"], swap, torsion=True))
        for swap in (False, True)
    )
    np.testing.assert_allclose(other["b"].position.values, one["b"].position.values, atol=SAME)
    np.testing.assert_allclose(other["torsion"].torque, -one["torsion"].torque, atol=1e-7)


# -------------------------------------------------------------------------------------------- units


def test_millimetres_and_grams(here):
    world = World(length=1e3, mass=1e3)
    m = mechanism()
    m.remove("user")
    compare(run(m), run(mechanism(world)), world)


@pytest.mark.parametrize(("length", "mass"), [(1e-6, 1e-9), (1e6, 1e9)])
@pytest.mark.parametrize("method", [TIGHT, lw.RK4()], ids=["implicit", "rk4"])
def test_small_and_large_mechanisms(length, mass, method):
    """Micrometres or thousands of kilometres: no tolerance has a unit."""
    world = World(length=length, mass=mass)
    m = mechanism()
    m.remove("user")
    compare(*(run(x, t=0.2, method=method) for x in (m, mechanism(world))), world)
