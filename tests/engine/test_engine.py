"""Engines agree on a round of any clients, whatever does the work."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_algorithms import Adapting, Crashing, CrashingAtTest, ServerMomentum
from small_federation import (
    CLIENTS,
    NORMED,
    START,
    SUPERVISED,
    Linear,
    X,
    a_round,
    assert_close,
    initial,
    one_round,
    same_bits,
    supervised,
    train,
)

from fedreact.data.windows import Windows
from fedreact.engine.engine import Stacked, TrainingJob, Workers, open_engine, parts, resolve_device
from fedreact.engine.local_training import LocalTraining
from fedreact.engine.predicting import Request
from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.ditto import Ditto
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.algorithms.fedprox import FedProx
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.models.causal_cnn import CausalCNN

ENCODER = CausalCNN(channels=4, depth=2, reduced_size=6, out_channels=5)
TRAINING = LocalTraining(ContrastiveLoss(ENCODER), steps=4, batch_size=3)
THETA = ENCODER.init(torch.Generator().manual_seed(0)).numpy()
JOB = TrainingJob(TRAINING, FedAvg(), X, CLIENTS, seed=1)
RNG = np.random.default_rng(7)

# One client after the other, as where there is one core; and spread over processes.
ENGINES = {"one": lambda job: Stacked(job, "cpu", 1), "workers": lambda job: Workers(job, 2)}
EXACT = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


def update(job, t=1):
    return a_round(Stacked(job, "cpu"), THETA, t)[0]["theta"]


# --- One round of all


def test_number_of_workers_changes_no_bit():
    one = train(Workers(JOB, 1), theta=THETA)
    two = train(Workers(JOB, 2), theta=THETA)
    three = train(Stacked(JOB, "cpu", 1), theta=THETA)
    assert [t for t, *_ in one] == [1, 2]
    for (_, a, _), (_, b, _), (_, c, _) in zip(one, two, three):
        assert same_bits(a, b)
        assert same_bits(a, c)


def test_stacked_clients_agree_with_workers():
    workers = train(Workers(JOB, 1), theta=THETA)[-1][1]["theta"]
    stacked = train(Stacked(JOB, "cpu"), theta=THETA)[-1][1]["theta"]
    moved = np.abs(workers - THETA).max()
    assert np.abs(workers - stacked).max() < 1e-3 * moved


def test_training_continues_from_a_round_to_the_same_bits():
    whole = train(Stacked(JOB, "cpu"), range(1, 4), THETA)
    _, middle, _ = whole[0]
    rest = train(Stacked(JOB, "cpu"), range(2, 4), THETA, middle)
    assert same_bits(rest[-1][1], whole[-1][1])


def test_a_clients_update_does_not_depend_on_the_others():
    # Its stream is keyed by its number, so it is the same whatever the others draw and hold.
    before = update(JOB)
    after = update(replace(JOB, clients=[np.arange(30, 35), *CLIENTS[1:]]))
    moved = np.abs(before - THETA).max()
    assert np.abs(before[1:] - after[1:]).max() < 1e-3 * moved
    assert np.abs(before[0] - after[0]).max() > 1e-2 * moved


def test_progress_counts_every_step_and_starts_anew_in_each_round():
    for engine in (Workers(JOB, 2), Stacked(JOB, "cpu"), Stacked(JOB, "cpu", 1)):
        with engine:
            for t, which, n in ((1, None, 3), (2, [0, 2], 2), (3, None, 3)):
                seen = []
                told = {"clients": which, "on_progress": lambda *now, seen=seen: seen.append(now)}
                one_round(engine, THETA, t, **told)
                assert seen[-1][0] == n * 4
                assert 0 < seen[-1][1] < 100


def test_seed_and_round_change_the_update():
    assert not np.array_equal(update(JOB), update(replace(JOB, seed=2)))
    assert not np.array_equal(update(JOB), update(JOB, 2))


@EXACT
def test_windows_of_recordings_train_as_the_series_that_they_stand_for(engine):
    recording = RNG.normal(size=(59, 3)).astype(np.float32)
    windows = Windows(recording, np.arange(40), 20)
    written_out = windows[np.arange(40)]
    assert written_out.shape == X.shape
    for job, theta in ((JOB, THETA), (supervised(FedAvg()), START)):
        cut, _ = a_round(engine(replace(job, X=windows)), theta)
        whole, _ = a_round(ENGINES["one"](replace(job, X=written_out)), theta)
        assert same_bits(cut, whole)


# --- Some clients, starts of their own, data that has grown


@EXACT
def test_some_clients_train_to_the_bits_that_they_have_among_all(engine):
    job = supervised(Ditto(lam=0.5))
    state = {"personal": START + RNG.normal(size=(3, 6)).astype(np.float32)}
    with engine(job) as opened:
        uploads, kept = one_round(opened, state=state, t=3)
        for which in ([2], [0, 2], [2, 0], [1, 2], np.array([1]), range(3)):
            some = {"personal": state["personal"][which]}
            own_uploads, own_kept = one_round(opened, state=some, t=3, clients=which)
            assert same_bits(own_uploads, {"theta": uploads["theta"][which]})
            assert same_bits(own_kept, {"personal": kept["personal"][which]})


def test_some_clients_train_stacked_as_among_all():
    for of in (SUPERVISED, NORMED):
        job = supervised(FedAvg(), of)
        theta = initial(job)
        uploads, _ = a_round(Stacked(job, "cpu"), theta)
        some, _ = a_round(Stacked(job, "cpu", 2), theta, clients=[2, 0])
        assert_close(some, {"theta": uploads["theta"][[2, 0]]})


@pytest.mark.parametrize(
    "engine",
    [ENGINES["one"], ENGINES["workers"]],
)
def test_all_clients_in_another_order_give_their_uploads_in_that_order(engine):
    job, order = supervised(ServerMomentum()), [2, 0, 1]
    sent = {"share": np.array(0.5, np.float32), "theta": START}
    with engine(job) as opened:
        state = job.algorithm.start(START, 3)
        uploads, _ = opened.round(sent, state, 1)
        uploads = {n: np.copy(v) for n, v in uploads.items()}
        moved, _ = opened.round(sent, state, 1, clients=order)
    assert same_bits(moved, {n: v[order] for n, v in uploads.items()})


@EXACT
@pytest.mark.parametrize("algorithm", [FedAvg(), FedProx(mu=0.5)], ids=["fedavg", "fedprox"])
def test_clients_start_from_weights_of_their_own(engine, algorithm):
    job = supervised(algorithm)
    with engine(job) as opened:
        for which in ([0, 1, 2], [2, 0]):
            starts = START + RNG.normal(size=(len(which), 6)).astype(np.float32)
            before = starts.copy()
            uploads, _ = one_round(opened, starts, clients=which)
            assert np.array_equal(starts, before)
            for i, k in enumerate(which):
                alone, _ = a_round(ENGINES["one"](job), starts[i], clients=[k])
                assert uploads["theta"][i].tobytes() == alone["theta"].tobytes()


def test_stacked_clients_start_from_weights_of_their_own():
    starts, job = START + RNG.normal(size=(3, 6)).astype(np.float32), supervised(FedProx(mu=0.5))
    one, stacked, chunks = (
        a_round(Stacked(job, "cpu", chunk), starts)[0] for chunk in (1, None, 2)
    )
    assert_close(one, stacked)
    assert_close(one, chunks)


@EXACT
def test_weights_of_their_own_that_are_the_same_are_those_of_all(engine):
    job = supervised(FedAvg())
    with engine(job) as opened:
        common, _ = one_round(opened)
        own, _ = one_round(opened, np.repeat(START[None], 3, axis=0))
    assert same_bits(common, own)


GROWN = [np.arange(0, 20), np.arange(10, 40), np.array([5, 6, 7, 8, 9, 12])]


@EXACT
@pytest.mark.parametrize("job", [JOB, supervised(FedAvg())], ids=["contrastive", "supervised"])
def test_data_that_has_grown_is_as_if_it_had_always_been_there(engine, job):
    theta = THETA if job is JOB else START
    with engine(job) as opened:
        before, _ = one_round(opened, theta)
        grown, _ = one_round(opened, theta, samples=GROWN)
    always, _ = a_round(ENGINES["one"](replace(job, clients=GROWN)), theta)
    assert same_bits(grown, always)
    for k, same in enumerate([False, True, False]):
        assert (grown["theta"][k].tobytes() == before["theta"][k].tobytes()) is same


@EXACT
def test_data_grows_of_some_clients_that_start_from_their_own(engine):
    job, which = supervised(Ditto(lam=0.5)), [2, 0]
    starts = START + RNG.normal(size=(2, 6)).astype(np.float32)
    state = {"personal": starts + 1}
    samples = [GROWN[k] for k in which]
    found = a_round(engine(job), starts, state=state, clients=which, samples=samples, t=4)
    for i, k in enumerate(which):
        alone = replace(job, clients=GROWN)
        own = {"personal": state["personal"][i : i + 1]}
        expected = a_round(ENGINES["one"](alone), starts[i], state=own, clients=[k], t=4)
        assert same_bits({n: v[i : i + 1] for n, v in found[0].items()}, expected[0])
        assert same_bits({n: v[i : i + 1] for n, v in found[1].items()}, expected[1])


def test_a_client_steps_as_often_as_its_grown_data_asks_for():
    seen, job = [], supervised(FedAvg())  # batches of 5, two epochs: 8, 12 and 4 steps
    a_round(Workers(job, 2), samples=GROWN, on_progress=lambda done, loss: seen.append(done))
    assert seen[-1] == 24


# --- Outputs


@EXACT
def test_outputs_for_test_series_are_those_of_the_model(engine):
    # More than one batch of 256, of two models, in the order asked for.
    job = supervised(FedAvg())
    other = START + 1
    asked = [np.resize(np.arange(39, -1, -1), 300), np.array([3]), np.array([3, 3, 1])]
    with engine(job) as opened:
        # Before any round, and after one.
        requests = [Request(w, at) for w, at in zip((START, other, START), asked)]
        first = opened.predict(requests)
        opened.round({"theta": other}, {}, 1)
        again = opened.predict(requests)
    for w, at, found, later in zip((START, other, START), asked, first, again):
        expected = X[at].mean(1) @ w.reshape(3, 2)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        assert found.tobytes() == later.tobytes()


def test_outputs_are_the_same_bits_in_any_process():
    job = supervised(FedAvg(), NORMED)
    theta = initial(job)
    requests = [Request(theta, own) for own in CLIENTS]
    found = []
    for engine in (*ENGINES.values(), lambda job: Stacked(job, "cpu")):
        with engine(job) as opened:
            found.append([out.tobytes() for out in opened.predict(requests)])
    assert found[0] == found[1] == found[2]


@EXACT
def test_an_algorithm_adapts_at_test_time_in_the_order_of_the_series(engine):
    job, at = supervised(Adapting()), np.array([7, 3, 30])
    kept = {"prior": np.float32([0.25, 0.75]), "first": np.float32([1, 2, 3])}
    with engine(job) as opened:
        (found,) = opened.predict([Request(START, at, kept)])
        (turned,) = opened.predict([Request(START, at[::-1].copy(), kept)])
    mean, expected = kept["first"].astype(float), []
    for series in X[at].astype(float):
        mean = 0.75 * mean + 0.25 * series.mean(0)
        expected.append((series.mean(0) - mean) @ START.reshape(3, 2) + np.log(kept["prior"]))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert np.abs(found - turned[::-1]).max() > 0.01


# --- Devices and processes


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_asking_for_a_missing_gpu_is_a_clear_error():
    with pytest.raises(UserError, match="set device: cpu"):
        resolve_device("cuda")
    assert resolve_device("auto") == "cpu"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_gpu_agrees_with_workers():
    workers = train(Workers(JOB, 1), theta=THETA)[-1][1]["theta"]
    gpu = train(Stacked(JOB, "cuda"), theta=THETA)[-1][1]["theta"]
    assert np.abs(workers - gpu).max() < 1e-2 * np.abs(workers - THETA).max()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_gpu_trains_some_clients_on_grown_data_and_predicts():
    starts = START + RNG.normal(size=(2, 6)).astype(np.float32)
    for of in (SUPERVISED, NORMED):
        job = supervised(FedAvg(), of)
        theta = starts if of is SUPERVISED else np.stack([initial(job)] * 2)
        of_round = {"clients": [2, 0], "samples": [GROWN[2], GROWN[0]]}
        found = []
        for engine in (Stacked(job, "cuda"), Workers(job, 2)):
            with engine as opened:
                uploads, _ = opened.round({"theta": theta}, {}, 1, **of_round)
                outputs = opened.predict([Request(theta[0], CLIENTS[0])])
                found.append((uploads["theta"].copy(), *outputs))
        if of is SUPERVISED:  # dropout draws on the device
            np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("most", [2, 3])
def test_clients_that_a_core_trains_together(most):
    job = supervised(FedProx(mu=0.5))
    stacked = replace(job, training=replace(job.training, stacked=most))
    starts = START + RNG.normal(size=(3, 6)).astype(np.float32)
    for theta in (START, starts):
        alone, _ = a_round(open_engine(job, "cpu", 1), theta)
        one, _ = a_round(open_engine(stacked, "cpu", 1), theta)
        two, _ = a_round(open_engine(stacked, "cpu", 2), theta)
        assert_close(one, alone)
        assert same_bits(one, two)


@pytest.mark.parametrize(
    ("n", "most", "sizes"),
    [
        (3, 1, [1, 1, 1]),
        (1, 8, [1]),
        (8, 8, [8]),
        (9, 8, [4, 5]),
        (10, 4, [3, 3, 4]),
    ],
)
def test_parts_of_clients_are_few_and_of_even_size(n, most, sizes):
    assert [len(range(n)[part]) for part in parts(n, most)] == sizes


def test_a_single_worker_is_this_process():
    job = supervised(FedAvg())
    assert isinstance(open_engine(job, "cpu", 1), Stacked)
    assert open_engine(job, "cpu", 1).most == 1
    assert isinstance(open_engine(job, "cpu", 2), Workers)
    assert open_engine(job, "cpu", 64).n == 3  # no more than clients


def test_a_process_that_ends_is_a_clear_error():
    with pytest.raises(UserError, match="ended unexpectedly in round 4"):
        a_round(Workers(supervised(Crashing()), 2), t=4)
    kept = {"prior": np.float32([0.5, 0.5]), "first": np.zeros(3, np.float32)}
    with (
        Workers(supervised(CrashingAtTest()), 2) as engine,
        pytest.raises(UserError, match="ended unexpectedly in testing"),
    ):
        engine.predict([Request(START, CLIENTS[0], kept)])


def test_the_small_model_is_the_one_that_tests_work_by_hand():
    theta, x = torch.from_numpy(START)[None], torch.from_numpy(X)[None, :4]
    np.testing.assert_allclose(
        Linear().forward(theta, x)[0], X[:4].mean(1) @ START.reshape(3, 2), rtol=1e-5, atol=1e-6
    )
