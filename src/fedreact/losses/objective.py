"""The objective of local training, and its data."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import torch

from fedreact.data.windows import Windows


class Data(NamedTuple):
    """All series ``X [N, T, channels]`` and targets ``y [N]`` or ``[N, M]``, or none."""

    X: torch.Tensor | Windows
    y: torch.Tensor | None = None

    def series(self, indices: torch.Tensor) -> torch.Tensor:
        """Return series ``[..., T, channels]`` of indices ``[...]``."""
        if isinstance(self.X, torch.Tensor):  # twice as fast as by brackets: rows are copied whole
            return self.X.index_select(0, indices.flatten()).unflatten(0, indices.shape)
        return self.X[indices]

    def targets(self, indices: torch.Tensor) -> torch.Tensor:
        """Return targets ``[...]`` or ``[..., M]`` of indices ``[...]``.

        Raises
        ------
        ValueError
            These data have no targets.
        """
        if self.y is None:
            raise ValueError("a supervised loss needs targets")
        return self.y[indices]


class Objective(Protocol):
    """The contract of an objective of local training.

    Attributes
    ----------
    whole_epochs
        Whether the last batch of a pass over the samples may be smaller.
    """

    whole_epochs: ClassVar[bool]

    @property
    def n_parameters(self) -> int:
        """Length P of the flat weights."""

    @property
    def n_buffers(self) -> int:
        """Number of values at their end that are running statistics."""

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]``."""

    def multiply_adds(self, length: int) -> float:
        """Count multiply-adds of the forward passes of one sample of so many steps."""

    def draw(
        self, rng: np.random.Generator, series: np.ndarray, length: int, batch_size: int, steps: int
    ) -> Any:
        """Draw the batches of ``steps`` steps on a client's ``series [n]``."""

    def value(
        self,
        theta: torch.Tensor,
        data: Data,
        draws: list[Any],
        step: int,
        which: Sequence[int] | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Compute losses ``[K]`` of K clients' weights ``theta [K, P]``, given a draw for each.

        ``which`` are their places among the clients that train together; ``None``: all in order.
        The second result is the running statistics after the step ``[K, n_buffers]``, or ``None``
        for a model without them.
        """
