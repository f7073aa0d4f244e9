"""Abstract nodes without mass: equations of first order, filters, state spaces, the swash plate."""

from __future__ import annotations

import numpy as np
import pytest
from inside import Axial, LinearElastic, LinearViscoelastic
from mbdyn_decks import ran, same
from mbdyn_text import deck_text
from scipy.integrate import solve_ivp

import linkwork as lw

X = (1.0, 0.0, 0.0)


def node(model, name, value=0.0, mass=0.0):
    body = model.add(name, lw.Body(mass, (0, 0, 0), position=(value, 0, 0)))
    model.add(f"line of {name}", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=X))
    return body


def solved(t, rates, start):
    return solve_ivp(rates, (0, t[-1]), start, t_eval=t, rtol=1e-11, atol=1e-13).y


@pytest.fixture(scope="module")
def filters():
    deck, run, tables = ran("filters")
    labels = [*range(1, 13), 21, 22, 23, 31, 32, 33]
    return deck, run, {n: tables.scalar(deck.scalars["abstract", n]) for n in labels}, tables


def test_decay_to_a_load(filters):
    _, run, x, _ = filters
    swing = 0.3 * np.exp(-3 * run.time)
    np.testing.assert_allclose(x[1][:, 0], 0.5 - swing, atol=4e-6)
    np.testing.assert_allclose(x[1][:, 1], 3 * swing, atol=1.2e-5)


def test_butterworth(filters):
    _, run, x, _ = filters
    t, w = run.time, 4.0

    def rates(s, y):
        return [y[1], w**2 * (np.sin(3 * s) - y[0]) - np.sqrt(2) * w * y[1]]

    y = solved(t, rates, [0, 0])
    np.testing.assert_allclose(x[2][:, 0], y[0], atol=1.2e-5)
    gain = 1 / ((3j / w) ** 2 + np.sqrt(2) * 3j / w + 1)
    late = t > 1.8  # the transient e^(−2.83 t) is at 0.6 %
    np.testing.assert_allclose(x[2][late, 0], np.imag(gain * np.exp(3j * t[late])), atol=0.01)


def test_filter_that_passes_steps(filters):
    _, run, x, _ = filters  # (s + 3)/(s + 1): 3 − 2 e^(−t)
    np.testing.assert_allclose(x[3][:, 0], 3 - 2 * np.exp(-run.time), atol=4e-6)
    np.testing.assert_allclose(x[3][:, 1], 2 * np.exp(-run.time), atol=1e-5)


def test_integral_of_another_node(filters):
    _, run, x, _ = filters
    t = run.time
    whole = np.concatenate([[0], np.cumsum(np.diff(t) * (x[2][1:, 0] + x[2][:-1, 0]) / 2)])
    np.testing.assert_allclose(x[4][:, 0], 2 * (0.25 + whole), atol=8e-6)


def test_descriptor_system(filters):
    _, run, x, _ = filters
    E, A = np.array([[2, 0.5], [0, 1]]), np.array([[-1, 3], [-3, -1]])

    def rates(t, y):
        return np.linalg.solve(E, A @ y + [1, 0.5 - 0.3 * np.exp(-3 * t)])

    y = solved(run.time, rates, [0.1, -0.2])
    np.testing.assert_allclose(x[5][:, 0], y[0] + 0.5 * x[1][:, 0], atol=8e-6)
    np.testing.assert_allclose(x[6][:, 0], y[0] + y[1], atol=1.2e-5)


def test_dampers_in_a_row(filters):
    _, run, x, _ = filters
    # C (x7' − x8') + K x7 = 0,  C (x8' − x7') + K x8 = 0: the sum is zero at all times
    np.testing.assert_allclose(x[7][:, 0] + x[8][:, 0], 0, atol=1e-12)
    start = x[7][0, 0]
    np.testing.assert_allclose(x[7][:, 0], start * np.exp(-1.5 * run.time), atol=4e-6)


def test_imposed_derivative(filters):
    _, run, x, _ = filters
    np.testing.assert_allclose(x[9][:, 0], run.time - np.sin(np.pi * run.time) / np.pi, atol=1e-12)


def test_a_rate_across(filters):
    _, run, x, _ = filters
    y = solved(run.time, lambda t, y: (1 - np.cos(np.pi * t) - 6 * y) / 2, [0.0])
    np.testing.assert_allclose(x[12][:, 0], y[0], atol=8e-6)


def test_controlled_body(filters):
    _, run, _, tables = filters

    def rates(t, s):  # z' = −50 z + q, y = 50 (q − 50 z)
        return [s[1], (-40 * s[0] - 5 * 50 * (s[0] - 50 * s[2])) / 3, s[0] - 50 * s[2]]

    y = solved(run.time, rates, [0.1, 0, 0])
    np.testing.assert_allclose(tables.node(20)[:, 0], y[0], atol=8e-6)


def test_a_node_that_gives_itself(filters):
    np.testing.assert_allclose(filters[2][11][:, 0], 1 / 3, atol=1e-12)


def test_swash_plate(filters):
    _, run, x, _ = filters
    t = run.time
    np.testing.assert_allclose(x[21][:, 0], 0.3 * np.sin(np.pi * t), atol=1e-12)
    wanted = lambda s: np.clip(0.3 * np.sin(np.pi * s), -0.2, 0.2)  # noqa: E731
    shares = (-0.1, 0.5 * 0.1 + np.sqrt(3) / 2 * 0.05, 0.5 * 0.1 - np.sqrt(3) / 2 * 0.05)
    for label, share in zip((31, 32, 33), shares):
        y = solve_ivp(
            lambda s, y, share=share: (2 * (wanted(s) + 0.5 * share) - y) / 0.05, (0, 2), [0.0],
            t_eval=t, rtol=1e-9, atol=1e-11, max_step=1e-3,
        ).y  # fmt: skip
        np.testing.assert_allclose(x[label][:, 0], y[0], atol=6e-4)  # h in the kinks of the limits


def test_the_same_in_python(filters):
    """Abstract nodes and states as massless bodies on slides: another formulation."""
    _, run, x, _ = filters
    m = lw.Model()
    body = m.add("node 20", lw.Body(3, (0, 0, 0), position=(0.1, 0, 0)))
    m.add("hold", lw.Align(lw.GROUND, body))
    z = node(m, "state 1 of genel 11")
    q, s = (lw.reads(b, "position", "x") for b in (body, z))
    rate = lw.reads(z, "velocity", "x")
    m.add("equation", lw.Force(z, X, drive=lw.formula("q - 50*s - r", q=q, s=s, r=rate)))
    m.add("control", lw.Force(body, X, drive=lw.formula("-40*q - 250*(q - 50*s)", q=q, s=s)))
    a, b = node(m, "abstract 7", 0.2), node(m, "abstract 8")
    for name, first, second, k, c in (("d", a, b, 0.0, 2.0), ("k7", lw.GROUND, a, 6.0, 0.0),
                                      ("k8", lw.GROUND, b, 6.0, 0.0)):  # fmt: skip
        law = LinearViscoelastic(k, c) if c else LinearElastic(k)
        m.add(name, lw.DeformableDisplacement(lw.Frame(first), lw.Frame(second), law=Axial(X, law)))
    other = same(run, m, names=["node 20"])
    for name, found in (("abstract 7", x[7]), ("abstract 8", x[8])):
        np.testing.assert_allclose(found[:, 0], other[name].position.values[:, 0], atol=1e-9)
    state = other["state 1 of genel 11"].position.values[:, 0]
    np.testing.assert_allclose(run["genel 11"].state.values, state, atol=1e-9)


def test_they_are_written(filters, tmp_path):
    deck, run, x, _ = filters
    paths = {p.suffix: p for p in lw.write_mbdyn(deck, run, tmp_path / "deck")}
    rows = np.loadtxt(paths[".abs"]).reshape(len(run), 18, 3)
    np.testing.assert_allclose(rows[:, 6, 1:], x[7], rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("method", [
    "crank nicolson", "hope, .6", "ss3, .5", "DIRK43", "Bathe, .6", "msstc3, .6", "mssth4, .5",
    "bdf, order, 2", "ms4, .6",
])  # fmt: skip
def test_decay_with_the_methods_of_decks(method, tmp_path):
    path = tmp_path / "decay.mbd"
    text = deck_text(
        nodes="abstract: 1, differential, value, 1.;", control="abstract nodes: 1; genels: 1;",
        elements="genel: 1, spring support, 1, abstract, algebraic, linear viscoelastic, 2., 1.;",
    )  # fmt: skip
    path.write_text(text.replace("method: ms, .6;", f"method: {method};"))
    run = lw.run_deck(lw.read_deck(path), progress=False)
    x = run["abstract 1"]
    np.testing.assert_allclose(x.value.values, np.exp(-2 * run.time), atol=6e-5)
    np.testing.assert_allclose(x.value_rate.values, -2 * x.value.values, atol=1e-8)


def test_spring_to_a_coordinate_of_a_body(tmp_path):
    """A mass on a spring and a damper in series, once with a body and an abstract node."""
    path = tmp_path / "series.mbd"
    path.write_text(deck_text(
        nodes="""structural: 1, dynamic displacement, .1, 0., 0., null;
          abstract: 2, differential;""",
        elements="""body: 1, 1, 2.;
          genel: 1, spring, 1, structural, 1, algebraic, 2, abstract, algebraic, linear elastic, 4.;
          genel: 2, spring support, 2, abstract, algebraic, linear viscous, 3.;
          genel: 3, clamp, 1, structural, 2, algebraic, from node;
          genel: 4, clamp, 1, structural, 3, differential, const, .5;""",
        control="abstract nodes: 1; genels: 4;", step="1.e-3",
    ))  # fmt: skip
    deck = lw.read_deck(path)
    run = lw.run_deck(deck, progress=False)

    def rates(t, s):
        return [s[1], -2 * (s[0] - s[2]), 4 * (s[0] - s[2]) / 3]

    y = solved(run.time, rates, [0.1, 0, 0])
    np.testing.assert_allclose(run["node 1"].position.values[:, 0], y[0], atol=1e-7)
    np.testing.assert_allclose(run["abstract 2"].value.values, y[2], atol=1e-7)
    np.testing.assert_allclose(run["node 1"].position.values[:, 1], 0, atol=1e-12)
    np.testing.assert_allclose(run["node 1"].position.values[:, 2], 0.5 * run.time, atol=1e-12)


@pytest.mark.parametrize(("elements", "words"), [
    ("genel: 1, scalar filter, 1, abstract, algebraic, drive, 1., 1, 2., 2, 1., 1., 1.;", "proper"),
    ("genel: 1, state space SISO, 1, abstract, algebraic, drive, 1., 1, matrix A, 1.;",
     "expected the matrix B"),
    ("genel: 1, state space SISO, 1, abstract, differential, drive, 1., 1, matrix A, 1.;",
     "value of an abstract node"),
    ("genel: 1, swash plate, 1, limits, 1., -1., 1, 1, 1, 1, 1;", "must rise"),
    ("genel: 1, swash plate, 1, 1, 1, 1, 1, 9;", "there is no abstract node 9"),
    ("genel: 1, spring support, 1, abstract, algebraic, linear elastic, 0.;", "no equation gives"),
    ("genel: 1, rotor trim, 1;", "near it: rotor$|supported: clamp"),
])  # fmt: skip
def test_what_is_refused(elements, words, tmp_path):
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text("abstract: 1, differential;", elements,
                              control="abstract nodes: 1; genels: 1;"))  # fmt: skip
    with pytest.raises(lw.MbdynError, match=words):
        lw.read_deck(path)


def test_nodes_that_are_functions_alone(tmp_path):
    """k x = f(t), and nothing that moves: there is a run all the same."""
    path = tmp_path / "deck.mbd"
    path.write_text("""
        begin: data; problem: initial value; end: data;
        begin: initial value;
          initial time: 0.; final time: .5; time step: 1.e-2;
        end: initial value;
        begin: control data; abstract nodes: 2; genels: 2; forces: 2; end: control data;
        begin: nodes; abstract: 1; abstract: 2; end: nodes;
        begin: elements;
          genel: 1, spring support, 1, abstract, algebraic, linear elastic, 4.;
          force: 1, abstract, 1, abstract, sine, 0., 5., 3., forever, 0.;
          genel: 2, spring support, 2, abstract, algebraic, linear elastic, 1.;
          force: 2, abstract, 2, abstract, drive, string, "(Var>0.)*Var",
            sine, 0., 30., 2., forever, 0.;
        end: elements;""")  # fmt: skip
    deck = lw.read_deck(path, environment={})
    run = lw.run_deck(deck, progress=False)
    lw.write_mbdyn(deck, run, tmp_path / "out")
    rows = np.loadtxt(tmp_path / "out.abs")
    t = np.arange(51) * 1e-2
    one, two = rows[rows[:, 0] == 1], rows[rows[:, 0] == 2]
    np.testing.assert_allclose(one[:, 1], 0.75 * np.sin(5 * t), atol=1e-6)
    np.testing.assert_allclose(one[:, 2], 3.75 * np.cos(5 * t), atol=1e-5)
    np.testing.assert_allclose(two[:, 1], np.maximum(0, 2 * np.sin(30 * t)), atol=1e-6)
