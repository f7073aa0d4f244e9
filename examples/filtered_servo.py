"""A cart that a controller holds through a filter: when does the loop swing up?

A cart of 2 kg on a slide is pulled back with 40 N/m and braked with 6 N s/m, but the controller
sees its position and velocity only through a Butterworth filter of second order with the cut-off Ω:

    2 ẍ = −40 y − 6 ẏ,      ÿ + √2 Ω ẏ + Ω² y = Ω² x

The filter is a StateSpace with two states of first order; its input is a reading of the cart, and
the force on the cart is made of readings of its states.  The characteristic polynomial

    2 s² (s² + √2 Ω s + Ω²) + Ω² (6 s + 40) = 0

has, by Routh's criterion, roots ±iω with ω² = 6 Ω/(2 √2) for Ω = 40 √2/6 + 6/(2 √2) = 11.55 rad/s:
a filter that is faster keeps the loop stable, a slower one does not.
"""

import math
from pathlib import Path

import numpy as np

import linkwork as lw

STIFFNESS, DAMPING, MASS = 40.0, 6.0, 2.0


def build(cutoff: float = 25.0) -> lw.Model:
    """The loop with a filter of this cut-off frequency in rad/s."""
    m = lw.Model("filtered servo")
    cart = m.add("cart", lw.Body(MASS, (1, 1, 1), position=(0.1, 0, 0)))
    m.add("slide", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    A = [[0.0, 1.0], [-(cutoff**2), -math.sqrt(2) * cutoff]]
    seen = lw.reads(cart, "position", "x")
    low_pass = m.add("filter", lw.StateSpace(A, [[0.0], [cutoff**2]], [seen], start=[0.1, 0.0]))
    force = -1.0 * low_pass.output([STIFFNESS, DAMPING])
    m.add("servo", lw.Force(cart, (1, 0, 0), drive=force))
    return m


def roots(cutoff: float) -> np.ndarray:
    """Of the characteristic polynomial."""
    W = cutoff
    return np.roots([
        MASS, MASS * math.sqrt(2) * W, MASS * W**2, DAMPING * W**2, STIFFNESS * W**2
    ])  # fmt: skip


def limit() -> float:
    """The cut-off frequency with roots on the imaginary axis: ω² = c Ω/(√2 m), by Routh."""
    return math.sqrt(2) * STIFFNESS / DAMPING + DAMPING / (math.sqrt(2) * MASS)


model = build()
time, step = 4, 0.002  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    largest = 0.0
    for cutoff in (5.0, limit(), 25.0):
        rest = build(cutoff)
        rest["cart"].position, rest["filter"].start = (0, 0, 0), [0.0, 0.0]
        found = lw.eigen(rest).eigenvalues
        exact = roots(cutoff)
        exact = exact[exact.imag >= -1e-9]
        for value in exact:
            largest = max(largest, float(np.abs(found - value).min() / np.abs(value)))
    assert largest < 1e-6

    run = lw.transient(build(limit()), t=4.0, h=1e-3, progress=False)
    frequency = math.sqrt(DAMPING * limit() / (math.sqrt(2) * MASS))
    x = run["cart"].position.values[:, 0]
    turns = np.flatnonzero(np.diff(np.sign(x)))[2:]  # without what dies away at first
    half = np.diff(run.time[turns]).mean()
    assert abs(math.pi / half - frequency) < 0.02 * frequency
    runs = [lw.transient(build(w), t=4.0, h=1e-3, progress=False) for w in (5.0, 25.0)]
    slow, fast = (np.abs(r["cart"].position.values[-1500:, 0]).max() for r in runs)
    assert slow > 0.1 > 10 * fast
    print(f"with a cut-off of {limit():.2f} rad/s the loop swings at {math.pi / half:.3f} rad/s, "
          f"and at {frequency:.3f} rad/s by Routh; eigenvalues within {largest:.0e}")  # fmt: skip
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("cart.position")
        plt.savefig("examples/output/filtered_servo.png")
    return {"error of eigenvalues": largest, "limit (rad/s)": limit(), "swings at": math.pi / half}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
