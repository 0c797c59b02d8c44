"""FedTHE: a generic and a personal head, mixed anew for each test sample.

Jiang and Lin 2023, "Test-time robust personalization for federated learning", ICLR, section 4, as
in the authors' code. With z the features of a sample, and outputs g and p of both heads,

    minimise  CE(y, g + log(n_k + 1))       features, generic head              client
    minimise  CE(y, p)                      personal head, on fixed features    client, kept
    h_k = mean of z over all samples        client
    theta = sum_k w_k / K,  h = sum_k h_k / K                                   server

For the i-th sample of a test stream, with weights a = softmax(e) of the heads,

    u_i = alpha z_i + (1 - alpha) u_{i-1},   v = beta z_i + (1 - beta) u_i      history
    y   = a_1 g + a_2 p,   s = cos(softmax g, softmax p)
    L   = s H(softmax y) + (1 - s) (a_1 |v - h| + a_2 |v - h_k|)                steps of Adam on e
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.kinds.synchronous.algorithms.fedrod import FedRoD, class_counts
from fedreact.kinds.synchronous.algorithms.heads import fit_heads
from fedreact.kinds.synchronous.contract import Arrays, Tensors, Weights
from fedreact.options import NonNegative, Positive, Probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.objective import Objective
    from fedreact.losses.on_features import OnFeatures
    from fedreact.models.architectures.contract import Architecture


@dataclass(frozen=True)
class FedTHE(FedRoD):
    """Heads mixed at test time.

    Attributes
    ----------
    smoothing
        Added to a client's count of each class, in the generic head's balanced loss.
    alpha
        Share of a test sample in the moving average of features.
    beta
        Share of the sample itself in the features that are compared with mean features; the rest is
        the moving average.
    head
        Personal head before round 1: its own draw, without bias, as in the authors' code, or a copy
        of the generic head, as in FedRoD.
    test_factor, test_steps
        Learning rate, in learning rates of the training, and steps of Adam on the weights of the
        two heads.
    """

    smoothing: NonNegative = 1.0
    alpha: Probability = 0.1
    beta: Probability = 0.1
    head: Literal["own", "copied"] = "own"
    test_factor: Positive = 10.0
    test_steps: int = 20
    weights: Weights = field(default="equal", kw_only=True)
    passes: ClassVar[int] = 1

    def on(self, architecture: "Architecture") -> Self:
        """Return the algorithm on the architecture with the personal head that is asked for."""
        algorithm = super().on(architecture)
        return replace(algorithm, _model=replace(algorithm.model, copied=self.head == "copied"))

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return FedRoD's weights, and mean features of all clients: ones, before there are any."""
        return super().server(theta, n_clients) | {"h": np.ones(self.model.n_features, np.float32)}

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return personal heads, each client's own mean features, and the rate at test time."""
        shape = (n_clients, self.model.n_features)
        known_later = {"h": np.ones(shape, np.float32), "rate": np.ones(n_clients, np.float32)}
        return super().start(theta, n_clients) | known_later

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the generic model; then, on features of the model received, the personal head."""
        import torch

        from fedreact.losses.on_features import OnFeatures

        start = self._whole(sent["theta"].expand(len(work.clients), -1), state["personal"])
        log_counts = (class_counts(work, self.model.n_out) + self.smoothing).log()

        def rule(
            loss: "OnFeatures",
            theta: "torch.Tensor",
            h: "torch.Tensor",
            y: "torch.Tensor",
            counts: "torch.Tensor",
            which: "Sequence[int]",
        ) -> "torch.Tensor":
            return loss.of_outputs(self.model.head(theta, h) + log_counts[list(which), None], y)

        generic = replace(training, objective=OnFeatures(self.model, rule=rule))
        trained = generic.descend(start, work, generic.draw(work))
        personal, h = fit_heads(
            head=self.model.personal,
            encode=self.model.encode,
            places=self._own,
            theta=start,
            training=training,
            work=work,
        )
        rate = torch.full((len(h),), self.test_factor * training.learning_rate)
        kept = {"personal": personal, "h": h, "rate": rate.to(h)}
        return {"theta": trained[:, self.shared], "h": h}, kept

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Average models and mean features."""
        h = weighted_mean(uploads["h"], self.shares(n_samples))
        return super().aggregate(server, uploads, n_samples) | {"h": h}

    def at_test(self, server: Arrays, state: Arrays) -> Arrays:
        """Return mean features of each client and of all, and the rate."""
        h_all = np.repeat(server["h"][None], len(state["h"]), axis=0)
        return {"own": state["h"], "all": h_all, "rate": state["rate"]}

    def adapt(self, objective: "Objective", state: Tensors, x: "torch.Tensor") -> "torch.Tensor":
        """Mix the outputs of both heads for each sample of the stream."""
        import torch

        model, theta = self.model, state["theta"][None]
        with torch.no_grad():
            h = torch.cat([model.encode(theta, batch[None])[0] for batch in torch.split(x, 256)])
            generic, personal = model.head(theta, h[None])[0], model.personal(theta, h[None])[0]
        rate = float(state["rate"])
        return self.mixed(h, generic, personal, h_all=state["all"], h_own=state["own"], rate=rate)

    def mixed(
        self,
        h: "torch.Tensor",
        generic: "torch.Tensor",
        personal: "torch.Tensor",
        h_all: "torch.Tensor",
        h_own: "torch.Tensor",
        rate: float,
    ) -> "torch.Tensor":
        """Compute outputs ``[n, C]`` of a stream of samples.

        Parameters
        ----------
        h
            Features ``[n, m]``.
        generic, personal
            Outputs ``[n, C]`` of the heads.
        h_all, h_own
            Mean features ``[m]`` of all clients, and of this one.
        rate
            Learning rate of Adam.
        """
        import torch
        from torch.optim.adam import adam

        from fedreact.engine.local_training import backpropagate

        history = [h[0]]
        for features in h[1:]:
            history.append(self.alpha * features + (1 - self.alpha) * history[-1])
        smooth = self.beta * h + (1 - self.beta) * torch.stack(history)
        far = torch.stack([(smooth - h_all).norm(dim=1), (smooth - h_own).norm(dim=1)], 1)
        similar = torch.cosine_similarity(generic.softmax(1), personal.softmax(1), dim=1)
        logits = torch.stack([generic, personal], 1)

        def outputs(e: "torch.Tensor") -> "torch.Tensor":
            return (e.softmax(1)[..., None] * logits).sum(1)

        e = torch.ones_like(far)
        first, second, steps = torch.zeros_like(e), torch.zeros_like(e), torch.zeros(())
        for _ in range(self.test_steps):
            leaf = e.detach().requires_grad_()
            p = outputs(leaf).softmax(1)
            entropy = -(p * p.clamp(min=1e-30).log()).sum(1)
            aligned = (leaf.softmax(1) * far).sum(1)
            loss = (similar * entropy + (1 - similar) * aligned).sum()
            gradient = backpropagate(loss, leaf)
            with torch.no_grad():
                adam(
                    [e],
                    [gradient],
                    [first],
                    [second],
                    [],
                    [steps],
                    amsgrad=False,
                    beta1=0.9,
                    beta2=0.999,
                    weight_decay=0,
                    eps=1e-8,
                    lr=rate,
                    maximize=False,
                )
        return outputs(e)


ALGORITHM = FedTHE
