"""Trees of any shape with all kinds of forces, in joint coordinates against the core; what they
conserve, and with which order."""

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recursive_models import QUIET, add_body, assert_same_motion, pair, run_with
from test_recursive_joints import NAMED

import linkwork as lw

# random velocities, of which joints leave what they allow
pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.VelocityWarning")

FEW = settings(
    max_examples=10, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
NUMBERS = st.integers(0, 2**32 - 1)
WITHIN = 1e-9


def same(model, within=WITHIN, method=None, **words):
    mine = run_with(method or lw.Recursive(), model, **words)
    assert_same_motion(mine, run_with(lw.RK4(), model, **words), within)
    return mine


# ------------------------------------------------------------------------------------------- forces


def arm_with(add, gravity=(0, 0, 0)):
    """Two bodies on hinges, to which `add` adds a force."""
    rng = np.random.default_rng(5)
    m = lw.Model("arm", gravity=gravity)
    a, b = add_body(m, rng, (0.4, 0, 0), "a"), add_body(m, rng, (0.9, 0.2, 0), "b")
    m.add("shoulder", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 1)))
    m.add("elbow", lw.Cylindrical(a, b, at=(0.6, 0, 0), axis=(1, 1, 0)))
    add(m, a, b)
    return m


def drag(t, motion):
    v = motion.velocity[0]
    return np.concatenate((-2.0 * np.sqrt(v @ v) * v + np.sin(30 * t), 0.3 * np.ones(3)))


FORCES = {
    "spring": lambda m, a, b: m.add(
        "f", lw.Spring(lw.GROUND, b, at_a=(1, 1, 1), stiffness=200, damping=5, length=1)),
    "torsion spring": lambda m, a, b: m.add(
        "f", lw.TorsionSpring(m["elbow"], stiffness=20, damping=1, angle=0.5)),
    "bushing": lambda m, a, b: m.add("f", lw.Bushing(
        a, b, at=(0.6, 0, 0), stiffness=(50, 60, 70, 5, 6, 7), damping=(1,) * 6)),
    "force": lambda m, a, b: m.add(
        "f", lw.Force(lw.Frame(b, (0.1, 0.2, 0.3)), (3, 4, 5), drive=lw.sine(1, 5))),
    "follower": lambda m, a, b: m.add(
        "f", lw.Force(lw.Frame(b, (0.1, 0.2, 0.3)), (3, 4, 5), follower=True)),
    "torque": lambda m, a, b: m.add("f", lw.Torque(a, (1, -2, 3), drive=lw.ramp(5))),
    "user force": lambda m, a, b: m.add("f", lw.UserForce(lw.Frame(b, (0.1, 0, 0)), drag)),
    "compiled user force": lambda m, a, b: m.add("f", lw.UserForce(b, numba.njit(drag))),
    "gravity": lambda m, a, b: setattr(m, "gravity", (3, -5, -8)),
}  # fmt: skip


@pytest.mark.parametrize("name", FORCES)
def test_force(name):
    """Against the core, and the work that it does closes the balance of energy."""
    mine = same(arm_with(FORCES[name]))
    energy = mine.energy
    moved = max(float(np.ptp(energy[k].values)) for k in ("kinetic", "potential", "supplied"))
    assert moved > 0.02, "the force does something"
    assert float(np.abs(energy.balance).max()) < 1e-7 * moved


def test_torsion_spring_counts_turns():
    """A spring wound up by several turns of a fast rotor, in closed form."""
    m = lw.Model("rotor")
    J, k, rate = 0.2, 0.1, 30.0
    rotor = m.add("rotor", lw.Body(1, (1, 1, J), angular_velocity=(0, 0, rate)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rotor, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.TorsionSpring(pin, stiffness=k))
    run = lw.transient(m, 3, 1e-3, lw.Recursive(), **QUIET)
    omega = np.sqrt(k / J)
    exact = rate / omega * np.sin(omega * run.time)
    assert exact.max() > 6 * np.pi
    assert np.abs(run["pin"].angle.values - exact).max() < 1e-9
    assert np.abs(run["spring"].torque.values + k * exact).max() < 1e-9


# ------------------------------------------------------------------------------------------- shapes


def test_free_body():
    rng = np.random.default_rng(2)
    m = lw.Model("free", gravity=(0, 0, -9.81))
    body = add_body(m, rng, (1, 2, 3), "body")
    run = same(m, t=1.0)
    t = run.time[:, None]
    fall = body.position + t * body.velocity + t**2 / 2 * np.array([0, 0, -9.81])
    assert np.abs(run["body"].position.values - fall).max() < 1e-11
    momentum = run.angular_momentum.values - np.cross(
        run["body"].position.values, body.mass * run["body"].velocity.values
    )
    assert np.abs(momentum - momentum[0]).max() < 1e-9


def test_floating_base_keeps_its_momenta():
    """A satellite with two panels and a tumbling payload, free in space."""
    rng = np.random.default_rng(4)
    m = lw.Model("satellite")
    hub = add_body(m, rng, (0, 0, 0), "hub")
    for k, side in enumerate((-1, 1)):
        panel = add_body(m, rng, (side * 1.0, 0, 0))
        m.add(f"hinge {k}", lw.Revolute(hub, panel, at=(side * 0.5, 0, 0), axis=(0, 1, 0)))
    payload = add_body(m, rng, (0, 0, 1))
    m.add("ball", lw.Spherical(payload, hub, at=(0, 0, 0.5)))
    run = same(m, t=0.5)
    for momentum in (run.momentum.values, run.angular_momentum.values):
        assert np.abs(momentum - momentum[0]).max() < 1e-9 * (1 + np.abs(momentum[0]).max())
    assert float(np.abs(run.energy.balance).max()) < 1e-9


def test_branches_of_branches():
    rng = np.random.default_rng(9)
    m = lw.Model("tree", gravity=(1, 2, -9))
    bodies = [lw.GROUND]
    for i in range(9):
        parent = bodies[i // 2]
        place = rng.uniform(-1, 1, 3)
        bodies.append(add_body(m, rng, place))
        kind = (lw.Revolute, lw.Spherical, lw.Universal)[i % 3]
        at, axis = place + 0.2, rng.normal(size=3)
        m.add(f"joint {i}", kind(*pair(parent, bodies[-1], i % 4 == 1), at=at, axis=axis))
    assert not lw.topology(m).cut
    same(m)


def test_separate_mechanisms():
    """Two pendulums, a four-bar and a free body in one model do what each does alone."""
    rng = np.random.default_rng(6)

    def pendulum(m, x):
        a, b = add_body(m, rng, (x, 0, -0.3)), add_body(m, rng, (x, 0.2, -0.8))
        m.add(f"top {x}", lw.Universal(lw.GROUND, a, at=(x, 0, 0), axis=(0, 0, 1)))
        m.add(f"mid {x}", lw.Revolute(a, b, at=(x, 0, -0.5), axis=(0, 1, 0)))

    m = lw.Model("many", gravity=(0, 0, -9.81))
    pendulum(m, 0)
    pendulum(m, 5)
    add_body(m, rng, (9, 9, 9), "free")
    same(m)
    alone = lw.Model("free", gravity=(0, 0, -9.81))
    free = m["free"]
    alone.add("free", lw.Body(
        free.mass, free.inertia, position=free.position, orientation=free.orientation,
        velocity=free.velocity, angular_velocity=free.angular_velocity))  # fmt: skip
    one, many = (run_with(lw.Recursive(), x)["free"].position.values for x in (alone, m))
    assert np.abs(one - many).max() < 1e-13


def test_long_chain_stays_exact():
    """Sixty links: the recursion neither grows errors nor loses reactions."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    before = lw.GROUND
    for k in range(60):
        ends = (0.1 * k, 0, 0), (0.1 * k + 0.1, 0, 0)
        link = m.add(f"link {k}", lw.Body.link(*ends, radius=0.01, mass=1))
        axis = (0, 1, 0) if k % 2 else (0, 0.6, 0.8)
        m.add(f"hinge {k}", lw.Revolute(before, link, at=(0.1 * k, 0, 0), axis=axis))
        before = link
    same(m, 1e-8, t=0.1)


# --------------------------------------------------------------------------- conservation and order


def tops():
    """Balls, universals, swings and free axes, without any force but gravity."""
    rng = np.random.default_rng(8)
    m = lw.Model("tops", gravity=(0, 0, -9.81))
    before = lw.GROUND
    for k, kind in enumerate((lw.Spherical, lw.Universal, lw.Homokinetic, lw.Cylindrical)):
        body = add_body(m, rng, (0.4 * k + 0.2, 0.1, 0))
        m.add(f"joint {k}", kind(before, body, at=(0.4 * k, 0, 0), axis=(1, 0.3, 0.2)))
        before = body
    return m


def test_energy_error_has_order_four():
    errors = []
    for h in (8e-3, 4e-3, 2e-3):
        run = run_with(lw.Recursive(), tops(), t=0.8, h=h)
        energy = run.energy.total.values
        errors.append(np.abs(energy - energy[0]).max())
    observed = np.log2(np.array(errors[:-1]) / errors[1:])
    assert observed[-1] > 3.7, errors
    assert errors[-1] < 1e-5


def test_positions_and_reactions_have_order_four():
    exact = run_with(lw.Recursive(), tops(), t=0.4, h=2.5e-4, every=10**6)
    errors = []
    for h in (8e-3, 4e-3, 2e-3):
        run = run_with(lw.Recursive(), tops(), t=0.4, h=h, every=10**6)
        errors.append([
            np.abs(run.motion[-1] - exact.motion[-1]).max(),
            np.abs(run.gamma[-1] - exact.gamma[-1]).max(),
        ])  # fmt: skip
    observed = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(observed[-1] - 4) < 0.35), observed


# ------------------------------------------------------------------------------------- random trees


@st.composite
def trees(draw):
    """Up to six bodies, each on the ground, on an earlier one or on nothing; joints either way."""
    rng = np.random.default_rng(draw(NUMBERS))
    m = lw.Model("tree", gravity=3 * rng.normal(size=3))
    bodies = []
    for _ in range(draw(st.integers(1, 6))):
        parent = draw(st.sampled_from([lw.GROUND, None, *bodies]))
        body = add_body(m, rng, rng.normal(size=3))
        bodies.append(body)
        if parent is not None:
            kind = draw(st.sampled_from(NAMED))
            ends = pair(parent, body, draw(st.booleans()))
            at, axis = rng.normal(size=3), rng.normal(size=3)
            m.add(f"joint {len(m.items)}", kind(*ends, at=at, axis=axis))
    if draw(st.booleans()):
        far = 3 * rng.normal(size=3)
        m.add("spring", lw.Spring(lw.GROUND, bodies[-1], at_a=far, stiffness=20, damping=1))
        m.add("torque", lw.Torque(bodies[0], rng.normal(size=3), drive=lw.sine(1, 3)))
    return m


@FEW
@given(trees())
def test_random_trees(model):
    same(model, 2e-9, t=0.1, method=lw.Recursive(tolerance=1e-12))
