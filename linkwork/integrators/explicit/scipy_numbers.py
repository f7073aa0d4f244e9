"""The numbers that an integrator of SciPy carries from step to step, for a run that goes on later.

Step size, slopes, stages, differences, Jacobian and its factors are attributes of the solver: plain
numbers, arrays, and pairs of arrays (factors and pivots).  Each becomes one or two named arrays;
None becomes an array without numbers.  LSODA keeps its numbers to itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

KNOWN = ("RK45", "RK23", "DOP853", "Radau", "BDF")
PREFIX, IMAGINARY = "scipy_", "_imaginary"


def numbers_of(solver: Any) -> dict[str, np.ndarray]:
    """What `give_numbers` needs to make another solver go on like this one."""
    found: dict[str, np.ndarray] = {}
    if solver is None or type(solver).__name__ not in KNOWN:
        return found
    for name, value in vars(solver).items():
        for part, x in _parts(name, value):
            x = np.array(x)
            if np.iscomplexobj(x):
                found[PREFIX + part + IMAGINARY] = x.imag.copy()
            found[PREFIX + part] = x.real.copy()
    return found


def _parts(name: str, value: Any) -> list[tuple[str, Any]]:
    if value is None:
        return [(name, np.zeros(0))]
    if isinstance(value, tuple):
        return [(f"{name}{i}", x) for i, x in enumerate(value)]
    plain = isinstance(value, (bool, int, float, np.number, np.ndarray))
    return [(name, value)] if plain else []


def give_numbers(solver: Any, found: dict[str, Any]) -> None:
    """Make a new solver go on with the digits of the one that `found` is from, if of any."""
    if not any(name.startswith(PREFIX) for name in found):
        return
    for name in list(vars(solver)):
        pair = [_array(found, f"{name}{i}") for i in range(2)]
        if all(x is not None for x in pair):
            setattr(solver, name, tuple(pair))
            continue
        value = _array(found, name)
        if value is None:
            continue
        mine = getattr(solver, name)
        if isinstance(mine, np.ndarray) and mine.shape == value.shape and mine.ndim:
            mine[...] = value  # some arrays are parts of others
        elif value.ndim == 0:
            setattr(solver, name, value[()].item())
        else:
            setattr(solver, name, value if value.size else None)
    if hasattr(solver, "sol"):  # Radau looks back at the polynomial of its last step
        solver.sol = solver._compute_dense_output()


def _array(found: dict[str, Any], name: str) -> np.ndarray | None:
    if PREFIX + name not in found:
        return None
    value = np.array(found[PREFIX + name])
    if PREFIX + name + IMAGINARY in found:
        return value + 1j * np.asarray(found[PREFIX + name + IMAGINARY])
    return value
