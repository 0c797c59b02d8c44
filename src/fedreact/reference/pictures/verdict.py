"""Fed-REACT minus IFCA, FLSC and FLACC, over the local steps that these take in a round."""

from matplotlib.figure import Figure

from fedreact.reference.docs import Row
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

SEARCH, HEADS = "searches/search.csv", "searches/heads.csv"
VARIED = ("learning_rate", "steps")
SETTING = "stationary10+validate=true"
TABLE, ROW, OURS = "table05", "RTD - 10 clients (Stationary)", "Fed-REACT w/ A1"
RATES = ["#9CCBE8", "#3B93C7", "#004C7F"]  # light to dark, as the rate rises


def draw(runs: KeptRuns) -> Figure:
    """Draw a panel a baseline and a line a learning rate."""
    run = runs.run("fed_react", having=SEARCH)
    ours = run.lines(HEADS, method="fed-react-a1")[0][SETTING]
    n = run.line(TABLE, ROW, OURS, "accuracy")["n_seeds"]
    figure, axes = marks.canvas(
        3.7,
        "Accuracy of Fed-REACT (A1) minus that of three baselines, by the baselines' local steps",
        f"Digits (pendigits), 10 clients, scale {run.scale}. Lines: the search of options, on "
        "held-back train samples, mean over seeds that no table uses. Black dots: Table 5 with the "
        f"chosen options, on test samples, {n:.0f} seeds, 95% interval.",
        ncols=3,
        sharey=True,
    )
    for panel, name in zip(axes.flat, marks.CLUSTERED):
        lines = run.lines(SEARCH, method=name.lower())
        chosen = next(_options(line) for line in lines if line["taken"] == "True")
        accuracies = _search(lines, chosen)
        steps = sorted({step for _, step in accuracies})
        for colour, rate in zip(RATES, sorted({rate for rate, _ in accuracies})):
            panel.plot(
                range(len(steps)),
                [ours - accuracies[rate, step] for step in steps],
                label=f"learning rate {rate:g}",
                color=colour,
                marker="o",
                markersize=5,
                linewidth=1.8,
            )
        cell = run.line(TABLE, ROW, name, "accuracy")
        x = steps.index(float(chosen["steps"])) + 0.17
        panel.plot([x, x], [-cell["gap_high"], -cell["gap_low"]], color="black", linewidth=1.3)
        panel.plot(x, -cell["gap"], "o", color="black", markersize=5, label="Table 5, as chosen")
        panel.axhline(0, color="#666666", linewidth=1)
        panel.axhline(-cell["gap_published"], color="black", linewidth=1, dashes=(4, 3))
        panel.plot(
            -0.3, -cell["gap_published"], color="black", label="published", **marks.PUBLISHED
        )
        marks.name(panel, f"minus {name}")
        panel.set_xticks(range(len(steps)), [f"{step:g}" for step in steps])
        panel.set(xlim=(-0.4, len(steps) - 0.6), xlabel="local steps of the baseline in a round")
    axes[0, 0].set_ylabel("difference in accuracy\nabove 0: Fed-REACT ahead")
    marks.legend(figure, axes.flat, 5)
    return figure


def _search(lines: list[Row], chosen: dict[str, str]) -> dict[tuple[float, float], float]:
    """Return accuracies by learning rate and steps, where all other options are as chosen."""
    accuracies = {}
    for line in lines:
        options = _options(line)
        rate, steps = (float(options[name]) for name in VARIED)
        if options == chosen | {name: options[name] for name in VARIED}:
            accuracies[rate, steps] = line[SETTING]
    return accuracies


def _options(line: Row) -> dict[str, str]:
    """Return the options of a variant, e.g. of ``ifca+steps=1+start=random``."""
    pairs = (part.partition("=") for part in line["variant"].split("+")[1:])
    return {name: value for name, _, value in pairs}
