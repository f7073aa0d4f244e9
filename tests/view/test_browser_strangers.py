"""What strangers may do: hostile names of their files are text, and their pages are kept out."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_pages import (  # noqa: F401  (fixtures)
    chromium,
    crank,
    needs_chromium,
    opened,
    tab,
    wait,
)

import linkwork as lw

pytestmark = [needs_chromium]
MARKUP = (  # of names: without '.' and '/', and each runs where names are markup
    '<img src=x onerror=hit("handler")>',
    "<iframe srcdoc=\"<script>parent[&apos;hit&apos;](1)&lt;&sol;script>\">",
    '{globalThis["hit"]("expression")}',
    '<svg onload=hit("svg")> | `code` & "quotes"',
)  # fmt: skip
NOTE_HITS = "window.hits = []; window.hit = who => { window.hits.push(who); };"
CONNECT = """([url, protocol]) => new Promise(done => {
    let bytes = 0;
    const socket = new WebSocket(url, [protocol]);
    socket.binaryType = "arraybuffer";
    socket.onmessage = event => { bytes += event.data.byteLength; done(bytes); };
    socket.onerror = socket.onclose = () => done(bytes);
})"""  # bytes of the first message; none where the connection is refused


def hostile() -> lw.Model:
    m = lw.Model("</title><script>hit('title')</script>", gravity=(0, 0, -9.81))
    a = m.add(MARKUP[0], lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.05, density=1000))
    b = m.add(MARKUP[1], lw.Body.link((1, 0, 0), (2, 0, 0), radius=0.05, density=1000))
    m.add(MARKUP[2], lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis="y"))
    m.add(MARKUP[3], lw.Revolute(a, b, at=(1, 0, 0), axis="y"))
    return m


@pytest.fixture(scope="module")
def stored(tmp_path_factory: Any) -> lw.Result:
    """A run from a file."""
    path = tmp_path_factory.mktemp("strangers") / "run.nc"
    lw.transient(hostile(), t=0.1, h=0.01, progress=False).save(path)
    return lw.load(path)


def hits(tab: Any) -> list[Any]:  # noqa: F811
    return [hit for frame in tab.frames for hit in frame.evaluate("window.hits ?? []")]


def test_names_are_text_in_the_live_page(stored: lw.Result, tab: Any) -> None:  # noqa: F811
    tab.add_init_script(NOTE_HITS)
    viewer = stored.show(browser=False)
    try:
        opened(tab, viewer)
        viewer.stage.show("names", True)
        for name in MARKUP:
            viewer.highlighted.value = name
            tab.get_by_text(f"{name} at t = ").wait_for()
            viewer.plots.all[0].choice.value = f"{name}.position"
            tab.get_by_text(f"{name}.position").first.wait_for()
        tab.wait_for_timeout(500)  # time for what was put into the page
        assert hits(tab) == []
    finally:
        viewer.close()


def test_names_are_text_in_files_and_notebooks(
    stored: lw.Result, tab: Any, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    tab.add_init_script(NOTE_HITS)
    page = stored.animate(tmp_path / "page.html")
    assert page.path is not None
    tab.goto(page.path.as_uri())
    tab.locator("canvas").first.wait_for()
    wait(tab, lambda: tab.title() == stored.info["model"])
    tab.wait_for_timeout(500)
    assert hits(tab) == []
    model = stored.system.model
    rest = lw.static(model)
    shown = [model, stored, rest, lw.eigen(model, at=rest.state), page]
    cells = "".join(thing._repr_html_() for thing in shown)
    (tmp_path / "cells.html").write_text(f"<meta charset=utf-8>{cells}", encoding="utf-8")
    tab.goto((tmp_path / "cells.html").as_uri())
    for name in MARKUP:
        tab.get_by_role("cell", name=name, exact=True).first.wait_for()
    tab.wait_for_timeout(500)
    assert hits(tab) == []


@pytest.fixture
def stranger() -> Iterator[str]:
    """The address of a web page of someone else, on this machine too."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words: Any) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_only_the_page_itself_connects(tab: Any, stranger: str) -> None:  # noqa: F811
    """Pages of other addresses get nothing, and neither does a name that was made to lead here."""
    import viser

    viewer = lw.kinematics(crank(), t=1, h=0.1).show(browser=False)
    protocol = f"viser-v{viser.__version__}"
    socket = f"ws://localhost:{viewer.port}"
    try:
        for there in (stranger, "data:text/html,sandboxed"):
            tab.goto(there)
            assert tab.evaluate(CONNECT, [socket, protocol]) == 0
        assert viewer.server.get_clients() == {}
        answer = tab.request.get(viewer.url, headers={"Host": f"evil.example:{viewer.port}"})
        assert answer.status == 403
        assert "open it as http://localhost, not 'evil.example:" in answer.text()
        for own in ("localhost", "127.0.0.1"):
            tab.goto(f"http://{own}:{viewer.port}")
            socket = f"ws://{own}:{viewer.port}"
            assert tab.evaluate(CONNECT, [socket, protocol]) > 10_000
    finally:
        viewer.close()
