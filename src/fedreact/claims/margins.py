"""The smallest difference that matters to a claim: a share of what its paper publishes.

A difference of a quarter of the published one cannot carry a paper's conclusion, so a comparison's
margin is a quarter of its own published difference. It is at least half a unit of the last printed
digit, below which the print cannot tell two values apart. Where a claim's comparison has no
published difference, the margin is that of ``claims.yaml`` or, by metric, of ``paper.yaml``. So it
is where equality is claimed; there it is at least the difference that the paper itself prints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fedreact.claims.contract import Claim
from fedreact.metrics.grammar import load_metric
from fedreact.tables import published as values
from fedreact.tables.published import Published

SHARE = 0.25
"""Share of the published difference below which a difference is negligible."""


@dataclass(frozen=True)
class Effect:
    """A published difference, positive as claimed, and half a unit of its last printed digit."""

    difference: float
    half_unit: float

    @property
    def margin(self) -> float:
        """The smallest difference that matters."""
        return max(SHARE * abs(self.difference), self.half_unit)


def sign(relation: str, metric: str) -> int:
    """Return 1 if higher is claimed, -1 if lower, and 0 for equality."""
    if relation == "equal":
        return 0
    if relation in ("higher", "lower"):
        return 1 if relation == "higher" else -1
    lower = load_metric(metric).better == "lower"
    return -1 if lower == (relation == "better") else 1


def published(printed: Published, claim: Claim, metric: str, at: str, right: str) -> Effect | None:
    """Read the published difference of one comparison.

    Parameters
    ----------
    printed
        What :func:`fedreact.tables.published.read` gives of the claim's table.
    claim, metric
        The claim, and the metric that it is judged by.
    at, right
        Labels of the comparison.

    Returns
    -------
    Effect or None
        ``None`` if a value is not printed, or is in doubt.
    """
    ours, theirs = (
        _printed(printed, (at, label) if claim.compare == "columns" else (label, at), metric)
        for label in (claim.left, right)
    )
    if claim.value is not None:
        theirs = _Printed(claim.value, half_unit=0.0)
    if ours is None or theirs is None:
        return None
    direction = sign(claim.relation, metric) or 1
    return Effect(
        difference=direction * (ours.value - theirs.value),
        half_unit=max(ours.half_unit, theirs.half_unit),
    )


def of_comparison(claim: Claim, effect: Effect | None, usual: float) -> float:
    """Return the margin of one comparison; ``usual`` is that of ``paper.yaml``."""
    own = usual if claim.margin is None else claim.margin
    if effect is not None and claim.relation == "equal":
        return max(own, abs(effect.difference) + effect.half_unit)
    return effect.margin if effect is not None and claim.margin is None else own


def of_average(claim: Claim, effects: Sequence[Effect | None], usual: float) -> float:
    """Return the margin of the average over a claim's comparisons."""
    known = [effect for effect in effects if effect is not None]
    if not known:
        return of_comparison(claim, None, usual)
    mean = float(np.mean([effect.difference for effect in known]))
    return of_comparison(claim, Effect(mean, max(one.half_unit for one in known)), usual)


class _Printed(NamedTuple):
    """A published value, and half a unit of its last digit."""

    value: float
    half_unit: float


def _printed(printed: Published, labels: tuple[str, str], metric: str) -> _Printed | None:
    """Read the published value of a cell; ``None`` if there is none, or if it is in doubt."""
    row, column = labels
    value = values.value_of(printed, row, column, metric)
    if value is None or values.unsure(printed, row, column):
        return None
    decimals = values.decimals_beside(value, printed["rows"][row])
    return _Printed(value, 0.5 * 10.0**-decimals)
