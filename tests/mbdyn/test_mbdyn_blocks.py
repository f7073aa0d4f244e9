"""Files in blocks of times, with one thread or two: always the same."""

import tracemalloc

import h5netcdf
import numpy as np
import pytest

import linkwork as lw
from linkwork import ModelError
from linkwork.io.mbdyn.output.blocks import thread_count

AXES = ("1, 1., 0., 0., 2, 0., 1., 0.", "1, 1., 0., 0., 2, 0., 0., 1.")


def chain(n, steps):
    """Rods on hinges along x, a node at each centre of mass; every fifth also has a rod to it."""
    text = f"""begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: {steps * 1e-3}; time step: 1.e-3;
    tolerance: 1.e-9; max iterations: 20; end: initial value;
begin: control data; structural nodes: {n + 1}; rigid bodies: {n}; joints: {n + 2}; forces: 1;
    gravity; end: control data;
begin: nodes;
"""
    for k in range(n):
        text += f"structural: {k + 1}, dynamic, {0.1 * (k + 0.5)}, 0., 0., eye, null, null;\n"
    text += "structural: 99, dummy, 1, offset, 0.1, 0., 0., eye;\nend: nodes;\nbegin: elements;\n"
    for k in range(n):
        text += f"body: {k + 1}, {k + 1}, 0.1, null, diag, 1e-4, 1e-3, 1e-3;\n"
    text += (f"joint: 1, revolute pin, 1, -0.05, 0., 0., hinge, {AXES[0]}, 0., 0., 0., hinge, "
             f"{AXES[0]};\n")  # fmt: skip
    for k in range(1, n):
        text += (f"joint: {k + 1}, revolute hinge, {k}, 0.05, 0., 0., hinge, {AXES[k % 2]}, "
                 f"{k + 1}, -0.05, 0., 0., hinge, {AXES[k % 2]};\n")  # fmt: skip
    text += f"""joint: 50, rod, 1, {n}, from nodes, linear viscoelastic, 10., 0.1;
joint: 51, total pin joint, {n}, position, null, position, {0.1 * (n - 0.5)}, 0., 0.,
    position constraint, inactive, inactive, inactive, null,
    orientation constraint, inactive, inactive, inactive, null;
force: 1, follower, {n}, position, 0.05, 0., 0., 0., 0., 1., sine, 0., 20., 0.3, forever, 0.;
gravity: uniform, 0., -0.8, -0.6, const, 9.81;
end: elements;
"""
    return text


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    path = tmp_path_factory.mktemp("chain") / "chain.mbd"
    path.write_text(chain(6, 200))
    deck = lw.read_deck(path)
    return deck, lw.run_deck(deck, progress=False)


def contents(paths):
    """Bytes of text files, and every number of the NetCDF file."""
    found = {p.suffix: p.read_bytes() for p in paths if p.suffix != ".nc"}
    (netcdf,) = (p for p in paths if p.suffix == ".nc")
    with h5netcdf.File(netcdf) as file:
        for name, variable in file.variables.items():
            told = {key: str(value) for key, value in variable.attrs.items()}
            found[name] = variable.dimensions, np.asarray(variable[...]).tobytes(), told
    return found


def test_bytes_do_not_depend_on_threads_and_blocks(ran, tmp_path, monkeypatch):
    deck, run = ran
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("LINKWORK_THREADS", threads)
        for megabytes in ("1e5", "5", "1e-6"):
            monkeypatch.setenv("LINKWORK_MEMORY", megabytes)
            folder = tmp_path / f"{threads} {megabytes}"
            folder.mkdir()
            found.append(contents(lw.write_mbdyn(deck, run, folder / "out")))
    assert len(found[0]) > 30
    assert all(other == found[0] for other in found)


def test_number_of_threads_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("LINKWORK_THREADS", "3")
    assert thread_count() == 3
    monkeypatch.setenv("LINKWORK_THREADS", "many")
    with pytest.raises(ModelError, match="LINKWORK_THREADS must be a number of threads"):
        thread_count()
    monkeypatch.delenv("LINKWORK_THREADS")
    assert thread_count() >= 1


def test_text_is_what_python_writes(ran, tmp_path):
    """Positions and velocities of nodes at centres of mass are those of the bodies, to the bit."""
    deck, run = ran
    lw.write_mbdyn(deck, run, tmp_path / "out")
    lines = (tmp_path / "out.mov").read_text().splitlines()
    nodes = [*range(1, 7), 99]
    assert len(lines) == len(nodes) * len(run)
    for k, line in enumerate(lines):
        t, label = k // len(nodes), nodes[k % len(nodes)]
        assert line.startswith(f"{label:8d} ")
        if label != 99:
            b = run.system.names.index(f"node {label}")
            words = line.split()
            assert words[1:4] == [f"{x:.6e}" for x in run.motion[t, b, :3]]
            assert words[7:10] == [f"{x:.6e}" for x in run.motion[t, b, 7:10]]


def test_reactions_are_those_of_the_model(ran, tmp_path):
    deck, run = ran
    lw.write_mbdyn(deck, run, tmp_path / "out")
    rows = np.loadtxt(tmp_path / "out.jnt", usecols=range(13))
    for label in range(1, 7):
        found = rows[rows[:, 0] == label]
        sign = -1 if label == 1 else 1  # a pin: what the node does to the ground
        view = run[f"joint {label}"]
        for columns, name in ((slice(7, 10), "force_world"), (slice(10, 13), "torque_world")):
            exact = sign * getattr(view, name).values
            np.testing.assert_allclose(found[:, columns], exact, rtol=1e-6, atol=1e-12)


def test_memory_does_not_grow_with_the_number_of_steps(tmp_path, monkeypatch):
    """Only what a rod and the steps themselves need over the whole run: some numbers a step."""
    monkeypatch.setenv("LINKWORK_THREADS", "1")
    monkeypatch.setenv("LINKWORK_MEMORY", "2")
    peaks = []
    for steps in (100, 1600):
        path = tmp_path / f"{steps}.mbd"
        path.write_text(chain(6, steps))
        deck = lw.read_deck(path)
        run = lw.run_deck(deck, progress=False)
        lw.write_mbdyn(deck, run, tmp_path / "warm")
        tracemalloc.start()
        lw.write_mbdyn(deck, run, tmp_path / "out")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    written = 8 * 1500 * (7 * 12 + 6 * 12 + 8 * 18)  # numbers of the text of the other steps
    assert peaks[1] - peaks[0] < 0.15 * written


def test_a_folder_that_is_not_there(ran, tmp_path):
    deck, run = ran
    with pytest.raises(lw.LinkworkError, match="its results cannot be written to"):
        lw.write_mbdyn(deck, run, tmp_path / "no" / "out")


def test_netcdf_is_left_out_on_request(tmp_path):
    """The text is the same without it; where there is no text, it is written all the same."""
    (tmp_path / "deck.mbd").write_text(chain(3, 20))
    deck = lw.read_deck(tmp_path / "deck.mbd")
    run = lw.run_deck(deck, progress=False)
    both = lw.write_mbdyn(deck, run, tmp_path / "both")
    text = lw.write_mbdyn(deck, run, tmp_path / "text", netcdf=False)
    assert [p.suffix for p in both if p.suffix != ".nc"] == [p.suffix for p in text]
    assert not (tmp_path / "text.nc").exists() and (tmp_path / "both.nc").exists()
    for a, b in zip((p for p in both if p.suffix != ".nc"), text):
        assert a.read_bytes() == b.read_bytes()
    with pytest.raises(lw.ModelError, match="netcdf of write_mbdyn must be True or False"):
        lw.write_mbdyn(deck, run, tmp_path / "text", netcdf="no")
    control = "output results: netcdf, no text; end: control data;"
    (tmp_path / "deck.mbd").write_text(chain(3, 20).replace("end: control data;", control))
    deck = lw.read_deck(tmp_path / "deck.mbd")
    run = lw.run_deck(deck, progress=False)
    paths = lw.write_mbdyn(deck, run, tmp_path / "alone", netcdf=False)
    assert [p.suffix for p in paths] == [".log", ".nc"]
