"""The plain LSTM and the logistic regression, beside torch's layers and by hand."""

import numpy as np
import pytest
import torch
from torch import nn

from fedreact.errors import UserError
from fedreact.models.architectures.contract import with_features
from fedreact.models.architectures.logistic import Logistic
from fedreact.models.architectures.lstm_plain import PlainLSTM


def drawn(model, K, n=5):
    """Weights and series of K clients in double precision."""
    generator = torch.Generator().manual_seed(0)
    theta = torch.stack([model.init(generator) for _ in range(K)]).double().requires_grad_()
    shape = (K, n, model.length, model.in_channels)
    return theta, torch.randn(shape, generator=generator, dtype=torch.float64)


def of_torch(model, w, k):
    """Modules with the weights of client k; of torch's two biases of the gates one stays zero."""
    head = nn.Linear(model.n_features, model.n_out).double()
    head.weight.data, head.bias.data = w["head.weight"][k].clone(), w["head.bias"][k].clone()
    if isinstance(model, Logistic):
        return nn.Sequential(nn.Flatten(), head), {"head.weight": "1.weight", "head.bias": "1.bias"}
    lstm = nn.LSTM(model.in_channels, model.hidden, batch_first=True).double()
    lstm.weight_ih_l0.data = w["lstm.weight_ih"][k].clone()
    lstm.weight_hh_l0.data = w["lstm.weight_hh"][k].clone()
    lstm.bias_ih_l0.data = w["lstm.bias"][k].clone()
    lstm.bias_hh_l0.data.zero_()
    names = {f"lstm.weight_{of}": f"lstm.weight_{of}_l0" for of in ("ih", "hh")}
    names |= {"lstm.bias": "lstm.bias_ih_l0", "head.weight": "head.weight"}
    return Net(lstm, head), names | {"head.bias": "head.bias"}


class Net(nn.Module):
    def __init__(self, lstm, head):
        super().__init__()
        self.lstm, self.head = lstm, head

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


@pytest.mark.parametrize("model", [PlainLSTM(2, 3, 6, hidden=4), Logistic(2, 3, 6)])
@pytest.mark.parametrize("K", [1, 3])
def test_outputs_and_gradients_are_those_of_torchs_layers(model, K):
    theta, x = drawn(model, K)
    found = model.forward(theta, x)
    found.square().sum().backward()
    gradients = model.unpack(theta.grad)
    for k in range(K):
        net, names = of_torch(model, model.unpack(theta.detach()), k)
        wanted = net(x[k])
        torch.testing.assert_close(found[k], wanted)
        wanted.square().sum().backward()
        of_net = dict(net.named_parameters())
        assert set(names) == set(model.shapes)
        for ours, theirs in names.items():
            torch.testing.assert_close(gradients[ours][k], of_net[theirs].grad)


@pytest.mark.parametrize(
    ("channels", "outputs", "count"),
    # FitRec, Beijing's air, the same with the last hour's targets besides, ExtraSensory.
    [(12, 2, 19_842), (12, 6, 20_102), (15, 6, 20_870), (276, 51, 90_611)],
)
def test_counts_of_weights(channels, outputs, count):
    assert PlainLSTM(channels, outputs, 10).n_parameters == count


def test_the_input_matrix_comes_first():
    name, shape = next(iter(PlainLSTM(12, 2, 10, hidden=5).shapes.items()))
    assert (name, shape) == ("lstm.weight_ih", (20, 12))


def test_an_lstm_of_one_unit_and_one_step_by_hand():
    model = PlainLSTM(1, 1, 1, hidden=1)
    # In, recurrent and bias of the input, forget, cell and output gates; then the head.
    gates = torch.tensor([[0.5, 9.0, -1.0, 2.0], [7.0, 7.0, 7.0, 7.0], [0.1, 9.0, 0.3, 0.0]])
    theta = torch.cat([gates.flatten(), torch.tensor([3.0, -1.0])])[None].double()
    value = 2.0

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    cell = sigmoid(0.5 * value + 0.1) * np.tanh(-value + 0.3)
    state = sigmoid(2 * value) * np.tanh(cell)
    x = torch.full((1, 1, 1, 1), value, dtype=torch.float64)
    assert model.encode(theta, x).item() == pytest.approx(state)
    assert model.forward(theta, x).item() == pytest.approx(3 * state - 1)


def test_multiply_adds_by_hand():
    # Ten steps, each with four gates of 64 units that read 12 channels and 64 states; two outputs.
    assert PlainLSTM(12, 2, 10).multiply_adds() == 10 * 4 * 64 * (12 + 64) + 64 * 2 == 194_688
    assert Logistic(28, 10, 28).multiply_adds() == 784 * 10


@pytest.mark.parametrize("model", [PlainLSTM(2, 3, 6, hidden=4), Logistic(2, 3, 6)])
def test_it_is_a_linear_layer_on_features(model):
    theta, x = drawn(model, 2)
    h = with_features(model).encode(theta, x)
    assert h.shape == (2, 5, model.n_features)
    assert torch.equal(model.head(theta, h), model.forward(theta, x))
    assert model.shapes["head.weight"] == (3, model.n_features)


def test_logistic_regression_by_hand():
    model = Logistic(2, 2, 2)
    theta = torch.tensor([[1.0, 2, 3, 4, 0, 0, 0, -1, 0.5, 0]])
    x = torch.tensor([[[[1.0, 10], [100, 1000]]]])  # two steps of two channels
    assert model.forward(theta, x).tolist() == [[[4321.5, -1000.0]]]
    assert model.n_parameters == 10
    with pytest.raises(UserError, match="Logistic is built for series of 2 steps and 2 channels"):
        model.forward(theta, torch.zeros(1, 1, 3, 2))
