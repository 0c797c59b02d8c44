"""SMAPE of the best fifth of the clients."""

from dataclasses import replace

from fedreact.metrics.over_clients import best_fifth
from fedreact.metrics.smape import METRIC as SMAPE

METRIC = replace(
    SMAPE,
    title="SMAPE of the best fifth of the clients",
    over=best_fifth(SMAPE.better),
)
