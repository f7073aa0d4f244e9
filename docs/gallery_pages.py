"""The gallery: every script of examples/ is run once; its picture, its text and an animation."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import shutil
import warnings
from pathlib import Path
from types import ModuleType

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from api_pages import paragraphs, write

import linkwork as lw

EXAMPLES = Path(__file__).parent.parent / "examples"
FEW = 12  # bodies up to which an example is animated


def write_gallery(folder: Path, pages: Path) -> None:
    """Write one page per example and an index with all pictures."""
    folder.mkdir(exist_ok=True)
    index = ["# Gallery", "", "Made by running `examples/`. Each script checks its numbers against",
             "a closed form or a publication.", "", ":::::{container} gallery"]  # fmt: skip
    names = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    for name in names:
        picture, text = folder / f"{name}.png", folder / f"{name}.txt"
        source = EXAMPLES / f"{name}.py"
        if not text.exists() or text.stat().st_mtime < source.stat().st_mtime:
            module = load(source)
            said = run(module, name, picture)
            animate(module, pages / f"{name}.html")
            text.write_text(said, encoding="utf-8")
        title, words = describe(source)
        index += ["::::{container} card", f"[![{title}]({name}.png)]({name}.md)", "",
                  f"[{title}]({name}.md)", "::::"]  # fmt: skip
        write(folder / f"{name}.md", page(name, title, words, text.read_text(encoding="utf-8"),
                                          (pages / f"{name}.html").exists(),
                                          further(folder, name)))  # fmt: skip
    entries = [f"{name.replace('_', ' ').capitalize()} <{name}>" for name in names]
    index += [":::::", "", "```{toctree}", ":hidden:", "", *entries, "```", ""]
    write(folder / "index.md", "\n".join(index))


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"gallery_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(module: ModuleType, name: str, picture: Path) -> str:
    """Run an example in a folder of its own; keep its picture and what it prints."""
    import tempfile

    here, said = Path.cwd(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)  # for some they are the point
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(said):
                module.main(plot=True)
            for made in Path("examples/output").glob(f"{name}*.png"):
                shutil.copyfile(made, picture.parent / made.name)
        finally:
            os.chdir(here)
            plt.close("all")
    return said.getvalue()


def animate(module: ModuleType, target: Path) -> None:
    """The motion with the time, step and method that the example gives `linkwork run`."""
    if len([x for x in module.model.items.values() if isinstance(x, lw.Body)]) > FEW:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        words = {"method": module.method} if hasattr(module, "method") else {}
        motion = lw.transient(module.model, t=module.time, h=module.step, progress=False, **words)
        motion.animate(target, fps=20)


def describe(source: Path) -> tuple[str, str]:
    """Title and text of a script's docstring."""
    import ast

    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or source.stem
    first, _, rest = text.partition("\n\n")
    return " ".join(first.split()).rstrip("."), rest


def further(folder: Path, name: str) -> list[str]:
    """Pictures of an example besides the one that bears its name: NAME_WHAT.png."""
    return sorted(path.stem for path in folder.glob(f"{name}_*.png"))


def page(
    name: str, title: str, words: str, said: str, animated: bool, more: list[str]
) -> str:
    link = f'<a href="../{name}.html">{name}.html</a>'
    play = [f"Play it: {link}, a file that also works offline.", ""]
    return "\n".join([
        f"# {title}", "", *paragraphs(words), f"![{title}]({name}.png)", "",
        *(line for m in more for line in (f"![{m.replace('_', ' ')}]({m}.png)", "")),
        *(play if animated else []), "It says:", "", "```text", said.rstrip(), "```", "",
        "```{literalinclude} ../../examples/" + f"{name}.py", ":language: python", "```", "",
    ])  # fmt: skip
