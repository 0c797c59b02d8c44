"""Example of an encoder: gated recurrent units (Cho et al. 2014), then a linear map."""

from dataclasses import dataclass

import torch

from fedreact.models.flat import FlatWeights


@dataclass(frozen=True)
class GRU(FlatWeights):
    """Shape of the encoder; a series' features are a linear map of its last hidden state."""

    in_channels: int
    hidden: int = 32
    out_channels: int = 64

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight; rows are the reset gate, update gate and candidate."""
        return {
            "input.weight": (3 * self.hidden, self.in_channels),
            "input.bias": (3 * self.hidden,),
            "hidden.weight": (3 * self.hidden, self.hidden),
            "hidden.bias": (3 * self.hidden,),
            "linear.weight": (self.out_channels, self.hidden),
            "linear.bias": (self.out_channels,),
        }

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch.nn.GRU does: uniform within 1/sqrt(hidden)."""
        return (torch.rand(self.n_parameters, generator=generator) * 2 - 1) * self.hidden**-0.5

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, lengths: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Encode ``x [K, L, B, channels]`` as ``[K, B, out_channels]``; see ``Encoder``."""
        w = self.unpack(theta)
        K, L, B, _ = x.shape
        from_input = torch.baddbmm(w["input.bias"][:, None], x.flatten(1, 2), w["input.weight"].mT)
        h = x.new_zeros(K, B, self.hidden)
        for t, step in enumerate(from_input.unflatten(1, (L, B)).unbind(1)):
            from_hidden = torch.baddbmm(w["hidden.bias"][:, None], h, w["hidden.weight"].mT)
            r, z, n = step.chunk(3, -1)
            r_h, z_h, n_h = from_hidden.chunk(3, -1)
            z = torch.sigmoid(z + z_h)
            new = z * h + (1 - z) * torch.tanh(n + torch.sigmoid(r + r_h) * n_h)
            # A client whose series have ended keeps its state.
            h = new if lengths is None else torch.where((t < lengths)[:, None, None], new, h)
        return torch.baddbmm(w["linear.bias"][:, None], h, w["linear.weight"].mT)

    def multiply_adds(self, length: float) -> float:
        """Count the multiply-adds of a series of so many steps, for the GFLOPs of the tables."""
        step = 3 * self.hidden * (self.in_channels + self.hidden)
        return length * step + self.out_channels * self.hidden


ENCODER = GRU
