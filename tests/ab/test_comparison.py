"""The A/B tool finds what differs: a changed bit, a missing array, another warning or error."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

sys.path.insert(0, str(Path(__file__).parent))

from comparison import differences
from corpus import corpus
from record import Record, recorded, without_numbers


def pendulum(length=1.0):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (length, 0, 0), radius=0.01, mass=1))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    return lw.transient(m, t=0.1, h=0.01, progress=False)


def test_a_run_equals_itself_and_one_changed_bit_is_found():
    one, other = recorded(pendulum), recorded(pendulum)
    assert sum(x.size for x in one.arrays.values()) > 500 and differences(one, other) == []
    last = other.arrays["motion"][-1, 0]
    last[0] = np.nextafter(last[0], 2.0)
    [found] = differences(one, other)
    assert found.what == "motion" and 0 < found.error < 1e-15


def test_other_numbers_are_measured_by_their_column():
    one = Record({"x": np.array([[1.0, 1e6], [2.0, 1e6]])})
    other = Record({"x": np.array([[1.0, 1e6], [2.0, 1e6 + 1.0]])})
    assert differences(one, other)[0].error == pytest.approx(1e-6)
    other.arrays["x"][0, 0] = np.nan
    assert differences(one, other)[0].error == np.inf


def test_what_only_one_side_has_is_found():
    assert differences(recorded(pendulum), recorded(lambda: pendulum(2.0)))
    assert [d.what for d in differences(Record({"x": np.zeros(2)}), Record())] == ["x"]
    assert differences(Record({"x": np.zeros(2)}), Record({"x": np.zeros(3)}))[0].error == np.inf


def test_warnings_and_errors_count_without_their_numbers():
    def fails(step):
        warnings.warn(f"a step of {step} s", lw.LinkworkWarning, stacklevel=1)
        raise lw.ModelError(f"ends at {step}")

    one, other = recorded(lambda: fails(0.1)), recorded(lambda: fails(0.2))
    assert one.error == ("ModelError", "ends at #") and differences(one, other) == []
    quiet = Record(error=one.error)
    assert [d.what for d in differences(one, quiet)] == ["warnings"]
    assert [d.what for d in differences(one, Record(warnings=one.warnings))] == ["error"]


def test_sentences_are_without_folders():
    sentence = "cannot read '/tmp/tmp4x_z1/run.nc': no model at /a/b-c/d.mbd:41; 3 of 10 km/h"
    assert without_numbers(sentence) == "cannot read 'run.nc': no model at d.mbd:#; # of # km/h"


@pytest.mark.parametrize("kind", ["composition/jump/default/", "deck/beams"])
def test_cases_compute_what_they_are_for(kind):
    """A case whose model is refused would compare nothing."""
    cases = dict(corpus("quick", Path(__file__).parents[2]))
    chosen = next(case for name, case in cases.items() if name.startswith(kind))
    record = recorded(chosen)
    assert record.error is None and record.arrays["motion"].size > 1000
