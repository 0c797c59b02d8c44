"""A federation small enough to be worked by hand, in a module that processes of training find."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from small_models import SmallNet

from fedreact.engine.engine import TrainingJob
from fedreact.engine.local_training import LocalTraining
from fedreact.kinds.synchronous.engine import rounds_of
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.flat import FlatWeights
from fedreact.optimizers.sgd import SGD

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 20, 3)).astype(np.float32)
CLIENTS = [np.arange(0, 12), np.arange(10, 40), np.array([5])]
Y = RNG.integers(0, 2, 40)
START = RNG.normal(size=6).astype(np.float32)


@dataclass(frozen=True)
class Linear(FlatWeights):
    """A linear model of the mean over time; with cross-entropy, multinomial logistic regression."""

    n_out: int = 2
    in_channels: int = 3
    length: int = 20

    @property
    def shapes(self):
        return {"weight": (self.in_channels, self.n_out)}

    def init(self, generator):
        return torch.randn(self.n_parameters, generator=generator)

    def forward(self, theta, x):
        """Outputs ``[K, B, n_out]``."""
        return x.mean(2) @ self.unpack(theta)["weight"]

    def multiply_adds(self):
        return self.in_channels * self.n_out


SUPERVISED = LocalTraining(SupervisedLoss(Linear()), steps=None, epochs=2, batch_size=5)
# Of a model that draws (dropout) and keeps statistics (batch normalisation). The bias before a
# normalisation has gradient 0, whose rounding Adam would make a step of.
NORMED = replace(
    SUPERVISED, objective=SupervisedLoss(SmallNet()), optimizer=SGD(), learning_rate=0.05
)


def supervised(algorithm, of=SUPERVISED, **changes):
    """The three clients' work: 6, 12 and 2 steps a round."""
    return TrainingJob(replace(of, **changes), algorithm, X, CLIENTS, 1, Y)


def initial(job):
    """First weights of a job's model; none is 0, where rounding would decide about a ReLU."""
    return job.training.objective.init(torch.Generator().manual_seed(0)).numpy() + np.float32(0.125)


def train(engine, *args, **of_rounds):
    """Rounds of an engine: ``(t, server, state)`` after each."""
    with engine:
        return several_rounds(engine, *args, **of_rounds)


def several_rounds(engine, rounds=range(1, 3), theta=START, server=None, state=None):
    """The same of an engine that is open."""
    job, K = engine.job, len(engine.job.clients)
    server = job.algorithm.server(theta, K) if server is None else server
    state = job.algorithm.start(theta, K) if state is None else state
    return [of[:3] for of in rounds_of(engine, job, server, state, rounds)]


def a_round(engine, *args, **of_round):
    """Uploads and states of one round of an engine."""
    with engine:
        return one_round(engine, *args, **of_round)


def one_round(engine, theta=START, t=1, state=None, **of_round):
    """The same of an engine that is open: as they are then, not as a later round leaves them."""
    job = engine.job
    state = job.algorithm.start(START, len(job.clients)) if state is None else state
    found = engine.round({"theta": theta}, state, t, **of_round)
    return tuple({n: np.copy(v) for n, v in part.items()} for part in found)


def same_bits(one, other):
    """Whether mappings of arrays are the same, to the bit."""
    assert one.keys() == other.keys()
    return all(
        a.tobytes() == b.tobytes() and a.dtype == b.dtype and a.shape == b.shape
        for a, b in ((np.asarray(one[name]), np.asarray(other[name])) for name in one)
    )


def assert_close(one, other, rtol=1e-4, atol=1e-6):
    """Mappings of arrays that are the same but for rounding."""
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_allclose(one[name], other[name], rtol=rtol, atol=atol, err_msg=name)
