"""The time loop sees a run through the members of `Run` alone, and writes into none of them."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inside import ControlledRun, Run, choose_rows, implicit_run

import linkwork as lw

MOTION = Path(lw.__file__).parent / "analysis" / "motion"
METHODS = (
    lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.RK4(), lw.ODE("DOP853"), lw.EnergyMomentum(),
    lw.EnergyMomentum(reduced=False), lw.Recursive(), lw.Recursive("dormand-prince"),
    lw.Recursive("implicit"),
)  # fmt: skip


def members(protocol: type) -> list[str]:
    return [name for name in dir(protocol) if not name.startswith("_")]


class OnlyTheContract:
    """A run of which nothing but the members of a protocol can be seen, and nothing be set."""

    def __init__(self, run: Any, protocol: type) -> None:
        object.__setattr__(self, "_inner", run)
        object.__setattr__(self, "_known", frozenset(members(protocol)))

    def __getattr__(self, name: str) -> Any:
        if name not in self._known:
            raise AttributeError(f"{name} is not in the contract")
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} was written from outside")


@dataclass(frozen=True)
class Narrow:
    """Another method, whose run shows the contract alone."""

    method: Any
    protocol: type = Run

    @property
    def order(self) -> int:
        return self.method.order

    def run(self, full: Any, data: Any, state: Any, h: float) -> Any:
        kind = implicit_run(self.method)
        if kind is None:
            run = self.method.run(full, data, state, h)
        else:
            rows = lambda now: choose_rows(full, now, warn=False)[1]  # noqa: E731
            run = kind(data, self.method, state, h, rows, full=full)
        return OnlyTheContract(run, self.protocol)


def pendulum() -> lw.Model:
    m = lw.Model(gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


def same(a: lw.Result, b: lw.Result) -> bool:
    pairs = ((a.motion, b.motion), (a.gamma, b.gamma), (a.acceleration, b.acceleration))
    return all(np.array_equal(x, y) for x, y in pairs)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_run_needs_nothing_but_the_contract(method: Any) -> None:
    plain = lw.transient(pendulum(), t=0.105, h=0.01, method=method, progress=False)
    narrow = lw.transient(pendulum(), t=0.105, h=0.01, method=Narrow(method), progress=False)
    assert same(plain, narrow)
    assert set(plain.diagnostics) == set(narrow.diagnostics)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_events_need_nothing_but_the_contract(method: Any) -> None:
    stop = [lambda t, now: now["rod"].position[2] + 0.02]
    plain = lw.transient(pendulum(), t=0.2, h=0.01, method=method, stop=stop, progress=False)
    narrow = lw.transient(
        pendulum(), t=0.2, h=0.01, method=Narrow(method), stop=stop, progress=False
    )
    assert plain.info["ended_by"] and same(plain, narrow)


def test_error_control_needs_a_controlled_run() -> None:
    words = {"t": 0.2, "h": 0.01, "tolerance": 1e-5, "progress": False}
    plain = lw.transient(pendulum(), method=lw.GeneralizedAlpha(), **words)
    narrow = lw.transient(pendulum(), method=Narrow(lw.GeneralizedAlpha(), ControlledRun), **words)
    assert same(plain, narrow) and plain.info["repairs"] == narrow.info["repairs"]
    with pytest.raises(lw.ModelError, match="no error estimate"):
        lw.transient(pendulum(), method=Narrow(lw.RK4()), **words)


def test_every_member_has_a_sentence() -> None:
    for name in members(ControlledRun):
        member = inspect.getattr_static(ControlledRun, name)
        text = (member.fget if isinstance(member, property) else member).__doc__
        assert text and text.strip().endswith("."), name


def test_nobody_writes_into_a_run() -> None:
    """No statement of the time loop assigns to an attribute of `run` or `self.run`."""
    for path in MOTION.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
            for target in targets if isinstance(node, ast.Assign | ast.AugAssign) else ():
                for part in ast.walk(target):
                    if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                        owner = ast.unparse(part.value)
                        assert owner not in ("run", "self.run"), f"{path.name}:{node.lineno}"
