"""The API reference from the docstrings: one page per group of names, written before Sphinx reads.

A docstring here is a sentence, then text with equations and tables laid out by hand, then an
example; so sentences become text, what is laid out keeps its layout, and the example is shown as
code.  Examples run as tests (tests/docs/test_docstrings.py).
"""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import linkwork as lw

GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "model": ("Models, bodies and frames", ("model.model", "model.frame", "elements.bodies.body")),
    "flexible": ("Flexible links", ("elements.flexible",)),
    "beams": ("Beams and cables", ("elements.beams.", "elements.cables.")),
    "joints": ("Joints", ("elements.joints.", "elements.signals.sensor")),
    "quantities": ("Quantities and state spaces", ("elements.quantities.",)),
    "forces": ("Forces", (
        "elements.forces.", "elements.deformable.", "elements.friction.", "elements.contact.",
        "elements.bodies.moving_frame", "elements.bodies.central_gravity",
        "elements.bodies.variable_mass",
    )),
    "laws": ("Constitutive laws", ("elements.laws",)),
    "hydraulics": ("Hydraulics", ("elements.hydraulics",)),
    "contact": ("Contact and cams", ("elements.contact.",)),
    "tyres": ("Tyres", ("elements.tyres.",)),
    "aerodynamics": ("Air, wings and rotors", ("elements.aero.",)),
    "electric": ("Electric circuits and motors", ("elements.electric",)),
    "thermal": ("Heat", ("elements.thermal",)),
    "drives": ("Functions of time and of the motion", ("model.drives", "model.signals.readings")),
    "control": ("Controllers and their blocks", ("model.control.",)),
    "analyses": ("Analyses", ("analysis.",)),
    "methods": ("Integration methods", ("integrators.", "nullspace.", "recursive.")),
    "extend": ("Elements, joints, laws and methods of your own", ("extend",)),
    "results": ("Results", ("results.", "system.")),
    "files": ("Files of other programs", ("io.",)),
    "studies": ("Studies", ("study.",)),
    "errors": ("Errors and warnings", ("errors",)),
}  # fmt: skip
FURTHER = {  # what functions return, documented with its methods
    "analyses": ("analysis.linear.modes:Modes", "analysis.linear.locus:RootLocus",
                 "analysis.statics.equilibrium:Equilibrium",
                 "analysis.continuation.path:EquilibriumPath",
                 "analysis.continuation.singular:SingularPoint",
                 "analysis.continuation.buckling:Buckling", "analysis.linear.campbell:Campbell",
                 "analysis.comparison.compare:Comparison",
                 "analysis.comparison.convergence:Convergence",
                 "recursive.tree.topology:Topology", "recursive.joint_space:JointSpace"),
    "results": ("results.outputs.views.base:View", "results.outputs.views.bodies:BodyView"),
    "files": ("io.mbdyn.deck.deck:Deck", "io.mbdyn.deck.deck:Analysis"),
}  # fmt: skip


def write_api(folder: Path) -> None:
    """Write index.md and one page per group."""
    folder.mkdir(exist_ok=True)
    pages: dict[str, list[str]] = {key: [] for key in GROUPS}
    for module, names in lw._HOME.items():
        key = next((k for k, (_, homes) in GROUPS.items() if module.startswith(homes)), None)
        assert key is not None, f"docs/site/api_pages.py has no group for linkwork.{module}"
        pages[key] += [entry(f"lw.{name}", getattr(lw, name)) for name in names]
    for folder_name in lw._FOLDERS:
        holder = getattr(lw, folder_name)
        pages[folder_name].append(entry(f"lw.{folder_name}", holder))
        for name in holder.__all__:
            thing = getattr(holder, name)
            if not isinstance(thing, (int, tuple)):  # constants are in the docstring of the module
                pages[folder_name].append(entry(f"lw.{folder_name}.{name}", thing))
    for key, places in FURTHER.items():
        pages[key] += [entry(place.split(":")[1], found(place)) for place in places]
    index = ["# API reference", "", "Everything is reached as `import linkwork as lw`.", ""]
    index += ["```{toctree}", ":maxdepth: 1", ""]
    for key, entries in pages.items():
        if entries:
            write(folder / f"{key}.md", "\n".join([f"# {GROUPS[key][0]}", "", *entries]))
            index.append(key)
    write(folder / "index.md", "\n".join([*index, "```", ""]))


def found(place: str) -> Any:
    import importlib

    module, name = place.split(":")
    return getattr(importlib.import_module(f"linkwork.{module}"), name)


def entry(name: str, thing: Any) -> str:
    """One name: signature, docstring, and the public methods of classes."""
    lines = [f"## {name}", ""]
    if callable(thing) and not _is_error(thing):
        lines += ["```python", f"{name}{signature(thing)}", "```", ""]
    lines += docstring(inspect.getdoc(thing) if not isinstance(thing, (int, float)) else None)
    if inspect.isclass(thing):
        for word, member in members(thing):
            text = inspect.getdoc(member) or ""
            if word.startswith("_") or not text or not _is_public(member):
                continue
            made = isinstance(member, property) or not callable(_bare(member))
            call = "" if made else signature(_bare(member), True)
            lines += [f"`.{word}{call}`", "", *docstring(text), ""]
    return "\n".join(lines)


def members(thing: type) -> list[tuple[str, Any]]:
    """What a class defines, and `Result` in two parts."""
    parts = (part for part in thing.__mro__ if part is thing or part.__name__ == "Shown")
    return [pair for part in parts for pair in vars(part).items()]


def _bare(member: Any) -> Any:
    return getattr(member, "__func__", member)


def _is_public(member: Any) -> bool:
    kinds = (property, classmethod, staticmethod)
    return inspect.isfunction(member) or isinstance(member, kinds) or hasattr(member, "func")


def _is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, (Exception, Warning))


def signature(thing: Any, method: bool = False) -> str:
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(…)"
    parameters = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    parameters = parameters[1:] if method else parameters
    return str(found.replace(parameters=parameters, return_annotation=found.empty))


def docstring(text: str | None) -> list[str]:
    """The sentence as text, what follows as it is laid out, examples as code."""
    if not text:
        return []
    first, _, rest = text.partition("\n\n")
    before, _, example = rest.partition("Example\n-------\n")
    lines = [plain(first), ""]
    lines += paragraphs(before)
    if example.strip():
        lines += ["```python", example.strip(), "```", ""]
    return lines


def paragraphs(text: str) -> list[str]:
    """Sentences as text; equations, tables and lists as they are laid out."""
    lines: list[str] = []
    for part in text.rstrip().split("\n\n"):
        if not part.strip():
            continue
        if re.search(r"^[ -]| : |[^.;:?!)] {2,}|^\S* {2,}", part, re.M):
            part = textwrap.dedent(part)
            if lines[-2:] == ["```", ""]:
                lines[-2:] = ["", part, "```", ""]
            else:
                lines += ["```text", part, "```", ""]
        else:
            lines += [plain(part), ""]
    return lines


def plain(sentence: str) -> str:
    """Text that Markdown does not read as its own signs."""
    text = " ".join(sentence.split()).replace("``", "`")
    parts = text.split("`")
    for k in range(0, len(parts), 2):
        for sign in "\\*_<>[]|":
            parts[k] = parts[k].replace(sign, "\\" + sign)
    return "`".join(parts)


def write(path: Path, text: str) -> None:
    """Only where it changed, so that Sphinx reads only what is new."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
