"""Local training: what a client does in a round, whatever the algorithm."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from fedreact.errors import UserError
from fedreact.losses.objective import Data, Objective
from fedreact.optimizers.adam import Adam

log = logging.getLogger("fedreact")


def steps_within(gflops: float, rounds: float, gflops_per_step: float) -> int:
    """Count the steps a round, at least one, with which training comes closest to a budget.

    Raises
    ------
    UserError
        The GFLOPs of a step are not known.
    """
    if not np.isfinite(gflops_per_step):
        raise UserError(
            "gflops: this model does not count its operations, so give its training in steps"
        )
    return max(1, round(gflops / (rounds * gflops_per_step)))


def warn_if_missed(name: str, budget: float | None, gflops: float) -> None:
    """Log a warning if the GFLOPs of a client's training are off a budget by more than a tenth."""
    if budget is not None and abs(gflops - budget) > budget / 10:
        log.warning(
            "%s: asked for %.3g GFLOPs a client, takes %.3g, as close as whole steps come",
            name,
            budget,
            gflops,
        )


OnStep = Callable[[torch.Tensor], None]
"""Called with the losses ``[K]`` of each step."""


def ignore_step(losses: torch.Tensor) -> None:
    """Show no progress."""


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
    on_step: OnStep = ignore_step

    def start_weights(self, theta: torch.Tensor) -> torch.Tensor:
        """Copy weights ``[K, P]`` to train: those of each client, or the ``[P]`` of all."""
        return theta.clone() if theta.dim() == 2 else theta.repeat(len(self.clients), 1)


class Optimizer(Protocol):
    """Steps of some weights, as a file of ``src/fedreact/optimizers/`` makes them."""

    def step(self) -> None:
        """Move the weights in place, by their ``grad``."""


def backpropagate(loss: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the gradient of a loss, a number, at a leaf's ``weights``, of their shape.

    Raises
    ------
    ValueError
        The loss does not depend on them.
    """
    torch.autograd.backward(loss)
    if weights.grad is None:
        raise ValueError("the loss does not depend on the weights")
    return weights.grad


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
        Makes an optimiser of some tensors with a learning rate; a file of ``optimizers/``.
    precision
        ``float32``, or ``bfloat16`` for matrix products.
    stacked
        Clients that a core trains together, at most.
    """

    objective: Objective
    steps: int | None = 500
    batch_size: int = 10
    learning_rate: float = 1e-3
    epochs: int = 1
    optimizer: Callable[[Sequence[torch.Tensor], float], Optimizer] = Adam()
    precision: str = "float32"
    stacked: int = 1

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "epochs"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{name.replace('_', ' ')} is {value}; it must be at least 1")
        if not 0 < self.learning_rate < np.inf:
            raise UserError(
                f"learning rate is {self.learning_rate}; it must be positive and finite"
            )

    def n_steps(self, n_samples: int) -> int:
        """Count the local steps of a client with so many samples."""
        return self.steps or self.epochs * -(-n_samples // self.batch_size)

    def n_drawn(self, n_samples: int) -> int:
        """Count the samples that a client with so many sees in a round, repetitions included."""
        if not self.objective.whole_epochs:
            return self.n_steps(n_samples) * self.batch_size
        per_epoch = -(-n_samples // self.batch_size)
        epochs, rest = divmod(self.n_steps(n_samples), per_epoch)
        return epochs * n_samples + rest * self.batch_size

    def draw(self, work: Work, purpose: str = "local training") -> list[Any]:
        """Draw the batches of all clients, K things of the objective's own kind."""
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
        draws: list[Any],
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
            ``(mu, centre)``: adds mu / 2 |theta - centre|^2 to the objective; the centre is
            ``[P]``, or ``[K, P]``.
        """
        local = start.clone()
        optimizer = self.make_optimizer(local)
        for step in range(self.longest(work)):
            losses, gradient = self.gradient(local, work, draws, step)
            if pull is not None:
                mu, centre = pull
                gradient.add_(local - centre, alpha=mu)
            local.grad = gradient
            self.update(optimizer, [local], work, step)
            work.on_step(losses)
        return local

    def longest(self, work: Work) -> int:
        """Count the steps of the client that has most."""
        return max(self.n_steps(len(client)) for client in work.clients)

    def _active(self, work: Work, step: int) -> list[int]:
        """Clients that have this step."""
        return [k for k, client in enumerate(work.clients) if step < self.n_steps(len(client))]

    def gradient(
        self, theta: torch.Tensor, work: Work, draws: list[Any], step: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Compute losses of the clients that have this step, and gradients ``[K, P]``.

        They are those at ``theta [K, P]``. Clients with fewer steps have gradient zero. Running
        statistics at the end of ``theta`` are renewed in place.
        """
        leaf = theta.detach().requires_grad_()
        active = self._active(work, step)
        weights = leaf if len(active) == len(leaf) else leaf[active]
        with torch.autocast(theta.device.type, torch.bfloat16, self.precision == "bfloat16"):
            losses, buffers = self.objective.value(
                weights, work.data, [draws[k] for k in active], step, active
            )
        gradient = backpropagate(losses.sum(), leaf)
        if buffers is not None:
            theta[active, -buffers.shape[1] :] = buffers
        return losses.detach(), gradient

    def copy_statistics(
        self, source: torch.Tensor, target: torch.Tensor, work: Work, step: int
    ) -> None:
        """Copy running statistics of clients that have this step between weights ``[K, P]``."""
        if n := self.objective.n_buffers:
            active = self._active(work, step)
            target[active, -n:] = source[active, -n:]

    def update(
        self, optimizer: Optimizer, weights: list[torch.Tensor], work: Work, step: int
    ) -> None:
        """Step the weights ``[K, P]`` of the clients that have this step, and leave the others.

        Running statistics are no weights: a pull or a decay does not move them.
        """
        active = set(self._active(work, step))
        idle = [k for k in range(len(work.clients)) if k not in active]
        idle_weights = [w[idle].clone() for w in weights] if idle else []
        n = self.objective.n_buffers
        statistics = [w[:, -n:].clone() for w in weights] if n else []
        optimizer.step()
        for w, before in zip(weights, idle_weights):
            w[idle] = before
        for w, before in zip(weights, statistics):
            w[:, -n:] = before

    def make_optimizer(self, *weights: torch.Tensor) -> Optimizer:
        """Make a fresh optimiser of some weights."""
        return self.optimizer(weights, self.learning_rate)
