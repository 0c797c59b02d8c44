"""The CNN of FedST as AdaTime (Ragab et al. 2023) has it for Sleep-EDF, whose series are long."""

from dataclasses import dataclass

from fedreact.models.architectures.cnn import CNN


@dataclass(frozen=True)
class SleepCNN(CNN):
    """Half the channels, a first kernel of 25 with a stride of 6, and less dropout."""

    widths: tuple[int, int, int] = (32, 64, 128)
    kernel: int = 25
    stride: int = 6
    drop: float = 0.2


ARCHITECTURE = SleepCNN
