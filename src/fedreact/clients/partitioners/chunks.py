"""Chunks of labels of different sizes: clients differ in labels and in sample counts.

Y. Chen's dissertation, sections 2.8 and 6.3.1: the data is sorted by label, each category is
divided into four different sizes, and each of 20 clients is assigned two of different size.
"""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.clients.partitioners.pools import labels_of
from fedreact.clients.regimes.contract import InRegime
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare, Positive
from fedreact.rng import generator

TwoOrMore = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=2)]
Chunk = tuple[int, int]
"""Label and number of the size of a chunk."""


@dataclass(frozen=True)
class Chunks(InRegime):
    """Clients with two chunks each, of different labels and different sizes.

    Attributes
    ----------
    sizes
        Relative sizes of a label's chunks, an even number of them; all samples are dealt.
    n_labels
        Labels of the data, two or more. There are half as many clients as chunks of all labels.
    test_share
        Share of the test set, in each chunk.
    """

    sizes: TwoOrMore = (2000.0, 2750.0, 3250.0, 4000.0)
    n_labels: Count = 10
    test_share: InnerShare = 0.2

    @property
    def n_clients(self) -> int:
        """Number of pairs of chunks."""
        return self.n_labels * (len(self.sizes) // 2)

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Cut each label's samples into chunks, in random order, and pair those of two labels.

        Raises
        ------
        UserError
            Chunks cannot be paired, the data has another number of labels, or a chunk is too small.
        """
        y, rng = labels_of(data), generator(seed, "partition")
        labels, n_sizes = np.unique(y), len(self.sizes)
        if n_sizes % 2 or self.n_labels < 2:
            raise UserError(
                f"partition: {n_sizes} chunks of each of {self.n_labels} labels cannot be paired; "
                "give an even number of sizes, for two labels or more"
            )
        if len(labels) != self.n_labels:
            raise UserError(
                f"partition: {data.name} has {len(labels)} labels, not {self.n_labels}; say so by "
                f"n_labels: {len(labels)}"
            )
        ends = np.cumsum(self.sizes)[:-1] / sum(self.sizes)
        chunks = []
        for label in labels:
            samples = rng.permutation(np.flatnonzero(y == label))
            chunks.append(np.split(samples, np.round(ends * len(samples)).astype(int)))
            if min(map(len, chunks[-1])) < 2:
                raise UserError(
                    f"partition: label {label} has {len(samples)} samples, too few for chunks of "
                    f"sizes {self.sizes}: each is to be trained and tested on"
                )
        train, test = [], []
        for pair in self._pairs(rng):
            tests, trains = zip(*(self._split(chunks[label][size]) for label, size in pair))
            test.append(np.sort(np.concatenate(tests)))
            train.append(np.sort(np.concatenate(trains)))
        held = [y[np.concatenate(sets)] for sets in zip(train, test)]
        counts = np.stack([np.bincount(labels, minlength=y.max() + 1) for labels in held])
        shares = counts / counts.sum(1, keepdims=True)
        return Partition(np.arange(len(train)), train, test, counts, shares[:, None], NOTHING)

    def _pairs(self, rng: np.random.Generator) -> list[tuple[Chunk, Chunk]]:
        """Draw pairs of (label, size): each label has all sizes, and each pair two of both."""
        n_labels = self.n_labels
        sizes = rng.permutation(len(self.sizes)).tolist()
        pairs: list[tuple[Chunk, Chunk]] = []
        for first, second in zip(sizes[::2], sizes[1::2]):
            shift = int(rng.integers(1, n_labels))
            pairs += [((i, first), ((i + shift) % n_labels, second)) for i in range(n_labels)]
        return pairs

    def _split(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Split a chunk into test and train samples."""
        n_test = max(1, round(self.test_share * len(samples)))
        return samples[:n_test], samples[n_test:]


PARTITIONER = Chunks
