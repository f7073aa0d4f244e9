"""How much memory results take: LINKWORK_MEMORY in the environment, in megabytes (256).

Steps beyond it stay in a file; files are written and read in blocks that are shares of it, so that
a run needs little more than that, however long it is.  No number of a result depends on it.
"""

from __future__ import annotations

import os

from linkwork.errors import ModelError

USUAL = 256.0  # MB


def kept_in_memory() -> int:
    """Bytes of stored steps from which on they stay in a file."""
    wanted = os.environ.get("LINKWORK_MEMORY", "")
    try:
        size = float(wanted or USUAL)
    except ValueError:
        size = 0.0
    if not 0 < size < 1e12:
        raise ModelError(
            f"LINKWORK_MEMORY must be a number of megabytes above 0, but is {wanted!r}; "
            f"unset it for {USUAL:g}"
        )
    return int(size * 2**20)


def share(part: int) -> int:
    """Bytes of one of so many equal parts."""
    return max(1, kept_in_memory() // part)
