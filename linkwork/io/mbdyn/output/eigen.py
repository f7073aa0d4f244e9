"""Eigenanalyses in MBDyn's files: lines of .out, NAME.m for Octave, variables eig.… of .nc."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.deck.eigen_analysis import Analysed, alpha_of, described
from linkwork.io.mbdyn.problem.eigen import EigenRequest


def mode_lines(found: list[Analysed]) -> Iterator[str]:
    """The summary in .out."""
    for one in found:
        yield f"# eigenanalysis at t = {one.time:g}\n"
        if one.values is None:
            yield f"# {one.sentence}\n"
            continue
        yield "# Eig Re Im Damp% Freq(Hz)\n"
        for k, (value, damping, frequency) in enumerate(described(one), 1):
            yield f"Eig {k} {value.real:.9e} {value.imag:.9e} {100 * damping:.6g} {frequency:.9g}\n"


def write_text_files(deck: Deck, found: list[Analysed], name: str | Path) -> list[Path]:
    """A file for every analysis that has modes; returns the paths."""
    request, paths = deck.analysis.eigen, []
    for one in found:
        if request is not None and one.values is not None:
            path = Path(request.file(str(name), one.number))
            with path.open("w", encoding="utf-8") as file:
                file.writelines(octave_lines(request, one))
            paths.append(path)
    return paths


def octave_lines(request: EigenRequest, one: Analysed) -> Iterator[str]:
    digits = request.precision
    yield f"% linkwork, eigenanalysis at t = {one.time:g}; motions in {one.axes}\n"
    yield f"dCoef = {request.parameter:.16e};\n"
    if one.matrices is not None:
        for word, A in zip(("Aplus", "Aminus"), one.matrices):
            whole = "matrices" in request.output
            yield from matrix(word, A.toarray(), 16) if whole else sparse(word, A)
    yield "% (alpha(:, 1) + i*alpha(:, 2))./alpha(:, 3) are the eigenvalues of discrete time\n"
    yield from matrix("alpha", alpha_of(one.both(), request.parameter), digits)
    if "geometry" in request.output:
        assert one.X0 is not None
        yield from matrix("X0", one.X0[:, None], digits)
        yield f"labels = [ {' '.join(map(str, one.labels))} ];\n"
        yield f"idx = [ {' '.join(str(6 * k) for k in range(len(one.labels)))} ];\n"
    if "eigenvectors" in request.output:
        assert one.vectors is not None and one.left is not None
        yield "% left eigenvectors\n"
        yield from matrix("VL", one.left, digits)
        yield "% right eigenvectors\n"
        yield from matrix("VR", one.vectors, digits)


def matrix(word: str, A: np.ndarray, digits: int) -> Iterator[str]:
    if not A.size:
        yield f"{word} = zeros({A.shape[0]}, {A.shape[1]});\n"
        return
    yield f"{word} = [\n"
    for row in A:
        yield "  " + " ".join(number(x, digits) for x in row) + "\n"
    yield "];\n"


def number(x: Any, digits: int) -> str:
    if isinstance(x, complex | np.complexfloating):
        return f"{x.real:.{digits}e}{x.imag:+.{digits}e}i"
    return f"{x:.{digits}e}"


def sparse(word: str, A: Any) -> Iterator[str]:
    n = A.shape[0]
    yield f"{word} = [\n"
    for i, j, x in triples(A):
        yield f"  {i:.0f} {j:.0f} {x:.16e}\n"
    yield f"];\n{word} = sparse({word}(:, 1), {word}(:, 2), {word}(:, 3), {n}, {n});\n"


def triples(A: Any) -> np.ndarray:
    """Row, column (both from one) and value of what is not zero."""
    A = A.tocoo()
    return np.stack([A.row + 1.0, A.col + 1.0, A.data], axis=1)[A.data != 0]


def put_modes(file: Any, deck: Deck, found: Sequence[Analysed], steps: np.ndarray) -> None:
    """eig.step, .time, .dCoef, .idx, and eig.<number>.alpha, .VL, .VR, .Aplus, .Aminus."""
    request = deck.analysis.eigen
    known = [one for one in found if one.values is not None]
    if request is None or not known:
        return
    file.dimensions["eigensolutions"] = len(known)
    put(file, "eig.step", ["eigensolutions"], np.array([steps[one.row] for one in known]), "-")
    put(file, "eig.time", ["eigensolutions"], np.array([one.time for one in known]), "s")
    put(file, "eig.dCoef", ["eigensolutions"], np.full(len(known), request.parameter), "s")
    file.dimensions["eig_idx_size"] = len(known[0].labels)
    index = 6 * np.arange(len(known[0].labels), dtype=np.int32)
    put(file, "eig.idx", ["eig_idx_size"], index, "-")
    file.dimensions["complex_var_dim"], file.dimensions["eig_alpha_dim"] = 2, 3
    for one in known:
        at, both = f"eig.{one.number}", one.both()
        modes = size(file, f"eig_{one.number}_nmodes", len(both))
        alpha = alpha_of(both, request.parameter)
        put(file, f"{at}.alpha", [modes, "eig_alpha_dim"], alpha, "-")
        if "eigenvectors" in request.output and one.vectors is not None:
            states = size(file, f"eig_{one.number}_nstates", len(one.vectors))
            for word, vectors in (("VL", one.left), ("VR", one.vectors)):
                assert vectors is not None
                parts = np.stack([vectors.T.real, vectors.T.imag])
                put(file, f"{at}.{word}", ["complex_var_dim", modes, states], parts, "-")
        if one.matrices is not None:
            put_matrices(file, request, one)


def put_matrices(file: Any, request: EigenRequest, one: Analysed) -> None:
    assert one.matrices is not None
    for word, A in zip(("Aplus", "Aminus"), one.matrices):
        at, dim = f"eig.{one.number}.{word}", f"eig_{one.number}_{word}"
        if "matrices" in request.output:
            n = size(file, f"{dim}_iSize", A.shape[0])
            m = size(file, f"{dim}_jSize", A.shape[1])
            put(file, at, [n, m], A.toarray(), "-")
        else:
            entries = size(file, f"{dim}_sp_iSize", len(triples(A)))
            put(file, at, [entries, "eig_alpha_dim"], triples(A), "-")


def size(file: Any, name: str, n: int) -> str:
    file.dimensions[name] = n
    return name


def put(file: Any, name: str, dims: list[str], values: np.ndarray, units: str) -> None:
    file.create_variable(name, tuple(dims), data=values).attrs["units"] = units
