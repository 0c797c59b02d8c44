"""FLSim: its synchronous trainer, which trains one client after the other in one process."""

import hydra.utils
import torch
from flsim_model import Model, patched

from rivals.case import flat

with patched():
    from flsim.active_user_selectors.simple_user_selector import SequentialActiveUserSelectorConfig
    from flsim.clients.base_client import ClientConfig
    from flsim.data.data_provider import IFLDataProvider, IFLUserData
    from flsim.optimizers.local_optimizers import LocalOptimizerAdamConfig, LocalOptimizerSGDConfig
    from flsim.optimizers.server_optimizers import FedAvgOptimizerConfig
    from flsim.servers.sync_servers import SyncServerConfig
    from flsim.trainers.sync_trainer import SyncTrainerConfig


class Client(IFLUserData):
    """A client's windows in a round; in round 0 it hands out none."""

    def __init__(self, case, k, t):
        self.data, self.n = case.data(), len(case.client(k))
        self.epochs = case.epochs_of(k, t) if t else iter([[]] * case.epochs)

    def num_train_examples(self):
        """Count the windows."""
        return self.n

    def num_train_batches(self):
        """Say that there are some."""
        return 1

    def num_eval_examples(self):
        """Count none."""
        return 0

    def num_eval_batches(self):
        """Count none."""
        return 0

    def train_data(self):
        """Yield the batches of the next epoch."""
        X, y = self.data
        for batch in next(self.epochs):
            yield X[batch], y[batch]

    def eval_data(self):
        """Yield nothing."""
        yield from ()


class Clients(IFLDataProvider):
    """All clients, in the round that is going on."""

    def __init__(self, case):
        self.case, self.t = case, 0

    def train_user_ids(self):
        """List the clients."""
        return list(range(self.case.clients))

    def num_train_users(self):
        """Count the clients."""
        return self.case.clients

    def get_train_user(self, user_index):
        """Return a client."""
        return Client(self.case, user_index, self.t)

    def train_users(self):
        """Yield the clients."""
        return map(self.get_train_user, self.train_user_ids())

    def eval_users(self):
        """Return none."""
        return []

    def test_users(self):
        """Return none."""
        return []


def run(job, orders):
    """Train on torch's threads on all cores."""
    case = job.case
    torch.set_num_threads(job.cores)
    case.prepare()
    adam = LocalOptimizerAdamConfig(lr=case.learning_rate, weight_decay=0.0)
    sgd = LocalOptimizerSGDConfig(lr=case.learning_rate)
    config = SyncTrainerConfig(
        epochs=1.0,
        do_eval=False,
        report_train_metrics=False,
        users_per_round=case.clients,
        client=ClientConfig(
            epochs=case.epochs, optimizer={"sgd": sgd, "adam": adam}[case.optimizer]
        ),
        server=SyncServerConfig(
            server_optimizer=FedAvgOptimizerConfig(),
            active_user_selector=SequentialActiveUserSelectorConfig(),
        ),
    )
    trainer = hydra.utils.instantiate(config, model=Model(case.module(job.theta)))
    clients = Clients(case)

    def weights():
        return flat(trainer.global_model().fl_get_module())

    while (t := orders.next(weights)) is not None:
        clients.t = t
        trainer.train(clients, None, case.clients, distributed_world_size=1)
