"""An anchor chain between two points: the catenary it hangs in, and the frequencies it swings with.

Twenty thin rigid links hang between (0, 0, 0) and (10, 0, 0).  Constant velocity joints free the
two bending rotations and hold torsion (the last one is a ball: held at both ends, torsion would
stiffen the chain).  The chain is described as a straight V through (5, 0, -6); statics lets it drop
into the catenary, where the horizontal force is the same in every joint.  All of its stiffness is
constraint stiffness.

Frequencies of ideal thin links: 0.24355, 0.32253, 0.44276, 0.57885 Hz (recomputed independently;
docs/references.md, section 1).  To see them in the nonlinear motion the middle is pulled for 5 s,
along x, y and z in turn, as in Peng, Tasora, Fusai, Mangoni, section 4.2; the peak of the spectrum
of what follows must be a mode that moves the middle that way, within 2 %.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

LINKS = 20
REFERENCE = (0.24355, 0.32253, 0.44276, 0.57885)
MODE = {"x": 1, "y": 0, "z": 3}  # the lowest mode that moves the middle along x, y, z


def build(links: int = LINKS, pull: tuple = (0, 0, 0)) -> lw.Model:
    """The chain as a V; `pull` is a force on its middle during the first 5 s."""
    m = lw.Model("anchor chain", gravity=(0, 0, -9.81))
    points = np.column_stack([np.linspace(0, 10, links + 1), np.zeros((links + 1, 2))])
    points[:, 2] = -6 + 1.2 * np.abs(points[:, 0] - 5)
    last = lw.GROUND
    for k, (p, q) in enumerate(zip(points, points[1:])):
        length = float(np.linalg.norm(q - p))  # and as many kilograms
        link = m.add(f"link {k}", lw.Body.link(p, q, radius=1e-3, mass=length))
        m.add(f"joint {k}", lw.Homokinetic(last, link, at=p, axis=q - p))
        last = link
    m.add(f"joint {links}", lw.Spherical(last, lw.GROUND, at=points[-1]))
    middle = m[f"link {links // 2}"]
    lowest = lw.Frame(middle, (0, 0, -length / 2))
    m.add("pull", lw.Force(lowest, pull, drive=lw.expression("t < 5")))
    return m


model = build()
time, step = 20, 0.01  # seconds, for `linkwork run`


def spectrum(values: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies in Hz and amplitudes (Hann's window, padded with zeros to interpolate)."""
    n = 16 * len(values)
    windowed = (values - values.mean()) * np.hanning(len(values))
    return np.fft.rfftfreq(n, h), np.abs(np.fft.rfft(windowed, n))


def main(plot: bool = False) -> dict[str, float]:
    hanging = lw.static(model, progress=False)
    force = np.array([hanging[f"joint {k}"].force_world[0] for k in range(LINKS)])
    print(f"horizontal force {force.mean():.6f} N, differs by {np.ptp(force):.1e} N between joints")
    assert hanging.stable and np.ptp(force) < 1e-9 * abs(force.mean())

    modes = lw.eigen(model, at=hanging.state, n=6)
    print("eigenfrequencies (Hz)", modes.frequency.round(5))
    assert np.allclose(modes.frequency[:4], REFERENCE, rtol=0, atol=5.1e-6)

    peaks, spectra = {}, {}
    for axis, direction in zip("xyz", np.eye(3)):
        pulled = build(pull=5.0 * direction)
        run = lw.transient(pulled, t=100, h=0.01, start=hanging.state, progress=False)
        middle = run[f"link {LINKS // 2}"].position.sel(xyz=axis)
        f, amplitude = spectra[axis] = spectrum(middle.sel(time=slice(10, None)).values, 0.01)
        peaks[axis] = float(f[amplitude.argmax()])
        expected = modes.frequency[MODE[axis]]
        print(f"pulled along {axis}: swings at {peaks[axis]:.4f} Hz, mode {expected:.4f} Hz")
        assert abs(peaks[axis] / expected - 1) < 0.02

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        figure, panels = plt.subplots(3, 1, sharex=True, layout="constrained", figsize=(7, 6))
        for panel, (axis, (f, amplitude)) in zip(panels, spectra.items()):
            panel.plot(f, amplitude / amplitude.max())
            panel.vlines(modes.frequency, 0, 1, colors="0.7", linestyles="dashed")
            panel.set(ylabel=f"pulled along {axis}", xlim=(0, 1))
        panels[-1].set_xlabel("frequency, Hz (dashed: eigenfrequencies)")
        figure.savefig("examples/output/anchor_chain.png")
    return {"force": float(force.mean()), **{f"peak {axis}": p for axis, p in peaks.items()}}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
