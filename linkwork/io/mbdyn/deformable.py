"""Deformable joints whose linear laws are exactly those of lw.Bushing.

A force between points depends on their distance in the axes of the first node, as a bushing's does.
A moment depends on the rotation vector; MBDyn's and the bushing's are the same where the law is
isotropic, since there the moment is along the rotation vector.
"""

from __future__ import annotations

import numpy as np

from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.geometry import EYE
from linkwork.io.mbdyn.joints import finish, read_end, seen_from, two_ends
from linkwork.io.mbdyn.laws import read_law


def deformable_displacement(args: Arguments, label: int) -> None:
    """deformable displacement joint, node 1, …, node 2, …, law of three dimensions"""
    first, second = two_ends(args)
    law = read_law(args, 3)
    if np.any(law.prestress != 0):
        args.unsupported("a prestress or prestrain of this joint is not supported")
    symmetric(args, law.stiffness, law.viscosity)

    def make() -> list:
        import linkwork

        K, C = np.zeros((6, 6)), np.zeros((6, 6))
        K[:3, :3], C[:3, :3] = law.stiffness, law.viscosity
        return [linkwork.Bushing(first.frame(), second.frame(), stiffness=K, damping=C)]

    finish(args, label, "deformable displacement joint", first, second, make, "strain")


def deformable_hinge(args: Arguments, label: int) -> None:
    """deformable hinge, node 1, …, node 2, …, law of three dimensions"""
    first = read_end(args)
    second = read_end(args, seen_from(first))
    law = read_law(args, 3)
    K = law.stiffness
    if law.viscous or np.any(law.prestress != 0) or np.any(K - K[0, 0] * EYE != 0):
        args.unsupported(
            "of deformable hinges those with an isotropic elastic law are supported: the others "
            "have moments in MBDyn that derive from no potential, and lw.Bushing's do"
        )

    def make() -> list:
        import linkwork

        stiffness = np.zeros(6)
        stiffness[3:] = K[0, 0]
        return [linkwork.Bushing(first.frame(), second.frame(), stiffness=stiffness)]

    finish(args, label, "deformable hinge", first, second, make, "angles")


def symmetric(args: Arguments, *matrices: np.ndarray) -> None:
    for X in matrices:
        if np.abs(X - X.T).max() > 1e-12 * (np.abs(X).max() or 1.0):
            args.unsupported("a law whose matrix is not symmetric is not supported")
