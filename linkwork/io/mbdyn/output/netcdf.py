"""Results as NetCDF with MBDyn's names: node.struct.<label>.X, elem.joint.<label>.F and so on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.io.mbdyn.deck.eigen_analysis import Analysed
from linkwork.io.mbdyn.output.blocks import Ahead, Sink, write_blocks
from linkwork.io.mbdyn.output.eigen import put_modes
from linkwork.io.mbdyn.output.netcdf_variables import Variable, add_variables
from linkwork.io.mbdyn.output.numbers import deformable as deformable_output
from linkwork.io.mbdyn.output.numbers.columns import COLUMNS, described
from linkwork.io.mbdyn.output.numbers.tables import Tables
from linkwork.io.mbdyn.scalars.nodes import KINDS

ORIENTATIONS = {  # name, units, words
    "euler123": ("E", "deg", "orientation, euler123 angles"),
    "euler313": ("E", "deg", "orientation, euler313 angles"),
    "euler321": ("E", "deg", "orientation, euler321 angles"),
    "orientation vector": ("Phi", "rad", "orientation vector"),
    "orientation matrix": ("R", "-", "orientation matrix"),
}
MOMENTUM = {
    "B": ("kg m/s", "momentum"),
    "G": ("kg m^2/s", "momenta moment"),
    "BP": ("kg m/s^2", "momentum derivative"),
    "GP": ("kg m^2/s^2", "momenta moment derivative"),
}
BY_DESCRIPTION = ("ball", "hinge", "hinge friction", "driven hinge", "driven hinge friction")
EXTRA = {  # what joints add behind their reactions: name, columns, units
    **{kind: parts for kind, (_, parts) in COLUMNS.items()},
    "distance": (("V", 3, "-"), ("d", 1, "m")),
    "rod": (("dElle", 1, "m"), ("v", 3, "-"), ("dEllePrime", 1, "m/s")),
}


class Writer:
    """Variables of a block of times; labels go into the file with the first block."""

    def __init__(self, file: Any = None) -> None:
        self.file = file
        self.variables: list[Variable] = []

    def put(self, name: str, values: Any, units: str, words: str) -> None:
        told = {"units": units, "description": words}
        self.variables.append(Variable(name, np.asarray(values), told))

    def put_kind(self, name: str, kind: str) -> None:
        """An empty variable under the name of a node or an element, with its kind."""
        self.variables.append(Variable(name, np.zeros((), np.int32), {"type": kind}))

    def put_labels(self, name: str, labels: list[int]) -> None:
        if labels and self.file is not None:
            # blendyn counts the nodes by the name that MBDyn gives to their dimension
            dim = f"{'_'.join(reversed(name.split('.')))}_labels_dim"
            self.file.dimensions[dim] = len(labels)
            kind = np.int32 if max(labels) < 2**31 else np.int64  # MBDyn's labels are unsigned
            self.file.create_variable(name, (dim,), data=np.array(labels, kind))


class NetCDF(Sink):
    """name.nc with the variables that MBDyn's output results: netcdf has."""

    def __init__(
        self, tables: Tables, name: str | Path, modes: Sequence[Analysed], ahead: Ahead
    ) -> None:
        self.path, self.modes, self.ahead = Path(f"{name}.nc"), modes, ahead
        self.deck, self.time, self.numbers = tables.deck, tables.time, tables.numbers
        self.offsets: list[int] = []
        self.first, self.file = 0, -1  # the next time, and the file that is open

    def open(self) -> None:
        """Nothing yet: what variables there are is known with the first block."""

    def add(self, block: Tables) -> None:
        if self.file < 0:
            variables = self.create(block)
            self.file = os.open(self.path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
        else:
            variables = variables_of(block, Writer())
        self.ahead.run(self.write, variables, self.first)
        self.first += len(block.rows)

    def create(self, block: Tables) -> list[Variable]:
        """Make the file with all axes and labels, and places for all variables."""
        import h5netcdf

        with h5netcdf.File(self.path, "w") as file:
            file.dimensions = {
                "time": len(self.time), "Vec3": 3, "Mat3x3_rows": 3, "Mat3x3_cols": 3,
            }  # fmt: skip
            time = file.create_variable("time", ("time",), data=self.time)
            time.attrs["units"], time.attrs["description"] = "s", "simulation time"
            variables = variables_of(block, Writer(file))
            put_modes(file, self.deck, self.modes, self.numbers)
        self.offsets = add_variables(self.path, variables, len(self.time))
        return variables

    def write(self, variables: list[Variable], first: int) -> None:
        """The numbers of a block, from the time number `first` on."""
        for (_, values, _), offset in zip(variables, self.offsets):
            if values.size and (values.ndim or not first):
                size = values.nbytes // len(values) if values.ndim else 0
                os.lseek(self.file, offset + first * size, os.SEEK_SET)
                text = np.ascontiguousarray(values).data.cast("B")
                while text:
                    text = text[os.write(self.file, text) :]

    def finish(self) -> None:
        """All numbers are there."""

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)


def variables_of(tables: Tables, writer: Writer) -> list[Variable]:
    writer.put("run.step", tables.numbers[tables.rows].astype(np.int32), "-", "time step index")
    writer.put("run.timestep", tables.sizes[tables.rows], "s", "integration time step")
    put_nodes(writer, tables)
    put_scalars(writer, tables)
    put_joints(writer, tables)
    put_beams(writer, tables)
    put_forces(writer, tables)
    return writer.variables


def write_netcdf(tables: Tables, name: str | Path, modes: Sequence[Analysed] = ()) -> Path:
    """name.nc alone."""
    with Ahead() as ahead:
        netcdf = NetCDF(tables, name, modes, ahead)
        write_blocks(tables, [netcdf], ahead)
    return netcdf.path


def put_nodes(writer: Writer, tables: Tables) -> None:
    deck = tables.deck
    nodes = [n for n in deck.nodes.values() if n.output]
    writer.put_labels("node.struct", [n.label for n in nodes])
    moving = [n.label for n in nodes if n.kind.startswith("dynamic")]
    writer.put_labels("elem.autostruct", moving)
    for node in nodes:
        m, at = tables.motion(node.label), f"node.struct.{node.label}"
        writer.put_kind(at, node.kind)
        kind = node.orientation or deck.analysis.orientation
        name, units, words = ORIENTATIONS[kind]
        turned = m.R if name == "R" else tables.turned(node.label)
        writer.put(f"{at}.X", m.x, "m", "global position vector")
        writer.put(f"{at}.{name}", 0 * turned if node.points_only else turned, units, words)
        writer.put(f"{at}.XP", m.v, "m/s", "global velocity vector")
        writer.put(f"{at}.Omega", m.w, "rad/s", "global angular velocity vector")
        if node.accelerations:
            writer.put(f"{at}.XPP", m.a, "m/s^2", "global acceleration vector")
            writer.put(f"{at}.OmegaP", m.p, "rad/s^2", "global angular acceleration vector")
        if node.kind.startswith("dynamic"):
            for part, values in zip(MOMENTUM, tables.momentum(node.label)):
                writer.put(f"{at}.{part}", values, *MOMENTUM[part])


def put_scalars(writer: Writer, tables: Tables) -> None:
    for kind in KINDS:
        nodes = [n for (k, _), n in tables.deck.scalars.items() if k == kind and n.output]
        writer.put_labels(f"node.{kind}", [n.label for n in nodes])
        for node in nodes:
            values = tables.scalar(node)
            writer.put(f"node.{kind}.{node.label}.X", values[:, 0], "-", "value")
            if kind != "parameter":
                writer.put(f"node.{kind}.{node.label}.XP", values[:, 1], "-", "derivative")


def put_joints(writer: Writer, tables: Tables) -> None:
    joints = [j for j in tables.deck.joints.values() if j.written]
    writer.put_labels("elem.joint", [j.label for j in joints])
    for joint in joints:
        at = f"elem.joint.{joint.label}"
        writer.put_kind(at, joint.kind)
        *parts, extra = tables.joint(joint)
        names = (("f", "N", "force in local frame"), ("m", "Nm", "moment in local frame"),
                 ("F", "N", "force in global frame"),
                 ("M", "Nm", "moment in global frame"))  # fmt: skip
        for (name, units, words), values in zip(names, parts):
            writer.put(f"{at}.{name}", values, units, words)
        if joint.columns in deformable_output.COLUMNS:
            for name, values, units, words in deformable_output.variables(tables, joint):
                writer.put(f"{at}.{name}", values, units, words)
        column, kind = 0, described(tables, joint)
        for name, width, units in EXTRA.get(joint.columns, ()):
            words = name
            if name == "E" and joint.columns in BY_DESCRIPTION and not joint.kind.endswith("pin"):
                name, units, words = ORIENTATIONS[kind]
                width = 9 if name == "R" else 3
            values = extra[:, column : column + width]
            column += width
            if width == 9:
                values = values.reshape(-1, 3, 3)
            writer.put(f"{at}.{name}", values[:, 0] if width == 1 else values, units, words)
        if joint.columns == "rod":
            length, rate = extra[:, 0], extra[:, 4]
            for more in deformable_output.shock_absorber(tables, joint, length, rate):
                writer.put(f"{at}.{more[0]}", *more[1:])


def put_beams(writer: Writer, tables: Tables) -> None:
    beams = [b for b in tables.deck.beams.values() if b.output]
    writer.put_labels("elem.beam", [b.label for b in beams])
    for beam in beams:
        at, sections = f"elem.beam.{beam.label}", tables.beam(beam)
        writer.put_kind(at, f"beam{len(beam.ends)}")
        points = ("_I", "_II") if len(beam.ends) == 3 else ("",)
        for k, point in enumerate(points):
            F, M = sections[:, 6 * k : 6 * k + 3], sections[:, 6 * k + 3 : 6 * k + 6]
            writer.put(f"{at}.F{point}", F, "N", "internal force in local frame")
            writer.put(f"{at}.M{point}", M, "Nm", "internal moment in local frame")


def put_forces(writer: Writer, tables: Tables) -> None:
    records = [r for r in tables.deck.forces.values() if r.output]
    for kind in ("force", "couple"):
        writer.put_labels(f"elem.{kind}", [r.label for r in records if r.kind == kind])
    for record in records:
        F, M, points = tables.force(record)
        at = f"elem.{record.kind}.{record.label}"
        if record.kind == "couple":
            writer.put(f"{at}.M", M, "Nm", "global couple components")
            continue
        if record.variant.startswith("abstract"):
            writer.put(f"{at}.F", F[:, 0], "N", "force")
            continue
        writer.put(f"{at}.F", F, "N", "global force components")
        if record.variant.startswith("total"):
            writer.put(f"{at}.M", M, "Nm", "global couple components")
        names = ["Arm"] if len(points) == 1 else ["Arm1", "Arm2"]
        for name, point, label in zip(names, points, record.nodes):
            arm = point - tables.motion(label).x
            writer.put(f"{at}.{name}", arm, "m", "arm in global frame")
