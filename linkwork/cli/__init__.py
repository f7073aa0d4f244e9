"""The command line: `linkwork run|static|eigen|inverse|info|view MODEL`, `linkwork new`, `resume`.

MODEL is a Python file that defines `model` or an MBDyn input file; view and info take a result file
too, and resume goes on with one.
Errors are one sentence on stderr and an exit code: 1 for what went wrong, 2 for a command that
cannot be meant, 130 after Ctrl-C.  Everything heavy is imported where it is used, so that
`linkwork --help` answers at once.
"""

import os
import signal
from typing import Any


def main() -> None:
    """Run the command line; Ctrl-C is one sentence from the first moment on."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
    from linkwork.cli.commands import app

    app(prog_name="linkwork")


def end_at_once(number: int, frame: Any) -> None:
    """Ctrl-C until a command begins: modules that are half imported can lose an exception."""
    os.write(2, b"interrupted; nothing was saved\n")
    os._exit(130)


def let_command_end() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt: there may be something to save."""
    if signal.getsignal(signal.SIGINT) is end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def __getattr__(name: str) -> Any:
    if name == "app":
        from linkwork.cli.commands import app

        return app
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = ["app", "main"]
