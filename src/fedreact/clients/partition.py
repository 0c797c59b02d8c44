"""Partition of samples: clusters, their clients, train and test sets.

Fed-REACT, section 4.1 (ICLR and arXiv), appendices D and G.1 (arXiv). The files of
:mod:`fedreact.clients.partitioners` deal the samples.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.errors import UserError

NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Partition:
    """The samples of each client.

    Attributes
    ----------
    clusters
        ``int64 [K]``: the true cluster of each client.
    train, test
        K arrays each: indices of samples in the dataset. No sample is in the train set of one
        client and the test set of another (or the same) client of its cluster.
    label_counts
        ``int64 [C, n_labels]``: samples of each label in each cluster, or in its clients' train
        and test sets where clusters are distributions.
    distributions
        ``[C, S, n_labels]``: label distributions of each cluster, in each of its S states. Empty
        where there are targets instead of labels.
    held_out
        Indices of samples that no client trains on, where clients draw from all samples; else
        empty.
    tested
        Samples of ``held_out`` that clients are tested on where data drifts; ``None``: all.
    labelled
        K arrays: samples of ``train`` whose labels are known, the others serve training without
        labels alone; ``None``: all.
    newcomers
        ``int64 [J]``: clients that join after the training, sorted; ``None``: none. Their train
        samples are what they adapt on.
    names
        Names of the clients, ``[K]`` strings; ``None`` where they have numbers alone.
    """

    clusters: np.ndarray
    train: list[np.ndarray]
    test: list[np.ndarray]
    label_counts: np.ndarray
    distributions: np.ndarray
    held_out: np.ndarray
    tested: np.ndarray | None = None
    labelled: list[np.ndarray] | None = None
    newcomers: np.ndarray | None = None
    names: np.ndarray | None = None

    def __post_init__(self) -> None:
        K = len(self.clusters)
        if self.clusters.dtype.kind not in "iu" or self.clusters.ndim != 1 or K == 0:
            raise UserError("partition: clusters must be integers [K], of one or more clients")
        for name in ("train", "test"):
            sets = getattr(self, name)
            if len(sets) != K or any(s.dtype.kind not in "iu" or s.ndim != 1 for s in sets):
                raise UserError(f"partition: {name} must be indices for each of {K} clients")
        for k, sets in enumerate(zip(self.train, self.test)):
            for name, samples in zip(("train", "test"), sets):
                if len(samples) == 0:
                    raise UserError(
                        f"partition: {self.client(k)} has no {name} samples; use more data, fewer "
                        "clusters or another test share"
                    )
        self._check_regime()
        if self.distributions.ndim != 3 or not np.isfinite(self.distributions).all():
            raise UserError("partition: distributions must be numbers [C, S, labels]")
        if self.names is not None and (self.names.dtype.kind, len(self.names)) != ("U", K):
            raise UserError(f"partition: names must be strings, one for each of {K} clients")

    def client(self, k: int) -> str:
        """Name a client in a message."""
        if self.names is None:
            return f"client {k} (cluster {self.clusters[k] + 1})"
        return f"client {self.names[k]}"

    def _check_regime(self) -> None:
        """Refuse labelled samples that nobody trains on, and newcomers that are no clients."""
        K, newcomers = len(self.clusters), self.newcomers
        if self.labelled is not None and (
            len(self.labelled) != K
            or any(not len(few) or not np.isin(few, all_).all() for few, all_ in self._labels())
        ):
            raise UserError(f"partition: labelled must be train samples for each of {K} clients")
        if newcomers is not None and (
            newcomers.dtype.kind not in "iu"
            or not 0 < len(newcomers) < K
            or not np.isin(newcomers, np.arange(K)).all()
        ):
            raise UserError(f"partition: newcomers must be some of {K} clients, and not all")

    def _labels(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return list(zip(self.labelled or [], self.train))

    @property
    def members(self) -> np.ndarray:
        """Clients that take part in the training, ``int64 [K - J]``: all but newcomers."""
        everyone = np.arange(len(self.clusters))
        return everyone if self.newcomers is None else np.setdiff1d(everyone, self.newcomers)

    def with_labels(self) -> "Partition":
        """Return the partition for training with labels: all its train samples are labelled."""
        if self.labelled is None:
            return self
        return replace(self, train=self.labelled, labelled=None)

    @property
    def clusters_known(self) -> bool:
        """Whether ``clusters`` are the truth, not the one cluster of clients without any."""
        return self.label_counts.size > 0

    def save(self, path: Path) -> None:
        """Write the partition as npz; the same content gives the same bytes."""
        npz.save(
            path,
            clusters=self.clusters,
            train=np.concatenate(self.train),
            test=np.concatenate(self.test),
            n_train=np.array([len(s) for s in self.train]),
            n_test=np.array([len(s) for s in self.test]),
            label_counts=self.label_counts,
            distributions=self.distributions,
            held_out=self.held_out,
            **self._regime(),
            **({} if self.names is None else {"names": self.names}),
        )

    def _regime(self) -> dict[str, np.ndarray]:
        """Return the arrays that only some partitions have."""
        arrays = {}
        if self.labelled is not None:
            arrays["labelled"] = np.concatenate(self.labelled)
            arrays["n_labelled"] = np.array([len(s) for s in self.labelled])
        if self.newcomers is not None:
            arrays["newcomers"] = self.newcomers
        return arrays

    @classmethod
    def load(cls, path: Path, n_samples: int | None = None) -> "Partition":
        """Read what :meth:`save` wrote.

        Raises
        ------
        UserError
            The file is damaged, or of other data than that with ``n_samples``.
        """
        names = ["clusters", "train", "test", "n_train", "n_test"]
        names += ["label_counts", "distributions", "held_out"]
        arrays = npz.load(path, "partition", names)
        sets: dict[str, list[np.ndarray]] = {}
        for name in ("train", "test", *(["labelled"] if "labelled" in arrays else [])):
            indices, n = arrays[name], arrays.get(f"n_{name}", NOTHING)
            if n.dtype.kind not in "iu" or n.ndim != 1 or (n < 1).any() or n.sum() != indices.size:
                raise UserError(f"{path}: not a partition, n_{name} does not count {name}")
            sets[name] = np.split(indices, np.cumsum(n)[:-1])
        try:
            drawn = cls(
                clusters=arrays["clusters"],
                train=sets["train"],
                test=sets["test"],
                label_counts=arrays["label_counts"],
                distributions=arrays["distributions"],
                held_out=arrays["held_out"],
                labelled=sets.get("labelled"),
                newcomers=arrays.get("newcomers"),
                names=arrays.get("names"),
            )
        except UserError as error:
            raise UserError(f"{error} [in {path}]") from error
        used = np.concatenate([arrays["train"], arrays["test"], arrays["held_out"]])
        if used.min() < 0 or used.max() >= (n_samples or np.inf):
            raise UserError(f"{path}: of other data, it uses more than the {n_samples} samples")
        return drawn
