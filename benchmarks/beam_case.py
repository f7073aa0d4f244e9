"""The beam of the comparison, as numbers: a cantilever that falls from horizontal.

A square rubber bar of 2 m and 20 mm, E = 1 GPa, G = E/2.6, shear factor 5/6, 1000 kg/m³; torsion
as of the polar moment, so that both programs have the same numbers.
"""

from __future__ import annotations

LENGTH, SIDE, E, DENSITY = 2.0, 0.02, 1e9, 1000.0
AREA, SECOND = SIDE**2, SIDE**4 / 12
G = E / 2.6
STIFFNESS = (E * AREA, 5 / 6 * G * AREA, 5 / 6 * G * AREA, G * 2 * SECOND, E * SECOND, E * SECOND)
MASS = DENSITY * AREA
INERTIA = (2 * DENSITY * SECOND, DENSITY * SECOND, DENSITY * SECOND)
GRAVITY = (0.0, 0.0, -9.81)
END, STEPS = 1.0, 1000
