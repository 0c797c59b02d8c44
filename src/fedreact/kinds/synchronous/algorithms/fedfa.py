"""FedFA (Zhou and Konukoglu 2023, "FedFA: Federated feature augmentation")."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.options import Probability

if TYPE_CHECKING:
    import torch

EPSILON = 1e-6


@dataclass(frozen=True)
class FedFA(FedAvg):
    """FedAvg with noise on the means and spreads of feature maps in training.

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

    def on(self, architecture):
        """The architecture must say where its blocks end."""
        from fedreact.models.architectures.contract import with_features

        if not hasattr(with_features(architecture), "widths"):
            raise UserError(
                f"architecture {type(architecture).__name__} has no blocks whose features could be "
                "augmented (widths, and encode with `after`); take one that has, as cnn"
            )
        return super().on(architecture)

    def server(self, theta, n_clients):
        """Of each block: clients' mean statistics ``[2, F]`` (means, spreads), and their
        variance.
        """
        kept = {"theta": theta}
        for i, width in enumerate(self.model.widths):
            kept[f"mean{i}"] = np.stack([np.zeros(width), np.ones(width)]).astype(np.float32)
            kept[f"variance{i}"] = np.ones((2, width), np.float32)
        return kept

    def sent(self, server):
        """The model and statistics."""
        return server

    def local(self, training, sent, state, work):
        """Train on augmented features, and follow their statistics."""
        from fedreact.losses.on_features import OnFeatures

        K, blocks = len(work.clients), range(len(self.model.widths))
        running = [sent[f"mean{i}"].expand(K, -1, -1).clone() for i in blocks]
        gammas = [spread_weights(sent[f"variance{i}"]) for i in blocks]

        def encode(theta, x, step, which):
            def after(i, h):
                return self._augmented(h, running[i], gammas[i], step, which)

            given = step if self.model.trains_otherwise else None
            return self.model.encode(theta, x, given, after)

        usual = training.objective
        objective = OnFeatures(self.model, usual.kind, error=usual.error, encode=encode)
        training = replace(training, objective=objective)
        uploads, state = super().local(training, sent, state, work)
        return uploads | {f"mean{i}": running[i] for i in blocks}, state

    def _augmented(self, h, running, gamma, step, which):
        """Features ``[K, B, F, T]`` after a block, of some clients augmented."""
        import torch

        done = []
        n_samples = step.counts.sum(1).tolist()
        for k, one, n, generator in zip(which, h, n_samples, step.generators):
            u = torch.rand((), generator=generator)
            noise = torch.randn(2, n, h.shape[2], generator=generator).to(h)
            if u > self.probability or n < 2:
                done.append(one)
                continue
            changed, seen = augmented(one[:n], gamma, noise)
            running[k] = self.momentum * running[k] + (1 - self.momentum) * seen
            done.append(torch.cat([changed, one[n:]]))
        return torch.stack(done)

    def aggregate(self, server, uploads, n_samples):
        """Also means of clients' statistics, and their variance between clients."""
        kept = super().aggregate(server, uploads, n_samples)
        for i in range(len(self.model.widths)):
            of_clients = uploads[f"mean{i}"]
            kept[f"mean{i}"] = of_clients.mean(0)
            axes = 0 if self.between == "channels" else (0, 2)
            if len(of_clients) > 1:
                variance = of_clients.var(axis=axes, ddof=1, keepdims=self.between == "all")
                kept[f"variance{i}"] = np.broadcast_to(
                    variance.reshape(2, -1), kept[f"variance{i}"].shape
                ).astype(np.float32)
        return kept


def spread_weights(variance: "torch.Tensor") -> "torch.Tensor":
    """Weights gamma ``[2, F]`` of channels, of mean 1: more, where clients differ more."""
    share = 1 / (1 + 1 / (variance + EPSILON))
    return share.shape[1] * share / share.sum(1, keepdim=True)


def augmented(
    h: "torch.Tensor", gamma: "torch.Tensor", noise: "torch.Tensor"
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Augment feature maps ``h [B, F, T]`` by normal draws ``noise [2, B, F]``.

    Returns
    -------
    features, seen
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
