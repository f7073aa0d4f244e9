"""What `repr(run)` says: method, times, bodies, joints, energy, and how well the joints held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.model import html

if TYPE_CHECKING:
    from linkwork.results.result import Result


def summary(result: Result) -> str:
    """The lines of it; violation is told where it is known already, since it takes time."""
    title, rows = summary_rows(result)
    return "\n".join([title, *(f"  {word:<9}  {text}" for word, text in rows)])


def summary_html(result: Result) -> str:
    """The same for notebooks."""
    title, rows = summary_rows(result)
    return html.title(title) + html.pairs(rows)


def summary_rows(result: Result) -> tuple[str, list[tuple[str, str]]]:
    """A title, and pairs of word and text."""
    info, time = result.info, result.time

    def listed(names: tuple[str, ...]) -> str:
        shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
        return f"{len(names)} ({shown})" if names else "none"

    method = ", ".join(
        text for text in (
            str(info["method"]) if info.get("method") else "",
            f"h = {info['h']:g} s" if isinstance(info.get("h"), (int, float)) else "",
        ) if text
    )  # fmt: skip
    total = result._energies["total"][0]
    energy = f"{total[0]:.6g} → {total[-1]:.6g} J"
    if "balance" in result._energies:
        energy += f", largest imbalance {np.abs(result._energies['balance'][0]).max():.2g} J"
    ended = f", ended by {info['ended_by']}" if info.get("ended_by") else ""
    title = f"Result of '{info['model']}'" + (f": {method}" if method else "")
    rows = [
        ("time", f"{time[0]:g} … {time[-1]:g} s, {len(time)} stored{ended}"),
        ("bodies", listed(result.system.names)),
        ("joints", listed(result.joints)),
        ("energy", energy),
    ]
    if nodes := result.system.layout.nodes:
        rows.insert(3, ("nodes", listed(tuple(node.label for node in nodes))))
    if "_violations" in vars(result) and result.joints:
        position, velocity = (x.max() for x in result._violations)
        rows.append(("violation", f"{position:.2g} in position, {velocity:.2g} in velocity"))
    if isinstance(info.get("seconds"), (int, float)):
        after = info.get("reaction_seconds")
        planar = result.system.model.planar is not None  # then joints share what holds the plane
        whose = "that joints share" if planar else "of redundant joints"
        more = "" if after is None else f", and {after:.3g} s for reactions {whose}"
        rows.append(("took", f"{info['seconds']:.3g} s{more}"))
    notes = info.get("notes") or []
    rows += [("note", note) for note in ([notes] if isinstance(notes, str) else notes)]
    return title, rows
