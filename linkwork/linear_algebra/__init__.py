"""Linear equations: one contract for all solvers of a system's matrix, and the choice between them.

    A x = b,    A = [S    C_qᵀ]        S: blocks of bodies and vector nodes, C_q: rows of joints
                    [C_q  0   ]

    Dense            up to 64 unknowns: LAPACK, for which nothing is compiled
    AlongMechanism   elimination from the leaves of the mechanism to its root
    SparseCore       sparse factors of loops and grids
    SparseFactors    of matrices without the pattern of a system, also complex ones
    Saddle           of [[W, Jᵀ], [J, −ε]] with dense or sparse W and J

`LinearSolver` is the contract; `inertia` counts negative eigenvalues.
"""

from linkwork.linear_algebra.along_mechanism.solver import AlongMechanism
from linkwork.linear_algebra.core import SingularMatrix
from linkwork.linear_algebra.core.solver import SparseCore
from linkwork.linear_algebra.dense import Dense
from linkwork.linear_algebra.general import SparseFactors
from linkwork.linear_algebra.pattern import Pattern
from linkwork.linear_algebra.saddle import Saddle
from linkwork.linear_algebra.solver import LinearSolver, LowRank, Quality

__all__ = [
    "AlongMechanism", "Dense", "LinearSolver", "LowRank", "Quality", "Saddle", "SingularMatrix",
    "SparseCore", "SparseFactors", "linear_solver",
]  # fmt: skip

SMALL = 64  # unknowns up to which factors are dense
LARGE = 1000  # unknowns from which equations are eliminated along the mechanism


def linear_solver(pattern: Pattern, compiled: bool = False) -> LinearSolver:
    """The solver for a system's matrix by rows, in scaled unknowns.

    compiled : its factors are for compiled loops, however small the system is
    """
    if pattern.unknowns <= SMALL and not compiled:
        return Dense(pattern)
    if pattern.unknowns >= LARGE and not compiled:
        return AlongMechanism(pattern)
    return SparseCore(pattern)
