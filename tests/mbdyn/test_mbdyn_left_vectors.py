"""Left eigenvectors that eigenanalyses write: Wᴴ(Aminus − Λ Aplus) = 0, and as scipy finds them."""

from __future__ import annotations

import h5netcdf
import numpy as np
import scipy.linalg as la
from mbdyn_text import deck_text
from test_mbdyn_analyses import octave

import linkwork as lw


def written(tmp_path, elements, nodes, control, options=""):
    path = tmp_path / "deck.mbd"
    text = deck_text(nodes, elements, control=control, time=".1")
    request = "eigenanalysis: 0., output full matrices, output eigenvectors, parameter, .1"
    path.write_text(text.replace("method: ms, .6;", f"method: ms, .6; {request}{options};"))
    deck = lw.read_deck(path)
    lw.write_mbdyn(deck, lw.run_deck(deck, progress=False), tmp_path / "out")
    found = octave(tmp_path / "out.m")
    with h5netcdf.File(tmp_path / "out.nc") as file:
        L = file["eig.0.VL"][:]
    np.testing.assert_allclose(L[0].T + 1j * L[1].T, found["VL"], atol=1e-12)
    alpha = found["alpha"].real
    big = (alpha[:, 0] + 1j * alpha[:, 1]) / alpha[:, 2]
    return big, found["VL"], found["VR"], found["Aplus"].real, found["Aminus"].real


def test_they_satisfy_their_equation(tmp_path):
    nodes = "structural: 1, dynamic displacement, null, null; abstract: 3, differential;"
    springs = [f"genel: {k}, spring support, 1, structural, {k}, algebraic, linear viscoelastic, "
               f"{50 * k}., {k}.;" for k in (1, 2, 3)]  # fmt: skip
    crossed = [f"genel: {10 + k}, cross spring support, 1, structural, {k}, algebraic, "
               f"1, structural, {j}, algebraic, linear viscoelastic, {x}, {0.1 * x};"
               for k, j, x in ((1, 2, 20.0), (2, 1, -5.0), (3, 1, 8.0))]  # fmt: skip
    loop = """genel: 20, spring support, 3, abstract, algebraic, linear viscoelastic, 4., 2.;
      genel: 21, cross spring support, 3, abstract, algebraic, 1, structural, 1, algebraic,
        linear elastic, -7.;
      genel: 22, cross spring support, 1, structural, 2, algebraic, 3, abstract, algebraic,
        linear elastic, 9.;"""
    big, L, R, plus, minus = written(
        tmp_path, "body: 1, 1, 2.;" + "".join([*springs, *crossed]) + loop, nodes,
        "abstract nodes: 1; genels: 9;",
    )  # fmt: skip
    assert len(big) == 7  # three pairs and the filter
    error = L.conj().T @ minus - big[:, None] * (L.conj().T @ plus)
    assert np.abs(error).max() < 1e-9 * np.abs(minus).max()
    # independent: LAPACK on the whole pencil, whose other eigenvalues are infinite
    every, W = la.eig(minus, plus, left=True, right=False)
    for value, w in zip(big, L.T):
        k = int(np.argmin(np.abs(every - value)))
        assert abs(every[k] - value) < 1e-7
        cosine = abs(np.vdot(W[:, k], w)) / np.linalg.norm(W[:, k]) / np.linalg.norm(w)
        assert cosine > 1 - 1e-9
    # left and right vectors of different eigenvalues are orthogonal in Aplus
    product = L.conj().T @ plus @ R
    size = np.abs(np.diag(product))
    np.testing.assert_allclose(product - np.diag(np.diag(product)), 0, atol=1e-7 * size.max())
    assert size.min() > 1e-6 * size.max()


def test_equal_eigenvalues_have_vectors_of_their_own(tmp_path):
    nodes = "structural: 1, dynamic displacement, null, null;"
    springs = [f"genel: {k}, spring support, 1, structural, {k}, algebraic, linear elastic, 50.;"
               for k in (1, 2, 3)]  # fmt: skip
    big, L, _, plus, minus = written(
        tmp_path, "body: 1, 1, 2.;" + "".join(springs), nodes, "genels: 3;"
    )
    assert len(big) == 6
    error = L.conj().T @ minus - big[:, None] * (L.conj().T @ plus)
    assert np.abs(error).max() < 1e-9 * np.abs(minus).max()
    assert np.linalg.matrix_rank(L, tol=1e-6) == 6
