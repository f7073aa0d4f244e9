"""Force and moment of the air on a craft: angles, tables, files, the card of MBDyn."""

import numpy as np
import pytest
from inside import Tables, write_text
from mbdyn_text import deck_text, value_of

import linkwork as lw
from linkwork import run_deck
from linkwork.extend import rotations

RHO = 1.2
DATA = """# a comment
% another
3 2
# alpha beta and six coefficients
-90 -180 -0.3 0.1 -0.4 0.01 0.02 0.03
  0 -180 -0.1 0.2 0.1 0.02 -0.1 0.04
 90 -180 -0.2 0.3 0.9 0.03 0.05 0.01
-90 180 -0.5 0.1 -0.6 0.02 0.04 0.02
  0 180 -0.1 -0.2 0.2 0.01 -0.2 0.05
 90 180 -0.4 0.2 0.7 0.05 0.01 0.03
"""


def bilinear(alpha, beta):
    """The coefficients of DATA, written out by hand."""
    rows = np.array([line.split() for line in DATA.splitlines()[4:]], float).reshape(2, 3, 8)
    a, t = np.degrees(alpha) / 90, (np.degrees(beta) + 180) / 360
    i = 0 if a < 0 else 1
    part = [(1 - (a + 1 - i)) * rows[j, i, 2:] + (a + 1 - i) * rows[j, i + 1, 2:] for j in (0, 1)]
    return (1 - t) * part[0] + t * part[1]


def angles(V, sideslip="geometric"):
    alpha = np.arctan2(V[2], abs(V[0]))
    other = V[2] if sideslip == "geometric" else V[1]
    return alpha, -np.arctan2(V[1], np.sign(V[0]) * np.hypot(V[0], other))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "craft.dat"
    path.write_text(DATA)
    return path


def flying(path, velocity, spin=(0, 0, 0), air=(3.0, -1.0, 0.5), **words):
    m = lw.Model("craft")
    m.air = lw.Air(density=RHO, velocity=air)
    q = rotations.exponential(np.array([0.2, -0.4, 0.3]))
    body = m.add("body", lw.Body(5, (1, 2, 3), orientation=q, velocity=velocity,
                                 angular_velocity=spin))  # fmt: skip
    turn = rotations.exponential(np.array([0.0, 0.1, 0.0]))
    frame = lw.Frame(body, (0.4, 0.1, -0.2), turn)
    m.add("air force", lw.AerodynamicForce.read(frame, path, degrees=True, **words))
    return m, rotations.matrix(q), frame


@pytest.mark.parametrize("sideslip", ["geometric", "mbdyn"])
@pytest.mark.parametrize("velocity", [(40, 2, -3), (-40, 5, 8), (0.1, 30, 2), (3, -1, 60)])
def test_loads_are_those_of_the_table_at_the_angles(table, velocity, sideslip):
    spin = np.array([0.3, -0.2, 0.5])
    m, R, frame = flying(table, velocity, spin, area=2.0, length=0.5, sideslip=sideslip)
    run = lw.transient(m, 1e-4, 1e-4, progress=False)
    w = np.array(velocity) + R @ np.cross(spin, frame.position) - [3.0, -1.0, 0.5]
    V = rotations.matrix(frame.orientation).T @ R.T @ w
    alpha, beta = angles(V, sideslip)
    found, q = run["air force"], 0.5 * RHO * V @ V
    assert found.alpha.values[0] == pytest.approx(alpha, abs=1e-12)
    assert found.beta.values[0] == pytest.approx(beta, abs=1e-12)
    c = bilinear(alpha, beta)
    np.testing.assert_allclose(found.force.values[0], q * 2.0 * c[:3], rtol=1e-12)
    np.testing.assert_allclose(found.torque.values[0], q * 2.0 * 0.5 * c[3:], rtol=1e-12)


def test_alpha_first_lets_the_angle_of_attack_go_round():
    """Straight backwards with the belly ahead: α beyond 90°, no sideslip."""
    m = lw.Model("backwards")
    m.air = lw.Air(density=RHO)
    body = m.add("body", lw.Body(1, (1, 1, 1), velocity=(-10, 0, 4)))
    c = np.zeros((2, 2, 6))
    m.add("load", lw.AerodynamicForce(body, (-np.pi, np.pi), (-2, 2), c, alpha_first=True))
    run = lw.transient(m, 1e-3, 1e-3, progress=False)
    assert run["load"].alpha.values[0] == pytest.approx(np.arctan2(4, -10))
    assert run["load"].beta.values[0] == 0


def test_a_body_falls_at_its_terminal_speed():
    """½ ρ v² S c = m g, approached by v(t) = v_T tanh(g t/v_T)."""
    m = lw.Model("falling", gravity=(0, 0, 9.81))  # z down
    m.air = lw.Air(density=RHO)
    body = m.add("ball", lw.Body(2.0, (1, 1, 1), velocity=(1e-9, 0, 0)))
    c = np.zeros((3, 2, 6))
    c[0, :, 2], c[2, :, 2] = 0.8, -0.8  # along z at ±90°
    m.add("load", lw.AerodynamicForce(body, np.radians([-90, 0, 90]), (-np.pi, np.pi), c, area=0.4))
    run = lw.transient(m, 4.0, 2e-3, progress=False)
    limit = np.sqrt(2 * 2.0 * 9.81 / (RHO * 0.4 * 0.8))
    speed = limit * np.tanh(9.81 * run.time / limit)
    np.testing.assert_allclose(run["ball"].velocity.values[:, 2], speed, rtol=2e-5, atol=1e-5)


def test_energy_from_the_air_is_the_work_on_the_body(table):
    m, _, _ = flying(table, (30, 2, 1), (0.1, 0.2, 0.3))
    run = lw.transient(m, 0.5, 1e-3, progress=False)
    power = run["air force"].power.values
    work = np.concatenate([[0], np.cumsum(np.diff(run.time) * (power[1:] + power[:-1]) / 2)])
    v, w = run["body"].velocity.values, run["body"].angular_velocity.values
    energy = 0.5 * 5 * np.sum(v**2, axis=1) + 0.5 * w**2 @ np.array([1, 2, 3])
    change = energy - energy[0]
    np.testing.assert_allclose(work, change, atol=1e-4 * np.abs(change).max())  # trapezoidal rule


def test_no_load_at_rest_in_the_air(table):
    m, _, _ = flying(table, (3.0, -1.0, 0.5))
    run = lw.transient(m, 0.1, 0.01, progress=False)
    np.testing.assert_allclose(run["body"].velocity.values[-1], [3, -1, 0.5], rtol=1e-14)


def test_angles_beyond_the_table_are_refused():
    m = lw.Model("slip")
    m.air = lw.Air(density=RHO)
    body = m.add("body", lw.Body(1, (1, 1, 1), velocity=(10, 8, 0)))
    words = ((-0.1, 0.1), (-0.1, 0.1), np.zeros((2, 2, 6)))
    m.add("load", lw.AerodynamicForce(body, *words))
    with pytest.raises(lw.LinkworkError, match="no data at beta = -38"):
        lw.transient(m, 0.01, 0.01, progress=False)
    m["load"].outside = "hold"
    lw.transient(m, 0.01, 0.01, progress=False)


BODY = lw.Body(1, (1, 1, 1))
NONE = np.zeros((2, 2, 6))


@pytest.mark.parametrize("make, words", [
    (lambda: lw.AerodynamicForce(lw.GROUND, (0, 1), (0, 1), NONE), "not on GROUND"),
    (lambda: lw.AerodynamicForce(BODY, (1, 0), (0, 1), NONE), "alpha of .* must be rising"),
    (lambda: lw.AerodynamicForce(BODY, (0, 1), (0, 90), NONE), "between −π and π"),
    (lambda: lw.AerodynamicForce(BODY, (0, 1), (0, 1), NONE[0]), r"of shape \(2, 2, 6\)"),
    (lambda: lw.AerodynamicForce(BODY, (0, 1), (0, 1), NONE, area=0), "positive"),
    (lambda: lw.AerodynamicForce(BODY, (0, 1), (0, 1), NONE, sideslip="v1"), "geometric"),
    (lambda: lw.AerodynamicForce.read(BODY, "nowhere.dat"), "'nowhere.dat'.*cannot be read"),
])  # fmt: skip
def test_bad_input_is_refused(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()


@pytest.mark.parametrize("old, new, words", [
    ("3 2", "3", "line 3: expected the counts"), ("3 2", "3 3", "3 times 3 lines"),
    (" 90 -180 -0.2", " 90 -180 x", "line 7: expected two angles and six coefficients"),
    ("  0 180", "  5 180", "same angles of attack"), (DATA, "# nothing", "has no numbers"),
])  # fmt: skip
def test_damaged_files_are_refused(table, old, new, words):
    table.write_text(DATA.replace(old, new, 1))
    with pytest.raises(lw.ModelError, match=words):
        lw.AerodynamicForce.read(BODY, table, degrees=True)


# -------------------------------------------------------------------------------- the card


def read(folder, more="", text=None):
    nodes = "structural: 1, dynamic, 1., 2., 3., euler123, .2, -.1, .3, 40., 3., 5., .1, .2, -.3;"
    card = text or """generic aerodynamic force: 5, 1, position, .4, .1, -.2,
        orientation, 3, 0., 0., 1., 2, 0., 1., .2, reference surface, 2., reference length, .5,
        file, angle units, degrees, "craft.dat";"""
    path = folder / "deck.mbd"
    path.write_text(deck_text(
        nodes, f"body: 1, 1, 5., .1, 0., .2, diag, 1., 2., 3.; {card} {more} "
        "air properties: 1.2, 340., 1., 0., 0., const, -4.;", step="1.e-4", time="1.e-3",
        control="air properties; aerodynamic elements: 1;",
    ))  # fmt: skip
    return lw.read_deck(path)


def test_card_and_its_file(table, tmp_path):
    deck = read(tmp_path)
    assert any("45 degrees in a pure crosswind" in note for note in deck.notes)
    run = run_deck(deck)
    write_text(Tables(deck, run), tmp_path / "out")
    line = (tmp_path / "out.aer").read_text().splitlines()[0].split()
    assert line[0] == "5" and len(line) == 15
    found = np.array(line[1:], float)
    _, R, v, w = deck.nodes[1].reference
    o, Rh = np.array([0.4, 0.1, -0.2]), deck.aero.craft[5].axes
    np.testing.assert_allclose(Rh.T @ Rh, np.eye(3), atol=1e-12)
    V = Rh.T @ R.T @ (v + np.cross(w, R @ o) - [-4.0, 0, 0])
    alpha, beta = angles(V, "mbdyn")  # as the input manual of MBDyn prints it
    q, c = 0.5 * 1.2 * V @ V * 2.0, bilinear(alpha, beta)
    f, m = q * c[:3], q * 0.5 * c[3:]
    F = R @ Rh @ f
    M = R @ Rh @ m + R @ np.cross(o, Rh @ f)
    expected = [np.degrees(alpha), np.degrees(beta), *f, *m, *F, *M]
    np.testing.assert_allclose(found, expected, rtol=1e-6)  # six digits


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_its_angles_can_be_read_by_drives(table, tmp_path, name):
    more = f"""force: 1, absolute, 1, 1., 0., 0., element, 5, aerodynamic element, string,
        "{name}", direct;"""
    deck = read(tmp_path, more)
    run = lw.transient(deck.model, 1e-4, 1e-4, progress=False)
    expected = run["aerodynamic 5"].numbers(name)[0]
    assert value_of(deck, name) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("card, words", [
    ('generic aerodynamic force: 5, 1, file, "none.dat";', "cannot be read"),
    ("generic aerodynamic force: 5, 1, reference, 3;", "name the file again"),
    ('generic aerodynamic force: 5, 1, "craft.dat";', "expected file"),
    ('generic aerodynamic force: 5, 1, file, angle units, gon, "craft.dat";', "radians, degrees"),
])  # fmt: skip
def test_bad_cards_are_refused(table, tmp_path, card, words):
    with pytest.raises(lw.MbdynError, match=words):
        read(tmp_path, text=card)
