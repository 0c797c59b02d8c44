"""The CNN of FedST with a quarter of the channels, for scales of minutes: a fifteenth of its
work.
"""

from dataclasses import dataclass

from fedreact.models.architectures.cnn import CNN


@dataclass(frozen=True)
class SmallCNN(CNN):
    """The same three blocks, with 16, 32 and 32 channels."""

    widths: tuple[int, int, int] = (16, 32, 32)


ARCHITECTURE = SmallCNN
