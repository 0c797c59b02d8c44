"""Local training: what a client does in a round, whatever the algorithm."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch

from fedreact.errors import UserError
from fedreact.losses import Data, Objective

State = dict[str, torch.Tensor]
"""What clients keep between rounds, by name, each ``[K, ...]``; empty for most algorithms."""

OnStep = Callable[[torch.Tensor], None]
"""Called with the losses ``[K]`` of each step."""


class Algorithm(Protocol):
    """A federated algorithm: what its clients do and keep. The server averages their uploads.

    Attributes
    ----------
    models
        Models that a client trains, each by as many steps.
    """

    models: int

    def start(self, theta: np.ndarray, n_clients: int) -> dict[str, np.ndarray]:
        """State of the clients before round 1, given the first global weights ``[P]``."""

    def local(
        self, training: "LocalTraining", theta: torch.Tensor, state: State, work: "Work"
    ) -> tuple[torch.Tensor, State]:
        """Uploads ``[K, P]`` and the clients' new state, given the global weights ``[P]``."""

    def personal(self, theta: np.ndarray, state: dict[str, np.ndarray]) -> np.ndarray:
        """Weights ``[K, P]`` that the clients are scored with after a round, or ``[1, P]``."""


@dataclass
class Work:
    """The part of a round that one process or device does: data, clients, their generators.

    Attributes
    ----------
    data
        All samples.
    clients
        K arrays of the samples each client holds.
    generators
        ``generators(purpose)`` gives K generators, keyed by seed, round and client.
    on_step
        Progress.
    """

    data: Data
    clients: list[np.ndarray]
    generators: Callable[[str], list[np.random.Generator]]
    on_step: OnStep = field(default=lambda losses: None)


@dataclass(frozen=True)
class LocalTraining:
    """Gradient steps of K clients on an objective, from given weights.

    Optimisers start afresh in each round, since clients keep nothing but an algorithm's state.

    Attributes
    ----------
    objective
        What is minimised.
    steps
        Local steps a round (ICLR, section 4.1.1: 500 for the encoder); ``None``: ``epochs``.
    epochs
        Passes over a client's samples, so that clients with more samples take more steps.
    optimizer
        Makes the optimiser from a list of tensors and a learning rate.
    precision
        ``float32``, or ``bfloat16`` for matrix products.
    """

    objective: Objective
    steps: int | None = 500
    batch_size: int = 10
    learning_rate: float = 1e-3
    epochs: int = 1
    optimizer: Callable[..., torch.optim.Optimizer] | None = None
    precision: str = "float32"

    def __post_init__(self):
        for name in ("steps", "batch_size", "epochs"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{name.replace('_', ' ')} is {value}; it must be at least 1")
        if not 0 < self.learning_rate < np.inf:
            raise UserError(
                f"learning rate is {self.learning_rate}; it must be positive and finite"
            )

    def n_steps(self, n_samples: int) -> int:
        """Local steps of a client with so many samples."""
        return self.steps or self.epochs * -(-n_samples // self.batch_size)

    def n_drawn(self, n_samples: int) -> int:
        """Samples that a client with so many sees in a round, repetitions counted."""
        if not self.objective.whole_epochs:
            return self.n_steps(n_samples) * self.batch_size
        per_epoch = -(-n_samples // self.batch_size)
        epochs, rest = divmod(self.n_steps(n_samples), per_epoch)
        return epochs * n_samples + rest * self.batch_size

    def draw(self, work: Work, purpose: str = "local training") -> list:
        """Draw the batches of all clients."""
        return [
            self.objective.draw(
                rng, series, work.data.X.shape[1], self.batch_size, self.n_steps(len(series))
            )
            for rng, series in zip(work.generators(purpose), work.clients)
        ]

    def descend(
        self,
        start: torch.Tensor,
        work: Work,
        draws: list,
        pull: tuple[float, torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Train K clients and return their weights ``[K, P]``.

        Parameters
        ----------
        start
            ``[K, P]``.
        draws
            What :meth:`draw` gave.
        pull
            ``(mu, centre [P])``: adds mu / 2 |theta - centre|^2 to the objective.
        """
        local = start.clone()
        optimizer = self.make_optimizer(local)
        for step in range(self.longest(work)):
            losses, local.grad = self.gradient(local, work, draws, step)
            if pull is not None:
                mu, centre = pull
                local.grad.add_(local - centre, alpha=mu)
            self.update(optimizer, [local], work, step)
            work.on_step(losses)
        return local

    def longest(self, work: Work) -> int:
        """Most steps of any of the clients."""
        return max(self.n_steps(len(client)) for client in work.clients)

    def gradient(
        self, theta: torch.Tensor, work: Work, draws: list, step: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Losses of the clients that have this step, and gradients ``[K, P]`` at ``theta [K, P]``.

        Clients with fewer steps have gradient zero.
        """
        at = theta.detach().requires_grad_()
        active = [k for k, c in enumerate(work.clients) if step < self.n_steps(len(c))]
        part = at if len(active) == len(at) else at[active]
        with torch.autocast(theta.device.type, torch.bfloat16, self.precision == "bfloat16"):
            losses = self.objective.value(part, work.data, [draws[k] for k in active], step)
        losses.sum().backward()
        return losses.detach(), at.grad

    def update(
        self, optimizer: torch.optim.Optimizer, weights: list[torch.Tensor], work: Work, step: int
    ) -> None:
        """Step the weights ``[K, P]`` of the clients that have this step, and leave the others."""
        idle = [k for k, c in enumerate(work.clients) if step >= self.n_steps(len(c))]
        kept = [w[idle].clone() for w in weights] if idle else []
        optimizer.step()
        for w, before in zip(weights, kept):
            w[idle] = before

    def make_optimizer(self, *weights: torch.Tensor) -> torch.optim.Optimizer:
        """Adam unless another one is asked for."""
        if self.optimizer is not None:
            return self.optimizer(weights, lr=self.learning_rate)
        return torch.optim.Adam(weights, lr=self.learning_rate, fused=True)
