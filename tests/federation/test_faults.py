"""Clients that are gone, late or wrong are absent; a server that is started again goes on."""

import logging

import numpy as np
import pytest
from helpers import slowly
from small_federation_plans import (
    clustered,
    federated,
    link,
    same,
    serving,
    split,
    synchronous,
)

from fedreact.clients.drifts.schedule import Schedule
from fedreact.engine.engine import TrainingJob
from fedreact.errors import UserError
from fedreact.federation.client import Client
from fedreact.federation.messages import Message
from fedreact.federation.plan import Serving, plan_of, read
from fedreact.federation.server import serve
from fedreact.federation.simulation import simulate
from fedreact.kinds.clustered import run as clustered_run

DITTO = synchronous("ditto", {"lam": 0.1}, score="last", rounds=4)
A3 = clustered("fed-react", {"memory": "a3", "iterations": 2})
IFCA = clustered("ifca")
ABSENT = {(2, 1), (3, 0)}
"""Rounds in which clients are absent."""


def bad_theta(answer, values):
    name = "theta" if "theta" in answer.arrays else "model"
    return Message(answer.do, answer.facts, dict(answer.arrays) | {name: values})


def nan(answer):
    name = "theta" if "theta" in answer.arrays else "model"
    return bad_theta(answer, answer.arrays[name] * np.float32(np.nan))


FAULTS = {
    "gone": lambda answer: None,
    "NaN": nan,
    "shape": lambda answer: bad_theta(answer, np.zeros((2, 2), np.float32)),
    "type": lambda answer: bad_theta(answer, np.zeros(3)),
    "more": lambda answer: Message(answer.do, {}, dict(answer.arrays) | {"X": np.zeros(9)}),
    "fact": lambda answer: Message(answer.do, {"secret": 1}, answer.arrays),
    "other": lambda answer: Message("hello"),
    "bytes": lambda answer: b"\x80\x04cos\nsystem\n",
    "refused": lambda answer: Message("refused", {"why": "out of\nmemory"}),
}


def fault_of(name, absent=ABSENT, do=("train", "fit")):
    def fault(k, question, answer):
        wrong = (question.facts.get("t"), k) in absent and question.do in do
        if wrong and question.facts.get("training") != "encoder":
            return FAULTS[name](answer)
        return answer

    return fault


@pytest.mark.parametrize("name", slowly({n: n for n in FAULTS}, "gone", "NaN", "bytes"))
def test_a_synchronous_federation_goes_on_as_if_the_client_had_been_absent(
    tmp_path, monkeypatch, caplog, name
):
    """Also where the client has trained, and what it keeps has moved on."""
    files = split(tmp_path / "split")
    with caplog.at_level(logging.INFO):
        outcome, _ = federated(DITTO, files, tmp_path, fault_of(name))
    assert {(t + 1, k) for t, k in np.argwhere(~outcome.present).tolist()} == ABSENT
    assert sum("client 1" in line and "round 2" in line for line in caplog.messages) == 1

    def participants(self, t):
        return np.array([k for k in range(3) if (t, k) not in ABSENT])

    monkeypatch.setattr(TrainingJob, "participants", participants)
    simulated = simulate(DITTO, files)
    assert same(outcome.server["theta"], simulated.outcome.server["theta"])
    np.testing.assert_array_equal(outcome.scores, simulated.outcome.scores)


@pytest.mark.parametrize("name", slowly({n: n for n in FAULTS}, "gone", "NaN", "bytes"))
def test_a_clustered_federation_goes_on_as_if_the_client_had_been_absent(
    tmp_path, monkeypatch, name
):
    files = split(tmp_path / "split")
    outcome, _ = federated(A3, files, tmp_path, fault_of(name))
    assert {(t + 1, k) for t, k in np.argwhere(~outcome.present).tolist()} == ABSENT
    compared_with_absent(monkeypatch, A3, files, outcome)


def compared_with_absent(monkeypatch, plan, files, outcome):
    drawn = clustered_run.drawn_schedule

    def without(*args):
        schedule = drawn(*args)
        return Schedule(schedule.truth, outcome.present)

    monkeypatch.setattr(clustered_run, "drawn_schedule", without)
    simulated = simulate(plan, files).outcome
    assert same(outcome.models, simulated.models)
    np.testing.assert_array_equal(outcome.labels, simulated.labels)


def test_a_client_that_goes_between_two_questions_of_a_round_is_absent(tmp_path, monkeypatch):
    files = split(tmp_path / "split")
    outcome, over = federated(IFCA, files, tmp_path, fault_of("gone", do=("descend",)))
    assert {(t + 1, k) for t, k in np.argwhere(~outcome.present).tolist()} == ABSENT
    asked = [Message.from_bytes(data) for _, way, data in over.seen if way == "down"]
    # The others are not asked again, where the question is the same without it.
    assert sum(question.do == "losses" for question in asked) == 3 * IFCA.rounds
    compared_with_absent(monkeypatch, IFCA, files, outcome)


@pytest.mark.parametrize("plan", [DITTO, A3, IFCA], ids=["ditto", "a3", "ifca"])
def test_a_server_that_was_killed_goes_on_from_its_progress(tmp_path, plan):
    files = split(tmp_path / "split")
    whole, _ = federated(plan, files, tmp_path / "whole")

    def killed(k, question, answer):
        if (question.facts.get("t"), k) == (3, 1) and question.facts["training"] != "encoder":
            raise KeyboardInterrupt
        return answer

    def of_phase_2(k, question, answer):
        if (question.facts.get("t"), k) == (3, 1):
            raise KeyboardInterrupt
        return answer

    over = link(files, tmp_path, killed if plan is DITTO else of_phase_2)
    with pytest.raises(KeyboardInterrupt):
        serve(plan, serving(tmp_path), over)
    again = link(files, tmp_path)
    outcome = serve(plan, serving(tmp_path), again)
    for key, values in whole.server.items():
        assert same(outcome.server[key], values), key
    np.testing.assert_array_equal(outcome.scores, whole.scores)
    if plan is not DITTO:
        assert same(outcome.models, whole.models)
        np.testing.assert_array_equal(outcome.labels, whole.labels)
    asked = {Message.from_bytes(data).facts.get("t", 0) for _, way, data in again.seen}
    assert asked - {0} == {3, 4}  # nothing is asked twice


class Late(dict):
    """Clients of a link, of whom one is there only from the third look on."""

    looks = 0

    def __iter__(self):
        self.looks += 1
        return iter([k for k in self.keys() if k != 1 or self.looks > 2])


def test_a_client_that_comes_late_joins_in_a_later_round(tmp_path, caplog):
    files = split(tmp_path / "split")
    over = link(files, tmp_path)
    over.clients = Late(over.clients)
    with caplog.at_level(logging.INFO):
        outcome = serve(DITTO, serving(tmp_path, wait=1e-6), over)
    assert not outcome.present[0, 1]
    assert outcome.present[-1].all()
    assert "going on without clients [1], which may join later" in caplog.text


def test_who_may_not_join_is_said(tmp_path, caplog):
    files = split(tmp_path / "split")
    over = link(files, tmp_path)
    over.clients[3] = Client(files[1], tmp_path / "x", 1)
    over.clients[4] = Client(files[1], tmp_path / "x", 7)
    over.clients[5] = Client(tmp_path / "9.npz", tmp_path / "x")
    with caplog.at_level(logging.INFO):
        serve(synchronous("fedavg", rounds=1), serving(tmp_path), over)
    for why in ("there is a client 1 already", "numbers below 3", "no such file"):
        assert why in caplog.text


def test_a_client_whose_labels_have_other_names_may_not_join(tmp_path, caplog):
    files = split(tmp_path / "split")
    for k, file in enumerate(files):
        names = ["sit", "walk", "run", "jump"] if k < 2 else ["walk", "sit", "run", "jump"]
        with np.load(file) as arrays:
            np.savez(file, **dict(arrays) | {"label_names": np.array(names)})
    over = link(files, tmp_path)
    with caplog.at_level(logging.INFO):
        outcome = serve(synchronous("fedavg", rounds=1), serving(tmp_path), over)
    assert "client 2 names its labels or channels otherwise than the others" in caplog.text
    assert outcome.present[-1].tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (lambda k, question, answer: None, r"0 of 3 clients have joined in 0 s, 1 are needed"),
        (
            lambda k, question, answer: answer if question.do == "hello" else None,
            r"round 1 of 3: fewer than 1 clients have answered in 2 tries",
        ),
    ],
)
def test_a_federation_without_anybody_says_so_in_a_line(tmp_path, fault, why):
    files = split(tmp_path / "split")
    with pytest.raises(UserError, match=why):
        federated(synchronous("fedavg"), files, tmp_path, fault, tries=2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "clustered", "run": {"n_clusters": 2, "drift": {"kind": "sudden"}}}, "drift"),
        ({"kind": "clustered", "run": {}}, "n_clusters: give a number"),
        ({"kind": "clustered", "algorithm": "oracle-fedavg", "run": {"n_clusters": 1}}, "looks at"),
        ({"run": {"plateau": 0.1, "score": "all"}}, "plateau"),
        ({"run": {"stacked": 4}}, "stacked"),
        ({"encoder": {"rounds": 1}}, "encoder"),
        ({"algorithm": "fedavgg"}, "did you mean fedavg"),
        ({"run": {"rounds": 0}}, "rounds"),
    ],
)
def test_what_cannot_be_federated_is_said_in_a_line(change, why):
    with pytest.raises(UserError, match=why):
        plan_of({"kind": "synchronous", "algorithm": "fedavg"} | change)


def test_targets_are_refused_since_their_scale_is_that_of_all_clients(tmp_path):
    files = split(tmp_path / "split", "regression")
    with pytest.raises(UserError, match="scaled by all clients' targets"):
        federated(synchronous("fedavg"), files, tmp_path)


def test_a_file_of_a_federation_is_read(tmp_path):
    path = tmp_path / "federation.yaml"
    path.write_text("plan: {kind: synchronous, algorithm: fedavg}\nserving: {clients: 3}\n")
    plan, asked = read(path)
    assert (plan.algorithm, asked) == ("fedavg", Serving(clients=3))
    for text in ("plan: {}", "[", "plan: {kind: x, algorithm: y}\nserving: {clients: 3}"):
        path.write_text(text)
        with pytest.raises(UserError, match=r"federation\.yaml"):
            read(path)
    with pytest.raises(UserError):
        read(tmp_path / "none.yaml")


def test_a_round_with_too_few_clients_asks_the_missing_ones_again(tmp_path):
    files, lost = split(tmp_path / "split"), {(2, 1)}
    whole, _ = federated(DITTO, files, tmp_path / "whole")

    def fault(k, question, answer):
        if (question.facts.get("t"), k) in lost:
            lost.clear()
            return None
        return answer

    outcome, over = federated(DITTO, files, tmp_path, fault, least=3)
    assert outcome.present.all()
    assert same(outcome.server["theta"], whole.server["theta"])
    asked = [Message.from_bytes(data) for _, way, data in over.seen if way == "down"]
    assert sum(question.do == "train" for question in asked) == 3 * DITTO.rounds + 1


@pytest.mark.parametrize(
    ("plan", "file", "absent"),
    [(A3, "*-features.npz", {(2, 1)}), (DITTO, "*-state-model.npz", {(2, 1), (3, 1), (4, 1)})],
    ids=["the encoder is sent again", "a personal model is lost for good"],
)
def test_a_client_that_loses_what_it_kept(tmp_path, caplog, plan, file, absent):
    def fault(k, question, answer):
        if (question.facts.get("t"), k) == (1, 1) and question.facts.get("training") != "encoder":
            for kept in (tmp_path / "client1").glob(file):
                kept.unlink()
        return answer

    with caplog.at_level(logging.INFO):
        outcome, _ = federated(plan, split(tmp_path / "split"), tmp_path, fault)
    assert {(t + 1, k) for t, k in np.argwhere(~outcome.present).tolist()} == absent
    assert "is lost" in caplog.text
