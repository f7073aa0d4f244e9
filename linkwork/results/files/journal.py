"""The steps of a run on disk while it goes on: whole pieces, which a killed process leaves behind.

    head       the model, and how it is run                                          once, first
    rows       steps since the last piece: time, motion, acceleration, multipliers   every flush
    restart    the numbers from which the run goes on after them                     every flush

The journal of "run.nc" is "run.nc.part" beside it, or ".run.nc.part" until the start of the run is
whole: what has that name can be gone on with.  Every piece has a checksum, so a piece that was
cut off, and all that follows it, is recognised and left out:

    mark, kind, room, CRC of these | sequence, length, CRC of these and of the contents | contents

Restart numbers would soon outweigh the steps of a large model that stores few of them.  Once they
do, new ones are written over the older of the last two, which have the highest sequences; `room`
is what a piece may take.  Zeros behind the last piece are room that the file system has promised,
as much as the finished file will need.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import ResultFileError
from linkwork.results.files.memory import share

MARK = b"lw-piece"
PLACE = struct.Struct("<8sQQI")  # mark, kind, room, checksum of these
CONTENTS = struct.Struct("<QQI")  # sequence, length, checksum of these and of the contents
SIZE = struct.Struct("<Q")  # of the words before the arrays
BEFORE = PLACE.size + CONTENTS.size  # bytes before the contents of a piece
HEAD, ROWS, RESTART = 1, 2, 3
SPARE = 4  # a part of the memory: restart numbers beyond the steps, before they are overwritten
BLOCK = 32  # a part of the memory: read at once


def part_of(target: Path) -> Path:
    """Where the journal of a result file lies."""
    return target.with_name(target.name + ".part")


# ------------------------------------------------------------------------------------ contents


def pack(words: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[Any]:
    """Words and arrays as buffers, one after the other; nothing is copied."""
    kept = {name: np.ascontiguousarray(a).reshape(np.shape(a)) for name, a in arrays.items()}
    listed = [[name, a.dtype.str, list(a.shape)] for name, a in kept.items()]
    text = json.dumps({"words": words, "arrays": listed}).encode()
    views = [a.reshape(-1).view(np.uint8).data for a in kept.values() if a.size]
    return [SIZE.pack(len(text)), text, *views]


def unpack(data: memoryview) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The words and arrays of a piece."""
    (size,) = SIZE.unpack_from(data)
    place = SIZE.size + size
    told = json.loads(bytes(data[SIZE.size : place]))
    arrays = {}
    for name, kind, shape in told["arrays"]:
        dtype = np.dtype(kind)
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(data, dtype, count, place).reshape(shape)
        place += count * dtype.itemsize
    return told["words"], arrays


# ------------------------------------------------------------------------------------- writing


class Journal:
    """Appends pieces to the journal of a result file, and keeps other runs from it.

    target : the file that the run ends with;   reserve : bytes that its end needs beside the steps
    over   : replace a journal that is there, whose steps the new one begins with
    """

    def __init__(self, target: Path, reserve: int, *, over: bool = False) -> None:
        self.path, self.reserve = part_of(target), reserve
        self.trial = self.path.with_name(f".{self.path.name}")  # until its start is whole
        self.start_is_stored = False  # the start of the run is there
        self.end = self.sequence = 0
        self.row_bytes = self.restart_bytes = 0
        self.slots: list[tuple[int, int]] = []  # place and room of the last two restarts
        self.file = os.open(self.trial, os.O_RDWR | os.O_CREAT, 0o666)
        with self._closed_on_failure():
            if not locked(self.file) or not is_named(self.file, self.trial):
                raise in_use(target)
            if not over and self.path.exists():  # begun since it was looked for
                self.trial.unlink()
                raise in_use(target)
            os.ftruncate(self.file, 0)

    @contextlib.contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            os.close(self.file)
            raise

    def head(self, words: dict[str, Any]) -> None:
        self._append(HEAD, pack(words, {}))

    def rows(self, values: dict[str, np.ndarray]) -> None:
        """Steps: arrays whose first axis is time."""
        buffers = pack({"rows": len(values["time"])}, values)
        self.row_bytes += size_of(buffers)
        self._append(ROWS, buffers)

    def restart(self, words: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """From where the run goes on after the rows so far."""
        buffers = pack(words, arrays)
        size = size_of(buffers)
        if self.restart_bytes + size > self.row_bytes + share(SPARE) and len(self.slots) == 2:
            place, room = self.slots[0]
            if size <= room:
                self._write(place + PLACE.size, self._contents(buffers, size))
                self.slots = [self.slots[1], (place, room)]
                return
        room = size + size // 4  # the next ones may be larger
        self.restart_bytes += room
        self.slots = [*self.slots[-1:], (self.end, room)]
        self._append(RESTART, buffers, room)

    def _append(self, kind: int, buffers: list[Any], room: int | None = None) -> None:
        size = size_of(buffers)
        room = size if room is None else room
        place = PLACE.pack(MARK, kind, room, 0)[: -4]
        head = place + struct.pack("<I", zlib.crc32(place))
        full = None
        try:
            self._grant(self.end + BEFORE + room)
        except OSError as error:
            full = error
        self._write(self.end, [head, *self._contents(buffers, size)])
        self.end += BEFORE + room
        if full is not None:
            raise full

    def _contents(self, buffers: list[Any], size: int) -> list[Any]:
        self.sequence += 1
        head = struct.pack("<QQ", self.sequence, size)
        check = zlib.crc32(head)
        for buffer in buffers:
            check = zlib.crc32(buffer, check)
        return [head + struct.pack("<I", check), *buffers]

    def _write(self, place: int, buffers: list[Any]) -> None:
        for buffer in buffers:
            left = memoryview(buffer)
            while len(left):
                done = os.pwrite(self.file, left, place)
                left, place = left[done:], place + done

    def _grant(self, end: int) -> None:
        """Have the file system promise room for these bytes, for the file that they are joined to,
        and for the pieces that end a run."""
        wanted, size = end + self.row_bytes * 9 // 8 + self.reserve, os.fstat(self.file).st_size
        if wanted > size:
            allocate(self.file, size, wanted)

    def confirm_start(self) -> None:
        """The start of the run is on the disk, and the journal in its place."""
        os.fsync(self.file)
        if not self.start_is_stored:
            os.replace(self.trial, self.path)
            self.trial = self.path
        self.start_is_stored = True

    def release(self) -> None:
        """Give back the room that was promised and not used."""
        os.ftruncate(self.file, self.end)

    def close(self, *, remove: bool) -> None:
        if remove:
            self.trial.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            os.close(self.file)


def size_of(buffers: list[Any]) -> int:
    return sum(memoryview(b).nbytes for b in buffers)


def allocate(file: int, begin: int, end: int) -> None:
    """Have a file grow by bytes that the file system has room for."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, begin, end - begin)
        return
    os.lseek(file, 0, os.SEEK_END)
    for _ in range(begin, end, 1 << 20):
        os.write(file, bytes(1 << 20))


def locked(file: int, *, shared: bool = False) -> bool:
    """Take the lock that a run holds while it lives; false where another has it."""
    try:
        import fcntl
    except ImportError:  # a system without them
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def is_named(file: int, path: Path) -> bool:
    """Whether an open file still has this name: another run may have put it in its place since."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def is_alive(path: Path) -> bool:
    """Whether the run that writes a journal is still going on."""
    with open(path, "rb") as file:
        return not locked(file.fileno(), shared=True)


def in_use(target: Path) -> ResultFileError:
    return ResultFileError(
        f"cannot write '{target}': another run is writing it; give another path, or end that run"
    )


# ------------------------------------------------------------------------------------- reading


class Place(NamedTuple):
    """A piece with the right checksum, and where its contents are."""

    kind: int
    sequence: int
    first: int
    length: int


class Pieces:
    """The pieces of a journal that are whole, up to the last restart that fits them.

    head, restart : words;  numbers : arrays of the restart;  damaged : some pieces are not whole
    alive         : the run that writes it is still going on

    own : written by this process, and not to be checked
    """

    def __init__(self, path: Path, *, own: bool = False) -> None:
        self.path, self.own = path, own
        self.alive, self.damaged = is_alive(path), False
        with open(path, "rb") as file:
            found = list(self._scan(file))
            self.head = next((self._words(file, p) for p in found if p.kind == HEAD), None)
            rows = [p for p in found if p.kind == ROWS]
            counts = np.cumsum([self._words(file, p)["rows"] for p in rows], dtype=int).tolist()
            self.restart: dict[str, Any] = {}
            self.numbers: dict[str, np.ndarray] = {}
            self.rows: list[Place] = []
            for p in sorted((p for p in found if p.kind == RESTART), key=lambda p: -p.sequence):
                words = self._words(file, p)
                if words["rows"] in counts:
                    self.restart, self.numbers = unpack(self._contents(file, p))
                    self.rows = rows[: counts.index(words["rows"]) + 1]
                    break
            self.damaged |= len(self.rows) < len(rows)

    @property
    def begun(self) -> bool:
        """Whether the start of the run is there, to go on from."""
        return self.head is not None and bool(self.restart)

    def blocks(self) -> Iterator[dict[str, np.ndarray]]:
        """The stored steps, piece by piece."""
        with open(self.path, "rb") as file:
            for place in self.rows:
                yield unpack(self._contents(file, place))[1]

    def _scan(self, file: Any) -> Iterator[Place]:
        end = 0
        size = os.fstat(file.fileno()).st_size
        while True:
            file.seek(end)
            head = file.read(BEFORE)
            if len(head) < BEFORE or not any(head):
                self.damaged |= any(head)
                return
            mark, kind, room, check = PLACE.unpack_from(head)
            if mark != MARK or check != zlib.crc32(head[: PLACE.size - 4]):
                self.damaged = True
                return
            sequence, length, check = CONTENTS.unpack_from(head, PLACE.size)
            place = Place(kind, sequence, end + BEFORE, length)
            there = length <= room and end + BEFORE + length <= size
            if there and (self.own or check == checksum(file, place)):
                yield place
            else:
                self.damaged = True
                if kind != RESTART:  # what follows does not follow from what is there
                    return
            end += BEFORE + room

    def _contents(self, file: Any, place: Place) -> memoryview:
        file.seek(place.first)
        return memoryview(file.read(place.length))

    def _words(self, file: Any, place: Place) -> dict[str, Any]:
        file.seek(place.first)
        (size,) = SIZE.unpack(file.read(SIZE.size))
        words: dict[str, Any] = json.loads(file.read(min(size, place.length)))["words"]
        return words


def checksum(file: Any, place: Place) -> int:
    """Of the contents of a piece, read in blocks."""
    found, left = zlib.crc32(struct.pack("<QQ", place.sequence, place.length)), place.length
    file.seek(place.first)
    while left > 0:
        block = file.read(min(left, share(BLOCK)))
        if not block:
            break
        found, left = zlib.crc32(block, found), left - len(block)
    return found
