"""Energy that one step makes and a damper takes in the next ones is found, however long the run."""

from __future__ import annotations

import pytest

import linkwork as lw


@pytest.mark.parametrize("end", [0.05, 0.5])
def test_a_block_that_friction_throws_back_is_told(end):
    """μN/m stops it within v²/(2 μN/m) = 11 nm; the first step throws it back by centimetres."""
    m = lw.Model("block")
    block = m.add("block", lw.Body(1, (1, 1, 1)))
    guide = m.add("guide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0), speed=3))
    m.add("brake", lw.Friction(guide, lw.Coulomb(0.4), preload=1e9))
    with pytest.warns(lw.LinkworkWarning, match="grew by .* J out of nothing"):
        run = lw.transient(m, t=end, h=1e-4, method=lw.BDF2(), progress=False)
    assert float(run["block"].position[-1, 0]) < -1e-2
