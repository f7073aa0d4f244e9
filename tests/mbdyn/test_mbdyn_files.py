"""Results in MBDyn's layouts: text files, NetCDF, and the commands that write them."""

from __future__ import annotations

import h5netcdf
import numpy as np
import pytest
from inside import Tables, app
from mbdyn_decks import DECKS
from mbdyn_text import BODY, NODE, deck_text
from typer.testing import CliRunner

import linkwork as lw
from linkwork.extend import rotations
from linkwork.io.mbdyn.output.numbers.motion import angles
from linkwork.io.mbdyn.syntax.geometry import TURNS, turns

runner = CliRunner()

TWO_FRAMES = """
begin: data; problem: initial value; end: data;
begin: initial value;
  initial time: 0.; final time: .4; time step: 1.e-3; method: ms, .9;
  eigenanalysis: .1, parameter, .01;
end: initial value;
begin: control data;
  structural nodes: 6; rigid bodies: 2; joints: 1; forces: 3; gravity: 1; output precision: 12;
  {control}
end: control data;
begin: nodes;
  structural: 1, dynamic, null, euler123, .1, .2, .3, 1., 0., 0., .5, 1., 2., accelerations, yes;
  structural: 2, dynamic, 1., 2., .5, euler123, .5, .1, .2, 0., 1., 0., 1., .5, .3,
    accelerations, yes;
  structural: 3, dummy, 1, offset, .1, .2, .3, euler123, .3, .2, .1, accelerations, yes;
  structural: 4, dummy, 1, relative frame, 2, position, .3, 0., .1, orientation, euler123, .2, .3,
    .4, accelerations, yes;
  structural: 5, dummy, 1, relative frame, 2, position, .3, 0., .1, pivot node, 2, position, .3,
    0., .1, accelerations, yes;
  structural: 6, static, null, eye, null, null, output, no;
end: nodes;
begin: elements;
  body: 1, 1, 2., .1, .2, .3, diag, 1., 2., 2.5;
  body: 2, 2, 1., null, diag, .5, .6, .7;
  joint: 6, clamp, 6, node, node;
  force: 1, absolute, 1, position, .1, 0., 0., 0., 2., 0., sine, 0., 5., 1., forever, 0.;
  force: 2, follower internal, 1, position, .1, 0., 0., 2, position, 0., .2, 0.,
    1., 0., 0., const, 3.;
  couple: 3, follower, 2, 0., 0., 1., const, .5;
  gravity: 0., 0., -1., 9.81;
end: elements;
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mbdyn")
    path = folder / "two.mbd"
    path.write_text(TWO_FRAMES.format(control=""))
    deck = lw.read_deck(path, environment={})
    run = lw.run_deck(deck, progress=False)
    paths = lw.write_mbdyn(deck, run, folder / "out")
    return deck, run, folder, paths


def table(folder, suffix):
    """The lines of every label, which may have different lengths."""
    found: dict[int, list] = {}
    for line in (folder / f"out.{suffix}").read_text().splitlines():
        row = [float(word) for word in line.split()]
        found.setdefault(int(row[0]), []).append(row)
    return {label: np.array(rows) for label, rows in found.items()}


def test_files_that_are_written(ran):
    _, _, folder, paths = ran
    expected = {f"out.{x}" for x in ("mov", "ine", "jnt", "frc", "out", "log", "nc")}
    assert {p.name for p in paths} == expected == {p.name for p in folder.glob("out.*")}


def test_text_is_that_of_one_line_after_the_other(ran):
    """Every number of the tables with twelve digits, entity by entity, time by time."""
    deck, run, folder, _ = ran
    tables = Tables(deck, run)
    nodes = [(n, tables.node(n)) for n in range(1, 6)]
    joint = [(6, np.hstack(tables.joint(deck.joints[6])))]
    for suffix, entries in (("mov", nodes), ("jnt", joint)):
        text = ""
        for k in range(len(tables.rows)):
            for label, array in entries:
                text += f"{label:8d}" + "".join(f" {x:.12e}" for x in array[k]) + "\n"
        assert (folder / f"out.{suffix}").read_text() == text
    (F, _, (arm,)), (G, _, arms), (_, M, _) = (tables.force(deck.forces[k]) for k in (1, 2, 3))

    def words(*arrays):
        return " ".join(f"{x:.12e}" for array in arrays for x in array)

    text = "".join(
        f"1 1 {words(F[k], arm[k])}\n"
        f"2 1 {words(G[k], arms[0][k])} 2 {words(-G[k], arms[1][k])}\n"
        f"3 2 {words(M[k])}\n"
        for k in range(len(tables.rows))
    )
    assert (folder / "out.frc").read_text() == text


# ------------------------------------------------------------------------------------- motion


def test_quaternions_of_many_matrices():
    q = np.random.default_rng(4).normal(size=(300, 4))
    R = rotations.matrix(q / np.linalg.norm(q, axis=1, keepdims=True))
    one_by_one = np.array([rotations.from_matrix(X) for X in R])
    np.testing.assert_allclose(rotations.from_matrices(R), one_by_one, rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", ["euler123", "euler313", "euler321"])
def test_angles_give_the_orientation_back(kind):
    rng = np.random.default_rng(1)
    q = rng.normal(size=(200, 4))
    R = rotations.matrix(q / np.linalg.norm(q, axis=1, keepdims=True))
    found = np.radians(angles(R, kind))
    again = np.array([turns(TURNS[kind], a) for a in found])
    np.testing.assert_allclose(again, R, atol=1e-14)


def test_vector_and_matrix_give_the_orientation_back():
    rng = np.random.default_rng(2)
    q = rng.normal(size=(50, 4))
    R = rotations.matrix(q / np.linalg.norm(q, axis=1, keepdims=True))
    again = rotations.matrix(rotations.exponential(angles(R, "orientation vector")))
    np.testing.assert_allclose(again, R, atol=1e-14)
    np.testing.assert_array_equal(angles(R, "orientation matrix").reshape(-1, 3, 3), R)


def test_node_of_a_body_with_its_mass_elsewhere(ran):
    """x = r − R b and the velocity of that point, from the result of the body."""
    _, run, folder, _ = ran
    mov = table(folder, "mov")
    assert sorted(mov) == [1, 2, 3, 4, 5]  # node 6 is not written
    body = run["node 1"]
    R = rotations.matrix(body.orientation.values)
    b = R @ np.array([0.1, 0.2, 0.3])
    w = np.einsum("tij,tj->ti", R, body.angular_velocity.values)
    np.testing.assert_allclose(mov[1][:, 1:4], body.position.values - b, atol=1e-10)
    np.testing.assert_allclose(mov[1][:, 7:10], body.velocity.values - np.cross(w, b), atol=1e-10)
    np.testing.assert_allclose(mov[1][:, 10:13], w, atol=1e-10)


@pytest.mark.parametrize("label", [1, 3, 4, 5])
def test_velocities_and_accelerations_are_rates(ran, label):
    """Central differences of the columns before them; their error is h² x⁗/6."""
    mov, h = table(ran[2], "mov")[label], 1e-3

    def rate(x):
        return (x[2:] - x[:-2]) / (2 * h)

    near = dict(atol=2e-4 * max(1.0, np.abs(mov).max()))
    np.testing.assert_allclose(rate(mov[:, 1:4]), mov[1:-1, 7:10], **near)
    np.testing.assert_allclose(rate(mov[:, 7:10])[5:], mov[6:-1, 13:16], **near)
    np.testing.assert_allclose(rate(mov[:, 10:13])[5:], mov[6:-1, 16:19], **near)
    R = np.array([turns((0, 1, 2), np.radians(a)) for a in mov[:, 4:7]])
    spin = np.swapaxes(R, 1, 2)[1:-1]
    W = ((R[2:] - R[:-2]) / (2 * h)) @ spin
    w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)
    np.testing.assert_allclose(w, mov[1:-1, 10:13], **near)


def test_relative_frames(ran):
    """Node 4 is node 1 as seen from node 2; put on the same place again (node 5) it is node 1."""
    mov = table(ran[2], "mov")

    def matrix(rows):
        return np.array([turns((0, 1, 2), np.radians(a)) for a in rows[:, 4:7]])

    R1, R2 = matrix(mov[1]), matrix(mov[2]) @ turns((0, 1, 2), np.array([0.2, 0.3, 0.4]))
    d = mov[1][:, 1:4] - mov[2][:, 1:4] - matrix(mov[2]) @ np.array([0.3, 0, 0.1])
    np.testing.assert_allclose(mov[4][:, 1:4], np.einsum("tji,tj->ti", R2, d), atol=1e-9)
    np.testing.assert_allclose(matrix(mov[4]), np.swapaxes(R2, 1, 2) @ R1, atol=1e-9)
    np.testing.assert_allclose(mov[5][:, 1:4], mov[1][:, 1:4], atol=1e-9)
    np.testing.assert_allclose(mov[5][:, 7:], mov[1][:, 7:], atol=1e-8)


# ------------------------------------------------------------------------------ forces, momenta


def test_momenta_change_by_the_forces(ran):
    """β̇ is the sum of the forces, γ̇ + ẋ × β that of their moments about the node."""
    ine, frc, mov = (table(ran[2], s) for s in ("ine", "frc", "mov"))
    gravity = np.array([0, 0, -9.81])
    R = np.array([turns((0, 1, 2), np.radians(a)) for a in mov[1][:, 4:7]])
    x, v, b = mov[1][:, 1:4], mov[1][:, 7:10], R @ np.array([0.1, 0.2, 0.3])
    F1, F2 = frc[1][:, 2:5], frc[2][:, 2:5]
    total = F1 + F2 + 2 * gravity
    moment = np.cross(frc[1][:, 5:8] - x, F1) + np.cross(frc[2][:, 5:8] - x, F2)
    moment += np.cross(b, 2 * gravity)
    beta, rate, turning = ine[1][:, 1:4], ine[1][:, 7:10], ine[1][:, 10:13]
    np.testing.assert_allclose(rate[5:], total[5:], atol=1e-3)
    np.testing.assert_allclose((turning + np.cross(v, beta))[5:], moment[5:], atol=2e-3)
    np.testing.assert_array_equal(frc[2][:, 8], 2)  # the second node, with the opposite force
    np.testing.assert_allclose(frc[2][:, 9:12], -F2)
    assert frc[3].shape[1] == 2 + 3


def test_pairs_of_forces_keep_the_momentum(ran):
    """What the internal pair does to nodes 1 and 2 adds up to nothing."""
    ine, frc = table(ran[2], "ine"), table(ran[2], "frc")
    both = ine[1][:, 7:10] + ine[2][:, 7:10]
    outside = frc[1][:, 2:5] + 3 * np.array([0, 0, -9.81])
    np.testing.assert_allclose(both[5:], outside[5:], atol=2e-3)


# --------------------------------------------------------------------------------- NetCDF, .out


def test_netcdf_has_the_same_numbers(ran):
    _, run, folder, _ = ran
    mov, jnt = table(folder, "mov"), table(folder, "jnt")
    with h5netcdf.File(folder / "out.nc") as file:
        np.testing.assert_allclose(file["time"][:], run.time)
        assert file.dimensions["struct_node_labels_dim"].size == 5  # by which blendyn counts
        assert list(file["node.struct"][:]) == [1, 2, 3, 4, 5]
        for name, values in (
            ("1.X", mov[1][:, 1:4]), ("3.E", mov[3][:, 4:7]), ("2.XPP", mov[2][:, 13:16]),
        ):  # fmt: skip
            found = file[f"node.struct.{name}"][:]
            np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(file["elem.joint.6.F"][:], jnt[6][:, 7:10], atol=1e-9)
        for name in ("node.struct.1.B", "elem.force.1.Arm", "elem.couple.3.M", "run.timestep"):
            assert name in file.variables
        assert file["node.struct.1.X"].attrs["units"] == "m"


def test_steps_and_eigenvalues_in_out(ran):
    lines = (ran[2] / "out.out").read_text().splitlines()
    steps = [line.split() for line in lines if line.startswith("Step")]
    assert [float(s[2]) for s in steps] == pytest.approx(ran[1].time, abs=1e-9)
    assert [int(s[1]) for s in steps] == list(range(401))
    sizes = [0.0] + [1e-3] * 400  # no step ends where the run begins
    assert [float(s[3]) for s in steps] == pytest.approx(sizes)
    with h5netcdf.File(ran[2] / "out.nc") as file:
        np.testing.assert_allclose(file["run.timestep"][:], sizes)
    assert any(line.startswith("# eigenanalysis at t = 0.1") for line in lines)


def test_eigenvalues_of_a_pendulum(tmp_path):
    """√(3 g/2 L) of the rod of compound_pendulum.mbd, hanging still."""
    text = (DECKS / "compound_pendulum.mbd").read_text()
    text = text.replace("pi/3.", "0.").replace("ms, .9;", "ms, .9; eigenanalysis: 0.;")
    path = tmp_path / "still.mbd"
    path.write_text(text.replace("final time: 3.", "final time: .01"))
    deck = lw.read_deck(path)
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "still")
    eig = [line for line in (tmp_path / "still.out").read_text().splitlines() if line[:3] == "Eig"]
    assert float(eig[0].split()[3]) == pytest.approx(np.sqrt(1.5 * 9.81 / 1.2), rel=1e-6)


@pytest.mark.parametrize(
    ("control", "times"),
    [("output frequency: 7;", np.arange(0, 401, 7) * 1e-3),
     ("output meter: meter, .1, .3, steps, 50;", [0.1, 0.15, 0.2, 0.25, 0.3]),
     ("output meter: string, \"Time > .3945\";", np.arange(395, 401) * 1e-3)],
)  # fmt: skip
def test_which_steps_are_written(tmp_path, control, times):
    path = tmp_path / "two.mbd"
    path.write_text(TWO_FRAMES.format(control=control))
    deck = lw.read_deck(path, environment={})
    tables = Tables(deck, lw.run_deck(deck, progress=False))
    np.testing.assert_allclose(tables.time, times, atol=1e-12)


def test_default_output_and_orientation(tmp_path):
    path = tmp_path / "two.mbd"
    control = "default output: none, structural nodes; default orientation: orientation matrix;"
    path.write_text(TWO_FRAMES.format(control=control))
    deck = lw.read_deck(path, environment={})
    paths = lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "out")
    assert not any(p.suffix == ".jnt" for p in paths)
    assert np.loadtxt(tmp_path / "out.mov").shape[1] == 1 + 3 + 9 + 6 + 6


def test_labels_beyond_the_largest_signed_integer(tmp_path):
    """Labels are unsigned in MBDyn: 2147483648 is one."""
    label, path = 2**31, tmp_path / "label.mbd"
    pin = f"joint: {label}, spherical pin, 1, position, null, position, null;"
    path.write_text(deck_text(NODE, BODY + pin, time=".02"))
    deck = lw.read_deck(path, environment={})
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "label")
    with h5netcdf.File(tmp_path / "label.nc") as file:
        assert file["elem.joint"][:].tolist() == [label]
        assert file["node.struct"][:].dtype == np.int32


# ------------------------------------------------------------------------------------ commands


def test_run_writes_the_files_of_mbdyn_and_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deck = str(DECKS / "static_load.mbd")
    found = runner.invoke(app, ["run", deck, "-o", "out"])
    assert found.exit_code == 0, found.output
    assert {p.suffix for p in tmp_path.glob("out.*")} == {
        ".mov", ".ine", ".jnt", ".frc", ".out", ".log", ".nc"}  # fmt: skip
    deck = str(DECKS / "slider_crank.mbd")
    found = runner.invoke(app, ["run", deck, "-o", "crank", "--save", "ours", "-t", "0.1"])
    assert found.exit_code == 0, found.output
    assert "crank.mov" in found.output and "ours.nc" in found.output
    stored = lw.load("ours.nc")
    assert stored.time[-1] == pytest.approx(0.1)
    assert np.loadtxt("crank.mov").shape == (201 * 4, 13)


def test_other_commands_take_decks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deck = str(DECKS / "compound_pendulum.mbd")
    for arguments in (["static", deck], ["info", deck], ["run", deck, "--list-unsupported"]):
        found = runner.invoke(app, arguments)
        assert found.exit_code == 0, found.output
    assert "every card is supported" in found.output
    found = runner.invoke(app, ["eigen", deck])
    assert found.exit_code == 0 and f"{np.sqrt(1.5 * 9.81 / 1.2):.4f}" in found.output


def test_errors_of_decks_are_one_sentence(tmp_path):
    path = tmp_path / "bad.mbd"
    path.write_text("begin: data;\n problem: modal analysis;\nend: data;")
    found = runner.invoke(app, ["run", str(path)])
    assert found.exit_code == 1
    assert "bad.mbd:2:11: problem: the problem 'modal analysis' is not supported" in found.output
    listed = runner.invoke(app, ["run", str(path), "--list-unsupported"])
    assert "1 card is not supported" in listed.output
    wrong = runner.invoke(app, ["run", "model.py", "--list-unsupported"])
    assert wrong.exit_code == 2 and "needs an MBDyn input file" in wrong.output
