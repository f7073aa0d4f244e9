"""Readings of friction: what surfaces exert as part of drives, the load a reaction or given."""

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork import DriveError, ModelError, compile_model

G, MU, MASS = 10.0, 0.3, 2.0


def block(speed=3.0):
    """A block that slides along x, pressed on its rail by its weight."""
    m = lw.Model("block", gravity=(0, 0, -G))
    body = m.add("block", lw.Body(MASS, (1, 1, 1), velocity=(speed, 0, 0)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0)))
    return m, body, rail, m.add("rubs", lw.Friction(rail, lw.Coulomb(MU)))


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.DIRK33()])
def test_a_force_that_follows_friction_slows_a_block_down(method):
    """m a = −(1 + g) μ m G."""
    m, _body, rail, rubs = block()
    m.add("act", lw.JointForce(rail, 0.5 * lw.reads(rubs, "force")))
    run = lw.transient(m, t=0.2, h=2e-3, method=method, progress=False)
    expected = 3.0 - 1.5 * MU * G * run.time
    assert np.abs(run["rail"].speed - expected).max() < 1e-8
    assert np.allclose(run["force z of rubs"].force, run["rubs"].force, atol=1e-8)
    assert np.allclose(run["rubs"].force[1:], -MU * MASS * G, atol=1e-7)


def test_friction_that_is_read_presses_its_own_surfaces():
    """N = m G + k μ N, so that N = m G/(1 − k μ): solved with the slopes by multipliers."""
    m, body, _rail, rubs = block()
    k = 1.5
    m.add("press", lw.Force(body, (0, 0, 1), drive=k * lw.reads(rubs, "force")))
    run = lw.transient(m, t=0.2, h=2e-3, progress=False)
    N = MASS * G / (1 - k * MU)
    assert np.allclose(run["rubs"].load, N, rtol=1e-8)
    assert np.abs(run["rail"].speed - (3.0 - MU * N / MASS * run.time)).max() < 1e-8


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.Recursive(), lw.Recursive("implicit")]
)
def test_the_torque_of_a_brake_is_read(method):
    """J ω̇ = −(1 + g) μ N r while it turns, N = 50 t."""
    m = lw.Model("brake")
    wheel = m.add("wheel", lw.Body(1, (1, 1, 2), angular_velocity=(0, 0, 20)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    pads = m.add("pads", lw.Brake(
        lw.GROUND, wheel, axis=(0, 0, 1), model=lw.Coulomb(0.4), radius=0.1, load=lw.ramp(50)
    ))  # fmt: skip
    m.add("more", lw.JointTorque(pin, 0.25 * lw.reads(pads, "torque")))
    run = lw.transient(m, t=0.5, h=2e-3, method=method, progress=False)
    t = run.time
    assert np.allclose(run["pads"].torque, -0.4 * 0.1 * 50 * t, atol=1e-8)
    assert np.allclose(run["torque z of pads"].torque, run["pads"].torque, atol=1e-8)
    assert np.abs(run["pin"].rate - (20 - 1.25 * t**2 / 2)).max() < 1e-6


@pytest.mark.parametrize("kind", ["pin", "plane", "ball", "bush", "screw"])
def test_readings_are_what_results_say(kind):
    m = lw.Model(kind, gravity=(1, 2, -G))
    spin = {"velocity": (0.4, 0.3, 0)} if kind == "plane" else {}
    spin["angular_velocity"] = (0, 0, 2) if kind != "ball" else (0.5, 1, 2)
    body = m.add("body", lw.Body(MASS, (1, 1.2, 1.4), position=(0.0, 0, 0.2), **spin))
    where = {"at": (0, 0, 0), **({} if kind == "ball" else {"axis": (0, 0, 1)})}
    joint = m.add("joint", {
        "pin": lw.Revolute, "plane": lw.Planar, "ball": lw.Spherical, "bush": lw.Cylindrical,
        "screw": lambda a, b, **words: lw.Screw(a, b, pitch=0.1, **words),
    }[kind](lw.GROUND, body, **where))  # fmt: skip
    motion = {"motion": "both"} if kind == "bush" else {}
    rubs = m.add("rubs", lw.Friction(joint, lw.LuGre(0.2), radius=0.1, preload=1.0, **motion))
    quantity = "force" if kind in ("plane", "bush") else "torque"
    axis = {"plane": "y", "ball": "z", "bush": "z"}.get(kind)
    words = (quantity,) if axis is None else (quantity, axis)
    m.add("copy", lw.Force(body, (0, 0.01, 0), drive=lw.reads(rubs, *words)))
    run = lw.transient(m, t=0.05, h=1e-3, progress=False)
    expected = getattr(run["rubs"], quantity).values
    expected = expected if axis is None else expected[:, "xyz".index(axis)]
    found = run["copy"].force.values[:, 1] / 0.01
    assert np.abs(expected).max() > 1e-2
    assert np.allclose(found[1:], expected[1:], rtol=1e-7, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize(
    "kind", ["Revolute", "Prismatic", "Screw", "Planar", "Cylindrical", "Spherical"]
)
def test_slopes_by_multipliers_are_exact(kind):
    """∂x/∂γ against central differences, in random motions and under random reactions."""
    rng = np.random.default_rng(5)
    m = lw.Model(kind)
    bodies = [m.add(f"b{i}", lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for i in range(2)]
    where = {"at": rng.normal(size=3), "axis": rng.normal(size=3)}
    where |= {"pitch": 0.5} if kind == "Screw" else {}
    joint = m.add("joint", getattr(lw, kind)(*bodies, **where))
    words = {"motion": "both"} if kind == "Cylindrical" else {}
    rubs = m.add("rubs", lw.Friction(joint, lw.LuGre(0.3), radius=0.4, preload=0.5, **words))
    axis = (rng.normal(size=3),) if kind in ("Planar", "Cylindrical", "Spherical") else ()
    quantity = "force" if kind in ("Prismatic", "Planar", "Cylindrical") else "torque"
    m.add("act", lw.Force(bodies[0], (1, 0, 0), drive=lw.reads(rubs, quantity, *axis)))
    data = compile_model(m).data()
    state = data.system.described_state()
    motion = state.motion.copy()
    motion[:, 7:] = rng.normal(size=(2, 6))
    state = replace(state, motion=motion, gamma=rng.normal(size=data.rows))
    ((row, first, *multipliers),) = data.tables.sensors
    data.evaluate(state)
    told = np.zeros(data.rows + 1)
    for j, e in enumerate(multipliers):
        told[min(int(e), data.rows)] += data.tables.reals[first + j]
    assert np.abs(told[:-1]).max() > 1e-3
    for slope, d in zip(told[:-1], 1e-6 * np.eye(data.rows), strict=True):
        up, down = (data.evaluate(replace(state, gamma=state.gamma + s * d)).residual[row]
                    for s in (1, -1))  # fmt: skip
        assert slope == pytest.approx(-(up - down) / 2e-6, abs=1e-8)


def test_statics_of_a_block_that_friction_holds():
    """At rest on a slope the friction is the pull, m G_x, whether it is read or not."""
    m, _body, rail, rubs = block(speed=0.0)
    m.gravity[:] = (0.2 * G, 0, -G)
    m.add("act", lw.JointForce(rail, 0.25 * lw.reads(rubs, "force")))
    rest = lw.static(m, progress=False)
    assert float(rest["rubs"].force) * 1.25 == pytest.approx(-0.2 * MASS * G, rel=1e-6)


def test_what_is_not_read_is_refused_in_one_sentence():
    m, body, rail, rubs = block()
    with pytest.raises(DriveError, match="force"):
        lw.reads(rubs, "torque")
    with pytest.raises(DriveError, match="no axis"):
        lw.reads(rubs, "force", "x")
    cross = lw.Universal(lw.GROUND, body, at=(0, 0, 0), axis_a=(1, 0, 0), axis_b=(0, 1, 0))
    with pytest.raises(DriveError, match="both pins.*read the torque of"):
        lw.reads(lw.Friction(cross, 0.1, radius=0.02), "torque", "x")
    m.add("act", lw.JointForce(rail, 0.5 * lw.reads(rubs, "force")))
    with pytest.raises(ModelError, match="loaded by the reactions of a joint"):
        lw.transient(m, t=0.1, h=1e-3, method=lw.Recursive(), progress=False)
