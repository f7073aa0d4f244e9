"""Random mechanisms by all methods: none is silently wrong, and formulations agree.

The rule is that of docs/hard-motions.md.  `python -m tests.survey_random` does the same for as many
as one likes; seeds that it has found faults with are among these.
"""

from __future__ import annotations

import pytest
from random_mechanisms import random_mechanism
from survey import Reference, alone, motions_of

FOUND = [10, 13]  # loops that begin where a row repeats others that is needed elsewhere


@pytest.mark.parametrize("seed", [*range(20), 1003, 1004, 1009, 1011])
def test_no_method_is_silently_wrong(seed):
    from docs.hard.runs import METHODS, judge

    mechanism = random_mechanism(seed)
    reference = Reference(mechanism)
    if not reference.known:
        assert not alone(mechanism)
        return
    for motion in motions_of(mechanism, reference):
        cells = {method: judge(motion, method) for method in METHODS}
        wrong = {method: cell for method, cell in cells.items() if cell.kind == "SILENT"}
        assert not wrong, (motion.name, wrong)


def test_the_same_seed_gives_the_same_mechanism():
    a, b = (random_mechanism(5) for _ in range(2))
    assert (a.t, a.h) == (b.t, b.h)
    for name, item in a.build().items.items():
        assert repr(item) == repr(b.build()[name])


@pytest.mark.filterwarnings("ignore:.*not unique", "ignore:.*already fix")
@pytest.mark.parametrize("seed", FOUND)
def test_joints_that_open_beyond_a_singular_start_are_told(seed):
    import linkwork as lw

    mechanism = random_mechanism(seed)
    with pytest.warns(lw.LinkworkWarning, match="was open by"):
        lw.transient(mechanism.build(), mechanism.t, mechanism.h, lw.Recursive(), progress=False)
