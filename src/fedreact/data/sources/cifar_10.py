"""CIFAR-10: 60,000 colour images of ten kinds of things, 32 x 32 (Krizhevsky 2009).

A. Krizhevsky (2009), "Learning Multiple Layers of Features from Tiny Images", technical report,
University of Toronto. The binary version: an archive with five batches of 10,000 images to train on
and one to test on, each image a byte for its kind, then its red, green and blue rows.
"""

import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

NAME = "cifar-10"
COLOURS, SIDE, KINDS = 3, 32, 10
RECORD = 1 + COLOURS * SIDE**2
MOST = 10_000  # images of a batch
TRAIN = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
TEST = ("test_batch.bin",)


@dataclass(frozen=True)
class CIFAR10(Source):
    """Images with their kinds, those for training first; ``tested`` marks the others.

    An image is a series of 96 channels and 32 steps: its 32 red rows, then the green and the blue
    ones, over its 32 columns, from 0 to 1.

    Attributes
    ----------
    n_train, n_test
        Numbers of train and of test images, the first ones; ``null``: all.
    """

    n_train: Count | None = None
    n_test: Count | None = None

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the archive, without unpacking it."""
        batches = read_batches(raw["archive"])
        parts = [
            np.concatenate([batches[name] for name in names])[:n]
            for names, n in ((TRAIN, self.n_train), (TEST, self.n_test))
        ]
        tested = np.repeat([False, True], [len(part) for part in parts])
        records = np.concatenate(parts)
        # Into one array: 50,000 images are 0.6 GB, and would be twice that on the way.
        X = np.empty((len(records), COLOURS * SIDE, SIDE), dtype=np.float32)
        np.divide(records[:, 1:].reshape(X.shape), np.float32(255), out=X)
        y = records[:, 0].astype(np.int64)
        return SeriesDataset(NAME, X, np.full(len(y), SIDE), y, tested=tested)


def read_batches(path: Path) -> dict[str, np.ndarray]:
    """Read the records ``uint8 [n, 3073]`` of each batch of the archive.

    Raises
    ------
    UserError
        The archive is damaged, or lacks a batch.
    """
    batches = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                name = PurePosixPath(member.name).name
                file = archive.extractfile(member) if member.isfile() else None
                if file is None or name not in TRAIN + TEST:
                    continue
                if not member.size or member.size % RECORD or member.size > MOST * RECORD:
                    raise ValueError(f"{name} has {member.size} bytes, no images of {RECORD}")
                batches[name] = np.frombuffer(file.read(), np.uint8).reshape(-1, RECORD)
                if batches[name][:, 0].max() >= KINDS:
                    raise ValueError(f"{name} has a label that is not 0 to {KINDS - 1}")
    except (tarfile.TarError, OSError, EOFError, ValueError, zlib.error) as error:
        raise UserError(
            f"{path}: not the archive of {NAME} ({error}); download it again"
        ) from error
    if lacking := [name for name in TRAIN + TEST if name not in batches]:
        raise UserError(f"{path}: has no {lacking[0]}; download it again")
    return batches


SOURCE = CIFAR10
