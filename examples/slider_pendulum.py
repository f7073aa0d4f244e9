"""A slider with a pendulum, on a soft or a stiff spring, moved by twelve integrators.

A slider of 1 kg moves along x on a spring and carries a rod of 1 kg and 1 m, at first 60° off the
vertical; the slider starts with 1 m/s.  From Zhang, Zhang, Xing, Masarati, "On the optimization of
n-sub-step composite time integration methods", Nonlinear Dynamics 102 (2020).

Soft spring, 1 N/m: every method is compared with the two equations of motion in x and θ,

    (m₁ + m₂) ẍ + m₂ l (θ̈ cos θ − θ̇² sin θ) + k x = 0
    (J + m₂ l²) θ̈ + m₂ l ẍ cos θ + m₂ g l sin θ = 0

integrated to 1e-12.  Stiff spring, 1e10 N/m: the slider trembles by 10 µm, far faster than a step
of 0.01 s resolves; rho says what becomes of it.  Crank and Nicolson's rule keeps the trembling, the
others end it within some steps and leave a pendulum on a fixed pin.  linkwork warns of energy that
runs on the stiff spring lose (Crank and Nicolson's gains it first), and Euler's on the soft one.
"""

import math
import warnings
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw

MASS, LENGTH, GRAVITY, ANGLE, SPEED = 1.0, 1.0, 9.81, math.radians(60), 1.0
INERTIA, STIFF = MASS * LENGTH**2 / 12, 1e10

DECK = {  # the words of a run in one place, as in an input deck
    "t": 1.0, "h": 0.01,
    "method": lw.MSSTC3(rho=0.6, test="sepnorm", tolerance=1e-8, max_iterations=25),
    "strategy": lw.FactorStrategy(
        reduction=0.5, steps_before_reduction=1, max_iterations=8, growth=1.25,
        steps_before_growth=5, min_iterations=2, smallest=1e-4, largest=0.02),
}  # fmt: skip
METHODS = [
    lw.ImplicitEuler(), lw.CrankNicolson(), lw.BDF(2), lw.MS2(0.6), lw.MS4(0.6), lw.Hope(0.6),
    lw.SS2(0.6), lw.Bathe(0.6), lw.MSSTC5(0.6), lw.MSSTH5(0.6), lw.DIRK33(), lw.DIRK54(),
]  # fmt: skip


def build(stiffness: float = 1.0) -> lw.Model:
    """The slider and its pendulum, with a spring of so many N/m."""
    m = lw.Model("slider-pendulum", gravity=(0, 0, -GRAVITY))
    slider = m.add("slider", lw.Body(MASS, (0.01,) * 3, velocity=(SPEED, 0, 0)))
    down = np.array([math.sin(ANGLE), 0, -math.cos(ANGLE)])
    rod = m.add("rod", lw.Body(MASS, (INERTIA, INERTIA, 1e-4), position=LENGTH / 2 * down,
                               orientation=[math.cos(ANGLE / 2), 0, -math.sin(ANGLE / 2), 0],
                               velocity=(SPEED, 0, 0)))  # fmt: skip
    m.add("rail", lw.Prismatic(lw.GROUND, slider, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("pin", lw.Revolute(slider, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("spring", lw.Bushing(lw.Frame(lw.GROUND), lw.Frame(slider),
                               stiffness=(stiffness, 0, 0, 0, 0, 0)))  # fmt: skip
    return m


model = build()
time, step, method = DECK["t"], DECK["h"], DECK["method"]  # for `linkwork run`


def minimal(t: float, stiffness: float) -> tuple[float, float]:
    """Slider and angle at time t from the equations in x and θ."""

    def rate(_: float, y: np.ndarray, l: float = LENGTH / 2) -> np.ndarray:
        x, a, v, w = y
        mixed = MASS * l * math.cos(a)
        A = np.array([[2 * MASS, mixed], [mixed, INERTIA + MASS * l * l]])
        b = [MASS * l * w * w * math.sin(a) - stiffness * x, -MASS * GRAVITY * l * math.sin(a)]
        return np.array([v, w, *np.linalg.solve(A, b)])

    y = solve_ivp(rate, (0, t), [0, ANGLE, SPEED, 0], method="DOP853", rtol=1e-12, atol=1e-13).y
    return float(y[0, -1]), float(y[1, -1])


def moved(stiffness: float, t: float, integrator: object) -> lw.Result:
    """A run in steps of 0.01 s, with one warning where energy is made or lost, none elsewhere."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", lw.LinkworkWarning)
        run = lw.transient(build(stiffness), t=t, h=0.01, method=integrator, progress=False)
    told = stiffness == STIFF or isinstance(integrator, lw.ImplicitEuler)
    words = "grew by" if isinstance(integrator, lw.CrankNicolson) else "the method took"
    assert [words in str(w.message) for w in heard] == [True] * told
    return run


def main(plot: bool = False) -> dict[str, float]:
    x, a = minimal(DECK["t"], 1.0)
    deck = lw.transient(build(), **DECK, progress=False)
    off = abs(float(deck["slider"].position[-1, 0]) - x)
    longest, count = float(deck.diagnostics["step"].max()), len(deck.time) - 1
    print(f"the deck: {count} steps of up to {longest:.3f} s, slider {1e6 * off:.0f} µm off")
    assert off < 1e-3 and longest > 0.015
    print(f"{'method':14} order   error at 1 s   trembling left after 0.5 s on 1e10 N/m")
    errors, left = {}, {}
    for integrator in METHODS:
        name = type(integrator).__name__
        run = moved(1.0, 1, integrator)
        place = run["slider"].position.values[-1]
        arm = run["rod"].position.values[-1] - place
        errors[name] = float(max(abs(place[0] - x), abs(np.arctan2(arm[0], -arm[2]) - a)))
        stiff = moved(STIFF, 0.5, integrator)
        left[name] = float(np.abs(stiff["slider"].velocity[-5:, 0]).max()) / SPEED
        print(f"{name:14} {integrator.order:5} {errors[name]:14.1e} {left[name]:14.1e}")
    assert max(errors["MSSTH5"], errors["DIRK54"]) < 5e-8 < 1e-6 < errors["DIRK33"] < 1e-4
    assert errors["MSSTC5"] < errors["Bathe"] < errors["MS2"] < errors["BDF"] < 1e-2
    assert left["CrankNicolson"] > 0.9  # the slider's speed stays for good
    assert all(value < 1e-4 for name, value in left.items() if name != "CrankNicolson")
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        figure, axes = plt.subplots(2, 1, figsize=(7, 6), layout="constrained")
        axes[0].bar(list(errors), list(errors.values()), color=[f"C{m.order}" for m in METHODS])
        axes[0].set(yscale="log", ylabel="error at t = 1 s", title="soft spring, h = 0.01 s")
        axes[0].tick_params(axis="x", rotation=45)
        for integrator in (lw.CrankNicolson(), lw.MS2(0.9), lw.MS2(0.6), lw.DIRK33()):
            run = moved(STIFF, 0.3, integrator)
            axes[1].plot(run.time, run["slider"].velocity[:, 0], ".-", label=repr(integrator))
        axes[1].set(xlabel="time in s", ylabel="slider in m/s", title="stiff spring")
        axes[1].legend()
        figure.savefig("examples/output/slider_pendulum.png")
    return {"deck": off, **{f"error {name}": value for name, value in errors.items()}}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
