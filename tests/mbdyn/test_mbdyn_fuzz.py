"""Damaged decks are read, or refused with an error of linkwork; fuzz_mbdyn.py goes on longer."""

from __future__ import annotations

import pytest
from fuzz_mbdyn import Mutator, fuzz


@pytest.mark.parametrize("seed", range(3))
def test_damaged_decks_are_read_or_refused(seed):
    found = fuzz(60, seed, every=0, most=120)
    assert sum(found.values()) == 120 and "crashed" not in found
    assert found["refused"] > 60 and found["read"] > 0


def test_a_seed_gives_the_same_texts():
    one, two, other = Mutator(5), Mutator(5), Mutator(6)
    texts = [one.text() for _ in range(5)]
    assert texts == [two.text() for _ in range(5)] != [other.text() for _ in range(5)]
