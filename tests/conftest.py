"""Tests run with one BLAS thread: the matrices are small and the cores are shared.

Examples of hypothesis are the same in every run, so that a tree that passed once passes again. New
ones are looked for with LINKWORK_EXAMPLES=500 (`make fuzz`): so many random ones for every test.
"""

import gc
import os
import re
import signal
import threading
import warnings
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
gc.disable()  # while thousands of tests are collected, all of which stay

import matplotlib  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402
from mbdyn_decks import DECKS  # noqa: E402
from mbdyn_text import deck_text  # noqa: E402

import linkwork as lw  # noqa: E402

matplotlib.use("Agg")
RANDOM_EXAMPLES = int(os.environ.get("LINKWORK_EXAMPLES", "0"))
settings.register_profile("same", derandomize=True, database=None)
settings.load_profile("same")


ROOMS = sorted(p.name for p in Path(__file__).parent.iterdir() if any(p.glob("test_*.py")))


def pytest_configure(config: pytest.Config) -> None:
    for room in ROOMS:
        config.addinivalue_line("markers", f"{room}: tests of the folder tests/{room}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test has the name of its folder as a mark: -m "contact or friction".

    With LINKWORK_EXAMPLES, tests with drawn input draw so many examples, new ones each time.
    """
    for item in items:
        if item.path.parent.name in ROOMS:
            item.add_marker(item.path.parent.name)
    for item in items if RANDOM_EXAMPLES else ():
        drawn = getattr(item, "obj", None)
        if getattr(drawn, "is_hypothesis_test", False):
            drawn._hypothesis_internal_use_settings = settings(
                drawn._hypothesis_internal_use_settings,
                max_examples=RANDOM_EXAMPLES, derandomize=False, deadline=None,
            )


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_sessionstart() -> None:
    """Tests press Ctrl-C; a shell that starts its jobs in the background lets them ignore it."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def read(tmp_path):
    """Reads a deck of MBDyn from its text, or from the parts of mbdyn_text.deck_text."""
    def reading(text=None, **parts):
        path = tmp_path / "deck.mbd"
        path.write_text(deck_text(**parts) if text is None else text)
        return lw.read_deck(path, environment={})

    return reading


@pytest.fixture
def changed(tmp_path):
    """Reads a deck of examples/mbdyn with some of its text (pairs of pattern, new) replaced."""
    def changing(name, *pairs):
        text = (DECKS / f"{name}.mbd").read_text()
        for old, new in pairs:
            assert re.search(old, text), old
            text = re.sub(old, lambda _, new=new: new, text)
        path = tmp_path / f"{name}.mbd"
        path.write_text(text)
        return lw.read_deck(path, environment={})

    return changing


@pytest.fixture
def quiet():
    """Redundancy is explained elsewhere."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*repeats? what", category=lw.LinkworkWarning)
        yield
