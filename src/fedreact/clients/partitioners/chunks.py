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
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare, Positive
from fedreact.rng import generator

Two = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=2)]


@dataclass(frozen=True)
class Chunks:
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

    sizes: Two = (2000.0, 2750.0, 3250.0, 4000.0)
    n_labels: Count = 10
    test_share: InnerShare = 0.2

    @property
    def n_clients(self):
        """Pairs of chunks."""
        return self.n_labels * (len(self.sizes) // 2)

    def deal(self, data, seed):
        """Cut each label's samples into chunks, in random order, and pair those of two labels."""
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
        clients = self._pairs(rng)
        train, test = [], []
        for pair in clients:
            halves = [self._split(chunks[label][size]) for label, size in pair]
            for kept, parts in zip((test, train), zip(*halves)):
                kept.append(np.sort(np.concatenate(parts)))
        held = [y[np.concatenate(of)] for of in zip(train, test)]
        counts = np.stack([np.bincount(of, minlength=y.max() + 1) for of in held])
        shares = counts / counts.sum(1, keepdims=True)
        return Partition(np.arange(len(train)), train, test, counts, shares[:, None], NOTHING)

    def _pairs(self, rng):
        """Pairs of (label, size): of each label all sizes, no pair of one label or of one size."""
        n_labels = self.n_labels
        sizes = rng.permutation(len(self.sizes))
        found = []
        for first, second in zip(sizes[::2], sizes[1::2]):
            shift = int(rng.integers(1, n_labels))
            found += [((i, first), ((i + shift) % n_labels, second)) for i in range(n_labels)]
        return found

    def _split(self, samples):
        n_test = max(1, round(self.test_share * len(samples)))
        return samples[:n_test], samples[n_test:]


PARTITIONER = Chunks
