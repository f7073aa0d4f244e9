"""The blocks `data`, of the problem and `control data`: what to compute and what to write.

Cards of MBDyn's own solver have no counterpart; they are read, and listed as without effect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwork.errors import MbdynError
from linkwork.io.mbdyn.cards.moving_frame import rigid_body_kinematics
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.problem.eigen import eigenanalysis
from linkwork.io.mbdyn.problem.inverse import InverseProblem, problem_type
from linkwork.io.mbdyn.problem.steps import START, STEPS, weight
from linkwork.io.mbdyn.syntax.arguments import Arguments

Card = Callable[[Arguments], None]
NETCDF_WORDS = ("sync", "no sync", "classic", "classic64", "nc4", "nc4classic")
TURNS = "where the assembly turns a node, its angular velocity turns with it (omega rotates: yes)"
ORIENTATIONS = ("euler123", "euler313", "euler321", "orientation vector", "orientation matrix")


def without_effect(args: Arguments) -> None:
    args.deck.ignore(args.written())
    args.i = len(args.words)


# --------------------------------------------------------------------------------------- data


def problem(args: Arguments) -> None:
    """problem: initial value | inverse dynamics;  multistep is the first one's old name"""
    word = args.keyword("initial value", "multistep", "inverse dynamics")
    if not word:
        args.unsupported(
            f"the problem {args.shown()} is not supported, only initial value and inverse dynamics"
        )
    args.deck.analysis.inverse = InverseProblem() if word == "inverse dynamics" else None


# ------------------------------------------------------------------------------ the problem's block

IGNORED_HERE = (
    "derivatives tolerance", "derivatives max iterations", "derivatives coefficient",
    "dummy steps tolerance", "dummy steps max iterations", "dummy steps ratio",
    "modify residual test", "linear solver", "solver", "nonlinear solver", "threads", "output",
    "output meter", "enforce constraint equations", "newton raphson", "preconditioner",
    "time step tolerance", "real time", "fictitious steps ratio", "fictitious steps tolerance",
    "fictitious steps max iterations", "interface linear solver", "interface solver",
)  # fmt: skip
INITIAL_VALUE: dict[str, Card] = {
    **STEPS, **START, "eigenanalysis": eigenanalysis,
    **dict.fromkeys(IGNORED_HERE, without_effect),
}  # fmt: skip
INVERSE_DYNAMICS: dict[str, Card] = {
    **STEPS, "problem type": problem_type, "method": without_effect,
    **dict.fromkeys(IGNORED_HERE, without_effect),
}  # fmt: skip


# --------------------------------------------------------------------------------- control data


def counter(kind: str) -> Card:
    def card(args: Arguments) -> None:
        alone = not args.statement.colon  # `gravity;` is one
        count = 1 if alone else args.count(f"the number of {kind}", 0)
        args.deck.counts[kind] = (count, args)

    return card


def title(args: Arguments) -> None:
    args.deck.analysis.title = args.string("a title")


def model(args: Arguments) -> None:
    """model: static;"""
    args.one_of(("static",), "a type of model")
    args.deck.analysis.static = True


def default_orientation(args: Arguments) -> None:
    args.deck.analysis.orientation = args.one_of(ORIENTATIONS, "an orientation description")


def output_precision(args: Arguments) -> None:
    args.deck.analysis.precision = args.count("the number of digits")


def output_frequency(args: Arguments) -> None:
    args.deck.analysis.every = args.count("the number of steps")


def output_meter(args: Arguments) -> None:
    args.deck.analysis.meter = read_drive(args)


def output_results(args: Arguments) -> None:
    """output results: netcdf [, classic | nc4 | …] [, [no] sync] [, [no] text];

    NAME.nc is written in any case.
    """
    args.one_of(("netcdf",), "a format of results")
    while word := args.keyword("text", "no text", *NETCDF_WORDS):
        if word in NETCDF_WORDS:
            args.deck.ignore(f"{word} of NetCDF files")
        else:
            args.deck.analysis.text = word == "text"


def default_output(args: Arguments) -> None:
    kinds = {"structural nodes": "node", "joints": "joint", "forces": "force", "couples": "force",
             "genels": "genel"}  # fmt: skip
    others = ("reference frames", "drive callers", "loadable", *COUNTED_NODES, *COUNTED_ELEMENTS)
    silent = args.deck.analysis.silent
    while args.more():
        words = dict.fromkeys(("all", "none", "accelerations", *kinds, *others))
        word = args.one_of(words, "what is written")
        if word == "all":
            silent.clear()
        elif word == "none":
            silent.update(kinds.values())
        elif word == "accelerations":
            args.deck.analysis.accelerations = True
        elif word in kinds:
            silent.discard(kinds[word])


def initial_stiffness(args: Arguments) -> None:
    """initial stiffness: of positions [, of velocities];  weights of nodes in the assembly"""
    first = weight(args, "the stiffness of positions")
    second = weight(args, "the stiffness of velocities") if args.more() else 1.0
    args.deck.analysis.stiffness = (first, second)


def omega_rotates(args: Arguments) -> None:
    if not args.flag("whether angular velocities turn with their nodes"):
        args.deck.note(TURNS)


def skip_assembly(args: Arguments) -> None:
    args.deck.analysis.skip_assembly = True
    args.deck.ignore(args.written())


COUNTED_NODES = ("structural nodes", "abstract nodes", "parameter nodes", "electric nodes",
                 "hydraulic nodes", "thermal nodes")  # fmt: skip
OLDER_NAMES = {"rotors": "induced velocity elements"}
COUNTED_ELEMENTS = (
    "rigid bodies", "joints", "forces", "couples", "gravity", "joint regularizations",
    "automatic structural elements", "beams", "plates", "solids", "surface loads", "genels",
    "electric elements", "electric bulk elements", "hydraulic elements", "thermal elements",
    "aerodynamic elements", "aeromodals", "air properties", "induced velocity elements",
    "bulk elements", "loadable elements", "user defined elements", "output elements",
    "file drivers", "external elements", "inertia",
)  # fmt: skip
IGNORED_THERE = (
    "use", "tolerance", "initial tolerance", "max iterations", "max initial iterations", "print",
    "make restart file", "select timeout", "default scale", "output units",
    "default beam output", "default aerodynamic output", "loadable path",
    "finite difference jacobian meter", "jacobian check", "epsilon", "read solution array",
    "use automatic differentiation", "output frequency meter",
    "initial assembly of deformable and force elements",
)  # fmt: skip
CONTROL_DATA: dict[str, Card] = {
    **{kind: counter(kind) for kind in (*COUNTED_NODES, *COUNTED_ELEMENTS)},
    **{word: counter(kind) for word, kind in OLDER_NAMES.items()},
    "title": title, "model": model, "default orientation": default_orientation,
    "output precision": output_precision, "output frequency": output_frequency,
    "output meter": output_meter, "output results": output_results,
    "default output": default_output, "rigid body kinematics": rigid_body_kinematics,
    "initial stiffness": initial_stiffness, "omega rotates": omega_rotates,
    "skip initial joint assembly": skip_assembly,
    **dict.fromkeys(IGNORED_THERE, without_effect),
}  # fmt: skip


def note_unused(deck: Any) -> None:
    """Cards about steps of integration, where nothing is integrated."""
    a = deck.analysis
    if not a.moves:
        given = {"tolerance": a.residual, "max iterations": a.max_iterations, "method": a.method,
                 "strategy": a.change or a.factor}  # fmt: skip
        for word, value in given.items():
            if value is not None:
                deck.ignore(word)


def check_counts(deck: Any) -> None:
    """What control data announces must follow, no more and no less."""
    kinds = {kind for kind, n in deck.found.items() if n} | set(deck.counts)
    for kind in sorted(kinds):
        announced, args = deck.counts.get(kind, (0, None))
        found = deck.found.get(kind, 0)
        if found == announced or kind in ("inertia", "automatic structural elements"):
            continue
        card = kind if kind == "gravity" else f"{kind}: {found}"
        if args is not None:
            block = "nodes" if kind.endswith("nodes") else "elements"
            do = f"write {card};" if found else "leave the card out"
            if not found and block not in deck.blocks:
                do = f"the block '{block}' is missing: write begin: {block}; … end: {block};"
            args.fail(f"control data announces {announced} {kind}, but {found} follow; {do}", 0)
        place = next(iter(deck.counts.values()), (0, None))[1]
        if place is None:
            raise MbdynError(
                f"no block 'control data' announces the {kind} that follow ({found}); write begin: "
                f"control data; {card}; end: control data; before the nodes", str(deck.path),
            )  # fmt: skip
        place.card = "control data"
        place.fail(f"no card announces the {kind} that follow ({found}); add {card};", 0)
