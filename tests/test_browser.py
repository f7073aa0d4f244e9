"""The pages in a real browser: headless Chromium loads them, plays, moves the slider, and the
pictures show bodies where the motion puts them.

The mechanism is an arm that a motor turns at 1 rad/s, with a ball at (cos t, 0, sin t).  Its colour
is found in the picture, and the middle of those pixels is compared with the pinhole projection of
that point.  Chromium is the system's (Debian: apt-get install chromium).
"""

from __future__ import annotations

import io
import shutil
import time as clock
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.view.camera import Shot, shot
from linkwork.view.drawing import draw

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]
MAGENTA = (255, 0, 255)
PIXELS = 6.0  # a ball of 40 pixels; its highlight and the arm move its middle by a few


def crank() -> lw.Model:
    m = lw.Model("crank")
    ball = {"kind": "sphere", "radius": 0.12, "color": MAGENTA}
    arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(1, 0, 0), shape=ball))
    m.add("motor", lw.Motor(lw.GROUND, arm, at=(0, 0, 0), axis=(0, -1, 0), angle=lw.ramp(1.0)))
    return m


def chain(n: int) -> lw.Model:
    m, last = lw.Model("chain", gravity=(0, 0, -9.81)), lw.GROUND
    for k in range(n):
        link = lw.Body.link((k, 0, 0), (k + 1, 0, 0), radius=0.05, density=1000)
        m.add(f"link {k}", link)
        m.add(f"pin {k}", lw.Revolute(last, link, at=(k, 0, 0), axis=(0, 1, 0)))
        last = link
    return m


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    flags = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"]
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*flags, "--enable-unsafe-swiftshader"]
        )
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    """A tab that notes what the page asks the network for and what goes wrong in it."""
    page = chromium.new_page(viewport={"width": 900, "height": 600})
    page.complaints, page.asked = [], []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
    page.on("request", lambda request: page.asked.append(request.url))
    yield page
    page.close()


def wait(page: Any, condition: Any, seconds: float = 30.0) -> None:
    end = clock.monotonic() + seconds
    while not condition():
        assert clock.monotonic() < end, "the page did not get there in time"
        page.wait_for_timeout(100)


def close_note(page: Any) -> None:
    """The page says that it has no graphics card here; that note would cover the ball."""
    note = page.locator(".mantine-Notification-closeButton")
    page.locator("canvas").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    if note.count():
        note.first.click()
        wait(page, lambda: note.count() == 0)


def projected(look: Shot, point: np.ndarray, box: dict[str, float]) -> np.ndarray:
    """Where a world point is in the picture: a pinhole camera that looks along −z of its axes."""
    back = (look.position - look.target) / look.distance
    right = np.cross(look.up, back)
    right /= np.linalg.norm(right)
    up = np.cross(back, right)
    d = point - look.position
    scale = box["height"] / 2 / np.tan(look.fov / 2) / (-d @ back)
    middle = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
    return middle + scale * np.array([d @ right, -(d @ up)])


def ball_seen(page: Any) -> np.ndarray | None:
    """Middle of the magenta pixels."""
    from PIL import Image

    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), int)
    red, green, blue = np.moveaxis(picture, -1, 0)
    least = np.minimum(red, blue)
    rows, columns = np.nonzero((least > 90) & (green < 0.45 * least))
    return np.array([columns.mean(), rows.mean()]) if len(rows) > 200 else None


def ball_is_at(page: Any, look: Shot, t: float) -> bool:
    box = page.locator("canvas").first.bounding_box()
    seen, place = ball_seen(page), np.array([np.cos(t), 0, np.sin(t)])
    return seen is not None and bool(np.abs(seen - projected(look, place, box)).max() < PIXELS)


def slider_value(page: Any) -> float:
    return float(page.locator("[role=slider]").first.get_attribute("aria-valuenow"))


def click_slider(page: Any, share: float) -> None:
    bar = page.locator(".mantine-Slider-track").first.bounding_box()
    page.mouse.click(bar["x"] + share * bar["width"], bar["y"] + bar["height"] / 2)


def test_offline_file_plays_and_shows_the_motion(tab: Any, tmp_path: Path) -> None:
    """Play, pause, slider and speed of the file; it asks nobody for anything."""
    run = lw.kinematics(crank(), t=4, h=0.02)
    page = run.animate(tmp_path / "crank.html")
    assert page.path is not None and 5e5 < page.path.stat().st_size < 3e6
    look = shot(draw(run))
    tab.goto(page.path.as_uri())
    wait(tab, lambda: tab.locator("[role=slider]").count() == 1)
    close_note(tab)
    wait(tab, lambda: slider_value(tab) > 0.2)  # it plays by itself
    tab.locator(".mantine-ActionIcon-root").first.click()  # pause
    tab.wait_for_timeout(1000)
    held = slider_value(tab)
    tab.wait_for_timeout(400)
    assert slider_value(tab) == held
    for share in (0.7, 0.25):  # forward, and back, which replays from the start
        click_slider(tab, share)
        wait(tab, lambda share=share: abs(slider_value(tab) - 4 * share) < 0.2)
        wait(tab, lambda: ball_is_at(tab, look, slider_value(tab)))  # it may still be moving
    tab.get_by_text("1x").or_(tab.locator("input[value='1x']")).first.click()
    tab.get_by_role("option", name="2x").click()
    before = slider_value(tab)
    tab.locator(".mantine-ActionIcon-root").first.click()  # play
    wait(tab, lambda: slider_value(tab) != before)
    assert tab.complaints == []
    assert [url for url in tab.asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_live_page_plays_and_follows_the_slider(tab: Any) -> None:
    run = lw.kinematics(crank(), t=4, h=0.01)
    viewer = run.show(browser=False)
    try:
        look = viewer.stage.shot
        tab.goto(viewer.url)
        close_note(tab)
        tab.get_by_role("button", name="Play").click(timeout=60_000)
        wait(tab, lambda: viewer.playing and viewer.now > 0.3)
        tab.get_by_role("button", name="Pause").click()
        wait(tab, lambda: not viewer.playing)
        wait(tab, lambda: ball_is_at(tab, look, viewer.now))
        click_slider(tab, 0.5)
        wait(tab, lambda: abs(viewer.now - 2.0) < 0.4)
        wait(tab, lambda: ball_is_at(tab, look, viewer.now))
        assert tab.locator(".u-wrap, .uplot").count() >= 1  # the plot
        tab.locator("input[type=checkbox]:visible").nth(1).click()  # behind "loop": the bodies
        wait(tab, lambda: ball_seen(tab) is None)
        assert tab.complaints == []
    finally:
        viewer.close()


def test_hundred_bodies_cost_little(tab: Any) -> None:
    """Script time per frame of 100 bodies, in Python and in the page, CPU time of the thread."""
    run = lw.transient(chain(100), t=0.5, h=0.01, progress=False)
    viewer = run.show(browser=False)
    try:
        tab.goto(viewer.url)
        wait(tab, lambda: viewer.server.get_clients())
        tab.wait_for_timeout(4000)
        protocol = tab.context.new_cdp_session(tab)
        protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

        def script() -> float:
            metrics = protocol.send("Performance.getMetrics")["metrics"]
            return next(m["value"] for m in metrics if m["name"] == "ScriptDuration")

        before, python = script(), 0.0
        for i in range(1, 51):
            began = clock.thread_time()
            viewer.stage.move(i)
            python += clock.thread_time() - began
            tab.wait_for_timeout(30)
        tab.wait_for_timeout(1000)
        page = script() - before
        assert 0 < python / 50 < 8e-3
        assert 0 < page / 50 < 8e-3
    finally:
        viewer.close()
