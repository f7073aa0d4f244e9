"""Every reading of every joint: right, or refused in one sentence."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.extend import rotations

AT = {"at": (0.3, 0.1, 0), "axis": (0.2, 0.3, 1)}
TURN = lw.sine(0.3, 1.0)
JOINTS = {
    **{
        name: (getattr(lw, name), AT)
        for name in (
            "Fixed", "Revolute", "Prismatic", "Cylindrical", "Planar", "PointOnLine",
            "PointOnPlane", "Parallel", "Align", "Oldham", "Rzeppa", "Homokinetic", "Gimbal",
            "Universal",
        )
    },
    "Spherical": (lw.Spherical, {"at": AT["at"]}),
    "Screw": (lw.Screw, AT | {"pitch": 0.1}),
    "Motor": (lw.Motor, AT | {"angle": TURN}),
    "Actuator": (lw.Actuator, AT | {"displacement": lw.sine(0.1, 1.0)}),
    "DriveHinge": (lw.DriveHinge, AT | {"vector": (TURN, lw.sine(0.2, 0.7), 0.1)}),
    "Lock x z rx": (lw.Lock, AT | {"rows": "x z rx"}),
    "Lock rx rz": (lw.Lock, AT | {"rows": "x y z rx rz"}),
    "Lock driven": (lw.Lock, AT | {"rows": "x y z rz", "drive": {"rz": TURN}}),
    "Distance": (lw.Distance, {"at_a": (0.1, 0, 0), "at_b": (0.5, 0.2, 0)}),
    "Orthogonal": (lw.Orthogonal, {"axis": (0.2, 0.3, 1)}),
    "VelocityLock": (lw.VelocityLock, AT),
}  # fmt: skip
QUANTITIES = (
    "angle", "rate", "displacement", "speed", "force", "torque", "position", "velocity",
    "rotation", "angular velocity", "acceleration", "length",
)  # fmt: skip
INERTIA, GRAVITY = np.array([0.1, 0.2, 0.15]), np.array([0, 0, -9.81])


def model(name):
    """Two bodies in flight, one of them on a joint, and a heavy one that takes the readings."""
    m = lw.Model(name, gravity=GRAVITY)
    a = lw.Body(2, (0.3, 0.4, 0.5), velocity=(0.1, 0.2, 0.3), angular_velocity=(0.3, -0.4, 0.2))
    a, b = m.add("a", a), m.add("b", lw.Body(1, INERTIA, position=(0.6, 0.2, 0.1)))
    kind, words = JOINTS[name]
    joint = m.add("j", kind(a, b, **words))
    far = m.add("far", lw.Body(1e6, (1e6,) * 3, position=(50, 50, 50)))
    return m, joint, far


def seen(run, joint):
    """What the readings should show, from positions, differences and Newton's and Euler's laws."""
    (fa, fb), t = joint.frames, run.time
    place, turn, spin = {}, {}, {}
    for f, name in ((fa, "a"), (fb, "b")):
        x = run.motion[:, run.system.names.index(name)]
        R = rotations.matrix(x[:, 3:7])
        place[name] = x[:, :3] + R @ f.position
        turn[name], spin[name] = R @ rotations.matrix(f.orientation), R
    A = np.swapaxes(turn["a"], 1, 2)
    d, rho = np.einsum("tij,tj->ti", A, place["b"] - place["a"]), A @ turn["b"]

    def rate(y):
        return np.concatenate([[np.nan], (y[2:] - y[:-2]) / (t[2:] - t[:-2]), [np.nan]])

    number = run.system.names.index("b")
    x, acceleration = run.motion[:, number], run.acceleration[:, number]
    force = acceleration[:, :3] - GRAVITY
    moment = acceleration[:, 3:] * INERTIA + np.cross(x[:, 10:], x[:, 10:] * INERTIA)
    torque = np.einsum("tij,tj->ti", spin["b"], moment) - np.cross(place["b"] - x[:, :3], force)
    w = sum(
        sign * np.einsum("tij,tj->ti", spin[n], run.motion[:, run.system.names.index(n), 10:])
        for n, sign in (("b", 1), ("a", -1))
    )
    angle = {
        "z": np.arctan2(rho[:, 1, 0], rho[:, 0, 0]),
        "x": np.arctan2(rho[:, 2, 1], rho[:, 1, 1]), "y": np.arctan2(rho[:, 0, 2], rho[:, 0, 0]),
    }  # fmt: skip
    away = place["b"] - place["a"]
    length = np.linalg.norm(away, axis=1)
    found = {("length", "z"): length}
    for k, axis in enumerate("xyz"):
        found["angle", axis], found["rate", axis] = angle[axis], rate(angle[axis])
        found["position", axis], found["velocity", axis] = d[:, k], rate(d[:, k])
        found["rotation", axis] = rotations.logarithm(rotations.from_matrices(rho))[:, k]
        found["angular velocity", axis] = np.einsum("tij,tj->ti", A, w)[:, k]
        found["force", axis] = np.einsum("tij,tj->ti", A, force)[:, k]
        found["torque", axis] = np.einsum("tij,tj->ti", A, torque)[:, k]
    found["displacement", "z"], found["speed", "z"] = d[:, 2], rate(d[:, 2])
    turned = angle["z"]
    found["acceleration", "z"] = rate(rate(turned))
    if isinstance(joint, lw.Distance):
        found["rate", "z"] = rate(length)
        found["force", "z"] = np.sum(force * away, axis=1) / length
    return found


@pytest.mark.parametrize("name", JOINTS)
def test_every_reading_is_right_or_refused(name):
    m, joint, far = model(name)
    given, refused = {}, []
    for quantity in QUANTITIES:
        for axis in "xyz":
            try:
                plain = axis == "z" and name in ("Distance",)
                reading = lw.reads(joint, quantity, *(() if plain else (axis,)))
            except lw.LinkworkError as error:
                assert "\n" not in str(error) and "'j'" in str(error)
                refused.append((quantity, axis))
                continue
            given[quantity, axis] = f"load{len(given)}"
            m.add(given[quantity, axis], lw.Torque(far, (1, 0, 0), drive=reading))
    assert refused
    if name in ("Orthogonal", "VelocityLock"):
        assert not given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = lw.transient(m, t=0.01, h=5e-4, progress=False)
    expected = seen(run, joint)
    for key, load in given.items():
        x, y = run[load].torque.values[:, 0], np.asarray(expected[key])
        known = np.isfinite(y)
        rough = {"rate": 3e-5, "velocity": 3e-5, "speed": 3e-5, "acceleration": 3e-3}
        off = np.abs(x - y)[known].max()
        assert off < rough.get(key[0], 1e-7 * max(1.0, np.abs(y[known]).max())), (key, off)


TURNING = ("Revolute", "Spherical", "Gimbal", "Homokinetic", "Universal", "Lock rx rz", "Fixed")


@pytest.mark.parametrize("name", TURNING)
def test_loads_follow_torques_of_joints_that_bend(name):
    """In joint coordinates as in absolute ones, and with the energy-momentum method."""
    def followed():
        m, joint, _ = model(name)
        m["a"].velocity, m["a"].angular_velocity = None, None
        m.add("base", lw.Revolute(lw.GROUND, m["a"], at=(0, 0, 0), axis=(0, 1, 0)))
        drive = 0.02 * lw.reads(joint, "force", "x") + 0.05 * lw.reads(joint, "force", "z")
        for weight, axis in zip((0.03, 0.1, 0.07), "xyz"):
            drive = drive + weight * lw.reads(joint, "torque", axis)
        m.add("load", lw.Torque(m["b"], (0.3, 0.2, 1), drive=drive))
        return m

    runs = []
    for method in (lw.RK4(), lw.Recursive(), lw.GeneralizedAlpha(), lw.EnergyMomentum()):
        run = lw.transient(followed(), t=0.05, h=5e-4, method=method, progress=False)
        shown = np.stack([run[f"torque {x} of j"].torque.values for x in "xyz"], axis=1)
        assert np.allclose(shown, run["j"].torque, atol=1e-9)
        runs.append(run)
    ends = [run.motion[-1, 1] for run in runs]
    assert np.abs(ends[1] - ends[0]).max() < 1e-9
    assert np.abs(ends[2] - ends[0]).max() < 2e-6 and np.abs(ends[3] - ends[0]).max() < 2e-6


def test_springs_are_read():
    m = lw.Model("springs", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1,) * 3, position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis="y", angle=0.4))
    twist = m.add("twist", lw.TorsionSpring(pin, stiffness=2, damping=0.1))
    line = m.add("line", lw.Spring(lw.GROUND, rod, at_a=(1, 0, 0), stiffness=5, damping=0.3))
    far = m.add("far", lw.Body(1e6, (1e6,) * 3, position=(50, 0, 0)))
    wanted = {(line, "length"): 0, (line, "rate"): 1, (twist, "angle"): 2, (twist, "rate"): 3}
    for (item, quantity), k in wanted.items():
        m.add(f"load{k}", lw.Torque(far, (1, 0, 0), drive=lw.reads(item, quantity)))
    run = lw.transient(m, t=0.1, h=1e-3, progress=False)
    expected = [run["line"].length, run["line"].rate, run["pin"].angle, run["pin"].rate]
    for k, y in enumerate(expected):
        assert np.allclose(run[f"load{k}"].torque[:, 0], y, atol=1e-10)
    with pytest.raises(lw.DriveError, match="expected one of force, length, rate, power, found 't"):
        lw.reads(line, "torque")
