"""Every number of every item, law, drive and method that cannot be meant is refused in a sentence.

The walk goes through the registries: what is added there is walked without being added here.  A
value that is accepted must give finite residuals; a negative one must be among those that have a
sign.
"""

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
from bad_numbers import NEVER, bad_values
from inside import ITEMS, METHODS, over_times
from mistakes import body, one_sentence, refuse, sample

import linkwork as lw
from linkwork import compile_model
from linkwork.elements.friction.models import FrictionModel
from linkwork.elements.laws.base import addresses, law_numbers
from linkwork.extend import ConstitutiveLaw
from linkwork.model.drives import Drive

SIGNED = {  # places and directions, starts, loads and what drives prescribe
    "at", "at_a", "at_b", "at_points", "axis", "axis_a", "axis_b", "centre", "start", "end", "path",
    "position", "orientation", "up", "forward", "normal", "ground", "curve", "aerodynamic_centre",
    "velocity_point", "twist", "control_shape", "hang", "lower", "velocity", "angular_velocity",
    "rate", "speed", "angle", "displacement", "altitude", "value", "offset", "flow", "mass_flow",
    "current", "voltage", "heat_flow", "force", "torque", "moment", "vector", "drive", "load",
    "control", "preload", "error", "input", "temperature", "ambient", "opening", "closed",
    "pressure", "kp", "ki", "kd",  # gains
    "A", "B", "C", "D", "E", "numerator", "denominator", "alpha", "beta", "coefficients",  # data
}  # fmt: skip
SIGNED_OF = {  # where the sign is a direction of turning, or what the equation is about
    "Gear": {"ratio"}, "DCMotor": {"gear"}, "Screw": {"pitch"}, "Accumulator": {"gravity"},
    "Spring": {"stiffness"}, "TorsionSpring": {"stiffness"},  # magnets, inverted pendulums
    "Bushing": {"stiffness", "damping"},  # off the diagonal
    "Quantity": {"mass", "damping", "stiffness"},  # any linear equation
}  # fmt: skip
DIRECTIONS = {"axis", "axis_a", "axis_b", "normal", "up", "forward"}
NEVER_ZERO = {"radius", "diameter", "chord", "bore", "scale", "constant", "module"}


def evaluate(bodies: Any, others: Any, item: Any) -> None:
    """The model of an item compiles, and its residual is a number, or it is refused."""
    m = lw.Model("walk", gravity=(0, 0, -9.81))
    for i, x in enumerate([*bodies, *others, item]):
        x.__dict__["name"] = None
        m.add(f"item{i}", x)
    data = compile_model(m).data()
    assert np.isfinite(data.tables.reals).all()
    found = data.evaluate(data.system.described_state(time=0.0))
    for part in (found.f, found.C, found.Qc):
        assert np.isfinite(part).all()


def judge(name: str, word: str, kind: str) -> None:
    """What may be accepted."""
    assert kind not in NEVER, f"{word} of {name} may be {kind}"
    signed = word in SIGNED or word in SIGNED_OF.get(name, set())
    assert kind != "negative" or signed, f"{word} of {name} may be negative"
    assert kind != "zero" or word not in NEVER_ZERO, f"{word} of {name} may be zero"
    assert kind != "zeros" or word not in DIRECTIONS, f"{word} of {name} may be zero"


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_numbers_of_items(name):
    item, bodies, others = sample(name)
    item = [x for x in [*others, item] if type(x) is ITEMS[name]][-1]
    others = [x for x in others if x is not item]
    words = item.parameters()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            evaluate(bodies, others, type(item)(**words))
            stands_alone = True
        except lw.ModelError:
            stands_alone = False
        for word, given in words.items():
            if word == "shape" and given is None:
                continue  # what a viewer may draw
            for kind, bad in bad_values(given):
                try:
                    made = type(item)(**{**words, word: bad})
                except lw.LinkworkError as error:
                    text = one_sentence(error)
                    assert name in text or "a frame on" in text, text
                    with pytest.raises(lw.LinkworkError):
                        setattr(item, word, bad)
                    assert getattr(item, word) is given
                    continue
                try:
                    if stands_alone and (name, kind) != ("UserForce", "function"):  # kept for later
                        evaluate(bodies, others, made)
                except lw.LinkworkError as error:
                    text = one_sentence(error)
                    assert "'item" in text or name in text, text
                    continue
                judge(name, word, kind)


@pytest.mark.parametrize("kind", sorted(k for k in ConstitutiveLaw.kinds if k[:4] != "Test"))
def test_numbers_of_laws(kind):
    for n in ConstitutiveLaw.kinds[kind].sizes:
        for law in ConstitutiveLaw.kinds[kind].samples(np.random.default_rng(0), n):
            walk(law, lambda law, n=n: use(law, n))


def use(law: Any, n: int) -> None:
    numbers, integers, laws = law_numbers(law, n, "a test", 0)
    for part in laws:
        numbers[part.column : part.column + part.length] = part.values(np.zeros(1))[0]
    assert np.isfinite(numbers).all()
    over_times(addresses(integers), numbers[None], np.full((1, n), 0.05), np.full((1, n), 0.1))


def walk(given: Any, use: Any = lambda made: None, never: Any = NEVER) -> None:
    """Replace every number of a dataclass: some are never accepted, neither when it is made nor
    when it is used."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for f in dataclasses.fields(given):
            value = getattr(given, f.name)
            if not f.init or f.name in ("what", "negative") or callable(value):
                continue
            for kind, bad in bad_values(value):
                try:
                    use(dataclasses.replace(given, **{f.name: bad}))
                except lw.LinkworkError as error:
                    one_sentence(error)
                    continue
                assert kind not in never, f"{f.name} of {type(given).__name__} may be {kind}"


DRIVES = [
    lw.constant(1.0), lw.ramp(1.0, 0.2), lw.sine(1.0, 2.0, 0.1), lw.polynomial([1.0, 2.0]),
    lw.table([0.0, 1, 2, 3], [0.0, 1, 2, 5]), lw.table([0.0, 1], [0.0, 1], kind="linear"),
    lw.ramp(1).delayed(0.1),
]  # fmt: skip


@pytest.mark.parametrize("drive", DRIVES, ids=lambda d: type(d).__name__)
def test_numbers_of_drives(drive):
    """A drive may begin at 1e308 s, which it never does; what it moves cannot go so far."""
    def use(drive: Drive) -> None:
        driven = lw.Actuator(lw.GROUND, body(), (0, 0, 0), (0, 0, 1), displacement=drive)
        driven.displacement.jet(np.array([0.5]))

    walk(drive, use, never={"nan", "inf", "-inf", "10**400", "10**5000"})
    for huge in (1e308, -1e308, 10**400):
        refuse(lambda huge=huge: use(drive * huge), kind=lw.DriveError)


@pytest.mark.parametrize("method", METHODS.values() if isinstance(METHODS, dict) else METHODS)
def test_numbers_of_methods(method):
    if dataclasses.is_dataclass(method):
        walk(method())


@pytest.mark.parametrize("kind", sorted(FrictionModel.kinds))
def test_numbers_of_friction(kind):
    words = dict(static=0.5, stribeck=2.0, stiffness=0.2, damping=0.1, viscous=0.05)
    walk(FrictionModel.kinds[kind](0.3, **words))


def test_numbers_of_sections():
    walk(lw.Section.circle(0.01, E=2e11, density=7800.0))
