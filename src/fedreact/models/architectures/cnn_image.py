"""Two convolutions of images: ASO-Fed's model of Fashion-MNIST.

Y. Chen's dissertation, section 5.3.2: "two CNN layers followed by a max pooling layer". Open are
the kernels, their number, the padding, the activations, and what turns pooled values into outputs.
Here these are 3 x 3 kernels, 32 and 64 of them as in the first layers of the same author's FedAT,
no padding, ReLU, and one fully connected layer. One pooling stands behind both convolutions, as the
sentence has it, and not one behind each.
"""

from dataclasses import dataclass
from math import prod, sqrt

import torch
from torch.nn.functional import max_pool2d

from fedreact.errors import UserError
from fedreact.models.architectures.contract import check_length
from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import Training, convolve_images, linear

KERNEL = 3
"""Rows and columns of every kernel."""


@dataclass(frozen=True)
class ImageCNN(FlatWeights):
    """Convolutions with ReLU, poolings of 2 x 2, and one or two fully connected layers.

    An image is a series whose steps are its columns and whose channels are the rows of its first
    colour, then those of the next. It is square, so there are ``in_channels / length`` colours.

    Attributes
    ----------
    widths
        Kernels of each convolution.
    pooled
        Whether a pooling follows each convolution.
    hidden
        Units of a fully connected ReLU layer before the head; 0: no layer.
    """

    in_channels: int = 28
    n_out: int = 10
    length: int = 28
    widths: tuple[int, ...] = (32, 64)
    pooled: tuple[bool, ...] = (False, True)
    hidden: int = 0

    def __post_init__(self):
        name, side = type(self).__name__, self.length
        if self.in_channels % side:
            raise UserError(
                f"{name} is for square images, whose channels are the rows of their colours: "
                f"{self.in_channels} channels are no multiple of {side} steps"
            )
        if self.sides()[-1][1] < 1:
            raise UserError(f"{name} leaves nothing of images as small as {side} x {side}")

    @property
    def colours(self) -> int:
        """Colours of an image."""
        return self.in_channels // self.length

    def sides(self) -> list[tuple[int, int]]:
        """List the rows after each convolution, and after its pooling; columns are as many."""
        sides, side = [], self.length
        for pooled in self.pooled:
            convolved = side - KERNEL + 1
            side = convolved // 2 if pooled else convolved
            sides.append((convolved, side))
        return sides

    @property
    def n_features(self) -> int:
        """Length m of the features."""
        return self.hidden or self._n_flat

    @property
    def _n_flat(self) -> int:
        return self.widths[-1] * self.sides()[-1][1] ** 2

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        channels = self.colours
        shapes: Shapes = {}
        for i, width in enumerate(self.widths):
            shapes[f"conv{i}.weight"] = (width, channels, KERNEL, KERNEL)
            shapes[f"conv{i}.bias"] = (width,)
            channels = width
        if self.hidden:
            shapes |= {"hidden.weight": (self.hidden, self._n_flat), "hidden.bias": (self.hidden,)}
        return shapes | {"head.weight": (self.n_out, self.n_features), "head.bias": (self.n_out,)}

    def multiply_adds(self) -> float:
        """Count multiply-adds of convolutions and fully connected layers for one image."""
        channels, total = self.colours, 0
        for (convolved, _), width in zip(self.sides(), self.widths):
            total += convolved**2 * width * channels * KERNEL**2
            channels = width
        return total + self.hidden * self._n_flat + self.n_features * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        parts, fan_in = [], 1
        for name, shape in self.shapes.items():
            if name.endswith("weight"):  # its bias comes next
                fan_in = prod(shape[1:])
            parts.append((torch.rand(prod(shape), generator=generator) * 2 - 1) / sqrt(fan_in))
        return torch.cat(parts)

    def images(self, x: torch.Tensor) -> torch.Tensor:
        """Return series ``x [K, B, T, C]`` as images ``[K, B, colours, rows, columns]``."""
        check_length(x, self)
        return x.transpose(2, 3).unflatten(2, (self.colours, self.length))

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Compute features ``[K, B, m]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""
        w, K = self.unpack(theta), len(x)
        h = self.images(x).transpose(0, 1).flatten(1, 2)
        for i, pooled in enumerate(self.pooled):
            h = convolve_images(h, w, f"conv{i}").relu()
            h = max_pool2d(h, 2) if pooled else h
        h = h.unflatten(1, (K, -1)).transpose(0, 1).flatten(2)
        return linear(h, w, "hidden").relu() if self.hidden else h

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of features."""
        return linear(h, self.unpack(theta), "head")

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""
        return self.head(theta, self.encode(theta, x))


ARCHITECTURE = ImageCNN
