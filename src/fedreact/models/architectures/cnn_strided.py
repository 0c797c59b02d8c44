"""The CNN of FedST for series of any length: a stride bounds the steps behind its first convolution
(in no paper).

It has a quarter of the first channels and no dropout, so it learns in few steps of training.
"""

from dataclasses import dataclass

from fedreact.models.architectures.cnn import CNN

MOST_STEPS = 64
"""Steps that are left behind the first convolution, at most about so many."""


@dataclass(frozen=True)
class StridedCNN(CNN):
    """Three blocks with 16, 32 and 64 channels. A long series has a large first stride and kernel.

    Attributes
    ----------
    kernel, stride
        By default twice the stride and one, at least 5; and the least for :data:`MOST_STEPS`.
    """

    widths: tuple[int, int, int] = (16, 32, 64)
    kernel: int = 0
    stride: int = 0
    drop: float = 0.0

    def __post_init__(self) -> None:
        stride = self.stride or -(-self.length // MOST_STEPS)
        object.__setattr__(self, "stride", stride)
        object.__setattr__(self, "kernel", self.kernel or max(5, 2 * stride + 1))


ARCHITECTURE = StridedCNN
