"""Rand score over the rounds (Fed-REACT, Fig. 1 and others)."""

from dataclasses import dataclass

from fedreact.figures.rounds import RoundCurves


@dataclass(frozen=True)
class RandScore(RoundCurves):
    """The curves of :class:`fedreact.figures.rounds.RoundCurves`, of Rand scores."""

    score: str = "rand"


FIGURE = RandScore
