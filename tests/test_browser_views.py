"""What the pages offer in a real browser: views, a followed body, paths, a click, several plots, a
second run, model time on the slider, the phase of modes.  Mechanism and tools of test_browser."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from test_browser import (  # noqa: F401  (fixtures)
    CHROMIUM,
    PIXELS,
    ball_seen,
    chromium,
    click_slider,
    close_note,
    crank,
    projected,
    slider_value,
    tab,
    wait,
)

import linkwork as lw
from linkwork.view.camera import shot
from linkwork.view.traces import COLOURS, path_of

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]


@pytest.fixture
def viewer(tab: Any):  # noqa: F811
    run = lw.kinematics(crank(), t=4, h=0.02)
    found = run.show(browser=False)
    tab.goto(found.url)
    close_note(tab)
    wait(tab, lambda: found.server.get_clients())
    yield found
    found.close()


def seen_at(page: Any, look: Any, place: Any) -> bool:
    box = page.locator("canvas").first.bounding_box()
    seen = ball_seen(page)
    return seen is not None and bool(np.abs(seen - projected(look, place, box)).max() < PIXELS)


def picture(page: Any) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), float)


def test_buttons_look_from_the_front_side_and_home(viewer: Any, tab: Any) -> None:  # noqa: F811
    viewer.go(1.0)
    place = (np.cos(1.0), 0, np.sin(1.0))
    for side in ("front", "side", "home"):
        tab.get_by_role("button", name=side, exact=True).click()
        wait(tab, lambda side=side: seen_at(tab, shot(viewer.drawing, side), place))
    assert tab.complaints == []


def test_a_followed_body_stays_and_a_path_is_drawn(viewer: Any, tab: Any) -> None:  # noqa: F811
    wait(tab, lambda: seen_at(tab, viewer.stage.shot, (1, 0, 0)))
    before = ball_seen(tab)
    viewer.follow.value = "arm"
    viewer.go(2.0)
    tab.wait_for_timeout(1500)
    assert np.abs(ball_seen(tab) - before).max() < PIXELS
    viewer.follow.value = "nothing"
    wait(tab, lambda: seen_at(tab, viewer.stage.shot, (np.cos(2.0), 0, np.sin(2.0))))
    viewer.traced.value = "arm"
    box = tab.locator("canvas").first.bounding_box()
    x, y = projected(viewer.stage.shot, np.array([np.cos(0.8), 0, np.sin(0.8)]), box)

    def drawn() -> bool:
        near = picture(tab)[int(y) - 4 : int(y) + 5, int(x) - 4 : int(x) + 5].reshape(-1, 3)
        return bool(np.abs(near - COLOURS[0]).max(axis=1).min() < 60)

    wait(tab, drawn)


def test_a_click_selects_and_shows_numbers(viewer: Any, tab: Any) -> None:  # noqa: F811
    wait(tab, lambda: ball_seen(tab) is not None)
    x, y = ball_seen(tab)
    tab.mouse.click(x, y)
    wait(tab, lambda: viewer.numbers.item == "arm")
    viewer.go(0.5)
    viewer._look_again()
    wait(tab, lambda: tab.get_by_text("0.8776, 0, 0.4794").count() > 0)  # cos ½, sin ½
    assert tab.get_by_text("angular velocity", exact=True).count() > 0


def test_several_plots(viewer: Any, tab: Any) -> None:  # noqa: F811
    wait(tab, lambda: tab.locator(".uplot").count() == 1)
    viewer.plots.have(3)
    wait(tab, lambda: tab.locator(".uplot").count() == 3)
    viewer.plots.all[2].choice.value = "motor.angle"
    wait(tab, lambda: tab.get_by_text("motor.angle (rad)").count() > 0)
    viewer.plots.have(1)
    wait(tab, lambda: tab.locator(".uplot").count() == 1)


def test_a_second_run_is_a_ghost(tab: Any) -> None:  # noqa: F811
    """At t = 1 the other crank, twice as fast, is at 2 rad: its ball is pale there."""
    other = crank()
    other["motor"].angle = lw.ramp(2.0)
    run = lw.kinematics(crank(), t=2, h=0.02)
    viewer = run.show(browser=False, other=lw.kinematics(other, t=2, h=0.02))
    try:
        tab.goto(viewer.url)
        close_note(tab)
        viewer.go(1.0)
        box = tab.locator("canvas").first.bounding_box()
        x, y = projected(viewer.stage.shot, np.array([np.cos(2.0), 0, np.sin(2.0)]), box)

        def ghost() -> bool:
            red, green, blue = picture(tab)[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4].mean(
                axis=(0, 1)
            )
            return bool(min(red, blue) - green > 15 and green > 90)

        wait(tab, ghost)
        wait(tab, lambda: tab.get_by_text("other run").count() > 0)  # in the plot's legend
    finally:
        viewer.close()


def test_the_offline_slider_counts_model_time(tab: Any, tmp_path: Any) -> None:  # noqa: F811
    """A run of 0.2 s, fifty times slower: the slider ends at 0.2, and the text has its digits."""
    run = lw.kinematics(crank(), t=0.2, h=0.002)
    page = run.animate(tmp_path / "slow.html")
    tab.goto(page.path.as_uri())
    wait(tab, lambda: tab.locator(".model-time").count() == 1)
    assert float(tab.locator("[role=slider]").first.get_attribute("aria-valuemax")) < 0.205
    look = """() => [performance.now() / 1000, parseFloat(
        document.querySelector("[role=slider]").getAttribute("aria-valuenow"))]"""
    (a, t), _ = tab.evaluate(look), tab.wait_for_timeout(1500)
    b, u = tab.evaluate(look)
    assert 0.004 < (u - t) % 0.2 / (b - a) < 0.05  # 0.02; a busy page draws now and then
    tab.locator(".mantine-ActionIcon-root").first.click()  # pause
    click_slider(tab, 0.5)
    wait(tab, lambda: abs(slider_value(tab) - 0.1) < 0.01)
    wait(tab, lambda: abs(float(tab.locator(".model-time").inner_text().split()[2])
                          - slider_value(tab)) < 1e-3)  # fmt: skip


def test_mode_pages_say_phase(tab: Any, tmp_path: Any) -> None:  # noqa: F811
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (0, 0, -1), radius=0.02, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    modes = lw.eigen(m)
    page = modes.animate(0, tmp_path / "mode.html")
    assert "t = 2" not in page.text
    tab.goto(page.path.as_uri())
    wait(tab, lambda: tab.locator(".model-time").count() == 1)
    wait(tab, lambda: tab.locator(".model-time").inner_text().startswith("phase "))
    viewer = modes.show(0, browser=False)
    try:
        assert viewer.slider.label == "phase (°)" and viewer.slider.max == 360
    finally:
        viewer.close()


def test_paths_are_those_of_points() -> None:
    run = lw.kinematics(crank(), t=2, h=0.01)
    t = run.time
    name, path = path_of(run, ("arm", (1.0, 0, 0)))
    assert name == "arm (1, 0, 0)"
    expected = 2 * np.column_stack([np.cos(t), 0 * t, np.sin(t)])
    np.testing.assert_allclose(path, expected, atol=1e-9)
    np.testing.assert_allclose(path_of(run, "motor")[1], 0 * expected, atol=1e-9)
    with pytest.raises(lw.ModelError, match="no body or joint 'nobody'"):
        run.animate(traces="nobody")
