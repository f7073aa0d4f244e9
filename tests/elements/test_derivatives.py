"""Derivatives of every registered item, on the manifold, in random violated configurations.

The test walks the registry: a new item is tested without anybody adding it here.
"""

from dataclasses import replace

import numpy as np
import pytest
from derivative_checks import (
    check_damping,
    check_mass,
    check_rates,
    check_stiffness_and_jacobian,
    random_rotation,
    sample_system,
)
from inside import ITEMS

import linkwork as lw
from linkwork import compile_model

NAMES = sorted(n for n in ITEMS if n != "Body")


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "check", [check_stiffness_and_jacobian, check_damping, check_mass, check_rates],
    ids=lambda check: check.__name__[6:],
)  # fmt: skip
def test_derivatives(check, name, seed):
    check(*sample_system(name, seed))


@pytest.mark.parametrize("mask", range(1, 64))
def test_all_row_subsets(mask):
    """Any of the 64 subsets of rows (the empty one joins nothing and is refused)."""
    rng = np.random.default_rng(mask)
    rows = [r for i, r in enumerate(("x", "y", "z", "rx", "ry", "rz")) if mask >> i & 1]
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), orientation=random_rotation(rng)))
    b = m.add("b", lw.Body(1, (1, 1, 1), orientation=random_rotation(rng)))
    m.add("j", lw.Lock(a, b, at=(0.1, 0.2, 0.3), rows=rows))
    full = lw.Model()
    a2 = full.add("a", lw.Body(1, (1, 1, 1), orientation=a.orientation))
    b2 = full.add("b", lw.Body(1, (1, 1, 1), orientation=b.orientation))
    full.add("j", lw.Lock(a2, b2, at=(0.1, 0.2, 0.3)))
    s, f = compile_model(m).data(), compile_model(full).data()
    state = s.system.described_state().moved(0.3 * rng.normal(size=12))
    gamma = rng.normal(size=6) * [mask >> i & 1 for i in range(6)]
    active = [i for i in range(6) if mask >> i & 1]
    e = s.evaluate(replace(state, gamma=gamma[active]))
    g = f.evaluate(replace(state, gamma=gamma))
    assert s.rows == len(active)
    np.testing.assert_allclose(e.C, g.C[active], atol=1e-15)
    np.testing.assert_allclose(e.Cq.toarray(), g.Cq.toarray()[active], atol=1e-15)
    np.testing.assert_allclose(e.stiffness.toarray(), g.stiffness.toarray(), atol=1e-14)


def test_empty_rows_are_refused():
    with pytest.raises(lw.ModelError, match="rows"):
        lw.Lock(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), rows="")
