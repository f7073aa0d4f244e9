"""Hard motions by all methods, in a short form: right, coarse, warned or refused, never silent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

DOCS = Path(__file__).parents[2] / "docs"
SHORT = {  # motion: (end, cells that are known)
    "rod on a pin, 0.3 rad per step": (1.0, {"default": "right", "stabilized": "right",
                                             "EnergyMomentum": "coarse", "Recursive": "right"}),
    "rod on a pin, 1 rad per step": (1.0, {"default": "right", "Recursive": "right"}),
    "heavy top at 100000 rad/s": (0.01, {"default": "refused", "RK4": "refused"}),
    "slider-crank at 300 rad/s": (0.1, {"Recursive": "right"}),
    "row of 1 parallelogram through flat positions": (5.0, {"default": "right"}),
    "springs of 1e10 and 100 N/m in a row": (0.5, {"default": "right"}),
    "damped spring, three steps in a period": (0.05, {"default": "warned",
                                                      "EnergyMomentum": "warned"}),
    "flexible link that turns at 0.2 of its first frequency": (0.1, {"default": "right"}),
    "flexible link that turns at 1 of its first frequency": (0.1, {"default": "warned",
                                                                   "Recursive": "warned"}),
    "ball shot at 1000 m/s at a plate of 1 mm": (0.01, {"default": "warned", "RK4": "warned"}),
    "ball shot at its like at 100 m/s": (0.02, {"default": "warned", "Recursive": "warned"}),
    "wheel that would lift off its plane": (0.5, {"default": "warned", "Recursive": "refused"}),
    "motor that cannot turn further": (0.5, {"default": "refused", "EnergyMomentum": "refused"}),
}  # fmt: skip


@pytest.mark.parametrize("name", SHORT)
def test_no_method_is_silently_wrong(name):
    from docs.hard.motions import KINDS
    from docs.hard.runs import METHODS, judge

    end, known = SHORT[name]
    (motion,) = (m for kind in KINDS for m in kind.motions() if m.name == name)
    motion.t = end
    cells = {method: judge(motion, method) for method in METHODS}
    assert {method for method, cell in cells.items() if cell.kind == "SILENT"} == set()
    assert {method: cells[method].kind for method in known} == known
    for cell in cells.values():
        assert (cell.kind in ("warned", "refused")) <= bool(cell.said)


def test_joint_coordinates_tell_of_turns_about_a_ball():
    """A pin is exact at any speed; a ball is not, and its energy alone would not show it."""
    from docs.hard.mechanisms import top

    with pytest.warns(lw.LinkworkWarning, match="body 'top' turns by 2 rad in a step"):
        lw.transient(top(2000.0), t=0.02, h=1e-3, method=lw.Recursive(), progress=False)


@pytest.mark.filterwarnings("ignore:.*not unique", "ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize(
    "method",
    [
        lw.GeneralizedAlpha(), lw.GeneralizedAlpha(stabilized=True), lw.BDF2(), lw.MS2(),
        lw.DIRK33(), lw.EnergyMomentum(), lw.Recursive(), lw.Recursive(correction="direct"),
        lw.RK4(), lw.ODE(),
    ],
    ids=repr,
)  # fmt: skip
def test_an_impossible_motor_is_named_by_every_method(method):
    """The rod of 0.2 m reaches until 0.3 sin(2 t) = 0.2."""
    from docs.hard.mechanisms import impossible_motor

    with pytest.raises(lw.LinkworkError, match=r"[Mm]otor 'motor'") as error:
        lw.transient(impossible_motor(), t=0.5, h=1e-3, method=method, progress=False)
    if isinstance(error.value, lw.ConvergenceError):
        assert abs(error.value.result.time[-1] - np.arcsin(2 / 3) / 2) < 3e-3


def test_the_page_has_every_motion():
    from docs.hard.motions import KINDS

    page = (DOCS / "hard-motions.md").read_text(encoding="utf-8")
    names = [motion.name for kind in KINDS for motion in kind.motions()]
    assert len(names) >= 20
    assert [name for name in names if f"| {name} |" not in page] == []
    assert "SILENT" not in page
