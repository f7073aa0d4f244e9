"""Analyses leave the user's model as it is; systems do not follow its later changes."""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inside import ITEMS, METHODS

import linkwork as lw
from linkwork.elements.failures import raise_if_failed
from linkwork.model.model import private_copy

DECKS = Path(__file__).parents[2] / "examples" / "mbdyn"
STEEL = lw.Section.circle(0.01, E=2.1e11, density=7800)
NUMBERS = (np.ndarray, np.generic, int, float, complex)


# ------------------------------------------------------------------------------------ a whole model


def contents(model: lw.Model) -> dict[str, Any]:
    """Every attribute of everything that a model refers to, by the way that leads there."""
    return dict(parts("model", model, {}))


def parts(path: str, x: Any, met: dict[int, tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    if x is None or isinstance(x, (str, bytes, type, *NUMBERS)):
        yield path, (type(x), np.asarray(x).tobytes() if isinstance(x, NUMBERS) else x)
        return
    if id(x) in met and not isinstance(x, tuple):
        yield path, ("as", met[id(x)][0])
        return
    met[id(x)] = path, x  # which keeps its id
    yield path, type(x)
    if isinstance(x, dict):
        for number, (key, value) in enumerate(x.items()):
            yield from parts(f"{path}[key {number}]", key, met)
            yield from parts(f"{path}[{number if callable(key) else key!r:.40}]", value, met)
    elif isinstance(x, (list, tuple)):
        for number, value in enumerate(x):
            yield from parts(f"{path}[{number}]", value, met)
    elif isinstance(x, (set, frozenset)):
        yield path, sorted(map(repr, x))
    elif isinstance(x, types.FunctionType):
        yield path, ("function", id(x))
    for name, value in sorted(getattr(x, "__dict__", {}).items()):
        yield from parts(f"{path}.{name}", value, met)


@contextlib.contextmanager
def unchanged(model: lw.Model, what: str) -> Iterator[None]:
    """A model that is the same after an analysis, also after one that fails."""
    before = contents(model)
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        yield
    after = contents(model)
    changed = [path for path in before | after if before.get(path) != after.get(path)]
    assert not changed, f"{what} changes {changed[:6]}"


def first(model: lw.Model, kind: Any) -> Any:
    """The first item of a class, or None."""
    return next((item for item in model.items.values() if isinstance(item, kind)), None)


def analyses(m: lw.Model) -> dict[str, Any]:
    body, joint, load = first(m, lw.Body), first(m, lw.Lock), first(m, lw.Force)
    at = lw.Frame(body) if body is not None else None
    return {
        "print": lambda: (str(m), m._repr_html_()),
        "described": lambda: m.animate(),
        "assemble": lambda: lw.assemble(m),
        "topology": lambda: lw.topology(m),
        "static": lambda: lw.static(m, max_iterations=5, progress=False),
        "spin": lambda: lw.static(m, spin=joint, max_iterations=5, progress=False),
        "eigen": lambda: lw.eigen(m),
        "eigen at rest": lambda: lw.eigen(m, at=lw.static(m, progress=False)),
        "linearize": lambda: lw.linearize(m, outputs=[f"{body.name}.position"]),
        "constraint_stiffness": lambda: lw.constraint_stiffness(m),
        "kinematics": lambda: lw.kinematics(m, 0.002, 1e-3, progress=False),
        "inverse": lambda: lw.inverse(m, 0.002, 1e-3, progress=False),
        "joint_space": lambda: lw.joint_space(m),
        "jacobian": lambda: lw.jacobian(m, at),
        "reach": lambda: lw.reach(m, at, (0.3, 0, 0), tolerance=1e3),
        "equilibrium_path": lambda: lw.equilibrium_path(
            m, steps=2, progress=False, loads=load if load is not None else joint),
        "buckling": lambda: lw.buckling(m, n=1, exact=False, progress=False),
        "compare": lambda: lw.compare(m, 0.002, 1e-3),
        "convergence": lambda: lw.convergence(m, 0.002, 1e-3),
        "campbell": lambda: lw.campbell(lambda speed: m, [0.0, 1.0], n=1, progress=False),
        "flutter": lambda: lw.flutter(lambda speed: m, [1.0], n=1, progress=False),
        "root_locus": lambda: lw.root_locus(lambda x: m, [1.0], n=1),
        "trim": lambda: lw.trim(lambda x: m, {f"{body.name}.position.x": 0.0}, [1.0], t=0.002,
                                h=1e-3, max_iterations=1, progress=False),
        "sweep": lambda: lw.sweep(lambda x: m, {"x": [1.0]}, outputs, workers=1, progress=False),
        "transient": lambda: outputs(m),
    }  # fmt: skip


def outputs(m: lw.Model) -> float:
    """A run whose outputs are all asked for."""
    run = lw.transient(m, 0.003, 1e-3, progress=False)
    run.to_pandas()
    return float(run.energy.kinetic[-1])


# --------------------------------------------------------------------------------- registered items


def between_bodies(name: str) -> lw.Model:
    rng = np.random.default_rng(3)
    m = lw.Model(name, gravity=(0, 0, -9.81))
    a, b = (
        m.add(word, lw.Body(1.5, (0.1, 0.2, 0.25), position=rng.normal(size=3))) for word in "ab"
    )
    item = ITEMS[name].sample(rng, a, b)
    for k, part in enumerate(item if isinstance(item, list) else [item]):
        m.add(f"item {k}", part)
    return m


SAMPLES = [name for name in sorted(ITEMS) if name not in ("Body", "InterfaceNode")]


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_an_item_stays_as_it_is(name):
    try:
        m = between_bodies(name)
    except NotImplementedError:
        return  # bodies, which every other model has
    every = analyses(m)
    for word in ("print", "static", "eigen", "transient"):
        with unchanged(m, word):
            every[word]()


# --------------------------------------------------------------------------------------- mechanisms


def pendulum(**joint: Any) -> tuple[lw.Model, Any, Any]:
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1.0, (0.1,) * 3, position=(0.5, 0, 0)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), **joint))
    return m, rod, pin


def sensed() -> lw.Model:
    """Readings of reactions, accelerations and loads, which have sensors."""
    m, rod, pin = pendulum(angle=0.2, rate=0.1)
    spring = m.add("spring", lw.Spring(lw.GROUND, rod, at_a=(1, 0, 1), stiffness=3.0, length=1.0))
    force = lw.reads(pin, "force", axis="z") + lw.reads(rod, "acceleration", "z")
    m.add("brake", lw.JointTorque(pin, -1e-3 * force - 0.01 * lw.reads(spring, "force")))
    m.add("unit", lw.StrapdownSensor(rod))
    return m


def controlled() -> lw.Model:
    """A controller in Python, a PID of samples, an integral, and functions of time."""
    m, rod, pin = pendulum()
    angle, rate = lw.reads(pin, "angle"), lw.reads(pin, "rate")

    def control(t: float, x: np.ndarray, memory: np.ndarray) -> float:
        memory[0] += x[0]
        return float(-x[0] - x[1])

    hold = lw.Controller(control, [angle, rate], outputs=["torque"], every=1e-3, memory=[0.0])
    m.add("motor", lw.JointTorque(pin, hold["torque"]))
    m.add("slow", lw.JointTorque(pin, lw.PID(0.1 - angle, kp=1, ki=2)))
    m.add("wave", lw.Force(rod, (0, 0, 1), drive=lw.table([0, 1, 2, 3], [0, 1, 0, 1])))
    m.add("push", lw.Force(rod, (0, 1, 0), drive=lw.function(np.sin)))
    return m


def closed_loop() -> lw.Model:
    """A four-bar with redundant rows, friction, and a start angle."""
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    places = np.array([(0, 0, 0), (0, 0, 0.3), (0.8, 0, 0.6), (0.7, 0, 0)])
    links = [
        m.add(word, lw.Body.link(a, b, radius=0.01, density=7800))
        for word, a, b in zip(("crank", "coupler", "rocker"), places[:-1], places[1:])
    ]
    ends = [lw.GROUND, *links, lw.GROUND]
    pins = [
        m.add(f"pin {k}", lw.Revolute(a, b, at=place, axis=(0, 1, 0),
                                      **({"angle": 0.1, "rate": 1.0} if k == 0 else {})))
        for k, (a, b, place) in enumerate(zip(ends[:-1], ends[1:], places))
    ]  # fmt: skip
    m.add("rub", lw.Friction(pins[0], lw.Coulomb(0.1), radius=0.01))
    m.add("load", lw.Force(links[1], (0, 0, -1)))
    return m


def driven() -> lw.Model:
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    arm = m.add("arm", lw.Body(1, (0.1,) * 3, position=(0.5, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, 1, 0), angle=lw.sine(0.1, 1.0)))
    return m


def column() -> lw.Model:
    """An upright bar on a spring, under a load."""
    m = lw.Model("column")
    bar = m.add("bar", lw.Body.link((0, 0, 0), (0, 0, 1), radius=0.01, density=1000))
    pin = m.add("pin", lw.Revolute(lw.GROUND, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("spring", lw.TorsionSpring(pin, stiffness=100))
    m.add("load", lw.Force(lw.Frame(bar, (0, 0, 0.5)), (0, 0, -1)))
    return m


def held() -> lw.Model:
    """The same with an integral in a load, which is a state of small motions."""
    m = column()
    m.add("hold", lw.JointTorque(m["pin"], lw.integral(-1.0 * lw.reads(m["pin"], "angle"))))
    return m


def flexible() -> lw.Model:
    """A flexible link, a beam with a slider's bead, and a cable."""
    m = lw.Model("structures", gravity=(0, 0, -9.81))
    link = m.add("link", lw.FlexibleLink((0, 0, 0), (1, 0, 0), STEEL, at=(0.5,)))
    m.add("root", lw.Fixed(lw.GROUND, link.root, at=(0, 0, 0)))
    beam = m.add("beam", lw.Beam((0, 1, 0), (1, 1, 0), STEEL, elements=2))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 1, 0)))
    tip = m.add("tip", lw.Body(0.1, (1e-3,) * 3, position=(1, 1, -1)))
    m.add("rope", lw.Cable(beam.tip, tip, stiffness=1e4, mass=0.01, length=1.0, segments=3))
    m.add("load", lw.Force(lw.Frame(link.tip), (0, 0, -1)))
    return m


def touching() -> lw.Model:
    m = lw.Model("ball", gravity=(0, 0, -9.81))
    ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 0.1)))
    m.add("floor", lw.Contact(ball, lw.GROUND))
    return m


def failing() -> lw.Model:
    """A function of the user that raises at once."""
    m, rod, _ = pendulum()

    def push(t: float, motion: lw.Motion) -> np.ndarray:
        raise ValueError("no force")

    m.add("push", lw.UserForce(rod, push))
    return m


def ending() -> lw.Model:
    """A drive without values after a time."""
    m, _, pin = pendulum()
    m.add("end", lw.JointTorque(pin, lw.formula("sqrt(0.0015 - t) * x", x=lw.reads(pin, "rate"))))
    return m


MECHANISMS = [sensed, controlled, closed_loop, driven, column, held, flexible, touching,
              failing, ending]  # fmt: skip


@pytest.mark.parametrize("build", MECHANISMS, ids=lambda f: f.__name__)
def test_a_mechanism_stays_as_it_is(build):
    m = build()
    for word, analysis in analyses(m).items():
        with unchanged(m, word):
            analysis()


@pytest.mark.parametrize("build", MECHANISMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_method_changes_a_model(method, build):
    m = build()
    with unchanged(m, method):
        lw.transient(m, 0.003, 1e-3, METHODS[method](), progress=False)


def test_contents_know_what_was_changed():
    m, rod, pin = pendulum()
    before = contents(m)
    rod.__dict__["shape"] = {"kind": "ball"}
    pin.frames[1].position[0] += 1e-12
    changed = {path for path, value in contents(m).items() if before.get(path) != value}
    assert "model.items['rod'].shape['kind']" in changed
    assert any(path.endswith(".position") for path in changed)


# ----------------------------------------------------------------- what follows from private copies


def test_a_run_adds_nothing_to_the_model():
    m, _, pin = pendulum()
    m.add("brake", lw.JointTorque(pin, -0.1 * lw.reads(pin, "force", axis="z")))
    items = list(m.items)
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    assert list(m.items) == items
    np.testing.assert_array_equal(run["force z of pin"].force, run["pin"].force[:, 2])


def test_a_system_does_not_follow_later_changes_of_its_model():
    m, rod, _ = pendulum()
    system = lw.compile_model(m)
    before = system.described_state().positions.copy()
    rod.position = np.array([9.0, 9.0, 9.0])
    assert np.array_equal(system.described_state().positions, before)
    rod.position[:] = 8.0
    assert np.array_equal(system.described_state().positions, before)


def test_the_order_of_values_is_that_of_their_own_system():
    """A circuit's node stores charge with a capacitor, and does not without: two systems."""
    m = lw.Model("circuit")
    plus = m.add("plus", lw.electric.Node())
    m.add("battery", lw.electric.CurrentSource(lw.GROUND, plus, 1.0))
    m.add("lamp", lw.electric.Resistor(plus, lw.GROUND, 6.0))
    without = lw.compile_model(m)
    m.add("store", lw.electric.Capacitor(plus, lw.GROUND, 1e-3))
    lw.compile_model(m)
    place = [node.name for node in without.layout.nodes].index("plus")
    assert without.layout.order[without.layout.first[place]] == 0


def test_results_do_not_follow_later_changes_of_a_joint():
    m, *_ = pendulum()
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    expected = lw.transient(m, t=0.01, h=1e-3, progress=False)["pin"].force.values
    m.remove("pin")
    np.testing.assert_array_equal(run["pin"].force.values, expected)


def test_items_and_frames_given_to_analyses_are_those_of_the_model():
    m = column()
    by_name = lw.equilibrium_path(m, until=20, loads=["load"], progress=False)
    path = lw.equilibrium_path(m, until=20, loads=[m["load"]], progress=False)
    np.testing.assert_array_equal(path.factor, by_name.factor)
    link = flexible()["link"]
    with pytest.raises(lw.ModelError, match="of another model"):
        lw.equilibrium_path(m, loads=[column()["load"]], progress=False)
    with pytest.raises(lw.ModelError, match="not in model"):
        lw.jacobian(m, lw.Frame(link.tip))
    again = lw.jacobian(m, m["pin"].frames[1]).values
    np.testing.assert_array_equal(again, lw.jacobian(m, lw.Frame(m["bar"], (0, 0, -0.5))).values)


def test_functions_and_large_arrays_are_shared():
    m, rod, _ = pendulum()
    calls: list[float] = []

    class Push:
        """A function with a state of its own."""

        def __call__(self, t: float, motion: lw.Motion) -> np.ndarray:
            calls.append(t)
            return np.zeros(6)

    push = Push()
    m.add("push", lw.UserForce(rod, push))
    system = lw.compile_model(m)
    assert system.model["push"].function is push
    assert system.model["push"] is not m["push"] and system.model["rod"] is not rod
    lw.transient(m, t=2e-3, h=1e-3, progress=False)
    assert calls


def test_a_failure_is_recorded_in_the_copy():
    m = failing()
    with pytest.raises(lw.ModelError, match="function of UserForce 'push' raised ValueError"):
        lw.transient(m, t=0.01, h=1e-3, progress=False)
    assert m["push"].failure is None


@pytest.mark.parametrize("part", ["model", "system", "data"])
def test_a_failure_is_raised_for_a_model_a_system_and_a_data(part):
    system = lw.compile_model(failing())
    data = system.data()
    data.evaluate(system.described_state())
    with pytest.raises(lw.ModelError, match="raised ValueError"):
        raise_if_failed({"model": system.model, "system": system, "data": data}[part])


def test_parts_of_an_analysis_share_a_copy():
    m, rod, _ = pendulum()
    system = lw.compile_model(m)
    assert lw.compile_model(system.model).model is system.model
    assert system.model.own(rod) is system.model["rod"]
    assert system.model.is_copy_of(m) and not m.is_copy_of(system.model)


def test_long_chains_of_references_are_copied():
    """Filters that read each other in a chain, longer than Python's stack."""
    m = lw.Model("filters")
    reading = lw.sine(1.0, 1.0)
    for k in range(2000):
        block = m.add(f"filter {k}", lw.TransferFunction([1.0], [0.1, 1.0], reading))
        reading = lw.reads(block, "state", 0)
    copy = private_copy(m)
    assert copy["filter 1999"].input.item is copy["filter 1998"] is not m["filter 1998"]


class Slotted:
    """Of a user: without a dictionary."""

    __slots__ = ("load",)


class Ramp(lw.Force, abstract=True):
    """An item of a user with attributes of its own, pickled in a way of its own."""

    __slots__ = ("steps",)

    def __reduce__(self) -> Any:
        return Ramp, (self.frame, self.vector)


def test_items_of_users_are_copied():
    m, rod, _ = pendulum()
    ramp = m.add("ramp", Ramp(rod, (0, 0, 1)))
    object.__setattr__(ramp, "steps", [1, 2])
    ramp.__dict__["shared"] = Slotted()
    copy = private_copy(m)["ramp"]
    assert copy is not ramp and copy.frame is not rod
    assert copy.steps == [1, 2] and copy.steps is not ramp.steps
    assert copy.shared is ramp.shared


def decks() -> list[Path]:
    return [DECKS / f"{name}.mbd" for name in ("abstract_nodes", "circuits", "friction", "mounts")]


@pytest.mark.parametrize("path", decks(), ids=lambda path: path.stem)
def test_the_model_of_a_deck_stays_as_it_is(path, tmp_path):
    deck = lw.read_deck(path, environment={})
    with unchanged(deck.model, "run_deck"):
        run = lw.run_deck(deck, progress=False, t=deck.analysis.initial_time + 3e-3)
        assert lw.write_mbdyn(deck, run, tmp_path / "run")
