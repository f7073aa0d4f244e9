"""A run that has finished loses nothing of what it found: every file that can be is written."""

from __future__ import annotations

import h5netcdf
import numpy as np
import pytest
from mbdyn_text import deck_text

import linkwork as lw
from linkwork.errors import DriveError

CLAMP = """
begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: 1.; time step: .01; end: initial value;
begin: control data; abstract nodes: 1; genels: 1; {} end: control data;
begin: nodes; abstract: 1; end: nodes;
begin: elements; genel: 1, clamp, 1, abstract, string, "sqrt(Time)"; end: elements;
"""


def ran(tmp_path, text):
    path = tmp_path / "deck.mbd"
    path.write_text(text)
    deck = lw.read_deck(path, environment={})
    return deck, lw.run_deck(deck, progress=False)


def test_a_value_without_a_derivative_at_the_start_is_written(tmp_path):
    deck, run = ran(tmp_path, CLAMP.format(""))
    paths = lw.write_mbdyn(deck, run, tmp_path / "out")
    assert {p.suffix for p in paths} == {".abs", ".gen", ".out", ".log", ".nc"}
    found = np.loadtxt(tmp_path / "out.abs")
    np.testing.assert_allclose(found[:, 1], np.sqrt(run.time), rtol=1e-6)
    late = run.time > 0.5
    np.testing.assert_allclose(found[late, 2], 0.5 / np.sqrt(run.time[late]), rtol=1e-4)
    with h5netcdf.File(tmp_path / "out.nc") as file:
        np.testing.assert_allclose(file["node.abstract.1.X"][:], np.sqrt(run.time))


def test_a_file_that_cannot_be_written_does_not_stop_the_others(tmp_path):
    deck, run = ran(tmp_path, CLAMP.format(""))

    def broken(_):
        raise DriveError("there is no such number")

    deck.genels[1] = broken
    with pytest.raises(lw.MbdynError, match="file .gen cannot be written: there is no such number"):
        lw.write_mbdyn(deck, run, tmp_path / "out")
    assert len((tmp_path / "out.abs").read_text().splitlines()) == len(run)
    with h5netcdf.File(tmp_path / "out.nc") as file:
        np.testing.assert_allclose(file["node.abstract.1.X"][:], np.sqrt(run.time))


def test_without_text_there_is_text_of_what_netcdf_has_not(tmp_path):
    deck, run = ran(tmp_path, CLAMP.format("output results: netcdf, no text;"))
    paths = lw.write_mbdyn(deck, run, tmp_path / "out")
    assert [p.suffix for p in paths] == [".gen", ".log", ".nc"]
    assert len((tmp_path / "out.gen").read_text().splitlines()) == len(run)


@pytest.mark.parametrize("nodes", [2, 3])
def test_beams_are_in_the_netcdf_file(tmp_path, nodes):
    """A cantilever of L = 1 under P = 1e-3 at its tip: M = P (L − x), at the evaluation points."""
    places = np.linspace(0, 1, nodes)
    text = " ".join(
        f"structural: {i + 1}, static, {x}, 0., 0., eye, null, null;"
        for i, x in enumerate(places.tolist())
    )
    law = "linear elastic generic, diag, 1e6, 1e6, 1e6, 1e2, 1e2, 1e2"
    ends = ", ".join(f"{i + 1}, null" for i in range(nodes))
    sections = law if nodes == 2 else f"{law}, same, same"
    beam = f"beam{nodes}: 4, {ends}, eye, {sections};"
    deck, run = ran(tmp_path, deck_text(
        text, f"{beam} joint: 1, clamp, 1, node, node;"
        f"force: 1, absolute, {nodes}, position, null, 0., 0., 1., const, 1e-3;",
        control="model: static; output results: netcdf, no text; beams: 1;", time="1.", step="1.",
    ))  # fmt: skip
    lw.write_mbdyn(deck, run, tmp_path / "out")
    points = {"_I": 0.5 - 3**-0.5 / 2, "_II": 0.5 + 3**-0.5 / 2} if nodes == 3 else {"": 0.5}
    with h5netcdf.File(tmp_path / "out.nc") as file:
        assert file["elem.beam"][:].tolist() == [4]
        for point, x in points.items():
            M, F = file[f"elem.beam.4.M{point}"][-1], file[f"elem.beam.4.F{point}"][-1]
            np.testing.assert_allclose(M, [0, -1e-3 * (1 - x), 0], rtol=1e-4, atol=1e-9)
            np.testing.assert_allclose(F, [0, 0, 1e-3], rtol=1e-4, atol=1e-7)
