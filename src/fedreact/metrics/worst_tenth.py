"""Accuracy of the worst tenth of the clients; runs of kind ``clustered`` compute it."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Accuracy of the worst tenth of the clients, mean over rounds",
    better="higher",
    bounds=(0.0, 1.0),
)
