"""One LSTM layer and one fully connected layer: ASO-Fed's model of its three sensor datasets.

Y. Chen's dissertation, section 5.3.2: "a single layer LSTM followed by a fully connected layer".
Its width is not said there; 64 is that of the LSTMs of section 3.2.1. These are written in Keras,
which has one bias of the gates where torch has two, and so has this: 19,842 weights for FitRec (12
channels, 2 outputs), 90,611 for ExtraSensory (276 channels, 51 outputs).
"""

from dataclasses import dataclass
from math import sqrt

import torch

from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import Training, linear, lstm


@dataclass(frozen=True)
class PlainLSTM(FlatWeights):
    """An LSTM on the series themselves, and a linear head on its last hidden state.

    ``length`` changes no weight: it is what :meth:`multiply_adds` counts.

    Attributes
    ----------
    hidden
        Hidden states, which are the features.
    """

    in_channels: int = 12
    n_out: int = 2
    length: int = 10
    hidden: int = 64

    @property
    def n_features(self) -> int:
        """Length m of the features."""
        return self.hidden

    @property
    def reads_last(self) -> bool:
        """Whether outputs are read after the last step: padding stands before a series."""
        return True

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector.

        Rows of the LSTM's matrices are the input, forget, cell and output gates. The first matrix
        multiplies the input.
        """
        gates = 4 * self.hidden
        return {
            "lstm.weight_ih": (gates, self.in_channels),
            "lstm.weight_hh": (gates, self.hidden),
            "lstm.bias": (gates,),
            "head.weight": (self.n_out, self.hidden),
            "head.bias": (self.n_out,),
        }

    def multiply_adds(self) -> float:
        """Count multiply-adds for one series: gates and head."""
        gates = 4 * self.hidden * (self.in_channels + self.hidden)
        return self.length * gates + self.hidden * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(hidden)."""
        return (torch.rand(self.n_parameters, generator=generator) * 2 - 1) / sqrt(self.hidden)

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Compute last hidden states ``[K, B, m]`` of series ``x [K, B, T, C]``, any T."""
        return self._states(self.unpack(theta), x)

    def _states(self, w: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Compute last hidden states ``[K, B, m]``."""
        bias = w["lstm.bias"]
        return lstm(x, w["lstm.weight_ih"], w["lstm.weight_hh"], bias, torch.zeros_like(bias))

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of features."""
        return linear(h, self.unpack(theta), "head")

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""
        w = self.unpack(theta)  # once: each time costs a gradient of all weights
        return linear(self._states(w, x), w, "head")


ARCHITECTURE = PlainLSTM
