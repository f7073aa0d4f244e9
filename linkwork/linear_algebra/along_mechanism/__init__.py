"""Linear equations of the implicit step by elimination along the mechanism, constraint first.

    [S  Cᵀ] [x]   [r]      S: 6×6 blocks of bodies (masses, stiffness, K_c), C: rows of joints
    [C  0 ] [λ] = [c]

From the leaves to the root every body leaves the equations together with the joint that holds it
(`node`): its joint's rows write its unknowns by the neighbour's and the joint's free ones.  What
cannot be taken off that way, bodies in loops that do not pass through the ground, is the core and
goes to the sparse LU (`core`).  Cost is linear in the number of bodies.

`analyse` (once, Python) decides; `refactor` with `sweep_back` (or both, `solution`), and `solve`
for further right-hand sides, are compiled.
"""

from linkwork.linear_algebra.along_mechanism.analysis import analyse
from linkwork.linear_algebra.along_mechanism.sweeps import refactor, solution, solve, sweep_back
from linkwork.linear_algebra.along_mechanism.tables import Elimination
from linkwork.linear_algebra.core import SingularMatrix

__all__ = [
    "Elimination", "SingularMatrix", "analyse", "refactor", "solution", "solve", "sweep_back",
]  # fmt: skip
