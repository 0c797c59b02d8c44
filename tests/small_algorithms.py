"""Synchronous algorithms for tests, in a module that processes of training find."""

import os
from dataclasses import dataclass

import numpy as np
import torch

from fedreact.aggregation.mean import weighted_mean
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.options import Probability


@dataclass(frozen=True)
class ServerMomentum(Algorithm):
    """A server with a half of its own, and clients that send more than weights.

    The server steps along a decayed sum of updates, weighs clients by the labels that they
    uploaded, and tells them the share of label 1 so far, by which they hold to what they are sent.
    Clients start a quarter of the way to where they ended in the round before.

    Attributes
    ----------
    beta
        Share of the velocity that the next round keeps.
    """

    beta: Probability = 0.5

    def server(self, theta, n_clients):
        return {"theta": theta, "velocity": np.zeros_like(theta), "seen": np.array([1, 1])}

    def start(self, theta, n_clients):
        last = np.repeat(theta[None], n_clients, axis=0)
        return {"last": last, "taken": np.zeros(n_clients, np.int64)}

    def sent(self, server):
        share = np.array(server["seen"][1] / server["seen"].sum(), np.float32)
        return {"theta": server["theta"], "share": share}

    def local(self, training, sent, state, work):
        start = work.start_weights(sent["theta"]).lerp(state["last"], 0.25)
        pull = (float(sent["share"]), sent["theta"])
        trained = training.descend(start, work, training.draw(work), pull)
        labels = [work.data.y[torch.from_numpy(own).to(trained.device)] for own in work.clients]
        counts = torch.stack([torch.bincount(y, minlength=2) for y in labels])
        return {"theta": trained, "counts": counts}, {"last": trained, "taken": state["taken"] + 1}

    def aggregate(self, server, uploads, n_samples):
        mean = weighted_mean(uploads["theta"], uploads["counts"].sum(1))
        velocity = np.float32(self.beta) * server["velocity"] + (mean - server["theta"])
        return {
            "theta": server["theta"] + velocity,
            "velocity": velocity,
            "seen": server["seen"] + uploads["counts"].sum(0),
        }


@dataclass(frozen=True)
class Adapting(FedAvg):
    """FedAvg whose clients, at test time, follow a drifting mean and know how common labels are."""

    def server(self, theta, n_clients):
        return {"theta": theta, "first": np.zeros(3, np.float32)}

    def start(self, theta, n_clients):
        return {"prior": np.full((n_clients, 2), 0.5, np.float32)}

    def local(self, training, sent, state, work):
        uploads, _ = super().local(training, sent, state, work)
        labels = [work.data.y[torch.from_numpy(own)] for own in work.clients]
        counts = torch.stack([torch.bincount(y, minlength=2) for y in labels]) + 1
        return uploads, {"prior": counts / counts.sum(1, keepdim=True)}

    def aggregate(self, server, uploads, n_samples):
        after = super().aggregate(server, uploads, n_samples)
        return after | {"first": server["first"] + np.float32(0.5)}

    def at_test(self, server, state):
        first = np.repeat(server["first"][None], len(state["prior"]), axis=0)
        return state | {"first": first}

    def adapt(self, objective, kept, x):
        mean, found = kept["first"], []
        for series in x:
            mean = 0.75 * mean + 0.25 * series.mean(0)
            output = objective.architecture.forward(
                kept["theta"][None], (series - mean)[None, None]
            )
            found.append(output[0, 0] + kept["prior"].log())
        return torch.stack(found)


@dataclass(frozen=True)
class Remembering(FedAvg):
    """A server that keeps what clients uploaded, and weighs them by how far each has moved."""

    def server(self, theta, n_clients):
        return {"theta": theta, "last": np.repeat(theta[None], n_clients, axis=0)}

    def aggregate(self, server, uploads, n_samples):
        moved = np.linalg.norm(uploads["theta"] - server["last"], axis=1) + 1e-6
        return {"theta": weighted_mean(uploads["theta"], moved), "last": uploads["theta"]}


@dataclass(frozen=True)
class Crashing(FedAvg):
    """The process of client 1 ends in the middle, as for want of memory."""

    def local(self, training, sent, state, work):
        if 5 not in work.clients[0]:
            os._exit(1)
        return super().local(training, sent, state, work)


@dataclass(frozen=True)
class CrashingAtTest(Adapting):
    """Processes end in testing."""

    def adapt(self, objective, kept, x):
        os._exit(1)
