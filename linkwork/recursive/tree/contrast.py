"""Inertias too different for articulated bodies.

Behind a hinge with the axis e a body answers with I' = I − I e (I e)ᵀ/(eᵀI e), so that e·I'e = 0
but for round-off of the size ε |I|.  Its neighbour towards the ground takes that for inertia;
beside the D = eᵀI e of the neighbour's own hinge, accelerations are wrong by ε |I|/D.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, SingularError, users_line
from linkwork.recursive.tree.layout import BODY, HINGE, HINGE_JOINT, KIND, PARENT, J

TOLD, REFUSED = 1e-5, 1e-2  # relative error of accelerations


def judge_contrast(ints: np.ndarray, sweep: np.ndarray, names: tuple[str, ...]) -> None:
    """Warn of hinges behind which inertias are too large, or refuse them."""
    hinges = np.flatnonzero(ints[:, KIND] == HINGE_JOINT)
    hinges = hinges[np.isin(ints[hinges, PARENT], hinges)]
    if not len(hinges):
        return
    parents = ints[hinges, PARENT]
    behind = np.abs(sweep[hinges, J : J + 6]).max(axis=1)
    error = 2.0**-52 * behind * np.abs(sweep[parents, HINGE + 6])
    worst = int(np.argmax(error))
    if not error[worst] > TOLD:
        return
    body, carrier = (names[ints[k, BODY]] for k in (hinges[worst], parents[worst]))
    text = (
        f"the inertia of body '{body}' about its hinge is {behind[worst]:.2g} kg m², so much "
        f"larger than that of '{carrier}', which carries it, that round-off in joint coordinates "
        f"changes accelerations of '{carrier}' by {min(1.0, error[worst]):.1g} of themselves; use "
        "lw.GeneralizedAlpha(), or look for a length or an inertia that is far too large"
    )
    if error[worst] > REFUSED:
        raise SingularError(text)
    warnings.warn(text, LinkworkWarning, stacklevel=users_line())
