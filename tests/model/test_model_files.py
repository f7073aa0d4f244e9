"""Models as data: every item of the registry comes back to the bit."""

import json

import numpy as np
import pytest
from inside import ITEMS, model_from_dict, model_to_dict
from known_motions import rotor

import linkwork as lw
from linkwork import compile_model

NAMES = sorted(n for n in ITEMS if n != "Body")


@pytest.mark.parametrize("name", NAMES)
def test_every_item_comes_back_to_the_bit(name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        m = lw.Model("sample", gravity=rng.normal(size=3))
        bodies = [
            lw.Body(1, (1, 1, 1), position=rng.normal(size=3), orientation=x / np.linalg.norm(x))
            for x in rng.normal(size=(2, 4))
        ]
        items = ITEMS[name].sample(rng, *bodies)
        items = items if isinstance(items, list) else [items]
        for i, item in enumerate([*items, *bodies]):  # bodies last: order must not matter
            m.add(f"item{i}", item)
        try:
            text = json.dumps(model_to_dict(m))
        except lw.ModelError as error:
            assert "Python function" in str(error), name
            continue
        again = model_from_dict(json.loads(text))
        assert list(again) == list(m) and again.name == m.name
        assert json.dumps(model_to_dict(again)) == text
        for item, other in zip(m.items.values(), again.items.values()):
            assert type(item) is type(other)
        one, two = compile_model(m).data(), compile_model(again).data()
        for x, y in zip(one.tables, two.tables):
            assert x.dtype == y.dtype
            if x.dtype == np.int64 and name == "GearTeeth":  # addresses of programs of readings
                x, y = (np.where(np.abs(z) > 2**40, 0, z) for z in (x, y))
            assert x.tobytes() == y.tobytes()
        times = np.linspace(0, 1, 5)
        assert one.schedule(times).tobytes() == two.schedule(times).tobytes()


def test_model_words_of_all_kinds():
    from scipy.spatial.transform import Rotation

    m = lw.Model("kinds", gravity=(0, 0, -1 / 3))
    a = m.add("a", lw.Body.link((0, 0, 0), (1, 2, 3), 0.1, density=7800))
    b = m.add("b", lw.Body(np.float32(1.1), np.eye(3), orientation=Rotation.random(random_state=1)))
    m.add("fixed", lw.Fixed(a, b, at=[0, 0, 1], orientation=Rotation.random(random_state=2)))
    m.add("hinge", lw.Revolute(lw.Frame(a, (0.1, 0, 0), (0.5, 0.5, 0.5, 0.5)), b, rate=1e-300))
    m.add("lock", lw.Lock(lw.GROUND, b, at=np.zeros(3), rows=["x", "rz"],
                          drive={"x": 2 * lw.sine(1, 0.1) + lw.table([0, 1], [0, 1], kind="linear"),
                                 "rz": 0.1}))  # fmt: skip
    a.position = a.position + 0.1  # moved since its joints were made
    again = model_from_dict(json.loads(json.dumps(model_to_dict(m))))
    for x, y in zip(compile_model(m).tables, compile_model(again).tables):
        assert x.tobytes() == y.tobytes()
    assert again["a"].shape == a.shape
    assert again["hinge"].rate == 1e-300
    assert again["lock"].rows == ["x", "rz"]
    assert again["hinge"].a.body is again["a"]


def test_models_that_cannot_be_stored():
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), shape=object()))
    with pytest.raises(lw.ModelError, match="shape of Body 'a' is a object"):
        model_to_dict(m)
    a.shape = len
    with pytest.raises(lw.ModelError, match="Python function"):
        model_to_dict(m)
    a.shape = None
    m.add("pin", lw.Revolute(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0)))
    with pytest.raises(lw.ModelError, match="not in model"):
        model_to_dict(m)


def test_stored_models_that_do_not_fit():
    data = model_to_dict(rotor())
    for wrong, words in (
        ({**data, "format": 9}, "format"),
        ({**data, "items": [{**data["items"][0], "class": "Gearbox"}]}, "Gearbox"),
        ({**data, "items": data["items"][1:]}, "'rod', which is not in it"),
        ({**data, "items": [{**data["items"][0], "words": {"weight": 1}}]}, "does not fit"),
    ):
        with pytest.raises(lw.ModelError, match=words):
            model_from_dict(wrong)
