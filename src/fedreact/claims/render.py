"""Claims for readers: Markdown, LaTeX, and a forest plot."""

from collections.abc import Mapping

import pandas as pd

from fedreact import plugins
from fedreact.tables.render import tex

HEADER = ["claim", "source", "outcome", "difference", "detectable", "P", "published"]
COLOURS = {"holds": "#00664b", "fails": "#a33d00", "undecided": "#777777"}
MARKS = {"holds": "o", "fails": "X", "undecided": "s"}
METHOD = (
    "A difference is signed so that positive is what is claimed, paired by seed, with its 95% "
    "interval; over several settings it is their average. A claim that one is better fails if the "
    "interval lies below the smallest difference that matters (the margin), and else holds if it "
    "lies above 0; one of equality holds if it lies within the margin; else this run cannot tell, "
    "nor can one of fewer than three seeds. Of claims about every one of several settings or "
    "methods, each must hold, and one that fails makes the whole fail, whatever the average is. "
    "Detectable: the smallest difference that this run would have shown with a probability of "
    "0.8. P: the probability that the average lies on the claimed side. Published: the same "
    "difference of the paper's values. Lines that begin with if judge the same claim under "
    "another reading of what the paper leaves open (its ledger), on the settings that this is "
    "measured on."
)

TO_A_TARGET = (
    "Claims about what is spent until a score is reached: the score is what the worse of the two "
    "methods has in the end of the same budget, seed by seed, so that both reach it. Curves are "
    "straight between the rounds that are scored. Who has it by the first of these may have spent "
    "anything up to what that round costs: then the interval reaches from the least to the most, "
    "the middle stands for the difference, and there is no P."
)


def counts(table: pd.DataFrame) -> str:
    """How many claims hold, fail, are undecided."""
    whole = _whole(table)
    taken = whole[whole["reading"] == ""]["outcome"].value_counts()
    told = [f"{taken.get(name, 0)} {text}" for name, text in _OUTCOMES.items()]
    return f"Of {len(whole[whole['reading'] == ''])} claims " + ", ".join(told) + "."


_OUTCOMES = {"holds": "hold", "fails": "fail", "undecided": "are undecided"}


def markdown(
    table: pd.DataFrame, claims: Mapping[str, Mapping], title: str, scale: str, notes: list[str]
) -> str:
    """A line for each claim, its readings below it."""
    data = sorted({name for cell in _whole(table)["data"] for name in cell.split(", ")})
    out = [f"# {title}", "", f"Judged on {', '.join(data)} at scale {scale}. {counts(table)}"]
    out += ["", METHOD, "", _row(HEADER), "|---" * len(HEADER) + "|"]
    for line in lines(table, claims):
        of_reading = not line[1]
        out.append(_row([f"*{line[0]}*", *line[1:]] if of_reading else line))
    return "\n".join([*out, *(f"\n{note}" for note in notes)]) + "\n"


def latex(
    table: pd.DataFrame, claims: Mapping[str, Mapping], title: str, scale: str, notes: list[str]
) -> str:
    """The same as ``longtable``; it needs the packages booktabs and longtable."""
    header = [name for name in HEADER if name != "source"]
    out = [r"\begin{scriptsize}\setlength{\tabcolsep}{3pt}"]
    out += [r"\begin{longtable}{p{.3\linewidth}lp{.17\linewidth}rrr}"]
    out += [rf"\caption{{{tex(f'{title}, scale {scale}. {counts(table)}')}}}\\", r"\toprule"]
    out += [" & ".join(header) + r" \\", r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
    for told, source, *rest in lines(table, claims):
        out.append(" & ".join(map(tex, [f"{told} ({source})" if source else told, *rest])) + r" \\")
    out += [r"\end{longtable}", *(rf"\par {tex(note)}" for note in [METHOD, *notes])]
    return "\n".join([*out, r"\end{scriptsize}"]) + "\n"


def lines(table: pd.DataFrame, claims: Mapping[str, Mapping]) -> list[list[str]]:
    """Texts under :data:`HEADER`."""
    found = []
    for cell in _whole(table).to_dict("records"):
        of, decimals = claims[cell["claim"]], _decimals(cell["metric"])
        told, source = (
            (f"if {cell['reading']}", "") if cell["reading"] else (of["claim"], of["source"])
        )
        numbers = [_signed(cell[key], decimals) for key in ("difference", "ci_low", "ci_high")]
        difference = f"{numbers[0]} ({numbers[1]} to {numbers[2]})" if numbers[1] else numbers[0]
        detectable = _signed(cell["detectable"], decimals).lstrip("+")
        probability = "" if pd.isna(cell["probability"]) else f"{cell['probability']:.3f}"
        published = _signed(cell["published"], decimals)
        found.append(
            [told, source, cell["outcome"], difference, detectable, probability, published]
        )
    return found


def forest(table: pd.DataFrame, claims: Mapping[str, Mapping], title: str):
    """Draw each claim's difference with its interval, and the published one; a panel a metric."""
    import textwrap

    from matplotlib.figure import Figure

    from fedreact.figures import style

    whole = _whole(table)
    whole = whole[whole["reading"] == ""]
    panels = [part for _, part in whole.groupby("metric", sort=False)]
    heights = [len(part) + 1.2 for part in panels]
    figure = Figure((9, 0.34 * sum(heights) + 1.2), layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    figure.suptitle(textwrap.fill(title, 110), fontsize=9, x=0.01, ha="left")
    for axis, part in zip(axes, panels):
        labels = []
        for y, cell in enumerate(part.to_dict("records")):
            colour = COLOURS[cell["outcome"]]
            axis.plot([cell["ci_low"], cell["ci_high"]], [y, y], color=colour, linewidth=2)
            axis.plot(cell["difference"], y, MARKS[cell["outcome"]], color=colour, markersize=6)
            if cell["published"] is not None and not pd.isna(cell["published"]):
                axis.plot(cell["published"], y, "D", color="black", fillstyle="none", markersize=5)
            labels.append(textwrap.fill(claims[cell["claim"]]["claim"], 62))
        name = plugins.load("metrics", part["metric"].iloc[0], "METRIC").title
        style.forest(axis, labels, f"{name}: difference, positive as claimed")
    for name in _OUTCOMES:
        axes[0].plot([], [], MARKS[name], color=COLOURS[name], label=name)
    axes[0].plot([], [], "D", color="black", fillstyle="none", label="published")
    axes[0].legend(fontsize=6, ncols=4, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    return figure


def _whole(table):
    """Lines of whole claims, with those of their readings."""
    return table[table["at"].isna() | (table["at"] == "")]


def _decimals(metric):
    return plugins.load("metrics", metric, "METRIC").decimals + 1


def _signed(value, decimals):
    return "" if value is None or pd.isna(value) else f"{value:+.{decimals}f}"


def _row(texts):
    return "| " + " | ".join(text.replace("|", r"\|") for text in texts) + " |"
