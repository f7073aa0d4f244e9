"""MBDyn's aerodynamic cards: its own results of three decks, and what is refused.

The numbers were written by MBDyn for decks and C81 tables of our own.  Forces of bodies that are
held do not depend on a method; those that depend on velocities differ with the step.
"""

import numpy as np
import pytest
from inside import Tables, write_text

import linkwork as lw
from linkwork import run_deck

ANGLES = [*range(0, 25), 27, 30, 35, *range(40, 181, 10)]

HEAD = """
begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: {time}; time step: {step}; tolerance: 1e-8;
  max iterations: 50; method: ms, 0.6, 0.6; end: initial value;
begin: control data; structural nodes: {nodes}; {counts} air properties;
  default orientation: orientation vector; output precision: 16; end: control data;
"""
RAMP = HEAD.format(time=1.0, step=0.01, nodes=2, counts="joints: 2; aerodynamic elements: 2;") + """
c81 data: 1, "plain.c81";
begin: nodes; structural: 1, static, null, eye, null, null;
  structural: 2, static, 0., 10., 0., eye, null, null; end: nodes;
begin: elements;
  joint: 1, total pin joint, 1, position, null, position orientation, eye, rotation orientation,
    eye, position, null, position orientation, eye, rotation orientation, eye,
    position constraint, 1, 1, 1, null,
    orientation constraint, 1, 1, 1, 0., 1., 0., cosine, 0., pi, 0.175, half, 0.;
  joint: 2, total pin joint, 2, position, null, position orientation, eye, rotation orientation,
    eye, position, 0., 10., 0., position orientation, eye, rotation orientation, eye,
    position constraint, 1, 1, 1, null,
    orientation constraint, 1, 1, 1, 0., 1., 0., cosine, 0., pi, 0.175, half, 0.;
  aerodynamic body: 1, 1, null, 1, -1., 0., 0., 2, 0., 0., 1., 2.,
    const, 0.5, const, 0., const, 0., const, 0., 4, c81, 1, node;
  aerodynamic body: 2, 2, 0.05, 0., 0.02, 1, -1., 0., 0., 2, 0., 0., 1., 3.,
    linear, 0.8, 0.4, const, 0.02, const, -0.2, linear, 0.02, -0.04,
    tip loss, piecewise const, 2, -1., 1., 0.9, 0.5, 5, control, const, 0.01, c81, 1, std;
  air properties: 1.225, 340., 1., 0., 0., const, 60.;
end: elements;
"""
HOVER = HEAD.format(time=0.05, step="5e-4", nodes=2,
                    counts="rigid bodies: 1; joints: 2; induced velocity elements: 1; "
                           "aerodynamic elements: 2;") + """
c81 data: 1, "plain.c81";
begin: nodes; structural: 100, static, null, eye, null, null;
  structural: 1, dynamic, null, eye, null, 0., 0., 10.*pi; end: nodes;
begin: elements;
  joint: 100, clamp, 100, node, node;
  joint: 1, axial rotation, 100, null, 1, null, const, 10.*pi;
  body: 1, 1, 10., null, diag, 1., 1., 2.;
  induced velocity: 1, rotor, 100, 1, induced velocity, uniform, 10.*pi, 5., max iterations, 50,
    tolerance, 1e-8, eta, 0.5;
  aerodynamic body: 1, 1, induced velocity, 1, 3., 0., 0., 1, 0., 1., 0., 2, 0., 0., 1., 4.,
    const, 0.3, const, 0., const, 0., linear, 0.2, 0.08, 6, c81, 1, node;
  aerodynamic body: 2, 1, induced velocity, 1, -3., 0., 0., 1, 0., -1., 0., 2, 0., 0., 1., 4.,
    const, 0.3, const, 0., const, 0., linear, 0.2, 0.08, 6, c81, 1, node;
  air properties: 1.225, 340., 1., 0., 0., const, 0.;
end: elements;
"""  # fmt: skip

PITCH = "".join(
    f"""joint: {k}, total pin joint, {k}, position, null, position orientation, eye,
    rotation orientation, eye, position, 0., {10 * k - 10}., 0., position orientation, eye,
    rotation orientation, eye, position constraint, 1, 1, 1, null,
    orientation constraint, 1, 1, 1, 0., 1., 0., cosine, 0., pi, 0.3, half, -0.3;\n"""
    for k in (1, 2, 3)
)
TABLES = HEAD.format(time=1.0, step=0.01, nodes=3,
                     counts="joints: 3; aerodynamic elements: 3;") + """
c81 data: 1, "free.c81"; c81 data: 2, "one.c81"; c81 data: 3, "two.c81";
begin: nodes; structural: 1, static, null, euler, 0., -0.3, 0., null, null;
  structural: 2, static, 0., 10., 0., euler, 0., -0.3, 0., null, null;
  structural: 3, static, 0., 20., 0., euler, 0., -0.3, 0., null, null; end: nodes;
begin: elements;
""" + PITCH + """
  aerodynamic body: 1, 1, null, 1, -1., 0., 0., 2, 0., 0., 1., 2., const, 0.5, const, 0., const, 0.,
    const, 0., 2, c81, 2, std;
  aerodynamic body: 2, 2, null, 1, -1., 0., 0., 2, 0., 0., 1., 2., const, 0.5, const, 0.05,
    const, 0., const, 0., 4, c81, multiple, 2, 1, 0., 2, 1., std;
  aerodynamic body: 3, 3, null, 1, -1., 0., 0., 2, 0., 0., 1., 2., const, 0.5, const, 0.,
    const, 0.1, const, 0., 3, c81, interpolated, 2, 2, -1., 3, 1., node;
  air properties: 1.225, 340., 1., 0., 0., ramp, 150., 0., 1., 50.;
end: elements;
"""  # fmt: skip


def cambered_tables(folder):
    """The other tables of the records, by their formulas, and a flat plate in free format."""
    inner, mach = np.arange(-16.0, 17.0, 4.0), np.array([0.0, 0.3, 0.6, 0.8])
    outer = np.array([30.0, 90.0, 160.0, 180.0])
    alpha = np.radians(np.concatenate([-outer[::-1], inner, outer]))

    def whole(middle, right, sign):
        right = np.tile(np.array(right)[:, None], 4)
        return np.concatenate([sign * right[::-1], middle, right])

    bent = np.clip(inner, -12, 12)[:, None]
    lift = 0.2 + 0.1 * bent * (1 + 0.3 * mach)
    lift *= np.where(np.abs(inner) > 12, 0.8, 1.0)[:, None]
    lift = whole(lift, [0.9, 0.0, -0.7, 0.0], -1)
    drag = whole(0.008 + 0.0002 * inner[:, None] ** 2 + 0.002 * mach, [0.6, 2.0, 0.3, 0.02], 1)
    moment = whole(-0.04 - 0.0005 * inner[:, None] - 0.01 * mach, [-0.2, -0.4, -0.3, 0.0], -1)
    shift = 0.05 * (np.abs(np.degrees(alpha)) < 13)[:, None]
    for name, grids in (
        ("one", (lift, drag, moment)), ("two", (0.9 * lift - shift, 1.2 * drag, 0.5 * moment)),
    ):  # fmt: skip
        rounded = [(alpha, mach, np.round(x, 4)) for x in grids]
        lw.Airfoil(*rounded, title="CAMBERED").write_c81(folder / f"{name}.c81")
    rows = ["# FREE FORMAT", "flat plate; 2 9 2 2 2 2", "0.0 0.9"]
    slope = np.pi**2 / 90  # 2π per radian, over degrees
    for a, cl in ((-180, 0), (-90, 0), (-20, -12 * slope), (-10, -10 * slope), (0, 0),
                  (10, 10 * slope), (20, 12 * slope), (90, 0), (180, 0)):  # fmt: skip
        rows.append(f"{a:.1f} {cl:.15f} {cl:.15f}")
    rows += 2 * ["0.0 0.9", "-180.0 0.0 0.0", "180.0 0.0 0.0"]
    (folder / "free.c81").write_text("\n".join(rows) + "\n")


def plain_table(folder):
    """The table of the records, by its formula, rounded to four decimals."""
    alpha = np.array([*(-a for a in ANGLES[:0:-1]), *ANGLES], float)
    s = 1 / (1 + np.exp((np.abs(alpha) - 15.5) / 1.5))
    x, mach = np.radians(alpha), np.array([0.0, 0.3, 0.6])
    lift = s[:, None] * 5.7 * (1 + mach**2 / 4) * x[:, None] + ((1 - s) * np.sin(2 * x))[:, None]
    drag = 0.008 + s * 0.01 * (alpha / 10) ** 2 + (1 - s) * 1.8 * np.sin(x) ** 2
    foil = lw.Airfoil(
        (x, mach, np.round(lift, 4)), (x, mach, np.round(np.tile(drag[:, None], 3), 4)),
        ([-np.pi, 0, np.pi], mach, np.zeros((3, 3))), title="PLAIN AIRFOIL",
    )  # fmt: skip
    foil.write_c81(folder / "plain.c81")


@pytest.fixture
def aero(tmp_path):
    """Reads a deck beside the table."""
    plain_table(tmp_path)

    def reading(text):
        path = tmp_path / "deck.mbd"
        path.write_text(text)
        return lw.read_deck(path, environment={})

    return reading


def rows(path, label):
    found = [line.split() for line in path.read_text().splitlines()]
    return np.array([line[1:] for line in found if line[0] == label], float)


def test_forces_of_pitching_bodies_are_mbdyns(aero, tmp_path):
    deck = aero(RAMP)
    with pytest.warns(lw.LinkworkWarning, match="energy"):  # bodies without mass, imposed motion
        run = run_deck(deck)
    write_text(Tables(deck, run), tmp_path / "out")
    node, points = (rows(tmp_path / "out.aer", label) for label in "12")
    at = [int(np.argmin(np.abs(run.time - t))) for t in (0.2, 0.5, 1.0)]
    assert np.all(node[:, 0] == 1)  # the label of its node
    # nine digits are given
    np.testing.assert_allclose(node[at, 1], [18.4657335, 42.3220312, 466.984928], rtol=4e-9)
    np.testing.assert_allclose(node[at, 3], [425.597616, 2190.95955, 1560.6752], rtol=4e-9)
    # body 2: first point's angle, Mach number, c_l and c_d; MBDyn's step of the velocity differs
    np.testing.assert_allclose(points[at, 0], [3.54979059, 11.7148856, 21.6111313], rtol=1e-7)
    np.testing.assert_allclose(points[at, 3], [0.357734043, 1.1201838, 0.710795936], rtol=1e-7)
    np.testing.assert_allclose(points[at, 4], [0.00928485341, 0.0264603824, 0.248800472], rtol=1e-7)
    reaction = rows(tmp_path / "out.jnt", "2")[at[1]]
    np.testing.assert_allclose(reaction[[8, 9]], [3892.59636, -1134.23825], rtol=1e-7)
    # at t = 1, global force and moment of the record, tip loss and offsets included
    expected = [816.38036726, 0, 2719.65131746, -597.34997107, -85.80634076, 278.43964623]
    np.testing.assert_allclose(rows(tmp_path / "out.jnt", "2")[at[2], 6:12], expected, rtol=1e-7,
                               atol=1e-6)  # fmt: skip
    air = rows(tmp_path / "out.air", "1")
    np.testing.assert_array_equal(air[0], [1.225, 340, 60, 0, 0])


def test_hovering_rotor_is_mbdyns(aero, tmp_path):
    deck = aero(HOVER)
    run = run_deck(deck)
    write_text(Tables(deck, run), tmp_path / "out")
    rot = rows(tmp_path / "out.rot", "1")[-1]
    # thrust, torque and inflow of the record; MBDyn's inflow is that of the last iteration
    np.testing.assert_allclose(rot[[2, 5, 6]], [5828.99438, -1554.59511, 5.50387874], rtol=6e-8)
    # an independent blade element sum with u = √(T/2ρA)
    np.testing.assert_allclose(rot[2], 5828.99454, rtol=2e-9)
    np.testing.assert_allclose(rot[7:13], [0, np.pi / 2, 0, 0.035038779, 0, 0], rtol=1e-6)
    assert rot[13:].tolist() == [1, 0] and rows(tmp_path / "out.aer", "1").shape[1] == 7


def test_blade_loads_of_the_rotor_are_mbdyns_in_the_axes_of_the_hub(aero, tmp_path):
    """The record's hub has drifted by 7.7e-4 rad at t = 2, by MBDyn's steps, so that loads in
    global axes differ by as much; turned back by the angle in the record's .mov they agree."""
    deck = aero(HOVER)
    run = run_deck(deck)
    write_text(Tables(deck, run), tmp_path / "out")

    def back(angle, loads):
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        return np.concatenate([R.T @ loads[:3], R.T @ loads[3:]])

    recorded = back(7.6688448443155456e-04, np.array([
        1.7225988094155165e-01, -2.2462293952899350e+02, 2.9144971885645973e+03,
        8.1411665235353112e+00, -1.0615894691881389e+04, -7.7729755490432649e+02,
    ]))  # fmt: skip
    ours = rows(tmp_path / "out.aer", "1")[-1, 1:]
    angle = 10 * np.pi * run.time[-1]
    # MBDyn's inflow is that of its last iteration: 3e-8 of the thrust, as in its .rot
    np.testing.assert_allclose(back(angle, ours), recorded, rtol=6e-8, atol=1e-8 * 1.1e4)


def test_thrust_of_a_rotor_can_be_read_by_drives(aero):
    """A force that cancels the thrust: nothing is left for the clamp of the mast."""
    load = """force: 7, absolute, 100, position, null, 0., 0., 1.,
      element, 1, rotor, string, "Tz", linear, 0., -1.; air properties:"""
    text = HOVER.replace("joints: 2;", "joints: 2; forces: 1;").replace("air properties:", load)
    run = run_deck(aero(text))
    clamp = run["joint 100"].force.values[-1]
    thrust = run["rotor 1"].thrust.values[-1]
    assert thrust == pytest.approx(5828.99454, rel=1e-8)
    assert abs(clamp[2]) < 1e-6 * thrust


def test_own_tables_give_mbdyns_coefficients(aero, tmp_path):
    """One table, two with a sharp change at midspan, two that blend; the layouts std and node."""
    cambered_tables(tmp_path)
    deck = aero(TABLES)
    with pytest.warns(lw.LinkworkWarning, match="energy"):  # bodies without mass, imposed motion
        run = run_deck(deck)
    write_text(Tables(deck, run), tmp_path / "out")
    lines = (tmp_path / "out.aer").read_text().splitlines()
    # three records each time; eight numbers a point, or label, force and moment of each node
    assert [line.split()[0] for line in lines[:3]] == ["1", "2", "3"]
    assert [line[:8] for line in lines[:3]] == ["       1", "       2", "       3"]
    assert [len(line.split()) for line in lines[:3]] == [1 + 2 * 8, 1 + 4 * 8, 1 + 7]
    one, two, three = (rows(tmp_path / "out.aer", label) for label in "123")
    at = [int(np.argmin(np.abs(run.time - t))) for t in (0.25, 0.5, 0.75, 1.0)]
    # nine digits of the record at points of body 1: c_l, c_d, c_m
    np.testing.assert_allclose(one[at][:, [3, 4, 5]], [
        [-1.08421891, 0.0381786194, -0.0364963943], [0.2, 0.00873529412, -0.0436764706],
        [1.55993273, 0.0386197959, -0.0508565469], [1.25634698, 0.106195668, -0.0662891382],
    ], rtol=5e-9)  # fmt: skip
    np.testing.assert_array_equal(one[:, :8], one[:, 8:])
    # the whole first line of the record at t = 1: angle in degrees, sweep, Mach number, …, 0, 0
    np.testing.assert_allclose(one[-1, :8], [
        17.188733853924699, 0, 0.58823529411764741, 1.2563469827185652, 0.10619566757295638,
        -0.066289138206508211, 0, 0,
    ], rtol=1e-12, atol=1e-14)  # fmt: skip
    # body 2: the flat plate on the first half of the span, the other table on the second
    np.testing.assert_allclose(two[at[2], [3, 11]], 1.14387115, rtol=5e-9)
    np.testing.assert_allclose(two[:, 16:], np.hstack([one, one])[:, :16], rtol=1e-12, atol=1e-14)
    assert np.all(two[:, [4, 5, 12, 13]] == 0)
    # body 3 turns at the rate of its pitch, which depends on MBDyn's step: six stable digits
    assert np.all(three[:, 0] == 3)
    found = three[at[2], [1, 3, 5]]
    np.testing.assert_allclose(found, [694.219146, 23600.6794, -308.329009], rtol=2e-6)
    expected = [2862.2062285465208, 0, 29241.278202572383, -513.07429163905090,
                -609.03145695138335, -86.804124789674120]  # fmt: skip
    np.testing.assert_allclose(three[-1, 1:], expected, rtol=1e-9, atol=1e-9)


def test_aerodynamic_beams_load_their_nodes_as_bodies_do(aero, tmp_path):
    """One body over the span against a beam of three nodes that are held."""
    nodes = " ".join(f"structural: {k + 1}, static, 0., {0.5 * k}, 0., eye, null, null;"
                     for k in range(3))  # fmt: skip
    offset = "null, 1, -1., 0., 0., 2, 0., 0., 1.,"
    text = HEAD.format(time=0.2, step=0.1, nodes=3,
                       counts="beams: 1; joints: 3; aerodynamic elements: 2;") + f"""
c81 data: 1, "plain.c81";
begin: nodes; {nodes} end: nodes;
begin: elements;
  joint: 1, clamp, 1, node, node; joint: 2, clamp, 2, node, node; joint: 3, clamp, 3, node, node;
  beam3: 7, 1, null, 2, null, 3, null, 1, 0., 1., 0., 3, 0., 0., 1., linear elastic generic, diag,
    1., 1., 1., 1., 1., 1., same, same;
  aerodynamic beam3: 1, 7, {offset} {offset} {offset} linear, 0.4, 0.2, const, 0.01, const, 0.,
    const, 0.05, 3, c81, 1, node;
  aerodynamic body: 2, 2, {offset} 1., linear, 0.4, 0.2, const, 0.01, const, 0., const, 0.05,
    8, c81, 1, node;
  air properties: 1.225, 340., 1., 0., 0., const, 60.;
end: elements;
"""
    deck = aero(text)
    run = run_deck(deck)
    write_text(Tables(deck, run), tmp_path / "out")
    carrier, *loads = rows(tmp_path / "out.aer", "1")[-1]
    beam, body = np.reshape(loads, (3, 6)), rows(tmp_path / "out.aer", "2")[-1]
    assert carrier == 7  # the beam's label, once
    np.testing.assert_allclose(beam[:, :3].sum(axis=0), body[1:4], rtol=1e-9, atol=1e-9)
    arms = np.array([[0, -0.5, 0], [0, 0, 0], [0, 0.5, 0]])
    moment = (beam[:, 3:] + np.cross(arms, beam[:, :3])).sum(axis=0)
    # loads are polynomials of ξ, for which Gauss's rule is exact
    np.testing.assert_allclose(moment, body[4:], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("old, new, words", [
    ('"plain.c81"', '"nowhere.c81"', "cannot be read"),
    ("c81, 1, node", "c81, 3, node", "no c81 data 3"),
    ("c81, 1, node", "rae 9671, node", "inside MBDyn's program"),
    ("const, 0.5, const", "const, -0.5, const", "chord must be positive"),
    ("c81, 1, std", "c81, 1, unsteady, bielawa, std", "Bielawa"),
    ("const, 60.;", "const, 60., gust, front 2D;", "one of front 1D, scalar function"),
    ("  air properties", "aeromodal: 3, 1; air properties", "aeromodal elements"),
    ("control, const, 0.01", "control, element, 1, aerodynamic body, string, \"Fx\", direct",
     "'Fx' of aerodynamic body 1 cannot be read while the model moves"),
    ("aerodynamic body: 1, 1, null", "aerodynamic body: 1, 1, induced velocity, 7, null",
     "no induced velocity element 7"),
    ("const, 0.5, const", "cubic, 0.5, const", "shape of a quantity"),
    ("0.4, const, 0.02", "0.4, piecewise linear, 2, 1., 0., -1., 1.", "must rise"),
])  # fmt: skip
def test_what_decks_cannot_have_is_refused(aero, old, new, words):
    assert old in RAMP
    with pytest.raises(lw.MbdynError, match=words):
        aero(RAMP.replace(old, new, 1))


def test_swept_flow_is_told(aero):
    assert any("along the span" in note for note in aero(RAMP).notes)


def test_naca_0012_is_read_with_a_note(aero):
    deck = aero(RAMP.replace("c81, 1, node", "naca 0012, node"))
    assert any("Ladson" in note for note in deck.notes)
    assert deck.model["aerodynamic 1"].airfoil.title == "NACA 0012"


def test_airfoils_along_the_span(aero):
    many = RAMP.replace("c81, 1, node", "c81, multiple, 2, 1, 0., 1, 1., node")
    assert aero(many).model["aerodynamic 1"].blend is False
    blend = RAMP.replace("c81, 1, node", "c81, interpolated, 2, 1, -1., 1, 1., node")
    assert [s for s, _ in aero(blend).model["aerodynamic 1"].airfoil] == [0.0, 1.0]


def test_rotors_are_announced_by_their_older_name(aero):
    deck = aero(HOVER.replace("induced velocity elements: 1", "rotors: 1"))
    assert deck.model["rotor 1"].model == "uniform"


@pytest.mark.parametrize("given, mean", [("", 0.0), (", initial value, 3., 0., 0.", 3.0)])
def test_dynamic_inflow_starts_where_the_card_says(aero, given, mean):
    deck = aero(HOVER.replace("uniform, 10.*pi, 5.", f"dynamic inflow, 10.*pi, 5.{given}"))
    run = lw.run_deck(deck, progress=False)
    np.testing.assert_allclose(run["rotor 1"].inflow.values[0], [mean, 0, 0, 0], atol=1e-12)


def test_cyclic_inflow_at_the_start_is_refused(aero):
    with pytest.raises(lw.MbdynError, match="cosine and sine inflow"):
        aero(HOVER.replace("uniform, 10.*pi, 5.",
                           "dynamic inflow, 10.*pi, 5., initial value, 3., 1., 0."))


def test_states_of_a_dynamic_inflow_are_written_from_the_wind(aero, tmp_path):
    """Columns 17 to 19 of .rot: mean, and the slopes across and along the wind in the disc."""
    windy = HOVER.replace("340., 1., 0., 0., const, 0.", "340., 0.8, 0.6, 0., const, 50.")
    deck = aero(windy.replace("uniform, 10.*pi, 5.", "dynamic inflow, 10.*pi, 5."))
    run = lw.run_deck(deck, progress=False, t=0.2)
    write_text(Tables(deck, run), tmp_path / "out")
    found, rotor = rows(tmp_path / "out.rot", "1")[-1], run["rotor 1"]
    assert len(found) == 18 and found[13:15].tolist() == [1, 0]
    mean, wind = found[15], np.arctan2(30.0, 40.0)
    assert found[12] == pytest.approx(wind)
    assert mean == pytest.approx(float(rotor.inflow_at(0.0, 0.0)), rel=1e-6)
    slopes = [rotor.inflow_at(1.0, psi) - mean for psi in (wind + np.pi / 2, wind)]
    np.testing.assert_allclose(found[16:], slopes, rtol=1e-5, atol=1e-5)
