"""Runge-Kutta tableaux with an explicit first stage, one diagonal g and the last row as weights.

Composite methods of n sub-steps (Zhang, Zhang, Xing, Masarati, Nonlinear Dynamics 102 (2020)) have
the stability function A(z) = (1 + a_1 z + … + a_n z^n) / (1 − g z)^n with a_n = ± ρ g^n.  Order s
needs a_p = Σ_{j≤p} (−1)^j C(n, j) g^j / (p − j)!  for p ≤ s.

MSSTC(n): n − 1 trapezoidal steps of length 2 g h and a closing formula; order two, and the rest of
the numbers make |A(iτ)| as flat as possible.  MSSTH(n): order n.  The closing formula of that paper
reaches order n only on linear equations for n > 3 (Σ b c³ = 1/4 is missed by up to 0.05); here the
inner stages are chosen anew, with stage order two and all conditions of order n, the same g and so
the same A(z).
"""

from __future__ import annotations

import functools
import math

import numpy as np

# MSSTH: g at ρ = 0 and ρ = 1 bound it, and a_n = sign ρ gⁿ
HIGH = {3: (1 / 3, 0.4358665215084589, -1), 4: (0.3943375672974064, 0.572816062482135, 1),
        5: (0.2465051931428202, 0.2780538411364524, 1)}  # fmt: skip
# free nodes of MSSTH3, 4 and 5: small errors of the next order for all ρ, away from 2 g
NODES3, NODES4, NODES5 = 0.6, (0.7, 0.6), (1.1, 0.65)


def taylor(n: int, g: float, p: int) -> float:
    """a_p of a method of order p or more."""
    return sum((-1) ** j * math.comb(n, j) * g**j / math.factorial(p - j) for j in range(p + 1))


def composite(g: float, a: np.ndarray) -> np.ndarray:
    """n − 1 trapezoidal steps and the closing formula whose A(z) has the numerator 1, a_1 … a_n."""
    n = len(a)
    A = np.zeros((n + 1, n + 1))
    for i in range(1, n):
        A[i] = A[i - 1]
        A[i, i - 1] += g
        A[i, i] += g
    one, more = np.array([1.0, -g]), np.array([1.0, g])
    columns = [np.convolve(_power(more, j), _power(one, n - 1 - j))[:n] for j in range(n)]
    right = a - np.concatenate([_power(one, n - 1), np.zeros(n)])[1 : n + 1]
    A[n, :n] = np.linalg.solve(np.array(columns).T, right)
    A[n, n] = g
    return A


def _power(p: np.ndarray, k: int) -> np.ndarray:
    out = np.ones(1)
    for _ in range(k):
        out = np.convolve(out, p)
    return out


@functools.lru_cache(maxsize=256)
def bathe(rho: float) -> np.ndarray:
    """Two sub-steps (Bathe's method at ρ = 0 with equal halves becomes that with 2 g)."""
    g = 1 / (2 + math.sqrt(2 + 2 * rho))  # = (2 − √(2+2ρ)) / (2 (1−ρ)), also at ρ = 1
    return composite(g, np.array([taylor(2, g, 1), taylor(2, g, 2)]))


@functools.lru_cache(maxsize=256)
def msstc(n: int, rho: float) -> np.ndarray:
    """Conserving composite method of n sub-steps."""
    unknown = np.array([1 / (2 * n), *(math.comb(n, p) / (2 * n) ** p for p in range(3, n))])
    steps = max(1, math.ceil((1 - rho) / 0.05))
    for k in range(steps + 1):  # from ρ = 1, n equal trapezoidal steps
        unknown = _newton(_flatness, unknown, (n, 1 + (rho - 1) * k / steps))
    g = float(unknown[0])
    return composite(g, _conserving(unknown, n, rho)[1:])


def _conserving(unknown: np.ndarray, n: int, rho: float) -> np.ndarray:
    g = unknown[0]
    return np.array([1.0, taylor(n, g, 1), taylor(n, g, 2), *unknown[1:], rho * g**n])


def _flatness(unknown: np.ndarray, n: int, rho: float) -> np.ndarray:
    """c_4, c_6 … c_{2n−2} of |D|² − |N|² in powers of τ, over powers of 1/(2n)."""
    a, g = _conserving(unknown, n, rho), unknown[0]
    out = []
    for j in range(2, n):
        products = sum(
            (-1) ** m * a[m] * a[2 * j - m] for m in range(max(0, 2 * j - n), min(n, 2 * j) + 1)
        )
        out.append((math.comb(n, j) * g ** (2 * j) - (-1) ** j * products) * (2 * n) ** (2 * j))
    return np.array(out)


def _newton(function, u: np.ndarray, arguments: tuple) -> np.ndarray:
    """Root near u, with differences for the Jacobian."""
    for _ in range(50):
        r = function(u, *arguments)
        J = np.empty((len(r), len(u)))
        for k in range(len(u)):
            e = 1e-6 * max(abs(u[k]), 1e-3)
            up, down = u.copy(), u.copy()
            up[k], down[k] = u[k] + e, u[k] - e
            J[:, k] = (function(up, *arguments) - function(down, *arguments)) / (2 * e)
        step = np.linalg.lstsq(J, r, rcond=None)[0]
        u = u - step
        if np.abs(step).max() < 1e-15:
            break
    return u


def high_order_g(n: int, rho: float) -> float:
    """The number g of MSSTH(n): a_n(g) = ± ρ gⁿ between its values at ρ = 1 and ρ = 0."""
    low, high, sign = HIGH[n]
    low, high = low - 1e-9, high + 1e-9
    wanted = lambda g: taylor(n, g, n) - sign * rho * g**n  # noqa: E731
    before = wanted(low)
    for _ in range(200):
        g = 0.5 * (low + high)
        value = wanted(g)
        if (value > 0) == (before > 0):
            low = g
        else:
            high = g
    return 0.5 * (low + high)


def closed_stages(g: float, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An empty tableau over the nodes with the first stages and the weights, and its nodes."""
    s = len(c)
    A = np.zeros((s, s))
    A[1, :2] = g
    A[np.arange(1, s), np.arange(1, s)] = g
    V = np.vander(c[:-1], s - 1, increasing=True).T
    A[-1, :-1] = np.linalg.solve(V, 1 / np.arange(1, s) - g)
    fill_row(A, c, 2)
    return A, c


def fill_row(A: np.ndarray, c: np.ndarray, i: int) -> None:
    """First two entries of row i for stage order two, the others being given."""
    A[i, 1] = (c[i] ** 2 / 2 - A[i, 2:] @ c[2:]) / c[1]
    A[i, 0] = c[i] - A[i, 1:].sum()


def esdirk3(g: float, c2: float) -> np.ndarray:
    """Order three with three implicit stages of stage order two, second node c2."""
    return closed_stages(g, np.array([0.0, 2 * g, c2, 1.0]))[0]


@functools.lru_cache(maxsize=256)
def mssth(n: int, rho: float) -> np.ndarray:
    """Composite-like method of order n with n implicit stages."""
    g = high_order_g(n, rho)
    if n == 3:
        return esdirk3(g, NODES3)
    return _order_four(g) if n == 4 else _order_five(g)


def _order_four(g: float) -> np.ndarray:
    """The entry a_32 follows from Σ b_i a_ij c_j² = 1/12."""
    A, c = closed_stages(g, np.array([0.0, 2 * g, *NODES4, 1.0]))
    fill_row(A, c, 3)
    lacking = 1 / 12 - A[-1] @ (A @ c**2)
    # one more in a_32 takes c_2/c_1 from a_31: Σ a_3j c_j² grows by c_2² − c_2 c_1
    A[3, 2] += lacking / (A[-1, 3] * (c[2] ** 2 - c[2] * c[1]))
    fill_row(A, c, 3)
    return A


def _five(u: np.ndarray, g: float) -> tuple[np.ndarray, np.ndarray]:
    A, c = closed_stages(g, np.array([0.0, 2 * g, *NODES5, u[0], 1.0]))
    A[3, 2], A[4, 2], A[4, 3] = u[1:]
    fill_row(A, c, 3)
    fill_row(A, c, 4)
    return A, c


def _five_lacking(u: np.ndarray, g: float) -> np.ndarray:
    """What the conditions of order five lack that stage order two leaves."""
    A, c = _five(u, g)
    b, A2 = A[-1], A @ c**2
    return np.array([b @ A2 - 1 / 12, b @ (c * A2) - 1 / 15, b @ (A @ c**3) - 1 / 20,
                     b @ (A @ A2) - 1 / 60])  # fmt: skip


def _order_five(g: float) -> np.ndarray:
    """Node c_4 and the inner entries from four conditions, continued from ρ = 0.6."""
    u, begin = np.array([0.33, -0.026, 0.058, -0.483]), high_order_g(5, 0.6)
    steps = 1 + math.ceil(abs(g - begin) / 0.002)
    for k in range(steps + 1):
        u = _newton(_five_lacking, u, (begin + (g - begin) * k / steps,))
    return _five(u, g)[0]


# ------------------------------------------------------------------- Kennedy and Carpenter 2016
# L-stable, stiffly accurate, stage order two ("Diagonally implicit Runge-Kutta methods for ordinary
# differential equations. A review", NASA/TM-2016-219173)


@functools.cache
def dirk33() -> np.ndarray:
    """Three implicit stages, order three: g is the root of g³ − 3g² + 3g/2 − 1/6, c2 = 3/5."""
    return esdirk3(0.435866521508458999, NODES3)


@functools.cache
def dirk43() -> np.ndarray:
    """Four implicit stages, order three, g = 9/40."""
    r, g = math.sqrt(2), 9 / 40
    A = np.zeros((5, 5))
    A[np.arange(1, 5), np.arange(1, 5)] = g
    A[1, 0] = g
    A[2, :2] = 9 * (1 + r) / 80
    A[3, :3] = (22 + 15 * r) / (80 * (1 + r)), (22 + 15 * r) / (80 * (1 + r)), -7 / (40 * (1 + r))
    first = (2398 + 1205 * r) / (2835 * (4 + 3 * r))
    A[4, :4] = first, first, -2374 * (1 + 2 * r) / (2835 * (5 + 3 * r)), 5827 / 7560
    return A


@functools.cache
def dirk54() -> np.ndarray:
    """Five implicit stages, order four, g = 31/125."""
    A = np.zeros((6, 6))
    A[np.arange(1, 6), np.arange(1, 6)] = 31 / 125
    A[1, 0] = 31 / 125
    A[2, :2] = -360286518617 / 7014585480527
    A[3, :2] = -506388693497 / 5937754990171
    A[3, 2] = 7149918333491 / 13390931526268
    A[4, :2] = -7628305438933 / 11061539393788
    A[4, 2:4] = 21592626537567 / 14352247503901, 11630056083252 / 17263101053231
    A[5, :2] = -12917657251 / 5222094901039
    A[5, 2:4] = 5602338284630 / 15643096342197, 9002339615474 / 18125249312447
    A[5, 4] = -2420307481369 / 24731958684496
    return A
