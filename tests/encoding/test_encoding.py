"""Phase 1: what is trained, what changes nothing about it, and features."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from fedreact import options, plugins
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.encoding.spec import Options, threads
from fedreact.encoding.train import (
    encode,
    gflops_of_features,
    local_training,
    make_encoder,
    settled,
    train,
    work,
)
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.optimizers.adam import Adam
from fedreact.optimizers.dtssgd import DTSSGD
from fedreact.rng import generator

RNG = np.random.default_rng(0)
N, T = 40, 10
SERIES = RNG.normal(size=(N, 2, T)).astype(np.float32)
DATA = SeriesDataset("toy", SERIES, np.full(N, T), RNG.integers(0, 2, N))
TRAIN = [np.arange(0, 12), np.arange(10, 30)]
PARTITION = Partition(
    *(np.array([0, 1]), TRAIN, [np.array([38]), np.array([39])]),
    *(np.zeros((2, 0), np.int64), np.zeros((2, 1, 0)), np.zeros(0, np.int64)),
)
SHORT = Options(rounds=1, steps=2, batch_size=3, negatives=2, learning_rate=0.01)


def trained(given, folder, seed=0, workers=1, data=DATA):
    return train(data, PARTITION, given, seed, "toy", Place("cpu", workers, folder / "c.npz"))


def initial(name="table12", seed=0):
    first = torch.Generator().manual_seed(int(generator(seed, "encoder").integers(2**62)))
    return make_encoder(name, 2).init(first).numpy()


@pytest.mark.parametrize("encoder", plugins.names("models/encoders", "ENCODER"))
def test_no_rounds_give_the_initial_weights(tmp_path, encoder):
    theta, costs = trained(Options(encoder=encoder, rounds=0), tmp_path)
    assert theta.tobytes() == initial(encoder).tobytes()
    assert costs.tolist() == [0, 0, 0]
    assert not list(tmp_path.iterdir())
    other, _ = trained(Options(encoder=encoder, rounds=0), tmp_path, seed=1)
    assert (theta != other).any()


def test_rounds_move_every_weight_to_the_same_bits_on_one_worker_and_on_two(tmp_path):
    one, costs = trained(replace(SHORT, rounds=2), tmp_path / "one")
    two, costs_of_two = trained(replace(SHORT, rounds=2), tmp_path / "two", workers=2)
    assert one.tobytes() == two.tobytes()
    assert (costs == costs_of_two).all()
    assert (one != initial()).mean() > 0.99
    # Two rounds of two steps of three anchors, and what that takes of an encoder's forward passes.
    multiply_adds = local_training(SHORT, 2).objective.multiply_adds(T)
    gflops = 2 * 2 * 3 * 3 * 2 * multiply_adds / 1e9
    # Weights of four bytes, both ways, in two rounds.
    assert costs == pytest.approx([4, gflops, 2 * 2 * 4 * len(one) / 1e6])


def test_operations_for_estimates_are_those_that_are_counted(tmp_path):
    given = replace(SHORT, rounds=2)
    _, (_, gflops, _) = trained(given, tmp_path)
    assert work(given, DATA.task, [12, 20]) == pytest.approx(2 * gflops)
    assert work(Options(rounds=0), DATA.task, [12, 20]) == 0


def test_a_budget_holds_the_features_of_a_clients_samples():
    step = 3 * 6 * local_training(SHORT, 2).objective.multiply_adds(T) / 1e9
    features = 16 * gflops_of_features(make_encoder("table12", 2), T)  # of 12 and 20 samples
    given = replace(SHORT, rounds=2, gflops=features + 10.8 * step)
    assert settled(given, DATA.task, [12, 20]) == replace(SHORT, rounds=2, steps=5)
    half = replace(given, clients_per_round=1)
    assert settled(half, DATA.task, [12, 20]).steps == 11  # a client takes part in half the rounds
    assert settled(replace(given, gflops=features / 2), DATA.task, [12, 20]).steps == 1
    assert settled(replace(given, rounds=0), DATA.task, [12, 20]).gflops == given.gflops
    assert settled(SHORT, DATA.task, [12, 20]) == SHORT


def test_a_budget_takes_no_more_than_what_is_estimated_and_counted(tmp_path):
    given = replace(SHORT, rounds=2, gflops=0.5)
    _, (steps, gflops, _) = trained(given, tmp_path)
    assert steps == 2 * settled(given, DATA.task, [12, 20]).steps > 2
    assert work(given, DATA.task, [12, 20]) == pytest.approx(2 * gflops)


def test_some_clients_of_a_round_are_as_much_work_whoever_else_there_is(tmp_path):
    given = replace(SHORT, rounds=2, clients_per_round=1)
    one, (steps, gflops, megabytes) = trained(given, tmp_path)
    every, of_all = trained(replace(SHORT, rounds=2), tmp_path)
    assert (one != every).any()
    assert [2 * steps, 2 * gflops, 2 * megabytes] == pytest.approx(of_all.tolist())
    assert work(given, DATA.task, [12, 20]) == work(given, DATA.task, [16])
    alike, _ = trained(replace(SHORT, rounds=2, clients_per_round=2), tmp_path)
    assert alike.tobytes() == every.tobytes()


def test_an_encoder_that_does_not_count_its_operations_has_no_budget(monkeypatch):
    monkeypatch.setattr("fedreact.encoding.train.make_encoder", lambda *given: object())
    with pytest.raises(UserError, match="does not count its operations"):
        settled(replace(SHORT, gflops=1.0), DATA.task, [12, 20])


def test_windows_of_recordings_train_as_the_series_that_they_stand_for(tmp_path):
    recording = RNG.normal(size=(N + T, 2)).astype(np.float32)
    windows = Windows(recording, np.arange(N), T)
    written_out = np.ascontiguousarray(windows[np.arange(N)].transpose(0, 2, 1))
    cut, whole = (replace(DATA, X=X) for X in (windows, written_out))
    one, two = (trained(SHORT, tmp_path / d.name / k, data=d)[0] for k, d in
                (("cut", cut), ("whole", whole)))  # fmt: skip
    assert one.tobytes() == two.tobytes()
    encoder = make_encoder("table12", 2)
    assert encode(cut, encoder, one).tobytes() == encode(whole, encoder, two).tobytes()


# --- What changes nothing is the same training

SAME = {
    "without rounds, how they would be": (
        Options(rounds=0),
        Options(rounds=0, steps=7, learning_rate=0.5, negatives=3, optimizer={"kind": "sgd"}),
    ),
    "with a budget, steps": (replace(SHORT, gflops=0.1), replace(SHORT, gflops=0.1, steps=9)),
    "a window of one has no decay": (
        replace(SHORT, optimizer={"kind": "dtssgd"}),
        replace(SHORT, optimizer={"kind": "dtssgd", "window": 1, "decay": 0.5}),
    ),
    "no window is one of one": (
        replace(SHORT, optimizer={"kind": "dtssgd"}),
        replace(SHORT, optimizer={"kind": "dtssgd", "decay": 0.5}),
    ),
    "options in another order": (
        replace(SHORT, optimizer={"kind": "dtssgd", "window": 3, "decay": 0.5}),
        replace(SHORT, optimizer={"decay": 0.5, "kind": "dtssgd", "window": 3}),
    ),
}
OTHER = {
    "another number of rounds": {"rounds": 2},
    "steps": {"steps": 3},
    "batches": {"batch_size": 4},
    "negatives": {"negatives": 3},
    "weighting": {"negative_weighting": "sum"},
    "learning rate": {"learning_rate": 0.02},
    "a budget": {"gflops": 0.05, "steps": 500},
    "some clients of a round": {"clients_per_round": 1},
    "momentum": {"optimizer": {"kind": "sgd", "momentum": 0.5}},
    "dtssgd": {"optimizer": {"kind": "dtssgd"}},
    "window": {"optimizer": {"kind": "dtssgd", "window": 2}},
    "decay": {"optimizer": {"kind": "dtssgd", "window": 2, "decay": 0.5}},
    "encoder": {"encoder": "franceschi"},
}


@pytest.mark.parametrize("which", SAME)
def test_what_changes_nothing_is_the_same_training(tmp_path, which):
    one, other = SAME[which]
    assert one.effective() == other.effective()
    weights = {
        trained(given, tmp_path / str(i))[0].tobytes()
        for i, given in enumerate((one, other, other.effective()))
    }
    assert len(weights) == 1


def test_what_changes_the_training_is_another(tmp_path):
    every = [SHORT, *(replace(SHORT, **change) for change in OTHER.values())]
    found = [given.effective() for given in every]
    assert all(found.count(one) == 1 for one in found)
    # And truly another: to tell by the weights.
    weights = [trained(given, tmp_path / str(i))[0].tobytes() for i, given in enumerate(every)]
    # Two rounds aside, all of them are of one round from the same first weights.
    assert len(set(weights)) == len(weights)
    # What is asked for is what is trained: nothing that matters is left out.
    for given, one in zip(every, found):
        assert one.effective() == one
        assert options.vars_of(one) == options.vars_of(given)


def test_options_of_another_optimizer_are_its_own_affair(tmp_path, monkeypatch):
    """A decay plays a part wherever there is no window: in a user's own optimiser, say."""
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "own/optimizers/mine_decays.py"
    own.parent.mkdir(parents=True)
    own.write_text(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Mine:\n"
        "    decay: float = 1.0\n\n\nOPTIMIZER = Mine\n"
    )
    given = {"kind": "mine-decays", "decay": 0.5}
    assert Options(optimizer=given).effective().optimizer == given
    given = {"kind": "sgd", "momentum": 0.0}  # as it is anyway
    assert Options(optimizer=given).effective().optimizer == {"kind": "sgd"}


# --- The rest


def test_options_reach_the_training():
    given = Options(
        encoder="franceschi",
        steps=7,
        batch_size=3,
        learning_rate=0.5,
        optimizer={"kind": "dtssgd", "window": 3, "decay": 0.25},
        negatives=4,
        negative_weighting="sum",
    )
    training = local_training(given, 2)
    assert (training.steps, training.batch_size, training.learning_rate) == (7, 3, 0.5)
    assert training.optimizer == DTSSGD(3, 0.25)
    assert training.objective.n_negatives == 4
    assert training.objective.negative_weighting == "sum"
    assert training.objective.encoder == make_encoder("franceschi", 2)
    assert local_training(Options(), 2).optimizer == Adam()


def test_features_are_those_of_each_series_by_itself(tmp_path):
    encoder, theta = make_encoder("table12", 2), initial()
    many = replace(
        DATA,
        X=np.tile(SERIES, (4, 1, 1)),  # more than are encoded at once
        lengths=np.full(4 * N, T),
        y=np.tile(DATA.y, 4),
    )
    features = encode(many, encoder, theta)
    assert features.shape == (4 * N, encoder.out_channels)
    assert features.dtype == np.float32
    for i in (0, 5, 127, 128, 159):
        x = torch.from_numpy(many.X[i].T.copy())[None, :, None]
        alone = encoder.encode(torch.from_numpy(theta)[None], x)[0, 0].numpy()
        np.testing.assert_allclose(features[i], alone, rtol=1e-4, atol=1e-5)


def test_weights_of_an_encoder_of_other_series_are_refused():
    with pytest.raises(UserError, match="was trained for other data than toy"):
        encode(DATA, make_encoder("table12", 3), initial())
    with pytest.raises(UserError, match="was trained for other data than toy"):
        encode(DATA, make_encoder("table12", 2), initial()[:-1])


def test_an_unknown_encoder_is_refused():
    with pytest.raises(UserError, match="'nobody' is unknown among models/encoders; known: "):
        make_encoder("nobody", 2)


def test_cores_that_are_worth_asking_for():
    assert threads(Options(), 10) == 10
    assert threads(Options(rounds=0), 10) == 1
    assert threads(Options(rounds=1, steps=10), 10) == 1
    assert threads(Options(rounds=1, steps=250), 10) == 3
    assert threads(Options(rounds=1, steps=250, clients_per_round=5), 10) == 2
    assert threads(Options(gflops=1600.0), 10) == 4
