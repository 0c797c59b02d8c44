"""Power of FedConD's drift test (section 6.2.1, eq. 6.4), simulated.

A client's model is right on a share of the samples; then the share falls at once. After each round
the model is scored on some samples, and the score is tested against those of the rounds before. The
test with the numbers of samples is also made with delta, as the method has it: then a fall must be
larger than that besides.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from fedreact.clients.drifts.detection import QUEUE, detected
from fedreact.options import Count, InnerShare
from fedreact.rng import generator

PRINTED = "printed"


@dataclass(frozen=True)
class Detector:
    """Alarm rate of eq. 6.4 after a fall, as printed and with sample counts.

    Attributes
    ----------
    accuracy
        Accuracy of the model before the fall.
    falls
        Sizes of the fall.
    samples
        Samples per score.
    deltas
        Thresholds delta of the test by counts; .2 in FedConD on images.
    rounds
        Rounds after the fall; before it there are as many as the queue keeps.
    repeats
        Simulated clients per seed.
    """

    accuracy: InnerShare = 0.8
    falls: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8)
    samples: tuple[Count, ...] = (10, 50, 200)
    deltas: tuple[float, ...] = (0.0, 0.2)
    rounds: Count = 5
    repeats: Count = 200

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "seed",
        "test",
        "delta",
        "samples",
        "fall",
        "first",
        "within",
    )

    def run(self, seeds: Sequence[int]) -> Iterator[Sequence[Any]]:
        """Yield the shares of clients whose fall is detected in the first round, and in any.

        A fall of 0 is none: its shares are false alarms.
        """
        tests = [(PRINTED, 0.0), *(("with samples", delta) for delta in self.deltas)]
        for seed in seeds:
            for n in self.samples:
                for fall in self.falls:
                    rng = generator(seed, "drift detector", n, round(1000 * fall))
                    before = rng.binomial(n, self.accuracy, (self.repeats, QUEUE)) / n
                    share = max(self.accuracy - fall, 0.0)
                    after = rng.binomial(n, share, (self.repeats, self.rounds)) / n
                    for test, delta in tests:
                        alarms = [
                            _alarms(scores, later, n, test == PRINTED, delta)
                            for scores, later in zip(before, after)
                        ]
                        first, within = np.mean([[a[0], any(a)] for a in alarms], axis=0)
                        yield [seed, test, delta, n, fall, float(first), float(within)]


def _alarms(
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    n: int,
    printed: bool,
    delta: float,
) -> list[bool]:
    """Say for each round after the fall whether a client detects it, if tested by itself."""
    counts = np.full(len(before), n)
    return [detected(before, counts, now, n, printed, delta) for now in after]


STUDY = Detector
