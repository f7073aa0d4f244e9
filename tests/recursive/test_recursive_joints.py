"""Every joint of the lock family in joint coordinates, against the core in absolute ones."""

import numpy as np
import pytest
from inside import ITEMS
from recursive_models import (
    QUIET,
    add_body,
    assert_same_motion,
    chain_with,
    pair,
    run_with,
)  # fmt: skip

import linkwork as lw
from linkwork.elements.joints.joints import ROW_NAMES
from linkwork.extend import NamedJoint

# random velocities, of which joints leave what they allow
pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.VelocityWarning")

NAMED = [cls for cls in ITEMS.values() if issubclass(cls, NamedJoint)] + [lw.Universal]
WITHIN = 1e-9  # both are of order four; h = 1 ms leaves about 1e-11


def test_all_named_joints_are_there():
    assert len(NAMED) >= 14 and lw.Homokinetic in NAMED and lw.Oldham in NAMED


@pytest.mark.parametrize("turned", [False, True], ids=["parent first", "child first"])
@pytest.mark.parametrize("kind", NAMED, ids=lambda cls: cls.__name__)
def test_joint_in_a_tree(kind, turned):
    m = chain_with(kind, turned)
    assert_same_motion(run_with(lw.Recursive(), m), run_with(lw.RK4(), m), WITHIN)


@pytest.mark.parametrize("kind", NAMED, ids=lambda cls: cls.__name__)
def test_joint_is_in_the_tree_when_its_parent_comes_first(kind):
    """So that the test above is one of joint coordinates, not of cut joints."""
    found = lw.topology(chain_with(kind, False))
    assert found.primary == ["base", "joint", "ball"] and not found.cut


@pytest.mark.parametrize("kind", NAMED, ids=lambda cls: cls.__name__)
def test_joint_on_the_ground_and_at_the_tip(kind):
    """The first joint, and the last one with nothing behind it."""
    rng = np.random.default_rng(3)
    m = lw.Model("two", gravity=(2, 1, -9))
    a, b = add_body(m, rng, (0.2, 0.1, 0)), add_body(m, rng, (0.7, -0.1, 0.3))
    m.add("first", kind(lw.GROUND, a, at=(0.1, 0, 0.1), axis=(1, 1, 2)))
    m.add("last", kind(a, b, at=(0.5, 0, 0.1), axis=(0, -1, 2)))
    assert_same_motion(run_with(lw.Recursive(), m), run_with(lw.RK4(), m), WITHIN)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_any_rows_of_the_lock(seed, turned):
    """Rows in any combination, special axes x and y as well as z."""
    rng = np.random.default_rng(seed)
    rows = [ROW_NAMES[i] for i in sorted(rng.choice(6, rng.integers(1, 6), replace=False))]
    m = chain_with(lw.Lock, turned, seed=seed, rows=" ".join(rows))
    assert_same_motion(run_with(lw.Recursive(), m), run_with(lw.RK4(), m), WITHIN)


@pytest.mark.parametrize("kind", NAMED, ids=lambda cls: cls.__name__)
def test_joint_in_a_loop(kind):
    """A rod from the ground to the hand: its one row is a loop through the joint."""
    m = chain_with(kind, False)
    m.add("rod", lw.Distance(
        lw.GROUND, m["hand"], at_a=(0.9, 1.3, 0), at_b=(0.9, 0.3, -0.1)))  # fmt: skip
    mine = run_with(lw.Recursive(tolerance=1e-12), m)
    assert_same_motion(mine, run_with(lw.RK4(), m), 1e-8)


STIFF = (lw.Fixed, lw.Prismatic, lw.Cylindrical, lw.Oldham, lw.Align)
MOBILE = [kind for kind in NAMED if kind not in STIFF]  # the others would hold the loop below


@pytest.mark.parametrize("kind", MOBILE, ids=lambda cls: cls.__name__)
def test_cut_joint_is_the_same_joint(kind):
    m = chain_with(kind, False)
    m.add("second base", lw.Spherical(lw.GROUND, m["finger"], at=(1.4, 0.3, 0.2)))
    assert lw.topology(m, cuts=["joint"]).cut[0] == "joint"
    mine = run_with(lw.Recursive(cuts=["joint"], tolerance=1e-12), m)
    assert_same_motion(mine, run_with(lw.RK4(), m), 1e-7)


# ------------------------------------------------------------------------------------- motion laws


def wave(amplitude, frequency, phase=0.3):
    return lw.sine(amplitude, frequency, phase)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind, word", [(lw.Motor, "angle"), (lw.Actuator, "displacement")])
def test_driven_joints(kind, word, turned):
    m = chain_with(kind, turned, **{word: wave(0.7, 2)})
    mine, core = run_with(lw.Recursive(), m), run_with(lw.RK4(), m)
    assert_same_motion(mine, core, WITHIN)
    assert lw.topology(m).cut == []
    work = mine.energy.supplied.values
    assert np.abs(work - core.energy.supplied.values).max() < 1e-3 * (1 + np.abs(work).max())


def test_motor_turns_many_times_as_told():
    m = lw.Model("fan")
    fan = m.add("fan", lw.Body(1, (0.1, 0.2, 0.3)))
    m.add("motor", lw.Motor(lw.GROUND, fan, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(40)))
    run = lw.transient(m, 2, 0.01, lw.Recursive(), **QUIET)
    assert np.abs(run["motor"].angle.values - 40 * run.time).max() < 1e-10


LAWS = {
    "x z": {"x": wave(0.2, 2), "z": wave(0.1, 3)},
    "x y z rz": {"z": wave(0.2, 2), "rz": wave(1.0, 1)},
    "x y z rx ry rz": {"rx": wave(0.5, 1), "ry": wave(0.4, 2), "rz": wave(0.6, 3)},
    "y z rx ry rz": {"y": lw.polynomial([0, 0.3, -1]), "rx": wave(0.3, 2)},
    "rx ry rz": {"rx": wave(0.5, 1), "rz": wave(0.6, 3)},
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rows", LAWS)
def test_several_drives_on_one_lock(rows, turned):
    m = chain_with(lw.Lock, turned, rows=rows, drive=LAWS[rows])
    core = run_with(lw.RK4(), m)
    assert_same_motion(run_with(lw.Recursive(tolerance=1e-12), m), core, 1e-8)


def test_markers_that_move_on_their_bodies():
    """A joint with moving markers has no coordinates of its own and is cut."""
    m = chain_with(lw.Lock, False, rows="x y z rx ry", drive_a={"x": wave(0.1, 2)})
    assert lw.topology(m).cut == ["joint"]
    core = run_with(lw.RK4(), m)
    assert_same_motion(run_with(lw.Recursive(tolerance=1e-12), m), core, 1e-8)


# ------------------------------------------------------------------------------ two-angle joints


def bent(kind, angle, **words):
    """Two shafts through a joint, the second bent by an angle about x, both spinning."""
    m = lw.Model(kind.__name__, gravity=(0, 0, -3))
    a = m.add("a", lw.Body(1, (0.1, 0.2, 0.3), position=(0, 0, -0.3)))
    s, c = np.sin(angle), np.cos(angle)
    b = m.add("b", lw.Body(1, (0.2, 0.1, 0.25), position=(0, -0.4 * s, 0.4 * c)))
    m.add("bearing", lw.Revolute(lw.GROUND, a, at=(0, 0, -0.3), axis=(0, 0, 1), rate=2.0))
    here, there = lw.Frame(a, (0, 0, 0.3)), lw.Frame(b, (0, 0.4 * s, -0.4 * c), _about_x(angle))
    m.add("joint", kind(here, there, **words))
    return m


def _about_x(angle):
    return (np.cos(angle / 2), -np.sin(angle / 2), 0, 0)


@pytest.mark.parametrize("degrees", [45, 90, 135])
def test_universal_is_regular_at_right_angles(degrees):
    """Its two angles are coordinates of a cross: at 90 degrees they are as good as anywhere."""
    m = bent(lw.Universal, np.radians(degrees))
    assert_same_motion(run_with(lw.Recursive(), m), run_with(lw.RK4(), m), WITHIN)


def test_homokinetic_bends_far():
    m = bent(lw.Homokinetic, np.radians(120))
    assert_same_motion(run_with(lw.Recursive(), m), run_with(lw.RK4(), m), 1e-8)


@pytest.mark.parametrize("degrees", [179, 180, 181, 359, 360])
def test_homokinetic_may_start_anywhere(degrees):
    m = bent(lw.Homokinetic, np.radians(degrees))
    assert_same_motion(run_with(lw.Recursive(), m), run_with(lw.RK4(), m), 1e-8)


def overhead(kind, spin, ball):
    """A body that a joint on the ground lets turn over, several times, and one that hangs on it."""
    m = lw.Model("overhead", gravity=(0, -1, -3))
    J, w, place = np.array((0.12, 0.1, 0.15)), np.array(spin), np.array((0.1, 0.05, 0.3))
    body = m.add("body", lw.Body(1, J, position=place, angular_velocity=w,
                                 velocity=np.cross(w, place)))  # fmt: skip
    m.add("joint", kind(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1)))
    if ball:
        place = place + (0, 0.3, 0)
        other = m.add("other", lw.Body(0.5, J / 2, position=place, angular_velocity=w,
                                       velocity=np.cross(w, place)))  # fmt: skip
        m.add("ball", lw.Spherical(body, other, at=place - (0, 0.15, 0)))
    return m


@pytest.mark.parametrize("integrator", ["rk4", "dormand-prince", "implicit"])
@pytest.mark.parametrize("ball", [False, True])
@pytest.mark.parametrize(
    ("kind", "spin"),
    [(lw.Homokinetic, (8, 0.5, 0)), (lw.Homokinetic, (5, 0, 0)), (lw.Homokinetic, (3, -6, 0)),
     (lw.Rzeppa, (8, 0.5, 0)), (lw.Universal, (8, 0, 0)), (lw.Spherical, (8, 1, 2)),
     (lw.Planar, (0, 0, 8)), (lw.PointOnPlane, (8, 1, 2)), (lw.Cylindrical, (0, 0, 8))],
)  # fmt: skip
def test_joints_turn_over_without_end(kind, spin, ball, integrator):
    """Past 180 and 360 degrees, where coordinates of a rotation may be singular."""
    h = 2e-3
    exact = run_with(lw.RK4(), overhead(kind, spin, ball), t=2.0, h=h / 2, every=2)
    run = run_with(lw.Recursive(integrator), overhead(kind, spin, ball), t=2.0, h=h)
    turned = np.cumsum(np.linalg.norm(run.motion[:, 0, 10:13], axis=1)) * h
    assert turned[-1] > 2 * np.pi
    within = 2e-3 if integrator == "implicit" else 1e-5  # orders two and four
    assert np.abs(run.motion[:, :, :3] - exact.motion[:, :, :3]).max() < within
    assert np.abs(run.motion[:, :, 7:] - exact.motion[:, :, 7:]).max() < 50 * within
    force, found = (r["joint"].force_world.values for r in (exact, run))
    assert np.abs(found - force).max() < 100 * within * np.abs(force).max()


@pytest.mark.parametrize("kind", [lw.Homokinetic, lw.Rzeppa])
def test_pair_of_child_first(kind):
    """A swing is walked backwards where its translations allow, else it is cut; both are right."""
    rng = np.random.default_rng(7)
    m = lw.Model("swing", gravity=(0, 1, -9))
    a, b = add_body(m, rng, (0, 0, 0.2)), add_body(m, rng, (0.5, 0, 0.1))
    m.add("base", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    m.add("swing", kind(*pair(a, b, True), at=(0.3, 0, 0.1), axis=(1, 0, 1)))
    assert_same_motion(run_with(lw.Recursive(tolerance=1e-12), m), run_with(lw.RK4(), m), 1e-8)
