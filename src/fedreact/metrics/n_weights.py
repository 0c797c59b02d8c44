"""Number of weights of all clients and the server."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Weights of all clients and the server", decimals=0, counted=True)
