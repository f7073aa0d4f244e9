"""Runs of MBDyn that others published with its result files, against runs of linkwork.

Each test describes the same mechanism in a deck of its own, and quotes a few lines of the files:

    pendulums    github.com/sohamukute/mbdyn-GSoC, Examples/Rigid_pendulum, MBDyn of 2022 or later
    controller   the same, Examples/pid
    breaking     github.com/zanoni-mbdyn/blendyn, test/joint_break, 2015, up to its break
    double       github.com/EriveltonGualter/GSoC-MBDyn, "Entry Test", 2019
    brick        github.com/octave-user/mboct-mbdyn-pkg, inst/mbdyn_inertia_01.tst: what it asserts

None of the first four names a method.  Their numbers have seven digits, all of which must agree
where both programs solve the same equations.  At the first instant they do not: MBDyn approaches
its accelerations and reactions by a small step, which leaves out what velocities contribute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.extend import rotations

SEVEN = 6e-7  # half a unit of the last digit and what an iteration to 1e-6 leaves, relative


def problem(end: str, step: str) -> str:
    return f"""begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: {end}; time step: {step}; max iterations: 10;
  tolerance: 1.e-6; end: initial value;
"""


def results(folder: Path, text: str) -> dict[str, dict[int, np.ndarray]]:
    """Columns of every label of every file, by suffix."""
    (folder / "deck.mbd").write_text(text)
    deck = lw.read_deck(folder / "deck.mbd")
    run = lw.run_deck(deck, progress=False)
    found: dict[str, dict[int, np.ndarray]] = {}
    for path in map(Path, lw.write_mbdyn(deck, run, folder / "out")):
        if path.suffix in (".nc", ".log", ".out"):
            continue
        table: dict[int, list[list[float]]] = {}
        for line in path.read_text().splitlines():
            label, *words = line.split()
            table.setdefault(int(label), []).append([float(word) for word in words])
        found[path.suffix[1:]] = {label: np.array(rows) for label, rows in table.items()}
    return found


def agree(found, published, *, relative=SEVEN):
    published = np.array(published)
    scale = np.abs(published).max()
    np.testing.assert_allclose(found, published, rtol=0, atol=relative * scale)


PENDULUMS = problem("1.", "1.e-3") + """
begin: control data; structural nodes: 4; rigid bodies: 3; joints: 4; gravity; end: control data;
reference: 7, null, eye, null, 0., .2, 0.;
reference: 8, reference, 7, 0., 0., -.5, reference, 7, eye, reference, 7, null, reference, 7, null;
begin: nodes;
  structural: 1, dynamic, reference, 7, null, eye, reference, 7, null, reference, 7, null;
  structural: 2, dynamic, reference, 8, null, eye, reference, 8, null, reference, 8, null;
  structural: 3, static, null, eye, null, null;
  structural: 4, dynamic, reference, 8, null, eye, reference, 8, null, null;
end: nodes;
begin: elements;
  body: 1, 1, 1., 0., 0., -.5, null;
  body: 2, 2, 1., null, null;
  body: 4, 4, 1., null, eye;
  joint: 1, revolute pin, 1, null, hinge, 1, 1., 0., 0., 3, 0., 1., 0.,
    null, hinge, 1, 1., 0., 0., 3, 0., 1., 0.;
  joint: 2, revolute pin, 2, reference, 7, null, hinge, reference, 7, 1, 1., 0., 0., 3, 0., 1., 0.,
    null, hinge, 1, 1., 0., 0., 3, 0., 1., 0.;
  joint: 3, clamp, 3, node, node;
  joint: 4, distance, 3, 4, const, .5;
  gravity: uniform, 0., 0., -1., const, 9.81;
end: elements;
"""  # fmt: skip


def test_three_pendulums_of_the_tutorial(tmp_path):
    files = results(tmp_path, PENDULUMS)
    mov, jnt, ine = files["mov"], files["jnt"], files["ine"]
    # lines of t = 2 ms and of t = 1 s, those of the nodes 1001, 2002 and 3002
    agree(mov[1][2], [0, 0, 0, 0, 2.291794e-02, 0, 0, 0, 0, 0, 1.999922e-01, 0])
    agree(mov[2][2], [-1.999967e-04, 0, -5e-01, 0, 2.291794e-02, 0, -9.999607e-02, 0, 3.999823e-05,
                      0, 1.999921e-01, 0])  # fmt: skip
    agree(mov[1][1000], [0, 0, 0, 0, -2.483965, 0, 0, 0, 0, 0, -5.594376e-02, 0])
    agree(mov[2][1000], [2.166989e-02, 0, -4.995302e-01, 0, -2.483965, 0, 2.794561e-02, 0,
                         1.212320e-03, 0, -5.594378e-02, 0])  # fmt: skip
    agree(mov[4][1000], [2.166989e-02, 0, -4.995302e-01, 0, 0, 0, 2.794561e-02, 0, 1.212320e-03,
                         0, 0, 0])  # fmt: skip
    agree(jnt[1][1000], [0, 9.802347, 0, 0, 0, 0, 4.248316e-01, 0, -9.793137, 0, 0, 0, 0, 0,
                         -2.483965, 0, 0, -5.594376e-02])  # fmt: skip
    agree(jnt[3][1000], [4.248315e-01, 0, -9.793136, 0, 0, 0, 4.248315e-01, 0, -9.793136, 0, 0, 0])
    # of the distance joint that version writes the direction over the length: (0.08668, 0, -1.998)
    direction = np.array([8.667956e-02, 0, -1.998121]) * 0.5
    agree(jnt[4][1000], [9.802347, 0, 0, 0, 0, 0, 4.248315e-01, 0, -9.793136, 0, 0, 0, *direction,
                         0.5])  # fmt: skip
    agree(ine[1][1000], [2.794560e-02, 0, 1.212295e-03, 0, -1.398594e-02, 0, -4.248316e-01, 0,
                         -1.686343e-02, 0, 2.125816e-01, 0], relative=3e-6)  # fmt: skip
    agree(ine[2][1000], [2.794561e-02, 0, 1.212320e-03, 0, 0, 0, -4.248316e-01, 0, -1.686376e-02,
                         0, 0, 0])  # fmt: skip


def test_pins_in_the_log(tmp_path):
    """Also the second half of a pin's line is in the axes of the node, with its label."""
    results(tmp_path, PENDULUMS)
    lines = {tuple(line.split()[:2]): line.split()[2:]
             for line in (tmp_path / "out.log").read_text().splitlines()
             if line.count(" ") > 1}  # fmt: skip
    axes = [1, 0, 0, 0, 0, 1, 0, -1, 0]
    for label, z in (("1", 0.0), ("2", 0.5)):  # MBDyn: revolutepin: 2002 2002 0 0 0.5 …
        half = [float(label), 0, 0, z, *axes]
        assert [float(word) for word in lines["revolutepin:", label]] == half + half
    assert [float(word) for word in lines["body:", "1"]] == [
        1, 1, 0, 0, -0.5, 0.25, 0, 0, 0, 0.25, 0, 0, 0, 0
    ]  # fmt: skip


CONTROLLER = problem("10.", "1.e-2") + """
begin: control data; structural nodes: 1; abstract nodes: 1; rigid bodies: 1; forces: 1; genels: 1;
end: control data;
begin: nodes;
  structural: 1, dynamic, 1., 0., 0., eye, null, null;
  abstract: 1;
end: nodes;
begin: elements;
  body: 1, 1, 1., null, eye;
  genel: 1, state space SISO, 1, abstract, algebraic,
    drive, node, 1, structural, string, "X[1]", direct,
    1, matrix A, -.001, matrix B, 1., matrix C, 1.;
  force: 1, absolute, 1, position, null, -1., 0., 0., array, 4,
    node, 1, structural, string, "X[1]", linear, 0., 20.,
    node, 1, structural, string, "XP[1]", linear, 0., 10.,
    node, 1, abstract, string, "x", linear, 0., 1.e-3,
    const, 5.;
end: elements;
"""


def test_a_controller_with_a_state(tmp_path):
    files = results(tmp_path, CONTROLLER)
    force = files["frc"][1]
    for k, value, x in (
        (0, -25.0, 1.0), (1, -22.59639, 9.988101e-01), (2, -20.37635, 9.953924e-01),
        (3, -18.32819, 9.899395e-01), (20, -6.027959e-01, 7.322364e-01),
        (22, 2.000831e-01, 6.941139e-01), (100, 9.446664e-01, -1.231453e-01),
    ):  # fmt: skip
        assert force[k, 4] == pytest.approx(x, rel=SEVEN)
        assert force[k, 1] == pytest.approx(value, rel=SEVEN, abs=2e-6)  # balanced to 1e-6
    state = files["gen"][1]  # the state, and its derivative
    for k, x, rate in (
        (2, 1.996115e-02, 9.953725e-01), (3, 2.988293e-02, 9.899096e-01),
        (100, 3.287032e-01, -1.234740e-01), (1000, -1.868233, -2.480446e-01),
    ):  # fmt: skip
        agree(state[k], [x, rate])
        agree(files["abs"][1][k], [x, rate])  # the output is the state
    first = (tmp_path / "out.frc").read_text().splitlines()[0]
    assert first.startswith("1 1 -2.500000e+01 0.000000e+00 ")  # labels without blanks before


BREAKING = problem(".2", "1.e-2") + """
begin: control data; structural nodes: 2; rigid bodies: 1; joints: 3; end: control data;
begin: nodes;
  structural: 1, static, null, eye, null, null;
  structural: 2, dynamic, null, eye, null, null;
end: nodes;
begin: elements;
  body: 2, 2, 1., null, eye;
  joint: 1, clamp, 1, node, node;
  joint: 2, deformable displacement joint, 1, null, 2, null,
    linear viscoelastic isotropic, 1.e4, 1.e2;
  joint: 3, total joint, 1, 2, position constraint, 1, 1, 1,
    0., 0., 1., cosine, .01, pi, 10., half, 0., orientation constraint, 1, 1, 1, null;
end: elements;
"""


def test_a_spring_that_is_pulled(tmp_path):
    """Reactions of three joints, and the velocity of an imposed motion by the default method."""
    jnt = results(tmp_path, BREAKING)["jnt"]
    for k, ground, spring, pull, x, v in (
        (2, -1.110239e02, 1.233599e02, -2.343838e02, 4.934396e-03, 7.401595e-01),
        (3, -1.479223e02, 3.946300e02, -5.425523e02, 1.973272e-02, 1.973028),
        (4, -8.598682e01, 7.395265e02, -8.255133e02, 4.438035e-02, 2.957230),
        (6, -9.754530e01, 1.722757e03, -1.820302e03, 1.231166e-01, 4.915909),
        (12, -9.292282e01, 6.976427e03, -7.069350e03, 5.911923e-01, 1.064504e01),
    ):
        agree(jnt[1][k], [0, 0, ground, 0, 0, 0] * 2)
        agree(jnt[2][k], [0, 0, spring, 0, 0, 0] * 2 + [0, 0, x, 0, 0, v])
        agree(jnt[3][k], [0, 0, pull, 0, 0, 0] * 2 + [0, 0, x, 0, 0, 0, 0, 0, v, 0, 0, 0])
        assert jnt[2][k, 14] == pytest.approx(x, rel=SEVEN)
        assert jnt[2][k, 17] == pytest.approx(v, rel=SEVEN)


DOUBLE = problem("1.", "1.e-3") + """
begin: control data; structural nodes: 2; rigid bodies: 2; joints: 2; gravity; end: control data;
set: real J = 1./12.;
begin: nodes;
  structural: 1, dynamic, .5, 0., 0., eye, null, null;
  structural: 2, dynamic, 1., 0., .5, euler, 0., -pi/2., 0., null, null;
end: nodes;
begin: elements;
  body: 1, 1, 1., null, diag, 0., J, J;
  body: 2, 2, 1., null, diag, 0., J, J;
  joint: 1, revolute pin, 1, -.5, 0., 0., hinge, 1, 1., 0., 0., 3, 0., 1., 0.,
    null, hinge, 1, 1., 0., 0., 3, 0., 1., 0.;
  joint: 2, revolute hinge, 1, .5, 0., 0., hinge, 1, 1., 0., 0., 3, 0., 1., 0.,
    2, -.5, 0., 0., hinge, 1, 1., 0., 0., 3, 0., 1., 0.;
  gravity: 0., 0., -1., const, 9.81;
end: elements;
"""


def test_a_double_pendulum(tmp_path):
    """MBDyn steps other rotation parameters: a part of the error of the step remains.

    That error is 1.3e-4 m at t = 1 s (MBDyn against small steps), the difference 1e-5 m.
    """
    mov = results(tmp_path, DOUBLE)["mov"]
    for label, published, exact in (
        (1, (-3.653333e-01, -3.413673e-01), (-0.36537858, -0.34131875)),
        (2, (-1.190513, -4.864158e-01), (-1.19063361, -0.48638854)),
    ):
        found = mov[label][1000][[0, 2]]
        assert np.abs(found - published).max() < 1e-5
        assert np.abs(np.subtract(published, exact)).max() > 4e-5
    published = [0, -1.800000e02, 4.305770e01, 1.800000e02, -1.573161, 1.683608, 4.608366]
    np.testing.assert_allclose(mov[1][1000][[1, 3, 4, 5, 6, 8, 10]], published, atol=1e-3)


BRICK = """begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: .2; time step: 1.e-5*{stages};
  max iterations: 10; tolerance: 1.e-8, test, norm, 1.e-8, test, norm; method: {method};
end: initial value;
begin: control data; structural nodes: 1; rigid bodies: 1; end: control data;
set: real a = .03; set: real b = .01; set: real c = .005; set: real m = 7850.*a*b*c;
reference: 1, .01, .012, .015, eye, null, 2.*pi, pi, pi/2.;
reference: 2, reference, 1, a/2., 0., 0., reference, 1, eye, reference, 1, null, reference, 1, null;
reference: 3, reference, 1, .05, .06, .07, reference, 1, euler123, pi/6., pi/4., 70.*deg2rad,
  reference, 1, null, reference, 1, null;
begin: nodes;
  structural: 1, dynamic, reference, 3, null, reference, 3, eye, reference, 3, null,
    reference, 3, null;
end: nodes;
begin: elements;
  body: 1, 1, m, reference, 2, null, diag, m*(b^2 + c^2)/12., m*(a^2 + c^2)/12.,
    m*(a^2 + b^2)/12., orientation, reference, 2, eye;
end: elements;
"""
METHODS = {  # their stages
    "implicit euler": 1, "crank nicolson": 1, "ms2, .6": 1, "ms3, .6": 1, "ms4, .6": 1,
    "ss2, .6": 1, "ss3, .6": 1, "ss4, .6": 1, "hope, .6": 1, "Bathe, .6": 2, "msstc3, .6": 3,
    "msstc4, .6": 4, "msstc5, .6": 5, "mssth3, .6": 3, "mssth4, .6": 4, "mssth5, .6": 5,
    "DIRK33": 3, "DIRK43": 4, "DIRK54": 5, "hybrid, ms, .6": 1,
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_momenta_of_a_free_brick(tmp_path, method):
    """A brick of 12 g on a node beside it; MBDyn's test does the same over 1 s.

    It allows relative errors of 1e-2 (implicit euler), 1e-8 (DIRK) and 1e-7.  Constant momenta are
    solutions of every formula, whatever its order: what is left is round-off, here 20,000 stages
    with up to 5e-15 each, where momenta come from turns of 7e-5 rad in a step.
    """
    stages = METHODS[method]
    (tmp_path / "deck.mbd").write_text(BRICK.format(method=method, stages=stages))
    deck = lw.read_deck(tmp_path / "deck.mbd")
    run = lw.run_deck(deck, progress=False)
    m, (a, b, c) = 7850 * 0.03 * 0.01 * 0.005, (0.03, 0.01, 0.005)
    w = np.array([2 * np.pi, np.pi, np.pi / 2])
    spin = m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b]) * w
    beta = m * np.cross(w, [a / 2, 0, 0])
    R = rotations.matrix(np.asarray(run["node 1"].orientation))
    local = np.asarray(run["node 1"].angular_velocity) @ np.asarray(deck.model["node 1"].inertia)
    gamma = np.einsum("tij,tj->ti", R, local)
    for found, exact in ((m * np.asarray(run["node 1"].velocity), beta), (gamma, spin)):
        error = np.linalg.norm(found - exact, axis=1).max() / np.linalg.norm(exact)
        assert error < 1e-10
