"""Films of a run without a display: .mp4 by ffmpeg, .gif by Pillow; pictures by `picture`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.results.files.file import check_writable
from linkwork.results.result import Result
from linkwork.view.camera import following, shot, way_of
from linkwork.view.drawing import draw
from linkwork.view.pages.offline import HIDDEN, played_frames, speed_words
from linkwork.view.pictures.picture import Studio, check_size

if TYPE_CHECKING:
    from PIL.Image import Image

KINDS = (".mp4", ".gif")
SMOOTHEST = 50.0  # pictures per second that a .gif can have
PALETTE, TOLD = 192, 8  # colours of a .gif, and of how many of its pictures they are taken


@dataclass(frozen=True)
class Film:
    """A film that was written; a notebook shows it."""

    path: Path
    pictures: int
    size: tuple[int, int]

    def _repr_html_(self) -> str:
        import base64

        data = base64.b64encode(self.path.read_bytes()).decode("ascii")
        if self.path.suffix.lower() == ".gif":
            return f'<img src="data:image/gif;base64,{data}">'
        return (
            '<video controls autoplay loop muted style="max-width:100%">'
            f'<source src="data:video/mp4;base64,{data}" type="video/mp4"></video>'
        )

    def __repr__(self) -> str:
        w, h = self.size
        return f"film of {self.pictures} pictures, {w} × {h} pixels, in '{self.path}'"


def animate(
    result: Result, path: Any, *, fps: float | None = None, speed: float | None = None,
    reactions: bool = False, size: Any = None, side: str = "home", follow: str | None = None,
    title: str = "", traces: Any = (), other: Result | None = None, colours: str | None = None,
) -> Film:  # fmt: skip
    """Write a film of the result; see `Result.animate`."""
    target = check_writable(path)
    gif = target.suffix.lower() == ".gif"
    size = check_size(size if size is not None else (640, 360) if gif else (1280, 720))
    rate = fps if fps is not None else 20.0 if gif else 30.0
    rate = min(rate, SMOOTHEST) if gif else rate
    write = None if gif else encoder(target, size, rate)
    frames, speed = played_frames(result, rate, speed)
    drawing = draw(result, np.unique(frames), title, traces=traces, other=other, colours=colours)
    numbers = np.searchsorted(np.unique(frames), frames)  # where few times are stored, they stay
    look = shot(drawing, side, follow)
    way = way_of(drawing, follow)
    studio = Studio(drawing, size, HIDDEN if reactions else (*HIDDEN, "reactions"), look)

    def pictures() -> Iterator[Image]:
        taken: tuple[int, Image] | None = None
        for i in map(int, numbers):
            if taken is None or taken[0] != i:
                words = f"{drawing.title}   {drawing.when(i)}{speed_words(speed)}"
                taken = i, studio.take(i, following(look, way, i), words)
            yield taken[1]

    if write is None:
        write_gif(target, list(pictures()), rate)
    else:
        for image in pictures():
            write.send(image.tobytes())
        write.close()
    return Film(target, len(numbers), size)


def encoder(target: Path, size: tuple[int, int], fps: float) -> Any:
    """A generator that takes the bytes of one picture after the other."""
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise LinkworkError(
            f"an .mp4 film needs the package imageio-ffmpeg ({error}); install it with: "
            "pip install 'linkwork[video]', or write a .gif"
        ) from None
    write = imageio_ffmpeg.write_frames(
        str(target), size, fps=fps, quality=8, macro_block_size=2, ffmpeg_log_level="error"
    )
    write.send(None)
    return write


def write_gif(target: Path, pictures: list[Image], fps: float) -> None:
    """One palette for all pictures, so that colours do not flicker."""
    from PIL import Image

    some = [pictures[k] for k in np.unique(np.linspace(0, len(pictures) - 1, TOLD).astype(int))]
    sheet = Image.new("RGB", (some[0].width, sum(p.height for p in some)))
    for k, one in enumerate(some):
        sheet.paste(one, (0, k * one.height))
    palette = sheet.quantize(PALETTE, dither=Image.Dither.NONE)
    first, *others = (p.quantize(palette=palette, dither=Image.Dither.NONE) for p in pictures)
    first.save(
        target, save_all=True, append_images=others, duration=round(1000 / fps), loop=0,
        optimize=False,
    )  # fmt: skip
