"""Bytes and errors of weights under FedAT's compressor (section 7.4.1).

The weights are initial weights of a model, drawn anew for each seed. Larger
weights, as training may make them, take more bytes and have errors that are a smaller share of
them; the largest error, half a unit of the last decimal, does not depend on them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from fedreact import plugins
from fedreact.compression import polyline
from fedreact.options import Count
from fedreact.rng import generator
from fedreact.studies.costs import ARCHITECTURES


@dataclass(frozen=True)
class Polyline:
    """Bytes per weight, and errors of received weights, by decimals.

    Attributes
    ----------
    architecture
        A file of ``models/architectures/``; its initial weights are compressed.
    channels, steps, outputs
        Channels and steps of the series, and outputs of the task.
    decimals
        Numbers of decimals.
    """

    architecture: Annotated[str, ARCHITECTURES] = "cnn-fedat"
    channels: Count = 28
    steps: Count = 28
    outputs: Count = 10
    decimals: tuple[Count, ...] = (1, 2, 3, 4, 5, 6)

    COLUMNS: ClassVar[tuple[str, ...]] = ("row", "column", "value")

    def run(self, seeds: Sequence[int]) -> Iterator[Sequence[Any]]:
        """Yield means over the seeds."""
        weights = [self._weights(seed) for seed in seeds]
        for decimals in self.decimals:
            means = np.mean([_measured(drawn, decimals) for drawn in weights], axis=0)
            for column, value in zip(_COLUMNS, means):
                yield [_row(decimals), column, float(value)]
        for column, value in zip(_COLUMNS, (4.0, 4.0, 0.0, 0.0)):
            yield ["as they are", column, value]

    def _weights(self, seed: int) -> npt.NDArray[np.float64]:
        import torch

        make = plugins.load("models/architectures", self.architecture, "ARCHITECTURE")
        model = make(in_channels=self.channels, length=self.steps, n_out=self.outputs)
        drawn = generator(seed, "weights of the polyline study").integers(2**63)
        weights: npt.NDArray[np.float64] = (
            model.init(torch.Generator().manual_seed(int(drawn))).double().numpy()
        )
        return weights


_COLUMNS = (
    "Bytes a weight",
    "Bytes a weight, as differences",
    "Largest error (millionths)",
    "Root mean square error (% of the weights')",
)


def _row(decimals: int) -> str:
    return "1 decimal" if decimals == 1 else f"{decimals} decimals"


def _measured(weights: npt.NDArray[np.float64], decimals: int) -> list[float]:
    """Measure bytes and errors of weights, see :data:`_COLUMNS`."""
    text = polyline.encode(weights, decimals)
    as_differences = polyline.encode(weights, decimals, differences=True)
    arrived, _ = polyline.rounded(weights.astype(np.float32), decimals)
    error = arrived - weights
    root = (np.mean(error**2) / np.mean(weights**2)) ** 0.5
    sizes = [len(encoded) / len(weights) for encoded in (text, as_differences)]
    return [*sizes, 1e6 * np.abs(error).max(), 100 * root]


STUDY = Polyline
