"""The errors and the warning of linkwork.

The rule: an error is one sentence that names the item, what was expected, what was found and
what to do, for example::

    drive of motor 'crank' (function 'law'): expected one finite real number at t = 0.3, found
    nan; correct the function so that it is defined over the whole run

Everything derives from `LinkworkError`; each class also derives from the built-in error a
Python programmer would expect, so ``except ValueError`` and ``except OSError`` work too.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

LONGEST = 2000  # characters of a message: what is longer has a text of the user's in it


class Sentence:
    """A message of bounded length, whose beginning and end say what is wrong and what to do."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(bounded(x) for x in args))


def bounded(text: object) -> object:
    """A text of at most LONGEST characters, cut in its middle."""
    if not isinstance(text, str) or len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST // 2]} … {text[-LONGEST // 4 :]}"


class LinkworkError(Sentence, Exception):
    """Base class of all errors raised on purpose by linkwork."""

    placed = False  # whether the sentence says where in a file its items stand


class ModelError(LinkworkError, ValueError):
    """What the user described cannot be a model (or an argument cannot be meant)."""


class ParameterError(ModelError, TypeError):
    """An item was made with a parameter that it does not have, or without one that it needs."""


class DriveError(ModelError):
    """A drive is not a function of time with the values and derivatives needed."""


class AssemblyError(LinkworkError):
    """The constraints could not be satisfied; `violations` maps a row's name to its error."""

    def __init__(self, *args: object, violations: Mapping[str, Any] | None = None) -> None:
        super().__init__(*args)
        self.violations: dict[str, Any] = dict(violations or {})


class ConvergenceError(LinkworkError):
    """An iteration did not converge.

    `time` is where it happened, `result` what was computed until then and `state` the last
    good state; each is None where it has no meaning.
    """

    def __init__(
        self, *args: object, time: float | None = None, result: Any = None, state: Any = None
    ) -> None:
        super().__init__(*args)
        self.time = time
        self.result = result
        self.state = state


class SingularError(LinkworkError):
    """A matrix that must be regular is singular: a body without inertia, a free mechanism."""


class ResultFileError(LinkworkError, OSError):
    """A result file is missing, damaged, not linkwork's, or of another version."""


class MbdynError(ModelError):
    """An MBDyn input file cannot be read; `file`, `line` and `column` say where."""

    def __init__(
        self, sentence: str, file: str = "", line: int = 0, column: int = 0, card: str = ""
    ) -> None:
        place = f"{file}:{line}:{column}: " if line else f"{file}: " if file else ""
        super().__init__(f"{place}{card}: {sentence}" if card else f"{place}{sentence}")
        self.sentence, self.card = sentence, card
        self.file, self.line, self.column = file, line, column


class UnsupportedCard(MbdynError):
    """Something of an MBDyn input file that linkwork does not have."""


class Interrupted(LinkworkError, KeyboardInterrupt):
    """The user stopped a run; `result` is what was computed and `path` where it was saved.

    Both ``except KeyboardInterrupt`` and ``except LinkworkError`` (hence ``except Exception``)
    catch it.
    """

    def __init__(self, *args: object, result: Any = None, path: Any = None) -> None:
        super().__init__(*args)
        self.result = result
        self.path = path


class LinkworkWarning(Sentence, UserWarning):
    """Something works but the user should know about it."""


class UnfinishedWarning(LinkworkWarning):
    """A result file holds a run that did not come to its end; the sentence says how far it goes."""


class FunctionWarning(LinkworkWarning):
    """A result file does not hold its model, since that has Python functions."""


class VelocityWarning(LinkworkWarning):
    """Joints take away a part of a velocity that was given; the sentence says how much of which."""


def users_line() -> int:
    """The stacklevel of a warning that points at the user's line: the first outside of linkwork."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linkwork."):
        level, frame = level + 1, frame.f_back
    return level
