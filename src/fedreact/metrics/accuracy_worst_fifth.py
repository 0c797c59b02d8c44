"""Accuracy of the worst fifth of the clients."""

from dataclasses import replace

from fedreact.metrics.accuracy import METRIC as ACCURACY
from fedreact.metrics.over_clients import worst_fifth

METRIC = replace(
    ACCURACY,
    title="Accuracy of the worst fifth of the clients",
    over=worst_fifth(ACCURACY.better),
)
