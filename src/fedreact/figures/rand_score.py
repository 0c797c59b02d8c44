"""Rand score over the rounds (Fed-REACT, Fig. 1 and others)."""

from dataclasses import dataclass

from fedreact.figures.rounds import Rounds


@dataclass(frozen=True)
class RandScore(Rounds):
    """The curves of :class:`fedreact.figures.rounds.Rounds`, of Rand scores."""

    score: str = "rand"


FIGURE = RandScore
