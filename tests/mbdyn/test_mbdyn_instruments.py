"""Gusts of decks, aircraft instruments, data of the air and of rotors: formulas of the manual."""

from dataclasses import replace

import numpy as np
import pytest
from mbdyn_text import deck_text, value_of

import linkwork as lw
from linkwork.elements.aero.surfaces.survey import wind_at

PLACES = np.array([[0.0, 0.0, 5.0], [3.0, -1.0, 20.0], [-40.0, 2.0, 0.7]])
TIMES = np.array([0.0, 0.4, 1.3])


def read(tmp_path, elements, nodes="structural: 1, static, null, eye, null, null;"):
    path = tmp_path / "deck.mbd"
    counts = "air properties;" if "air properties:" in elements else ""
    counts += f"aerodynamic elements: {elements.count('aircraft instruments:')};"
    counts += f"parameter nodes: {nodes.count('parameter:')};"
    path.write_text(deck_text(nodes, elements, control=counts))
    return lw.read_deck(path)


def air_of(tmp_path, gusts, more=""):
    deck = read(tmp_path, f"{more} air properties: 1.2, 340., 1., 0., 0., const, 30. {gusts};")
    return deck, wind_at(deck.model.air, PLACES, TIMES) - np.array([30.0, 0, 0])


def test_a_front_has_its_profile_along_its_path(tmp_path):
    """v = n g(f·x + V t); the direction need not be a unit vector."""
    gust = ", gust, front 1D, 2., 0., 0., 0., 0., 3., 10., cosine, -30., pi/20., 2., one, 0."
    deck, found = air_of(tmp_path, gust)
    s = PLACES[:, 0] + 10 * TIMES
    inside = (s > -30) & (s < 10)
    expected = np.where(inside, 2 * (1 - np.cos(np.pi / 20 * (s + 30))), 0.0)
    np.testing.assert_allclose(found, expected[:, None] * [0, 0, 1], atol=1e-12)
    assert np.any(expected > 0.1) and any("moves against f" in note for note in deck.notes)


TURNED = "reference position, 1., 0., -2., reference orientation, 1, 0., 1., 0., 3, 0., 0., 1."


@pytest.mark.parametrize("gust, profile", [
    (f'scalar function, {TURNED}, "shear", multilinear, 0., 1., 10., 6., 50., 8.',
     lambda z, t: np.interp(z, [0, 10, 50], [1, 6, 8])),
    (f"power law, {TURNED}, reference elevation, 10., reference velocity, const, 12., "
     "exponent, 0.15", lambda z, t: 12 * (z / 10) ** 0.15),
    (f"power law, {TURNED}, reference elevation, 10., reference velocity, ramp, 2., 0., 10., 3., "
     "exponent, 0.15", lambda z, t: (3 + 2 * t) * (z / 10) ** 0.15),
    (f"logarithmic, {TURNED}, reference elevation, 10., reference velocity, const, 12., "
     "surface roughness length, 0.03", lambda z, t: 12 * np.log(z / 0.03) / np.log(10 / 0.03)),
])  # fmt: skip
def test_profiles_of_the_wind_follow_the_height(tmp_path, gust, profile):
    for card in (f", gust, {gust}", None):
        more = "" if card else f"gust: {gust};"
        _, found = air_of(tmp_path, card or "", more)
        expected = profile(PLACES[:, 2] + 2, TIMES)[:, None] * [0, 1, 0]  # along e₁
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_front_begins_at_its_origin_and_moves_along_its_direction():
    wave = lw.expression("sin(0.3*t)")
    front = lw.GustFront((0, 0, 2), wave, (1, 1, 0), speed=4, origin=(1, 0, 0))
    air = lw.Air(velocity=(20, 0, 0), gusts=[front])
    s = 4 * TIMES - (PLACES - [1, 0, 0]) @ (np.array([1, 1, 0]) / np.sqrt(2))
    np.testing.assert_allclose(wind_at(air, PLACES, TIMES)[:, 2], 2 * np.sin(0.3 * s), rtol=1e-12)


def test_the_tangent_knows_how_a_front_changes_with_the_place():
    """Central differences of the loads of a wing in a steep front that it moves through."""
    m = lw.Model("front")
    wave = lw.GustFront((1, 0, 4), lw.expression("sin(0.7*t)"), (1, 2, 0.5), 3, 0.1, (1, 0, 2))
    m.air = lw.Air(velocity=(20, 0, 0), gusts=[wave])
    body = m.add("body", lw.Body(2, (1, 1, 1)))
    m.add("wing", lw.LiftingSurface(body, 0.5, lw.Airfoil.flat_plate(), (0, -1, 0), (0, 1, 0)))
    data = lw.compile_model(m).data()
    state = data.system.described_state(time=0.6)
    K = data.evaluate(state, cK=1.0).stiffness.toarray()
    h = 1e-5
    for j in range(3):
        sides = []
        for side in (h, -h):
            motion = state.motion.copy()
            motion[0, j] += side
            sides.append(data.evaluate(replace(state, motion=motion)).f[0])
        slope = (sides[0] - sides[1]) / (2 * h)
        np.testing.assert_allclose(K[:, j], slope, rtol=1e-6, atol=1e-6 * np.abs(K).max())
    assert np.abs(K[:3, :3]).max() > 1


# -------------------------------------------------------------------------------- instruments

NODE = "structural: 1, dynamic, .3, -.2, 500., euler123, .4, -.3, .8, 40., 2., -3., .5, -.6, .7;"
AIR = "air properties: 1.2, 340., component, 3., ramp, 2., 0., 10., -1., 0.5;"
STREAM = np.array([3.0, -1.0, 0.5])  # at t = 0


def datum(tmp_path, name, kind="aircraft instruments", card="aircraft instruments: 7, 1", label=7):
    deck = read(tmp_path, f"""
        body: 1, 1, 2., null, eye; {card}; {AIR}
        force: 1, absolute, 1, 1., 0., 0., element, {label}, {kind}, string, "{name}", direct;
        """, NODE)  # fmt: skip
    return value_of(deck, name), deck.nodes[1].reference


@pytest.mark.parametrize("orientation, axes", [
    ("", np.eye(3)), (", orientation, flight mechanics", np.eye(3)),
    (", orientation, aeroelasticity", np.diag([-1.0, 1, -1])),
    (", orientation, 1, 0., 1., 0., 3, 0., 0., 1.", np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])),
])  # fmt: skip
def test_instruments_show_the_motion_of_the_aircraft(tmp_path, orientation, axes):
    def shown(name):
        card = f"aircraft instruments: 7, 1{orientation}"
        return datum(tmp_path, name, card=card)

    _, (x, R, v, w) = shown("altitude")
    R = R @ axes
    u, spin = R.T @ (v - STREAM), R.T @ w
    expected = {
        "airspeed": np.linalg.norm(v - STREAM), "groundspeed": np.hypot(v[0], v[1]),
        "altitude": x[2], "attitude": np.arcsin(R[2, 0]), "bank": np.arcsin(R[2, 1]),
        "turn": 60 * w[2], "slip": np.arctan2(u[1], u[0]), "verticalspeed": v[2],
        "angleofattack": np.arctan2(u[2], u[0]), "heading": np.arctan2(R[1, 0], R[0, 0]),
        "rollrate": spin[0], "pitchrate": spin[1], "yawrate": spin[2],
    }  # fmt: skip
    for name, value in expected.items():
        assert shown(name)[0] == pytest.approx(value, abs=1e-12), name


def test_instruments_are_aerodynamic_elements_and_can_be_bound(tmp_path):
    assert datum(tmp_path, "bank", "aerodynamic element")[0] == datum(tmp_path, "bank")[0]
    deck = read(tmp_path, f"""
        body: 1, 1, 2., null, eye; aircraft instruments: 7, 1; {AIR}
        bind: 7, aircraft instruments, 4, string, "verticalspeed";
        force: 1, absolute, 1, 1., 0., 0., node, 4, parameter, string, "x", direct;
        """, NODE + "parameter: 4, element;")  # fmt: skip
    assert value_of(deck, "x") == pytest.approx(-3)


def test_a_roll_damper_reads_the_instruments(tmp_path):
    """J ω̇ = −c ω about x: the roll rate decays by exp(−c t/J)."""
    deck = read(tmp_path, """
        body: 1, 1, 2., null, diag, 4., 5., 6.; aircraft instruments: 7, 1;
        couple: 1, follower, 1, position, null, component,
          element, 7, aerodynamic element, string, "rollrate", linear, 0., -8., 0., 0.;
        """, "structural: 1, dynamic, null, eye, null, 0.3, 0., 0.;")  # fmt: skip
    run = lw.transient(deck.model, 0.5, 1e-3, progress=False)
    rate = run[deck.nodes[1].body.name].angular_velocity.values[-1, 0]
    assert rate == pytest.approx(0.3 * np.exp(-8 / 4 * 0.5), rel=1e-6)


def test_data_of_the_air_are_those_of_the_stream(tmp_path):
    for i, name in enumerate(("vxinf", "vyinf", "vzinf")):
        found, _ = datum(tmp_path, name, "air properties", label=1)
        assert found == pytest.approx(STREAM[i])
    found, _ = datum(tmp_path, "vinf", "air properties", label=1)
    assert found == pytest.approx(np.linalg.norm(STREAM))


@pytest.mark.parametrize("name, kind, words", [
    ("latitude", "aircraft instruments", "manual does not say"),
    ("flaps", "aircraft instruments", "no datum 'flaps'; they have airspeed"),
    ("density", "air properties", "vxinf, vyinf, vzinf and vinf"),
    ("Tz", "rotor", "no induced velocity element 7"),
])  # fmt: skip
def test_data_that_are_not_there_are_refused(tmp_path, name, kind, words):
    with pytest.raises(lw.MbdynError, match=words):
        datum(tmp_path, name, kind)


@pytest.mark.parametrize("gust, words", [
    ("front 2D, 1., 0., 0.", "expected a model of gusts, one of front 1D"),
    ("front 1D, 0., 0., 0., 0., 0., 1., 3., const, 1.", "must not be zero"),
    ("power law, reference elevation, -2.", "must be positive"),
    ("power law, reference elevation, 2., exponent, 1.", "expected reference velocity"),
    ("logarithmic, reference elevation, 2., reference velocity, 3., surface roughness length, 4.",
     "roughness of WindProfile must be below"),
    ('scalar function, reference position, null, "none"', "no scalar function"),
])  # fmt: skip
def test_bad_gusts_of_decks_are_refused(tmp_path, gust, words):
    with pytest.raises(lw.MbdynError, match=words):
        air_of(tmp_path, f", gust, {gust}")


def test_a_gust_without_air_is_refused(tmp_path):
    with pytest.raises(lw.MbdynError, match="needs air properties"):
        read(tmp_path, "gust: front 1D, 1., 0., 0., 0., 0., 1., 3., const, 1.;")
