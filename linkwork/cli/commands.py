"""The commands themselves: new, run, resume, static, eigen, inverse, info, view, demo."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import linkwork
from linkwork.cli import decks
from linkwork.cli.reading import output_path, read_model
from linkwork.cli.running import assemble, check_plot, go_on, move, save_plot, with_model
from linkwork.cli.speaking import UsageError, console, notes, spoken
from linkwork.cli.tables import (
    actuator_table,
    mode_table,
    print_info,
    print_run,
    print_table,
    print_versions,
    reaction_table,
)

METHODS = {
    "generalized-alpha": "GeneralizedAlpha",
    "hht": "HHT",
    "newmark": "Newmark",
    "bdf2": "BDF2",
    "implicit-euler": "ImplicitEuler",
    "crank-nicolson": "CrankNicolson",
    "bdf": "BDF",
    "ms2": "MS2",
    "ms3": "MS3",
    "ms4": "MS4",
    "hope": "Hope",
    "ss2": "SS2",
    "ss3": "SS3",
    "ss4": "SS4",
    "bathe": "Bathe",
    "msstc3": "MSSTC3",
    "msstc4": "MSSTC4",
    "msstc5": "MSSTC5",
    "mssth3": "MSSTH3",
    "mssth4": "MSSTH4",
    "mssth5": "MSSTH5",
    "dirk33": "DIRK33",
    "dirk43": "DIRK43",
    "dirk54": "DIRK54",
    "rk4": "RK4",
    "ode": "ODE",
    "energy-momentum": "EnergyMomentum",
    "recursive": "Recursive",
    "moreau": "Moreau",
}
OFFERED = {word: name for word, name in METHODS.items() if name in linkwork.__all__}


def has_rho(word: str) -> bool:
    """Whether the method of this word has a spectral radius to choose."""
    method = getattr(linkwork, OFFERED[word])
    return word != "recursive" and "rho" in inspect.signature(method).parameters


app = typer.Typer(
    name="linkwork", no_args_is_help=True, rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Multibody dynamics of mechanisms. MODEL is a Python file that defines `model`, or an "
    "MBDyn input file .mbd.",
)  # fmt: skip

MODEL_HELP = "a .py file that defines `model`, or an MBDyn input file .mbd"
ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help=MODEL_HELP,
                        autocompletion=lambda incomplete: complete_file(incomplete)),
]  # fmt: skip
Debug = Annotated[bool, typer.Option("--debug", help="show the whole traceback of an error")]
OutputFile = Annotated[
    str | None, typer.Option("--output", "-o", metavar="NAME", help="result file NAME.nc")
]
EndTime = Annotated[float | None, typer.Option("--time", "-t", help="end time, s")]
Step = Annotated[float | None, typer.Option("--step", "-s", help="time step, s")]
Flush = Annotated[
    float, typer.Option(help="seconds of computing, at most, that are lost when it is killed")
]


def complete_method(incomplete: str) -> list[str]:
    return [word for word in OFFERED if word.startswith(incomplete)]


def complete_file(incomplete: str) -> list[str]:
    """Files that a command can read, and folders on the way to them."""
    folder = Path(incomplete).parent
    found = [p for p in folder.glob("*") if p.is_dir() or p.suffix in (".py", ".mbd", ".nc")]
    texts = sorted(f"{p}/" if p.is_dir() else str(p) for p in found)
    return [text for text in texts if text.startswith(incomplete)]


def version(asked: bool) -> None:
    if asked:
        typer.echo(f"linkwork {linkwork.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=version, is_eager=True,
                                          help="print the version")] = False,
) -> None:  # fmt: skip
    pass


@app.command()
@spoken
def run(
    model: ModelFile,
    time: EndTime = None,
    step: Step = None,
    method: Annotated[str | None, typer.Option(
        autocompletion=complete_method,
        help=f"one of {', '.join(OFFERED)}; else MODEL's `method`, or the first of these")] = None,
    rho: Annotated[float | None, typer.Option(
        help="of generalized-alpha: 1 keeps high frequencies, 0 damps them")] = None,
    every: Annotated[int, typer.Option(help="store every so many steps")] = 1,
    tolerance: Annotated[float | None, typer.Option(
        help="control the step by this error; --step is then the first one")] = None,
    output: OutputFile = None,
    save: Annotated[str | None, typer.Option(
        metavar="NAME", help="result file NAME.nc of linkwork, for an .mbd file")] = None,
    flush: Flush = 1.0,
    list_unsupported: Annotated[bool, typer.Option(
        help="of an .mbd file: list all cards that linkwork does not have")] = False,
    plot: Annotated[list[str] | None, typer.Option(
        metavar="NAME.ATTR", help="plot to a .png, such as rod.position; may be repeated")] = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Compute the motion of MODEL; it may define `time`, `step` and `method` as defaults.

    A result file .nc, also of a run that was killed, goes on to --time, in itself or in -o NAME.
    An .mbd file is run as it asks; -o NAME then writes NAME.mov, .jnt, .out, .log, .nc like MBDyn.
    """
    if list_unsupported:
        decks.print_unsupported(model)
        return
    if model.endswith((".nc", ".nc.part")):
        given = {"--step": step, "--method": method, "--rho": rho, "--tolerance": tolerance,
                 "--save": save, "--plot": plot or None}  # fmt: skip
        wrong = [word for word, x in given.items() if x is not None]
        if wrong:
            raise UsageError(
                f"'{model}' goes on as it was run, without {' and '.join(wrong)}; give a model "
                "file for a new run"
            )
        go_on(model, time, output, flush)
        return
    if method is not None and method not in OFFERED:
        raise UsageError(f"there is no method '{method}'; choose one of {', '.join(OFFERED)}")
    if rho is not None and method is not None and not has_rho(method):
        able = ", ".join(word for word in OFFERED if has_rho(word))
        raise UsageError(f"--rho belongs to {able}, but the method is {method}")
    mechanism, defaults = read_model(model)
    deck = defaults.get("deck")
    if deck is not None and not deck.analysis.moves:
        decks.run_still(deck, output, save, time, step)
        return
    if deck is None:
        t, h = (given if given is not None else defaults.get(word)
                for word, given in (("time", time), ("step", step)))  # fmt: skip
    else:
        t, h = decks.times(deck, time, step)
    for word, value, example in (("time", t, "-t 10"), ("step", h, "-s 0.001")):
        if value is None:
            raise UsageError(
                f"give the {word}, for example {example}, or define `{word}` in '{model}'"
            )
    target = output_path(output if deck is None else save)
    picture = None
    if plot:
        from linkwork.results.files.file import check_writable

        picture = (target or Path(Path(model).name)).with_suffix(".png")
        check_writable(picture)
    integrator = defaults.get("method")
    if deck is not None and method is None and rho is None:
        from linkwork.io.mbdyn.deck.running import chosen_method

        integrator = chosen_method(deck)
    if method is not None or rho is not None or integrator is None:
        keywords = {"rho": rho} if rho is not None else {}
        integrator = getattr(linkwork, OFFERED[method or "generalized-alpha"])(**keywords)
    from linkwork.system.initial_conditions.velocities import warn_of_lost_velocities

    strategy = None
    if deck is None:
        assembled = assemble(mechanism)
        warn_of_lost_velocities(assembled.full, assembled.state)
    else:
        equal = step is not None or tolerance is not None
        assembled, every, strategy = decks.begin(deck, every, equal)
    for name in plot or []:
        check_plot(assembled, name)
    with notes(tuple(assembled.redundancy.messages)), decks.in_its_words(deck), \
            decks.written_when_stopped(deck, output):  # fmt: skip
        result = move(
            mechanism, assembled, target, t, h, integrator, every, tolerance, strategy, flush
        )
    if picture is not None:
        save_plot(result, picture, plot or [])
    kept = None if target is not None or deck is None else (
        "" if output is not None else "nothing; -o NAME writes MBDyn's files, --save NAME.nc ours"
    )  # fmt: skip
    changed = "" if strategy is None else " at first, then by the deck's strategy"
    print_run(result, assembled, integrator, tolerance, target, picture, kept, changed)
    if deck is not None:
        decks.write_deck(deck, result, output)


@app.command()
@spoken
def resume(
    result: Annotated[str, typer.Argument(
        metavar="RESULT", help="a result file .nc, also of a run that was killed")],
    time: EndTime = None,
    output: Annotated[str | None, typer.Option(
        "--output", "-o", metavar="NAME", help="write what is new to NAME.nc instead")] = None,
    model: Annotated[str | None, typer.Option(
        metavar="MODEL", help="the model file, where it has Python functions")] = None,
    flush: Flush = 1.0,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Continue a stored run to --time, with the same method, step and digits.

    Without --time it goes to the end that the run was meant to have.
    """
    go_on(result, time, output, flush, None if model is None else read_model(model)[0])


@app.command()
@spoken
def static(model: ModelFile, output: OutputFile = None, debug: Debug = False) -> None:
    """Find the equilibrium of MODEL."""
    mechanism, _ = read_model(model)
    target = output_path(output)
    found = linkwork.static(mechanism)
    say = console()
    say.print(found.report, markup=False)
    if found.result.joints:
        print_table(reaction_table(found.result))
    if target is not None:
        from linkwork.results.result import Result

        state = found.state
        Result(
            found.system, [state.time], state.motion[None], None,
            None if state.gamma is None else state.gamma[None], info={"method": "static"},
            values=state.values[None],
        ).save(target)  # fmt: skip
        say.print(f"written to {target}", markup=False)


@app.command()
@spoken
def eigen(
    model: ModelFile,
    n: Annotated[int, typer.Option("-n", help="how many modes, lowest first")] = 10,
    at: Annotated[Literal["equilibrium", "described"], typer.Option(
        help="about the equilibrium found by statics, or the position described")] = "equilibrium",
    debug: Debug = False,
) -> None:  # fmt: skip
    """Natural frequencies and damping of MODEL."""
    mechanism, _ = read_model(model)
    found = linkwork.static(mechanism) if at == "equilibrium" else None
    modes = linkwork.eigen(mechanism, at=None if found is None else found.state, n=n)
    say = console()
    if found is not None:
        say.print(found.report.splitlines()[0], markup=False)
    if not len(modes):
        say.print("nothing can move: the model has no modes")
        return
    print_table(mode_table(modes))
    say.print("stable" if modes.stable else "unstable: the motion of some mode grows")


@app.command()
@spoken
def inverse(
    model: ModelFile,
    time: EndTime = None,
    step: Step = None,
    actuator: Annotated[list[str] | None, typer.Option(
        metavar="JOINT", help="a joint that carries the forces; may be repeated; without it, the "
                              "driven joints")] = None,
    output: Annotated[str | None, typer.Option(
        "--output", "-o", metavar="NAME", help="forces and torques over time to NAME.csv")] = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Forces and torques that move MODEL as its drives prescribe."""
    from linkwork.results.files.file import check_writable

    mechanism, defaults = read_model(model)
    t, h = (given if given is not None else defaults.get(word)
            for word, given in (("time", time), ("step", step)))  # fmt: skip
    for word, value, example in (("time", t, "-t 10"), ("step", h, "-s 0.01")):
        if value is None:
            raise UsageError(
                f"give the {word}, for example {example}, or define `{word}` in '{model}'"
            )
    target = None if output is None else Path(output).with_suffix(".csv")
    if target is not None:
        check_writable(target)
    assert t is not None and h is not None
    found = linkwork.inverse(mechanism, t, h, actuators=actuator or None)
    say = console()
    say.print(f"'{mechanism.name}': {found.problem}, {found.time[0]:g} to {found.time[-1]:g} s",
              markup=False)  # fmt: skip
    print_table(actuator_table(found))
    if target is not None:
        found.forces.to_dataframe().to_csv(target)
        say.print(f"written to {target}", markup=False)


@app.command()
@spoken
def new(
    name: Annotated[str, typer.Argument(help="of the file NAME.py")] = "pendulum",
    debug: Debug = False,
) -> None:
    """Write a first model, NAME.py, to run, to look at and to edit."""
    from linkwork.cli.first_model import write_first_model

    path = write_first_model(name)
    console().print(
        f"written to {path}; try\n  linkwork info {path}\n  linkwork view {path}\n"
        f"  linkwork run {path} -o {path.stem}\n  linkwork view {path.stem}.nc", markup=False,
    )  # fmt: skip


@app.command()
@spoken
def info(
    model: Annotated[str | None, typer.Argument(
        metavar="[MODEL|RESULT]", autocompletion=complete_file,
        help="a .py file that defines `model`, an .mbd file, or a result file .nc")] = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Items and degrees of freedom of MODEL; of a result file also how it was run.

    Without MODEL the versions alone.
    """
    if model is not None and model.endswith((".nc", ".nc.part")):
        stored = linkwork.load(model)
        console().print(repr(stored), markup=False)
        print_info(assemble(stored.system.model))
    elif model is not None:
        mechanism, defaults = read_model(model)
        print_info(assemble(mechanism))
        if "deck" in defaults:
            decks.print_notes(defaults["deck"])
    print_versions()


@app.command()
@spoken
def demo(
    folder: Annotated[str, typer.Argument(help="where the files go")] = "demo-output",
    debug: Debug = False,
) -> None:
    """A car's suspension from assembly to plots, with explanations."""
    from linkwork.demo import run_demo

    run_demo(folder)


@app.command()
@spoken
def view(
    model: Annotated[str, typer.Argument(
        metavar="MODEL|RESULT", autocompletion=complete_file,
        help="a .py file that defines `model`, or a result file .nc")],
    output: Annotated[str | None, typer.Option(
        "--output", "-o", metavar="NAME",
        help="write a page NAME.html; or a film .mp4, .gif, or a picture .png")] = None,
    port: Annotated[int | None, typer.Option(help="of the page on this machine")] = None,
    of: Annotated[str | None, typer.Option(
        "--model", metavar="MODEL", help="the model file, where it has Python functions")] = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Show a model in its reference configuration, or play a result, in the browser."""
    shown: Any = with_model(model, of) if model.endswith(".nc") else read_model(model)[0]
    if output is None:
        shown.show(port=port, block=True)
        return
    written = (".html", ".htm", ".mp4", ".gif", ".png", ".jpg", ".webp")
    path = Path(output if Path(output).suffix.lower() in written else f"{output}.html")
    (shown.picture if path.suffix.lower() in (".png", ".jpg", ".webp") else shown.animate)(path)
    console().print(f"written to {path}", markup=False)
