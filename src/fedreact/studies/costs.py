"""Costs of models: weights, operations, bytes per round (Fed-REACT, K.1, Table 12).

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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

from fedreact import plugins
from fedreact.options import Count

if TYPE_CHECKING:
    from fedreact.models.architectures.contract import Architecture

ARCHITECTURES = plugins.Named("models/architectures", "ARCHITECTURE")


def flops(architecture: "Architecture") -> float:
    """Count the FLOPs of one forward pass of one series of ``architecture.length`` steps."""
    return 2 * architecture.multiply_adds()


def bytes_per_round(n_parameters: int, n_clients: int = 1, bytes_per_weight: int = 4) -> int:
    """Count the bytes of a round: each client receives all weights and sends them.

    Parameters
    ----------
    n_parameters
        Weights that travel one way, of one model or of several. IFCA and FLSC send a model for
        each cluster but receive one, so call this with the mean of both ways.
    n_clients
        Clients that take part in the round.
    bytes_per_weight
        4 for float32.
    """
    return 2 * n_parameters * n_clients * bytes_per_weight


@dataclass(frozen=True)
class Costs:
    """Parameters, FLOPs and bytes of a round of architectures.

    Attributes
    ----------
    architectures
        Files of ``models/architectures/``, by their labels.
    channels, steps, outputs
        Channels and steps of the series, and outputs of the task.
    """

    architectures: Annotated[dict[str, str], ARCHITECTURES]
    channels: Count = 3
    steps: Count = 100
    outputs: Count = 10

    COLUMNS: ClassVar[tuple[str, ...]] = ("row", "column", "value")

    def run(self, seeds: Sequence[int]) -> Iterator[Sequence[Any]]:
        """Yield each quantity of each architecture."""
        quantities: dict[str, Callable[[Architecture], float]] = {
            "Number of Parameters (K)": lambda a: a.n_parameters / 1e3,
            "FLOPs (M)": lambda a: flops(a) / 1e6,
            "Sent and received by a client in a round (MB)": lambda a: (
                bytes_per_round(a.n_parameters) / 1e6
            ),
        }
        made = make_all(self)
        for row, count in quantities.items():
            for label, architecture in made.items():
                yield [row, label, count(architecture)]


class Sized(Protocol):
    """A study that makes architectures for the same sizes of data.

    Attributes are those of :class:`Costs`.
    """

    @property
    def architectures(self) -> Mapping[str, str]:
        """Files of architectures by their labels."""

    @property
    def channels(self) -> int:
        """Channels of the series."""

    @property
    def steps(self) -> int:
        """Steps of the series."""

    @property
    def outputs(self) -> int:
        """Outputs of the task."""


def make_all(study: Sized) -> "dict[str, Architecture]":
    """Make the architectures of a study, by their labels."""
    return {
        label: plugins.load("models/architectures", name, "ARCHITECTURE")(
            in_channels=study.channels, length=study.steps, n_out=study.outputs
        )
        for label, name in study.architectures.items()
    }


STUDY = Costs
