"""Which batches an evening does together (:mod:`fedreact.campaign.evening`)."""

from types import SimpleNamespace
from typing import NamedTuple

from fedreact.campaign.evening import A_CORE, TOGETHER, Evening, Resources
from fedreact.campaign.queue import Batch


class Run(NamedTuple):
    output: str


BATCHES = [
    Batch(f"row {i}", tuple(Run(f"{i}/{seed}.csv") for seed in range(3))) for i in range(100)
]


def chosen(hours, kept=()):
    """Titles of the first batches for two cores, if each run takes so many hours."""
    has = SimpleNamespace(has=lambda run: run.output in kept)
    evening = Evening(None, BATCHES, has, [], 0)
    evening.hours = {run.output: hours for run in evening.runs}
    return [batch.title for batch in evening.next_batches(Resources(60, 2), ())]


def test_long_runs_are_enough_to_keep_cores_busy():
    assert A_CORE * 2 == 8
    assert chosen(1.0) == ["row 0", "row 1", "row 2"]  # 9 runs


def test_short_runs_are_done_together_for_ten_minutes_of_each_core():
    assert TOGETHER * 2 * 60 == 20
    assert len(chosen(1 / 60)) == 7  # of 3 minutes each: 21 minutes
    assert len(chosen(0.0)) == 100


def test_what_is_kept_does_not_count():
    kept = {run.output for batch in BATCHES[:2] for run in batch.runs}
    assert chosen(1.0, kept) == ["row 2", "row 3", "row 4"]
