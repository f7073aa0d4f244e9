"""What newcomers write: axes by their letters, a number for friction, words of other programs."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw


@pytest.mark.parametrize("word, numbers", [("y", (0, 1, 0)), ("-z", (0, 0, -1))])
def test_an_axis_may_be_a_letter(word, numbers):
    body = lw.Body(1, (1, 1, 1))
    by_letter, by_numbers = (
        lw.Revolute(lw.GROUND, body, at=(1, 0, 0), axis=axis) for axis in (word, numbers)
    )
    for a, b in zip(by_letter.frames, by_numbers.frames):
        np.testing.assert_array_equal(a.orientation, b.orientation)


def test_another_word_for_an_axis_is_refused():
    with pytest.raises(lw.ModelError, match="axis of a Revolute must be 3 numbers or one of 'x'"):
        lw.Revolute(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), axis="up")


def test_a_number_is_a_coefficient_of_friction():
    rail = lw.Prismatic(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), axis="x")
    assert lw.Friction(rail, 0.3).model == lw.Coulomb(0.3)
    with pytest.raises(lw.ModelError, match="did you mean 'model'"):
        lw.Friction(rail, mu=0.3)


@pytest.mark.parametrize("call, wanted", [
    (lambda m: lw.transient(m, t=1, dt=0.01), "transient has no parameter 'dt'; did you mean 'h'"),
    (lambda m: lw.transient(m, t=1, h=0.01, events=[]), "'events'; did you mean 'stop'"),
    (lambda m: lw.transient(m, t=1, h=0.01, solver="HHT"), "'solver'; did you mean 'method'"),
    (lambda m: lw.transient(m, t=1), "transient: missing a required argument: 'h'; write"),
    (lambda m: lw.static(m, gravity=1), "static has no parameter 'gravity'; it has model"),
    (lambda m: lw.eigen(m, modes=3), "eigen has no parameter 'modes'; did you mean 'n'"),
    (lambda m: lw.sweep(len, {"a": [1]}, cores=1), "'cores'; did you mean 'workers'"),
    (lambda m: lw.Force(m["ball"], force=(0, 0, 1)), "'force'; did you mean 'vector'"),
    (lambda m: lw.Spring(lw.GROUND, m["ball"], k=3), "Spring has no parameter 'k'; did you mean "
                                                     "'stiffness'"),
])  # fmt: skip
def test_words_of_other_programs_lead_to_ours(call, wanted):
    m = lw.Model("fall")
    m.add("ball", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.ModelError) as told:
        call(m)
    assert wanted in str(told.value)


def test_errors_of_the_user_s_own_functions_stay_as_they_are():
    def wrong(time, now):
        return "a" + 1

    m = lw.Model("fall")
    m.add("ball", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.LinkworkError, match="can only concatenate str"):
        lw.transient(m, t=1, h=0.1, stop=wrong, progress=False)


def test_a_flexible_link_takes_a_letter_as_its_normal():
    section = lw.Section.circle(0.01, E=2e11, density=7800)
    by_letter, by_numbers = (
        lw.FlexibleLink((0, 0, 0), (1, 0, 0), section, normal=n) for n in ("y", (0, 1, 0))
    )
    np.testing.assert_array_equal(by_letter.normal, by_numbers.normal)


@pytest.mark.parametrize("name, advice", [
    ("read_urdf", "lw.read_mbdyn and lw.read_deck read MBDyn input files, .*no other formats"),
    ("read_sdf", "lw.read_mbdyn and lw.read_deck"), ("load_urdf", "lw.load reads results"),
    ("read_mdyn", "did you mean 'read_mbdyn'"), ("Transient", "did you mean 'transient'"),
])  # fmt: skip
def test_names_that_do_not_exist_lead_to_those_that_do(name, advice):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; .*{advice}"):
        getattr(lw, name)


def test_readers_that_are_named_exist():
    for name in ("read_mbdyn", "read_deck", "load"):
        assert callable(getattr(lw, name))
    assert not hasattr(lw, "_repr_html_")  # notebooks ask
