"""Accuracy of the best fifth of the clients."""

from dataclasses import replace

from fedreact.metrics.accuracy import METRIC as ACCURACY
from fedreact.metrics.over_clients import best_fifth

METRIC = replace(
    ACCURACY,
    title="Accuracy of the best fifth of the clients",
    over=best_fifth(ACCURACY.better),
)
