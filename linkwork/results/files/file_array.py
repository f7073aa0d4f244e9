"""Stored steps that stay in their file: an array over (time, …) that reads what it is asked for.

    motion[:, b]  →  position[:, b], orientation[:, b], … from the file, side by side

Only indices that results use are understood: integers, slices and lists, one for each axis.
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from linkwork.errors import ResultFileError
from linkwork.results.files.memory import share

BLOCK = 16  # a part of the memory: what a calculation over all times reads at once


class StoredSteps:
    """A finished result file, open for reading.

    source : its path, or a temporary file without a name, which goes with the last result that
             reads from it
    """

    def __init__(self, source: Any) -> None:
        import h5py

        self.source, temporary = source, not isinstance(source, (str, os.PathLike))
        self.name = "the temporary file of a run" if temporary else source
        self.file = h5py.File(source, "r")
        if temporary:
            weakref.finalize(self, _close, self.file, source)

    def copy_to(self, file: Any) -> None:
        """The whole file, as it is."""
        named = isinstance(self.source, (str, os.PathLike))
        with open(self.source if named else os.dup(self.source.fileno()), "rb") as stored:
            stored.seek(0)
            shutil.copyfileobj(stored, file, 1 << 20)

    def read(self, name: str, index: tuple) -> np.ndarray:
        try:
            return np.asarray(self.file[name][index])
        except (OSError, KeyError, RuntimeError) as error:
            raise ResultFileError(
                f"cannot read '{self.name}', where a result keeps its steps: {error}; the file was "
                "changed or its disk is gone; load a copy of it or run again"
            ) from error


class FileArray:
    """An array (T, …) in a file; its last axis is made of variables: (name, first, last) each."""

    def __init__(
        self, steps: StoredSteps, parts: Sequence[tuple[str, int, int]], shape: tuple[int, ...]
    ) -> None:
        self.steps, self.parts, self.shape = steps, tuple(parts), shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return 8 * int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> np.ndarray:
        key = key if isinstance(key, tuple) else (key,)
        index = [*key, *[slice(None)] * (self.ndim - len(key))]
        if isinstance(index[0], (int, np.integer)) and index[0] < 0:
            index[0] += self.shape[0]
        *before, wanted = index
        columns = np.arange(self.shape[-1])[wanted]
        low, high = int(np.min(columns, initial=1 << 62)), int(np.max(columns, initial=-1))
        found = [
            self.steps.read(name, (*before, slice(max(low - first, 0), high + 1 - first)))
            for name, first, last in self.parts
            if low < last and high >= first
        ]
        if not found:  # no column is wanted
            return np.zeros(self.shape)[tuple(index)] if self.shape[-1] == 0 else np.zeros(0)
        values = found[0] if len(found) == 1 else np.concatenate(found, axis=-1)
        return np.ascontiguousarray(values[..., columns - low])

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self[:], dtype)


def _close(*files: Any) -> None:
    for file in files:
        file.close()


def blocks(array: Any) -> Iterator[slice]:
    """Slices of the time axis: of all of an array in memory, of few megabytes of one in a file."""
    T = array.shape[0]
    if isinstance(array, FileArray):
        rows = max(1, share(BLOCK) * T // max(array.nbytes, 1))
        yield from (slice(k, k + rows) for k in range(0, T, rows))
    else:
        yield slice(0, T)
