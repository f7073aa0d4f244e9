"""Air and airfoils: tables, files, the standard atmosphere, gusts, and what is refused."""

import math

import numpy as np
import pytest

import linkwork as lw

STRAIGHT = np.radians([-180.0, -10.0, 0.0, 10.0, 180.0])


def tunnel(air, foil=None, *, twist=0.05, **words):
    """A wing of 2 m × 0.5 m that is held in the wind."""
    m = lw.Model("tunnel")
    m.air = air
    plate = m.add("plate", lw.Body(2, (1, 1, 1)))
    m.add("hold", lw.Fixed(lw.GROUND, plate, at=(0, 0, 0)))
    foil = foil or lw.Airfoil.flat_plate(drag=0.01)
    m.add("wing", lw.LiftingSurface(
        plate, chord=0.5, airfoil=foil, start=(0, -1, 0), end=(0, 1, 0), twist=twist, **words
    ))  # fmt: skip
    return m


# ------------------------------------------------------------------------------------ airfoils


def test_tables_are_linear_between_their_entries():
    lift = (STRAIGHT, [0.0, 0.5], [[0, 0], [-1, -1.2], [0, 0], [1, 1.2], [0, 0]])
    foil = lw.Airfoil(lift, lift, lift)
    assert foil.cl(math.radians(5), 0.25) == pytest.approx(0.55, rel=1e-14)
    assert foil.cl(math.radians(10), 0.9) == pytest.approx(1.2, rel=1e-14)  # Mach held
    assert foil.lift_slope() == pytest.approx(2 / math.radians(20), rel=1e-12)


def test_c81_tables_come_back(tmp_path):
    foil = lw.Airfoil.naca0012()
    foil.write_c81(tmp_path / "free.c81", free=True)
    again = lw.Airfoil.read_c81(tmp_path / "free.c81")
    np.testing.assert_allclose(again.numbers, foil.numbers, rtol=0, atol=1e-15)
    foil.write_c81(tmp_path / "fixed.c81")
    fixed = lw.Airfoil.read_c81(tmp_path / "fixed.c81")
    assert fixed.title == "NACA 0012"
    np.testing.assert_allclose(fixed.lift.values, foil.lift.values, rtol=0, atol=5.1e-5)


def test_c81_rows_longer_than_a_line_go_on(tmp_path):
    mach = np.linspace(0, 1.1, 12)
    values = np.round(np.random.default_rng(1).normal(size=(5, 12)), 4)
    foil = lw.Airfoil(*[(STRAIGHT, mach, values)] * 3, title="many columns")
    foil.write_c81(tmp_path / "wide.c81")
    np.testing.assert_allclose(lw.Airfoil.read_c81(tmp_path / "wide.c81").lift.values, values)


def test_naca_0012_has_the_measured_values():
    foil = lw.Airfoil.naca0012()
    assert foil.cl(math.radians(10.12)) == pytest.approx(1.0707)  # Ladson 1988
    assert foil.cd(math.radians(-90)) == pytest.approx(1.8)  # Sheldahl, Klimas 1981
    assert foil.cl(-0.1) == -foil.cl(0.1)
    assert foil.lift_slope() == pytest.approx(2 * math.pi, rel=0.07)


XFOIL = """
       XFOIL         Version 6.99

 Calculated polar for: NACA 2412

 Mach =   0.100     Re =     1.000 e 6     Ncrit =   9.000

   alpha    CL        CD       CDp       CM     Top_Xtr  Bot_Xtr
  ------ -------- --------- --------- -------- -------- --------
   0.000   0.2400   0.00600   0.00150  -0.0500   0.6000   0.9000
  -4.000  -0.2000   0.00700   0.00150  -0.0480   0.6000   0.9000
   4.000   0.6700   0.00700   0.00150  -0.0490   0.6000   0.9000
"""
AERODYN = """! AirfoilInfo
1   NumTabs
{}"""
TABLE = """{} Re ! in millions
3   NumAlf
! alpha cl cd
-180 0 0.02
0 {} 0.01
180 0 0.02
"""


def test_polars_of_other_programs_are_read(tmp_path):
    (tmp_path / "x.pol").write_text(XFOIL)
    foil = lw.Airfoil.read_polar(tmp_path / "x.pol")
    assert foil.title == "NACA 2412" and foil.lift.columns.tolist() == [0.1]
    assert foil.cl(math.radians(2)) == pytest.approx(0.455)
    assert foil.cm(0.0) == -0.05
    (tmp_path / "a.dat").write_text(AERODYN.format(TABLE.format(1, 0.2) + TABLE.format(3, 0.4)))
    two = lw.Airfoil.read_polar(tmp_path / "a.dat")
    assert two.axis == "reynolds" and two.cl(0.0, 2e6) == pytest.approx(0.3)


def test_reynolds_numbers_choose_the_column():
    polars = [(1e6, lw.Airfoil.polar([-180, 180], [0.2, 0.2], [0, 0])),
              (3e6, lw.Airfoil.polar([-180, 180], [0.4, 0.4], [0, 0]))]  # fmt: skip
    foil = lw.Airfoil.of_reynolds(polars)
    air = lw.Air(density=1.0, velocity=(40, 0, 0), viscosity=1e-5)  # Re = 40·0.5/1e-5 = 2e6
    found = lw.static(tunnel(air, foil), progress=False)
    np.testing.assert_allclose(found["wing"].cl, 0.3, rtol=1e-12)


def test_extended_tables_go_on_where_they_end():
    foil = lw.Airfoil.polar([-10, 0, 10, 14], [-1, 0, 1, 1.2], [0.02, 0.01, 0.02, 0.05])
    wide = foil.extended(10.0)
    assert wide.limits is None
    edge = math.radians(14)
    assert wide.cl(edge + 1e-9) == pytest.approx(1.2, abs=1e-6)
    assert wide.cd(math.pi / 2) == pytest.approx(1.11 + 0.018 * 10, rel=1e-12)  # Viterna's c_dmax


@pytest.mark.parametrize("make, words", [
    (lambda: lw.Airfoil.read_c81("nowhere.c81"), "cannot be read"),
    (lambda: lw.Airfoil.polar([0, 10], [0], [0, 0]), "one for each angle"),
    (lambda: lw.Airfoil.polar([10, 0], [0, 1], [0, 0]), "must rise"),
    (lambda: lw.Airfoil([0], [0], [0]), r"\(angles, Mach numbers, values\)"),
    (lambda: lw.Airfoil.polar([0, 1], [0, 1], [0, 0]).cl(0.5), "has no data at an angle"),
    (lambda: lw.Airfoil.flat_plate(slope="steep"), "must be a number"),
])  # fmt: skip
def test_bad_airfoils_are_refused_in_one_sentence(make, words):
    with pytest.raises(lw.ModelError, match=words) as error:
        make()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text, words", [
    ("", "it ends where its header was expected"),
    ("TITLE" + " " * 25 + " 1 2 1 2 1 2\n       0.0\n-180.0 0.0\n180.0  x\n", "expected a number"),
    ("TITLE" + " " * 25 + " 1 2 1\n", "six counts"),
    ("# FREE FORMAT\ntitle; 1 2 1 2 1 2\n0\n-180 0 0\n", "more than 2 numbers"),
    ("# FREE FORMAT\ntitle; 1 1 1 1 1 1\n0\n0 0\n0\n0 0\n", "it ends where"),
])  # fmt: skip
def test_damaged_c81_tables_name_their_line(tmp_path, text, words):
    (tmp_path / "bad.c81").write_text(text)
    with pytest.raises(lw.ModelError, match=words):
        lw.Airfoil.read_c81(tmp_path / "bad.c81")


# ----------------------------------------------------------------------------------------- air


def test_standard_atmosphere_has_the_values_of_the_norm():
    for h, rho, sound in ((0, 1.2250, 340.294), (5000, 0.73612, 320.529), (11000, 0.36392, 295.070),
                          (20000, 0.08803, 295.070), (30000, 0.018012, 301.803)):  # fmt: skip
        found = lw.standard_atmosphere(h)
        assert found[0] == pytest.approx(rho, rel=3e-4)  # altitudes are geopotential here
        assert found[1] == pytest.approx(sound, rel=1e-5)


def lift(air, time=0.0, **words):
    run = lw.static(tunnel(air, **words), time=time, progress=False)
    return run["wing"]


def test_density_of_the_standard_atmosphere_is_that_of_each_point():
    low, high = (lift(lw.Air("standard", (30, 0, 0), altitude=h)) for h in (0, 3000))
    ratio = lw.standard_atmosphere(3000)[0] / lw.standard_atmosphere(0)[0]
    np.testing.assert_allclose(high.lift / low.lift, ratio, rtol=1e-12)


def test_gusts_have_their_shapes():
    def upwash(gust, t):
        alpha = lift(lw.Air(velocity=(30, 0, 0), gusts=gust), t, twist=0.0).alpha.values
        return 30 * np.tan(alpha)

    bump = lw.OneMinusCosine((0, 0, 3), length=20, speed=10, start=1.0)
    np.testing.assert_allclose(upwash(bump, 2.0), 3.0, rtol=1e-12)  # half a length behind the front
    np.testing.assert_allclose(upwash(bump, 1.5), 1.5, rtol=1e-12)
    np.testing.assert_allclose(upwash(bump, 0.9), 0.0, atol=1e-12)
    edge = lw.SharpEdgedGust((0, 0, 3), length=2, speed=10)
    np.testing.assert_allclose([upwash(edge, 0.1)[0], upwash(edge, 5.0)[0]], [1.5, 3.0], rtol=1e-12)
    wave = lw.HarmonicGust((0, 0, 3), length=40, speed=10)
    np.testing.assert_allclose(upwash(wave, 1.0), 3.0, rtol=1e-12)
    across = lw.GustFunction(lambda x, t: (0.0, 0.0, 0.5 * x[1] + t))
    places = lift(lw.Air(velocity=(30, 0, 0), gusts=across), 2.0, twist=0.0).place.values[:, 1]
    np.testing.assert_allclose(upwash(across, 2.0), 0.5 * places + 2.0, rtol=1e-9)


def test_wind_profiles_follow_their_laws():
    for words, part in (({"exponent": 0.2}, (30 / 10) ** 0.2),
                        ({"roughness": 0.1}, math.log(300) / math.log(100))):  # fmt: skip
        profile = lw.WindProfile((20, 0, 0), height=10, ground=-30.0, **words)
        found = lift(lw.Air(gusts=[profile]))
        np.testing.assert_allclose(found.speed, 20 * part, rtol=1e-12)


def test_air_of_a_moving_frame_comes_towards_it():
    """A model described in a frame that flies is that of a wing in the wind."""
    flown = lift(lw.Air(velocity=(0, 0, 0), frame_velocity=(-30, 0, 0)))
    np.testing.assert_allclose(flown.lift, lift(lw.Air(velocity=(30, 0, 0))).lift, rtol=1e-14)
    turning = lift(lw.Air(frame_velocity=(-30, 0, 0), frame_angular_velocity=(0, 0, 2.0)))
    x, y = turning.place.values[:, 0], turning.place.values[:, 1]
    assert np.allclose(x, 0)
    np.testing.assert_allclose(turning.speed, 30 + 2.0 * y, rtol=1e-9)  # −w × r = (w y, …)


@pytest.mark.parametrize("make, words", [
    (lambda: lw.Air(density=-1), "at least 0"),
    (lambda: lw.Air(density="thin"), 'a number or "standard"'),
    (lambda: lw.Air("standard", altitude=50000), "reaches from"),
    (lambda: lw.Air(gusts=[3]), "must be gusts"),
    (lambda: lw.OneMinusCosine((0, 0, 1), length=0), "positive"),
    (lambda: lw.WindProfile((1, 0, 0), 10), "either exponent"),
    (lambda: lw.GustFunction(3), "function\\(position, time\\)"),
    (lambda: setattr(lw.Model(), "air", 1.2), "must be an lw.Air"),
])  # fmt: skip
def test_bad_air_is_refused(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()


def test_a_gust_function_that_fails_is_named():
    def gust(x, t):
        raise ZeroDivisionError("nothing there")

    with pytest.raises(lw.LinkworkError, match="Air 'air'.*nothing there"):
        lw.static(tunnel(lw.Air(velocity=(30, 0, 0), gusts=lw.GustFunction(gust))), progress=False)
