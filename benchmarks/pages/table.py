"""Numbers and lines of the tables in docs/speed.md."""


def figure(value: float) -> str:
    """Three digits, without an exponent, thousands separated."""
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
