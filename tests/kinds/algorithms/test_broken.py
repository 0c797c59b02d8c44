"""Algorithms that break the contract fail its tests: what a new user has got wrong before."""

import importlib.util
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from fedreact.kinds.clustered.contract import Setting

SPEC = importlib.util.spec_from_file_location(
    "contract_tests", Path(__file__).with_name("test_clustered.py")
)
contract = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(contract)


@dataclass(frozen=True)
class Mean:
    """A sound one: all clients get the mean of those that take part; absent ones hold the last."""

    setting: Setting

    def init(self, n_clients, shape):
        return {"held": np.zeros(shape[0] * shape[1], np.float32)}

    def round(self, state, uploads):
        return self.result({"held": self.mean(uploads)}, uploads)

    def mean(self, uploads):
        return uploads.models[uploads.present].mean(0)

    def result(self, state, uploads):
        K = len(uploads.models)
        return state, np.tile(state["held"], (K, 1)), np.zeros(K, int)


class UsesAbsentRows(Mean):
    def mean(self, uploads):
        return uploads.models.mean(0)


class ChangesItsState(Mean):
    def round(self, state, uploads):
        state["held"] += self.mean(uploads)
        return self.result(state, uploads)


class ChangesUploads(Mean):
    def mean(self, uploads):
        uploads.models[0] = 0
        return super().mean(uploads)


class LooksAtTheTruth(Mean):
    def result(self, state, uploads):
        state, held, labels = super().result(state, uploads)
        return state, held + self.setting.truth[uploads.t - 1][:, None], labels


class FloatLabels(Mean):
    def result(self, state, uploads):
        state, held, labels = super().result(state, uploads)
        return state, held, labels.astype(float)


class IsNoNumber(Mean):
    def result(self, state, uploads):
        state, held, labels = super().result(state, uploads)
        return state, np.where(uploads.t == 3, np.nan, held), labels


class TakesTheFirstForMore(Mean):
    def mean(self, uploads):
        return super().mean(
            replace(
                uploads,
                models=np.append(uploads.models[:1], uploads.models, 0),
                present=np.append(True, uploads.present),
            )
        )


TESTS = {
    "absent": lambda name, make: contract.test_absent_clients_do_not_count(name),
    "in place": lambda name, make: contract.test_state_and_uploads_are_not_changed_in_place(make),
    "truth": lambda name, make: contract.test_only_references_that_say_so_look_at_the_true_clusters(
        make
    ),
    "labels": lambda name, make: (
        contract.test_every_client_has_a_model_and_a_cluster_in_every_round(make)
    ),
    "order": lambda name, make: contract.test_relabelling_clients_relabels_the_result_only(
        make, False
    ),
}
"""Of the contract, by what they hold."""


def failing(kind, monkeypatch):
    """Which of them an algorithm fails."""
    monkeypatch.setitem(contract.ALL, "broken", kind)
    found = set()
    for what, test in TESTS.items():
        try:
            test("broken", kind)
        except AssertionError:
            found.add(what)
    return found


def test_a_sound_algorithm_fails_none(monkeypatch):
    assert failing(Mean, monkeypatch) == set()


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (UsesAbsentRows, "absent"),
        (ChangesItsState, "in place"),
        (ChangesUploads, "in place"),
        (LooksAtTheTruth, "truth"),
        (FloatLabels, "labels"),
        (IsNoNumber, "labels"),
        (TakesTheFirstForMore, "order"),
    ],
)
def test_broken_ones_fail_the_test_of_what_they_break(kind, what, monkeypatch):
    assert what in failing(kind, monkeypatch)
