"""How the command line speaks: notes, one-sentence errors, and exit codes."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from linkwork.cli import let_command_end
from linkwork.errors import LinkworkError, LinkworkWarning

if TYPE_CHECKING:
    from rich.console import Console


class UsageError(LinkworkError):
    """A command that cannot be meant: exit code 2."""


def console(*, error: bool = False) -> Console:
    """Where to print; sentences are never broken into lines by us."""
    from rich.console import Console

    return Console(stderr=error, soft_wrap=True, highlight=False)


def print_error(text: str) -> None:
    from rich.text import Text

    console(error=True).print(Text(" ".join(text.split()), style="red"))


def print_note(text: str) -> None:
    from rich.text import Text

    console(error=True).print(Text(" ".join(text.split()), style="yellow"))


def spoken(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose errors are one sentence and an exit code."""

    @functools.wraps(command)
    def wrapper(*arguments: Any, debug: bool = False, **options: Any) -> None:
        from linkwork.analysis.motion.ending import ended_by_signals

        try:
            let_command_end()
            with notes(), ended_by_signals():
                command(*arguments, debug=debug, **options)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt as error:  # Interrupted is one, too
            fail(error, str(error) or "interrupted; nothing was saved", 130, debug)
        except UsageError as error:
            fail(error, str(error), 2, debug)
        except LinkworkError as error:
            fail(error, str(error), 1, debug)
        except Exception as error:
            what = f"{type(error).__name__}: {error}".rstrip(": ")
            fail(error, f"linkwork failed unexpectedly, {what}; --debug shows where", 1, debug)

    return wrapper


def fail(error: BaseException, sentence: str, code: int, debug: bool) -> None:
    if debug:
        console(error=True).print_exception(show_locals=False)
    print_error(sentence)
    raise typer.Exit(code) from error


@contextlib.contextmanager
def notes(known: tuple[str, ...] = ()) -> Iterator[None]:
    """Warnings as plain sentences, each once; those `known` are told elsewhere."""
    told = set(known)

    def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in told:
            told.add(text)
            print_note(f"note: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", LinkworkWarning)
        warnings.showwarning = show
        yield
