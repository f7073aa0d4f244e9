"""The order of groups: minimum degree on the quotient graph, bodies and joints as its vertices.

    eliminating p joins all neighbours of p;  take the p with fewest unknowns in its front next

An eliminated group stays as an element that stands for the clique of its neighbours, so the graph
never grows (George and Liu, SIAM Review 31, 1989); degrees are the bounds of Amestoy, Davis and
Duff (SIAM J. Matrix Anal. 17, 1996).  The zero block has no pivots, so a joint waits until the
bodies eliminated next to it have enough unknowns for its rows.
"""

import heapq

import numpy as np

LARGE = 300  # other rows of a front from which groups are joined in it


def order_groups(neighbours, size, is_body):
    """Minimum degree: groups in order of elimination and the set of groups in the front of each.

    `neighbours` (a list of sets, used up here) is the graph of what is not yet eliminated.  An
    eliminated group becomes an element that stands for the clique of its front; the surplus of an
    element is the number of body unknowns less that of joint rows eliminated in it.
    """
    n = len(size)
    near = [sum(size[j] for j in of) for of in neighbours]
    elements = [set() for _ in range(n)]
    fronts, extent, surplus = {}, {}, {}
    degree = [d if body else None for d, body in zip(near, is_body, strict=True)]
    heap = [(d, i) for i, d in enumerate(degree) if d is not None]
    heapq.heapify(heap)
    while len(fronts) < n:
        if not heap:  # more rows than body unknowns, singular: let the pivot search say where
            degree = near[:]
            heap = sorted((d, i) for i, d in enumerate(degree) if i not in fronts)
        d, p = heapq.heappop(heap)
        if p in fronts or d != degree[p]:
            continue
        front = neighbours[p].union(*(fronts[e] for e in elements[p])) - {p}
        fronts[p], extent[p] = front, sum(size[i] for i in front)
        surplus[p] = sum(surplus[e] for e in elements[p]) + (size[p] if is_body[p] else -size[p])
        outside = {}
        for i in front:
            covered = neighbours[i] & front | neighbours[i] & {p}
            neighbours[i] -= covered
            near[i] -= sum(size[j] for j in covered)
            elements[i] -= elements[p]
            for e in elements[i]:
                outside[e] = outside.get(e, extent[e]) - size[i]
        inside = {e for e, left in outside.items() if left == 0}
        surplus[p] += sum(surplus[e] for e in inside)
        for i in front:
            elements[i] -= inside
            free = is_body[i] or surplus[p] + sum(surplus[e] for e in elements[i]) >= size[i]
            beyond = sum(outside[e] for e in elements[i])
            degree[i] = near[i] + extent[p] - size[i] + beyond if free else None
            elements[i].add(p)
            if free:
                heapq.heappush(heap, (degree[i], i))
    return list(fronts), fronts


def group_tree(rows, cols, groups, n_dof):
    """Groups in postorder, children of each, unknowns of each, and unknowns in the front of each.

    Groups are numbered anew in the order of their unknowns.
    """
    n = len(groups)
    start = np.flatnonzero(np.r_[True, np.diff(groups) != 0])
    number = np.repeat(np.arange(len(start)), np.diff(np.r_[start, n]))
    unknowns = np.split(np.arange(n), start[1:])
    blocks = np.sort(number[rows] * len(start) + number[cols])
    blocks = blocks[np.diff(blocks, prepend=-1) > 0]
    neighbours = [set() for _ in start]
    for i, j in zip(*(each.tolist() for each in np.divmod(blocks, len(start))), strict=True):
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    order, fronts = order_groups(neighbours, [len(u) for u in unknowns], (start < n_dof).tolist())
    turn = {g: k for k, g in enumerate(order)}
    children, roots = [[] for _ in start], []
    for g in order:
        home = children[min(fronts[g], key=turn.get)] if fronts[g] else roots
        home.append(g)
    postorder, todo = [], roots
    while todo:  # parents before children, then turned round
        g = todo.pop()
        postorder.append(g)
        todo.extend(children[g])
    none = np.zeros(0, dtype=np.int64)
    rest = [np.concatenate([none, *(unknowns[j] for j in fronts[g])]) for g in range(len(start))]
    return join_large(postorder[::-1], children, unknowns, rest, number)


def join_large(postorder, children, unknowns, rest, number):
    """The same with groups in one front where a large front differs from its parent's by the
    group that leaves: their fronts need not be copied from one to the next."""
    home = np.arange(len(unknowns))  # the group whose front a group is in
    order = []
    for g in postorder:  # children first
        for child in children[g]:
            if len(rest[child]) >= LARGE and len(rest[child]) == len(unknowns[g]) + len(rest[g]):
                unknowns[g] = np.concatenate([unknowns[child], unknowns[g]])
                children[g] = [c for c in children[g] if c != child] + children[child]
                home[home == child] = g
                break
        order.append(g)
    kept = home[order] == order
    return [g for g, whole in zip(order, kept, strict=True) if whole], children, unknowns, rest, (
        home[number]
    )
