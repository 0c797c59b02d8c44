"""Universes: one value for each choice that a paper leaves open.

A *choice* is a key of a ledger's entry with its values; a *universe* picks one of each. The sample
fills the space of all universes evenly: a scrambled Sobol' sequence, as Steegen et al. (2016,
Perspect. Psychol. Sci. 11:702) would list all of them if there were few.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fedreact.errors import UserError


@dataclass(frozen=True)
class Choice:
    """A choice that a paper leaves open.

    Attributes
    ----------
    name
        Key that it sets, e.g. ``C`` or ``methods.ifca.steps``; a name, where values are changes of
        several keys.
    values
        Its values, in an order that a reader expects.
    default
        Place of the default among them; ``None`` if it is none of them.
    """

    name: str
    values: tuple[Any, ...]
    default: int | None = None

    def __post_init__(self) -> None:
        if len(self.values) < 2:
            raise UserError(f"{self.name}: a choice has two values at least")
        if self.default is not None and not 0 <= self.default < len(self.values):
            raise UserError(f"{self.name}: the default is none of its {len(self.values)} values")


def draw(choices: Sequence[Choice], n: int, seed: int) -> npt.NDArray[np.int64]:
    """Draw universes.

    Parameters
    ----------
    choices
        Open choices.
    n
        Number of universes. The first ones of a larger sample are those of a smaller one.
    seed
        Seed of the scrambling.

    Returns
    -------
    numpy.ndarray
        ``int [n, len(choices)]``: the place of each value. Each value of a choice comes equally
        often, up to the rounding of n.
    """
    from scipy.stats import qmc  # the workflow loads this module, and starts often

    if not choices:
        raise UserError("there is no open choice to vary")
    sequence = qmc.Sobol(len(choices), seed=np.random.default_rng(seed))
    points = sequence.random_base2(max(n - 1, 1).bit_length())[:n]
    sizes = np.array([len(choice.values) for choice in choices])
    return np.minimum((points * sizes).astype(int), sizes - 1)


def changes(choices: Sequence[Choice], places: Sequence[int]) -> dict[str, Any]:
    """Return the changes of a universe: values by key.

    A value that is a mapping changes several keys at once.
    """
    changed: dict[str, Any] = {}
    for choice, place in zip(choices, places, strict=True):
        value = choice.values[place]
        changed |= value if isinstance(value, Mapping) else {choice.name: value}
    return changed
