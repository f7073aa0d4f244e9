"""Drives and forces of the user that fail while a run goes on: named, explained, results kept."""

import numpy as np
import pytest
from mistakes import body, one_body, one_sentence, refuse, run

import linkwork as lw

# ------------------------------------------------------------------------------- junk in every word


NAN, INF = float("nan"), float("inf")


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
