"""Tyre property files (.tir): MF 5.2 and MF 6.1 at its nominal pressure.

    [SECTION]
    NAME = number or 'text'     $ comment

Coefficients and scaling factors as in Pacejka's book (magic_formula.py); the scaling factors L… are
multiplied into the coefficients here.  What a file has and the formulas here do not is refused by
name, or taken as zero where it is said so (`ignore`).
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from linkwork.elements.tyres.magic_formula import COEFFICIENTS
from linkwork.errors import ModelError

LINE = re.compile(r"^\s*([A-Za-z_][\w]*)\s*=\s*(.*?)\s*$")
UNITS = {
    "LENGTH": ("meter", "m", "metre"), "FORCE": ("newton", "n"),
    "ANGLE": ("radians", "radian", "rad"), "MASS": ("kg", "kilogram"),
    "TIME": ("second", "sec", "s"),
}  # fmt: skip
FIRST = {5, 6, 51, 52}  # FITTYP of MF 5.1 and 5.2
SECOND = {60, 61, 62}
# scaling factor: the coefficients that it multiplies
SCALES = {
    "LFZO": ("FNOMIN",), "LCX": ("PCX1",), "LMUX": ("PDX1", "PDX2", "PVX1", "PVX2"),
    "LEX": ("PEX1", "PEX2", "PEX3"), "LKX": ("PKX1", "PKX2"), "LHX": ("PHX1", "PHX2"),
    "LVX": ("PVX1", "PVX2"), "LCY": ("PCY1",),
    "LMUY": ("PDY1", "PDY2", "PVY1", "PVY2", "PVY3", "PVY4", "QDZ6", "QDZ7", "QDZ8", "QDZ9"),
    "LEY": ("PEY1", "PEY2"), "LKY": ("PKY1", "QBZ1", "QBZ2", "QBZ3", "QBZ9"),
    "LHY": ("PHY1", "PHY2"), "LVY": ("PVY1", "PVY2"),
    "LKYC": ("PKY6", "PKY7", "PVY3", "PVY4"), "LTR": ("QDZ1", "QDZ2"), "LRES": ("QDZ6", "QDZ7"),
    "LKZC": ("QDZ8", "QDZ9"), "LXAL": ("RBX1",), "LYKA": ("RBY1",),
    "LVYKA": ("RVY1", "RVY2", "RVY3"), "LS": ("SSZ1", "SSZ2", "SSZ3", "SSZ4"),
    "LMX": ("QSX1", "QSX2", "QSX3"), "LVMX": ("QSX1",), "LMY": ("QSY1", "QSY2"),
}  # fmt: skip
DIVIDED = {"LMUY": ("QBZ1", "QBZ2", "QBZ3", "QBZ9")}  # and those that it divides
OTHER_SCALES = {"LSGKP", "LSGAL", "LGAY", "LGAX", "LGAZ", "LGYR", "LIP", "LMUV", "LMP", "LVYKA"}
COVERED = re.compile(r"^(P[A-Z]{2,3}\d+|R[A-Z]{2}\d+|Q[A-Z]{2}\d+|SSZ\d)$")
WITHOUT_EFFECT = re.compile(r"^(PP[XY]\d|PPMX\d|QPZ\d|PT[XY]\d)$")  # of pressure; of relaxation


def read_tir(path: Any) -> dict[str, Any]:
    """Every name of a file with its number or text; a ModelError where a line has no meaning."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ModelError(f"tyre file {path.name} cannot be read: {error.strerror}") from None
    found: dict[str, Any] = {}
    section = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.split(r"[$!]", raw)[0].strip()
        if not line:
            continue
        if line.startswith("["):
            section = line.strip("[] \t").upper()
            continue
        match = LINE.match(line)
        if match is None:
            if section == "SHAPE" or line.startswith("{"):  # of the section of the tyre, not used
                continue
            raise ModelError(
                f"line {number} of tyre file {path.name} is neither a [SECTION] nor NAME = value: "
                f"{line[:40]!r}"
            )
        name, value = match[1].upper(), match[2].strip().rstrip(",")
        if value[:1] in "'\"" or section == "UNITS":
            found[name] = value.strip("'\" ")
            continue
        try:
            found[name] = float(value.replace("D", "E").replace("d", "e"))
        except ValueError:
            found[name] = value
        if isinstance(found[name], float) and not math.isfinite(found[name]):
            raise ModelError(f"{name} in line {number} of tyre file {path.name} is not finite")
    if not found:
        raise ModelError(f"tyre file {path.name} holds nothing; it should have lines NAME = value")
    return found


def coefficients(found: dict[str, Any], name: str, ignore: Any) -> dict[str, float]:
    """The coefficients of magic_formula, scaled."""
    refuse_units(found, name)
    second = is_second(found, name)
    refuse_uncovered(found, name, ignore)
    numbers = dict.fromkeys(COEFFICIENTS, 0.0)
    numbers["PKY4"] = 2.0
    for key in COEFFICIENTS:
        if key in found:
            numbers[key] = number(found, key, name)
    numbers["CAMBER"] = float(second)
    numbers["R0"] = required(found, "UNLOADED_RADIUS", name)
    numbers["FNOMIN"] = required(found, "FNOMIN", name)
    for key in ("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2"):
        if key not in found or numbers[key] == 0.0:
            raise ModelError(f"tyre file {name} has no {key}; without it there is no magic formula")
    for scale, keys in SCALES.items():
        if scale in found:
            factor = number(found, scale, name)
            for key in keys:
                numbers[key] *= factor
            for key in DIVIDED.get(scale, ()):
                if factor == 0.0:
                    raise ModelError(f"{scale} of tyre file {name} must not be zero")
                numbers[key] /= factor
    return numbers


def is_second(found: dict[str, Any], name: str) -> bool:
    """Whether the file is of MF 6.1; a ModelError where it is of neither."""
    kind = str(found.get("PROPERTY_FILE_FORMAT", "")).upper()
    fit = found.get("FITTYP")
    if fit is None and kind in ("PAC2002", "MF_05", "MF52"):
        return False
    if fit is None or int(float(fit)) not in FIRST | SECOND:
        what = f"FITTYP = {fit}" if fit is not None else f"PROPERTY_FILE_FORMAT = '{kind}'"
        raise ModelError(
            f"tyre file {name} is of {what}, and MF 5.2 (FITTYP 6 or 52) and MF 6.1 (61, 62) are "
            "supported; convert it, or give the coefficients with lw.TyreData.magic"
        )
    second = int(float(fit)) in SECOND
    pressure, nominal = found.get("INFLPRES"), found.get("NOMPRES")
    if second and pressure and nominal and abs(pressure / nominal - 1) > 1e-3:
        raise ModelError(
            f"tyre file {name} has the pressure {pressure:g} Pa and coefficients for "
            f"{nominal:g} Pa, and effects of the pressure are not covered; set INFLPRES to NOMPRES"
        )
    return second


def refuse_units(found: dict[str, Any], name: str) -> None:
    for key, known in UNITS.items():
        given = str(found.get(key, known[0])).lower()
        if given not in known:
            raise ModelError(
                f"tyre file {name} is in {key} = '{given}', and SI units with radians are read; "
                "convert it"
            )


def refuse_uncovered(found: dict[str, Any], name: str, ignore: Any) -> None:
    """Coefficients that would change forces and moments, and that the formulas do not have."""
    known = set(COEFFICIENTS)
    left = [
        key for key, value in found.items()
        if key not in known and COVERED.match(key) and not WITHOUT_EFFECT.match(key)
        and isinstance(value, float) and value != 0.0
    ]  # fmt: skip
    if ignore is not True:
        left = [key for key in left if key not in (ignore or ())]
        if left:
            raise ModelError(
                f"tyre file {name} has {', '.join(sorted(left))}, which the formulas here do not "
                "cover; give ignore=True to take them as zero"
            )


def number(found: dict[str, Any], key: str, name: str) -> float:
    value = found[key]
    if not isinstance(value, float):
        raise ModelError(f"{key} of tyre file {name} must be a number, but {value!r} was found")
    return value


def required(found: dict[str, Any], key: str, name: str) -> float:
    if key not in found:
        raise ModelError(f"tyre file {name} has no {key}; add it")
    value = number(found, key, name)
    if value <= 0:
        raise ModelError(f"{key} of tyre file {name} must be positive, but {value:g} was found")
    return value
