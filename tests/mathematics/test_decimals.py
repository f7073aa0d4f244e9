"""Text of numbers: the characters of Python's own "%.6e" for every number."""

import numpy as np
import pytest

from linkwork.io.mbdyn.output.decimals import Decimals


def numbers():
    rng = np.random.default_rng(0)
    tens = 10.0 ** np.arange(-300, 300)
    halves = rng.integers(-(10**9), 10**9, 3000) / 2.0 ** rng.integers(0, 20, 3000)  # exact middles
    odd = [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1.7976931348623157e308, 9.9999995, 999999.5]
    return np.concatenate([
        rng.normal(size=3000), 10.0 ** rng.uniform(-320, 308, 3000) * rng.choice([-1, 1], 3000),
        np.round(rng.normal(size=3000), 6), halves, tens, np.nextafter(tens, 0),
        np.nextafter(tens, np.inf), odd, np.zeros(1),
    ])  # fmt: skip


@pytest.mark.parametrize("precision", [0, 1, 6, 14, 16])
def test_numbers_are_written_as_python_writes_them(precision):
    rows = numbers().reshape(-1, 5)
    words = [b"       7 ", b" ", b" 12 ", b" ", b""]
    found = b"".join(map(bytes, Decimals(words, b" end\n", precision).text(rows)))
    form = "".join(w.decode() + f"%.{precision}e" for w in words) + " end\n"
    assert found.decode() == "".join(form % tuple(row) for row in rows.tolist())


def test_text_is_made_in_pieces(monkeypatch):
    monkeypatch.setenv("LINKWORK_MEMORY", "0.006")  # so that a piece has 100 characters
    rows = np.random.default_rng(1).normal(size=(40, 3))
    pieces = [bytes(x) for x in Decimals([b"a ", b" ", b" "], b"\n", 6).text(rows)]
    assert len(pieces) > 10
    expected = "".join(f"a {x:.6e} {y:.6e} {z:.6e}\n" for x, y, z in rows.tolist())
    assert b"".join(pieces).decode() == expected


@pytest.mark.parametrize("precision", [3, 6, 9, 12, 14])
def test_middles_of_two_texts_and_the_numbers_beside_them(precision):
    """What is nearest to d…d5e±xx, as 9.81 t/2 gives it in steps of time, and both neighbours."""
    rng = np.random.default_rng(precision)
    digits = rng.integers(10**precision, 10 ** (precision + 1), 5000)
    tens = np.concatenate([rng.integers(-270, 270, 2500), rng.integers(-12, 3, 2500)])
    middles = np.array([float(f"{n}5e{k}") for n, k in zip(digits, tens)])
    rows = np.column_stack([middles, np.nextafter(middles, 0), -np.nextafter(middles, np.inf)])
    found = b"".join(map(bytes, Decimals([b"", b" ", b" "], b"\n", precision).text(rows)))
    form = " ".join([f"%.{precision}e"] * 3) + "\n"
    assert found.decode() == "".join(form % tuple(row) for row in rows.tolist())
