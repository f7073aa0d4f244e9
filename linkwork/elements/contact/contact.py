"""Contact between the shapes of bodies, and its parameters."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.contact.depth import contact_depth
from linkwork.elements.contact.kernel import CONTACT_KERNEL, OUTPUTS
from linkwork.elements.contact.layout import (
    CENTRE_A, CENTRE_B, FLIP, MARGIN, MEMORY, NOTES, RADIUS_A,
    RADIUS_B, REACH_A, REACH_B, ROLL, SMOOTH, SPIN, TOUCHED_A,
)  # fmt: skip
from linkwork.elements.corners import Corner, reduced
from linkwork.elements.contact.pairing import Pair, curvature_radius, pairs_of
from linkwork.elements.contact.geometry.shapes import GROUND_PLANE, Solid, solids_of
from linkwork.elements.friction.bristles import KAPPA, MU, TABLE, TABLED
from linkwork.elements.friction.models import Coulomb, FrictionModel
from linkwork.elements.laws.base import (
    STRESS, ConstitutiveLaw, addresses, law_numbers, over_times, padded,
)  # fmt: skip
from linkwork.elements.laws.contact import LEAST, Hertz, HuntCrossley, Tsuji
from linkwork.elements.layout import UNKNOWN
from linkwork.elements.signals.probes import FORCE, Probe, measured_load
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import GROUND, Frame
from linkwork.model.given import FrameLike, ShapeLike
from linkwork.model.registry import Entry, Family, Item, Memory

MOST_PAIRS = 2000  # of bodies with forces; hard contact finds its pairs as they come
MARGIN_SHARE = 0.05  # of the smaller shape: how far apart points are noted
SINKS = 1e-4  # of the smaller shape: what the law without parameters gives way under the weight
WEIGHT = 9.81
RESTITUTION = 0.5  # of that law
CALMS = 1e-3  # s: damping over stiffness of bristles
DEPTHS = np.logspace(-9, 0, 10)  # m, at which laws are tried


@functools.cache
def contact_family(size: int, integers: int) -> Family:
    """Contacts with so many numbers; all share one kernel."""
    return Family(
        f"contact of {size} and {integers}", CONTACT_KERNEL, bodies=2, reals=size,
        integers=integers, memory=Memory(notes=NOTES, path=MEMORY - NOTES), outputs=OUTPUTS,
    )  # fmt: skip


@functools.lru_cache
def pulls(numbers: bytes, integers: tuple[Any, ...]) -> bool:
    """Whether the force of a law is negative at depths, and positive at none."""
    own = np.tile(np.frombuffer(numbers), (len(DEPTHS), 1))
    force = over_times(addresses(integers), own, DEPTHS[:, None])[:, STRESS]
    return bool((force < 0).any() and not (force > 0).any())


class Bounds(NamedTuple):
    """Balls that hold the two shapes (centres in body axes), and a length that depths are small
    against."""

    centre_a: np.ndarray
    centre_b: np.ndarray
    reach_a: float
    reach_b: float
    size: float


def contact_entry(
    bodies: tuple[Any, Any], pair: Pair, bounds: Bounds, law: ConstitutiveLaw,
    model: FrictionModel | None, what: str, mass: float, flipped: bool = False,
) -> Entry:  # fmt: skip
    """The element of a pair of shapes on two bodies; mass: the reduced one that meets there."""
    table = np.zeros((0, 3)) if model is None else model.table()
    at_law = TABLE + table.size
    numbers, codes, laws = law_numbers(law, 1, what, at_law)
    if pulls(numbers.tobytes(), codes):
        raise ModelError(
            f"the law of {what} has a negative stiffness: it would pull at every depth, so that "
            "nothing holds the shapes apart; give its stiffness above zero"
        )
    at_geometry = at_law + len(numbers)
    reals, memory = np.zeros(at_geometry + len(pair.geometry)), np.zeros(MEMORY)
    reals[RADIUS_A], reals[RADIUS_B] = pair.radius_a, pair.radius_b
    reals[REACH_A], reals[REACH_B] = bounds.reach_a, bounds.reach_b
    reals[CENTRE_A : CENTRE_A + 3], reals[CENTRE_B : CENTRE_B + 3] = bounds[:2]
    reals[MARGIN] = MARGIN_SHARE * bounds.size
    if model is not None:
        reals[MU : KAPPA + 1] = model.numbers()
    reals[TABLED], reals[TABLE : TABLE + table.size] = len(table) > 0, table.ravel()
    reals[at_law:at_geometry] = numbers
    reals[at_geometry:] = pair.geometry
    memory[TOUCHED_A] = UNKNOWN
    corner = Corner(numbers, codes, ((0.0, 1.0),), None, mass, mass, contact_depth)
    friction = SMOOTH if model is None else model.number
    integers = (
        *pair.codes(at_geometry, flipped), len(table), friction, at_law, *padded(codes),
    )  # fmt: skip
    family = contact_family(len(reals), len(integers))
    return Entry(
        family, bodies, reals, laws=laws, corner=corner, integers=integers, memory=memory
    )


def damped(model: FrictionModel) -> FrictionModel:
    """With damping where none was given: bristles that vibrate beside a large load creep."""
    if model.damping is not None:
        return model
    return replace(model, damping=CALMS * model.stiffness)


Touching: TypeAlias = "FrameLike | Sequence[FrameLike]"


@dataclass(eq=False)
class Contact(Item):
    """Contact between the shapes of two bodies, or of every body of one list and of another.

    a, b : bodies with shapes, GROUND, or lists of them; a list without b: all pairs within it
    law  : normal force (N) from depth (m) and its rate, such as lw.laws.HuntCrossley(1e6), Hertz,
           LinearViscoelastic or any other law of one component; it never pulls.  Without one the
           shapes give way by 1e-4 of their size under ten times the weight of the lighter body, and
           part with `restitution` (default 0.5) of the speed with which they met (lw.laws.Tsuji)
    friction : coefficient, or lw.Coulomb(...), lw.LuGre(...); None: smooth
    rolling, spinning : lengths (m): the rolling moment is at most friction × rolling × force, and
           a point contact resists turning about its normal as a ring of radius `spinning` would
    ground : shape of the ground; without it the plane z = 0
    hard : no depth at all: impacts and impulses, with `restitution` (0 … 1) by Newton's rule, or
           by Poisson's with impact="poisson" (default "newton"); for method=lw.Moreau()

    Outputs of a pair of bodies: gap (m; negative: depth), force and moment on b about `point`,
    normal_force, normal (from a to b), slip (m/s, velocity of b over a at the point), power,
    stored_energy (J, of the law).

    Example
    -------
    >>> import linkwork as lw
    >>> ball = lw.Body.sphere(0.1, density=1000, position=(0, 0, 1))
    >>> touch = lw.Contact(ball, lw.GROUND, law=lw.laws.HuntCrossley(1e6), friction=0.3)
    """

    view: ClassVar[str] = "contact"

    a: Touching
    b: Touching | None = None
    law: ConstitutiveLaw | None = None
    friction: float | FrictionModel | None = None
    rolling: float = 0.0
    spinning: float = 0.0
    restitution: float | None = None
    hard: bool = False
    impact: str = "newton"
    ground: ShapeLike | None = None
    has_range: ClassVar[bool] = True

    def __post_init__(self) -> None:
        what = self.label
        self.hard = checks.flag(self.hard, f"hard of {what}")
        checks.choice(self.impact, f"impact of {what}", ("newton", "poisson"))
        self.rolling = checks.number(self.rolling, f"rolling of {what}", minimum=0)
        self.spinning = checks.number(self.spinning, f"spinning of {what}", minimum=0)
        self.check_law(what)
        friction = self.friction
        if friction is not None and not isinstance(friction, FrictionModel):
            friction = checks.number(friction, f"friction of {what}", minimum=0)
        if not friction and (self.rolling or self.spinning):
            raise ModelError(f"{what} resists rolling and spinning by friction; give friction=")
        if self.hard and (self.rolling or self.spinning):
            raise ModelError(f"{what} is hard, which has no rolling or spinning resistance yet")
        self.pairs_of_bodies()
        if self.ground is not None:
            self.check_ground(what)

    def check_ground(self, what: str) -> None:
        try:
            found = solids_of(GROUND, self.ground, what)
        except ModelError as error:
            raise ModelError(f"ground of {what}: {error}") from error
        if not found:
            raise ModelError(f"ground of {what} has no shape that touches; leave it out for z = 0")

    def check_law(self, what: str) -> None:
        if self.restitution is not None:
            e = checks.number(self.restitution, f"restitution of {what}")
            if not 0 <= e <= 1:
                raise ModelError(f"restitution of {what} must be from 0 to 1, found {e:g}")
        if self.hard and self.law is not None:
            raise ModelError(f"{what} is hard and has no law; leave out law= or hard=True")
        if self.hard or self.law is None:
            return
        if not isinstance(self.law, ConstitutiveLaw):
            raise ModelError(
                f"{what} needs a law such as lw.laws.HuntCrossley(1e6), but "
                f"{checks.show(self.law)} was given"
            )
        if self.restitution is not None:
            raise ModelError(
                f"{what} has a law, which says how much it loses; give restitution= to the law "
                "(lw.laws.HuntCrossley) or leave out law="
            )
        self.law.numbers(1, what) if not isinstance(self.law, Hertz) else None

    @property
    def by_impulses(self) -> bool:
        return self.hard

    # ----------------------------------------------------------------------------------- bodies
    def pairs_of_bodies(self) -> list[tuple[Any, Any]]:
        """Which bodies touch which."""
        a, b = self.a, self.b
        if isinstance(a, Frame) and isinstance(b, Frame) and a.body is b.body:
            raise ModelError(f"{self.label} joins a body with itself; give two different bodies")
        first, second = self._list(self.a, "a"), self._list(self.b, "b")
        if self.b is None:
            if len(first) < 2:
                raise ModelError(
                    f"{self.label} needs b=, what {checks.show(self.a)} touches, or a longer list"
                )
            pairs = list(itertools.combinations(first, 2))
        else:
            pairs = [(x, y) for x in first for y in second if x is not y]
            seen: set[frozenset[int]] = set()
            pairs = [
                p for p in pairs
                if (key := frozenset(map(id, p))) not in seen and not seen.add(key)  # type: ignore[func-returns-value]
            ]  # fmt: skip
        if not pairs:
            raise ModelError(f"{self.label} joins a body with itself; give two different bodies")
        if len(pairs) > MOST_PAIRS and not self.hard:
            raise ModelError(
                f"{self.label} has {len(pairs)} pairs of bodies, of which each is an element; for "
                f"more than {MOST_PAIRS} use hard=True with method=lw.Moreau()"
            )
        return pairs

    def _list(self, given: Any, word: str) -> list[Any]:
        several = list(given) if isinstance(given, (list, tuple)) else [given]
        if given is None:
            several = []
        for body in several:
            if body is not GROUND and not isinstance(body, Body):
                raise ModelError(
                    f"{word} of {self.label} must be a body, GROUND or a list of bodies, but "
                    f"{checks.show(body)} was given; pass the item that model.add returned"
                )
        return several

    def solids(self, body: Any) -> list[Solid]:
        """The shapes of a body that this contact knows."""
        if body is GROUND:
            return solids_of(body, GROUND_PLANE if self.ground is None else self.ground, self.label)
        return solids_of(body, body.shape, self.label)

    def coefficient(self) -> float:
        """Of sliding friction."""
        if isinstance(self.friction, FrictionModel):
            return float(self.friction.mu or 0.0)
        return float(self.friction or 0.0)

    # --------------------------------------------------------------------------------- elements
    def friction_model(self, size: float) -> FrictionModel | None:
        """The model given, or Coulomb's with bristles that are stiff for these bodies."""
        if isinstance(self.friction, FrictionModel):
            return damped(self.friction)
        if not self.friction:
            return None
        stiffness = 1.0 / (SINKS * size)  # the surfaces give way by μ of that under a unit load
        return damped(Coulomb(float(self.friction), stiffness=stiffness))

    def law_between(self, a: Solid, b: Solid, masses: list[float]) -> ConstitutiveLaw:
        if isinstance(self.law, Hertz):
            return self.law.between(curvature_radius(a, b))
        if self.law is not None:
            return self.law
        if any(math.isnan(mass) for mass in masses):
            raise ModelError(
                f"{self.label} has no law, and mass on a body that it joins changes or moves with "
                "time, so that no damping gives it one restitution; give law=, such as "
                "lw.laws.HuntCrossley(1e6, restitution=0.5, speed=1.0)"
            )
        size, lighter = min(a.size, b.size), min((x for x in masses if x > 0), default=1.0)
        lighter = lighter if lighter < math.inf else 1.0
        stiffness = 10 * lighter * WEIGHT / (SINKS * size) ** 1.5
        e = RESTITUTION if self.restitution is None else max(self.restitution, LEAST)
        return Tsuji(stiffness, restitution=e, mass=reduced(masses) or lighter)

    def reading(self, quantity: str, axis: Any) -> Drive:
        if self.hard or len(self.pairs_of_bodies()) != 1:
            why = "is hard" if self.hard else "joins several pairs of bodies"
            raise ModelError(
                f"{self.label} {why}, so that its force is not read; use a Contact with a law "
                "between two bodies, or read the force of a joint that carries one of them"
            )
        return measured_load(self, quantity, axis, ("force",))

    def probe(self, quantity: str, which: int) -> Probe:
        flips = [entry.integers[FLIP] < 0 for entry in self.entries()]
        return Probe(FORCE, tuple((i, 0 if flip else 1) for i, flip in enumerate(flips)))

    def entries(self) -> list[Entry]:
        if self.hard:
            return []  # integrators.nonsmooth treats it
        made: list[Entry] = []
        solids = {id(x): self.solids(x) for pair in self.pairs_of_bodies() for x in pair}
        for one, two in self.pairs_of_bodies():
            masses = [math.inf if x is GROUND else x.mass for x in (one, two)]
            for a, b in itertools.product(solids[id(one)], solids[id(two)]):
                for pair, flipped in pairs_of(a, b, self.label):
                    made.append(self.entry(pair, flipped, (one, a), (two, b), masses))
        return made

    def entry(
        self, pair: Pair, flipped: bool, first: tuple[Any, Solid], second: tuple[Any, Solid],
        masses: list[float],
    ) -> Entry:  # fmt: skip
        """masses: of both bodies as they move, infinite where one is held, nan where it changes."""
        again = functools.partial(self.entry, pair, flipped, first, second)
        if flipped:
            first, second = second, first
        (one, a), (two, b) = first, second
        size = min(a.size, b.size, 2 * min(a.reach, b.reach))
        bounds = Bounds(a.centre, b.centre, a.reach, b.reach, size)
        model, law = self.friction_model(size), self.law_between(a, b, masses)
        entry = contact_entry(
            (one, two), pair, bounds, law, model, self.label, reduced(masses), flipped
        )
        entry.with_masses = again
        entry.reals[SPIN], entry.reals[ROLL] = self.spinning, self.rolling
        return entry

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Contact:
        """Large shapes, so that bodies a few metres apart touch."""
        kinds = [
            {"kind": "sphere", "radius": 6.0, "position": rng.normal(size=3)},
            {"kind": "capsule", "radius": 6.0, "length": 1.0},
            {"kind": "plane", "normal": rng.normal(size=3)},
        ]
        a.shape, b.shape = kinds[int(rng.integers(3))], {"kind": "sphere", "radius": 20.0}
        friction = Coulomb(0.2, static=0.3, stribeck=0.5, stiffness=0.1, damping=0.02)
        law = HuntCrossley(rng.uniform(0.1, 0.2), damping=0.01, exponent=1.5)
        return cls(a, b, law=law, friction=friction, rolling=0.5, spinning=0.3)
