"""Runs on the simulated clock: the same bytes for any workers and after a kill."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import slowly

from fedreact import plugins
from fedreact.clients.drifts.sudden import drifting
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract
from fedreact.kinds.asynchronous import engine
from fedreact.kinds.asynchronous import run as asynchronous
from fedreact.kinds.asynchronous.spec import Options, check
from fedreact.kinds.supervised import ScaledTargets
from fedreact.metrics.grammar import load_metric

N, T, K = 90, 12, 5
RNG = np.random.default_rng(0)
SERIES = RNG.normal(size=(N, 2, T)).astype(np.float32)
LABEL = RNG.integers(0, 3, N)
SERIES[:, 0] += LABEL[:, None]
TARGETS = {
    "classification": LABEL,
    "multi-label": LABEL[:, None] > np.array([0, 1]),
    "regression": (20 + 4 * SERIES[:, 0].mean(1)).astype(np.float32),
}
TRAIN, TEST = np.split(np.arange(60), K), np.split(np.arange(60, 90), K)
PARTITION = Partition(
    *(np.arange(K), TRAIN, TEST),
    *(np.zeros((K, 0), np.int64), np.zeros((K, 1, 0)), np.zeros(0, np.int64)),
)

OPTIONS = Options(
    architecture="lstm",
    minutes=1.5,
    points=3,
    epochs=1,
    batch_size=8,
    learning_rate=0.05,
    delays=((1.0, 20.0),),
    rate=0.05,
    start=(0.3, 0.6),
    growth=(0.1, 0.2),
)
ALGORITHMS = plugins.names("kinds/asynchronous/algorithms", "ALGORITHM")
EACH = pytest.mark.parametrize("algorithm", ALGORITHMS)
SOME = pytest.mark.parametrize("algorithm", slowly(dict(zip(ALGORITHMS, ALGORITHMS)), "aso-fed"))


def inputs(kind="classification"):
    data = SeriesDataset("toy", SERIES, np.full(N, T), TARGETS[kind])
    return contract.Inputs(data, PARTITION, setting="a setting")


def metrics(*names):
    return {name: load_metric(name) for name in names}


def run(folder, *algorithms, of=None, asked=("accuracy",), workers=1, seed=0, given=None, **how):
    found = [
        contract.method("asynchronous", f"m{i}", {"algorithm": name} | (given or {}), "here")
        for i, name in enumerate(algorithms)
    ]
    place = Place("cpu", workers, folder / "checkpoint.npz")
    if any(
        plugins.load("kinds/asynchronous/algorithms", n, "ALGORITHM").chooses for n in algorithms
    ):
        how = {"minutes": None, "gflops": 2.0} | how
    options = replace(OPTIONS, **how)
    lines = asynchronous.run(of or inputs(), options, found, metrics(*asked), seed, place)
    return [
        (line.index, {n: of if of == of else None for n, of in line.values.items()}, each)
        for line in lines
        for each in [line.clients["score"].tolist()]
    ]


@SOME
def test_workers_change_no_bit(tmp_path, algorithm):
    one = run(tmp_path / "1", algorithm)
    assert len(one) == 3
    assert one == run(tmp_path / "2", algorithm, workers=2)


@pytest.mark.campaign
@SOME
def test_it_goes_on_where_it_was_killed(tmp_path, algorithm, monkeypatch):
    """Checkpoints after each update; the run is ended in the middle of an update's trainings."""
    monkeypatch.setattr(engine, "SECONDS", 0.0)
    whole = run(tmp_path / "whole", algorithm)
    kind, calls = plugins.load("kinds/asynchronous/algorithms", algorithm, "ALGORITHM"), []
    arrived = kind.arrived

    def killed(self, *of):
        calls.append(of)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return arrived(self, *of)

    monkeypatch.setattr(kind, "arrived", killed)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", algorithm)
    monkeypatch.setattr(kind, "arrived", arrived)
    again = []
    monkeypatch.setattr(kind, "arrived", lambda self, *of: again.append(1) or arrived(self, *of))
    assert run(tmp_path / "cut", algorithm) == whole
    kept = len(calls) - 1
    monkeypatch.setattr(kind, "arrived", lambda self, *of: calls.append(of) or arrived(self, *of))
    calls.clear()
    run(tmp_path / "anew", algorithm)
    assert len(again) == len(calls) - kept


@pytest.mark.campaign
@EACH
@pytest.mark.parametrize("kind", ["multi-label", "regression"])
def test_any_task(tmp_path, algorithm, kind):
    asked = {"multi-label": "f1", "regression": "smape"}[kind]
    found = run(tmp_path, algorithm, of=inputs(kind), asked=(asked,))
    assert np.isfinite([values[asked] for _, values, _ in found]).all()


@EACH
def test_costs_grow_and_end_at_the_budget(tmp_path, algorithm):
    found = [values for _, values, _ in run(tmp_path, algorithm)]
    for name in ("minutes", "steps", "gflops", "bytes_up", "bytes_down"):
        costs = [values[name] for values in found]
        assert costs == sorted(costs)
        nothing = name.startswith("bytes") and algorithm in ("local-s", "pooled")
        assert (costs[-1] == 0) == nothing
    assert found[-1]["minutes"] <= 1.5 or algorithm == "tifl"


def test_who_chooses_by_what_is_learnt_has_no_budget_in_minutes(tmp_path):
    """Blind draws would say how many rounds there are, and slow tiers take as many longer."""
    with pytest.raises(UserError, match=r"method m0 chooses clients .* give a budget in gflops"):
        run(tmp_path, "tifl", minutes=20.0)


def test_one_server_with_all_data_has_it_from_the_start_and_trips_of_a_client():
    """Clients of 6 and 3 samples, in batches of 2, twice over."""
    method = contract.method("asynchronous", "m", {"algorithm": "pooled"}, "here")
    of, options = inputs().data, replace(OPTIONS, epochs=2, batch_size=2, lost=0.9, silent=1.0)
    y = ScaledTargets(of.y)
    given = options, of.task, of.steps_first, y, [np.arange(6), np.arange(10, 13)], 0
    algorithm, job = asynchronous.prepare(method, *given)
    assert [one.tolist() for one in job.clients] == [[*range(6), 10, 11, 12]]
    assert job.training.n_steps(9) == 2 * 2  # of 4.5 samples, which is rounded to 4
    devices = asynchronous.make_clock(algorithm, job, options).devices
    assert [devices.held(0, trip) for trip in (0, 5)] == [9, 9]
    assert devices.trip(0, 0)[1]


def test_one_server_has_the_share_of_the_data_that_clients_have_if_no_more_arrives():
    """As Fig. 5.5 has it, half of each client's: 3 of 6 samples, 2 of 3."""
    method = contract.method("asynchronous", "m", {"algorithm": "pooled"}, "here")
    options = replace(OPTIONS, epochs=2, batch_size=2, start=(0.5, 0.5), growth=(0.0, 0.0))
    of, clients = inputs().data, [np.arange(6), np.arange(10, 13)]
    y = ScaledTargets(of.y)
    algorithm, job = asynchronous.prepare(method, options, of.task, of.steps_first, y, clients, 0)
    assert [one.tolist() for one in job.clients] == [[0, 1, 2, 10, 11]]
    assert asynchronous.make_clock(algorithm, job, options).devices.held(0, 0) == 5
    each = contract.method("asynchronous", "m", {"algorithm": "local-s"}, "here")
    algorithm, job = asynchronous.prepare(each, options, of.task, of.steps_first, y, clients, 0)
    devices = asynchronous.make_clock(algorithm, job, options).devices
    assert [devices.held(k, 9) for k in (0, 1)] == [3, 2]


def test_an_absolute_error_can_be_minimised_and_clients_score_in_units(tmp_path):
    found = {}
    for error in ("squared", "absolute"):
        lines = run(
            tmp_path / error, "fedcond", of=inputs("regression"), asked=("mae",), error=error
        )
        found[error] = [values["mae"] for _, values, _ in lines]
    assert found["squared"] != found["absolute"]
    method = contract.method("asynchronous", "m", {"algorithm": "fedcond"}, "here")
    of = inputs("regression").data
    given = OPTIONS, of.task, of.steps_first, ScaledTargets(of.y, 4.0, 20.0), TRAIN, 0
    _, job = asynchronous.prepare(method, *given)
    assert job.training.objective.units == ((4.0, 20.0),)


def test_what_is_sent_to_those_whose_update_is_lost_counts_too(tmp_path):
    *_, (_, lost, _) = run(tmp_path / "lost", "fedasync", lost=0.6)
    assert lost["bytes_down"] > 1.5 * lost["bytes_up"]
    *_, (_, all_come, _) = run(tmp_path / "all", "fedasync")
    assert all_come["bytes_up"] <= all_come["bytes_down"] < 1.5 * all_come["bytes_up"]


def test_if_nothing_arrives_in_time_it_is_said(tmp_path):
    with pytest.raises(UserError, match=r"m0, a setting, seed 0: no update arrives in time"):
        run(tmp_path, "fedasync", minutes=0.001)
    with pytest.raises(UserError, match="lost is 1, so no update arrives"):
        check(replace(OPTIONS, lost=1.0), None)


def test_what_an_algorithm_finds_beside_scores_is_in_its_lines(tmp_path):
    """FedConD's tests; nothing of the kind of another algorithm in the same job."""
    found = run(tmp_path, "fedcond", "fedasync", drifting=0.4, minutes=6.0)
    last = {name: values for (name, _), values, _ in found}
    assert last["m0"]["drift_tests"] > 0
    assert 0 <= last["m0"]["true_alarms"] <= 1
    assert last["m1"]["drift_tests"] is None
    assert "drift_tests" not in run(tmp_path / "alone", "fedasync")[0][1]


@pytest.mark.parametrize("algorithm", ["fedat", "fedasync", "aso-fed"])
def test_a_training_that_diverges_is_said(tmp_path, algorithm):
    """Also where weights travel as texts of whole numbers, which none of NaN is."""
    task = {"of": inputs("regression"), "asked": ("smape",)}
    with (
        np.errstate(all="ignore"),
        pytest.raises(UserError, match=r"diverged after \d+ updates; use a smaller learning rate"),
    ):
        run(tmp_path, algorithm, learning_rate=1e12, **task)


def test_scores_may_be_something_else_over_clients_than_their_mean(tmp_path):
    asked = ("accuracy", "accuracy:var", "accuracy@worst_fifth")
    for _, values, of_clients in run(tmp_path, "fedasync", asked=asked):
        assert values["accuracy"] == pytest.approx(np.mean(of_clients), abs=1e-6)
        assert values["accuracy:var"] == pytest.approx(np.var(of_clients), abs=1e-6)
        assert values["accuracy@worst_fifth"] == pytest.approx(min(of_clients), abs=1e-6)


def test_clients_that_drift_are_known(tmp_path):
    method = contract.method("asynchronous", "m", {"algorithm": "fedasync"}, "here")

    def groups(share):
        place = Place("cpu", 1, tmp_path / f"{share}.npz")
        given = replace(OPTIONS, drifting=share), [method], metrics("accuracy"), 0, place
        return [line.clients["true_cluster"] for line in asynchronous.run(inputs(), *given)]

    for found in groups(0.4):
        assert found.tolist() == drifting(K, 0.4, 0).astype(int).tolist()
    assert all((found == -1).all() for found in groups(0.0))


@pytest.mark.parametrize("share", [0.4, 0.0])
def test_variance_over_clients_that_drift_is_theirs_alone(tmp_path, share):
    method = contract.method("asynchronous", "m", {"algorithm": "fedasync"}, "here")
    asked = metrics("accuracy", "accuracy@drifting:var")
    place = Place("cpu", 1, tmp_path / "place.npz")
    given = replace(OPTIONS, drifting=share), [method], asked, 0, place
    which = drifting(K, share, 0) if share else slice(None)
    for line in asynchronous.run(inputs(), *given):
        expected = np.var(line.clients["score"][which])
        assert line.values["accuracy@drifting:var"] == pytest.approx(expected, abs=1e-6)
