"""The anchor chain pulled at its middle: the spectrum of what follows shows its modes.

Twenty thin rigid links hang between A(0, 0, 0) and B(10, 0, 0) on universal joints, as in
`anchor_chain.py`.  Their middle is pulled for 5 s, along x, y and z in turn; the motion after the
first 10 s is taken apart into its frequencies.  As in Peng, Tasora, Fusai, Mangoni, "A unified
analytical expression of the tangent stiffness matrix of holonomic constraints", section 4.2.2 and
figure 6, a pull along x excites the second mode, along y the first and the fourth, along z the
third.  The peaks must be the eigenfrequencies within 2 %.
"""

import math
from pathlib import Path

import numpy as np

import linkwork as lw

LINKS = 20
MODES = {"x": (1,), "y": (0, 3), "z": (2,)}  # that a pull of the middle along x, y, z excites
PULL = 1.0  # N; the chain weighs 153 N


def build(links: int = LINKS, pull: tuple = (0, 0, 0)) -> lw.Model:
    """The chain as a V; `pull` is a force on its middle during the first 5 s."""
    m = lw.Model("anchor chain", gravity=(0, 0, -9.81))
    points = np.column_stack([np.linspace(0, 10, links + 1), np.zeros((links + 1, 2))])
    points[:, 2] = -6 + 1.2 * np.abs(points[:, 0] - 5)
    last, y = lw.GROUND, np.array([0.0, 1.0, 0.0])
    for k, (p, q) in enumerate(zip(points, points[1:])):
        across = np.cross(q - p, y)  # the other arm: in the plane, perpendicular to the link
        length = float(np.linalg.norm(q - p))  # and as many kilograms
        link = m.add(f"link {k}", lw.Body.link(p, q, radius=1e-3, mass=length))
        m.add(f"joint {k}", lw.Universal(last, link, at=p, axis_a=y, axis_b=across))
        last = link
    end = lw.Universal(lw.GROUND, last, at=points[-1], axis_a=y, axis_b=across)
    m.add(f"joint {links}", end)
    lowest = lw.Frame(m[f"link {links // 2}"], (0, 0, -length / 2))
    m.add("pull", lw.Force(lowest, pull, drive=lw.expression("t < 5")))
    return m


model = build(pull=(0, PULL, 0))
time, step = 20, 0.01  # seconds, for `linkwork run`


def spectrum(values: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies in Hz and amplitudes (Hann's window, padded with zeros to interpolate)."""
    n = 16 * len(values)
    windowed = (values - values.mean()) * np.hanning(len(values))
    return np.fft.rfftfreq(n, h), np.abs(np.fft.rfft(windowed, n))


def peak_near(f: np.ndarray, amplitude: np.ndarray, frequency: float) -> float:
    """The highest peak within 10 % of a frequency."""
    near = np.flatnonzero(np.abs(f / frequency - 1) < 0.1)
    highest = near[amplitude[near].argmax()]
    assert near[0] < highest < near[-1], f"no peak near {frequency:.4f} Hz"
    assert amplitude[highest] > 0.02 * amplitude.max()
    return float(f[highest])


def main(plot: bool = False) -> dict[str, float]:
    hanging = lw.static(build(), progress=False)
    modes = lw.eigen(build(), at=hanging.state, n=4)
    peaks, spectra = {}, {}
    for axis, direction in zip("xyz", np.eye(3)):
        pulled = build(pull=PULL * direction)
        run = lw.transient(pulled, t=100, h=0.01, start=hanging.state, progress=False)
        middle = run[f"link {LINKS // 2}"].point((0, 0, -math.sqrt(61) / LINKS)).sel(xyz=axis)
        f, amplitude = spectra[axis] = spectrum(middle.sel(time=slice(10, None)).values, 0.01)
        for k in MODES[axis]:
            peaks[f"{axis} {k + 1}"] = found = peak_near(f, amplitude, modes.frequency[k])
            print(f"pulled along {axis}: peak at {found:.4f} Hz, mode {k + 1}")
            assert abs(found / modes.frequency[k] - 1) < 0.02
        assert abs(f[amplitude.argmax()] / modes.frequency[MODES[axis][0]] - 1) < 0.02

    if plot:
        draw(modes.frequency, spectra)
    return peaks


def draw(frequency: np.ndarray, spectra: dict) -> None:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, sharey=True, figsize=(10, 3), layout="constrained")
    for panel, (axis, (f, amplitude)) in zip(panels, spectra.items()):
        shown = (f > 0.1) & (f < 0.9)
        panel.vlines(frequency, 0, 1.05, colors="0.8", linestyles="dashed", linewidth=1)
        panel.plot(f[shown], amplitude[shown] / amplitude.max(), color="#0072b2")
        for k, x in enumerate(frequency):
            panel.text(x, 1.07, str(k + 1), ha="center", color="0.4", fontsize=9)
        panel.set(xlim=(0.1, 0.9), ylim=(0, 1.16), xlabel="frequency (Hz)")
        panel.set_title(f"pulled along {axis}", fontsize=10)
    panels[0].set_ylabel("amplitude of the middle")
    Path("examples/output").mkdir(parents=True, exist_ok=True)
    figure.savefig("examples/output/anchor_chain_pulled.png", dpi=110)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
