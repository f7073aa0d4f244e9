"""Views of bodies and of flexible links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.results.outputs.deformed.flexible import deformed
from linkwork.results.outputs.replayed import ItemOutputs
from linkwork.results.outputs.stored import body_motion
from linkwork.results.outputs.views.base import Output, View

if TYPE_CHECKING:
    import xarray as xr


class BodyView(View):
    """Motion of a body: position and velocity of its centre of mass in world axes, angular
    velocity and acceleration in body axes."""

    def _make_outputs(self) -> dict[str, Output]:
        b = self._result.system.names.index(self._name)

        def motion(first: int, last: int) -> np.ndarray:
            return self._result.motion[:, b, first:last]

        def acceleration(first: int, last: int) -> np.ndarray:
            return self._result.acceleration[:, b, first:last]

        return {
            "position": Output(lambda: motion(0, 3), "xyz", "m", "position"),
            "orientation": Output(lambda: motion(3, 7), "wxyz", "1", "orientation quaternion"),
            "velocity": Output(lambda: motion(7, 10), "xyz", "m/s", "velocity"),
            "angular_velocity": Output(
                lambda: motion(10, 13), "xyz", "rad/s", "angular velocity (body axes)"
            ),
            "acceleration": Output(lambda: acceleration(0, 3), "xyz", "m/s²", "acceleration"),
            "angular_acceleration": Output(
                lambda: acceleration(3, 6), "xyz", "rad/s²", "angular acceleration (body axes)"
            ),
        }

    def point(self, place: Any) -> xr.DataArray:
        """World position of the point at `place` = (x, y, z) in body axes.

        Example: ``run["rod"].point((0, 0, 0.5))``
        """
        u = checks.vector(place, f"point of {self._item.label}")
        m = body_motion(self._result, self._result.system.names.index(self._name))
        world = m.r + rotations.matrix(m.q) @ u
        words = f"position of point ({u[0]:g}, {u[1]:g}, {u[2]:g})"
        return self._array("point", world, "xyz", "m", words)


class LinkView(BodyView):
    """Motion of a flexible link's floating frame, at its start, its modal amplitudes, and its
    energies and momenta."""

    def _make_outputs(self) -> dict[str, Output]:
        result = self._result
        link = next(x for x in result.system.flexible if x.item.name == self._name)
        axis = tuple(range(1, link.shapes + 1))

        def amplitudes(derivative: int) -> np.ndarray:
            return link.amplitudes(result.values[:], derivative)

        declared = self._declared_outputs(ItemOutputs(result, self._name))
        return super()._make_outputs() | declared | {
            "amplitudes": Output(
                lambda: amplitudes(0), axis, "m", "modal amplitudes"
            ),
            "amplitude_rates": Output(
                lambda: amplitudes(1), axis, "m/s", "rates of amplitudes"
            ),
            "amplitude_accelerations": Output(
                lambda: amplitudes(2), axis, "m/s²", "accelerations of amplitudes"
            ),
        }

    def axis(self, s: Any) -> xr.DataArray:
        """World position of the deformed axis at the part s of the length, from 0 to 1.

        Example: ``run["rod"].axis(0.5)``
        """
        link = next(x for x in self._result.system.flexible if x.item.name == self._name)
        place = checks.number(s, f"place on {link.item.label}")
        world = deformed(
            link, self._result.motion[:], self._result.values[:], np.array([place])
        )[:, 0]
        return self._array("axis", world, "xyz", "m", f"position of the axis at {place:g}")
