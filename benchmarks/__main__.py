"""`make bench`: everything that is said about speed, measured in one go on one machine.

    python -m benchmarks             five repetitions; writes docs/speed.md and its picture
    python -m benchmarks --quick     one repetition and fewer sizes; writes nothing
    python -m benchmarks --docs F    writes to the folder F instead
    python -m benchmarks --only trees    measures one section of the page again
    python -m benchmarks --only core     measures all but those sections, which stay as they are

linkwork and the others (Exudyn, pinocchio, MuJoCo and Drake, installed from PyPI into .venv-peers)
run in turns, each in processes of its own with one thread.  No time is printed before the programs
have given the same answer.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.comparison import compare
from benchmarks.inside import inside
from benchmarks.pages.speed_page import Measured, write_page
from benchmarks.processes import ROOT, install, version
from benchmarks.sections import SECTIONS, renew
from benchmarks.squeezer import squeezer

CORE = "core"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="speed of linkwork")
    parser.add_argument("--quick", action="store_true", help="one repetition, nothing written")
    parser.add_argument("--docs", type=Path, help="folder to write speed.md to, instead of docs")
    parser.add_argument("--only", choices=[*SECTIONS, CORE], help="measure one part again")
    said = parser.parse_args()
    quick, docs = said.quick, said.docs
    if docs is None and not quick:
        docs = ROOT / "docs"
    runs = 1 if quick else 5
    alone = said.only in SECTIONS
    if alone and quick:
        SECTIONS[said.only].measure(runs, quick)
        return
    if alone:
        renew(docs, said.only, runs)
        print(f"renewed: {SECTIONS[said.only].heading} in {docs / 'speed.md'}")
        return
    begin = time.perf_counter()
    missing = install("exudyn", "exudyn")
    exudyn = version("exudyn")
    print(f"{missing}: linkwork alone\n" if missing else f"Exudyn {exudyn}\n", flush=True)
    tasks = compare(runs, exudyn=missing is None)
    crank = squeezer(runs, exudyn=missing is None)
    wanted = {} if said.only == CORE else SECTIONS
    more = {name: section.measure(runs, quick) for name, section in wanted.items()}
    own = inside(1 if quick else 3)
    seconds = time.perf_counter() - begin
    print(f"\nmeasured in {seconds:.0f} s")
    if docs is None:
        return
    if missing:
        raise SystemExit(f"{missing}. The page stays as it was.")
    wrong = [task.title for task in tasks if not task.settings or not task.agrees]
    if wrong or len(crank.times) < 3:
        raise SystemExit(f"Some answers differ: {wrong}. The page stays as it was.")
    measured = Measured(exudyn, runs, tasks, crank, own, more)
    write_page(docs, measured)
    print(f"written: {docs / 'speed.md'} and its pictures")


if __name__ == "__main__":
    main()
