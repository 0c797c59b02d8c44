"""Split learning: gradients of the whole, the same bytes for any workers and after a kill."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import slowly

from fedreact import plugins
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract
from fedreact.kinds.split import run as split
from fedreact.kinds.split.contract import Fitted
from fedreact.kinds.split.engine import Federation, Learning, multiply_adds
from fedreact.kinds.split.spec import Options
from fedreact.losses.objective import Data
from fedreact.losses.of_tasks import LossOfTasks
from fedreact.metrics.grammar import load_metric
from fedreact.task import Task

K, T, D, M = 5, 12, 6, 3
N = 40
RNG = np.random.default_rng(0)
SERIES = RNG.random((K * N, D, T)).astype(np.float32)
NUMBERS = (20 + 40 * SERIES[:, :M].mean(2) + RNG.random((K * N, M))).astype(np.float32)
TARGETS = {"multi-label": np.median(NUMBERS, axis=0) < NUMBERS, "regression": NUMBERS}
TRAIN = [np.arange(k * N, k * N + 32) for k in range(K)]
TEST = [np.arange(k * N + 32, (k + 1) * N) for k in range(K)]
PARTITION = Partition(
    *(np.arange(K), TRAIN, TEST),
    *(np.zeros((K, 0), np.int64), np.zeros((K, 1, 0)), np.zeros(0, np.int64)),
)
OPTIONS = Options(epochs=4, batch_size=10, learning_rate=0.01)
ALGORITHMS = plugins.names("kinds/split/algorithms", "ALGORITHM")
LEARNT = [
    name
    for name in ALGORITHMS
    if not issubclass(plugins.load("kinds/split/algorithms", name, "ALGORITHM"), Fitted)
]
EACH = pytest.mark.parametrize("algorithm", ALGORITHMS)
SOME = pytest.mark.parametrize("algorithm", slowly(dict(zip(LEARNT, LEARNT)), "fathom", "m-att"))
EACH_LEARNT = pytest.mark.parametrize("algorithm", LEARNT)
TASK = {kind: Task(kind, M, D, T) for kind in TARGETS}


def made(name, **options):
    return plugins.load("kinds/split/algorithms", name, "ALGORITHM")(**options)


def options_of(name):
    """Small convolutions, so that some steps are left."""
    return {"lengths": [3, 2]} if name == "m-cnn-lstm-code" else {}


def inputs(kind="multi-label", partition=PARTITION):
    before = np.roll(TARGETS[kind], 1, axis=0)
    data = SeriesDataset("toy", SERIES, np.full(K * N, T), TARGETS[kind], previous=before)
    return contract.Inputs(data, partition, setting="a setting")


def run(folder, *algorithms, of=None, asked=("f1",), workers=1, seed=0, **how):
    found = [
        contract.method("split", name, options_of(name), f"method {name}") for name in algorithms
    ]
    metrics = {name: load_metric(name) for name in asked}
    place = Place("cpu", workers, folder / "checkpoint.npz")
    lines = split.run(of or inputs(), replace(OPTIONS, **how), found, metrics, seed, place)
    return [
        (line.index, line.values, {k: v.tolist() for k, v in line.clients.items()})
        for line in lines
    ]


# ---- The protocol -------------------------------------------------------------------------------


def federation(name, kind="multi-label", workers=1, dropout=(0.2, 0.2), **how):
    y = torch.from_numpy(TARGETS[kind] if kind != "regression" else NUMBERS / 70)
    X = torch.from_numpy(np.ascontiguousarray(SERIES.transpose(0, 2, 1)))
    adam = plugins.make("optimizers", {"kind": "adam"}, "OPTIMIZER", "optimizer")
    algorithm = made(name, **{k: tuple(v) for k, v in options_of(name).items()})
    loss = LossOfTasks(kind, smoothing=algorithm.smoothing)
    learning = Learning(loss, adam, 0.01, dropout, **how)
    return Federation(algorithm, TASK[kind], K, Data(X, y), learning, 3, workers)


def at(n=7, first=0):
    return np.stack([own[first : first + n] for own in TRAIN])


def gradients(of):
    return [side.theta.grad.clone() for side in [*of.clients, of.server] if side.theta.numel()]


@EACH_LEARNT
@pytest.mark.parametrize("kind", TARGETS)
def test_divided_among_owners_gradients_are_those_of_the_joint_graph(algorithm, kind):
    """Also with dropout: clients draw the same."""
    divided, joint = federation(algorithm, kind), federation(algorithm, kind, one_owner=True)
    losses = divided.gradients(at(), 0)
    np.testing.assert_allclose(losses, joint.gradients(at(), 0), rtol=1e-6)
    mine, theirs = gradients(divided), gradients(joint)
    assert len(mine) == len(theirs)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-8)
    assert sum(of.abs().sum() for of in mine) > 0
    assert (joint.sent == 0).all()


@EACH_LEARNT
def test_a_client_alone_learns_from_its_own_loss_and_others_through_the_server(algorithm):
    """The gradient of client 0's layers changes with the targets of client 1, or it is alone."""
    one, other = federation(algorithm), federation(algorithm)
    y = other.data.y.clone()
    y[TRAIN[1]] = ~y[TRAIN[1]]
    other.data = Data(other.data.X, y)
    for of in (one, other):
        of.gradients(at(), 0)
    changed = not torch.equal(one.clients[0].theta.grad[0], other.clients[0].theta.grad[0])
    assert changed != one.algorithm.alone


SENT = {
    # Numbers of a client for a window: what it sends up, and what comes down.
    "m-att": (64 * (T - 7), T - 7),
    "fathom": (64 * T, T),
    "fathom-ta": (64 * T, T),
    "fathom-ga": (64 * T, 64 * T * K),
    "m-lstm": (64, 576),
    "m-mlp": (16 * T, 16 * T * K),
    "m-cnn-lstm": (64 * (T - 7), 64 * (T - 7) * K),
    "m-cnn-lstm-code": (64, 576),
    "fathom-code": (128 * T, T),
    "crnn": (128 * 3, 128 * 3 * K),
    "s-lstm": (0, 0),
    "lr": (0, 0),
}


@EACH_LEARNT
def test_bytes_of_a_step_by_hand(algorithm):
    """Activations go up and gradients of the answer; the answer comes down, and gradients."""
    of, (up, down) = federation(algorithm), SENT[algorithm]
    of.step(at(7), 0)
    assert of.sent.tolist() == [4 * K * 7 * (up + down)] * 2
    of.outputs(at(7))
    assert of.sent.tolist() == [4 * K * 7 * (2 * up + down), 4 * K * 7 * (up + 2 * down)]


def test_no_weight_leaves_a_side():
    """After a step each client has weights of its own, though all began with the same data."""
    of = federation("fathom")
    before = of.weights()["clients"]
    of.step(at(), 0)
    after = of.weights()["clients"]
    assert (np.abs(after - before).max(1) > 0).all()
    assert len(np.unique(after[:, 0])) == K


@EACH_LEARNT
def test_optimisers_go_on_where_they_were(algorithm):
    whole, other = federation(algorithm), federation(algorithm)
    for t in range(3):
        whole.step(at(), t)
        if t == 1:
            other.set_weights(whole.weights())
            other.set_optimizers(whole.optimizers())
    other.step(at(), 2)
    for name, weights in whole.weights().items():
        assert np.array_equal(weights, other.weights()[name])


# ---- Counts that were published -----------------------------------------------------------------

EXTRASENSORY = Task("multi-label", 51, 276, 20)


@pytest.mark.parametrize(
    ("name", "options", "n_clients", "weights"),
    [
        ("m-lstm", {}, 12, 2_455_716),
        ("m-cnn-lstm-code", {}, 12, 5_591_460),
        ("m-att", {"filters": 128, "wide": 64}, 6, 2_816_640),
        ("s-lstm", {"filters": (128, 64), "lengths": (4, 2)}, 1, 198_387),
    ],
)
def test_published_counts_of_weights(name, options, n_clients, weights):
    from fedreact.models.parts import count

    algorithm = made(name, **options)
    each = count(algorithm.client(EXTRASENSORY, n_clients))
    assert n_clients * each + count(algorithm.server(EXTRASENSORY, n_clients)) == weights


# ---- Runs ---------------------------------------------------------------------------------------


@SOME
def test_workers_change_no_bit(tmp_path, algorithm):
    one = run(tmp_path / "1", algorithm)
    assert len(one) == 1
    assert str(one) == str(run(tmp_path / "2", algorithm, workers=2))


@SOME
def test_any_task(tmp_path, algorithm):
    asked = ("mae", "mae@window_per_target")
    ((_, values, clients),) = run(tmp_path, algorithm, of=inputs("regression"), asked=asked)
    assert np.isfinite(values["mae"])
    assert values["mae@window_per_target"] != values["mae"]
    assert np.shape(clients["forecast"]) == np.shape(clients["actual"]) == (K, 8)
    ((_, values, _),) = run(tmp_path, algorithm)
    assert 0 <= values["balanced_accuracy@changed_labels"] <= 1


@SOME
def test_it_goes_on_where_it_was_killed(tmp_path, algorithm, monkeypatch):
    monkeypatch.setattr(split, "SECONDS", 0.0)
    whole = run(tmp_path / "whole", algorithm)
    step, calls = Federation.step, []

    def killed(self, *of):
        calls.append(of)
        if len(calls) == 8:  # of 12, in the third of four epochs
            raise KeyboardInterrupt
        return step(self, *of)

    monkeypatch.setattr(Federation, "step", killed)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", algorithm)
    again = []
    monkeypatch.setattr(Federation, "step", lambda self, *of: again.append(1) or step(self, *of))
    assert str(run(tmp_path / "cut", algorithm)) == str(whole)
    assert len(again) == 6


@EACH_LEARNT
def test_a_budget_is_of_all_that_is_computed(tmp_path, algorithm):
    """Of steps and validations; and of so many epochs, if these are less."""
    forward = multiply_adds(made(algorithm, **options_of(algorithm)), TASK["multi-label"], K)
    step, validation = 3 * 8 * 2 * forward / 1e9, 8 * 2 * forward / 1e9
    given = {"gflops": 7.2 * step + 2 * validation, "points": 2}
    ((_, values, _),) = run(tmp_path, algorithm, **given)
    assert values["steps"] == 7
    assert values["gflops"] == pytest.approx(7 * step + 2 * validation)
    work = split.work(
        replace(OPTIONS, **given),
        [contract.method("split", algorithm, options_of(algorithm), "here")],
        TASK["multi-label"],
        [32] * K,
    )
    assert work == pytest.approx(K * values["gflops"])
    ((_, values, _),) = run(tmp_path, algorithm, **given | {"epochs": 2})
    assert values["steps"] == 6


def test_one_owner_learns_the_same_and_sends_nothing(tmp_path):
    each = run(tmp_path / "each", "fathom", asked=("f1", "recall"))
    one = run(tmp_path / "one", "fathom", asked=("f1", "recall"), owners="one")
    assert one[0][1]["f1"] == pytest.approx(each[0][1]["f1"], abs=0.02)
    assert one[0][1]["bytes"] == 0
    assert each[0][1]["bytes_up"] > 0


def test_tests_are_not_looked_at_in_training(tmp_path):
    """Other targets of the test windows change no weight; scaled by all windows they would."""
    found = []
    for scaled_by in ("train", "all"):
        for add in (0, 500):
            y = NUMBERS.copy()
            y[np.concatenate(TEST)] += add
            data = SeriesDataset("toy", SERIES, np.full(K * N, T), y)
            of = contract.Inputs(data, PARTITION, setting="s")
            given = {"of": of, "asked": ("mae",), "scaled_by": scaled_by}
            found.append(run(tmp_path, "s-lstm", **given)[0][2]["forecast"])
    assert found[0] == found[1]
    assert found[2] != found[3]


def test_inputs_are_scaled_by_what_is_trained_on_in_arrays_and_in_recordings():
    rows = RNG.normal(5, 3, (60, 2)).astype(np.float32)
    rows[:, 1] = 7
    starts = np.r_[np.arange(20), np.arange(30, 50)]
    windows = Windows(rows, starts, 4)
    whole = np.stack([np.arange(20), np.arange(20, 40)])
    for X in (windows, windows[np.arange(40)]):
        found = split.ranged(X, whole, whole[:, :10])
        seen = found[whole[:, :10]]
        assert seen[..., 0].min((1, 2)).tolist() == [0, 0]
        assert seen[..., 0].max((1, 2)).tolist() == [1, 1]
        assert (found[np.arange(40)][..., 1] == 0).all()
        own = rows[starts[25] : starts[25] + 4, 0]
        low, high = rows[30:43, 0].min(), rows[30:43, 0].max()
        np.testing.assert_allclose(found[25][:, 0], (own - low) / (high - low), rtol=1e-5)


def test_training_stops_without_a_smaller_loss_of_validation(tmp_path):
    ((_, values, _),) = run(tmp_path, "s-lstm", epochs=500, patience=2, learning_rate=0.1)
    assert values["steps"] < 500 * 3
    forward = 2 * multiply_adds(made("s-lstm"), TASK["multi-label"], K) / 1e9
    epochs = values["steps"] / 3
    assert values["gflops"] == pytest.approx(epochs * (3 * 24 + 8) * forward)


def test_windows_of_all_tasks_stand_beside_each_other(tmp_path):
    odd = replace(PARTITION, train=[*TRAIN[:-1], TRAIN[-1][:-1]])
    with pytest.raises(UserError, match=r"different numbers of train windows.*by: aligned"):
        run(tmp_path, "m-att", of=inputs(partition=odd))


def test_a_model_learns_what_there_is(tmp_path):
    """Targets are means of channels, and noise."""
    given = {"of": inputs("regression"), "asked": ("mae",), "epochs": 60, "dropout": 0.0}
    found = run(tmp_path, "s-lstm", **given, recurrent_dropout=0.0)
    assert found[0][1]["mae"] < 0.8 * np.abs(NUMBERS - np.median(NUMBERS, axis=0)).mean()


@pytest.mark.parametrize("n", [30, 200])
def test_ridge_is_that_of_scikit_learn(n):
    """With fewer windows than inputs, and with more."""
    from sklearn.linear_model import Ridge as Theirs

    rng = np.random.default_rng(1)
    X, y = rng.random((n + 50, 4, 20)), rng.random((n + 50, 2))
    y += X[:, -1, :2]
    flat = X.reshape(n + 50, -1)
    train, held, test = np.split(np.arange(n + 50), [n, n + 20])
    models = [Theirs(alpha=a).fit(flat[train], y[train]) for a in (0.1, 1.0, 10.0)]
    best = min(models, key=lambda m: ((m.predict(flat[held]) - y[held]) ** 2).mean())
    mine = made("ridge", penalties=(0.1, 1.0, 10.0)).fit(X[train], y[train], X[held], y[held])
    np.testing.assert_allclose(mine(X[test]), best.predict(flat[test]), rtol=1e-6)


def test_only_labels_that_have_changed_count_as_changes():
    true = np.array([[[True, False], [True, True]]])
    before = np.array([[[True, True], [False, True]]])
    outputs = np.where(np.array([[[False, False], [True, False]]]), 1.0, -1.0)
    found = split.found_by_run(outputs, true, before)
    # One came and is found, one went and is found; what stayed does not count.
    assert found == {"balanced_accuracy@changed_labels": 1.0}
    repeated = split.found_by_run(np.where(before, 1.0, -1.0), true, before)
    assert repeated == {"balanced_accuracy@changed_labels": 0.0}
