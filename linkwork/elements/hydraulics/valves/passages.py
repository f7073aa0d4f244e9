"""Passages that a moving part opens: edges of spools and seats of poppets.

    area    w (leak + clip(sign s, 0, limit)),      flow as through an orifice (restrictions)
    force   of the jet on the part, which closes the passage
            F = 2 C_d C_v cos θ · area · |Δp|       θ = 69° at sharp edges: 0.43 area |Δp|
            (Merritt: Hydraulic Control Systems, 1967, section 5.2)

sign says which way of the part opens the passage.  The jet force takes work from the part, which
counts as lost: momentum of the fluid is not stored here.
"""

from __future__ import annotations

from linkwork.elements.hydraulics.fluids import FLUID, specific_energy
from linkwork.elements.hydraulics.restrictions import restricted
from linkwork.elements.layout import BY_VALUE, RATE, TANGENT, VALUE
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record

# columns behind those of the fluid: √2 C_d w, δ, leak, limit, and 2 C_d C_v cos θ w
FACTOR, SOFT, LEAK, LIMIT, JET, PASSAGE = record(
    FLUID, factor=1, soft=1, leak=1, limit=1, jet=1, passage=0
)
JET_FORCE = 0.43


@inlined
def opening(s, sign, leak, limit):
    """The part of the way that is open, and its slope by s."""
    x = sign * s
    if x <= 0.0:
        return leak, 0.0
    if x >= limit:
        return leak + limit, 0.0
    return leak + x, sign


@inlined
def passage(ints, reals, k, motion, loads, ends, one, two, sign, s, part):
    """Flow from end `one` to end `two`, and the power it loses; part: the end that is the moving
    part, or −1."""
    values, vals = motion.values, loads.vals
    i, j = ints[k, one], ints[k, two]
    p1, p2 = values[VALUE, i], values[VALUE, j]
    open_, by_s = opening(s, sign, reals[k, LEAK], reals[k, LIMIT])
    soft = reals[k, SOFT]
    unit, by1, by2 = restricted(ints, reals, k, p1, p2, reals[k, FACTOR], soft)
    q = open_ * unit
    loads.balance[i] += q
    loads.balance[j] -= q
    lost = q * (specific_energy(ints, reals, k, p1) - specific_energy(ints, reals, k, p2))
    loads.power[0] += lost
    jet, drop = sign * reals[k, JET], p1 - p2
    size = (drop * drop + soft * soft) ** 0.5
    way = open_ - reals[k, LEAK]
    if part >= 0 and jet != 0.0:
        n = ints[k, part]
        loads.balance[n] += jet * way * size
        loads.power[0] += jet * way * size * values[RATE, n]
    if motion.coef[TANGENT] != 0.0:
        by1, by2 = open_ * by1 * values[BY_VALUE, i], open_ * by2 * values[BY_VALUE, j]
        vals[ints[k, ends + ends * one + one]] += by1
        vals[ints[k, ends + ends * one + two]] += by2
        vals[ints[k, ends + ends * two + one]] -= by1
        vals[ints[k, ends + ends * two + two]] -= by2
        if part >= 0:
            of_part = by_s * values[BY_VALUE, ints[k, part]]
            vals[ints[k, ends + ends * one + part]] += of_part * unit
            vals[ints[k, ends + ends * two + part]] -= of_part * unit
            if jet != 0.0:
                by_drop = jet * way * drop / size
                vals[ints[k, ends + ends * part + part]] += jet * of_part * size
                vals[ints[k, ends + ends * part + one]] += by_drop * values[BY_VALUE, i]
                vals[ints[k, ends + ends * part + two]] -= by_drop * values[BY_VALUE, j]
    return q, lost
