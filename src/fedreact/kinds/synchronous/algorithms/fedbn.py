"""FedBN (Li et al. 2021, "FedBN: Federated learning on non-IID features via local batch
normalization")."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.partly_shared import PartlyShared

if TYPE_CHECKING:
    import torch

    from fedreact.models.architectures.contract import Architecture


@dataclass(frozen=True)
class FedBN(PartlyShared):
    """FedAvg of all weights but those of batch normalisations, which stay with clients.

    Layers whose running statistics are buffers of the architecture are batch normalisations: their
    weight, bias and statistics are kept. Their authors' code finds them by names with "bn" in them.
    """

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
