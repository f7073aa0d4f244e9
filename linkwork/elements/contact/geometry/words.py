"""What the shape of a body may say: its kinds, and the words of each."""

from __future__ import annotations

from linkwork.errors import ModelError
from linkwork.model import checks

WORDS = {
    "plane": ("normal",), "sphere": ("radius",), "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"), "box": ("size",), "link": ("start", "end", "radius"),
    "mesh": ("file", "scale", "vertices", "faces", "convex"), "heights": ("heights", "size"),
}  # fmt: skip
DRAWN = {"plane": ("size",)}  # how much of it is drawn: contact knows no end of it
ALWAYS = ("kind", "position", "orientation", "color", "opacity", "contact")


def refuse_unknown(shape: dict, what: str, more: tuple[str, ...] = ()) -> None:
    """A word that no shape of this kind has would be ignored, such as the axis of a capsule."""
    kind = shape["kind"]
    known = (*WORDS[kind], *more, *ALWAYS)
    unknown = [word for word in shape if word not in known]
    if unknown:
        along = "; it lies along z, and orientation turns it" if unknown[0] == "axis" else ""
        raise ModelError(
            f"{what} is a {kind}, which has no {checks.show(unknown[0])} but "
            f"{', '.join(word for word in known if word != 'kind')}{along}"
        )
