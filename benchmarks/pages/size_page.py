"""The section of docs/speed.md about large models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages.table import figure, line
from benchmarks.sizes import REPEATS

MEMORY = 16  # GB of a common machine, for which the largest model is estimated

TEXT = """## Large models

CPU time in seconds, of a step in µs; memory is what the process needs beyond a small model.
*First step* is the time until stepping begins: initial accelerations and the choice of pivots.
*Data* are the arrays that each of Newton's iterations goes over.

{rows}

Steps were repeated {repeats} times, and the fastest count. From {small} to {big} links a step takes
{more_time} times as long; with {small_iterations} and {big_iterations} iterations in a step, one
iteration takes {more_each} times as long. What is more than {ratio} times is probably memory:
{small_data} MB fit into the processor's caches, {big_data} MB do not, and this machine's
memory was copied at {bandwidth} GB/s, bytes read and bytes written counted.

Memory grows {more_memory} times. At {per_body} KB for a body, {memory} GB of memory would hold
about {limit} bodies; that is an estimate, not a measurement.
Mechanisms whose joint graph is a wide mesh in space need more, since bodies have ever more
neighbours as others are eliminated.
"""


HEAD = ("", "bodies", "model", "assemble", "equilibrium", "first step", "step, µs", "iterations",
        "µs/iteration", "data, MB", "MB", "KB/body", "violation")  # fmt: skip


def size_rows(large: Sequence[tuple[str, dict[str, Any]]]) -> str:
    def seconds(f: dict[str, Any], key: str) -> str:
        return f"{f[key]:.1f}" if key in f else "–"

    rows = [
        line(
            title, f"{f['bodies']:,}",
            *(seconds(f, k) for k in ("model", "assemble", "equilibrium", "first step")),
            figure(f["step"]), f"{f['iterations']:.2g}", figure(f["step"] / f["iterations"]),
            figure(f["data"]), figure(f["memory"]), f"{1000 * f['memory'] / f['bodies']:.0f}",
            f"{f['violation']:.0e}",
        )  # fmt: skip
        for title, f in large
    ]
    return "\n".join([line(*HEAD), "|---" * len(HEAD) + "|", *rows])


def size_section(docs: Path, large: Sequence[tuple[str, dict[str, Any]]]) -> str:
    biggest = max((f for _, f in large), key=lambda f: f["bodies"])
    per_body = biggest["memory"] / biggest["bodies"]  # MB
    limit = 1000 * MEMORY / per_body
    small, big = (f for title, f in large[:2])  # the same chain in two sizes
    more = {key: big[key] / small[key] for key in ("step", "iterations", "memory")}
    return TEXT.format(
        rows=size_rows(large),
        small=f"{small['bodies']:,}",
        big=f"{big['bodies']:,}",
        more_time=f"{more['step']:.1f}",
        small_iterations=f"{small['iterations']:.2g}",
        big_iterations=f"{big['iterations']:.2g}",
        repeats=REPEATS,
        more_each=f"{more['step'] / more['iterations']:.1f}",
        ratio=f"{big['bodies'] / small['bodies']:.0f}",
        small_data=figure(small["data"]),
        big_data=figure(big["data"]),
        bandwidth=f"{big['bandwidth']:.0f}",
        more_memory=f"{more['memory']:.1f}",
        per_body=f"{1000 * per_body:.0f}",
        memory=MEMORY,
        limit=f"{float(f'{limit:.1g}'):,.0f}",
    )
