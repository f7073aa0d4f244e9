"""Amplitude spectra of outputs.

    A(f) = 2/Σw |Σ w_k (x_k − x̄) e^{−2πi f t_k}|,   w a window

so that a sine of amplitude A gives a peak of height A.  Zeros appended make the curve smooth; the
width of a peak is that of the window, about 2/T for Hann's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.results.plots import COLOURS, find, legend, style, title

if TYPE_CHECKING:
    from linkwork.results.result import Result

FINER = 8  # times as many frequencies as samples give
EVEN = 1e-6  # relative difference of steps up to which samples are even


def amplitudes(
    time: np.ndarray, values: np.ndarray, window: str = "hann"
) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies (Hz) and amplitudes of samples over time; uneven ones are interpolated first."""
    from scipy.signal import get_window

    n = len(time)
    if n < 4:
        raise ModelError(f"a spectrum needs at least 4 stored times, found {n}")
    steps = np.diff(time)
    if np.ptp(steps) > EVEN * steps.mean():
        n = max(n, round((time[-1] - time[0]) / float(np.median(steps))))
        even = np.linspace(time[0], time[-1], n)
        time, values = even, np.interp(even, time, values)
    try:
        w = get_window(window, n, fftbins=False)
    except ValueError:
        raise ModelError(
            f"window must be the name of a window of scipy.signal such as 'hann', 'blackman' or "
            f"'boxcar', but {window!r} was given"
        ) from None
    spectrum = np.fft.rfft((values - values.mean()) * w, FINER * n)
    h = (time[-1] - time[0]) / (n - 1)
    return np.fft.rfftfreq(FINER * n, h), 2 / w.sum() * np.abs(spectrum)


def plot_spectrum(
    result: Result, *names: str, modes: Any = None, window: str = "hann", log: bool = False,
    to: float | None = None, ax: Any = None,
) -> Any:  # fmt: skip
    """Draw the spectra of outputs, with the eigenfrequencies of `modes` marked; returns the axes.

    The axis ends where the content does (or at the frequency `to`, Hz): behind the last amplitude
    of a hundredth of the largest, or with log=True of a ten-thousandth.

    Example: ``run.spectrum("rod.position.z", modes=lw.eigen(m))``
    """
    import matplotlib.pyplot as plt

    if not names:
        raise ModelError('spectrum needs a name such as "rod.position"')
    curves = [curve for name in names for curve in find(result, name)]
    if ax is None:
        figure, ax = plt.subplots(layout="constrained", figsize=(7.2, 3.8))
        title(figure, str(result.info["model"]))
    ax.set_prop_cycle(color=COLOURS)
    moving = [c for c in curves if np.ptp(c.values) > 1e-12 * np.abs(c.values).max(initial=0.0)]
    spectra = [amplitudes(result.time, curve.values, window) for curve in moving]
    for curve, (f, a) in zip(moving, spectra):
        ax.plot(f[1:], a[1:], label=curve.label, linewidth=1.4)
    if log and moving:
        ax.set_yscale("log")
        top = max(a[1:].max() for _, a in spectra)
        ax.set_ylim(1e-6 * top, 3 * top)
    elif moving:
        ax.set_ylim(bottom=0)
    end = to if to is not None else content_end(spectra, 1e-4 if log else 1e-2)
    if modes is not None:
        _mark(ax, modes, end)
    units = ", ".join(dict.fromkeys(c.units for c in curves if c.units not in ("", "1")))
    ax.set_xlabel("frequency (Hz)")
    ax.set_ylabel(f"amplitude ({units})" if units else "amplitude")
    ax.set_xlim(0, end if end else None)
    style(ax)
    legend(ax)
    return ax


def content_end(spectra: list[tuple[np.ndarray, np.ndarray]], share: float) -> float:
    """A little behind the last frequency whose amplitude is that share of the largest."""
    ends = [f[1:][a[1:] >= share * a[1:].max()].max() for f, a in spectra if a[1:].any()]
    last = max((float(f[-1]) for f, _ in spectra), default=0.0)
    return min(1.25 * max(ends, default=0.0), last)


def _mark(ax: Any, modes: Any, end: float) -> None:
    """Dashed lines at the eigenfrequencies that the axis reaches."""
    for k, f in enumerate([f for f in modes.frequency if 0 < f <= end]):
        label = "eigenfrequencies" if k == 0 else None
        ax.axvline(f, color="#888888", linestyle="--", linewidth=0.9, label=label)
