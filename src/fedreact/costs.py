"""What a model costs: operations of a forward pass, bytes of a round (Fed-REACT, K.1, Table 12).

**Rule.** A multiply-add is 2 FLOPs, and only those of matrix products and convolutions count:
no biases, activations, normalisations, Fourier transforms or softmaxes. Layers count as the
architecture defines them, at each of their output steps, whatever a faster implementation leaves
out. So the counts are exact and do not depend on data or machine, where those of
``torch.utils.flop_counter`` miss in-place products and the fused LSTM.

**Published values**, in M, for 3 channels, 100 steps and 10 classes (also the lengths and classes
that make the parameter counts meet):

=========== ========= ====== ==========================================================
model       published ours   why
=========== ========= ====== ==========================================================
causal CNN  31.94     20.24  2 x 15.97: convolutions padded at both ends and cut, as in
                             the code of Franceschi et al., take 15.79 M multiply-adds,
                             and with biases and activations 15.96 M
LSTM        79.68     78.73  2 x 39.84: with biases and the gates' products 39.84 M
PatchTST    2.66      8.73   one channel's transformer layers without attention's two
                             products; three with them, embedding and head are ours
TimesNet    17.6      14.40  depends on the periods found: 14.4 to 19.0 with padding,
                             ours without
=========== ========= ====== ==========================================================
"""

from math import nan, prod

from fedreact.losses import ContrastiveLoss
from fedreact.models.causal_cnn import CausalCNN
from fedreact.models.encoder import Encoder
from fedreact.models.lstm import LSTM
from fedreact.models.patchtst import PatchTST
from fedreact.models.supervised import Architecture, CausalCNNClassifier
from fedreact.models.timesnet import TimesNet


def flops(architecture: Architecture) -> int:
    """FLOPs of one forward pass of one series of ``architecture.length`` steps.

    Raises
    ------
    TypeError
        If no rule is written for such an architecture.
    """
    match architecture:
        case LSTM():
            multiply_adds = _lstm(architecture)
        case PatchTST():
            multiply_adds = _patchtst(architecture)
        case TimesNet():
            multiply_adds = _timesnet(architecture)
        case CausalCNNClassifier():
            multiply_adds = _encoder(architecture.encoder, architecture.length)
            multiply_adds += architecture.encoder.out_channels * architecture.n_out
        case _:
            raise TypeError(f"no rule to count the operations of {architecture!r}")
    return 2 * multiply_adds


def contrastive_flops(loss: ContrastiveLoss, length: int) -> float:
    """FLOPs of the forward passes that one anchor of Phase 1 takes, in the mean.

    Positive and negatives have U(1, length) steps, and the anchor has from theirs to ``length``.
    NaN for a user's encoder that does not count its operations.
    """
    short = (length + 1) / 2
    anchor = _encoder(loss.encoder, (short + length) / 2)
    return 2 * (anchor + (1 + loss.n_negatives) * _encoder(loss.encoder, short))


def training_flops(forward: float) -> float:
    """FLOPs of a training step, by the usual count: a backward pass takes two forward passes."""
    return 3 * forward


def bytes_per_round(n_parameters: int, n_clients: int = 1, bytes_per_weight: int = 4) -> int:
    """Bytes between server and clients in a round: each client gets all weights and sends them.

    Parameters
    ----------
    n_parameters
        Weights that travel one way: a model's, or several models' (IFCA and FLSC send one a
        cluster but receive one, so call this with the mean of both ways).
    n_clients
        Clients that take part in the round.
    bytes_per_weight
        4 for float32.
    """
    return 2 * n_parameters * n_clients * bytes_per_weight


def _lstm(a: LSTM) -> int:
    step = a.in_channels * a.embedding + 4 * a.hidden * (a.embedding + a.hidden)
    return a.length * step + a.hidden * a.n_out


def _patchtst(a: PatchTST) -> int:
    """Scores and mixtures of attention are each N x N products over the width, in all heads."""
    n, d = a.n_patches, a.width
    layer = n * (4 * d * d + 2 * d * a.feed_forward) + 2 * n * n * d
    return a.in_channels * (n * a.patch * d + a.layers * layer + n * d * a.n_out)


def _timesnet(a: TimesNet) -> int:
    """Each of ``top_k`` pictures counts ``length`` positions, its least: a period that divides it.

    A picture has up to a third more, where the last period is padded.
    """
    block = 2 * a.width * a.feed_forward * sum(prod(kernel) for kernel in a.kernels)
    step = 3 * a.in_channels * a.width + a.layers * a.top_k * block + a.width * a.n_out
    return a.length * step


def _encoder(encoder: Encoder, length: float) -> float:
    if not isinstance(encoder, CausalCNN):
        return encoder.multiply_adds(length) if hasattr(encoder, "multiply_adds") else nan
    step = 0
    for n_in, n_out, _ in encoder.blocks:
        step += encoder.kernel_size * (n_in + n_out) * n_out
        step += n_in * n_out if n_in != n_out else 0
    return length * step + encoder.out_channels * encoder.reduced_size
