"""Rounds of Phase 2 on a toy problem, and how they are scored."""

from dataclasses import replace

import numpy as np
import pytest
from paper_methods import METHODS, OF_PAPER
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    mean_absolute_error,
    mean_squared_error,
    precision_score,
    recall_score,
)
from sklearn.metrics import rand_score as sklearn_rand_score

from fedreact import options, plugins
from fedreact.clients.drifts.schedule import Schedule, schedule
from fedreact.clients.drifts.visiting import Visiting
from fedreact.clients.partition import Partition
from fedreact.clients.validation import held_back
from fedreact.data.dataset import SeriesDataset
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract
from fedreact.kinds.clustered import engine
from fedreact.kinds.clustered import run as clustered
from fedreact.kinds.clustered.contract import Setting
from fedreact.kinds.clustered.run import run as run_job
from fedreact.kinds.clustered.scoring import HeldOut, rand_score
from fedreact.kinds.clustered.spec import Options, check
from fedreact.kinds.clustered.tasks import Classification, Regression
from fedreact.kinds.clustered.work import CountedClients
from fedreact.metrics.grammar import load_metric
from fedreact.task_models.svm import decision

N, D = 600, 8
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 4, N)
FEATURES = (np.eye(4)[Y] @ RNG.normal(size=(4, D)) + RNG.normal(size=(N, D))).astype(np.float32)


TASK = Classification(4)
SHARED = {n: make for n, make in METHODS.items() if "n_clusters" not in OF_PAPER[n]}
"""Those that are told the true number of clusters."""


def metrics(*names):
    return {name: load_metric(name) for name in names}


ACCURACY = metrics("accuracy")


def toy(sizes=(2, 3), rng=RNG):
    """Cluster c holds labels 2 c and 2 c + 1."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    train, test = [], []
    for c in clusters:
        mine = rng.permutation(np.flatnonzero(c == Y // 2))
        train.append(mine[:150])
        test.append(mine[150:200])
    shares = np.repeat(np.eye(2), 2, axis=1)[:, None] / 2
    return Partition(clusters, train, test, np.zeros((2, 4), int), shares, np.zeros(0, int))


def run(partition, n_rounds=6, seed=0, drift=None, participation=1.0, task=TASK, **of_run):
    plan = schedule(
        partition.clusters, partition.distributions, n_rounds, seed, drift, participation
    )
    setting = Setting(len(np.unique(partition.clusters)), truth=plan.truth)
    methods = {name: make(setting) for name, make in SHARED.items()}
    phase2 = engine.Phase2(FEATURES, Y, partition, plan, task, seed, 16, **of_run)
    return list(engine.run(phase2, methods, ACCURACY))


def accuracy(score):
    return score.values["accuracy"]


def drifting():
    """Both clusters hold two labels; a fifth of each label's samples is held out."""
    held_out = np.arange(0, N, 5)
    return replace(toy(), held_out=held_out)


def test_clear_clusters_are_found_and_models_work():
    scores = run(toy())
    assert len(scores) == 6 * len(SHARED)
    assert [s.t for s in scores[:: len(SHARED)]] == [1, 2, 3, 4, 5, 6]
    by_method = {s.method: s for s in scores}  # of the last round
    for name in ("fed-react-a1", "fed-react-a3", "sc-mma", "ec-mma", "oracle-a1"):
        assert by_method[name].rand == 1, name
        assert 0.75 < accuracy(by_method[name]) < 1, name
    assert np.isnan(by_method["flsc"].rand)
    assert all(0.5 < accuracy(s) < 1 for s in by_method.values())


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_same_seed_same_scores(loss):
    partition = toy()
    one, again, other = (
        str(run(partition, task=Classification(4, loss=loss), seed=seed)) for seed in (0, 0, 1)
    )
    assert one == again
    assert one != other


def test_a_drift_that_is_drawn_is_what_clients_see_and_are_tested_on():
    partition = drifting()
    always = Visiting(1.0)
    # Both visit the other cluster in every round, so the labels are those of the other cluster.
    plan = schedule(partition.clusters, partition.distributions, 3, 0, always)
    at, valid = engine.sampler(partition, plan, Y, 16, 0)(1)
    assert valid.all()
    assert (Y[at] // 2 == 1 - partition.clusters[:, None]).all()
    assert not np.isin(at, partition.held_out).any()
    there = [s for s in run(partition, drift=always) if s.method == "local"]
    home = [s for s in run(partition, drift=always, test_on="long-run") if s.method == "local"]
    assert min(accuracy(s) for s in there) > 0.7
    assert max(accuracy(s) for s in home) < 0.1


def test_with_validation_neither_drawn_nor_tested_are_test_samples():
    partition = held_back(drifting(), N, 0)
    plan = schedule(partition.clusters, partition.distributions, 2, 0, Visiting(0.5))
    at, _ = engine.sampler(partition, plan, Y, 16, 0)(1)
    assert not np.isin(at, partition.held_out).any()
    tested, _ = engine.tests(FEATURES, Y, partition, plan, "round")
    np.testing.assert_array_equal(tested.y, Y[partition.tested])
    for of in (toy(rng=np.random.default_rng(1)), drifting()):
        by_hand = lines(["local"], of=inputs(partition=held_back(of, N, 0)))
        assert str(lines(["local"], of=inputs(partition=of), validate=True)) == str(by_hand)


def test_weights_of_tests_follow_the_round_or_the_long_run():
    partition = drifting()
    plan = schedule(partition.clusters, partition.distributions, 2, 0, Visiting(0.0))
    for test_on, shares in (("round", plan.shares), ("long-run", plan.long_run)):
        held_out, weights = engine.tests(FEATURES, Y, partition, plan, test_on)
        by_label = np.stack([weights(2)[:, held_out.y == label].sum(1) for label in range(4)], 1)
        np.testing.assert_allclose(by_label, shares[1])


def test_only_clients_that_have_taken_part_are_scored():
    partition = toy()
    present = np.zeros((2, 5), bool)
    present[0, :2] = present[1, 2:] = True  # first one cluster, then the other
    plan = Schedule(np.tile(partition.clusters, (2, 1)), present)
    methods = {"local": METHODS["local"](Setting(2))}
    phase2 = engine.Phase2(FEATURES, Y, partition, plan, TASK, 0, 16)
    scores = list(engine.run(phase2, methods, ACCURACY))
    whole = run(partition, 2)
    assert scores[0].rand == 0  # two clients of one cluster, each alone
    alone = next(s for s in whole if s.method == "local")
    assert accuracy(scores[0]) != accuracy(alone)
    assert len(scores) == 2


def test_a_client_with_fewer_samples_than_a_round_asks_for():
    partition = toy()
    partition.train[0] = partition.train[0][:5]
    assert len(run(partition)) == 6 * len(SHARED)


def test_labelled_samples_are_the_clients_own_without_repetition():
    train = [np.arange(10, 40), np.arange(100, 104)]
    at, valid = engine.labelled_samples(train, 8, seed=0, t=3)
    assert valid.sum(1).tolist() == [8, 4]
    for k in range(2):
        drawn = at[k, valid[k]]
        assert len(set(drawn)) == len(drawn)
        assert np.isin(drawn, train[k]).all()
    again, _ = engine.labelled_samples(train[:1], 8, seed=0, t=3)
    assert np.array_equal(again[0], at[0])  # whoever else takes part
    all_of_them, valid = engine.labelled_samples(train, 1000, seed=0, t=3)
    assert all_of_them.shape[1] == max(map(len, train))  # nothing is fitted to mere padding
    assert valid.sum(1).tolist() == [len(mine) for mine in train]
    other, _ = engine.labelled_samples(train, 8, seed=0, t=4)
    assert not np.array_equal(other[0], at[0])


def test_accuracy_weighs_samples_and_shares_models():
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(4, 4, D + 1)).astype(np.float32)
    weights[3] = weights[0]  # two clients hold the same model
    held_out = HeldOut(FEATURES[:60], Y[:60])
    share = rng.random((4, 60)) * (rng.random((4, 60)) < 0.5)
    share /= share.sum(1, keepdims=True)
    found = held_out.scores(weights, share, ACCURACY)["accuracy"]
    for k in range(4):
        guess = decision(weights[k : k + 1], FEATURES[None, :60])[0].argmax(1)
        assert found[k] == pytest.approx(accuracy_score(Y[:60], guess, sample_weight=share[k]))


def test_samples_in_no_order_have_no_first_window():
    held_out = HeldOut(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 4.0, 3.0]))
    given = np.ones((2, 1, 2), np.float32), np.full((2, 3), 1 / 3), metrics("mae@first_window")
    with pytest.raises(UserError, match="metric mae@first_window is of the first test windows"):
        held_out.scores(*given)


def test_rmse_by_hand():
    # Outputs x + 1 are 1, 2, 3, of targets 1, 4, 3; weights of the second client: half, half, none.
    held_out = HeldOut(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 4.0, 3.0]))
    models = np.ones((2, 1, 2), np.float32)
    weights = np.array([[1, 1, 1], [1.5, 1.5, 0]]) / 3
    rmse = metrics("rmse")
    found = held_out.scores(models, weights, rmse)["rmse"]
    np.testing.assert_allclose(found, [(4 / 3) ** 0.5, 2**0.5])
    # A target is in units of 5.
    found = held_out.scores(models, weights, rmse, unit=5.0, centre=7.0)["rmse"]
    np.testing.assert_allclose(found, [5 * (4 / 3) ** 0.5, 5 * 2**0.5])


WEIGHED = np.random.default_rng(5).random((3, 60)) ** 2
WEIGHED /= WEIGHED.sum(1, keepdims=True)


@pytest.mark.parametrize("kind", ["one label", "several labels"])
def test_scores_of_labels_are_scikit_learns(kind):
    rng = np.random.default_rng(6)
    models = rng.normal(size=(3, 4, D + 1)).astype(np.float32)
    models[0, 3, -1] = -50  # a label that is never found
    several = kind == "several labels"
    y = rng.random((60, 4)) < 0.3 if several else Y[:60]
    asked = metrics("accuracy", "f1", "precision", "recall", "balanced_accuracy")
    found = HeldOut(FEATURES[:60], y).scores(models, WEIGHED, asked)
    for k, weight in enumerate(WEIGHED):
        outputs = decision(models[k : k + 1], FEATURES[None, :60])[0]
        if several:
            guess, true = (outputs > 0).ravel(), y.ravel()
            given = {"sample_weight": np.repeat(weight, 4)}
            average = {}  # pooled over labels
        else:
            guess, true, given = outputs.argmax(1), y, {"sample_weight": weight}
            average = {"average": "macro", "zero_division": 0}
        expected = {
            "accuracy": accuracy_score(true, guess, **given),
            "f1": f1_score(true, guess, **given, **average),
            "precision": precision_score(true, guess, **given, **average),
            "recall": recall_score(true, guess, **given, **average),
            "balanced_accuracy": balanced_accuracy_score(true, guess, **given),
        }
        assert {n: v[k] for n, v in found.items()} == pytest.approx(expected), k


@pytest.mark.parametrize("unit", [None, 3.0, np.array([3.0, 0.5])])
def test_errors_are_scikit_learns_in_the_targets_own_units(unit):
    rng = np.random.default_rng(7)
    models = rng.normal(size=(3, 2, D + 1)).astype(np.float32)
    y = rng.normal(size=(60, 2)).astype(np.float32)
    scale, centre = (1.0, 0.0) if unit is None else (unit, np.array([2.0, -1.0]) * np.ones(2))
    asked = metrics("rmse", "mae", "smape")
    found = HeldOut(FEATURES[:60], y).scores(models, WEIGHED, asked, scale, centre)
    true = y * scale + centre
    for k, weight in enumerate(WEIGHED):
        outputs = decision(models[k : k + 1], FEATURES[None, :60])[0] * scale + centre
        smape = 2 * np.abs(outputs - true) / (np.abs(outputs) + np.abs(true))
        expected = {
            "rmse": mean_squared_error(true, outputs, sample_weight=weight) ** 0.5,
            "mae": mean_absolute_error(true, outputs, sample_weight=weight),
            "smape": weight @ smape.mean(1),
        }
        assert {n: v[k] for n, v in found.items()} == pytest.approx(expected, rel=1e-5), k


def test_regression_pays_off_where_clients_differ():
    rng = np.random.default_rng(0)
    clusters = np.array([0, 0, 1, 1])
    w = np.array([[2.0, -1.0], [-2.0, 1.0]])
    X = rng.normal(size=(400, 2)).astype(np.float32)
    owner = np.arange(400) % 4
    y = ((X * w[clusters[owner]]).sum(1) + 0.1 * rng.normal(size=400)).astype(np.float32)
    train = [np.flatnonzero(owner == k)[:80] for k in range(4)]
    test = [np.flatnonzero(owner == k)[80:] for k in range(4)]
    counts = np.zeros((2, 0), int)
    partition = Partition(clusters, train, test, counts, np.zeros((2, 1, 0)), np.zeros(0, int))
    plan = schedule(clusters, partition.distributions, 3, 0)
    setting = Setting(2, truth=plan.truth)
    names = ("local", "global-mma", "oracle-mma", "fed-react-a1", "ec-mma", "sc-mma")
    methods = {name: METHODS[name](setting) for name in names}
    asked = metrics("rmse", "rmse@worst_cluster")
    phase2 = engine.Phase2(X, y, partition, plan, Regression(), 0, 40)
    scores = list(engine.run(phase2, methods, asked))
    last = {s.method: s for s in scores[-len(names) :]}
    assert last["global-mma"].values["rmse"] > 2
    for name in ("local", "oracle-mma", "fed-react-a1", "ec-mma"):
        assert 0.08 < last[name].values["rmse"] < 0.15, name
    # No labels, so these are no clusters that anyone knows.
    assert np.isnan(last["fed-react-a1"].rand)
    assert np.isnan(last["fed-react-a1"].values["rmse@worst_cluster"])


def test_regressions_without_a_model_by_hand():
    X, y = np.ones((2, 3, 1)), np.array([[1.0, 2.0, 6.0], [4.0, 8.0, 0.0]])
    valid = np.array([[True] * 3, [True, True, False]])
    for regressor, expected in (("mean", [3, 6]), ("last", [6, 8])):
        weights = Regression(regressor=regressor).fit(X, y, valid)
        assert weights.tolist() == [[[0, value]] for value in expected]
    with pytest.raises(
        UserError, match=r"regressor: 'median' is unknown; known: sgd, ridge, ridge-cv, mean, last"
    ):
        options.check(Options, {"regressor": "median"}, "setting")
    # Of several targets each is told for itself.
    several = np.stack([y, -y], 2)
    for regressor, expected in (("mean", [[3, -3], [6, -6]]), ("last", [[6, -6], [8, -8]])):
        weights = Regression(regressor=regressor, n_outputs=2).fit(X, several, valid)
        assert weights[..., 0].tolist() == [[0, 0], [0, 0]]
        assert weights[..., 1].tolist() == expected


def test_methods_that_train_svms_refuse_a_regression():
    uploads = Regression().clients(None, None, None)
    with pytest.raises(UserError, match="classification only"):
        uploads.train(np.zeros((2, 3)), 0.1, 1)


def test_stationary_clients_are_tested_on_their_own_test_sets():
    partition = toy()
    partition.test[0] = partition.test[0][:7]
    plan = schedule(partition.clusters, partition.distributions, 1, 0)
    held_out, weights = engine.tests(FEATURES, Y, partition, plan, "round")
    model = np.random.default_rng(0).normal(size=(1, 4, D + 1)).astype(np.float32)
    models = np.repeat(model, 5, axis=0)
    found = held_out.scores(models, weights(1), ACCURACY)["accuracy"]
    for k, test in enumerate(partition.test):
        guess = decision(model, FEATURES[None, test])[0].argmax(1)
        assert found[k] == pytest.approx(accuracy_score(Y[test], guess))


def test_rand_score_is_that_of_the_paper():
    # ICLR 4.1.2: (TP + TN) / TOT over pairs. Pairs of 4 clients: 6. Truth {01}{23}, found {012}{3}:
    # TP: 01; TN: 03, 13; so 3 of 6.
    assert rand_score(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])) == 0.5
    rng = np.random.default_rng(0)
    for n in (2, 7, 100):
        for _ in range(20):
            a, b = rng.integers(0, rng.integers(1, n), n), rng.integers(0, rng.integers(1, n), n)
            assert rand_score(a, b) == pytest.approx(sklearn_rand_score(a, b), abs=1e-12)
    assert rand_score(np.array([3]), np.array([0])) == 1


# --- The whole job


TARGETS = {
    "one label": Y,
    "several labels": np.eye(4, dtype=bool)[Y] | np.eye(4, dtype=bool)[(Y + 1) % 4],
    "a number": (10 + 5 * FEATURES[:, 0]).astype(np.float32),
    "numbers": np.stack([10 + 5 * FEATURES[:, 0], FEATURES[:, 1] - 3], 1).astype(np.float32),
}


def inputs(kind="one label", partition=None):
    X = np.zeros((N, 1, 2), np.float32)
    data = SeriesDataset("toy", X, np.full(N, 2), TARGETS[kind])
    partition = partition or toy(rng=np.random.default_rng(1))
    return contract.Inputs(data, partition, FEATURES, (123.0, 4.5, 2.0), "a setting")


def lines(names, given=None, asked=ACCURACY, seed=0, of=None, **of_run):
    of_paper = OF_PAPER | (given or {})
    methods = [contract.method("clustered", n, of_paper[n], "experiment.yaml") for n in names]
    of_run = Options(**{"rounds": 3, "samples_per_round": 16} | of_run)
    found = run_job(of or inputs(), of_run, methods, asked, seed, Place())
    return {line.index: line.values for line in found}


def test_a_job_has_a_line_for_each_round_and_method():
    names = ["fed-react-a1", "local", "flsc"]
    of_clients = metrics("accuracy", "accuracy@worst_cluster", "accuracy@worst_tenth")
    found = lines(names, asked=of_clients)
    assert list(found) == [(name, t) for t in (1, 2, 3) for name in names]
    for (name, _), values in found.items():
        assert list(values) == [*of_clients, "rand", "n_clusters", "steps", "gflops", "bytes"]
        assert values["steps"] == 123.0
        assert values["gflops"] > 4.5  # of Phase 1
        assert np.isnan(values["rand"]) == (name == "flsc")
        assert np.isnan(values["n_clusters"]) == (name == "flsc")
        worst, of_cluster, mean = (values[name] for name in reversed(of_clients))
        assert worst <= of_cluster <= mean
    # A model of 4 labels and 3 weights of four bytes each; FLSC's three clusters all come down.
    model = 4 * 4 * (FEATURES.shape[1] + 1) / 1e6
    sent = {name: found[name, 2]["bytes"] - 2.0 for name in names}
    C = len(np.unique(inputs().partition.clusters))
    models = {"local": 0, "fed-react-a1": 4 * model, "flsc": 2 * (C + 1) * model}
    assert sent == pytest.approx(models)
    assert str(lines(names, asked=of_clients)) == str(found)
    assert str(lines(names, asked=of_clients, seed=1)) != str(found)


def test_compute_of_phase_2_counts_fits_descents_and_losses():
    """16 samples of 8 features and an intercept, 4 labels; two clusters."""
    found = lines(["ifca", "local"], {"ifca": {"steps": 10}})
    loss = 16 * 4 * 9
    fit = 9 * 9 * 16 + 9**3 / 2 + 4 * (24 * 9 * 9 + 9 * 16)
    a_round = {"ifca": 2 * loss + 3 * 10 * loss, "local": fit}
    for (name, t), values in found.items():
        assert values["gflops"] - 4.5 == pytest.approx(2 * t * a_round[name] / 1e9, rel=1e-6), name


def test_clients_that_are_away_compute_nothing():
    n_samples, present = np.array([10, 20]), np.array([True, False])
    counted = CountedClients(None, TASK, n_samples, present, 2)
    assert counted.multiply_adds == TASK.multiply_adds(10, 2) / 2


def test_regressors_count_their_products():
    def of(regressor):
        task = Regression(n_outputs=2, regressor=regressor, sgd=(5, 4, 0.1))
        return task.multiply_adds(10, 3)

    assert of("sgd") == 3 * 5 * 10 * 2 * 4
    assert of("ridge") == 3 * 3 * 10 + 3**3 / 6 + 10 * 3 * 2
    assert of("mean") == of("last") == 0


def test_methods_of_a_job_do_not_bear_on_each_other():
    both = lines(["ifca", "fed-react-a1"])
    alone = lines(["fed-react-a1"])
    assert str({i: v for i, v in both.items() if i[0] == "fed-react-a1"}) == str(alone)


def test_methods_may_be_told_another_number_of_clusters_than_the_setting():
    more = {"more": OF_PAPER["ec-mma"] | {"n_clusters": 5}}
    found = lines(["ec-mma", "more"], more)
    for t in (1, 2, 3):
        assert found["ec-mma", t]["rand"] == 1
        assert found["more", t]["rand"] < 1  # each of five clients is alone
        assert str(found["more", t]) == str(lines(["ec-mma"], n_clusters=5)["ec-mma", t])


def test_a_number_of_clusters_that_is_looked_for_is_found():
    true = lines(["ec-mma"])
    for how in ("silhouette", "elbow"):
        found = lines(["it"], {"it": OF_PAPER["ec-mma"] | {"n_clusters": how}})
        assert str(list(found.values())) == str(list(true.values()))
    assert str(lines(["ec-mma"], n_clusters="silhouette")) == str(true)


@pytest.mark.parametrize("n", [6, 0])
def test_more_clusters_than_clients_are_refused(n):
    with pytest.raises(UserError):
        lines(["it"], {"it": OF_PAPER["ec-mma"] | {"n_clusters": n}})


def test_a_drift_is_made_of_its_options():
    partition, drifts = drifting(), {"kind": "visiting", "probability": 1.0}
    found = lines(["local"], of=inputs(partition=partition), drift=drifts)
    by_hand = [accuracy(s) for s in run(partition, 3, drift=Visiting(1.0)) if s.method == "local"]
    assert [v["accuracy"] for v in found.values()] == by_hand
    still = lines(["local"], of=inputs(partition=partition), drift=drifts | {"probability": 0.0})
    assert str(still) != str(found)


@pytest.mark.parametrize("kind", ["several labels", "a number", "numbers"])
def test_jobs_of_other_targets_than_one_label(kind):
    """The score of a single client, whose exact fit is known."""
    partition = toy((1,))
    partition.test[0] = np.arange(300, 360)
    asked = metrics("f1", "accuracy") if kind == "several labels" else metrics("rmse", "mae")
    given = {"samples_per_round": 1000, "rounds": 1, "feature_scaling": "standard"}
    given |= {} if kind == "several labels" else {"regressor": "ridge"}
    found = lines(["local"], of=inputs(kind, partition), asked=asked, **given)["local", 1]
    train, test, y = partition.train[0], partition.test[0], TARGETS[kind]
    centre, scale = FEATURES[train].mean(0), FEATURES[train].std(0)
    X = ((FEATURES - centre) / scale).astype(np.float32)
    if kind == "several labels":
        w = Classification(4).fit(X[None, train], y[None, train], None)
        guess = decision(w, X[None, test])[0] > 0
        expected = {
            "f1": f1_score(y[test].ravel(), guess.ravel()),
            "accuracy": (guess == y[test]).mean(),
        }
    else:
        from sklearn.linear_model import Ridge

        unit = y[train].std(0)
        ridge = Ridge(alpha=1.0).fit(X[train], (y[train] - y[train].mean(0)) / unit)
        guess = ridge.predict(X[test]) * unit + y[train].mean(0)
        expected = {
            "rmse": mean_squared_error(y[test], guess) ** 0.5,
            "mae": mean_absolute_error(y[test], guess),
        }
    assert {n: found[n] for n in expected} == pytest.approx(expected, rel=1e-3)


# --- What is kept of clients


def test_of_clients_that_have_not_been_seen_nothing_is_kept():
    seen = np.array([True, False, True])
    kept = engine.of_clients(seen, np.array([0.5, 1.0]), np.array([1, 0, 0]), None)
    assert kept["score"].tolist()[::2] == [0.5, 1.0]
    assert np.isnan(kept["score"][1])
    assert kept["cluster"].tolist() == [1, -1, 0]
    assert kept["true_cluster"].tolist() == [-1, -1, -1]


def test_scores_and_clusters_of_clients_are_kept():
    names = ["fed-react-a1", "flsc"]
    methods = [contract.method("clustered", n, OF_PAPER[n], "experiment.yaml") for n in names]
    of_run = Options(rounds=2, samples_per_round=16)
    of = inputs()
    for line in run_job(of, of_run, methods, ACCURACY, 0, Place()):
        kept = line.clients
        assert kept["score"].mean() == pytest.approx(line.values["accuracy"])
        assert kept["true_cluster"].tolist() == of.partition.clusters.tolist()
        if line.index[0] == "flsc":
            assert (kept["cluster"] == -1).all()
        else:
            assert len(set(kept["cluster"])) == line.values["n_clusters"]
            assert rand_score(kept["true_cluster"], kept["cluster"]) == line.values["rand"]


def test_models_that_are_no_numbers_stop_a_run_with_the_methods_name(monkeypatch):
    algorithm = plugins.load("kinds/clustered/algorithms", "fed_react", "ALGORITHM")
    whole = algorithm.round

    def spoilt(self, state, uploads):
        state, held, found = whole(self, state, uploads)
        held = held.copy()
        held[1, 0] = np.inf if uploads.t == 2 else 0.0
        return state, held, found

    monkeypatch.setattr(algorithm, "round", spoilt)
    with pytest.raises(UserError, match=r"fed-react-a1: the models of 1 of 5 clients .* round 2"):
        lines(["fed-react-a1"])


# --- What makes results mean nothing


def found_of(of, name="sc-mma", **of_run):
    methods = [contract.method("clustered", name, OF_PAPER[name], "experiment.yaml")]
    return clustered.findings(of, Options(**of_run), methods)


def test_nothing_is_found_where_nothing_is_wrong():
    assert found_of(inputs(), rounds=3, samples_per_round=16) == []


def test_rounds_that_are_all_the_same():
    (found,) = found_of(inputs(), rounds=3, samples_per_round=150)
    assert "all train series of 5 of 5 clients" in found
    assert found_of(inputs(), rounds=1, samples_per_round=150) == []


def test_one_cluster():
    one = replace(inputs().partition, clusters=np.zeros(5, dtype=int))
    (found,) = found_of(inputs(partition=one), samples_per_round=16)
    assert found.startswith("There is one cluster")
    assert found_of(inputs(partition=one), samples_per_round=16, n_clusters="elbow") == []
    assert found_of(inputs(partition=one), "local", samples_per_round=16) == []  # merges nothing


def test_features_that_are_all_the_same():
    same = replace(inputs(), features=np.ones_like(FEATURES))
    (found,) = found_of(same, samples_per_round=16)
    assert found == "The encoder gives all series the same features."


def test_clients_are_tested_on_others_samples_too():
    names = ["local", "global-mma"]
    found, plain = lines(names, exchange=True, rounds=2), lines(names, rounds=2)
    for index, values in found.items():
        others = values.pop("accuracy@another_client")
        assert str(values) == str(plain[index])
        assert 0 <= others <= 1
    with pytest.raises(UserError, match="exchange: clients whose data drifts"):
        check(Options(exchange=True, drift={"kind": "migration", "probability": 0.1}), None)
