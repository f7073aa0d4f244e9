"""Cards of constitutive laws that stand for themselves: linear, in closed form, from functions.

Each is a function beside its entry in `PLAIN`; the laws are those of lw.laws.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from linkwork.elements import laws
from linkwork.elements.laws.formula import function_program, reads_time
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.drives.callers import read_law as read_drive_law
from linkwork.io.mbdyn.drives.scalar_functions import inline_function
from linkwork.io.mbdyn.laws.reading import (
    LawCard,
    LawRead,
    coefficients,
    components,
    functions,
    made,
    of_dimension,
    template,
    viscosity,
    with_pre,
)
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import vector
from linkwork.model.drives import Polynomial

VAR = Polynomial((0.0, 1.0))  # the argument of a drive that is a function of strain

# ---------------------------------------------------------------------------------- linear laws


def linear(args: Arguments, n: int, elastic: bool, viscous: bool, isotropic: bool) -> LawRead:
    """linear elastic | viscous | viscoelastic [isotropic | generic], coefficients"""
    K = coefficients(args, n, "a stiffness", isotropic) if elastic else np.zeros((n, n))
    if not viscous:
        return with_pre(args, n, False, laws.LinearElastic, stiffness=K)
    if not elastic:
        D = coefficients(args, n, "a viscosity", isotropic)
        return with_pre(args, n, True, laws.LinearViscous, viscosity=D)
    D = viscosity(args, n, K, isotropic)
    return with_pre(args, n, True, laws.LinearViscoelastic, stiffness=K, viscosity=D)


def time_variant(args: Arguments, n: int) -> LawRead:
    """linear time variant viscoelastic generic, K, drive, C | proportional, factor, drive | same"""
    K = coefficients(args, n, "a stiffness")
    a = read_drive(args)
    D = viscosity(args, n, K)
    b = a if args.keyword("same") else read_drive(args)

    def law(**pre: Any) -> Any:
        return laws.LinearViscoelastic(K, D, stiffness_scale=a(), viscosity_scale=b(), **pre)

    return with_pre(args, n, True, law)


def axial_torsion(args: Arguments, n: int, viscous: bool) -> LawRead:
    """linear (visco)elastic generic axial torsion coupling, K, [C | proportional, factor,] c"""
    K = coefficients(args, n, "a stiffness")
    D = viscosity(args, n, K) if viscous else np.zeros((n, n))
    c = args.real("the coupling coefficient")
    words = dict(stiffness=K, viscosity=D, coupling=c)
    return with_pre(args, n, viscous, laws.AxialTorsion, **words)


# ------------------------------------------------------------------------- laws in closed form


def cubic(args: Arguments, n: int, viscous: bool) -> LawRead:
    """cubic (visco)elastic generic, k₁, k₂, k₃ [, C]"""
    k = [vector(args, n, "a stiffness") for _ in range(3)]
    D = coefficients(args, n, "a viscosity") if viscous else 0.0
    words = dict(first=k[0], second=k[1], third=k[2], viscosity=D)
    return with_pre(args, n, viscous, laws.CubicElastic, **words)


def inverse_square(args: Arguments, n: int) -> LawRead:
    """inverse square elastic, k, reference length"""
    k, length = args.real("a stiffness"), args.positive("the reference length")
    return with_pre(args, n, False, laws.InverseSquare, stiffness=k, length=length)


def log_elastic(args: Arguments, n: int) -> LawRead:
    """log elastic, k"""
    return with_pre(args, n, False, laws.LogElastic, stiffness=args.real("a stiffness"))


def double_linear(args: Arguments, n: int, viscous: bool) -> LawRead:
    """double linear elastic, k₁, upper, lower, k₂ [, third stiffness, k₃]
    double linear viscoelastic, k₁, upper, lower, k₂, c₁ [, second damping, c₂]"""
    k, upper, lower, second = args.reals(4, "a parameter of double linear")
    words: dict[str, Any] = dict(stiffness=k, upper=upper, lower=lower, second=second)
    if viscous:
        words["viscosity"] = args.real("a viscosity")
        if args.keyword("second damping"):
            words["second_viscosity"] = args.real("the second damping")
    elif args.keyword("third stiffness"):
        words["third"] = args.real("the third stiffness")
    return with_pre(args, n, viscous, laws.DoubleLinear, **words)


def hardening(args: Arguments, n: int) -> LawRead:
    """isotropic hardening elastic, k, reference strain [, linear stiffness, k₀]"""
    words = dict(stiffness=args.positive("the stiffness"),
                 reference=args.positive("the reference strain"))  # fmt: skip
    if args.keyword("linear stiffness"):
        words["linear"] = args.real("the linear stiffness")
    return with_pre(args, n, False, laws.IsotropicHardening, **words)


def turbulent(args: Arguments, n: int) -> LawRead:
    """turbulent viscoelastic, k, parabolic viscosity [, threshold [, linear viscosity]]"""
    k, parabolic = args.reals(2, "a parameter of turbulent viscoelastic")
    words: dict[str, Any] = dict(stiffness=k, parabolic=parabolic)
    for word in ("threshold", "linear"):
        if not args.more() or args.key() in ("prestress", "prestrain", "output"):
            break
        words[word] = args.real(f"the {word} of turbulent viscoelastic")
    return with_pre(args, n, True, laws.Turbulent, **words)


# -------------------------------------------------------------------------- laws from functions


def scalar_function(args: Arguments, n: int) -> LawRead:
    """scalar function elastic [isotropic], function"""
    return with_pre(args, n, False, laws.ScalarFunctionElastic, function=inline_function(args))


def orthotropic(args: Arguments, n: int) -> LawRead:
    """scalar function elastic orthotropic, function | null, …"""
    words = dict(function=functions(args, n))
    return with_pre(args, n, False, laws.ScalarFunctionElastic, **words)


def nonlinear_functions(
    args: Arguments, n: int, elastic: bool, viscous: bool, product: bool
) -> LawRead:
    """nlsf | nlp elastic | viscous | viscoelastic, [K, f | null, …,] [C | proportional, c, h …]"""
    words: dict[str, Any] = dict(product=product)
    K = np.zeros((n, n))
    if elastic:
        K = words["stiffness"] = coefficients(args, n, "a stiffness")
        words["functions"] = functions(args, n)
    if viscous:
        D = viscosity(args, n, K) if elastic else coefficients(args, n, "a viscosity")
        words |= dict(viscosity=D, viscous_functions=functions(args, n))
    return with_pre(args, n, viscous, laws.FunctionViscoelastic, **words)


def symbolic(args: Arguments, n: int, elastic: bool, viscous: bool) -> LawRead:
    """symbolic elastic | viscous | viscoelastic, [epsilon, "e", …,] [epsilon prime, "r", …,]
    expression, "…", …"""
    words: dict[str, Any] = {}
    for wanted, keyword, word in (
        (elastic, "epsilon", "strain"), (viscous, "epsilon prime", "rate"),
        (True, "expression", "expressions"),
    ):  # fmt: skip
        if wanted:
            args.one_of([keyword], f"the keyword {keyword}")
            words[word] = tuple(args.string(f"a text of {keyword}") for _ in range(n))
    return with_pre(args, n, viscous, laws.Symbolic, **words)


def shock_absorber(args: Arguments, n: int) -> LawRead:
    """shock absorber, [prestrain, ε₀,] p, S, c, n [, epsilon max, …] … (see the input manual)"""
    begin = args.i
    strain = template(args, n) if args.keyword("prestrain") else []
    p, area, interaction, exponent = args.reals(4, "a parameter of shock absorber")
    words: dict[str, Any] = {}
    if args.keyword("epsilon max"):
        words["upper"] = args.real("the upper bound of the strain")
    if args.keyword("epsilon min"):
        words["lower"] = args.real("the lower bound of the strain")
    if args.keyword("penalty"):
        words["penalty"] = tuple(args.reals(2, "a penalty factor"))
    areas = {}
    if args.keyword("metering"):
        areas["metering"] = read_drive_law(args)
        if args.keyword("negative"):
            areas["negative"] = read_drive_law(args)
    if args.keyword("orifice"):
        areas["orifice"] = read_drive_law(args)
    if not areas:
        args.fail("a shock absorber needs a metering area, an orifice area, or both")
    words["fluid_area"], words["density"] = args.reals(2, "a parameter of the fluid")
    words["scale"] = 1 / args.positive("the drag coefficient over the length")
    if args.keyword("friction"):
        rate = args.positive("the reference strain rate of the friction")
        words["gas_friction"] = (args.real("the amplitude of the friction"), rate)

    def law() -> Any:
        of_strain: dict[str, Any] = {word: area(VAR) for word, area in areas.items()}
        if any(reads_time(function_program(f, "an area")) for f in of_strain.values()):
            args.unsupported("an area that changes with the time is not supported", begin)
        return laws.ShockAbsorber(
            p, area, interaction, exponent, **words, **of_strain,
            prestrain=components(strain, 1),
        )  # fmt: skip

    return LawRead(lambda: made(args, begin, law), True)


# -------------------------------------------------------------------------------------- tables

KINDS = (("elastic", True, False), ("viscous", False, True), ("viscoelastic", True, True))


def plain() -> dict[str, LawCard]:
    table: dict[str, LawCard] = {}
    for word, e, v in KINDS:
        isotropic = partial(linear, elastic=e, viscous=v, isotropic=True)
        table[f"linear {word}"] = table[f"linear {word} isotropic"] = isotropic
        table[f"linear {word} generic"] = partial(linear, elastic=e, viscous=v, isotropic=False)
        for name, product in (("nlsf", False), ("nlp", True)):
            card = partial(nonlinear_functions, elastic=e, viscous=v, product=product)
            table[f"{name} {word}"] = card
        table[f"symbolic {word}"] = partial(symbolic, elastic=e, viscous=v)
        if e:
            name = f"linear {word} generic axial torsion coupling"
            table[name] = of_dimension(partial(axial_torsion, viscous=v), 6)
            table[f"cubic {word} generic"] = of_dimension(partial(cubic, viscous=v), 1, 3)
            table[f"double linear {word}"] = of_dimension(partial(double_linear, viscous=v), 1, 3)
    return table


PLAIN: dict[str, LawCard] = {
    **plain(),
    "inverse square elastic": of_dimension(inverse_square, 1),
    "isotropic hardening elastic": hardening,
    "linear time variant viscoelastic generic": time_variant,
    "log elastic": of_dimension(log_elastic, 1),
    "scalar function elastic": scalar_function,
    "scalar function elastic isotropic": scalar_function,
    "scalar function elastic orthotropic": orthotropic,
    "shock absorber": of_dimension(shock_absorber, 1),
    "turbulent viscoelastic": of_dimension(turbulent, 1),
}
