"""Names and belonging: what can be called what, and what must be in a model together."""

import copy
import pickle

import numpy as np
import pytest
from mistakes import GRAVITY, body, one_body, pendulum, refuse, run

import linkwork as lw
from linkwork import compile_model


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
