"""Cross sections of beams: stiffness and mass per length.

x lies along the beam, y and z are the section's axes.  EIy resists bending about y, which moves the
beam along z; rectangle(width, height) has its width along y and its height along z (shapes.py).

    EA, EIy = E ∫z² dA, EIz = E ∫y² dA, GJ = E J / (2 (1 + ν));   Jx = Jy + Jz, Jy = ρ ∫z² dA, …

The section's law takes strains (axial, shear y, z; torsion, curvature about y, z) on the beam's
axis to forces and moments there.  With the tension centre at (y_t, z_t) and the shear centre at
(y_s, z_s), the strains that EA, GAy, GAz belong to are

    ε + z_t κ_y − y_t κ_z,   γ_y − z_s κ_x,   γ_z + y_s κ_x
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.flexible.shapes import Shape, circle, rectangle, tube
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.calls import explained_maker
from linkwork.model.given import (
    MatrixLike, MatrixOrNone, Number, Pair, SixOrNone, VectorLike, given,
)  # fmt: skip

if TYPE_CHECKING:
    from linkwork.elements.laws.base import ConstitutiveLaw

STIFFNESSES = ("EA", "EIy", "EIz", "GJ")
SHEAR = ("GAy", "GAz")
INERTIAS = ("Jx", "Jy", "Jz")
USUAL_SHEAR = 5 / 6 / 2.6  # GA/EA of a slender rectangle with ν = 0.3
DEFINITE = 1e-12  # least eigenvalue of a stiffness, scaled to a unit diagonal


@dataclass(frozen=True)
class Section:
    """Stiffness and mass per length of a beam, about the section's own axes y and z.

    EA in N; EIy, EIz (bending about y and about z) and GJ in N m²; mass in kg/m; Jx, Jy, Jz are
    moments of inertia per length, kg m, about the centre of mass.  Inertias that are not given are
    those of a homogeneous material, J = mass · EI/EA.  `rectangle`, `circle` and `tube` compute all
    of them.  Words for `lw.Beam`:

    GAy, GAz       : shear stiffness, N; those of a rectangle with ν = 0.3 if not given
    tension_centre, shear_centre, mass_offset : (y, z) from the beam's axis, m
    stiffness      : in place of all of these the 6×6 matrix (or six numbers) over axial strain,
                     shear y and z, torsion, curvature about y and z;  inertia = (Jx, Jy, Jz)
    damping        : one number, the factor of the stiffness (s), or a 6×6 matrix of its own
    prestrain, prestress : six numbers or functions of time each (thermal strain, pretension)
    law            : any of lw.laws with six components in place of the stiffness
    piezo          : 6×n, forces (N) and moments (N m) per volt of n electrodes along it; their
                     voltages are given to the beam (`electrodes=`)
    capacitance    : n×n or n numbers, their charges per length and volt, F/m
    charge         : n×6, their charges per length by strains (C/m) and curvatures (C); −piezoᵀ,
                     as energy wants it, if not given

    Example
    -------
    >>> import linkwork as lw
    >>> steel = lw.Section.rectangle(0.02, 0.01, E=2.1e11, density=7800)
    >>> round(steel.mass, 6)
    1.56
    >>> K = [1e6, 4e5, 4e5, 50, 80, 80]
    >>> composite = lw.Section(stiffness=K, mass=0.5, inertia=(2e-4, 1e-4, 1e-4), damping=1e-4)
    """

    EA: Number = given(None)
    EIy: Number = given(None)
    EIz: Number = given(None)
    GJ: Number = given(None)
    mass: Number = given(None)
    Jx: Number = given(None)
    Jy: Number = given(None)
    Jz: Number = given(None)
    # for drawing: width along y, height along z
    outline: VectorLike | None = field(default=None, compare=False)
    GAy: Number = given(None)
    GAz: Number = given(None)
    stiffness: MatrixOrNone = given(None)
    inertia: VectorLike | None = None
    damping: float | MatrixLike = 0.0
    mass_offset: Pair = given((0.0, 0.0))
    tension_centre: Pair = given((0.0, 0.0))
    shear_centre: Pair = given((0.0, 0.0))
    prestrain: SixOrNone = given(None)
    prestress: SixOrNone = given(None)
    law: ConstitutiveLaw | None = None
    piezo: MatrixOrNone = given(None)
    capacitance: MatrixOrNone = given(None)
    charge: MatrixOrNone = given(None)

    def __post_init__(self) -> None:
        self._take_stiffness()
        self._set("mass", checks.number(self.mass, "mass of a Section", positive=True))
        self._take_inertia()
        for word in ("mass_offset", "tension_centre", "shear_centre"):
            place = checks.vector(getattr(self, word), f"{word} of a Section", 2)
            self._set(word, (float(place[0]), float(place[1])))
        if self.outline is not None:
            size = checks.vector(self.outline, "outline of a Section", 2)
            self._set("outline", (float(size[0]), float(size[1])))
        self._take_damping()
        self._take_electrodes()
        for word in ("prestrain", "prestress"):
            given = getattr(self, word)
            if given is None:
                continue
            if self.law is not None:
                raise ModelError(f"{word} of a Section with a law belongs to the law")
            parts = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
            if len(parts) != 6:
                raise ModelError(
                    f"{word} of a Section must be six numbers or functions of time, but "
                    f"{checks.show(given)} was given"
                )
            self._set(word, tuple(float(x) if checks.array(x) is not None else x for x in parts))

    def _set(self, word: str, value: Any) -> None:
        object.__setattr__(self, word, value)

    # ------------------------------------------------------------------------------- its words
    def _take_stiffness(self) -> None:
        given = [word for word in (*STIFFNESSES, *SHEAR) if getattr(self, word) is not None]
        whole = [word for word in ("stiffness", "law") if getattr(self, word) is not None]
        if len(whole) == 2 or (whole and given):
            raise ModelError(
                f"a Section takes EA, EIy, EIz, GJ, or stiffness, or law, but {given or whole[0]} "
                f"and {whole[-1]} were given; leave one out"
            )
        if self.law is not None:
            from linkwork.elements.laws.base import law_numbers

            law_numbers(self.law, 6, "a Section", 0)
            return
        if self.stiffness is not None:
            K = six_by_six(self.stiffness, "stiffness of a Section")
            diagonal = np.diag(K)
            if diagonal.min() > 0:
                unit = K / np.sqrt(np.outer(diagonal, diagonal))
                least = float(np.linalg.eigvalsh(unit)[0])
            if diagonal.min() <= 0 or least < DEFINITE:
                raise ModelError(
                    "stiffness of a Section must be positive definite, but some strain meets no "
                    "resistance, or a negative one; check its signs and its couplings"
                )
            self._set("stiffness", tuple(map(tuple, K.tolist())))
            for word, i in zip((*STIFFNESSES, *SHEAR), (0, 4, 5, 3, 1, 2)):
                self._set(word, float(K[i, i]))
            return
        for word in STIFFNESSES:
            value = checks.number(getattr(self, word), f"{word} of a Section", positive=True)
            self._set(word, value)
        for word in SHEAR:
            value = USUAL_SHEAR * self.EA if getattr(self, word) is None else getattr(self, word)
            self._set(word, checks.number(value, f"{word} of a Section", positive=True))

    def _take_inertia(self) -> None:
        if self.inertia is not None:
            moments = checks.vector(self.inertia, "inertia of a Section").tolist()
            if any(getattr(self, word) is not None for word in INERTIAS):
                raise ModelError("a Section takes inertia or Jx, Jy, Jz; leave one out")
            for word, value in zip(INERTIAS, moments):
                self._set(word, value)
            self._set("inertia", None)
        usual: tuple[float | None, ...] = (None, None, None)
        if self.EA is not None:
            density = self.mass / self.EA
            usual = (density * (self.EIy + self.EIz), density * self.EIy, density * self.EIz)
        for word, homogeneous in zip(INERTIAS, usual, strict=True):
            value = homogeneous if getattr(self, word) is None else getattr(self, word)
            if value is None:
                raise ModelError("a Section with a law needs inertia=(Jx, Jy, Jz), kg m")
            self._set(word, checks.number(value, f"{word} of a Section", minimum=0))

    def _take_damping(self) -> None:
        factor = checks.array(self.damping)
        if factor is not None and factor.ndim == 0:
            self._set("damping", checks.number(factor, "damping of a Section", minimum=0))
            if self.damping and self.law is not None:
                raise ModelError("damping of a Section with a law belongs to the law")
            return
        if self.law is not None:
            raise ModelError("damping of a Section with a law belongs to the law")
        D = six_by_six(self.damping, "damping of a Section")
        if float(np.linalg.eigvalsh(D)[0]) < -1e-9 * float(np.abs(D).max()):
            raise ModelError("damping of a Section must not be negative in any direction")
        self._set("damping", tuple(map(tuple, D.tolist())))

    def _take_electrodes(self) -> None:
        if self.piezo is None:
            for word in ("capacitance", "charge"):
                if getattr(self, word) is not None:
                    raise ModelError(f"{word} of a Section needs electrodes: give piezo, 6×n")
            return
        E = checks.array(self.piezo)
        E = E[:, None] if E is not None and E.shape == (6,) else E
        fits = E is not None and E.ndim == 2 and E.shape[0] == 6 and E.shape[1] > 0
        if E is None or not fits or not np.isfinite(E).all():
            raise ModelError(
                "piezo of a Section must be six rows of finite numbers (forces x, y, z, moments x, "
                f"y, z), one column for each electrode, but {checks.show(self.piezo)} was given"
            )
        n = E.shape[1]
        self._set("piezo", tuple(map(tuple, E.tolist())))
        for word, shape in (("capacitance", (n, n)), ("charge", (n, 6))):
            given = getattr(self, word)
            if given is None:
                continue
            X = checks.array(given)
            if X is not None and word == "capacitance" and X.ndim < 2 and X.size == n:
                X = np.diag(X.reshape(n))
            if X is None or X.shape != shape or not np.isfinite(X).all():
                raise ModelError(
                    f"{word} of a Section with {n} electrode{'s' * (n > 1)} must be a matrix "
                    f"{shape[0]}×{shape[1]} of finite numbers, but {checks.show(given)} was given"
                )
            self._set(word, tuple(map(tuple, X.tolist())))

    @property
    def charges(self) -> tuple[np.ndarray, np.ndarray]:
        """B and C of the charges B k + C V on its electrodes."""
        E = np.array(self.piezo)
        n = E.shape[1]
        B = -E.T if self.charge is None else np.array(self.charge)
        return B, np.zeros((n, n)) if self.capacitance is None else np.array(self.capacitance)

    def parameters(self) -> dict[str, Any]:
        """The numbers, for files."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.stiffness is not None:
            found |= dict.fromkeys((*STIFFNESSES, *SHEAR))
        return found

    # ---------------------------------------------------------------------------- of beams
    @property
    def matrix(self) -> np.ndarray:
        """The 6×6 stiffness on the beam's axis."""
        if self.stiffness is not None:
            K = np.array(self.stiffness)
        else:
            K = np.diag([self.EA, self.GAy, self.GAz, self.GJ, self.EIy, self.EIz])
        if any(self.tension_centre + self.shear_centre):
            (yt, zt), (ys, zs) = self.tension_centre, self.shear_centre
            moved = np.eye(6)
            moved[0, 4], moved[0, 5], moved[1, 3], moved[2, 3] = zt, -yt, -zs, ys
            K = moved.T @ K @ moved
        return K

    @property
    def damping_matrix(self) -> np.ndarray:
        if isinstance(self.damping, tuple):
            return np.array(self.damping)
        return self.damping * self.matrix

    def as_law(
        self, what: str, correct: Callable[..., tuple[np.ndarray, np.ndarray]] | None = None
    ) -> Any:
        """Its law of six components; `correct` changes the matrices of a linear one."""
        from linkwork.elements.laws import LinearElastic, LinearViscoelastic

        if self.law is None:
            C, D = self.matrix, self.damping_matrix
            C, D = (C, D) if correct is None else correct(C, D)
            return LinearViscoelastic(C, D, prestrain=self.prestrain, prestress=self.prestress)
        if correct is None:
            return self.law
        if not isinstance(self.law, LinearElastic):
            raise ModelError(
                f"{what} has two nodes, which needs a linear section, but its law is "
                f"{checks.show(self.law)}; take elements of three nodes"
            )
        from linkwork.elements.laws.base import matrix

        C = matrix(self.law.stiffness, 6, what)
        C = correct(C, np.zeros((6, 6)))[0]
        return LinearElastic(C, prestrain=self.law.prestrain, prestress=self.law.prestress)

    def refuse_coupling(self, what: str) -> None:
        """For links that know principal axes through one centre alone."""
        known = self.law is None and self.prestrain is None and self.prestress is None
        known = known and self.piezo is None
        offsets = (*self.mass_offset, *self.tension_centre, *self.shear_centre)
        if known and not any(offsets):
            K = self.matrix
            known = bool(np.all(np.diag(np.diag(K)) == K)) and self.damping == 0.0
        if not known or any(offsets):
            raise ModelError(
                f"section of {what} has couplings, offsets, damping, a pre-strain or a law of its "
                "own, which a FlexibleLink does not know; take an lw.Beam"
            )

    # ------------------------------------------------------------------------- known shapes
    @classmethod
    @explained_maker
    def rectangle(
        cls, width: float, height: float, *, E: float, nu: float = 0.3, density: float, **more: Any
    ) -> Section:
        """A solid rectangle: width along y, height along z; `more` are other words."""
        return cls.of_material(rectangle(width, height), E, nu, density, **more)

    @classmethod
    @explained_maker
    def circle(
        cls, radius: float, *, E: float, nu: float = 0.3, density: float, **more: Any
    ) -> Section:
        """A solid circle."""
        return cls.of_material(circle(radius), E, nu, density, **more)

    @classmethod
    @explained_maker
    def tube(
        cls, outer: float, inner: float, *, E: float, nu: float = 0.3, density: float, **more: Any
    ) -> Section:
        """A round tube with these two radii."""
        return cls.of_material(tube(outer, inner), E, nu, density, **more)

    @classmethod
    @explained_maker
    def of_material(
        cls, shape: Shape, E: float, nu: float, density: float, **more: Any
    ) -> Section:
        """A shape of a homogeneous material."""
        what = f"Section.{shape.kind}"
        E = checks.number(E, f"E of {what}", positive=True)
        nu = checks.number(nu, f"nu of {what}")
        if not -1 < nu <= 0.5:
            raise ModelError(f"nu of {what} must lie between -1 and 0.5, but {nu:g} was given")
        rho = checks.number(density, f"density of {what}", positive=True)
        G, area, Iy, Iz = E / (2 * (1 + nu)), shape.area, shape.Iy, shape.Iz
        GA = shape.shear(nu) * G * area
        return cls(
            E * area, E * Iy, E * Iz, G * shape.J, rho * area, rho * (Iy + Iz), rho * Iy, rho * Iz,
            shape.outline, **{"GAy": GA, "GAz": GA, **more},
        )  # fmt: skip


def six_by_six(value: Any, what: str) -> np.ndarray:
    """A symmetric 6×6 matrix from six numbers or a matrix."""
    X = checks.array(value)
    if X is not None and X.shape == (6,):
        X = np.diag(X)
    if X is None or X.shape != (6, 6) or not np.all(np.isfinite(X)):
        raise ModelError(
            f"{what} must be six numbers (axial, shear y, z, torsion, bending y, z) or a 6×6 "
            f"matrix, all finite, but {checks.show(value)} was given"
        )
    size = np.sqrt(np.maximum(np.abs(np.diag(X)), np.finfo(float).tiny))
    if np.abs((X - X.T) / np.outer(size, size)).max() > 1e-9:
        raise ModelError(f"{what} must be a symmetric matrix, but {checks.show(value)} was given")
    return X / 2 + X.T / 2
