"""Results whose truth is known: a rod that a motor turns at a constant rate."""

import numpy as np
from inside import accelerations

import linkwork as lw
from linkwork import Result, State, compile_model

OMEGA, LENGTH, MASS, G = 3.0, 0.7, 2.0, 9.81


def about(axis, angle):
    """Quaternions of turns about a coordinate axis."""
    q = np.zeros((len(angle), 4))
    q[:, 0], q[:, 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return q


def swing(angle, rate):
    """A rod hanging from the origin along −z, turned about y: motion (T, 1, 13)."""
    motion = np.zeros((len(angle), 1, 13))
    motion[:, 0, 0], motion[:, 0, 2] = -LENGTH * np.sin(angle), -LENGTH * np.cos(angle)
    motion[:, 0, 3:7] = about(1, angle)
    motion[:, 0, 7] = -LENGTH * np.cos(angle) * rate
    motion[:, 0, 9] = LENGTH * np.sin(angle) * rate
    motion[:, 0, 11] = rate
    return motion


def rotor(gravity=(0, 0, -G)):
    """A rod turned at constant rate about y by a motor: everything about it is known."""
    m = lw.Model("rotor", gravity=gravity)
    rod = m.add("rod", lw.Body(MASS, (0.3, 0.4, 0.2), position=(0, 0, -LENGTH)))
    m.add("motor", lw.Motor(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=lw.ramp(OMEGA)))
    return m


def rotor_run(model=None):
    system, times = compile_model(model or rotor()), np.linspace(0, 5, 51)
    data = system.data()
    angle = OMEGA * times
    motion = swing(angle, np.full(len(times), OMEGA))
    states = [accelerations(data, State(t, system.names, x)) for t, x in zip(times, motion)]
    height = motion[:, 0, 2] - motion[0, 0, 2]
    return Result(
        system, times, motion,
        np.array([s.acceleration for s in states]), np.array([s.gamma for s in states]),
        np.stack([np.zeros(len(times)), MASS * G * height], axis=1),
        {"iterations": np.arange(len(times)), "h": np.full(120, 0.1)},
        {"method": "exact", "h": 0.1, "seconds": 0.5, "notes": ["made up"]},
        {"history": np.arange(12.0).reshape(2, 6), "count": np.int64(7), "none": np.zeros((0, 3)),
         "flags": np.array([True, False]), "z": np.array([1 + 2j, np.nan])},
    )  # fmt: skip
