"""Scores of methods, a panel a task: what the papers with few methods show."""

from dataclasses import dataclass
from typing import Any

from fedreact.metrics.grammar import load_metric
from fedreact.reference.pictures import marks

LOOKS = {"Persistence": "-", "Constant": (0, (4, 3))}
"""Line styles of predictors without a model."""
SHOWN = {"Local-S": "alone (Local-S)", "Global": "all data in one place"}
"""What methods are called in other papers."""


@dataclass(frozen=True)
class Task:
    """A row of a table, which is a panel of a picture.

    Attributes
    ----------
    title
        For people.
    score
        What the metric is called below the panel.
    trivial
        Whether it shows predictors without a model.
    """

    title: str
    table: str
    row: str
    metric: str
    score: str
    trivial: bool = True


def draw_methods(run, title: str, ours: str, tasks: tuple[Task, ...], about: str, columns: int):
    """Draw a panel a task, with a line a method, the paper's own first.

    Variants of a method (with a comma in their names) are left out.

    Parameters
    ----------
    run
        A kept run (:class:`fedreact.reference.pictures.contract.Run`).
    ours
        Column of the paper's own method.
    about
        What the note says first.
    columns
        Panels beside each other.
    """
    lines = {
        task: run.lines(f"tables/{task.table}.csv", row=task.row, metric=task.metric)
        for task in tasks
    }
    methods = [ours]
    for line in [line for of in lines.values() for line in of]:
        name = line["column"]
        if name not in {*methods, *marks.TRIVIALS} and ", " not in name:
            methods.append(name)
    n = max(line["n_seeds"] for of in lines.values() for line in of)
    down = -(-len(tasks) // columns)
    figure, axes = marks.canvas(
        1.0 + down * (0.75 + 0.21 * len(methods)),
        title,
        f"{about} Scale {run.scale}, {n:.0f} seeds, 95% interval.",
        nrows=down,
        ncols=columns,
        sharey=True,
    )
    for panel, task in zip(axes.flat, tasks):
        there = {line["column"]: line for line in lines[task]}
        for y, name in enumerate(methods):
            if name not in there:
                continue
            look = marks.OURS if y == 0 else marks.OTHER | {"color": "#666666"}
            label = "method of the paper" if y == 0 else "another method"
            marks.across(panel, y, there[name], label=label, zorder=3, markersize=5, **look)
            if isinstance(there[name]["published"], float):
                value, once = there[name]["published"], "published" if y else None
                panel.plot(value, y, color=look["color"], zorder=2.5, label=once, **marks.PUBLISHED)
        for name in LOOKS if task.trivial else ():
            if name in there:
                grey: dict[str, Any] = {
                    "color": marks.TRIVIAL["color"],
                    "linewidth": 1.4,
                    "zorder": 1,
                }
                label = f"{name.lower()} (no model)"
                panel.axvline(there[name]["mean"], linestyle=LOOKS[name], label=label, **grey)
        if not task.trivial:  # what is spent starts at nothing
            panel.set_xlim(left=0)
        marks.rows(panel, [SHOWN.get(name, name) for name in methods])
        better = load_metric(task.metric).better
        direction = {"higher": "→ better", "lower": "← better"}[better or "higher"]
        panel.set_xlabel(f"{task.score}  ({direction})")
        marks.name(panel, task.title)
    for panel in axes.flat[len(tasks) :]:
        panel.set_visible(False)
    marks.legend(figure, axes.flat, 5)
    return figure
