"""One file with the moving mechanism: the viewer's own page with the recorded scene inside."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.results.result import Result
from linkwork.view.drawing import draw
from linkwork.view.pages.stage import Stage, serve, stop
from linkwork.view.scene import Drawing, nearest

LONGEST = 60.0  # seconds that a run is played at true speed
CLOCK = """<script>
(() => {  // the page counts in seconds of the model
  const speed = SPEED, real = Date.now.bind(Date), start = real();
  if (speed !== 1) Date.now = () => start + speed * (real() - start);
  setInterval(() => {
    const slider = document.querySelector("[role=slider]");
    const bar = slider && slider.closest(".mantine-Paper-root");
    if (!bar) return;
    let clock = bar.querySelector(".model-time");
    if (!clock) {
      clock = document.createElement("span");
      clock.className = "model-time";
      clock.style.cssText = "font: 0.8em monospace; min-width: 8em; text-align: center";
      const plain = bar.querySelector(".mantine-NumberInput-root");
      if (plain) { plain.style.display = "none"; plain.before(clock); } else bar.prepend(clock);
    }
    const t = parseFloat(slider.getAttribute("aria-valuenow"));
    clock.textContent = WORDS;
  }, 50);
})();
</script>"""
HIDDEN = ("inertia", "markers", "names")


@dataclass(frozen=True)
class Page:
    """A page that was written; a notebook shows it."""

    path: Path | None
    text: str

    def _repr_html_(self, height: int = 480) -> str:
        inside = html.escape(self.text, quote=True)
        return (
            f'<iframe srcdoc="{inside}" width="100%" height="{height}" '
            'style="border:1px solid #ddd"></iframe>'
        )

    def __repr__(self) -> str:
        size = len(self.text) / 1e6
        return f"page of {size:.1f} MB" + (f" in '{self.path}'" if self.path else "")


def animate(
    result: Result, path: Any = None, *, fps: float = 30.0, speed: float | None = None,
    reactions: bool = False, title: str = "", hidden: tuple[str, ...] = HIDDEN, traces: Any = (),
    other: Result | None = None, follow: str | None = None, colours: str | None = None,
) -> Page:  # fmt: skip
    """Write a page that plays the result; see `Result.animate`."""
    target = _target(path)
    frames, speed = played_frames(result, fps, speed)
    drawing = draw(result, np.unique(frames), title, traces=traces, other=other, colours=colours)
    text = page(drawing, speed, hidden if reactions else (*hidden, "reactions"), follow)
    if target is not None:
        target.write_text(text, encoding="utf-8")
    return Page(target, text)


def played_frames(result: Result, fps: float, speed: float | None) -> tuple[np.ndarray, float]:
    """Numbers of the stored times to show, `fps` for a second of playing, and the speed."""
    fps = checks.number(fps, "fps", positive=True)
    begin, end = float(result.time[0]), float(result.time[-1])
    if speed is None:
        speed = playing_speed(end - begin)
    speed = checks.number(speed, "speed", positive=True)
    n = max(1, round(fps * (end - begin) / speed)) + 1 if end > begin else 1
    return nearest(result.time, np.linspace(begin, end, n)), speed


def playing_speed(duration: float) -> float:
    """True speed up to a minute, else a 1-2-5 factor that makes it about ten seconds."""
    if duration <= LONGEST:
        return 1.0
    return round_factor(duration / 10.0)


def round_factor(wanted: float) -> float:
    """1, 2 or 5 times a power of ten."""
    decade = 10.0 ** np.floor(np.log10(wanted))
    return float(decade * min((1, 2, 5, 10), key=lambda f: abs(np.log(f * decade / wanted))))


def page(
    drawing: Drawing, speed: float, hidden: tuple[str, ...], follow: str | None = None
) -> str:
    """The page as text."""
    server = serve("127.0.0.1", 0)
    try:
        stage = Stage(server, drawing, hidden, follow=follow)
        _caption(stage, speed)
        recording = server.get_scene_serializer()
        times = drawing.time - drawing.time[0]
        for i in range(1, len(times)):
            recording.insert_sleep(float(times[i] - times[i - 1]))
            stage.move(i)
        if len(times) > 1:
            recording.insert_sleep(float(min(times[-1] - times[-2], 0.1 * speed)))
        text = recording.as_html()
    finally:
        stop(server)
    if len(times) > 1:
        end = text.index("</head>")
        text = text[:end] + _own_clock(drawing, speed) + text[end:]
    name = html.escape(drawing.title)
    return re.sub(r"<title>.*?</title>", lambda _: f"<title>{name}</title>", text, count=1)


def _caption(stage: Stage, speed: float) -> None:
    """The title at the lower edge of the picture; the time is beside the slider."""
    moves = len(stage.drawing.time) > 1
    stage.scene.add_label(
        "/title", stage.drawing.title + (speed_words(speed) if moves else ""),
        position=tuple(stage.shot.caption), font_screen_scale=1.1, anchor="center-center",
    )  # fmt: skip


def speed_words(speed: float) -> str:
    """How much slower or faster than in truth."""
    if speed == 1:
        return ""
    return f"   ({1 / speed:g} times slower)" if speed < 1 else f"   ({speed:g} times faster)"


def _own_clock(drawing: Drawing, speed: float) -> str:
    """A script: the slider counts model time, and says it with enough digits (or the phase)."""
    begin, digits = float(drawing.time[0]), drawing.digits
    words = f'"t = " + (t + {begin!r}).toFixed({digits}) + " s"'
    if drawing.period is not None:
        words = f'"phase " + (360 * t / {drawing.period!r}).toFixed(0) + "°"'
    return CLOCK.replace("SPEED", repr(float(speed))).replace("WORDS", words)


def _target(path: Any) -> Path | None:
    from linkwork.results.files.file import check_writable

    if path is None:
        return None
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ModelError(
            f"animate writes a page for the browser (.html) or a film (.mp4, .gif); give a name "
            f"that ends with one of these, not '{target.name}'"
        )
    check_writable(target)
    return target
