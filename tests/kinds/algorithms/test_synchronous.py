"""The contract of synchronous algorithms, for each file; and each of the project's by hand."""

import inspect
import pickle
from dataclasses import is_dataclass, replace
from functools import cache

import numpy as np
import pytest
import torch
from helpers import slowly
from small_algorithms import Adapting, ServerMomentum
from small_federation import (
    CLIENTS,
    NORMED,
    RNG,
    START,
    SUPERVISED,
    X,
    Y,
    a_round,
    assert_close,
    initial,
    one_round,
    same_bits,
    several_rounds,
    supervised,
    train,
)
from small_models import SmallBlocks, SmallCNN

from fedreact import options, plugins
from fedreact.aggregation.mean import weighted_mean
from fedreact.engine.engine import Stacked, Workers
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds.synchronous.algorithms.apfl import APFL
from fedreact.kinds.synchronous.algorithms.ditto import Ditto
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.algorithms.fedavg_finetuned import FedAvgFineTuned
from fedreact.kinds.synchronous.algorithms.fedbabu import FedBABU
from fedreact.kinds.synchronous.algorithms.fedicon import FedICON
from fedreact.kinds.synchronous.algorithms.fedproto import FedProto
from fedreact.kinds.synchronous.algorithms.fedprox import FedProx
from fedreact.kinds.synchronous.contract import PREPARE, Algorithm
from fedreact.kinds.synchronous.engine import rounds_of
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.optimizers.sgd import SGD
from fedreact.task import Task

FOLDER = ("kinds/synchronous/algorithms", "ALGORITHM")
KINDS = {name: plugins.load(FOLDER[0], name, FOLDER[1]) for name in plugins.names(*FOLDER)}
SMALL = {"test: server-momentum": ServerMomentum, "test: adapting": Adapting}
EACH_FILE = pytest.mark.parametrize("name", KINDS)
EACH = pytest.mark.parametrize("kind", [*KINDS.values(), *SMALL.values()], ids=[*KINDS, *SMALL])
SOME = pytest.mark.parametrize("kind", slowly(KINDS | SMALL, "fedavg", "ditto", "fedst"))
OF = pytest.mark.parametrize("of", [SUPERVISED, NORMED], ids=["linear", "normed"])

TASKS = {
    "classification": Task("classification", 2, 3, 20),
    "multi-label": Task("multi-label", 2, 3, 20),
    "regression": Task("regression", 2, 3, 20),
}
TARGETS = {
    "classification": Y,
    "multi-label": np.stack([Y, 1 - Y], 1).astype(bool),
    "regression": np.stack([Y, Y + 0.5], 1).astype(np.float32),
}


def job_of(kind, of=SUPERVISED, task=None):
    """The small federation on a task that an algorithm runs on, which need not be labels.

    The model is one with features and blocks where an algorithm asks for that.
    """
    task = task or next(name for name, task in TASKS.items() if kind.skip(task) is None)
    for model in (replace(of.objective.architecture, n_out=2), MORE[of is NORMED], MORE[True]):
        try:
            algorithm = kind().on(model)
        except UserError:
            continue
        if isinstance(model, SmallBlocks):  # rounding of gradients near 0 is no step of SGD's
            of = replace(of, optimizer=SGD(), learning_rate=0.05)
        if hasattr(algorithm, "tau"):  # contrasts are steep: longer steps would blow up rounding
            of = replace(of, optimizer=SGD(), learning_rate=0.002)
        job = supervised(algorithm, of, objective=SupervisedLoss(algorithm.model, task))
        return replace(job, y=TARGETS[task])
    raise AssertionError("it runs on none of the small models")


MORE = {False: SmallBlocks(), True: SmallCNN()}


@pytest.fixture(autouse=True)
def one_thread():
    """As in a run: sums in another order would differ in the last bit."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_an_error_of_targets_reaches_those_that_have_a_loss_of_their_own():
    """FedFA trains on features that it changes; the error is that of the run."""
    found = []
    job = job_of(KINDS["fedfa"], task="regression")
    for error in ("squared", "absolute"):
        objective = replace(job.training.objective, error=error)
        job = replace(job, training=replace(job.training, objective=objective))
        theta = objective.init(torch.Generator().manual_seed(0)).numpy()
        found.append(train(Stacked(job, "cpu"), theta=theta)[-1][1]["theta"])
    assert not np.array_equal(*found)


# --- Contract


def test_all_files_are_found():
    assert {"fedavg", "fedprox", "ditto", "apfl"} <= set(KINDS)
    assert "contract" not in KINDS


@EACH
@OF
def test_what_is_kept_and_uploaded_has_the_shapes_that_it_should(kind, of):
    job, theta = job_of(kind, of), initial(job_of(kind, of))
    algorithm, K, P = job.algorithm, len(CLIENTS), len(theta)
    server, state = algorithm.server(theta, K), algorithm.start(theta, K)
    (S,) = server["theta"].shape
    assert server["theta"].dtype == np.float32
    if S == P:  # all of the model goes both ways
        assert server["theta"].tobytes() == theta.tobytes()
    first = {n: (v.shape, v.dtype) for n, v in state.items()}
    for t in (1, 2):
        sent = algorithm.sent(server)
        assert sent["theta"].shape == (S,)
        assert sent["theta"].dtype == np.float32
        with Stacked(job, "cpu", 2) as engine:
            uploads, state = engine.round(sent, state, t)
        assert uploads["theta"].shape == (K, S)
        assert uploads["theta"].dtype == np.float32
        assert all(len(values) == K for values in uploads.values())
        assert {n: (v.shape, v.dtype) for n, v in state.items()} == first
        assert all(len(values) == K for values in state.values())
        before = {n: np.shape(v) for n, v in server.items()}
        server = algorithm.aggregate(server, uploads, np.array([12, 30, 1]))
        assert {n: np.shape(v) for n, v in server.items()} == before
        assert server["theta"].dtype == np.float32
        assert np.isfinite(server["theta"]).all()
        own = algorithm.personal(server, state)
        assert own.shape in ((1, P), (K, P))
        assert own.dtype == np.float32
        if hasattr(algorithm, "adapt"):
            assert all(len(values) == K for values in algorithm.at_test(server, state).values())


@EACH
@OF
def test_nothing_is_changed_in_place(kind, of):
    job = job_of(kind, of)
    theta, data = initial(job), job.data(lambda tensor: tensor.clone())
    algorithm, K = job.algorithm, len(CLIENTS)
    given = {"theta": theta}

    def unchanged(arrays, call, *given):
        """What a call returns, if it leaves what it is given as it is."""
        before = {n: torch.as_tensor(v).clone() for n, v in arrays.items()}
        found = call(*given)
        assert all(torch.equal(before[n], torch.as_tensor(v)) for n, v in arrays.items())
        return found

    server = unchanged(given, algorithm.server, theta, K)
    state = unchanged(given, algorithm.start, theta, K)
    n_samples = np.array([12, 30, 1])
    for t in (1, 2):
        sent = unchanged(server, algorithm.sent, server)
        sent, kept = (
            {n: torch.from_numpy(np.array(v)) for n, v in arrays.items()}
            for arrays in (sent, state)
        )
        work = job.work(data, range(K), CLIENTS, t, lambda losses: None)
        everything = {f"sent {n}": v for n, v in sent.items()} | {"X": data.X, "y": data.y}
        everything |= {f"state {n}": v for n, v in kept.items()}
        done = unchanged(everything, algorithm.local, job.training, sent, kept, work)
        uploads, state = ({n: v.numpy() for n, v in part.items()} for part in done)
        everything = server | {f"upload {n}": v for n, v in uploads.items()} | {"n": n_samples}
        server = unchanged(everything, algorithm.aggregate, server, uploads, n_samples)
        both = {f"server {n}": v for n, v in server.items()} | state
        unchanged(both, algorithm.personal, server, state)
        unchanged(both, algorithm.at_test, server, state)


# Processes take seconds to start, so of the two models each algorithm has the harder one.
@pytest.mark.parametrize(
    "made",
    slowly(
        {name: (kind, NORMED) for name, kind in {**KINDS, **SMALL}.items()}
        | {"fedavg-linear": (FedAvg, SUPERVISED)},
        *("apfl", "fedst", "fedavg-linear"),
    ),
)
def test_engines_agree_and_resume(made):
    kind, of = made
    near = {"atol": 1e-4 if of is NORMED else 1e-6}
    job = job_of(kind, of)
    theta = initial(job)
    alone = train(Stacked(job, "cpu", 1), range(1, 4), theta)
    with Workers(job, 2) as engine:
        spread = several_rounds(engine, range(1, 4), theta)
        _, server, state = alone[0]
        resumed = several_rounds(engine, range(2, 4), theta, server, state)
    assert same_bits(resumed[-1][1], alone[-1][1])
    assert same_bits(resumed[-1][2], alone[-1][2])
    for one, other in zip(alone, spread, strict=True):
        assert all(same_bits(one[part], other[part]) for part in (1, 2))
    # Clients that train together differ by rounding, which a loss with kinks makes larger from
    # round to round: so each round begins where the clients that train one by one are.
    for chunk in (None, 2):
        with Stacked(job, "cpu", chunk) as engine:
            server = state = None
            for t, *there in alone:
                [(_, *found)] = several_rounds(engine, [t], theta, server, state)
                for one, other in zip(there, found, strict=True):
                    assert_close(one, other, **near)
                server, state = there


@SOME
@OF
def test_the_seed_keys_everything(kind, of):
    job = job_of(kind, of)
    theta, twins = initial(job), replace(job, clients=[CLIENTS[0]] * 3)
    state = job.algorithm.start(theta, 3)
    sent = job.algorithm.sent(job.algorithm.server(theta, 3))

    def found(job, t=1):
        with Stacked(job, "cpu", 1) as engine:
            return engine.round(sent, state, t)

    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002
    first = found(job)
    # Whatever else has drawn numbers in this process.
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002
    again = found(job)
    assert same_bits(first[0], again[0])
    assert same_bits(first[1], again[1])
    if job.algorithm.models == 0:
        return  # nothing is trained
    assert not same_bits(*(part[0] | part[1] for part in (first, found(replace(job, seed=2)))))
    assert not same_bits(*(part[0] | part[1] for part in (first, found(job, 2))))
    # Clients with the same data draw for themselves.
    uploads, kept = found(twins)
    trained = kept["own"] if uploads["theta"].size == 0 else uploads["theta"]
    assert len({row.tobytes() for row in trained}) == 3


@EACH
def test_a_client_does_as_it_does_whoever_trains_beside_it(kind):
    job = job_of(kind)
    theta = initial(job)
    state = job.algorithm.start(theta, 3)
    sent = job.algorithm.sent(job.algorithm.server(theta, 3))
    with Stacked(job, "cpu", 1) as engine:
        uploads, kept = engine.round(sent, state, 1)
        for k in range(3):
            own = {n: v[[k]] for n, v in state.items()}
            alone = engine.round(sent, own, 1, clients=[k])
            assert same_bits(alone[0], {n: v[[k]] for n, v in uploads.items()})
            assert same_bits(alone[1], {n: v[[k]] for n, v in kept.items()})


@EACH
def test_it_says_before_which_tasks_it_cannot_run_on_and_runs_on_the_others(kind):
    assert isinstance(inspect.getattr_static(kind, "skip"), staticmethod)
    reasons = {name: kind.skip(task) for name, task in TASKS.items()}
    assert None in reasons.values()
    for name, why in reasons.items():
        if why is not None:
            assert isinstance(why, str)
            assert why
            continue
        if kind in SMALL.values() and name != "classification":
            continue  # they count labels, and are no examples of this
        job = job_of(kind, task=name)
        theta = initial(job)
        _, server, state = train(Stacked(job, "cpu"), theta=theta)[-1]
        own = job.algorithm.personal(server, state)
        assert np.isfinite(server["theta"]).all()
        assert np.isfinite(own).all()
        assert (own != theta).any(1).all()


@pytest.mark.parametrize("name", KINDS)
def test_the_workflow_is_told_the_same(name):
    for task in TASKS.values():
        assert runs.skipped("synchronous", name, task) == KINDS[name].skip(task)


@EACH_FILE
def test_options_are_fields_of_a_frozen_dataclass(name):
    kind = KINDS[name]
    assert issubclass(kind, Algorithm)
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    made, helps = kind(), options.help_of(kind)
    for option, default in options.defaults(kind).items():
        assert helps[option], f"{option} has no help text"
        assert getattr(made, option) == default
        assert f"{option}=" in repr(made)  # which is part of a checkpoint's fingerprint
        of_yaml = {option: list(default) if isinstance(default, tuple) else default}
        method = runs.method("synchronous", name, of_yaml, "here")
        assert method.options == {option: default}
    assert sorted(options.defaults(kind)) == sorted(options.names(kind)), "options need defaults"
    with pytest.raises(UserError, match="unknown option nonsense"):
        runs.method("synchronous", name, {"nonsense": 1}, "here")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("fedprox", {"mu": -1}),
        ("fedprox", {"mu": "much"}),
        ("ditto", {"lam": -0.1}),
        ("apfl", {"alpha": 1.5}),
        ("apfl", {"adaptive": 3}),
    ],
)
def test_options_without_sense_are_refused_before_anything_runs(name, wrong):
    with pytest.raises(UserError, match=next(iter(wrong))):
        runs.method("synchronous", name, wrong, "here")


@EACH
def test_options_are_told_apart_and_travel_to_other_processes(kind):
    made = kind()
    assert pickle.loads(pickle.dumps(made)) == made
    for option, default in options.defaults(kind).items():
        if isinstance(default, bool):
            other = replace(made, **{option: not default})
        elif isinstance(default, float):
            other = replace(made, **{option: default / 2 + 0.1})
        else:
            continue
        assert repr(other) != repr(made)


# --- By hand


def by_hand(job, start, k, purpose="local training", mu=0.0, t=1):
    """Adam in float64, batch by batch, with gradients from autograd on the plain loss."""
    rng = generator_of(job, k, purpose, t)
    n = len(job.clients[k])
    batches = job.training.objective.draw(
        rng, job.clients[k], 20, 5, job.training.n_steps(n)
    ).samples
    w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    centre = torch.tensor(START, dtype=torch.float64)
    adam = torch.optim.Adam([w], lr=job.training.learning_rate)
    for batch in batches:
        at = batch[batch >= 0]
        adam.zero_grad()
        x = torch.tensor(X[at], dtype=torch.float64).mean(1)
        loss = torch.nn.functional.cross_entropy(x @ w.view(3, 2), torch.tensor(Y[at]))
        (loss + mu / 2 * (w - centre).square().sum()).backward()
        adam.step()
    return w.detach().numpy()


def generator_of(job, k, purpose="local training", t=1):
    data = Data(torch.zeros(1, 20, 1))
    return job.work(data, [k], [job.clients[k]], t, None).generators(purpose)[0]


@pytest.mark.parametrize(("algorithm", "mu"), [(FedAvg(), 0.0), (FedProx(mu=0.5), 0.5)])
def test_fedavg_and_fedprox_train_as_by_hand(algorithm, mu):
    job = supervised(algorithm)
    uploads, state = a_round(Stacked(job, "cpu"))
    assert state == {}
    for k in range(3):  # with 6, 12 and 2 steps: clients that are done stand still
        expected = by_hand(job, START, k, mu=mu)
        np.testing.assert_allclose(uploads["theta"][k], expected, rtol=1e-4, atol=1e-6)


def test_ditto_trains_a_personal_model_beside_the_global_one():
    job = supervised(Ditto(lam=0.5))
    own = job.algorithm.start(START, 3)
    own["personal"] = own["personal"] + np.float32(0.1)
    uploads, state = a_round(Stacked(job, "cpu"), state=own)
    for k in range(3):
        expected = by_hand(job, START, k)
        np.testing.assert_allclose(uploads["theta"][k], expected, rtol=1e-4, atol=1e-6)
        expected = by_hand(job, own["personal"][k], k, "personal training", mu=0.5)
        np.testing.assert_allclose(state["personal"][k], expected, rtol=1e-4, atol=1e-6)
    assert job.algorithm.personal({"theta": START}, state) is state["personal"]


def test_one_step_of_apfl_by_hand():
    job = supervised(APFL(0.5), steps=1, epochs=1, optimizer=SGD(), learning_rate=0.1)
    own = job.algorithm.start(START, 3)
    v = own["own"] = own["own"] + RNG.normal(size=(3, 6)).astype(np.float32)
    uploads, state = a_round(Stacked(job, "cpu"), state=own)
    for k in range(3):
        (batch,) = job.training.objective.draw(generator_of(job, k), CLIENTS[k], 20, 5, 1).samples
        batch = batch[batch >= 0]

        def slope(at, batch=batch):
            at = torch.tensor(at, requires_grad=True)
            x = torch.from_numpy(X[batch]).mean(1)
            loss = torch.nn.functional.cross_entropy(x @ at.view(3, 2), torch.from_numpy(Y[batch]))
            return torch.autograd.grad(loss, at)[0].numpy()

        at_mixed = slope((START + v[k]) / 2)
        alpha = np.clip(0.5 - 0.1 * at_mixed @ (v[k] - START), 0, 1)
        expected_w = START - 0.1 * slope(START)
        expected_v = v[k] - 0.1 * alpha * at_mixed
        np.testing.assert_allclose(state["alpha"][k], alpha, rtol=1e-4)
        np.testing.assert_allclose(uploads["theta"][k], expected_w, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(state["own"][k], expected_v, rtol=1e-4, atol=1e-6)
        mixed = alpha * expected_v + (1 - alpha) * expected_w
        np.testing.assert_allclose(state["mixed"][k], mixed, rtol=1e-4, atol=1e-6)
    assert job.algorithm.personal({"theta": START}, state) is state["mixed"]


def test_alpha_of_apfl_stays_a_share():
    # So far apart, and so long a step, that alpha would leave [0, 1] at one end or the other.
    job = supervised(APFL(0.5), steps=1, optimizer=SGD(), learning_rate=50.0)
    ends = set()
    for seed in range(8):
        own = job.algorithm.start(START, 3)
        shift = np.random.default_rng(seed).normal(size=(3, 6)).astype(np.float32)
        own["own"] = own["own"] + 5 * shift
        ends |= set(a_round(Stacked(job, "cpu"), state=own)[1]["alpha"].tolist())
    assert min(ends) == 0
    assert max(ends) == 1


def test_limits_in_which_algorithms_coincide():
    fedavg = one(FedAvg())[0]["theta"]
    np.testing.assert_array_equal(one(FedProx(mu=0.0))[0]["theta"], fedavg)
    np.testing.assert_array_equal(one(Ditto(lam=1.0))[0]["theta"], fedavg)
    uploads, state = one(APFL(0.0, adaptive=False))
    np.testing.assert_allclose(uploads["theta"], fedavg, rtol=1e-6)
    np.testing.assert_allclose(state["mixed"], uploads["theta"], rtol=1e-6)
    # A strong pull keeps the personal models at the global one.
    _, state = one(Ditto(lam=1e6))
    assert np.abs(state["personal"] - START).max() < 0.02


@cache
def one(algorithm):
    return a_round(Stacked(supervised(algorithm), "cpu"))


@pytest.mark.parametrize("algorithm", [FedAvg(), FedProx(), Ditto(), APFL()])
def test_servers_take_the_mean_by_samples_or_equally_and_keep_what_else_they_have(algorithm):
    uploads = np.array([[1.0, 0.0], [3.0, 4.0]], np.float32)
    server = {"theta": np.zeros(2, np.float32), "other": np.ones(1)}
    after = algorithm.aggregate(server, {"theta": uploads}, np.array([1, 3]))
    assert after["theta"].tolist() == weighted_mean(uploads, np.array([1, 3])).tolist()
    assert after["theta"].tolist() == [2.5, 3.0]
    equal = replace(algorithm, weights="equal")
    after_equal = equal.aggregate(server, {"theta": uploads}, np.array([1, 3]))
    assert after_equal["theta"].tolist() == [2.0, 2.0]
    assert after["other"] is server["other"]
    assert sorted(algorithm.sent(after)) == ["theta"]


def test_personal_models_start_as_the_global_one():
    for algorithm in (FedAvg(), FedProx(), Ditto(), APFL()):
        state = algorithm.start(START, 3)
        own = algorithm.personal(algorithm.server(START, 3), state)
        assert (own == START).all()


def test_clients_that_keep_models_go_on_from_them():
    """In the next round, on the seed of that round; whatever the server has made of it."""
    job = supervised(Ditto(lam=0.0))
    with Stacked(job, "cpu") as engine:
        _, first = one_round(engine)
        _, second = one_round(engine, START + 1, 2, first)
    for k in range(3):
        expected = by_hand(job, first["personal"][k], k, "personal training", t=2)
        np.testing.assert_allclose(second["personal"][k], expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "name", [name for name in KINDS if "weights" in options.names(KINDS[name])]
)
def test_weights_are_samples_or_equal_and_change_the_mean(name):
    job = job_of(KINDS[name])
    algorithm, theta = job.algorithm, initial(job)
    server, state = algorithm.server(theta, 3), algorithm.start(theta, 3)
    with Stacked(job, "cpu") as engine:
        uploads, _ = engine.round(algorithm.sent(server), state, 1)
    n_samples, found = np.array([12, 30, 1]), {}
    for weights in ("samples", "equal"):
        after = replace(algorithm, weights=weights).aggregate(server, uploads, n_samples)
        found[weights] = after["theta"]
    assert not np.array_equal(found["samples"], found["equal"])


def test_fedbabu_tests_with_models_that_an_epoch_has_tuned_from_the_newest_body():
    job = job_of(FedBABU)
    algorithm, theta = job.algorithm, initial(job)
    server, state = algorithm.server(theta, 3), algorithm.start(theta, 3)
    *_, (_, server, state, _) = rounds_of(Stacked(job, "cpu"), job, server, state, range(1, 3))
    head = algorithm.model.part("head.").numpy()
    assert (state["own"][:, head] == theta[head]).all()  # it is never trained in a round
    sent = algorithm.sent(server) | {PREPARE: np.ones(1, np.float32)}
    tested = {}
    for tune in ("all", "head", "none"):
        other = replace(job, algorithm=replace(algorithm, fine_tune=tune))
        uploads, prepared = Stacked(other, "cpu").round(sent, state, 3)
        assert (uploads["theta"] == server["theta"]).all()
        tested[tune] = prepared["own"]
    body = algorithm.shared.numpy()
    assert (tested["none"][:, body] == server["theta"]).all()
    assert (tested["none"][:, head] == theta[head]).all()
    assert (tested["head"][:, body] == server["theta"]).all()
    assert (tested["head"][:, head] != theta[head]).any(1).all()
    assert (tested["all"][:, body] != server["theta"]).any(1).all()


def test_fine_tuning_starts_from_the_newest_model_and_leaves_it():
    job = job_of(FedAvgFineTuned)
    algorithm, theta = job.algorithm, initial(job)
    assert algorithm.models == 2
    server, state = algorithm.server(theta, 3), algorithm.start(theta, 3)
    plain, _ = Stacked(job_of(FedAvg), "cpu").round(algorithm.sent(server), {}, 1)
    uploads, _ = Stacked(job, "cpu").round(algorithm.sent(server), state, 1)
    assert (uploads["theta"] == plain["theta"]).all()
    sent = algorithm.sent(server) | {PREPARE: np.ones(1, np.float32)}
    tuned = {}
    for tuning in (1, 3):
        longer = replace(job, algorithm=replace(algorithm, tuning=tuning))
        uploads, prepared = Stacked(longer, "cpu").round(sent, state, 2)
        assert (uploads["theta"] == theta).all()
        tuned[tuning] = np.abs(prepared["own"] - theta).max()
    assert 0 < tuned[1] < tuned[3]


def test_fedproto_gives_the_label_of_the_nearest_known_prototype():
    job = job_of(FedProto)
    algorithm, theta = job.algorithm, torch.from_numpy(initial(job))
    model, x = algorithm.model, torch.from_numpy(job.X[:5])
    h = model.encode(theta[None], x[None])[0].detach()
    prototypes, known = h[: model.n_out] + 0.01, torch.ones(model.n_out)
    far = ((h[:, None] - prototypes) ** 2).mean(-1)
    state = {"theta": theta, "prototypes": prototypes.flatten(), "known": known}
    outputs = algorithm.adapt(job.training.objective, state, x)
    assert outputs.argmax(1).equal(far.argmin(1))
    known[0] = 0
    outputs = algorithm.adapt(job.training.objective, state, x)
    assert outputs.argmax(1).equal(1 + far[:, 1:].argmin(1))
    assert algorithm.adapts
    assert not FedProto(test="head").adapts


def test_fedicon_is_tested_with_the_newest_features_and_heads_fitted_to_them():
    job = job_of(FedICON)
    algorithm, theta = job.algorithm, initial(job)
    server, state = algorithm.server(theta, 3), algorithm.start(theta, 3)
    rounds = rounds_of(Stacked(job, "cpu"), job, server, state, range(1, 3))
    *_, (_, server, state, _) = rounds
    sent = algorithm.sent(server) | {PREPARE: np.ones(1, np.float32)}
    uploads, prepared = Stacked(job, "cpu").round(sent, state, 3)
    own, head = algorithm.personal(server, prepared), algorithm._head.numpy()
    features = np.setdiff1d(np.arange(own.shape[1]), head)
    assert (own[:, features] == server["theta"][features]).all()
    assert (uploads["theta"] == server["theta"]).all()
    _, after = Stacked(job, "cpu").round(algorithm.sent(server), state, 3)
    assert (own == after["own"]).all()  # as the next round begins
