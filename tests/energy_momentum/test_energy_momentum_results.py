"""What only the energy-momentum method knows, in memory and in files; and what it refuses."""

from types import SimpleNamespace

import numpy as np
import pytest
from director_models import four_bar, torsion, two_bodies
from example_scripts import load_example
from inside import FileArray

import linkwork as lw
from linkwork.extend import STORED_ENERGY, Entry, Family, Kernel, Memory
from linkwork.system.compilation.numbering import Element

EM = lw.EnergyMomentum
OWN = ("kinetic_energy", "angular_momentum", "condition_number")


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize("build", [torsion, four_bar])
@pytest.mark.usefixtures("quiet")
def test_own_columns_in_memory_and_in_files(tmp_path, monkeypatch, build, reduced):
    """Bit for bit the same after save and load, and streamed to a file in many blocks."""
    monkeypatch.setenv("LINKWORK_MEMORY", "0.12")  # MB: blocks of 4 kB
    options = {"t": 0.3, "h": 0.01, "progress": False}
    options["method"] = EM(reduced=reduced, condition_number=True)
    kept = lw.transient(build(), **options)
    kept.save(tmp_path / "saved.nc")
    streamed = lw.transient(build(), file=tmp_path / "streamed.nc", **options)
    assert isinstance(streamed.motion, FileArray)
    others = [streamed, lw.load(tmp_path / "streamed.nc"), lw.load(tmp_path / "saved.nc")]
    for name in OWN:
        here = np.asarray(kept.diagnostics[name])
        assert here.shape == ((31, 3) if name == "angular_momentum" else (31,))
        for other in others:
            assert np.asarray(other.diagnostics[name]).tobytes() == here.tobytes(), name
    for other in others:
        assert other.energy.total.values.tobytes() == kept.energy.total.values.tobytes()
        assert other.energy.kinetic.values.tobytes() == kept.energy.kinetic.values.tobytes()
        assert other.angular_momentum.values.tobytes() == kept.angular_momentum.values.tobytes()
    assert np.array_equal(kept.energy.kinetic, kept.diagnostics["kinetic_energy"])
    assert np.array_equal(kept.angular_momentum, kept.diagnostics["angular_momentum"])


@pytest.mark.parametrize("reduced", [True, False])
def test_a_condition_number_for_every_stored_step(reduced):
    """Also where only some steps are stored, and for a run that an event ends between two."""
    method = EM(reduced=reduced, condition_number=True)
    whole = lw.transient(torsion(), t=0.3, h=0.01, method=method, progress=False)
    number = whole.diagnostics["condition_number"].values
    assert np.isnan(number[0]) and np.all(number[1:] >= 1)
    assert len(np.unique(number[1:])) == 30  # each its own
    some = lw.transient(torsion(), t=0.3, h=0.01, method=method, every=3, progress=False)
    assert np.array_equal(some.diagnostics["condition_number"][1:], number[3::3])
    ended = lw.transient(
        torsion(), t=0.3, h=0.01, method=method, stop=[lambda t, now: 0.1234 - t], every=100,
        progress=False,
    )  # fmt: skip
    assert ended.time[-1] == pytest.approx(0.1234)
    assert ended.diagnostics["condition_number"][-1] > 1


def test_the_condition_number_of_a_step_in_pieces_is_that_of_its_last_piece():
    """A step that Newton's method cannot take as a whole is not given the number of another."""
    top = load_example("gyro_top").build()
    method = EM(reduced=False, condition_number=True, max_iterations=4)
    with pytest.warns(lw.LinkworkWarning, match="body 'top' turns by 7.04 rad in a step"):
        run = lw.transient(top, t=0.1, h=0.05, method=method, progress=False)
        whole = lw.transient(top, t=0.1, h=0.05, method=EM(False, True), progress=False)
    assert run.info["repairs"] > 0
    pieces = whole.diagnostics["condition_number"][1:] / run.diagnostics["condition_number"][1:]
    assert np.all(np.log2(pieces) / 3 < -0.9)  # h⁻³: half the step has an eighth, or less


# ---------------------------------------------------------------------------------- what is refused


def refusal(model):
    with pytest.raises(lw.ModelError) as caught:
        lw.transient(model, 0.1, 0.01, EM(), progress=False)
    text = str(caught.value)
    assert "lw.EnergyMomentum" in text and "lw.GeneralizedAlpha()" in text, text
    return text


DRIVEN = {
    "Motor 'link'": lambda a: lw.Motor(
        lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0), angle=lw.ramp(1)),
    "Actuator 'link'": lambda a: lw.Actuator(
        lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 0), displacement=lw.ramp(1)),
    "Lock 'link'": lambda a: lw.Lock(
        lw.GROUND, a, at=(0, 0, 0), rows="x y z", drive={"z": lw.ramp(0.1)}),
    "Distance 'link'": lambda a: lw.Distance(
        lw.GROUND, a, at_a=(0, 0, 2), length=lw.polynomial([2.06, 0.1])),
}  # fmt: skip


@pytest.mark.parametrize("label", DRIVEN)
def test_driven_joints_are_refused(label):
    m, a, _ = two_bodies()
    m.add("link", DRIVEN[label](a))
    text = refusal(m)
    assert label in text and "function of time" in text
    assert "torque or a spring instead of the motion law" in text


@pytest.mark.parametrize("kind", [lw.Spherical, lw.PointOnLine])
def test_torsion_springs_of_bending_joints_are_refused(kind):
    m, a, _ = two_bodies()
    joint = m.add("bends", kind(lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("coil", lw.TorsionSpring(joint, stiffness=1))
    text = refusal(m)
    assert "TorsionSpring 'coil'" in text and f"{kind.__name__} 'bends'" in text
    assert "Revolute or Cylindrical" in text


def nothing(ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power):
    return


UNKNOWN = {
    "has no quadratic form in directors": {"rows": 1},
    "has a potential whose discrete gradient": {"outputs": (STORED_ENERGY,)},
    "keeps a memory": {"memory": Memory(path=1)},
}


@pytest.mark.parametrize("words", UNKNOWN)
def test_elements_of_unknown_families_are_refused(words):
    """As somebody's own element might be; kernels are not reached."""
    from linkwork.nullspace.constraints.rows import refuse_unknown as refuse_rows
    from linkwork.nullspace.forces import refuse_unknown as refuse_forces

    m, a, b = two_bodies()
    gadget = m.add("gadget", lw.Spring(a, b, stiffness=1))
    family = Family("unknown", Kernel(nothing), bodies=2, reals=1, **UNKNOWN[words])
    rows = tuple(range(family.rows))
    entry = Entry(family, (a, b), np.zeros(1), rows=rows, row_names=("gap",) * len(rows))
    system = SimpleNamespace(
        elements=[Element(gadget.name, entry, (0, 1), 0)], model=m, flexible=()
    )
    with pytest.raises(lw.ModelError) as caught:
        (refuse_rows if rows else refuse_forces)(system)
    text = str(caught.value)
    assert "Spring 'gadget'" in text and words in text, text
    assert "lw.EnergyMomentum" in text and "lw.GeneralizedAlpha()" in text, text


def test_error_control_is_refused():
    m, _, _ = two_bodies()
    with pytest.raises(lw.ModelError, match="leave out tolerance"):
        lw.transient(m, 1, 0.1, EM(), tolerance=1e-6, progress=False)
