"""Numbers that nothing physical has are refused where they are given."""

from __future__ import annotations

import pytest

import linkwork as lw

E, H, T = lw.electric, lw.hydraulics, lw.thermal
OIL = H.Fluid(850, 1.4e9, 0.02)


def places():
    return T.Temperature(300), T.Ambient(293)


def pressures(n):
    return [H.Pressure(OIL, 1e5) for _ in range(n)]


@pytest.mark.parametrize("make, words", [
    (lambda: T.Radiation(*places(), area=1.0, emissivity=5), "emissivity .* at most 1, but 5"),
    (lambda: T.Temperature(-5), r"value of a Temperature \(K\) must be at least 0, but -5"),
    (lambda: T.Ambient(-5), r"temperature of an Ambient \(K\): .* at least 0, found -5"),
    (lambda: T.HeatSource(places()[0], losses=E.Resistor(E.Node(), lw.GROUND, 1), part=2),
     "part of a HeatSource must be at most 1"),
    (lambda: H.Orifice(*pressures(2), area=1e-5, opening=2), "opening .* between 0 and 1, found 2"),
    (lambda: H.Orifice(*pressures(2), area=1e-5, opening=-1), "opening .* 0 and 1, found -1"),
    (lambda: H.Orifice(*pressures(2), area=1e-5, discharge=3), "discharge .* at most 1, but 3"),
    (lambda: H.Valve(*pressures(4), area=1e-5, opening=2), "opening .* between -1 and 1, found 2"),
    (lambda: H.ReliefValve(*pressures(2), crack=1e5, full=2e5, area=1e-5, leakage=2),
     "leakage .* at most 1, but 2"),
    (lambda: H.PressureValve(*pressures(2), area=1e-4, width=0.01, max_opening=1e-3, mass=0.1,
                             discharge=4), "discharge .* at most 1, but 4"),
    (lambda: H.DynamicPipe(*pressures(2), diameter=0.01, length=1.0, elements=10**7),
     "elements of a DynamicPipe must be at most 1000.*but 10000000 was given; join several pipes"),
    (lambda: H.Orifice(*pressures(2), area=1e308), "area .* at most 1e.50 in size"),
    (lambda: H.Tank(OIL, area=1e308), "area of a Tank must be at most"),
    (lambda: E.Switch(E.Node(), lw.GROUND, 3), "closed .* between 0 and 1, found 3"),
    (lambda: E.Switch(E.Node(), lw.GROUND, 1, on=10, off=1), "on of a Switch must be below off"),
])  # fmt: skip
def test_numbers_outside_of_their_range_are_refused(make, words):
    with pytest.raises(lw.ModelError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_numbers_at_the_ends_of_their_ranges_are_taken():
    T.Radiation(*places(), area=1.0, emissivity=1.0)
    T.Temperature(0.0)
    for opening in (0, 1, lw.ramp(1.0)):
        H.Orifice(*pressures(2), area=1e-5, opening=opening)
    for opening in (-1, 1):
        H.Valve(*pressures(4), area=1e-5, opening=opening)
    E.Switch(E.Node(), lw.GROUND, 1)
