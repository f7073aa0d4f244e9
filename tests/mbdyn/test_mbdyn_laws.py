"""Cards of constitutive laws and deformable joints: laws by hand, the manual's equations, files."""

from __future__ import annotations

import numpy as np
import pytest
from inside import LAWS, Tables, over_times, unsupported_cards
from mbdyn_text import BODIES, NODE, TWO, deck_text

import linkwork as lw
from linkwork import MbdynError, UnsupportedCard, compile_model, run_deck
from linkwork.extend import KD, KE, STRESS, rotations
from linkwork.io.mbdyn.output.netcdf import write_netcdf
from tests.elements.test_laws import numbers_at

laws = lw.laws
K3 = np.array([[5, 1, 2], [1, 6, 3], [2, 3, 7.0]])
D6 = np.diag([1, 2, 3, 4, 5, 6.0])
SQUARE = lw.expression("t^2")
LINES = lw.table([-1, 0, 2], [-3, 0, 1], kind="linear", outside="extend")
BEFORE = """scalar function: "square", pow, 2.;
  scalar function: "lines", multilinear, -1., -3., 0., 0., 2., 1.;
  drive caller: 7, string, "Time > .25"; set: real K = 4.; set: integer N = 2;"""
SYM = "sym, 5., 1., 2., 6., 3., 7."
DIAG = "diag, 1., 2., 3., 4., 5., 6."
ON = dict(on=lw.expression("t > 0.25"), off=lw.constant(0), step=0.01)

CARDS = [
    (1, "linear elastic, K", laws.LinearElastic(4)),
    (3, "linear elastic isotropic, N*K", laws.LinearElastic(8)),
    (6, f"linear elastic generic, {DIAG}", laws.LinearElastic(D6)),
    (3, f"linear elastic generic, {SYM}, prestress, 1., 2., 3.",
     laws.LinearElastic(K3, prestress=(1, 2, 3))),
    (3, "linear elastic generic, 5., 1., 2., 1., 6., 3., 2., 3., 7., prestrain, null",
     laws.LinearElastic(K3)),
    (1, "linear viscous, 3.", laws.LinearViscous(3)),
    (6, "linear viscous isotropic, 3.", laws.LinearViscous(3)),
    (3, f"linear viscous generic, {SYM}, scale, 2.", laws.LinearViscous(2 * K3)),
    (1, "linear viscoelastic, 3., .5, prestress, 2., prestrain, .1",
     laws.LinearViscoelastic(3, 0.5, prestress=2, prestrain=0.1)),
    (3, "linear viscoelastic isotropic, 3., proportional, .2", laws.LinearViscoelastic(3, 0.6)),
    (3, f"linear viscoelastic generic, {SYM}, diag, 1., 2., 3., prestrain, component, const, .1,"
        " inactive, string, \"sin(Time)\"",
     laws.LinearViscoelastic(K3, (1, 2, 3), prestrain=(0.1, 0, lw.expression("sin(t)")))),
    (6, f"linear viscoelastic generic, {DIAG}, proportional, .5, prestrain, single,"
        " 1., 2., 3., 4., 5., 6., linear, 1., 2.",
     laws.LinearViscoelastic(D6, 0.5 * D6, prestrain=[
         lw.polynomial([k, 2 * k]) for k in range(1, 7)])),
    (3, f"linear time variant viscoelastic generic, {SYM}, linear, 1., 2., proportional, .1, time",
     laws.LinearViscoelastic(K3, 0.1 * K3, stiffness_scale=lw.polynomial([1, 2]),
                             viscosity_scale=lw.polynomial([0, 1]))),
    (6, f"linear elastic generic axial torsion coupling, {DIAG}, 7.", laws.AxialTorsion(D6, 7)),
    (6, f"linear viscoelastic generic axial torsion coupling, {DIAG}, proportional, .3, 7.,"
        " prestress, null", laws.AxialTorsion(D6, 7, 0.3 * D6)),
    (3, "cubic elastic generic, 1., 2., 3., 4., 5., 6., 7., 8., 9.",
     laws.CubicElastic((1, 2, 3), (4, 5, 6), (7, 8, 9))),
    (3, f"cubic viscoelastic generic, 1., 2., 3., 4., 5., 6., 7., 8., 9., {SYM}",
     laws.CubicElastic((1, 2, 3), (4, 5, 6), (7, 8, 9), K3)),
    (1, "inverse square elastic, 3., 2.", laws.InverseSquare(3, 2)),
    (1, "log elastic, 3., prestress, 1.", laws.LogElastic(3, prestress=1)),
    (1, "double linear elastic, 1., .1, -.2, 2., third stiffness, 3.",
     laws.DoubleLinear(1, 0.1, -0.2, 2, 3)),
    (3, "double linear viscoelastic, 1., .1, -.2, 2., 4., second damping, 5.",
     laws.DoubleLinear(1, 0.1, -0.2, 2, viscosity=4, second_viscosity=5)),
    (6, "isotropic hardening elastic, 3., .5", laws.IsotropicHardening(3, 0.5)),
    (3, "isotropic hardening elastic, 3., .5, linear stiffness, 1.",
     laws.IsotropicHardening(3, 0.5, linear=1)),
    (1, "turbulent viscoelastic, 1., 2.", laws.Turbulent(1, 2)),
    (1, "turbulent viscoelastic, 1., 2., .3, prestress, 1.",
     laws.Turbulent(1, 2, 0.3, prestress=1)),
    (1, "turbulent viscoelastic, 1., 2., .3, .4", laws.Turbulent(1, 2, 0.3, 0.4)),
    (3, 'scalar function elastic isotropic, "lines"', laws.ScalarFunctionElastic(LINES)),
    (6, 'scalar function elastic, "new", multilinear, -1., -3., 0., 0., 2., 1., end, prestress,'
        " 1., 1., 1., 1., 1., 1.", laws.ScalarFunctionElastic(LINES, prestress=(1,) * 6)),
    (3, 'scalar function elastic orthotropic, "lines", null, "square"',
     laws.ScalarFunctionElastic([LINES, None, SQUARE])),
    (3, f'nlsf elastic, {SYM}, null, "lines", null',
     laws.FunctionViscoelastic(K3, [None, LINES, None])),
    (3, f'nlsf viscous, {SYM}, null, "lines", null',
     laws.FunctionViscoelastic(0, None, K3, [None, LINES, None])),
    (1, 'nlsf viscoelastic, 3., "square", proportional, .5, "lines", prestrain, .1',
     laws.FunctionViscoelastic(3, SQUARE, 1.5, LINES, prestrain=0.1)),
    (3, f'nlp elastic, {SYM}, "square", "lines", null',
     laws.FunctionViscoelastic(K3, [SQUARE, LINES, None], product=True)),
    (1, 'nlp viscous, 2., "square"', laws.FunctionViscoelastic(0, None, 2, SQUARE, product=True)),
    (6, f'nlp viscoelastic, {DIAG}, null, null, null, null, null, "square", null, "lines", null,'
        ' null, null, null, null',
     laws.FunctionViscoelastic(D6, [None] * 5 + [SQUARE], 0, [LINES] + [None] * 5, product=True)),
    (1, 'symbolic elastic, epsilon, "x", expression, "3*x + x^3"', laws.Symbolic("3*x + x^3", "x")),
    (3, 'symbolic viscous, epsilon prime, "u", "v", "w", expression, "u*v", "sin(w)", "u"',
     laws.Symbolic(("u*v", "sin(w)", "u"), rate=("u", "v", "w"))),
    (1, 'symbolic viscoelastic, epsilon, "x", epsilon prime, "v", expression, "x*v", prestress, 3.',
     laws.Symbolic("x*v", "x", "v", prestress=3)),
    (1, "shock absorber, 1., 2., .3, 1.4, orifice, const, .5, 1., 2., 4.",
     laws.ShockAbsorber(1, 2, 0.3, 1.4, orifice=0.5, fluid_area=1, density=2, scale=0.25)),
    (1, "array, 1, linear elastic, 2., prestress, 3.", laws.LinearElastic(2, prestress=3)),
    (6, "array, 2, linear elastic, 2., linear viscous, 3.",
     laws.Parallel((laws.LinearElastic(2), laws.LinearViscous(3)))),
    (3, "axial wrapper, 0., 3., 4., log elastic, 2.",
     laws.Axial((0, 0.6, 0.8), laws.LogElastic(2))),
    (3, "axial wrap, 0., 3., 4., linear viscous, 2.",
     laws.Axial((0, 0.6, 0.8), laws.LinearViscous(2))),
    (3, f"bistop, reference, 7, null, linear elastic generic, {SYM}",
     laws.Bistop(laws.LinearElastic(K3), **ON)),
    (6, f"linear elastic bistop, {DIAG}, initial status, inactive, reference, 7, null",
     laws.Bistop(laws.LinearElastic(D6), **ON)),
    (3, f"linear viscoelastic bistop, {SYM}, {SYM}, initial status, active, null, reference, 7,"
        " prestress, 1., 2., 3.",
     laws.Bistop(laws.LinearViscoelastic(K3, K3, prestress=(1, 2, 3)), on=lw.constant(0),
                 off=ON["on"], step=0.01, active=True)),
    (6, "drive caller wrapper, linear, 1., 2., linear elastic, 3.",
     laws.TimeVariant(laws.LinearElastic(3), lw.polynomial([1, 2]))),
    (3, f"invariant angular, .5, linear viscoelastic generic, {SYM}, diag, 1., 2., 3.",
     laws.InvariantAngular(0.5, laws.LinearViscoelastic(K3, (1, 2, 3)))),
]  # fmt: skip


@pytest.mark.parametrize(("n", "text", "expected"), CARDS, ids=[c[1].split(",")[0] for c in CARDS])
def test_card_is_the_law(read, n, text, expected):
    """Stress, stiffness and viscosity of the law made in Python, before and after 0.25 s."""
    deck = read(before=f"{BEFORE} constitutive law: 3, name, \"x\", {n}, {text};", nodes=NODE)
    law = deck.laws[3, n]
    assert isinstance(law, laws.ConstitutiveLaw)
    rng = np.random.default_rng(n)
    strains, rates = 0.4 * rng.uniform(-1, 1, (8, n)), rng.normal(size=(8, n))
    for t in (0.1, 0.3):
        found, wanted = (
            over_times(*numbers_at(x, n, [t] * 8), strains, rates) for x in (law, expected)
        )
        for begin, end in ((STRESS, STRESS + n), (KE, KE + 36), (KD, KD + 36)):
            np.testing.assert_allclose(
                found[:, begin:end], wanted[:, begin:end], rtol=1e-12, atol=1e-13
            )


def test_every_law_is_among_the_cards():
    assert {text.split(",")[0] for _, text, _ in CARDS} == set(LAWS)


def test_laws_are_referred_to_by_label_and_dimension(read):
    deck = read(before="""constitutive law: 1, 1, linear elastic, 2.;
      constitutive law: 1, 3, linear elastic, 3.; constitutive law: 2, 3, reference, 1;
      constitutive law: 3, 3, array, 2, reference, 1, reference, 2;""", nodes=NODE)
    assert deck.laws[1, 1].stiffness == 2
    np.testing.assert_array_equal(deck.laws[2, 3].stiffness, 3 * np.eye(3))
    assert [np.trace(x.stiffness) for x in deck.laws[3, 3].laws] == [9, 9]


def test_strings_see_variables_at_the_end_of_the_file(read):
    deck = read(before="""set: real A = 1.; constitutive law: 1, 1, linear elastic, 2., prestrain,
      string, "A*Time"; set: A = 5.;""", nodes=NODE)
    assert float(deck.laws[1, 1].prestrain(2.0)) == 10


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(("n", "text", "words"), [
    (1, 'ann elastic, "net.dat"', "'ann elastic' is not supported: it needs a neural network"),
    (6, "hookean linear elastic isotropic, E, 1.", "it belongs to solid elements"),
    (6, "neo-hookean elastic, E, 1.", "it belongs to solid elements"),
    (6, "linear viscoelastic maxwell 1, 1., 2., 3.", "it belongs to solid elements"),
    (1, "contact elastic, 1., 2.", "lw.laws.Stop"),
    (1, "graall damper, 1.", "module of MBDyn"),
    (1, "linear elatsic, 1.", "near it: linear elastic"),
    (3, "log elastic, 1.", "has the dimension 1, but 3 is needed"),
    (1, "invariant angular, .5, linear elastic, 1.", "has the dimension 3, but 1"),
    (6, "cubic elastic generic, null, null, null", "dimension 1 or 3"),
    (3, "axial wrapper, null, linear elastic, 1.", "direction of an axial law must not be zero"),
    (1, "linear elastic, 1., prestress, 1., prestress, 2.", "there is a prestress already"),
    (1, 'scalar function elastic, "nothing"', "no scalar function \"nothing\""),
    (1, 'symbolic elastic, expression, "x"', "expected the keyword epsilon"),
    (1, "shock absorber, 1., 2., 3., 4., 5., 6., 7.", "needs a metering area"),
    (1, 'shock absorber, 1., 2., 3., 4., metering, string, "Time*Var", 1., 1., 1.',
     "changes with the time is not supported"),
    (4, "linear elastic, 1.", "dimension of a constitutive law is 1, 3 or 6"),
    (3, "reference, 5", "no constitutive law 5 of dimension 3"),
])  # fmt: skip
def test_refusals_of_laws(read, n, text, words):
    with pytest.raises(MbdynError, match=words) as caught:
        read(before=f"constitutive law: 1, {n}, {text};", nodes=NODE)
    assert caught.value.line > 0 and "constitutive law 1" in str(caught.value)


@pytest.mark.parametrize(("text", "words"), [
    ("rod, 1, 2, from nodes, double linear elastic, 1., -1., 1., 2.", "both sides of zero"),
    ("rod, 1, 1, from nodes, linear elastic, 1.", "coincide"),
    ("rod, 1, 2, from nodes, linear elastic, model::current()", "knows one of L, L0 here"),
    ('rod, 1, 2, 1., symbolic elastic, epsilon, "x", expression, "y"', "'y'"),
    ("deformable hinge, 1, 2, reference, 1", "no constitutive law 1 of dimension 3"),
    ("viscous body, 1, linear viscous, 1., linear", "expected the end"),
    ("rod, 1, 2, 1., linear time variant viscoelastic generic, 1., dof, 1, structural, 1,"
     " algebraic, linear, 0., 1., 1., const, 1.", "reads the motion"),
    ("deformable joint, 1, position, null, 2, position, null, linear elastic, 1.,"
     " orientation description, quaternion", "an orientation description, one of euler123"),
])  # fmt: skip
def test_refusals_of_joints(read, text, words):
    with pytest.raises(MbdynError, match=words):
        read(nodes=TWO, elements=BODIES + f"joint: 1, {text};")


def test_unsupported_laws_are_listed(tmp_path):
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        before='constitutive law: 1, 1, ann elastic, "x"; constitutive law: 2, 6, hookean, 1.;',
        nodes=TWO, elements=BODIES + "joint: 1, rod, 1, 2, 1., reference, 1;",
    ))  # fmt: skip
    found = unsupported_cards(path)
    assert [error.card for error in found] == ["constitutive law 1", "constitutive law 2"]
    assert all(isinstance(error, UnsupportedCard) for error in found)


# ----------------------------------------------------------------------------------------- joints


def test_linear_rods_are_springs_and_others_rods(read):
    deck = read(nodes=TWO, elements=BODIES + """
      joint: 1, rod, 1, 2, 2., linear viscoelastic, 10., 4., prestress, 3., prestrain, .1;
      joint: 2, rod, 1, 2, 2., linear viscous, 4.;
      joint: 3, rod, 1, 2, 2., linear elastic, 10., prestrain, time;
      joint: 4, rod, 1, 2, from nodes, log elastic, 10.;""")
    spring, damper = deck.model["joint 1"], deck.model["joint 2"]
    assert isinstance(spring, lw.Spring) and isinstance(damper, lw.Spring)
    words = (spring.stiffness, spring.damping, spring.length, spring.preload)
    assert words == pytest.approx((5, 2, 2, 2)) and damper.stiffness == 0
    for n in (3, 4):
        assert isinstance(deck.model[f"joint {n}"], lw.Rod)


ENDS = ("1, position, .1, .2, .3, orientation, euler123, .3, 0., 0.,"
        " 2, position, -.2, .1, 0., orientation, euler123, 0., .2, .1,")  # fmt: skip
NODES = """structural: 1, dynamic, .1, .2, .3, euler123, .1, .2, .3, 1., .5, -.3, 1., 2., .5;
  structural: 2, dynamic, 1., .2, .3, euler123, 1.2, -.1, .4, .1, -.7, .2, .3, .2, 2.;"""
MASSES = "body: 1, 1, 2., null, eye; body: 2, 2, 1., null, eye;"


def tilde(a):
    return rotations.tilde(np.asarray(a))


def manual(deck, form, stress):
    """What both nodes feel from within after the equations of MBDyn's manual (9.2.2 to 9.2.4)."""
    n1, n2 = (deck.nodes[n].reference for n in (1, 2))
    joint = deck.joints[1]
    f1, f2 = n1.R @ joint.offsets[0], n2.R @ joint.offsets[1]
    R1h, R2h = n1.R @ joint.axes[0], n2.R @ joint.axes[1]
    theta = rotations.logarithm(rotations.from_matrix(R1h.T @ R2h))
    d = n2.x + f2 - n1.x - f1
    ddot = n2.v + np.cross(n2.w, f2) - n1.v - np.cross(n1.w, f1)
    if form == "attached":
        d1 = n2.x + f2 - n1.x
        v = n2.v + np.cross(n2.w, f2) - n1.v
        strain = [R1h.T @ d, theta]
        rate = [R1h.T @ (v - np.cross(n1.w, d1)), R1h.T @ (n2.w - n1.w)]
        s = stress(np.concatenate(strain), np.concatenate(rate))
        F, M = R1h @ s[:3], R1h @ s[3:]
        return -F, -np.cross(d1, F) - M, F, np.cross(f2, F) + M
    Rt = rotations.matrix(rotations.exponential(0.5 * theta))
    Rhat = R1h @ Rt
    Ihat = Rhat @ np.linalg.inv(np.eye(3) + Rt) @ Rhat.T
    what = Ihat @ n2.w + Ihat.T @ n1.w
    strain = [Rhat.T @ d, theta]
    rate = [Rhat.T @ (ddot - np.cross(what, d)), Rhat.T @ (n2.w - n1.w)]
    s = stress(np.concatenate(strain), np.concatenate(rate))
    F, M = Rhat @ s[:3], Rhat @ s[3:]
    M1 = -(tilde(f1) + Ihat @ tilde(d)) @ F - M
    M2 = (tilde(f2) - Ihat.T @ tilde(d)) @ F + M
    return -F, M1, F, M2


@pytest.mark.parametrize("form", ["attached", "invariant"])
@pytest.mark.parametrize("kind", ["hinge", "displacement joint", "joint"])
def test_joints_are_those_of_the_manual(read, kind, form):
    """Anisotropic law of strain and rate, rotations of about a radian, offsets at both ends."""
    n = 6 if kind == "joint" else 3
    rng = np.random.default_rng(n)
    K, D = rng.normal(size=(2, n, n))
    text = ", ".join(f"{x!r}" for x in (*K.ravel().tolist(), *D.ravel().tolist()))
    word = "invariant " if form == "invariant" else ""
    deck = read(nodes=NODES, elements=MASSES + f"""joint: 1, {word}deformable {kind}, {ENDS}
      linear viscoelastic generic, {text};""")

    def stress(e, r):
        mine = {"hinge": slice(3, 6), "displacement joint": slice(3), "joint": slice(6)}[kind]
        s = np.zeros(6)
        s[mine] = K @ e[mine] + D @ r[mine]
        return s

    expected = manual(deck, form, stress)
    data = compile_model(deck.model).data()
    state = data.system.described_state()
    f, R = data.evaluate(state).f, rotations.matrix(state.orientations)
    for i in range(2):  # J = 1, so that there are no gyroscopic moments
        np.testing.assert_allclose(f[i, :3], expected[2 * i], atol=1e-12)
        np.testing.assert_allclose(R[i] @ f[i, 3:], expected[2 * i + 1], atol=1e-12)


def test_viscous_body_is_that_of_the_manual(read):
    deck = read(
        nodes="structural: 1, dynamic, null, euler123, .1, .2, .3, null, .5, .2, .1;"
              "structural: 2, dynamic, null, euler123, .1, .2, .3, 1., 2., 3., .3, .2, 2.;",
        elements=MASSES + f"""joint: 1, viscous body, 2, position, .1, .2, .3,
          orientation, euler123, .3, .2, .1, linear viscous generic, {DIAG};""",
    )  # fmt: skip
    node, joint = deck.nodes[2].reference, deck.joints[1]
    Rh, o = node.R @ joint.axes[1], node.R @ joint.offsets[1]
    s = D6 @ np.concatenate([Rh.T @ (node.v + np.cross(node.w, o)), Rh.T @ node.w])
    F, M = Rh @ s[:3], Rh @ s[3:]
    data = compile_model(deck.model).data()
    f = data.evaluate(data.system.described_state()).f[1]
    np.testing.assert_allclose(f[:3], F, atol=1e-12)
    np.testing.assert_allclose(node.R @ f[3:], M + np.cross(o, F), atol=1e-12)


# ------------------------------------------------------------------------------------------ files


def test_netcdf_of_deformable_joints(read, tmp_path):
    import h5netcdf

    deck = read(nodes=NODES, elements=MASSES + f"""
      joint: 1, deformable displacement joint, {ENDS} linear elastic, 3.;
      joint: 2, invariant deformable hinge, {ENDS} linear viscoelastic, 3., .1,
        orientation description, orientation vector;
      joint: 3, deformable joint, {ENDS} linear viscous, 3.,
        orientation description, orientation matrix;
      joint: 4, deformable axial joint, {ENDS} linear elastic, 3.;
      joint: 5, viscous body, 2, linear viscous, 3.;
      joint: 6, rod, 1, 2, 1., shock absorber, 1., 2., .3, 1.4, metering, const, .5, 1., 2., 4.;""",
        time=".05")  # fmt: skip
    run = run_deck(deck, progress=False)
    tables = Tables(deck, run)
    path = write_netcdf(tables, tmp_path / "out")
    extra = {
        1: ("d", "dPrime", "D", "DPrime"), 2: ("Phi", "Omega"),
        3: ("d", "dPrime", "D", "DPrime", "R", "Omega"), 4: ("Theta", "Omega"), 5: ("V", "Omega"),
        6: ("dElle", "v", "dEllePrime", "constitutiveLaw.p", "constitutiveLaw.A",
            "constitutiveLaw.Fe", "constitutiveLaw.Fv"),
    }  # fmt: skip
    jnt = {n: np.hstack(tables.joint(deck.joints[n])) for n in extra}
    widths = {1: 3, 2: 3 + 3, 3: 3 + 9 + 6, 4: 1, 5: 6, 6: 5 + 4}  # rates where the law has them
    assert {n: x.shape[1] - 12 for n, x in jnt.items()} == widths
    with h5netcdf.File(path, "r") as file:
        def value(n, name):
            return np.array(file.variables[f"elem.joint.{n}.{name}"])

        for n, names in extra.items():
            there = {k.split(".", 3)[3] for k in file.variables if k.startswith(f"elem.joint.{n}.")}
            assert there == {"f", "m", "F", "M", *names}
        np.testing.assert_array_equal(value(1, "d"), jnt[1][:, 12:15])
        a, b = tables.markers(deck.joints[1])
        np.testing.assert_allclose(value(1, "D"), b.x - a.x, atol=1e-12)
        np.testing.assert_allclose(value(1, "F"), 3 * (b.x - a.x), atol=1e-12)
        np.testing.assert_array_equal(value(2, "Phi"), jnt[2][:, 12:15])
        spin = np.einsum("tji,tj->ti", a.R @ rotations.matrix(
            rotations.exponential(0.5 * value(2, "Phi"))), b.w - a.w)  # fmt: skip
        np.testing.assert_allclose(value(2, "Omega"), spin, atol=1e-12)
        np.testing.assert_allclose(value(2, "m"), 3 * value(2, "Phi") + 0.1 * spin, atol=1e-12)
        np.testing.assert_allclose(value(3, "f"), 3 * value(3, "dPrime"), atol=1e-12)
        assert value(3, "R").shape[1:] == (3, 3)
        np.testing.assert_allclose(value(5, "f"), 3 * value(5, "V"), atol=1e-12)
        # the tension of the rod is elastic and viscous
        force = value(6, "constitutiveLaw.Fe") + value(6, "constitutiveLaw.Fv")
        np.testing.assert_allclose(value(6, "f")[:, 0], force, atol=1e-12)
