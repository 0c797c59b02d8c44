"""Federated averaging of pfl, in one of its processes."""

import numpy as np
import torch
from pfl.aggregate.simulate import SimulatedBackend
from pfl.aggregate.weighting import WeightByDatapoints
from pfl.algorithm.base import NNAlgorithmParams
from pfl.algorithm.federated_averaging import FederatedAveraging
from pfl.callback.base import TrainingProcessCallback
from pfl.data.dataset import Dataset
from pfl.data.federated_dataset import FederatedDataset
from pfl.data.sampling import get_user_sampler
from pfl.hyperparam.base import NNTrainHyperParams
from pfl.metrics import Metrics, Weighted
from pfl.model.pytorch import PyTorchModel
from torch import nn
from torch.nn import functional as F

from rivals.case import flat

NEVER = 10**9


class InTurn(TrainingProcessCallback):
    """Asks for the next round, and tells all processes."""

    def __init__(self, job, orders):
        self.job, self.orders, self.t = job, orders, 0

    def ask(self, model):
        """Return whether there is no other round."""
        if self.orders:
            self.t = self.orders.next(lambda: flat(model.pytorch_model))
        if self.job.cores > 1:
            told = [self.t]
            torch.distributed.broadcast_object_list(told)
            (self.t,) = told
        return self.t is None

    def on_train_begin(self, *, model):
        """Ask for the first round."""
        self.ask(model)
        return Metrics()

    def after_central_iteration(self, aggregate_metrics, model, *, central_iteration):
        """Ask for the next round, or stop."""
        return self.ask(model), Metrics()


class Client(Dataset):
    """A client's windows, in another order in each epoch."""

    def __init__(self, case, k, t):
        super().__init__((case.client(k),), user_id=k)
        self.data, self.t, self.epochs = case.data(), t, case.epochs_of(k, t)

    def iter(self, batch_size):
        """Yield the batches of the next epoch; in round 0 a window.

        Before its first iteration, which is a round 0, pfl evaluates, however seldom it has to.
        """
        X, y = self.data
        for batch in next(self.epochs) if self.t else [slice(1)]:
            yield X[batch], y[batch]


class Averaging(FederatedAveraging):
    """Federated averaging that trains nothing in round 0."""

    def __init__(self, turns):
        super().__init__()
        self.turns = turns

    def train_one_user(self, initial_model_state, model, user_dataset, central_context):
        """Train a client."""
        if self.turns.t:
            return super().train_one_user(initial_model_state, model, user_dataset, central_context)
        return model.get_model_difference(initial_model_state), Metrics()


class Model(nn.Module):
    """What pfl asks of a module."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def loss(self, X, y):
        """Loss of a batch."""
        return F.cross_entropy(self.inner(X), y)

    def metrics(self, X, y):
        """Count the windows of a batch."""
        return {"windows": Weighted.from_unweighted(len(X))}


def train(job, orders):
    """Train; ``orders`` are those of the first process."""
    case = job.case
    torch.set_num_threads(1)
    np.random.seed(0)  # noqa: NPY002 - pfl draws its own seeds there, the same in all processes
    case.prepare()
    turns, module = InTurn(job, orders), Model(case.module(job.theta))
    local = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[case.optimizer]
    model = PyTorchModel(module, local, torch.optim.SGD(module.parameters(), lr=1.0))
    users = list(range(case.clients))
    data = FederatedDataset(
        lambda k: Client(case, k, turns.t),
        get_user_sampler("minimize_reuse", users),
        {k: len(case.client(k)) for k in users},
    )
    rounds = NNAlgorithmParams(
        central_num_iterations=NEVER,
        evaluation_frequency=NEVER,
        train_cohort_size=case.clients,
        val_cohort_size=None,
    )
    training = NNTrainHyperParams(
        local_batch_size=case.batch,
        local_num_epochs=case.epochs,
        local_learning_rate=case.learning_rate,
    )
    backend = SimulatedBackend(data, data, [WeightByDatapoints()])
    Averaging(turns).run(
        rounds, backend, model, training, callbacks=[turns], send_metrics_to_platform=False
    )
