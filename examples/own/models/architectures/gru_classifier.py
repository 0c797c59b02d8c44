"""Example of an architecture: a torch module as most people write it, and a class around it.

All but ``Module`` and ``multiply_adds`` can stay as it is for another module of yours. Clients go
through it one by one; ``encoders/gru.py`` shows how they go together, which suits a GPU better.
"""

from dataclasses import dataclass
from functools import cache

import torch
from torch import nn
from torch.func import functional_call

from fedreact.models.flat import FlatWeights


class Module(nn.Module):
    """Gated recurrent units (Cho et al. 2014), and a linear layer on their last state."""

    def __init__(self, in_channels: int, n_out: int, hidden: int):
        super().__init__()
        self.gru = nn.GRU(in_channels, hidden, batch_first=True)
        self.head = nn.Linear(hidden, n_out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the outputs ``[B, n_out]`` of series ``x [B, T, in_channels]``."""
        return self.head(self.gru(x)[0][:, -1])


@dataclass(frozen=True)
class GRUClassifier(FlatWeights):
    """The module, with its weights as one flat vector a client."""

    in_channels: int
    length: int
    n_out: int
    hidden: int = 32

    def module(self) -> Module:
        """Make a module, with weights that torch draws."""
        return Module(self.in_channels, self.n_out, self.hidden)

    @property
    def reads_last(self) -> bool:
        """Whether outputs are read after the last step: padding stands before a series."""
        return True

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight, in the order of the flat vector."""
        return {name: tuple(p.shape) for name, p in _layers(self).named_parameters()}

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch does, from the given generator alone."""
        seed = int(torch.randint(2**62, (), generator=generator))
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            return torch.cat([p.detach().flatten() for p in self.module().parameters()])

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Return the outputs ``[K, B, n_out]`` of ``x [K, B, T, C]`` under weights ``[K, P]``."""
        weights = self.unpack(theta)
        outputs = []
        for k, series in enumerate(x):
            own = {name: values[k] for name, values in weights.items()}
            outputs.append(functional_call(_layers(self), own, series))
        return torch.stack(outputs)

    def multiply_adds(self) -> float:
        """Count the multiply-adds of one series; they become the GFLOPs of the tables."""
        step = 3 * self.hidden * (self.in_channels + self.hidden)
        return self.length * step + self.hidden * self.n_out


@cache
def _layers(shape: GRUClassifier) -> Module:
    """Return a module that lends its layers; each call brings weights of its own."""
    return shape.module()


ARCHITECTURE = GRUClassifier
