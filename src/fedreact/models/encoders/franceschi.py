"""The causal CNN of the code of Franceschi et al. (2019): ten residual blocks of 40 channels."""

from functools import partial

from fedreact.models.causal_cnn import CausalCNN

ENCODER = partial(CausalCNN, channels=40, depth=10, reduced_size=160)
