"""A survey of random mechanisms by all methods: python -m tests.survey_random COUNT [SEED]

Each is run by every method and judged as docs/hard-motions.md is (docs/hard/runs.py): right,
coarse, warned, refused or silently wrong.  Those that are silently wrong are printed with their
seed, and the search goes on; `random_mechanism(seed).build()` of tests/shared makes one again.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "shared"))

from random_mechanisms import random_mechanism
from survey import Reference, alone, motions_of

from docs.hard.runs import METHODS, judge


def main(count: int = 20, seed: int = 0) -> int:
    found: Counter[str] = Counter()
    silent = []
    for k in range(seed, seed + count):
        mechanism = random_mechanism(k)
        reference = Reference(mechanism)
        if not reference.known:
            found["unknown"] += 1
            for method in alone(mechanism):
                silent.append((mechanism.name, method))
                print(f"{mechanism.name} by {method}: no other method confirms it", flush=True)
            continue
        for motion in motions_of(mechanism, reference):
            for method in METHODS:
                cell = judge(motion, method)
                found[cell.kind] += 1
                if cell.kind == "SILENT":
                    silent.append((motion.name, method))
                    print(f"{motion.name} by {method}: {cell.error:.1e}, {cell.said}", flush=True)
    kinds = ", ".join(f"{kind} {number}" for kind, number in found.most_common())
    print(f"{count} mechanisms: {kinds}; silently wrong: {len(silent)}")
    return len(silent)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])) > 0)
