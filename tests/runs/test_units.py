"""Any consistent units: the same mechanism in other lengths, masses and times moves alike.

With powers of two nothing is rounded differently, so only numbers of the package that have units in
secret can make a difference.
"""

import numpy as np
import pytest

import linkwork as lw

UNITS = [(-30, -80, -20), (-20, 0, 0), (20, 0, 0), (0, 0, -20), (0, 0, 20), (30, 66, 17)]


def four_bar(L, M, T):
    m = lw.Model("four-bar", gravity=(0, 0, -9.8125 * L / T**2))
    corners = (0, 0, 0), (0, 0, 0.125), (0.375, 0, 0.3125), (0.375, 0, 0)
    points = [np.array(p) * L for p in corners]
    bodies = [
        m.add(name, lw.Body.link(a, b, radius=L / 128, density=8192 * M / L**3))
        for name, a, b in zip(("crank", "part", "rocker"), points[:3], points[1:], strict=True)
    ]
    ends = [lw.GROUND, *bodies, lw.GROUND]
    for k, at in enumerate(points):
        rate = {"rate": 20 / T} if k == 0 else {}
        m.add(f"pin {k}", lw.Revolute(ends[k], ends[k + 1], at=at, axis=(0, 1, 0), **rate))
    return m


def top(L, M, T):
    m = lw.Model("top", gravity=(0, 0, -9.8125 * L / T**2))
    part = lw.Body(M, np.array((0.01, 0.01, 0.005)) * M * L**2, position=(L / 8, 0, L / 4),
                   angular_velocity=(0, 0, 150 / T))  # fmt: skip
    m.add("ball", lw.Spherical(lw.GROUND, m.add("part", part), at=(0, 0, 0)))
    return m


def shaft(L, M, T):
    m = lw.Model("shaft", gravity=(0, 0, -9.8125 * L / T**2))
    a, b = (
        m.add(name, lw.Body.link(start, end, radius=L / 64, density=2048 * M / L**3))
        for name, start, end in (("shaft", (0, 0, 0), (L / 2, 0, 0)),
                                 ("part", (L / 2, 0, 0), (L, L / 4, 0)))
    )  # fmt: skip
    m.add("bearing", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 0), rate=40 / T))
    m.add("cross", lw.Universal(a, b, at=(L / 2, 0, 0), axis=(0, 1, 0)))
    return m


def end_of(model, units, method):
    L, M, T = (2.0**k for k in units)
    run = lw.transient(model(L, M, T), t=0.1 * T, h=2.0**-10 * T, method=method, progress=False)
    return run["part"].position.values[-1] / L


@pytest.mark.filterwarnings("ignore:joint 'pin")  # three rows of a plane loop repeat others
@pytest.mark.parametrize(
    "method",
    [lw.GeneralizedAlpha(), lw.GeneralizedAlpha(rho=1.0), lw.MS2(), lw.EnergyMomentum(),
     lw.Recursive(), lw.Recursive(correction="direct"), lw.Recursive("implicit")],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("model", [four_bar, top, shaft])
def test_units_do_not_matter(model, method):
    expected = end_of(model, (0, 0, 0), method)
    for units in UNITS:
        assert np.abs(end_of(model, units, method) - expected).max() < 1e-10, units


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("units", UNITS)
def test_flexible_links_and_states_in_any_units(units):
    """Frequencies of a hanging flexible link, and its state space."""
    found = []
    for L, M, T in ((1.0, 1.0, 1.0), tuple(2.0**k for k in units)):
        m = lw.Model("link", gravity=(0, 0, -9.8125 * L / T**2))
        section = lw.Section.rectangle(L / 64, L / 128, E=2.0**31 * M / L / T**2, nu=0.25,
                                       density=1024 * M / L**3)  # fmt: skip
        link = m.add("link", lw.FlexibleLink((0, 0, 0), (0, 0, -L), section, modes=3))
        m.add("pin", lw.Revolute(lw.GROUND, link.root, at=(0, 0, 0), axis=(0, 1, 0)))
        with pytest.warns(lw.LinkworkWarning, match=r"changes the stiffness in bending by \+12 %"):
            A = np.asarray(lw.linearize(m, at=lw.static(m)).A)
        found.append(np.sort(np.abs(np.linalg.eigvals(A))) * T)
    assert found[1] == pytest.approx(found[0], rel=1e-6, abs=1e-6)
