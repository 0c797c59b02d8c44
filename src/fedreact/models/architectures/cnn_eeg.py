"""The CNN of FedST as TS-TCC (Eldele et al. 2021) has it for the Bonn EEG."""

from dataclasses import dataclass

from fedreact.models.architectures.cnn import CNN


@dataclass(frozen=True)
class EEGCNN(CNN):
    """Half the channels in the first two blocks, kernels of 8, and less dropout."""

    widths: tuple[int, int, int] = (32, 64, 128)
    kernel: int = 8
    drop: float = 0.35


ARCHITECTURE = EEGCNN
