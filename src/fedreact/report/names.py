"""What tables, figures and numbers are called where people read them."""

import re

PRINTED = re.compile(r"^(?:(?P<version>.+)_)?(?P<what>table|fig)(?P<number>\d+(?:_\d+)*)(?:_.+)?$")
WHAT = {"table": "Table", "fig": "Figure"}


def printed(name: str) -> str:
    """What a paper calls a table or figure of this name, e.g. ``Table 5.1``; empty if it has none.

    Parameters
    ----------
    name
        In the paper's files: ``table05``, ``table5_1``, ``iclr_fig02``, ``table5_1_recall``.
    """
    found = PRINTED.match(name)
    if not found:
        return ""
    number = ".".join(str(int(part)) for part in found["number"].split("_"))
    version = f" ({found['version'].upper()})" if found["version"] else ""
    return f"{WHAT[found['what']]} {number}{version}"


def number(value: float | None, decimals: int, sign: str = "") -> str:
    """A number as a text; nothing for none."""
    if value is None or value != value:
        return ""
    text = f"{value:{sign},.{decimals}f}"
    return text.replace("-", "−")


def interval(low: float | None, high: float | None, decimals: int, sign: str = "") -> str:
    """An interval as a text; nothing for none."""
    if low is None or low != low:
        return ""
    between = " to " if sign or low < 0 else "–"
    return f"{number(low, decimals, sign)}{between}{number(high, decimals, sign)}"
