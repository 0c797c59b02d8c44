"""FILL IN: the model in one line, with its source. As it stands, it is a small network.

A torch module as most people write it, and a class around it that has the weights of each client as
one flat vector. All but ``Module`` and ``multiply_adds`` can stay as it is.
"""

from dataclasses import dataclass
from functools import cache

import torch
from torch import nn
from torch.func import functional_call

from fedreact.models.flat import FlatWeights


class Module(nn.Module):
    """FILL IN: layers. There must be no batch normalisation and no dropout here."""

    def __init__(self, in_channels: int, n_out: int, hidden: int):
        super().__init__()
        self.convolution = nn.Conv1d(in_channels, hidden, 5, padding=2)
        self.head = nn.Linear(hidden, n_out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the outputs ``[B, n_out]`` of series ``x [B, T, in_channels]``."""
        return self.head(self.convolution(x.transpose(1, 2)).relu().mean(2))


@dataclass(frozen=True)
class Mine(FlatWeights):
    """The module, its weights as a flat vector. Fields after ``n_out`` are sizes."""

    in_channels: int
    length: int
    n_out: int
    hidden: int = 32

    def module(self) -> Module:
        """Make a module, with weights that torch draws."""
        return Module(self.in_channels, self.n_out, self.hidden)

    def multiply_adds(self) -> float:
        """Count the multiply-adds of one series: FILL IN those of your layers."""
        return self.length * 5 * self.in_channels * self.hidden + self.hidden * self.n_out

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


@cache
def _layers(shape: Mine) -> Module:
    """Return a module that lends its layers; each call brings weights of its own."""
    return shape.module()


ARCHITECTURE = Mine
