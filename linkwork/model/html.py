"""Small pieces of HTML for notebooks: a title, pairs of word and text, tables of numbers."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

LEFT = "text-align:left;padding:2px 12px 2px 0"
RIGHT = "text-align:right;padding:2px 12px 2px 0;font-variant-numeric:tabular-nums"


def title(text: str) -> str:
    return f"<div style='font-weight:600;margin:4px 0'>{html.escape(text)}</div>"


def note(text: str) -> str:
    return f"<div style='margin:2px 0'>{html.escape(text)}</div>"


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """Words and what belongs to them, one line each."""
    cells = "".join(
        f"<tr><th style='{LEFT}'>{html.escape(word)}</th>"
        f"<td style='{LEFT}'>{html.escape(text)}</td></tr>"
        for word, text in rows
    )
    return f"<table>{cells}</table>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: bool = True) -> str:
    """A table whose first column is names and whose others are numbers (right) or texts."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(
            f"<{tag} style='{RIGHT if right and k else LEFT}'>{html.escape(str(cell))}</{tag}>"
            for k, cell in enumerate(cells)
        ) + "</tr>"  # fmt: skip

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"


def folded(words: str, text: str) -> str:
    """Plain text that opens on a click."""
    inside = f"<summary>{html.escape(words)}</summary><pre>{html.escape(text)}</pre>"
    return f"<details>{inside}</details>"
