"""Compiled code on disk, found by the digest of what it is made of.

    folder / module.function / digest of its contents - digest of the argument types .code

A file is the checksum of the rest, then numba's serialized code.  It is written under another name
and renamed when whole, so that processes that fill one entry at a time, and such as are killed
meanwhile, leave whole files alone.  Neither names nor contents hold the place of the sources: all
work trees of a user share one folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from numba.core.caching import _Cache as Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from linkwork.math.compiling.contents import Unknown, described_type, digest
from linkwork.math.compiling.undisturbed import undisturbed

CHECKSUM = hashlib.sha256().digest_size
KEPT_VERSIONS = 10  # of one function: work trees and earlier versions that may be used again


class CodeCache(Cache):
    """Of one function: `load_overload` and `save_overload` by the types of its arguments."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self.function, self.options = function, options
        self.counts_references = bool(options.get("_nrt", True))
        self.enabled = True

    @property
    def cache_path(self) -> Any:
        root = cache_folder()
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        return root and root / name.replace("<", "").replace(">", "")

    @functools.cached_property
    def contents(self) -> str | None:
        """None where a constant of the function cannot be told apart from others."""
        try:
            return digest(self.function, self.options)[:32]
        except Unknown:
            return None

    def file(self, signature: Any, context: Any) -> Path | None:
        if not self.enabled or self.cache_path is None or self.contents is None:
            return None
        arguments, returned = normalize_signature(signature)
        kinds = [*map(described_type, arguments), str(returned), *context.codegen().magic_tuple()]
        key = hashlib.sha256("\n".join(map(str, kinds)).encode()).hexdigest()[:32]
        return self.cache_path / f"{self.contents}-{key}.code"

    def is_filled(self) -> bool:
        """Whether code of the function as it is now lies on disk, for any types."""
        place = self.cache_path
        return bool(place and self.contents and any(place.glob(f"{self.contents}-*.code")))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code from disk; None where there is none, or none that is whole.

        Code that counts no references calls nothing of what numba would import first in order to
        compile (tests/mathematics/test_startup.py).
        """
        if self.counts_references:
            context.refresh()
        else:
            rtsys.initialize(context)
        file = self.file(signature, context)
        with undisturbed():
            parts = file and read(file)
            return parts and CompileResult._rebuild(context, *parts)

    def save_overload(self, signature: Any, made: Any) -> None:
        if made.library.has_dynamic_globals or any(not each.can_cache for each in made.lifted):
            return
        file = self.file(signature, made.target_context)
        if file is not None:
            with undisturbed():
                write(file, dumps(made._reduce()))

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        self.enabled = False

    def flush(self) -> None:
        """Nothing waits to be written."""


def read(file: Path) -> Any:
    """The parts of the compiled code in a file; None where it is missing, damaged, or names what
    lies elsewhere in this work tree."""
    try:
        whole = file.read_bytes()
        with contextlib.suppress(OSError):
            os.utime(file)  # files not used for long are the first to go
    except OSError:
        return None
    data = whole[CHECKSUM:]
    if hashlib.sha256(data).digest() != whole[:CHECKSUM]:
        warn_damaged()
        return None
    try:
        return pickle.loads(data)
    except (ImportError, AttributeError):
        return None


def write(file: Path, data: bytes) -> None:
    """All of a file of code, or nothing; a disk that is full costs compiling again, no more."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            try:
                part.write(hashlib.sha256(data).digest() + data)
                part.close()
                os.replace(part.name, file)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(part.name)
                raise
        remove_old(file)
    except OSError:
        return


def remove_old(newest: Path) -> None:
    """Leave the versions of a function that were used last, and no old unfinished parts."""
    used: dict[str, float] = {}
    files = [(each, each.stat().st_mtime) for each in newest.parent.iterdir()]
    for file, time in files:
        version = file.name.partition("-")[0]
        used[version] = max(time, used.get(version, 0.0))
    kept = sorted(used, key=lambda version: used[version])[-KEPT_VERSIONS:]
    for file, _ in files:
        if file.name.partition("-")[0] not in kept:
            with contextlib.suppress(OSError):
                file.unlink()


@functools.cache
def cache_folder() -> Path | None:
    """Where compiled code is kept; None, with a warning, where nothing can be written."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or user_folder() / "linkwork")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError:
        pass
    warnings.warn(
        f"linkwork may not write compiled code to {folder}, so it compiles anew in every process; "
        "set NUMBA_CACHE_DIR to a writable folder to avoid the wait",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def user_folder() -> Path:
    """Where programs of this user keep what can be made anew."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@functools.cache
def warn_damaged() -> None:
    warnings.warn(
        f"compiled code in {cache_folder()} was damaged, and is compiled anew",
        RuntimeWarning,
        stacklevel=2,
    )
