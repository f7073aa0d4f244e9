"""What the pages offer in a real browser: views, a followed body, paths, a click, several plots, a
second run, model time on the slider, the phase of modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from browser_pages import (  # noqa: F401  (fixtures)
    PIXELS,
    at_rest,
    ball_seen,
    chromium,
    click_slider,
    click_until,
    crank,
    in_picture,
    needs_chromium,
    opened,
    picture,
    press,
    seen_at,
    slider_value,
    tab,
    wait,
)
from inside import shot

import linkwork as lw
from linkwork.view.traces import COLOURS, path_of

pytestmark = [needs_chromium]
TWO_MOMENTS = """async () => {  // clock and slider when the slider has just moved, 3 s apart
    const value = () => parseFloat(
        document.querySelector("[role=slider]").getAttribute("aria-valuenow"));
    const moved = async () => {
        const before = value();
        while (value() === before) await new Promise(done => setTimeout(done, 5));
        return [performance.now() / 1000, value()];
    };
    const first = await moved();
    await new Promise(done => setTimeout(done, 3000));
    return [first, await moved()];
}"""


@pytest.fixture
def viewer(tab: Any):  # noqa: F811
    run = lw.kinematics(crank(), t=4, h=0.02)
    found = run.show(browser=False)
    opened(tab, found)
    yield found
    found.close()


def test_buttons_look_from_the_front_side_and_home(viewer: Any, tab: Any) -> None:  # noqa: F811
    viewer.go(1.0)
    place = (np.cos(1.0), 0, np.sin(1.0))
    for side in ("front", "side", "home"):
        look = shot(viewer.drawing, side)
        press(tab, side, lambda look=look: seen_at(tab, look, place))
    assert tab.complaints == []


def test_a_followed_body_stays_in_the_middle_and_a_path_is_drawn(viewer: Any, tab: Any) -> None:  # noqa: F811
    wait(tab, lambda: seen_at(tab, viewer.stage.shot, (1, 0, 0)))
    viewer.follow.value = "arm"
    box = tab.locator("canvas").first.bounding_box()
    middle = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])

    def in_the_middle() -> bool:
        seen = ball_seen(tab)
        return seen is not None and bool(np.abs(seen - middle).max() < PIXELS)

    wait(tab, in_the_middle)
    around = picture(tab)
    viewer.go(2.0)
    wait(tab, lambda: np.abs(picture(tab) - around).max() > 100)  # the rest moves past it
    wait(tab, lambda: at_rest(tab))
    assert in_the_middle()
    viewer.follow.value = "nothing"
    wait(tab, lambda: seen_at(tab, viewer.stage.shot, (np.cos(2.0), 0, np.sin(2.0))))
    viewer.traced.value = "arm"
    x, y = in_picture(tab, viewer.stage.shot, (np.cos(0.8), 0, np.sin(0.8)))

    def drawn() -> bool:
        near = picture(tab)[int(y) - 4 : int(y) + 5, int(x) - 4 : int(x) + 5].reshape(-1, 3)
        return bool(np.abs(near - COLOURS[0]).max(axis=1).min() < 60)

    wait(tab, drawn)


def test_a_click_selects_and_shows_numbers(viewer: Any, tab: Any) -> None:  # noqa: F811
    wait(tab, lambda: ball_seen(tab) is not None)
    x, y = ball_seen(tab)
    click_until(tab, lambda: tab.mouse.click(x, y), lambda: viewer.numbers.item == "arm")
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
        opened(tab, viewer)
        viewer.go(1.0)
        x, y = in_picture(tab, viewer.stage.shot, (np.cos(2.0), 0, np.sin(2.0)))

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
    page = run.animate(tmp_path / "slow.html", speed=0.02)
    tab.goto(page.path.as_uri())
    wait(tab, lambda: tab.locator(".model-time").count() == 1)
    assert float(tab.locator("[role=slider]").first.get_attribute("aria-valuemax")) < 0.205
    (a, t), (b, u) = tab.evaluate(TWO_MOMENTS)
    assert 0.01 < (u - t) % 0.2 / (b - a) < 0.03  # 0.02; a busy page draws now and then
    button = tab.locator(".mantine-ActionIcon-root").first
    sign = button.inner_html()
    click_until(tab, button.click, lambda: button.inner_html() != sign)  # pause
    click_slider(tab, 0.5, lambda: abs(slider_value(tab) - 0.1) < 0.01)
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
