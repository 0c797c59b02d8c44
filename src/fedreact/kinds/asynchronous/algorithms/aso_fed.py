"""ASO-Fed: asynchronous online federated learning (Chen et al. 2020; ch. 5 of the dissertation)."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from fedreact.clock.clock import Clock, Flight
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.kinds.synchronous.contract import Arrays, Tensors
from fedreact.options import NonNegative, Probability

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.models.architectures.contract import Architecture


@dataclass(frozen=True)
class Online(ClientAlgorithm):
    """The client of Algorithm 3, lines 9 to 17: gradients with a memory of those before.

    Attributes
    ----------
    lam, beta, order
        See :class:`ASOFed`.
    """

    lam: NonNegative
    beta: Probability
    order: Literal["equations", "algorithm"]

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the gradient before, and h; "initialized to be 0"."""
        zero = np.zeros((n_clients, len(theta)), np.float32)
        return {"before": zero, "h": zero}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Descend along zeta, at the client's own rate."""
        import torch

        training = replace(
            training, learning_rate=training.learning_rate * float(sent["rate"])
        )  # eq. 5.11
        theta, draws = work.start_weights(sent["theta"]), training.draw(work)
        before, h = state["before"].clone(), state["h"].clone()
        optimizer = training.make_optimizer(theta)
        steps = theta.new_tensor([training.n_steps(len(held)) for held in work.clients])[:, None]
        for step in range(training.longest(work)):
            losses, gradient = training.gradient(theta, work, draws, step)
            gradient = gradient + self.lam * (theta - sent["theta"])  # of s_k, eq. 5.7
            older = self.beta * h + (1 - self.beta) * before  # eq. 5.9; line 15
            memory = older if self.order == "equations" else h
            theta.grad = gradient - before + memory  # eq. 5.8; line 13
            training.update(optimizer, [theta], work, step)  # eq. 5.10; line 14
            active = step < steps  # who has fewer steps than another keeps what it had
            before = torch.where(active, gradient, before)  # line 16
            h = torch.where(active, older, h)  # line 15
            work.on_step(losses)
        return {"theta": theta.detach()}, {"before": before, "h": h}


@dataclass(frozen=True)
class ASOFed(Algorithm):
    """Clients train on what has arrived, without waiting for each other (Algorithm 3).

    Attributes
    ----------
    lam
        Weight of the proximal term towards the received model, lambda of eq. 5.7.
    beta
        Decay of the memory of gradients, eq. 5.9.
    order
        Order of adding the last gradient to that memory and of using it: added first
        (``equations``, 5.8 and 5.9), or used first (lines 12 to 16 of the algorithm), which makes
        it a step older.
    dynamic
        Whether slow clients have a higher rate, eq. 5.11; ASO-Fed(-D) does not.
    features
        What eqs. 5.5 and 5.6 do to the first layer. ``literal``: each update multiplies it by
        attention weights that sum to 1 in a row, which erases it. ``scaled``: by these times the
        length of a row, so that the mean factor is 1; what is large then grows without bound.
        ``sent``: that too, but of the copy that is sent and tested, so that it is done once and not
        over and over. ``none``: nothing, as in ASO-Fed(-F).
    """

    lam: NonNegative = 1.0
    beta: Probability = 0.001
    order: Literal["equations", "algorithm"] = "equations"
    dynamic: bool = True
    features: Literal["sent", "scaled", "literal", "none"] = "sent"

    def client(self) -> ClientAlgorithm:
        """Return clients that remember gradients."""
        return Online(self.lam, self.beta, self.order)

    def sent(self, client: ClientAlgorithm, server: Arrays, flight: Flight) -> Arrays:
        """Return the model, and r_k = max(1, log of the client's mean seconds of trips before)."""
        rate = 1.0
        # NaN before the first trip; nothing if the update does not arrive.
        if self.dynamic and (flight.waited > 1).any():
            rate = max(1.0, float(np.log(flight.waited[0])))
        return {"theta": self.seen(client.model, server["theta"]), "rate": np.array(rate)}

    def arrived(
        self,
        client: ClientAlgorithm,
        server: Arrays,
        uploads: Arrays,
        sent: Arrays,
        flight: Flight,
        clock: Clock,
    ) -> Arrays:
        """Return the model after an update: eqs. 5.4, 5.5 and 5.6."""
        theta = moved_by_counts(server, uploads, sent, flight, clock)
        if self.features in ("scaled", "literal"):
            theta = self.attended(client.model, theta)
        return {"theta": theta}

    def hearers(self, n_clients: int) -> float:
        """Count all clients (Table 6.3); here a model goes to who begins to train."""
        return n_clients

    def personal(self, client: ClientAlgorithm, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the model as clients see it."""
        return self.seen(client.model, server["theta"])[None]

    def seen(self, model: "Architecture", theta: np.ndarray) -> np.ndarray:
        """Return the model as it is sent and tested."""
        return self.attended(model, theta) if self.features == "sent" else theta

    def attended(self, model: "Architecture", theta: np.ndarray) -> np.ndarray:
        """Weigh the first layer of weights ``[P]`` by attention, eqs. 5.5 and 5.6."""
        places, alpha = attention(model, theta)
        if self.features != "literal":
            alpha *= alpha.shape[1]
        theta = theta.copy()
        theta[places] = alpha.ravel() * theta[places].astype(np.float64)
        return theta


def moved_by_counts(
    server: Arrays, uploads: Arrays, sent: Arrays, flight: Flight, clock: Clock
) -> np.ndarray:
    """Move the server's model ``[S]`` by an update, weighed by samples that arrived: eq. 5.4."""
    share = flight.held[0] / clock.held.sum()
    theta = server["theta"] - share * (sent["theta"].astype(np.float64) - uploads["theta"][0])
    return theta.astype(np.float32)


def attention(model: "Architecture", theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the places of the first layer's weights, and their alpha ``[rows, J]``, eq. 5.5."""
    name, shape = next((n, s) for n, s in model.shapes.items() if len(s) > 1)
    places = model.part(name).numpy()
    size = np.abs(theta[places].reshape(shape[0], -1).astype(np.float64))
    size = np.exp(size - size.max(1, keepdims=True))  # which changes no ratio
    return places, size / size.sum(1, keepdims=True)


ALGORITHM = ASOFed
