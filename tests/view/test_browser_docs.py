"""Pages of the documentation in a real browser: cards of the gallery move under the mouse, entries
have their page in them, and the home page shows mechanisms of the gallery."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browser_pages import (  # noqa: F401  (fixtures)
    chromium,
    click_until,
    crank,
    needs_chromium,
    tab,
    wait,
)

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def gallery() -> Any:
    from docs.site import gallery_pages

    return gallery_pages


def raw(lines: list[str]) -> str:
    """What stands between ```{raw} html and ```."""
    text = "\n".join(lines)
    return "".join(re.findall(r"```\{raw\} html\n(.*?)\n```", text, re.S))


@needs_chromium
def test_a_card_moves_and_an_entry_plays(
    gallery: Any, tab: Any, tmp_path: Path,  # noqa: F811
) -> None:
    pages = tmp_path / "site"
    (pages / "gallery").mkdir(parents=True)
    example = SimpleNamespace(model=crank(), time=1.0, step=0.02, traces="arm")
    gallery.animate(example, pages, "crank", film=0.5)
    card = raw(gallery.card(pages, "crank", "A crank"))
    entry = raw(gallery.page("crank", "A crank", "", "it says", True, []).splitlines())
    (pages / "gallery" / "index.html").write_text(f"<body>{card}{entry}</body>", encoding="utf-8")
    tab.goto((pages / "gallery" / "index.html").as_uri())
    picture = tab.locator("img").first
    wait(tab, lambda: picture.evaluate("x => x.complete && x.naturalWidth") == 400)
    assert picture.get_attribute("src").endswith("crank-3d.png")

    def hover() -> None:
        tab.mouse.move(0, 0)
        picture.hover()

    click_until(tab, hover, lambda: picture.get_attribute("src").endswith("crank-3d.gif"))
    wait(tab, lambda: picture.evaluate("x => x.complete && x.naturalWidth") == 400)
    tab.locator("iframe").scroll_into_view_if_needed()
    inside = tab.frame_locator("iframe")
    wait(tab, lambda: inside.locator(".model-time").count() == 1)


def test_the_home_page_shows_mechanisms_of_the_gallery(gallery: Any) -> None:
    home = (DOCS / "index.md").read_text(encoding="utf-8")
    shown = re.findall(r'href="gallery/(\w+)\.html"><img src="(\w+)-3d\.png"', home)
    assert len(shown) == 3 and all(link == picture for link, picture in shown)
    for name, _ in shown:
        assert f"this.src='{name}-3d.gif'" in home
        module = gallery.load(DOCS.parent / "examples" / f"{name}.py")
        assert len(module.model.items) > 0 and module.time > 0 < module.step
