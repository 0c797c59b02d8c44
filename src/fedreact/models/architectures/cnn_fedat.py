"""FedAT's CNN of images: three convolutions and two fully connected layers.

Y. Chen's dissertation, section 7.4.1: "three convolutional layers, each with 32, 64 and 64 filters,
followed by two fully connected layers with units of 64 and 10". Open are the kernels, here 3 x 3,
the activations, here ReLU, and where images are padded and pooled: here nothing is padded, and a
pooling of 2 x 2 follows the first two convolutions. That makes 122,570 weights for CIFAR-10; padded
and pooled three times, it would have as many.
"""

from dataclasses import dataclass

from fedreact.models.architectures.cnn_image import ImageCNN


@dataclass(frozen=True)
class FedATCNN(ImageCNN):
    """Three convolutions, of which two are pooled, and a layer of 64 before the head."""

    in_channels: int = 96
    length: int = 32
    widths: tuple[int, ...] = (32, 64, 64)
    pooled: tuple[bool, ...] = (True, True, False)
    hidden: int = 64


ARCHITECTURE = FedATCNN
