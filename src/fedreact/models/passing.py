"""A pass of K clients, or of a server, through layers that :mod:`fedreact.models.parts` names."""

from collections.abc import Sequence
from math import sqrt

import torch

from fedreact.models.parts import LSTM, Conv, Layers, shapes_of
from fedreact.models.products import linear
from fedreact.models.recurrent import lstm


def unpack(theta: torch.Tensor, layers: Layers) -> dict[str, torch.Tensor]:
    """Return views of flat weights ``[K, P]`` by ``<layer>.<weight>``, each ``[K, *shape]``."""
    shapes = shapes_of(layers)
    parts = theta.split([torch.Size(shape).numel() for shape in shapes.values()], dim=1)
    return {name: part.unflatten(1, shape) for (name, shape), part in zip(shapes.items(), parts)}


def first_weights(layers: Layers, generator: torch.Generator) -> torch.Tensor:
    """Draw weights ``[P]`` as Keras does: Glorot's uniform, orthogonal from h to h.

    Biases are 0, those of an LSTM's forget gates 1.
    """
    drawn = []
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
            drawn.append(w.flatten())
    return torch.cat(drawn) if drawn else torch.zeros(0)


class Pass:
    """Layers of K clients with their weights, for one batch; of a server K is 1.

    Attributes
    ----------
    multiply_adds
        Multiply-adds of all products until now, for one of the K clients.
    attention
        Attention weights that a model records, by name: ``[K, B, ...]``.

    Parameters
    ----------
    theta
        ``[K, P]``.
    generators
        Generators of the K clients' dropout in training; ``None``: no dropout.
    dropout, recurrent_dropout
        Dropped shares of an LSTM's inputs, and of its h from step to step; one draw for all steps
        of a series, as in Keras.
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
        """Map ``[K, B, ..., into]`` to ``[K, B, ..., out]``."""
        weight, bias = self.w[f"{name}.weight"], self.w.get(f"{name}.bias")
        rows = x.flatten(1, -2)
        self.multiply_adds += rows.shape[1] * weight[0].numel()
        return linear(rows, weight, bias).view(*x.shape[:-1], -1)

    def conv(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """Map ``[K, B, T, into]`` to ``[K, B, T - length + 1, out]``."""
        layer = self.layers[name]
        if not isinstance(layer, Conv):
            raise TypeError(f"{name} is no convolution")
        length = layer.length
        T = x.shape[2] - length + 1
        return self.dense(name, torch.cat([x[:, :, j : j + T] for j in range(length)], -1))

    def lstm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """Map ``[K, B, T, into]`` to ``[K, B, T, out]``."""
        into, recurrent, bias = (self.w[f"{name}.{key}"] for key in ("input", "recurrent", "bias"))
        _, B, T, C = x.shape
        H = recurrent.shape[2]
        of_inputs = self._dropout(self.shares[0], B, 1, C)
        x = x if of_inputs is None else x * of_inputs
        of_states = self._dropout(self.shares[1], B, H)
        self.multiply_adds += B * T * 4 * H * (C + H)
        factors = None if of_states is None else of_states.to(x)
        return lstm(x, into, recurrent, bias, factors, self.rectified)

    def _dropout(self, share: float, *shape: int) -> torch.Tensor | None:
        """Draw factors ``[K, *shape]`` of dropout; ``None``: nothing is dropped."""
        if self.generators is None or share == 0:
            return None
        drawn = torch.stack([torch.rand(shape, generator=own) for own in self.generators])
        device = next(iter(self.w.values())).device
        return ((drawn >= share) / (1 - share)).to(device)
