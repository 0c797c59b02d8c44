"""APFL: each client mixes a model of its own with its version of the global one.

Deng, Kamani and Mahdavi 2020, "Adaptive personalized federated learning", Algorithm 1. With w the
client's version of the global model, v its own model and v_bar = alpha v + (1 - alpha) w,

    w     <- w - eta grad f_k(w)                                             client
    v     <- v - eta alpha grad f_k(v_bar)                                   client, kept
    alpha <- alpha - eta <grad f_k(v_bar), v - w>, once a round              client, kept
    theta = sum_k p_k w_k                                                    server

Algorithm 1 and the authors' code have p_k = 1/K (``weights: equal``); our default has
p_k = n_k/n. The code steps w first, and takes the gradient at v_bar with the new w.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors, copies
from fedreact.options import Probability

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class APFL(Algorithm):
    """Two models of each client, which is tested with their mixture v_bar.

    Attributes
    ----------
    alpha
        Weight of the personal model before round 1 (Fed-REACT, ICLR 4.1.1: 0.5).
    adaptive
        Whether a client's alpha also descends on f(v_bar), by one step per round, within [0, 1].
    """

    alpha: Probability = 0.5
    adaptive: bool = True
    models: ClassVar[int] = 2

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return own models and mixtures, which start from the global one."""
        own = copies(theta, n_clients)
        return {"own": own, "mixed": own, "alpha": np.full(n_clients, self.alpha, np.float32)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train both models on the same batches."""
        w, v = work.start_weights(sent["theta"]), state["own"].clone()
        alpha, draws = state["alpha"][:, None], training.draw(work)
        optimizer = training.make_optimizer(w, v)
        for step in range(training.longest(work)):
            losses, w.grad = training.gradient(w, work, draws, step)
            mixed = w.lerp(v, alpha)
            losses_mixed, gradient = training.gradient(mixed, work, draws, step)
            training.copy_statistics(mixed, v, work, step)
            if self.adaptive and step == 0:
                slope = (gradient * (v - w)).sum(1, keepdim=True)
                alpha = (alpha - training.learning_rate * slope).clamp(0, 1)
            v.grad = alpha * gradient
            training.update(optimizer, [w, v], work, step)
            work.on_step(losses)
            work.on_step(losses_mixed)
        mixed = w.lerp(v, alpha)
        return {"theta": w}, {"own": v, "mixed": mixed, "alpha": alpha[:, 0]}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the clients' mixtures."""
        return state["mixed"]


ALGORITHM = APFL
