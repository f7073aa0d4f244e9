"""The pages in a real browser: headless Chromium loads them, plays, moves the slider, and the
pictures show bodies where the motion puts them."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Any

from browser_pages import (  # noqa: F401  (fixtures)
    ball_is_at,
    ball_seen,
    chromium,
    click_slider,
    click_until,
    crank,
    needs_chromium,
    opened,
    press,
    slider_value,
    tab,
    wait,
)
from inside import draw, shot

import linkwork as lw

pytestmark = [needs_chromium]


def chain(n: int) -> lw.Model:
    m, last = lw.Model("chain", gravity=(0, 0, -9.81)), lw.GROUND
    for k in range(n):
        link = lw.Body.link((k, 0, 0), (k + 1, 0, 0), radius=0.05, density=1000)
        m.add(f"link {k}", link)
        m.add(f"pin {k}", lw.Revolute(last, link, at=(k, 0, 0), axis=(0, 1, 0)))
        last = link
    return m


def test_offline_file_plays_and_shows_the_motion(tab: Any, tmp_path: Path) -> None:  # noqa: F811
    """Play, pause, slider and speed of the file; it asks nobody for anything."""
    run = lw.kinematics(crank(), t=4, h=0.02)
    page = run.animate(tmp_path / "crank.html")
    assert page.path is not None and 5e5 < page.path.stat().st_size < 3e6
    look = shot(draw(run))
    tab.goto(page.path.as_uri())
    wait(tab, lambda: tab.locator("[role=slider]").count() == 1)
    wait(tab, lambda: slider_value(tab) > 0.2)  # it plays by itself
    button = tab.locator(".mantine-ActionIcon-root").first
    sign = button.inner_html()
    click_until(tab, button.click, lambda: button.inner_html() != sign)  # pause
    for share in (0.7, 0.25):  # forward, and back, which replays from the start
        tab.wait_for_timeout(300)  # a pause may end near by, and shows its last frame late
        before = slider_value(tab)
        click_slider(tab, share, lambda at=before, share=share: slider_value(tab) != at
                     and abs(slider_value(tab) - 4 * share) < 0.2)  # fmt: skip
        held = slider_value(tab)
        wait(tab, lambda held=held: ball_is_at(tab, look, held))  # it may still be moving
        assert slider_value(tab) == held
    speed = tab.get_by_text("1x").or_(tab.locator("input[value='1x']")).first
    option = tab.get_by_role("option", name="2x")
    click_until(tab, speed.click, option.is_visible)
    option.click()
    click_until(tab, button.click, lambda: button.inner_html() == sign)  # play
    wait(tab, lambda: slider_value(tab) != held)
    assert tab.complaints == []
    assert [url for url in tab.asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_live_page_plays_and_follows_the_slider(tab: Any) -> None:  # noqa: F811
    run = lw.kinematics(crank(), t=4, h=0.01)
    viewer = run.show(browser=False)
    try:
        look = viewer.stage.shot
        opened(tab, viewer)
        press(tab, "Play", lambda: viewer.playing)
        wait(tab, lambda: viewer.now > 0.3)
        press(tab, "Pause", lambda: not viewer.playing)
        wait(tab, lambda: ball_is_at(tab, look, viewer.now))
        click_slider(tab, 0.5, lambda: abs(viewer.now - 2.0) < 0.4)
        wait(tab, lambda: ball_is_at(tab, look, viewer.now))
        assert tab.locator(".u-wrap, .uplot").count() >= 1  # the plot
        bodies = tab.locator("input[type=checkbox]:visible").nth(1)  # behind "loop"
        click_until(tab, bodies.click, lambda: ball_seen(tab) is None)
        assert tab.complaints == []
    finally:
        viewer.close()


def test_clicks_on_the_slider_of_a_playing_page_are_obeyed(tab: Any) -> None:  # noqa: F811
    run = lw.kinematics(crank(), t=4, h=0.01)
    viewer = run.show(browser=False)
    try:
        opened(tab, viewer)
        for share in (0.8, 0.3, 0.6):
            viewer.play()
            click_slider(tab, share, lambda: not viewer.playing)
            assert abs(viewer.now - 4 * share) < 0.1
        assert tab.complaints == []
    finally:
        viewer.close()


def test_hundred_bodies_cost_little(tab: Any) -> None:  # noqa: F811
    """Script time per frame of 100 bodies, in Python and in the page, CPU time of the thread."""
    run = lw.transient(chain(100), t=0.5, h=0.01, progress=False)
    viewer = run.show(browser=False)
    try:
        opened(tab, viewer)
        protocol = tab.context.new_cdp_session(tab)
        protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

        def script() -> float:
            metrics = protocol.send("Performance.getMetrics")["metrics"]
            return float(next(m["value"] for m in metrics if m["name"] == "ScriptDuration"))

        def idle() -> bool:
            before = script()
            tab.wait_for_timeout(500)
            return script() - before < 0.1  # a page at rest draws too

        wait(tab, idle)
        before, python = script(), 0.0
        for i in range(1, 51):
            began = clock.thread_time()
            viewer.stage.move(i)
            python += clock.thread_time() - began
            tab.wait_for_timeout(30)
        wait(tab, idle)
        page = script() - before
        assert 0 < python / 50 < 8e-3
        assert 0 < page / 50 < 8e-3
    finally:
        viewer.close()
