"""LU factors of the iteration matrix of a constrained system, with a pattern that does not change.

    P A Q = L U,    A = [S  Cᵀ]    S: 6×6 blocks of bodies, C: blocks of a joint's rows,
                        [C  0 ]    the pattern is fixed, the values change in every iteration

The method is multifrontal (Duff and Reid, ACM TOMS 9, 1983): every step of the elimination works on
a small dense matrix, the front, that holds a few pivots and all rows and columns they touch.  What
remains of a front after its pivots is added to the front of its parent in the elimination tree
(Liu, SIAM Review 34, 1992).  A leaf of a tree of bodies with its revolute joint is one front of
11 pivots and the 6 unknowns of the body it hangs on, so cost is linear in the number of bodies.

`analyse` (Python, once) decides; `refactor` and `solve` (compiled, often, `numeric`) only compute:

1. The `order` of groups (a body or a joint each): minimum degree on the quotient graph (George and
   Liu, SIAM Review 31, 1989; bounds of Amestoy, Davis and Duff, SIAM J. Matrix Anal. 17, 1996).
   The zero block has no pivots, so a joint waits until the bodies eliminated next to it have
   enough unknowns for its rows and those of the joints eliminated among them.
2. The `pivots` for given values: on the diagonal where it is good enough, which survives when the
   mechanism moves; else anywhere in the front; else the unknown is delayed to the parent front.
   The matrix is judged after its rows and columns are scaled to largest entries of one.
3. The `fronts` of these pivots, from the pattern alone: an entry that is zero now may fill later.

Fronts are stored by columns and padded to multiples of four in pivots and rows (an added pivot is
a row of the identity matrix): all inner loops then are one operation on four numbers, `update`.
"""

from linkwork.linear_algebra.core.analysis import analyse
from linkwork.linear_algebra.core.fronts import LU
from linkwork.linear_algebra.core.numeric import determinant_sign, refactor, solve
from linkwork.linear_algebra.core.pivots import SingularMatrix

__all__ = ["LU", "SingularMatrix", "analyse", "determinant_sign", "refactor", "solve"]
