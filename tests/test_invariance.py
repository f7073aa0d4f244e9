"""What must not matter: where the mechanism stands, who is named first, and which units are used.

Each test describes the same physics in two ways and compares motions and reactions.  Newton's
method is run to 1e-12, so that what remains is round-off (grown by the motion itself).
"""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.math import rotations

TIGHT = lw.GeneralizedAlpha(0.8, tolerance=1e-12)
SAME = 1e-9  # of lengths of size one
BODIES = ["bar0", "bar1", "bar2", "link0", "link1", "link2"]
JOINTS = ["A", "B", "C", "D", "E", "F", "rod"]


@pytest.fixture(autouse=True)
def quiet():
    """Redundancy is explained elsewhere."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*repeats? what", category=lw.LinkworkWarning)
        yield


def run(model, t=0.5, h=2e-3, every=25, method=TIGHT, **options):
    return lw.transient(model, t, h, method, every=every, progress=False, **options)


def turned(q):
    """World axes from body axes, over time."""
    return rotations.matrix(np.asarray(q))


def same_turn(q, p, atol=SAME):
    """Quaternions of the same rotations (their sign does not matter)."""
    np.testing.assert_allclose(turned(q), turned(p), atol=atol)


class World:
    """Where and in which units the mechanism is described: x → length (Q x + shift)."""

    def __init__(self, turn=None, shift=(0, 0, 0), length=1.0, mass=1.0):
        self.Q = np.eye(3) if turn is None else turn.as_matrix()
        self.shift, self.L, self.M = np.asarray(shift, float), length, mass

    def point(self, x):
        return self.L * (self.Q @ x + self.shift)

    def direction(self, x):
        return self.Q @ np.asarray(x, float)

    def axes(self, z, angle=0.0):
        """Axes with this z axis, turned with the world."""
        R = Rotation.align_vectors([z], [(0, 0, 1)])[0].as_matrix()
        return self.Q @ R @ Rotation.from_euler("z", angle).as_matrix()

    @property
    def force(self):
        return self.M * self.L

    @property
    def moment(self):
        return self.M * self.L**2


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


# --------------------------------------------------------------------- where the mechanism stands


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


# ------------------------------------------------------------------------------- who comes first


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


# ------------------------------------------------------------------------------------------ units


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


# ------------------------------------------------------------------- the same joint in other words


def test_frames_say_the_same_as_points():
    """Markers given on the bodies, or by a world point and axes."""
    runs = []
    for framed in (False, True):
        m = lw.Model("arm", gravity=(1, 2, -9))
        R = Rotation.random(random_state=2).as_matrix()
        a = m.add("a", lw.Body(1, (1, 1.5, 1.2), position=(0.5, 0, 0), orientation=R))
        b = m.add("b", lw.Body(2, (0.8, 0.7, 0.9), position=(1.5, 0.5, 0)))
        axes = World().axes((0, 1, 1))
        if framed:
            local = R.T @ (np.array([1, 0.2, 0.1]) - a.position)
            fa = lw.Frame(a, local, R.T @ axes)
            fb = lw.Frame(b, np.array([1, 0.2, 0.1]) - b.position, axes)
            m.add("A", lw.Spherical(lw.Frame(lw.GROUND), lw.Frame(a, R.T @ (-0.5, 0, 0), R.T)))
            m.add("B", lw.Revolute(fa, fb))
            m.add("S", lw.Spring(lw.Frame(lw.GROUND, (0, 3, 1)), fb, stiffness=30))
        else:
            m.add("A", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
            m.add("B", lw.Revolute(a, b, at=(1, 0.2, 0.1), orientation=axes))
            m.add("S", lw.Spring(lw.GROUND, b, (0, 3, 1), (1, 0.2, 0.1), stiffness=30))
        runs.append(run(m))
    for name in "ab":
        np.testing.assert_allclose(runs[0][name].position, runs[1][name].position, atol=SAME)
    for name in "AB":
        np.testing.assert_allclose(runs[0][name].force, runs[1][name].force, atol=1e-6)
        np.testing.assert_allclose(runs[0][name].torque, runs[1][name].torque, atol=1e-6)


def test_a_frame_on_one_side_is_enough():
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(1, 2, 3), orientation=(0.5, 0.5, 0.5, 0.5)))
    frame = lw.Frame(b, (0.1, 0.2, 0.3), (0.8, 0, 0.6, 0))
    for ends in ((frame, lw.GROUND), (lw.GROUND, frame)):
        joint = lw.Fixed(*ends)
        (ra, qa), (rb, qb) = (f.world() for f in joint.frames)
        np.testing.assert_allclose(ra, rb, atol=1e-15)
        same_turn(qa, qb, atol=1e-15)


def driven(way):
    """A crank with a hanging arm: driven by a Motor, or by a Revolute and a Lock beside it."""
    m = lw.Model("crank", gravity=(0, 1, -9.81))
    crank = m.add("crank", lw.Body.link((0, 0, 0), (1, 0, 0), 0.05, mass=2))
    arm = m.add("arm", lw.Body.link((1, 0, 0), (1, 0, -1), 0.05, mass=1))
    law, axis = lw.sine(1.0, 1.0), (0, 1, 0.5)
    if way == "motor":
        m.add("pin", lw.Motor(lw.GROUND, crank, (0, 0, 0), axis, angle=law))
    elif way == "lock":
        m.add("pin", lw.Lock(lw.GROUND, crank, at=(0, 0, 0), axis=axis, drive={"rz": law}))
    else:
        m.add("pin", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=axis))
        m.add("drive", lw.Lock(lw.GROUND, crank, at=(0, 0, 0), axis=axis, rows="rz",
                               drive={"rz": law}))  # fmt: skip
    m.add("wrist", lw.Revolute(crank, arm, at=(1, 0, 0), axis=(0, 1, 0)))
    return run(m)


def test_a_motor_is_a_hinge_with_its_angle_locked():
    motor, lock, both = (driven(way) for way in ("motor", "lock", "both"))
    for other in (lock, both):
        for name in ("crank", "arm"):
            np.testing.assert_allclose(other[name].position, motor[name].position, atol=SAME)
        np.testing.assert_allclose(other["pin"].force, motor["pin"].force, atol=1e-6)
    together = both["pin"].torque.values + both["drive"].torque.values
    np.testing.assert_allclose(together, motor["pin"].torque.values, atol=1e-6)
    np.testing.assert_allclose(both["drive"].force, 0, atol=0)
    np.testing.assert_allclose(both.energy.supplied, motor.energy.supplied, atol=1e-6)


def test_an_actuator_is_a_slide_with_its_way_locked():
    runs = []
    for split in (False, True):
        m = lw.Model("lift", gravity=(0, 0, -9.81))
        b = m.add("b", lw.Body(3, (1, 1, 1), position=(0.5, 0, 0)))
        words = dict(at=(0, 0, 0), axis=(0.2, 0, 1))
        if split:
            m.add("lift", lw.Prismatic(lw.GROUND, b, **words))
            m.add("drive", lw.Lock(lw.GROUND, b, **words, rows="z", drive={"z": lw.sine(0.3, 1)}))
        else:
            m.add("lift", lw.Actuator(lw.GROUND, b, **words, displacement=lw.sine(0.3, 1)))
        runs.append(run(m))
    np.testing.assert_allclose(runs[1]["b"].position, runs[0]["b"].position, atol=SAME)
    together = runs[1]["lift"].force.values + runs[1]["drive"].force.values
    np.testing.assert_allclose(together, runs[0]["lift"].force.values, atol=1e-6)


def test_a_free_hinge_does_not_care_about_its_x_axis():
    runs = []
    for angle in (0.0, 1.1):
        m = lw.Model("pendulum", gravity=(0, 1, -9.81))
        rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), 0.05, mass=2))
        axes = World().axes((0.3, 1, 0), angle)
        m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), orientation=axes))
        runs.append(run(m))
    np.testing.assert_allclose(runs[0]["rod"].position, runs[1]["rod"].position, atol=SAME)
    for word in ("force_world", "torque_world"):
        mine, its = (getattr(r["pin"], word) for r in runs)
        np.testing.assert_allclose(mine, its, atol=1e-6)


def test_a_body_may_be_described_in_any_axes():
    """Other body axes: the same inertia in other numbers."""
    runs = []
    Q = Rotation.random(random_state=7).as_matrix()
    J, w = np.diag([0.5, 0.7, 0.9]), np.array([1.0, -2.0, 0.5])
    for R in (np.eye(3), Q):
        m = lw.Model("top", gravity=(0, 0, -9.81))
        words = dict(orientation=R, angular_velocity=R.T @ w, position=(0, 0.3, 0.5))
        top = m.add("top", lw.Body(2, R.T @ J @ R, **words))
        m.add("tip", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
        m.add("push", lw.Force(top, R.T @ (1, 0, 2), follower=True))
        runs.append(run(m))
    np.testing.assert_allclose(runs[0]["top"].position, runs[1]["top"].position, atol=SAME)
    spin = runs[1]["top"].angular_velocity.values @ Q.T
    np.testing.assert_allclose(runs[0]["top"].angular_velocity, spin, atol=1e-8)
    np.testing.assert_allclose(runs[0]["tip"].force, runs[1]["tip"].force, atol=1e-6)


# ------------------------------------------------------------------------- two bodies that are one


# steps of a method see where the centre of mass is: compare what they converge to
EXACT = lw.ODE(rtol=1e-11, atol=1e-12)


def compound(joined):
    """Two bodies fixed to one another, or the one they make together, on a ball with a spring."""
    m = lw.Model("compound", gravity=(0.5, 0, -9.81))
    masses, places = (2.0, 0.7), np.array([(0.3, 0.1, 0), (1.0, -0.2, 0.4)])
    turns = [Rotation.random(random_state=i).as_matrix() for i in (1, 2)]
    moments = [np.diag([0.02, 0.03, 0.04]), np.diag([0.01, 0.02, 0.015])]
    centre = np.average(places, axis=0, weights=masses)
    if joined:
        words = zip("ab", masses, moments, places, turns, strict=True)
        a, b = (m.add(name, lw.Body(*x)) for name, *x in words)
        m.add("weld", lw.Fixed(a, b, at=(0.6, 0, 0.1), axis=(1, 1, 1)))
    else:
        J = np.zeros((3, 3))
        for mass, r, R, I in zip(masses, places - centre, turns, moments, strict=True):
            J += R @ I @ R.T + mass * (r @ r * np.eye(3) - np.outer(r, r))
        a = b = m.add("a", lw.Body(sum(masses), J, centre))
    m.add("ball", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    m.add("spring", lw.Spring(lw.GROUND, b, (2, 0, 1), (1.2, 0, 0.5), stiffness=50, damping=0.5))
    arm = np.array([1.1, -0.3, 0.2])
    point = turns[1].T @ (arm - places[1]) if joined else arm - centre
    m.add("push", lw.Force(lw.Frame(b, point), (0, 3, 1), drive=lw.sine(1, 2)))
    return run(m, method=EXACT), centre - places[0], turns[0]


def test_two_bodies_fixed_to_one_another_are_one():
    (two, offset, R), (one, _, _) = compound(True), compound(False)
    turn = turned(two["a"].orientation) @ R.T  # from the described position
    centre = two["a"].position.values + turn @ offset
    np.testing.assert_allclose(centre, one["a"].position.values, atol=SAME)
    np.testing.assert_allclose(turn, turned(one["a"].orientation), atol=1e-8)
    np.testing.assert_allclose(two["ball"].force_world, one["ball"].force_world, atol=1e-5)
    np.testing.assert_allclose(two["spring"].force, one["spring"].force, atol=1e-6)
    np.testing.assert_allclose(two.energy.total, one.energy.total, atol=1e-6)
