"""The command line: `linkwork run|static|eigen|info MODEL`, `linkwork demo`.

MODEL is a Python file that defines `model`.  Errors are one sentence on stderr and an exit code:
1 for what went wrong, 2 for a command that cannot be meant, 130 after Ctrl-C.  Everything heavy is
imported where it is used, so that `linkwork --help` answers at once.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import linkwork
from linkwork.errors import ConvergenceError, Interrupted, LinkworkError, LinkworkWarning

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from linkwork.analysis.assembly.assemble import Assembled
    from linkwork.model.model import Model
    from linkwork.results.result import Result

METHODS = {
    "generalized-alpha": "GeneralizedAlpha",
    "hht": "HHT",
    "newmark": "Newmark",
    "bdf2": "BDF2",
    "rk4": "RK4",
    "ode": "ODE",
}
OFFERED = {word: name for word, name in METHODS.items() if name in linkwork.__all__}

app = typer.Typer(
    name="linkwork", no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Multibody dynamics of mechanisms. MODEL is a Python file that defines `model`.",
)  # fmt: skip

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="a .py file that defines `model`")]
Debug = Annotated[bool, typer.Option("--debug", help="show the whole traceback of an error")]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="NAME", help="result file NAME.nc")
]


class UsageError(LinkworkError):
    """A command that cannot be meant: exit code 2."""


# ------------------------------------------------------------------------------------- speaking


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
        try:
            with notes():
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


# --------------------------------------------------------------------------------- reading models


def read_model(path: str) -> tuple[Model, dict[str, float]]:
    """The model of a file, and the numbers `time` and `step` where it defines them."""
    from linkwork.model.model import Model

    file = Path(path)
    if file.suffix == ".mbd":
        raise UsageError(
            f"'{path}' is an MBDyn input file, and the MBDyn reader is not part of this version; "
            "describe the mechanism in a .py file that defines `model`"
        )
    if not file.exists():
        raise LinkworkError(f"there is no model file '{path}'; give the path of a .py file")
    if file.is_dir() or file.suffix != ".py":
        raise LinkworkError(f"'{path}' is not a .py file; give a Python file that defines `model`")
    names = execute(file)
    if "model" not in names:
        raise LinkworkError(
            f"'{path}' defines no `model`; write for example model = lw.Model(\"pendulum\")"
        )
    model = names["model"]
    if not isinstance(model, Model):
        raise LinkworkError(
            f"`model` in '{path}' must be a linkwork Model, but is of type {type(model).__name__}"
        )
    return model, {
        word: float(names[word]) for word in ("time", "step")
        if isinstance(names.get(word), (int, float)) and not isinstance(names[word], bool)
    }  # fmt: skip


def execute(file: Path) -> dict[str, Any]:
    """Run a model file with its folder on sys.path; what it raises becomes one sentence."""
    import importlib.util

    sys.path.insert(0, str(file.resolve().parent))
    spec = importlib.util.spec_from_file_location("linkwork_model", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except SyntaxError as error:
        raise LinkworkError(
            f"'{error.filename}', line {error.lineno}, is not Python: {error.msg}"
        ) from error
    except LinkworkError as error:
        raise LinkworkError(f"'{file}'{line_of(error, file)}: {error}") from error
    except BaseException as error:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise LinkworkError(f"'{file}' raised{line_of(error, file)} {what}") from error
    return vars(module)


def line_of(error: BaseException, file: Path) -> str:
    """Where in the model file it happened."""
    import traceback

    here = str(file.resolve())
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__)
             if str(Path(f.filename).resolve()) == here]  # fmt: skip
    return f", line {lines[-1]}," if lines else ""


def output_path(name: str | None) -> Path | None:
    """The result file that -o names, known to be writable."""
    from linkwork.results.file import check_writable

    if name is None:
        return None
    path = Path(name if name.endswith(".nc") else f"{name}.nc")
    check_writable(path)
    return path


# -------------------------------------------------------------------------------------- commands


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
    time: Annotated[float | None, typer.Option("--time", "-t", help="end time, s")] = None,
    step: Annotated[float | None, typer.Option("--step", "-s", help="time step, s")] = None,
    method: Annotated[str, typer.Option(help="one of " + ", ".join(OFFERED))] = "generalized-alpha",
    rho: Annotated[float | None, typer.Option(
        help="of generalized-alpha: 1 keeps high frequencies, 0 damps them")] = None,
    every: Annotated[int, typer.Option(help="store every so many steps")] = 1,
    tolerance: Annotated[float | None, typer.Option(
        help="control the step by this error; --step is then the first one")] = None,
    output: Output = None,
    plot: Annotated[list[str] | None, typer.Option(
        metavar="NAME.ATTR", help="plot to a .png, such as rod.position; may be repeated")] = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Move MODEL through time; MODEL may define `time` and `step` as defaults."""
    if method not in OFFERED:
        raise UsageError(f"there is no method '{method}'; choose one of {', '.join(OFFERED)}")
    if rho is not None and method != "generalized-alpha":
        raise UsageError(f"--rho belongs to generalized-alpha, but the method is {method}")
    mechanism, defaults = read_model(model)
    t, h = (given if given is not None else defaults.get(word)
            for word, given in (("time", time), ("step", step)))  # fmt: skip
    for word, value, example in (("time", t, "-t 10"), ("step", h, "-s 0.001")):
        if value is None:
            raise UsageError(
                f"give the {word}, for example {example}, or define `{word}` in '{model}'"
            )
    target = output_path(output)
    picture = None
    if plot:
        from linkwork.results.file import check_writable

        picture = (target or Path(Path(model).name)).with_suffix(".png")
        check_writable(picture)
    keywords = {"rho": rho} if rho is not None else {}
    integrator = getattr(linkwork, OFFERED[method])(**keywords)
    assembled = assemble(mechanism)
    for name in plot or []:
        check_plot(assembled, name)
    with notes(tuple(assembled.redundancy.messages)):
        result = move(mechanism, assembled, target, t, h, integrator, every, tolerance)
    if target is not None:
        result.save(target)
    if picture is not None:
        save_plot(result, picture, plot or [])
    print_run(result, assembled, integrator, tolerance, target, picture)


def assemble(model: Model) -> Assembled:
    from linkwork.analysis.assembly.assemble import assemble_model

    return assemble_model(model, warn=False)


def move(
    model: Model, assembled: Assembled, target: Path | None, t: Any, h: Any, method: Any,
    every: int, tolerance: float | None,
) -> Result:  # fmt: skip
    """Run; whatever stops it, what was computed until then is kept where the user can find it."""
    try:
        return linkwork.transient(
            model, t, h, method, start=assembled.state, every=every, tolerance=tolerance
        )
    except Interrupted as error:
        if error.path is None and target is not None and error.result is not None:
            error.result.save(target)
            raise KeyboardInterrupt(
                f"interrupted at t = {error.result.time[-1]:.6g} of {t:g}; the results until there "
                f"are saved to '{target}'"
            ) from None
        raise
    except ConvergenceError as error:
        sentence = str(error).partition("; the results until")[0]  # an attribute means nothing here
        if target is not None and error.result is not None:
            error.result.save(target)
            sentence += f"; the results until t = {error.result.time[-1]:.6g} are in '{target}'"
        raise ConvergenceError(sentence, time=error.time) from error


def check_plot(assembled: Assembled, name: str) -> None:
    """Finds a wrong name before the run rather than after it."""
    from linkwork.results.plots import WHOLE, find
    from linkwork.results.result import Result

    if name.split(".")[0] not in WHOLE:
        state = assembled.state
        find(Result(assembled.full, [state.time], state.motion[None]), name)


def save_plot(result: Result, path: Path, names: list[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    figure = np.atleast_1d(result.plot(*names))[0].figure
    figure.savefig(path, dpi=150)
    plt.close(figure)


@app.command()
@spoken
def static(model: ModelFile, output: Output = None, debug: Debug = False) -> None:
    """Find a position of MODEL in which all forces balance."""
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
def info(
    model: Annotated[str | None, typer.Argument(
        metavar="[MODEL]", help="a .py file that defines `model`")] = None,
    debug: Debug = False,
) -> None:  # fmt: skip
    """What MODEL consists of, its degrees of freedom; without MODEL the versions alone."""
    if model is not None:
        mechanism, _ = read_model(model)
        print_info(mechanism, assemble(mechanism))
    print_versions()


@app.command()
@spoken
def demo(
    folder: Annotated[str, typer.Argument(help="where the files go")] = "demo-output",
    debug: Debug = False,
) -> None:
    """A car's suspension from assembly to plot, explained on the way."""
    from linkwork.demo import run_demo

    run_demo(folder)


@app.command()
@spoken
def view(
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]")] = None, debug: Debug = False
) -> None:
    """Not there yet: the viewer comes in a later version."""
    raise UsageError(
        "the viewer is not part of this version; plot with linkwork run MODEL --plot NAME.ATTR"
    )


# ----------------------------------------------------------------------------------- what is said


def plain_table(*columns: tuple[str, str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, side in columns:
        table.add_column(name, justify=side, no_wrap=True)  # type: ignore[arg-type]
    return table


def print_table(table: Table) -> None:
    """As wide as its numbers need: a cut number is worse than a long line."""
    from rich.console import Console
    from rich.measure import Measurement

    say = Console(width=10_000, highlight=False)
    say.width = Measurement.get(say, say.options, table).maximum
    say.print(table)


def print_run(
    result: Result, assembled: Assembled, method: Any, tolerance: float | None,
    target: Path | None, picture: Path | None,
) -> None:  # fmt: skip
    """The summary of a run."""
    import numpy as np

    info, time = result.info, result.time
    controlled = "" if tolerance is None else f" at first, controlled to {tolerance:g}"
    rate = info["steps"] / max(info["seconds"], 1e-9)
    ended = f", ended by {info['ended_by']}" if info.get("ended_by") else ""
    lines = [
        ("model", f"'{info['model']}', {freedoms(assembled)}"),
        ("method", f"{method_words(method)}, step {info['h']:g} s{controlled}"),
        ("time", f"{time[0]:g} to {time[-1]:g} s, {len(time)} of {info['steps'] + 1} states "
                 f"stored{ended}"),
        ("speed", f"{info['steps']} steps in {info['seconds']:.3g} s, {rate:,.0f} steps/s"),
        ("energy", energy_sentence(result)),
        ("violation", violation_sentence(result)),
    ]  # fmt: skip
    iterations = result.arrays.get("iterations", np.zeros(0))[1:]
    if iterations.any():
        mean, most = iterations.mean(), iterations.max()
        lines.append(("Newton", f"{mean:.2f} iterations per step on average, at most {most:.0f}"))
    lines += [("redundant", message) for message in assembled.redundancy.messages]
    saved = str(target) if target is not None else "nothing; -o NAME keeps the results"
    lines.append(("written", saved))
    if picture is not None:
        lines.append(("plot", str(picture)))
    say = console()
    for word, text in lines:
        say.print(f"{word:<11}{text}", markup=False)


def freedoms(assembled: Assembled) -> str:
    """Degrees of freedom from the true rank, and how they are counted."""
    bodies, rows = assembled.full.bodies, len(assembled.full.all_rows)
    rank = assembled.redundancy.rank
    spare = f", {rows - rank} of them redundant" if rank < rows else ""
    return (
        f"{count(6 * bodies - rank, 'degree')} of freedom (6 × {count(bodies, 'body', 'bodies')} "
        f"− rank {rank} of {count(rows, 'constraint row')}{spare})"
    )


def count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def method_words(method: Any) -> str:
    """A method with its own parameters, leaving out those that all methods have."""
    own = ", ".join(f"{k}={getattr(method, k)!r}" for k in type(method).__annotations__)
    return f"{type(method).__name__}({own})"


def energy_sentence(result: Result) -> str:
    import numpy as np

    energy = result.energy
    total = energy.total.values
    text = f"{total[0]:.6g} J at the start, {total[-1]:.6g} J at the end"
    if "balance" in energy:
        worst = float(np.abs(energy.balance.values).max())
        text += (
            f"; dissipated {float(energy.dissipated[-1]):.4g} J, supplied "
            f"{float(energy.supplied[-1]):.4g} J; largest imbalance {worst:.2g} J"
        )
    return text


def violation_sentence(result: Result) -> str:
    if not result.joints:
        return "no joints"
    position = result.violation.position
    k, j = divmod(int(position.values.argmax()), len(result.joints))
    return (
        f"at most {float(position.values[k, j]):.1e} (m, or rad/2), in joint "
        f"'{result.joints[j]}' at t = {result.time[k]:.4g} s"
    )


def reaction_table(result: Result) -> Table:
    """Reactions on the second body, in the main marker's axes."""
    table = plain_table(("joint", "left"), *((f"{q} {a}", "right") for q in ("force", "torque")
                                             for a in "xyz"))  # fmt: skip
    table.title = "reactions on the second body, main marker's axes (N, N m)"
    table.title_justify = "left"
    for joint in result.joints:
        item = result[joint]
        if "force" in item.names:
            numbers = [*item.force.values, *item.torque.values]
            table.add_row(joint, *(f"{x:.5g}" for x in tidy(numbers)))
    return table


def tidy(numbers: list[float]) -> list[float]:
    """Round-off beside larger numbers shown as zero."""
    size = max((abs(x) for x in numbers), default=0.0)
    return [0.0 if abs(x) < 1e-9 * size else float(x) for x in numbers]


def mode_table(modes: Any) -> Table:
    import numpy as np

    table = plain_table(("mode", "right"), ("frequency (Hz)", "right"), ("damping ratio", "right"),
                        ("eigenvalue (1/s)", "right"), ("moves most", "left"))  # fmt: skip
    for i, value in enumerate(modes.eigenvalues):
        re, im = tidy([value.real, value.imag])
        b, j = np.unravel_index(np.argmax(np.abs(modes.shapes[i])), modes.shapes[i].shape)
        most = f"{modes.bodies[b]} {'along' if j < 3 else 'about'} {'xyz'[j % 3]}"
        text = f"{re:.5g} ± {im:.5g}i" if im else f"{re:.5g}"
        ratio = 0.0 if re == 0 else modes.damping[i]
        table.add_row(str(i + 1), f"{modes.frequency[i]:.5g}", f"{ratio:.4g}", text, most)
    return table


def print_info(model: Model, assembled: Assembled) -> None:
    import numpy as np

    full, state, say = assembled.full, assembled.state, console()
    say.print(f"'{model.name}': {freedoms(assembled)}", markup=False)
    bodies = plain_table(("body", "left"), ("mass (kg)", "right"), ("position (m)", "left"))
    for name in full.names:
        place = ", ".join(f"{x:.4g}" for x in state[name].position + 0.0)
        bodies.add_row(name, f"{model[name].mass:.6g}", place)
    print_table(bodies)
    joints = plain_table(("joint or force", "left"), ("kind", "left"), ("between", "left"),
                         ("rows", "left"))  # fmt: skip
    for name, item in model.items.items():
        mine = [e for e in full.elements if e.owner == name]
        if mine:
            ends = dict.fromkeys((*full.names, "ground")[b] for e in mine for b in e.ends)
            rows = " ".join(e.entry.row_names[r] for e in mine for r in e.entry.rows)
            joints.add_row(name, type(item).__name__, ", ".join(ends), rows)
    if joints.row_count:
        print_table(joints)
    masses = np.array([model[name].mass for name in full.names])
    if masses.sum() > 0:
        centre = masses @ state.positions / masses.sum()
        place = ", ".join(f"{x:.4g}" for x in centre + 0.0)
        say.print(f"mass {masses.sum():.6g} kg, centre of mass at ({place}) m", markup=False)
    for message in assembled.redundancy.messages:
        say.print(f"redundant: {message}", markup=False)


def print_versions() -> None:
    import platform
    from importlib.metadata import version as of

    packages = ", ".join(f"{name} {of(name)}" for name in ("numpy", "scipy", "numba"))
    typer.echo(f"linkwork {linkwork.__version__}, Python {platform.python_version()}, {packages}")


def main() -> None:
    app()


if __name__ == "__main__":
    main()
