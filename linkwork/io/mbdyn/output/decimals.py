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
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from linkwork.math.compiled import inlined, lean

MOST = 14  # digits behind the point
RANGE = 280  # decimal exponents of numbers that are written here
SPLIT = 134217729.0  # 2^27 + 1
DOUBT = 1e-6  # distance from the middle of two integers
WIDEST = 24  # characters of a number
CHARACTERS = 1 << 22  # of text that is made at once
ZERO, MINUS, PLUS, POINT, E = (ord(c) for c in "0-+.e")


@functools.cache
def powers() -> np.ndarray:
    """(n, 2): 10^j, j from −RANGE − MOST to RANGE + MOST, as the sum of two numbers."""
    rows = []
    for j in range(-RANGE - MOST, RANGE + MOST + 1):
        exact = Fraction(10) ** j
        rows.append((float(exact), float(exact - Fraction(float(exact)))))
    return np.array(rows)


def exponential_text(
    columns: np.ndarray, before: Sequence[bytes], after: bytes, precision: int
) -> Iterator[bytes]:
    """Text of rows of numbers (T, n): `before` each number of a row its words, `after` the last.

    Numbers are as "%.{precision}e" writes them.
    """
    form = f"%.{precision}e"
    values = np.ascontiguousarray(columns, float)
    if not 0 <= precision <= MOST:
        for row in values.tolist():
            yield b"".join(w + (form % x).encode() for w, x in zip(before, row)) + after
        return
    words = np.frombuffer(b"".join([*before, after]), np.uint8).copy()
    ends = np.cumsum([0, *(len(word) for word in before), len(after)])
    out = np.zeros(max(CHARACTERS, WIDEST + len(words)), np.uint8)
    place, n = 0, values.shape[1]
    while place < len(values) * (n + 1):
        count, place, doubtful = write_numbers(values, words, ends, powers(), precision, place, out)
        yield out[:count].tobytes()
        if doubtful:
            yield (form % values[place // (n + 1), place % (n + 1)]).encode()
            place += 1


@inlined
def scaled(x, high, low):
    """x (high + low) as the sum of two numbers."""
    product = x * high
    t = SPLIT * x
    a = t - (t - x)
    t = SPLIT * high
    b = t - (t - high)
    c, d = x - a, high - b
    return product, ((a * b - product) + a * d + c * b) + c * d + x * low


@inlined
def digits(x, tens, precision, least):
    """The integer of p + 1 digits, `least` or more, and the exponent; negative if in doubt."""
    k = math.floor(math.log10(x))
    for _ in range(3):  # the logarithm may be one off
        j = precision - k + RANGE + MOST
        high, low = scaled(x, tens[j, 0], tens[j, 1])
        whole = math.floor(high)
        rest = (high - whole) + low
        if rest < 0.0:
            whole, rest = whole - 1.0, rest + 1.0
        elif rest >= 1.0:
            whole, rest = whole + 1.0, rest - 1.0
        number = int(whole)
        if number < least:
            k -= 1
        elif number >= 10 * least:
            k += 1
        else:
            if abs(rest - 0.5) < DOUBT:
                return -1, k
            if rest > 0.5:
                number += 1
            if number == 10 * least:
                return least, k + 1
            return number, k
    return -1, k


@inlined
def put_number(out, at, x, tens, precision, least):
    """Write a number from `at` on; where it ends, or −1 if in doubt."""
    negative = math.copysign(1.0, x) < 0.0
    x = abs(x)
    number, k = 0, 0
    if x != 0.0:
        if not 1e-279 < x < 1e279:
            return -1
        number, k = digits(x, tens, precision, least)
        if number < 0:
            return -1
    if negative:
        out[at] = MINUS
        at += 1
    for i in range(precision + 1, 1, -1):
        out[at + i] = ZERO + number % 10
        number //= 10
    out[at] = ZERO + number
    if precision > 0:
        out[at + 1] = POINT
        at += precision + 2
    else:
        at += 1
    out[at] = E
    out[at + 1] = MINUS if k < 0 else PLUS
    k = abs(k)
    at += 2
    if k >= 100:
        out[at] = ZERO + k // 100
        at += 1
    out[at] = ZERO + k // 10 % 10
    out[at + 1] = ZERO + k % 10
    return at + 2


@lean
def write_numbers(values, words, ends, tens, precision, place, out):
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
            end = put_number(out, at, values[row, column], tens, precision, least)
            if end < 0:
                return at, place, True
            at = end
        place += 1
        column += 1
        if column > n:
            row, column = row + 1, 0
    return at, place, False
