"""What a dataset is, and what would make results on it mean nothing."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fedreact.clients import adjacent
from fedreact.clients import checks as of_clients
from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.owner import Owner
from fedreact.data import checks as of_data
from fedreact.data.dataset import SeriesDataset
from fedreact.io import size
from fedreact.io.importing import span


@dataclass(frozen=True)
class Report:
    """Findings on a dataset.

    Attributes
    ----------
    lines
        What it is.
    notes
        Sentences on what is suspicious, each with what mends it.
    about
        The facts of ``lines``, for programs.
    """

    lines: list[str]
    notes: list[str]
    about: dict[str, Any] = field(default_factory=dict)


def report(data: SeriesDataset, owner: Owner, samples_per_round: int | None, where: str) -> Report:
    """Check a dataset, and its clients if it names them.

    Parameters
    ----------
    owner
        How each client's series are split.
    samples_per_round
        Labelled series that a client of a clustered method uses in a round; ``None``: not decided.
    where
        Name of the data, for the first line.

    Raises
    ------
    UserError
        A client has too few series.
    """
    task, n = data.task, len(data.X)
    what = "targets" if task.kind == "regression" else "labels"
    lines = [
        f"{where}: {n} series of {task.channels} channels and {task.steps} steps; {task.kind}, "
        f"{task.outputs} {what}"
    ]
    about: dict[str, Any] = {
        "data": data.name,
        "series": n,
        "channels": task.channels,
        "steps": task.steps,
        "task": task.kind,
        "outputs": task.outputs,
    }
    notes = [*of_data.findings(data), *size.findings(data)]
    if data.owner is None:
        lines.append("The data names no clients.")
        return Report(lines, notes, about | {"clients": None})
    drawn = owner.deal(data, 0)
    sizes = np.array([len(samples) for samples in drawn.train])
    lines.append(
        f"{len(sizes)} clients, with {span(sizes)} train samples, "
        f"{np.median(sizes):.0f} in the median"
        + (", by its array tested (split: source)" if owner.split == "source" else "")
    )
    notes += [*of_clients.findings(drawn, data.y, data.label_names), *of_clients.leaks(drawn, data)]
    notes += adjacent.findings(drawn, data)
    if samples_per_round is not None and (
        whole := of_clients.whole_train_sets(drawn, samples_per_round)
    ):
        notes.append(
            f"A round of {samples_per_round} samples takes all that {whole} of {len(sizes)} "
            "clients have: set samples_per_round to less."
        )
    lines.append("The true clusters are unknown: set n_clusters to the number to find.")
    return Report(lines, notes, about | {"clients": _clients(drawn)})


def _clients(drawn: Partition) -> list[dict[str, Any]]:
    """Return the name and the sizes of each client."""
    names = range(len(drawn.train)) if drawn.names is None else drawn.names
    return [
        {"client": str(name), "train": len(train), "test": len(test)}
        for name, train, test in zip(names, drawn.train, drawn.test)
    ]
