"""Names of tables and figures, and numbers as texts, for readers."""

import re

PRINTED = re.compile(r"^(?:(?P<version>.+)_)?(?P<what>table|fig)(?P<number>\d+(?:_\d+)*)(?:_.+)?$")
WHAT = {"table": "Table", "fig": "Figure"}


def printed(name: str) -> str:
    """Return the paper's name of a table or figure, e.g. ``Table 5.1``; empty if it has none.

    Parameters
    ----------
    name
        Name in the paper's files: ``table05``, ``table5_1``, ``iclr_fig02``, ``table5_1_recall``.
    """
    match = PRINTED.match(name)
    if not match:
        return ""
    number = ".".join(str(int(part)) for part in match["number"].split("_"))
    version = f" ({match['version'].upper()})" if match["version"] else ""
    return f"{WHAT[match['what']]} {number}{version}"


def number(value: float | None, decimals: int, sign: str = "") -> str:
    """Write a number as a text; empty if there is none."""
    if value is None or value != value:
        return ""
    text = f"{value:{sign},.{decimals}f}"
    return text.replace("-", "−")


def interval(low: float | None, high: float | None, decimals: int, sign: str = "") -> str:
    """Write an interval as a text; empty if there is none."""
    if low is None or low != low:
        return ""
    between = " to " if sign or low < 0 else "–"
    return f"{number(low, decimals, sign)}{between}{number(high, decimals, sign)}"
