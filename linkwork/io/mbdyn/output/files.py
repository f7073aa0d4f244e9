"""Results in the layouts of MBDyn's text files.

    .mov   node, position, orientation, velocity, angular velocity [, accelerations]
    .jnt   joint, force and moment in local axes, both in global axes, and what the joint adds
    .frc   force, node, force, point (couples: the couple)          both once more for second nodes
    .ine   node, momentum, moment of momentum about the node, and the rates of both
    .act   beam, force and moment of each section in its axes
    .abs   abstract node, value, derivative            .prm   parameter node, value
    .ele   electric node, value, derivative            .thn   thermal node, value, derivative
    .gen   clamp or distance genel, reaction;  state space or filter, states, their derivatives
    .prs   hydraulic node, pressure            .hyd   hydraulic element (hydraulics/elements.py)
    .aer   aerodynamic elements    .rot   rotors    .air   the air (aero/output.py)
    .out   steps: number, time, step size, iterations, …

One line per entity and stored time, all numbers with `output precision` digits.  Numbers are
computed in blocks of times (tables.py); a second thread makes text of one and writes it while the
next is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from linkwork.errors import LinkworkError, MbdynError
from linkwork.io.mbdyn.aero.output import aer_lines, air_columns, rot_lines
from linkwork.io.mbdyn.hydraulics.circuit import pressures
from linkwork.io.mbdyn.output.blocks import Ahead, Sink, write_blocks
from linkwork.io.mbdyn.output.decimals import Decimals
from linkwork.io.mbdyn.output.numbers.tables import Tables

SCALARS = (
    ("abstract", "abs", 2), ("electric", "ele", 2), ("parameter", "prm", 1), ("thermal", "thn", 2),
)  # fmt: skip
Line = tuple[list[str], Sequence[np.ndarray]]  # words: first, before numbers, perhaps last; columns
Lines = Callable[[Tables], list[Line]]


def labelled(label: int, *parts: np.ndarray) -> Line:
    return [f"{label:8d}", *[" "] * width(parts)], parts


def width(parts: Sequence[np.ndarray]) -> int:
    return sum(part.shape[1] for part in parts)


def columns_of(lines: list[Line]) -> np.ndarray:
    """All numbers of the lines at each time, (T, n)."""
    parts = [part for _, parts in lines for part in parts]
    columns, place = np.empty((len(parts[0]), width(parts))), 0
    for part in parts:
        columns[:, place : place + part.shape[1]] = part
        place += part.shape[1]
    return columns


def decimals(lines: list[Line], precision: int) -> Decimals:
    """For each time all lines: of each the first word, then one before each of its numbers."""
    before, text = [], ""
    for words, parts in lines:
        n = width(parts)
        text += words[0]
        for word in words[1 : n + 1]:
            before.append((text + word).encode())
            text = ""
        text += "".join(words[n + 1 :]) + "\n"
    return Decimals(before, text.encode(), precision)


def force_lines(tables: Tables) -> list[Line]:
    lines: list[Line] = []
    for record in tables.deck.forces.values():
        if not record.output:
            continue
        F, M, points = tables.force(record)
        line, parts = [f"{record.label}"], []  # MBDyn pads labels in the other files alone
        for k, label in enumerate(record.nodes):
            sign = 1 if k == 0 else -1
            if record.variant.startswith("abstract"):
                mine = [sign * F]
            elif record.kind == "couple":
                mine = [sign * M]
            else:
                mine = [sign * F, points[k]]
                if record.variant.startswith("total"):
                    mine.append(sign * M)
            line += [f" {label} "] + [" "] * (width(mine) - 1)
            parts += mine
        lines.append((line, parts))
    return lines


def step_lines(tables: Tables) -> Iterator[str]:
    """MBDyn's columns; the residual of its test and the last correction, where the method knows.

    SolConv is 1 where corrections decided that a step has converged.
    """
    run = tables.run
    known = {word: run.arrays[word] for word in ("iterations", "residual", "correction")
             if len(run.arrays.get(word, ())) == len(run)}  # fmt: skip
    by_correction = int("correction" in known and "residual" not in known)
    rows, none = tables.rows, np.zeros(len(tables.rows))
    columns = [tables.numbers[rows], run.time[rows], tables.sizes[rows]] + [
        np.asarray(known[word], float)[rows] if word in known else none
        for word in ("iterations", "residual", "correction")
    ]
    form = f"Step %d %.9g %g %.0f %.6g %.6g {by_correction} 1\n"
    yield from (form % row for row in zip(*(column.tolist() for column in columns)))


STEPS_HEAD = """# linkwork, results in the layout of MBDyn
# Step Time TStep NIter ResErr SolErr SolConv Out
"""


def files_of(tables: Tables) -> dict[str, Lines]:
    """The files that have something in them: suffix, and their lines at the times of tables."""
    deck = tables.deck
    nodes = [n.label for n in deck.nodes.values() if n.output]
    moving = [n for n in nodes if deck.nodes[n].kind.startswith("dynamic")]
    joints = [j for j in deck.joints.values() if j.written]
    beams = [b for b in deck.beams.values() if b.output]
    pressed = [n for n in deck.circuit.nodes.values() if n.output]
    files: dict[str, tuple[object, Lines]] = {
        "mov": (nodes, lambda t: [labelled(n, *t.node_parts(n)) for n in nodes]),
        "ine": (moving, lambda t: [labelled(n, *t.momentum(n)) for n in moving]),
        "jnt": (joints, lambda t: [labelled(j.label, *t.joint(j)) for j in joints]),
        "frc": (deck.forces, force_lines),
        "act": (beams, lambda t: [labelled(b.label, t.beam(b)) for b in beams]),
    }
    for kind, suffix, columns in SCALARS:
        scalars = [n for (k, _), n in deck.scalars.items() if k == kind and n.output]
        files[suffix] = scalars, lambda t, scalars=scalars, columns=columns: [  # type: ignore[misc]
            labelled(n.label, t.scalar(n)[:, :columns]) for n in scalars
        ]
    files["gen"] = deck.genels, lambda t: [
        labelled(label, t.whole(("genel", label), lambda make=make: make(t.run)))  # type: ignore[misc]
        for label, make in deck.genels.items()
    ]
    files["prs"] = pressed, lambda t: [
        labelled(n.label, t.whole(("node", n.label), lambda n=n: pressures(t.run, n)))  # type: ignore[misc]
        for n in pressed
    ]
    files["hyd"] = deck.circuit.columns, lambda t: [
        labelled(label, t.whole(("hydraulic", label), lambda make=make: make(t.run)))  # type: ignore[misc]
        for label, make in deck.circuit.columns.items()
    ]
    aero = deck.aero
    files["aer"] = [r for r in aero.surfaces.values() if r.output], aer_lines
    files["rot"] = [r for r in aero.rotors.values() if r.output], rot_lines
    files["air"] = aero.air_output, lambda t: [labelled(1, air_columns(t))]
    return {suffix: lines for suffix, (there, lines) in files.items() if there}


TEXT_ALONE = ("gen", "prs", "hyd", "aer", "rot", "air")  # what NetCDF files have not


class TextFiles(Sink):
    """name.mov, .jnt, .frc, .ine and so on where there is something in them, and .out.

    all_of_them: False leaves out what the NetCDF file has too
    """

    def __init__(
        self, tables: Tables, name: str | Path, modes: list[str], ahead: Ahead,
        all_of_them: bool = True,
    ) -> None:  # fmt: skip
        self.ahead, self.modes, self.digits = ahead, modes, tables.deck.analysis.precision
        self.forms, self.steps = dict[str, Decimals](), all_of_them
        self.lines = {
            suffix: lines for suffix, lines in files_of(tables).items()
            if all_of_them or suffix in TEXT_ALONE
        }  # fmt: skip
        suffixes = [*self.lines, *["out"] * all_of_them]
        self.paths = [Path(f"{name}.{suffix}") for suffix in suffixes]
        self.files: list[IO[bytes]] = []
        self.failed: dict[str, LinkworkError] = {}  # files that cannot be written, by suffix

    def open(self) -> None:
        for path in self.paths:
            self.files.append(path.open("wb"))
        if self.steps:
            self.files[-1].write(STEPS_HEAD.encode())

    def add(self, block: Tables) -> None:
        for (suffix, lines), file in zip(self.lines.items(), self.files):
            if suffix in self.failed:
                continue
            try:
                found = lines(block)
            except LinkworkError as error:  # the others are written all the same
                self.failed[suffix] = error
                continue
            if not found:
                continue
            if suffix not in self.forms:
                self.forms[suffix] = decimals(found, self.digits)
            self.ahead.run(write_columns, file, self.forms[suffix], columns_of(found))
        if self.steps:
            self.ahead.run(self.files[-1].write, "".join(step_lines(block)).encode())

    def close(self) -> None:
        for file in self.files:
            file.close()

    def finish(self) -> None:
        if self.steps:
            self.files[-1].write("".join(self.modes).encode())
        for suffix, error in self.failed.items():
            raise MbdynError(f"the file .{suffix} cannot be written: {error}")


def write_columns(file: IO[bytes], form: Decimals, columns: np.ndarray) -> None:
    file.writelines(form.text(columns))


def write_text(tables: Tables, name: str | Path, modes: list[str] | None = None) -> list[Path]:
    """name.mov, .jnt, .frc, .ine and .out (with lines of `modes`); returns the paths."""
    with Ahead() as ahead:
        text = TextFiles(tables, name, modes or [], ahead)
        write_blocks(tables, [text], ahead)
    return text.paths
