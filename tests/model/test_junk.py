"""Junk in every word of every item of the registry: an item comes out, or a ModelError."""

import warnings
from dataclasses import MISSING, fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inside import ITEMS
from mistakes import PIN, A, B, one_sentence, sample

import linkwork as lw
from linkwork import compile_model

NAN, INF = float("nan"), float("inf")
JUNK = [
    NAN, INF, -INF, "junk", "1.0", "", b"1", 1j, object(), [1, 2], [[1, 2], [3, 4]], [1, [2]],
    (NAN, 0, 0), (0, 0, INF), np.full(3, NAN), np.full((3, 3), NAN), np.full(6, INF), np.zeros(0),
    [None, 1, 2], ["1", "2", "3"], np.zeros((2, 3)), {"kind": NAN}, range(0), Ellipsis,
]  # fmt: skip
TWO_NUMBERS = {  # words that two numbers are good for
    ("ContinuousPID", "limits"), ("ContinuousPID", "start"), ("TransferFunction", "numerator"),
    ("LiftingSurface", "lags"), ("UserForce", "jumps"),
    ("Revolute", "limits"), ("Prismatic", "limits"), ("Planar", "limits"), ("Align", "limits"),
    ("Rzeppa", "limits"), ("Gimbal", "limits"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_junk_in_any_word_is_refused(name):
    item, _, others = sample(name)
    item = [x for x in [*others, item] if type(x) is ITEMS[name]][-1]
    words = item.parameters()
    optional = {f.name for f in fields(item) if f.default is None}
    required = {f.name for f in fields(item) if f.init and f.default is MISSING}
    for word in words:
        junk = [*JUNK, None] if word in required or word not in optional else JUNK
        for value in junk:
            if word == "shape" and not isinstance(value, dict):
                continue  # anything a viewer may draw
            if (name, word) in TWO_NUMBERS and value is JUNK[9]:
                continue
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
    words = item.parameters()
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


@pytest.mark.parametrize("boundary", ["craig-bampton", "clamped-free", "pinned-pinned"])
@pytest.mark.parametrize("length", [1e-170, 1e170, 1e300])
def test_links_whose_numbers_leave_the_range(length, boundary):
    section = lw.Section.circle(0.01, E=2e11, density=7800)
    told = r"modes cannot be computed|has no inertia|has 0 modes|at most 1e\+50"
    with pytest.raises(lw.ModelError, match=told):
        lw.FlexibleLink((0, 0, 0), (length, 0, 0), section, boundary=boundary)


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_sections_whose_numbers_leave_the_range(size):
    with pytest.raises(lw.ModelError, match=r"must be at (least 1e-50|most 1e\+50)"):
        lw.Section.circle(size, E=2e11, density=7800)


@pytest.mark.parametrize(
    "limits, told",
    [((0.0, 1e45), "between -1e+09 and 1e+09"), ((-1e300, 1e300), "at most 1e+50 in size"),
     ((None, 1e10), "where there is no bound give None"), ((0.0, 1e-12), "lock the joint")],
)  # fmt: skip
def test_limits_that_no_stop_can_be_made_for(limits, told):
    with pytest.raises(lw.ModelError) as caught:
        lw.Revolute(A, B, at=(0, 0, 0), axis=(0, 0, 1), limits=limits)
    assert told in one_sentence(caught.value)


@pytest.mark.parametrize(
    "make, word",
    [(lambda: lw.electric.Diode(lw.GROUND, lw.electric.Node(), saturation=1e-308), "saturation"),
     (lambda: lw.electric.Diode(lw.GROUND, lw.electric.Node(), resistance=1e200), "resistance"),
     (lambda: lw.electric.Resistor(lw.GROUND, lw.electric.Node(), 1e-320), "resistance"),
     (lambda: lw.electric.Switch(lw.GROUND, lw.electric.Node(), 1, on=1e-310), "on"),
     (lambda: lw.DCMotor(PIN, voltage=1, constant=1, resistance=1, gear=1e160), "gear"),
     (lambda: lw.thermal.Resistance(lw.thermal.Temperature(), lw.thermal.Temperature(), 1e-320),
      "resistance")],
)  # fmt: skip
def test_quantities_whose_products_leave_the_range(make, word):
    with pytest.raises(lw.ModelError, match=f"{word} of .* must be at (least 1e-50|most 1e\\+50)"):
        make()
