"""Bytes that a client receives and sends per round (Fed-REACT, arXiv section 4.2 and K.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from fedreact import plugins
from fedreact.options import Count
from fedreact.studies.costs import ARCHITECTURES, make_all


@dataclass(frozen=True)
class Communication:
    """Kilobytes of weights in float32.

    Attributes
    ----------
    architectures
        Files of ``models/architectures/``, by their labels.
    encoder
        A file of ``models/encoders/``.
    channels, steps, outputs
        Channels and steps of the series, and outputs of the task.
    features
        Features of the encoder.
    clusters
        Number of clusters C.
    """

    architectures: Annotated[dict[str, str], ARCHITECTURES]
    encoder: Annotated[str, plugins.Named("models/encoders", "ENCODER")] = "table12"
    channels: Count = 3
    steps: Count = 100
    outputs: Count = 10
    features: Count = 320
    clusters: Count = 3

    COLUMNS: ClassVar[tuple[str, ...]] = ("row", "column", "value")

    def run(self, seeds: Sequence[int]) -> Iterator[Sequence[Any]]:
        """Yield the kilobytes that each method sends and receives."""
        C, task_model = self.clusters, self.outputs * (self.features + 1)
        encoder = plugins.load("models/encoders", self.encoder, "ENCODER")(self.channels)
        methods = {
            "Phase 1 of Fed-REACT (encoder)": (encoder.n_parameters, encoder.n_parameters),
            "Phase 2 of Fed-REACT, FLACC, FedAvg (task model)": (task_model, task_model),
            f"IFCA, FLSC ({C} clusters; task models)": (C * task_model, task_model),
        }
        for label, architecture in make_all(self).items():
            P = architecture.n_parameters
            methods[f"{label} by FedAvg, FedProx, Ditto, APFL"] = (P, P)
        for row, ways in methods.items():
            for column, n in zip(("Received (KB)", "Sent (KB)"), ways):
                yield [row, column, 4 * n / 1e3]


STUDY = Communication
