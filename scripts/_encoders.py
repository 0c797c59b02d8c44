"""The encoders that the commands of Phase 1 know: the causal CNNs, and a user's own."""

from dataclasses import replace

from fedreact.models.causal_cnn import VARIANTS
from fedreact.models.encoder import Encoder
from fedreact.workflow import own


def make_encoder(name: str, in_channels: int) -> Encoder:
    """Make an encoder of series of so many channels; an unknown name raises ``UserError``."""
    if name in VARIANTS:
        return replace(VARIANTS[name], in_channels=in_channels)
    return own.load("encoders", name, list(VARIANTS))(in_channels)
