"""File drivers outside their tables: zeroes, the last values, or the end of the run (bailout)."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_text import BODY, NODE, deck_text

import linkwork as lw
from linkwork import LinkworkError, MbdynError

TIMES, VALUES = (0.2, 0.4, 0.6), (1.0, 3.0, 2.0)
OUTSIDE = {  # before and after the table; None ends the run
    "": (0.0, 0.0), "pad zeroes, yes,": (0.0, 0.0), "pad zeroes, no,": (1.0, 2.0),
    "bailout, none,": (0.0, 0.0), "bailout, upper,": (0.0, None), "bailout, lower,": (None, 0.0),
    "bailout, any,": (None, None),
}  # fmt: skip


@pytest.mark.parametrize("how", ["linear", "const"])
@pytest.mark.parametrize("option", OUTSIDE)
@pytest.mark.parametrize("kind", ["fixed", "variable"])
def test_outside_the_table(tmp_path, kind, option, how):
    rows = VALUES if kind == "fixed" else zip(TIMES, VALUES)
    (tmp_path / "x.dat").write_text(
        "".join(f"{row if kind == 'fixed' else f'{row[0]} {row[1]}'}\n" for row in rows)
    )
    layout = "fixed step, 3, 1, initial time, .2, time step, .2" if kind == "fixed" else (
        "variable step, 1")  # fmt: skip
    drivers = (f'begin: drivers; file: 1, {layout}, interpolation, {how}, {option} "x.dat"; '
               "end: drivers;")  # fmt: skip
    text = deck_text(nodes=NODE, elements=BODY, control="file drivers: 1;")
    path = tmp_path / "deck.mbd"
    path.write_text(text.replace("begin: elements;", f"{drivers} begin: elements;"))
    drive = lw.read_deck(path, environment={}).files[1][0]
    inside = [1.0, 2.0, 2.5] if how == "linear" else [1.0, 1.0, 3.0]
    np.testing.assert_allclose(drive.values(np.array([0.2, 0.3, 0.5])), inside)
    for t, expected in zip((0.1, 0.7), OUTSIDE[option]):
        if expected is None:
            with pytest.raises(LinkworkError, match=f"found t = {t}"):
                drive.values(np.array([t]))
        else:
            np.testing.assert_array_equal(drive.values(np.array([t])), expected)


@pytest.mark.parametrize("name", ["x\0y.dat", "~\0", "x" * 300, "missing.dat", "."])
@pytest.mark.parametrize("card", ['include: "{}";', 'file: 1, variable step, 1, "{}";'])
def test_names_that_no_file_has(tmp_path, name, card):
    path = tmp_path / "deck.mbd"
    path.write_text("begin: drivers;\n" + card.format(name), encoding="utf-8")
    with pytest.raises(lw.MbdynError, match=r"deck\.mbd:2:\d+: "):
        lw.read_deck(path, environment={})


def test_a_deck_with_a_name_that_no_file_has():
    with pytest.raises(lw.MbdynError, match="cannot be read"):
        lw.read_deck("x\0y.mbd", environment={})


@pytest.mark.parametrize("card", ["variable step, 1", "fixed step, 3, 1, 0., 1."])
@pytest.mark.parametrize(("name", "sentence"), [("a\\00b", "no file can be called"),
                                                ("none.dat", "none.dat")])  # fmt: skip
def test_files_that_cannot_be(tmp_path, card, name, sentence):
    text = deck_text(nodes=NODE, elements=BODY, control="file drivers: 1;")
    drivers = f'begin: drivers; file: 1, {card}, "{name}"; end: drivers; begin: elements;'
    (tmp_path / "deck.mbd").write_text(text.replace("begin: elements;", drivers))
    with pytest.raises(MbdynError, match=sentence) as caught:
        lw.read_deck(tmp_path / "deck.mbd")
    assert caught.value.line > 0
