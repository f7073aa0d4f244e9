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

CHECKSUM = hashlib.sha256().digest_size
KEPT_VERSIONS = 10  # of one function: work trees and earlier versions that may be used again


def folder_of(function: Any) -> Path | None:
    """Where code of a function lies, for all its versions and types of arguments."""
    root = cache_folder()
    name = f"{function.__module__}.{function.__qualname__}"
    return root and root / name.replace("<", "").replace(">", "")


def file_in(folder: Path, contents: str, kinds: list[Any]) -> Path:
    """The file of one version (the digest of its contents) for one signature and processor."""
    key = hashlib.sha256("\n".join(map(str, kinds)).encode()).hexdigest()[:32]
    return folder / f"{contents}-{key}.code"


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
