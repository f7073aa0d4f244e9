"""The demonstration: one corner of a car, from the drawing to a plot.

`linkwork demo` assembles a double-wishbone suspension, finds its ride height and its natural
frequencies, drives it over a speed bump, and leaves a picture and a result file behind.
"""

from __future__ import annotations

import time as clock
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import linkwork as lw
from linkwork.kernels import rotations

if TYPE_CHECKING:
    from rich.console import Console

    from linkwork.analysis.linear.modes import Modes
    from linkwork.results.result import Result

# Points of the suspension, seen from behind: x forward, y outward, z up, in metres.
LOWER_AXIS, LOWER_BALL = np.array([0.0, 0.30, 0.200]), np.array([0.0, 0.70, 0.185])
UPPER_AXIS, UPPER_BALL = np.array([0.0, 0.38, 0.450]), np.array([-0.01, 0.66, 0.485])
ROD_INNER, ROD_OUTER = np.array([0.13, 0.316, 0.250]), np.array([0.13, 0.692, 0.245])
STRUT_FOOT, STRUT_TOP = np.array([0.0, 0.56, 0.190]), np.array([0.0, 0.44, 0.690])
HUB, TYRE_RADIUS, TYRE_WIDTH = np.array([0.0, 0.79, 0.30]), 0.30, 0.20
BUMP_HEIGHT, BUMP_LENGTH, SPEED, BUMP_TIME = 0.06, 1.5, 20 / 3.6, 0.5

RUBBER, STEEL, GREEN, ORANGE, GREY = "#3a3f44", "#0072b2", "#009e73", "#d55e00", "#4a4a4a"
LIGHT = "#d9d9d9"


def quarter_car() -> lw.Model:
    """A car's corner: chassis, two wishbones, upright with wheel, track rod, strut, tyre, road."""
    m = lw.Model("quarter car", gravity=(0, 0, -9.81))
    chassis = m.add("chassis", lw.Body(mass=320, inertia=(60, 60, 60), position=(0, 0, 0.55)))
    lower = m.add("lower arm", lw.Body.link(LOWER_AXIS, LOWER_BALL, 0.02, mass=5))
    upper = m.add("upper arm", lw.Body.link(UPPER_AXIS, UPPER_BALL, 0.015, mass=3))
    upright = m.add("upright", lw.Body(mass=36, inertia=(1.1, 1.8, 1.1), position=HUB))
    road = m.add("road", lw.Body(mass=1, inertia=(1, 1, 1), position=(0, HUB[1], 0)))

    m.add("heave", lw.Prismatic(lw.GROUND, chassis, at=(0, 0, 0.55), axis=(0, 0, 1)))
    for arm, axis, name in ((lower, LOWER_AXIS, "lower"), (upper, UPPER_AXIS, "upper")):
        for end, x in (("front", 0.15), ("rear", -0.15)):
            place = axis + np.array([x, 0, 0])
            m.add(f"{name} {end} hinge", lw.Revolute(chassis, arm, at=place, axis=(1, 0, 0)))
    m.add("lower ball", lw.Spherical(lower, upright, at=LOWER_BALL))
    m.add("upper ball", lw.Spherical(upper, upright, at=UPPER_BALL))
    m.add("track rod", lw.Distance(chassis, upright, at_a=ROD_INNER, at_b=ROD_OUTER))

    free = float(np.linalg.norm(STRUT_TOP - STRUT_FOOT)) + 0.09
    m.add("strut", lw.Spring(chassis, lower, at_a=STRUT_TOP, at_b=STRUT_FOOT,
                             stiffness=55e3, damping=3.6e3, length=free))  # fmt: skip
    m.add("tyre", lw.Bushing(road, upright, at=HUB, stiffness=(0, 0, 200e3, 0, 0, 0),
                             damping=(0, 0, 150, 0, 0, 0)))  # fmt: skip
    begin, lasts = BUMP_TIME, BUMP_LENGTH / SPEED
    bump = lw.expression(
        f"{BUMP_HEIGHT / 2} * (1 - cos(2 * pi * (t - {begin}) / {lasts}))"
        f" if t > {begin} and t < {begin + lasts} else 0"
    )
    m.add("bump", lw.Actuator(lw.GROUND, road, at=(0, HUB[1], 0), axis=(0, 0, 1),
                              displacement=bump))  # fmt: skip
    return m


# --------------------------------------------------------------------------------- what it does


def run_demo(folder: str | Path = "demo-output", console: Console | None = None) -> Path:
    """Run the whole demonstration; returns the folder with the picture and the result file."""
    from rich.console import Console

    say = console or Console(soft_wrap=True, highlight=False)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    began = clock.perf_counter()
    heading(say, "A car's corner on a double-wishbone suspension")
    model = quarter_car()
    say.print(
        "Five bodies, nine joints, a strut (spring and damper) and a tyre, described by the points "
        "on a drawing."
    )
    describe_assembly(say, model)
    rest = describe_equilibrium(say, model)
    modes = describe_modes(say, model, rest)
    run = describe_motion(say, model, rest)
    heading(say, "5  Results")
    picture, data = folder / "quarter-car.png", folder / "quarter-car.nc"
    draw(run, modes, picture)
    run.save(data)
    say.print(f"The picture:   [bold]{picture}[/]")
    say.print(
        f"All numbers:   [bold]{data}[/], read it with lw.load, or with any program that reads "
        "NetCDF."
    )
    say.print(
        f"Done in {clock.perf_counter() - began:.1f} s. The mechanism is the function quarter_car "
        f"in {Path(__file__).name}: change it and run again."
    )
    return folder


def heading(say: Console, text: str) -> None:
    say.print(f"\n[bold]{text}[/]")


def describe_assembly(say: Console, model: lw.Model) -> None:
    from linkwork.analysis.assembly.assemble import assemble_model

    heading(say, "1  Assembly: do the joints fit together?")
    found = assemble_model(model, warn=False)
    rows, left = len(found.full.system.all_rows), len(found.redundancy.dropped)
    freedoms = found.full.system.layout.rigid - found.redundancy.rank
    say.print(
        f"They do. {found.full.system.bodies} bodies could move in "
        f"{found.full.system.layout.rigid} ways, the "
        f"joints forbid {rows}, yet {freedoms} freedoms are left: the car's heave and the wheel's "
        f"travel.\nEach wishbone turns on two hinges in one line, so {left} of the conditions only "
        "repeat others. linkwork leaves these out and says so:"
    )
    for message in found.redundancy.messages:
        say.print(f"  [dim]{message}[/]")


def describe_equilibrium(say: Console, model: lw.Model) -> Any:
    heading(say, "2  Equilibrium: where does it come to rest?")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)  # told above
        rest = lw.static(model)
    sag = 1e3 * (0.55 - float(rest["chassis"].position[2]))
    strut, tyre = float(rest["strut"].force), float(rest["tyre"].force[2])
    say.print(
        f"The car sinks by {sag:.1f} mm ({rest.iterations} Newton iterations, "
        f"{'stable' if rest.stable else 'unstable'}). The strut presses with {-strut:,.0f} N, the "
        f"tyre carries {tyre:,.0f} N: the weight of all that stands on it."
    )
    return rest


def describe_modes(say: Console, model: lw.Model, rest: Any) -> Modes:
    heading(say, "3  Modes: how does it swing?")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        modes = lw.eigen(model, at=rest.state)
        without = lw.eigen(model, at=rest.state, constraint_stiffness=False)
    for name, f, z in zip(("ride, the car on its strut", "wheel hop, the wheel on its tyre"),
                          modes.frequency, modes.damping):  # fmt: skip
        say.print(f"  {f:6.3f} Hz, damping ratio {z:.2f}   {name}")
    size = abs(modes.eigenvalues[0]) / (2 * np.pi)
    wrong = abs(without.eigenvalues[0]) / (2 * np.pi)
    say.print(
        "The loads that the joints carry are part of the stiffness, here a small one: without them "
        f"the undamped ride frequency would come out as {wrong:.3f} instead of {size:.3f} Hz."
    )
    return modes


def describe_motion(say: Console, model: lw.Model, rest: Any) -> Result:
    heading(say, "4  Motion: over a speed bump")
    say.print(
        f"A bump {1e3 * BUMP_HEIGHT:.0f} mm high and {BUMP_LENGTH:g} m long at "
        f"{3.6 * SPEED:.0f} km/h, 3 s of motion in steps of 0.1 ms."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        run = lw.transient(model, t=3, h=1e-4, start=rest.state, every=20, progress="always")
    tyre = run["tyre"].force[:, 2]
    rise = 1e3 * (run["chassis"].position[:, 2] - run["chassis"].position[0, 2])
    balance = np.abs(run.energy.balance.values).max()
    damped = float(run.energy.dissipated[-1])
    steps = run.info["steps"] / run.info["seconds"]
    lifted = " (the wheel nearly leaves the road)" if float(tyre.min()) < 300 else ""
    say.print(
        f"The car rises by {float(rise.max()):.0f} mm; the tyre's load goes from "
        f"{float(tyre[0]):,.0f} up to {float(tyre.max()):,.0f} and down to "
        f"{float(tyre.min()):,.0f} N{lifted}.\n"
        f"Strut and tyre turn {damped:.0f} J into heat; the energy account is closed to "
        f"{balance:.2g} J, the joints to {float(run.violation.position.max()):.0e} m, at "
        f"{steps:,.0f} steps per second."
    )
    return run


# ------------------------------------------------------------------------------------- the plot


def draw(run: Result, modes: Modes, path: Path) -> None:
    """The suspension seen from behind at three moments, and what happens over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(13, 6.4), layout="constrained", facecolor="white")
    halves: Any = figure.subfigures(1, 2, width_ratios=(1.12, 1.0), wspace=0.02)
    left, right = halves
    title: dict[str, Any] = {"x": 0.02, "ha": "left", "fontsize": 12, "color": GREY}
    left.suptitle("Double wishbone, seen from behind", **title)
    draw_scene(left.subplots(), run)
    ride, hop = modes.frequency[:2]
    right.suptitle(
        f"Over a {1e3 * BUMP_HEIGHT:.0f} mm bump at {3.6 * SPEED:.0f} km/h "
        f"(ride {ride:.2f} Hz, wheel hop {hop:.1f} Hz)", **title,
    )  # fmt: skip
    draw_curves(right.subplots(3, 1, sharex=True), run)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def moments(run: Result) -> tuple[int, int, int]:
    """At rest, the wheel pushed furthest in, and hanging furthest out."""
    travel = (run["upright"].position[:, 2] - run["chassis"].position[:, 2]).values
    return 0, int(travel.argmax()), int(travel.argmin())


def point(run: Result, body: str, place: np.ndarray, i: int) -> np.ndarray:
    """Where a point of a body, given in the drawing's coordinates, is at a stored time."""
    item = run.system.model[body]
    local = rotations.matrix(item.orientation).T @ (place - item.position)
    R = rotations.matrix(run[body].orientation[i].values)
    return run[body].position[i].values + R @ local


def draw_scene(ax: Any, run: Result) -> None:
    """The corner at rest; its two extreme positions as outlines."""
    rest, pushed, hanging = moments(run)
    draw_corner(ax, run, rest)
    for i, style in ((pushed, "-"), (hanging, ":")):
        outline_corner(ax, run, i, style)
    ax.set_aspect("equal")
    ax.set_xlim(-0.01, 1.13)
    ax.set_ylim(-0.06, 0.86)
    ax.axis("off")
    for y, z, text, colour in (
        (0.10, 0.47, "chassis", GREY), (0.40, 0.105, "lower arm", STEEL),
        (0.53, 0.53, "upper arm", STEEL), (0.49, 0.665, "strut", ORANGE),
        (0.92, 0.36, "wheel", RUBBER), (0.02, -0.045, "road", GREY),
    ):  # fmt: skip
        ax.text(y, z, text, color=colour, fontsize=11, zorder=5)
    ax.plot([], [], "-", color=GREY, linewidth=1, label="wheel pushed in")
    ax.plot([], [], ":", color=GREY, linewidth=1, label="wheel hanging out")
    ax.legend(frameon=False, loc="upper right", labelcolor=GREY)


def outlines(run: Result, i: int) -> dict[str, np.ndarray]:
    """Lines (2, n) in the plane of the picture, per part, at one stored time."""

    def seen(body: str, *places: Any) -> np.ndarray:
        return np.array([point(run, body, np.asarray(p, float), i)[1:] for p in places]).T

    half = np.array([0, TYRE_WIDTH / 2, 0]), np.array([0, 0, TYRE_RADIUS])
    square = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
    chassis = ((0, 0.30), (0, 0.78), (0.36, 0.78), (0.48, 0.71), (0.38, 0.44), (0.30, 0.17))
    return {
        "wheel": seen("upright", *(HUB + s * half[0] + t * half[1] for s, t in square)),
        "rim": seen("upright", *(HUB + s * half[0] + 0.62 * t * half[1] for s, t in square)),
        "chassis": seen("chassis", *((0, y, z) for y, z in (*chassis, chassis[0]))),
        "upright": seen("upright", LOWER_BALL, (LOWER_BALL + UPPER_BALL) / 2, UPPER_BALL),
        "axle": seen("upright", (LOWER_BALL + UPPER_BALL) / 2 * (1, 1, 0) + (0, 0, HUB[2]), HUB),
        "lower": seen("lower arm", LOWER_AXIS, LOWER_BALL),
        "upper": seen("upper arm", UPPER_AXIS, UPPER_BALL),
        "strut": np.hstack([seen("lower arm", STRUT_FOOT), seen("chassis", STRUT_TOP)]),
    }


def draw_corner(ax: Any, run: Result, i: int) -> None:
    part = outlines(run, i)
    ground = float(run["road"].position[i, 2])
    ax.fill_between([-0.01, 1.13], -0.06, ground, color=LIGHT, lw=0, zorder=4)  # flattens the tyre
    ax.fill(*part["wheel"], facecolor=RUBBER, edgecolor=RUBBER, linewidth=8, joinstyle="round")
    ax.fill(*part["rim"], facecolor="#aeb4ba", linewidth=0)
    ax.fill(*part["chassis"], facecolor="#eef0f2", edgecolor="#9aa0a6", linewidth=1.2)
    for name, colour, width in (
        ("axle", GREEN, 10), ("upright", GREEN, 7), ("lower", STEEL, 5), ("upper", STEEL, 5),
    ):  # fmt: skip
        ax.plot(*part[name], color=colour, linewidth=width, solid_capstyle="round")
    foot, top = part["strut"].T
    ax.plot(*part["strut"], color=GREY, linewidth=1.6)
    ax.plot(*coil(foot, top), color=ORANGE, linewidth=2.4, solid_capstyle="round")
    pins = np.hstack([part["lower"], part["upper"], part["strut"]])
    ax.plot(*pins, "o", markersize=6, markerfacecolor="white", markeredgecolor=GREY)


def outline_corner(ax: Any, run: Result, i: int, style: str) -> None:
    part = outlines(run, i)
    for name, colour in (
        ("wheel", RUBBER), ("chassis", "#9aa0a6"), ("upright", GREEN), ("lower", STEEL),
        ("upper", STEEL),
    ):  # fmt: skip
        ax.plot(*part[name], style, color=colour, linewidth=1.1, alpha=0.8)


def coil(foot: np.ndarray, top: np.ndarray, turns: int = 9, width: float = 0.032) -> np.ndarray:
    """A spring as a wave between two points."""
    s = np.linspace(0, 1, 400)
    along = top - foot
    across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
    inside = np.clip((s - 0.14) / 0.72, 0, 1)
    swing = width * np.sin(2 * np.pi * turns * inside)
    return (foot + s[:, None] * along + swing[:, None] * across).T


def draw_curves(axes: Any, run: Result) -> None:
    """Heights, forces and camber over time."""

    def change(body: str) -> np.ndarray:
        z = run[body].position[:, 2].values
        return 1e3 * (z - z[0])

    R = rotations.matrix(run["upright"].orientation.values)
    camber = -np.degrees(np.arctan2(R[:, 2, 1], R[:, 1, 1]))  # negative: the top leans inward
    axes[0].fill_between(run.time, change("road"), color=LIGHT, linewidth=0, label="road")
    draw_panel(axes[0], run.time, "height above rest (mm)", {
        "wheel": (change("upright"), GREEN), "car": (change("chassis"), GREY),
    })  # fmt: skip
    draw_panel(axes[1], run.time, "load (kN)", {
        "strut": (-1e-3 * run["strut"].force.values, ORANGE),
        "tyre": (1e-3 * run["tyre"].force[:, 2].values, RUBBER),
    })  # fmt: skip
    draw_panel(axes[2], run.time, "camber (°)", {"wheel": (camber, STEEL)})
    axes[2].set_xlabel("time (s)", color=GREY)


def draw_panel(
    ax: Any, t: np.ndarray, words: str, curves: dict[str, tuple[np.ndarray, str]]
) -> None:
    for name, (y, colour) in curves.items():
        ax.plot(t, y, color=colour, linewidth=1.8, label=name)
    ax.set_ylabel(words, color=GREY)
    ax.set_xlim(t[0], t[-1])
    ax.grid(True, color="#e3e3e3", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(color=LIGHT, labelcolor=GREY)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(LIGHT)
    ax.legend(frameon=False, loc="upper right", labelcolor=GREY, ncols=3)
