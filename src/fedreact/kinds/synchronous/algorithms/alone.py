"""Local baseline: clients train alone, without federation."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fedreact.kinds.synchronous.algorithms.partly_shared import PartlyShared
from fedreact.kinds.synchronous.contract import Weights

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Alone(PartlyShared):
    """Every client goes on with its own model, from the same first weights; nothing is sent."""

    role: ClassVar[str] = "alone"
    weights: ClassVar[Weights] = "samples"  # type: ignore[misc]  # nothing is averaged

    @property
    def shared(self) -> "torch.Tensor":
        """No places: nothing is shared."""
        import torch

        return torch.zeros(0, dtype=torch.long)


ALGORITHM = Alone
