"""What the commands do with MBDyn input files beyond other models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.cli.reading import is_deck, output_path
from linkwork.cli.speaking import UsageError, console
from linkwork.errors import Interrupted

if TYPE_CHECKING:
    from linkwork.io.mbdyn.deck.deck import Deck
    from linkwork.results.result import Result
    from linkwork.system.initial_conditions.consistent_start import Start


def print_unsupported(path: str) -> None:
    """All cards of a deck that linkwork does not have."""
    from linkwork.io.mbdyn.deck.reader import unsupported_cards

    if not is_deck(path):
        raise UsageError(f"--list-unsupported needs an MBDyn input file .mbd, found '{path}'")
    found = unsupported_cards(path)
    say = console()
    for error in found:
        say.print(str(error), markup=False)
    count = len(found)
    say.print("every card is supported" if not count else
              f"{count} {'card is' if count == 1 else 'cards are'} not supported")  # fmt: skip


def print_notes(deck: Deck) -> None:
    """What the reader has to say, and the cards that are without effect."""
    say = console()
    for note in deck.notes:
        say.print(f"{'note':<11}{note}", markup=False)
    if deck.without_effect:
        say.print(f"{'no effect':<11}{', '.join(deck.without_effect)}", markup=False)


def write_deck(deck: Deck, result: Result, name: str | None) -> None:
    """NAME.mov and its like, where a name is given."""
    if name is not None:
        from linkwork.io.mbdyn.output.results import write_mbdyn

        paths = write_mbdyn(deck, result, Path(name).with_suffix("") if name.endswith(".nc")
                            else name)  # fmt: skip
        console().print(f"{'MBDyn':<11}{', '.join(map(str, paths))}", markup=False)
    print_notes(deck)


def times(deck: Deck, t: float | None, h: float | None) -> tuple[float, float]:
    """Until when and in which steps; what neither the deck nor the command says is an error."""
    from linkwork.io.mbdyn.deck import running

    return running.times(deck, t, h)


def in_its_words(deck: Deck | None) -> AbstractContextManager[None]:
    """What a run fails with, in the words of the deck where there is one."""
    if deck is None:
        return nullcontext()
    from linkwork.io.mbdyn.syntax.wording import words_of_decks

    return words_of_decks(deck.model)


@contextmanager
def written_when_stopped(deck: Deck | None, name: str | None) -> Iterator[None]:
    """MBDyn's files of the steps until Ctrl-C, where -o asks for them."""
    try:
        yield
    except Interrupted as error:
        if deck is not None and name is not None and error.result is not None:
            write_deck(deck, error.result, name)
        raise


def begin(deck: Deck, every: int, equal: bool) -> tuple[Start, int, Any]:
    """The assembled start, which steps to store, and the strategy (none for equal steps)."""
    from linkwork.io.mbdyn.deck import running
    from linkwork.io.mbdyn.problem import steps

    strategy = None if equal else steps.made_strategy(deck.analysis)
    every = running.stored_every(deck) if every == 1 else every
    with in_its_words(deck):
        return running.assembled(deck, deck.model, warn=False), every, strategy


def run_still(
    deck: Deck, name: str | None, save: str | None, t: float | None, h: float | None
) -> None:
    """A deck without integration: equilibria, inverse dynamics, or its first instant alone."""
    from linkwork.io.mbdyn.deck import running

    target = output_path(save)
    result = running.run_still(deck, t=t, h=h)
    say = console()
    a, what = deck.analysis, str(result.info["method"])
    if a.abort_after or a.static:
        what = f"abort after: {a.abort_after}" if a.abort_after else "equilibria"
    say.print(f"{'model':<11}'{deck.model.name}', {what}", markup=False)
    say.print(f"{'time':<11}{result.time[0]:g} to {result.time[-1]:g} s, {len(result)} states",
              markup=False)  # fmt: skip
    if target is not None:
        result.save(target)
        say.print(f"{'written':<11}{target}", markup=False)
    write_deck(deck, result, name)
