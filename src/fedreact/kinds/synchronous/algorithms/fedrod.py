"""FedRoD (Chen and Chao 2022, "On bridging generic and personalized federated learning for image
classification"), with a linear personal head."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.options import NonNegative

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import Work


@dataclass(frozen=True)
class FedRoD(Algorithm):
    """FedAvg on a loss that balances classes, and a personal head for the client's own classes.

    The personal head adds to the generic one's outputs and sends no gradient into the features. Its
    authors' code is not public; this is as in PFLlib's.

    Attributes
    ----------
    smoothing
        Added to a client's count of each class; with 0, a missing class has no gradient.
    """

    smoothing: NonNegative = 0.0

    @staticmethod
    def skip(task):
        """It balances labels."""
        return None if task.kind == "classification" else "its loss balances labels"

    def on(self, architecture):
        """The architecture with a second head."""
        from fedreact.models.architectures.contract import with_features
        from fedreact.models.two_heads import TwoHeads

        return super().on(TwoHeads(with_features(architecture)))

    def server(self, theta, n_clients):
        """All but the personal head."""
        return {"theta": theta[self.shared]}

    def start(self, theta, n_clients):
        """The personal head."""
        return {"personal": np.repeat(theta[None, self._own], n_clients, axis=0)}

    def local(self, training, sent, state, work):
        """One step of both losses at once: neither has a gradient where the other has."""
        from fedreact.losses.on_features import OnFeatures

        theta = self._whole(sent["theta"].expand(len(work.clients), -1), state["personal"])
        log_counts = (class_counts(work, self.model.n_out) + self.smoothing).log()

        def rule(loss, theta, h, y, counts, which):
            model, of_clients = loss.architecture, log_counts[list(which)]
            generic = model.head(theta, h)
            own = generic.detach() + model.personal(theta, h.detach())
            balanced = generic + of_clients[:, None]
            return loss.of_outputs(balanced, y) + loss.of_outputs(own, y)

        training = replace(training, objective=OnFeatures(self.model, rule=rule))
        theta = training.descend(theta, work, training.draw(work))
        return {"theta": theta[:, self.shared]}, {"personal": theta[:, self._own]}

    def personal(self, server, state):
        """The generic model, and one's own head."""
        import torch

        own = torch.from_numpy(state["personal"])
        shared = torch.from_numpy(server["theta"]).expand(len(own), -1)
        return self._whole(shared, own).numpy()

    def _whole(self, shared, own):
        """Flat weights ``[K, P]`` of both parts."""
        theta = shared.new_empty(len(own), self.model.n_parameters)
        theta[:, self.shared], theta[:, self._own] = shared, own
        return theta

    @property
    def _own(self):
        return self.model.part("personal.")

    @property
    def shared(self):
        """All but the personal head."""
        import torch

        kept = torch.ones(self.model.n_parameters, dtype=torch.bool)
        kept[self._own] = False
        return kept.nonzero()[:, 0]


def class_counts(work: "Work", n_classes: int) -> "torch.Tensor":
    """Samples ``[K, C]`` of each class that clients have."""
    import torch

    y = work.data.y
    return torch.stack(
        [
            torch.bincount(y[torch.as_tensor(samples, device=y.device)], minlength=n_classes)
            for samples in work.clients
        ]
    ).float()


ALGORITHM = FedRoD
