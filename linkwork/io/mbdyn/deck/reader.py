"""Reading an MBDyn input file into a Deck, and its Model.

    begin: data; … end: data;   begin: initial value; …   control data   nodes   elements

Inside a block a card is an entry of the block's table; the cards of `ANYWHERE` may stand in all of
them.  What is not in a table stops the reader (or is collected, to list all of it at once).  What
follows `end: elements;` is not read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from linkwork.errors import MbdynError, UnsupportedCard
from linkwork.io.mbdyn.aero.foils import c81_data
from linkwork.io.mbdyn.cards.elements import COUNTED, ELEMENTS, REFUSED
from linkwork.io.mbdyn.cards.nodes import NODES
from linkwork.io.mbdyn.deck.deck import Deck, MissingNode, in_card
from linkwork.io.mbdyn.drives.callers import drive_caller_card
from linkwork.io.mbdyn.drives.files import DRIVERS, file_of
from linkwork.io.mbdyn.drives.model_functions import add_model_functions
from linkwork.io.mbdyn.drives.scalar_functions import scalar_function_card
from linkwork.io.mbdyn.drives.templates import template_drive_card
from linkwork.io.mbdyn.drives.unused import note_plugin
from linkwork.io.mbdyn.hydraulics.fluids import hydraulic_fluid
from linkwork.io.mbdyn.laws.laws import constitutive_law_card
from linkwork.io.mbdyn.problem.blocks import (
    CONTROL_DATA,
    INITIAL_VALUE,
    INVERSE_DYNAMICS,
    check_counts,
    note_unused,
    problem,
)
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.evaluation import Symbols, environment_of, shown
from linkwork.io.mbdyn.syntax.geometry import reference_card
from linkwork.io.mbdyn.syntax.hints import choices, lost_comma
from linkwork.io.mbdyn.syntax.language import ExpressionError
from linkwork.io.mbdyn.syntax.text import Source, squeeze
from linkwork.math.compiling.undisturbed import without_collection
from linkwork.model.model import Model

Card = Callable[[Arguments], None]
DEEPEST = 30  # files that include files


def read_mbdyn(path: str | os.PathLike) -> Model:
    """The model of an MBDyn input file, ready for every analysis.

    Bodies are named "node 1", joints "joint 1", forces "force 1" after their labels.  A card that
    linkwork does not have is an error (an MbdynError with file, line and column) that says what
    there is near it.

    Example: ``model = lw.read_mbdyn("pendulum.mbd")``
    """
    return read_deck(path).model


def read_deck(
    path: str | os.PathLike, environment: Mapping[str, str] | None = None
) -> Deck:
    """The whole input file: `.model`, how to run it (`.analysis`), nodes and joints by label.

    environment : variables for MBDYNVARS and $NAME in file names (default: those of the process)

    Example: ``deck = lw.read_deck("pendulum.mbd"); deck.analysis.step``
    """
    reader = Reader(Path(path), environment_of(environment))
    with without_collection():
        reader.read()
    return reader.deck


def unsupported_cards(
    path: str | os.PathLike, environment: Mapping[str, str] | None = None
) -> list[UnsupportedCard]:
    """Everything in an input file that linkwork does not have, in the order of the file."""
    reader = Reader(Path(path), environment_of(environment), collect=True)
    reader.read()
    return reader.collected


class Reader:
    """Goes through the statements of a deck and its included files."""

    def __init__(
        self, path: Path, environment: dict[str, str], collect: bool = False
    ) -> None:
        name = path.stem if path.stem and path.stem.isprintable() else "deck"
        self.deck = Deck(path, Model(name), Symbols())
        self.deck.environment = environment
        self.collecting = collect
        self.collected: list[UnsupportedCard] = []
        self.block = ""
        self.opened: list[str] = []
        self.depth = 0
        self.ended = False  # with the elements; what follows is not read
        try:
            self.deck.symbols.take_environment(environment)
        except ExpressionError as error:
            raise MbdynError(f"environment variables of the deck: {error}", str(path)) from None
        add_model_functions(self.deck)

    def read(self) -> None:
        deck = self.deck
        self.read_file(deck.path, str(deck.path))
        if self.block:
            raise MbdynError(f"the block '{self.block}' has no end: {self.block};", str(deck.path))
        if not self.opened:
            raise MbdynError("no block begins in it (begin: data;): it is no MBDyn input file",
                             str(deck.path))  # fmt: skip
        if self.collected:
            return
        deck.blocks = tuple(self.opened)
        check_counts(deck)
        note_unused(deck)
        if not self.collecting:
            deck.build()
            return
        try:
            deck.build()
        except UnsupportedCard as error:
            self.collected.append(error)

    def read_file(self, path: Path, name: str) -> None:
        source = Source.read(path, name)
        for statement in source.statements():
            if statement.name or statement.arguments:
                self.read_statement(Arguments(self.deck, source, statement))
            if self.ended:
                return

    def read_statement(self, args: Arguments) -> None:
        try:
            in_card(args, lambda: self.statement(args))
        except UnsupportedCard as error:
            if not self.collecting:
                raise
            self.collected.append(error)
        except MbdynError as error:
            # what hangs on a card that was not read cannot be read either
            if not self.collecting or not (self.collected or isinstance(error, MissingNode)):
                raise

    # ------------------------------------------------------------------------------ statements
    def statement(self, args: Arguments) -> None:
        name = args.statement.name
        if name == "begin":
            self.begin(args)
        elif name == "end":
            self.end(args)
        elif name in ANYWHERE_KEYS:
            ANYWHERE[ANYWHERE_KEYS[name]](self, args)
        elif not self.block:
            raise self.unknown(args, "outside all blocks", {"begin": None, **ANYWHERE})
        else:
            self.card(args, name)

    def begin(self, args: Arguments) -> None:
        if self.block:
            args.fail(f"the block '{self.block}' is still open; write end: {self.block}; before", 0)
        name = "initial value" if args.keyword(OLD_NAME) else args.entry(BLOCKS, "block")[0]
        args.end()
        if name in self.opened:
            args.fail(f"there was a block '{name}' before; put its cards into that one", 0)
        wanted = "initial value" if self.deck.analysis.inverse is None else "inverse dynamics"
        if name in PROBLEMS and name != wanted:
            if "data" not in self.opened:
                args.fail(f"no block 'data' says that the problem is {name}; write begin: data; "
                          f"problem: {name}; end: data; before", 0)  # fmt: skip
            args.fail(f"the problem of the deck is {wanted}; begin its block, not '{name}'", 0)
        place = list(BLOCKS).index(name)
        if self.opened and list(BLOCKS).index(self.opened[-1]) > place:
            args.fail(f"the block '{name}' must come before '{self.opened[-1]}'", 0)
        self.block = name
        self.opened.append(name)

    def end(self, args: Arguments) -> None:
        if not self.block:
            args.fail(f"no block is open that {args.shown()} could end; leave the card out, or "
                      "begin the block before its first card", 0)  # fmt: skip
        old = self.block == "initial value" and args.key() == OLD_NAME
        if args.more() and args.swallowed(0):
            args.fail(f"expected end: {self.block}, found end: {args.shown()[1:-1]}", 0)
        if args.key() != squeeze(self.block) and not old:
            args.fail(f"the block '{self.block}' is open, but {args.shown()} ends; write end: "
                      f"{self.block};", 0)  # fmt: skip
        self.ended = self.block == "elements"
        self.block = ""

    def card(self, args: Arguments, name: str) -> None:
        keys = BLOCKS[self.block]
        if name not in keys:
            if self.block == "elements" and name in OTHER_ELEMENTS:
                kind = OTHER_ELEMENTS[name]
                if kind:
                    self.deck.count(kind)
            if self.block == "elements" and name in REFUSED_ELEMENTS:
                args.unsupported(REFUSED_ELEMENTS[name], 0)
            raise self.unknown(args, f"of the block '{self.block}'", keys)
        if not args.statement.colon and self.block in ("nodes", "elements"):
            args.fail("expected ':' after the name of the card", 0)
        card = keys[name]
        card(args)
        if self.block not in ("nodes", "elements"):
            args.end()

    def unknown(self, args: Arguments, where: str, table: Mapping[str, Any]) -> MbdynError:
        known = {**NAMES, **ANYWHERE_KEYS}
        there = choices(args.statement.name, {k: str(known.get(k, k)) for k in table})
        what = f"the card {args.written()[:60]!r} {where} is not supported"
        lost = ""
        if not args.statement.colon:
            names = [str(known.get(k, k)) for k in table]
            lost = lost_comma(args.written(), names).replace("a comma", "':'")
        place = args.source.place(args.statement.start)
        error = UnsupportedCard(f"{what}{lost} ({there})", args.source.file, *place)
        error.card = args.written()[:60]  # which the sentence begins with already
        return error

    # -------------------------------------------------------------------------- cards anywhere
    def include(self, args: Arguments) -> None:
        given = args.string("the name of a file")
        args.end()
        path = file_of(args, given)
        self.depth += 1
        if self.depth > DEEPEST:
            args.fail(f"files are included {DEEPEST} deep; does one include itself?", 0)
        if not os.path.isfile(path):  # False also for names that no file can have
            args.fail(f"there is no file '{path}' to include", 0)
        self.read_file(path, str(path))
        self.depth -= 1

    def setenv(self, args: Arguments) -> None:
        overwrite = args.flag("overwrite") if args.keyword("overwrite") else False
        environment = self.deck.environment
        name, equals, value = args.string("NAME=value").partition("=")
        args.end()
        if not equals:
            environment.pop(name, None)
        elif overwrite or name not in environment:
            environment[name] = value

    def set_(self, args: Arguments) -> None:
        args.words = [",".join(args.words)]  # a plugin and function calls have commas
        variables = self.deck.symbols.variables
        known = set(variables) if "[" in args.words[0] else None
        args.value("")
        if known is not None:
            for name in variables.keys() - known:
                if words := variables[name].plugin:
                    note_plugin(args, words)

    def remark(self, args: Arguments) -> None:
        values = [shown(args.value("a remark")) for _ in args.words]
        line, _ = args.source.place(args.statement.start)
        self.deck.note(f"remark, {args.source.file}:{line}: {', '.join(values)}")

    def ignored(self, args: Arguments) -> None:
        self.deck.ignore(args.written())

    def module_load(self, args: Arguments) -> None:
        if any("wheel" in word for word in args.words):  # wheel2, wheel4
            args.unsupported(
                "modules of MBDyn cannot be loaded, and the manuals do not say what its wheels "
                "compute; add a lw.Tyre to the model that lw.read_deck returns", 0,
            )  # fmt: skip
        args.unsupported("modules of MBDyn cannot be loaded", 0)


def card_of(card: Card) -> Callable[[Reader, Arguments], None]:
    return lambda reader, args: card(args)


ANYWHERE: dict[str, Callable[[Reader, Arguments], None]] = {
    "set": Reader.set_, "include": Reader.include, "remark": Reader.remark,
    "setenv": Reader.setenv, "reference": card_of(reference_card),
    "drive caller": card_of(drive_caller_card),
    "template drive caller": card_of(template_drive_card),
    "scalar function": card_of(scalar_function_card),
    "constitutive law": card_of(constitutive_law_card),
    "print symbol table": Reader.ignored, "license": Reader.ignored, "warranty": Reader.ignored,
    "module load": Reader.module_load, "hydraulic fluid": card_of(hydraulic_fluid),
    "c81 data": card_of(c81_data),
}  # fmt: skip
ANYWHERE_KEYS = {squeeze(name): name for name in ANYWHERE}
TABLES: dict[str, dict[str, Card]] = {
    "data": {"problem": problem, "integrator": problem},
    "initial value": INITIAL_VALUE,
    "inverse dynamics": INVERSE_DYNAMICS,
    "control data": CONTROL_DATA,
    "nodes": NODES,
    "drivers": DRIVERS,
    "elements": ELEMENTS,
}
PROBLEMS = ("initial value", "inverse dynamics")
OLD_NAME = "multistep"  # of the block 'initial value'
BLOCKS: dict[str, dict[str, Card]] = {
    block: {squeeze(name): card for name, card in table.items()}
    for block, table in TABLES.items()
}
NAMES = {squeeze(name): name for table in TABLES.values() for name in table}
OTHER_ELEMENTS = {squeeze(name): kind for name, kind in COUNTED.items()}
REFUSED_ELEMENTS = {squeeze(name): reason for name, reason in REFUSED.items()}
