"""Damaged decks are read, or refused with an error of linkwork; fuzz_mbdyn.py goes on longer."""

from __future__ import annotations

import random
import re

import pytest
from fuzz_mbdyn import DECKS, Mutator, fuzz

import linkwork as lw


@pytest.mark.parametrize("seed", range(3))
def test_damaged_decks_are_read_or_refused(seed):
    found = fuzz(60, seed, every=0, most=120)
    assert sum(found.values()) == 120 and "crashed" not in found
    assert found["refused"] > 60 and found["read"] > 0


def test_a_seed_gives_the_same_texts():
    one, two, other = Mutator(5), Mutator(5), Mutator(6)
    texts = [one.text() for _ in range(5)]
    assert texts == [two.text() for _ in range(5)] != [other.text() for _ in range(5)]


def slip(text, rng):
    """One slip of writing: a statement, a word, a comma or a block is lost, or letters change."""
    statements, how = re.split(r"(?<=;)", text), rng.randrange(6)
    if how == 0:
        del statements[rng.randrange(len(statements))]
        return "".join(statements)
    if how == 1:
        i, j = rng.randrange(len(statements)), rng.randrange(len(statements))
        statements[i], statements[j] = statements[j], statements[i]
        return "".join(statements)
    if how == 2:
        block = rng.choice(list(re.finditer(r"begin *: *([a-z ]+);.*?end *: *\1;", text, re.S)))
        return text[: block.start()] + text[block.end() :]
    found = rng.choice(list(re.finditer(r"[,;:]" if how == 4 else r"[A-Za-z]{3,}", text)))
    word = found.group()
    new = word[1] + word[0] + word[2:] if how == 5 else ""
    return text[: found.start()] + new + text[found.end() :]


@pytest.mark.parametrize("seed", range(3))
def test_slips_are_told_in_one_sentence_with_their_place(seed, tmp_path):
    """File and line, or the file where the whole deck lacks something; never a second line."""
    rng, refused = random.Random(seed), 0
    texts = {p.name: re.sub(r"#[^\n]*", "", p.read_text(encoding="utf-8")) for p in DECKS}
    for path in DECKS[0].parent.iterdir():
        if path.suffix != ".mbd":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    for _ in range(100):
        name = rng.choice(list(texts))
        (tmp_path / name).write_text(slip(texts[name], rng), encoding="utf-8")
        try:
            lw.read_deck(tmp_path / name, environment={})
        except lw.LinkworkError as error:
            refused += 1
            sentence = str(error)
            assert sentence.startswith(str(tmp_path)), sentence
            rest = sentence.removeprefix(str(tmp_path))
            placed = re.match(r"/[\w.]+:\d+:\d+: ", rest)
            assert placed or "block" in rest, sentence
            assert "\n" not in sentence and ";;" not in sentence, sentence
            assert not re.search(r"Traceback|NoneType|object at 0x|Lock\b|Error:", rest), sentence
    assert refused > 50
