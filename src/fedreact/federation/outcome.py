"""What comes of a federation, or of the same plan in a simulation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.atomic import atomic

Arrays = dict[str, np.ndarray]


@dataclass
class Outcome:
    """What came of a federation.

    Attributes
    ----------
    models
        Models that clients hold in the end: ``[K, P]`` of a clustered kind; of a synchronous one,
        what the server keeps is in ``server``, and personal models stay at the clients.
    server
        What the server keeps in the end, by name.
    encoder
        Weights of the encoder, of a clustered kind.
    labels
        ``int [T, K]``: clusters of the clients in each round; -1: not in one.
    present
        ``bool [T, K]``: clients whose answers counted in each round.
    scores
        ``[T, K]``: scores of the clients' models on their own test samples; NaN: not tested.
    traffic
        Bytes to and from each client, by direction and question.
    seconds
        Duration of each round.
    """

    server: Arrays = field(default_factory=dict)
    encoder: np.ndarray | None = None
    models: np.ndarray | None = None
    labels: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), int))
    present: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), bool))
    scores: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    traffic: Mapping[tuple[int, str, str], int] = field(default_factory=dict)
    seconds: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def save(self, folder: Path) -> None:
        """Write arrays to ``outcome.npz`` of a folder."""
        arrays = {f"server_{name}": values for name, values in self.server.items()}
        more = {"encoder": self.encoder, "models": self.models}
        arrays |= {name: values for name, values in more.items() if values is not None}
        keys = sorted(self.traffic)
        arrays["traffic"] = np.array([self.traffic[key] for key in keys], dtype=np.int64)
        arrays["traffic_of"] = np.array(["/".join(map(str, key)) for key in keys], dtype=str)
        with atomic(folder / "outcome.npz") as path:
            npz.save(
                path,
                labels=self.labels,
                present=self.present,
                scores=self.scores,
                seconds=self.seconds,
                **arrays,
            )

    @classmethod
    def load(cls, folder: Path) -> "Outcome":
        """Read what :meth:`save` wrote."""
        own = ["labels", "present", "scores", "seconds"]
        saved = npz.load(folder / "outcome.npz", "outcome of a federation", own)
        keys = [tuple(key.split("/")) for key in saved["traffic_of"].tolist()]
        return cls(
            server={
                name.removeprefix("server_"): values
                for name, values in saved.items()
                if name.startswith("server_")
            },
            encoder=saved.get("encoder"),
            models=saved.get("models"),
            traffic={
                (int(k), way, what): int(n) for (k, way, what), n in zip(keys, saved["traffic"])
            },
            **{name: saved[name] for name in own},
        )
