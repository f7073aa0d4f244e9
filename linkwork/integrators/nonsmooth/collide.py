"""Points of hard contact at a position: normals, gaps, and what a unit impulse does there.

A point has a frame (n, t₁, t₂), the bodies i and j it acts on (n from i to j), and the relative
velocity u = H v of j over i.  Points are recognised in the next step by their key: pair of shapes,
element of the pair, number of the point.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.contact.geometry.narrow_phase import find_points
from linkwork.elements.contact.layout import COLUMNS, DEPTH, FLIP, MOST_POINTS, NORMAL, PLACE
from linkwork.elements.contact.pairing import MOST_NODES
from linkwork.elements.layout import POS, ROT
from linkwork.kernels.compiled import compiled, inlined
from linkwork.kernels.vectors import at, at9, cross, scale, sub

# columns of a point
BODY_I, BODY_J, CONTACT, KEY, INTS = 0, 1, 2, 3, 4
WAY, SIDE, WHERE, GAP, REALS = 0, 3, 6, 9, 10  # n, t₁, P


@inlined
def across(n):
    """A unit vector across n."""
    if abs(n[0]) < 0.6:
        t = cross(n, (1.0, 0.0, 0.0))
    else:
        t = cross(n, (0.0, 1.0, 0.0))
    return scale(1.0 / math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), t)


@compiled
def collide(shapes, table, first, codes, rows, nodes, pairs, count, active, ints, reals):
    """Points that are nearer than `active`: how many, and a pair whose numbers are not known.

    Returns (points, −1, −1), or (0, i, j) for an unknown pair; more points than there is room for
    are counted, not written.
    """
    w = np.zeros((MOST_POINTS, COLUMNS))
    points = 0
    for p in range(count):
        i, j = pairs[p, 0], pairs[p, 1]
        begin, elements = first[shapes.like[i], shapes.like[j]]
        if begin < 0:
            return 0, i, j
        contact = table[shapes.group[i], shapes.group[j]]
        for k in range(elements):
            row = begin + k
            one, two = shapes.body[i], shapes.body[j]
            if codes[row, FLIP] < 0:
                one, two = two, one
            Ra, ra, Rb, rb = at9(nodes, one, ROT), at(nodes, one, POS), at9(nodes, two, ROT), at(
                nodes, two, POS)  # fmt: skip
            found, side = find_points(codes, rows, row, w, Ra, ra, Rb, rb)
            for m in range(found):
                if -w[m, DEPTH] > active:
                    continue
                if points < ints.shape[0]:
                    n = scale(side, at(w, m, NORMAL))
                    t = across(n)
                    ints[points, BODY_I], ints[points, BODY_J] = one, two
                    ints[points, CONTACT] = contact
                    pair = (i * shapes.body.size + j) * MOST_NODES + k
                    ints[points, KEY] = pair * MOST_POINTS + m
                    for c in range(3):
                        reals[points, WAY + c], reals[points, SIDE + c] = n[c], t[c]
                        reals[points, WHERE + c] = w[m, PLACE + c]
                    reals[points, GAP] = -w[m, DEPTH]
                points += 1
    return points, -1, -1


@inlined
def arms(reals, k, nodes, i, j):
    P = at(reals, k, WHERE)
    return sub(P, at(nodes, i, POS)), sub(P, at(nodes, j, POS))
