"""Makes the pictures of the README from the package itself: python -m docs.pictures.images"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import linkwork as lw
from linkwork.demo import run_demo
from linkwork.results.plots import COLOURS, GREY, LIGHT

IMAGES = Path(__file__).parent.parent / "images"


def pendulum() -> Any:
    """The run of the README's first example."""
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    return lw.transient(m, t=5, h=1e-3, progress=False)


def draw_swing(ax: Any, run: Any) -> None:
    """The rod every 40 ms of its first half swing, darker as time goes on."""
    tip = run["rod"].point((0, 0, 0.5)).values
    half = int(np.argmin(tip[:1200, 0]))
    frames = range(0, half + 1, 40)
    for k, i in enumerate(frames):
        shade = 0.15 + 0.85 * k / len(frames)
        ax.plot([0, tip[i, 0]], [0, tip[i, 2]], color=COLOURS[0], alpha=shade, linewidth=3,
                solid_capstyle="round")  # fmt: skip
    ax.plot(tip[: half + 1, 0], tip[: half + 1, 2], color=LIGHT, linewidth=1, zorder=0)
    ax.plot(0, 0, "o", markersize=9, markerfacecolor="white", markeredgecolor=GREY, zorder=5)
    ax.set_aspect("equal")
    ax.set_xlim(-1.08, 1.08)
    ax.set_ylim(-1.08, 0.12)
    ax.axis("off")
    ax.set_title("the rod every 40 ms", color=GREY, fontsize=11)


def draw_pendulum(path: Path) -> None:
    run = pendulum()
    figure = plt.figure(figsize=(11, 4.6), layout="constrained")
    axes = figure.subplot_mosaic("sp;sf", width_ratios=(1.0, 1.25))
    draw_swing(axes["s"], run)
    run.plot("rod.position.x", "rod.position.z", ax=axes["p"])
    run.plot("pin.force_world.x", "pin.force_world.z", ax=axes["f"])
    axes["p"].tick_params(labelbottom=False)
    axes["p"].set_xlabel("")
    axes["p"].set_ylabel("position (m)")
    axes["f"].set_ylabel("pin force (N)")
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    draw_pendulum(IMAGES / "pendulum.png")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(run_demo(folder) / "quarter-car.png", IMAGES / "quarter-car.png")


if __name__ == "__main__":
    main()
