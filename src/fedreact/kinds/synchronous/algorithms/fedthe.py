"""FedTHE (Jiang and Lin 2023, "Test-time robust personalization for federated learning")."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.kinds.synchronous.algorithms.fedrod import FedRoD, class_counts
from fedreact.kinds.synchronous.algorithms.heads import fit_heads
from fedreact.kinds.synchronous.contract import Arrays, Tensors
from fedreact.options import NonNegative, Positive, Probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.objective import Objective
    from fedreact.losses.on_features import OnFeatures


@dataclass(frozen=True)
class FedTHE(FedRoD):
    """A generic and a personal head, mixed anew for each test sample, as in the authors' code.

    Attributes
    ----------
    smoothing
        Added to a client's count of each class, in the generic head's balanced loss.
    alpha
        Share of a test sample in the moving average of features.
    beta
        Share of the sample itself in the features that are compared with mean features; the rest is
        the moving average.
    test_rate, test_steps
        Learning rate and steps of Adam on the weights of the two heads.
    """

    smoothing: NonNegative = 1.0
    alpha: Probability = 0.1
    beta: Probability = 0.1
    test_rate: Positive = 0.1
    test_steps: int = 20
    passes: ClassVar[int] = 1

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return FedRoD's weights, and mean features of all clients: ones, before there are any."""
        return super().server(theta, n_clients) | {"h": np.ones(self.model.n_features, np.float32)}

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return FedRoD's heads, and each client's own mean features."""
        shape = (n_clients, self.model.n_features)
        return super().start(theta, n_clients) | {"h": np.ones(shape, np.float32)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the generic model; then, on features of the model received, the personal head."""
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
        return {"theta": trained[:, self.shared], "h": h}, {"personal": personal, "h": h}

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Average models by samples, and mean features with equal weights, as the authors' code."""
        return super().aggregate(server, uploads, n_samples) | {"h": uploads["h"].mean(0)}

    def at_test(self, server: Arrays, state: Arrays) -> Arrays:
        """Return mean features of each client, and of all."""
        return {"own": state["h"], "all": np.repeat(server["h"][None], len(state["h"]), axis=0)}

    def adapt(self, objective: "Objective", state: Tensors, x: "torch.Tensor") -> "torch.Tensor":
        """Mix the outputs of both heads for each sample of the stream."""
        import torch

        model, theta = self.model, state["theta"][None]
        with torch.no_grad():
            h = torch.cat([model.encode(theta, batch[None])[0] for batch in torch.split(x, 256)])
            generic, personal = model.head(theta, h[None])[0], model.personal(theta, h[None])[0]
        return self.mixed(h, generic, personal, h_all=state["all"], h_own=state["own"])

    def mixed(
        self,
        h: "torch.Tensor",
        generic: "torch.Tensor",
        personal: "torch.Tensor",
        h_all: "torch.Tensor",
        h_own: "torch.Tensor",
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
                    lr=self.test_rate,
                    maximize=False,
                )
        return outputs(e)


ALGORITHM = FedTHE
