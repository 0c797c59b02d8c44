"""SMAPE of the worst fifth of the clients."""

from dataclasses import replace

from fedreact.metrics.over_clients import worst_fifth
from fedreact.metrics.smape import METRIC as SMAPE

METRIC = replace(
    SMAPE,
    title="SMAPE of the worst fifth of the clients",
    over=worst_fifth(SMAPE.better),
)
