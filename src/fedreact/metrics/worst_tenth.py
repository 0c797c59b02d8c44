"""Accuracy of the tenth of the clients where it is worst, as ``clustered`` runs find it."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Accuracy of the worst tenth of the clients, mean over rounds",
    better="higher",
    bounds=(0.0, 1.0),
)
