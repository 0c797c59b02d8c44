"""Where a training runs."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Device and processes of a training, and where it keeps its progress.

    Attributes
    ----------
    device
        ``cpu``, ``cuda``, or ``auto``: a GPU if there is one.
    workers
        Processes, if on the CPU.
    checkpoint
        File that is kept while training; of several trainings, each adds its name to it.
    """

    device: str = "cpu"
    workers: int = 1
    checkpoint: Path = Path("checkpoint.npz")

    def named(self, name: str) -> "Place":
        """The place of one of several trainings."""
        file = self.checkpoint.with_name(f"{self.checkpoint.stem}-{name}.npz")
        return Place(self.device, self.workers, file)

    def clear(self) -> None:
        """Remove the checkpoints, once what they led to is written."""
        others = self.checkpoint.parent.glob(f"{self.checkpoint.stem}-*.npz")
        for file in (self.checkpoint, *others):
            file.unlink(missing_ok=True)
