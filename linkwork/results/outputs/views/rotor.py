"""What a run tells about a rotor: `run["rotor"].thrust`, inflow on its disc."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linkwork.elements.aero.surfaces import survey as told
from linkwork.elements.aero.rotors.field import mangler
from linkwork.elements.aero.rotors.inflow import DYNAMIC, MANGLER
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.results.outputs.stored import body_motion
from linkwork.results.outputs.surfaces import surveyed
from linkwork.results.outputs.views.base import Output, View

SCALARS = (
    ("thrust", "N", "thrust along the axis"),
    ("speed", "rad/s", "speed of rotation against the craft"),
    ("power", "W", "power that turns the rotor"),
    ("inflow_mean", "m/s", "mean induced velocity"),
    ("inflow_momentum", "m/s", "mean induced velocity of momentum theory with this thrust"),
    ("air_speed", "m/s", "speed of the air against the rotor"),
    ("disc_angle", "rad", "angle of the disc against the air"),
    ("advance_ratio", "1", "advance ratio μ"),
    ("inflow_ratio", "1", "inflow ratio λ"),
    ("wake_skew", "rad", "skew angle of the wake"),
    ("wind_azimuth", "rad", "direction of the wind in the disc"),
    ("thrust_coefficient", "1", "thrust coefficient"),
    ("power_coefficient", "1", "power coefficient"),
)


class RotorView(View):
    """Loads and inflow of a rotor over time, in its axes (z along the thrust)."""

    def _make_outputs(self) -> dict[str, Output]:
        outputs = {
            name: Output(lambda name=name: self._numbers[name], "", units, words)  # type: ignore[misc]
            for name, units, words in SCALARS
        }
        for name, units in (("force", "N"), ("torque", "N m")):
            outputs[name] = Output(
                lambda name=name: self._numbers[name], "xyz", units,  # type: ignore[misc]
                f"{name} of the air at its centre (rotor's axes)",
            )  # fmt: skip
        return outputs | self._node_outputs()

    @cached_property
    def _numbers(self) -> dict[str, np.ndarray]:
        result, item = self._result, self._item
        number = {id(body): i for i, body in enumerate(result.system.items)}
        hub, craft = (body_motion(result, number.get(id(f.body), -1)) for f in item.frames)
        Rh, Rc = rotations.matrix(hub.q), rotations.matrix(craft.q)
        A = Rc @ rotations.matrix(item.frames[1].orientation)
        centre = hub.r + Rh @ item.frames[0].position
        force, torque = np.zeros((2, len(result), 3))
        for name, other in result.system.model.items.items():
            if getattr(other, "inflow", None) is not item:
                continue
            found = surveyed(result, name)
            length = found[..., told.LENGTH, None]
            F, M = (found[..., c : c + 3] * length for c in (told.FORCE, told.TORQUE))
            arm = found[..., told.PLACE : told.PLACE + 3] - centre[:, None]
            force += F.sum(axis=1)
            torque += (M + np.cross(arm, F)).sum(axis=1)
        turn = np.einsum("tji,tj->ti", A, np.einsum("tij,tj->ti", Rh, hub.w)
                         - np.einsum("tij,tj->ti", Rc, craft.w))[:, 2]  # fmt: skip
        swung = np.einsum("tij,tj->ti", Rc, np.cross(craft.w, item.frames[1].position))
        v = np.einsum("tji,tj->ti", A, self._air(centre) - craft.v - swung)
        F, M = (np.einsum("tji,tj->ti", A, x) for x in (force, torque))
        u = self._momentum()
        tip = np.where(turn == 0, np.inf, np.abs(turn) * item.radius)
        plane = np.hypot(v[:, 0], v[:, 1])
        lam = u - v[:, 2]
        size = np.linalg.norm(v, axis=1)
        rho, _ = item.the_air().at_origin()
        scale = rho * np.pi * item.radius**2 * tip**2
        still = size < 1e-9 * abs(item.speed) * item.radius
        return {
            "thrust": F[:, 2], "force": F, "torque": M, "speed": turn, "power": -M[:, 2] * turn,
            "inflow_mean": self._values_of(1)[:, 0], "inflow_momentum": u, "air_speed": size,
            "disc_angle": np.where(still, np.pi / 2, np.arctan2(-v[:, 2], plane)),
            "advance_ratio": plane / tip, "inflow_ratio": lam / tip,
            "wake_skew": np.where(plane > 0, np.arctan2(plane, lam), 0.0),
            "wind_azimuth": np.where(plane > 0, np.arctan2(v[:, 1], v[:, 0]), 0.0),
            "thrust_coefficient": F[:, 2] / scale,
            "power_coefficient": -M[:, 2] * turn / (scale * tip),
        }  # fmt: skip

    def _air(self, places: np.ndarray) -> np.ndarray:
        """Velocity of the air at places over time."""
        from linkwork.elements.aero.surfaces.survey import wind_at

        return wind_at(self._item.the_air(), places, np.asarray(self._result.time, float))

    def _values_of(self, k: int) -> np.ndarray:
        """Values (T, n) of node k of the rotor."""
        layout = self._result.system.layout
        node = self._item.vector_nodes()[k]
        i = [id(x) for x in layout.nodes].index(id(node))
        place = slice(int(layout.first[i]), int(layout.first[i + 1]))
        return np.asarray(self._result.values[:, 0, place])

    def _momentum(self) -> np.ndarray:
        return self._values_of(2)[:, 0] if self._item.kind == DYNAMIC else self._values_of(1)[:, 0]

    def inflow_at(self, r: Any, psi: Any, time: Any = None) -> np.ndarray:
        """Induced velocity (m/s) at radii r (of the radius) and azimuths psi (rad, from the
        rotor's x axis), arrays of one shape, at a time (the last one if not given)."""
        r, psi = np.broadcast_arrays(np.asarray(r, float), np.asarray(psi, float))
        k = -1
        if time is not None:
            when = checks.number(time, "time")
            k = int(np.argmin(np.abs(self._result.time - when)))
        q = self._values_of(1)[k]
        x, y = r * np.cos(psi), r * np.sin(psi)
        if self._item.kind != MANGLER:
            return q[0] + q[1] * x + q[2] * y
        plain: Any = getattr(mangler, "py_func", mangler)
        flat = [plain(*map(float, q), float(a), float(b))[0] for a, b in zip(x.ravel(), y.ravel())]
        return np.array(flat).reshape(x.shape)

    def over_azimuth(self, blade: str, quantity: str = "lift") -> tuple[np.ndarray, np.ndarray]:
        """An output of a blade over its last turn: azimuths (rad, rising from 0 to 2π, from the
        rotor's x axis to the blade's outermost point), and its values, (azimuths, …)."""
        if getattr(self._result.system.model.items.get(blade), "inflow", None) is not self._item:
            blades = [name for name, other in self._result.system.model.items.items()
                      if getattr(other, "inflow", None) is self._item]  # fmt: skip
            raise ModelError(
                f"{self._item.label} has no blade {checks.show(blade)}; its blades are "
                f"{', '.join(blades) or 'none'}"
            )
        item: Any = self._item
        number = {id(body): i for i, body in enumerate(self._result.system.items)}
        hub, craft = (
            body_motion(self._result, number.get(id(f.body), -1)) for f in item.frames
        )
        A = rotations.matrix(craft.q) @ rotations.matrix(item.frames[1].orientation)
        centre = hub.r + rotations.matrix(hub.q) @ item.frames[0].position
        arm = surveyed(self._result, blade)[..., told.PLACE : told.PLACE + 3] - centre[:, None]
        far = int(np.argmax(np.linalg.norm(arm[-1], axis=-1)))
        d = np.einsum("tji,tj->ti", A, arm[:, far])
        turned = np.unwrap(np.arctan2(d[:, 1], d[:, 0]))
        if abs(turned[-1] - turned[0]) < 2 * np.pi * (1 - 1e-9):
            raise ModelError(
                f"over_azimuth of {item.label} needs a run of one turn, but {blade!r} turned "
                f"by {abs(turned[-1] - turned[0]):.3g} rad"
            )
        last = np.flatnonzero(np.abs(turned - turned[-1]) < 2 * np.pi * (1 - 1e-9))
        psi = np.mod(turned[last], 2 * np.pi)
        order = np.argsort(psi)
        return psi[order], np.asarray(self._result[blade].numbers(quantity))[last[order]]

    def plot_inflow(self, time: Any = None, ax: Any = None) -> Any:
        """The induced velocity on the disc at a time, seen from above; returns polar axes."""
        import matplotlib.pyplot as plt

        from linkwork.results.plots import title

        if ax is None:
            figure, ax = plt.subplots(
                subplot_kw={"projection": "polar"}, layout="constrained", figsize=(5.2, 4.6)
            )
            title(figure, f"inflow of {self._item.label}")
        r, psi = np.meshgrid(np.linspace(0, 0.999, 41), np.linspace(0, 2 * np.pi, 121))
        u = self.inflow_at(r, psi, time)
        drawn = ax.contourf(psi, r, u, 24, cmap="viridis")
        ax.figure.colorbar(drawn, ax=ax, label="induced velocity (m/s)", shrink=0.8)
        ax.set_yticks([0.25, 0.5, 0.75, 1.0])
        ax.set_theta_zero_location("S")
        return ax

