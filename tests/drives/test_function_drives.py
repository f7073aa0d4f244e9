"""Python functions as drives: their numerical derivatives, and what is said about bad ones."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from linkwork import DriveError, LinkworkWarning, function
from linkwork.extend import as_drive

T = np.linspace(0.13, 2.9, 17)
NAME = "drive of motor 'crank'"


@pytest.mark.parametrize("hertz", [0.01, 0.3, 1, 8, 10, 64, 100, 512, 1000, 1e4])
@pytest.mark.parametrize("t", [0.0, 0.37, 12.3, 1000.1])
def test_numerical_derivatives(hertz, t):
    w = 2 * math.pi * hertz
    drive = as_drive(lambda t: math.sin(w * t + 0.4))
    with pytest.warns(LinkworkWarning):
        _, y1, y2 = drive.jet([t])[0]
    # relative to the amplitudes w and w^2; w t is itself rounded, to 1e-16 w t
    assert abs(y1 - w * math.cos(w * t + 0.4)) < (1e-8 + 1e-15 * w * t) * w
    assert abs(y2 + w * w * math.sin(w * t + 0.4)) < (1e-6 + 1e-15 * w * t) * w * w


@pytest.mark.parametrize(
    ("f", "t", "jet"),
    [
        (lambda t: 0.0 if t < 0 else t + t * t, 0.0, (0, 1, 2)),
        (lambda t: math.exp(-t) / (t >= 0), 0.0, (1, -1, 1)),  # raises before 0
        (lambda t: math.exp(t) / (t <= 1), 1.0, (math.e,) * 3),  # raises after 1
        (lambda t: 5.0, 3.0, (5, 0, 0)),
        (lambda t: 0.0, 0.0, (0, 0, 0)),
        (lambda t: 1e12 * t, 0.5, (5e11, 1e12, 0)),
        (lambda t: t * t, 1e9, (1e18, 2e9, 2)),
    ],
)
def test_numerical_derivatives_at_corners_and_extremes(f, t, jet):
    with pytest.warns(LinkworkWarning):
        found = as_drive(f).jet([t])[0]
    np.testing.assert_allclose(found[0], jet[0], rtol=1e-15)
    np.testing.assert_allclose(found[1], jet[1], rtol=1e-8, atol=1e-8)
    # y'' of a large value drowns in its rounding: 1e-16 |y|/h^2, h = 1/64
    np.testing.assert_allclose(found[2], jet[2], rtol=1e-6, atol=1e-6 + 1e-11 * abs(jet[0]))


def test_warning_comes_once_and_only_for_derivatives():
    drive = as_drive(lambda t: t**2, what=NAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drive.values([3]) == [9] and drive(3) == 9 and (2 * drive + 1)(3) == 19
        function(math.sin, math.cos, lambda t: -math.sin(t)).jet([0])
    with pytest.warns(LinkworkWarning, match=r"motor 'crank'.*numerically.*d1=") as caught:
        drive.jet([0])
        drive.jet([1])
        as_drive(drive, what=NAME).jet([2])
    assert len(caught) == 1
    with pytest.warns(LinkworkWarning, match="no second derivative"):
        half = function(lambda t: t**3, d1=lambda t: 3 * t**2).jet([2])
    np.testing.assert_allclose(half, [[8, 12, 12]], rtol=1e-8)


def test_uncertain_derivatives_are_reported():
    rough = np.random.default_rng(1)
    drive = as_drive(lambda t: rough.random(), what=NAME)
    with pytest.warns(LinkworkWarning) as caught:
        drive.jet([0, 1, 2])
    assert len(caught) == 2
    assert "motor 'crank'" in str(caught[1].message) and "accurately" in str(caught[1].message)


def test_derivatives_as_attributes():
    def law(t):
        return t**2

    law.d1 = lambda t: 2 * t
    law.d2 = lambda t: 2
    assert as_drive(law).jet([3]).tolist() == [[9, 6, 2]]


def test_functions_get_one_float_at_a_time():
    seen = []
    as_drive(lambda t: seen.append(type(t)) or 0.0).values(T)
    assert seen == [float] * T.size


@pytest.mark.parametrize(
    ("f", "found"),
    [
        (lambda t: math.nan, "nan"),
        (lambda t: np.array([t]), r"shape \(1,\)"),
        (lambda t: None, "None"),
        (lambda t: "1", "'1'"),
        (lambda t: 1j, "1j"),
        (lambda t: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda: 1.0, "TypeError"),
        (lambda t: np.float64(np.inf), "inf"),
    ],
)
def test_wrong_functions_are_explained(f, found):
    drive = as_drive(f, what=NAME)
    for part in (drive, 2 * drive, (drive + 1).delayed(1)):
        with pytest.raises(DriveError, match=rf"motor 'crank'.*expected one.*{found}.*; correct"):
            part.values([1])
