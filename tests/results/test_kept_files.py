"""Files that version 0.1 has written are read, and their runs continue to the known motion.

They were made by `python -m tests.shared.kept_runs` at version 0.1.0.
"""

import lzma
import warnings
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
from kept_runs import KILLED, kept_runs

import linkwork as lw

FOLDER = Path(__file__).parent / "version_0_1"
RUNS = kept_runs()


@pytest.fixture(params=RUNS)
def kept(request):
    return RUNS[request.param], FOLDER / f"{request.param}.nc"


@pytest.fixture(autouse=True)
def no_warnings():
    """Neither a file nor its continuation is warned of, but for redundant rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*rows repeat what", category=lw.LinkworkWarning)
        yield


def test_every_formulation_has_a_file_of_version_0_1():
    assert sorted(each.stem for each in FOLDER.glob("*.nc")) == sorted(RUNS)
    for file in FOLDER.glob("*.nc"):
        with h5netcdf.File(file, "r") as data:
            assert data.attrs["linkwork_version"] == "0.1.0"


def test_kept_files_hold_the_known_motion(kept):
    expected, file = kept
    run = lw.load(file)
    assert run.time[-1] == pytest.approx(expected.t / 2)
    assert expected.largest_error(run) < expected.error


def test_kept_runs_continue_to_the_known_motion(kept):
    expected, file = kept
    run = lw.resume(file, t=expected.t, progress=False)
    assert run.time[0] == pytest.approx(expected.t / 2)
    assert run.time[-1] == pytest.approx(expected.t)
    assert expected.largest_error(run) < expected.error


def test_the_journal_of_a_killed_run_continues_to_the_known_motion(tmp_path):
    journal = lzma.decompress((FOLDER / "killed.nc.part.xz").read_bytes())
    (tmp_path / "killed.nc.part").write_bytes(journal)
    with pytest.warns(lw.UnfinishedWarning):
        before = lw.load(tmp_path / "killed.nc")
    assert 0.2 < before.time[-1] < KILLED.t
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.UnfinishedWarning)
        run = lw.resume(tmp_path / "killed.nc", t=KILLED.t, file=tmp_path / "killed.nc")
    assert np.array_equal(run.time[: len(before.time) - 1], before.time[:-1])
    assert run.time[-1] == pytest.approx(KILLED.t)
    assert KILLED.largest_error(run) < KILLED.error
