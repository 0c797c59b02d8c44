"""Constant baseline: each client predicts the same for every series, from its train samples."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fedreact.kinds.synchronous.algorithms.alone import Alone
from fedreact.kinds.synchronous.algorithms.fedrod import class_counts
from fedreact.kinds.synchronous.contract import FeatureAlgorithm, Tensors

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class Constant(Alone, FeatureAlgorithm):
    """A head with biases alone, without compute.

    These say the most frequent label; where several can be true, those that are true in most of a
    client's train samples (of half of them is not most); and in a regression the targets' means.
    """

    role: ClassVar[str] = "trivial"
    models: ClassVar[int] = 0

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Set the biases to counts of labels, or to means of targets."""
        from fedreact.kinds.supervised import supervised_loss

        kind = supervised_loss(training.objective).kind
        own = state["own"].clone()
        own[:, self.model.part("head.weight")] = 0
        if kind == "classification":
            biases = class_counts(work, self.model.n_out)
        elif kind == "multi-label":
            biases = 2 * _means(work) - 1
        else:
            biases = _means(work)
        own[:, self.model.part("head.bias")] = biases
        return {"theta": own[:, :0]}, {"own": own}


def _means(work: "Work") -> "torch.Tensor":
    """Average each client's targets ``[K, M]``; of labels, these are shares of its samples.

    In double precision, so that a label that is true of half of them is told from one of more.
    """
    import torch

    means = []
    for samples in work.clients:
        y = work.data.targets(torch.as_tensor(samples, device=work.data.X.device))
        means.append(y.reshape(len(y), -1).double().mean(0))
    return torch.stack(means).float()


ALGORITHM = Constant
