"""The notebooks run from top to bottom, each in a kernel of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert {path.stem for path in NOTEBOOKS} >= {
        "pendulum-to-four-bar", "suspension-modes", "energy-momentum"}  # fmt: skip


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook(path, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "store it without outputs"
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )  # fmt: skip
    client.execute()
    pictures = [o for c in notebook.cells for o in c.get("outputs", ()) if "data" in o]
    assert any("text/html" in o["data"] for o in pictures)  # the page of an animation


def test_pages_say_nothing_but_themselves(monkeypatch):
    """No banner of the server, in standard output or beside it."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cells = (
        "import linkwork as lw\nm = lw.Model('ball')\nm.add('ball', lw.Body.sphere(0.1, mass=1))\n"
        "run = lw.transient(m, t=0.1, h=0.01, progress=False)",
        "run.animate()",
        "viewer = run.show(browser=False)",
        "viewer.close()",
        "import rich\nrich.print('rich prints again')",
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    _, animated, shown, closed, rich = (cell.outputs for cell in notebook.cells)
    assert shown == closed == []
    (page,) = animated
    assert page["output_type"] == "execute_result" and "<iframe" in page["data"]["text/html"]
    assert "rich prints again" in rich[0]["data"]["text/plain"]
