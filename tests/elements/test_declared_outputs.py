"""What kernels write: every declared output of every registered item, in random states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from inside import ITEMS, ItemOutputs, Result
from sample_elements import sample

NAMES = sorted(set(ITEMS) - {"Body"})


@pytest.mark.parametrize("name", NAMES)
def test_every_declared_output_is_written(name):
    """No number is left out, and none that is not declared is written behind the row."""
    data, state = sample(name, 1)
    rng = np.random.default_rng(3)
    state = replace(state, acceleration=rng.normal(size=(data.system.bodies, 6)))
    for owner in dict.fromkeys(e.owner for e in data.system.elements):
        asked = ItemOutputs(Result.of_state(data.system, state), owner)
        for output in asked.names:
            assert np.isfinite(asked[output]).all(), (owner, output)
