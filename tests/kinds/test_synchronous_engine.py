"""Rounds with a checkpoint after each: cut off and resumed, by one worker or more."""

import logging
from dataclasses import replace

import numpy as np
import pytest
from small_algorithms import Adapting, Remembering, ServerMomentum
from small_federation import (
    CLIENTS,
    NORMED,
    START,
    SUPERVISED,
    Linear,
    X,
    Y,
    a_round,
    initial,
    same_bits,
    supervised,
)

from fedreact import npz
from fedreact.aggregation.mean import weighted_mean
from fedreact.data.windows import Windows
from fedreact.engine.engine import Stacked, TrainingJob
from fedreact.engine.local_training import LocalTraining
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.supervised import ScaledTargets
from fedreact.kinds.synchronous.algorithms.apfl import APFL
from fedreact.kinds.synchronous.algorithms.ditto import Ditto
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.engine import federate, fingerprint, training_costs
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.causal_cnn import CausalCNN
from fedreact.plugins import load

JOBS = {
    "server momentum": supervised(ServerMomentum()),
    "adapting": supervised(Adapting()),
    "ditto": supervised(Ditto(lam=0.5), NORMED),
    "apfl": supervised(APFL(), NORMED),
}
METRICS = {name: load("metrics", name, "METRIC") for name in ("accuracy", "f1")}
TESTS = [np.array([30, 2, 17, 9]), np.arange(12, 25), np.array([39])]


class Cut(Exception):
    """A run is cut off."""


def place(folder, workers=1, name="checkpoint"):
    return Place("cpu", workers, folder / f"{name}.npz")


def all_kept(server, state):
    """Everything that both halves keep."""
    return {f"server {n}": np.copy(v) for n, v in server.items()} | {
        f"state {n}": np.copy(v) for n, v in state.items()
    }


def run(job, rounds, at, cut=None, theta=None, kept=None):
    """Scores of all rounds, what was kept after each that was run here, and the last server."""
    kept = {} if kept is None else kept

    def score(engine, server, state, t):
        if t == cut:
            raise Cut
        kept[t] = all_kept(server, state)
        weights = job.algorithm.personal(server, state)
        at_test = job.algorithm.at_test(server, state) if job.algorithm.adapts else None
        found = client_scores(engine, weights, at_test, TESTS, ScaledTargets(Y), METRICS)
        return [values.mean() for values in found.values()]

    theta = initial(job) if theta is None else theta
    server, scores, _ = federate(job, theta, rounds, "test", at, score)
    return np.array(scores), kept, server


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_cut_off_between_rounds_and_resumed_it_ends_in_the_same_bits(tmp_path, job):
    scores, kept, server = run(job, 4, place(tmp_path, 1, "whole"))
    assert scores.shape == (4, 2)
    assert list(kept) == [1, 2, 3, 4]
    for workers in (1, 2):
        at, before = place(tmp_path, workers, f"cut{workers}"), {}
        with pytest.raises(Cut):
            run(job, 4, at, cut=3, kept=before)
        assert list(before) == [1, 2]
        again, after, resumed = run(job, 4, at)
        assert list(after) == [3, 4]
        assert all(same_bits(kept[t], found) for t, found in (before | after).items())
        assert same_bits(resumed, server)
        assert again.tobytes() == scores.tobytes()


def test_what_one_worker_began_several_end(tmp_path):
    job = supervised(ServerMomentum())
    _, _, whole = run(job, 3, place(tmp_path, 1, "whole"))
    run(job, 1, place(tmp_path, 1))
    _, kept, server = run(job, 3, place(tmp_path, 2))
    assert list(kept) == [2, 3]
    assert same_bits(server, whole)


def test_what_rounds_lead_to_depends_on_both_halves(tmp_path):
    """So that the test above would tell if one of them did not come back."""
    job = supervised(ServerMomentum())
    sent = job.algorithm.sent({"theta": START, "velocity": START, "seen": np.array([3, 1])})
    assert sorted(sent) == ["share", "theta"]
    state = job.algorithm.start(START, 3)
    with Stacked(job, "cpu") as engine:
        plain, _ = engine.round(sent, state, 1)
        other, _ = engine.round(sent, {**state, "last": state["last"] + 1}, 1)
        shared, _ = engine.round({**sent, "share": np.array(0.75, np.float32)}, state, 1)
    assert (plain["theta"] != other["theta"]).any(1).all()
    assert (plain["theta"] != shared["theta"]).any(1).all()


def test_server_momentum_by_hand(tmp_path):
    """The server's half, given what clients upload: three rounds, worked in float64."""
    job = supervised(ServerMomentum(beta=0.5))
    _, kept, _ = run(job, 3, place(tmp_path, 2), theta=START)
    counts = np.stack([np.bincount(Y[own], minlength=2) for own in CLIENTS])
    theta, velocity = START.astype(float), np.zeros(6)
    for t in (1, 2, 3):
        mean = counts.sum(1) / counts.sum() @ kept[t]["state last"].astype(float)
        velocity = 0.5 * velocity + mean - theta
        theta = theta + velocity
        np.testing.assert_allclose(kept[t]["server theta"], theta, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(kept[t]["server velocity"], velocity, rtol=1e-3, atol=1e-5)
        assert kept[t]["server seen"].tolist() == (1 + t * counts.sum(0)).tolist()
        assert kept[t]["state taken"].tolist() == [t] * 3


def test_a_server_may_keep_what_clients_uploaded(tmp_path):
    job = supervised(Remembering())
    one, two = (run(job, 3, place(tmp_path, n, str(n)))[2] for n in (1, 2))
    assert same_bits(one, two)


def test_fedavg_is_the_mean_of_rounds(tmp_path):
    job, theta = supervised(FedAvg()), START
    server, scores, _ = federate(job, START, 3, "test", place(tmp_path, 2))
    for t in (1, 2, 3):
        uploads, _ = a_round(Stacked(job, "cpu", 1), theta, t)
        theta = weighted_mean(uploads["theta"], np.array([12, 30, 1]))
    assert server["theta"].tobytes() == theta.tobytes()
    assert scores == [None] * 3


def test_more_rounds_go_on_from_fewer(tmp_path):
    job = supervised(ServerMomentum())
    _, _, whole = run(job, 3, place(tmp_path, 1, "whole"))
    at = place(tmp_path)
    run(job, 1, at)
    _, kept, server = run(job, 3, at)
    assert list(kept) == [2, 3]
    assert same_bits(server, whole)
    # What is done is not done again, and fewer rounds are no part of more.
    scores, kept, _ = run(job, 3, at)
    assert kept == {}
    assert scores.shape == (3, 2)
    _, kept, _ = run(job, 2, at)
    assert list(kept) == [1, 2]


def test_rounds_that_are_not_scored_come_back_without_a_score(tmp_path):
    job = supervised(FedAvg())

    def score(engine, server, state, t):
        if t == 4:
            raise Cut
        return None if t % 2 else [t / 10, np.nan]

    with pytest.raises(Cut):
        federate(job, START, 5, "test", place(tmp_path), score)
    _, scores, _ = federate(job, START, 5, "test", place(tmp_path), lambda *of_round: [0.5, 0.5])
    assert [s if s is None else list(s) for s in scores[:1] + scores[2:]] == [
        None,
        None,
        [0.5, 0.5],
        [0.5, 0.5],
    ]
    assert scores[1][0] == 0.2
    assert np.isnan(scores[1][1])


OTHER = {
    "data": {"X": X + 1},
    "targets": {"y": 1 - Y},
    "clients": {"clients": [*CLIENTS[:2], np.array([6])]},
    "seed": {"seed": 2},
    "training": {"training": replace(SUPERVISED, learning_rate=0.1)},
    "options": {"algorithm": ServerMomentum(0.25)},
    "algorithm": {"algorithm": FedAvg()},
}


@pytest.mark.parametrize("what", OTHER)
def test_a_checkpoint_of_other_work_is_not_taken_up(tmp_path, what):
    at, job = place(tmp_path), supervised(ServerMomentum())
    other = replace(job, **OTHER[what])
    assert fingerprint(job, START, "cpu") != fingerprint(other, START, "cpu")
    run(job, 2, at, theta=START)
    _, kept, server = run(other, 2, at, theta=START)
    assert list(kept) == [1, 2]
    assert same_bits(server, run(other, 2, place(tmp_path, 1, "anew"), theta=START)[2])


def test_a_checkpoint_from_other_first_weights_is_not_taken_up(tmp_path):
    job = supervised(ServerMomentum())
    run(job, 1, place(tmp_path), theta=START)
    _, kept, _ = run(job, 1, place(tmp_path), theta=START + 1)
    assert list(kept) == [1]


def test_a_checkpoint_of_other_windows_of_the_recordings_is_not_taken_up():
    recording = np.zeros((60, 3), np.float32)
    job = supervised(FedAvg())
    one, other = (replace(job, X=Windows(recording, np.arange(40) + first, 20)) for first in (0, 1))
    assert fingerprint(one, START, "cpu") != fingerprint(other, START, "cpu")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", None])
def test_a_damaged_checkpoint_is_started_anew(tmp_path, content, caplog):
    caplog.set_level(logging.INFO, "fedreact")
    job, at = supervised(ServerMomentum()), place(tmp_path)
    _, _, whole = run(job, 2, at)
    if content is None:  # cut short
        content = at.checkpoint.read_bytes()[:-100]
    at.checkpoint.write_bytes(content)
    _, kept, server = run(job, 2, at)
    assert list(kept) == [1, 2]
    assert same_bits(server, whole)
    assert "starting anew" in caplog.text


def test_no_rounds_give_what_the_server_starts_with(tmp_path):
    for workers in (1, 2):
        server, scores, _ = federate(
            supervised(ServerMomentum()), START, 0, "test", place(tmp_path, workers)
        )
        assert same_bits(server, ServerMomentum().server(START, 3))
        assert scores == []


@pytest.mark.parametrize(("rounds", "workers"), [(-1, 1), (1, 0)])
def test_numbers_of_rounds_and_workers_that_there_are_not(tmp_path, rounds, workers):
    with pytest.raises(UserError, match="at least 0 rounds, 1 worker"):
        federate(supervised(FedAvg()), START, rounds, "test", place(tmp_path, workers))


def test_a_training_that_diverges_is_a_clear_error(tmp_path):
    job = supervised(FedAvg(), learning_rate=1e38)
    with pytest.raises(UserError, match=r"that one: diverged in round [12]; use a smaller"):
        federate(job, START, 2, "that one", place(tmp_path))


def test_progress_is_told_with_the_first_score(tmp_path, caplog):
    caplog.set_level(logging.INFO, "fedreact")
    federate(supervised(FedAvg()), START, 2, "that one", place(tmp_path), lambda *of: [0.25, 9])
    assert "that one: round 1 of 2, loss " in caplog.text
    assert "score 0.250" in caplog.text


def test_a_checkpoint_holds_both_halves_by_their_names(tmp_path):
    at = place(tmp_path)
    _, kept, _ = run(supervised(ServerMomentum()), 2, at)
    saved = npz.load(at.checkpoint, "checkpoint", ["t"])
    assert int(saved["t"]) == 2
    for name, values in kept[2].items():
        assert saved[name.replace(" ", "_")].tobytes() == values.tobytes()


# --- Some clients of a round


@pytest.mark.parametrize("job", [JOBS["ditto"], JOBS["server momentum"]], ids=["ditto", "server"])
def test_clients_that_sit_out_keep_what_they_have(tmp_path, job):
    some = replace(job, per_round=2)
    drawn = {t: some.participants(t).tolist() for t in range(1, 5)}
    assert all(len(set(of)) == 2 for of in drawn.values())
    assert len({tuple(of) for of in drawn.values()}) > 1
    scores, kept, server = run(some, 4, place(tmp_path, 1, "one"))
    for t in range(2, 5):
        (out,) = set(range(3)) - set(drawn[t])
        for name, values in kept[t].items():
            if name.startswith("state"):
                assert values[out].tobytes() == kept[t - 1][name][out].tobytes()
                assert values.tobytes() != kept[t - 1][name].tobytes()
    again, _, other = run(some, 4, place(tmp_path, 2, "two"))
    assert again.tobytes() == scores.tobytes()
    assert same_bits(other, server)


def test_the_mean_is_of_those_that_took_part(tmp_path):
    some = replace(supervised(FedAvg()), per_round=2)
    with Stacked(some, "cpu") as engine:
        uploads, _ = engine.round({"theta": START}, {}, 1)
    server, *_ = federate(some, START, 1, "test", place(tmp_path))
    which = some.participants(1)
    sizes = np.array([len(CLIENTS[k]) for k in which])
    mean = weighted_mean(uploads["theta"][which], sizes)
    np.testing.assert_allclose(server["theta"], mean, rtol=1e-6)


def test_all_clients_are_no_draw():
    assert supervised(FedAvg()).participants(1) is None
    assert replace(supervised(FedAvg()), per_round=3).participants(1) is None


# --- Costs


def test_what_is_sent_is_counted_by_hand_and_after_a_resumption(tmp_path):
    job, at = supervised(FedAvg()), place(tmp_path)
    *_, sent = federate(job, START, 3, "test", at)
    assert sent == pytest.approx([t * 2 * 6 * 4 / 1e6 for t in (1, 2, 3)])
    federate(job, START, 1, "test", place(tmp_path, 1, "cut"))
    *_, resumed = federate(job, START, 3, "test", place(tmp_path, 1, "cut"))
    assert resumed == sent
    # Two of three clients a round: averaged over all.
    *_, some = federate(replace(job, per_round=2), START, 3, "test", place(tmp_path, 1, "some"))
    assert some == pytest.approx([value * 2 / 3 for value in sent])


def test_training_costs_by_hand():
    # 12, 30 and 1 samples in batches of 5, twice: 6, 12 and 2 steps; every sample is seen twice. A
    # forward pass is 2 x 3 x 2 operations, and training takes three of them.
    steps, gflops = training_costs(supervised(FedAvg()))
    assert steps == pytest.approx((6 + 12 + 2) / 3)
    assert gflops == pytest.approx((24 + 60 + 2) / 3 * 3 * 12 / 1e9)
    some = training_costs(replace(supervised(FedAvg()), per_round=2))
    assert some == pytest.approx((2 / 3 * steps, 2 / 3 * gflops))
    # Ditto and APFL train two models.
    for algorithm in (Ditto(), APFL()):
        assert training_costs(supervised(algorithm)) == pytest.approx((2 * steps, 2 * gflops))


def test_training_costs_of_given_steps_by_hand():
    # 4 steps each. Of 12 samples: 5, 5, 2 and 5; of 30: 4 x 5; of one: 4 x 1.
    steps, gflops = training_costs(supervised(FedAvg(), steps=4))
    assert steps == 4
    assert gflops == pytest.approx((17 + 20 + 4) / 3 * 36 / 1e9)


def test_training_costs_of_an_encoder_by_hand():
    class Counted(CausalCNN):
        def multiply_adds(self, length):
            return 10 * length

    training = LocalTraining(ContrastiveLoss(Counted(), 2), steps=4, batch_size=3)
    steps, gflops = training_costs(TrainingJob(training, FedAvg(), X, CLIENTS, 0))
    # Of 20 steps positives and negatives have 10.5 in the mean, and anchors 15.25.
    assert steps == 4
    assert gflops == pytest.approx(4 * 3 * 3 * 2 * 10 * (15.25 + 3 * 10.5) / 1e9)


def test_costs_do_not_depend_on_what_is_recorded_as_windows():
    windows = Windows(np.zeros((59, 3), np.float32), np.arange(40), 20)
    training = replace(SUPERVISED, objective=SupervisedLoss(Linear()))
    job = TrainingJob(training, FedAvg(), windows, CLIENTS, 1, Y)
    assert training_costs(job) == training_costs(supervised(FedAvg()))
