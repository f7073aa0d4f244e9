"""Inverse dynamics, eigenanalysis, statics of MBDyn decks, and the command line with them."""

from __future__ import annotations

import re

import h5netcdf
import numpy as np
import pytest
import scipy.linalg as la
from inside import Tables, app
from mbdyn_decks import DECKS
from scipy.integrate import solve_ivp
from typer.testing import CliRunner

import linkwork as lw
from linkwork import MbdynError, run_deck
from linkwork.io.mbdyn.deck.eigen_analysis import eigen_analyses
from tests.analysis.test_inverse import L1, L2, arm, joint_motion, links, torques

G = 9.81
runner = CliRunner()


# ------------------------------------------------------------------------------ inverse dynamics


def lifting(tables, label):
    """The torque of a joint that lifts its second node: about −y, in global axes; total joints give
    the one on the first node."""
    return tables.joint(tables.deck.joints[label])[3][:, 1]


def nodes_as_links(run):
    """The run with its bodies under the names that test_inverse knows."""
    return {"a": run["node 1"], "b": run["node 2"]}


def test_torques_of_an_arm(changed):
    """Collocated: Lagrange's equations of two links, and lw.inverse of a model in Python."""
    deck = changed("arm_torques")
    run = run_deck(deck, progress=False)
    tables = Tables(deck, run)
    laws = lw.sine(0.7, 0.8), lw.polynomial([0, 0.3, -0.9])
    jets = np.stack([law.jet(run.time) for law in laws], axis=2)
    expected = torques(jets[:, 0], jets[:, 1], jets[:, 2])
    m = lw.Model(gravity=(0, 0, -G))
    a, b = links(m)
    m.add("shoulder", lw.Motor(lw.GROUND, a, (0, 0, 0), (0, -1, 0), angle=laws[0]))
    m.add("elbow", lw.Motor(a, b, (L1, 0, 0), (0, -1, 0), angle=laws[1]))
    inv = lw.inverse(m, t=1, h=0.02, progress=False)
    for k, name in enumerate(("shoulder", "elbow")):
        np.testing.assert_allclose(lifting(tables, k + 1), expected[:, k], atol=1e-9)
        np.testing.assert_allclose(lifting(tables, k + 1), inv[name], atol=1e-9)
    # the pin carries what the links' masses need
    a = [run[f"node {n}"].acceleration.values for n in (1, 2)]
    force = 1.4 * a[0] + 0.9 * a[1] + np.array([0, 0, G]) * 2.3
    np.testing.assert_allclose(tables.joint(deck.joints[1])[2], -force, atol=1e-9)


def test_cards_about_steps_have_no_effect_where_nothing_is_integrated(changed):
    assert changed("arm_torques").without_effect == ["tolerance", "max iterations"]
    deck = changed("static_load", ("time step: .1;", "time step: .1; method: ms, .6;"))
    assert deck.without_effect == ["method"]


def test_torques_that_lead_a_tip(changed):
    """Non-collocated: joints that push give the torques of the motion they follow."""
    deck = changed("arm_tip")
    run = run_deck(deck, progress=False)
    tables = Tables(deck, run)
    expected = torques(*joint_motion(nodes_as_links(run)))
    for k, label in enumerate((5, 6)):
        np.testing.assert_allclose(lifting(tables, label), expected[:, k], atol=1e-8)
    x = [0.8 * np.cos(0.6) + 0.6 * np.cos(-0.8), 0.8 * np.sin(0.6) + 0.6 * np.sin(-0.8)]
    tip = run["node 2"].point((L2 / 2, 0, 0)).values
    np.testing.assert_allclose(tip[:, 0], x[0] + 0.1 * np.sin(np.pi * run.time), atol=1e-10)
    np.testing.assert_allclose(tip[:, 2], x[1] + 0.2 * run.time + 0.1 * run.time**2, atol=1e-10)
    np.testing.assert_array_equal(tables.joint(deck.joints[4])[2], 0)  # it only prescribes
    m = lw.Model(gravity=(0, 0, -G))
    # its tip is led from (L1, 0, −.3)
    arm(m, {"x": lw.expression(f"{x[0] - L1} + 0.1*sin(pi*t)"),
            "z": lw.polynomial([x[1] + 0.3, 0.2, 0.1])})  # fmt: skip
    inv = lw.inverse(m, t=1, h=0.02, actuators=["shoulder", "elbow"], progress=False)
    for name, label in (("shoulder", 5), ("elbow", 6)):
        np.testing.assert_allclose(lifting(tables, label), inv[name], atol=1e-8)


def test_an_arm_with_a_free_elbow(changed):
    """Underactuated: the elbow has no torque, the shoulder what Lagrange's equations say."""
    deck = changed(
        "arm_torques", ("fully actuated collocated", "underdetermined underactuated collocated, "
                        "weights, 0., 1., 0., 1."),
        (r'(?s)active, active, active,\s+0., -1., 0., string, "0.3.*?prescribed motion, yes;',
         "active, inactive, active, null, inverse dynamics, torque, no;"),
        ("time step: .02", "time step: .005"),
    )  # fmt: skip
    run = run_deck(deck, progress=False)
    expected = torques(*joint_motion(nodes_as_links(run)))
    np.testing.assert_allclose(expected[:, 1], 0, atol=1e-9)
    np.testing.assert_allclose(lifting(Tables(deck, run), 1), expected[:, 0], atol=1e-9)
    assert run.info["method"] == "inverse dynamics, underactuated, collocated"


def test_an_arm_that_lifts_its_tip(changed):
    """Overactuated: the height alone is led, both joints push."""
    pairs = (
        ("fully actuated non collocated", "underdetermined fully actuated, "
         "weights, .5, 1., .5, 1., .5, 1."),
        ("active, inactive, active,\n", "inactive, inactive, active,\n"),
    )  # fmt: skip
    deck = changed("arm_tip", *pairs)
    run = run_deck(deck, progress=False)
    tables = Tables(deck, run)
    expected = torques(*joint_motion(nodes_as_links(run)))
    for k, label in enumerate((5, 6)):
        np.testing.assert_allclose(lifting(tables, label), expected[:, k], atol=1e-8)
    z = run["node 2"].point((L2 / 2, 0, 0)).values[:, 2]
    np.testing.assert_allclose(z - z[0], 0.2 * run.time + 0.1 * run.time**2, atol=1e-10)


def links_metric(q, masses):
    """Σ δqᵀ M δq of both links over both angles: M of ones, or of masses and inertias."""
    m, J = (np.array([1.4, 0.9]), np.array([0.05, 0.03])) if masses else (np.ones(2), np.ones(2))
    along = [np.array([-np.sin(x), np.cos(x)]) for x in (q[0], q[0] + q[1])]
    first = np.outer(along[0], [L1 / 2, 0])
    second = np.outer(along[0], [L1, 0]) + np.outer(along[1], [L2 / 2, L2 / 2])
    turn = np.array([[1.0, 0.0], [1.0, 1.0]])
    return m[0] * first.T @ first + m[1] * second.T @ second + turn.T @ np.diag(J) @ turn


@pytest.mark.parametrize(
    ("weights", "ergonomy", "masses"),
    [("", "no", False), (", weights, 1., 0., 1., 0., 1., 0.", "yes", False),
     (", weights, 0., 0., 0., 0., 0., 0.", "no", False),
     (", weights, 0., 2., 0., 1., 0., 1.", "yes", True)],
)  # fmt: skip
def test_the_metric_of_an_overactuated_arm(changed, weights, ergonomy, masses):
    """The height alone is led: least q̇ᵀ G q̇ with ż given, by integrating the two angles."""
    h = 0.005
    deck = changed(
        "arm_tip",
        ("fully actuated non collocated", f"underdetermined fully actuated{weights}"),
        ("active, inactive, active,\n", "inactive, inactive, active,\n"),
        ("time step: .02", f"time step: {h}"),
        ("1, 1, 1.4, null, diag, .01, .05, .05",
         f"1, 1, 1.4, null, diag, .01, .05, .05, inverse dynamics, ergonomy, {ergonomy}"),
        ("2, 2, .9, null, diag, .01, .03, .03",
         f"2, 2, .9, null, diag, .01, .03, .03, inverse dynamics, ergonomy, {ergonomy}"),
    )  # fmt: skip
    run = run_deck(deck, progress=False)

    def rates(t, q):
        J = np.array([L1 * np.cos(q[0]) + L2 * np.cos(q[0] + q[1]), L2 * np.cos(q[0] + q[1])])
        across = np.linalg.solve(links_metric(q, masses), J)
        return across * (0.2 + 0.2 * t) / (J @ across)

    exact = solve_ivp(rates, (0, 1), [0.6, -1.4], t_eval=run.time, rtol=1e-10, atol=1e-12).y
    angles = -2 * np.arctan2(run["node 1"].orientation.values[:, 2],
                             run["node 1"].orientation.values[:, 0])  # fmt: skip
    moved = np.abs(exact[0] - exact[0, 0]).max()
    np.testing.assert_allclose(angles, exact[0], atol=0.5 * h * moved)
    for name in ("node 1", "node 2"):  # what is written is one motion
        x, v, a = (getattr(run[name], word).values for word in
                   ("position", "velocity", "acceleration"))  # fmt: skip
        np.testing.assert_allclose(v, np.gradient(x, h, axis=0, edge_order=2), atol=20 * h**2)
        slope = np.gradient(v, h, axis=0, edge_order=2)
        np.testing.assert_allclose(a[3:-3], slope[3:-3], atol=20 * h**2)


def test_accelerations_of_static_nodes_are_written_in_inverse_dynamics(changed, tmp_path):
    control = "begin: control data; default output: accelerations;"
    deck = changed("arm_torques", ("begin: control data;", control),
                   ("structural: 2, dynamic", "structural: 2, static"))  # fmt: skip
    run = run_deck(deck, progress=False)
    lw.write_mbdyn(deck, run, tmp_path / "out", netcdf=False)
    lines = (tmp_path / "out.mov").read_text().splitlines()
    assert {len(line.split()) for line in lines} == {19}


def test_inverse_dynamics_may_begin_later(changed):
    late = run_deck(changed("arm_torques", ("initial time: 0.", "initial time: .5")),
                    progress=False)  # fmt: skip
    whole = run_deck(changed("arm_torques"), progress=False)
    assert late.time[0] == 0.5
    np.testing.assert_allclose(late.gamma, whole.gamma[25:], atol=1e-9)
    np.testing.assert_allclose(late["node 2"].acceleration, whole["node 2"].acceleration[25:],
                               atol=1e-9)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "pairs", "sentence"),
    [("arm_torques", [("collocated", "non collocated"),
                      (r",\s+inverse dynamics, torque, yes, prescribed motion, yes", "")],
      "needs joints that push alone"),
     ("arm_torques", [("fully actuated collocated", "overdetermined")], "expected a type"),
     ("arm_torques", [("fully actuated coll", "underdetermined underactuated coll")],
      "make it 'fully actuated collocated'"),
     ("arm_torques", [("collocated;", "collocated, weights, 1., 0.;")], "weights belong to"),
     ("arm_tip", [("non collocated", "collocated")], "has no joints that push alone"),
     ("arm_tip", [("torque, no, prescribed", "torque, yes, prescribed")], "which joints of"),
     ("arm_tip", [("fully actuated non collocated", "underdetermined fully actuated, weights, "
                   "-1., 0., 0., 1., 0., 1.")], "must not be negative"),
     ("arm_torques", [("right hand side, yes", "right hand side, no")], "do not count"),
     ("arm_tip", [("torque, no, prescribed motion, yes", "torque, no, prescribed motion, yes, "
                   "ergonomy, yes")], "ergonomy of joints"),
     ("arm_torques", [("problem: inverse dynamics", "problem: initial value")],
      "the problem of the deck is initial value"),
     ("arm_torques", [("final time: 1.;", "")], "inverse dynamics block gives no final time")],
)  # fmt: skip
def test_inverse_problems_that_are_refused(changed, name, pairs, sentence):
    with pytest.raises(MbdynError, match=sentence):
        run_deck(changed(name, *pairs), progress=False)


def test_words_of_inverse():
    m = lw.Model(gravity=(0, 0, -G))
    a, b = links(m)
    m.add("shoulder", lw.Motor(lw.GROUND, a, (0, 0, 0), (0, -1, 0), angle=lw.ramp(1)))
    m.add("elbow", lw.Revolute(a, b, at=(L1, 0, 0), axis=(0, -1, 0)))
    for words, sentence in (({"pushing": ["a"]}, "must name joints"),
                            ({"pushing": ["elbow"], "actuators": ["elbow"]}, "not both"),
                            ({"begin": 2}, "later than the start time 2")):  # fmt: skip
        with pytest.raises(lw.errors.ModelError, match=sentence):
            lw.inverse(m, 1, 0.1, **words)


# --------------------------------------------------------------------------------- eigenanalysis

MODE = ", parameter, 1./12., mode, {}, use arpack, {}, 6, 0., 300"
FREQUENCIES = np.sqrt([1.5 * G / 1.2, 300 / 2, 3 * 300 / 2])  # the rod, in phase, against


def octave(path):
    """The matrices of an .m file."""
    out, text = {}, path.read_text()
    for name, body in re.findall(r"(?ms)^(\w+) = \[\s*(.*?)\];", text):
        rows = [line.split() for line in body.strip().splitlines()]
        out[name] = np.array([[complex(x.replace("i", "j")) for x in row] for row in rows])
    out["dCoef"] = float(re.search(r"dCoef = (\S+);", text).group(1))
    return out


def test_modes_in_files(changed, tmp_path):
    deck = changed("small_motions")
    paths = lw.write_mbdyn(deck, run_deck(deck, progress=False), tmp_path / "out")
    assert {"out_00.m", "out_01.m"} <= {path.name for path in paths}
    lines = [line.split() for line in (tmp_path / "out.out").read_text().splitlines()
             if line.startswith("Eig")]  # fmt: skip
    assert len(lines) == 6
    np.testing.assert_allclose([float(line[3]) for line in lines[:3]], FREQUENCIES, rtol=1e-9)
    found = octave(tmp_path / "out_00.m")
    c, alpha, V = found["dCoef"], found["alpha"].real, found["VR"]
    assert c == 0.1
    big = (alpha[:, 0] + 1j * alpha[:, 1]) / alpha[:, 2]
    values = (big - 1) / (big + 1) / c  # as the manual has it
    np.testing.assert_allclose(values[::2], 1j * FREQUENCIES, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(values[1::2], -1j * FREQUENCIES, rtol=1e-9, atol=1e-12)
    # the matrices have these eigenvalues and vectors; constraints give infinite ones
    plus, minus = found["Aplus"].real, found["Aminus"].real
    np.testing.assert_allclose(minus @ V, plus @ V * big, atol=1e-9 * np.abs(V).max() * 300)
    every = la.eigvals(minus, plus)
    every = every[np.abs(every + 1) > 1e-6]  # λ infinite is Λ = −1
    for value in big:
        assert np.abs(every - value).min() < 1e-6
    # shapes: the masses go along or against each other, the rod turns about its node
    order = {label: k for k, label in enumerate(found["labels"][0].real.astype(int))}
    index = found["idx"][0].real.astype(int)
    one, two, rod = (index[order[n]] for n in (1, 2, 3))
    np.testing.assert_allclose(V[two, 2] / V[one, 2], 1, atol=1e-9)
    np.testing.assert_allclose(V[two, 4] / V[one, 4], -1, atol=1e-9)
    np.testing.assert_allclose(V[rod : rod + 3, 0], 0, atol=1e-9)
    assert abs(V[rod + 4, 0]) > 0.5
    n = 6 * len(order)
    np.testing.assert_allclose(V[n : 2 * n], V[:n] * values, atol=1e-9)
    np.testing.assert_allclose(found["X0"][rod : rod + 3, 0], [0, 5, 0], atol=1e-12)


def test_modes_in_netcdf(changed, tmp_path):
    deck = changed("small_motions", ("output full matrices", "output sparse matrices"))
    lw.write_mbdyn(deck, run_deck(deck, progress=False), tmp_path / "out")
    text = octave(tmp_path / "out_01.m")
    with h5netcdf.File(tmp_path / "out.nc") as file:
        np.testing.assert_array_equal(file["eig.step"][:], [0, 5])
        np.testing.assert_allclose(file["eig.time"][:], [0, 0.05])
        np.testing.assert_allclose(file["eig.dCoef"][:], 0.1)
        np.testing.assert_array_equal(file["eig.idx"][:], text["idx"][0].real)
        np.testing.assert_allclose(file["eig.1.alpha"][:], text["alpha"].real, rtol=1e-12)
        V = file["eig.1.VR"][:]
        np.testing.assert_allclose(V[0].T + 1j * V[1].T, text["VR"], atol=1e-12)
        triples = file["eig.1.Aplus"][:]
    np.testing.assert_allclose(triples, text["Aplus"].real, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "frequencies"),
    [(", lower frequency limit, 1.", FREQUENCIES[1:]),
     (", upper frequency limit, 2.", FREQUENCIES[:2]),
     (", lower frequency limit, 1., upper frequency limit, 2.", FREQUENCIES[1:2]),
     (", use arpack, 2, 6, 0.", FREQUENCIES[:2]), (", use jdqz, 1, 6, 0.", FREQUENCIES[:1]),
     # |Im Λ| = 2 cω/(1 + (cω)²) is 0.54, 1.00, 0.86 and Re Λ 0.84, −0.02, −0.52
     (MODE.format("largest imaginary part", 1), FREQUENCIES[1:2]),
     (MODE.format("largest imaginary part", 2), FREQUENCIES[1:]),
     (MODE.format("smallest imaginary part", 1), FREQUENCIES[:1]),
     (MODE.format("largest real part", 2), FREQUENCIES[:2]),
     (MODE.format("smallest real part", 1), FREQUENCIES[2:]),
     (MODE.format("smallest real part", 1) + ", upper frequency limit, 2.", FREQUENCIES[:0]),
     (", mode, largest imaginary part, use lapack", FREQUENCIES),
     ('', FREQUENCIES)],
)  # fmt: skip
def test_which_modes_are_written(changed, tmp_path, options, frequencies):
    deck = changed("small_motions", ("(?s)eigenanalysis: .*?;", f"eigenanalysis: 0.{options};"))
    run = run_deck(deck, progress=False)
    values = eigen_analyses(deck, run)[0].values
    np.testing.assert_allclose(values, 1j * frequencies, rtol=1e-9, atol=1e-10)
    paths = lw.write_mbdyn(deck, run, tmp_path / "out")
    assert tmp_path / "out.m" in paths
    assert "VR" not in octave(tmp_path / "out.m")


@pytest.mark.parametrize(
    ("options", "parameter"),
    [("mode, smallest magnitude, upper frequency limit, 4.", 1 / (40 * np.pi)),
     ("lower frequency limit, 4., mode, largest imaginary part", 5 / (8 * np.pi)),
     ("mode, largest real part, upper frequency limit, 4.", 1.0),
     ("mode, smallest magnitude, upper frequency limit, 4., parameter, 2.", 2.0), ("", 1.0)],
)  # fmt: skip
def test_parameter_by_default(changed, options, parameter):
    card = f"eigenanalysis: 0.{', ' if options else ''}{options};"
    deck = changed("small_motions", ("(?s)eigenanalysis: .*?;", card))
    assert deck.analysis.eigen.parameter == pytest.approx(parameter)


def test_suffixes_of_files(changed):
    for options, name in (('suffix format, "at%03d"', "x_at001.m"), ("suffix width, 4", "x_0001.m"),
                          ("suffix width, compute", "x_1.m")):  # fmt: skip
        deck = changed("small_motions", ("suffix width, 2", options))
        assert deck.analysis.eigen.file("x", 1) == name
    with pytest.raises(MbdynError, match="one %d"):
        changed("small_motions", ("suffix width, 2", 'suffix format, "%d%d"'))
    with pytest.raises(MbdynError, match="option of eigenanalysis 'quickly'"):
        changed("small_motions", ("suffix width, 2", "quickly"))


def test_modes_that_cannot_be_found_are_told(changed, tmp_path):
    """A mass in motion has no modes; a time after the end neither."""
    deck = changed("small_motions", ("0., .05", "0., 7."), ("2., 0., 0., null", "2., 0., 0., "
                   "1., 0., 0."))  # fmt: skip
    run = run_deck(deck, progress=False)
    first, second = eigen_analyses(deck, run)
    assert first.values is None and first.sentence
    assert second.sentence == "the run ends before it"
    paths = lw.write_mbdyn(deck, run, tmp_path / "out")
    assert not [path for path in paths if path.suffix == ".m"]
    assert f"# {first.sentence}" in (tmp_path / "out.out").read_text()


def test_modes_of_an_equilibrium(changed):
    """model: static; the load stretches the rod, and stiffens nothing along it: √(EA/(L₀ m))."""
    deck = changed("static_load", ("time step: .1;", "time step: .1; eigenanalysis: 1.;"))
    run = run_deck(deck, progress=False)
    one = eigen_analyses(deck, run)[0]
    assert one.row == 10
    along = np.sqrt(500.0)
    across = np.sqrt(30 / 1.06)  # tension over length and mass
    np.testing.assert_allclose(one.values.imag, [across, across, along], rtol=1e-9)


# ------------------------------------------------------------------------------ the command line


@pytest.mark.parametrize(
    ("name", "files", "word"),
    [("arm_torques", "mov ine jnt out nc", "inverse dynamics, fully actuated, collocated"),
     ("static_load", "mov ine jnt frc out nc", "equilibria"),
     ("small_motions", "mov ine jnt out nc", "degrees of freedom"),
     ("variable_step", "mov ine jnt out nc", "then by the deck's strategy")],
)  # fmt: skip
def test_run_of_a_deck(tmp_path, name, files, word):
    found = runner.invoke(app, ["run", str(DECKS / f"{name}.mbd"), "-o", str(tmp_path / "x"),
                                "--save", str(tmp_path / "ours")])  # fmt: skip
    assert found.exit_code == 0, found.output
    assert word in found.output
    for suffix in files.split():
        assert (tmp_path / f"x.{suffix}").stat().st_size > 0
    assert len(lw.load(tmp_path / "ours.nc")) > 5
    assert not re.search(r"\bnan\b", (tmp_path / "x.jnt").read_text())


def test_options_replace_what_the_deck_says(tmp_path):
    deck = str(DECKS / "variable_step.mbd")
    arguments = ["run", deck, "-t", ".1", "-s", ".01", "--method", "bdf", "--save",
                 str(tmp_path / "ours")]  # fmt: skip
    found = runner.invoke(app, arguments)
    assert found.exit_code == 0 and "BDF(), step 0.01 s" in found.output
    assert "-o NAME writes MBDyn's files" not in found.output
    np.testing.assert_allclose(np.diff(lw.load(tmp_path / "ours.nc").time), 0.01)
    found = runner.invoke(app, ["run", str(DECKS / "arm_torques.mbd"), "-t", ".1", "-s", ".05"])
    assert "0 to 0.1 s, 3 states" in found.output


def test_listing_what_is_not_supported(tmp_path):
    text = (DECKS / "integrators.mbd").read_text()
    text = re.sub("method: .*?;", "method: third order, .6;", text)
    path = tmp_path / "deck.mbd"
    path.write_text(text.replace("gravity: 0.", "shell4eas: 1; gravity: 0."))
    found = runner.invoke(app, ["run", str(path), "--list-unsupported"])
    assert found.exit_code == 0 and "2 cards are not supported" in found.output
    assert "DIRK33, mssth3" in found.output
