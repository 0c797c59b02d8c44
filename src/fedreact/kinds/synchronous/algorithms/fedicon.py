"""FedICON (Tan et al. 2023, "Is heterogeneity notorious? Taming heterogeneity to handle test-time
shift in federated learning")."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from fedreact.kinds.synchronous.algorithms.heads import fitted
from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.options import Count, Natural, NonNegative, Positive, Probability

if TYPE_CHECKING:
    import torch

    from fedreact.models.layers import Training

BASE_TEMPERATURE = 0.07  # of the loss's authors (Khosla et al. 2020)


@dataclass(frozen=True)
class FedICON(Algorithm):
    """Features by supervised contrast between clients' samples, adapted without labels at test
    time.

    Features are trained by contrast alone. A client's head is fitted to the shared features as they
    are, by a pass in each round, and tested with them; the authors' code fits it before each test,
    and a shared one in the last five rounds (``fedicon`` in config/papers/fedst/ledger.yaml).

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
    reads_features: ClassVar[bool] = True

    @staticmethod
    def skip(task):
        """The contrast is between labels."""
        return None if task.kind == "classification" else "it contrasts labels"

    def start(self, theta, n_clients):
        """The model that a client tests with."""
        return {"own": np.repeat(theta[None], n_clients, axis=0)}

    def local(self, training, sent, state, work):
        """Fit a head to the features received; then train features on two views of each batch."""
        import torch

        from fedreact.losses.on_features import OnFeatures

        start = work.of_each(sent["theta"])
        own = start.clone()
        own[:, self._head] = state["own"][:, self._head]
        given = (self.model.head, self.model.encode, self._head, own)
        own[:, self._head], _ = fitted(*given, training, work)

        def encode(theta, x, step, which):
            return self._encode_views(theta, x, step)

        def rule(loss, theta, h, y, counts, which):
            return contrast(torch.nn.functional.normalize(h, dim=-1), self.tau, counts, y)

        training = replace(training, objective=OnFeatures(self.model, rule=rule, encode=encode))
        theta = training.descend(start, work, training.draw(work))
        return {"theta": theta}, {"own": own}

    def personal(self, server, state):
        """The features received in the last round, and the head that was fitted to them."""
        return state["own"]

    def adapt(self, objective, kept, x):
        """Outputs after passes over the whole test set; draws are the same for every client."""
        import torch

        model, theta = self.model, kept["theta"][None].clone()
        generators = [torch.Generator().manual_seed(0)]
        moved, velocity = self._moved(theta), torch.zeros_like(theta)
        for _ in range(0 if self.adaption == "none" else self.test_epochs):
            order = torch.randperm(len(x), generator=generators[0])
            for at in order.split(self.test_batch):
                step = _step(len(at), generators)
                one = theta.detach().requires_grad_()
                self._test_loss(one, x[at][None], step).backward()
                velocity = self.test_momentum * velocity + one.grad * moved
                theta = theta - self.test_rate * velocity
                for name, values in step.buffers.items():
                    model.unpack(theta)[name].copy_(values.detach())
        with torch.inference_mode():
            return model.forward(theta, x[None])[0]

    def _test_loss(self, theta, x, step):
        """The contrast of two views of ``x [1, B, T, C]``, or the entropy of outputs."""
        import torch

        if self.adaption == "entropy":
            given = (x, step) if self.model.trains_otherwise else (x,)
            outputs = self.model.head(theta, self.model.encode(theta, *given))[0]
            return -(outputs.softmax(1) * outputs.log_softmax(1)).sum(1).mean()
        z = torch.nn.functional.normalize(self._encode_views(theta, x, step), dim=-1)
        return contrast(z, self.tau, step.counts)[0]

    def _moved(self, theta):
        """Which weights move at test time, ``[1, P]``."""
        import torch

        layers = {name.rpartition(".")[0] for name in self.model.buffers}
        norms = [n for n in self.model.shapes if n.rpartition(".")[0] in layers]
        moved = torch.zeros_like(theta)
        moved[:, self.model.part(*norms) if self.adaption == "entropy" else slice(None)] = 1
        moved[:, self._head] = 0
        return moved

    def _encode_views(self, theta, x, step):
        """Features ``[K, 2 B, m]`` of a first view of all samples of ``x``, then of a second."""
        import torch

        # Both views of a sample stand side by side, so that what fills up a batch is at its end.
        views = torch.stack([self.view(x, step), self.view(x, step)], 2).flatten(1, 2)
        if self.model.trains_otherwise:
            whole, step.counts = step.counts, step.counts.repeat_interleave(2, 1)
            h = self.model.encode(theta, views, step)
            step.counts = whole
        else:
            h = self.model.encode(theta, views)
        return torch.cat([h[:, 0::2], h[:, 1::2]], 1)

    def view(self, x: "torch.Tensor", step: "Training") -> "torch.Tensor":
        """Series ``x [K, B, T, C]`` with channels scaled, and noise; what there is not stays."""
        import torch

        done, (_, T, C) = [], x.shape[1:]
        for one, n, generator in zip(x, step.counts.sum(1).tolist(), step.generators):
            factor = 1 + self.scaling * torch.randn(n, 1, C, generator=generator).to(one)
            noise = self.jitter * torch.randn(n, T, C, generator=generator).to(one)
            done.append(torch.cat([one[:n] * factor + noise, one[n:]]))
        return torch.stack(done)

    @property
    def _head(self):
        return self.model.part("head.")


def _step(n, generators):
    """A training step of one client with n samples."""
    import torch

    from fedreact.models.layers import Training

    step = Training([], torch.ones(1, n, dtype=torch.bool))
    step.generators = generators
    return step


def contrast(
    z: "torch.Tensor", tau: float, counts: "torch.Tensor", y: "torch.Tensor | None" = None
) -> "torch.Tensor":
    """Supervised contrastive loss ``[K]`` (Khosla et al. 2020), as FedICON's authors scale it.

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
    each = -log_p.sum(-1) / alike.sum(-1).clamp(min=1)
    return tau / BASE_TEMPERATURE * (each * there).sum(1) / there.sum(1)


ALGORITHM = FedICON
