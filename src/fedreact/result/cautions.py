"""What a reader must know before concluding that the scores alone do not tell."""

from fedreact.clients import adjacent
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.notes.scores import Result
from fedreact.result.sources import SettingSource

FEW_STEPS = 250
"""Local steps of a client over all rounds, below which training is short."""

SAME = (
    "All seeds test the same series, so the interval of a method's score counts the randomness of "
    "training alone. Differences are paired by client: their intervals count how clients differ. "
    "They treat clients as independent. If clients share weather, a season or a place, the true "
    "uncertainty is larger."
)


def cautions(
    data: SeriesDataset, partition: Partition, setting: SettingSource, result: Result
) -> list[str]:
    """Return a sentence each for a short training, for test series that are the same in all seeds,
    and for test series beside train series.
    """
    short = [
        f"{kind.capitalize()} training is short: {steps} steps of each client in all, where "
        f"{FEW_STEPS} and more are usual. More of it may change the order (in one's own data: "
        "fedreact try --minutes, under another --name)."
        for kind, steps in setting.steps.items()
        if steps < FEW_STEPS
    ]
    return [*short, *[SAME] * result.is_same_test, *adjacent.findings(partition, data)]
