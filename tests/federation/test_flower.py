"""Flower carries the messages: by its own objects in a second, by its processes in minutes."""

import dataclasses
import importlib.util
import sys

import numpy as np
import pytest
from helpers import ROOT
from small_federation_plans import clustered, same, serving, split, synchronous

from fedreact.errors import UserError
from fedreact.federation.messages import Message
from fedreact.federation.outcome import Outcome
from fedreact.federation.server import serve
from fedreact.federation.simulation import simulate
from fedreact.options import vars_of

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("flwr") is None,
    reason="Flower is not installed here: make federation installs it",
)
sys.path.append(str(ROOT / "apps/flower"))


class OwnGrid:
    """A Grid within this process: each message goes through the bytes that Flower makes of it."""

    def __init__(self, files, folder, change=lambda node, records: records):
        from fedreact_flower.client_app import app
        from flwr.app import Context, RecordDict
        from flwr.supercore.task_identity import TaskIdentity

        TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 1
        self.app, self.change, self.replies = app, change, {}
        self.contexts = {
            100 + k: Context(
                run_id=1,
                node_id=100 + k,
                node_config={"data": str(file), "state": str(folder / f"client{k}")},
                state=RecordDict(),
                run_config={},
            )
            for k, file in enumerate(files)
        }

    def get_node_ids(self):
        return list(self.contexts)

    def push_messages(self, messages):
        ids = []
        for message in messages:
            node, number = message.metadata.dst_node_id, f"{len(self.replies)}"
            message.metadata.__dict__["_message_id"] = number
            reply = through_bytes(self.app(through_bytes(message), self.contexts[node]))
            content = self.change(node, reply.content)
            if content is not None:
                reply.content = content
            self.replies[number] = reply
            ids.append(number)
        return ids

    def pull_messages(self, ids):
        return [self.replies[number] for number in ids]


def through_bytes(message):
    """The message after Flower has made bytes of its content, and read them."""
    from flwr.app import RecordDict
    from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects
    from flwr.supercore.inflatable.inflatable_utils import inflate_object_from_contents

    content = message.content
    objects = {key: one.deflate() for key, one in get_all_nested_objects(content).items()}
    message.content = inflate_object_from_contents(content.object_id, objects)
    assert isinstance(message.content, RecordDict)
    return message


def served(plan, grid, folder):
    from fedreact_flower import server_app

    server_app.PAUSE = 0
    return serve(plan, serving(folder, answer=20), server_app.GridLink(grid))


@pytest.mark.parametrize(
    "plan",
    [synchronous("fedst"), clustered("fed-react", {"memory": "a3"}), clustered("ifca")],
    ids=["fedst", "a3", "ifca"],
)
def test_apps_give_the_bits_of_the_simulation(tmp_path, plan):
    files = split(tmp_path / "split")
    simulated = simulate(plan, files).outcome
    outcome = served(plan, OwnGrid(files, tmp_path), tmp_path)
    for key, values in simulated.server.items():
        assert same(outcome.server[key], values)
    if plan.kind == "clustered":
        assert same(outcome.models, simulated.models)


def test_records_that_are_no_message_are_refused():
    from fedreact_flower.records import message_of, records_of
    from flwr.app import Array, ArrayRecord, ConfigRecord, MetricRecord, RecordDict

    message = Message("train", {"t": 3, "x": 0.5, "plan": "{}"}, {"a": np.eye(2, dtype="f4")})
    read = message_of(records_of(message))
    assert (read.do, dict(read.facts)) == (message.do, dict(message.facts))
    assert same(read.arrays["a"], message.arrays["a"])
    pickled = Array("float32", (2,), "numpy.ndarray", b"\x80\x04cos\nsystem\n(S'id'\ntR.")
    for records in (
        RecordDict(),
        RecordDict({"arrays": MetricRecord(), "numbers": MetricRecord(), "texts": ConfigRecord()}),
        RecordDict(
            {
                "arrays": ArrayRecord({"a": pickled}),
                "numbers": MetricRecord(),
                "texts": ConfigRecord({"do": "train"}),
            }
        ),
        RecordDict(
            {"arrays": ArrayRecord(), "numbers": MetricRecord(), "texts": ConfigRecord({"do": b""})}
        ),
    ):
        with pytest.raises(UserError):
            message_of(records)


def test_an_empty_text_and_lists_have_a_size():
    from fedreact_flower.records import size
    from flwr.app import ConfigRecord, MetricRecord, RecordDict

    records = RecordDict(
        {"n": MetricRecord({"ab": [1, 2]}), "t": ConfigRecord({"c": "", "d": "x"})}
    )
    assert size(records) == 2 + 16 + 1 + 1 + 1


def test_a_node_that_sends_what_is_no_answer_is_absent(tmp_path):
    from fedreact_flower.records import records_of
    from flwr.app import RecordDict

    files, plan = split(tmp_path / "split"), synchronous("fedavg")

    def change(node, records):
        if node == 101 and records["texts"]["do"] == "train":
            theta = np.full(5, np.nan, np.float32)
            return [RecordDict(), records_of(Message("train", {}, {"theta": theta}))][node % 2]
        return records

    outcome = served(plan, OwnGrid(files, tmp_path, change), tmp_path)
    np.testing.assert_array_equal(outcome.present, np.tile([True, False, True], (3, 1)))


def test_a_node_without_data_says_so(tmp_path):
    grid = OwnGrid(split(tmp_path / "split"), tmp_path)
    grid.contexts[100].node_config.pop("data")
    outcome = served(synchronous("fedavg", rounds=1), grid, tmp_path)
    assert outcome.present.tolist() == [[False, True, True]]


# ---- Processes ----------------------------------------------------------------------------------

SLOW = {"wait": 900.0, "answer": 900.0}
"""Seconds, for machines with few cores: each message starts a process at its node."""


def many_files(folder, n):
    """The files of n clients, in the first one's likeness."""
    (first, *_) = split(folder / "three")
    arrays = dict(np.load(first))
    rng = np.random.default_rng(0)
    (folder / "split").mkdir()
    files = [folder / f"split/client{k:02d}.npz" for k in range(n)]
    for k, file in enumerate(files):
        X = arrays["X"] + rng.normal(0, 0.1 + k / 20, arrays["X"].shape).astype(np.float32)
        np.savez(file, **(arrays | {"X": X}))
    return files


@pytest.mark.campaign
@pytest.mark.parametrize("algorithm", [pytest.param("ditto", marks=pytest.mark.rare), "fed-react"])
def test_nodes_give_the_bits_of_the_simulation(tmp_path, algorithm):
    """With TLS, and a key for each node. `make federation` compares ten nodes."""
    from local import Local

    plans = {
        "ditto": synchronous("ditto", {"lam": 0.1}, rounds=2, score="last"),
        "fed-react": clustered("fed-react", {"memory": "a3"}, rounds=2),
    }
    plan, files = plans[algorithm], many_files(tmp_path, 3)
    simulated = simulate(plan, files).outcome
    with Local(tmp_path, files, vars_of(plan), SLOW | {"least": 3}) as here:
        here.start()
        here.run()
        assert here.wait(lambda log: "has ended" in log or "error" in log, 3000), here.log()
    outcome = Outcome.load(tmp_path / "server")
    assert outcome.present.all(), here.log()
    for key, values in simulated.server.items():
        assert same(outcome.server[key], values)
    if plan.kind == "clustered":
        assert same(outcome.encoder, simulated.encoder)
        assert same(outcome.models, simulated.models)


@pytest.mark.campaign
def test_a_federation_of_processes_survives_what_happens_to_them(tmp_path):
    """A node comes late, one is killed in a round, and the SuperLink is killed between rounds."""
    from local import Local, end

    plan = dataclasses.replace(synchronous("fedavg", score="last"), seed=3)
    plan = dataclasses.replace(plan, run=dict(plan.run) | {"rounds": 4})
    files = many_files(tmp_path, 3)
    asked = {"wait": 60.0, "answer": 120.0, "tries": 20}
    with Local(tmp_path, files, vars_of(plan), asked) as here:
        here.start_superlink()
        here.register()
        here.start_node(0)
        here.start_node(1)
        here.run()
        assert here.wait(lambda log: "round 1 of 4: 2 of 3 clients" in log, 900), here.log()
        end(here.nodes.pop(1))
        here.start_node(2)
        assert here.wait(lambda log: "round 2 of 4:" in log, 900), here.log()
        assert "round 2 of 4: client 1 " in here.log()
        end(here.superlink)
        here.start_superlink()
        here.start_node(1)
        here.run()
        assert here.wait(lambda log: "going on after round" in log, 900), here.log()
        assert here.wait(lambda log: "has ended" in log or "error" in log, 1800), here.log()
    outcome = Outcome.load(tmp_path / "server")
    assert outcome.present[0].tolist() == [True, True, False]
    assert outcome.present[-1, 0]
    assert np.isfinite(outcome.server["theta"]).all()


@pytest.mark.campaign
@pytest.mark.rare
def test_a_node_without_a_key_that_the_server_knows_is_kept_out(tmp_path):
    from local import Local

    files, plan = many_files(tmp_path, 2), synchronous("fedavg", rounds=1)
    with Local(tmp_path, files, vars_of(plan), {"wait": 60.0, "answer": 600.0}) as here:
        here.start_superlink()
        here.flwr("supernode", "register", str(tmp_path / "keys/node0.pub"))
        here.start_node(0)
        here.start_node(1)
        here.run()
        assert here.wait(lambda log: "has ended" in log or "error" in log, 1800), here.log()
    assert Outcome.load(tmp_path / "server").present.tolist() == [[True, False]]
