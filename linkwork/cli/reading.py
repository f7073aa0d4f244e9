"""Reading model files (Python that defines `model`, MBDyn input files), and where results go."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.errors import LinkworkError

if TYPE_CHECKING:
    from linkwork.model.model import Model

BEGIN = re.compile(rb"^[^#\n]*begin\s*:\s*data\s*;", re.I | re.M)


def read_model(path: str) -> tuple[Model, dict[str, Any]]:
    """The model of a file, and `time`, `step` and `method` where it defines them.

    An MBDyn input file also gives the `deck` that it was.
    """
    from linkwork.integrators.catalogue import METHODS
    from linkwork.model.model import Model

    file = Path(path)
    if not os.path.exists(path):  # False also for names that no file can have
        raise LinkworkError(
            f"there is no model file '{path}'; give the path of a .py or .mbd file"
        )
    if is_deck(path) and not file.is_dir():
        return read_deck_file(path)
    if file.is_dir() or file.suffix != ".py":
        raise LinkworkError(
            f"'{path}' is not a .py file; give a Python file that defines `model`, or an MBDyn "
            "input file .mbd"
        )
    names = execute(file)
    if "model" not in names:
        raise LinkworkError(
            f"'{path}' defines no `model`; write for example model = lw.Model(\"pendulum\")"
        )
    model = names["model"]
    if not isinstance(model, Model):
        raise LinkworkError(
            f"`model` in '{path}' must be a linkwork Model, but is of type {type(model).__name__}"
        )
    defaults: dict[str, Any] = {
        word: float(names[word]) for word in ("time", "step")
        if isinstance(names.get(word), (int, float)) and not isinstance(names[word], bool)
    }  # fmt: skip
    if type(names.get("method")).__name__ in METHODS:
        defaults["method"] = names["method"]
    return model, defaults


def is_deck(path: str) -> bool:
    """Whether a file is taken for an MBDyn input file."""
    file = Path(path)
    if file.suffix in (".mbd", ".mbdyn"):
        return True
    if file.suffix in (".py", ".nc") or not os.path.isfile(path):
        return False
    with file.open("rb") as text:  # decks have any name, and often no suffix
        return BEGIN.search(text.read(200_000)) is not None


def read_deck_file(path: str) -> tuple[Model, dict[str, Any]]:
    from linkwork.io.mbdyn.deck.reader import read_deck

    deck = read_deck(path)
    a = deck.analysis
    known = {"time": a.final_time, "step": a.step, "deck": deck}
    return deck.model, {word: value for word, value in known.items() if value is not None}


def execute(file: Path) -> dict[str, Any]:
    """Run a model file with its folder on sys.path; what it raises becomes one sentence."""
    import importlib.util

    sys.path.insert(0, str(file.resolve().parent))
    spec = importlib.util.spec_from_file_location("linkwork_model", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except SyntaxError as error:
        raise LinkworkError(
            f"'{error.filename}', line {error.lineno}, is not Python: {error.msg}"
        ) from error
    except LinkworkError as error:
        raise LinkworkError(f"'{file}'{line_of(error, file)}: {error}") from error
    except BaseException as error:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise LinkworkError(f"'{file}' raised{line_of(error, file)} {what}") from error
    return vars(module)


def line_of(error: BaseException, file: Path) -> str:
    """Where in the model file it happened."""
    import traceback

    here = str(file.resolve())
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__)
             if str(Path(f.filename).resolve()) == here]  # fmt: skip
    return f", line {lines[-1]}," if lines else ""


def output_path(name: str | None) -> Path | None:
    """The result file that -o names, known to be writable."""
    from linkwork.results.files.file import check_writable

    if name is None:
        return None
    path = Path(name if name.endswith(".nc") else f"{name}.nc")
    check_writable(path)
    return path
