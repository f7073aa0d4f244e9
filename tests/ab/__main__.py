"""Compares the runs of two commits: python -m tests.ab BASE [quick|full|speed] [options]

    quick   hard motions by all methods cut to 300 steps, every registered item, jumps with
            impacts, events and samples, decks: some minutes
    full    whole motions, single steps, resumed and killed runs, the gallery and ../shared/records
    speed   steps and whole runs, in turns with the base; nothing else may run meanwhile

Every number that a run stores is compared to the bit, warnings and errors by their class and words
without numbers.  BASE is a commit; the other side is the work tree as it is.  Both are run now, on
this machine, since compiled code for another processor has other last digits; nothing is kept.
This is a tool for changes that must not change results, not a test.

    --only PATTERN           cases whose name matches, such as 'hard/*/Recursive/*'
    --tolerance 1e-12        numbers may differ by so much of the largest value of their column
    --tolerance outputs=1e-11    the same for numbers whose name begins so; several may be given
    --ignore restart         leave out what begins so: a group of numbers, warnings, error
    --list N                 print so many differing cases (20)
"""

from __future__ import annotations

import argparse
import os
import pickle
import queue
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from checkout import THIS, check_out, started
from comparison import Difference, differences
from record import Record

AHEAD = 8  # records that one side may be ahead of the other


class Side:
    """The records of one commit, in the order of the corpus."""

    def __init__(self, root: Path, extent: str, pattern: str) -> None:
        self.root, self.extent, self.pattern = root, extent, pattern
        self.records: queue.Queue[tuple[str, Record | None]] = queue.Queue(AHEAD)
        threading.Thread(target=self.collect, daemon=True).start()

    def collect(self) -> None:
        """All records; the case in which a process crashes gets an error, the next ones go on."""
        after: str | None = ""
        while after is not None:
            after = self.records_after(after)
        self.records.put(("", None))

    def records_after(self, after: str) -> str | None:
        """Puts the records after a case; the case in which the process ended, None at the end."""
        source, sink = os.pipe()
        process = started(
            self.root, "recorder.py", str(self.root), self.extent, self.pattern, after, str(sink),
            keep=[sink],
        )  # fmt: skip
        os.close(sink)
        name = ""
        with os.fdopen(source, "rb") as stream:
            try:
                while (name := pickle.load(stream)) is not None:
                    self.records.put((name, pickle.load(stream)))
            except (EOFError, pickle.UnpicklingError):
                status = process.wait()
                if not name or name == after:
                    raise SystemExit(f"the corpus could not be run on {self.root}") from None
                self.records.put((name, Record(error=("process ended", str(status)))))
        return name

    def __iter__(self) -> Iterator[tuple[str, Record]]:
        while (each := self.records.get())[1] is not None:
            yield each  # type: ignore[misc]


def compared(
    base: Path, extent: str, pattern: str
) -> Iterator[tuple[str, list[Difference], Record | None]]:
    """Name, differences and what this commit computed, case by case."""
    sides = Side(base, extent, pattern), Side(THIS, extent, pattern)
    early: dict[str, tuple[int, Record]] = {}  # cases that the other side lacks, or has later
    streams = [iter(side) for side in sides]
    waiting = [0, 1]
    while waiting:
        for k in list(waiting):
            name, record = next(streams[k], (None, None))
            if name is None or record is None:
                waiting.remove(k)
            elif name in early:
                _, other = early.pop(name)
                a, b = (other, record) if k == 1 else (record, other)
                yield name, differences(a, b), b
            else:
                early[name] = k, record
    for name, (k, _) in early.items():
        where = ("the base", "this commit")[k]
        yield name, [Difference("case", float("inf"), f"only in {where}")], None


def allowed(found: Difference, tolerances: dict[str, float], ignored: list[str]) -> bool:
    if any(found.what.startswith(prefix) for prefix in ignored):
        return True
    return any(
        found.what.startswith(prefix) and found.error <= bound
        for prefix, bound in tolerances.items()
    )


def as_tolerance(text: str) -> tuple[str, float]:
    prefix, _, number = text.rpartition("=")
    return prefix, float(number)


def compare(options: argparse.Namespace, base: Path) -> int:
    tolerances = dict(as_tolerance(text) for text in options.tolerance)
    count = total = differing = failing = 0
    kinds: Counter[str] = Counter()
    for name, found, record in compared(base, options.extent, options.only):
        count += 1
        if record is not None:
            total += sum(x.size for x in record.arrays.values())
            failing += record.error is not None
        if sys.stderr.isatty():
            print(f"\r{count} cases, {differing} differ   ", end="", file=sys.stderr)
        if left := [d for d in found if not allowed(d, tolerances, options.ignore)]:
            differing += 1
            kinds.update(f"{name.split('/')[0]}: {d.what}" for d in left)
            if differing <= options.list:
                print(f"{name}")
                for each in left[:4]:
                    print(f"    {each.what}: {each.sentence[:300]}")
                if len(left) > 4:
                    print(f"    and {len(left) - 4} more")
    ended = f"{failing} of them end with an error" if failing else "all without errors"
    print(f"{count} cases ({ended}), {total:,} numbers: {differing} cases differ")
    for kind, number in kinds.most_common(30):
        print(f"    {number:5d}  {kind}")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ab", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("base")
    parser.add_argument("extent", nargs="?", default="quick", choices=["quick", "full", "speed"])
    parser.add_argument("--only", default="*")
    parser.add_argument("--tolerance", action="append", default=[])
    parser.add_argument("--ignore", action="append", default=[])
    parser.add_argument("--list", type=int, default=20)
    options = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        base = check_out(options.base, Path(folder))
        if options.extent == "speed":
            from speed import compare_speed

            differing = compare_speed(base, options.only)
        else:
            differing = compare(options, base)
    print(f"{time.perf_counter() - began:.0f} s")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
