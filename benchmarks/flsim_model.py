"""What FLSim asks of a model, and how it is imported by a Python that is newer than it is.

Its environment: opacus, hydra-core, pandas, scikit-learn and tqdm, then ``pip install --no-deps
flsim==0.1.0``, since of what it asks for its trainers import no more than these.
"""

import dataclasses
from functools import partial
from unittest import mock

import opacus  # noqa: F401 - it and what it imports have to come before the patch
from torch.nn import functional as F


def patched():
    """Import FLSim in this context: from 3.11 on Python refuses defaults without a hash.

    All of FLSim's settings have such.
    """
    return mock.patch("dataclasses.dataclass", partial(dataclasses.dataclass, unsafe_hash=True))


with patched():
    from flsim.interfaces.model import IFLModel
    from flsim.utils.simple_batch_metrics import FLBatchMetrics


class Model(IFLModel):
    """A module that classifies."""

    def __init__(self, module):
        self.module = module

    def fl_forward(self, batch):
        """Loss of a batch."""
        (X, y), logits = batch, self.module(batch[0])
        return FLBatchMetrics(
            loss=F.cross_entropy(logits, y),
            num_examples=len(y),
            predictions=logits,
            targets=y,
            model_inputs=X,
        )

    def fl_create_training_batch(self, batch):
        """The batch, which is one already."""
        return batch

    def fl_get_module(self):
        """The module."""
        return self.module

    def fl_cuda(self):
        """Nothing: all is on the CPU."""

    def get_eval_metrics(self, batch):
        """As in training."""
        return self.fl_forward(batch)

    def get_num_examples(self, batch):
        """Samples of a batch."""
        return len(batch[1])
