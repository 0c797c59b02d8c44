"""LSTM classifier, a supervised baseline of Fed-REACT (section 4.1.1; appendix D).

"Single-layer LSTM model with a feature embedding dimension of 128 and a hidden size of 256": a
linear embedding of each step, one LSTM layer (Hochreiter and Schmidhuber 1997, with forget gates:
Gers et al. 2000), and a linear head on the last hidden state. Three channels and ten classes give
398,346 weights, the 398.35 K of Table 12.

Nothing stands between the embedding and the gates, so both are one affine map, whose matrix
``weight_ih @ embedding`` is computed first: the gates then read 3 channels instead of 128
features. Results are the same, and a training step takes three quarters of the time.
"""

from dataclasses import dataclass
from math import sqrt

import torch

from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import linear, lstm


@dataclass(frozen=True)
class LSTMClassifier(FlatWeights):
    """Shape of the classifier; its weights live in flat vectors, one row a client.

    ``length`` changes no weight: it is what :meth:`multiply_adds` counts.
    """

    in_channels: int = 3
    n_out: int = 10
    length: int = 100
    embedding: int = 128
    hidden: int = 256

    @property
    def reads_last(self) -> bool:
        """Whether outputs are read after the last step: padding stands before a series."""
        return True

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector.

        Rows of the LSTM's matrices are the input, forget, cell and output gates, as in
        ``torch.nn.LSTM``, which has two biases; they are kept, since Table 12 counts both.
        """
        gates = 4 * self.hidden
        return {
            "embedding.weight": (self.embedding, self.in_channels),
            "embedding.bias": (self.embedding,),
            "lstm.weight_ih": (gates, self.embedding),
            "lstm.weight_hh": (gates, self.hidden),
            "lstm.bias_ih": (gates,),
            "lstm.bias_hh": (gates,),
            "head.weight": (self.n_out, self.hidden),
            "head.bias": (self.n_out,),
        }

    def multiply_adds(self) -> float:
        """Count multiply-adds for one series: embedding, gates and head."""
        gates = 4 * self.hidden * (self.embedding + self.hidden)
        return self.length * (self.in_channels * self.embedding + gates) + self.hidden * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do.

        Uniform within 1/sqrt(in_channels) for the embedding and 1/sqrt(hidden) for the rest.
        """
        parts = []
        for name, shape in self.shapes.items():
            fan_in = self.in_channels if name.startswith("embedding") else self.hidden
            parts.append((torch.rand(shape, generator=generator) * 2 - 1).flatten() / sqrt(fan_in))
        return torch.cat(parts)

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of ``x [K, B, T, C]``, for any T, under ``[K, P]``."""
        w = self.unpack(theta)
        into = w["lstm.weight_ih"] @ w["embedding.weight"]
        bias = w["lstm.bias_ih"] + (w["lstm.weight_ih"] @ w["embedding.bias"][..., None])[..., 0]
        h = lstm(x, into, w["lstm.weight_hh"], bias, w["lstm.bias_hh"])
        return linear(h, w, "head")


ARCHITECTURE = LSTMClassifier
