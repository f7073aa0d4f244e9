"""The state of the air at a place: velocity, its gradient, density and speed of sound.

    v(x, t) = v₀(t) + Σ gusts(x, t) − u₀(t) − w₀(t) × x

u₀ and w₀ are velocity and angular velocity of the frame in which the model is described, in its
own axes (MBDyn's theory manual, 8.1.7).  With the path s = c (t − t₀) − n·x that the front of a
gust has gone beyond the place x, at the speed c in the direction n, and a vector d of velocities,

    one minus cosine   d/2 (1 − cos 2πs/L)  for 0 < s < L
    sharp              d s/L for 0 < s < L, d beyond
    harmonic           d sin 2πs/L for s > 0
    power law          d (h/h₀)^m,  h = n·x − h_g the height above the ground
    logarithmic        d ln(h/z₀)/ln(h₀/z₀)
    profile            d g(s + s₀), g a drive, called by its address with its slope

A function of the user is called by its address; its gradient is found by central differences.

Standard atmosphere (ISO 2533), h in m above the sea: T = T₀ − 0.0065 h up to 11 km, 216.65 K up to
20 km, then 0.001 K/m more; dp/dh = −ρ g, ρ = p/(R T), a² = 1.4 R T.

reals of the air: density, speed of sound, viscosity, whether standard, the direction up, altitude
of the origin, v₀, u₀, w₀, and of each gust n, d and four numbers.
integers: the number of gusts, and of each its kind and the address of its function.
"""

from __future__ import annotations

import math

from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.pointers import call
from linkwork.kernels.record import record
from linkwork.kernels.vectors import add, cross, dot, madd, mscale, outer, scale, skew, sub

RHO, SOUND, VISCOSITY, STANDARD, UP, ALTITUDE, V0, FRAME_V, FRAME_W, AIR = record(
    rho=1, sound=1, viscosity=1, standard=1, up=3, altitude=1, v0=3, frame_v=3, frame_w=3, air=0,
)  # fmt: skip
GUST_REALS = record(normal=3, vector=3, speed=1, start=1, length=1, other=1)
NORMAL, VECTOR, SPEED, START, LENGTH, OTHER = GUST_REALS
GUST = GUST_REALS.width
GUST_COUNT, GUSTS = record(gust_count=1, gusts=0)
GUST_CODES = record(kind=1, function_at=1)
KIND, FUNCTION_AT = GUST_CODES
CODES = GUST_CODES.width
ONE_MINUS_COSINE, SHARP, HARMONIC, POWER_LAW, LOGARITHMIC, FUNCTION, PROFILE = range(1, 8)
STEP = 2.0**-18
GAS, G0, GAMMA = 287.05287, 9.80665, 1.4
T_SEA, P_SEA, LAPSE, H_TROPO, T_TROPO, H_STRATO, RISE = (
    288.15, 101325.0, 0.0065, 11000.0, 216.65, 20000.0, 0.001
)  # fmt: skip
P_TROPO = P_SEA * (T_TROPO / T_SEA) ** (G0 / (GAS * LAPSE))
P_STRATO = P_TROPO * math.exp(-G0 * (H_STRATO - H_TROPO) / (GAS * T_TROPO))
VISCOSITY_SEA = 1.7894e-5
NONE9 = (0.0,) * 9


@inlined
def standard_air(h):
    """Density and speed of sound at an altitude, and their slopes."""
    if h < H_TROPO:
        T, slope = T_SEA - LAPSE * h, -LAPSE
        p = P_SEA * (T / T_SEA) ** (G0 / (GAS * LAPSE))
    elif h < H_STRATO:
        T, slope = T_TROPO, 0.0
        p = P_TROPO * math.exp(-G0 * (h - H_TROPO) / (GAS * T_TROPO))
    else:
        T, slope = T_TROPO + RISE * (h - H_STRATO), RISE
        p = P_STRATO * (T / T_TROPO) ** (-G0 / (GAS * RISE))
    rho = p / (GAS * T)
    sound = math.sqrt(GAMMA * GAS * T)
    return rho, sound, -rho * (G0 / (GAS * T) + slope / T), 0.5 * sound * slope / T


@inlined
def travelling(kind, s, L):
    """The part of a gust's vector at the path s of its front, and its slope."""
    if s <= 0.0:
        return 0.0, 0.0
    k = 2.0 * math.pi / L
    if kind == ONE_MINUS_COSINE:
        if s >= L:
            return 0.0, 0.0
        return 0.5 * (1.0 - math.cos(k * s)), 0.5 * k * math.sin(k * s)
    if kind == HARMONIC:
        return math.sin(k * s), k * math.cos(k * s)
    if s >= L:
        return 1.0, 0.0
    return s / L, 1.0 / L


@inlined
def sheared(kind, h, h0, m):
    """The part of a profile's vector at the height h, and its slope; m: exponent, or roughness."""
    if kind == POWER_LAW:
        if h <= 0.0:
            return 0.0, 0.0
        part = (h / h0) ** m
        return part, m * part / h
    if h <= m:
        return 0.0, 0.0
    return math.log(h / m) / math.log(h0 / m), 1.0 / (h * math.log(h0 / m))


@inlined
def gusts(codes, reals, k, c, a, x, t, given, found):
    """Velocity of all gusts at x, and its gradient."""
    v, G = (0.0, 0.0, 0.0), NONE9
    for i in range(codes[k, c + GUST_COUNT]):
        g, q = a + AIR + GUST * i, c + GUSTS + CODES * i
        kind, function = codes[k, q + KIND], codes[k, q + FUNCTION_AT]
        n = (reals[k, g + NORMAL], reals[k, g + NORMAL + 1], reals[k, g + NORMAL + 2])
        d = (reals[k, g + VECTOR], reals[k, g + VECTOR + 1], reals[k, g + VECTOR + 2])
        if kind == FUNCTION:
            at = asked(function, x, t, given, found)
            v = add(v, at)
            for j in range(3):
                e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
                h = STEP * (1.0 + abs(x[j]))
                up = asked(function, add(x, scale(h, e)), t, given, found)
                down = asked(function, sub(x, scale(h, e)), t, given, found)
                G = madd(G, outer(scale(0.5 / h, sub(up, down)), e))
        elif kind == PROFILE:
            s = reals[k, g + SPEED] * (t - reals[k, g + START]) - dot(n, x) + reals[k, g + OTHER]
            call(function, s, given, found)
            v = add(v, scale(found[0], d))
            G = madd(G, mscale(-found[1], outer(d, n)))
        elif kind >= POWER_LAW:
            part, slope = sheared(
                kind, dot(n, x) - reals[k, g + START], reals[k, g + LENGTH], reals[k, g + OTHER]
            )
            v, G = add(v, scale(part, d)), madd(G, mscale(slope, outer(d, n)))
        else:
            s = reals[k, g + SPEED] * (t - reals[k, g + START]) - dot(n, x)
            part, slope = travelling(kind, s, reals[k, g + LENGTH])
            v, G = add(v, scale(part, d)), madd(G, mscale(-slope, outer(d, n)))
    return v, G


@inlined
def asked(function, x, t, given, found):
    """The user's function at x."""
    given[0], given[1], given[2] = x
    call(function, t, given, found)
    return (found[0], found[1], found[2])


@inlined
def air_at(codes, reals, k, c, a, x, t, given, found):
    """Velocity, its gradient, density and speed of sound with their slopes along `up`; the air
    begins at the columns c of the integers and a of the reals."""
    v0 = (reals[k, a + V0], reals[k, a + V0 + 1], reals[k, a + V0 + 2])
    u0 = (reals[k, a + FRAME_V], reals[k, a + FRAME_V + 1], reals[k, a + FRAME_V + 2])
    w0 = (reals[k, a + FRAME_W], reals[k, a + FRAME_W + 1], reals[k, a + FRAME_W + 2])
    v, G = sub(sub(v0, u0), cross(w0, x)), mscale(-1.0, skew(w0))
    if codes[k, c + GUST_COUNT] > 0:
        blown, bent = gusts(codes, reals, k, c, a, x, t, given, found)
        v, G = add(v, blown), madd(G, bent)
    rho, sound, drho, dsound = reals[k, a + RHO], reals[k, a + SOUND], 0.0, 0.0
    if reals[k, a + STANDARD] != 0.0:
        up = (reals[k, a + UP], reals[k, a + UP + 1], reals[k, a + UP + 2])
        rho, sound, drho, dsound = standard_air(reals[k, a + ALTITUDE] + dot(up, x))
    return v, G, rho, sound, drho, dsound
