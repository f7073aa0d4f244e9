"""Drive callers: functions of time, or of another drive's value, from their cards.

A card is read into a law, which makes the drive once its argument is known (the time, or an inner
drive) and the whole file has been read: strings see the values that variables have at the end.
Adding a drive caller is one function and its entry in `DRIVES` (or in `PLAIN`, where it depends on
no other drive).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from linkwork.errors import LinkworkError, MbdynError
from linkwork.io.mbdyn.drives.plain import (
    PLAIN,
    TAU,
    TIME,
    Law,
    after,
    constant,
    of,
    ordered,
    run_step,
    total,
    until,
)
from linkwork.io.mbdyn.drives.readings import (
    AERODYNAMIC,
    BEAM_ORDER,
    BEAMS,
    INDEX,
    ROTORS,
    element_datum,
    model_function,
    node_datum,
    plugin,
    previous,
)
from linkwork.io.mbdyn.drives.unused import noted_use
from linkwork.io.mbdyn.scalars.dofs import read_dof
from linkwork.io.mbdyn.scalars.nodes import KINDS
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.formula import Translator
from linkwork.io.mbdyn.syntax.language import ExpressionError, parse
from linkwork.io.mbdyn.syntax.text import squeeze
from linkwork.model.drives import (
    Chain,
    Derivative,
    DiscreteFilter,
    Drive,
    Expression,
    Formula,
    Periodic,
    Piecewise,
    Polynomial,
    SampleAndHold,
    Sine,
    Switch,
    expression,
    formula,
)

# --------------------------------------------------------------------------- one card, one law


def read_law(args: Arguments) -> Law:
    """A drive caller: `reference, label`, a type and its arguments, or a number."""
    if args.keyword("reference"):
        i = args.i
        label = args.label("the label of a drive caller")
        if label not in args.deck.drives:
            args.fail(f"there is no drive caller {label}; define it with drive caller: before", i)
        return args.deck.drives[label]
    key = args.key()
    if key in KEYS:
        name = KEYS[key]
        args.i += 1
        return DRIVES[name](args)
    if args.is_word():
        args.entry(DRIVES, "drive")  # says what there is
    return of(constant(args.real("a drive")))


def read_drive(args: Arguments) -> Callable[[], Drive]:
    """A drive of time, made when asked; what is wrong with it names the card."""
    i, law = args.i, read_law(args)
    return lambda: made(args, law, i)


def made(args: Arguments, law: Law, i: int) -> Drive:
    try:
        return law(TIME)
    except MbdynError:
        raise
    except LinkworkError as error:
        raise args.translated(error, i) from None


def frequency_sweep(args: Arguments) -> Law:
    """frequency sweep, t₀, ω(t), A(t), y₀, t₁ | forever, y₁:  y₀ + A sin(ω (t − t₀))"""
    t0 = args.real("the initial time of frequency sweep")
    omega, amplitude = read_law(args), read_law(args)
    y0, t1 = args.real("the initial value of frequency sweep"), until(args)
    y1 = args.real("the final value of frequency sweep")

    def law(x: Drive) -> Drive:
        angle = omega(TIME) * Polynomial((-t0, 1.0))
        wave = total(constant(y0), amplitude(TIME) * Chain(Sine(1.0, 1 / TAU), angle))
        if t1 is None:
            swept = Piecewise((t0,), (constant(y0), wave))
        else:
            ordered(args, t0, t1)
            swept = Piecewise((t0, after(t1)), (constant(y0), wave, constant(y1)))
        return of(swept)(x)

    return law


def periodic(args: Arguments) -> Law:
    """periodic, t₀, T, drive"""
    t0, period, law = *args.reals(2, "a parameter of periodic"), read_law(args)
    return lambda x: of(Periodic(law(TIME), t0, period))(x)


def mult(args: Arguments) -> Law:
    a, b = read_law(args), read_law(args)
    return lambda x: a(x) * b(x)


def array(args: Arguments) -> Law:
    laws = [read_law(args) for _ in range(args.count("the number of drives"))]
    return lambda x: total(*(law(x) for law in laws))


def drive(args: Arguments) -> Law:
    """drive, f, g:  f(g(t))"""
    outer, inner = read_law(args), read_law(args)
    return lambda x: outer(inner(x))


def postponed(args: Arguments) -> Law:
    i = args.i
    label = args.label("the label of a drive caller")

    def law(x: Drive) -> Drive:
        if label not in args.deck.drives:
            args.fail(f"the drive caller {label} that was postponed is defined nowhere", i)
        return args.deck.drives[label](x)

    return law


def string(args: Arguments) -> Law:
    """string, "expression of Time and Var" """
    i = args.i
    text = args.string("the expression of a string drive")
    try:
        tree = settled(parse(text), args.deck.symbols)
    except ExpressionError as error:
        args.fail(f"string drive: {error}", i)

    def law(x: Drive) -> Drive:
        look = functools.partial(look_up, args.deck)
        translator = Translator(args.deck.symbols, "t" if x is TIME else "x", look)
        if x is not TIME:
            translator.known["x"] = x
        translator.count_steps(args.deck.analysis)
        try:
            part = translator.part(tree)
        except ExpressionError as error:
            args.refuse(error, i, "string drive: ")
        except RecursionError:
            args.fail("string drive: the expression is nested too deeply", i)
        if part.constant:
            return constant(float(part.value))
        if len(translator.known) > (x is not TIME):
            return formula(part.text, **translator.known)
        return Expression(part.text) if x is TIME else Formula(part.text, x)

    return law


def settled(tree: Any, symbols: Any) -> Any:
    """The tree with values in place of real_eval(…) and the like: those of this moment."""
    if not isinstance(tree, tuple):
        return tree
    if tree[:1] == ("call",) and str(tree[1]).endswith("_eval"):
        return ("value", symbols.evaluate(tree))
    return tuple(settled(part, symbols) for part in tree)


def look_up(deck: Any, kind: str, *words: Any) -> Drive | None:
    """What a name or a function of an expression stands for while the model moves."""
    if kind == "plugin":
        return plugin(deck, words)
    name, translator, parts = words
    called = [part.constant for part in parts]
    if name in ("drive", "drivep") and called in ([True], [True, False]):
        at = TIME if len(parts) == 1 else translator.drive(parts[1])
        return named_drive(deck, name, parts[0].value, TIME if at == TIME else at)
    if name.startswith("sf::") and len(parts) in (1, 2) and not parts[0].constant:
        return named_function(deck, name[4:], parts[1:], translator.drive(parts[0]))
    if not all(part.constant for part in parts):
        return None
    values = [part.value for part in parts]
    for prefix, datum in (("node::", node_datum), ("element::", element_datum)):
        if name.startswith(prefix) and len(values) == 2:
            return datum(deck, name.removeprefix(prefix), values[0], str(values[1]))
    if name.endswith("_prev"):
        found = model_function(deck, name.removesuffix("_prev"), values)
        return found and previous(deck, found, f"model::{name}")
    return model_function(deck, name, values)


def named_drive(deck: Any, name: str, label: Any, x: Drive) -> Drive:
    """model::drive(label, x), or drivep: its derivative by x."""
    if label not in deck.drives:
        raise ExpressionError(f"there is no drive caller {label}")
    if name == "drive":
        return deck.drives[label](x)
    found = deck.drives[label](TIME)
    if x is not TIME and isinstance(found, (Expression, Formula)):  # what of it is Time, what Var?
        raise ExpressionError(f"drive caller {label} is a string, with a derivative by Time only")
    return Derivative(found) if x is TIME else Chain(Derivative(found), x)


def named_function(deck: Any, name: str, order: Any, x: Drive) -> Drive:
    """model::sf::name(x), or its derivative of the order 1 or 2."""
    if name not in deck.functions:
        raise ExpressionError(f"there is no scalar function '{name}'; define it before")
    f, times = deck.functions[name], order[0].value if order else 0
    if times not in (0, 1, 2):
        raise ExpressionError(f"the order of a derivative is a constant, 0, 1 or 2, found {times}")
    for _ in range(times):
        f = Derivative(f)
    return Chain(f, x)


def dof(args: Arguments) -> Law:
    """dof, degree of freedom, drive of its value"""
    i, end = args.i, read_dof(args, hydraulic=True)
    law = read_law(args)
    return lambda x: law(in_place(args, i, end.read))


def datum(kind: str, read: Callable[..., Drive]) -> Callable[[Arguments], Law]:
    """node | element, label, type, string, "name" | index, number, drive of its value"""

    def card(args: Arguments) -> Law:
        i = args.i
        label = args.label(f"the label of a {kind}")
        what = args.key()
        if kind == "node":
            args.one_of(NODE_KINDS, "a kind of node")
        else:
            element_kind(args)
        name = ""
        if args.keyword("string", "name"):
            name = args.string("the name of a datum")
        elif args.keyword("index"):
            name = named_by_index(args, kind, what)
        law = read_law(args)
        return lambda x: law(in_place(args, i, lambda: read(args.deck, what, label, name)))

    return card


def element_kind(args: Arguments) -> str:
    """The kind of an element whose datum is asked for, as keywords are compared."""
    from linkwork.io.mbdyn.cards.elements import COUNTED, ELEMENTS

    names = {**ELEMENTS, **COUNTED, **dict.fromkeys(AERODYNAMIC), **dict.fromkeys(ROTORS)}
    found = args.key()
    if found not in map(squeeze, names):
        kinds = sorted(name for name in ELEMENTS if name not in NO_DATA)
        args.fail(f"expected a kind of element, one of {', '.join(kinds)}, found {args.shown()}")
    args.i += 1
    return found


def named_by_index(args: Arguments, kind: str, what: str) -> str:
    i = args.i
    index = args.integer("the index of a datum")
    scalar = ["x"] if what == "parameter" else ["x", "xP"] if what in (*KINDS, "hydraulic") else []
    known = INDEX if what == "structural" else scalar
    if kind == "element" and what in BEAMS and 1 <= index <= 54:
        return beam_name(what, index)
    if kind != "node" or not 1 <= index <= len(known):
        args.unsupported("data are read by their names here: string, \"name\"", i)
    return known[index - 1]


def beam_name(what: str, index: int) -> str:
    """The datum of a beam by its number: 27 of each point."""
    point, number = divmod(index - 1, 27)
    prefix = "" if what not in ("beam", "beam3") else ("pI.", "pII.")[point]
    return f"{prefix}{BEAM_ORDER[number // 3]}{'xyz'[number % 3]}"


def in_place(args: Arguments, i: int, make: Callable[[], Drive]) -> Drive:
    try:
        return make()
    except ExpressionError as error:
        args.refuse(error, i)


def ginac(args: Arguments) -> Law:
    """ginac, [symbol, "x",] "formula of x" """
    import re

    name = args.string("a symbol") if args.keyword("symbol") else "Var"
    i, text = args.i, args.string("the expression of a ginac drive")
    if not name.isidentifier():
        args.fail(f"'{name}' is no symbol", i - 1)
    written = re.sub(rf"\b{name}\b", "t", text)
    return lambda x: of(made(args, lambda _: expression(written), i))(x)


def sample_and_hold(args: Arguments) -> Law:
    """sample and hold, f, trigger [, initial value, y₀]"""
    f, trigger = read_law(args), read_law(args)
    value = args.real("the initial value") if args.keyword("initial value") else None
    h, begin = run_step(args), args.deck.analysis.initial_time
    return lambda x: of(SampleAndHold(f(TIME), trigger(TIME), h, begin, value))(x)


def discrete_filter(args: Arguments) -> Law:
    """discrete filter, n_a, a₁, …, b₀, n_b, b₁, …, input"""
    a = args.reals(args.count("the number of coefficients a", 0), "a coefficient")
    b = [args.real("the coefficient b_0")]
    b += args.reals(args.count("the number of coefficients b", 0), "a coefficient")
    u, h, begin = read_law(args), run_step(args), args.deck.analysis.initial_time
    return lambda x: of(DiscreteFilter(u(TIME), tuple(a), tuple(b), h, begin))(x)


def initial_status(args: Arguments) -> bool:
    """[initial status, inactive | active | status,]"""
    if not args.keyword("initial status"):
        return False
    word = args.keyword("inactive", "active")
    return word == "active" if word else args.flag("the initial status")


def bistop(args: Arguments) -> Law:
    """bistop, [initial status, …,] activating drive, deactivating drive:  1 while active, else 0"""
    active, on, off = initial_status(args), read_law(args), read_law(args)
    h, begin = run_step(args), args.deck.analysis.initial_time
    return lambda x: of(Switch(on(TIME), off(TIME), h, begin, active))(x)


DRIVES: dict[str, Callable[[Arguments], Law]] = {
    **PLAIN, "array": array, "bistop": bistop, "discrete filter": discrete_filter, "drive": drive,
    "frequency sweep": frequency_sweep, "ginac": ginac, "mult": mult, "periodic": periodic,
    "postponed": postponed, "sample and hold": sample_and_hold, "string": string,
    "dof": dof, "element": datum("element", element_datum), "node": datum("node", node_datum),
}  # fmt: skip
NO_DATA = ("bind", "driven", "output")  # cards among elements that are none
NODE_KINDS = ("structural", *KINDS, "hydraulic")
KEYS = {name.replace(" ", ""): name for name in DRIVES}


# ------------------------------------------------------------------------------------- cards


def drive_caller_card(args: Arguments) -> None:
    """drive caller: label, [name, "…",] drive [, output, …];"""
    label = args.label("the label of a drive caller")
    args.card = f"drive caller {label}"
    if label in args.deck.drives:
        args.fail(f"there is a drive caller {label} already; give it another label", 0)
    if args.keyword("name"):
        args.string("a name")
    args.deck.drives[label] = noted_use(args, read_law(args))
    drive_output(args, "drive callers")
    args.end()


def drive_output(args: Arguments, kind: str) -> None:
    """[, output [, value, yes | no] [, derivative, yes | no]], or output, yes | no; not written"""
    while word := args.keyword("output", "output trace"):
        asked = []
        while part := args.keyword("value", "derivative"):
            asked.append(args.flag(f"whether the {part} is written"))
        if any(asked or [args.flag("whether it is written")]):
            args.deck.ignore(f"{word} of {kind}")
