"""Algorithms on the simulated clock: the contract, for each file; each of the project's by hand."""

import inspect
import pickle
from dataclasses import dataclass, is_dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from helpers import slowly
from small_federation import CLIENTS, NORMED, SUPERVISED, Y, initial, supervised

from fedreact import options, plugins
from fedreact.clients.drifts.detection import QUEUE
from fedreact.clock.clock import Clock, Flight
from fedreact.clock.devices import Devices, Network
from fedreact.compression import polyline
from fedreact.engine.local_training import LocalTraining, Work
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds.asynchronous.algorithms.aso_fed import ASOFed
from fedreact.kinds.asynchronous.algorithms.fedasync import FedAsync
from fedreact.kinds.asynchronous.algorithms.fedat import FedAT
from fedreact.kinds.asynchronous.algorithms.fedcond import FedConD
from fedreact.kinds.asynchronous.algorithms.rounds import Rounds
from fedreact.kinds.asynchronous.algorithms.tifl import TiFL
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.asynchronous.engine import Points, costs, fly, foresee
from fedreact.kinds.asynchronous.run import make_clock as simulated
from fedreact.kinds.asynchronous.spec import Options
from fedreact.kinds.synchronous.algorithms.fedprox import FedProx
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.flat import FlatWeights
from fedreact.optimizers.sgd import SGD
from fedreact.task import Task

FOLDER = ("kinds/asynchronous/algorithms", "ALGORITHM")
ALL = {name: plugins.load(FOLDER[0], name, FOLDER[1]) for name in plugins.names(*FOLDER)}
EACH = pytest.mark.parametrize("name", ALL)
SOME = pytest.mark.parametrize("name", slowly(ALL | dict(zip(ALL, ALL)), "aso-fed", "fedat"))


@pytest.fixture(autouse=True)
def one_thread():
    """As in a run: sums in another order would differ in the last bit."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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
SEVERAL = [*CLIENTS, np.arange(3, 9), np.arange(20, 36)]
TIERS = {"delays": ((0.0, 1.0), (2.0, 5.0)), "redrawn": True}
ARRIVING = {"start": (0.3, 0.6), "growth": (0.05, 0.1), "lost": 0.3, "leaving": 1}
WAYS = {
    "together": {},
    "one-client": {"clients": CLIENTS[:1]},
    "tiers": TIERS,
    "lost-and-leaving": TIERS | ARRIVING,
}
"""In which data arrives, and flights are of several clients, of some of those sent, or of one."""


def prepared(kind, clients=SEVERAL, task=None, of=NORMED, seed=1, trips=6, **network):
    """An algorithm, its clients' work, and a clock, on the small federation."""
    algorithm = kind()
    task = task or next(name for name, task in TASKS.items() if kind.skip(task) is None)
    half = algorithm.client().on(replace(of.objective.architecture, n_out=2))
    job = supervised(half, of, objective=SupervisedLoss(half.model, task))
    clients = [np.concatenate(clients)] if algorithm.pooled else clients
    job = replace(job, y=TARGETS[task], clients=clients, seed=seed)
    gflops = trips * np.mean([costs(job, len(held), 0)[1] for held in clients])
    given = Options(**({"delays": ((0.0, 0.0),), "gflops": float(gflops)} | network))
    return algorithm, job, given


def flown(algorithm, job, given, folder, workers=1):
    """What the two halves keep, and the weights that clients are tested with, at some times."""
    ended, _ = foresee(job, algorithm, simulated(algorithm, job, given), given.gflops, None)
    assert len(ended) > 2
    found = []

    def score(engine, server, state):
        own = algorithm.personal(job.algorithm, server, state)
        kept = {f"server {n}": v for n, v in server.items()} | {"own": own}
        kept |= {f"state {n}": v for n, v in state.items()}
        found.append({n: np.array(v) for n, v in kept.items()})
        return [0.0]

    place, scored = Place("cpu", workers, folder / "checkpoint.npz"), [len(ended) // 2, len(ended)]
    flying = simulated(algorithm, job, given)
    fly(job, algorithm, flying, initial(job), ended, Points(scored, score), "it", place)
    return found


def bits(given):
    """Bytes of all arrays in what a call is given."""
    if isinstance(given, np.ndarray | np.generic | torch.Tensor):
        return str(given.dtype), tuple(given.shape), np.asarray(given).tobytes()
    if isinstance(given, dict):
        return {name: bits(value) for name, value in given.items()}
    if isinstance(given, list | tuple):
        return [bits(value) for value in given]
    if isinstance(given, Flight):
        return bits(vars(given))
    if isinstance(given, Clock):  # whose other parts change as it sends off
        return bits(given.held)
    return bits([given.data.X, given.data.y, given.clients]) if isinstance(given, Work) else None


class Watched:
    """One of the halves, each of whose calls must leave what it is given as it is.

    What a flight was sent must be the same when its updates come, whatever has come in between.
    """

    def __init__(self, made):
        self._made, self._sent, self.flights = made, {}, []

    def __repr__(self):
        return repr(self._made)

    def __getattr__(self, name):
        value = getattr(self._made, name)
        if not inspect.isroutine(value):
            return value

        def call(*given):
            before = bits(given)
            if name == "arrived":
                assert bits(given[3]) == self._sent[given[4].number], "what was sent has changed"
                self.flights.append(len(given[4].clients))
            found = value(*given)
            assert bits(given) == before, f"{name} changes what it is given"
            if name == "sent" and len(given) == 3:  # by the server's half
                theta, _ = self._made.coded(found["theta"].copy())
                self._sent[given[2].number] = bits(found | {"theta": theta})
            return found

        return call


# --- Contract


def test_all_files_are_found():
    assert {
        "fedasync",
        "aso-fed",
        "fedcond",
        "fedat",
        "tifl",
        "rounds",
        "local-s",
        "pooled",
    } <= set(ALL)
    assert "contract" not in ALL


@pytest.mark.parametrize("way", WAYS)
@SOME
def test_nothing_is_changed_in_place_and_all_has_the_shapes_that_it_should(name, way, tmp_path):
    algorithm, job, given = prepared(ALL[name], **WAYS[way])
    K, P = len(job.clients), len(initial(job))
    server = algorithm.server(job.algorithm, initial(job), K)
    (S,) = server["theta"].shape
    assert server["theta"].dtype == np.float32
    state = job.algorithm.start(initial(job), K)
    watched = Watched(algorithm)
    found = flown(watched, replace(job, algorithm=Watched(job.algorithm)), given, tmp_path)
    for kept in found:
        assert kept["server theta"].shape == (S,)
        assert kept["server theta"].dtype == np.float32
        assert np.isfinite(kept["server theta"]).all()
        assert kept["own"].shape in ((1, P), (K, P))
        assert kept["own"].dtype == np.float32
        assert np.isfinite(kept["own"]).all()
        for of_client, values in state.items():
            now = kept[f"state {of_client}"]
            assert (now.shape, now.dtype) == (values.shape, values.dtype)
            assert len(now) == K
    assert bits(found[0]["own"]) != bits(found[1]["own"])
    assert watched.flights
    if way == "one-client":
        assert set(watched.flights) == {1}


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["rounds", "fedat", "tifl"])
def test_the_ways_above_have_flights_of_several_and_of_one(name, tmp_path):
    algorithm, job, given = prepared(ALL[name], **WAYS["lost-and-leaving"], trips=20)
    if name == "rounds":
        algorithm = replace(algorithm, clients=3)
    watched = Watched(algorithm)
    flown(watched, job, given, tmp_path)
    assert {1, 2} <= set(watched.flights)


@pytest.mark.parametrize("name", slowly(dict(zip(ALL, ALL)), "aso-fed", "fedat"))
def test_workers_change_no_bit(name, tmp_path):
    one, two = (
        flown(*prepared(ALL[name], **WAYS["lost-and-leaving"]), tmp_path / str(n), workers=n)
        for n in (1, 2)
    )
    assert bits(one) == bits(two)


@SOME
def test_the_seed_keys_everything(name, tmp_path):
    def once(folder, of_process, seed=1):
        torch.manual_seed(of_process)
        np.random.seed(of_process)  # noqa: NPY002
        made = prepared(ALL[name], **WAYS["tiers"], seed=seed)
        return bits(flown(*made, tmp_path / folder))

    first = once("first", 0)
    assert once("again", 1) == first  # whatever else has drawn numbers in this process
    assert once("other", 0, seed=2) != first


@SOME
def test_it_says_before_which_tasks_it_cannot_run_on_and_runs_on_the_others(name, tmp_path):
    kind = ALL[name]
    assert isinstance(inspect.getattr_static(kind, "skip"), staticmethod)
    reasons = {of: kind.skip(task) for of, task in TASKS.items()}
    assert None in reasons.values()
    for of, why in reasons.items():
        assert runs.skipped("asynchronous", name, TASKS[of]) == why
        if why is not None:
            assert isinstance(why, str)
            assert why
            continue
        found = flown(*prepared(kind, task=of, of=SUPERVISED), tmp_path / of)
        assert np.isfinite(found[-1]["own"]).all()


@EACH
def test_options_are_fields_of_a_frozen_dataclass(name):
    kind = ALL[name]
    assert issubclass(kind, Algorithm)
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    made, helps = kind(), options.help_of(kind)
    assert pickle.loads(pickle.dumps(made)) == made
    for option, default in options.defaults(kind).items():
        assert helps.get(option), f"{option} has no help text"
        assert getattr(made, option) == default
        assert f"{option}=" in repr(made)  # which is part of a checkpoint's fingerprint
        method = runs.method("asynchronous", name, {option: default}, "here")
        assert method.options == {option: default}
    assert sorted(options.defaults(kind)) == sorted(options.names(kind)), "options need defaults"
    with pytest.raises(UserError, match="unknown option nonsense"):
        runs.method("asynchronous", name, {"nonsense": 1}, "here")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("fedasync", {"alpha": 0}),
        ("fedasync", {"staleness": "hinge"}),
        ("aso-fed", {"beta": 1.5}),
        ("aso-fed", {"features": "all"}),
        ("fedcond", {"gamma": 0}),
        ("fedcond", {"factor": 0}),
        ("fedat", {"precision": -1}),
        ("fedat", {"clients": 0}),
        ("tifl", {"interval": 0}),
        ("rounds", {"share": 2}),
    ],
)
def test_options_without_sense_are_refused_before_anything_runs(name, wrong):
    with pytest.raises(UserError, match=next(iter(wrong))):
        runs.method("asynchronous", name, wrong, "here")


# --- By hand: what is given to the two halves


def flight(client=0, held=10, number=0, tier=0, waited=np.nan):
    """One of a single client, or of several."""
    clients = np.atleast_1d(client)
    held, waited = np.atleast_1d(held), np.full(len(clients), waited)
    none = np.zeros(len(clients), np.int64)
    return Flight(number, clients, clients, none, held, waited, none, 0.0, 1.0, tier)


def clock(held=(10, 10), tiers=1):
    """What the server's half asks a clock for."""
    network = Network(delays=tuple((float(i), float(i)) for i in range(tiers)))
    devices = SimpleNamespace(network=network, seed=0, part=np.arange(len(held)) % tiers)
    return SimpleNamespace(held=np.array(held), devices=devices)


def of(*values, dtype=np.float32):
    return np.array(values, dtype)


@dataclass(frozen=True)
class Quadratic:
    """A client minimises |w - a|^2 / 2, where a is the number of its first sample."""

    whole_epochs = True
    n_buffers = 0

    def draw(self, rng, series, length, batch_size, steps):
        return float(series[0])

    def value(self, theta, data, draws, step, which):
        return (theta - torch.tensor(draws)[:, None]).square().sum(1) / 2, None


def trained(half, sent, state, clients=(1,), **changes):
    """Uploads and states of clients of a :class:`Quadratic`, at rate .1 and 3 steps."""
    given = {"steps": 3, "optimizer": SGD(), "learning_rate": 0.1} | changes
    training = LocalTraining(Quadratic(), **given)
    sent, state = (
        {n: torch.as_tensor(np.array(v)) for n, v in arrays.items()} for arrays in (sent, state)
    )
    held = [np.full(n, a) for a, n in (c if isinstance(c, tuple) else (c, 1) for c in clients)]
    work = Work(Data(torch.zeros(1, 1, 1)), held, lambda purpose: [None] * len(held))
    uploads, state = half.local(training, sent, state, work)
    return tuple({n: v.numpy() for n, v in part.items()} for part in (uploads, state))


def near(found, *expected):
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-5, atol=1e-7)


# --- ASO-Fed

MEMORY = {
    # zeta = -1, -.7 + 1 - .9, -.52 + .7 - .72
    "equations": ([0.2, 0.32, 0.428], -0.52, -0.72),
    # zeta = -1, -.7 + 1 + 0, -.79 + .7 - .9
    "algorithm": ([0.2, 0.14, 0.338], -0.79, -0.72),
}
"""Weights after each of three steps from 0 at rate .2 to a = 1, with lambda .5 and beta .1, worked
by hand: the gradient of s is (w - 1) + .5 (w - 0). Then that gradient, and h."""


@pytest.mark.parametrize("order", MEMORY)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_aso_feds_steps_by_hand(order, steps):
    """Eqs. 5.7 to 5.11, and lines 11 to 16 of Algorithm 3, which use h before it is renewed."""
    half = ASOFed(lam=0.5, beta=0.1, order=order).client()
    weights, before, h = MEMORY[order]
    sent = {"theta": of(0.0), "rate": np.array(2.0)}
    uploads, state = trained(half, sent, half.start(of(0.0), 1), steps=steps)
    near(uploads["theta"], weights[steps - 1])
    if steps == 3:
        near(state["before"], before)
        near(state["h"], h)


@pytest.mark.parametrize(
    ("order", "weight", "h"),
    # g = -.6, h = .1 * -.72 + .9 * v; zeta = -.6 + .52 - .54 or -.6 + .79 - .72.
    [("equations", 0.4 + 0.2 * 0.62, -0.54), ("algorithm", 0.4 + 0.2 * 0.53, -0.783)],
)
def test_aso_fed_remembers_gradients_from_trip_to_trip(order, weight, h):
    half = ASOFed(lam=0.5, beta=0.1, order=order).client()
    _, before, older = MEMORY[order]
    state = {"before": of([before]), "h": of([older])}
    sent = {"theta": of(0.4), "rate": np.array(2.0)}
    uploads, state = trained(half, sent, state, steps=1)
    near(uploads["theta"], weight)
    near(state["before"], -0.6)
    near(state["h"], h)


def test_without_decay_aso_fed_by_its_equations_is_a_plain_descent():
    """With beta = 0 zeta is the gradient of s; by the algorithm's lines it is not."""
    sent = {"theta": of(0.0), "rate": np.array(1.0)}
    plain, _ = trained(FedProx(mu=0.5), {"theta": of(0.0)}, {})
    for order, same in (("equations", True), ("algorithm", False)):
        half = ASOFed(lam=0.5, beta=0.0, order=order).client()
        uploads, _ = trained(half, sent, half.start(of(0.0), 1))
        assert np.allclose(uploads["theta"], plain["theta"], rtol=1e-6) == same


@pytest.mark.parametrize("order", MEMORY)
def test_aso_feds_clients_do_the_same_beside_others(order):
    """Those with fewer steps keep weights and memory while others go on."""
    half = ASOFed(lam=0.5, beta=0.1, order=order).client()
    sent = {"theta": of(0.0), "rate": np.array(1.0)}
    given = {"steps": None, "epochs": 2, "batch_size": 2}
    clients = [(1, 2), (3, 8)]
    both = trained(half, sent, half.start(of(0.0), 2), clients, **given)
    for k in range(2):
        alone = trained(half, sent, half.start(of(0.0), 1), clients[k : k + 1], **given)
        for part, own in zip(both, alone):
            for name, values in own.items():
                assert values[0].tobytes() == part[name][k].tobytes()


def test_the_server_of_aso_fed_weighs_by_what_has_arrived_by_now():
    """Eq. 5.4: of 80 samples now there, 30 are the client's; it began from another model."""
    algorithm = ASOFed(features="none")
    server, sent = {"theta": of(2.0)}, {"theta": of(1.5), "rate": np.array(1.0)}
    given = server, {"theta": of([1.1])}, sent, flight(1, 30), clock([10, 30, 40])
    near(algorithm.arrived(None, *given)["theta"], 2 - 30 / 80 * 0.4)


@pytest.mark.parametrize(
    ("waited", "rate"), [(np.nan, 1.0), (0.5, 1.0), (2.0, 1.0), (np.e**2, 2.0), (100.0, 4.60517)]
)
def test_aso_feds_clients_that_take_long_have_a_higher_rate(waited, rate):
    """Eq. 5.11: max(1, log of the mean seconds so far), natural; 1 in the first trip."""
    of_flight = flight(waited=waited)
    given = SimpleNamespace(model=None), {"theta": of(0.0)}, of_flight
    near(ASOFed(features="none").sent(*given)["rate"], rate)
    near(ASOFed(features="none", dynamic=False).sent(*given)["rate"], 1.0)


@dataclass(frozen=True)
class OneMatrix(FlatWeights):
    """A first layer behind a bias, and a second one."""

    rows: int = 2
    columns: int = 2

    @property
    def shapes(self):
        return {"bias": (2,), "first": (self.rows, self.columns), "second": (2, 2)}


def test_attention_by_hand():
    """Eqs. 5.5 and 5.6: rows (log 3, 0) and (-log 2, log 2) have weights (3, 1) / 4 and 1 / 2."""
    rest, a, b = [5.0, 6.0], np.log(3), np.log(2)
    theta = of(*rest, a, 0.0, -b, b, 7.0, 8.0, 9.0, 10.0)
    model = OneMatrix()
    for features, factor in (("literal", 1.0), ("scaled", 2.0)):
        found = ASOFed(features=features).attended(model, theta)
        near(found[2:6], factor * 3 / 4 * a, 0.0, -factor / 2 * b, factor / 2 * b)
        assert found[:2].tolist() == theta[:2].tolist()
        assert found[6:].tolist() == theta[6:].tolist()
        assert found.dtype == np.float32


def test_attention_acts_on_a_convolution_by_its_filters():
    """A filter's weights are a row, over channels and steps."""

    @dataclass(frozen=True)
    class Filters(FlatWeights):
        shapes = {"first": (2, 3, 4)}  # noqa: RUF012

    theta = np.random.default_rng(0).normal(size=24).astype(np.float32)
    found = ASOFed(features="scaled").attended(Filters(), theta)
    size = np.exp(np.abs(theta.reshape(2, 12).astype(float)))
    near(found, *(12 * size / size.sum(1, keepdims=True) * theta.reshape(2, 12)).ravel())


def repeated(features, times, rows=12, columns=256):
    """Norms of the first layer after each of some updates that change nothing themselves."""
    model, algorithm = OneMatrix(rows, columns), ASOFed(features=features)
    theta = np.random.default_rng(0).uniform(-1, 1, model.n_parameters).astype(np.float32) / 8
    at, server, norms, seen = model.part("first").numpy(), {"theta": theta}, [], []
    half = SimpleNamespace(model=model)
    for _ in range(times):
        sent = algorithm.sent(half, server, flight())
        seen.append(sent["theta"])
        given = {"theta": sent["theta"][None]}, sent, flight(), clock()
        server = algorithm.arrived(half, server, *given)
        norms.append(np.linalg.norm(server["theta"][at]))
    return norms, theta, server["theta"], seen


def test_as_printed_attention_erases_the_first_layer():
    """Each update divides it by about the 256 weights of a row."""
    norms, *_ = repeated("literal", 3)
    assert norms == pytest.approx([1.6e-2, 6.3e-5, 2.5e-7], rel=0.05)


def test_scaled_attention_makes_what_is_large_grow_without_bound():
    norms, *_ = repeated("scaled", 25, 4, 8)
    assert (np.diff(norms) > 0).all()
    assert norms[-1] > 100 * norms[0]
    # In the end a row is one weight, which each update multiplies by the length of the row.
    algorithm, theta = ASOFed(features="scaled"), of(0, 0, 30, 1, 1, 30, 0, 0, 0, 0)
    grown = [theta := algorithm.attended(OneMatrix(), theta) for _ in range(3)]
    near([each[2] for each in grown], 60, 120, 240)


def test_attention_of_what_is_sent_does_not_compound():
    """The server's model stays, and each client is sent the same; it is tested with that, too."""
    norms, first, last, seen = repeated("sent", 50)
    assert len(set(norms)) == 1
    assert last.tobytes() == first.tobytes()
    assert {theta.tobytes() for theta in seen} == {seen[0].tobytes()}
    algorithm, half = ASOFed(), SimpleNamespace(model=OneMatrix(12, 256))
    assert algorithm.personal(half, {"theta": last}, {}).tobytes() == seen[0].tobytes()
    assert (seen[0] != first).any()


def test_attention_finds_the_first_layer_of_every_architecture():
    for name in plugins.names("models/architectures", "ARCHITECTURE"):
        kind = plugins.load("models/architectures", name, "ARCHITECTURE")
        try:
            model = kind(in_channels=3, length=100, n_out=4)
        except UserError:  # it is for images
            model = kind(in_channels=28, length=28, n_out=10)
        theta = model.init(torch.Generator().manual_seed(0)).numpy()
        found = ASOFed(features="literal").attended(model, theta)
        first = next(n for n, shape in model.shapes.items() if len(shape) > 1)
        weights = {n: w[0] for n, w in model.unpack(torch.from_numpy(theta)[None]).items()}
        after = {n: w[0] for n, w in model.unpack(torch.from_numpy(found)[None]).items()}
        assert [n for n in weights if not torch.equal(weights[n], after[n])] == [first]


# --- FedAsync


def mixed(algorithm, updates, stamp):
    """From 1, by an update that says 2."""
    server = {"theta": of(1.0), "updates": np.array(updates)}
    sent = {"theta": of(9.0), "updates": np.array(stamp)}
    return algorithm.arrived(None, server, {"theta": of([2.0])}, sent, flight(), clock())


def test_fedasync_mixes_by_hand():
    after = mixed(FedAsync(alpha=0.6), 7, 2)
    near(after["theta"], 0.4 * 1 + 0.6 * 2)
    assert after["updates"] == 8


@pytest.mark.parametrize(("stale", "weight"), [(0, 0.6), (3, 0.3), (8, 0.2)])
def test_what_is_stale_weighs_less(stale, weight):
    """Polynomial: .6 (t - tau + 1)^-.5."""
    algorithm = FedAsync(alpha=0.6, staleness="polynomial", a=0.5)
    near(mixed(algorithm, 10, 10 - stale)["theta"], 1 + weight)


def test_fedasync_counts_updates_and_not_flights():
    """A flight whose update is lost ends, but makes no model staler."""
    algorithm, half = FedAsync(alpha=0.5, staleness="polynomial"), FedProx()
    server = algorithm.server(half, of(1.0), 2)
    late = flight(number=10)
    sent = algorithm.sent(half, server, late)
    after = algorithm.arrived(half, server, {"theta": of([2.0])}, sent, late, clock())
    near(after["theta"], 1.5)


def test_fedasyncs_clients_are_pulled_to_what_they_received():
    # (w - 1) + rho (w - 0), from 0 at rate .1: .1, then .1 + .1 (.9 - .05).
    uploads, _ = trained(FedAsync(rho=0.5).client(), {"theta": of(0.0)}, {}, steps=2)
    near(uploads["theta"], 0.185)


# --- FedConD

SIGN = np.repeat(np.where(np.arange(40) % 2, 1.0, -1.0), 20).reshape(40, 20)
SIGNS = np.stack([SIGN, 0 * SIGN, 0 * SIGN], 2).astype(np.float32)
READS_SIGN = of(-1.0, 1.0, 0.0, 0.0, 0.0, 0.0)
"""Weights of the linear model that are right where a sample's label is its sign."""


def watch(half, wrong=0, held=40, seen=0, state=None):
    """A trip of a client; of the samples that it has not seen the first few are wrong."""
    y = np.arange(40) % 2
    y[seen : seen + wrong] = 1 - y[seen : seen + wrong]
    job = supervised(half, steps=3, optimizer=SGD(), learning_rate=0.5)
    job = replace(job, X=SIGNS, y=y)
    state = half.start(READS_SIGN, 1) if state is None else state
    state = {n: torch.from_numpy(v.copy()) for n, v in state.items()}
    state["seen"][:] = seen
    work = job.work(job.data(lambda t: t), [0], [np.arange(held)], 1, lambda losses: None)
    uploads, kept = half.local(job.training, {"theta": torch.from_numpy(READS_SIGN)}, state, work)
    assert set(uploads) == {"theta"}
    pulled = [FedProx(mu=mu) for mu in (0.25, 0.5, 1.0, 2.0)]
    given = {"theta": torch.from_numpy(READS_SIGN)}, {}, work
    by = {p.mu: p.local(job.training, *given)[0]["theta"] for p in pulled}
    (mu,) = [mu for mu, theta in by.items() if torch.equal(theta, uploads["theta"])]
    return mu, float(kept["drifts"][0]), {n: v.numpy() for n, v in kept.items()}


def remembering(half, score=0.9):
    """A client with 20 scores of 50 samples each."""
    state = half.start(READS_SIGN, 1)
    state["scores"][:], state["counts"][:] = score, 50
    return state


def test_fedconds_clients_test_what_is_new_before_they_train():
    half = FedConD(lam=0.5).client()
    mu, drifts, state = watch(half, wrong=5, seen=20)
    assert (mu, drifts) == (0.5, 0)  # no test before there are two scores
    assert state["scores"][0, -1] == 0.75
    assert state["counts"][0, -1] == 20
    assert np.isnan(state["scores"][0, :-1]).all()
    assert (state["seen"], state["tests"]) == ([40], [0])
    state["scores"][0, -2], state["counts"][0, -2] = 0.75, 20
    assert watch(half, wrong=5, seen=20, state=state)[2]["tests"] == [1]


def test_what_a_client_has_at_first_did_not_arrive():
    """A score of the untrained model, of more samples than any later one, would hide each fall."""
    half = FedConD(lam=0.5).client()
    mu, _, state = watch(half, wrong=20, held=30, seen=0)
    assert (mu, state["seen"], state["tests"]) == (0.5, [30], [0])
    assert np.isnan(state["scores"]).all()


def test_lambda_is_doubled_where_drift_is_found_and_else_what_it_was():
    """Also where it is found in trips on end: a lambda that went on doubling would diverge."""
    half = FedConD(lam=0.5).client()
    mu, drifts, state = watch(half, wrong=20, seen=20, state=remembering(half))
    assert (mu, drifts) == (1.0, 1)
    state["seen"][:] = 20
    mu, drifts, state = watch(half, wrong=20, seen=20, state=state)
    assert (mu, drifts) == (1.0, 2)
    mu, drifts, _ = watch(half, wrong=2, seen=20, state=remembering(half))
    assert (mu, drifts) == (0.5, 0)


def test_without_new_samples_there_is_no_test():
    half = FedConD(lam=0.5).client()
    mu, drifts, state = watch(half, wrong=0, seen=40, state=remembering(half))
    assert (mu, drifts, state["tests"]) == (0.5, 0, [0])
    assert (state["scores"] == np.float32(0.9)).all()


def test_what_never_tests_scores_nothing():
    half = FedConD(lam=0.5, test="never").client()
    _, _, state = watch(half, wrong=20, seen=20, state=remembering(half))
    assert (state["scores"] == np.float32(0.9)).all()
    assert (state["tests"], state["seen"]) == ([0], [40])


@pytest.mark.parametrize(
    ("changes", "mu"),
    [
        ({"factor": 0.5}, 0.25),
        ({"test": "never"}, 0.5),
        ({"test": "printed"}, 0.5),
        ({"delta": 0.95}, 0.5),
        ({"level": 0.0}, 0.5),
    ],
)
def test_options_of_fedconds_test(changes, mu):
    """A fall from .9 to 0, on 20 samples; as printed it is not seen."""
    half = FedConD(lam=0.5, **changes).client()
    assert watch(half, wrong=20, seen=20, state=remembering(half))[0] == mu


def test_the_queue_holds_the_last_20_scores():
    half, state = FedConD(level=0.0).client(), None
    for i in range(QUEUE + 3):
        _, _, state = watch(half, wrong=i % 2, held=i + 2, seen=i + 1, state=state)
    assert state["scores"][0].tolist() == [1 - i % 2 for i in range(3, QUEUE + 3)]
    assert state["counts"][0].tolist() == [1] * QUEUE


def test_the_server_of_fedcond_by_hand():
    """Eq. 6.5."""
    server, sent, uploads = {"theta": of(2.0)}, {"theta": of(1.5)}, {"theta": of([1.1])}
    given = server, uploads, sent, flight(1, 30), clock([10, 30, 40])
    near(FedConD().arrived(None, *given)["theta"], 2 - 30 / 80 * 0.4)


def test_fedcond_tells_how_often_it_finds_drift():
    """Of clients that drift 3 of 10 tests; of the others 1 of 8."""
    state = {"tests": of(4.0, 6.0, 8.0, 0.0), "drifts": of(3.0, 0.0, 1.0, 0.0)}
    found = FedConD().record(state, np.array([True, True, False, False]))
    expected = {"drift_tests": 4.5, "true_alarms": 0.3, "false_alarms": 0.125}
    assert found == pytest.approx(expected)
    nobody = FedConD().record(state, np.zeros(4, bool))
    assert np.isnan(nobody["true_alarms"])
    assert nobody["false_alarms"] == pytest.approx(4 / 18)


def test_what_is_tested_before_training_costs_a_forward_pass_of_each_sample():
    """Three passes of what is trained on, 2 steps of 5; FedConD's clients test what is new."""
    for algorithm, held, new, passes in (
        (FedAsync(), 40, 7, 30),
        (FedConD(), 40, 7, 30 + 7),
        (FedConD(test="never"), 40, 7, 30),
        (TiFL(), 40, 7, 30 + 10),
        (TiFL(), 8, 0, 30 + 8),
    ):
        job = supervised(algorithm.client(), steps=2, batch_size=5)
        forward = 2 * job.training.objective.multiply_adds(job.X.shape[1]) / 1e9
        drawn = 3 * job.training.n_drawn(held)
        steps, gflops = costs(job, held, new)
        assert (steps, gflops) == (2, pytest.approx((drawn + passes - 30) * forward))


@pytest.mark.parametrize(("K", "n"), [(5, 1), (9, 2), (20, 4), (30, 6)])
def test_a_share_of_the_devices_trains_at_a_time(K, n):
    made = Clock(Devices(Network(), [1] * K, max, 0))
    FedConD(gamma=0.2).begin(made)
    assert [len(f.all) for f in made.under_way] == [1] * n


# --- FedAT


def test_tiers_weigh_by_the_counts_of_their_opposites():
    """Eq. 7.1."""
    near(FedAT().shares(np.array([4, 2, 1])), 1 / 7, 2 / 7, 4 / 7)
    near(FedAT(weights="equal").shares(np.array([4, 2, 1])), 1 / 3, 1 / 3, 1 / 3)
    waiting = FedAT(weights="waiting")
    near(waiting.shares(np.array([4, 0, 0])), 1, 0, 0)
    near(waiting.shares(np.array([4, 1, 0])), 1 / 2, 1 / 2, 0)
    near(waiting.shares(np.array([4, 2, 1])), 1 / 7, 2 / 7, 4 / 7)


def answers(algorithm, tiers, M=2, w=(1.0,)):
    """The server's models after tiers have answered: the i-th, from 1, with i and 3 i."""
    server, found = algorithm.server(None, of(*w), 4), []
    for i, tier in enumerate(tiers, start=1):
        uploads = {"theta": of([i] * len(w), [3 * i] * len(w))}
        of_two = flight([0, 1], [30, 10], tier=tier)
        given = uploads, {}, of_two, clock([30, 10], M)
        server = algorithm.arrived(None, server, *given)
        found.append(server["theta"])
    return found, server


def test_fedat_by_hand():
    """Eq. 7.2: (3 i + 3 i) / 4 = 1.5 i of a tier; 7.1: counts 1, 2 and then 2, 2."""
    found, server = answers(FedAT(), [0, 1, 1, 0])
    near(found[1], (1.5 + 3.0) / 2)
    near(found[2], 2 / 3 * 1.5 + 1 / 3 * 4.5)
    near(found[3], (6.0 + 4.5) / 2)
    near(server["tiers"], 6.0, 4.5)
    assert server["updates"].tolist() == [2, 2]


def test_as_printed_nothing_moves_until_a_tier_and_its_opposite_have_answered():
    """Exactly w0: what has weight is the model of a tier that has not answered."""
    w = (0.1, 1 / 3, 1e-8)
    for M, order, first in (
        (2, [0, 0, 0, 0, 1], 4),
        (3, [0, 0, 1, 2], 2),
        (4, [0, 1, 0, 2, 3], 3),
        (5, [0, 0, 1, 0, 1, 2, 3, 4], 5),
    ):
        found, _ = answers(FedAT(), order, M, w)
        still = [theta.tobytes() == of(*w).tobytes() for theta in found]
        assert still == [i < first for i in range(len(order))]
        assert order[first] == M // 2  # tier M // 2 + 1, counted from 1
        waiting, _ = answers(FedAT(weights="waiting"), order, M, w)
        near(waiting[0], 1.5, 1.5, 1.5)


def test_the_fastest_tier_weighs_nothing_until_the_slowest_has_answered():
    algorithm = FedAT()
    assert algorithm.shares(np.array([9, 5, 3, 1, 0]))[0] == 0
    assert algorithm.shares(np.array([9, 5, 3, 1, 1]))[0] == 1 / 19


def test_fedats_models_travel_as_polylines():
    theta = np.random.default_rng(0).normal(0, 0.05, 1000).astype(np.float32)
    arrived, size = FedAT(precision=4).coded(theta)
    assert size == len(polyline.encode(theta, 4)) < theta.nbytes / 1.7
    assert np.abs(arrived - theta).max() <= 0.5001e-4
    as_they_are, size = FedAT(precision=None).coded(theta)
    assert as_they_are is theta
    assert size == theta.nbytes


def test_fedats_clients_are_pulled_to_what_they_received():
    assert FedAT(lam=0.4).client() == FedProx(mu=0.4)


# --- TiFL


def test_tifls_shares_fall_from_the_worst_tier_to_the_best():
    found = TiFL.shares(of(0.5, 0.9, 0.1, 0.7, np.nan))
    near(found, 3 / 15, 1 / 15, 4 / 15, 2 / 15, 5 / 15)
    assert found.sum() == pytest.approx(1)
    near(TiFL.shares(of(0.3)), 1.0)


def told(algorithm, *reports, M=3):
    """What the server keeps after rounds of tiers that report scores."""
    server, found = algorithm.server(None, of(0.0), 6), []
    for number, (tier, score) in enumerate(reports):
        uploads = {"theta": of([1.0], [4.0]), "score": of(score, score + 0.03)}
        of_two = flight([0, 1], [20, 10], number, tier)
        server = algorithm.arrived(None, server, uploads, {}, of_two, clock([20, 10], M))
        found.append(server)
    return found


def test_tifl_looks_at_its_shares_again_where_a_tier_has_not_become_better():
    """Algorithm 2 there: after the interval, if the tier of the round is no better than before."""
    worse = told(TiFL(interval=2), (0, 0.5), (0, 0.4))
    near(worse[0]["shares"], 1 / 3, 1 / 3, 1 / 3)
    near(worse[0]["scores"][0, 0], 0.51)  # weighted by samples
    near(worse[1]["shares"], 1 / 6, 3 / 6, 2 / 6)  # unknown ones are the worst
    better = told(TiFL(interval=2), (0, 0.5), (0, 0.6))
    near(better[1]["shares"], 1 / 3, 1 / 3, 1 / 3)
    later = told(TiFL(interval=2), (0, 0.5), (1, 0.2), (2, 0.9), (0, 0.5))
    near(later[1]["shares"], 1 / 6, 2 / 6, 3 / 6)
    near(later[3]["shares"], 2 / 6, 3 / 6, 1 / 6)
    near(later[3]["theta"], 2.0)


def test_tifl_draws_tiers_by_their_shares():
    """Over many rounds of three tiers, of which the first is good and the last is bad."""
    reports = [(i % 3, (0.9, 0.5, 0.1)[i % 3]) for i in range(600)]
    chosen = told(TiFL(interval=3), *reports)[-1]["chosen"]
    assert chosen[0] == -1
    counts = np.bincount(chosen[10:], minlength=3) / len(chosen[10:])
    assert counts == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=0.06)


def test_the_next_round_of_tifl_is_of_the_tier_that_was_drawn():
    devices = Devices(Network(delays=((0.0, 0.0),) * 3), [1] * 9, max, 0)
    made, algorithm = Clock(devices), TiFL(clients=2)
    algorithm.begin(made)
    first = made.next()
    for wanted in (0, 1, 2):
        server = {"chosen": np.full(first.number + 2, -1)}
        server["chosen"][-1] = wanted
        algorithm.proceed(made, first, server)
        first = made.next()
        assert first.tier == wanted
        assert len(first.all) == 2
        assert (devices.part[first.all] == wanted).all()


def job_generators(seed):
    return lambda purpose: [np.random.default_rng([seed, k]) for k in range(2)]


def test_tifls_clients_report_how_good_the_model_was_and_train_as_fedavgs():
    half = TiFL().client()
    job = replace(supervised(half, steps=2, optimizer=SGD()), X=SIGNS, y=np.arange(40) % 2)
    job.y[:10] = 1 - job.y[:10]
    work = job.work(
        job.data(lambda t: t), [0, 1], [np.arange(20), np.arange(20, 40)], 1, lambda _: 0
    )
    sent = {"theta": torch.from_numpy(READS_SIGN)}
    uploads, state = half.local(replace(job.training, steps=4), sent, {}, work)
    near(uploads["score"], 0.5, 1.0)  # of all 20 samples of each, since 4 steps see as many
    assert state == {}
    uploads, _ = half.local(job.training, sent, {}, work)
    plain, _ = FedProx(mu=0.0).local(job.training, sent, {}, work)
    assert torch.equal(uploads["theta"], plain["theta"])
    scores = {
        float(half.local(job.training, sent, {}, of_round)[0]["score"][0])
        for of_round in (replace(work, generators=job_generators(seed)) for seed in range(20))
    }
    assert len(scores) > 2  # a part of the samples, drawn anew in each round


# --- Rounds


def test_rounds_have_the_halves_of_a_synchronous_algorithm():
    assert Rounds(of="fedprox", options={"mu": 0.3}).client() == FedProx(mu=0.3)
    with pytest.raises(UserError, match="fedprox has no option lam"):
        Rounds(of="fedprox", options={"lam": 0.3}).client()


@pytest.mark.parametrize(
    ("how", "n"), [({"share": 0.2}, 2), ({"share": 0.21}, 3), ({"clients": 7}, 7)]
)
def test_rounds_take_a_share_or_a_number(how, n):
    made = Clock(Devices(Network(), [1] * 10, max, 0))
    Rounds(**how).begin(made)
    (first,) = made.under_way
    assert len(first.all) == n
    assert (np.diff(first.all) > 0).all()


@pytest.mark.parametrize(("silent", "n"), [(0.5, 2), (0.9, 1)])
def test_a_share_is_one_of_all_clients_also_where_some_never_answer(silent, n):
    made = Clock(Devices(Network(silent=silent), [1] * 10, max, 0))
    Rounds(share=0.2).begin(made)
    (first,) = made.under_way
    assert len(first.all) == n


def test_a_round_weighs_by_what_its_clients_have():
    """(30 * 1 + 10 * 3) / 40, not by the samples of all."""
    algorithm = Rounds()
    half = algorithm.client()
    server, uploads = {"theta": of(0.0)}, {"theta": of([1.0], [3.0])}
    given = server, uploads, {}, flight([0, 1], [30, 10]), clock([30, 10, 99])
    near(algorithm.arrived(half, *given)["theta"], 1.5)
