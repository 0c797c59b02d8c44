"""A pass of K clients, or of a server, through layers that :mod:`fedreact.models.parts` names."""

from collections.abc import Sequence
from math import sqrt

import torch

from fedreact.models.parts import LSTM, Conv, Layers, shapes_of
from fedreact.models.products import linear
from fedreact.models.recurrent import lstm


def unpack(theta: torch.Tensor, layers: Layers) -> dict[str, torch.Tensor]:
    """Views of flat weights ``[K, P]`` by ``<layer>.<weight>``, each ``[K, *shape]``."""
    shapes = shapes_of(layers)
    parts = theta.split([torch.Size(shape).numel() for shape in shapes.values()], dim=1)
    return {name: part.unflatten(1, shape) for (name, shape), part in zip(shapes.items(), parts)}


def first_weights(layers: Layers, generator: torch.Generator) -> torch.Tensor:
    """Weights ``[P]`` as Keras draws them: Glorot's uniform, orthogonal from h to h.

    Biases are 0, those of an LSTM's forget gates 1.
    """
    found = []
    for layer in layers.values():
        for key, shape in layer.shapes.items():
            if key == "recurrent":
                q, r = torch.linalg.qr(torch.randn(shape, generator=generator))
                w = q * r.diagonal().sign()
            elif key == "bias":
                w = torch.zeros(shape)
                if isinstance(layer, LSTM):
                    w[layer.out : 2 * layer.out] = 1
            else:
                # Keras counts what goes out of a convolution as often as it is long.
                out = shape[0] * (layer.length if isinstance(layer, Conv) else 1)
                w = (torch.rand(shape, generator=generator) * 2 - 1) * sqrt(6 / (shape[1] + out))
            found.append(w.flatten())
    return torch.cat(found) if found else torch.zeros(0)


class Pass:
    """Layers of K clients with their weights, for one batch; of a server K is 1.

    Attributes
    ----------
    multiply_adds
        Multiply-adds of all products until now, for one of the K clients.
    attention
        What a model shows of its attention, by name: ``[K, B, ...]``.

    Parameters
    ----------
    theta
        ``[K, P]``.
    generators
        Generators of the K clients' dropout in training; ``None``: no dropout.
    dropout, recurrent_dropout
        Shares of what goes into an LSTM, and of its h from step to step; one draw for all steps of
        a series, as in Keras.
    rectified
        Whether LSTMs have rectifiers in place of tanh.
    """

    def __init__(
        self,
        theta: torch.Tensor,
        layers: Layers,
        generators: Sequence[torch.Generator] | None = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        rectified: bool = False,
    ):
        self.layers, self.w = layers, unpack(theta, layers)
        self.generators, self.rectified = generators, rectified
        self.shares = dropout, recurrent_dropout
        self.multiply_adds = 0.0
        self.attention: dict[str, torch.Tensor] = {}

    def dense(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """``[K, B, ..., into]`` to ``[K, B, ..., out]``."""
        weight, bias = self.w[f"{name}.weight"], self.w.get(f"{name}.bias")
        rows = x.flatten(1, -2)
        self.multiply_adds += rows.shape[1] * weight[0].numel()
        return linear(rows, weight, bias).view(*x.shape[:-1], -1)

    def conv(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """``[K, B, T, into]`` to ``[K, B, T - length + 1, out]``."""
        length = self.layers[name].length
        T = x.shape[2] - length + 1
        return self.dense(name, torch.cat([x[:, :, j : j + T] for j in range(length)], -1))

    def lstm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """``[K, B, T, into]`` to ``[K, B, T, out]``."""
        w = [self.w[f"{name}.{key}"] for key in ("input", "recurrent", "bias")]
        _, B, T, C = x.shape
        H = w[1].shape[2]
        of_inputs = self._kept(self.shares[0], B, 1, C)
        x = x if of_inputs is None else x * of_inputs
        kept = self._kept(self.shares[1], B, H)
        self.multiply_adds += B * T * 4 * H * (C + H)
        return lstm(x, *w, None if kept is None else kept.to(x), self.rectified)

    def _kept(self, share, *shape):
        """What a draw of dropout multiplies by, ``[K, *shape]``."""
        if self.generators is None or share == 0:
            return None
        drawn = torch.stack([torch.rand(shape, generator=of) for of in self.generators])
        device = next(iter(self.w.values())).device
        return ((drawn >= share) / (1 - share)).to(device)
