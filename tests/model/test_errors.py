"""The classes of errors, what they carry, and that they survive pickling."""

from __future__ import annotations

import ast
import pickle
import sys
from pathlib import Path

from linkwork import LinkworkError, ModelError, errors
from linkwork.model import drives


def test_error_classes():
    for name, builtin in (("ModelError", ValueError), ("DriveError", ModelError),
                          ("ResultFileError", OSError), ("Interrupted", KeyboardInterrupt),
                          ("AssemblyError", Exception), ("ConvergenceError", Exception),
                          ("SingularError", Exception)):  # fmt: skip
        error = getattr(errors, name)("a sentence")
        assert isinstance(error, LinkworkError) and isinstance(error, builtin)
        assert str(error) == "a sentence"
        assert str(pickle.loads(pickle.dumps(error))) == "a sentence"


def test_error_attributes_survive_pickling():
    error = errors.ConvergenceError("did not converge", time=0.3, state="s")
    again = pickle.loads(pickle.dumps(error))
    assert (again.time, again.result, again.state) == (0.3, None, "s")
    assert errors.AssemblyError("open", violations={"pin.x": 1.0}).violations == {"pin.x": 1.0}
    stop = errors.Interrupted("stopped", result=1, path="run.nc")
    assert (stop.result, stop.path) == (1, "run.nc")
    assert errors.Interrupted("stopped").result is None


def test_messages_are_bounded():
    for long in ("x" * 100_000, "many words " * 10_000):
        for error in (errors.ModelError(f"begins {long} ends"), errors.LinkworkWarning(long),
                      errors.ResultFileError(f"begins {long} ends"),
                      errors.MbdynError(f"begins {long} ends", "deck.mbd", 3, 4)):  # fmt: skip
            assert len(str(error)) < 2000
            assert str(pickle.loads(pickle.dumps(error))) == str(error)
    text = str(errors.ModelError(f"begins {long} ends"))
    assert text.startswith("begins many words") and text.endswith("many words  ends")


def test_modules_import_nothing_heavy():
    files = [Path(errors.__file__), *Path(drives.__file__).parent.glob("*.py")]
    assert len(files) > 5
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        top = {a.name for n in tree.body if isinstance(n, ast.Import) for a in n.names}
        top |= {n.module for n in tree.body if isinstance(n, ast.ImportFrom)}
        known = set(sys.stdlib_module_names) | {"numpy", "linkwork"}
        assert {name.split(".")[0] for name in top} <= known
