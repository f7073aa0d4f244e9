"""The gallery: every script of examples/ is run once; its plot, its text, a picture of the
mechanism that moves under the mouse, and a page to play."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import multiprocessing
import os
import shutil
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import linkwork as lw
from docs.site.api_pages import paragraphs, write
from docs.site.gallery_subjects import by_subject
from linkwork.view.pages.offline import round_factor

logging.getLogger("websockets").setLevel(logging.WARNING)  # of the viewer that records pages

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FEW = 40  # bodies up to which an example is animated
FILM = 4.0  # seconds of a film on a card
SHORT = 0.5  # times as long as that, a run is slowed down on its page too


def write_gallery(folder: Path, pages: Path) -> None:
    """Write one page per example and an index with all pictures."""
    folder.mkdir(exist_ok=True)
    index = ["# Gallery", "", "Made by running `examples/`. Each script checks its numbers against",
             "a closed form or a publication.", ""]  # fmt: skip
    subjects = by_subject(sorted(path.stem for path in EXAMPLES.glob("*.py")))
    names = [name for group in subjects.values() for name in group]
    run_examples([name for name in names if is_new(folder, name)], folder, pages)
    for subject, group in subjects.items():
        index += [f"## {subject}", "", ":::::{container} gallery"]
        index += [line for name in group for line in write_example(folder, pages, name)]
        index += [":::::", ""]
    entries = [f"{name.replace('_', ' ').capitalize()} <{name}>" for name in names]
    index += ["```{toctree}", ":hidden:", "", *entries, "```", ""]
    write(folder / "index.md", "\n".join(index))


def write_example(folder: Path, pages: Path, name: str) -> list[str]:
    """Write the page of an example that was run; the lines of its card in the index."""
    title, words = describe(EXAMPLES / f"{name}.py")
    said, played = (folder / f"{name}.txt").read_text(encoding="utf-8"), pages / f"{name}.html"
    text = page(name, title, words, said, played.exists(), further(folder, name))
    write(folder / f"{name}.md", text)
    return ["::::{container} card", *card(pages, name, title), "", f"[{title}]({name}.md)", "::::"]


def is_new(folder: Path, name: str) -> bool:
    """Whether an example was changed since its page was made."""
    text, source = folder / f"{name}.txt", EXAMPLES / f"{name}.py"
    return not text.exists() or text.stat().st_mtime < source.stat().st_mtime


def run_examples(names: list[str], folder: Path, pages: Path) -> None:
    """All of them, as many at a time as there are processors; the first failure is raised."""
    processes = min(len(names), os.cpu_count() or 1)
    if processes == 0:
        return
    spawn = multiprocessing.get_context("spawn")  # a copy of this process would share its threads
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        made = [pool.submit(run_example, name, folder, pages) for name in names]
        for name, result in zip(names, made):
            try:
                result.result()
            except Exception as error:
                pool.shutdown(cancel_futures=True)
                raise RuntimeError(f"examples/{name}.py failed: {error}") from error


def run_example(name: str, folder: Path, pages: Path) -> None:
    """Plot, page, picture and film of one example; its text is written last."""
    module = load(EXAMPLES / f"{name}.py")
    said = run(module, name, folder / f"{name}.png")
    animate(module, pages, name)
    (folder / f"{name}.txt").write_text(said, encoding="utf-8")


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


def animate(module: ModuleType, pages: Path, name: str, film: float = FILM) -> None:
    """The motion with the time, step and method that the example gives `linkwork run`: a page, a
    picture a third of the way, and a film of it."""
    if len([x for x in module.model.items.values() if isinstance(x, lw.Body)]) > FEW:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        words = {"method": module.method} if hasattr(module, "method") else {}
        motion = lw.transient(module.model, t=module.time, h=module.step, progress=False, **words)
        paths = {"traces": getattr(module, "traces", ())}
        speed = max(float(motion.time[-1] - motion.time[0]) / film, 1e-9)
        slowed = round_factor(speed) if speed < SHORT else None
        motion.animate(pages / f"{name}.html", fps=20, speed=slowed, **paths)
        look = {"size": (400, 260), **paths}
        third = float(motion.time[len(motion) // 3])
        motion.picture(pages / f"{name}-3d.png", t=third, text=False, **look)
        motion.animate(pages / f"{name}-3d.gif", fps=12, speed=speed, **look)


def card(pages: Path, name: str, title: str) -> list[str]:
    """The mechanism, moving under the mouse; the plot where there is no picture of it."""
    if not (pages / f"{name}-3d.png").exists():
        return [f"[![{title}]({name}.png)]({name}.md)"]
    still, moving = f"../{name}-3d.png", f"../{name}-3d.gif"
    return [
        "```{raw} html",
        f'<a href="{name}.html"><img src="{still}" alt="{title}" '
        f"onmouseover=\"this.src='{moving}'\" onmouseout=\"this.src='{still}'\"></a>", "```",
    ]  # fmt: skip


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
    play = [
        "```{raw} html",
        f'<iframe src="../{name}.html" width="100%" height="420" loading="lazy" '
        'style="border:1px solid #ddd"></iframe>', "```", "",
        f"The page alone: {link}, a file that also works offline.", "",
    ]  # fmt: skip
    return "\n".join([
        f"# {title}", "", *paragraphs(words), f"![{title}]({name}.png)", "",
        *(line for m in more for line in (f"![{m.replace('_', ' ')}]({m}.png)", "")),
        *(play if animated else []), "Printed output:", "", "```text", said.rstrip(), "```", "",
        "```{literalinclude} ../../examples/" + f"{name}.py", ":language: python", "```", "",
    ])  # fmt: skip
