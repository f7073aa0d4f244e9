"""Calls with parameters that do not exist: a sentence that says which there are.

Words that other programs use for the same thing are known, and lead to the right one.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from linkwork.errors import LinkworkError, ModelError, ParameterError
from linkwork.model import checks
from linkwork.model.places import name_places

P = ParamSpec("P")
T = TypeVar("T")

ALSO_CALLED = {
    "h": ("dt", "step", "time_step", "timestep", "step_size", "stepsize"),
    "t": ("time", "duration", "t_end", "tend", "end", "until", "final_time"),
    "method": ("solver", "integrator", "scheme"),
    "stop": ("event", "events", "terminate", "stop_when"),
    "start": ("state", "initial", "initial_state", "x0", "restart"),
    "at": ("point", "location", "position", "state"),
    "axis": ("direction", "normal"),
    "stiffness": ("k", "spring_constant"),
    "damping": ("c", "d", "damper"),
    "length": ("rest_length", "free_length", "natural_length", "l0", "height"),
    "angle": ("motion", "drive", "theta", "phi"),
    "displacement": ("motion", "drive", "travel"),
    "position": ("pos", "at", "center", "centre", "r"),
    "velocity": ("vel", "v"),
    "angular_velocity": ("omega", "w"),
    "orientation": ("rotation", "quaternion"),
    "model": ("mu", "coefficient", "friction", "law"),
    "friction": ("mu", "coefficient", "friction_coefficient"),
    "restitution": ("e", "bounce", "coefficient_of_restitution"),
    "vector": ("force", "torque", "load", "direction", "value"),
    "drive": ("torque", "force", "value", "function"),
    "section": ("cross_section", "profile"),
    "elements": ("n", "n_elements"),
    "workers": ("processes", "n_jobs", "cores"),
    "grid": ("parameters", "values"),
    "measure": ("post", "evaluate", "function", "output"),
    "n": ("number", "count", "modes", "k"),
    "frequency": ("freq", "f"),
    "radius": ("r",),
}  # ours → what it may have been called


def listed(value: Any, what: str) -> Any:
    """Refuse what is no list, neither of names nor of anything."""
    if not isinstance(value, Iterable) or (isinstance(value, np.ndarray) and value.ndim != 1):
        raise ModelError(f"{what} must be a list of names, but {checks.show(value)} was given")
    return value


DECLARED: dict[Any, Callable[[Any, str], Any]] = {
    "bool": checks.flag,
    "bool | None": lambda value, what: value is None or checks.flag(value, what),
    "bool | str": lambda value, what: isinstance(value, str) or checks.flag(value, what),
    "Sequence[str]": listed,
    "Iterable[str]": listed,
    "Sequence[str] | None": lambda value, what: value is None or listed(value, what),
}  # what a parameter is declared as → how it is checked


def explained(function: Callable[P, T]) -> Callable[P, T]:
    """A function that refuses unknown parameters, and flags and lists that are none, in a sentence.

    Errors about items of a model that was read from a file say where they stand in it.
    """
    places = enumerate(inspect.signature(function).parameters.values())
    declared = [(i, p.name, DECLARED[p.annotation]) for i, p in places if p.annotation in DECLARED]

    @functools.wraps(function)
    def called(*arguments: P.args, **keywords: P.kwargs) -> T:
        for i, word, check in declared:
            if i < len(arguments) or word in keywords:
                value = arguments[i] if i < len(arguments) else keywords[word]
                check(value, f"{word} of {function.__name__}")
        try:
            return function(*arguments, **keywords)
        except TypeError:
            refuse_call(function.__name__, inspect.signature(function), arguments, keywords)
            raise
        except LinkworkError as error:
            name_places(error, arguments[0] if arguments else keywords.get("model"))
            raise

    return called


def explained_maker(function: Callable[P, T]) -> Callable[P, T]:
    """The function of a class method, which refuses unknown parameters with a sentence."""

    @functools.wraps(function)
    def called(*arguments: P.args, **keywords: P.kwargs) -> T:
        try:
            return function(*arguments, **keywords)
        except TypeError:
            kind: Any = arguments[0]
            whole = inspect.signature(function)
            own = whole.replace(parameters=list(whole.parameters.values())[1:])
            refuse_call(f"{kind.__name__}.{function.__name__}", own, arguments[1:], keywords)
            passed_on = {w: v for w, v in keywords.items() if w not in own.parameters}
            rest = inspect.signature(kind)
            refuse_call(kind.__name__, rest, (), {**dict.fromkeys(rest.parameters), **passed_on})
            raise

    return called


def refuse_call(
    name: str, signature: inspect.Signature, arguments: tuple, keywords: dict[str, Any]
) -> None:
    """Raise a sentence about parameters where these do not fit the signature."""
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        parameters = [p for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
        known = [p.name for p in parameters]
        wrong = [word for word in keywords if word not in known]
        if not wrong or len(parameters) < len(signature.parameters):
            words = (p.name + "=" * (p.kind == p.KEYWORD_ONLY) for p in parameters)
            raise ParameterError(f"{name}: {error}; write {name}({', '.join(words)})") from None
        raise ParameterError(
            f"{name} has no parameter '{wrong[0]}'; {hint(wrong[0], known, keywords)}"
        ) from None


def hint(wrong: str, known: list[str], given: dict[str, Any]) -> str:
    """The parameter that may have been meant, or all that there are."""
    free = [word for word in known if word not in given]
    meant = [word for word in free if wrong.lower() in ALSO_CALLED.get(word, ())]
    near = meant or difflib.get_close_matches(wrong, known, n=1)
    return f"did you mean '{near[0]}'?" if near else f"it has {', '.join(known)}"
