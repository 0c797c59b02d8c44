"""FedST: what is sent, when prototypes count, and what is adapted at test time."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from small_federation import CLIENTS, X, Y, supervised
from small_models import SmallCNN

from fedreact.engine.engine import Stacked
from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.alignfed import target_points
from fedreact.kinds.synchronous.algorithms.fedst import FedST
from fedreact.kinds.synchronous.algorithms.prototypes import merge
from fedreact.kinds.synchronous.engine import rounds_of
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.architectures.lstm import LSTMClassifier
from fedreact.optimizers.sgd import SGD


def job_of(**options):
    algorithm = FedST(**options).on(SmallCNN())
    loss = SupervisedLoss(algorithm.model)
    return supervised(algorithm, objective=loss, optimizer=SGD(0.5), learning_rate=0.05)


def rounds(job, n):
    """Server and clients after each of n rounds."""
    theta = job.training.objective.init(torch.Generator().manual_seed(0)).numpy()
    algorithm = job.algorithm
    server, state = algorithm.server(theta, 3), algorithm.start(theta, 3)
    with Stacked(job, "cpu") as engine:
        return [of[1:3] for of in rounds_of(engine, job, server, state, range(1, n + 1))]


def test_only_classifier_and_prototypes_go_both_ways():
    job = job_of()
    model = job.algorithm.model
    (server, state), *_ = rounds(job, 1)
    head = sum(np.prod(model.shapes[f"head.{of}"]) for of in ("weight", "bias"))
    assert server["theta"].shape == (head,)
    assert server["prototypes"].shape == (2, 2, 6)  # views, classes, features
    own = model.unpack(torch.tensor(state["own"]))
    assert not torch.equal(own["time.conv0.weight"][0], own["time.conv0.weight"][1])
    sent = job.algorithm.sent(server)
    assert sum(v.nbytes for v in sent.values()) == 4 * (head + 2 * 2 * 6 + 2)


def test_prototypes_are_mean_features_of_the_trained_encoders():
    """Eqs. 6 and 16; client 2 holds one sample, so it has one class alone."""
    job = job_of()
    (server, state), *_ = rounds(job, 1)
    model, found = job.algorithm.model, np.zeros((2, 2, 6))
    for label in (0, 1):
        total = 0
        for k, samples in enumerate(CLIENTS):
            if not len(mine := samples[Y[samples] == label]):
                continue
            theta = torch.tensor(state["own"][k : k + 1])
            z = model.encode_views(theta, torch.tensor(X[mine])[None])
            found[:, label] += len(samples) * np.stack([of[0].mean(0) for of in z])
            total += len(samples)
        found[:, label] /= total
    assert_allclose(server["prototypes"], found, rtol=1e-4, atol=1e-5)


def test_classes_that_nobody_has_keep_their_prototype():
    before = np.full((1, 3, 2), 7.0, np.float32)
    uploaded = np.stack([np.full((1, 3, 2), v, np.float32) for v in (1.0, 4.0)])
    prototypes, known = merge(before, uploaded, np.array([[10, 10, 0], [20, 0, 0]]))
    assert prototypes[0].tolist() == [[3, 3], [1, 1], [7, 7]]
    assert known.tolist() == [1, 1, 0]


def test_the_warm_up_is_cross_entropy_alone():
    with_losses, without = (rounds(job_of(warm_up=2, lam=lam), 3) for lam in (1.0, 0.0))
    for t in (0, 1):
        assert with_losses[t][1]["own"].tobytes() == without[t][1]["own"].tobytes()
    assert with_losses[2][1]["own"].tobytes() != without[2][1]["own"].tobytes()


@pytest.mark.parametrize("part", [{"lam_1": 0.0}, {"lam_2": 0.0}, {"tau": 0.2}, {"views": "time"}])
def test_each_part_changes_training(part):
    whole, other = rounds(job_of(), 2)[-1], rounds(job_of(**part), 2)[-1]
    assert whole[0]["theta"].tobytes() != other[0]["theta"].tobytes()


def adapted(**options):
    """Outputs for the series of client 1, and its algorithm, model and what it keeps."""
    job = job_of(**options)
    server, state = rounds(job, 2)[-1]
    algorithm = job.algorithm
    kept = {n: torch.tensor(v[1]) for n, v in algorithm.at_test(server, state).items()}
    kept["theta"] = torch.tensor(algorithm.personal(server, state)[1])
    x = torch.tensor(X[CLIENTS[1]])
    return algorithm.adapt(job.training.objective, kept, x), algorithm, kept, x


def test_without_adaption_outputs_are_the_models():
    found, algorithm, kept, x = adapted(adaption=False)
    wanted = algorithm.model.forward(kept["theta"][None], x[None])[0]
    assert torch.equal(found, wanted)
    still, *_ = adapted(adaption_rate=0.0)
    assert_allclose(still, wanted, rtol=1e-4, atol=1e-6)


def test_a_step_of_adaption_lowers_its_loss_and_leaves_the_classifier():
    found, algorithm, kept, x = adapted(adaption_rate=1.0)
    before = {name: values.clone() for name, values in kept.items()}
    of_batch = (kept["prototypes"], kept["known"], x)
    theta = kept["theta"][None].requires_grad_()
    loss = algorithm.test_loss(theta, *of_batch)
    loss.backward()
    step = theta.detach() - theta.grad
    step[:, algorithm.shared] = theta.detach()[:, algorithm.shared]
    # The loss hardly moves, so that it takes float64 to see it.
    exact = tuple(of.double() for of in of_batch)
    lower, before_it = (algorithm.test_loss(of.detach().double(), *exact) for of in (step, theta))
    assert lower < before_it
    # One batch: the outputs are those of the model after this step.
    assert_allclose(found, algorithm.model.forward(step, x[None])[0], rtol=1e-4, atol=1e-5)
    for name, values in before.items():  # a copy was adapted
        assert torch.equal(kept[name].detach(), values)


def test_the_loss_at_test_time_by_hand():
    """- softmax(p) log y^ of both views, where y^ is a softmax of alignments (eqs. 17 and 18)."""
    _, algorithm, kept, x = adapted()
    theta, model = kept["theta"][None].detach(), algorithm.model
    p = model.forward(theta, x[None])[0].softmax(-1)
    total = 0.0
    for v, (view, z) in enumerate(zip(model.views, model.encode_views(theta, x[None]))):
        h, _ = model.project(theta, view, z)
        c, _ = model.project(theta, view, kept["prototypes"][None, v])
        cosines = (h[0] @ c[0].T).abs()
        total += -(p * cosines.log_softmax(-1)).sum(-1).mean()
    found = algorithm.test_loss(theta, kept["prototypes"], kept["known"], x)
    assert_allclose(found.detach(), total.detach(), rtol=1e-4)


def test_the_printed_reading_of_eq_17_takes_the_least_aligned():
    _, algorithm, kept, x = adapted()
    theta = kept["theta"][None].detach()
    z = torch.stack(algorithm.model.encode_views(theta, x[None]), 1)
    given = (theta, kept["prototypes"], kept["known"], z)
    most = algorithm.pseudo_labels(*given)
    least = replace(algorithm, nearest="argmin").pseudo_labels(*given)
    for one, other in zip(most, least):  # of two classes, the other one
        assert_allclose(one, other.flip(-1), rtol=1e-5)


def test_later_batches_see_what_earlier_ones_have_taught():
    small, algorithm, kept, x = adapted(adaption_batch=10, adaption_rate=0.05)
    whole, *_ = adapted(adaption_batch=10, adaption_rate=0.05)
    assert torch.equal(small, whole)
    alone = algorithm.adapt(None, {n: v.detach() for n, v in kept.items()}, x[10:20])
    assert not torch.allclose(alone, small[10:20], atol=1e-6)
    first = algorithm.adapt(None, {n: v.detach() for n, v in kept.items()}, x[:10])
    assert_allclose(first, small[:10], rtol=1e-4, atol=1e-6)


def test_an_architecture_without_features_is_refused():
    with pytest.raises(
        UserError, match=r"architecture LSTMClassifier does not say .* take one that does"
    ):
        FedST().on(LSTMClassifier())


def test_target_points_are_as_far_apart_as_can_be():
    points = target_points(4, 10)
    cosines = points @ points.T
    assert_allclose(np.diag(cosines), 1, rtol=1e-5)
    assert_allclose(cosines[~np.eye(4, dtype=bool)], -1 / 3, rtol=1e-4)
    assert target_points(5, 3).shape == (5, 3)
