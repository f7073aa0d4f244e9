"""What the kernels of beam elements write: of the element, and of the sections at its points.

    stored energy Σ weight · W,   power of the mesh  Σ weight (n·ε̇ + m·κ̇) + Σ (F·v + M·ω)
"""

from __future__ import annotations

from linkwork.elements.beams.layout import LINEAR, SECTION, WEIGHT
from linkwork.elements.laws.base import ENERGY
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import add, dot, mv, nine
from linkwork.model.outputs import STORED_ENERGY, Output

OWN = 2  # numbers of the element, before those of its points
STRESS, STRAIN, AXES, PLACE = 6, 6, 9, 3  # of each point


def beam_outputs(points: int) -> tuple[Output, ...]:
    """Those of an element with so many points at which its section is evaluated."""
    return (
        STORED_ENERGY, Output("_mesh_power", "W"),
        Output("_stress", "1", tuple(range(STRESS * points))),
        Output("_strain", "1", tuple(range(STRAIN * points))),
        Output("_section_axes", "1", tuple(range(AXES * points))),
        Output("_section_place", "m", tuple(range(PLACE * points))),
    )  # fmt: skip


@inlined
def section_energy(x, c, z, strain, bent):
    """Energy per length of the section whose reals are at c, or whose law has the work z."""
    if x[c + LINEAR] == 0.0:
        return z[ENERGY]
    s = c + SECTION
    n = add(mv(nine(x, s), strain), mv(nine(x, s + 9), bent))
    m = add(mv(nine(x, s + 18), strain), mv(nine(x, s + 27), bent))
    return 0.5 * (dot(strain, n) + dot(bent, m))


@inlined
def put(out, k, first, numbers):
    for i in range(len(numbers)):
        out[k, first + i] = numbers[i]


@inlined
def write_section(out, k, points, point, x, c, z, strain, bent, ns, ms, E, p, power):
    """The section at a point of element k: strains, force and moment, axes, place, and the power
    of the mesh there."""
    if point == 0:
        put(out, k, 0, (0.0, 0.0))
    out[k, 0] += x[c + WEIGHT] * section_energy(x, c, z, strain, bent)
    out[k, 1] += power
    first = OWN
    put(out, k, first + STRESS * point, ns + ms)
    first += STRESS * points
    put(out, k, first + STRAIN * point, strain + bent)
    first += STRAIN * points
    put(out, k, first + AXES * point, E)
    first += AXES * points
    put(out, k, first + PLACE * point, p)
