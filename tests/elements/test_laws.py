"""Constitutive laws: derivatives of every law, energies, powers, and numbers in closed form."""


import numpy as np
import pytest
from inside import Periodic, Piecewise, over_times
from scipy.integrate import quad
from uncompiled import printed_numbers

import linkwork as lw
from linkwork.elements.laws.base import addresses, law_numbers
from linkwork.extend import (
    ENERGY,
    KD,
    KE,
    STORED,
    STRAIN,
    STRESS,
    SUPPLIED,
    ConstitutiveLaw,
    rotations,
)
from linkwork.extend import (
    STRAIN_RATE as RATE,
)
from linkwork.model.drives import Chain, Chebyshev, Formula, Quotient
from linkwork.model.drives.jumps import jumps

H = 1e-5
CASES = [(kind, n) for kind, law in sorted(ConstitutiveLaw.kinds.items()) for n in law.sizes]
CASES = [case for case in CASES if not case[0].startswith("Test")]


def numbers_at(law, n, times):
    """The law's integers, and its reals at T times."""
    numbers, integers, laws = law_numbers(law, n, "a test", 0)
    out = np.tile(numbers, (len(times), 1))
    for part in laws:
        out[:, part.column : part.column + part.length] = part.values(np.asarray(times, float))
    return addresses(integers), out


def response(law, n, strain, rate=None, t=0.0):
    strain = np.atleast_2d(strain)
    rate = np.zeros_like(strain) if rate is None else np.atleast_2d(rate)
    found = over_times(*numbers_at(law, n, [t] * len(strain)), strain, rate)
    return found


def samples(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    for law in ConstitutiveLaw.kinds[kind].samples(rng, n):
        # where 1 + ε and 1 + c ε stay positive, and corners are not near
        yield law, 0.6 * rng.uniform(-1, 1, n) + 0.05, rng.normal(size=n)


def part(found, begin, n):
    return found[:, begin : begin + n]


def square(found, begin, n):
    return found[0, begin : begin + 36].reshape(6, 6)[:n, :n]


@pytest.mark.parametrize("kind,n", CASES)
def test_stiffness_and_viscosity(kind, n):
    for law, e, r in samples(kind, n):
        steps = H * np.vstack([np.eye(n), -np.eye(n)])
        here = response(law, n, e, r)
        s = part(response(law, n, e + steps, np.tile(r, (2 * n, 1))), STRESS, n)
        K = ((s[:n] - s[n:]) / (2 * H)).T
        s = part(response(law, n, np.tile(e, (2 * n, 1)), r + steps), STRESS, n)
        D = ((s[:n] - s[n:]) / (2 * H)).T
        # truncation 1e-10, round-off 1e-11 of stresses up to ten
        np.testing.assert_allclose(square(here, KE, n), K, atol=1e-8, rtol=1e-8)
        np.testing.assert_allclose(square(here, KD, n), D, atol=1e-8, rtol=1e-8)


@pytest.mark.parametrize("kind,n", CASES)
def test_stored_stress_is_the_gradient_of_the_energy(kind, n):
    for law, e, r in samples(kind, n):
        steps = H * np.vstack([np.eye(n), -np.eye(n)])
        W = response(law, n, e + steps, np.tile(r, (2 * n, 1)))[:, ENERGY]
        gradient = (W[:n] - W[n:]) / (2 * H)
        found = part(response(law, n, e, r), STORED, n)[0]
        np.testing.assert_allclose(found, gradient, atol=1e-7)  # corners within the integral


@pytest.mark.parametrize("kind,n", CASES)
def test_supplied_power_is_the_energy_gained_at_rest(kind, n):
    """U(ε, t) at fixed ε grows by the supplied power: moving pre-strain, pre-stress, scales."""
    for law, e, r in samples(kind, n):
        t = 0.3
        W = [response(law, n, e, r, t + d)[0, ENERGY] for d in (-H, H)]
        found = response(law, n, e, r, t)[0, SUPPLIED]
        assert found == pytest.approx((W[1] - W[0]) / (2 * H), abs=1e-8, rel=1e-8)


@pytest.mark.parametrize("kind,n", CASES)
def test_strain_is_left_as_it_was(kind, n):
    for law, e, r in samples(kind, n):
        found = response(law, n, e, r)
        np.testing.assert_allclose(part(found, STRAIN, n)[0], e, atol=1e-15)
        np.testing.assert_array_equal(part(found, RATE, n)[0], r)


def stress(law, strain, rate=0.0):
    return response(law, 1, [[strain]], [[rate]])[0, STRESS]


def test_closed_forms():
    laws = lw.laws
    assert stress(laws.LinearElastic(3.0, prestress=0.5, prestrain=0.1), 0.4) == pytest.approx(1.4)
    assert stress(laws.CubicElastic(1, 2, 3, viscosity=4), -0.5, 0.1) == pytest.approx(
        -0.5 - 0.5 - 0.375 + 0.4
    )
    assert stress(laws.LogElastic(2.0), np.e - 1) == pytest.approx(2)
    assert stress(laws.InverseSquare(2.0, 0.5), 1.0) == pytest.approx(2)
    d = laws.DoubleLinear(10, 0.1, -0.2, 30, 20, viscosity=1, second_viscosity=2)
    assert stress(d, 0.05, 1) == pytest.approx(1.5)
    assert stress(d, 0.2, 1) == pytest.approx(1 + 3 + 2)
    assert stress(d, -0.3, 1) == pytest.approx(-2 - 2 + 2)
    turbulent = laws.Turbulent(1, 2, 0.5)
    assert [stress(turbulent, 0, r) for r in (0.5, -1)] == pytest.approx([0.5, -2])
    hard = laws.IsotropicHardening(5, 0.1, linear=1)
    assert stress(hard, 1e-6) == pytest.approx(1e-6)
    assert stress(hard, 100.0) == pytest.approx(500, rel=1e-4)
    symbol = laws.Symbolic("1000*x + 5*x^3 + 2*v", strain="x", rate="v")
    assert stress(symbol, 2.0, 3.0) == 2046
    oil = dict(metering=1e-4, fluid_area=5e-3, density=900, scale=2)
    air = laws.ShockAbsorber(1e5, 0.01, 2, 1.4, **oil)
    expected = -1e3 * 0.6**-1.4 - 0.5 * 900 * 5e-3 * (5e-3 / 1e-4) ** 2 * 4
    assert stress(air, -0.2, -1.0) == pytest.approx(expected)
    assert stress(air, 0.1) == pytest.approx(-1e3 * 1.2**-1.4 + 1e8)


def test_functions_are_those_of_drives():
    x = np.array([-1, -0.4, 0.3, 1.2])
    y = np.array([-2, 0.5, 1, 4])
    for drive in (
        lw.table(x, y), lw.table(x, y, kind="linear"), lw.polynomial([1, 2, 3]), lw.sine(2, 0.3, 1),
        lw.ramp(3, 0.1), lw.ramp(2) * lw.sine(1, 1) + 4,
        lw.expression("max(t, 2*t, 0.1) + atan2(t, 2) + mod(t, 0.3) + (1 < t) - log10(t + 9)"),
        lw.expression("2^t + (t + 3)^0.5 + asin(t/4) + acos(t/4) + tan(t/3) + sinh(t)*cosh(t)"),
    ):  # fmt: skip
        law = lw.laws.ScalarFunctionElastic(drive)
        for e in (-0.9, 0.21, 1.15):
            found = response(law, 1, [[e]])[0]
            jet = drive.jet(np.array([e]))[0]
            assert found[STRESS] == pytest.approx(jet[0], rel=1e-13)
            assert found[KE] == pytest.approx(jet[1], rel=1e-12)


def test_tables_end_as_they_say():
    x, y = [-1, 0, 0.5, 1], [-2, 0, 1, 4]
    assert np.isnan(stress(lw.laws.ScalarFunctionElastic(lw.table(x, y)), 1.5))
    held = lw.laws.ScalarFunctionElastic(lw.table(x, y, outside="hold"))
    assert [stress(held, e) for e in (-5, 5)] == [-2, 4]


def test_energy_of_a_function_is_its_integral():
    law = lw.laws.ScalarFunctionElastic(lw.expression("sin(3*t) + t^5"))
    expected = quad(lambda x: np.sin(3 * x) + x**5, 0, 1.3)[0]
    assert response(law, 1, [[1.3]])[0, ENERGY] == pytest.approx(expected, rel=1e-12)


def test_axial_is_along_its_direction():
    law = lw.laws.Axial((0, 3, 4), lw.laws.CubicElastic(1, 0, 2))
    e = np.array([7.0, 0.3, 0.4])
    found = part(response(law, 3, e), STRESS, 3)[0]
    np.testing.assert_allclose(found, 0.75 * np.array([0, 0.6, 0.8]), atol=1e-14)


@pytest.mark.parametrize("law,n,words", [
    (lw.laws.LogElastic(1.0), 3, "has 1 components"),
    (lw.laws.LinearElastic((1, 2)), 3, "3 numbers or a 3×3 matrix"),
    (lw.laws.LinearElastic(1.0, prestress=(1, 2)), 1, "prestress"),
    (lw.laws.LinearViscoelastic(1.0), 1, "viscosity or proportional"),
    (lw.laws.DoubleLinear(1, -1, 1, 2), 1, "both sides of zero"),
    (lw.laws.Symbolic("x + z", strain="x"), 1, "'z'"),
    (lw.laws.Symbolic(("x", "y"), strain=("x", "y")), 1, "needs 1 expressions"),
    (lw.laws.ScalarFunctionElastic(lambda x: x), 1, "cannot be compiled"),
    (lw.laws.Axial((0, 0, 0), lw.laws.LogElastic(1.0)), 3, "must not be zero"),
    (lw.laws.Parallel((1, 2)), 1, "needs laws"),
    ("rubber", 1, "needs a law"),
])  # fmt: skip
def test_errors(law, n, words):
    with pytest.raises(lw.ModelError, match=words):
        law_numbers(law, n, "a test", 0)


def test_too_deep():
    law = lw.laws.LinearElastic(1.0)
    for _ in range(5):
        law = lw.laws.Parallel((law,))
    with pytest.raises(lw.ModelError, match="nested"):
        law_numbers(law, 1, "a test", 0)


def test_without_compiler():
    """Laws run as plain Python too."""
    code = (
        "import linkwork as lw, numpy as np\n"
        "from linkwork.elements.laws.base import addresses, law_numbers, over_times\n"
        "law = lw.laws.Parallel((lw.laws.Symbolic('2*x', 'x'), lw.laws.LinearElastic(1.0)))\n"
        "numbers, integers, _ = law_numbers(law, 1, '', 0)\n"
        "found = over_times(addresses(integers), numbers[None], np.array([[0.5]]))\n"
        "print(found[0, 12])\n"
    )
    assert printed_numbers(code) == [1.5]


def test_user_law_is_one_class():
    """A law of a user: its routine and its numbers."""
    from linkwork.extend import KE, OWN, STRAIN, STRESS, Routine

    def saturating(t, p, y):
        y[STRESS] += p[OWN] * np.tanh(y[STRAIN])
        y[KE] += p[OWN] / np.cosh(y[STRAIN]) ** 2

    class TestSaturating(ConstitutiveLaw):
        routine = Routine(saturating)
        sizes = (1,)

        def own(self, n, what):
            return [3.0]

    assert stress(TestSaturating(), 0.7) == pytest.approx(3 * np.tanh(0.7))


def test_a_law_of_a_user_may_know_its_components():
    """A routine with a fourth argument takes the integers of its law."""
    from linkwork.extend import COMPONENTS, KE, OWN, STRAIN, STRESS, Routine

    def isotropic(t, p, y, q):
        for i in range(q[COMPONENTS]):
            y[STRESS + i] += p[OWN] * y[STRAIN + i]
            y[KE + 7 * i] = p[OWN]

    class TestIsotropic(ConstitutiveLaw):
        routine = Routine(isotropic)

        def own(self, n, what):
            return [2.0]

    for n in (1, 3, 6):
        found = response(TestIsotropic(), n, np.arange(1.0, n + 1))
        np.testing.assert_array_equal(part(found, STRESS, n)[0], 2 * np.arange(1.0, n + 1))
    within = lw.laws.Parallel((TestIsotropic(), TestIsotropic()))
    assert stress(within, 0.5) == 2.0


def test_viscosity_of_products_is_a_function_of_strain():
    """MBDyn's nlp: (K + f(ε)) ε + (D + h(ε)) ε̇."""
    f, h = lw.polynomial([0, 2]), lw.expression("5*exp(-2*t)")
    law = lw.laws.FunctionViscoelastic(10, f, 1, h, product=True)
    assert stress(law, 0.3, 0.7) == pytest.approx(10.6 * 0.3 + (1 + 5 * np.exp(-0.6)) * 0.7)


def test_functions_made_of_functions():
    x = lw.polynomial([0.1, 1, 0.5])
    pieces = Piecewise((-0.2, 0.3), (lw.constant(1.0), lw.expression("t^2 + 3"), lw.sine(2, 0.1)))
    series = Chebyshev(-1.0, 2.0, (0.3, 1.0, -0.4, 0.2, 0.1))
    for drive in (
        pieces, series, Chain(series, x), Chain(lw.expression("sin(t) + t^3"), x),
        Quotient(x, lw.expression("2 + cos(t)")), Formula("2*x^2 + x", x),
    ):  # fmt: skip
        law = lw.laws.ScalarFunctionElastic(drive)
        for e in (-0.5, 0.1, 0.7):
            jet = drive.jet(np.array([e]))[0]
            found = response(law, 1, [[e]])[0]
            assert found[STRESS] == pytest.approx(jet[0], rel=1e-13)
            assert found[KE] == pytest.approx(jet[1], rel=1e-12)


def test_tables_go_on_as_drives_do():
    f = lw.table([-1, 0, 0.5, 1], [-2, 0, 1, 4], kind="natural", outside="extend")
    law = lw.laws.ScalarFunctionElastic(f)
    assert [stress(law, e) for e in (-2.0, 3.0)] == pytest.approx([float(f(-2.0)), float(f(3.0))])


def test_formulas_see_the_time_in_results_too():
    """A rod whose tension is 5 t: its output has the time of the step, not of the beginning."""
    m = lw.Model()
    ball = m.add("ball", lw.Body(2.0, (1, 1, 1), position=(0, 0, 1)))
    m.add("rod", lw.Rod(lw.GROUND, ball, law=lw.laws.Symbolic("5*t", strain="x")))
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    np.testing.assert_allclose(run["rod"].force.values, 5 * run.time, atol=1e-12)
    fall = 1 - 5 * run.time**3 / 12
    np.testing.assert_allclose(run["ball"].position.values[:, 2], fall, atol=1e-6)  # h² t/…


def test_shock_absorber_with_orifice_and_friction_of_the_gas():
    law = lw.laws.ShockAbsorber(
        1e5, 0.01, 2, 1.4, orifice=lw.polynomial([1e-4, 0, 1e-5]), fluid_area=5e-3, density=900,
        scale=2, gas_friction=(0.1, 0.5), penalty=(1e6, 50),
    )  # fmt: skip
    oil = 0.5 * 900 * 5e-3 * (5e-3 / 1.1e-4) ** 2 * 4
    gas = -1e3 * 0.6**-1.4
    assert stress(law, -0.2, -1.0) == pytest.approx(gas * (1 + 0.1 * np.tanh(2)) - oil)
    # beyond its range: outward the damper of the stop acts, inward it does not
    calm = lw.laws.ShockAbsorber(0, 0.01, 1, 1.4, penalty=(1e6, 50))
    assert [stress(calm, 0.1, r) for r in (2, -2)] == pytest.approx([1e5 + 100, 1e5])
    assert [stress(calm, -0.6, r) for r in (2, -2)] == pytest.approx([-1e5, -1e5 - 100])


def test_bistop_remembers():
    law = lw.laws.Bistop(
        lw.laws.LinearElastic(3.0), on=lw.expression("(t > 0.15) and (t < 0.25)"),
        off=lw.expression("t > 0.55"), step=0.1,
    )
    found = [response(law, 1, [[2.0]], t=t)[0, STRESS] for t in (0.1, 0.2, 0.3, 0.5, 0.6, 0.9)]
    assert found == [0, 6, 6, 6, 0, 0]


def test_a_bistop_stays_off_where_both_conditions_hold():
    law = lw.laws.Bistop(
        lw.laws.LinearElastic(3.0), on=lw.constant(1), off=lw.expression("t < 0.45"), step=0.1
    )
    found = [response(law, 1, [[2.0]], t=t)[0, STRESS] for t in (0.1, 0.2, 0.3, 0.5, 0.6)]
    assert found == [0, 0, 0, 6, 6]


@pytest.mark.parametrize(
    "drive,found",
    [(lw.expression("min(2*t, 1)"), False), (lw.expression("t > 1"), True),
     (1 + 3 * lw.sine(1, 2), False), (2 * lw.expression("step(t - 1)"), True),
     (Piecewise((1.0,), (lw.constant(0), lw.polynomial([-1, 1]))), False),
     (Piecewise((1.0,), (lw.constant(0), lw.constant(1))), True),
     (Piecewise((1.0,), (lw.constant(0), lw.table([2, 3], [0, 1], kind="linear"))), True),
     (Periodic(lw.polynomial([0, 1, -1]), 0.0, 1.0), False), (Periodic(lw.ramp(1), 0, 1), True),
     (lw.formula("d != 0", d=lw.ramp(1)), True)],
)  # fmt: skip
def test_drives_that_jump(drive, found):
    """The third table has no value at the break."""
    assert jumps(drive) is found


JUMP = lw.expression("t > 0.2")


@pytest.mark.parametrize(
    "law",
    [lw.laws.TimeVariant(lw.laws.LinearElastic(40.0), 1 - 0.9 * JUMP),
     lw.laws.Parallel((lw.laws.LinearElastic(20.0),
                       lw.laws.TimeVariant(lw.laws.LinearViscoelastic(20.0, 1.0), JUMP))),
     lw.laws.LinearViscoelastic(40.0, 2.0, stiffness_scale=1 + JUMP),
     lw.laws.LinearElastic(40.0, prestress=10 * JUMP),
     lw.laws.LinearElastic(40.0, prestrain=-0.3 * JUMP),
     lw.laws.Bistop(lw.laws.LinearElastic(40.0), JUMP, lw.expression("t > 0.4"), 1e-3)],
    ids=["factor", "one of two", "scale", "prestress", "prestrain", "bistop"],
)  # fmt: skip
def test_energy_balance_closes_over_jumps(law):
    """Of energies of 1 J.  Work is summed by the trapezoidal rule: a jump by ΔF is off by
    ΔF v h/2, here at most 36 N · 2 m/s · 0.5 ms."""
    m = lw.Model()
    ball = m.add("ball", lw.Body(1.0, (1, 1, 1), position=(0, 0, 1), velocity=(0, 0, 1)))
    m.add("rod", lw.Rod(lw.GROUND, ball, law=law, length=0.8))
    run = lw.transient(m, t=0.6, h=1e-3, progress=False)
    assert run.energy["kinetic"].max() > 0.5
    np.testing.assert_allclose(run.energy["balance"], 0, atol=0.036)


def test_intermediate_axes():
    """σ = T K ε, T the rotation by half of ε about itself, which leaves ε alone."""
    K, e = np.diag([1.0, 2.0, 5.0]), np.array([0.3, -0.4, 0.5])
    found = part(response(lw.laws.InvariantAngular(0.5, lw.laws.LinearElastic(K)), 3, e), STRESS, 3)
    T = rotations.matrix(rotations.exponential(0.5 * e))
    np.testing.assert_allclose(found[0], T @ K @ e, atol=1e-14)
