"""Makes the screenshots of the README with Chromium: python -m docs.pictures.screenshots"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import linkwork as lw

ROOT = Path(__file__).parent.parent.parent
IMAGES = ROOT / "docs" / "images"
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def close_note(page: Any) -> None:
    """The page says that there is no graphics card here."""
    page.wait_for_timeout(3000)
    note = page.locator(".mantine-Notification-closeButton")
    if note.count():
        note.first.click()
        page.wait_for_timeout(1000)


def live(browser: Any) -> None:
    """The suspension over its oscillation, with the plot of its spring's force."""
    module = example("double_wishbone")
    pressed = lw.static(module.build(load=1.4 * 3300)).state
    run = lw.transient(module.model, t=4, h=1e-3, start=pressed, progress=False)
    viewer = run.show(browser=False)
    page = browser.new_page(viewport={"width": 1240, "height": 720})
    page.goto(viewer.url)
    close_note(page)
    viewer.plots.all[0].choice.value = "spring.force"
    viewer.go(1.3)
    page.wait_for_timeout(4000)
    page.screenshot(path=IMAGES / "viewer.png")
    viewer.close()


def offline(browser: Any) -> None:
    """Andrews' squeezer as a file."""
    module = example("andrews_squeezer")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "squeezer.html"
        lw.transient(module.model, t=0.03, h=1e-5, progress=False).animate(path)
        page = browser.new_page(viewport={"width": 1000, "height": 620})
        page.goto(path.as_uri())
        close_note(page)
        page.locator(".mantine-ActionIcon-root").first.click()  # pause
        page.wait_for_timeout(3000)
        page.screenshot(path=IMAGES / "offline.png")


def main() -> None:
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        live(browser)
        offline(browser)
        browser.close()


if __name__ == "__main__":
    main()
