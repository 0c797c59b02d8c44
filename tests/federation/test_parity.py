"""A federation gives the models of the simulation, to the last bit, through bytes of messages."""

import numpy as np
import pytest
from helpers import slowly
from small_federation_plans import clustered, federated, same, split, synchronous

from fedreact import plugins
from fedreact.encoding.train import LEAST, encode, make_encoder
from fedreact.federation.client import OwnData
from fedreact.federation.plan import clustered_algorithm
from fedreact.federation.simulation import simulate
from fedreact.kinds.clustered.run import traffic

AT_ONCE = ("fedavg", "ditto", "fedproto", "fedst", "a1", "a2", "a3", "ifca", "two of three")
A3 = {"memory": "a3", "iterations": 2}
EVERY = {
    f"any {name}": synchronous(name, rounds=2, score="last")
    for name in plugins.names("kinds/synchronous/algorithms", "ALGORITHM")
}
SYNCHRONOUS = EVERY | {
    "fedavg": synchronous("fedavg", score="all"),
    "ditto": synchronous("ditto", {"lam": 0.1}, score="last"),
    "fedproto": synchronous("fedproto"),
    "fedst": synchronous("fedst", score="doubling"),
    "feddyn": synchronous("feddyn"),
    "scaffold": synchronous("scaffold"),
    "fedicon": synchronous("fedicon"),
    "two of three": synchronous("ditto", participation=0.67),
    "gflops": synchronous("fedavg", steps=None, gflops=0.01),
}
CLUSTERED = {
    "a1": clustered("fed-react"),
    "a2": clustered("fed-react", {"memory": "a2"}, send="unchanged"),
    "a3": clustered("fed-react", A3),
    "ifca": clustered("ifca"),
    "ifca of clients": clustered("ifca", {"start": "clients", "memory": "a1"}),
    "flsc": clustered("flsc"),
    "flacc": clustered("flacc"),
    "flacc merging late": clustered("flacc", {"merge_rounds": 3}),
    "descent": clustered("fed-react", {"local": "descent", "steps": 3}),
    "personal": clustered("fed-react-personal"),
    "two of three": clustered("fed-react", A3, participation=0.67),
    "no Phase 1": clustered("fed-react", encoder={"rounds": 0}),
}


@pytest.mark.parametrize("name", slowly({n: n for n in SYNCHRONOUS}, *AT_ONCE))
def test_synchronous_kinds_give_the_bits_of_the_simulation(tmp_path, name):
    plan, files = SYNCHRONOUS[name], split(tmp_path / "split")
    simulated = simulate(plan, files)
    outcome, over = federated(plan, files, tmp_path)
    assert set(outcome.server) == set(simulated.outcome.server)
    for key, values in simulated.outcome.server.items():
        assert same(outcome.server[key], values), key
    np.testing.assert_array_equal(outcome.scores, simulated.outcome.scores)
    for k, client in over.clients.items():
        (kept,) = client.folder.glob("*-state-model.npz")
        arrays = np.load(kept)
        for key, values in simulated.state.items():
            assert same(arrays[f"after_{key}"][0], values[k]), (k, key)


@pytest.mark.parametrize("name", slowly({n: n for n in CLUSTERED}, *AT_ONCE))
def test_clustered_kinds_give_the_bits_of_the_simulation(tmp_path, name):
    plan, files = CLUSTERED[name], split(tmp_path / "split")
    simulated = simulate(plan, files).outcome
    outcome, over = federated(plan, files, tmp_path)
    seen = outcome.present.any(0)
    assert same(outcome.encoder, simulated.encoder)
    assert same(outcome.models[seen], simulated.models[seen])
    np.testing.assert_array_equal(outcome.labels, simulated.labels)
    np.testing.assert_array_equal(outcome.present, simulated.present)
    here = outcome.present
    np.testing.assert_allclose(outcome.scores[here], simulated.scores[here], atol=1e-6)
    for k in np.flatnonzero(outcome.present[-1]):
        (kept,) = over.clients[k].folder.glob("*-held.npz")
        assert same(np.load(kept)["theta"], outcome.models[k].astype(np.float32))


def test_the_wire_carries_what_the_simulation_counts_and_little_else(tmp_path):
    plan, files = CLUSTERED["ifca"], split(tmp_path / "split")
    outcome, _ = federated(plan, files, tmp_path)
    models = 4 * outcome.models.shape[1] * plan.rounds
    down, up = traffic(clustered_algorithm(plan))
    question = 1200  # the plan, names and headers of arrays
    of_client = {key[1:]: n for key, n in outcome.traffic.items() if key[0] == 0}
    encoder = outcome.encoder.nbytes
    received = of_client["down", "losses"] + of_client["down", "descend"]
    # All models to choose among, and the chosen one, which the simulation does not count; the
    # encoder after Phase 1; the merged model, with the next question.
    beyond = received - (down + 2) * models - encoder
    assert -models / plan.rounds <= beyond < 2 * question * plan.rounds
    sent = of_client["up", "losses"] + of_client["up", "descend"]
    assert 0 <= sent - up * models < question * plan.rounds
    train = of_client["down", "train"] + of_client["up", "train"]
    assert 0 <= train - 2 * plan.phase_1.rounds * encoder < 2 * question * plan.rounds


def test_features_do_not_depend_on_the_series_beside_them(tmp_path):
    data = OwnData(split(tmp_path)[0]).data
    encoder = make_encoder("table12", data.task.channels)
    rng = np.random.default_rng(0)
    theta = rng.normal(0, 0.1, encoder.n_parameters).astype(np.float32)
    whole = encode(data, encoder, theta)
    for n in (1, 2, 6, LEAST - 1, LEAST, 30):
        assert same(encode(data.take(np.arange(3, 3 + n)), encoder, theta), whole[3 : 3 + n]), n
