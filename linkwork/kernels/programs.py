"""Programs: small calculations with exact derivatives that one compiled function carries out.

A program is a row of integers, five for each operation: its code, where the result goes, and up to
three operands.  They name registers, y and its derivatives by m variables,

    z = f(x, y)        ∂z/∂x_i = f_x ∂x/∂x_i + f_y ∂y/∂x_i

(forward mode; Griewank and Walther, Evaluating Derivatives, 2nd ed., ch. 3).  Nothing is compiled
for a new program, and nothing is allocated while it runs.  Values and slopes are those of the rules
for jets (drives.formulas.jets); where two values of a maximum are equal, the derivative in every
direction is the larger one.
"""

from __future__ import annotations

import math

from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.pointers import call
from linkwork.kernels.record import record

OPERATIONS = record(code=1, to=1, first=1, second=1, third=1)
CODE, TO, FIRST, SECOND, THIRD = OPERATIONS
OPERATION = OPERATIONS.width
# without a slope
SIGN, FLOOR, CEIL, STEP, NOT, LESS, AT_MOST, EQUAL, UNEQUAL, AND, OR, RECALL = range(12)
FLAT = 12
# of one operand
COPY, NEGATIVE, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, LOG10, SQRT = range(
    FLAT, FLAT + 15
)
TABLE, PICK = FLAT + 15, FLAT + 16  # PICK: the second operand where the first is not zero, or third
SINGLE = FLAT + 17
# of two operands
ADD, SUB, MUL, DIV, POWER, CONSTANT_POWER, ATAN2, MOD, MAX = range(SINGLE, SINGLE + 9)
DOUBLE = SINGLE + 9
# the next TO operations only where second ≤ first < third; values that must be finite, or not zero;
# a value that is remembered until the next step (RECALL reads it, its third operand is the place in
# the memory); the function whose address is the third operand, with the first as its time and the
# memory from TO on as its numbers
BETWEEN, CHECK, REQUIRE, STORE, CALL = range(DOUBLE, DOUBLE + 5)
ERROR, HOLD, EXTEND = range(3)  # what a table does outside


@inlined
def finite(x):
    return x - x == 0.0


@inlined
def infinite(x):
    return x == x and x - x != 0.0


@inlined
def flat(op, u, v):
    """Values of what is constant between jumps."""
    if op == SIGN:
        return u if u != u else (1.0 if u > 0.0 else (-1.0 if u < 0.0 else 0.0))
    if op == FLOOR:
        return u // 1.0
    if op == CEIL:
        return -((-u) // 1.0)
    if op == STEP:
        return u if u != u else (1.0 if u >= 0.0 else 0.0)
    if op == NOT:
        true = u == 0.0
    elif op == LESS:
        true = u < v
    elif op == AT_MOST:
        true = u <= v
    elif op == EQUAL:
        true = u == v
    elif op == UNEQUAL:
        true = u != v
    elif op == AND:
        true = u != 0.0 and v != 0.0
    else:
        true = u != 0.0 or v != 0.0
    return 1.0 if true else 0.0


@inlined
def single(op, u):
    """Value and slope of a function of one number; not a number outside of its domain."""
    if not finite(u):
        return math.nan, math.nan
    if op == COPY:
        return u, 1.0
    if op == NEGATIVE:
        return -u, -1.0
    if op == SIN:
        return math.sin(u), math.cos(u)
    if op == COS:
        return math.cos(u), -math.sin(u)
    if op == TAN:
        c = math.cos(u)
        return math.tan(u), 1.0 / (c * c)
    if op == ATAN:
        return math.atan(u), 1.0 / (1.0 + u * u)
    if op == TANH:
        y = math.tanh(u)
        c = math.cosh(u) if abs(u) < 300.0 else math.inf
        return y, 1.0 / (c * c)
    if ASIN <= op <= ACOS:
        c2 = (1.0 - u) * (1.0 + u)
        if c2 < 0.0:
            return math.nan, math.nan
        slope = 1.0 / math.sqrt(c2) if c2 > 0.0 else math.inf
        y = math.asin(u)
        return (y, slope) if op == ASIN else (0.5 * math.pi - y, -slope)
    if LOG <= op <= LOG10:
        if u < 0.0:
            return math.nan, math.nan
        scale = 1.0 if op == LOG else 1.0 / math.log(10.0)
        return (scale * math.log(u), scale / u) if u > 0.0 else (-math.inf, math.inf)
    if op == SQRT:
        if u < 0.0:
            return math.nan, math.nan
        y = math.sqrt(u)
        return y, (0.5 / y if y > 0.0 else math.inf)
    if abs(u) > 709.0:  # exponentials that overflow, or of nothing
        if op == EXP:
            return (math.inf, math.inf) if u > 0.0 else (0.0, 0.0)
        return (u * math.inf, math.inf) if op == SINH else (math.inf, u * math.inf)
    if op == EXP:
        y = math.exp(u)
        return y, y
    if op == SINH:
        return math.sinh(u), math.cosh(u)
    return math.cosh(u), math.sinh(u)


@inlined
def double(op, u, v):
    """Value and both slopes of a function of two numbers."""
    if op == ADD:
        return u + v, 1.0, 1.0
    if op == SUB:
        return u - v, 1.0, -1.0
    if op == MUL:
        return u * v, v, u
    if op == MOD:
        whole = (u / v) // 1.0 if v != 0.0 else math.nan
        return u - whole * v, 1.0, -whole
    if op == DIV:
        if v == 0.0:
            return u * math.inf, math.nan, math.nan
        y = u / v
        return y, 1.0 / v, -y / v
    if op == ATAN2:
        r2 = u * u + v * v
        if r2 == 0.0:
            return math.atan2(u, v), math.nan, math.nan
        return math.atan2(u, v), v / r2, -u / r2
    if u == 0.0 and v < 0.0:
        return math.inf, math.nan, math.nan
    if u < 0.0 and v != v // 1.0:
        return math.nan, math.nan, math.nan
    y = u**v
    if op == CONSTANT_POWER:
        if u == 0.0:
            slope = 1.0 if v == 1.0 else (0.0 if v > 1.0 or v == 0.0 else math.inf)
            return y, slope, 0.0
        return y, (v * u ** (v - 1.0) if v != 0.0 else 0.0), 0.0
    if u <= 0.0:
        return y, math.nan, math.nan
    return y, v * y / u, y * math.log(u)


@inlined
def tabulated(reals, k, n, outside, p, u):
    """Value and slope of a table of n points from column p on: last value, knots, cubics."""
    knots = p + 1
    begin, end = reals[k, knots], reals[k, knots + n - 1]
    slack = 1e-9 * (end - begin)
    if u != u or (outside == ERROR and (u < begin - slack or u > end + slack)):
        return math.nan, math.nan
    x = u
    if outside != EXTEND:
        x = min(max(u, begin), end)
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if reals[k, knots + middle] <= x:
            low = middle
        else:
            high = middle
    c, s = knots + n + 4 * low, x - reals[k, knots + low]
    c1, c2, c3 = reals[k, c + 1], reals[k, c + 2], reals[k, c + 3]
    y, slope = reals[k, c] + s * (c1 + s * (c2 + s * c3)), c1 + s * (2.0 * c2 + s * 3.0 * c3)
    if x == end:
        y = reals[k, p]
    if outside == HOLD and (u < begin or u >= end):
        slope = 0.0
    return y, slope


@inlined
def run_program(ints, reals, memory, k, first, count, m, slopes):
    """Carry out the operations in row k of `ints` from column `first`; whether all went well.

    It did not where a value that is checked is not finite, or any is infinite, or one is zero
    that is required.
    """
    p, end = first, first + OPERATION * count
    good = True
    while p < end:
        op, d = ints[k, p + CODE], ints[k, p + TO]
        a, b, c = ints[k, p + FIRST], ints[k, p + SECOND], ints[k, p + THIRD]
        p += OPERATION
        u, v = reals[k, a], reals[k, b]
        if op >= DOUBLE:
            if op == CHECK:
                good = good and finite(u)
            elif op == REQUIRE:
                good = good and u != 0.0
            elif op == STORE:
                if good:
                    memory[k, d] = u
            elif op == CALL:
                if good:
                    call(c, u, memory[k, d:], memory[k, d:])
            elif not (v <= u and u < reals[k, c]):
                p += OPERATION * d
            continue
        if op < FLAT:
            reals[k, d] = memory[k, c] if op == RECALL else flat(op, u, v)
            if slopes:
                for i in range(1, m + 1):
                    reals[k, d + i] = 0.0
            continue
        if op == MAX and u == v:
            reals[k, d] = u
            if slopes:
                for i in range(1, m + 1):
                    reals[k, d + i] = max(reals[k, a + i], reals[k, b + i])
            continue
        chosen = -1
        if op == PICK:
            chosen = b if u != 0.0 else c
        elif op == MAX:
            chosen = b if v > u or v != v else a
        if chosen >= 0:
            reals[k, d] = reals[k, chosen]
            if slopes:
                for i in range(1, m + 1):
                    reals[k, d + i] = reals[k, chosen + i]
        elif op < SINGLE:
            if op == TABLE:
                y, fu = tabulated(reals, k, ints[k, c], ints[k, c + 1], b, u)
            else:
                y, fu = single(op, u)
            reals[k, d] = y
            good = good and not infinite(y)
            if slopes:
                for i in range(1, m + 1):
                    reals[k, d + i] = fu * reals[k, a + i]
        else:
            y, fu, fv = double(op, u, v)
            reals[k, d] = y
            good = good and not infinite(y)
            if slopes:
                for i in range(1, m + 1):
                    reals[k, d + i] = fu * reals[k, a + i] + fv * reals[k, b + i]
    return good
