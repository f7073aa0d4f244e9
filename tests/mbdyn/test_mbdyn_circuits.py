"""Thermal and electric cards of decks: MBDyn's record, closed forms, and mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_decks import DECKS

import linkwork as lw

HEAD = """
begin: data; problem: initial value; end: data;
begin: initial value;
    initial time: 0.; final time: {t}; time step: {h}; tolerance: 1e-8; max iterations: 50;
    method: ms, 0.6, 0.6;
end: initial value;
begin: control data;
    {counts}
    output precision: 16;
end: control data;
"""
THERMAL = """
begin: nodes;
    thermal: 1, value, 300., derivative, 0.;
    thermal: 2, value, 300., derivative, 0.;
    thermal: 3, value, 300., derivative, 0.;
end: nodes;
begin: elements;
    thermal: 1, capacitance, 1, 50.;
    thermal: 2, capacitance, 2, 20.;
    thermal: 3, resistance, 1, 2, 0.5;
    thermal: 4, resistance, 2, 3, 1.;
    thermal: 5, source, 1, cosine, 0., pi, 25., half, 0.;
    genel: 1, clamp, 3, thermal, algebraic, const, 300.;
end: elements;
"""
WHEEL = """
begin: nodes;
    structural: 1, static, null, eye, null, null;
    structural: 2, dynamic, null, eye, null, null;
    {nodes}
end: nodes;
begin: elements;
    body: 2, 2, 1., null, diag, .01, .01, .02;
    joint: 1, clamp, 1, node, node;
    joint: 2, revolute hinge, 1, null, 2, null;
    {elements}
end: elements;
"""
BODIES = "structural nodes: 2; rigid bodies: 1; joints: 2;"


def deck_of(tmp_path, body, counts, t=1.0, h=1e-3):
    path = tmp_path / "circuit.mbd"
    path.write_text(HEAD.format(t=t, h=h, counts=counts) + body)
    return lw.read_deck(path)


def ran(tmp_path, body, counts, t=1.0, h=1e-3):
    return lw.run_deck(deck_of(tmp_path, body, counts, t, h), progress=False)


def records(path):
    return np.array([[float(x) for x in line.split()] for line in path.read_text().splitlines()])


def test_heat_has_the_digits_of_mbdyn(tmp_path):
    """MBDyn's record o2: temperatures and their rates, and the heat that the clamp takes."""
    counts = "thermal nodes: 3; thermal elements: 5; genels: 1; " \
             "output meter: meter, 0., forever, steps, 500;"  # fmt: skip
    deck = deck_of(tmp_path, THERMAL, counts, t=100.0, h=0.1)
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "o2")
    found = records(tmp_path / "o2.thn")
    assert found[:, 0].tolist() == [1, 2, 3] * 3
    last = [[350.66998149769609, 0.27212461614303568], [332.47309690127202, 0.19603361457881111],
            [300.0, 0.0]]  # fmt: skip
    assert np.allclose(found[-3:, 1:], last, rtol=1e-10)
    assert records(tmp_path / "o2.gen")[-1, 1] == pytest.approx(32.473096901272, rel=1e-10)
    assert found[-3, 1] == pytest.approx(350.66999, abs=2e-5)  # the closed form


def test_motor_starts_as_in_closed_form(tmp_path):
    """24 V between two electric nodes: L i' + R i + G w = V, J w' = G i."""
    nodes = "electric: 1; electric: 2;"
    elements = """genel: 1, clamp, 1, electric, algebraic, const, 0.;
    genel: 2, clamp, 2, electric, algebraic, const, 24.;
    electric: 1, motor, 1, 2, 0., 0., 1., 1, 2, 0.25, 1e-2, 0.6;"""
    body = WHEEL.format(nodes=nodes, elements=elements)
    G, L, R, J, V = 0.25, 1e-2, 0.6, 0.02, 24.0
    A, b = np.array([[-R / L, -G / L], [G / J, 0.0]]), np.array([V / L, 0.0])
    values, X = np.linalg.eig(A)
    end, errors = -np.linalg.solve(A, b), []
    for h in (1e-3, 5e-4):
        counts = BODIES + "electric nodes: 2; electric elements: 1; genels: 2;"
        run = ran(tmp_path, body, counts, h=h)
        x = end[:, None] + (X * np.linalg.solve(X, -end)) @ np.exp(np.outer(values, run.time))
        current, speed = run["electric element 1"].value.values, run.motion[:, -1, 12]
        errors.append([abs(current - x[0].real).max(), abs(speed - x[1].real).max()])
    assert np.allclose(np.divide(*errors), 4, rtol=0.15)  # the order of the method
    assert errors[1][0] < 2e-3 and errors[1][1] < 5e-4  # of 30 A and 96 rad/s


def test_motor_takes_its_current_from_a_circuit(tmp_path):
    """Behind a resistance of 1 Ω (a spring support of the node at 24 V), the motor turns slower."""
    nodes = "electric: 1; electric: 2;"
    elements = """genel: 1, clamp, 1, electric, algebraic, const, 0.;
    genel: 2, spring support, 2, electric, algebraic, linear elastic, 1.;
    force: 1, abstract, 2, electric, const, 24.;
    electric: 1, motor, 1, 2, 0., 0., 1., 1, 2, 0.25, 0., 0.6;"""
    body = WHEEL.format(nodes=nodes, elements=elements)
    counts = BODIES + "electric nodes: 2; electric elements: 1; genels: 2; forces: 1;"
    run = ran(tmp_path, body, counts)
    rate = 0.25**2 / (1.6 * 0.02)
    w = 24 / 0.25 * (1 - np.exp(-rate * run.time))
    assert np.allclose(run.motion[:, -1, 12], w, atol=2e-3)
    assert np.allclose(run["electric 2"].value, 24 - run["electric element 1"].value, atol=1e-9)


def test_circuits():
    """J ω̇ = G i, R i = V − G ω; two masses end at one temperature, at the rate (1/C₁ + 1/C₂)/R."""
    deck = lw.read_deck(DECKS / "circuits.mbd", environment={})
    run = lw.run_deck(deck, progress=False)
    t, V, G, R, J = run.time, 24.0, 0.25, 1.0, 0.02
    fall = np.exp(-(G**2) / (R * J) * t)
    np.testing.assert_allclose(run.motion[:, -1, 12], V / G * (1 - fall), atol=1e-4)
    np.testing.assert_allclose(run["electric element 1"].value, V / R * fall, atol=3e-5)
    fed = [deck.genels[clamp](run)[:, 0] for clamp in (1, 2)]  # the current of each pole
    np.testing.assert_allclose(fed, np.outer([-1, 1], V / R * fall), atol=3e-5)
    C1, C2, resistance = 50.0, 20.0, 0.02
    mean = (370 * C1 + 300 * C2) / (C1 + C2)
    fall = np.exp(-(1 / C1 + 1 / C2) / resistance * t)
    np.testing.assert_allclose(run["thermal 1"].value, mean + (370 - mean) * fall, atol=5e-5)
    np.testing.assert_allclose(run["thermal 2"].value, mean + (300 - mean) * fall, atol=5e-5)


SLIDE = """
begin: nodes;
    structural: 1, static, null, eye, null, null;
    structural: 2, dynamic, 3., 4., 0., eye, null, null;
    abstract: 7;
end: nodes;
begin: elements;
    body: 2, 2, 2., null, diag, 1., 1., 1.;
    joint: 1, clamp, 1, node, node;
    force: 1, absolute, 2, position, null, 1., 0., 0., sine, 0., 2*pi, 8., forever, 0.;
    genel: 7, spring support, 7, abstract, algebraic, linear elastic, 1.;
    electric: 1, {element};
end: elements;
"""
SLIDES = "structural nodes: 2; rigid bodies: 1; joints: 1; forces: 1; abstract nodes: 1; " \
         "genels: 1; electric elements: 1;"  # fmt: skip


def test_displacement_measures_a_distance(tmp_path):
    body = SLIDE.format(element="displacement, 1, null, 2, 0., 0., 2., 7")
    run = ran(tmp_path, body, SLIDES)
    place = run.motion[:, -1, :3] + np.array([0.0, 0.0, 2.0])
    assert np.allclose(run["abstract 7"].value, np.linalg.norm(place, axis=1), atol=1e-9)


def test_accelerometer_measures_an_acceleration(tmp_path):
    body = SLIDE.format(element="accelerometer, translational, 2, 7, 1., 0., 0.")
    run = ran(tmp_path, body, SLIDES)
    assert np.allclose(run["abstract 7"].value, 4 * np.sin(2 * np.pi * run.time), atol=1e-9)


def test_accelerometer_with_a_transfer_function(tmp_path):
    """The steady answer to 4 sin(2π t) is that of κ τ s/((1 + τ s)(1 + 2 ξ s/ω + s²/ω²))."""
    body = SLIDE.format(element="accelerometer, 2, 7, 1., 0., 0., 40., 0.2, 0.7, 1.5")
    run = ran(tmp_path, body, SLIDES, t=4.0)
    s = 2j * np.pi
    H = 1.5 * 0.2 * s / ((1 + 0.2 * s) * (1 + 1.4 * s / 40 + s * s / 1600))
    late = run.time > 3
    expected = 4 * (H * np.exp(s * run.time)).imag[late]
    assert np.allclose(run["abstract 7"].value.values[late], expected, atol=2e-3)


def test_discrete_control_holds_between_samples(tmp_path):
    """u_k = 0.5 u_{k−1} + 0.2 y_{k−1} every 10 steps, y = 1: a geometric series."""
    (tmp_path / "control.dat").write_text("0.2\n0.5\n")
    element = 'discrete control, 1, 1, 1, 10, control, "control.dat", ' \
              "outputs, drive, const, 1., inputs, 7, abstract, algebraic"  # fmt: skip
    run = ran(tmp_path, SLIDE.format(element=element), SLIDES, t=0.1)
    u = run["abstract 7"].value.values
    series, x = [], 0.0
    for _ in range(9):
        x = 0.5 * x + 0.2
        series.append(x)
    assert np.allclose(u[5:95:10], series, atol=1e-12)


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ("motor, 1, 2, 0., 0., 1., 7, 8, 1., 1., 1.", "no abstract or electric node 8"),
        ("motor, 1, 2, 0., 0., 1., 7, 7, 1., 0., 0.", "nor both zero"),
        ("accelerometer, 2, 7, 1., 0., 0., 0., 0.2, 0.7, 1.5", "must be positive"),
        ("toaster, 2", "accelerometer"),
        ('discrete control, 1, 1, 1, 10, control, "none.dat", outputs, drive, const, 1., inputs, '
         "7, abstract, algebraic", "none.dat"),
        ("discrete control, 1, 1, 1, 10, identification, arx", "given matrices alone"),
    ],
)  # fmt: skip
def test_mistakes_are_said(tmp_path, element, message):
    with pytest.raises(lw.MbdynError, match=message):
        deck_of(tmp_path, SLIDE.format(element=element), SLIDES)
