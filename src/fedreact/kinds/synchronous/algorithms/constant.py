"""Constant baseline: each client predicts the same for every series, from its train samples."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fedreact.kinds.synchronous.algorithms.alone import Alone
from fedreact.kinds.synchronous.algorithms.fedrod import class_counts

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import Work


@dataclass(frozen=True)
class Constant(Alone):
    """A head with biases alone, without compute.

    These say the most frequent label; where several can be true, those that are true in most of a
    client's train samples (of half of them is not most); and in a regression the targets' means.
    """

    models: ClassVar[int] = 0
    reads_features: ClassVar[bool] = True

    def local(self, training, sent, state, work):
        """Count, or average."""
        own = state["own"].clone()
        own[:, self.model.part("head.weight")] = 0
        biases = {
            "classification": lambda: class_counts(work, self.model.n_out),
            "multi-label": lambda: 2 * _means(work) - 1,
            "regression": lambda: _means(work),
        }
        own[:, self.model.part("head.bias")] = biases[training.objective.kind]()
        return {"theta": own[:, :0]}, {"own": own}


def _means(work: "Work") -> "torch.Tensor":
    """Means ``[K, M]`` of each client's targets, or shares of its samples that a label is true of.

    In double precision, so that a label that is true of half of them is told from one of more.
    """
    import torch

    y = work.data.y.reshape(len(work.data.y), -1)
    of_clients = [y[torch.as_tensor(samples, device=y.device)] for samples in work.clients]
    return torch.stack([of.double().mean(0) for of in of_clients]).float()


ALGORITHM = Constant
