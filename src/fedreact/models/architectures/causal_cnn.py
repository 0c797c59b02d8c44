"""The causal CNN with a linear head, a supervised baseline of Fed-REACT (Table 1)."""

from dataclasses import dataclass
from math import sqrt

import torch

from fedreact.models.causal_cnn import CausalCNN
from fedreact.models.flat import FlatWeights, Shapes


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
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        features = self.encoder.out_channels
        head = {"head.weight": (self.n_out, features), "head.bias": (self.n_out,)}
        return self.encoder.shapes | head

    def multiply_adds(self) -> float:
        """Count multiply-adds for one series: of the encoder and the head."""
        encoder = self.encoder
        return encoder.multiply_adds(self.length) + encoder.out_channels * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        encoder = self.encoder
        n_head = self.n_out * (encoder.out_channels + 1)
        head = (torch.rand(n_head, generator=generator) * 2 - 1) / sqrt(encoder.out_channels)
        return torch.cat([encoder.init(generator), head])

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of ``x [K, B, T, C]``, for any T, under ``[K, P]``."""
        encoder = self.encoder
        n_head = self.n_out * (encoder.out_channels + 1)
        encoder_theta, head = theta.split([theta.shape[1] - n_head, n_head], dim=1)
        features = encoder.encode(encoder_theta, x.transpose(1, 2))
        weight, bias = head.split([n_head - self.n_out, self.n_out], dim=1)
        return torch.baddbmm(bias[:, None], features, weight.unflatten(1, (self.n_out, -1)).mT)


ARCHITECTURE = CausalCNNClassifier
