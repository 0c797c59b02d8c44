"""HHAR: six activities of 9 people with a Samsung phone (Stisen et al. 2015).

Acceleration in three axes, windows of 128 steps. The files are in the form of AdaTime, of whose
test parts (30 % of the windows) copies can be had; they are split anew."""

from dataclasses import dataclass

from fedreact.data.prepared import Prepared


@dataclass(frozen=True)
class HHAR(Prepared):
    """Windows of some people."""

    name = "hhar"
    everyone = range(9)
    shape = (3, 128)
    n_labels = 6
    splits = ("test",)


SOURCE = HHAR
