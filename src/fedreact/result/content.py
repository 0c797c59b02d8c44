"""Content of the page: the data, the clients, and the methods of each setting."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.intervals import Summary, summarise
from fedreact.io.importing import span_of_times
from fedreact.notes.contract import of_result
from fedreact.notes.scores import MethodScores, Result, read_results
from fedreact.notes.words import counted
from fedreact.result.cautions import cautions
from fedreact.result.sentences import sentences
from fedreact.result.sources import ResultSource, SettingSource, TableSource
from fedreact.tables import cells as of_cells
from fedreact.tables.cells import CellRules, read_scores

MOST_CLIENTS = 40
"""Clients that are shown one by one; of more, those who gain most and least."""
MOST_LABELS = 30
"""Labels whose series are counted one by one."""


@dataclass(frozen=True)
class Client:
    """A client: its name, and its train and test series."""

    name: str
    n_train: int
    n_test: int


@dataclass(frozen=True)
class Compared:
    """What was compared on whom.

    Attributes
    ----------
    facts
        Names and texts of facts.
    clients
        All clients.
    labels
        Names of labels and the number of series of each; empty for regressions.
    """

    facts: list[tuple[str, str]]
    clients: list[Client]
    labels: list[tuple[str, int]]


@dataclass(frozen=True)
class Gain:
    """Gains of a client over training alone, by the label of the method; ``None``: not known."""

    client: str
    alone: float
    gains: list[float | None]


@dataclass(frozen=True)
class Clustering:
    """Clusters that a method has found.

    Attributes
    ----------
    method
        Its label.
    seed
        Seed of the clusters that are shown.
    groups
        Names of the clients of each cluster, the largest first.
    agreement, by_chance
        Share of pairs of clients that are together in both, or apart in both, of two seeds, the
        mean over pairs of seeds, and what clusters of these sizes agree on if clients are drawn
        into them; ``None`` with one seed.
    """

    method: str
    seed: int
    groups: list[list[str]]
    agreement: float | None
    by_chance: float | None


@dataclass(frozen=True)
class Section:
    """A setting of a table.

    Attributes
    ----------
    title
        Its heading.
    source, setting
        The table and the setting.
    result
        Scores of its methods.
    summaries
        Mean and interval of each method, in the order of the result.
    sentences, notes, checks
        What follows; warnings computed from the scores, with titles; findings on the data and runs.
    alone
        Label of the method that gains are over; empty if it is missing.
    gainers
        Labels of the methods that gains are of.
    """

    title: str
    source: TableSource
    setting: SettingSource
    result: Result
    summaries: list[Summary]
    sentences: list[str]
    notes: list[tuple[str, str]]
    checks: list[str]
    compared: Compared
    alone: str
    gainers: list[str]
    gains: list[Gain]
    clusterings: list[Clustering]
    skipped: list[str]


def read(source: ResultSource) -> list[Section]:
    """Read all settings of all tables.

    Raises
    ------
    UserError
        A file cannot be read, or no table compares methods by a metric of predictions.
    """
    sections = [section for table in source.tables for section in _sections(table, source)]
    if not sections:
        raise UserError(
            f"config/papers/{source.name}/tables.yaml: no table compares methods by a metric of "
            "predictions, such as accuracy or rmse, so there is no result to show"
        )
    return sections


def _sections(table: TableSource, source: ResultSource) -> list[Section]:
    """Read the settings of a table."""
    rules = CellRules(
        table.metrics,
        table.last,
        "row" if table.methods_are == "row" else "column",
        table.reference,
        None,
        table.trivial,
    )
    paths = [Path(file) for file in table.scores]
    scores = read_scores(paths)
    results = read_results(table.layout, rules, scores, table.compared)
    findings = of_cells.findings(table.layout, paths)
    skipped = of_cells.skipped(table.layout)
    several = len(source.tables) > 1 or len(results) > 1
    settings = {setting.label: setting for setting in table.settings}
    return [
        _section(
            f"{table.title}: {result.setting}" if several else result.setting,
            table,
            settings[result.setting],
            result,
            findings,
            [f"{name}: {'; '.join(why)}" for name, why in skipped.items()],
        )
        for result in results
    ]


def _section(
    title: str,
    table: TableSource,
    setting: SettingSource,
    result: Result,
    findings: dict[str, list[str]],
    skipped: list[str],
) -> Section:
    bounds = result.metric.bounds
    rows = [setting.label]
    if table.methods_are == "row":
        rows = [s.row for s in table.layout if s.column == setting.label]
    data = SeriesDataset.load(Path(setting.data))
    partition = Partition.load(Path(setting.partition), len(data.y))
    checks = dict.fromkeys(f"Import: {note}." for note in setting.import_notes)
    checks |= dict.fromkeys(cautions(data, partition, setting, result))
    checks |= dict.fromkeys(text for row in rows for text in findings.get(row, []))
    alone = next(iter(result.of("alone")), None)
    gainers = [m for m in result.of("federated") if len(m.of_clients)]
    return Section(
        title=title,
        source=table,
        setting=setting,
        result=result,
        summaries=[summarise(list(m.by_seed.values()), bounds) for m in result.methods],
        sentences=sentences(result),
        notes=of_result(result),
        checks=list(checks),
        compared=described(data, partition, setting),
        alone=alone.label if alone and len(alone.of_clients) else "",
        gainers=[m.label for m in gainers],
        gains=gains(result, alone, gainers) if alone else [],
        clusterings=clusterings(result),
        skipped=skipped,
    )


# ---- Data ----------------------------------------------------------------------------------------


def described(data: SeriesDataset, partition: Partition, setting: SettingSource) -> Compared:
    """Describe the data of a setting, and its clients with the first seed."""
    task, K = data.task, len(partition.train)
    names = [str(k) for k in range(K)] if partition.names is None else partition.names.tolist()
    clients = [
        Client(str(name), len(train), len(test))
        for name, train, test in zip(names, partition.train, partition.test)
    ]
    used = np.unique(np.concatenate([*partition.train, *partition.test]))
    labels: list[tuple[str, int]] = []
    if task.kind != "regression":
        y = data.y[used]
        counts = y.sum(0) if y.ndim == 2 else np.bincount(y, minlength=task.outputs)
        labels = [(data.label_name(i), int(n)) for i, n in enumerate(counts)]
    sizes = sorted(client.n_train for client in clients)
    tests = sorted(client.n_test for client in clients)
    lengths = np.unique(data.lengths[used])
    what = {
        "classification": f"one of {task.outputs} labels",
        "multi-label": f"which of {task.outputs} labels are true",
        "regression": "a number" if task.outputs == 1 else f"{task.outputs} numbers",
    }[task.kind]
    if task.kind == "regression" and data.label_names is not None:
        what += f": {', '.join(data.label_name(i) for i in range(task.outputs))}"
    channels = [data.channel_name(i) for i in range(task.channels)]
    named = f": {', '.join(channels)}" if data.channel_names is not None else ""
    steps = counted(int(lengths[-1]), "step")
    if len(lengths) > 1:
        steps = f"{lengths[0]} to {steps}"
    facts = [
        ("Data", f"{setting.data_name}, {len(used):,} series"),
        ("Each series", f"{counted(task.channels, 'channel')}{named}; {steps}"),
        ("To predict", what),
        ("Clients", f"{K}"),
        ("Train series a client", _range(sizes)),
        ("Test series a client", _range(tests)),
        ("Split", setting.dealt),
    ]
    if data.time is not None:
        train, test = (
            np.unique(np.concatenate(sets)) for sets in (partition.train, partition.test)
        )
        facts.append(("Train series", span_of_times(data.time[train])))
        facts.append(("Test series", span_of_times(data.time[test])))
    if setting.imported:
        facts.append(("Imported with", setting.imported))
    return Compared(facts, clients, labels)


def _range(numbers: Sequence[int]) -> str:
    """Write sorted numbers as a range with their median."""
    if numbers[0] == numbers[-1]:
        return f"{numbers[0]}"
    return f"{numbers[0]} to {numbers[-1]}, {np.median(numbers):.0f} in the median"


# ---- Clients -------------------------------------------------------------------------------------


def gains(result: Result, alone: MethodScores, methods: Sequence[MethodScores]) -> list[Gain]:
    """Return the gain of each client over training alone, those first who gain most.

    The order is that of the best federated method. Of many clients, the first and last are kept.
    """
    base = alone.of_clients
    if not len(base) or not methods:
        return []
    each = np.array([result.sign * (method.of_clients - base) for method in methods])
    order = np.argsort(-np.nan_to_num(each[0], nan=-np.inf), kind="stable")
    if len(order) > MOST_CLIENTS:
        order = np.concatenate([order[: MOST_CLIENTS // 2], order[-MOST_CLIENTS // 2 :]])
    return [
        Gain(
            result.names[int(k)],
            float(base[k]),
            [None if np.isnan(gain) else float(gain) for gain in each[:, k]],
        )
        for k in order
    ]


def clusterings(result: Result) -> list[Clustering]:
    """Return the clusters of each federated method that clusters, by names of clients.

    A method with one cluster of all clients, or with a cluster for each client, is left out.
    """
    found = []
    for method in result.of("federated"):
        by_seed = {seed: labels for seed, labels in method.clusters.items() if (labels >= 0).all()}
        if not by_seed:
            continue
        seed, labels = next(iter(by_seed.items()))
        if not 1 < len(np.unique(labels)) < len(labels):
            continue
        groups = [
            [result.names[int(k)] for k in np.flatnonzero(labels == c)] for c in np.unique(labels)
        ]
        every = list(by_seed.values())
        pairs = [(a, b) for i, a in enumerate(every) for b in every[i + 1 :]]
        agreement = float(np.mean([agree(a, b) for a, b in pairs])) if pairs else None
        by_chance = float(np.mean([chance(a, b) for a, b in pairs])) if pairs else None
        groups.sort(key=lambda names: -len(names))
        found.append(Clustering(method.label, seed, groups, agreement, by_chance))
    return found


def agree(a: np.ndarray, b: np.ndarray) -> float:
    """Return the share of pairs on which two clusterings agree, the Rand score."""
    pairs = np.triu_indices(len(a), 1)
    return float(((a[:, None] == a)[pairs] == (b[:, None] == b)[pairs]).mean())


def chance(a: np.ndarray, b: np.ndarray) -> float:
    """Return the Rand score that clusterings of these sizes have on average, drawn at random."""
    pairs = np.triu_indices(len(a), 1)
    p, q = (float((one[:, None] == one)[pairs].mean()) for one in (a, b))
    return p * q + (1 - p) * (1 - q)


def table_of_scores(sections: Sequence[Section]) -> str:
    """Write the numbers of the page as csv: a line for each setting and method."""
    lines = [
        {
            "setting": section.result.setting,
            "method": method.label,
            "part": method.role,
            "metric": section.result.metric_name,
            "mean": summary.mean,
            "ci_low": summary.ci[0],
            "ci_high": summary.ci[1],
            "n_seeds": summary.n,
            "rounds": method.n_rounds,
            **{name: method.costs.get(name) for name in ("bytes", "gflops")},
        }
        for section in sections
        for method, summary in zip(section.result.methods, section.summaries)
    ]
    return pd.DataFrame(lines).to_csv(index=False, float_format="%.6f", lineterminator="\n")
