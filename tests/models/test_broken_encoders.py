"""Encoders that break the contract fail its tests: what a new user has got wrong before."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from fedreact.models.flat import FlatWeights

SPEC = importlib.util.spec_from_file_location(
    "contract_tests", Path(__file__).with_name("test_encoders.py")
)
contract = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(contract)


@dataclass(frozen=True)
class Sound(FlatWeights):
    """A linear map of each step, then the mean over the steps that count."""

    channels: int

    @property
    def shapes(self):
        return {"weight": (self.channels, 4), "bias": (4,)}

    def init(self, generator):
        return torch.randn(self.n_parameters, generator=generator)

    def encode(self, theta, x, lengths=None):
        part = self.unpack(theta)
        h = torch.einsum("klbc,kcf->klbf", x, part["weight"]) + part["bias"][:, None, None]
        return self.mean(torch.tanh(h), lengths)

    def mean(self, h, lengths):
        L = h.shape[1]
        lengths = torch.full(h.shape[:1], L) if lengths is None else lengths
        there = (torch.arange(L) < lengths[:, None])[:, :, None, None]
        return (h * there).sum(1) / lengths[:, None, None]


class OfTheBatch(Sound):
    """Takes the mean of the batch away."""

    def encode(self, theta, x, lengths=None):
        h = super().encode(theta, x, lengths)
        return h - h.mean(1, keepdim=True)


class OfAllClients(Sound):
    """Takes the mean of the clients that train side by side away."""

    def encode(self, theta, x, lengths=None):
        h = super().encode(theta, x, lengths)
        return h - h.mean(0)


class Detached(Sound):
    """No gradient reaches one of its weights."""

    def unpack(self, theta):
        part = super().unpack(theta)
        return part | {"weight": part["weight"].detach()}


class ReadsOn(Sound):
    """Counts all steps, whatever the lengths."""

    def mean(self, h, lengths):
        return h.mean(1)


class DrawsByItself(Sound):
    """Its weights do not follow from the generator."""

    def init(self, generator):
        return torch.randn(self.n_parameters)


class OfDoubles(Sound):
    """Its weights are numbers of another type."""

    def init(self, generator):
        return super().init(generator).double()


class NoNumber(Sound):
    """Divides by the spread over time, which a series of one step does not have."""

    def encode(self, theta, x, lengths=None):
        variance = x.sub(x.mean(1, keepdim=True)).square().sum(1) / (x.shape[1] - 1)
        return super().encode(theta, x, lengths) / variance[..., :1]


class AsAnObject:
    """Is called as its place in memory."""

    def __init__(self, channels):
        self.of = Sound(channels)

    def __getattr__(self, name):
        if name == "of":  # while it is unpickled
            raise AttributeError(name)
        return getattr(self.of, name)


TESTS = {
    "weights": contract.test_weights_are_a_flat_vector_that_follows_from_the_generator,
    "short": lambda encoder: contract.test_features_are_finite_at_any_length(encoder, 1),
    "clients": contract.test_clients_together_are_clients_one_by_one,
    "batch": contract.test_features_of_a_series_are_the_same_in_any_batch,
    "gradients": contract.test_gradients_reach_every_weight,
    "lengths": contract.test_what_follows_a_clients_length_changes_nothing,
    "learns": contract.test_gradient_steps_lower_the_loss,
    "process": contract.test_another_process_gets_the_same_encoder_and_a_checkpoint_knows_it,
}
"""The whole contract, by what its tests hold."""


def failing(kind):
    """Which of them an encoder fails."""
    found = set()
    for what, test in TESTS.items():
        try:
            test(kind(contract.C))
        except (AssertionError, RuntimeError):  # the latter by torch, of types
            found.add(what)
    return found


def test_the_whole_contract_is_tried():
    assert len(TESTS) == sum(name.startswith("test_") for name in vars(contract))


def test_a_sound_encoder_fails_none():
    assert failing(Sound) == set()


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (OfTheBatch, "batch"),
        (OfAllClients, "clients"),
        (Detached, "gradients"),
        (ReadsOn, "lengths"),
        (DrawsByItself, "weights"),
        (OfDoubles, "weights"),
        (NoNumber, "short"),
        (AsAnObject, "process"),
    ],
)
def test_broken_ones_fail_the_test_of_what_they_break(kind, what):
    assert what in failing(kind)
