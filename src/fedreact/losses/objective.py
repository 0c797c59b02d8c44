"""What local training minimises, and of what data."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import torch

from fedreact.data.windows import Windows


class Data(NamedTuple):
    """All series ``X [N, T, channels]`` and targets ``y [N]`` or ``[N, M]``, or none."""

    X: torch.Tensor | Windows
    y: torch.Tensor | None = None

    def series(self, at: torch.Tensor) -> torch.Tensor:
        """Series ``[..., T, channels]`` of indices ``[...]``."""
        if isinstance(self.X, torch.Tensor):  # twice as fast as by brackets: rows are copied whole
            return self.X.index_select(0, at.flatten()).unflatten(0, at.shape)
        return self.X[at]


class Objective(Protocol):
    """What local training minimises.

    Attributes
    ----------
    n_parameters, n_buffers
        Length P of the flat weights, and how many values at their end are running statistics.
    whole_epochs
        Whether the last batch of a pass over the samples holds only what is left of them.
    """

    n_parameters: int
    n_buffers: int
    whole_epochs: ClassVar[bool]

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]``."""

    def multiply_adds(self, length: int) -> float:
        """Multiply-adds of the forward passes of one sample of so many steps."""

    def draw(
        self, rng: np.random.Generator, series: np.ndarray, length: int, batch_size: int, steps: int
    ) -> Any:
        """Draw all that ``steps`` steps on a client's ``series [n]`` use."""

    def value(
        self,
        theta: torch.Tensor,
        data: Data,
        draws: list,
        step: int,
        which: Sequence[int] | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Losses ``[K]`` of K clients' weights ``theta [K, P]``, given a draw for each.

        ``which`` are their places among the clients that train together; ``None``: all in order.
        And the running statistics after the step ``[K, n_buffers]``, or ``None`` if there are none.
        """
