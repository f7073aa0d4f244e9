"""A model as plain data (numbers, texts, lists, dicts) and back, exactly.

Every item is its class and its parameters (`Item.parameters`), so a new item needs nothing here.
What JSON has no word for is a dict with one telling key:

    {"item": name}  {"ground": true}  {"frame": …}  {"drive": …}  {"array": …}  {"tuple": …}
    {"dict": …}  {"rotation": …}  {"section": …}  {"node": s of a link}
    {"law": class, "words": …}

The markers that an item has found are kept beside its words, since the bodies may have been moved
after the item was made.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwork.elements.beams.nodes import BeamNode
from linkwork.elements.flexible.parts import InterfaceNode
from linkwork.elements.flexible.section import Section
from linkwork.errors import LinkworkError, ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive, drive_from_dict
from linkwork.model.frame import GROUND, Frame, Ground
from linkwork.model.model import Model
from linkwork.model.registry import ITEMS, Item

FORMAT = 1
LONGEST = 1000  # characters of a sentence about stored data, whose texts may be of any length
FLOAT = np.dtype(float)
PLAIN = frozenset({type(None), bool, int, float, str})


# ------------------------------------------------------------------------------ model → data


def model_to_dict(model: Model) -> dict[str, Any]:
    """The model as plain data; a ModelError where it holds something a file cannot keep.

    Example: ``model_from_dict(model_to_dict(m))``
    """
    return {
        "format": FORMAT,
        "name": model.name,
        "gravity": model.gravity.tolist(),
        **({} if model.planar is None else {"planar": model.planar}),
        "items": [_item_to_dict(item, model) for item in model.items.values()],
    }


def _item_to_dict(item: Item, model: Model) -> dict[str, Any]:
    kind = type(item).__name__
    if ITEMS.get(kind) is not type(item):
        raise ModelError(
            f"{item.label} cannot be stored: another class is registered under the name {kind}; "
            "rename one of the two"
        )
    words = item.parameters()
    out: dict[str, Any] = {
        "name": item.name, "class": kind, "words": _encode_words(words, item, model),
    }  # fmt: skip
    if not _is_own(type(item)):
        out["user"] = True
    markers = {k: v for k, v in vars(item).items() if k not in words and _is_markers(v)}
    if markers:
        out["markers"] = _encode_words(markers, item, model)
    return out


def _is_own(kind: type[Item]) -> bool:
    """Whether a class is one of linkwork's, and not one that a user has written."""
    return kind.__module__.split(".")[0] == "linkwork"


def _is_markers(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return len(value) > 0 and all(isinstance(v, Frame) for v in value)
    return isinstance(value, Frame)


def _bodies(markers: Any) -> list[int] | None:
    """On which bodies frames are; None where there are none."""
    if not _is_markers(markers):
        return None
    return [id(f.body) for f in (markers if isinstance(markers, (tuple, list)) else [markers])]


def _encode_words(words: dict[str, Any], item: Item, model: Model) -> dict[str, Any]:
    return {word: _encode(v, (word, item), model) for word, v in words.items()}


def _encode(value: Any, what: tuple[str, Item], model: Model) -> Any:
    """A value as plain data; what: the item's word for it, to say in errors."""
    if type(value) in PLAIN or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return _encode(value.item(), what, model)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiub":
            raise ModelError(
                f"{_said(what)} is an array of {value.dtype}, which a file cannot keep"
            )
        name = "float64" if value.dtype == FLOAT else value.dtype.name  # numpy takes its time
        return {"array": value.ravel().tolist(), "shape": list(value.shape), "dtype": name}
    if isinstance(value, Ground):
        return {"ground": True}
    if isinstance(value, (InterfaceNode, BeamNode)):
        return {"node": value.s, "link": _encode(value.link, what, model)}
    if isinstance(value, Section):
        return {"section": {w: _encode(v, what, model) for w, v in value.parameters().items()}}
    if isinstance(value, Item):
        if value.name is None or model.items.get(value.name) is not value:
            raise ModelError(
                f"{_said(what)} is {value.label}, which is not in model '{model.name}'; "
                "add it first"
            )
        return {"item": value.name}
    if isinstance(value, Frame):
        return {"frame": {
            "body": _encode(value.body, what, model),
            "position": _encode(value.position, what, model),
            "orientation": _encode(value.orientation, what, model),
        }}  # fmt: skip
    if isinstance(value, Drive):
        return {"drive": value.to_dict()}
    if hasattr(value, "parameters") and hasattr(value, "kinds"):  # constitutive and friction laws
        words = _encode_words(value.parameters(), what[1], model)
        return {"law": type(value).__name__, "words": words}
    if isinstance(value, list):
        return [_encode(v, what, model) for v in value]
    if isinstance(value, tuple):
        return {"tuple": [_encode(v, what, model) for v in value]}
    if isinstance(value, dict):
        return {"dict": [[_encode(x, what, model) for x in pair] for pair in value.items()]}
    if hasattr(value, "as_quat"):
        return {"rotation": _encode(np.asarray(value.as_quat(), float), what, model)}
    if callable(value):
        raise ModelError(
            f"{_said(what)} is a Python function and cannot be stored in a file; give the model "
            "again with model="
        )
    raise ModelError(f"{_said(what)} is a {type(value).__name__}, which a file cannot keep")


def identity(model: Model, stored: dict[str, Any] | str) -> bytes:
    """A checksum that tells a model from a changed one.

    stored : as plain data, or why it cannot be; Python functions then count by their code
    """
    if isinstance(stored, str):
        items = [[item.name, type(item).__name__, *map(_shown, item.parameters().items())]
                 for item in model.items.values()]  # fmt: skip
        stored = {"gravity": model.gravity.tolist(), "planar": model.planar, "items": items}
    return hashlib.sha256(json.dumps(stored).encode()).digest()


def _shown(value: Any) -> Any:
    """A value, whatever it is, as a text that is the same in another process."""
    if isinstance(value, (str, int, float, np.generic, type(None))):
        return repr(value)
    if isinstance(value, Item):
        return value.name
    if isinstance(value, np.ndarray):
        return [value.shape, value.tobytes().hex()] if value.dtype.kind in "fiub" else "array"
    if isinstance(value, (list, tuple)):
        return [_shown(x) for x in value]
    if isinstance(value, dict):
        return [_shown(pair) for pair in value.items()]
    if isinstance(value, types.CodeType):
        return [value.co_code.hex(), _shown(value.co_consts), list(value.co_names)]
    if isinstance(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return [_shown(value.__code__), _shown(value.__defaults__),
                *(_shown(x) for x in cells if not callable(x))]  # fmt: skip
    if dataclasses.is_dataclass(value):
        return [type(value).__name__, *(_shown(getattr(value, f.name))
                                        for f in dataclasses.fields(value))]  # fmt: skip
    return type(value).__name__


def _said(what: tuple[str, Item]) -> str:
    return f"{what[0]} of {what[1].label}"


# ------------------------------------------------------------------------------ data → model


def model_from_dict(data: dict[str, Any]) -> Model:
    """The model that `model_to_dict` stored: same items, same order, same numbers to the bit."""
    import linkwork.elements.catalogue  # noqa: F401  (registers every item)

    with _understood("its format"):
        version = data.get("format") if isinstance(data, dict) else None
        if version != FORMAT:
            raise ModelError(
                f"stored model: expected format {FORMAT}, found {checks.show(version)}; "
                "store models with model_to_dict, or update linkwork"
            )
    with _understood("its items"):
        builder = _Builder(data["items"])
        model = Model(data["name"], data["gravity"], planar=data.get("planar"))
    for name in builder.stored:
        with _understood(f"item {checks.show(name)}"):
            model.add(name, builder.item(name))
    return model


@contextlib.contextmanager
def _understood(what: str) -> Iterator[None]:
    """Data that were not stored by `model_to_dict` raise nearly anything."""
    try:
        yield
    except LinkworkError as error:
        if len(str(error)) <= LONGEST:
            raise
        raise ModelError(
            f"stored model: {what} cannot be made from what is stored ({str(error)[:LONGEST]} …); "
            "the data are damaged, or not those of a model"
        ) from error
    except Exception as error:
        raise ModelError(
            f"stored model: {what} cannot be made from what is stored ({type(error).__name__}: "
            f"{checks.line(error)}); the data are damaged, or not those of a model"
        ) from error


class _Builder:
    """Makes items as others ask for them, so that the order in the model does not matter."""

    def __init__(self, items: list[dict[str, Any]]) -> None:
        self.stored = {d["name"]: d for d in items}
        if len(self.stored) != len(items):
            names = [d["name"] for d in items]
            twice = next(name for name in names if names.count(name) > 1)
            raise ModelError(
                f"stored model: two items are called {checks.show(twice)}; the data are damaged, "
                "or not those of a model"
            )
        self.made: dict[str, Item | None] = {}

    def item(self, name: str) -> Item:
        if name not in self.stored:
            raise ModelError(f"stored model: an item refers to '{name}', which is not in it")
        if name not in self.made:
            self.made[name] = None
            self.made[name] = self.make(self.stored[name])
        item = self.made[name]
        if item is None:
            raise ModelError(f"stored model: item '{name}' refers to itself")
        return item

    def make(self, data: dict[str, Any]) -> Item:
        kind = data["class"]
        if kind not in ITEMS:
            raise ModelError(
                f"stored model: item '{data['name']}' is a {kind}, which linkwork does not know; "
                "import the module that defines it first, or update linkwork"
            )
        if data.get("user") and _is_own(ITEMS[kind]):
            raise ModelError(
                f"stored model: item '{data['name']}' is of a class {kind} that linkwork does not "
                "have, but another one of that name; rename the class, or import its module after "
                "linkwork.elements.catalogue"
            )
        words = {word: self.decode(v) for word, v in data["words"].items()}
        try:
            item = ITEMS[kind](**words)
        except TypeError as error:
            raise ModelError(
                f"stored model: {kind} '{data['name']}' does not fit this version of linkwork "
                f"({error}); read it with the version that stored it"
            ) from None
        for word, value in words.items():  # checking may have normalised them again
            if isinstance(value, np.ndarray):
                setattr(item, word, value)
        for word, value in data.get("markers", {}).items():
            found, own = self.decode(value), getattr(item, word, None)
            if _is_markers(own) and _bodies(found) != _bodies(own):
                raise ModelError(
                    f"stored model: {word} of {kind} '{data['name']}' must be frames on its own "
                    f"bodies, but {checks.show(value)} is stored; the data are damaged"
                )
            setattr(item, word, found)
        return item

    def decode(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.decode(v) for v in value]
        if not isinstance(value, dict):
            return value
        if "item" in value:
            return self.item(value["item"])
        if "ground" in value:
            return GROUND
        if "node" in value:
            return self.decode(value["link"]).node(value["node"])
        if "section" in value:
            return Section(**{w: self.decode(v) for w, v in value["section"].items()})
        if "drive" in value:
            return drive_from_dict(value["drive"], self.named_frame)
        if "law" in value:
            return self.law(value)
        if "array" in value:
            return np.array(value["array"], value["dtype"]).reshape(value["shape"])
        if "tuple" in value:
            return tuple(self.decode(v) for v in value["tuple"])
        if "dict" in value:
            return {self.decode(k): self.decode(v) for k, v in value["dict"]}
        if "frame" in value:
            return self.frame(value["frame"])
        if "rotation" in value:
            from scipy.spatial.transform import Rotation

            return Rotation.from_quat(self.decode(value["rotation"]))
        raise ModelError(f"stored model: expected a known kind of value, found {sorted(value)}")

    def law(self, stored: dict[str, Any]) -> Any:
        kind = stored["law"]
        from linkwork.elements.friction.models import FrictionModel  # slow to import
        from linkwork.elements.laws import ConstitutiveLaw

        from linkwork.elements.aero.air.gusts import Gust
        from linkwork.elements.aero.airfoils.airfoil import Airfoil
        from linkwork.elements.hydraulics.fluids import Fluid
        from linkwork.elements.tyres.road import Road
        from linkwork.elements.tyres.tyre_data import TyreData

        known: dict[str, Any] = {
            **ConstitutiveLaw.kinds, **FrictionModel.kinds, **Fluid.kinds, **Airfoil.kinds,
            **Gust.kinds, **Road.kinds, **TyreData.kinds,
        }  # fmt: skip
        if kind not in known:
            raise ModelError(
                f"stored model: a law is a {kind}, which linkwork does not know; import the "
                "module that defines it first, or update linkwork"
            )
        words = {word: self.decode(v) for word, v in stored["words"].items()}
        return known[kind](**words)

    def named_frame(self, stored: dict[str, Any]) -> Any:
        """A frame of a reading, whose body is named, or an item with vector nodes."""
        if "item" in stored:
            return self.item(stored["item"])
        name = stored["body"]
        parts = {k: np.array(stored[k], float) for k in ("position", "orientation")}
        body: Any = GROUND if name is None else self.item(name)  # which Frame checks
        frame = Frame(body, **parts)
        for k, value in parts.items():
            object.__setattr__(frame, k, value)
        return frame

    def frame(self, stored: dict[str, Any]) -> Frame:
        parts = {k: self.decode(v) for k, v in stored.items()}
        frame = Frame(**parts)
        for k in ("position", "orientation"):  # to the bit, not normalised again
            object.__setattr__(frame, k, parts[k])
        return frame
