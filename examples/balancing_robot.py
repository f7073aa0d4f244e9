"""A two-wheeled robot that balances: a sampled state feedback in Python, called 100 times a second.

The wheels roll without slip, so that a motor torque T on them pushes the axle with T/r and turns
the body with −T; their inertia counts as mass J/r² of the axle, which moves on a rail.  With the
axle's place x and the body's lean θ from the vertical,

    (M + m) ẍ + m l (θ̈ cos θ − θ̇² sin θ) = T/r
    (I + m l²) θ̈ + m l ẍ cos θ − m g l sin θ = −T

The gains are those of the linear quadratic regulator of the sampled, linearised plant (Åström,
Wittenmark, Computer-Controlled Systems, 3rd ed., ch. 11).  The robot starts at a lean of 12° and
drives half a metre forward.  The run is compared with these equations, integrated to 1e-10 from
sample to sample with the torque held; the torque is limited to what the motors give.
"""

import math
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm, solve_discrete_are

import linkwork as lw

AXLE, BODY, INERTIA, LENGTH, RADIUS, GRAVITY = 2.0, 6.0, 0.25, 0.35, 0.1, 9.81
PERIOD, LEAN, GOAL, MOST = 0.01, math.radians(12), 0.5, 1.7


def gains() -> np.ndarray:
    """K of T = K (x − goal, θ, ẋ, θ̇), for the plant with the torque held over a period."""
    A2 = np.array([[AXLE + BODY, BODY * LENGTH], [BODY * LENGTH, INERTIA + BODY * LENGTH**2]])
    stiff = np.linalg.solve(A2, np.array([[0, 0], [0, BODY * GRAVITY * LENGTH]]))
    push = np.linalg.solve(A2, np.array([1 / RADIUS, -1.0]))
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:], A[2:, :2], B[2:, 0] = np.eye(2), stiff, push
    held = expm(PERIOD * np.block([[A, B], [np.zeros((1, 5))]]))
    F, G = held[:4, :4], held[:4, 4:]
    Q, R = np.diag([20.0, 1.0, 1.0, 0.1]), np.array([[0.05]])
    P = solve_discrete_are(F, G, Q, R)
    return -np.linalg.solve(R + G.T @ P @ G, G.T @ P @ F)[0]


K = gains()


def feedback(t: float, x: np.ndarray) -> float:
    """The motor torque from place, lean and their rates."""
    torque = K @ (x - np.array([GOAL, 0, 0, 0]))
    return float(min(max(torque, -MOST), MOST))


def build() -> lw.Model:
    m = lw.Model("balancing robot", gravity=(0, 0, -GRAVITY))
    axle = m.add("axle", lw.Body(AXLE, (0.01, 0.01, 0.01)))
    up = LENGTH * np.array([math.sin(LEAN), 0, math.cos(LEAN)])
    turn = [math.cos(LEAN / 2), 0, math.sin(LEAN / 2), 0]
    body = m.add("body", lw.Body(BODY, (INERTIA, INERTIA, 0.05), position=up, orientation=turn))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, axle, at=(0, 0, 0), axis=(1, 0, 0)))
    upright = lw.Frame(body, (0, 0, -LENGTH), [math.sqrt(0.5), -math.sqrt(0.5), 0, 0])
    level = lw.Frame(axle, (0, 0, 0), [math.sqrt(0.5), -math.sqrt(0.5), 0, 0])
    pin = m.add("pin", lw.Revolute(level, upright))  # z of both frames is the world's y
    sensors = [lw.reads(rail, "displacement"), lw.reads(pin, "angle"),
               lw.reads(rail, "speed"), lw.reads(pin, "rate")]  # fmt: skip
    control = lw.Controller(feedback, sensors, ["torque"], every=PERIOD)
    m.add("traction", lw.JointForce(rail, (1 / RADIUS) * control["torque"]))
    m.add("motor", lw.Torque(body, (0, -1, 0), drive=control["torque"]))
    return m


model = build()
time, step = 4.0, PERIOD / 10  # for `linkwork run`


def minimal(samples: int) -> np.ndarray:
    """x, θ and their rates at the samples, from the two equations of motion."""
    y, found = np.array([0.0, LEAN, 0.0, 0.0]), []

    def rate(_: float, y: np.ndarray, T: float) -> np.ndarray:
        c, s = math.cos(y[1]), math.sin(y[1])
        mixed = BODY * LENGTH * c
        A = np.array([[AXLE + BODY, mixed], [mixed, INERTIA + BODY * LENGTH**2]])
        b = [T / RADIUS + BODY * LENGTH * y[3] ** 2 * s, BODY * GRAVITY * LENGTH * s - T]
        return np.array([y[2], y[3], *np.linalg.solve(A, b)])

    for _ in range(samples + 1):
        found.append(y)
        T = feedback(0.0, y)
        y = solve_ivp(rate, (0, PERIOD), y, args=(T,), rtol=1e-10, atol=1e-12).y[:, -1]
    return np.array(found)


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(build(), t=time, h=step, progress=False)
    expected = minimal(round(time / PERIOD))
    x, lean = run["rail"].displacement.values[::10], run["pin"].angle.values[::10]
    error = max(np.abs(x - expected[:, 0]).max(), np.abs(lean - expected[:, 1]).max())
    assert error < 2e-4, error
    half = lw.transient(build(), t=time, h=step / 2, progress=False)
    finer = np.abs(half["rail"].displacement.values[::20] - expected[:, 0]).max()
    coarse = np.abs(x - expected[:, 0]).max()
    assert 3.5 < coarse / finer < 4.5, coarse / finer  # second order, jumps at samples and all
    assert abs(x[-1] - GOAL) < 0.01 and abs(lean[-1]) < 0.01
    torque = run["traction"].force.values * RADIUS
    assert np.abs(torque).max() <= MOST + 1e-12
    print(f"the robot is {abs(x[-1] - GOAL) * 1e3:.1f} mm from its goal after {time:g} s, and used "
          f"up to {np.abs(torque).max():.1f} N m; error {error:.1e}")  # fmt: skip
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("rail.displacement", "pin.angle", "traction.force")
        plt.savefig("examples/output/balancing_robot.png")
    return {"error": float(error), "order": float(np.log2(coarse / finer))}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
