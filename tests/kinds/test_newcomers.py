"""Clients that join after the training, and rounds in which some train."""

from dataclasses import replace

import numpy as np
import pytest
from small_synchronous import LABEL, OPTIONS, PARTITION, SERIES, inputs, methods, metrics

from fedreact import plugins
from fedreact.engine.engine import Stacked, TrainingJob
from fedreact.engine.place import Place
from fedreact.engine.predicting import Request
from fedreact.kinds import contract, supervised
from fedreact.kinds.clustered import run as clustered
from fedreact.kinds.clustered.spec import Options as ClusteredOptions
from fedreact.kinds.synchronous import run as synchronous

NEWCOMER = np.array([1])
JOINING = replace(PARTITION, newcomers=NEWCOMER)
CNN = replace(OPTIONS, architecture="cnn-small", epochs=1)


def lines(names, partition, place, options=CNN):
    given = replace(inputs(), partition=partition)
    return list(synchronous.run(given, options, methods(*names), metrics("accuracy"), 0, place))


@pytest.fixture
def place(tmp_path):
    return Place(checkpoint=tmp_path / "checkpoint.npz")


@pytest.mark.parametrize("name", sorted(plugins.names("kinds/synchronous/algorithms", "ALGORITHM")))
def test_every_algorithm_can_be_joined_late(name, place):
    first, last = lines([name], JOINING, place)
    assert np.isnan(first.values["accuracy@adapted"])
    assert 0 <= last.values["accuracy@adapted"] <= 1
    assert last.clients["score"][1] == pytest.approx(last.values["accuracy@adapted"])
    zero_shot = last.values["accuracy@zero_shot"]
    assert np.isnan(zero_shot) or 0 <= zero_shot <= 1


@pytest.mark.parametrize("name", ["fedavg", "ditto", "feddyn", "alone"])
def test_members_train_as_if_there_were_no_newcomer(name, place, tmp_path):
    other = Place(checkpoint=tmp_path / "other.npz")
    # Generators are keyed by the client's place, so the first client alone is compared.
    joined = replace(JOINING, newcomers=np.array([1, 2]))
    alone = replace(
        PARTITION,
        clusters=PARTITION.clusters[:1],
        train=PARTITION.train[:1],
        test=PARTITION.test[:1],
    )
    left, right = lines([name], joined, place)[-1], lines([name], alone, other)[-1]
    assert left.values["accuracy"] == right.values["accuracy"]
    assert left.values["gflops"] == right.values["gflops"]


def test_who_is_alone_has_nothing_for_a_newcomer(place):
    last = lines(["alone"], JOINING, place)[-1]
    assert np.isnan(last.values["accuracy@zero_shot"])


def test_fedavg_adapts_by_fine_tuning(place):
    """Client 0 trains one round; client 1 goes on from its model for two steps."""
    options = replace(CNN, rounds=1, adapt_steps=2, steps=3)
    joined = replace(JOINING, newcomers=np.array([1, 2]))
    last = lines(["fedavg"], joined, place, options)[-1]

    data = inputs().data
    model = synchronous.make(methods("fedavg")[0], options, data.task)
    training = synchronous.local_training(options, data.task, model.model)
    theta = supervised.first_weights(training, 0)
    job = TrainingJob(training, model, data.steps_first, PARTITION.train, 0, data.y)
    first, _ = Stacked(job, "cpu").round({"theta": theta}, {}, 1, clients=[0])
    two_steps = Stacked(replace(job, training=replace(training, steps=2)), "cpu")
    then, _ = two_steps.round({"theta": first["theta"][0]}, {}, 2, clients=[1])
    [output] = two_steps.predict([Request(then["theta"][0], PARTITION.test[1])])
    expected = (output.argmax(1) == LABEL[PARTITION.test[1]]).mean()
    assert last.clients["score"][1] == pytest.approx(expected)


def test_a_third_of_the_clients_takes_three_times_the_steps(place, tmp_path):
    options = replace(CNN, gflops=0.05, rounds=6)
    everyone = lines(["fedavg"], PARTITION, place, options)[-1]
    a_third = lines(
        ["fedavg"],
        PARTITION,
        Place(checkpoint=tmp_path / "third.npz"),
        replace(options, participation=0.3),
    )[-1]
    assert a_third.values["gflops"] == pytest.approx(everyone.values["gflops"], rel=0.35)
    assert a_third.values["bytes"] == pytest.approx(everyone.values["bytes"] / 3, rel=1e-6)


def of_clusters(partition, rounds=3, **changes):
    features = np.concatenate([SERIES.mean(2), SERIES.std(2)], 1).astype(np.float32)
    given = replace(inputs(), partition=partition, features=features)
    options = ClusteredOptions(rounds=rounds, samples_per_round=10, n_clusters=1, **changes)
    asked = contract.method("clustered", "all", {"algorithm": "fed-react"}, "here")
    return clustered.run(given, options, [asked], metrics("accuracy"), 0, Place())


def test_a_newcomer_joins_the_clusters_in_the_last_round():
    first, second, last = of_clusters(JOINING)
    assert np.isnan(second.values["accuracy@adapted"])
    assert np.isnan(first.clients["score"][1])
    assert last.values["accuracy@adapted"] == pytest.approx(last.clients["score"][1])
    # One cluster: before, all members hold one model, which is what there is for a newcomer.
    assert 0.4 < last.values["accuracy@zero_shot"] <= 1


def test_the_score_of_a_federation_is_over_its_members():
    last = list(of_clusters(JOINING))[-1]
    assert last.values["accuracy"] == pytest.approx(np.mean(last.clients["score"][[0, 2]]))
