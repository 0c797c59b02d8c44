"""Baselines of FedST beside their authors' public code.

The numbers in parity/ were recorded by running that code, unmodified, on small inputs; ``source``
in each file says which repository, commit and functions, and what stood in for data and models.
"""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from small_parity import Layers, one_client, recorded

from fedreact.kinds.synchronous.algorithms.fedbn import FedBN
from fedreact.kinds.synchronous.algorithms.fedfa import FedFA, augmented, spread_weights
from fedreact.kinds.synchronous.algorithms.fedicon import contrast
from fedreact.kinds.synchronous.algorithms.fedproto import FedProto
from fedreact.kinds.synchronous.algorithms.fedrod import FedRoD
from fedreact.kinds.synchronous.algorithms.fedthe import FedTHE
from fedreact.models.flat import FlatWeights


def flat(weights, *names):
    """Weights by name, one after the other."""
    return torch.tensor(np.concatenate([np.ravel(weights[name]) for name in names]))


@pytest.mark.parametrize("number", [0, 1, "missing"])
def test_fedproto(number):
    """Weights after a round of a client, given global prototypes, of which a class may lack."""
    record = recorded("fedproto")
    names = ("fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias")
    if number == "missing":
        case = record["missing_class_case"]
        of_round = [(case["client"], case["model_init"], case["weights_after"])]
        given, lam = case["global_protos"], case["ld"]
    else:
        before = (
            record["inputs"]["model_init"]
            if number == 0
            else [c["weights_after"] for c in record["rounds"][0]["clients"]]
        )
        after = [c["weights_after"] for c in record["rounds"][number]["clients"]]
        of_round = list(zip(range(2), before, after))
        given, lam = record["rounds"][number]["global_protos_in"], record["options"]["ld"]
    algorithm = FedProto(lam=lam).on(Layers(3, 2, 4))
    prototypes, known = torch.zeros(4, 2), torch.zeros(4)
    for label, values in given.items():
        prototypes[int(label)], known[int(label)] = torch.tensor(values), 1
    for k, before, after in of_round:
        client = record["inputs"]["clients"][k]
        _, state = one_client(
            *(algorithm, client["X"], client["y"], _steps(number, record), 0.1),
            {"theta": prototypes.flatten(), "known": known},
            {"own": flat(before, *names)[None].float()},
            momentum=record["options"]["momentum"],
        )
        assert_allclose(state["own"][0], flat(after, *names), rtol=1e-4, atol=1e-6)


def _steps(number, record):
    return 1 if number == "missing" else record["options"]["train_ep"]


@pytest.mark.parametrize("name", ["full", "absent"])
def test_fedrod(name):
    """Weights after two steps of both heads; of a class that the client lacks, too."""
    record = recorded("fedrod")
    case, given = record["cases"][name], record["inputs"]
    algorithm = FedRoD().on(Layers(2, 3, 3, relu=False))
    shared = ("base_W", "base_b", "generic_W", "generic_b")
    own = ("personal_W", "personal_b")
    uploads, state = one_client(
        *(algorithm, given["X"], case["y"], 2, 0.1),
        {"theta": flat(given["init"], *shared)},
        {"personal": flat(given["init"], *own)[None]},
    )
    assert_allclose(uploads["theta"][0], flat(case["pfllib_train"], *shared), rtol=1e-6, atol=1e-9)
    assert_allclose(state["personal"][0], flat(case["pfllib_train"], *own), rtol=1e-6, atol=1e-9)
    theta = algorithm._whole(flat(given["init"], *shared)[None], flat(given["init"], *own)[None])
    x = torch.tensor(given["X"], dtype=torch.float64)[None, :, None]
    wanted = case["gradients"]["logits_personal_prediction"]
    assert_allclose(algorithm.model.forward(theta, x)[0], wanted, rtol=1e-6, atol=1e-9)


def test_fedbn():
    """What is averaged and what stays; theirs goes by the name "bn", ours by what a layer is."""

    @dataclass(frozen=True)
    class Net(FlatWeights):
        in_channels: int = 2
        n_out: int = 2

        @property
        def shapes(self):
            affine = {"fc1.weight": (3, 2), "fc1.bias": (3,), "bn1.weight": (3,), "bn1.bias": (3,)}
            more = {"norm2.weight": (3,), "norm2.bias": (3,)}
            return affine | more | {"fc2.weight": (2, 3), "fc2.bias": (2,)}

        @property
        def buffers(self):
            layers, what = ("bn1", "norm2"), ("running_mean", "running_var")
            return {f"{layer}.{of}": (3,) for layer in layers for of in what}

    record = recorded("fedbn")
    model = Net()
    algorithm = FedBN().on(model)
    names = [*model.shapes, *model.buffers]
    clients = np.stack([flat(c, *names) for c in record["inputs"]["clients"]]).astype(np.float32)
    shared = {"theta": clients[:, algorithm.shared]}
    server = algorithm.aggregate({"theta": clients[0][algorithm.shared]}, shared, np.ones(3))
    own = algorithm.personal(server, {"own": clients})
    for k, (found, before) in enumerate(zip(own, record["inputs"]["clients"])):
        found = model.unpack(torch.tensor(found)[None])
        kept = record["fedbn"]["clients_after"][k]
        for name in names:
            averaged = name not in kept and not name.startswith("norm2")
            wanted = record["fedbn"]["server_after"] if averaged else before
            assert_allclose(found[name][0], wanted[name], rtol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    ("name", "beta", "steps"),
    [("one_batch_of_6_f64", 0.1, 20), ("one_batch_beta03_steps5", 0.3, 5)],
)
def test_fedthe(name, beta, steps):
    """Outputs of a stream of six samples."""
    record = recorded("fedthe")
    given, case = record["inputs"], record["cases"][name]
    h, generic, personal, h_all, h_own = (
        torch.tensor(given[of], dtype=torch.float64)
        for of in ("features", "W_generic", "W_personal", "global_rep", "local_rep")
    )
    algorithm = FedTHE(beta=beta, test_steps=steps)
    found = algorithm.mixed(h, h @ generic.mT, h @ personal.mT, h_all, h_own, rate=0.1)
    assert_allclose(found, case["logits"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("number", [0, 1])
def test_fedfa_layer(number):
    """Augmented features, their gradient, and the running means."""
    record = recorded("fedfa")
    given, case = record["layer_input"], record["layer_cases"][number]
    shape = given["shape"][:3]
    x = torch.tensor(given["x"], dtype=torch.float64).view(shape).requires_grad_()
    noise = torch.tensor([given["noise_mean"], given["noise_std"]], dtype=torch.float64)
    before = {k: torch.tensor(v, dtype=torch.float64) for k, v in case["buffers_before"].items()}
    variance = torch.stack([before[f"running_var_{of}_bmic"] for of in ("mean", "std")])
    found, seen = augmented(x, spread_weights(variance), noise.view(2, *shape[:2]))
    assert_allclose(found.detach().flatten(), case["y"], rtol=1e-9)
    (found.flatten() * torch.linspace(-1, 1, found.numel(), dtype=torch.float64)).sum().backward()
    assert_allclose(x.grad.flatten(), case["grad_x"], rtol=1e-7, atol=1e-10)
    momentum = FedFA().momentum
    for of, values in zip(("mean", "std"), seen):
        running = momentum * before[f"running_{of}_bmic"] + (1 - momentum) * values
        assert_allclose(running, case["buffers_after"][f"running_{of}_bmic"], rtol=1e-9)


@pytest.mark.parametrize("between", ["all", "channels"])
def test_fedfa_server(between):
    """Means of the clients' statistics, and their variance: one of all, or of each channel."""

    @dataclass(frozen=True)
    class OneBlock(Layers):
        widths: tuple[int, ...] = (3,)

    record = recorded("fedfa")["server"]
    algorithm = FedFA(between=between).on(OneBlock(1, 1, 2))
    both = ("running_mean_bmic", "running_std_bmic")
    uploaded = np.array([[c[f"ffa.{of}"] for of in both] for c in record["clients"]])
    server = algorithm.server(np.zeros(algorithm.model.n_parameters, np.float32), 3)
    uploads = {"theta": np.zeros((3, algorithm.model.n_parameters)), "mean0": uploaded}
    found = algorithm.aggregate(server, uploads, np.ones(3))
    after = record["server_after"]
    assert_allclose(found["mean0"], [after[f"ffa.{of}"] for of in both], rtol=1e-5)
    wanted = [after[f"ffa.running_var_{of}_bmic"] for of in ("mean", "std")]
    if between == "channels":
        wanted = [record["per_channel_variance_for_comparison"][of] for of in both]
    assert_allclose(found["variance0"], wanted, rtol=1e-5)


@pytest.mark.parametrize("number", [0, 1])
def test_fedicon_losses(number):
    """The contrast with labels, and without; their gradients."""
    record = recorded("fedicon")["losses"]
    case = record["cases"][number]
    given = torch.tensor(record["features"], dtype=torch.float64).view(5, 2, 3).requires_grad_()
    z = given.transpose(0, 1).reshape(1, 10, 3)
    y = torch.tensor(record["labels"])[None] if number == 0 else None
    loss = contrast(z, case["temperature"], torch.ones(1, 5, dtype=torch.bool), y)
    loss.sum().backward()
    assert_allclose(loss.item(), case["loss"], rtol=1e-9)
    assert_allclose(given.grad.flatten(), case["grad"], rtol=1e-7, atol=1e-9)


def test_samples_that_there_are_not_change_no_contrast():
    z = torch.nn.functional.normalize(torch.randn(1, 8, 3, dtype=torch.float64), dim=-1)
    y, counts = torch.tensor([[0, 1, 0, 1]]), torch.tensor([[True, True, True, False]])
    there = torch.tensor([0, 1, 2, 4, 5, 6])
    whole = contrast(z[:, there], 0.1, counts[:, :3], y[:, :3])
    assert_allclose(contrast(z, 0.1, counts, y), whole, rtol=1e-12)
