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


class OfClients:
    """What is kept of each of K clients in each of L lines of scores.

    Its file has the arrays ``method``, ``round`` ``[L]``: of each line; ``score``, ``cluster``,
    ``true_cluster`` ``[L, K]``: see :class:`fedreact.kinds.contract.Line`; ``n_train``, ``n_test``
    ``[K]``: samples; ``metric``: of the scores; ``findings``: sentences on what makes them mean
    nothing. Of kinds of run that yield nothing of clients L is 0.
    """

    def __init__(self, drawn: "Partition", metric: str, findings: Sequence[str]):
        sizes = {
            "n_train": np.array([len(samples) for samples in drawn.train]),
            "n_test": np.array([len(samples) for samples in drawn.test]),
        }
        self.about = sizes | {"metric": np.array(metric), "findings": np.array(findings, dtype=str)}
        self.lines: list[Line] = []

    def note(self, lines: "Iterable[Line]") -> "Iterator[Line]":
        """Keep what the lines have of clients, and pass them on."""
        for line in lines:
            if line.clients is not None:
                self.lines.append(line)
            yield line

    def save(self, path: Path) -> None:
        """Write it."""
        kept = self.lines
        if len(kept) * len(self.about["n_train"]) > MOST:
            last = {line.index[0]: line for line in kept}
            kept = list(last.values())
            log.info("of each client only scores of last rounds are kept: they are too many")
        arrays = {
            name: np.stack([line.clients[name] for line in kept])
            for name in (kept[0].clients if kept else ())
        }
        index = {
            "method": np.array([line.index[0] for line in kept], dtype=str),
            "round": np.array([line.index[1] for line in kept], dtype=np.int64),
        }
        npz.save_compressed(path, **index, **arrays, **self.about)


def read(scores: Path) -> dict[str, np.ndarray] | None:
    """What lies beside a file of scores; ``None`` if nothing does."""
    path = scores.with_suffix(CLIENTS)
    return npz.load(path, "record of clients", NEEDED) if path.exists() else None
