"""How much work a job is, by hand, and how fast this machine does it."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import BASE

from fedreact.clients.partition import NOTHING, Partition
from fedreact.encoding import train as encoding
from fedreact.encoding.spec import Options as EncoderOptions
from fedreact.engine.local_training import LocalTraining
from fedreact.errors import UserError
from fedreact.estimates.work import PlannedWork, calibrate
from fedreact.kinds import contract as runs
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.architectures.patchtst import ARCHITECTURE as PatchTST
from fedreact.models.encoders.table12 import ENCODER
from fedreact.multiverse.run import Universe
from fedreact.resolve.plan import Plan
from fedreact.task import Task

LSTM = 78.72512e-3 / 2  # billions of multiply-adds, of digits (Table 12)
FORWARD_AND_BACK = 3 * 2  # a multiply-add is 2 FLOPs; a backward pass counts as two forward ones


@pytest.fixture
def work(project):
    """Work at the papers' scale, on simulated digits; no partition is there."""
    return PlannedWork(Plan(BASE | {"scale": "paper"}))


def of_encoder(encoder):
    wildcards = {"paper": "fed_react", "dataset": "air-writing-sim", "encoder": encoder}
    return "train_encoder", wildcards | {"seed": "0"}


def of_run(rule, kind, setting, job):
    wildcards = {"kind": kind, "paper": "fed_react", "dataset": "air-writing-sim"}
    return rule, wildcards | {"setting": setting, "job": job, "seed": "0"}


def test_an_encoder_by_hand(work):
    # 10 clients x 10 rounds x 500 steps x 10 anchors, each with a positive and 10 negatives of 50.5
    # steps in the mean, and its own 75.25.
    count = ENCODER(3).multiply_adds
    an_anchor = (count(75.25) + 11 * count(50.5)) / 1e9
    found = work.gflops(*of_encoder("clients10-beta1.5"))
    assert found == pytest.approx(500_000 * FORWARD_AND_BACK * an_anchor)
    # Ten times the clients, and a tenth of the steps by a change of its name.
    as_much = work.gflops(*of_encoder("clients100-beta1.5+encoder.steps=50"))
    assert as_much == pytest.approx(found)


def test_what_is_kept_of_each_client_by_hand(work):
    # 12 bytes of each of 100 clients in 200 rounds of each method.
    given = of_run("run", "clustered", "stationary100", "all")
    run = work.run(SimpleNamespace(**given[1]))
    assert run.options.rounds == 200
    found = work.megabytes_of_clients(*given)
    assert found == pytest.approx(12 * 100 * 200 * len(run.methods) / 1e6)
    assert work.megabytes_of_clients(*of_encoder("clients10-beta1.5")) == 0


def test_a_synchronous_run_by_hand(work):
    # 10 clients, each with a budget for each of four algorithms, whatever these train by it.
    budget = work.plan.settings.run("fed_react", "synchronous", "full10", {}).gflops
    found = work.gflops(*of_run("train", "synchronous", "full10", "lstm"))
    assert found == pytest.approx(4 * 10 * budget, rel=0.01)
    fifty = work.gflops(*of_run("train", "synchronous", "full50", "lstm"))
    assert fifty == pytest.approx(5 * found)


@pytest.mark.parametrize(
    ("algorithm", "models"), [("fedavg", 1), ("fedprox", 1), ("ditto", 2), ("apfl", 2)]
)
def test_algorithms_count_each_model_that_they_train(work, algorithm, models):
    _, wildcards = of_run("train", "synchronous", "full10", "lstm")
    run, kind = work.run(SimpleNamespace(**wildcards)), runs.part_of("synchronous", "run")
    (method,) = [m for m in run.methods if m.algorithm == algorithm]
    task = work.plan.datasets.task("air-writing-sim")
    options = replace(run.options, rounds=2, gflops=None)
    # 10 clients x 2 rounds x 100 epochs of 2,160 samples.
    found = kind.work(options, [method], task, [2160] * 10)
    assert found == pytest.approx(models * 4_320_000 * FORWARD_AND_BACK * LSTM)
    steps = replace(options, steps=3, batch_size=7, epochs=1)
    found = kind.work(steps, [method], task, [2160] * 10)
    assert found == pytest.approx(models * 10 * 2 * 3 * 7 * FORWARD_AND_BACK * LSTM)


def test_a_clustered_run_by_hand(project):
    work = PlannedWork(Plan(BASE | {"scale": "overnight"}))
    rule, wildcards = of_run("run", "clustered", "participation0.5", "all")
    methods = work.run(SimpleNamespace(**wildcards)).methods
    assert len(methods) > 10
    (partition,) = work.plan.job(rule, **wildcards).inputs["partition"]
    (size,) = set(work._sizes(None, partition))
    # 64 samples of 320 features and 10 labels: the Gram matrix and the fits, then for each method
    # its tests, and its steps of descent: 100 each of IFCA, FLSC, FLACC and so on.
    fits = 2 * 64**2 * 320 + 60 * 10 * 64**2
    each = 4 * 10 * 64 * 320 + 2 * 10 * 320 * size / 9
    steps = sum(method.options.get("steps", 0) for method in methods)
    assert steps >= 300
    # Half of 100 clients take part in each of 60 rounds.
    expected = 100 * 0.5 * 60 * (fits + len(methods) * each + steps * 4 * 10 * 64**2) / 1e9
    assert work.gflops(rule, wildcards) == pytest.approx(expected)


@pytest.mark.parametrize("view", ["drawn", "tuned"])
def test_a_part_of_a_multiverse_is_the_sum_of_its_universes(project, view):
    """A tuned universe runs its candidates besides."""
    work = PlannedWork(Plan(BASE | {"scale": "smoke"}))
    w = {"paper": "fed_react", "setting": "stationary10", "part": "0", "view": view}
    universes = work.plan.multiverse.universes("fed_react", view, "stationary10")

    def total(**changes):
        made = [Universe(**one | changes) for one in universes]
        return sum(work._of_universe(SimpleNamespace(**w), one) for one in made)

    assert work.gflops("multiverse_part", w) == pytest.approx(total())
    assert total() > 0
    assert (total(candidates={}) < total()) == (view == "tuned")


def test_the_number_of_clusters_by_hand(project):
    work = PlannedWork(Plan(BASE | {"scale": "quick"}))
    found = work.gflops(*of_run("run", "n_clusters", "stationary10", "all"))
    gram = sum(2 * m**2 * 320 for m in (16, 32, 64, 128, 256))
    assert found == pytest.approx(10 * 5 * gram / 1e9)


def test_jobs_that_always_take_about_the_same_are_not_counted(work):
    assert work.gflops("make_table", {"table": "table05"}) is None
    assert work.gflops("extract_features", of_encoder("clients10-beta1.5")[1]) is None
    assert work.training("make_table", {"table": "table05"}) is None


def test_train_samples_are_those_of_the_partition_if_it_is_there(work):
    rule, wildcards = of_run("train", "synchronous", "full10", "lstm")
    before = work.gflops(rule, wildcards)
    (file,) = map(Path, work.plan.job(rule, **wildcards).inputs["partition"])
    file.parent.mkdir(parents=True)
    train, test = [np.arange(30), np.arange(60)], [np.array([60]), np.array([61])]
    clusters, none = np.zeros(2, dtype=np.int64), np.zeros((0, 0, 0))
    Partition(clusters, train, test, np.zeros((0, 0), int), none, NOTHING).save(file)
    after = work.gflops(rule, wildcards)
    assert after / before == pytest.approx(2 / 10, rel=0.01)  # two clients with the same budget
    clustered = of_run("run", "clustered", "full10", "all")
    fits = work.gflops(*clustered)
    file.unlink()
    assert fits < work.gflops(*clustered) / 100  # of 30 and 60 samples, not ten times 2,160


def test_clients_whose_samples_only_the_data_tells_are_taken_to_have_a_thousand(work):
    wildcards = {"paper": "fed_react", "dataset": "sumo-ev", "setting": "sumo50", "job": "lstm"}
    wildcards |= {"kind": "synchronous", "seed": "0"}
    run = work.run(SimpleNamespace(**wildcards))
    task = work.plan.datasets.task("sumo-ev")
    expected = runs.part_of("synchronous", "run").work(run.options, run.methods, task, [900] * 50)
    assert work.gflops("train", wildcards) == pytest.approx(expected)


def test_what_is_timed_is_what_the_job_trains(work):
    training, task = work.training(*of_encoder("clients10-beta1.5"))
    assert isinstance(training.objective, ContrastiveLoss)
    assert (training.steps, training.batch_size) == (500, 10)
    assert (task.channels, task.steps, task.outputs) == (3, 100, 10)
    training, task = work.training(*of_run("train", "synchronous", "full10", "patchtst"))
    assert isinstance(training.objective, SupervisedLoss)
    assert training.objective.architecture == PatchTST(in_channels=3, length=100, n_out=10)
    assert (training.batch_size, training.epochs) == (50, 100)
    # Phase 2 takes no gradient steps.
    assert work.training(*of_run("run", "clustered", "stationary10", "all")) is None


# ---- Speed ---------------------------------------------------------------------------------------

DIGITS = Task("classification", 10, 3, 100)


@pytest.mark.parametrize(
    "training",
    [
        LocalTraining(SupervisedLoss(PatchTST(in_channels=3, length=100, n_out=10)), batch_size=50),
        encoding.local_training(EncoderOptions(), 3),
    ],
    ids=["patchtst", "table12"],
)
def test_measured_speeds_are_those_of_a_computer(training):
    gflops_a_second = 1 / calibrate(training, DIGITS)
    assert 0.1 < gflops_a_second < 10_000


@pytest.mark.parametrize(
    "task",
    [
        Task("multi-label", 4, 2, 40),
        Task("regression", 1, 2, 40),
        Task("regression", 3, 2, 40),
    ],
    ids=lambda task: f"{task.kind}-{task.outputs}",
)
def test_trainings_on_any_task_can_be_measured(task):
    model = PatchTST(in_channels=task.channels, length=task.steps, n_out=task.outputs)
    seconds = calibrate(LocalTraining(SupervisedLoss(model, task.kind), batch_size=5), task)
    assert 0 < seconds < 10


def test_a_model_that_does_not_count_its_operations_cannot_be_measured():
    class Uncounted:
        """An encoder of a user's own, without ``multiply_adds``."""

        n_parameters = 1

        def init(self, generator):
            import torch

            return torch.zeros(1)

    training = LocalTraining(ContrastiveLoss(Uncounted()))
    with pytest.raises(UserError, match="cannot be estimated"):
        calibrate(training, DIGITS)


@pytest.mark.parametrize("kind", ["synchronous", "asynchronous"])
def test_the_training_of_each_kind_can_be_timed(kind):
    spec, run = (runs.part_of(kind, part) for part in ("spec", "run"))
    task = Task("classification", 3, 2, 20)
    training = run.local_training(spec.Options(architecture="cnn-small"), task)
    assert calibrate(training, task) > 0
