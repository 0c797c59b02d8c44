"""Synchronous runs: their lines, and scores that are scikit-learn's of the models' own outputs."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    hamming_loss,
    mean_absolute_error,
    mean_squared_error,
    precision_score,
    recall_score,
)
from small_algorithms import Adapting
from small_federation import CLIENTS, START, X, Y, one_round, supervised
from small_synchronous import (
    LABEL,
    OPTIONS,
    PARTITION,
    SERIES,
    TEST,
    TRAIN,
    T,
    inputs,
    methods,
    metrics,
)

from fedreact import npz, plugins
from fedreact.clients.validation import held_back
from fedreact.engine.engine import Stacked, Workers
from fedreact.engine.local_training import LocalTraining, Work
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.supervised import ScaledTargets
from fedreact.kinds.synchronous import run as synchronous
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.spec import Options, job, threads
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.rng import generator


def lines(folder, of=None, algorithms=("fedavg",), asked=("accuracy",), workers=1, seed=0, **how):
    place = Place("cpu", workers, folder / "checkpoint.npz")
    given = (methods(*algorithms), metrics(*asked), seed, place)
    found = synchronous.run(of or inputs(), replace(OPTIONS, **how), *given)
    return {line.index: line.values for line in found}


def outputs(folder, of, algorithm, personal=None):
    """What the models that a run ended with say of each client's test series, by themselves."""
    saved = npz.load(folder / f"checkpoint-{algorithm}.npz", "checkpoint", ["t"])
    model = synchronous.local_training(OPTIONS, of.data.task).objective.architecture
    found = []
    for k, test in enumerate(TEST):
        theta = saved["server_theta"] if personal is None else saved[f"state_{personal}"][k]
        x = torch.from_numpy(SERIES[test].transpose(0, 2, 1).copy())
        found.append(model.forward(torch.from_numpy(theta)[None], x[None])[0].numpy())
    return found


LABELLED = ("accuracy", "f1", "precision", "recall", "balanced_accuracy")
MODELS = pytest.mark.parametrize(
    ("algorithm", "personal"), [("fedavg", None), ("ditto", "personal"), ("apfl", "mixed")]
)


def mean_over_clients(score, found, y):
    """Mean of a score of scikit-learn's over clients."""
    return np.mean([score(y[test], out) for out, test in zip(found, TEST)])


@pytest.mark.campaign
@MODELS
@pytest.mark.parametrize("epochs", [1, 6])
def test_scores_of_several_labels_are_scikit_learns(tmp_path, algorithm, personal, epochs):
    of = inputs("multi-label")
    found = lines(tmp_path, of, (algorithm,), LABELLED, epochs=epochs)[algorithm, 2]
    guesses, y = [out > 0 for out in outputs(tmp_path, of, algorithm, personal)], of.data.y
    assert len({guess.tobytes() for guess in guesses}) > 1

    def pooled(score):
        return lambda true, guess: score(true.ravel(), guess.ravel())

    expected = {
        "accuracy": lambda true, guess: 1 - hamming_loss(true, guess),
        "f1": lambda true, guess: f1_score(true, guess, average="micro", zero_division=0),
        "precision": lambda *of: precision_score(*of, average="micro", zero_division=0),
        "recall": lambda *of: recall_score(*of, average="micro", zero_division=0),
        "balanced_accuracy": pooled(balanced_accuracy_score),
    }
    for name, score in expected.items():
        assert found[name] == pytest.approx(mean_over_clients(score, guesses, y)), name


@MODELS
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
def test_scores_of_one_label_are_scikit_learns(tmp_path, algorithm, personal):
    of = inputs()
    found = lines(tmp_path, of, (algorithm,), LABELLED)[algorithm, 2]
    guesses = [out.argmax(1) for out in outputs(tmp_path, of, algorithm, personal)]
    macro = {"average": "macro", "zero_division": 0}
    expected = {
        "accuracy": accuracy_score,
        "f1": lambda *of: f1_score(*of, **macro),
        "precision": lambda *of: precision_score(*of, **macro),
        "recall": lambda *of: recall_score(*of, **macro),
        "balanced_accuracy": balanced_accuracy_score,
    }
    for name, score in expected.items():
        if name == "balanced_accuracy" and any(
            set(g) - set(LABEL[t]) for g, t in zip(guesses, TEST)
        ):
            continue
        assert found[name] == pytest.approx(mean_over_clients(score, guesses, LABEL)), name


def smape(true, found):
    return np.mean(2 * np.abs(found - true) / (np.abs(found) + np.abs(true)))


@MODELS
@pytest.mark.parametrize("kind", ["regression", "several"])
def test_errors_are_scikit_learns_in_the_targets_own_units(tmp_path, kind, algorithm, personal):
    of = inputs(kind)
    windows = ("mae@first_window", "mae@second_window", "mae@window_per_target")
    asked = ("rmse", "mae", "smape", *windows)
    found = lines(tmp_path, of, (algorithm,), asked)[algorithm, 2]
    y, train = of.data.y.astype(float), np.concatenate(TRAIN)
    unit, centre = y[train].std(0), y[train].mean(0)
    guesses = [
        out.reshape(y[test].shape) * unit + centre
        for out, test in zip(outputs(tmp_path, of, algorithm, personal), TEST)
    ]
    expected = {
        "rmse": lambda *of: mean_squared_error(*of) ** 0.5,
        "mae": mean_absolute_error,
        "smape": smape,
    }
    for name, score in expected.items():
        assert found[name] == pytest.approx(mean_over_clients(score, guesses, y), rel=1e-4), name
    first = [np.abs(y[test[:2]] - out[:2]).reshape(2, -1) for test, out in zip(TEST, guesses)]
    errors = np.stack(first)
    assert found["mae@first_window"] == pytest.approx(errors[:, 0].mean(), rel=1e-4)
    assert found["mae@second_window"] == pytest.approx(errors[:, 1].mean(), rel=1e-4)
    assert found["mae@window_per_target"] == pytest.approx(errors[:, : y[0].size].mean(), rel=1e-4)
    if kind == "regression":  # not of targets in units of their deviation
        assert unit > 1.5
        assert found["rmse"] > 0.3


@pytest.mark.parametrize("kind", ["regression", "several"])
def test_scores_with_a_unit_are_those_of_targets_in_their_own_units(kind):
    """Whether outputs are brought back one by one, or the error in the end."""
    y = np.stack([Y, 2.0 * Y - X[:, 0, 0]], 1).astype(np.float32)
    unit, centre = np.array([3.0, 0.25]), np.array([40.0, -7.0])
    if kind == "regression":
        y, unit, centre = y[:, 1], 3.0, 40.0
    models = {1: START[:3], 2: START}[y.ndim]
    tests, asked = [np.arange(7), np.array([20, 3, 5])], metrics("rmse", "mae", "smape")

    class Model:
        """Its outputs are known, and it is asked for nothing else."""

        def __init__(self, scale, shift):
            self.scale, self.shift = scale, shift

        def predict(self, requests):
            made = [X[r.samples].mean(1) @ r.theta.reshape(3, -1) for r in requests]
            return [one * self.scale + self.shift for one in made]

    model = models[None], None, tests
    scaled = client_scores(Model(1, 0), *model, ScaledTargets(y, unit, centre), asked)
    own_units = ScaledTargets(y * unit + centre)
    plain = client_scores(Model(unit, centre), *model, own_units, asked)
    for name, values in scaled.items():
        assert values == pytest.approx(plain[name], rel=1e-5)
    assert len({float(values.mean()) for values in scaled.values()}) == 3


# --- Lines


@pytest.mark.parametrize(("architecture", "moves"), [("lstm", True), ("causal-cnn", False)])
def test_models_that_read_the_last_step_read_the_end_of_short_series(tmp_path, architecture, moves):
    """Series of an LSTM end with its last step; padding after them would be all that it reads."""
    of, n = inputs(), T - 3
    X = np.where(np.arange(T) < n, of.data.X, 0)
    shifted = np.roll(X, T - n, axis=2)
    scores = [
        lines(
            tmp_path / name, replace(of, data=replace(of.data, **given)), architecture=architecture
        )
        for name, given in {
            "short": {"X": X, "lengths": np.full(len(X), n)},
            "ended": {"X": shifted, "lengths": np.full(len(X), T)},
            "padded": {"X": X, "lengths": np.full(len(X), T)},
        }.items()
    ]
    assert (scores[0] == scores[1]) == moves
    assert (scores[0] == scores[2]) != moves


def test_scores_of_clients_are_kept_and_their_mean_is_the_score(tmp_path):
    place = Place("cpu", 1, tmp_path / "checkpoint.npz")
    given = (methods("fedavg", "ditto"), metrics("accuracy", "f1"), 0, place)
    for line in synchronous.run(inputs(), OPTIONS, *given):
        assert line.clients["score"].shape == (len(TEST),)
        assert line.clients["score"].mean() == pytest.approx(line.values["accuracy"])
        assert (line.clients["cluster"] == -1).all()


def test_a_job_has_a_line_for_each_method_and_round(tmp_path):
    found = lines(tmp_path, algorithms=("fedavg", "ditto"), asked=("accuracy", "f1"))
    assert list(found) == [("fedavg", 1), ("fedavg", 2), ("ditto", 1), ("ditto", 2)]
    for values in found.values():
        assert list(values) == ["accuracy", "f1", "steps", "gflops", "bytes"]
        assert 0 <= values["accuracy"] <= 1
    # 30, 15 and 7 samples in batches of 8, twice: 8, 4 and 2 steps.
    assert found["fedavg", 1]["steps"] == pytest.approx(14 / 3)
    assert found["fedavg", 2]["steps"] == pytest.approx(28 / 3)
    assert found["ditto", 2]["steps"] == pytest.approx(56 / 3)
    model = synchronous.local_training(OPTIONS, inputs().data.task).objective.architecture
    gflops = 2 * (30 + 15 + 7) / 3 * 6 * model.multiply_adds() / 1e9
    assert found["fedavg", 1]["gflops"] == pytest.approx(gflops)
    assert found["ditto", 2]["gflops"] == pytest.approx(4 * gflops)
    # Weights of four bytes go both ways; Ditto's second model stays where it is.
    assert found["fedavg", 1]["bytes"] == pytest.approx(2 * 4 * model.n_parameters / 1e6)
    assert found["ditto", 2]["bytes"] == pytest.approx(2 * found["fedavg", 1]["bytes"])


def test_several_workers_write_the_same_lines(tmp_path):
    given = {"algorithms": ("fedavg", "apfl"), "asked": ("accuracy", "f1")}
    one = lines(tmp_path / "one", **given)
    assert str(lines(tmp_path / "two", workers=2, **given)) == str(one)
    assert str(lines(tmp_path / "other", seed=1, **given)) != str(one)


def test_algorithms_of_a_job_start_alike_and_do_not_bear_on_each_other(tmp_path):
    both = lines(tmp_path / "both", algorithms=("apfl", "fedavg"))
    alone = lines(tmp_path / "alone")
    assert {i: v for i, v in both.items() if i[0] == "fedavg"} == alone


def test_the_last_round_alone_is_scored_as_it_is_among_all(tmp_path):
    every = lines(tmp_path / "all", rounds=3)
    last = lines(tmp_path / "last", rounds=3, score="last")
    assert last == {("fedavg", 3): every["fedavg", 3]}


def test_rounds_that_double_are_scored_and_the_last(tmp_path):
    every = lines(tmp_path / "all", rounds=5)
    found = lines(tmp_path / "doubling", rounds=5, score="doubling")
    assert found == {("fedavg", t): every["fedavg", t] for t in (1, 2, 4, 5)}


def test_algorithms_get_the_same_compute_from_a_budget(tmp_path):
    given = {"rounds": 2, "batch_size": 4, "gflops": 2.0}
    found = lines(tmp_path, algorithms=("fedavg", "ditto"), **given)
    for name in ("fedavg", "ditto"):
        assert found[name, 2]["gflops"] == pytest.approx(2.0, rel=0.1)
        assert found[name, 1]["gflops"] == pytest.approx(1.0, rel=0.1)
    assert found["fedavg", 2]["steps"] == pytest.approx(found["ditto", 2]["steps"], rel=0.1)
    of, sizes = inputs(), [len(own) for own in TRAIN]
    estimated = synchronous.work(
        replace(OPTIONS, **given), methods("fedavg", "ditto"), of.data.task, sizes
    )
    counted = sum(found[name, 2]["gflops"] for name in ("fedavg", "ditto"))
    assert estimated == pytest.approx(len(TRAIN) * counted)
    few = lines(tmp_path / "few", rounds=2, gflops=1e-9)
    assert few["fedavg", 2]["steps"] == 2


def test_a_job_that_is_run_again_ends_in_the_same_lines(tmp_path, monkeypatch):
    given = {"algorithms": ("fedavg", "ditto"), "asked": ("accuracy", "f1"), "rounds": 3}
    whole = lines(tmp_path / "whole", **given)
    # Cut off while the second algorithm is at work, its first round done.
    seen = 0

    def cut(*of_round, **options):
        nonlocal seen
        seen += 1
        if seen == 5:
            raise KeyboardInterrupt
        return client_scores(*of_round, **options)

    monkeypatch.setattr(synchronous, "client_scores", cut)
    with pytest.raises(KeyboardInterrupt):
        lines(tmp_path, **given)
    names = sorted(path.name for path in tmp_path.glob("*.npz"))
    assert names == ["checkpoint-ditto.npz", "checkpoint-fedavg.npz"]
    monkeypatch.setattr(synchronous, "client_scores", client_scores)
    assert str(lines(tmp_path, workers=2, **given)) == str(whole)
    Place("cpu", 1, tmp_path / "checkpoint.npz").clear()
    assert not list(tmp_path.glob("*.npz"))


def test_scores_of_other_metrics_are_not_taken_from_a_checkpoint(tmp_path):
    lines(tmp_path, asked=("accuracy", "f1"))
    again = lines(tmp_path, asked=("f1", "accuracy"))
    assert again == lines(tmp_path / "anew", asked=("f1", "accuracy"))


def test_validation_tests_on_train_samples_that_nobody_trains_on(tmp_path):
    """As if the partition were that one."""
    found = lines(tmp_path, seed=3, validate=True)
    of = replace(inputs(), partition=held_back(PARTITION, len(inputs().data.y), 3))
    assert lines(tmp_path / "by hand", of, seed=3) == found


def test_a_budget_that_whole_steps_cannot_meet_is_said(tmp_path, caplog):
    _, of = next(iter(lines(tmp_path).items()))
    lines(tmp_path / "met", gflops=of["gflops"] * 2, epochs=None)
    assert "asked for" not in caplog.text
    lines(tmp_path / "not", gflops=of["gflops"] / 1e3, epochs=None)
    assert "fedavg, a setting, seed 0: asked for" in caplog.text


def test_options_that_an_algorithm_lacks_are_a_clear_error(tmp_path):
    wrong = contract.Method("mine", "fedprox", {"nonsense": 1})
    place = Place("cpu", 1, tmp_path / "checkpoint.npz")
    with pytest.raises(UserError, match="method mine"):
        list(synchronous.run(inputs(), OPTIONS, [wrong], metrics("accuracy"), 0, place))


def test_options_of_the_training_reach_it():
    task = inputs().data.task
    given = Options(
        architecture="lstm",
        steps=7,
        epochs=3,
        batch_size=11,
        learning_rate=0.5,
        optimizer={"kind": "sgd", "momentum": 0.5},
        precision="bfloat16",
    )
    training = synchronous.local_training(given, task)
    assert (training.steps, training.epochs, training.batch_size) == (7, 3, 11)
    assert (training.learning_rate, training.precision) == (0.5, "bfloat16")
    assert training.optimizer == plugins.load("optimizers", "sgd", "OPTIMIZER")(0.5)
    model = training.objective.architecture
    assert (model.in_channels, model.length, model.n_out) == (2, T, 3)
    assert training.objective.kind == "classification"
    assert synchronous.local_training(given, inputs("several").data.task).objective.kind == (
        "regression"
    )


def test_operations_for_estimates_are_those_that_are_counted(tmp_path):
    of, two = inputs(), methods("fedavg", "apfl")
    given = replace(OPTIONS, rounds=2)
    found = lines(tmp_path, of, ("fedavg", "apfl"))
    counted = len(TRAIN) * sum(found[m.name, 2]["gflops"] for m in two)
    sizes = [len(own) for own in TRAIN]
    assert synchronous.work(given, two, of.data.task, sizes) == pytest.approx(counted)


def test_methods_of_one_architecture_are_one_job():
    def name(**given):
        return job(contract.method("synchronous", "fedavg", given, "here"), Options())

    assert name() == name(architecture="causal-cnn") == "causal-cnn"
    assert name(architecture="lstm") == "lstm"
    assert name(batch_size=3, learning_rate=0.5) == "causal-cnn+batch_size=3+learning_rate=0.5"


def test_cores_that_are_worth_asking_for():
    assert threads(Options(), 7) == 7
    assert threads(Options(steps=100, rounds=10), 7) == 7
    assert threads(Options(steps=10, rounds=10), 7) == 1
    assert threads(Options(steps=30, rounds=10), 7) == 3
    assert threads(Options(gflops=4000.0), 7) == 3
    assert threads(Options(gflops=100.0), 7) == 1


# --- An algorithm that adapts at test time


TESTS = [np.array([30, 2, 17, 9]), np.arange(12, 25), np.array([39, 2])]


@pytest.mark.parametrize(
    "open_", [lambda j: Stacked(j, "cpu", 1), lambda j: Workers(j, 2)], ids=["one", "workers"]
)
def test_an_algorithm_that_adapts_is_scored_by_what_it_makes_of_the_test_series(open_):
    of = supervised(Adapting())
    algorithm, asked = of.algorithm, metrics("accuracy", "f1")
    server = algorithm.server(START, 3) | {"first": np.float32([0.3, -0.2, 0.1])}
    with open_(of) as engine:
        uploads, state = one_round(engine)
        after = algorithm.aggregate(server, uploads, np.array([12, 30, 1]))
        weights, kept = algorithm.personal(after, state), algorithm.at_test(after, state)
        found = client_scores(engine, weights, kept, TESTS, ScaledTargets(Y), asked)
    guesses = []
    for k, test in enumerate(TESTS):
        counts = np.bincount(Y[CLIENTS[k]], minlength=2) + 1
        mean, own = np.array([0.8, 0.3, 0.6]), np.zeros(len(test), int)
        # A stream in an order of its own: test sets often lie in that of their labels.
        for at in generator(of.seed, "test stream", k).permutation(len(test)):
            series = X[test[at]].astype(float)
            mean = 0.75 * mean + 0.25 * series.mean(0)
            scores = (series.mean(0) - mean) @ after["theta"].reshape(3, 2)
            own[at] = (scores + np.log(counts / counts.sum())).argmax()
        guesses.append(own)
    for name, score in (("accuracy", accuracy_score), ("f1", f1_score)):
        macro = {} if name == "accuracy" else {"average": "macro", "zero_division": 0}
        each = [score(Y[test], guess, **macro) for test, guess in zip(TESTS, guesses)]
        assert found[name] == pytest.approx(np.array(each))
    # Which is another score than that of the model as it is.
    plain = [(X[test].mean(1) @ after["theta"].reshape(3, 2)).argmax(1) for test in TESTS]
    assert any((one != other).any() for one, other in zip(plain, guesses))


def test_the_model_of_all_is_scored_on_each_clients_own_series_in_their_order():
    """Test series that clients share are put through it once."""
    of, asked = supervised(FedAvg()), []
    guess = (X.mean(1) @ START.reshape(3, 2)).argmax(1)
    zeros, ones = np.flatnonzero(guess == 0)[:3], np.flatnonzero(guess == 1)[:3]

    class Engine(Stacked):
        def predict(self, requests):
            asked.extend(request.samples.tolist() for request in requests)
            return super().predict(requests)

    shared = [np.array([ones[0], zeros[0], ones[1]]), np.array([ones[1], zeros[1], ones[0]]), zeros]
    with Engine(of, "cpu") as engine:
        told, accuracy = (engine, START[None], None, shared), metrics("accuracy")
        assert (client_scores(*told, ScaledTargets(guess), accuracy)["accuracy"] == 1).all()
        found = client_scores(*told, ScaledTargets(Y), accuracy)["accuracy"]
    assert asked == [sorted({*zeros, *ones[:2]})] * 2
    assert found == pytest.approx([accuracy_score(Y[own], guess[own]) for own in shared])


def test_models_that_are_no_numbers_stop_a_run_with_the_methods_name(tmp_path, monkeypatch):
    """Those of clients, too: the server's are looked at after each round."""
    spoilt = [START, np.full_like(START, np.nan)]
    monkeypatch.setattr(FedAvg, "personal", lambda self, server, state: np.stack(spoilt))
    with pytest.raises(UserError, match="method fedavg, round 1: the models of 1 of 2 clients"):
        lines(tmp_path)


# --- Tests of others, and passes over all samples


def test_clients_are_tested_on_others_samples_too(tmp_path):
    names = ("fedavg", "ditto")
    both = lines(tmp_path / "both", algorithms=names, exchange=True)
    plain = lines(tmp_path / "plain", algorithms=names)
    for index, values in both.items():
        others = values.pop("accuracy@another_client")
        assert values == plain[index]
        # One model for all is tested on the same samples, by other clients.
        assert (others == pytest.approx(values["accuracy"])) == (index[0] == "fedavg")


def test_errors_on_others_samples_have_the_targets_unit(tmp_path):
    of = inputs("regression")
    found = lines(tmp_path, of, asked=("rmse", "mae"), exchange=True)["fedavg", 2]
    assert list(found)[:3] == ["rmse", "mae", "rmse@another_client"]
    assert found["rmse@another_client"] == pytest.approx(found["rmse"], rel=1e-5)


@pytest.mark.campaign
def test_passes_over_all_samples_are_part_of_a_budget(tmp_path):
    given = {"architecture": "cnn-small", "rounds": 2, "batch_size": 4, "gflops": 0.3}
    names = ("fedavg", "fedproto", "constant")
    found = lines(tmp_path, algorithms=names, **given)
    for name in names[:2]:
        assert found[name, 2]["gflops"] == pytest.approx(0.3, rel=0.1)
    # A pass is a third of a step on the same samples.
    samples = np.mean([len(own) for own in TRAIN])
    fewer = 4 * (found["fedavg", 2]["steps"] - found["fedproto", 2]["steps"])
    assert fewer == pytest.approx(2 * samples / 3, abs=12)
    assert found["constant", 2]["steps"] == found["constant", 2]["gflops"] == 0
    assert found["constant", 2]["bytes"] == 0
    sizes = [len(own) for own in TRAIN]
    given = replace(OPTIONS, **given)
    estimated = synchronous.work(given, methods(*names), inputs().data.task, sizes)
    assert estimated == pytest.approx(3 * sum(found[name, 2]["gflops"] for name in names))


def test_a_constant_is_the_most_frequent_label_of_a_client(tmp_path):
    found = lines(tmp_path, algorithms=("constant",), architecture="cnn-small")["constant", 2]
    wanted = [
        (LABEL[test] == np.bincount(LABEL[train]).argmax()).mean()
        for train, test in zip(TRAIN, TEST)
    ]
    assert found["accuracy"] == pytest.approx(np.mean(wanted))


def test_a_constant_has_the_labels_that_are_true_of_most(tmp_path):
    of = inputs("multi-label")
    given = {"algorithms": ("constant",), "architecture": "lstm-plain"}
    found = lines(tmp_path, of, asked=("accuracy",), **given)["constant", 2]["accuracy"]
    y = of.data.y
    wanted = [
        (y[test] == (y[train].sum(0) > len(train) / 2)).mean() for train, test in zip(TRAIN, TEST)
    ]
    assert found == pytest.approx(np.mean(wanted))


@pytest.mark.parametrize("kind", ["regression", "several"])
def test_a_constant_is_the_mean_of_a_clients_targets(tmp_path, kind):
    of = inputs(kind)
    given = {"algorithms": ("constant",), "architecture": "lstm-plain"}
    found = lines(tmp_path, of, asked=("mae",), **given)["constant", 2]
    assert found["gflops"] == found["bytes"] == 0
    y = of.data.y
    wanted = [np.abs(y[test] - y[train].mean(0)).mean() for train, test in zip(TRAIN, TEST)]
    assert found["mae"] == pytest.approx(np.mean(wanted), rel=1e-5)


def test_a_label_of_half_the_samples_is_not_said_to_be_true():
    y = torch.tensor([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]]).bool()
    model = plugins.load("models/architectures", "lstm-plain", "ARCHITECTURE")(2, 3, 4, hidden=2)
    algorithm = plugins.load("kinds/synchronous/algorithms", "constant", "ALGORITHM")().on(model)
    training = LocalTraining(SupervisedLoss(model, "multi-label"))
    own = {"own": model.init(torch.Generator().manual_seed(0))[None].repeat(2, 1)}
    clients = [np.arange(4), np.array([0, 1, 2])]
    _, kept = algorithm.local(training, {}, own, Work(Data(torch.zeros(4, 4, 2), y), clients, None))
    outputs = model.forward(kept["own"], torch.randn(2, 5, 4, 2))
    assert (outputs > 0).tolist() == [[[True, False, False]] * 5, [[True, True, False]] * 5]


def test_clients_alone_send_nothing_and_differ(tmp_path):
    found = lines(tmp_path, algorithms=("alone", "fedavg"))
    assert found["alone", 2]["bytes"] == 0
    assert found["alone", 2]["gflops"] == found["fedavg", 2]["gflops"]
    assert str(lines(tmp_path / "two", algorithms=("alone",), workers=2)) == str(
        {index: values for index, values in found.items() if index[0] == "alone"}
    )


def test_models_that_begin_alike_are_drawn_alike():
    """Whatever an algorithm adds to the architecture comes after it."""
    task, options = inputs().data.task, replace(OPTIONS, architecture="cnn-small")
    drawn = {}
    for name in ("fedavg", "fedrod", "fedst"):
        algorithm = synchronous.make(methods(name)[0], options, task)
        training = synchronous.local_training(options, task, algorithm.model)
        theta = training.objective.init(torch.Generator().manual_seed(0))
        drawn[name] = algorithm.model.unpack(theta[None])
    for name, prefix in (("fedrod", ""), ("fedst", "time.")):
        for weight in ("conv0.weight", "conv2.weight"):
            assert torch.equal(drawn[name][prefix + weight], drawn["fedavg"][weight])
