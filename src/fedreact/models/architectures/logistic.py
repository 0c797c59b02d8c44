"""Multinomial logistic regression on all values of a series: the convex model of FedAT.

Y. Chen's dissertation, section 7.4.1, trains one on texts. Where several labels can be true it is a
logistic regression for each, and with the squared error a linear regression.
"""

from dataclasses import dataclass
from math import sqrt

import torch

from fedreact.models.architectures.contract import check_length
from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import Training, linear


@dataclass(frozen=True)
class Logistic(FlatWeights):
    """A linear layer; its features are the values of the series, step by step."""

    in_channels: int = 3
    n_out: int = 10
    length: int = 100

    @property
    def n_features(self) -> int:
        """Length m of the features."""
        return self.length * self.in_channels

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        return {"head.weight": (self.n_out, self.n_features), "head.bias": (self.n_out,)}

    def multiply_adds(self) -> float:
        """Count multiply-adds for one series."""
        return self.n_features * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        return (torch.rand(self.n_parameters, generator=generator) * 2 - 1) / sqrt(self.n_features)

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Return the values ``[K, B, m]`` of series ``x [K, B, T, C]``."""
        check_length(x, self)
        return x.flatten(2)

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of features."""
        return linear(h, self.unpack(theta), "head")

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""
        return self.head(theta, self.encode(theta, x))


ARCHITECTURE = Logistic
