"""The two trees that are compared, and processes that run in them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
THIS = HERE.parents[1]
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def check_out(commit: str, folder: Path) -> Path:
    """The files of a commit in a folder; beside them the shared folder, where there is one."""
    root = folder / "base"
    root.mkdir()
    archive = subprocess.Popen(["git", "archive", commit], cwd=THIS, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(root)], stdin=archive.stdout, check=True)
    if archive.wait():
        raise SystemExit(f"git has no commit {commit!r}; give a commit, tag or branch")
    shared = THIS.parent / "shared"
    if shared.exists():
        (folder / "shared").symlink_to(shared)
    return root


def started(
    root: Path, script: str, *arguments: str, keep: Sequence[int] = (), **variables: str
) -> subprocess.Popen[bytes]:
    """A script of this folder in a process that imports everything else from `root`."""
    places = os.pathsep.join([str(root), str(root / "tests" / "shared")])
    environment = {
        **os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": places, "MPLBACKEND": "Agg",
        "PYTHONWARNINGS": "ignore", **variables,
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments],
        env=environment, cwd=root, pass_fds=keep, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
