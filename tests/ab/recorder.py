"""One side of a comparison: runs the corpus on the commit whose folder it is given.

    python recorder.py ROOT EXTENT PATTERN AFTER DESCRIPTOR

The corpus stands beside this file; linkwork, its mechanisms and tests/shared are those of ROOT.
The file descriptor gets the name of every case before it is run, and its record afterwards, so
that the name of a case in which the process crashes is known.
"""

from __future__ import annotations

import fnmatch
import os
import pickle
import sys
from pathlib import Path
from typing import Any


def main(root: str, extent: str, pattern: str, after: str, descriptor: str) -> None:
    from corpus import corpus
    from record import recorded

    with os.fdopen(int(descriptor), "wb") as out:

        def send(message: Any) -> None:
            pickle.dump(message, out, pickle.HIGHEST_PROTOCOL)
            out.flush()

        waiting = bool(after)
        for name, case in corpus(extent, Path(root)):
            if waiting:
                waiting = name != after
            elif fnmatch.fnmatch(name, pattern):
                send(name)
                send(recorded(case))
        send(None)


if __name__ == "__main__":
    main(*sys.argv[1:])
