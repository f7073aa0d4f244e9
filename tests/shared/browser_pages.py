"""What the browser tests share: headless Chromium, a tab, waiting for conditions, the ball's place.

The mechanism is an arm that a motor turns at 1 rad/s, with a ball at (cos t, 0, sin t).  Its colour
is found in the picture, and the middle of those pixels is compared with the pinhole projection of
that point.  Chromium is the system's (Debian: apt-get install chromium).

A machine may be busy: nothing waits for a fixed time where it can wait for what must happen, and a
click whose effect is not seen (a page that is still arranging itself loses some) is made again.
"""

from __future__ import annotations

import io
import shutil
import time as clock
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.view.camera import Shot

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium here: apt-get install chromium"
)
PATIENCE = 120.0  # seconds; a page takes two on an idle machine
AGAIN = 4.0  # seconds until a click is made again
MAGENTA = (255, 0, 255)
PIXELS = 6.0  # a ball of 40 pixels; its highlight and the arm move its middle by a few
NO_NOTES = """addEventListener("DOMContentLoaded", () => {
    const style = document.createElement("style");
    style.textContent = ".mantine-Notification-root { display: none !important; }";
    document.head.append(style);
});"""  # the page says that it has no graphics card here; that note would cover the ball


def crank() -> lw.Model:
    m = lw.Model("crank")
    ball = {"kind": "sphere", "radius": 0.12, "color": MAGENTA}
    arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(1, 0, 0), shape=ball))
    m.add("motor", lw.Motor(lw.GROUND, arm, at=(0, 0, 0), axis=(0, -1, 0), angle=lw.ramp(1.0)))
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
    page.set_default_timeout(1000 * PATIENCE)
    page.add_init_script(NO_NOTES)
    page.complaints, page.asked = [], []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda m: page.complaints.append(m.text) if m.type == "error" else None)
    page.on("request", lambda request: page.asked.append(request.url))
    yield page
    page.close()


def wait(page: Any, condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait until something holds."""
    end = clock.monotonic() + seconds
    while not condition():
        assert clock.monotonic() < end, "the page did not get there in time"
        page.wait_for_timeout(100)


def click_until(page: Any, click: Callable[[], Any], condition: Callable[[], Any]) -> None:
    """Click until the effect is seen."""
    end = clock.monotonic() + PATIENCE
    while True:
        click()
        again = clock.monotonic() + AGAIN
        while clock.monotonic() < again:
            if condition():
                return
            page.wait_for_timeout(100)
        assert clock.monotonic() < end, "clicking had no effect"


def press(page: Any, name: str, condition: Callable[[], Any]) -> None:
    """Press the button that says `name` until the effect is seen."""
    button = page.get_by_role("button", name=name, exact=True)
    click_until(page, lambda: button.count() and button.first.click(), condition)


def opened(page: Any, viewer: Any) -> None:
    """Open a live page, and wait until it has its panel and draws."""
    page.goto(viewer.url)
    page.locator("canvas").first.wait_for()
    wait(page, viewer.server.get_clients)
    wait(page, lambda: page.locator("input[type=checkbox]:visible").count() > 0)
    wait(page, lambda: picture(page).std() > 1.0)  # not one colour


def picture(page: Any) -> np.ndarray:
    """What the page shows: rows, columns, red green blue."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), float)


def at_rest(page: Any) -> bool:
    """Whether the picture stays as it is."""
    first = picture(page)
    page.wait_for_timeout(300)
    return np.array_equal(first, picture(page))


def projected(look: Shot, point: Any, box: dict[str, float]) -> np.ndarray:
    """Where a world point is in the picture: a pinhole camera that looks along −z of its axes."""
    back = (look.position - look.target) / look.distance
    right = np.cross(look.up, back)
    right /= np.linalg.norm(right)
    up = np.cross(back, right)
    d = np.asarray(point) - look.position
    scale = box["height"] / 2 / np.tan(look.fov / 2) / (-d @ back)
    middle = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
    return middle + scale * np.array([d @ right, -(d @ up)])


def in_picture(page: Any, look: Shot, point: Any) -> np.ndarray:
    """Where a world point is in the page's picture."""
    return projected(look, point, page.locator("canvas").first.bounding_box())


def ball_seen(page: Any) -> np.ndarray | None:
    """Middle of the magenta pixels."""
    red, green, blue = np.moveaxis(picture(page), -1, 0)
    least = np.minimum(red, blue)
    rows, columns = np.nonzero((least > 90) & (green < 0.45 * least))
    return np.array([columns.mean(), rows.mean()]) if len(rows) > 200 else None


def seen_at(page: Any, look: Shot, place: Any) -> bool:
    """Whether the ball is seen where a point of the world is."""
    seen = ball_seen(page)
    return seen is not None and bool(np.abs(seen - in_picture(page, look, place)).max() < PIXELS)


def ball_is_at(page: Any, look: Shot, t: float) -> bool:
    """Whether the ball is seen where the crank is at time t."""
    return seen_at(page, look, (np.cos(t), 0, np.sin(t)))


def slider_value(page: Any) -> float:
    return float(page.locator("[role=slider]").first.get_attribute("aria-valuenow"))


def click_slider(page: Any, share: float, condition: Callable[[], Any]) -> None:
    """Click at a share of the slider's length until the effect is seen."""

    def click() -> None:
        bar = page.locator(".mantine-Slider-track").first.bounding_box()
        page.mouse.click(bar["x"] + share * bar["width"], bar["y"] + bar["height"] / 2)

    click_until(page, click, condition)
