"""Driven elements of decks, and what strings of drives know: derivatives, numbers of steps."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_text import BODY, NODE, deck_text

import linkwork as lw
from linkwork import MbdynError, UnsupportedCard

TWO = f"{NODE} structural: 2, static, 2., 0., 0., eye, null, null;"
WALL = f"{BODY} joint: 9, clamp, 2, node, node; "


@pytest.fixture
def ran(tmp_path):
    def run(elements, nodes=NODE, **words):
        (tmp_path / "deck.mbd").write_text(deck_text(nodes=nodes, elements=elements, **words))
        deck = lw.read_deck(tmp_path / "deck.mbd")
        result = lw.run_deck(deck, progress=False)
        lw.write_mbdyn(deck, result, tmp_path / "out")
        return result

    return run


FORCE = "force: 3, absolute, 1, position, null, 1., 0., 0., const, 4."


@pytest.mark.parametrize(
    "elements",
    [f'driven: 3, string, "Time < .5", {FORCE};',
     f'{FORCE}; driven: 3, string, "Time < .5", existing: force, 3;',
     f'driven: 3, string, "Time < .5", initial state, active, {FORCE}, output, yes;',
     f"driven: 3, double step, 0., .495, 1., 0., {FORCE};"],
)  # fmt: skip
def test_a_force_that_ends(ran, tmp_path, elements):
    """2 kg, 4 N until 0.5 s (steps of 10 ms see it until 0.49 s), then the speed stays."""
    run = ran(BODY + elements)
    x, v = (np.asarray(getattr(run["node 1"], w))[:, 0] for w in ("position", "velocity"))
    np.testing.assert_allclose(v[10:49], 2 * run.time[10:49], rtol=1e-3)
    np.testing.assert_allclose(v[60:], v[-1], rtol=1e-4)
    assert v[-1] == pytest.approx(1.0, abs=0.03)  # one step more or less: 0.02 m/s
    np.testing.assert_allclose(np.diff(x[60:]), 0.01 * v[-1], rtol=1e-4)
    written = np.loadtxt(tmp_path / "out.frc")
    np.testing.assert_array_equal(written[:50, 2], 4.0)
    np.testing.assert_array_equal(written[50:, 2], 0.0)


def test_a_couple_that_waits_for_a_speed(ran):
    """A couple of 3 N m on 1 kg m² that stops at 1.5 rad/s."""
    run = ran(BODY + """driven: 3, node, 1, structural, string, "Omega[3]", string, "Var < 1.5",
        couple: 3, follower, 1, position, null, 0., 0., 1., const, 3.;""", step="1.e-3")
    w = np.asarray(run["node 1"].angular_velocity)[:, 2]
    np.testing.assert_allclose(w[:480], 3 * run.time[:480], atol=2e-3)
    np.testing.assert_allclose(w[520:], 1.5, atol=5e-3)  # a step is 3e-3 rad/s


SPRINGS = [
    "joint: 3, rod, 1, 2, 1., linear elastic, 8.",
    "joint: 3, deformable displacement joint, 1, null, 2, null, linear elastic isotropic, 8.",
]


@pytest.mark.parametrize("spring", SPRINGS)
def test_a_spring_that_comes(ran, spring):
    """It pulls from t = 0.5 s on; before, the mass rests.  ω² = 8/2."""
    run = ran(WALL + f'driven: 3, string, "Time > .495", {spring};', nodes=TWO, step="1.e-3")
    x = np.asarray(run["node 1"].position)[:, 0]
    reach = 1.0 if "rod" in spring else 2.0  # how far it is from its free length
    np.testing.assert_allclose(x[:495], 0, atol=1e-12)
    late = run.time[500:]
    np.testing.assert_allclose(x[500:], reach * (1 - np.cos(2 * (late - 0.495))), atol=5e-3)
    # the spring comes with ½ k reach², which it gives back; a step of the phase is 2e-3
    full = 0.5 * 8 * reach**2
    kinetic = np.asarray(run.energy["kinetic"])
    exact = full * np.sin(2 * (late - 0.495)) ** 2
    np.testing.assert_allclose(kinetic[500:], exact, atol=2e-3 * full)
    # within the step in which the force F comes, its work is off by F² h²/(2 m) = k h² full/m
    np.testing.assert_allclose(run.energy["balance"], 0, atol=2 * 8 / 2 * 1e-6 * full)


def test_a_damper_that_goes(ran):
    """v' = −v/2·4 until 0.3 s, then nothing."""
    nodes = NODE.replace("eye, null, null", "eye, 1., 0., 0., null")
    run = ran(BODY + """joint: 3, viscous body, 1, linear viscous isotropic, 4.;
        driven: 3, string, "Time < .2995", existing: joint, 3;""", nodes=nodes, step="1.e-3")
    v = np.asarray(run["node 1"].velocity)[:, 0]
    np.testing.assert_allclose(v[:300], np.exp(-2 * run.time[:300]), rtol=2e-3)
    np.testing.assert_allclose(v[310:], np.exp(-0.6), rtol=4e-3)


@pytest.mark.parametrize(
    ("elements", "sentence"),
    [('driven: 3, string, "Time > 1.", joint: 3, spherical pin, 1, null, null;',
      "constraints that come and go are other equations"),
     ('driven: 3, string, "Time > 1.", body: 3, 1, 1., null, eye;', "found 'body'"),
     (f'driven: 4, string, "Time > 1.", {FORCE};', "label of its driven card, 4, found 3"),
     ('driven: 3, string, "Time > 1.", existing: force, 3;', "there is no force 3"),
     ('driven: 3, string, "Time > 1.";', "expected the card of the driven element"),
     (f'driven: 3, string, "Time > 1.", hint, "offset{{1}}", {FORCE};', "hints are not supported"),
     ('driven: 3, string, "Time > 1.", force: 3, absolute, 7, position, null, 1., 0., 0., 2.;',
      "9:96: force 3 .absolute.: there is no structural node 7")],
)  # fmt: skip
def test_what_cannot_be_driven(ran, elements, sentence):
    with pytest.raises(MbdynError, match=sentence) as caught:
        ran(BODY + elements)
    if "equations" in sentence or "hints" in sentence:
        assert isinstance(caught.value, UnsupportedCard)


# ------------------------------------------------------------- derivatives of drives and functions


def test_derivatives_of_drive_callers_and_scalar_functions(ran, tmp_path):
    """model::drivep and the order of model::sf, at times, at other values and in the file."""
    before = """drive caller: 4, sine, 0., 3., 2., forever, 5.;
        scalar function: "f", pow, 3.; set: real slope = model::drivep(4, 1.);"""
    run = ran(BODY + """force: 1, absolute, 1, position, null, component,
        string, "model::drivep(4, Time) + model::drivep(4)",
        string, "model::drivep(4, 2.*Time) + slope",
        string, "model::sf::f(Time, 1) + 10.*model::sf::f(Time, 2)";""", before=before, time=".5")
    t = run.time
    exact = [12 * np.cos(3 * t), 6 * np.cos(6 * t) + 6 * np.cos(3), 3 * t**2 + 60 * t]
    written = np.loadtxt(tmp_path / "out.frc")[:, 2:5]
    np.testing.assert_allclose(written, np.stack(exact, axis=1), rtol=1e-6, atol=1e-6)


def test_numbers_of_steps(ran, tmp_path):
    """Step and TimeStep in strings, also for what is written; not where steps change."""
    force = """force: 1, absolute, 1, position, null, component, string, "Step", null,
        string, "TimeStep*(Step % 2)";"""
    ran(BODY + force, time=".1", control='output meter: string, "Step > 1";')
    written = np.loadtxt(tmp_path / "out.frc")[:, 2:5]
    np.testing.assert_allclose(written[:, 0], np.arange(2, 11))
    np.testing.assert_allclose(written[:, 2], 0.01 * (np.arange(2, 11) % 2), rtol=1e-6)
    text = deck_text(nodes=NODE, elements=BODY + force)
    text = text.replace("time step:", "strategy: change, 1.; time step:")
    (tmp_path / "deck.mbd").write_text(text)
    with pytest.raises(MbdynError, match="'Step' has no value .* whose steps are equal"):
        lw.read_deck(tmp_path / "deck.mbd")
