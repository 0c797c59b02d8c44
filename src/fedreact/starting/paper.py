"""Write the configuration that compares methods on a dataset of one's own.

Its folder, ``config/papers/<name>``, is an ordinary one, to be read and edited. Each choice has its
reason as a comment.
"""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from fedreact import options, plugins
from fedreact.benchmark.additions import find_benchmark, text
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.kinds import contract as runs
from fedreact.kinds.facts import run as facts
from fedreact.reading import read_yaml
from fedreact.resolve.papers import FOLDER, load_paper
from fedreact.starting.facts import Facts, facts_of
from fedreact.starting.recipe import MINUTES, Recipe, recipe

METHODS = {
    "Alone": "fedst/alone",
    "FedAvg": "fedst/fedavg",
    "FedAvg, fine-tuned": "grand/fedavg-finetuned",
    "Ditto": "fedst/ditto",
    "FedProto": "fedst/fedproto",
    "Fed-REACT": "fed_react/fed-react-a1",
    "Fed-REACT, personal": "fed_react/fed-react-personal",
    "Shared encoder, own model": "fed_react/local",
    "IFCA": "fed_react/ifca",
    "MiniRocket, ridge": "grand/minirocket-ridge",
    "MiniRocket, own ridge": "grand/minirocket-alone",
    "Ridge on summaries, own": "grand/ridge-alone",
    "Ridge on summaries, pooled": "grand/ridge-pooled",
    "Forest on summaries, own": "grand/forest-alone",
    "Forest on summaries, pooled": "grand/forest-pooled",
    "Constant": "fedst/constant",
    "Persistence": "aso_fed/persistence",
    "Mean of earlier days": "aso_fed/same-time",
}
"""Columns: methods by their labels. Those that cannot run on the task are left out."""
REFERENCE = "Alone"
ENCODED = ("Shared encoder, own model",)
"""Methods of clients alone on an encoder that the federation trains."""
TRIVIAL = ("Constant", "Persistence", "Mean of earlier days")
TRAINED = ("Alone", "FedAvg", "FedAvg, fine-tuned", "Ditto", "FedProto")
"""Methods of the figure of scores over rounds."""
METRICS = {
    "classification": ("accuracy", "accuracy@worst_fifth", "balanced_accuracy"),
    "multi-label": ("accuracy", "balanced_accuracy"),
    "regression": ("rmse", "mae"),
}
COSTS = ("bytes", "gflops")
MARGINS = {"accuracy": 0.01, "accuracy@worst_fifth": 0.02}
TABLE = "methods"
PARTITION = SETTING = "clients"
WIDTH = 98
APART = """\
# Each method is a job, so that a column more runs that method alone.
apart: [synchronous, clustered]
"""
SEARCH = """\
# A search of options, the same number of trials for each method that trains in steps, on held-out
# train series; MiniRocket's ridge has its penalty alone. fedreact search <this folder> runs it,
# which takes a few times as long as the table. The table takes the best options from then on.
"""
SMOKE = """\
# Scale smoke: as little as goes through all steps. Its numbers mean nothing.
encoder_from: {partition: clients, seed: 0}
seeds: {synchronous: [0], clustered: [0], simple: [0], facts: [0]}
defaults:
  encoder: {rounds: 1, steps: 2, gflops: null}
  synchronous: {rounds: 2, steps: 1, batch_size: 4}
at_most: {clustered: {rounds: 2}}
differences: ["one seed, two rounds of one step"]
"""


@dataclass(frozen=True)
class Start:
    """What a user starts from.

    Attributes
    ----------
    files
        Text of each file of the paper, by its name in the folder.
    recipe
        Choices, with their reasons.
    drawn
        Clients of the first seed.
    left_out
        Why methods cannot run on the data, by their labels; forecasts only where numbers are
        predicted.
    """

    files: dict[str, str]
    recipe: Recipe
    drawn: Partition
    left_out: dict[str, str]


def start(data: SeriesDataset, minutes: float = MINUTES) -> Start:
    """Choose how methods are compared on a dataset, and write it.

    Raises
    ------
    UserError
        The data has too few series or clients.
    """
    facts = facts_of(data)
    chosen = recipe(facts, minutes)
    asked = dict(chosen.partition.options)
    partitioner = plugins.load("clients/partitioners", asked.pop("by"), "PARTITIONER")
    drawn = options.check(partitioner, asked, "partition").deal(data, 0)
    lacks = {label: _lacks(method, data) for label, method in METHODS.items()}
    methods = {label: METHODS[label] for label, why in lacks.items() if why is None}
    left_out = {
        label: why.rstrip(".")
        for label, why in lacks.items()
        if why is not None and (label not in TRIVIAL or facts.task == "regression")
    }
    return Start(files(data.name, facts, chosen, methods, left_out), chosen, drawn, left_out)


def paper_name(name: str) -> str:
    """Return the name of the folder of a dataset's paper."""
    return re.sub(r"[^a-z0-9]", "_", name)


def _lacks(method: str, data: SeriesDataset) -> str | None:
    """Say why a method cannot run on a dataset; ``None`` if it can."""
    paper, name = method.split("/")
    kind, entry = load_paper(paper, "paper").methods[name]
    if kind == "facts":
        return facts.make(entry).lacks(data)
    return runs.skipped(kind, entry.algorithm, data.task)


def files(
    data: str,
    facts: Facts,
    recipe: Recipe,
    methods: Mapping[str, str],
    left_out: Mapping[str, str],
) -> dict[str, str]:
    """Write the files of the paper of a dataset.

    Parameters
    ----------
    data
        Name of the dataset.
    methods
        Those that can run on the data, by their labels.
    left_out
        Why others cannot, by their labels.

    Returns
    -------
    dict
        Text of each file, by its name in the folder.
    """
    metrics = METRICS[facts.task]
    trivial = [label for label in TRIVIAL if label in methods]
    margins = {name: MARGINS[name] for name in metrics if name in MARGINS}
    federated = [label for label in ENCODED if label in methods]
    about = {"title": f"Methods on {data}", "trivial": trivial, "federated": federated}
    table = {
        TABLE: {
            "title": f"Methods on {data}",
            "rows": {data: SETTING},
            "columns": dict(methods),
            "reference": REFERENCE,
            "score": "last",
            "metrics": [*metrics, *COSTS],
        }
    }
    return {
        "paper.yaml": "# Written by fedreact new paper; edit it as you like.\n"
        + text(about | ({"margins": margins} if margins else {})),
        "experiment.yaml": _experiment(data, recipe),
        "tables.yaml": "".join(
            _comment(f"Left out: {name} ({why}).") for name, why in left_out.items()
        )
        + "# Others are compared with the reference, paired by seed.\n"
        + text(table),
        "figures.yaml": _figures(data, methods, metrics[0], facts),
        "search.yaml": SEARCH + text({"options": _search(methods, metrics[0])}),
        "scales/quick.yaml": _comment(recipe.seeds.reason)
        + text({"seeds": dict(recipe.seeds.options)})
        + APART,
        "scales/smoke.yaml": SMOKE,
    }


def _experiment(data: str, recipe: Recipe) -> str:
    """Write ``experiment.yaml``: each choice below its reason."""
    clustered = ("clustered", recipe.clustered)
    steps = (("synchronous", recipe.synchronous), ("encoder", recipe.encoder), clustered)
    lines = [_comment("The clients, and what is tested.")]
    lines += [_comment(recipe.partition.reason)]
    lines += [f"partitions:\n  {PARTITION}: {_flow({'data': data, **recipe.partition.options})}\n"]
    lines += ["# How methods are trained, by kind of run.\n", f"settings:\n  {SETTING}:\n"]
    lines += [f"    partition: {PARTITION}\n"]
    for step, choice in steps:
        lines += [_comment(choice.reason, 4), f"    {step}: {_flow(choice.options)}\n"]
    lines += [_comment("Ridge and forest on summary features, which need no choice.", 4)]
    lines += ["    simple: {}\n"]
    return "".join(lines)


def _figures(data: str, methods: Mapping[str, str], metric: str, facts: Facts) -> str:
    """Write ``figures.yaml``: scores over rounds, and what each client gains."""
    trained = {label: methods[label] for label in TRAINED if label in methods}
    figures: dict[str, Any] = {
        "rounds": {
            "kind": "rounds",
            "title": f"Scores over the rounds on {data}",
            "settings": {data: SETTING},
            "curves": trained,
            "score": metric,
        }
    }
    if facts.task == "classification":
        figures["gains"] = {
            "kind": "differences",
            "title": "What clients gain by FedAvg over training alone",
            "of": methods["FedAvg"],
            "to": methods[REFERENCE],
            "settings": {data: SETTING},
        }
    head = "# Curves that still improve in the last rounds: training was too short to compare.\n"
    return head + text(figures)


def _search(methods: Mapping[str, str], metric: str) -> dict[str, Any]:
    """Write the search of ``search.yaml``: the grids of the benchmark's search."""
    benchmark = find_benchmark(FOLDER)
    searches = read_yaml(benchmark / "search.yaml").values()
    of_benchmark = next(entry for entry in searches if entry.get("by_dataset"))
    grids = {
        method if "/" in method else f"{benchmark.name}/{method}": grid
        for method, grid in of_benchmark["grids"].items()
    }
    return {
        "title": "Scores on held-out train series, by option",
        "by_dataset": True,
        "seeds": list(of_benchmark["seeds"]),
        "settings": [{"setting": SETTING, "validate": True}],
        "metric": metric,
        "score": "last",
        "grids": {method: grids[method] for method in methods.values() if method in grids},
    }


def _comment(text: str, indent: int = 0) -> str:
    """Write a comment, wrapped."""
    start = " " * indent + "# "
    wrapped = textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=start)
    return "\n".join(wrapped) + "\n"


def _flow(content: Mapping[str, Any]) -> str:
    """Write a mapping on one line."""
    text = yaml.safe_dump(
        dict(content), default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6
    )
    return text.strip()
