"""A federation to train: simulated windows of unequal clients, a model, batches in a fixed order.

All frameworks take the same batches in the same order, which is the package's own: so their weights
agree up to rounding.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import prod, sqrt

import numpy as np
import torch
from plain import PLAIN
from torch import nn
from torch.nn import functional as F

from fedreact.models.architectures.causal_cnn import CausalCNNClassifier
from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import convolve, linear
from fedreact.rng import generator


@dataclass(frozen=True)
class WindowCNN(FlatWeights):
    """Two convolutions over time, each with ReLU and a pooling of two steps, and a linear head.

    It is an architecture of the package. Without batch normalisation, since pfl averages nothing
    but what gradients train.
    """

    in_channels: int = 9
    length: int = 128
    n_out: int = 6
    widths: tuple[int, int] = (32, 64)
    kernel: int = 5

    @property
    def steps(self) -> int:
        """Steps that are left before the head."""
        left = self.length
        for _ in self.widths:
            left = (left - self.kernel + 1) // 2
        return left

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        shapes: Shapes = {}
        channels = self.in_channels
        for i, width in enumerate(self.widths):
            shapes |= {f"{i}.weight": (width, channels, self.kernel), f"{i}.bias": (width,)}
            channels = width
        return shapes | {
            "head.weight": (self.n_out, channels * self.steps),
            "head.bias": (self.n_out,),
        }

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        parts, fan_in = [], 1
        for name, shape in self.shapes.items():
            if name.endswith("weight"):  # its bias comes next
                fan_in = prod(shape[1:])
            parts.append((torch.rand(prod(shape), generator=generator) * 2 - 1) / sqrt(fan_in))
        return torch.cat(parts)

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""
        w, h = self.unpack(theta), x.transpose(2, 3)
        for i in range(len(self.widths)):
            h = convolve(h, w[f"{i}.weight"]) + w[f"{i}.bias"][:, None, :, None]
            h = F.max_pool2d(h.relu(), (1, 2))
        return linear(h.flatten(2), w, "head")


class PlainWindowCNN(nn.Sequential):
    """The same of torch's own layers."""

    def __init__(self, a: WindowCNN):
        layers: list[nn.Module] = []
        channels = a.in_channels
        for width in a.widths:
            layers += [nn.Conv1d(channels, width, a.kernel), nn.ReLU(), nn.MaxPool1d(2)]
            channels = width
        super().__init__(*layers, nn.Flatten(), nn.Linear(channels * a.steps, a.n_out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the logits of ``x [B, T, C]``."""
        return super().forward(x.mT)


MODELS = {
    "window-cnn": (WindowCNN, PlainWindowCNN),
    "causal-cnn": (CausalCNNClassifier, PLAIN["causal-cnn"]),
}
"""Architectures of the package, and the same as modules of torch."""


@dataclass(frozen=True)
class Case:
    """A federation.

    Attributes
    ----------
    windows
        Number of windows, of which each client holds a random part, so that the memory of many
        clients is that of the framework and not of data.
    least, most
        Bounds of the number of windows of a client.
    """

    name: str
    model: str
    channels: int
    length: int
    classes: int
    optimizer: str
    learning_rate: float
    windows: int = 10_000
    least: int = 50
    most: int = 150
    clients: int = 100
    epochs: int = 5
    batch: int = 50

    @property
    def architecture(self) -> FlatWeights:
        """The model as an architecture of the package."""
        kind = MODELS[self.model][0]
        return kind(in_channels=self.channels, length=self.length, n_out=self.classes)

    def theta(self) -> np.ndarray:
        """Draw the weights ``[P]`` that all frameworks start from."""
        return self.architecture.init(torch.Generator().manual_seed(0)).numpy()

    def data(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return all windows ``[N, T, C]`` and their labels; drawn once in a process."""
        # Cases that differ in clients share it.
        return _data(replace(self, clients=0, epochs=0))

    def prepare(self) -> None:
        """Draw the windows and train a model that is thrown away, before the first round.

        Torch imports parts of its optimizers at the first of them: seconds that are start-up.
        """
        self.data()
        replace(self, clients=1, epochs=1).train(self.module(self.theta()), 0, 0)

    def client(self, k: int) -> np.ndarray:
        """Draw the windows that a client holds."""
        rng = generator(0, "client", k)
        return rng.choice(self.windows, rng.integers(self.least, self.most + 1), replace=False)

    def epochs_of(self, k: int, t: int) -> Iterator[list[torch.Tensor]]:
        """Yield a client's batches of windows of each epoch of round t, the package's own."""
        windows, rng = self.client(k), generator(0, "local training", t, k)
        for _ in range(self.epochs):
            yield list(torch.from_numpy(rng.permutation(windows)).split(self.batch))

    def module(self, theta: np.ndarray) -> nn.Module:
        """Make the model as a module of torch with weights ``[P]``."""
        module = MODELS[self.model][1](self.architecture)
        set_flat(module, theta)
        return module

    def module_of(self, state: dict[str, torch.Tensor]) -> nn.Module:
        """Make the model as a module of torch with the state of another."""
        module = MODELS[self.model][1](self.architecture)
        module.load_state_dict(state)
        return module

    def train(self, module: nn.Module, k: int, t: int) -> None:
        """Train a client in round t as most people write it."""
        kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[self.optimizer]
        optimizer, (X, y) = kind(module.parameters(), lr=self.learning_rate), self.data()
        for batches in self.epochs_of(k, t):
            for batch in batches:
                optimizer.zero_grad()
                F.cross_entropy(module(X[batch]), y[batch]).backward()
                optimizer.step()

    def loss(self, theta: np.ndarray) -> float:
        """Compute the mean loss of the first thousand windows under weights ``[P]``."""
        X, y = self.data()
        with torch.no_grad():
            return float(F.cross_entropy(self.module(theta)(X[:1000]), y[:1000]))


HAR = Case("har", "window-cnn", 9, 128, 6, optimizer="sgd", learning_rate=0.1)
FED_REACT = Case("fed-react", "causal-cnn", 3, 100, 10, optimizer="adam", learning_rate=1e-3)
CASES = {case.name: case for case in (HAR, FED_REACT)}


def as_words(case: Case) -> dict[str, str | int | float]:
    """Return a case as words and numbers, ``Case(**words)`` again, for messages."""
    return asdict(case)


@cache
def _data(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    rng = generator(0, "windows")
    y = rng.integers(0, case.classes, case.windows)
    X = rng.standard_normal((case.windows, case.length, case.channels), np.float32)
    shapes = rng.standard_normal((case.classes, case.length, case.channels), np.float32)
    return torch.from_numpy(X + 0.3 * shapes[y]), torch.from_numpy(y)


def parameters(module: nn.Module) -> list[nn.Parameter]:
    """List the parameters in the order of the package: of each layer its weight, then its bias."""
    ordered = []
    for layer in module.modules():
        if hasattr(layer, "parametrizations"):  # norms of weights lie behind their directions
            norms = layer.parametrizations.weight
            ordered += [norms.original1, norms.original0, layer.bias]
        elif isinstance(layer, nn.Linear | nn.Conv1d):
            ordered += [layer.weight, layer.bias]
    return ordered


def flat(module: nn.Module) -> np.ndarray:
    """Return the weights ``[P]`` of a module."""
    return torch.cat([p.detach().flatten() for p in parameters(module)]).numpy()


def set_flat(module: nn.Module, theta: np.ndarray) -> None:
    """Give a module weights ``[P]``."""
    place = 0
    with torch.no_grad():
        for parameter in parameters(module):
            values = torch.from_numpy(theta[place : place + parameter.numel()])
            parameter.copy_(values.view_as(parameter))
            place += parameter.numel()
