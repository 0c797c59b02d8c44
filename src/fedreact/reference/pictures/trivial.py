"""Error of each task's methods, relative to that of the best predictor without a model."""

from dataclasses import dataclass
from typing import Any

from fedreact.metrics.grammar import load_metric
from fedreact.reference.pictures import marks


@dataclass(frozen=True)
class Task:
    """A row of a table with methods and predictors without a model."""

    label: str
    paper: str
    table: str
    row: str
    metric: str
    ours: str


TASKS = (
    Task(
        "EEG, left or right (benchmark)",
        "grand",
        "grand_all",
        "EEG, drawn clusters",
        "accuracy",
        "Fed-REACT",
    ),
    Task(
        "Images, two kinds (FedAT)",
        "fedat",
        "fedat_table7_1",
        "Fashion-MNIST #2",
        "accuracy",
        "FedAT",
    ),
    Task(
        "Images, drifting (FedConD)",
        "fedcond",
        "fedcond_table6_1",
        "Fashion-MNIST",
        "accuracy",
        "FedConD",
    ),
    Task("Contexts (ASO-Fed)", "aso_fed", "aso_fed_table5_1_f1", "ExtraSensory", "f1", "ASO-Fed"),
    Task("Contexts (FATHOM)", "fathom", "fathom_table4_1", "ExtraSensory", "f1", "FATHOM"),
    Task("Contexts (M-Att)", "m_att", "m_att_table3_2", "Average", "f1", "M-Att"),
    Task(
        "Air quality (ASO-Fed)",
        "aso_fed",
        "aso_fed_table5_1_smape",
        "Air Quality",
        "smape",
        "ASO-Fed",
    ),
    Task(
        "Air quality (FATHOM)", "fathom", "fathom_table4_1_smape", "Air Quality", "smape", "FATHOM"
    ),
    Task("Workouts (ASO-Fed)", "aso_fed", "aso_fed_table5_1_smape", "FitRec", "smape", "ASO-Fed"),
)
SCORES = {"accuracy": "accuracy", "f1": "F1", "smape": "SMAPE"}
VEHICLES = "Charge of vehicles (Fed-REACT)"


def draw(kept):
    """Draw a line of dots a task, on a logarithmic axis with 1 marked."""
    tasks = {task.label: _task(kept, task) for task in TASKS}
    tasks[VEHICLES] = _vehicles(kept.run("fed_react"))
    scales = sorted({kept.run(task.paper).scale for task in TASKS})
    figure, axes = marks.canvas(
        4.5,
        "Error of the methods, relative to the best predictor without a model",
        f"Scale {', '.join(scales)}. Error is 1 minus accuracy or F1, SMAPE or RMSE. Right of 1, "
        "predicting without a model does better. Lines: 95% intervals over seeds.",
    )
    panel = axes[0, 0]
    for y, (methods, ours, (_, error, _)) in enumerate(tasks.values()):
        best = min(methods, key=lambda name: methods[name]["mean"])
        for name, line in methods.items():
            if name not in (ours, best):
                panel.plot(
                    line["mean"] / error,
                    y,
                    linestyle="none",
                    label="another method",
                    **marks.OTHER,
                    alpha=0.5,
                    markersize=4.5,
                )
        if best != ours:
            look: dict[str, Any] = {"color": "#444444", "marker": "o", "label": "best method"}
            marks.across(panel, y, _relative(methods[best], error), zorder=3, **look)
        look = marks.OURS | {"label": "method of the paper", "zorder": 3}
        marks.across(panel, y, _relative(methods[ours], error), **look)
    panel.axvline(1, color=marks.TRIVIAL["color"], linewidth=1.6, label="best without a model")
    panel.set_xscale("log")
    ticks = [0.25, 0.5, 1, 2, 5, 10, 20, 40]
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    marks.rows(
        panel,
        [f"{label}\n{trivial}: {shown}" for label, (_, _, (trivial, _, shown)) in tasks.items()],
        8,
    )
    panel.set_xlabel("error relative to the best predictor without a model (logarithmic)")
    marks.legend(figure, [panel], 4)
    return figure


def _task(kept, task):
    """Errors of methods, the paper's own, and the best trivial predictor: name, error, score."""
    metric = load_metric(task.metric)
    file = f"tables/{task.table}.csv"
    lines = kept.run(task.paper).lines(file, row=task.row, metric=task.metric)
    scores = {line["column"]: line["mean"] for line in lines}
    errors = {line["column"]: _error(line, metric.better == "higher") for line in lines}
    trivial = min(marks.TRIVIALS & set(errors), key=lambda name: errors[name]["mean"])
    score = f"{SCORES[task.metric]} {scores[trivial]:.3f}"
    methods = {
        name: line
        for name, line in errors.items()
        if name not in marks.TRIVIALS and ", " not in name  # a variant has a comma
    }
    return methods, task.ours, (trivial, errors[trivial]["mean"], score)


def _vehicles(run):
    """The same of the vehicles, whose predictors without a model are a table of their own."""
    lines = run.lines("tables/sumo_splits.csv")
    methods = {
        f"{line['row']} {line['column']}": line
        for line in lines
        if line["row"].startswith("Chronological")
    }
    ours = "Chronological split C = 50"
    last = run.line(
        "sumo_constant",
        "Last of the train windows, chronological split",
        "Each vehicle its own",
        "rmse",
    )["mean"]
    return methods, ours, ("Last charge", last, f"RMSE {last:.3f}")


def _error(line, higher):
    """A line whose values are errors."""
    if not higher:
        return line
    low, high = line["ci_high"], line["ci_low"]
    ends = {"ci_low": 1 - low, "ci_high": 1 - high} if isinstance(low, float) else {}
    return line | {"mean": 1 - line["mean"]} | ends


def _relative(line, error):
    """A line whose values are relative to an error."""
    return line | {
        k: line[k] / error for k in ("mean", "ci_low", "ci_high") if isinstance(line[k], float)
    }
