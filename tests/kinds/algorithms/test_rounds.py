"""Two rounds of every synchronous algorithm on unequal clients, beside other code.

``parity/table.yaml`` says for each what that code is: the authors' or PFLlib's, recorded in parity/
(``test_parity.py`` has more of it), or a plain one here, in float64, written from the equations at
the head of the algorithm's file. It also bounds the differences; ``docs/reference/parity.md`` is
made from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch
import yaml
from numpy.testing import assert_array_equal
from sklearn.linear_model import Ridge
from small_parity import Layers, OneLayer, one_client, recorded
from torch.nn.functional import cross_entropy, normalize

from fedreact import plugins
from fedreact.engine.engine import Stacked, TrainingJob
from fedreact.engine.local_training import LocalTraining
from fedreact.kinds.synchronous.algorithms.alignfed import AlignFed, target_points
from fedreact.kinds.synchronous.algorithms.alone import Alone
from fedreact.kinds.synchronous.algorithms.apfl import APFL
from fedreact.kinds.synchronous.algorithms.constant import Constant
from fedreact.kinds.synchronous.algorithms.ditto import Ditto
from fedreact.kinds.synchronous.algorithms.fedala import FedALA
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.algorithms.fedavg_finetuned import FedAvgFineTuned
from fedreact.kinds.synchronous.algorithms.fedavg_local import FedAvgLocal
from fedreact.kinds.synchronous.algorithms.fedbabu import FedBABU
from fedreact.kinds.synchronous.algorithms.fedbn import FedBN
from fedreact.kinds.synchronous.algorithms.feddyn import FedDyn
from fedreact.kinds.synchronous.algorithms.fedfa import FedFA
from fedreact.kinds.synchronous.algorithms.fedicon import FedICON
from fedreact.kinds.synchronous.algorithms.fedproto import FedProto
from fedreact.kinds.synchronous.algorithms.fedprox import FedProx
from fedreact.kinds.synchronous.algorithms.fedrep import FedRep
from fedreact.kinds.synchronous.algorithms.fedrod import FedRoD
from fedreact.kinds.synchronous.algorithms.fedst import FedST
from fedreact.kinds.synchronous.algorithms.fedthe import FedTHE
from fedreact.kinds.synchronous.algorithms.minirocket_alone import MiniRocketAlone
from fedreact.kinds.synchronous.algorithms.minirocket_ridge import MiniRocketRidge
from fedreact.kinds.synchronous.algorithms.pfedme import PFedMe
from fedreact.kinds.synchronous.algorithms.scaffold import Scaffold
from fedreact.kinds.synchronous.contract import PREPARE
from fedreact.kinds.synchronous.engine import rounds_of
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.flat import FlatWeights
from fedreact.models.layers import batch_norm, linear
from fedreact.models.minirocket import MiniRocket, layers
from fedreact.optimizers.sgd import SGD

TABLE = yaml.safe_load((Path(__file__).parent / "parity/table.yaml").read_text())
RECORD = recorded("rounds")
GIVEN, OF = RECORD["inputs"], RECORD["methods"]
X, Y = np.array(GIVEN["X"], np.float32)[:, None], np.array(GIVEN["y"])
SIZES = np.array(GIVEN["sizes"])
CLIENTS = np.split(np.arange(len(Y)), np.cumsum(SIZES)[:-1])
START = np.array(GIVEN["weights"], np.float32)
RATE, EPOCHS = GIVEN["learning_rate"], GIVEN["epochs"]
BODY, HEAD = slice(0, 16), slice(16, 31)
MODEL = Layers(3, 4, 3)

Pairs = list[tuple[np.ndarray, np.ndarray]]
RUNS: dict[str, Callable[[], Pairs]] = {}


def run(function):
    """Note what an algorithm, after which the function is named, comes to beside other code."""
    RUNS[function.__name__.replace("_", "-")] = function
    return function


def job_of(algorithm, rate=RATE, epochs=EPOCHS, **of_sgd):
    """A federation that takes whole batches."""
    loss = SupervisedLoss(algorithm.model)
    training = LocalTraining(loss, None, 100, rate, epochs, SGD(**of_sgd))
    return TrainingJob(training, algorithm, X, CLIENTS, 1, Y)


def trained(job, theta=START, rounds=2, prepared=False, **kept):
    """What server and clients keep after some rounds; as they are tested, if ``prepared``."""
    server, state = job.algorithm.server(theta, 3), job.algorithm.start(theta, 3) | kept
    with Stacked(job, "cpu") as engine:
        *_, (_, server, state, _) = rounds_of(engine, job, server, state, range(1, rounds + 1))
        if prepared:
            sent = job.algorithm.sent(server) | {PREPARE: np.ones(1, np.float32)}
            _, state = engine.round(sent, state, rounds + 1)
    return server, state


# --- Beside recorded rounds


@run
def fedavg():
    server, _ = trained(job_of(FedAvg().on(MODEL)))
    return [(server["theta"], OF["fedavg"]["server"])]


@run
def fedavg_local():
    _, state = trained(job_of(FedAvgLocal().on(MODEL)))
    return [(state["own"], OF["fedavg"]["clients"])]


@run
def fedavg_finetuned():
    # After a round and fine-tuning, as FedAvg's clients in the second round, before averaging.
    _, state = trained(job_of(FedAvgFineTuned().on(MODEL)), rounds=1, prepared=True)
    return [(state["own"], OF["fedavg"]["clients"])]


@run
def alone():
    _, state = trained(job_of(Alone().on(MODEL)))
    return [(state["own"], OF["alone"]["clients"])]


@run
def fedprox():
    server, _ = trained(job_of(FedProx(mu=0.5).on(MODEL)))
    return [(server["theta"], OF["fedprox"]["server"])]


@run
def ditto():
    server, state = trained(job_of(Ditto(lam=0.5, weights="samples").on(MODEL)))
    return [(server["theta"], OF["ditto"]["server"]), (state["personal"], OF["ditto"]["clients"])]


@run
def scaffold():
    server, state = trained(job_of(Scaffold().on(MODEL)))
    record = OF["scaffold"]
    controls = [(server["c"], record["c"]), (state["c"], record["clients"])]
    return [(server["theta"], record["server"]), *controls]


@run
def pfedme():
    record = OF["pfedme"]
    o = dict(record["options"])
    rate = o.pop("learning_rate")
    server, state = trained(job_of(PFedMe(**o).on(MODEL), rate, epochs=6, weight_decay=0.001))
    return [(server["theta"], record["server"]), (state["personal"], record["clients"])]


@run
def fedrep():
    job = job_of(FedRep().on(MODEL))
    server, state = trained(job)
    own = job.algorithm.personal(server, state)
    return [(server["theta"], OF["fedrep"]["server"]), (own, OF["fedrep"]["clients"])]


@run
def fedbabu():
    server, state = trained(job_of(FedBABU().on(MODEL)), prepared=True)
    return [(server["theta"], OF["fedbabu"]["server"]), (state["own"], OF["fedbabu"]["clients"])]


@run
def fedala():
    _, state = trained(job_of(FedALA(share=1.0).on(MODEL)), rounds=3, prepared=True)
    record = OF["fedala"]
    return [(state["own"], record["clients"]), (state["a"], record["shares"])]


@run
def fedrod():
    theta = np.concatenate([START, START[HEAD]])
    server, state = trained(job_of(FedRoD().on(MODEL)), theta)
    record = OF["fedrod"]
    return [(server["theta"], record["server"]), (state["personal"], record["clients"])]


@run
def fedthe():
    record = OF["fedthe"]
    heads = np.array(record["heads"], np.float32)
    theta = np.concatenate([START, heads[0]])
    server, state = trained(job_of(FedTHE().on(MODEL)), theta, personal=heads)
    means = [(server["h"], record["h"]), (state["h"], record["h_own"])]
    return [(server["theta"], record["server"]), (state["personal"], record["clients"]), *means]


@run
def fedproto():
    server, state = trained(job_of(FedProto(lam=2.0).on(MODEL)))
    record = OF["fedproto"]
    prototypes = [record["prototypes"][str(label)] for label in range(3)]
    return [(state["own"], record["clients"]), (server["theta"].reshape(3, 4), prototypes)]


@run
def fedicon():
    record = OF["fedicon"]
    algorithm = FedICON(tau=record["options"]["tau"], scaling=0.0, jitter=0.0).on(MODEL)
    job = job_of(algorithm, record["options"]["learning_rate"])
    server, state = trained(job, prepared=True)
    return [(server["theta"], record["server"]), (state["own"], record["clients"])]


@dataclass(frozen=True)
class Normed(FlatWeights):
    """An affine layer, a batch normalisation, a ReLU, and a head."""

    in_channels: int = 3
    n_out: int = 3
    length: int = 1
    trains_otherwise: ClassVar[bool] = True

    @property
    def shapes(self):
        first = {"fc1.weight": (4, 3), "fc1.bias": (4,), "bn1.weight": (4,), "bn1.bias": (4,)}
        return first | {"fc2.weight": (3, 4), "fc2.bias": (3,)}

    @property
    def buffers(self):
        return {"bn1.mean": (4,), "bn1.var": (4,)}

    def forward(self, theta, x, training=None):
        w = self.unpack(theta)
        h = batch_norm(linear(x[:, :, 0], w, "fc1"), w, "bn1", training).relu()
        return linear(h, w, "fc2")


@run
def fedbn():
    ones, zeros = np.ones(4, np.float32), np.zeros(4, np.float32)
    theta = np.concatenate([START[BODY], ones, zeros, START[HEAD], zeros, ones])
    job = job_of(FedBN().on(Normed()))
    own = job.algorithm.personal(*trained(job, theta))
    return [(own, OF["fedbn"]["clients"])]


@run
def feddyn():
    """Clients take part in one round or in two; their code scales alpha by a client's size."""
    case = recorded("feddyn")["cases"]["two_rounds_partial"]
    o, given, pairs = case["options"], case["inputs"], []
    server = FedDyn(alpha=o["alpha_coef"]).on(OneLayer())
    kept = server.server(np.array(given["init"], np.float32), 3)
    h = server.start(kept["theta"], 3)["h"]
    for of_round in case["rounds"]:
        models = []
        for k, alpha in zip(of_round["selected"], of_round["alpha_client"]):
            uploads, state = one_client(
                *(FedDyn(alpha=alpha).on(OneLayer()), given["X"][k], given["y"][k], 3),
                *(of_round["lr"], {"theta": torch.tensor(kept["theta"])}),
                {"h": torch.tensor(h[k : k + 1])},
                weight_decay=o["weight_decay"],
            )
            h[k] = state["h"][0].numpy()
            models.append(uploads["theta"][0].numpy())
        sizes = np.array([len(given["y"][k]) for k in of_round["selected"]])
        kept = server.aggregate(kept, {"theta": np.stack(models)}, sizes)
        pairs += [(kept["theta"], of_round["cloud_model"]), (h.copy(), of_round["h_all_after"])]
    return pairs


# --- Beside plain code


def samples(k):
    """Series ``[n, 3]`` and labels of a client."""
    x = torch.tensor(GIVEN["X"], dtype=torch.float64)
    return x[CLIENTS[k]], torch.tensor(Y[CLIENTS[k]])


def start():
    """First weights, in float64."""
    return torch.tensor(GIVEN["weights"], dtype=torch.float64)


def features(w, x):
    """Features ``[n, 4]`` of the two layers."""
    return (x @ w[:12].view(4, 3).T + w[12:16]).relu()


def outputs(w, x):
    """Outputs ``[n, 3]`` of the two layers."""
    return features(w, x) @ w[16:28].view(3, 4).T + w[28:31]


def slope(loss, w):
    """Gradient of ``loss(w)``."""
    w = w.detach().requires_grad_()
    return torch.autograd.grad(loss(w), w)[0]


def by_samples(models):
    """Mean of clients' models, weighted by samples."""
    return torch.stack(models).T.to(torch.float64) @ torch.tensor(SIZES / SIZES.sum())


@run
def apfl():
    """Algorithm 1; the authors' code takes the second gradient after the first step."""
    theta, own, alphas = start(), [start()] * 3, [0.5] * 3
    for _ in range(2):
        models = []
        for k in range(3):
            x, y = samples(k)
            w, v, alpha = theta, own[k], alphas[k]
            for step in range(EPOCHS):

                def loss(weights, x=x, y=y):
                    return cross_entropy(outputs(weights, x), y)

                of_mixture = slope(loss, alpha * v + (1 - alpha) * w)
                if step == 0:
                    alpha = float(np.clip(alpha - RATE * float(of_mixture @ (v - w)), 0, 1))
                w, v = w - RATE * slope(loss, w), v - RATE * alpha * of_mixture
            own[k], alphas[k] = v, alpha
            models.append(w)
        theta = torch.stack(models).mean(0)
    server, state = trained(job_of(APFL(weights="equal").on(MODEL)))
    pairs = [(state["own"], torch.stack(own)), (state["alpha"], np.array(alphas))]
    return [(server["theta"], theta), *pairs]


@run
def alignfed():
    points = torch.tensor(target_points(3, 4), dtype=torch.float64)
    head, own = start()[HEAD], [start()] * 3
    for _ in range(2):
        for k in range(3):
            x, y = samples(k)

            def loss(w, x=x, y=y):
                near = normalize(features(w, x), dim=1) @ points.T / 0.5
                return cross_entropy(outputs(w, x), y) + 2.0 * cross_entropy(near, y)

            w = torch.cat([own[k][BODY], head])
            for _ in range(EPOCHS):
                w = w - RATE * slope(loss, w)
            own[k] = w
        head = by_samples([w[HEAD] for w in own])
    server, state = trained(job_of(AlignFed(lam=2.0, tau=0.5).on(MODEL)))
    return [(server["theta"], head), (state["own"], torch.stack(own))]


@run
def constant():
    server, state = trained(job_of(Constant().on(MODEL)))
    own = np.tile(START.astype(float), (3, 1))
    own[:, 16:28] = 0
    own[:, 28:] = [np.bincount(Y[client], minlength=3) for client in CLIENTS]
    assert server["theta"].size == 0
    return [(state["own"], own)]


class PlainFedST:
    """FedST's losses on views z^v, each of an affine layer with a ReLU (eqs. 10 to 12, 15)."""

    def __init__(self, model):
        self.model, self.shapes = model, model.shapes

    def unpack(self, w):
        parts = w.split([int(np.prod(shape)) for shape in self.shapes.values()])
        return {n: part.view(shape) for (n, shape), part in zip(self.shapes.items(), parts)}

    def views(self, w, x):
        """Features of time, and of the amplitudes of one step, which are |x|."""
        p = self.unpack(w)
        both = {"time": x, "frequency": x.abs()}
        return {
            v: (x_v @ p[f"{v}.base.weight"].T + p[f"{v}.base.bias"]).relu()
            for v, x_v in both.items()
        }

    def projections(self, w, v, z):
        p = self.unpack(w)
        h = (z @ p[f"{v}.hidden.weight"].T + p[f"{v}.hidden.bias"]).relu()
        h = h @ p[f"{v}.out.weight"].T + p[f"{v}.out.bias"]
        return normalize(h[:, :128], dim=1), normalize(h[:, 128:], dim=1)

    def loss(self, w, x, y, prototypes):
        p, z = self.unpack(w), self.views(w, x)
        h = torch.cat([*z.values()], 1) @ p["head.weight"].T + p["head.bias"]
        total = cross_entropy(h, y)
        if prototypes is None:
            return total
        of = {v: self.projections(w, v, z[v]) for v in z}
        for v, other in (("time", "frequency"), ("frequency", "time")):
            of_prototypes = self.projections(w, v, prototypes[v])
            domain = [(a * b[y]).sum(1).abs() for a, b in zip(of[v], of_prototypes)]
            own = torch.arange(len(y))
            vol = [cross_entropy((a @ b.T).abs(), own) for a, b in zip(of[v], of[other])]
            pol = (of[v][0] * of[v][1]).sum(1).abs().mean()
            total = total + (domain[1] - domain[0]).mean() + vol[0] - vol[1] + pol
        return total


@run
def fedst():
    job = job_of(FedST().on(MODEL), rate=0.02)
    model = job.algorithm.model
    theta = model.init(torch.Generator().manual_seed(0)).numpy()
    plain, own = PlainFedST(model), [torch.tensor(theta, dtype=torch.float64)] * 3
    head, prototypes = own[0][job.algorithm.shared], None
    for _ in range(2):
        for k in range(3):
            x, y = samples(k)
            w = own[k].clone()
            w[job.algorithm.shared] = head
            of_client = partial(plain.loss, x=x, y=y, prototypes=prototypes)
            for _ in range(EPOCHS):
                w = w - 0.02 * slope(of_client, w)
            own[k] = w
        head = by_samples([w[job.algorithm.shared] for w in own])
        prototypes = {}
        for v in ("time", "frequency"):
            means = []
            for label in range(3):
                has = [k for k in range(3) if (samples(k)[1] == label).any()]
                of_clients = [
                    plain.views(own[k], samples(k)[0])[v][samples(k)[1] == label].mean(0)
                    for k in has
                ]
                share = torch.tensor(SIZES[has] / SIZES[has].sum())
                means.append(share @ torch.stack(of_clients))
            prototypes[v] = torch.stack(means)
    server, state = trained(job, theta)
    found = torch.tensor(server["prototypes"])
    pairs = [(found[i], prototypes[v]) for i, v in enumerate(model.views)]
    return [(server["theta"], head), (state["own"], torch.stack(own)), *pairs]


@dataclass(frozen=True)
class Maps(FlatWeights):
    """Two maps over four steps of a block, their means over time, and a head."""

    in_channels: int = 3
    n_out: int = 3
    length: int = 4
    widths: tuple[int, ...] = (2,)
    n_features: int = 2

    @property
    def shapes(self):
        return {"conv.weight": (2, 3), "head.weight": (3, 2), "head.bias": (3,)}

    def encode(self, theta, x, training=None, after=lambda block, h: h):
        h = self.unpack(theta)["conv.weight"][:, None] @ x.mT
        return after(0, h.tanh()).mean(3)

    def head(self, theta, h):
        return linear(h, self.unpack(theta), "head")

    def forward(self, theta, x):
        return self.head(theta, self.encode(theta, x))


@run
def fedfa():
    """Every batch is augmented; the draws are those of the training."""
    x_all = np.random.default_rng(0).normal(size=(len(Y), 4, 3)).astype(np.float32)
    algorithm = FedFA(probability=1.0).on(Maps())
    theta = np.linspace(-1, 1, 15).astype(np.float32)
    job = TrainingJob(job_of(algorithm).training, algorithm, x_all, CLIENTS, 1, Y)
    w_all = torch.tensor(theta, dtype=torch.float64)
    mean, variance = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double(), torch.ones(2, 2).double()
    for t in (1, 2):
        gamma = 1 / (1 + 1 / (variance + 1e-6))
        gamma = 2 * gamma / gamma.sum(1, keepdim=True)
        models, means = [], []
        for k in range(3):
            x, y = torch.tensor(x_all[CLIENTS[k]]).double(), samples(k)[1]
            work = job.work(Data(torch.zeros(1, 4, 3)), [k], [CLIENTS[k]], t, lambda losses: None)
            (rng,) = work.generators("local training")
            drawn = algorithm_draws(rng, CLIENTS[k])
            w, running = w_all, mean
            for order, seed in zip(*drawn):
                g = torch.Generator().manual_seed(int(seed))
                torch.rand((), generator=g)
                noise = torch.randn(2, len(order), 2, generator=g).double()
                place = [CLIENTS[k].tolist().index(i) for i in order]
                seen = []

                def loss(w, x=x[place], y=y[place], noise=noise, gamma=gamma, seen=seen):
                    h = (x @ w[:6].view(2, 3).T).tanh().mT  # [n, F, T]
                    m, s = h.mean(2), (h.var(2) + 1e-6).sqrt()
                    seen[:] = [torch.stack([m.mean(0), s.mean(0)]).detach()]
                    m_new = m + noise[0] * ((1 + gamma[0]) * (m.var(0) + 1e-6)).sqrt()
                    s_new = s + noise[1] * ((1 + gamma[1]) * (s.var(0) + 1e-6)).sqrt()
                    h = (h - m[..., None]) / s[..., None] * s_new[..., None] + m_new[..., None]
                    return cross_entropy(h.mean(2) @ w[6:12].view(3, 2).T + w[12:], y)

                w = w - RATE * slope(loss, w)
                running = 0.99 * running + 0.01 * seen[0]
            models.append(w)
            means.append(running)
        w_all, mean = torch.stack(models).mean(0), torch.stack(means).mean(0)
        variance = torch.stack(means).var(0)
    server, _ = trained(job, theta)
    statistics = [(server["mean0"], mean), (server["variance0"], variance)]
    return [(server["theta"], w_all), *statistics]


def algorithm_draws(rng, client):
    """Whole batches in random orders, and a seed for the draws of each: as a training draws."""
    orders = [rng.permutation(client) for _ in range(EPOCHS)]
    return orders, rng.integers(2**62, size=EPOCHS)


# --- MiniRocket


def rocket_job(algorithm, seed=0):
    """Three clients of unequal size with series of 30 steps and two channels."""
    x = np.random.default_rng(seed).normal(size=(len(Y), 30, 2)).astype(np.float32).cumsum(1)
    algorithm = algorithm.on(MiniRocket(2, 30, 3, 1))
    return TrainingJob(job_of(algorithm).training, algorithm, x, CLIENTS, 1, Y)


def plain_ridge(job, samples):
    """Thresholds and linear layer of pooled samples, by scikit-learn, in float64."""
    model, x, penalty = job.algorithm.model, torch.tensor(job.X[samples]), 10.0
    theta = torch.zeros(1, model.n_parameters)
    theta[0, : model.n_features] = model.quantiles(x).mean(0)
    h = model.encode(theta, x[None])[0].double().numpy()
    spread = np.where(h.std(0) < 1e-9, 1, h.std(0))
    z = (h - h.mean(0)) / spread
    fit = Ridge(alpha=penalty).fit(z, 2 * np.eye(3)[job.y[samples]] - 1)
    weights = fit.coef_ / spread
    return np.concatenate(
        [theta[0, : model.n_features], weights.ravel(), fit.intercept_ - weights @ h.mean(0)]
    )


@run
def minirocket_ridge():
    job = rocket_job(MiniRocketRidge(features=252, penalties=(10.0,)))
    theta = np.zeros(job.algorithm.model.n_parameters, np.float32)
    server, state = trained(job, theta)
    wanted = plain_ridge(job, np.concatenate(CLIENTS))
    return [(job.algorithm.personal(server, state)[0], wanted)]


@run
def minirocket_alone():
    job = rocket_job(MiniRocketAlone(features=252, penalties=(10.0,)))
    theta = np.zeros(job.algorithm.model.n_parameters, np.float32)
    _, state = trained(job, theta, rounds=1)
    return [(own, plain_ridge(job, client)) for own, client in zip(state["own"], CLIENTS)]


def test_minirocket_has_the_dilations_quantiles_and_features_of_its_authors():
    record = recorded("minirocket")
    for case, (dilations, counts) in record["dilations"].items():
        length, wanted = map(int, case.split())
        found = layers(MiniRocket(1, length, 2, wanted))
        assert [layer.dilation for layer in found] == dilations
        assert [layer.n for layer in found] == counts
    model, x = MiniRocket(1, 30, 2, 252), torch.tensor(record["X"])[..., None]
    quantiles = model.quantiles(x)
    np.testing.assert_allclose(quantiles, record["quantiles"], atol=2e-5)
    theta = torch.zeros(1, model.n_parameters)
    theta[0, :252] = torch.tensor(record["quantiles"]).mean(0)
    np.testing.assert_allclose(model.encode(theta, x[None])[0], record["features"], atol=1e-6)


def test_minirocket_sums_over_the_channels_that_a_kernel_reads():
    model = MiniRocket(4, 30, 2, 84)
    (layer,) = layers(model)
    x = torch.randn(5, 30, 4, generator=torch.Generator().manual_seed(0))
    z = layer.convolve(x)
    alone = layers(MiniRocket(1, 30, 2, 84))[0]
    for kernel in (0, 17, 83):
        of_channels = [
            alone.convolve(x[..., [c]])[:, kernel] for c in np.flatnonzero(layer.mask[kernel])
        ]
        np.testing.assert_allclose(z[:, kernel], sum(of_channels), rtol=1e-4, atol=1e-4)
    assert 1 <= layer.mask.sum(1).min() <= layer.mask.sum(1).max() <= 4


# --- The table


def test_the_table_has_every_algorithm():
    algorithms = plugins.names("kinds/synchronous/algorithms", "ALGORITHM")
    assert sorted(TABLE) == sorted(algorithms)
    assert sorted(RUNS) == sorted(algorithms)


@pytest.mark.parametrize("name", TABLE)
def test_rounds_are_those_of_the_other_code(name):
    """The largest difference of a weight or statistic is what the table says, or smaller."""
    largest = 0.0
    for found, wanted in RUNS[name]():
        found, wanted = (np.asarray(values, float) for values in (found, wanted))
        assert found.shape == wanted.shape
        largest = max(largest, float(np.abs(found - wanted).max()))
    assert largest <= TABLE[name]["largest"], largest


@pytest.mark.parametrize("name", OF)
def test_the_table_names_the_recorded_code(name):
    assert OF[name]["source"].startswith(TABLE[name]["source"])


def test_clients_of_equal_size_make_no_difference_between_weights():
    for kind in (FedAvg, FedBN, FedDyn, FedFA, FedProto, FedST):
        n_samples = np.array([4, 4, 4])
        both = (kind(weights=of).shares(n_samples) for of in ("samples", "equal"))
        assert_array_equal(*(shares / shares.sum() for shares in both))
    assert_array_equal(FedAvg(weights="equal").shares(np.array([1, 5])), [1, 1])
    assert_array_equal(FedAvg().shares(np.array([1, 5])), [1, 5])
