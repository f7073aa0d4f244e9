"""The record of a substructure: sizes, unknowns, blocks of the matrix, places in its store."""

from __future__ import annotations

RHS = 6  # column of the right-hand side (elimination.tables)
NONE, SURE = 1e-12, 1e-8  # parts of rows of size one for q: nothing, and something
# ints of a substructure: values, width of their rows, of all rows; first unknowns of q, F and the
# gate R; children, rows delayed to them, rank of these; blocks; rows of the gate; places in store
(
    VALUES, WIDTH, WIDE, Q0, F0, R0, GATE, CHILDREN, ROWS, RANK, FF, FQ, QF, QQ, FR, RF, QR, RQ, RR,
    CF, CN, CQ, U0, A, GH, INVERSE, ALL, MIXED, MIX, REST, SADDLE, SWAP, ANSWER, GAIN, SPACE, CHILD,
    LATE, COUNT, HEAD,
) = range(39)  # fmt: skip
# of a child: its first unknown and body, blocks, rows, rows delayed to it, places in the store
(
    C_FIRST, C_BODY, C_NN, C_NF, C_FN, C_NQ, C_QN, C_CF, C_CN, C_CQ, C_U0, C_ROWS, C_T, C_OWN,
    C_INVERSE, C_DELAYED, C_SIZE,
) = range(17)  # fmt: skip
PLACE, UNKNOWN, PAIR = range(3)  # of a delayed row
