"""FedBN: FedAvg of all weights but those of batch normalisations, which stay with clients.

Li, Jiang, Zhang, Kamp and Dou 2021, "FedBN: Federated learning on non-IID features via local batch
normalization", ICLR, Algorithm 1. With w_k the trained model of client k of K,

    theta^l = sum_k w_k^l / K       of each layer l that is no batch normalisation       server
    w_k^l   stays with its client   of each batch normalisation, statistics included     client
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.partly_shared import PartlyShared
from fedreact.kinds.synchronous.contract import Weights

if TYPE_CHECKING:
    import torch

    from fedreact.models.architectures.contract import Architecture


@dataclass(frozen=True)
class FedBN(PartlyShared):
    """Local batch normalisations.

    Layers whose running statistics are buffers of the architecture are batch normalisations: their
    weight, bias and statistics are kept. Their authors' code finds them by names with "bn" in them.
    """

    weights: Weights = field(default="equal", kw_only=True)

    def on(self, architecture: "Architecture") -> Self:
        """Refuse an architecture without batch normalisations."""
        if not architecture.n_buffers:
            raise UserError(
                f"architecture {type(architecture).__name__} has no batch normalisation to keep; "
                "fedbn would be fedavg"
            )
        return super().on(architecture)

    @property
    def shared(self) -> "torch.Tensor":
        """Places of all layers but those with running statistics."""
        layers = {name.rpartition(".")[0] for name in self.model.buffers}
        return self.model.part(
            *(n for n in self.model.shapes if n.rpartition(".")[0] not in layers)
        )


ALGORITHM = FedBN
