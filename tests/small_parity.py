"""Small models and recorded numbers of other code, for tests of parity."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch

from fedreact.engine.local_training import LocalTraining, Work
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.flat import FlatWeights
from fedreact.models.layers import linear
from fedreact.optimizers.sgd import SGD


def recorded(name):
    """What was recorded of a method."""
    return json.loads(
        (Path(__file__).parent / "kinds/algorithms/parity" / f"{name}.json").read_text()
    )


@dataclass(frozen=True)
class Layers(FlatWeights):
    """Affine layers ``inputs -> m -> n_out``, with a ReLU between or without; or the last alone."""

    in_channels: int
    n_features: int
    n_out: int
    relu: bool = True
    length: int = 1
    names: ClassVar[tuple[str, str]] = ("base", "head")

    @property
    def shapes(self):
        base = {"base.weight": (self.n_features, self.in_channels), "base.bias": (self.n_features,)}
        head = {"head.weight": (self.n_out, self.n_features), "head.bias": (self.n_out,)}
        return base | head

    def init(self, generator):
        return torch.randn(self.n_parameters, generator=generator)

    def encode(self, theta, x, training=None):
        h = linear(x[:, :, 0], self.unpack(theta), "base")
        return h.relu() if self.relu else h

    def head(self, theta, h):
        return linear(h, self.unpack(theta), "head")

    def forward(self, theta, x):
        return self.head(theta, self.encode(theta, x))


@dataclass(frozen=True)
class OneLayer(FlatWeights):
    """An affine layer."""

    in_channels: int = 3
    n_out: int = 3
    length: int = 1

    @property
    def shapes(self):
        return {"head.weight": (self.n_out, self.in_channels), "head.bias": (self.n_out,)}

    def init(self, generator):
        return torch.randn(self.n_parameters, generator=generator)

    def forward(self, theta, x):
        return linear(x[:, :, 0], self.unpack(theta), "head")


def one_client(algorithm, X, y, steps, rate, sent, state, **of_sgd):
    """Uploads and state of one client that takes whole batches."""
    data = Data(torch.tensor(X, dtype=sent["theta"].dtype)[:, None], torch.tensor(y))
    training = LocalTraining(SupervisedLoss(algorithm.model), steps, len(y), rate, 1, SGD(**of_sgd))
    rng = [np.random.default_rng(0)]
    return algorithm.local(
        training, sent, state, Work(data, [np.arange(len(y))], lambda purpose: rng)
    )
