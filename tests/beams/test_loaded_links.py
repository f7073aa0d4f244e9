"""Flexible links under axial load: equilibria and modes say what their linear theory leaves out."""

import re
import warnings

import numpy as np
import pytest

import linkwork as lw

E, RADIUS, LENGTH, DENSITY = 2.1e11, 0.01, 2.0, 7800.0
EI = E * np.pi * RADIUS**4 / 4
EULER = np.pi**2 * EI / LENGTH**2


def column(kind, factor, density=DENSITY, gravity=0.0, modes=2):
    """An upright link under `factor` times its buckling load, held at its ends."""
    steel = lw.Section.circle(RADIUS, E=E, density=density)
    m = lw.Model(kind, gravity=(0, 0, -gravity))
    boundary = "pinned-pinned" if kind == "pinned" else "craig-bampton"
    words = dict(modes=modes, boundary=boundary)
    link = m.add("link", lw.FlexibleLink((0, 0, 0), (0, 0, LENGTH), steel, **words))
    top = dict(at=(0, 0, LENGTH), axis=(0, 0, 1))
    if kind == "pinned":
        m.add("root", lw.Spherical(lw.GROUND, link.root, at=(0, 0, 0)))
        m.add("guide", lw.Lock(lw.GROUND, link.tip, rows="x y rz", **top))
    else:
        m.add("root", lw.Fixed(lw.GROUND, link.root))
    if kind == "clamped":
        m.add("guide", lw.Prismatic(lw.GROUND, link.tip, **top))
    least = {"cantilever": EULER / 4, "pinned": EULER, "clamped": 4 * EULER}[kind]
    m.add("push", lw.Force(link.tip, (0, 0, -factor * least)))
    return m


def rest(m):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lw.static(m)


def eigen(m):
    lw.eigen(m, at=rest(m))


def linearize(m):
    lw.linearize(m, at=rest(m))


def sentences(analysis, m):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        analysis(m)
    return [str(w.message) for w in told if issubclass(w.category, lw.LinkworkWarning)]


def percent(words):
    """By how much the stiffness changes, as a part."""
    return float(re.search(r"by ([+-]\d+) %", words)[1]) / 100


def told_by_run(m):
    def run(m):
        lw.transient(m, t=0.5, h=1e-3, progress=False)

    return [words for words in sentences(run, m) if "along its axis" in words]


@pytest.mark.parametrize("kind", ["cantilever", "pinned", "clamped"])
@pytest.mark.parametrize("factor", [0.1, 0.7, -0.5, 2.0])
def test_runs_tell_of_loads_that_stay(kind, factor):
    """In the mean, 1 − P/P_E of the stiffness, while axial waves go on."""
    found = told_by_run(column(kind, factor))
    if factor == 0.1:
        assert not found
        return
    [words] = found
    assert percent(words) == pytest.approx(-factor, rel=0.05)  # of 33 samples of a wave
    assert ("decides whether it buckles" in words) == (factor > 1)


def test_loads_that_swing_leave_no_stiffness_behind():
    m = column("pinned", 0.0)
    m["push"].drive = lw.sine(1.0, 20.0)
    m["push"].vector = (0, 0, -EULER)
    assert not told_by_run(m)


@pytest.mark.parametrize("analysis", [lw.static, eigen, linearize])
@pytest.mark.parametrize("kind", ["cantilever", "pinned", "clamped"])
@pytest.mark.parametrize("factor", [0.05, 0.2, 0.7, -0.5, 2.0])
def test_the_share_of_eulers_load_is_told(kind, factor, analysis):
    """The slowest motion has 1 − P/P_E of its stiffness, for Euler's load of its supports."""
    found = sentences(analysis, column(kind, factor))
    if abs(factor) < 0.1:
        assert not found
        return
    (words,) = found
    assert percent(words) == pytest.approx(-factor, abs=0.03 * abs(factor) + 0.005)
    assert ("buckles" in words) == (factor > 1)
    assert ("compression" in words) == (factor > 0)


@pytest.mark.parametrize("factor", [0.3, -0.3])
def test_own_weight_is_an_axial_load(factor):
    """A clamped column buckles under its weight where w L³ = 7.837 EI (Greenhill 1881)."""
    weight = factor * 7.8373 * EI / LENGTH**3  # per length
    g = weight / (DENSITY * np.pi * RADIUS**2)
    (words,) = sentences(lw.static, column("cantilever", 0.0, gravity=g, modes=4))
    assert percent(words) == pytest.approx(-factor, abs=0.01)


def test_large_deflections_of_equilibria_are_told():
    """A tip force of 3 EI/L² bends a linear cantilever by its whole length."""
    m = column("cantilever", 0.0)
    m.add("across", lw.Force(m["link"].tip, (3 * EI / LENGTH**2, 0, 0)))
    found = sentences(lw.static, m)
    assert any(f"is bent by {LENGTH:.3g} m" in words for words in found)


def test_a_link_across_its_load_is_not_warned_of():
    m = column("cantilever", 0.0)
    m.add("across", lw.Force(m["link"].tip, (0.1 * EI / LENGTH**2, 0, 0)))
    assert not sentences(lw.static, m) + sentences(eigen, m)
