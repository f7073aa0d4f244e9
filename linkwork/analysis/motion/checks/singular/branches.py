"""Steps that end on another branch of a mechanism than they began on.

Joints leave a mechanism several ways to be put together (the elbow up or down).  Where two of them
come near to each other, beside a position in which C_q nearly loses rank, a step that is longer
than the way between them may end on the other one: joints are closed, and the energy is right.
With C_q of both ends of the step,

    det C_q(q₁) M⁻¹ C_q(q₀)ᵀ < 0

for such a step, and for one that passes a true singular position, as a parallelogram does in its
flat one.  To tell them apart the displacement of the step is made once more in small parts, each of
which is put back onto the constraints: it leads to q₁ through a singular position, and elsewhere
along a branch that was left.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from linkwork.analysis.motion.checks.singular.constraint_forces import ConstraintForces, Place
from linkwork.errors import LinkworkWarning, users_line
from linkwork.kernels import rotations
from linkwork.kernels import sparse as sp
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.results.result import Result
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.state import State

PARTS = 128  # of a step that is looked at
CLOSED = 1e-9  # of the mechanism's size, rad: how far constraints are satisfied there
OPEN = 1e-5  # of the same: joints that are open
ITERATIONS = 8
ELSEWHERE = 0.2  # of what bodies move in the step: how far from its end another branch is
MOST = 3  # steps that are followed
PEAKS = 5  # of forces, and
PART = 0.005  # of the steps, beside which steps are looked at


def peaks(size: np.ndarray) -> np.ndarray:
    """Stored steps with the largest forces, which grow where branches come near to each other."""
    inner = size[1:-1]
    top = 1 + np.flatnonzero((inner >= size[:-2]) & (inner > size[2:]))
    most = PEAKS + int(PART * len(size))
    return top[np.argsort(-size[top], kind="stable")][:most]


def tell_branches(
    result: Result, forces: ConstraintForces, some: np.ndarray, size: np.ndarray
) -> None:
    """Say so where one of these stored steps, or one beside the largest forces, has left its
    branch; of runs that store every step."""
    if result.info.get("every", 1) != 1:
        return
    near = {*some.tolist(), *(k for peak in peaks(size).tolist() for k in (peak, peak + 1))}
    followed = 0
    for k in sorted(k for k in near if 0 < k < len(result)):
        if not crosses(forces.at(k - 1)[1], forces.at(k)[1]):
            continue
        if leaves_branch(result, forces, k):
            warnings.warn(
                f"'{result.system.model.name}' changed to another way of being put together at t = "
                f"{result.time[k]:.6g}: two of them come near to each other there, and the step of "
                f"{result.time[k] - result.time[k - 1]:.3g} s does not tell them apart, so that "
                "what follows is another motion; take a smaller step",
                LinkworkWarning, stacklevel=users_line(),
            )  # fmt: skip
            return
        followed += 1
        if followed == MOST:
            return


def crosses(before: Place, after: Place) -> bool:
    """Whether the determinant above is negative."""
    if after.factors is None:
        return False
    first, last = (sp.diags_array(place.scale) @ place.Cq for place in (before, after))
    try:
        mixed = SparseFactors(sp.block_array([[after.M, first.T], [last, None]]))
    except SingularMatrix:
        return False
    return mixed.determinant_sign() != after.factors.determinant_sign()


def leaves_branch(result: Result, forces: ConstraintForces, k: int) -> bool:
    """Whether the displacement of a stored step, made in small parts, ends elsewhere."""
    before, after = (
        replace(result.state(j), gamma=None, acceleration=None) for j in (k - 1, k)
    )
    length = result.system.length
    sizes = row_scale(result.system.all_rows, length)
    if max(float(np.abs(sizes * forces.at(j)[1].here.C).max()) for j in (k - 1, k)) > OPEN:
        return False  # that joints are open is told elsewhere
    way = difference(before, after)
    state = before
    for part in range(1, PARTS + 1):
        time = before.time + part / PARTS * (after.time - before.time)
        closed = put_back(result, forces, replace(state.moved(way / PARTS), time=time))
        if closed is None:
            return False
        state = closed
    scale = np.tile([1 / length] * 3 + [1.0] * 3, result.system.bodies)
    moved = float(np.abs(scale * way).max())
    return float(np.abs(scale * difference(state, after)).max()) > ELSEWHERE * moved


def put_back(result: Result, forces: ConstraintForces, state: State) -> State | None:
    """The nearest state in which joints are closed, by Newton's method in the metric of M."""
    sizes = row_scale(result.system.all_rows, result.system.length)[forces.choice.keep]
    for _ in range(ITERATIONS):
        place = Place(forces.data, state, forces.choice.keep)
        place.scale = forces.scale
        C = place.here.C[forces.choice.keep]
        if float(np.abs(sizes * C).max()) < CLOSED:
            return state
        try:
            place.factorise()
        except RuntimeError:
            return None
        step = place.carried(place.multipliers(C))
        if not np.abs(step).max() < np.inf:
            return None
        state = state.moved(-step)
    return None


def difference(a: State, b: State) -> np.ndarray:
    """(δr, θ) of every body from one state to another."""
    p, q = a.motion[:, 3:7], b.motion[:, 3:7]
    turn = rotations.logarithm(rotations.multiply(rotations.conjugate(p), q))
    return np.hstack([b.motion[:, :3] - a.motion[:, :3], turn]).ravel()
