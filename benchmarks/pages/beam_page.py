"""The section of docs/speed.md on beams of large deformation."""

from __future__ import annotations

from pathlib import Path

from benchmarks.beams import AIM, LOOSE, OURS, SIZES, STATIC, STRICT, THEIRS, Cantilever
from benchmarks.pages.table import figure, line

TEXT = """## Beams of large deformation

A cantilever of 2 m (a square bar of 20 mm, E = 1 GPa, 1000 kg/m³) falls from horizontal: 1,000
steps of 1 ms with the generalized-alpha method, ρ = 0.8. linkwork has 50 elements of three nodes,
Exudyn {version} 100 geometrically exact ones of two nodes in space; both have 101 nodes. CPU time
of a step in µs; the error is the root mean square over 20 times of the largest distance of a node
from a reference (200 elements of three nodes, steps of 0.125 ms, which is within {reference} m of
one with 100):

| Newton's method | linkwork | error | Exudyn | error | ratio |
|---|---|---|---|---|---|
{rows}

- *Own tolerance* is 1e-8 in both programs, though they do not measure the same with it; *loose* is
  1e-5 in linkwork, which then corrects once in a step, and in Exudyn the fastest of 1e-6 to 1e-4.
  Of Exudyn's settings (nodes with Euler parameters or angles, Newton's method full or modified) the
  fastest are shown: {settings}.
- linkwork's code is compiled for the processor it runs on, Exudyn's runs as PyPI has it.
- The aim is a ratio of {aim:g} at equal or better accuracy.

A step against the number of elements, and the statics of {static} elements from the model to the
equilibrium and its stability ({seconds} s of CPU time):

| elements | µs a step | µs a step and element |
|---|---|---|
{sizes}
"""


def row(found: Cantilever, kind: str) -> str:
    cells: list[str] = []
    for program in (OURS, THEIRS):
        times = found.times.get((program, kind))
        wrong = found.errors.get((program, kind))
        cells.append("–" if times is None else figure(times["cpu"]))
        cells.append("–" if wrong is None else f"{wrong:.1e}")
    there = (THEIRS, kind) in found.times
    return line(kind, *cells, f"**{found.ratio(kind):.1f}**" if there else "–")


def told(setting: dict[str, object]) -> str:
    newton = "modified" if setting["modified"] else "full"
    return f"{setting['node']}, {newton}, {setting['tolerance']:.0e}"


def beam_section(docs: Path, found: Cantilever) -> str:
    if not found.version:
        raise SystemExit("Exudyn is not there. The page stays as it was.")
    return TEXT.format(
        version=found.version, reference=f"{found.reference:.0e}", aim=AIM, static=f"{STATIC:,}",
        rows="\n".join(row(found, kind) for kind in (STRICT, LOOSE)),
        settings="; ".join(told(found.settings[kind]) for kind in (STRICT, LOOSE)),
        seconds=f"{found.static:.2f}",
        sizes="\n".join(
            line(f"{n:,}", figure(found.sizes[n]), f"{found.sizes[n] / n:.2f}") for n in SIZES
        ),
    )  # fmt: skip
