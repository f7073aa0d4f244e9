"""What `repr(run)` says: method, times, bodies, joints, energy, and how well the joints held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from linkwork.results.result import Result


def summary(result: Result) -> str:
    """The lines of it; violation is told where it is known already, since it takes time."""
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
    lines = [
        f"Result of '{info['model']}'" + (f": {method}" if method else ""),
        f"  time       {time[0]:g} … {time[-1]:g} s, {len(time)} stored",
        f"  bodies     {listed(result.system.names)}",
        f"  joints     {listed(result.joints)}",
        f"  energy     {energy}",
    ]
    if "_violations" in vars(result) and result.joints:
        position, velocity = (x.max() for x in result._violations)
        lines.append(f"  violation  {position:.2g} in position, {velocity:.2g} in velocity")
    if isinstance(info.get("seconds"), (int, float)):
        after = info.get("reaction_seconds")
        more = "" if after is None else f", and {after:.3g} s for reactions of redundant joints"
        lines.append(f"  took       {info['seconds']:.3g} s{more}")
    notes = info.get("notes") or []
    lines += [f"  note       {note}" for note in ([notes] if isinstance(notes, str) else notes)]
    return "\n".join(lines)
