"""A substructure leaves the equations: a frame F, a vector node q and the bodies that follow both.

A follower N has six rows C_N x_N + C_F x_F + C_q x_q = c with a regular C_N.  With z = (x_F, x_q)

    x_N = T z + d,    T = −C_N⁻¹ [C_F  C_q],    d = C_N⁻¹ c            (all but one, the gate R)
    A = S_zz + Σ S_zN T + Tᵀ S_Nz + Tᵀ S_NN T,       r_z + Σ Tᵀ (r_N − S_NN d) − S_zN d

Rows W x_N = ω that were delayed to a follower become V = W T.  The rows of the gate, through which
the substructure is joined to the rest, give the frame by the gate and q,

    x_F = G x_R + H x_q + e,     G = −C_F⁻¹ C_N,   H = −C_F⁻¹ C_q,   e = C_F⁻¹ c

so that q alone is left, with the rows V, whose part for q is brought to full rank k by Gauss's
elimination; rows without such a part are delayed to the gate.  What remains,

    [Q    V_qᵀ] [x_q]   [r_q]   [B  ]
    [V_q  0   ] [μ  ] = [ω  ] − [V_R] x_R

is solved densely, and its Schur complement is added to S_RR.  Multipliers follow from the equations
of followers and frame.  So a chain of links with a few amplitudes each costs what a chain of bodies
does.  (Static condensation of a superelement, here with constraints; the order of elimination is
that of the articulated body, Featherstone 1983.)

Rows over z or over (x_R, x_q) are vectors of eight: six numbers of the body with the right-hand
side in column 6, then q.
"""

from __future__ import annotations

from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import far
from linkwork.linear_algebra.along_mechanism.substructure.factor import factor_substructure
from linkwork.linear_algebra.along_mechanism.substructure.solve import back, forward

FACTOR, FORWARD, BACK = range(3)


@far
def leave(c, vals, rhs, x, out, number, task):
    """FACTOR with the right-hand side, FORWARD for another one, BACK; the growth of the first."""
    t = borrow(c.ints[c.first[number] :])
    s, v, b = borrow(c.store[c.places[number] :]), borrow(vals), borrow(rhs)
    if task == FACTOR:
        return factor_substructure(s, t, v, b, c.length[0])
    if task == BACK:
        back(s, t, borrow(x), borrow(out))
    else:
        forward(s, t, v, b)
    return 0.0
