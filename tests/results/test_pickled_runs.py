"""Runs are pickled in one process and read in another, where every address is a different one.

Tables hold addresses of routines (laws), of functions of the user, and of arrays (roads).  Each
model below has one of them; what the other process computes anew must be the same numbers.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import cloudpickle
import numba
import numpy as np
import pytest

import linkwork as lw


def pendulum() -> tuple[lw.Model, Any, Any]:
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    return m, rod, m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis="y"))


def with_a_law() -> lw.Model:
    m, rod, _ = pendulum()
    law = lw.laws.Parallel((lw.laws.LinearElastic(100.0), lw.laws.CubicElastic(0, 0, 50.0)))
    m.add("strut", lw.Rod(lw.GROUND, rod, at_a=(0, 0, 1), at_b=(1, 0, 0), law=law))
    return m


def with_a_function() -> lw.Model:
    m, rod, _ = pendulum()
    m.add("push", lw.UserForce(rod, lambda t, motion: np.array([0, 0, 5 * t, 0, 0, 0])))
    return m


def with_a_compiled_function() -> lw.Model:
    @numba.njit
    def push(t, motion):
        return 5 * t * np.ones(6)

    m, rod, _ = pendulum()
    m.add("push", lw.UserForce(rod, push))
    return m


def with_a_formula() -> lw.Model:
    m, _, pin = pendulum()
    m.add("drive", lw.JointTorque(pin, lw.formula("x**2", x=lw.reads(pin, "angle"))))
    return m


def with_a_controller() -> lw.Model:
    m, _, pin = pendulum()
    hold = lw.Controller(lambda t, u: -20 * u[0], [lw.reads(pin, "angle")], every=2e-3)
    m.add("drive", lw.JointTorque(pin, hold[0]))
    return m


def with_contact() -> lw.Model:
    m = lw.Model("box", gravity=(0, 0, -9.81))
    box = m.add("box", lw.Body.box((0.2, 0.2, 0.2), density=1000, position=(0, 0, 0.1)))
    m.add("floor", lw.Contact(box, lw.GROUND, friction=0.3))
    return m


def with_a_road() -> lw.Model:
    data = lw.TyreData.brush(
        radius=0.3, stiffness=2e5, load=4e3, slip_stiffness=6e4, friction=0.9
    )
    road = lw.Road.function(lambda x, y: 0.01 * np.sin(x) + 0 * y, x=(-5, 5), y=(-2, 2))
    m = lw.Model("wheel", gravity=(0, 0, -9.81))
    hub = m.add("hub", lw.Body(400, (10, 10, 10), position=(0, 0, 0.3)))
    rim = m.add("rim", lw.Body(10, (0.5, 0.9, 0.5), position=(0, 0, 0.3)))
    m.add("axle", lw.Revolute(hub, rim, at=(0, 0, 0.3), axis="y"))
    m.add("guide", lw.Lock(lw.GROUND, hub, at=(0, 0, 0.3), rows="rx ry rz y"))
    m.add("tyre", lw.Tyre(hub, rim, data, road))
    return m


def with_a_gust() -> lw.Model:
    m, rod, _ = pendulum()
    m.air = lw.Air(velocity=(5, 0, 0), gusts=lw.GustFunction(lambda x, t: (0.0, 0.0, x[0] + t)))
    m.add("wing", lw.LiftingSurface(rod, chord=0.1, airfoil=lw.Airfoil.flat_plate(drag=0.01),
                                    start=(0.5, -0.2, 0), end=(0.5, 0.2, 0)))  # fmt: skip
    return m


MODELS = (with_a_law, with_a_function, with_a_compiled_function, with_a_formula,
          with_a_controller, with_contact, with_a_road, with_a_gust)  # fmt: skip


def outputs(run: Any) -> dict[str, np.ndarray]:
    """Everything that is computed from a run, and the residual of its last step."""
    named = {
        f"{name}.{word}": np.asarray(getattr(run[name], word))
        for name in run.system.model.items if name in run.named
        for word in run[name].names
    }  # fmt: skip
    last = run.system.data().evaluate(run.state())
    return named | {"balance": run.energy.balance.values, "C": last.C, "matrix": last.matrix.data}


READER = """
import pickle, sys
for name, (run, expected, outputs) in pickle.load(open(sys.argv[1], "rb")).items():
    found = outputs(run)
    assert found.keys() == expected.keys(), name
    for word, value in expected.items():
        assert found[word].tobytes() == value.tobytes(), (name, word)
    print(name)
"""


def test_another_process_reads_what_was_pickled(tmp_path: Path) -> None:
    written = {}
    for make in MODELS:
        run = lw.transient(make(), t=5e-3, h=1e-3, progress=False)
        written[make.__name__] = run, outputs(run), outputs
    path = tmp_path / "runs.pickle"
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        path.write_bytes(cloudpickle.dumps(written))
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    done = subprocess.run(
        [sys.executable, "-c", READER, str(path)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [make.__name__ for make in MODELS]


@pytest.mark.parametrize("make", [with_a_law, with_a_controller, with_a_road])
def test_a_pickled_run_goes_on_as_the_run_itself(make: Any) -> None:
    run = lw.transient(make(), t=5e-3, h=1e-3, progress=False)
    again = pickle.loads(pickle.dumps(run))
    further = (
        lw.transient(r.system.model, t=1e-2, h=1e-3, start=r, progress=False) for r in (run, again)
    )
    one, other = (r.motion[-1] for r in further)
    assert np.array_equal(one, other)
