"""Arguments of analyses that cannot be meant: one sentence, whatever was given."""

import inspect
import warnings

import numpy as np
import pytest
from mistakes import body, one_sentence, pendulum

import linkwork as lw


class Speechless:
    """What has no text to be shown by."""

    def __repr__(self):
        raise RuntimeError("no text")


def fails(*arguments):
    raise RuntimeError("the table\nends here")


BAD = [
    float("nan"), float("inf"), -1, 0, 1e308, 1e-300, 10**400, 10**5000, "junk", 1j, None, [],
    [1, 2], [float("nan")], {}, {"x": 1}, object(), np.zeros((20, 3)), fails,
    lw.GROUND, Speechless(),
]  # fmt: skip


def hanging():
    m = lw.Model(gravity=(0, 0, -9.81))
    rod = m.add("rod", body(position=(0, 0, -1)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


def driven():
    m = lw.Model()
    arm = m.add("arm", body(position=(1, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, 0, 1), angle=lw.ramp(1)))
    return m


SHORT = dict(t=0.02, h=0.01)
ANALYSES = {
    lw.transient: (pendulum, dict(SHORT, progress=False)),
    lw.kinematics: (driven, dict(SHORT, progress=False)),
    lw.inverse: (driven, SHORT),
    lw.convergence: (pendulum, SHORT),
    lw.static: (hanging, dict(progress=False)),
    lw.assemble: (pendulum, {}),
    lw.eigen: (hanging, {}),
    lw.linearize: (hanging, {}),
    lw.joint_space: (pendulum, {}),
    lw.constraint_stiffness: (hanging, {}),
    lw.buckling: (hanging, {}),
    lw.equilibrium_path: (hanging, {}),
    lw.topology: (pendulum, {}),
}


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda f: f.__name__)
def test_arguments_of_analyses(analysis, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where file="junk" goes
    make, given = ANALYSES[analysis]
    for word in inspect.signature(analysis).parameters:
        for bad in BAD:
            arguments = {"model": make(), **given, word: bad}
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    analysis(**arguments)
                except lw.LinkworkError as error:
                    one_sentence(error)
