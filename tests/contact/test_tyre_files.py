"""Files of tyre data: forces of the published formula, and damaged files."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

TIR = """[UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'radians'
[MODEL]
PROPERTY_FILE_FORMAT = 'PAC2002'
FITTYP = 6        $ MF 5.2
[DIMENSION]
UNLOADED_RADIUS = 0.35
[VERTICAL]
FNOMIN = 4850
VERTICAL_STIFFNESS = 2.1e5
VERTICAL_DAMPING = 50
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.6411   $ shape
PDX1 = 1.1739
PDX2 = -0.16395
PDX3 = 5.0
PEX1 = 0.46403
PEX2 = 0.25022
PEX3 = 0.067842
PEX4 = -3.7604e-05
PKX1 = 22.303
PKX2 = 0.48896
PKX3 = 0.21253
PHX1 = 0.0012297
PHX2 = 0.0004318
PVX1 = -8.8098e-06
PVX2 = 1.862e-05
RBX1 = 13.276
RBX2 = -13.778
RCX1 = 1.2568
REX1 = 0.65225
REX2 = -0.24948
RHX1 = 0.0050722
PTX1 = 2.3657
[LATERAL_COEFFICIENTS]
PCY1 = 1.3507
PDY1 = 1.0489
PDY2 = -0.18033
PDY3 = -2.8821
PEY1 = -0.0074722
PEY2 = -0.0063208
PEY3 = -9.9935
PEY4 = -760.14
PKY1 = -21.92
PKY2 = 2.0012
PKY3 = -0.024778
PHY1 = 0.0026747
PHY2 = 8.9094e-05
PHY3 = 0.031415
PVY1 = 0.037318
PVY2 = -0.010049
PVY3 = -0.32931
PVY4 = -0.69553
RBY1 = 7.1433
RBY2 = 9.1916
RBY3 = -0.027856
RCY1 = 1.0719
REY1 = -0.27572
REY2 = 0.32802
RHY1 = 5.7448e-06
RHY2 = -3.1368e-05
RVY1 = -0.027825
RVY2 = 0.053604
RVY3 = -0.27568
RVY4 = 12.12
RVY5 = 1.9
RVY6 = -10.704
PTY1 = 2.1439
PTY2 = 1.9829
[SCALING_COEFFICIENTS]
LMUX = 0.9
LKY = 1.1
"""


def written(tmp_path, text=TIR):
    path = tmp_path / "tyre.tir"
    path.write_text(text)
    return path


def by_the_book(p, kappa, alpha, gamma, Fz):
    """F_x and F_y of MF 5.2 in plain numpy, equations 4.E9 to 4.E30 and 4.E50 to 4.E67."""
    dfz = (Fz - p["FNOMIN"]) / p["FNOMIN"]
    sin, cos, atan, sign = np.sin, np.cos, np.arctan, np.sign

    def magic(D, C, B, E, x):
        return D * sin(C * atan(B * x - E * (B * x - atan(B * x))))

    def weight(C, B, E, x, shift):
        def g(y):
            return cos(C * atan(B * y - E * (B * y - atan(B * y))))

        return g(x + shift) / g(shift)

    kx = kappa + p["PHX1"] + p["PHX2"] * dfz
    D = (p["PDX1"] + p["PDX2"] * dfz) * (1 - p["PDX3"] * gamma**2) * p["LMUX"] * Fz
    E = (p["PEX1"] + p["PEX2"] * dfz + p["PEX3"] * dfz**2) * (1 - p["PEX4"] * sign(kx))
    K = Fz * (p["PKX1"] + p["PKX2"] * dfz) * np.exp(p["PKX3"] * dfz)
    shift = Fz * (p["PVX1"] + p["PVX2"] * dfz) * p["LMUX"]
    Fx0 = magic(D, p["PCX1"], K / (p["PCX1"] * D), E, kx) + shift
    B = p["RBX1"] * cos(atan(p["RBX2"] * kappa))
    Fx = Fx0 * weight(p["RCX1"], B, p["REX1"] + p["REX2"] * dfz, alpha, p["RHX1"])
    ay = alpha + p["PHY1"] + p["PHY2"] * dfz + p["PHY3"] * gamma
    mu = (p["PDY1"] + p["PDY2"] * dfz) * (1 - p["PDY3"] * gamma**2)
    D = mu * Fz
    E = (p["PEY1"] + p["PEY2"] * dfz) * (1 - (p["PEY3"] + p["PEY4"] * gamma) * sign(ay))
    E = min(E, 1.0)
    K = p["PKY1"] * p["FNOMIN"] * sin(2 * atan(Fz / (p["PKY2"] * p["FNOMIN"]))) * p["LKY"]
    K *= 1 - p["PKY3"] * abs(gamma)
    shift = Fz * (p["PVY1"] + p["PVY2"] * dfz + (p["PVY3"] + p["PVY4"] * dfz) * gamma)
    Fy0 = magic(D, p["PCY1"], K / (p["PCY1"] * D), E, ay) + shift
    B = p["RBY1"] * cos(atan(p["RBY2"] * (alpha - p["RBY3"])))
    G_ = weight(p["RCY1"], B, p["REY1"] + p["REY2"] * dfz, kappa, p["RHY1"] + p["RHY2"] * dfz)
    V = mu * Fz * (p["RVY1"] + p["RVY2"] * dfz + p["RVY3"] * gamma) * cos(atan(p["RVY4"] * alpha))
    return Fx, Fy0 * G_ + V * sin(p["RVY5"] * atan(p["RVY6"] * kappa))


def test_a_file_gives_the_forces_of_the_book(tmp_path):
    path = written(tmp_path)
    tyre = lw.TyreData.read(path)
    assert tyre.radius == 0.35 and tyre.stiffness == 2.1e5 and tyre.damping == 50
    np.testing.assert_allclose(tyre.relaxation[0], 2.3657 * 0.35)
    np.testing.assert_allclose(
        tyre.relaxation[1], 2.1439 * 0.35 * np.sin(2 * np.arctan(1 / 1.9829))
    )
    numbers = {}
    for line in TIR.splitlines():
        name, _, value = line.split("$")[0].partition("=")
        if value and "'" not in value:
            numbers[name.strip()] = float(value)
    rng = np.random.default_rng(3)
    for _ in range(50):
        k, a, g, F = rng.uniform((-0.8, -0.5, -0.1, 1000), (0.8, 0.5, 0.1, 9000))
        found = tyre.forces(k, a, g, F)
        expected = by_the_book(numbers, k, a, g, F)
        np.testing.assert_allclose(
            [found["longitudinal_force"], found["lateral_force"]], expected, rtol=1e-6, atol=1e-3
        )


@pytest.mark.parametrize("old, new, words", [
    ("FITTYP = 6 ", "FITTYP = 21 ", "FITTYP = 21"),
    ("LENGTH = 'meter'", "LENGTH = 'mm'", "LENGTH = 'mm'"),
    ("PKY1 = -21.92", "", "no PKY1"),
    ("PKY1 = -21.92", "PKY1 = abc", "PKY1 of tyre file tyre.tir must be a number"),
    ("UNLOADED_RADIUS = 0.35", "UNLOADED_RADIUS = -1", "must be positive"),
    ("VERTICAL_STIFFNESS = 2.1e5", "", "no VERTICAL_STIFFNESS"),
    ("PCX1 = 1.6411", "PCX1 1.6411", "neither a [SECTION] nor NAME = value"),
    ("PTX1 = 2.3657", "QSX9 = 3.0", "QSX9, which the formulas here do not cover"),
])  # fmt: skip
def test_damaged_files_are_refused_in_one_sentence(tmp_path, old, new, words):
    assert old in TIR
    with pytest.raises(lw.ModelError) as caught:
        lw.TyreData.read(written(tmp_path, TIR.replace(old, new)))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_files_of_the_other_formula_and_what_may_be_ignored(tmp_path):
    text = TIR.replace("FITTYP = 6 ", "FITTYP = 61 ").replace("PHY3 = 0.031415", (
        "PKY4 = 2\nPKY6 = -0.9\nNOMPRES = 2e5\nINFLPRES = 2e5"
    ))  # fmt: skip
    tyre = lw.TyreData.read(written(tmp_path, text))
    # at small camber the thrust is K_yγ γ, the shift's own S_Vyγ being taken out again
    gamma = 1e-5
    force = [tyre.forces(camber=g)["lateral_force"] for g in (-gamma, gamma)]
    np.testing.assert_allclose((force[1] - force[0]) / (2 * gamma), -0.9 * 4850, rtol=2e-2)
    with pytest.raises(lw.ModelError, match="effects of the pressure"):
        lw.TyreData.read(written(tmp_path, text.replace("INFLPRES = 2e5", "INFLPRES = 2.5e5")))
    more = TIR + "\nQSX9 = 3.0\n"
    assert lw.TyreData.read(written(tmp_path, more), ignore=["QSX9"]).radius == 0.35
    with pytest.raises(lw.ModelError, match="cannot be read"):
        lw.TyreData.read(tmp_path / "none.tir")
