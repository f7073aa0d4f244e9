"""Pages that show a run: one file, a live page, and what is said when one cannot be had."""

from __future__ import annotations

import socket
import time as clock
import webbrowser
from pathlib import Path

import numpy as np
import pytest
import trimesh
from inside import draw, parts_of

import linkwork as lw
from linkwork import LinkworkError, LinkworkWarning, ModelError
from linkwork.view.pages.live import free_port
from linkwork.view.pages.offline import Page

EXAMPLES = Path(__file__).parents[2] / "examples"


def pendulum() -> lw.Model:
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod_ = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod_, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


def test_page_is_one_file_and_a_notebook_shows_it(tmp_path):
    run = lw.transient(pendulum(), t=0.2, h=0.01, progress=False)
    page = run.animate(tmp_path / "page.html")
    assert isinstance(page, Page)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>pendulum</title>" in text and text.count("<html") == 1
    assert not [x for x in ("src=\"http", "src='http", "href=\"http") if x in text]
    assert page._repr_html_().startswith("<iframe srcdoc=")
    m = pendulum()
    assert m.animate().path is None and lw.static(m).animate().path is None
    assert lw.eigen(m, at=lw.static(m).state).animate(0).path is None


def test_small_motions_far_away_are_shown(monkeypatch):
    """A thousand kilometres from the origin a centimetre per frame is sent, frame by frame."""
    from linkwork.view.pages.stage import Stage, serve, stop

    m = lw.Model("far")
    m.add("ball", lw.Body.sphere(0.1, mass=1, position=(1e6, 0, 0), velocity=(1, 0, 0)))
    run = lw.transient(m, t=0.1, h=0.01, progress=False)
    server = serve("127.0.0.1", 0)
    try:
        sent: list[float] = []
        send = server.scene._queue_scene_message

        def noted(message):
            if type(message).__name__ == "SetPositionMessage" and message.name == "/bodies/ball":
                sent.append(message.position[0])
            send(message)

        monkeypatch.setattr(server.scene, "_queue_scene_message", noted)
        stage = Stage(server, draw(run))
        sent.clear()
        for i in range(len(run)):
            stage.move(i)
        np.testing.assert_allclose(np.diff(sent), np.full(10, 0.01), rtol=1e-6)
    finally:
        stop(server)


def test_sentences_of_pages(tmp_path):
    run = lw.transient(pendulum(), t=0.1, h=0.01, progress=False)
    with pytest.raises(ModelError, match=r"page for the browser .* not 'page.avi'"):
        run.animate(tmp_path / "page.avi")
    with pytest.raises(LinkworkError, match="there is no folder"):
        run.animate(tmp_path / "nowhere" / "page.html")
    with pytest.raises(ModelError, match="speed must be positive"):
        run.animate(speed=0)


def test_port_in_use_is_said():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LinkworkError, match=f"port {port} of localhost is in use"):
            pendulum().show(port=port, browser=False)
        assert free_port("localhost", None) >= 8080


@pytest.mark.parametrize("port", ["http", "8080", 80.5, True, -1, 0])
def test_a_port_is_a_number(port):
    with pytest.raises(ModelError, match=f"^port must be a whole number of .* but {port!r} was"):
        pendulum().show(port=port, browser=False)


@pytest.mark.parametrize("reactions", [True, False])
def test_reactions_are_shown_from_the_start_where_wanted(reactions):
    run = lw.transient(pendulum(), t=0.1, h=0.01, progress=False)
    viewer = run.show(browser=False, reactions=reactions)
    try:
        assert viewer.stage.shown["reactions"] is reactions
        assert bool(viewer.stage.groups["reactions"]) is reactions
    finally:
        viewer.close()


@pytest.mark.parametrize("wrong", [1e308, 1e200, -np.inf, np.nan])
def test_places_that_cannot_be_drawn_are_refused(tmp_path, wrong):
    """As a file may contain that another program wrote."""
    run = lw.transient(pendulum(), t=0.1, h=0.01, progress=False)
    run.motion[5:, 0, 2] = wrong
    run.save(tmp_path / "run.nc")
    stored = lw.load(tmp_path / "run.nc")
    for draws in (
        lambda: stored.animate(tmp_path / "run.html"), lambda: stored.show(browser=False),
        lambda: stored.animate(tmp_path / "run.gif"), lambda: stored.picture(tmp_path / "run.png"),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=r"^body 'rod' has a coordinate of .* at t = 0[.]"):
            draws()
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]


def test_no_browser_is_said(monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    with pytest.warns(LinkworkWarning, match="no browser could be started; open http://localhost"):
        viewer = pendulum().show(block=False)
    viewer.close()
    assert "closed" in repr(viewer)


def test_viewer_without_viser_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(LinkworkError, match="pip install viser"):
        pendulum().animate()


def test_viewer_is_imported_only_when_used():
    import subprocess
    import sys

    code = (
        "import sys, linkwork as lw; m = lw.Model(); m.add('b', lw.Body(1, (1, 1, 1)));"
        "lw.transient(m, t=0.1, h=0.1, progress=False);"
        "assert not {'viser', 'trimesh', 'matplotlib'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def wait_for(condition, seconds=60.0):
    end = clock.monotonic() + seconds
    while not condition():
        assert clock.monotonic() < end, "it did not happen in time"
        clock.sleep(0.001)


@pytest.mark.parametrize("playing", [False, True], ids=["at rest", "playing"])
def test_the_slider_moved_by_hand_is_obeyed(playing):
    """The page changes the slider in the event loop of its server; no such change is lost."""
    run = lw.transient(pendulum(), t=2, h=0.01, progress=False)
    viewer = run.show(browser=False)
    places = np.random.default_rng(3).uniform(0, 2, 40)
    try:
        for place in places:
            if playing:
                viewer.play()
                wait_for(lambda: viewer.now != viewer.slider.value)  # it is about to be written
            loop = viewer.server.get_event_loop()
            loop.call_soon_threadsafe(setattr, viewer.slider, "value", float(place))
            wait_for(lambda place=place: viewer.now == place and not viewer.playing)
            assert viewer.slider.value == place
    finally:
        viewer.close()
    assert not viewer.thread.is_alive()


def test_a_slider_that_is_nowhere_is_put_back():
    viewer = lw.transient(pendulum(), t=1, h=0.01, progress=False).show(browser=False)
    try:
        viewer.go(0.5)
        viewer.slider.value = np.nan
        wait_for(lambda: not np.isnan(viewer.slider.value), seconds=20)
        assert viewer.now == 0.5
        viewer.play()
        wait_for(lambda: viewer.now > 0.5 and viewer.playing, seconds=20)
        with pytest.raises(ModelError, match="t of a page"):
            viewer.go(np.nan)
    finally:
        viewer.close()


def test_a_viser_that_cannot_be_guarded_is_refused(monkeypatch):
    """Where the check of Host and Origin cannot be put into the server, there is none."""
    import viser

    class Server:
        def __init__(self, **parameters):
            pass

    monkeypatch.setattr(viser, "ViserServer", Server)
    with pytest.raises(LinkworkError, match="keep other web pages out"):
        pendulum().show(browser=False)


def test_paths_chosen_in_the_page_stand_beside_those_given():
    run = lw.transient(pendulum(), t=1, h=0.01, progress=False)
    viewer = run.show(browser=False, traces=[("rod", (0, 0, 0.5))])
    try:
        def shown():
            return [trace.name for trace in viewer.stage.drawing.traces]

        given = shown()
        assert given == ["rod (0, 0, 0.5)"]
        viewer.traced.value = "rod"
        wait_for(lambda: shown() == [*given, "rod"])
        colours = [trace.colour for trace in viewer.stage.drawing.traces]
        assert len(set(colours)) == 2 and len(viewer.stage.groups["traces"]) == 2
        viewer.traced.value = viewer.traced.options[0]  # nothing
        wait_for(lambda: shown() == given)
    finally:
        viewer.close()


def test_a_mesh_with_many_colours_keeps_like_ones_together(tmp_path):
    """A ball that is red where x > 0 and blue where x < 0, each in a hundred shades."""
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    shade = np.random.default_rng(1).integers(200, 255, len(ball.faces))
    right = ball.triangles_center[:, 0] > 0
    colours = np.column_stack([np.where(right, shade, 10), 0 * shade, np.where(right, 10, shade)])
    ball.visual.face_colors = np.column_stack([colours, np.full(len(shade), 255)])
    ball.export(tmp_path / "ball.ply", vertex_normal=False)
    parts = parts_of({"kind": "mesh", "file": str(tmp_path / "ball.ply")}, "the ball")
    assert 2 <= len(parts) <= 24
    for part in parts:
        middle = part.vertices[part.faces].mean(axis=1)[:, 0]
        red = part.colour[0] > part.colour[2]
        assert np.all(middle > -1e-6) if red else np.all(middle < 1e-6)


def test_following_a_body_from_now_on_brings_it_into_the_middle(monkeypatch):
    run = lw.transient(pendulum(), t=1, h=0.01, progress=False)
    viewer = run.show(browser=False)
    aimed = []
    monkeypatch.setattr(viewer, "_aim", aimed.append)
    try:
        viewer.go(0.5)
        viewer.follow.value = "rod"
        wait_for(lambda: aimed)
        # the scene moves so that the body stays where it was at the start
        np.testing.assert_allclose(aimed[0], run.motion[0, 0, :3])
    finally:
        viewer.close()
