"""Text of many numbers as "%.6e" gives it, d.dddddde±xx, in one compiled loop.

With k the exponent and p digits behind the point the digits are those of the integer nearest to

    s = |x| 10^(p − k),      10^p ≤ s < 10^(p+1) ≤ 10^15

which is computed with twice the digits of a number: 10^j is the sum of two numbers, and products
are without error (Dekker, Numer. Math. 18, 1971), so that s is right to 1e-14.  Where it lies so
near to the middle of two integers that this might not decide, and for numbers near the ends of the
range, Python writes the number.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from linkwork.kernels.compiled import compiled, spliced
from linkwork.results.files.memory import share

MOST = 14  # digits behind the point
RANGE = 280  # decimal exponents of numbers that are written here
SPLIT = 134217729.0  # 2^27 + 1
DOUBT = 1e-11  # distance from the middle of two integers; of seven digits the next number has 1e-10
WIDEST = 24  # characters of a number
BLOCK = 64  # a part of the memory: text that is made at once
ZERO, MINUS, PLUS, POINT, E = (ord(c) for c in "0-+.e")
released = compiled(_nrt=False, nogil=True)  # other threads run meanwhile


@functools.cache
def powers() -> np.ndarray:
    """(n, 4): 10^j, j from −RANGE − MOST to RANGE + MOST: a number, what it lacks, its halves."""
    rows = []
    for j in range(-RANGE - MOST, RANGE + MOST + 1):
        exact = Fraction(10) ** j
        high = float(exact)
        t = SPLIT * high
        half = t - (t - high)
        rows.append((high, float(exact - Fraction(high)), half, high - half))
    return np.array(rows)


@functools.cache
def pairs() -> np.ndarray:
    """The characters of 00 to 99."""
    return np.frombuffer("".join(f"{i:02d}" for i in range(100)).encode(), np.uint8).copy()


class Decimals:
    """Text of rows of n numbers: `before` each number of a row its words, `after` the last.

    Numbers are as "%.{precision}e" writes them.
    """

    def __init__(self, before: Sequence[bytes], after: bytes, precision: int) -> None:
        self.before, self.after, self.precision = before, after, precision
        self.form = f"%.{precision}e"
        self.words = np.frombuffer(b"".join([*before, after]), np.uint8).copy()
        self.ends = np.cumsum([0, *(len(word) for word in before), len(after)])
        self.longest = max(len(after), *map(len, before)) if before else len(after)
        self.out = np.zeros(0, np.uint8)

    def text(self, columns: np.ndarray) -> Iterator[bytes | memoryview]:
        """Of rows (T, n), in pieces; each is to be used before the next is asked for."""
        values = np.ascontiguousarray(columns, float)
        if not 0 <= self.precision <= MOST:
            yield from self.text_by_python(values)
            return
        if not len(self.out):
            self.out = np.zeros(max(share(BLOCK), WIDEST + self.longest), np.uint8)
        place, n = 0, values.shape[1]
        while place < len(values) * (n + 1):
            count, place, doubtful = write_numbers(
                values, values.view(np.int64), self.words, self.ends, powers(), pairs(),
                self.precision, place, self.out,
            )  # fmt: skip
            yield self.out[:count].data
            if doubtful:
                yield (self.form % values[place // (n + 1), place % (n + 1)]).encode()
                place += 1

    def text_by_python(self, values: np.ndarray) -> Iterator[bytes]:
        for row in values.tolist():
            numbers = (w + (self.form % x).encode() for w, x in zip(self.before, row))
            yield b"".join(numbers) + self.after


@spliced
def scaled(x, tens, j):
    """x 10^j as the sum of two numbers."""
    high = tens[j, 0]
    product = x * high
    t = SPLIT * x
    a = t - (t - x)
    b, d = tens[j, 2], tens[j, 3]
    c = x - a
    return product, ((a * b - product) + a * d + c * b) + c * d + x * tens[j, 1]


@spliced
def digits(x, bits, tens, precision, least):
    """The integer of p + 1 digits, `least` or more, and the exponent; negative if in doubt."""
    # 2^e ≤ x < 2^(e+1), so k is the floor of e log₁₀2 or one more; 78913 / 2^18 is the logarithm
    e = (bits >> 52 & 0x7FF) - 1023
    k = (e * 78913) >> 18
    k += int(x >= tens[k + 1 + RANGE + MOST, 0])
    for _ in range(3):  # at the ends of a decade it may be one off
        high, low = scaled(x, tens, precision - k + RANGE + MOST)
        number = int(high)
        rest = (high - number) + low
        if rest < 0.0:
            number, rest = number - 1, rest + 1.0
        elif rest >= 1.0:
            number, rest = number + 1, rest - 1.0
        if number < least:
            k -= 1
        elif number >= 10 * least:
            k += 1
        else:
            if abs(rest - 0.5) < DOUBT:
                return -1, k
            number += int(rest > 0.5)
            if number == 10 * least:
                return least, k + 1
            return number, k
    return -1, k


@spliced
def put_pair(out, at, pairs, two):
    """Two digits from `at` on."""
    out[at] = pairs[2 * two]
    out[at + 1] = pairs[2 * two + 1]


@spliced
def put_number(out, at, x, bits, tens, pairs, precision, least):
    """Write a number from `at` on; where it ends, or −1 if in doubt."""
    number, k = 0, 0
    if x != 0.0:
        size = abs(x)
        if not 1e-279 < size < 1e279:
            return -1
        number, k = digits(size, bits, tens, precision, least)
        if number < 0:
            return -1
    out[at] = MINUS  # the first digit is written over it where there is no sign
    at += int(bits < 0)
    rest = np.uint64(number)
    i = precision
    while i >= 2:
        more = rest // np.uint64(100)
        put_pair(out, at + i, pairs, np.int64(rest - more * np.uint64(100)))
        rest = more
        i -= 2
    if i == 1:
        more = rest // np.uint64(10)
        out[at + 2] = ZERO + np.int64(rest - more * np.uint64(10))
        rest = more
    out[at] = ZERO + np.int64(rest)
    out[at + 1] = POINT  # the exponent is written over it where there are no digits behind it
    at += precision + 2 if precision > 0 else 1
    out[at] = E
    out[at + 1] = MINUS if k < 0 else PLUS
    k = abs(k)
    at += 2
    if k >= 100:
        out[at] = ZERO + k // 100
        at += 1
        k %= 100
    put_pair(out, at, pairs, k)
    return at + 2


@released
def write_numbers(values, bits, words, ends, tens, pairs, precision, place, out):
    """From a place on, n + 1 in a row of n numbers: how many characters, where next, if in doubt.

    What is next is a number in doubt, or what there is no room for.
    """
    at, n = 0, values.shape[1]
    least = 1  # of so many digits
    for _ in range(precision):
        least *= 10
    row, column = place // (n + 1), place % (n + 1)
    while row < values.shape[0]:
        first, last = ends[column], ends[column + 1]
        if at + last - first + WIDEST > out.shape[0]:
            return at, place, False
        for i in range(first, last):
            out[at] = words[i]
            at += 1
        if column < n:
            x, b = values[row, column], bits[row, column]
            end = put_number(out, at, x, b, tens, pairs, precision, least)
            if end < 0:
                return at, place, True
            at = end
        place += 1
        column += 1
        if column > n:
            row, column = row + 1, 0
    return at, place, False
