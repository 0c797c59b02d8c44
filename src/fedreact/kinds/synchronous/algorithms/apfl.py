"""APFL (Deng, Kamani and Mahdavi 2020, "Adaptive personalized federated learning")."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.options import Probability


@dataclass(frozen=True)
class APFL(Algorithm):
    """Each client mixes a model of its own with its version of the global one.

    Algorithm 1 there: with w the client's version of the global model and v its own,
    v_bar = alpha v + (1 - alpha) w; in each local step w descends on f(w), v on f(v_bar).

    Attributes
    ----------
    alpha
        Weight of the personal model before round 1 (Fed-REACT, ICLR 4.1.1: 0.5).
    adaptive
        Whether a client's alpha also descends on f(v_bar), by one step per round (section 5.1
        there), within [0, 1].
    """

    alpha: Probability = 0.5
    adaptive: bool = True
    models: ClassVar[int] = 2

    def start(self, theta, n_clients):
        """Own models and mixtures start from the global one."""
        own = np.repeat(theta[None], n_clients, axis=0)
        return {"own": own, "mixed": own, "alpha": np.full(n_clients, self.alpha, np.float32)}

    def local(self, training, sent, state, work):
        """Train both models on the same batches."""
        w, v = work.of_each(sent["theta"]), state["own"].clone()
        alpha, draws = state["alpha"][:, None], training.draw(work)
        optimizer = training.make_optimizer(w, v)
        for step in range(training.longest(work)):
            losses, w.grad = training.gradient(w, work, draws, step)
            mixed = w.lerp(v, alpha)
            losses_mixed, at_mixed = training.gradient(mixed, work, draws, step)
            training.keep_statistics(mixed, v, work, step)
            if self.adaptive and step == 0:
                slope = (at_mixed * (v - w)).sum(1, keepdim=True)
                alpha = (alpha - training.learning_rate * slope).clamp(0, 1)
            v.grad = alpha * at_mixed
            training.update(optimizer, [w, v], work, step)
            work.on_step(losses)
            work.on_step(losses_mixed)
        mixed = w.lerp(v, alpha)
        return {"theta": w}, {"own": v, "mixed": mixed, "alpha": alpha[:, 0]}

    def personal(self, server, state):
        """Clients use their mixtures."""
        return state["mixed"]


ALGORITHM = APFL
