"""Wrong arguments of analyses, motors that contradict each other, and files that are broken."""

import inspect

import numpy as np
import pytest
from mistakes import body, one_body, one_sentence, pendulum, refuse, run

import linkwork as lw
from linkwork import compile_model

# ------------------------------------------------------------------------------- junk in every word


NAN, INF = float("nan"), float("inf")


# ---------------------------------------------------------------------------------- running a model


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
        (dict(h=1e-300), "h, the step, must be at least 1e-50"),
        (dict(h=1e-18), "h = 1e-18 s is too short at t = 0.5"),
        (dict(h=0.6), "h, the step, must not be longer than the run, but h = 0.6 s was .* 0.5 s"),
        (dict(t=1e-2, h=1e-2), None),
        (dict(method="rk4"), "method must be an integrator"),
        (dict(start=3), "start must be a State, a Result or an Equilibrium"),
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
    data, state = compile_model(m).data(), lw.assemble(m)
    events = as_events(lw.JointLimit("pin", angle=(0, 1)), data)
    np.testing.assert_allclose(first_values(events, 0.0, state), [0.5, -0.5])
    events = as_events(lw.JointLimit("pin", angle=(0.6, 1)), data)
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


# ---------------------------------------------------------------------------------------- conflicts


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


# -------------------------------------------------------------------------------------------- files


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
