"""FedFA: FedAvg with noise on the means and spreads of feature maps in training.

Zhou and Konukoglu 2023, "FedFA: Federated feature augmentation", ICLR, section 3. Of the maps
x [B, F, T] of a batch after a block, with mean m and spread s over time, each [B, F],

    V_m, V_s = variance of m and s over the batch                               client
    G_m, G_s = F g / sum g,  g = 1 / (1 + 1/v),  v their variance between clients
    m' = m + e sqrt((1 + G_m) V_m),  s' = s + e sqrt((1 + G_s) V_s),  e ~ N(0, 1)
    x' = s' (x - m) / s + m', with some probability                             client
    theta, and the running m and s of each client: means over clients           server

The authors' code weighs clients equally, as here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol, Self, runtime_checkable

import numpy as np

from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Arrays, FeatureAlgorithm, Tensors, Weights
from fedreact.options import Probability

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.models.architectures.contract import Architecture
    from fedreact.models.layers import Training

EPSILON = 1e-6


@runtime_checkable
class WithBlocks(Protocol):
    """An architecture whose features can be changed after each of its blocks, as those of cnn."""

    @property
    def widths(self) -> Sequence[int]:
        """Features F of each block."""

    def encode(
        self,
        theta: "torch.Tensor",
        x: "torch.Tensor",
        training: "Training | None",
        after: "Callable[[int, torch.Tensor], torch.Tensor]",
    ) -> "torch.Tensor":
        """Compute features ``[K, B, m]``; ``after(i, h)`` changes ``h [K, B, F, T]`` of block i."""


@dataclass(frozen=True)
class FedFA(FeatureAlgorithm, FedAvg):
    """Augmented features.

    How far depends on the channel: by how much they vary within a client's batch, and more where
    they vary between clients. Clients send running means of both.

    Attributes
    ----------
    probability
        Probability of augmenting a batch at a layer.
    momentum
        Momentum of the running means.
    between
        Variance of channels between clients: for each channel, as in the paper, or one number for
        all, as in the authors' code, which gives every channel the same weight.
    """

    probability: Probability = 0.5
    momentum: Probability = 0.99
    between: Literal["channels", "all"] = "channels"
    weights: Weights = field(default="equal", kw_only=True)

    def on(self, architecture: "Architecture") -> Self:
        """Refuse an architecture that does not say where its blocks end."""
        algorithm = super().on(architecture)
        if not isinstance(architecture, WithBlocks):
            raise UserError(
                f"architecture {type(architecture).__name__} has no blocks whose features could be "
                "augmented (widths, and encode with `after`); take one that has, as cnn"
            )
        return algorithm

    @property
    def _blocks(self) -> WithBlocks:
        """The architecture, as one with blocks."""
        return self._model

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the model, clients' mean statistics ``[2, F]`` of each block, and their variance.

        Statistics are means and spreads of the features.
        """
        server = {"theta": theta}
        for i, width in enumerate(self._blocks.widths):
            server[f"mean{i}"] = np.stack([np.zeros(width), np.ones(width)]).astype(np.float32)
            server[f"variance{i}"] = np.ones((2, width), np.float32)
        return server

    def sent(self, server: Arrays) -> Arrays:
        """Return the model and statistics."""
        return server

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train on augmented features, and follow their statistics."""
        from fedreact.kinds.supervised import supervised_loss
        from fedreact.losses.on_features import OnFeatures

        K, blocks = len(work.clients), range(len(self._blocks.widths))
        running = [sent[f"mean{i}"].expand(K, -1, -1).clone() for i in blocks]
        gammas = [spread_weights(sent[f"variance{i}"]) for i in blocks]

        def encode(
            theta: "torch.Tensor", x: "torch.Tensor", step: "Training", which: Sequence[int]
        ) -> "torch.Tensor":
            def after(i: int, h: "torch.Tensor") -> "torch.Tensor":
                return self._augmented(h, running[i], gammas[i], step, which)

            layers_step = step if self.model.trains_otherwise else None
            return self._blocks.encode(theta, x, layers_step, after)

        loss = supervised_loss(training.objective)
        objective = OnFeatures(self.model, loss.kind, error=loss.error, encode=encode)
        training = replace(training, objective=objective)
        uploads, state = super().local(training, sent, state, work)
        return uploads | {f"mean{i}": running[i] for i in blocks}, state

    def _augmented(
        self,
        h: "torch.Tensor",
        running: "torch.Tensor",
        gamma: "torch.Tensor",
        step: "Training",
        which: Sequence[int],
    ) -> "torch.Tensor":
        """Features ``[K, B, F, T]`` after a block, of some clients augmented."""
        import torch

        features = []
        n_samples = step.counts.sum(1).tolist()
        for k, h_k, n, generator in zip(which, h, n_samples, step.generators):
            u = torch.rand((), generator=generator)
            noise = torch.randn(2, n, h.shape[2], generator=generator).to(h)
            if u > self.probability or n < 2:
                features.append(h_k)
                continue
            changed, statistics = augmented(h_k[:n], gamma, noise)
            running[k] = self.momentum * running[k] + (1 - self.momentum) * statistics
            features.append(torch.cat([changed, h_k[n:]]))
        return torch.stack(features)

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Average models and clients' statistics; take the variance of these between clients."""
        after = super().aggregate(server, uploads, n_samples)
        for i in range(len(self._blocks.widths)):
            means = uploads[f"mean{i}"]
            mean = np.average(means, axis=0, weights=self.shares(n_samples))
            after[f"mean{i}"] = mean.astype(means.dtype)
            axes = 0 if self.between == "channels" else (0, 2)
            if len(means) > 1:
                variance = means.var(axis=axes, ddof=1, keepdims=self.between == "all")
                after[f"variance{i}"] = np.broadcast_to(
                    variance.reshape(2, -1), after[f"variance{i}"].shape
                ).astype(np.float32)
        return after


def spread_weights(variance: "torch.Tensor") -> "torch.Tensor":
    """Compute weights gamma ``[2, F]`` of channels, of mean 1: more, if clients differ more."""
    share = 1 / (1 + 1 / (variance + EPSILON))
    return share.shape[1] * share / share.sum(1, keepdim=True)


def augmented(
    h: "torch.Tensor", gamma: "torch.Tensor", noise: "torch.Tensor"
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Augment feature maps ``h [B, F, T]`` by normal draws ``noise [2, B, F]``.

    Returns
    -------
    features, statistics
        ``[B, F, T]``, and ``[2, F]``: mean over the batch of the maps' means and spreads.
    """
    import torch

    mean, spread = h.mean(2), (h.var(2) + EPSILON).sqrt()
    statistics = torch.stack([mean, spread])  # [2, B, F]
    variance = statistics.var(1) + EPSILON
    new = statistics + noise * ((1 + gamma) * variance).sqrt()[:, None]
    changed = (h - mean[..., None]) / spread[..., None] * new[1, ..., None] + new[0, ..., None]
    return changed, statistics.mean(1).detach()


ALGORITHM = FedFA
