"""This package: FedAvg on its workers, a process a core."""

import numpy as np
import torch
from engine import Idle

from fedreact.engine.engine import TrainingJob, open_engine
from fedreact.engine.local_training import LocalTraining
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.engine import rounds_of
from fedreact.losses.supervised import SupervisedLoss
from fedreact.optimizers.adam import Adam
from fedreact.optimizers.sgd import SGD


class InTurn(FedAvg):
    """FedAvg that trains only where the server says so."""

    def sent(self, server):
        """Send whether to train, too."""
        return {"theta": server["theta"], "trains": server["trains"]}

    def local(self, training, sent, state, work):
        """Train, or do all of a round but its steps."""
        kind = FedAvg if sent["trains"] else Idle
        return kind().local(training, sent, state, work)


def run(job, orders):
    """Train as runs of the package do."""
    case = job.case
    torch.set_num_threads(1)
    X, y = (part.numpy() for part in case.data())
    training = LocalTraining(
        SupervisedLoss(case.architecture),
        steps=None,
        epochs=case.epochs,
        batch_size=case.batch,
        learning_rate=case.learning_rate,
        optimizer={"sgd": SGD(), "adam": Adam()}[case.optimizer],
    )
    clients = [case.client(k) for k in range(case.clients)]
    work = TrainingJob(training, InTurn(), X, clients, seed=0, y=y)
    server = {"theta": job.theta}
    with open_engine(work, "cpu", job.cores) as engine:
        while (t := orders.next(lambda: server["theta"])) is not None:
            server["trains"] = np.array(t > 0)
            ((_, after, _, _),) = rounds_of(engine, work, server, {}, range(t, t + 1))
            server.update(after)
