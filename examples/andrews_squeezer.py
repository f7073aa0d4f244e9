"""Andrews' squeezing mechanism: seven bodies in the plane, driven to 1500 rad/s in 30 ms.

The classical test of mechanism codes: W. Schiehlen (ed.), Multibody Systems Handbook (1990);
E. Hairer, G. Wanner, Solving ODEs II, section VII.7; the IVP test set.  A motor turns the crank K1
at O; K2 drives the common point E of three loops that end at B (with a spring to C) and twice at A.

Reference: the IVP test set gives the crank angle β = 15.81077119629904 at t = 0.03 s, and the crank
end F is then at (-6.963039427e-3, -7.183884307e-4) m (recomputed; docs/references.md, section 2).

Seven hinges make a tree; the three that close the loops are points on lines (two rows each), so
that no row repeats another.
"""

from math import cos, sin
from pathlib import Path

import numpy as np

import linkwork as lw

#         β, Θ, γ, Φ, δ, Ω, ε at the start
ANGLES = (-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
          0.487364979543842550, -0.222668390165885885, 1.23054744454982119)  # fmt: skip
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
O, A, B = np.array([(0, 0, 0), (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0)])
C = (0.014, 0.072, 0)
RR, D, E, ZT, ZF, U = 0.007, 0.028, 0.02, 0.04, 0.02, 0.04  # lengths, m


def build(torque: float = 0.033) -> lw.Model:
    beta, Theta, gamma, Phi, delta, Omega, epsilon = ANGLES
    m = lw.Model("Andrews' squeezer")

    def turned(angle: float, x: float, y: float) -> np.ndarray:
        return np.array([cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y, 0])

    def body(k: int, angle: float, pin: np.ndarray, x: float, y: float) -> lw.Body:
        """Body k turned by an angle, its centre of mass at (x, y) from a pin in its own axes."""
        J = INERTIA[k - 1]
        return m.add(f"K{k}", lw.Body(
            MASS[k - 1], (J / 2, J / 2, J), position=pin + turned(angle, x, y),
            orientation=(cos(angle / 2), 0, 0, sin(angle / 2))))  # fmt: skip

    F = turned(beta, RR, 0)
    e = F - turned(beta + Theta, D, 0)
    G, H = A + turned(delta, ZT, 0), A + turned(epsilon, 0, -U)
    K1 = body(1, beta, O, 0.00092, 0)
    K2 = body(2, beta + Theta, F, -0.0115, 0)
    K3 = body(3, gamma, B, 0.01043, -0.01874)
    K4 = body(4, Phi + delta, G, 0, 0.01421 - E)
    K5 = body(5, delta, A, 0.02308, 0.00916)
    K6 = body(6, Omega + epsilon, H, ZF - 0.01421, 0)
    K7 = body(7, epsilon, A, 0.01228, -0.00449)

    tree = {"O": (lw.GROUND, K1, O), "F": (K1, K2, F), "B": (lw.GROUND, K3, B), "G": (K5, K4, G),
            "A5": (lw.GROUND, K5, A), "H": (K7, K6, H), "A7": (lw.GROUND, K7, A)}  # fmt: skip
    for name, (a, b, point) in tree.items():
        m.add(name, lw.Revolute(a, b, at=point, axis=(0, 0, 1)))
    for name, end in {"E3": K3, "E4": K4, "E6": K6}.items():
        m.add(name, lw.PointOnLine(K2, end, at=e, axis=(0, 0, 1)))

    m.add("spring", lw.Spring(
        lw.GROUND, K3, at_a=C, at_b=B + turned(gamma, 0.02, -0.018), stiffness=4530,
        length=0.07785))  # fmt: skip
    m.add("motor", lw.Torque(K1, (0, 0, torque)))
    return m


model = build()
time, step = 0.03, 5e-06  # seconds, for `linkwork run`


def angles(run: lw.Result) -> np.ndarray:
    """(time, 7): the seven angles β, Θ, γ, Φ, δ, Ω, ε of the literature."""
    joints = ("O", "F", "B", "G", "A5", "H", "A7")
    return np.column_stack([run[j].angle + q for j, q in zip(joints, ANGLES)])


def crank_end(run: lw.Result) -> np.ndarray:
    """(time, 2): the point F."""
    return run["K1"].point((RR - 0.00092, 0, 0)).values[:, :2]


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=0.03, h=5e-6, progress=False)
    F, q = crank_end(run)[-1], angles(run)[-1]
    drift = float(np.abs(run.energy.balance).max())
    print(f"at t = 0.03 s the crank end is at ({1e3 * F[0]:.6f}, {1e3 * F[1]:.6f}) mm")
    print(f"crank angle {q[0]:.6f} rad; energy balance within {drift:.1e} J")
    assert np.allclose(F, (-6.963039427e-3, -7.183884307e-4), rtol=0, atol=2e-7)
    assert abs(q[0] - 15.81077119629904) < 3e-5

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("B.angle", "G.angle", "H.angle", "spring.force")
        plt.savefig("examples/output/andrews_squeezer.png")
    return {"x": float(F[0]), "y": float(F[1]), "beta": float(q[0]), "drift": drift}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
