"""Supervised losses: cross-entropy, the cross-entropy of each label, or the error of targets."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from fedreact.losses.objective import Data
from fedreact.models.architectures.contract import Architecture, trains_otherwise
from fedreact.models.layers import Training
from fedreact.task import Kind


class Batches(NamedTuple):
    """Samples ``[S, B]`` of S steps (-1: no sample), and a seed ``[S]`` for draws of layers."""

    samples: np.ndarray
    seeds: np.ndarray | None


@dataclass(frozen=True)
class SupervisedLoss:
    """The loss of an architecture on targets of a kind.

    It is the cross-entropy of one of several labels; the mean over labels of the cross-entropy of
    each, if several can be true; or the mean error of targets, squared or absolute.

    Attributes
    ----------
    error
        Loss of a regression.
    units
        Spread and mean by which targets were standardised, for clients that score a model; empty if
        targets were not standardised.
    """

    architecture: Architecture
    kind: Kind = "classification"
    _: KW_ONLY
    error: Literal["squared", "absolute"] = "squared"
    units: tuple[tuple[float, float], ...] = ()
    whole_epochs: ClassVar[bool] = True

    @property
    def draws(self) -> bool:
        """Whether steps take random draws."""
        return self.architecture.trains_otherwise

    @property
    def n_parameters(self) -> int:
        """Length P of the architecture's flat vector."""
        return self.architecture.n_parameters

    @property
    def n_buffers(self) -> int:
        """Number of running statistics at its end."""
        return self.architecture.n_buffers

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights of the architecture."""
        return self.architecture.init(generator)

    def multiply_adds(self, length: int) -> float:
        """Count multiply-adds of one series; the architecture knows its length."""
        return self.architecture.multiply_adds()

    def draw(
        self, rng: np.random.Generator, series: np.ndarray, length: int, batch_size: int, steps: int
    ) -> Batches:
        """Draw the batches of ``steps`` steps.

        Batches run through random permutations of the series, one after the other; the last batch
        of a permutation may be smaller.
        """
        per_epoch = -(-len(series) // batch_size)
        batches = np.full((-(-steps // per_epoch), per_epoch * batch_size), -1)
        for row in batches:
            row[: len(series)] = rng.permutation(series)
        seeds = rng.integers(2**62, size=steps) if self.draws else None
        return Batches(batches.reshape(-1, batch_size)[:steps], seeds)

    def value(
        self,
        theta: torch.Tensor,
        data: Data,
        draws: list[Batches],
        step: int,
        which: Sequence[int] | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Return mean losses ``[K]`` of each client's batch, and its running statistics."""
        drawn = np.stack([batches.samples[step] for batches in draws])
        drawn = drawn[:, (drawn >= 0).any(0)]  # one client's last batch is smaller, not padded
        samples = torch.from_numpy(drawn).to(data.X.device)
        counts = samples >= 0
        samples = samples.clamp(min=0)
        model, training = self.architecture, None
        seeds = [batches.seeds[step] for batches in draws if batches.seeds is not None]
        if self.draws:
            training = Training(seeds, counts)
        which = range(len(theta)) if which is None else which
        x, y = data.series(samples), data.targets(samples)
        losses = self.of_batch(theta, x, y, counts, training, which)
        if losses.dim() == 2:
            losses = (losses * counts).sum(1) / counts.sum(1)
        if training is None or not model.n_buffers:
            return losses, None
        kept = model.unpack(theta.detach())
        renewed = [training.buffers.get(name, kept[name]).flatten(1) for name in model.buffers]
        return losses, torch.cat(renewed, 1)

    def of_batch(
        self,
        theta: torch.Tensor,
        x: torch.Tensor,
        y: torch.Tensor,
        counts: torch.Tensor,
        training: Training | None,
        which: Sequence[int],
    ) -> torch.Tensor:
        """Compute losses ``[K, B]`` of samples ``x [K, B, T, C]``, or their means ``[K]``.

        Parameters
        ----------
        y
            Targets ``[K, B]`` or ``[K, B, M]``.
        counts
            ``bool [K, B]``: samples that exist; others fill up smaller batches.
        training
            The training step, for layers that draw in it; ``None`` if none draws.
        which
            Places of the K clients among those that train together.
        """
        model = self.architecture
        if training is not None and trains_otherwise(model):
            return self.of_outputs(model.forward(theta, x, training), y)
        return self.of_outputs(model.forward(theta, x), y)

    def of_outputs(self, output: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Compute losses ``[K, B]`` of outputs ``[K, B, n_out]``."""
        if self.kind == "classification":
            losses = cross_entropy(output.flatten(0, 1), y.flatten(), reduction="none")
        elif self.kind == "multi-label":
            losses = binary_cross_entropy_with_logits(output, y.to(output.dtype), reduction="none")
        else:
            error = (output[:, :, 0] if y.dim() == 2 else output) - y
            losses = error**2 if self.error == "squared" else error.abs()
        return losses.mean(2) if losses.dim() == 3 else losses.view(output.shape[:2])
