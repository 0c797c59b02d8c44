"""Fashion-MNIST: 70,000 grey images of ten kinds of clothes, 28 x 28 (Xiao et al. 2017).

H. Xiao, K. Rasul, R. Vollgraf (2017), "Fashion-MNIST: a Novel Image Dataset for Benchmarking
Machine Learning Algorithms", arXiv:1708.07747. Four files in the format IDX, compressed by gzip:
60,000 images and labels to train on and 10,000 to test on. Copies differ in how they are
compressed, e.g. that of Debian (package dataset-fashion-mnist), so the registry pins the images and
labels and not the files.
"""

import gzip
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.files import check_content
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

NAME = "fashion-mnist"
SIDE, KINDS, MOST = 28, 10, 60_000
BYTES = 8  # IDX's number for unsigned bytes


@dataclass(frozen=True)
class FashionMNIST(Source):
    """Images with their kinds, those for training first; ``tested`` marks the others.

    An image is a series whose channels are its 28 rows and whose steps are its 28 columns, from 0
    (black) to 1.

    Attributes
    ----------
    n_train, n_test
        Numbers of train and of test images, the first ones; ``null``: all.
    """

    n_train: Count | None = None
    n_test: Count | None = None

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the four files."""
        train, test = (_read_part(raw, part) for part in ("train", "test"))
        whole = [np.concatenate(both) for both in zip(train, test)]
        check_content(NAME, entry.content_sha256, *whole)
        some = zip((train, test), (self.n_train, self.n_test))
        parts = [(images[:n], labels[:n]) for (images, labels), n in some]
        tested = np.repeat([False, True], [len(labels) for _, labels in parts])
        X = np.concatenate([images for images, _ in parts]).astype(np.float32) / 255
        y = np.concatenate([labels for _, labels in parts]).astype(np.int64)
        return SeriesDataset(NAME, X, np.full(len(y), SIDE), y, tested=tested)


def _read_part(raw: dict[str, Path], part: str) -> tuple[np.ndarray, np.ndarray]:
    """Read images ``[N, 28, 28]`` and labels ``[N]`` of a part, whose files fit each other."""
    images, labels = read_idx(raw[f"{part}_images"], 3), read_idx(raw[f"{part}_labels"], 1)
    path = raw[f"{part}_labels"]
    if images.shape != (len(labels), SIDE, SIDE) or not len(labels):
        raise UserError(
            f"{path}: {len(labels)} labels for images {images.shape}, wanted as many, of "
            f"{SIDE} x {SIDE}; download both again"
        )
    if labels.max() >= KINDS:
        raise UserError(f"{path}: labels must be 0 to {KINDS - 1}; download it again")
    return images, labels


def read_idx(path: Path, dimensions: int) -> np.ndarray:
    """Read the unsigned bytes of an IDX file.

    The file has two zeros, the type, the number of dimensions, their sizes, then the values.

    Raises
    ------
    UserError
        The file is damaged, or another kind of file.
    """
    head = 4 + 4 * dimensions
    limit = head + MOST * SIDE**2
    try:
        with gzip.open(path) as file:
            content = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}: not a whole gzip file ({error}); download it again") from error
    if content[:4] != bytes([0, 0, BYTES, dimensions]) or len(content) < head:
        raise UserError(f"{path}: not an IDX file of {dimensions} dimensions; download it again")
    sizes = struct.unpack(f">{dimensions}I", content[4:head])
    n = int(np.prod(sizes, dtype=object))
    if len(content) - head != n:
        raise UserError(
            f"{path}: has {len(content) - head} values, but sizes {sizes} need {n}; "
            "download it again"
        )
    return np.frombuffer(content, np.uint8, offset=head).reshape(sizes)


SOURCE = FashionMNIST
