"""UCI HAR: six activities of 30 people with a smartphone at the waist (Anguita et al. 2013).

Acceleration of the body, rotation and total acceleration in three axes each, 50 Hz, in windows of
128 steps of which each shares half with the next. The files are AdaTime's, whose train and test
part of each person is a random split, stratified by label; UCI's own (7,352 and 2,947 windows) has
21 people in the one and 9 in the other, so that no client could have both."""

from dataclasses import dataclass

from fedreact.data.prepared import Prepared


@dataclass(frozen=True)
class HAR(Prepared):
    """Windows of some people."""

    name = "har"
    everyone = range(1, 31)
    shape = (9, 128)
    n_labels = 6


SOURCE = HAR
