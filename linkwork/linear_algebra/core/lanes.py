"""Four numbers at a time: y ← (y − a₀u₀ − a₁u₁ − a₂u₂ − a₃u₃) s, the one inner loop of L U."""

from linkwork.kernels.compiled import fused_spliced
from linkwork.kernels.registers.fours import larger4, load4, store4
from linkwork.kernels.registers.lanes import FOUR

LANES = FOUR.width


def pad(count):
    """The next multiple of LANES."""
    return -(-count // LANES) * LANES


@fused_spliced
def update(y, i, a, j, lead, u0, u1, u2, u3, scale):
    """y = (y - a0 u0 - a1 u1 - a2 u2 - a3 u3) scale for LANES numbers of y, from i on.

    a0 starts at a[j] and a1, a2, a3 follow at distances `lead`.
    """
    part = load4(y, i) - load4(a, j) * u0 - load4(a, j + lead) * u1 - load4(a, j + 2 * lead) * u2
    store4(y, i, (part - load4(a, j + 3 * lead) * u3) * scale)


@fused_spliced
def raise_peak(peak, weight, i, a, j, lead, s0, s1, s2, s3):
    """peak = max(peak, |a0| w s0, ..., |a3| w s3), w = weight[i:], in the manner of `update`."""
    w, most = load4(weight, i), load4(peak, 0)
    x, y = load4(a, j) * w * s0, load4(a, j + lead) * w * s1
    z, u = load4(a, j + 2 * lead) * w * s2, load4(a, j + 3 * lead) * w * s3
    most = larger4(-x, larger4(x, most))
    most = larger4(-y, larger4(y, most))
    most = larger4(-z, larger4(z, most))
    store4(peak, 0, larger4(-u, larger4(u, most)))
