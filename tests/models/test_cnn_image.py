"""CNNs of images, beside torch's layers; where the pixels of an image lie."""

import numpy as np
import pytest
import torch
from torch import nn

from fedreact.errors import UserError
from fedreact.models.architectures.cnn_fedat import FedATCNN
from fedreact.models.architectures.cnn_image import ImageCNN
from fedreact.models.architectures.contract import with_features

SMALL = [
    ImageCNN(18, 3, 9, widths=(4, 5)),
    FedATCNN(38, 3, 19, widths=(4, 5, 6), hidden=7),
]


def of_torch(model):
    """The same network of torch's modules, of pictures ``[B, colours, rows, columns]``."""
    layers, channels = [], model.colours
    for width, pooled in zip(model.widths, model.pooled):
        layers += [nn.Conv2d(channels, width, 3), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if pooled else []
        channels = width
    layers.append(nn.Flatten())
    if model.hidden:
        layers += [nn.LazyLinear(model.hidden), nn.ReLU()]
    net = nn.Sequential(*layers, nn.LazyLinear(model.n_out))
    net(torch.zeros(1, model.colours, model.length, model.length))  # its layers see their sizes
    return net.double()


def drawn(model, K, n=4):
    """Weights of K clients, and their images as ``[K, n, colours, rows, columns]``."""
    generator = torch.Generator().manual_seed(0)
    theta = torch.stack([model.init(generator) for _ in range(K)]).double().requires_grad_()
    shape = (K, n, model.colours, model.length, model.length)
    return theta, torch.randn(shape, generator=generator, dtype=torch.float64)


def as_series(pictures):
    """Columns become steps, colours and their rows channels: ``[K, B, T, C]``."""
    return pictures.flatten(2, 3).transpose(2, 3)


@pytest.mark.parametrize("model", SMALL, ids=["two convolutions", "three"])
@pytest.mark.parametrize("K", [1, 3])
def test_outputs_and_gradients_are_those_of_torchs_layers(model, K):
    theta, pictures = drawn(model, K)
    found = model.forward(theta, as_series(pictures))
    found.square().sum().backward()
    weights, gradients = model.unpack(theta.detach()), model.unpack(theta.grad)
    for k in range(K):
        net = of_torch(model)
        own = list(net.parameters())
        for parameter, name in zip(own, model.shapes, strict=True):
            assert parameter.shape == model.shapes[name]
            parameter.data = weights[name][k].clone()
        wanted = net(pictures[k])
        torch.testing.assert_close(found[k], wanted)
        wanted.square().sum().backward()
        for parameter, name in zip(own, model.shapes):
            torch.testing.assert_close(gradients[name][k], parameter.grad)


def test_a_pixel_lies_where_it_should():
    model = ImageCNN(12, 2, 6)  # two colours of six rows and columns
    picture = np.zeros((2, 6, 6), np.float32)
    picture[1, 2, 5] = 1  # second colour, row 2, column 5
    X = picture.reshape(1, 12, 6)  # as sources have it: [N, channels, T]
    x = torch.from_numpy(X.transpose(0, 2, 1).copy())[None]
    assert x[0, 0, 5, 6 + 2] == 1
    found = model.images(x)[0, 0]
    assert found.shape == (2, 6, 6)
    assert found.nonzero().tolist() == [[1, 2, 5]]


def test_a_kernel_sees_rows_as_rows():
    # One kernel that looks one row down and at the same column; the second one passes that on.
    model = ImageCNN(7, 1, 7, widths=(1, 1))
    w = {name: torch.zeros(shape) for name, shape in model.shapes.items()}
    w["conv0.weight"][0, 0, 2, 1] = 1  # reads (r + 2, c + 1)
    w["conv1.weight"][0, 0, 0, 0] = 1  # reads (r, c)
    picture = torch.zeros(7, 7)
    picture[2, 3] = 5  # seen by (0, 2) of the 5 x 5 and of the 3 x 3 values that are left
    theta = torch.cat([w[name].flatten() for name in model.shapes])[None]
    # Of 3 x 3 values one pooling of 2 x 2 fits, which does not reach column 2.
    assert model.n_features == 1
    assert model.encode(theta, picture.T[None, None]).tolist() == [[[0.0]]]
    picture = picture.roll(-1, dims=1)
    assert model.encode(theta, picture.T[None, None]).tolist() == [[[5.0]]]


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (FedATCNN(), 122_570),  # CIFAR-10
        # 3 x 3 of one colour to 32, of 32 to 64, biases; 12 x 12 pooled values of 64 to ten.
        (ImageCNN(28, 10, 28), 9 * 32 + 32 + 9 * 32 * 64 + 64 + 144 * 64 * 10 + 10),
        (ImageCNN(96, 10, 32), 27 * 32 + 32 + 9 * 32 * 64 + 64 + 196 * 64 * 10 + 10),
    ],
)
def test_counts_of_weights(model, count):
    assert model.n_parameters == count


def test_multiply_adds_by_hand():
    # 26 x 26 and 24 x 24 values of a convolution; ten outputs of 12 x 12 x 64 features.
    two = 26**2 * 32 * 9 + 24**2 * 64 * 32 * 9 + 12**2 * 64 * 10
    assert ImageCNN(28, 10, 28).multiply_adds() == two == 10_903_680
    # 30 x 30; pooled to 15 x 15, then 13 x 13; pooled to 6 x 6, then 4 x 4.
    three = 30**2 * 32 * 27 + 13**2 * 64 * 32 * 9 + 4**2 * 64 * 64 * 9
    assert FedATCNN().multiply_adds() == three + 1024 * 64 + 64 * 10


@pytest.mark.parametrize("model", SMALL, ids=["two convolutions", "three"])
def test_it_is_a_linear_layer_on_features(model):
    theta, pictures = drawn(model, 2)
    h = with_features(model).encode(theta, as_series(pictures))
    assert h.shape == (2, 4, model.n_features)
    assert torch.equal(model.head(theta, h), model.forward(theta, as_series(pictures)))
    assert model.shapes["head.weight"] == (3, model.n_features)


def test_what_is_no_image_is_refused():
    with pytest.raises(UserError, match="12 channels are no multiple of 10 steps"):
        ImageCNN(12, 2, 10)
    with pytest.raises(UserError, match="FedATCNN leaves nothing of images as small as 16 x 16"):
        FedATCNN(16, 2, 16)
    assert ImageCNN(6, 2, 6).n_features == 64  # the smallest
    with pytest.raises(UserError, match="ImageCNN leaves nothing of images as small as 5 x 5"):
        ImageCNN(5, 2, 5)
    with pytest.raises(UserError, match="28 steps and 28 channels, got 27 and 28"):
        ImageCNN().forward(torch.zeros(1, ImageCNN().n_parameters), torch.zeros(1, 1, 27, 28))
