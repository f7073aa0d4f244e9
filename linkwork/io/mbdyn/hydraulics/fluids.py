"""Hydraulic fluids of decks.

    hydraulic fluid: label, incompressible | linear compressible | linear thermal compressible |
        exponential | super, density, ρ₀ [, sound celerity, c | β, p₀ …] [, viscosity, μ]
        [, temperature, T] [, pressure, p₀];

Of a super fluid MBDyn's manual has the law, but not its vapour density and the width of its
transition, which are those of `Fluid` here.
"""

from __future__ import annotations

from typing import Any

from linkwork.io.mbdyn.syntax.arguments import Arguments

KINDS = (
    "incompressible", "linear compressible", "linear thermal compressible", "exponential", "super",
)  # fmt: skip


def hydraulic_fluid(args: Arguments) -> None:
    label = args.deck.new_label(args, "hydraulic fluid")
    args.deck.circuit.fluids[label] = fluid_words(args)
    args.end()


def fluid_words(args: Arguments) -> Any:
    """The Fluid that a card describes."""
    from linkwork.elements.hydraulics.fluids import Fluid

    i = args.i
    kind = args.one_of(KINDS, "a kind of hydraulic fluid")
    words: dict[str, Any] = {}
    while word := args.keyword("density", "viscosity", "temperature", "pressure"):
        if word != "density":
            name = {"pressure": "reference_pressure"}.get(word, word)
            words[name] = args.real(f"the {word} of a fluid")
            continue
        words["density"] = args.positive("the density of a fluid")
        if kind == "incompressible":
            continue
        if args.keyword("sound celerity"):
            words["sound_speed"] = args.positive("the speed of sound")
        else:
            words["bulk_modulus"] = args.positive("the bulk modulus of a fluid")
        words["reference_pressure"] = args.real("the reference pressure of a fluid")
        if kind == "linear thermal compressible":
            words["expansion"] = args.real("the thermal expansion of a fluid")
            words["reference_temperature"] = args.real("the reference temperature of a fluid")
        if kind == "super":
            words["law"] = "super"
        if kind == "exponential":
            words["law"] = "exponential"
            words["vapour_pressure"] = args.real("the saturation pressure of a fluid")
    if "density" not in words:
        args.fail("a hydraulic fluid needs its density", i)
    if "temperature" in words:
        words.setdefault("reference_temperature", words["temperature"])
    return Fluid(**words)


def element_fluid(args: Arguments) -> Any:
    """[hydraulic] fluid, reference, label | the words of a fluid"""
    i = args.i
    if not args.keyword("hydraulic fluid", "fluid"):
        args.fail(f"expected 'fluid' and the fluid of the element, found {args.shown(i)}; write "
                  "fluid, reference, label", i)  # fmt: skip
    if not args.keyword("reference"):
        return fluid_words(args)
    at = args.i
    label = args.label("the label of a hydraulic fluid")
    if label not in args.deck.circuit.fluids:
        args.fail(f"there is no hydraulic fluid {label}", at)
    return args.deck.circuit.fluids[label]
