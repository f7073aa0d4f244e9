"""Bad input: each mistake gets one clear sentence, the right class, and nothing is lost.

The registry is walked: whatever item is added to the package meets the same junk here.
"""

import copy
import inspect
import pickle
import warnings
from dataclasses import MISSING, fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkwork as lw
import linkwork.elements.catalogue
from linkwork.model.registry import ITEMS
from linkwork.system.system import compile_model

GRAVITY = (0, 0, -9.81)


def run(model, t=0.5, h=1e-2, **options):
    return lw.transient(model, t, h, progress=False, **options)


def one_sentence(error):
    """What is said about a mistake."""
    text = str(error)
    assert text and "\n" not in text and len(text) < 500, text
    return text


def refuse(make, words=None, kind=lw.ModelError):
    """make() raises `kind` with one sentence that has these words in it."""
    with pytest.raises(kind, match=words) as caught:
        make()
    return one_sentence(caught.value)


def body(**words):
    return lw.Body(**{"mass": 1, "inertia": (1, 1, 1), **words})


def pendulum(**words):
    m = lw.Model("pendulum", gravity=GRAVITY)
    rod = m.add("rod", body(position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), **words))
    return m


def one_body(item=None, **words):
    """A model of one body 'rod' and item(rod) named 'thing'."""
    m = lw.Model("one", gravity=GRAVITY)
    rod = m.add("rod", body(position=(1, 0, 0), **words))
    if item is not None:
        m.add("thing", item(rod))
    return m


# ---------------------------------------------------------------------------- names and belonging


@pytest.mark.parametrize("name", ["", "a.b", "a/b", " rod", "rod ", "a\nb", "\t", 3, None, b"rod"])
def test_names_that_cannot_be_used(name):
    refuse(lambda: lw.Model().add(name, body()), "name of an item must be a text")


def test_names_that_are_taken_or_unknown():
    m = one_body()
    refuse(lambda: m.add("rod", body()), "'rod' already .*Body 'rod'.*another name")
    refuse(lambda: m.add("ground", body()), "'ground' is taken")
    refuse(lambda: m["rood"], "no item named 'rood'; did you mean 'rod'")
    refuse(lambda: m[["rod"]], "no item named")
    refuse(lambda: m.remove("x"), "no item named 'x'")
    assert "rod" in m and ["rod"] not in m and len(m) == 1


@pytest.mark.parametrize("name", [(0, 0, -9.81), 3, None, "two\nlines"])
def test_names_that_a_model_cannot_have(name):
    """Model((0, 0, -9.81)) would be a model without gravity."""
    refuse(lambda: lw.Model(name), "name of a model must be a text")


@pytest.mark.parametrize("gravity", [9.81, (0, 9.81), (0, 0, np.nan), "down", (0, 0, "9.81"), None])
def test_wrong_gravity(gravity):
    refuse(lambda: lw.Model("m", gravity=gravity), "gravity of model 'm' must be")
    m = lw.Model("m", gravity=GRAVITY)
    with pytest.raises(lw.ModelError, match="gravity of model 'm'"):
        m.gravity = gravity
    np.testing.assert_array_equal(m.gravity, GRAVITY)


@pytest.mark.parametrize("item", [3, None, "body", lw.Body, lw.GROUND, lw.ramp(1)])
def test_things_that_are_no_items(item):
    refuse(lambda: lw.Model().add("thing", item), "'thing' must be a body, joint or force")


def test_an_item_is_added_once():
    m, other = one_body(), lw.Model("other")
    refuse(lambda: m.add("again", m["rod"]), "'again' is in a model already, as 'rod'")
    refuse(lambda: other.add("rod", m["rod"]), "in a model already")


def test_what_a_joint_uses_must_be_in_its_model():
    stranger = body(position=(1, 0, 0))
    m = one_body(lambda rod: lw.Spherical(rod, stranger, at=(0, 0, 0)))
    refuse(lambda: run(m), "Spherical 'thing' uses a Body, .*not in model 'one'; add it")
    there = lw.Model("there")
    foreign = there.add("rod", body())
    m = one_body(lambda rod: lw.Spherical(rod, foreign, at=(0, 0, 0)))
    refuse(lambda: lw.assemble(m), "'thing' uses Body 'rod', which is in another model than 'one'")
    m = pendulum()
    m.remove("rod")
    m.add("other", body())
    refuse(lambda: run(m), "Revolute 'pin' uses a Body, which is not in model 'pendulum'")


def test_a_torsion_spring_needs_its_joint_in_the_model():
    m = one_body()
    pin = lw.Revolute(lw.GROUND, m["rod"], at=(0, 0, 0))
    m.add("spring", lw.TorsionSpring(pin, 1.0))
    refuse(lambda: run(m), "TorsionSpring 'spring' acts on a Revolute, which is not in model")
    m.add("pin", pin)
    assert run(m, t=0.1).time[-1] == 0.1


@pytest.mark.parametrize("analysis", [lw.assemble, run, lw.static, lw.eigen, compile_model])
def test_models_without_bodies(analysis):
    empty = lw.Model("empty")
    refuse(lambda: analysis(empty), "model 'empty' has no body; add one")
    empty.add("pin", lw.Revolute(lw.GROUND, body(), at=(0, 0, 0)))
    refuse(lambda: analysis(empty), "model 'empty' has no body; add one")
    refuse(lambda: analysis("pendulum.py"), "Model")


def test_copies_of_a_model_have_the_same_ground():
    m = pendulum()
    for twin in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert twin["pin"].a is lw.GROUND and twin["rod"] is not m["rod"]
        assert np.array_equal(run(twin, t=0.1).motion, run(m, t=0.1).motion)


# ------------------------------------------------------------------------------- joints and frames


JOINTS = sorted(n for n in ITEMS if {"a", "b"} <= {f.name for f in fields(ITEMS[n])})


def sample(name, seed=0):
    """An item of each class, the two bodies it is between, and what else it needs."""
    rng = np.random.default_rng(seed)
    a, b = (body(position=rng.normal(size=3)) for _ in range(2))
    if name == "Body":
        words = dict(velocity=(1, 2, 3), angular_velocity=(0, 0, 1), orientation=(1, 0, 0, 0))
        return body(**words), (a, b), []
    found = ITEMS[name].sample(rng, a, b)
    *others, item = found if isinstance(found, list) else [found]
    return item, (a, b), others


@pytest.mark.parametrize("name", JOINTS)
def test_nothing_joins_a_body_with_itself(name):
    assert len(JOINTS) > 15
    item, (a, _), _ = sample(name)
    words = item.words()
    for same in (dict(a=a, b=a), dict(a=lw.GROUND, b=lw.GROUND)):
        assert "with itself" in refuse(lambda same=same: type(item)(**{**words, **same}))
    places = [w for w in words if w in ("at", "axis", "at_a", "at_b", "axis_a", "axis_b")]
    words = {k: v for k, v in words.items() if k not in places}
    ends = dict(a=lw.Frame(a), b=lw.Frame(a, (0, 0, 1), (0.5, 0.5, 0.5, 0.5)))
    assert "with itself" in refuse(lambda: type(item)(**{**words, **ends}))


@pytest.mark.parametrize("name", JOINTS)
def test_a_zero_axis_points_nowhere(name):
    item, _, _ = sample(name)
    for word in ("axis", "axis_a", "axis_b"):
        if item.words().get(word) is None:
            continue
        refuse(
            lambda word=word: type(item)(**{**item.words(), word: (0, 0, 0)}),
            rf"{word} of an? {name} must not be zero; give a direction",
        )
        big = type(item)(**{**item.words(), word: 1e300 * np.asarray(item.words()[word])})
        one, other = (x.frames[0].orientation for x in (big, item))
        np.testing.assert_allclose(one, other, atol=1e-15)


A, B = body(), body(position=(1, 0, 0))
PIN = lw.Revolute(A, B, at=(0, 0, 0), axis=(0, 0, 1))
MISTAKES = [
    # frames
    (lambda: lw.Frame(lw.Frame(A)), "needs a body or GROUND.*give its body, a Body"),
    (lambda: lw.Frame(PIN), "needs a body or GROUND, but a Revolute was given"),
    (lambda: lw.Frame("rod"), "needs a body or GROUND, but 'rod' was given"),
    (lambda: lw.Frame(A, (0, 0, np.inf)), "position of a frame on a Body must be finite"),
    (lambda: lw.Frame(A, orientation=np.zeros(4)), "all four numbers are zero"),
    (lambda: lw.Frame(A, orientation=np.eye(4)), "must be a quaternion"),
    (lambda: lw.Frame(A, orientation=2 * np.eye(3)), "rotation matrix"),
    (lambda: lw.Frame(A, orientation=np.diag([1, 1, -1])), "determinant"),
    # where a joint is
    (lambda: lw.Revolute(A, B), r"needs at=\(x, y, z\)"),
    (lambda: lw.Revolute(A, B, axis=(0, 0, 1)), r"needs at=\(x, y, z\)"),
    (lambda: lw.Revolute(A, B, at=(0, 0, 0), axis=(1, 0, 0), orientation=np.eye(3)), "not both"),
    (lambda: lw.Revolute(lw.Frame(A), B, at=(0, 0, 0)), "frame says where the joint is"),
    (lambda: lw.Revolute(lw.Frame(A), lw.Frame(B), axis=(1, 0, 0)), "not both"),
    (lambda: lw.Revolute(A, PIN, at=(0, 0, 0)), "needs a body, a Frame or GROUND, but a Revolute"),
    (lambda: lw.Revolute((0, 0, 0), A, B), "needs a body, a Frame or GROUND"),
    # rows and drives
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x x"), "each once, but 'x x'"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x q"), "must be some of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows=""), "must be some of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows=6), "must be some of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x", drive={"y": 1}), "'y', which is not one of"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x", drive={"x": None}), "expected a drive"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), rows="x", drive=lw.ramp(1)), "must be a dict from rows"),
    (lambda: lw.Lock(A, B, at=(0, 0, 0), drive_a={"angle": 1}), "drive_a .*'angle'"),
    (lambda: lw.Motor(A, B, at=(0, 0, 0)), "needs angle="),
    (lambda: lw.Actuator(A, B, at=(0, 0, 0)), "needs displacement="),
    (lambda: lw.Motor(A, B, (0, 0, 0), (0, 0, 1), "sin(t)"), r"angle of a Motor.*expression\("),
    # starts
    (lambda: lw.Prismatic(A, B, at=(0, 0, 0), angle=1), "no angle to start with: it is held"),
    (lambda: lw.Fixed(A, B, at=(0, 0, 0), rate=1), "no rate to start with"),
    (lambda: lw.Prismatic(A, B, at=(0, 0, 0), rate=1, speed=1), "rate or speed, not both"),
    (lambda: lw.Revolute(A, B, at=(0, 0, 0), angle=lw.ramp(1)), "angle of a Revolute must be"),
    # lengths and loads
    (lambda: lw.Distance(A, B, length=0), "must be positive, but 0 was given; use Spherical"),
    (lambda: lw.Distance(A, body()), "coincide.*use Spherical"),
    (lambda: lw.Spring(A, B, 100), "at_a of a Spring must be 3 numbers, but 100"),
    (lambda: lw.Force(lw.GROUND, (1, 0, 0)), "acts on GROUND, which cannot move"),
    (lambda: lw.Force((1, 0, 0), A), "needs a body, a Frame or GROUND"),
    (lambda: lw.Torque(lw.Frame(lw.GROUND), (1, 0, 0)), "acts on GROUND"),
    (lambda: lw.Force(A, (1, 0, 0), follower="no"), "follower of a Force must be True or False"),
    (lambda: lw.UserForce(A, lambda t, m: 0, stiff=2), "stiff of a UserForce must be True or"),
    # bodies
    (lambda: body(mass=-1), "mass of a Body must be at least 0, but -1 was given"),
    (lambda: body(mass="2"), "mass of a Body must be a number"),
    (lambda: body(mass=True), "mass of a Body must be a number"),
    (lambda: body(mass=[1.0]), "mass of a Body must be a number"),
    (lambda: body(mass=10**400), "mass of a Body must be a number"),
    (lambda: body(inertia=1), "3 numbers or a 3×3 matrix"),
    (lambda: body(inertia=(1, 1)), "3 numbers or a 3×3 matrix"),
    (lambda: body(inertia=[[1, 0, 0], [0, 1, 0.1], [0, 0, 1]]), "symmetric"),
    (lambda: body(inertia=(1, 1, -0.1)), "negative principal moment, but has -0.1"),
    (lambda: body(inertia=(1, 1, 2.1)), "triangle inequality.* 1, 1, 2.1"),
    (lambda: body(inertia=(1e308, 1e308, 1e300)), None),
    (lambda: body(position="abc"), "position of a Body must be 3 numbers"),
    (lambda: body(position=("1", "2", "3")), "position of a Body must be 3 numbers"),
    (lambda: body(velocity=3), "velocity of a Body must be 3 numbers"),
    (lambda: body(orientation=(0, 0, 0, 0)), "all four numbers are zero"),
    (lambda: body(shape={"kind": "sphere", "radius": np.nan}), "shape of a Body must have finite"),
    (lambda: lw.Body.box((1, 2), mass=1), "size of Body.box must be 3 numbers"),
    (lambda: lw.Body.box(1, mass=1), "size of Body.box must be 3 numbers"),
    (lambda: lw.Body.box((1, 0, 1), mass=1), "edge of Body.box must be positive"),
    (lambda: lw.Body.box((1, 1, 1)), "either density or mass"),
    (lambda: lw.Body.box((1, 1, 1), mass=1, density=1), "either density or mass"),
    (lambda: lw.Body.cylinder(0.1, -1, mass=1), "length of Body.cylinder must be positive"),
    (lambda: lw.Body.sphere(0.1, density=0), "density of Body.sphere must be positive"),
    (lambda: lw.Body.link((0, 0, 0), (0, 0, 0), 0.1, mass=1), "two different points"),
    (lambda: lw.Body.link((0, 0, 0), (1, 0, 0), 0.1, mass=1, position=(0, 0, 0)), "leave out pos"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), MISTAKES)
def test_mistakes_are_explained(make, words):
    if words is None:
        make()
    else:
        refuse(make, words)


def test_inertia_may_miss_the_triangle_by_rounding():
    J = body(inertia=(1, 1, 2 * (1 + 4e-10))).inertia
    assert J[2, 2] == 2 * (1 + 4e-10)  # as it was given
    refuse(lambda: body(inertia=(1, 1, 2 * (1 + 4e-9))), "triangle inequality")
    # a flat plate in turned axes misses it by rounding only
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    for scale in (1e-12, 1.0, 1e12):
        body(inertia=scale * R @ np.diag([1.0, 2.0, 3.0]) @ R.T)
    assert not body(inertia=(0, 0, 0)).inertia.any()


def test_quaternions_are_normalised_with_a_warning():
    with pytest.warns(lw.LinkworkWarning, match="orientation of a Body .* length 2; it was norm"):
        q = body(orientation=(2, 0, 0, 0)).orientation
    np.testing.assert_array_equal(q, [1, 0, 0, 0])
    with pytest.warns(lw.LinkworkWarning, match="a frame on a Body"):
        q = lw.Frame(A, orientation=(1e-200, 0, 0, 1e-200)).orientation
    np.testing.assert_allclose(q, np.sqrt([0.5, 0, 0, 0.5]), rtol=1e-15)
    with pytest.warns(lw.LinkworkWarning, match="orientation of a Fixed"):
        lw.Fixed(A, B, at=(0, 0, 0), orientation=[0, 3, 0, 0])
    body(orientation=(1 + 1e-10, 0, 0, 0))  # rounding needs no warning


def test_scipy_rotations():
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_euler("z", 90, degrees=True)
    np.testing.assert_allclose(body(orientation=turn).orientation, np.sqrt([0.5, 0, 0, 0.5]))
    many = Rotation.from_euler("z", [[10], [20]], degrees=True)
    refuse(lambda: body(orientation=many), "one scipy Rotation")


# ------------------------------------------------------------------------ junk in every word


NAN, INF = float("nan"), float("inf")
JUNK = [
    NAN, INF, -INF, "junk", "1.0", "", b"1", 1j, object(), [1, 2], [[1, 2], [3, 4]], [1, [2]],
    (NAN, 0, 0), (0, 0, INF), np.full(3, NAN), np.full((3, 3), NAN), np.full(6, INF), np.zeros(0),
    [None, 1, 2], ["1", "2", "3"], np.zeros((2, 3)), {"kind": NAN}, range(0), Ellipsis,
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_junk_in_any_word_is_refused(name):
    item, _, _ = sample(name)
    words = item.words()
    optional = {f.name for f in fields(item) if f.default is None}
    required = {f.name for f in fields(item) if f.init and f.default is MISSING}
    for word in words:
        junk = [*JUNK, None] if word in required or word not in optional else JUNK
        for value in junk:
            if word == "shape" and not isinstance(value, dict):
                continue  # anything a viewer may draw
            with pytest.raises(lw.ModelError) as caught:
                type(item)(**{**words, word: value})
            text = one_sentence(caught.value)
            assert name in text or "a frame on" in text, text
            before = dict(vars(item))
            with pytest.raises(lw.ModelError) as caught:
                setattr(item, word, value)
            one_sentence(caught.value)
            assert vars(item) == before or all(
                x is y for x, y in zip(vars(item).values(), before.values(), strict=True)
            )


REALS = st.floats(width=64, allow_nan=True, allow_infinity=True)
ANYTHING = st.one_of(
    st.none(), st.booleans(), REALS, st.integers(), st.text(max_size=5), st.complex_numbers(),
    st.lists(REALS, max_size=4), st.lists(REALS, min_size=3, max_size=3),
    st.lists(REALS, min_size=6, max_size=6), st.lists(REALS, min_size=4, max_size=4),
    st.lists(st.lists(REALS, min_size=3, max_size=3), min_size=3, max_size=3).map(np.array),
    st.sampled_from(["x y z", "rx", ["x"], {"x": 1.0}, {"rz": "t"}, {}, (), lw.GROUND, A, PIN]),
    st.sampled_from([lw.ramp(1), lw.Frame(A, (0, 0, 1)), len, object(), np.float32(1), {1, 2}]),
    st.tuples(REALS, REALS, REALS), st.dictionaries(st.text(max_size=2), REALS, max_size=2),
    st.lists(st.sampled_from([A, B, lw.GROUND, lw.Frame(B), 0]), max_size=3),
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(ITEMS))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_words_make_an_item_or_a_model_error(name, data):
    item, bodies, others = sample(name)
    words = item.words()
    chosen = data.draw(st.sets(st.sampled_from(sorted(words)), min_size=1, max_size=3))
    for word in chosen:
        words[word] = data.draw(ANYTHING)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        try:
            made = type(item)(**words)
            m = lw.Model("fuzz")
            for i, x in enumerate([*bodies, *others, made, A, B, PIN]):
                if x.name is None:
                    m.add(f"item{i}", x)
        except lw.LinkworkError as error:
            one_sentence(error)
            return
        finally:
            for x in (A, B, PIN):
                x.name = None
        try:
            system = compile_model(m)
        except lw.LinkworkError as error:
            one_sentence(error)
            return
        assert np.all(np.isfinite(system.tables.reals))
        assert np.all(np.isfinite(system.tables.bodies))


# ---------------------------------------------------------------- values of every kind, kept apart


def kinds(numbers):
    yield from (list(numbers), tuple(numbers), np.array(numbers), np.array(numbers, np.float32))
    yield [np.float64(x) for x in numbers]
    import xarray

    yield xarray.DataArray(list(numbers))


def test_numbers_of_all_kinds_are_taken():
    for position in kinds([1, 2, 3]):
        b = lw.Body(np.int64(2), position, position=position, velocity=position)
        assert b.mass == 2.0 and type(b.mass) is float
        np.testing.assert_array_equal(b.position, [1.0, 2, 3])
        np.testing.assert_array_equal(b.inertia, np.diag([1.0, 2, 3]))
        frame = lw.Frame(b, position)
        joint = lw.Lock(lw.GROUND, b, at=position, axis=position, rows=("x", "rz"))
        np.testing.assert_allclose(joint.frames[0].position, frame.position)
        lw.Spring(A, b, at_b=position, stiffness=np.float32(3), length=np.array(2))
    from fractions import Fraction

    assert lw.Body(Fraction(1, 2), (1, 1, 1)).mass == 0.5


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_what_the_user_goes_on_using_does_not_change_the_model(name):
    """Lists and arrays that were given may be changed afterwards."""
    item, bodies, others = sample(name)
    words = item.words()
    mine = {
        k: np.array(v) if isinstance(v, np.ndarray) else list(v) if isinstance(v, list) else v
        for k, v in words.items()
    }
    made = type(item)(**mine)
    m = lw.Model()
    for i, x in enumerate([*bodies, *others, made]):
        m.add(f"item{i}", x)
    before = compile_model(m)
    for value in mine.values():
        if isinstance(value, np.ndarray):
            value[...] = 77
        elif isinstance(value, list):
            value.clear()
    after = compile_model(m)
    np.testing.assert_array_equal(before.tables.bodies, after.tables.bodies)
    if name != "UserForce":  # whose numbers are addresses
        np.testing.assert_array_equal(before.tables.reals, after.tables.reals)
    for value in made.words().values():
        if isinstance(value, np.ndarray):
            assert not np.any(value == 77)


def test_changes_of_a_body_are_checked():
    m = pendulum()
    rod = m["rod"]
    for word, value, message in [
        ("mass", -1, "mass of Body 'rod' must be at least 0, but -1 was given"),
        ("mass", NAN, "mass of Body 'rod' must be a finite number"),
        ("inertia", (1, 1, 3), "inertia of Body 'rod' violates the triangle"),
        ("position", (1, 2), "position of Body 'rod' must be 3 numbers"),
        ("mas", 3, "Body 'rod' has no word 'mas'; did you mean 'mass'"),
        ("colour", 3, "Body 'rod' has no word 'colour'; it has mass"),
    ]:
        assert message in refuse(lambda word=word, value=value: setattr(rod, word, value))
    assert rod.mass == 1.0 and rod.inertia[2, 2] == 1.0
    rod.mass = 4
    assert run(m, t=0.1)["pin"].force_world[0] is not None
    assert rod.mass == 4.0 and compile_model(m).tables.bodies[0, 0] == 4.0
    rod.position = [2, 0, 0]
    np.testing.assert_array_equal(rod.position, [2.0, 0, 0])


def test_changes_in_place_are_seen_at_the_latest_when_compiled():
    m = pendulum()
    m["rod"].position[1] = NAN
    refuse(lambda: run(m), "Body 'rod' has numbers that are not finite")
    m = pendulum()
    m.gravity[0] = NAN
    refuse(lambda: run(m), "gravity of model 'pendulum'")
    m = pendulum()
    m["pin"].frames[0].position[0] = NAN
    refuse(lambda: run(m), "Revolute 'pin' has numbers that are not finite")


def test_changes_of_a_joint_take_effect():
    """An axis that is changed is not ignored, and a start that is changed moves no marker."""
    m = pendulum()
    pin, rod = m["pin"], m["rod"]
    pin.axis = (1, 0, 0)
    run(m)  # turns about the rod: stays where it is
    np.testing.assert_allclose(run(m)["rod"].position[-1], (1, 0, 0), atol=1e-12)
    pin.axis = (0, 1, 0)
    rod.position = rod.position + (0, 0, 0.1)
    marker = pin.frames[1].position.copy()
    pin.rate = 2.0
    np.testing.assert_array_equal(pin.frames[1].position, marker)
    refuse(lambda: setattr(pin, "rate", "fast"), "rate of Revolute 'pin' must be a number")
    refuse(lambda: setattr(pin, "b", lw.GROUND), "Revolute 'pin' joins GROUND with itself")
    assert pin.rate == 2.0 and pin.b is rod


def test_changes_of_forces_take_effect():
    m = one_body(lambda rod: lw.UserForce(rod, lambda t, motion: np.zeros(6)))
    m.gravity = (0, 0, 0)
    run(m, t=0.1)
    m["thing"].function = lambda t, motion: np.array([2.0, 0, 0, 0, 0, 0])
    assert float(run(m, t=0.1)["rod"].velocity[-1, 0]) == pytest.approx(0.2)
    refuse(lambda: setattr(m["thing"], "function", 3), "UserForce 'thing' needs function")
    m = one_body(lambda rod: lw.Spring(lw.GROUND, rod, stiffness=1))
    m["thing"].stiffness = 100
    assert compile_model(m).elements[0].entry.reals.max() == 100
    refuse(lambda: setattr(m["thing"], "damping", -1), "damping of Spring 'thing' must be at least")


# ------------------------------------------------------------------------------ running a model


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (dict(t=0), "t must be later than the start time 0"),
        (dict(t=-1), "t must be later"),
        (dict(t=NAN), "t, the end time, must be a finite number"),
        (dict(t="1"), "t, the end time, must be a number"),
        (dict(h=0), "h, the step, must be positive"),
        (dict(h=-1e-3), "h, the step, must be positive"),
        (dict(h=INF), "h, the step, must be a finite number"),
        (dict(h=None), "h, the step, must be a number"),
        (dict(method="rk4"), "method must be an integrator"),
        (dict(start=3), "start must be a State or a Result"),
        (dict(start=lw.assemble(one_body())), None),
        (dict(stop=3), "stop must be a function"),
        (dict(stop=lw.JointLimit("pim", angle=(0, 1))), "no item named 'pim'; did you mean 'pin'"),
        (dict(stop=lw.JointLimit("rod", angle=(0, 1))), "needs a joint, but Body 'rod' is none"),
        (dict(stop=lw.JointLimit("pin", displacement=(0, 1))), "displacement of Revolute .*held"),
        (dict(stop=lambda t, now: t > 0.1), "must return one finite number, whose change of sign"),
        (dict(stop=lambda t, now: None), "must return one finite number"),
        (dict(stop=lambda t, now: 1 / 0), "raised ZeroDivisionError at t = 0"),
        (dict(stop=lambda t, now: now["pit"].angle), "no item named 'pit'; did you mean 'pin'"),
    ],
)  # fmt: skip
def test_wrong_arguments_of_a_run(words, message):
    if message is None:
        run(pendulum(), **words)
    else:
        refuse(lambda: run(pendulum(), **words), message)


@pytest.mark.parametrize(
    "words",
    [{}, dict(angle=1), dict(angle=(1, 0)), dict(angle=(0, NAN)), dict(angle=(0, 1, 2)),
     dict(angle=(0, 1), displacement=(0, 1)), dict(angle=(0, 7)), dict(displacement="ab")],
)  # fmt: skip
def test_wrong_limits(words):
    refuse(lambda: lw.JointLimit("pin", **words), "JointLimit of 'pin'")


def test_a_limit_may_be_open_on_one_side():
    result = run(pendulum(), t=2, stop=lw.JointLimit("pin", angle=(-INF, 0.5)))
    assert float(result["pin"].angle[-1]) == pytest.approx(0.5, abs=1e-9)


def test_events_at_their_edges():
    """What is met exactly counts, what is left does not; a limit holds at the start."""
    from linkwork.analysis.motion.events import as_events, crosses, first_values

    assert crosses(-1, 1) and crosses(1, -1) and crosses(1, 0) and crosses(-1e-200, 1e-200)
    assert not crosses(0, 1) and not crosses(0, -1) and not crosses(1, 2)
    m = pendulum(angle=0.5)
    system, state = compile_model(m), lw.assemble(m)
    events = as_events(lw.JointLimit("pin", angle=(0, 1)), system)
    np.testing.assert_allclose(first_values(events, 0.0, state), [0.5, -0.5])
    events = as_events(lw.JointLimit("pin", angle=(0.6, 1)), system)
    refuse(lambda: first_values(events, 0.0, state), "starts beyond a limit, angle of joint 'pin'")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (dict(time=NAN), "time of assemble must be a finite number"),
        (dict(weights=3), "weights of assemble must be a dict"),
        (dict(weights={"rood": 1}), "'rood', but the model has no body of that name"),
        (dict(weights={"rod": 0}), "weight of 'rod' must be positive"),
        (dict(fixed=3), "fixed of assemble must be a list of names"),
        (dict(fixed="rood"), "'rood', but the model has no body of that name"),
        (dict(fixed=["pin"]), "'pin', but the model has no body of that name"),
    ],
)
def test_wrong_arguments_of_assembly(words, message):
    refuse(lambda: lw.assemble(pendulum(), **words), message)


# ------------------------------------------------------------- functions of the user, while running


def late(t, value=1.0):
    """Fine until t = 0.3."""
    return 1.0 + t if t < 0.3 else value


def raises(t):
    if t >= 0.3:
        raise RuntimeError("the table\nends here")
    return 1.0 + t


LAWS = {
    "nan": (lambda t: late(t, NAN), "found nan"),
    "shape": (lambda t: late(t, np.ones(2)), r"found an array of shape \(2,\)"),
    "none": (lambda t: late(t, None), "found None"),
    "text": (lambda t: late(t, "2"), "found '2'"),
    "complex": (lambda t: late(t, 1j), "found 1j"),
    "raises": (raises, "found the error RuntimeError: the table ends here"),
}
DRIVEN = {
    "angle of Motor": lambda f: lambda b: lw.Motor(lw.GROUND, b, (0, 0, 0), (0, 1, 0), angle=f),
    "displacement of Actuator": lambda f: lambda b: lw.Actuator(
        lw.GROUND, b, (1, 0, 0), (0, 1, 0), displacement=f
    ),
    "drive 'z' of Lock": lambda f: lambda b: lw.Lock(
        lw.GROUND, b, at=(1, 0, 0), rows="x z", drive={"z": f}
    ),
    "drive_a 'z' of Lock": lambda f: lambda b: lw.Lock(
        lw.GROUND, b, at=(1, 0, 0), rows="x z", drive_a={"z": f}
    ),
    "length of Distance": lambda f: lambda b: lw.Distance(lw.GROUND, b, length=f),
    "drive of Force": lambda f: lambda b: lw.Force(b, (1, 0, 0), drive=f),
    "drive of Torque": lambda f: lambda b: lw.Torque(b, (1, 0, 0), drive=f),
}


@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
@pytest.mark.parametrize("what", DRIVEN)
@pytest.mark.parametrize("law", LAWS)
def test_drives_that_fail_during_a_run(what, law):
    function, found = LAWS[law]
    m = one_body(DRIVEN[what](function))
    text = refuse(lambda: run(m), found, lw.DriveError)
    assert f"{what} 'thing'" in text and "t = 0.3" in text
    if law == "raises":
        with pytest.raises(lw.DriveError) as caught:
            run(m)
        assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_drive_given_to_two_items_names_each():
    law = lw.table([0, 0.1, 0.2, 0.3], [0, 1, 2, 3])
    for name in ("first", "second"):
        m = lw.Model()
        b = m.add("b", body())
        m.add(name, lw.Motor(lw.GROUND, b, (0, 0, 0), (0, 0, 1), angle=law))
        refuse(lambda m=m: run(m), f"angle of Motor '{name}' .*between 0 and 0.3", lw.DriveError)
    assert law.what == ""


def test_a_driven_length_that_vanishes():
    m = one_body(lambda b: lw.Distance(lw.GROUND, b, length=1 + lw.ramp(-4)))
    refuse(lambda: run(m), "length of Distance 'thing' must be positive at all times, but is")


def boom(t, motion):
    if t >= 0.3:
        raise RuntimeError("out of\nrange")
    return np.zeros(6)


FORCES = {
    "raises": (boom, "raised RuntimeError: out of range, at t = 0.3"),
    "nan": (lambda t, motion: np.full(6, late(t, NAN)), "returned numbers that are not finite"),
    "shape": (lambda t, motion: np.zeros(6 if t < 0.3 else 5), r"shape \(5,\) instead of \(6,\)"),
    "shape at once": (lambda t, motion: np.zeros(3), r"shape \(3,\) instead of \(6,\)"),
    "none": (lambda t, motion: None, "shape"),
    "one argument": (lambda t: np.zeros(6), "raised TypeError"),
    "unknown": (lambda t, motion: motion.colour, "raised AttributeError"),
}


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.ODE()], ids=["implicit", "ode"])
@pytest.mark.parametrize("stiff", [False, True])
@pytest.mark.parametrize("name", FORCES)
def test_user_forces_that_fail_during_a_run(name, stiff, method):
    function, words = FORCES[name]
    m = one_body(lambda b: lw.UserForce(b, function, stiff=stiff))
    with pytest.raises(lw.ModelError, match=f"function of UserForce 'thing' .*{words}") as caught:
        run(m, method=method)
    one_sentence(caught.value)
    if name == "raises":
        assert isinstance(caught.value.__cause__, RuntimeError)
        kept = caught.value.result
        # SciPy's steps are larger than h
        assert (0.05 if isinstance(method, lw.ODE) else 0.28) < kept.time[-1] < 0.32
        assert np.all(np.isfinite(kept.motion))


def test_a_user_force_may_fail_where_the_model_is_not_yet_assembled():
    """Forces do not matter in assembly, so a position that never was is no failure."""
    m = lw.Model("m")
    b = m.add("b", body())
    m.add("rod", lw.Distance(lw.Frame(lw.GROUND), lw.Frame(b, (0, 0, 1e-4)), length=1.0))

    def repel(t, motion):
        if np.linalg.norm(motion.position[0]) < 1e-3:
            raise ValueError("too near")
        return np.zeros(6)

    m.add("u", lw.UserForce(b, repel))
    assert run(m, t=0.05).time[-1] == 0.05


def test_a_user_force_that_is_far_too_large():
    m = one_body(lambda b: lw.UserForce(b, lambda t, motion: np.full(6, 1e308)))
    refuse(lambda: run(m), kind=lw.LinkworkError)


# -------------------------------------------------------------------------- bodies without inertia


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.RK4()], ids=["implicit", "rk4"])
def test_a_free_body_without_inertia_is_told(method):
    for words, how in [(dict(inertia=(0, 0, 0)), "turning"), (dict(mass=0), "moving")]:
        m = lw.Model("m", gravity=GRAVITY)
        m.add("other", body())
        m.add("ball", body(**words))
        refuse(
            lambda m=m: run(m, method=method),
            rf"body 'ball' \({how}.* has no inertia.*; give it mass and inertia, or a joint",
            lw.SingularError,
        )


def test_a_point_mass_on_a_hinge_is_a_pendulum():
    m = lw.Model("m", gravity=(0, 0, -9.81))
    bob = m.add("bob", lw.Body(2, (0, 0, 0), position=(0, 0, -1)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0), angle=1e-3))
    result = run(m, t=1, h=1e-3)
    exact = 1e-3 * np.cos(np.sqrt(9.81) * result.time)
    # h² ω²/12 … of a period, and 1e-6/16 of the amplitude
    np.testing.assert_allclose(result["pin"].angle.values, exact, atol=2e-8)


def test_a_point_mass_on_a_ball_joint_may_spin_undetermined():
    m = lw.Model("m", gravity=GRAVITY)
    bob = m.add("bob", lw.Body(2, (0, 0, 0), position=(0, 0, -1)))
    m.add("ball", lw.Spherical(lw.GROUND, bob, at=(0, 0, 0)))
    refuse(lambda: run(m), "body 'bob' .*turning about", lw.SingularError)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.RK4()], ids=["implicit", "rk4"])
def test_a_massless_body_between_others_is_a_link(method):
    """A massless cross between two hinges: the same motion as a universal joint."""
    motions = []
    for cross in (True, False):
        m = lw.Model("m", gravity=GRAVITY)
        arm = lw.Body(1, (0.1, 0.2, 0.2), position=(0.5, 0, 0))
        if cross:
            x = m.add("cross", lw.Body(0, (0, 0, 0)))
            m.add("arm", arm)
            m.add("A", lw.Revolute(lw.GROUND, x, at=(0, 0, 0), axis=(0, 1, 0)))
            m.add("B", lw.Revolute(x, arm, at=(0, 0, 0), axis=(0, 0, 1)))
        else:
            m.add("arm", arm)
            m.add("A", lw.Universal(lw.GROUND, arm, (0, 0, 0), (0, 1, 0), (0, 0, 1)))
        m.add("push", lw.Force(lw.Frame(arm, (0.5, 0, 0)), (0, 3, 0)))
        motions.append(run(m, t=0.3, h=1e-3, method=method)["arm"].position.values)
    np.testing.assert_allclose(*motions, atol=1e-8)


# -------------------------------------------------------------------------------------- conflicts


def two_motors(first, second):
    m = lw.Model("motors")
    b = m.add("b", body())
    for name, angle in (("one", first), ("two", second)):
        m.add(name, lw.Motor(lw.GROUND, b, (0, 0, 0), (0, 0, 1), angle=angle))
    return m


def test_motors_that_contradict_each_other():
    text = refuse(lambda: run(two_motors(0.1, 0.3)), "cannot be assembled", lw.AssemblyError)
    assert "'one' by 5.73°" in text and "'two' by 5.73°" in text  # 0.2 rad, half each
    text = refuse(
        lambda: run(two_motors(lw.ramp(1), lw.ramp(2))), "no velocities", lw.AssemblyError
    )
    assert "'one' by 28.6°/s" in text and "'two' by 28.6°/s" in text  # 1 rad/s, half each


@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
def test_motors_that_come_to_contradict_each_other():
    late = lw.expression("max(t - 0.2, 0)^3")
    with pytest.raises(lw.ConvergenceError, match="'two'.*contradict") as caught:
        run(two_motors(0.0, late))
    assert caught.value.time > 0.2 and caught.value.result is not None
    one_sentence(caught.value)


# ------------------------------------------------------------------------------------------ files


def test_paths_and_files_that_do_not_work(tmp_path):
    result = run(pendulum(), t=0.05)
    refuse(lambda: result.save(tmp_path / "no" / "x.nc"), "there is no folder", lw.ResultFileError)
    refuse(lambda: result.save(tmp_path), "is a folder", lw.ResultFileError)
    path = tmp_path / "run.nc"
    result.save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for broken in (
        data[: len(data) // 2], data[:-1], b"", b"time,x\n1,2\n", data + b"x",
        *(_flip(data, int(i)) for i in rng.integers(0, len(data), 20)),
    ):  # fmt: skip
        path.write_bytes(broken)
        for read in (lw.load, lambda p: lw.resume(p, t=1, progress=False)):
            with pytest.raises(lw.ResultFileError, match=r"run\.nc") as caught:
                read(path)
            one_sentence(caught.value)
    refuse(lambda: lw.load(tmp_path / "none.nc"), "none.nc", lw.ResultFileError)
    assert issubclass(lw.ResultFileError, OSError)


def _flip(data, place):
    return data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]


def test_every_error_is_a_linkwork_error():
    for name, cls in inspect.getmembers(__import__("linkwork.errors").errors, inspect.isclass):
        if name.endswith("Error") and cls.__module__ == "linkwork.errors":
            assert issubclass(cls, lw.LinkworkError)
    assert issubclass(lw.DriveError, lw.ModelError) and issubclass(lw.ModelError, ValueError)
