"""What the commands say about their results: tables and sentences."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import linkwork
from linkwork.cli.speaking import console

if TYPE_CHECKING:
    from rich.table import Table

    from linkwork.results.result import Result
    from linkwork.system.initial_conditions.consistent_start import Start



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
    result: Result, assembled: Start, method: Any, tolerance: float | None,
    target: Path | None, picture: Path | None, kept: str | None = None, changed: str = "",
) -> None:  # fmt: skip
    """The summary of a run.

    kept : what to say where there is no target;   changed : about a step that changes
    """
    import numpy as np

    info, time = result.info, result.time
    controlled = changed if tolerance is None else f" at first, controlled to {tolerance:g}"
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
    if kept is None:
        kept = str(target) if target is not None else "nothing; -o NAME keeps the results"
    if kept:
        lines.append(("written", kept))
    if picture is not None:
        lines.append(("plot", str(picture)))
    say = console()
    for word, text in lines:
        say.print(f"{word:<11}{text}", markup=False)


def freedoms(assembled: Start) -> str:
    """Degrees of freedom from the true rank, and how they are counted."""
    from linkwork.analysis.overview.overview import counted

    each, bodies, modes, values, rows, rank = counted(assembled)
    flexible = f" + {count(modes, 'mode')}" if modes else ""
    flexible += f" + {count(values, 'value')}" if values else ""
    spare = f", {rows - rank} of them redundant" if rank < rows else ""
    return (
        f"{count(each * bodies + modes + values - rank, 'degree')} of freedom ({each} × "
        f"{count(bodies, 'body', 'bodies')}{flexible} − rank {rank} of "
        f"{count(rows, 'constraint row')}{spare})"
    )


def count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def method_words(method: Any) -> str:
    """A method with the parameters that are not its defaults, and its spectral radius."""
    values = {
        f.name: getattr(method, f.name) for f in fields(method)
        if not f.kw_only and (f.name == "rho" or getattr(method, f.name) != f.default)
    }  # fmt: skip
    own = ", ".join(
        f"{name} changes with time" if callable(value) else f"{name}={value!r}"
        for name, value in values.items()
    )
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


def actuator_table(found: Any) -> Table:
    """Least, greatest and root mean square of the forces of inverse dynamics."""
    head, rows = found.summary_rows()
    table = plain_table(*((word, "left" if k < 2 else "right") for k, word in enumerate(head)))
    for row in rows:
        table.add_row(*row)
    return table


def print_info(assembled: Start) -> None:
    import numpy as np

    from linkwork.analysis.overview.masses import masses_of
    from linkwork.analysis.overview.overview import ends
    from linkwork.system.initial_conditions.open_joints import listed

    full, model, say = assembled.full, assembled.full.system.model, console()
    say.print(f"'{model.name}': {freedoms(assembled)}", markup=False)
    bodies = plain_table(("body", "left"), ("mass (kg)", "right"), ("position (m)", "left"))
    found = masses_of(model, assembled)
    for name, body in found.items():
        place = ", ".join(f"{x:.4g}" for x in body.centre + 0.0)
        bodies.add_row(name, f"{body.mass:.6g}", place)
    print_table(bodies)
    joints = plain_table(("joint or force", "left"), ("kind", "left"), ("between", "left"),
                         ("rows", "left"))  # fmt: skip
    for name, item in model.items.items():
        mine = [e for e in full.system.elements if e.owner == name]
        if mine and not item.bodies():
            rows = " ".join(e.entry.row_names[r] for e in mine for r in e.entry.rows)
            joints.add_row(name, type(item).__name__, ", ".join(ends(item)), rows)
    if joints.row_count:
        print_table(joints)
    masses = np.array([body.mass for body in found.values()])
    if masses.sum() > 0:
        centre = masses @ np.array([body.centre for body in found.values()]) / masses.sum()
        place = ", ".join(f"{x:.4g}" for x in centre + 0.0)
        say.print(f"mass {masses.sum():.6g} kg, centre of mass at ({place}) m", markup=False)
    for message in assembled.redundancy.messages:
        say.print(f"redundant: {message}", markup=False)
    if assembled.moved:
        say.print(f"start values and drives move {listed(assembled.moved)}", markup=False)


def print_versions() -> None:
    import platform
    from importlib.metadata import version as of

    packages = ", ".join(f"{name} {of(name)}" for name in ("numpy", "scipy", "numba"))
    typer.echo(f"linkwork {linkwork.__version__}, Python {platform.python_version()}, {packages}")
