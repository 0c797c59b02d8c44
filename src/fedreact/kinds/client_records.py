"""Scores and clusters of each client, kept beside the scores of a job."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedreact import npz

if TYPE_CHECKING:
    from fedreact.clients.partition import Partition
    from fedreact.kinds.contract import Line

log = logging.getLogger("fedreact")

CLIENTS = ".clients.npz"
"""How its file ends, beside the csv of the scores."""

MOST = 20_000_000
"""Scores of clients that are kept of a job; of more, only those of last rounds."""

NEEDED = ["method", "round", "n_train", "n_test", "metric", "findings"]


class ClientRecords:
    """Scores and clusters of each of K clients in each of L lines of scores.

    Its file has the arrays ``method``, ``round`` ``[L]``: of each line; ``score``, ``cluster``,
    ``true_cluster`` ``[L, K]``: see :class:`fedreact.kinds.contract.Line`; ``n_train``, ``n_test``
    ``[K]``: samples; ``name`` ``[K]``: of clients that have one; ``metric``: of the scores;
    ``findings``: sentences on what makes them mean nothing. L is 0 for kinds of run that yield
    nothing of clients.
    """

    def __init__(self, partition: "Partition", metric: str, findings: Sequence[str]):
        sizes = {
            "n_train": np.array([len(samples) for samples in partition.train]),
            "n_test": np.array([len(samples) for samples in partition.test]),
        }
        if partition.names is not None:
            sizes["name"] = partition.names
        self.about = sizes | {"metric": np.array(metric), "findings": np.array(findings, dtype=str)}
        self.rows: list[tuple[str, int, dict[str, np.ndarray]]] = []

    def note(self, lines: "Iterable[Line]") -> "Iterator[Line]":
        """Keep what the lines have of clients, and pass them on."""
        for line in lines:
            if line.clients is not None:
                method, t = line.index[:2]
                self.rows.append((str(method), int(t), dict(line.clients)))
            yield line

    def save(self, path: Path) -> None:
        """Write the records."""
        rows = self.rows
        if len(rows) * len(self.about["n_train"]) > MOST:
            rows = list({row[0]: row for row in rows}.values())
            log.info("of each client only scores of last rounds are kept: they are too many")
        names = rows[0][2] if rows else {}
        arrays = {name: np.stack([clients[name] for _, _, clients in rows]) for name in names}
        index = {
            "method": np.array([method for method, _, _ in rows], dtype=str),
            "round": np.array([t for _, t, _ in rows], dtype=np.int64),
        }
        npz.save_compressed(path, **index, **arrays, **self.about)


def read(scores: Path) -> dict[str, np.ndarray] | None:
    """Read the records beside a file of scores, or return ``None``."""
    path = scores.with_suffix(CLIENTS)
    return npz.load(path, "record of clients", NEEDED) if path.exists() else None
