"""The command line: `linkwork run|static|eigen|info|view MODEL`, `linkwork demo`.

MODEL is a Python file that defines `model` or an MBDyn input file; view takes a result file too.
Errors are one sentence on stderr and an exit code: 1 for what went wrong, 2 for a command that
cannot be meant, 130 after Ctrl-C.  Everything heavy is imported where it is used, so that
`linkwork --help` answers at once.
"""

from linkwork.cli.commands import app, main

__all__ = ["app", "main"]
