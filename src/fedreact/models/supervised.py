"""Supervised architectures of Fed-REACT's Table 1, and the causal CNN with a linear head."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

import torch

from fedreact.models.causal_cnn import CausalCNN
from fedreact.models.flat import FlatWeights
from fedreact.models.lstm import LSTM
from fedreact.models.patchtst import PatchTST
from fedreact.models.timesnet import TimesNet


class Architecture(Protocol):
    """What training, aggregation and cost counts need of a model."""

    in_channels: int
    n_out: int
    length: int

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight, in the order of the flat vector."""

    @property
    def n_parameters(self) -> int:
        """Length P of the flat vector."""

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]``."""

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under weights ``[K, P]``."""


@dataclass(frozen=True)
class CausalCNNClassifier(FlatWeights):
    """The encoder of Phase 1 with a linear head, trained with labels (Fed-REACT, Table 1).

    156,590 weights with three channels and ten classes, the 156.59 K of Table 12. The first weights
    are the encoder's, so ``theta[:, :encoder.n_parameters]`` encodes.
    """

    in_channels: int = 3
    n_out: int = 10
    length: int = 100

    @property
    def encoder(self) -> CausalCNN:
        """The encoder, of the size that Table 12 counts."""
        return CausalCNN(in_channels=self.in_channels)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight, in the order of the flat vector."""
        features = self.encoder.out_channels
        head = {"head.weight": (self.n_out, features), "head.bias": (self.n_out,)}
        return self.encoder.shapes | head

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        encoder = self.encoder
        n_head = self.n_out * (encoder.out_channels + 1)
        head = (torch.rand(n_head, generator=generator) * 2 - 1) / sqrt(encoder.out_channels)
        return torch.cat([encoder.init(generator), head])

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Outputs ``[K, B, n_out]`` of ``x [K, B, T, C]``, any T, under weights ``[K, P]``."""
        encoder = self.encoder
        n_head = self.n_out * (encoder.out_channels + 1)
        encoder_theta, head = theta.split([theta.shape[1] - n_head, n_head], dim=1)
        features = encoder.encode(encoder_theta, x.transpose(1, 2))
        weight, bias = head.split([n_head - self.n_out, self.n_out], dim=1)
        return torch.baddbmm(bias[:, None], features, weight.unflatten(1, (self.n_out, -1)).mT)


ARCHITECTURES: dict[str, Callable[[int, int, int], Architecture]] = {
    name: (lambda in_channels, length, n_out, kind=kind: kind(in_channels, n_out, length))
    for name, kind in {
        "lstm": LSTM,
        "timesnet": TimesNet,
        "patchtst": PatchTST,
        "causal-cnn": CausalCNNClassifier,
    }.items()
}
"""Constructors by name, each called with ``in_channels, length, n_out`` in that order."""
