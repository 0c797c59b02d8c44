"""Asynchronous algorithms that break the contract fail its tests, as a user's own would."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg

SPEC = importlib.util.spec_from_file_location(
    "contract_tests", Path(__file__).with_name("test_asynchronous.py")
)
contract = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(contract)


@dataclass(frozen=True)
class Half(Algorithm):
    """A sound one: half of each update, and the sum of all so far, which nobody needs."""

    def client(self):
        return FedAvg()

    def server(self, client, theta, n_clients):
        return {"theta": theta, "sum": np.zeros_like(theta)}

    def arrived(self, client, server, uploads, sent, flight, clock):
        return {"theta": self.mixed(server, uploads), "sum": server["sum"] + uploads["theta"][0]}

    def mixed(self, server, uploads):
        return (server["theta"] + uploads["theta"].mean(0)) / 2


class ChangesTheServer(Half):
    def arrived(self, client, server, uploads, sent, flight, clock):
        server["sum"] += uploads["theta"][0]
        return server | {"theta": self.mixed(server, uploads)}


class ChangesWhatOthersWereSent(Half):
    """Weights that are on their way to clients are those that the server keeps."""

    def arrived(self, client, server, uploads, sent, flight, clock):
        server["theta"][:] = self.mixed(server, uploads)
        return server


class ChangesUploads(Half):
    def mixed(self, server, uploads):
        uploads["theta"] += server["theta"]
        return uploads["theta"].mean(0) / 2


class ForgetsFloat32(Half):
    def mixed(self, server, uploads):
        return super().mixed(server, uploads).astype(np.float64)


class IsNoNumberWhereTested(Half):
    def personal(self, client, server, state):
        return server["theta"][None] * np.float32(np.nan)


class DrawsFromTheProcess(Half):
    def mixed(self, server, uploads):
        noise = np.random.normal(size=uploads["theta"].shape[1])  # noqa: NPY002
        return (super().mixed(server, uploads) + 0.01 * noise).astype(np.float32)


class NeverLearns(Half):
    def mixed(self, server, uploads):
        return server["theta"]


class TakesTheFirstOfNone(Half):
    def begin(self, clock):
        clock.send(clock.available())

    def arrived(self, client, server, uploads, sent, flight, clock):
        uploads = {"theta": uploads["theta"][flight.all]}
        return super().arrived(client, server, uploads, sent, flight, clock)


class Keeps(FedAvg):
    """FedAvg whose clients change what they keep."""

    def start(self, theta, n_clients):
        return {"trips": np.zeros(n_clients)}

    def local(self, training, sent, state, work):
        state["trips"] += 1
        return super().local(training, sent, state, work)


class ChangesWhatClientsKeep(Half):
    def client(self):
        return Keeps()


class Trains(FedAvg):
    """FedAvg that trains what it was sent."""

    def local(self, training, sent, state, work):
        sent["theta"] += torch.ones_like(sent["theta"]) / 100
        return super().local(training, sent, state, work)


class ChangesWhatItWasSent(Half):
    def client(self):
        return Trains()


@dataclass(frozen=True)
class HasNoHelp(Half):
    mixing: float = 0.5


def in_place(way):
    name = "test_nothing_is_changed_in_place_and_all_has_the_shapes_that_it_should"
    return lambda folder: getattr(contract, name)("broken", way, folder)


TESTS = {
    "in place": in_place("together"),
    "lost": in_place("lost-and-leaving"),
    "seed": lambda folder: contract.test_the_seed_keys_everything("broken", folder),
    "options": lambda folder: contract.test_options_are_fields_of_a_frozen_dataclass("broken"),
}
"""Of the contract, by what they hold."""


@pytest.fixture
def fails(monkeypatch, tmp_path):
    """Whether an algorithm fails one of them."""

    def of(kind, what):
        monkeypatch.setitem(contract.ALL, "broken", kind)
        monkeypatch.setattr(contract.runs, "method", lambda *of: made(kind, of[2]))
        try:
            TESTS[what](tmp_path)
        except (AssertionError, IndexError, RuntimeError):
            return True
        return False

    return of


def made(kind, given):
    """A method of an algorithm that is no file."""
    if "nonsense" in given:
        raise contract.UserError("unknown option nonsense")
    return contract.SimpleNamespace(options=given)


@pytest.mark.parametrize("what", TESTS)
def test_a_sound_algorithm_fails_none(what, fails):
    assert not fails(Half, what)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (ChangesTheServer, "in place"),
        (ChangesWhatOthersWereSent, "in place"),
        (ChangesUploads, "in place"),
        (ForgetsFloat32, "in place"),
        (IsNoNumberWhereTested, "in place"),
        (NeverLearns, "in place"),
        (ChangesWhatClientsKeep, "in place"),
        (ChangesWhatItWasSent, "in place"),
        (TakesTheFirstOfNone, "lost"),
        (DrawsFromTheProcess, "seed"),
        (HasNoHelp, "options"),
    ],
)
def test_broken_ones_fail_the_test_of_what_they_break(kind, what, fails):
    assert fails(kind, what)
