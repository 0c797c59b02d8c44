"""FedICON: features by supervised contrast of samples, adapted without labels at test time.

Tan, Chen, Zhuang, Dong, Lyu and Long 2023, "Is heterogeneity notorious? Taming heterogeneity to
handle test-time shift in federated learning", NeurIPS. With z the features of length 1 of two views
of each sample, P(i) the other views with the label of view i, and A(i) all other views,

    l_ip  = -log (exp(z_i z_p / tau) / sum_{a in A(i)} exp(z_i z_a / tau))
    L     = tau / .07 times the mean over i of the mean of l_ip over P(i)
    w_k   = theta, then steps on L: no gradient reaches the head          client
    theta = sum_k n_k w_k / sum_k n_k                                     server
    head_k: a pass on the cross-entropy, on fixed features                client, kept
    features descend on L without labels, P(i) the other view alone       test

L is the supervised contrastive loss of Khosla et al. 2020, eq. 2, with its code's factor.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from fedreact.kinds.synchronous.algorithms.heads import fit_heads
from fedreact.kinds.synchronous.contract import (
    PREPARE,
    Arrays,
    FeatureAlgorithm,
    Tensors,
    copies,
)
from fedreact.options import Count, Natural, NonNegative, Positive, Probability
from fedreact.task import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.objective import Objective
    from fedreact.losses.on_features import OnFeatures
    from fedreact.models.layers import Training

BASE_TEMPERATURE = 0.07  # of the loss's authors (Khosla et al. 2020)


@dataclass(frozen=True)
class FedICON(FeatureAlgorithm):
    """Contrast between samples.

    A client's head is fitted to the shared features as they
    are, by a pass in each round and before each test; the authors' code also trains a shared one in
    the last five rounds (``fedicon`` in config/papers/fedst/ledger.yaml).

    Attributes
    ----------
    tau
        Temperature of the contrast.
    scaling, jitter
        Spread of the factor of each channel, and of the noise, in an augmented view.
    adaption
        Adaption at test time: by contrast of two views, as in the paper; by entropy of outputs, as
        in the authors' code, which adapts normalisations only; or none.
    test_rate, test_momentum, test_epochs, test_batch
        Options of the gradient descent on the whole unlabelled test set.
    """

    tau: Positive = 0.1
    scaling: NonNegative = 0.1
    jitter: NonNegative = 0.1
    adaption: Literal["contrast", "entropy", "none"] = "contrast"
    test_rate: NonNegative = 0.005
    test_momentum: Probability = 0.9
    test_epochs: Natural = 5
    test_batch: Count = 128
    models: ClassVar[int] = 2
    passes: ClassVar[int] = 1
    prepares: ClassVar[bool] = True

    @staticmethod
    def skip(task: Task) -> str | None:
        """Refuse tasks without labels, which are contrasted."""
        return None if task.kind == "classification" else "it contrasts labels"

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the models that clients test with."""
        return {"own": copies(theta, n_clients)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Fit a head to the features received; then train features on two views of each batch."""
        import torch

        from fedreact.losses.on_features import OnFeatures

        start = work.start_weights(sent["theta"])
        own = start.clone()
        own[:, self._head] = state["own"][:, self._head]
        own[:, self._head], _ = fit_heads(
            head=self.model.head,
            encode=self.model.encode,
            places=self._head,
            theta=own,
            training=training,
            work=work,
        )

        if PREPARE in sent:
            return {"theta": start}, {"own": own}

        def encode(
            theta: "torch.Tensor", x: "torch.Tensor", step: "Training", which: "Sequence[int]"
        ) -> "torch.Tensor":
            return self._encode_views(theta, x, step)

        def rule(
            loss: "OnFeatures",
            theta: "torch.Tensor",
            h: "torch.Tensor",
            y: "torch.Tensor",
            counts: "torch.Tensor",
            which: "Sequence[int]",
        ) -> "torch.Tensor":
            return contrast(torch.nn.functional.normalize(h, dim=-1), self.tau, counts, y)

        training = replace(training, objective=OnFeatures(self.model, rule=rule, encode=encode))
        theta = training.descend(start, work, training.draw(work))
        return {"theta": theta}, {"own": own}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the features received last, and the heads fitted to them."""
        return state["own"]

    def adapt(self, objective: "Objective", state: Tensors, x: "torch.Tensor") -> "torch.Tensor":
        """Compute outputs after passes over the whole test set, by the same draws for all."""
        import torch

        from fedreact.engine.local_training import backpropagate

        model, theta = self.model, state["theta"][None].clone()
        generators = [torch.Generator().manual_seed(0)]
        moved, velocity = self._moved(theta), torch.zeros_like(theta)
        for _ in range(0 if self.adaption == "none" else self.test_epochs):
            order = torch.randperm(len(x), generator=generators[0])
            for batch in torch.split(order, self.test_batch):
                step = _step(len(batch), generators)
                leaf = theta.detach().requires_grad_()
                gradient = backpropagate(self._test_loss(leaf, x[batch][None], step), leaf)
                velocity = self.test_momentum * velocity + gradient * moved
                theta = theta - self.test_rate * velocity
                for name, values in step.buffers.items():
                    model.unpack(theta)[name].copy_(values.detach())
        with torch.inference_mode():
            return model.forward(theta, x[None])[0]

    def _test_loss(
        self, theta: "torch.Tensor", x: "torch.Tensor", step: "Training"
    ) -> "torch.Tensor":
        """Contrast two views of ``x [1, B, T, C]``, or take the entropy of outputs."""
        import torch

        if self.adaption == "entropy":
            outputs = self.model.head(theta, self._encode(theta, x, step))[0]
            return -(outputs.softmax(1) * outputs.log_softmax(1)).sum(1).mean()
        z = torch.nn.functional.normalize(self._encode_views(theta, x, step), dim=-1)
        return contrast(z, self.tau, step.counts)[0]

    def _moved(self, theta: "torch.Tensor") -> "torch.Tensor":
        """Mark the weights that move at test time by 1, others by 0, ``[1, P]``."""
        import torch

        layers = {name.rpartition(".")[0] for name in self.model.buffers}
        norms = [n for n in self.model.shapes if n.rpartition(".")[0] in layers]
        moved = torch.zeros_like(theta)
        moved[:, self.model.part(*norms) if self.adaption == "entropy" else slice(None)] = 1
        moved[:, self._head] = 0
        return moved

    def _encode(self, theta: "torch.Tensor", x: "torch.Tensor", step: "Training") -> "torch.Tensor":
        """Compute features ``[K, B, m]``, in the training step if layers do otherwise in it."""
        if self.model.trains_otherwise:
            return self.model.encode(theta, x, step)
        return self.model.encode(theta, x)

    def _encode_views(
        self, theta: "torch.Tensor", x: "torch.Tensor", step: "Training"
    ) -> "torch.Tensor":
        """Features ``[K, 2 B, m]`` of a first view of all samples of ``x``, then of a second."""
        import torch

        # Both views of a sample stand side by side, so that what fills up a batch is at its end.
        views = torch.stack([self.view(x, step), self.view(x, step)], 2).flatten(1, 2)
        counts, step.counts = step.counts, step.counts.repeat_interleave(2, 1)
        h = self._encode(theta, views, step)
        step.counts = counts
        return torch.cat([h[:, 0::2], h[:, 1::2]], 1)

    def view(self, x: "torch.Tensor", step: "Training") -> "torch.Tensor":
        """Scale channels of series ``x [K, B, T, C]``, and add noise; fillings of batches stay."""
        import torch

        views, (_, T, C) = [], x.shape[1:]
        for x_k, n, generator in zip(x, step.counts.sum(1).tolist(), step.generators):
            factor = 1 + self.scaling * torch.randn(n, 1, C, generator=generator).to(x_k)
            noise = self.jitter * torch.randn(n, T, C, generator=generator).to(x_k)
            views.append(torch.cat([x_k[:n] * factor + noise, x_k[n:]]))
        return torch.stack(views)

    @property
    def _head(self) -> "torch.Tensor":
        """Places of the head."""
        return self.model.part("head.")


def _step(n: int, generators: "list[torch.Generator]") -> "Training":
    """Make a training step of one client with n samples."""
    import torch

    from fedreact.models.layers import Training

    step = Training([], torch.ones(1, n, dtype=torch.bool))
    step.generators = generators
    return step


def contrast(
    z: "torch.Tensor", tau: float, counts: "torch.Tensor", y: "torch.Tensor | None" = None
) -> "torch.Tensor":
    """Compute the supervised contrastive loss ``[K]`` (Khosla et al. 2020), as FedICON scales it.

    Parameters
    ----------
    z
        Features ``[K, 2 B, m]`` of length 1: of a first view of all samples, then of a second.
    counts
        ``bool [K, B]``: which samples there are.
    y
        Labels ``[K, B]``; ``None``: a sample is like its other view alone.
    """
    import torch

    B = counts.shape[1]
    label = torch.arange(B).expand(len(z), -1).to(z.device) if y is None else y
    label, there = label.repeat(1, 2), counts.repeat(1, 2)
    itself = torch.eye(2 * B, dtype=torch.bool, device=z.device)
    others = there[:, None, :] & ~itself
    similar = (z @ z.mT / tau).masked_fill(~others, -torch.inf)
    alike = others & (label[:, :, None] == label[:, None, :])
    log_p = similar.log_softmax(-1).masked_fill(~alike, 0)
    losses = -log_p.sum(-1) / alike.sum(-1).clamp(min=1)
    return tau / BASE_TEMPERATURE * (losses * there).sum(1) / there.sum(1)


ALGORITHM = FedICON
