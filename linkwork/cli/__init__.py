"""The command line: `linkwork run|static|eigen|inverse|info|view MODEL`, `linkwork new`, `resume`.

MODEL is a Python file that defines `model` or an MBDyn input file; view and info take a result file
too, and resume goes on with one.
Errors are one sentence on stderr and an exit code: 1 for what went wrong, 2 for a command that
cannot be meant, 130 after Ctrl-C.  Everything heavy is imported where it is used, so that
`linkwork --help` answers at once.
"""

import sys
from typing import Any


def main() -> None:
    """Run the command line; Ctrl-C is one sentence from the first moment on."""
    try:
        from linkwork.cli.commands import app

        app()
    except KeyboardInterrupt:
        print("interrupted; nothing was saved", file=sys.stderr)
        sys.exit(130)


def __getattr__(name: str) -> Any:
    if name == "app":
        from linkwork.cli.commands import app

        return app
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = ["app", "main"]
