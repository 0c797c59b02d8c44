"""Local training: what a client does in a round, whatever the algorithm."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch

from fedreact.errors import UserError
from fedreact.losses.objective import Data, Objective
from fedreact.optimizers.adam import Adam

log = logging.getLogger("fedreact")


def steps_within(gflops: float, rounds: int, of_step: float) -> int:
    """Steps a round, so that steps of so many GFLOPs come closest to a budget; at least one."""
    if not np.isfinite(of_step):
        raise UserError(
            "gflops: this model does not count its operations, so give its training in steps"
        )
    return max(1, round(gflops / (rounds * of_step)))


def say_if_missed(what: str, budget: float | None, taken: float) -> None:
    """Log it where whole steps cannot come within a tenth of a budget of GFLOPs."""
    if budget is not None and abs(taken - budget) > budget / 10:
        log.warning(
            "%s: asked for %.3g GFLOPs a client, takes %.3g, as close as whole steps come",
            *(what, budget, taken),
        )


OnStep = Callable[[torch.Tensor], None]
"""Called with the losses ``[K]`` of each step."""


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

    def of_each(self, values: torch.Tensor) -> torch.Tensor:
        """Weights ``[K, P]`` to train: copies of those that each has, or of the ``[P]`` of all."""
        return values.clone() if values.dim() == 2 else values.repeat(len(self.clients), 1)


class Optimizer(Protocol):
    """What an optimiser's file makes for some weights (``src/fedreact/optimizers/``)."""

    def step(self) -> None:
        """Move the weights in place, by their ``grad``."""


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
    optimizer: Callable[..., Optimizer] = Adam()
    precision: str = "float32"
    stacked: int = 1

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
            ``(mu, centre)``: adds mu / 2 |theta - centre|^2 to the objective; the centre is
            ``[P]``, or ``[K, P]``.
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

        Clients with fewer steps have gradient zero. Running statistics at the end of ``theta`` are
        renewed in place.
        """
        at = theta.detach().requires_grad_()
        active = [k for k, c in enumerate(work.clients) if step < self.n_steps(len(c))]
        part = at if len(active) == len(at) else at[active]
        with torch.autocast(theta.device.type, torch.bfloat16, self.precision == "bfloat16"):
            losses, buffers = self.objective.value(
                part, work.data, [draws[k] for k in active], step, active
            )
        losses.sum().backward()
        if buffers is not None:
            theta[active, -buffers.shape[1] :] = buffers
        return losses.detach(), at.grad

    def keep_statistics(self, of: torch.Tensor, to: torch.Tensor, work: Work, step: int) -> None:
        """Copy running statistics of clients that have this step between weights ``[K, P]``."""
        if n := self.objective.n_buffers:
            active = [k for k, c in enumerate(work.clients) if step < self.n_steps(len(c))]
            to[active, -n:] = of[active, -n:]

    def update(
        self, optimizer: Optimizer, weights: list[torch.Tensor], work: Work, step: int
    ) -> None:
        """Step the weights ``[K, P]`` of the clients that have this step, and leave the others.

        Running statistics are no weights: a pull or a decay does not move them.
        """
        idle = [k for k, c in enumerate(work.clients) if step >= self.n_steps(len(c))]
        kept = [w[idle].clone() for w in weights] if idle else []
        n = self.objective.n_buffers
        statistics = [w[:, -n:].clone() for w in weights] if n else []
        optimizer.step()
        for w, before in zip(weights, kept):
            w[idle] = before
        for w, before in zip(weights, statistics):
            w[:, -n:] = before

    def make_optimizer(self, *weights: torch.Tensor) -> Optimizer:
        """A fresh optimiser of some weights."""
        return self.optimizer(weights, self.learning_rate)
