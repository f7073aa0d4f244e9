"""Settings of the documentation site: `make docs` builds it into docs/_build/html."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import linkwork

project = "linkwork"
author = "the linkwork developers"
copyright = f"{author}, BSD 3-Clause licence"
release = version = linkwork.__version__

extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "images/README.md"]

html_theme = "furo"
html_title = f"linkwork {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["_pages"]  # animations of the gallery
Path(__file__).parent.joinpath("_pages").mkdir(exist_ok=True)


def write_pages(app: object) -> None:
    from docs.site.api_pages import write_api
    from docs.site.gallery_pages import write_gallery

    write_api(Path(__file__).parent / "api")
    write_gallery(Path(__file__).parent / "gallery", Path(__file__).parent / "_pages")


def setup(app: object) -> None:
    app.connect("builder-inited", write_pages)  # type: ignore[attr-defined]
