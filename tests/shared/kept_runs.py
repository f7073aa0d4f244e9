"""Runs of known motions whose files are kept, so that later versions read and continue them.

    python -m tests.shared.kept_runs FOLDER        # from the root of the repository

writes the files of this version: half of every motion, with the numbers from which it continues.
Those of version 0.1 are in tests/results/version_0_1.  They are never made anew: that a file of
that version can be read is what they are for.
"""

from __future__ import annotations

import lzma
import multiprocessing
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ellipj, ellipk

import linkwork as lw

G = 9.81


@dataclass(frozen=True)
class KeptRun:
    """A model with a known motion: `exact(t)` of one output, met to `error` by the method."""

    build: Callable[[], lw.Model]
    method: Any
    t: float
    h: float
    item: str
    output: str
    exact: Callable[[np.ndarray], np.ndarray]
    error: float

    def values(self, run: lw.Result) -> np.ndarray:
        return np.asarray(getattr(run[self.item], self.output))

    def largest_error(self, run: lw.Result) -> float:
        return float(abs(self.values(run) - self.exact(run.time)).max())


# ------------------------------------------------------------------------------------- pendulums

ARM, MASS, INERTIA = 0.5, 2.0, 0.2  # m, kg, kg m²: a body on an arm that is let go at 90 degrees


def swing_angle(t: np.ndarray, frequency: float) -> np.ndarray:
    """Angle from the horizontal of what is let go there: sin((π/2 − φ)/2) = sin(π/4) cd(ω t)."""
    modulus = 0.5  # sin²(θ₀/2) of θ₀ = 90 degrees
    sn, _, _, _ = ellipj(ellipk(modulus) - frequency * t, modulus)
    return np.pi / 2 - 2 * np.arcsin(np.sqrt(modulus) * sn)


def pendulum() -> lw.Model:
    m = lw.Model("pendulum", gravity=(0, 0, -G))
    body = m.add("body", lw.Body(MASS, (INERTIA,) * 3, position=(ARM, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


def pendulum_angle(t: np.ndarray) -> np.ndarray:
    return swing_angle(t, np.sqrt(MASS * G * ARM / (INERTIA + MASS * ARM**2)))


def parallelogram() -> lw.Model:
    """Two cranks of length 1 m, with one row too many: its plane is held by all four pins."""
    m = lw.Model("parallelogram", gravity=(0, 0, -G))
    left = m.add("left", lw.Body(1.0, (0.1,) * 3, position=(0.5, 0, 0)))
    right = m.add("right", lw.Body(1.0, (0.1,) * 3, position=(0.5, 0, 1)))
    coupler = m.add("coupler", lw.Body(2.0, (0.2,) * 3, position=(1, 0, 0.5)))
    axis = (0, 1, 0)
    m.add("a", lw.Revolute(lw.GROUND, left, at=(0, 0, 0), axis=axis))
    m.add("b", lw.Revolute(lw.GROUND, right, at=(0, 0, 1), axis=axis))
    m.add("c", lw.Revolute(left, coupler, at=(1, 0, 0), axis=axis))
    m.add("d", lw.Revolute(right, coupler, at=(1, 0, 1), axis=axis))
    return m


def parallelogram_angle(t: np.ndarray) -> np.ndarray:
    moment, inertia = (1.0 + 2.0) * G, 2 * (0.1 + 0.25) + 2.0
    return swing_angle(t, np.sqrt(moment / inertia))


# ------------------------------------------------------------------------------- other mechanisms


def free_top() -> lw.Model:
    """A symmetric body without forces: ω turns about its axis at (C − A)/A ω₃."""
    m = lw.Model("free top")
    m.add("top", lw.Body(1.0, (0.2, 0.2, 0.3), angular_velocity=(1.0, 0.0, 40.0)))
    return m


def top_spin(t: np.ndarray) -> np.ndarray:
    turned = (0.3 - 0.2) / 0.2 * 40.0 * t
    return np.stack([np.cos(turned), np.sin(turned), np.full_like(t, 40.0)], axis=-1)


def bouncing_ball() -> lw.Model:
    m = lw.Model("bouncing ball", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body.sphere(0.1, mass=1.0, position=(0, 0, 1.1)))
    m.add("floor", lw.Contact(ball, lw.GROUND, hard=True, restitution=0.5))
    return m


def bounces(t: np.ndarray) -> np.ndarray:
    """Centre of the ball: falls 1 m, then flights with half the speed of the one before."""
    hit, speed = np.sqrt(2 / G), np.sqrt(2 * G)
    height = 1 - G * t**2 / 2
    for _ in range(20):
        speed /= 2
        since = t - hit
        height = np.where(since > 0, speed * since - G * since**2 / 2, height)
        hit += 2 * speed / G
    position = np.zeros((len(t), 3))
    position[:, 2] = 0.1 + np.where(t > hit, 0.0, height)
    return position


def charged_capacitor() -> lw.Model:
    """10 V behind 1 kΩ charge 100 µF: time constant 0.1 s."""
    m = lw.Model("charged capacitor")
    supply = m.add("supply", lw.electric.Node())
    top = m.add("top", lw.electric.Node())
    m.add("source", lw.electric.VoltageSource(supply, lw.GROUND, voltage=10.0))
    m.add("resistor", lw.electric.Resistor(supply, top, resistance=1000.0))
    m.add("capacitor", lw.electric.Capacitor(top, lw.GROUND, capacitance=1e-4))
    return m


def charge(t: np.ndarray) -> np.ndarray:
    return 10 * (1 - np.exp(-t / 0.1))


EVERY, KP, KD = 0.05, 30.0, 8.0  # s, N/m, N s/m: a sampled controller of a mass of 1 kg


def sampled_servo() -> lw.Model:
    m = lw.Model("sampled servo")
    mass = m.add("mass", lw.Body(1.0, (0.1,) * 3))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis="x"))
    error = 0.2 - lw.reads(rail, "displacement")
    drive = lw.PID(error, KP, 0.0, KD, every=EVERY)
    m.add("push", lw.JointForce(rail, drive))
    return m


def servo_position(t: np.ndarray) -> np.ndarray:
    """Exact between samples, where the force is constant; no derivative at the first sample."""
    x, v, before = 0.0, 0.0, 0.2
    states = []
    for _ in range(int(np.ceil(t[-1] / EVERY)) + 1):
        error = 0.2 - x
        force, before = KP * error + KD * (error - before) / EVERY, error
        states.append((x, v, force))
        x, v = x + v * EVERY + force * EVERY**2 / 2, v + force * EVERY
    sample = np.floor(t / EVERY + 1e-9).astype(int)
    x, v, force = np.array(states)[sample].T
    since = t - sample * EVERY
    return x + v * since + force * since**2 / 2


WIRE, TIP = 1e4, 0.5  # N (E A) and kg: a beam of 1 m without bending, pulled along its axis


def beam_with_tip() -> lw.Model:
    """A heavy body on a light beam that is pulled along its axis by a force from t = 0 on."""
    m = lw.Model("beam with a tip")
    section = lw.Section.rectangle(0.01, 0.01, E=WIRE / 1e-4, nu=0.3, density=1e-3)
    beam = m.add("beam", lw.Beam((0, 0, 0), (1, 0, 0), section, elements=2))
    body = m.add("body", lw.Body(TIP, (0.01,) * 3, position=(1, 0, 0)))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    m.add("weld", lw.Fixed(beam.tip, body, at=(1, 0, 0)))
    m.add("pull", lw.Force(body, (10.0, 0, 0)))
    return m


def tip_position(t: np.ndarray) -> np.ndarray:
    """x = 1 + F L/(E A) (1 − cos ω t) with ω² = E A/(L m)."""
    position = np.zeros((len(t), 3))
    position[:, 0] = 1 + 10.0 / WIRE * (1 - np.cos(np.sqrt(WIRE / TIP) * t))
    return position


def _pendulum(method: Any, h: float, error: float) -> KeptRun:
    return KeptRun(pendulum, method, 2.0, h, "pin", "angle", pendulum_angle, error)


def kept_runs() -> dict[str, KeptRun]:
    """One run per formulation and kind of memory, with the error that its method is good for."""
    return {
        "generalized_alpha": _pendulum(lw.GeneralizedAlpha(), 1e-3, 1e-4),
        "bdf2": _pendulum(lw.BDF2(), 5e-4, 1e-4),
        "multistep": _pendulum(lw.MS2(), 1e-3, 1e-4),
        "stages": _pendulum(lw.DIRK54(), 1e-2, 1e-5),
        "explicit": _pendulum(lw.RK4(), 5e-3, 1e-5),
        "scipy": _pendulum(lw.ODE("RK45"), 1e-2, 1e-4),
        "energy_momentum": _pendulum(lw.EnergyMomentum(), 2e-3, 1e-4),
        "joint_coordinates": _pendulum(lw.Recursive(), 1e-2, 1e-5),
        "redundant_loop": KeptRun(
            parallelogram, lw.GeneralizedAlpha(), 1.0, 2e-3, "a", "angle", parallelogram_angle, 1e-4
        ),
        "loop_in_joint_coordinates": KeptRun(
            parallelogram, lw.Recursive(), 1.0, 5e-3, "a", "angle", parallelogram_angle, 1e-4
        ),
        "fast_rotation": KeptRun(
            free_top, lw.GeneralizedAlpha(stabilized=True), 1.0, 1e-3, "top", "angular_velocity",
            top_spin, 1e-3,
        ),
        "impulses": KeptRun(
            bouncing_ball, lw.Moreau(), 1.5, 1e-4, "ball", "position", bounces, 1e-3
        ),
        "circuit": KeptRun(
            charged_capacitor, lw.GeneralizedAlpha(), 0.4, 1e-3, "top", "voltage", charge, 1e-3
        ),
        "samples": KeptRun(
            sampled_servo, lw.GeneralizedAlpha(), 2.0, 1e-2, "rail", "displacement",
            servo_position, 1e-5,
        ),
        "beam": KeptRun(
            beam_with_tip, lw.GeneralizedAlpha(), 0.1, 1e-4, "body", "position", tip_position, 1e-6
        ),
    }  # fmt: skip


def write(folder: Path) -> None:
    """Half of every run, as a file of the version that is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, kept in kept_runs().items():
        steps = round(kept.t / kept.h / 2)
        every = max(1, steps // 10)
        run = lw.transient(
            kept.build(), t=steps * kept.h, h=kept.h, method=kept.method, every=every,
            progress=False,
        )  # fmt: skip
        run.save(folder / f"{name}.nc")
        print(f"{name}: error {kept.largest_error(run):.1e} of {kept.error:g}")
    leave_journal(folder / "killed.nc")


KILLED = _pendulum(lw.GeneralizedAlpha(), 1e-6, 1e-6)


def leave_journal(file: Path) -> None:
    """What a run leaves that is killed on its way: file.part, compressed."""
    process = multiprocessing.get_context("spawn").Process(target=run_in_journal, args=(file,))
    process.start()
    while file.exists() or not journal_of(file).exists() or stored_time(file) < 0.2:
        assert process.is_alive(), "the run ended before it was killed"
    process.kill()
    process.join()
    print(f"killed at {stored_time(file)} s")
    journal = journal_of(file)  # mostly zeros: room for the finished file
    journal.with_name(f"{journal.name}.xz").write_bytes(lzma.compress(journal.read_bytes()))
    journal.unlink()


def run_in_journal(file: Path) -> None:
    lw.transient(
        KILLED.build(), t=KILLED.t, h=KILLED.h, method=KILLED.method, every=50_000, file=file,
        flush=0.01, progress=False,
    )  # fmt: skip


def journal_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.part")


def stored_time(file: Path) -> float:
    """Until when a journal goes, in a copy: the run may still be writing."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        copy = shutil.copy(journal_of(file), Path(folder) / f"{file.name}.part")
        try:
            return float(lw.load(Path(copy).with_suffix("")).time[-1])
        except lw.ResultFileError:
            return 0.0


if __name__ == "__main__":
    write(Path(sys.argv[1]))
