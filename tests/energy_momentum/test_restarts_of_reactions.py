"""Reactions and accelerations of energy-momentum runs have the same digits over a restart."""

import numpy as np
import pytest

import linkwork as lw


def chain(links):
    m, before = lw.Model("chain", gravity=(0, 0, -9.81)), lw.GROUND
    for k in range(links):
        ends = (k, 0, 0), (k + 1, 0, 0)
        body = m.add(f"rod {k}", lw.Body.link(*ends, radius=0.02, density=2700))
        m.add(f"pin {k}", lw.Revolute(before, body, at=ends[0], axis=(0, 1, 0)))
        before = body
    return m


@pytest.mark.parametrize("reduced", [True, False])
def test_a_restart_goes_on_with_the_pivots_of_the_reactions(tmp_path, reduced):
    """They were chosen anew where a run went on, and reactions differed in the last digit."""
    method = lw.EnergyMomentum(reduced=reduced)
    whole = lw.transient(chain(3), 0.9, 1e-3, method, every=3, progress=False)
    for t in (0.3, 0.601):
        part = lw.transient(chain(3), t, 1e-3, method, every=3, progress=False)
        part.save(tmp_path / "part.nc")
        rest = lw.resume(tmp_path / "part.nc", 0.9, progress=False)
        rows = np.searchsorted(whole.time, rest.time[1:] - 1e-9)
        for name in ("motion", "gamma", "acceleration"):
            np.testing.assert_array_equal(getattr(rest, name)[1:], getattr(whole, name)[rows])
