"""WISDM 1.1: six activities of 36 people with a phone in the pocket (Kwapisz et al. 2011).

Acceleration in three axes, 20 Hz, windows of 128 steps. The files are in the form of AdaTime, each
person's channels standardised already; people have 1 to 6 of the activities."""

from dataclasses import dataclass

from fedreact.data.prepared import Prepared


@dataclass(frozen=True)
class WISDM(Prepared):
    """Windows of some people."""

    name = "wisdm"
    everyone = range(36)
    shape = (3, 128)
    n_labels = 6


SOURCE = WISDM
