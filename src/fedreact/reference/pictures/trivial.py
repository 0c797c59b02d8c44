"""Error of each task's methods, relative to that of the best predictor without a model."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedreact.metrics.grammar import load_metric
from fedreact.reference.docs import Row
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRun, KeptRuns


@dataclass(frozen=True)
class TaskRow:
    """A row of a table with methods and predictors without a model."""

    label: str
    paper: str
    table: str
    row: str
    metric: str
    ours: str


TASKS = (
    TaskRow(
        "EEG, left or right (benchmark)",
        "grand",
        "grand_all",
        "EEG, drawn clusters",
        "accuracy",
        "Fed-REACT",
    ),
    TaskRow(
        "Images, two kinds (FedAT)",
        "fedat",
        "fedat_table7_1",
        "Fashion-MNIST #2",
        "accuracy",
        "FedAT",
    ),
    TaskRow(
        "Images, drifting (FedConD)",
        "fedcond",
        "fedcond_table6_1",
        "Fashion-MNIST",
        "accuracy",
        "FedConD",
    ),
    TaskRow(
        "Contexts (ASO-Fed)", "aso_fed", "aso_fed_table5_1_f1", "ExtraSensory", "f1", "ASO-Fed"
    ),
    TaskRow("Contexts (FATHOM)", "fathom", "fathom_table4_1", "ExtraSensory", "f1", "FATHOM"),
    TaskRow("Contexts (M-Att)", "m_att", "m_att_table3_2", "Average", "f1", "M-Att"),
    TaskRow(
        "Air quality (ASO-Fed)",
        "aso_fed",
        "aso_fed_table5_1_smape",
        "Air Quality",
        "smape",
        "ASO-Fed",
    ),
    TaskRow(
        "Air quality (FATHOM)", "fathom", "fathom_table4_1_smape", "Air Quality", "smape", "FATHOM"
    ),
    TaskRow(
        "Workouts (ASO-Fed)", "aso_fed", "aso_fed_table5_1_smape", "FitRec", "smape", "ASO-Fed"
    ),
)
SCORES = {"accuracy": "accuracy", "f1": "F1", "smape": "SMAPE"}
VEHICLES = "Charge of vehicles (Fed-REACT)"


@dataclass(frozen=True)
class Errors:
    """Errors of the methods of a task, and of its best predictor without a model.

    Attributes
    ----------
    methods
        Lines of errors by method.
    ours
        The method of the paper.
    trivial
        The predictor, its error, and its score as text.
    """

    methods: dict[str, Row]
    ours: str
    trivial: tuple[str, float, str]


def draw(runs: KeptRuns) -> Figure:
    """Draw a line of dots a task, on a logarithmic axis with 1 marked."""
    tasks = {task.label: _of_task(runs, task) for task in TASKS}
    tasks[VEHICLES] = _of_vehicles(runs.run("fed_react"))
    scales = sorted({runs.run(task.paper).scale for task in TASKS})
    figure, axes = marks.canvas(
        4.5,
        "Error of the methods, relative to the best predictor without a model",
        f"Scale {', '.join(scales)}. Error is 1 minus accuracy or F1, SMAPE or RMSE. Right of 1, "
        "predicting without a model does better. Lines: 95% intervals over seeds.",
    )
    panel = axes[0, 0]
    for y, task in enumerate(tasks.values()):
        _draw_task(panel, y, task)
    panel.axvline(1, color=marks.TRIVIAL["color"], linewidth=1.6, label="best without a model")
    panel.set_xscale("log")
    ticks = [0.25, 0.5, 1, 2, 5, 10, 20, 40]
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    labels = [f"{label}\n{task.trivial[0]}: {task.trivial[2]}" for label, task in tasks.items()]
    marks.rows(panel, labels, 8)
    panel.set_xlabel("error relative to the best predictor without a model (logarithmic)")
    marks.legend(figure, [panel], 4)
    return figure


def _draw_task(panel: Axes, y: float, task: Errors) -> None:
    """Draw the dots of a task: other methods, the best one, and that of the paper."""
    methods, error = task.methods, task.trivial[1]
    best = min(methods, key=lambda name: methods[name]["mean"])
    for name, line in methods.items():
        if name not in (task.ours, best):
            look = marks.OTHER | {"alpha": 0.5, "markersize": 4.5}
            marks.point(panel, line["mean"] / error, y, "another method", look)
    if best != task.ours:
        look = {"color": "#444444", "marker": "o", "label": "best method"}
        marks.across(panel, y, _relative(methods[best], error), zorder=3, **look)
    look = marks.OURS | {"label": "method of the paper", "zorder": 3}
    marks.across(panel, y, _relative(methods[task.ours], error), **look)


def _of_task(runs: KeptRuns, task: TaskRow) -> Errors:
    """Return the errors of a task, from one row of a table."""
    metric = load_metric(task.metric)
    file = f"tables/{task.table}.csv"
    lines = runs.run(task.paper).lines(file, row=task.row, metric=task.metric)
    scores = {line["column"]: line["mean"] for line in lines}
    errors = {line["column"]: _error(line, metric.better == "higher") for line in lines}
    trivial = min(marks.TRIVIALS & set(errors), key=lambda name: errors[name]["mean"])
    score = f"{SCORES[task.metric]} {scores[trivial]:.3f}"
    methods = {
        name: line
        for name, line in errors.items()
        if name not in marks.TRIVIALS and ", " not in name  # a variant has a comma
    }
    return Errors(methods, task.ours, (trivial, errors[trivial]["mean"], score))


def _of_vehicles(run: KeptRun) -> Errors:
    """Return the errors of the vehicles, whose predictors without a model have their own table."""
    lines = run.lines("tables/sumo_splits.csv")
    methods = {
        f"{line['row']} {line['column']}": line
        for line in lines
        if line["row"].startswith("Chronological")
    }
    last = run.line(
        "sumo_constant",
        "Last of the train windows, chronological split",
        "Each vehicle its own",
        "rmse",
    )["mean"]
    return Errors(methods, "Chronological split C = 50", ("Last charge", last, f"RMSE {last:.3f}"))


def _error(line: Row, higher: bool) -> Row:
    """Turn the values of a line into errors, where higher values are better."""
    if not higher:
        return line
    low, high = line["ci_high"], line["ci_low"]
    ends = {"ci_low": 1 - low, "ci_high": 1 - high} if isinstance(low, float) else {}
    return line | {"mean": 1 - line["mean"]} | ends


def _relative(line: Row, error: float) -> Row:
    """Divide the values of a line by an error."""
    keys = ("mean", "ci_low", "ci_high")
    return line | {key: line[key] / error for key in keys if isinstance(line[key], float)}
