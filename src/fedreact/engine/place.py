"""Where a training runs."""

import contextlib
import fcntl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fedreact.errors import UserError


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
        """Return the place of one of several trainings, with its own checkpoint."""
        file = self.checkpoint.with_name(f"{self.checkpoint.stem}-{name}.npz")
        return Place(self.device, self.workers, file)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Refuse, by a ``UserError``, to train what another process is training."""
        lock = self.checkpoint.with_suffix(".lock")
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(
                    f"{self.checkpoint}: another process is training this; wait for it, or stop it"
                ) from None
            except OSError:  # a file system without locks
                pass
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove the checkpoints, once what they led to is written."""
        stem = self.checkpoint.stem
        for file in (self.checkpoint, *self.checkpoint.parent.glob(f"{stem}-*.npz")):
            file.unlink(missing_ok=True)
